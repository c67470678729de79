/* ratings.c: Bradley-Terry with a side term by Newton's method, its bootstrap, and what common dice saved.
 *
 * The unknowns stand in one row: a rating for each bot (with by_side, for each bot on each side), then a side term for
 * each scenario; in natural units, 400 / ln 10 Elo each. Those that are held (the anchor, and what no game touches)
 * keep 0 and an identity row in the matrix. The matrix is dense: a hundred bots are a hundred rows. */
#include "agents/ratings.h"
#include "env/game.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct fit {
    const struct ratings_plan *plan;
    int unknowns, ratings; /* of the unknowns, so many are ratings */
    bool *held;            /* [unknowns] */
    bool *tied;            /* [ratings]: a chain of games leads to the anchor */
    double *value;         /* [unknowns] */
    double *slope;         /* [unknowns] */
    double *matrix;        /* [unknowns][unknowns] */
    double *prior;         /* [count] virtual pairs of each pairing */
    struct tally *sample;  /* [count] */
    double *samples;       /* [unknowns][resamples] */
};

static int unknown_of(const struct fit *fit, int bot, int side) { return fit->plan->by_side ? 2 * bot + side : bot; }

/* ---- One fit ---- */

/* `games` games of Union unknown u against Confederate unknown c, `points` of them won by u. */
static void add_games(struct fit *fit, int u, int c, int s, double games, double points) {
    double expected = 1 / (1 + exp(fit->value[c] - fit->value[u] - fit->value[s]));
    double gap = points - games * expected, weight = games * expected * (1 - expected);
    const int at[3] = {u, c, s}, sign[3] = {1, -1, 1};
    for (int i = 0; i < 3; i++) {
        fit->slope[at[i]] += sign[i] * gap;
        for (int j = 0; j < 3; j++) fit->matrix[at[i] * fit->unknowns + at[j]] += sign[i] * sign[j] * weight;
    }
}

static void add_pairing(struct fit *fit, int index, const struct tally *tally) {
    const struct pairing *pairing = &fit->plan->pairings[index];
    int a = pairing->bots[0], b = pairing->bots[1], s = fit->ratings + pairing->scenario;
    int64_t as_union[3], as_confederate[3];
    tally_side(tally, LR_UNION, as_union);
    tally_side(tally, LR_CONFEDERATE, as_confederate);
    double prior = fit->prior[index], games = (double)tally_count(tally) + prior;
    double won = (double)as_union[2] + (double)as_union[1] / 2 + prior / 2;
    double lost = (double)as_confederate[0] + (double)as_confederate[1] / 2 + prior / 2;
    add_games(fit, unknown_of(fit, a, LR_UNION), unknown_of(fit, b, LR_CONFEDERATE), s, games, won);
    add_games(fit, unknown_of(fit, b, LR_UNION), unknown_of(fit, a, LR_CONFEDERATE), s, games, lost);
}

/* Solves matrix * x = slope in place (Cholesky); x is left in slope. */
static void solve(struct fit *fit) {
    int n = fit->unknowns;
    double *m = fit->matrix, *x = fit->slope;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = m[i * n + j];
            for (int k = 0; k < j; k++) sum -= m[i * n + k] * m[j * n + k];
            m[i * n + j] = i == j ? sqrt(sum > 1e-12 ? sum : 1e-12) : sum / m[j * n + j];
        }
        for (int k = 0; k < i; k++) x[i] -= m[i * n + k] * x[k];
        x[i] /= m[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) x[i] -= m[k * n + i] * x[k];
        x[i] /= m[i * n + i];
    }
}

/* One step of Newton's; returns the greatest change, at most 1. */
static double step(struct fit *fit, const struct tally *tallies) {
    int n = fit->unknowns;
    memset(fit->slope, 0, (size_t)n * sizeof *fit->slope);
    memset(fit->matrix, 0, (size_t)n * (size_t)n * sizeof *fit->matrix);
    for (int i = 0; i < fit->plan->count; i++)
        if (tally_count(&tallies[i])) add_pairing(fit, i, &tallies[i]);
    for (int i = 0; i < n; i++) {
        if (!fit->held[i]) continue;
        for (int j = 0; j < n; j++) fit->matrix[i * n + j] = fit->matrix[j * n + i] = i == j;
        fit->slope[i] = 0;
    }
    solve(fit);
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(fit->slope[i]));
    double scale = most > 1 ? 1 / most : 1; /* far from the top a full step may overshoot */
    for (int i = 0; i < n; i++) fit->value[i] += scale * fit->slope[i];
    return most * scale;
}

