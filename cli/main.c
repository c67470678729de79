/* main.c: the program `longroll`: finds the command and runs it. */
#include "cli/cli.h"
#include <stdio.h>
#include <string.h>

static const struct command commands[] = {
    {"list", "games, scenarios and agents that are there", list_run},
    {"play", "play one game between two agents", play_run},
    {"selfplay", "play many games on all cores and sum them up", selfplay_command_run},
    {"tournament", "play a tournament between bots, or go on with one", tournament_command_run},
    {"replay", "sum up, show or verify a recorded game", replay_run},
    {"show", "draw a position", show_run},
    {"legal", "list the legal actions of a position", legal_run},
    {"apply", "play actions in a position and write the one that follows", apply_run},
    {"check", "validate a scenario file or a state file", check_run},
    {"perft", "count all ways on from a position", perft_command_run},
    {"solve", "find the exact value of a small game or position", solve_run},
    {"serve", "serve games to learners over ZeroMQ", serve_run},
    {"report", "say who is how strong in a tournament", report_run},
    {"rate", "place a bot on the calibrated ladder", rate_run},
    {"ladder", "make the calibrated ladder from a tournament", ladder_run},
    {"balance", "play many games and count how often each result and rule comes up", balance_run},
    {"bench", "measure the speed of play", bench_run},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static const char before[] =
    "Longroll plays American Civil War board wargames headlessly: exactly, fast, many at once.\n\n"
    "Commands (longroll COMMAND --help says more):\n";

static const char after[] =
    "\vExample:\n"
    "  longroll selfplay cedar-mountain/historical --games 1000\n"
    "\n"
    "Scenario names are looked up in the folder that the environment variable LONGROLL_SCENARIOS names, else in the "
    "one fixed at build time.\n"
    "Exit codes: 0 done; 1 it could not be done; 2 it was asked for wrongly.";

static void write_doc(char *doc, size_t size) {
    size_t length = (size_t)snprintf(doc, size, "%s", before);
    for (int i = 0; i < COMMANDS && length < size; i++)
        length += (size_t)snprintf(doc + length, size - length, "  %-10s %s\n", commands[i].name, commands[i].purpose);
    if (length < size) snprintf(doc + length, size - length, "%s", after);
}

static error_t parse(int key, char *argument, struct argp_state *state) {
    (void)state;
    if (key == ARGP_KEY_ARG) return options_fault("there is no command '%s'", argument);
    return ARGP_ERR_UNKNOWN;
}

/* Only options stand before a command: --help, --usage, --version. */
static int run_without_command(int argc, char **argv) {
    char doc[2048];
    write_doc(doc, sizeof doc);
    const struct argp argp = {.parser = parse, .args_doc = "COMMAND ...", .doc = doc};
    if (!options_parse("longroll", &argp, argc, argv, NULL)) return EXIT_USAGE;
    return fail(EXIT_USAGE, "no command given; longroll --help lists them");
}

static int unknown_command(const char *name) {
    char known[256] = "";
    size_t length = 0;
    for (int i = 0; i < COMMANDS && length < sizeof known; i++)
        length += (size_t)snprintf(known + length, sizeof known - length, "%s%s", i ? ", " : "", commands[i].name);
    return fail(EXIT_USAGE, "there is no command '%s'; there are: %s", name, known);
}

int main(int argc, char **argv) {
    watch_stdout();
    if (argc < 2 || argv[1][0] == '-') return run_without_command(argc, argv);
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(argv[1], commands[i].name) == 0) return commands[i].run(argc - 1, argv + 1);
    return unknown_command(argv[1]);
}
