/* Rulebook 9.1 to 9.6, 2.4 and rulings 26 to 31: who fires at whom, sight, range, the chart and its modifiers. */
#include "position.h"

#define OFFENCE "turn: 6; half: union; phase: offence"
#define DEFENCE "turn: 6; half: confederate; phase: defence" /* the Union fires */
#define GUNS "turn: 6; half: union; phase: artillery"

static void roll(int face) {
    char text[32];
    snprintf(text, sizeof text, "roll %d", face);
    play(text);
}

/* Fires with `joiners` at `hex`, rolls `face`, and looks at the unit there: SP lost, and whether a check follows. */
static void shot(const char *keys, const char *pieces, const char *hex, const char *joiners, int face, const char *unit, int lost,
                 bool check) {
    at(keys, pieces);
    const int before = inside()->strength[row_of(unit)];
    attack(hex, joiners);
    roll(face);
    assert_strength(unit, before - lost);
    const bool checks = !strcmp(lr_decision(game(), state()), "morale");
    if (checks != check && inside()->strength[row_of(unit)]) fail_msg("%s: face %d: a check should%s follow", pieces, face, check ? "" : " not");
}

/* ---- 9.1 to 9.3: who may fire ---- */

RULE(test_9_1_units_combine_their_strength) {
    /* 7 + 4 = 11: column 11-14, where a 7 costs 1; 7 alone, in 5-7, only checks. */
    shot(OFFENCE, "crawford 0514 7; gordon 0614 4; thomas 0515", "0515", "crawford gordon", 7, "thomas", 1, true);
    shot(OFFENCE, "crawford 0514 7; gordon 0614 4; thomas 0515", "0515", "crawford", 7, "thomas", 0, true);
}

RULE(test_9_1_each_unit_fires_once_and_is_fired_on_once) {
    at(OFFENCE, "crawford 0514; gordon 0614; thomas 0515; early 0613");
    attack("0515", "crawford");
    play("roll 1");
    assert_legal("target 0613; end fire"); /* not Thomas again */
    play("target 0613"); /* Gordon alone is left to fire */
    assert_decision("fire");
}

RULE(test_9_1_firing_is_never_forced) {
    at(OFFENCE, "crawford 0514; thomas 0515");
    assert_legal("target 0515; end fire");
    at(DEFENCE, "crawford 0514; thomas 0515");
    assert_legal("target 0515; end fire");
}

RULE(test_9_2_all_arms_fire_in_defence) {
    at(DEFENCE, "crawford 0514; bayard 0614; prince 0516 routed; reserve-1 0715 unlimbered; reserve-2 0415; thomas 0515; jackson 0515");
    assert_to_move(LR_UNION);
    play("target 0515");
    assert_legal("join crawford; join bayard; join reserve-1"); /* not the limbered, not the routed */
}

RULE(test_9_2_targets_of_defensive_fire_are_the_movers) {
    at(DEFENCE, "crawford 0514; thomas 0515; gordon 0513");
    assert_legal("target 0515; end fire");
}

RULE(test_9_3_infantry_and_dismounted_cavalry_fire_in_offence) {
    at(OFFENCE, "crawford 0514; bayard 0614 dismounted; prince 0516 routed; reserve-1 0715 unlimbered; reserve-2 0415; thomas 0515");
    play("target 0515");
    assert_legal("join crawford; join bayard");
    at(OFFENCE, "crawford 0514; gordon 0415; bayard 0614; thomas 0515");
    play("target 0515");
    assert_legal("join crawford; join gordon"); /* not the mounted */
}

RULE(test_9_3_no_infantry_fire_beyond_range_1) {
    at(OFFENCE, "crawford 0514; bayard 0713 dismounted; thomas 0515; early 0516; stonewall 0715");
    assert_legal("target 0515; end fire");
}

RULE(test_9_and_ruling_26_defensive_fire_comes_first_and_counts_at_once) {
    at(DEFENCE, "crawford 0514; thomas 0515 1; early 0615");
    attack("0515", "crawford");
    play("roll 10"); /* Thomas dies and does not fire back; Early is out of range */
    assert_hex("thomas", NULL);
    if (!strcmp(lr_decision(game(), state()), "target")) fail_msg("who fires?");
    at(DEFENCE, "crawford 0514; thomas 0515");
    attack("0515", "crawford");
    play("roll 5; roll 10"); /* 15-19: M; routed, he does not fire */
    go_back();
    wait_for_side("pick", LR_UNION);
    assert_strength("crawford", 17);
    at(DEFENCE, "crawford 0514; thomas 0515");
    play("end fire");
    assert_to_move(LR_CONFEDERATE);
    assert_legal("target 0514; end fire");
}

