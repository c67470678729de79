/* solve.h: exact values of games that are small enough, by looking at every state.
 *
 * A *solver* visits all states that can be reached from a root, over decisions and dice, and gives each its *value*: the
 * Union's expected return (+1 won, 0 drawn, -1 lost) if from there on both sides play as well as can be. Values are exact
 * fractions, so equally good actions have equal values.
 *
 *     struct solver *solver;
 *     struct solve_options options = {.limit = 5000000};
 *     if (solver_open(game, &options, &solver, &error)) ...
 *     if (solver_run(solver, state, &end, &error)) ...
 *     if (end == SOLVE_DONE) solver_value(solver, state, &value);
 *     solver_close(solver);
 *
 * Any ruleset in which nothing is hidden. The walk is depth-first, by backward induction; a state is met many times but
 * expanded once. Of a state 96 bits of its hash and the number of its value are kept: 16 bytes, in a table at most two thirds full;
 * distinct values are kept once. Two states among n that share a hash would go unnoticed: the chance is n^2 / 2^97, 2e-16 for
 * five million states.
 * A solver belongs to one thread at a time; conventions are those of longroll.h. */
#ifndef SOLVE_H
#define SOLVE_H

#include "agents/fraction.h"
#include "env/longroll.h"
#include <stdatomic.h>

struct solve_options {
    uint64_t limit; /* the most states that are kept, ended games not counted; >= 1 */

    /* Called every few thousand states; NULL: never. */
    void (*progress)(void *context, uint64_t states);
    void *context;

    const atomic_int *stop; /* set from outside to end the run; NULL: never */
};

enum solve_end {
    SOLVE_DONE,   /* every state that can be reached has its value */
    SOLVE_LIMIT,  /* there are more states than the limit; some have their value */
    SOLVE_STOPPED /* by `stop`; some have their value */
};

struct solver; /* opaque */

/* Errors: ARGUMENT (something is hidden in this game; limit 0), MEMORY. The game must outlive the solver. */
int solver_open(const lr_game *game, const struct solve_options *options, struct solver **solver, lr_error *error);
void solver_close(struct solver *solver); /* NULL is allowed */

/* Solves all that can be reached from `root`, a checked state. What is known from earlier runs is kept, and counts
 * against the limit; what was begun and not finished is forgotten. Errors: MEMORY; STATE: a state can come again, so that the
 * game need not end; ARGUMENT: a value does not fit in 128 bits. After an error no value is known. */
int solver_run(struct solver *solver, const lr_state *root, enum solve_end *end, lr_error *error);

/* False if the state's value is not known. Ended games are always known. */
bool solver_value(const struct solver *solver, const lr_state *state, struct fraction *value);

struct solve_statistics {
    uint64_t decisions, dice; /* states with a value, by who moves */
    uint64_t values;          /* distinct ones */
    int depth;                /* actions and outcomes on the longest way from a root so far */
    size_t bytes;             /* memory held now */
};
struct solve_statistics solver_statistics(const struct solver *solver);

/* ---- Looking at a solved state ---- */

struct solved_state {
    int count;                       /* legal actions */
    uint16_t action[LR_MAX_ACTIONS]; /* as lr_legal gives them */
    struct fraction value[LR_MAX_ACTIONS];
    struct fraction best, worst; /* of them, for the mover */
};

/* Every action's value in a state in which a player moves. `next`: room for a state. False if one is not known. */
bool solver_look(const struct solver *solver, const lr_state *state, lr_state *next, struct solved_state *solved);

#endif
