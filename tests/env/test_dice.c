/* The random numbers: Philox against its published vectors, and draws that are even, independent and repeatable. */
#include "env/dice.h"
#include "kuhn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* Random123's kat_vectors for philox4x32-10. */
static void philox_gives_the_published_numbers(void **unused) {
    (void)unused;
    static const struct {
        uint32_t counter[4];
        uint64_t key;
        uint32_t numbers[4];
    } vectors[] = {
        {{0, 0, 0, 0}, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         UINT64_MAX,
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         UINT64_C(0x299f31d0a4093822),
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        uint32_t numbers[4];
        lr_philox(vectors[i].key, vectors[i].counter, numbers);
        assert_memory_equal(numbers, vectors[i].numbers, sizeof numbers);
    }
}

/* The draws are part of the promise that old replays verify: they are pinned. */
static void draws_are_pinned(void **unused) {
    (void)unused;
    uint32_t numbers[4];
    const uint32_t counter[4] = {5, 0, 0, LR_FOR_DRAW << 24};
    lr_philox(9, counter, numbers);
    assert_int_equal(lr_random(9, 5, 10), (uint32_t)((uint64_t)numbers[0] * 10 >> 32));
    const uint32_t index[4] = {5, 1, 0, LR_FOR_ENVIRONMENT << 24};
    lr_philox(9, index, numbers);
    assert_true(lr_environment_seed(9, UINT64_C(0x100000005)) == ((uint64_t)numbers[1] << 32 | numbers[0]));
    const uint32_t decision[4] = {40, 1, 3, LR_FOR_AGENT << 24};
    lr_philox(9, decision, numbers);
    assert_true(lr_agent_stream(9, 3, 1, 40) == ((uint64_t)numbers[1] << 32 | numbers[0]));
}

static double chi_square(const uint32_t *counts, int cells, double expected) {
    double sum = 0;
    for (int i = 0; i < cells; i++) sum += (counts[i] - expected) * (counts[i] - expected) / expected;
    return sum;
}

static void draws_are_even(void **unused) {
    (void)unused;
    enum { DRAWS = 100000 };
    for (uint32_t bound = 1; bound <= 12; bound++) {
        uint32_t counts[12] = {0};
        for (uint64_t i = 0; i < DRAWS; i++) {
            const uint32_t drawn = lr_random(77, i, bound);
            assert_true(drawn < bound);
            counts[drawn]++;
        }
        /* 11 degrees of freedom pass 38 once in ten thousand. */
        assert_true(chi_square(counts, (int)bound, (double)DRAWS / bound) < 38);
    }
}

/* With a bound of 3/4 of 2^32, dropping the rejection would make a third of the results twice as likely. */
static void large_bounds_are_even_too(void **unused) {
    (void)unused;
    enum { DRAWS = 60000 };
    const uint32_t bound = UINT32_C(3) << 30;
    uint32_t counts[3] = {0};
    for (uint64_t i = 0; i < DRAWS; i++) counts[lr_random(5, i, bound) % 3]++;
    assert_true(chi_square(counts, 3, DRAWS / 3.0) < 25);
}

static void streams_and_positions_differ(void **unused) {
    (void)unused;
    int same = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        same += lr_random(1, i, 1u << 31) == lr_random(2, i, 1u << 31);
        same += lr_random(1, i, 1u << 31) == lr_random(1, i + 1, 1u << 31);
        same += lr_environment_seed(1, i) == lr_environment_seed(1, i + 1);
        same += lr_environment_seed(1, i + 1) == lr_environment_seed(2, i); /* a sum would be equal */
        same += lr_agent_stream(1, 0, 0, (uint32_t)i) == lr_agent_stream(1, 0, 1, (uint32_t)i);
        same += lr_agent_stream(1, 0, 0, (uint32_t)i) == lr_agent_stream(1, 1, 0, (uint32_t)i);
        same += lr_fresh_seed(1, i) == lr_environment_seed(1, i);
    }
    assert_int_equal(same, 0);
}

static void samples_follow_weights_and_keys(void **unused) {
    (void)unused;
    enum { GAMES = 30000 };
    lr_game *game = kuhn_open(false);
    uint64_t memory;
    lr_state *state = (lr_state *)(void *)&memory;
    uint32_t pairs[9] = {0}, episodes_differ = 0;
    for (uint64_t seed = 0; seed < GAMES; seed++) {
        lr_start(game, state);
        const int first = lr_sample(game, state, seed, 0);
        assert_int_equal(lr_sample(game, state, seed, 0), first);
        episodes_differ += lr_sample(game, state, seed, 1) != first;
        lr_apply_legal(game, state, first);
        const int second = lr_sample(game, state, seed, 0);
        assert_int_not_equal(second, first); /* weight 0 */
        pairs[first * 3 + second]++;
    }
    const uint32_t six[6] = {pairs[1], pairs[2], pairs[3], pairs[5], pairs[6], pairs[7]};
    assert_true(chi_square(six, 6, GAMES / 6.0) < 26);
    assert_true(episodes_differ > GAMES / 2);
    lr_game_close(game);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox_gives_the_published_numbers),
        cmocka_unit_test(draws_are_pinned),
        cmocka_unit_test(draws_are_even),
        cmocka_unit_test(large_bounds_are_even_too),
        cmocka_unit_test(streams_and_positions_differ),
        cmocka_unit_test(samples_follow_weights_and_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
