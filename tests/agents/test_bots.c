/* test_bots.c: whatever a program at the table does, the game ends in time with the right result, the other player is
 * unharmed, and nothing is left behind.
 *
 * The programs are tests/agents/bots/chaos.sh with one fault each, over pipes and over TCP, and the reference bots.
 * The long form is the same program with an argument: `agents_test_bots GAMES` plays so many games between bots that are
 * killed in one of a hundred decisions (without it: 30 games, one of twenty) and floods of 100 MiB (4 without it). */
#include "agents/agent.h"
#include "agents/player.h"
#include "race.h"
#include <arpa/inet.h>
#include <ctype.h>
#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
// cmocka needs setjmp.h, stdarg.h, stdlib.h
#include <cmocka.h>

#define CHAOS LONGROLL_SOURCE "/tests/agents/bots/chaos.sh"
#define RANDOM_BOT "exec:python3 '" LONGROLL_SOURCE "/agents/bots/random_bot.py'"
#define GREEDY_BOT LONGROLL_BOTS "/greedy_bot"

/* Tests of a clock wait for SHORT_US; all others have time, so that a busy machine does not fail them. */
enum { SHORT_US = 500 * 1000, LONG_US = 10 * 1000 * 1000 };

static int games = 30, decisions_a_death = 20;
static int flood_mebibytes = 4;
static char sleep_mark[32]; /* how long what chaos.sh leaves behind sleeps: an own number for each run of this test */

static const struct clock_rules short_clock = {.move_us = SHORT_US}, long_clock = {.move_us = LONG_US};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void nap(double seconds) {
    nanosleep(
        &(struct timespec){.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)},
        NULL);
}

static struct player *opened(const char *spec) {
    struct player *player;
    lr_error error;
    if (player_open(spec, &player, &error)) fail_msg("%s", error.text);
    return player;
}

static struct player *chaos_with(const char *fault, double number) {
    char spec[SPEC_MOST];
    snprintf(spec, sizeof spec, "exec:'%s' %s %g", CHAOS, fault, number);
    return opened(spec);
}

static struct player *chaos(const char *fault) { return chaos_with(fault, flood_mebibytes); }

static void play(const struct game_terms *terms, struct game_result *result) {
    lr_error error;
    if (table_play(terms, result, &error)) fail_msg("%s", error.text);
}

/* ---- What is left behind ---- */

static int descriptors(void) {
    DIR *folder = opendir("/proc/self/fd");
    int count = 0;
    while (readdir(folder)) count++;
    closedir(folder);
    return count - 3; /* . and .. and the folder's own */
}

static size_t read_of(const char *id, const char *name, char *text, size_t size) {
    char path[300];
    snprintf(path, sizeof path, "/proc/%s/%s", id, name);
    FILE *file = fopen(path, "re");
    size_t length = file ? fread(text, 1, size - 1, file) : 0;
    if (file) fclose(file);
    text[length] = 0;
    return length;
}

/* Whether the process is a child of this one, dead or alive, or sleeps for chaos.sh. */
static bool is_ours(const char *id) {
    char text[4096];
    read_of(id, "stat", text, sizeof text);
    const char *name_end = strrchr(text, ')');
    int parent = 0;
    if (name_end) sscanf(name_end + 2, "%*c %d", &parent);
    if (parent == getpid()) return true;
    const size_t length = read_of(id, "cmdline", text, sizeof text);
    return memmem(text, length, sleep_mark, strlen(sleep_mark)) != NULL;
}

static int processes(void) {
    DIR *folder = opendir("/proc");
    int count = 0;
    for (const struct dirent *entry; (entry = readdir(folder));)
        if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9' && is_ours(entry->d_name)) count++;
    closedir(folder);
    return count;
}

/* A killed process that init has to reap may be seen for a moment. */
static void assert_nothing_left(int descriptors_before) {
    for (int i = 0; i < 100 && processes() > 0; i++) nap(0.01);
    assert_int_equal(processes(), 0);
    assert_int_equal(descriptors(), descriptors_before);
}

