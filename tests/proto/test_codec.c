/* The walk before msgpack-c, the reading of fields, the bounded writer, the table of errors and what it generates, and
 * the golden headers that the Python tests read too. */
#include "serving.h"

static int walk(const void *bytes, size_t length) {
    struct wire_fault fault = WIRE_NO_FAULT;
    const int code = wire_walk(bytes, length, &fault);
    assert_int_equal(code, fault.code);
    assert_true((code != 0) == (fault.text[0] != '\0' && fault.code != 0));
    return code;
}
#define WALK(text) walk(text, sizeof(text) - 1)

static void good_maps_pass(void **unused) {
    (void)unused;
    assert_int_equal(WALK("\x80"), WIRE_OK);
    assert_int_equal(WALK("\xde\x00\x00"), WIRE_OK);
    assert_int_equal(WALK("\x81\xa1t\xa4ping"), WIRE_OK);
    assert_int_equal(WALK("\x82\xa1"
                          "a\x93\x01\xff\xc0\xa1"
                          "b\x81\xa1"
                          "c\xc4\x02\x00\x01"),
                     WIRE_OK);
    assert_int_equal(WALK("\x81\xd9\x01q\xcf\xff\xff\xff\xff\xff\xff\xff\xff"), WIRE_OK);
    assert_int_equal(WALK("\x81\xa1x\xcb\x3f\xf0\x00\x00\x00\x00\x00\x00"), WIRE_OK);
    assert_int_equal(WALK("\x81\xa2\xc3\xa9\xa3\xe2\x82\xac"), WIRE_OK);
    assert_int_equal(WALK("\x82\xa1"
                          "a\x81\xa1"
                          "a\x01\xa1"
                          "b\x81\xa1"
                          "a\x01"),
                     WIRE_OK); /* same key, other maps */
}

static void bad_bytes_are_refused(void **unused) {
    (void)unused;
    assert_int_equal(WALK(""), WIRE_BAD_MSGPACK);
    assert_int_equal(WALK("\xc0"), WIRE_BAD_MSGPACK);
    assert_int_equal(WALK("\x91\x80"), WIRE_BAD_MSGPACK);
    assert_int_equal(WALK("\x81"), WIRE_BAD_MSGPACK);
    assert_int_equal(WALK("\x80\x80"), WIRE_BAD_MSGPACK);     /* a second object */
    assert_int_equal(WALK("\x81\x01\x01"), WIRE_BAD_MSGPACK); /* key is no string */
    assert_int_equal(WALK("\x82\xa1"
                          "a\x01\xa1"
                          "a\x02"),
                     WIRE_BAD_MSGPACK); /* twice */
    assert_int_equal(WALK("\x81\xa1"
                          "a\xdd\xff\xff\xff\xff"),
                     WIRE_BAD_MSGPACK);
    assert_int_equal(WALK("\x81\xa1"
                          "a\xdf\x00\x00\x00\x01"),
                     WIRE_BAD_MSGPACK);
    assert_int_equal(WALK("\x81\xa1"
                          "a\xdc\xff\xff\x01"),
                     WIRE_BAD_MSGPACK); /* more declared than there */
    assert_int_equal(WALK("\x81\xa1"
                          "a\x92\x92\x01\x02"),
                     WIRE_BAD_MSGPACK); /* cumulatively */
    assert_int_equal(WALK("\x81\xa1"
                          "a\xc1"),
                     WIRE_BAD_MSGPACK);
    assert_int_equal(WALK("\x81\xa1"
                          "a\xd4\x01\x02"),
                     WIRE_BAD_MSGPACK); /* ext */
    assert_int_equal(WALK("\x81\xa1"
                          "a\xa5xy"),
                     WIRE_BAD_MSGPACK);
    assert_int_equal(WALK("\x81\xa1"
                          "a\xca\x7f\x80\x00\x00"),
                     WIRE_BAD_MSGPACK); /* infinity */
    assert_int_equal(WALK("\x81\xa1"
                          "a\xcb\x7f\xf8\x00\x00\x00\x00\x00\x00"),
                     WIRE_BAD_MSGPACK);
    assert_int_equal(WALK("\x81\xa1\xff\x01"), WIRE_BAD_MSGPACK); /* not UTF-8 */
    assert_int_equal(WALK("\x81\xa1"
                          "a\xa2\xc0\x80"),
                     WIRE_BAD_MSGPACK); /* overlong */
    assert_int_equal(WALK("\x81\xa1"
                          "a\xa3\xed\xa0\x80"),
                     WIRE_BAD_MSGPACK); /* surrogate */
    assert_int_equal(WALK("\x81\xa1"
                          "a\x81\xa1"
                          "b\x81\xa1"
                          "c\x81\xa1"
                          "d\x81\xa1"
                          "e\x81\xa1"
                          "f\x81\xa1"
                          "g\x81\xa1"
                          "h\x81\xa1"
                          "i\x01"),
                     WIRE_TOO_LARGE);
    uint8_t large[WIRE_MAX_HEADER + 1] = {0x80};
    assert_int_equal(walk(large, sizeof large), WIRE_TOO_LARGE);
}

