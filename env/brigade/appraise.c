/* appraise.c: the habits of a sound player, for the greedy agent. (A guess at an unfinished game's value: evaluate.c.)
 *
 * Everything is integer arithmetic in hundredths of a victory point, a pure function of the state. The habits: march on
 * the stars (or hold them), bring several brigades to bear on one target, count the fire that a hex invites, use
 * cover, stay near one's leaders, keep guns unlimbered where they see targets and take them away from bayonets.
 * One view of the field is computed a call; each option is then judged by looking things up in it. */
#include "chapters.h"
#include <stdlib.h>

enum {
    POINT = 100,            /* one victory point */
    STAR_HELD = 260,        /* standing on a star, for the side that scores it */
    STAR_GUARDED = 120,     /* standing on a star, for the side that denies it */
    STAR_STEP = 14,         /* a hex nearer to a star */
    OUT_OF_REACH = 45,      /* beyond every leader's radius */
    SUPPORT = 6,            /* a friend next door, two at most */
    GUN_IN_DANGER = 220,    /* guns next to enemy infantry */
    GUN_UNUSED = 60,        /* guns that cannot open fire from where they stand */
    ROUT_COST = 130,        /* a routed unit is out of the fight for a turn or more */
    MARKER_WORTH = 60,      /* what a re-roll should gain */
    WORTH_MOVING = 4
};

struct view {
    const struct brigade *b;
    const struct brigade_state *s;
    int side; /* whose habits */
    uint64_t own, enemy;
    int goal_count;
    uint16_t goals[BRIGADE_CELLS];     /* stars that this side wants to go to */
    uint16_t threat[BRIGADE_CELLS];    /* enemy SP that would fire at a unit standing there */
    uint16_t pressure[BRIGADE_ROWS];   /* by enemy unit: own SP close enough to join an attack on it */
};

/* Mean value of one attack, hundredths of a point. */
static int mean_of_attack(const struct brigade *b, int column, int modifier, int morale) {
    int value = 0;
    for (int face = 1; face <= 10; face++) {
        const int die = face + modifier;
        const struct brigade_result *r = &b->combat[die < 1 ? 1 : die > 10 ? 10 : die][column];
        value += r->loss * POINT + (r->retreat ? POINT / 2 : 0);
        if (r->check) value += ROUT_COST * (10 - morale) / 10;
    }
    return value / 10;
}

void brigade_compute_attacks(struct brigade *b) {
    for (int column = 0; column < b->combat_columns; column++)
        for (int modifier = -9; modifier <= 9; modifier++)
            for (int morale = 0; morale <= 9; morale++)
                b->attack[column][modifier + 9][morale] = (int16_t)mean_of_attack(b, column, modifier, morale);
}

int attack_value(const struct brigade *b, int column, int modifier, int morale) {
    const int shift = modifier < -9 ? -9 : modifier > 9 ? 9 : modifier; /* beyond it every die is a 1 or a 10 */
    return b->attack[column][shift + 9][morale < 9 ? morale : 9];
}

int column_of(const struct brigade *b, int strength) {
    int column = 0;
    while (column + 1 < b->combat_columns && b->combat_least[column + 1] <= strength) column++;
    return column;
}

static int fire_value(const struct brigade *b, const struct brigade_state *s, uint64_t firers, int cell) {
    const int side = 1 - side_of(lowest(firers));
    const uint64_t unit = pieces_at(s, b->units & rows_of(side), cell);
    if (!unit) return POINT * (11 - b->casualty_alone_least) / 10; /* a leader alone */
    const int row = lowest(unit);
    const struct fire_odds odds = fire_odds(b, s, firers, row, cell);
    int value = attack_value(b, odds.column, odds.modifier, b->piece[row].morale);
    if (side == LR_UNION && board_test(&b->stars, (unsigned)cell)) value += value / 2; /* drive them off the star */
    return value;
}

/* ---- The view ---- */

