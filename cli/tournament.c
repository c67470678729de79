/* tournament.c: `longroll tournament`: plays a plan into a ledger, or what is left of one, with a live table on stderr.
 *
 * The first SIGINT or SIGTERM lets the running games finish, a second one breaks them off, a third one ends the program
 * at once, which costs no finished game either. */
#include "agents/tournament.h"
#include "cli/cli.h"
#include "cli/live.h"
#include "cli/report.h"
#include "env/game.h"
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct tournament_options {
    struct plan *plan;    /* as the options say it */
    const char *planning; /* the first option that belongs to a plan; NULL: none was given */
    const char *file, *ledger, *log;
    int workers; /* 0: not said */
    bool resume, json, quiet;
    lr_error error;
};

enum {
    OPTION_BOT = 256,
    OPTION_ROUNDS,
    OPTION_CHALLENGERS,
    OPTION_ELO0,
    OPTION_ELO1,
    OPTION_ALPHA,
    OPTION_BETA,
    OPTION_CAP,
    OPTION_MOVE,
    OPTION_GAME,
    OPTION_INCREMENT,
    OPTION_MARGIN,
    OPTION_START,
    OPTION_NODES,
    OPTION_NAME,
    OPTION_RESUME,
    OPTION_LOG,
    OPTION_JSON,
    OPTION_QUIET
};

/* ---- The command line ---- */

static const struct argp_option option_table[] = {
    {0, 0, 0, 0, "The plan, if not from a file:", 1},
    {"bots", 'b', "A,B,...", 0, "Bots by their specs; the spec is the name", 1},
    {"bot", OPTION_BOT, "[NAME=]SPEC", 0, "One bot more; for specs with commas, and for names", 1},
    {"scenario", 's', "SCENARIO", 0, "To play on; may stand several times", 1},
    {"format", 'f', "FORMAT", 0, "round-robin (default), gauntlet, sprt", 1},
    {"rounds", OPTION_ROUNDS, "N", 0, "Pairs of games for each pairing and scenario (not for sprt)", 1},
    {"challengers", OPTION_CHALLENGERS, "N", 0, "gauntlet: the first N bots meet all others (default 1)", 1},
    {"elo0", OPTION_ELO0, "ELO", 0, "sprt: H0 is that the first bot is stronger by this", 1},
    {"elo1", OPTION_ELO1, "ELO", 0, "sprt: and H1 by this", 1},
    {"alpha", OPTION_ALPHA, "SHARE", 0, "sprt: how often H1 may be wrong (default 0.05)", 1},
    {"beta", OPTION_BETA, "SHARE", 0, "sprt: how often H0 may be wrong (default 0.05)", 1},
    {"cap", OPTION_CAP, "N", 0, "sprt: the pairs after which it ends undecided", 1},
    {"move-ms", OPTION_MOVE, "MS", 0, "Clock: for a decision", 1},
    {"game-ms", OPTION_GAME, "MS", 0, "Clock: for all of a bot's decisions in a game", 1},
    {"increment-ms", OPTION_INCREMENT, "MS", 0, "Clock: added after each decision", 1},
    {"margin-ms", OPTION_MARGIN, "MS", 0, "Clock: forgiven before a flag falls", 1},
    {"start-ms", OPTION_START, "MS", 0, "Clock: for a program to start (default 10000)", 1},
    {"nodes", OPTION_NODES, "N", 0, "What programs are asked to keep to in a decision", 1},
    {"seed", 'S', "N", 0, "Root seed, decimal or 0x... (default 1)", 1},
    {"name", OPTION_NAME, "NAME", 0, "A title for reports", 1},
    {0, 0, 0, 0, "The run:", 2},
    {"out", 'o', "LEDGER", 0, "Where the games go: a new file, or with --resume one that is there", 2},
    {"resume", OPTION_RESUME, 0, 0, "Go on with the ledger; with a plan, start it if there is none yet", 2},
    {"workers", 'w', "N", 0, "Games at a time (default: one a core); results do not depend on it", 2},
    {"log", OPTION_LOG, "FILE", 0, "Append what bots that are programs say on stderr", 2},
    {"json", OPTION_JSON, 0, 0, "Print the final report as JSON, as longroll report --json does", 2},
    {"quiet", OPTION_QUIET, 0, 0, "No live table", 2},
    {0},
};

