/* position.c: `longroll show`, `legal` and `apply`: a position from a state file or a scenario, looked at and played
 * on by hand. */
#include "cli/cli.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct position_options {
    const char *command, *name, *out;
    char **actions;
    int action_count;
    bool json;
};

enum { OPTION_OUT = 256, OPTION_JSON };

/* State files are told from scenario names by their ending, so one written without it could not be read back. */
static error_t take_out(struct position_options *options, const char *path) {
    size_t length = strlen(path);
    if (length < 6 || strcmp(path + length - 5, ".yaml"))
        return options_fault("--out takes a FILE that ends in .yaml, not '%s'", path);
    options->out = path;
    return 0;
}

static error_t take_argument(struct position_options *options, char *argument) {
    if (!options->name) {
        options->name = argument;
        return 0;
    }
    if (!options->actions) return options_fault("%s takes one STATE: what is '%s'?", options->command, argument);
    options->actions[options->action_count++] = argument;
    return 0;
}

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct position_options *options = state->input;
    switch (key) {
    case OPTION_OUT: return take_out(options, argument);
    case OPTION_JSON: options->json = true; return 0;
    case ARGP_KEY_ARG: return take_argument(options, argument);
    case ARGP_KEY_NO_ARGS: return options_fault("%s needs a STATE: a state file or a scenario", options->command);
    case ARGP_KEY_END:
        if (options->actions && !options->action_count)
            return options_fault("apply needs an ACTION; longroll legal %s lists them", options->name);
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* Opens the position named; EXIT_DONE, or what to exit with. */
static int open_position(const struct position_options *options, lr_game **game, lr_state **state) {
    lr_error error;
    if (lr_position_open(options->name, game, state, &error)) return fail_name(options->name, &error);
    return EXIT_DONE;
}

static int write_state(const char *path, const lr_game *game, const lr_state *state) {
    char *text = text_of_state(game, state);
    if (!text) return fail(EXIT_FAULT, "no memory for the state file");
    lr_error error;
    int code = lr_file_write(path, text, strlen(text), &error);
    free(text);
    return code ? fail_library(&error) : EXIT_DONE;
}

/* What every report says about where the game is. */
static json_t *json_of_position(const lr_game *game, const lr_state *state) {
    char heading[LR_MAX_TEXT];
    bool over = lr_to_move(game, state) == LR_NOBODY;
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:i, s:b, s:s?, s:s, s:o}", "scenario", lr_game_info(game)->scenario,
                     "ruleset", lr_game_info(game)->ruleset, "heading", lr_heading(game, state, heading), "to_move",
                     mover_name(lr_to_move(game, state)), "decision", lr_decision(game, state), "score",
                     lr_score(game, state), "over", over, "winner", over ? winner_name(winner_of(game, state)) : NULL,
                     "reason", lr_end_reason(game, state), "hash", json_hash(lr_hash(game, state)));
}

static void print_standing(const lr_game *game, const lr_state *state) {
    char heading[LR_MAX_TEXT];
    lr_heading(game, state, heading);
    if (lr_to_move(game, state) == LR_NOBODY)
        printf("%s: %s (%s), score %d from the union's side\n", heading, winner_name(winner_of(game, state)),
               lr_end_reason(game, state), lr_score(game, state));
    else
        printf("%s: %s to move (%s), score %d from the union's side\n", heading, mover_name(lr_to_move(game, state)),
               lr_decision(game, state), lr_score(game, state));
}

/* ---- show ---- */

static int print_map(const lr_game *game, const lr_state *state) {
    char *map = text_of_map(game, state);
    if (!map) return fail(EXIT_FAULT, "no memory to draw the map");
    fputs(map, stdout);
    free(map);
    print_standing(game, state);
    return EXIT_DONE;
}

static int show_json(const lr_game *game, const lr_state *state) {
    json_t *report = json_of_position(game, state);
    char *text = text_of_state(game, state);
    if (report && text) json_object_set_new(report, "state", json_string(text));
    free(text);
    return json_print(report);
}

static int show(const struct position_options *options, const lr_game *game, const lr_state *state) {
    if (options->out && write_state(options->out, game, state)) return EXIT_FAULT;
    return options->json ? show_json(game, state) : print_map(game, state);
}