static void add_threat(struct view *v, int row) {
    const struct brigade *b = v->b;
    const unsigned from = v->s->cell[row];
    const int strength = v->s->strength[row];
    board next = b->adjacent[from];
    const bool gun = has(b->guns, row);
    if (gun && !has(v->s->deployed, row)) return;
    const int close = gun ? strength * 2 : has(b->cavalry & ~v->s->deployed, row) ? strength / 2 : strength;
    for (int cell; (cell = board_next(&next)) >= 0;) v->threat[cell] = (uint16_t)(v->threat[cell] + close);
    if (!gun || is_night(b, v->s)) return;
    board seen = board_minus(b->sight[from], b->adjacent[from]);
    for (int cell; (cell = board_next(&seen)) >= 0;) {
        const int halves = b->multiplier[ARM_ARTILLERY][distance(b, from, (unsigned)cell)];
        v->threat[cell] = (uint16_t)(v->threat[cell] + strength * halves / 2);
    }
}

static bool enemy_on(const struct view *v, int cell) { return board_test(&v->s->occupied[1 - v->side], (unsigned)cell); }

static void look_for_goals(struct view *v) {
    v->goal_count = 0;
    board stars = v->b->stars;
    for (int cell; (cell = board_next(&stars)) >= 0;)
        if (v->side == LR_CONFEDERATE || !board_test(&v->s->occupied[v->side], (unsigned)cell))
            v->goals[v->goal_count++] = (uint16_t)cell;
}

/* Whether habits weigh places there, for which threat and pressure must be known. */
static bool asks_for_places(int decision) {
    return decision != TARGET && decision != JOIN && decision != REROLL && decision != RETREAT_TO &&
           decision != FORMATION && decision != ENTER;
}

static void add_pressure(struct view *v) {
    const struct brigade *b = v->b;
    const struct brigade_state *s = v->s;
    int count = 0, q[BRIGADE_SIDE], r[BRIGADE_SIDE], strength[BRIGADE_SIDE];
    for (uint64_t left = v->own & ~b->guns & ~s->routed; left; left &= left - 1, count++) {
        const int row = lowest(left);
        q[count] = b->cube_q[s->cell[row]];
        r[count] = b->cube_r[s->cell[row]];
        strength[count] = s->strength[row];
    }
    for (uint64_t left = v->enemy; left; left &= left - 1) {
        const int target = lowest(left), at = s->cell[target];
        int sum = 0;
        for (int i = 0; i < count; i++) {
            const int dq = b->cube_q[at] - q[i], dr = b->cube_r[at] - r[i], ds = dq + dr;
            sum += abs(dq) <= 4 && abs(dr) <= 4 && abs(ds) <= 4 ? strength[i] : 0;
        }
        v->pressure[target] = (uint16_t)sum;
    }
}

static void look(struct view *v, const struct brigade *b, const struct brigade_state *s, int side) {
    v->b = b;
    v->s = s;
    v->side = side;
    v->own = units_of(b, s, side);
    v->enemy = units_of(b, s, 1 - side);
    look_for_goals(v);
    if (!asks_for_places(s->decision)) return;
    memset(v->threat, 0, sizeof v->threat);
    for (uint64_t left = v->enemy & ~s->routed; left; left &= left - 1) add_threat(v, lowest(left));
    add_pressure(v);
}

/* ---- Places ---- */

static int nearest_goal(const struct view *v, int cell) {
    int nearest = 12;
    for (int i = 0; i < v->goal_count; i++) {
        const int away = distance(v->b, (unsigned)cell, v->goals[i]);
        if (away < nearest) nearest = away;
    }
    return nearest;
}

static bool within_command(const struct view *v, int row, int cell) {
    if (v->b->piece[row].independent) return true;
    for (uint64_t left = leaders_of(v->b, v->s, v->side); left; left &= left - 1) {
        const int leader = lowest(left);
        const int radius = v->s->strength[leader] == 2 ? v->b->radius : v->b->replacement_radius;
        if (has(v->b->leads[leader], row) && distance(v->b, v->s->cell[leader], (unsigned)cell) <= radius) return true;
    }
    return false;
}

/* What the enemy's fire at a unit in the cell would cost it on the mean. */
static int danger(const struct view *v, int row, int cell) {
    const struct brigade *b = v->b;
    if (!v->threat[cell]) return 0;
    int column = column_of(b, v->threat[cell]);
    if (has(b->guns, row) && !has(v->s->deployed, row)) column += b->limbered_shift;
    if (column >= b->combat_columns) column = b->combat_columns - 1;
    return attack_value(b, column, b->terrains[b->terrain[cell]].die, b->piece[row].morale);
}

