/* tally.c: counts what happens in games, for `longroll balance`: results of fire, checks, routs, re-rolls, marches,
 * losses and stars by turn. A rule that never counts is suspected of being wrong, or idle.
 *
 * Play knows nothing of it: a transition is read off the states before and after it and the action between, so nothing
 * is slower for being counted here. What a die did is worked out again from the state in which it was thrown. A
 * transition runs through forced answers too, but never through a second die, so one die explains all its losses. */
#include "chapters.h"

#include <stdio.h>

enum { LOSSES = 10, STARS = 16 };

/* The plain counters. */
enum event {
    NO_EFFECT,
    CHECK_ONLY,
    LOSS,
    LOSS_AND_RETREAT = LOSS + LOSSES, /* the latter two by SP */
    LEADERS_CHECK = LOSS_AND_RETREAT + LOSSES,
    SINGLE,
    JOINED,
    LONG_RANGE,
    IN_COVER,
    HIGHER,
    ON_FLANK,
    ON_LIMBERED,
    AT_NIGHT,
    LEADER_MISSED,
    LEADER_SHOT,
    PASSED,
    PASSED_BY_LEADER,
    FAILED,
    FAILED_BY_TEN,
    RETREAT_BEGAN,
    ROUT_BEGAN,
    ROUTED_AGAIN,
    CAUGHT_UNLIMBERED,
    LOST_IN_ZONES,
    CHOSE_RETREAT_HEX,
    CHOSE_RETREAT_STEP,
    RALLIED,
    STAYED_ROUTED,
    SHATTERED,
    DIED_BY_FIRE,
    DIED_RETREATING,
    CASUALTY_MISSED,
    CASUALTY_HIT,
    REPLACED,
    LEADER_LOST,
    LEADER_WENT_ALONG,
    LEADER_DISPLACED,
    KEPT,
    REROLLED_FIRE,
    REROLLED_MORALE,
    REROLLED_RALLY,
    REROLLED_CASUALTY,
    ADVANCED,
    STAYED,
    MOVED,
    MARCHED,
    LEFT_ZONE,
    INTO_ZONE,
    ROUTED_MOVED,
    LEADER_MOVED,
    DID_LIMBER,
    DID_UNLIMBER,
    DID_MOUNT,
    DID_DISMOUNT,
    ENTERED,
    ARRIVAL_DIE,
    ARRIVED,
    IN_COMMAND,
    OUT_OF_COMMAND,
    EVENTS
};

/* Then the tables. */
enum {
    ATTACKS_AT = EVENTS,                        /* kind of fire, column of the combat chart */
    LOST_AT = ATTACKS_AT + 3 * BRIGADE_COLUMNS, /* side, turn */
    TAKEN_AT = LOST_AT + 2 * BRIGADE_TURNS,     /* star, turn */
    HELD_AT = TAKEN_AT + STARS * BRIGADE_TURNS, /* star, turn */
    COUNTERS = HELD_AT + STARS * BRIGADE_TURNS
};

/* What a scenario must have for a counter to be able to count. */
enum { ANY, GUNS = 1, HORSE = 2, LEADERS = 4, MARKERS = 8, NIGHT = 16, GROUPS = 32, DICE = 64, CHOICE = 128 };

