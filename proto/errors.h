/* errors.h: the codes by which the server refuses a request. One table (errors.c) holds number, name and sentence;
 * python/longroll/errors.py and the table in PROTOCOL.md are generated from it (longroll serve --errors), and a test
 * compares them. A number never changes its meaning and is never used again. */
#ifndef WIRE_ERRORS_H
#define WIRE_ERRORS_H

#include <stdbool.h>
#include <stddef.h>

enum wire_code {
    WIRE_OK = 0,
    WIRE_BAD_FRAME = 1,
    WIRE_BAD_MSGPACK = 2,
    WIRE_TOO_LARGE = 3,
    WIRE_UNSUPPORTED_VERSION = 4,
    WIRE_UNKNOWN_TYPE = 5,
    WIRE_BAD_FIELD = 6,
    WIRE_NO_SESSION = 7,
    WIRE_LEASE_EXPIRED = 8,
    WIRE_BAD_SEQ = 9,
    WIRE_ILLEGAL_ACTION = 10,
    WIRE_EPISODE_OVER = 11,
    WIRE_CAPACITY = 12,
    WIRE_BUSY = 13,
    WIRE_BAD_SCENARIO = 14,
    WIRE_BAD_STATE = 15,
    WIRE_NO_RECORD = 16,
    WIRE_INTERNAL = 17,
    WIRE_SHUTTING_DOWN = 18,
    WIRE_NO_SEARCH = 19
};

enum { WIRE_CODES = WIRE_NO_SEARCH + 1 };

/* "ILLEGAL_ACTION"; "UNKNOWN" for a number that is not in the table. */
const char *wire_code_name(int code);
const char *wire_code_sentence(int code);

/* The same request may succeed later, unchanged. */
bool wire_code_retry(int code);

/* The Python file and the Markdown table, as snprintf does: returns the length of the whole. */
size_t wire_errors_python(char *text, size_t size);
size_t wire_errors_markdown(char *text, size_t size);

#endif