static int friends_next_to(const struct view *v, int row, int cell) {
    const board friends = board_and(v->b->adjacent[cell], v->s->occupied[v->side]);
    int count = board_count(&friends);
    if (distance(v->b, v->s->cell[row], (unsigned)cell) == 1) count--; /* itself, if it went there */
    return count > 2 ? 2 : count < 0 ? 0 : count;
}

/* The best attack that a brigade in the cell would take part in: its own strength and half of what is near the target. */
static int prospect(const struct view *v, int row, int cell) {
    const struct brigade *b = v->b;
    int best = 0;
    const board next = board_and(b->adjacent[cell], v->s->occupied[1 - v->side]);
    if (!board_any(&next)) return 0;
    for (uint64_t left = v->enemy; left; left &= left - 1) {
        const int target = lowest(left), at = v->s->cell[target];
        if (distance(b, (unsigned)cell, (unsigned)at) != 1) continue;
        const int others = v->pressure[target] > v->s->strength[row] ? v->pressure[target] - v->s->strength[row] : 0;
        const int column = column_of(b, v->s->strength[row] + others / 2);
        int value = attack_value(b, column, b->terrains[b->terrain[at]].die, b->piece[target].morale);
        if (board_test(&b->stars, (unsigned)at)) value += v->side == LR_UNION ? value : value / 2;
        if (value > best) best = value;
    }
    return best;
}

static int brigade_place(const struct view *v, int row, int cell) {
    const struct brigade *b = v->b;
    const bool fit = !has(v->s->routed, row) && !shattered(b, v->s, row);
    int value = -danger(v, row, cell) / 2 + friends_next_to(v, row, cell) * SUPPORT;
    value -= b->terrains[b->terrain[cell]].die * 4;
    if (!within_command(v, row, cell)) value -= OUT_OF_REACH;
    if (!fit) return value - danger(v, row, cell);
    const bool star = board_test(&b->stars, (unsigned)cell);
    if (v->side == LR_UNION) return value + prospect(v, row, cell) - nearest_goal(v, cell) * STAR_STEP + (star ? STAR_HELD : 0);
    return value + prospect(v, row, cell) * 3 / 4 - nearest_goal(v, cell) * STAR_STEP / 2 + (star ? STAR_GUARDED : 0);
}

/* What guns unlimbered in the cell could do in a phase, and whether bayonets are near. */
static int gun_place(const struct view *v, int row, int cell) {
    const struct brigade *b = v->b;
    int best = 0, danger_near = 0;
    for (uint64_t left = v->enemy; left; left &= left - 1) {
        const int target = lowest(left);
        const int away = distance(b, (unsigned)cell, v->s->cell[target]);
        if (away == 1 && !has(b->guns | v->s->routed, target)) danger_near = GUN_IN_DANGER;
        if (away >= BRIGADE_RANGE || !b->multiplier[ARM_ARTILLERY][away]) continue;
        if (away > 1 && !board_test(&b->sight[cell], v->s->cell[target])) continue;
        const int strength = v->s->strength[row] * b->multiplier[ARM_ARTILLERY][away] / 2;
        const int value = 20 + strength * 6 + b->level[cell] * 3;
        if (value > best) best = value;
    }
    int value = best - danger_near - danger(v, row, cell) / 2 + friends_next_to(v, row, cell) * SUPPORT;
    if (!best) value -= GUN_UNUSED + nearest_goal(v, cell) * STAR_STEP / 2;
    if (!within_command(v, row, cell)) value -= OUT_OF_REACH / 2;
    return value;
}

/* A leader's units, laid out to be gone through for many cells. */
struct command {
    int count, radius;
    int q[BRIGADE_SIDE], r[BRIGADE_SIDE];          /* where they stand */
    int in_reach[BRIGADE_SIDE], with[BRIGADE_SIDE]; /* what it is worth to have one in reach, and to stand with it */
};

static void gather(const struct view *v, int row, struct command *c) {
    const struct brigade *b = v->b;
    c->radius = v->s->strength[row] == 2 ? b->radius : b->replacement_radius;
    c->count = 0;
    for (uint64_t left = v->own & b->under[row]; left; left &= left - 1) {
        const int unit = lowest(left), i = c->count++;
        c->q[i] = b->cube_q[v->s->cell[unit]];
        c->r[i] = b->cube_r[v->s->cell[unit]];
        c->in_reach[i] = 12 + (has(v->s->routed, unit) ? 20 : 0);
        c->with[i] = v->s->strength[unit] > 4 ? 14 : 6;
    }
}

