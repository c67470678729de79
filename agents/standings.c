/* standings.c: reads a ledger's games in the order of the schedule, and rates. */
#include "agents/standings.h"
#include "env/game.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Counting ---- */

static int half_points(const struct ledger_game *game, int side) {
    if (game->result.winner == LR_NOBODY) return 1;
    return game->result.winner == side ? 2 : 0;
}

static void count_game(struct standings *standings, const struct ledger_game *game) {
    const struct game_result *result = &game->result;
    struct field *field = &standings->fields[game->scenario];
    standings->games++;
    field->games[half_points(game, LR_UNION)]++;
    field->decisions += result->decisions;
    for (int side = 0; side < 2; side++) {
        struct record *record = &standings->records[game->bots[side]];
        record->games[side][half_points(game, side)]++;
        record->decisions += result->decisions;
        record->thought_us += result->thought_us[side];
        if (result->at_fault == side) record->faults[result->end]++;
    }
}

static int keep_pair(struct standings *standings, struct pair_result pair, lr_error *error) {
    int64_t count = standings->pair_count;
    if (!(count & (count - 1))) { /* room for the next power of two */
        struct pair_result *more = realloc(standings->pairs, (size_t)(count ? 2 * count : 1) * sizeof *more);
        if (!more) return lr_fail(error, LR_E_MEMORY, "no memory for %lld pairs", (long long)count);
        standings->pairs = more;
    }
    standings->pairs[standings->pair_count++] = pair;
    tally_pair(&standings->pairings[pair.pairing].tally, pair.as_union, pair.as_confederate);
    return LR_OK;
}

/* `even` and `odd` are the games 2p and 2p + 1: the pairing's first bot is the Union in the even one. */
static int count_pair(struct standings *standings, const struct ledger_game *even, const struct ledger_game *odd,
                      lr_error *error) {
    const struct fixture fixture = schedule_game(standings->plan, even->id);
    const struct pair_result pair = {
        .pairing = fixture.pairing * (int)standings->plan->scenario_count + fixture.scenario,
        .as_union = (uint8_t)half_points(even, LR_UNION),
        .as_confederate = (uint8_t)half_points(odd, LR_CONFEDERATE),
    };
    return keep_pair(standings, pair, error);
}

/* True when the SPRT is over, or the next pair is not the one that the schedule has next. */
static bool sprt_stops(struct standings *standings, int64_t next_id) {
    if (standings->plan->format != PLAN_SPRT) return false;
    return standings->sprt.end != SPRT_RUNNING || next_id / 2 != standings->pair_count;
}

static void look(struct standings *standings) {
    struct tally tally = standings_meeting(standings, 0, 1, -1);
    standings->sprt = sprt_look(&standings->plan->sprt, &tally);
}

static int count_games(struct standings *standings, struct ledger *ledger, lr_error *error) {
    struct ledger_game game, last = {.id = -1};
    int code;
    bool sprt = standings->plan->format == PLAN_SPRT, over = false;
    while ((code = ledger_next(ledger, &game, error)) == 1) {
        if (over || (over = sprt_stops(standings, game.id))) continue;
        count_game(standings, &game);
        if (game.id % 2 && last.id == game.id - 1) {
            if (count_pair(standings, &last, &game, error)) return LR_E_MEMORY;
            if (sprt) look(standings);
        }
        last = game;
    }
    return code;
}

/* ---- Rating ---- */

static struct ratings_plan rating_plan(const struct standings *standings, const struct pairing *pairings) {
    return (struct ratings_plan){
        .bots = (int)standings->plan->bot_count,
        .scenarios = (int)standings->plan->scenario_count,
        .pairings = pairings,
        .count = standings->pairing_count,
        .anchor = standings->anchor,
        .prior = 1,
        .resamples = RATINGS_RESAMPLES,
        .stream = lr_environment_seed(standings->plan->seed, UINT64_MAX),
    };
}

/* Higher ratings first, those without one last, equal ones as in the plan. */
static int better(const void *left, const void *right, void *context) {
    const struct standings *standings = context;
    int a = *(const int *)left, b = *(const int *)right;
    double one = standings->records[a].rating.value, other = standings->records[b].rating.value;
    if (isnan(one) != isnan(other)) return isnan(one) ? 1 : -1;
    if (one > other) return -1;
    return one < other ? 1 : a - b;
}

static int rate(struct standings *standings, lr_error *error) {
    unsigned bots = standings->plan->bot_count, scenarios = standings->plan->scenario_count;
    struct interval ratings[PLAN_BOTS], sides[PLAN_SCENARIOS];
    const struct ratings_plan plan = rating_plan(standings, standings->pairings);
    int code = ratings_fit(&plan, ratings, sides, error);
    if (code) return code;
    for (unsigned i = 0; i < bots; i++) {
        standings->records[i].rating = ratings[i];
        standings->order[i] = (int)i;
    }
    for (unsigned i = 0; i < scenarios; i++) standings->fields[i].advantage = sides[i];
    qsort_r(standings->order, bots, sizeof *standings->order, better, standings);
    return dice_saving(standings->pairings, standings->pairing_count, RATINGS_RESAMPLES, plan.stream + 1,
                       &standings->saving, error);
}

/* A copy of the pairings; those of other scenarios than `scenario` (-1: all count) without their pairs. free() it. */
static struct pairing *pairings_of(const struct standings *standings, int scenario, lr_error *error) {
    size_t bytes = (size_t)standings->pairing_count * sizeof(struct pairing);
    struct pairing *pairings = malloc(bytes + 1);
    if (!pairings) {
        lr_fail(error, LR_E_MEMORY, "no memory for %d pairings", standings->pairing_count);
        return NULL;
    }
    memcpy(pairings, standings->pairings, bytes);
    for (int i = 0; i < standings->pairing_count; i++)
        if (scenario >= 0 && pairings[i].scenario != scenario) pairings[i].tally = (struct tally){0};
    return pairings;
}

