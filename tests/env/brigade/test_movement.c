/* Rulebook 8.1 to 8.4, 9.8.3 and rulings 4, 5, 16 to 21: movement, its costs, formations, zones, column movement.
 * The lists of hexes were computed from the maps and charts by a program that shares nothing with this one. */
#include "position.h"

#define E_CRAWFORD \
    "0704 0705 0706 0707 0803 0804 0805 0806 0807 0808 0902 0903 0904 0905 0906 0907 0908 0909 1001 1002 1003 " \
    "1004 1006 1007 1008 1009 1010 1101 1102 1103 1104 1105 1106 1107 1108 1109 1110 1201 1202 1203 1204 1205 " \
    "1206 1207 1208 1209 1210 1211 1301 1302 1303 1304 1305 1306 1307 1308 1309 1310 1311 1312 1403 1404 1405 " \
    "1406 1407 1408 1409 1410 1411 1502 1503 1504 1505 1506 1507 1508 1509 1510 1511 1601 1603 1604 1605 1606 " \
    "1607 1608 1609 1610 1611 1704 1705 1706 1707 1708 1709 1710 1804 1805 1806 1809 1904 1905 1906 "
#define C_BAYARD \
    "0504 0602 0603 0604 0605 0606 0701 0702 0703 0704 0705 0706 0707 0801 0802 0803 0804 0805 0806 0807 0808 " \
    "0809 0901 0902 0903 0905 0906 0907 0908 0909 0910 1001 1002 1003 1004 1005 1006 1007 1008 1009 1010 1101 " \
    "1102 1103 1104 1105 1106 1107 1108 1109 1110 1111 1112 1201 1202 1203 1204 1205 1206 1207 1208 1209 1210 " \
    "1211 1212 1301 1302 1303 1304 1305 1306 1307 1308 1309 1310 1311 1312 1313 1403 1404 1405 1406 1407 1408 " \
    "1409 1410 1411 1412 1502 1503 1504 1505 1506 1507 1508 1509 1510 1511 1512 1601 1604 1605 1606 1607 1608 " \
    "1609 1610 1611 1701 1704 1705 1706 1707 1708 1709 1710 1711 1804 1805 1806 1807 1808 1809 1810 1904 1905 " \
    "1906 1907 "
#define C_DISMOUNTED \
    "0504 0602 0603 0604 0605 0701 0702 0703 0704 0705 0706 0707 0801 0802 0803 0804 0805 0806 0807 0901 0902 " \
    "0903 0905 0906 0907 0908 1001 1002 1003 1004 1005 1006 1007 1101 1102 1103 1104 1105 1106 1107 1108 1201 " \
    "1202 1203 1204 1205 1206 1207 1208 1301 1302 1303 1304 1305 1306 1307 1308 1309 1403 1404 1405 1406 1407 " \
    "1408 1409 1503 1504 1505 1506 1507 1508 1509 1510 1604 1607 1609 "
#define D_GUN \
    "0704 0705 0706 0707 0804 0805 0806 0807 0808 0905 0906 0907 0908 0909 1002 1003 1004 1005 1007 1008 1009 " \
    "1010 1102 1103 1104 1105 1106 1107 1108 1109 1110 1111 1201 1202 1203 1204 1205 1206 1207 1208 1209 1210 " \
    "1301 1302 1303 1304 1305 1306 1307 1308 1309 1310 1311 1312 1403 1404 1405 1406 1407 1408 1409 1410 1411 " \
    "1503 1504 1505 1506 1507 1508 1509 1510 1511 1604 1605 1606 1607 1608 1609 1610 1611 1704 1705 1709 1710 " \
    "1809 "
#define F_SHELF \
    "0714 0715 0716 0813 0814 0815 0817 0913 0914 0915 0916 0917 0918 0919 0920 1014 1015 1016 1017 1018 1019 " \
    "1114 1115 1116 1117 1118 1119 1213 1214 1215 1216 1218 1219 1314 1315 1316 1317 1318 1319 1416 1417 1418 " \
    "1419 1516 1517 1518 1519 1615 1616 1617 1618 1716 1717 1718 "
