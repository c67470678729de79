/* Rulebook 9.8 and rulings 33 to 39, 43: retreats and routs. */
#include "position.h"

#define OFFENCE "turn: 6; half: union; phase: offence"
#define REBELS "turn: 6; half: confederate; phase: offence"

/* Crawford (15-19) fires at Thomas, 15 SP, in 0515: a 10 costs 2 and two hexes, a 5 is a check. */
static void hit(const char *pieces, int face) {
    char text[32];
    at(OFFENCE, pieces);
    attack("0515", "crawford");
    snprintf(text, sizeof text, "roll %d", face);
    play(text);
}

RULE(test_9_8_1_and_14_1_4_two_hexes_away_toward_the_retreat_hex) {
    hit("crawford 0514; thomas 0515; early 1515", 10);
    assert_strength("thomas", 13);
    assert_to_move(LR_CONFEDERATE); /* the owner leads */
    assert_decision("retreat");
    assert_hex("thomas", "0415"); /* 0414 is in Crawford's zone: 0415 is the only best step and not asked */
    assert_legal("retreat 0315; retreat 0316");
    play("retreat 0316");
    assert_hex("thomas", "0316");
    assert_decision("morale");
}

RULE(test_14_1_4_the_union_goes_toward_1701) {
    at(REBELS, "crawford 1515; early 1516; thomas 0101");
    attack("1515", "early");
    play("roll 10"); /* 11-14: 2R */
    assert_legal("retreat 1514; retreat 1614");
    play("retreat 1614");
    assert_legal("retreat 1613; retreat 1714");
    play("retreat 1613");
    assert_hex("crawford", "1613");
}

RULE(test_ruling_38_every_best_step_is_the_owners_choice) {
    hit("crawford 0615; thomas 0515; early 1515", 10);
    assert_legal("retreat 0414; retreat 0415");
    play("retreat 0414");
    assert_legal("retreat 0314; retreat 0315");
}

RULE(test_ruling_36_steps_in_no_zone_come_first) {
    hit("crawford 0614; gordon 0213; thomas 0515; early 1515", 10); /* Gordon's zone covers 0314 */
    play("retreat 0414");
    assert_hex("thomas", "0315");
    assert_decision("morale");
}

RULE(test_ruling_36_as_near_but_safe_before_nearer_and_in_a_zone) {
    /* Nearer are 0414 and 0415, both in Gordon's zone; of the hexes as near, 0514 is in Crawford's, 0516 in none. */
    hit("crawford 0614; gordon 0315; thomas 0515; early 1515", 10);
    assert_hex("thomas", "0416"); /* by 0516; nothing to choose */
    assert_strength("thomas", 13);
    assert_decision("morale");
}

RULE(test_ruling_36_nearer_in_a_zone_before_as_near_in_a_zone) {
    hit("crawford 0514; gordon 0516; thomas 0515; early 1515", 10);
    assert_legal("retreat 0414; retreat 0415");
}

RULE(test_ruling_36_as_near_in_a_zone_is_the_last_resort) {
    /* Gordon and Geary hold the nearer hexes, Crawford one of the two as near: 0514 is left, in Gordon's zone. */
    hit("crawford 0516; gordon 0414; geary 0415; thomas 0515; early 1515", 10);
    assert_hex("thomas", "0513");
    assert_strength("thomas", 12);
}

RULE(test_ruling_36_not_nearer_to_a_unit_that_fired) {
    /* Both 0414 and 0415 are nearer to 0115 and safe, but 0414 is nearer to the guns. */
    at("turn: 6; half: union; phase: artillery", "reserve-1 0312 unlimbered; reserve-5 0412 unlimbered; thomas 0515; early 1515");
    attack("0515", "reserve-1 reserve-5");
    play("roll 10"); /* 7 SP: 1R */
    assert_hex("thomas", "0316");
}

RULE(test_ruling_36_and_ruling_51_no_step_kills) {
    hit("crawford 0414; gordon 0415; geary 0514; prince 0516; thomas 0515; early 1515", 10);
    assert_hex("thomas", NULL);
    assert_score(15);
}

