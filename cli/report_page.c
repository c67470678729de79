/* report_page.c: standings as one HTML page: tables, and plots drawn as SVG in the page. Nothing is fetched, nothing
 * runs. */
#include "cli/report.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char head[] =
    "<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<style>\n"
    ":root{--ink:#1d232b;--dim:#68707a;--line:#d8dce1;--paper:#fff;--union:#2f6db3;--drawn:#b9bec5;"
    "--confederate:#b0702c}\n"
    "@media (prefers-color-scheme:dark){:root{--ink:#e4e7ea;--dim:#98a0a9;--line:#3a4149;--paper:#16191d;"
    "--union:#6aa5e6;"
    "--drawn:#5d656e;--confederate:#d79a5b}}\n"
    "body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:60rem;margin:2rem auto;"
    "padding:0 1rem}\n"
    "h1{font-size:1.5rem}h2{font-size:1.1rem;margin-top:2rem}p{color:var(--dim)}\n"
    ".wide{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
    "th,td{padding:.2rem .6rem;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}\n"
    "th{font-weight:600;color:var(--dim)}.name{text-align:left}\n"
    "svg{display:block;width:100%;height:auto;font:12px system-ui,sans-serif}svg text{fill:var(--ink)}"
    "svg .dim{fill:var(--dim)}\n"
    ".grid{stroke:var(--line)}.bound{stroke:var(--dim);stroke-dasharray:5 4}"
    ".union{fill:var(--union)}.drawn{fill:var(--drawn)}"
    ".confederate{fill:var(--confederate)}.whisker{stroke:var(--union);stroke-width:2}.curve{fill:none;stroke-width:2}"
    "svg .on{fill:#fff;paint-order:stroke;stroke:#0008;stroke-width:2px}\n"
    "</style>\n";

/* Told apart by people with any colour vision; used again from the ninth on. */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#e69f00", "#56b4e9", "#8c6d4f", "#7f7f7f"};
enum { COLOURS = sizeof colours / sizeof colours[0] };

static void put(FILE *out, const char *text) {
    for (; *text; text++) {
        switch (*text) {
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '&': fputs("&amp;", out); break;
        case '"': fputs("&quot;", out); break;
        default: fputc(*text, out);
        }
    }
}

static void put_name(FILE *out, const char *tag, const char *text) {
    fprintf(out, "<%s class=\"name\">", tag);
    put(out, text);
    fprintf(out, "</%s>", tag);
}

static void put_share(FILE *out, double share) {
    if (isnan(share))
        fputs("<td></td>", out);
    else
        fprintf(out, "<td>%.1f %%</td>", 100 * share);
}

static void put_elo(FILE *out, const struct interval *elo) {
    char value[ELO_TEXT], low[ELO_TEXT], high[ELO_TEXT];
    fprintf(out, "<td>%s</td><td>%s to %s</td>", elo_text(elo->value, value), elo_text(elo->low, low),
            elo_text(elo->high, high));
}

/* ---- Axes ---- */

struct axis {
    double low, high; /* values */
    double from, to;  /* where they are drawn */
};

static double at(const struct axis *axis, double value) {
    return axis->from + (value - axis->low) / (axis->high - axis->low) * (axis->to - axis->from);
}

/* A round step that gives some six marks. */
static double step_of(const struct axis *axis) {
    double rough = (axis->high - axis->low) / 6, power = pow(10, floor(log10(rough)));
    return power * (rough <= power ? 1 : rough <= 2 * power ? 2 : rough <= 5 * power ? 5 : 10);
}

/* Room for all values, by a twentieth more on either side; at least `least` long. */
static struct axis axis_of(double low, double high, double least, double from, double to) {
    double more = fmax((high - low) / 20, (least - (high - low)) / 2);
    return (struct axis){low - more, high + more, from, to};
}

