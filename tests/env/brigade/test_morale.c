/* Rulebook 2.5, 9.7 and chapter 10: morale checks, routs, rally. */
#include "position.h"

#define OFFENCE "turn: 6; half: union; phase: offence"

static void roll(int face) {
    char text[32];
    snprintf(text, sizeof text, "roll %d", face);
    play(text);
}

/* Crawford (column 15-19) rolls a 5 for a check; the unit at 0515 then throws its own die. */
static void check(const char *unit, const char *more, int face, bool routs) {
    char pieces[160];
    snprintf(pieces, sizeof pieces, "crawford 0514; %s 0515%s; early 1515", unit, more);
    at(OFFENCE, pieces);
    attack("0515", "crawford");
    play("roll 5");
    assert_decision("morale");
    roll(face);
    assert_routed(unit, routs);
}

RULE(test_2_5_green_5_black_7_gold_9) {
    check("garnett", "", 5, false);
    check("garnett", "", 6, true);
    check("thomas", "", 7, false);
    check("thomas", "", 8, true);
    check("stonewall", "", 9, false);
    check("stonewall", "", 10, true);
}

RULE(test_9_7_guns_and_cavalry_check_alike) {
    check("andrews", " unlimbered", 7, false);
    check("andrews", " unlimbered", 8, true);
    for (int face = 7; face <= 8; face++) {
        at("turn: 6; half: confederate; phase: offence", "early 0514 14; bayard 0515; crawford 1515");
        attack("0515", "early");
        play("roll 5");
        roll(face);
        assert_routed("bayard", face == 8);
    }
}

RULE(test_9_7_modified_die) {
    check("garnett", "; winder 0515", 6, false);
    check("garnett", "; winder 0515", 7, true);
    check("stonewall", "; jackson 0515", 9, false);
}

RULE(test_9_7_a_natural_10_always_routs) {
    check("stonewall", "; jackson 0515", 10, true); /* 10 - 1 = 9 would pass */
    check("stonewall", "", 10, true);
}

RULE(test_9_7_no_terrain_modifier_here) {
    at(OFFENCE, "crawford 0607; thomas 0606; early 1515"); /* woods: the die of the fire counts 1 less */
    attack("0606", "crawford");
    play("roll 6");
    assert_decision("morale");
    play("roll 8");
    assert_routed("thomas", true);
}

RULE(test_ruling_41_shattered_units_keep_their_colour) {
    check("stonewall", " 5", 9, false);
    check("garnett", " 6", 6, true);
}

RULE(test_9_6_no_check_without_a_result) {
    at(OFFENCE, "crawford 0514; thomas 0515; early 1515; gordon 1514");
    attack("0515", "crawford");
    play("roll 3");
    assert_decision("target"); /* Gordon and Early are left */
    assert_strength("thomas", 15);
}

/* ---- 10 ---- */

#define MOVE "turn: 6; half: union; phase: movement"

static void rally(const char *pieces, const char *unit, int face, bool rallies) {
    at(MOVE, pieces);
    wait_for("rally");
    roll(face);
    assert_routed(unit, !rallies);
}

RULE(test_10_1_and_10_2_rally_by_colour) {
    rally("crawford 0515 routed; banks 0415; gordon 1901; garnett 0101", "crawford", 7, true); /* Black */
    rally("crawford 0515 routed; banks 0415; gordon 1901; garnett 0101", "crawford", 8, false);
}

RULE(test_10_2_and_ruling_42_leader_modifier) {
    rally("crawford 0515 routed; banks 0515; gordon 1901; garnett 0101", "crawford", 8, true);
    rally("crawford 0515 routed; banks 0515; williams 0515; gordon 1901; garnett 0101", "crawford", 9, false);
    rally("crawford 0515 routed; williams 0415; augur 0515; gordon 1901; garnett 0101", "crawford", 8, false);
}

