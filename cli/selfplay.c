/* selfplay.c: `longroll selfplay`: many games on all cores, and what came of them.
 *
 * The first SIGINT or SIGTERM lets the running games finish and sums up what was played (exit code 1); a second one
 * ends the program at once. */
#include "cli/cli.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct selfplay_options {
    const char *scenario, *names[2], *folder;
    uint64_t seed;
    int games, threads;
    bool json, quiet;
};

enum { OPTION_OUT = 256, OPTION_JSON, OPTION_QUIET };

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct selfplay_options *options = state->input;
    switch (key) {
    case 'n': return options_int("--games", argument, 1, 100000000, &options->games);
    case 't': return options_int("--threads", argument, 1, 1024, &options->threads);
    case 'u': options->names[LR_UNION] = argument; return 0;
    case 'c': options->names[LR_CONFEDERATE] = argument; return 0;
    case 's': return options_number("--seed", argument, 0, UINT64_MAX, &options->seed);
    case OPTION_OUT: options->folder = argument; return 0;
    case OPTION_JSON: options->json = true; return 0;
    case OPTION_QUIET: options->quiet = true; return 0;
    case ARGP_KEY_ARG:
        if (options->scenario) return options_fault("selfplay takes one SCENARIO: what is '%s'?", argument);
        options->scenario = argument;
        return 0;
    case ARGP_KEY_NO_ARGS: return options_fault("selfplay needs a SCENARIO; longroll list prints them");
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option option_table[] = {
    {"games", 'n', "N", 0, "How many games (default 1000)", 0},
    {"threads", 't', "T", 0, "How many threads (default: one a core); results do not depend on it", 0},
    {"union", 'u', "AGENT", 0, "Who plays the Union, as longroll list names it (default greedy)", 0},
    {"confederate", 'c', "AGENT", 0, "Who plays the Confederacy, likewise (default greedy)", 0},
    {"seed", 's', "N", 0,
     "Root seed, decimal or 0x...: each game's seed is a hash of it and the game's number "
     "(default 1)",
     0},
    {"out", OPTION_OUT, "DIR", 0, "Write each game's replay to DIR/game-000001.txt and so on; makes DIR", 0},
    {"json", OPTION_JSON, 0, 0,
     "Print JSON: games, wins{union, confederate, draw}, decisions, seconds, games_per_s, "
     "decisions_per_s, hash and more",
     0},
    {"quiet", OPTION_QUIET, 0, 0, "No progress line", 0},
    {0},
};

static const struct argp argp = {
    .options = option_table,
    .parser = parse,
    .args_doc = "SCENARIO",
    .doc = "Plays many games between two agents and sums them up. The hash covers all games in order: equal hashes "
           "mean equal games, whatever the number of threads."
           "\vExample:\n  longroll selfplay cedar-mountain/historical --games 1000 --union random"
           "\n\nExit codes: 0 all played; 1 stopped, or it could not be played or written; 2 bad option, unknown "
           "scenario or agent.",
};

/* ---- Playing ---- */

/* What the callbacks of one run need. */
struct sitting {
    const struct selfplay_options *options;
    struct progress progress;
};

static void on_progress(void *context, int done) {
    struct sitting *sitting = context;
    progress_show(&sitting->progress, done);
}

static int on_game(void *context, int index, const lr_replay *replay, lr_error *error) {
    const struct sitting *sitting = context;
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/game-%06d.txt", sitting->options->folder, index + 1);
    char *text = text_of_replay(replay);
    if (!text) {
        *error = (lr_error){.code = LR_E_MEMORY, .text = "no memory for a replay"};
        return LR_E_MEMORY;
    }
    int code = lr_file_write(path, text, strlen(text), error);
    free(text);
    return code;
}

static int make_folder(const char *folder) {
    if (strlen(folder) > PATH_MAX - 32) return fail(EXIT_FAULT, "the name of --out is too long: %.64s...", folder);
    struct stat about;
    if (mkdir(folder, 0777) == 0) return EXIT_DONE;
    if (errno == EEXIST && stat(folder, &about) == 0 && S_ISDIR(about.st_mode)) return EXIT_DONE;
    return fail(EXIT_FAULT, "cannot make the folder %s: %s", folder, strerror(errno));
}

/* ---- Summing up ---- */

enum { REASONS = 16 };

struct summary {
    int games, wins[4]; /* by winner; LR_NOBODY: draws */
    struct sample score, decisions, dice;
    uint64_t legal;
    double seconds;
    struct selfplay_result outcome;
    struct {
        const char *reason;
        int games;
    } reasons[REASONS]; /* why games ended, in order of appearance */
};

static void count_reason(struct summary *summary, const char *reason) {
    int i = 0;
    while (i < REASONS - 1 && summary->reasons[i].reason && strcmp(summary->reasons[i].reason, reason)) i++;
    summary->reasons[i].reason = reason;
    summary->reasons[i].games++;
}

static void sum_up(struct summary *summary, const struct match_result *results, int games) {
    for (int i = 0; i < games; i++) {
        if (!results[i].reason) continue;
        summary->games++;
        summary->wins[results[i].winner]++;
        sample_add(&summary->score, results[i].score);
        sample_add(&summary->decisions, results[i].decisions);
        sample_add(&summary->dice, results[i].dice);
        summary->legal += results[i].legal;
        count_reason(summary, results[i].reason);
    }
}

static double branching(const struct summary *summary) {
    return summary->decisions.sum > 0 ? (double)summary->legal / summary->decisions.sum : 0;
}

static double per_second(const struct summary *summary, double amount) {
    return summary->seconds > 0 ? amount / summary->seconds : 0;
}

static json_t *json_of_sample(const struct sample *sample) {
    return json_pack("{s:f, s:f, s:f, s:f}", "mean", sample_mean(sample), "deviation", sample_deviation(sample),
                     "least", sample->least, "greatest", sample->greatest);
}

static json_t *json_of_interval(int hits, int games) {
    double low, high;
    wilson(hits, games, &low, &high);
    return json_pack("[f, f]", low, high);
}

static json_t *json_of_reasons(const struct summary *summary) {
    json_t *reasons = json_object();
    for (int i = 0; i < REASONS && summary->reasons[i].reason; i++)
        json_object_set_new(reasons, summary->reasons[i].reason, json_integer(summary->reasons[i].games));
    return reasons;
}

static int print_json(const struct selfplay_options *options, const struct summary *s) {
    const int *wins = s->wins;
    char seed[21];
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)options->seed);
    json_t *report = json_pack(
        "{s:s, s:s, s:s, s:s, s:i, s:{s:i, s:i, s:i}, s:{s:o, s:o, s:o}}", "scenario", options->scenario, "union",
        options->names[LR_UNION], "confederate", options->names[LR_CONFEDERATE], "seed", seed, "games", s->games,
        "wins", "union", wins[LR_UNION], "confederate", wins[LR_CONFEDERATE], "draw", wins[LR_NOBODY],
        "wins_interval_95", "union", json_of_interval(wins[LR_UNION], s->games), "confederate",
        json_of_interval(wins[LR_CONFEDERATE], s->games), "draw", json_of_interval(wins[LR_NOBODY], s->games));
    json_t *rest =
        json_pack("{s:I, s:I, s:f, s:f, s:f, s:f, s:o, s:o, s:o, s:o, s:i, s:b, s:o}", "decisions",
                  (json_int_t)s->decisions.sum, "dice", (json_int_t)s->dice.sum, "seconds", s->seconds, "games_per_s",
                  per_second(s, s->games), "decisions_per_s", per_second(s, s->decisions.sum), "branching",
                  branching(s), "score", json_of_sample(&s->score), "decisions_per_game", json_of_sample(&s->decisions),
                  "dice_per_game", json_of_sample(&s->dice), "reasons", json_of_reasons(s), "games_wanted",
                  options->games, "complete", s->outcome.played == options->games, "hash",
                  s->outcome.played == options->games ? json_hash(s->outcome.hash) : json_null());
    if (report && rest) json_object_update(report, rest);
    json_decref(rest);
    return json_print(report);
}

