/* Rulebook 8.5, 14.2.1, 14.2.3, 14.3, 14.4 and rulings 22 to 25, 53: who comes when, where and how; who may not move yet. */
#include "position.h"

static void roll(int face) {
    char text[32];
    snprintf(text, sizeof text, "roll %d", face);
    play(text);
}

/* ---- historical (14.2.1) ---- */

#define TURN(n) "turn: " #n "; half: confederate"
#define VAN "; reserve: [Branch, A.P. Hill]"
#define ALL "; reserve: [Branch, A.P. Hill, Pender, Archer]"

RULE(test_14_2_1_branch_and_hill_on_turn_5) {
    at(TURN(4), "garnett 1515; jackson 1515; crawford 1901");
    assert_offers_not("pick branch");
    at(TURN(5) VAN, "garnett 1515; jackson 1515; crawford 1901");
    assert_offers("pick branch");
    assert_offers("pick a-p-hill");
    assert_offers_not("pick pender");
    assert_offers_not("pick archer");
}

RULE(test_14_2_1_pender_and_archer_on_turn_6) {
    at(TURN(6) ALL, "garnett 1515; jackson 1515; crawford 1901");
    assert_legal("pick garnett; pick jackson; pick branch; pick pender; pick archer; pick a-p-hill; end movement");
}

RULE(test_ruling_23_they_may_wait_as_long_as_they_like) {
    at(TURN(8) ALL, "garnett 1515; jackson 1515; crawford 1901");
    assert_offers("pick branch");
    assert_offers("pick archer");
    assert_offers("end movement");
}

RULE(test_14_2_1_entry_by_0115) {
    at(TURN(6) ALL, "garnett 1515; jackson 1515; crawford 1901");
    play("pick branch");
    assert_hex("branch", "0115"); /* one hex to enter by: not asked */
    assert_decision("move");
    assert_strength("branch", 17);
}

RULE(test_ruling_22_entry_costs_as_along_the_road) {
    at(TURN(6) ALL, "garnett 1515; jackson 1515; crawford 1901");
    play("pick branch");
    assert_int_equal(inside()->spent, 1); /* in column */
    assert_offers("done");
    at(TURN(6) ALL, "garnett 1515; jackson 1515; crawford 0515"); /* an enemy within 4 */
    play("pick branch");
    assert_int_equal(inside()->spent, 2);
    at(TURN(6) ALL, "garnett 1515; jackson 1515; crawford 0615"); /* 5 away */
    play("pick branch");
    assert_int_equal(inside()->spent, 1);
}

RULE(test_8_5_no_penalty_for_the_same_hex) {
    at(TURN(6) ALL, "garnett 1515; jackson 1515; crawford 1901");
    play("pick branch; to 0214; done; pick pender");
    assert_int_equal(inside()->spent, 1);
    play("to 0313; done; pick archer");
    assert_int_equal(inside()->spent, 1);
}

RULE(test_8_5_and_ruling_7_in_command_the_turn_they_enter) {
    at(TURN(6) ALL, "garnett 1515; crawford 0515; gordon 1901");
    play("pick branch");
    assert_in_command("branch", true);
    assert_offers("to 0414"); /* into Crawford's zone, with no leader on the map */
}

RULE(test_8_5_guns_limbered_cavalry_as_it_likes) {
    scenario(FREE);
    begin();
    play("pick reserve-1");
    assert_unlimbered("reserve-1", false);
    begin();
    play("pick bayard");
    assert_decision("enter");
    assert_legal("mounted; dismounted");
    keep(0);
    play("dismounted");
    assert_dismounted("bayard", true);
    assert_hex("bayard", "1701");
    back(0);
    play("mounted");
    assert_dismounted("bayard", false);
}

RULE(test_8_5_and_ruling_22_blocked_by_a_unit_or_its_zone) {
    /* Crawford on the entry hex; his zone is 0114, 0116, 0214, 0215. The next edge hexes are 0113 and 0117. */
    at(TURN(6) ALL, "garnett 1515; jackson 1515; crawford 0115");
    play("pick branch");
    assert_decision("enter");
    assert_legal("enter 0113; enter 0117");
    /* Routed, he has no zone: 0114 and 0116. */
    at(TURN(6) ALL, "garnett 1515; jackson 1515; crawford 0115 routed");
    play("pick branch");
    assert_legal("enter 0114; enter 0116");
    play("enter 0116");
    assert_hex("branch", "0116");
    /* Next to it, at 0214: his zone covers 0115 and 0114, not 0116. */
    at(TURN(6) ALL, "garnett 1515; jackson 1515; crawford 0214");
    play("pick branch");
    assert_hex("branch", "0116");
}

