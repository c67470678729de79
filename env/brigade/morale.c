/* morale.c: R 2.5 and 9.7: the morale check, after fire and in the Rally Phase (rally.c). */
#include "chapters.h"

/* One leader counts -1, terrain once (R 9.7). A natural 10 fails a check under fire (R 9.7), not a rally (ruling 42). */
bool morale_passes(const struct brigade *b, const struct brigade_state *s, int row, int face, bool ten_fails) {
    if (ten_fails && face == 10) return false;
    const int terrain = b->terrains[b->terrain[s->cell[row]]].morale;
    const int leader = led(b, s, row) ? b->leader_morale : 0;
    return face + terrain + leader <= b->piece[row].morale;
}

void morale_resolve(const struct brigade *b, struct brigade_state *s, int face) {
    s->stage = morale_passes(b, s, s->subject, face, true) ? STAGE_ADVANCE : STAGE_ROUT;
}
