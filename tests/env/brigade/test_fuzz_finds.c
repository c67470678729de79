/* What fuzzing found (tests/fuzz): each case once a state file or scenario that was accepted and should not have been.
 * The inputs themselves are in tests/fuzz/corpus. */
#include "position.h"

#include <stdlib.h>

/* A state at the bound of the score could be played beyond it: what is still to be lost must have room. */
RULE(points_to_come_have_room) {
    assert_refused("turn: 4; phase: movement; half: union; vp: 300", "crawford 0415; garnett 0815", "vp");
    assert_refused("turn: 4; phase: movement; half: union; vp: -300", "crawford 0415; garnett 0815", "vp");
    at("turn: 4; phase: movement; half: union; vp: 50", "crawford 0415; garnett 0815");
    assert_score(50);
}

/* Stars count at the end of a turn: on turn 4 of a game that begins with turn 3, four of them have paid 8 at most. */
RULE(stars_to_come_have_room) {
    assert_refused("turn: 4; phase: movement; half: union; vp: 10; stars: 10", "crawford 0415; garnett 0815", "stars");
    at("turn: 4; phase: movement; half: union; vp: 8; stars: 8", "crawford 0415; garnett 0815");
}

/* A die for a group that comes by the schedule, or on another turn, or in the other half. */
RULE(arrival_dice_are_those_of_the_scenario) {
    assert_refused("turn: 5; phase: command; half: union; decision: arrival; group: Hill's van",
                   "crawford 0415; garnett 0815", "decision");
    scenario(FREE);
    at("turn: 4; phase: command; half: confederate; decision: arrival; group: Hill", "crawford 0415; garnett 0815");
    assert_refused("turn: 3; phase: command; half: confederate; decision: arrival; group: Hill",
                   "crawford 0415; garnett 0815", "decision");
    assert_refused("turn: 4; phase: command; half: union; decision: arrival; group: Hill",
                   "crawford 0415; garnett 0815", "decision");
}

/* 255 dice in a phase, and the next made the count 0, the event key one that had been. */
RULE(casualty_dice_do_not_wrap) {
    const char *keys = "turn: 5; phase: defence; half: union; casualty_dice: [{leader: Banks, thrown: %d}]";
    const char *pieces = "crawford 0707; banks 0707; geary 0808; garnett 0708 engaged; early 0807";
    char text[160];
    snprintf(text, sizeof text, keys, 255);
    assert_refused(text, pieces, "casualty_dice");
    snprintf(text, sizeof text, keys, 1);
    at(text, pieces);
}

static char *small_scenario(const char *from, const char *to) {
    char *text, *altered, *found;
    size_t length;
    assert_int_equal(lr_file_read(LONGROLL_SOURCE "/tests/fuzz/scenarios/small.yaml", 1 << 16, &text, &length, NULL),
                     0);
    found = strstr(text, from);
    assert_non_null(found);
    altered = malloc(length + strlen(to) + 1);
    sprintf(altered, "%.*s%s%s", (int)(found - text), text, to, found + strlen(from));
    free(text);
    return altered;
}

static int open_altered(const char *from, const char *to, lr_error *error) {
    char *text = small_scenario(from, to);
    lr_game *opened = NULL;
    const int code = lr_game_make(&brigade_ruleset, "small", text, strlen(text),
                                  LONGROLL_SOURCE "/tests/fuzz/scenarios", &opened, error);
    free(text);
    lr_game_close(opened);
    return code;
}

/* Observations hold points up to 1000; a long game with many stars had more. */
RULE(scores_fit_into_observations) {
    static const char *const victory = "stars: [\"0404\", \"0504\"], star_points: 2";
    lr_error error;
    assert_int_equal(open_altered(victory, victory, &error), LR_OK);
    assert_int_equal(open_altered("star_points: 2", "star_points: 9", &error), LR_OK);
    assert_int_equal(open_altered("last: 4", "last: 31", &error), LR_OK);
    char *text = small_scenario("last: 4", "last: 31"), *many = NULL;
    many = strstr(text, victory);
    assert_non_null(many);
    char altered[8192];
    snprintf(altered, sizeof altered, "%.*sstars: [\"0404\", \"0504\", \"0101\", \"0102\"], star_points: 9%s",
             (int)(many - text), text, many + strlen(victory));
    free(text);
    lr_game *opened = NULL;
    assert_int_equal(lr_game_make(&brigade_ruleset, "small", altered, strlen(altered),
                                  LONGROLL_SOURCE "/tests/fuzz/scenarios", &opened, &error),
                     LR_E_SCENARIO);
    assert_null(opened);
    assert_non_null(strstr(error.text, "victory: "));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(points_to_come_have_room),
        TEST(stars_to_come_have_room),
        TEST(arrival_dice_are_those_of_the_scenario),
        TEST(casualty_dice_do_not_wrap),
        TEST(scores_fit_into_observations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
