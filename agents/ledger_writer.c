/* ledger_writer.c: the thread that writes finished games. Of SQLite's promises these are used: a transaction is there
 * or not after kill -9 (WAL, synchronous NORMAL); a checkpoint syncs the WAL before and the database after it (hence
 * one every ten seconds, for power cuts). */
#include "agents/ledger_parts.h"
#include "env/game.h"
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    GROUP = 100, /* games a commit, or what has come in so long: */
    PAUSE_MS = 200,
    QUEUE = 1000, /* games that may wait */
    CHECKPOINT_S = 10
};

/* A finished game on its way to the disk. */
struct entry {
    struct ledger_game game;
    uint16_t actions[];
};

struct writer {
    struct ledger *ledger;
    pthread_t thread;
    sqlite3_stmt *insertion; /* the thread's own, as is: */
    struct timespec checkpointed;
    pthread_mutex_t mutex;     /* guards all below */
    pthread_cond_t news, room; /* for the writer: something came; for the others: something was written */
    struct entry *queue[QUEUE];
    int queued;
    bool writing, hurry, closing, failed;
    lr_error fault; /* the first */
};

static void note_fault(struct writer *writer, const lr_error *fault) {
    if (!writer->failed) writer->fault = *fault;
    writer->failed = true;
}

/* ---- The thread ---- */

static int64_t ms_since(const struct timespec *then) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec - then->tv_sec) * 1000 + (now.tv_nsec - then->tv_nsec) / 1000000;
}

/* A reader may hold a checkpoint up: then the next one does it. */
static int checkpoint(struct writer *writer, lr_error *error) {
    if (ms_since(&writer->checkpointed) < INT64_C(1000) * CHECKPOINT_S) return LR_OK;
    errno = 0;
    const int code = sqlite3_wal_checkpoint_v2(writer->ledger->db, NULL, SQLITE_CHECKPOINT_FULL, NULL, NULL);
    clock_gettime(CLOCK_MONOTONIC, &writer->checkpointed);
    return code && (code & 0xff) != SQLITE_BUSY ? ledger_fail(writer->ledger, "write", error) : LR_OK;
}

static int write_group(struct writer *writer, struct entry *const *entries, int count, lr_error *error) {
    struct ledger *ledger = writer->ledger;
    int code = ledger_run(ledger, "BEGIN IMMEDIATE", "write", error);
    if (code) return code;
    for (int i = 0; i < count && !code; i++)
        if (row_insert(writer->insertion, &entries[i]->game, entries[i]->actions))
            code = ledger_fail(ledger, "write", error);
    if (!code) code = ledger_run(ledger, "COMMIT", "write", error);
    if (code) sqlite3_exec(ledger->db, "ROLLBACK", NULL, NULL, NULL);
    return code ? code : checkpoint(writer, error);
}

/* Waits until there is a group to write; false when there never will be. Called with the mutex held. */
static bool wait_for_group(struct writer *writer) {
    while (!writer->queued && !writer->closing) pthread_cond_wait(&writer->news, &writer->mutex);
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += PAUSE_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    while (writer->queued < GROUP && !writer->closing && !writer->hurry)
        if (pthread_cond_timedwait(&writer->news, &writer->mutex, &until) == ETIMEDOUT) break;
    return writer->queued > 0;
}

static void *write_games(void *context) {
    struct writer *writer = context;
    static_assert(QUEUE * sizeof(void *) < 64 * 1024, "the group fits on the stack");
    struct entry *group[QUEUE];
    pthread_mutex_lock(&writer->mutex);
    while (wait_for_group(writer)) {
        const int count = writer->queued;
        memcpy(group, writer->queue, (size_t)count * sizeof(struct entry *));
        writer->queued = 0;
        writer->writing = true;
        const bool failed = writer->failed;
        pthread_mutex_unlock(&writer->mutex);
        lr_error fault;
        const int code = failed ? LR_OK : write_group(writer, group, count, &fault);
        for (int i = 0; i < count; i++) free(group[i]);
        pthread_mutex_lock(&writer->mutex);
        if (code) note_fault(writer, &fault);
        writer->writing = false;
        pthread_cond_broadcast(&writer->room);
    }
    pthread_mutex_unlock(&writer->mutex);
    return NULL;
}

