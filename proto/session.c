/* session.c: what the server keeps for one client. */
#include "proto/session.h"
#include "env/game.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "raw frames are little-endian and never swapped");

enum { LINE = 64 };

static size_t round_up(size_t bytes) { return (bytes + LINE - 1) / LINE * LINE; }

/* ---- Messages ---- */

void frames_close(struct wire_frames *frames) {
    for (int i = 0; i < frames->count; i++) zmq_msg_close(&frames->frame[i]);
    frames->count = 0;
}

void frames_copy(struct wire_frames *to, struct wire_frames *from) {
    to->count = from->count;
    for (int i = 0; i < from->count; i++) {
        zmq_msg_init(&to->frame[i]);
        zmq_msg_copy(&to->frame[i], &from->frame[i]);
    }
}

/* ---- Layout ---- */

static const struct {
    const char *name, *type;
    size_t item;
} arrays[ARRAYS] = {
    [ARRAY_PIECES] = {"pieces", "|u1", 1},
    [ARRAY_GLOBALS] = {"globals", "<i2", 2},
    [ARRAY_MASK] = {"mask", "|u1", 1},
    [ARRAY_REWARDS] = {"rewards", "<f4", 4},
    [ARRAY_TERMINATED] = {"terminated", "|u1", 1},
    [ARRAY_TRUNCATED] = {"truncated", "|u1", 1},
    [ARRAY_TO_MOVE] = {"to_move", "|u1", 1},
    [ARRAY_SCORE] = {"score", "<i2", 2},
    [ARRAY_EPISODE_RETURN] = {"episode_return", "<f4", 4},
    [ARRAY_EPISODE_LENGTH] = {"episode_length", "<i4", 4},
};

const char *array_name(int array) { return arrays[array].name; }
const char *array_type(int array) { return arrays[array].type; }

int array_shape(int array, const lr_info *info, int shape[2]) {
    switch (array) {
    case ARRAY_PIECES: shape[0] = info->piece_rows, shape[1] = info->piece_columns; return 2;
    case ARRAY_GLOBALS: shape[0] = info->global_columns; return 1;
    case ARRAY_MASK: shape[0] = info->mask_bytes; return 1;
    case ARRAY_REWARDS:
    case ARRAY_EPISODE_RETURN: shape[0] = 2; return 1;
    default: return 0;
    }
}

static size_t row_bytes(int array, const lr_info *info) {
    int shape[2];
    const int dimensions = array_shape(array, info, shape);
    size_t bytes = arrays[array].item;
    for (int i = 0; i < dimensions; i++) bytes *= (size_t)shape[i];
    return bytes;
}

void layout_make(struct layout *layout, const lr_info *info, int size, unsigned chosen) {
    layout->chosen = chosen | NEEDED_ARRAYS;
    layout->bytes = 0;
    for (int i = 0; i < ARRAYS; i++) {
        layout->row_bytes[i] = row_bytes(i, info);
        layout->offset[i] = layout->bytes;
        if (layout->chosen >> i & 1) layout->bytes += round_up(layout->row_bytes[i] * (size_t)size);
    }
}

static void *array_at(const struct layout *layout, uint8_t *frame, int array) {
    return layout->chosen >> array & 1 ? frame + layout->offset[array] : NULL;
}

static lr_arrays arrays_in(const struct session *session, uint8_t *frame) {
    const struct layout *layout = &session->layout;
    return (lr_arrays){
        .pieces = array_at(layout, frame, ARRAY_PIECES),
        .globals = array_at(layout, frame, ARRAY_GLOBALS),
        .mask = array_at(layout, frame, ARRAY_MASK),
        .rewards = array_at(layout, frame, ARRAY_REWARDS),
        .terminated = array_at(layout, frame, ARRAY_TERMINATED),
        .truncated = array_at(layout, frame, ARRAY_TRUNCATED),
        .to_move = array_at(layout, frame, ARRAY_TO_MOVE),
        .score = array_at(layout, frame, ARRAY_SCORE),
        .episode_return = array_at(layout, frame, ARRAY_EPISODE_RETURN),
        .episode_length = array_at(layout, frame, ARRAY_EPISODE_LENGTH),
        .final_pieces = session->final_pieces,
        .final_globals = session->final_globals,
    };
}

/* ---- Opening and closing ---- */

int session_size(const struct session *session) { return session->options.batch.size; }

static bool allocate(struct session *session) {
    const lr_info *info = lr_game_info(session->game);
    const size_t size = (size_t)session_size(session);
    session->pool = pool_open(session->layout.bytes);
    session->actions = calloc(size, sizeof *session->actions);
    session->seeds = calloc(size, sizeof *session->seeds);
    if (!session->pool || !session->actions || !session->seeds) return false;
    if (session->options.batch.autoreset != LR_SAME_STEP) return true;
    if (session->layout.chosen >> ARRAY_PIECES & 1)
        session->final_pieces = calloc(size, session->layout.row_bytes[ARRAY_PIECES]);
    if (session->layout.chosen >> ARRAY_GLOBALS & 1)
        session->final_globals = calloc(size, (size_t)info->global_columns * sizeof(int16_t));
    return (session->final_pieces || !(session->layout.chosen >> ARRAY_PIECES & 1)) &&
           (session->final_globals || !(session->layout.chosen >> ARRAY_GLOBALS & 1));
}

