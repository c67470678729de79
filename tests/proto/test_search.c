/* Searches over the wire: the same bytes as in the process, however they are cut and whatever else is served; leaves valued
 * by the client; memory, leases, cancelling, and every wrong way to ask. */
#include "serving.h"
#include <pthread.h>
#include <time.h>
#include <unistd.h>

enum { SIZE = 3, SEED = 7, STATE = 4096 };

static lr_game *game;
static const struct server_options small = {.threads = 1, .search_bytes = 64 << 20, .session_search_bytes = 40 << 20};

static int open_game(void **unused) {
    (void)unused;
    return lr_game_open(SCENARIO, &game, NULL);
}

static int close_game(void **unused) {
    (void)unused;
    lr_game_close(game);
    return 0;
}

/* ---- Asking ---- */

static void add_seed(struct wire_writer *out) { wire_put_uint(out, "seed", 99); }

/* A session whose environments are `turns` decisions into different games. */
static void open_played(struct client *client, int turns) {
    struct layout layout;
    struct reply reply;
    int32_t actions[SIZE];
    size_t length;
    layout_make(&layout, lr_game_info(game), SIZE, ALL_ARRAYS);
    open_session(client, SIZE, add_seed, &reply);
    reply_free(&reply);
    client_begin(client, "observe");
    expect(client, NULL, 0, WIRE_OK, &reply);
    for (int turn = 0; turn < turns; turn++) {
        const uint8_t *frame = reply_raw(&reply, 1, &length);
        choose(frame + layout.offset[ARRAY_MASK], lr_game_info(game)->mask_bytes, SIZE, (uint64_t)turn, actions);
        reply_free(&reply);
        client_begin(client, "step");
        expect(client, &(struct raw){actions, sizeof actions}, 1, WIRE_OK, &reply);
    }
    reply_free(&reply);
}

static void ask(struct client *client, const char *type, int code) {
    client_begin(client, type);
    expect_only(client, NULL, 0, code);
}

/* The saved state of an environment, as `save` gives it. */
static void save(struct client *client, int env, uint8_t *bytes, size_t *length) {
    struct reply reply;
    wire_put_int(client_begin(client, "save"), "env", env);
    expect(client, NULL, 0, WIRE_OK, &reply);
    const void *frame = reply_raw(&reply, 1, length);
    memcpy(bytes, frame, *length);
    reply_free(&reply);
}

/* Copies an array of the reply, so that it is aligned; checks its type and number. */
static size_t copy_array(struct reply *reply, const char *name, const char *type, void *to, size_t room) {
    struct frame_array array;
    const void *from = reply_array(reply, name, &array);
    if (!from) fail_msg("the reply has no array %s", name);
    assert_string_equal(array.type, type);
    size_t count = 1;
    for (int i = 0; i < array.dimensions; i++) count *= array.shape[i];
    const size_t bytes = count * (size_t)(type[2] - '0');
    assert_true(bytes <= room);
    memcpy(to, from, bytes);
    return count;
}

/* A number of the server's: in hello's `limits`, or (no map) in its stats. */
static uint64_t server_number(const struct serving *serving, const char *map, const char *key) {
    struct client *stranger = connect_to(serving);
    struct reply reply;
    struct wire_writer *out = client_begin(stranger, map ? "hello" : "stats");
    wire_key(out, "majors");
    wire_open_array(out);
    wire_int(out, 1);
    wire_end(out);
    expect(stranger, NULL, 0, WIRE_OK, &reply);
    const msgpack_object *fields = map ? wire_find(reply.header.fields, map) : reply.header.fields;
    const uint64_t number = wire_find(fields, key)->via.u64;
    reply_free(&reply);
    client_close(stranger);
    return number;
}

/* ---- Served is in-process ---- */

