/* program.h: lines of text to and from a program: one that we start, or one that listens on a TCP port.
 *
 * Nothing that the program does makes a call wait beyond its deadline, costs more memory than the lines that were said
 * to it, or outlives program_end. No signal handler, signal mask or other property of the whole process is touched, and
 * any number of threads may start programs at once: a program inherits no descriptor but its own three. In turn the process
 * must leave programs to be waited for here: it neither ignores SIGCHLD nor waits for any child that ends.
 *
 * The program is started by a thread of its own, its keeper, which waits until program_end. The kernel kills the program
 * when its keeper ends (PR_SET_PDEATHSIG counts threads, not processes), so it dies with this process even by kill -9,
 * and does not with a worker thread that happened to begin a game. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "agents/player.h"

enum { HEARD_MOST = 1024 }; /* bytes of a line from a program with its end and empty lines before it */

struct program;

/* How long a wait may last, and what ends it before. */
struct patience {
    int64_t deadline;       /* of clock_us; INT64_MAX: for ever */
    const atomic_int *stop; /* NULL: none */
};

/* Starts `command`: words with '...', "..." and \ as a shell has them, but nothing else of a shell; the first is looked
 * for in PATH. Errors (with a sentence that goes on after the program's name): NOT_FOUND, IO, ARGUMENT, MEMORY. */
int program_start(const char *command, struct program **program, lr_error *error);

/* Checks the words of a command without running it. Errors: ARGUMENT, MEMORY. */
int program_command_check(const char *command, lr_error *error);

/* Connects to "HOST:PORT" or "[ADDRESS]:PORT". Looking up a host's name may take as long as the system's resolver lets
 * it. Errors: NOT_FOUND, IO, ARGUMENT, MEMORY. */
int program_connect(const char *address, const struct patience *patience, struct program **program, lr_error *error);
int program_address_check(const char *address, lr_error *error);

/* Lines on the program's stderr go to `log` from now on (NULL: nobody), at most LOG_MOST bytes, each after `who`. */
void program_log(struct program *program, FILE *log, const char *who);

/* Puts bytes into the queue, which program_hear sends. False: no memory. */
bool program_say(struct program *program, const char *bytes, size_t length);

/* Sends what is queued and reads the next line that is not empty, without its end. Returns enum game_end: GAME_PLAYED,
 * GAME_CRASH, GAME_TIMEOUT, GAME_GARBAGE (a line too long, or with a NUL) or GAME_STOPPED, with a sentence that goes on
 * after the program's name. */
int program_hear(struct program *program, const struct patience *patience, char line[HEARD_MOST], lr_error *error);

/* Ends the program and all that it started, and frees. Politely: it is first sent what is queued and the end of its
 * input, and has GRACE_US to leave by itself. NULL is allowed. */
void program_end(struct program *program, bool politely);
enum { GRACE_US = 500 * 1000 };

/* Replaces what is not printable ASCII by '?', for sentences. */
void program_clean(char *text);

#endif
