/* State files (scenarios/STATEFILES.md): what is written reads back to the same bytes, what cannot be is refused with a sentence. */
#include "position.h"

#include <stdlib.h>

#define UNION "turn: 6; half: union"
enum { MOST = 1 << 15 };

static void assert_round_trip(const lr_game *g, const lr_state *state_now) {
    static char text[MOST], again[MOST];
    static _Alignas(8) struct brigade_state parsed;
    lr_error error;
    const int length = lr_state_format(g, state_now, text, sizeof text);
    assert_true(length > 0 && length < MOST);
    assert_int_equal(strlen(text), length);
    if (lr_state_parse(g, text, (size_t)length, (lr_state *)&parsed, &error)) fail_msg("%s%s", text, error.text);
    if (memcmp(&parsed, state_now, sizeof parsed)) {
        lr_state_format(g, (lr_state *)&parsed, again, sizeof again);
        print_error("written:\n%sread back:\n%s", text, again);
        fail_msg("other bytes after writing and reading");
    }
}

static void random_game_round_trips(const char *name, uint64_t seed) {
    const lr_game *g = game_of(name);
    static _Alignas(8) struct brigade_state s;
    uint16_t legal[LR_MAX_ACTIONS];
    lr_error error;
    lr_start(g, (lr_state *)&s);
    for (uint64_t step = 0; lr_to_move(g, (lr_state *)&s) != LR_NOBODY; step++) {
        if (lr_state_check(g, (lr_state *)&s, &error)) fail_msg("%s, seed %d, step %d: %s", name, (int)seed, (int)step, error.text);
        assert_round_trip(g, (lr_state *)&s);
        const int count = lr_legal(g, (lr_state *)&s, legal);
        lr_apply_legal(g, (lr_state *)&s, legal[lr_random(seed, step, (uint32_t)count)]);
    }
    assert_round_trip(g, (lr_state *)&s);
}

RULE(test_every_step_of_random_games_reads_back) {
    for (uint64_t seed = 1; seed <= 2; seed++) {
        random_game_round_trips(HISTORICAL, seed);
        random_game_round_trips(HISTORICAL_POPE, seed);
        random_game_round_trips(FREE, seed);
        random_game_round_trips(FREE_POPE, seed);
    }
}

RULE(test_stated_positions_read_back) {
    at(UNION, "crawford 0415 9; banks 0415 replacement; bayard 0614 dismounted; gordon 0515 routed; garnett 0815; andrews 0708 unlimbered");
    assert_round_trip(game(), state());
    at("turn: 6; half: union; phase: offence", "crawford 0514; thomas 0515; jackson 0515; early 1515");
    attack("0515", "crawford");
    assert_round_trip(game(), state());
    play("roll 10");
    assert_round_trip(game(), state());
    play("roll 7");
    assert_round_trip(game(), state());
    play("retreat 0315");
    assert_round_trip(game(), state());
    play("roll 10");
    assert_round_trip(game(), state());
}

RULE(test_format_counts_like_snprintf) {
    static char text[MOST], shorter[100];
    begin();
    const int length = lr_state_format(game(), state(), NULL, 0);
    assert_int_equal(lr_state_format(game(), state(), text, sizeof text), length);
    assert_int_equal(lr_state_format(game(), state(), shorter, sizeof shorter), length);
    assert_int_equal(strlen(shorter), sizeof shorter - 1);
    assert_memory_equal(shorter, text, sizeof shorter - 1);
}

RULE(test_the_pages_example) {
    static _Alignas(8) struct brigade_state s;
    lr_error error;
    const char *text = "longroll: 1\n"
                       "scenario: cedar-mountain/historical\n"
                       "state:\n"
                       "  turn: 5\n"
                       "  phase: movement\n"
                       "  half: union\n"
                       "  pieces:\n"
                       "    - {piece: Crawford, hex: \"0906\", strength: 12}\n"
                       "    - {piece: Banks, hex: \"0906\"}\n"
                       "    - {piece: Garnett, hex: \"0607\", is: [routed]}\n"
                       "    - {piece: Andrews, hex: \"0708\", is: [unlimbered]}\n";
    if (lr_state_parse(game(), text, strlen(text), (lr_state *)&s, &error)) fail_msg("%s", error.text);
    assert_string_equal(lr_decision(game(), (lr_state *)&s), "pick");
    assert_int_equal(lr_to_move(game(), (lr_state *)&s), LR_UNION);
    assert_true(has(s.in_command, row_of("crawford")));
    assert_int_equal(s.strength[row_of("crawford")], 12);
    assert_int_equal(s.strength[row_of("gordon")], 0);
    assert_true(s.strength[row_of("pender")] > 0); /* not due yet: in reserve */
    assert_false(has(s.on_map, row_of("pender")));
}

