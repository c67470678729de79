/* test_solve.c: exact values are right by hand, by a table worked out another way, and by plain recursion; cycles, limits
 * and values that do not fit are told. */
#include "agents/solve.h"
#include "race.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
// cmocka needs the four above
#include <cmocka.h>

enum { STATE = 1024, PLENTY = 1 << 20 };

typedef struct {
    _Alignas(64) char bytes[STATE];
} state_room;

static lr_state *state_in(state_room *room) { return (lr_state *)(void *)room->bytes; }

static struct solver *opened(const lr_game *game, uint64_t limit) {
    const struct solve_options options = {.limit = limit};
    struct solver *solver = NULL;
    lr_error error;
    if (solver_open(game, &options, &solver, &error)) fail_msg("%s", error.text);
    return solver;
}

static uint64_t states_of(const struct solver *solver) {
    const struct solve_statistics known = solver_statistics(solver);
    return known.decisions + known.dice;
}

static void assert_value(const char *expected, struct fraction value) {
    char text[FRACTION_TEXT];
    assert_string_equal(fraction_text(value, text), expected);
}

/* ---- Fractions ---- */

static struct fraction read(const char *text) {
    struct fraction value;
    if (!fraction_parse(text, &value)) fail_msg("%s", text);
    return value;
}

static void fractions_stay_in_lowest_terms(void **unused) {
    (void)unused;
    struct fraction sum = fraction_whole(0);
    assert_true(fraction_add(&sum, read("1/6"), 2));
    assert_value("1/3", sum);
    assert_true(fraction_add(&sum, read("-5/12"), 1));
    assert_value("-1/12", sum);
    assert_true(fraction_divide(&sum, 10));
    assert_value("-1/120", sum);
    assert_true(fraction_add(&sum, read("1/120"), 1));
    assert_value("0", sum);
    assert_true(fraction_double(read("-3/4")) == -0.75);
}

static const char huge[] = "170141183460469231731687303715884105727"; /* 2^127 - 1 */

static void fractions_compare_where_products_would_overflow(void **unused) {
    (void)unused;
    const char *a = "170141183460469231731687303715884105725/170141183460469231731687303715884105727";
    const char *b = "170141183460469231731687303715884105724/170141183460469231731687303715884105725";
    assert_int_equal(fraction_compare(read(a), read(b)), -1); /* 1 - 2/m < 1 - 1/(m-2) */
    assert_int_equal(fraction_compare(read(b), read(a)), 1);
    assert_int_equal(fraction_compare(read(a), read(a)), 0);
    assert_int_equal(fraction_compare(read("-1/3"), read("-1/2")), 1);
    assert_int_equal(fraction_compare(read("-1/3"), read("0")), -1);
    assert_int_equal(fraction_compare(read("7/2"), read("3")), 1);
    assert_int_equal(fraction_compare(read(huge), read("1")), 1);
}

static void fractions_that_do_not_fit_are_refused_and_change_nothing(void **unused) {
    (void)unused;
    struct fraction sum = read(huge);
    assert_false(fraction_add(&sum, fraction_whole(1), 1));
    assert_value(huge, sum);
    sum = read("1/170141183460469231731687303715884105727");
    assert_false(fraction_divide(&sum, 2));
    assert_false(fraction_add(&sum, read("1/2"), 1));
    assert_value("1/170141183460469231731687303715884105727", sum);
}

static void texts_that_are_no_fractions_are_refused(void **unused) {
    (void)unused;
    static const char *const texts[] = {
        "",    "-",   "1/",   "/2",  "1/0", "2/4",   "1/2 ", " 1",
        "0/3", "1.5", "1/-2", "--1", "+1",  "1/2/3", "0x1",  "170141183460469231731687303715884105728"};
    struct fraction value;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (fraction_parse(texts[i], &value)) fail_msg("'%s' is read", texts[i]);
}

/* ---- Graphs: a ruleset whose game is a table ---- */

struct graph_node {
    int mover, result; /* result: of an ended one */
    int count, next[4];
    uint32_t weight[4];
};

enum { WIN = 7, LOSS = 8, DRAW = 9 };
#define ENDS                                                                                                           \
    [WIN] = {.mover = LR_NOBODY, .result = 1}, [LOSS] = {.mover = LR_NOBODY, .result = -1},                            \
    [DRAW] = {.mover = LR_NOBODY}

