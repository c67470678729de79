/* turn.c: R 5, 11, 14.1.1, rulings 47, 48, 55, 56: the sequence of play, and the loop that runs on through
 * everything that is not a choice. */
#include "chapters.h"

/* Ruling 48: judged when the night turn begins, before any die. */
static uint64_t in_contact(const struct brigade *b, const struct brigade_state *s) {
    uint64_t rows = 0;
    for (uint64_t left = s->on_map & b->units; left; left &= left - 1) {
        const int row = lowest(left);
        const board touched = board_and(b->adjacent[s->cell[row]], s->occupied[1 - side_of(row)]);
        if (board_any(&touched)) rows |= bit(row);
    }
    return rows;
}

static void half_turn_begins(const struct brigade *b, struct brigade_state *s, int side) {
    s->side = (uint8_t)side;
    s->phase = PHASE_COMMAND;
    s->subject = 0;
    s->waiting_zone = zone_of(b, s, 1 - side);
}

static void game_turn_begins(const struct brigade *b, struct brigade_state *s, int turn) {
    s->turn = (uint8_t)turn;
    s->may_fire_at_night = is_night(b, s) ? in_contact(b, s) : 0;
    half_turn_begins(b, s, b->first_player);
}

void brigade_begin(const struct brigade *b, struct brigade_state *s) { game_turn_begins(b, s, b->first_turn); }

static void half_turn_ends(const struct brigade *b, struct brigade_state *s) {
    s->in_command = 0;
    s->fired = 0; /* R 10.3 */
    if (s->side == b->first_player) {
        half_turn_begins(b, s, 1 - b->first_player);
        return;
    }
    victory_score_stars(b, s);
    if (s->turn < b->last_turn) {
        game_turn_begins(b, s, s->turn + 1);
        return;
    }
    s->phase = PHASE_OVER;
    s->subject = 0;
    s->may_fire_at_night = 0;
}

/* Leaves one phase for the next; what a phase alone remembers goes back to 0. */
static void next_phase(const struct brigade *b, struct brigade_state *s) {
    s->engaged = 0;
    s->done = 0;
    s->near = board_empty();
    memset(s->casualty_dice, 0, sizeof s->casualty_dice);
    if (s->phase == PHASE_MOVEMENT) s->fired = 0; /* decisions 16 */
    if (s->phase == PHASE_RALLY || (s->phase == PHASE_ARTILLERY && b->artillery_only[s->turn])) { /* R 14.2.2 */
        half_turn_ends(b, s);
        return;
    }
    s->phase++;
    if (s->phase == PHASE_MOVEMENT) movement_begin(b, s);
    if (s->phase == PHASE_RALLY) s->subject = (uint8_t)(s->side * BRIGADE_SIDE);
}

static bool phase_step(const struct brigade *b, struct brigade_state *s) {
    switch (s->phase) {
    case PHASE_SETUP: return setup_step(b, s);
    case PHASE_COMMAND:
        if (arrival_step(b, s)) return true;
        if (!b->artillery_only[s->turn]) command_phase(b, s);
        break;
    case PHASE_MOVEMENT:
        if (movement_step(b, s)) return true;
        break;
    case PHASE_RALLY:
        if (rally_step(b, s)) return true;
        break;
    default:
        if (segment_step(b, s)) return true;
    }
    next_phase(b, s);
    return false;
}

static bool step(const struct brigade *b, struct brigade_state *s) {
    if (s->to_place) return leader_place_step(b, s);
    if (s->to_check) return leader_check_step(s);
    switch (s->stage) {
    case STAGE_FIRE: return fire_step(b, s);
    case STAGE_RETREAT:
    case STAGE_ROUT: return retreat_step(b, s);
    case STAGE_MORALE: return ask(s, CHANCE_MORALE);
    case STAGE_ADVANCE: return advance_step(b, s);
    case STAGE_ENTER: return enter_step(b, s);
    case STAGE_MOVE: return move_step(b, s);
    default: return phase_step(b, s);
    }
}

void brigade_options(const struct brigade *b, const struct brigade_state *s, struct options *o) {
    memset(o, 0, sizeof *o);
    switch (s->decision) {
    case FORMATION:
    case PLACE_LEADER: setup_options(b, s, o); break;
    case TARGET: target_options(b, s, o); break;
    case JOIN: join_options(b, s, o); break;
    case REROLL: reroll_options(b, s, o); break;
    case RETREAT_TO: retreat_to_options(b, s, o); break;
    case RETREAT: retreat_options(b, s, o); break;
    case ADVANCE: advance_options(b, s, o); break;
    case PICK: pick_options(b, s, o); break;
    case ENTER: enter_options(b, s, o); break;
    case MOVE: move_options(b, s, o); break;
    case DISPLACE: displace_options(b, s, o); break;
    case NO_DECISION: break;
    default: o->rows = 0x3ff; /* ten faces (ruling 56) */
    }
}

int brigade_option_count(const struct options *o) {
    return __builtin_popcountll(o->rows) + board_count(&o->cells) + __builtin_popcount(o->verbs);
}

static int first_option(const struct options *o) {
    if (o->rows) return lowest(o->rows);
    board cells = o->cells;
    const int cell = board_next(&cells);
    return cell >= 0 ? BRIGADE_ID_CELL + cell : BRIGADE_ID_VERB + __builtin_ctz(o->verbs);
}

/* True if the decision is surely one of two actions or more, found without counting them. */
static bool surely_asked(const struct brigade *b, const struct brigade_state *s) {
    if (s->decision == TARGET) return true; /* it is set only where there is a target; and one may end fire */
    if (s->decision == PICK) return pick_is_asked(b, s);
    return s->decision == MOVE && move_is_asked(b, s);
}

void brigade_run(const struct brigade *b, struct brigade_state *s) {
    for (;;) {
        while (s->decision == NO_DECISION && s->phase != PHASE_OVER) step(b, s);
        if (s->decision == NO_DECISION || is_chance(s) || surely_asked(b, s)) return;
        struct options o;
        brigade_options(b, s, &o);
        const int count = brigade_option_count(&o);
        assert(count > 0);
        if (count != 1) return;
        brigade_take(b, s, first_option(&o)); /* ruling 56 */
    }
}

void brigade_take(const struct brigade *b, struct brigade_state *s, int action) {
    const int decision = s->decision;
    if (is_chance(s)) {
        die_thrown(b, s, action + 1);
        return;
    }
    s->decision = NO_DECISION;
    switch (decision) {
    case FORMATION:
    case PLACE_LEADER: setup_take(b, s, action); break;
    case TARGET: target_take(b, s, action); break;
    case JOIN: join_take(b, s, action); break;
    case REROLL: reroll_take(b, s, action); break;
    case RETREAT_TO: retreat_to_take(b, s, action); break;
    case RETREAT: retreat_take(b, s, action); break;
    case ADVANCE: advance_take(b, s, action); break;
    case PICK: pick_take(b, s, action); break;
    case ENTER: enter_take(b, s, action); break;
    case MOVE: move_take(b, s, action); break;
    default: displace_take(s, action); break;
    }
}
