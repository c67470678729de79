/* report_text.c: standings for people at a terminal. */
#include "cli/report.h"
#include <math.h>
#include <string.h>

char *elo_text(double elo, char text[ELO_TEXT]) {
    if (isnan(elo))
        snprintf(text, ELO_TEXT, "?");
    else if (isinf(elo))
        snprintf(text, ELO_TEXT, elo > 0 ? "+inf" : "-inf");
    else
        snprintf(text, ELO_TEXT, "%+.0f", elo > -0.5 && elo < 0 ? 0 : elo);
    return text;
}

/* "+30 to +50" */
static char *span_text(const struct interval *interval, char text[2 * ELO_TEXT + 4]) {
    char low[ELO_TEXT], high[ELO_TEXT];
    snprintf(text, 2 * ELO_TEXT + 4, "%s to %s", elo_text(interval->low, low), elo_text(interval->high, high));
    return text;
}

/* ---- Records ---- */

static int64_t side_games(const struct record *record, int side) {
    return record->games[side][0] + record->games[side][1] + record->games[side][2];
}

int64_t record_games(const struct record *record) { return side_games(record, 0) + side_games(record, 1); }

double record_score(const struct record *record, int side) {
    double halves = 0, games = 0;
    for (int s = 0; s < 2; s++) {
        if (side >= 0 && s != side) continue;
        halves += (double)(record->games[s][1] + 2 * record->games[s][2]);
        games += (double)side_games(record, s);
    }
    return games > 0 ? halves / 2 / games : NAN;
}

static double drawn_share(const struct record *record) {
    int64_t games = record_games(record);
    return games ? (double)(record->games[0][1] + record->games[1][1]) / (double)games : NAN;
}

/* In percent, without a minus before a nought. */
static double percent(double share) { return fabs(share) < 0.0005 ? 0 : 100 * share; }

/* A share in percent, eight characters wide. */
static void put_share(FILE *out, double share) {
    if (isnan(share))
        fprintf(out, "%8s", "-");
    else
        fprintf(out, "%6.1f %%", 100 * share);
}

static int name_width(const struct standings *standings) {
    size_t most = 3;
    for (unsigned i = 0; i < standings->plan->bot_count; i++) {
        size_t length = strlen(standings->plan->bots[i].name);
        most = length > most ? length : most;
    }
    return (int)most;
}

/* ---- Sections ---- */

static void put_head(const struct standings *standings, FILE *out) {
    const struct plan *plan = standings->plan;
    fprintf(out, "%s: %s, %u bots, %u scenario%s, seed %llu\n", plan->name ? plan->name : "tournament",
            plan_format_name(plan->format), plan->bot_count, plan->scenario_count, plan->scenario_count == 1 ? "" : "s",
            (unsigned long long)plan->seed);
    fprintf(out, "%lld of %lld games, %lld pairs\n", (long long)standings->games, (long long)standings->expected,
            (long long)standings->pair_count);
}

static void put_ratings(const struct standings *standings, FILE *out) {
    const struct plan *plan = standings->plan;
    int width = name_width(standings);
    char elo[ELO_TEXT], span[2 * ELO_TEXT + 4];
    fprintf(out, "\nRatings (Elo, %s = 0; Bradley-Terry with a side term; 95 %% by bootstrap over pairs)\n",
            plan->bots[standings->anchor].name);
    fprintf(out, "  #  %-*s %6s  %-16s %7s %8s %8s %8s %8s %9s\n", width, "bot", "Elo", "95 %", "games", "score",
            "Union", "Confed.", "drawn", "ms/game");
    for (unsigned i = 0; i < plan->bot_count; i++) {
        int bot = standings->order[i];
        const struct record *record = &standings->records[bot];
        int64_t games = record_games(record);
        fprintf(out, "%3u  %-*s %6s  %-16s %7lld", i + 1, width, plan->bots[bot].name,
                elo_text(record->rating.value, elo),
                bot == standings->anchor ? "anchor" : span_text(&record->rating, span), (long long)games);
        fputc(' ', out);
        put_share(out, record_score(record, -1));
        fputc(' ', out);
        put_share(out, record_score(record, LR_UNION));
        fputc(' ', out);
        put_share(out, record_score(record, LR_CONFEDERATE));
        fputc(' ', out);
        put_share(out, drawn_share(record));
        fprintf(out, " %9.1f\n", games ? (double)record->thought_us / 1000 / (double)games : 0);
    }
}

static bool any_faults(const struct standings *standings) {
    for (unsigned bot = 0; bot < standings->plan->bot_count; bot++)
        for (int kind = 0; kind < GAME_STOPPED; kind++)
            if (standings->records[bot].faults[kind]) return true;
    return false;
}

static void put_faults(const struct standings *standings, FILE *out) {
    int width = name_width(standings);
    if (!any_faults(standings)) {
        fprintf(out, "\nFaults: none\n");
        return;
    }
    fprintf(out, "\nFaults (games lost by the bot's own fault)\n     %-*s", width, "bot");
    for (int kind = GAME_PLAYED + 1; kind < GAME_STOPPED; kind++) fprintf(out, " %9s", game_end_name(kind));
    for (unsigned i = 0; i < standings->plan->bot_count; i++) {
        int bot = standings->order[i];
        fprintf(out, "\n     %-*s", width, standings->plan->bots[bot].name);
        for (int kind = GAME_PLAYED + 1; kind < GAME_STOPPED; kind++)
            fprintf(out, " %9lld", (long long)standings->records[bot].faults[kind]);
    }
    fputc('\n', out);
}