/* A leader wants many of his units in reach, a unit to stand with, and no enemy next to a hex where he is alone. */
static int leader_value(const struct view *v, const struct command *c, int cell) {
    int value = 0, spread = 0;
    for (int i = 0; i < c->count; i++) {
        const int q = v->b->cube_q[cell] - c->q[i], r = v->b->cube_r[cell] - c->r[i], s = q + r;
        const int longer = abs(q) > abs(r) ? abs(q) : abs(r), away = longer > abs(s) ? longer : abs(s);
        value += (away <= c->radius ? c->in_reach[i] : 0) + (away == 0 ? c->with[i] : 0);
        spread += away;
    }
    const bool alone = !board_test(&v->s->occupied[v->side], (unsigned)cell);
    if (alone) value -= 30 + v->threat[cell] * 2;
    return value - spread / 4;
}

static int leader_place(const struct view *v, int row, int cell) {
    struct command command;
    gather(v, row, &command);
    return leader_value(v, &command, cell);
}

static int place_value(const struct view *v, int row, int cell) {
    if (has(v->b->leaders, row)) return leader_place(v, row, cell);
    return has(v->b->guns, row) ? gun_place(v, row, cell) : brigade_place(v, row, cell);
}

/* ---- Decisions ---- */

static int best_reachable(const struct view *v, int row, int left) {
    const bool leader = has(v->b->leaders, row);
    struct command command;
    if (leader) gather(v, row, &command);
    board stops = movement_stops(v->b, v->s, row, v->s->cell[row], left);
    int best = -100000;
    for (int cell; (cell = board_next(&stops)) >= 0;) {
        const int value = leader ? leader_value(v, &command, cell) : place_value(v, row, cell);
        if (value > best) best = value;
    }
    return best;
}

/* What a gun gains by going elsewhere and unlimbering there, its two changes of formation paid. */
static int gun_gain(const struct view *v, int row) {
    const struct brigade *b = v->b;
    const bool deployed = has(v->s->deployed, row);
    const int here = gun_place(v, row, v->s->cell[row]);
    const int left = b->allowance.limbered - b->allowance.formation * (deployed ? 2 : 1);
    if (is_frozen(b, v->s, row)) return deployed ? -1 : 10;
    const int gain = best_reachable(v, row, left) - here - 25;
    if (deployed) return here > 0 ? gain - 30 : gain;
    return gain > 0 ? gain : 10; /* at least unlimber */
}

static int pick_value(const struct view *v, int row) {
    const struct brigade *b = v->b;
    if (!has(v->s->on_map, row)) return 5000;
    if (has(b->guns, row) && !has(v->s->routed, row)) return gun_gain(v, row);
    const int here = place_value(v, row, v->s->cell[row]);
    const int left = movement_allowance(b, v->s, row);
    if (has(v->s->routed, row)) return danger(v, row, v->s->cell[row]) > 0 ? 30 : -1;
    if (is_frozen(b, v->s, row)) return -1;
    const int gain = best_reachable(v, row, left) - here - WORTH_MOVING;
    return has(b->leaders, row) ? gain / 4 : gain; /* leaders after their troops */
}

static int move_value(const struct view *v, int row, int action) {
    const struct brigade *b = v->b;
    const bool gun = has(b->guns, row);
    if (is_cell(action)) {
        const int cell = action - BRIGADE_ID_CELL;
        if (!gun || has(v->s->routed, row)) return place_value(v, row, cell);
        const int left = movement_allowance(b, v->s, row) - v->s->spent - b->allowance.formation;
        const board open = movement_stops(b, v->s, row, v->s->cell[row], left);
        const int value = gun_place(v, row, cell);
        return board_test(&open, (unsigned)cell) ? value : value / 2 - 60;
    }
    const int here = place_value(v, row, v->s->cell[row]);
    switch (action - BRIGADE_ID_VERB) {
    case VERB_DONE: return here + 1; /* going on for nothing ends nowhere */
    case VERB_UNLIMBER: return here + 25;
    case VERB_LIMBER: return v->s->acted ? here - 200 : here + 1;
    case VERB_DISMOUNT: return here + (v->threat[v->s->cell[row]] ? 3 : -40);
    default: return here - 60; /* mount */
    }
}

