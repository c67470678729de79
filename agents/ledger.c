/* ledger.c: see ledger.h. Reading, proving and repairing rows come first, then the thread that writes them.
 *
 * A ledger is made under another name, whole, and then gets its own: a file by that name always has its plan. Of SQLite's
 * promises these are used: a transaction is there or not after kill -9 (WAL, synchronous NORMAL); a checkpoint syncs the
 * WAL before and the database after it (hence one every ten seconds, for power cuts). Its locks are not used to
 * keep a second runner out, since readers are welcome: that is an fcntl lock on a file of its own. */
#include "agents/ledger.h"
#include "agents/agent.h"
#include "env/game.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

enum {
    APPLICATION = 0x4c6f6e67, /* "Long": marks the file as a ledger */
    FORMAT = 1,
    GROUP = 100, /* games a commit, or what has come in so long: */
    PAUSE_MS = 200,
    QUEUE = 1000, /* games that may wait */
    CHECKPOINT_S = 10,
    BUSY_MS = 5000
};

/* A finished game on its way to the disk. */
struct entry {
    struct ledger_game game;
    uint16_t actions[];
};

struct ledger {
    sqlite3 *db;
    char path[PATH_MAX];
    int lock; /* -1: none */
    struct plan *plan;
    struct ledger_scenario *scenarios;
    lr_game **games; /* opened for replays */
    sqlite3_stmt *reading;

    /* The writer. All below is guarded by `mutex`, but for what only its thread touches. */
    bool writes;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t news, room; /* for the writer: something came; for the others: something was written */
    struct entry *queue[QUEUE];
    int queued;
    bool writing, hurry, closing, failed;
    lr_error fault;
    sqlite3_stmt *insertion; /* the thread's own, as is: */
    struct timespec checkpointed;
};

/* ---- SQLite's errors as sentences ---- */

/* What the system said is in errno: SQLite tells it only of some calls. It notes all its faults, but for values that could
 * not be bound, and those are of memory. */
static int fail_sql(const struct ledger *ledger, const char *what, lr_error *error) {
    const int system = errno, code = sqlite3_errcode(ledger->db) & 0xff;
    const bool damaged = code == SQLITE_CORRUPT, disk = code == SQLITE_IOERR || code == SQLITE_CANTOPEN;
    return lr_fail(error, LR_E_IO, "cannot %s the ledger %.120s: %s%s%s", what, ledger->path,
                   sqlite3_errmsg(ledger->db),
                   disk && system ? ": "
                   : damaged      ? "; resuming repairs it"
                                  : "",
                   disk && system ? strerror(system) : "");
}

static int run(struct ledger *ledger, const char *sql, const char *what, lr_error *error) {
    errno = 0;
    return sqlite3_exec(ledger->db, sql, NULL, NULL, NULL) ? fail_sql(ledger, what, error) : LR_OK;
}

static sqlite3_stmt *prepare(const struct ledger *ledger, const char *sql) {
    sqlite3_stmt *statement = NULL;
    sqlite3_prepare_v2(ledger->db, sql, -1, &statement, NULL);
    return statement; /* NULL on a fault; SQLite's calls take NULL for a misuse, without harm */
}

/* ---- Rows ---- */

static const char *side_name(int side) {
    return side == LR_UNION ? "union" : side == LR_CONFEDERATE ? "confederate" : NULL;
}

static int side_of(const char *name) {
    if (!name) return LR_NOBODY;
    return !strcmp(name, "union") ? LR_UNION : !strcmp(name, "confederate") ? LR_CONFEDERATE : LR_NOBODY;
}

/* GAME_STOPPED, which no row has, if there is no such ending. */
static int end_of(const char *name) {
    int end = GAME_PLAYED;
    while (end < GAME_STOPPED && (!name || strcmp(name, game_end_name(end)))) end++;
    return end;
}

/* Over everything that a row says, in a fixed text form, and the actions' bytes. */
static uint64_t checksum(const struct ledger_game *game, const void *actions) {
    const struct game_result *r = &game->result;
    char text[1024];
    const int length = snprintf(text, sizeof text, "%lld %d %d %d %llu %d %d %d %d %u %u %u %llu %llu %lld %lld %s",
                                (long long)game->id, game->scenario, game->bots[0], game->bots[1],
                                (unsigned long long)game->seed, r->end, r->at_fault, r->winner, r->score, r->decisions,
                                r->dice, r->length, (unsigned long long)r->legal, (unsigned long long)r->hash,
                                (long long)r->thought_us[0], (long long)r->thought_us[1], r->reason);
    return XXH3_64bits_withSeed(actions, (size_t)r->length * sizeof(uint16_t), XXH3_64bits(text, (size_t)length));
}