static void same_root(struct reply *reply, int root, const struct search_result *right) {
    static uint32_t visits[SIZE * LR_MAX_ACTIONS];
    static float values[SIZE * LR_MAX_ACTIONS], priors[SIZE * LR_MAX_ACTIONS];
    static uint16_t actions[SIZE * LR_MAX_ACTIONS];
    uint16_t lines[SIZE * SEARCH_LINE];
    int32_t counts[SIZE], best[SIZE], lengths[SIZE], depths[SIZE];
    uint64_t simulations[SIZE], nodes[SIZE];
    uint32_t kept[SIZE];
    float root_values[SIZE];
    copy_array(reply, "count", "<i4", counts, sizeof counts);
    copy_array(reply, "best", "<i4", best, sizeof best);
    copy_array(reply, "line", "<u2", lines, sizeof lines);
    copy_array(reply, "line_length", "<i4", lengths, sizeof lengths);
    copy_array(reply, "simulations", "<u8", simulations, sizeof simulations);
    copy_array(reply, "nodes", "<u8", nodes, sizeof nodes);
    copy_array(reply, "tree_nodes", "<u4", kept, sizeof kept);
    copy_array(reply, "depth", "<i4", depths, sizeof depths);
    copy_array(reply, "root_value", "<f4", root_values, sizeof root_values);
    copy_array(reply, "action", "<u2", actions, sizeof actions);
    copy_array(reply, "visits", "<u4", visits, sizeof visits);
    copy_array(reply, "value", "<f4", values, sizeof values);
    copy_array(reply, "prior", "<f4", priors, sizeof priors);
    size_t first = 0;
    for (int i = 0; i < root; i++) first += (size_t)counts[i];
    const size_t count = (size_t)right->count;
    assert_int_equal(counts[root], right->count);
    assert_memory_equal(actions + first, right->action, count * sizeof *actions);
    assert_memory_equal(visits + first, right->visits, count * sizeof *visits);
    assert_memory_equal(values + first, right->value, count * sizeof *values);
    assert_memory_equal(priors + first, right->prior, count * sizeof *priors);
    assert_memory_equal(lines + root * SEARCH_LINE, right->line, sizeof right->line);
    assert_int_equal(lengths[root], right->line_length);
    assert_int_equal(best[root], right->best);
    assert_int_equal(simulations[root], right->simulations);
    assert_int_equal(nodes[root], right->nodes);
    assert_int_equal(kept[root], right->tree_nodes);
    assert_int_equal(depths[root], right->depth);
    assert_memory_equal(&root_values[root], &right->root_value, sizeof right->root_value);
}

/* The three roots of the session, and what the process finds there. */
struct right {
    uint8_t saved[SIZE * STATE];
    size_t saved_bytes; /* of one */
    struct search_result result[SIZE];
};

static const lr_state *state_of(const struct right *right, int root) {
    static _Alignas(64) uint8_t state[STATE];
    memcpy(state, right->saved + (size_t)root * right->saved_bytes + SAVED_HEAD, right->saved_bytes - SAVED_HEAD);
    return (const lr_state *)(const void *)state;
}

static void save_roots(struct client *client, struct right *right) {
    uint8_t *to = right->saved;
    for (int root = 0; root < SIZE; root++, to += right->saved_bytes) save(client, root, to, &right->saved_bytes);
}

static void search_roots(const struct search_options *options, struct right *right) {
    struct search *search = NULL;
    lr_error error = {0};
    if (search_open(game, options, &search, &error)) fail_msg("%s", error.text);
    for (int root = 0; root < SIZE; root++) {
        assert_int_equal(search_begin(search, state_of(right, root), lr_environment_seed(SEED, (uint64_t)root), &error),
                         LR_OK);
        search_run(search, 0);
        search_result(search, &right->result[root]);
    }
    search_close(search);
}

static void same_roots(struct reply *reply, const struct right *right) {
    assert_int_equal(reply_uint(reply, "roots", 0), SIZE);
    for (int root = 0; root < SIZE; root++) same_root(reply, root, &right->result[root]);
}

static bool is_done(const struct reply *reply) { return wire_find(reply->header.fields, "done")->via.boolean; }

static void served_is_inprocess(const struct search_options *options) {
    static struct right right;
    struct serving serving;
    struct reply reply;
    serving_start(&serving, &(struct server_options){.threads = options->threads});
    struct client *client = connect_to(&serving);
    open_played(client, 60);
    save_roots(client, &right);
    search_roots(options, &right);
    wire_put_uint(client_begin_search(client, options), "seed", SEED);
    expect(client, NULL, 0, WIRE_OK, &reply);
    assert_true(is_done(&reply));
    same_roots(&reply, &right);
    reply_free(&reply);
    /* From saved states and in pieces: the same. */
    struct wire_writer *out = client_begin_search(client, options);
    wire_put_uint(out, "seed", SEED);
    wire_put_uint(out, "slice", 4);
    expect(client, &(struct raw){right.saved, SIZE * right.saved_bytes}, 1, WIRE_OK, &reply);
    int pieces = 1;
    for (; !is_done(&reply); pieces++) {
        reply_free(&reply);
        out = client_begin(client, "search");
        wire_put_bool(out, "go_on", true);
        wire_put_uint(out, "slice", pieces % 2 ? 9 : 2);
        expect(client, NULL, 0, WIRE_OK, &reply);
    }
    assert_true(pieces > 3);
    same_roots(&reply, &right);
    reply_free(&reply);
    client_close(client);
    serving_close(&serving);
}

