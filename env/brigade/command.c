/* command.c: R 6.1 to 6.3, rulings 7 to 10: who is in command, decided once in the owner's Command Phase. */
#include "chapters.h"

/* All cells next to a member, prohibited and padding cells included, and the members themselves. A step sideways
 * from an odd (higher) column reaches the same row and the one above, from an even one the same and the one below. */
static board spread(const struct brigade *b, board from) {
    const board sideways = board_or(board_up(from, 1), board_down(from, 1));
    const board up = board_down(board_or(from, board_minus(sideways, b->odd)), b->stride);
    const board down = board_up(board_or(from, board_and(sideways, b->odd)), b->stride);
    return board_or(board_or(from, sideways), board_or(up, down));
}

board command_radius(const struct brigade *b, const struct brigade_state *s, int leader, int extra) {
    const int side = side_of(leader), enemy = 1 - side;
    const board enemy_zone = enemy == s->side ? zone_of(b, s, enemy) : s->waiting_zone;
    /* R 6.2: no enemy zone unless a friendly unit (a routed one too, ruling 9a) negates it. */
    board lines = board_minus(b->open, s->occupied[enemy]);
    lines = board_minus(lines, board_minus(enemy_zone, s->occupied[side]));
    if (extra >= 0) board_add(&lines, (unsigned)extra);
    board reach = board_empty();
    board_add(&reach, s->cell[leader]);
    const int radius = s->strength[leader] == 2 ? b->radius : b->replacement_radius;
    for (int i = 0; i < radius; i++) reach = board_or(reach, board_and(spread(b, reach), lines));
    return reach;
}

void command_phase(const struct brigade *b, struct brigade_state *s) {
    const uint64_t units = units_of(b, s, s->side);
    uint64_t commanded = 0;
    for (uint64_t left = units; left; left &= left - 1)
        if (b->piece[lowest(left)].independent) commanded |= left & -left; /* R 3.3.3 */
    for (uint64_t leaders = leaders_of(b, s, s->side); leaders; leaders &= leaders - 1) {
        const int leader = lowest(leaders);
        const board reach = command_radius(b, s, leader, -1);
        for (uint64_t left = units & b->leads[leader] & ~commanded; left; left &= left - 1)
            if (board_test(&reach, s->cell[lowest(left)])) commanded |= left & -left;
    }
    s->in_command = commanded;
}