#define H_LEADER \
    "0110 0111 0112 0113 0114 0115 0116 0117 0209 0210 0211 0212 0213 0214 0215 0216 0217 0310 0311 0312 0313 " \
    "0314 0315 0316 0317 0318 0319 0320 0410 0411 0412 0413 0414 0415 0416 0417 0418 0419 0420 0510 0511 0512 " \
    "0513 0514 0515 0516 0517 0518 0519 0520 0614 0615 0616 0617 0618 0619 0620 0717 0718 0719 0720 0817 0818 " \
    "0819 0820 0917 0918 "

#define UNION "turn: 6; half: union"
#define REBELS "turn: 6; half: confederate"

/* The piece moves to the hex in one go and has spent so many half points then. */
static void costs(const char *keys, const char *pieces, const char *piece, const char *hex, int halves) {
    char text[64];
    at(keys, pieces);
    snprintf(text, sizeof text, "pick %s; to %s", piece, hex);
    play(text);
    assert_decision("move");
    if (inside()->spent != halves) fail_msg("%s: to %s costs %d half points, should cost %d", pieces, hex, inside()->spent, halves);
}

/* ---- 8.1 ---- */

RULE(test_8_1_infantry_reach) {
    at(UNION, "crawford 1005; banks 1005; andrews 0708; garnett 0607");
    play("pick crawford");
    assert_choices("to", E_CRAWFORD);
}

RULE(test_8_1_and_3_3_4_mounted_reach) {
    at(UNION, "bayard 0904; stonewall 0505; andrews 0708");
    play("pick bayard");
    assert_choices("to", C_BAYARD);
    assert_offers("dismount");
    assert_offers_not("mount");
}

RULE(test_8_1_and_3_3_4_dismounted_reach) {
    at(UNION, "bayard 0904 dismounted; stonewall 0505; andrews 0708");
    play("pick bayard");
    assert_choices("to", C_DISMOUNTED);
    assert_offers("mount");
    assert_offers_not("dismount");
}

RULE(test_8_1_limbered_reach) {
    at(UNION, "reserve-6 1006; banks 1006; andrews 0708; walker 0809");
    play("pick reserve-6");
    assert_choices("to", D_GUN);
}

RULE(test_8_1_reach_over_levels) {
    at(UNION, "crawford 1217; banks 1217; garnett 1415");
    play("pick crawford");
    assert_choices("to", F_SHELF);
}

RULE(test_8_1_leaders_reach) {
    at(UNION, "banks 0715; crawford 0715; geary 0714; garnett 0815; early 0713");
    play("pick banks");
    assert_choices("to", H_LEADER "0714"); /* 0714: with Geary */
}

RULE(test_8_1_and_ruling_18_terrain_level_and_water_add_up) {
    /* Shattered Crawford pays in full: no column. */
    costs(UNION, "crawford 0607 8; banks 0607; garnett 0101", "crawford", "0606", 4);  /* woods */
    costs(UNION, "crawford 0608 8; banks 0607; garnett 0101", "crawford", "0609", 2);  /* woods by road */
    costs(UNION, "crawford 0708 8; banks 0607; garnett 0101", "crawford", "0807", 4);  /* a level down by road */
    costs(UNION, "crawford 1405 8; banks 1405; garnett 0101", "crawford", "1505", 4);  /* stream */
    costs(UNION, "crawford 1111 8; banks 1111; garnett 0101", "crawford", "1112", 2);  /* brook, on foot */
    costs(UNION, "crawford 1304 8; banks 1304; garnett 0101", "crawford", "1403", 2);  /* ford */
    costs(UNION, "crawford 1014 8; banks 1014; garnett 0101", "crawford", "1013", 4);  /* farm behind a stream */
    costs(UNION, "crawford 1008 8; banks 1008; garnett 0101", "crawford", "1007", 2);  /* corn */
    costs(UNION, "crawford 1217 8; banks 1217; garnett 0101", "crawford", "1218", 4);  /* a level up */
    costs(UNION, "crawford 1218 8; banks 1218; garnett 0101", "crawford", "1219", 6);  /* a level up into woods */
    costs(UNION, "bayard 0607 4; garnett 0101", "bayard", "0606", 6);                  /* woods, mounted */
    costs(UNION, "bayard 0607 4 dismounted; garnett 0101", "bayard", "0606", 4);
    costs(UNION, "bayard 1111 4; garnett 0101", "bayard", "1112", 2);                  /* brook, mounted */
    costs(UNION, "reserve-1 0607; garnett 0101", "reserve-1", "0606", 6);              /* out of command: in full */
    costs(UNION, "reserve-1 1111; garnett 0101", "reserve-1", "1112", 4);              /* brook, guns */
    costs(UNION, "banks 0607; garnett 0101; crawford 1901", "banks", "0606", 4);       /* leaders are on foot here */
}

