/* solved.c: see solved.h. */
#include "cli/solved.h"
#include "cli/cli.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FORMAT = 1 };

/* ---- Writing ---- */

json_t *solved_head(const lr_game *game, const lr_state *root, uint64_t states, struct fraction value) {
    const lr_info *info = lr_game_info(game);
    char text[FRACTION_TEXT];
    json_t *head =
        json_pack("{s:i, s:s, s:s, s:i, s:o}", "longroll", FORMAT, "scenario", info->scenario, "ruleset", info->ruleset,
                  "ruleset_version", info->ruleset_version, "scenario_hash", json_hash(info->scenario_hash));
    char *position = root ? text_of_state(game, root) : NULL;
    if (position) json_object_set_new(head, "root", json_string(position));
    free(position);
    json_object_set_new(head, "states", json_integer((json_int_t)states));
    json_object_set_new(head, "value", json_string(fraction_text(value, text)));
    return head;
}

json_t *solved_entry(const lr_game *game, const lr_state *state, const struct solved_state *solved, json_t *path) {
    char heading[LR_MAX_TEXT], name[LR_MAX_TEXT], text[FRACTION_TEXT];
    json_t *best = json_array(), *actions = json_object();
    for (int i = 0; i < solved->count; i++) {
        lr_action_text(game, state, solved->action[i], name);
        json_object_set_new(actions, name, json_string(fraction_text(solved->value[i], text)));
        if (!fraction_compare(solved->value[i], solved->best)) json_array_append_new(best, json_string(name));
    }
    return json_pack("{s:o, s:s, s:s, s:s, s:s, s:o, s:o}", "path", path, "heading", lr_heading(game, state, heading),
                     "to_move", mover_name(lr_to_move(game, state)), "decision", lr_decision(game, state), "value",
                     fraction_text(solved->best, text), "best", best, "actions", actions);
}

/* The head's closing brace gives way to the list, so that a position is a line and changes show as such. */
static char *text_of_file(const json_t *head, const json_t *positions, size_t *length) {
    char *top = json_dumps(head, JSON_INDENT(1) | JSON_ENSURE_ASCII), *text = NULL;
    FILE *file = top ? open_memstream(&text, length) : NULL;
    if (!file) {
        free(top);
        return NULL;
    }
    fprintf(file, "%.*s,\n \"positions\": [", (int)strlen(top) - 2, top);
    for (size_t i = 0; i < json_array_size(positions); i++) {
        fputs(i ? ",\n  " : "\n  ", file);
        json_dumpf(json_array_get(positions, i), file, JSON_COMPACT | JSON_ENSURE_ASCII);
    }
    fputs("\n ]\n}\n", file);
    free(top);
    if (!fclose(file)) return text;
    free(text);
    return NULL;
}

int solved_write(const char *path, const json_t *head, const json_t *positions) {
    size_t length;
    char *text = text_of_file(head, positions, &length);
    if (!text) return fail(EXIT_FAULT, "no memory to write %s", path);
    lr_error error;
    const int code = lr_file_write(path, text, length, &error);
    free(text);
    return code ? fail_library(&error) : EXIT_DONE;
}

/* ---- Reading ---- */

static const char *member(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static int open_game(const char *path, const json_t *json, lr_game **game) {
    if (json_integer_value(json_object_get(json, "longroll")) != FORMAT)
        return fail(EXIT_FAULT, "%s is no file of solved positions (longroll: %d)", path, FORMAT);
    lr_error error;
    if (lr_game_open(member(json, "scenario"), game, &error)) return fail(EXIT_FAULT, "%s: %s", path, error.text);
    const lr_info *info = lr_game_info(*game);
    char hash[17];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)info->scenario_hash);
    if (json_integer_value(json_object_get(json, "ruleset_version")) == info->ruleset_version &&
        !strcasecmp(member(json, "scenario_hash"), hash))
        return EXIT_DONE;
    lr_game_close(*game);
    *game = NULL;
    return fail(EXIT_FAULT, "%s was solved under other rules or another %s: make it anew with longroll solve --out",
                path, member(json, "scenario"));
}

/* The state that `path` leads to from `state`, in place. */
static int play_path(const lr_game *game, lr_state *state, const json_t *path, lr_error *error) {
    for (size_t i = 0; i < json_array_size(path); i++) {
        const char *text = json_string_value(json_array_get(path, i));
        const int action = lr_action_parse(game, state, text ? text : "", error);
        if (action < 0) return action;
        const int code = lr_apply(game, state, action, error);
        if (code) return code;
    }
    return LR_OK;
}

