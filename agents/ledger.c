/* ledger.c: see ledger.h. Opening, reading and comparing; the other parts are in ledger_*.c (ledger_parts.h). */
#include "agents/agent.h"
#include "agents/ledger_parts.h"
#include "env/game.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUSY_MS = 5000 };

/* ---- SQLite ---- */

/* What the system said is in errno: SQLite tells it only of some calls. It notes all its faults, but for values that
 * could not be bound, and those are of memory. */
int ledger_fail(const struct ledger *ledger, const char *what, lr_error *error) {
    const int system = errno, code = sqlite3_errcode(ledger->db) & 0xff;
    const bool disk = system && (code == SQLITE_IOERR || code == SQLITE_CANTOPEN);
    const char *more = code == SQLITE_CORRUPT ? "resuming repairs it" : disk ? strerror(system) : NULL;
    return lr_fail(error, LR_E_IO, "cannot %s the ledger %.120s: %s%s%s", what, ledger->path,
                   code ? sqlite3_errmsg(ledger->db) : "out of memory", more ? ": " : "", more ? more : "");
}

int ledger_run(struct ledger *ledger, const char *sql, const char *what, lr_error *error) {
    errno = 0;
    return sqlite3_exec(ledger->db, sql, NULL, NULL, NULL) ? ledger_fail(ledger, what, error) : LR_OK;
}

sqlite3_stmt *ledger_prepare(const struct ledger *ledger, const char *sql) {
    sqlite3_stmt *statement = NULL;
    sqlite3_prepare_v2(ledger->db, sql, -1, &statement, NULL);
    return statement;
}

struct ledger *ledger_new(const char *path, lr_error *error) {
    struct ledger *ledger = calloc(1, sizeof *ledger);
    if (!ledger) {
        lr_fail(error, LR_E_MEMORY, "no memory for a ledger");
        return NULL;
    }
    ledger->lock = -1;
    if (snprintf(ledger->path, sizeof ledger->path, "%s", path) < PATH_MAX - 32) return ledger;
    lr_fail(error, LR_E_ARGUMENT, "the name of the ledger is too long: %.64s...", path);
    free(ledger);
    return NULL;
}

int ledger_open_database(struct ledger *ledger, const char *path, int flags, lr_error *error) {
    struct stat about;
    if (!(flags & SQLITE_OPEN_CREATE) && stat(path, &about)) {
        const int code = errno == ENOENT || errno == ENOTDIR ? LR_E_NOT_FOUND : LR_E_IO;
        return lr_fail(error, code, "there is no ledger %.200s: %s", path, strerror(errno));
    }
    if (sqlite3_open_v2(path, &ledger->db, flags, NULL)) return ledger_fail(ledger, "open", error);
    sqlite3_extended_result_codes(ledger->db, 1);
    sqlite3_busy_timeout(ledger->db, BUSY_MS);
    return LR_OK;
}

/* ---- The head ---- */

static int read_number(struct ledger *ledger, const char *sql, int *number, lr_error *error) {
    sqlite3_stmt *row = ledger_prepare(ledger, sql);
    const int stepped = sqlite3_step(row);
    *number = stepped == SQLITE_ROW ? sqlite3_column_int(row, 0) : 0;
    sqlite3_finalize(row);
    return stepped == SQLITE_ROW ? LR_OK : ledger_fail(ledger, "read", error);
}

/* Whether the file is a ledger at all, before anything is written to somebody's database. */
int ledger_read_format(struct ledger *ledger, lr_error *error) {
    int application, format = 0, code = read_number(ledger, "PRAGMA application_id", &application, error);
    if (!code) code = read_number(ledger, "PRAGMA user_version", &format, error);
    if (sqlite3_errcode(ledger->db) == SQLITE_NOTADB || (!code && application != LEDGER_APPLICATION))
        return lr_fail(error, LR_E_IO, "%.200s is no ledger of a tournament", ledger->path);
    if (code || format == LEDGER_FORMAT) return code;
    return lr_fail(error, LR_E_IO, "the ledger %.200s has format %d, and this program reads format %d", ledger->path,
                   format, LEDGER_FORMAT);
}

