/* board.h against a set that is an array of bool. */
#include "env/board.h"
#include "env/longroll.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

struct naive {
    bool in[BOARD_CELLS];
};

/* Some boards are sparse, some dense, and the ends of words are likelier than chance has them. */
static struct naive random_set(uint64_t number) {
    struct naive set = {{false}};
    const uint32_t one_in = 1 + lr_random(number, 1000, 20);
    for (unsigned cell = 0; cell < BOARD_CELLS; cell++)
        set.in[cell] = lr_random(number, cell, cell % 64 % 63 ? one_in : 2) == 0;
    return set;
}

static board board_of(const struct naive *set) {
    board b = board_empty();
    for (unsigned cell = 0; cell < BOARD_CELLS; cell++)
        if (set->in[cell]) board_add(&b, cell);
    return b;
}

static void assert_same(board b, const struct naive *set) {
    int count = 0;
    for (unsigned cell = 0; cell < BOARD_CELLS; cell++) {
        assert_int_equal(board_test(&b, cell), set->in[cell]);
        count += set->in[cell];
    }
    assert_int_equal(board_count(&b), count);
    assert_int_equal(board_any(&b), count > 0);
}

static void sets_combine(void **unused) {
    (void)unused;
    for (uint64_t number = 0; number < 200; number++) {
        const struct naive a = random_set(number), b = random_set(number + 1000000);
        struct naive either, both, minus;
        for (int cell = 0; cell < BOARD_CELLS; cell++) {
            either.in[cell] = a.in[cell] || b.in[cell];
            both.in[cell] = a.in[cell] && b.in[cell];
            minus.in[cell] = a.in[cell] && !b.in[cell];
        }
        assert_same(board_or(board_of(&a), board_of(&b)), &either);
        assert_same(board_and(board_of(&a), board_of(&b)), &both);
        assert_same(board_minus(board_of(&a), board_of(&b)), &minus);
    }
}

static void single_cells_come_and_go(void **unused) {
    (void)unused;
    struct naive none = {{false}};
    assert_same(board_empty(), &none);
    for (unsigned cell = 0; cell < BOARD_CELLS; cell++) {
        struct naive one = none;
        one.in[cell] = true;
        board b = board_empty();
        board_add(&b, cell);
        board_add(&b, cell);
        assert_same(b, &one);
        assert_true(board_any(&b));
        board_remove(&b, cell);
        board_remove(&b, cell);
        assert_same(b, &none);
    }
}

static void shifts_lose_only_the_ends(void **unused) {
    (void)unused;
    for (uint64_t number = 0; number < 10; number++) {
        const struct naive set = random_set(number);
        for (unsigned by = 1; by < 64; by++) {
            struct naive up = {{false}}, down = {{false}};
            for (unsigned cell = 0; cell < BOARD_CELLS; cell++) {
                if (set.in[cell] && cell + by < BOARD_CELLS) up.in[cell + by] = true;
                if (set.in[cell] && cell >= by) down.in[cell - by] = true;
            }
            assert_same(board_up(board_of(&set), by), &up);
            assert_same(board_down(board_of(&set), by), &down);
        }
    }
}

static void members_come_in_order(void **unused) {
    (void)unused;
    for (uint64_t number = 0; number < 200; number++) {
        const struct naive set = random_set(number);
        board b = board_of(&set);
        uint16_t list[BOARD_CELLS];
        const int count = board_list(&b, 64, list);
        int seen = 0;
        for (int cell = 0; cell < BOARD_CELLS; cell++) {
            if (!set.in[cell]) continue;
            assert_int_equal(list[seen++], 64 + cell);
            assert_int_equal(board_next(&b), cell);
        }
        assert_int_equal(seen, count);
        assert_int_equal(board_next(&b), -1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_combine),
        cmocka_unit_test(single_cells_come_and_go),
        cmocka_unit_test(shifts_lose_only_the_ends),
        cmocka_unit_test(members_come_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