static void what_is_left_behind_would_be_seen(void **state) {
    (void)state;
    char *const words[] = {"sleep", sleep_mark, NULL};
    pid_t child;
    assert_int_equal(posix_spawnp(&child, "sleep", NULL, NULL, words, environ), 0);
    assert_int_equal(processes(), 1);
    kill(child, SIGKILL);
    nap(0.05);
    assert_int_equal(processes(), 1); /* a zombie */
    waitpid(child, NULL, 0);
    assert_int_equal(processes(), 0);
}

/* ---- Faults ---- */

struct expectation {
    const char *fault;
    int end;
    const char *says; /* somewhere in the reason */
};

static const struct expectation faults[] = {
    {"exit", GAME_CRASH, "ended with exit status 3; it last said: out of ammunition"},
    {"die", GAME_CRASH, "killed by signal 9"},
    {"abandon", GAME_CRASH, "ended with exit status 0"},
    {"scrub", GAME_CRASH, "ended with exit status 0"},
    {"escape", GAME_CRASH, "ended with exit status 0"},
    {"partial-end", GAME_CRASH, "ended with exit status 0"},
    {"close-stdin", GAME_CRASH, "closed its input"},
    {"close-stdin-late", GAME_CRASH, "closed its input"},
    {"close-stdout", GAME_CRASH, "closed its output"},
    {"hang", GAME_TIMEOUT, "out of time"},
    {"freeze", GAME_TIMEOUT, "out of time"},
    {"spin", GAME_TIMEOUT, "out of time"},
    {"deaf", GAME_TIMEOUT, "out of time"},
    {"late", GAME_TIMEOUT, "out of time"},
    {"partial", GAME_TIMEOUT, "out of time"},
    {"flood", GAME_GARBAGE, "without ending a line"},
    {"flood-lines", GAME_GARBAGE, "with nothing"},
    {"flood-blank", GAME_GARBAGE, "without ending a line"},
    {"garbage", GAME_GARBAGE, "?? what?"},
    {"nul", GAME_GARBAGE, "NUL"},
    {"nothing", GAME_GARBAGE, "with nothing"},
    {"refuse", GAME_GARBAGE, "I would rather not"},
    {"foreign", GAME_ILLEGAL, "'1000'"},
    {"huge", GAME_ILLEGAL, "'99999999999999999999999'"},
    {"negative", GAME_ILLEGAL, "'-1'"},
    {"word", GAME_ILLEGAL, "'charge'"},
    {"greeting-exit", GAME_NO_START, "ended with exit status 0"},
    {"greeting-version", GAME_NO_START, "99"},
    {"greeting-flood", GAME_NO_START, "'y'"},
    {"greeting-refuse", GAME_NO_START, "not this one"},
};

/* Two games, so that it is also seen that a new program is started for the second; the other bot is the same in both. One
 * where the time has to run out. */
static void assert_loses(const lr_game *game, const struct expectation *expected, int side) {
    const int before = descriptors();
    struct game_terms terms = {.game = game, .clock = long_clock, .seed = 3};
    char other[80] = "";
    if (expected->end == GAME_TIMEOUT) terms.clock = short_clock;
    terms.players[side] = chaos(expected->fault);
    terms.players[!side] = chaos("none");
    for (; terms.episode < (expected->end == GAME_TIMEOUT ? 1U : 2U); terms.episode++) {
        struct game_result result;
        double began = now();
        play(&terms, &result);
        double took = now() - began;
        if (result.end != expected->end || !strstr(result.reason, expected->says))
            fail_msg("%s gave %s: %s", expected->fault, game_end_name(result.end), result.reason);
        assert_int_equal(result.at_fault, side);
        assert_int_equal(result.winner, !side);
        if (took > 1.0 + SHORT_US / 1e6) fail_msg("%s took %.1f s", expected->fault, took);
        assert_in_range(result.thought_us[!side], 0, SHORT_US);
        if (side == LR_UNION && expected->end == GAME_NO_START) continue; /* the other was not begun */
        if (terms.episode == 0) snprintf(other, sizeof other, "%s", player_name(terms.players[!side]));
        assert_string_equal(player_name(terms.players[!side]), other);
    }
    player_close(terms.players[0]);
    player_close(terms.players[1]);
    assert_nothing_left(before);
}