static void put_grid_down(FILE *out, const struct axis *x, double top, double bottom) {
    const double step = step_of(x);
    for (int mark = (int)ceil(x->low / step); mark * step <= x->high; mark++) {
        const double value = mark * step, place = at(x, value);
        fprintf(out, "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>", place, place, top,
                bottom);
        fprintf(out, "<text class=\"dim\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%g</text>\n", place, bottom + 16,
                value);
    }
}

static void put_grid_across(FILE *out, const struct axis *y, double left, double right) {
    const double step = step_of(y);
    for (int mark = (int)ceil(y->low / step); mark * step <= y->high; mark++) {
        const double value = mark * step, place = at(y, value);
        fprintf(out, "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>", left, right, place,
                place);
        fprintf(out, "<text class=\"dim\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n", left - 6, place + 4,
                value);
    }
}

static void begin_plot(FILE *out, double height, const char *what) {
    fprintf(out, "<svg viewBox=\"0 0 900 %.0f\" role=\"img\" aria-label=\"%s\">\n", height, what);
}

/* ---- Ratings ---- */

static void plot_ratings(const struct standings *standings, FILE *out) {
    int bots = (int)standings->plan->bot_count;
    double low = 0, high = 0, bottom = 26.0 * bots + 10;
    for (int bot = 0; bot < bots; bot++) {
        low = fmin(low, standings->records[bot].rating.low); /* fmin passes over NAN */
        high = fmax(high, standings->records[bot].rating.high);
    }
    struct axis x = axis_of(low, high, 20, 220, 880);
    begin_plot(out, bottom + 24, "Ratings in Elo with intervals of 95 percent");
    put_grid_down(out, &x, 4, bottom);
    for (int i = 0; i < bots; i++) {
        int bot = standings->order[i];
        const struct interval *rating = &standings->records[bot].rating;
        double y = 26.0 * i + 20;
        fprintf(out, "<text x=\"200\" y=\"%.1f\" text-anchor=\"end\">", y + 4);
        put(out, standings->plan->bots[bot].name);
        fputs("</text>", out);
        if (!isnan(rating->value))
            fprintf(out,
                    "<line class=\"whisker\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>"
                    "<circle class=\"union\" cx=\"%.1f\" cy=\"%.1f\" r=\"5\"/>",
                    at(&x, rating->low), at(&x, rating->high), y, y, at(&x, rating->value), y);
        fputc('\n', out);
    }
    fputs("</svg>\n", out);
}

static void table_ratings(const struct standings *standings, FILE *out) {
    fputs("<div class=\"wide\"><table><tr><th>#</th><th class=\"name\">bot</th><th>Elo</th><th>95 %</th><th>games</th>"
          "<th>score</th><th>as Union</th><th>as Confederate</th>",
          out);
    for (int kind = GAME_PLAYED + 1; kind < GAME_STOPPED; kind++) fprintf(out, "<th>%s</th>", game_end_name(kind));
    fputs("</tr>\n", out);
    for (unsigned i = 0; i < standings->plan->bot_count; i++) {
        int bot = standings->order[i];
        const struct record *record = &standings->records[bot];
        fprintf(out, "<tr><td>%u</td>", i + 1);
        put_name(out, "td", standings->plan->bots[bot].name);
        put_elo(out, &record->rating);
        fprintf(out, "<td>%lld</td>", (long long)record_games(record));
        for (int side = -1; side < 2; side++) put_share(out, record_score(record, side));
        for (int kind = GAME_PLAYED + 1; kind < GAME_STOPPED; kind++)
            fprintf(out, "<td>%lld</td>", (long long)record->faults[kind]);
        fputs("</tr>\n", out);
    }
    fputs("</table></div>\n", out);
}

/* ---- Results by side ---- */

