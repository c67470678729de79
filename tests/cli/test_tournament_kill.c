/* test_tournament_kill.c: a tournament whose runner is killed again and again plays the same games as one that is left
 * in peace: none lost, none twice, all alike, replays included.
 *
 *     cli_test_tournament_kill [KILLS ROUNDS SCENARIO]
 *
 * By itself 15 kills in 600 games on cedar-mountain/gate; the long form is 200 5000 cedar-mountain/duel, and the same
 * on gate.
 *
 * The moments are random. How long a run may live is steered so that the kills spread over the whole tournament; they
 * fall into its start, the making of the ledger, the proving of rows, play, commits and the end alike. */
#include "program.h"
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
// cmocka needs three of the above
#include <cmocka.h>

static int kills = 15, rounds = 300;
static const char *scenario = "cedar-mountain/gate";

static pid_t start_on(const char *ledger) {
    char number[16];
    snprintf(number, sizeof number, "%d", rounds);
    const char *const arguments[] = {"tournament", "--bots", "greedy,random", "--scenario", scenario,
                                     "--rounds",   number,   "--out",         ledger,       "--resume",
                                     "--workers",  "2",      "--quiet",       NULL};
    return start_program(arguments, 0);
}

/* Returns how long it took, in ms. */
static double play_to_the_end(const char *ledger) {
    static struct finished finished;
    struct timespec began, ended;
    clock_gettime(CLOCK_MONOTONIC, &began);
    await_program(start_on(ledger), &finished);
    if (finished.code) fail_msg("exit code %d, signal %d: %s", finished.code, finished.signal, finished.err);
    clock_gettime(CLOCK_MONOTONIC, &ended);
    return 1e3 * (double)(ended.tv_sec - began.tv_sec) + 1e-6 * (double)(ended.tv_nsec - began.tv_nsec);
}

/* Lets it live for a random time of `life_ms` on average. Returns how many games are in its ledger then. */
static int64_t play_and_kill(double life_ms, uint64_t throw) {
    static struct finished finished;
    const pid_t process = start_on("torn.db");
    pause_ms((int)(lr_random(77, throw, 1001) * 2 * life_ms / 1000));
    kill(process, SIGKILL);
    await_program(process, &finished);
    if (finished.signal != SIGKILL && finished.code) fail_msg("exit code %d: %s", finished.code, finished.err);
    return access("torn.db", F_OK) ? 0 : count_games("torn.db"); /* it may be killed before there is a ledger */
}

static void kills_cost_no_game_and_double_none(void **state) {
    (void)state;
    const int64_t all = INT64_C(2) * rounds;
    const double whole = play_to_the_end("whole.db"), idle = play_to_the_end("whole.db");
    double life_ms = idle + 2 * (whole > idle ? whole - idle : 0) / kills;
    int midway = 0, thrown = 0, tournaments = 0;
    int64_t before = 0;
    while (midway < kills && thrown < 20 * kills) {
        const int64_t games = play_and_kill(life_ms, (uint64_t)thrown++);
        if (games < before) fail_msg("%lld games were left of %lld", (long long)games, (long long)before);
        midway += games > 0 && games < all;
        life_ms *= games - before <= all / kills ? 1.15 : 0.85;
        before = games;
        if (games < all) continue;
        assert_same_games("torn.db", "whole.db");
        assert_int_equal(unlink("torn.db"), 0);
        tournaments++;
        before = 0;
    }
    print_message("%d kills, %d of them midway, in %d tournaments\n", thrown, midway, tournaments + 1);
    assert_int_equal(midway, kills); /* otherwise little was tested */
    play_to_the_end("torn.db");
    assert_int_equal(count_games("torn.db"), all);
    assert_same_games("torn.db", "whole.db");
}

int main(int argc, char **argv) {
    if (argc == 4) kills = atoi(argv[1]), rounds = atoi(argv[2]), scenario = argv[3];
    make_folder();
    const struct CMUnitTest tests[] = {cmocka_unit_test(kills_cost_no_game_and_double_none)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    forget_folder();
    return failed;
}
