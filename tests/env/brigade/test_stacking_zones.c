/* Rulebook chapters 2 and 3: stacking, zones of control, strength, shattered and independent units. */
#include "position.h"

/* Where Crawford (6 MP, in command) gets from 0415 with one enemy at 0815: the field's west, by hand from the charts. */
#define FROM_0415                                                                                                      \
    "0110 0111 0112 0113 0114 0115 0116 0117 0209 0210 0211 0212 0213 0214 0215 0216 0217 0310 0311 0312 0313 0314 "   \
    "0315 0316 0317 0318 0319 0320 0410 0411 0412 0413 0414 0416 0417 0418 0419 0420 0510 0511 0512 0513 0514 0515 "   \
    "0516 0517 0518 0519 0520 0609 0612 0613 0614 0615 0616 0617 0618 0619 0620 0712 0713 0714 0717 0718 0719 0720 "   \
    "0812 0813 0817 0818 0819 0820 0913 0914 1014 "

RULE(test_2_1_one_combat_unit_in_a_hex) {
    at("turn: 6; half: union", "crawford 0415; gordon 0515; banks 0415; garnett 1515");
    play("pick crawford");
    assert_offers_not("to 0515");
    assert_offers("to 0615"); /* behind Gordon */
}

RULE(test_2_1_friends_may_be_moved_through) {
    /* 1901 is a corner: Gordon and Geary hold both hexes beside it. */
    at("turn: 6; half: union", "crawford 1901; gordon 1902; geary 1801; banks 1504; garnett 0115");
    play("pick crawford");
    assert_offers_not("to 1902");
    assert_offers_not("to 1801");
    assert_offers("to 1802");
    assert_offers("to 1701");
}

RULE(test_2_1_enemies_are_never_entered_or_crossed) {
    at("turn: 6; half: union", "crawford 1901; banks 1504; williams 1505; garnett 1902 routed; early 1801 routed");
    assert_offers_not("pick crawford");
    assert_offers("pick banks");
}

RULE(test_2_1_any_number_of_leaders_with_a_unit) {
    at("turn: 6; half: union", "crawford 0415; banks 0514; williams 0614; augur 0615; garnett 1515");
    play("pick banks; to 0415; done; pick williams; to 0415; done; pick augur; to 0415; done");
    assert_hex("banks", "0415");
    assert_hex("williams", "0415");
    assert_hex("augur", "0415");
}

RULE(test_2_1_and_ruling_2_only_the_end_of_a_move_counts) {
    /* Crawford leaves, Gordon takes the place. */
    at("turn: 6; half: union", "crawford 0415; gordon 0515; banks 0415; garnett 1515");
    play("pick crawford; to 0514; done; pick gordon");
    assert_offers("to 0415");
    assert_offers_not("to 0514");
}

RULE(test_2_2_a_zone_is_the_six_hexes_around_and_stops_movement) {
    at("turn: 6; half: union", "crawford 0415; banks 0415; garnett 0815");
    play("pick crawford");
    /* All six hexes of the zone: 0814, 0915, 0916, 0816, 0716, 0715. The last three are too far, or behind the zone. */
    assert_choices("to", FROM_0415 "0715 0716 0814 0915");
    play("to 0715");
    assert_decision("pick");
    assert_hex("crawford", "0715");
    assert_offers_not("pick crawford");
}

RULE(test_2_2_and_ruling_1_no_zone_in_the_pond_and_none_enters_it) {
    at("turn: 6; half: union", "crawford 1313; banks 1313; garnett 0115");
    play("pick crawford");
    assert_offers_not("to 1414");
    assert_offers("to 1415");
}

RULE(test_2_2_costs_one_more_to_leave_a_zone) {
    /* From 0715 in the open every hex costs 1, with enemies near; Crawford has 6 MP and pays 1 for the zone. */
    at("turn: 6; half: union", "crawford 0715; banks 0715; garnett 0815");
    play("pick crawford");
    assert_choices("to", "0211 0311 0312 0313 0315 0316 0317 0411 0412 0413 0414 0415 0416 0417 0418 0511 0513 0514 0515 "
                         "0516 0517 0518 0612 0613 0614 0615 0616 0617 0712 0713 0714 0717 0812 0813 0913 0914 1012 1013 "
                         "1014 1015 1115");
    /* Without a zone of Garnett's the same move reaches a hex more. */
    at("turn: 6; half: union", "crawford 0715; banks 0715; garnett 0815 routed");
    play("pick crawford");
    assert_offers("to 1012");
    assert_offers("to 0314");
}

