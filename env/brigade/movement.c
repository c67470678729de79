/* movement.c: R 8.1 to 8.4, 2.2, 9.8.3, rulings 2 to 6 and 16 to 21: who moves, where to, at what cost.
 *
 * MOVE and PICK are the decisions asked most, so the reachable hexes come from a flood over boards in order of cost:
 * each level's new cells are shifted in the six directions and cut with the boards of what a step costs (map.c).
 * Whether a piece can do anything is first asked of its neighbours alone; only a piece hemmed in needs the flood. */
#include "chapters.h"
#include <string.h>

static inline board zone_of_rows(const struct brigade *b, const struct brigade_state *s, uint64_t rows) {
    board zone = board_empty();
    for (; rows; rows &= rows - 1) zone = board_or(zone, b->adjacent[s->cell[lowest(rows)]]);
    return zone;
}

/* Ruling 4, decisions 14: the enemies in whose zone the piece stands. */
static uint64_t zone_owners(const struct brigade *b, const struct brigade_state *s, int row) {
    const unsigned cell = s->cell[row];
    if (!board_test(&s->waiting_zone, cell)) return 0;
    uint64_t owners = 0;
    for (uint64_t left = units_of(b, s, 1 - side_of(row)) & ~s->routed; left; left &= left - 1)
        if (board_test(&b->adjacent[s->cell[lowest(left)]], cell)) owners |= left & -left;
    return owners;
}

static uint64_t barred_rows(const struct brigade_state *s) {
    return (uint64_t)s->barred << (s->side == LR_UNION ? BRIGADE_SIDE : 0);
}

bool is_frozen(const struct brigade *b, const struct brigade_state *s, int row) {
    return s->turn < b->frozen_before && has(b->frozen, row);
}

int movement_allowance(const struct brigade *b, const struct brigade_state *s, int row) {
    const bool deployed = has(s->deployed, row);
    int most = b->allowance.infantry;
    if (has(b->leaders, row)) most = b->allowance.leader;
    else if (has(b->cavalry, row)) most = deployed ? b->allowance.dismounted : b->allowance.mounted;
    else if (has(b->guns, row)) most = deployed ? b->allowance.unlimbered : b->allowance.limbered;
    const bool slow = s->turn == b->slow.turn && side_of(row) == b->slow.side; /* R 14.3.1, ruling 23 */
    return slow && most > b->slow.allowance ? b->slow.allowance : most;
}

int movement_gait(const struct brigade *b, const struct brigade_state *s, int row) {
    if (has(b->guns, row)) return LIMBERED;
    return has(b->cavalry & ~s->deployed, row) ? MOUNTED : FOOT;
}

static bool is_steady(const struct brigade *b, const struct brigade_state *s, int row) {
    return has(s->in_command & ~s->routed, row) && !shattered(b, s, row);
}

/* What the ground and the enemy allow one piece. */
struct bounds {
    board enterable; /* cells it may step into */
    board passable;  /* of these, cells it may step on from */
    board stops;     /* of these, cells where it may end */
};

static struct bounds unit_bounds(const struct brigade *b, const struct brigade_state *s, int row) {
    const int side = side_of(row);
    const board friends = s->occupied[side];
    struct bounds k;
    k.enterable = board_minus(b->open, s->occupied[1 - side]);
    if (!is_steady(b, s, row) || is_night(b, s)) /* R 2.4, 6.3, 9.8.3, 11; ruling 5 */
        k.enterable = board_minus(k.enterable, s->waiting_zone);
    board halts = s->waiting_zone; /* R 8.2 */
    for (uint64_t left = lone_leaders(b, s, 1 - side); left; left &= left - 1) { /* ruling 43, decisions 10 */
        const unsigned cell = s->cell[lowest(left)];
        halts = board_or(halts, b->adjacent[cell]);
        board_add(&halts, cell);
    }
    k.enterable = board_minus(k.enterable, board_and(halts, friends)); /* must stop, may not (R 2.1) */
    k.passable = board_minus(k.enterable, halts);
    k.stops = board_minus(k.enterable, friends);
    return k;
}

