/* play.c: `longroll play`: one game between two players, told, shown, recorded. */
#include "agents/player.h"
#include "cli/cli.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct play_options {
    const char *scenario, *names[2], *replay;
    uint64_t seed;
    struct clock_rules clock;
    bool show, json;
};

enum {
    OPTION_SHOW = 256,
    OPTION_JSON,
    OPTION_MOVE_TIME,
    OPTION_GAME_TIME,
    OPTION_INCREMENT,
    OPTION_MARGIN,
    OPTION_NODES
};

static error_t parse_time(const char *what, const char *argument, int64_t *us) {
    double seconds;
    error_t code = options_seconds(what, argument, &seconds);
    if (!code) *us = (int64_t)(seconds * 1e6);
    return code;
}

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct play_options *options = state->input;
    switch (key) {
    case 'u': options->names[LR_UNION] = argument; return 0;
    case 'c': options->names[LR_CONFEDERATE] = argument; return 0;
    case 's': return options_number("--seed", argument, 0, UINT64_MAX, &options->seed);
    case 'r': options->replay = argument; return 0;
    case OPTION_SHOW: options->show = true; return 0;
    case OPTION_JSON: options->json = true; return 0;
    case OPTION_MOVE_TIME: return parse_time("--move-time", argument, &options->clock.move_us);
    case OPTION_GAME_TIME: return parse_time("--game-time", argument, &options->clock.game_us);
    case OPTION_INCREMENT: return parse_time("--increment", argument, &options->clock.increment_us);
    case OPTION_MARGIN: return parse_time("--margin", argument, &options->clock.margin_us);
    case OPTION_NODES: return options_number("--nodes", argument, 0, UINT64_MAX, &options->clock.nodes);
    case ARGP_KEY_ARG:
        if (options->scenario) return options_fault("play takes one SCENARIO: what is '%s'?", argument);
        options->scenario = argument;
        return 0;
    case ARGP_KEY_NO_ARGS: return options_fault("play needs a SCENARIO; longroll list prints them");
    case ARGP_KEY_END:
        if (options->show && options->json) return options_fault("--show and --json do not go together");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option option_table[] = {
    {"union", 'u', "PLAYER", 0, "Who plays the Union, as longroll list names it (default greedy)", 0},
    {"confederate", 'c', "PLAYER", 0, "Who plays the Confederacy, likewise (default greedy)", 0},
    {"seed", 's', "N", 0, "Seed of the dice and the agents, decimal or 0x... (default 1)", 0},
    {"replay", 'r', "FILE", 0, "Write the game to FILE", 0},
    {"show", OPTION_SHOW, 0, 0, "Print the actions and the map after each phase", 0},
    {"json", OPTION_JSON, 0, 0, "Print the result as JSON", 0},
    {"move-time", OPTION_MOVE_TIME, "SECONDS", 0, "A player who takes longer for a decision loses (default: no limit)",
     1},
    {"game-time", OPTION_GAME_TIME, "SECONDS", 0, "The same for all decisions of a player together", 1},
    {"increment", OPTION_INCREMENT, "SECONDS", 0, "Added to the game time after each decision", 1},
    {"margin", OPTION_MARGIN, "SECONDS", 0, "Forgiven before a player loses on time", 1},
    {"nodes", OPTION_NODES, "N", 0, "Limit that programs are asked to keep in each decision", 1},
    {0},
};

static const struct argp argp = {
    .options = option_table,
    .parser = parse,
    .args_doc = "SCENARIO",
    .doc = "Plays one game between two players: agents, people, programs. The same seed gives agents the same game."
           "\vExamples:\n  longroll play cedar-mountain/historical --seed 7 --replay game.txt\n"
           "  longroll play cedar-mountain/duel --union human\n"
           "  longroll play cedar-mountain/gate --union \"exec:python3 agents/bots/random_bot.py\" --move-time 2"
           "\n\nA program that crashes, is late or answers nonsense loses the game, and the result says so."
           "\n\nExit codes: 0 played; 1 it could not be played or written; 2 bad option, unknown "
           "scenario or agent.",
};

static double branching(const struct game_result *result) {
    return result->decisions ? (double)result->legal / result->decisions : 0;
}

static const char *result_name(const struct game_result *result) {
    return result->end == GAME_STOPPED ? "none" : winner_name(result->winner);
}

static bool has_clock(const struct clock_rules *clock) { return clock->move_us || clock->game_us; }

static void print_text(const struct play_options *options, const lr_game *game, const struct game_result *result,
                       uint64_t hash) {
    printf("%s, seed %llu: %s (union) against %s (confederate)\n", lr_game_info(game)->scenario,
           (unsigned long long)options->seed, options->names[LR_UNION], options->names[LR_CONFEDERATE]);
    printf("result: %s (", result_name(result));
    if (result->end != GAME_PLAYED) printf("%s: ", game_end_name(result->end));
    printf("%s), score %d from the union's side\n", result->reason, result->score);
    printf("%u decisions, %.1f legal actions at each on average, %u dice, hash %016llx\n", result->decisions,
           branching(result), result->dice, (unsigned long long)hash);
    if (has_clock(&options->clock))
        printf("time: union %.3f s, confederate %.3f s\n", (double)result->thought_us[LR_UNION] / 1e6,
               (double)result->thought_us[LR_CONFEDERATE] / 1e6);
    if (options->replay) printf("replay: %s\n", options->replay);
}

static int print_json(const struct play_options *options, const lr_game *game, const struct game_result *result,
                      uint64_t hash) {
    char seed[21];
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)options->seed);
    return json_print(json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:I, s:I, s:f, s:[f, f], s:o, s:s?}", "scenario",
        lr_game_info(game)->scenario, "seed", seed, "union", options->names[LR_UNION], "confederate",
        options->names[LR_CONFEDERATE], "winner", result_name(result), "end", game_end_name(result->end), "reason",
        result->reason, "score", result->score, "decisions", (json_int_t)result->decisions, "dice",
        (json_int_t)result->dice, "branching", branching(result), "seconds", (double)result->thought_us[LR_UNION] / 1e6,
        (double)result->thought_us[LR_CONFEDERATE] / 1e6, "hash", json_hash(hash), "replay", options->replay));
}

