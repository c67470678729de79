/* The published tables (tables.csv): what the engine counts from each position, by its lists and by its masks, on one
 * thread and on three; that the twin counts the same is tests/twin/test_twin.py's matter. Builds that audit every state
 * stop at smaller depths. Run with a number: the most positions in a row that is counted. */
#include "env/perft.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FOLDER LONGROLL_SOURCE "/tests/perft/"

enum { MOST_NAMES = 128 };

#if defined LONGROLL_AUDIT || !defined NDEBUG
static uint64_t limit = 2000;
#else
static uint64_t limit = 400000;
#endif

/* One position's published rows. */
struct published {
    char name[96];
    int depth;
    struct perft_row row[PERFT_MOST_DEPTH + 1];
};

static struct published tables[MOST_NAMES];
static int count;

/* ---- The file ---- */

static struct perft_mass read_mass(const char *text) {
    char *end;
    struct perft_mass mass = {strtoull(text, &end, 10), 1};
    if (*end == '/') mass.denominator = strtoull(end + 1, NULL, 10);
    return mass;
}

static struct published *table_of(const char *name) {
    if (count && !strcmp(tables[count - 1].name, name)) return &tables[count - 1];
    assert_true(count < MOST_NAMES);
    struct published *table = &tables[count++];
    snprintf(table->name, sizeof table->name, "%s", name);
    return table;
}

static void read_line(const char *line) {
    char name[96], mass[LR_MAX_TEXT];
    unsigned long long number[4];
    int depth;
    const int read = sscanf(line, "%95[^,],%d,%llu,%llu,%llu,%llu,%63s", name, &depth, &number[0], &number[1],
                            &number[2], &number[3], mass);
    assert_int_equal(read, 7);
    assert_in_range(depth, 0, PERFT_MOST_DEPTH);
    struct published *table = table_of(name);
    table->row[depth] = (struct perft_row){number[0], number[1], number[2], number[3], read_mass(mass)};
    table->depth = depth;
}

static int read_tables(void **unused) {
    (void)unused;
    FILE *file = fopen(FOLDER "tables.csv", "r");
    if (!file) return -1;
    char line[512];
    bool head = true;
    while (fgets(line, sizeof line, file)) {
        if (!head) read_line(line);
        head = false;
    }
    fclose(file);
    return 0;
}

/* ---- Counting ---- */

static bool is_file(const char *name) { return strstr(name, ".yaml") != NULL; }

static void open_position(const char *name, lr_game **game, lr_state **state) {
    char path[512];
    assert_in_range(snprintf(path, sizeof path, "%s%s", is_file(name) ? FOLDER : "", name), 1, sizeof path - 1);
    lr_error error;
    if (lr_position_open(path, game, state, &error)) fail_msg("%s: %s", name, error.text);
}

static void assert_rows(const struct published *want, const struct perft_table *got, int depth, const char *how) {
    for (int d = 0; d <= depth; d++) {
        const struct perft_row *w = &want->row[d], *g = &got->row[d];
        if (!memcmp(w, g, sizeof *w)) continue;
        char mass[2][LR_MAX_TEXT];
        fail_msg("%s, depth %d, %s: counted %llu positions (%llu decisions, %llu dice, %llu over, mass %s), published "
                 "%llu (%llu, %llu, %llu, %s)",
                 want->name, d, how, (unsigned long long)g->positions, (unsigned long long)g->decisions,
                 (unsigned long long)g->dice, (unsigned long long)g->over, perft_mass_text(g->mass, mass[0]),
                 (unsigned long long)w->positions, (unsigned long long)w->decisions, (unsigned long long)w->dice,
                 (unsigned long long)w->over, perft_mass_text(w->mass, mass[1]));
    }
}

static int depth_within_limit(const struct published *table) {
    int depth = table->depth;
    while (depth > 0 && table->row[depth].positions > limit) depth--;
    return depth;
}

static void count_all(struct perft_options options, const char *how) {
    for (int i = 0; i < count; i++) {
        lr_game *game;
        lr_state *state;
        lr_error error;
        struct perft_table table;
        open_position(tables[i].name, &game, &state);
        options.depth = depth_within_limit(&tables[i]);
        if (perft_run(game, state, &options, &table, NULL, NULL, &error))
            fail_msg("%s: %s", tables[i].name, error.text);
        assert_rows(&tables[i], &table, options.depth, how);
        free(state);
        lr_game_close(game);
    }
}

