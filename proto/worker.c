/* worker.c: the thread that serves sessions: one request after the other, each answered exactly once.
 *
 * Sequence numbers make a retried request happen once: a session answers only the number after its last one, and sends
 * the last reply again for the last number. Whatever has passed that check uses its number up, errors included. */
#include "proto/parts.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- Frames ---- */

int receive_frames(void *socket, struct wire_frames *frames) {
    int dropped = 0, more;
    size_t size = sizeof more;
    while (zmq_getsockopt(socket, ZMQ_RCVMORE, &more, &size) == 0 && more) {
        zmq_msg_t spill;
        const bool fits = frames->count < WIRE_MOST_FRAMES;
        zmq_msg_t *frame = fits ? &frames->frame[frames->count] : &spill;
        zmq_msg_init(frame);
        while (zmq_msg_recv(frame, socket, 0) < 0)
            if (errno != EINTR) return zmq_msg_close(frame), -1;
        if (fits)
            frames->count++;
        else {
            zmq_msg_close(&spill);
            dropped++;
        }
    }
    return dropped;
}

void send_frames(void *socket, struct wire_frames *frames, int flags) {
    for (int i = 0; i < frames->count; i++) {
        const int more = i + 1 < frames->count ? ZMQ_SNDMORE : 0;
        while (zmq_msg_send(&frames->frame[i], socket, flags | more) < 0)
            if (errno != EINTR) break;
        zmq_msg_close(&frames->frame[i]); /* of a sent message: no effect */
    }
    frames->count = 0;
}

/* ---- One request ---- */

void release_session(struct server *server, struct session **slot) {
    if (!*slot) return;
    atomic_fetch_sub(&server->environments, session_size(*slot));
    session_close(*slot);
    *slot = NULL;
}

static uint64_t sequence_of(const msgpack_object *fields) {
    uint64_t q = 0;
    struct wire_fault ignored = WIRE_NO_FAULT; /* the router has seen to it that it is there */
    wire_get_uint(fields, "q", 0, UINT64_MAX, &q, &ignored);
    return q;
}

static int check_frames(const struct message_type *type, const struct job *job) {
    const int raw = job->request->count - 1;
    if (raw >= type->least_frames && raw <= type->most_frames) return WIRE_OK;
    return wire_refuse(job->fault, WIRE_BAD_FRAME, "%s takes %d to %d raw frames after its header, not %d", type->name,
                       type->least_frames, type->most_frames, raw);
}

static int check_sequence(const struct session *session, uint64_t q, struct wire_fault *fault) {
    if (q == session->last + 1) return WIRE_OK;
    return wire_refuse(fault, WIRE_BAD_SEQ, "the sequence number is %llu, and the session expects %llu",
                       (unsigned long long)q, (unsigned long long)(session->last + 1));
}

/* Makes the header frame from `out`, or from the fault. */
static void finish(struct worker *worker, struct job *job, uint64_t q, uint64_t next) {
    if (!job->fault->code) wire_end(job->out);
    if (!job->fault->code && job->out->full)
        wire_refuse(job->fault, WIRE_INTERNAL, "the reply's header would have more than %d bytes",
                    worker->server->options.header_room);
    if (job->fault->code) {
        for (int i = 1; i < job->reply->count; i++) zmq_msg_close(&job->reply->frame[i]);
        job->reply->count = 1;
        write_error(job->out, q, job->fault, next);
        atomic_fetch_add_explicit(&worker->server->errors, 1, memory_order_relaxed);
    }
    if (zmq_msg_init_size(&job->reply->frame[0], job->out->length))
        zmq_msg_init(&job->reply->frame[0]); /* an empty header is all that can be said without memory */
    else
        memcpy(zmq_msg_data(&job->reply->frame[0]), job->out->bytes, job->out->length);
}

static void serve_plain(struct worker *worker, struct job *job, const struct message_type *type, uint64_t q) {
    if (!check_frames(type, job)) type->handle(job);
    struct session *session = *job->slot;
    finish(worker, job, q, session && type->place == AT_SESSION ? session->last + 1 : 0);
    if (type->place == AT_SESSION || !session) return;
    if (job->fault->code) { /* opened, and then the reply did not fit */
        release_session(worker->server, job->slot);
        return;
    }
    session->last = q;
    frames_copy(&session->last_reply, job->reply);
}

