/* Real sockets, ipc and TCP on loopback: games played served and in the process are the same; each message does what
 * PROTOCOL.md says; sessions do not disturb each other; the server stops cleanly under load.
 *
 * With an argument, only the comparison, over so many games in each of its four ways: test_served 2500 compares 10,000
 * games byte for byte at every step (some minutes). */
#include "serving.h"
#include <sys/stat.h>
#include <unistd.h>

enum { SIZE = 6 };

static int games = 6; /* at least so many are compared in each way */

static lr_game *game;

static int open_game(void **unused) {
    (void)unused;
    return lr_game_open(SCENARIO, &game, NULL);
}

static int close_game(void **unused) {
    (void)unused;
    lr_game_close(game);
    return 0;
}

/* ---- Served is in-process ---- */

struct mode {
    const char *endpoint, *autoreset, *opponent, *chance;
    int max_length;
};

static const struct mode *mode; /* what add_mode adds; set by each play */

static void add_mode(struct wire_writer *out) {
    wire_put_uint(out, "seed", 99);
    wire_put_text(out, "autoreset", mode->autoreset);
    wire_put_text(out, "opponent", mode->opponent);
    wire_put_text(out, "learner", "confederate");
    wire_put_text(out, "chance", mode->chance);
    wire_put_int(out, "max_length", mode->max_length);
}

static lr_chooser *opponent; /* of the open twin */

static lr_batch *open_twin(void) {
    lr_batch_options options = {.size = SIZE, .seed = 99, .threads = 1, .max_length = mode->max_length};
    options.autoreset = strcmp(mode->autoreset, "next_step") == 0   ? LR_NEXT_STEP
                        : strcmp(mode->autoreset, "same_step") == 0 ? LR_SAME_STEP
                                                                    : LR_DISABLED;
    if (mode->opponent[0]) assert_int_equal(agent_open(mode->opponent, &opponent, NULL), LR_OK);
    options.opponent = opponent;
    options.learner = LR_CONFEDERATE;
    options.chosen_chance = strcmp(mode->chance, "chosen") == 0;
    lr_batch *batch = NULL;
    assert_int_equal(lr_batch_open(game, &options, &batch, NULL), LR_OK);
    return batch;
}

struct twin {
    lr_batch *batch;
    struct layout layout;
    uint8_t *memory;
    lr_arrays arrays;
};

static void open_arrays(struct twin *twin) {
    layout_make(&twin->layout, lr_game_info(game), SIZE, ALL_ARRAYS);
    twin->memory = calloc(1, twin->layout.bytes);
    const size_t *at = twin->layout.offset;
    uint8_t *m = twin->memory;
    const lr_info *info = lr_game_info(game);
    twin->arrays = (lr_arrays){
        .pieces = m + at[ARRAY_PIECES],
        .globals = (void *)(m + at[ARRAY_GLOBALS]),
        .mask = m + at[ARRAY_MASK],
        .rewards = (void *)(m + at[ARRAY_REWARDS]),
        .terminated = m + at[ARRAY_TERMINATED],
        .truncated = m + at[ARRAY_TRUNCATED],
        .to_move = m + at[ARRAY_TO_MOVE],
        .score = (void *)(m + at[ARRAY_SCORE]),
        .episode_return = (void *)(m + at[ARRAY_EPISODE_RETURN]),
        .episode_length = (void *)(m + at[ARRAY_EPISODE_LENGTH]),
        .final_pieces = calloc(SIZE, (size_t)info->piece_rows * (size_t)info->piece_columns),
        .final_globals = calloc(SIZE, (size_t)info->global_columns * 2),
    };
}

static void close_twin(struct twin *twin) {
    lr_batch_close(twin->batch);
    agent_close(opponent);
    opponent = NULL;
    free(twin->arrays.final_pieces);
    free(twin->arrays.final_globals);
    free(twin->memory);
}

