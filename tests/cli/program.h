/* program.h: runs the program longroll as a user's shell would, for tests. All faults of the running itself end the
 * test. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "agents/ledger.h"
#include <stdbool.h>
#include <sys/types.h>

enum { OUTPUT_MOST = 256 * 1024 };

struct finished {
    int code;   /* exit code; -1: ended by a signal */
    int signal; /* that one */
    char out[OUTPUT_MOST], err[OUTPUT_MOST];
};

/* A folder of the test's own, empty, in which it runs from now on; left and emptied by forget_folder. */
void make_folder(void);
void forget_folder(void);

/* Starts it with arguments up to a NULL; stdout and stderr go to the files `out` and `err` there. `file_limit` (0:
 * none): no file may grow beyond so many bytes. */
pid_t start_program(const char *const *arguments, long file_limit);
void await_program(pid_t process, struct finished *finished);
void run_program(const char *const *arguments, long file_limit, struct finished *finished);

void pause_ms(int ms);

/* ---- Ledgers ---- */

/* Games in it; -1 if it cannot be opened or read to its end. */
int64_t count_games(const char *ledger);

/* Fails unless `ledger` holds exactly the games of its plan, each as in `like`, replays included. Clocks may differ. */
void assert_same_games(const char *ledger, const char *like);

/* Fails unless each game of `ledger` is as in `like`; returns how many there are. */
int64_t assert_games_among(const char *ledger, const char *like, bool replays);

#endif
