/* batch.c: many environments stepped together.
 *
 * One environment is one slot of contiguous memory: head, state, mask of the legal actions. A slot is visited once
 * a step, by one thread, and everything that is known after the step goes straight into the caller's arrays.
 * The mask is kept because it is needed twice: the caller sees it after a step, and the next step's action is
 * proved legal by one bit of it. Nothing allocates while stepping; an opponent's scratch memory is made per thread
 * when the batch opens.
 *
 * An episode goes: begin, then settle (dice and opponent play until the caller decides or it ends), then for each
 * step one action and settle again, and when it ends, conclude. Only this file knows when environments are reset.
 *
 * Waiting threads spin by default in both libgomp and libomp: set OMP_WAIT_POLICY=passive in the environment of a
 * process that has other work for the cores between steps. */
#include "dice.h"
#include "game.h"

#include <assert.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE = 64, /* bytes of a cache line: slots begin on one, so threads never share one inside them */
    MOST_SIZE = 1 << 20,
    MOST_THREADS = 1024,
    FEWEST_EACH = 32,  /* environments a thread must have to be worth waking */
    MOST_RESTARTS = 64 /* episodes in a row that may end before the caller's first decision */
};

/* The head of a slot. The record of an episode is one half of the environment's record; the other half keeps the
 * episode that ended last. */
struct environment {
    _Alignas(LINE) uint64_t seed;
    uint64_t ended_seed;
    uint32_t episode, length;
    uint32_t illegal_attempts, episodes_ended;
    uint32_t ended_episode, ended_length;
    float returns[2];
    uint8_t over;             /* ended or truncated, waits for its reset */
    uint8_t played;           /* differs from what a reset made, so the next reset takes a new episode number */
    uint8_t from_start;       /* the record begins at the game's first state */
    uint8_t ended_from_start; /* likewise the ended one's; false while none has ended */
    uint8_t mover;            /* enum lr_mover; LR_NOBODY when over, truncated ones too */
    uint8_t viewer;           /* whose observation is shown while no player moves */
    uint8_t half, ended_half;
};

_Static_assert(sizeof(struct environment) == 64, "one cache line, so that the state begins on the next");

struct lr_batch {
    const lr_game *game;
    lr_batch_options options;
    lr_chooser opponent; /* options.opponent points here when there is one */
    int threads;
    size_t slot_bytes, mask_offset;
    uint8_t *slots;
    uint16_t *records; /* [size][2][record_room] */
    size_t record_room;
    uint8_t *scratch; /* [threads][scratch_bytes]: the opponent's, then an observation nobody asked for */
    size_t scratch_bytes, pieces_offset, globals_offset;
};

/* What a step did to one environment, as far as the arrays tell it. */
struct result {
    float rewards[2];
    bool terminated, truncated;
    int32_t ended_length;
    bool scored; /* the score below is that of the ended episode's last state */
    int score;
};

enum ending { GOES_ON, TERMINATED, TRUNCATED };

static const lr_arrays no_arrays;

/* ---- Where things are ---- */