static void same_batch(struct reply *reply, const struct twin *twin) {
    size_t length = 0;
    const void *frame = reply_raw(reply, 1, &length);
    assert_int_equal(length, twin->layout.bytes);
    assert_memory_equal(frame, twin->memory, length);
}

/* The final observations: those of the environments that ended, in order. */
static void same_final(struct reply *reply, const struct twin *twin) {
    const size_t row = twin->layout.row_bytes[ARRAY_PIECES];
    size_t length = 0, k = 0;
    const uint8_t *frame = reply_raw(reply, 2, &length);
    for (size_t i = 0; i < SIZE; i++) {
        if (!twin->arrays.terminated[i] && !twin->arrays.truncated[i]) continue;
        assert_non_null(frame);
        assert_memory_equal(frame + k * row, twin->arrays.final_pieces + i * row, row);
        k++;
    }
    assert_int_equal(reply_uint(reply, "final", 77), k);
    assert_int_equal(frame != NULL, k > 0);
}

static void reset_both(struct client *client, struct twin *twin) {
    struct reply reply;
    client_begin(client, "reset");
    expect(client, NULL, 0, WIRE_OK, &reply);
    lr_batch_reset(twin->batch, NULL, NULL, &twin->arrays);
    same_batch(&reply, twin);
    reply_free(&reply);
}

static int all_over(const struct twin *twin) {
    for (int i = 0; i < SIZE; i++)
        if (twin->arrays.to_move[i] != LR_NOBODY) return 0;
    return 1;
}

static void play_both(struct client *client, struct twin *twin) {
    const int mask_bytes = lr_game_info(game)->mask_bytes;
    int32_t actions[SIZE];
    int ended = 0;
    for (uint64_t turn = 0; ended < games; turn++) {
        choose(twin->arrays.mask, mask_bytes, SIZE, turn, actions);
        if (strcmp(mode->autoreset, "next_step") == 0)
            for (int i = 0; i < SIZE; i++)
                if (actions[i] == LR_SKIP) actions[i] = 0;
        struct reply reply;
        client_begin(client, "step");
        expect(client, &(struct raw){actions, sizeof actions}, 1, WIRE_OK, &reply);
        assert_int_equal(lr_batch_step(twin->batch, actions, &twin->arrays, NULL), LR_OK);
        same_batch(&reply, twin);
        if (strcmp(mode->autoreset, "same_step") == 0) same_final(&reply, twin);
        reply_free(&reply);
        for (int i = 0; i < SIZE; i++) ended += twin->arrays.terminated[i] | twin->arrays.truncated[i];
        if (strcmp(mode->autoreset, "disabled") == 0 && all_over(twin)) reset_both(client, twin);
    }
    print_message("%d games compared\n", ended);
}

static void play_mode(const struct mode *chosen) {
    mode = chosen;
    struct server_options options = {.threads = 1};
    if (mode->endpoint) options.endpoints[options.endpoint_count++] = mode->endpoint;
    struct serving serving;
    serving_start(&serving, &options);
    struct client *client = connect_to(&serving);
    struct reply reply;
    struct twin twin = {.batch = open_twin()};
    open_arrays(&twin);
    open_session(client, SIZE, add_mode, &reply);
    assert_int_equal(reply_uint(&reply, "batch_bytes", 0), twin.layout.bytes);
    assert_int_equal(reply_uint(&reply, "actions", 0), lr_game_info(game)->actions);
    assert_true(reply_says(&reply, "autoreset", mode->autoreset));
    reply_free(&reply);
    reset_both(client, &twin);
    play_both(client, &twin);
    client_close(client);
    close_twin(&twin);
    serving_close(&serving);
}

