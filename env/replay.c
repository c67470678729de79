/* replay.c: games as scenario + seed + actions, and their text (REPLAY.md).
 *
 * A replay in memory is the list of its actions and the state after them; headings, texts and hashes are made by
 * playing it again. Its text may come from anyone, so reading trusts nothing: every action is parsed among the legal
 * ones, every die drawn again where dice are keyed, and every statement of the file is compared with the game. */
#include "game.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

enum {
    FORMAT_VERSION = 1,
    MOST_VALUE = 255, /* bytes of a tag's value; longer agent names are cut */
    LINE_WIDTH = 100  /* action lines are broken after this */
};

struct lr_replay {
    const lr_game *game;
    uint64_t seed;
    uint32_t episode;
    char agents[2][MOST_VALUE + 1];
    bool keyed; /* every die so far is what lr_sample draws for this seed and episode */
    int length, room;
    uint16_t *actions;
    lr_state *state, *again; /* after the last action; for playing the game again */
};

/* ---- In memory ---- */

int lr_replay_new(const lr_game *game, uint64_t seed, uint32_t episode, const char *union_agent,
                  const char *confederate_agent, lr_replay **replay, lr_error *error) {
    const size_t state_bytes = (size_t)game->info.state_bytes;
    lr_replay *made = calloc(1, sizeof *made);
    if (made) made->state = calloc(2, state_bytes);
    if (!made || !made->state) {
        lr_replay_free(made);
        return lr_fail(error, LR_E_MEMORY, "no memory for a replay");
    }
    made->game = game;
    made->seed = seed;
    made->episode = episode;
    made->keyed = true;
    made->again = (lr_state *)(void *)((uint8_t *)made->state + state_bytes);
    snprintf(made->agents[LR_UNION], sizeof made->agents[0], "%s", union_agent ? union_agent : "");
    snprintf(made->agents[LR_CONFEDERATE], sizeof made->agents[0], "%s", confederate_agent ? confederate_agent : "");
    lr_start(game, made->state);
    *replay = made;
    return LR_OK;
}

void lr_replay_free(lr_replay *replay) {
    if (!replay) return;
    free(replay->actions);
    free(replay->state);
    free(replay);
}

static int make_room(lr_replay *replay, lr_error *error) {
    if (replay->length < replay->room) return LR_OK;
    const int room = replay->room ? replay->room * 2 : 512;
    uint16_t *actions = realloc(replay->actions, (size_t)room * sizeof *actions);
    if (!actions) return lr_fail(error, LR_E_MEMORY, "no memory for %d actions of a replay", room);
    replay->actions = actions;
    replay->room = room;
    return LR_OK;
}

int lr_replay_add(lr_replay *replay, int action, lr_error *error) {
    int code = make_room(replay, error);
    if (code) return code;
    const bool chance = lr_to_move(replay->game, replay->state) == LR_CHANCE;
    const int drawn = chance ? lr_sample(replay->game, replay->state, replay->seed, replay->episode) : action;
    code = lr_apply(replay->game, replay->state, action, error);
    if (code) return code;
    if (drawn != action) replay->keyed = false;
    replay->actions[replay->length++] = (uint16_t)action;
    return LR_OK;
}

int lr_replay_length(const lr_replay *replay) { return replay->length; }
int lr_replay_action(const lr_replay *replay, int index) { return replay->actions[index]; }
const lr_state *lr_replay_state(const lr_replay *replay) { return replay->state; }
uint64_t lr_replay_seed(const lr_replay *replay) { return replay->seed; }
uint32_t lr_replay_episode(const lr_replay *replay) { return replay->episode; }
const char *lr_replay_agent(const lr_replay *replay, int player) { return replay->agents[player]; }

uint64_t lr_replay_hash(const lr_replay *replay) {
    const uint64_t actions = XXH3_64bits(replay->actions, (size_t)replay->length * sizeof *replay->actions);
    return XXH3_64bits_withSeed(replay->state, (size_t)replay->game->info.state_bytes, actions);
}

/* ---- What the tags say ---- */

enum tag {
    TAG_FORMAT,
    TAG_ENGINE,
    TAG_RULESET,
    TAG_SCENARIO,
    TAG_SCENARIO_HASH,
    TAG_SEED,
    TAG_EPISODE,
    TAG_UNION,
    TAG_CONFEDERATE,
    TAG_DICE,
    TAG_RESULT,
    TAG_SCORE,
    TAG_REASON,
    TAGS
};

static const char *const tag_names[TAGS] = {"Longroll", "Engine",  "Ruleset", "Scenario",    "ScenarioHash",
                                            "Seed",     "Episode", "Union",   "Confederate", "Dice",
                                            "Result",   "Score",   "Reason"};

