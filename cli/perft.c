/* perft.c: `longroll perft`: counts all ways on from a position to a depth. */
#include "env/perft.h"
#include "cli/cli.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct perft_request {
    const char *name;
    int depth, threads;
    bool has_depth, divide, mask, json;
};

struct perft_answer {
    struct perft_table table;
    struct perft_branch *branches;
    int count;
    double seconds;
};

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct perft_request *request = state->input;
    switch (key) {
    case 'd': request->has_depth = true; return options_int("--depth", argument, 0, PERFT_MOST_DEPTH, &request->depth);
    case 't': return options_int("--threads", argument, 1, 1024, &request->threads);
    case 'v': request->divide = true; return 0;
    case 'm': request->mask = true; return 0;
    case 'j': request->json = true; return 0;
    case ARGP_KEY_ARG:
        if (request->name) return options_fault("perft takes one position: what is '%s'?", argument);
        request->name = argument;
        return 0;
    case ARGP_KEY_NO_ARGS: return options_fault("perft needs a SCENARIO or a STATEFILE");
    case ARGP_KEY_END: return request->has_depth ? 0 : options_fault("perft needs --depth D");
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option option_table[] = {
    {"depth", 'd', "D", 0, "Plies: actions and dice count one each", 0},
    {"divide", 'v', 0, 0, "Also what each first action leads to", 0},
    {"mask", 'm', 0, 0, "Take the actions from the mask, not from the list", 0},
    {"threads", 't', "T", 0, "Threads (default: all cores); the numbers do not depend on it", 0},
    {"json", 'j', 0, 0, "Print JSON", 0},
    {0},
};

static const struct argp argp = {
    .options = option_table,
    .parser = parse,
    .args_doc = "SCENARIO|STATEFILE",
    .doc =
        "Counts every way on from a position, depth by depth: how many positions, with a player, a die or nobody to "
        "move, and their exact mass (the number of ways on, each weighted by the chance of its dice)."
        "\vExample:\n  longroll perft cedar-mountain/historical --depth 4 --divide\n\nExit codes: 0 done; 1 a fault in "
        "the rules was found, or the numbers are too large; 2 bad option, no such scenario or file.",
};

/* ---- Progress, from the third second on ---- */

struct clock {
    double started, last;
    bool terminal, shown;
};

static void show_progress(void *context, int done, int branches, uint64_t positions) {
    struct clock *clock = context;
    const double now = seconds_now();
    if (now - clock->started < 2 || now - clock->last < (clock->terminal ? 0.1 : 5)) return;
    fprintf(stderr, "%s%d/%d branches, %" PRIu64 " positions, %.0f s%s", clock->terminal ? "\r" : "", done, branches,
            positions, now - clock->started, clock->terminal ? "\033[K" : "\n");
    fflush(stderr);
    clock->last = now;
    clock->shown = true;
}

/* ---- Output ---- */

static json_t *json_row(const struct perft_row *row, int depth) {
    char mass[LR_MAX_TEXT];
    return json_pack("{s:i, s:I, s:I, s:I, s:I, s:s}", "depth", depth, "positions", (json_int_t)row->positions,
                     "decisions", (json_int_t)row->decisions, "dice", (json_int_t)row->dice, "over",
                     (json_int_t)row->over, "mass", perft_mass_text(row->mass, mass));
}

static int print_json(const struct perft_request *request, const lr_game *game, const lr_state *state,
                      const struct perft_answer *answer) {
    json_t *rows = json_array();
    for (int depth = 0; depth <= request->depth; depth++)
        json_array_append_new(rows, json_row(&answer->table.row[depth], depth));
    json_t *json =
        json_pack("{s:s, s:s, s:i, s:f, s:o}", "position", request->name, "scenario", lr_game_info(game)->scenario,
                  "ruleset_version", lr_game_info(game)->ruleset_version, "seconds", answer->seconds, "rows", rows);
    if (!request->divide) return json_print(json);
    json_t *divide = json_array();
    for (int i = 0; i < answer->count; i++) {
        char text[LR_MAX_TEXT];
        json_t *one = json_row(&answer->branches[i].table.row[request->depth], request->depth);
        json_object_set_new(one, "action", json_string(lr_action_text(game, state, answer->branches[i].action, text)));
        json_array_append_new(divide, one);
    }
    json_object_set_new(json, "divide", divide);
    return json_print(json);
}

static void print_branches(const struct perft_request *request, const lr_game *game, const lr_state *state,
                           const struct perft_answer *answer) {
    for (int i = 0; i < answer->count; i++) {
        char text[LR_MAX_TEXT], mass[LR_MAX_TEXT];
        const struct perft_row *row = &answer->branches[i].table.row[request->depth];
        printf("%-24s %14" PRIu64 "  %s\n", lr_action_text(game, state, answer->branches[i].action, text),
               row->positions, perft_mass_text(row->mass, mass));
    }
    printf("\n");
}

static void print_table(const struct perft_request *request, const struct perft_answer *answer) {
    printf("%5s %14s %14s %14s %10s  %s\n", "depth", "positions", "decisions", "dice", "over", "mass");
    for (int depth = 0; depth <= request->depth; depth++) {
        const struct perft_row *row = &answer->table.row[depth];
        char mass[LR_MAX_TEXT];
        printf("%5d %14" PRIu64 " %14" PRIu64 " %14" PRIu64 " %10" PRIu64 "  %s\n", depth, row->positions,
               row->decisions, row->dice, row->over, perft_mass_text(row->mass, mass));
    }
}

static int print_answer(const struct perft_request *request, const lr_game *game, const lr_state *state,
                        const struct perft_answer *answer) {
    if (request->json) return print_json(request, game, state, answer);
    if (request->divide) print_branches(request, game, state, answer);
    print_table(request, answer);
    return EXIT_DONE;
}

static int count_ways(const struct perft_request *request, const lr_game *game, const lr_state *state) {
    struct perft_answer answer = {.branches = malloc((size_t)lr_game_info(game)->actions * sizeof *answer.branches)};
    if (!answer.branches) return fail(EXIT_FAULT, "no memory for the branches");
    struct clock clock = {.started = seconds_now(), .terminal = isatty(STDERR_FILENO)};
    const struct perft_options options = {.depth = request->depth,
                                          .threads = request->threads,
                                          .from_mask = request->mask,
                                          .progress = show_progress,
                                          .context = &clock};
    lr_error error;
    int code = perft_run(game, state, &options, &answer.table, answer.branches, &answer.count, &error);
    answer.seconds = seconds_now() - clock.started;
    if (clock.shown && clock.terminal) fputc('\n', stderr);
    code = code ? fail_library(&error) : print_answer(request, game, state, &answer);
    free(answer.branches);
    return code;
}

int perft_command_run(int argc, char **argv) {
    struct perft_request request = {0};
    if (!options_parse("longroll perft", &argp, argc, argv, &request)) return EXIT_USAGE;
    lr_game *game;
    lr_state *state;
    lr_error error;
    if (lr_position_open(request.name, &game, &state, &error)) return fail_name(request.name, &error);
    const int code = count_ways(&request, game, state);
    free(state);
    lr_game_close(game);
    return code;
}
