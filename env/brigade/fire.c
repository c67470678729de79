/* fire.c: R 9.1 to 9.6 and 7.2: targets, firers, the die, its result. One segment serves all three kinds of fire:
 * the Artillery Phase, defensive fire and offensive fire differ in who may fire at whom (R 7.1, 9.2, 9.3).
 *
 * A segment is a run of attacks. `engaged` holds who has fired and who was fired on in it; `joined` the firers of the
 * attack in hand, who are in `engaged` too once the fire is ordered. */
#include "chapters.h"

static int target_side(const struct brigade_state *s) { return 1 - firing_side(s); }

static int arm_of(const struct brigade *b, const struct brigade_state *s, int row) {
    if (has(b->guns, row)) return ARM_ARTILLERY;
    if (!has(b->cavalry, row)) return ARM_INFANTRY;
    return has(s->deployed, row) ? ARM_DISMOUNTED : ARM_MOUNTED;
}

/* R 9.2: any unit of the side not moving; R 9.3: infantry and dismounted cavalry; never routed ones (R 9.8.3) nor
 * limbered guns (R 7.1); rulings 12, 26, 27, 31. At night only who was in contact when the turn began (ruling 48). */
uint64_t fire_firers(const struct brigade *b, const struct brigade_state *s) {
    uint64_t rows = units_of(b, s, firing_side(s));
    if (s->phase == PHASE_ARTILLERY) rows = artillery_firers(b, s);
    else if (s->phase == PHASE_DEFENCE) rows &= ~b->guns | s->deployed;
    else rows &= b->infantry | (b->cavalry & s->deployed);
    if (is_night(b, s)) rows &= s->may_fire_at_night;
    return rows & ~s->routed & ~s->engaged;
}

/* R 9.5, 9.1: halves are rounded down for each unit, and none counts less than 1. R 11: range 1 at night. */
int fire_strength(const struct brigade *b, const struct brigade_state *s, int row, int cell) {
    const int range = distance(b, s->cell[row], (unsigned)cell);
    if (range >= BRIGADE_RANGE || (range > 1 && is_night(b, s))) return 0;
    const int halves = b->multiplier[arm_of(b, s, row)][range];
    if (!halves) return 0;
    const int strength = s->strength[row] * halves / 2;
    return strength ? strength : 1;
}

bool can_fire_at(const struct brigade *b, const struct brigade_state *s, int row, int cell) {
    if (!fire_strength(b, s, row, cell)) return false;
    return distance(b, s->cell[row], (unsigned)cell) == 1 || gun_sees(b, s, row, cell); /* R 9.4: adjacent is always seen */
}

/* Cells of the units, or leaders alone, not fired on yet in this segment. */
static board target_cells(const struct brigade *b, const struct brigade_state *s) {
    const int side = target_side(s);
    board cells = board_empty();
    const uint64_t rows = (units_of(b, s, side) | lone_leaders(b, s, side)) & ~s->engaged;
    for (uint64_t left = rows; left; left &= left - 1) board_add(&cells, s->cell[lowest(left)]);
    return cells;
}

/* The targets that somebody can fire at. `any` stops at the first. */
static board targets(const struct brigade *b, const struct brigade_state *s, bool any) {
    const board cells = target_cells(b, s);
    const uint64_t firers = fire_firers(b, s);
    board touched = board_empty();
    for (uint64_t left = firers; left; left &= left - 1) touched = board_or(touched, b->adjacent[s->cell[lowest(left)]]);
    board found = board_and(cells, touched);
    if (is_night(b, s) || (any && board_any(&found))) return found;
    for (uint64_t left = firers & b->guns; left; left &= left - 1) {
        const int row = lowest(left);
        board seen = board_minus(board_and(cells, b->sight[s->cell[row]]), found);
        for (int cell; (cell = board_next(&seen)) >= 0;)
            if (can_fire_at(b, s, row, cell)) board_add(&found, (unsigned)cell);
        if (any && board_any(&found)) return found;
    }
    return found;
}

bool target_is_asked(const struct brigade *b, const struct brigade_state *s) {
    const board cells = targets(b, s, true);
    return board_any(&cells);
}

void target_options(const struct brigade *b, const struct brigade_state *s, struct options *o) {
    o->cells = targets(b, s, false);
    o->verbs = verb(VERB_END_FIRE);
}

bool segment_step(const struct brigade *b, struct brigade_state *s) {
    return s->phase != PHASE_OVER && target_is_asked(b, s) && ask(s, TARGET);
}

void target_take(const struct brigade *b, struct brigade_state *s, int action) {
    if (!is_cell(action)) { /* end fire: nobody of this side fires again in the segment */
        s->engaged |= rows_of(firing_side(s)) & s->on_map & b->units;
        return;
    }
    const int cell = action - BRIGADE_ID_CELL;
    const uint64_t standing = pieces_at(s, rows_of(target_side(s)), cell);
    const uint64_t unit = standing & b->units;
    s->target = (uint16_t)(cell + 1);
    s->engaged |= unit ? unit : standing;
    s->subject = (uint8_t)lowest(unit ? unit : standing);
    s->stage = STAGE_FIRE;
}