static void print_wins(const struct summary *summary, int winner) {
    double low, high, share = summary->games ? 100.0 * summary->wins[winner] / summary->games : 0;
    wilson(summary->wins[winner], summary->games, &low, &high);
    printf("  %-12s %8d  %5.1f %%  (95 %%: %.1f to %.1f)\n", winner_name(winner), summary->wins[winner], share,
           100 * low, 100 * high);
}

static void print_sample(const char *what, const struct sample *sample) {
    printf("%-18s mean %.1f, standard deviation %.1f, from %.0f to %.0f\n", what, sample_mean(sample),
           sample_deviation(sample), sample->least, sample->greatest);
}

static void print_text(const struct selfplay_options *options, const struct summary *s) {
    printf("%s, %d games: %s (union) against %s (confederate), seed %llu\n", options->scenario, s->games,
           options->names[LR_UNION], options->names[LR_CONFEDERATE], (unsigned long long)options->seed);
    puts("wins:");
    print_wins(s, LR_UNION);
    print_wins(s, LR_CONFEDERATE);
    print_wins(s, LR_NOBODY);
    print_sample("victory points:", &s->score);
    print_sample("decisions a game:", &s->decisions);
    print_sample("dice a game:", &s->dice);
    printf("%-18s %.1f legal actions a decision\n", "branching:", branching(s));
    for (int i = 0; i < REASONS && s->reasons[i].reason; i++)
        printf("%-18s %s: %d\n", i ? "" : "how games ended:", s->reasons[i].reason, s->reasons[i].games);
    printf("%-18s %.2f s, %.0f games/s, %.0f decisions/s\n", "time:", s->seconds, per_second(s, s->games),
           per_second(s, s->decisions.sum));
    if (s->outcome.played == options->games) printf("%-18s %016llx\n", "hash:", (unsigned long long)s->outcome.hash);
    if (options->folder) printf("%-18s %s/game-000001.txt ...\n", "replays:", options->folder);
}

