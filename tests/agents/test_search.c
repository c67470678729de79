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
    return options;
}

static struct search_options expectimax_options(int depth) {
    struct search_options options = search_defaults(SEARCH_EXPECTIMAX);
    options.depth = depth;
    options.nodes = 0;
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
    for (uint64_t seed = 1; seed <= 12; seed++) {
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expectimax_equals_plain_recursion),
        cmocka_unit_test(slices_do_not_matter),
        cmocka_unit_test(roots_where_no_player_moves_are_refused),
    };
    return cmocka_run_group_tests(tests, open_games, close_games);
}
