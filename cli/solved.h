/* solved.h: files of solved positions: decisions with the exact value of every action.
 *
 * A file is one JSON object:
 *
 *     longroll           1, the version of this format
 *     scenario, ruleset, ruleset_version, scenario_hash     the game: values hold for no other
 *     root               a state file's text, where it is not the scenario's first state
 *     states, value      how many states follow from the root (ended games not counted); what it is worth
 *     positions          a list, each with
 *         path           texts of the actions and outcomes from the root to the position
 *         heading, to_move, decision      where in the game it is, who decides what
 *         value          the position's value
 *         best           texts of all actions that are worth as much
 *         actions        text: value, of every legal action
 *
 * A value is the Union's expected return if from there on both play as well as can be: +1 won, 0 drawn, -1 lost. It
 * is exact: a fraction in lowest terms ("-1/18") or a whole number. */
#ifndef SOLVED_H
#define SOLVED_H

#include "agents/solve.h"
#include <jansson.h>

struct solved_position {
    lr_state *state;
    int mover, count;
    uint16_t *action;       /* as lr_legal gives them */
    struct fraction *value; /* of each */
    struct fraction best;
};

struct solved_file {
    lr_game *game;
    struct solved_position *position;
    int count;
};

/* Reads a file and plays every path; a file that is not of this form, of another version of its game, or whose actions
 * are not the legal ones is refused with a sentence. EXIT_DONE, or the exit code. solved_close frees. */
int solved_open(const char *path, struct solved_file *file);
void solved_close(struct solved_file *file);

/* What stands in the file above its positions; `root` NULL: the scenario's first state. The caller's to free. */
json_t *solved_head(const lr_game *game, const lr_state *root, uint64_t states, struct fraction value);

/* One position; `path`: an array of texts, which is taken over. */
json_t *solved_entry(const lr_game *game, const lr_state *state, const struct solved_state *solved, json_t *path);

/* Writes the head with its positions, one a line, whole or not at all. EXIT_DONE, or the exit code. */
int solved_write(const char *path, const json_t *head, const json_t *positions);

#endif
