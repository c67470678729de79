/* Rulebook chapter 7 and rulings 11 to 15: the Artillery Phase and the Fired marker. */
#include "position.h"

#define GUNS "turn: 6; half: union; phase: artillery"

RULE(test_7_1_and_3_3_5_only_unlimbered_guns_fire) {
    at(GUNS, "reserve-1 0415; reserve-2 0515 unlimbered; crawford 0714; garnett 0815");
    assert_legal("target 0815; end fire");
    play("target 0815"); /* one can fire: it joins by itself */
    assert_decision("fire");
}

RULE(test_7_1_no_other_arm_fires) {
    at(GUNS, "reserve-2 0515 unlimbered; reserve-3 0614 unlimbered; crawford 0716; bayard 0915 dismounted; garnett 0815; banks 0716");
    play("target 0815");
    assert_legal("join reserve-2; join reserve-3");
}

RULE(test_7_1_targets_in_range_and_sight_only) {
    /* 0915 is 5 away; 0517 is 2 away; 1715 is out of range; 0617 is hidden behind the woods of 0616. */
    at(GUNS, "reserve-1 0515 unlimbered; garnett 0915; early 0517; thomas 1715; stonewall 0617");
    assert_legal("target 0915; target 0517; end fire");
}

RULE(test_7_1_firing_is_never_forced) {
    at(GUNS, "reserve-1 0515 unlimbered; garnett 0815");
    assert_offers("end fire");
    play("end fire");
    assert_decision("pick");
}

RULE(test_7_1_and_ruling_11_a_gun_that_fired_may_not_move) {
    at(GUNS, "reserve-1 0515 unlimbered; reserve-2 0514 unlimbered; crawford 0414; garnett 0815");
    attack("0815", "reserve-1");
    play("roll 1");
    assert_decision("pick");
    assert_offers_not("pick reserve-1"); /* nor limber (ruling 11) */
    assert_offers("pick reserve-2");
    play("pick reserve-2"); /* all that it can do is limber: done without asking */
    assert_unlimbered("reserve-2", false);
    assert_unlimbered("reserve-1", true);
}

RULE(test_7_1_and_3_3_5_guns_that_do_not_fire_may_move) {
    at(GUNS, "reserve-1 0515 unlimbered; reserve-2 0514 unlimbered; crawford 0414; garnett 0815");
    play("end fire; pick reserve-1");
    assert_unlimbered("reserve-1", false);
    assert_offers("to 0411"); /* 4 MP are left */
    assert_offers_not("to 0311");
}

RULE(test_7_1_guns_combine_and_their_strength_adds_up) {
    at(GUNS, "reserve-1 0415 unlimbered; reserve-2 0515 unlimbered; reserve-5 0514 unlimbered; garnett 0815");
    attack("0815", "reserve-1 reserve-2 reserve-5"); /* 3 + 3 + 4 in 8-10: 8 costs 1 */
    play("roll 8");
    assert_strength("garnett", 9);
    at(GUNS, "reserve-1 0415 unlimbered; reserve-2 0515 unlimbered; reserve-5 0514 unlimbered; garnett 0815");
    attack("0815", "reserve-1"); /* 3 in 3-4: 8 is a check */
    play("roll 8");
    assert_strength("garnett", 10);
    assert_decision("morale");
}

RULE(test_7_1_each_gun_fires_once_and_each_target_is_fired_at_once) {
    at(GUNS, "reserve-1 0415 unlimbered; reserve-2 0515 unlimbered; garnett 0815; early 0714");
    attack("0815", "reserve-1");
    play("roll 1");
    assert_legal("target 0714; end fire"); /* not 0815 again */
    play("target 0714"); /* Reserve 1 is done */
    assert_decision("fire");
    play("roll 1");
    assert_decision("pick");
}

RULE(test_ruling_14_declared_before_the_die_and_in_row_order) {
    at(GUNS, "reserve-1 0415 unlimbered; reserve-2 0515 unlimbered; reserve-3 0514 unlimbered; garnett 0815");
    play("target 0815");
    assert_legal("join reserve-1; join reserve-2; join reserve-3");
    play("join reserve-2");
    assert_legal("join reserve-3; fire");
    play("fire");
    assert_decision("fire");
}

RULE(test_ruling_14_targets_may_wait_for_results) {
    /* Garnett at 1 SP dies; then Reserve 2 chooses. */
    at(GUNS, "reserve-1 0415 unlimbered; reserve-2 0515 unlimbered; garnett 0815 1; early 0714; thomas 0914");
    attack("0815", "reserve-1");
    play("roll 10");
    assert_hex("garnett", NULL);
    assert_legal("target 0714; target 0914; end fire");
}

RULE(test_7_2_results_are_applied_at_once) {
    at(GUNS, "reserve-1 0415 unlimbered; reserve-2 0515 unlimbered; garnett 0815; early 0714");
    attack("0815", "reserve-1");
    play("roll 10");
    assert_strength("garnett", 9);
    assert_decision("morale");
}

