/* ledger.h: the record of a tournament: one SQLite file in WAL mode that survives kill -9 at any moment.
 *
 * The ledger holds the tournament's plan, what it was made for (ruleset versions, scenario hashes), and one row for
 * each finished game, its actions included: with scenario and seed they are its replay. A game's id is its index in the
 * schedule (schedule.h), so what is still to be played is computed from the rows and never counted beside them. Each
 * row carries a checksum over all of it: a row that does not match (a torn disk, an edit) counts as not played. One
 * runner at a time holds a ledger, by a lock that dies with its process; readers may look on at any time.
 *
 *     struct ledger *ledger;
 *     struct ledger_game game;
 *     if (ledger_open("league.db", &ledger, &error)) ...
 *     const struct plan *plan = ledger_plan(ledger);
 *     while ((code = ledger_next(ledger, &game, &error)) == 1)
 *         printf("%s - %s\n", plan->bots[game.bots[LR_UNION]].name, plan->bots[game.bots[LR_CONFEDERATE]].name);
 *     ledger_close(ledger);
 *
 * Tables, for people with the sqlite3 shell (the view `result` has names instead of numbers):
 *     meta(key, value)                     plan: its normal text; longroll: the version that made the ledger
 *     bot(id, name, spec)                  as in the plan
 *     scenario(id, name, hash, ruleset, version)
 *     game(id, scenario, union_bot, confederate_bot, seed, ending, at_fault, winner, score, decisions, dice, legal, hash,
 *          union_us, confederate_us, reason, actions, checksum)    actions: 16-bit little-endian ids
 * After a clean end it is a single file in SQLite's plain mode; while it is written, PATH-wal and PATH-shm belong to
 * it, and PATH.lock is the runner's. A power cut loses at most the last ten seconds' games, which are played again. A
 * ledger belongs to one thread at a time, but for ledger_put, which any thread may call. */
#ifndef LEDGER_H
#define LEDGER_H

#include "agents/schedule.h"

struct ledger_game {
    int64_t id;    /* index in the schedule */
    int scenario;  /* index into the plan's scenarios */
    int bots[2];   /* the plan's bots on [LR_UNION] and [LR_CONFEDERATE] */
    uint64_t seed; /* both games of a pair have the same */
    struct game_result result;
};

struct ledger_scenario {
    char *name, *ruleset;
    uint64_t hash;
    int version; /* the ruleset's */
};

struct ledger;

/* ---- Reading ---- */

/* Opens a ledger to look at, a running tournament's too. Errors: NOT_FOUND, IO (no ledger, damaged: resume repairs
 * it). */
int ledger_open(const char *path, struct ledger **ledger, lr_error *error);

/* What was put is committed first (an error of that has been told by ledger_flush). NULL is allowed. */
void ledger_close(struct ledger *ledger);

const struct plan *ledger_plan(const struct ledger *ledger);                           /* valid until closed */
const struct ledger_scenario *ledger_scenario(const struct ledger *ledger, int index); /* likewise */

/* The games by ascending id, as they stand at the first call; those of an SPRT that go beyond its deciding pair may be
 * among them while it runs. Returns 1 with *game filled, 0 after the last (the next call begins again), or an error:
 * IO. */
int ledger_next(struct ledger *ledger, struct ledger_game *game, lr_error *error);

/* A game's replay as text (env/REPLAY.md), malloc'ed: its actions are played again and its hash is compared. Errors:
 * NOT_FOUND, IO, MEMORY, ARGUMENT (scenario or ruleset have changed since), REPLAY (the hash is another). */
int ledger_replay(struct ledger *ledger, int64_t id, char **text, lr_error *error);

/* ---- Writing: the runner ---- */

/* Makes a new ledger; games[i] is the plan's scenario i. Errors: IO (exists already, cannot be written, another runner
 * holds it: names its process). */
int ledger_create(const char *path, const struct plan *plan, const lr_game *const *games, struct ledger **ledger,
                  lr_error *error);

/* Takes up a ledger to go on writing: proves every row, deletes those that are damaged or no games of the plan; *lost
 * gets their number. A file so damaged that SQLite refuses it is copied row by row into a new one, and itself kept as
 * PATH.damaged; *lost then is -1, for nobody can say how many there were. Errors: NOT_FOUND, IO (another runner holds
 * it; no ledger; the plan itself is gone). */
int ledger_resume(const char *path, struct ledger **ledger, int64_t *lost, lr_error *error);

/* Whether games played now belong in this ledger: same plan (NULL: not asked), same scenarios, same ruleset versions.
 * Errors: ARGUMENT, naming the first difference. */
int ledger_match(const struct ledger *ledger, const struct plan *plan, const lr_game *const *games, lr_error *error);

/* Hands over a finished game and its actions, result.length of them; both are copied. A thread of the ledger's own
 * writes what has come together every 200 ms or 100 games; a game whose id is there already is left as it is. Waits
 * while too many games are queued. False once a write has failed: nothing more is written, and ledger_flush says why.
 * Any thread. */
bool ledger_put(struct ledger *ledger, const struct ledger_game *game, const uint16_t *actions);

/* Waits until all that was put is committed. Errors: IO with what the disk said; what was committed before is safe. */
int ledger_flush(struct ledger *ledger, lr_error *error);

/* Flushes and forgets the games from `id` on: those of an SPRT beyond its deciding pair. Errors as ledger_flush. */
int ledger_drop(struct ledger *ledger, int64_t id, lr_error *error);

#endif