RULE(test_ruling_27_a_unit_is_a_target_once_though_it_retreats) {
    /* Thomas retreats from Crawford to where Gordon could fire at him: he has been fired on. */
    at(DEFENCE, "crawford 0614; gordon 0213; geary 1514; thomas 0515; early 1515");
    attack("0515", "crawford");
    play("roll 10"); /* 15-19: 2R */
    go_back();
    play("roll 1");
    assert_legal("target 1515; end fire");
}

/* ---- 9.4: line of sight ---- */

RULE(test_9_4_adjacent_units_always_see) {
    at(GUNS, "reserve-1 1005 unlimbered; garnett 0905; crawford 0904"); /* woods both */
    assert_legal("target 0905; end fire");
}

RULE(test_9_4_woods_and_town_between_block) {
    at(GUNS, "reserve-1 0105 unlimbered; garnett 0306; early 0106"); /* 0205 is woods */
    assert_legal("target 0106; end fire");
    at(GUNS, "reserve-1 0812 unlimbered; garnett 1114; early 0813"); /* 1013 is the farm */
    assert_legal("target 0813; end fire");
}

RULE(test_9_4_the_terrain_of_firer_and_target_does_not_block) {
    at(GUNS, "reserve-1 0607 unlimbered; garnett 0806; early 1905"); /* from woods over the clear 0707 */
    assert_legal("target 0806; end fire");
    at(GUNS, "reserve-1 0806 unlimbered; garnett 0607; early 1905"); /* into woods */
    assert_legal("target 0607; end fire");
}

RULE(test_9_4_higher_ground_than_both_blocks) {
    at(GUNS, "reserve-1 0110 unlimbered; garnett 0413; early 0109"); /* 0 to 0 over 0313, level 1 */
    assert_legal("target 0109; end fire");
}

RULE(test_9_4_ground_higher_than_one_end_only_does_not_block) {
    at(GUNS, "reserve-1 0103 unlimbered; garnett 0105; early 1901"); /* 0 to 1 over 0104, level 1 */
    assert_legal("target 0105; end fire");
    at("turn: 6; half: confederate; phase: artillery", "andrews 0105 unlimbered; crawford 0103; gordon 1901");
    assert_legal("target 0103; end fire");
}

RULE(test_9_4_a_friend_next_to_the_target_blocks) {
    at(GUNS, "reserve-1 0515 unlimbered; crawford 0715; garnett 0815; early 0513"); /* the line runs over 0615 and 0715 */
    assert_legal("target 0513; end fire");
    at(GUNS, "reserve-1 0515 unlimbered; crawford 0615; garnett 0815; early 0513"); /* not next to the target */
    assert_legal("target 0815; target 0513; end fire");
}

RULE(test_9_4_a_friend_next_to_the_target_off_the_line_does_not_block) {
    static const char *const beside[] = {"0814", "0915", "0916", "0816", "0716"}; /* all but 0715 */
    for (int i = 0; i < 5; i++) {
        char pieces[96];
        snprintf(pieces, sizeof pieces, "reserve-1 0515 unlimbered; crawford %s; garnett 0815; early 0513", beside[i]);
        at(GUNS, pieces);
        assert_legal("target 0815; target 0513; end fire");
    }
}

RULE(test_9_4_enemies_never_block) {
    at(GUNS, "reserve-1 0515 unlimbered; stonewall 0715; garnett 0815");
    assert_legal("target 0815; target 0715; end fire");
}

