/* Rulebook 6.1 to 6.3: command control, the line of command, units out of command. */
#include "position.h"

#define UNION "turn: 6; half: union"

RULE(test_6_1_within_4_hexes_of_the_division_leader) {
    at(UNION, "crawford 0915; williams 0515; garnett 0101");
    assert_in_command("crawford", true);
    at(UNION, "crawford 1015; williams 0515; garnett 0101");
    assert_in_command("crawford", false);
}

RULE(test_6_1_within_4_hexes_of_the_corps_leader) {
    at(UNION, "crawford 0915; geary 1015; banks 0515; garnett 0101");
    assert_in_command("crawford", true);
    assert_in_command("geary", false);
    at("turn: 6; half: confederate", "garnett 0915; early 0814; thomas 0714; stonewall 1015; jackson 0515; crawford 1901");
    assert_in_command("garnett", true);
    assert_in_command("early", true);
    assert_in_command("thomas", true);
    assert_in_command("stonewall", false);
}

RULE(test_6_1_no_leader_of_another_division) {
    at(UNION, "crawford 0515; augur 0515; geary 0615; garnett 0101");
    assert_in_command("crawford", false);
    assert_in_command("geary", true);
    at("turn: 6; half: confederate", "garnett 0515; ewell 0515; a-p-hill 0515; early 0615; thomas 0614; crawford 1901");
    assert_in_command("garnett", false);
    assert_in_command("early", true);
    assert_in_command("thomas", true);
}

RULE(test_6_1_and_3_3_6_and_ruling_10_replacements_have_3_hexes) {
    at(UNION, "crawford 0815; gordon 0915; williams 0515 replacement; garnett 0101");
    assert_in_command("crawford", true);
    assert_in_command("gordon", false);
    at(UNION, "geary 0815; prince 0915; banks 0515 replacement; garnett 0101");
    assert_in_command("geary", true);
    assert_in_command("prince", false);
}

RULE(test_6_2_the_line_avoids_enemy_zones) {
    /* Two zones make a wall from 0412 to 0616 between 0415 and 0715, three hexes apart. */
    at(UNION, "crawford 0715; williams 0415; garnett 1901");
    assert_in_command("crawford", true);
    at(UNION, "crawford 0715; williams 0415; garnett 0513; early 0516");
    assert_in_command("crawford", false);
}

RULE(test_6_2_routed_units_and_leaders_bar_no_line_by_zone) {
    at(UNION, "crawford 0715; williams 0415; garnett 0513 routed; early 0516 routed");
    assert_in_command("crawford", true);
    at(UNION, "crawford 0715; williams 0415; jackson 0513; ewell 0516; garnett 1901");
    assert_in_command("crawford", true);
}

RULE(test_6_2_friends_reopen_a_hex_for_the_line) {
    at(UNION, "crawford 0715; gordon 0515; williams 0415; garnett 0513; early 0516");
    assert_in_command("crawford", true);
    at(UNION, "crawford 0715; gordon 0515 routed; williams 0415; garnett 0513; early 0516"); /* ruling 9a */
    assert_in_command("crawford", true);
}

RULE(test_ruling_9a_leaders_do_not_reopen_a_hex) {
    at(UNION, "crawford 0715; augur 0515; williams 0415; garnett 0513; early 0516");
    assert_in_command("crawford", false);
}

RULE(test_6_2_the_zones_of_friends_reopen_nothing) {
    /* Gordon at 0414 has a zone over 0515, but does not stand there. */
    at(UNION, "crawford 0715; gordon 0414; williams 0415; garnett 0513; early 0516");
    assert_in_command("crawford", false);
}

RULE(test_6_2_the_line_enters_no_hex_of_the_enemy) {
    /* 1901 is a corner with two neighbours; routed units bar by standing there. */
    at(UNION, "crawford 1802; williams 1901; garnett 1902 routed; early 1801 routed");
    assert_in_command("crawford", false);
    at(UNION, "crawford 1802; williams 1901; garnett 1902 routed");
    assert_in_command("crawford", true);
}

RULE(test_6_2_the_line_does_not_cross_the_pond) {
    at(UNION, "crawford 1416; williams 1412; garnett 0101"); /* straight through 1414 */
    assert_in_command("crawford", false);
    at(UNION, "crawford 1515; williams 1511; garnett 0101");
    assert_in_command("crawford", true);
}

RULE(test_ruling_8_the_ends_of_the_line_are_never_barred) {
    at(UNION, "crawford 0815; williams 0515; garnett 0915"); /* the unit is in a zone */
    assert_in_command("crawford", true);
    at(UNION, "crawford 0615; gordon 0415; williams 0415; garnett 0315"); /* the leader is */
    assert_in_command("crawford", true);
}

