/* play.c: `longroll play`: one game between two agents, told, shown, recorded. */
#include "cli/cli.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct play_options {
    const char *scenario, *names[2], *replay;
    uint64_t seed;
    bool show, json;
};

enum { OPTION_SHOW = 256, OPTION_JSON };

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct play_options *options = state->input;
    switch (key) {
    case 'u': options->names[LR_UNION] = argument; return 0;
    case 'c': options->names[LR_CONFEDERATE] = argument; return 0;
    case 's': return options_number("--seed", argument, 0, UINT64_MAX, &options->seed);
    case 'r': options->replay = argument; return 0;
    case OPTION_SHOW: options->show = true; return 0;
    case OPTION_JSON: options->json = true; return 0;
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
    {"union", 'u', "AGENT", 0, "Who plays the Union, as longroll list names it (default greedy)", 0},
    {"confederate", 'c', "AGENT", 0, "Who plays the Confederacy, likewise (default greedy)", 0},
    {"seed", 's', "N", 0, "Seed of the dice and the agents, decimal or 0x... (default 1)", 0},
    {"replay", 'r', "FILE", 0, "Write the game to FILE", 0},
    {"show", OPTION_SHOW, 0, 0, "Print the actions and the map after each phase", 0},
    {"json", OPTION_JSON, 0, 0, "Print the result as JSON", 0},
    {0},
};

static const struct argp argp = {
    .options = option_table,
    .parser = parse,
    .args_doc = "SCENARIO",
    .doc = "Plays one game between two agents. The same seed gives the same game."
           "\vExample:\n  longroll play cedar-mountain/historical --seed 7 --replay game.txt"
           "\n\nExit codes: 0 played; 1 it could not be played or written; 2 bad option, unknown "
           "scenario or agent.",
};

static void print_text(const struct play_options *options, const lr_game *game, const struct match_result *result,
                       uint64_t hash) {
    double branching = result->decisions ? (double)result->legal / result->decisions : 0;
    printf("%s, seed %llu: %s (union) against %s (confederate)\n", lr_game_info(game)->scenario,
           (unsigned long long)options->seed, options->names[LR_UNION], options->names[LR_CONFEDERATE]);
    printf("result: %s (%s), score %d from the union's side\n", winner_name(result->winner), result->reason,
           result->score);
    printf("%u decisions, %.1f legal actions at each on average, %u dice, hash %016llx\n", result->decisions, branching,
           result->dice, (unsigned long long)hash);
    if (options->replay) printf("replay: %s\n", options->replay);
}

static int print_json(const struct play_options *options, const lr_game *game, const struct match_result *result,
                      uint64_t hash) {
    double branching = result->decisions ? (double)result->legal / result->decisions : 0;
    char seed[21];
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)options->seed);
    return json_print(json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:I, s:I, s:f, s:o, s:s?}", "scenario",
                                lr_game_info(game)->scenario, "seed", seed, "union", options->names[LR_UNION],
                                "confederate", options->names[LR_CONFEDERATE], "winner", winner_name(result->winner),
                                "reason", result->reason, "score", result->score, "decisions",
                                (json_int_t)result->decisions, "dice", (json_int_t)result->dice, "branching", branching,
                                "hash", json_hash(hash), "replay", options->replay));
}

static int write_replay(const char *path, const lr_replay *replay) {
    char *text = text_of_replay(replay);
    if (!text) return fail(EXIT_FAULT, "no memory for the replay");
    lr_error error;
    int code = lr_file_write(path, text, strlen(text), &error);
    free(text);
    return code ? fail_library(&error) : EXIT_DONE;
}

static int play_into(const struct play_options *options, const lr_game *game, struct match *match, lr_replay *replay) {
    struct match_result result;
    lr_error error;
    if (match_play(match, options->seed, 0, replay, &result, &error)) return fail_library(&error);
    if (options->show && show_replay(game, replay)) return EXIT_FAULT;
    if (options->replay && write_replay(options->replay, replay)) return EXIT_FAULT;
    uint64_t hash = lr_replay_hash(replay);
    if (options->json) return print_json(options, game, &result, hash);
    print_text(options, game, &result, hash);
    return EXIT_DONE;
}

static int play_between(const struct play_options *options, const lr_game *game, lr_chooser *const agents[2]) {
    lr_error error;
    struct match *match;
    if (match_open(game, (const lr_chooser *const[]){agents[0], agents[1]}, &match, &error))
        return fail_library(&error);
    lr_replay *replay;
    int code = EXIT_FAULT;
    if (lr_replay_new(game, options->seed, 0, agents[0]->name, agents[1]->name, &replay, &error)) {
        fail_library(&error);
    } else {
        code = play_into(options, game, match, replay);
        lr_replay_free(replay);
    }
    match_close(match);
    return code;
}

static int play_game(const struct play_options *options, const lr_game *game) {
    lr_chooser *agents[2];
    int code = open_agents(options->names, agents);
    if (code) return code;
    code = play_between(options, game, agents);
    close_agents(agents);
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
