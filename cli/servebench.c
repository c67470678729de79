/* servebench.c: `longroll bench serve`: what the wire adds to a step.
 *
 * Three things are measured by turns, in short runs of which medians are reported: steps of a batch in this process;
 * an echo, which sends the same bytes both ways through the same threads and sockets and plays nothing; and steps
 * asked for over the wire. The client is the C one, in lock-step; drawing the actions is not counted anywhere. Server
 * and client are threads of this process, with ZeroMQ contexts of their own, and share only the machine. */
#include "cli/cli.h"
#include "proto/client.h"
#include "proto/server.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { RUNS = 5, ROUNDS = 8, SIZES = 4, TRANSPORTS = 2, DEADLINE_MS = 20000 };

static const int sizes[SIZES] = {1, 16, 256, 1024};
static const char *const transport_names[TRANSPORTS] = {"ipc", "tcp"};

/* ---- A server in a thread ---- */

struct running {
    struct server *server;
    pthread_t thread;
    int stop_fd;
};

static void *run(void *argument) {
    struct running *running = argument;
    server_run(running->server, running->stop_fd, NULL);
    return NULL;
}

static int start(struct running *running, int threads, bool tcp) {
    struct server_options options = {.threads = threads, .workers = 1};
    lr_error error;
    if (tcp) options.endpoints[options.endpoint_count++] = "tcp://127.0.0.1:*";
    running->stop_fd = eventfd(0, EFD_CLOEXEC);
    if (running->stop_fd < 0) {
        fail(EXIT_FAULT, "the system gives no event descriptor");
        return EXIT_FAULT;
    }
    int code = server_open(&options, &running->server, &error) ? fail_library(&error) : EXIT_DONE;
    if (!code && pthread_create(&running->thread, NULL, run, running)) {
        server_close(running->server);
        code = fail(EXIT_FAULT, "the system has no thread left for a server");
    }
    if (code) close(running->stop_fd);
    return code;
}

static void stop(struct running *running) {
    eventfd_write(running->stop_fd, 1);
    pthread_join(running->thread, NULL);
    server_close(running->server);
    close(running->stop_fd);
}

/* ---- The two sides ---- */

/* One batch, in the process or over the wire, and the actions for its next step. */
struct side {
    const lr_info *info;
    int size;
    lr_batch *batch;  /* in the process */
    lr_arrays arrays; /* likewise */
    void *memory, *final_memory;
    struct client *client; /* over the wire */
    struct layout layout;
    uint64_t stream, legal;
    int32_t *actions;
};

static void close_side(struct side *side) {
    lr_batch_close(side->batch);
    client_close(side->client);
    free(side->memory);
    free(side->final_memory);
    free(side->actions);
    *side = (struct side){.size = 0};
}

static void draw_actions(struct side *side, const uint8_t *masks) {
    const int bytes = side->info->mask_bytes;
    for (int i = 0; i < side->size; i++)
        side->actions[i] = draw_action(masks + (size_t)i * (size_t)bytes, bytes, &side->stream, &side->legal);
}

static int begin_side(struct side *side, const lr_game *game, int size, uint64_t seed) {
    *side = (struct side){.info = lr_game_info(game), .size = size, .stream = seed};
    layout_make(&side->layout, side->info, size, ALL_ARRAYS);
    side->actions = calloc((size_t)size, sizeof *side->actions);
    return side->actions ? EXIT_DONE : fail(EXIT_FAULT, "no memory for a batch of %d", size);
}

/* The arrays that the server fills, in one block as there. */
static void place_arrays(struct side *side) {
    uint8_t *at = side->memory;
    const size_t *offset = side->layout.offset;
    side->arrays = (lr_arrays){.pieces = at + offset[ARRAY_PIECES],
                               .globals = (void *)(at + offset[ARRAY_GLOBALS]),
                               .mask = at + offset[ARRAY_MASK],
                               .rewards = (void *)(at + offset[ARRAY_REWARDS]),
                               .terminated = at + offset[ARRAY_TERMINATED],
                               .truncated = at + offset[ARRAY_TRUNCATED],
                               .to_move = at + offset[ARRAY_TO_MOVE],
                               .score = (void *)(at + offset[ARRAY_SCORE]),
                               .episode_return = (void *)(at + offset[ARRAY_EPISODE_RETURN]),
                               .episode_length = (void *)(at + offset[ARRAY_EPISODE_LENGTH]),
                               .final_pieces = side->final_memory,
                               .final_globals = (void *)((uint8_t *)side->final_memory + offset[ARRAY_GLOBALS])};
}

