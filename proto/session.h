/* session.h: what the server keeps for one client: a batch, the sequence number, the last reply.
 *
 * A session belongs to one worker thread for its whole life. Its arrays are laid out once: a batch reply is one raw
 * frame that holds all arrays the client asked for, each 64-aligned, at offsets that `opened` states. lr_batch_step
 * writes straight into that frame's buffer, so results are not copied on their way to the socket. */
#ifndef WIRE_SESSION_H
#define WIRE_SESSION_H

#include "agents/agent.h"
#include "proto/buffers.h"
#include "proto/codec.h"
#include "proto/searches.h"

/* ---- A message in parts ---- */

enum { WIRE_MOST_FRAMES = 3 }; /* the header and at most two raw frames, both ways */

struct wire_frames {
    zmq_msg_t frame[WIRE_MOST_FRAMES];
    int count;
};

void frames_close(struct wire_frames *frames);

/* Another reference to the same bytes. */
void frames_copy(struct wire_frames *to, struct wire_frames *from);

/* ---- How a batch reply is laid out ---- */

enum wire_array {
    ARRAY_PIECES,
    ARRAY_GLOBALS,
    ARRAY_MASK,
    ARRAY_REWARDS,
    ARRAY_TERMINATED,
    ARRAY_TRUNCATED,
    ARRAY_TO_MOVE,
    ARRAY_SCORE,
    ARRAY_EPISODE_RETURN,
    ARRAY_EPISODE_LENGTH,
    ARRAYS
};

enum { ALL_ARRAYS = (1 << ARRAYS) - 1 };

/* terminated, truncated and to_move are always sent: a client cannot do without, and the server needs them itself. */
enum { NEEDED_ARRAYS = 1 << ARRAY_TERMINATED | 1 << ARRAY_TRUNCATED | 1 << ARRAY_TO_MOVE };

struct layout {
    unsigned chosen; /* bit i: enum wire_array i is there */
    size_t offset[ARRAYS], row_bytes[ARRAYS];
    size_t bytes; /* of the whole frame */
};

const char *array_name(int array);
const char *array_type(int array); /* as numpy writes it: "|u1", "<i2", "<i4", "<f4" */

/* The dimensions after the first, which is the batch; returns their number, 0 to 2. */
int array_shape(int array, const lr_info *info, int shape[2]);

void layout_make(struct layout *layout, const lr_info *info, int size, unsigned chosen);

/* ---- Sessions ---- */

struct session_options {
    lr_batch_options batch;
    unsigned arrays; /* bits of enum wire_array */
};

struct session {
    lr_batch *batch;
    const lr_game *game;
    struct session_options options;
    lr_chooser *opponent; /* owned; NULL: none */
    struct layout layout;
    struct pool *pool;
    int32_t *actions;      /* [size], aligned: a frame's bytes need not be */
    uint64_t *seeds;       /* [size] */
    uint8_t *final_pieces; /* [size]...: SAME_STEP only */
    int16_t *final_globals;
    struct searches *searches;                 /* NULL: none */
    struct call *calls;                        /* that cannot be answered yet: the first one's search is running */
    uint64_t last;                             /* sequence number of the last request that was answered */
    struct wire_frames last_reply;             /* sent again for a resend of the same number */
    uint64_t requests, errors, resends, steps; /* steps: environments stepped */
};

/* Opens the batch and all memory. Errors: BAD_FIELD, INTERNAL. */
int session_open(const lr_game *game, const struct session_options *options, struct session **session,
                 struct wire_fault *fault);
void session_close(struct session *session); /* NULL is allowed */

int session_size(const struct session *session);

/* Bytes that it holds now, of the batch, its buffers and arrays. */
size_t session_bytes(const struct session *session);

/* Each makes the raw frames of a batch reply: frames[1] is the batch, and, for a step in which episodes ended in
 * SAME_STEP mode, frames[2] their final observations, of which *ended says how many. `frames` has count 1 before (the
 * header's place, not initialised by this call). Errors, with nothing changed: ILLEGAL_ACTION and EPISODE_OVER (step
 * only, env named), INTERNAL. The frames from 1 on are the caller's to close, after a failure too. */
int session_step(struct session *session, struct wire_frames *frames, int *ended, struct wire_fault *fault);
int session_reset(struct session *session, const uint8_t *which, const uint64_t *seeds, struct wire_frames *frames,
                  struct wire_fault *fault);
int session_observe(struct session *session, struct wire_frames *frames, struct wire_fault *fault);

/* ---- Saved states ---- */

/* A saved state: this head, little-endian, then the state's bytes. */
enum { SAVED_HEAD = 32 };

size_t saved_bytes(const struct session *session);
void saved_write(const struct session *session, int env, uint8_t *bytes);

/* Proves that the bytes were saved from this game; *state points into `aligned` (saved_bytes long), a copy. Errors:
 * BAD_STATE. The state itself is checked when it is loaded. */
int saved_read(const struct session *session, const void *bytes, size_t length, uint8_t *aligned,
               const lr_state **state, struct wire_fault *fault);

#endif