/* Ruling 6: into a zone only on to a friendly unit's hex, never into a hex with an enemy leader. */
static struct bounds leader_bounds(const struct brigade *b, const struct brigade_state *s, int row) {
    const int side = side_of(row);
    struct bounds k;
    k.enterable = board_minus(b->open, s->occupied[1 - side]);
    const board shut = is_night(b, s) ? s->waiting_zone : board_minus(s->waiting_zone, s->occupied[side]); /* ruling 48 */
    k.enterable = board_minus(k.enterable, shut);
    for (uint64_t left = lone_leaders(b, s, 1 - side); left; left &= left - 1)
        board_remove(&k.enterable, s->cell[lowest(left)]);
    k.passable = board_minus(k.enterable, s->waiting_zone);
    k.stops = k.enterable;
    return k;
}

static struct bounds bounds_of(const struct brigade *b, const struct brigade_state *s, int row, uint64_t barred) {
    struct bounds k = has(b->leaders, row) ? leader_bounds(b, s, row) : unit_bounds(b, s, row);
    if (barred) { /* R 8.2 */
        const board zone = zone_of_rows(b, s, barred);
        k.enterable = board_minus(k.enterable, zone);
        k.passable = board_minus(k.passable, zone);
        k.stops = board_minus(k.stops, zone);
    }
    return k;
}

static inline void shift_all(const struct brigade *b, board from, board to[BRIGADE_SHIFTS]) {
    const unsigned stride = b->stride;
    to[0] = board_up(from, 1);
    to[1] = board_up(from, stride - 1);
    to[2] = board_up(from, stride);
    to[3] = board_up(from, stride + 1);
    to[4] = board_down(from, 1);
    to[5] = board_down(from, stride - 1);
    to[6] = board_down(from, stride);
    to[7] = board_down(from, stride + 1);
}

static inline board entered(const board shifted[BRIGADE_SHIFTS], const board into[BRIGADE_SHIFTS]) {
    board cells[BRIGADE_SHIFTS];
    for (int i = 0; i < BRIGADE_SHIFTS; i++) cells[i] = board_and(shifted[i], into[i]);
    for (int half = BRIGADE_SHIFTS / 2; half; half /= 2) /* a tree: the processor does not wait for a chain of ors */
        for (int i = 0; i < half; i++) cells[i] = board_or(cells[i], cells[i + half]);
    return cells[0];
}

/* The steps of column movement as things stand: both ends out of the enemy's reach (ruling 16). Returns how many costs
 * of a step are left. */
static int column_steps(const struct brigade *b, const struct brigade_state *s, const struct brigade_walk *walk,
                        struct brigade_step *steps) {
    board shifted[BRIGADE_SHIFTS];
    shift_all(b, board_minus(b->map, s->near), shifted);
    for (int i = 0; i < BRIGADE_SHIFTS; i++) shifted[i] = board_minus(shifted[i], s->near);
    int count = 0;
    for (int k = 0; k < walk->column_count; k++) {
        board any = board_empty();
        steps[count].cost = walk->column[k].cost;
        for (int i = 0; i < BRIGADE_SHIFTS; i++) {
            steps[count].into[i] = board_and(walk->column[k].into[i], shifted[i]);
            any = board_or(any, steps[count].into[i]);
        }
        count += board_any(&any);
    }
    return count;
}

/* The steps that cost `left` at most. */
static inline void spread_steps(const struct brigade_step *steps, int count, const board shifted[BRIGADE_SHIFTS], int left, board *at) {
    for (int k = 0; k < count && steps[k].cost <= left; k++)
        at[steps[k].cost] = board_or(at[steps[k].cost], entered(shifted, steps[k].into));
}

/* What a flood finds besides the cells: each costs the first level in which it stands. */
struct levels {
    board at[BRIGADE_ALLOWANCE + 1];
};

