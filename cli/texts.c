/* texts.c: texts and JSON made from library objects. The library writes into buffers and says how long the whole
 * text is; here the buffer is made to fit. NULL: no memory. */
#include "cli/cli.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool color_wanted(void) { return isatty(STDOUT_FILENO) && !getenv("NO_COLOR"); }

char *text_of_map(const lr_game *game, const lr_state *state) {
    bool color = color_wanted();
    size_t size = (size_t)lr_draw(game, state, color, NULL, 0) + 1;
    char *text = malloc(size);
    if (text) lr_draw(game, state, color, text, size);
    return text;
}

char *text_of_state(const lr_game *game, const lr_state *state) {
    size_t size = (size_t)lr_state_format(game, state, NULL, 0) + 1;
    char *text = malloc(size);
    if (text) lr_state_format(game, state, text, size);
    return text;
}

char *text_of_replay(const lr_replay *replay) {
    size_t size = (size_t)lr_replay_format(replay, NULL, 0) + 1;
    char *text = malloc(size);
    if (text) lr_replay_format(replay, text, size);
    return text;
}

const char *mover_name(int mover) {
    switch (mover) {
    case LR_UNION: return "union";
    case LR_CONFEDERATE: return "confederate";
    case LR_CHANCE: return "chance";
    default: return "nobody";
    }
}

const char *winner_name(int winner) { return winner == LR_NOBODY ? "draw" : mover_name(winner); }

int winner_of(const lr_game *game, const lr_state *state) {
    float returns[2];
    lr_returns(game, state, returns);
    if (returns[LR_UNION] > 0) return LR_UNION;
    return returns[LR_CONFEDERATE] > 0 ? LR_CONFEDERATE : LR_NOBODY;
}

json_t *json_hash(uint64_t hash) {
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    return json_string(text);
}

int json_print(json_t *json) {
    if (!json) return fail(EXIT_FAULT, "the JSON report cannot be made: no memory, or a name in it is not UTF-8");
    json_dumpf(json, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    putchar('\n');
    json_decref(json);
    return EXIT_DONE;
}