static void mcts_served_is_inprocess(void **unused) {
    (void)unused;
    struct search_options options = search_defaults(SEARCH_MCTS);
    options.simulations = 100;
    served_is_inprocess(&options);
    options.rollout = ROLLOUT_RANDOM;
    options.rollout_length = -1;
    options.expand_after = 3;
    options.simulations = 0;
    options.nodes = 2500;
    options.prior = PRIOR_NONE;
    options.exploration = 700;
    options.tree_nodes = 1024;
    served_is_inprocess(&options);
}

static void threaded_served_is_inprocess(void **unused) {
    (void)unused;
    if (sysconf(_SC_NPROCESSORS_ONLN) < 2) return;
    struct search_options options = search_defaults(SEARCH_MCTS);
    options.simulations = 61;
    options.rollout_length = 5;
    options.rollout = ROLLOUT_GREEDY;
    options.threads = 2;
    served_is_inprocess(&options);
}

static void expectimax_served_is_inprocess(void **unused) {
    (void)unused;
    struct search_options options = search_defaults(SEARCH_EXPECTIMAX);
    options.nodes = 5000;
    served_is_inprocess(&options);
}

/* ---- Others are served meanwhile ---- */

static double milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static void send_endless(struct client *client) {
    struct wire_writer *out = client_begin(client, "search");
    wire_put_int(out, "env", 0);
    wire_put_uint(out, "simulations", UINT64_C(1) << 50);
    wire_put_int(out, "rollout_length", -1);
    assert_int_equal(client_send(client, NULL, 0, NULL), LR_OK);
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* cancel is not in the session's sequence: it goes over a connection of its own, with the same token. */
static bool cancel(const struct serving *serving, const struct client *client) {
    struct client *second = connect_to(serving);
    struct reply reply;
    client_set_session(second, client_token(client), 1000000);
    client_begin(second, "cancel");
    expect(second, NULL, 0, WIRE_OK, &reply);
    assert_true(reply_says(&reply, "t", "cancelled"));
    const bool running = wire_find(reply.header.fields, "running")->via.boolean;
    reply_free(&reply);
    client_close(second);
    return running;
}

static void others_are_served_while_a_search_runs(void **unused) {
    (void)unused;
    enum { TIMES = 41 };
    struct serving serving;
    struct reply reply;
    double spent[TIMES];
    serving_start(&serving, &small);
    struct client *thinker = connect_to(&serving), *other = connect_to(&serving);
    open_played(thinker, 0);
    open_played(other, 0);
    const double begun = milliseconds();
    send_endless(thinker);
    usleep(20000);
    for (int i = 0; i < TIMES; i++) {
        const double started = milliseconds();
        ask(other, "observe", WIRE_OK);
        spent[i] = milliseconds() - started;
    }
    qsort(spent, TIMES, sizeof *spent, compare);
    const double searched = milliseconds() - begun;
    assert_true(cancel(&serving, thinker));
    assert_int_equal(client_wait(thinker, &reply, NULL), LR_OK);
    assert_true(reply_says(&reply, "t", "searched"));
    assert_false(is_done(&reply));
    uint64_t simulations = 0;
    copy_array(&reply, "simulations", "<u8", &simulations, sizeof simulations);
    assert_true(simulations > 0);
    const double simulation =
        searched / (double)simulations; /* the one under way when the slice is over is played out */
    print_message("observe beside a search: median %.2f ms, worst %.2f ms; a simulation %.2f ms\n", spent[TIMES / 2],
                  spent[TIMES - 1], simulation);
    assert_true(spent[TIMES / 2] < 10 + simulation);
    reply_free(&reply);
    assert_false(cancel(&serving, thinker));
    assert_int_equal(server_number(&serving, "limits", "search_bytes_free"), small.search_bytes);
    client_close(thinker);
    client_close(other);
    serving_close(&serving);
}

/* Two searches in one worker share it, and what a session asks behind its search waits for it. */
static void requests_keep_their_order(void **unused) {
    (void)unused;
    struct serving serving;
    struct reply reply;
    serving_start(&serving, &small);
    struct client *endless = connect_to(&serving), *client = connect_to(&serving);
    open_played(endless, 0);
    open_played(client, 0);
    send_endless(endless);
    static const char *const types[] = {"search", "observe", "search", "stats"}, *const replies[] = {
                                                                                     "searched", "batch", "searched",
                                                                                     "stats"};
    for (int i = 0; i < 4; i++) {
        struct wire_writer *out = client_begin(client, types[i]);
        if (i % 2 == 0) wire_put_uint(out, "microseconds", 30000);
        assert_int_equal(client_send(client, NULL, 0, NULL), LR_OK);
    }
    for (int i = 0; i < 4; i++) {
        assert_int_equal(client_receive(client, &reply, NULL), LR_OK);
        assert_int_equal(reply.code, WIRE_OK);
        assert_true(reply_says(&reply, "t", replies[i]));
        assert_int_equal(reply_uint(&reply, "q", 0), client_next(client) - 4 + (uint64_t)i);
        reply_free(&reply);
    }
    client_close(client);
    client_close(endless);
    serving_close(&serving); /* with the endless one still running */
}

static void same_reply(struct reply *a, struct reply *b) {
    assert_int_equal(a->frames.count, b->frames.count);
    for (int i = 0; i < a->frames.count; i++) {
        assert_int_equal(zmq_msg_size(&a->frames.frame[i]), zmq_msg_size(&b->frames.frame[i]));
        assert_memory_equal(zmq_msg_data(&a->frames.frame[i]), zmq_msg_data(&b->frames.frame[i]),
                            zmq_msg_size(&a->frames.frame[i]));
    }
}

/* Sent again while it runs, and when it is over: searched once. */
static void a_retried_search_happens_once(void **unused) {
    (void)unused;
    struct serving serving;
    struct reply first, again;
    serving_start(&serving, &small);
    struct client *client = connect_to(&serving);
    open_played(client, 0);
    wire_put_uint(client_begin(client, "search"), "microseconds", 50000);
    assert_int_equal(client_send(client, NULL, 0, NULL), LR_OK);
    assert_int_equal(client_resend(client, NULL), LR_OK);
    assert_int_equal(client_wait(client, &first, NULL), LR_OK);
    assert_int_equal(first.code, WIRE_OK);
    assert_int_equal(client_wait(client, &again, NULL), LR_OK);
    same_reply(&first, &again);
    reply_free(&again);
    assert_int_equal(client_resend(client, NULL), LR_OK);
    assert_int_equal(client_wait(client, &again, NULL), LR_OK);
    same_reply(&first, &again);
    reply_free(&again);
    reply_free(&first);
    client_begin(client, "stats");
    expect(client, NULL, 0, WIRE_OK, &first);
    assert_int_equal(reply_uint(&first, "resends", 0), 2);
    reply_free(&first);
    client_close(client);
    serving_close(&serving);
}

/* ---- Leaves ---- */

/* A stand-in for a network: numbers made from what it sees, so that a wrong byte would be noticed. */
static void evaluate(const uint8_t *pieces, size_t length, const uint8_t *mask, int actions, float *value,
                     float *priors) {
    uint32_t digest = 1;
    for (size_t i = 0; i < length; i++) digest = digest * 31 + pieces[i];
    *value = (float)(digest % 2001) / 1000 - 1;
    for (int a = 0; a < actions; a++)
        priors[a] = mask[a / 8] >> (a % 8) & 1 ? (float)((digest + (uint32_t)a * 7919) % 100) : 0;
}

enum { LEAVES = 4, MOST = SIZE * LEAVES };

static void search_leaves_here(const struct search_options *options, struct right *right) {
    const lr_info *info = lr_game_info(game);
    const size_t pieces = (size_t)info->piece_rows * (size_t)info->piece_columns;
    const size_t actions = (size_t)info->actions, mask = (size_t)info->mask_bytes;
    struct search_leaves leaves = {.pieces = calloc(LEAVES, pieces),
                                   .globals = calloc(LEAVES, (size_t)info->global_columns * 2),
                                   .mask = calloc(LEAVES, mask),
                                   .to_move = calloc(LEAVES, 1)};
    float *priors = calloc(LEAVES * actions, sizeof *priors), values[LEAVES];
    struct search *search = NULL;
    assert_int_equal(search_open(game, options, &search, NULL), LR_OK);
    for (int root = 0; root < SIZE; root++) {
        search_begin(search, state_of(right, root), lr_environment_seed(SEED, (uint64_t)root), NULL);
        for (int count; (count = search_leaves(search, LEAVES, &leaves, NULL)) > 0;) {
            for (size_t i = 0; i < (size_t)count; i++)
                evaluate(leaves.pieces + i * pieces, pieces, leaves.mask + i * mask, info->actions, &values[i],
                         priors + i * actions);
            assert_int_equal(search_answer(search, values, priors, NULL), LR_OK);
        }
        search_result(search, &right->result[root]);
    }
    search_close(search);
    free(leaves.pieces);
    free(leaves.globals);
    free(leaves.mask);
    free(leaves.to_move);
    free(priors);
}

/* The client's answer to a round: values, and the priors of the legal actions one after the other. */
struct answer {
    float values[MOST], priors[MOST * LR_MAX_ACTIONS];
    size_t count, legal;
};

static void answer_round(struct reply *reply, struct answer *answer) {
    const lr_info *info = lr_game_info(game);
    const size_t bytes = (size_t)info->piece_rows * (size_t)info->piece_columns;
    struct frame_array array;
    const uint8_t *pieces = reply_array(reply, "pieces", &array), *mask = reply_array(reply, "mask", &array);
    answer->count = (size_t)reply_uint(reply, "count", 99);
    answer->legal = 0;
    assert_int_equal(array.shape[0], answer->count);
    for (size_t i = 0; i < answer->count; i++, pieces += bytes, mask += info->mask_bytes) {
        float priors[LR_MAX_ACTIONS];
        evaluate(pieces, bytes, mask, info->actions, &answer->values[i], priors);
        for (int a = 0; a < info->actions; a++)
            if (mask[a / 8] >> (a % 8) & 1) answer->priors[answer->legal++] = priors[a];
    }
}

static void begin_leaves(struct client *client, const struct search_options *options) {
    struct wire_writer *out = client_begin_search(client, options);
    wire_put_uint(out, "seed", SEED);
    wire_put_int(out, "leaves", LEAVES);
    expect_only(client, NULL, 0, WIRE_OK);
}

static void round_trip(struct client *client, const struct answer *answer, struct reply *reply) {
    const struct raw raw[2] = {{answer->values, answer->count * 4}, {answer->priors, answer->legal * 4}};
    client_begin(client, "leaves");
    expect(client, raw, 2, WIRE_OK, reply);
}

static void leaves_served_are_inprocess(void **unused) {
    (void)unused;
    static struct right right;
    static struct answer answer;
    struct serving serving;
    struct reply reply;
    serving_start(&serving, &small);
    struct client *client = connect_to(&serving);
    open_played(client, 60);
    save_roots(client, &right);
    struct search_options options = search_defaults(SEARCH_MCTS);
    options.simulations = 100;
    options.tree_nodes = 1 << 14;
    options.leaves = true;
    search_leaves_here(&options, &right);
    for (int move = 0; move < 2; move++) { /* the second takes over the first one's trees */
        begin_leaves(client, &options);
        client_begin(client, "leaves");
        expect(client, NULL, 0, WIRE_OK, &reply);
        int32_t roots[MOST];
        assert_int_equal(copy_array(&reply, "root", "<i4", roots, sizeof roots), SIZE); /* first the roots themselves */
        for (int i = 0; i < SIZE; i++) assert_int_equal(roots[i], i);
        int rounds = 0;
        for (answer_round(&reply, &answer); answer.count; answer_round(&reply, &answer), rounds++) {
            reply_free(&reply);
            round_trip(client, &answer, &reply);
        }
        assert_true(is_done(&reply));
        assert_true(rounds > 100 / LEAVES);
        reply_free(&reply);
        wire_put_bool(client_begin(client, "search"), "go_on", true);
        expect(client, NULL, 0, WIRE_OK, &reply);
        assert_true(is_done(&reply));
        same_roots(&reply, &right);
        reply_free(&reply);
    }
    client_close(client);
    serving_close(&serving);
}

static void expect_fault(struct client *client, const struct raw *raw, int count, int code, const char *field,
                         const char *word) {
    struct reply reply;
    expect(client, raw, count, code, &reply);
    const msgpack_object *text = wire_find(reply.header.fields, "text"), *at = wire_find(reply.header.fields, "field");
    char sentence[400] = "";
    memcpy(sentence, text->via.str.ptr, text->via.str.size);
    if (!strstr(sentence, word)) fail_msg("\"%s\" does not say \"%s\"", sentence, word);
    if (field && (!at || strncmp(at->via.str.ptr, field, at->via.str.size) != 0)) fail_msg("%s is not named", field);
    reply_free(&reply);
}

static void wrong_answers_are_refused(void **unused) {
    (void)unused;
    static struct answer answer, bad;
    struct serving serving;
    struct reply reply;
    serving_start(&serving, &small);
    struct client *client = connect_to(&serving);
    open_played(client, 0);
    struct search_options options = search_defaults(SEARCH_MCTS);
    options.simulations = 40;
    options.tree_nodes = 4096;
    begin_leaves(client, &options);
    client_begin(client, "leaves");
    expect_fault(client, &(struct raw){bad.values, 4}, 1, WIRE_BAD_FRAME, NULL, "0 leaves wait");
    client_begin(client, "leaves");
    expect(client, NULL, 0, WIRE_OK, &reply);
    answer_round(&reply, &answer);
    reply_free(&reply);
    ask(client, "leaves", WIRE_BAD_FRAME);
    client_begin(client, "leaves");
    expect_fault(client, &(struct raw){answer.values, answer.count * 4 - 1}, 1, WIRE_BAD_FRAME, NULL, "values");
    const struct raw values = {answer.values, answer.count * 4};
    client_begin(client, "leaves");
    expect_fault(client, (const struct raw[]){values, {answer.priors, answer.legal * 4 + 4}}, 2, WIRE_BAD_FRAME, NULL,
                 "priors");
    static const uint32_t faults[] = {0x7fc00000, 0x7f800000, 0x3f800001, 0xbf800001}; /* nan, inf, just beyond +-1 */
    for (size_t i = 0; i < 4; i++) {
        bad = answer;
        memcpy(&bad.values[1], &faults[i], 4);
        client_begin(client, "leaves");
        expect_fault(client, &(struct raw){bad.values, bad.count * 4}, 1, WIRE_BAD_FIELD, "values", "leaf 1");
        bad = answer;
        const uint32_t prior = i == 2 ? 0x80000001 : faults[i]; /* the least negative number */
        memcpy(&bad.priors[bad.legal - 1], &prior, 4);
        client_begin(client, "leaves");
        expect_fault(client, (const struct raw[]){values, {bad.priors, bad.legal * 4}}, 2, WIRE_BAD_FIELD, "priors",
                     "leaf 2");
    }
    round_trip(client, &answer, &reply); /* the round still waits for its answers */
    assert_true(reply_uint(&reply, "count", 0) > 0);
    reply_free(&reply);
    client_close(client);
    serving_close(&serving);
}

/* ---- Refusals ---- */

static void wrong_searches_are_refused(void **unused) {
    (void)unused;
    static const struct {
        const char *key, *word;
        int64_t number;
    } faults[] = {{"method", "minimax", 0},  {"rollout", "clever", 0},
                  {"prior", "network", 0},   {"simulations", NULL, -1},
                  {"threads", NULL, 0},      {"threads", NULL, 2}, /* the server has one */
                  {"exploration", NULL, -1}, {"rollout_length", NULL, -2},
                  {"tree_nodes", NULL, 0},   {"tree_nodes", NULL, INT64_C(1) << 40},
                  {"depth", NULL, 65},       {"leaves", NULL, SEARCHES_LEAVES + 1},
                  {"env", NULL, SIZE},       {"env", "all", 0},
                  {"slice", NULL, -1},       {"go_on", "yes", 0},
                  {"simulations", NULL, 0}}; /* no limit at all */
    struct serving serving;
    serving_start(&serving, &small);
    struct client *client = connect_to(&serving);
    open_played(client, 0);
    ask(client, "leaves", WIRE_NO_SEARCH);
    wire_put_bool(client_begin(client, "search"), "go_on", true);
    expect_only(client, NULL, 0, WIRE_NO_SEARCH);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        struct wire_writer *out = client_begin(client, "search");
        if (faults[i].word)
            wire_put_text(out, faults[i].key, faults[i].word);
        else
            wire_put_int(out, faults[i].key, faults[i].number);
        expect_only(client, NULL, 0, WIRE_BAD_FIELD);
    }
    struct wire_writer *out = client_begin(client, "search");
    wire_put_text(out, "method", "expectimax");
    wire_put_int(out, "leaves", 1);
    expect_fault(client, NULL, 0, WIRE_BAD_FIELD, NULL, "mcts");
    out = client_begin(client, "search");
    wire_put_text(out, "method", "expectimax");
    wire_put_int(out, "tree_nodes", (1 << 18) + 1);
    expect_fault(client, NULL, 0, WIRE_BAD_FIELD, "tree_nodes", "262144");
    out = client_begin(client, "search");
    wire_put_int(out, "simulations", 65537);
    wire_put_int(out, "leaves", 1);
    expect_fault(client, NULL, 0, WIRE_BAD_FIELD, "simulations", "65536");
    wire_put_int(client_begin(client, "search"), "simulations", 10);
    expect_only(client, NULL, 0, WIRE_OK);
    ask(client, "leaves", WIRE_NO_SEARCH); /* it has one, but not of that kind */
    wire_put_bool(client_begin(client, "search"), "go_on", true);
    expect_only(client, NULL, 0, WIRE_OK); /* and it is still there */
    client_close(client);
    serving_close(&serving);
}

