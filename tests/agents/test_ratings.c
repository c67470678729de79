/* test_ratings.c: Bradley-Terry with a side term and what common dice saved, by hand and on simulated bots of known
 * strength. tests/python/test_ratings.py compares it with independent libraries. */
#include "agents/ratings.h"
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

/* Two bots, a wins 3/4 of its games as the Union and 1/4 as the Confederate: equal bots, and the Union has
 * 400 log10(3) Elo. */
static void a_side_s_advantage_is_not_taken_for_strength(void **state) {
    (void)state;
    const struct pairing pairing = {.bots = {0, 1}, .tally.pairs = {{100, 0, 0}, {0, 0, 0}, {200, 0, 100}}};
    const struct ratings_plan plan = {.bots = 2, .scenarios = 1, .pairings = &pairing, .count = 1, .anchor = 1};
    struct interval ratings[2], sides[1];
    assert_int_equal(ratings_fit(&plan, ratings, sides, NULL), LR_OK);
    /* as the Union 300 of 400, as the Confederate 100 of 400 */
    assert_near(ratings[0].value, 0, 1e-6);
    assert_near(sides[0].value, 400 * log10(3), 1e-6);
    assert_near(ratings[1].value, 0, 0);
}

/* a beats b 3 to 1, b beats c 3 to 1, on either side alike, a and c have not met. */
static void ratings_add_up_along_a_chain(void **state) {
    (void)state;
    const struct tally three_to_one = {.pairs = {{25, 0, 0}, {0, 0, 0}, {0, 0, 75}}};
    const struct pairing pairings[] = {{0, {0, 1}, three_to_one}, {0, {1, 2}, three_to_one}};
    const struct ratings_plan plan = {.bots = 3, .scenarios = 1, .pairings = pairings, .count = 2, .anchor = 2};
    struct interval ratings[3], sides[1];
    assert_int_equal(ratings_fit(&plan, ratings, sides, NULL), LR_OK);
    assert_near(ratings[0].value, 800 * log10(3), 1e-6);
    assert_near(ratings[1].value, 400 * log10(3), 1e-6);
    assert_near(sides[0].value, 0, 1e-6);
}

static void a_bot_that_won_everything_has_a_finite_rating_and_a_wide_interval(void **state) {
    (void)state;
    const struct pairing pairing = {.bots = {0, 1}, .tally.pairs[2][2] = 100};
    const struct ratings_plan plan = {.bots = 2,
                                      .scenarios = 1,
                                      .pairings = &pairing,
                                      .count = 1,
                                      .anchor = 1,
                                      .prior = 1,
                                      .resamples = RATINGS_RESAMPLES,
                                      .stream = 1};
    struct interval ratings[2], sides[1];
    assert_int_equal(ratings_fit(&plan, ratings, sides, NULL), LR_OK);
    assert_near(ratings[0].value, 400 * log10(100.5 / 0.5), 1e-6); /* one virtual pair, half of it won */
    assert_true(ratings[0].low < ratings[0].value - 100);
    assert_true(isfinite(ratings[0].high));
}

static void bots_without_a_chain_to_the_anchor_are_not_rated(void **state) {
    (void)state;
    const struct tally some = {.pairs[2][0] = 5, .pairs[2][2] = 1};
    const struct pairing pairings[] = {{0, {0, 1}, some}, {1, {2, 3}, some}, {2, {1, 2}, {{{0}}}}};
    const struct ratings_plan plan = {
        .bots = 4, .scenarios = 3, .pairings = pairings, .count = 3, .anchor = 0, .prior = 1};
    struct interval ratings[4], sides[3];
    assert_int_equal(ratings_fit(&plan, ratings, sides, NULL), LR_OK);
    assert_true(isfinite(ratings[0].value) && isfinite(ratings[1].value) && isfinite(sides[0].value));
    assert_true(isnan(ratings[2].value) && isnan(ratings[3].high) && isnan(sides[1].value) && isnan(sides[2].value));
}

