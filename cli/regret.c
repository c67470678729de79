/* regret.c: see regret.h.
 *
 * The regret of a choice is the value of the best action less that of the chosen one, from the mover's side, in expected
 * returns: 0 at best, 2 at worst. It is exact for each choice (solved.h); what is estimated is the mean over all positions
 * like these, so intervals come from a bootstrap over positions, with all repeats of a position kept together. */
#include "cli/regret.h"
#include "agents/search.h"
#include "cli/cli.h"
#include "cli/solved.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 64, RESAMPLES = 2000 };

/* ---- The list of agents ---- */

static const char *const limits[] = {"simulations=", "nodes=", "seconds=", "depth="};

static bool is_limit(const char *setting) {
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (!strncmp(setting, limits[i], strlen(limits[i]))) return true;
    return false;
}

/* The spec without its limits. */
static void write_family(const char *spec, char *family, size_t size) {
    char copy[256], *rest = copy, *setting;
    snprintf(copy, sizeof copy, "%s", spec);
    const char *name = strsep(&rest, ":");
    size_t length = (size_t)snprintf(family, size, "%s", name);
    char between = ':';
    while ((setting = strsep(&rest, ","))) {
        if (is_limit(setting)) continue;
        length += (size_t)snprintf(family + length, size - length, "%c%s", between, setting);
        between = ',';
    }
}

struct lineup {
    struct regret_row rows[MOST_ROWS];
    int count;
};

static int add_row(struct lineup *lineup, const char *spec) {
    if (lineup->count == MOST_ROWS) return fail(EXIT_USAGE, "bench search takes %d agents at most", MOST_ROWS);
    struct regret_row *row = &lineup->rows[lineup->count++];
    if (snprintf(row->spec, sizeof row->spec, "%s", spec) >= (int)sizeof row->spec)
        return fail(EXIT_USAGE, "the agent %.32s... has too long a name", spec);
    write_family(spec, row->family, sizeof row->family);
    return EXIT_DONE;
}

static bool wants_budget(const char *spec) {
    char family[256];
    if (strncmp(spec, "mcts", 4)) return false;
    write_family(spec, family, sizeof family);
    return !strcmp(family, spec);
}

/* The spec as it is, or once for each budget. */
static int add_agent(struct lineup *lineup, const char *spec, const char *budgets) {
    if (!wants_budget(spec)) return add_row(lineup, spec);
    char copy[256], *rest = copy, *budget;
    snprintf(copy, sizeof copy, "%s", budgets);
    while ((budget = strsep(&rest, ","))) {
        char full[512];
        snprintf(full, sizeof full, "%s%csimulations=%s", spec, strchr(spec, ':') ? ',' : ':', budget);
        const int code = add_row(lineup, full);
        if (code) return code;
    }
    return EXIT_DONE;
}

/* A comma ends a spec unless an option follows: options have a '=', names of agents have none. */
static int read_lineup(const struct regret_request *request, struct lineup *lineup) {
    char spec[512] = "";
    const char *from = request->agents;
    while (*from) {
        const size_t length = strcspn(from, ",");
        const size_t name = strcspn(from, ":=,");
        if (*spec && from[name] != '=') {
            const int code = add_agent(lineup, spec, request->budgets);
            if (code) return code;
            *spec = '\0';
        }
        const size_t so_far = strlen(spec);
        if (so_far + length + 2 > sizeof spec) return fail(EXIT_USAGE, "the agent %.32s... has too long a name", spec);
        snprintf(spec + so_far, sizeof spec - so_far, "%s%.*s", so_far ? "," : "", (int)length, from);
        from += length + (from[length] == ',');
    }
    if (!*spec) return fail(EXIT_USAGE, "bench search needs an agent: --agents random,greedy,mcts");
    return add_agent(lineup, spec, request->budgets);
}

/* ---- Asking one agent ---- */

/* An agent at work: the searchers are run by hand, for what they count. */
struct asked {
    lr_chooser *chooser;
    struct search *search; /* NULL: it does not search */
    void *scratch;
    uint64_t simulations, nodes, decisions;
    double seconds;
};

static bool is_searcher(const lr_chooser *chooser) {
    return chooser->choose == agent_mcts.chooser.choose || chooser->choose == agent_expectimax.chooser.choose;
}