RULE(test_8_1_moves_add_up_to_the_allowance) {
    at(UNION, "crawford 0415 8; banks 0415; garnett 1815");
    play("pick crawford; to 0715");
    assert_int_equal(inside()->spent, 6);
    assert_offers("to 1015"); /* three more */
    assert_offers_not("to 1115");
}

RULE(test_8_1_done_only_after_doing_something_and_once_a_phase) {
    at(UNION, "crawford 0415; gordon 0515; banks 0415; garnett 1515");
    play("pick crawford");
    assert_offers_not("done");
    play("to 0414");
    assert_offers("done");
    play("done");
    assert_decision("pick");
    assert_offers_not("pick crawford");
    assert_legal("pick gordon; pick banks; end movement");
}

RULE(test_8_1_unlimbered_guns_do_not_move) {
    at(UNION, "reserve-1 0415 unlimbered; crawford 0515; garnett 1515");
    play("pick reserve-1"); /* limbering is all it can do, and is done */
    assert_unlimbered("reserve-1", false);
    assert_int_equal(inside()->spent, 4);
}

RULE(test_8_1_and_ruling_1_prohibited_terrain) {
    at(UNION, "crawford 1413; banks 1413; garnett 0101");
    play("pick crawford");
    assert_offers_not("to 1414");
    assert_offers("to 1415");
}

RULE(test_ruling_20_no_minimum_move) {
    /* Guns with 2 MP left cannot enter woods (3). */
    at(UNION, "reserve-1 0515; crawford 1901; garnett 1801 routed");
    play("pick reserve-1; to 0615; unlimber; limber"); /* 1 + 2 + 2 */
    assert_int_equal(inside()->spent, 10);
    assert_offers_not("to 0616");
    assert_offers("to 0614");
}

/* ---- 8.2 ---- */

RULE(test_8_2_stops_when_entering_a_zone) {
    at(UNION, "crawford 0714; gordon 0415; banks 0714; garnett 0815");
    play("pick crawford");
    assert_choices("to", "0110 0111 0112 0113 0114 0115 0116 0209 0210 0211 0212 0213 0214 0215 0216 0310 0311 0312 0313 0314 "
                         "0315 0316 0317 0410 0411 0412 0413 0414 0416 0417 0418 0510 0511 0512 0513 0514 0515 0516 0517 0518 "
                         "0609 0611 0612 0613 0614 0615 0616 0617 0709 0710 0711 0712 0713 0715 0716 0717 0809 0810 0811 0812 "
                         "0813 0814 0910 0911 0912 0913 0914 0915 0916 1010 1011 1012 1013 1014 1015 1016 1111 1112 1113 1114 "
                         "1115 1116 1211 1212 1213 1214 1215 1311 1312 1313 1315 ");
}

RULE(test_8_2_and_ruling_4_may_not_reenter_same_zone) {
    at(UNION, "crawford 0715; banks 0715; garnett 0815");
    play("pick crawford");
    assert_offers_not("to 0716");
    assert_offers_not("to 0814");
    play("to 0615");
    assert_offers_not("to 0715"); /* nor later in the same move */
    assert_offers_not("to 0716");
}

