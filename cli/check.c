/* check.c: `longroll check`: whether a scenario file or a state file is valid. */
#include "cli/cli.h"
#include <stdio.h>
#include <stdlib.h>

struct check_options {
    const char *path;
    bool json;
};

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct check_options *options = state->input;
    switch (key) {
    case 'j': options->json = true; return 0;
    case ARGP_KEY_ARG:
        if (options->path) return options_fault("check takes one FILE: what is '%s'?", argument);
        options->path = argument;
        return 0;
    case ARGP_KEY_NO_ARGS: return options_fault("check needs a FILE");
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option option_table[] = {
    {"json", 'j', 0, 0, "Print the description as JSON", 0},
    {0},
};

static const struct argp argp = {
    .options = option_table,
    .parser = parse,
    .args_doc = "FILE",
    .doc = "Validates a scenario file or a state file (or a scenario by its name) and describes it in a few words. "
           "A fault is named with its line or its path in the file."
           "\vExample:\n  longroll check scenarios/cedar-mountain/historical.yaml\n\nExit codes: 0 valid; 1 not valid, "
           "or it cannot be read; 2 bad option, no such file.",
};

static int describe(const struct check_options *options, const lr_game *game, const lr_state *state) {
    const lr_info *info = lr_game_info(game);
    char heading[LR_MAX_TEXT];
    lr_heading(game, state, heading);
    uint16_t legal[LR_MAX_ACTIONS];
    int count = lr_legal(game, state, legal);
    const char *mover = mover_name(lr_to_move(game, state)), *decision = lr_decision(game, state);
    if (options->json)
        return json_print(json_pack("{s:b, s:s, s:s, s:s, s:s, s:s, s:s, s:i}", "valid", 1, "scenario", info->scenario,
                                    "ruleset", info->ruleset, "title", info->title, "heading", heading, "to_move",
                                    mover, "decision", decision, "actions", count));
    printf("%s: valid\n%s (%s): %s\n", options->path, info->scenario, info->ruleset, info->title);
    printf("%s: %s to move (%s), %d legal actions\n", heading, mover, decision, count);
    return EXIT_DONE;
}

int check_run(int argc, char **argv) {
    struct check_options options = {0};
    if (!options_parse("longroll check", &argp, argc, argv, &options)) return EXIT_USAGE;
    lr_game *game;
    lr_state *state;
    lr_error error;
    if (lr_position_open(options.path, &game, &state, &error)) return fail_name(options.path, &error);
    int code = lr_state_check(game, state, &error) ? fail_library(&error) : describe(&options, game, state);
    free(state);
    lr_game_close(game);
    return code;
}