static void served_is_inprocess_next_step(void **unused) {
    (void)unused;
    play_mode(&(struct mode){NULL, "next_step", "", "sampled", 0});
}
static void served_is_inprocess_same_step(void **unused) {
    (void)unused;
    play_mode(&(struct mode){"tcp://127.0.0.1:*", "same_step", "", "sampled", 150});
}
static void served_is_inprocess_disabled(void **unused) {
    (void)unused;
    play_mode(&(struct mode){NULL, "disabled", "", "chosen", 300});
}
static void served_is_inprocess_with_opponent(void **unused) {
    (void)unused;
    play_mode(&(struct mode){"tcp://127.0.0.1:*", "same_step", "greedy", "sampled", 0});
}

/* ---- Each message ---- */

static void add_record(struct wire_writer *out) { wire_put_bool(out, "record", true); }

/* (A reply must not be copied: it points into itself.) */
static void ask_env(struct client *client, const char *type, int env, struct reply *reply) {
    wire_put_int(client_begin(client, type), "env", env);
    expect(client, NULL, 0, WIRE_OK, reply);
}

static void step_some(struct client *client, int size, int turns) {
    const int mask_bytes = lr_game_info(game)->mask_bytes;
    struct layout layout;
    struct reply reply;
    int32_t actions[64];
    size_t length;
    layout_make(&layout, lr_game_info(game), size, ALL_ARRAYS);
    client_begin(client, "observe");
    expect(client, NULL, 0, WIRE_OK, &reply);
    for (int turn = 0; turn < turns; turn++) {
        const uint8_t *frame = reply_raw(&reply, 1, &length);
        choose(frame + layout.offset[ARRAY_MASK], mask_bytes, size, (uint64_t)turn, actions);
        reply_free(&reply);
        client_begin(client, "step");
        expect(client, &(struct raw){actions, (size_t)size * 4}, 1, WIRE_OK, &reply);
    }
    reply_free(&reply);
}

static void hello_list_ping_stats(void **unused) {
    (void)unused;
    struct serving serving;
    serving_start(&serving, &(struct server_options){.threads = 1});
    struct client *client = connect_to(&serving);
    struct reply reply;
    struct wire_writer *out = client_begin(client, "hello");
    wire_key(out, "majors");
    wire_open_array(out);
    wire_int(out, 9);
    wire_int(out, 1);
    wire_end(out);
    expect(client, NULL, 0, WIRE_OK, &reply);
    assert_true(reply_says(&reply, "t", "welcome"));
    assert_int_equal(reply_uint(&reply, "major", 0), 1);
    reply_free(&reply);
    client_begin(client, "list");
    expect(client, NULL, 0, WIRE_OK, &reply);
    assert_true(wire_find(reply.header.fields, "scenarios")->via.array.size >= 2);
    assert_true(wire_find(reply.header.fields, "agents")->via.array.size >= 2);
    reply_free(&reply);
    client_begin(client, "ping");
    expect(client, NULL, 0, WIRE_OK, &reply);
    assert_true(reply_says(&reply, "t", "pong"));
    reply_free(&reply);
    client_begin(client, "stats");
    expect(client, NULL, 0, WIRE_OK, &reply);
    assert_int_equal(reply_uint(&reply, "requests", 0), 4);
    reply_free(&reply);
    client_close(client);
    serving_close(&serving);
}

static void looking_messages(struct client *client) {
    struct reply reply;
    ask_env(client, "legal", 1, &reply);
    assert_true(wire_find(reply.header.fields, "actions")->via.array.size > 1);
    assert_int_equal(wire_find(reply.header.fields, "actions")->via.array.size,
                     wire_find(reply.header.fields, "texts")->via.array.size);
    reply_free(&reply);
    size_t length = 0;
    ask_env(client, "render", 1, &reply);
    assert_non_null(reply_raw(&reply, 1, &length));
    assert_true(length > 500);
    reply_free(&reply);
    ask_env(client, "observe", 1, &reply);
    assert_non_null(reply_raw(&reply, 1, &length));
    assert_int_equal(length, reply_uint(&reply, "mask", 0) + (uint64_t)lr_game_info(game)->mask_bytes);
    reply_free(&reply);
    ask_env(client, "stats", 1, &reply);
    assert_non_null(wire_find(reply.header.fields, "env"));
    assert_true(reply_uint(&reply, "session_bytes", 0) > 4000);
    reply_free(&reply);
}

