/* Rulebook 14.1.5 and ruling 46: Destiny markers. Union 1 Banks, 2 Williams; Confederate 1 Jackson, 2 A.P. Hill. */
#include "position.h"

#define FIRE "turn: 6; half: confederate; phase: offence"
#define CS(left) "; confederate_markers: {left: [" left "]}; union_markers: {left: []}"
#define US(left) "; union_markers: {left: [" left "]}; confederate_markers: {left: []}"

RULE(test_14_1_5_example_jacksons_marker) {
    /* Any Confederate unit within his command range: Garnett, of Winder's division, fires 4 hexes from him. */
    at(FIRE CS("1, 2"), "garnett 0814; jackson 0415; early 0101; crawford 0815");
    attack("0815", "garnett");
    const uint64_t first = lr_event(game(), state());
    play("roll 2");
    assert_to_move(LR_CONFEDERATE);
    assert_decision("reroll");
    assert_legal("keep; reroll 1");
    keep(0);
    play("reroll 1");
    assert_to_move(LR_CHANCE);
    assert_decision("fire");
    assert_true(lr_event(game(), state()) != first);
    play("roll 9"); /* 8-10: 1 */
    assert_strength("crawford", 16);
    assert_decision("morale");
    assert_int_equal(inside()->markers[1], 2); /* used and gone; A.P. Hill's is left */
    back(0);
    play("keep");
    assert_strength("crawford", 17);
    assert_int_equal(inside()->markers[1], 3);
}

RULE(test_14_1_5_within_command_range_at_that_moment) {
    at(FIRE CS("1"), "garnett 0914; jackson 0415; early 0101; crawford 0915"); /* 5 away */
    attack("0915", "garnett");
    play("roll 2");
    if (!strcmp(lr_decision(game(), state()), "reroll")) fail_msg("out of his radius");
    /* the line is barred by zones (as in test_command.c) */
    at(FIRE CS("1"), "garnett 0715; jackson 0415; early 1901; crawford 0513; gordon 0516; geary 0815");
    attack("0815", "garnett");
    play("roll 2");
    if (!strcmp(lr_decision(game(), state()), "reroll")) fail_msg("no line to the unit");
}

RULE(test_14_1_5_only_units_of_his_command) {
    at(FIRE CS("2"), "garnett 0514; a-p-hill 0514; early 0101; crawford 0515");
    attack("0515", "garnett");
    play("roll 2");
    if (!strcmp(lr_decision(game(), state()), "reroll")) fail_msg("Garnett is not Hill's");
    at(FIRE CS("2"), "thomas 0514; a-p-hill 0514; early 0101; crawford 0515");
    attack("0515", "thomas");
    play("roll 2");
    assert_legal("keep; reroll 2");
    at(FIRE CS("1, 2"), "thomas 0514; a-p-hill 0514; jackson 0514; early 0101; crawford 0515");
    attack("0515", "thomas");
    play("roll 2");
    assert_legal("keep; reroll 1; reroll 2");
}

RULE(test_ruling_46_any_one_firer_will_do) {
    at(FIRE CS("2"), "garnett 0514; thomas 0614; a-p-hill 0614; early 0101; crawford 0515");
    attack("0515", "garnett thomas");
    play("roll 2");
    assert_legal("keep; reroll 2");
}

RULE(test_14_1_5_the_second_result_stands) {
    at(FIRE CS("1, 2"), "thomas 0514; a-p-hill 0514; jackson 0514; early 0101; crawford 0515");
    attack("0515", "thomas");
    play("roll 1; reroll 2; roll 1");
    if (!strcmp(lr_decision(game(), state()), "reroll")) fail_msg("re-rolled twice");
    assert_int_equal(inside()->markers[1], 1);
}

RULE(test_14_1_5_each_marker_once) {
    at(FIRE CS(""), "thomas 0514; a-p-hill 0514; jackson 0514; early 0101; crawford 0515");
    attack("0515", "thomas");
    play("roll 2");
    if (!strcmp(lr_decision(game(), state()), "reroll")) fail_msg("no marker is left");
}

RULE(test_14_1_5_own_dice_only) {
    /* The Confederates' fire at a unit of Banks's is not his die; its morale check is. */
    at(FIRE US("1, 2"), "thomas 0514; early 0101; crawford 0515; banks 0516; geary 1515");
    attack("0515", "thomas");
    play("roll 9");
    assert_decision("morale");
    play("roll 9");
    assert_to_move(LR_UNION);
    assert_legal("keep; reroll 1");
    play("reroll 1; roll 3");
    assert_routed("crawford", false);
}

RULE(test_ruling_46_morale_keeps_the_first_result_if_he_likes) {
    at(FIRE US("1"), "thomas 0514; early 0101; crawford 0515; banks 0516; geary 1515");
    attack("0515", "thomas");
    play("roll 9; roll 9; keep");
    assert_routed("crawford", true);
    assert_int_equal(inside()->markers[0], 1);
}

RULE(test_ruling_46_good_dice_are_asked_about_too) {
    at(FIRE US("1"), "thomas 0514; early 0101; crawford 0515; banks 0516; geary 1515");
    attack("0515", "thomas");
    play("roll 9; roll 1");
    assert_legal("keep; reroll 1");
}

RULE(test_ruling_46_rally) {
    at("turn: 6; half: union" US("1"), "crawford 0515 routed; banks 0415; gordon 1901; garnett 0101");
    play("end movement; roll 8");
    assert_legal("keep; reroll 1");
    play("reroll 1; roll 7");
    assert_routed("crawford", false);
}