/* ---- Simulated bots ---- */

enum { BOTS = 4, SCENARIOS = 2, PAIRINGS = BOTS * (BOTS - 1) / 2 * SCENARIOS };

static const double truth[BOTS] = {0, 150, 200, 420}, advantage[SCENARIOS] = {-80, 120};

/* By how much a bot is stronger as the Union than its rating, where the model by side is tested. */
static const double as_union[BOTS] = {0, 60, -40, 100};

static void simulate(struct pairing pairings[PAIRINGS], int pairs, bool by_side, struct luck *luck) {
    int n = 0;
    for (int s = 0; s < SCENARIOS; s++) {
        for (int a = 0; a < BOTS; a++) {
            for (int b = a + 1; b < BOTS; b++) {
                double more[2] = {by_side ? as_union[a] : 0, by_side ? as_union[b] : 0};
                const struct source source = {.first = score_of_elo(truth[a] + more[0] - truth[b] + advantage[s]),
                                              .second = score_of_elo(truth[b] + more[1] - truth[a] + advantage[s]),
                                              .common = 0.4,
                                              .draws = 0.05};
                pairings[n] = (struct pairing){.scenario = s, .bots = {a, b}};
                for (int i = 0; i < pairs; i++) simulate_pair(&source, luck, &pairings[n].tally);
                n++;
            }
        }
    }
}

static void bots_of_known_strength_get_it_on_either_side(void **state) {
    (void)state;
    static struct pairing pairings[PAIRINGS];
    struct luck luck = {.stream = 77};
    simulate(pairings, 4000, true, &luck);
    const struct ratings_plan plan = {
        .bots = BOTS, .scenarios = SCENARIOS, .pairings = pairings, .count = PAIRINGS, .by_side = true, .prior = 1};
    struct interval ratings[2 * BOTS], sides[SCENARIOS];
    assert_int_equal(ratings_fit(&plan, ratings, sides, NULL), LR_OK);
    for (int bot = 0; bot < BOTS; bot++) {
        assert_near(ratings[2 * bot + LR_UNION].value, truth[bot] + as_union[bot], 20);
        assert_near(ratings[2 * bot + LR_CONFEDERATE].value, truth[bot], 20);
    }
    for (int s = 0; s < SCENARIOS; s++) assert_near(sides[s].value, advantage[s], 15);
}

/* Few bots or rare meetings leave two sides of which nothing ties one to the other. */
static void two_bots_are_not_rated_by_side(void **state) {
    (void)state;
    const struct pairing pairing = {.bots = {0, 1}, .tally.pairs = {{5, 5, 5}, {5, 5, 5}, {5, 5, 5}}};
    const struct ratings_plan plan = {.bots = 2, .scenarios = 1, .pairings = &pairing, .count = 1, .by_side = true};
    struct interval ratings[4], sides[1];
    assert_int_equal(ratings_fit(&plan, ratings, sides, NULL), LR_OK);
    for (int i = 0; i < 4; i++) assert_true(isnan(ratings[i].value));
    assert_true(isnan(sides[0].value));
}

#ifdef NDEBUG
enum { ROUNDS = 300, LEAST = 93, MOST = 97 };
#else
enum { ROUNDS = 60, LEAST = 88, MOST = 99 }; /* sanitizers are slow: a rougher look */
#endif

