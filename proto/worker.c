/* worker.c: the thread that serves sessions: one request after the other, each answered exactly once.
 *
 * A search may take long, so it runs in slices, between which other sessions' requests are served. While it runs, its
 * session's requests wait in the session's list of calls, the first of which is the one that the search will answer.
 *
 * Sequence numbers make a retried request happen once: a session answers only the number after its last one, and sends
 * the last reply again for the last number. Whatever has passed that check uses its number up, errors included. */
#include "proto/parts.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    SLICE_MICROSECONDS = 2000, /* of a search: what others wait for it */
    BURST = 64                 /* requests served between two slices */
};

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
    release_searches(server, *slot);
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
    const uint64_t expected = session->last + 1;
    if (q == expected) return WIRE_OK;
    return wire_refuse(fault, WIRE_BAD_SEQ, "the sequence number is %llu, and the session expects %llu",
                       (unsigned long long)q, (unsigned long long)expected);
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

/* The last part of a request in sequence: its number is used up, its reply kept. */
static void conclude(struct worker *worker, struct job *job, uint64_t q) {
    finish(worker, job, q, q + 1);
    struct session *session = *job->slot;
    if (!session) return; /* closed */
    session->errors += job->fault->code != WIRE_OK;
    session->last = q;
    frames_close(&session->last_reply);
    frames_copy(&session->last_reply, job->reply);
}

/* False if its search has more to do. */
static bool serve_in_sequence(struct worker *worker, struct job *job, const struct message_type *type, uint64_t q) {
    struct session *session = *job->slot;
    session->requests++;
    if (q == session->last) {
        session->resends++;
        job->reply->count = 0;
        frames_copy(job->reply, &session->last_reply);
        return true;
    }
    if (check_sequence(session, q, job->fault)) {
        finish(worker, job, q, session->last + 1);
        return true;
    }
    if (!check_frames(type, job)) type->handle(job);
    if (type->complete && !job->fault->code) {
        if (!searches_advance(session->searches, SLICE_MICROSECONDS)) return false;
        type->complete(job);
    }
    conclude(worker, job, q);
    return true;
}

/* ---- Calls ---- */

/* What answering one call needs. */
struct answering {
    struct session *nobody;
    struct wire_fault fault;
    struct wire_writer out;
    struct wire_frames reply;
    struct job job;
};

static struct job *answering_begin(struct answering *answering, struct worker *worker, struct call *call) {
    *answering = (struct answering){.fault = WIRE_NO_FAULT, .reply = {.count = 1}};
    wire_begin(&answering->out, worker->header, (size_t)worker->server->options.header_room);
    const int slot = call->envelope.slot;
    answering->job = (struct job){.server = worker->server,
                                  .slot = slot >= 0 ? &worker->server->session[slot] : &answering->nobody,
                                  .token = call->envelope.token,
                                  .request = &call->request,
                                  .reply = &answering->reply,
                                  .out = &answering->out,
                                  .fault = &answering->fault};
    return &answering->job;
}

static void send_envelope(void *socket, const struct envelope *envelope, bool more) {
    while (zmq_send(socket, envelope, sizeof *envelope, more ? ZMQ_SNDMORE : 0) < 0 && errno == EINTR) {}
}

static void send_reply(struct worker *worker, struct call *call, struct answering *answering) {
    call->envelope.kind = ENVELOPE_REPLY;
    call->envelope.ends = call->envelope.slot >= 0 && !*answering->job.slot;
    send_envelope(worker->far, &call->envelope, true);
    send_frames(worker->far, &call->id, ZMQ_SNDMORE);
    send_frames(worker->far, &answering->reply, 0);
    frames_close(&call->request);
}

static void refuse_call(struct worker *worker, struct call *call, int code, const char *why) {
    struct answering answering;
    struct job *job = answering_begin(&answering, worker, call);
    wire_refuse(job->fault, code, "%s", why);
    finish(worker, job, call->q, 0);
    send_reply(worker, call, &answering);
}

static void move_frames(struct wire_frames *to, struct wire_frames *from) {
    for (int i = 0; i < from->count; i++) {
        zmq_msg_init(&to->frame[i]);
        zmq_msg_move(&to->frame[i], &from->frame[i]);
    }
    to->count = from->count;
    frames_close(from);
}

/* Puts a call at the end of its session's list. */
static bool keep_call(struct session *session, struct call *call) {
    struct call *kept = malloc(sizeof *kept);
    if (!kept) return false;
    *kept = (struct call){.envelope = call->envelope, .q = call->q, .type = call->type};
    move_frames(&kept->id, &call->id);
    move_frames(&kept->request, &call->request);
    struct call **end = &session->calls;
    while (*end) end = &(*end)->next;
    *end = kept;
    return true;
}

/* Serves a call of which nothing is wrong on its face. False if it is to wait: for its own search, or for one before. */
static bool serve(struct worker *worker, struct job *job, struct call *call) {
    struct session *session = *job->slot;
    const bool needs_session = call->type->place == AT_SESSION || call->type->place == IN_SEQUENCE;
    if (atomic_load(&worker->server->stopping))
        wire_refuse(job->fault, WIRE_SHUTTING_DOWN, "the server is stopping");
    else if (needs_session && !session)
        wire_refuse(job->fault, WIRE_NO_SESSION, "the session was closed by an earlier request: open a new one");
    if (job->fault->code) {
        finish(worker, job, call->q, 0);
        return true;
    }
    if (call->type->place == IN_SEQUENCE && session && session->calls) return false;
    write_reply_start(job->out, call->type->reply, call->q);
    if (call->type->place == IN_SEQUENCE) return serve_in_sequence(worker, job, call->type, call->q);
    serve_plain(worker, job, call->type, call->q);
    return true;
}

