/* pieces.c: where pieces stand (R 2.1), their zones of control (R 2.2), what becomes of them when they
 * enter, move, rout, lose strength. Every change of a unit's place or order goes through here, so that
 * the boards in the state keep repeating what the pieces say. */
#include "chapters.h"

uint64_t pieces_at(const struct brigade_state *s, uint64_t rows, int cell) {
    uint64_t found = 0;
    for (uint64_t left = rows & s->on_map; left; left &= left - 1) {
        const int row = lowest(left);
        found |= (uint64_t)(s->cell[row] == cell) << row;
    }
    return found;
}

uint64_t lone_leaders(const struct brigade *b, const struct brigade_state *s, int side) {
    uint64_t alone = 0;
    for (uint64_t left = leaders_of(b, s, side); left; left &= left - 1) {
        const int row = lowest(left);
        if (!board_test(&s->occupied[side], s->cell[row])) alone |= bit(row);
    }
    return alone;
}

/* R 2.2, 9.8.3: every unit that is not routed; rulings 1 and 3. */
board zone_of(const struct brigade *b, const struct brigade_state *s, int side) {
    board zone = board_empty();
    for (uint64_t left = units_of(b, s, side) & ~s->routed; left; left &= left - 1)
        zone = board_or(zone, b->adjacent[s->cell[lowest(left)]]);
    return zone;
}

board cells_near(const struct brigade *b, const struct brigade_state *s, int side) {
    board near = board_empty();
    for (uint64_t left = units_of(b, s, side); left; left &= left - 1)
        near = board_or(near, b->within[s->cell[lowest(left)]]);
    return near;
}

/* The zone that the state keeps changes only with the units of the side that waits. */
static void zone_changed(const struct brigade *b, struct brigade_state *s, int side) {
    if (side == s->side) return;
    s->waiting_zone = zone_of(b, s, side);
}

void unit_enters(const struct brigade *b, struct brigade_state *s, int row, int cell) {
    const int side = side_of(row);
    s->on_map |= bit(row);
    s->cell[row] = (uint16_t)cell;
    board_add(&s->occupied[side], (unsigned)cell);
    zone_changed(b, s, side);
}

/* The cell it leaves stays occupied if the unit was passing through a friend's hex. */
static void unit_leaves(const struct brigade *b, struct brigade_state *s, int row) {
    const int side = side_of(row);
    if (!(pieces_at(s, b->units & rows_of(side), s->cell[row]) & ~bit(row)))
        board_remove(&s->occupied[side], s->cell[row]);
}

void unit_moves(const struct brigade *b, struct brigade_state *s, int row, int cell) {
    unit_leaves(b, s, row);
    unit_enters(b, s, row, cell);
}

void unit_routs(const struct brigade *b, struct brigade_state *s, int row) {
    s->routed |= bit(row);
    zone_changed(b, s, side_of(row));
}

static void unit_dies(const struct brigade *b, struct brigade_state *s, int row) {
    unit_leaves(b, s, row);
    const uint64_t others = ~bit(row);
    s->cell[row] = 0;
    s->strength[row] = 0;
    s->on_map &= others;
    s->routed &= others;
    s->deployed &= others;
    s->fired &= others;
    s->in_command &= others;
    s->done &= others;
    s->engaged &= others;
    s->may_fire_at_night &= others;
    zone_changed(b, s, side_of(row));
}

bool unit_loses(const struct brigade *b, struct brigade_state *s, int row, int loss) {
    if (loss > s->strength[row]) loss = s->strength[row];
    s->strength[row] = (uint8_t)(s->strength[row] - loss);
    s->vp = (int16_t)(s->vp + (side_of(row) == LR_UNION ? -loss : loss)); /* R 13, ruling 51 */
    if (s->strength[row]) return false;
    unit_dies(b, s, row);
    return true;
}

void displace_leaders_near(const struct brigade *b, struct brigade_state *s, int row, int cell) {
    for (uint64_t left = lone_leaders(b, s, 1 - side_of(row)); left; left &= left - 1) {
        const int leader = lowest(left);
        if (distance(b, s->cell[leader], (unsigned)cell) <= 1) s->to_place |= bit(leader);
    }
}