RULE(test_8_2_may_enter_another_zone) {
    at(UNION, "crawford 0715; banks 0715; garnett 0815; early 0713");
    play("pick crawford");
    assert_offers("to 0714");
    assert_offers("to 0613");
}

RULE(test_ruling_4_no_hex_next_to_any_enemy_it_started_next_to) {
    at(UNION, "crawford 0715; banks 0715; garnett 0815; early 0717");
    play("pick crawford");
    assert_offers_not("to 0716"); /* in both zones */
    assert_offers("to 0616");     /* Early's only: 1 + 1 + 2 */
    at(UNION, "crawford 0715; banks 0715; garnett 0815; early 0714"); /* starts next to both */
    play("pick crawford");
    assert_offers_not("to 0614");
    assert_offers_not("to 0716");
    assert_offers("to 0615");
}

RULE(test_precision_14_routed_neighbours_bar_nothing) {
    at(UNION, "crawford 0715; banks 0715; garnett 0815 routed; early 0717");
    play("pick crawford");
    assert_offers("to 0716");
    assert_offers("to 0814");
}

RULE(test_ruling_4_friends_do_not_cancel_zones_for_movement) {
    at(UNION, "crawford 0615; gordon 0715; banks 1515; garnett 0815"); /* out of command */
    play("pick crawford");
    assert_offers_not("to 0716");
    at(UNION, "crawford 0614; gordon 0715; banks 0614; garnett 0815");
    play("pick crawford");
    assert_offers_not("to 0816"); /* through Gordon's hex, which lies in the zone */
    assert_offers_not("to 0815");
}

RULE(test_8_2_and_ruling_19_no_change_of_formation_after_entering_a_zone) {
    at(UNION, "bayard 0415; crawford 0414; garnett 0815");
    play("pick bayard; to 0715"); /* 3 of 9 spent */
    assert_decision("pick");
    assert_dismounted("bayard", false);
    at(UNION, "reserve-1 0615; banks 0615; crawford 0414; garnett 0815");
    play("pick reserve-1; to 0715");
    assert_decision("pick");
    assert_unlimbered("reserve-1", false);
}

RULE(test_8_2_change_of_formation_when_starting_in_a_zone) {
    at(UNION, "bayard 0715; crawford 0414; garnett 0815");
    play("pick bayard");
    assert_offers("dismount");
    play("dismount");
    assert_dismounted("bayard", true);
    at(UNION, "reserve-1 0715; crawford 0414; garnett 0815");
    play("pick reserve-1");
    assert_offers("unlimber");
}

RULE(test_ruling_19_change_then_leave_the_zone) {
    at(UNION, "reserve-1 0715 unlimbered; crawford 0101; garnett 0815");
    play("pick reserve-1"); /* limbers for 2; 4 left, 1 of them for the zone */
    assert_choices("to", "0413 0414 0415 0416 0513 0514 0515 0516 0517 0613 0614 0615 0713 0714 0813 0914 ");
}

/* ---- 8.3 ---- */

RULE(test_8_3_leaving_a_zone_costs_1) {
    costs(UNION, "crawford 0715; gordon 0101; banks 0715; garnett 0815", "crawford", "0714", 4);
    costs(UNION, "crawford 0715; gordon 0101; banks 0715; garnett 0815 routed", "crawford", "0714", 2);
    costs(UNION, "crawford 0715; gordon 0101; banks 0715; garnett 0815; early 0916", "crawford", "0714", 4); /* once */
    costs(UNION, "banks 0715; crawford 0715; garnett 0815", "banks", "0714", 4);
}

RULE(test_8_3_1_artillery_example) {
    /* Limbered, 4 MP, then unlimber. */
    at(UNION, "reserve-1 0415; crawford 1901; garnett 0101"); /* out of command: every clear hex costs 1 */
    play("pick reserve-1; to 0815");
    assert_int_equal(inside()->spent, 8);
    assert_offers("unlimber");
    keep(0);
    play("unlimber");
    assert_unlimbered("reserve-1", true);
    back(0);
    play("to 0915"); /* a fifth MP */
    assert_offers_not("unlimber");
    /* Unlimbered, 2 to limber leave 4. */
    at(UNION, "reserve-1 0415 unlimbered; crawford 1901; garnett 0101");
    play("pick reserve-1");
    assert_offers("to 0815");
    assert_offers_not("to 0915");
}

