/* test_search.c: searches find what is best, stay within their memory and give the same bytes however they are cut. */
#include "agents/agent.h"
#include "agents/search.h"
#include "agents/search_parts.h"
#include "env/game.h"
#include "env/rulesets.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
// cmocka needs the four above
#include <cmocka.h>

#ifdef LONGROLL_AUDIT
enum { MANY = 4000, SOME = 400, STATES = 6 }; /* every action is audited */
#else
enum { MANY = 40000, SOME = 2000, STATES = 20 };
#endif

enum { STATE = 1024 }; /* room for any state of these scenarios */

static lr_game *duel, *gate;

static int open_games(void **unused) {
    (void)unused;
    return lr_game_open("cedar-mountain/duel", &duel, NULL) || lr_game_open("cedar-mountain/gate", &gate, NULL);
}

static int close_games(void **unused) {
    (void)unused;
    lr_game_close(duel);
    lr_game_close(gate);
    return 0;
}

/* ---- Helpers ---- */

typedef struct {
    _Alignas(64) char bytes[STATE];
} state_room;

static lr_state *state_in(state_room *room) { return (lr_state *)(void *)room->bytes; }

/* A decision with more than one action, `steps` decisions and dice into a random game; false where it is over before. */
static bool random_decision(const lr_game *game, uint64_t seed, int steps, lr_state *state) {
    uint16_t legal[LR_MAX_ACTIONS];
    lr_start(game, state);
    for (int i = 0;; i++) {
        const int mover = lr_to_move(game, state);
        if (mover == LR_NOBODY) return false;
        const int count = lr_legal(game, state, legal);
        if (mover != LR_CHANCE && i >= steps && count > 1) return true;
        const int action =
            mover == LR_CHANCE ? lr_sample(game, state, seed, 0) : legal[lr_random(seed, (uint64_t)i, (uint32_t)count)];
        lr_apply_legal(game, state, action);
    }
}

static struct search *opened(const lr_game *game, const struct search_options *options) {
    struct search *search = NULL;
    lr_error error;
    if (search_open(game, options, &search, &error)) fail_msg("%s", error.text);
    return search;
}

/* Run to the limit, in slices (0: at once). The wall clock is taken out. */
static struct search_result *searched(const lr_game *game, const struct search_options *options, const lr_state *state,
                                      uint64_t stream, uint64_t slice) {
    struct search *search = opened(game, options);
    struct search_result *result = malloc(sizeof *result);
    assert_int_equal(search_begin(search, state, stream, NULL), LR_OK);
    while (!search_run(search, slice)) {}
    search_result(search, result);
    result->seconds = 0;
    search_close(search);
    return result;
}

static struct search_options mcts_options(uint64_t simulations) {
    struct search_options options = search_defaults(SEARCH_MCTS);
    options.simulations = simulations;
    options.tree_nodes = 1 << 14;
    options.expand_after = 1;
    options.rollout = ROLLOUT_RANDOM;
    options.rollout_length = 0;
    return options;
}

static struct search_options expectimax_options(int depth) {
    struct search_options options = search_defaults(SEARCH_EXPECTIMAX);
    options.depth = depth;
    options.nodes = 0;
    options.samples = 0;
    options.tree_nodes = 1 << 12;
    return options;
}

/* ---- Values by plain recursion: what expectimax must equal ---- */

static double plain_value(const lr_game *game, const lr_state *state, int d) {
    uint16_t legal[LR_MAX_ACTIONS];
    uint32_t weights[LR_MAX_OUTCOMES], total;
    state_room next;
    const int mover = lr_to_move(game, state);
    if (mover == LR_NOBODY || (mover != LR_CHANCE && d == 0)) return lr_evaluate(game, state) / 1000.0;
    const int count = lr_legal(game, state, legal);
    if (mover == LR_CHANCE) lr_outcomes(game, state, weights, &total);
    double sum = 0, best = mover == LR_UNION ? -2 : 2;
    for (int i = 0; i < count; i++) {
        memcpy(next.bytes, state, (size_t)lr_game_info(game)->state_bytes);
        lr_apply_legal(game, state_in(&next), legal[i]);
        const double value = plain_value(game, state_in(&next), d - (mover != LR_CHANCE));
        if (mover == LR_CHANCE) sum += weights[legal[i]] * value;
        if (mover == LR_UNION ? value > best : value < best) best = value;
    }
    return mover == LR_CHANCE ? sum / total : best;
}