/* Whatever the walk accepts, msgpack-c unpacks; no bytes crash it. Random bytes after random map heads. */
static void random_bytes_are_survived(void **unused) {
    (void)unused;
    uint8_t bytes[64];
    int accepted = 0;
    for (uint64_t trial = 0; trial < 200000; trial++) {
        const size_t length = lr_random(trial, 0, sizeof bytes) + 1;
        bytes[0] = (uint8_t)(0x80 | lr_random(trial, 1, 4));
        for (size_t i = 1; i < length; i++) {
            const uint32_t draw = lr_random(trial, i + 1, 512);
            bytes[i] = (uint8_t)(draw < 256 ? draw : draw < 384 ? 0xa1 : draw & 15);
        }
        struct wire_fault fault = WIRE_NO_FAULT;
        struct wire_map map;
        uint8_t *exact = malloc(length); /* so that a sanitizer sees a read beyond the end */
        memcpy(exact, bytes, length);
        accepted += wire_read(exact, length, &map, &fault) == WIRE_OK;
        assert_int_not_equal(fault.code, WIRE_INTERNAL);
        wire_map_free(&map);
        free(exact);
    }
    assert_true(accepted > 100);
}

/* Any encoder's choice of width is read alike. */
static void integer_widths(void **unused) {
    (void)unused;
    static const struct {
        const char *bytes;
        size_t length;
        uint64_t value;
    } cases[] = {{"\x81\xa1v\x07", 4, 7},
                 {"\x81\xa1v\xcc\x07", 5, 7},
                 {"\x81\xa1v\xcd\x00\x07", 6, 7},
                 {"\x81\xa1v\xce\x00\x00\x00\x07", 8, 7},
                 {"\x81\xa1v\xcf\x00\x00\x00\x00\x00\x00\x00\x07", 12, 7},
                 {"\x81\xa1v\xd0\x07", 5, 7},
                 {"\x81\xa1v\xd1\x00\x07", 6, 7},
                 {"\x81\xa1v\xd2\x00\x00\x00\x07", 8, 7},
                 {"\x81\xa1v\xd3\x00\x00\x00\x00\x00\x00\x00\x07", 12, 7}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct wire_fault fault = WIRE_NO_FAULT;
        struct wire_map map;
        uint64_t value = 0;
        int small = 0;
        assert_int_equal(wire_read(cases[i].bytes, cases[i].length, &map, &fault), WIRE_OK);
        wire_get_uint(map.fields, "v", 0, 100, &value, &fault);
        wire_get_int(map.fields, "v", -5, 100, &small, &fault);
        assert_int_equal(fault.code, WIRE_OK);
        assert_int_equal(value, 7);
        assert_int_equal(small, 7);
        wire_map_free(&map);
    }
}