RULE(test_precision_15_a_friend_on_the_entry_hex) {
    at(TURN(6) ALL, "garnett 0115; jackson 1515; crawford 1901");
    play("pick branch");
    assert_hex("branch", "0115"); /* for the moment */
    assert_decision("move");
    assert_offers_not("done");
    play("to 0214");
    assert_offers("done");
}

RULE(test_precision_15_not_by_a_friend_with_no_way_on) {
    /* Routed enemies, who have no zones, stand on the entry hex and on all other hexes next to 0114. */
    const char *around = "crawford 0115 routed; geary 0113 routed; prince 0213 routed; greene 0214 routed";
    char pieces[256];
    snprintf(pieces, sizeof pieces, "garnett 1515; jackson 1515; %s", around);
    at(TURN(6) ALL, pieces);
    play("pick branch");
    assert_legal("enter 0114; enter 0116");
    snprintf(pieces, sizeof pieces, "garnett 0114; jackson 1515; %s", around);
    at(TURN(6) ALL, pieces);
    play("pick branch");
    assert_hex("branch", "0116");
    assert_decision("move");
}

RULE(test_precision_15_leaders_may_stop_with_a_friend) {
    at(TURN(6) ALL, "garnett 0115; jackson 1515; crawford 1901");
    play("pick a-p-hill");
    assert_hex("a-p-hill", "0115");
    assert_offers("done");
}

RULE(test_precision_15_an_enemy_leader_alone_blocks_leaders_only) {
    at(TURN(6) ALL, "garnett 1515; jackson 1515; banks 0115; crawford 1901");
    keep(0);
    play("pick a-p-hill");
    assert_legal("enter 0114; enter 0116");
    back(0);
    play("pick branch");
    assert_hex("branch", "0115");
    assert_hex("banks", "1901"); /* driven off */
}

RULE(test_8_5_full_movement_in_column) {
    /* 5.5 MP are left after the entry: */
    at(TURN(6) ALL, "garnett 1515; jackson 1515; crawford 1901");
    play("pick branch");
    assert_choices("to",
                         "0110 0111 0112 0113 0114 0116 0117 0118 0209 0210 0211 0212 0213 0214 0215 0216 0217 0218 0310 0311 "
                         "0312 0313 0314 0315 0316 0317 0318 0410 0411 0412 0413 0414 0415 0416 0417 0418 0419 0420 0510 0511 "
                         "0512 0513 0514 0515 0516 0517 0518 0519 0520 0612 0613 0614 0615 0616 0617 0618 0619 0620 0712 0713 "
                         "0714 0715 0716 0718 0719 0720 0812 0813 0814 0815 0817 0818 0819 0820 0913 0914 0915 0916 0917 1014 "
                         "1015 ");
}

/* ---- the frozen (14.2.3) ---- */

RULE(test_14_2_3_and_ruling_25_ewells_five_may_not_move_before_turn_7) {
    at(TURN(6), "trimble 1418; forno 1119; latimer 1218 unlimbered; terry 1318; ewell 1418; early 0810; jackson 0810; crawford 1901");
    assert_offers_not("pick trimble");
    assert_offers_not("pick forno");
    assert_offers_not("pick ewell");
    assert_offers("pick early");
    keep(0);
    play("pick latimer"); /* limbers, and may unlimber again, no more */
    assert_unlimbered("latimer", false);
    assert_legal("unlimber; done");
    back(0);
    play("pick terry");
    assert_unlimbered("terry", true);
    at(TURN(7), "trimble 1418; forno 1119; latimer 1218 unlimbered; terry 1318; ewell 1418; early 0810; jackson 0810; crawford 1901");
    assert_offers("pick trimble");
    assert_offers("pick forno");
    assert_offers("pick ewell");
    play("pick trimble");
    assert_offers("to 1417");
}

RULE(test_ruling_25_the_frozen_fire_retreat_and_rally) {
    at(TURN(6) "; phase: artillery", "latimer 1218 unlimbered; early 0101; jackson 0101; crawford 1216");
    assert_offers("target 1216");
    at("turn: 6; half: union; phase: offence", "crawford 1417; trimble 1418; early 0101; gordon 1901");
    attack("1418", "crawford");
    play("roll 5; roll 10"); /* higher ground: 4: M */
    go_back();
    assert_routed("trimble", true);
    assert_int_not_equal(inside()->cell[row_of("trimble")], brigade_cell(game()->rules, "1418"));
    at(TURN(6), "trimble 1418 routed; ewell 1418; early 0101; jackson 0101; crawford 1901");
    assert_offers_not("pick trimble"); /* ruling 21 */
    play("end movement");
    assert_decision("rally");
}