#define COLUMNS                                                                                                        \
    "id, scenario, union_bot, confederate_bot, seed, ending, at_fault, winner, score, decisions, dice, legal, hash, "  \
    "union_us, confederate_us, reason, actions, checksum"

enum column {
    ID,
    SCENARIO,
    UNION_BOT,
    CONFEDERATE_BOT,
    SEED,
    ENDING,
    AT_FAULT,
    WINNER,
    SCORE,
    DECISIONS,
    DICE,
    LEGAL,
    HASH,
    UNION_US,
    CONFEDERATE_US,
    REASON,
    ACTIONS,
    CHECKSUM
};

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

/* A row being bound. A value that could not be copied would leave the one of the row before: so faults are kept. */
struct binding {
    sqlite3_stmt *statement;
    int fault; /* SQLite's code of the first */
};

static void note(struct binding *row, int code) {
    if (!row->fault) row->fault = code;
}

static void bind_text(struct binding *row, int column, const char *text) {
    note(row, sqlite3_bind_text(row->statement, column + 1, text, -1, SQLITE_TRANSIENT));
}

static void bind_number(struct binding *row, int column, int64_t number) {
    note(row, sqlite3_bind_int64(row->statement, column + 1, number));
}

/* SQLite has no unsigned 64-bit numbers: seeds are decimal texts, as in replays, and hashes hexadecimal ones. */
static void bind_unsigned(struct binding *row, int column, const char *format, uint64_t number) {
    char text[24];
    snprintf(text, sizeof text, format, number);
    bind_text(row, column, text);
}

static void bind_actions(struct binding *row, const uint16_t *actions, uint32_t length) {
    const void *bytes = length ? (const void *)actions : "";
    note(row, sqlite3_bind_blob(row->statement, ACTIONS + 1, bytes, (int)(length * sizeof *actions), SQLITE_STATIC));
}

/* SQLITE_OK or SQLite's code. */
static int insert(sqlite3_stmt *statement, const struct ledger_game *game, const uint16_t *actions) {
    const struct game_result *r = &game->result;
    struct binding row = {.statement = statement};
    bind_number(&row, ID, game->id);
    bind_number(&row, SCENARIO, game->scenario);
    bind_number(&row, UNION_BOT, game->bots[LR_UNION]);
    bind_number(&row, CONFEDERATE_BOT, game->bots[LR_CONFEDERATE]);
    bind_unsigned(&row, SEED, "%" PRIu64, game->seed);
    bind_text(&row, ENDING, game_end_name(r->end));
    bind_text(&row, AT_FAULT, side_name(r->at_fault));
    bind_text(&row, WINNER, r->winner == LR_NOBODY ? "draw" : side_name(r->winner));
    bind_number(&row, SCORE, r->score);
    bind_number(&row, DECISIONS, r->decisions);
    bind_number(&row, DICE, r->dice);
    bind_number(&row, LEGAL, (int64_t)r->legal);
    bind_unsigned(&row, HASH, "%016" PRIX64, r->hash);
    bind_number(&row, UNION_US, r->thought_us[LR_UNION]);
    bind_number(&row, CONFEDERATE_US, r->thought_us[LR_CONFEDERATE]);
    bind_text(&row, REASON, r->reason);
    bind_actions(&row, actions, r->length);
    bind_unsigned(&row, CHECKSUM, "%016" PRIX64, checksum(game, actions));
    if (row.fault) return row.fault;
    const int stepped = sqlite3_step(statement);
    sqlite3_reset(statement);
    return stepped == SQLITE_DONE ? SQLITE_OK : stepped;
}

static const char *text_at(sqlite3_stmt *row, int column) {
    const char *text = (const char *)sqlite3_column_text(row, column);
    return text ? text : "";
}

