/* random.c: the agent that plays any legal action, all equally likely. The floor of every comparison. */
#include "agents/agent.h"

static int choose(const lr_chooser *self, void *scratch, const lr_game *game, const lr_state *state,
                  const uint16_t *legal, int count, uint64_t stream) {
    (void)self, (void)scratch, (void)game, (void)state;
    return legal[lr_random(stream, 0, (uint32_t)count)];
}

const struct agent agent_random = {
    .chooser = {.name = "random", .choose = choose},
    .about = "any legal action, all equally likely",
};