RULE(test_9_8_1_and_ruling_36_who_stands_on_the_retreat_hex_is_lost) {
    at(OFFENCE, "crawford 0214; thomas 0115; early 1515");
    attack("0115", "crawford");
    play("roll 10");
    assert_hex("thomas", NULL);
    assert_score(15);
    /* one hex from it: gets there, and must go on */
    at(OFFENCE, "crawford 0216; thomas 0215; early 1515");
    attack("0215", "crawford");
    play("roll 10");
    assert_hex("thomas", NULL);
    assert_score(15);
}

RULE(test_9_8_1_and_ruling_37_and_ruling_51_one_point_for_each_zone_hex) {
    hit("crawford 0514; gordon 0516; thomas 0515; early 1515", 10); /* 0414 and 0415 are both in zones */
    assert_legal("retreat 0414; retreat 0415");
    play("retreat 0415");
    assert_strength("thomas", 12);
    assert_score(3);
    play("retreat 0315");
    assert_strength("thomas", 12);
    assert_decision("morale");
}

RULE(test_ruling_37_friends_do_not_cancel_zones_in_retreat) {
    hit("crawford 0514; gordon 0516; thomas 0515; early 0415; stonewall 0414", 10);
    play("retreat 0415");
    assert_strength("thomas", 12);
}

RULE(test_9_8_1_and_ruling_37_may_not_end_in_a_zone) {
    hit("crawford 0615; gordon 0314; geary 0317; thomas 0515; early 1515", 10);
    assert_hex("thomas", "0415"); /* 0414 is in Gordon's zone */
    play("retreat 0316");
    assert_strength("thomas", 12);
    assert_hex("thomas", "0215"); /* a third hex */
    assert_decision("morale");
}

RULE(test_9_8_1_dies_in_a_zone) {
    hit("crawford 0514; gordon 0516; thomas 0515 3; early 1515", 10);
    play("retreat 0415");
    assert_hex("thomas", NULL);
    assert_score(3);
}

RULE(test_precision_12_leaders_of_a_unit_that_dies_on_the_way_check) {
    /* 32 SP in 26-32: a 9 is 2R without a star. */
    scenario(HISTORICAL_POPE);
    at(OFFENCE "; arrival: [{group: Ricketts, turn: 4}]",
       "hartsuff 0514; duryee 0516 11; thomas 0515 3; jackson 0515; early 1515; garnett 1901");
    attack("0515", "duryee hartsuff");
    play("roll 9; retreat 0415");
    assert_hex("thomas", NULL);
    assert_decision("casualty");
    play("roll 6");
    assert_hex("jackson", "1515");
    /* After a 10 he has thrown already. */
    at(OFFENCE "; arrival: [{group: Ricketts, turn: 4}]",
       "hartsuff 0514; duryee 0516 11; thomas 0515 4; jackson 0515; early 1515; garnett 1901");
    attack("0515", "duryee hartsuff");
    play("roll 10; roll 6; retreat 0415");
    assert_hex("thomas", NULL);
    assert_hex("jackson", "1515");
    if (!strcmp(lr_decision(game(), state()), "casualty")) fail_msg("a second die for Jackson");
}

RULE(test_9_8_1_and_ruling_37_goes_on_if_it_would_stack) {
    hit("crawford 0615; thomas 0515; early 0315; stonewall 0316", 10);
    play("retreat 0415; retreat 0315");
    assert_hex("thomas", "0315");
    assert_legal("retreat 0214; retreat 0215");
    play("retreat 0215");
    assert_hex("thomas", "0215");
    assert_decision("morale");
}

RULE(test_9_8_1_prohibited_terrain) {
    at(REBELS, "crawford 1413; early 1412; thomas 0101");
    attack("1413", "early");
    play("roll 10");
    assert_hex("crawford", "1613"); /* by 1514; 1414 is the pond */
}

RULE(test_9_8_1_terrain_cost_is_ignored) {
    at(REBELS, "crawford 1005; early 0905; thomas 0101");
    attack("1005", "early");
    play("roll 10"); /* natural 10, woods: 9: no R in this column */
    assert_decision("morale");
    play("roll 8"); /* routs three hexes through woods */
    go_back();
    const struct brigade *b = game()->rules;
    assert_int_equal(distance(b, inside()->cell[row_of("crawford")], (unsigned)brigade_cell(b, "1005")), 3);
}