/* The flood: the cells reachable with `left` half points; with a target >= 0 it stops where that is reached. */
static board flood(const struct brigade *b, const struct brigade_state *s, int row, int from, int left, const struct bounds *k,
                   int target, struct levels *levels) {
    const struct brigade_walk *walk = &b->walk[movement_gait(b, s, row)];
    board *at = levels->at, shifted[BRIGADE_SHIFTS];
    struct brigade_step column[BRIGADE_STEPS];
    const bool marches = has(b->leaders, row) || is_steady(b, s, row); /* R 8.4 */
    const int column_count = marches ? column_steps(b, s, walk, column) : 0;
    board frontier = board_empty(), seen = board_empty();
    int cost = board_test(&s->waiting_zone, (unsigned)from) ? b->allowance.leave_zone : 0; /* R 8.3 */
    for (int i = 0; i <= left; i++) at[i].low = at[i].high = (board_quad){0};
    board_add(&frontier, (unsigned)from);
    while (cost < left) {
        if (board_any(&frontier)) {
            shift_all(b, frontier, shifted);
            spread_steps(walk->full, walk->full_count, shifted, left - cost, at + cost);
            spread_steps(column, column_count, shifted, left - cost, at + cost);
        }
        cost++;
        const board fresh = board_minus(board_and(at[cost], k->enterable), seen);
        seen = board_or(seen, fresh);
        if (target >= 0 && board_test(&fresh, (unsigned)target)) break;
        frontier = board_and(fresh, k->passable);
    }
    return seen;
}

/* Most pieces that have moved cannot pay for another step: seen without a flood. */
static bool can_pay(const struct brigade *b, const struct brigade_state *s, int row, int from, int left) {
    const bool halves = !board_test(&s->near, (unsigned)from);
    const int zone = board_test(&s->waiting_zone, (unsigned)from) ? b->allowance.leave_zone : 0; /* R 8.3 */
    return left >= zone + b->cheapest[movement_gait(b, s, row)][halves][from];
}

static board stops_of(const struct brigade *b, const struct brigade_state *s, int row, int from, int left, uint64_t barred,
                      struct levels *levels) {
    if (!can_pay(b, s, row, from, left)) return board_empty();
    const struct bounds k = bounds_of(b, s, row, barred);
    board reached = board_and(flood(b, s, row, from, left, &k, -1, levels), k.stops);
    board_remove(&reached, (unsigned)from);
    return reached;
}

board movement_stops(const struct brigade *b, const struct brigade_state *s, int row, int from, int left) {
    struct levels levels;
    return stops_of(b, s, row, from, left, 0, &levels);
}

/* The last MOVE that this thread offered, and its flood: whoever asks for the legal actions mostly takes one of them next,
 * and then its cost is known. It counts only for the very same state of the same game. */
static _Thread_local struct {
    uint64_t game;              /* its serial; 0: none yet */
    struct brigade_state state; /* as move_take finds it */
    struct levels levels;
} offered;

static board offer_stops(const struct brigade *b, const struct brigade_state *s, int row, int left) {
    offered.game = b->serial;
    offered.state = *s;
    offered.state.decision = NO_DECISION;
    return stops_of(b, s, row, s->cell[row], left, barred_rows(s), &offered.levels);
}

/* Half points for the move of the piece in hand to a cell that it was offered. */
static int cost_of(const struct brigade *b, const struct brigade_state *s, int row, int left, int cell) {
    struct levels levels;
    const board *at = offered.levels.at;
    /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison,cert-exp42-c,cert-flp37-c): there is no padding, brigade.h proves it */
    if (offered.game != b->serial || memcmp(&offered.state, s, sizeof *s)) {
        const struct bounds k = bounds_of(b, s, row, barred_rows(s));
        flood(b, s, row, s->cell[row], left, &k, cell, &levels);
        at = levels.at;
    }
    int cost = 1;
    while (cost < left && !board_test(&at[cost], (unsigned)cell)) cost++;
    return cost;
}

static int nearest_enemy(const struct brigade *b, const struct brigade_state *s, int side, int cell) {
    int nearest = BRIGADE_CELLS;
    for (uint64_t left = units_of(b, s, 1 - side); left; left &= left - 1) {
        const int away = distance(b, (unsigned)cell, s->cell[lowest(left)]);
        if (away < nearest) nearest = away;
    }
    return nearest;
}

/* R 9.8.3, ruling 21: one hex, whatever it costs, not nearer to the enemy. */
static board routed_steps(const struct brigade *b, const struct brigade_state *s, int row) {
    const int cell = s->cell[row], side = side_of(row);
    board steps = board_minus(board_minus(b->adjacent[cell], s->occupied[0]), board_or(s->occupied[1], s->waiting_zone));
    board left = steps;
    const int now = nearest_enemy(b, s, side, cell);
    for (int step; (step = board_next(&left)) >= 0;)
        if (nearest_enemy(b, s, side, step) < now) board_remove(&steps, (unsigned)step);
    return steps;
}

