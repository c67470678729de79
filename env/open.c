/* open.c: from a name to a game or a position. Resolves scenario names, reads from the top level of a file which
 * ruleset, scenario or state it is about, and hands the text to that ruleset. The files may come from
 * anyone: sizes are bounded, aliases are never expanded, and only the top level is looked at here.
 * A scenario that a ruleset generates is a text that comes from its name, and is then opened as a file's text is. */
#include "rulesets.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum { MOST_BYTES = 1 << 20, MOST_NAME = 255 };

/* ---- Names ---- */

static bool ends_in_yaml(const char *name) {
    const size_t length = strlen(name);
    return length > 5 && !strcmp(name + length - 5, ".yaml");
}

/* Names stay inside the scenario folder: letters, digits and _ - + . / only, and no way up or out. */
static bool plain_name(const char *name) {
    if (name[0] == '\0' || name[0] == '/' || strstr(name, "..")) return false;
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("_-+./", *c)) return false;
    return true;
}

static int resolve(const char *name, char path[PATH_MAX], lr_error *error) {
    if (!name) return lr_fail(error, LR_E_ARGUMENT, "no scenario name was given");
    if (strlen(name) > MOST_NAME)
        return lr_fail(error, LR_E_NOT_FOUND, "no scenario has a name of more than %d bytes", MOST_NAME);
    if (ends_in_yaml(name)) {
        snprintf(path, PATH_MAX, "%s", name);
        return LR_OK;
    }
    if (!plain_name(name))
        return lr_fail(error, LR_E_NOT_FOUND,
                       "\"%s\" is no scenario name: give a name such as cedar-mountain/historical, or a path "
                       "that ends in .yaml",
                       name);
    if (snprintf(path, PATH_MAX, "%s/%s.yaml", lr_scenario_folder(), name) >= PATH_MAX)
        return lr_fail(error, LR_E_NOT_FOUND, "the path of scenario %s is too long", name);
    return LR_OK;
}

/* What lr_info.scenario says: the name, also for a path into the scenario folder; any other path as it is. */
static char *given_name(const char *name) {
    const char *folder = lr_scenario_folder();
    const size_t length = strlen(folder);
    if (!ends_in_yaml(name)) return strdup(name);
    if (strncmp(name, folder, length) || name[length] != '/') return strdup(name);
    const char *inside = name + length + 1;
    return strndup(inside, strlen(inside) - 5);
}

/* ---- Generated scenarios ---- */

/* The generator whose form begins as the name does, up to the first colon; NULL if there is none. */
static const struct lr_generator *generator_of(const char *name) {
    const char *colon = name && !ends_in_yaml(name) ? strchr(name, ':') : NULL;
    if (!colon) return NULL;
    for (int i = 0; lr_rulesets[i]; i++) {
        const struct lr_generator *generator = lr_rulesets[i]->generator;
        if (generator && !strncmp(generator->form, name, (size_t)(colon - name) + 1)) return generator;
    }
    return NULL;
}

static int generate(const struct lr_generator *generator, const char *name, char **text, size_t *length,
                    lr_error *error) {
    struct lr_writer writer = {NULL, 0, 0};
    int code = generator->write(name, &writer, error);
    if (code) return code;
    *length = writer.length;
    *text = malloc(*length + 1);
    if (!*text) return lr_fail(error, LR_E_MEMORY, "no memory for the scenario %s", name);
    writer = (struct lr_writer){*text, *length + 1, 0};
    code = generator->write(name, &writer, error);
    if (code) free(*text);
    return code;
}

/* The path is where the file would be: it tells the folder of the files that the text names. */
static int read_generated(const char *name, char path[PATH_MAX], char **text, size_t *length, lr_error *error) {
    const struct lr_generator *generator = generator_of(name);
    if (strlen(name) > MOST_NAME ||
        snprintf(path, PATH_MAX, "%s/%s/%s", lr_scenario_folder(), generator->folder, name) >= PATH_MAX)
        return lr_fail(error, LR_E_NOT_FOUND, "no scenario has a name of more than %d bytes", MOST_NAME);
    return generate(generator, name, text, length, error);
}

/* ---- Files ---- */