/* One short battle in which the dice are the client's. */
static void open_chosen(struct client *client) {
    struct wire_writer *out = client_begin(client, "open");
    wire_put_text(out, "scenario", "cedar-mountain/duel");
    wire_put_int(out, "size", 1);
    wire_put_text(out, "chance", "chosen");
    wire_put_text(out, "autoreset", "disabled");
    expect_only(client, NULL, 0, WIRE_OK);
}

/* Steps until that one moves. */
static void step_until(struct client *client, const char *mover) {
    for (int turn = 0; turn < 1000; turn++) {
        struct reply reply;
        wire_put_int(client_begin(client, "legal"), "env", 0);
        expect(client, NULL, 0, WIRE_OK, &reply);
        const bool there = reply_says(&reply, "to_move", mover);
        const msgpack_object *actions = wire_find(reply.header.fields, "actions");
        const int32_t action = actions->via.array.size ? (int32_t)actions->via.array.ptr[0].via.u64 : -1;
        reply_free(&reply);
        if (there) return;
        client_begin(client, "step");
        expect_only(client, &(struct raw){&action, 4}, 1, WIRE_OK);
    }
    fail_msg("%s never moved", mover);
}

static void wrong_roots_are_refused(void **unused) {
    (void)unused;
    static uint8_t state[STATE];
    size_t length = 0;
    struct serving serving;
    struct reply reply;
    serving_start(&serving, &small);
    struct client *client = connect_to(&serving);
    open_chosen(client);
    save(client, 0, state, &length);
    client_begin(client, "search");
    expect_only(client, &(struct raw){state, length - 1}, 1, WIRE_BAD_FRAME);
    client_begin(client, "search");
    expect_only(client, &(struct raw){state, 0}, 1, WIRE_BAD_FRAME);
    state[length - 1] ^= 1;
    client_begin(client, "search");
    expect_only(client, &(struct raw){state, length}, 1, WIRE_BAD_STATE);
    wire_put_bool(client_begin(client, "search"), "go_on", true);
    expect_only(client, &(struct raw){state, length}, 1, WIRE_BAD_FRAME);
    step_until(client, "chance");
    save(client, 0, state, &length);
    wire_put_int(client_begin(client, "search"), "env", 0);
    expect_fault(client, NULL, 0, WIRE_BAD_FIELD, "env", "chance node");
    client_begin(client, "search");
    expect_fault(client, &(struct raw){state, length}, 1, WIRE_BAD_FIELD, NULL, "chance node");
    ask(client, "search", WIRE_EPISODE_OVER); /* none in which a player moves */
    step_until(client, "nobody");
    wire_put_int(client_begin(client, "search"), "env", 0);
    expect(client, NULL, 0, WIRE_EPISODE_OVER, &reply);
    assert_int_equal(reply_uint(&reply, "env", 9), 0);
    reply_free(&reply);
    client_close(client);
    serving_close(&serving);
}

