/* test_standings.c: what is counted from a ledger's games, with ledgers whose results are made up so that every number
 * is known beforehand. */
#include "agents/standings.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
// cmocka needs the four of them above
#include <cmocka.h>

static const char *const names[] = {"cedar-mountain/duel", "cedar-mountain/gate"};

struct setting {
    lr_game *games[2];
    char folder[64], path[96];
};

static int open_games(void **state) {
    struct setting *setting = calloc(1, sizeof *setting);
    lr_error error;
    for (int i = 0; i < 2; i++)
        if (lr_game_open(names[i], &setting->games[i], &error)) return -1;
    strcpy(setting->folder, "standings-XXXXXX");
    if (!mkdtemp(setting->folder)) return -1;
    *state = setting;
    return 0;
}

static void remove_ledger(const struct setting *setting) {
    static const char *const ends[] = {"", "-wal", "-shm", ".lock", "-lock"};
    char path[128];
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        snprintf(path, sizeof path, "%s%s", setting->path, ends[i]);
        unlink(path);
    }
}

static int close_games(void **state) {
    struct setting *setting = *state;
    for (int i = 0; i < 2; i++) lr_game_close(setting->games[i]);
    rmdir(setting->folder);
    free(setting);
    return 0;
}

/* ---- Made-up ledgers ---- */

/* How game `id` ends: the winner, and how it comes to be. */
typedef void ending(const struct fixture *fixture, struct game_result *result);

static struct plan *a_plan(int format, int rounds, unsigned scenarios) {
    static const char *const specs[] = {"greedy", "random", "greedy"}, *const bots[] = {"g", "r", "h"};
    struct plan *plan = plan_new();
    lr_error error;
    plan->format = format;
    plan->rounds = rounds;
    for (int i = 0; i < (format == PLAN_SPRT ? 2 : 3); i++)
        assert_int_equal(plan_add_bot(plan, bots[i], specs[i], &error), LR_OK);
    for (unsigned i = 0; i < scenarios; i++) assert_int_equal(plan_add_scenario(plan, names[i], &error), LR_OK);
    if (format == PLAN_SPRT) plan->sprt = (struct sprt){0, 50, 0.05, 0.05, 300};
    if (plan_check(plan, &error)) fail_msg("%s", error.text);
    return plan;
}

/* A new ledger with all games of the plan but those from `skip` to `resume`, opened to be read. */
static struct ledger *a_ledger(struct setting *setting, const struct plan *plan, ending *end, int64_t skip,
                               int64_t resume) {
    struct ledger *ledger;
    lr_error error;
    snprintf(setting->path, sizeof setting->path, "%s/ledger.db", setting->folder);
    remove_ledger(setting);
    if (ledger_create(setting->path, plan, (const lr_game *const *)setting->games, &ledger, &error))
        fail_msg("%s", error.text);
    for (int64_t id = 0; id < schedule_games(plan); id++) {
        if (id >= skip && id < resume) continue;
        const struct fixture fixture = schedule_game(plan, id);
        struct ledger_game game = {.id = id, .scenario = fixture.scenario, .seed = fixture.seed};
        memcpy(game.bots, fixture.bots, sizeof game.bots);
        game.result = (struct game_result){.at_fault = LR_NOBODY,
                                           .winner = LR_NOBODY,
                                           .decisions = 10,
                                           .dice = 3,
                                           .thought_us = {1000, 2000},
                                           .reason = "made up"};
        end(&fixture, &game.result);
        assert_true(ledger_put(ledger, &game, (const uint16_t[1]){0})); /* length 0: no actions */
    }
    assert_int_equal(ledger_flush(ledger, &error), LR_OK);
    ledger_close(ledger);
    if (ledger_open(setting->path, &ledger, &error)) fail_msg("%s", error.text);
    return ledger;
}

static struct standings *standings_of(struct ledger *ledger, const char *anchor) {
    struct standings *standings;
    lr_error error;
    if (standings_read(ledger, anchor, &standings, &error)) fail_msg("%s", error.text);
    return standings;
}

/* Bot 0 beats all, on either side; 1 and 2 draw when 1 is the Union, and 2 then loses by a time-out when it is. */
static void by_number(const struct fixture *fixture, struct game_result *result) {
    if (fixture->bots[0] == 0 || fixture->bots[1] == 0) {
        result->winner = fixture->bots[0] == 0 ? LR_UNION : LR_CONFEDERATE;
    } else if (fixture->bots[LR_UNION] == 2) {
        result->end = GAME_TIMEOUT;
        result->at_fault = LR_UNION;
        result->winner = LR_CONFEDERATE;
    }
}

