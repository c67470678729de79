/* reinforcements.c: R 8.5, 14.2.1, 14.3, 14.4, rulings 22 to 24 and 53, decisions 15: who is due, the dice that
 * decide it, and where a reinforcement comes on. While arrival dice are due, in the Command Phase, `subject` is the
 * number of the group to look at next. */
#include "chapters.h"

static bool die_is_due(const struct brigade *b, const struct brigade_state *s, int group) {
    const struct brigade_group *g = &b->group[group];
    if (s->arrival[group]) return false;
    if (g->every_from) return s->side == b->first_player && s->turn >= g->every_from; /* ruling 53 */
    return g->die_turn == s->turn && side_of(g->subject) == s->side;                  /* ruling 24 */
}

bool arrival_step(const struct brigade *b, struct brigade_state *s) {
    for (; s->subject < b->group_count; s->subject++)
        if (die_is_due(b, s, s->subject)) return ask(s, CHANCE_ARRIVAL);
    s->subject = 0;
    return false;
}

void arrival_resolve(const struct brigade *b, struct brigade_state *s, int face) {
    const int group = s->subject++;
    const struct brigade_group *g = &b->group[group];
    if (!g->every_from) {
        s->arrival[group] = g->die_result[face];
        return;
    }
    if (face + g->every_modifier >= s->turn) return;
    s->arrival[group] = s->turn;
    if (s->turn <= g->penalty_until) /* R 14.4 */
        s->vp = (int16_t)(s->vp + (side_of(g->subject) == LR_UNION ? -g->penalty : g->penalty));
}

bool is_due(const struct brigade *b, const struct brigade_state *s, int row) {
    const int group = b->piece[row].group - 1;
    if (group < 0) return false;
    const int turn = b->group[group].turn ? b->group[group].turn : s->arrival[group];
    return turn && turn <= s->turn;
}

uint64_t reinforcements_due(const struct brigade *b, const struct brigade_state *s) {
    uint64_t rows = 0;
    for (int group = 0; group < b->group_count; group++) rows |= b->group[group].rows;
    rows &= rows_of(s->side) & ~s->on_map;
    for (uint64_t left = rows; left; left &= left - 1)
        if (!s->strength[lowest(left)] || !is_due(b, s, lowest(left))) rows &= ~(left & -left);
    return rows;
}

uint64_t reinforcements_owed(const struct brigade *b, const struct brigade_state *s) {
    uint64_t owed = 0;
    for (int group = 0; group < b->group_count; group++)
        if (b->group[group].latest && s->turn >= b->group[group].latest) owed |= b->group[group].rows;
    return owed & reinforcements_due(b, s);
}

/* Ruling 22: as a step along the road; halved under the conditions of column movement, which an entering unit meets
 * unless enemies are near the hex. */
static int entry_cost(const struct brigade *b, const struct brigade_state *s, int row, int cell) {
    const int full = b->road_cost[movement_gait(b, s, row)];
    return board_test(&s->near, (unsigned)cell) ? full : full / 2;
}

/* The entry hex, or if it is blocked the nearest edge hexes that are not. */
static board open_entries(const struct brigade *b, const struct brigade_state *s, int row) {
    const int entry = b->group[b->piece[row].group - 1].entry, enemy = 1 - s->side;
    board free = board_minus(board_minus(board_and(b->edge, b->open), s->occupied[enemy]), s->waiting_zone);
    if (has(b->leaders, row))
        for (uint64_t left = leaders_of(b, s, enemy); left; left &= left - 1) board_remove(&free, s->cell[lowest(left)]);
    board cells = board_empty();
    if (board_test(&free, (unsigned)entry)) { /* the usual case */
        board_add(&cells, (unsigned)entry);
        return cells;
    }
    int nearest = BRIGADE_CELLS;
    for (int cell; (cell = board_next(&free)) >= 0;) {
        const int away = distance(b, (unsigned)cell, (unsigned)entry);
        if (away > nearest) continue;
        if (away < nearest) cells = board_empty();
        nearest = away;
        board_add(&cells, (unsigned)cell);
    }
    return cells;
}

/* Decisions 15: a friend's hex will do for a unit that can go on from it. */
board entry_cells(const struct brigade *b, const struct brigade_state *s, int row) {
    board cells = open_entries(b, s, row);
    if (has(b->leaders, row)) return cells;
    board held = board_and(cells, s->occupied[s->side]);
    if (!board_any(&held)) return cells;
    struct brigade_state entered = *s;
    entered.in_command |= bit(row);
    for (int cell; (cell = board_next(&held)) >= 0;) {
        const int left = movement_allowance(b, s, row) - entry_cost(b, s, row, cell);
        const board stops = movement_stops(b, &entered, row, cell, left);
        if (!board_any(&stops)) board_remove(&cells, (unsigned)cell);
    }
    return cells;
}

bool enter_step(const struct brigade *b, struct brigade_state *s) {
    (void)b;
    return ask(s, ENTER);
}

static bool can_enter_dismounted(const struct brigade *b, const struct brigade_state *s) {
    struct brigade_state dismounted = *s;
    dismounted.deployed |= bit(s->subject);
    const board cells = entry_cells(b, &dismounted, s->subject);
    return board_any(&cells);
}

/* R 8.5: cavalry first says how it comes; `acted` notes that it has. */
void enter_options(const struct brigade *b, const struct brigade_state *s, struct options *o) {
    const board cells = entry_cells(b, s, s->subject);
    if (!has(b->cavalry, s->subject) || s->acted) {
        o->cells = cells;
        return;
    }
    if (board_any(&cells)) o->verbs = verb(VERB_MOUNTED);
    if (can_enter_dismounted(b, s)) o->verbs |= verb(VERB_DISMOUNTED);
}

void enter_take(const struct brigade *b, struct brigade_state *s, int action) {
    const int row = s->subject;
    s->acted = 1;
    if (!is_cell(action)) {
        if (is_verb(action, VERB_DISMOUNTED)) s->deployed |= bit(row);
        return;
    }
    const int cell = action - BRIGADE_ID_CELL;
    s->spent = (uint8_t)entry_cost(b, s, row, cell);
    s->stage = STAGE_MOVE;
    if (has(b->leaders, row)) {
        s->on_map |= bit(row);
        s->cell[row] = (uint16_t)cell;
        return;
    }
    s->in_command |= bit(row); /* R 8.5 */
    unit_enters(b, s, row, cell);
    displace_leaders_near(b, s, row, cell);
}
