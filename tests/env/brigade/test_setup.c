/* Rulebook chapter 12, 14.1.2, 14.2.1 and rulings 45, 54: what is chosen before the first turn. */
#include "position.h"

/* Answers formations with these texts until leaders are asked for. */
static void formations(const char *gun, const char *cavalry) {
    while (!strcmp(lr_decision(game(), state()), "formation")) {
        if (offered(gun)) play(gun);
        else play(cavalry);
    }
}

RULE(test_12_and_14_2_1_units_stand_on_their_hexes) {
    static const char *const where[][2] = {
        {"bayard", "0904"}, {"gordon", "0905"}, {"crawford", "1005"}, {"reserve-6", "1006"}, {"reserve-5", "1107"}, {"reserve-4", "1108"},
        {"reserve-3", "1208"}, {"reserve-2", "1309"}, {"reserve-1", "1409"}, {"geary", "1206"}, {"prince", "1308"}, {"greene", "1510"},
        {"stonewall", "0505"}, {"garnett", "0607"}, {"andrews", "0708"}, {"taliaferro", "0709"}, {"walker", "0809"}, {"early", "0810"},
        {"courtney", "0911"}, {"dement", "0912"}, {"thomas", "1012"}, {"trimble", "1418"}, {"terry", "1318"}, {"latimer", "1218"},
        {"forno", "1119"}, {"branch", NULL}, {"pender", NULL}, {"archer", NULL}, {"a-p-hill", NULL}, {"banks", NULL}, {"duryee", NULL},
    };
    begin();
    for (size_t i = 0; i < sizeof where / sizeof *where; i++) assert_hex(where[i][0], where[i][1]);
}

RULE(test_3_3_strengths_are_the_rosters) {
    static const struct { const char *name; int strength; } roster[] = {
        {"crawford", 17}, {"gordon", 13}, {"geary", 11}, {"prince", 14}, {"greene", 5}, {"bayard", 8}, {"reserve-1", 3}, {"reserve-2", 3},
        {"reserve-3", 3}, {"reserve-4", 3}, {"reserve-5", 4}, {"reserve-6", 3}, {"stonewall", 12}, {"garnett", 10}, {"taliaferro", 13},
        {"andrews", 5}, {"early", 14}, {"courtney", 3}, {"dement", 2}, {"trimble", 12}, {"forno", 13}, {"latimer", 2}, {"terry", 2},
        {"thomas", 15}, {"walker", 4}, {"branch", 17}, {"pender", 13}, {"archer", 12}};
    begin();
    for (size_t i = 0; i < sizeof roster / sizeof *roster; i++) assert_strength(roster[i].name, roster[i].strength);
}

RULE(test_ruling_54_union_formations_first_in_row_order) {
    begin();
    assert_to_move(LR_UNION);
    assert_decision("formation");
    static const char *const order[] = {"bayard", "reserve-1", "reserve-2", "reserve-3", "reserve-4", "reserve-5", "reserve-6"};
    for (int i = 0; i < 7; i++) {
        assert_int_equal(inside()->subject, row_of(order[i]));
        if (i) assert_legal("limbered; unlimbered");
        else assert_legal("mounted; dismounted");
        play(i == 0 ? "dismounted" : i % 2 ? "unlimbered" : "limbered");
    }
    assert_dismounted("bayard", true);
    assert_unlimbered("reserve-1", true);
    assert_unlimbered("reserve-2", false);
    assert_decision("leader");
    assert_to_move(LR_UNION);
}

RULE(test_14_1_2_and_ruling_45_leaders_with_or_next_to_a_unit_of_their_command) {
    begin();
    formations("limbered", "mounted");
    /* Banks commands all; Williams Crawford (1005) and Gordon (0905); Augur Geary, Prince, Greene. */
    assert_int_equal(inside()->subject, row_of("banks"));
    assert_offers("place 1409"); /* with Reserve 1: guns go by organisation */
    assert_offers("place 0903"); /* next to Bayard */
    assert_offers("place 1510");
    assert_offers_not("place 1701");
    play("place 1006");
    assert_int_equal(inside()->subject, row_of("williams"));
    assert_choices("place", "0905 1005 0904 0906 1004 0804 0805 1105 1106 1006");
    play("place 1005");
    assert_int_equal(inside()->subject, row_of("augur"));
    assert_choices("place", "1206 1308 1510 1205 1207 1306 1307 1106 1107 1309 1208 1408 1407 1509 1511 1609 1610 1409 1410");
    play("place 1308");
    assert_to_move(LR_CONFEDERATE);
    assert_decision("formation");
}

RULE(test_ruling_54_then_the_confederates) {
    begin();
    formations("unlimbered", "mounted");
    play("place 1006; place 1005; place 1308");
    static const char *const order[] = {"andrews", "courtney", "dement", "latimer", "terry", "walker"};
    for (int i = 0; i < 6; i++) {
        assert_int_equal(inside()->subject, row_of(order[i]));
        assert_legal("limbered; unlimbered");
        play("unlimbered");
    }
    assert_int_equal(inside()->subject, row_of("jackson"));
    play("place 0708");
    assert_int_equal(inside()->subject, row_of("winder"));
    /* Stonewall 0505, Garnett 0607, Taliaferro 0709, Andrews 0708. */
    assert_offers("place 0505");
    assert_offers("place 0404");
    assert_offers("place 0807"); /* next to Andrews, and in no enemy zone */
    assert_offers_not("place 0810");
    play("place 0607");
    assert_int_equal(inside()->subject, row_of("ewell"));
}

