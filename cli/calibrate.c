/* calibrate.c: plays a plan into a ledger, with a progress line, until it is done or a signal comes: the first lets the
 * running games finish, the second breaks them off. */
#include "cli/calibrate.h"
#include "cli/cli.h"
#include <unistd.h>

int calibration_open_games(const struct plan *plan, lr_game **games) {
    lr_error error;
    for (unsigned i = 0; i < plan->scenario_count; i++)
        if (lr_game_open(plan->scenarios[i], &games[i], &error)) return fail_name(plan->scenarios[i], &error);
    return EXIT_DONE;
}

void calibration_close_games(const struct plan *plan, lr_game **games) {
    for (unsigned i = 0; i < plan->scenario_count; i++) lr_game_close(games[i]);
}

static void show(void *context, const struct tournament_news *news) {
    struct progress *progress = context;
    progress->total = (int)news->games;
    progress_show(progress, (int)news->done);
}

/* A new ledger, or the one that is there if it is of this plan. */
static int open_to_write(const struct calibration *calibration, struct ledger **ledger, lr_error *error) {
    const lr_game *const *games = (const lr_game *const *)calibration->games;
    int64_t lost;
    if (access(calibration->path, F_OK))
        return ledger_create(calibration->path, calibration->plan, games, ledger, error);
    int code = ledger_resume(calibration->path, ledger, &lost, error);
    if (code) return code;
    code = ledger_match(*ledger, calibration->plan, games, error);
    if (code) ledger_close(*ledger);
    return code;
}

static int cores(void) {
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (int)count : 1;
}

int calibration_play(const struct calibration *calibration, struct ledger **ledger) {
    struct progress progress;
    bool complete = false;
    lr_error error;
    if (tournament_check(calibration->plan, &error)) return fail(EXIT_USAGE, "%s", error.text);
    if (open_to_write(calibration, ledger, &error)) return fail(EXIT_FAULT, "%s", error.text);
    progress_start(&progress, (int)schedule_games(calibration->plan), calibration->quiet);
    const struct tournament tournament = {
        .ledger = *ledger,
        .games = (const lr_game *const *)calibration->games,
        .workers = calibration->workers ? calibration->workers : cores(),
        .stop = interrupts_listen(TOURNAMENT_ABANDON),
        .progress = show,
        .context = &progress,
    };
    int code = tournament_run(&tournament, &complete, &error) ? fail_library(&error) : EXIT_DONE;
    ledger_close(*ledger);
    if (code) return code;
    if (!complete)
        return fail(EXIT_FAULT, "stopped; what was played is in %s, and the same command goes on from there",
                    calibration->path);
    progress_end(&progress, progress.total);
    return ledger_open(calibration->path, ledger, &error) ? fail_library(&error) : EXIT_DONE;
}