/* ---- free (14.3) ---- */

RULE(test_14_3_1_union_on_turn_1) {
    scenario(FREE);
    begin();
    assert_int_equal(turn(), 1);
    assert_choices("pick", "crawford gordon geary prince greene bayard reserve-1 reserve-2 reserve-3 reserve-4 reserve-5 reserve-6 "
                           "banks williams augur");
    play("pick crawford");
    assert_hex("crawford", "1701");
    /* 4 MP: 3.5 left. */
    assert_choices("to", "1303 1304 1401 1402 1403 1501 1502 1503 1504 1505 1601 1602 1604 1702 1801 1802 1901 1902");
}

RULE(test_ruling_23_four_MP_for_leaders_and_cavalry_too) {
    scenario(FREE);
    begin();
    keep(0);
    play("pick banks");
    assert_choices("to", "1303 1304 1401 1402 1403 1501 1502 1503 1504 1505 1601 1602 1604 1702 1801 1802 1901 1902");
    back(0);
    play("pick bayard; mounted");
    assert_offers("to 1403");
    assert_offers_not("to 1205");
}

RULE(test_14_3_1_and_ruling_24_confederates_on_turn_1_at_full_speed) {
    scenario(FREE);
    begin();
    play("end movement");
    assert_to_move(LR_CONFEDERATE);
    assert_choices("pick", "stonewall garnett taliaferro andrews early courtney dement thomas walker jackson winder");
    play("pick early");
    assert_hex("early", "0115");
    assert_choices("to",
                         "0110 0111 0112 0113 0114 0116 0117 0118 0209 0210 0211 0212 0213 0214 0215 0216 0217 0218 0310 0311 "
                         "0312 0313 0314 0315 0316 0317 0318 0410 0411 0412 0413 0414 0415 0416 0417 0418 0419 0420 0510 0511 "
                         "0512 0513 0514 0515 0516 0517 0518 0519 0520 0612 0613 0614 0615 0616 0617 0618 0619 0620 0712 0713 "
                         "0714 0715 0716 0718 0719 0720 0812 0813 0814 0815 0817 0818 0819 0820 0913 0914 0915 0916 0917 1014 "
                         "1015 ");
}

RULE(test_14_3_1_and_ruling_23_turn_1_may_hold_back_turn_2_may_not) {
    scenario(FREE);
    at("turn: 1; half: union; reserve: [Gordon, Banks]", "crawford 1505; garnett 0115");
    assert_offers("end movement");
    at("turn: 2; half: union; reserve: [Gordon, Banks]", "crawford 1505; garnett 0115");
    assert_offers_not("end movement");
    play("pick gordon; to 1601; done");
    assert_offers_not("end movement"); /* Banks too */
    play("pick banks; done");
    assert_offers("end movement");
}

RULE(test_ruling_23_turn_2_is_at_full_speed) {
    scenario(FREE);
    at("turn: 2; half: union; reserve: [Gordon]", "crawford 1901; garnett 0115; banks 1901");
    play("pick gordon");
    assert_offers("to 1205"); /* 5.5 MP left */
    at("turn: 1; half: union; reserve: [Gordon]", "crawford 1505; garnett 0115; banks 1505");
    play("pick crawford"); /* on the map already: 4 MP as well */
    assert_offers_not("to 1515");
}

RULE(test_14_3_2_ewell_on_turn_7_by_0920) {
    scenario(FREE);
    const char *const rest = "; reserve: [Ewell, Trimble, Latimer, Terry, Forno]; arrival: [{group: Hill, turn: 5}]";
    char keys[160];
    snprintf(keys, sizeof keys, TURN(6) "%s", rest);
    at(keys, "garnett 0115; jackson 0115; crawford 1901");
    assert_offers_not("pick trimble");
    snprintf(keys, sizeof keys, TURN(7) "%s", rest);
    at(keys, "garnett 0115; jackson 0115; crawford 1901");
    assert_legal("pick garnett; pick jackson; pick trimble; pick forno; pick latimer; pick terry; pick ewell; end movement");
    play("pick trimble");
    assert_hex("trimble", "0920");
    assert_offers("to 0918"); /* not frozen */
}