static double plain_after(const lr_game *game, const lr_state *state, int action, int d) {
    state_room next;
    memcpy(next.bytes, state, (size_t)lr_game_info(game)->state_bytes);
    lr_apply_legal(game, state_in(&next), action);
    return plain_value(game, state_in(&next), d);
}

static void same_as_plain(const lr_game *game, uint64_t seed, int steps, int depth) {
    state_room root;
    if (!random_decision(game, seed, steps, state_in(&root))) return;
    const struct search_options options = expectimax_options(depth);
    struct search_result *result = searched(game, &options, state_in(&root), 1, 0);
    for (int i = 0; i < result->count; i++) {
        assert_int_equal(result->visits[i], 1);
        const float value = (float)plain_after(game, state_in(&root), result->action[i], depth - 1);
        assert_float_equal(result->value[i], value, 0);
    }
    free(result);
}

static void expectimax_equals_plain_recursion(void **unused) {
    (void)unused;
    for (uint64_t seed = 1; seed <= STATES / 2; seed++) {
        same_as_plain(duel, seed, (int)seed % 8, 3);
        same_as_plain(gate, seed, (int)seed * 5, 2);
    }
}

/* ---- mcts ---- */

static void equal_results(const struct search_result *a, const struct search_result *b) {
    assert_memory_equal(a, b, sizeof *a);
}

static void slices_do_not_matter(void **unused) {
    (void)unused;
    state_room root;
    assert_true(random_decision(gate, 3, 20, state_in(&root)));
    struct search_options all[] = {mcts_options(700), mcts_options(700), expectimax_options(2)};
    all[1].threads = 3;
    all[1].rollout_length = 12;
    for (int i = 0; i < 3; i++) {
        struct search_result *whole = searched(gate, &all[i], state_in(&root), 9, 0);
        for (uint64_t slice = 1; slice <= 100; slice += 33) {
            struct search_result *cut = searched(gate, &all[i], state_in(&root), 9, slice);
            equal_results(whole, cut);
            free(cut);
        }
        free(whole);
    }
}

static void roots_where_no_player_moves_are_refused(void **unused) {
    (void)unused;
    state_room root;
    lr_error error;
    const struct search_options options = mcts_options(10);
    struct search *search = opened(gate, &options);
    int mover, dice = 0;
    lr_start(gate, state_in(&root));
    for (uint32_t i = 0; (mover = lr_to_move(gate, state_in(&root))) != LR_NOBODY; i++) {
        uint16_t legal[LR_MAX_ACTIONS];
        const int count = lr_legal(gate, state_in(&root), legal);
        if (mover == LR_CHANCE && ++dice) {
            assert_int_equal(search_begin(search, state_in(&root), 1, &error), LR_E_ARGUMENT);
            assert_non_null(strstr(error.text, "chance node"));
        }
        lr_apply_legal(gate, state_in(&root), legal[lr_random(4, i, (uint32_t)count)]);
    }
    assert_true(dice > 0);
    assert_int_equal(search_begin(search, state_in(&root), 1, &error), LR_E_OVER);
    search_close(search);
}

/* What a leaf of a tree holds must add up: the visits of the children are those of the root but for its own one. The best
 * has most; after a race, half of that at least. */
static void visits_add_up_and_the_best_has_most(const struct search_result *r, uint64_t simulations, bool raced) {
    uint64_t visits = 0;
    uint32_t most = 0, best = 0;
    for (int i = 0; i < r->count; i++) {
        visits += r->visits[i];
        if (r->visits[i] > most) most = r->visits[i];
        if (r->action[i] == r->best) best = r->visits[i];
        assert_true(r->value[i] >= -1 && r->value[i] <= 1);
    }
    assert_int_equal(r->simulations, simulations);
    assert_int_equal(visits, simulations - 1);
    assert_in_range(best, raced ? most / 2 : most, most);
    assert_int_equal(r->line[0], r->best);
}

static void every_simulation_is_a_visit(void **unused) {
    (void)unused;
    state_room root;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        if (!random_decision(gate, seed, (int)seed * 9, state_in(&root))) continue;
        struct search_options options = mcts_options(300);
        options.prior = seed & 1 ? PRIOR_HABITS : PRIOR_NONE;
        options.rollout = seed & 2 ? ROLLOUT_GREEDY : ROLLOUT_RANDOM;
        options.rollout_length = seed & 2 ? 3 : -1;
        struct search_result *result = searched(gate, &options, state_in(&root), seed, 0);
        visits_add_up_and_the_best_has_most(result, 300, options.prior == PRIOR_HABITS);
        free(result);
    }
}