/* NAME= ends before the first colon: what follows that belongs to the spec. */
static size_t name_length(const char *bot) {
    const size_t length = strcspn(bot, "=:");
    return bot[length] == '=' ? length : 0;
}

static error_t plan_fault(const struct tournament_options *options) { return options_fault("%s", options->error.text); }

static error_t add_bot(struct tournament_options *options, const char *bot) {
    const size_t length = name_length(bot);
    char name[PLAN_NAME + 2];
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), bot);
    const char *spec = bot + (length ? length + 1 : 0);
    return plan_add_bot(options->plan, length ? name : NULL, spec, &options->error) ? plan_fault(options) : 0;
}

static error_t add_bots(struct tournament_options *options, char *list) {
    error_t fault = 0;
    for (char *bot = strtok(list, ","); bot && !fault; bot = strtok(NULL, ",")) {
        if (name_length(bot))
            return options_fault("--bots takes specs between commas: write the bot around '%.60s' as --bot [NAME=]SPEC",
                                 bot);
        fault = add_bot(options, bot);
    }
    return fault;
}

static error_t take_format(const char *name, int *format) {
    for (int i = PLAN_ROUND_ROBIN; i <= PLAN_SPRT; i++) {
        if (strcmp(plan_format_name(i), name) != 0) continue;
        *format = i;
        return 0;
    }
    return options_fault("--format takes round-robin, gauntlet or sprt, not '%s'", name);
}

static error_t take_real(const char *what, const char *text, double *value) {
    char *end;
    *value = strtod(text, &end);
    if (end == text || *end || !isfinite(*value)) return options_fault("%s takes a number, not '%s'", what, text);
    return 0;
}

static error_t take_ms(const char *what, const char *text, int64_t *us) {
    int ms;
    const error_t fault = options_int(what, text, 0, 86400000, &ms);
    if (!fault) *us = INT64_C(1000) * ms;
    return fault;
}

static error_t take_name(struct tournament_options *options, const char *name) {
    free(options->plan->name);
    options->plan->name = strdup(name);
    return options->plan->name ? 0 : ENOMEM;
}

