/* artillery.c: R 7 and R 9.4: which guns may fire in their own Artillery Phase, and what they see.
 *
 * Terrain is in the tables of sight.c; what changes in play is only which friends stand next to the target. */
#include "chapters.h"

/* R 7.1: unlimbered, once a phase. Fire itself goes by chapter 9 (fire.c). */
uint64_t artillery_firers(const struct brigade *b, const struct brigade_state *s) {
    return units_of(b, s, s->side) & b->guns & s->deployed;
}

/* R 9.4: friends next to the target hide it; enemies never do (ruling 28). Range is not looked at here. */
bool gun_sees(const struct brigade *b, const struct brigade_state *s, int row, int cell) {
    const unsigned from = s->cell[row];
    if (!board_test(&b->sight[from], (unsigned)cell)) return false;
    const uint8_t screen = b->screen[from][cell];
    if (!screen) return true;
    const board *friends = &s->occupied[side_of(row)];
    int held = 0, hexes = 0;
    for (unsigned left = screen & (SCREEN_BOTH - 1u); left; left &= left - 1, hexes++)
        held += board_test(friends, b->neighbour[cell][__builtin_ctz(left)]);
    return screen & SCREEN_BOTH ? held < hexes : held == 0;
}