static bool on_a_friend(const struct brigade *b, const struct brigade_state *s, int row) {
    if (has(b->leaders, row)) return false;
    return (pieces_at(s, b->units & rows_of(side_of(row)), s->cell[row]) & ~bit(row)) != 0;
}

/* R 8.3.1, 8.3.2, ruling 19, decisions 14: the change of formation that the piece can pay for, 0 if none. */
static uint16_t formation_change(const struct brigade *b, const struct brigade_state *s, int row, int spent) {
    if (!has((b->guns | b->cavalry) & ~s->routed & ~s->fired, row)) return 0;
    if (spent + b->allowance.formation > movement_allowance(b, s, row)) return 0;
    const bool deployed = has(s->deployed, row);
    if (has(b->guns, row)) return verb(deployed ? VERB_LIMBER : VERB_UNLIMBER);
    return verb(deployed ? VERB_MOUNT : VERB_DISMOUNT);
}

/* Frozen pieces and unlimbered guns stay where they are. */
static bool is_rooted(const struct brigade *b, const struct brigade_state *s, int row) {
    return is_frozen(b, s, row) || has(b->guns & s->deployed, row);
}

/* Cells that any piece of the side to move may enter and stop in, whoever it is: fewer than there are, since leaders
 * alone, friends' hexes and enemy zones are left out. */
static board sure_cells(const struct brigade *b, const struct brigade_state *s) {
    board taken = board_or(board_or(s->occupied[0], s->occupied[1]), s->waiting_zone);
    for (uint64_t left = leaders_of(b, s, 1 - s->side); left; left &= left - 1) board_add(&taken, s->cell[lowest(left)]);
    return board_minus(b->open, taken);
}

/* Those next to the piece, if it can pay the dearest step. */
static board sure_steps(const struct brigade *b, const struct brigade_state *s, int row, int left, uint64_t barred, const board *sure) {
    const int dearest = b->walk[movement_gait(b, s, row)].dearest + b->allowance.leave_zone;
    if (left < dearest) return board_empty();
    const board steps = board_and(b->adjacent[s->cell[row]], *sure);
    return barred ? board_minus(steps, zone_of_rows(b, s, barred)) : steps;
}

/* Decisions, PICK: can the piece do anything now? */
static bool can_act(const struct brigade *b, const struct brigade_state *s, int row, const board *sure) {
    if (has(s->fired, row)) return false; /* R 7.1, ruling 11 */
    if (formation_change(b, s, row, 0)) return true;
    if (is_rooted(b, s, row)) return false;
    board steps;
    struct levels levels;
    if (has(s->routed, row)) {
        steps = routed_steps(b, s, row);
        return board_any(&steps);
    }
    const int left = movement_allowance(b, s, row);
    const uint64_t barred = zone_owners(b, s, row);
    steps = sure_steps(b, s, row, left, barred, sure);
    if (board_any(&steps)) return true;
    steps = stops_of(b, s, row, s->cell[row], left, barred, &levels);
    return board_any(&steps);
}

static uint64_t can_enter(const struct brigade *b, const struct brigade_state *s, uint64_t rows) {
    for (uint64_t left = rows; left; left &= left - 1) {
        const board cells = entry_cells(b, s, lowest(left));
        if (!board_any(&cells)) rows &= ~(left & -left);
    }
    return rows;
}

/* Ruling 23: the phase goes on while one who may wait no longer can still enter. */
static bool may_end(const struct brigade *b, const struct brigade_state *s) {
    return !can_enter(b, s, reinforcements_owed(b, s) & ~s->done);
}

void pick_options(const struct brigade *b, const struct brigade_state *s, struct options *o) {
    const board sure = sure_cells(b, s);
    for (uint64_t left = s->on_map & b->present & rows_of(s->side) & ~s->done; left; left &= left - 1)
        if (can_act(b, s, lowest(left), &sure)) o->rows |= left & -left;
    o->rows |= can_enter(b, s, reinforcements_due(b, s) & ~s->done);
    if (may_end(b, s)) o->verbs = verb(VERB_END_MOVEMENT);
}

