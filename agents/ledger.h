/* ledger.h: the record of a tournament: one SQLite file in WAL mode that survives kill -9 at any moment.
 *
 * The ledger holds the tournament's plan (as text, with what it was made for: ruleset version, scenario hashes), and a row for
 * each finished game with its replay, both in one transaction. A game's id is its index in the deterministic schedule, so
 * what is still to be played is computed from the rows and never counted beside them.
 * One runner at a time holds a ledger (a lock that dies with the process); readers may look on at any time. */
#ifndef LEDGER_H
#define LEDGER_H

#include "agents/player.h"

struct ledger_game {
    int64_t id;    /* index in the schedule */
    int scenario;  /* index into the plan's scenarios */
    int bots[2];   /* the plan's bots on [LR_UNION] and [LR_CONFEDERATE] */
    uint64_t seed; /* both games of a pair have the same */
    struct game_result result;
    const char *replay; /* text; NULL when not read */
};

#endif