RULE(test_14_3_2_and_ruling_24_hills_die) {
    scenario(FREE);
    for (int face = 1; face <= 10; face++) {
        const int due = face <= 3 ? 4 : face <= 9 ? 5 : 6;
        at("turn: 4; half: union; reserve: [Branch, Pender, Archer, A.P. Hill]", "crawford 1901; banks 1901; garnett 0620; jackson 0620");
        play("end movement");
        assert_decision("arrival"); /* at the start of the Confederate half (ruling 24) */
        assert_int_equal(inside()->side, LR_CONFEDERATE);
        roll(face);
        assert_int_equal(turn(), 4);
        for (int t = 4; t <= 6; t++) {
            if (t > 4) wait_for_side("pick", LR_UNION), play("end movement"), wait_for_side("pick", LR_CONFEDERATE);
            assert_int_equal(turn(), t);
            if (t >= due) {
                assert_offers("pick branch");
                assert_offers("pick pender");
                assert_offers("pick archer");
                assert_offers("pick a-p-hill");
            } else
                assert_offers_not("pick branch");
            if (t < 6) play("end movement");
        }
    }
}

RULE(test_14_3_2_hill_enters_by_0115) {
    scenario(FREE);
    at(TURN(5) "; reserve: [Branch]; arrival: [{group: Hill, turn: 5}]", "garnett 1515; jackson 1515; crawford 1901");
    play("pick branch");
    assert_hex("branch", "0115");
}

/* ---- Pope to the rescue (14.4) ---- */

#define RICKETTS "; reserve: [Ricketts, Duryee, Tower, Hartsuff, Carroll]"

RULE(test_14_4_and_ruling_53_the_die_of_every_turn) {
    scenario(HISTORICAL_POPE);
    for (int t = 4; t <= 9; t++)
        for (int face = 1; face <= 10; face++) {
            const bool comes = face - 2 < t;
            char keys[160];
            snprintf(keys, sizeof keys, "turn: %d; half: confederate" RICKETTS, t - 1);
            if (t == 4) { /* turn 3 has no movement */
                begin();
                while (turn() < 4) {
                    uint16_t legal[LR_MAX_ACTIONS];
                    lr_legal(game(), state(), legal);
                    if (!strcmp(lr_decision(game(), state()), "arrival")) break;
                    if (offered("end fire")) play("end fire");
                    else lr_apply_legal(game(), state(), legal[0]);
                }
            } else {
                at(keys, "crawford 1901; banks 1901; garnett 0101; jackson 0101");
                play("end movement");
            }
            assert_decision("arrival");
            assert_int_equal(turn(), t);
            roll(face);
            assert_score(comes && t <= 7 ? -4 : 0);
            wait_for_side("pick", LR_UNION);
            if (offered("pick duryee") != comes) fail_msg("turn %d, die %d: Ricketts should%s come", t, face, comes ? "" : " not");
            if (comes) {
                assert_offers("pick ricketts");
                assert_offers("pick tower");
                assert_offers("pick hartsuff");
                assert_offers("pick carroll");
                play("pick duryee");
                assert_hex("duryee", "1701");
            }
        }
}

RULE(test_14_4_and_ruling_53_no_die_after_he_has_come) {
    scenario(HISTORICAL_POPE);
    at("turn: 5; half: confederate; reserve: [Ricketts]; arrival: [{group: Ricketts, turn: 5}]",
       "crawford 1901; banks 1901; garnett 0101; jackson 0101");
    play("end movement");
    assert_to_move(LR_UNION);
    assert_decision("pick");
    assert_offers("pick ricketts");
    assert_score(0); /* paid once, when he came */
}

RULE(test_14_4_only_in_the_variant) {
    at("turn: 5; half: confederate", "crawford 1901; banks 1901; garnett 0101; jackson 0101");
    play("end movement");
    assert_decision("pick");
    scenario(FREE_POPE);
    at("turn: 5; half: confederate; arrival: [{group: Hill, turn: 4}]" RICKETTS, "crawford 1901; banks 1901; garnett 0101; jackson 0101");
    play("end movement");
    assert_decision("arrival");
}

RULE(test_14_4_column_movement_is_authorised) {
    scenario(HISTORICAL_POPE);
    at("turn: 6; half: union; arrival: [{group: Ricketts, turn: 6}]" RICKETTS, "crawford 1901; garnett 0101");
    play("pick duryee");
    assert_int_equal(inside()->spent, 1);
    assert_in_command("duryee", true);
    assert_offers("to 1205");
}