RULE(test_pieces_that_cannot_be) {
    assert_refused(UNION, "crawfrod 0415; garnett 0815", "crawfrod");
    assert_refused(UNION, "duryee 0415; garnett 0815", "duryee"); /* the variant's only */
    assert_refused(UNION, "crawford 2005; garnett 0815", "2005");
    assert_refused(UNION, "crawford 0421; garnett 0815", "0421");
    assert_refused(UNION, "crawford 415; garnett 0815", "415");
    assert_refused(UNION, "crawford 1414; garnett 0815", "Crawford"); /* the pond */
    assert_refused(UNION, "crawford 0415; gordon 0415; garnett 0815", "Crawford and Gordon");
    assert_refused(UNION, "crawford 0415; garnett 0415", "Crawford and Garnett");
    assert_refused(UNION, "banks 0415; garnett 0415; crawford 0101", "Banks and Garnett");
    assert_refused(UNION, "banks 0415; jackson 0415; crawford 0101", "Banks and Jackson");
    assert_refused(UNION, "crawford 0415; crawford 0515; garnett 0815", "Crawford");
    assert_refused(UNION "; reserve: [Crawford]", "crawford 0415; garnett 0815", "Crawford");
    assert_refused(UNION "; reserve: [Duryee]", "crawford 0415; garnett 0815", "Duryee");
    assert_refused("turn: 4; half: union", "crawford 0415; branch 0815", "Branch"); /* not due yet */
}

RULE(test_impossible_strengths) {
    assert_refused(UNION, "crawford 0415 18; garnett 0815", "1..17");
    assert_refused(UNION, "crawford 0415 0; garnett 0815", "strength");
    assert_refused(UNION, "crawford 0415 300; garnett 0815", "1..17");
}

RULE(test_impossible_marks) {
    assert_refused(UNION, "crawford 0415 unlimbered; garnett 0815", "Crawford");
    assert_refused(UNION, "crawford 0415 dismounted; garnett 0815", "Crawford");
    assert_refused(UNION, "crawford 0415 fired; garnett 0815", "Crawford");
    assert_refused(UNION, "crawford 0415 sleepy; garnett 0815", "sleepy");
    assert_refused(UNION, "banks 0415 routed; crawford 0415; garnett 0815", "Banks");
    assert_refused(UNION, "crawford 0415 replacement; garnett 0815", "only leaders");
    assert_refused(UNION, "reserve-1 0415 routed unlimbered; garnett 0815", "Reserve 1"); /* R 9.8.2: they limber when they rout */
    assert_refused(UNION "; union_markers: {left: [3]}", "crawford 0415; garnett 0815", "3");
    assert_refused(UNION "; union_markers: {left: [1]}", "crawford 0415; banks 0415 replacement; garnett 0815", "Banks");
}

RULE(test_impossible_turns_and_phases) {
    assert_refused("turn: 10; half: union", "crawford 0415; garnett 0815", "turn");
    assert_refused("turn: 2; half: union", "crawford 0415; garnett 0815", "turn");
    assert_refused("turn: six; half: union", "crawford 0415; garnett 0815", "six");
    assert_refused("turn: 6; half: french", "crawford 0415; garnett 0815", "french");
    assert_refused(UNION "; phase: lunch", "crawford 0415; garnett 0815", "lunch");
    assert_refused("turn: 3; half: union", "crawford 0415; garnett 0815", "turn 3"); /* no movement on turn 3 */
    assert_refused(UNION "; phase: offence", "crawford 0415; garnett 0815", "legal"); /* nothing to ask */
    assert_refused(UNION "; phase: rally", "crawford 0415; garnett 0815", "decision");
    assert_refused(UNION "; phase: defence; decision: retreat; subject: Crawford", "crawford 0415; garnett 0815", "target");
    assert_refused(UNION "; decision: move; subject: Garnett; stage: move", "crawford 0415; garnett 0815", "subject");
    assert_refused(UNION "; face: 5", "crawford 0415; garnett 0815", "face");
    assert_refused(UNION "; stars: 3", "crawford 0415; garnett 0815", "stars");
    assert_refused(UNION "; stars: -2", "crawford 0415; garnett 0815", "stars");
    assert_refused(UNION "; vp: 999", "crawford 0415; garnett 0815", "vp");
    assert_refused(UNION "; arrival: [{group: Hill, turn: 5}]", "crawford 0415; garnett 0815", "Hill"); /* the free scenario's */
    assert_refused(UNION "; weather: fine", "crawford 0415; garnett 0815", "weather");
}