/* The line can be played from the root. */
static void the_line_is_legal(void **unused) {
    (void)unused;
    state_room root;
    const struct search_options all[] = {mcts_options(SOME), expectimax_options(3)};
    assert_true(random_decision(duel, 2, 1, state_in(&root)));
    for (int i = 0; i < 2; i++) {
        struct search_result *result = searched(duel, &all[i], state_in(&root), 5, 0);
        state_room at = root;
        assert_true(result->line_length > 1);
        for (int k = 0; k < result->line_length; k++)
            assert_int_equal(lr_apply(duel, state_in(&at), result->line[k], NULL), LR_OK);
        free(result);
    }
}

static void a_full_tree_searches_on_in_its_memory(void **unused) {
    (void)unused;
    state_room root;
    assert_true(random_decision(gate, 5, 30, state_in(&root)));
    struct search_options options = mcts_options(SOME);
    options.tree_nodes = LR_MAX_ACTIONS;
    struct search_result *small = searched(gate, &options, state_in(&root), 1, 0);
    visits_add_up_and_the_best_has_most(small, SOME, true);
    assert_in_range(small->tree_nodes, LR_MAX_ACTIONS / 2, LR_MAX_ACTIONS);
    options.tree_nodes = 1 << 18;
    struct search_result *large = searched(gate, &options, state_in(&root), 1, 0);
    assert_true(large->tree_nodes > LR_MAX_ACTIONS);
    free(small);
    free(large);
}

/* A search lives in the bytes that it names, also for a game that is not known beforehand. */
static void memory_is_what_was_stated(void **unused) {
    (void)unused;
    enum { GUARD = 4096 };
    state_room root;
    struct search_options all[] = {mcts_options(SOME), mcts_options(SOME), expectimax_options(2)};
    all[1].threads = 3;
    assert_true(random_decision(gate, 5, 30, state_in(&root)));
    for (int i = 0; i < 3; i++) {
        const size_t bytes = search_bytes(gate, &all[i]);
        assert_in_range(bytes, (size_t)all[i].tree_nodes * 32, (size_t)all[i].tree_nodes * 32 + (1 << 20));
        assert_true(search_bytes(NULL, &all[i]) > bytes);
        char *memory = aligned_alloc(64, bytes + GUARD);
        memset(memory, 0x5a, bytes + GUARD);
        struct search *search = search_place(memory, gate, &all[i]);
        assert_int_equal(search_begin(search, state_in(&root), 1, NULL), LR_OK);
        search_run(search, 0);
        for (int k = 0; k < GUARD; k++) assert_int_equal(memory[bytes + (size_t)k], 0x5a);
        free(memory);
    }
    for (int i = 0; lr_rulesets[i]; i++) assert_true(lr_rulesets[i]->state_bytes <= SEARCH_STATE_BYTES);
}

static void limits_are_kept(void **unused) {
    (void)unused;
    state_room root;
    assert_true(random_decision(gate, 5, 30, state_in(&root)));
    struct search_options options = mcts_options(0);
    options.nodes = 1000;
    options.rollout_length = 10;
    struct search_result *result = searched(gate, &options, state_in(&root), 1, 0);
    assert_in_range(result->nodes, 1000, 1100); /* the last simulation is played to its end */
    free(result);
    options.nodes = 0;
    options.microseconds = 20000;
    result = searched(gate, &options, state_in(&root), 1, 0);
    assert_true(result->simulations > 0);
    free(result);
    options = expectimax_options(0);
    options.nodes = 500;
    result = searched(gate, &options, state_in(&root), 1, 0);
    assert_int_equal(result->nodes, 500);
    assert_true(result->depth >= 1);
    free(result);
}

/* ---- Finding the best ---- */

/* Not one action more than the slice says, and a look in between disturbs nothing. */
static void expectimax_slices_are_exact(void **unused) {
    (void)unused;
    state_room root;
    const struct search_options options = expectimax_options(3);
    assert_true(random_decision(gate, 5, 12, state_in(&root)));
    struct search_result *right = searched(gate, &options, state_in(&root), 1, 0), *now = malloc(sizeof *now);
    struct search *search = opened(gate, &options);
    assert_int_equal(search_begin(search, state_in(&root), 1, NULL), LR_OK);
    uint64_t nodes = 0;
    for (bool done = false; !done; nodes = now->nodes) {
        done = search_run(search, 7);
        search_result(search, now);
        assert_true(now->nodes == nodes + 7 || (done && now->nodes <= nodes + 7));
    }
    assert_true(nodes > 700);
    now->seconds = 0;
    assert_memory_equal(now, right, sizeof *now);
    search_close(search);
    free(right);
    free(now);
}