RULE(test_ruling_23_both_sides_come_on_turn_2_at_the_latest_and_no_others) {
    scenario(FREE);
    at("turn: 1; half: confederate; reserve: [Garnett]", "crawford 1505; early 0115");
    assert_offers("end movement");
    at("turn: 2; half: confederate; reserve: [Garnett]", "crawford 1505; early 0214");
    assert_offers_not("end movement");
    play("pick garnett; done");
    assert_offers("end movement");
    at("turn: 8; half: confederate; reserve: [Trimble, Branch]; arrival: [{group: Hill, turn: 5}]", "crawford 1505; early 0115");
    assert_offers("pick trimble");
    assert_offers("pick branch");
    assert_offers("end movement");
}

RULE(test_ruling_23_who_cannot_come_on_holds_nothing_up) {
    /* A friend on the entry hex and the three hexes around it held: no unit can pass. A leader can stop there. */
    scenario(FREE);
    at("turn: 2; half: union; reserve: [Gordon]",
       "crawford 1701; geary 1505; garnett 1702 routed; early 1801 routed; thomas 1601 routed");
    assert_offers_not("pick gordon");
    assert_offers("end movement");
    at("turn: 2; half: union; reserve: [Gordon, Banks]",
       "crawford 1701; geary 1505; garnett 1702 routed; early 1801 routed; thomas 1601 routed");
    assert_offers_not("pick gordon");
    assert_offers("pick banks");
    assert_offers_not("end movement");
}

RULE(test_ruling_23_guns_have_4_MP_on_turn_1) {
    /* By road at half a point a hex, 1701, 1601, 1502, 1503 (a level down: 1 more), 1403, 1304: 4 MP; 1305 is the next. */
    scenario(FREE);
    at("turn: 1; half: union; reserve: [Reserve 1]", "crawford 1901; banks 1901; garnett 0115");
    play("pick reserve-1");
    assert_offers("to 1304");
    assert_offers_not("to 1305");
    at("turn: 2; half: union; reserve: [Reserve 1]", "crawford 1901; banks 1901; garnett 0115");
    play("pick reserve-1");
    assert_offers("to 1305");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_14_2_1_branch_and_hill_on_turn_5),
        TEST(test_14_2_1_pender_and_archer_on_turn_6),
        TEST(test_ruling_23_they_may_wait_as_long_as_they_like),
        TEST(test_14_2_1_entry_by_0115),
        TEST(test_ruling_22_entry_costs_as_along_the_road),
        TEST(test_8_5_no_penalty_for_the_same_hex),
        TEST(test_8_5_and_ruling_7_in_command_the_turn_they_enter),
        TEST(test_8_5_guns_limbered_cavalry_as_it_likes),
        TEST(test_8_5_and_ruling_22_blocked_by_a_unit_or_its_zone),
        TEST(test_precision_15_a_friend_on_the_entry_hex),
        TEST(test_precision_15_not_by_a_friend_with_no_way_on),
        TEST(test_precision_15_leaders_may_stop_with_a_friend),
        TEST(test_precision_15_an_enemy_leader_alone_blocks_leaders_only),
        TEST(test_8_5_full_movement_in_column),
        TEST(test_14_2_3_and_ruling_25_ewells_five_may_not_move_before_turn_7),
        TEST(test_ruling_25_the_frozen_fire_retreat_and_rally),
        TEST(test_14_3_1_union_on_turn_1),
        TEST(test_ruling_23_four_MP_for_leaders_and_cavalry_too),
        TEST(test_14_3_1_and_ruling_24_confederates_on_turn_1_at_full_speed),
        TEST(test_14_3_1_and_ruling_23_turn_1_may_hold_back_turn_2_may_not),
        TEST(test_ruling_23_turn_2_is_at_full_speed),
        TEST(test_14_3_2_ewell_on_turn_7_by_0920),
        TEST(test_14_3_2_and_ruling_24_hills_die),
        TEST(test_14_3_2_hill_enters_by_0115),
        TEST(test_14_4_and_ruling_53_the_die_of_every_turn),
        TEST(test_14_4_and_ruling_53_no_die_after_he_has_come),
        TEST(test_14_4_only_in_the_variant),
        TEST(test_14_4_column_movement_is_authorised),
        TEST(test_ruling_23_both_sides_come_on_turn_2_at_the_latest_and_no_others),
        TEST(test_ruling_23_who_cannot_come_on_holds_nothing_up),
        TEST(test_ruling_23_guns_have_4_MP_on_turn_1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