static void a_fault_is_that_bots_loss_in_time_and_leaves_nothing(void **state) {
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) assert_loses(*state, &faults[i], (int)(i % 2));
}

static void assert_plays(const lr_game *game, const char *spec_or_fault) {
    const int before = descriptors();
    struct game_terms terms = {.game = game, .clock = long_clock, .seed = 3};
    struct game_result result;
    terms.players[0] = strchr(spec_or_fault, ':') ? opened(spec_or_fault) : chaos(spec_or_fault);
    terms.players[1] = opened("greedy");
    for (; terms.episode < 3; terms.episode++) {
        play(&terms, &result);
        if (result.end != GAME_PLAYED) fail_msg("%s: %s", spec_or_fault, result.reason);
    }
    player_close(terms.players[0]);
    player_close(terms.players[1]);
    assert_nothing_left(before);
}

static void what_is_odd_but_no_fault_is_played(void **state) {
    const char *const odd[] = {"none",        "nameless", "crlf", "children",
                               "descriptors", "one-game", "stay", "flood-errors"};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) assert_plays(*state, odd[i]);
}

static void a_program_that_cannot_be_started_has_not_started(void **state) {
    static const struct expectation missing[] = {
        {"exec:./no-such-bot", GAME_NO_START, "No such file"},
        {"exec:no-such-bot-in-the-path", GAME_NO_START, "No such file"},
        {"exec:" LONGROLL_SOURCE "/README.md", GAME_NO_START, "Permission denied"},
        {"exec:/", GAME_NO_START, "Permission denied"},
        {"exec:true", GAME_NO_START, "ended with exit status 0"},
        {"tcp:127.0.0.1:1", GAME_NO_START, "cannot be reached: Connection refused"},
    };
    const int before = descriptors();
    for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++) {
        struct game_terms terms = {.game = *state, .clock = long_clock};
        struct game_result result;
        terms.players[0] = opened("random");
        terms.players[1] = opened(missing[i].fault);
        play(&terms, &result);
        if (result.end != missing[i].end || !strstr(result.reason, missing[i].says))
            fail_msg("%s gave %s: %s", missing[i].fault, game_end_name(result.end), result.reason);
        assert_int_equal(result.winner, LR_UNION);
        player_close(terms.players[0]);
        player_close(terms.players[1]);
    }
    assert_nothing_left(before);
}

static void a_silent_program_has_not_started_when_its_time_is_over(void **state) {
    struct game_terms terms = {.game = *state, .clock = {.start_us = 200 * 1000}};
    struct game_result result;
    terms.players[0] = chaos("greeting-silent");
    terms.players[1] = opened("random");
    double began = now();
    play(&terms, &result);
    assert_int_equal(result.end, GAME_NO_START);
    assert_true(now() - began < 1.2);
    player_close(terms.players[0]);
    player_close(terms.players[1]);
}

static void a_bad_command_or_address_is_refused(void **state) {
    (void)state;
    const char *const bad[] = {"exec:",       "exec:'bot",     "exec:\"bot",    "tcp:",           "tcp:4000",
                               "tcp::4000",   "tcp:host:",     "tcp:host:0",    "tcp:host:65536", "tcp:host:four",
                               "tcp:host:-1", "tcp:host: 400", "tcp:host:4000x"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct player *player;
        lr_error error;
        if (player_open(bad[i], &player, &error) != LR_E_ARGUMENT) fail_msg("%s was not refused", bad[i]);
    }
}

