/* Our own small scenarios (gate, cedars, duel), the generator of random battles, and the tally of what happens:
 * everything opens, plays to an end, and comes out the same again. */
#include "position.h"

#include "env/game.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { RANDOM_BATTLES = 200, MOST_STATES = 1 << 18, GREEDY = 1 };

static const char *const small[] = {"cedar-mountain/gate", "cedar-mountain/cedars", "cedar-mountain/duel",
                                    "cedar-mountain/battery"};
enum { SMALL = sizeof small / sizeof *small };

static lr_game *open_game(const char *name) {
    lr_game *opened;
    lr_error error;
    if (lr_game_open(name, &opened, &error)) fail_msg("%s: %s", name, error.text);
    return opened;
}

static const struct brigade *rules_of(const lr_game *opened) { return opened->rules; }

static int choose(const lr_game *opened, const lr_state *s, bool greedy, uint64_t stream) {
    uint16_t legal[LR_MAX_ACTIONS];
    int32_t worth[LR_MAX_ACTIONS];
    const int count = lr_legal(opened, s, legal);
    assert_true(count > 0);
    if (!greedy) return legal[lr_random(stream, 0, (uint32_t)count)];
    lr_appraise(opened, s, legal, count, worth);
    int best = 0;
    for (int i = 1; i < count; i++)
        if (worth[i] > worth[best]) best = i;
    return legal[best];
}

/* Called with each transition of a game; may be NULL. */
typedef void watcher(const lr_game *opened, const lr_state *before, int action, const lr_state *after, void *context);

/* Plays a game to its end, every state proved; returns a hash over its actions. */
static uint64_t play_out(const lr_game *opened, bool greedy, uint64_t seed, watcher *watch, void *context) {
    _Alignas(8) struct brigade_state now, before;
    lr_state *s = (lr_state *)&now;
    lr_error error;
    uint64_t hash = seed;
    int length = 0;
    lr_start(opened, s);
    for (int mover; (mover = lr_to_move(opened, s)) != LR_NOBODY; length++) {
        const int action = mover == LR_CHANCE
                               ? lr_sample(opened, s, seed, 0)
                               : choose(opened, s, greedy, lr_agent_stream(seed, 0, mover, (uint32_t)length));
        before = now;
        if (lr_apply(opened, s, action, &error)) fail_msg("%s", error.text);
        if (lr_state_check(opened, s, &error)) fail_msg("%s", error.text);
        if (watch) watch(opened, (const lr_state *)&before, action, s, context);
        hash = (hash ^ (uint64_t)action) * UINT64_C(0x100000001b3);
    }
    assert_true(length < lr_game_info(opened)->max_decisions);
    assert_true(lr_score(opened, s) >= lr_game_info(opened)->score_low);
    assert_true(lr_score(opened, s) <= lr_game_info(opened)->score_high);
    assert_true(*lr_end_reason(opened, s));
    return hash;
}

/* ---- The small scenarios ---- */

static void small_scenarios_play_to_an_end(void **unused) {
    (void)unused;
    for (int i = 0; i < SMALL; i++) {
        lr_game *opened = open_game(small[i]);
        for (uint64_t seed = 0; seed < 20; seed++) {
            play_out(opened, false, seed, NULL, NULL);
            play_out(opened, true, seed, NULL, NULL);
        }
        lr_game_close(opened);
    }
}

static int units_of_side(const struct brigade *b, int side) { return __builtin_popcountll(b->units & rows_of(side)); }
static int turns_of(const struct brigade *b) { return b->last_turn - b->first_turn + 1; }

static void they_are_as_small_as_they_say(void **unused) {
    (void)unused;
    lr_game *gate = open_game(small[0]), *cedars = open_game(small[1]), *duel = open_game(small[2]);
    for (int side = 0; side < 2; side++) {
        assert_int_equal(units_of_side(rules_of(gate), side), 4);
        assert_true(rules_of(cedars)->guns & rows_of(side));
        assert_true(rules_of(cedars)->infantry & rows_of(side));
        assert_int_equal(units_of_side(rules_of(duel), side), 1);
    }
    assert_int_equal(turns_of(rules_of(gate)), 3);
    assert_int_equal(turns_of(rules_of(cedars)), 5);
    assert_int_equal(rules_of(cedars)->cavalry, 0);
    assert_int_equal(turns_of(rules_of(duel)), 2);
    assert_true(board_count(&rules_of(duel)->map) <= 25);
    lr_game_close(gate);
    lr_game_close(cedars);
    lr_game_close(duel);
}

/* ---- The duel, solved ---- */

