/* Rulebook 6.4 and rulings 6, 32, 43, 44: leaders in fire, casualties, displacement, their movement. */
#include "position.h"

/* Early (14 SP, column 11-14) fires at Crawford in the open: 5 checks, 9 costs 1 SP, 10 costs 2 and a retreat. */
#define FIRE "turn: 6; half: confederate; phase: offence"

static void die(const char *format, int face) {
    char text[32];
    snprintf(text, sizeof text, format, face);
    play(text);
}

static void check_with(const char *pieces, int face, bool routs) {
    char unit[32];
    at(FIRE, pieces);
    sscanf(pieces, "%31s", unit);
    attack("0515", "early");
    play("roll 5");
    assert_decision("morale");
    die("roll %d", face);
    assert_routed(unit, routs);
}

RULE(test_6_4_and_3_3_6_leader_takes_1_off_the_morale_die) {
    check_with("crawford 0515; early 0514", 7, false); /* Black: 7 */
    check_with("crawford 0515; early 0514", 8, true);
    check_with("crawford 0515; williams 0515; early 0514", 8, false);
    check_with("crawford 0515; williams 0515; early 0514", 9, true);
    check_with("crawford 0515; williams 0515 replacement; early 0514", 8, false);
}

RULE(test_6_4_and_3_3_6_not_cumulative) {
    check_with("crawford 0515; williams 0515; banks 0515; early 0514", 8, false);
    check_with("crawford 0515; williams 0515; banks 0515; early 0514", 9, true);
}

RULE(test_6_4_only_for_a_unit_of_his_command) {
    check_with("geary 0515; williams 0515; early 0514", 8, true);
    check_with("geary 0515; augur 0515; early 0514", 8, false);
    check_with("geary 0515; banks 0515; early 0514", 8, false);
    check_with("geary 0515; williams 0515; augur 0515; early 0514", 8, false);
    check_with("geary 0515; augur 0614; early 0514", 8, true); /* next to it is not with it */
}

RULE(test_ruling_9_guns_and_bayard_have_their_leader_by_organisation) {
    check_with("reserve-5 0515; banks 0515; early 0514", 8, false);
    check_with("reserve-5 0515; williams 0515; early 0514", 8, true);
    check_with("bayard 0515; banks 0515; early 0514", 8, false);
    check_with("bayard 0515; williams 0515; early 0514", 8, true);
    at("turn: 6; half: union; phase: offence", "andrews 0515; winder 0515; crawford 0514 14");
    attack("0515", "crawford");
    play("roll 4"); /* 14 SP, one column right for a limbered gun: 15-19, M */
    play("roll 8");
    assert_routed("andrews", false);
    at("turn: 6; half: union; phase: offence", "andrews 0515; ewell 0515; crawford 0514 14");
    attack("0515", "crawford");
    play("roll 4; roll 8");
    assert_routed("andrews", true);
}

RULE(test_6_4_casualty_check_on_a_natural_10) {
    at(FIRE, "crawford 0515; williams 0515; early 0514; gordon 0518");
    attack("0515", "early");
    keep(0);
    play("roll 10");
    assert_strength("crawford", 15);
    assert_decision("casualty");
    keep(1);
    for (int face = 1; face <= 10; face++) {
        back(1);
        die("roll %d", face);
        assert_strength("williams", face >= 7 ? 1 : 2); /* 1: his Replacement side */
        assert_score(face >= 7 ? -3 : -2);
        assert_hex("williams", "0715"); /* the nearest unit is the one he is with; both went back by 0615 */
        assert_hex("crawford", "0715");
    }
    back(0);
    play("roll 9"); /* 1, no 10 */
    assert_decision("morale");
}

RULE(test_6_4_casualty_check_on_a_modified_10) {
    /* Three hexes fire: +1. */
    at(FIRE, "crawford 0515; williams 0515; early 0514 5; stonewall 0614 5; garnett 0414 3; gordon 0518");
    attack("0515", "stonewall garnett early");
    keep(0);
    play("roll 9");
    assert_decision("casualty");
    back(0);
    play("roll 8");
    assert_decision("morale");
}

