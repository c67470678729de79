/* Every way to ask wrongly: a coded error with a sentence, nothing changed, the server and others unharmed. */
#include "serving.h"
#include <unistd.h>

static struct serving serving;
static struct client *client; /* with a session of 4 environments, autoreset disabled */

static void add_disabled(struct wire_writer *out) { wire_put_text(out, "autoreset", "disabled"); }

static int start(void **unused) {
    (void)unused;
    struct reply reply;
    serving_start(&serving,
                  &(struct server_options){
                      .threads = 1, .sessions = 3, .session_environments = 100, .environments = 120, .in_flight = 4});
    client = connect_to(&serving);
    open_session(client, 4, add_disabled, &reply);
    reply_free(&reply);
    return 0;
}

static int stop(void **unused) {
    (void)unused;
    client_close(client);
    serving_close(&serving);
    return 0;
}

/* Sends bytes as they are on a connection of their own; the code of the reply. */
static int send_raw(const struct raw *frames, int count) {
    struct client *stranger = connect_to(&serving);
    struct reply reply;
    lr_error error = {0};
    assert_int_equal(client_send_bytes(stranger, frames, count, &error), 0);
    if (client_receive(stranger, &reply, &error)) fail_msg("%s", error.text);
    const int code = reply.code;
    assert_true(wire_find(reply.header.fields, "text") != NULL || code == 0);
    reply_free(&reply);
    client_close(stranger);
    return code;
}
#define RAW(text) send_raw(&(struct raw){text, sizeof(text) - 1}, 1)

static void malformed_messages(void **unused) {
    (void)unused;
    assert_int_equal(RAW(""), WIRE_BAD_MSGPACK);
    assert_int_equal(RAW("hello"), WIRE_BAD_MSGPACK);
    assert_int_equal(RAW("\xdd\xff\xff\xff\xff"), WIRE_BAD_MSGPACK);
    assert_int_equal(RAW("\x80"), WIRE_BAD_FIELD);
    assert_int_equal(RAW("\x81\xa1t\xa4ping"), WIRE_BAD_FIELD);          /* no q */
    assert_int_equal(RAW("\x82\xa1t\x01\xa1q\x01"), WIRE_BAD_FIELD);     /* t is no string */
    assert_int_equal(RAW("\x82\xa1t\xa4ping\xa1q\xff"), WIRE_BAD_FIELD); /* q is negative */
    assert_int_equal(RAW("\x82\xa1t\xa4pong\xa1q\x01"), WIRE_UNKNOWN_TYPE);
    assert_int_equal(RAW("\x82\xa1t\xa4step\xa1q\x01"), WIRE_BAD_FIELD); /* no s */
    assert_int_equal(RAW("\x83\xa1t\xa4step\xa1q\x01\xa1s\xc4\x01x"), WIRE_BAD_FIELD);
    assert_int_equal(RAW("\x83\xa1t\xa4step\xa1q\x01\xa1s\xc4\x10"
                         "0123456789abcdef"),
                     WIRE_NO_SESSION);
    assert_int_equal(RAW("\x82\xa1t\xa4ping\xa1q\xcf\x00\x00\x00\x00\x00\x00\x00\x01"), WIRE_OK);
    static uint8_t large[5000] = {0x80};
    assert_int_equal(send_raw(&(struct raw){large, sizeof large}, 1), WIRE_TOO_LARGE);
    const struct raw ping = {"\x82\xa1t\xa4ping\xa1q\x01", 11}, empty = {"", 0};
    assert_int_equal(send_raw((const struct raw[]){ping, empty}, 2), WIRE_BAD_FRAME);
    assert_int_equal(send_raw((const struct raw[]){ping, empty, empty, empty, empty, empty}, 6), WIRE_BAD_FRAME);
}

static void a_req_client_is_answered(void **unused) {
    (void)unused;
    void *context = zmq_ctx_new(), *socket = zmq_socket(context, ZMQ_REQ);
    const int linger = 0, timeout = 10000;
    zmq_setsockopt(socket, ZMQ_LINGER, &linger, sizeof linger);
    zmq_setsockopt(socket, ZMQ_RCVTIMEO, &timeout, sizeof timeout);
    assert_int_equal(zmq_connect(socket, server_endpoint(serving.server, 0)), 0);
    assert_int_equal(zmq_send(socket, "\x82\xa1t\xa4ping\xa1q\x01", 11, 0), 11);
    char bytes[512];
    assert_true(zmq_recv(socket, bytes, sizeof bytes, 0) > 10);
    zmq_close(socket);
    zmq_ctx_term(context);
}