/* Every legal action with its value; the sentence for a fault, or NULL. */
static const char *read_values(const lr_game *game, const json_t *entry, struct solved_position *position) {
    const json_t *values = json_object_get(entry, "actions");
    uint16_t legal[LR_MAX_ACTIONS];
    position->mover = lr_to_move(game, position->state);
    position->count = lr_legal(game, position->state, legal);
    if (position->mover > LR_CONFEDERATE) return "no player is to move";
    if ((size_t)position->count != json_object_size(values)) return "its actions are not the legal ones";
    position->action = calloc((size_t)position->count, sizeof *position->action);
    position->value = calloc((size_t)position->count, sizeof *position->value);
    if (!position->action || !position->value) return "no memory";
    for (int i = 0; i < position->count; i++) {
        char text[LR_MAX_TEXT];
        lr_action_text(game, position->state, legal[i], text);
        if (!json_object_get(values, text)) return "its actions are not the legal ones";
        if (!fraction_parse(member(values, text), &position->value[i])) return "a value is no fraction";
        position->action[i] = legal[i];
        const int order = fraction_compare(position->value[i], position->best);
        if (!i || (position->mover == LR_UNION ? order > 0 : order < 0)) position->best = position->value[i];
    }
    return NULL;
}

static int read_position(const char *path, const struct solved_file *file, const lr_state *root, const json_t *entry,
                         int number, struct solved_position *position) {
    const size_t bytes = (size_t)lr_game_info(file->game)->state_bytes;
    position->state = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!position->state) return fail(EXIT_FAULT, "no memory for the positions of %s", path);
    memcpy(position->state, root, bytes);
    position->best = fraction_whole(0);
    lr_error error;
    const json_t *actions = json_object_get(entry, "path");
    if (play_path(file->game, position->state, actions, &error))
        return fail(EXIT_FAULT, "%s: position %d: %s", path, number, error.text);
    const char *fault = read_values(file->game, entry, position);
    return fault ? fail(EXIT_FAULT, "%s: position %d: %s", path, number, fault) : EXIT_DONE;
}

static int read_root(const char *path, const lr_game *game, const json_t *json, lr_state *root) {
    const json_t *text = json_object_get(json, "root");
    lr_error error;
    if (!text) {
        lr_start(game, root);
        return EXIT_DONE;
    }
    if (lr_state_parse(game, member(json, "root"), json_string_length(text), root, &error))
        return fail(EXIT_FAULT, "%s: root: %s", path, error.text);
    return EXIT_DONE;
}

static int read_positions(const char *path, const json_t *json, lr_state *root, struct solved_file *file) {
    const json_t *list = json_object_get(json, "positions");
    const size_t size = json_array_size(list);
    if (!size) return fail(EXIT_FAULT, "%s has no positions", path);
    file->position = calloc(size, sizeof *file->position);
    if (!file->position) return fail(EXIT_FAULT, "no memory for the positions of %s", path);
    int code = read_root(path, file->game, json, root);
    for (size_t i = 0; i < size && !code; i++) {
        code = read_position(path, file, root, json_array_get(list, i), file->count + 1, &file->position[i]);
        file->count++;
    }
    return code;
}

int solved_open(const char *path, struct solved_file *file) {
    json_error_t fault;
    *file = (struct solved_file){0};
    if (access(path, R_OK)) return fail(EXIT_USAGE, "cannot read %s: %s", path, strerror(errno));
    json_t *json = json_load_file(path, JSON_REJECT_DUPLICATES, &fault);
    if (!json) return fail(EXIT_FAULT, "%s: line %d: %s", path, fault.line, fault.text);
    int code = open_game(path, json, &file->game);
    if (!code) {
        lr_state *root = malloc((size_t)lr_game_info(file->game)->state_bytes);
        code =
            root ? read_positions(path, json, root, file) : fail(EXIT_FAULT, "no memory for the positions of %s", path);
        free(root);
    }
    json_decref(json);
    if (code) solved_close(file);
    return code;
}

void solved_close(struct solved_file *file) {
    for (int i = 0; i < file->count; i++) {
        free(file->position[i].state), free(file->position[i].action), free(file->position[i].value);
    }
    free(file->position);
    lr_game_close(file->game);
    *file = (struct solved_file){0};
}
