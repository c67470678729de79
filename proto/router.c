/* router.c: the loop that owns the socket to the clients.
 *
 * It reads each header far enough to know where it belongs, keeps the directory and the leases, and answers what needs
 * no game: hello, ping, the server's stats, and every message that is faulty on its face. It never waits: sends that
 * would block are counted as dropped, since the peer is gone or does not read. */
#include "env/game.h"
#include "proto/parts.h"
#include <errno.h>
#include <string.h>

enum {
    BURST = 64,             /* messages taken from the clients before looking at the workers again */
    MOST_LEFTOVERS = 10000, /* requests refused at the end */
    STOP_MS = 5000          /* how long to wait for replies at the end */
};

/* A client's message. */
struct arrival {
    zmq_msg_t id;
    bool delimiter;
    struct wire_frames frames;
    int dropped; /* frames beyond the most */
    uint64_t q;
};

/* ---- Sending to clients ---- */

/* Closes the frames, sent or not. The high-water mark is looked at for the first part only, so when the id has gone the
 * rest goes too. */
static void deliver(struct server *server, zmq_msg_t *id, bool delimiter, struct wire_frames *frames) {
    int sent;
    do sent = zmq_msg_send(id, server->socket, ZMQ_SNDMORE | ZMQ_DONTWAIT);
    while (sent < 0 && errno == EINTR);
    if (sent < 0) {
        server->counts.dropped++;
        zmq_msg_close(id);
        frames_close(frames);
        return;
    }
    if (delimiter) zmq_send(server->socket, "", 0, ZMQ_SNDMORE | ZMQ_DONTWAIT);
    send_frames(server->socket, frames, ZMQ_DONTWAIT);
}

static void deliver_header(struct server *server, struct arrival *arrival, const struct wire_writer *out) {
    struct wire_frames frames = {.count = 1};
    if (zmq_msg_init_size(&frames.frame[0], out->length))
        zmq_msg_init(&frames.frame[0]);
    else
        memcpy(zmq_msg_data(&frames.frame[0]), out->bytes, out->length);
    deliver(server, &arrival->id, arrival->delimiter, &frames);
}

static void deliver_fault(struct server *server, struct arrival *arrival, const struct wire_fault *fault) {
    struct wire_writer out;
    wire_begin(&out, server->header, (size_t)server->options.header_room);
    write_error(&out, arrival->q, fault, 0);
    server->counts.errors++;
    deliver_header(server, arrival, &out);
}

/* ---- What the router answers itself ---- */

static void check_majors(const msgpack_object *fields, struct wire_fault *fault) {
    wire_require(fields, "majors", fault);
    if (fault->code) return;
    const msgpack_object *majors = wire_find(fields, "majors");
    if (majors->type != MSGPACK_OBJECT_ARRAY) {
        fault->field = "majors";
        wire_refuse(fault, WIRE_BAD_FIELD, "the field `majors` takes a list of the major versions that you speak");
        return;
    }
    for (uint32_t i = 0; i < majors->via.array.size; i++) {
        const msgpack_object *major = &majors->via.array.ptr[i];
        if (major->type == MSGPACK_OBJECT_POSITIVE_INTEGER && major->via.u64 == MAJOR) return;
    }
    wire_refuse(fault, WIRE_UNSUPPORTED_VERSION, "this server (longroll " LR_VERSION ") speaks major version %d only",
                MAJOR);
}

static void put_limits(struct wire_writer *out, const struct server *server) {
    const struct server_options *options = &server->options;
    wire_key(out, "limits");
    wire_open_map(out);
    wire_put_int(out, "header_bytes", WIRE_MAX_HEADER);
    wire_put_int(out, "frame_bytes", MOST_FRAME_BYTES);
    wire_put_int(out, "frames", WIRE_MOST_FRAMES);
    wire_put_int(out, "in_flight", options->in_flight);
    wire_put_int(out, "sessions", options->sessions);
    wire_put_int(out, "sessions_free", options->sessions - server->live);
    wire_put_int(out, "session_environments", options->session_environments);
    wire_put_int(out, "environments", options->environments);
    wire_put_int(out, "environments_free", options->environments - atomic_load(&server->environments));
    wire_put_int(out, "search_threads", options->threads);
    wire_put_uint(out, "session_search_bytes", options->session_search_bytes);
    wire_put_uint(out, "search_bytes", options->search_bytes);
    wire_put_uint(out, "search_bytes_free", options->search_bytes - atomic_load(&server->search_bytes));
    wire_end(out);
}

