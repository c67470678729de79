/* rate.c: `longroll rate`: gives a newcomer a rating on the calibrated ladder.
 *
 * He plays in two parts. A quarter of the games is spread evenly over all of the ladder's bots, and says roughly where
 * he stands; the rest is played against the three bots nearest to that, for a game says most about a rating when its
 * end is open. Both parts are then rated together with the ladder's own games, so that the error that is stated
 * contains the ladder's. */
#include "agents/ladder.h"
#include "cli/calibrate.h"
#include "cli/cli.h"
#include "cli/report.h"
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NEAREST = 3 };

struct rate_options {
    const char *spec, *ladder, *keep;
    const char *scenarios[PLAN_SCENARIOS];
    int scenario_count, games, workers, move_ms;
    uint64_t seed;
    bool json, quiet;
};

enum { OPTION_LADDER = 256, OPTION_KEEP, OPTION_MOVE, OPTION_JSON, OPTION_QUIET };

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct rate_options *options = state->input;
    switch (key) {
    case 'n': return options_int("--games", argument, 2, 1000000, &options->games);
    case 'w': return options_int("--workers", argument, 1, 1024, &options->workers);
    case 's': return options_number("--seed", argument, 0, UINT64_MAX, &options->seed);
    case 'S':
        if (options->scenario_count == PLAN_SCENARIOS) return options_fault("too many scenarios");
        options->scenarios[options->scenario_count++] = argument;
        return 0;
    case OPTION_LADDER: options->ladder = argument; return 0;
    case OPTION_KEEP: options->keep = argument; return 0;
    case OPTION_MOVE: return options_int("--move-ms", argument, 0, 86400000, &options->move_ms);
    case OPTION_JSON: options->json = true; return 0;
    case OPTION_QUIET: options->quiet = true; return 0;
    case ARGP_KEY_ARG:
        if (options->spec) return options_fault("rate takes one BOT: what is '%s'?", argument);
        options->spec = argument;
        return 0;
    case ARGP_KEY_NO_ARGS: return options_fault("rate needs a BOT, such as greedy or 'exec:./mybot'");
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option option_table[] = {
    {"games", 'n', "N", 0, "How many games, about (default 400): the rating's error falls with their square root", 0},
    {"scenario", 'S', "NAME", 0, "Rate on this scenario of the ladder's; may be given again (default: all of them)", 0},
    {"workers", 'w', "N", 0, "Games at a time (default: one a core); results do not depend on it", 0},
    {"seed", 's', "N", 0, "Root seed of the games (default 1)", 0},
    {"move-ms", OPTION_MOVE, "MS", 0, "Time for a decision, after which the game is lost (default 60000); 0: no limit",
     0},
    {"ladder", OPTION_LADDER, "FILE", 0, "The ladder (default: that of this build, " LONGROLL_LADDER ")", 0},
    {"keep", OPTION_KEEP, "DIR", 0,
     "Keep the games in DIR/part-1.db and DIR/part-2.db, for longroll report; an interrupted run goes on from there",
     0},
    {"json", OPTION_JSON, 0, 0, "Print JSON: elo{value, low, high}, union, confederate, games, faults, opponents[]", 0},
    {"quiet", OPTION_QUIET, 0, 0, "No progress line", 0},
    {0},
};

static const struct argp argp = {
    .options = option_table,
    .parser = parse,
    .args_doc = "BOT",
    .doc =
        "Plays a bot against the calibrated ladder (agents/LADDER.md), in pairs on common dice, and gives its "
        "rating with an "
        "interval of 95 %: a quarter of the games evenly against all of the ladder's bots, the rest against the three "
        "nearest. A ladder that was made with another version of the rules, or another text of a scenario, is refused."
        "\vExample:\n  longroll rate 'exec:python3 mybot.py' --games 200"
        "\n\nExit codes: 0 rated; 1 it could not be played, or the ladder is void; 2 bad option, "
        "unknown bot or scenario.",
};

/* ---- What is played ---- */

/* A newcomer being rated. Index 0 of a part's bots is him, the others are the ladder's. */
struct trial {
    const struct rate_options *options;
    struct ladder *ladder;
    bool use[PLAN_SCENARIOS];
    unsigned scenarios;           /* how many are used */
    struct tally *tallies;        /* [bot_count * scenario_count] as ladder_rate has them */
    int64_t faults[GAME_STOPPED]; /* his, by kind */
    struct newcomer newcomer;
    char folder[PATH_MAX];
};

static int choose_scenarios(struct trial *trial) {
    const struct rate_options *options = trial->options;
    lr_error error;
    for (unsigned i = 0; i < trial->ladder->scenario_count; i++) trial->use[i] = !options->scenario_count;
    for (int i = 0; i < options->scenario_count; i++) {
        int index = ladder_scenario(trial->ladder, options->scenarios[i], &error);
        if (index < 0) return fail(EXIT_USAGE, "%s", error.text);
        trial->use[index] = true;
    }
    for (unsigned i = 0; i < trial->ladder->scenario_count; i++) trial->scenarios += trial->use[i];
    return EXIT_DONE;
}

/* The newcomer against some of the ladder's bots: a gauntlet. NULL: no memory, or an error that was said. */
static struct plan *plan_part(const struct trial *trial, const int *bots, int count, int rounds, int part) {
    struct plan *plan = plan_new();
    lr_error error = {.text = "no memory for a plan"};
    if (!plan) {
        fail(EXIT_FAULT, "%s", error.text);
        return NULL;
    }
    int code = plan_add_bot(plan, "newcomer", trial->options->spec, &error);
    for (int i = 0; i < count && !code; i++) {
        const struct plan_bot *bot = &trial->ladder->bots[bots[i]];
        code =
            plan_add_bot(plan, strcmp(bot->name, "newcomer") ? bot->name : "newcomer of the ladder", bot->spec, &error);
    }
    for (unsigned i = 0; i < trial->ladder->scenario_count && !code; i++)
        if (trial->use[i]) code = plan_add_scenario(plan, trial->ladder->scenarios[i].name, &error);
    plan->format = PLAN_GAUNTLET;
    plan->rounds = rounds;
    plan->seed = lr_environment_seed(trial->options->seed, (uint64_t)part);
    plan->clock.move_us = INT64_C(1000) * trial->options->move_ms;
    if (!code) code = plan_check(plan, &error);
    if (!code) return plan;
    plan_close(plan);
    fail(code == LR_E_ARGUMENT ? EXIT_USAGE : EXIT_FAULT, "%s", error.text);
    return NULL;
}

static int check_void(const struct trial *trial, lr_game *const *games) {
    lr_error error;
    for (unsigned i = 0, played = 0; i < trial->ladder->scenario_count; i++)
        if (trial->use[i] && ladder_match(trial->ladder, (int)i, games[played++], &error)) return fail_library(&error);
    return EXIT_DONE;
}

static int count_part(struct trial *trial, struct ledger *ledger, const int *bots, int count) {
    struct standings *standings;
    lr_error error;
    if (standings_read(ledger, "newcomer", &standings, &error)) return fail_library(&error);
    for (int i = 0; i < count; i++) {
        for (unsigned s = 0, played = 0; s < trial->ladder->scenario_count; s++) {
            if (!trial->use[s]) continue;
            struct tally tally = standings_meeting(standings, 0, i + 1, (int)played++);
            tally_add(&trial->tallies[(unsigned)bots[i] * trial->ladder->scenario_count + s], &tally);
        }
    }
    for (int kind = 0; kind < GAME_STOPPED; kind++) trial->faults[kind] += standings->records[0].faults[kind];
    standings_close(standings);
    return EXIT_DONE;
}

static int play_part(struct trial *trial, const struct plan *plan, const char *path, const int *bots, int count) {
    lr_game *games[PLAN_SCENARIOS] = {0};
    struct ledger *ledger;
    int code = calibration_open_games(plan, games);
    if (!code) code = check_void(trial, games);
    if (!code) {
        const struct calibration calibration = {plan, games, path, trial->options->workers, trial->options->quiet};
        code = calibration_play(&calibration, &ledger);
    }
    if (!code) {
        code = count_part(trial, ledger, bots, count);
        ledger_close(ledger);
    }
    calibration_close_games(plan, games);
    return code;
}

/* Part 1 or 2, into its ledger. */
static int run_part(struct trial *trial, const int *bots, int count, int rounds, int part) {
    char path[PATH_MAX + 16];
    struct plan *plan = plan_part(trial, bots, count, rounds, part);
    if (!plan) return EXIT_USAGE;
    snprintf(path, sizeof path, "%s/part-%d.db", trial->folder, part);
    int code = play_part(trial, plan, path, bots, count);
    plan_close(plan);
    return code;
}

static int rate_now(struct trial *trial) {
    lr_error error;
    uint64_t stream = lr_environment_seed(trial->options->seed, 0);
    return ladder_rate(trial->ladder, trial->tallies, trial->use, stream, &trial->newcomer, &error)
               ? fail_library(&error)
               : EXIT_DONE;
}

/* The bots whose ratings are nearest to the newcomer's, nearest first. */
static int find_nearest(const struct trial *trial, int nearest[NEAREST], int *count) {
    struct interval ratings[PLAN_BOTS];
    bool taken[PLAN_BOTS] = {0};
    lr_error error;
    if (ladder_ratings(trial->ladder, trial->use, ratings, &error)) return fail_library(&error);
    for (*count = 0; *count < NEAREST; ++*count) {
        double least = INFINITY;
        int found = -1;
        for (unsigned bot = 0; bot < trial->ladder->bot_count; bot++) {
            double away = fabs(ratings[bot].value - trial->newcomer.all.value);
            if (taken[bot] || !(away < least)) continue;
            least = away;
            found = (int)bot;
        }
        if (found < 0) break;
        taken[found] = true;
        nearest[*count] = found;
    }
    return EXIT_DONE;
}

static int play(struct trial *trial) {
    int all[PLAN_BOTS], nearest[NEAREST], near = 0, bots = (int)trial->ladder->bot_count;
    int scenarios = (int)trial->scenarios, pairs = trial->options->games / 2, round = bots * scenarios;
    for (int i = 0; i < bots; i++) all[i] = i;
    assert(round > 0); /* a ladder has bots and scenarios */
    if (pairs < round)
        return fail(EXIT_USAGE, "--games: at least %d, a pair against each of %d bots in each of %d scenarios",
                    2 * round, bots, scenarios);
    int evenly = pairs / 4 / round ? pairs / 4 / round : 1;
    int code = run_part(trial, all, bots, evenly, 1);
    if (!code) code = rate_now(trial);
    if (!code) code = find_nearest(trial, nearest, &near);
    int more = code || !near ? 0 : (pairs - evenly * round) / (near * scenarios);
    if (more) code = run_part(trial, nearest, near, more, 2);
    return code ? code : rate_now(trial);
}

/* ---- What is said ---- */

static struct tally meeting(const struct trial *trial, unsigned bot) {
    struct tally sum = {0};
    for (unsigned s = 0; s < trial->ladder->scenario_count; s++)
        tally_add(&sum, &trial->tallies[bot * trial->ladder->scenario_count + s]);
    return sum;
}

static int64_t games_played(const struct trial *trial) {
    int64_t pairs = 0;
    for (unsigned bot = 0; bot < trial->ladder->bot_count; bot++) {
        struct tally tally = meeting(trial, bot);
        pairs += tally_count(&tally);
    }
    return 2 * pairs;
}

static void put_interval(const char *before, const struct interval *interval, const char *after) {
    char value[ELO_TEXT], low[ELO_TEXT], high[ELO_TEXT];
    printf("%s%s (%s to %s)%s", before, elo_text(interval->value, value), elo_text(interval->low, low),
           elo_text(interval->high, high), after);
}

static void put_text(const struct trial *trial, const struct interval *ratings) {
    printf("%s\n", trial->options->spec);
    put_interval("  rating          ", &trial->newcomer.all, "");
    printf(" Elo, interval of 95 %%, after %lld games; %s = 0\n", (long long)games_played(trial),
           trial->ladder->anchor);
    put_interval("  as the Union    ", &trial->newcomer.sides[LR_UNION], "\n");
    put_interval("  as Confederate  ", &trial->newcomer.sides[LR_CONFEDERATE], "\n");
    for (int kind = GAME_PLAYED + 1; kind < GAME_STOPPED; kind++)
        if (trial->faults[kind])
            printf("  lost by its own fault (%s): %lld games\n", game_end_name(kind), (long long)trial->faults[kind]);
    printf("\n  %-24s %22s %7s %8s\n", "against", "of rating", "games", "score");
    for (unsigned bot = 0; bot < trial->ladder->bot_count; bot++) {
        struct tally tally = meeting(trial, bot);
        struct strength strength;
        char rating[ELO_TEXT], low[ELO_TEXT], high[ELO_TEXT], text[80];
        strength_of(&tally, &strength);
        snprintf(text, sizeof text, "%s (%s to %s)", elo_text(ratings[bot].value, rating),
                 elo_text(ratings[bot].low, low), elo_text(ratings[bot].high, high));
        printf("  %-24s %22s %7lld %6.1f %%\n", trial->ladder->bots[bot].name, text, 2 * (long long)strength.pairs,
               100 * strength.score.value);
    }
}

static json_t *json_number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

static json_t *json_elo(const struct interval *interval) {
    return json_pack("{s:o, s:o, s:o}", "value", json_number(interval->value), "low", json_number(interval->low),
                     "high", json_number(interval->high));
}

static int put_json(const struct trial *trial, const struct interval *ratings) {
    json_t *opponents = json_array(), *faults = json_object();
    for (unsigned bot = 0; bot < trial->ladder->bot_count; bot++) {
        struct tally tally = meeting(trial, bot);
        struct strength strength;
        strength_of(&tally, &strength);
        json_array_append_new(opponents, json_pack("{s:s, s:o, s:I, s:f}", "name", trial->ladder->bots[bot].name, "elo",
                                                   json_elo(&ratings[bot]), "games", 2 * (json_int_t)strength.pairs,
                                                   "score", strength.score.value));
    }
    for (int kind = GAME_PLAYED + 1; kind < GAME_STOPPED; kind++)
        json_object_set_new(faults, game_end_name(kind), json_integer(trial->faults[kind]));
    return json_print(json_pack("{s:s, s:s, s:o, s:o, s:o, s:I, s:o, s:o}", "bot", trial->options->spec, "anchor",
                                trial->ladder->anchor, "elo", json_elo(&trial->newcomer.all), "union",
                                json_elo(&trial->newcomer.sides[LR_UNION]), "confederate",
                                json_elo(&trial->newcomer.sides[LR_CONFEDERATE]), "games",
                                (json_int_t)games_played(trial), "faults", faults, "opponents", opponents));
}

static int report(const struct trial *trial) {
    struct interval ratings[PLAN_BOTS];
    lr_error error;
    if (ladder_ratings(trial->ladder, trial->use, ratings, &error)) return fail_library(&error);
    if (trial->options->json) return put_json(trial, ratings);
    put_text(trial, ratings);
    return EXIT_DONE;
}

/* ---- The command ---- */

/* The ledgers stand in --keep, or in a folder of ours that goes when we go. */
static int make_folder(struct trial *trial) {
    const char *keep = trial->options->keep, *temporary = getenv("TMPDIR");
    if (keep) {
        if (mkdir(keep, 0777) && errno != EEXIST)
            return fail(EXIT_FAULT, "cannot make the folder %s: %s", keep, strerror(errno));
        snprintf(trial->folder, sizeof trial->folder, "%s", keep);
        return EXIT_DONE;
    }
    snprintf(trial->folder, sizeof trial->folder, "%s/longroll-rate-XXXXXX",
             temporary && *temporary ? temporary : "/tmp");
    if (mkdtemp(trial->folder)) return EXIT_DONE;
    return fail(EXIT_FAULT, "cannot make a folder in %s: %s", temporary ? temporary : "/tmp", strerror(errno));
}

static void remove_folder(const struct trial *trial) {
    static const char *const ends[] = {"", "-wal", "-shm", ".lock"};
    char path[PATH_MAX + 32];
    if (trial->options->keep) return;
    for (int part = 1; part <= 2; part++) {
        for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
            snprintf(path, sizeof path, "%s/part-%d.db%s", trial->folder, part, ends[i]);
            unlink(path);
        }
    }
    rmdir(trial->folder);
}

static int try_out(struct trial *trial) {
    int code = choose_scenarios(trial);
    if (code) return code;
    trial->tallies = calloc((size_t)trial->ladder->bot_count * trial->ladder->scenario_count, sizeof *trial->tallies);
    if (!trial->tallies) return fail(EXIT_FAULT, "no memory to rate a bot");
    code = make_folder(trial);
    if (code) return code;
    code = play(trial);
    remove_folder(trial);
    return code ? code : report(trial);
}

int rate_run(int argc, char **argv) {
    struct rate_options options = {.games = 400, .seed = 1, .move_ms = 60000, .ladder = LONGROLL_LADDER};
    struct trial trial = {.options = &options};
    lr_error error;
    if (!options_parse("longroll rate", &argp, argc, argv, &options)) return EXIT_USAGE;
    if (ladder_read(options.ladder, &trial.ladder, &error)) return fail_library(&error);
    int code = try_out(&trial);
    free(trial.tallies);
    ladder_close(trial.ladder);
    return code;
}
