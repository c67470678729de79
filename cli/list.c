/* list.c: `longroll list`: the scenarios in the scenario folder, and who can play.
 *
 * A scenario is a .yaml file in a folder of the scenario folder with a `ruleset:` and no `state:` at its top level;
 * maps, rosters and charts lie beside it. A scenario that does not open is named on stderr and left out. */
#include "agents/player.h"
#include "cli/cli.h"
#include "env/game.h"
#include "env/rulesets.h"
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct list_options {
    bool json;
};

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct list_options *options = state->input;
    switch (key) {
    case 'j': options->json = true; return 0;
    case ARGP_KEY_ARG: return options_fault("list takes no argument '%s'", argument);
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option option_table[] = {
    {"json", 'j', 0, 0,
     "Print JSON: games[{name, ruleset, ruleset_version, title, ...}], generators[{name, about, ruleset}], "
     "agents[{name, about, options[{name, about, words}]}], players[{name, about}]",
     0},
    {0},
};

static const struct argp argp = {
    .options = option_table,
    .parser = parse,
    .doc = "Lists the scenarios that can be played and the agents that can play them."
           "\vExample:\n  longroll list --json\n\nExit codes: 0 done; 1 a scenario does not open; 2 bad option.",
};

/* Whether a line of the text begins with `key`. */
static bool has_line(const char *text, const char *key) {
    size_t length = strlen(key);
    for (const char *line = text; line; line = strchr(line, '\n'), line = line ? line + 1 : NULL)
        if (strncmp(line, key, length) == 0) return true;
    return false;
}

static bool is_scenario(const char *path) {
    char *text;
    size_t length;
    if (lr_file_read(path, 1 << 20, &text, &length, NULL)) return false;
    bool yes = has_line(text, "ruleset:") && !has_line(text, "state:");
    free(text);
    return yes;
}

/* "FOLDER/cedar-mountain/historical.yaml" to "cedar-mountain/historical". */
static char *name_of(const char *path, size_t folder_length) {
    const char *name = path + folder_length + 1;
    return strndup(name, strlen(name) - strlen(".yaml"));
}

static json_t *json_of_game(const lr_game *game) {
    const lr_info *info = lr_game_info(game);
    return json_pack("{s:s, s:s, s:i, s:s, s:o, s:i, s:i, s:i, s:i, s:i, s:b}", "name", info->scenario, "ruleset",
                     info->ruleset, "ruleset_version", info->ruleset_version, "title", info->title, "scenario_hash",
                     json_hash(info->scenario_hash), "actions", info->actions, "max_decisions", info->max_decisions,
                     "state_bytes", info->state_bytes, "score_low", info->score_low, "score_high", info->score_high,
                     "hidden", info->hidden);
}

static int add_scenario(json_t *games, const char *path, size_t folder_length) {
    if (!is_scenario(path)) return EXIT_DONE;
    char *name = name_of(path, folder_length);
    if (!name) return fail(EXIT_FAULT, "no memory to list the scenarios");
    lr_game *game;
    lr_error error;
    int code = lr_game_open(name, &game, &error) ? fail_library(&error) : EXIT_DONE;
    free(name);
    if (code) return code;
    json_array_append_new(games, json_of_game(game));
    lr_game_close(game);
    return EXIT_DONE;
}

/* One faulty scenario does not hide the others: the worst code is returned at the end. */
static int add_scenarios(json_t *games) {
    const char *folder = lr_scenario_folder();
    char pattern[4096];
    if (snprintf(pattern, sizeof pattern, "%s/*/*.yaml", folder) >= (int)sizeof pattern)
        return fail(EXIT_FAULT, "the name of the scenario folder is too long: %.64s...", folder);
    glob_t found;
    if (glob(pattern, 0, NULL, &found)) return fail(EXIT_FAULT, "there are no scenarios in %s", folder);
    int worst = EXIT_DONE;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        int code = add_scenario(games, found.gl_pathv[i], strlen(folder));
        if (code) worst = code;
    }
    globfree(&found);
    return worst;
}