static void words_of_a_command_may_be_quoted(void **state) {
    /* The program gets: sh, -c, and a script that compares its own words. */
    assert_plays(*state, "exec:sh -c 'test \"$1\" = \"a  b\" && test \"$2\" = c\\\"d && test \"$3\" = \"\" && "
                         "exec \"$4\" none' sh \"a  b\" c\\\"d '' '" CHAOS "'");
}

/* ---- Clocks ---- */

static void assert_end_with_clock(const lr_game *game, struct clock_rules rules, int end) {
    struct game_terms terms = {.game = game, .clock = rules, .seed = 3};
    struct game_result result;
    terms.players[0] = chaos_with("slow", 0.1);
    terms.players[1] = opened("greedy");
    play(&terms, &result);
    if (result.end != end) fail_msg("%s: %s", game_end_name(result.end), result.reason);
    assert_true(result.thought_us[1] < 100 * 1000);
    player_close(terms.players[0]);
    player_close(terms.players[1]);
}

static void a_game_clock_runs_down_over_all_decisions(void **state) {
    assert_end_with_clock(*state, (struct clock_rules){.game_us = 350 * 1000}, GAME_TIMEOUT);
    assert_end_with_clock(*state, (struct clock_rules){.game_us = 5000 * 1000}, GAME_PLAYED);
}

static void an_increment_is_added_after_each_decision(void **state) {
    assert_end_with_clock(*state, (struct clock_rules){.game_us = 350 * 1000, .increment_us = 300 * 1000}, GAME_PLAYED);
}

static void a_margin_is_forgiven(void **state) {
    assert_end_with_clock(*state, (struct clock_rules){.move_us = 50 * 1000}, GAME_TIMEOUT);
    assert_end_with_clock(*state, (struct clock_rules){.move_us = 50 * 1000, .margin_us = 1000 * 1000}, GAME_PLAYED);
}

static void *stop_soon(void *stop) {
    nap(0.1);
    atomic_store((atomic_int *)stop, 1);
    return NULL;
}

static void a_stop_ends_a_wait_without_limits(void **state) {
    const int before = descriptors();
    atomic_int stop = 0;
    struct game_terms terms = {.game = *state, .stop = &stop};
    struct game_result result;
    pthread_t thread;
    terms.players[0] = chaos("hang");
    terms.players[1] = opened("random");
    pthread_create(&thread, NULL, stop_soon, &stop);
    double began = now();
    play(&terms, &result);
    assert_true(now() - began < 1);
    pthread_join(thread, NULL);
    assert_int_equal(result.end, GAME_STOPPED);
    assert_int_equal(result.winner, LR_NOBODY);
    player_close(terms.players[0]);
    player_close(terms.players[1]);
    assert_nothing_left(before);
}

/* ---- stderr ---- */

static void stderr_is_passed_on_by_lines_and_bounded(void **state) {
    char *text;
    size_t size;
    struct game_terms terms = {.game = *state, .clock = long_clock};
    struct game_result result;
    terms.log = open_memstream(&text, &size);
    terms.players[0] = chaos("flood-errors");
    terms.players[1] = opened("greedy");
    play(&terms, &result);
    player_close(terms.players[0]);
    player_close(terms.players[1]);
    fclose(terms.log);
    assert_int_equal(result.end, GAME_PLAYED);
    assert_memory_equal(text, "exec:", 5);
    assert_non_null(strstr(text, ": it rains\n"));
    assert_non_null(strstr(text, "the rest of this game is left out"));
    size_t lines = 0;
    for (const char *at = text; (at = strstr(at, "it rains\n")); at++) lines++;
    assert_in_range(lines, LOG_MOST / 8 - 1, LOG_MOST / 8 + 1);
    free(text);
}

/* ---- Many at once ---- */

struct worker {
    pthread_t thread;
    const lr_game *game;
    int ends[GAME_STOPPED + 1];
};