/* The chance that the Union wins from a state if both sides play as well as can be; found states are kept by hash. */
struct solution {
    const lr_game *game;
    struct {
        uint64_t hash;
        double value;
    } * slots;
    int states;
};

static size_t slot_of(const struct solution *solution, uint64_t hash) {
    size_t i = hash % (2 * MOST_STATES);
    while (solution->slots[i].hash && solution->slots[i].hash != hash) i = (i + 1) % (2 * MOST_STATES);
    return i;
}

static double solve(struct solution *solution, const struct brigade_state *s) {
    const lr_state *here = (const lr_state *)s;
    const int mover = lr_to_move(solution->game, here);
    float returns[2];
    lr_returns(solution->game, here, returns);
    if (mover == LR_NOBODY) return returns[LR_UNION] > 0;
    const uint64_t hash = lr_hash(solution->game, here);
    if (solution->slots[slot_of(solution, hash)].hash) return solution->slots[slot_of(solution, hash)].value;
    uint16_t legal[LR_MAX_ACTIONS];
    const int count = lr_legal(solution->game, here, legal);
    double best = mover == LR_UNION ? 0 : 1, sum = 0;
    for (int i = 0; i < count; i++) {
        _Alignas(8) struct brigade_state next = *s;
        lr_apply_legal(solution->game, (lr_state *)&next, legal[i]);
        const double value = solve(solution, &next);
        sum += value;
        if (mover == LR_UNION ? value > best : value < best) best = value;
    }
    assert_true(++solution->states < MOST_STATES);
    const size_t slot = slot_of(solution, hash);
    solution->slots[slot].hash = hash;
    return solution->slots[slot].value = mover == LR_CHANCE ? sum / count : best; /* ten faces of equal weight */
}

/* The figures move only with the rules: then with the ruleset's version too. */
static void the_duel_is_solved_by_enumeration(void **unused) {
    (void)unused;
    lr_game *duel = open_game("cedar-mountain/duel");
    struct solution solution = {.game = duel, .slots = calloc(2 * MOST_STATES, sizeof *solution.slots)};
    _Alignas(8) struct brigade_state first;
    assert_non_null(solution.slots);
    lr_start(duel, (lr_state *)&first);
    const double value = solve(&solution, &first);
    if (value < 0.61058 || value > 0.61060 || solution.states != 118816)
        fail_msg("the duel is worth %.6f in %d states", value, solution.states);
    free(solution.slots);
    lr_game_close(duel);
}

/* ---- Random battles ---- */

enum { TEXT = 1 << 15 };

static int scenario_text(const char *name, char text[TEXT]) {
    lr_error error;
    const int length = lr_scenario_text(name, text, TEXT, &error);
    if (length < 0) fail_msg("%s", error.text);
    assert_true(length < TEXT);
    assert_int_equal(strlen(text), length);
    return length;
}

