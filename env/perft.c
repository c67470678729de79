/* perft.c: the walk over all sequences of actions and outcomes, see perft.h.
 *
 * Almost all time goes into lr_legal and lr_apply_legal of the last two plies, so nothing is cached and nothing is
 * allocated on the way: a thread has one state for each depth. Threads take the branches of the first position one by
 * one; sums do not depend on the order. */
#include "perft.h"

#include "game.h"

#include <inttypes.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the threads share. */
struct run {
    const lr_game *game;
    const struct perft_options *options;
    int branches;
    atomic_int done, failed;
    _Atomic uint64_t positions;
    lr_error fault;
};

/* One thread's. */
struct walk {
    struct run *run;
    char *states; /* one for each depth */
    struct perft_table *table;
};

/* The successors of one position. */
struct ways {
    int count;
    uint16_t action[LR_MAX_ACTIONS];
    uint32_t weight[LR_MAX_OUTCOMES]; /* by outcome; at a die only */
    uint32_t total;                   /* 0 away from dice */
};

/* ---- Exact masses ---- */

static uint64_t common(uint64_t a, uint64_t b) {
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static struct perft_mass reduced(struct perft_mass mass) {
    const uint64_t divisor = common(mass.numerator, mass.denominator);
    return (struct perft_mass){mass.numerator / divisor, mass.denominator / divisor};
}

/* False if the sum does not fit. */
static bool mass_add(struct perft_mass *sum, struct perft_mass term) {
    if (sum->denominator != term.denominator) {
        const uint64_t shared = common(sum->denominator, term.denominator);
        const uint64_t widen_sum = term.denominator / shared, widen_term = sum->denominator / shared;
        if (__builtin_mul_overflow(sum->numerator, widen_sum, &sum->numerator) ||
            __builtin_mul_overflow(sum->denominator, widen_sum, &sum->denominator) ||
            __builtin_mul_overflow(term.numerator, widen_term, &term.numerator))
            return false;
    }
    return !__builtin_add_overflow(sum->numerator, term.numerator, &sum->numerator);
}

static bool mass_share(struct perft_mass *mass, uint32_t weight, uint32_t total) {
    if (__builtin_mul_overflow(mass->numerator, weight, &mass->numerator) ||
        __builtin_mul_overflow(mass->denominator, total, &mass->denominator))
        return false;
    *mass = reduced(*mass);
    return true;
}

char *perft_mass_text(struct perft_mass mass, char text[LR_MAX_TEXT]) {
    const int length = snprintf(text, LR_MAX_TEXT, "%" PRIu64, mass.numerator);
    if (mass.denominator != 1) snprintf(text + length, (size_t)(LR_MAX_TEXT - length), "/%" PRIu64, mass.denominator);
    return text;
}

static int too_heavy(lr_error *error) {
    return lr_fail(error, LR_E_ARGUMENT, "perft: the exact mass does not fit in 64 bits; ask for a smaller depth");
}

/* ---- Tables ---- */

static void table_clear(struct perft_table *table) {
    memset(table, 0, sizeof *table);
    for (int depth = 0; depth <= PERFT_MOST_DEPTH; depth++) table->row[depth].mass.denominator = 1;
}

static bool row_count(struct perft_row *row, int mover, struct perft_mass mass) {
    row->positions++;
    row->decisions += mover == LR_UNION || mover == LR_CONFEDERATE;
    row->dice += mover == LR_CHANCE;
    row->over += mover == LR_NOBODY;
    return mass_add(&row->mass, mass);
}

static bool table_add(struct perft_table *sum, const struct perft_table *term) {
    for (int depth = 0; depth <= PERFT_MOST_DEPTH; depth++) {
        struct perft_row *to = &sum->row[depth];
        const struct perft_row *from = &term->row[depth];
        to->positions += from->positions;
        to->decisions += from->decisions;
        to->dice += from->dice;
        to->over += from->over;
        if (!mass_add(&to->mass, from->mass)) return false;
    }
    return true;
}

static void table_reduce(struct perft_table *table) {
    for (int depth = 0; depth <= PERFT_MOST_DEPTH; depth++) table->row[depth].mass = reduced(table->row[depth].mass);
}

/* ---- Successors ---- */

static void ways_from_mask(const lr_game *game, const lr_state *state, struct ways *ways) {
    uint8_t mask[LR_MAX_ACTIONS / 8];
    lr_mask(game, state, mask);
    ways->count = 0;
    for (int action = 0; action < lr_game_info(game)->actions; action++)
        if (mask[action / 8] >> (action % 8) & 1) ways->action[ways->count++] = (uint16_t)action;
}

static int weigh(const lr_game *game, const lr_state *state, struct ways *ways, lr_error *error) {
    const int outcomes = lr_outcomes(game, state, ways->weight, &ways->total);
    uint64_t sum = 0;
    int possible = 0;
    for (int i = 0; i < outcomes; i++) {
        sum += ways->weight[i];
        possible += ways->weight[i] > 0;
    }
    if (sum != ways->total || !sum)
        return lr_fail(error, LR_E_STATE, "perft: weights at %s sum to %" PRIu64 ", the total is %" PRIu32,
                       lr_decision(game, state), sum, ways->total);
    bool same = possible == ways->count;
    for (int i = 0; i < ways->count && same; i++)
        same = ways->action[i] < outcomes && ways->weight[ways->action[i]] > 0;
    return same ? LR_OK
                : lr_fail(error, LR_E_STATE, "perft: at %s the actions offered are not the %d outcomes with a weight",
                          lr_decision(game, state), possible);
}

static int ways_on(const struct run *run, const lr_state *state, int mover, struct ways *ways, lr_error *error) {
    if (run->options->from_mask)
        ways_from_mask(run->game, state, ways);
    else
        ways->count = lr_legal(run->game, state, ways->action);
    ways->total = 0;
    if (mover == LR_CHANCE) return weigh(run->game, state, ways, error);
    if ((ways->count == 0) != (mover == LR_NOBODY))
        return lr_fail(error, LR_E_STATE, "perft: %d actions at %s", ways->count, lr_decision(run->game, state));
    return LR_OK;
}

/* ---- The walk ---- */

static lr_state *state_at(const struct walk *walk, int depth) {
    return (lr_state *)(walk->states + (size_t)depth * (size_t)lr_game_info(walk->run->game)->state_bytes);
}

/* Two plies above the end: often enough to be seen, seldom enough to cost nothing. */
static void report(struct run *run, uint64_t positions) {
    if (!run->options->progress) return;
    const uint64_t all = atomic_fetch_add(&run->positions, positions) + positions;
#pragma omp critical(perft_progress)
    run->options->progress(run->options->context, atomic_load(&run->done), run->branches, all);
}

static int walk_from(struct walk *walk, int depth, struct perft_mass mass, lr_error *error);

/* Plays one action of the position at `depth` and walks on from there. */
static int walk_into(struct walk *walk, int depth, const struct ways *ways, int action, struct perft_mass mass,
                     lr_error *error) {
    const lr_game *game = walk->run->game;
    if (ways->total && !mass_share(&mass, ways->weight[action], ways->total)) return too_heavy(error);
    memcpy(state_at(walk, depth + 1), state_at(walk, depth), (size_t)lr_game_info(game)->state_bytes);
    lr_apply_legal(game, state_at(walk, depth + 1), action);
    return walk_from(walk, depth + 1, mass, error);
}

static int walk_from(struct walk *walk, int depth, struct perft_mass mass, lr_error *error) {
    struct run *run = walk->run;
    const int mover = lr_to_move(run->game, state_at(walk, depth)), last = run->options->depth;
    if (!row_count(&walk->table->row[depth], mover, mass)) return too_heavy(error);
    if (depth == last || atomic_load_explicit(&run->failed, memory_order_relaxed)) return LR_OK;

    struct ways ways;
    int code = ways_on(run, state_at(walk, depth), mover, &ways, error);
    const uint64_t before = walk->table->row[last].positions;
    for (int i = 0; i < ways.count && !code; i++) code = walk_into(walk, depth, &ways, ways.action[i], mass, error);
    if (depth == last - 2) report(run, walk->table->row[last].positions - before);
    return code;
}

static void note_fault(struct run *run, const lr_error *fault) {
#pragma omp critical(perft_fault)
    if (!atomic_load(&run->failed)) {
        run->fault = *fault;
        atomic_store(&run->failed, 1);
    }
}

static int threads_of(const struct run *run) {
    return run->options->threads > 0 ? run->options->threads : omp_get_max_threads();
}

static void walk_branches(struct run *run, const lr_state *first, const struct ways *ways,
                          struct perft_branch *branches) {
    const size_t bytes = (size_t)lr_game_info(run->game)->state_bytes;
#pragma omp parallel num_threads(threads_of(run))
    {
        lr_error fault;
        struct walk walk = {.run = run, .states = malloc(bytes * (size_t)(run->options->depth + 1))};
        if (!walk.states) {
            lr_fail(&fault, LR_E_MEMORY, "no memory for perft's states");
            note_fault(run, &fault);
        } else {
            memcpy(state_at(&walk, 0), first, bytes);
        }
#pragma omp for schedule(dynamic)
        for (int i = 0; i < ways->count; i++) {
            if (atomic_load(&run->failed)) continue;
            walk.table = &branches[i].table;
            const struct perft_mass one = {1, 1};
            if (walk_into(&walk, 0, ways, branches[i].action, one, &fault)) note_fault(run, &fault);
            atomic_fetch_add(&run->done, 1);
        }
        free(walk.states);
    }
}

static int sum_branches(struct perft_table *table, struct perft_branch *branches, int count, lr_error *error) {
    for (int i = 0; i < count; i++) {
        if (!table_add(table, &branches[i].table)) return too_heavy(error);
        table_reduce(&branches[i].table);
    }
    table_reduce(table);
    return LR_OK;
}

int perft_run(const lr_game *game, const lr_state *state, const struct perft_options *options,
              struct perft_table *table, struct perft_branch *branches, int *count, lr_error *error) {
    if (options->depth < 0 || options->depth > PERFT_MOST_DEPTH)
        return lr_fail(error, LR_E_ARGUMENT, "perft: depth %d is not 0..%d", options->depth, PERFT_MOST_DEPTH);
    struct run run = {.game = game, .options = options};
    struct ways ways;
    struct perft_table sum;
    const int mover = lr_to_move(game, state);
    int code = ways_on(&run, state, mover, &ways, error);
    if (code) return code;
    table_clear(&sum);
    row_count(&sum.row[0], mover, (struct perft_mass){1, 1});
    if (options->depth == 0) ways.count = 0;
    run.branches = ways.count;

    struct perft_branch *own = malloc(((size_t)ways.count + 1) * sizeof *own);
    if (!own) return lr_fail(error, LR_E_MEMORY, "no memory for perft's tables");
    for (int i = 0; i < ways.count; i++) {
        own[i].action = ways.action[i];
        table_clear(&own[i].table);
    }
    walk_branches(&run, state, &ways, own);
    if (atomic_load(&run.failed)) {
        code = run.fault.code;
        if (error) *error = run.fault;
    }
    if (!code) code = sum_branches(&sum, own, ways.count, error);
    if (!code) {
        *table = sum;
        if (branches) memcpy(branches, own, (size_t)ways.count * sizeof *own);
        if (count) *count = ways.count;
    }
    free(own);
    return code;
}