static void serve_in_sequence(struct worker *worker, struct job *job, const struct message_type *type, uint64_t q) {
    struct session *session = *job->slot;
    session->requests++;
    if (q == session->last) {
        session->resends++;
        job->reply->count = 0;
        frames_copy(job->reply, &session->last_reply);
        return;
    }
    if (check_sequence(session, q, job->fault)) {
        finish(worker, job, q, session->last + 1);
        return;
    }
    if (!check_frames(type, job)) type->handle(job);
    finish(worker, job, q, q + 1);
    if (!*job->slot) return; /* closed */
    session->errors += job->fault->code != WIRE_OK;
    session->last = q;
    frames_close(&session->last_reply);
    frames_copy(&session->last_reply, job->reply);
}

static void serve(struct worker *worker, struct job *job, const struct wire_map *header) {
    const struct message_type *type = message_type(wire_find(header->fields, "t"));
    const uint64_t q = sequence_of(header->fields);
    const bool needs_session = type->place == AT_SESSION || type->place == IN_SEQUENCE;
    job->fields = header->fields;
    if (atomic_load(&worker->server->stopping))
        wire_refuse(job->fault, WIRE_SHUTTING_DOWN, "the server is stopping");
    else if (needs_session && !*job->slot)
        wire_refuse(job->fault, WIRE_NO_SESSION, "the session was closed by an earlier request: open a new one");
    if (job->fault->code) {
        finish(worker, job, q, 0);
        return;
    }
    write_reply_start(job->out, type->reply, q);
    if (type->place == IN_SEQUENCE)
        serve_in_sequence(worker, job, type, q);
    else
        serve_plain(worker, job, type, q);
}

static void answer(struct worker *worker, struct envelope *envelope, struct wire_frames *request,
                   struct wire_frames *reply) {
    struct session *nobody = NULL;
    struct wire_fault fault = WIRE_NO_FAULT;
    struct wire_writer out;
    wire_begin(&out, worker->header, (size_t)worker->server->options.header_room);
    struct job job = {.server = worker->server,
                      .slot = envelope->slot >= 0 ? &worker->server->session[envelope->slot] : &nobody,
                      .token = envelope->token,
                      .request = request,
                      .reply = reply,
                      .out = &out,
                      .fault = &fault};
    struct wire_map header;
    reply->count = 1;
    if (wire_read(zmq_msg_data(&request->frame[0]), zmq_msg_size(&request->frame[0]), &header, &fault))
        finish(worker, &job, 0, 0); /* the router has read it before: only memory can be missing */
    else
        serve(worker, &job, &header);
    wire_map_free(&header);
    envelope->ends = envelope->slot >= 0 && !*job.slot;
}

/* ---- The thread ---- */

static void send_envelope(void *socket, const struct envelope *envelope, bool more) {
    while (zmq_send(socket, envelope, sizeof *envelope, more ? ZMQ_SNDMORE : 0) < 0 && errno == EINTR) {}
}

static void handle_request(struct worker *worker, struct envelope *envelope) {
    struct wire_frames id = {.count = 1}, request = {.count = 0}, reply;
    zmq_msg_init(&id.frame[0]);
    while (zmq_msg_recv(&id.frame[0], worker->far, 0) < 0 && errno == EINTR) {}
    receive_frames(worker->far, &request);
    answer(worker, envelope, &request, &reply);
    frames_close(&request);
    envelope->kind = ENVELOPE_REPLY;
    send_envelope(worker->far, envelope, true);
    send_frames(worker->far, &id, ZMQ_SNDMORE);
    send_frames(worker->far, &reply, 0);
}

/* False when it was told to stop. */
static bool next(struct worker *worker) {
    struct envelope envelope;
    const int length = zmq_recv(worker->far, &envelope, sizeof envelope, 0);
    if (length < 0) return errno == EINTR;
    switch (envelope.kind) {
    case ENVELOPE_REQUEST: handle_request(worker, &envelope); return true;
    case ENVELOPE_EXPIRE:
        release_session(worker->server, &worker->server->session[envelope.slot]);
        send_envelope(worker->far, &envelope, false);
        return true;
    default: send_envelope(worker->far, &envelope, false); return false;
    }
}

void *worker_main(void *argument) {
    struct worker *worker = argument;
    while (next(worker)) {}
    return NULL;
}