RULE(test_9_8_1_and_ruling_35_and_ruling_51_unlimbered_guns_lose_1_more_and_limber) {
    at(OFFENCE, "crawford 0514 7; andrews 0515 unlimbered; early 1515");
    attack("0515", "crawford");
    play("roll 10"); /* 5-7: 1R */
    assert_strength("andrews", 3);
    assert_unlimbered("andrews", false);
    assert_score(2);
    assert_hex("andrews", "0415");
    play("retreat 0315; roll 8"); /* and routs: not a third time (ruling 35) */
    assert_strength("andrews", 3);
    assert_routed("andrews", true);
}

RULE(test_9_8_1_and_ruling_35_limbered_guns_do_not) {
    at(OFFENCE, "crawford 0514 4; andrews 0515; early 1515");
    attack("0515", "crawford");
    play("roll 10"); /* 3-4, a column right: 1R */
    assert_strength("andrews", 4);
}

RULE(test_9_8_1_guns_that_die_of_it) {
    at(OFFENCE, "crawford 0514 7; andrews 0515 2 unlimbered; early 1515");
    attack("0515", "crawford");
    play("roll 10");
    assert_hex("andrews", NULL);
    assert_score(2);
}

RULE(test_9_8_2_and_ruling_35_unlimbered_guns_that_rout_lose_1_and_limber) {
    at(OFFENCE, "crawford 0514; andrews 0515 unlimbered; early 1515");
    attack("0515", "crawford");
    play("roll 5; roll 8");
    assert_strength("andrews", 4);
    assert_unlimbered("andrews", false);
    assert_routed("andrews", true);
    assert_score(1);
}

RULE(test_9_8_1_a_check_passed_leaves_guns_as_they_are) {
    at(OFFENCE, "crawford 0514; andrews 0515 unlimbered; early 1515");
    attack("0515", "crawford");
    play("roll 5; roll 7");
    assert_strength("andrews", 5);
    assert_unlimbered("andrews", true);
    assert_hex("andrews", "0515");
}

RULE(test_9_8_2_a_rout_is_three_hexes) {
    hit("crawford 0514; thomas 0515; early 1515", 5);
    play("roll 8");
    assert_routed("thomas", true);
    assert_hex("thomas", "0415");
    play("retreat 0315");
    assert_legal("retreat 0214; retreat 0215");
    play("retreat 0214");
    assert_hex("thomas", "0214");
    assert_strength("thomas", 15);
    if (!strcmp(lr_decision(game(), state()), "morale")) fail_msg("a second check");
}

RULE(test_ruling_34_a_rout_after_a_retreat_is_three_more) {
    const struct brigade *b = game()->rules;
    const unsigned home = (unsigned)brigade_cell(b, "0115");
    at(OFFENCE, "crawford 1114; thomas 1115; early 1515"); /* 10 hexes from home */
    attack("1115", "crawford");
    play("roll 10");
    go_back();
    assert_int_equal(distance(b, inside()->cell[row_of("thomas")], home), 8);
    play("roll 8");
    go_back();
    assert_int_equal(distance(b, inside()->cell[row_of("thomas")], home), 5);
    assert_strength("thomas", 13);
}

RULE(test_9_8_2_a_rout_pays_for_zones_too) {
    hit("crawford 0514; gordon 0516; thomas 0515; early 1515", 5);
    play("roll 8; retreat 0414");
    assert_strength("thomas", 14);
    assert_score(1);
}

RULE(test_9_8_3_and_ruling_39_a_routed_unit_that_is_hit_goes_three_hexes_and_checks_no_more) {
    hit("crawford 0514; thomas 0515 routed; early 1515", 5); /* M */
    assert_decision("retreat");
    play("retreat 0315; retreat 0215");
    assert_strength("thomas", 15);
    assert_routed("thomas", true);
    if (!strcmp(lr_decision(game(), state()), "morale")) fail_msg("a check of a routed unit");
    hit("crawford 0514; thomas 0515 routed; early 1515", 10); /* 2R: 2 SP and three hexes, not five */
    assert_strength("thomas", 13);
    play("retreat 0315; retreat 0215");
    assert_hex("thomas", "0215");
    if (!strcmp(lr_decision(game(), state()), "retreat")) fail_msg("more than three hexes");
    hit("crawford 0514; thomas 0515 routed; early 1515", 3); /* no result */
    assert_hex("thomas", "0515");
}

RULE(test_9_8_3_routed_units_do_not_fire) {
    at(OFFENCE, "crawford 0514 routed; gordon 0516; thomas 0515; early 0517");
    play("target 0515");
    assert_decision("fire"); /* Gordon alone */
}