int session_open(const lr_game *game, const struct session_options *options, struct session **session,
                 struct wire_fault *fault) {
    struct session *made = calloc(1, sizeof *made);
    if (!made) return wire_refuse(fault, WIRE_INTERNAL, "there is no memory for a session");
    made->game = game;
    made->options = *options;
    layout_make(&made->layout, lr_game_info(game), options->batch.size, options->arrays);
    lr_error error;
    int code = lr_batch_open(game, &options->batch, &made->batch, &error);
    if (!code && !allocate(made))
        code = lr_fail(&error, LR_E_MEMORY, "there is no memory for a session of %d environments", options->batch.size);
    if (!code) return *session = made, WIRE_OK;
    session_close(made);
    return wire_refuse(fault, code == LR_E_ARGUMENT ? WIRE_BAD_FIELD : WIRE_INTERNAL, "%s", error.text);
}

void session_close(struct session *session) {
    if (!session) return;
    frames_close(&session->last_reply);
    searches_free(session->searches);
    lr_batch_close(session->batch);
    agent_close(session->opponent);
    pool_close(session->pool);
    free(session->actions);
    free(session->seeds);
    free(session->final_pieces);
    free(session->final_globals);
    free(session);
}

size_t session_bytes(const struct session *session) {
    const struct session_options *options = &session->options;
    const lr_info *info = lr_game_info(session->game);
    size_t each =
        (size_t)lr_batch_environment_bytes(session->batch) + sizeof *session->actions + sizeof *session->seeds;
    if (options->batch.record) each += 2 * sizeof(uint16_t) * (size_t)info->max_decisions;
    if (session->final_pieces) each += session->layout.row_bytes[ARRAY_PIECES];
    if (session->final_globals) each += session->layout.row_bytes[ARRAY_GLOBALS];
    const size_t searches = session->searches ? searches_bytes(session->searches) : 0;
    return sizeof *session + each * (size_t)options->batch.size + pool_bytes(session->pool) + searches;
}

/* ---- Steps ---- */

/* Names the first environment whose action is refused: lr_batch_step says it in words only. */
static int refuse_action(const struct session *session, const lr_error *error, struct wire_fault *fault) {
    uint16_t legal[LR_MAX_ACTIONS];
    for (int i = 0; i < session_size(session); i++) {
        const int32_t action = session->actions[i];
        const lr_state *state = lr_batch_state(session->batch, i);
        const bool over = lr_batch_stats(session->batch, i).over;
        if (action == LR_SKIP || (over && session->options.batch.autoreset != LR_DISABLED)) continue;
        if (!over && action >= 0 && lr_is_legal(session->game, state, action)) continue;
        fault->env = i;
        if (!over) fault->legal = lr_legal(session->game, state, legal);
        return wire_refuse(fault, over ? WIRE_EPISODE_OVER : WIRE_ILLEGAL_ACTION, "%s", error->text);
    }
    return wire_refuse(fault, WIRE_INTERNAL, "%s", error->text);
}

static int new_batch_frame(struct session *session, zmq_msg_t *frame, struct wire_fault *fault) {
    if (pool_message(session->pool, frame) == 0) return WIRE_OK;
    return wire_refuse(fault, WIRE_INTERNAL, "there is no memory for a reply of %zu bytes", session->layout.bytes);
}

static int count_ended(const struct session *session, const lr_arrays *results) {
    int ended = 0;
    assert(results->terminated && results->truncated); /* always sent: session.h */
    for (int i = 0; i < session_size(session); i++) ended += results->terminated[i] | results->truncated[i];
    return ended;
}

/* The final observations of the environments that ended, ascending: all their pieces, then, 64-aligned, globals. */
static void gather_final(const struct session *session, const lr_arrays *results, int ended, uint8_t *to) {
    const size_t pieces = session->final_pieces ? session->layout.row_bytes[ARRAY_PIECES] : 0;
    const size_t globals = session->final_globals ? session->layout.row_bytes[ARRAY_GLOBALS] : 0;
    const uint8_t *from_globals = (const uint8_t *)session->final_globals;
    uint8_t *to_globals = to + round_up(pieces * (size_t)ended);
    memset(to + pieces * (size_t)ended, 0, (size_t)(to_globals - to) - pieces * (size_t)ended);
    for (size_t i = 0, k = 0; i < (size_t)session_size(session); i++) {
        if (!results->terminated[i] && !results->truncated[i]) continue;
        if (pieces) memcpy(to + k * pieces, session->final_pieces + i * pieces, pieces);
        if (globals) memcpy(to_globals + k * globals, from_globals + i * globals, globals);
        k++;
    }
}