static void version_mismatch(void **unused) {
    (void)unused;
    struct client *stranger = connect_to(&serving);
    struct wire_writer *out = client_begin(stranger, "hello");
    wire_key(out, "majors");
    wire_open_array(out);
    wire_int(out, 2);
    wire_end(out);
    struct reply reply;
    expect(stranger, NULL, 0, WIRE_UNSUPPORTED_VERSION, &reply);
    assert_non_null(wire_find(reply.header.fields, "majors"));
    reply_free(&reply);
    client_begin(stranger, "hello");
    expect_only(stranger, NULL, 0, WIRE_BAD_FIELD);
    client_close(stranger);
}

/* The digest of all that a client can see of the session. */
static uint64_t look(void) {
    struct reply reply;
    client_begin(client, "observe");
    expect(client, NULL, 0, WIRE_OK, &reply);
    size_t length = 0;
    const uint8_t *frame = reply_raw(&reply, 1, &length);
    uint64_t digest = 0;
    for (size_t i = 0; i < length; i++) digest = digest * 31 + frame[i];
    reply_free(&reply);
    return digest;
}

static void legal_actions(int32_t actions[4]) {
    struct layout layout;
    struct reply reply;
    lr_game *game = NULL;
    size_t length;
    assert_int_equal(lr_game_open(SCENARIO, &game, NULL), 0);
    layout_make(&layout, lr_game_info(game), 4, ALL_ARRAYS);
    client_begin(client, "observe");
    expect(client, NULL, 0, WIRE_OK, &reply);
    const uint8_t *frame = reply_raw(&reply, 1, &length);
    choose(frame + layout.offset[ARRAY_MASK], lr_game_info(game)->mask_bytes, 4, 1, actions);
    reply_free(&reply);
    lr_game_close(game);
}

static void illegal_actions_name_the_slot(void **unused) {
    (void)unused;
    int32_t actions[4];
    legal_actions(actions);
    const uint64_t before = look();
    static const int32_t wrong[] = {-2, 1023, INT32_MAX, INT32_MIN, 592};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        int32_t bad[4];
        memcpy(bad, actions, sizeof bad);
        bad[2] = wrong[i];
        struct reply reply;
        client_begin(client, "step");
        expect(client, &(struct raw){bad, sizeof bad}, 1, WIRE_ILLEGAL_ACTION, &reply);
        assert_int_equal(reply_uint(&reply, "env", 99), 2);
        assert_true(reply_uint(&reply, "legal", 0) > 0);
        assert_int_equal(reply_uint(&reply, "next", 0), client_next(client));
        reply_free(&reply);
    }
    assert_int_equal(look(), before);
}

static void wrong_frames(void **unused) {
    (void)unused;
    const uint64_t before = look();
    int32_t actions[5] = {0};
    client_begin(client, "step");
    expect_only(client, NULL, 0, WIRE_BAD_FRAME);
    client_begin(client, "step");
    expect_only(client, &(struct raw){actions, 15}, 1, WIRE_BAD_FRAME);
    client_begin(client, "step");
    expect_only(client, &(struct raw){actions, 20}, 1, WIRE_BAD_FRAME);
    client_begin(client, "step");
    expect_only(client, (const struct raw[]){{actions, 16}, {actions, 16}}, 2, WIRE_BAD_FRAME);
    wire_put_bool(client_begin(client, "reset"), "which", true);
    expect_only(client, NULL, 0, WIRE_BAD_FRAME);
    client_begin(client, "reset");
    expect_only(client, &(struct raw){actions, 4}, 1, WIRE_BAD_FRAME);
    assert_int_equal(look(), before);
}

