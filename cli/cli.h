/* cli.h: what the files of the program `longroll` share: the table of commands, options, sentences on stderr, and
 * texts. One command a file; main.c finds it and runs it. Exit codes: 0 done, 1 it could not be done, 2 it was asked
 * for wrongly (bad option, unknown scenario or agent). */
#ifndef CLI_H
#define CLI_H

#include "agents/agent.h"
#include "env/longroll.h"
#include <argp.h>
#include <jansson.h>
#include <stdatomic.h>

enum exit_code { EXIT_DONE = 0, EXIT_FAULT = 1, EXIT_USAGE = 2 };

struct command {
    const char *name, *purpose;
    int (*run)(int argc, char **argv); /* argv[0] is the command's own name; returns an enum exit_code */
};

int list_run(int argc, char **argv);
int play_run(int argc, char **argv);
int selfplay_command_run(int argc, char **argv);
int tournament_command_run(int argc, char **argv);
int replay_run(int argc, char **argv);
int show_run(int argc, char **argv);
int legal_run(int argc, char **argv);
int apply_run(int argc, char **argv);
int check_run(int argc, char **argv);
int perft_command_run(int argc, char **argv);
int balance_run(int argc, char **argv);
int solve_run(int argc, char **argv);
int bench_run(int argc, char **argv);
int report_run(int argc, char **argv);
int rate_run(int argc, char **argv);
int ladder_run(int argc, char **argv);
int serve_run(int argc, char **argv);

/* ---- options.c: reading a command line with argp, every fault a single line ---- */

/* Parses; false if something was wrong, which has been said on stderr. --help, --usage and --version, which every
 * command gets, exit. `name`: for the help ("longroll play"). */
bool options_parse(const char *name, const struct argp *argp, int argc, char **argv, void *input);

/* Reads a whole number, decimal or 0x..., within bounds. On a fault says what is wrong and returns EINVAL, as a parser
 * does. `what`: the option's name for people ("--games"). */
error_t options_number(const char *what, const char *text, uint64_t low, uint64_t high, uint64_t *value);
error_t options_int(const char *what, const char *text, int low, int high, int *value);
error_t options_seconds(const char *what, const char *text, double *value);

/* Says `longroll: sentence` and returns EINVAL, for a parser. */
error_t options_fault(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- sentences.c: what is said on stderr and by the exit code ---- */

/* Says `longroll: sentence` on stderr and returns `code`. */
int fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same with the library's sentence, for a call that failed: EXIT_FAULT. */
int fail_library(const lr_error *error);

/* The same for something named on the command line: EXIT_USAGE if it was not found. */
int fail_not_found(const lr_error *error);

/* The same for what was named on the command line: EXIT_USAGE if there is no such scenario or file. */
int fail_name(const char *name, const lr_error *error);

/* Makes exit() check that all of stdout was written: a full disk is reported, with EXIT_FAULT. */
void watch_stdout(void);

/* ---- agents.c: the agents that are named on a command line ---- */

/* Opens both, or says what is wrong with a name: EXIT_USAGE; EXIT_FAULT without memory. */
int open_agents(const char *const names[2], lr_chooser *agents[2]);
void close_agents(lr_chooser *const agents[2]);

/* ---- texts.c: texts and JSON made from library objects; all are the caller's to free ---- */

char *text_of_map(const lr_game *game, const lr_state *state);   /* in colour if stdout is a terminal */
char *text_of_state(const lr_game *game, const lr_state *state); /* a state file */
char *text_of_replay(const lr_replay *replay);

/* "union", "confederate", "chance", "nobody" and, for a winner, "draw". */
const char *mover_name(int mover);
const char *winner_name(int winner);

/* The winner by lr_returns, LR_NOBODY for a draw or a game that is not over. */
int winner_of(const lr_game *game, const lr_state *state);

json_t *json_hash(uint64_t hash); /* 16 hex digits: JSON has no 64-bit numbers */
int json_print(json_t *json);     /* prints, frees; EXIT_DONE, or EXIT_FAULT if there was no memory to make it */

/* ---- show.c ---- */

/* Prints the game move by move: after each phase, that is whenever lr_heading changes, its actions and the map. */
int show_replay(const lr_game *game, const lr_replay *replay);

/* ---- progress.c: a line on stderr about long work ---- */

struct progress {
    int total;
    double started, last;
    bool terminal, quiet, shown;
};

double seconds_now(void); /* of a clock that only goes forward */
void progress_start(struct progress *progress, int total, bool quiet);
void progress_show(struct progress *progress, int done);
void progress_end(struct progress *progress, int done);

/* ---- interrupts.c: being asked to stop ---- */

/* From now on SIGINT and SIGTERM are counted, the first `most` of them; one more ends the program. Returns the count, which
 * lives as long as the program. Signals within 0.3 s of the last one counted are the same one. Asked again, it goes on counting, up to the new `most`. */
const atomic_int *interrupts_listen(int most);

/* ---- bench.c, servebench.c and tournamentbench.c ---- */

/* A legal action at random; *legal grows by their number. */
int draw_action(const uint8_t *mask, int bytes, uint64_t *stream, uint64_t *legal);

/* `longroll bench serve`. Returns an exit code. */
int bench_serve(const lr_game *game, int threads, double seconds, uint64_t seed, bool json);

/* `longroll bench tournament`. Returns an exit code. */
int bench_tournament(const lr_game *game, double seconds, uint64_t seed, bool json);

/* ---- statistics.c ---- */

/* Mean, spread and range of a stream of numbers. */
struct sample {
    int count;
    double sum, squares, least, greatest;
};

void sample_add(struct sample *sample, double value);
double sample_mean(const struct sample *sample);
double sample_deviation(const struct sample *sample);
double median(double *values, int count); /* sorts the values */

/* The 95 % Wilson interval of a share: hits out of count. */
void wilson(int hits, int count, double *low, double *high);

#endif
