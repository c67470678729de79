/* retreat.c: R 9.8, rulings 33 to 39, decisions 12: a retreat of two hexes or a rout of three, hex by hex.
 *
 * No hex is entered twice (R 9.8.1), but a step never leads farther from the retreat hex, so only hexes as far from
 * it as the unit now stands can come in question again; and these form a ring round it, on which each has two
 * neighbours. So two cells say it all: the one by which the unit came to this ring and the one it came from. Both
 * are kept in `ring`, sorted, 1 + cell; 0 for none. */
#include "chapters.h"

static int goal(const struct brigade_state *s) { return s->toward - 1; }

static board enemy_zone(const struct brigade *b, const struct brigade_state *s, int row) {
    return side_of(row) == s->side ? s->waiting_zone : zone_of(b, s, 1 - side_of(row));
}

/* Ruling 36: a hex that is nearer to a unit that fired than the one the unit stands in. */
static bool nearer_to_a_firer(const struct brigade *b, const struct brigade_state *s, int from, int to) {
    for (uint64_t left = s->joined; left; left &= left - 1) {
        const unsigned firer = s->cell[lowest(left)];
        if (distance(b, (unsigned)to, firer) < distance(b, (unsigned)from, firer)) return true;
    }
    return false;
}

/* The steps of the first group of ruling 36 that is not empty; empty if there is no step at all. */
static board best_steps(const struct brigade *b, const struct brigade_state *s) {
    const int row = s->subject, from = s->cell[row];
    const board zone = enemy_zone(b, s, row);
    board group[4] = {board_empty(), board_empty(), board_empty(), board_empty()};
    board possible = board_minus(b->adjacent[from], s->occupied[1 - side_of(row)]);
    for (int i = 0; i < 2; i++)
        if (s->ring[i]) board_remove(&possible, s->ring[i] - 1u);
    for (int cell; (cell = board_next(&possible)) >= 0;) {
        const int gain = distance(b, (unsigned)from, (unsigned)goal(s)) - distance(b, (unsigned)cell, (unsigned)goal(s));
        if (gain < 0) continue;
        board_add(&group[(board_test(&zone, (unsigned)cell) ? 2 : 0) + (gain > 0 ? 0 : 1)], (unsigned)cell);
    }
    for (int i = 0; i < 4; i++) {
        if (!board_any(&group[i])) continue;
        board away = group[i], left = group[i];
        for (int cell; (cell = board_next(&left)) >= 0;)
            if (nearer_to_a_firer(b, s, from, cell)) board_remove(&away, (unsigned)cell);
        return board_any(&away) ? away : group[i];
    }
    return board_empty();
}

/* Not on another unit, not in an enemy zone (R 9.8, ruling 37). */
static bool may_stop(const struct brigade *b, const struct brigade_state *s) {
    const int row = s->subject, cell = s->cell[row];
    const board zone = enemy_zone(b, s, row);
    if (board_test(&zone, (unsigned)cell)) return false;
    return !(pieces_at(s, b->units & rows_of(side_of(row)), cell) & ~bit(row));
}

static void retreat_ends(struct brigade_state *s, int stage) {
    s->stage = (uint8_t)stage;
    s->toward = 0;
    s->to_go = 0;
    s->with = 0;
    s->ring[0] = s->ring[1] = 0;
}

/* The unit is gone: the leaders who went along throw their dice where they are (decisions 12). */
static void unit_lost(struct brigade_state *s) {
    s->to_check |= s->with;
    retreat_ends(s, STAGE_ADVANCE);
}

/* Before the first step: the rout marker, the leaders who go along, and what guns caught unlimbered lose on top
 * (R 9.8.1, ruling 35). False if that eliminated them. */
static bool retreat_begins(const struct brigade *b, struct brigade_state *s) {
    const int row = s->subject;
    if (s->stage == STAGE_ROUT && !has(s->routed, row)) unit_routs(b, s, row);
    s->with = pieces_at(s, b->leaders & rows_of(side_of(row)), s->cell[row]);
    if (!has(b->guns & s->deployed, row)) return true;
    s->deployed &= ~bit(row);
    if (!unit_loses(b, s, row, 1)) return true;
    unit_lost(s);
    return false;
}

bool retreat_step(const struct brigade *b, struct brigade_state *s) {
    if (!s->toward) return retreat_begins(b, s) && ask(s, RETREAT_TO);
    const bool done = s->to_go == 0 && may_stop(b, s);
    if (done) {
        retreat_ends(s, s->stage == STAGE_RETREAT ? STAGE_MORALE : STAGE_ADVANCE); /* ruling 34 */
        return false;
    }
    const board steps = best_steps(b, s);
    if (board_any(&steps)) return ask(s, RETREAT);
    unit_loses(b, s, s->subject, s->strength[s->subject]); /* R 9.8: it cannot retreat */
    unit_lost(s);
    return false;
}

void retreat_to_options(const struct brigade *b, const struct brigade_state *s, struct options *o) {
    for (int i = 0; i < b->retreat_count; i++)
        if (has(b->retreat[i].rows, s->subject)) board_add(&o->cells, b->retreat[i].cell);
}

void retreat_to_take(const struct brigade *b, struct brigade_state *s, int action) {
    s->toward = (uint16_t)(action - BRIGADE_ID_CELL + 1);
    s->to_go = s->stage == STAGE_ROUT ? b->rout_hexes : b->retreat_hexes;
}

void retreat_options(const struct brigade *b, const struct brigade_state *s, struct options *o) { o->cells = best_steps(b, s); }

/* The ring after a step from `from` to a hex as far from the goal. Of the two cells kept so far the one next to
 * `from` is where the unit came from; the other, if any, is where it came to the ring. */
static void remember_ring(const struct brigade *b, struct brigade_state *s, int from) {
    int entered = from;
    for (int i = 0; i < 2; i++)
        if (s->ring[i] && (s->ring[1 - i] == 0 || distance(b, s->ring[i] - 1u, (unsigned)from) > 1)) entered = s->ring[i] - 1;
    const int lower = entered < from ? entered : from, upper = entered < from ? from : entered;
    s->ring[0] = (uint16_t)(lower + 1);
    s->ring[1] = (uint16_t)(lower == upper ? 0 : upper + 1);
}

void retreat_take(const struct brigade *b, struct brigade_state *s, int action) {
    const int row = s->subject, from = s->cell[row], cell = action - BRIGADE_ID_CELL;
    const board zone = enemy_zone(b, s, row);
    if (distance(b, (unsigned)cell, (unsigned)goal(s)) == distance(b, (unsigned)from, (unsigned)goal(s))) remember_ring(b, s, from);
    else s->ring[0] = s->ring[1] = 0;
    unit_moves(b, s, row, cell);
    for (uint64_t left = s->with; left; left &= left - 1) s->cell[lowest(left)] = (uint16_t)cell;
    if (s->to_go) s->to_go--;
    const bool dead = board_test(&zone, (unsigned)cell) && unit_loses(b, s, row, 1); /* R 9.8, ruling 37 */
    displace_leaders_near(b, s, row, cell);
    if (dead) unit_lost(s);
}
