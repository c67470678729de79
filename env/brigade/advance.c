/* advance.c: R 9.9, ruling 40: after offensive fire, one infantry or cavalry unit that took part may enter the
 * target hex if no enemy piece is left in it. Then the attack is over. */
#include "chapters.h"

static uint64_t who_may_advance(const struct brigade *b, const struct brigade_state *s) {
    const int cell = s->target - 1;
    if (s->phase != PHASE_OFFENCE || pieces_at(s, rows_of(1 - s->side), cell)) return 0;
    uint64_t rows = s->joined & s->on_map & ~b->guns & ~s->routed;
    const bool into_zone = board_test(&s->waiting_zone, (unsigned)cell);
    if (into_zone && is_night(b, s)) return 0;
    for (uint64_t left = rows; left; left &= left - 1) {
        const int row = lowest(left);
        const bool may = distance(b, s->cell[row], (unsigned)cell) == 1 && !is_frozen(b, s, row) &&
                         (!into_zone || (has(s->in_command, row) && !shattered(b, s, row)));
        if (!may) rows &= ~bit(row);
    }
    return rows;
}

static void attack_ends(struct brigade_state *s) {
    s->stage = STAGE_NONE;
    s->subject = 0;
    s->target = 0;
    s->joined = 0;
    s->checked = 0;
}

bool advance_step(const struct brigade *b, struct brigade_state *s) {
    if (who_may_advance(b, s)) return ask(s, ADVANCE);
    attack_ends(s);
    return false;
}

void advance_options(const struct brigade *b, const struct brigade_state *s, struct options *o) {
    o->rows = who_may_advance(b, s);
    o->verbs = verb(VERB_STAY);
}

void advance_take(const struct brigade *b, struct brigade_state *s, int action) {
    const int cell = s->target - 1;
    attack_ends(s);
    if (is_verb(action, VERB_STAY)) return;
    unit_moves(b, s, action, cell); /* leaders stay behind (ruling 40) */
    displace_leaders_near(b, s, action, cell);
}