static const char *result_of(const lr_game *game, const lr_state *state) {
    if (lr_to_move(game, state) != LR_NOBODY) return "*";
    float returns[2];
    lr_returns(game, state, returns);
    return returns[LR_UNION] > 0 ? "1-0" : returns[LR_UNION] < 0 ? "0-1" : "1/2-1/2";
}

/* Writes what the tag of a replay must say. */
static void tag_value(const lr_replay *replay, enum tag tag, char value[MOST_VALUE + 1]) {
    const lr_info *info = &replay->game->info;
    const size_t size = MOST_VALUE + 1;
    switch (tag) {
    case TAG_FORMAT: snprintf(value, size, "%d", FORMAT_VERSION); return;
    case TAG_ENGINE: snprintf(value, size, "%s", LR_VERSION); return;
    case TAG_RULESET: snprintf(value, size, "%s %d", info->ruleset, info->ruleset_version); return;
    case TAG_SCENARIO: snprintf(value, size, "%s", info->scenario); return;
    case TAG_SCENARIO_HASH: snprintf(value, size, "%016" PRIX64, info->scenario_hash); return;
    case TAG_SEED: snprintf(value, size, "%" PRIu64, replay->seed); return;
    case TAG_EPISODE: snprintf(value, size, "%" PRIu32, replay->episode); return;
    case TAG_UNION: snprintf(value, size, "%s", replay->agents[LR_UNION]); return;
    case TAG_CONFEDERATE: snprintf(value, size, "%s", replay->agents[LR_CONFEDERATE]); return;
    case TAG_DICE: snprintf(value, size, "%s", replay->keyed ? "keyed" : "given"); return;
    case TAG_RESULT: snprintf(value, size, "%s", result_of(replay->game, replay->state)); return;
    case TAG_SCORE: snprintf(value, size, "%d", lr_score(replay->game, replay->state)); return;
    case TAG_REASON: snprintf(value, size, "%s", lr_end_reason(replay->game, replay->state)); return;
    case TAGS: break;
    }
    value[0] = '\0';
}

/* ---- Writing ---- */

static void write_tag(struct lr_writer *writer, const char *name, const char *value) {
    lr_write(writer, "[%s \"", name);
    for (const char *c = value; *c; c++) {
        const bool control = (unsigned char)*c < ' ' || *c == 127;
        lr_write(writer, "%s%c", *c == '"' || *c == '\\' ? "\\" : "", control ? '?' : *c);
    }
    lr_write(writer, "\"]\n");
}

/* The action's text, or its id where the text would not survive between semicolons. */
static void replay_text(const lr_game *game, const lr_state *state, int action, char text[LR_MAX_TEXT]) {
    lr_action_text(game, state, action, text);
    const size_t length = strlen(text);
    const bool plain = length && text[0] != '#' && text[0] != '[' && text[0] != ' ' && text[length - 1] != ' ' &&
                       !strpbrk(text, ";\n\r\t");
    if (!plain) snprintf(text, LR_MAX_TEXT, "%d", action);
}

static void write_actions(const lr_replay *replay, struct lr_writer *writer) {
    const lr_game *game = replay->game;
    lr_state *state = replay->again;
    char heading[LR_MAX_TEXT] = "", now[LR_MAX_TEXT], text[LR_MAX_TEXT];
    size_t column = 0;
    lr_start(game, state);
    for (int i = 0; i < replay->length; i++) {
        lr_heading(game, state, now);
        if (i == 0 || strcmp(now, heading)) {
            memcpy(heading, now, sizeof heading);
            lr_write(writer, "%s\n# %s\nhash %016" PRIX64 "\n", column ? "\n" : "", heading, lr_hash(game, state));
            column = 0;
        }
        replay_text(game, state, replay->actions[i], text);
        const bool broken = column + strlen(text) > LINE_WIDTH;
        lr_write(writer, "%s%s", !column ? "" : broken ? "\n" : "; ", text);
        column = !column || broken ? strlen(text) : column + 2 + strlen(text);
        lr_apply_legal(game, state, replay->actions[i]);
    }
    if (column) lr_write(writer, "\n");
}

int lr_replay_format(const lr_replay *replay, char *text, size_t size) {
    struct lr_writer writer = {.text = text, .size = size};
    char value[MOST_VALUE + 1];
    for (int tag = 0; tag < TAGS; tag++) {
        tag_value(replay, (enum tag)tag, value);
        write_tag(&writer, tag_names[tag], value);
    }
    write_actions(replay, &writer);
    lr_write(&writer, "\nend %d %016" PRIX64 "\n", replay->length, lr_replay_hash(replay));
    return (int)writer.length;
}