/* The replay that the server gives is one that the library verifies. */
static void replay_verifies(struct client *client) {
    struct reply reply;
    ask_env(client, "replay", 0, &reply);
    size_t length = 0;
    const char *text = reply_raw(&reply, 1, &length);
    assert_non_null(text);
    lr_replay *replay = NULL;
    lr_game *its_game = NULL;
    lr_error error = {0};
    if (lr_replay_parse(text, length, &replay, &its_game, &error)) fail_msg("%s", error.text);
    assert_int_equal(lr_replay_length(replay), reply_uint(&reply, "length", 0));
    lr_replay_free(replay);
    lr_game_close(its_game);
    reply_free(&reply);
}

static const msgpack_object *hash_of(const struct reply *reply) { return wire_find(reply->header.fields, "hash"); }

static void save_load_clone(struct client *client) {
    struct reply saved, reply;
    ask_env(client, "save", 0, &saved);
    size_t length = 0;
    const uint8_t *bytes = reply_raw(&saved, 1, &length);
    step_some(client, 3, 5);
    struct wire_writer *out = client_begin(client, "load");
    wire_put_int(out, "env", 2);
    wire_put_text(out, "dice", "same");
    expect(client, &(struct raw){bytes, length}, 1, WIRE_OK, &reply);
    assert_true(msgpack_object_equal(*hash_of(&saved), *hash_of(&reply)));
    reply_free(&reply);
    out = client_begin(client, "clone");
    wire_put_int(out, "from", 2);
    wire_key(out, "to");
    wire_open_array(out);
    wire_int(out, 0);
    wire_int(out, 1);
    wire_end(out);
    expect(client, NULL, 0, WIRE_OK, &reply);
    assert_int_equal(reply_uint(&reply, "count", 0), 2);
    reply_free(&reply);
    ask_env(client, "save", 1, &reply);
    assert_true(msgpack_object_equal(*hash_of(&saved), *hash_of(&reply)));
    reply_free(&reply);
    uint8_t *altered = malloc(length);
    memcpy(altered, bytes, length);
    altered[length - 1] ^= 1;
    wire_put_int(client_begin(client, "load"), "env", 0);
    expect_only(client, &(struct raw){altered, length}, 1, WIRE_BAD_STATE);
    altered[0] ^= 1;
    wire_put_int(client_begin(client, "load"), "env", 0);
    expect_only(client, &(struct raw){altered, length}, 1, WIRE_BAD_STATE);
    wire_put_int(client_begin(client, "load"), "env", 0);
    expect_only(client, &(struct raw){altered, length - 1}, 1, WIRE_BAD_STATE);
    free(altered);
    reply_free(&saved);
}

static void every_session_message(void **unused) {
    (void)unused;
    struct serving serving;
    serving_start(&serving, &(struct server_options){.threads = 1});
    struct client *client = connect_to(&serving);
    struct reply reply;
    open_session(client, 3, add_record, &reply);
    reply_free(&reply);
    step_some(client, 3, 40);
    looking_messages(client);
    replay_verifies(client);
    save_load_clone(client);
    wire_put_int(client_begin(client, "replay"), "env", 2); /* it was loaded */
    expect_only(client, NULL, 0, WIRE_NO_RECORD);
    const uint64_t next = client_next(client);
    client_begin(client, "resume");
    expect(client, NULL, 0, WIRE_OK, &reply);
    assert_int_equal(reply_uint(&reply, "next", 0), next);
    reply_free(&reply);
    client_set_session(client, client_token(client), next);
    client_begin(client, "close");
    expect_only(client, NULL, 0, WIRE_OK);
    client_begin(client, "close");
    expect_only(client, NULL, 0, WIRE_NO_SESSION);
    client_close(client);
    serving_close(&serving);
}