RULE(test_10_2_and_ruling_42_a_natural_10_is_no_automatic_failure) {
    /* Stonewall, Gold, with Jackson: 10 - 1 = 9. */
    at("turn: 6; half: confederate", "stonewall 0515 routed; jackson 0515; early 1901; crawford 1515");
    wait_for("rally");
    play("roll 10");
    assert_routed("stonewall", false);
}

RULE(test_10_and_ruling_42_only_units_in_command_may_try) {
    at(MOVE, "crawford 0515 routed; banks 1515; gordon 1514; garnett 0101");
    wait_for_side("pick", LR_CONFEDERATE);
    assert_routed("crawford", true);
}

RULE(test_10_only_the_active_players_units) {
    at(MOVE, "crawford 0515; banks 0515; garnett 1515 routed; jackson 1515; early 1901");
    wait_for_side("pick", LR_CONFEDERATE);
    assert_routed("garnett", true);
    wait_for("rally"); /* in his own half */
    assert_int_equal(inside()->side, LR_CONFEDERATE);
}

RULE(test_10_every_one_in_row_order) {
    at(MOVE, "crawford 0515 routed; gordon 0514 routed; banks 0415; garnett 0101; geary 1901");
    wait_for("rally");
    assert_int_equal(inside()->subject, row_of("crawford"));
    play("roll 8");
    assert_decision("rally");
    assert_int_equal(inside()->subject, row_of("gordon"));
    play("roll 7");
    assert_routed("crawford", true);
    assert_routed("gordon", false);
}

RULE(test_10_1_a_failed_rally_routs_no_further) {
    at(MOVE, "crawford 0515 routed; banks 0415; garnett 0101; geary 1901");
    wait_for("rally");
    play("roll 10");
    assert_hex("crawford", "0515");
    assert_strength("crawford", 17);
    assert_routed("crawford", true);
}

RULE(test_10_1_tries_again_in_the_next_turn) {
    at(MOVE, "crawford 0515 routed; banks 0415; garnett 0101; geary 1901");
    wait_for("rally");
    play("roll 10");
    wait_for("rally");
    assert_int_equal(turn(), 7);
    play("roll 7");
    assert_routed("crawford", false);
}

RULE(test_ruling_42_adjacent_enemies_do_not_matter) {
    at(MOVE, "crawford 0515 routed; banks 0515; garnett 0615 routed; geary 1901");
    wait_for("rally");
    play("roll 8");
    assert_routed("crawford", false);
}

RULE(test_10_rallies_from_this_very_turns_rout) {
    /* Routed by defensive fire, Garnett tries in the rally of the same half-turn. */
    at("turn: 6; half: confederate; phase: defence", "crawford 0514; garnett 0515; jackson 0515; early 1515");
    attack("0515", "crawford");
    play("roll 5; roll 7");
    assert_routed("garnett", true);
    go_back();
    wait_for("rally");
    play("roll 6");
    assert_routed("garnett", false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_2_5_green_5_black_7_gold_9),
        TEST(test_9_7_guns_and_cavalry_check_alike),
        TEST(test_9_7_modified_die),
        TEST(test_9_7_a_natural_10_always_routs),
        TEST(test_9_7_no_terrain_modifier_here),
        TEST(test_ruling_41_shattered_units_keep_their_colour),
        TEST(test_9_6_no_check_without_a_result),
        TEST(test_10_1_and_10_2_rally_by_colour),
        TEST(test_10_2_and_ruling_42_leader_modifier),
        TEST(test_10_2_and_ruling_42_a_natural_10_is_no_automatic_failure),
        TEST(test_10_and_ruling_42_only_units_in_command_may_try),
        TEST(test_10_only_the_active_players_units),
        TEST(test_10_every_one_in_row_order),
        TEST(test_10_1_a_failed_rally_routs_no_further),
        TEST(test_10_1_tries_again_in_the_next_turn),
        TEST(test_ruling_42_adjacent_enemies_do_not_matter),
        TEST(test_10_rallies_from_this_very_turns_rout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