/* Opens players of its own, as a tournament's worker does. */
static void *play_many(void *argument) {
    struct worker *worker = argument;
    for (int round = 0; round < 3; round++) {
        struct game_terms terms = {.game = worker->game, .clock = long_clock};
        struct game_result result;
        if (player_open("exec:'" CHAOS "' descriptors", &terms.players[0], NULL) ||
            player_open("exec:'" CHAOS "' descriptors", &terms.players[1], NULL) || table_play(&terms, &result, NULL))
            result.end = GAME_STOPPED;
        worker->ends[result.end]++;
        player_close(terms.players[0]);
        player_close(terms.players[1]);
    }
    return NULL;
}

static void players_of_many_threads_inherit_nothing_of_each_other(void **state) {
    enum { WORKERS = 6 };
    struct worker workers[WORKERS];
    const int before = descriptors();
    for (int i = 0; i < WORKERS; i++) {
        workers[i] = (struct worker){.game = *state};
        pthread_create(&workers[i].thread, NULL, play_many, &workers[i]);
    }
    for (int i = 0; i < WORKERS; i++) {
        pthread_join(workers[i].thread, NULL);
        assert_int_equal(workers[i].ends[GAME_PLAYED], 3);
    }
    assert_nothing_left(before);
}

struct hand_over {
    struct game_terms terms;
    struct game_result result;
};

static void *play_one(void *argument) {
    struct hand_over *hand_over = argument;
    if (table_play(&hand_over->terms, &hand_over->result, NULL)) hand_over->result.end = GAME_STOPPED;
    return NULL;
}

static void a_program_outlives_the_thread_that_began_its_game(void **state) {
    struct hand_over hand_over = {.terms = {.game = *state, .clock = long_clock}};
    char name[80];
    pthread_t thread;
    hand_over.terms.players[0] = chaos("none");
    hand_over.terms.players[1] = opened("greedy");
    pthread_create(&thread, NULL, play_one, &hand_over);
    pthread_join(thread, NULL);
    assert_int_equal(hand_over.result.end, GAME_PLAYED);
    snprintf(name, sizeof name, "%s", player_name(hand_over.terms.players[0]));
    nap(0.05);
    play_one(&hand_over);
    assert_int_equal(hand_over.result.end, GAME_PLAYED);
    assert_string_equal(player_name(hand_over.terms.players[0]), name);
    player_close(hand_over.terms.players[0]);
    player_close(hand_over.terms.players[1]);
}

/* Those of ours whose command is not `word`. */
static int processes_but(const char *word) {
    DIR *folder = opendir("/proc");
    int count = 0;
    for (const struct dirent *entry; (entry = readdir(folder));) {
        char line[4096];
        if (!isdigit((unsigned char)entry->d_name[0]) || !is_ours(entry->d_name)) continue;
        read_of(entry->d_name, "cmdline", line, sizeof line);
        if (strcmp(line, word) != 0) count++;
    }
    closedir(folder);
    return count;
}

static void kill_ours(void) {
    DIR *folder = opendir("/proc");
    for (const struct dirent *entry; (entry = readdir(folder));)
        if (isdigit((unsigned char)entry->d_name[0]) && is_ours(entry->d_name)) kill(atoi(entry->d_name), SIGKILL);
    closedir(folder);
}

/* A process that plays against a bot that hangs is killed: the bot goes with it, though it ignores everything else. The
 * bot's own child, an orphan now, sleeps on. */
static void a_program_dies_with_its_runner(void **state) {
    (void)state;
    char spec[SPEC_MOST];
    snprintf(spec, sizeof spec, "exec:'%s' deaf %s", CHAOS, sleep_mark);
    char *const words[] = {
        LONGROLL_PROGRAM, "play", "cedar-mountain/duel", "--union", spec, "--confederate", spec, NULL};
    pid_t runner;
    assert_int_equal(posix_spawn(&runner, LONGROLL_PROGRAM, NULL, NULL, words, environ), 0);
    for (int i = 0; i < 500 && (processes() < 4 || processes_but("sleep") == processes()); i++) nap(0.01);
    assert_int_equal(processes_but("sleep"), 3); /* the runner and two bots */
    kill(runner, SIGKILL);
    waitpid(runner, NULL, 0);
    for (int i = 0; i < 100 && processes_but("sleep") > 0; i++) nap(0.01);
    assert_int_equal(processes_but("sleep"), 0);
    kill_ours();
}