/* Takes the row that a statement over COLUMNS stands on; *actions is valid until its next step. */
static void take_row(sqlite3_stmt *row, struct ledger_game *game, const uint16_t **actions) {
    struct game_result *r = &game->result;
    *game = (struct ledger_game){.id = sqlite3_column_int64(row, ID), .scenario = sqlite3_column_int(row, SCENARIO)};
    game->bots[LR_UNION] = sqlite3_column_int(row, UNION_BOT);
    game->bots[LR_CONFEDERATE] = sqlite3_column_int(row, CONFEDERATE_BOT);
    game->seed = strtoull(text_at(row, SEED), NULL, 10);
    r->end = end_of(text_at(row, ENDING));
    r->at_fault = side_of(text_at(row, AT_FAULT));
    r->winner = side_of(text_at(row, WINNER));
    r->score = sqlite3_column_int(row, SCORE);
    r->decisions = (uint32_t)sqlite3_column_int64(row, DECISIONS);
    r->dice = (uint32_t)sqlite3_column_int64(row, DICE);
    r->legal = (uint64_t)sqlite3_column_int64(row, LEGAL);
    r->hash = strtoull(text_at(row, HASH), NULL, 16);
    r->thought_us[LR_UNION] = sqlite3_column_int64(row, UNION_US);
    r->thought_us[LR_CONFEDERATE] = sqlite3_column_int64(row, CONFEDERATE_US);
    snprintf(r->reason, sizeof r->reason, "%s", text_at(row, REASON));
    *actions = sqlite3_column_blob(row, ACTIONS);
    r->length = (uint32_t)((size_t)sqlite3_column_bytes(row, ACTIONS) / sizeof **actions);
}

/* Whether a row is whole and a game of the plan. */
static bool is_sound(const struct plan *plan, const struct ledger_game *game, const void *actions, const char *sum) {
    if (game->id < 0 || game->id >= schedule_games(plan) || game->result.end == GAME_STOPPED) return false;
    const struct fixture fixture = schedule_game(plan, game->id);
    return game->scenario == fixture.scenario && game->bots[0] == fixture.bots[0] && game->bots[1] == fixture.bots[1] &&
           game->seed == fixture.seed && strtoull(sum, NULL, 16) == checksum(game, actions);
}

/* ---- Opening ---- */

