/* test_kuhn_value.c: Kuhn poker is worth -1/18 of a chip to the first player, found exactly through the public calls.
 *
 * The tree is walked by lr_legal, lr_outcomes and lr_apply; what a player can tell apart is taken from lr_observe alone. So
 * if an observation showed too much, or too little, another value would come out. Each player's pure strategies (an action for
 * each of his information sets) make a matrix of expected chips; a simplex in whole numbers finds a mixed strategy for
 * either side; and that neither can do better against the other proves the value, however they were found. */
#include "kuhn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
// cmocka needs the four above
#include <cmocka.h>

enum { STATE = 8, DEALS = 6, MOST_SETS = 8, PURE = 64, OBSERVED = 16 };

typedef struct {
    _Alignas(8) char bytes[STATE];
} state_room;

static lr_state *state_in(state_room *room) { return (lr_state *)(void *)room->bytes; }
static const lr_state *state_of(const state_room *room) { return (const lr_state *)(const void *)room->bytes; }

/* ---- Information sets ---- */

struct information_set {
    uint8_t observed[OBSERVED];
    int member_count;
    state_room members[4];
    int action_count;
    uint16_t actions[KUHN_ACTIONS];
    int before, before_action; /* the player's own last set and action on the way here; -1: none */
};

static lr_game *game;
static struct information_set sets[2][MOST_SETS];
static int set_count[2];

static void observe(const lr_state *state, int player, uint8_t observed[OBSERVED]) {
    const lr_info *info = lr_game_info(game);
    const size_t pieces = (size_t)info->piece_rows * (size_t)info->piece_columns;
    int16_t globals[4];
    assert_true(pieces + (size_t)info->global_columns * sizeof *globals <= OBSERVED);
    memset(observed, 0, OBSERVED);
    lr_observe(game, state, player, observed, globals);
    memcpy(observed + pieces, globals, (size_t)info->global_columns * sizeof *globals);
}

/* The set that the player to move finds himself in; -1: a new one. */
static int set_of(const lr_state *state, int player) {
    uint8_t observed[OBSERVED];
    observe(state, player, observed);
    for (int i = 0; i < set_count[player]; i++)
        if (!memcmp(sets[player][i].observed, observed, OBSERVED)) return i;
    return -1;
}

static int add_set(const lr_state *state, int player, int before, int before_action) {
    struct information_set *set = &sets[player][set_count[player]];
    assert_true(set_count[player] < MOST_SETS);
    observe(state, player, set->observed);
    set->action_count = lr_legal(game, state, set->actions);
    set->before = before;
    set->before_action = before_action;
    return set_count[player]++;
}

/* `last`, `last_action`: each player's last set and what he did there. */
static void collect(const state_room *room, const int last[2], const int last_action[2]) {
    const int mover = lr_to_move(game, state_of(room));
    uint16_t legal[KUHN_ACTIONS];
    const int count = lr_legal(game, state_of(room), legal);
    int index = -1;
    if (mover <= LR_CONFEDERATE) {
        index = set_of(state_of(room), mover);
        if (index < 0) index = add_set(state_of(room), mover, last[mover], last_action[mover]);
        struct information_set *set = &sets[mover][index];
        /* who cannot tell two states apart has the same choice in both, and came to both by the same choices */
        assert_int_equal(count, set->action_count);
        assert_memory_equal(legal, set->actions, (size_t)count * sizeof *legal);
        assert_int_equal(set->before, last[mover]);
        assert_int_equal(set->before_action, last_action[mover]);
        assert_true(set->member_count < 4);
        set->members[set->member_count++] = *room;
    }
    for (int i = 0; i < count; i++) {
        state_room next = *room;
        int now[2] = {last[0], last[1]}, now_action[2] = {last_action[0], last_action[1]};
        if (index >= 0) now[mover] = index, now_action[mover] = legal[i];
        lr_apply_legal(game, state_in(&next), legal[i]);
        collect(&next, now, now_action);
    }
}

