/* dice.h: the random numbers inside the library: Philox4x32-10, a function of a key and a counter without
 * any state. What a counter is for stands in its last word, so no two purposes ever share a number:
 *
 *     purpose              key     word 0        word 1         word 2     word 3
 *     dice (lr_sample)     seed    event, low    event, high    episode    DICE << 24 | block
 *     environment seeds    root    index, low    index, high    0          ENVIRONMENT << 24
 *     lr_random            stream  position, low position, high 0          DRAW << 24 | block
 *     lr_agent_stream      seed    length        player         episode    AGENT << 24
 *     fresh seeds          seed    salt, low     salt, high     0          FRESH << 24
 *
 * A block is four numbers of 32 bits; the next is asked for only after four rejected draws. */
#ifndef LR_DICE_H
#define LR_DICE_H

#include "longroll.h"

enum lr_purpose { LR_FOR_DICE = 0, LR_FOR_ENVIRONMENT = 1, LR_FOR_DRAW = 2, LR_FOR_AGENT = 3, LR_FOR_FRESH = 4 };

void lr_philox(uint64_t key, const uint32_t counter[4], uint32_t numbers[4]);

/* A new seed that follows from an old one; `salt` keeps apart those derived from equal ones. */
uint64_t lr_fresh_seed(uint64_t seed, uint64_t salt);

#endif
