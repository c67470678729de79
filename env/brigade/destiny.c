/* destiny.c: R 14.1.5, ruling 46: a marker re-rolls a die of its owner about a unit that the named leader commands
 * and that is in his radius at this moment. The second face stands. */
#include "chapters.h"

static int owner_of_die(const struct brigade_state *s, int kind) {
    if (kind == CHANCE_FIRE) return firing_side(s);
    return side_of(kind == CHANCE_CASUALTY ? lowest(s->to_check) : s->subject);
}

static bool commands_within(const struct brigade *b, const struct brigade_state *s, int leader, uint64_t rows) {
    for (uint64_t left = rows & (b->under[leader] | bit(leader)); left; left &= left - 1) {
        const int cell = s->cell[lowest(left)];
        const board reach = command_radius(b, s, leader, cell);
        if (board_test(&reach, (unsigned)cell)) return true;
    }
    return false;
}

/* Who the die is about: any firer; the unit that checks or rallies; a leader, or the unit he is with. */
static uint64_t about(const struct brigade *b, const struct brigade_state *s, int kind, int side) {
    if (kind == CHANCE_FIRE) return s->joined;
    if (kind != CHANCE_CASUALTY) return bit(s->subject);
    const int leader = lowest(s->to_check);
    return bit(leader) | pieces_at(s, b->units & rows_of(side), s->cell[leader]);
}

uint8_t destiny_markers(const struct brigade *b, const struct brigade_state *s, int kind, int side) {
    uint8_t markers = 0;
    for (int k = 0; k < b->marker_count[side]; k++) {
        const int leader = b->marker[side][k];
        if (!(s->markers[side] >> k & 1) || !has(s->on_map, leader)) continue;
        if (commands_within(b, s, leader, about(b, s, kind, side))) markers |= (uint8_t)(1u << k);
    }
    return markers;
}

static void resolve(const struct brigade *b, struct brigade_state *s, int kind, int face) {
    if (kind == CHANCE_FIRE) fire_resolve(b, s, face);
    else if (kind == CHANCE_MORALE) morale_resolve(b, s, face);
    else if (kind == CHANCE_RALLY) rally_resolve(b, s, face);
    else if (kind == CHANCE_CASUALTY) casualty_resolve(b, s, face);
    else arrival_resolve(b, s, face); /* never re-rolled (ruling 24) */
}

void die_thrown(const struct brigade *b, struct brigade_state *s, int face) {
    const int kind = s->decision;
    const bool stands = s->rolled || kind == CHANCE_ARRIVAL;
    s->decision = NO_DECISION;
    s->rolled = 0;
    if (kind == CHANCE_CASUALTY) s->casualty_dice[b->leader_slot[lowest(s->to_check)]]++;
    if (stands || !destiny_markers(b, s, kind, owner_of_die(s, kind))) {
        resolve(b, s, kind, face);
        return;
    }
    s->face = (uint8_t)face;
    s->rolled = (uint8_t)kind;
    ask(s, REROLL);
}

void reroll_options(const struct brigade *b, const struct brigade_state *s, struct options *o) {
    const uint8_t markers = destiny_markers(b, s, s->rolled, owner_of_die(s, s->rolled));
    o->verbs = (uint16_t)(verb(VERB_KEEP) | markers << VERB_REROLL_1);
}

void reroll_take(const struct brigade *b, struct brigade_state *s, int action) {
    const int kind = s->rolled, face = s->face;
    s->face = 0;
    s->rolled = 0;
    if (is_verb(action, VERB_KEEP)) {
        resolve(b, s, kind, face);
        return;
    }
    const int marker = action - BRIGADE_ID_VERB - VERB_REROLL_1;
    s->markers[owner_of_die(s, kind)] &= (uint8_t)~(1u << marker);
    s->rolled = 1;
    ask(s, kind);
}

int brigade_decider(const struct brigade_state *s) {
    switch (s->decision) {
    case TARGET:
    case JOIN: return firing_side(s);
    case REROLL: return owner_of_die(s, s->rolled);
    case RETREAT_TO:
    case RETREAT: return side_of(s->subject);
    case DISPLACE: return side_of(lowest(s->to_place));
    default: return s->side;
    }
}
