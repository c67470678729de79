/* table.c: a game between two players, with clocks.
 *
 * match_play is the same loop for choosers alone, thousands of times a second. Here every call of a player can fail, which
 * ends the game with that player's loss, and each decision is timed. A clock runs only while its player decides, so one
 * player's slow start, crash or flood costs the other nothing. */
#include "agents/agent.h"
#include "agents/seat.h"
#include "env/game.h"
#include <stdlib.h>
#include <string.h>

/* One running game. */
struct play {
    const struct game_terms *terms;
    lr_state *state;
    int64_t left_us[2]; /* on the game clocks; INT64_MAX: no limit */
    struct game_result result;
    uint16_t legal[LR_MAX_ACTIONS];
};

static int fault(struct play *play, int side, int end, const char *reason) {
    play->result.end = end;
    play->result.at_fault = end == GAME_STOPPED ? LR_NOBODY : side;
    play->result.winner = end == GAME_STOPPED ? LR_NOBODY : !side;
    snprintf(play->result.reason, sizeof play->result.reason, "%s", reason);
    return end;
}

static bool stopped(const struct game_terms *terms) {
    return terms->stop && atomic_load_explicit(terms->stop, memory_order_relaxed);
}

/* Takes a decision's time from the clock of its player. Returns enum game_end. */
static int charge(struct play *play, int side, int64_t took_us) {
    const struct clock_rules *clock = &play->terms->clock;
    int64_t *left = &play->left_us[side];
    play->result.thought_us[side] += took_us;
    bool move_over = clock->move_us && took_us > clock->move_us + clock->margin_us;
    bool game_over = *left != INT64_MAX && took_us > *left + clock->margin_us;
    if (move_over || game_over) {
        char reason[sizeof play->result.reason];
        snprintf(reason, sizeof reason, "%.80s ran out of time: it took %.3f s for a decision",
                 player_spec(play->terms->players[side]), (double)took_us / 1e6);
        return fault(play, side, GAME_TIMEOUT, reason);
    }
    if (*left == INT64_MAX) return GAME_PLAYED;
    *left = (*left > took_us ? *left - took_us : 0) + clock->increment_us;
    return GAME_PLAYED;
}

static int decide(struct play *play, int side, int *action) {
    const struct game_terms *terms = play->terms;
    struct game_result *result = &play->result;
    uint64_t stream = lr_agent_stream(terms->seed, terms->episode, side, result->decisions + result->dice);
    int count = lr_legal(terms->game, play->state, play->legal);
    lr_error error;
    int64_t began = clock_us();
    int end = player_choose(terms->players[side], play->state, play->legal, count, stream, play->left_us[side], action,
                            &error);
    int64_t took = clock_us() - began;
    if (end != GAME_PLAYED) {
        result->thought_us[side] += took;
        return fault(play, side, end, error.text);
    }
    end = charge(play, side, took);
    if (end != GAME_PLAYED) return end;
    result->legal += (uint64_t)count;
    result->decisions++;
    return GAME_PLAYED;
}

static int tell(struct play *play, int action) {
    for (int side = 0; side < 2; side++) {
        lr_error error;
        int end = player_told(play->terms->players[side], play->state, action, &error);
        if (end != GAME_PLAYED) return fault(play, side, end, error.text);
    }
    return GAME_PLAYED;
}

/* Plays on until the game is over or a player at fault; either is written to play->result. */
static int run(struct play *play, lr_error *error) {
    const struct game_terms *terms = play->terms;
    const lr_game *game = terms->game;
    struct game_result *result = &play->result;
    int mover, action;
    while ((mover = lr_to_move(game, play->state)) != LR_NOBODY) {
        if (mover == LR_CHANCE) {
            action = lr_sample(game, play->state, terms->seed, terms->episode);
            result->dice++;
        } else {
            if (stopped(terms)) return fault(play, mover, GAME_STOPPED, "stopped"), LR_OK;
            if (decide(play, mover, &action) != GAME_PLAYED) return LR_OK;
        }
        if (tell(play, action) != GAME_PLAYED) return LR_OK;
        if (terms->record) {
            int code = lr_replay_add(terms->record, action, error);
            if (code) return code;
        }
        if (terms->actions) terms->actions[result->length] = (uint16_t)action;
        result->length++;
        lr_apply_legal(game, play->state, action);
        result->hash = hash_fold(result->hash, (uint64_t)action);
    }
    float returns[2];
    lr_returns(game, play->state, returns);
    if (returns[LR_UNION] != returns[LR_CONFEDERATE])
        result->winner = returns[LR_UNION] > returns[LR_CONFEDERATE] ? LR_UNION : LR_CONFEDERATE;
    snprintf(result->reason, sizeof result->reason, "%s", lr_end_reason(game, play->state));
    return LR_OK;
}

/* Seats both; *seated gets how many must be dismissed. Returns enum game_end. */
static int seat(struct play *play, int *seated) {
    const struct game_terms *terms = play->terms;
    for (*seated = 0; *seated < 2;) {
        int side = (*seated)++;
        struct table table = {.game = terms->game,
                              .seed = terms->seed,
                              .episode = terms->episode,
                              .side = side,
                              .clock = terms->clock,
                              .stop = terms->stop,
                              .log = terms->log};
        lr_error error;
        int end = player_begin(terms->players[side], &table, &error);
        if (end != GAME_PLAYED) return fault(play, side, end, error.text);
    }
    return GAME_PLAYED;
}

static int play_seated(struct play *play, lr_error *error) {
    const lr_game *game = play->terms->game;
    int seated, code = LR_OK;
    lr_start(game, play->state);
    if (seat(play, &seated) == GAME_PLAYED) code = run(play, error);
    play->result.hash = hash_fold(play->result.hash, lr_hash(game, play->state));
    play->result.score = lr_score(game, play->state);
    if (code) fault(play, LR_NOBODY, GAME_STOPPED, "stopped");
    for (int side = 0; side < seated; side++) player_finish(play->terms->players[side], &play->result);
    return code;
}

int table_play(const struct game_terms *terms, struct game_result *result, lr_error *error) {
    struct play play = {.terms = terms, .result = {.at_fault = LR_NOBODY, .winner = LR_NOBODY}};
    for (int side = 0; side < 2; side++) play.left_us[side] = terms->clock.game_us ? terms->clock.game_us : INT64_MAX;
    play.state = aligned_alloc(64, ((size_t)lr_game_info(terms->game)->state_bytes + 63) / 64 * 64);
    if (!play.state) return lr_fail(error, LR_E_MEMORY, "no memory for a game's state");
    int code = play_seated(&play, error);
    free(play.state);
    if (!code) *result = play.result;
    return code;
}