/* From the values that are there. Without a prior a bot that won everything runs away: the bound ends that. */
static void climb(struct fit *fit, const struct tally *tallies) {
    for (int round = 0; round < 50; round++)
        if (step(fit, tallies) < 1e-9) return;
}

/* ---- What is held, and the prior ---- */

/* Spreads from the anchor along games. By side, the anchor's other side must be reached too, or nothing is known. */
static void tie(struct fit *fit) {
    const struct ratings_plan *plan = fit->plan;
    int anchor = unknown_of(fit, plan->anchor, LR_UNION), other = unknown_of(fit, plan->anchor, LR_CONFEDERATE);
    fit->tied[anchor] = true;
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < 2 * plan->count; i++) {
            const struct pairing *pairing = &plan->pairings[i / 2];
            int u = unknown_of(fit, pairing->bots[i % 2], LR_UNION);
            int c = unknown_of(fit, pairing->bots[1 - i % 2], LR_CONFEDERATE);
            if (!tally_count(&pairing->tally) || fit->tied[u] == fit->tied[c]) continue;
            fit->tied[u] = fit->tied[c] = more = true;
        }
    }
    if (!fit->tied[other]) memset(fit->tied, 0, (size_t)fit->ratings * sizeof *fit->tied);
    for (int i = 0; i < fit->unknowns; i++) fit->held[i] = true;
    for (int i = 0; i < plan->count; i++) {
        const struct pairing *pairing = &plan->pairings[i];
        if (!tally_count(&pairing->tally) || !fit->tied[unknown_of(fit, pairing->bots[0], LR_UNION)]) continue;
        for (int side = 0; side < 2; side++)
            for (int bot = 0; bot < 2; bot++) fit->held[unknown_of(fit, pairing->bots[bot], side)] = false;
        fit->held[fit->ratings + pairing->scenario] = false;
    }
    fit->held[anchor] = fit->held[other] = true;
}

static void share_prior(struct fit *fit) {
    const struct ratings_plan *plan = fit->plan;
    for (int i = 0; i < plan->count; i++) {
        int shares = 0; /* pairings with games that either bot has, both bots' added up */
        for (int j = 0; j < plan->count; j++)
            for (int bot = 0; bot < 4; bot++)
                shares += plan->pairings[j].bots[bot / 2] == plan->pairings[i].bots[bot % 2] &&
                          tally_count(&plan->pairings[j].tally);
        fit->prior[i] = tally_count(&plan->pairings[i].tally) ? plan->prior * 2 / shares : 0;
    }
}

/* ---- The bootstrap ---- */

static int ascending(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The middle 95 % of the samples, which it sorts. */
static struct interval middle(double value, double *samples, int count) {
    if (!count) return (struct interval){value, value, value};
    qsort(samples, (size_t)count, sizeof *samples, ascending);
    int outside = (int)(0.025 * count);
    return (struct interval){value, samples[outside], samples[count - 1 - outside]};
}

static void bootstrap(struct fit *fit) {
    const struct ratings_plan *plan = fit->plan;
    uint64_t position = 0;
    for (int n = 0; n < plan->resamples; n++) {
        for (int i = 0; i < plan->count; i++)
            tally_resample(&plan->pairings[i].tally, fit->prior[i], plan->stream, &position, &fit->sample[i]);
        climb(fit, fit->sample);
        for (int i = 0; i < fit->unknowns; i++) fit->samples[i * plan->resamples + n] = fit->value[i];
    }
}

static struct interval in_elo(struct interval natural, bool known) {
    const double elo = 400 / log(10);
    if (!known) return (struct interval){NAN, NAN, NAN};
    return (struct interval){elo * natural.value, elo * natural.low, elo * natural.high};
}

static void run(struct fit *fit, double *best, struct interval *ratings, struct interval *sides) {
    const struct ratings_plan *plan = fit->plan;
    tie(fit);
    share_prior(fit);
    for (int i = 0; i < plan->count; i++) fit->sample[i] = plan->pairings[i].tally;
    climb(fit, fit->sample);
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): ratings_fit frees it */
    memcpy(best, fit->value, (size_t)fit->unknowns * sizeof *best);
    bootstrap(fit);
    for (int i = 0; i < fit->unknowns; i++) {
        struct interval natural = middle(best[i], fit->samples + i * plan->resamples, plan->resamples);
        if (i < fit->ratings)
            ratings[i] = in_elo(natural, fit->tied[i]);
        else
            sides[i - fit->ratings] = in_elo(natural, !fit->held[i]);
    }
}

