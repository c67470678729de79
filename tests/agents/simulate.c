/* simulate.c: one luck decides a game: below a threshold the Union wins, above it loses, around it draws. */
#include "simulate.h"
#include "env/longroll.h"
#include <math.h>

double luck_draw(struct luck *luck) { return lr_random(luck->stream, luck->position++, 1u << 31) * 0x1p-31; }

/* The Union's half points. */
static int play(double points, double draws, double luck) {
    double half = fmin(draws / 2, fmin(points, 1 - points));
    return luck < points - half ? 2 : luck < points + half ? 1 : 0;
}

void simulate_pair(const struct source *source, struct luck *luck, struct tally *tally) {
    double one = luck_draw(luck), other = luck_draw(luck);
    if (luck_draw(luck) < source->common) other = one;
    tally_pair(tally, play(source->first, source->draws, one), 2 - play(source->second, source->draws, other));
}