static int rate_some(const struct standings *standings, int scenario, bool by_side, struct interval *ratings,
                     lr_error *error) {
    struct interval sides[PLAN_SCENARIOS];
    struct pairing *pairings = pairings_of(standings, scenario, error);
    if (!pairings) return LR_E_MEMORY;
    struct ratings_plan plan = rating_plan(standings, pairings);
    plan.by_side = by_side;
    int code = ratings_fit(&plan, ratings, sides, error);
    free(pairings);
    return code;
}

int standings_in(const struct standings *standings, int scenario, struct interval *ratings, lr_error *error) {
    return rate_some(standings, scenario, false, ratings, error);
}

int standings_by_side(const struct standings *standings, int scenario, struct interval *ratings, lr_error *error) {
    return rate_some(standings, scenario, true, ratings, error);
}

int standings_at(const struct standings *standings, int64_t pairs, struct interval *ratings, lr_error *error) {
    struct interval sides[PLAN_SCENARIOS];
    struct pairing *pairings = pairings_of(standings, -1, error);
    if (!pairings) return LR_E_MEMORY;
    for (int i = 0; i < standings->pairing_count; i++) pairings[i].tally = (struct tally){0};
    for (int64_t i = 0; i < pairs && i < standings->pair_count; i++) {
        const struct pair_result *pair = &standings->pairs[i];
        tally_pair(&pairings[pair->pairing].tally, pair->as_union, pair->as_confederate);
    }
    struct ratings_plan plan = rating_plan(standings, pairings);
    plan.resamples = 0;
    int code = ratings_fit(&plan, ratings, sides, error);
    free(pairings);
    return code;
}

struct tally standings_meeting(const struct standings *standings, int bot, int other, int scenario) {
    struct tally sum = {0};
    for (int i = 0; i < standings->pairing_count; i++) {
        const struct pairing *pairing = &standings->pairings[i];
        if (scenario >= 0 && pairing->scenario != scenario) continue;
        if (pairing->bots[0] == bot && pairing->bots[1] == other) tally_add(&sum, &pairing->tally);
        if (pairing->bots[0] != other || pairing->bots[1] != bot) continue;
        struct tally mirror = tally_mirror(&pairing->tally);
        tally_add(&sum, &mirror);
    }
    return sum;
}

/* ---- Opening ---- */

static int usual_anchor(const struct plan *plan) {
    const char *const usual[] = {"greedy", "random"};
    for (int i = 0; i < 2; i++)
        for (unsigned bot = 0; bot < plan->bot_count; bot++)
            if (strcmp(plan->bots[bot].spec, usual[i]) == 0) return (int)bot;
    return (int)plan->bot_count - 1;
}

static int find_anchor(const struct plan *plan, const char *name, int *anchor, lr_error *error) {
    char known[200] = "";
    size_t length = 0;
    *anchor = usual_anchor(plan);
    if (!name) return LR_OK;
    for (unsigned bot = 0; bot < plan->bot_count; bot++) {
        if (strcmp(plan->bots[bot].name, name) == 0) {
            *anchor = (int)bot;
            return LR_OK;
        }
        if (length < sizeof known)
            length +=
                (size_t)snprintf(known + length, sizeof known - length, "%s%s", bot ? ", " : "", plan->bots[bot].name);
    }
    return lr_fail(error, LR_E_NOT_FOUND, "no bot of this tournament is called '%.40s'; there are: %s", name, known);
}

static int make_room(struct standings *standings, lr_error *error) {
    const struct plan *plan = standings->plan;
    unsigned scenarios = plan->scenario_count;
    standings->pairing_count = schedule_pairings(plan) * (int)scenarios;
    standings->order = calloc(plan->bot_count, sizeof *standings->order);
    standings->records = calloc(plan->bot_count, sizeof *standings->records);
    standings->fields = calloc(scenarios, sizeof *standings->fields);
    standings->pairings = calloc((size_t)standings->pairing_count, sizeof *standings->pairings);
    if (!standings->order || !standings->records || !standings->fields || !standings->pairings)
        return lr_fail(error, LR_E_MEMORY, "no memory for the standings of %u bots", plan->bot_count);
    for (int i = 0; i < standings->pairing_count; i++) {
        standings->pairings[i].scenario = i % (int)scenarios;
        schedule_pairing(plan, i / (int)scenarios, standings->pairings[i].bots);
    }
    return LR_OK;
}

int standings_read(struct ledger *ledger, const char *anchor, struct standings **standings, lr_error *error) {
    struct standings *s = calloc(1, sizeof *s);
    if (!s) return lr_fail(error, LR_E_MEMORY, "no memory for standings");
    s->plan = ledger_plan(ledger);
    s->expected = schedule_games(s->plan);
    int code = find_anchor(s->plan, anchor, &s->anchor, error);
    if (!code) code = make_room(s, error);
    if (!code && s->plan->format == PLAN_SPRT) look(s);
    if (!code) code = count_games(s, ledger, error);
    if (!code) code = rate(s, error);
    if (code) {
        standings_close(s);
        return code;
    }
    *standings = s;
    return LR_OK;
}

void standings_close(struct standings *standings) {
    if (!standings) return;
    free(standings->pairs);
    free(standings->pairings);
    free(standings->fields);
    free(standings->records);
    free(standings->order);
    free(standings);
}