static const struct argp_option show_table[] = {
    {"out", OPTION_OUT, "FILE", 0, "Also write the position to FILE (.yaml), a state file to edit or play on from", 0},
    {"json", OPTION_JSON, 0, 0, "Print JSON: scenario, heading, to_move, decision, score, over, winner, hash, state",
     0},
    {0},
};

static const struct argp show_argp = {
    .options = show_table,
    .parser = parse,
    .args_doc = "STATE",
    .doc =
        "Draws a position: that of a state file, or the first one of a scenario."
        "\vExample:\n  longroll show cedar-mountain/historical --out start.yaml\n\nExit codes: 0 done; 1 the file is "
        "faulty or cannot be read or written; 2 bad option, no such file or scenario.",
};

int show_run(int argc, char **argv) {
    struct position_options options = {.command = "show"};
    if (!options_parse("longroll show", &show_argp, argc, argv, &options)) return EXIT_USAGE;
    lr_game *game;
    lr_state *state;
    int code = open_position(&options, &game, &state);
    if (code) return code;
    code = show(&options, game, state);
    free(state);
    lr_game_close(game);
    return code;
}

/* ---- legal ---- */

static json_t *json_of_actions(const lr_game *game, const lr_state *state, const uint16_t *legal, int count) {
    json_t *actions = json_array();
    char text[LR_MAX_TEXT];
    for (int i = 0; i < count; i++)
        json_array_append_new(
            actions, json_pack("{s:i, s:s}", "id", (int)legal[i], "text", lr_action_text(game, state, legal[i], text)));
    return actions;
}

static int list_legal(const struct position_options *options, const lr_game *game, const lr_state *state) {
    uint16_t legal[LR_MAX_ACTIONS];
    int count = lr_legal(game, state, legal);
    if (options->json) {
        json_t *report = json_of_position(game, state);
        if (report) json_object_set_new(report, "actions", json_of_actions(game, state, legal, count));
        return json_print(report);
    }
    print_standing(game, state);
    char text[LR_MAX_TEXT];
    for (int i = 0; i < count; i++) printf("%5d  %s\n", (int)legal[i], lr_action_text(game, state, legal[i], text));
    return EXIT_DONE;
}

static const struct argp_option legal_table[] = {
    {"json", OPTION_JSON, 0, 0, "Print JSON: to_move, decision, actions[{id, text}] and more", 0},
    {0},
};

static const struct argp legal_argp = {
    .options = legal_table,
    .parser = parse,
    .args_doc = "STATE",
    .doc =
        "Lists the legal actions of a position (at a chance node: the outcomes), each with its id and its text. "
        "STATE is a state file or a scenario."
        "\vExample:\n  longroll legal cedar-mountain/historical --json\n\nExit codes: 0 done; 1 the file is faulty or "
        "cannot be read; 2 bad option, no such file or scenario.",
};

int legal_run(int argc, char **argv) {
    struct position_options options = {.command = "legal"};
    if (!options_parse("longroll legal", &legal_argp, argc, argv, &options)) return EXIT_USAGE;
    lr_game *game;
    lr_state *state;
    int code = open_position(&options, &game, &state);
    if (code) return code;
    code = list_legal(&options, game, state);
    free(state);
    lr_game_close(game);
    return code;
}

/* ---- apply ---- */

/* No action's text has more words than this. */
enum { MOST_WORDS = 4 };

/* Joins `words` arguments with blanks; false if that is longer than any action's text. */
static bool join(char *const *arguments, int words, char *text, size_t size) {
    size_t length = 0;
    text[0] = '\0';
    for (int i = 0; i < words; i++) {
        int more = snprintf(text + length, size - length, "%s%s", i ? " " : "", arguments[i]);
        length += (size_t)more;
        if (length >= size) return false;
    }
    return true;
}

/* The next action among the arguments: the longest run of words that names a legal one ("reroll 1" before
 * "reroll"). Returns the number of words taken, 0 if none does; `error` then says what is wrong with the first. */
