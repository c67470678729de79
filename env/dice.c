/* dice.c: every random number in Longroll. See dice.h for who uses which counter. */
#include "dice.h"

#include "game.h"

#include <Random123/philox.h>
#include <assert.h>

void lr_philox(uint64_t key, const uint32_t counter[4], uint32_t numbers[4]) {
    const philox4x32_ctr_t c = {{counter[0], counter[1], counter[2], counter[3]}};
    const philox4x32_key_t k = {{(uint32_t)key, (uint32_t)(key >> 32)}};
    const philox4x32_ctr_t drawn = philox4x32(c, k);
    for (int i = 0; i < 4; i++) numbers[i] = drawn.v[i];
}

/* Lemire's multiplication: the high word of number * bound, unless the low word lies in the short tail
 * that would make some results likelier than others; then the next number is taken. */
static uint32_t bounded(uint64_t key, uint64_t subject, uint32_t episode, enum lr_purpose purpose, uint32_t bound) {
    assert(bound >= 1);
    uint32_t numbers[4];
    uint32_t counter[4] = {(uint32_t)subject, (uint32_t)(subject >> 32), episode, (uint32_t)purpose << 24};
    for (;; counter[3]++) {
        lr_philox(key, counter, numbers);
        for (int i = 0; i < 4; i++) {
            const uint64_t product = (uint64_t)numbers[i] * bound;
            const uint32_t low = (uint32_t)product;
            if (low >= bound || low >= -bound % bound) return (uint32_t)(product >> 32);
        }
    }
}

static uint64_t hashed(uint64_t key, uint64_t subject, uint32_t episode, enum lr_purpose purpose) {
    uint32_t numbers[4];
    const uint32_t counter[4] = {(uint32_t)subject, (uint32_t)(subject >> 32), episode, (uint32_t)purpose << 24};
    lr_philox(key, counter, numbers);
    return (uint64_t)numbers[1] << 32 | numbers[0];
}

int lr_sample(const lr_game *game, const lr_state *state, uint64_t seed, uint32_t episode) {
    uint32_t weights[LR_MAX_OUTCOMES], total;
    const int count = game->ruleset->outcomes(game->rules, state, weights, &total);
    assert(count > 0 && total > 0);
    const uint64_t event = game->ruleset->event(game->rules, state);
    uint32_t rest = bounded(seed, event, episode, LR_FOR_DICE, total);
    for (int outcome = 0; outcome < count - 1; outcome++) {
        if (rest < weights[outcome]) return outcome;
        rest -= weights[outcome];
    }
    return count - 1;
}

uint64_t lr_environment_seed(uint64_t root, uint64_t index) { return hashed(root, index, 0, LR_FOR_ENVIRONMENT); }

uint32_t lr_random(uint64_t stream, uint64_t position, uint32_t bound) {
    return bounded(stream, position, 0, LR_FOR_DRAW, bound);
}

uint64_t lr_agent_stream(uint64_t seed, uint32_t episode, int player, uint32_t length) {
    return hashed(seed, (uint64_t)(uint32_t)player << 32 | length, episode, LR_FOR_AGENT);
}

uint64_t lr_fresh_seed(uint64_t seed, uint64_t salt) { return hashed(seed, salt, 0, LR_FOR_FRESH); }