static void wrong_fields(void **unused) {
    (void)unused;
    static const char *const with_env[] = {"legal", "save", "render", "replay"};
    for (size_t i = 0; i < sizeof with_env / sizeof with_env[0]; i++) {
        client_begin(client, with_env[i]);
        expect_only(client, NULL, 0, WIRE_BAD_FIELD);
        wire_put_int(client_begin(client, with_env[i]), "env", 4);
        expect_only(client, NULL, 0, WIRE_BAD_FIELD);
        wire_put_int(client_begin(client, with_env[i]), "env", -1);
        expect_only(client, NULL, 0, WIRE_BAD_FIELD);
        wire_put_text(client_begin(client, with_env[i]), "env", "0");
        expect_only(client, NULL, 0, WIRE_BAD_FIELD);
    }
    struct wire_writer *out = client_begin(client, "clone");
    wire_put_int(out, "from", 0);
    wire_put_int(out, "to", 4);
    expect_only(client, NULL, 0, WIRE_BAD_FIELD);
    out = client_begin(client, "clone");
    wire_put_int(out, "from", 0);
    wire_put_int(out, "to", 1);
    wire_put_text(out, "dice", "loaded");
    expect_only(client, NULL, 0, WIRE_BAD_FIELD);
    out = client_begin(client, "observe");
    wire_put_int(out, "env", 0);
    wire_put_text(out, "player", "chance");
    expect_only(client, NULL, 0, WIRE_BAD_FIELD);
    wire_put_int(client_begin(client, "replay"), "env", 0);
    expect_only(client, NULL, 0, WIRE_NO_RECORD);
    wire_put_int(client_begin(client, "ping"), "nobody-knows-this", 0); /* unknown keys are ignored */
    expect_only(client, NULL, 0, WIRE_OK);
    client_set_session(client, client_token(client), client_next(client) - 1); /* ping is not in the sequence */
}

static void over_and_disabled(void **unused) {
    (void)unused;
    struct client *other = connect_to(&serving);
    struct wire_writer *out = client_begin(other, "open");
    wire_put_text(out, "scenario", SCENARIO);
    wire_put_int(out, "size", 1);
    wire_put_text(out, "autoreset", "disabled");
    wire_put_int(out, "max_length", 1);
    expect_only(other, NULL, 0, WIRE_OK);
    struct reply reply;
    wire_put_int(client_begin(other, "legal"), "env", 0);
    expect(other, NULL, 0, WIRE_OK, &reply);
    const int32_t action = (int32_t)wire_find(reply.header.fields, "actions")->via.array.ptr[0].via.u64, skip = -1;
    reply_free(&reply);
    client_begin(other, "step");
    expect_only(other, &(struct raw){&action, 4}, 1, WIRE_OK);
    client_begin(other, "step");
    expect(other, &(struct raw){&action, 4}, 1, WIRE_EPISODE_OVER, &reply);
    assert_int_equal(reply_uint(&reply, "env", 9), 0);
    reply_free(&reply);
    client_begin(other, "step");
    expect_only(other, &(struct raw){&skip, 4}, 1, WIRE_OK);
    client_begin(other, "close");
    expect_only(other, NULL, 0, WIRE_OK);
    client_close(other);
}

static void sequence(void **unused) {
    (void)unused;
    int32_t actions[4];
    legal_actions(actions);
    struct reply first, again, reply;
    lr_error error = {0};
    client_begin(client, "step");
    expect(client, &(struct raw){actions, 16}, 1, WIRE_OK, &first);
    assert_int_equal(client_resend(client, &error), 0);
    assert_int_equal(client_wait(client, &again, &error), 0);
    assert_int_equal(zmq_msg_size(&first.frames.frame[1]), zmq_msg_size(&again.frames.frame[1]));
    for (int i = 0; i < 2; i++)
        assert_memory_equal(zmq_msg_data(&first.frames.frame[i]), zmq_msg_data(&again.frames.frame[i]),
                            zmq_msg_size(&first.frames.frame[i]));
    reply_free(&first);
    reply_free(&again);
    const uint64_t next = client_next(client);
    static const int64_t off[] = {1, 100, -2, -3};
    for (size_t i = 0; i < sizeof off / sizeof off[0]; i++) {
        client_set_session(client, client_token(client), (uint64_t)((int64_t)next + off[i]));
        client_begin(client, "observe");
        expect(client, NULL, 0, WIRE_BAD_SEQ, &reply);
        assert_int_equal(reply_uint(&reply, "next", 0), next);
        reply_free(&reply);
    }
    client_set_session(client, client_token(client), next);
    look();
}