static struct ledger *new_ledger(const char *path, lr_error *error) {
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

static int open_database(struct ledger *ledger, const char *path, int flags, lr_error *error) {
    struct stat about;
    if (!(flags & SQLITE_OPEN_CREATE) && stat(path, &about)) {
        const int code = errno == ENOENT || errno == ENOTDIR ? LR_E_NOT_FOUND : LR_E_IO;
        return lr_fail(error, code, "there is no ledger %.200s: %s", path, strerror(errno));
    }
    if (sqlite3_open_v2(path, &ledger->db, flags, NULL)) return fail_sql(ledger, "open", error);
    sqlite3_extended_result_codes(ledger->db, 1);
    sqlite3_busy_timeout(ledger->db, BUSY_MS);
    return LR_OK;
}

static int read_plan(struct ledger *ledger, lr_error *error) {
    sqlite3_stmt *row = prepare(ledger, "SELECT value FROM meta WHERE key = 'plan'");
    int code = LR_OK;
    if (sqlite3_step(row) != SQLITE_ROW)
        code = fail_sql(ledger, "read the plan in", error);
    else
        code = plan_read("the plan in the ledger", (const char *)sqlite3_column_text(row, 0),
                         (size_t)sqlite3_column_bytes(row, 0), &ledger->plan, error);
    sqlite3_finalize(row);
    return code;
}

static int read_scenarios(struct ledger *ledger, lr_error *error) {
    const int count = (int)ledger->plan->scenario_count;
    ledger->scenarios = calloc((size_t)count, sizeof *ledger->scenarios);
    ledger->games = calloc((size_t)count, sizeof *ledger->games);
    if (!ledger->scenarios || !ledger->games) return lr_fail(error, LR_E_MEMORY, "no memory for a ledger");
    sqlite3_stmt *row = prepare(ledger, "SELECT name, hash, ruleset, version FROM scenario ORDER BY id");
    int code = LR_OK;
    for (int i = 0; i < count && !code; i++) {
        struct ledger_scenario *scenario = &ledger->scenarios[i];
        if (sqlite3_step(row) != SQLITE_ROW) {
            code = fail_sql(ledger, "read the scenarios in", error);
            break;
        }
        scenario->name = strdup(text_at(row, 0));
        scenario->hash = strtoull(text_at(row, 1), NULL, 16);
        scenario->ruleset = strdup(text_at(row, 2));
        scenario->version = sqlite3_column_int(row, 3);
        if (!scenario->name || !scenario->ruleset) code = lr_fail(error, LR_E_MEMORY, "no memory for a ledger");
    }
    sqlite3_finalize(row);
    return code;
}

static int read_number(struct ledger *ledger, const char *sql, int *number, lr_error *error) {
    sqlite3_stmt *row = prepare(ledger, sql);
    const int stepped = sqlite3_step(row);
    *number = stepped == SQLITE_ROW ? sqlite3_column_int(row, 0) : 0;
    sqlite3_finalize(row);
    return stepped == SQLITE_ROW ? LR_OK : fail_sql(ledger, "read", error);
}

/* Whether the file is a ledger at all, before anything is written to somebody's database. */
static int read_format(struct ledger *ledger, lr_error *error) {
    int application, format = 0, code = read_number(ledger, "PRAGMA application_id", &application, error);
    if (!code) code = read_number(ledger, "PRAGMA user_version", &format, error);
    if (sqlite3_errcode(ledger->db) == SQLITE_NOTADB || (!code && application != APPLICATION))
        return lr_fail(error, LR_E_IO, "%.200s is no ledger of a tournament", ledger->path);
    if (code || format == FORMAT) return code;
    return lr_fail(error, LR_E_IO, "the ledger %.200s has format %d, and this program reads format %d", ledger->path,
                   format, FORMAT);
}

static int read_head(struct ledger *ledger, lr_error *error) {
    const int code = read_plan(ledger, error);
    return code ? code : read_scenarios(ledger, error);
}

int ledger_open(const char *path, struct ledger **ledger, lr_error *error) {
    struct ledger *made = new_ledger(path, error);
    if (!made) return LR_E_MEMORY;
    /* Writable where it can be: what a killed runner left half-done has to be rolled back before it can be read. */
    int code = open_database(made, path, SQLITE_OPEN_READWRITE, error);
    if (!code) code = run(made, "PRAGMA query_only = ON", "read", error);
    if (!code) code = read_format(made, error);
    if (!code) code = read_head(made, error);
    if (code) {
        ledger_close(made);
        return code;
    }
    *ledger = made;
    return LR_OK;
}

const struct plan *ledger_plan(const struct ledger *ledger) { return ledger->plan; }
const struct ledger_scenario *ledger_scenario(const struct ledger *ledger, int index) {
    return &ledger->scenarios[index];
}

/* ---- Reading games ---- */

int ledger_next(struct ledger *ledger, struct ledger_game *game, lr_error *error) {
    if (!ledger->reading) ledger->reading = prepare(ledger, "SELECT " COLUMNS " FROM game ORDER BY id");
    const int stepped = sqlite3_step(ledger->reading);
    if (stepped == SQLITE_ROW) {
        const uint16_t *actions;
        take_row(ledger->reading, game, &actions);
        return 1;
    }
    const int code = stepped == SQLITE_DONE ? 0 : fail_sql(ledger, "read", error);
    sqlite3_finalize(ledger->reading);
    ledger->reading = NULL;
    return code;
}

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
    sqlite3_stmt *row = prepare(ledger, "SELECT " COLUMNS " FROM game WHERE id = ?");
    sqlite3_bind_int64(row, 1, id);
    const int stepped = sqlite3_step(row);
    struct ledger_game game;
    const uint16_t *actions;
    const lr_game *rules;
    int code = LR_OK;
    if (stepped == SQLITE_ROW) {
        take_row(row, &game, &actions);
        if (!is_sound(ledger->plan, &game, actions, text_at(row, CHECKSUM)))
            code = lr_fail(error, LR_E_IO, "game %lld in the ledger %.200s is damaged; resuming repairs it",
                           (long long)id, ledger->path);
        if (!code) code = game_of(ledger, game.scenario, &rules, error);
        if (!code) code = play_again(ledger->plan, rules, &game, actions, text, error);
    } else {
        code = stepped == SQLITE_DONE ? lr_fail(error, LR_E_NOT_FOUND, "there is no game %lld in the ledger %.200s",
                                                (long long)id, ledger->path)
                                      : fail_sql(ledger, "read", error);
    }
    sqlite3_finalize(row);
    return code;
}

/* ---- The lock ---- */

/* The lock file goes when its holder closes it, so one that was opened before may be no longer the one by that name. */
static bool is_named(int file, const char *name) {
    struct stat opened, named;
    return fstat(file, &opened) == 0 && stat(name, &named) == 0 && opened.st_ino == named.st_ino &&
           opened.st_dev == named.st_dev;
}

