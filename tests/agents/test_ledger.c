/* test_ledger.c: a ledger that was torn, cut or altered gives up what it cannot prove, keeps the rest, and the
 * tournament plays on to the same end.
 *
 *     agents_test_ledger [STRIDE]      cuts every STRIDE bytes (3067) of the last 64 KiB; the long form is 1
 *
 * Its files go to $TMPDIR: the long form makes a hundred thousand of them, which wants a disk in memory. */
#include "agents/tournament.h"
#include "env/game.h"
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
// cmocka needs three of the above
#include <cmocka.h>

enum { ROUNDS = 250, GAMES = 2 * ROUNDS, TAIL = 64 * 1024, PLAY_ON_EVERY = 16 };

static int stride = 3067;
static lr_game *duel;
static struct ledger_game whole[GAMES]; /* of a tournament that nothing happened to */

static void must(int code, const lr_error *error) {
    if (code) fail_msg("%s", error->text);
}

/* ---- Tournaments ---- */

static struct plan *make_plan(void) {
    struct plan *plan = plan_new();
    lr_error error;
    must(plan_add_bot(plan, NULL, "random", &error), &error);
    must(plan_add_bot(plan, "the \"other\" \\ one", "greedy", &error), &error);
    must(plan_add_scenario(plan, "cedar-mountain/duel", &error), &error);
    plan->rounds = ROUNDS;
    must(plan_check(plan, &error), &error);
    return plan;
}

static struct ledger *create(const char *path) {
    struct plan *plan = make_plan();
    const lr_game *const games[] = {duel};
    struct ledger *ledger;
    lr_error error;
    must(ledger_create(path, plan, games, &ledger, &error), &error);
    plan_close(plan);
    return ledger;
}

static struct ledger *resume(const char *path, int64_t *lost) {
    struct ledger *ledger;
    lr_error error;
    must(ledger_resume(path, &ledger, lost, &error), &error);
    return ledger;
}

static void play_on(struct ledger *ledger) {
    const lr_game *const games[] = {duel};
    const struct tournament terms = {.ledger = ledger, .games = games, .workers = 2};
    bool complete;
    lr_error error;
    must(tournament_run(&terms, &complete, &error), &error);
    assert_true(complete);
}

/* The same games by a plain loop, in commits of a few, so that a log has many of them. */
static void play_plainly(struct ledger *ledger) {
    enum { COMMIT = 10 };
    uint16_t *actions = calloc((size_t)lr_game_info(duel)->max_decisions, sizeof *actions);
    struct player *players[2];
    lr_error error;
    must(player_open("random", &players[0], &error), &error);
    must(player_open("greedy", &players[1], &error), &error);
    for (int64_t id = 0; id < GAMES; id++) {
        const struct fixture fixture = schedule_game(ledger_plan(ledger), id);
        struct ledger_game game = {.id = id, .bots = {fixture.bots[0], fixture.bots[1]}, .seed = fixture.seed};
        const struct game_terms terms = {.game = duel,
                                         .players = {players[fixture.bots[0]], players[fixture.bots[1]]},
                                         .seed = fixture.seed,
                                         .actions = actions};
        must(table_play(&terms, &game.result, &error), &error);
        assert_true(ledger_put(ledger, &game, actions));
        if (id % COMMIT == COMMIT - 1) must(ledger_flush(ledger, &error), &error);
    }
    for (int i = 0; i < 2; i++) player_close(players[i]);
    free(actions);
}

static bool same_game(const struct ledger_game *a, const struct ledger_game *b) {
    const struct game_result *r = &a->result, *s = &b->result;
    return a->id == b->id && a->seed == b->seed && !memcmp(a->bots, b->bots, sizeof a->bots) && r->end == s->end &&
           r->winner == s->winner && r->at_fault == s->at_fault && r->score == s->score && r->hash == s->hash &&
           r->length == s->length && r->legal == s->legal && !strcmp(r->reason, s->reason);
}

/* Fails if a game is not as it was in the whole tournament; returns how many there are. */
static int count_sound(struct ledger *ledger) {
    struct ledger_game game;
    lr_error error;
    int count = 0, code;
    while ((code = ledger_next(ledger, &game, &error)) == 1) {
        assert_in_range(game.id, 0, GAMES - 1);
        assert_true(same_game(&game, &whole[game.id]));
        count++;
    }
    must(code, &error);
    return count;
}

/* ---- Files ---- */

struct bytes {
    char *bytes;
    size_t length;
};

static struct bytes read_bytes(const char *name) {
    struct bytes file;
    lr_error error;
    must(lr_file_read(name, 1 << 26, &file.bytes, &file.length, &error), &error);
    return file;
}

static void write_bytes(const char *name, const char *bytes, size_t length) {
    const int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    assert_true(file >= 0);
    assert_int_equal(write(file, bytes, length), length);
    close(file);
}

static void clear_work(void) {
    static const char *const names[] = {"work.db",     "work.db-wal",     "work.db-shm",        "work.db-journal",
                                        "work.db.new", "work.db.damaged", "work.db.damaged-wal"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) unlink(names[i]);
}

