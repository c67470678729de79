/* ledger_make.c: making a ledger, and the lock that keeps a second runner out.
 *
 * A ledger is made under another name, whole, and then gets its own: a file by that name always has its plan. SQLite's
 * own locks would keep readers out, too: so the runner's is an fcntl lock on a file beside, which dies with its process
 * and tells who holds it. */
#include "agents/ledger_parts.h"
#include "env/game.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- The lock ---- */

/* The lock file goes when its holder closes it, so one that was opened before may be no longer the one by that name. */
static bool is_named(int file, const char *name) {
    struct stat opened, named;
    return fstat(file, &opened) == 0 && stat(name, &named) == 0 && opened.st_ino == named.st_ino &&
           opened.st_dev == named.st_dev;
}

int ledger_take_lock(struct ledger *ledger, lr_error *error) {
    char name[PATH_MAX + 8];
    snprintf(name, sizeof name, "%s.lock", ledger->path);
    for (;;) {
        const int file = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (file < 0) return lr_fail(error, LR_E_IO, "cannot make %.200s: %s", name, strerror(errno));
        struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        if (fcntl(file, F_SETLK, &lock) == 0) {
            if (is_named(file, name)) {
                ledger->lock = file;
                return LR_OK;
            }
            close(file);
            continue;
        }
        const int reason = errno;
        const bool asked = fcntl(file, F_GETLK, &lock) == 0;
        close(file);
        if (reason != EACCES && reason != EAGAIN)
            return lr_fail(error, LR_E_IO, "cannot lock %.200s: %s", name, strerror(reason));
        if (asked && lock.l_type == F_UNLCK) continue; /* it has just gone */
        return lr_fail(error, LR_E_IO, "another runner holds the ledger %.200s: process %ld", ledger->path,
                       asked ? (long)lock.l_pid : 0L);
    }
}

void ledger_give_lock(struct ledger *ledger) {
    if (ledger->lock < 0) return;
    char name[PATH_MAX + 8];
    snprintf(name, sizeof name, "%s.lock", ledger->path);
    unlink(name);
    close(ledger->lock);
    ledger->lock = -1;
}

/* ---- Making ---- */

static const char schema[] =
    "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE bot(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, spec TEXT NOT NULL);"
    "CREATE TABLE scenario(id INTEGER PRIMARY KEY, name TEXT NOT NULL, hash TEXT NOT NULL, ruleset TEXT NOT NULL,"
    " version INTEGER NOT NULL);"
    "CREATE TABLE game(id INTEGER PRIMARY KEY, scenario INTEGER NOT NULL REFERENCES scenario,"
    " union_bot INTEGER NOT NULL REFERENCES bot, confederate_bot INTEGER NOT NULL REFERENCES bot, seed TEXT NOT NULL,"
    " ending TEXT NOT NULL, at_fault TEXT, winner TEXT NOT NULL, score INTEGER NOT NULL, decisions INTEGER NOT NULL,"
    " dice INTEGER NOT NULL, legal INTEGER NOT NULL, hash TEXT NOT NULL, union_us INTEGER NOT NULL,"
    " confederate_us INTEGER NOT NULL, reason TEXT NOT NULL, actions BLOB NOT NULL, checksum TEXT NOT NULL);"
    "CREATE VIEW result AS SELECT game.id, scenario.name AS scenario, u.name AS union_bot, c.name AS confederate_bot,"
    " seed, ending, at_fault, winner, score, decisions, dice, reason FROM game"
    " JOIN scenario ON scenario.id = game.scenario JOIN bot AS u ON u.id = union_bot JOIN bot AS c ON c.id ="
    " confederate_bot;";

const char *ledger_beside(const char *path, const char *ending, char name[BESIDE]) {
    snprintf(name, BESIDE, "%s%s", path, ending);
    return name;
}

static void put_row(struct ledger *ledger, const char *sql, int64_t id, const char *const texts[3], int64_t number,
                    int *bad) {
    sqlite3_stmt *row = ledger_prepare(ledger, sql);
    sqlite3_bind_int64(row, 1, id);
    for (int i = 0; i < 3; i++)
        if (texts[i]) sqlite3_bind_text(row, i + 2, texts[i], -1, SQLITE_STATIC);
    if (texts[2]) sqlite3_bind_int64(row, 5, number);
    if (sqlite3_step(row) != SQLITE_DONE) ++*bad;
    sqlite3_finalize(row);
}