static int open_asked(struct asked *asked, const char *spec, const lr_game *game) {
    lr_error error;
    *asked = (struct asked){0};
    if (agent_open(spec, &asked->chooser, &error)) return fail(EXIT_USAGE, "%s", error.text);
    if (is_searcher(asked->chooser))
        return search_open(game, asked->chooser->config, &asked->search, &error) ? fail_library(&error) : EXIT_DONE;
    asked->scratch = aligned_alloc(64, (asked->chooser->scratch_bytes + 64) / 64 * 64);
    return asked->scratch ? EXIT_DONE : fail(EXIT_FAULT, "no memory for the agent %s", spec);
}

static void close_asked(struct asked *asked) {
    search_close(asked->search);
    agent_close(asked->chooser);
    free(asked->scratch);
}

static int ask(struct asked *asked, const lr_game *game, const struct solved_position *position, uint64_t stream) {
    const double started = seconds_now();
    int action;
    if (asked->search) {
        struct search_result result;
        search_begin(asked->search, position->state, stream, NULL);
        search_run(asked->search, 0);
        search_result(asked->search, &result);
        asked->simulations += result.simulations;
        asked->nodes += result.nodes;
        action = result.best;
    } else {
        const lr_chooser *c = asked->chooser;
        action = c->choose(c, asked->scratch, game, position->state, position->action, position->count, stream);
    }
    asked->seconds += seconds_now() - started;
    asked->decisions++;
    return action;
}

/* Of an action, for the mover. False if that action is not legal. */
static bool regret_of(const struct solved_position *position, int action, double *regret) {
    for (int i = 0; i < position->count; i++) {
        if (position->action[i] != action) continue;
        struct fraction loss = position->mover == LR_UNION ? position->best : position->value[i];
        struct fraction gain = position->mover == LR_UNION ? position->value[i] : position->best;
        gain.numerator = -gain.numerator;
        if (!fraction_add(&loss, gain, 1)) return false;
        *regret = fraction_double(loss);
        return true;
    }
    return false;
}

/* Means over a position's repeats. */
struct mark {
    double regret, best;
};

static int mark_position(struct asked *asked, const struct solved_file *file, int index,
                         const struct regret_request *request, struct mark *mark) {
    const struct solved_position *position = &file->position[index];
    const bool varies = strcmp(asked->chooser->name, "greedy") != 0;
    const int repeats = varies ? request->repeats : 1;
    *mark = (struct mark){0, 0};
    for (int i = 0; i < repeats; i++) {
        const uint64_t stream = lr_agent_stream(request->seed, (uint32_t)index, position->mover, (uint32_t)i);
        double regret;
        if (!regret_of(position, ask(asked, file->game, position, stream), &regret))
            return fail(EXIT_FAULT, "the agent %s chose an action that is not legal", asked->chooser->name);
        mark->regret += regret / repeats;
        mark->best += (regret == 0) / (double)repeats;
    }
    return EXIT_DONE;
}

/* ---- Summing up ---- */