RULE(test_7_2_range_counts_the_target_hex_but_not_the_guns) {
    at(GUNS, "reserve-1 0515 unlimbered; reserve-2 0415 unlimbered; garnett 1515"); /* 10 and 11 */
    assert_offers("target 1515");
    play("target 1515"); /* Reserve 1 only */
    assert_decision("fire");
}

RULE(test_ruling_12_guns_fire_in_the_enemys_combat_phase_too) {
    at(GUNS, "reserve-1 0515 unlimbered; garnett 0815; jackson 0815");
    attack("0815", "reserve-1");
    play("roll 1");
    wait_for_side("pick", LR_CONFEDERATE);
    play("pick garnett; to 0715; done; end movement");
    assert_to_move(LR_UNION);
    assert_legal("target 0715; target 0815; end fire"); /* Jackson is alone now */
    attack("0715", "reserve-1");
    play("roll 1");
    assert_int_equal(turn(), 7); /* nothing else to do: the next turn's Artillery Phase */
    assert_to_move(LR_UNION);
    assert_decision("target"); /* and no marker stayed (10.3) */
}

RULE(test_ruling_12_guns_never_fire_in_their_own_combat_phase) {
    at("turn: 6; half: union; phase: offence", "reserve-1 0715 unlimbered; crawford 0716; garnett 0815; early 0913");
    assert_legal("target 0815; end fire"); /* not Early, two hexes from the guns */
    play("target 0815");
    assert_decision("fire"); /* Crawford alone */
}

RULE(test_ruling_13_guns_unlimbered_in_movement_fire_when_the_enemy_comes) {
    at("turn: 6; half: union", "reserve-1 0515; crawford 0414; banks 0515; garnett 0815; jackson 0815");
    play("pick reserve-1; unlimber");
    assert_unlimbered("reserve-1", true);
    wait_for_side("pick", LR_CONFEDERATE); /* without a target in between */
    play("pick garnett; to 0715; done; end movement");
    assert_to_move(LR_UNION);
    assert_legal("target 0715; target 0815; end fire");
}

RULE(test_10_3_and_ruling_11_fired_comes_off) {
    at(GUNS, "reserve-1 0515 unlimbered; crawford 0414; garnett 0815; early 1515");
    attack("0815", "reserve-1");
    play("roll 1");
    assert_offers_not("pick reserve-1");
    play("end movement");
    wait_for_side("target", LR_UNION);
    play("end fire");
    if (turn() == 6) wait_for_side("target", LR_UNION), play("end fire");
    wait_for_side("pick", LR_UNION);
    assert_int_equal(turn(), 7);
    assert_offers("pick reserve-1");
}

RULE(test_ruling_11_a_fired_marker_can_be_stated) {
    at("turn: 6; half: union", "reserve-1 0515 unlimbered fired; reserve-2 0514 unlimbered; crawford 0414; garnett 0815");
    assert_offers_not("pick reserve-1");
    assert_offers("pick reserve-2");
}

RULE(test_ruling_15_terrain_changes_the_die_not_the_strength) {
    /* 6 + 8 = 14 at range 1, column 11-14: a 7 costs 1 SP in the open, in woods it counts as 6 and is a check. */
    at(GUNS, "reserve-1 0707 unlimbered; reserve-5 0708 unlimbered; garnett 0607");
    attack("0607", "reserve-1 reserve-5");
    play("roll 7");
    assert_strength("garnett", 10);
    assert_decision("morale");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_7_1_and_3_3_5_only_unlimbered_guns_fire),
        TEST(test_7_1_no_other_arm_fires),
        TEST(test_7_1_targets_in_range_and_sight_only),
        TEST(test_7_1_firing_is_never_forced),
        TEST(test_7_1_and_ruling_11_a_gun_that_fired_may_not_move),
        TEST(test_7_1_and_3_3_5_guns_that_do_not_fire_may_move),
        TEST(test_7_1_guns_combine_and_their_strength_adds_up),
        TEST(test_7_1_each_gun_fires_once_and_each_target_is_fired_at_once),
        TEST(test_ruling_14_declared_before_the_die_and_in_row_order),
        TEST(test_ruling_14_targets_may_wait_for_results),
        TEST(test_7_2_results_are_applied_at_once),
        TEST(test_7_2_range_counts_the_target_hex_but_not_the_guns),
        TEST(test_ruling_12_guns_fire_in_the_enemys_combat_phase_too),
        TEST(test_ruling_12_guns_never_fire_in_their_own_combat_phase),
        TEST(test_ruling_13_guns_unlimbered_in_movement_fire_when_the_enemy_comes),
        TEST(test_10_3_and_ruling_11_fired_comes_off),
        TEST(test_ruling_11_a_fired_marker_can_be_stated),
        TEST(test_ruling_15_terrain_changes_the_die_not_the_strength),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