static void bots_killed_at_random_moments_lose_and_nothing_else_happens(void **state) {
    const int before = descriptors();
    struct game_terms terms = {.game = *state, .clock = long_clock};
    int ends[GAME_STOPPED + 1] = {0};
    double longest = 0;
    terms.players[0] = chaos_with("mortal", decisions_a_death);
    terms.players[1] = chaos_with("mortal", decisions_a_death);
    for (int i = 0; i < games; i++) {
        struct game_result result;
        terms.seed = (uint64_t)i;
        double began = now();
        play(&terms, &result);
        if (now() - began > longest) longest = now() - began;
        ends[result.end]++;
        if (result.end == GAME_PLAYED) continue;
        assert_int_equal(result.winner, !result.at_fault);
        if (!strstr(result.reason, "killed by signal 9")) fail_msg("game %d: %s", i, result.reason);
    }
    assert_int_equal(ends[GAME_PLAYED] + ends[GAME_CRASH] + ends[GAME_NO_START], games);
    assert_true(ends[GAME_PLAYED] > 0 && ends[GAME_CRASH] > 0);
    assert_true(longest < 3);
    print_message("%d games: %d played, %d crashed, %d not started; the longest took %.2f s\n", games,
                  ends[GAME_PLAYED], ends[GAME_CRASH], ends[GAME_NO_START], longest);
    player_close(terms.players[0]);
    player_close(terms.players[1]);
    assert_nothing_left(before);
}

/* ---- TCP ---- */

/* Serves one fault of chaos.sh, a process for each connection, as inetd would. */
struct server {
    pthread_t thread;
    int listener;
    const char *fault;
    char spec[40];
};

static void *serve(void *argument) {
    const struct server *server = argument;
    int connection;
    while ((connection = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
        char *const words[] = {CHAOS, (char *)server->fault, NULL};
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, connection, 0);
        posix_spawn_file_actions_adddup2(&actions, connection, 1);
        pid_t child = 0;
        posix_spawn(&child, CHAOS, &actions, NULL, words, environ);
        posix_spawn_file_actions_destroy(&actions);
        close(connection);
        if (child > 0) waitpid(child, NULL, 0);
    }
    return NULL;
}

static void start_server(struct server *server, const char *fault) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    server->fault = fault;
    server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(server->listener, (const struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(server->listener, 4), 0);
    assert_int_equal(getsockname(server->listener, (struct sockaddr *)&address, &size), 0);
    snprintf(server->spec, sizeof server->spec, "tcp:127.0.0.1:%d", ntohs(address.sin_port));
    pthread_create(&server->thread, NULL, serve, server);
}

static void stop_server(struct server *server) {
    shutdown(server->listener, SHUT_RDWR);
    pthread_join(server->thread, NULL);
    close(server->listener);
}

static void a_connected_program_plays_and_fails_alike(void **state) {
    static const struct expectation expected[] = {
        {"none", GAME_PLAYED, ""},
        {"crlf", GAME_PLAYED, ""},
        {"one-game", GAME_PLAYED, ""},
        {"exit", GAME_CRASH, "closed the connection"},
        {"partial-end", GAME_CRASH, "closed the connection"},
        {"word", GAME_ILLEGAL, "'charge'"},
        {"refuse", GAME_GARBAGE, "I would rather not"},
        {"greeting-exit", GAME_NO_START, "closed the connection"},
        {"greeting-version", GAME_NO_START, "99"},
    };
    const int before = descriptors();
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        struct server server;
        struct game_terms terms = {.game = *state, .clock = long_clock};
        struct game_result result;
        start_server(&server, expected[i].fault);
        terms.players[0] = opened(server.spec);
        terms.players[1] = opened("greedy");
        for (; terms.episode < 2; terms.episode++) {
            play(&terms, &result);
            if (result.end != expected[i].end || (result.end && !strstr(result.reason, expected[i].says)))
                fail_msg("%s gave %s: %s", expected[i].fault, game_end_name(result.end), result.reason);
        }
        player_close(terms.players[0]);
        player_close(terms.players[1]);
        stop_server(&server);
    }
    assert_nothing_left(before);
}