RULE(test_6_4_and_ruling_30_casualty_check_on_a_natural_10_made_less) {
    /* Crawford in woods: the 10 counts as 9, which in 11-14 costs 1 SP, but the leader is in danger. */
    at(FIRE, "crawford 1005; williams 1005; early 1004; gordon 1301");
    attack("1005", "early");
    play("roll 10");
    assert_strength("crawford", 16);
    assert_decision("casualty");
}

RULE(test_6_4_no_check_without_a_leader) {
    at(FIRE, "crawford 0515; williams 0615; early 0514; gordon 0518");
    attack("0515", "early");
    play("roll 10");
    assert_decision("morale");
    assert_hex("williams", "0615");
}

RULE(test_6_4_casualty_check_when_the_unit_dies) {
    at(FIRE, "crawford 0515 1; williams 0515; early 0514; gordon 0518; geary 0512");
    attack("0515", "early");
    play("roll 9");
    assert_hex("crawford", NULL);
    assert_decision("casualty");
    keep(0);
    play("roll 7");
    assert_strength("williams", 1);
    assert_score(-2);
    assert_decision("displace");
    assert_legal("join-unit 0512; join-unit 0518"); /* ruling 43: both 3 hexes away, his choice */
    play("join-unit 0512");
    assert_hex("williams", "0512");
    back(0);
    play("roll 6"); /* not hit, but placed with a unit all the same */
    assert_strength("williams", 2);
    play("join-unit 0518");
    assert_hex("williams", "0518");
    assert_score(-1);
}

RULE(test_6_4_and_ruling_43_placed_with_the_nearest_unit) {
    at(FIRE, "crawford 0515 1; williams 0515; early 0514; gordon 0518; geary 0715");
    attack("0515", "early");
    play("roll 9; roll 6");
    assert_hex("williams", "0715");
}

RULE(test_ruling_43_no_unit_left_to_go_to) {
    at(FIRE, "crawford 0515 1; williams 0515; early 0514; banks 1515");
    attack("0515", "early");
    play("roll 9; roll 6");
    assert_hex("williams", NULL);
    assert_score(-1); /* Crawford's last SP only */
}

RULE(test_ruling_44_every_leader_checks_in_row_order) {
    at(FIRE, "crawford 0515; banks 0515; williams 0515; early 0514; gordon 0518");
    attack("0515", "early");
    play("roll 10; roll 7");
    assert_strength("banks", 1);
    assert_decision("casualty");
    play("roll 6");
    assert_strength("williams", 2);
    assert_decision("morale");
}

RULE(test_ruling_44_one_check_a_leader_an_attack) {
    at(FIRE, "crawford 0515 1; williams 0515; early 0514; gordon 0518; garnett 0505"); /* a 10 and a dead unit */
    attack("0515", "early");
    play("roll 10; roll 6");
    assert_hex("williams", "0518");
    assert_strength("williams", 2);
    if (!strcmp(lr_decision(game(), state()), "casualty")) fail_msg("Williams checks twice");
}

RULE(test_ruling_44_a_replacement_hit_is_gone_for_good) {
    at(FIRE, "crawford 0515; williams 0515 replacement; banks 1515; early 0514; gordon 0518");
    attack("0515", "early");
    play("roll 10; roll 7");
    assert_hex("williams", NULL);
    assert_strength("williams", 0);
    assert_score(-3);
}

RULE(test_6_4_and_ruling_32_leader_alone_5_to_10_hits) {
    at(FIRE, "banks 0515; early 0514; crawford 0518; thomas 0614");
    attack("0515", "early");
    assert_decision("fire");
    keep(0);
    for (int face = 1; face <= 10; face++) {
        back(0);
        die("roll %d", face);
        assert_strength("banks", face >= 5 ? 1 : 2);
        assert_hex("banks", face >= 5 ? "0518" : "0515");
        assert_score(face >= 5 ? -1 : 0);
    }
}

RULE(test_ruling_32_one_piece_only_fires_at_a_leader_alone) {
    at(FIRE, "banks 0515; early 0514; crawford 0518; thomas 0614; garnett 0615");
    play("target 0515");
    assert_legal("join garnett; join early; join thomas");
    play("join early");
    assert_decision("fire"); /* detail 7: at once */
    play("roll 1");
    assert_hex("banks", "0515");
    assert_offers_not("target 0515"); /* once a phase */
}

