/* live.h: the table on stderr that says how a tournament stands, while it is played: games, rate, time left, results by
 * side, each bot's score and Elo with its interval, the SPRT. On a terminal it is rewritten in place; elsewhere it is a
 * line every five seconds. */
#ifndef LIVE_H
#define LIVE_H

#include "agents/tournament.h"

struct live {
    const struct plan *plan;
    const atomic_int *stop; /* TOURNAMENT_GO, _DRAIN, _ABANDON */
    double started, shown;  /* seconds_now */
    bool terminal, quiet;
    int lines; /* of the table that is on the terminal now */
};

void live_start(struct live *live, const struct plan *plan, const atomic_int *stop, bool quiet);

/* tournament.progress; `context` is a struct live. */
void live_show(void *context, const struct tournament_news *news);

#endif
