/* statistics.h: what paired games say about the strength of two players.
 *
 * Games come in *pairs*: the same scenario and dice, sides swapped. A pair, not a game, is the independent unit: dice
 * that favour one side help each player once. So everything here counts pairs, by the points (half points: 0 lost, 1
 * drawn, 2 won) that the *first* player had in each of the two games. The same numbers from the other's side:
 * tally_mirror.
 *
 * One method serves intervals, superiority and SPRT: the likelihood of the five results of a pair (0, 1/2, 1, 1 1/2, 2
 * points: the pentanomial) that is greatest under a given mean score. It is chosen over the usual normal approximation
 * because that one divides by the variance seen so far, which is 0 when the first pairs all end alike; this one needs
 * no correction there, and its intervals stay between 0 and 1.
 *
 *     struct tally tally = {0};
 *     tally_pair(&tally, 2, 1);            won as the Union, drew as the Confederate
 *     struct strength strength;
 *     strength_of(&tally, &strength);
 *     printf("%+.0f Elo (%+.0f to %+.0f)\n", strength.elo.value, strength.elo.low, strength.elo.high);
 *
 * Pure functions of their arguments, for any thread. All intervals are of 95 %. */
#ifndef STATISTICS_H
#define STATISTICS_H

#include <stdbool.h>
#include <stdint.h>

struct tally {
    int64_t pairs[3][3]; /* [half points as the Union][half points as the Confederate] */
};

enum { PENTANOMIAL = 5 };

/* Counts one pair. Half points of the first player: 0, 1 or 2 each. */
void tally_pair(struct tally *tally, int as_union, int as_confederate);
void tally_add(struct tally *sum, const struct tally *more);
struct tally tally_mirror(const struct tally *tally);                      /* as the second player sees it */
int64_t tally_count(const struct tally *tally);                            /* pairs */
void tally_points(const struct tally *tally, int64_t counts[PENTANOMIAL]); /* counts[half points of the pair] */

/* Games of the first player on `side` (LR_UNION, LR_CONFEDERATE) that were lost, drawn, won. */
void tally_side(const struct tally *tally, int side, int64_t games[3]);

/* As many pairs as `tally` has, each drawn from those in it: one sample of a bootstrap. With `prior` > 0 there are so
 * many pairs more to draw from, spread evenly over the nine results, so that a player who won all of 50 pairs is not
 * taken for one who cannot lose. Draws lr_random(stream, *position...) and moves *position on. */
void tally_resample(const struct tally *tally, double prior, uint64_t stream, uint64_t *position, struct tally *sample);

/* ---- Two players ---- */

struct interval {
    double value, low, high;
};

double elo_of_score(double score); /* 400 log10(score / (1 - score)): infinite at 0 and 1 */
double score_of_elo(double elo);

struct strength {
    int64_t pairs;
    struct interval score;      /* points a game, 0 to 1 */
    double error;               /* standard error of the score, from the spread of the pairs; 0 below two pairs */
    struct interval elo;        /* logistic Elo by which the first is stronger; ends may be infinite */
    struct interval normalized; /* normalized Elo: (score - 1/2) / (standard deviation of a game), times 800 / ln 10. It
                                   says how fast a test can tell the two apart. 0, -inf, +inf without any spread */
    double superiority;         /* likelihood of superiority: 0.975 just where the lower end of elo is 0 */
    double draws;               /* share of drawn games */
    double level;               /* share of pairs with one point each */
};

/* Score, Elo and superiority are profile likelihood: the interval is of those means under which the likelihood falls by
 * less than t^2 / 2, with Student's t of (pairs - 1) degrees of freedom instead of the normal 1.96, for small samples.
 * Below two pairs nothing is known: 0 to 1, -inf to +inf. */
void strength_of(const struct tally *tally, struct strength *strength);

/* ---- Sequential probability ratio test ---- */

/* H0: the first is stronger by `elo0` (logistic Elo), H1: by `elo1` > `elo0`. */
struct sprt {
    double elo0, elo1;
    double alpha, beta; /* the share of wrong H1 when H0 is true, and of wrong H0 when H1 is; 0.05 each is usual */
    int64_t cap;        /* pairs after which it is given up undecided; 0: never */
};

enum sprt_end { SPRT_RUNNING, SPRT_H0, SPRT_H1, SPRT_UNDECIDED };
const char *sprt_end_name(int end); /* "running", "H0", "H1", "undecided" */

struct sprt_look {
    double
        ratio; /* log of the generalised likelihood ratio: of the best pentanomial with H1's mean to that with H0's */
    double lower, upper; /* H0 at or below log(beta / (1 - alpha)); H1 at or above log((1 - beta) / alpha) */
    int end;             /* enum sprt_end */
};

/* Looks after each pair in the order of the schedule (a test over pairs as they happen to finish favours short games),
 * and stops for good at the first end that is not SPRT_RUNNING. */
struct sprt_look sprt_look(const struct sprt *sprt, const struct tally *tally);

/* False, with a sentence, unless elo0 < elo1 within +-2000, alpha and beta within 0.0001 to 0.5, cap >= 0. */
bool sprt_check(const struct sprt *sprt, const char **fault);

/* ---- Student's t ---- */

double student_share(double t, double degrees);        /* the share of the distribution below t; degrees > 0 */
double student_quantile(double share, double degrees); /* share within 0.5 to 0.9999 */

#endif
