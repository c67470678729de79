/* test_statistics.c: pairs, intervals and SPRT against known values, and on simulated bots of known strength. */
#include "agents/statistics.h"
#include "env/longroll.h"
#include "simulate.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
// cmocka needs the four above
#include <cmocka.h>

static void assert_near(double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance)) fail_msg("%.9g is not %.9g within %g", value, expected, tolerance);
}

/* ---- Tallies ---- */

static const struct tally mixed = {{{3, 4, 10}, {5, 6, 7}, {20, 8, 15}}};

static void a_tally_gives_points_of_pairs_and_results_by_side(void **state) {
    (void)state;
    const int64_t points[] = {3, 4 + 5, 10 + 6 + 20, 7 + 8, 15}, as_union[] = {17, 18, 43},
                  as_confederate[] = {28, 18, 32};
    int64_t counts[PENTANOMIAL], games[3];
    tally_points(&mixed, counts);
    assert_memory_equal(counts, points, sizeof counts);
    tally_side(&mixed, LR_UNION, games);
    assert_memory_equal(games, as_union, sizeof games);
    tally_side(&mixed, LR_CONFEDERATE, games);
    assert_memory_equal(games, as_confederate, sizeof games);
    assert_int_equal(tally_count(&mixed), 78);
}

static void the_other_player_sees_the_mirror(void **state) {
    (void)state;
    struct tally mirror = tally_mirror(&mixed), twice = tally_mirror(&mirror);
    struct strength ours, theirs;
    int64_t as_union[3], mirrored[3];
    assert_memory_equal(&twice, &mixed, sizeof mixed);
    strength_of(&mixed, &ours);
    strength_of(&mirror, &theirs);
    assert_near(theirs.elo.value, -ours.elo.value, 1e-9);
    assert_near(theirs.elo.low, -ours.elo.high, 1e-6);
    assert_near(theirs.superiority, 1 - ours.superiority, 1e-9);
    tally_side(&mixed, LR_UNION, as_union);
    tally_side(&mirror, LR_CONFEDERATE, mirrored);
    for (int i = 0; i < 3; i++) assert_int_equal(mirrored[i], as_union[2 - i]);
}

static void a_sample_keeps_the_number_and_what_was_never_seen_comes_from_the_prior(void **state) {
    (void)state;
    const struct tally won = {.pairs[2][2] = 1000};
    struct tally plain, smoothed;
    uint64_t position = 0;
    tally_resample(&won, 0, 5, &position, &plain);
    assert_memory_equal(&plain, &won, sizeof won);
    assert_int_equal(position, 1000);
    tally_resample(&won, 100, 5, &position, &smoothed);
    assert_int_equal(tally_count(&smoothed), 1000);
    assert_in_range(1000 - smoothed.pairs[2][2], 40, 130); /* 1000 x 100/1100 x 8/9 = 81 */
}

/* ---- Known values ---- */

static void student_s_t_is_that_of_the_tables(void **state) {
    (void)state;
    assert_near(student_quantile(0.975, 1), 12.7062, 1e-4);
    assert_near(student_quantile(0.975, 10), 2.22814, 1e-5);
    assert_near(student_quantile(0.975, 1e7), 1.95996, 1e-5);
    assert_near(student_share(2, 5), 0.9490303, 1e-7);
    assert_near(student_share(-2, 5), 1 - 0.9490303, 1e-7);
    assert_near(student_share(0, 3), 0.5, 1e-12);
}

static void elo_and_score_are_inverse(void **state) {
    (void)state;
    assert_near(elo_of_score(0.75), 190.8485, 1e-4);
    assert_near(elo_of_score(10.0 / 11), 400, 1e-9);
    assert_near(elo_of_score(score_of_elo(-123)), -123, 1e-9);
    assert_true(isinf(elo_of_score(1)) && elo_of_score(0) < 0);
}

/* 78 pairs: mean 0.596154, standard error 0.0296; by hand. */
static void a_strength_is_that_of_the_pairs(void **state) {
    (void)state;
    const double mean = (9 * 0.25 + 36 * 0.5 + 15 * 0.75 + 15) / 78.0;
    const double around = 3 * mean * mean + 9 * (mean - 0.25) * (mean - 0.25) + 36 * (mean - 0.5) * (mean - 0.5) +
                          15 * (mean - 0.75) * (mean - 0.75) + 15 * (mean - 1) * (mean - 1);
    struct strength strength;
    strength_of(&mixed, &strength);
    assert_int_equal(strength.pairs, 78);
    assert_near(strength.score.value, mean, 1e-12);
    assert_near(strength.error, sqrt(around / 77 / 78), 1e-12);
    assert_near(strength.elo.value, 400 * log10(mean / (1 - mean)), 1e-9);
    assert_near(strength.normalized.value, (mean - 0.5) / sqrt(2 * around / 77) * 800 / log(10), 1e-9);
    assert_near(strength.draws, (18 + 18) / 156.0, 1e-12);
    assert_near(strength.level, 36 / 78.0, 1e-12);
    assert_near(strength.score.low, mean - 1.9913 * strength.error, 0.002);
    assert_near(strength.score.high, mean + 1.9913 * strength.error, 0.002);
}

