/* seat.h: what a kind of player brings along: a row of functions, and a struct of its own. player.c calls them; the kinds
 * are agents (player.c), people (human.c) and programs (bot.c). */
#ifndef SEAT_H
#define SEAT_H

#include "agents/player.h"

/* The functions are those of player.h, with what `open` made for itself in place of the player. A fault is told by
 * lr_fail's sentence without the player's name, which player.c puts before it. */
struct player_kind {
    struct player_form form;
    /* `rest`: the spec after the kind's name. Errors: those of player_open. */
    int (*open)(const char *rest, void **self, lr_error *error);
    void (*close)(void *self);
    const char *(*name)(const void *self); /* NULL: it has none but its spec */
    int (*begin)(void *self, const struct table *table, lr_error *error);
    int (*choose)(void *self, const lr_state *state, const uint16_t *legal, int count, uint64_t stream, int64_t left_us,
                  int *action, lr_error *error);
    int (*told)(void *self, const lr_state *before, int action, lr_error *error);
    void (*finish)(void *self, const struct game_result *result);
    bool sees_all; /* it is shown more than a player of a game with hidden information may know */
};

extern const struct player_kind player_human, player_exec, player_tcp;

/* A clock that only goes forward, in microseconds. */
int64_t clock_us(void);

/* When a decision that begins now must be made, margin included; INT64_MAX: whenever. */
int64_t clock_deadline(const struct clock_rules *rules, int64_t left_us);

#endif
