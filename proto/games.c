/* games.c: the games that a server has opened, shared by all sessions. */
#include "proto/games.h"
#include "env/game.h"
#include <glob.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_GAMES = 64 }; /* a folder of more scenarios still works: `list` shows the first ones only */

struct games {
    pthread_mutex_t lock;
    lr_game *game[MOST_GAMES];
    char *name[MOST_GAMES]; /* as it was asked for */
    int count;
};

struct games *games_open(void) {
    struct games *games = calloc(1, sizeof *games);
    if (games) pthread_mutex_init(&games->lock, NULL);
    return games;
}

void games_close(struct games *games) {
    if (!games) return;
    for (int i = 0; i < games->count; i++) {
        lr_game_close(games->game[i]);
        free(games->name[i]);
    }
    pthread_mutex_destroy(&games->lock);
    free(games);
}

static bool ends_in(const char *name, const char *end) {
    const size_t length = strlen(name), tail = strlen(end);
    return length >= tail && strcmp(name + length - tail, end) == 0;
}

static int keep(struct games *games, const char *name, lr_game *game, struct wire_fault *fault) {
    games->name[games->count] = strdup(name);
    if (!games->name[games->count]) {
        lr_game_close(game);
        return wire_refuse(fault, WIRE_INTERNAL, "there is no memory to open the game");
    }
    games->game[games->count++] = game;
    return WIRE_OK;
}

/* With the lock held. */
static int find(struct games *games, const char *name, const lr_game **game, struct wire_fault *fault) {
    for (int i = 0; i < games->count; i++)
        if (strcmp(games->name[i], name) == 0) return *game = games->game[i], WIRE_OK;
    if (games->count == MOST_GAMES)
        return wire_refuse(fault, WIRE_CAPACITY, "the server has %d scenarios open and can open no more", MOST_GAMES);
    lr_game *opened;
    lr_error error;
    const int code = lr_game_open(name, &opened, &error);
    if (code == LR_E_NOT_FOUND) /* the library's sentence names a path of this machine */
        return wire_refuse(fault, WIRE_BAD_SCENARIO, "there is no scenario \"%s\": list shows the names", name);
    if (code) return wire_refuse(fault, WIRE_BAD_SCENARIO, "%s", error.text);
    if (keep(games, name, opened, fault)) return fault->code;
    *game = opened;
    return WIRE_OK;
}

int games_find(struct games *games, const char *name, const lr_game **game, struct wire_fault *fault) {
    /* The library would take the first as a path on this machine; the others are second spellings of one name. */
    if (ends_in(name, ".yaml") || strstr(name, "//") || strstr(name, "./"))
        return wire_refuse(fault, WIRE_BAD_SCENARIO, "scenarios are opened by name, as list shows them, not by path");
    pthread_mutex_lock(&games->lock);
    find(games, name, game, fault);
    pthread_mutex_unlock(&games->lock);
    return fault->code;
}

/* ---- The folder ---- */

static bool has_line(const char *text, const char *key) {
    const size_t length = strlen(key);
    for (const char *line = text; line; line = strchr(line, '\n'), line = line ? line + 1 : NULL)
        if (strncmp(line, key, length) == 0) return true;
    return false;
}

/* Maps, rosters and state files lie beside the scenarios. */
static bool is_scenario(const char *path) {
    char *text;
    size_t length;
    if (lr_file_read(path, 1 << 20, &text, &length, NULL)) return false;
    const bool yes = has_line(text, "ruleset:") && !has_line(text, "state:");
    free(text);
    return yes;
}

static const lr_game *game_of_file(struct games *games, const char *path, size_t folder_length) {
    if (!is_scenario(path)) return NULL;
    char *name = strndup(path + folder_length + 1, strlen(path) - folder_length - 1 - strlen(".yaml"));
    if (!name) return NULL;
    const lr_game *game = NULL;
    struct wire_fault fault = WIRE_NO_FAULT;
    games_find(games, name, &game, &fault);
    free(name);
    return game;
}

void games_each(struct games *games, void (*each)(void *context, const lr_game *game), void *context) {
    const char *folder = lr_scenario_folder();
    char pattern[4096];
    if (snprintf(pattern, sizeof pattern, "%s/*/*.yaml", folder) >= (int)sizeof pattern) return;
    glob_t found;
    if (glob(pattern, 0, NULL, &found)) return;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const lr_game *game = game_of_file(games, found.gl_pathv[i], strlen(folder));
        if (game) each(context, game);
    }
    globfree(&found);
}