RULE(test_ruling_32_guns_reach_a_leader_alone) {
    at("turn: 6; half: confederate; phase: artillery", "banks 0515; andrews 0915 unlimbered; crawford 0518");
    assert_offers("target 0515");
    attack("0515", "");
    play("roll 5");
    assert_strength("banks", 1);
    assert_hex("banks", "0518");
}

RULE(test_ruling_32_one_die_for_each_leader) {
    at(FIRE, "banks 0515; williams 0515; early 0514; crawford 0518");
    attack("0515", "early");
    play("roll 4");
    assert_decision("fire");
    play("roll 5");
    assert_strength("banks", 2);
    assert_strength("williams", 1);
    assert_hex("banks", "0515");
    assert_hex("williams", "0518");
}

RULE(test_ruling_32_advance_into_the_emptied_hex) {
    at(FIRE, "banks 0515; early 0514; crawford 0518");
    attack("0515", "early");
    keep(0);
    play("roll 5");
    assert_legal("advance early; stay");
    back(0);
    play("roll 4");
    if (!strcmp(lr_decision(game(), state()), "advance")) fail_msg("an advance although Banks stays");
}

RULE(test_ruling_43_leader_alone_shot_with_no_unit_left) {
    at(FIRE, "banks 0515; early 0514; crawford 1901 1; williams 1801");
    attack("0515", "early");
    play("roll 5");
    assert_hex("banks", "1901");
    at(FIRE, "banks 0515; williams 1801; early 0514");
    attack("0515", "early");
    play("roll 5");
    assert_hex("banks", NULL);
    assert_score(-1);
}

RULE(test_6_4_and_ruling_43_an_enemy_unit_next_to_a_leader_alone_drives_him_off) {
    at("turn: 6; half: confederate", "early 0415; jackson 0415; banks 0815; crawford 1515; garnett 0101");
    play("pick early");
    assert_offers("to 0715");
    assert_offers_not("to 0815"); /* decisions, detail 2: no way past the hexes next to him */
    play("to 0715");
    assert_hex("banks", "1515");
    assert_strength("banks", 2);
    assert_score(0);
    assert_decision("move");
    assert_offers("to 0815");
    assert_offers("to 0915");
}

RULE(test_6_4_a_leader_with_a_unit_stays) {
    at("turn: 6; half: confederate", "early 0415; jackson 0415; banks 0815; gordon 0815; crawford 1515; garnett 0101");
    play("pick early; to 0715");
    assert_hex("banks", "0815");
}

RULE(test_6_4_a_routed_unit_drives_leaders_off_too) {
    at("turn: 6; half: confederate", "early 0615 routed; banks 0815; crawford 0115; garnett 0101; jackson 0101");
    play("pick early");
    assert_offers("to 0715");
    play("to 0715");
    assert_hex("banks", "0115");
}

RULE(test_ruling_43_the_owner_breaks_ties) {
    at("turn: 6; half: confederate", "early 0415; jackson 0415; banks 0815; crawford 0818; gordon 0812; garnett 0101");
    play("pick early; to 0715");
    assert_to_move(LR_UNION);
    assert_legal("join-unit 0812; join-unit 0818");
    play("join-unit 0818");
    assert_hex("banks", "0818");
    assert_to_move(LR_CONFEDERATE);
    assert_decision("move");
}

RULE(test_ruling_43_driven_off_with_no_unit_left) {
    at("turn: 6; half: confederate", "early 0415; jackson 0415; banks 0815; garnett 0101");
    play("pick early; to 0715");
    assert_hex("banks", NULL);
    assert_score(0);
}

RULE(test_precision_10_leaders_drive_nobody_off) {
    at("turn: 6; half: confederate", "early 0101; jackson 0415; banks 0815; crawford 1515");
    play("pick jackson");
    assert_offers("to 0715");
    assert_offers("to 0915"); /* past him */
    assert_offers_not("to 0815"); /* ruling 6: not onto him */
    play("to 0715");
    assert_hex("banks", "0815");
}

