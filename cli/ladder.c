/* ladder.c: `longroll ladder`: makes the calibrated ladder from a tournament's ledger: a page for people, a file for
 * `rate`. agents/ladder.sh plays that tournament. */
#include "agents/ladder.h"
#include "cli/cli.h"
#include "cli/report.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct ladder_options {
    const char *ledger, *page, *data, *anchor;
};

enum { OPTION_PAGE = 256, OPTION_DATA, OPTION_ANCHOR };

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct ladder_options *options = state->input;
    switch (key) {
    case OPTION_PAGE: options->page = argument; return 0;
    case OPTION_DATA: options->data = argument; return 0;
    case OPTION_ANCHOR: options->anchor = argument; return 0;
    case ARGP_KEY_ARG:
        if (options->ledger) return options_fault("ladder takes one LEDGER: what is '%s'?", argument);
        options->ledger = argument;
        return 0;
    case ARGP_KEY_NO_ARGS: return options_fault("ladder needs a LEDGER; agents/ladder.sh plays and makes all of it");
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option option_table[] = {
    {"page", OPTION_PAGE, "FILE", 0, "Write the page for people (Markdown) there (default: stdout)", 0},
    {"data", OPTION_DATA, "FILE", 0, "Write the file for longroll rate there (default: nowhere)", 0},
    {"anchor", OPTION_ANCHOR, "BOT", 0, "The bot that is 0 Elo (default: greedy, else random, else the last one)", 0},
    {0},
};

static const struct argp argp = {
    .options = option_table,
    .parser = parse,
    .args_doc = "LEDGER",
    .doc = "Makes the calibrated ladder from the ledger of a finished round robin: ratings with intervals in "
           "each scenario "
           "and on each side, and whether each budget of a searcher is stronger than the one before."
           "\vExample:\n  longroll ladder ladder.db --page agents/LADDER.md --data agents/ladder.yaml"
           "\n\nExit codes: 0 done; 1 the ledger cannot be read or is not complete, or a file not written; "
           "2 bad option, no "
           "such ledger or bot.",
};

/* ---- The page ---- */

static void put_elo(FILE *out, const struct interval *elo, const char *after) {
    char value[ELO_TEXT], low[ELO_TEXT], high[ELO_TEXT];
    if (isnan(elo->value))
        fputs(" -", out);
    else if (elo->low == elo->high)
        fputs(" 0", out); /* the anchor */
    else
        fprintf(out, " %s (%s to %s)", elo_text(elo->value, value), elo_text(elo->low, low), elo_text(elo->high, high));
    fputs(after, out);
}

static void put_score(FILE *out, double share) {
    if (isnan(share))
        fputs(" - |", out);
    else
        fprintf(out, " %.1f %% |", 100 * share);
}

/* A bot's points a game in one scenario (-1: all). */
static double score_in(const struct standings *standings, int bot, int scenario) {
    struct tally sum = {0};
    struct strength strength;
    for (int other = 0; other < (int)standings->plan->bot_count; other++) {
        struct tally tally = standings_meeting(standings, bot, other, scenario);
        tally_add(&sum, &tally);
    }
    strength_of(&sum, &strength);
    return strength.pairs ? strength.score.value : NAN;
}

/* Best first. */
static void order_by(const struct interval *ratings, int count, int *order) {
    for (int i = 0; i < count; i++) {
        int at = i;
        for (; at > 0 && ratings[order[at - 1]].value < ratings[i].value; at--) order[at] = order[at - 1];
        order[at] = i;
    }
}

static int put_ratings(FILE *out, const struct standings *standings, int scenario, lr_error *error) {
    struct interval together[PLAN_BOTS], by_side[2 * PLAN_BOTS];
    int order[PLAN_BOTS], bots = (int)standings->plan->bot_count;
    int code = standings_in(standings, scenario, together, error);
    if (!code) code = standings_by_side(standings, scenario, by_side, error);
    if (code) return code;
    order_by(together, bots, order);
    fputs("| bot | Elo (95 %) | as the Union | as the Confederate | score |\n| --- | --- | --- | --- | --- |\n", out);
    for (int i = 0; i < bots; i++) {
        int bot = order[i];
        fprintf(out, "| %s |", standings->plan->bots[bot].name);
        put_elo(out, &together[bot], " |");
        put_elo(out, &by_side[2 * bot + LR_UNION], " |");
        put_elo(out, &by_side[2 * bot + LR_CONFEDERATE], " |");
        put_score(out, score_in(standings, bot, scenario));
        fputc('\n', out);
    }
    return LR_OK;
}

static int put_scenario(FILE *out, const struct report *report, int index, lr_error *error) {
    const struct ledger_scenario *scenario = ledger_scenario(report->ledger, index);
    const struct field *field = &report->standings->fields[index];
    double games = (double)(field->games[0] + field->games[1] + field->games[2]);
    fprintf(out,
            "\n## %s\n\nHash %016" PRIx64
            ", %.0f games: the Union won %.1f %%, %.1f %% were drawn. Advantage of the Union",
            scenario->name, scenario->hash, games, 100 * (double)field->games[2] / games,
            100 * (double)field->games[1] / games);
    put_elo(out, &field->advantage, " Elo");
    fputs(".\n\n", out);
    return put_ratings(out, report->standings, index, error);
}

/* Both are the same agent with other options. */
static bool same_agent(const struct plan_bot *one, const struct plan_bot *other) {
    size_t length = strcspn(one->spec, ":");
    return length == strcspn(other->spec, ":") && one->spec[length] && strncmp(one->spec, other->spec, length) == 0;
}

static void put_step(FILE *out, const struct standings *standings, int bot, int scenario) {
    struct tally tally = standings_meeting(standings, bot + 1, bot, scenario);
    struct strength strength;
    strength_of(&tally, &strength);
    if (!strength.pairs) return;
    fprintf(out, "| %s | %s | %s | %" PRId64 " |", standings->plan->bots[bot + 1].name, standings->plan->bots[bot].name,
            scenario < 0 ? "all" : standings->plan->scenarios[scenario], strength.pairs);
    put_score(out, strength.score.value);
    put_elo(out, &strength.elo, " |");
    fprintf(out, " %.2f %% |\n", 100 * strength.superiority);
}

/* The plan has each agent's budgets in ascending order. */
static void put_steps(FILE *out, const struct standings *standings) {
    const struct plan *plan = standings->plan;
    fputs("\n## Budgets\n\nEach budget against the one before, in their own games. Superiority is the "
          "likelihood that the larger "
          "one is stronger.\n\n| bot | against | scenario | pairs | score | Elo (95 %) | superiority |\n"
          "| --- | --- | --- | --- | --- | --- | --- |\n",
          out);
    for (unsigned bot = 0; bot + 1 < plan->bot_count; bot++) {
        if (!same_agent(&plan->bots[bot], &plan->bots[bot + 1])) continue;
        for (int scenario = plan->scenario_count > 1 ? -1 : 0; scenario < (int)plan->scenario_count; scenario++)
            put_step(out, standings, (int)bot, scenario);
    }
}

static void put_head(FILE *out, const struct report *report) {
    const struct standings *standings = report->standings;
    const struct plan *plan = standings->plan;
    const struct ledger_scenario *scenario = ledger_scenario(report->ledger, 0);
    char hours[32];
    double thought = 0;
    for (unsigned bot = 0; bot < plan->bot_count; bot++) thought += (double)standings->records[bot].thought_us;
    snprintf(hours, sizeof hours, "%.1f", thought / 3.6e9);
    fprintf(
        out,
        "# The ladder\n\n"
        "A frozen set of bots and their ratings, made by `agents/ladder.sh`; do not edit. `longroll rate BOT` places a "
        "newcomer on it.\nIt holds for %s version %d and the scenario hashes below, and is void with any other: `rate` "
        "then refuses it.\n\n"
        "%" PRId64 " games, %d pairs for each pairing and scenario on common dice with sides swapped, seed %" PRIu64
        "; the bots thought for %s hours in all. Elo is\n"
        "Bradley and Terry's with a side term, %s = 0; intervals are of 95 %%, by bootstrap over pairs. By side, each "
        "bot has two\nratings, relative to %s on that side. ",
        scenario->ruleset, scenario->version, standings->games, plan->rounds, plan->seed, hours,
        plan->bots[standings->anchor].name, plan->bots[standings->anchor].name);
    if (!isnan(standings->saving.value))
        fprintf(out, "Common dice saved %.0f %% (%.0f to %.0f) of the\nscores' variance.",
                100 * standings->saving.value, 100 * standings->saving.low, 100 * standings->saving.high);
    fputs("\n\n| bot | spec | ms a game |\n| --- | --- | --- |\n", out);
    for (unsigned bot = 0; bot < plan->bot_count; bot++) {
        const struct record *record = &standings->records[bot];
        fprintf(out, "| %s | `%s` | %.1f |\n", plan->bots[bot].name, plan->bots[bot].spec,
                (double)record->thought_us / 1000 / (double)record_games(record));
    }
}

static int put_page(FILE *out, const struct report *report, lr_error *error) {
    const struct standings *standings = report->standings;
    int code = LR_OK;
    put_head(out, report);
    if (standings->plan->scenario_count > 1) {
        fputs("\n## All scenarios\n\n", out);
        code = put_ratings(out, standings, -1, error);
    }
    for (unsigned i = 0; i < standings->plan->scenario_count && !code; i++)
        code = put_scenario(out, report, (int)i, error);
    if (!code) put_steps(out, standings);
    return code;
}

/* ---- The command ---- */

static int write_page(const struct report *report, const char *path) {
    char *text = NULL;
    size_t length = 0;
    lr_error error;
    FILE *out = open_memstream(&text, &length);
    if (!out) return fail(EXIT_FAULT, "no memory for the page");
    int code = put_page(out, report, &error) ? fail_library(&error) : EXIT_DONE;
    if (fclose(out) && !code) code = fail(EXIT_FAULT, "no memory for the page");
    if (!code && !path) fwrite(text, 1, length, stdout);
    if (!code && path && lr_file_write(path, text, length, &error)) code = fail_library(&error);
    free(text);
    return code;
}

static int write_data(const struct report *report, const char *path) {
    char *text;
    lr_error error;
    if (ladder_text(report->ledger, report->standings, &text, &error)) return fail_library(&error);
    int code = lr_file_write(path, text, strlen(text), &error) ? fail_library(&error) : EXIT_DONE;
    free(text);
    return code;
}

static int write_ladder(const struct report *report, const struct ladder_options *options) {
    const struct standings *standings = report->standings;
    if (standings->plan->format != PLAN_ROUND_ROBIN)
        return fail(EXIT_FAULT, "%s is a %s: a ladder is made from a round robin", options->ledger,
                    plan_format_name(standings->plan->format));
    if (standings->games < standings->expected)
        return fail(EXIT_FAULT, "%s has %lld of %lld games: longroll tournament --resume plays the rest",
                    options->ledger, (long long)standings->games, (long long)standings->expected);
    int code = options->data ? write_data(report, options->data) : EXIT_DONE;
    return code ? code : write_page(report, options->page);
}

int ladder_run(int argc, char **argv) {
    struct ladder_options options = {0};
    struct report report = {0};
    struct standings *standings;
    lr_error error;
    if (!options_parse("longroll ladder", &argp, argc, argv, &options)) return EXIT_USAGE;
    if (ledger_open(options.ledger, &report.ledger, &error)) return fail_not_found(&error);
    int code = EXIT_DONE;
    if (standings_read(report.ledger, options.anchor, &standings, &error)) {
        code = fail_not_found(&error);
    } else {
        report.standings = standings;
        code = write_ladder(&report, &options);
        standings_close(standings);
    }
    ledger_close(report.ledger);
    return code;
}