RULE(test_ruling_28_a_line_along_a_hexside_needs_both_sides_blocked) {
    /* 0515 to 0715 runs between 0614 and 0615. */
    at(GUNS, "reserve-1 0515 unlimbered; crawford 0614; garnett 0715; early 0513");
    assert_offers("target 0715");
    at(GUNS, "reserve-1 0515 unlimbered; crawford 0615; garnett 0715; early 0513");
    assert_offers("target 0715");
    at(GUNS, "reserve-1 0515 unlimbered; crawford 0614; gordon 0615; garnett 0715; early 0513");
    assert_legal("target 0513; end fire");
    /* 0108 to 0209 runs between 0109, clear, and 0208, woods. */
    at(GUNS, "reserve-1 0108 unlimbered; garnett 0209; early 0107");
    assert_offers("target 0209");
    at(GUNS, "reserve-1 0108 unlimbered; crawford 0109; garnett 0209; early 0107");
    assert_legal("target 0107; end fire");
    /* 0103 to 0306 runs between 0205 and 0305, woods both. */
    at(GUNS, "reserve-1 0103 unlimbered; garnett 0306; early 0101");
    assert_legal("target 0101; end fire");
}

RULE(test_ruling_28_the_missing_side_along_the_rim_does_not_block) {
    /* 0101 to 0301 runs between 0201 and the map's edge. */
    at(GUNS, "reserve-1 0101 unlimbered; crawford 0201; garnett 0301; early 0103");
    assert_offers("target 0301");
}

RULE(test_7_1_all_guns_that_join_need_sight) {
    at(GUNS, "reserve-1 0515 unlimbered; reserve-2 0915 unlimbered; crawford 0615; garnett 0715; early 0513");
    play("target 0715"); /* 0515: between 0614 and 0615; 0915: between 0814 and 0815 */
    assert_legal("join reserve-1; join reserve-2");
    at(GUNS, "reserve-1 0515 unlimbered; reserve-2 0915 unlimbered; crawford 0615; gordon 0614; garnett 0715; early 0513");
    play("target 0715");
    assert_decision("fire"); /* Reserve 2 alone */
}

/* Sight once more for every pair of hexes in reach, by another way: the line's share in every hex is measured in whole
 * numbers. With centres (3c, 2r) a hex is |y| <= 1, |x + y| <= 2, |x - y| <= 2. */
static bool clear_line(const struct brigade *b, int from, int to) {
    const int fx = 3 * (from % b->stride), fy = 2 * (from / b->stride) + (from % b->stride) % 2;
    const int dx = 3 * (to % b->stride) - fx, dy = 2 * (to / b->stride) + (to % b->stride) % 2 - fy;
    const int low = b->level[from] > b->level[to] ? b->level[from] : b->level[to];
    double side_at[64];
    bool side_blocks[64];
    int sides = 0, holding[64];
    for (int cell = 0; cell < b->stride * b->map_rows; cell++) {
        if (cell % b->stride >= b->columns || cell == from || cell == to) continue;
        const int cx = 3 * (cell % b->stride) - fx, cy = 2 * (cell / b->stride) + (cell % b->stride) % 2 - fy;
        const int vx[3] = {0, 1, 1}, vy[3] = {1, 1, -1}, most[3] = {1, 2, 2};
        double first = 0, last = 1;
        bool touches = true, inner = true;
        for (int i = 0; i < 3; i++) {
            const int centre = vx[i] * cx + vy[i] * cy, slope = vx[i] * dx + vy[i] * dy;
            if (!slope) {
                touches = touches && centre >= -most[i] && centre <= most[i];
                inner = inner && centre > -most[i] && centre < most[i];
                continue;
            }
            double one = (double)(centre - most[i]) / slope, two = (double)(centre + most[i]) / slope;
            if (one > two) { double t = one; one = two; two = t; }
            if (one > first) first = one;
            if (two < last) last = two;
        }
        if (!touches || last - first < 1e-9) continue;
        const bool blocks = b->terrains[b->terrain[cell]].blocks_sight || b->level[cell] > low;
        if (inner) {
            if (blocks) return false;
            continue;
        }
        int i = 0;
        while (i < sides && (side_at[i] - first > 1e-9 || first - side_at[i] > 1e-9)) i++;
        if (i == sides) sides++, side_at[i] = first, side_blocks[i] = true, holding[i] = 0;
        side_blocks[i] = side_blocks[i] && blocks;
        holding[i]++;
    }
    for (int i = 0; i < sides; i++)
        if (side_blocks[i] && holding[i] == 2) return false;
    return true;
}

