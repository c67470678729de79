/* errors.c: the codes by which calls fail, each with its name and general meaning in one table, and the one
 * function that fills an lr_error. Every failure in the library passes through lr_fail. */
#include "game.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Index: minus the code. */
static const struct {
    const char *name, *sentence;
} codes[] = {
    {"LR_OK", "success"},
    {"LR_E_ARGUMENT", "an argument is out of its range"},
    {"LR_E_MEMORY", "the system has no memory left"},
    {"LR_E_IO", "a file cannot be read or written"},
    {"LR_E_NOT_FOUND", "nothing has that name"},
    {"LR_E_SCENARIO", "a scenario file breaks the format or its meaning"},
    {"LR_E_STATE", "that cannot be a state of this game"},
    {"LR_E_ILLEGAL", "the action is not legal in this state"},
    {"LR_E_TEXT", "the text names no legal action of this state"},
    {"LR_E_REPLAY", "the replay is truncated, altered or of another game"},
    {"LR_E_OVER", "the game is over: nobody moves"},
};

enum { CODES = sizeof codes / sizeof codes[0] };
_Static_assert(CODES == 1 - LR_E_OVER, "every code has its line in the table");

static bool known(int code) { return code <= 0 && code > -(int)CODES; }

const char *lr_code_name(int code) { return known(code) ? codes[-code].name : "unknown code"; }
const char *lr_code_sentence(int code) { return known(code) ? codes[-code].sentence : "unknown code"; }

int lr_fail(lr_error *error, int code, const char *format, ...) {
    if (!error) return code;
    /* A sentence may quote the one that `error` holds already: so it is written aside first. */
    char text[sizeof error->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    /* Names and file contents stand in these sentences: whatever they hold, the text stays one line. */
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127) *c = ' ';
    error->code = code;
    memcpy(error->text, text, sizeof text);
    return code;
}
