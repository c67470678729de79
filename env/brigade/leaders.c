/* leaders.c: R 6.4, rulings 43 and 44: casualties among leaders, and where a leader goes who must be placed with the
 * nearest friendly unit. Both wait in row sets of the state and are dealt with before anything else goes on, row by
 * row: placements first, then dice (decisions 12). */
#include "chapters.h"

/* The cells of the friendly units nearest to the leader; empty if he has no unit left. */
static board nearest_units(const struct brigade *b, const struct brigade_state *s, int row) {
    board cells = board_empty();
    int nearest = BRIGADE_CELLS;
    for (uint64_t left = units_of(b, s, side_of(row)); left; left &= left - 1) {
        const int cell = s->cell[lowest(left)];
        const int away = distance(b, s->cell[row], (unsigned)cell);
        if (away > nearest) continue;
        if (away < nearest) cells = board_empty();
        nearest = away;
        board_add(&cells, (unsigned)cell);
    }
    return cells;
}

/* R 14.1.5: the Destiny marker that names him goes with the first casualty of the leader. */
static void markers_lost(const struct brigade *b, struct brigade_state *s, int row) {
    const int side = side_of(row);
    for (int k = 0; k < b->marker_count[side]; k++)
        if (b->marker[side][k] == row) s->markers[side] &= (uint8_t)~(1u << k);
}

static void leader_removed(const struct brigade *b, struct brigade_state *s, int row) {
    const uint64_t others = ~bit(row);
    markers_lost(b, s, row);
    s->strength[row] = 0;
    s->cell[row] = 0;
    s->on_map &= others;
    s->done &= others;
    s->engaged &= others;
    s->to_place &= others;
}

bool leader_place_step(const struct brigade *b, struct brigade_state *s) {
    const int row = lowest(s->to_place);
    const board cells = nearest_units(b, s, row);
    if (board_any(&cells)) return ask(s, DISPLACE);
    leader_removed(b, s, row); /* ruling 43: without VP */
    return false;
}

void displace_options(const struct brigade *b, const struct brigade_state *s, struct options *o) {
    o->cells = nearest_units(b, s, lowest(s->to_place));
}

void displace_take(struct brigade_state *s, int action) {
    const int row = lowest(s->to_place);
    s->cell[row] = (uint16_t)(action - BRIGADE_ID_CELL);
    s->to_place &= ~bit(row);
}

/* One die a leader an attack (ruling 33): who has thrown his is only placed. */
bool leader_check_step(struct brigade_state *s) {
    const uint64_t row = s->to_check & -s->to_check;
    if (!(row & s->checked)) return ask(s, CHANCE_CASUALTY);
    s->to_check &= ~row;
    s->to_place |= row;
    return false;
}

/* 1 VP; the first casualty flips him to his Replacement, the second removes him for good (ruling 44). */
void leader_hit(const struct brigade *b, struct brigade_state *s, int row) {
    s->vp = (int16_t)(s->vp + (side_of(row) == LR_UNION ? -1 : 1));
    markers_lost(b, s, row);
    if (s->strength[row] == 1) {
        leader_removed(b, s, row);
        return;
    }
    s->strength[row] = 1;
    s->to_place |= bit(row);
}

/* Hit or not, he is placed with the nearest friendly unit: his own, if it still stands (R 6.4). */
void casualty_resolve(const struct brigade *b, struct brigade_state *s, int face) {
    const int row = lowest(s->to_check);
    s->to_check &= ~bit(row);
    s->checked |= bit(row);
    s->to_place |= bit(row);
    if (face >= b->casualty_least) leader_hit(b, s, row);
}

bool led(const struct brigade *b, const struct brigade_state *s, int row) {
    const uint64_t stacked = pieces_at(s, b->leaders & rows_of(side_of(row)), s->cell[row]);
    for (uint64_t left = stacked; left; left &= left - 1)
        if (has(b->under[lowest(left)], row)) return true;
    return false;
}
