/* codec.c: headers of messages, walked, read and written. */
#include "proto/codec.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int wire_refuse(struct wire_fault *fault, int code, const char *format, ...) {
    if (fault->code) return fault->code;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fault->text, sizeof fault->text, format, arguments);
    va_end(arguments);
    fault->code = code;
    return code;
}

/* ---- The walk ---- */

struct level {
    uint32_t left; /* values (and keys) still to come */
    bool map;      /* keys and values by turns: a key when `left` is even */
    uint32_t keys;
    struct {
        const uint8_t *text;
        uint32_t length;
    } key[WIRE_MAX_KEYS];
};

struct walk {
    const uint8_t *bytes;
    size_t length, at;
    size_t owed; /* values declared and not seen yet, at all levels: each takes a byte at least */
    uint32_t elements;
    int depth;
    struct level levels[WIRE_MAX_DEPTH];
    struct wire_fault *fault;
};

static int bad(struct walk *walk, const char *what) {
    return wire_refuse(walk->fault, WIRE_BAD_MSGPACK, "the header is faulty at byte %zu: %s", walk->at, what);
}

/* Big-endian number of `size` bytes after the type byte; false if they are not there. */
static bool number(struct walk *walk, size_t size, uint64_t *value) {
    if (walk->length - walk->at < size) return bad(walk, "it ends inside a value"), false;
    *value = 0;
    for (size_t i = 0; i < size; i++) *value = *value << 8 | walk->bytes[walk->at++];
    return true;
}

static bool skip(struct walk *walk, uint64_t size) {
    if (walk->length - walk->at < size) return bad(walk, "a length reaches beyond its end"), false;
    walk->at += size;
    return true;
}

/* How many bytes follow the first one of a UTF-8 character, and the least code point they may spell; -1: none. */
static int utf8_tail(uint8_t first, uint32_t *point, uint32_t *least) {
    if (first >> 5 == 6) return *point = first & 31, *least = 0x80, 1;
    if (first >> 4 == 14) return *point = first & 15, *least = 0x800, 2;
    if (first >> 3 == 30) return *point = first & 7, *least = 0x10000, 3;
    return -1;
}

static bool is_utf8(const uint8_t *text, size_t length) {
    for (size_t i = 0; i < length;) {
        const uint8_t first = text[i++];
        if (first < 0x80) continue;
        uint32_t point, least;
        const int tail = utf8_tail(first, &point, &least);
        if (tail < 0 || length - i < (size_t)tail) return false;
        for (int k = 0; k < tail; k++, i++) {
            if (text[i] >> 6 != 2) return false;
            point = point << 6 | (text[i] & 63);
        }
        if (point < least || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) return false;
    }
    return true;
}

static bool note_key(struct walk *walk, struct level *level, const uint8_t *text, size_t length) {
    for (uint32_t i = 0; i < level->keys; i++)
        if (level->key[i].length == length && memcmp(level->key[i].text, text, length) == 0)
            return bad(walk, "a key stands twice in one map"), false;
    level->key[level->keys].text = text;
    level->key[level->keys++].length = (uint32_t)length;
    return true;
}

static bool string(struct walk *walk, size_t length, struct level *key_of) {
    const uint8_t *text = walk->bytes + walk->at;
    if (!skip(walk, length)) return false;
    if (!is_utf8(text, length)) return bad(walk, "a string is not UTF-8"), false;
    return !key_of || note_key(walk, key_of, text, length);
}

static bool enter(struct walk *walk, bool map, uint64_t count) {
    if (walk->depth == WIRE_MAX_DEPTH)
        return wire_refuse(walk->fault, WIRE_TOO_LARGE, "the header nests deeper than %d", WIRE_MAX_DEPTH), false;
    if (map && count > WIRE_MAX_KEYS)
        return wire_refuse(walk->fault, WIRE_TOO_LARGE, "a map in the header has more than %d keys", WIRE_MAX_KEYS),
               false;
    const uint64_t values = map ? 2 * count : count;
    walk->owed += values;
    if (walk->owed > walk->length - walk->at) return bad(walk, "more values are declared than bytes follow"), false;
    struct level *level = &walk->levels[walk->depth++];
    level->left = (uint32_t)values;
    level->map = map;
    level->keys = 0;
    return true;
}