/* ---- The command ---- */

static int report(const struct selfplay_options *options, const struct summary *summary) {
    if (!options->json)
        print_text(options, summary);
    else if (print_json(options, summary))
        return EXIT_FAULT;
    if (summary->outcome.played == options->games) return EXIT_DONE;
    return fail(EXIT_FAULT, "stopped after %d of %d games", summary->outcome.played, options->games);
}

static int run_games(const struct selfplay_options *options, const struct selfplay *plan, struct sitting *sitting,
                     struct match_result *results) {
    struct summary summary = {0};
    lr_error error;
    progress_start(&sitting->progress, options->games, options->quiet);
    int code = selfplay_run(plan, results, &summary.outcome, &error);
    summary.seconds = seconds_now() - sitting->progress.started;
    if (code) return fail_library(&error);
    progress_end(&sitting->progress, summary.outcome.played);
    sum_up(&summary, results, options->games);
    return report(options, &summary);
}

static int play_with(const struct selfplay_options *options, const lr_game *game, lr_chooser *const agents[2]) {
    struct sitting sitting = {.options = options};
    struct selfplay plan = {.game = game, .seed = options->seed, .games = options->games, .threads = options->threads};
    plan.progress = on_progress;
    plan.keep = options->folder ? on_game : NULL;
    plan.context = &sitting;
    plan.stop = interrupts_listen(1);
    for (int side = 0; side < 2; side++) plan.agents[side] = agents[side];
    if (options->folder && make_folder(options->folder)) return EXIT_FAULT;
    struct match_result *results = calloc((size_t)options->games, sizeof *results);
    if (!results) return fail(EXIT_FAULT, "no memory for the results of %d games", options->games);
    int code = run_games(options, &plan, &sitting, results);
    free(results);
    return code;
}

static int play_all(const struct selfplay_options *options, const lr_game *game) {
    lr_chooser *agents[2];
    int code = open_agents(options->names, agents);
    if (code) return code;
    code = play_with(options, game, agents);
    close_agents(agents);
    return code;
}

int selfplay_command_run(int argc, char **argv) {
    struct selfplay_options options = {.names = {"greedy", "greedy"}, .seed = 1, .games = 1000};
    if (!options_parse("longroll selfplay", &argp, argc, argv, &options)) return EXIT_USAGE;
    lr_game *game;
    lr_error error;
    if (lr_game_open(options.scenario, &game, &error)) return fail_name(options.scenario, &error);
    int code = play_all(&options, game);
    lr_game_close(game);
    return code;
}