static void plot_sides(const struct standings *standings, FILE *out) {
    static const char *const classes[] = {"confederate", "drawn", "union"};
    int scenarios = (int)standings->plan->scenario_count;
    begin_plot(out, 30.0 * scenarios + 6, "Share of games won by the Union, drawn, and won by the Confederacy");
    for (int i = 0; i < scenarios; i++) {
        const struct field *field = &standings->fields[i];
        double games = (double)(field->games[0] + field->games[1] + field->games[2]), left = 280, y = 30.0 * i + 4;
        fprintf(out, "<text x=\"268\" y=\"%.1f\" text-anchor=\"end\">", y + 16);
        put(out, standings->plan->scenarios[i]);
        fputs("</text>", out);
        for (int result = 2; result >= 0 && games > 0; result--) {
            double share = (double)field->games[result] / games, width = 600 * share;
            fprintf(out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"22\"/>", classes[result],
                    left, y, width);
            if (share > 0.06)
                fprintf(out, "<text class=\"on\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%.1f %%</text>",
                        left + width / 2, y + 16, 100 * share);
            left += width;
        }
        fputc('\n', out);
    }
    fputs("</svg>\n", out);
}

static void table_sides(const struct report *report, FILE *out) {
    fputs("<div class=\"wide\"><table><tr><th class=\"name\">scenario</th><th class=\"name\">ruleset</th><th>games</th>"
          "<th>Union</th><th>drawn</th><th>Confederate</th><th>Union's advantage, Elo</th><th>95 %</th></tr>\n",
          out);
    for (unsigned i = 0; i < report->standings->plan->scenario_count; i++) {
        const struct field *field = &report->standings->fields[i];
        const struct ledger_scenario *scenario = ledger_scenario(report->ledger, (int)i);
        double games = (double)(field->games[0] + field->games[1] + field->games[2]);
        fputs("<tr>", out);
        put_name(out, "td", report->standings->plan->scenarios[i]);
        fprintf(out, "<td class=\"name\">%s %d</td><td>%.0f</td>", scenario->ruleset, scenario->version, games);
        for (int result = 2; result >= 0; result--)
            put_share(out, games > 0 ? (double)field->games[result] / games : NAN);
        put_elo(out, &field->advantage);
        fputs("</tr>\n", out);
    }
    fputs("</table></div>\n", out);
}

/* ---- Curves over pairs ---- */

enum { POINTS = 100 };

/* Ratings[bot] at each of POINTS moments, evenly spread over the pairs. */
static int read_curves(const struct standings *standings, struct interval *ratings, lr_error *error) {
    for (int i = 0; i < POINTS; i++) {
        int64_t pairs = standings->pair_count * (i + 1) / POINTS;
        int code = standings_at(standings, pairs, ratings + (size_t)i * standings->plan->bot_count, error);
        if (code) return code;
    }
    return LR_OK;
}

static void put_legend(const struct standings *standings, FILE *out) {
    fputs("<p>", out);
    for (unsigned i = 0; i < standings->plan->bot_count; i++) {
        int bot = standings->order[i];
        fprintf(out, "<span style=\"color:%s\">&#9632;</span> ", colours[bot % COLOURS]);
        put(out, standings->plan->bots[bot].name);
        fputs(" &nbsp; ", out);
    }
    fputs("</p>\n", out);
}

static void draw_ratings_over_pairs(const struct standings *standings, const struct interval *ratings, FILE *out) {
    int bots = (int)standings->plan->bot_count;
    double low = 0, high = 0;
    for (int i = POINTS / 20 * bots; i < POINTS * bots; i++) { /* the first few say little and go far */
        low = fmin(low, ratings[i].value);
        high = fmax(high, ratings[i].value);
    }
    struct axis x = {0, (double)standings->pair_count, 60, 870}, y = axis_of(low, high, 20, 300, 8);
    begin_plot(out, 330, "Rating of each bot over the pairs played");
    put_grid_down(out, &x, 8, 300);
    put_grid_across(out, &y, 60, 870);
    for (int bot = 0; bot < bots; bot++) {
        bool drawing = false;
        fprintf(out, "<path class=\"curve\" stroke=\"%s\" d=\"", colours[bot % COLOURS]);
        for (int i = 0; i < POINTS; i++) {
            double value = ratings[i * bots + bot].value;
            if (isnan(value)) continue;
            const long long pairs = (long long)standings->pair_count * (i + 1) / POINTS;
            fprintf(out, "%c%.1f %.1f", drawing ? 'L' : 'M', at(&x, (double)pairs),
                    at(&y, fmax(y.low, fmin(y.high, value))));
            drawing = true;
        }
        fputs("\"/>\n", out);
    }
    fputs("</svg>\n", out);
    put_legend(standings, out);
}

