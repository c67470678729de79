/* client.h: a small client of the server, with deadlines. Used by the tests and by `longroll bench serve`.
 *
 *     struct client *client;  struct reply reply;  lr_error error;
 *     client_open("ipc:///run/...", 5000, &client, &error);
 *     wire_put_text(client_begin(client, "open"), "scenario", "cedar-mountain/historical");
 *     wire_put_int(client_out(client), "size", 16);
 *     if (client_call(client, NULL, 0, &reply, &error)) puts(error.text);
 *
 * A client holds one session at most. It numbers its requests itself, keeps the token that `opened` brings, and waits
 * for the reply to the request that it sent last: replies to earlier ones, which came after their deadline, are passed
 * over.
 * One thread at a time. */
#ifndef WIRE_CLIENT_H
#define WIRE_CLIENT_H

#include "proto/session.h"

struct client;

/* A reply, valid until reply_free; not to be copied, since it points into itself. `code` is 0 or the error's; what the
 * server says is in its field `text`. */
struct reply {
    int code;
    struct wire_map header;
    struct wire_frames frames; /* frame[0] the header, frame[1]... raw */
};

/* Connects; whether anyone is there shows only with the first call. `server_key`: of a CURVE server, else NULL.
 * Errors: IO, MEMORY. */
int client_open(const char *endpoint, const char *server_key, int deadline_ms, struct client **client, lr_error *error);
void client_close(struct client *client); /* NULL is allowed; does not close the session */

/* Begins a request: `t`, the next `q`, and `s` if there is a session. Fields are added to what it returns, which
 * client_out returns again. */
struct wire_writer *client_begin(struct client *client, const char *type);
struct wire_writer *client_out(struct client *client);

/* A raw frame to send. */
struct raw {
    const void *bytes;
    size_t length;
};

/* Sends what was begun and waits for its reply. An error reply is a success of the call: look at reply->code. Errors,
 * with nothing to free: IO (no reply before the deadline, not a reply of this protocol). */
int client_call(struct client *client, const struct raw *raw, int count, struct reply *reply, lr_error *error);

/* The halves of client_call; a request can be sent again (the same bytes), or several before waiting. */
int client_send(struct client *client, const struct raw *raw, int count, lr_error *error);
int client_resend(struct client *client, lr_error *error);
int client_wait(struct client *client, struct reply *reply, lr_error *error);
void reply_free(struct reply *reply);

/* Sends frames as they are, and receives whatever comes next: for tests of malformed messages. */
int client_send_bytes(struct client *client, const struct raw *frames, int count, lr_error *error);
int client_receive(struct client *client, struct reply *reply, lr_error *error);

/* Numbers and words of a reply's header; the default if there is none. */
uint64_t reply_uint(const struct reply *reply, const char *key, uint64_t otherwise);
bool reply_says(const struct reply *reply, const char *key, const char *word);
const void *reply_raw(struct reply *reply, int index, size_t *length); /* index from 1; NULL if there is none */

/* An array that the header of a reply describes (its first raw frame holds it): a pointer to its first number, which may
 * be unaligned; NULL if there is none of that name, or if the frame is too short for it. */
const void *reply_array(struct reply *reply, const char *name, struct frame_array *array);

/* Begins a `search` with these options, which say nothing of roots and leaves: add `env`, `seed`, `slice`, `leaves`.
 *
 *     wire_put_uint(client_begin_search(client, &options), "seed", 7);
 *     if (!client_call(client, NULL, 0, &reply, &error) && !reply.code)
 *         best = reply_array(&reply, "best", &array);   // array.shape[0] of them, int32_t
 */
struct wire_writer *client_begin_search(struct client *client, const struct search_options *options);

/* The session: its token (NULL before open), and the number that the next request gets, which tests may set. */
const uint8_t *client_token(const struct client *client);
void client_set_session(struct client *client, const uint8_t token[16], uint64_t next);
uint64_t client_next(const struct client *client);

#endif
