/* match.c: one game between two agents.
 *
 * Self-play calls match_play tens of thousands of times a second for fast agents, so everything it needs is allocated
 * once by match_open; the game loop below only allocates where a replay is asked for. */
#include "agents/agent.h"
#include "env/game.h"
#include <stdlib.h>

struct match {
    const lr_game *game;
    const lr_chooser *agents[2];
    lr_state *state;
    void *scratch; /* of the hungrier agent: its contents need not survive a call */
    uint16_t legal[LR_MAX_ACTIONS];
};

static size_t round_up(size_t bytes) { return (bytes + 63) / 64 * 64; }

static size_t scratch_need(const lr_chooser *const agents[2]) {
    size_t a = agents[0]->scratch_bytes, b = agents[1]->scratch_bytes;
    return a > b ? a : b;
}

int match_open(const lr_game *game, const lr_chooser *const agents[2], struct match **match, lr_error *error) {
    struct match *m = aligned_alloc(64, round_up(sizeof *m));
    if (!m) return lr_fail(error, LR_E_MEMORY, "no memory for a match");
    m->game = game;
    m->agents[0] = agents[0];
    m->agents[1] = agents[1];
    m->state = aligned_alloc(64, round_up((size_t)lr_game_info(game)->state_bytes));
    m->scratch = aligned_alloc(64, round_up(scratch_need(agents) + 1));
    if (!m->state || !m->scratch) {
        match_close(m);
        return lr_fail(error, LR_E_MEMORY, "no memory for a match");
    }
    *match = m;
    return LR_OK;
}

void match_close(struct match *match) {
    if (!match) return;
    free(match->state);
    free(match->scratch);
    free(match);
}

/* The legal list is ascending. An agent is not trusted: a foreign id would be undefined behaviour in lr_apply_legal. */
static bool among(const uint16_t *legal, int count, int action) {
    int low = 0, high = count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (legal[middle] < action)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && legal[low] == action;
}

/* Asks the agent of `player`; *action gets its choice. */
static int ask(struct match *match, int player, uint64_t stream, struct match_result *result, int *action,
               lr_error *error) {
    const lr_chooser *agent = match->agents[player];
    int count = lr_legal(match->game, match->state, match->legal);
    *action = agent->choose(agent, match->scratch, match->game, match->state, match->legal, count, stream);
    if (!among(match->legal, count, *action))
        return lr_fail(error, LR_E_ILLEGAL,
                       "agent %s chose action %d, which is none of the %d legal ones (decision %u)", agent->name,
                       *action, count, result->decisions + 1);
    result->legal += (uint64_t)count;
    result->decisions++;
    return LR_OK;
}

static int winner(const lr_game *game, const lr_state *state) {
    float returns[2];
    lr_returns(game, state, returns);
    if (returns[LR_UNION] > 0) return LR_UNION;
    if (returns[LR_CONFEDERATE] > 0) return LR_CONFEDERATE;
    return LR_NOBODY;
}

int match_play(struct match *match, uint64_t seed, uint32_t episode, lr_replay *record, struct match_result *result,
               lr_error *error) {
    const lr_game *game = match->game;
    lr_state *state = match->state;
    struct match_result r = {0};
    int mover;
    lr_start(game, state);
    while ((mover = lr_to_move(game, state)) != LR_NOBODY) {
        int action;
        if (mover == LR_CHANCE) {
            action = lr_sample(game, state, seed, episode);
            r.dice++;
        } else {
            uint64_t stream = lr_agent_stream(seed, episode, mover, r.decisions + r.dice);
            int code = ask(match, mover, stream, &r, &action, error);
            if (code) return code;
        }
        if (record) {
            int code = lr_replay_add(record, action, error);
            if (code) return code;
        }
        lr_apply_legal(game, state, action);
        r.hash = hash_fold(r.hash, (uint64_t)action);
    }
    r.hash = hash_fold(r.hash, lr_hash(game, state));
    r.score = lr_score(game, state);
    r.winner = winner(game, state);
    r.reason = lr_end_reason(game, state);
    *result = r;
    return LR_OK;
}