#define HEAD "longroll: 1\nscenario: cedar-mountain/historical\n"

RULE(test_broken_files) {
    assert_text_refused("", "nothing");
    assert_text_refused("longroll: 1\n", "state");
    assert_text_refused("longroll: 2\nscenario: cedar-mountain/historical\nstate: {}\n", "format 2");
    assert_text_refused("scenario: cedar-mountain/historical\nstate: {}\n", "longroll");
    assert_text_refused(HEAD "state:\n  turn: 6\n  pieces:\n    - {piece: Crawford, hex: 0415}\n", "line 6");
    assert_text_refused(HEAD "state:\n  turn: 6\n  pieces:\n    - {piece: Crawford, hex: \"0415\"\n  phase: movement\n", "line 7");
    assert_text_refused(HEAD "state: &a\n  turn: 6\n", "line 3");
    assert_text_refused(HEAD "state: !x {turn: 6}\n", "line 3");
    assert_text_refused(HEAD "state: {turn: 6, turn: 7}\n", "twice");
    assert_text_refused(HEAD "state: {}\n---\na: 1\n", "second document");
    assert_text_refused(HEAD "state: [1, 2]\n", "line 3");
    assert_text_refused("\xff\xfe\n", "line 1");
    char *big = malloc(300000);
    memset(big, '#', 299999);
    big[299999] = '\0';
    assert_text_refused(big, "262144");
    free(big);
}

RULE(test_a_state_of_another_scenario_is_refused) {
    const char *const end = "state:\n  turn: 6\n  pieces:\n    - {piece: Crawford, hex: \"0415\"}\n"
                            "    - {piece: Garnett, hex: \"0815\"}\n";
    char text[512];
    lr_error error;
    snprintf(text, sizeof text, "%s%s", HEAD, end);
    if (lr_state_parse(game(), text, strlen(text), state(), &error)) fail_msg("%s", error.text);
    snprintf(text, sizeof text, "longroll: 1\nscenario: \"cedar-mountain/free\"\n%s", end);
    assert_text_refused(text, "it is of cedar-mountain/free and cannot be read as one of cedar-mountain/historical");
    if (lr_state_parse(game_of(FREE), text, strlen(text), state(), &error)) fail_msg("%s", error.text);
    snprintf(text, sizeof text, "longroll: 1\n%s", end);
    assert_text_refused(text, "no `scenario:`");
    snprintf(text, sizeof text, "longroll: 1\nscenario: %s/cedar-mountain/historical.yaml\n%s", lr_scenario_folder(), end);
    if (lr_state_parse(game(), text, strlen(text), state(), &error)) fail_msg("%s", error.text); /* by its path */
}

RULE(test_the_piece_in_hand_must_be_named) {
    const char *const pieces = "crawford 0415; gordon 0514; banks 0415; garnett 0815";
    at(UNION "; decision: move; subject: Gordon", pieces);
    assert_int_equal(inside()->subject, row_of("gordon"));
    at(UNION "; decision: move; subject: Crawford", pieces); /* row 0 */
    assert_int_equal(inside()->subject, 0);
    assert_refused(UNION "; decision: move", pieces, "subject: missing");
    assert_refused("phase: setup", "bayard 0415", "subject: missing");
    assert_refused(UNION "; phase: rally", "crawford 0415 routed; banks 0415; garnett 0815", "subject: missing");
}

RULE(test_points_follow_from_losses_and_stars_so_far) {
    /* Of 87 Union SP 17 are left, and 3 leaders are gone: 70 + 6. Two turns have ended: 4 stars of 2, twice. */
    at("turn: 5; vp: -76; stars: 16", "crawford 0415; garnett 0815");
    assert_refused("turn: 5; vp: -77", "crawford 0415; garnett 0815", "vp: -77 is not -76..");
    at("turn: 5; vp: -77", "crawford 0415 16; garnett 0815");
    assert_refused("turn: 5; stars: 18", "crawford 0415; garnett 0815", "stars: 18 is no multiple of 2 in 0..16");
    assert_refused("turn: 5; stars: 15", "crawford 0415; garnett 0815", "stars");
}

