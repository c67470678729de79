/* Rulebook chapter 13, 14.1.6 and rulings 49 to 52: points, stars, who wins. */
#include "position.h"

/* The Confederates' last move of a turn; nobody is near anybody. */
#define LAST(turn) "turn: " #turn "; half: confederate"
#define FAR "garnett 0101; jackson 0101"

static void assert_winner(int winner) {
    float returns[2];
    assert_decision("over");
    assert_to_move(LR_NOBODY);
    lr_returns(game(), state(), returns);
    if (returns[0] != (winner == LR_UNION ? 1.0f : -1.0f) || returns[1] != -returns[0]) fail_msg("the wrong side won");
    assert_true(*lr_end_reason(game(), state()));
    assert_int_equal(lr_evaluate(game(), state()), winner == LR_UNION ? 1000 : -1000);
}

static void ends(const char *points, const char *pieces, int winner) {
    char keys[64];
    snprintf(keys, sizeof keys, LAST(9) "; %s", points);
    at(keys, pieces);
    play("end movement");
    assert_winner(winner);
}

RULE(test_14_1_6_two_points_for_each_star_held_at_the_end_of_a_turn) {
    at(LAST(6), "crawford 0708; gordon 0810; geary 0912; " FAR);
    play("end movement");
    wait_for_side("pick", LR_UNION);
    assert_int_equal(turn(), 7);
    assert_score(6);
    assert_int_equal(inside()->stars, 6);
}

RULE(test_14_1_6_the_four_stars) {
    static const char *const stars[] = {"0708", "0810", "0912", "1013"};
    for (int i = 0; i < 4; i++) {
        char pieces[64];
        snprintf(pieces, sizeof pieces, "crawford %s; " FAR, stars[i]);
        at(LAST(6), pieces);
        wait_for_side("pick", LR_UNION);
        assert_score(2);
    }
    at(LAST(6), "crawford 1308; " FAR);
    wait_for_side("pick", LR_UNION);
    assert_score(0);
}

RULE(test_14_1_6_not_at_the_end_of_the_unions_half) {
    at("turn: 6; half: union", "crawford 0708; " FAR);
    wait_for_side("pick", LR_CONFEDERATE);
    assert_score(0);
}

RULE(test_ruling_50_currently_occupied_not_last_passed) {
    at("turn: 6; half: union", "crawford 0708; banks 0708; " FAR);
    play("pick crawford; to 0707; done; end movement");
    wait_for_side("pick", LR_UNION);
    assert_int_equal(turn(), 7);
    assert_score(0);
}

RULE(test_ruling_50_every_turn_anew) {
    at(LAST(6), "crawford 0708; " FAR);
    wait_for_side("pick", LR_UNION);
    play("end movement");
    wait_for_side("pick", LR_UNION);
    assert_int_equal(turn(), 8);
    assert_score(4);
}

RULE(test_ruling_50_routed_units_and_guns_hold_stars_leaders_do_not) {
    at(LAST(6), "crawford 0708 routed; reserve-1 0810; banks 0912; " FAR);
    wait_for_side("pick", LR_UNION);
    assert_score(4);
}

RULE(test_14_1_6_the_confederates_earn_nothing_from_stars) {
    at(LAST(6), "crawford 1901; garnett 0708; jackson 0708");
    wait_for_side("pick", LR_UNION);
    assert_score(0);
}

RULE(test_13_and_ruling_49_one_net_track_may_go_below_0) {
    at("turn: 6; half: confederate; phase: offence; vp: 1", "crawford 0514; thomas 0515; early 1515");
    attack("0514", "thomas");
    play("roll 9"); /* 2 SP */
    assert_score(-1);
}

RULE(test_14_1_6_the_union_wins_with_5_and_4_from_stars) {
    ends("vp: 5; stars: 4", "crawford 1901; " FAR, LR_UNION);
    ends("vp: 4; stars: 4", "crawford 1901; " FAR, LR_CONFEDERATE);
    ends("vp: 40; stars: 2", "crawford 1901; " FAR, LR_CONFEDERATE);
    ends("vp: 40; stars: 0", "crawford 1901; " FAR, LR_CONFEDERATE);
    ends("vp: -20; stars: 8", "crawford 1901; " FAR, LR_CONFEDERATE);
}

RULE(test_14_1_6_the_stars_of_the_last_turn_count) {
    ends("vp: 3; stars: 2", "crawford 0708; " FAR, LR_UNION);
    ends("vp: 2; stars: 2", "crawford 0708; " FAR, LR_CONFEDERATE);
    ends("vp: 3; stars: 0", "crawford 0708; " FAR, LR_CONFEDERATE);
}

RULE(test_ruling_52_points_from_stars_are_never_taken_away) {
    /* 4 from stars, then losses: net 4, later regained. */
    at("turn: 9; half: union; phase: offence; vp: 3; stars: 4", "crawford 0514; thomas 0515; early 1515");
    attack("0515", "crawford");
    play("roll 9; roll 1"); /* 2 SP: 5 */
    wait_for("over");
    assert_winner(LR_UNION);
}

RULE(test_ruling_52_the_test_comes_after_turn_9_only) {
    at("turn: 8; half: confederate; vp: 50; stars: 10", "crawford 1901; " FAR);
    wait_for_side("pick", LR_UNION);
    assert_int_equal(turn(), 9);
    float returns[2];
    lr_returns(game(), state(), returns);
    assert_true(returns[0] == 0 && returns[1] == 0);
    assert_string_equal(lr_end_reason(game(), state()), "");
}

RULE(test_13_the_score_stays_in_its_bounds) {
    const lr_info *info = lr_game_info(game());
    /* At most every Confederate SP (149), 4 leaders twice, 4 stars in 7 turns; at least every Union SP (87) and 3 leaders twice. */
    assert_true(info->score_high >= 149 + 8 + 56);
    assert_true(info->score_low <= -(87 + 6));
}

RULE(test_over_nothing_is_legal) {
    uint16_t legal[LR_MAX_ACTIONS];
    uint8_t mask[LR_MAX_ACTIONS / 8];
    lr_error error;
    ends("vp: 5; stars: 4", "crawford 1901; " FAR, LR_UNION);
    assert_int_equal(lr_legal(game(), state(), legal), 0);
    lr_mask(game(), state(), mask);
    for (int i = 0; i < lr_game_info(game())->mask_bytes; i++) assert_int_equal(mask[i], 0);
    assert_int_equal(lr_apply(game(), state(), 0, &error), LR_E_OVER);
    assert_int_equal(lr_action_parse(game(), state(), "end movement", &error), LR_E_OVER);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_14_1_6_two_points_for_each_star_held_at_the_end_of_a_turn),
        TEST(test_14_1_6_the_four_stars),
        TEST(test_14_1_6_not_at_the_end_of_the_unions_half),
        TEST(test_ruling_50_currently_occupied_not_last_passed),
        TEST(test_ruling_50_every_turn_anew),
        TEST(test_ruling_50_routed_units_and_guns_hold_stars_leaders_do_not),
        TEST(test_14_1_6_the_confederates_earn_nothing_from_stars),
        TEST(test_13_and_ruling_49_one_net_track_may_go_below_0),
        TEST(test_14_1_6_the_union_wins_with_5_and_4_from_stars),
        TEST(test_14_1_6_the_stars_of_the_last_turn_count),
        TEST(test_ruling_52_points_from_stars_are_never_taken_away),
        TEST(test_ruling_52_the_test_comes_after_turn_9_only),
        TEST(test_13_the_score_stays_in_its_bounds),
        TEST(test_over_nothing_is_legal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