static uint64_t text_hash(const char *name) {
    char text[TEXT];
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    const int length = scenario_text(name, text);
    for (int i = 0; i < length; i++) hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* The same text on every machine: curricula, replays and state files rest on it. */
static void a_name_is_always_the_same_battle(void **unused) {
    (void)unused;
    static const struct {
        const char *name;
        uint64_t hash;
    } pinned[] = {
        {"random:1:0", UINT64_C(0xe791be1785510a86)},
        {"random:2:1", UINT64_C(0x0a3d2f3af46c383c)},
        {"random:5:12345", UINT64_C(0xb13fccc147294ffd)},
        {"random:8:18446744073709551615", UINT64_C(0xf3edefa4148c6530)},
    };
    for (size_t i = 0; i < sizeof pinned / sizeof *pinned; i++) {
        const uint64_t hash = text_hash(pinned[i].name);
        if (hash != pinned[i].hash) fail_msg("%s: %016llx", pinned[i].name, (unsigned long long)hash);
        assert_int_equal(hash, text_hash(pinned[i].name));
    }
    assert_true(text_hash("random:3:1") != text_hash("random:3:2"));
    assert_true(text_hash("random:3:1") != text_hash("random:4:1"));
}

/* Type, strength, back side and morale of a side's units, in order. */
static void write_strengths(char *text, size_t size, const struct brigade *b, int side) {
    struct lr_writer out = {text, size, 0};
    for (uint64_t left = b->units & rows_of(side); left; left &= left - 1) {
        const struct brigade_piece *p = &b->piece[lowest(left)];
        lr_write(&out, "%d %d %d %d %d;", p->type, p->strength, p->back, p->morale, p->independent);
    }
}

static void random_battles_load_and_play(void **unused) {
    (void)unused;
    for (int i = 0; i < RANDOM_BATTLES; i++) {
        char name[32], ours[512], theirs[512];
        const int size = 1 + i % 8;
        snprintf(name, sizeof name, "random:%d:%d", size, i);
        lr_game *opened = open_game(name);
        assert_string_equal(lr_game_info(opened)->scenario, name);
        assert_int_equal(units_of_side(rules_of(opened), LR_UNION), size);
        write_strengths(ours, sizeof ours, rules_of(opened), LR_UNION);
        write_strengths(theirs, sizeof theirs, rules_of(opened), LR_CONFEDERATE);
        assert_string_equal(ours, theirs);
        play_out(opened, i / 8 % 2 == GREEDY, (uint64_t)i, NULL, NULL);
        lr_game_close(opened);
    }
}

static void their_states_and_replays_reopen_by_name(void **unused) {
    (void)unused;
    static char text[1 << 16];
    lr_game *opened = open_game("random:4:99"), *again;
    lr_replay *replay, *read;
    lr_error error;
    assert_int_equal(lr_replay_new(opened, 7, 0, "one", "other", &replay, NULL), LR_OK);
    for (int i = 0; i < 60; i++) {
        const lr_state *s = lr_replay_state(replay);
        const int action =
            lr_to_move(opened, s) == LR_CHANCE ? lr_sample(opened, s, 7, 0) : choose(opened, s, false, (uint64_t)i);
        assert_int_equal(lr_replay_add(replay, action, NULL), LR_OK);
    }
    lr_state_format(opened, lr_replay_state(replay), text, sizeof text);
    char path[] = "/tmp/longroll-random-XXXXXX.yaml";
    const int file = mkstemps(path, 5);
    assert_true(file >= 0);
    close(file);
    lr_state *state_again;
    assert_int_equal(lr_file_write(path, text, strlen(text), NULL), LR_OK);
    if (lr_position_open(path, &again, &state_again, &error)) fail_msg("%s", error.text);
    remove(path);
    assert_memory_equal(state_again, lr_replay_state(replay), sizeof(struct brigade_state));
    free(state_again);
    lr_game_close(again);

    lr_replay_format(replay, text, sizeof text);
    if (lr_replay_parse(text, strlen(text), &read, &again, &error)) fail_msg("%s", error.text);
    assert_int_equal(lr_replay_hash(read), lr_replay_hash(replay));
    assert_string_equal(lr_game_info(again)->scenario, "random:4:99");
    lr_replay_free(read);
    lr_game_close(again);
    lr_replay_free(replay);
    lr_game_close(opened);
}

static void bad_names_are_refused(void **unused) {
    (void)unused;
    static const char *const names[] = {"random:0:1",  "random:9:1",   "random:10:1",
                                        "random:x",    "random:",      "random:3",
                                        "random:3:",   "random:3:-1",  "random:03:1",
                                        "random:3:01", "random:3:1 ",  "random: 3:1",
                                        "random:3:1:", "random:3:0x1", "random:3:18446744073709551616"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        lr_game *opened = NULL;
        lr_error error;
        assert_int_equal(lr_game_open(names[i], &opened, &error), LR_E_NOT_FOUND);
        assert_null(opened);
        assert_non_null(strstr(error.text, "random:SIZE:SEED"));
        assert_null(strchr(error.text, '\n'));
    }
}

static void the_text_of_a_scenario_is_what_is_opened(void **unused) {
    (void)unused;
    static const char *const names[] = {"cedar-mountain/gate", "random:2:1"};
    for (int i = 0; i < 2; i++) {
        char text[TEXT], cut[10];
        const int length = scenario_text(names[i], text);
        assert_int_equal(lr_scenario_text(names[i], NULL, 0, NULL), length);
        assert_int_equal(lr_scenario_text(names[i], cut, sizeof cut, NULL), length);
        assert_int_equal(strlen(cut), sizeof cut - 1);
        assert_memory_equal(cut, text, sizeof cut - 1);
        lr_game *opened = open_game(names[i]), *made;
        assert_int_equal(lr_game_make(&brigade_ruleset, "again", text, (size_t)length,
                                      LONGROLL_SOURCE "/scenarios/cedar-mountain", &made, NULL),
                         LR_OK);
        assert_int_equal(lr_game_info(made)->scenario_hash, lr_game_info(opened)->scenario_hash);
        lr_game_close(made);
        lr_game_close(opened);
    }
    char untouched[] = "as it was";
    assert_int_equal(lr_scenario_text("random:9:1", untouched, sizeof untouched, NULL), LR_E_NOT_FOUND);
    assert_int_equal(lr_scenario_text("cedar-mountain/antietam", untouched, sizeof untouched, NULL), LR_E_NOT_FOUND);
    assert_string_equal(untouched, "as it was");
}

/* A part stands in the scenario or in a file of its own: not in both, not in neither. */
static void a_scenario_has_each_part_once(void **unused) {
    (void)unused;
    static const struct {
        const char *line, *sentence;
    } wrong[] = {{"map: map.yaml\n", "own_map"}, {"units: units.yaml\n", "own_units"}, {NULL, "map: missing"}};
    char text[TEXT], whole[2 * TEXT];
    scenario_text("random:2:1", text);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        lr_game *opened;
        lr_error error;
        const char *from = wrong[i].line ? text : strstr(text, "own_units:");
        snprintf(whole, sizeof whole, "%s%s",
                 wrong[i].line ? wrong[i].line
                               : "longroll: 1\nruleset: brigade\ntitle: none\ncharts: charts.yaml\n"
                                 "turns: {first: 1, last: 2, first_player: union}\n",
                 from);
        const int code = lr_game_make(&brigade_ruleset, "parts", whole, strlen(whole),
                                      LONGROLL_SOURCE "/scenarios/cedar-mountain", &opened, &error);
        assert_int_equal(code, LR_E_SCENARIO);
        if (!strstr(error.text, wrong[i].sentence)) fail_msg("%s", error.text);
    }
}