/* A decision of the duel close enough to its end that expectimax proves all values. */
static struct search_result *solved(uint64_t seed, state_room *root) {
    if (!random_decision(duel, seed, 6, state_in(root))) return NULL;
    struct search_options options = expectimax_options(0);
    options.nodes = MANY;
    options.tree_nodes = 1 << 14;
    struct search_result *result = searched(duel, &options, state_in(root), 1, 0);
    if (result->nodes < MANY) return result;
    free(result);
    return NULL;
}

static float regret(const struct search_result *truth, int mover, int action) {
    float chosen = 0, best = truth->root_value;
    for (int i = 0; i < truth->count; i++)
        if (truth->action[i] == action) chosen = truth->value[i];
    return mover == LR_UNION ? best - chosen : chosen - best;
}

/* Most choices near the end change nothing: those say nothing of a search. */
static bool matters(const struct search_result *truth) {
    for (int i = 1; i < truth->count; i++)
        if (truth->value[i] != truth->value[0]) return true;
    return false;
}

/* Where the game can be solved within its limits, guesses by habit do not stand in the way. */
static void expectimax_with_samples_still_solves(void **unused) {
    (void)unused;
    int states = 0;
    for (uint64_t seed = 1; seed < 1000 && states < STATES; seed++) {
        state_room root;
        struct search_result *truth = solved(seed, &root);
        if (!truth) continue;
        struct search_options options = search_defaults(SEARCH_EXPECTIMAX);
        options.depth = 0;
        options.nodes = 8 * truth->nodes + 8;
        options.tree_nodes = 1 << 14;
        struct search_result *result = searched(duel, &options, state_in(&root), seed, 0);
        assert_memory_equal(result->value, truth->value, sizeof truth->value);
        assert_int_equal(result->best, truth->best);
        states++;
        free(result);
        free(truth);
    }
    assert_int_equal(states, STATES);
}

/* With next to no effort expectimax and mcts play by habit; what is done is cut anywhere but within a rollout. */
static void little_effort_plays_by_habit(void **unused) {
    (void)unused;
    int32_t appraisals[LR_MAX_ACTIONS];
    uint16_t legal[LR_MAX_ACTIONS];
    for (uint64_t seed = 1; seed <= STATES; seed++) {
        state_room root;
        if (!random_decision(gate, seed, (int)seed * 2, state_in(&root))) continue;
        const int count = lr_legal(gate, state_in(&root), legal);
        const int habit = greedy_choice(gate, state_in(&root), legal, count, appraisals);
        struct search_options options = search_defaults(SEARCH_EXPECTIMAX);
        options.depth = 0;
        options.nodes = 40;
        options.tree_nodes = 1 << 12;
        struct search_result *result = searched(gate, &options, state_in(&root), seed, 0);
        assert_int_equal(result->best, habit);
        assert_in_range(result->nodes, 40, 40 + options.rollout_length);
        free(result);
        options = search_defaults(SEARCH_MCTS);
        options.simulations = 1;
        result = searched(gate, &options, state_in(&root), seed, 0);
        assert_int_equal(result->best, habit);
        free(result);
    }
}

static void sampled_slices_do_not_matter(void **unused) {
    (void)unused;
    state_room root;
    assert_true(random_decision(gate, 5, 12, state_in(&root)));
    struct search_options options = search_defaults(SEARCH_EXPECTIMAX);
    options.depth = 0;
    options.nodes = SOME * 2;
    options.tree_nodes = 1 << 12;
    struct search_result *whole = searched(gate, &options, state_in(&root), 9, 0);
    struct search_result *cut = searched(gate, &options, state_in(&root), 9, 7);
    equal_results(whole, cut);
    free(whole);
    free(cut);
}

/* ---- The race of the root's actions ---- */

static int by_visits(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x < y) - (x > y);
}