/* 1 is -1/6; 3 and 4 are both 1/3, so 2 is; 5 is reached from 3 and from 0. */
static const struct graph_node tree[] = {
    {.mover = LR_UNION, .count = 3, .next = {1, 2, 5}},
    {.mover = LR_CHANCE, .count = 3, .next = {WIN, LOSS, DRAW}, .weight = {1, 2, 3}},
    {.mover = LR_CONFEDERATE, .count = 2, .next = {3, 4}},
    {.mover = LR_CHANCE, .count = 2, .next = {5, LOSS}, .weight = {2, 1}},
    {.mover = LR_CHANCE, .count = 3, .next = {WIN, DRAW, DRAW}, .weight = {7, 7, 7}},
    {.mover = LR_UNION, .count = 2, .next = {WIN, DRAW}},
    [6] = {.mover = LR_NOBODY},
    ENDS};

static const struct graph_node cycle[] = {{.mover = LR_UNION, .count = 2, .next = {WIN, 1}},
                                          {.mover = LR_CHANCE, .count = 2, .next = {LOSS, 2}, .weight = {1, 1}},
                                          {.mover = LR_CONFEDERATE, .count = 2, .next = {WIN, 0}},
                                          ENDS};

enum { LONG = 100 };
static struct graph_node chain[LONG + 2]; /* a third wins, two thirds go on, at last to lose: 3^100 does not fit */

static const struct graph_node *nodes_of(const void *rules, const lr_state *state) {
    return (const struct graph_node *)rules + *(const uint64_t *)(const void *)state;
}

static int graph_open(const char *text, size_t length, const char *folder, void **rules, lr_info *info,
                      lr_error *error) {
    (void)length, (void)folder, (void)info, (void)error;
    for (int i = 0; i < LONG; i++)
        chain[i] = (struct graph_node){.mover = LR_CHANCE, .count = 2, .next = {LONG + 1, i + 1}, .weight = {1, 2}};
    chain[LONG] = (struct graph_node){.mover = LR_NOBODY, .result = -1};
    chain[LONG + 1] = (struct graph_node){.mover = LR_NOBODY, .result = 1};
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): the casts take the const off */
    *rules = *text == 't' ? (void *)(uintptr_t)tree : *text == 'c' ? (void *)(uintptr_t)cycle : chain;
    return LR_OK;
}

static void graph_close(void *rules) { (void)rules; }
static void graph_start(const void *rules, lr_state *state) {
    (void)rules;
    memset(state, 0, sizeof(uint64_t));
}
static int graph_to_move(const void *rules, const lr_state *state) { return nodes_of(rules, state)->mover; }
static int graph_legal(const void *rules, const lr_state *state, uint16_t *legal) {
    const int count = nodes_of(rules, state)->count;
    for (int i = 0; i < count; i++) legal[i] = (uint16_t)i;
    return count;
}
static void graph_mask(const void *rules, const lr_state *state, uint8_t *bits) {
    *bits = (uint8_t)((1u << nodes_of(rules, state)->count) - 1);
}
static void graph_apply(const void *rules, lr_state *state, int action) {
    *(uint64_t *)(void *)state = (uint64_t)nodes_of(rules, state)->next[action];
}
static void graph_returns(const void *rules, const lr_state *state, float returns[2]) {
    returns[0] = (float)nodes_of(rules, state)->result;
    returns[1] = -returns[0];
}
static int graph_outcomes(const void *rules, const lr_state *state, uint32_t *weights, uint32_t *total) {
    const struct graph_node *node = nodes_of(rules, state);
    *total = 0;
    for (int i = 0; i < node->count; i++) *total += weights[i] = node->weight[i];
    return node->count;
}

static int graph_check(const void *rules, const lr_state *state, lr_error *error) {
    (void)rules, (void)state, (void)error;
    return LR_OK;
}

static lr_game *graph(const char *which, bool hidden) {
    static struct lr_ruleset ruleset = {.name = "graph",
                                        .version = 1,
                                        .state_bytes = sizeof(uint64_t),
                                        .actions = 8,
                                        .open = graph_open,
                                        .close = graph_close,
                                        .start = graph_start,
                                        .to_move = graph_to_move,
                                        .legal = graph_legal,
                                        .mask = graph_mask,
                                        .apply = graph_apply,
                                        .returns = graph_returns,
                                        .check = graph_check,
                                        .outcomes = graph_outcomes};
    lr_game *game;
    ruleset.hidden = hidden;
    assert_int_equal(lr_game_make(&ruleset, which, which, strlen(which), ".", &game, NULL), LR_OK);
    return game;
}