/* ---- The reference bots ---- */

static void the_python_bot_plays_whole_games(void **state) {
    (void)state;
    lr_game *game;
    assert_int_equal(lr_game_open("cedar-mountain/duel", &game, NULL), LR_OK);
    assert_plays(game, RANDOM_BOT);
    lr_game_close(game);
}

static uint64_t hash_of_game(const lr_game *game, const char *spec) {
    struct game_terms terms = {.game = game, .clock = long_clock, .seed = 11};
    struct game_result result;
    for (int side = 0; side < 2; side++) terms.players[side] = opened(spec);
    play(&terms, &result);
    for (int side = 0; side < 2; side++) player_close(terms.players[side]);
    if (result.end != GAME_PLAYED) fail_msg("%s: %s", spec, result.reason);
    assert_true(result.decisions > 50);
    return result.hash;
}

/* It follows the game by what it is told, or takes each state: that it plays as greedy does shows that it was told right. */
static void the_c_bot_plays_as_greedy_does(void **state) {
    (void)state;
    lr_game *game;
    assert_int_equal(lr_game_open("cedar-mountain/gate", &game, NULL), LR_OK);
    uint64_t expected = hash_of_game(game, "greedy");
    assert_true(hash_of_game(game, "exec:" GREEDY_BOT) == expected);
    assert_true(hash_of_game(game, "exec:" GREEDY_BOT " --state") == expected);
    lr_game_close(game);
}

static int open_race(void **state) {
    lr_game *game;
    if (lr_game_make(&race_ruleset, "race", "", 0, ".", &game, NULL)) return -1;
    *state = game;
    return 0;
}

static int close_race(void **state) {
    lr_game_close(*state);
    return 0;
}

int main(int argc, char **argv) {
    if (argc > 1) {
        games = atoi(argv[1]);
        decisions_a_death = 100;
        flood_mebibytes = 100;
    }
    snprintf(sleep_mark, sizeof sleep_mark, "%d.25", 1000000 + (int)getpid());
    setenv("CHAOS_SLEEP", sleep_mark, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_left_behind_would_be_seen),
        cmocka_unit_test(a_fault_is_that_bots_loss_in_time_and_leaves_nothing),
        cmocka_unit_test(what_is_odd_but_no_fault_is_played),
        cmocka_unit_test(a_program_that_cannot_be_started_has_not_started),
        cmocka_unit_test(a_silent_program_has_not_started_when_its_time_is_over),
        cmocka_unit_test(a_bad_command_or_address_is_refused),
        cmocka_unit_test(words_of_a_command_may_be_quoted),
        cmocka_unit_test(a_game_clock_runs_down_over_all_decisions),
        cmocka_unit_test(an_increment_is_added_after_each_decision),
        cmocka_unit_test(a_margin_is_forgiven),
        cmocka_unit_test(a_stop_ends_a_wait_without_limits),
        cmocka_unit_test(stderr_is_passed_on_by_lines_and_bounded),
        cmocka_unit_test(players_of_many_threads_inherit_nothing_of_each_other),
        cmocka_unit_test(a_program_outlives_the_thread_that_began_its_game),
        cmocka_unit_test(a_program_dies_with_its_runner),
        cmocka_unit_test(bots_killed_at_random_moments_lose_and_nothing_else_happens),
        cmocka_unit_test(a_connected_program_plays_and_fails_alike),
        cmocka_unit_test(the_python_bot_plays_whole_games),
        cmocka_unit_test(the_c_bot_plays_as_greedy_does),
    };
    int failed = cmocka_run_group_tests(tests, open_race, close_race);
    kill_ours(); /* what a failed test left would hold our output open */
    return failed;
}