/* Half the field leaves after each heat, so few are visited often; nobody is compared on less than a heat. */
static void races_are_run_in_halves(void **unused) {
    (void)unused;
    int races = 0;
    for (uint64_t seed = 1; seed <= STATES; seed++) {
        state_room root;
        if (!random_decision(gate, seed, (int)seed * 3, state_in(&root))) continue;
        struct search_options options = search_defaults(SEARCH_MCTS);
        options.simulations = SOME;
        options.rollout_length = 4;
        struct search_result *r = searched(gate, &options, state_in(&root), seed, 0);
        uint32_t visits[LR_MAX_ACTIONS];
        memcpy(visits, r->visits, sizeof visits);
        qsort(visits, (size_t)r->count, sizeof *visits, by_visits);
        int field = 0;
        while (field < r->count && visits[field]) field++;
        assert_true(field >= 2);
        if (field >= 8) {
            races++;
            assert_true(visits[field / 2] < visits[0]);
            assert_true(visits[field - 1] >= 4);
        }
        free(r);
    }
    assert_true(races > 0);
}

static void searching_longer_comes_closer_to_the_best(void **unused) {
    (void)unused;
    enum { BUDGETS = 3, POSITIONS = 20 }; /* the dearest budget is tried in STATES of them */
    const uint64_t budgets[BUDGETS] = {2, 12, 2000};
    float mean[BUDGETS] = {0};
    int states = 0, tries[BUDGETS] = {0};
    for (uint64_t seed = 1; seed < 1000 && states < POSITIONS; seed++) {
        state_room root;
        struct search_result *truth = solved(seed, &root);
        if (!truth) continue;
        const int mover = lr_to_move(duel, state_in(&root));
        assert_float_equal(regret(truth, mover, truth->best), 0, 0);
        if (!matters(truth)) {
            free(truth);
            continue;
        }
        states++;
        for (int i = 0; i < BUDGETS; i++) {
            if (i == BUDGETS - 1 && tries[i] == STATES) continue;
            tries[i]++;
            struct search_options options = mcts_options(budgets[i]);
            options.prior = PRIOR_NONE;
            options.rollout_length = -1;
            struct search_result *result = searched(duel, &options, state_in(&root), seed, 0);
            mean[i] += regret(truth, mover, result->best);
            free(result);
        }
        free(truth);
    }
    assert_int_equal(states, POSITIONS);
    for (int i = 0; i < BUDGETS; i++) mean[i] /= (float)tries[i];
    print_message("%d states, regret at 2, 12, 2000: %.3f %.3f %.3f\n", states, (double)mean[0], (double)mean[1],
                  (double)mean[2]);
    assert_true(mean[0] > mean[1] && mean[1] >= mean[2]);
    assert_true(mean[2] < 0.02f);
}

/* With dice of the wrong weights the value would not go to the exact one. */
static void dice_fall_by_their_weights(void **unused) {
    (void)unused;
    state_room root;
    struct search_result *truth;
    uint64_t seed = 1;
    while (!(truth = solved(seed, &root))) seed++;
    struct search_options options = mcts_options(MANY);
    options.rollout_length = -1;
    options.prior = PRIOR_NONE;
    options.tree_nodes = 1 << 18;
    struct search_result *result = searched(duel, &options, state_in(&root), 3, 0);
    for (int i = 0; i < result->count; i++)
        if (result->action[i] == result->best) assert_float_equal(result->value[i], truth->value[i], 0.05);
    free(result);
    free(truth);
}

/* ---- Leaf batches ---- */

struct desk {
    struct search_leaves leaves;
    float values[64], priors[64 * LR_MAX_ACTIONS];
};

static struct desk *open_desk(const lr_game *game, int capacity) {
    const lr_info *info = lr_game_info(game);
    const size_t size = (size_t)capacity;
    struct desk *desk = calloc(1, sizeof *desk);
    assert_in_range(capacity, 1, 64);
    desk->leaves.pieces = malloc(size * (size_t)(info->piece_rows * info->piece_columns));
    desk->leaves.globals = malloc(size * (size_t)info->global_columns * sizeof(int16_t));
    desk->leaves.mask = malloc(size * (size_t)info->mask_bytes);
    desk->leaves.to_move = malloc(size);
    desk->leaves.states = aligned_alloc(64, (size * (size_t)info->state_bytes + 63) / 64 * 64);
    return desk;
}

static void close_desk(struct desk *desk) {
    free(desk->leaves.pieces);
    free(desk->leaves.globals);
    free(desk->leaves.mask);
    free(desk->leaves.to_move);
    free(desk->leaves.states);
    free(desk);
}