static int plot_ratings_over_pairs(const struct standings *standings, FILE *out, lr_error *error) {
    struct interval *ratings = calloc((size_t)POINTS * standings->plan->bot_count, sizeof *ratings);
    if (!ratings) {
        *error = (lr_error){.code = LR_E_MEMORY, .text = "no memory for the plot of ratings over pairs"};
        return LR_E_MEMORY;
    }
    fputs("<h2>Ratings over pairs</h2>\n", out);
    int code = read_curves(standings, ratings, error);
    if (!code) draw_ratings_over_pairs(standings, ratings, out);
    free(ratings);
    return code;
}

static void put_bound(FILE *out, const struct axis *y, double value, const char *name) {
    fprintf(out,
            "<line class=\"bound\" x1=\"60\" x2=\"870\" y1=\"%.1f\" y2=\"%.1f\"/><text x=\"64\" y=\"%.1f\">%s</text>\n",
            at(y, value), at(y, value), at(y, value) - 4, name);
}

static void plot_sprt(const struct standings *standings, FILE *out) {
    const struct sprt *sprt = &standings->plan->sprt;
    const struct sprt_look *end = &standings->sprt;
    struct axis x = {0, fmax(1, (double)standings->pair_count), 60, 870};
    struct axis y = axis_of(fmin(end->lower, end->ratio), fmax(end->upper, end->ratio), 1, 300, 8);
    struct tally tally = {0};
    fprintf(out, "<h2>SPRT: %s</h2>\n<p>%lld pairs; H0 %+g Elo, H1 %+g Elo; log likelihood ratio %.2f</p>\n",
            sprt_end_name(end->end), (long long)standings->pair_count, sprt->elo0, sprt->elo1, end->ratio);
    begin_plot(out, 330, "Log likelihood ratio over pairs, with the bounds of H0 and H1");
    put_grid_down(out, &x, 8, 300);
    put_grid_across(out, &y, 60, 870);
    put_bound(out, &y, end->lower, "H0");
    put_bound(out, &y, end->upper, "H1");
    fprintf(out, "<path class=\"curve\" stroke=\"%s\" d=\"M%.1f %.1f", colours[0], at(&x, 0), at(&y, 0));
    int64_t every = standings->pair_count / 1000 + 1;
    for (int64_t i = 0; i < standings->pair_count; i++) {
        const struct pair_result *pair = &standings->pairs[i];
        tally_pair(&tally, pair->as_union, pair->as_confederate);
        if (i % every && i + 1 < standings->pair_count) continue;
        double ratio = sprt_look(sprt, &tally).ratio;
        fprintf(out, "L%.1f %.1f", at(&x, (double)i + 1), at(&y, fmax(y.low, fmin(y.high, ratio))));
    }
    fputs("\"/>\n</svg>\n", out);
}

/* ---- Pairings ---- */

static void table_cross(const struct standings *standings, FILE *out) {
    unsigned bots = standings->plan->bot_count;
    fputs("<h2>Cross table</h2>\n<p>Score of the row's bot against the column's, in percent</p>\n"
          "<div class=\"wide\"><table><tr><th></th><th class=\"name\">bot</th>",
          out);
    for (unsigned i = 0; i < bots; i++) fprintf(out, "<th>%u</th>", i + 1);
    fputs("</tr>\n", out);
    for (unsigned i = 0; i < bots; i++) {
        fprintf(out, "<tr><td>%u</td>", i + 1);
        put_name(out, "td", standings->plan->bots[standings->order[i]].name);
        for (unsigned j = 0; j < bots; j++) {
            struct tally tally = standings_meeting(standings, standings->order[i], standings->order[j], -1);
            struct strength strength;
            strength_of(&tally, &strength);
            if (i == j || !strength.pairs)
                fputs("<td></td>", out);
            else
                fprintf(out, "<td>%.1f</td>", 100 * strength.score.value);
        }
        fputs("</tr>\n", out);
    }
    fputs("</table></div>\n", out);
}

