/* Rulebook 9.9 and rulings 32, 40: advance after combat. */
#include "position.h"

#define OFFENCE "turn: 6; half: union; phase: offence"

/* Crawford and others fire at Thomas with one SP left; a 10 kills him. */
static void emptied(const char *keys, const char *pieces, const char *joiners) {
    at(keys, pieces);
    attack("0515", joiners);
    play("roll 10");
}

RULE(test_9_9_the_mover_may_advance_into_a_vacated_hex) {
    emptied(OFFENCE, "crawford 0514; thomas 0515 1; early 1515", "crawford");
    assert_to_move(LR_UNION);
    assert_decision("advance");
    assert_legal("advance crawford; stay");
    keep(0);
    play("advance crawford");
    assert_hex("crawford", "0515");
    back(0);
    play("stay");
    assert_hex("crawford", "0514");
}

RULE(test_9_9_after_a_retreat_or_a_rout_too) {
    at(OFFENCE, "crawford 0514; thomas 0515; early 1515");
    attack("0515", "crawford");
    play("roll 10");
    go_back();
    play("roll 1");
    assert_legal("advance crawford; stay");
    at(OFFENCE, "crawford 0514; thomas 0515; early 1515");
    attack("0515", "crawford");
    play("roll 5; roll 10");
    go_back();
    assert_legal("advance crawford; stay");
}

RULE(test_9_9_not_while_the_enemy_is_there) {
    at(OFFENCE, "crawford 0514; thomas 0515; early 1515; gordon 1514");
    attack("0515", "crawford");
    play("roll 5; roll 1");
    assert_decision("target");
}

RULE(test_9_9_never_after_defensive_fire) {
    emptied("turn: 6; half: confederate; phase: defence", "crawford 0514; gordon 1514; thomas 0515 1; early 1515", "crawford");
    assert_decision("target");
    assert_to_move(LR_UNION);
}

RULE(test_ruling_40_not_in_the_artillery_phase) {
    at("turn: 6; half: union; phase: artillery", "reserve-1 0514 unlimbered; crawford 0516; thomas 0515 1; early 1515");
    attack("0515", "reserve-1");
    play("roll 10");
    assert_decision("pick");
}

RULE(test_ruling_40_one_unit_that_took_part) {
    emptied(OFFENCE, "crawford 0514; gordon 0614; geary 0516; thomas 0515 1; early 1515", "crawford gordon");
    assert_legal("advance crawford; advance gordon; stay"); /* Geary did not fire */
    play("advance gordon");
    assert_hex("gordon", "0515");
    if (!strcmp(lr_decision(game(), state()), "advance")) fail_msg("a second unit advances");
}

RULE(test_ruling_40_dismounted_cavalry_may) {
    emptied(OFFENCE, "bayard 0514 dismounted; thomas 0515 1; early 1515", "bayard");
    assert_legal("advance bayard; stay");
    play("advance bayard");
    assert_hex("bayard", "0515");
    assert_dismounted("bayard", true);
}

RULE(test_ruling_5_and_ruling_40_into_a_zone_only_in_command_and_unshattered) {
    emptied(OFFENCE, "crawford 0514; banks 0514; gordon 1901; thomas 0515 1; early 0415", "crawford"); /* Early's zone covers 0515 */
    assert_offers("advance crawford");
    emptied(OFFENCE, "crawford 0514; banks 1515; gordon 1901; thomas 0515 1; early 0415", "crawford");
    if (!strcmp(lr_decision(game(), state()), "advance")) fail_msg("out of command into a zone");
    emptied(OFFENCE, "crawford 0514 8; banks 0514; gordon 1901; thomas 0515 1; early 0415", "crawford");
    if (!strcmp(lr_decision(game(), state()), "advance")) fail_msg("shattered into a zone");
    emptied(OFFENCE, "crawford 0514; banks 1515; gordon 1901; thomas 0515 1; early 0415 routed", "crawford");
    assert_offers("advance crawford"); /* the routed have no zone */
    emptied(OFFENCE, "crawford 0514 8; banks 1511; gordon 1901; thomas 0515 1; early 1515", "crawford");
    assert_offers("advance crawford"); /* no zone: neither matters */
}