static void bad_opens(void **unused) {
    (void)unused;
    struct client *stranger = connect_to(&serving);
    static const struct {
        const char *scenario;
        int size, code;
        const char *key, *word;
    } cases[] = {
        {SCENARIO, 0, WIRE_BAD_FIELD, "", ""},
        {SCENARIO, 101, WIRE_BAD_FIELD, "", ""},
        {SCENARIO, -1, WIRE_BAD_FIELD, "", ""},
        {SCENARIO, 1, WIRE_BAD_FIELD, "autoreset", "sometimes"},
        {SCENARIO, 1, WIRE_BAD_FIELD, "opponent", "napoleon"},
        {SCENARIO, 1, WIRE_BAD_FIELD, "learner", "chance"},
        {SCENARIO, 1, WIRE_BAD_FIELD, "seed", "one"},
        {SCENARIO, 1, WIRE_BAD_FIELD, "record", "yes"},
        {SCENARIO, 1, WIRE_BAD_FIELD, "arrays", "mask"},
        {"no/such", 1, WIRE_BAD_SCENARIO, "", ""},
        {"../x", 1, WIRE_BAD_SCENARIO, "", ""},
        {"/etc/hosts.yaml", 1, WIRE_BAD_SCENARIO, "", ""},
        {"cedar-mountain//historical", 1, WIRE_BAD_SCENARIO, "", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct wire_writer *out = client_begin(stranger, "open");
        wire_put_text(out, "scenario", cases[i].scenario);
        wire_put_int(out, "size", cases[i].size);
        if (cases[i].key[0]) wire_put_text(out, cases[i].key, cases[i].word);
        expect_only(stranger, NULL, 0, cases[i].code);
    }
    client_begin(stranger, "open");
    expect_only(stranger, NULL, 0, WIRE_BAD_FIELD);
    client_close(stranger);
}

static void capacity(void **unused) {
    (void)unused;
    struct client *others[3];
    for (int i = 0; i < 3; i++) {
        others[i] = connect_to(&serving);
        struct wire_writer *out = client_begin(others[i], "open");
        wire_put_text(out, "scenario", SCENARIO);
        wire_put_int(out, "size", i == 0 ? 100 : i == 1 ? 50 : 1);
        expect_only(others[i], NULL, 0, i == 1 ? WIRE_CAPACITY : WIRE_OK); /* environments */
    }
    struct wire_writer *out = client_begin(others[1], "open");
    wire_put_text(out, "scenario", SCENARIO);
    wire_put_int(out, "size", 1);
    expect_only(others[1], NULL, 0, WIRE_CAPACITY); /* sessions */
    for (int i = 0; i < 3; i++) {
        if (i != 1) {
            client_begin(others[i], "close");
            expect_only(others[i], NULL, 0, WIRE_OK);
        }
        client_close(others[i]);
    }
}

/* More requests at once than may wait: the rest is refused, each is answered. */
static void busy(void **unused) {
    (void)unused;
    struct client *other = connect_to(&serving);
    struct wire_writer *out = client_begin(other, "open");
    wire_put_text(out, "scenario", SCENARIO);
    wire_put_int(out, "size", 100);
    wire_put_text(out, "opponent", "greedy");
    expect_only(other, NULL, 0, WIRE_OK);
    enum { MANY = 60 };
    int counted[WIRE_CODES] = {0};
    struct reply reply;
    for (int i = 0; i < MANY; i++) {
        wire_put_uint(client_begin(other, "reset"), "seed", (uint64_t)i);
        assert_int_equal(client_send(other, NULL, 0, NULL), 0);
    }
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(client_receive(other, &reply, NULL), 0);
        counted[reply.code]++;
        reply_free(&reply);
    }
    assert_true(counted[WIRE_OK] >= 4);
    assert_true(counted[WIRE_BUSY] > 0);
    assert_int_equal(counted[WIRE_OK] + counted[WIRE_BUSY] + counted[WIRE_BAD_SEQ], MANY);
    client_begin(other, "resume");
    expect(other, NULL, 0, WIRE_OK, &reply);
    client_set_session(other, client_token(other), reply_uint(&reply, "next", 0));
    reply_free(&reply);
    client_begin(other, "close");
    expect_only(other, NULL, 0, WIRE_OK);
    client_close(other);
}