/* Each leaf is what a batch would show, and gets the value that the search itself would give. */
static void value_leaf(const lr_game *game, struct desk *desk, int i) {
    const lr_info *info = lr_game_info(game);
    const size_t at = (size_t)i, pieces = (size_t)(info->piece_rows * info->piece_columns);
    const size_t globals = (size_t)info->global_columns, mask = (size_t)info->mask_bytes;
    uint8_t own_pieces[8192], own_mask[LR_MAX_ACTIONS / 8];
    int16_t own_globals[1024];
    const lr_state *state = (const lr_state *)(const void *)(desk->leaves.states + at * (size_t)info->state_bytes);
    const int mover = lr_to_move(game, state);
    assert_true(pieces <= sizeof own_pieces && globals <= 1024);
    lr_observe(game, state, mover, own_pieces, own_globals);
    lr_mask(game, state, own_mask);
    assert_int_equal(desk->leaves.to_move[i], mover);
    assert_memory_equal(desk->leaves.pieces + at * pieces, own_pieces, pieces);
    assert_memory_equal(desk->leaves.globals + at * globals, own_globals, globals * sizeof(int16_t));
    assert_memory_equal(desk->leaves.mask + at * mask, own_mask, mask);
    const float value = (float)lr_evaluate(game, state) / 1000.0f;
    desk->values[i] = mover == LR_UNION ? value : -value;
}

static struct search_result *answered(const lr_game *game, struct search_options options, const lr_state *state,
                                      int capacity, const float *priors, int *rounds) {
    struct desk *desk = open_desk(game, capacity);
    struct search_result *result = malloc(sizeof *result);
    lr_error error;
    options.leaves = true;
    struct search *search = opened(game, &options);
    assert_int_equal(search_begin(search, state, 8, NULL), LR_OK);
    int count;
    for (*rounds = 0; (count = search_leaves(search, capacity, &desk->leaves, &error)) > 0; ++*rounds) {
        assert_in_range(count, 1, capacity);
        if (*rounds == 0) assert_memory_equal(desk->leaves.states, state, (size_t)lr_game_info(game)->state_bytes);
        for (int i = 0; i < count; i++) value_leaf(game, desk, i);
        for (int i = 0; priors && i < count; i++)
            memcpy(desk->priors + i * lr_game_info(game)->actions, priors,
                   (size_t)lr_game_info(game)->actions * sizeof *priors);
        assert_int_equal(search_leaves(search, capacity, &desk->leaves, &error), LR_E_ARGUMENT); /* not answered */
        assert_int_equal(search_answer(search, desk->values, priors ? desk->priors : NULL, &error), LR_OK);
    }
    assert_int_equal(count, 0);
    search_result(search, result);
    result->seconds = 0;
    search_close(search);
    close_desk(desk);
    return result;
}

static void leaf_by_leaf_is_the_search_itself(void **unused) {
    (void)unused;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        state_room root;
        int rounds;
        if (!random_decision(gate, seed, (int)seed * 20, state_in(&root))) continue;
        struct search_options options = mcts_options(400);
        options.prior = PRIOR_NONE;
        options.rollout_length = 0;
        options.tree_nodes = 1 << 16;
        struct search_result *own = searched(gate, &options, state_in(&root), 8, 0);
        struct search_result *asked = answered(gate, options, state_in(&root), 1, NULL, &rounds);
        assert_in_range(rounds, 300, 400);
        asked->tree_nodes = own->tree_nodes; /* handed-out leaves are expanded at once */
        equal_results(own, asked);
        free(own);
        free(asked);
    }
}

static void batches_of_leaves_save_rounds(void **unused) {
    (void)unused;
    state_room root;
    int rounds;
    assert_true(random_decision(gate, 3, 20, state_in(&root)));
    struct search_options options = mcts_options(1000);
    options.tree_nodes = 1 << 16;
    struct search_result *result = answered(gate, options, state_in(&root), 32, NULL, &rounds);
    visits_add_up_and_the_best_has_most(result, 1000, false);
    assert_in_range(rounds, 1000 / 32, 200);
    free(result);
}

static void given_priors_lead_the_search(void **unused) {
    (void)unused;
    state_room root;
    uint16_t legal[LR_MAX_ACTIONS];
    int rounds;
    assert_true(random_decision(gate, 3, 20, state_in(&root)));
    float *priors = calloc(LR_MAX_ACTIONS, sizeof *priors);
    const int count = lr_legal(gate, state_in(&root), legal);
    priors[legal[count - 1]] = 3;
    struct search_result *result = answered(gate, mcts_options(50), state_in(&root), 1, priors, &rounds);
    assert_float_equal(result->prior[count - 1], 1, 0);
    assert_int_equal(result->best, legal[count - 1]);
    free(result);
    free(priors);
}

