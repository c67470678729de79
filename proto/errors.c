/* errors.c: the table of the wire's error codes, and what is generated from it. */
#include "proto/errors.h"
#include "env/game.h"

/* Index: the code. */
static const struct {
    const char *name, *sentence;
    bool retry;
} codes[] = {
    {"OK", "the request was done", false},
    {"BAD_FRAME", "the frames of the message are not those of its type: send the number and the lengths stated here",
     false},
    {"BAD_MSGPACK", "the header is not one well-formed msgpack map: send string keys, each once, and nothing after it",
     false},
    {"TOO_LARGE", "the header or a part of it is larger than the limits that welcome states: send less", false},
    {"UNSUPPORTED_VERSION", "no major version is spoken by both sides: use a client for one that the text names",
     false},
    {"UNKNOWN_TYPE", "there is no message of this type: look for it in PROTOCOL.md", false},
    {"BAD_FIELD", "a field is missing, of the wrong type or out of range: the field is named in `field`", false},
    {"NO_SESSION", "the token names no session of this server: open one, a restart or a close ended the old", false},
    {"LEASE_EXPIRED", "the session was freed because nothing was heard for its lease: open a new one, ping in pauses",
     false},
    {"BAD_SEQ", "the sequence number is neither the next nor the last: go on with the number in `next`", false},
    {"ILLEGAL_ACTION", "an action is not legal in its environment, named in `env`: choose from the mask", false},
    {"EPISODE_OVER", "an environment, named in `env`, is over and autoreset is disabled: reset it or skip it with -1",
     false},
    {"CAPACITY", "the server has no room for more sessions or environments: close some, or try again later", true},
    {"BUSY", "too many requests wait already: read their replies, then send this one again", true},
    {"BAD_SCENARIO", "no scenario of that name can be opened: take a name from list", false},
    {"BAD_STATE", "the bytes are no saved state of this game and ruleset version: load what save gave", false},
    {"NO_RECORD", "no record of that episode is kept: open with record, and ask before another episode ends", false},
    {"INTERNAL", "the server could not do what it should: nothing has changed; please report it with the text", false},
    {"SHUTTING_DOWN", "the server is stopping: connect again when it is back, and open a new session", true},
    {"NO_SEARCH", "the session has no search that this could go on with: begin one with search", false},
};

_Static_assert(sizeof codes / sizeof codes[0] == WIRE_CODES, "every code has its line in the table");

static bool known(int code) { return code >= 0 && code < WIRE_CODES; }

const char *wire_code_name(int code) { return known(code) ? codes[code].name : "UNKNOWN"; }
const char *wire_code_sentence(int code) { return known(code) ? codes[code].sentence : "unknown code"; }
bool wire_code_retry(int code) { return known(code) && codes[code].retry; }

size_t wire_errors_python(char *text, size_t size) {
    struct lr_writer writer = {.text = text, .size = size};
    lr_write(&writer, "\"\"\"Error codes of the Longroll protocol.\n\n"
                      "Generated from the table in proto/errors.c by `longroll serve --errors python`.\n\"\"\"\n\n"
                      "from enum import IntEnum\n\n\nclass Code(IntEnum):\n");
    for (int i = 0; i < WIRE_CODES; i++) lr_write(&writer, "    %s = %d\n", codes[i].name, i);
    lr_write(&writer, "\n\nSENTENCES = {\n");
    for (int i = 0; i < WIRE_CODES; i++) lr_write(&writer, "    Code.%s: \"%s\",\n", codes[i].name, codes[i].sentence);
    lr_write(&writer, "}\n\n# The same request may succeed later, unchanged.\nRETRY = frozenset(\n    {\n");
    for (int i = 0; i < WIRE_CODES; i++)
        if (codes[i].retry) lr_write(&writer, "        Code.%s,\n", codes[i].name);
    lr_write(&writer, "    }\n)\n");
    return writer.length;
}

size_t wire_errors_markdown(char *text, size_t size) {
    struct lr_writer writer = {.text = text, .size = size};
    lr_write(&writer, "| code | name | meaning | retry |\n| ---: | --- | --- | --- |\n");
    for (int i = 0; i < WIRE_CODES; i++)
        lr_write(&writer, "| %d | `%s` | %s | %s |\n", i, codes[i].name, codes[i].sentence,
                 codes[i].retry ? "yes" : "no");
    return writer.length;
}