RULE(test_14_1_4_ewells_division_chooses_its_retreat_hex) {
    at(OFFENCE, "crawford 0514; trimble 0515; early 1515");
    attack("0515", "crawford");
    play("roll 10");
    assert_decision("retreat-to");
    assert_legal("toward 0115; toward 0920");
    keep(0);
    play("toward 0115");
    assert_legal("retreat 0315; retreat 0316");
    back(0);
    play("toward 0920");
    assert_legal("retreat 0516; retreat 0615");
}

RULE(test_14_1_4_who_belongs_to_ewells_division) {
    static const struct { const char *name; bool chooses; } units[] = {{"early", true}, {"trimble", true}, {"forno", true},
        {"courtney", true}, {"dement", true}, {"latimer", true}, {"terry", true}, {"thomas", false}, {"stonewall", false}, {"andrews", false}, {"walker", false}, {"archer", false}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        char pieces[128];
        snprintf(pieces, sizeof pieces, "crawford 0514; %s 0515 %s; garnett 1515", units[i].name, i >= 3 && i <= 6 ? "2" : "");
        at(OFFENCE, pieces);
        attack("0515", "crawford");
        play("roll 10");
        if (!inside()->strength[row_of(units[i].name)]) continue; /* a battery of 2 is gone */
        if (units[i].chooses) assert_decision("retreat-to");
        else assert_decision("retreat");
    }
}

RULE(test_ruling_36_a_rout_after_a_retreat_names_its_hex_afresh) {
    at(OFFENCE, "crawford 0514; trimble 0515; early 1515");
    attack("0515", "crawford");
    play("roll 10; toward 0115; retreat 0315; roll 8");
    assert_decision("retreat-to");
    play("toward 0920");
    assert_decision("retreat");
}

RULE(test_ruling_43_all_leaders_in_the_hex_go_along) {
    hit("crawford 0514; thomas 0515; jackson 0515; ewell 0515; early 1515", 9); /* 2 SP, a check */
    play("roll 9");
    go_back();
    assert_routed("thomas", true);
    const struct brigade_state *s = inside();
    assert_int_equal(s->cell[row_of("jackson")], s->cell[row_of("thomas")]);
    assert_int_equal(s->cell[row_of("ewell")], s->cell[row_of("thomas")]);
    assert_int_not_equal(s->cell[row_of("thomas")], brigade_cell(game()->rules, "0515"));
}

RULE(test_ruling_36_leaders_alone_are_driven_off_by_a_retreat) {
    hit("crawford 0514; banks 0314; thomas 0515; early 1515", 10);
    play("retreat 0315"); /* next to Banks */
    assert_hex("banks", "0514");
}

RULE(test_ruling_33_order_loss_leaders_retreat_check_rout) {
    hit("crawford 0514; thomas 0515; jackson 0515; early 1515", 10);
    assert_strength("thomas", 13);
    assert_decision("casualty");
    play("roll 1");
    assert_decision("retreat");
    play("retreat 0315");
    assert_decision("morale");
    play("roll 9");
    assert_routed("thomas", true);
    assert_decision("retreat");
}

RULE(test_ruling_36_nearer_to_a_firer_if_no_other_step_is_open) {
    /* As above, but Crawford, routed and without a zone, stands on 0415: Thomas must pass nearer to the guns. */
    at("turn: 6; half: union; phase: artillery",
       "reserve-1 0312 unlimbered; reserve-5 0412 unlimbered; crawford 0415 routed; thomas 0515; early 1515");
    attack("0515", "reserve-1 reserve-5");
    play("roll 10");
    assert_hex("thomas", "0315"); /* by 0414 */
}

#define CORNERED "geary 0316; crawford 0214 routed; gordon 0215 routed; "

RULE(test_ruling_36_the_starting_hex_counts_as_entered) {
    /* 0315 is 2 hexes from 0115. Both nearer hexes are held; of those as near 0316 is Geary's, 0314 is open, and from there
     * 0213 is as near too, or Thomas would have to go back. */
    at(OFFENCE, CORNERED "thomas 0315; early 1515");
    attack("0315", "geary");
    play("roll 10"); /* 11 SP: 2R */
    assert_hex("thomas", "0213");
    at(OFFENCE, CORNERED "prince 0213 routed; thomas 0315; early 1515");
    attack("0315", "geary");
    play("roll 10");
    assert_hex("thomas", NULL);
    assert_score(15);
}

