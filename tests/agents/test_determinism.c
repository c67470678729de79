/* The same games everywhere: one hash over self-play of all scenarios, whatever the number of threads; and the keys of
 * dice never come twice in a game. (The number that pins play to the ruleset's version: tests/env/brigade/test_game.c.)
 *
 * CI plays 500 games (60 in builds that audit every state); the long form: test_determinism 10000. Compilers and levels
 * of optimisation are compared by tests/determinism.sh. */
#include "agents/agent.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { SCENARIOS = 8, PAIRS = 3 };

#define GREEDY UINT64_C(0x312354BB685925A2)

#ifdef LONGROLL_AUDIT
static int games = 60;
#else
static int games = 500;
#endif

static const char *const scenarios[SCENARIOS] = {
    "cedar-mountain/historical", "cedar-mountain/free",   "cedar-mountain/historical-pope",
    "cedar-mountain/free-pope",  "cedar-mountain/gate",   "cedar-mountain/cedars",
    "cedar-mountain/duel",       "cedar-mountain/battery"};
static const char *const pairs[PAIRS][2] = {{"random", "random"}, {"greedy", "greedy"}, {"greedy", "random"}};

static lr_game *game[SCENARIOS];

static int open_games(void **unused) {
    (void)unused;
    for (int i = 0; i < SCENARIOS; i++)
        if (lr_game_open(scenarios[i], &game[i], NULL)) return -1;
    return 0;
}

static int close_games(void **unused) {
    (void)unused;
    for (int i = 0; i < SCENARIOS; i++) lr_game_close(game[i]);
    return 0;
}

static const lr_chooser *agent_of(const char *name) {
    return name[0] == 'r' ? &agent_random.chooser : &agent_greedy.chooser;
}

static struct selfplay plan_of(int scenario, int pair, int count, int threads) {
    return (struct selfplay){.game = game[scenario],
                             .agents = {agent_of(pairs[pair][0]), agent_of(pairs[pair][1])},
                             .seed = 1862,
                             .games = count,
                             .threads = threads};
}

static uint64_t played(const struct selfplay *plan) {
    struct match_result *results = malloc((size_t)plan->games * sizeof *results);
    struct selfplay_result outcome;
    lr_error error;
    if (selfplay_run(plan, results, &outcome, &error)) fail_msg("%s", error.text);
    assert_int_equal(outcome.played, plan->games);
    free(results);
    return outcome.hash;
}

/* Over all scenarios and pairs, `count` games in all, at least one each. */
static uint64_t rolling_hash(int count, int threads) {
    uint64_t hash = 0;
    const int kinds = SCENARIOS * PAIRS;
    for (int i = 0; i < kinds; i++) {
        const int some = count / kinds + (i < count % kinds);
        const struct selfplay plan = plan_of(i % SCENARIOS, i / SCENARIOS, some ? some : 1, threads);
        hash = hash_fold(hash, played(&plan));
    }
    return hash;
}

static void test_threads_do_not_matter(void **unused) {
    (void)unused;
    static const int threads[] = {2, 3, 8};
    const uint64_t alone = rolling_hash(games, 1);
    print_message("%d games: %016" PRIX64 "\n", games, alone);
    for (int i = 0; i < 3; i++) assert_int_equal(rolling_hash(games, threads[i]), alone);
}

/* Strength is measured against greedy, so greedy is frozen: twelve games of its against itself on each scenario. If this
 * number moves without the rules' signature (tests/env/brigade/test_game.c), its habits have changed: take that back, or give
 * the new habits a name of their own, and play agents/ladder.sh anew. */
static void test_greedy_is_frozen(void **unused) {
    (void)unused;
    uint64_t hash = 0;
    for (int i = 0; i < SCENARIOS; i++) {
        const struct selfplay plan = plan_of(i, 1, 12, 1);
        hash = hash_fold(hash, played(&plan));
    }
    if (hash != GREEDY) fail_msg("greedy played games with the hash %016" PRIX64, hash);
}

/* ---- Event keys ---- */

static int by_value(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Plays the recorded game again and looks at the key of every die. Called by one thread. */
static int check_keys(void *context, int index, const lr_replay *replay, lr_error *error) {
    const lr_game *g = context;
    const int length = lr_replay_length(replay);
    uint64_t *keys = malloc((size_t)length * sizeof *keys);
    lr_state *state = aligned_alloc(64, 1024);
    int count = 0;
    assert_in_range(lr_game_info(g)->state_bytes, 8, 1024);
    lr_start(g, state);
    for (int i = 0; i < length; i++) {
        const uint64_t key = lr_event(g, state);
        assert_int_equal(key != 0, lr_to_move(g, state) == LR_CHANCE);
        if (key) keys[count++] = key;
        lr_apply(g, state, lr_replay_action(replay, i), error);
    }
    qsort(keys, (size_t)count, sizeof *keys, by_value);
    for (int i = 1; i < count; i++)
        if (keys[i] == keys[i - 1])
            fail_msg("%s, game %d: the event key %016" PRIX64 " comes twice", lr_game_info(g)->scenario, index,
                     keys[i]);
    free(keys);
    free(state);
    return LR_OK;
}

static void test_event_keys_are_unique_in_a_game(void **unused) {
    (void)unused;
    const int kinds = SCENARIOS * PAIRS;
    for (int i = 0; i < kinds; i++) {
        struct selfplay plan = plan_of(i % SCENARIOS, i / SCENARIOS, games / kinds + 1, 1);
        plan.keep = check_keys;
        plan.context = game[i % SCENARIOS];
        played(&plan);
    }
}

int main(int argc, char **argv) {
    if (argc > 1) games = atoi(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_do_not_matter),
        cmocka_unit_test(test_greedy_is_frozen),
        cmocka_unit_test(test_event_keys_are_unique_in_a_game),
    };
    return cmocka_run_group_tests(tests, open_games, close_games);
}