static void the_bootstrap_s_interval_holds_the_truth_in_95_of_100(void **state) {
    (void)state;
    struct pairing pairings[PAIRINGS];
    struct luck luck = {.stream = 5};
    int held = 0, intervals = 0;
    for (int round = 0; round < ROUNDS; round++) {
        simulate(pairings, 40, false, &luck);
        const struct ratings_plan plan = {.bots = BOTS,
                                          .scenarios = SCENARIOS,
                                          .pairings = pairings,
                                          .count = PAIRINGS,
                                          .prior = 1,
                                          .resamples = 200,
                                          .stream = (uint64_t)round};
        struct interval ratings[BOTS], sides[SCENARIOS];
        assert_int_equal(ratings_fit(&plan, ratings, sides, NULL), LR_OK);
        for (int bot = 1; bot < BOTS; bot++, intervals++)
            held += ratings[bot].low <= truth[bot] && truth[bot] <= ratings[bot].high;
        for (int s = 0; s < SCENARIOS; s++, intervals++)
            held += sides[s].low <= advantage[s] && advantage[s] <= sides[s].high;
    }
    print_message("%d of %d intervals hold the truth: %.3f\n", held, intervals, (double)held / intervals);
    assert_in_range(held, intervals * LEAST / 100, intervals * MOST / 100);
}

static void the_same_stream_gives_the_same_intervals(void **state) {
    (void)state;
    struct pairing pairings[PAIRINGS];
    struct luck luck = {.stream = 6};
    simulate(pairings, 30, false, &luck);
    struct ratings_plan plan = {.bots = BOTS,
                                .scenarios = SCENARIOS,
                                .pairings = pairings,
                                .count = PAIRINGS,
                                .prior = 1,
                                .resamples = 50,
                                .stream = 3};
    struct interval one[BOTS], again[BOTS], other[BOTS], sides[SCENARIOS];
    assert_int_equal(ratings_fit(&plan, one, sides, NULL), LR_OK);
    assert_int_equal(ratings_fit(&plan, again, sides, NULL), LR_OK);
    plan.stream = 4;
    assert_int_equal(ratings_fit(&plan, other, sides, NULL), LR_OK);
    assert_memory_equal(one, again, sizeof one);
    assert_memory_not_equal(one, other, sizeof one);
}

/* ---- Common dice ---- */

/* Even games without draws: with the share c of pairs in which both games have the same luck, the side that wins one
 * wins the other, the covariance is -c/4, the variance 1/4 and the saving c. */
static void common_luck_saves_its_share_of_the_variance(void **state) {
    (void)state;
    for (int i = 0; i < 3; i++) {
        const double common[] = {0, 0.3, 0.8};
        const struct source source = {.first = 0.5, .second = 0.5, .common = common[i]};
        struct luck luck = {.stream = 9};
        struct pairing pairing = {.bots = {0, 1}};
        struct interval share;
        for (int pair = 0; pair < 4000; pair++) simulate_pair(&source, &luck, &pairing.tally);
        assert_int_equal(dice_saving(&pairing, 1, 200, 1, &share, NULL), LR_OK);
        assert_near(share.value, common[i], 0.05);
        assert_true(share.low <= share.value && share.value <= share.high);
        assert_near(share.high - share.low, 4 * sqrt((1 - common[i] * common[i]) / 4000), 0.02);
    }
}

static void without_variance_nothing_is_said_of_what_was_saved(void **state) {
    (void)state;
    const struct pairing pairing = {.bots = {0, 1}, .tally.pairs[2][2] = 20};
    struct interval share;
    assert_int_equal(dice_saving(&pairing, 1, 20, 1, &share, NULL), LR_OK);
    assert_true(isnan(share.value));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_side_s_advantage_is_not_taken_for_strength),
        cmocka_unit_test(ratings_add_up_along_a_chain),
        cmocka_unit_test(a_bot_that_won_everything_has_a_finite_rating_and_a_wide_interval),
        cmocka_unit_test(bots_without_a_chain_to_the_anchor_are_not_rated),
        cmocka_unit_test(bots_of_known_strength_get_it_on_either_side),
        cmocka_unit_test(two_bots_are_not_rated_by_side),
        cmocka_unit_test(the_bootstrap_s_interval_holds_the_truth_in_95_of_100),
        cmocka_unit_test(the_same_stream_gives_the_same_intervals),
        cmocka_unit_test(common_luck_saves_its_share_of_the_variance),
        cmocka_unit_test(without_variance_nothing_is_said_of_what_was_saved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
