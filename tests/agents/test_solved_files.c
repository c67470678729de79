/* test_solved_files.c: the published files of solved positions (scenarios/cedar-mountain/NAME.solved.json) hold what they
 * promise: enough positions of both sides from many phases, in which the choice matters, with the legal actions and the
 * right best ones; and plain recursion, which remembers nothing, finds the same values where it can reach the ends of games.
 * tests/twin/test_solved.py does that with the other implementation of the rules. */
#include "agents/fraction.h"
#include "env/longroll.h"
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// cmocka needs the four above
#include <cmocka.h>

enum { STATE = 1024, BUDGET = 4000, KINDS = 64, WORDS = 200 };

typedef struct {
    _Alignas(64) char bytes[STATE];
} state_room;

static lr_state *state_in(state_room *room) { return (lr_state *)(void *)room->bytes; }

static const char *text_at(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    if (!text) fail_msg("no %s", key);
    return text;
}

static struct fraction value_at(const json_t *object, const char *key) {
    struct fraction value;
    if (!fraction_parse(text_at(object, key), &value)) fail_msg("%s: %s", key, text_at(object, key));
    return value;
}

static json_t *load(const char *name, lr_game **game) {
    char path[512];
    json_error_t fault;
    lr_error error;
    snprintf(path, sizeof path, "%s/scenarios/%s.solved.json", LONGROLL_SOURCE, name);
    json_t *file = json_load_file(path, JSON_REJECT_DUPLICATES, &fault);
    if (!file) fail_msg("%s:%d: %s", path, fault.line, fault.text);
    assert_string_equal(text_at(file, "scenario"), name);
    if (lr_game_open(name, game, &error)) fail_msg("%s", error.text);
    assert_int_equal(json_integer_value(json_object_get(file, "ruleset_version")),
                     lr_game_info(*game)->ruleset_version);
    assert_true(strtoull(text_at(file, "scenario_hash"), NULL, 16) == lr_game_info(*game)->scenario_hash);
    return file;
}

static void play_path(const lr_game *game, const json_t *position, lr_state *state) {
    const json_t *path = json_object_get(position, "path");
    lr_error error;
    lr_start(game, state);
    for (size_t i = 0; i < json_array_size(path); i++) {
        const int action = lr_action_parse(game, state, json_string_value(json_array_get(path, i)), &error);
        if (action < 0 || lr_apply(game, state, action, &error)) fail_msg("%s", error.text);
    }
}

/* ---- What a file promises ---- */

static bool is_listed(const json_t *list, const char *text) {
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!strcmp(json_string_value(json_array_get(list, i)), text)) return true;
    return false;
}

/* Every legal action has a value, none is better than the position's, and exactly those that equal it are called best. */
static void check_actions(const lr_game *game, const lr_state *state, const json_t *position) {
    const json_t *actions = json_object_get(position, "actions"), *best = json_object_get(position, "best");
    const struct fraction value = value_at(position, "value");
    const int mover = lr_to_move(game, state);
    uint16_t legal[LR_MAX_ACTIONS];
    const int count = lr_legal(game, state, legal);
    int worse = 0;
    assert_int_equal(json_object_size(actions), count);
    for (int i = 0; i < count; i++) {
        char text[LR_MAX_TEXT];
        lr_action_text(game, state, legal[i], text);
        const int order = fraction_compare(value_at(actions, text), value);
        assert_true(mover == LR_UNION ? order <= 0 : order >= 0);
        assert_int_equal(is_listed(best, text), order == 0);
        worse += order != 0;
    }
    assert_true(worse > 0);
    assert_int_equal(json_array_size(best), count - worse);
}

struct variety {
    char kinds[KINDS][WORDS];
    int kind_count, movers[2];
};

static void note(struct variety *variety, const json_t *position, int mover) {
    char words[WORDS];
    snprintf(words, sizeof words, "%s, %s", text_at(position, "heading"), text_at(position, "decision"));
    variety->movers[mover]++;
    for (int i = 0; i < variety->kind_count; i++)
        if (!strcmp(variety->kinds[i], words)) return;
    assert_true(variety->kind_count < KINDS);
    memcpy(variety->kinds[variety->kind_count++], words, sizeof words);
}

