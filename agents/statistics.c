/* statistics.c: pairs, their likelihood, and what follows from it: intervals, superiority, SPRT. */
#include "agents/statistics.h"
#include "env/longroll.h"
#include <math.h>
#include <string.h>

/* ---- Tallies ---- */

void tally_pair(struct tally *tally, int as_union, int as_confederate) { tally->pairs[as_union][as_confederate]++; }

void tally_add(struct tally *sum, const struct tally *more) {
    for (int i = 0; i < 9; i++) sum->pairs[i / 3][i % 3] += more->pairs[i / 3][i % 3];
}

/* The first was the Union where the second was the Confederate. */
struct tally tally_mirror(const struct tally *tally) {
    struct tally mirror;
    for (int i = 0; i < 9; i++) mirror.pairs[2 - i % 3][2 - i / 3] = tally->pairs[i / 3][i % 3];
    return mirror;
}

int64_t tally_count(const struct tally *tally) {
    int64_t count = 0;
    for (int i = 0; i < 9; i++) count += tally->pairs[i / 3][i % 3];
    return count;
}

void tally_points(const struct tally *tally, int64_t counts[PENTANOMIAL]) {
    memset(counts, 0, PENTANOMIAL * sizeof *counts);
    for (int i = 0; i < 9; i++) counts[i / 3 + i % 3] += tally->pairs[i / 3][i % 3];
}

void tally_side(const struct tally *tally, int side, int64_t games[3]) {
    memset(games, 0, 3 * sizeof *games);
    for (int i = 0; i < 9; i++) games[side == LR_UNION ? i / 3 : i % 3] += tally->pairs[i / 3][i % 3];
}

/* A number from 0 to 1 (not 1) out of 31 bits. */
static double draw_share(uint64_t stream, uint64_t position) {
    return lr_random(stream, position, UINT32_C(1) << 31) * 0x1p-31;
}

void tally_resample(const struct tally *tally, double prior, uint64_t stream, uint64_t *position,
                    struct tally *sample) {
    double up_to[9], all = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) up_to[3 * i + j] = all += (double)tally->pairs[i][j] + prior / 9;
    memset(sample, 0, sizeof *sample);
    int64_t count = tally_count(tally);
    for (int64_t n = 0; n < count; n++) {
        double at = draw_share(stream, (*position)++) * all;
        int i = 0;
        while (i < 8 && at >= up_to[i]) i++;
        sample->pairs[i / 3][i % 3]++;
    }
}

/* ---- Likelihood ---- */

/* How far the log-likelihood of the counts falls below its greatest when the mean score must be `mean` (0 < mean < 1).
 *
 * With d = (a result's score) - mean, the best probabilities are count / (pairs * (1 + tilt * d)), for the tilt that
 * makes their mean right: the root of sum count * d / (1 + tilt * d), which falls in tilt. 1 + tilt * d stays above 0
 * for all five results between -1 / (1 - mean) and 1 / mean. Where the root lies beyond an end, a result at the edge
 * that was never seen takes what probability is over, and the tilt is that end. */
static double likelihood_fall(const int64_t counts[PENTANOMIAL], double mean) {
    double low = -1 / (1 - mean), high = 1 / mean, tilt = 0;
    for (int round = 0; round < 200; round++) {
        double sum = 0, slope = 0;
        for (int i = 0; i < PENTANOMIAL; i++) {
            double d = i / 4.0 - mean, part = d / (1 + tilt * d);
            if (!counts[i]) continue;
            sum += (double)counts[i] * part;
            slope += (double)counts[i] * part * part;
        }
        if (sum == 0) break;
        *(sum > 0 ? &low : &high) = tilt;
        double next = tilt + sum / slope, middle = (low + high) / 2;
        if (!(next > low && next < high)) next = middle;
        if (fabs(next - tilt) <= 1e-13 * (1 + fabs(tilt))) break;
        tilt = next;
    }
    double fall = 0;
    for (int i = 0; i < PENTANOMIAL; i++)
        if (counts[i]) fall += (double)counts[i] * log1p(tilt * (i / 4.0 - mean));
    return fall > 0 ? fall : 0;
}

/* ---- Student's t ---- */

/* The continued fraction of the incomplete beta function (Lentz's method). */
static double beta_fraction(double a, double b, double x) {
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double fraction = d;
    for (int m = 1; m < 500; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        for (int half = 0; half < 2; half++) {
            double factor = half ? odd : even;
            d = 1 + factor * d;
            c = 1 + factor / c;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            if (fabs(c) < tiny) c = tiny;
            fraction *= d * c;
        }
        if (fabs(d * c - 1) < 1e-14) break;
    }
    return fraction;
}

/* The regularised incomplete beta function. */
static double beta_share(double a, double b, double x) {
    if (x <= 0 || x >= 1) return x >= 1;
    if (x > (a + 1) / (a + b + 2)) return 1 - beta_share(b, a, 1 - x);
    int sign;
    double front = lgamma_r(a + b, &sign) - lgamma_r(a, &sign) - lgamma_r(b, &sign) + a * log(x) + b * log1p(-x);
    return exp(front) * beta_fraction(a, b, x) / a;
}