static int read_plan(struct ledger *ledger, lr_error *error) {
    sqlite3_stmt *row = ledger_prepare(ledger, "SELECT value FROM meta WHERE key = 'plan'");
    int code = LR_OK;
    if (sqlite3_step(row) != SQLITE_ROW)
        code = ledger_fail(ledger, "read the plan in", error);
    else
        code = plan_read("the plan in the ledger", (const char *)sqlite3_column_text(row, 0),
                         (size_t)sqlite3_column_bytes(row, 0), &ledger->plan, error);
    sqlite3_finalize(row);
    return code;
}

static int read_scenarios(struct ledger *ledger, lr_error *error) {
    const int count = (int)ledger->plan->scenario_count;
    ledger->scenarios = calloc((size_t)count, sizeof *ledger->scenarios);
    ledger->games = calloc((size_t)count, sizeof(lr_game *));
    if (!ledger->scenarios || !ledger->games) return lr_fail(error, LR_E_MEMORY, "no memory for a ledger");
    sqlite3_stmt *row = ledger_prepare(ledger, "SELECT name, hash, ruleset, version FROM scenario ORDER BY id");
    int code = LR_OK;
    for (int i = 0; i < count && !code; i++) {
        struct ledger_scenario *scenario = &ledger->scenarios[i];
        if (sqlite3_step(row) != SQLITE_ROW) {
            code = ledger_fail(ledger, "read the scenarios in", error);
            break;
        }
        scenario->name = strdup(row_text(row, 0));
        scenario->hash = strtoull(row_text(row, 1), NULL, 16);
        scenario->ruleset = strdup(row_text(row, 2));
        scenario->version = sqlite3_column_int(row, 3);
        if (!scenario->name || !scenario->ruleset) code = lr_fail(error, LR_E_MEMORY, "no memory for a ledger");
    }
    sqlite3_finalize(row);
    return code;
}

int ledger_read_head(struct ledger *ledger, lr_error *error) {
    const int code = read_plan(ledger, error);
    return code ? code : read_scenarios(ledger, error);
}

void ledger_forget_scenarios(struct ledger_scenario *scenarios, unsigned count) {
    for (unsigned i = 0; scenarios && i < count; i++) {
        free(scenarios[i].name);
        free(scenarios[i].ruleset);
    }
    free(scenarios);
}

void ledger_forget_head(struct ledger *ledger) {
    if (!ledger->plan) return;
    ledger_forget_scenarios(ledger->scenarios, ledger->plan->scenario_count);
    free(ledger->games);
    plan_close(ledger->plan);
    ledger->scenarios = NULL;
    ledger->games = NULL;
    ledger->plan = NULL;
}

/* ---- Opening and closing ---- */

int ledger_open(const char *path, struct ledger **ledger, lr_error *error) {
    struct ledger *made = ledger_new(path, error);
    if (!made) return LR_E_MEMORY;
    /* Writable where it can be: what a killed runner left half-done has to be rolled back before it can be read. */
    int code = ledger_open_database(made, path, SQLITE_OPEN_READWRITE, error);
    if (!code) code = ledger_run(made, "PRAGMA query_only = ON", "read", error);
    if (!code) code = ledger_read_format(made, error);
    if (!code) code = ledger_read_head(made, error);
    if (code) {
        ledger_close(made);
        return code;
    }
    *ledger = made;
    return LR_OK;
}