static int write_replay(const char *path, const lr_replay *replay) {
    char *text = text_of_replay(replay);
    if (!text) return fail(EXIT_FAULT, "no memory for the replay");
    lr_error error;
    int code = lr_file_write(path, text, strlen(text), &error);
    free(text);
    return code ? fail_library(&error) : EXIT_DONE;
}

static int play_into(const struct play_options *options, const struct game_terms *terms) {
    struct game_result result;
    lr_error error;
    if (table_play(terms, &result, &error)) return fail_library(&error);
    if (options->show && show_replay(terms->game, terms->record)) return EXIT_FAULT;
    if (options->replay && write_replay(options->replay, terms->record)) return EXIT_FAULT;
    uint64_t hash = lr_replay_hash(terms->record);
    if (options->json) return print_json(options, terms->game, &result, hash);
    print_text(options, terms->game, &result, hash);
    return EXIT_DONE;
}

static int play_seated(struct play_options *options, struct game_terms *terms) {
    lr_error error;
    for (int side = 0; side < 2; side++) options->names[side] = player_spec(terms->players[side]);
    if (lr_replay_new(terms->game, options->seed, 0, options->names[0], options->names[1], &terms->record, &error))
        return fail_library(&error);
    int code = play_into(options, terms);
    lr_replay_free(terms->record);
    return code;
}

static int play_game(struct play_options *options, const lr_game *game) {
    struct game_terms terms = {.game = game, .clock = options->clock, .seed = options->seed, .log = stderr};
    lr_error error;
    int code = EXIT_DONE;
    for (int side = 0; side < 2 && !code; side++)
        if ((code = player_open(options->names[side], &terms.players[side], &error)))
            code = fail(code == LR_E_MEMORY ? EXIT_FAULT : EXIT_USAGE, "%s", error.text);
    if (!code) code = play_seated(options, &terms);
    for (int side = 0; side < 2; side++) player_close(terms.players[side]);
    return code;
}

int play_run(int argc, char **argv) {
    struct play_options options = {.names = {"greedy", "greedy"}, .seed = 1};
    if (!options_parse("longroll play", &argp, argc, argv, &options)) return EXIT_USAGE;
    lr_game *game;
    lr_error error;
    if (lr_game_open(options.scenario, &game, &error)) return fail_name(options.scenario, &error);
    int code = play_game(&options, game);
    lr_game_close(game);
    return code;
}
