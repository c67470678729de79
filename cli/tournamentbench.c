/* tournamentbench.c: `longroll bench tournament`: what a tournament adds to the games that it plays.
 *
 * The same games, random against itself, are played by turns in a bare loop and by a tournament of one worker, ledger,
 * replays and table included, in short runs of which medians are reported. What is compared is processor time of all
 * threads, on which other programs weigh little; the wall clock stands beside it, since a ledger also waits for its disk. */
#include "agents/schedule.h"
#include "agents/tournament.h"
#include "cli/cli.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { RUNS = 5, TRIAL_PAIRS = 4 };
static const char agent[] = "random"; /* it thinks least, so that what is added stands out */

/* Seconds a game. */
struct cost {
    double processor, wall;
};

struct bench {
    const lr_game *game;
    struct plan *plan;
    struct cost bare[RUNS], played[RUNS];
};

static double processor_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static struct cost now(void) { return (struct cost){processor_now(), seconds_now()}; }

static struct cost since(struct cost before, int64_t games) {
    const struct cost after = now();
    return (struct cost){(after.processor - before.processor) / (double)games,
                         (after.wall - before.wall) / (double)games};
}

/* ---- The two ways to play the plan's games ---- */

static int play_bare(const struct bench *bench, struct cost *cost) {
    lr_chooser *chooser;
    struct match *match;
    struct match_result result;
    lr_error error;
    if (agent_open(agent, &chooser, &error)) return fail_library(&error);
    int code = match_open(bench->game, (const lr_chooser *const[]){chooser, chooser}, &match, &error);
    if (!code) {
        const int64_t games = schedule_games(bench->plan);
        const struct cost before = now();
        for (int64_t id = 0; id < games && !code; id++)
            code = match_play(match, schedule_game(bench->plan, id).seed, 0, NULL, &result, &error);
        *cost = since(before, games);
        match_close(match);
    }
    agent_close(chooser);
    return code ? fail_library(&error) : EXIT_DONE;
}

static int play_into(const struct bench *bench, const char *path, struct cost *cost) {
    struct ledger *ledger;
    bool complete;
    lr_error error;
    const struct cost before = now();
    if (ledger_create(path, bench->plan, &bench->game, &ledger, &error)) return fail_library(&error);
    const struct tournament tournament = {.ledger = ledger, .games = &bench->game, .workers = 1};
    const int code = tournament_run(&tournament, &complete, &error);
    ledger_close(ledger);
    *cost = since(before, schedule_games(bench->plan));
    return code ? fail_library(&error) : EXIT_DONE;
}

static int play_tournament(const struct bench *bench, struct cost *cost) {
    const char *parent = getenv("TMPDIR");
    char folder[PATH_MAX], path[PATH_MAX + 16];
    snprintf(folder, sizeof folder, "%s/longroll-bench-XXXXXX", parent && *parent ? parent : "/tmp");
    if (!mkdtemp(folder)) return fail(EXIT_FAULT, "cannot make a folder for a ledger, %s: set TMPDIR", folder);
    snprintf(path, sizeof path, "%s/bench.db", folder);
    const int code = play_into(bench, path, cost);
    unlink(path);
    rmdir(folder);
    return code;
}

/* ---- Measuring ---- */

static int make_plan(struct bench *bench, lr_error *error) {
    const char *scenario = lr_game_info(bench->game)->scenario;
    int code = plan_add_bot(bench->plan, "one", agent, error);
    if (!code) code = plan_add_bot(bench->plan, "two", agent, error);
    if (!code) code = plan_add_scenario(bench->plan, scenario, error);
    return code ? code : plan_check(bench->plan, error);
}

