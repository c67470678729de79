/* simulate.h: pairs of games between simulated bots of known strength. */
#ifndef SIMULATE_H
#define SIMULATE_H

#include "agents/statistics.h"

struct luck {
    uint64_t stream, position;
};

/* How the two games of a pair come out. Points follow `first` and `second`; with the share `common` of the pairs both games
 * have the same luck, so that what helps a side in one helps it in the other; of all games the share `draws` are drawn (as far
 * as the points allow). */
struct source {
    double first;  /* points a game of the first bot as the Union */
    double second; /* points a game of the second bot as the Union */
    double common, draws;
};

double luck_draw(struct luck *luck); /* 0 to 1, evenly */
void simulate_pair(const struct source *source, struct luck *luck, struct tally *tally);

/* The first bot's expected points a game. */
static inline double source_score(const struct source *source) { return (source->first + 1 - source->second) / 2; }

#endif