static void bad_answers_are_refused_whole(void **unused) {
    (void)unused;
    state_room root;
    lr_error error;
    assert_true(random_decision(gate, 3, 20, state_in(&root)));
    struct search_options options = mcts_options(50);
    struct search *own = opened(gate, &options);
    struct desk *desk = open_desk(gate, 8);
    assert_int_equal(search_leaves(own, 8, &desk->leaves, &error), LR_E_ARGUMENT);
    options.leaves = true;
    struct search *search = opened(gate, &options);
    assert_int_equal(search_leaves(search, 8, &desk->leaves, &error), LR_E_ARGUMENT); /* no root */
    assert_int_equal(search_begin(search, state_in(&root), 1, NULL), LR_OK);
    assert_int_equal(search_leaves(search, 8, &desk->leaves, &error), 1);
    const float bad[] = {NAN, INFINITY, 1.5f, -1.01f};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(search_answer(search, &bad[i], NULL, &error), LR_E_ARGUMENT);
        assert_non_null(strstr(error.text, "leaf 0"));
    }
    uint16_t legal[LR_MAX_ACTIONS];
    lr_legal(gate, state_in(&root), legal);
    desk->priors[legal[0]] = -1;
    assert_int_equal(search_answer(search, desk->values, desk->priors, &error), LR_E_ARGUMENT);
    struct search_result *result = malloc(sizeof *result);
    search_result(search, result);
    for (int i = 0; i < result->count; i++) assert_int_equal(result->visits[i], 0);
    desk->priors[legal[0]] = 1;
    assert_int_equal(search_answer(search, desk->values, desk->priors, &error), LR_OK);
    free(result);
    close_desk(desk);
    search_close(search);
    search_close(own);
}

/* ---- Options ---- */

static void refused(struct search_options options, const char *word) {
    struct search *search = NULL;
    lr_error error;
    assert_int_equal(search_open(duel, &options, &search, &error), LR_E_ARGUMENT);
    if (!strstr(error.text, word)) fail_msg("'%s' does not say '%s'", error.text, word);
}

static void options_out_of_range_are_refused_by_name(void **unused) {
    (void)unused;
    struct search_options o = mcts_options(0);
    refused(o, "limit");
    o = mcts_options(10), o.threads = 0;
    refused(o, "threads");
    o = mcts_options(10), o.threads = 2, o.leaves = true;
    refused(o, "one thread");
    o = mcts_options(10), o.expand_after = 0;
    refused(o, "expand_after");
    o = mcts_options(10), o.rollout_length = -2;
    refused(o, "rollout_length");
    o = mcts_options(10), o.tree_nodes = 100;
    refused(o, "tree_nodes");
    o = mcts_options(10), o.method = 7;
    refused(o, "method");
    o = expectimax_options(SEARCH_DEPTH + 1);
    refused(o, "depth");
    o = expectimax_options(2), o.leaves = true;
    refused(o, "leaves");
    o = expectimax_options(2), o.threads = 2;
    refused(o, "threads");
}

static void bad_spec(const char *spec, const char *word) {
    lr_chooser *chooser = NULL;
    lr_error error;
    const int code = agent_open(spec, &chooser, &error);
    assert_null(chooser);
    assert_int_equal(code, LR_E_ARGUMENT);
    if (!strstr(error.text, word)) fail_msg("%s: '%s' does not say '%s'", spec, error.text, word);
}

static void bad_specs_get_a_sentence(void **unused) {
    (void)unused;
    bad_spec("mcts:speed=3", "no option 'speed'; it has: simulations, nodes, seconds");
    bad_spec("greedy:speed=3", "greedy has no options");
    bad_spec("mcts:simulations", "needs a value");
    bad_spec("mcts:simulations=", "whole number");
    bad_spec("mcts:simulations=many", "whole number");
    bad_spec("mcts:simulations=-1", "whole number");
    bad_spec("mcts:simulations=99999999999999999999", "whole number");
    bad_spec("mcts:,", "no option ''");
    bad_spec("mcts:exploration=x", "number from 0");
    bad_spec("mcts:exploration=nan", "number from 0");
    bad_spec("mcts:seconds=1e9", "seconds");
    bad_spec("mcts:rollout=clever", "random or greedy");
    bad_spec("mcts:threads=0", "threads");
    bad_spec("expectimax:depth=1000", "depth");
    bad_spec("expectimax:simulations=5", "it has: depth, nodes");
}

