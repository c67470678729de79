/* test_tournament.c: `longroll tournament` as a user meets it: workers, stops, second runners, full disks, bad
 * plans. */
#include "env/game.h"
#include "program.h"
#include <jansson.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
// cmocka needs three of the above
#include <cmocka.h>

#define DUEL "cedar-mountain/duel"
#define SLOW_BOT "exec:'" LONGROLL_SOURCE "/tests/agents/bots/chaos.sh' slow 0.2"
#define GATE "cedar-mountain/gate"

static struct finished finished;

static void write_text(const char *name, const char *text) {
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void expect_code(int code) {
    if (finished.code == code) return;
    fail_msg("exit code %d (signal %d), not %d: %s", finished.code, finished.signal, code, finished.err);
}

/* One line on stderr that names the fault. */
static void expect_fault(int code, const char *words) {
    expect_code(code);
    assert_true(strncmp(finished.err, "longroll: ", 10) == 0);
    assert_ptr_equal(strchr(finished.err, '\n'), finished.err + strlen(finished.err) - 1);
    if (!strstr(finished.err, words)) fail_msg("'%s' is not in: %s", words, finished.err);
}

/* ---- Results ---- */

static const char three_bots[] = "format: round-robin\n"
                                 "bots:\n"
                                 "  - spec: greedy\n"
                                 "  - spec: random\n"
                                 "  - {name: another, spec: random}\n"
                                 "scenarios: [" DUEL ", " GATE "]\n"
                                 "rounds: 8\n"
                                 "seed: 7\n";

/* The report without what clocks say. */
static json_t *report_without_times(const char *text) {
    json_error_t fault;
    json_t *report = json_loads(text, 0, &fault);
    if (!report) fail_msg("no JSON: %s", fault.text);
    size_t index;
    json_t *bot;
    assert_true(json_array_size(json_object_get(report, "bots")) >= 2);
    json_array_foreach(json_object_get(report, "bots"), index, bot) json_object_del(bot, "thought_us");
    return report;
}

static void play_with(const char *plan, const char *workers, const char *ledger) {
    run_program(
        (const char *const[]){"tournament", plan, "--out", ledger, "--workers", workers, "--json", "--quiet", NULL}, 0,
        &finished);
    expect_code(0);
}

static void assert_workers_change_nothing(const char *plan, const char *text) {
    static const char *const workers[] = {"1", "2", "8"};
    json_t *reports[3];
    char ledgers[3][32];
    write_text(plan, text);
    for (int i = 0; i < 3; i++) {
        snprintf(ledgers[i], sizeof ledgers[i], "%s.%s", plan, workers[i]);
        play_with(plan, workers[i], ledgers[i]);
        reports[i] = report_without_times(finished.out);
        if (i) assert_true(json_equal(reports[0], reports[i]));
        if (i) assert_int_equal(assert_games_among(ledgers[i], ledgers[0], true), count_games(ledgers[0]));
    }
    for (int i = 0; i < 3; i++) json_decref(reports[i]);
}

static void one_two_and_eight_workers_give_the_same_table(void **state) {
    (void)state;
    assert_workers_change_nothing("three.yaml", three_bots);
    assert_int_equal(count_games("three.yaml.8"), 3 * 2 * 8 * 2);
}

/* Greedy is far stronger than random: H1 comes soon, at one pair, and nothing beyond it is kept. */
static void an_sprt_ends_at_the_same_pair_for_any_number_of_workers(void **state) {
    (void)state;
    assert_workers_change_nothing("sprt.yaml", "format: sprt\n"
                                               "bots: [{spec: greedy}, {spec: random}]\n"
                                               "scenarios: [" DUEL "]\n"
                                               "sprt: {elo0: 0, elo1: 50, cap: 3000}\n");
    const int64_t games = count_games("sprt.yaml.1");
    assert_true(games > 4 && games < 1000 && games % 2 == 0);
    json_error_t fault;
    json_t *report = json_loads(finished.out, 0, &fault);
    assert_string_equal(json_string_value(json_object_get(json_object_get(report, "sprt"), "end")), "H1");
    json_decref(report);
}

static void flags_and_a_file_make_the_same_plan(void **state) {
    (void)state;
    write_text("two.yaml", "format: gauntlet\nchallengers: 1\nbots: [{spec: greedy}, {spec: random}]\n"
                           "scenarios: [" DUEL "]\nrounds: 3\nseed: 0x10\nclock: {move_ms: 5000}\n");
    play_with("two.yaml", "1", "two.db");
    run_program((const char *const[]){"tournament", "--format", "gauntlet", "--bots", "greedy,random", "--scenario",
                                      DUEL, "--rounds", "3", "--seed", "16", "--move-ms", "5000", "--out", "two.db",
                                      "--resume", "--quiet", NULL},
                0, &finished);
    expect_code(0); /* it is resumed, and there was nothing left to do */
    assert_int_equal(count_games("two.db"), 6);
}

static void a_game_of_a_ledger_is_a_replay_that_verifies(void **state) {
    (void)state;
    write_text("few.yaml",
               "format: round-robin\nbots: [{spec: greedy}, {spec: random}]\nscenarios: [" GATE "]\nrounds: 2\n");
    play_with("few.yaml", "2", "few.db");
    run_program((const char *const[]){"replay", "few.db", "--game", "3", "--text", NULL}, 0, &finished);
    expect_code(0);
    assert_non_null(strstr(finished.out, "[Union \"random\"]\n[Confederate \"greedy\"]"));
    write_text("game.txt", finished.out);
    run_program((const char *const[]){"replay", "game.txt", "--verify", NULL}, 0, &finished);
    expect_code(0);
    run_program((const char *const[]){"replay", "few.db", "--game", "4", NULL}, 0, &finished);
    expect_fault(2, "there is no game 4 in the ledger few.db");
    run_program((const char *const[]){"replay", "game.txt", "--game", "0", NULL}, 0, &finished);
    expect_fault(1, "game.txt is no ledger");
}

/* ---- Stopping and going on ---- */

static const char *const long_one[] = {"tournament", "--bots", "greedy,random", "--scenario", GATE, "--rounds",
                                       "20000",      "--out",  "long.db",       "--workers",  "2",  NULL};

/* Starts the long tournament and waits until something is in its ledger. */
static pid_t start_long(void) {
    unlink("long.db");
    const pid_t process = start_program(long_one, 0);
    for (int i = 0; i < 2000 && (access("long.db", F_OK) || count_games("long.db") < 1); i++) pause_ms(10);
    assert_true(count_games("long.db") > 0);
    return process;
}

static void a_second_runner_is_refused_by_the_first_ones_process(void **state) {
    (void)state;
    const pid_t first = start_long();
    char holder[32];
    snprintf(holder, sizeof holder, "process %d\n", (int)first);
    pid_t second = fork();
    assert_true(second >= 0);
    if (!second) { /* in a folder of its own, for `out` and `err` */
        if (mkdir("second", 0777) || chdir("second")) _exit(98);
        struct finished *other = malloc(sizeof *other);
        run_program((const char *const[]){"tournament", "--resume", "../long.db", NULL}, 0, other);
        const bool refused = other->code == 1 && strstr(other->err, "another runner holds the ledger") &&
                             strstr(other->err, holder) && !other->out[0];
        _exit(refused ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(second, &status, 0), second);
    assert_int_equal(status, 0);
    kill(first, SIGKILL);
    await_program(first, &finished);
    assert_int_equal(finished.signal, SIGKILL);
    struct ledger *ledger; /* the lock died with its holder, whose file is still there */
    int64_t lost;
    assert_int_equal(access("long.db.lock", F_OK), 0);
    assert_int_equal(ledger_resume("long.db", &ledger, &lost, NULL), LR_OK);
    ledger_close(ledger);
    assert_int_equal(lost, 0);
    assert_int_equal(access("long.db.lock", F_OK), -1);
}

static void a_signal_drains_and_prints_a_command_that_goes_on(void **state) {
    (void)state;
    unlink("drained.db");
    const char *const arguments[] = {"tournament", "--bots",     "random,greedy", "--scenario", GATE, "--rounds", "600",
                                     "--out",      "drained.db", "--quiet",       "--workers",  "2",  NULL};
    const pid_t process = start_program(arguments, 0);
    for (int i = 0; i < 2000 && (access("drained.db", F_OK) || count_games("drained.db") < 1); i++) pause_ms(5);
    kill(process, SIGTERM);
    await_program(process, &finished);
    expect_fault(1, "stopped after ");
    assert_non_null(strstr(finished.out, "random"));
    const int64_t done = count_games("drained.db");
    assert_true(done > 0 && done < 1200);
    assert_int_equal(strtol(strstr(finished.err, "after ") + 6, NULL, 10), done);
    char command[1024];
    const char *printed = strstr(finished.err, "go on with: ");
    assert_non_null(printed);
    snprintf(command, sizeof command, "%.*s >out 2>err", (int)strcspn(printed + 12, "\n"), printed + 12);
    assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c): as a user's shell takes it */
    assert_int_equal(count_games("drained.db"), 1200);
}

/* As timeout and shells send it: to the program and to its group. The running game is to be finished all the same. */
static void a_signal_that_comes_twice_in_a_moment_is_one(void **state) {
    (void)state;
    unlink("twice.db");
    static const char slow[] = SLOW_BOT;
    const char *const arguments[] = {"tournament", "--bot", "random",    "--bot",    slow,
                                     "--scenario", DUEL,    "--out",     "twice.db", "--quiet",
                                     "--rounds",   "50",    "--workers", "1",        NULL};
    const pid_t process = start_program(arguments, 0);
    for (int i = 0; i < 2000 && access("twice.db", F_OK); i++) pause_ms(5);
    pause_ms(1000); /* a game has begun */
    kill(process, SIGINT);
    pause_ms(5);
    kill(process, SIGINT);
    await_program(process, &finished);
    expect_fault(1, "stopped after ");
    assert_true(count_games("twice.db") > 0);
}

/* ---- Disks that are full ---- */

static void run_bulky(const char *ledger, long file_limit) {
    run_program((const char *const[]){"tournament", "--bots", "random,greedy", "--scenario", DUEL, "--rounds", "2000",
                                      "--quiet", "--out", ledger, NULL},
                file_limit, &finished);
}

static void assert_stopped_by_the_disk(const char *ledger, const char *reason) {
    expect_fault(1, "cannot write the ledger ");
    if (!strstr(finished.err, reason)) fail_msg("'%s' is not in: %s", reason, finished.err);
    assert_non_null(strstr(finished.err, "--resume "));
    assert_true(count_games(ledger) >= 0 && count_games(ledger) < 4000);
}

static void a_file_that_may_not_grow_stops_it_and_resuming_finishes(void **state) {
    (void)state;
    run_bulky("roomy.db", 0);
    expect_code(0);
    run_bulky("limited.db", 200 * 1024);
    assert_stopped_by_the_disk("limited.db", "File too large");
    run_program((const char *const[]){"tournament", "--resume", "limited.db", "--quiet", NULL}, 0, &finished);
    expect_code(0);
    assert_same_games("limited.db", "roomy.db");
}

/* May this process mount disks that nobody else sees? As root, or as the root of a user namespace of its own. */
static bool own_mounts(void) {
    char map[64];
    if (unshare(CLONE_NEWNS) == 0) return true;
    snprintf(map, sizeof map, "0 %u 1", (unsigned)getuid());
    const unsigned group = (unsigned)getgid();
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS)) return false;
    write_text("/proc/self/uid_map", map);
    write_text("/proc/self/setgroups", "deny");
    snprintf(map, sizeof map, "0 %u 1", group);
    write_text("/proc/self/gid_map", map);
    return true;
}

