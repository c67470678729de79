/* test_agents.c: agents, matches and self-play on a ruleset that can be checked by hand (race.h). */
#include "agents/agent.h"
#include "race.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
// cmocka needs the four above
#include <cmocka.h>

static int open_race(void **state) {
    lr_game *game;
    lr_error error;
    if (lr_game_make(&race_ruleset, "race", "", 0, ".", &game, &error)) return -1;
    *state = game;
    return 0;
}

static int close_race(void **state) {
    lr_game_close(*state);
    return 0;
}

static void agents_are_opened_by_name(void **state) {
    (void)state;
    lr_error error;
    lr_chooser *chooser = NULL;
    for (int i = 0; agent_at(i); i++) {
        assert_int_equal(agent_open(agent_at(i)->chooser.name, &chooser, &error), LR_OK);
        assert_string_equal(chooser->name, agent_at(i)->chooser.name);
        assert_ptr_equal(chooser->choose, agent_at(i)->chooser.choose);
        agent_close(chooser);
    }
    assert_null(agent_at(-1));
    assert_int_equal(agent_open("napoleon", &chooser, &error), LR_E_NOT_FOUND);
    assert_int_equal(error.code, LR_E_NOT_FOUND);
    assert_non_null(strstr(error.text, "napoleon"));
    assert_non_null(strstr(error.text, "random, greedy"));
}

static void greedy_takes_the_best_and_the_lowest_of_equals(void **state) {
    const lr_game *game = *state;
    uint64_t bytes[1];
    int32_t scratch[LR_MAX_ACTIONS];
    const uint16_t all[] = {0, 1, 2}, one[] = {0}, ends[] = {0, 2};
    const lr_chooser *greedy = &agent_greedy.chooser;
    lr_state *first = (lr_state *)(void *)bytes;
    assert_int_equal(lr_game_info(game)->state_bytes, sizeof bytes);
    lr_start(game, first);
    assert_int_equal(greedy->choose(greedy, scratch, game, first, all, 3, 7), 1);
    assert_int_equal(greedy->choose(greedy, scratch, game, first, one, 1, 7), 0);
    assert_int_equal(greedy->choose(greedy, scratch, game, first, ends, 2, 7), 2);
}

static void random_chooses_every_legal_action_evenly(void **state) {
    const lr_game *game = *state;
    const uint16_t legal[] = {2, 5, 7};
    int counts[8] = {0};
    const lr_chooser *chooser = &agent_random.chooser;
    for (uint64_t i = 0; i < 3000; i++)
        counts[chooser->choose(chooser, NULL, game, NULL, legal, 3, lr_agent_stream(1, 0, 0, (uint32_t)i))]++;
    for (int i = 0; i < 3; i++) assert_in_range(counts[legal[i]], 850, 1150);
}

/* Greedy steps 2 each turn: with the dice known, the game can be followed by hand. */
static void a_match_is_played_to_its_end_and_counted(void **state) {
    const lr_game *game = *state;
    const lr_chooser *agents[2] = {&agent_greedy.chooser, &agent_greedy.chooser};
    struct match *match;
    struct match_result result;
    lr_error error;
    lr_replay *replay;
    assert_int_equal(match_open(game, agents, &match, &error), LR_OK);
    assert_int_equal(lr_replay_new(game, 11, 0, "greedy", "greedy", &replay, &error), LR_OK);
    assert_int_equal(match_play(match, 11, 0, replay, &result, &error), LR_OK);
    int place[2] = {0}, side = 0;
    for (int i = 0; i < lr_replay_length(replay); i += 2, side = !side) {
        assert_int_equal(lr_replay_action(replay, i), 1);
        place[side] += 2;
        if (i + 1 < lr_replay_length(replay)) place[side] += lr_replay_action(replay, i + 1) + 1;
    }
    assert_int_equal(result.winner, place[0] >= 30 ? LR_UNION : LR_CONFEDERATE);
    assert_int_equal(result.score, place[0] - place[1]);
    assert_string_equal(result.reason, "goal reached");
    assert_int_equal((int)(result.decisions + result.dice), lr_replay_length(replay));
    assert_int_equal((int)result.legal, 3 * (int)result.decisions);
    lr_replay_free(replay);
    match_close(match);
}

static void the_same_seed_gives_the_same_game_and_another_another(void **state) {
    const lr_game *game = *state;
    const lr_chooser *agents[2] = {&agent_random.chooser, &agent_greedy.chooser};
    struct match *match;
    struct match_result first, again, other, later;
    assert_int_equal(match_open(game, agents, &match, NULL), LR_OK);
    assert_int_equal(match_play(match, 5, 0, NULL, &first, NULL), LR_OK);
    assert_int_equal(match_play(match, 6, 0, NULL, &other, NULL), LR_OK);
    assert_int_equal(match_play(match, 5, 1, NULL, &later, NULL), LR_OK);
    assert_int_equal(match_play(match, 5, 0, NULL, &again, NULL), LR_OK);
    match_close(match);
    assert_true(first.hash == again.hash);
    assert_true(first.hash != other.hash);
    assert_true(first.hash != later.hash);
}

static int choose_badly(const lr_chooser *self, void *scratch, const lr_game *game, const lr_state *state,
                        const uint16_t *legal, int count, uint64_t stream) {
    (void)self, (void)scratch, (void)game, (void)state, (void)legal, (void)count, (void)stream;
    return 5;
}

static const lr_chooser bad = {.name = "bad", .choose = choose_badly};

