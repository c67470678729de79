/* game.h: how a ruleset joins Longroll.
 *
 * A ruleset fills one `struct lr_ruleset`; everything else in env/ (batches, replays, files) and all other
 * rooms reach it through this table only. Nothing here knows what a hex or a card is. Each function is
 * the one behind the public call of the same name in longroll.h, and keeps that contract; what is added
 * is said here. `rules` is the ruleset's own immutable data for one scenario. */
#ifndef LR_GAME_H
#define LR_GAME_H

#include "longroll.h"

/* Text built piece by piece into a caller's buffer with snprintf's contract: writes what fits, counts all. */
struct lr_writer {
    char *text;
    size_t size, length;
};
void lr_write(struct lr_writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Scenarios that a ruleset makes from a name instead of reading them from a file. */
struct lr_generator {
    const char *form;   /* "random:SIZE:SEED": a name that begins as this does, up to the first colon, belongs to it */
    const char *about;  /* one line for people */
    const char *folder; /* in the scenario folder: where the files that the text names are found */
    /* Writes the text of the scenario with that name: the same on every machine, and one name for each. Errors:
     * NOT_FOUND, with a sentence that says what such a name must be. */
    int (*write)(const char *name, struct lr_writer *text, lr_error *error);
};

/* What one counter of a tally counts. Counters with one `group` make one table; with columns it has a row and a
 * column for each. */
struct lr_counter {
    const char *group;
    char row[64], column[32]; /* column "": the group is a plain list */
};

/* Counts what happens in games, for people who ask whether a game makes sense. Nothing in play calls it. */
struct lr_tally {
    int counters;
    /* Describes counter `index`; false if it can never count in this scenario. */
    bool (*describe)(const void *rules, int index, struct lr_counter *counter);
    /* Adds to the counters what happened between two states: `after` is what `action` made of `before`. */
    void (*count)(const void *rules, const lr_state *before, int action, const lr_state *after, uint32_t *counters);
};

struct lr_ruleset {
    const char *name;
    int version;
    int state_bytes;
    int actions;
    bool hidden;
    int piece_rows, piece_columns, global_columns;
    const lr_column *piece_spec, *global_spec;

    /* Reads a scenario from `text` (the whole file); `folder` is where files that it names are found.
     * Fills `title` (owned by rules), `hash`, bounds. The returned rules go back to close(). */
    int (*open)(const char *text, size_t length, const char *folder, void **rules, lr_info *info, lr_error *error);
    void (*close)(void *rules);

    void (*start)(const void *rules, lr_state *state);
    int (*to_move)(const void *rules, const lr_state *state);
    const char *(*decision)(const void *rules, const lr_state *state);
    int (*legal)(const void *rules, const lr_state *state, uint16_t *legal);
    void (*mask)(const void *rules, const lr_state *state, uint8_t *mask);
    void (*apply)(const void *rules, lr_state *state, int action); /* trusts the action */
    void (*returns)(const void *rules, const lr_state *state, float returns[2]);
    int (*score)(const void *rules, const lr_state *state);
    const char *(*end_reason)(const void *rules, const lr_state *state);
    int (*evaluate)(const void *rules, const lr_state *state);
    void (*appraise)(const void *rules, const lr_state *state, const uint16_t *legal, int count, int32_t *appraisals);
    int (*check)(const void *rules, const lr_state *state, lr_error *error);

    int (*outcomes)(const void *rules, const lr_state *state, uint32_t *weights, uint32_t *total);
    uint64_t (*event)(const void *rules, const lr_state *state);

    char *(*action_text)(const void *rules, const lr_state *state, int action, char text[LR_MAX_TEXT]);
    char *(*heading)(const void *rules, const lr_state *state, char text[LR_MAX_TEXT]);
    int (*draw)(const void *rules, const lr_state *state, bool color, char *text, size_t size);
    /* `scenario` is the name to write into the file. */
    int (*format)(const void *rules, const lr_state *state, const char *scenario, char *text, size_t size);
    int (*parse)(const void *rules, const char *text, size_t length, lr_state *state, lr_error *error);

    void (*observe)(const void *rules, const lr_state *state, int player, uint8_t *pieces, int16_t *globals);

    const struct lr_generator *generator; /* NULL: all scenarios are files */
    const struct lr_tally *tally;         /* NULL: nothing is counted */
};

struct lr_game {
    const struct lr_ruleset *ruleset;
    void *rules;
    char *name; /* lr_info.scenario points here */
    lr_info info;
};

/* Makes a game of a ruleset that is not in the built-in list (tests do this). As lr_game_open. */
int lr_game_make(const struct lr_ruleset *ruleset, const char *name, const char *text, size_t length,
                 const char *folder, lr_game **game, lr_error *error);

/* Fills `error` (may be NULL) with a formatted sentence and returns `code`. */
int lr_fail(lr_error *error, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Reads a whole file of at most `most` bytes; *text is malloc'ed and terminated. Errors: NOT_FOUND, IO,
 * MEMORY, ARGUMENT (too large). */
int lr_file_read(const char *path, size_t most, char **text, size_t *length, lr_error *error);

#endif