static const struct {
    const char *group, *row;
    int needs;
} events[EVENTS] = {
    [NO_EFFECT] = {"Results of fire on units", "- (no effect)", ANY},
    [CHECK_ONLY] = {"Results of fire on units", "M (morale check)", ANY},
    [LEADERS_CHECK] = {"Results of fire on units", "with leaders who check", LEADERS},
    [SINGLE] = {"Attacks", "by one piece", ANY},
    [JOINED] = {"Attacks", "by several", ANY},
    [LONG_RANGE] = {"Attacks", "from more than one hex away", GUNS},
    [IN_COVER] = {"Attacks", "die modified by the target's terrain", ANY},
    [HIGHER] = {"Attacks", "die modified since the target is above all firers", ANY},
    [ON_FLANK] = {"Attacks", "flank: from three adjacent hexes or more", ANY},
    [ON_LIMBERED] = {"Attacks", "column shifted: limbered guns", GUNS},
    [AT_NIGHT] = {"Attacks", "at night", NIGHT},
    [LEADER_MISSED] = {"Attacks", "on leaders alone, missed", LEADERS},
    [LEADER_SHOT] = {"Attacks", "on leaders alone, hit", LEADERS},
    [PASSED] = {"Morale checks under fire", "passed", ANY},
    [PASSED_BY_LEADER] = {"Morale checks under fire", "passed only because a leader was there", LEADERS},
    [FAILED] = {"Morale checks under fire", "failed", ANY},
    [FAILED_BY_TEN] = {"Morale checks under fire", "failed only because a 10 always fails", ANY},
    [RETREAT_BEGAN] = {"Retreats and routs", "retreats", ANY},
    [ROUT_BEGAN] = {"Retreats and routs", "routs", ANY},
    [ROUTED_AGAIN] = {"Retreats and routs", "routs of units routed already", ANY},
    [CAUGHT_UNLIMBERED] = {"Retreats and routs", "guns caught unlimbered", GUNS},
    [LOST_IN_ZONES] = {"Retreats and routs", "SP lost to enemy zones on the way", ANY},
    [CHOSE_RETREAT_HEX] = {"Retreats and routs", "choices among retreat hexes", CHOICE},
    [CHOSE_RETREAT_STEP] = {"Retreats and routs", "choices among steps", ANY},
    [RALLIED] = {"Rally", "rallied", ANY},
    [STAYED_ROUTED] = {"Rally", "failed", ANY},
    [SHATTERED] = {"Units", "shattered", ANY},
    [DIED_BY_FIRE] = {"Units", "eliminated by fire", ANY},
    [DIED_RETREATING] = {"Units", "eliminated in retreat or rout", ANY},
    [CASUALTY_MISSED] = {"Leaders", "casualty dice without effect", LEADERS},
    [CASUALTY_HIT] = {"Leaders", "casualty dice that hit", LEADERS},
    [REPLACED] = {"Leaders", "replaced", LEADERS},
    [LEADER_LOST] = {"Leaders", "removed", LEADERS},
    [LEADER_WENT_ALONG] = {"Leaders", "carried along by a retreat", LEADERS},
    [LEADER_DISPLACED] = {"Leaders", "displaced to another hex", LEADERS},
    [KEPT] = {"Destiny markers", "kept back", MARKERS},
    [REROLLED_FIRE] = {"Destiny markers", "fire rolled again", MARKERS},
    [REROLLED_MORALE] = {"Destiny markers", "morale rolled again", MARKERS},
    [REROLLED_RALLY] = {"Destiny markers", "rally rolled again", MARKERS},
    [REROLLED_CASUALTY] = {"Destiny markers", "casualty rolled again", MARKERS},
    [ADVANCED] = {"Advances after combat", "made", ANY},
    [STAYED] = {"Advances after combat", "declined", ANY},
    [MOVED] = {"Movement", "moves of units", ANY},
    [MARCHED] = {"Movement", "of these with column movement", ANY},
    [LEFT_ZONE] = {"Movement", "of these out of an enemy zone", ANY},
    [INTO_ZONE] = {"Movement", "of these into an enemy zone", ANY},
    [ROUTED_MOVED] = {"Movement", "of these by routed units", ANY},
    [LEADER_MOVED] = {"Movement", "moves of leaders", LEADERS},
    [DID_LIMBER] = {"Movement", "limber", GUNS},
    [DID_UNLIMBER] = {"Movement", "unlimber", GUNS},
    [DID_MOUNT] = {"Movement", "mount", HORSE},
    [DID_DISMOUNT] = {"Movement", "dismount", HORSE},
    [ENTERED] = {"Reinforcements", "pieces entered", GROUPS},
    [ARRIVAL_DIE] = {"Reinforcements", "arrival dice", DICE},
    [ARRIVED] = {"Reinforcements", "arrival dice that brought or fixed a turn", DICE},
    [IN_COMMAND] = {"Command", "units in command, each half-turn", ANY},
    [OUT_OF_COMMAND] = {"Command", "units out of command, each half-turn", ANY},
};

