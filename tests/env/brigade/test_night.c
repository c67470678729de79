/* Rulebook chapter 11, 14.1.3 and ruling 48: the night turn. */
#include "position.h"

#define NIGHT "turn: 9; half: union"

RULE(test_11_no_movement_into_a_zone) {
    at(NIGHT, "crawford 0415; banks 0415; garnett 0815");
    play("pick crawford");
    assert_offers_not("to 0715");
    assert_offers_not("to 0716");
    assert_offers_not("to 0814");
    assert_offers("to 0615");
    at("turn: 8; half: union", "crawford 0415; banks 0415; garnett 0815");
    play("pick crawford");
    assert_offers("to 0715");
}

RULE(test_11_a_unit_in_a_zone_may_stay_or_leave) {
    at(NIGHT, "crawford 0715; banks 0715; garnett 0815; early 0713");
    play("pick crawford");
    assert_offers("to 0615");
    assert_offers_not("to 0714"); /* Early's zone */
}

RULE(test_ruling_48_leaders_enter_no_zone) {
    at(NIGHT, "banks 0415; crawford 0715; garnett 0815");
    play("pick banks");
    assert_offers_not("to 0715");
    at("turn: 8; half: union", "banks 0415; crawford 0715; garnett 0815");
    play("pick banks");
    assert_offers("to 0715");
}

RULE(test_11_ranges_are_1_hex) {
    at(NIGHT "; phase: artillery", "reserve-1 0515 unlimbered; garnett 0516; early 0715; crawford 1901");
    assert_legal("target 0516; end fire");
    at("turn: 8; half: union; phase: artillery", "reserve-1 0515 unlimbered; garnett 0516; early 0715; crawford 1901");
    assert_legal("target 0516; target 0715; end fire");
}

RULE(test_11_and_ruling_48_fires_only_if_adjacent_at_the_start_of_the_turn) {
    at("turn: 9; half: union; phase: offence; contact: stated", "crawford 0514 in-contact; gordon 1514; garnett 0515; early 1515");
    assert_legal("target 0515; end fire");
    at("turn: 9; half: union; phase: offence", "crawford 0514; gordon 1514; garnett 0515; early 1515");
    assert_legal("target 0515; target 1515; end fire"); /* computed */
}

RULE(test_11_an_adjacent_routed_enemy_counts) {
    at(NIGHT "; phase: offence", "crawford 0514; garnett 0515 routed");
    assert_legal("target 0515; end fire");
}

RULE(test_11_contact_is_taken_at_the_start_of_the_game_turn) {
    /* Garnett comes next to Crawford in the last move of turn 8. */
    at("turn: 8; half: confederate", "crawford 0515; reserve-1 1515 unlimbered; garnett 0815; jackson 0815; early 1512");
    play("pick garnett; to 0615; end movement");
    wait_for_side("pick", LR_UNION);
    assert_int_equal(turn(), 9);
    const struct brigade_state *s = inside();
    assert_true(has(s->may_fire_at_night, row_of("crawford")));
    assert_true(has(s->may_fire_at_night, row_of("garnett")));
    assert_false(has(s->may_fire_at_night, row_of("reserve-1")));
    assert_false(has(s->may_fire_at_night, row_of("early")));
}

RULE(test_11_defensive_fire_too) {
    at("turn: 9; half: confederate; phase: defence; contact: stated", "crawford 0514 in-contact; gordon 0516; garnett 0515; early 1515");
    play("target 0515");
    assert_decision("fire"); /* Crawford alone: Gordon was not adjacent when the turn began */
}

RULE(test_11_a_leader_alone_is_no_contact) {
    at(NIGHT "; phase: offence; contact: stated", "crawford 0514 in-contact; gordon 0615; banks 1901; jackson 0616; garnett 0515");
    play("target 0515");
    assert_decision("fire");
}

RULE(test_11_retreats_and_routs_as_by_day) {
    at(NIGHT "; phase: offence", "crawford 0514; gordon 0516; thomas 0515; early 1515");
    attack("0515", "crawford");
    play("roll 10");
    assert_legal("retreat 0414; retreat 0415"); /* through a zone, at night */
    play("retreat 0415");
    assert_strength("thomas", 12);
}

RULE(test_ruling_48_no_advance_into_a_zone) {
    at(NIGHT "; phase: offence", "crawford 0514; banks 0514; thomas 0515 1; early 0415; gordon 1901; jackson 0415");
    attack("0515", "crawford");
    play("roll 10");
    if (!strcmp(lr_decision(game(), state()), "advance")) fail_msg("an advance into a zone at night");
    at(NIGHT "; phase: offence", "crawford 0514; banks 0514; thomas 0515 1; early 1515; gordon 1901");
    attack("0515", "crawford");
    play("roll 10");
    assert_legal("advance crawford; stay");
}

RULE(test_14_1_3_turn_9_is_the_night_turn) {
    const struct brigade *b = game()->rules;
    for (int t = 1; t <= 9; t++) assert_int_equal(b->night[t], t == 9);
    assert_string_equal(b->clock[9], "20.20");
    assert_string_equal(b->clock[3], "16.20");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_11_no_movement_into_a_zone),
        TEST(test_11_a_unit_in_a_zone_may_stay_or_leave),
        TEST(test_ruling_48_leaders_enter_no_zone),
        TEST(test_11_ranges_are_1_hex),
        TEST(test_11_and_ruling_48_fires_only_if_adjacent_at_the_start_of_the_turn),
        TEST(test_11_an_adjacent_routed_enemy_counts),
        TEST(test_11_contact_is_taken_at_the_start_of_the_game_turn),
        TEST(test_11_defensive_fire_too),
        TEST(test_11_a_leader_alone_is_no_contact),
        TEST(test_11_retreats_and_routs_as_by_day),
        TEST(test_ruling_48_no_advance_into_a_zone),
        TEST(test_14_1_3_turn_9_is_the_night_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