static bool real(struct walk *walk, size_t size) {
    uint64_t bits;
    if (!number(walk, size, &bits)) return false;
    const uint32_t narrow = (uint32_t)bits;
    float single;
    double wide;
    memcpy(&single, &narrow, sizeof single);
    memcpy(&wide, &bits, sizeof wide);
    if (isfinite(size == 4 ? (double)single : wide)) return true;
    return bad(walk, "a number is not finite"), false;
}

/* What a type byte with an explicit length or size announces. */
static bool wide_value(struct walk *walk, uint8_t type, struct level *key_of) {
    uint64_t count;
    switch (type) {
    case 0xc0:
    case 0xc2:
    case 0xc3: return true; /* nil, false, true */
    case 0xc4:
    case 0xc5: return number(walk, type == 0xc4 ? 1 : 2, &count) && skip(walk, count);
    case 0xca: return real(walk, 4);
    case 0xcb: return real(walk, 8);
    case 0xcc:
    case 0xd0: return skip(walk, 1);
    case 0xcd:
    case 0xd1: return skip(walk, 2);
    case 0xce:
    case 0xd2: return skip(walk, 4);
    case 0xcf:
    case 0xd3: return skip(walk, 8);
    case 0xd9:
    case 0xda: return number(walk, type == 0xd9 ? 1 : 2, &count) && string(walk, count, key_of);
    case 0xdc: return number(walk, 2, &count) && enter(walk, false, count);
    case 0xde: return number(walk, 2, &count) && enter(walk, true, count);
    default: return bad(walk, "a type is not used by this protocol (ext, 32-bit lengths, 0xc1)"), false;
    }
}

static bool value(struct walk *walk, struct level *key_of) {
    if (walk->at == walk->length) return bad(walk, "it ends before its last value"), false;
    if (++walk->elements > WIRE_MAX_ELEMENTS)
        return wire_refuse(walk->fault, WIRE_TOO_LARGE, "the header has more than %d values", WIRE_MAX_ELEMENTS), false;
    const uint8_t type = walk->bytes[walk->at++];
    const bool text = type >> 5 == 5 || type == 0xd9 || type == 0xda;
    if (key_of && !text) return bad(walk, "a key is not a string"), false;
    if (text && type >> 5 == 5) return string(walk, type & 31, key_of);
    if (type < 0x80 || type >= 0xe0) return true;
    if (type >> 4 == 8) return enter(walk, true, type & 15);
    if (type >> 4 == 9) return enter(walk, false, type & 15);
    return wide_value(walk, type, key_of);
}

static bool is_map(const uint8_t *bytes, size_t length) {
    return length > 0 && (bytes[0] >> 4 == 8 || bytes[0] == 0xde);
}

int wire_walk(const void *bytes, size_t length, struct wire_fault *fault) {
    struct walk walk; /* its levels are set as they are entered: clearing them would take longer than the walk */
    walk.bytes = bytes;
    walk.length = length;
    walk.at = walk.owed = 0;
    walk.elements = 0;
    walk.depth = 0;
    walk.fault = fault;
    if (length > WIRE_MAX_HEADER)
        return wire_refuse(fault, WIRE_TOO_LARGE, "the header has %zu bytes, and may have %d", length, WIRE_MAX_HEADER);
    if (!is_map(bytes, length)) return bad(&walk, "it does not begin with a map of at most 65535 keys");
    if (!value(&walk, NULL)) return fault->code;
    while (walk.depth > 0) {
        struct level *level = &walk.levels[walk.depth - 1];
        if (level->left == 0) {
            walk.depth--;
            continue;
        }
        const bool key = level->map && level->left % 2 == 0;
        level->left--;
        walk.owed--;
        if (!value(&walk, key ? level : NULL)) return fault->code;
    }
    if (walk.at != length) return bad(&walk, "bytes follow after the map");
    return WIRE_OK;
}

/* ---- Reading ---- */

int wire_read(const void *bytes, size_t length, struct wire_map *map, struct wire_fault *fault) {
    msgpack_unpacked_init(&map->unpacked);
    map->fields = NULL;
    if (wire_walk(bytes, length, fault)) return fault->code;
    size_t offset = 0;
    const msgpack_unpack_return result = msgpack_unpack_next(&map->unpacked, bytes, length, &offset);
    if (result != MSGPACK_UNPACK_SUCCESS || map->unpacked.data.type != MSGPACK_OBJECT_MAP)
        return wire_refuse(fault, WIRE_INTERNAL, "the header could not be unpacked (msgpack says %d)", (int)result);
    map->fields = &map->unpacked.data;
    return WIRE_OK;
}

