/* Rulebook chapter 5, 14.1.1, 14.2.2 and rulings 47, 55, 56: the order of play. */
#include "position.h"

RULE(test_5_union_then_confederates_then_the_next_turn) {
    at("turn: 4; half: union", "crawford 1901; banks 1901; garnett 0101; jackson 0101");
    for (int t = 4; t <= 9; t++) {
        assert_int_equal(turn(), t);
        assert_to_move(LR_UNION);
        assert_decision("pick");
        play("end movement");
        assert_int_equal(turn(), t);
        assert_to_move(LR_CONFEDERATE);
        assert_decision("pick");
        play("end movement");
    }
    assert_decision("over");
}

RULE(test_5_and_ruling_55_phases_of_a_half_turn) {
    /* Guns, a pair in contact, and a routed unit of the mover: every phase has something to ask. */
    at("turn: 6; half: union; phase: artillery", "reserve-1 1505 unlimbered; crawford 0715; banks 0715; gordon 0414 routed; "
                                                 "garnett 0815; jackson 1101; early 1507");
    assert_decision("target");
    assert_to_move(LR_UNION);
    play("end fire");
    assert_decision("pick");
    assert_to_move(LR_UNION);
    play("end movement");
    assert_decision("target"); /* defensive fire */
    assert_to_move(LR_CONFEDERATE);
    assert_int_equal(inside()->phase, PHASE_DEFENCE);
    play("end fire");
    assert_decision("target"); /* offensive fire */
    assert_to_move(LR_UNION);
    assert_int_equal(inside()->phase, PHASE_OFFENCE);
    play("end fire");
    assert_decision("rally");
    assert_int_equal(inside()->side, LR_UNION);
    play("roll 1");
    assert_decision("pick"); /* no Confederate guns: movement */
    assert_to_move(LR_CONFEDERATE);
    assert_int_equal(turn(), 6);
}

RULE(test_4_and_14_1_1_the_union_is_first) {
    static const char *const names[] = {HISTORICAL, HISTORICAL_POPE, FREE, FREE_POPE};
    for (int i = 0; i < 4; i++) {
        scenario(names[i]);
        begin();
        assert_to_move(LR_UNION);
    }
}

static void set_up(const char *formation) {
    begin();
    for (int side = 0; side < 2; side++) {
        while (!strcmp(lr_decision(game(), state()), "formation")) {
            if (offered(formation)) play(formation);
            else play("mounted");
        }
        play(side ? "place 0708; place 0607; place 1318" : "place 1006; place 1005; place 1308");
    }
}

RULE(test_14_2_2_and_ruling_47_turn_3_is_two_artillery_phases) {
    set_up("unlimbered");
    assert_int_equal(turn(), 3);
    assert_decision("target");
    assert_to_move(LR_UNION);
    play("end fire");
    assert_int_equal(turn(), 3);
    assert_decision("target");
    assert_to_move(LR_CONFEDERATE);
    play("end fire");
    assert_int_equal(turn(), 4);
    assert_to_move(LR_UNION);
    assert_decision("target"); /* turn 4's own Artillery Phase */
    play("end fire");
    assert_decision("pick");
}

RULE(test_ruling_47_fired_is_cleared_after_turn_3) {
    set_up("unlimbered");
    attack("0708", "reserve-6");
    play("roll 1; keep; end fire; end fire"); /* Banks could re-roll */
    assert_int_equal(turn(), 4);
    play("end fire");
    assert_offers("pick reserve-6");
}

RULE(test_ruling_47_artillery_only_on_turn_3) {
    for (int t = 1; t <= 9; t++) assert_int_equal(((const struct brigade *)game()->rules)->artillery_only[t], t == 3);
    const struct brigade *b = game_of(FREE)->rules;
    for (int t = 1; t <= 9; t++) assert_int_equal(b->artillery_only[t], 0);
}

RULE(test_14_2_2_the_game_lasts_from_turn_3_to_turn_9) {
    const struct brigade *b = game()->rules;
    assert_int_equal(b->first_turn, 3);
    assert_int_equal(b->last_turn, 9);
    b = game_of(FREE)->rules;
    assert_int_equal(b->first_turn, 1);
    assert_int_equal(b->last_turn, 9);
}

RULE(test_ruling_56_questions_with_one_answer_are_not_asked) {
    uint16_t legal[LR_MAX_ACTIONS];
    for (uint64_t seed = 0; seed < 3; seed++) {
        begin();
        for (uint64_t step = 0; lr_to_move(game(), state()) != LR_NOBODY; step++) {
            const int count = lr_legal(game(), state(), legal);
            assert_true(count >= 2);
            lr_apply_legal(game(), state(), legal[lr_random(seed, step, (uint32_t)count)]);
        }
    }
}

RULE(test_ruling_56_dice_have_ten_equal_faces) {
    uint32_t weights[LR_MAX_OUTCOMES], total;
    char text[LR_MAX_TEXT], expected[32];
    at("turn: 6; half: union; phase: offence", "crawford 0514; thomas 0515");
    attack("0515", "crawford");
    assert_to_move(LR_CHANCE);
    assert_int_equal(lr_outcomes(game(), state(), weights, &total), 10);
    for (int i = 0; i < 10; i++) {
        assert_int_equal(weights[i] * 10, total);
        snprintf(expected, sizeof expected, "roll %d", i + 1);
        assert_string_equal(lr_action_text(game(), state(), i, text), expected);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_5_union_then_confederates_then_the_next_turn),
        TEST(test_5_and_ruling_55_phases_of_a_half_turn),
        TEST(test_4_and_14_1_1_the_union_is_first),
        TEST(test_14_2_2_and_ruling_47_turn_3_is_two_artillery_phases),
        TEST(test_ruling_47_fired_is_cleared_after_turn_3),
        TEST(test_ruling_47_artillery_only_on_turn_3),
        TEST(test_14_2_2_the_game_lasts_from_turn_3_to_turn_9),
        TEST(test_ruling_56_questions_with_one_answer_are_not_asked),
        TEST(test_ruling_56_dice_have_ten_equal_faces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