/* ---- What can count ---- */

static int features(const struct brigade *b) {
    int have =
        (b->guns ? GUNS : 0) | (b->cavalry ? HORSE : 0) | (b->leaders ? LEADERS : 0) | (b->group_count ? GROUPS : 0);
    if (b->marker_count[0] + b->marker_count[1]) have |= MARKERS;
    for (int turn = b->first_turn; turn <= b->last_turn; turn++)
        if (b->night[turn]) have |= NIGHT;
    for (int i = 0; i < b->group_count; i++)
        if (!b->group[i].turn) have |= DICE;
    for (int i = 0; i < b->retreat_count; i++)
        for (int k = 0; k < i; k++)
            if (b->retreat[i].rows & b->retreat[k].rows) have |= CHOICE;
    return have;
}

static bool on_chart(const struct brigade *b, int loss, bool retreat) {
    for (int die = 1; die <= 10; die++)
        for (int i = 0; i < b->combat_columns; i++)
            if (b->combat[die][i].loss == loss && b->combat[die][i].retreat == retreat) return true;
    return false;
}

static bool describe_event(const struct brigade *b, int index, struct lr_counter *counter) {
    const bool retreat = index >= LOSS_AND_RETREAT;
    if (index < LOSS || index >= LEADERS_CHECK) {
        counter->group = events[index].group;
        snprintf(counter->row, sizeof counter->row, "%s", events[index].row);
        return !(events[index].needs & ~features(b));
    }
    const int loss = index - (retreat ? LOSS_AND_RETREAT : LOSS);
    counter->group = events[NO_EFFECT].group;
    snprintf(counter->row, sizeof counter->row, "%d%s", loss, retreat ? "R" : "");
    return loss > 0 && on_chart(b, loss, retreat);
}

static bool describe_attack(const struct brigade *b, int index, struct lr_counter *counter) {
    static const char *const kinds[] = {"Artillery Phase", "defensive fire", "offensive fire"};
    const int column = index % BRIGADE_COLUMNS;
    counter->group = "Attacks by modified strength";
    snprintf(counter->row, sizeof counter->row, "%s", kinds[index / BRIGADE_COLUMNS]);
    if (column >= b->combat_columns) return false;
    const int least = b->combat_least[column];
    if (column + 1 == b->combat_columns)
        snprintf(counter->column, sizeof counter->column, "%d+", least);
    else
        snprintf(counter->column, sizeof counter->column, "%d-%d", least, b->combat_least[column + 1] - 1);
    return index / BRIGADE_COLUMNS > 0 || b->guns;
}

static bool describe_turn(const struct brigade *b, int turn, struct lr_counter *counter) {
    snprintf(counter->column, sizeof counter->column, "turn %d", turn);
    return turn >= b->first_turn && turn <= b->last_turn;
}

static int star_cell(const struct brigade *b, int star) {
    board stars = b->stars;
    int cell = board_next(&stars);
    while (cell >= 0 && star-- > 0) cell = board_next(&stars);
    return cell;
}

static bool describe_star(const struct brigade *b, int index, const char *group, struct lr_counter *counter) {
    const int cell = star_cell(b, index / BRIGADE_TURNS);
    char hex[5];
    if (cell < 0) return false;
    brigade_hex(b, cell, hex);
    counter->group = group;
    snprintf(counter->row, sizeof counter->row, "%s%s%s", hex, b->place[cell][0] ? " " : "", b->place[cell]);
    return describe_turn(b, index % BRIGADE_TURNS, counter);
}

static bool describe(const void *rules, int index, struct lr_counter *counter) {
    const struct brigade *b = rules;
    *counter = (struct lr_counter){.group = ""};
    if (index < ATTACKS_AT) return describe_event(b, index, counter);
    if (index < LOST_AT) return describe_attack(b, index - ATTACKS_AT, counter);
    if (index >= HELD_AT)
        return describe_star(b, index - HELD_AT, "Stars held by the Union at the end of a turn", counter);
    if (index >= TAKEN_AT) return describe_star(b, index - TAKEN_AT, "Stars that the Union came to stand on", counter);
    counter->group = "Strength points lost";
    snprintf(counter->row, sizeof counter->row, "%s", (index - LOST_AT) / BRIGADE_TURNS ? "Confederate" : "Union");
    return describe_turn(b, (index - LOST_AT) % BRIGADE_TURNS, counter);
}

