/* replay.c: `longroll replay`: a recorded game, from a file of its own or from a tournament's ledger, summed up, shown or
 * verified. Reading a replay always plays it again and proves every action, die and hash; --verify says so and nothing
 * else. */
#include "agents/ledger.h"
#include "cli/cli.h"
#include "env/game.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 16 << 20 };

struct replay_options {
    const char *path;
    uint64_t id; /* of a ledger's game; UINT64_MAX: the file is a replay */
    bool verify, show, final, json, text;
};

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct replay_options *options = state->input;
    switch (key) {
    case 'v': options->verify = true; return 0;
    case 's': options->show = true; return 0;
    case 'f': options->final = true; return 0;
    case 'j': options->json = true; return 0;
    case 't': options->text = true; return 0;
    case 'g': return options_number("--game", argument, 0, INT64_MAX, &options->id);
    case ARGP_KEY_ARG:
        if (options->path) return options_fault("replay takes one FILE: what is '%s'?", argument);
        options->path = argument;
        return 0;
    case ARGP_KEY_NO_ARGS: return options_fault("replay needs a FILE; longroll play --replay writes one");
    case ARGP_KEY_END:
        if ((options->json || options->text) && (options->show || options->final))
            return options_fault("--json and --text do not go together with --show and --final");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option option_table[] = {
    {"verify", 'v', 0, 0, "Only say whether the game, played again, is the one recorded", 0},
    {"show", 's', 0, 0, "Print the actions and the map after each phase", 0},
    {"final", 'f', 0, 0, "Draw the last position", 0},
    {"json", 'j', 0, 0, "Print the summary as JSON", 0},
    {"text", 't', 0, 0, "Print the replay itself, in full", 0},
    {"game", 'g', "N", 0, "FILE is the ledger of a tournament: take its game N", 0},
    {0},
};

static const struct argp argp = {
    .options = option_table,
    .parser = parse,
    .args_doc = "FILE",
    .doc = "Plays a recorded game again, which proves every action, die and hash in it, and prints a summary."
           "\vExamples:\n  longroll replay game.txt --verify\n  longroll replay league.db --game 12 --text >game.txt"
           "\n\nExit codes: 0 the replay is right; 1 it is truncated, "
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

static int put_text(const lr_replay *replay) {
    char *text = text_of_replay(replay);
    if (!text) return fail(EXIT_FAULT, "no memory for the replay");
    fputs(text, stdout);
    free(text);
    return EXIT_DONE;
}

static int report(const struct replay_options *options, const lr_game *game, const lr_replay *replay) {
    if (options->text) return put_text(replay);
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

static int read_ledger(const char *path, int64_t id, char **text, size_t *length, lr_error *error) {
    struct ledger *ledger;
    int code = ledger_open(path, &ledger, error);
    if (code) return code;
    code = ledger_replay(ledger, id, text, error);
    if (!code) *length = strlen(*text);
    ledger_close(ledger);
    return code;
}

/* The library's sentence names the line; the file is named here. */
static int read_replay(const struct replay_options *options, lr_replay **replay, lr_game **game) {
    const char *path = options->path;
    char *text;
    size_t length;
    lr_error error;
    const bool alone = options->id == UINT64_MAX;
    int code = alone ? lr_file_read(path, MOST_BYTES, &text, &length, &error)
                     : read_ledger(path, (int64_t)options->id, &text, &length, &error);
    if (code && alone) return fail_name(path, &error);
    if (code) return fail(code == LR_E_NOT_FOUND ? EXIT_USAGE : EXIT_FAULT, "%s", error.text);
    code = lr_replay_parse(text, length, replay, game, &error);
    free(text);
    return code ? fail(EXIT_FAULT, "%s: %s", path, error.text) : EXIT_DONE;
}

int replay_run(int argc, char **argv) {
    struct replay_options options = {.id = UINT64_MAX};
    if (!options_parse("longroll replay", &argp, argc, argv, &options)) return EXIT_USAGE;
    lr_replay *replay = NULL;
    lr_game *game = NULL;
    int code = read_replay(&options, &replay, &game);
    if (code) return code;
    code = report(&options, game, replay);
    lr_replay_free(replay);
    lr_game_close(game);
    return code;
}