static void put_cross_table(const struct standings *standings, FILE *out) {
    unsigned bots = standings->plan->bot_count;
    int width = name_width(standings);
    fprintf(out, "\nScore of the row's bot against the column's, in percent\n     %-*s", width, "");
    for (unsigned i = 0; i < bots; i++) fprintf(out, " %5u", i + 1);
    for (unsigned i = 0; i < bots; i++) {
        fprintf(out, "\n%3u  %-*s", i + 1, width, standings->plan->bots[standings->order[i]].name);
        for (unsigned j = 0; j < bots; j++) {
            struct tally tally = standings_meeting(standings, standings->order[i], standings->order[j], -1);
            struct strength strength;
            strength_of(&tally, &strength);
            if (i == j || !strength.pairs)
                fprintf(out, " %5s", i == j ? "." : "");
            else
                fprintf(out, " %5.1f", 100 * strength.score.value);
        }
    }
    fputc('\n', out);
}

static void put_meeting(const struct standings *standings, int first, int second, FILE *out) {
    struct tally tally = standings_meeting(standings, first, second, -1);
    struct strength strength;
    int64_t points[PENTANOMIAL];
    char elo[ELO_TEXT], span[2 * ELO_TEXT + 4];
    strength_of(&tally, &strength);
    tally_points(&tally, points);
    if (!strength.pairs) return;
    fprintf(out, "  %s - %s\n", standings->plan->bots[first].name, standings->plan->bots[second].name);
    fprintf(
        out,
        "    %lld pairs (0, 1/2, 1, 1 1/2, 2 points: %lld %lld %lld %lld %lld), score %.1f %% +- %.1f, drawn %.1f %%\n",
        (long long)strength.pairs, (long long)points[0], (long long)points[1], (long long)points[2],
        (long long)points[3], (long long)points[4], 100 * strength.score.value, 100 * strength.error,
        100 * strength.draws);
    fprintf(out, "    Elo %s (%s)", elo_text(strength.elo.value, elo), span_text(&strength.elo, span));
    fprintf(out, ", normalized %s (%s)", elo_text(strength.normalized.value, elo),
            span_text(&strength.normalized, span));
    fprintf(out, ", superiority %.1f %%\n", 100 * strength.superiority);
}

/* The better-rated bot first. */
static void put_meetings(const struct standings *standings, FILE *out) {
    fprintf(out, "\nPairings (+- is one standard error, from pairs)\n");
    for (unsigned i = 0; i < standings->plan->bot_count; i++)
        for (unsigned j = i + 1; j < standings->plan->bot_count; j++)
            put_meeting(standings, standings->order[i], standings->order[j], out);
}

static void put_scenarios(const struct report *report, FILE *out) {
    const struct standings *standings = report->standings;
    char elo[ELO_TEXT], span[2 * ELO_TEXT + 4];
    fprintf(out, "\nScenarios (advantage: by how much Elo the Union is better placed)\n");
    fprintf(out, "  %-32s %7s %8s %8s %8s %10s  %s\n", "scenario", "games", "Union", "drawn", "Confed.", "advantage",
            "95 %");
    for (unsigned i = 0; i < standings->plan->scenario_count; i++) {
        const struct field *field = &standings->fields[i];
        double games = (double)(field->games[0] + field->games[1] + field->games[2]);
        fprintf(out, "  %-32s %7.0f ", standings->plan->scenarios[i], games);
        for (int result = 2; result >= 0; result--) {
            put_share(out, games > 0 ? (double)field->games[result] / games : NAN);
            fputc(' ', out);
        }
        fprintf(out, "%10s  %s\n", elo_text(field->advantage.value, elo), span_text(&field->advantage, span));
    }
}

static void put_sprt(const struct standings *standings, FILE *out) {
    const struct sprt *sprt = &standings->plan->sprt;
    const struct sprt_look *look = &standings->sprt;
    if (standings->plan->format != PLAN_SPRT) return;
    fprintf(out, "\nSPRT: %s after %lld pairs: log likelihood ratio %.2f within %.2f (H0) to %.2f (H1)\n",
            sprt_end_name(look->end), (long long)standings->pair_count, look->ratio, look->lower, look->upper);
    if (look->end == SPRT_H0 || look->end == SPRT_H1)
        fputs("  A test that ends early overstates the difference: the ratings above are those of its pairs alone.\n",
              out);
    fprintf(out, "  H0: %s is %+g Elo stronger than %s; H1: %+g; alpha %g, beta %g, cap %lld pairs\n",
            standings->plan->bots[0].name, sprt->elo0, standings->plan->bots[1].name, sprt->elo1, sprt->alpha,
            sprt->beta, (long long)sprt->cap);
}

static void put_saving(const struct standings *standings, FILE *out) {
    const struct interval *saving = &standings->saving;
    if (isnan(saving->value)) {
        fprintf(out, "\nCommon dice: no pair has yet come out differently from another, so nothing can be said.\n");
        return;
    }
    fprintf(out, "\nCommon dice saved %.1f %% of the scores' variance (%.1f to %.1f)", percent(saving->value),
            percent(saving->low), percent(saving->high));
    if (saving->value < 0.999) fprintf(out, ": a game was worth %.2f with dice of their own", 1 / (1 - saving->value));
    fputs(".\n", out);
}

void report_text(const struct report *report, FILE *out) {
    const struct standings *standings = report->standings;
    put_head(standings, out);
    put_ratings(standings, out);
    put_faults(standings, out);
    put_cross_table(standings, out);
    put_meetings(standings, out);
    put_scenarios(report, out);
    put_sprt(standings, out);
    put_saving(standings, out);
}
