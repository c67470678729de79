/* balance.c: `longroll balance`: what many games of a scenario look like: who wins, what it costs, and how often each
 * result and rule comes up. What is counted is the ruleset's affair (lr_tally in env/game.h); here it is only summed
 * up and laid out.
 *
 * Games are played by selfplay_run, each is then walked through once more with the tally. NAME:* stands for the battles
 * that a ruleset generates: game i is played on NAME:i. With --into the report replaces what stands in a file below a
 * marker line, so that what people wrote above it stays. */
#include "cli/cli.h"
#include "env/game.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SCENARIOS = 64, MOST_FILE = 1 << 22, MOST_GAMES = 10000000 };

static const char marker[] = "<!-- longroll balance: all that follows is generated -->";

struct balance_options {
    struct {
        char *name;
        int games; /* 0: as many as --games says */
    } scenarios[MOST_SCENARIOS];
    const char *names[2], *into;
    lr_chooser *agents[2]; /* of those names */
    int count, games, threads;
    uint64_t seed;
    bool markdown, quiet;
};

enum { OPTION_MARKDOWN = 256, OPTION_INTO, OPTION_QUIET };

/* NAME or NAME@GAMES; the text is argv's or our own, and cut at the sign. */
static error_t take_scenario(struct balance_options *options, char *name) {
    if (options->count == MOST_SCENARIOS) return options_fault("balance takes %d scenarios at most", MOST_SCENARIOS);
    int *games = &options->scenarios[options->count].games;
    char *sign = strrchr(name, '@');
    if (sign && options_int("SCENARIO@", sign + 1, 1, MOST_GAMES, games)) return EINVAL;
    if (sign) *sign = '\0';
    options->scenarios[options->count++].name = name;
    return 0;
}