RULE(test_ruling_36_a_rout_after_a_retreat_may_enter_its_hexes_again) {
    /* By 0314 to 0213. Then the rout, with 0113, 0114 and 0214 held: 0314 again, 0315 (Geary's zone), 0215 (likewise), and on
     * to 0115. */
    at(OFFENCE, "geary 0316; crawford 0214 routed; gordon 0113 routed; prince 0114 routed; thomas 0315; early 1515");
    attack("0315", "geary");
    play("roll 10");
    assert_hex("thomas", "0213");
    assert_strength("thomas", 13);
    play("roll 8");
    assert_hex("thomas", "0115");
    assert_strength("thomas", 11);
    assert_routed("thomas", true);
}

RULE(test_ruling_36_a_leader_alone_holds_no_hex) {
    hit("crawford 0514; banks 0415; thomas 0515; early 1515", 10); /* 0414 is in Crawford's zone */
    assert_hex("thomas", "0415");
    assert_hex("banks", "0514");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_9_8_1_and_14_1_4_two_hexes_away_toward_the_retreat_hex),
        TEST(test_14_1_4_the_union_goes_toward_1701),
        TEST(test_ruling_38_every_best_step_is_the_owners_choice),
        TEST(test_ruling_36_steps_in_no_zone_come_first),
        TEST(test_ruling_36_as_near_but_safe_before_nearer_and_in_a_zone),
        TEST(test_ruling_36_nearer_in_a_zone_before_as_near_in_a_zone),
        TEST(test_ruling_36_as_near_in_a_zone_is_the_last_resort),
        TEST(test_ruling_36_not_nearer_to_a_unit_that_fired),
        TEST(test_ruling_36_and_ruling_51_no_step_kills),
        TEST(test_9_8_1_and_ruling_36_who_stands_on_the_retreat_hex_is_lost),
        TEST(test_9_8_1_and_ruling_37_and_ruling_51_one_point_for_each_zone_hex),
        TEST(test_ruling_37_friends_do_not_cancel_zones_in_retreat),
        TEST(test_9_8_1_and_ruling_37_may_not_end_in_a_zone),
        TEST(test_9_8_1_dies_in_a_zone),
        TEST(test_precision_12_leaders_of_a_unit_that_dies_on_the_way_check),
        TEST(test_9_8_1_and_ruling_37_goes_on_if_it_would_stack),
        TEST(test_9_8_1_prohibited_terrain),
        TEST(test_9_8_1_terrain_cost_is_ignored),
        TEST(test_9_8_1_and_ruling_35_and_ruling_51_unlimbered_guns_lose_1_more_and_limber),
        TEST(test_9_8_1_and_ruling_35_limbered_guns_do_not),
        TEST(test_9_8_1_guns_that_die_of_it),
        TEST(test_9_8_2_and_ruling_35_unlimbered_guns_that_rout_lose_1_and_limber),
        TEST(test_9_8_1_a_check_passed_leaves_guns_as_they_are),
        TEST(test_9_8_2_a_rout_is_three_hexes),
        TEST(test_ruling_34_a_rout_after_a_retreat_is_three_more),
        TEST(test_9_8_2_a_rout_pays_for_zones_too),
        TEST(test_9_8_3_and_ruling_39_a_routed_unit_that_is_hit_goes_three_hexes_and_checks_no_more),
        TEST(test_9_8_3_routed_units_do_not_fire),
        TEST(test_14_1_4_ewells_division_chooses_its_retreat_hex),
        TEST(test_14_1_4_who_belongs_to_ewells_division),
        TEST(test_ruling_36_a_rout_after_a_retreat_names_its_hex_afresh),
        TEST(test_ruling_43_all_leaders_in_the_hex_go_along),
        TEST(test_ruling_36_leaders_alone_are_driven_off_by_a_retreat),
        TEST(test_ruling_33_order_loss_leaders_retreat_check_rout),
        TEST(test_ruling_36_nearer_to_a_firer_if_no_other_step_is_open),
        TEST(test_ruling_36_the_starting_hex_counts_as_entered),
        TEST(test_ruling_36_a_rout_after_a_retreat_may_enter_its_hexes_again),
        TEST(test_ruling_36_a_leader_alone_holds_no_hex),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