RULE(test_ruling_6_a_leader_enters_a_zone_only_onto_a_friendly_unit) {
    at("turn: 6; half: union", "banks 0415; crawford 0715; garnett 0815; geary 1901");
    play("pick banks");
    assert_offers("to 0715");
    assert_offers_not("to 0716");
    assert_offers_not("to 0814");
    play("to 0715"); /* and stops */
    assert_decision("pick");
    assert_offers_not("pick banks");
}

RULE(test_ruling_6_a_routed_friend_will_do_a_leader_will_not) {
    at("turn: 6; half: union", "banks 0415; crawford 0715 routed; garnett 0815; geary 1901");
    play("pick banks");
    assert_offers("to 0715");
    at("turn: 6; half: union", "banks 0415; williams 0715; garnett 0815 routed; geary 1901");
    play("pick banks");
    assert_offers("to 0715"); /* routed: no zone at all */
}

RULE(test_ruling_6_a_leader_leaves_a_zone_for_1_and_not_into_the_same_enemys) {
    at("turn: 6; half: union", "banks 0715; crawford 0715; gordon 0716; geary 0714; garnett 0815; early 0713");
    play("pick banks");
    assert_offers_not("to 0716"); /* Garnett's zone again, although Gordon is there */
    assert_offers("to 0714"); /* Early's zone, onto Geary */
    /* 1620 is 9 MP away: too far for one who pays 1 for the zone first. */
    at("turn: 6; half: union", "banks 1715; crawford 1715; garnett 1816");
    play("pick banks");
    assert_offers_not("to 1620");
    at("turn: 6; half: union", "banks 1715; crawford 1715; garnett 1816 routed");
    play("pick banks");
    assert_offers("to 1620");
}

RULE(test_6_4_leaders_do_not_go_with_a_unit_that_moves) {
    at("turn: 6; half: union", "banks 0415; crawford 0415; garnett 1515");
    play("pick crawford; to 0514; done");
    assert_hex("banks", "0415");
}

RULE(test_ruling_43_leaders_go_along_when_a_check_is_passed_too) {
    /* 2R, the check passed: no rout, but Williams and Banks have gone the two hexes with Crawford; Augur stood beside him. */
    at(FIRE, "crawford 0515; banks 0515; williams 0515; augur 0516; early 0514; gordon 0518");
    attack("0515", "early");
    play("roll 10; roll 1; roll 1");
    go_back();
    play("roll 1");
    assert_routed("crawford", false);
    assert_hex("crawford", "0715");
    assert_hex("banks", "0715");
    assert_hex("williams", "0715");
    assert_hex("augur", "0516");
}

RULE(test_ruling_43_nearest_counts_hexes_and_the_routed_too) {
    /* Gordon 2 hexes off, over the pond, routed; Crawford 3. */
    at("turn: 6; half: confederate", "early 1012; jackson 1012; banks 1413; gordon 1415 routed; crawford 1710; garnett 0101");
    play("pick early; to 1313");
    assert_hex("banks", "1415");
}

RULE(test_ruling_43_it_is_entering_that_drives_a_leader_off) {
    /* Early begins next to Banks, who is alone, and nothing happens before he moves. */
    at("turn: 6; half: confederate", "early 0715; jackson 0415; banks 0815; crawford 1515; garnett 0101");
    assert_hex("banks", "0815");
    play("pick early");
    keep(0);
    play("to 0815"); /* his very hex */
    assert_hex("banks", "1515");
    assert_hex("early", "0815");
    back(0);
    play("to 0814"); /* another hex next to him */
    assert_hex("banks", "1515");
    back(0);
    play("to 0714"); /* away from him */
    assert_hex("banks", "0815");
}

RULE(test_ruling_44_the_leader_above_still_commands) {
    /* Williams is gone for good. Crawford is within 4 of Banks, Gordon, who was next to Williams, is not. */
    at("turn: 6; half: confederate; phase: offence", "crawford 0515; gordon 0918; williams 0918 replacement; banks 0414; early 0917; garnett 0101");
    attack("0918", "early");
    play("roll 10; roll 7");
    assert_hex("williams", NULL);
    go_back();
    play("roll 1");
    wait_for_side("pick", LR_UNION);
    assert_in_command("crawford", true);
    assert_in_command("gordon", false);
    /* Not hit, he commands Gordon still. */
    at("turn: 6; half: confederate; phase: offence", "crawford 0515; gordon 0918; williams 0918 replacement; banks 0414; early 0917; garnett 0101");
    attack("0918", "early");
    play("roll 10; roll 6");
    go_back();
    play("roll 1");
    wait_for_side("pick", LR_UNION);
    assert_in_command("gordon", true);
}