RULE(test_9_4_and_ruling_28_sight_over_all_the_map) {
    const struct brigade *b = game()->rules;
    int wrong = 0, pairs = 0;
    for (int from = 0; from < b->stride * b->map_rows; from++)
        for (int to = 0; to < b->stride * b->map_rows; to++) {
            if (from % b->stride >= b->columns || to % b->stride >= b->columns || from == to) continue;
            const int range = distance(b, (unsigned)from, (unsigned)to);
            if (range < 2 || range > 10) continue;
            if (b->terrains[b->terrain[from]].prohibited || b->terrains[b->terrain[to]].prohibited) continue;
            pairs++;
            const bool seen = board_test(&b->sight[from], (unsigned)to);
            if (seen != board_test(&b->sight[to], (unsigned)from)) fail_msg("sight is not mutual: cells %d, %d", from, to);
            if (seen != clear_line(b, from, to)) {
                char one[5], two[5];
                brigade_hex(b, from, one), brigade_hex(b, to, two);
                print_error("%s %s %s\n", one, seen ? "sees" : "does not see", two);
                wrong++;
            }
        }
    assert_int_equal(wrong, 0);
    assert_true(pairs > 50000);
}

/* ---- 9.5: range, the chart, modifiers ---- */

RULE(test_9_5_guns_double_at_1_halve_beyond_5_and_end_at_10) {
    const char *const field = "andrews 0515 unlimbered; crawford %s";
    static const struct { const char *hex; int face, lost; bool check; } shots[] = {
        {"0516", 8, 1, true},  /* 10 SP: 8-10 */
        {"0516", 5, 0, false},
        {"0516", 6, 0, true},
        {"0715", 8, 0, true},  /* 5 SP: 5-7 */
        {"0715", 9, 1, true},
        {"0715", 6, 0, false},
        {"1015", 9, 1, true},  /* range 5 */
        {"1015", 7, 0, true},
        {"1115", 9, 0, true},  /* range 6: 5 halved, rounded down to 2: 1-2 */
        {"1115", 8, 0, false},
        {"1515", 9, 0, true},  /* range 10 */
        {"1515", 8, 0, false},
    };
    for (size_t i = 0; i < sizeof shots / sizeof *shots; i++) {
        char pieces[128];
        snprintf(pieces, sizeof pieces, field, shots[i].hex);
        shot("turn: 6; half: confederate; phase: artillery", pieces, shots[i].hex, "andrews", shots[i].face, "crawford", shots[i].lost,
             shots[i].check);
    }
    at("turn: 6; half: confederate; phase: artillery", "andrews 0515 unlimbered; crawford 1615; gordon 0516");
    assert_legal("target 0516; end fire");
}

RULE(test_9_5_each_unit_is_halved_by_itself) {
    /* 3 and 3 at range 6 are 1 and 1: column 1-2, where an 8 is nothing. Together they would halve to 3. */
    shot(GUNS, "reserve-1 0515 unlimbered; reserve-2 0514 unlimbered; garnett 1115", "1115", "reserve-1 reserve-2", 8, "garnett", 0, false);
    shot(GUNS, "reserve-1 0515 unlimbered; reserve-2 0514 unlimbered; garnett 1115", "1115", "reserve-1 reserve-2", 9, "garnett", 0, true);
}

RULE(test_9_1_halving_leaves_1_at_least) {
    /* 1 + 1 + 1 are 3: column 3-4. */
    shot(GUNS, "reserve-1 0515 1 unlimbered; reserve-2 0514 1 unlimbered; reserve-3 0516 1 unlimbered; garnett 1115", "1115",
         "reserve-1 reserve-2 reserve-3", 8, "garnett", 0, true);
    shot(DEFENCE, "bayard 0514 1; garnett 0515", "0515", "bayard", 9, "garnett", 0, true);
}

RULE(test_ruling_31_mounted_cavalry_defends_at_half) {
    shot(DEFENCE, "bayard 0514; thomas 0515", "0515", "bayard", 8, "thomas", 0, true);            /* 4: 3-4 */
    shot(DEFENCE, "bayard 0514; thomas 0515", "0515", "bayard", 7, "thomas", 0, false);
    shot(DEFENCE, "bayard 0514 dismounted; thomas 0515", "0515", "bayard", 8, "thomas", 1, true); /* 8: 8-10 */
    shot(DEFENCE, "bayard 0514 7; thomas 0515", "0515", "bayard", 8, "thomas", 0, true);          /* 3 */
    shot(DEFENCE, "bayard 0514 5; thomas 0515", "0515", "bayard", 8, "thomas", 0, false);         /* 2 */
}