static void check_file(const char *name) {
    lr_game *game;
    json_t *file = load(name, &game);
    const json_t *positions = json_object_get(file, "positions");
    struct variety variety = {0};
    uint64_t hashes[1000];
    const size_t size = json_array_size(positions);
    assert_true(size >= 200 && size <= 1000);
    for (size_t i = 0; i < size; i++) {
        const json_t *position = json_array_get(positions, i);
        state_room room;
        char heading[LR_MAX_TEXT];
        play_path(game, position, state_in(&room));
        const int mover = lr_to_move(game, state_in(&room));
        assert_in_range(mover, LR_UNION, LR_CONFEDERATE);
        assert_string_equal(text_at(position, "to_move"), mover == LR_UNION ? "union" : "confederate");
        assert_string_equal(text_at(position, "heading"), lr_heading(game, state_in(&room), heading));
        assert_string_equal(text_at(position, "decision"), lr_decision(game, state_in(&room)));
        check_actions(game, state_in(&room), position);
        note(&variety, position, mover);
        hashes[i] = lr_hash(game, state_in(&room));
        for (size_t j = 0; j < i; j++) assert_true(hashes[j] != hashes[i]);
    }
    assert_true(variety.movers[LR_UNION] >= 60 && variety.movers[LR_CONFEDERATE] >= 60);
    assert_true(variety.kind_count >= 12);
    json_decref(file);
    lr_game_close(game);
}

static void the_duels_file_keeps_its_promises(void **unused) {
    (void)unused;
    check_file("cedar-mountain/duel");
}

static void the_batterys_file_keeps_its_promises(void **unused) {
    (void)unused;
    check_file("cedar-mountain/battery");
}

/* ---- Proof by plain recursion ---- */

/* False when the budget of states is spent. */
static bool recurse(const lr_game *game, const lr_state *state, int *budget, struct fraction *value) {
    const int mover = lr_to_move(game, state);
    float returns[2];
    if (--*budget < 0) return false;
    lr_returns(game, state, returns);
    *value = fraction_whole((int)returns[LR_UNION]);
    if (mover == LR_NOBODY) return true;
    uint16_t legal[LR_MAX_ACTIONS];
    uint32_t weights[LR_MAX_OUTCOMES], total;
    const int count = lr_legal(game, state, legal);
    lr_outcomes(game, state, weights, &total);
    for (int i = 0; i < count; i++) {
        state_room room;
        struct fraction here;
        memcpy(room.bytes, state, (size_t)lr_game_info(game)->state_bytes);
        lr_apply_legal(game, state_in(&room), legal[i]);
        if (!recurse(game, state_in(&room), budget, &here)) return false;
        if (mover == LR_CHANCE) {
            assert_true(fraction_add(value, here, weights[legal[i]]));
            continue;
        }
        const int order = fraction_compare(here, *value);
        if (!i || (mover == LR_UNION ? order > 0 : order < 0)) *value = here;
    }
    return mover != LR_CHANCE || fraction_divide(value, total);
}

/* How many of the position's actions were proved: all, or those before the first that leads too far. */
static int prove(const lr_game *game, const json_t *position) {
    state_room room, next;
    uint16_t legal[LR_MAX_ACTIONS];
    int proved = 0;
    play_path(game, position, state_in(&room));
    const int count = lr_legal(game, state_in(&room), legal);
    for (int i = 0; i < count; i++) {
        char text[LR_MAX_TEXT];
        struct fraction value;
        int budget = BUDGET;
        next = room;
        lr_action_text(game, state_in(&room), legal[i], text);
        lr_apply_legal(game, state_in(&next), legal[i]);
        if (!recurse(game, state_in(&next), &budget, &value)) break;
        const struct fraction published = value_at(json_object_get(position, "actions"), text);
        if (fraction_compare(value, published)) fail_msg("%s is not worth that", text);
        proved++;
    }
    return proved;
}

static void plain_recursion_finds_the_same_values(void **unused) {
    (void)unused;
    static const char *const names[] = {"cedar-mountain/duel", "cedar-mountain/battery"};
    for (int n = 0; n < 2; n++) {
        lr_game *game;
        json_t *file = load(names[n], &game);
        const json_t *positions = json_object_get(file, "positions");
        int actions = 0;
        for (size_t i = 0; i < json_array_size(positions); i++) actions += prove(game, json_array_get(positions, i));
        if (actions < 30) fail_msg("%s: only %d actions were proved", names[n], actions);
        json_decref(file);
        lr_game_close(game);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_duels_file_keeps_its_promises),
        cmocka_unit_test(the_batterys_file_keeps_its_promises),
        cmocka_unit_test(plain_recursion_finds_the_same_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
