/* codec.h: headers of messages: msgpack maps in and out.
 *
 * Reading is done in two steps. wire_walk proves, without allocating, that bytes from outside are one well-formed map
 * within the limits below; only then wire_read lets msgpack-c unpack them. Every request passes here, so the walk is
 * written for tens of nanoseconds. Raw frames are never walked.
 * Writing goes into a buffer of fixed size: what does not fit is noticed at the end, never written.
 * One thread at a time per object. */
#ifndef WIRE_CODEC_H
#define WIRE_CODEC_H

#include "env/longroll.h"
#include "proto/errors.h"
#include <msgpack.h>

enum {
    WIRE_MAX_HEADER = 4096, /* bytes of a request's header */
    WIRE_MAX_DEPTH = 8,     /* maps and arrays inside one another */
    WIRE_MAX_KEYS = 64,     /* of one map */
    WIRE_MAX_ELEMENTS = 4096
};

/* Why a request is refused: becomes the error reply. */
struct wire_fault {
    int code; /* enum wire_code; WIRE_OK while nothing is wrong */
    char text[320];
    const char *field; /* the faulty field, NULL if none is to blame */
    int env, legal;    /* the faulty environment and its number of legal actions, -1 if none is */
};

#define WIRE_NO_FAULT                                                                                                  \
    { .env = -1, .legal = -1 }

/* Fills the fault and returns its code. A fault that is there already stays: the first is the one to tell. */
int wire_refuse(struct wire_fault *fault, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* ---- Reading ---- */

/* One object and nothing after it, a map with string keys, each once; depth, keys, elements within the limits; every
 * declared length covered by bytes that are there, cumulatively; no ext types, no 32-bit lengths, no NaN or infinity,
 * valid UTF-8. Errors: BAD_MSGPACK, TOO_LARGE. */
int wire_walk(const void *bytes, size_t length, struct wire_fault *fault);

/* A decoded header. `fields` points into the bytes it was read from, which must outlive it. */
struct wire_map {
    msgpack_unpacked unpacked;
    const msgpack_object *fields;
};

/* Walks and decodes. Errors: as wire_walk, INTERNAL. wire_map_free is right after a failure, too. */
int wire_read(const void *bytes, size_t length, struct wire_map *map, struct wire_fault *fault);
void wire_map_free(struct wire_map *map);

/* The value of a key of a map, or NULL. */
const msgpack_object *wire_find(const msgpack_object *map, const char *key);

/* Each reads an optional field into *value, which keeps its default when the field is absent or nil; and refuses a
 * wrong type or a value out of range with BAD_FIELD. They do nothing when `fault` is set already, so that a handler can
 * read all its fields and look once. Any width of integer will do. */
void wire_get_uint(const msgpack_object *map, const char *key, uint64_t low, uint64_t high, uint64_t *value,
                   struct wire_fault *fault);
void wire_get_int(const msgpack_object *map, const char *key, int low, int high, int *value, struct wire_fault *fault);
void wire_get_bool(const msgpack_object *map, const char *key, bool *value, struct wire_fault *fault);
void wire_get_text(const msgpack_object *map, const char *key, char *text, size_t size, struct wire_fault *fault);

/* One of `count` words: *value gets its index. */
void wire_get_word(const msgpack_object *map, const char *key, const char *const *words, int count, int *value,
                   struct wire_fault *fault);

/* Refuses with BAD_FIELD if the field is not there. */
void wire_require(const msgpack_object *map, const char *key, struct wire_fault *fault);

/* ---- Writing ---- */

enum { WIRE_WRITER_DEPTH = 6 };

struct wire_writer {
    uint8_t *bytes;
    size_t room, length;
    bool full;                         /* something did not fit: the bytes are worth nothing */
    int depth;                         /* open maps and arrays */
    size_t opened[WIRE_WRITER_DEPTH];  /* where each was opened */
    unsigned count[WIRE_WRITER_DEPTH]; /* what each holds so far */
    msgpack_packer packer;
};

/* Maps and arrays count what is put into them, so that no count is stated twice. In a map each value follows a
 * wire_key. */
void wire_begin(struct wire_writer *writer, void *bytes, size_t room);
void wire_open_map(struct wire_writer *writer);
void wire_open_array(struct wire_writer *writer);
void wire_end(struct wire_writer *writer); /* of the innermost map or array */
void wire_key(struct wire_writer *writer, const char *key);
void wire_uint(struct wire_writer *writer, uint64_t n);
void wire_int(struct wire_writer *writer, int64_t n);
void wire_bool(struct wire_writer *writer, bool yes);
void wire_double(struct wire_writer *writer, double x);
void wire_text(struct wire_writer *writer, const char *text);
void wire_bin(struct wire_writer *writer, const void *bytes, size_t length);

/* A key and its value. */
void wire_put_uint(struct wire_writer *writer, const char *key, uint64_t n);
void wire_put_int(struct wire_writer *writer, const char *key, int64_t n);
void wire_put_bool(struct wire_writer *writer, const char *key, bool yes);
void wire_put_double(struct wire_writer *writer, const char *key, double x);
void wire_put_text(struct wire_writer *writer, const char *key, const char *text);
void wire_put_bin(struct wire_writer *writer, const char *key, const void *bytes, size_t length);
void wire_put_hash(struct wire_writer *writer, const char *key, uint64_t hash); /* as 16 hex digits */

/* An array in a raw frame, as the header of its message describes it: a map with name, dtype, shape, offset. */
struct frame_array {
    const char *name, *type; /* as numpy writes types: "|u1", "<i2" */
    size_t offset;
    int dimensions;
    uint32_t shape[3];
};

void wire_array(struct wire_writer *writer, const struct frame_array *array);

#endif