static void games_are_counted_by_bot_side_scenario_and_fault(void **state) {
    struct setting *setting = *state;
    struct plan *plan = a_plan(PLAN_ROUND_ROBIN, 10, 2);
    struct ledger *ledger = a_ledger(setting, plan, by_number, 0, 0);
    struct standings *standings = standings_of(ledger, NULL);
    const struct record *records = standings->records;
    assert_int_equal(standings->games, 120);
    assert_int_equal(standings->expected, 120);
    assert_int_equal(standings->pair_count, 60);
    assert_int_equal(standings->anchor, 0); /* greedy */
    assert_int_equal(records[0].games[LR_UNION][2], 40);
    assert_int_equal(records[0].games[LR_CONFEDERATE][2], 40);
    assert_int_equal(records[1].games[LR_UNION][1], 20);
    assert_int_equal(records[1].games[LR_CONFEDERATE][2], 20);
    assert_int_equal(records[2].games[LR_UNION][0], 40);
    assert_int_equal(records[2].faults[GAME_TIMEOUT], 20);
    assert_int_equal(records[1].faults[GAME_TIMEOUT], 0);
    assert_int_equal(records[0].thought_us, 40 * 1000 + 40 * 2000);
    assert_int_equal(standings->fields[0].games[2] + standings->fields[0].games[0], 50); /* of 60, ten drawn */
    assert_int_equal(standings->fields[1].games[1], 10);
    assert_int_equal(standings->order[0], 0);
    assert_int_equal(standings->order[1], 1);
    assert_true(records[0].rating.value == 0 && records[1].rating.high < -300 &&
                records[2].rating.value < records[1].rating.low);
    const struct tally meeting = standings_meeting(standings, 2, 1, 1);
    assert_int_equal(meeting.pairs[0][1], 10);
    assert_int_equal(tally_count(&meeting), 10);
    standings_close(standings);
    ledger_close(ledger);
    plan_close(plan);
    remove_ledger(setting);
}

static void an_unfinished_tournament_has_standings(void **state) {
    struct setting *setting = *state;
    struct plan *plan = a_plan(PLAN_ROUND_ROBIN, 10, 1);
    struct ledger *ledger = a_ledger(setting, plan, by_number, 7, 60);
    struct standings *standings = standings_of(ledger, "h");
    struct interval ratings[3];
    assert_int_equal(standings->games, 7);
    assert_int_equal(standings->pair_count, 3);
    assert_int_equal(standings->anchor, 2);
    assert_int_equal(standings_at(standings, 1, ratings, NULL), LR_OK);
    assert_true(isnan(ratings[0].value) && isnan(ratings[1].value)); /* the first pair is g - r: no chain to h */
    assert_int_equal(standings_at(standings, 3, ratings, NULL), LR_OK);
    assert_true(ratings[2].value == 0);
    assert_true(ratings[0].value == standings->records[0].rating.value);
    standings_close(standings);
    ledger_close(ledger);
    plan_close(plan);
    remove_ledger(setting);
}

static void an_unknown_anchor_is_refused_with_the_names(void **state) {
    struct setting *setting = *state;
    struct plan *plan = a_plan(PLAN_ROUND_ROBIN, 1, 1);
    struct ledger *ledger = a_ledger(setting, plan, by_number, 0, 0);
    struct standings *standings;
    lr_error error;
    assert_int_equal(standings_read(ledger, "napoleon", &standings, &error), LR_E_NOT_FOUND);
    assert_non_null(strstr(error.text, "napoleon"));
    assert_non_null(strstr(error.text, "g, r, h"));
    ledger_close(ledger);
    plan_close(plan);
    remove_ledger(setting);
}

/* An SPRT that is decided early, with games beyond the deciding pair, as a runner with many workers leaves them. */
static void an_sprt_counts_up_to_its_deciding_pair_and_never_over_a_gap(void **state) {
    struct setting *setting = *state;
    struct plan *plan = a_plan(PLAN_SPRT, 0, 1);
    struct ledger *ledger = a_ledger(setting, plan, by_number, 0, 0);
    struct standings *standings = standings_of(ledger, NULL);
    int64_t deciding = standings->pair_count;
    assert_int_equal(standings->sprt.end, SPRT_H1);
    assert_in_range(deciding, 20, 25); /* each pair won adds log(score_of_elo(50) / 0.5) = 0.134 towards 2.944 */
    assert_int_equal(standings->games, 2 * deciding);
    standings_close(standings);
    ledger_close(ledger);
    ledger = a_ledger(setting, plan, by_number, 11, 12);
    standings = standings_of(ledger, NULL);
    assert_int_equal(standings->sprt.end, SPRT_RUNNING);
    assert_int_equal(standings->pair_count, 5);
    assert_int_equal(standings->games, 11);
    standings_close(standings);
    ledger_close(ledger);
    plan_close(plan);
    remove_ledger(setting);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(games_are_counted_by_bot_side_scenario_and_fault),
        cmocka_unit_test(an_unfinished_tournament_has_standings),
        cmocka_unit_test(an_unknown_anchor_is_refused_with_the_names),
        cmocka_unit_test(an_sprt_counts_up_to_its_deciding_pair_and_never_over_a_gap),
    };
    return cmocka_run_group_tests(tests, open_games, close_games);
}
