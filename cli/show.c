/* show.c: a game to read: phase by phase its actions, then the map. */
#include "cli/cli.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 100 };

/* A list of words that breaks before it gets too wide. */
struct column {
    size_t used;
};

static void put_action(struct column *column, const char *text) {
    size_t length = strlen(text);
    if (column->used && column->used + length + 2 > WIDTH) {
        fputs(",\n", stdout);
        column->used = 0;
    }
    column->used += (size_t)printf("%s%s", column->used ? ", " : "  ", text);
}

static int put_map(const lr_game *game, const lr_state *state, const char *heading) {
    char *map = text_of_map(game, state);
    if (!map) return fail(EXIT_FAULT, "no memory to draw the map");
    printf("\n\nafter %s, score %d:\n%s\n", heading, lr_score(game, state), map);
    free(map);
    return EXIT_DONE;
}

static void put_mover(const lr_game *game, const lr_state *state, int action, struct column *column) {
    char text[LR_MAX_TEXT];
    put_action(column, lr_action_text(game, state, action, text));
}

static int show_from(const lr_game *game, const lr_replay *replay, lr_state *state) {
    char heading[LR_MAX_TEXT], next[LR_MAX_TEXT];
    struct column column = {0};
    int code = EXIT_DONE;
    lr_start(game, state);
    lr_heading(game, state, heading);
    printf("%s:\n", heading);
    int length = lr_replay_length(replay);
    for (int i = 0; i < length && !code; i++) {
        int action = lr_replay_action(replay, i);
        put_mover(game, state, action, &column);
        lr_apply_legal(game, state, action);
        lr_heading(game, state, next);
        if (i + 1 < length && strcmp(heading, next) == 0) continue;
        code = put_map(game, state, heading);
        memcpy(heading, next, sizeof heading);
        column.used = 0;
        if (i + 1 < length) printf("%s:\n", heading);
    }
    return code;
}

int show_replay(const lr_game *game, const lr_replay *replay) {
    lr_state *state = malloc((size_t)lr_game_info(game)->state_bytes);
    if (!state) return fail(EXIT_FAULT, "no memory for a state");
    int code = show_from(game, replay, state);
    free(state);
    return code;
}