/* ---- Memory and leases ---- */

static void memory_is_bounded(void **unused) {
    (void)unused;
    enum { NODES = 950000 }; /* 30 MB: one fits into a session, two do not fit into the server */
    struct serving serving;
    struct reply reply;
    serving_start(&serving, &small);
    struct client *client = connect_to(&serving), *other = connect_to(&serving);
    open_played(client, 0);
    open_played(other, 0);
    struct client *const clients[] = {client, other, client};
    for (int i = 0; i < 3; i++) { /* a session's second search replaces its first */
        struct wire_writer *out = client_begin(clients[i], "search");
        wire_put_int(out, "tree_nodes", NODES + i);
        wire_put_int(out, "simulations", 1);
        expect_only(clients[i], NULL, 0, WIRE_OK);
    }
    assert_true(server_number(&serving, "limits", "search_bytes_free") < 8 << 20);
    client_begin(client, "stats");
    expect(client, NULL, 0, WIRE_OK, &reply);
    assert_true(reply_uint(&reply, "session_bytes", 0) > NODES * 32);
    reply_free(&reply);
    struct wire_writer *out = client_begin(client, "search");
    wire_put_int(out, "tree_nodes", 2 * NODES);
    expect_fault(client, NULL, 0, WIRE_BAD_FIELD, "tree_nodes", "a session may have 41943040");
    struct client *third = connect_to(&serving);
    open_played(third, 0);
    out = client_begin(third, "search");
    wire_put_int(out, "tree_nodes", NODES);
    expect_only(third, NULL, 0, WIRE_CAPACITY);
    ask(other, "close", WIRE_OK); /* frees its search */
    out = client_begin(third, "search");
    wire_put_int(out, "tree_nodes", NODES);
    wire_put_int(out, "simulations", 1);
    expect_only(third, NULL, 0, WIRE_OK);
    cancel(&serving, client);
    cancel(&serving, third);
    assert_int_equal(server_number(&serving, "limits", "search_bytes_free"), small.search_bytes);
    client_close(client);
    client_close(other);
    client_close(third);
    serving_close(&serving);
}

