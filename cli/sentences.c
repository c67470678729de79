/* sentences.c: what is said when something cannot be done: one line on stderr, and the exit code. */
#include "cli/cli.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int fail(int code, const char *format, ...) {
    va_list arguments;
    fflush(stdout); /* what was printed before comes before */
    fputs("longroll: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return code;
}

int fail_library(const lr_error *error) { return fail(EXIT_FAULT, "%s", error->text); }

int fail_not_found(const lr_error *error) {
    return fail(error->code == LR_E_NOT_FOUND ? EXIT_USAGE : EXIT_FAULT, "%s", error->text);
}

static bool ends_in_yaml(const char *name) {
    size_t length = strlen(name);
    return length > 5 && strcmp(name + length - 5, ".yaml") == 0;
}

/* A file that is there but names something unknown is faulty; a name of nothing is a usage error. */
int fail_name(const char *name, const lr_error *error) {
    if (error->code != LR_E_NOT_FOUND) return fail_library(error);
    if (access(name, R_OK)) return fail(EXIT_USAGE, "%s", error->text);
    if (ends_in_yaml(name)) return fail_library(error);
    return fail(EXIT_FAULT, "%s: the names of scenario and state files end in .yaml", name);
}

/* Runs at exit, so that no command need check each print. A reader who went away (EPIPE) needs no sentence. */
static void close_stdout(void) {
    bool failed = ferror(stdout) != 0;
    errno = 0;
    if (fclose(stdout) == 0 && !failed) return;
    if (errno == EPIPE) _exit(EXIT_FAULT);
    fprintf(stderr, "longroll: cannot write to standard output: %s\n",
            errno ? strerror(errno) : "an earlier write failed");
    _exit(EXIT_FAULT);
}

void watch_stdout(void) { atexit(close_stdout); }