static void test_lists(void **unused) {
    (void)unused;
    count_all((struct perft_options){.threads = 1}, "by lists");
}

static void test_masks(void **unused) {
    (void)unused;
    count_all((struct perft_options){.threads = 3, .from_mask = true}, "by masks");
}

/* ---- The tool itself ---- */

static void test_enough_positions(void **unused) {
    (void)unused;
    int files = 0;
    for (int i = 0; i < count; i++) files += is_file(tables[i].name);
    assert_true(files >= 30);
    assert_true(count - files >= 4);
}

static void test_first_rows_by_hand(void **unused) {
    (void)unused;
    for (int i = 0; i < count; i++) {
        const struct perft_row *row = tables[i].row;
        assert_int_equal(row[0].positions, 1);
        assert_true(row[0].mass.numerator == 1 && row[0].mass.denominator == 1);
        for (int d = 0; d <= tables[i].depth; d++)
            assert_int_equal(row[d].positions, row[d].decisions + row[d].dice + row[d].over);
    }
}

/* A die, and nothing else, divides: below one the ten faces weigh one together. */
static void test_mass_of_a_die(void **unused) {
    (void)unused;
    lr_game *game;
    lr_state *state;
    lr_error error;
    struct perft_table table;
    open_position("states/lone-leader-fire.yaml", &game, &state);
    while (lr_to_move(game, state) != LR_CHANCE) {
        uint16_t legal[LR_MAX_ACTIONS];
        lr_legal(game, state, legal);
        lr_apply_legal(game, state, legal[0]);
    }
    const struct perft_options options = {.depth = 1, .threads = 1};
    assert_int_equal(perft_run(game, state, &options, &table, NULL, NULL, &error), LR_OK);
    assert_int_equal(table.row[0].dice, 1);
    assert_int_equal(table.row[1].positions, 10);
    assert_true(table.row[1].mass.numerator == 1 && table.row[1].mass.denominator == 1);
    free(state);
    lr_game_close(game);
}

static void test_branches_sum_to_the_table(void **unused) {
    (void)unused;
    lr_game *game;
    lr_state *state;
    lr_error error;
    struct perft_table table;
    int branches;
    struct perft_branch *branch = calloc(LR_MAX_ACTIONS, sizeof *branch);
    open_position("cedar-mountain/free", &game, &state);
    const struct perft_options options = {.depth = 3, .threads = 2};
    assert_int_equal(perft_run(game, state, &options, &table, branch, &branches, &error), LR_OK);
    assert_int_equal(branches, table.row[1].positions);
    uint64_t sum = 0;
    for (int i = 0; i < branches; i++) {
        assert_true(lr_is_legal(game, state, branch[i].action));
        sum += branch[i].table.row[3].positions;
    }
    assert_int_equal(sum, table.row[3].positions);
    free(branch);
    free(state);
    lr_game_close(game);
}

static void test_depths_out_of_range(void **unused) {
    (void)unused;
    lr_game *game;
    lr_state *state;
    lr_error error;
    struct perft_table table;
    open_position("cedar-mountain/free", &game, &state);
    struct perft_options options = {.depth = -1};
    assert_int_equal(perft_run(game, state, &options, &table, NULL, NULL, &error), LR_E_ARGUMENT);
    options.depth = PERFT_MOST_DEPTH + 1;
    assert_int_equal(perft_run(game, state, &options, &table, NULL, NULL, NULL), LR_E_ARGUMENT);
    options.depth = 0;
    assert_int_equal(perft_run(game, state, &options, &table, NULL, NULL, &error), LR_OK);
    assert_int_equal(table.row[0].positions, 1);
    free(state);
    lr_game_close(game);
}

int main(int argc, char **argv) {
    if (argc > 1) limit = strtoull(argv[1], NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_enough_positions),
        cmocka_unit_test(test_first_rows_by_hand),
        cmocka_unit_test(test_mass_of_a_die),
        cmocka_unit_test(test_branches_sum_to_the_table),
        cmocka_unit_test(test_depths_out_of_range),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_masks),
    };
    return cmocka_run_group_tests(tests, read_tables, NULL);
}