static int ascending(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void take_interval(double *means, double *low, double *high) {
    qsort(means, RESAMPLES, sizeof *means, ascending);
    *low = means[RESAMPLES / 40];
    *high = means[RESAMPLES - 1 - RESAMPLES / 40];
}

/* The mean, and its 95 % interval by drawing as many positions again and again. */
static void sum_up(const struct mark *marks, int count, uint64_t seed, struct regret_row *row) {
    double regrets[RESAMPLES], bests[RESAMPLES];
    row->regret = row->best = 0;
    for (int i = 0; i < count; i++) {
        row->regret += marks[i].regret / count;
        row->best += marks[i].best / count;
    }
    for (int r = 0; r < RESAMPLES; r++) {
        const uint64_t stream = lr_environment_seed(seed, (uint64_t)r);
        regrets[r] = bests[r] = 0;
        for (int i = 0; i < count; i++) {
            const struct mark *mark = &marks[lr_random(stream, (uint64_t)i, (uint32_t)count)];
            regrets[r] += mark->regret / count;
            bests[r] += mark->best / count;
        }
    }
    take_interval(regrets, &row->regret_low, &row->regret_high);
    take_interval(bests, &row->best_low, &row->best_high);
}

static void note_effort(const struct asked *asked, struct regret_row *row) {
    const double seconds = asked->seconds > 0 ? asked->seconds : 1e-9, decisions = (double)asked->decisions;
    row->nodes = (double)asked->nodes / decisions;
    row->nodes_per_s = (double)asked->nodes / seconds;
    row->simulations_per_s = (double)asked->simulations / seconds;
    row->us = 1e6 * asked->seconds / decisions;
}

static int measure(const struct regret_request *request, const struct solved_file *file, struct regret_row *row) {
    struct asked asked;
    struct mark *marks = calloc((size_t)file->count, sizeof *marks);
    int code = marks ? open_asked(&asked, row->spec, file->game) : fail(EXIT_FAULT, "no memory for the marks");
    if (!marks) return code;
    for (int i = 0; i < file->count && !code; i++) code = mark_position(&asked, file, i, request, &marks[i]);
    if (!code) {
        sum_up(marks, file->count, request->seed, row);
        note_effort(&asked, row);
    }
    close_asked(&asked);
    free(marks);
    return code;
}

/* ---- Output ---- */

static void print_head(const struct regret_request *request, const struct solved_file *file) {
    printf("bench search, %s: %d solved positions, %d tries each; regret in expected returns (0 to 2), with 95 %% "
           "intervals\n\n",
           lr_game_info(file->game)->scenario, file->count, request->repeats);
    printf("%-46s %-24s %-22s %9s %11s %9s %9s\n", "agent", "regret", "best actions", "nodes", "us", "sims/s",
           "nodes/s");
}

static void print_row(const struct regret_row *row) {
    printf("%-46s %.4f (%.4f-%.4f)   %5.1f %% (%.1f-%.1f) %10.0f %11.1f %9.0f %9.0f\n", row->spec, row->regret,
           row->regret_low, row->regret_high, 100 * row->best, 100 * row->best_low, 100 * row->best_high, row->nodes,
           row->us, row->simulations_per_s, row->nodes_per_s);
    fflush(stdout); /* the next row may take minutes */
}

static json_t *json_of_row(const struct regret_row *row) {
    return json_pack("{s:s, s:f, s:[f, f], s:f, s:[f, f], s:f, s:f, s:f, s:f}", "agent", row->spec, "regret",
                     row->regret, "regret_interval", row->regret_low, row->regret_high, "best_share", row->best,
                     "best_interval", row->best_low, row->best_high, "nodes_per_decision", row->nodes,
                     "us_per_decision", row->us, "simulations_per_s", row->simulations_per_s, "nodes_per_s",
                     row->nodes_per_s);
}

static int print_json(const struct regret_request *request, const struct solved_file *file,
                      const struct lineup *lineup) {
    json_t *agents = json_array();
    for (int i = 0; i < lineup->count; i++) json_array_append_new(agents, json_of_row(&lineup->rows[i]));
    return json_print(json_pack("{s:s, s:s, s:s, s:i, s:i, s:I, s:o}", "bench", "search", "scenario",
                                lr_game_info(file->game)->scenario, "states", request->states, "positions", file->count,
                                "repeats", request->repeats, "seed", (json_int_t)request->seed, "agents", agents));
}

static int measure_all(const struct regret_request *request, const struct solved_file *file, struct lineup *lineup) {
    if (!request->json) print_head(request, file);
    for (int i = 0; i < lineup->count; i++) {
        const int code = measure(request, file, &lineup->rows[i]);
        if (code) return code;
        if (!request->json) print_row(&lineup->rows[i]);
    }
    char title[256];
    snprintf(title, sizeof title, "Regret against optimal play, %s", lr_game_info(file->game)->scenario);
    if (request->svg && regret_plot_svg(lineup->rows, lineup->count, title, request->svg)) return EXIT_FAULT;
    if (request->json) return print_json(request, file, lineup);
    regret_plot_text(lineup->rows, lineup->count);
    return EXIT_DONE;
}

/* Every agent is opened once before anything is measured, so that a wrong spec is known at once. */
static int check_lineup(const struct lineup *lineup, const lr_game *game) {
    for (int i = 0; i < lineup->count; i++) {
        struct asked asked;
        const int code = open_asked(&asked, lineup->rows[i].spec, game);
        close_asked(&asked);
        if (code) return code;
    }
    return EXIT_DONE;
}

int bench_search(const struct regret_request *request) {
    struct lineup *lineup = calloc(1, sizeof *lineup);
    if (!lineup) return fail(EXIT_FAULT, "no memory for the agents");
    struct solved_file file = {0};
    int code = read_lineup(request, lineup);
    if (!code) code = solved_open(request->states, &file);
    if (!code) code = check_lineup(lineup, file.game);
    if (!code) code = measure_all(request, &file, lineup);
    solved_close(&file);
    free(lineup);
    return code;
}
