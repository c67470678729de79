/* test_plan.c: plans and the schedules that follow from them. */
#include "agents/schedule.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// cmocka needs the four above
#include <cmocka.h>

static struct plan *read_plan(const char *text) {
    struct plan *plan;
    lr_error error;
    if (plan_read("plan", text, strlen(text), &plan, &error)) fail_msg("%s", error.text);
    return plan;
}

static const char full[] =
    "name: \"It's \\\"the\\\" league\"\n"
    "format: gauntlet\n"
    "challengers: 2\n"
    "bots: [{spec: random}, {name: b, spec: 'x:y=1,z=\\2'}, {spec: greedy}, {name: d, spec: greedy}]\n"
    "scenarios: [one, two, three]\n"
    "rounds: 2\n"
    "seed: 18446744073709551615\n"
    "clock: {move_ms: 1500, nodes: 3}\n"
    "adjudication: none\n"
    "workers: 3\n";

static void a_plan_is_read_and_what_is_left_out_is_filled(void **state) {
    (void)state;
    struct plan *plan = read_plan(full);
    assert_string_equal(plan->name, "It's \"the\" league");
    assert_int_equal(plan->format, PLAN_GAUNTLET);
    assert_int_equal(plan->bot_count, 4);
    assert_string_equal(plan->bots[0].name, "random");
    assert_string_equal(plan->bots[1].spec, "x:y=1,z=\\2");
    assert_string_equal(plan->scenarios[2], "three");
    assert_true(plan->seed == UINT64_MAX);
    assert_int_equal(plan->clock.move_us, 1500000);
    assert_int_equal(plan->clock.game_us, 0);
    assert_int_equal(plan->clock.nodes, 3);
    assert_int_equal(plan->workers, 3);
    plan_close(plan);
    plan = read_plan(
        "format: sprt\nbots: [{spec: a}, {spec: b}]\nscenarios: [one]\nsprt: {elo0: -2.5, elo1: 1e1, cap: 7}\n");
    assert_true(plan->seed == 1 && plan->sprt.elo0 == -2.5 && plan->sprt.elo1 == 10 && plan->sprt.alpha == 0.05);
    plan_close(plan);
}

/* The text is a fixed point, and does not tell how many workers play. */
static void the_normal_text_is_read_back_as_the_same_plan(void **state) {
    (void)state;
    static const char *const texts[] = {
        full,
        "format: sprt\nbots: [{spec: a}, {spec: b}]\nscenarios: [one]\n"
        "sprt: {elo0: 0.1, elo1: 0.30000000000000004, alpha: 0.0123, beta: 0.25, cap: 7}\n",
        "format: round-robin\nbots: [{spec: a}, {spec: 'ümlaut'}]\nscenarios: [one]\nrounds: 1000000\nworkers: 9\n"};
    for (int i = 0; i < 3; i++) {
        struct plan *plan = read_plan(texts[i]);
        char *text = plan_text(plan);
        struct plan *again = read_plan(text);
        char *second = plan_text(again);
        assert_string_equal(text, second);
        assert_null(strstr(text, "workers"));
        assert_true(plan->seed == again->seed && plan->rounds == again->rounds && plan->sprt.elo1 == again->sprt.elo1);
        assert_string_equal(plan->bots[1].spec, again->bots[1].spec);
        plan_close(plan);
        plan_close(again);
        free(text);
        free(second);
    }
}

/* Counts each pair of games of a plan, and proves each pair. */
static void check_schedule(const struct plan *plan, int pairings) {
    const int64_t games = schedule_games(plan);
    const int bots = (int)plan->bot_count, scenarios = (int)plan->scenario_count;
    int *met = calloc((size_t)bots * (size_t)bots * (size_t)scenarios, sizeof *met);
    assert_int_equal(schedule_pairings(plan), pairings);
    uint64_t seeds = 0;
    for (int64_t id = 0; id < games; id += 2) {
        const struct fixture a = schedule_game(plan, id), b = schedule_game(plan, id + 1);
        assert_true(a.id == id && b.id == id + 1);
        assert_true(a.scenario == b.scenario && a.round == b.round && a.pairing == b.pairing && a.seed == b.seed);
        assert_int_equal(a.bots[LR_UNION], b.bots[LR_CONFEDERATE]);
        assert_int_equal(a.bots[LR_CONFEDERATE], b.bots[LR_UNION]);
        int pairing[2];
        schedule_pairing(plan, a.pairing, pairing);
        assert_int_equal(a.bots[LR_UNION], pairing[0]);
        assert_int_equal(a.bots[LR_CONFEDERATE], pairing[1]);
        assert_true(pairing[0] < pairing[1] && pairing[1] < bots);
        assert_true(a.seed == lr_environment_seed(plan->seed, (uint64_t)id / 2) && a.seed != seeds);
        seeds = a.seed;
        met[(pairing[0] * bots + pairing[1]) * scenarios + a.scenario]++;
    }
    for (int i = 0; i < bots * bots * scenarios; i++) {
        const int first = i / scenarios / bots, second = i / scenarios % bots;
        const bool meets = first < second && (plan->format != PLAN_GAUNTLET ||
                                              (first < plan->challengers && second >= plan->challengers));
        assert_int_equal(met[i], meets ? plan->rounds : 0);
    }
    free(met);
}

static void everyone_meets_everyone_alike_in_pairs_with_sides_swapped(void **state) {
    (void)state;
    struct plan *plan = read_plan(full);
    check_schedule(plan, 2 * 2);
    plan->format = PLAN_ROUND_ROBIN;
    plan->challengers = 0;
    check_schedule(plan, 4 * 3 / 2);
    plan_close(plan);
}

static void an_sprt_goes_through_its_scenarios_in_turn_up_to_its_cap(void **state) {
    (void)state;
    struct plan *plan =
        read_plan("format: sprt\nbots: [{spec: a}, {spec: b}]\nscenarios: [x, y]\nsprt: {elo0: 0, elo1: 5, cap: 7}\n");
    assert_int_equal(schedule_games(plan), 14);
    for (int64_t id = 0; id < 14; id++) {
        const struct fixture fixture = schedule_game(plan, id);
        assert_int_equal(fixture.scenario, id / 2 % 2);
        assert_int_equal(fixture.bots[LR_UNION], id % 2);
    }
    plan_close(plan);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_is_read_and_what_is_left_out_is_filled),
        cmocka_unit_test(the_normal_text_is_read_back_as_the_same_plan),
        cmocka_unit_test(everyone_meets_everyone_alike_in_pairs_with_sides_swapped),
        cmocka_unit_test(an_sprt_goes_through_its_scenarios_in_turn_up_to_its_cap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