static int read_named(const char *name, char path[PATH_MAX], char **text, size_t *length, lr_error *error) {
    if (generator_of(name)) return read_generated(name, path, text, length, error);
    int code = resolve(name, path, error);
    if (code) return code;
    code = lr_file_read(path, MOST_BYTES, text, length, error);
    if (code == LR_E_NOT_FOUND)
        return lr_fail(error, code, "no scenario \"%s\": there is no file %s; `longroll list` prints the names", name,
                       path);
    return code == LR_E_ARGUMENT ? lr_fail(error, LR_E_SCENARIO, "%s is larger than a scenario may be", path) : code;
}

/* ---- The top level of a file ---- */

/* The scalars `ruleset` and `scenario`, "" where missing, and whether there is a `state`. */
struct top_level {
    char ruleset[MOST_NAME + 1], scenario[MOST_NAME + 1];
    bool state;
};

static void copy_scalar(char to[MOST_NAME + 1], const yaml_event_t *event) {
    const size_t length = event->data.scalar.length;
    if (length > MOST_NAME) return;
    memcpy(to, event->data.scalar.value, length);
    to[length] = '\0';
}

/* Where the scan is. `key` is the last key of the top level while its value is awaited, else "". */
struct scan {
    int depth;
    bool awaits_value;
    char key[MOST_NAME + 1];
};

static void take_scalar(struct scan *scan, const yaml_event_t *event, struct top_level *top) {
    if (!scan->awaits_value) {
        scan->key[0] = '\0';
        copy_scalar(scan->key, event);
        if (!strcmp(scan->key, "state")) top->state = true;
    } else {
        if (!strcmp(scan->key, "ruleset")) copy_scalar(top->ruleset, event);
        if (!strcmp(scan->key, "scenario")) copy_scalar(top->scenario, event);
    }
    scan->awaits_value = !scan->awaits_value;
}

/* False when the document is over. */
static bool take_event(struct scan *scan, const yaml_event_t *event, struct top_level *top) {
    switch (event->type) {
    case YAML_MAPPING_START_EVENT:
    case YAML_SEQUENCE_START_EVENT: scan->depth++; return true;
    case YAML_MAPPING_END_EVENT:
    case YAML_SEQUENCE_END_EVENT:
        scan->depth--;
        if (scan->depth == 1) scan->awaits_value = !scan->awaits_value;
        return scan->depth > 0;
    case YAML_SCALAR_EVENT:
        if (scan->depth == 1) take_scalar(scan, event, top);
        return scan->depth > 0;
    case YAML_ALIAS_EVENT:
        if (scan->depth == 1) scan->awaits_value = !scan->awaits_value;
        return scan->depth > 0;
    case YAML_DOCUMENT_END_EVENT:
    case YAML_STREAM_END_EVENT: return false;
    default: return true;
    }
}

static int read_top_level(const char *path, const char *text, size_t length, struct top_level *top, lr_error *error) {
    *top = (struct top_level){.state = false};
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser)) return lr_fail(error, LR_E_MEMORY, "no memory to read %s", path);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
    struct scan scan = {.depth = 0};
    int code = LR_OK;
    for (bool more = true; more && !code;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) {
            code = lr_fail(error, LR_E_SCENARIO, "%s, line %zu: %s", path, parser.problem_mark.line + 1,
                           parser.problem ? parser.problem : "this is not YAML");
            break;
        }
        more = take_event(&scan, &event, top);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return code;
}

/* ---- Games ---- */

static const struct lr_ruleset *ruleset_named(const char *name) {
    for (int i = 0; lr_rulesets[i]; i++)
        if (!strcmp(lr_rulesets[i]->name, name)) return lr_rulesets[i];
    return NULL;
}

static int open_text(const char *name, const char *path, const char *text, size_t length, const struct top_level *top,
                     lr_game **game, lr_error *error) {
    if (!top->ruleset[0])
        return lr_fail(error, LR_E_SCENARIO, "%s is no scenario: its top level has no `ruleset:`", path);
    const struct lr_ruleset *ruleset = ruleset_named(top->ruleset);
    if (!ruleset) return lr_fail(error, LR_E_NOT_FOUND, "%s: there is no ruleset \"%s\"", path, top->ruleset);

    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash) *slash = '\0';
    char *given = given_name(name);
    if (!given) return lr_fail(error, LR_E_MEMORY, "no memory to open %s", path);
    const int code = lr_game_make(ruleset, given, text, length, slash ? folder : ".", game, error);
    free(given);
    return code;
}