static void observations_make_six_information_sets_a_player(void **unused) {
    (void)unused;
    for (int player = 0; player < 2; player++) {
        assert_int_equal(set_count[player], 6);
        for (int i = 0; i < 6; i++) {
            assert_int_equal(sets[player][i].member_count, 2); /* the other holds either of the two other cards */
            assert_int_equal(sets[player][i].action_count, 2);
            assert_memory_not_equal(sets[player][i].members[0].bytes, sets[player][i].members[1].bytes, STATE);
        }
    }
}

/* ---- The matrix ---- */

static int payoff[PURE][PURE]; /* the Union's chips, summed over the six deals */

/* Bit i of a pure strategy: which of the two actions is taken in set i. Chips times weight, summed over all dice. */
static int play(const state_room *room, const int pure[2], int weight) {
    const int mover = lr_to_move(game, state_of(room));
    if (mover == LR_NOBODY) return weight * lr_score(game, state_of(room));
    uint32_t weights[LR_MAX_OUTCOMES], total;
    uint16_t legal[KUHN_ACTIONS];
    int sum = 0;
    if (mover != LR_CHANCE) {
        const int set = set_of(state_of(room), mover);
        state_room next = *room;
        lr_apply_legal(game, state_in(&next), sets[mover][set].actions[pure[mover] >> set & 1]);
        return play(&next, pure, weight);
    }
    const int count = lr_legal(game, state_of(room), legal);
    lr_outcomes(game, state_of(room), weights, &total);
    assert_int_equal(total, count); /* 3, then 2 cards are left, all alike: 6 deals of weight 1 */
    for (int i = 0; i < count; i++) {
        state_room next = *room;
        lr_apply_legal(game, state_in(&next), legal[i]);
        sum += play(&next, pure, weight * (int)weights[legal[i]]);
    }
    return sum;
}

static int open_matrix(void **unused) {
    (void)unused;
    const int none[2] = {-1, -1};
    state_room first;
    game = kuhn_open(false);
    lr_start(game, state_in(&first));
    collect(&first, none, none);
    for (int i = 0; i < PURE; i++)
        for (int j = 0; j < PURE; j++) payoff[i][j] = play(&first, (const int[]){i, j}, 1);
    return 0;
}

static int close_matrix(void **unused) {
    (void)unused;
    lr_game_close(game);
    return 0;
}

/* ---- Simplex ----
 * With all payoffs shifted to be positive, the Confederacy's best mixed strategy is, but for scale, the y >= 0 that makes
 * sum(y) greatest while no row of payoff y is above 1. Whole numbers over one common divisor, the last pivot (Edmonds);
 * lowest indices first, so that it ends (Bland). Column j < PURE is y_j, column PURE + i the slack of row i. */

enum { SHIFT = 2 * DEALS + 1, COLUMNS = 2 * PURE + 1 };

static __int128 table[PURE + 1][COLUMNS]; /* the last row is the goal, the last column the right-hand side */
static __int128 divisor;
static int basis[PURE];

static __int128 times(__int128 a, __int128 b) {
    __int128 product;
    assert_false(__builtin_mul_overflow(a, b, &product));
    return product;
}

static void fill_table(void) {
    memset(table, 0, sizeof table);
    divisor = 1;
    for (int i = 0; i < PURE; i++) {
        for (int j = 0; j < PURE; j++) table[i][j] = payoff[i][j] + SHIFT;
        table[i][PURE + i] = 1;
        table[i][COLUMNS - 1] = 1;
        table[PURE][i] = -1;
        basis[i] = PURE + i;
    }
}

static int entering(void) {
    for (int j = 0; j < COLUMNS - 1; j++)
        if (table[PURE][j] < 0) return j;
    return -1;
}

/* The row with the least right-hand side a unit of column j; of equals the one whose variable comes first. */
static int leaving(int j) {
    int best = -1;
    for (int i = 0; i < PURE; i++) {
        if (table[i][j] <= 0) continue;
        if (best < 0) {
            best = i;
            continue;
        }
        const __int128 mine = times(table[i][COLUMNS - 1], table[best][j]);
        const __int128 other = times(table[best][COLUMNS - 1], table[i][j]);
        if (mine < other || (mine == other && basis[i] < basis[best])) best = i;
    }
    return best;
}