static int open_inprocess(struct side *side, const lr_game *game, int size, int threads, uint64_t seed) {
    if (begin_side(side, game, size, seed)) return EXIT_FAULT;
    const lr_batch_options options = {.size = size, .seed = seed, .threads = threads, .autoreset = LR_SAME_STEP};
    lr_error error;
    if (lr_batch_open(game, &options, &side->batch, &error)) return fail_library(&error);
    side->memory = aligned_alloc(64, side->layout.bytes);
    side->final_memory = aligned_alloc(64, side->layout.offset[ARRAY_MASK]); /* as large as pieces and globals */
    if (!side->memory || !side->final_memory) return fail(EXIT_FAULT, "no memory for a batch of %d", size);
    place_arrays(side);
    lr_batch_reset(side->batch, NULL, NULL, &side->arrays);
    draw_actions(side, side->arrays.mask);
    return EXIT_DONE;
}

static int fail_reply(struct reply *reply) {
    const msgpack_object *text = wire_find(reply->header.fields, "text");
    const int code =
        fail(EXIT_FAULT, "the server refused: %.*s", text ? (int)text->via.str.size : 0, text ? text->via.str.ptr : "");
    reply_free(reply);
    return code;
}

static int call(struct side *side, const struct raw *raw, int count, struct reply *reply) {
    lr_error error;
    if (client_call(side->client, raw, count, reply, &error)) return fail_library(&error);
    return reply->code ? fail_reply(reply) : EXIT_DONE;
}

/* Sends reset, step or echo, and draws the next actions from the reply. *spent grows by the time of the call. */
static int exchange(struct side *side, const char *type, double *spent) {
    const struct raw actions = {side->actions, (size_t)side->size * sizeof *side->actions};
    const bool reset = strcmp(type, "reset") == 0, echo = strcmp(type, "echo") == 0;
    struct reply reply;
    size_t length;
    const double before = seconds_now();
    client_begin(side->client, type);
    if (call(side, &actions, reset ? 0 : 1, &reply)) return EXIT_FAULT;
    *spent += seconds_now() - before;
    const uint8_t *frame = reply_raw(&reply, 1, &length);
    if (frame && !echo) draw_actions(side, frame + side->layout.offset[ARRAY_MASK]);
    reply_free(&reply);
    return frame ? EXIT_DONE : fail(EXIT_FAULT, "the server sent no arrays");
}

static int open_served(struct side *side, const lr_game *game, int size, uint64_t seed, const char *endpoint) {
    if (begin_side(side, game, size, seed)) return EXIT_FAULT;
    lr_error error;
    if (client_open(endpoint, NULL, DEADLINE_MS, &side->client, &error)) return fail_library(&error);
    struct wire_writer *out = client_begin(side->client, "open");
    wire_put_text(out, "scenario", side->info->scenario);
    wire_put_int(out, "size", size);
    wire_put_uint(out, "seed", seed);
    wire_put_text(out, "autoreset", "same_step"); /* so that every step of every environment is a decision */
    struct reply reply;
    double unused = 0;
    if (call(side, NULL, 0, &reply)) return EXIT_FAULT;
    reply_free(&reply);
    return exchange(side, "reset", &unused);
}

/* ---- Measuring ---- */

/* Seconds a step; less than 0 if something failed. */
static double time_inprocess(struct side *side, double seconds) {
    double spent = 0;
    int steps = 0;
    for (const double until = seconds_now() + seconds; seconds_now() < until || steps == 0; steps++) {
        const double before = seconds_now();
        if (lr_batch_step(side->batch, side->actions, &side->arrays, NULL)) return -1;
        spent += seconds_now() - before;
        draw_actions(side, side->arrays.mask);
    }
    return spent / steps;
}

static double time_served(struct side *side, const char *type, double seconds) {
    double spent = 0;
    int steps = 0;
    for (const double until = seconds_now() + seconds; seconds_now() < until || steps == 0; steps++)
        if (exchange(side, type, &spent)) return -1;
    return spent / steps;
}

/* Of one size over one transport, per run: microseconds a step. */
struct row {
    int size, transport;
    double inprocess[RUNS], echo[RUNS], served[RUNS], ratio[RUNS];
    size_t reply_bytes;
    uint64_t session_bytes;
};

/* The three take turns in short rounds: what else the machine does then weighs on all of them. */
static int measure_run(struct row *row, int run_number, struct side *inprocess, struct side *served, double share) {
    double a = 0, b = 0, c = 0;
    for (int round = 0; round < ROUNDS; round++) {
        const double times[] = {time_inprocess(inprocess, share / ROUNDS), time_served(served, "echo", share / ROUNDS),
                                time_served(served, "step", share / ROUNDS)};
        if (times[0] < 0 || times[1] < 0 || times[2] < 0) return EXIT_FAULT;
        a += times[0] / ROUNDS;
        b += times[1] / ROUNDS;
        c += times[2] / ROUNDS;
    }
    if (run_number < 0) return EXIT_DONE; /* to warm up */
    row->inprocess[run_number] = a * 1e6;
    row->echo[run_number] = b * 1e6;
    row->served[run_number] = c * 1e6;
    row->ratio[run_number] = (c - a) / b;
    return EXIT_DONE;
}