/* Answers a call, or lets it wait. */
static void take_call(struct worker *worker, struct call *call) {
    struct answering answering;
    struct job *job = answering_begin(&answering, worker, call);
    struct wire_map header;
    bool answered = true;
    zmq_msg_t *frame = &call->request.frame[0];
    if (wire_read(zmq_msg_data(frame), zmq_msg_size(frame), &header, job->fault))
        finish(worker, job, 0, 0); /* the router has read it before: only memory can be missing */
    else {
        job->fields = header.fields;
        call->q = sequence_of(header.fields);
        call->type = message_type(wire_find(header.fields, "t"));
        answered = serve(worker, job, call);
    }
    wire_map_free(&header);
    if (answered) {
        send_reply(worker, call, &answering);
        return;
    }
    struct session *session = *job->slot;
    const bool first = session->calls == NULL;
    if (!keep_call(session, call)) {
        if (first) release_searches(worker->server, session);
        refuse_call(worker, call, WIRE_INTERNAL, "there is no memory to keep the request until it can be answered");
    } else if (first)
        worker->running[worker->runs++] = call->envelope.slot;
}

/* ---- Running searches ---- */

static struct call *take_first(struct session *session) {
    struct call *call = session->calls;
    session->calls = call->next;
    return call;
}

static void stop_running(struct worker *worker, int slot) {
    for (int i = 0; i < worker->runs; i++)
        if (worker->running[i] == slot) {
            worker->running[i] = worker->running[--worker->runs];
            return;
        }
}

/* Answers all that waits in a session with an error. */
static void refuse_calls(struct worker *worker, int slot, int code, const char *why) {
    struct session *session = worker->server->session[slot];
    if (!session || !session->calls) return;
    stop_running(worker, slot);
    release_searches(worker->server, session);
    while (session->calls) {
        struct call *call = take_first(session);
        refuse_call(worker, call, code, why);
        free(call);
    }
}

/* The search has done what was asked: answers its call, and those behind it until one has to wait again. */
static void end_run(struct worker *worker, int slot) {
    struct answering answering;
    struct session *session = worker->server->session[slot];
    struct call *call = take_first(session), *waiting = session->calls;
    struct job *job = answering_begin(&answering, worker, call);
    stop_running(worker, slot);
    session->calls = NULL;
    write_reply_start(job->out, call->type->reply, call->q);
    call->type->complete(job);
    conclude(worker, job, call->q);
    send_reply(worker, call, &answering);
    free(call);
    while (waiting) {
        call = waiting;
        waiting = call->next;
        take_call(worker, call);
        free(call);
    }
}

/* One slice of one search, each in its turn. */
static void run_slice(struct worker *worker) {
    const int slot = worker->running[worker->turn++ % (unsigned)worker->runs];
    if (atomic_load(&worker->server->stopping))
        refuse_calls(worker, slot, WIRE_SHUTTING_DOWN, "the server is stopping");
    else if (searches_advance(worker->server->session[slot]->searches, SLICE_MICROSECONDS))
        end_run(worker, slot);
}

/* ---- The thread ---- */

static void handle_request(struct worker *worker, const struct envelope *envelope) {
    struct call call = {.envelope = *envelope, .id = {.count = 1}};
    zmq_msg_init(&call.id.frame[0]);
    while (zmq_msg_recv(&call.id.frame[0], worker->far, 0) < 0 && errno == EINTR) {}
    receive_frames(worker->far, &call.request);
    take_call(worker, &call);
}

static void expire(struct worker *worker, const struct envelope *envelope) {
    refuse_calls(worker, envelope->slot, WIRE_LEASE_EXPIRED, "nothing was heard of the session while its search ran");
    release_session(worker->server, &worker->server->session[envelope->slot]);
    send_envelope(worker->far, envelope, false);
}

enum received { RECEIVED_NOTHING, RECEIVED_ONE, RECEIVED_STOP };

/* Takes one message from the router; waits for it unless a search is running. */
static enum received next(struct worker *worker) {
    struct envelope envelope;
    const int length = zmq_recv(worker->far, &envelope, sizeof envelope, worker->runs ? ZMQ_DONTWAIT : 0);
    if (length < 0) return errno == EINTR || errno == EAGAIN ? RECEIVED_NOTHING : RECEIVED_STOP;
    switch (envelope.kind) {
    case ENVELOPE_REQUEST: handle_request(worker, &envelope); return RECEIVED_ONE;
    case ENVELOPE_EXPIRE: expire(worker, &envelope); return RECEIVED_ONE;
    default: send_envelope(worker->far, &envelope, false); return RECEIVED_STOP;
    }
}

void *worker_main(void *argument) {
    struct worker *worker = argument;
    enum received received = RECEIVED_NOTHING;
    while (received != RECEIVED_STOP) {
        received = RECEIVED_ONE;
        for (int i = 0; i < BURST && received == RECEIVED_ONE; i++) received = next(worker);
        if (received != RECEIVED_STOP && worker->runs) run_slice(worker);
    }
    while (worker->runs) refuse_calls(worker, worker->running[0], WIRE_SHUTTING_DOWN, "the server is stopping");
    return NULL;
}