/* ---- Reading: lines, numbers, tags ---- */

struct line {
    const char *start;
    size_t length;
};

struct reader {
    const char *text, *end;
    int number; /* of the line read last */
    struct line line;
    lr_error *error;
    char values[TAGS][MOST_VALUE + 1];
    int lines[TAGS]; /* where each tag stands, 0 while it is missing */
};

/* The next line that is not blank. 1, 0 at the end, or an error: a line without its end was cut. */
static int next_line(struct reader *reader) {
    while (reader->text < reader->end) {
        const char *start = reader->text;
        const char *newline = memchr(start, '\n', (size_t)(reader->end - start));
        reader->number++;
        if (!newline)
            return lr_fail(reader->error, LR_E_REPLAY, "line %d: the replay is cut short here", reader->number);
        reader->text = newline + 1;
        reader->line = (struct line){start, (size_t)(newline - start)};
        for (const char *c = start; c < newline; c++)
            if ((unsigned char)*c < ' ' || *c == 127)
                return lr_fail(reader->error, LR_E_REPLAY, "line %d: column %d holds a control character",
                               reader->number, (int)(c - start) + 1);
        if (reader->line.length) return 1;
    }
    return 0;
}

static bool begins(struct line line, const char *with) {
    const size_t length = strlen(with);
    return line.length >= length && !memcmp(line.start, with, length);
}

static struct line after(struct line line, size_t count) {
    return (struct line){line.start + count, line.length - count};
}

/* Exactly a decimal number of at most `most`, without a sign or leading zeros. */
static bool decimal(struct line text, uint64_t most, uint64_t *number) {
    if (!text.length || (text.start[0] == '0' && text.length > 1)) return false;
    uint64_t sum = 0;
    for (size_t i = 0; i < text.length; i++) {
        if (text.start[i] < '0' || text.start[i] > '9') return false;
        const uint64_t digit = (uint64_t)(text.start[i] - '0');
        if (sum > (most - digit) / 10) return false;
        sum = sum * 10 + digit;
    }
    *number = sum;
    return true;
}

/* Exactly sixteen digits, capitals. */
static bool hexadecimal(struct line text, uint64_t *number) {
    static const char digits[16] = {'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F'};
    if (text.length != 16) return false;
    uint64_t sum = 0;
    for (size_t i = 0; i < 16; i++) {
        const char *digit = memchr(digits, text.start[i], sizeof digits);
        if (!digit) return false;
        sum = sum << 4 | (uint64_t)(digit - digits);
    }
    *number = sum;
    return true;
}

static int bad_tag(struct reader *reader) {
    return lr_fail(reader->error, LR_E_REPLAY, "line %d: not a tag of the form [Name \"value\"]", reader->number);
}

/* Takes the value out of its quotes; what follows must be the closing bracket. */
static int read_value(struct reader *reader, struct line rest, char value[MOST_VALUE + 1]) {
    size_t length = 0, i = 0;
    for (; i < rest.length && rest.start[i] != '"'; i++) {
        if (rest.start[i] == '\\') i++;
        if (i >= rest.length) return bad_tag(reader);
        if (length == MOST_VALUE)
            return lr_fail(reader->error, LR_E_REPLAY, "line %d: the value has more than %d bytes", reader->number,
                           MOST_VALUE);
        value[length++] = rest.start[i];
    }
    value[length] = '\0';
    return rest.length - i == 2 && rest.start[i + 1] == ']' ? LR_OK : bad_tag(reader);
}

static int read_tag(struct reader *reader) {
    const struct line line = after(reader->line, 1);
    const char *space = memchr(line.start, ' ', line.length);
    if (!space) return bad_tag(reader);
    const struct line name = {line.start, (size_t)(space - line.start)};
    struct line rest = after(line, name.length + 1);
    if (!begins(rest, "\"")) return bad_tag(reader);
    char value[MOST_VALUE + 1];
    const int code = read_value(reader, after(rest, 1), value);
    if (code) return code;
    for (int tag = 0; tag < TAGS; tag++) {
        if (name.length != strlen(tag_names[tag]) || !begins(name, tag_names[tag])) continue;
        if (reader->lines[tag])
            return lr_fail(reader->error, LR_E_REPLAY, "line %d: a second %s tag", reader->number, tag_names[tag]);
        memcpy(reader->values[tag], value, sizeof value);
        reader->lines[tag] = reader->number;
    }
    return LR_OK; /* tags of other names are for their readers */
}

