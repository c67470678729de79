/* serving.h: a server in a thread of the test, and short ways to ask it. All sockets are ipc or 127.0.0.1. */
#ifndef TEST_SERVING_H
#define TEST_SERVING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "proto/client.h"
#include "proto/server.h"
#include <pthread.h>

#define SCENARIO "cedar-mountain/historical"

struct serving {
    struct server *server;
    pthread_t thread;
    int stop_fd;
    bool stopped;
};

/* Fails the test if it does not start. */
void serving_start(struct serving *serving, const struct server_options *options);
void serving_stop(struct serving *serving); /* waits for server_run to return */
struct server_counts serving_close(struct serving *serving);
struct client *connect_to(const struct serving *serving); /* to its first endpoint */

/* Opens a session. `more` (may be NULL) adds fields to the request. */
void open_session(struct client *client, int size, void (*more)(struct wire_writer *out), struct reply *reply);

/* Sends what client_begin began; fails the test unless the reply has that code. */
void expect(struct client *client, const struct raw *raw, int count, int code, struct reply *reply);

/* The same where the reply is not needed. */
void expect_only(struct client *client, const struct raw *raw, int count, int code);

/* A legal action of each row, chosen by `turn`; -1 for none. */
void choose(const uint8_t *masks, int mask_bytes, int size, uint64_t turn, int32_t *actions);

#endif