/* The options that make a plan. */
static error_t parse_plan(int key, char *argument, struct tournament_options *options) {
    struct plan *plan = options->plan;
    uint64_t cap;
    error_t fault;
    switch (key) {
    case 'b': return add_bots(options, argument);
    case OPTION_BOT: return add_bot(options, argument);
    case 's': return plan_add_scenario(plan, argument, &options->error) ? plan_fault(options) : 0;
    case 'f': return take_format(argument, &plan->format);
    case OPTION_ROUNDS: return options_int("--rounds", argument, 1, PLAN_ROUNDS, &plan->rounds);
    case OPTION_CHALLENGERS: return options_int("--challengers", argument, 1, PLAN_BOTS, &plan->challengers);
    case OPTION_ELO0: return take_real("--elo0", argument, &plan->sprt.elo0);
    case OPTION_ELO1: return take_real("--elo1", argument, &plan->sprt.elo1);
    case OPTION_ALPHA: return take_real("--alpha", argument, &plan->sprt.alpha);
    case OPTION_BETA: return take_real("--beta", argument, &plan->sprt.beta);
    case OPTION_CAP:
        fault = options_number("--cap", argument, 1, 50000000, &cap);
        if (!fault) plan->sprt.cap = (int64_t)cap;
        return fault;
    case OPTION_MOVE: return take_ms("--move-ms", argument, &plan->clock.move_us);
    case OPTION_GAME: return take_ms("--game-ms", argument, &plan->clock.game_us);
    case OPTION_INCREMENT: return take_ms("--increment-ms", argument, &plan->clock.increment_us);
    case OPTION_MARGIN: return take_ms("--margin-ms", argument, &plan->clock.margin_us);
    case OPTION_START: return take_ms("--start-ms", argument, &plan->clock.start_us);
    case OPTION_NODES: return options_number("--nodes", argument, 0, UINT64_MAX, &plan->clock.nodes);
    case 'S': return options_number("--seed", argument, 0, UINT64_MAX, &plan->seed);
    case OPTION_NAME: return take_name(options, argument);
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const char *option_name(int key) {
    for (const struct argp_option *option = option_table; option->name || option->doc; option++)
        if (option->key == key) return option->name;
    return "?";
}

/* What the command line asks for is one of: a plan file, a plan in options, a ledger alone. */
static error_t check_request(struct tournament_options *options) {
    if (options->resume && !options->ledger && options->file && !options->planning) {
        options->ledger = options->file;
        options->file = NULL;
    }
    if (options->file && options->planning)
        return options_fault("--%s is part of the plan: write it into %s", options->planning, options->file);
    if (!options->ledger) return options_fault("tournament needs --out LEDGER, where its games go");
    if (!options->file && !options->planning && !options->resume)
        return options_fault("tournament needs a plan: PLAN.yaml, or --bots, --scenario and --rounds");
    return 0;
}

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct tournament_options *options = state->input;
    switch (key) {
    case 'o': options->ledger = argument; return 0;
    case OPTION_RESUME: options->resume = true; return 0;
    case 'w': return options_int("--workers", argument, 1, 1024, &options->workers);
    case OPTION_LOG: options->log = argument; return 0;
    case OPTION_JSON: options->json = true; return 0;
    case OPTION_QUIET: options->quiet = true; return 0;
    case ARGP_KEY_ARG:
        if (options->file) return options_fault("tournament takes one PLAN: what is '%s'?", argument);
        options->file = argument;
        return 0;
    case ARGP_KEY_END: return check_request(options);
    default: break;
    }
    const error_t fault = parse_plan(key, argument, options);
    if (fault != ARGP_ERR_UNKNOWN && !options->planning) options->planning = option_name(key);
    return fault;
}

static const struct argp argp = {
    .options = option_table,
    .parser = parse,
    .args_doc = "[PLAN.yaml]\n--resume LEDGER",
    .doc =
        "Plays a tournament between bots in pairs of games: same scenario, same dice, sides swapped. Every finished game goes "
        "into the ledger, an SQLite file, from which a tournament that was stopped, killed or cut off goes on without "
        "losing or repeating a game. agents/TOURNAMENTS.md says how plans and ledgers look."
        "\vExamples:\n"
        "  longroll tournament --bots greedy,random --scenario cedar-mountain/gate --rounds 500 --out gate.db\n"
        "  longroll tournament league.yaml --out league.db\n"
        "  longroll tournament --resume league.db\n"
        "  longroll report league.db\n"
        "\nThe first Ctrl-C lets the running games finish, a second one breaks them off.\n"
        "\nExit codes: 0 all played; 1 stopped, or it could not be played or written; 2 bad option or plan, unknown "
        "scenario or bot.",
};

/* ---- The command that goes on ---- */

/* A word as a shell takes it. */
static void put_word(const char *word, FILE *out) {
    if (*word &&
        strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./+:@%,=") == strlen(word)) {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (; *word; word++) fputs(*word == '\'' ? "'\\''" : (const char[]){*word, 0}, out);
    fputc('\'', out);
}

static char *resume_command(const struct tournament_options *options) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    put_word(program_invocation_name, out);
    fputs(" tournament --resume ", out);
    if (options->ledger[0] == '-') fputs("./", out);
    put_word(options->ledger, out);
    if (options->workers) fprintf(out, " --workers %d", options->workers);
    if (options->log) {
        fputs(" --log ", out);
        put_word(options->log, out);
    }
    if (options->json) fputs(" --json", out);
    if (options->quiet) fputs(" --quiet", out);
    fclose(out);
    return text;
}

/* ---- Playing ---- */

struct sitting {
    struct tournament_options *options;
    struct plan *plan; /* NULL: what the ledger says */
    lr_game **games;
    unsigned count;
    struct ledger *ledger;
    FILE *log;
    const atomic_int *stop;
};

/* What was named by the user and is not there, or not so: EXIT_USAGE. */
static int fail_request(const lr_error *error) {
    const bool asked = error->code == LR_E_NOT_FOUND || error->code == LR_E_ARGUMENT || error->code == LR_E_SCENARIO;
    return fail(asked ? EXIT_USAGE : EXIT_FAULT, "%s", error->text);
}

static int open_games(struct sitting *sitting, const struct plan *plan, lr_error *error) {
    sitting->games = calloc(plan->scenario_count, sizeof(lr_game *));
    if (!sitting->games) return lr_fail(error, LR_E_MEMORY, "no memory for %u scenarios", plan->scenario_count);
    sitting->count = plan->scenario_count;
    int code = LR_OK;
    for (unsigned i = 0; i < plan->scenario_count && !code; i++)
        code = lr_game_open(plan->scenarios[i], &sitting->games[i], error);
    return code;
}

static int read_file(const char *path, struct plan **plan, lr_error *error) {
    char *text;
    size_t length;
    int code = lr_file_read(path, 1 << 20, &text, &length, error);
    if (code) return code;
    code = plan_read(path, text, length, plan, error);
    free(text);
    return code;
}

/* Through its text, so that a plan from options is one that a ledger can keep. */
static int read_options(const struct plan *from, struct plan **plan, lr_error *error) {
    char *text = plan_text(from);
    if (!text) return lr_fail(error, LR_E_MEMORY, "no memory for a plan");
    const int code = plan_read("the plan from the options", text, strlen(text), plan, error);
    free(text);
    return code;
}

static int read_plan(struct sitting *sitting, lr_error *error) {
    const struct tournament_options *options = sitting->options;
    if (options->file) return read_file(options->file, &sitting->plan, error);
    if (!options->planning) return LR_OK;
    const int code = plan_check(options->plan, error);
    return code ? code : read_options(options->plan, &sitting->plan, error);
}

static void tell_losses(const char *path, int64_t lost) {
    if (lost > 0)
        fprintf(stderr, "longroll: %lld damaged games in %s are played again\n", (long long)lost, path);
    else if (lost < 0)
        fprintf(
            stderr,
            "longroll: %s was damaged: its sound games were copied into a new ledger, and it is kept as %s.damaged\n",
            path, path);
}

static int take_up(struct sitting *sitting, lr_error *error) {
    const char *path = sitting->options->ledger;
    int64_t lost;
    int code = ledger_resume(path, &sitting->ledger, &lost, error);
    if (code) return code;
    tell_losses(path, lost);
    const struct plan *plan = ledger_plan(sitting->ledger);
    code = sitting->plan && sitting->plan->scenario_count != plan->scenario_count
               ? ledger_match(sitting->ledger, sitting->plan, NULL, error)
               : LR_OK;
    if (!code && !sitting->games) code = open_games(sitting, plan, error);
    return code ? code : ledger_match(sitting->ledger, sitting->plan, (const lr_game *const *)sitting->games, error);
}

/* Everything that was asked for is looked at before a file is made. */
static int open_ledger(struct sitting *sitting, lr_error *error) {
    const struct tournament_options *options = sitting->options;
    int code = read_plan(sitting, error);
    if (!code && sitting->plan) code = open_games(sitting, sitting->plan, error);
    if (!code && sitting->plan) code = tournament_check(sitting->plan, error);
    if (code) return code;
    const bool there = access(options->ledger, F_OK) == 0;
    if (options->resume && (there || !sitting->plan)) {
        code = take_up(sitting, error);
        return code ? code : tournament_check(ledger_plan(sitting->ledger), error);
    }
    if (there)
        return lr_fail(error, LR_E_ARGUMENT, "there is a %.200s already: add --resume to go on with it",
                       options->ledger);
    return ledger_create(options->ledger, sitting->plan, (const lr_game *const *)sitting->games, &sitting->ledger,
                         error);
}

static int put_report(struct sitting *sitting, int64_t *done, int64_t *games) {
    struct standings *standings;
    lr_error error;
    if (standings_read(sitting->ledger, NULL, &standings, &error)) return fail_library(&error);
    const struct report report = {.ledger = sitting->ledger, .standings = standings};
    int code = EXIT_DONE;
    *done = standings->games;
    *games = standings->expected;
    if (sitting->options->json)
        code = json_print(report_json(&report));
    else
        report_text(&report, stdout);
    standings_close(standings);
    return code;
}

static int play(struct sitting *sitting, const char *command) {
    const struct tournament_options *options = sitting->options;
    const struct plan *plan = ledger_plan(sitting->ledger);
    const int asked = options->workers ? options->workers : sitting->plan ? sitting->plan->workers : 0;
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    struct live live;
    live_start(&live, plan, sitting->stop, options->quiet);
    const struct tournament terms = {.ledger = sitting->ledger,
                                     .games = (const lr_game *const *)sitting->games,
                                     .workers = asked       ? asked
                                                : cores > 0 ? (int)cores
                                                            : 1,
                                     .stop = sitting->stop,
                                     .log = sitting->log,
                                     .progress = live_show,
                                     .context = &live};
    bool complete;
    lr_error error;
    int64_t done = 0, games = 0;
    if (!options->quiet) fprintf(stderr, "games go to %s; if this is cut short: %s\n", options->ledger, command);
    if (tournament_run(&terms, &complete, &error))
        return fail(EXIT_FAULT, "%s; when that is mended, go on with: %s", error.text, command);
    const int code = put_report(sitting, &done, &games);
    if (code || complete) return code;
    fflush(stdout);
    return fail(EXIT_FAULT, "stopped after %lld of %lld games; go on with: %s", (long long)done, (long long)games,
                command);
}

static int open_log(struct sitting *sitting) {
    const char *path = sitting->options->log;
    if (!path) return EXIT_DONE;
    sitting->log = fopen(path, "ae");
    return sitting->log ? EXIT_DONE : fail(EXIT_FAULT, "cannot write %s: %s", path, strerror(errno));
}

static int run(struct sitting *sitting) {
    lr_error error;
    char *command = resume_command(sitting->options);
    if (!command) return fail(EXIT_FAULT, "no memory");
    int code = open_log(sitting);
    if (!code) code = open_ledger(sitting, &error) ? fail_request(&error) : play(sitting, command);
    free(command);
    return code;
}

static void leave(struct sitting *sitting) {
    ledger_close(sitting->ledger);
    for (unsigned i = 0; i < sitting->count; i++) lr_game_close(sitting->games[i]);
    free(sitting->games);
    plan_close(sitting->plan);
    if (sitting->log) fclose(sitting->log);
}

int tournament_command_run(int argc, char **argv) {
    struct tournament_options options = {.plan = plan_new()};
    if (!options.plan) return fail(EXIT_FAULT, "no memory for a plan");
    int code = EXIT_USAGE;
    if (options_parse("longroll tournament", &argp, argc, argv, &options)) {
        struct sitting sitting = {.options = &options, .stop = interrupts_listen(TOURNAMENT_ABANDON)};
        signal(SIGXFSZ, SIG_IGN); /* without its default a full quota is an error of write, as a full disk is */
        code = run(&sitting);
        leave(&sitting);
    }
    plan_close(options.plan);
    return code;
}