static void reset_with_seeds(void **unused) {
    (void)unused;
    struct serving serving;
    serving_start(&serving, &(struct server_options){.threads = 1});
    struct client *client = connect_to(&serving);
    struct reply reply, again;
    open_session(client, 2, NULL, &reply);
    reply_free(&reply);
    const uint8_t which[2] = {0, 1};
    const uint64_t seeds[2] = {5, 6};
    struct wire_writer *out = client_begin(client, "reset");
    wire_put_bool(out, "which", true);
    wire_put_bool(out, "seeds", true);
    expect_only(client, (const struct raw[]){{which, 2}, {seeds, 16}}, 2, WIRE_OK);
    ask_env(client, "stats", 1, &reply);
    const msgpack_object *env = wire_find(reply.header.fields, "env");
    assert_int_equal(wire_find(env, "seed")->via.u64, 6);
    reply_free(&reply);
    wire_put_uint(client_begin(client, "reset"), "seed", 123);
    expect(client, NULL, 0, WIRE_OK, &reply);
    wire_put_uint(client_begin(client, "reset"), "seed", 123);
    expect(client, NULL, 0, WIRE_OK, &again);
    size_t length = 0, length_again = 0;
    const void *a = reply_raw(&reply, 1, &length), *b = reply_raw(&again, 1, &length_again);
    assert_int_equal(length, length_again);
    assert_memory_equal(a, b, length);
    reply_free(&reply);
    reply_free(&again);
    out = client_begin(client, "reset");
    wire_put_uint(out, "seed", 1);
    wire_put_bool(out, "seeds", true);
    expect_only(client, &(struct raw){seeds, 16}, 1, WIRE_BAD_FIELD);
    client_close(client);
    serving_close(&serving);
}

/* ---- Several clients ---- */

struct player {
    const struct serving *serving;
    uint64_t seed, digest;
};

/* Plays with a fixed way of choosing; the digest is over all replies. */
static void *play_alone(void *argument) {
    struct player *player = argument;
    struct client *client = NULL;
    struct reply reply;
    struct layout layout;
    int32_t actions[16];
    size_t length;
    layout_make(&layout, lr_game_info(game), 16, ALL_ARRAYS);
    if (client_open(server_endpoint(player->serving->server, 0), NULL, 20000, &client, NULL)) return NULL;
    struct wire_writer *out = client_begin(client, "open");
    wire_put_text(out, "scenario", SCENARIO);
    wire_put_int(out, "size", 16);
    wire_put_uint(out, "seed", player->seed);
    bool fine = client_call(client, NULL, 0, &reply, NULL) == 0;
    for (int turn = 0; fine && turn < 200; turn++) {
        reply_free(&reply);
        client_begin(client, turn ? "step" : "reset");
        fine = client_call(client, &(struct raw){actions, sizeof actions}, turn ? 1 : 0, &reply, NULL) == 0;
        const uint8_t *frame = fine ? reply_raw(&reply, 1, &length) : NULL;
        if (!frame) break;
        for (size_t i = 0; i < length; i++) player->digest = player->digest * 31 + frame[i];
        choose(frame + layout.offset[ARRAY_MASK], lr_game_info(game)->mask_bytes, 16, (uint64_t)turn, actions);
    }
    if (fine) reply_free(&reply);
    client_close(client);
    return NULL;
}

static void clients_at_once(void **unused) {
    (void)unused;
    enum { PLAYERS = 6 };
    struct serving serving;
    serving_start(&serving, &(struct server_options){.threads = 1});
    struct player player[PLAYERS];
    pthread_t thread[PLAYERS];
    for (int i = 0; i < PLAYERS; i++) {
        player[i] = (struct player){.serving = &serving, .seed = (uint64_t)i / 2}; /* two of each seed */
        assert_int_equal(pthread_create(&thread[i], NULL, play_alone, &player[i]), 0);
    }
    for (int i = 0; i < PLAYERS; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < PLAYERS; i += 2) {
        assert_int_not_equal(player[i].digest, 0);
        assert_int_equal(player[i].digest, player[i + 1].digest);
        if (i) assert_int_not_equal(player[i].digest, player[i - 1].digest);
    }
    serving_close(&serving);
}

