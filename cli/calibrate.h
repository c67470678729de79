/* calibrate.h: what `longroll ladder` and `longroll rate` share: playing a plan into a ledger, and opening scenarios.
 */
#ifndef CALIBRATE_H
#define CALIBRATE_H

#include "agents/tournament.h"

struct calibration {
    const struct plan *plan;
    lr_game *const *games; /* [scenario_count], as the plan has them */
    const char *path;      /* the ledger: made, or taken up where it was left if it is of this very plan */
    int workers;           /* 0: one a core */
    bool quiet;            /* no progress line */
};

/* Plays all that is still to be played, then opens the ledger to be read; the caller closes it. Stopped by SIGINT or
 * SIGTERM it says how to go on. Returns an enum exit_code; what went wrong has been said. */
int calibration_play(const struct calibration *calibration, struct ledger **ledger);

/* Opens the plan's scenarios; games[i] stays NULL from the first that could not be opened on. Returns an enum
 * exit_code. */
int calibration_open_games(const struct plan *plan, lr_game **games);
void calibration_close_games(const struct plan *plan, lr_game **games);

#endif