RULE(test_faults_speak_of_hexes_pieces_and_keys) {
    assert_refused(UNION "; vp: 5000", "crawford 0415; garnett 0815", "5000: a hex stands in quotes, \"5000\", and no number");
    assert_refused(UNION "; vp: 999", "crawford 0415; garnett 0815", "vp: 999 is not -"); /* the range that follows from losses */
    assert_refused(UNION, "crawford 1414; garnett 0815", "hex: Crawford stands on 1414");
    assert_refused(UNION, "crawford 0415; gordon 0415; garnett 0815", "hex 0415: Crawford and Gordon");
    assert_refused(UNION, "crawford 0415 unlimbered; garnett 0815", "unlimbered, dismounted: Crawford is no");
    assert_refused(UNION, "crawford 0415; garnett 0815 in-command", "in-command: Garnett is no");
    assert_refused(UNION, "crawford 0415; garnett 0815 active", "active: Garnett is no");
    assert_refused(UNION, "crawford 0415; banks 0415 along; garnett 0815", "along: Banks is no");
    assert_refused(UNION, "crawford 0415 in-contact; garnett 0815", "in-contact: Crawford is no");
    assert_refused(UNION "; decision: move; subject: Garnett", "crawford 0415; garnett 0815", "subject: Garnett is no piece of");
    assert_refused(UNION "; union_markers: {left: [1]}", "crawford 0415; banks 0415 replacement; garnett 0815",
                   "union_markers: Banks is a Replacement");
    assert_refused("turn: 5; phase: defence; casualty_dice: [{leader: Banks, thrown: 9}]",
                   "crawford 0707; banks 0707; geary 0808; garnett 0708; early 0807", "casualty_dice: Banks: 9");
    assert_refused("turn: 5; phase: defence; decision: join; subject: Crawford",
                   "crawford 0707; geary 0808; garnett 0708; early 0807", "target: missing");
    assert_refused("turn: 5; phase: defence; decision: join; subject: Crawford; target: \"1414\"",
                   "crawford 0707; geary 0808; garnett 0708; early 0807", "target: 1414 is no hex to stand on");
    scenario(FREE);
    assert_refused("turn: 3; arrival: [{group: Hill, turn: 5}]", "crawford 0415; garnett 0815", "the die for Hill is thrown on turn 4");
}

RULE(test_every_truncation_and_every_flipped_byte_is_survived) {
    /* Whatever comes of it: refused with a sentence, or a state that stands the check. */
    static char text[MOST];
    static _Alignas(8) struct brigade_state s;
    lr_error error;
    at("turn: 6; half: union; phase: offence", "crawford 0514; thomas 0515; jackson 0515; early 1515");
    attack("0515", "crawford");
    play("roll 10");
    const int length = lr_state_format(game(), state(), text, sizeof text);
    for (int cut = 0; cut < length; cut += 7)
        if (lr_state_parse(game(), text, (size_t)cut, (lr_state *)&s, &error) == LR_OK)
            assert_int_equal(lr_state_check(game(), (lr_state *)&s, &error), LR_OK);
        else
            assert_true(error.code == LR_E_STATE && *error.text);
    for (int i = 0; i < length; i++) {
        const char was = text[i];
        text[i] = (char)(was ^ (1 << i % 7));
        if (lr_state_parse(game(), text, (size_t)length, (lr_state *)&s, &error) == LR_OK)
            assert_int_equal(lr_state_check(game(), (lr_state *)&s, &error), LR_OK);
        else
            assert_true(error.code == LR_E_STATE && *error.text);
        text[i] = was;
    }
}