RULE(test_6_2_the_line_may_bend_within_its_length) {
    at(UNION, "crawford 0414; williams 0512; garnett 0514"); /* 3 hexes apart, 4 round the zone */
    assert_in_command("crawford", true);
    at(UNION, "crawford 0414; williams 0512 replacement; garnett 0514");
    assert_in_command("crawford", false);
    at(UNION, "crawford 0816; williams 0416; garnett 0517"); /* 4 apart, 5 round the zone */
    assert_in_command("crawford", false);
}

RULE(test_6_2_and_ruling_10_guns_obey_any_friendly_leader) {
    at(UNION, "reserve-1 0915; reserve-2 1015; williams 0515; garnett 0101");
    assert_in_command("reserve-1", true);
    assert_in_command("reserve-2", false);
    at("turn: 6; half: confederate", "andrews 0915; ewell 0515; crawford 1901");
    assert_in_command("andrews", true);
    at(UNION, "reserve-1 0815; reserve-2 0915; augur 0515 replacement; garnett 0101"); /* ruling 10 */
    assert_in_command("reserve-1", true);
    assert_in_command("reserve-2", false);
    at(UNION, "reserve-1 0615; jackson 0614; garnett 0101; banks 1515"); /* none of the enemy's */
    assert_in_command("reserve-1", false);
}

RULE(test_6_2_independent_units_need_no_leader) {
    at(UNION, "bayard 0515; garnett 0101; crawford 1901");
    assert_in_command("bayard", true);
}

RULE(test_ruling_9_ricketts_commands_his_four_and_banks_does_not) {
    scenario(HISTORICAL_POPE);
    at(UNION "; arrival: [{group: Ricketts, turn: 4}]", "duryee 0515; crawford 0415; reserve-1 0416; banks 0514; garnett 0101");
    assert_in_command("duryee", false);
    assert_in_command("crawford", true);
    at(UNION "; arrival: [{group: Ricketts, turn: 4}]", "duryee 0515; tower 0415; hartsuff 0416; carroll 0615; crawford 0614; reserve-1 0714; ricketts 0514; garnett 0101");
    assert_in_command("duryee", true);
    assert_in_command("tower", true);
    assert_in_command("hartsuff", true);
    assert_in_command("carroll", true);
    assert_in_command("crawford", false);
    assert_in_command("reserve-1", true);
}

RULE(test_6_and_ruling_7_is_determined_in_the_command_phase) {
    at("turn: 6; half: confederate", "crawford 0515; gordon 1115; williams 0515; garnett 0101; early 0201");
    play("end movement");
    assert_to_move(LR_UNION);
    assert_decision("pick");
    assert_in_command("crawford", true);
    assert_in_command("gordon", false);
    play("pick williams; to 1014; done"); /* ruling 7: what leaders do later changes nothing */
    assert_in_command("crawford", true);
    assert_in_command("gordon", false);
}

RULE(test_ruling_7_command_outlasts_the_leader_who_leaves) {
    at(UNION, "crawford 0415; williams 0415; garnett 0815");
    play("pick williams; to 0115; done; pick crawford");
    assert_offers("to 0715");
    at(UNION, "crawford 0415; williams 1015; garnett 0815");
    play("pick williams; to 0515; done; pick crawford");
    assert_offers_not("to 0715");
}

RULE(test_6_3_and_ruling_5_out_of_command_enters_no_zone) {
    at(UNION, "crawford 0415; banks 1515; garnett 0815");
    play("pick crawford");
    assert_offers_not("to 0715");
    assert_offers_not("to 0716");
    assert_offers_not("to 0814");
    assert_offers("to 0714");
    at(UNION, "crawford 0415; banks 0415; garnett 0815");
    play("pick crawford");
    assert_offers("to 0715");
}

RULE(test_6_3_and_ruling_5_out_of_command_may_stay_in_or_leave_a_zone) {
    at(UNION, "crawford 0715; banks 1515; garnett 0815");
    play("pick crawford");
    assert_offers("to 0714");
    at(UNION, "crawford 0715; banks 1515; garnett 0815; early 0713");
    play("pick crawford");
    assert_offers_not("to 0714"); /* Early's zone */
}

RULE(test_6_3_out_of_command_has_no_column_bonus) {
    /* 0415 to 1115 is seven clear hexes: 3.5 MP in column (no enemy near), 7 otherwise; the streams lie elsewhere. */
    at(UNION, "crawford 0415; banks 0415; garnett 0101");
    play("pick crawford");
    assert_offers("to 1115");
    at(UNION, "crawford 0415; banks 1515; garnett 0101");
    play("pick crawford");
    assert_offers_not("to 1115");
    assert_offers("to 1015");
}

