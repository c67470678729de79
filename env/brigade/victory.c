/* victory.c: R 13, 14.1.6, rulings 49 to 52. Losses are scored where they happen (pieces.c, leaders.c). */
#include "chapters.h"

/* At the end of a game turn: each star with a Union combat unit on it, routed or not (ruling 50). */
void victory_score_stars(const struct brigade *b, struct brigade_state *s) {
    const board held = board_and(b->stars, s->occupied[LR_UNION]);
    const int points = board_count(&held) * b->star_points;
    s->vp = (int16_t)(s->vp + points);
    s->stars = (int16_t)(s->stars + points);
}

int victory_winner(const struct brigade *b, const struct brigade_state *s) {
    return s->vp >= b->union_net && s->stars >= b->union_stars ? LR_UNION : LR_CONFEDERATE;
}
