/* client.c: a small client of the server, with deadlines. */
#include "proto/client.h"
#include "env/game.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TOKEN_BYTES = 16, MOST_HEADER = 4096 };

struct client {
    void *context, *socket;
    char endpoint[256];
    int deadline_ms;
    bool has_session;
    uint8_t token[TOKEN_BYTES];
    uint64_t next, sent; /* numbers: of the next request, of the last one sent */
    uint8_t header[MOST_HEADER];
    struct wire_writer out;
    struct wire_frames last; /* the last request, for client_resend */
};

static int64_t milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool set(void *socket, int option, int value) {
    return zmq_setsockopt(socket, option, &value, sizeof value) == 0;
}

static bool set_options(void *socket) {
    return set(socket, ZMQ_LINGER, 0) && set(socket, ZMQ_IMMEDIATE, 1) && set(socket, ZMQ_RECONNECT_IVL, 50) &&
           set(socket, ZMQ_RECONNECT_IVL_MAX, 2000) && set(socket, ZMQ_HEARTBEAT_IVL, 5000) &&
           set(socket, ZMQ_HEARTBEAT_TIMEOUT, 15000);
}

/* A pair of keys of its own; the server only asks that its public one is known. */
static bool set_keys(void *socket, const char *server_key) {
    char public_key[41], secret_key[41];
    if (!server_key) return true;
    return zmq_curve_keypair(public_key, secret_key) == 0 &&
           zmq_setsockopt(socket, ZMQ_CURVE_SERVERKEY, server_key, strlen(server_key) + 1) == 0 &&
           zmq_setsockopt(socket, ZMQ_CURVE_PUBLICKEY, public_key, sizeof public_key) == 0 &&
           zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, secret_key, sizeof secret_key) == 0;
}

int client_open(const char *endpoint, const char *server_key, int deadline_ms, struct client **client,
                lr_error *error) {
    struct client *made = calloc(1, sizeof *made);
    if (!made || strlen(endpoint) >= sizeof made->endpoint) {
        free(made);
        return lr_fail(error, LR_E_MEMORY, "no memory for a client, or its endpoint is too long");
    }
    snprintf(made->endpoint, sizeof made->endpoint, "%s", endpoint);
    made->deadline_ms = deadline_ms;
    made->next = 1;
    made->context = zmq_ctx_new();
    made->socket = made->context ? zmq_socket(made->context, ZMQ_DEALER) : NULL;
    if (made->socket && set_options(made->socket) && set_keys(made->socket, server_key) &&
        zmq_connect(made->socket, endpoint) == 0) {
        *client = made;
        return LR_OK;
    }
    const int code = lr_fail(error, LR_E_IO, "cannot connect to %s: %s", endpoint, zmq_strerror(errno));
    client_close(made);
    return code;
}

void client_close(struct client *client) {
    if (!client) return;
    frames_close(&client->last);
    if (client->socket) zmq_close(client->socket);
    while (client->context && zmq_ctx_term(client->context) < 0 && errno == EINTR) {}
    free(client);
}

/* ---- Sending ---- */

struct wire_writer *client_begin(struct client *client, const char *type) {
    struct wire_writer *out = &client->out;
    client->sent = client->next++;
    wire_begin(out, client->header, sizeof client->header);
    wire_open_map(out);
    wire_put_text(out, "t", type);
    wire_put_uint(out, "q", client->sent);
    if (client->has_session) wire_put_bin(out, "s", client->token, TOKEN_BYTES);
    return out;
}

struct wire_writer *client_out(struct client *client) {
    return &client->out;
}

static int fill(zmq_msg_t *frame, const void *bytes, size_t length) {
    if (zmq_msg_init_size(frame, length)) return -1;
    if (length) memcpy(zmq_msg_data(frame), bytes, length);
    return 0;
}

static int wait_for(struct client *client, short events, int64_t until) {
    zmq_pollitem_t item = {.socket = client->socket, .events = events};
    for (;;) {
        const int64_t left = until - milliseconds();
        const int ready = zmq_poll(&item, 1, left > 0 ? left : 0);
        if (ready > 0) return 0;
        if (ready == 0 || errno != EINTR) return -1;
    }
}