RULE(test_2_2_from_zone_to_zone_of_another_unit) {
    at("turn: 6; half: union", "crawford 0715; banks 0715; garnett 0815; early 0713");
    play("pick crawford");
    assert_offers("to 0714"); /* Early's zone only */
    assert_offers_not("to 0716"); /* Garnett's again */
    assert_offers_not("to 0814"); /* both */
    play("to 0714");
    assert_decision("pick");
    assert_offers_not("pick crawford");
}

RULE(test_2_2_routed_units_hold_only_their_own_hex) {
    at("turn: 6; half: union", "crawford 0415; banks 0415; garnett 0815 routed");
    play("pick crawford");
    assert_choices("to", FROM_0415 "0715 0716 0814 0816 0915 0916 0917 1015");
}

RULE(test_ruling_3_limbered_guns_and_mounted_cavalry_have_zones) {
    /* Garnett out of command may enter no zone, so a hex he may not enter shows one. */
    const char *const with_zone[] = {"crawford 0815", "bayard 0815", "bayard 0815 dismounted", "reserve-1 0815",
                                     "reserve-1 0815 unlimbered", "crawford 0815 1"};
    for (size_t i = 0; i < sizeof with_zone / sizeof *with_zone; i++) {
        char pieces[128];
        strcpy(pieces, "garnett 0415; early 0515; ");
        strcat(pieces, with_zone[i]);
        at("turn: 6; half: confederate", pieces);
        play("pick garnett");
        assert_offers_not("to 0715");
        assert_offers_not("to 0716");
    }
    at("turn: 6; half: confederate", "garnett 0415; early 0515; crawford 0815 routed");
    play("pick garnett");
    assert_offers("to 0715");
}

RULE(test_2_1_a_leader_shut_in_by_an_enemy_leader_is_not_picked) {
    /* Two hexes touch 0101: Geary, without a zone, holds one; alone in the other is Banks, or nobody. */
    at("turn: 6; half: confederate", "garnett 1515; jackson 0101; geary 0201 routed; banks 0102; crawford 1901");
    assert_offers("pick garnett");
    assert_offers_not("pick jackson");
    at("turn: 6; half: confederate", "garnett 1515; jackson 0101; geary 0201 routed; banks 1901; crawford 1901");
    assert_offers("pick jackson");
    /* The other way round. */
    at("turn: 6; half: union", "crawford 1515; banks 0101; garnett 0201 routed; jackson 0102; thomas 1901");
    assert_offers("pick crawford");
    assert_offers_not("pick banks");
}

RULE(test_ruling_3_leaders_have_no_zone) {
    at("turn: 6; half: confederate", "garnett 0415; early 0515; banks 0815; crawford 1515");
    play("pick garnett");
    assert_offers("to 0715");
}

RULE(test_2_3_a_unit_at_0_is_gone) {
    at("turn: 6; half: union; phase: offence", "crawford 0514; banks 0514; garnett 0515 1; early 1515");
    attack("0515", "crawford");
    play("roll 10"); /* 15-19: 2R */
    assert_hex("garnett", NULL);
    assert_strength("garnett", 0);
    assert_score(1);
}

RULE(test_2_4_and_ruling_5_shattered_units_enter_no_zone_and_have_no_column_bonus) {
    at("turn: 6; half: union", "crawford 0415 8; banks 0415; garnett 0815"); /* back side: 8 */
    play("pick crawford");
    assert_choices("to", "0111 0112 0113 0114 0115 0116 0117 0210 0211 0212 0213 0214 0215 0216 0217 0310 0311 0312 0313 "
                         "0314 0315 0316 0317 0318 0319 0410 0411 0412 0413 0414 0416 0417 0418 0419 0420 0511 0512 0513 "
                         "0514 0515 0516 0517 0518 0519 0520 0612 0613 0614 0615 0616 0617 0618 0619 0620 0712 0713 0714 "
                         "0717 0718 0719 0720 0812 0813 0817 0818 0913 0914 1014");
    at("turn: 6; half: union", "crawford 0415 9; banks 0415; garnett 0815"); /* one more: not shattered */
    play("pick crawford");
    assert_choices("to", FROM_0415 "0715 0716 0814 0915");
}