RULE(test_ruling_40_free_of_movement_and_of_terrain) {
    at(OFFENCE, "crawford 0607; thomas 0606 1; early 1515");
    attack("0606", "crawford");
    play("roll 10");
    assert_legal("advance crawford; stay");
}

RULE(test_ruling_40_leaders_stay_behind) {
    emptied(OFFENCE, "crawford 0514; banks 0514; williams 0514; thomas 0515 1; early 1515", "crawford");
    play("advance crawford");
    assert_hex("banks", "0514");
    assert_hex("williams", "0514");
}

RULE(test_ruling_40_and_stops) {
    /* No more fire by the unit that advanced: it has fired. */
    emptied(OFFENCE, "crawford 0514; banks 0514; thomas 0515 1; early 0415; gordon 1901", "crawford");
    play("advance crawford");
    assert_offers_not("target 0415");
}

RULE(test_ruling_55_advance_comes_as_each_hex_falls_empty) {
    emptied(OFFENCE, "crawford 0514; gordon 1514; thomas 0515 1; early 1515", "crawford");
    assert_decision("advance");
    play("stay");
    assert_legal("target 1515; end fire");
}

RULE(test_ruling_43_an_advance_drives_leaders_off) {
    emptied(OFFENCE, "crawford 0514; banks 0514; thomas 0515 1; jackson 0415; early 1515", "crawford");
    play("advance crawford");
    assert_hex("jackson", "1515");
}

RULE(test_9_9_the_leader_of_a_dead_unit_is_gone_from_the_hex) {
    emptied(OFFENCE, "crawford 0514; thomas 0515 1; jackson 0515; early 1515", "crawford");
    assert_decision("casualty");
    play("roll 6");
    assert_hex("jackson", "1515");
    assert_legal("advance crawford; stay");
}

RULE(test_ruling_40_a_gun_beside_does_not_advance) {
    emptied(OFFENCE, "crawford 0514; reserve-1 0516 unlimbered; thomas 0515 1; early 1515", "crawford");
    assert_legal("advance crawford; stay");
}

RULE(test_ruling_40_the_frozen_do_not_advance) {
    /* Trimble before turn 7 (14.2.3). */
    at("turn: 6; half: confederate; phase: offence", "trimble 0514; early 1514; crawford 0515 1; gordon 1515");
    attack("0515", "trimble");
    play("roll 10");
    assert_decision("target"); /* Early's attack, no advance */
    at("turn: 7; half: confederate; phase: offence", "trimble 0514; early 1514; crawford 0515 1; gordon 1515");
    attack("0515", "trimble");
    play("roll 10");
    assert_legal("advance trimble; stay");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_9_9_the_mover_may_advance_into_a_vacated_hex),
        TEST(test_9_9_after_a_retreat_or_a_rout_too),
        TEST(test_9_9_not_while_the_enemy_is_there),
        TEST(test_9_9_never_after_defensive_fire),
        TEST(test_ruling_40_not_in_the_artillery_phase),
        TEST(test_ruling_40_one_unit_that_took_part),
        TEST(test_ruling_40_dismounted_cavalry_may),
        TEST(test_ruling_5_and_ruling_40_into_a_zone_only_in_command_and_unshattered),
        TEST(test_ruling_40_free_of_movement_and_of_terrain),
        TEST(test_ruling_40_leaders_stay_behind),
        TEST(test_ruling_40_and_stops),
        TEST(test_ruling_55_advance_comes_as_each_hex_falls_empty),
        TEST(test_ruling_43_an_advance_drives_leaders_off),
        TEST(test_9_9_the_leader_of_a_dead_unit_is_gone_from_the_hex),
        TEST(test_ruling_40_a_gun_beside_does_not_advance),
        TEST(test_ruling_40_the_frozen_do_not_advance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
