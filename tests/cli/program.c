/* program.c: see program.h. */
#include "program.h"
#include "env/game.h"
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
// cmocka needs three of the above
#include <cmocka.h>

static char folder[] = "/tmp/longroll-test-XXXXXX";

void make_folder(void) {
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *at) {
    (void)about, (void)kind, (void)at;
    return remove(path);
}

void forget_folder(void) {
    assert_int_equal(chdir("/"), 0);
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void divert(int to, const char *name) {
    const int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file < 0 || dup2(file, to) < 0) _exit(99);
    close(file);
}

pid_t start_program(const char *const *arguments, long file_limit) {
    const char *whole[64] = {LONGROLL_PROGRAM};
    for (int i = 0; arguments[i]; i++) whole[i + 1] = arguments[i];
    const pid_t process = fork();
    assert_true(process >= 0);
    if (process) return process;
    divert(STDOUT_FILENO, "out");
    divert(STDERR_FILENO, "err");
    const struct rlimit limit = {(rlim_t)file_limit, (rlim_t)file_limit};
    if (file_limit && setrlimit(RLIMIT_FSIZE, &limit)) _exit(99);
    /* execv never writes to it. NOLINTNEXTLINE(performance-no-int-to-ptr): the cast takes the const off */
    execv(LONGROLL_PROGRAM, (char *const *)(uintptr_t)whole);
    _exit(99);
}

static void read_whole(const char *name, char text[OUTPUT_MOST]) {
    FILE *file = fopen(name, "r");
    assert_non_null(file);
    text[fread(text, 1, OUTPUT_MOST - 1, file)] = 0;
    fclose(file);
}

void await_program(pid_t process, struct finished *finished) {
    int status;
    while (waitpid(process, &status, 0) < 0) assert_int_equal(errno, EINTR);
    finished->code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    finished->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    assert_int_not_equal(finished->code, 99);
    read_whole("out", finished->out);
    read_whole("err", finished->err);
}

void run_program(const char *const *arguments, long file_limit, struct finished *finished) {
    await_program(start_program(arguments, file_limit), finished);
}

void pause_ms(int ms) {
    const struct timespec pause = {ms / 1000, ms % 1000 * 1000000L};
    nanosleep(&pause, NULL);
}

int64_t count_games(const char *ledger) {
    struct ledger *open;
    struct ledger_game game;
    int64_t count = 0;
    int code;
    if (ledger_open(ledger, &open, NULL)) return -1;
    while ((code = ledger_next(open, &game, NULL)) == 1) count++;
    ledger_close(open);
    return code ? -1 : count;
}

static struct ledger *must_open(const char *path) {
    struct ledger *ledger;
    lr_error error;
    if (ledger_open(path, &ledger, &error)) fail_msg("%s", error.text);
    return ledger;
}

static void assert_same_game(const struct ledger_game *a, const struct ledger_game *b) {
    assert_int_equal(a->id, b->id);
    assert_int_equal(a->scenario, b->scenario);
    assert_memory_equal(a->bots, b->bots, sizeof a->bots);
    assert_true(a->seed == b->seed);
    struct game_result r = a->result, s = b->result;
    memset(r.thought_us, 0, sizeof r.thought_us);
    memset(s.thought_us, 0, sizeof s.thought_us);
    assert_int_equal(r.end, s.end);
    assert_int_equal(r.at_fault, s.at_fault);
    assert_int_equal(r.winner, s.winner);
    assert_int_equal(r.score, s.score);
    assert_int_equal(r.decisions, s.decisions);
    assert_int_equal(r.dice, s.dice);
    assert_int_equal(r.length, s.length);
    assert_true(r.legal == s.legal && r.hash == s.hash);
    assert_string_equal(r.reason, s.reason);
}

static void assert_same_replay(struct ledger *a, struct ledger *b, int64_t id) {
    char *text[2];
    lr_error error;
    if (ledger_replay(a, id, &text[0], &error) || ledger_replay(b, id, &text[1], &error)) fail_msg("%s", error.text);
    assert_string_equal(text[0], text[1]);
    free(text[0]);
    free(text[1]);
}

/* A game's hash covers its actions, so a few replays are enough. */
enum { REPLAY_EVERY = 25 };

int64_t assert_games_among(const char *ledger, const char *like, bool replays) {
    struct ledger *a = must_open(ledger), *b = must_open(like);
    struct ledger_game game, other;
    lr_error error;
    int64_t count = 0, last = -1;
    int code;
    while ((code = ledger_next(a, &game, &error)) == 1) {
        assert_true(game.id > last);
        do assert_int_equal(ledger_next(b, &other, &error), 1);
        while (other.id < game.id);
        assert_same_game(&game, &other);
        if (replays && game.id % REPLAY_EVERY == 0) assert_same_replay(a, b, game.id);
        last = game.id;
        count++;
    }
    if (code) fail_msg("%s", error.text);
    ledger_close(a);
    ledger_close(b);
    return count;
}

void assert_same_games(const char *ledger, const char *like) {
    struct ledger *open = must_open(ledger);
    const int64_t games = schedule_games(ledger_plan(open));
    ledger_close(open);
    assert_int_equal(count_games(like), games);
    assert_int_equal(assert_games_among(ledger, like, true), games);
}