static void row_meeting(const struct standings *standings, int first, int second, FILE *out) {
    struct tally tally = standings_meeting(standings, first, second, -1);
    struct strength strength;
    int64_t points[PENTANOMIAL];
    strength_of(&tally, &strength);
    tally_points(&tally, points);
    if (!strength.pairs) return;
    fputs("<tr>", out);
    put_name(out, "td", standings->plan->bots[first].name);
    put_name(out, "td", standings->plan->bots[second].name);
    fprintf(out, "<td>%lld</td>", (long long)strength.pairs);
    for (int i = 0; i < PENTANOMIAL; i++) fprintf(out, "<td>%lld</td>", (long long)points[i]);
    fprintf(out, "<td>%.1f &plusmn; %.1f</td>", 100 * strength.score.value, 100 * strength.error);
    put_elo(out, &strength.elo);
    put_share(out, strength.superiority);
    put_share(out, strength.draws);
    fputs("</tr>\n", out);
}

static void table_meetings(const struct standings *standings, FILE *out) {
    fputs("<h2>Pairings</h2>\n<p>Pairs by the first bot's points; score with its standard error over pairs</p>\n"
          "<div class=\"wide\"><table><tr><th class=\"name\">first</th><th class=\"name\">second</th>"
          "<th>pairs</th><th>0</th>"
          "<th>&frac12;</th><th>1</th><th>1&frac12;</th><th>2</th><th>score</th><th>Elo</th><th>95 %</th>"
          "<th>superiority</th><th>drawn</th></tr>\n",
          out);
    for (unsigned i = 0; i < standings->plan->bot_count; i++)
        for (unsigned j = i + 1; j < standings->plan->bot_count; j++)
            row_meeting(standings, standings->order[i], standings->order[j], out);
    fputs("</table></div>\n", out);
}

/* ---- The page ---- */

static void put_title(const struct standings *standings, FILE *out) {
    const struct plan *plan = standings->plan;
    const char *name = plan->name ? plan->name : "Tournament";
    fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<title>", out);
    put(out, name);
    fprintf(out, "</title>\n%s</head>\n<body>\n<h1>", head);
    put(out, name);
    fprintf(out, "</h1>\n<p>%s, %lld of %lld games, %lld pairs, seed %llu. Elo by Bradley-Terry with a side term, ",
            plan_format_name(plan->format), (long long)standings->games, (long long)standings->expected,
            (long long)standings->pair_count, (unsigned long long)plan->seed);
    put(out, plan->bots[standings->anchor].name);
    fputs(" = 0; intervals of 95 % by bootstrap over pairs.</p>\n", out);
}

static void put_saving(const struct standings *standings, FILE *out) {
    const struct interval *saving = &standings->saving;
    if (!isnan(saving->value))
        fprintf(out, "<p>Common dice saved %.1f %% (%.1f to %.1f) of the scores' variance.</p>\n", 100 * saving->value,
                100 * saving->low, 100 * saving->high);
}

int report_page(const struct report *report, FILE *out, lr_error *error) {
    const struct standings *standings = report->standings;
    put_title(standings, out);
    fputs("<h2>Ratings</h2>\n", out);
    plot_ratings(standings, out);
    table_ratings(standings, out);
    fputs("<h2>Results by side</h2>\n", out);
    plot_sides(standings, out);
    table_sides(report, out);
    put_saving(standings, out);
    if (standings->plan->format == PLAN_SPRT) plot_sprt(standings, out);
    if (standings->pair_count && plot_ratings_over_pairs(standings, out, error)) return LR_E_MEMORY;
    table_cross(standings, out);
    table_meetings(standings, out);
    fputs("</body>\n</html>\n", out);
    return LR_OK;
}