RULE(test_6_3_out_of_command_may_fire) {
    at("turn: 6; half: union; phase: artillery", "reserve-1 0415 unlimbered; banks 1515; garnett 0815");
    assert_in_command("reserve-1", false);
    assert_legal("target 0815; end fire");
    at("turn: 6; half: union; phase: offence", "crawford 0715; banks 1515; garnett 0815");
    assert_legal("target 0815; end fire");
    at("turn: 6; half: confederate; phase: defence", "crawford 0715; banks 1515; garnett 0815");
    assert_legal("target 0815; end fire");
}

RULE(test_ruling_7_who_was_out_of_reach_waits_for_the_next_command_phase) {
    /* Williams comes to Crawford, or leaves him: it counts from the Union's next Command Phase on. */
    at(UNION, "crawford 0415; williams 1015; garnett 1901");
    play("pick williams; to 0515; done");
    assert_in_command("crawford", false);
    wait_for_side("pick", LR_CONFEDERATE);
    play("end movement");
    assert_int_equal(turn(), 7);
    assert_in_command("crawford", true);
    at(UNION, "crawford 0415; williams 0415; garnett 1901");
    play("pick williams; to 1015; done");
    assert_in_command("crawford", true);
    wait_for_side("pick", LR_CONFEDERATE);
    play("end movement");
    assert_int_equal(turn(), 7);
    assert_in_command("crawford", false);
}

RULE(test_ruling_7_a_leader_who_comes_on_brings_nobody_into_command) {
    at("turn: 6; half: confederate; reserve: [A.P. Hill, Branch]", "thomas 0214; crawford 1901");
    assert_in_command("thomas", false);
    play("pick a-p-hill");
    assert_hex("a-p-hill", "0115"); /* next to Thomas */
    play("done");
    assert_in_command("thomas", false);
    play("pick branch; done");
    assert_in_command("branch", true); /* who comes on is */
}

RULE(test_ruling_7_a_leader_lost_in_this_turn_still_lets_units_rally) {
    /* Defensive fire kills the Replacement for good; Crawford, 3 hexes from him when the half-turn began, may rally. */
    at("turn: 6; half: union; phase: defence", "crawford 0415 routed; gordon 0715; williams 0715 replacement; early 0815; garnett 1901");
    attack("0715", "early");
    play("roll 10; roll 7");
    assert_hex("williams", NULL);
    go_back();
    play("roll 1");
    wait_for("rally");
    assert_int_equal(inside()->subject, row_of("crawford"));
    /* One hex farther and he was not in command: nobody rallies in this half-turn. */
    at("turn: 6; half: union; phase: defence", "crawford 0315 routed; gordon 0715; williams 0715 replacement; early 0815; garnett 1901");
    attack("0715", "early");
    play("roll 10; roll 7");
    go_back();
    play("roll 1");
    wait_for_side("pick", LR_CONFEDERATE);
    assert_routed("crawford", true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_6_1_within_4_hexes_of_the_division_leader),
        TEST(test_6_1_within_4_hexes_of_the_corps_leader),
        TEST(test_6_1_no_leader_of_another_division),
        TEST(test_6_1_and_3_3_6_and_ruling_10_replacements_have_3_hexes),
        TEST(test_6_2_the_line_avoids_enemy_zones),
        TEST(test_6_2_routed_units_and_leaders_bar_no_line_by_zone),
        TEST(test_6_2_friends_reopen_a_hex_for_the_line),
        TEST(test_ruling_9a_leaders_do_not_reopen_a_hex),
        TEST(test_6_2_the_zones_of_friends_reopen_nothing),
        TEST(test_6_2_the_line_enters_no_hex_of_the_enemy),
        TEST(test_6_2_the_line_does_not_cross_the_pond),
        TEST(test_ruling_8_the_ends_of_the_line_are_never_barred),
        TEST(test_6_2_the_line_may_bend_within_its_length),
        TEST(test_6_2_and_ruling_10_guns_obey_any_friendly_leader),
        TEST(test_6_2_independent_units_need_no_leader),
        TEST(test_ruling_9_ricketts_commands_his_four_and_banks_does_not),
        TEST(test_6_and_ruling_7_is_determined_in_the_command_phase),
        TEST(test_ruling_7_command_outlasts_the_leader_who_leaves),
        TEST(test_6_3_and_ruling_5_out_of_command_enters_no_zone),
        TEST(test_6_3_and_ruling_5_out_of_command_may_stay_in_or_leave_a_zone),
        TEST(test_6_3_out_of_command_has_no_column_bonus),
        TEST(test_6_3_out_of_command_may_fire),
        TEST(test_ruling_7_who_was_out_of_reach_waits_for_the_next_command_phase),
        TEST(test_ruling_7_a_leader_who_comes_on_brings_nobody_into_command),
        TEST(test_ruling_7_a_leader_lost_in_this_turn_still_lets_units_rally),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