/* A search that nobody waits for does not run for ever; one whose client pings does. */
static void a_lease_ends_a_search(void **unused) {
    (void)unused;
    struct serving serving;
    struct reply reply;
    serving_start(&serving, &(struct server_options){.threads = 1, .lease_ms = 800});
    struct client *silent = connect_to(&serving), *pinging = connect_to(&serving), *second = connect_to(&serving);
    open_played(silent, 0);
    open_played(pinging, 0);
    client_set_session(second, client_token(pinging), 1);
    send_endless(silent);
    send_endless(pinging);
    for (int i = 0; i < 18; i++) {
        usleep(100000);
        ask(second, "ping", WIRE_OK);
    }
    assert_int_equal(client_wait(silent, &reply, NULL), LR_OK);
    assert_int_equal(reply.code, WIRE_LEASE_EXPIRED);
    reply_free(&reply);
    assert_true(cancel(&serving, pinging));
    assert_int_equal(client_wait(pinging, &reply, NULL), LR_OK);
    assert_int_equal(reply.code, WIRE_OK);
    reply_free(&reply);
    assert_int_equal(server_number(&serving, NULL, "environments"), SIZE);
    assert_int_equal(server_number(&serving, "limits", "search_bytes_free"), 1 << 30);
    client_close(silent);
    client_close(pinging);
    client_close(second);
    assert_int_equal(serving_close(&serving).leases_expired, 1);
}

