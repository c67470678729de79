/* player.h: someone who sits at a table: an agent of ours, a person, or a program in any language.
 *
 * lr_chooser (env/longroll.h) is a pure function, fit for batches and self-play. A *player* may also have a process, a
 * connection or a terminal behind it, is told of every action and die, has a clock, and can fail: its faults are results
 * of the game, not of the call. Tournaments and `longroll play` seat players. A player belongs to one thread at a time
 * and plays one game after another.
 *
 * A player is opened from a *spec*: "random", "greedy", "mcts:simulations=2000,rollout=random", "expectimax:depth=2",
 * "human", "exec:COMMAND", "tcp:HOST:PORT"; `longroll list` says all of them with their options. */
#ifndef PLAYER_H
#define PLAYER_H

#include "env/longroll.h"

/* What a game's clock allows. Wall-clock limits; 0: no limit. Nodes are a promise that the player is asked to keep. */
struct clock_rules {
    int64_t move_us, game_us, increment_us; /* a decision; all a player's decisions together; added after each */
    int64_t margin_us;                      /* forgiven before a flag falls */
    uint64_t nodes;                         /* handed to the player as a limit for each decision */
};

/* How a game ended. All but GAME_PLAYED and GAME_STOPPED are lost by the player at fault. */
enum game_end {
    GAME_PLAYED,   /* by the rules */
    GAME_NO_START, /* the player could not be started or did not answer the greeting */
    GAME_CRASH,    /* its process or connection ended, or it closed its pipe */
    GAME_TIMEOUT,  /* its clock ran out */
    GAME_ILLEGAL,  /* it answered with an action that is not legal */
    GAME_GARBAGE,  /* it answered with something that is no answer, or too long */
    GAME_STOPPED   /* asked to stop from outside: no result */
};
const char *game_end_name(int end); /* "played", "no-start", ... */

struct player;

/* Opens a player by its spec. A program is not started before its first game. Errors: NOT_FOUND (no agent of that name:
 * the sentence lists them), ARGUMENT (an option that it does not have or a value out of range), MEMORY. */
int player_open(const char *spec, struct player **player, lr_error *error);
void player_close(
    struct player *player); /* ends its process, if any, and everything that it started; NULL is allowed */
const char *player_spec(const struct player *player); /* in one normal form; valid until closed */

struct table {           /* the game that is about to begin */
    const lr_game *game; /* outlives the game */
    uint64_t seed;
    uint32_t episode;
    int side; /* the player's: LR_UNION or LR_CONFEDERATE */
    struct clock_rules clock;
};

/* The calls of a game, in order: begin, then choose or told for each action in turn, then finish. Each returns enum game_end:
 * GAME_PLAYED when all is well; otherwise error->text says what was wrong, in one line that names the player. */
int player_begin(struct player *player, const struct table *table, lr_error *error);

/* `left_us`: what is left on this player's game clock (INT64_MAX: no limit). *action gets a legal action. Returns within
 * the move's limit and margin, whatever the program does. */
int player_choose(struct player *player, const lr_state *state, const uint16_t *legal, int count, uint64_t stream,
                  int64_t left_us, int *action, lr_error *error);

/* An action or outcome was played, by anyone, this player's own included. */
int player_told(struct player *player, int action, lr_error *error);
void player_finish(struct player *player, const lr_state *last); /* the game is over or broken off */

/* ---- A game between two players (table.c) ---- */

struct game_result {
    int end;      /* enum game_end */
    int at_fault; /* the player who lost by it; LR_NOBODY where end is GAME_PLAYED or GAME_STOPPED */
    int winner;   /* LR_UNION, LR_CONFEDERATE; LR_NOBODY: a draw, or stopped */
    int score;    /* lr_score where it ended */
    uint32_t decisions, dice;
    uint64_t hash;         /* as match_result.hash: over all actions, outcomes and the last state */
    int64_t thought_us[2]; /* wall clock in each player's decisions */
    char reason[160];      /* lr_end_reason, or what the player at fault did */
};

/* Plays one game; the dice are those of (seed, episode) and agents of ours draw from lr_agent_stream, so that between two
 * choosers it is the game that match_play plays. `record` (NULL: none) gets every action. `stop` (NULL: never) is looked at
 * between decisions. A player's fault is a result; errors are only MEMORY and those of lr_replay_add. */
struct game_terms {
    const lr_game *game;
    struct player *players[2];
    struct clock_rules clock;
    uint64_t seed;
    uint32_t episode;
    lr_replay *record;
    const volatile int *stop;
};
int table_play(const struct game_terms *terms, struct game_result *result, lr_error *error);

#endif
