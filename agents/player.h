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
#include <stdatomic.h>
#include <stdio.h>

/* What a game's clock allows. Wall-clock limits; 0: no limit. Nodes are a promise that a program is asked to keep; agents
 * of ours take their limits from their specs, but the clock's flag falls for them as for anyone. */
struct clock_rules {
    int64_t move_us, game_us, increment_us; /* a decision; all a player's decisions together; added after each */
    int64_t margin_us;                      /* forgiven before a flag falls */
    int64_t start_us; /* for a program to start and to say that it is ready for the game; 0: START_US */
    uint64_t nodes;   /* handed to the player as a limit for each decision */
};
enum { START_US = 10 * 1000 * 1000 };

/* How a game ended. All but GAME_PLAYED and GAME_STOPPED are lost by the player at fault. */
enum game_end {
    GAME_PLAYED,   /* by the rules */
    GAME_NO_START, /* the player could not be started or did not get ready for the game, or is a program and the game has
                      hidden information, which the line protocol cannot keep */
    GAME_CRASH,    /* its process or connection ended, or it closed its pipe */
    GAME_TIMEOUT,  /* its clock ran out */
    GAME_ILLEGAL,  /* it answered with an action that is not legal */
    GAME_GARBAGE,  /* it answered with something that is no answer, too much, or that it gives up */
    GAME_STOPPED   /* asked to stop from outside, or by the person at the terminal: no result */
};
const char *game_end_name(int end); /* "played", "no-start", "crash", "timeout", "illegal", "garbage", "stopped" */

struct player;

enum { SPEC_MOST = 1000 }; /* bytes of a spec */

/* Opens a player by its spec. A program is not started before its first game. Errors: NOT_FOUND (no agent of that name:
 * the sentence lists them), ARGUMENT (an option that it does not have or a value out of range), MEMORY. */
int player_open(const char *spec, struct player **player, lr_error *error);

/* Ends the player's process, if any, and everything that it started. NULL is allowed. */
void player_close(struct player *player);
const char *player_spec(const struct player *player); /* in one normal form; valid until closed */

/* What a program calls itself, with its version; the spec for others and before its first game. Valid until closed. */
const char *player_name(const struct player *player);

/* Kinds of players beside the agents, for people: `index` from 0; NULL from their number on. */
struct player_form {
    const char *spec, *about; /* "exec:COMMAND", a line for people */
};
const struct player_form *player_form_at(int index);

struct table {           /* the game that is about to begin */
    const lr_game *game; /* outlives the game */
    uint64_t seed;
    uint32_t episode;
    int side; /* the player's: LR_UNION or LR_CONFEDERATE */
    struct clock_rules clock;
    const atomic_int *stop; /* not 0: waits end soon, with GAME_STOPPED; NULL: never */
    FILE *log; /* gets what a program says on stderr, by lines that name it, LOG_MOST bytes a game; NULL: nobody */
};
enum { LOG_MOST = 64 * 1024 };

struct game_result;

/* The calls of a game, in order: begin, then choose or told for each action in turn, then finish. Each returns enum game_end:
 * GAME_PLAYED when all is well; otherwise error->text says what was wrong, in one line that names the player.
 * After a fault only finish and close may follow. */
int player_begin(struct player *player, const struct table *table, lr_error *error);

/* `left_us`: what is left on this player's game clock (INT64_MAX: no limit). *action gets a legal action. A program or a
 * person who is late gets GAME_TIMEOUT at the limit plus the margin. An agent of ours cannot be interrupted: who calls
 * looks at the clock afterwards, as table_play does. */
int player_choose(struct player *player, const lr_state *state, const uint16_t *legal, int count, uint64_t stream,
                  int64_t left_us, int *action, lr_error *error);

/* An action or outcome is being played in the state `before`, by anyone, this player's own included. Never waits. */
int player_told(struct player *player, const lr_state *before, int action, lr_error *error);

/* The game is over or broken off. A program that was at fault, or does not take note within a second, is ended here. */
void player_finish(struct player *player, const struct game_result *result);

/* ---- A game between two players (table.c) ---- */

struct game_result {
    int end;      /* enum game_end */
    int at_fault; /* the player who lost by it; LR_NOBODY where end is GAME_PLAYED or GAME_STOPPED */
    int winner;   /* LR_UNION, LR_CONFEDERATE; LR_NOBODY: a draw, or stopped */
    int score;    /* lr_score where it ended */
    uint32_t decisions, dice;
    uint32_t length; /* actions and outcomes that were applied: decisions + dice, or 1 fewer where a player at fault
                              was being told of the last */
    uint64_t legal;  /* as match_result.legal */
    uint64_t hash;   /* as match_result.hash: over all actions, outcomes and the last state */
    int64_t thought_us[2]; /* wall clock in each player's decisions */
    char reason[320];      /* lr_end_reason, or what the player at fault did */
};

struct game_terms {
    const lr_game *game;
    struct player *players[2]; /* two different ones */
    struct clock_rules clock;
    uint64_t seed;
    uint32_t episode;
    lr_replay *record; /* NULL: none; else gets every action */
    uint16_t *actions; /* NULL: no; else the bare actions, game_result.length of them: room for lr_info.max_decisions */
    const atomic_int *stop; /* NULL: never; else not 0 ends the game before its next decision, or while a program or a
                               person is waited for */
    FILE *log;              /* as table.log */
};

/* Plays one game; the dice are those of (seed, episode) and agents of ours draw from lr_agent_stream, so that between two
 * choosers it is the game that match_play plays. A player's fault is a result. Errors: MEMORY, and those of lr_replay_add. */
int table_play(const struct game_terms *terms, struct game_result *result, lr_error *error);

#endif