RULE(test_8_3_2_cavalry_examples) {
    /* Bayard is shattered, so that every clear hex costs 1. 9 MP: moves 7, changes for 2, 0 left. */
    at(UNION, "bayard 0415 4; crawford 1901; garnett 0101");
    play("pick bayard; to 1115");
    assert_int_equal(inside()->spent, 14);
    keep(0);
    play("dismount");
    assert_dismounted("bayard", true);
    assert_decision("pick");
    back(0);
    play("to 1214");
    assert_offers_not("dismount"); /* 8 and 2 are more than 9 */
    /* Moves 3, changes, 1 left. */
    at(UNION, "bayard 0415 4; crawford 1901; garnett 0101");
    play("pick bayard; to 0715; dismount");
    assert_choices("to", "0614 0615 0714 0716 0814 0815");
    /* Moves 4, changes: 0 left. */
    at(UNION, "bayard 0415 4; crawford 1901; garnett 0101");
    play("pick bayard; to 0815; dismount");
    assert_decision("pick");
    assert_dismounted("bayard", true);
    /* Dismounted: 4, changes, 3 left for the mounted. */
    at(UNION, "bayard 0415 4 dismounted; crawford 1901; garnett 0101");
    play("pick bayard; to 0815; mount");
    assert_choices("to", "0514 0515 0516 0613 0614 0615 0713 0714 0715 0716 0813 0814 0816 0817 0913 0914 0915 0916 0917 1014 "
                         "1015 1115 ");
}

RULE(test_ruling_19_a_change_must_fit_the_present_allowance) {
    /* Dismounted, 5 of 6 spent: no 2 left to mount. */
    at(UNION, "bayard 0415 4 dismounted; crawford 1901; garnett 0101");
    play("pick bayard; to 0915");
    assert_offers_not("mount");
}

RULE(test_ruling_19_as_often_as_movement_allows) {
    at(UNION, "bayard 0415; crawford 1901; garnett 0101");
    play("pick bayard; dismount; mount; dismount");
    assert_dismounted("bayard", true);
    assert_decision("pick"); /* 6 spent: nothing left of the dismounted 6 */
    at(UNION, "reserve-1 0415; crawford 1901; garnett 0101");
    play("pick reserve-1; unlimber; limber; unlimber");
    assert_unlimbered("reserve-1", true);
    assert_decision("pick");
}

RULE(test_ruling_19_not_for_the_routed) {
    at(UNION, "bayard 0415 routed; crawford 1901; garnett 1515");
    play("pick bayard");
    assert_offers_not("dismount");
    at(UNION, "reserve-1 0415 routed; crawford 1901; garnett 1515");
    play("pick reserve-1");
    assert_offers_not("unlimber");
}

/* ---- 8.4 ---- */

RULE(test_8_4_and_ruling_17_half_cost_on_clear_and_road) {
    costs(UNION, "crawford 0515; banks 0515; garnett 1101", "crawford", "0514", 1);
    costs(UNION, "crawford 0608; banks 0608; garnett 1901", "crawford", "0609", 1); /* woods by road (ruling 17) */
    costs(UNION, "crawford 0607; banks 0607; garnett 1901", "crawford", "0606", 4); /* woods */
    costs(UNION, "crawford 1008; banks 1008; garnett 1901", "crawford", "1007", 2); /* corn */
    costs(UNION, "crawford 1014; banks 1014; garnett 1901", "crawford", "1013", 4); /* farm, stream */
}