/* A client that goes away in the middle of a request: its session lives until its lease ends, then it is freed. */
static void vanished_client(void **unused) {
    (void)unused;
    struct serving serving;
    serving_start(&serving, &(struct server_options){.threads = 1, .lease_ms = 300});
    struct client *gone = connect_to(&serving), *other = connect_to(&serving);
    struct reply reply;
    open_session(gone, 64, NULL, &reply);
    reply_free(&reply);
    uint8_t token[16];
    memcpy(token, client_token(gone), sizeof token);
    client_begin(gone, "reset");
    assert_int_equal(client_send(gone, NULL, 0, NULL), 0);
    client_close(gone);
    for (int tries = 0; tries < 100; tries++) {
        client_begin(other, "stats");
        expect(other, NULL, 0, WIRE_OK, &reply);
        const uint64_t sessions = reply_uint(&reply, "sessions", 9),
                       environments = reply_uint(&reply, "environments", 9);
        reply_free(&reply);
        if (sessions == 0 && environments == 0) break;
        usleep(50000);
        assert_true(tries < 99);
    }
    client_set_session(other, token, 5);
    client_begin(other, "observe");
    expect_only(other, NULL, 0, WIRE_LEASE_EXPIRED);
    client_close(other);
    assert_int_equal(serving_close(&serving).leases_expired, 1);
}

/* ---- Stopping ---- */

static void stops_under_load(void **unused) {
    (void)unused;
    for (int round = 0; round < 3; round++) {
        struct serving serving;
        serving_start(&serving, &(struct server_options){.threads = 1});
        char path[300];
        snprintf(path, sizeof path, "%s", server_endpoint(serving.server, 0) + strlen("ipc://"));
        struct stat status;
        assert_int_equal(stat(path, &status), 0);
        struct client *client = NULL;
        struct reply reply;
        assert_int_equal(client_open(server_endpoint(serving.server, 0), NULL, 1000, &client, NULL), 0);
        open_session(client, 512, NULL, &reply);
        reply_free(&reply);
        for (int i = 0; i < 6; i++) {
            client_begin(client, "reset");
            assert_int_equal(client_send(client, NULL, 0, NULL), 0);
        }
        serving_stop(&serving);
        int answered =
            0; /* what reached the server was done or refused; the rest is lost with it, hence the deadline */
        for (; answered < 6 && client_receive(client, &reply, NULL) == 0; answered++) {
            assert_true(reply.code == WIRE_OK || reply.code == WIRE_SHUTTING_DOWN);
            const bool last = reply_uint(&reply, "q", 0) == client_next(client) - 1;
            reply_free(&reply);
            if (last) break;
        }
        client_close(client);
        serving_close(&serving);
        assert_int_equal(stat(path, &status), -1);
        *strrchr(path, '/') = '\0';
        assert_int_equal(stat(path, &status), -1); /* the private folder is gone, too */
    }
}

int main(int argc, char **argv) {
    if (argc > 1) {
        games = atoi(argv[1]);
        cmocka_set_test_filter("served_is_*");
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(served_is_inprocess_next_step),
        cmocka_unit_test(served_is_inprocess_same_step),
        cmocka_unit_test(served_is_inprocess_disabled),
        cmocka_unit_test(served_is_inprocess_with_opponent),
        cmocka_unit_test(hello_list_ping_stats),
        cmocka_unit_test(every_session_message),
        cmocka_unit_test(reset_with_seeds),
        cmocka_unit_test(clients_at_once),
        cmocka_unit_test(vanished_client),
        cmocka_unit_test(stops_under_load),
    };
    return cmocka_run_group_tests(tests, open_game, close_game);
}