bool pick_is_asked(const struct brigade *b, const struct brigade_state *s) {
    if (reinforcements_owed(b, s)) return false;
    const board sure = sure_cells(b, s);
    for (uint64_t left = s->on_map & b->present & rows_of(s->side) & ~s->done; left; left &= left - 1)
        if (can_act(b, s, lowest(left), &sure)) return true;
    return false;
}

void movement_begin(const struct brigade *b, struct brigade_state *s) { s->near = cells_near(b, s, 1 - s->side); }

bool movement_step(const struct brigade *b, struct brigade_state *s) {
    struct options o = {0};
    if (pick_is_asked(b, s)) return ask(s, PICK);
    pick_options(b, s, &o);
    return o.rows && ask(s, PICK);
}

void pick_take(const struct brigade *b, struct brigade_state *s, int action) {
    if (is_verb(action, VERB_END_MOVEMENT)) {
        s->done = rows_of(s->side) & b->present; /* nobody is left to pick */
        return;
    }
    s->subject = (uint8_t)action;
    if (!has(s->on_map, action)) {
        s->stage = STAGE_ENTER;
        return;
    }
    s->stage = STAGE_MOVE;
    const uint64_t owners = has(s->routed, action) ? 0 : zone_owners(b, s, action);
    s->barred = (uint32_t)(owners >> (s->side == LR_UNION ? BRIGADE_SIDE : 0));
}

static void piece_done(struct brigade_state *s) {
    s->done |= bit(s->subject);
    s->stage = STAGE_NONE;
    s->subject = 0;
    s->spent = 0;
    s->acted = 0;
    s->barred = 0;
}

/* R 8.2: it has entered a zone, which is never one of those it started in. */
static bool must_stop(const struct brigade *b, const struct brigade_state *s) {
    if (!s->acted) return false;
    if (has(s->routed, s->subject)) return true;
    const unsigned cell = s->cell[s->subject];
    if (!board_test(&s->waiting_zone, cell)) return false;
    const board start = zone_of_rows(b, s, barred_rows(s));
    return !board_test(&start, cell);
}

bool move_step(const struct brigade *b, struct brigade_state *s) {
    if (!must_stop(b, s)) return ask(s, MOVE);
    piece_done(s);
    return false;
}

void move_options(const struct brigade *b, const struct brigade_state *s, struct options *o) {
    const int row = s->subject, left = movement_allowance(b, s, row) - s->spent;
    const bool passing = on_a_friend(b, s, row);
    if (!passing) o->verbs = formation_change(b, s, row, s->spent);
    if (s->acted && !passing) o->verbs |= verb(VERB_DONE);
    if (is_rooted(b, s, row)) return;
    o->cells = has(s->routed, row) ? routed_steps(b, s, row) : offer_stops(b, s, row, left);
}

bool move_is_asked(const struct brigade *b, const struct brigade_state *s) {
    const int row = s->subject;
    if (has(s->routed, row) || is_rooted(b, s, row)) return false;
    const board sure = sure_cells(b, s);
    const board steps = sure_steps(b, s, row, movement_allowance(b, s, row) - s->spent, barred_rows(s), &sure);
    if (!board_any(&steps)) return false;
    if (s->acted && !on_a_friend(b, s, row)) return true; /* a step, or done */
    return board_count(&steps) > 1;
}

static void change_formation(const struct brigade *b, struct brigade_state *s) {
    s->deployed ^= bit(s->subject);
    s->spent = (uint8_t)(s->spent + b->allowance.formation);
    s->acted = 1;
}

static void move_to(const struct brigade *b, struct brigade_state *s, int cell) {
    const int row = s->subject;
    if (!has(s->routed, row)) {
        const int left = movement_allowance(b, s, row) - s->spent;
        s->spent = (uint8_t)(s->spent + cost_of(b, s, row, left, cell));
    }
    s->acted = 1;
    if (has(b->leaders, row)) {
        s->cell[row] = (uint16_t)cell;
        return;
    }
    unit_moves(b, s, row, cell);
    displace_leaders_near(b, s, row, cell);
}

void move_take(const struct brigade *b, struct brigade_state *s, int action) {
    if (is_cell(action)) move_to(b, s, action - BRIGADE_ID_CELL);
    else if (is_verb(action, VERB_DONE)) piece_done(s);
    else change_formation(b, s);
}
