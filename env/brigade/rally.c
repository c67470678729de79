/* rally.c: R 10: every routed unit of the active side that is in command throws a die, in row order. Between the
 * dice `subject` is the next row to look at. */
#include "chapters.h"

bool rally_step(const struct brigade *b, struct brigade_state *s) {
    if (s->subject >= (s->side + 1) * BRIGADE_SIDE) return false;
    const uint64_t rows = units_of(b, s, s->side) & s->routed & s->in_command & ~(bit(s->subject) - 1);
    if (!rows) return false;
    s->subject = (uint8_t)lowest(rows);
    return ask(s, CHANCE_RALLY);
}

void rally_resolve(const struct brigade *b, struct brigade_state *s, int face) {
    if (morale_passes(b, s, s->subject, face, false)) s->routed &= ~bit(s->subject);
    s->subject++;
}
