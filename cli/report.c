/* report.c: `longroll report`: what a tournament's ledger says, in one of several forms. A running tournament's ledger
 * may be looked at too. The form is made in memory and written whole. */
#include "cli/report.h"
#include "cli/cli.h"
#include <stdlib.h>
#include <string.h>

enum form { FORM_TEXT, FORM_JSON, FORM_CSV, FORM_GAMES, FORM_HTML, FORM_PGN, FORMS };
static const char *const form_names[FORMS] = {"text", "json", "csv", "games", "html", "pgn"};

struct report_options {
    const char *ledger, *out, *anchor;
    int form; /* enum form */
};

enum { OPTION_JSON = 256, OPTION_ANCHOR };

static error_t parse_form(const char *name, int *form) {
    for (int i = 0; i < FORMS; i++) {
        if (strcmp(form_names[i], name) != 0) continue;
        *form = i;
        return 0;
    }
    return options_fault("--format takes text, json, csv, games, html or pgn, not '%s'", name);
}

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct report_options *options = state->input;
    switch (key) {
    case 'f': return parse_form(argument, &options->form);
    case 'o': options->out = argument; return 0;
    case OPTION_ANCHOR: options->anchor = argument; return 0;
    case OPTION_JSON: options->form = FORM_JSON; return 0;
    case ARGP_KEY_ARG:
        if (options->ledger) return options_fault("report takes one LEDGER: what is '%s'?", argument);
        options->ledger = argument;
        return 0;
    case ARGP_KEY_NO_ARGS: return options_fault("report needs a LEDGER, as longroll tournament writes it");
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option option_table[] = {
    {"format", 'f', "FORM", 0,
     "text (default); json; csv: the ratings; games: a CSV row for each game; html: one page with plots, nothing "
     "fetched; "
     "pgn: tags and results, for Ordo, BayesElo and other rating tools, with the Union as White",
     0},
    {"json", OPTION_JSON, 0, 0, "The same as --format json", 0},
    {"out", 'o', "FILE", 0, "Write into FILE, whole or not at all, instead of stdout", 0},
    {"anchor", OPTION_ANCHOR, "BOT", 0, "The bot that is 0 Elo (default: greedy, else random, else the last one)", 0},
    {0},
};

static const struct argp argp = {
    .options = option_table,
    .parser = parse,
    .args_doc = "LEDGER",
    .doc =
        "Says who is how strong in a tournament: ratings, cross table, results by side, faults, SPRT, and how much "
        "variance common dice saved. Counted from the ledger's games alone, so a running or broken-off tournament "
        "has a report too."
        "\vExample:\n  longroll report league.db --format html --out league.html"
        "\n\nExit codes: 0 done; 1 the ledger cannot be read, or the report not written; 2 bad option, no such ledger "
        "or bot.",
};

static int write_json(const struct report *report, FILE *out, lr_error *error) {
    json_t *json = report_json(report);
    if (!json) {
        *error = (lr_error){.code = LR_E_MEMORY,
                            .text = "the JSON report cannot be made: no memory, or a name in it is not UTF-8"};
        return LR_E_MEMORY;
    }
    json_dumpf(json, out, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    fputc('\n', out);
    json_decref(json);
    return LR_OK;
}

static int write_form(const struct report *report, int form, FILE *out, lr_error *error) {
    switch (form) {
    case FORM_JSON: return write_json(report, out, error);
    case FORM_CSV: report_ratings_csv(report, out); return LR_OK;
    case FORM_GAMES: return report_games_csv(report, out, error);
    case FORM_HTML: return report_page(report, out, error);
    case FORM_PGN: return report_pgn(report, out, error);
    default: report_text(report, out); return LR_OK;
    }
}

static int write_report(const struct report *report, const struct report_options *options) {
    char *text = NULL;
    size_t length = 0;
    lr_error error;
    FILE *out = open_memstream(&text, &length);
    if (!out) return fail(EXIT_FAULT, "no memory for the report");
    int code = write_form(report, options->form, out, &error) ? fail_library(&error) : EXIT_DONE;
    if (fclose(out) && !code) code = fail(EXIT_FAULT, "no memory for the report");
    if (!code && !options->out) fwrite(text, 1, length, stdout);
    if (!code && options->out && lr_file_write(options->out, text, length, &error)) code = fail_library(&error);
    free(text);
    return code;
}

int report_run(int argc, char **argv) {
    struct report_options options = {.form = FORM_TEXT};
    struct report report = {0};
    struct standings *standings;
    lr_error error;
    if (!options_parse("longroll report", &argp, argc, argv, &options)) return EXIT_USAGE;
    if (ledger_open(options.ledger, &report.ledger, &error)) return fail_not_found(&error);
    int code = EXIT_DONE;
    if (standings_read(report.ledger, options.anchor, &standings, &error)) {
        code = fail_not_found(&error);
    } else {
        report.standings = standings;
        code = write_report(&report, &options);
        standings_close(standings);
    }
    ledger_close(report.ledger);
    return code;
}