/* What rulesets make from a name. */
static void add_generators(json_t *list) {
    for (int i = 0; lr_rulesets[i]; i++) {
        const struct lr_generator *generator = lr_rulesets[i]->generator;
        if (!generator) continue;
        json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "name", generator->form, "about", generator->about,
                                              "ruleset", lr_rulesets[i]->name));
    }
}

static json_t *json_of_options(const struct agent_option *options) {
    json_t *list = json_array();
    for (const struct agent_option *o = options; o && o->name; o++) {
        json_t *option = json_pack("{s:s, s:s}", "name", o->name, "about", o->about);
        json_t *words = o->words ? json_array() : NULL;
        for (int i = 0; words && o->words[i]; i++) json_array_append_new(words, json_string(o->words[i]));
        if (option && words) json_object_set_new(option, "words", words);
        json_array_append_new(list, option);
    }
    return list;
}

static void add_agents(json_t *list) {
    for (int i = 0; agent_at(i); i++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:o}", "name", agent_at(i)->chooser.name, "about",
                                              agent_at(i)->about, "options", json_of_options(agent_at(i)->options)));
}

static void add_player_forms(json_t *list) {
    for (int i = 0; player_form_at(i); i++)
        json_array_append_new(
            list, json_pack("{s:s, s:s}", "name", player_form_at(i)->spec, "about", player_form_at(i)->about));
}

static const char *member(const json_t *object, const char *key) {
    return json_string_value(json_object_get(object, key));
}

/* "NAME=A|B" or "NAME=..." and what it is about, a line each. */
static void print_options(const json_t *options, int width) {
    for (size_t i = 0; i < json_array_size(options); i++) {
        const json_t *option = json_array_get(options, i), *words = json_object_get(option, "words");
        char form[64];
        int length = snprintf(form, sizeof form, "%s=%s", member(option, "name"), words ? "" : "...");
        for (size_t k = 0; k < json_array_size(words) && length < (int)sizeof form; k++)
            length += snprintf(form + length, sizeof form - (size_t)length, "%s%s", k ? "|" : "",
                               json_string_value(json_array_get(words, k)));
        printf("  %-*s    %-22s %s\n", width, "", form, member(option, "about"));
    }
}

static void print_players(const char *title, const json_t *list, int width) {
    puts(title);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *player = json_array_get(list, i);
        printf("  %-*s  %s\n", width, member(player, "name"), member(player, "about"));
        print_options(json_object_get(player, "options"), width);
    }
}

static int longest_name(const json_t *list) {
    size_t longest = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        size_t length = strlen(member(json_array_get(list, i), "name"));
        if (length > longest) longest = length;
    }
    return (int)longest;
}

static void print_text(const json_t *games, const json_t *generators, const json_t *agents, const json_t *others) {
    int width = json_array_size(games) ? longest_name(games) : longest_name(agents);
    puts("scenarios:");
    for (size_t i = 0; i < json_array_size(games); i++) {
        const json_t *game = json_array_get(games, i);
        printf("  %-*s  %s (%s)\n", width, member(game, "name"), member(game, "title"), member(game, "ruleset"));
    }
    for (size_t i = 0; i < json_array_size(generators); i++) {
        const json_t *generator = json_array_get(generators, i);
        printf("  %-*s  %s (%s)\n", width, member(generator, "name"), member(generator, "about"),
               member(generator, "ruleset"));
    }
    print_players("agents (options are set so: NAME:OPTION=VALUE,OPTION=VALUE):", agents, width);
    print_players("other players (longroll play):", others, width);
}

int list_run(int argc, char **argv) {
    struct list_options options = {0};
    if (!options_parse("longroll list", &argp, argc, argv, &options)) return EXIT_USAGE;
    json_t *games = json_array(), *generators = json_array(), *agents = json_array(), *others = json_array();
    int code = add_scenarios(games);
    add_generators(generators);
    add_agents(agents);
    add_player_forms(others);
    if (!options.json) print_text(games, generators, agents, others);
    json_t *report = json_pack("{s:s, s:o, s:o, s:o, s:o}", "folder", lr_scenario_folder(), "games", games,
                               "generators", generators, "agents", agents, "players", others);
    if (!options.json)
        json_decref(report);
    else if (json_print(report))
        return EXIT_FAULT;
    return code;
}