/* Reads all tags; the reader then stands on the first line after them. */
static int read_tags(struct reader *reader) {
    int got = next_line(reader);
    if (got < 0) return got;
    if (!got || !begins(reader->line, "[Longroll "))
        return lr_fail(reader->error, LR_E_REPLAY,
                       "line 1: this is not a Longroll replay, which begins with [Longroll \"%d\"]", FORMAT_VERSION);
    while (got == 1 && begins(reader->line, "[")) {
        const int code = read_tag(reader);
        if (code) return code;
        got = next_line(reader);
    }
    if (got < 0) return got;
    for (int tag = 0; tag < TAGS; tag++)
        if (!reader->lines[tag])
            return lr_fail(reader->error, LR_E_REPLAY, "line %d: the tags end without %s", reader->number,
                           tag_names[tag]);
    if (!got)
        return lr_fail(reader->error, LR_E_REPLAY, "line %d: the replay is cut short after the tags", reader->number);
    return LR_OK;
}

static struct line value_of(const struct reader *reader, enum tag tag) {
    return (struct line){reader->values[tag], strlen(reader->values[tag])};
}

/* ---- Reading: the game ---- */

/* Compares a tag with what the replay as played says. */
static int agree(const struct reader *reader, const lr_replay *replay, enum tag tag) {
    char value[MOST_VALUE + 1];
    tag_value(replay, tag, value);
    if (!strcmp(value, reader->values[tag])) return LR_OK;
    return lr_fail(reader->error, LR_E_REPLAY, "line %d: %s is \"%s\" in the replay, but \"%s\" here",
                   reader->lines[tag], tag_names[tag], reader->values[tag], value);
}

static int new_from_tags(const struct reader *reader, const lr_game *game, lr_replay **replay) {
    uint64_t seed, episode;
    if (!decimal(value_of(reader, TAG_SEED), UINT64_MAX, &seed))
        return lr_fail(reader->error, LR_E_REPLAY, "line %d: Seed is not a number below 2^64", reader->lines[TAG_SEED]);
    if (!decimal(value_of(reader, TAG_EPISODE), UINT32_MAX, &episode))
        return lr_fail(reader->error, LR_E_REPLAY, "line %d: Episode is not a number below 2^32",
                       reader->lines[TAG_EPISODE]);
    return lr_replay_new(game, seed, (uint32_t)episode, reader->values[TAG_UNION], reader->values[TAG_CONFEDERATE],
                         replay, reader->error);
}

static int add_action(struct reader *reader, lr_replay *replay, struct line text) {
    lr_error why;
    char copy[LR_MAX_TEXT];
    if (text.length >= sizeof copy)
        return lr_fail(reader->error, LR_E_REPLAY, "line %d: an action of more than %d bytes", reader->number,
                       LR_MAX_TEXT - 1);
    memcpy(copy, text.start, text.length);
    copy[text.length] = '\0';
    const int action = lr_action_parse(replay->game, replay->state, copy, &why);
    int code = action < 0 ? action : lr_replay_add(replay, action, &why);
    if (code == LR_E_MEMORY) return lr_fail(reader->error, code, "%s", why.text);
    if (code) return lr_fail(reader->error, LR_E_REPLAY, "line %d: %s", reader->number, why.text);
    if (!replay->keyed && !strcmp(reader->values[TAG_DICE], "keyed"))
        return lr_fail(reader->error, LR_E_REPLAY, "line %d: \"%s\" is not the outcome that the seed gives here",
                       reader->number, copy);
    return LR_OK;
}

/* Actions stand under the heading of their moment, so that a lost line cannot go unseen. */
static int read_actions(struct reader *reader, lr_replay *replay, const char heading[LR_MAX_TEXT]) {
    struct line rest = reader->line;
    for (;;) {
        char now[LR_MAX_TEXT];
        if (strcmp(lr_heading(replay->game, replay->state, now), heading))
            return lr_fail(reader->error, LR_E_REPLAY, "line %d: the heading \"# %s\" is missing before this action",
                           reader->number, now);
        const char *semicolon = memchr(rest.start, ';', rest.length);
        const size_t length = semicolon ? (size_t)(semicolon - rest.start) : rest.length;
        const int code = add_action(reader, replay, (struct line){rest.start, length});
        if (code || !semicolon) return code;
        rest = after(rest, length + 1);
    }
}