RULE(test_8_4_and_ruling_18_levels_and_water_are_never_halved) {
    costs(UNION, "crawford 0708; banks 0708; garnett 1901", "crawford", "0807", 3);
    costs(UNION, "crawford 1217; banks 1217; garnett 1901", "crawford", "1218", 3);
    costs(UNION, "crawford 1405; banks 1405; garnett 0101", "crawford", "1505", 3);
    costs(UNION, "crawford 1304; banks 1304; garnett 0101", "crawford", "1403", 1); /* a road fords the stream */
    costs(UNION, "reserve-1 1111; banks 1111; garnett 0101", "reserve-1", "1112", 3);
}

RULE(test_8_4_not_within_4_hexes_of_an_enemy) {
    costs(UNION, "crawford 0515; banks 0515; garnett 1016", "crawford", "0415", 1); /* 5 and 6 away */
    costs(UNION, "crawford 0515; banks 0515; garnett 1015", "crawford", "0614", 2); /* from 5 to 4 (ruling 16) */
    costs(UNION, "crawford 0614; banks 0515; garnett 1015", "crawford", "0515", 2); /* from 4 to 5 */
    costs(UNION, "crawford 0515; banks 0515; garnett 1015 routed", "crawford", "0614", 2); /* routed ones count */
    costs(UNION, "crawford 0515; banks 0515; jackson 0915; garnett 1901", "crawford", "0614", 1); /* leaders do not */
}

RULE(test_8_4_not_for_the_routed_shattered_or_out_of_command) {
    costs(UNION, "crawford 0515 8; banks 0515; garnett 1101", "crawford", "0514", 2);
    costs(UNION, "crawford 0515; banks 1515; garnett 1101", "crawford", "0514", 2);
    costs(UNION, "reserve-1 0515; banks 1515; garnett 1101", "reserve-1", "0514", 2);
}

RULE(test_ruling_16_leaders_cavalry_and_guns_use_it) {
    costs(UNION, "banks 0515; crawford 1901; garnett 1101", "banks", "0514", 1);
    costs(UNION, "bayard 0515; crawford 1901; garnett 1101", "bayard", "0514", 1);
    costs(UNION, "bayard 0515 dismounted; crawford 1901; garnett 1101", "bayard", "0514", 1);
    costs(UNION, "reserve-1 0515; banks 0515; garnett 1101", "reserve-1", "0514", 1);
}

RULE(test_8_4_and_ruling_16_step_by_step) {
    /* 0315 to 0915 with Garnett at 1215: 0315, 0415 .. 0715 are more than 4 away from him, 0815 is 4. */
    costs(UNION, "crawford 0315; banks 0315; garnett 1215", "crawford", "0715", 4);
    costs(UNION, "crawford 0315; banks 0315; garnett 1215", "crawford", "0815", 6);
    costs(UNION, "crawford 0315; banks 0315; garnett 1215", "crawford", "0915", 8);
}

/* ---- 9.8.3 and ruling 21 ---- */

RULE(test_9_8_3_and_ruling_21_routed_units_move_one_hex_and_not_closer) {
    at(UNION, "crawford 0515 routed; gordon 1901; garnett 0815");
    play("pick crawford");
    assert_legal("to 0414; to 0415; to 0514; to 0516");
    play("to 0414");
    assert_decision("pick");
    assert_offers_not("pick crawford");
}

RULE(test_9_8_3_and_ruling_5_routed_units_enter_no_zone) {
    at(UNION, "crawford 0515 routed; gordon 1901; garnett 0615");
    play("pick crawford");
    assert_legal("to 0414; to 0415; to 0514");
    /* Next to a routed enemy, who has no zone: as near, not nearer. */
    at(UNION, "crawford 0515 routed; gordon 1901; garnett 0615 routed");
    play("pick crawford");
    assert_legal("to 0414; to 0415; to 0514; to 0516; to 0614");
}

RULE(test_9_8_3_ignoring_terrain_cost) {
    /* Routed guns into woods across a stream and up a level: 1001 to 1101 is woods, stream. */
    at(UNION, "reserve-1 1001 routed; crawford 1901; garnett 0620");
    play("pick reserve-1");
    assert_offers("to 1101");
}

RULE(test_ruling_21_moving_is_optional) {
    at(UNION, "crawford 0515 routed; gordon 1901; garnett 0815");
    assert_offers("end movement");
}

