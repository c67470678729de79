/* options.c: reading a command line with argp, so that every fault is a single line `longroll: sentence`.
 *
 * By itself argp follows a fault with a second line ("Try ..."), which goes to err_stream; without that stream only
 * getopt's own sentence remains, which begins with argv[0]. Hence the two settings below. */
#include "cli/cli.h"
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The options that every command has ---- */

enum { KEY_HELP = '?', KEY_USAGE = 0x1000, KEY_VERSION = 'V' };

static const struct argp_option common_table[] = {
    {"help", KEY_HELP, 0, 0, "Print this help", -1},
    {"usage", KEY_USAGE, 0, 0, "Print a short usage message", -1},
    {"version", KEY_VERSION, 0, 0, "Print the version", -1},
    {0},
};

/* argp's own help would call every command "longroll"; the name has to be set when it is printed. */
static error_t parse_common(int key, char *argument, struct argp_state *state) {
    (void)argument;
    const char *const *name = state->input;
    switch (key) {
    case KEY_HELP:
    case KEY_USAGE:
        /* argp never writes to it. NOLINTNEXTLINE(performance-no-int-to-ptr): the cast takes the const off */
        state->name = (char *)(uintptr_t)*name;
        argp_state_help(state, state->out_stream,
                        key == KEY_HELP ? ARGP_HELP_STD_HELP : ARGP_HELP_USAGE | ARGP_HELP_EXIT_OK);
        return 0;
    case KEY_VERSION: puts("longroll " LR_VERSION); exit(EXIT_DONE);
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* ---- Parsing ---- */

struct whole {
    void *input; /* the command's */
    const char *name;
};

static error_t parse_whole(int key, char *argument, struct argp_state *state) {
    (void)argument;
    struct whole *whole = state->input;
    if (key != ARGP_KEY_INIT) return ARGP_ERR_UNKNOWN;
    state->child_inputs[0] = whole->input;
    state->child_inputs[1] = &whole->name;
    state->err_stream = NULL;
    return 0;
}

bool options_parse(const char *name, const struct argp *argp, int argc, char **argv, void *input) {
    static const struct argp common = {.options = common_table, .parser = parse_common};
    static char program[] = "longroll";
    const struct argp_child children[] = {{argp, 0, NULL, 0}, {&common, 0, NULL, 0}, {0}};
    const struct argp all = {.parser = parse_whole, .children = children};
    struct whole whole = {input, name};
    argv[0] = program;
    return argp_parse(&all, argc, argv, ARGP_NO_HELP, NULL, &whole) == 0;
}

/* ---- Values ---- */

error_t options_fault(const char *format, ...) {
    va_list arguments;
    fputs("longroll: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return EINVAL;
}

error_t options_number(const char *what, const char *text, uint64_t low, uint64_t high, uint64_t *value) {
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    bool plain = text[0] >= '0' && text[0] <= '9'; /* strtoull would take blanks and a minus */
    char *end = NULL;
    errno = 0;
    unsigned long long read = plain ? strtoull(text, &end, hex ? 16 : 10) : 0;
    if (!plain || *end || errno || read < low || read > high)
        return options_fault("%s takes a whole number from %llu to %llu, not '%s'", what, (unsigned long long)low,
                             (unsigned long long)high, text);
    *value = read;
    return 0;
}

error_t options_int(const char *what, const char *text, int low, int high, int *value) {
    uint64_t read = 0;
    error_t fault = options_number(what, text, (uint64_t)low, (uint64_t)high, &read);
    if (!fault) *value = (int)read;
    return fault;
}

error_t options_seconds(const char *what, const char *text, double *value) {
    char *end;
    double read = strtod(text, &end);
    if (end == text || *end || !isfinite(read) || read < 0.01 || read > 86400)
        return options_fault("%s takes seconds from 0.01 to 86400, not '%s'", what, text);
    *value = read;
    return 0;
}