static int read_heading(const struct reader *reader, const lr_replay *replay, char heading[LR_MAX_TEXT]) {
    lr_heading(replay->game, replay->state, heading);
    const struct line said = after(reader->line, 2);
    if (said.length == strlen(heading) && !memcmp(said.start, heading, said.length)) return LR_OK;
    return lr_fail(reader->error, LR_E_REPLAY, "line %d: the replay says \"%.*s\", the game is at \"%s\"",
                   reader->number, (int)(said.length < LR_MAX_TEXT ? said.length : LR_MAX_TEXT), said.start, heading);
}

static int check_hash(const struct reader *reader, const lr_replay *replay, uint64_t hash) {
    const uint64_t own = lr_hash(replay->game, replay->state);
    if (hash == own) return LR_OK;
    return lr_fail(reader->error, LR_E_REPLAY,
                   "line %d: the state's hash is %016" PRIX64 ", the replay says %016" PRIX64, reader->number, own,
                   hash);
}

/* "end COUNT HASH"; an action may begin with "end" too. */
static bool end_line(struct line line, uint64_t *count, uint64_t *hash) {
    if (!begins(line, "end ")) return false;
    line = after(line, 4);
    const char *space = memchr(line.start, ' ', line.length);
    if (!space) return false;
    const size_t length = (size_t)(space - line.start);
    return decimal((struct line){line.start, length}, INT32_MAX, count) && hexadecimal(after(line, length + 1), hash);
}

static int read_end(struct reader *reader, const lr_replay *replay, uint64_t count, uint64_t hash) {
    if (count != (uint64_t)replay->length)
        return lr_fail(reader->error, LR_E_REPLAY, "line %d: %d actions were read, but %" PRIu64 " written",
                       reader->number, replay->length, count);
    const uint64_t own = lr_replay_hash(replay);
    if (hash != own)
        return lr_fail(reader->error, LR_E_REPLAY,
                       "line %d: the game's hash is %016" PRIX64 ", the replay says %016" PRIX64, reader->number, own,
                       hash);
    const int got = next_line(reader);
    if (got < 0) return got;
    if (got) return lr_fail(reader->error, LR_E_REPLAY, "line %d: more text after the end", reader->number);
    static const enum tag last[] = {TAG_DICE, TAG_RESULT, TAG_SCORE, TAG_REASON};
    for (size_t i = 0; i < sizeof last / sizeof last[0]; i++) {
        const int code = agree(reader, replay, last[i]);
        if (code) return code;
    }
    return LR_OK;
}

static int read_body(struct reader *reader, lr_replay *replay) {
    char heading[LR_MAX_TEXT] = "";
    for (int got = 1; got == 1; got = next_line(reader)) {
        uint64_t count, hash;
        if (end_line(reader->line, &count, &hash)) return read_end(reader, replay, count, hash);
        int code;
        if (begins(reader->line, "# "))
            code = read_heading(reader, replay, heading);
        else if (begins(reader->line, "hash ") && hexadecimal(after(reader->line, 5), &hash))
            code = check_hash(reader, replay, hash);
        else
            code = read_actions(reader, replay, heading);
        if (code) return code;
    }
    return lr_fail(reader->error, LR_E_REPLAY, "line %d: the replay is cut short: it has no end line", reader->number);
}

/* Reads the body as a game of the scenario that is open now. */
static int read_game(struct reader *reader, const lr_game *game, lr_replay **replay) {
    lr_replay *made = NULL;
    int code = new_from_tags(reader, game, &made);
    if (code) return code;
    assert(made);
    code = agree(reader, made, TAG_RULESET);
    if (!code) code = agree(reader, made, TAG_SCENARIO_HASH);
    if (!code) code = read_body(reader, made);
    if (code)
        lr_replay_free(made);
    else
        *replay = made;
    return code;
}

int lr_replay_parse(const char *text, size_t length, lr_replay **replay, lr_game **game, lr_error *error) {
    struct reader *reader = calloc(1, sizeof *reader);
    if (!reader) return lr_fail(error, LR_E_MEMORY, "no memory to read a replay");
    *reader = (struct reader){.text = text, .end = text + length, .error = error};
    lr_game *opened = NULL;
    int code = read_tags(reader);
    if (!code && strcmp(reader->values[TAG_FORMAT], "1"))
        code = lr_fail(error, LR_E_REPLAY, "line %d: format \"%s\" is not the one known here, %d",
                       reader->lines[TAG_FORMAT], reader->values[TAG_FORMAT], FORMAT_VERSION);
    if (!code) code = lr_game_open(reader->values[TAG_SCENARIO], &opened, error);
    if (!code) code = read_game(reader, opened, replay);
    free(reader);
    if (code)
        lr_game_close(opened);
    else
        *game = opened;
    return code;
}