static int ask_memory(struct side *served, struct row *row) {
    struct reply reply;
    client_begin(served->client, "stats");
    if (call(served, NULL, 0, &reply)) return EXIT_FAULT;
    row->session_bytes = reply_uint(&reply, "session_bytes", 0);
    row->reply_bytes = served->layout.bytes;
    reply_free(&reply);
    return EXIT_DONE;
}

static int measure_row(struct row *row, const lr_game *game, int threads, uint64_t seed, const char *endpoint,
                       double share) {
    struct side inprocess = {.size = 0}, served = {.size = 0};
    int code = open_inprocess(&inprocess, game, row->size, threads, seed);
    if (!code) code = open_served(&served, game, row->size, seed, endpoint);
    for (int i = -1; i < RUNS && !code; i++) code = measure_run(row, i, &inprocess, &served, share);
    if (!code) code = ask_memory(&served, row);
    close_side(&inprocess);
    close_side(&served);
    return code;
}

static int measure_transport(struct row *rows, const lr_game *game, int threads, uint64_t seed, int transport,
                             double share) {
    struct running running;
    if (start(&running, threads, transport == 1)) return EXIT_FAULT;
    int code = EXIT_DONE;
    for (int i = 0; i < SIZES && !code; i++) {
        rows[i] = (struct row){.size = sizes[i], .transport = transport};
        code = measure_row(&rows[i], game, threads, seed, server_endpoint(running.server, 0), share);
    }
    stop(&running);
    return code;
}

/* ---- Reporting ---- */

static double middle(const double values[RUNS]) {
    double copy[RUNS];
    memcpy(copy, values, sizeof copy);
    return median(copy, RUNS);
}

static int print_text(const struct row *rows, const lr_game *game, int threads) {
    printf("bench serve, %s, %d thread%s; medians of %d runs; microseconds a step of the whole batch\n",
           lr_game_info(game)->scenario, threads, threads > 1 ? "s" : "", RUNS);
    printf("%-9s %6s %11s %9s %9s %12s %14s %12s %14s\n", "transport", "batch", "in-process", "echo", "served",
           "served/echo", "(s - i)/echo", "env steps/s", "session bytes");
    for (int i = 0; i < SIZES * TRANSPORTS; i++) {
        const struct row *row = &rows[i];
        const double served = middle(row->served), echo = middle(row->echo);
        printf("%-9s %6d %11.1f %9.1f %9.1f %12.2f %14.2f %12.0f %14llu\n", transport_names[row->transport], row->size,
               middle(row->inprocess), echo, served, served / echo, middle(row->ratio), row->size * 1e6 / served,
               (unsigned long long)row->session_bytes);
    }
    return EXIT_DONE;
}

static json_t *json_of_row(const struct row *row) {
    return json_pack("{s:s, s:i, s:f, s:f, s:f, s:f, s:f, s:I, s:I}", "transport", transport_names[row->transport],
                     "batch", row->size, "inprocess_us", middle(row->inprocess), "echo_us", middle(row->echo),
                     "served_us", middle(row->served), "served_per_echo", middle(row->served) / middle(row->echo),
                     "ratio", middle(row->ratio), "reply_bytes", (json_int_t)row->reply_bytes, "session_bytes",
                     (json_int_t)row->session_bytes);
}

static int print_json(const struct row *rows, const lr_game *game, int threads, double seconds) {
    json_t *list = json_array();
    for (int i = 0; i < SIZES * TRANSPORTS; i++) json_array_append_new(list, json_of_row(&rows[i]));
    return json_print(json_pack("{s:s, s:s, s:i, s:i, s:f, s:o}", "bench", "serve", "scenario",
                                lr_game_info(game)->scenario, "threads", threads, "runs", RUNS, "seconds", seconds,
                                "rows", list));
}

int bench_serve(const lr_game *game, int threads, double seconds, uint64_t seed, bool json) {
    struct row rows[SIZES * TRANSPORTS];
    const double share = seconds / (TRANSPORTS * SIZES * 3 * (RUNS + 1));
    for (int i = 0; i < TRANSPORTS; i++)
        if (measure_transport(rows + i * SIZES, game, threads, seed, i, share)) return EXIT_FAULT;
    return json ? print_json(rows, game, threads, seconds) : print_text(rows, game, threads);
}