static int join_value(const struct view *v, const uint16_t *legal, int count, int index) {
    const struct brigade *b = v->b;
    const int cell = v->s->target - 1;
    uint64_t later = 0;
    for (int i = index + 1; i < count; i++)
        if (legal[i] < BRIGADE_ROWS) later |= bit(legal[i]);
    const uint64_t others = v->s->joined | later;
    const uint64_t all = others | bit(legal[index]);
    if (!others) return 1000;
    if (fire_value(b, v->s, all, cell) > fire_value(b, v->s, others, cell)) return 1000 - index;
    return -1;
}

static int target_value(const struct view *v, int cell) {
    uint64_t firers = 0;
    for (uint64_t left = fire_firers(v->b, v->s); left; left &= left - 1)
        if (can_fire_at(v->b, v->s, lowest(left), cell)) firers |= left & -left;
    return 1 + fire_value(v->b, v->s, firers, cell);
}

/* What the shown face is worth less than a new one, to the owner of the die. */
static int reroll_gain(const struct view *v) {
    const struct brigade *b = v->b;
    const struct brigade_state *s = v->s;
    const int face = s->face, row = s->subject;
    if (s->rolled == CHANCE_CASUALTY) return face >= b->casualty_least ? POINT * (b->casualty_least - 1) / 10 : -POINT;
    if (s->rolled == CHANCE_FIRE) {
        if (has(b->leaders, row)) return 0;
        const struct fire_odds odds = fire_odds(b, s, s->joined, row, s->target - 1);
        const int die = face + odds.modifier;
        const struct brigade_result *r = &b->combat[die < 1 ? 1 : die > 10 ? 10 : die][odds.column];
        const int now = r->loss * POINT + (r->check ? ROUT_COST * 3 / 10 : 0);
        return attack_value(b, odds.column, odds.modifier, b->piece[row].morale) - now;
    }
    const bool passes = morale_passes(b, s, row, face, s->rolled == CHANCE_MORALE);
    return passes ? -POINT : ROUT_COST * b->piece[row].morale / 10 * s->strength[row] / 8;
}

static int appraise_one(const struct view *v, const uint16_t *legal, int count, int index) {
    const struct brigade *b = v->b;
    const struct brigade_state *s = v->s;
    const int action = legal[index], cell = action - BRIGADE_ID_CELL;
    switch (s->decision) {
    case FORMATION: return is_verb(action, VERB_UNLIMBERED) || is_verb(action, VERB_DISMOUNTED);
    case PLACE_LEADER: return leader_place(v, s->subject, cell);
    case TARGET: return is_cell(action) ? target_value(v, cell) : 0;
    case JOIN: return is_verb(action, VERB_FIRE) ? 0 : join_value(v, legal, count, index);
    case REROLL: return is_verb(action, VERB_KEEP) ? 0 : reroll_gain(v) - MARKER_WORTH;
    case RETREAT_TO: return -distance(b, s->cell[s->subject], (unsigned)cell);
    case RETREAT: return -danger(v, s->subject, cell) - (enemy_on(v, cell) ? POINT : 0) + friends_next_to(v, s->subject, cell);
    case ADVANCE:
        if (is_verb(action, VERB_STAY)) return 0;
        return brigade_place(v, action, s->target - 1) - brigade_place(v, action, s->cell[action]);
    case PICK: return is_verb(action, VERB_END_MOVEMENT) ? 0 : pick_value(v, action);
    case ENTER: return is_cell(action) ? -nearest_goal(v, cell) : is_verb(action, VERB_MOUNTED);
    case MOVE: return move_value(v, s->subject, action);
    default: return 10 * friends_next_to(v, lowest(s->to_place), cell) - v->threat[cell]; /* DISPLACE */
    }
}

void brigade_appraise(const void *rules, const lr_state *state, const uint16_t *legal, int count, int32_t *appraisals) {
    const struct brigade *b = rules;
    const struct brigade_state *s = (const void *)state;
    struct view v;
    look(&v, b, s, brigade_decider(s));
    for (int i = 0; i < count; i++) appraisals[i] = appraise_one(&v, legal, count, i);
}