double student_share(double t, double degrees) {
    if (isinf(t)) return t > 0;
    double tail = beta_share(degrees / 2, 0.5, degrees / (degrees + t * t)) / 2;
    return t > 0 ? 1 - tail : tail;
}

double student_quantile(double share, double degrees) {
    double low = 0, high = 1e4;
    for (int round = 0; round < 80; round++) {
        double middle = (low + high) / 2;
        *(student_share(middle, degrees) < share ? &low : &high) = middle;
    }
    return low;
}

/* ---- Two players ---- */

double elo_of_score(double score) { return 400 * log10(score / (1 - score)); }
double score_of_elo(double elo) { return 1 / (1 + pow(10, -elo / 400)); }

/* The end of the interval between `mean`, where the likelihood is greatest, and `edge`. */
static double interval_end(const int64_t counts[PENTANOMIAL], double mean, double edge, double fall) {
    double inside = mean, outside = edge;
    for (int round = 0; round < 60; round++) {
        double middle = (inside + outside) / 2;
        if (middle <= 0 || middle >= 1) break;
        *(likelihood_fall(counts, middle) <= fall ? &inside : &outside) = middle;
    }
    return inside;
}

/* Mean and variance of a pair's score, 0 to 1. */
static void pair_moments(const int64_t counts[PENTANOMIAL], int64_t pairs, double *mean, double *variance) {
    double sum = 0, around = 0;
    for (int i = 0; i < PENTANOMIAL; i++) sum += (double)counts[i] * i / 4;
    *mean = pairs ? sum / (double)pairs : 0.5;
    for (int i = 0; i < PENTANOMIAL; i++) around += (double)counts[i] * (i / 4.0 - *mean) * (i / 4.0 - *mean);
    *variance = pairs > 1 ? around / (double)(pairs - 1) : 0;
}

static struct interval normalized_of(double mean, double variance, int64_t pairs, double t) {
    if (variance <= 0) return (struct interval){0, -INFINITY, INFINITY};
    double scale = 800 / log(10), value = (mean - 0.5) / sqrt(2 * variance);
    double half = t * sqrt((1 + value * value) / (2 * (double)pairs));
    return (struct interval){scale * value, scale * (value - half), scale * (value + half)};
}

void strength_of(const struct tally *tally, struct strength *strength) {
    int64_t counts[PENTANOMIAL], as_union[3], as_confederate[3];
    double mean, variance, t = INFINITY;
    tally_points(tally, counts);
    int64_t pairs = tally_count(tally);
    pair_moments(counts, pairs, &mean, &variance);
    *strength = (struct strength){.pairs = pairs, .score = {mean, 0, 1}, .superiority = 0.5};
    if (pairs > 1) {
        t = student_quantile(0.975, (double)(pairs - 1));
        strength->error = sqrt(variance / (double)pairs);
        strength->score.low = interval_end(counts, mean, 0, t * t / 2);
        strength->score.high = interval_end(counts, mean, 1, t * t / 2);
        double root = sqrt(2 * likelihood_fall(counts, 0.5));
        strength->superiority = student_share(mean < 0.5 ? -root : root, (double)(pairs - 1));
    }
    const struct interval *score = &strength->score;
    strength->elo = (struct interval){elo_of_score(score->value), elo_of_score(score->low), elo_of_score(score->high)};
    strength->normalized = normalized_of(mean, variance, pairs, t);
    tally_side(tally, LR_UNION, as_union);
    tally_side(tally, LR_CONFEDERATE, as_confederate);
    if (!pairs) return;
    strength->draws = (double)(as_union[1] + as_confederate[1]) / (double)(2 * pairs);
    strength->level = (double)counts[2] / (double)pairs;
}

/* ---- Sequential probability ratio test ---- */

const char *sprt_end_name(int end) {
    static const char *const names[] = {"running", "H0", "H1", "undecided"};
    return names[end];
}

struct sprt_look sprt_look(const struct sprt *sprt, const struct tally *tally) {
    int64_t counts[PENTANOMIAL];
    tally_points(tally, counts);
    struct sprt_look look = {
        .ratio = likelihood_fall(counts, score_of_elo(sprt->elo0)) - likelihood_fall(counts, score_of_elo(sprt->elo1)),
        .lower = log(sprt->beta / (1 - sprt->alpha)),
        .upper = log((1 - sprt->beta) / sprt->alpha),
    };
    if (look.ratio >= look.upper)
        look.end = SPRT_H1;
    else if (look.ratio <= look.lower)
        look.end = SPRT_H0;
    else if (sprt->cap && tally_count(tally) >= sprt->cap)
        look.end = SPRT_UNDECIDED;
    return look;
}

bool sprt_check(const struct sprt *sprt, const char **fault) {
    *fault = NULL;
    if (!(sprt->elo0 >= -2000 && sprt->elo1 <= 2000 && sprt->elo0 < sprt->elo1))
        *fault = "an SPRT needs elo0 below elo1, both within -2000 to 2000";
    else if (!(sprt->alpha >= 0.0001 && sprt->alpha <= 0.5 && sprt->beta >= 0.0001 && sprt->beta <= 0.5))
        *fault = "an SPRT needs alpha and beta from 0.0001 to 0.5";
    else if (sprt->cap < 0)
        *fault = "an SPRT's cap is a number of pairs, 0 for none";
    return !*fault;
}