/* ---- The tally ---- */

struct tallied {
    uint32_t *counters;
    int lost[2], stars;
};

static void watch(const lr_game *opened, const lr_state *before, int action, const lr_state *after, void *context) {
    struct tallied *tallied = context;
    const struct brigade_state *then = (const void *)before, *now = (const void *)after;
    opened->ruleset->tally->count(opened->rules, before, action, after, tallied->counters);
    for (uint64_t left = rules_of(opened)->units; left; left &= left - 1)
        tallied->lost[side_of(lowest(left))] += then->strength[lowest(left)] - now->strength[lowest(left)];
    tallied->stars += now->stars - then->stars;
}

static uint64_t sum_of(const lr_game *opened, const uint32_t *counters, const char *group, const char *row) {
    const struct lr_tally *tally = opened->ruleset->tally;
    struct lr_counter is;
    uint64_t sum = 0;
    for (int i = 0; i < tally->counters; i++)
        if (tally->describe(opened->rules, i, &is) && !strcmp(is.group, group) && (!row || !strcmp(is.row, row)))
            sum += counters[i];
    return sum;
}

static void the_tally_adds_up(void **unused) {
    (void)unused;
    static const char *const names[] = {HISTORICAL, "cedar-mountain/cedars", "random:7:3"};
    for (int i = 0; i < 6; i++) {
        lr_game *opened = open_game(names[i / 2]);
        struct tallied tallied = {.counters = calloc((size_t)opened->ruleset->tally->counters, sizeof(uint32_t))};
        assert_non_null(tallied.counters);
        play_out(opened, i % 2 == GREEDY, 11, watch, &tallied);
        const uint32_t *counters = tallied.counters;
        assert_int_equal(sum_of(opened, counters, "Strength points lost", "Union"), tallied.lost[LR_UNION]);
        assert_int_equal(sum_of(opened, counters, "Strength points lost", "Confederate"), tallied.lost[LR_CONFEDERATE]);
        assert_int_equal(sum_of(opened, counters, "Stars held by the Union at the end of a turn", NULL) *
                             rules_of(opened)->star_points,
                         tallied.stars);
        const uint64_t attacks = sum_of(opened, counters, "Attacks by modified strength", NULL);
        assert_true(attacks > 0);
        assert_int_equal(sum_of(opened, counters, "Attacks", "by one piece") +
                             sum_of(opened, counters, "Attacks", "by several"),
                         attacks);
        assert_int_equal(sum_of(opened, counters, "Results of fire on units", NULL) -
                             sum_of(opened, counters, "Results of fire on units", "with leaders who check"),
                         attacks);
        assert_int_equal(sum_of(opened, counters, "Morale checks under fire", "failed"),
                         sum_of(opened, counters, "Retreats and routs", "routs"));
        free(tallied.counters);
        lr_game_close(opened);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_scenarios_play_to_an_end),
        cmocka_unit_test(they_are_as_small_as_they_say),
        cmocka_unit_test(the_duel_is_solved_by_enumeration),
        cmocka_unit_test(a_name_is_always_the_same_battle),
        cmocka_unit_test(random_battles_load_and_play),
        cmocka_unit_test(their_states_and_replays_reopen_by_name),
        cmocka_unit_test(bad_names_are_refused),
        cmocka_unit_test(the_text_of_a_scenario_is_what_is_opened),
        cmocka_unit_test(a_scenario_has_each_part_once),
        cmocka_unit_test(the_tally_adds_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