/* Room for 300 bytes of header: what does not fit is an error, and no session is left behind. */
static void internal(void **unused) {
    (void)unused;
    struct serving small;
    serving_start(&small, &(struct server_options){.threads = 1, .header_room = 400});
    struct client *stranger = connect_to(&small);
    client_begin(stranger, "list");
    expect_only(stranger, NULL, 0, WIRE_INTERNAL);
    struct wire_writer *out = client_begin(stranger, "open");
    wire_put_text(out, "scenario", SCENARIO);
    wire_put_int(out, "size", 10);
    expect_only(stranger, NULL, 0, WIRE_INTERNAL);
    struct reply reply;
    client_begin(stranger, "stats");
    expect(stranger, NULL, 0, WIRE_OK, &reply);
    assert_int_equal(reply_uint(&reply, "environments", 9), 0);
    assert_int_equal(reply_uint(&reply, "sessions", 9), 0);
    reply_free(&reply);
    client_close(stranger);
    serving_close(&small);
}

static int open_code(const struct server_options *options, lr_error *error) {
    struct server *server = NULL;
    const int code = server_open(options, &server, error);
    server_close(code ? NULL : server);
    return code;
}

static void endpoints_are_refused(void **unused) {
    (void)unused;
    lr_error error = {0};
    static const char *const refused[] = {"tcp://0.0.0.0:5999", "tcp://*:5999", "udp://127.0.0.1:5999",
                                          "inproc://x",         "5999",         "ipc://"};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        assert_int_equal(open_code(&(struct server_options){.endpoints = {refused[i]}, .endpoint_count = 1}, &error),
                         LR_E_ARGUMENT);
        assert_true(strlen(error.text) > 20);
    }
    assert_int_equal(open_code(&(struct server_options){.workers = 64, .threads = 1024}, &error), LR_E_ARGUMENT);
    const char *taken = server_endpoint(serving.server, 0);
    assert_int_equal(open_code(&(struct server_options){.endpoints = {taken}, .endpoint_count = 1}, &error), LR_E_IO);
    assert_non_null(strstr(error.text, "in use"));
    look(); /* the one that was there is unharmed */
    struct serving tcp;
    serving_start(&tcp,
                  &(struct server_options){.endpoints = {"tcp://127.0.0.1:*"}, .endpoint_count = 1, .threads = 1});
    taken = server_endpoint(tcp.server, 0);
    assert_int_equal(open_code(&(struct server_options){.endpoints = {taken}, .endpoint_count = 1}, &error), LR_E_IO);
    serving_close(&tcp);
}

/* With a key only those who know its public half get through. */
static void curve(void **unused) {
    (void)unused;
    if (!zmq_has("curve")) return;
    char public_key[41], secret_key[41];
    assert_int_equal(zmq_curve_keypair(public_key, secret_key), 0);
    struct serving locked;
    serving_start(&locked,
                  &(struct server_options){
                      .endpoints = {"tcp://127.0.0.1:*"}, .endpoint_count = 1, .threads = 1, .curve_key = secret_key});
    assert_string_equal(server_public_key(locked.server), public_key);
    struct client *friend = NULL, *stranger = NULL;
    lr_error error = {0};
    assert_int_equal(client_open(server_endpoint(locked.server, 0), public_key, 10000, &friend, &error), 0);
    client_begin(friend, "ping");
    expect_only(friend, NULL, 0, WIRE_OK);
    assert_int_equal(client_open(server_endpoint(locked.server, 0), NULL, 500, &stranger, &error), 0);
    client_begin(stranger, "ping");
    struct reply reply;
    assert_int_equal(client_call(stranger, NULL, 0, &reply, &error), LR_E_IO);
    client_close(friend);
    client_close(stranger);
    serving_close(&locked);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(malformed_messages),
        cmocka_unit_test(a_req_client_is_answered),
        cmocka_unit_test(version_mismatch),
        cmocka_unit_test(illegal_actions_name_the_slot),
        cmocka_unit_test(wrong_frames),
        cmocka_unit_test(wrong_fields),
        cmocka_unit_test(over_and_disabled),
        cmocka_unit_test(sequence),
        cmocka_unit_test(bad_opens),
        cmocka_unit_test(capacity),
        cmocka_unit_test(busy),
        cmocka_unit_test(internal),
        cmocka_unit_test(endpoints_are_refused),
        cmocka_unit_test(curve),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