static int send_copy(struct client *client, struct wire_frames *frames, lr_error *error) {
    /* Without a connection the socket takes nothing (ZMQ_IMMEDIATE), so that the deadline holds for connecting too. */
    if (wait_for(client, ZMQ_POLLOUT, milliseconds() + client->deadline_ms))
        return lr_fail(error, LR_E_IO, "no connection to %s within %d ms: is a server running there?", client->endpoint,
                       client->deadline_ms);
    struct wire_frames copy;
    frames_copy(&copy, frames);
    for (int i = 0; i < copy.count; i++) {
        const int more = i + 1 < copy.count ? ZMQ_SNDMORE : 0;
        if (zmq_msg_send(&copy.frame[i], client->socket, more | ZMQ_DONTWAIT) >= 0) continue;
        for (; i < copy.count; i++) zmq_msg_close(&copy.frame[i]);
        return lr_fail(error, LR_E_IO, "cannot send to %s: %s", client->endpoint, zmq_strerror(errno));
    }
    return LR_OK;
}

int client_send(struct client *client, const struct raw *raw, int count, lr_error *error) {
    wire_end(&client->out);
    if (client->out.full || count > WIRE_MOST_FRAMES - 1)
        return lr_fail(error, LR_E_ARGUMENT, "the request is larger than a request may be");
    frames_close(&client->last);
    fill(&client->last.frame[0], client->header, client->out.length);
    client->last.count = 1;
    for (int i = 0; i < count; i++, client->last.count++)
        if (fill(&client->last.frame[i + 1], raw[i].bytes, raw[i].length))
            return lr_fail(error, LR_E_MEMORY, "no memory for a frame of %zu bytes", raw[i].length);
    return send_copy(client, &client->last, error);
}

int client_resend(struct client *client, lr_error *error) { return send_copy(client, &client->last, error); }

int client_send_bytes(struct client *client, const struct raw *frames, int count, lr_error *error) {
    if (wait_for(client, ZMQ_POLLOUT, milliseconds() + client->deadline_ms))
        return lr_fail(error, LR_E_IO, "no connection to %s", client->endpoint);
    for (int i = 0; i < count; i++)
        if (zmq_send(client->socket, frames[i].bytes, frames[i].length, i + 1 < count ? ZMQ_SNDMORE : 0) < 0)
            return lr_fail(error, LR_E_IO, "cannot send to %s: %s", client->endpoint, zmq_strerror(errno));
    return LR_OK;
}

/* ---- Receiving ---- */

/* Headers from the server may be longer than a request's, so they are not walked but only unpacked: the server is
 * trusted as far as msgpack-c is. */
static bool read_header(struct reply *reply) {
    size_t offset = 0;
    zmq_msg_t *frame = &reply->frames.frame[0];
    msgpack_unpacked_init(&reply->header.unpacked);
    const msgpack_unpack_return result =
        msgpack_unpack_next(&reply->header.unpacked, zmq_msg_data(frame), zmq_msg_size(frame), &offset);
    if (result != MSGPACK_UNPACK_SUCCESS || reply->header.unpacked.data.type != MSGPACK_OBJECT_MAP) return false;
    reply->header.fields = &reply->header.unpacked.data;
    reply->code = (int)reply_uint(reply, "e", WIRE_INTERNAL);
    return true;
}

static int receive_until(struct client *client, struct reply *reply, int64_t until, lr_error *error) {
    *reply = (struct reply){.code = 0};
    if (wait_for(client, ZMQ_POLLIN, until))
        return lr_fail(error, LR_E_IO, "no reply from %s within %d ms", client->endpoint, client->deadline_ms);
    int more = 1;
    size_t size = sizeof more;
    while (more && reply->frames.count < WIRE_MOST_FRAMES) {
        zmq_msg_t *frame = &reply->frames.frame[reply->frames.count++];
        zmq_msg_init(frame);
        while (zmq_msg_recv(frame, client->socket, 0) < 0 && errno == EINTR) {}
        zmq_getsockopt(client->socket, ZMQ_RCVMORE, &more, &size);
    }
    if (read_header(reply)) return LR_OK;
    reply_free(reply);
    return lr_fail(error, LR_E_IO, "%s sent something that is no reply of this protocol", client->endpoint);
}

static void note_session(struct client *client, const struct reply *reply) {
    const msgpack_object *token = wire_find(reply->header.fields, "s");
    if (reply->code || !reply_says(reply, "t", "opened") || !token || token->type != MSGPACK_OBJECT_BIN) return;
    memcpy(client->token, token->via.bin.ptr, TOKEN_BYTES);
    client->has_session = true;
}

int client_receive(struct client *client, struct reply *reply, lr_error *error) {
    return receive_until(client, reply, milliseconds() + client->deadline_ms, error);
}

