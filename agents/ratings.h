/* ratings.h: what a whole tournament says: every bot's rating, each scenario's advantage of the Union, and the variance
 * that common dice saved.
 *
 * The model is Bradley and Terry's with a side term: the expected points of Union bot u against Confederate bot c in
 * scenario s are 1 / (1 + 10^-((rating[u] - rating[c] + side[s]) / 400)), a draw being half a win. The fit is of
 * greatest likelihood, with one anchor at 0. Intervals are a bootstrap over pairs, within each pairing and scenario.
 *
 * A bot that won or lost everything has no finite rating by likelihood alone. So every bot gets `prior` virtual pairs,
 * shared out over its pairings and spread evenly over the nine results of a pair; samples of the bootstrap are drawn
 * from them too. One such pair (the usual) moves a rating that rests on 100 pairs by some 1 % of its distance from its
 * opponents'.
 *
 * The same plan and stream give the same numbers. Pure functions, for any thread. */
#ifndef RATINGS_H
#define RATINGS_H

#include "agents/statistics.h"
#include "env/longroll.h"

/* All pairs of two bots in one scenario. At most one of a plan's pairings is of the same bots and scenario. */
struct pairing {
    int scenario;
    int bots[2];        /* two different ones */
    struct tally tally; /* as bots[0] sees it */
};

struct ratings_plan {
    int bots, scenarios;
    const struct pairing *pairings;
    int count;
    int anchor;    /* the bot whose rating is 0 */
    bool by_side;  /* two ratings for each bot, as the Union and as the Confederate; needs three bots or more */
    double prior;  /* virtual pairs a bot; 0: none, for games in which nobody won everything */
    int resamples; /* of the bootstrap; 0: no intervals, low and high are the value */
    uint64_t stream;
};

enum { RATINGS_RESAMPLES = 1000 };

/* Writes ratings[bot], or with by_side ratings[2 * bot + side], in Elo, and sides[scenario], by how much Elo the Union
 * is better placed. All are NAN for bots that no chain of games ties to the anchor, and scenarios without games.
 * Errors: MEMORY. */
int ratings_fit(const struct ratings_plan *plan, struct interval *ratings, struct interval *sides, lr_error *error);

/* The share of the variance of a mean score that pairing on common dice saved, against as many games with dice of their
 * own: minus the covariance of a pair's two games over the mean of their variances, pooled over the pairings. 1 / (1 -
 * share) is the number of independent games that one of these was worth. Negative where common dice did harm; NAN
 * without any variance. The interval is a bootstrap. Errors: MEMORY. */
int dice_saving(const struct pairing *pairings, int count, int resamples, uint64_t stream, struct interval *share,
                lr_error *error);

#endif