static size_t round_up(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

static struct environment *at(const lr_batch *batch, int index) {
    return (struct environment *)(void *)(batch->slots + (size_t)index * batch->slot_bytes);
}

static lr_state *state_of(struct environment *env) { return (lr_state *)(void *)(env + 1); }

static uint8_t *mask_of(const lr_batch *batch, struct environment *env) { return (uint8_t *)env + batch->mask_offset; }

static uint16_t *record_of(const lr_batch *batch, int index, int half) {
    return batch->records + ((size_t)index * 2 + (size_t)half) * batch->record_room;
}

static uint8_t *scratch_of(const lr_batch *batch, int thread) {
    return batch->scratch + (size_t)thread * batch->scratch_bytes;
}

/* ---- One episode ---- */

static uint8_t first_viewer(const lr_batch *batch) {
    return (uint8_t)(batch->options.opponent ? batch->options.learner : LR_UNION);
}

static void play(const lr_batch *batch, int index, struct environment *env, int mover, int action) {
    if (batch->records && env->length < batch->record_room)
        record_of(batch, index, env->half)[env->length] = (uint16_t)action;
    if (mover < LR_CHANCE && !batch->options.opponent) env->viewer = (uint8_t)mover;
    lr_apply_legal(batch->game, state_of(env), action);
    env->length++;
}

static int opponent_choice(const lr_batch *batch, struct environment *env, int mover, void *scratch) {
    uint16_t legal[LR_MAX_ACTIONS];
    const int count = lr_legal(batch->game, state_of(env), legal);
    const uint64_t stream = lr_agent_stream(env->seed, env->episode, mover, env->length);
    const lr_chooser *chooser = &batch->opponent;
    return chooser->choose(chooser, scratch, batch->game, state_of(env), legal, count, stream);
}

/* The choice in this state, when it is not the caller's; else -1. */
static int own_choice(const lr_batch *batch, struct environment *env, int mover, void *scratch) {
    if (mover == LR_CHANCE)
        return batch->options.chosen_chance ? -1 : lr_sample(batch->game, state_of(env), env->seed, env->episode);
    if (!batch->options.opponent || mover == batch->options.learner) return -1;
    return opponent_choice(batch, env, mover, scratch);
}

/* Plays on until the caller decides or the episode ends; keeps mover and mask. */
static enum ending settle(const lr_batch *batch, int index, struct environment *env, void *scratch) {
    const uint32_t most = (uint32_t)batch->options.max_length;
    for (;;) {
        const int mover = lr_to_move(batch->game, state_of(env));
        if (mover == LR_NOBODY) return TERMINATED;
        if (most && env->length >= most) return TRUNCATED;
        const int action = own_choice(batch, env, mover, scratch);
        if (action < 0) {
            env->mover = (uint8_t)mover;
            lr_mask(batch->game, state_of(env), mask_of(batch, env));
            return GOES_ON;
        }
        play(batch, index, env, mover, action);
    }
}

/* Marks the environment as over; its state stays to be looked at. */
static void stop(const lr_batch *batch, struct environment *env) {
    lr_returns(batch->game, state_of(env), env->returns);
    env->over = 1;
    env->played = 1;
    env->mover = LR_NOBODY;
    memset(mask_of(batch, env), 0, batch->slot_bytes - batch->mask_offset);
}

static void conclude(const lr_batch *batch, struct environment *env) {
    stop(batch, env);
    env->episodes_ended++;
    env->ended_seed = env->seed;
    env->ended_episode = env->episode;
    env->ended_length = env->length;
    env->ended_half = env->half;
    env->ended_from_start = env->from_start && (!batch->records || env->length <= batch->record_room);
}

/* A clean slate; the record of the ended episode is kept in the other half. */
static void clear_episode(const lr_batch *batch, struct environment *env) {
    env->length = 0;
    env->returns[0] = env->returns[1] = 0;
    env->over = 0;
    env->viewer = first_viewer(batch);
    env->half = !env->ended_half;
}

/* Begins the episode that the environment's number says. One that ends before the caller's first decision is
 * counted and the next begun; after too many of those the environment is left over. */
static void begin(const lr_batch *batch, int index, struct environment *env, void *scratch) {
    for (int tries = 1;; tries++) {
        clear_episode(batch, env);
        env->played = 0;
        env->from_start = 1;
        lr_start(batch->game, state_of(env));
        if (settle(batch, index, env, scratch) == GOES_ON) return;
        conclude(batch, env);
        if (tries == MOST_RESTARTS) return;
        env->episode++;
    }
}

static void begin_next(const lr_batch *batch, int index, struct environment *env, void *scratch) {
    env->episode++;
    begin(batch, index, env, scratch);
}

/* ---- Results into the caller's arrays ---- */

static void observe(const lr_batch *batch, struct environment *env, int index, uint8_t *pieces, int16_t *globals,
                    uint8_t *scratch) {
    if (!pieces && !globals) return;
    const lr_info *info = &batch->game->info;
    const size_t piece_bytes = (size_t)info->piece_rows * (size_t)info->piece_columns;
    uint8_t *to_pieces = pieces ? pieces + (size_t)index * piece_bytes : scratch + batch->pieces_offset;
    int16_t *to_globals = globals ? globals + (size_t)index * (size_t)info->global_columns
                                  : (int16_t *)(void *)(scratch + batch->globals_offset);
    const int viewer = env->mover < LR_CHANCE ? env->mover : env->viewer;
    lr_observe(batch->game, state_of(env), viewer, to_pieces, to_globals);
}

static void fill(const lr_batch *batch, int index, const struct result *result, const lr_arrays *out,
                 uint8_t *scratch) {
    struct environment *env = at(batch, index);
    const size_t i = (size_t)index, mask_bytes = (size_t)batch->game->info.mask_bytes;
    observe(batch, env, index, out->pieces, out->globals, scratch);
    if (out->mask) memcpy(out->mask + i * mask_bytes, mask_of(batch, env), mask_bytes);
    if (out->rewards) memcpy(out->rewards + i * 2, result->rewards, sizeof result->rewards);
    if (out->terminated) out->terminated[i] = result->terminated;
    if (out->truncated) out->truncated[i] = result->truncated;
    if (out->to_move) out->to_move[i] = env->mover;
    if (out->score) out->score[i] = (int16_t)(result->scored ? result->score : lr_score(batch->game, state_of(env)));
    /* Rewards come at the end only, so the episode's return is the last step's reward. */
    if (out->episode_return) memcpy(out->episode_return + i * 2, result->rewards, sizeof result->rewards);
    if (out->episode_length) out->episode_length[i] = result->ended_length;
}

/* ---- Steps ---- */

static bool allowed(const lr_batch *batch, int index, int32_t action) {
    struct environment *env = at(batch, index);
    if (action == LR_SKIP) return true;
    if (env->over) return batch->options.autoreset != LR_DISABLED;
    if (action < 0 || action >= batch->game->info.actions) return false;
    return mask_of(batch, env)[action / 8] >> (action % 8) & 1;
}

static int refuse(const lr_batch *batch, int index, int32_t action, lr_error *error) {
    struct environment *env = at(batch, index);
    env->illegal_attempts++;
    if (env->over)
        return lr_fail(
            error, LR_E_ILLEGAL,
            "environment %d: its episode is over and autoreset is disabled: reset it, or skip it with %d, not %d",
            index, LR_SKIP, action);
    lr_error why;
    lr_apply(batch->game, state_of(env), action, &why); /* known to fail, hence changes nothing */
    return lr_fail(error, LR_E_ILLEGAL, "environment %d: %s", index, why.text);
}

static void end_episode(const lr_batch *batch, int index, struct environment *env, enum ending ending,
                        struct result *result, const lr_arrays *out, uint8_t *scratch) {
    conclude(batch, env);
    result->terminated = ending == TERMINATED;
    result->truncated = ending == TRUNCATED;
    result->rewards[0] = env->returns[0];
    result->rewards[1] = env->returns[1];
    result->ended_length = (int32_t)env->length;
    if (batch->options.autoreset != LR_SAME_STEP) return;
    result->scored = true;
    result->score = lr_score(batch->game, state_of(env));
    observe(batch, env, index, out->final_pieces, out->final_globals, scratch);
    begin_next(batch, index, env, scratch);
}

static void step_one(const lr_batch *batch, int index, int32_t action, const lr_arrays *out, uint8_t *scratch) {
    struct environment *env = at(batch, index);
    struct result result = {.scored = false};
    if (action != LR_SKIP && env->over)
        begin_next(batch, index, env, scratch);
    else if (action != LR_SKIP) {
        env->played = 1;
        play(batch, index, env, env->mover, action);
        const enum ending ending = settle(batch, index, env, scratch);
        if (ending != GOES_ON) end_episode(batch, index, env, ending, &result, out, scratch);
    }
    fill(batch, index, &result, out, scratch);
}

int lr_batch_step(lr_batch *batch, const int32_t *actions, const lr_arrays *out, lr_error *error) {
    if (!actions) return lr_fail(error, LR_E_ARGUMENT, "a step needs one action for every environment");
    if (!out) out = &no_arrays;
    const int size = batch->options.size;
    int faulty = size;
#pragma omp parallel num_threads(batch->threads) if (batch->threads > 1)
    {
        uint8_t *scratch = scratch_of(batch, omp_get_thread_num());
#pragma omp for schedule(static) reduction(min : faulty)
        for (int i = 0; i < size; i++)
            if (!allowed(batch, i, actions[i]) && i < faulty) faulty = i;
        if (faulty == size) {
#pragma omp for schedule(static)
            for (int i = 0; i < size; i++) step_one(batch, i, actions[i], out, scratch);
        }
    }
    return faulty == size ? LR_OK : refuse(batch, faulty, actions[faulty], error);
}

static void reset_one(const lr_batch *batch, int index, const uint64_t *seeds, uint8_t *scratch) {
    struct environment *env = at(batch, index);
    if (seeds) {
        env->seed = seeds[index];
        env->episode = 0;
    } else if (env->played)
        env->episode++;
    else
        return; /* it already stands where a reset would put it */
    begin(batch, index, env, scratch);
}

void lr_batch_reset(lr_batch *batch, const uint8_t *which, const uint64_t *seeds, const lr_arrays *out) {
    if (!out) out = &no_arrays;
    const int size = batch->options.size;
    const struct result nothing = {.scored = false};
#pragma omp parallel num_threads(batch->threads) if (batch->threads > 1)
    {
        uint8_t *scratch = scratch_of(batch, omp_get_thread_num());
#pragma omp for schedule(static)
        for (int i = 0; i < size; i++) {
            if (!which || which[i]) reset_one(batch, i, seeds, scratch);
            fill(batch, i, &nothing, out, scratch);
        }
    }
}

void lr_batch_observe(const lr_batch *batch, const lr_arrays *out) {
    const int size = batch->options.size;
    const struct result nothing = {.scored = false};
#pragma omp parallel num_threads(batch->threads) if (batch->threads > 1)
    {
        uint8_t *scratch = scratch_of(batch, omp_get_thread_num());
#pragma omp for schedule(static)
        for (int i = 0; i < size; i++) fill(batch, i, &nothing, out, scratch);
    }
}

/* ---- Opening and closing ---- */

static int check_options(const lr_batch_options *options, lr_error *error) {
    if (options->size < 1 || options->size > MOST_SIZE)
        return lr_fail(error, LR_E_ARGUMENT, "a batch has 1 to %d environments, not %d", MOST_SIZE, options->size);
    if (options->threads < 0 || options->threads > MOST_THREADS)
        return lr_fail(error, LR_E_ARGUMENT, "a batch runs on 0 (choose) to %d threads, not %d", MOST_THREADS,
                       options->threads);
    if (options->autoreset < LR_NEXT_STEP || options->autoreset > LR_DISABLED)
        return lr_fail(error, LR_E_ARGUMENT, "autoreset %d is none of next step 0, same step 1, disabled 2",
                       options->autoreset);
    if (options->max_length < 0)
        return lr_fail(error, LR_E_ARGUMENT, "max_length is 0 (no limit) or more, not %d", options->max_length);
    if (!options->opponent) return LR_OK;
    if (options->learner != LR_UNION && options->learner != LR_CONFEDERATE)
        return lr_fail(error, LR_E_ARGUMENT, "the learner is player 0 or 1, not %d", options->learner);
    if (!options->opponent->choose) return lr_fail(error, LR_E_ARGUMENT, "the opponent has no choose function");
    return LR_OK;
}

static int threads_for(const lr_batch_options *options) {
    const int each = options->opponent ? 1 : FEWEST_EACH; /* an opponent thinks long enough to pay for a thread */
    const int asked = options->threads ? options->threads : omp_get_max_threads();
    const int useful = options->size / each;
    const int threads = asked < useful ? asked : useful;
    return threads < 1 ? 1 : threads > MOST_THREADS ? MOST_THREADS : threads;
}

static void lay_out(lr_batch *batch) {
    const lr_info *info = &batch->game->info;
    batch->mask_offset = sizeof(struct environment) + (size_t)info->state_bytes;
    batch->slot_bytes = round_up(batch->mask_offset + (size_t)info->mask_bytes, LINE);
    batch->pieces_offset = batch->options.opponent ? round_up(batch->opponent.scratch_bytes, LINE) : 0;
    batch->globals_offset =
        round_up(batch->pieces_offset + (size_t)info->piece_rows * (size_t)info->piece_columns, LINE);
    batch->scratch_bytes =
        round_up(batch->globals_offset + (size_t)info->global_columns * sizeof(int16_t) + LINE, LINE);
    batch->record_room = batch->options.record ? (size_t)info->max_decisions : 0;
}

static bool allocate(lr_batch *batch) {
    const size_t size = (size_t)batch->options.size;
    batch->slots = aligned_alloc(LINE, size * batch->slot_bytes);
    batch->scratch = aligned_alloc(LINE, (size_t)batch->threads * batch->scratch_bytes);
    if (batch->record_room) batch->records = calloc(size * 2 * batch->record_room, sizeof(uint16_t));
    return batch->slots && batch->scratch && (batch->records || !batch->record_room);
}

/* The thread that will step an environment also touches its memory first. */
static void begin_all(lr_batch *batch) {
    const int size = batch->options.size;
#pragma omp parallel num_threads(batch->threads) if (batch->threads > 1)
    {
        uint8_t *scratch = scratch_of(batch, omp_get_thread_num());
#pragma omp for schedule(static)
        for (int i = 0; i < size; i++) {
            struct environment *env = at(batch, i);
            memset(env, 0, batch->slot_bytes);
            env->seed = lr_environment_seed(batch->options.seed, (uint64_t)i);
            begin(batch, i, env, scratch);
        }
    }
}

int lr_batch_open(const lr_game *game, const lr_batch_options *options, lr_batch **batch, lr_error *error) {
    const int code = check_options(options, error);
    if (code) return code;
    lr_batch *made = calloc(1, sizeof *made);
    if (!made) return lr_fail(error, LR_E_MEMORY, "no memory for a batch");
    made->game = game;
    made->options = *options;
    if (options->opponent) {
        made->opponent = *options->opponent;
        made->options.opponent = &made->opponent;
    }
    made->threads = threads_for(options);
    lay_out(made);
    if (!allocate(made)) {
        const size_t each = made->slot_bytes + 4 * made->record_room;
        lr_batch_close(made);
        return lr_fail(error, LR_E_MEMORY, "no memory for %d environments of %zu bytes", options->size, each);
    }
    begin_all(made);
    *batch = made;
    return LR_OK;
}

void lr_batch_close(lr_batch *batch) {
    if (!batch) return;
    free(batch->slots);
    free(batch->records);
    free(batch->scratch);
    free(batch);
}

/* ---- Looking, loading, cloning ---- */

const lr_game *lr_batch_game(const lr_batch *batch) { return batch->game; }
int lr_batch_size(const lr_batch *batch) { return batch->options.size; }
int lr_batch_environment_bytes(const lr_batch *batch) { return (int)batch->slot_bytes; }
const lr_state *lr_batch_state(const lr_batch *batch, int index) { return state_of(at(batch, index)); }

lr_environment_stats lr_batch_stats(const lr_batch *batch, int index) {
    const struct environment *env = at(batch, index);
    return (lr_environment_stats){.seed = env->seed,
                                  .episode = env->episode,
                                  .length = env->length,
                                  .illegal_attempts = env->illegal_attempts,
                                  .episodes_ended = env->episodes_ended,
                                  .returns = {env->returns[0], env->returns[1]},
                                  .over = env->over};
}

static int check_index(const lr_batch *batch, int index, lr_error *error) {
    if (index >= 0 && index < batch->options.size) return LR_OK;
    return lr_fail(error, LR_E_ARGUMENT, "there is no environment %d: the batch has 0 to %d", index,
                   batch->options.size - 1);
}

static int check_dice(int dice, lr_error *error) {
    if (dice == LR_DICE_FRESH || dice == LR_DICE_SAME) return LR_OK;
    return lr_fail(error, LR_E_ARGUMENT, "dice %d are neither fresh 0 nor the same 1", dice);
}

/* From the seed that the environment had itself, so that one state put into many gets different dice in each. */
static void freshen(struct environment *env, int index, uint64_t old_seed) {
    env->seed = lr_fresh_seed(old_seed, (uint64_t)index);
    env->episode = 0;
    env->played = 1;
}

int lr_batch_load(lr_batch *batch, int index, const lr_state *state, int dice, lr_error *error) {
    int code = check_index(batch, index, error);
    if (!code) code = check_dice(dice, error);
    if (!code && !state) return lr_fail(error, LR_E_ARGUMENT, "no state was given to load");
    if (!code) code = lr_state_check(batch->game, state, error);
    if (code) return code;

    struct environment *env = at(batch, index);
    memmove(state_of(env), state, (size_t)batch->game->info.state_bytes);
    clear_episode(batch, env);
    env->played = 1;
    env->from_start = 0;
    if (dice == LR_DICE_FRESH) freshen(env, index, env->seed);
    if (lr_to_move(batch->game, state_of(env)) == LR_NOBODY)
        stop(batch, env);
    else if (settle(batch, index, env, scratch_of(batch, 0)) != GOES_ON)
        conclude(batch, env);
    return LR_OK;
}

int lr_batch_clone(lr_batch *batch, int from, int to, int dice, lr_error *error) {
    int code = check_index(batch, from, error);
    if (!code) code = check_index(batch, to, error);
    if (!code) code = check_dice(dice, error);
    if (code) return code;

    const uint64_t old_seed = at(batch, to)->seed;
    if (from != to) {
        memcpy(at(batch, to), at(batch, from), batch->slot_bytes);
        if (batch->records)
            memcpy(record_of(batch, to, 0), record_of(batch, from, 0), 2 * batch->record_room * sizeof(uint16_t));
    }
    if (dice == LR_DICE_FRESH) freshen(at(batch, to), to, old_seed);
    return LR_OK;
}

/* ---- Records ---- */

static const char *agent_of(const lr_batch *batch, int player) {
    const lr_chooser *opponent = batch->options.opponent;
    return opponent && player != batch->options.learner ? opponent->name : "learner";
}

static int fetch_record(const lr_batch *batch, uint64_t seed, uint32_t episode, const uint16_t *actions,
                        uint32_t length, lr_replay **replay, lr_error *error) {
    lr_replay *made;
    int code = lr_replay_new(batch->game, seed, episode, agent_of(batch, LR_UNION), agent_of(batch, LR_CONFEDERATE),
                             &made, error);
    if (code) return code;
    for (uint32_t i = 0; i < length && !code; i++) code = lr_replay_add(made, actions[i], error);
    if (code)
        lr_replay_free(made);
    else
        *replay = made;
    return code;
}

int lr_batch_replay(const lr_batch *batch, int index, bool ended, lr_replay **replay, lr_error *error) {
    const int code = check_index(batch, index, error);
    if (code) return code;
    if (!batch->records) return lr_fail(error, LR_E_NOT_FOUND, "this batch keeps no record: open it with `record`");
    const struct environment *env = at(batch, index);
    if (ended && !env->ended_from_start)
        return lr_fail(error, LR_E_NOT_FOUND, "environment %d: no episode that began at the first state has ended last",
                       index);
    if (ended)
        return fetch_record(batch, env->ended_seed, env->ended_episode, record_of(batch, index, env->ended_half),
                            env->ended_length, replay, error);
    if (!env->from_start || env->length > batch->record_room)
        return lr_fail(error, LR_E_NOT_FOUND, "environment %d: its episode began from a loaded state", index);
    return fetch_record(batch, env->seed, env->episode, record_of(batch, index, env->half), env->length, replay, error);
}
