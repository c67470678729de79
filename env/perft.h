/* perft.h: counts every way on from a position, ply by ply: the engine's rules as a few numbers.
 *
 * Any ruleset; only the public calls are used. An action and a die's outcome are a ply each. A row of the table is
 * about the positions at one depth, reached by so many different sequences (a position reached twice counts twice).
 *
 * The mass of a sequence is the product of weight / total over its dice; actions do not divide it. The mass of a depth
 * is the sum over its sequences: the number of ways on if a die were one thing that happens, not ten. It is kept as an
 * exact fraction; where only dice were thrown it is 1, and any wrong weight moves it. */
#ifndef PERFT_H
#define PERFT_H

#include "longroll.h"

enum { PERFT_MOST_DEPTH = 24 };

struct perft_mass {
    uint64_t numerator, denominator; /* in lowest terms */
};

struct perft_row {
    uint64_t positions; /* decisions + dice + over */
    uint64_t decisions; /* a player is to move */
    uint64_t dice;      /* chance is */
    uint64_t over;      /* nobody is: these have no successors */
    struct perft_mass mass;
};

struct perft_table {
    struct perft_row row[PERFT_MOST_DEPTH + 1];
};

/* What one action of the first position leads to; its row[d] is about depth d of the whole, so row[0] is empty. */
struct perft_branch {
    int action;
    struct perft_table table;
};

struct perft_options {
    int depth;      /* 0..PERFT_MOST_DEPTH */
    int threads;    /* 0: as many as OpenMP offers; the numbers do not depend on it */
    bool from_mask; /* take the actions from lr_mask, not lr_legal: both must give the same table */
    /* Called now and then, never by two threads at once: branches of the first position finished, and positions at the
     * last depth so far. NULL: never. */
    void (*progress)(void *context, int done, int branches, uint64_t positions);
    void *context;
};

/* Fills `table`; `branches` (NULL: not wanted; room for lr_info.actions) and `count` with an entry for each first
 * action. On the way it proves of every position above the last depth: a player to move has an action, at a die exactly
 * the outcomes with a weight are offered and the weights sum to the total, after the end there is nothing. Errors:
 * ARGUMENT (depth; a mass beyond 64 bits), MEMORY, STATE (one of those proofs failed). */
int perft_run(const lr_game *game, const lr_state *state, const struct perft_options *options,
              struct perft_table *table, struct perft_branch *branches, int *count, lr_error *error);

/* "12" or "123/10". Returns `text`. */
char *perft_mass_text(struct perft_mass mass, char text[LR_MAX_TEXT]);

#endif