RULE(test_2_4_and_ruling_41_shattered_units_fire_with_what_they_have) {
    shot(OFFENCE, "crawford 0514 8; thomas 0515", "0515", "crawford", 8, "thomas", 1, true); /* 8-10 */
    shot(OFFENCE, "crawford 0514 7; thomas 0515", "0515", "crawford", 8, "thomas", 0, true); /* 5-7 */
}

/* The chart of the project, typed in again. */
static const struct { int least, most; const char *results[10]; } chart[] = {
    {1, 2, {"-", "-", "-", "-", "-", "-", "-", "-", "M", "1*"}},
    {3, 4, {"-", "-", "-", "-", "-", "-", "-", "M", "M", "1*"}},
    {5, 7, {"-", "-", "-", "-", "-", "-", "M", "M", "1", "1R*"}},
    {8, 10, {"-", "-", "-", "-", "-", "M", "M", "1", "1", "1R*"}},
    {11, 14, {"-", "-", "-", "-", "M", "M", "1", "1", "1", "2R*"}},
    {15, 19, {"-", "-", "-", "M", "M", "1", "1", "1", "2", "2R*"}},
    {20, 25, {"-", "-", "M", "M", "1", "1", "1", "2", "2", "2R*"}},
    {26, 32, {"-", "M", "M", "1", "1", "1", "2", "2", "2R", "3R*"}},
    {33, 40, {"M", "M", "1", "1", "1", "2", "2", "2R", "3R", "3R*"}},
};
enum { CHART_COLUMNS = sizeof chart / sizeof *chart };

#define POPE_OFFENCE OFFENCE "; arrival: [{group: Ricketts, turn: 4}]"

/* After an attack on Thomas at 0515: he lost, goes back, is to check, as the result says. */
static void assert_result(const char *result, int strength, int face) {
    const int lost = result[0] >= '1' && result[0] <= '9' ? result[0] - '0' : 0;
    const bool back_he_goes = strchr(result, 'R'), check = result[0] != '-';
    assert_strength("thomas", strength - lost);
    if (back_he_goes) {
        go_back();
        const struct brigade *b = game()->rules;
        assert_int_equal(distance(b, inside()->cell[row_of("thomas")], (unsigned)brigade_cell(b, "0515")), 2);
    } else
        assert_hex("thomas", "0515");
    if (check) assert_decision("morale");
    else if (!strcmp(lr_decision(game(), state()), "morale")) fail_msg("a check after \"%s\" (%d)", result, face);
}

RULE(test_9_6_and_3_2_every_entry_of_the_chart) {
    scenario(HISTORICAL_POPE);
    for (int column = 0; column < CHART_COLUMNS; column++)
        for (int end = 0; end < 2; end++) {
            const int strength = end ? chart[column].most : chart[column].least;
            char pieces[160];
            snprintf(pieces, sizeof pieces, "hartsuff 0514 %d; %s%.0d%s thomas 0515", strength > 21 ? 21 : strength,
                     strength > 21 ? "tower 0614 " : "", strength > 21 ? strength - 21 : 0, strength > 21 ? ";" : "");
            for (int face = 1; face <= 10; face++) {
                at(POPE_OFFENCE, pieces);
                attack("0515", "tower hartsuff");
                roll(face);
                assert_result(chart[column].results[face - 1], 15, face);
            }
        }
}

RULE(test_9_5_limbered_guns_are_hit_one_column_right) {
    scenario(HISTORICAL_POPE);
    for (int column = 0; column < CHART_COLUMNS; column++) {
        const int strength = chart[column].least, right = column + 1 < CHART_COLUMNS ? column + 1 : column;
        char pieces[160];
        snprintf(pieces, sizeof pieces, "hartsuff 0514 %d; %s%.0d%s andrews 0515", strength > 21 ? 21 : strength,
                 strength > 21 ? "tower 0614 " : "", strength > 21 ? strength - 21 : 0, strength > 21 ? ";" : "");
        for (int face = 1; face <= 10; face++) {
            const char *result = chart[right].results[face - 1];
            const int lost = result[0] >= '1' && result[0] <= '9' ? result[0] - '0' : 0;
            at(POPE_OFFENCE, pieces);
            attack("0515", "tower hartsuff");
            roll(face);
            assert_strength("andrews", 5 - lost);
        }
    }
}