/* Decisions, JOIN: rows above the last one joined, then the order to fire. */
void join_options(const struct brigade *b, const struct brigade_state *s, struct options *o) {
    uint64_t rows = fire_firers(b, s);
    if (s->joined) {
        rows &= ~(bit(63 - __builtin_clzll(s->joined)) - 1) & ~s->joined;
        o->verbs = verb(VERB_FIRE);
    }
    for (; rows; rows &= rows - 1)
        if (can_fire_at(b, s, lowest(rows), s->target - 1)) o->rows |= rows & -rows;
}

static void fire_ordered(struct brigade_state *s) {
    s->engaged |= s->joined;
    if (s->phase == PHASE_ARTILLERY) s->fired |= s->joined; /* R 7.1; not in defensive fire (ruling 12) */
}

void join_take(const struct brigade *b, struct brigade_state *s, int action) {
    if (!is_verb(action, VERB_FIRE)) s->joined |= bit(action);
    if (is_verb(action, VERB_FIRE) || has(b->leaders, s->subject)) fire_ordered(s); /* ruling 32: one firer at a leader */
}

bool fire_step(const struct brigade *b, struct brigade_state *s) {
    (void)b;
    return ask(s, s->joined & s->engaged ? CHANCE_FIRE : JOIN);
}

/* The one terrain modifier that is best for the target (ruling 30). */
static int ground_modifier(const struct brigade *b, const struct brigade_state *s, uint64_t firers, int cell) {
    const int terrain = b->terrains[b->terrain[cell]].die;
    for (; firers; firers &= firers - 1)
        if (b->level[s->cell[lowest(firers)]] >= b->level[cell]) return terrain;
    return terrain < b->higher_die ? terrain : b->higher_die;
}

struct fire_odds fire_odds(const struct brigade *b, const struct brigade_state *s, uint64_t firers, int target_row, int target_cell) {
    struct fire_odds odds = {0, 0, ground_modifier(b, s, firers, target_cell)};
    int touching = 0;
    for (uint64_t left = firers; left; left &= left - 1) {
        odds.strength += fire_strength(b, s, lowest(left), target_cell);
        touching += distance(b, s->cell[lowest(left)], (unsigned)target_cell) == 1;
    }
    if (touching >= b->flank_hexes) odds.modifier += b->flank_die; /* R 9.5, ruling 29 */
    while (odds.column + 1 < b->combat_columns && b->combat_least[odds.column + 1] <= odds.strength) odds.column++;
    if (has(b->guns, target_row) && !has(s->deployed, target_row)) odds.column += b->limbered_shift; /* R 9.5 */
    if (odds.column >= b->combat_columns) odds.column = b->combat_columns - 1;
    return odds;
}

/* R 9.6 on a combat unit, in the order of ruling 33. */
static void unit_hit(const struct brigade *b, struct brigade_state *s, int face) {
    const int row = s->subject, cell = s->target - 1;
    const struct fire_odds odds = fire_odds(b, s, s->joined, row, cell);
    const int die = face + odds.modifier;
    const struct brigade_result *result = &b->combat[die < 1 ? 1 : die > 10 ? 10 : die][odds.column];
    const uint64_t leaders = pieces_at(s, b->leaders & rows_of(side_of(row)), cell);
    if (result->loss && unit_loses(b, s, row, result->loss)) {
        s->to_check = leaders;
        s->stage = STAGE_ADVANCE;
        return;
    }
    if (face == 10 || die >= 10) s->to_check = leaders; /* R 9.6, ruling 30 */
    if (!result->check) s->stage = STAGE_ADVANCE;
    else if (has(s->routed, row)) s->stage = STAGE_ROUT; /* R 9.8.3, ruling 39 */
    else if (result->retreat) s->stage = STAGE_RETREAT;
    else s->stage = STAGE_MORALE;
}

/* R 6.4, ruling 32: a die for each leader there, in row order. */
static void leader_fired_on(const struct brigade *b, struct brigade_state *s, int face) {
    const int row = s->subject;
    if (face >= b->casualty_alone_least) leader_hit(b, s, row);
    const uint64_t later = rows_of(side_of(row)) & ~(bit(row) - 1) & ~bit(row);
    const uint64_t next = pieces_at(s, b->leaders & later, s->target - 1);
    if (next) s->subject = (uint8_t)lowest(next);
    else s->stage = STAGE_ADVANCE;
}

void fire_resolve(const struct brigade *b, struct brigade_state *s, int face) {
    if (has(b->leaders, s->subject)) leader_fired_on(b, s, face);
    else unit_hit(b, s, face);
}