static int take_lock(struct ledger *ledger, lr_error *error) {
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

static void give_lock(struct ledger *ledger) {
    if (ledger->lock < 0) return;
    char name[PATH_MAX + 8];
    snprintf(name, sizeof name, "%s.lock", ledger->path);
    unlink(name);
    close(ledger->lock);
    ledger->lock = -1;
}

/* ---- Making one ---- */

/* PATH with something after it, in a buffer of its own. */
static const char *beside(const char *path, const char *ending, char name[PATH_MAX + 16]) {
    snprintf(name, PATH_MAX + 16, "%s%s", path, ending);
    return name;
}

static void put_row(struct ledger *ledger, const char *sql, int64_t id, const char *const texts[3], int64_t number,
                    int *bad) {
    sqlite3_stmt *row = prepare(ledger, sql);
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
                                       APPLICATION, FORMAT, schema, text, LR_VERSION)
                     : NULL;
    free(text);
    if (!sql) return lr_fail(error, LR_E_MEMORY, "no memory for a ledger");
    int code = run(ledger, sql, "make", error), bad = 0;
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
    return bad ? fail_sql(ledger, "make", error) : run(ledger, "COMMIT", "make", error);
}

/* A new database at PATH.new, which is whatever was left there no more. */
static int make_beside(struct ledger *ledger, const struct plan *plan, const struct ledger_scenario *scenarios,
                       lr_error *error) {
    char name[PATH_MAX + 16], journal[PATH_MAX + 16];
    unlink(beside(ledger->path, ".new", name));
    unlink(beside(ledger->path, ".new-journal", journal));
    int code = open_database(ledger, name, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, error);
    if (!code) code = write_head(ledger, plan, scenarios, error);
    return code;
}

/* Gives PATH.new its name. What an older database may have left by that name must not be taken for its WAL. */
static int settle(struct ledger *ledger, lr_error *error) {
    char name[PATH_MAX + 16], other[PATH_MAX + 16];
    const int closed = sqlite3_close(ledger->db);
    ledger->db = NULL;
    if (closed) return lr_fail(error, LR_E_IO, "cannot close the new ledger %.200s", ledger->path);
    unlink(beside(ledger->path, "-wal", other));
    unlink(beside(ledger->path, "-shm", other));
    if (rename(beside(ledger->path, ".new", name), ledger->path))
        return lr_fail(error, LR_E_IO, "cannot make the ledger %.200s: %s", ledger->path, strerror(errno));
    return LR_OK;
}

static void forget_scenarios(struct ledger_scenario *scenarios, unsigned count) {
    for (unsigned i = 0; scenarios && i < count; i++) {
        free(scenarios[i].name);
        free(scenarios[i].ruleset);
    }
    free(scenarios);
}

/* ---- Proving and repairing ---- */