/* ---- Dice ---- */

/* One transition. */
struct step {
    const struct brigade *b;
    const struct brigade_state *before, *after;
    int action;
    uint32_t *counters;
};

static void add(const struct step *t, int counter) { t->counters[counter]++; }

/* The die that this transition resolved, NO_DECISION if none: thrown and not up for a re-roll, or kept. */
static int die_resolved(const struct step *t, int *face) {
    *face = t->action + 1;
    if (is_chance(t->before)) return t->after->decision == REROLL ? NO_DECISION : t->before->decision;
    if (t->before->decision != REROLL || !is_verb(t->action, VERB_KEEP)) return NO_DECISION;
    *face = t->before->face;
    return t->before->rolled;
}

static void retreat_begins(const struct step *t, int event) {
    const int row = t->before->subject;
    add(t, event);
    if (has(t->b->guns & t->before->deployed, row)) add(t, CAUGHT_UNLIMBERED);
}

static void count_attack(const struct step *t, const struct fire_odds *odds, int row, int cell) {
    const struct brigade *b = t->b;
    const struct brigade_state *s = t->before;
    const int kind = s->phase == PHASE_ARTILLERY ? 0 : s->phase == PHASE_DEFENCE ? 1 : 2;
    bool far = false, above = true;
    int touching = 0;
    for (uint64_t left = s->joined; left; left &= left - 1) {
        const int firer = lowest(left), away = distance(b, s->cell[firer], (unsigned)cell);
        far |= away > 1;
        touching += away == 1;
        above &= b->level[s->cell[firer]] < b->level[cell];
    }
    t->counters[ATTACKS_AT + kind * BRIGADE_COLUMNS + odds->column]++;
    add(t, s->joined & (s->joined - 1) ? JOINED : SINGLE);
    const int terrain = b->terrains[b->terrain[cell]].die;
    const bool by_height = above && b->higher_die < terrain;
    if (by_height)
        add(t, HIGHER);
    else if (terrain)
        add(t, IN_COVER);
    if (far) add(t, LONG_RANGE);
    if (touching >= b->flank_hexes) add(t, ON_FLANK);
    if (has(b->guns & ~s->deployed, row)) add(t, ON_LIMBERED);
    if (is_night(b, s)) add(t, AT_NIGHT);
}

static void count_fire(const struct step *t, int face) {
    const struct brigade *b = t->b;
    const struct brigade_state *s = t->before;
    const int row = s->subject, cell = s->target - 1;
    if (has(b->leaders, row)) {
        add(t, face >= b->casualty_alone_least ? LEADER_SHOT : LEADER_MISSED);
        return;
    }
    const struct fire_odds odds = fire_odds(b, s, s->joined, row, cell);
    const int die = face + odds.modifier;
    const struct brigade_result *result = &b->combat[die < 1 ? 1 : die > 10 ? 10 : die][odds.column];
    count_attack(t, &odds, row, cell);
    if (result->loss)
        add(t, (result->retreat ? LOSS_AND_RETREAT : LOSS) + result->loss);
    else
        add(t, result->check ? CHECK_ONLY : NO_EFFECT);
    const bool dead = result->loss >= s->strength[row];
    if ((dead || face == 10 || die >= 10) && pieces_at(s, b->leaders & rows_of(side_of(row)), cell))
        add(t, LEADERS_CHECK);
    if (dead)
        add(t, DIED_BY_FIRE);
    else if (result->check && has(s->routed, row))
        retreat_begins(t, ROUTED_AGAIN);
    else if (result->retreat)
        retreat_begins(t, RETREAT_BEGAN);
}