static void free_writer(struct writer *writer) {
    sqlite3_finalize(writer->insertion);
    pthread_mutex_destroy(&writer->mutex);
    pthread_cond_destroy(&writer->news);
    pthread_cond_destroy(&writer->room);
    free(writer);
}

int writer_start(struct ledger *ledger, lr_error *error) {
    struct writer *writer = calloc(1, sizeof *writer);
    if (!writer) return lr_fail(error, LR_E_MEMORY, "no memory for the ledger's writer");
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&writer->mutex, NULL);
    pthread_cond_init(&writer->news, &monotonic);
    pthread_cond_init(&writer->room, NULL);
    pthread_condattr_destroy(&monotonic);
    clock_gettime(CLOCK_MONOTONIC, &writer->checkpointed);
    writer->ledger = ledger;
    writer->insertion = ledger_prepare(ledger, ROW_INSERT);
    int code = writer->insertion ? LR_OK : ledger_fail(ledger, "write", error);
    if (!code && pthread_create(&writer->thread, NULL, write_games, writer))
        code = lr_fail(error, LR_E_MEMORY, "no thread for the ledger");
    if (code)
        free_writer(writer);
    else
        ledger->writer = writer;
    return code;
}

bool writer_stop(struct ledger *ledger) {
    struct writer *writer = ledger->writer;
    pthread_mutex_lock(&writer->mutex);
    writer->closing = true;
    pthread_cond_signal(&writer->news);
    pthread_mutex_unlock(&writer->mutex);
    pthread_join(writer->thread, NULL);
    const bool sound = !writer->failed;
    free_writer(writer);
    ledger->writer = NULL;
    return sound;
}

/* ---- Handing over ---- */

static struct entry *copy_game(const struct ledger_game *game, const uint16_t *actions) {
    const size_t bytes = (size_t)game->result.length * sizeof *actions;
    struct entry *entry = malloc(sizeof *entry + bytes);
    if (!entry) return NULL;
    entry->game = *game;
    memcpy(entry->actions, actions, bytes);
    return entry;
}

bool ledger_put(struct ledger *ledger, const struct ledger_game *game, const uint16_t *actions) {
    struct writer *writer = ledger->writer;
    struct entry *entry = copy_game(game, actions);
    lr_error fault;
    pthread_mutex_lock(&writer->mutex);
    if (!entry) {
        lr_fail(&fault, LR_E_MEMORY, "no memory for a game's record");
        note_fault(writer, &fault);
    }
    while (writer->queued == QUEUE && !writer->failed) pthread_cond_wait(&writer->room, &writer->mutex);
    const bool accepted = !writer->failed;
    if (accepted) {
        writer->queue[writer->queued++] = entry;
        if (writer->queued == 1 || writer->queued == GROUP) pthread_cond_signal(&writer->news);
    }
    pthread_mutex_unlock(&writer->mutex);
    if (!accepted) free(entry);
    return accepted;
}

int ledger_flush(struct ledger *ledger, lr_error *error) {
    struct writer *writer = ledger->writer;
    pthread_mutex_lock(&writer->mutex);
    writer->hurry = true;
    pthread_cond_signal(&writer->news);
    while (writer->queued || writer->writing) pthread_cond_wait(&writer->room, &writer->mutex);
    writer->hurry = false;
    const int code = writer->failed ? writer->fault.code : LR_OK;
    if (code && error) *error = writer->fault;
    pthread_mutex_unlock(&writer->mutex);
    return code;
}

int ledger_drop(struct ledger *ledger, int64_t id, lr_error *error) {
    const int code = ledger_flush(ledger, error);
    if (code) return code;
    errno = 0;
    sqlite3_stmt *deletion = ledger_prepare(ledger, "DELETE FROM game WHERE id >= ?");
    sqlite3_bind_int64(deletion, 1, id);
    const int stepped = sqlite3_step(deletion);
    sqlite3_finalize(deletion);
    return stepped == SQLITE_DONE ? LR_OK : ledger_fail(ledger, "write", error);
}