/* Steps through all games and deletes those that are not sound. SQLITE_OK or SQLite's code. */
static int prove_rows(struct ledger *ledger, int64_t *lost) {
    sqlite3_stmt *row = prepare(ledger, "SELECT " COLUMNS " FROM game"),
                 *deletion = prepare(ledger, "DELETE FROM game WHERE id = ?");
    int stepped;
    while ((stepped = sqlite3_step(row)) == SQLITE_ROW) {
        struct ledger_game game;
        const uint16_t *actions;
        take_row(row, &game, &actions);
        if (is_sound(ledger->plan, &game, actions, text_at(row, CHECKSUM))) continue;
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
    sqlite3_stmt *row = prepare(ledger, "PRAGMA quick_check(1)");
    const int stepped = sqlite3_step(row);
    const bool sound = stepped == SQLITE_ROW && !strcmp(text_at(row, 0), "ok");
    sqlite3_finalize(row);
    return sound ? SQLITE_OK : stepped == SQLITE_ROW ? SQLITE_CORRUPT : sqlite3_errcode(ledger->db);
}

static bool is_damage(int code) { return (code & 0xff) == SQLITE_CORRUPT; }

/* Copies the sound games of a damaged database, asking for each by its id, so that a broken page costs no more than
 * the rows on it. SQLITE_OK or the code of a failed write. */
static int copy_games(const struct ledger *from, struct ledger *to) {
    sqlite3_stmt *row = prepare(from, "SELECT " COLUMNS " FROM game WHERE id = ?");
    sqlite3_stmt *insertion = prepare(to, "INSERT INTO game(" COLUMNS ") VALUES "
                                          "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    int code = sqlite3_exec(to->db, "BEGIN", NULL, NULL, NULL);
    for (int64_t id = 0; id < schedule_games(from->plan) && !code; id++) {
        sqlite3_bind_int64(row, 1, id);
        if (sqlite3_step(row) == SQLITE_ROW) {
            struct ledger_game game;
            const uint16_t *actions;
            take_row(row, &game, &actions);
            if (is_sound(from->plan, &game, actions, text_at(row, CHECKSUM))) code = insert(insertion, &game, actions);
        }
        sqlite3_reset(row);
    }
    sqlite3_finalize(row);
    sqlite3_finalize(insertion);
    return code ? code : sqlite3_exec(to->db, "COMMIT", NULL, NULL, NULL);
}

/* Moves the damaged database aside, its WAL with it: left behind, it would be played into the new one. */
static int set_aside(const struct ledger *ledger, lr_error *error) {
    static const char *const parts[] = {"", "-wal"};
    char from[PATH_MAX + 16], to[PATH_MAX + 16], ending[16];
    for (int i = 0; i < 2; i++) {
        snprintf(ending, sizeof ending, ".damaged%s", parts[i]);
        unlink(beside(ledger->path, ending, to));
        if (rename(beside(ledger->path, parts[i], from), to) && errno != ENOENT)
            return lr_fail(error, LR_E_IO, "cannot set the damaged ledger %.200s aside: %s", from, strerror(errno));
    }
    return LR_OK;
}

/* Reads what can be read; `writable_schema` makes SQLite open a file that is shorter than it says. */
static int salvage(struct ledger *ledger, lr_error *error) {
    struct ledger *from = new_ledger(ledger->path, error);
    if (!from) return LR_E_MEMORY;
    int code = open_database(from, from->path, SQLITE_OPEN_READWRITE, error);
    if (!code) code = run(from, "PRAGMA writable_schema = ON", "read", error);
    if (!code) code = read_format(from, error);
    if (!code && read_head(from, error)) {
        lr_error why = error ? *error : (lr_error){0};
        code = lr_fail(error, LR_E_IO, "the ledger %.120s is damaged where its plan stands and cannot be resumed (%s)",
                       ledger->path, why.text);
    }
    if (!code) code = make_beside(ledger, from->plan, from->scenarios, error);
    if (!code && copy_games(from, ledger)) code = fail_sql(ledger, "repair", error);
    ledger_close(from);
    if (!code) code = set_aside(ledger, error);
    return code ? code : settle(ledger, error);
}

/* ---- The writer's thread ---- */

static void note_fault(struct ledger *ledger, const lr_error *fault) {
    if (!ledger->failed) ledger->fault = *fault;
    ledger->failed = true;
}

static int64_t ms_since(const struct timespec *then) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec - then->tv_sec) * 1000 + (now.tv_nsec - then->tv_nsec) / 1000000;
}

/* A reader may hold a checkpoint up: then the next one does it. */
static int checkpoint(struct ledger *ledger, lr_error *error) {
    if (ms_since(&ledger->checkpointed) < INT64_C(1000) * CHECKPOINT_S) return LR_OK;
    const int code = sqlite3_wal_checkpoint_v2(ledger->db, NULL, SQLITE_CHECKPOINT_FULL, NULL, NULL);
    clock_gettime(CLOCK_MONOTONIC, &ledger->checkpointed);
    return code && (code & 0xff) != SQLITE_BUSY ? fail_sql(ledger, "write", error) : LR_OK;
}

static int write_group(struct ledger *ledger, struct entry *const *entries, int count, lr_error *error) {
    int code = run(ledger, "BEGIN IMMEDIATE", "write", error);
    if (code) return code;
    for (int i = 0; i < count && !code; i++)
        if (insert(ledger->insertion, &entries[i]->game, entries[i]->actions)) code = fail_sql(ledger, "write", error);
    if (!code) code = run(ledger, "COMMIT", "write", error);
    if (code) sqlite3_exec(ledger->db, "ROLLBACK", NULL, NULL, NULL);
    return code ? code : checkpoint(ledger, error);
}

/* Waits until there is a group to write; false when there never will be. Called with the mutex held. */
static bool wait_for_group(struct ledger *ledger) {
    while (!ledger->queued && !ledger->closing) pthread_cond_wait(&ledger->news, &ledger->mutex);
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += PAUSE_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    while (ledger->queued < GROUP && !ledger->closing && !ledger->hurry)
        if (pthread_cond_timedwait(&ledger->news, &ledger->mutex, &until) == ETIMEDOUT) break;
    return ledger->queued > 0;
}

