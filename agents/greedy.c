/* greedy.c: the agent that follows the ruleset's habits: the legal action that lr_appraise likes best.
 *
 * What is good play in a ruleset is known in that ruleset's room (for `brigade`, env/brigade/appraise.c); this file
 * knows only how to take the best. Ties go to the lowest id, so it uses no randomness: against itself, games differ by
 * their dice alone. */
#include "agents/agent.h"

static int best_of(const int32_t *appraisals, int count) {
    int best = 0;
    for (int i = 1; i < count; i++)
        if (appraisals[i] > appraisals[best]) best = i;
    return best;
}

int greedy_choice(const lr_game *game, const lr_state *state, const uint16_t *legal, int count, int32_t *appraisals) {
    if (count == 1) return legal[0];
    lr_appraise(game, state, legal, count, appraisals);
    return legal[best_of(appraisals, count)];
}

static int choose(const lr_chooser *self, void *scratch, const lr_game *game, const lr_state *state,
                  const uint16_t *legal, int count, uint64_t stream) {
    (void)self, (void)stream;
    return greedy_choice(game, state, legal, count, scratch);
}

const struct agent agent_greedy = {
    .chooser = {.name = "greedy", .scratch_bytes = LR_MAX_ACTIONS * sizeof(int32_t), .choose = choose},
    .about = "what a sound player's habits think best, looking no further than the action itself",
};