static void same_options(const struct search_options *a, const struct search_options *b) {
    assert_int_equal(a->method, b->method);
    assert_int_equal(a->simulations, b->simulations);
    assert_int_equal(a->nodes, b->nodes);
    assert_int_equal(a->microseconds, b->microseconds);
    assert_int_equal(a->depth, b->depth);
    assert_int_equal(a->samples, b->samples);
    assert_int_equal(a->width, b->width);
    assert_int_equal(a->tree_nodes, b->tree_nodes);
    assert_int_equal(a->exploration, b->exploration);
    assert_int_equal(a->prior, b->prior);
    assert_int_equal(a->expand_after, b->expand_after);
    assert_int_equal(a->rollout, b->rollout);
    assert_int_equal(a->rollout_length, b->rollout_length);
    assert_int_equal(a->threads, b->threads);
    assert_int_equal(a->leaves, b->leaves);
}

/* The agent of a spec chooses what the search with those options finds. */
static void specs_set_what_they_say(void **unused) {
    (void)unused;
    state_room root;
    uint16_t legal[LR_MAX_ACTIONS];
    lr_chooser *chooser = NULL;
    struct search_options options = search_defaults(SEARCH_MCTS);
    options.simulations = 321;
    options.exploration = 2500;
    options.prior = PRIOR_NONE;
    options.expand_after = 7;
    options.rollout = ROLLOUT_GREEDY;
    options.rollout_length = 4;
    options.threads = 2;
    options.tree_nodes = 5000;
    const char *spec =
        "mcts:simulations=321,exploration=2.5,prior=none,expand=7,rollout=greedy,length=4,threads=2,tree=5000";
    assert_int_equal(agent_open(spec, &chooser, NULL), LR_OK);
    assert_string_equal(chooser->name, spec);
    same_options(chooser->config, &options);
    assert_int_equal(chooser->scratch_bytes, search_bytes(NULL, &options));
    assert_true(random_decision(gate, 3, 20, state_in(&root)));
    const int count = lr_legal(gate, state_in(&root), legal);
    void *scratch = aligned_alloc(64, chooser->scratch_bytes);
    struct search_result *result = searched(gate, &options, state_in(&root), 77, 0);
    assert_int_equal(chooser->choose(chooser, scratch, gate, state_in(&root), legal, count, 77), result->best);
    free(result);
    free(scratch);
    agent_close(chooser);

    assert_int_equal(agent_open("mcts:nodes=500", &chooser, NULL), LR_OK);
    assert_int_equal(((const struct search_options *)chooser->config)->simulations, 0); /* its own limit is lifted */
    agent_close(chooser);
    assert_int_equal(agent_open("mcts", &chooser, NULL), LR_OK);
    options = search_defaults(SEARCH_MCTS);
    same_options(chooser->config, &options);
    agent_close(chooser);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expectimax_equals_plain_recursion),
        cmocka_unit_test(expectimax_slices_are_exact),
        cmocka_unit_test(every_simulation_is_a_visit),
        cmocka_unit_test(the_line_is_legal),
        cmocka_unit_test(slices_do_not_matter),
        cmocka_unit_test(roots_where_no_player_moves_are_refused),
        cmocka_unit_test(a_full_tree_searches_on_in_its_memory),
        cmocka_unit_test(memory_is_what_was_stated),
        cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(expectimax_with_samples_still_solves),
        cmocka_unit_test(little_effort_plays_by_habit),
        cmocka_unit_test(sampled_slices_do_not_matter),
        cmocka_unit_test(races_are_run_in_halves),
        cmocka_unit_test(searching_longer_comes_closer_to_the_best),
        cmocka_unit_test(dice_fall_by_their_weights),
        cmocka_unit_test(leaf_by_leaf_is_the_search_itself),
        cmocka_unit_test(batches_of_leaves_save_rounds),
        cmocka_unit_test(given_priors_lead_the_search),
        cmocka_unit_test(bad_answers_are_refused_whole),
        cmocka_unit_test(options_out_of_range_are_refused_by_name),
        cmocka_unit_test(bad_specs_get_a_sentence),
        cmocka_unit_test(specs_set_what_they_say),
    };
    return cmocka_run_group_tests(tests, open_games, close_games);
}
