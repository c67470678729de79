/* ledger_parts.h: what the files of the ledger share. Conventions as in ledger.h; for nobody else. */
#ifndef LEDGER_PARTS_H
#define LEDGER_PARTS_H

#include "agents/ledger.h"
#include <limits.h>
#include <sqlite3.h>

enum { LEDGER_APPLICATION = 0x4c6f6e67 /* "Long": marks the file as a ledger */, LEDGER_FORMAT = 1 };

struct writer;

struct ledger {
    sqlite3 *db;
    char path[PATH_MAX];
    int lock; /* -1: none */
    struct plan *plan;
    struct ledger_scenario *scenarios;
    lr_game **games; /* opened for replays */
    sqlite3_stmt *reading;
    struct writer *writer; /* NULL: only read */
};

/* ---- ledger.c ---- */

/* The sentence of SQLite's last fault: "cannot WHAT the ledger PATH: ...". Returns LR_E_IO. */
int ledger_fail(const struct ledger *ledger, const char *what, lr_error *error);
int ledger_run(struct ledger *ledger, const char *sql, const char *what, lr_error *error);

/* NULL on a fault; SQLite's calls take NULL for a misuse, without harm, and their code is looked at. */
sqlite3_stmt *ledger_prepare(const struct ledger *ledger, const char *sql);

struct ledger *ledger_new(const char *path, lr_error *error); /* of that path, with nothing open */
int ledger_open_database(struct ledger *ledger, const char *path, int flags, lr_error *error);
int ledger_open_to_write(struct ledger *ledger, lr_error *error);

/* Whether it is a ledger at all: asked before anything is written to somebody's database. */
int ledger_read_format(struct ledger *ledger, lr_error *error);
int ledger_read_head(struct ledger *ledger, lr_error *error); /* plan and scenarios */
void ledger_forget_head(struct ledger *ledger);
void ledger_forget_scenarios(struct ledger_scenario *scenarios, unsigned count);

/* ---- ledger_rows.c ---- */

#define ROW_COLUMNS                                                                                                    \
    "id, scenario, union_bot, confederate_bot, seed, ending, at_fault, winner, score, decisions, dice, legal, hash, "  \
    "union_us, confederate_us, reason, actions, checksum"
#define ROW_INSERT                                                                                                     \
    "INSERT OR IGNORE INTO game(" ROW_COLUMNS ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

int row_insert(sqlite3_stmt *statement, const struct ledger_game *game, const uint16_t *actions); /* SQLite's code */
const char *row_text(sqlite3_stmt *row, int column);                                              /* "" for none */

/* Takes the row that a statement over ROW_COLUMNS stands on; *actions is valid until its next step. */
void row_take(sqlite3_stmt *row, struct ledger_game *game, const uint16_t **actions);

/* Whether the row that was taken is whole, and a game of the plan. */
bool row_is_sound(const struct plan *plan, sqlite3_stmt *row, const struct ledger_game *game, const uint16_t *actions);

/* ---- ledger_make.c ---- */

int ledger_take_lock(struct ledger *ledger, lr_error *error);
void ledger_give_lock(struct ledger *ledger);

/* PATH with something after it, in a buffer of its own. */
enum { BESIDE = PATH_MAX + 16 };
const char *ledger_beside(const char *path, const char *ending, char name[BESIDE]);

/* A new database at PATH.new, open; and giving it, closed, its name. */
int ledger_make_beside(struct ledger *ledger, const struct plan *plan, const struct ledger_scenario *scenarios,
                       lr_error *error);
int ledger_settle(struct ledger *ledger, lr_error *error);
int ledger_make(struct ledger *ledger, const struct plan *plan, const lr_game *const *games, lr_error *error);

/* ---- ledger_repair.c ---- */

int ledger_take_up(struct ledger *ledger, int64_t *lost, lr_error *error); /* as ledger_resume, under the lock */

/* ---- ledger_writer.c ---- */

int writer_start(struct ledger *ledger, lr_error *error);
bool writer_stop(struct ledger *ledger); /* writes what is queued; false if a write had failed */

#endif
