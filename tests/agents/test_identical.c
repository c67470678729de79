/* test_identical.c: a tournament of identical bots finds no difference between them, by either of two ways: against
 * each other on common dice they play the same game twice; against a third, on dice of their own, they differ by chance
 * alone. */
#include "agents/standings.h"
#include "agents/tournament.h"
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

#ifdef NDEBUG
enum { PAIRS = 2000 };
#else
enum { PAIRS = 400 };
#endif

static lr_game *game;
static char folder[] = "identical-XXXXXX", path[64];

static int open_duel(void **state) {
    (void)state;
    if (lr_game_open("cedar-mountain/duel", &game, NULL) || !mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/ledger.db", folder);
    return 0;
}

static int close_duel(void **state) {
    (void)state;
    lr_game_close(game);
    return rmdir(folder);
}

/* Plays the pairs of a gauntlet in which the first `challengers` of the bots meet the others. */
static struct ledger *play(const char *const *specs, int bots, int challengers) {
    struct plan *plan = plan_new();
    struct ledger *ledger;
    bool complete;
    lr_error error;
    plan->format = PLAN_GAUNTLET;
    plan->challengers = challengers;
    plan->rounds = PAIRS;
    for (int i = 0; i < bots; i++) {
        const char name[] = {(char)('a' + i), 0};
        assert_int_equal(plan_add_bot(plan, name, specs[i], &error), LR_OK);
    }
    assert_int_equal(plan_add_scenario(plan, "cedar-mountain/duel", &error), LR_OK);
    assert_int_equal(plan_check(plan, &error), LR_OK);
    if (ledger_create(path, plan, (const lr_game *const[]){game}, &ledger, &error)) fail_msg("%s", error.text);
    const struct tournament tournament = {.ledger = ledger, .games = (const lr_game *const[]){game}, .workers = 2};
    if (tournament_run(&tournament, &complete, &error)) fail_msg("%s", error.text);
    assert_true(complete);
    ledger_close(ledger);
    plan_close(plan);
    if (ledger_open(path, &ledger, &error)) fail_msg("%s", error.text);
    return ledger;
}

static void end(struct ledger *ledger) {
    char lock[80];
    ledger_close(ledger);
    unlink(path);
    snprintf(lock, sizeof lock, "%s.lock", path);
    unlink(lock);
}

/* The same bot, dice and own draws on each side: swapping two equals changes nothing. */
static void identical_bots_play_the_same_game_twice_in_a_pair(void **state) {
    (void)state;
    const char *const specs[][2] = {{"random", "random"}, {"greedy", "greedy"}};
    for (int i = 0; i < 2; i++) {
        struct ledger *ledger = play(specs[i], 2, 1);
        struct ledger_game even, odd;
        struct strength strength;
        struct standings *standings;
        int64_t pairs = 0;
        for (; ledger_next(ledger, &even, NULL) == 1; pairs++) {
            assert_int_equal(ledger_next(ledger, &odd, NULL), 1);
            assert_int_equal(odd.id, even.id + 1);
            assert_int_equal(odd.bots[LR_UNION], even.bots[LR_CONFEDERATE]);
            assert_int_equal(odd.seed, even.seed);
            assert_int_equal(odd.result.hash, even.result.hash);
        }
        assert_int_equal(pairs, PAIRS);
        assert_int_equal(standings_read(ledger, "b", &standings, NULL), LR_OK);
        const struct tally tally = standings_meeting(standings, 0, 1, -1);
        strength_of(&tally, &strength);
        assert_true(strength.elo.value == 0 && strength.level == 1);
        assert_true(strength.elo.high < 700.0 / PAIRS && strength.elo.low > -700.0 / PAIRS);
        assert_true(fabs(standings->saving.value - 1) < 1e-9);
        standings_close(standings);
        end(ledger);
    }
}

static double points(const int64_t games[3]) {
    return ((double)games[1] / 2 + (double)games[2]) / (double)(games[0] + games[1] + games[2]);
}

static void identical_bots_differ_by_chance_alone_against_a_third(void **state) {
    (void)state;
    const char *const specs[] = {"greedy", "greedy", "random"};
    struct ledger *ledger = play(specs, 3, 2);
    struct standings *standings;
    struct strength one, other;
    assert_int_equal(standings_read(ledger, NULL, &standings, NULL), LR_OK);
    const struct tally tallies[] = {standings_meeting(standings, 0, 2, -1), standings_meeting(standings, 1, 2, -1)};
    strength_of(&tallies[0], &one);
    strength_of(&tallies[1], &other);
    assert_int_equal(one.pairs, PAIRS);
    double error = sqrt(one.error * one.error + other.error * other.error);
    double sigmas = (one.score.value - other.score.value) / error;
    print_message("%d pairs each: %.4f and %.4f, %.2f sigma; %+.0f and %+.0f Elo\n", PAIRS, one.score.value,
                  other.score.value, sigmas, standings->records[0].rating.value, standings->records[1].rating.value);
    assert_true(error > 0 && fabs(sigmas) < 3);
    for (int side = 0; side < 2; side++) {
        const int64_t *a = standings->records[0].games[side], *b = standings->records[1].games[side];
        assert_int_equal(a[0] + a[1] + a[2], PAIRS);
        assert_int_equal(b[0] + b[1] + b[2], PAIRS);
        double p = (points(a) + points(b)) / 2;
        assert_true(fabs(points(a) - points(b)) <= 3 * sqrt(2 * p * (1 - p) / PAIRS));
    }
    standings_close(standings);
    end(ledger);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identical_bots_play_the_same_game_twice_in_a_pair),
        cmocka_unit_test(identical_bots_differ_by_chance_alone_against_a_third),
    };
    return cmocka_run_group_tests(tests, open_duel, close_duel);
}