RULE(test_2_4_and_3_3_2_back_sides_are_about_half) {
    /* 3.3.2: Garnett (Green) 10/6, Stonewall (Gold) 12/5, Early (Black) 14/7. */
    static const struct { const char *name; int back; } units[] = {{"garnett", 6}, {"stonewall", 5}, {"early", 7}};
    for (int i = 0; i < 3; i++)
        for (int more = 0; more < 2; more++) {
            char pieces[128];
            snprintf(pieces, sizeof pieces, "%s 0415 %d; jackson 0415; crawford 0815", units[i].name, units[i].back + more);
            at("turn: 6; half: confederate", pieces);
            char text[64];
            snprintf(text, sizeof text, "pick %s", units[i].name);
            play(text);
            if (more) assert_offers("to 0715");
            else assert_offers_not("to 0715");
        }
}

RULE(test_2_4_shattered_units_may_stay_in_a_zone_and_fire) {
    at("turn: 6; half: union", "crawford 0715 8; banks 0715; garnett 0815");
    play("end movement");
    assert_to_move(LR_CONFEDERATE); /* defensive fire */
    assert_decision("target");
    play("end fire");
    assert_to_move(LR_UNION);
    assert_legal("target 0815; end fire");
    at("turn: 6; half: confederate; phase: defence", "crawford 0715 8; garnett 0815");
    assert_legal("target 0815; end fire");
}

RULE(test_2_4_and_3_3_2_guns_are_never_shattered) {
    at("turn: 6; half: confederate", "andrews 0415 1; jackson 0415; crawford 0815");
    play("pick andrews");
    assert_offers("to 0715");
    assert_offers("to 0115"); /* the column bonus */
}

RULE(test_3_3_3_independent_units_are_always_in_command) {
    at("turn: 6; half: union", "bayard 0415; gordon 0315; garnett 0815");
    assert_in_command("bayard", true);
    assert_in_command("gordon", false);
    play("pick bayard");
    assert_offers("to 0715");
}

RULE(test_2_7_leaders_are_not_combat_units) {
    /* A leader holds no hex against the enemy, fires at nobody and is not counted as a unit on a star (13). */
    at("turn: 6; half: union; phase: artillery", "banks 0708; reserve-1 0710 unlimbered; garnett 0711");
    assert_legal("target 0711; end fire");
    attack("0711", "");
    play("roll 1");
    at("turn: 9; half: confederate", "banks 0708; garnett 0905; jackson 1005");
    play("end movement");
    assert_decision("over");
    assert_score(0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_2_1_one_combat_unit_in_a_hex),
        TEST(test_2_1_friends_may_be_moved_through),
        TEST(test_2_1_enemies_are_never_entered_or_crossed),
        TEST(test_2_1_any_number_of_leaders_with_a_unit),
        TEST(test_2_1_and_ruling_2_only_the_end_of_a_move_counts),
        TEST(test_2_2_a_zone_is_the_six_hexes_around_and_stops_movement),
        TEST(test_2_2_and_ruling_1_no_zone_in_the_pond_and_none_enters_it),
        TEST(test_2_2_costs_one_more_to_leave_a_zone),
        TEST(test_2_2_from_zone_to_zone_of_another_unit),
        TEST(test_2_2_routed_units_hold_only_their_own_hex),
        TEST(test_ruling_3_limbered_guns_and_mounted_cavalry_have_zones),
        TEST(test_2_1_a_leader_shut_in_by_an_enemy_leader_is_not_picked),
        TEST(test_ruling_3_leaders_have_no_zone),
        TEST(test_2_3_a_unit_at_0_is_gone),
        TEST(test_2_4_and_ruling_5_shattered_units_enter_no_zone_and_have_no_column_bonus),
        TEST(test_2_4_and_3_3_2_back_sides_are_about_half),
        TEST(test_2_4_shattered_units_may_stay_in_a_zone_and_fire),
        TEST(test_2_4_and_3_3_2_guns_are_never_shattered),
        TEST(test_3_3_3_independent_units_are_always_in_command),
        TEST(test_2_7_leaders_are_not_combat_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