RULE(test_ruling_46_leader_casualty) {
    at(FIRE US("1, 2"), "early 0514; crawford 0515; williams 0515; banks 1515; gordon 0518");
    attack("0515", "early");
    play("roll 10");
    assert_decision("casualty");
    play("roll 10");
    assert_to_move(LR_UNION);
    assert_legal("keep; reroll 2"); /* Williams himself; Banks is too far */
    play("reroll 2; roll 1");
    assert_strength("williams", 2);
}

RULE(test_ruling_46_a_leader_whose_unit_died_in_a_zone) {
    /* Crawford's zone bars no line to the hex itself that the die is about, 0101 like any other. */
    at("turn: 6; half: union; phase: offence" CS("1"), "crawford 0102; thomas 0101 1; a-p-hill 0101; early 0201; jackson 0201");
    attack("0101", "crawford");
    play("roll 9");
    assert_hex("thomas", NULL);
    assert_decision("casualty");
    play("roll 1");
    assert_legal("keep; reroll 1");
}

RULE(test_ruling_46_by_the_unit_he_is_with) {
    at(FIRE US("1"), "early 0514; crawford 0515; williams 0515; banks 0516; gordon 0518");
    attack("0515", "early");
    play("roll 10; roll 10");
    assert_legal("keep; reroll 1");
}

RULE(test_14_1_5_dead_with_its_leader) {
    at(FIRE US("1, 2"), "early 0514; crawford 0515; williams 0515; banks 1515; gordon 0518");
    attack("0515", "early");
    play("roll 10; roll 7; keep");
    assert_strength("williams", 1);
    assert_int_equal(inside()->markers[0], 1); /* Banks's is left */
}

RULE(test_ruling_46_a_leader_off_the_map_cannot_use_his) {
    at(FIRE CS("1, 2"), "thomas 0514; early 0101; crawford 0515");
    attack("0515", "thomas");
    play("roll 2");
    if (!strcmp(lr_decision(game(), state()), "reroll")) fail_msg("neither is there");
}

RULE(test_ruling_9_guns_go_by_organisation) {
    const char *const guns = "turn: 6; half: union; phase: artillery";
    char keys[160];
    snprintf(keys, sizeof keys, "%s%s", guns, US("1, 2"));
    at(keys, "reserve-1 0514 unlimbered; williams 0514; crawford 1901; garnett 0515");
    attack("0515", "reserve-1");
    play("roll 2");
    if (!strcmp(lr_decision(game(), state()), "reroll")) fail_msg("the guns are not Williams's");
    at(keys, "reserve-1 0514 unlimbered; banks 0514; crawford 1901; garnett 0515");
    attack("0515", "reserve-1");
    play("roll 2");
    assert_legal("keep; reroll 1");
}

RULE(test_ruling_9_bayard_counts_under_banks) {
    at("turn: 6; half: union; phase: offence" US("1, 2"), "bayard 0514 dismounted; banks 0514; crawford 1901; garnett 0515");
    attack("0515", "bayard");
    play("roll 2");
    assert_legal("keep; reroll 1");
}

RULE(test_ruling_24_arrival_dice_are_never_rerolled) {
    scenario(FREE);
    at("turn: 4; half: union; reserve: [Branch, Pender, Archer, A.P. Hill]" CS("1, 2"), "crawford 1901; banks 1801; garnett 0101; jackson 0101");
    play("end movement");
    assert_decision("arrival");
    play("roll 1");
    assert_decision("pick");
    scenario(HISTORICAL_POPE);
    at("turn: 5; half: confederate; reserve: [Ricketts]" US("1, 2"), "crawford 1901; banks 1801; garnett 0101; jackson 0101");
    play("end movement");
    assert_decision("arrival");
    play("roll 10");
    assert_decision("pick");
}

RULE(test_14_1_5_two_markers_a_side_at_the_start) {
    begin();
    assert_int_equal(inside()->markers[0], 3);
    assert_int_equal(inside()->markers[1], 3);
    const struct brigade *b = game()->rules;
    assert_int_equal(b->marker[0][0], row_of("banks"));
    assert_int_equal(b->marker[0][1], row_of("williams"));
    assert_int_equal(b->marker[1][0], row_of("jackson"));
    assert_int_equal(b->marker[1][1], row_of("a-p-hill"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_14_1_5_example_jacksons_marker),
        TEST(test_14_1_5_within_command_range_at_that_moment),
        TEST(test_14_1_5_only_units_of_his_command),
        TEST(test_ruling_46_any_one_firer_will_do),
        TEST(test_14_1_5_the_second_result_stands),
        TEST(test_14_1_5_each_marker_once),
        TEST(test_14_1_5_own_dice_only),
        TEST(test_ruling_46_morale_keeps_the_first_result_if_he_likes),
        TEST(test_ruling_46_good_dice_are_asked_about_too),
        TEST(test_ruling_46_rally),
        TEST(test_ruling_46_leader_casualty),
        TEST(test_ruling_46_a_leader_whose_unit_died_in_a_zone),
        TEST(test_ruling_46_by_the_unit_he_is_with),
        TEST(test_14_1_5_dead_with_its_leader),
        TEST(test_ruling_46_a_leader_off_the_map_cannot_use_his),
        TEST(test_ruling_9_guns_go_by_organisation),
        TEST(test_ruling_9_bayard_counts_under_banks),
        TEST(test_ruling_24_arrival_dice_are_never_rerolled),
        TEST(test_14_1_5_two_markers_a_side_at_the_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