/* Where the kernel lets neither root nor a user namespace mount a small disk, only the limit on a file's size is tried. */
static void a_full_disk_stops_it_and_resuming_finishes(void **state) {
    (void)state;
    assert_int_equal(mkdir("disk", 0777), 0);
    const bool mounted = own_mounts() && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
                         mount("tmpfs", "disk", "tmpfs", 0, "size=400k") == 0;
    if (!mounted) skip();
    run_bulky("disk/full.db", 0); /* what it says goes into files on the other disk */
    assert_stopped_by_the_disk("disk/full.db", "full");
    assert_int_equal(mount(NULL, "disk", NULL, MS_REMOUNT, "size=16m"), 0);
    run_program((const char *const[]){"tournament", "--resume", "disk/full.db", "--quiet", NULL}, 0, &finished);
    expect_code(0);
    assert_same_games("disk/full.db", "roomy.db");
    assert_int_equal(umount("disk"), 0);
}

/* ---- What is refused ---- */

static void expect_plan_fault(const char *text, const char *words) {
    write_text("bad.yaml", text);
    run_program((const char *const[]){"tournament", "bad.yaml", "--out", "bad.db", NULL}, 0, &finished);
    expect_fault(2, words);
    assert_int_equal(access("bad.db", F_OK), -1);
    assert_int_equal(access("bad.db.lock", F_OK), -1);
}