/* With n pairs all won the likelihood under a mean m is m^n, so the lower end is exp(-t^2 / 2n). */
static void the_interval_of_an_unbroken_run_of_wins_has_a_finite_lower_end(void **state) {
    (void)state;
    const struct tally won = {.pairs[2][2] = 50};
    struct strength strength;
    strength_of(&won, &strength);
    assert_near(strength.score.low, exp(-2.009575 * 2.009575 / 100), 1e-6);
    assert_near(strength.score.high, 1, 0);
    assert_true(isinf(strength.elo.high));
    assert_true(strength.superiority > 0.9999);
}

static void nothing_is_known_of_less_than_two_pairs(void **state) {
    (void)state;
    struct tally tally = {0};
    for (int pairs = 0; pairs < 2; pairs++) {
        struct strength strength;
        strength_of(&tally, &strength);
        assert_true(strength.score.low == 0 && strength.score.high == 1);
        assert_true(isinf(strength.elo.low) && isinf(strength.elo.high));
        assert_true(strength.superiority == 0.5);
        tally_pair(&tally, 2, 2);
    }
}

/* Where superiority passes 0.975 the interval's lower end passes 0 Elo. */
static void superiority_and_interval_agree(void **state) {
    (void)state;
    struct tally tally = {.pairs = {{5, 0, 5}, {0, 0, 0}, {5, 0, 5}}};
    int before = 0, after = 0;
    for (int i = 0; i < 30; i++) {
        struct strength strength;
        strength_of(&tally, &strength);
        assert_int_equal(strength.superiority > 0.975, strength.elo.low > 0);
        strength.elo.low > 0 ? after++ : before++;
        tally_pair(&tally, 2, 1);
    }
    assert_true(before > 0 && after > 0);
}

/* ---- SPRT ---- */

static const struct sprt usual = {.elo0 = 0, .elo1 = 50, .alpha = 0.05, .beta = 0.05, .cap = 400};

static void the_ratio_of_an_unbroken_run_is_that_of_its_means(void **state) {
    (void)state;
    const struct tally won = {.pairs[2][2] = 10}, drawn = {.pairs[1][1] = 10};
    double mean = score_of_elo(50);
    assert_near(sprt_look(&usual, &won).ratio, 10 * log(mean / 0.5), 1e-9);
    assert_near(sprt_look(&usual, &drawn).ratio, 10 * log(2 - 2 * mean), 1e-9);
    assert_near(sprt_look(&usual, &won).upper, log(19), 1e-12);
    assert_near(sprt_look(&usual, &won).lower, -log(19), 1e-12);
}

/* For many pairs and near hypotheses: (m1 - m0) (2 mean - m0 - m1) / (2 variance of the mean). */
static void the_ratio_tends_to_the_normal_approximation(void **state) {
    (void)state;
    const struct sprt near = {.elo0 = 60, .elo1 = 65, .alpha = 0.05, .beta = 0.05};
    struct tally tally = mixed;
    for (int i = 0; i < 9; i++) tally.pairs[i / 3][i % 3] *= 100;
    struct strength strength;
    strength_of(&tally, &strength);
    double m0 = score_of_elo(60), m1 = score_of_elo(65), variance = strength.error * strength.error;
    double expected = (m1 - m0) * (2 * strength.score.value - m0 - m1) / (2 * variance);
    assert_near(sprt_look(&near, &tally).ratio, expected, 0.02 * fabs(expected));
}

static void a_test_has_three_endings(void **state) {
    (void)state;
    const struct tally won = {.pairs[2][2] = 40}, lost = {.pairs[0][0] = 40}, few = {.pairs[2][2] = 2};
    struct tally between = {.pairs = {{90, 0, 110}, {0, 0, 0}, {110, 0, 90}}};
    assert_int_equal(sprt_look(&usual, &won).end, SPRT_H1);
    assert_int_equal(sprt_look(&usual, &lost).end, SPRT_H0);
    assert_int_equal(sprt_look(&usual, &few).end, SPRT_RUNNING);
    between.pairs[2][2] += 14, between.pairs[0][0] -= 14; /* half way between the hypotheses */
    assert_int_equal(sprt_look(&usual, &between).end, SPRT_UNDECIDED);
    struct sprt endless = usual;
    endless.cap = 0;
    assert_int_equal(sprt_look(&endless, &between).end, SPRT_RUNNING);
}