static error_t parse(int key, char *argument, struct argp_state *state) {
    static char usual[] = "cedar-mountain/historical";
    struct balance_options *options = state->input;
    switch (key) {
    case 'n': return options_int("--games", argument, 1, MOST_GAMES, &options->games);
    case 't': return options_int("--threads", argument, 1, 1024, &options->threads);
    case 'u': options->names[LR_UNION] = argument; return 0;
    case 'c': options->names[LR_CONFEDERATE] = argument; return 0;
    case 's': return options_number("--seed", argument, 0, UINT64_MAX, &options->seed);
    case OPTION_MARKDOWN: options->markdown = true; return 0;
    case OPTION_INTO: options->into = argument; return 0;
    case OPTION_QUIET: options->quiet = true; return 0;
    case ARGP_KEY_ARG: return take_scenario(options, argument);
    case ARGP_KEY_NO_ARGS: return take_scenario(options, usual);
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option option_table[] = {
    {"games", 'n', "N", 0, "How many games of each scenario (default 1000)", 0},
    {"threads", 't', "T", 0, "How many threads (default: one a core); results do not depend on it", 0},
    {"union", 'u', "AGENT", 0, "Who plays the Union (default greedy)", 0},
    {"confederate", 'c', "AGENT", 0, "Who plays the Confederacy (default greedy)", 0},
    {"seed", 's', "N", 0, "Root seed, decimal or 0x... (default 1)", 0},
    {"markdown", OPTION_MARKDOWN, 0, 0, "Tables in Markdown", 0},
    {"into", OPTION_INTO, "FILE", 0,
     "Write Markdown into FILE, in place of all that follows its line '<!-- longroll balance: ...'", 0},
    {"quiet", OPTION_QUIET, 0, 0, "No progress line", 0},
    {0},
};

static const struct argp argp = {
    .options = option_table,
    .parser = parse,
    .args_doc = "[SCENARIO[@GAMES] ...]",
    .doc = "Plays many games of each scenario and tells who wins, what it costs, and how often each result and rule "
           "comes up. SCENARIO (default cedar-mountain/historical) may be random:SIZE:*, one game each on as many "
           "random battles. @GAMES stands for --games with this scenario alone."
           "\vExample:\n  longroll balance cedar-mountain/gate 'random:3:*' --games 2000 --markdown"
           "\n\nExit codes: 0 done; 1 it could not be played or written; 2 bad option, unknown scenario or agent.",
};

/* ---- Playing and counting ---- */

struct count {
    uint64_t total; /* over all games */
    int games;      /* games in which it happened */
};

/* One scenario's games. */
struct survey {
    const struct balance_options *options;
    const char *name, *title;
    lr_game *opened;              /* by its name, before anything is played; of a family the first */
    const lr_game *game;          /* NULL after a family of generated battles */
    const struct lr_tally *tally; /* NULL: nothing is counted */
    struct count *counts;         /* tally->counters of them */
    int wanted, games, wins[4];
    struct sample score, decisions, dice;
    struct progress progress;
    int done; /* games of a family played so far */
};

static void add_counts(struct survey *survey, const uint32_t *counters) {
#pragma omp critical(balance_counts)
    for (int i = 0; i < survey->tally->counters; i++) {
        survey->counts[i].total += counters[i];
        survey->counts[i].games += counters[i] > 0;
    }
}

/* Walks through a finished game once more. Called by the thread that played it. */
static int on_game(void *context, int index, const lr_replay *replay, lr_error *error) {
    (void)index;
    struct survey *survey = context;
    const lr_game *game = survey->game;
    const size_t bytes = (size_t)lr_game_info(game)->state_bytes;
    uint32_t *counters = calloc((size_t)survey->tally->counters, sizeof *counters);
    lr_state *before = malloc(bytes), *after = malloc(bytes);
    int code = LR_OK;
    if (!counters || !before || !after) {
        code = lr_fail(error, LR_E_MEMORY, "no memory to count what happens");
    } else {
        lr_start(game, after);
        for (int i = 0; i < lr_replay_length(replay); i++) {
            const int action = lr_replay_action(replay, i);
            memcpy(before, after, bytes);
            lr_apply_legal(game, after, action);
            survey->tally->count(game->rules, before, action, after, counters);
        }
        add_counts(survey, counters);
    }
    free(counters);
    free(before);
    free(after);
    return code;
}

static void on_progress(void *context, int done) {
    struct survey *survey = context;
    progress_show(&survey->progress, survey->done + done);
}

static void sum_up(struct survey *survey, const struct match_result *results, int games) {
    for (int i = 0; i < games; i++) {
        survey->games++;
        survey->wins[results[i].winner]++;
        sample_add(&survey->score, results[i].score);
        sample_add(&survey->decisions, results[i].decisions);
        sample_add(&survey->dice, results[i].dice);
    }
}

static int play(struct survey *survey, const lr_game *game, uint64_t seed, int games, int threads) {
    const struct balance_options *options = survey->options;
    struct match_result *results = calloc((size_t)games, sizeof *results);
    if (!results) return fail(EXIT_FAULT, "no memory for the results of %d games", games);
    struct selfplay plan = {.game = game, .seed = seed, .games = games, .threads = threads, .context = survey};
    plan.progress = on_progress;
    plan.keep = survey->tally ? on_game : NULL;
    for (int side = 0; side < 2; side++) plan.agents[side] = options->agents[side];
    struct selfplay_result outcome;
    lr_error error;
    const int code = selfplay_run(&plan, results, &outcome, &error);
    if (!code) sum_up(survey, results, games);
    free(results);
    return code ? fail_library(&error) : EXIT_DONE;
}

/* "random:3:*": the length of what stands before the star; 0 for any other name. */
static int family(const char *name) {
    const size_t length = strlen(name);
    return length > 2 && !strcmp(name + length - 2, ":*") ? (int)length - 1 : 0;
}

static int survey_family(struct survey *survey) {
    for (int i = 0; i < survey->wanted; i++) {
        char name[256];
        snprintf(name, sizeof name, "%.*s%d", family(survey->name), survey->name, i);
        lr_game *game;
        lr_error error;
        if (lr_game_open(name, &game, &error)) return fail_name(name, &error);
        const int code = play(survey, game, lr_environment_seed(survey->options->seed, (uint64_t)i), 1, 1);
        lr_game_close(game);
        if (code) return code;
        survey->done = i + 1;
    }
    return EXIT_DONE;
}

static int survey_scenario(struct survey *survey) {
    survey->tally = survey->game->ruleset->tally;
    if (survey->tally) survey->counts = calloc((size_t)survey->tally->counters + 1, sizeof *survey->counts);
    if (survey->tally && !survey->counts) return fail(EXIT_FAULT, "no memory to count what happens");
    const struct balance_options *options = survey->options;
    return play(survey, survey->game, options->seed, survey->wanted, options->threads);
}

/* ---- Layout ---- */

/* Where the report goes, and how it looks. */
struct paper {
    FILE *file;
    bool markdown;
};

__attribute__((format(printf, 2, 3))) static void put(const struct paper *paper, const char *format, ...) {
    va_list values;
    va_start(values, format);
    vfprintf(paper->file, format, values);
    va_end(values);
}

/* One cell; the first of a row is text, wide and to the left. */
static void put_cell(const struct paper *paper, bool first, const char *text) {
    if (paper->markdown)
        put(paper, first ? "| %s |" : " %s |", text);
    else
        put(paper, first ? "  %-50s" : " %14s", text);
}

static void end_head(const struct paper *paper, int cells) {
    put(paper, "\n");
    if (!paper->markdown) return;
    for (int i = 0; i < cells; i++) put(paper, i ? " ---: |" : "| --- |");
    put(paper, "\n");
}

static void put_title(const struct paper *paper, int level, const char *title) {
    if (paper->markdown)
        put(paper, "\n%s %s\n\n", level == 2 ? "##" : "###", title);
    else
        put(paper, "\n%s\n", title);
}

__attribute__((format(printf, 2, 3))) static void put_value(const struct paper *paper, const char *format, ...) {
    char text[128];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    put_cell(paper, false, text);
}

/* ---- The report ---- */

static void put_share(const struct paper *paper, int hits, int games) {
    double low, high;
    wilson(hits, games, &low, &high);
    put_value(paper, "%.1f (%.1f-%.1f)", games ? 100.0 * hits / games : 0, 100 * low, 100 * high);
}

static void report_summary(const struct paper *paper, const struct survey *surveys, int count) {
    static const char *const heads[] = {"games", "Union %", "Confederate %", "points", "decisions", "dice"};
    const int cells = 1 + (int)(sizeof heads / sizeof *heads);
    put_title(paper, 2, "Who wins (95 % intervals)");
    put_cell(paper, true, "scenario");
    for (int i = 0; i + 1 < cells; i++) put_cell(paper, false, heads[i]);
    end_head(paper, cells);
    for (int i = 0; i < count; i++) {
        const struct survey *s = &surveys[i];
        put_cell(paper, true, s->name);
        put_value(paper, "%d", s->games);
        put_share(paper, s->wins[LR_UNION], s->games);
        put_share(paper, s->wins[LR_CONFEDERATE], s->games);
        put_value(paper, "%.1f +- %.1f", sample_mean(&s->score), sample_deviation(&s->score));
        put_value(paper, "%.0f", sample_mean(&s->decisions));
        put_value(paper, "%.0f", sample_mean(&s->dice));
        put(paper, "\n");
    }
}

static void put_mean(const struct paper *paper, const struct survey *survey, int counter) {
    put_value(paper, "%.3f", (double)survey->counts[counter].total / survey->games);
}

static bool described(const struct survey *survey, int counter, struct lr_counter *is) {
    return survey->tally->describe(survey->game->rules, counter, is);
}

/* A plain list: counters from `counter` on with the same group. Returns the next counter to look at. */
static int report_list(const struct paper *paper, const struct survey *survey, int counter) {
    struct lr_counter is, head;
    described(survey, counter, &head);
    put_title(paper, 3, head.group);
    put_cell(paper, true, "");
    put_cell(paper, false, "a game");
    put_cell(paper, false, "% of games");
    end_head(paper, 3);
    for (; counter < survey->tally->counters; counter++) {
        if (!described(survey, counter, &is)) continue;
        if (strcmp(is.group, head.group) || is.column[0]) break;
        put_cell(paper, true, is.row);
        put_mean(paper, survey, counter);
        put_value(paper, "%.1f", 100.0 * survey->counts[counter].games / survey->games);
        put(paper, "\n");
    }
    return counter;
}

/* The head of a table: the columns of its first row. Returns the number of cells. */
static int put_columns(const struct paper *paper, const struct survey *survey, int counter,
                       const struct lr_counter *head) {
    struct lr_counter is;
    int cells = 2;
    put_cell(paper, true, "a game");
    for (; counter < survey->tally->counters; counter++) {
        if (!described(survey, counter, &is)) continue;
        if (strcmp(is.group, head->group) || strcmp(is.row, head->row)) break;
        put_cell(paper, false, is.column);
        cells++;
    }
    put_cell(paper, false, "all");
    return cells;
}

/* A table with columns, as report_list. */
static int report_table(const struct paper *paper, const struct survey *survey, int counter) {
    struct lr_counter is, head, row = {.group = ""};
    uint64_t sum = 0;
    described(survey, counter, &head);
    put_title(paper, 3, head.group);
    end_head(paper, put_columns(paper, survey, counter, &head));
    for (; counter < survey->tally->counters; counter++) {
        if (!described(survey, counter, &is)) continue;
        if (strcmp(is.group, head.group)) break;
        if (strcmp(is.row, row.row)) {
            if (row.row[0]) put_value(paper, "%.3f", (double)sum / survey->games), put(paper, "\n");
            put_cell(paper, true, is.row);
            row = is;
            sum = 0;
        }
        put_mean(paper, survey, counter);
        sum += survey->counts[counter].total;
    }
    put_value(paper, "%.3f", (double)sum / survey->games);
    put(paper, "\n");
    return counter;
}

static void report_idle(const struct paper *paper, const struct survey *survey) {
    struct lr_counter is;
    int idle = 0;
    for (int i = 0; i < survey->tally->counters; i++)
        if (described(survey, i, &is) && !is.column[0] && !survey->counts[i].total)
            put(paper, "%s%s: %s", idle++ ? "; " : paper->markdown ? "\n**Never:** " : "\nNever: ", is.group, is.row);
    put(paper, idle ? ".\n" : "\nEverything in these lists happened at least once.\n");
}

static void report_counts(const struct paper *paper, const struct survey *survey) {
    struct lr_counter is;
    if (!survey->tally || !survey->counts) return;
    put_title(paper, 2, survey->name);
    put(paper, "%s. %d games. Figures are means a game.\n", survey->title, survey->games);
    for (int i = 0; i < survey->tally->counters;) {
        if (!described(survey, i, &is))
            i++;
        else
            i = is.column[0] ? report_table(paper, survey, i) : report_list(paper, survey, i);
    }
    report_idle(paper, survey);
}

static void report(const struct paper *paper, const struct balance_options *options, const struct survey *surveys) {
    put(paper, "%s (Union) against %s (Confederate), seed %llu.\n", options->names[LR_UNION],
        options->names[LR_CONFEDERATE], (unsigned long long)options->seed);
    report_summary(paper, surveys, options->count);
    for (int i = 0; i < options->count; i++) report_counts(paper, &surveys[i]);
}

/* ---- Into a file ---- */

static int write_into(const struct balance_options *options, const struct survey *surveys) {
    char *old = NULL, *text = NULL;
    size_t length = 0;
    lr_error error;
    if (lr_file_read(options->into, MOST_FILE, &old, &length, &error)) return fail_library(&error);
    char *after = strstr(old, marker);
    FILE *file = after ? open_memstream(&text, &length) : NULL;
    int code = EXIT_DONE;
    if (!after)
        code = fail(EXIT_FAULT, "%s has no line '%s'", options->into, marker);
    else if (!file)
        code = fail(EXIT_FAULT, "no memory for the report");
    if (!code) {
        fprintf(file, "%.*s%s\n\n", (int)(after - old), old, marker);
        report(&(struct paper){file, true}, options, surveys);
        if (fclose(file))
            code = fail(EXIT_FAULT, "no memory for the report");
        else if (lr_file_write(options->into, text, length, &error))
            code = fail_library(&error);
    }
    free(text);
    free(old);
    return code;
}

/* ---- The command ---- */

/* Opened before anything is played, so that a wrong name is told at once. */
static int open_games(const struct balance_options *options, struct survey *surveys) {
    for (int i = 0; i < options->count; i++) {
        const char *name = options->scenarios[i].name;
        const int games_of_it = options->scenarios[i].games;
        char first[256];
        lr_error error;
        surveys[i] = (struct survey){.options = options, .name = name};
        surveys[i].wanted = games_of_it ? games_of_it : options->games;
        snprintf(first, sizeof first, "%.*s0", family(name), name);
        if (lr_game_open(family(name) ? first : name, &surveys[i].opened, &error)) return fail_name(name, &error);
        surveys[i].game = surveys[i].opened;
        surveys[i].title = lr_game_info(surveys[i].game)->title;
    }
    return EXIT_DONE;
}

static int play_games(const struct balance_options *options, struct survey *surveys) {
    for (int i = 0; i < options->count; i++) {
        struct survey *survey = &surveys[i];
        progress_start(&survey->progress, survey->wanted, options->quiet);
        const int code = family(survey->name) ? survey_family(survey) : survey_scenario(survey);
        if (code) return code;
        progress_end(&survey->progress, survey->wanted);
    }
    return EXIT_DONE;
}

static int run(const struct balance_options *options, struct survey *surveys) {
    int code = open_games(options, surveys);
    if (!code) code = play_games(options, surveys);
    if (code) return code;
    if (options->into) return write_into(options, surveys);
    report(&(struct paper){stdout, options->markdown}, options, surveys);
    return EXIT_DONE;
}

int balance_run(int argc, char **argv) {
    struct balance_options options = {.names = {"greedy", "greedy"}, .seed = 1, .games = 1000};
    if (!options_parse("longroll balance", &argp, argc, argv, &options)) return EXIT_USAGE;
    int code = open_agents(options.names, options.agents);
    if (code) return code;
    struct survey *surveys = calloc((size_t)options.count, sizeof *surveys);
    code = surveys ? run(&options, surveys) : fail(EXIT_FAULT, "no memory for %d scenarios", options.count);
    for (int i = 0; surveys && i < options.count; i++) {
        lr_game_close(surveys[i].opened);
        free(surveys[i].counts);
    }
    free(surveys);
    close_agents(options.agents);
    return code;
}
