/* ledger_repair.c: taking up a ledger whose past is unknown. Every row is proved by its checksum and its place in the
 * schedule, and those that fail are deleted; a file that SQLite itself finds broken is copied, row by row, into a new
 * one. */
#include "agents/ledger_parts.h"
#include "env/game.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- Proving ---- */

/* Steps through all games and deletes those that are not sound. SQLITE_OK or SQLite's code. */
static int prove_rows(struct ledger *ledger, int64_t *lost) {
    sqlite3_stmt *row = ledger_prepare(ledger, "SELECT " ROW_COLUMNS " FROM game"),
                 *deletion = ledger_prepare(ledger, "DELETE FROM game WHERE id = ?");
    int stepped;
    while ((stepped = sqlite3_step(row)) == SQLITE_ROW) {
        struct ledger_game game;
        const uint16_t *actions;
        row_take(row, &game, &actions);
        if (row_is_sound(ledger->plan, row, &game, actions)) continue;
        sqlite3_bind_int64(deletion, 1, game.id);
        const int deleted = sqlite3_step(deletion);
        sqlite3_reset(deletion);
        if (deleted != SQLITE_DONE) {
            stepped = deleted;
            break;
        }
        ++*lost;
    }
    sqlite3_finalize(row);
    sqlite3_finalize(deletion);
    return stepped == SQLITE_DONE ? SQLITE_OK : stepped;
}

/* SQLITE_OK if SQLite finds the file in order, else its code. */
static int check_structure(struct ledger *ledger) {
    sqlite3_stmt *row = ledger_prepare(ledger, "PRAGMA quick_check(1)");
    const int stepped = sqlite3_step(row);
    const bool sound = stepped == SQLITE_ROW && !strcmp(row_text(row, 0), "ok");
    sqlite3_finalize(row);
    return sound ? SQLITE_OK : stepped == SQLITE_ROW ? SQLITE_CORRUPT : sqlite3_errcode(ledger->db);
}

static bool is_damage(int code) { return (code & 0xff) == SQLITE_CORRUPT; }

static void close_database(struct ledger *ledger) {
    sqlite3_close(ledger->db);
    ledger->db = NULL;
}

/* *damage gets SQLite's code if a broken file was the reason to fail. */
static int open_and_prove(struct ledger *ledger, int64_t *lost, int *damage, lr_error *error) {
    int code = ledger_open_to_write(ledger, error),
        reason = code && ledger->db ? sqlite3_errcode(ledger->db) : SQLITE_OK;
    if (!code && (reason = check_structure(ledger))) code = ledger_fail(ledger, "read", error);
    if (!code && (code = ledger_read_head(ledger, error))) reason = sqlite3_errcode(ledger->db);
    if (!code && (reason = prove_rows(ledger, lost))) code = ledger_fail(ledger, "read", error);
    *damage = code && is_damage(reason) ? reason : SQLITE_OK;
    return code;
}

/* ---- Copying ---- */

/* Copies the sound games of a damaged database, asking for each by its id, so that a broken page costs no more than
 * the rows on it. SQLITE_OK or the code of a failed write. */
static int copy_games(const struct ledger *from, struct ledger *to) {
    sqlite3_stmt *row = ledger_prepare(from, "SELECT " ROW_COLUMNS " FROM game WHERE id = ?");
    sqlite3_stmt *insertion = ledger_prepare(to, ROW_INSERT);
    int code = sqlite3_exec(to->db, "BEGIN", NULL, NULL, NULL);
    for (int64_t id = 0; id < schedule_games(from->plan) && !code; id++) {
        sqlite3_bind_int64(row, 1, id);
        if (sqlite3_step(row) == SQLITE_ROW) {
            struct ledger_game game;
            const uint16_t *actions;
            row_take(row, &game, &actions);
            if (row_is_sound(from->plan, row, &game, actions)) code = row_insert(insertion, &game, actions);
        }
        sqlite3_reset(row);
    }
    sqlite3_finalize(row);
    sqlite3_finalize(insertion);
    return code ? code : sqlite3_exec(to->db, "COMMIT", NULL, NULL, NULL);
}

/* Keeps the damaged database under another name. Its WAL goes first, for it would be played into the new one. The
 * database stays where it is until the new one takes its place, so that there is a ledger whenever this process is
 * killed. */
static int set_aside(const struct ledger *ledger, lr_error *error) {
    char wal[BESIDE], kept[BESIDE];
    const bool moved =
        rename(ledger_beside(ledger->path, "-wal", wal), ledger_beside(ledger->path, ".damaged-wal", kept)) == 0 ||
        errno == ENOENT;
    unlink(ledger_beside(ledger->path, ".damaged", kept));
    if (moved && (link(ledger->path, kept) == 0 || rename(ledger->path, kept) == 0)) return LR_OK;
    return lr_fail(error, LR_E_IO, "cannot set the damaged ledger %.200s aside: %s", ledger->path, strerror(errno));
}

/* Reads what can be read; `writable_schema` makes SQLite open a file that is shorter than it says. */
static int salvage(struct ledger *ledger, lr_error *error) {
    struct ledger *from = ledger_new(ledger->path, error);
    if (!from) return LR_E_MEMORY;
    int code = ledger_open_database(from, from->path, SQLITE_OPEN_READWRITE, error);
    if (!code) code = ledger_run(from, "PRAGMA writable_schema = ON", "read", error);
    if (!code) code = ledger_read_format(from, error);
    if (!code && ledger_read_head(from, error)) {
        lr_error why = error ? *error : (lr_error){0};
        code = lr_fail(error, LR_E_IO, "the ledger %.120s is damaged where its plan stands and cannot be resumed (%s)",
                       ledger->path, why.text);
    }
    if (!code) code = ledger_make_beside(ledger, from->plan, from->scenarios, error);
    if (!code && copy_games(from, ledger)) code = ledger_fail(ledger, "repair", error);
    ledger_close(from);
    if (!code) code = set_aside(ledger, error);
    return code ? code : ledger_settle(ledger, error);
}

int ledger_take_up(struct ledger *ledger, int64_t *lost, lr_error *error) {
    int damage;
    *lost = 0;
    int code = open_and_prove(ledger, lost, &damage, error);
    if (!damage) return code;
    close_database(ledger);
    ledger_forget_head(ledger);
    code = salvage(ledger, error);
    if (!code) code = open_and_prove(ledger, lost, &damage, error);
    *lost = -1;
    return code;
}