static void fields_are_checked(void **unused) {
    (void)unused;
    static const char bytes[] = "\x84\xa1"
                                "a\xff\xa1"
                                "b\xcf\xff\xff\xff\xff\xff\xff\xff\xff\xa1"
                                "c\xa1x\xa1"
                                "d\xc0";
    struct wire_fault fault = WIRE_NO_FAULT;
    struct wire_map map;
    assert_int_equal(wire_read(bytes, sizeof bytes - 1, &map, &fault), WIRE_OK);
    uint64_t wide = 3;
    int narrow = 3;
    bool yes = false;
    wire_get_uint(map.fields, "a", 0, 9, &wide, &fault); /* negative */
    assert_int_equal(fault.code, WIRE_BAD_FIELD);
    assert_string_equal(fault.field, "a");
    fault = (struct wire_fault)WIRE_NO_FAULT;
    wire_get_int(map.fields, "b", 0, 9, &narrow, &fault); /* 2^64 - 1 must not become -1 */
    assert_int_equal(fault.code, WIRE_BAD_FIELD);
    fault = (struct wire_fault)WIRE_NO_FAULT;
    wire_get_bool(map.fields, "c", &yes, &fault);
    assert_int_equal(fault.code, WIRE_BAD_FIELD);
    fault = (struct wire_fault)WIRE_NO_FAULT;
    wire_get_uint(map.fields, "d", 0, 9, &wide, &fault); /* nil is absent */
    wire_get_uint(map.fields, "e", 0, 9, &wide, &fault);
    assert_int_equal(fault.code, WIRE_OK);
    assert_int_equal(wide, 3);
    wire_require(map.fields, "d", &fault);
    assert_int_equal(fault.code, WIRE_BAD_FIELD);
    wire_map_free(&map);
}

static void writer_is_bounded(void **unused) {
    (void)unused;
    uint8_t bytes[64];
    for (size_t room = 0; room < 40; room++) {
        struct wire_writer out;
        memset(bytes, 0xee, sizeof bytes);
        wire_begin(&out, bytes, room);
        wire_open_map(&out);
        wire_put_text(&out, "t", "something long");
        wire_key(&out, "l");
        wire_open_array(&out);
        for (int i = 0; i < 5; i++) wire_int(&out, -i);
        wire_end(&out);
        wire_end(&out);
        assert_true(out.length <= room);
        assert_int_equal(bytes[room], 0xee);
        assert_int_equal(out.full, room < 30);
        if (!out.full) assert_int_equal(walk(bytes, out.length), WIRE_OK);
    }
}

static void compare_file(const char *name, const char *text, bool whole) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", LONGROLL_SOURCE, name);
    FILE *file = fopen(path, "r");
    if (!file) fail_msg("%s is missing", path);
    static char content[65536];
    const size_t length = fread(content, 1, sizeof content - 1, file);
    fclose(file);
    content[length] = '\0';
    if (whole ? strcmp(content, text) != 0 : !strstr(content, text))
        fail_msg("%s is out of step with proto/errors.c: see longroll serve --errors", name);
}

static void generated_files_are_in_step(void **unused) {
    (void)unused;
    char text[8192];
    assert_true(wire_errors_python(text, sizeof text) < sizeof text);
    compare_file("python/longroll/errors.py", text, true);
    assert_true(wire_errors_markdown(text, sizeof text) < sizeof text);
    compare_file("proto/PROTOCOL.md", text, false);
}

/* proto/vectors/headers.txt: lines "NAME CODE HEX". */
static void golden_headers(void **unused) {
    (void)unused;
    FILE *file = fopen(LONGROLL_SOURCE "/proto/vectors/headers.txt", "r");
    assert_non_null(file);
    char line[9000], name[64], code[64], hex[8800];
    int count = 0;
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#') continue;
        assert_int_equal(sscanf(line, "%63s %63s %8799s", name, code, hex), 3);
        uint8_t bytes[4400];
        const size_t length = strcmp(hex, "-") ? strlen(hex) / 2 : 0;
        for (size_t i = 0; i < length; i++) {
            unsigned byte;
            sscanf(hex + 2 * i, "%2x", &byte);
            bytes[i] = (uint8_t)byte;
        }
        struct wire_fault fault = WIRE_NO_FAULT;
        if (strcmp(wire_code_name(wire_walk(bytes, length, &fault)), code) != 0)
            fail_msg("%s: %s, not %s", name, wire_code_name(fault.code), code);
        count++;
    }
    fclose(file);
    assert_true(count >= 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_maps_pass),     cmocka_unit_test(bad_bytes_are_refused),
        cmocka_unit_test(integer_widths),     cmocka_unit_test(random_bytes_are_survived),
        cmocka_unit_test(fields_are_checked), cmocka_unit_test(writer_is_bounded),
        cmocka_unit_test(golden_headers),     cmocka_unit_test(generated_files_are_in_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
