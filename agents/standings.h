/* standings.h: what a ledger says of its bots, scenarios and pairs, computed from its rows and from nothing else. Every
 * report, the ladder and `rate` are made from it. */
#ifndef STANDINGS_H
#define STANDINGS_H

#include "agents/ledger.h"
#include "agents/ratings.h"

struct record {                   /* a bot's */
    int64_t games[2][3];          /* [side][0 lost, 1 drawn, 2 won] */
    int64_t faults[GAME_STOPPED]; /* [enum game_end]: games lost by its own fault of that kind */
    int64_t decisions;            /* by either player, in all its games */
    int64_t thought_us;
    struct interval rating;
};

struct field {        /* a scenario's */
    int64_t games[3]; /* the Union lost, drew, won */
    int64_t decisions;
    struct interval advantage; /* of the Union, Elo */
};

struct pair_result { /* half points of the pairing's first bot */
    int32_t pairing; /* index into standings.pairings */
    uint8_t as_union, as_confederate;
};

struct standings {
    const struct plan *plan;
    int64_t games;            /* counted here */
    int64_t expected;         /* by the schedule; an SPRT's: up to its cap */
    int anchor;               /* index of the bot that is 0 Elo */
    int *order;               /* bots by rating, best first; those without one last */
    struct record *records;   /* [bot_count] */
    struct field *fields;     /* [scenario_count] */
    struct pairing *pairings; /* [schedule_pairings * scenario_count], at pairing * scenario_count + scenario */
    int pairing_count;
    struct pair_result *pairs; /* whole pairs in the order of the schedule */
    int64_t pair_count;        /* a game whose partner is not played yet is in games, and in no pair */
    struct interval saving;    /* dice_saving */
    struct sprt_look sprt;     /* SPRT only; pairs after the deciding one, or after a gap, are not counted anywhere */
};

/* Reads all games. `anchor`: a bot's name; NULL: the first whose spec is "greedy", else "random", else the last bot.
 * The ledger must outlive the standings. Errors: NOT_FOUND (lists the bots), IO, MEMORY. */
int standings_read(struct ledger *ledger, const char *anchor, struct standings **standings, lr_error *error);
void standings_close(struct standings *standings); /* NULL is allowed */

/* All pairs of two bots, over all scenarios or (scenario >= 0) in one, as `bot` sees them. */
struct tally standings_meeting(const struct standings *standings, int bot, int other, int scenario);

/* Each bot's rating by the first `pairs` pairs alone, without intervals: ratings[bot_count]. Errors: MEMORY. */
int standings_at(const struct standings *standings, int64_t pairs, struct interval *ratings, lr_error *error);

/* Ratings by side, ratings[2 * bot + side], from the pairs of one scenario, or of all (-1). As ratings_fit. Errors:
 * MEMORY. */
int standings_by_side(const struct standings *standings, int scenario, struct interval *ratings, lr_error *error);

/* Ratings in one scenario: ratings[bot_count]. Errors: MEMORY. */
int standings_in(const struct standings *standings, int scenario, struct interval *ratings, lr_error *error);

#endif
