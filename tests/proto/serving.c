/* serving.c: a server in a thread of the test, and short ways to ask it. */
#include "serving.h"
#include <sys/eventfd.h>
#include <unistd.h>

static void *run(void *argument) {
    struct serving *serving = argument;
    server_run(serving->server, serving->stop_fd, NULL);
    return NULL;
}

void serving_start(struct serving *serving, const struct server_options *options) {
    lr_error error = {0};
    *serving = (struct serving){.stop_fd = eventfd(0, EFD_CLOEXEC)};
    if (server_open(options, &serving->server, &error)) fail_msg("%s", error.text);
    assert_int_equal(pthread_create(&serving->thread, NULL, run, serving), 0);
}

void serving_stop(struct serving *serving) {
    if (serving->stopped) return;
    eventfd_write(serving->stop_fd, 1);
    pthread_join(serving->thread, NULL);
    serving->stopped = true;
}

struct server_counts serving_close(struct serving *serving) {
    serving_stop(serving);
    const struct server_counts counts = server_counts(serving->server);
    server_close(serving->server);
    close(serving->stop_fd);
    return counts;
}

struct client *connect_to(const struct serving *serving) {
    struct client *client = NULL;
    lr_error error = {0};
    if (client_open(server_endpoint(serving->server, 0), NULL, 20000, &client, &error)) fail_msg("%s", error.text);
    return client;
}

void expect(struct client *client, const struct raw *raw, int count, int code, struct reply *reply) {
    lr_error error = {0};
    if (client_call(client, raw, count, reply, &error)) fail_msg("%s", error.text);
    if (reply->code == code) return;
    const msgpack_object *text = wire_find(reply->header.fields, "text");
    fail_msg("code %s, not %s: %.*s", wire_code_name(reply->code), wire_code_name(code),
             text ? (int)text->via.str.size : 0, text ? text->via.str.ptr : "");
}

void expect_only(struct client *client, const struct raw *raw, int count, int code) {
    struct reply reply;
    expect(client, raw, count, code, &reply);
    if (code) {
        assert_true(reply_says(&reply, "t", "error"));
        assert_true(reply_says(&reply, "error", wire_code_name(code)));
    }
    reply_free(&reply);
}

void open_session(struct client *client, int size, void (*more)(struct wire_writer *out), struct reply *reply) {
    struct wire_writer *out = client_begin(client, "open");
    wire_put_text(out, "scenario", SCENARIO);
    wire_put_int(out, "size", size);
    if (more) more(out);
    expect(client, NULL, 0, WIRE_OK, reply);
}

static int32_t choose_one(const uint8_t *mask, int mask_bytes, uint64_t turn) {
    int legal[LR_MAX_ACTIONS], count = 0;
    for (int a = 0; a < mask_bytes * 8; a++)
        if (mask[a / 8] >> (a % 8) & 1) legal[count++] = a;
    return count ? legal[lr_random(turn, 7, (uint32_t)count)] : LR_SKIP;
}

void choose(const uint8_t *masks, int mask_bytes, int size, uint64_t turn, int32_t *actions) {
    for (int i = 0; i < size; i++)
        actions[i] = choose_one(masks + (size_t)i * (size_t)mask_bytes, mask_bytes, turn * 1000 + (uint64_t)i);
}