int ledger_open_to_write(struct ledger *ledger, lr_error *error) {
    int code = ledger_open_database(ledger, ledger->path, SQLITE_OPEN_READWRITE, error);
    if (!code) code = ledger_read_format(ledger, error);
    if (!code) code = ledger_run(ledger, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL", "write", error);
    return code;
}

int ledger_create(const char *path, const struct plan *plan, const lr_game *const *games, struct ledger **ledger,
                  lr_error *error) {
    struct ledger *made = ledger_new(path, error);
    if (!made) return LR_E_MEMORY;
    int code = ledger_take_lock(made, error);
    if (!code && access(path, F_OK) == 0) code = lr_fail(error, LR_E_IO, "there is a %.200s already", path);
    if (!code) code = ledger_make(made, plan, games, error);
    if (!code) code = writer_start(made, error);
    if (code) {
        ledger_close(made);
        return code;
    }
    *ledger = made;
    return LR_OK;
}

int ledger_resume(const char *path, struct ledger **ledger, int64_t *lost, lr_error *error) {
    struct ledger *made = ledger_new(path, error);
    if (!made) return LR_E_MEMORY;
    int code = access(path, F_OK) ? lr_fail(error, LR_E_NOT_FOUND, "there is no ledger %.200s", path) : LR_OK;
    if (!code) code = ledger_take_lock(made, error);
    if (!code) code = ledger_take_up(made, lost, error);
    if (!code) code = writer_start(made, error);
    if (code) {
        ledger_close(made);
        return code;
    }
    *ledger = made;
    return LR_OK;
}

void ledger_close(struct ledger *ledger) {
    if (!ledger) return;
    const bool wrote = ledger->writer && writer_stop(ledger);
    sqlite3_finalize(ledger->reading);
    /* Into one plain file, unless a reader looks on or the disk is full. */
    if (wrote) {
        sqlite3_busy_timeout(ledger->db, 0);
        sqlite3_exec(ledger->db, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
    }
    for (unsigned i = 0; ledger->games && i < ledger->plan->scenario_count; i++) lr_game_close(ledger->games[i]);
    ledger_forget_head(ledger);
    sqlite3_close(ledger->db);
    ledger_give_lock(ledger);
    free(ledger);
}

const struct plan *ledger_plan(const struct ledger *ledger) { return ledger->plan; }
const struct ledger_scenario *ledger_scenario(const struct ledger *ledger, int index) {
    return &ledger->scenarios[index];
}

/* ---- Reading games ---- */

int ledger_next(struct ledger *ledger, struct ledger_game *game, lr_error *error) {
    if (!ledger->reading) ledger->reading = ledger_prepare(ledger, "SELECT " ROW_COLUMNS " FROM game ORDER BY id");
    const int stepped = sqlite3_step(ledger->reading);
    if (stepped == SQLITE_ROW) {
        const uint16_t *actions;
        row_take(ledger->reading, game, &actions);
        return 1;
    }
    const int code = stepped == SQLITE_DONE ? 0 : ledger_fail(ledger, "read", error);
    sqlite3_finalize(ledger->reading);
    ledger->reading = NULL;
    return code;
}

/* ---- Replays ---- */

static int match_scenario(const struct ledger_scenario *scenario, const lr_game *game, lr_error *error) {
    const lr_info *info = lr_game_info(game);
    if (strcmp(scenario->ruleset, info->ruleset) || scenario->version != info->ruleset_version)
        return lr_fail(
            error, LR_E_ARGUMENT,
            "the ledger's games of %.60s were played by version %d of the ruleset %.20s, and this program has "
            "version %d: finish it with the older program, or start a new ledger",
            scenario->name, scenario->version, scenario->ruleset, info->ruleset_version);
    if (scenario->hash == info->scenario_hash) return LR_OK;
    return lr_fail(error, LR_E_ARGUMENT,
                   "the scenario %.60s has changed since the ledger's games were played (hash %016" PRIX64
                   ", now %016" PRIX64 "): restore it, or start a new ledger",
                   scenario->name, scenario->hash, info->scenario_hash);
}

/* The scenario of a game, opened once. */
static int game_of(struct ledger *ledger, int scenario, const lr_game **game, lr_error *error) {
    lr_game **open = &ledger->games[scenario];
    int code = *open ? LR_OK : lr_game_open(ledger->scenarios[scenario].name, open, error);
    if (!code) code = match_scenario(&ledger->scenarios[scenario], *open, error);
    *game = *open;
    return code;
}

static int replay_text(const lr_replay *replay, char **text, lr_error *error) {
    const size_t size = (size_t)lr_replay_format(replay, NULL, 0) + 1;
    *text = malloc(size);
    if (!*text) return lr_fail(error, LR_E_MEMORY, "no memory for a replay");
    lr_replay_format(replay, *text, size);
    return LR_OK;
}

/* Plays the actions again; the final hash of a game_result is folded as matches do it. */
static int play_again(const struct plan *plan, const lr_game *game, const struct ledger_game *row,
                      const uint16_t *actions, char **text, lr_error *error) {
    lr_replay *replay;
    int code = lr_replay_new(game, row->seed, 0, plan->bots[row->bots[LR_UNION]].name,
                             plan->bots[row->bots[LR_CONFEDERATE]].name, &replay, error);
    if (code) return code;
    uint64_t hash = 0;
    for (uint32_t i = 0; i < row->result.length && !code; i++) {
        hash = hash_fold(hash, actions[i]);
        code = lr_replay_add(replay, actions[i], error);
    }
    if (!code && hash_fold(hash, lr_hash(game, lr_replay_state(replay))) != row->result.hash)
        code = lr_fail(error, LR_E_REPLAY, "game %lld does not end where the ledger says: its hash is another",
                       (long long)row->id);
    if (!code) code = replay_text(replay, text, error);
    lr_replay_free(replay);
    return code;
}

int ledger_replay(struct ledger *ledger, int64_t id, char **text, lr_error *error) {
    sqlite3_stmt *row = ledger_prepare(ledger, "SELECT " ROW_COLUMNS " FROM game WHERE id = ?");
    sqlite3_bind_int64(row, 1, id);
    const int stepped = sqlite3_step(row);
    struct ledger_game game;
    const uint16_t *actions;
    const lr_game *rules;
    int code = LR_OK;
    if (stepped == SQLITE_ROW) {
        row_take(row, &game, &actions);
        if (!row_is_sound(ledger->plan, row, &game, actions))
            code = lr_fail(error, LR_E_IO, "game %lld in the ledger %.200s is damaged; resuming repairs it",
                           (long long)id, ledger->path);
        if (!code) code = game_of(ledger, game.scenario, &rules, error);
        if (!code) code = play_again(ledger->plan, rules, &game, actions, text, error);
    } else {
        code = stepped == SQLITE_DONE ? lr_fail(error, LR_E_NOT_FOUND, "there is no game %lld in the ledger %.200s",
                                                (long long)id, ledger->path)
                                      : ledger_fail(ledger, "read", error);
    }
    sqlite3_finalize(row);
    return code;
}

/* ---- Comparing ---- */

/* Names the first line in which two texts of plans differ. */
static int differ(const char *kept, const char *given, lr_error *error) {
    while (*kept && *given) {
        const size_t a = strcspn(kept, "\n"), b = strcspn(given, "\n");
        if (a != b || memcmp(kept, given, a)) break;
        kept += a + 1;
        given += b + 1;
    }
    if (!*kept && !*given) return LR_OK;
    return lr_fail(error, LR_E_ARGUMENT,
                   "the ledger belongs to another plan: it says \"%.*s\" where this one says \"%.*s\"",
                   (int)strcspn(kept, "\n"), kept, (int)strcspn(given, "\n"), given);
}

int ledger_match(const struct ledger *ledger, const struct plan *plan, const lr_game *const *games, lr_error *error) {
    int code = LR_OK;
    if (plan) {
        char *kept = plan_text(ledger->plan), *given = plan_text(plan);
        code = kept && given ? differ(kept, given, error) : lr_fail(error, LR_E_MEMORY, "no memory for a plan");
        free(kept);
        free(given);
    }
    for (unsigned i = 0; i < ledger->plan->scenario_count && !code; i++)
        code = match_scenario(&ledger->scenarios[i], games[i], error);
    return code;
}