RULE(test_9_5_unlimbered_guns_are_not) {
    shot(OFFENCE, "crawford 0514 4; andrews 0515 unlimbered", "0515", "crawford", 7, "andrews", 0, false); /* 3-4 */
    shot(OFFENCE, "crawford 0514 4; andrews 0515", "0515", "crawford", 7, "andrews", 0, true);             /* 5-7 */
}

RULE(test_9_5_flank_fire_from_three_adjacent_hexes) {
    /* 4 + 4 + 4 = 12 in 11-14: 4 is nothing, with +1 a check. */
    shot(OFFENCE, "crawford 0514 4; gordon 0614 4; geary 0516 4; thomas 0515", "0515", "crawford gordon geary", 4, "thomas", 0, true);
    shot(OFFENCE, "crawford 0514 6; gordon 0614 6; geary 0516 4; thomas 0515", "0515", "crawford gordon", 4, "thomas", 0, false);
    /* 6 counts as 7 */
    shot(OFFENCE, "crawford 0514 4; gordon 0614 4; geary 0516 4; thomas 0515", "0515", "crawford gordon geary", 6, "thomas", 1, true);
}

RULE(test_ruling_29_only_adjacent_firers_count_for_the_flank) {
    /* A gun two hexes off makes the third: 4 + 4 + 3 = 11, no flank. */
    shot(DEFENCE, "crawford 0514 4; gordon 0614 4; reserve-1 0715 unlimbered; geary 0516; thomas 0515", "0515", "crawford gordon reserve-1", 4,
         "thomas", 0, false);
    /* Adjacent, limbered units and leaders do not fire, so they are no flank either; a gun next to it is. */
    shot(DEFENCE, "crawford 0514 4; gordon 0614 3; reserve-1 0615 2 unlimbered; thomas 0515", "0515", "crawford gordon reserve-1", 4, "thomas",
         0, true);
}

RULE(test_9_5_and_ruling_30_flank_cannot_pass_10) {
    shot(OFFENCE, "crawford 0514 1; gordon 0614 1; geary 0516 1; thomas 0515", "0515", "crawford gordon geary", 10, "thomas", 1, true);
}

RULE(test_9_5_woods_and_farm_take_1_off_the_die) {
    /* 17 in 15-19: 4 checks; in woods it counts as 3. */
    shot(OFFENCE, "crawford 0607; thomas 0606", "0606", "crawford", 4, "thomas", 0, false);
    shot(OFFENCE, "crawford 0607; thomas 0606", "0606", "crawford", 5, "thomas", 0, true);
    shot(OFFENCE, "crawford 0607; thomas 0606", "0606", "crawford", 6, "thomas", 0, true);
    shot(OFFENCE, "crawford 1014; thomas 1013", "1013", "crawford", 4, "thomas", 0, false);
    shot(OFFENCE, "crawford 1014; thomas 1013", "1013", "crawford", 5, "thomas", 0, true);
    shot(OFFENCE, "crawford 1108; thomas 1109", "1109", "crawford", 4, "thomas", 0, true); /* corn: none */
    shot(OFFENCE, "crawford 0514; thomas 0515", "0515", "crawford", 4, "thomas", 0, true);
}

RULE(test_9_5_and_ruling_30_a_die_of_1_stays_1) {
    shot(OFFENCE, "crawford 0607; thomas 0606", "0606", "crawford", 1, "thomas", 0, false);
    /* In the last column a 1 is a check: it cannot fall below. */
    scenario(HISTORICAL_POPE);
    at(POPE_OFFENCE, "tower 0607; hartsuff 0506; thomas 0606");
    attack("0606", "tower hartsuff");
    play("roll 1");
    assert_decision("morale");
}

RULE(test_9_5_a_natural_10_in_woods_counts_as_9) {
    /* 15-19: 9 costs 2 without retreat. */
    at(OFFENCE, "crawford 0607; thomas 0606");
    attack("0606", "crawford");
    play("roll 10");
    assert_strength("thomas", 13);
    assert_hex("thomas", "0606");
    assert_decision("morale");
}