static int next_action(const lr_game *game, const lr_state *state, char *const *arguments, int left, int *action,
                       lr_error *error) {
    char text[4 * LR_MAX_TEXT];
    for (int words = left < MOST_WORDS ? left : MOST_WORDS; words > 0; words--) {
        if (!join(arguments, words, text, sizeof text)) continue;
        *action = lr_action_parse(game, state, text, error);
        if (*action >= 0) return words;
    }
    /* A text of two words that is wrong in its second ("roll 11") is best told whole. */
    bool two = left > 1 && !strchr(arguments[0], ' ') && join(arguments, 2, text, sizeof text);
    lr_action_parse(game, state, two ? text : arguments[0], error);
    return 0;
}

struct played {
    json_t *actions; /* [{id, text}] */
    int count;
};

static int apply_all(const struct position_options *options, const lr_game *game, lr_state *state,
                     struct played *played) {
    lr_error error;
    for (int at = 0; at < options->action_count;) {
        int action;
        int words = next_action(game, state, options->actions + at, options->action_count - at, &action, &error);
        played->count++;
        if (!words) return fail(EXIT_FAULT, "action %d: %s", played->count, error.text);
        char text[LR_MAX_TEXT];
        lr_action_text(game, state, action, text);
        if (lr_apply(game, state, action, &error)) return fail(EXIT_FAULT, "action %d: %s", played->count, error.text);
        json_array_append_new(played->actions, json_pack("{s:i, s:s}", "id", action, "text", text));
        at += words;
    }
    return EXIT_DONE;
}

static int apply_json(const struct position_options *options, const lr_game *game, const lr_state *state,
                      json_t *actions) {
    json_t *report = json_of_position(game, state);
    char *text = options->out ? NULL : text_of_state(game, state);
    if (report) json_object_set(report, "applied", actions);
    if (report && text) json_object_set_new(report, "state", json_string(text));
    free(text);
    return json_print(report);
}

static int print_state(const lr_game *game, const lr_state *state) {
    char *text = text_of_state(game, state);
    if (!text) return fail(EXIT_FAULT, "no memory for the state file");
    fputs(text, stdout);
    free(text);
    return EXIT_DONE;
}

static int apply(const struct position_options *options, const lr_game *game, lr_state *state, json_t *actions) {
    struct played played = {.actions = actions};
    if (apply_all(options, game, state, &played)) return EXIT_FAULT;
    if (options->out && write_state(options->out, game, state)) return EXIT_FAULT;
    if (options->json) return apply_json(options, game, state, actions);
    if (!options->out) return print_state(game, state);
    print_standing(game, state);
    return EXIT_DONE;
}

static const struct argp_option apply_table[] = {
    {"out", OPTION_OUT, "FILE", 0, "Write the position to FILE (.yaml) instead of printing it", 0},
    {"json", OPTION_JSON, 0, 0,
     "Print JSON: applied[{id, text}], to_move, decision, score, over, hash and, without "
     "--out, state",
     0},
    {0},
};

static const struct argp apply_argp = {
    .options = apply_table,
    .parser = parse,
    .args_doc = "STATE ACTION...",
    .doc = "Plays actions in a position and prints the one that follows as a state file. STATE is a state file or a "
           "scenario. An ACTION is a text or an id that longroll legal lists, at a chance node an outcome (roll 7); "
           "texts of several words may be quoted or not. If one is not legal, nothing is written."
           "\vExample:\n  longroll apply start.yaml unlimbered \"place 0804\" --out next.yaml\n\nExit codes: 0 done; 1 "
           "an action is not legal, or a file is faulty or cannot be read or written; 2 bad option, no such file or "
           "scenario.",
};

static int apply_to(const struct position_options *options) {
    lr_game *game;
    lr_state *state;
    int code = open_position(options, &game, &state);
    if (code) return code;
    json_t *actions = json_array();
    code = apply(options, game, state, actions);
    json_decref(actions);
    free(state);
    lr_game_close(game);
    return code;
}

int apply_run(int argc, char **argv) {
    struct position_options options = {.command = "apply"};
    options.actions = calloc((size_t)argc, sizeof *options.actions);
    if (!options.actions) return fail(EXIT_FAULT, "no memory for the actions");
    int code = options_parse("longroll apply", &apply_argp, argc, argv, &options) ? apply_to(&options) : EXIT_USAGE;
    free(options.actions);
    return code;
}