/* As many pairs as take `seconds` both ways; at least as many as the trial. */
static int find_rounds(struct bench *bench, double seconds) {
    struct cost trial = {0};
    if (play_bare(bench, &trial)) return EXIT_FAULT;
    const double pairs = trial.wall > 0 ? seconds / (4 * trial.wall) : 0;
    bench->plan->rounds = pairs < TRIAL_PAIRS ? TRIAL_PAIRS : pairs > PLAN_ROUNDS ? PLAN_ROUNDS : (int)pairs;
    return EXIT_DONE;
}

static int measure(struct bench *bench, double seconds) {
    if (find_rounds(bench, seconds / RUNS)) return EXIT_FAULT;
    for (int run = 0; run < RUNS; run++)
        if (play_bare(bench, &bench->bare[run]) || play_tournament(bench, &bench->played[run])) return EXIT_FAULT;
    return EXIT_DONE;
}

/* ---- Reporting ---- */

struct series {
    double low, middle, high;
};

static struct series series_of(double values[RUNS]) {
    const double middle = median(values, RUNS); /* sorts them */
    return (struct series){values[0], middle, values[RUNS - 1]};
}

struct figures {
    struct series bare_ms, processor_us, wall_us,
        share; /* a game: bare; what is added; the share of a game of 10 ms, in percent */
};

static struct figures figures_of(const struct bench *bench) {
    double bare[RUNS], processor[RUNS], wall[RUNS], share[RUNS];
    for (int run = 0; run < RUNS; run++) {
        bare[run] = 1e3 * bench->bare[run].processor;
        processor[run] = 1e6 * (bench->played[run].processor - bench->bare[run].processor);
        wall[run] = 1e6 * (bench->played[run].wall - bench->bare[run].wall);
        share[run] = processor[run] / 1e2;
    }
    return (struct figures){series_of(bare), series_of(processor), series_of(wall), series_of(share)};
}

static json_t *json_of(const struct series *series) {
    return json_pack("[f, f, f]", series->middle, series->low, series->high);
}

static int print_json(const struct bench *bench, const struct figures *f) {
    return json_print(
        json_pack("{s:s, s:s, s:I, s:i, s:o, s:o, s:o, s:o}", "bench", "tournament", "scenario",
                  lr_game_info(bench->game)->scenario, "games_a_run", (json_int_t)schedule_games(bench->plan), "runs",
                  RUNS, "bare_ms_a_game", json_of(&f->bare_ms), "added_processor_us_a_game", json_of(&f->processor_us),
                  "added_wall_us_a_game", json_of(&f->wall_us), "percent_at_100_games_per_s", json_of(&f->share)));
}

static void print_series(const char *name, const struct series *series, const char *unit, int digits) {
    printf("%-34s %.*f %s (runs from %.*f to %.*f)\n", name, digits, series->middle, unit, digits, series->low, digits,
           series->high);
}

static int print_text(const struct bench *bench, const struct figures *f) {
    printf("bench tournament, %s, %s against itself; medians of %d runs of %lld games\n",
           lr_game_info(bench->game)->scenario, agent, RUNS, (long long)schedule_games(bench->plan));
    print_series("a bare game", &f->bare_ms, "ms", 3);
    print_series("added by the tournament, processor", &f->processor_us, "us a game", 1);
    print_series("added by the tournament, clock", &f->wall_us, "us a game", 1);
    print_series("share at 100 games/s", &f->share, "%", 2);
    return EXIT_DONE;
}

int bench_tournament(const lr_game *game, double seconds, uint64_t seed, bool json) {
    struct bench bench = {.game = game, .plan = plan_new()};
    lr_error error;
    if (!bench.plan) return fail(EXIT_FAULT, "no memory for a plan");
    bench.plan->rounds = TRIAL_PAIRS;
    bench.plan->seed = seed;
    int code = make_plan(&bench, &error) ? fail_library(&error) : measure(&bench, seconds);
    if (!code) {
        const struct figures figures = figures_of(&bench);
        code = json ? print_json(&bench, &figures) : print_text(&bench, &figures);
    }
    plan_close(bench.plan);
    return code;
}
