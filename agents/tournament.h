/* tournament.h: plays what is still to be played of a ledger's plan, on several threads.
 *
 * Workers take games in the order of the schedule and play each as its id says, so who plays what, and when, changes
 * nothing in the results (of bots limited by simulations, nodes or depth; a bot limited by time answers to the
 * machine). An SPRT looks at its pairs in that order, too: it ends at the same pair for any number of workers, and
 * games beyond that pair, which other workers had begun meanwhile, are dropped. A player that was at fault is closed,
 * and opened anew for its next game. */
#ifndef TOURNAMENT_H
#define TOURNAMENT_H

#include "agents/ledger.h"

struct bot_news {
    struct tally tally;  /* all its whole pairs */
    int64_t games[2][3]; /* [side][0 lost, 1 drawn, 2 won] */
    int64_t faults;      /* games lost by its own fault */
};

/* How things stand. */
struct tournament_news {
    int64_t done;   /* games finished, in earlier runs too */
    int64_t played; /* in this run */
    int64_t games;  /* to be played in all; an SPRT's: up to its cap, or to the pair that decided it */
    int running;
    const struct bot_news *bots; /* [bot_count] */
    struct sprt_look sprt;       /* format sprt; else all 0 */
};

enum { TOURNAMENT_GO = 0, TOURNAMENT_DRAIN, TOURNAMENT_ABANDON };

struct tournament {
    struct ledger *ledger;       /* from ledger_create or ledger_resume */
    const lr_game *const *games; /* [the plan's scenario_count]; they match the ledger */
    int workers;                 /* >= 1; each opens the bots that it needs, a search's memory included */
    const atomic_int *stop; /* set from outside: TOURNAMENT_DRAIN starts no further game, TOURNAMENT_ABANDON breaks off
                                     those that run, too; NULL: never */
    FILE *log;              /* what programs say on stderr; NULL: nobody reads it */
    void (*progress)(void *context,
                     const struct tournament_news *news); /* by the calling thread, ten times a second and
                                                                            once at the end; NULL: never */
    void *context;
};

/* Opens and closes every bot, without starting programs. Errors: as player_open, naming the bot. */
int tournament_check(const struct plan *plan, lr_error *error);

/* Returns when all games are played, or it was stopped; *complete says which. All results are then committed, faults of
 * bots being results. Errors: those of player_open and table_play, IO (the ledger cannot be written); whatever was
 * committed before is safe, and the ledger can be resumed. */
int tournament_run(const struct tournament *tournament, bool *complete, lr_error *error);

#endif