int lr_game_open(const char *name, lr_game **game, lr_error *error) {
    char path[PATH_MAX], *text = NULL;
    size_t length = 0;
    int code = read_named(name, path, &text, &length, error);
    if (code) return code;
    struct top_level top;
    code = read_top_level(path, text, length, &top, error);
    if (!code) code = open_text(name, path, text, length, &top, game, error);
    free(text);
    return code;
}

int lr_scenario_text(const char *name, char *text, size_t size, lr_error *error) {
    char path[PATH_MAX], *whole = NULL;
    size_t length = 0;
    const int code = read_named(name, path, &whole, &length, error);
    if (code || !whole) return code;
    if (size) {
        const size_t fits = length < size ? length : size - 1;
        memcpy(text, whole, fits);
        text[fits] = '\0';
    }
    free(whole);
    return (int)length;
}

/* ---- Positions ---- */

/* Is the text about this game? One that is no YAML or holds no state is left to the ruleset, which says better what is
 * wrong. */
static int check_scenario(const lr_game *game, const char *text, size_t length, lr_error *error) {
    struct top_level top;
    if (read_top_level("state", text, length, &top, NULL)) return LR_OK;
    if (!top.scenario[0] && !top.state) return LR_OK;
    if (!top.scenario[0])
        return lr_fail(error, LR_E_STATE, "state: there is no `scenario:` that says which game it belongs to");
    char *name = given_name(top.scenario);
    if (!name) return lr_fail(error, LR_E_MEMORY, "no memory for the name of a scenario");
    const bool same = !strcmp(name, game->name);
    free(name);
    return same ? LR_OK
                : lr_fail(error, LR_E_STATE, "state: scenario: it is of %.100s and cannot be read as one of %.100s",
                          top.scenario, game->name);
}

int lr_state_parse(const lr_game *game, const char *text, size_t length, lr_state *state, lr_error *error) {
    lr_state *parsed = calloc(1, (size_t)game->info.state_bytes);
    if (!parsed) return lr_fail(error, LR_E_MEMORY, "no memory for a state");
    int code = check_scenario(game, text, length, error);
    if (!code) code = game->ruleset->parse(game->rules, text, length, parsed, error);
    if (!code) code = lr_state_check(game, parsed, error);
    if (!code) memcpy(state, parsed, (size_t)game->info.state_bytes);
    free(parsed);
    return code;
}

static lr_state *new_state(const lr_game *game, lr_error *error) {
    lr_state *state = calloc(1, (size_t)lr_game_info(game)->state_bytes);
    if (!state) lr_fail(error, LR_E_MEMORY, "no memory for a state");
    return state;
}

static int state_of(const lr_game *game, const char *text, size_t length, bool parse, lr_state **state,
                    lr_error *error) {
    lr_state *made = new_state(game, error);
    if (!made) return LR_E_MEMORY;
    const int code = parse ? lr_state_parse(game, text, length, made, error) : LR_OK;
    if (code) {
        free(made);
        return code;
    }
    if (!parse) lr_start(game, made);
    *state = made;
    return LR_OK;
}

/* The text of a file at `path`, whose top level is known: a scenario, or a state that names one. */
static int position_of(const char *name, const char *path, const char *text, size_t length, lr_game **game,
                       lr_state **state, lr_error *error) {
    struct top_level top;
    int code = read_top_level(path, text, length, &top, error);
    if (code) return code;
    if (top.state && !top.scenario[0])
        return lr_fail(error, LR_E_STATE, "%s: this state file does not say which `scenario:` it belongs to", path);
    lr_game *made = NULL;
    code =
        top.state ? lr_game_open(top.scenario, &made, error) : open_text(name, path, text, length, &top, &made, error);
    if (code) return code;
    code = state_of(made, text, length, top.state, state, error);
    if (code)
        lr_game_close(made);
    else
        *game = made;
    return code;
}

int lr_position_open(const char *name, lr_game **game, lr_state **state, lr_error *error) {
    char path[PATH_MAX], *text = NULL;
    size_t length = 0;
    int code = read_named(name, path, &text, &length, error);
    if (code) return code;
    code = position_of(name, path, text, length, game, state, error);
    free(text);
    return code;
}