static void stopping_ends_a_search(void **unused) {
    (void)unused;
    struct serving serving;
    struct reply reply;
    serving_start(&serving, &small);
    struct client *client = connect_to(&serving);
    open_played(client, 0);
    send_endless(client);
    client_begin(client, "observe");
    assert_int_equal(client_send(client, NULL, 0, NULL), LR_OK);
    usleep(50000);
    const double started = milliseconds();
    serving_stop(&serving);
    assert_true(milliseconds() - started < 2000);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(client_receive(client, &reply, NULL), LR_OK);
        assert_int_equal(reply.code, WIRE_SHUTTING_DOWN);
        reply_free(&reply);
    }
    client_close(client);
    serving_close(&serving);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mcts_served_is_inprocess),
        cmocka_unit_test(threaded_served_is_inprocess),
        cmocka_unit_test(expectimax_served_is_inprocess),
        cmocka_unit_test(others_are_served_while_a_search_runs),
        cmocka_unit_test(requests_keep_their_order),
        cmocka_unit_test(a_retried_search_happens_once),
        cmocka_unit_test(leaves_served_are_inprocess),
        cmocka_unit_test(wrong_answers_are_refused),
        cmocka_unit_test(wrong_searches_are_refused),
        cmocka_unit_test(wrong_roots_are_refused),
        cmocka_unit_test(memory_is_bounded),
        cmocka_unit_test(a_lease_ends_a_search),
        cmocka_unit_test(stopping_ends_a_search),
    };
    return cmocka_run_group_tests(tests, open_game, close_game);
}