static void count_morale(const struct step *t, int face) {
    const int row = t->before->subject;
    const bool passed = morale_passes(t->b, t->before, row, face, true);
    struct brigade_state alone = *t->before;
    alone.on_map &= ~t->b->leaders;
    add(t, passed ? PASSED : FAILED);
    if (passed && !morale_passes(t->b, &alone, row, face, true)) add(t, PASSED_BY_LEADER);
    if (passed) return;
    if (morale_passes(t->b, t->before, row, face, false)) add(t, FAILED_BY_TEN);
    retreat_begins(t, ROUT_BEGAN);
}

static void count_arrival(const struct step *t) {
    add(t, ARRIVAL_DIE);
    if (t->after->arrival[t->before->subject]) add(t, ARRIVED);
}

static void count_die(const struct step *t) {
    int face;
    switch (die_resolved(t, &face)) {
    case CHANCE_FIRE: count_fire(t, face); break;
    case CHANCE_MORALE: count_morale(t, face); break;
    case CHANCE_RALLY:
        add(t, morale_passes(t->b, t->before, t->before->subject, face, false) ? RALLIED : STAYED_ROUTED);
        break;
    case CHANCE_CASUALTY: add(t, face >= t->b->casualty_least ? CASUALTY_HIT : CASUALTY_MISSED); break;
    case CHANCE_ARRIVAL: count_arrival(t); break;
    default: break;
    }
}

/* ---- Choices ---- */

static void count_reroll(const struct step *t) {
    const int event[] = {REROLLED_FIRE, REROLLED_MORALE, REROLLED_RALLY, REROLLED_CASUALTY};
    add(t, is_verb(t->action, VERB_KEEP) ? KEPT : event[t->before->rolled - CHANCE_FIRE]);
}

/* Whether the cheapest way to the cell uses column movement: it costs less than were the enemy near everywhere. */
static bool marches(const struct step *t, int row, int cell) {
    const int most = movement_allowance(t->b, t->before, row) - t->before->spent;
    struct brigade_state slow = *t->before;
    slow.near = t->b->map;
    for (int left = 1; left <= most; left++) {
        const board stops = movement_stops(t->b, t->before, row, t->before->cell[row], left);
        if (!board_test(&stops, (unsigned)cell)) continue;
        const board then = movement_stops(t->b, &slow, row, t->before->cell[row], left);
        return !board_test(&then, (unsigned)cell);
    }
    return false;
}

static void count_move(const struct step *t) {
    const struct brigade_state *s = t->before;
    const int row = s->subject, cell = t->action - BRIGADE_ID_CELL;
    const int verbs[][2] = {{VERB_LIMBER, DID_LIMBER},
                            {VERB_UNLIMBER, DID_UNLIMBER},
                            {VERB_MOUNT, DID_MOUNT},
                            {VERB_DISMOUNT, DID_DISMOUNT}};
    for (int i = 0; i < 4; i++)
        if (is_verb(t->action, verbs[i][0])) add(t, verbs[i][1]);
    if (!is_cell(t->action)) return;
    if (has(t->b->leaders, row)) {
        add(t, LEADER_MOVED);
        return;
    }
    add(t, MOVED);
    if (has(s->routed, row))
        add(t, ROUTED_MOVED);
    else if (marches(t, row, cell))
        add(t, MARCHED);
    if (board_test(&s->waiting_zone, s->cell[row])) add(t, LEFT_ZONE);
    if (board_test(&s->waiting_zone, (unsigned)cell)) add(t, INTO_ZONE);
}

static void count_choice(const struct step *t) {
    switch (t->before->decision) {
    case REROLL: count_reroll(t); break;
    case RETREAT_TO: add(t, CHOSE_RETREAT_HEX); break;
    case RETREAT: add(t, CHOSE_RETREAT_STEP); break;
    case ADVANCE: add(t, is_verb(t->action, VERB_STAY) ? STAYED : ADVANCED); break;
    case MOVE: count_move(t); break;
    default: break;
    }
}

/* ---- What changed ---- */