static void a_game_worked_out_by_hand_has_those_values(void **unused) {
    (void)unused;
    lr_game *game = graph("tree", false);
    struct solver *solver = opened(game, PLENTY);
    _Alignas(8) uint64_t at = 5, next;
    struct solved_state look;
    struct fraction value;
    enum solve_end end;

    at = 2; /* 1/3 by two ways that are not the same sum: a tie */
    assert_int_equal(solver_run(solver, (lr_state *)&at, &end, NULL), LR_OK);
    assert_int_equal(end, SOLVE_DONE);
    assert_true(solver_look(solver, (lr_state *)&at, (lr_state *)&next, &look));
    assert_int_equal(look.count, 2);
    assert_value("1/3", look.value[0]);
    assert_value("1/3", look.value[1]);
    assert_value("1/3", look.best);
    at = 1;
    assert_false(solver_value(solver, (lr_state *)&at, &value));

    at = 0;
    assert_int_equal(solver_run(solver, (lr_state *)&at, &end, NULL), LR_OK);
    assert_true(solver_look(solver, (lr_state *)&at, (lr_state *)&next, &look));
    assert_value("-1/6", look.value[0]);
    assert_value("1/3", look.value[1]);
    assert_value("1", look.best);
    assert_value("-1/6", look.worst);
    at = LOSS;
    assert_true(solver_value(solver, (lr_state *)&at, &value));
    assert_value("-1", value);
    const struct solve_statistics known = solver_statistics(solver);
    assert_int_equal(known.decisions, 3);
    assert_int_equal(known.dice, 3);
    assert_int_equal(known.values, 3);
    solver_close(solver);
    lr_game_close(game);
}

static void a_cycle_is_told_and_leaves_no_values(void **unused) {
    (void)unused;
    lr_game *game = graph("cycle", false);
    struct solver *solver = opened(game, PLENTY);
    struct fraction value;
    enum solve_end end;
    lr_error error;
    for (uint64_t at = 0; at < 3; at++) {
        assert_int_equal(solver_run(solver, (lr_state *)&at, &end, &error), LR_E_STATE);
        assert_non_null(strstr(error.text, "comes again"));
        assert_false(solver_value(solver, (lr_state *)&at, &value));
    }
    solver_close(solver);
    lr_game_close(game);
}

static void a_value_beyond_128_bits_is_told(void **unused) {
    (void)unused;
    lr_game *game = graph("long", false);
    struct solver *solver = opened(game, PLENTY);
    enum solve_end end;
    lr_error error;
    _Alignas(8) uint64_t at = 0;
    assert_int_equal(solver_run(solver, (lr_state *)&at, &end, &error), LR_E_ARGUMENT);
    assert_non_null(strstr(error.text, "128 bits"));
    at = LONG - 2; /* two dice from the end */
    struct fraction value;
    assert_int_equal(solver_run(solver, (lr_state *)&at, &end, &error), LR_OK);
    assert_true(solver_value(solver, (lr_state *)&at, &value));
    assert_value("1/9", value); /* 1/3 + 2/3 (1/3 - 2/3) */
    solver_close(solver);
    lr_game_close(game);
}

static void hidden_games_are_refused(void **unused) {
    (void)unused;
    lr_game *game = graph("tree", true);
    const struct solve_options options = {.limit = PLENTY};
    struct solver *solver;
    lr_error error;
    assert_int_equal(solver_open(game, &options, &solver, &error), LR_E_ARGUMENT);
    assert_non_null(strstr(error.text, "hides"));
    lr_game_close(game);
}

/* ---- The race, by a table over its rules instead of its states ---- */

enum { GOAL = 30, TURNS = 40 };