static void answer_hello(struct server *server, const msgpack_object *fields, struct wire_writer *out,
                         struct wire_fault *fault) {
    check_majors(fields, fault);
    wire_put_int(out, "major", MAJOR);
    wire_put_int(out, "minor", MINOR);
    wire_put_text(out, "server", "longroll " LR_VERSION);
    wire_put_text(out, "boot", server->boot);
    wire_put_int(out, "lease_ms", server->options.lease_ms);
    put_limits(out, server);
    wire_key(out, "features");
    wire_open_array(out);
    for (int i = 0; message_type_at(i); i++) wire_text(out, message_type_at(i)->name);
    wire_end(out);
}

static void answer_ping(struct server *server, const msgpack_object *fields, struct wire_writer *out,
                        struct wire_fault *fault) {
    (void)fields, (void)fault;
    wire_put_text(out, "boot", server->boot);
    wire_put_int(out, "sessions", server->live);
}

static void answer_stats(struct server *server, const msgpack_object *fields, struct wire_writer *out,
                         struct wire_fault *fault) {
    (void)fields, (void)fault;
    const struct server_counts counts = server_counts(server);
    wire_put_int(out, "uptime_ms", milliseconds_now() - server->started);
    wire_put_uint(out, "requests", counts.requests);
    wire_put_uint(out, "errors", counts.errors);
    wire_put_uint(out, "dropped", counts.dropped);
    wire_put_uint(out, "steps", counts.steps);
    wire_put_int(out, "sessions", server->live);
    wire_put_uint(out, "sessions_opened", counts.sessions_opened);
    wire_put_uint(out, "leases_expired", counts.leases_expired);
    wire_put_int(out, "environments", atomic_load(&server->environments));
    wire_put_int(out, "workers", server->options.workers);
    wire_put_int(out, "threads", server->options.threads);
}

static void answer_here(struct server *server, struct arrival *arrival, const struct message_type *type,
                        const msgpack_object *fields) {
    struct wire_fault fault = WIRE_NO_FAULT;
    struct wire_writer out;
    wire_begin(&out, server->header, (size_t)server->options.header_room);
    write_reply_start(&out, type->reply, arrival->q);
    if (arrival->frames.count > 1)
        wire_refuse(&fault, WIRE_BAD_FRAME, "%s takes no raw frames", type->name);
    else if (strcmp(type->name, "hello") == 0)
        answer_hello(server, fields, &out, &fault);
    else if (strcmp(type->name, "ping") == 0)
        answer_ping(server, fields, &out, &fault);
    else
        answer_stats(server, fields, &out, &fault);
    wire_end(&out);
    if (out.full) wire_refuse(&fault, WIRE_INTERNAL, "the reply's header does not fit");
    if (fault.code)
        deliver_fault(server, arrival, &fault);
    else
        deliver_header(server, arrival, &out);
}

/* ---- Passing on ---- */

static void send_to_worker(struct worker *worker, const struct envelope *envelope, bool more) {
    while (zmq_send(worker->near, envelope, sizeof *envelope, more ? ZMQ_SNDMORE : 0) < 0 && errno == EINTR) {}
}

static void pass_on(struct server *server, struct arrival *arrival, int slot, int index, bool slow) {
    struct envelope envelope = {.slot = slot, .kind = ENVELOPE_REQUEST, .delimiter = arrival->delimiter, .slow = slow};
    struct wire_frames id = {.count = 1};
    zmq_msg_init(&id.frame[0]);
    zmq_msg_move(&id.frame[0], &arrival->id);
    if (slot >= 0) memcpy(envelope.token, server->entry[slot].token, TOKEN_BYTES);
    send_to_worker(&server->worker[index], &envelope, true);
    send_frames(server->worker[index].near, &id, ZMQ_SNDMORE);
    send_frames(server->worker[index].near, &arrival->frames, 0);
}

/* The place of the session that the request names. -1 with BAD_FIELD, NO_SESSION, LEASE_EXPIRED. */
static int session_named(struct server *server, const msgpack_object *fields, struct wire_fault *fault) {
    const msgpack_object *token = wire_find(fields, "s");
    if (token && token->type == MSGPACK_OBJECT_BIN && token->via.bin.size == TOKEN_BYTES) {
        const int slot = directory_find(server, (const uint8_t *)token->via.bin.ptr, fault);
        if (slot >= 0) server->entry[slot].heard = milliseconds_now();
        return slot;
    }
    fault->field = "s";
    wire_refuse(fault, WIRE_BAD_FIELD, "the field `s` takes the %d bytes (bin) of a session's token", TOKEN_BYTES);
    return -1;
}