RULE(test_8_each_type_has_its_allowance) {
    /* Along row 15 from 0415 every hex is clear; nobody has the column bonus: shattered, out of command, enemies near. */
    static const struct { const char *pieces, *piece, *last, *beyond; } walks[] = {
        {"crawford 0415 8", "crawford", "1015", "1115"},           /* infantry 6 */
        {"bayard 0415 4", "bayard", "1315", "1415"},               /* mounted 9 */
        {"bayard 0415 4 dismounted", "bayard", "1015", "1115"},    /* dismounted 6 */
        {"reserve-1 0415", "reserve-1", "1015", "1115"},           /* limbered 6 */
        {"banks 0415", "banks", "1315", "1415"},                   /* leaders 9 */
    };
    for (size_t i = 0; i < sizeof walks / sizeof *walks; i++) {
        char pieces[160], text[64];
        snprintf(pieces, sizeof pieces, "%s; greene 1901; garnett 0617 routed; early 1217 routed", walks[i].pieces);
        at(UNION, pieces);
        snprintf(text, sizeof text, "pick %s", walks[i].piece);
        play(text);
        snprintf(text, sizeof text, "to %s", walks[i].last);
        assert_offers(text);
        snprintf(text, sizeof text, "to %s", walks[i].beyond);
        assert_offers_not(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_8_1_infantry_reach),
        TEST(test_8_1_and_3_3_4_mounted_reach),
        TEST(test_8_1_and_3_3_4_dismounted_reach),
        TEST(test_8_1_limbered_reach),
        TEST(test_8_1_reach_over_levels),
        TEST(test_8_1_leaders_reach),
        TEST(test_8_1_and_ruling_18_terrain_level_and_water_add_up),
        TEST(test_8_1_moves_add_up_to_the_allowance),
        TEST(test_8_1_done_only_after_doing_something_and_once_a_phase),
        TEST(test_8_1_unlimbered_guns_do_not_move),
        TEST(test_8_1_and_ruling_1_prohibited_terrain),
        TEST(test_ruling_20_no_minimum_move),
        TEST(test_8_2_stops_when_entering_a_zone),
        TEST(test_8_2_and_ruling_4_may_not_reenter_same_zone),
        TEST(test_8_2_may_enter_another_zone),
        TEST(test_ruling_4_no_hex_next_to_any_enemy_it_started_next_to),
        TEST(test_precision_14_routed_neighbours_bar_nothing),
        TEST(test_ruling_4_friends_do_not_cancel_zones_for_movement),
        TEST(test_8_2_and_ruling_19_no_change_of_formation_after_entering_a_zone),
        TEST(test_8_2_change_of_formation_when_starting_in_a_zone),
        TEST(test_ruling_19_change_then_leave_the_zone),
        TEST(test_8_3_leaving_a_zone_costs_1),
        TEST(test_8_3_1_artillery_example),
        TEST(test_8_3_2_cavalry_examples),
        TEST(test_ruling_19_a_change_must_fit_the_present_allowance),
        TEST(test_ruling_19_as_often_as_movement_allows),
        TEST(test_ruling_19_not_for_the_routed),
        TEST(test_8_4_and_ruling_17_half_cost_on_clear_and_road),
        TEST(test_8_4_and_ruling_18_levels_and_water_are_never_halved),
        TEST(test_8_4_not_within_4_hexes_of_an_enemy),
        TEST(test_8_4_not_for_the_routed_shattered_or_out_of_command),
        TEST(test_ruling_16_leaders_cavalry_and_guns_use_it),
        TEST(test_8_4_and_ruling_16_step_by_step),
        TEST(test_9_8_3_and_ruling_21_routed_units_move_one_hex_and_not_closer),
        TEST(test_9_8_3_and_ruling_5_routed_units_enter_no_zone),
        TEST(test_9_8_3_ignoring_terrain_cost),
        TEST(test_ruling_21_moving_is_optional),
        TEST(test_8_each_type_has_its_allowance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