static void pivot(int row, int column) {
    const __int128 p = table[row][column];
    for (int i = 0; i <= PURE; i++) {
        const __int128 factor = table[i][column];
        if (i == row) continue;
        for (int j = 0; j < COLUMNS; j++)
            table[i][j] = (times(table[i][j], p) - times(factor, table[row][j])) / divisor;
    }
    divisor = p;
    basis[row] = column;
}

/* Both sides' mixed strategies as whole numbers over their sums. */
struct solution {
    __int128 mine[2][PURE], sum[2];
};

static struct solution solve(void) {
    struct solution solution = {0};
    fill_table();
    for (int column; (column = entering()) >= 0;) {
        const int row = leaving(column);
        assert_true(row >= 0); /* payoffs are positive, so y is bounded */
        pivot(row, column);
    }
    for (int i = 0; i < PURE; i++) {
        if (basis[i] < PURE) solution.mine[LR_CONFEDERATE][basis[i]] = table[i][COLUMNS - 1];
        solution.mine[LR_UNION][i] = table[PURE][PURE + i]; /* the dual */
    }
    for (int player = 0; player < 2; player++)
        for (int i = 0; i < PURE; i++) solution.sum[player] += solution.mine[player][i];
    return solution;
}

/* ---- The value ---- */

static void the_first_player_loses_an_eighteenth(void **unused) {
    (void)unused;
    const struct solution s = solve();
    for (int player = 0; player < 2; player++) {
        assert_true(s.sum[player] > 0);
        for (int i = 0; i < PURE; i++) assert_true(s.mine[player][i] >= 0);
    }
    /* payoffs are of DEALS deals: the value times DEALS is -1/3 */
    for (int j = 0; j < PURE; j++) { /* whatever the Confederacy does, the Union loses no more */
        __int128 gain = 0;
        for (int i = 0; i < PURE; i++) gain += s.mine[LR_UNION][i] * payoff[i][j];
        assert_true(gain * 18 >= -s.sum[LR_UNION] * DEALS);
    }
    for (int i = 0; i < PURE; i++) { /* whatever the Union does, it loses no less */
        __int128 gain = 0;
        for (int j = 0; j < PURE; j++) gain += s.mine[LR_CONFEDERATE][j] * payoff[i][j];
        assert_true(gain * 18 <= -s.sum[LR_CONFEDERATE] * DEALS);
    }
}

/* The weight with which the Confederacy bets, as a third of the whole, when it holds `card` and the Union has bet or not. */
static void assert_thirds(const struct solution *s, int card, bool facing_bet, int thirds) {
    __int128 bets = 0;
    for (int set = 0; set < set_count[LR_CONFEDERATE]; set++) {
        const uint8_t *observed = sets[LR_CONFEDERATE][set].observed; /* own row, then the other's: card, bet */
        if (observed[0] != card || (observed[3] != 0) != facing_bet) continue;
        for (int j = 0; j < PURE; j++)
            if (sets[LR_CONFEDERATE][set].actions[j >> set & 1] == KUHN_BET) bets += s->mine[LR_CONFEDERATE][j];
    }
    assert_true(bets * 3 == s->sum[LR_CONFEDERATE] * thirds);
}

/* Kuhn 1950: the second player has one best way to play. */
static void the_second_player_bluffs_and_calls_a_third_of_the_time(void **unused) {
    (void)unused;
    const struct solution s = solve();
    assert_thirds(&s, 1, false, 1);
    assert_thirds(&s, 1, true, 0);
    assert_thirds(&s, 2, false, 0);
    assert_thirds(&s, 2, true, 1);
    assert_thirds(&s, 3, false, 3);
    assert_thirds(&s, 3, true, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(observations_make_six_information_sets_a_player),
        cmocka_unit_test(the_first_player_loses_an_eighteenth),
        cmocka_unit_test(the_second_player_bluffs_and_calls_a_third_of_the_time),
    };
    return cmocka_run_group_tests(tests, open_matrix, close_matrix);
}