#define REST "scenarios: [" DUEL "]\nrounds: 1\n"
#define TWO "bots: [{spec: greedy}, {spec: random}]\n"

static void bad_plans_are_refused_in_one_line_and_leave_nothing(void **state) {
    (void)state;
    expect_plan_fault("format: round-robin\nbots: [\n", "bad.yaml: line 3");
    expect_plan_fault("", "nothing in it");
    expect_plan_fault("format: knockout\n" TWO REST, "format");
    expect_plan_fault("format: round-robin\n" TWO REST "prize: 3\n", "prize");
    expect_plan_fault("format: round-robin\n" TWO REST "rounds: 2\n", "line 5: key \"rounds\" stands here twice");
    expect_plan_fault("format: round-robin\n" REST, "bots");
    expect_plan_fault("format: round-robin\nbots: [{spec: greedy}]\n" REST, "bots");
    expect_plan_fault("format: round-robin\nbots: [{spec: greedy}, {spec: greedy}]\n" REST,
                      "bots[1]: another bot is named 'greedy' already");
    expect_plan_fault("format: round-robin\nbots: [{spec: greedy}, {spec: napoleon}]\n" REST, "bots[1]: ");
    expect_plan_fault("format: round-robin\n" TWO "scenarios: [cedar-mountain/nowhere]\nrounds: 1\n", "nowhere");
    expect_plan_fault("format: round-robin\n" TWO "scenarios: [" DUEL ", " DUEL "]\nrounds: 1\n", "scenarios[1]");
    expect_plan_fault("format: round-robin\n" TWO "scenarios: [" DUEL "]\nrounds: 0\n", "rounds: from 1");
    expect_plan_fault("format: round-robin\n" TWO REST "seed: -1\n", "seed: a whole number");
    expect_plan_fault("format: round-robin\n" TWO "scenarios: [" DUEL "]\nrounds: 12abc\n", "rounds: a whole number");
    expect_plan_fault("format: round-robin\n" TWO "scenarios: [" DUEL "]\nrounds: 1.5\n", "rounds: a whole number");
    expect_plan_fault("format: round-robin\n" TWO REST "clock: {move_ms: -1}\n", "clock.move_ms");
    expect_plan_fault("format: round-robin\n" TWO REST "adjudication: score\n", "adjudication");
    expect_plan_fault("format: round-robin\n" TWO REST "sprt: {elo0: 0, elo1: 5, cap: 10}\n", "sprt: goes with");
    expect_plan_fault("format: round-robin\n" TWO REST "challengers: 1\n", "challengers: goes with");
    expect_plan_fault("format: gauntlet\nchallengers: 2\n" TWO REST, "challengers: from 1 to 1");
    expect_plan_fault("format: sprt\n" TWO "scenarios: [" DUEL "]\n", "sprt.cap");
    expect_plan_fault("format: sprt\n" TWO "scenarios: [" DUEL "]\nsprt: {elo0: 5, elo1: 5, cap: 10}\n", "sprt: ");
}