static void *write_games(void *context) {
    struct ledger *ledger = context;
    static_assert(QUEUE * sizeof(void *) < 64 * 1024, "the group fits on the stack");
    struct entry *group[QUEUE];
    pthread_mutex_lock(&ledger->mutex);
    while (wait_for_group(ledger)) {
        const int count = ledger->queued;
        memcpy(group, ledger->queue, (size_t)count * sizeof *group);
        ledger->queued = 0;
        ledger->writing = true;
        const bool failed = ledger->failed;
        pthread_mutex_unlock(&ledger->mutex);
        lr_error fault;
        const int code = failed ? LR_OK : write_group(ledger, group, count, &fault);
        for (int i = 0; i < count; i++) free(group[i]);
        pthread_mutex_lock(&ledger->mutex);
        if (code) note_fault(ledger, &fault);
        ledger->writing = false;
        pthread_cond_broadcast(&ledger->room);
    }
    pthread_mutex_unlock(&ledger->mutex);
    return NULL;
}

static int start_writer(struct ledger *ledger, lr_error *error) {
    ledger->insertion = prepare(ledger, "INSERT OR IGNORE INTO game(" COLUMNS ") VALUES "
                                        "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    if (!ledger->insertion) return fail_sql(ledger, "write", error);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&ledger->mutex, NULL);
    pthread_cond_init(&ledger->news, &monotonic);
    pthread_cond_init(&ledger->room, NULL);
    pthread_condattr_destroy(&monotonic);
    clock_gettime(CLOCK_MONOTONIC, &ledger->checkpointed);
    if (pthread_create(&ledger->thread, NULL, write_games, ledger))
        return lr_fail(error, LR_E_MEMORY, "no thread for the ledger");
    ledger->writes = true;
    return LR_OK;
}

bool ledger_put(struct ledger *ledger, const struct ledger_game *game, const uint16_t *actions) {
    const size_t bytes = (size_t)game->result.length * sizeof *actions;
    struct entry *entry = malloc(sizeof *entry + bytes);
    if (entry) {
        entry->game = *game;
        memcpy(entry->actions, actions, bytes);
    }
    pthread_mutex_lock(&ledger->mutex);
    if (!entry) {
        lr_error fault;
        lr_fail(&fault, LR_E_MEMORY, "no memory for a game's record");
        note_fault(ledger, &fault);
    }
    while (ledger->queued == QUEUE && !ledger->failed) pthread_cond_wait(&ledger->room, &ledger->mutex);
    const bool accepted = !ledger->failed;
    if (accepted) {
        ledger->queue[ledger->queued++] = entry;
        if (ledger->queued == 1 || ledger->queued == GROUP) pthread_cond_signal(&ledger->news);
    }
    pthread_mutex_unlock(&ledger->mutex);
    if (!accepted) free(entry);
    return accepted;
}

int ledger_flush(struct ledger *ledger, lr_error *error) {
    pthread_mutex_lock(&ledger->mutex);
    ledger->hurry = true;
    pthread_cond_signal(&ledger->news);
    while (ledger->queued || ledger->writing) pthread_cond_wait(&ledger->room, &ledger->mutex);
    ledger->hurry = false;
    const int code = ledger->failed ? ledger->fault.code : LR_OK;
    if (code && error) *error = ledger->fault;
    pthread_mutex_unlock(&ledger->mutex);
    return code;
}

int ledger_drop(struct ledger *ledger, int64_t id, lr_error *error) {
    const int code = ledger_flush(ledger, error);
    if (code) return code;
    sqlite3_stmt *deletion = prepare(ledger, "DELETE FROM game WHERE id >= ?");
    sqlite3_bind_int64(deletion, 1, id);
    const int stepped = sqlite3_step(deletion);
    sqlite3_finalize(deletion);
    return stepped == SQLITE_DONE ? LR_OK : fail_sql(ledger, "write", error);
}

/* ---- Opening to write, and closing ---- */

static int open_to_write(struct ledger *ledger, lr_error *error) {
    int code = open_database(ledger, ledger->path, SQLITE_OPEN_READWRITE, error);
    if (!code) code = read_format(ledger, error);
    if (!code) code = run(ledger, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL", "write", error);
    return code;
}

static int create(struct ledger *ledger, const struct plan *plan, const lr_game *const *games, lr_error *error) {
    struct ledger_scenario *scenarios = calloc(plan->scenario_count, sizeof *scenarios);
    if (!scenarios) return lr_fail(error, LR_E_MEMORY, "no memory for a ledger");
    for (unsigned i = 0; i < plan->scenario_count; i++) {
        const lr_info *info = lr_game_info(games[i]);
        scenarios[i] = (struct ledger_scenario){.name = strdup(plan->scenarios[i]),
                                                .ruleset = strdup(info->ruleset),
                                                .hash = info->scenario_hash,
                                                .version = info->ruleset_version};
    }
    int code = make_beside(ledger, plan, scenarios, error);
    forget_scenarios(scenarios, plan->scenario_count);
    if (!code) code = settle(ledger, error);
    if (!code) code = open_to_write(ledger, error);
    return code ? code : read_head(ledger, error);
}

int ledger_create(const char *path, const struct plan *plan, const lr_game *const *games, struct ledger **ledger,
                  lr_error *error) {
    struct ledger *made = new_ledger(path, error);
    if (!made) return LR_E_MEMORY;
    int code = take_lock(made, error);
    if (!code && access(path, F_OK) == 0) code = lr_fail(error, LR_E_IO, "there is a %.200s already", path);
    if (!code) code = create(made, plan, games, error);
    if (!code) code = start_writer(made, error);
    if (code) {
        ledger_close(made);
        return code;
    }
    *ledger = made;
    return LR_OK;
}

static void close_database(struct ledger *ledger) {
    sqlite3_close(ledger->db);
    ledger->db = NULL;
}

/* Opens and proves; *damage gets SQLite's code if it is damage, and the database is closed again. */
static int open_and_prove(struct ledger *ledger, int64_t *lost, int *damage, lr_error *error) {
    int code = open_to_write(ledger, error), reason = code && ledger->db ? sqlite3_errcode(ledger->db) : SQLITE_OK;
    if (!code && (reason = check_structure(ledger))) code = fail_sql(ledger, "read", error);
    if (!code && (code = read_head(ledger, error))) reason = sqlite3_errcode(ledger->db);
    if (!code && (reason = prove_rows(ledger, lost))) code = fail_sql(ledger, "read", error);
    *damage = code && is_damage(reason) ? reason : SQLITE_OK;
    return code;
}

static void forget_head(struct ledger *ledger) {
    if (!ledger->plan) return;
    forget_scenarios(ledger->scenarios, ledger->plan->scenario_count);
    free(ledger->games);
    plan_close(ledger->plan);
    ledger->scenarios = NULL;
    ledger->games = NULL;
    ledger->plan = NULL;
}

static int resume(struct ledger *ledger, int64_t *lost, lr_error *error) {
    int damage;
    *lost = 0;
    int code = open_and_prove(ledger, lost, &damage, error);
    if (!damage) return code;
    close_database(ledger);
    forget_head(ledger);
    code = salvage(ledger, error);
    if (!code) code = open_and_prove(ledger, lost, &damage, error);
    *lost = -1;
    return code;
}

int ledger_resume(const char *path, struct ledger **ledger, int64_t *lost, lr_error *error) {
    struct ledger *made = new_ledger(path, error);
    if (!made) return LR_E_MEMORY;
    int code = access(path, F_OK) ? lr_fail(error, LR_E_NOT_FOUND, "there is no ledger %.200s", path) : LR_OK;
    if (!code) code = take_lock(made, error);
    if (!code) code = resume(made, lost, error);
    if (!code) code = start_writer(made, error);
    if (code) {
        ledger_close(made);
        return code;
    }
    *ledger = made;
    return LR_OK;
}

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

static void stop_writer(struct ledger *ledger) {
    if (!ledger->writes) return;
    pthread_mutex_lock(&ledger->mutex);
    ledger->closing = true;
    pthread_cond_signal(&ledger->news);
    pthread_mutex_unlock(&ledger->mutex);
    pthread_join(ledger->thread, NULL);
    pthread_mutex_destroy(&ledger->mutex);
    pthread_cond_destroy(&ledger->news);
    pthread_cond_destroy(&ledger->room);
}

void ledger_close(struct ledger *ledger) {
    if (!ledger) return;
    stop_writer(ledger);
    sqlite3_finalize(ledger->insertion);
    sqlite3_finalize(ledger->reading);
    /* Into one plain file, unless a reader looks on or the disk is full. */
    if (ledger->writes && !ledger->failed) {
        sqlite3_busy_timeout(ledger->db, 0);
        sqlite3_exec(ledger->db, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
    }
    for (unsigned i = 0; ledger->games && i < ledger->plan->scenario_count; i++) lr_game_close(ledger->games[i]);
    forget_head(ledger);
    sqlite3_close(ledger->db);
    give_lock(ledger);
    free(ledger);
}