int client_wait(struct client *client, struct reply *reply, lr_error *error) {
    const int64_t until = milliseconds() + client->deadline_ms;
    for (;;) {
        const int code = receive_until(client, reply, until, error);
        if (code) return code;
        if (reply_uint(reply, "q", 0) == client->sent) break;
        reply_free(reply);
    }
    note_session(client, reply);
    return LR_OK;
}

int client_call(struct client *client, const struct raw *raw, int count, struct reply *reply, lr_error *error) {
    const int code = client_send(client, raw, count, error);
    return code ? code : client_wait(client, reply, error);
}

void reply_free(struct reply *reply) {
    wire_map_free(&reply->header);
    frames_close(&reply->frames);
}

/* ---- Looking at replies ---- */

uint64_t reply_uint(const struct reply *reply, const char *key, uint64_t otherwise) {
    const msgpack_object *found = wire_find(reply->header.fields, key);
    return found && found->type == MSGPACK_OBJECT_POSITIVE_INTEGER ? found->via.u64 : otherwise;
}

bool reply_says(const struct reply *reply, const char *key, const char *word) {
    const msgpack_object *found = wire_find(reply->header.fields, key);
    return found && found->type == MSGPACK_OBJECT_STR && found->via.str.size == strlen(word) &&
           memcmp(found->via.str.ptr, word, strlen(word)) == 0;
}

const void *reply_raw(struct reply *reply, int index, size_t *length) {
    if (index < 1 || index >= reply->frames.count) return NULL;
    *length = zmq_msg_size(&reply->frames.frame[index]);
    return zmq_msg_data(&reply->frames.frame[index]);
}

static const msgpack_object *array_named(const struct reply *reply, const char *name) {
    const msgpack_object *list = wire_find(reply->header.fields, "arrays");
    if (!list || list->type != MSGPACK_OBJECT_ARRAY) return NULL;
    for (uint32_t i = 0; i < list->via.array.size; i++) {
        const msgpack_object *map = &list->via.array.ptr[i], *text = wire_find(map, "name");
        if (!text || text->type != MSGPACK_OBJECT_STR || text->via.str.size != strlen(name)) continue;
        if (memcmp(text->via.str.ptr, name, text->via.str.size) == 0) return map;
    }
    return NULL;
}

/* The types that raw frames have, with the last digit their bytes. */
static const char *known_type(const msgpack_object *type) {
    static const char *const types[] = {"|u1", "<i2", "<u2", "<i4", "<u4", "<u8", "<f4", "<f8"};
    for (size_t i = 0; type && type->type == MSGPACK_OBJECT_STR && i < sizeof types / sizeof types[0]; i++)
        if (type->via.str.size == 3 && memcmp(type->via.str.ptr, types[i], 3) == 0) return types[i];
    return NULL;
}

const void *reply_array(struct reply *reply, const char *name, struct frame_array *array) {
    const msgpack_object *map = array_named(reply, name);
    if (!map) return NULL;
    const msgpack_object *shape = wire_find(map, "shape");
    struct wire_fault fault = WIRE_NO_FAULT;
    uint64_t offset = 0;
    wire_get_uint(map, "offset", 0, UINT32_MAX, &offset, &fault);
    *array = (struct frame_array){.name = name, .type = known_type(wire_find(map, "dtype")), .offset = offset};
    if (fault.code || !array->type || !shape || shape->type != MSGPACK_OBJECT_ARRAY || shape->via.array.size > 3)
        return NULL;
    size_t length = 0, bytes = (size_t)(array->type[2] - '0');
    for (; array->dimensions < (int)shape->via.array.size; array->dimensions++) {
        const msgpack_object *size = &shape->via.array.ptr[array->dimensions];
        if (size->type != MSGPACK_OBJECT_POSITIVE_INTEGER || size->via.u64 > UINT16_MAX * 64) return NULL;
        array->shape[array->dimensions] = (uint32_t)size->via.u64;
        bytes *= (size_t)size->via.u64;
    }
    const uint8_t *frame = reply_raw(reply, 1, &length);
    return frame && offset <= length && bytes <= length - offset ? frame + offset : NULL;
}

struct wire_writer *client_begin_search(struct client *client, const struct search_options *options) {
    wire_put_search(client_begin(client, "search"), options);
    return client_out(client);
}

const uint8_t *client_token(const struct client *client) { return client->has_session ? client->token : NULL; }
uint64_t client_next(const struct client *client) { return client->next; }

void client_set_session(struct client *client, const uint8_t token[TOKEN_BYTES], uint64_t next) {
    client->has_session = token != NULL;
    if (token) memcpy(client->token, token, TOKEN_BYTES);
    client->next = next;
}