static void an_illegal_choice_ends_the_match_with_a_sentence(void **state) {
    const lr_chooser *agents[2] = {&agent_greedy.chooser, &bad};
    struct match *match;
    struct match_result result;
    lr_error error;
    assert_int_equal(match_open(*state, agents, &match, &error), LR_OK);
    assert_int_equal(match_play(match, 1, 0, NULL, &result, &error), LR_E_ILLEGAL);
    match_close(match);
    assert_non_null(strstr(error.text, "agent bad chose action 5"));
}

enum { GAMES = 500 };

static struct selfplay plan_of(const lr_game *game, int threads) {
    struct selfplay plan = {.game = game, .seed = 3, .games = GAMES, .threads = threads};
    plan.agents[0] = &agent_random.chooser;
    plan.agents[1] = &agent_greedy.chooser;
    return plan;
}

static void selfplay_does_not_depend_on_threads(void **state) {
    static struct match_result results[GAMES];
    const int threads[] = {1, 2, 8};
    uint64_t hashes[3];
    for (int i = 0; i < 3; i++) {
        struct selfplay plan = plan_of(*state, threads[i]);
        struct selfplay_result outcome;
        assert_int_equal(selfplay_run(&plan, results, &outcome, NULL), LR_OK);
        assert_int_equal(outcome.played, GAMES);
        hashes[i] = outcome.hash;
    }
    assert_true(hashes[0] == hashes[1] && hashes[0] == hashes[2]);
}

static void game_i_of_selfplay_is_the_match_with_its_seed(void **state) {
    static struct match_result results[GAMES];
    struct selfplay plan = plan_of(*state, 2);
    struct selfplay_result outcome;
    struct match *match;
    struct match_result alone;
    assert_int_equal(selfplay_run(&plan, results, &outcome, NULL), LR_OK);
    assert_int_equal(match_open(*state, plan.agents, &match, NULL), LR_OK);
    assert_int_equal(match_play(match, lr_environment_seed(3, 321), 0, NULL, &alone, NULL), LR_OK);
    match_close(match);
    assert_true(alone.hash == results[321].hash);
}

/* A batch with the agent as its opponent, the learner played as the other agent would, gives the same game. */
static void a_match_is_the_game_that_a_batch_plays(void **state) {
    const lr_game *game = *state;
    const lr_chooser *agents[2] = {&agent_random.chooser, &agent_random.chooser};
    struct match *match;
    struct match_result result;
    assert_int_equal(match_open(game, agents, &match, NULL), LR_OK);
    assert_int_equal(match_play(match, lr_environment_seed(9, 0), 0, NULL, &result, NULL), LR_OK);
    match_close(match);

    lr_batch_options options = {.size = 1, .seed = 9, .autoreset = LR_DISABLED, .learner = LR_UNION};
    options.opponent = &agent_random.chooser;
    lr_batch *batch;
    assert_int_equal(lr_batch_open(game, &options, &batch, NULL), LR_OK);
    while (!lr_batch_stats(batch, 0).over) {
        lr_environment_stats stats = lr_batch_stats(batch, 0);
        uint16_t legal[LR_MAX_ACTIONS];
        int count = lr_legal(game, lr_batch_state(batch, 0), legal);
        uint64_t stream = lr_agent_stream(stats.seed, stats.episode, LR_UNION, stats.length);
        int32_t action = agents[0]->choose(agents[0], NULL, game, lr_batch_state(batch, 0), legal, count, stream);
        assert_int_equal(lr_batch_step(batch, &action, &(lr_arrays){0}, NULL), LR_OK);
    }
    assert_int_equal((int)lr_batch_stats(batch, 0).length, (int)(result.decisions + result.dice));
    assert_int_equal(lr_score(game, lr_batch_state(batch, 0)), result.score);
    lr_batch_close(batch);
}

static int refuse(void *context, int index, const lr_replay *replay, lr_error *error) {
    (void)context, (void)replay;
    if (index < 20) return LR_OK;
    error->code = LR_E_IO;
    strcpy(error->text, "the disk is full");
    return LR_E_IO;
}

static void selfplay_reports_a_replay_that_cannot_be_kept(void **state) {
    static struct match_result results[GAMES];
    struct selfplay plan = plan_of(*state, 2);
    struct selfplay_result outcome;
    lr_error error;
    plan.keep = refuse;
    assert_int_equal(selfplay_run(&plan, results, &outcome, &error), LR_E_IO);
    assert_string_equal(error.text, "the disk is full");
}

static void selfplay_stops_when_told(void **state) {
    static struct match_result results[GAMES];
    const atomic_int stop = 1;
    struct selfplay plan = plan_of(*state, 2);
    struct selfplay_result outcome;
    plan.stop = &stop;
    assert_int_equal(selfplay_run(&plan, results, &outcome, NULL), LR_OK);
    assert_int_equal(outcome.played, 0);
    assert_true(outcome.hash == 0);
    assert_null(results[0].reason);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agents_are_opened_by_name),
        cmocka_unit_test(greedy_takes_the_best_and_the_lowest_of_equals),
        cmocka_unit_test(random_chooses_every_legal_action_evenly),
        cmocka_unit_test(a_match_is_played_to_its_end_and_counted),
        cmocka_unit_test(the_same_seed_gives_the_same_game_and_another_another),
        cmocka_unit_test(an_illegal_choice_ends_the_match_with_a_sentence),
        cmocka_unit_test(selfplay_does_not_depend_on_threads),
        cmocka_unit_test(game_i_of_selfplay_is_the_match_with_its_seed),
        cmocka_unit_test(a_match_is_the_game_that_a_batch_plays),
        cmocka_unit_test(selfplay_reports_a_replay_that_cannot_be_kept),
        cmocka_unit_test(selfplay_stops_when_told),
    };
    return cmocka_run_group_tests(tests, open_race, close_race);
}