void wire_map_free(struct wire_map *map) { msgpack_unpacked_destroy(&map->unpacked); }

const msgpack_object *wire_find(const msgpack_object *map, const char *key) {
    const size_t length = strlen(key);
    for (uint32_t i = 0; i < map->via.map.size; i++) {
        const msgpack_object_kv *pair = &map->via.map.ptr[i];
        if (pair->key.via.str.size == length && memcmp(pair->key.via.str.ptr, key, length) == 0) return &pair->val;
    }
    return NULL;
}

/* The value to be read, or NULL if there is none or something is wrong already. */
static const msgpack_object *wanted(const msgpack_object *map, const char *key, const struct wire_fault *fault) {
    if (fault->code) return NULL;
    const msgpack_object *found = wire_find(map, key);
    return found && found->type != MSGPACK_OBJECT_NIL ? found : NULL;
}

static void refuse_field(struct wire_fault *fault, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void refuse_field(struct wire_fault *fault, const char *key, const char *format, ...) {
    char wants[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(wants, sizeof wants, format, arguments);
    va_end(arguments);
    fault->field = key;
    wire_refuse(fault, WIRE_BAD_FIELD, "the field `%s` %s", key, wants);
}

void wire_require(const msgpack_object *map, const char *key, struct wire_fault *fault) {
    if (!fault->code && !wanted(map, key, fault)) refuse_field(fault, key, "is missing");
}

void wire_get_uint(const msgpack_object *map, const char *key, uint64_t low, uint64_t high, uint64_t *value_out,
                   struct wire_fault *fault) {
    const msgpack_object *found = wanted(map, key, fault);
    if (!found) return;
    const bool whole = found->type == MSGPACK_OBJECT_POSITIVE_INTEGER;
    if (!whole || found->via.u64 < low || found->via.u64 > high)
        refuse_field(fault, key, "takes a whole number from %" PRIu64 " to %" PRIu64, low, high);
    else
        *value_out = found->via.u64;
}

void wire_get_int(const msgpack_object *map, const char *key, int low, int high, int *value_out,
                  struct wire_fault *fault) {
    const msgpack_object *found = wanted(map, key, fault);
    if (!found) return;
    const bool positive = found->type == MSGPACK_OBJECT_POSITIVE_INTEGER && found->via.u64 <= INT32_MAX;
    const bool negative = found->type == MSGPACK_OBJECT_NEGATIVE_INTEGER && found->via.i64 >= INT32_MIN;
    if ((!positive && !negative) || (int)found->via.i64 < low || (int)found->via.i64 > high)
        refuse_field(fault, key, "takes a whole number from %d to %d", low, high);
    else
        *value_out = (int)found->via.i64;
}

void wire_get_bool(const msgpack_object *map, const char *key, bool *value_out, struct wire_fault *fault) {
    const msgpack_object *found = wanted(map, key, fault);
    if (!found) return;
    if (found->type != MSGPACK_OBJECT_BOOLEAN)
        refuse_field(fault, key, "takes true or false");
    else
        *value_out = found->via.boolean;
}

void wire_get_text(const msgpack_object *map, const char *key, char *text, size_t size, struct wire_fault *fault) {
    const msgpack_object *found = wanted(map, key, fault);
    if (!found) return;
    const msgpack_object_str *str = &found->via.str;
    if (found->type != MSGPACK_OBJECT_STR || str->size >= size || memchr(str->ptr, 0, str->size)) {
        refuse_field(fault, key, "takes a string of at most %zu bytes", size - 1);
        return;
    }
    memcpy(text, str->ptr, str->size);
    text[str->size] = '\0';
}

void wire_get_word(const msgpack_object *map, const char *key, const char *const *words, int count, int *value_out,
                   struct wire_fault *fault) {
    const msgpack_object *found = wanted(map, key, fault);
    if (!found) return;
    char known[160] = "";
    size_t length = 0;
    for (int i = 0; i < count; i++) {
        const bool same = found->type == MSGPACK_OBJECT_STR && found->via.str.size == strlen(words[i]) &&
                          memcmp(found->via.str.ptr, words[i], found->via.str.size) == 0;
        if (same) {
            *value_out = i;
            return;
        }
        if (length < sizeof known)
            length += (size_t)snprintf(known + length, sizeof known - length, "%s%s", i ? ", " : "", words[i]);
    }
    refuse_field(fault, key, "takes one of the words %s", known);
}

/* ---- Writing ---- */

static int append(void *data, const char *bytes, size_t length) {
    struct wire_writer *writer = data;
    if (writer->full || writer->room - writer->length < length) {
        writer->full = true;
        return -1;
    }
    memcpy(writer->bytes + writer->length, bytes, length);
    writer->length += length;
    return 0;
}

void wire_begin(struct wire_writer *writer, void *bytes, size_t room) {
    *writer = (struct wire_writer){.bytes = bytes, .room = room};
    msgpack_packer_init(&writer->packer, writer, append);
}

/* In an array every value counts; in a map every key does. */
static void count_value(struct wire_writer *writer) {
    const int top = writer->depth - 1;
    if (top >= 0 && !writer->full && writer->bytes[writer->opened[top]] == 0xdc) writer->count[top]++;
}

static void open_container(struct wire_writer *writer, char type) {
    assert(writer->depth < WIRE_WRITER_DEPTH);
    count_value(writer);
    writer->opened[writer->depth] = writer->length;
    writer->count[writer->depth++] = 0;
    append(writer, (const char[]){type, 0, 0}, 3);
}

void wire_open_map(struct wire_writer *writer) { open_container(writer, (char)0xde); }
void wire_open_array(struct wire_writer *writer) { open_container(writer, (char)0xdc); }

void wire_end(struct wire_writer *writer) {
    const int top = --writer->depth;
    if (writer->full) return;
    if (writer->count[top] > UINT16_MAX) {
        writer->full = true;
        return;
    }
    writer->bytes[writer->opened[top] + 1] = (uint8_t)(writer->count[top] >> 8);
    writer->bytes[writer->opened[top] + 2] = (uint8_t)writer->count[top];
}

static void pack_text(struct wire_writer *writer, const char *text) {
    const size_t length = strlen(text);
    msgpack_pack_str(&writer->packer, length);
    msgpack_pack_str_body(&writer->packer, text, length);
}

void wire_key(struct wire_writer *writer, const char *key) {
    writer->count[writer->depth - 1]++;
    pack_text(writer, key);
}

void wire_uint(struct wire_writer *writer, uint64_t n) {
    count_value(writer);
    msgpack_pack_uint64(&writer->packer, n);
}

void wire_int(struct wire_writer *writer, int64_t n) {
    count_value(writer);
    msgpack_pack_int64(&writer->packer, n);
}

void wire_bool(struct wire_writer *writer, bool yes) {
    count_value(writer);
    if (yes)
        msgpack_pack_true(&writer->packer);
    else
        msgpack_pack_false(&writer->packer);
}

void wire_double(struct wire_writer *writer, double x) {
    count_value(writer);
    msgpack_pack_double(&writer->packer, x);
}

void wire_text(struct wire_writer *writer, const char *text) {
    count_value(writer);
    pack_text(writer, text);
}

void wire_bin(struct wire_writer *writer, const void *bytes, size_t length) {
    count_value(writer);
    msgpack_pack_bin(&writer->packer, length);
    msgpack_pack_bin_body(&writer->packer, bytes, length);
}

void wire_put_uint(struct wire_writer *writer, const char *key, uint64_t n) {
    wire_key(writer, key);
    wire_uint(writer, n);
}

void wire_put_int(struct wire_writer *writer, const char *key, int64_t n) {
    wire_key(writer, key);
    wire_int(writer, n);
}

void wire_put_bool(struct wire_writer *writer, const char *key, bool yes) {
    wire_key(writer, key);
    wire_bool(writer, yes);
}

void wire_put_double(struct wire_writer *writer, const char *key, double x) {
    wire_key(writer, key);
    wire_double(writer, x);
}

void wire_put_text(struct wire_writer *writer, const char *key, const char *text) {
    wire_key(writer, key);
    wire_text(writer, text);
}

void wire_put_bin(struct wire_writer *writer, const char *key, const void *bytes, size_t length) {
    wire_key(writer, key);
    wire_bin(writer, bytes, length);
}

void wire_put_hash(struct wire_writer *writer, const char *key, uint64_t hash) {
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    wire_put_text(writer, key, text);
}

void wire_array(struct wire_writer *writer, const struct frame_array *array) {
    wire_open_map(writer);
    wire_put_text(writer, "name", array->name);
    wire_put_text(writer, "dtype", array->type);
    wire_key(writer, "shape");
    wire_open_array(writer);
    for (int i = 0; i < array->dimensions; i++) wire_uint(writer, array->shape[i]);
    wire_end(writer);
    wire_put_uint(writer, "offset", array->offset);
    wire_end(writer);
}