RULE(test_ruling_44_and_ruling_49_each_casualty_costs_1_on_either_side) {
    /* Front side, then Replacement, then gone: a point each, and no more to lose. */
    at("turn: 6; half: union; phase: offence", "jackson 0515; crawford 0514; early 0718; garnett 0101");
    attack("0515", "crawford");
    play("roll 5");
    assert_strength("jackson", 1);
    assert_score(1);
    at("turn: 6; half: union; phase: offence; vp: 1", "jackson 0515 replacement; crawford 0514; early 0718; garnett 0101");
    attack("0515", "crawford");
    play("roll 5");
    assert_strength("jackson", 0);
    assert_hex("jackson", NULL);
    assert_score(2);
    at(FIRE, "banks 0515 replacement; early 0514; crawford 0518");
    attack("0515", "early");
    play("roll 5");
    assert_hex("banks", NULL);
    assert_score(-1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_6_4_and_3_3_6_leader_takes_1_off_the_morale_die),
        TEST(test_6_4_and_3_3_6_not_cumulative),
        TEST(test_6_4_only_for_a_unit_of_his_command),
        TEST(test_ruling_9_guns_and_bayard_have_their_leader_by_organisation),
        TEST(test_6_4_casualty_check_on_a_natural_10),
        TEST(test_6_4_casualty_check_on_a_modified_10),
        TEST(test_6_4_and_ruling_30_casualty_check_on_a_natural_10_made_less),
        TEST(test_6_4_no_check_without_a_leader),
        TEST(test_6_4_casualty_check_when_the_unit_dies),
        TEST(test_6_4_and_ruling_43_placed_with_the_nearest_unit),
        TEST(test_ruling_43_no_unit_left_to_go_to),
        TEST(test_ruling_44_every_leader_checks_in_row_order),
        TEST(test_ruling_44_one_check_a_leader_an_attack),
        TEST(test_ruling_44_a_replacement_hit_is_gone_for_good),
        TEST(test_6_4_and_ruling_32_leader_alone_5_to_10_hits),
        TEST(test_ruling_32_one_piece_only_fires_at_a_leader_alone),
        TEST(test_ruling_32_guns_reach_a_leader_alone),
        TEST(test_ruling_32_one_die_for_each_leader),
        TEST(test_ruling_32_advance_into_the_emptied_hex),
        TEST(test_ruling_43_leader_alone_shot_with_no_unit_left),
        TEST(test_6_4_and_ruling_43_an_enemy_unit_next_to_a_leader_alone_drives_him_off),
        TEST(test_6_4_a_leader_with_a_unit_stays),
        TEST(test_6_4_a_routed_unit_drives_leaders_off_too),
        TEST(test_ruling_43_the_owner_breaks_ties),
        TEST(test_ruling_43_driven_off_with_no_unit_left),
        TEST(test_precision_10_leaders_drive_nobody_off),
        TEST(test_ruling_6_a_leader_enters_a_zone_only_onto_a_friendly_unit),
        TEST(test_ruling_6_a_routed_friend_will_do_a_leader_will_not),
        TEST(test_ruling_6_a_leader_leaves_a_zone_for_1_and_not_into_the_same_enemys),
        TEST(test_6_4_leaders_do_not_go_with_a_unit_that_moves),
        TEST(test_ruling_43_leaders_go_along_when_a_check_is_passed_too),
        TEST(test_ruling_43_nearest_counts_hexes_and_the_routed_too),
        TEST(test_ruling_43_it_is_entering_that_drives_a_leader_off),
        TEST(test_ruling_44_the_leader_above_still_commands),
        TEST(test_ruling_44_and_ruling_49_each_casualty_costs_1_on_either_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