RULE(test_check_finds_damaged_bytes) {
    static _Alignas(8) struct brigade_state s;
    lr_error error;
    at(UNION, "crawford 0415; banks 0415; garnett 0815");
    s = *inside();
    assert_int_equal(lr_state_check(game(), (lr_state *)&s, &error), LR_OK);
    s.strength[0] = 200;
    assert_int_equal(lr_state_check(game(), (lr_state *)&s, &error), LR_E_STATE);
    s = *inside(), s.cell[0] = 500;
    assert_int_equal(lr_state_check(game(), (lr_state *)&s, &error), LR_E_STATE);
    s = *inside(), s.routed = UINT64_C(1) << 20;
    assert_int_equal(lr_state_check(game(), (lr_state *)&s, &error), LR_E_STATE);
    s = *inside(), s.occupied[0] = board_empty();
    assert_int_equal(lr_state_check(game(), (lr_state *)&s, &error), LR_E_STATE);
    s = *inside(), s.waiting_zone = board_empty();
    assert_int_equal(lr_state_check(game(), (lr_state *)&s, &error), LR_E_STATE);
    s = *inside(), s.spare[1] = 1;
    assert_int_equal(lr_state_check(game(), (lr_state *)&s, &error), LR_E_STATE);
    s = *inside(), s.turn = 77;
    assert_int_equal(lr_state_check(game(), (lr_state *)&s, &error), LR_E_STATE);
    s = *inside(), s.decision = 99;
    assert_int_equal(lr_state_check(game(), (lr_state *)&s, &error), LR_E_STATE);
}

RULE(test_random_bytes_are_refused_or_playable) {
    /* Single bytes of states from a game, changed at random: the check never lets a state pass that then cannot be played. */
    static _Alignas(8) struct brigade_state s, damaged;
    uint16_t legal[LR_MAX_ACTIONS];
    lr_start(game(), (lr_state *)&s);
    for (uint64_t step = 0; lr_to_move(game(), (lr_state *)&s) != LR_NOBODY; step++) {
        for (uint64_t i = 0; i < 20; i++) {
            damaged = s;
            ((uint8_t *)&damaged)[lr_random(77 + step, i, sizeof damaged)] ^= (uint8_t)(1 << lr_random(78 + step, i, 8));
            if (lr_state_check(game(), (lr_state *)&damaged, NULL)) continue;
            const int count = lr_legal(game(), (lr_state *)&damaged, legal);
            if (count) lr_apply_legal(game(), (lr_state *)&damaged, legal[lr_random(79 + step, i, (uint32_t)count)]);
            else assert_int_equal(lr_to_move(game(), (lr_state *)&damaged), LR_NOBODY);
        }
        const int count = lr_legal(game(), (lr_state *)&s, legal);
        lr_apply_legal(game(), (lr_state *)&s, legal[lr_random(5, step, (uint32_t)count)]);
    }
}

RULE(test_position_open_reads_scenarios_and_state_files) {
    char path[] = "/tmp/longroll-position-XXXXXX.yaml";
    const int fd = mkstemps(path, 5);
    assert_true(fd >= 0);
    char *text = position_text(UNION, "crawford 0415; garnett 0815");
    lr_error error;
    assert_int_equal(lr_file_write(path, text, strlen(text), &error), LR_OK);
    lr_game *g;
    lr_state *s;
    if (lr_position_open(path, &g, &s, &error)) fail_msg("%s", error.text);
    at(UNION, "crawford 0415; garnett 0815");
    assert_memory_equal(s, state(), sizeof(struct brigade_state));
    free(s);
    lr_game_close(g);
    free(text);
    remove(path);
    if (lr_position_open(HISTORICAL, &g, &s, &error)) fail_msg("%s", error.text);
    begin();
    assert_memory_equal(s, state(), sizeof(struct brigade_state));
    free(s);
    lr_game_close(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_every_step_of_random_games_reads_back),
        TEST(test_stated_positions_read_back),
        TEST(test_format_counts_like_snprintf),
        TEST(test_the_pages_example),
        TEST(test_pieces_that_cannot_be),
        TEST(test_impossible_strengths),
        TEST(test_impossible_marks),
        TEST(test_impossible_turns_and_phases),
        TEST(test_broken_files),
        TEST(test_a_state_of_another_scenario_is_refused),
        TEST(test_the_piece_in_hand_must_be_named),
        TEST(test_points_follow_from_losses_and_stars_so_far),
        TEST(test_faults_speak_of_hexes_pieces_and_keys),
        TEST(test_every_truncation_and_every_flipped_byte_is_survived),
        TEST(test_check_finds_damaged_bytes),
        TEST(test_random_bytes_are_refused_or_playable),
        TEST(test_position_open_reads_scenarios_and_state_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
