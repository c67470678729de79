/* race.c: see race.h. The appraisal likes steps 2 and 3 equally, to show how ties are broken. */
#include "race.h"
#include <stdio.h>
#include <string.h>

enum { GOAL = 30, TURNS = 40, FACES = 6, STEPS = 3 };

struct race {
    uint8_t place[2];
    uint8_t turn;    /* turns begun, even ones are the Union's */
    uint8_t stepped; /* the die is due */
    uint8_t over;
    uint8_t spare[3];
};

static int open_rules(const char *text, size_t length, const char *folder, void **rules, lr_info *info,
                      lr_error *error) {
    (void)text, (void)length, (void)folder, (void)error;
    *rules = NULL;
    info->title = "A race";
    info->scenario_hash = 1;
    info->max_decisions = 2 * TURNS;
    info->score_low = -GOAL - 9;
    info->score_high = GOAL + 9;
    return LR_OK;
}

static void close_rules(void *rules) { (void)rules; }

static void start(const void *rules, lr_state *state) {
    (void)rules;
    memset(state, 0, sizeof(struct race));
}

static int to_move(const void *rules, const lr_state *state) {
    (void)rules;
    const struct race *race = (const void *)state;
    if (race->over) return LR_NOBODY;
    return race->stepped ? LR_CHANCE : race->turn % 2;
}

static const char *decision(const void *rules, const lr_state *state) {
    int mover = to_move(rules, state);
    return mover == LR_NOBODY ? "over" : mover == LR_CHANCE ? "die" : "step";
}

static int legal(const void *rules, const lr_state *state, uint16_t *ids) {
    int mover = to_move(rules, state), count = mover == LR_NOBODY ? 0 : mover == LR_CHANCE ? FACES : STEPS;
    for (int i = 0; i < count; i++) ids[i] = (uint16_t)i;
    return count;
}

static void mask(const void *rules, const lr_state *state, uint8_t *bits) {
    uint16_t ids[FACES];
    bits[0] = (uint8_t)((1 << legal(rules, state, ids)) - 1);
}

static void apply(const void *rules, lr_state *state, int action) {
    (void)rules;
    struct race *race = (void *)state;
    int side = race->turn % 2;
    race->place[side] = (uint8_t)(race->place[side] + action + 1);
    if (race->stepped) race->turn++;
    race->stepped = !race->stepped;
    race->over = race->place[side] >= GOAL || race->turn >= TURNS;
}

static void returns(const void *rules, const lr_state *state, float r[2]) {
    (void)rules;
    const struct race *race = (const void *)state;
    r[0] = race->place[0] >= GOAL ? 1.0F : race->place[1] >= GOAL ? -1.0F : 0.0F;
    r[1] = -r[0];
}

static int score(const void *rules, const lr_state *state) {
    (void)rules;
    const struct race *race = (const void *)state;
    return race->place[0] - race->place[1];
}

static const char *end_reason(const void *rules, const lr_state *state) {
    (void)rules;
    const struct race *race = (const void *)state;
    if (!race->over) return "";
    return race->turn >= TURNS ? "out of turns" : "goal reached";
}

static int evaluate(const void *rules, const lr_state *state) { return 10 * score(rules, state); }

static void appraise(const void *rules, const lr_state *state, const uint16_t *ids, int count, int32_t *appraisals) {
    (void)rules, (void)state;
    for (int i = 0; i < count; i++) appraisals[i] = ids[i] > 0;
}

static int check(const void *rules, const lr_state *state, lr_error *error) {
    (void)rules, (void)state, (void)error;
    return LR_OK;
}

static int outcomes(const void *rules, const lr_state *state, uint32_t *weights, uint32_t *total) {
    if (to_move(rules, state) != LR_CHANCE) return 0;
    for (int i = 0; i < FACES; i++) weights[i] = 1;
    *total = FACES;
    return FACES;
}

static uint64_t event(const void *rules, const lr_state *state) {
    const struct race *race = (const void *)state;
    return to_move(rules, state) == LR_CHANCE ? 1u + race->turn : 0;
}

static char *action_text(const void *rules, const lr_state *state, int action, char text[LR_MAX_TEXT]) {
    snprintf(text, LR_MAX_TEXT, "%s %d", to_move(rules, state) == LR_CHANCE ? "roll" : "step", action + 1);
    return text;
}

static char *heading(const void *rules, const lr_state *state, char text[LR_MAX_TEXT]) {
    (void)rules;
    const struct race *race = (const void *)state;
    snprintf(text, LR_MAX_TEXT, "turn %d", race->turn + 1);
    return text;
}

static int draw(const void *rules, const lr_state *state, bool color, char *text, size_t size) {
    (void)rules, (void)color;
    const struct race *race = (const void *)state;
    return snprintf(text, size, "union %d, confederate %d\n", race->place[0], race->place[1]);
}

static int format(const void *rules, const lr_state *state, const char *scenario, char *text, size_t size) {
    (void)rules;
    const struct race *race = (const void *)state;
    return snprintf(text, size, "scenario: %s\nstate: [%d, %d, %d, %d, %d]\n", scenario, race->place[0], race->place[1],
                    race->turn, race->stepped, race->over);
}

static int parse(const void *rules, const char *text, size_t length, lr_state *state, lr_error *error) {
    (void)rules, (void)length;
    const char *list = strstr(text, "state: [");
    int v[5];
    if (!list || sscanf(list, "state: [%d, %d, %d, %d, %d]", &v[0], &v[1], &v[2], &v[3], &v[4]) != 5)
        return lr_fail(error, LR_E_STATE, "no state");
    struct race race = {.place = {(uint8_t)v[0], (uint8_t)v[1]}, .turn = (uint8_t)v[2], .stepped = (uint8_t)v[3]};
    race.over = (uint8_t)v[4];
    memcpy(state, &race, sizeof race);
    return LR_OK;
}

static void observe(const void *rules, const lr_state *state, int player, uint8_t *pieces, int16_t *globals) {
    (void)rules;
    const struct race *race = (const void *)state;
    pieces[0] = race->place[player];
    pieces[1] = race->place[!player];
    globals[0] = race->turn;
    globals[1] = race->stepped;
}

static const lr_column piece_spec[] = {{"place", 0, GOAL + 8, "how far the runner has come"}};
static const lr_column global_spec[] = {{"turn", 0, TURNS, "turns begun"}, {"stepped", 0, 1, "the die is due"}};

const struct lr_ruleset race_ruleset = {
    .name = "race",
    .version = 1,
    .state_bytes = sizeof(struct race),
    .actions = 8,
    .piece_rows = 2,
    .piece_columns = 1,
    .global_columns = 2,
    .piece_spec = piece_spec,
    .global_spec = global_spec,
    .open = open_rules,
    .close = close_rules,
    .start = start,
    .to_move = to_move,
    .decision = decision,
    .legal = legal,
    .mask = mask,
    .apply = apply,
    .returns = returns,
    .score = score,
    .end_reason = end_reason,
    .evaluate = evaluate,
    .appraise = appraise,
    .check = check,
    .outcomes = outcomes,
    .event = event,
    .action_text = action_text,
    .heading = heading,
    .draw = draw,
    .format = format,
    .parse = parse,
    .observe = observe,
};
