/* search.c: opening, running and asking a search; what both methods share. See search.h. */
#include "agents/agent.h"
#include "agents/search_parts.h"
#include "env/game.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* How fast an action's prior falls as habits like it less, and the share of all priors that is dealt out evenly. */
static const double SHARPNESS = 1.0, EVEN_SHARE = 0.15;

/* What an action's prior counts for beside its mean, over the root of its visits. Without it a search departs from habit
 * on chance at every other of a game's many small decisions, and the harm adds up. */
static const double HABIT = 0.75;

/* ---- Options ---- */

struct search_options search_defaults(int method) {
    struct search_options options = {
        .method = method,
        .threads = 1,
        .prior = PRIOR_HABITS,
        .expand_after = 1,
        .rollout = ROLLOUT_GREEDY,
        .rollout_length = 80,
    };
    if (method == SEARCH_EXPECTIMAX) {
        options.depth = 2;
        options.nodes = 200000;
        options.tree_nodes = 1 << 16;
        options.samples = 256;
        return options;
    }
    options.simulations = 2000;
    options.tree_nodes = 1 << 18;
    options.exploration = 1000;
    options.expand_after = 100;
    return options;
}

static int check_number(const char *name, int64_t value, int64_t low, int64_t high, lr_error *error) {
    if (value >= low && value <= high) return LR_OK;
    return lr_fail(error, LR_E_ARGUMENT, "the search option %s is %lld: it must be from %lld to %lld", name,
                   (long long)value, (long long)low, (long long)high);
}

static int check_mcts(const struct search_options *o, lr_error *error) {
    int code = check_number("exploration", o->exploration, 0, 1000000, error);
    if (!code) code = check_number("expand_after", o->expand_after, 1, INT32_MAX, error);
    if (!code && o->leaves && o->threads > 1)
        code =
            lr_fail(error, LR_E_ARGUMENT, "a search whose leaves the caller values has one thread, not %d", o->threads);
    if (!code && !o->simulations && !o->nodes && !o->microseconds)
        code = lr_fail(error, LR_E_ARGUMENT, "an mcts search needs a limit: set simulations, nodes or microseconds");
    return code;
}

static int check_expectimax(const struct search_options *o, lr_error *error) {
    int code = check_number("depth", o->depth, 0, SEARCH_DEPTH, error);
    if (!code) code = check_number("width", o->width, 0, LR_MAX_ACTIONS, error);
    if (!code) code = check_number("samples", o->samples, 0, SEARCH_SAMPLES, error);
    if (!code && o->leaves)
        code = lr_fail(error, LR_E_ARGUMENT, "expectimax does not hand out leaves: use the method mcts");
    if (!code && !o->depth && !o->nodes && !o->microseconds)
        code = lr_fail(error, LR_E_ARGUMENT, "an expectimax search needs a limit: set depth, nodes or microseconds");
    return code;
}

int search_check(const struct search_options *o, lr_error *error) {
    int code = check_number("method", o->method, SEARCH_MCTS, SEARCH_EXPECTIMAX, error);
    if (!code) code = check_number("threads", o->threads, 1, o->method == SEARCH_MCTS ? SEARCH_THREADS : 1, error);
    if (!code) code = check_number("tree_nodes", o->tree_nodes, o->threads * LR_MAX_ACTIONS, SEARCH_TREE_NODES, error);
    if (!code) code = check_number("prior", o->prior, PRIOR_NONE, PRIOR_HABITS, error);
    if (!code) code = check_number("rollout", o->rollout, ROLLOUT_RANDOM, ROLLOUT_GREEDY, error);
    if (!code) code = check_number("rollout_length", o->rollout_length, -1, INT32_MAX, error);
    if (code) return code;
    return o->method == SEARCH_MCTS ? check_mcts(o, error) : check_expectimax(o, error);
}

/* ---- Memory ---- */

void *arena_take(struct arena *arena, size_t bytes) {
    char *place = arena->base ? arena->base + arena->used : NULL;
    arena->used += (bytes + 63) / 64 * 64;
    return place;
}

size_t search_state_bytes(const struct search *search) {
    return search->game ? (size_t)lr_game_info(search->game)->state_bytes : SEARCH_STATE_BYTES;
}

static size_t lay_out(struct search *search, char *base) {
    struct arena arena = {.base = base};
    arena_take(&arena, sizeof *search);
    search->root = arena_take(&arena, search_state_bytes(search));
    if (search->options.method == SEARCH_MCTS)
        mcts_lay_out(search, &arena);
    else
        expectimax_lay_out(search, &arena);
    return arena.used;
}

size_t search_bytes(const lr_game *game, const struct search_options *options) {
    struct search counted = {.game = game, .options = *options};
    return lay_out(&counted, NULL);
}

struct search *search_place(void *memory, const lr_game *game, const struct search_options *options) {
    struct search *search = memory;
    memset(search, 0, sizeof *search);
    search->game = game;
    search->options = *options;
    lay_out(search, memory);
    return search;
}

int search_open(const lr_game *game, const struct search_options *options, struct search **search, lr_error *error) {
    const int code = search_check(options, error);
    if (code) return code;
    const size_t bytes = search_bytes(game, options);
    void *memory = aligned_alloc(64, bytes);
    if (!memory) return lr_fail(error, LR_E_MEMORY, "no memory for a search of %zu bytes", bytes);
    *search = search_place(memory, game, options);
    return LR_OK;
}

void search_close(struct search *search) { free(search); }

/* ---- Running ---- */