static void hypotheses_that_make_no_test_are_refused(void **state) {
    (void)state;
    const char *fault;
    struct sprt wrong[] = {usual, usual, usual, usual};
    wrong[0].elo1 = 0;
    wrong[1].alpha = 0;
    wrong[2].beta = NAN;
    wrong[3].cap = -1;
    assert_true(sprt_check(&usual, &fault));
    for (int i = 0; i < 4; i++) {
        assert_false(sprt_check(&wrong[i], &fault));
        assert_non_null(fault);
    }
}

/* Runs tests on bots whose true difference is `elo` and returns the share that ended as `end`. */
static double share_of_end(double elo, int end, int tests, uint64_t stream) {
    const struct sprt sprt = {.elo0 = 0, .elo1 = 60, .alpha = 0.05, .beta = 0.05};
    double score = score_of_elo(elo);
    const struct source source = {.first = score + 0.1, .second = 1 - score + 0.1, .common = 0.4, .draws = 0.1};
    struct luck luck = {.stream = stream};
    int ends = 0;
    for (int i = 0; i < tests; i++) {
        struct tally tally = {0};
        int now = SPRT_RUNNING;
        while (now == SPRT_RUNNING) {
            simulate_pair(&source, &luck, &tally);
            now = sprt_look(&sprt, &tally).end;
        }
        ends += now == end;
    }
    return (double)ends / tests;
}

/* 0.05, and three standard errors of a share of 0.05 among so many. */
static void a_test_errs_no_oftener_than_it_promises(void **state) {
    (void)state;
    enum { TESTS = 1000 };
    double most = 0.05 + 3 * sqrt(0.05 * 0.95 / TESTS);
    double alpha = share_of_end(0, SPRT_H1, TESTS, 1), beta = share_of_end(60, SPRT_H0, TESTS, 2);
    print_message("wrong H1 %.3f, wrong H0 %.3f of %d tests each\n", alpha, beta, TESTS);
    assert_true(alpha > 0.005 && alpha <= most);
    assert_true(beta > 0.005 && beta <= most);
}

/* ---- Coverage ---- */

static void the_interval_holds_the_truth_in_95_of_100(void **state) {
    (void)state;
    enum { ROUNDS = 1500 };
    const struct source sources[] = {
        {.first = 0.5, .second = 0.5, .common = 0, .draws = 0},
        {.first = 0.75, .second = 0.45, .common = 0.5, .draws = 0.1},
        {.first = 0.95, .second = 0.2, .common = 0.3, .draws = 0.05},
    };
    const int pairs[] = {30, 100, 300};
    for (int i = 0; i < 3; i++) {
        struct luck luck = {.stream = (uint64_t)i + 10};
        int held = 0;
        for (int round = 0; round < ROUNDS; round++) {
            struct tally tally = {0};
            struct strength strength;
            for (int pair = 0; pair < pairs[i]; pair++) simulate_pair(&sources[i], &luck, &tally);
            strength_of(&tally, &strength);
            double truth = elo_of_score(source_score(&sources[i]));
            held += strength.elo.low <= truth && truth <= strength.elo.high;
        }
        print_message("%d pairs at %+.0f Elo: %.3f\n", pairs[i], elo_of_score(source_score(&sources[i])),
                      (double)held / ROUNDS);
        assert_in_range(held, ROUNDS * 93 / 100, ROUNDS * 97 / 100);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tally_gives_points_of_pairs_and_results_by_side),
        cmocka_unit_test(the_other_player_sees_the_mirror),
        cmocka_unit_test(a_sample_keeps_the_number_and_what_was_never_seen_comes_from_the_prior),
        cmocka_unit_test(student_s_t_is_that_of_the_tables),
        cmocka_unit_test(elo_and_score_are_inverse),
        cmocka_unit_test(a_strength_is_that_of_the_pairs),
        cmocka_unit_test(the_interval_of_an_unbroken_run_of_wins_has_a_finite_lower_end),
        cmocka_unit_test(nothing_is_known_of_less_than_two_pairs),
        cmocka_unit_test(superiority_and_interval_agree),
        cmocka_unit_test(the_ratio_of_an_unbroken_run_is_that_of_its_means),
        cmocka_unit_test(the_ratio_tends_to_the_normal_approximation),
        cmocka_unit_test(a_test_has_three_endings),
        cmocka_unit_test(hypotheses_that_make_no_test_are_refused),
        cmocka_unit_test(a_test_errs_no_oftener_than_it_promises),
        cmocka_unit_test(the_interval_holds_the_truth_in_95_of_100),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
