/* replay.c: `longroll replay`: a recorded game summed up, shown or verified. Reading a replay always plays it again
 * and proves every action, die and hash; --verify says so and nothing else. */
#include "cli/cli.h"
#include "env/game.h"
#include <stdio.h>
#include <stdlib.h>

enum { MOST_BYTES = 16 << 20 };

struct replay_options {
    const char *path;
    bool verify, show, final, json;
};

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct replay_options *options = state->input;
    switch (key) {
    case 'v': options->verify = true; return 0;
    case 's': options->show = true; return 0;
    case 'f': options->final = true; return 0;
    case 'j': options->json = true; return 0;
    case ARGP_KEY_ARG:
        if (options->path) return options_fault("replay takes one FILE: what is '%s'?", argument);
        options->path = argument;
        return 0;
    case ARGP_KEY_NO_ARGS: return options_fault("replay needs a FILE; longroll play --replay writes one");
    case ARGP_KEY_END:
        if (options->json && (options->show || options->final))
            return options_fault("--json does not go together with --show and --final");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option option_table[] = {
    {"verify", 'v', 0, 0, "Only say whether the game, played again, is the one recorded", 0},
    {"show", 's', 0, 0, "Print the actions and the map after each phase", 0},
    {"final", 'f', 0, 0, "Draw the last position", 0},
    {"json", 'j', 0, 0, "Print the summary as JSON", 0},
    {0},
};

static const struct argp argp = {
    .options = option_table,
    .parser = parse,
    .args_doc = "FILE",
    .doc = "Plays a recorded game again, which proves every action, die and hash in it, and prints a summary."
           "\vExample:\n  longroll replay game.txt --verify\n\nExit codes: 0 the replay is right; 1 it is truncated, "
           "altered or of another game, or cannot be read; 2 bad option, no such file.",
};

static int print_json(const lr_game *game, const lr_replay *replay) {
    const lr_state *state = lr_replay_state(replay);
    bool over = lr_to_move(game, state) == LR_NOBODY;
    char seed[21];
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)lr_replay_seed(replay));
    return json_print(json_pack(
        "{s:b, s:s, s:s, s:I, s:s, s:s, s:i, s:b, s:s?, s:s, s:i, s:o}", "verified", 1, "scenario",
        lr_game_info(game)->scenario, "seed", seed, "episode", (json_int_t)lr_replay_episode(replay), "union",
        lr_replay_agent(replay, LR_UNION), "confederate", lr_replay_agent(replay, LR_CONFEDERATE), "actions",
        lr_replay_length(replay), "over", over, "winner", over ? winner_name(winner_of(game, state)) : NULL, "reason",
        lr_end_reason(game, state), "score", lr_score(game, state), "hash", json_hash(lr_replay_hash(replay))));
}

static void print_text(const lr_game *game, const lr_replay *replay) {
    const lr_state *state = lr_replay_state(replay);
    char heading[LR_MAX_TEXT];
    printf("%s, seed %llu, episode %u: %s (union) against %s (confederate)\n", lr_game_info(game)->scenario,
           (unsigned long long)lr_replay_seed(replay), lr_replay_episode(replay), lr_replay_agent(replay, LR_UNION),
           lr_replay_agent(replay, LR_CONFEDERATE));
    if (lr_to_move(game, state) == LR_NOBODY)
        printf("result: %s (%s), score %d from the union's side\n", winner_name(winner_of(game, state)),
               lr_end_reason(game, state), lr_score(game, state));
    else
        printf("not finished: %s, %s to move, score %d from the union's side\n", lr_heading(game, state, heading),
               mover_name(lr_to_move(game, state)), lr_score(game, state));
    printf("%d actions and dice, hash %016llx\n", lr_replay_length(replay), (unsigned long long)lr_replay_hash(replay));
}

static int draw_final(const lr_game *game, const lr_replay *replay) {
    char *map = text_of_map(game, lr_replay_state(replay));
    if (!map) return fail(EXIT_FAULT, "no memory to draw the map");
    printf("%s\n", map);
    free(map);
    return EXIT_DONE;
}

static int report(const struct replay_options *options, const lr_game *game, const lr_replay *replay) {
    if (options->json) return print_json(game, replay);
    if (options->show && show_replay(game, replay)) return EXIT_FAULT;
    if (options->final && draw_final(game, replay)) return EXIT_FAULT;
    if (options->verify)
        printf("verified: %s, %d actions and dice, hash %016llx\n", options->path, lr_replay_length(replay),
               (unsigned long long)lr_replay_hash(replay));
    else
        print_text(game, replay);
    return EXIT_DONE;
}

/* The library's sentence names the line; the file is named here. */
static int read_replay(const char *path, lr_replay **replay, lr_game **game) {
    char *text;
    size_t length;
    lr_error error;
    if (lr_file_read(path, MOST_BYTES, &text, &length, &error)) return fail_name(path, &error);
    int code = lr_replay_parse(text, length, replay, game, &error);
    free(text);
    return code ? fail(EXIT_FAULT, "%s: %s", path, error.text) : EXIT_DONE;
}

int replay_run(int argc, char **argv) {
    struct replay_options options = {0};
    if (!options_parse("longroll replay", &argp, argc, argv, &options)) return EXIT_USAGE;
    lr_replay *replay = NULL;
    lr_game *game = NULL;
    int code = read_replay(options.path, &replay, &game);
    if (code) return code;
    code = report(&options, game, replay);
    lr_replay_free(replay);
    lr_game_close(game);
    return code;
}
