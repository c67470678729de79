/* game.c: the public calls on games and states. Each is the ruleset's function of that name, reached through the
 * table in game.h; what a ruleset need not know about (is it legal, which action has that text) is done here. */
#include "game.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

/* ---- Games ---- */

int lr_game_make(const struct lr_ruleset *ruleset, const char *name, const char *text, size_t length,
                 const char *folder, lr_game **game, lr_error *error) {
    assert(ruleset->actions <= LR_MAX_ACTIONS && ruleset->state_bytes % 8 == 0);
    lr_game *made = calloc(1, sizeof *made);
    char *copy = strdup(name);
    if (!made || !copy) {
        free(made);
        free(copy);
        return lr_fail(error, LR_E_MEMORY, "no memory to open %s", name);
    }
    made->ruleset = ruleset;
    made->name = copy;
    made->info = (lr_info){
        .ruleset = ruleset->name,
        .ruleset_version = ruleset->version,
        .scenario = copy,
        .title = "",
        .state_bytes = ruleset->state_bytes,
        .actions = ruleset->actions,
        .mask_bytes = (ruleset->actions + 7) / 8,
        .hidden = ruleset->hidden,
        .piece_rows = ruleset->piece_rows,
        .piece_columns = ruleset->piece_columns,
        .global_columns = ruleset->global_columns,
        .piece_spec = ruleset->piece_spec,
        .global_spec = ruleset->global_spec,
    };
    const int code = ruleset->open(text, length, folder, &made->rules, &made->info, error);
    if (code) {
        free(copy);
        free(made);
        return code;
    }
    *game = made;
    return LR_OK;
}

void lr_game_close(lr_game *game) {
    if (!game) return;
    game->ruleset->close(game->rules);
    free(game->name);
    free(game);
}

const lr_info *lr_game_info(const lr_game *game) { return &game->info; }

/* ---- States ---- */

void lr_start(const lr_game *game, lr_state *state) { game->ruleset->start(game->rules, state); }

int lr_to_move(const lr_game *game, const lr_state *state) { return game->ruleset->to_move(game->rules, state); }

const char *lr_decision(const lr_game *game, const lr_state *state) {
    return game->ruleset->decision(game->rules, state);
}

int lr_legal(const lr_game *game, const lr_state *state, uint16_t *legal) {
    return game->ruleset->legal(game->rules, state, legal);
}

void lr_mask(const lr_game *game, const lr_state *state, uint8_t *mask) {
    game->ruleset->mask(game->rules, state, mask);
}

bool lr_is_legal(const lr_game *game, const lr_state *state, int action) {
    if (action < 0 || action >= game->info.actions) return false;
    uint8_t mask[LR_MAX_ACTIONS / 8];
    game->ruleset->mask(game->rules, state, mask);
    return mask[action / 8] >> (action % 8) & 1;
}

static int illegal(const lr_game *game, const lr_state *state, int action, lr_error *error) {
    if (!error) return LR_E_ILLEGAL; /* nobody reads the sentence */
    uint16_t legal[LR_MAX_ACTIONS];
    const int count = lr_legal(game, state, legal);
    if (action < 0 || action >= game->info.actions)
        return lr_fail(error, LR_E_ILLEGAL, "action %d does not exist: ids run from 0 to %d (%d legal now, at %s)",
                       action, game->info.actions - 1, count, lr_decision(game, state));
    char text[LR_MAX_TEXT];
    return lr_fail(error, LR_E_ILLEGAL, "action %d, \"%s\", is not legal here: it is not among the %d at %s", action,
                   lr_action_text(game, state, action, text), count, lr_decision(game, state));
}

int lr_apply(const lr_game *game, lr_state *state, int action, lr_error *error) {
    if (lr_to_move(game, state) == LR_NOBODY)
        return lr_fail(error, LR_E_OVER, "the game is over (%s): action %d cannot be played",
                       lr_end_reason(game, state), action);
    if (!lr_is_legal(game, state, action)) return illegal(game, state, action, error);
    lr_apply_legal(game, state, action);
    return LR_OK;
}

#ifdef LONGROLL_AUDIT
/* A state that breaks its invariants is a fault of the rules code: stop where it arose. */
static void audit(const lr_game *game, const lr_state *state, int action) {
    lr_error error;
    if (!game->ruleset->check(game->rules, state, &error)) return;
    fprintf(stderr, "longroll: action %d left a broken state: %s\n", action, error.text);
    abort();
}
#else
static inline void audit(const lr_game *game, const lr_state *state, int action) {
    (void)game, (void)state, (void)action;
}
#endif