RULE(test_9_5_target_higher_than_every_firer) {
    /* 0910 is level 1; 0909 and 1009 are level 0, 0911 is level 1. */
    shot(OFFENCE, "crawford 0909; thomas 0910", "0910", "crawford", 4, "thomas", 0, false);
    shot(OFFENCE, "crawford 0909; thomas 0910", "0910", "crawford", 5, "thomas", 0, true);
    shot(OFFENCE, "crawford 0911; thomas 0910", "0910", "crawford", 4, "thomas", 0, true);
    shot(OFFENCE, "crawford 0909 9; gordon 1009 8; thomas 0910", "0910", "crawford gordon", 4, "thomas", 0, false);
    shot(OFFENCE, "crawford 0909 9; gordon 0911 8; thomas 0910", "0910", "crawford gordon", 4, "thomas", 0, true); /* one as high: none */
    shot(OFFENCE, "crawford 0910; thomas 0909", "0909", "crawford", 4, "thomas", 0, true); /* lower: none */
}

RULE(test_ruling_30_one_terrain_modifier_only) {
    /* 0607: woods on level 1; 0707: level 0. */
    shot(OFFENCE, "crawford 0707; thomas 0607", "0607", "", 5, "thomas", 0, true);
    shot(OFFENCE, "crawford 0707; thomas 0607", "0607", "", 4, "thomas", 0, false);
}

RULE(test_9_5_flank_and_terrain_add_up) {
    /* Woods -1 and flank +1: a 4 stays 4. */
    shot(OFFENCE, "crawford 0607 6; gordon 0506 6; geary 0706 5; thomas 0606", "0606", "crawford gordon geary", 4, "thomas", 0, true);
    shot(OFFENCE, "crawford 0607 6; gordon 0506 6; geary 0706 5; thomas 0606", "0606", "crawford gordon geary", 3, "thomas", 0, false);
}

/* ---- 9.6 ---- */

RULE(test_9_6_and_ruling_49_losses_score_what_was_there) {
    at(OFFENCE, "crawford 0514; thomas 0515 1; early 1515");
    attack("0515", "crawford");
    play("roll 10");
    assert_score(1);
    at(OFFENCE, "crawford 0514; thomas 0515; early 1515");
    attack("0515", "crawford");
    play("roll 9");
    assert_score(2);
    at(DEFENCE, "crawford 0514; thomas 0515; early 1515");
    attack("0515", "crawford");
    play("roll 9");
    assert_score(2);
    at("turn: 6; half: confederate; phase: offence", "crawford 0514; thomas 0515; early 1515");
    attack("0514", "thomas");
    play("roll 9");
    assert_score(-2);
}

RULE(test_2_4_a_loss_shatters) {
    /* Thomas 15/7: from 9 to 7. The next Movement Phase he enters no zone. */
    at(OFFENCE, "crawford 0514; thomas 0515 9; jackson 0515; geary 0818; early 1515");
    attack("0515", "crawford");
    play("roll 9; roll 1");
    wait_for_side("pick", LR_CONFEDERATE);
    play("pick thomas");
    assert_offers_not("to 0817");
    at(OFFENCE, "crawford 0514; thomas 0515 10; jackson 0515; geary 0818; early 1515");
    attack("0515", "crawford");
    play("roll 9; roll 1");
    wait_for_side("pick", LR_CONFEDERATE);
    play("pick thomas");
    assert_offers("to 0817");
}

RULE(test_ruling_28_touching_a_corner_blocks_nothing) {
    /* 0212 to 0615 runs over 0313, 0413, 0414 and 0515, all clear, and meets the woods of 0314 in a corner only. */
    at(GUNS, "reserve-1 0212 unlimbered; garnett 0615; early 1901");
    assert_legal("target 0615; end fire");
    at("turn: 6; half: confederate; phase: artillery", "andrews 0615 unlimbered; crawford 0212; gordon 1901"); /* mutual */
    assert_legal("target 0212; end fire");
    at(GUNS, "reserve-1 0313 unlimbered; garnett 0315; early 0312"); /* straight over 0314 */
    assert_legal("target 0312; end fire");
}