/* What the Union may expect before turn `turn` with the runners at a and b. */
static double race_value(double *table, int turn, int a, int b) {
    if (a >= GOAL) return 1;
    if (b >= GOAL) return -1;
    if (turn == TURNS) return 0;
    double *known = &table[(turn * GOAL + a) * GOAL + b];
    if (*known < 2) return *known;
    double best = turn % 2 ? 1 : -1;
    for (int step = 1; step <= 3; step++) {
        double sum = 0;
        for (int face = 1; face <= 6; face++)
            sum += turn % 2 ? race_value(table, turn + 1, a, b + step + face)
                            : race_value(table, turn + 1, a + step + face, b);
        best = turn % 2 ? fmin(best, sum / 6) : fmax(best, sum / 6);
    }
    return *known = best;
}

static void the_race_is_worth_what_its_table_says(void **unused) {
    (void)unused;
    lr_game *game;
    assert_int_equal(lr_game_make(&race_ruleset, "race", "", 0, ".", &game, NULL), LR_OK);
    struct solver *solver = opened(game, PLENTY);
    double *table = malloc(TURNS * GOAL * GOAL * sizeof *table);
    assert_non_null(table);
    for (int i = 0; i < TURNS * GOAL * GOAL; i++) table[i] = 3;
    state_room room;
    struct fraction value;
    enum solve_end end;
    lr_start(game, state_in(&room));
    assert_int_equal(solver_run(solver, state_in(&room), &end, NULL), LR_OK);
    assert_true(solver_value(solver, state_in(&room), &value));
    assert_true(fabs(fraction_double(value) - race_value(table, 0, 0, 0)) < 1e-12);
    free(table);
    solver_close(solver);
    lr_game_close(game);
}

/* ---- A duel half fought ---- */

static lr_game *duel;
static state_room
    half_fought; /* turn 1, the Confederacy to move: two damaged brigades, either of which can still win */
static struct solver *whole;

static int solve_duel(void **unused) {
    (void)unused;
    static const char *const path[] = {"pick blue", "to 0504",     "to 0303", "target 0303",
                                       "roll 3",    "target 0203", "roll 8",  "roll 5"};
    enum solve_end end;
    if (lr_game_open("cedar-mountain/duel", &duel, NULL)) return 1;
    lr_state *state = state_in(&half_fought);
    lr_start(duel, state);
    for (size_t i = 0; i < sizeof path / sizeof *path; i++)
        if (lr_apply(duel, state, lr_action_parse(duel, state, path[i], NULL), NULL)) return 1;
    whole = opened(duel, PLENTY);
    return solver_run(whole, state, &end, NULL) || end != SOLVE_DONE;
}

static int close_duel(void **unused) {
    (void)unused;
    solver_close(whole);
    lr_game_close(duel);
    return 0;
}

/* The figures move only with the rules: then with the ruleset's version too. */
static void the_duel_is_worth_this(void **unused) {
    (void)unused;
    struct fraction value;
    assert_true(solver_value(whole, state_in(&half_fought), &value));
    assert_value("42612241651/62500000000", value);
    assert_int_equal(states_of(whole), 12941);
}

/* Plain recursion that remembers nothing. False when the budget of states is spent. */
static bool recurse(const lr_state *state, int *budget, struct fraction *value) {
    const int mover = lr_to_move(duel, state);
    float returns[2];
    if (--*budget < 0) return false;
    lr_returns(duel, state, returns);
    *value = fraction_whole((int)returns[LR_UNION]);
    if (mover == LR_NOBODY) return true;
    uint16_t legal[LR_MAX_ACTIONS];
    uint32_t weights[LR_MAX_OUTCOMES], total;
    const int count = lr_legal(duel, state, legal);
    lr_outcomes(duel, state, weights, &total);
    for (int i = 0; i < count; i++) {
        state_room room;
        struct fraction here;
        memcpy(room.bytes, state, (size_t)lr_game_info(duel)->state_bytes);
        lr_apply_legal(duel, state_in(&room), legal[i]);
        if (!recurse(state_in(&room), budget, &here)) return false;
        if (mover == LR_CHANCE) {
            assert_true(fraction_add(value, here, weights[legal[i]]));
            continue;
        }
        const int order = fraction_compare(here, *value);
        if (!i || (mover == LR_UNION ? order > 0 : order < 0)) *value = here;
    }
    return mover != LR_CHANCE || fraction_divide(value, total);
}