void lr_apply_legal(const lr_game *game, lr_state *state, int action) {
    assert(lr_is_legal(game, state, action));
    game->ruleset->apply(game->rules, state, action);
    audit(game, state, action);
}

void lr_returns(const lr_game *game, const lr_state *state, float returns[2]) {
    game->ruleset->returns(game->rules, state, returns);
}

int lr_score(const lr_game *game, const lr_state *state) { return game->ruleset->score(game->rules, state); }

const char *lr_end_reason(const lr_game *game, const lr_state *state) {
    return game->ruleset->end_reason(game->rules, state);
}

int lr_evaluate(const lr_game *game, const lr_state *state) { return game->ruleset->evaluate(game->rules, state); }

void lr_appraise(const lr_game *game, const lr_state *state, const uint16_t *legal, int count, int32_t *appraisals) {
    game->ruleset->appraise(game->rules, state, legal, count, appraisals);
}

uint64_t lr_hash(const lr_game *game, const lr_state *state) {
    return XXH3_64bits(state, (size_t)game->info.state_bytes);
}

int lr_state_check(const lr_game *game, const lr_state *state, lr_error *error) {
    return game->ruleset->check(game->rules, state, error);
}

/* ---- Chance (lr_sample stands in dice.c) ---- */

int lr_outcomes(const lr_game *game, const lr_state *state, uint32_t *weights, uint32_t *total) {
    return game->ruleset->outcomes(game->rules, state, weights, total);
}

uint64_t lr_event(const lr_game *game, const lr_state *state) { return game->ruleset->event(game->rules, state); }

/* ---- Texts ---- */

char *lr_action_text(const lr_game *game, const lr_state *state, int action, char text[LR_MAX_TEXT]) {
    if (action >= 0 && action < game->info.actions) return game->ruleset->action_text(game->rules, state, action, text);
    snprintf(text, LR_MAX_TEXT, "?%d", action);
    return text;
}

/* The id that a text of digits states, else -1. */
static int plain_number(const char *text) {
    int number = 0;
    for (const char *c = text; *c; c++) {
        if (*c < '0' || *c > '9' || number >= LR_MAX_ACTIONS) return -1;
        number = number * 10 + (*c - '0');
    }
    return *text ? number : -1;
}

static int no_such_text(const lr_game *game, const lr_state *state, const uint16_t *legal, int count, const char *text,
                        lr_error *error) {
    enum { SHOWN = 4 };
    char some[SHOWN * (LR_MAX_TEXT + 4)], one[LR_MAX_TEXT];
    struct lr_writer writer = {.text = some, .size = sizeof some};
    for (int i = 0; i < count && i < SHOWN; i++)
        lr_write(&writer, "%s\"%s\"", i ? ", " : "", lr_action_text(game, state, legal[i], one));
    if (count > SHOWN) lr_write(&writer, ", ...");
    return lr_fail(error, LR_E_TEXT, "\"%.*s\" is not one of the %d legal actions at %s: %s", LR_MAX_TEXT, text, count,
                   lr_decision(game, state), some);
}

int lr_action_parse(const lr_game *game, const lr_state *state, const char *text, lr_error *error) {
    uint16_t legal[LR_MAX_ACTIONS];
    const int count = lr_legal(game, state, legal);
    if (!count) return lr_fail(error, LR_E_OVER, "the game is over (%s)", lr_end_reason(game, state));

    while (isspace((unsigned char)*text)) text++;
    size_t length = strlen(text);
    while (length && isspace((unsigned char)text[length - 1])) length--;
    char asked[LR_MAX_TEXT], one[LR_MAX_TEXT];
    if (length >= sizeof asked) return no_such_text(game, state, legal, count, text, error);
    memcpy(asked, text, length);
    asked[length] = '\0';

    for (int i = 0; i < count; i++)
        if (!strcmp(asked, lr_action_text(game, state, legal[i], one))) return legal[i];
    const int number = plain_number(asked);
    if (number >= 0 && lr_is_legal(game, state, number)) return number;
    return no_such_text(game, state, legal, count, asked, error);
}

char *lr_heading(const lr_game *game, const lr_state *state, char text[LR_MAX_TEXT]) {
    return game->ruleset->heading(game->rules, state, text);
}

int lr_draw(const lr_game *game, const lr_state *state, bool color, char *text, size_t size) {
    return game->ruleset->draw(game->rules, state, color, text, size);
}

int lr_state_format(const lr_game *game, const lr_state *state, char *text, size_t size) {
    return game->ruleset->format(game->rules, state, game->name, text, size);
}

/* ---- Observations ---- */

void lr_observe(const lr_game *game, const lr_state *state, int player, uint8_t *pieces, int16_t *globals) {
    game->ruleset->observe(game->rules, state, player, pieces, globals);
}