static void run_sql(const char *path, const char *sql) {
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    char *fault = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &fault)) fail_msg("%s", fault);
    assert_int_equal(sqlite3_changes(db), 1);
    sqlite3_close(db);
}

/* ---- The tests' common ground ---- */

static char folder[200];

/* Plays into whole.db; and, in a process that ends without closing, into live.db with its live.db-wal. */
static int prepare(void **state) {
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/longroll-ledger-XXXXXX", base ? base : "/tmp");
    if (!mkdtemp(folder) || chdir(folder) || lr_game_open("cedar-mountain/duel", &duel, NULL)) return -1;
    const pid_t child = fork();
    if (!child) {
        play_plainly(create("live.db"));
        _exit(0);
    }
    int status;
    if (waitpid(child, &status, 0) != child || status) return -1;
    struct ledger *ledger = create("whole.db");
    play_on(ledger);
    for (int i = 0; i < GAMES; i++)
        if (ledger_next(ledger, &whole[i], NULL) != 1 || whole[i].id != i) return -1;
    struct ledger_game none;
    if (ledger_next(ledger, &none, NULL) != 0) return -1;
    ledger_close(ledger);
    return 0;
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *at) {
    (void)about, (void)kind, (void)at;
    return remove(path);
}

static int tidy(void **state) {
    (void)state;
    lr_game_close(duel);
    if (chdir("/")) return -1;
    return nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* ---- Torn files ---- */

/* Resumes work.db; `play`: plays it to its end, too. Returns how many games were there. */
static int examine(bool play) {
    int64_t lost;
    struct ledger *ledger = resume("work.db", &lost);
    const int games = count_sound(ledger);
    if (play) {
        play_on(ledger);
        assert_int_equal(count_sound(ledger), GAMES);
    }
    ledger_close(ledger);
    return games;
}

/* Cuts `torn` to each length in its last 64 KiB, next to the whole of the `other` part of the database. */
static void cut_everywhere(const char *name, struct bytes torn, const char *beside, struct bytes other) {
    int cuts = 0, fewest = GAMES, most = 0;
    assert_true(torn.length > TAIL);
    for (size_t cut = torn.length - TAIL; cut <= torn.length; cut += (size_t)stride, cuts++) {
        clear_work();
        write_bytes(name, torn.bytes, cut);
        if (beside) write_bytes(beside, other.bytes, other.length);
        const int games = examine(cuts % PLAY_ON_EVERY == 0);
        fewest = games < fewest ? games : fewest;
        most = games > most ? games : most;
    }
    print_message("%s: %d cuts, from %d to %d of %d games were left\n", name, cuts, fewest, most, GAMES);
    assert_true(fewest < most);
    free(torn.bytes);
    free(other.bytes);
}

static void a_database_cut_anywhere_keeps_what_is_left_and_plays_on(void **state) {
    (void)state;
    cut_everywhere("work.db", read_bytes("whole.db"), NULL, (struct bytes){0});
}

static void a_wal_cut_anywhere_keeps_what_is_left_and_plays_on(void **state) {
    (void)state;
    cut_everywhere("work.db-wal", read_bytes("live.db-wal"), "work.db", read_bytes("live.db"));
}

static void what_a_dead_process_committed_is_all_there(void **state) {
    (void)state;
    struct bytes database = read_bytes("live.db"), wal = read_bytes("live.db-wal");
    clear_work();
    write_bytes("work.db", database.bytes, database.length);
    write_bytes("work.db-wal", wal.bytes, wal.length);
    assert_int_equal(examine(false), GAMES);
    free(database.bytes);
    free(wal.bytes);
}

static void a_damaged_database_is_kept_and_one_without_its_plan_is_refused(void **state) {
    (void)state;
    struct bytes database = read_bytes("whole.db");
    clear_work();
    write_bytes("work.db", database.bytes, database.length - 5000);
    int64_t lost;
    ledger_close(resume("work.db", &lost));
    assert_int_equal(lost, -1);
    assert_int_equal(access("work.db.damaged", F_OK), 0);
    clear_work();
    write_bytes("work.db", database.bytes, 5000); /* SQLite's first page, and a piece of the second */
    struct ledger *ledger;
    lr_error error;
    assert_int_equal(ledger_resume("work.db", &ledger, &lost, &error), LR_E_IO);
    assert_non_null(strstr(error.text, "damaged where its plan stands"));
    assert_int_equal(access("work.db.lock", F_OK), -1);
    free(database.bytes);
}

/* ---- Rows ---- */

static void copy_whole(void) {
    struct bytes database = read_bytes("whole.db");
    clear_work();
    write_bytes("work.db", database.bytes, database.length);
    free(database.bytes);
}

static void an_altered_row_is_not_believed_and_played_again(void **state) {
    (void)state;
    static const char *const alterations[] = {
        "UPDATE game SET winner = 'draw' WHERE id = 77",
        "UPDATE game SET score = score + 1 WHERE id = 77",
        "UPDATE game SET union_bot = 1 - union_bot, confederate_bot = 1 - confederate_bot WHERE id = 77",
        "UPDATE game SET seed = '5' WHERE id = 77",
        "UPDATE game SET actions = x'0100' WHERE id = 77",
        "UPDATE game SET checksum = '' WHERE id = 77",
        "UPDATE game SET id = 999999 WHERE id = 77",
        "UPDATE game SET ending = 'stopped' WHERE id = 77",
        "UPDATE game SET reason = 'bribery' WHERE id = 77",
        "UPDATE game SET union_us = union_us + 1 WHERE id = 77"};
    for (size_t i = 0; i < sizeof alterations / sizeof *alterations; i++) {
        copy_whole();
        run_sql("work.db", alterations[i]);
        int64_t lost;
        struct ledger *ledger = resume("work.db", &lost);
        assert_int_equal(lost, 1);
        assert_int_equal(count_sound(ledger), GAMES - 1);
        play_on(ledger);
        assert_int_equal(count_sound(ledger), GAMES);
        ledger_close(ledger);
    }
}

static void a_game_that_is_there_is_not_overwritten(void **state) {
    (void)state;
    copy_whole();
    int64_t lost;
    struct ledger *ledger = resume("work.db", &lost);
    struct ledger_game other = whole[3];
    const uint16_t actions[64] = {0};
    other.result.winner = LR_NOBODY;
    other.result.length = 64;
    lr_error error;
    assert_true(ledger_put(ledger, &other, actions));
    must(ledger_flush(ledger, &error), &error);
    assert_int_equal(count_sound(ledger), GAMES);
    ledger_close(ledger);
}

static void games_from_an_id_on_can_be_dropped(void **state) {
    (void)state;
    copy_whole();
    int64_t lost;
    struct ledger *ledger = resume("work.db", &lost);
    lr_error error;
    must(ledger_drop(ledger, 10, &error), &error);
    assert_int_equal(count_sound(ledger), 10);
    ledger_close(ledger);
}

/* ---- What it was made for ---- */

static void expect_mismatch(const char *sql, const char *words) {
    const lr_game *const games[] = {duel};
    copy_whole();
    run_sql("work.db", sql);
    struct ledger *ledger;
    lr_error error;
    char *text;
    must(ledger_open("work.db", &ledger, &error), &error);
    assert_int_equal(ledger_match(ledger, NULL, games, &error), LR_E_ARGUMENT);
    if (!strstr(error.text, words)) fail_msg("'%s' is not in: %s", words, error.text);
    assert_int_equal(ledger_replay(ledger, 0, &text, &error), LR_E_ARGUMENT);
    ledger_close(ledger);
}

static void another_ruleset_version_or_scenario_is_refused(void **state) {
    (void)state;
    const lr_game *const games[] = {duel};
    struct ledger *ledger;
    lr_error error;
    must(ledger_open("whole.db", &ledger, &error), &error);
    struct plan *plan = make_plan();
    must(ledger_match(ledger, plan, games, &error), &error);
    plan->seed = 2;
    assert_int_equal(ledger_match(ledger, plan, games, &error), LR_E_ARGUMENT);
    assert_non_null(strstr(error.text, "it says \"seed: 1\" where this one says \"seed: 2\""));
    plan_close(plan);
    ledger_close(ledger);
    expect_mismatch("UPDATE scenario SET version = 999", "were played by version 999 of the ruleset");
    expect_mismatch("UPDATE scenario SET hash = '0'", "has changed since");
}

static void replays_verify_and_say_who_played(void **state) {
    (void)state;
    struct ledger *ledger;
    lr_error error;
    must(ledger_open("whole.db", &ledger, &error), &error);
    char *text;
    assert_int_equal(ledger_replay(ledger, GAMES, &text, &error), LR_E_NOT_FOUND);
    for (int64_t id = 0; id < GAMES; id += 50) {
        lr_replay *replay;
        lr_game *game;
        must(ledger_replay(ledger, id, &text, &error), &error);
        must(lr_replay_parse(text, strlen(text), &replay, &game, &error), &error);
        assert_true(lr_replay_seed(replay) == whole[id].seed);
        assert_int_equal(lr_replay_length(replay), whole[id].result.length);
        assert_string_equal(lr_replay_agent(replay, id % 2 ? LR_CONFEDERATE : LR_UNION), "random");
        lr_replay_free(replay);
        lr_game_close(game);
        free(text);
    }
    ledger_close(ledger);
}

int main(int argc, char **argv) {
    if (argc == 2) stride = atoi(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_database_cut_anywhere_keeps_what_is_left_and_plays_on),
        cmocka_unit_test(a_wal_cut_anywhere_keeps_what_is_left_and_plays_on),
        cmocka_unit_test(what_a_dead_process_committed_is_all_there),
        cmocka_unit_test(a_damaged_database_is_kept_and_one_without_its_plan_is_refused),
        cmocka_unit_test(an_altered_row_is_not_believed_and_played_again),
        cmocka_unit_test(a_game_that_is_there_is_not_overwritten),
        cmocka_unit_test(games_from_an_id_on_can_be_dropped),
        cmocka_unit_test(another_ruleset_version_or_scenario_is_refused),
        cmocka_unit_test(replays_verify_and_say_who_played),
    };
    return cmocka_run_group_tests(tests, prepare, tidy);
}