/* Room for `count` things, at least one. */
static void *room(int count, size_t size) { return calloc(count > 0 ? (size_t)count : 1, size); }

int ratings_fit(const struct ratings_plan *plan, struct interval *ratings, struct interval *sides, lr_error *error) {
    struct fit fit = {.plan = plan, .ratings = plan->bots * (plan->by_side ? 2 : 1)};
    int n = fit.unknowns = fit.ratings + plan->scenarios;
    double *best = room(n, sizeof *best);
    fit.held = room(n, sizeof *fit.held);
    fit.tied = room(fit.ratings, sizeof *fit.tied);
    fit.value = room(n, sizeof *fit.value);
    fit.slope = room(n, sizeof *fit.slope);
    fit.matrix = calloc((size_t)n * (size_t)n + 1, sizeof *fit.matrix);
    fit.prior = room(plan->count, sizeof *fit.prior);
    fit.sample = room(plan->count, sizeof *fit.sample);
    fit.samples = calloc((size_t)n * (size_t)plan->resamples + 1, sizeof *fit.samples);
    bool all =
        best && fit.held && fit.tied && fit.value && fit.slope && fit.matrix && fit.prior && fit.sample && fit.samples;
    if (all) run(&fit, best, ratings, sides);
    free(fit.samples);
    free(fit.sample);
    free(fit.prior);
    free(fit.matrix);
    free(fit.slope);
    free(fit.value);
    free(fit.tied);
    free(fit.held);
    free(best);
    return all ? LR_OK : lr_fail(error, LR_E_MEMORY, "no memory to rate %d bots", plan->bots);
}

/* ---- What common dice saved ---- */

/* Adds a pairing's covariance and the sum of its two variances, each weighted by its pairs. */
static void add_moments(const struct tally *tally, double *covariance, double *variances) {
    double n = (double)tally_count(tally), sum[2] = {0}, square[2] = {0}, product = 0;
    if (n < 2) return;
    for (int i = 0; i < 9; i++) {
        const int first = i / 3, second = i % 3;
        const double pairs = (double)tally->pairs[first][second], x = first / 2.0, y = second / 2.0;
        sum[0] += pairs * x;
        sum[1] += pairs * y;
        square[0] += pairs * x * x;
        square[1] += pairs * y * y;
        product += pairs * x * y;
    }
    double weight = n / (n - 1);
    *covariance += weight * (product - sum[0] * sum[1] / n);
    *variances += weight * (square[0] - sum[0] * sum[0] / n + square[1] - sum[1] * sum[1] / n);
}

/* Of the pairs themselves or, where `position` is given, of a sample of them. */
static double saving_of(const struct pairing *pairings, int count, uint64_t stream, uint64_t *position) {
    double covariance = 0, variances = 0;
    for (int i = 0; i < count; i++) {
        struct tally tally = pairings[i].tally;
        if (position) tally_resample(&pairings[i].tally, 0, stream, position, &tally);
        add_moments(&tally, &covariance, &variances);
    }
    return variances > 0 ? -2 * covariance / variances : NAN;
}

int dice_saving(const struct pairing *pairings, int count, int resamples, uint64_t stream, struct interval *share,
                lr_error *error) {
    uint64_t position = 0;
    double value = saving_of(pairings, count, 0, NULL);
    double *samples = room(resamples, sizeof *samples);
    if (!samples) return lr_fail(error, LR_E_MEMORY, "no memory for %d samples", resamples);
    int known = 0;
    for (int i = 0; i < resamples; i++) {
        double sample = saving_of(pairings, count, stream, &position);
        if (!isnan(sample)) samples[known++] = sample;
    }
    *share = middle(value, samples, known);
    free(samples);
    return LR_OK;
}