static int write_head(struct ledger *ledger, const struct plan *plan, const struct ledger_scenario *scenarios,
                      lr_error *error) {
    char *text = plan_text(plan);
    char *sql = text ? sqlite3_mprintf("PRAGMA application_id = %d; PRAGMA user_version = %d; BEGIN; %s"
                                       "INSERT INTO meta VALUES ('plan', %Q), ('longroll', %Q);",
                                       LEDGER_APPLICATION, LEDGER_FORMAT, schema, text, LR_VERSION)
                     : NULL;
    free(text);
    if (!sql) return lr_fail(error, LR_E_MEMORY, "no memory for a ledger");
    int code = ledger_run(ledger, sql, "make", error), bad = 0;
    sqlite3_free(sql);
    for (unsigned i = 0; i < plan->bot_count && !code; i++)
        put_row(ledger, "INSERT INTO bot VALUES (?, ?, ?)", i,
                (const char *const[3]){plan->bots[i].name, plan->bots[i].spec}, 0, &bad);
    for (unsigned i = 0; i < plan->scenario_count && !code; i++) {
        char hash[17];
        snprintf(hash, sizeof hash, "%016" PRIX64, scenarios[i].hash);
        put_row(ledger, "INSERT INTO scenario VALUES (?, ?, ?, ?, ?)", i,
                (const char *const[3]){scenarios[i].name, hash, scenarios[i].ruleset}, scenarios[i].version, &bad);
    }
    if (code) return code;
    return bad ? ledger_fail(ledger, "make", error) : ledger_run(ledger, "COMMIT", "make", error);
}

/* A new database at PATH.new, which is whatever was left there no more. */
int ledger_make_beside(struct ledger *ledger, const struct plan *plan, const struct ledger_scenario *scenarios,
                       lr_error *error) {
    char name[BESIDE], journal[BESIDE];
    unlink(ledger_beside(ledger->path, ".new", name));
    unlink(ledger_beside(ledger->path, ".new-journal", journal));
    int code = ledger_open_database(ledger, name, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, error);
    if (!code) code = write_head(ledger, plan, scenarios, error);
    return code;
}

/* Gives PATH.new its name. What an older database may have left by that name must not be taken for its WAL. */
int ledger_settle(struct ledger *ledger, lr_error *error) {
    char name[BESIDE], other[BESIDE];
    const int closed = sqlite3_close(ledger->db);
    ledger->db = NULL;
    if (closed) return lr_fail(error, LR_E_IO, "cannot close the new ledger %.200s", ledger->path);
    unlink(ledger_beside(ledger->path, "-wal", other));
    unlink(ledger_beside(ledger->path, "-shm", other));
    if (rename(ledger_beside(ledger->path, ".new", name), ledger->path))
        return lr_fail(error, LR_E_IO, "cannot make the ledger %.200s: %s", ledger->path, strerror(errno));
    return LR_OK;
}

int ledger_make(struct ledger *ledger, const struct plan *plan, const lr_game *const *games, lr_error *error) {
    struct ledger_scenario *scenarios = calloc(plan->scenario_count, sizeof *scenarios);
    if (!scenarios) return lr_fail(error, LR_E_MEMORY, "no memory for a ledger");
    for (unsigned i = 0; i < plan->scenario_count; i++) {
        const lr_info *info = lr_game_info(games[i]);
        scenarios[i] = (struct ledger_scenario){.name = strdup(plan->scenarios[i]),
                                                .ruleset = strdup(info->ruleset),
                                                .hash = info->scenario_hash,
                                                .version = info->ruleset_version};
    }
    int code = ledger_make_beside(ledger, plan, scenarios, error);
    ledger_forget_scenarios(scenarios, plan->scenario_count);
    if (!code) code = ledger_settle(ledger, error);
    if (!code) code = ledger_open_to_write(ledger, error);
    return code ? code : ledger_read_head(ledger, error);
}