static void to_session(struct server *server, struct arrival *arrival, const msgpack_object *fields, bool slow,
                       struct wire_fault *fault) {
    const int slot = session_named(server, fields, fault);
    if (slot < 0) return;
    struct entry *entry = &server->entry[slot];
    if (entry->in_flight >= server->options.in_flight) {
        wire_refuse(fault, WIRE_BUSY, "%d requests of this session wait already: read their replies first",
                    entry->in_flight);
        return;
    }
    entry->in_flight++;
    entry->slow += slow;
    pass_on(server, arrival, slot, entry->worker, slow);
}

static void to_any_worker(struct server *server, struct arrival *arrival, bool opens, struct wire_fault *fault) {
    if (server->homeless >= MOST_HOMELESS) {
        wire_refuse(fault, WIRE_BUSY, "%d requests without a session wait already: try again", server->homeless);
        return;
    }
    if (!opens) {
        server->homeless++;
        pass_on(server, arrival, -1, 0, false);
        return;
    }
    const int slot = directory_add(server, milliseconds_now());
    if (slot < 0) {
        wire_refuse(fault, WIRE_CAPACITY, "all %d sessions of this server are in use: close one", server->live);
        return;
    }
    server->entry[slot].in_flight++;
    server->counts.sessions_opened++;
    pass_on(server, arrival, slot, server->entry[slot].worker, false);
}

static void route(struct server *server, struct arrival *arrival, const struct message_type *type,
                  const msgpack_object *fields, struct wire_fault *fault) {
    const bool has_session = wire_find(fields, "s") != NULL;
    if (type->place == AT_ROUTER || (strcmp(type->name, "stats") == 0 && !has_session)) {
        /* A ping with a token renews its lease. */
        if (!has_session || strcmp(type->name, "ping") != 0 || session_named(server, fields, fault) >= 0)
            answer_here(server, arrival, type, fields);
    } else if (type->place == AT_WORKER)
        to_any_worker(server, arrival, strcmp(type->name, "open") == 0, fault);
    else
        to_session(server, arrival, fields, type->complete != NULL, fault);
}

static const struct message_type *type_named(const msgpack_object *fields, struct wire_fault *fault) {
    const msgpack_object *name = wire_find(fields, "t");
    if (!name || name->type != MSGPACK_OBJECT_STR) {
        fault->field = "t";
        wire_refuse(fault, WIRE_BAD_FIELD, "the field `t` takes the type of the message as a string");
        return NULL;
    }
    const struct message_type *type = message_type(name);
    if (!type)
        wire_refuse(fault, WIRE_UNKNOWN_TYPE, "there is no message of type \"%.*s\"",
                    name->via.str.size < 40 ? (int)name->via.str.size : 40, name->via.str.ptr);
    return type;
}

static void read_and_route(struct server *server, struct arrival *arrival, struct wire_fault *fault) {
    zmq_msg_t *frame = &arrival->frames.frame[0];
    struct wire_map header;
    if (wire_read(zmq_msg_data(frame), zmq_msg_size(frame), &header, fault) == WIRE_OK) {
        wire_require(header.fields, "q", fault);
        wire_get_uint(header.fields, "q", 0, UINT64_MAX, &arrival->q, fault);
        const struct message_type *type = fault->code ? NULL : type_named(header.fields, fault);
        if (!fault->code && arrival->dropped)
            wire_refuse(fault, WIRE_BAD_FRAME, "a message has a header and at most %d raw frames, not %d",
                        WIRE_MOST_FRAMES - 1, WIRE_MOST_FRAMES - 1 + arrival->dropped);
        if (type && !fault->code && atomic_load(&server->stopping))
            wire_refuse(fault, WIRE_SHUTTING_DOWN, "the server is stopping");
        if (type && !fault->code) route(server, arrival, type, header.fields, fault);
    }
    wire_map_free(&header);
}

static void handle_arrival(struct server *server, struct arrival *arrival) {
    struct wire_fault fault = WIRE_NO_FAULT;
    server->counts.requests++;
    if (arrival->frames.count == 0)
        wire_refuse(&fault, WIRE_BAD_FRAME, "the message has no header");
    else
        read_and_route(server, arrival, &fault);
    if (fault.code) deliver_fault(server, arrival, &fault);
    frames_close(&arrival->frames); /* empty when it was passed on */
}

/* ---- Receiving ---- */

/* 1 got one, 0 there is none now, -1 the socket failed. */
static int receive(struct server *server, struct arrival *arrival) {
    *arrival = (struct arrival){.q = 0};
    zmq_msg_init(&arrival->id);
    while (zmq_msg_recv(&arrival->id, server->socket, ZMQ_DONTWAIT) < 0) {
        if (errno == EINTR) continue;
        zmq_msg_close(&arrival->id);
        return errno == EAGAIN ? 0 : -1;
    }
    if (!zmq_msg_more(&arrival->id)) return 1;
    zmq_msg_t *first = &arrival->frames.frame[0];
    zmq_msg_init(first);
    while (zmq_msg_recv(first, server->socket, 0) < 0)
        if (errno != EINTR) return -1;
    arrival->delimiter = zmq_msg_size(first) == 0 && zmq_msg_more(first);
    if (arrival->delimiter)
        zmq_msg_close(first);
    else
        arrival->frames.count = 1;
    arrival->dropped = receive_frames(server->socket, &arrival->frames);
    return arrival->dropped < 0 ? -1 : 1;
}