static void count_losses(const struct step *t) {
    const struct brigade *b = t->b;
    int face, by_fire = 0;
    const bool fire = die_resolved(t, &face) == CHANCE_FIRE;
    for (uint64_t left = b->units; left; left &= left - 1) {
        const int row = lowest(left), had = t->before->strength[row], has_now = t->after->strength[row];
        if (had == has_now) continue;
        t->counters[LOST_AT + side_of(row) * BRIGADE_TURNS + t->before->turn] += (uint32_t)(had - has_now);
        if (fire) {
            const struct fire_odds odds = fire_odds(b, t->before, t->before->joined, row, t->before->target - 1);
            const int die = face + odds.modifier;
            by_fire = b->combat[die < 1 ? 1 : die > 10 ? 10 : die][odds.column].loss;
        }
        const bool dead = has_now == 0 && by_fire < had;
        const bool caught = has(b->guns & t->before->deployed & ~t->after->deployed, row);
        if (dead)
            add(t, DIED_RETREATING);
        else if (has_now)
            t->counters[LOST_IN_ZONES] += (uint32_t)(had - has_now - by_fire - caught);
        if (!has(b->guns, row) && had > b->piece[row].back && has_now && has_now <= b->piece[row].back)
            add(t, SHATTERED);
    }
}

/* A leader whose unit retreats goes where it goes; any other change of place that he did not walk is a displacement. */
static void count_leader(const struct step *t, int row) {
    const struct brigade_state *s = t->before, *then = t->after;
    if (s->strength[row] == 2 && then->strength[row] == 1) add(t, REPLACED);
    if (s->strength[row] && !then->strength[row]) add(t, LEADER_LOST);
    if (!has(s->on_map & then->on_map, row) || s->cell[row] == then->cell[row]) return;
    const bool moving = s->decision == MOVE || s->decision == PICK;
    if (moving && (s->subject == row || t->action == row)) return;
    const int unit = s->subject;
    const bool along =
        !moving && has(t->b->units, unit) && s->cell[unit] == s->cell[row] && then->cell[unit] == then->cell[row];
    add(t, along ? LEADER_WENT_ALONG : LEADER_DISPLACED);
}

static void count_entries(const struct step *t) {
    if (t->before->phase == PHASE_SETUP) return;
    const uint64_t entered = t->after->on_map & ~t->before->on_map;
    t->counters[ENTERED] += (uint32_t)__builtin_popcountll(entered);
}

static void count_stars(const struct step *t) {
    const int ended =
        t->after->turn - t->before->turn + (t->after->phase == PHASE_OVER && t->before->phase != PHASE_OVER);
    for (int star = 0; star < STARS; star++) {
        const int cell = star_cell(t->b, star);
        if (cell < 0) return;
        const bool was = board_test(&t->before->occupied[LR_UNION], (unsigned)cell);
        const bool is = board_test(&t->after->occupied[LR_UNION], (unsigned)cell);
        if (is && !was) t->counters[TAKEN_AT + star * BRIGADE_TURNS + t->before->turn]++;
        if (t->before->phase == PHASE_SETUP) continue;
        for (int i = 0; is && i < ended; i++) t->counters[HELD_AT + star * BRIGADE_TURNS + t->before->turn + i]++;
    }
}

static bool commanded(const struct brigade_state *s) { return s->phase >= PHASE_ARTILLERY && s->phase < PHASE_OVER; }

/* Once a half-turn, at the first choice or die after its Command Phase. */
static void count_command(const struct step *t) {
    const struct brigade_state *s = t->after;
    if (!commanded(s) || t->b->artillery_only[s->turn]) return;
    if (commanded(t->before) && t->before->turn == s->turn && t->before->side == s->side) return;
    const uint64_t units = units_of(t->b, s, s->side);
    t->counters[IN_COMMAND] += (uint32_t)__builtin_popcountll(units & s->in_command);
    t->counters[OUT_OF_COMMAND] += (uint32_t)__builtin_popcountll(units & ~s->in_command);
}

static void count(const void *rules, const lr_state *before, int action, const lr_state *after, uint32_t *counters) {
    const struct step t = {rules, (const void *)before, (const void *)after, action, counters};
    count_die(&t);
    count_choice(&t);
    count_losses(&t);
    for (uint64_t left = t.b->leaders; left; left &= left - 1) count_leader(&t, lowest(left));
    count_entries(&t);
    count_stars(&t);
    count_command(&t);
}

const struct lr_tally brigade_tally = {.counters = COUNTERS, .describe = describe, .count = count};