static void expect_refusal(const char *const *arguments, int code, const char *words) {
    run_program(arguments, 0, &finished);
    expect_fault(code, words);
}

#define REFUSED(code, words, ...) expect_refusal((const char *const[]){"tournament", __VA_ARGS__, NULL}, code, words)

static void bad_requests_are_refused_in_one_line(void **state) {
    (void)state;
    write_text("good.yaml", "format: round-robin\n" TWO REST);
    write_text("notes.txt",
               "no database at all, but long enough to be looked at as if it were one, and then some more\n");
    REFUSED(2, "needs --out", "good.yaml");
    REFUSED(2, "needs a plan", "--out", "x.db");
    REFUSED(2, "there is no ledger nowhere.db", "--resume", "nowhere.db");
    REFUSED(1, "notes.txt is no ledger", "--resume", "notes.txt");
    REFUSED(2, "--rounds is part of the plan", "good.yaml", "--rounds", "3", "--out", "x.db");
    REFUSED(2, "as --bot", "--bots", "a=greedy,random", "--scenario", DUEL, "--rounds", "3", "--out", "x.db");
    REFUSED(2, "--workers takes", "good.yaml", "--out", "x.db", "--workers", "0");
    REFUSED(2, "cannot open missing.yaml", "missing.yaml", "--out", "x.db");
    REFUSED(1, "no-such-folder", "good.yaml", "--out", "no-such-folder/x.db");
    assert_int_equal(access("x.db", F_OK), -1);
    play_with("good.yaml", "1", "good.db");
    REFUSED(2, "there is a good.db already", "good.yaml", "--out", "good.db");
    REFUSED(2, "it says \"rounds: 1\" where this one says \"rounds: 2\"", "--bots", "greedy,random", "--scenario", DUEL,
            "--rounds", "2", "--out", "good.db", "--resume");
    REFUSED(2, "belongs to another plan", "--bots", "greedy,random", "--scenario", DUEL, "--scenario", GATE, "--rounds",
            "1", "--out", "good.db", "--resume");
    assert_int_equal(count_games("good.db"), 2);
}

int main(void) {
    make_folder();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_two_and_eight_workers_give_the_same_table),
        cmocka_unit_test(an_sprt_ends_at_the_same_pair_for_any_number_of_workers),
        cmocka_unit_test(flags_and_a_file_make_the_same_plan),
        cmocka_unit_test(a_game_of_a_ledger_is_a_replay_that_verifies),
        cmocka_unit_test(a_second_runner_is_refused_by_the_first_ones_process),
        cmocka_unit_test(a_signal_drains_and_prints_a_command_that_goes_on),
        cmocka_unit_test(a_signal_that_comes_twice_in_a_moment_is_one),
        cmocka_unit_test(a_file_that_may_not_grow_stops_it_and_resuming_finishes),
        cmocka_unit_test(bad_plans_are_refused_in_one_line_and_leave_nothing),
        cmocka_unit_test(bad_requests_are_refused_in_one_line),
        cmocka_unit_test(a_full_disk_stops_it_and_resuming_finishes),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    forget_folder();
    return failed;
}
