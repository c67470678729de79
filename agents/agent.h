/* agent.h: who plays. The public face of this room.
 *
 * An *agent* is an lr_chooser (env/longroll.h) with a name to look it up by; a *match* is one game between
 * two agents; *self-play* is many matches under one root seed, on as many threads as wanted. Nothing here
 * knows a ruleset: agents see games through longroll.h only. Conventions are those of longroll.h. */
#ifndef AGENT_H
#define AGENT_H

#include "env/longroll.h"
#include <stdatomic.h>

/* ---- Agents (agents.c, one file each) ---------------------------------------------------------- */

/* An agent is opened from a *spec*: its name, and options if it has any: "greedy", "mcts:simulations=500,rollout=random".
 * Options change fields of the agent's configuration. */
enum agent_option_kind { OPTION_U64, OPTION_U32, OPTION_INT, OPTION_THOUSANDTHS, OPTION_SECONDS, OPTION_WORD };

struct agent_option {
    const char *name;  /* NULL ends the list */
    const char *about; /* a few words for people, the unit among them */
    int kind;  /* enum agent_option_kind: a THOUSANDTHS is written as a decimal number and kept as an int; SECONDS
                          likewise, kept as uint64_t microseconds; a WORD is kept as an int, its index in `words` */
    size_t at; /* offset of the field */
    const char *const *words; /* NULL ends the list */
};

struct agent {
    lr_chooser chooser;                 /* without options it is what agent_open copies */
    const char *about;                  /* one line for people */
    const struct agent_option *options; /* NULL: none, and the rest below is not used */
    size_t config_bytes;
    void (*prepare)(void *config);                  /* before the options are read */
    int (*complete)(void *config, lr_error *error); /* after: checks, and fills in what depends on them */
    size_t (*scratch_bytes)(const void *config);    /* what such a chooser needs */
};

extern const struct agent agent_random; /* any legal action, all equally likely */
extern const struct agent agent_greedy; /* the action that the ruleset's habits think best (lr_appraise) */
extern const struct agent agent_mcts;   /* searches (search.h) */
extern const struct agent agent_expectimax;

/* Makes a chooser from a spec, to be closed when no batch or match uses it any more. Its name is the spec. Errors:
 * NOT_FOUND (no agent of that name: the sentence lists them), ARGUMENT (an option that the agent does not have: the
 * sentence lists those it has; a value out of range), MEMORY. */
int agent_open(const char *spec, lr_chooser **chooser, lr_error *error);
void agent_close(lr_chooser *chooser); /* NULL is allowed */

/* The known agents in the order in which they are listed; NULL from `index` = their number on. */
const struct agent *agent_at(int index);

/* What greedy chooses; `appraisals` has room for `count`. */
int greedy_choice(const lr_game *game, const lr_state *state, const uint16_t *legal, int count, int32_t *appraisals);

/* ---- Matches (match.c) ------------------------------------------------------------------------- */

struct match_result {
    uint64_t hash;      /* over all actions, outcomes and the final state */
    uint64_t legal;     /* legal actions, summed over the decisions: legal / decisions is the branching factor */
    const char *reason; /* lr_end_reason: a static string */
    uint32_t decisions; /* by either player; decisions with a single action are never asked */
    uint32_t dice;      /* chance nodes */
    int score;          /* lr_score at the end */
    int winner;         /* LR_UNION, LR_CONFEDERATE, or LR_NOBODY for a draw */
};

/* A table to play at: two agents, a state, scratch memory. One thread at a time; many games one after another. */
struct match;

/* agents[LR_UNION] and agents[LR_CONFEDERATE] must outlive the match, as the game must. Errors: MEMORY. */
int match_open(const lr_game *game, const lr_chooser *const agents[2], struct match **match, lr_error *error);
void match_close(struct match *match); /* NULL is allowed */

/* Plays one game from the first state to its end. The dice are those of (seed, episode), the agents draw from
 * lr_agent_stream, so the game is the one that a batch would play. `record` (NULL: none) is a new replay of the
 * same game, seed and episode, and gets every action; without one nothing is allocated. Errors: ILLEGAL (an agent
 * chose what is not legal), and those of lr_replay_add. */
int match_play(struct match *match, uint64_t seed, uint32_t episode, lr_replay *record, struct match_result *result,
               lr_error *error);

/* ---- Self-play (selfplay.c) -------------------------------------------------------------------- */

struct selfplay {
    const lr_game *game;
    const lr_chooser *agents[2];
    uint64_t seed; /* root seed: game i has lr_environment_seed(seed, i), episode 0 */
    int games;     /* >= 0 */
    int threads;   /* 0: as many as OpenMP offers */

    /* Called now and then by the calling thread with the number of finished games; NULL: never. */
    void (*progress)(void *context, int done);
    /* Called with each finished game's replay by the thread that played it; NULL: no replays are made. An error
     * ends the run. */
    int (*keep)(void *context, int index, const lr_replay *replay, lr_error *error);
    void *context;

    /* Set from outside (a signal handler, another thread) to start no further game; NULL: never. */
    const atomic_int *stop;
};

struct selfplay_result {
    int played;    /* games finished: fewer than asked for only if stopped */
    uint64_t hash; /* over the games' hashes in order of their index; does not depend on threads; 0 if stopped */
};

/* Plays `games` matches and writes results[i] for game i; a game that was not played has results[i].reason NULL.
 * Errors: MEMORY, and those of match_play and keep (the one of the lowest game index that failed). */
int selfplay_run(const struct selfplay *selfplay, struct match_result *results, struct selfplay_result *outcome,
                 lr_error *error);

/* ---- Hashing (shared by matches and self-play) ------------------------------------------------- */

/* Folds a number into a running hash: one round of splitmix64, so that order matters and every bit spreads. */
static inline uint64_t hash_fold(uint64_t hash, uint64_t value) {
    uint64_t z = (hash ^ value) + UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

#endif