RULE(test_ruling_45_ewell_with_the_frozen_four) {
    begin();
    formations("unlimbered", "mounted");
    play("place 1006; place 1005; place 1308");
    formations("unlimbered", "mounted");
    play("place 0708; place 0607");
    /* Trimble 1418, Latimer 1218, Terry 1318, Forno 1119; not Early 0810, Courtney 0911, Dement 0912. */
    assert_choices("place", "1418 1218 1318 1119 1417 1419 1317 1319 1217 1219 1518 1519 1118 1120 1018 1019");
    play("place 1318");
    assert_decision("target"); /* turn 3 begins with the Union's guns */
    assert_to_move(LR_UNION);
    assert_int_equal(turn(), 3);
}

RULE(test_14_2_1_nobody_else_is_asked) {
    begin();
    formations("limbered", "mounted");
    play("place 1006; place 1005; place 1308");
    formations("limbered", "mounted");
    play("place 0708; place 0607; place 1318"); /* no gun can fire: turn 4 with the Union's movement */
    assert_int_equal(turn(), 4);
    assert_decision("pick");
    assert_to_move(LR_UNION);
}

RULE(test_14_3_1_the_free_scenario_has_no_set_up) {
    scenario(FREE);
    begin();
    assert_decision("pick");
    assert_to_move(LR_UNION);
    assert_int_equal(turn(), 1);
    assert_int_equal(inside()->on_map, 0);
}

RULE(test_3_3_1_infantry_cavalry_artillery_leaders) {
    static const struct { const char *name; enum brigade_type type; } types[] = {
        {"crawford", INFANTRY}, {"bayard", CAVALRY}, {"reserve-1", ARTILLERY}, {"banks", LEADER}, {"williams", LEADER},
        {"garnett", INFANTRY}, {"walker", ARTILLERY}, {"andrews", ARTILLERY}, {"jackson", LEADER}, {"a-p-hill", LEADER}};
    const struct brigade *b = game()->rules;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) assert_int_equal(b->piece[row_of(types[i].name)].type, types[i].type);
}

RULE(test_14_1_2_guns_and_cavalry_begin_as_their_owner_chooses) {
    static const char *const guns[] = {"reserve-1", "reserve-2", "reserve-3", "reserve-4", "reserve-5", "reserve-6",
                                       "andrews", "courtney", "dement", "latimer", "terry", "walker"};
    for (int choice = 0; choice < 2; choice++) {
        begin();
        formations(choice ? "unlimbered" : "limbered", choice ? "dismounted" : "mounted");
        play("place 1006; place 1005; place 1308");
        formations(choice ? "unlimbered" : "limbered", "mounted");
        for (size_t i = 0; i < sizeof guns / sizeof *guns; i++) assert_unlimbered(guns[i], choice);
        assert_dismounted("bayard", choice);
    }
}

RULE(test_14_1_2_and_ruling_45_winder_and_jackson) {
    begin();
    formations("limbered", "mounted");
    play("place 1006; place 1005; place 1308");
    formations("limbered", "mounted");
    assert_int_equal(inside()->subject, row_of("jackson"));
    assert_offers("place 1012"); /* with Thomas, of Hill's division: all are his */
    assert_offers("place 1118"); /* next to Forno */
    assert_offers("place 0808"); /* next to Taliaferro */
    assert_offers_not("place 0115"); /* with nobody */
    assert_offers_not("place 1005"); /* Crawford's */
    play("place 0708");
    /* With or next to Stonewall 0505, Garnett 0607, Andrews 0708, Taliaferro 0709. */
    assert_int_equal(inside()->subject, row_of("winder"));
    assert_choices("place", "0505 0504 0506 0604 0605 0404 0405 0607 0606 0608 0707 0708 0507 0508 0709 0710 0808 0809 0609 0807");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_12_and_14_2_1_units_stand_on_their_hexes),
        TEST(test_3_3_strengths_are_the_rosters),
        TEST(test_ruling_54_union_formations_first_in_row_order),
        TEST(test_14_1_2_and_ruling_45_leaders_with_or_next_to_a_unit_of_their_command),
        TEST(test_ruling_54_then_the_confederates),
        TEST(test_ruling_45_ewell_with_the_frozen_four),
        TEST(test_14_2_1_nobody_else_is_asked),
        TEST(test_14_3_1_the_free_scenario_has_no_set_up),
        TEST(test_3_3_1_infantry_cavalry_artillery_leaders),
        TEST(test_14_1_2_guns_and_cavalry_begin_as_their_owner_chooses),
        TEST(test_14_1_2_and_ruling_45_winder_and_jackson),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
