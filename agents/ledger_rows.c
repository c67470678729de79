/* ledger_rows.c: a game as a row of the ledger's table, written, read, and proved by its checksum. */
#include "agents/ledger_parts.h"
#include "env/game.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

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

/* ---- Names and numbers ---- */

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
static uint64_t checksum(const struct ledger_game *game, const uint16_t *actions) {
    const struct game_result *r = &game->result;
    char text[1024];
    const int length = snprintf(text, sizeof text, "%lld %d %d %d %llu %d %d %d %d %u %u %u %llu %llu %lld %lld %s",
                                (long long)game->id, game->scenario, game->bots[0], game->bots[1],
                                (unsigned long long)game->seed, r->end, r->at_fault, r->winner, r->score, r->decisions,
                                r->dice, r->length, (unsigned long long)r->legal, (unsigned long long)r->hash,
                                (long long)r->thought_us[0], (long long)r->thought_us[1], r->reason);
    return XXH3_64bits_withSeed(actions, (size_t)r->length * sizeof(uint16_t), XXH3_64bits(text, (size_t)length));
}

/* ---- Writing ---- */

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

int row_insert(sqlite3_stmt *statement, const struct ledger_game *game, const uint16_t *actions) {
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

/* ---- Reading ---- */

const char *row_text(sqlite3_stmt *row, int column) {
    const char *text = (const char *)sqlite3_column_text(row, column);
    return text ? text : "";
}

void row_take(sqlite3_stmt *row, struct ledger_game *game, const uint16_t **actions) {
    struct game_result *r = &game->result;
    *game = (struct ledger_game){.id = sqlite3_column_int64(row, ID), .scenario = sqlite3_column_int(row, SCENARIO)};
    game->bots[LR_UNION] = sqlite3_column_int(row, UNION_BOT);
    game->bots[LR_CONFEDERATE] = sqlite3_column_int(row, CONFEDERATE_BOT);
    game->seed = strtoull(row_text(row, SEED), NULL, 10);
    r->end = end_of(row_text(row, ENDING));
    r->at_fault = side_of(row_text(row, AT_FAULT));
    r->winner = side_of(row_text(row, WINNER));
    r->score = sqlite3_column_int(row, SCORE);
    r->decisions = (uint32_t)sqlite3_column_int64(row, DECISIONS);
    r->dice = (uint32_t)sqlite3_column_int64(row, DICE);
    r->legal = (uint64_t)sqlite3_column_int64(row, LEGAL);
    r->hash = strtoull(row_text(row, HASH), NULL, 16);
    r->thought_us[LR_UNION] = sqlite3_column_int64(row, UNION_US);
    r->thought_us[LR_CONFEDERATE] = sqlite3_column_int64(row, CONFEDERATE_US);
    snprintf(r->reason, sizeof r->reason, "%s", row_text(row, REASON));
    *actions = sqlite3_column_blob(row, ACTIONS);
    r->length = (uint32_t)((size_t)sqlite3_column_bytes(row, ACTIONS) / sizeof **actions);
}

bool row_is_sound(const struct plan *plan, sqlite3_stmt *row, const struct ledger_game *game, const uint16_t *actions) {
    if (game->id < 0 || game->id >= schedule_games(plan) || game->result.end == GAME_STOPPED) return false;
    const struct fixture fixture = schedule_game(plan, game->id);
    return game->scenario == fixture.scenario && game->bots[0] == fixture.bots[0] && game->bots[1] == fixture.bots[1] &&
           game->seed == fixture.seed && strtoull(row_text(row, CHECKSUM), NULL, 16) == checksum(game, actions);
}