/* Takes up to `most` messages; -1 if the socket failed. */
static int take_arrivals(struct server *server, int most) {
    for (int i = 0; i < most; i++) {
        struct arrival arrival;
        const int got = receive(server, &arrival);
        if (got <= 0) return got;
        handle_arrival(server, &arrival);
    }
    return 0;
}

static void take_reply(struct server *server, struct worker *worker, const struct envelope *envelope) {
    struct wire_frames reply = {.count = 0};
    zmq_msg_t id;
    zmq_msg_init(&id);
    while (zmq_msg_recv(&id, worker->near, 0) < 0 && errno == EINTR) {}
    receive_frames(worker->near, &reply);
    if (envelope->slot < 0)
        server->homeless--;
    else {
        server->entry[envelope->slot].in_flight--;
        server->entry[envelope->slot].slow -= envelope->slow;
        if (envelope->ends) directory_remove(server, envelope->slot);
    }
    deliver(server, &id, envelope->delimiter, &reply);
}

static void take_replies(struct server *server, struct worker *worker) {
    struct envelope envelope;
    while (zmq_recv(worker->near, &envelope, sizeof envelope, ZMQ_DONTWAIT) >= 0)
        if (envelope.kind == ENVELOPE_EXPIRE)
            server->entry[envelope.slot].held = false;
        else
            take_reply(server, worker, &envelope);
}

/* ---- The loop ---- */

static void expire(struct server *server, int slot) {
    const struct envelope envelope = {.slot = slot, .kind = ENVELOPE_EXPIRE};
    send_to_worker(&server->worker[server->entry[slot].worker], &envelope, false);
}

static bool in_flight(const struct server *server) {
    if (server->homeless) return true;
    for (int i = 0; i < server->options.sessions; i++)
        if (server->entry[i].in_flight) return true;
    return false;
}

/* The socket, the workers, and, last, the descriptor that says stop. Returns its number of items. */
static int poll_items(const struct server *server, int stop_fd, zmq_pollitem_t *items) {
    const int workers = server->options.workers;
    items[0] = (zmq_pollitem_t){.socket = server->socket, .events = ZMQ_POLLIN};
    for (int i = 0; i < workers; i++)
        items[1 + i] = (zmq_pollitem_t){.socket = server->worker[i].near, .events = ZMQ_POLLIN};
    items[1 + workers] = (zmq_pollitem_t){.fd = stop_fd, .events = ZMQ_POLLIN};
    return workers + 2;
}

/* What waits is refused, what runs is finished. */
static void wind_down(struct server *server) {
    const int64_t until = milliseconds_now() + STOP_MS;
    atomic_store(&server->stopping, true);
    take_arrivals(server, MOST_LEFTOVERS);
    while (in_flight(server) && milliseconds_now() < until) {
        zmq_pollitem_t items[SERVER_MOST_WORKERS + 2];
        poll_items(server, -1, items);
        zmq_poll(items, 1 + server->options.workers, 50);
        for (int i = 0; i < server->options.workers; i++) take_replies(server, &server->worker[i]);
        take_arrivals(server, BURST);
    }
}

int server_run(struct server *server, int stop_fd, lr_error *error) {
    zmq_pollitem_t items[SERVER_MOST_WORKERS + 2];
    const int count = poll_items(server, stop_fd, items), lease = server->options.lease_ms;
    const int64_t beat = lease / 4 < 1000 ? lease / 4 + 1 : 1000; /* how often leases are looked at */
    int64_t reaped = milliseconds_now();
    for (;;) {
        if (zmq_poll(items, count, beat) < 0 && errno != EINTR)
            return lr_fail(error, LR_E_IO, "the server's sockets failed: %s", zmq_strerror(errno));
        for (int i = 0; i < server->options.workers; i++) take_replies(server, &server->worker[i]);
        if (take_arrivals(server, BURST) < 0)
            return lr_fail(error, LR_E_IO, "the server's socket failed: %s", zmq_strerror(errno));
        if (items[count - 1].revents) break;
        const int64_t now = milliseconds_now();
        if (now - reaped < beat) continue;
        directory_reap(server, now, expire);
        reaped = now;
    }
    wind_down(server);
    return LR_OK;
}