RULE(test_ruling_28_woods_block_whatever_the_heights) {
    /* From 1220, level 4, over the woods of 1219, level 3, at 1218, level 2; and back. */
    at(GUNS, "reserve-1 1220 unlimbered; garnett 1218; early 1120");
    assert_legal("target 1120; end fire");
    at("turn: 6; half: confederate; phase: artillery", "andrews 1218 unlimbered; crawford 1220; gordon 1217");
    assert_legal("target 1217; end fire");
}

RULE(test_ruling_28_enemies_do_not_hide_and_friends_of_the_target_neither) {
    /* Early stands next to Garnett, in the line: no friend of the guns. Crawford routed hides him as well as fresh. */
    at(GUNS, "reserve-1 0515 unlimbered; early 0715; garnett 0815");
    assert_legal("target 0815; target 0715; end fire");
    at(GUNS, "reserve-1 0515 unlimbered; crawford 0715 routed; garnett 0815; early 0513");
    assert_legal("target 0513; end fire");
    at(GUNS, "reserve-1 0515 unlimbered; banks 0715; crawford 1901; garnett 0815; early 0513"); /* a leader is no unit */
    assert_legal("target 0815; target 0513; end fire");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_9_1_units_combine_their_strength),
        TEST(test_9_1_each_unit_fires_once_and_is_fired_on_once),
        TEST(test_9_1_firing_is_never_forced),
        TEST(test_9_2_all_arms_fire_in_defence),
        TEST(test_9_2_targets_of_defensive_fire_are_the_movers),
        TEST(test_9_3_infantry_and_dismounted_cavalry_fire_in_offence),
        TEST(test_9_3_no_infantry_fire_beyond_range_1),
        TEST(test_9_and_ruling_26_defensive_fire_comes_first_and_counts_at_once),
        TEST(test_ruling_27_a_unit_is_a_target_once_though_it_retreats),
        TEST(test_9_4_adjacent_units_always_see),
        TEST(test_9_4_woods_and_town_between_block),
        TEST(test_9_4_the_terrain_of_firer_and_target_does_not_block),
        TEST(test_9_4_higher_ground_than_both_blocks),
        TEST(test_9_4_ground_higher_than_one_end_only_does_not_block),
        TEST(test_9_4_a_friend_next_to_the_target_blocks),
        TEST(test_9_4_a_friend_next_to_the_target_off_the_line_does_not_block),
        TEST(test_9_4_enemies_never_block),
        TEST(test_ruling_28_a_line_along_a_hexside_needs_both_sides_blocked),
        TEST(test_ruling_28_the_missing_side_along_the_rim_does_not_block),
        TEST(test_7_1_all_guns_that_join_need_sight),
        TEST(test_9_4_and_ruling_28_sight_over_all_the_map),
        TEST(test_9_5_guns_double_at_1_halve_beyond_5_and_end_at_10),
        TEST(test_9_5_each_unit_is_halved_by_itself),
        TEST(test_9_1_halving_leaves_1_at_least),
        TEST(test_ruling_31_mounted_cavalry_defends_at_half),
        TEST(test_2_4_and_ruling_41_shattered_units_fire_with_what_they_have),
        TEST(test_9_6_and_3_2_every_entry_of_the_chart),
        TEST(test_9_5_limbered_guns_are_hit_one_column_right),
        TEST(test_9_5_unlimbered_guns_are_not),
        TEST(test_9_5_flank_fire_from_three_adjacent_hexes),
        TEST(test_ruling_29_only_adjacent_firers_count_for_the_flank),
        TEST(test_9_5_and_ruling_30_flank_cannot_pass_10),
        TEST(test_9_5_woods_and_farm_take_1_off_the_die),
        TEST(test_9_5_and_ruling_30_a_die_of_1_stays_1),
        TEST(test_9_5_a_natural_10_in_woods_counts_as_9),
        TEST(test_9_5_target_higher_than_every_firer),
        TEST(test_ruling_30_one_terrain_modifier_only),
        TEST(test_9_5_flank_and_terrain_add_up),
        TEST(test_9_6_and_ruling_49_losses_score_what_was_there),
        TEST(test_2_4_a_loss_shatters),
        TEST(test_ruling_28_touching_a_corner_blocks_nothing),
        TEST(test_ruling_28_woods_block_whatever_the_heights),
        TEST(test_ruling_28_enemies_do_not_hide_and_friends_of_the_target_neither),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