/* Calls `look` with every decision and die of random games. */
static void walk_games(int games, void (*look)(const lr_state *state, void *context), void *context) {
    for (int game = 0; game < games; game++) {
        state_room room;
        memcpy(&room, &half_fought, sizeof room);
        for (uint64_t i = 0; lr_to_move(duel, state_in(&room)) != LR_NOBODY; i++) {
            uint16_t legal[LR_MAX_ACTIONS];
            look(state_in(&room), context);
            const int count = lr_legal(duel, state_in(&room), legal);
            lr_apply_legal(duel, state_in(&room), legal[lr_random((uint64_t)game, i, (uint32_t)count)]);
        }
    }
}

static void compare_with_recursion(const lr_state *state, void *context) {
    int budget = 1500, *compared = context;
    struct fraction plain, value;
    if (!recurse(state, &budget, &plain)) return;
    assert_true(solver_value(whole, state, &value));
    assert_int_equal(fraction_compare(plain, value), 0);
    ++*compared;
}

static void late_states_agree_with_plain_recursion(void **unused) {
    (void)unused;
    int compared = 0;
    walk_games(40, compare_with_recursion, &compared);
    if (compared < 30) fail_msg("only %d states were compared", compared);
}

/* ---- Limits ---- */

struct partial {
    const struct solver *solver;
    int known, unknown;
};

static void compare_with_whole(const lr_state *state, void *context) {
    struct partial *partial = context;
    struct fraction value, right;
    if (!solver_value(partial->solver, state, &value)) {
        partial->unknown++;
        return;
    }
    assert_true(solver_value(whole, state, &right));
    assert_int_equal(fraction_compare(value, right), 0);
    partial->known++;
}

static void beyond_the_limit_some_are_solved_and_none_is_wrong(void **unused) {
    (void)unused;
    struct solver *solver = opened(duel, 8000);
    struct partial partial = {.solver = solver};
    enum solve_end end;
    for (int again = 0; again < 2; again++) { /* what is solved is kept, and counts */
        assert_int_equal(solver_run(solver, state_in(&half_fought), &end, NULL), LR_OK);
        assert_int_equal(end, SOLVE_LIMIT);
        const uint64_t solved = states_of(solver);
        assert_true(solved > 7900 && solved <= 8000);
    }
    walk_games(200, compare_with_whole, &partial);
    assert_true(partial.known > 100 && partial.unknown > 100);
    solver_close(solver);
}

static void note_states(void *context, uint64_t states) { *(uint64_t *)context = states; }

static void a_stopped_run_says_so_and_can_go_on(void **unused) {
    (void)unused;
    atomic_int stop = 1;
    uint64_t seen = 0;
    const struct solve_options options = {.limit = PLENTY, .stop = &stop, .progress = note_states, .context = &seen};
    struct solver *solver;
    const lr_state *state = state_in(&half_fought);
    struct fraction value;
    enum solve_end end;
    assert_int_equal(solver_open(duel, &options, &solver, NULL), LR_OK);
    assert_int_equal(solver_run(solver, state, &end, NULL), LR_OK);
    assert_int_equal(end, SOLVE_STOPPED);
    assert_false(solver_value(solver, state, &value));
    atomic_store(&stop, 0);
    assert_int_equal(solver_run(solver, state, &end, NULL), LR_OK);
    assert_int_equal(end, SOLVE_DONE);
    assert_true(solver_value(solver, state, &value));
    assert_value("42612241651/62500000000", value);
    assert_true(seen > 8000 && seen <= 12941);
    assert_int_equal(states_of(solver), 12941);
    solver_close(solver);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fractions_stay_in_lowest_terms),
        cmocka_unit_test(fractions_compare_where_products_would_overflow),
        cmocka_unit_test(fractions_that_do_not_fit_are_refused_and_change_nothing),
        cmocka_unit_test(texts_that_are_no_fractions_are_refused),
        cmocka_unit_test(a_game_worked_out_by_hand_has_those_values),
        cmocka_unit_test(a_cycle_is_told_and_leaves_no_values),
        cmocka_unit_test(a_value_beyond_128_bits_is_told),
        cmocka_unit_test(hidden_games_are_refused),
        cmocka_unit_test(the_race_is_worth_what_its_table_says),
        cmocka_unit_test(the_duel_is_worth_this),
        cmocka_unit_test(late_states_agree_with_plain_recursion),
        cmocka_unit_test(beyond_the_limit_some_are_solved_and_none_is_wrong),
        cmocka_unit_test(a_stopped_run_says_so_and_can_go_on),
    };
    return cmocka_run_group_tests(tests, solve_duel, close_duel);
}
