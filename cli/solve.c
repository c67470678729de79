/* solve.c: `longroll solve`: the exact value of a game or position that is small enough, and a file of positions whose
 * every action is valued, to measure players against (solved.h).
 *
 * The first SIGINT or SIGTERM ends the search with a sentence, a second one the program at once. */
#include "agents/solve.h"
#include "cli/cli.h"
#include "cli/solved.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct solve_request {
    const char *name, *out;
    uint64_t limit, seed;
    int positions;
    bool json, quiet;
};

enum { OPTION_OUT = 256, OPTION_JSON, OPTION_QUIET };

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct solve_request *request = state->input;
    switch (key) {
    case 'l': return options_number("--limit", argument, 1, UINT32_MAX, &request->limit);
    case 'n': return options_int("--positions", argument, 1, 100000, &request->positions);
    case 's': return options_number("--seed", argument, 0, UINT64_MAX, &request->seed);
    case OPTION_OUT: request->out = argument; return 0;
    case OPTION_JSON: request->json = true; return 0;
    case OPTION_QUIET: request->quiet = true; return 0;
    case ARGP_KEY_ARG:
        if (request->name) return options_fault("solve takes one position: what is '%s'?", argument);
        request->name = argument;
        return 0;
    case ARGP_KEY_NO_ARGS: return options_fault("solve needs a SCENARIO or a STATEFILE");
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option option_table[] = {
    {"limit", 'l', "STATES", 0, "Give up beyond so many states (default 5000000, which take some 150 MB)", 0},
    {"out", OPTION_OUT, "FILE", 0, "Write positions from all phases to FILE (JSON), with the value of every action", 0},
    {"positions", 'n', "N", 0, "How many (default 240)", 0},
    {"seed", 's', "N", 0, "Which: the same seed gives the same positions (default 1)", 0},
    {"json", OPTION_JSON, 0, 0, "Print JSON: value, states, best, actions and more", 0},
    {"quiet", OPTION_QUIET, 0, 0, "No progress line", 0},
    {0},
};

static const struct argp argp = {
    .options = option_table,
    .parser = parse,
    .args_doc = "SCENARIO|STATEFILE",
    .doc =
        "Finds the exact value of a position by looking at every state that can follow, over all decisions and dice: "
        "the Union's expected return, +1 won, 0 drawn, -1 lost, if both sides play as well as can be. Values are "
        "fractions, so that equally good actions are known as such."
        "\vExample:\n  longroll solve cedar-mountain/duel --out duel.solved.json\n\nExit codes: 0 solved; 1 there are "
        "more states than the limit, it was stopped, or it could not be done; 2 bad option, no such scenario or file.",
};

/* ---- Solving ---- */

struct watch {
    double started, last;
    bool terminal, quiet, shown;
};

static void show_progress(void *context, uint64_t states) {
    struct watch *watch = context;
    const double now = seconds_now();
    if (watch->quiet || now - watch->started < 1 || now - watch->last < (watch->terminal ? 0.1 : 5)) return;
    fprintf(stderr, "%s%" PRIu64 " states, %.0f states/s%s", watch->terminal ? "\r" : "", states,
            (double)states / (now - watch->started), watch->terminal ? "\033[K" : "\n");
    fflush(stderr);
    watch->last = now;
    watch->shown = true;
}

/* What came of it. */
struct solution {
    struct solver *solver;
    struct solve_statistics statistics;
    struct fraction value;
    struct solved_state actions; /* of the root, if a player moves there; else count 0 */
    double seconds;
};

static uint64_t states_of(const struct solve_statistics *known) { return known->decisions + known->dice; }

static int say_unsolved(const struct solve_request *request, const struct solution *solution, enum solve_end end) {
    const struct solve_statistics *known = &solution->statistics;
    if (end == SOLVE_STOPPED)
        return fail(EXIT_FAULT, "stopped at %" PRIu64 " states; %s is not solved", states_of(known), request->name);
    return fail(EXIT_FAULT,
                "%s has more than %" PRIu64 " states (%" PRIu64 " of these are solved, in %.0f MB): raise --limit, or "
                "solve a later position",
                request->name, request->limit, states_of(known), (double)known->bytes / 1e6);
}

static int run_solver(const struct solve_request *request, const lr_game *game, const lr_state *root,
                      struct solution *solution) {
    struct watch watch = {.started = seconds_now(), .terminal = isatty(STDERR_FILENO), .quiet = request->quiet};
    const struct solve_options options = {
        .limit = request->limit, .progress = show_progress, .context = &watch, .stop = interrupts_listen(1)};
    lr_error error;
    enum solve_end end;
    if (solver_open(game, &options, &solution->solver, &error)) return fail_library(&error);
    const int code = solver_run(solution->solver, root, &end, &error);
    solution->seconds = seconds_now() - watch.started;
    if (watch.shown && watch.terminal) fputc('\n', stderr);
    if (code) return fail_library(&error);
    solution->statistics = solver_statistics(solution->solver);
    return end == SOLVE_DONE ? EXIT_DONE : say_unsolved(request, solution, end);
}

/* ---- Positions for a file ----
 * Random games from the root, half of whose decisions are the best and half are any, so that sensible positions and
 * others come up. Each gives one position: the one whose kind (who decides what, in which phase) has been taken least
 * often. Decisions in which it does not matter what one does are left out. */

enum { FRUITLESS_GAMES = 2000, KINDS = 512, WORDS = 3 * LR_MAX_TEXT };

struct kind {
    char words[WORDS];
    int taken;
};

struct sampling {
    const lr_game *game;
    const struct solver *solver;
    lr_state *state, *next, *found;
    struct solved_state look, found_look;
    struct kind kinds[KINDS];
    int kind_count;
    uint64_t *hashes; /* of the positions taken */
    int taken;
    uint64_t stream, draws;
    json_t *positions;
};

static uint32_t draw(struct sampling *s, uint32_t bound) { return lr_random(s->stream, s->draws++, bound); }

static struct kind *kind_of(struct sampling *s) {
    char heading[LR_MAX_TEXT], words[WORDS];
    snprintf(words, sizeof words, "%s, %s, %s", lr_heading(s->game, s->state, heading),
             mover_name(lr_to_move(s->game, s->state)), lr_decision(s->game, s->state));
    int i = 0;
    while (i < s->kind_count && strcmp(s->kinds[i].words, words)) i++;
    if (i == KINDS) return &s->kinds[KINDS - 1];
    if (i == s->kind_count) memcpy(s->kinds[s->kind_count++].words, words, sizeof words);
    return &s->kinds[i];
}

static bool is_taken(const struct sampling *s, uint64_t hash) {
    for (int i = 0; i < s->taken; i++)
        if (s->hashes[i] == hash) return true;
    return false;
}

static int choose_action(struct sampling *s) {
    const struct solved_state *look = &s->look;
    if (draw(s, 2)) return look->action[draw(s, (uint32_t)look->count)];
    uint32_t best = 0;
    uint16_t actions[LR_MAX_ACTIONS];
    for (int i = 0; i < look->count; i++)
        if (!fraction_compare(look->value[i], look->best)) actions[best++] = look->action[i];
    return actions[draw(s, best)];
}

/* Plays one game; *kind gets the kind of the position that was found, or NULL; its path has `length` texts of `path`. */
static bool play_for_position(struct sampling *s, json_t *path, struct kind **kind, size_t *length) {
    const size_t bytes = (size_t)lr_game_info(s->game)->state_bytes;
    int mover;
    *kind = NULL;
    while ((mover = lr_to_move(s->game, s->state)) != LR_NOBODY) {
        int action;
        if (mover == LR_CHANCE) {
            action = lr_sample(s->game, s->state, s->stream, 0);
        } else {
            if (!solver_look(s->solver, s->state, s->next, &s->look)) return false;
            struct kind *here = kind_of(s);
            if ((!*kind || here->taken < (*kind)->taken) && fraction_compare(s->look.best, s->look.worst) &&
                !is_taken(s, lr_hash(s->game, s->state))) {
                *kind = here;
                *length = json_array_size(path);
                s->found_look = s->look;
                memcpy(s->found, s->state, bytes);
            }
            action = choose_action(s);
        }
        char text[LR_MAX_TEXT];
        json_array_append_new(path, json_string(lr_action_text(s->game, s->state, action, text)));
        lr_apply_legal(s->game, s->state, action);
    }
    return true;
}

static int collect(struct sampling *s, const struct solve_request *request, const lr_state *root) {
    int fruitless = 0;
    for (uint64_t i = 0; s->taken < request->positions; i++) {
        json_t *path = json_array();
        struct kind *kind;
        size_t length = 0;
        s->stream = lr_environment_seed(request->seed, i);
        s->draws = 0;
        memcpy(s->state, root, (size_t)lr_game_info(s->game)->state_bytes);
        if (!play_for_position(s, path, &kind, &length)) return fail(EXIT_FAULT, "a state was not solved");
        if (kind) {
            fruitless = 0;
            kind->taken++;
            s->hashes[s->taken++] = lr_hash(s->game, s->found);
            while (json_array_size(path) > length) json_array_remove(path, json_array_size(path) - 1);
            json_array_append_new(s->positions, solved_entry(s->game, s->found, &s->found_look, json_incref(path)));
        }
        json_decref(path);
        if (++fruitless > FRUITLESS_GAMES)
            return fail(EXIT_FAULT, "%s has only %d positions, or few more, in which the choice matters: ask for fewer",
                        request->name, s->taken);
    }
    return EXIT_DONE;
}

static int write_positions(const struct solve_request *request, const lr_game *game, const lr_state *root,
                           const struct solution *solution) {
    const size_t bytes = (size_t)lr_game_info(game)->state_bytes;
    struct sampling *s = calloc(1, sizeof *s);
    char *states = malloc(3 * bytes);
    uint64_t *hashes = calloc((size_t)request->positions, sizeof *hashes);
    int code = EXIT_FAULT;
    if (s && states && hashes) {
        *s = (struct sampling){.game = game, .solver = solution->solver, .hashes = hashes, .positions = json_array()};
        s->state = (lr_state *)(void *)states;
        s->next = (lr_state *)(void *)(states + bytes);
        s->found = (lr_state *)(void *)(states + 2 * bytes);
        lr_start(game, s->state);
        const bool is_start = !memcmp(s->state, root, bytes);
        json_t *head = solved_head(game, is_start ? NULL : root, states_of(&solution->statistics), solution->value);
        code = collect(s, request, root);
        if (!code) code = solved_write(request->out, head, s->positions);
        json_decref(head);
        json_decref(s->positions);
    } else {
        fail(EXIT_FAULT, "no memory for %d positions", request->positions);
    }
    free(hashes);
    free(states);
    free(s);
    return code;
}

/* ---- Output ---- */

static int print_json(const struct solve_request *request, const lr_game *game, const lr_state *root,
                      const struct solution *solution) {
    const struct solve_statistics *known = &solution->statistics;
    char text[FRACTION_TEXT];
    json_t *report = json_pack("{s:s, s:s, s:s, s:f, s:I, s:I, s:I, s:i, s:I, s:I, s:f}", "position", request->name,
                               "scenario", lr_game_info(game)->scenario, "value", fraction_text(solution->value, text),
                               "value_about", fraction_double(solution->value), "states", (json_int_t)states_of(known),
                               "decisions", (json_int_t)known->decisions, "dice", (json_int_t)known->dice, "depth",
                               known->depth, "distinct_values", (json_int_t)known->values, "bytes",
                               (json_int_t)known->bytes, "seconds", solution->seconds);
    if (!solution->actions.count) return json_print(report);
    json_t *entry = solved_entry(game, root, &solution->actions, json_array());
    json_object_del(entry, "path");
    json_object_update(report, entry);
    json_decref(entry);
    return json_print(report);
}

static void print_actions(const lr_game *game, const lr_state *root, const struct solved_state *actions) {
    char heading[LR_MAX_TEXT], text[LR_MAX_TEXT];
    printf("\n%s: %s to move (%s)\n", lr_heading(game, root, heading), mover_name(lr_to_move(game, root)),
           lr_decision(game, root));
    for (int i = 0; i < actions->count; i++)
        printf("%+11.6f %-5s %s\n", fraction_double(actions->value[i]),
               fraction_compare(actions->value[i], actions->best) ? "" : "best",
               lr_action_text(game, root, actions->action[i], text));
}

static int print_text(const struct solve_request *request, const lr_game *game, const lr_state *root,
                      const struct solution *solution) {
    const struct solve_statistics *known = &solution->statistics;
    char text[FRACTION_TEXT];
    printf("%s is solved: worth %+.6f to the Union\n", request->name, fraction_double(solution->value));
    printf("%-16s %s\n", "exactly", fraction_text(solution->value, text));
    printf("%-16s %" PRIu64 ": %" PRIu64 " decisions, %" PRIu64 " dice; at most %d in a row\n", "states",
           states_of(known), known->decisions, known->dice, known->depth);
    printf("%-16s %" PRIu64 "\n", "distinct values", known->values);
    printf("%-16s %.2f s, %.0f states/s, %.1f MB\n", "spent", solution->seconds,
           (double)states_of(known) / solution->seconds, (double)known->bytes / 1e6);
    if (solution->actions.count) print_actions(game, root, &solution->actions);
    return EXIT_DONE;
}

static int report(const struct solve_request *request, const lr_game *game, const lr_state *root,
                  struct solution *solution) {
    const bool decision = lr_to_move(game, root) <= LR_CONFEDERATE;
    lr_state *next = malloc((size_t)lr_game_info(game)->state_bytes);
    if (!next) return fail(EXIT_FAULT, "no memory for a state");
    const bool known = solver_value(solution->solver, root, &solution->value) &&
                       (!decision || solver_look(solution->solver, root, next, &solution->actions));
    free(next);
    if (!known) return fail(EXIT_FAULT, "a state was not solved");
    if (request->out && write_positions(request, game, root, solution)) return EXIT_FAULT;
    return request->json ? print_json(request, game, root, solution) : print_text(request, game, root, solution);
}

int solve_run(int argc, char **argv) {
    struct solve_request request = {.limit = 5000000, .positions = 240, .seed = 1};
    if (!options_parse("longroll solve", &argp, argc, argv, &request)) return EXIT_USAGE;
    lr_game *game;
    lr_state *root;
    lr_error error;
    if (lr_position_open(request.name, &game, &root, &error)) return fail_name(request.name, &error);
    struct solution *solution = calloc(1, sizeof *solution);
    int code = EXIT_FAULT;
    if (solution) {
        code = run_solver(&request, game, root, solution);
        if (!code) code = report(&request, game, root, solution);
        solver_close(solution->solver);
    } else {
        fail(EXIT_FAULT, "no memory to solve");
    }
    free(solution);
    free(root);
    lr_game_close(game);
    return code;
}