static size_t final_bytes(const struct session *session, int ended) {
    const size_t pieces = session->final_pieces ? session->layout.row_bytes[ARRAY_PIECES] : 0;
    const size_t globals = session->final_globals ? session->layout.row_bytes[ARRAY_GLOBALS] : 0;
    return round_up(pieces * (size_t)ended) + globals * (size_t)ended;
}

/* Returns how many ended, -1 with INTERNAL. */
static int add_final(struct session *session, const lr_arrays *results, struct wire_frames *frames,
                     struct wire_fault *fault) {
    const int ended = count_ended(session, results);
    const size_t bytes = final_bytes(session, ended);
    if (ended == 0 || bytes == 0) return ended;
    if (zmq_msg_init_size(&frames->frame[2], bytes)) {
        wire_refuse(fault, WIRE_INTERNAL, "the step was done, but there is no memory to send its final observations");
        return -1;
    }
    gather_final(session, results, ended, zmq_msg_data(&frames->frame[2]));
    frames->count = 3;
    return ended;
}

int session_step(struct session *session, struct wire_frames *frames, int *ended, struct wire_fault *fault) {
    if (new_batch_frame(session, &frames->frame[1], fault)) return fault->code;
    const lr_arrays results = arrays_in(session, zmq_msg_data(&frames->frame[1]));
    lr_error error;
    if (lr_batch_step(session->batch, session->actions, &results, &error)) {
        zmq_msg_close(&frames->frame[1]);
        return refuse_action(session, &error, fault);
    }
    frames->count = 2;
    session->steps += (uint64_t)session_size(session);
    *ended = session->final_pieces || session->final_globals ? add_final(session, &results, frames, fault) : 0;
    return fault->code;
}

int session_reset(struct session *session, const uint8_t *which, const uint64_t *seeds, struct wire_frames *frames,
                  struct wire_fault *fault) {
    if (new_batch_frame(session, &frames->frame[1], fault)) return fault->code;
    const lr_arrays results = arrays_in(session, zmq_msg_data(&frames->frame[1]));
    lr_batch_reset(session->batch, which, seeds, &results);
    frames->count = 2;
    return WIRE_OK;
}

int session_observe(struct session *session, struct wire_frames *frames, struct wire_fault *fault) {
    if (new_batch_frame(session, &frames->frame[1], fault)) return fault->code;
    const lr_arrays results = arrays_in(session, zmq_msg_data(&frames->frame[1]));
    lr_batch_observe(session->batch, &results);
    frames->count = 2;
    return WIRE_OK;
}

/* ---- Saved states ---- */

enum { SAVED_FORMAT = 1 };

struct saved_head {
    char magic[4]; /* "LRSV" */
    uint32_t format;
    uint64_t scenario_hash;
    uint32_t ruleset_version, state_bytes;
    uint64_t checksum; /* XXH3 of the state's bytes */
};
_Static_assert(sizeof(struct saved_head) == SAVED_HEAD, "no padding");

static struct saved_head head_of(const struct session *session, const void *state) {
    const lr_info *info = lr_game_info(session->game);
    return (struct saved_head){.magic = {'L', 'R', 'S', 'V'},
                               .format = SAVED_FORMAT,
                               .scenario_hash = info->scenario_hash,
                               .ruleset_version = (uint32_t)info->ruleset_version,
                               .state_bytes = (uint32_t)info->state_bytes,
                               .checksum = XXH3_64bits(state, (size_t)info->state_bytes)};
}

size_t saved_bytes(const struct session *session) {
    return SAVED_HEAD + (size_t)lr_game_info(session->game)->state_bytes;
}

void saved_write(const struct session *session, int env, uint8_t *bytes) {
    const lr_state *state = lr_batch_state(session->batch, env);
    const struct saved_head head = head_of(session, state);
    memcpy(bytes, &head, sizeof head);
    memcpy(bytes + SAVED_HEAD, state, (size_t)lr_game_info(session->game)->state_bytes);
}

int saved_read(const struct session *session, const void *bytes, size_t length, uint8_t *aligned,
               const lr_state **state, struct wire_fault *fault) {
    if (length != saved_bytes(session))
        return wire_refuse(fault, WIRE_BAD_STATE, "a saved state of this game has %zu bytes, not %zu",
                           saved_bytes(session), length);
    memcpy(aligned, bytes, length);
    struct saved_head head;
    memcpy(&head, aligned, sizeof head);
    const struct saved_head right = head_of(session, aligned + SAVED_HEAD);
    if (memcmp(head.magic, right.magic, sizeof head.magic) || head.format != right.format)
        return wire_refuse(fault, WIRE_BAD_STATE, "the bytes do not begin as a saved state of format %d does",
                           SAVED_FORMAT);
    if (head.scenario_hash != right.scenario_hash || head.ruleset_version != right.ruleset_version)
        return wire_refuse(fault, WIRE_BAD_STATE, "the state was saved from another scenario or ruleset version");
    if (head.checksum != right.checksum)
        return wire_refuse(fault, WIRE_BAD_STATE, "the state's bytes were altered after it was saved");
    *state = (const lr_state *)(const void *)(aligned + SAVED_HEAD);
    return WIRE_OK;
}