int search_begin(struct search *search, const lr_state *root, uint64_t stream, lr_error *error) {
    const int mover = lr_to_move(search->game, root);
    if (mover == LR_NOBODY) return lr_fail(error, LR_E_OVER, "a search begins where a player moves: the game is over");
    if (mover == LR_CHANCE)
        return lr_fail(error, LR_E_ARGUMENT, "a search begins where a player moves, not at a chance node (%s)",
                       lr_decision(search->game, root));
    memcpy(search->root, root, (size_t)lr_game_info(search->game)->state_bytes);
    search->stream = stream;
    search->mover = mover;
    search->count = lr_legal(search->game, root, search->legal);
    search->begun = true;
    search->done = false;
    search->seconds = 0;
    if (search->mcts)
        mcts_begin(search);
    else
        expectimax_begin(search);
    return LR_OK;
}

double search_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double search_deadline(const struct search *search) {
    if (!search->options.microseconds) return 1e300;
    return search_clock() + (double)search->options.microseconds * 1e-6 - search->seconds;
}

bool search_run(struct search *search, uint64_t slice) {
    if (!search->begun || search->done || search->options.leaves) return true;
    const double started = search_clock();
    search->done = search->mcts ? mcts_run(search, slice) : expectimax_run(search, slice);
    search->seconds += search_clock() - started;
    return search->done;
}

/* ---- Priors ---- */

/* Priors from habits: 1 / (1 + SHARPNESS d)^2, scaled to the sum 1, where d is how far an action falls behind the best,
 * measured against how far all of them do on the mean; and a share dealt out evenly, so that a choice between two or
 * three is always looked into. */
static void weigh_habits(const int32_t *appraisals, int count, float *priors) {
    int64_t best = appraisals[0], sum = 0;
    for (int i = 1; i < count; i++)
        if (appraisals[i] > best) best = appraisals[i];
    for (int i = 0; i < count; i++) sum += best - appraisals[i];
    const double scale = sum ? (double)count / (double)sum : 0;
    double total = 0;
    for (int i = 0; i < count; i++) {
        const double behind = 1 + SHARPNESS * scale * (double)(best - appraisals[i]);
        priors[i] = (float)(1 / (behind * behind));
        total += (double)priors[i];
    }
    for (int i = 0; i < count; i++)
        priors[i] = (float)((1 - EVEN_SHARE) * (double)priors[i] / total + EVEN_SHARE / count);
}

void search_priors(const struct search *search, const lr_state *state, const uint16_t *legal, int count,
                   float *priors) {
    int32_t appraisals[LR_MAX_ACTIONS];
    if (search->options.prior == PRIOR_HABITS && !search->options.leaves) {
        lr_appraise(search->game, state, legal, count, appraisals);
        weigh_habits(appraisals, count, priors);
        return;
    }
    for (int i = 0; i < count; i++) priors[i] = (float)(1.0 / count);
}

/* ---- Rollouts ---- */

double search_guess(const struct search *search, const lr_state *state) {
    return (double)((float)lr_evaluate(search->game, state) / 1000.0f);
}

static int action_of(const struct search *search, const lr_state *state, int mover, uint64_t seed, uint32_t played,
                     struct player_on *room) {
    const lr_game *game = search->game;
    if (mover == LR_CHANCE) return lr_sample(game, state, seed, 0);
    const int count = lr_legal(game, state, room->legal);
    if (search->options.rollout == ROLLOUT_GREEDY)
        return greedy_choice(game, state, room->legal, count, room->appraisals);
    return room->legal[lr_random(seed, played, (uint32_t)count)];
}

/* This loop is where searches spend their time. */
uint32_t search_roll_out(const struct search *search, lr_state *state, uint64_t seed, struct player_on *room,
                         double *value) {
    const uint32_t length = (uint32_t)search->options.rollout_length; /* -1: endless */
    const uint32_t stride = search->options.rollout == ROLLOUT_GREEDY ? ROLLOUT_STRIDE : UINT32_MAX;
    uint32_t played = 0;
    int guesses = 1;
    double sum = 0;
    for (int mover; played < length && (mover = lr_to_move(search->game, state)) != LR_NOBODY; played++) {
        if (played && played % stride == 0) {
            sum += search_guess(search, state);
            guesses++;
        }
        lr_apply_legal(search->game, state, action_of(search, state, mover, seed, played, room));
    }
    *value = (sum + search_guess(search, state)) / guesses;
    return played;
}

/* ---- Limits ---- */

double search_share(uint64_t done, uint64_t limit) {
    return limit && limit != UINT64_MAX ? (double)done / (double)limit : 0;
}

double search_share_of_time(const struct search *search, double deadline) {
    if (!search->options.microseconds) return 0;
    return 1 - (deadline - search_clock()) / ((double)search->options.microseconds * 1e-6);
}

/* ---- Results ---- */

double search_standing(double mean, uint32_t visits, float prior) {
    return mean + HABIT * (double)prior / sqrt(visits);
}

/* Whether action i is to be played rather than j. */
static bool better(const struct search_result *r, int i, int j, int mover) {
    if (r->visits[i] != r->visits[j]) return r->visits[i] > r->visits[j];
    if (!r->visits[i]) return r->prior[i] > r->prior[j];
    return mover == LR_UNION ? r->value[i] > r->value[j] : r->value[i] < r->value[j];
}

int search_best(const struct search_result *result, int mover) {
    int best = 0;
    for (int i = 1; i < result->count; i++)
        if (better(result, i, best, mover)) best = i;
    return best;
}

void search_result(const struct search *search, struct search_result *result) {
    memset(result, 0, sizeof *result);
    if (!search->begun) return;
    result->count = search->count;
    memcpy(result->action, search->legal, (size_t)search->count * sizeof *search->legal);
    result->seconds = search->seconds;
    if (search->mcts)
        mcts_result(search, result);
    else
        expectimax_result(search, result);
}
