/* test_player.c: players by their specs, and a table's clocks and faults, on the race (race.h) and with agents of ours. */
#include "agents/agent.h"
#include "agents/player.h"
#include "race.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
// cmocka needs the four above
#include <cmocka.h>

static int open_race(void **state) {
    lr_game *game;
    if (lr_game_make(&race_ruleset, "race", "", 0, ".", &game, NULL)) return -1;
    *state = game;
    return 0;
}

static int close_race(void **state) {
    lr_game_close(*state);
    return 0;
}

static struct player *opened(const char *spec) {
    struct player *player;
    lr_error error;
    if (player_open(spec, &player, &error)) fail_msg("%s", error.text);
    return player;
}

static struct game_terms terms_of(const lr_game *game, const char *side_0, const char *side_1) {
    return (struct game_terms){.game = game, .players = {opened(side_0), opened(side_1)}, .seed = 5};
}

static void leave(const struct game_terms *terms) {
    player_close(terms->players[0]);
    player_close(terms->players[1]);
}

static void play(const struct game_terms *terms, struct game_result *result) {
    lr_error error;
    if (table_play(terms, result, &error)) fail_msg("%s", error.text);
}

static void a_spec_is_put_into_normal_form(void **state) {
    (void)state;
    struct player *player = opened(" \tgreedy  ");
    assert_string_equal(player_spec(player), "greedy");
    assert_string_equal(player_name(player), "greedy");
    player_close(player);
    player_close(NULL);
}

static void a_bad_spec_is_refused_with_a_sentence(void **state) {
    (void)state;
    struct player *player;
    lr_error error;
    char endless[SPEC_MOST + 2];
    memset(endless, 'x', sizeof endless - 1);
    endless[sizeof endless - 1] = 0;
    assert_int_equal(player_open("napoleon", &player, &error), LR_E_NOT_FOUND);
    assert_non_null(strstr(error.text, "napoleon"));
    assert_int_equal(player_open("", &player, &error), LR_E_NOT_FOUND);
    assert_int_equal(player_open("hum", &player, &error), LR_E_NOT_FOUND);
    assert_int_equal(player_open("human:fast", &player, &error), LR_E_NOT_FOUND);
    assert_int_equal(player_open("mcts:speed=9", &player, &error), LR_E_ARGUMENT);
    assert_int_equal(player_open(endless, &player, &error), LR_E_ARGUMENT);
    assert_int_equal(player_open("two\nlines", &player, &error), LR_E_ARGUMENT);
}

static void between_choosers_a_table_plays_the_match(void **state) {
    const lr_chooser *agents[2] = {&agent_random.chooser, &agent_greedy.chooser};
    struct match *match;
    struct game_terms terms = terms_of(*state, "random", "greedy");
    assert_int_equal(match_open(*state, agents, &match, NULL), LR_OK);
    for (terms.seed = 0; terms.seed < 50; terms.seed++) {
        struct match_result expected;
        struct game_result result;
        terms.episode = (uint32_t)terms.seed % 3;
        assert_int_equal(match_play(match, terms.seed, terms.episode, NULL, &expected, NULL), LR_OK);
        play(&terms, &result);
        assert_int_equal(result.end, GAME_PLAYED);
        assert_int_equal(result.at_fault, LR_NOBODY);
        assert_true(result.hash == expected.hash);
        assert_true(result.legal == expected.legal);
        assert_int_equal(result.winner, expected.winner);
        assert_int_equal(result.score, expected.score);
        assert_int_equal(result.decisions, expected.decisions);
        assert_int_equal(result.dice, expected.dice);
        assert_string_equal(result.reason, expected.reason);
    }
    match_close(match);
    leave(&terms);
}

static void an_agent_with_options_takes_a_seat(void **state) {
    struct game_terms terms = terms_of(*state, "mcts:simulations=30,tree=2000", "expectimax:depth=1");
    struct game_result first, again;
    play(&terms, &first);
    play(&terms, &again);
    assert_int_equal(first.end, GAME_PLAYED);
    assert_true(first.hash == again.hash);
    assert_string_equal(player_spec(terms.players[0]), "mcts:simulations=30,tree=2000");
    leave(&terms);
}

static void a_table_records_every_action(void **state) {
    struct game_terms terms = terms_of(*state, "random", "greedy");
    struct game_result result;
    assert_int_equal(lr_replay_new(*state, terms.seed, 0, "random", "greedy", &terms.record, NULL), LR_OK);
    play(&terms, &result);
    assert_int_equal(lr_replay_length(terms.record), (int)(result.decisions + result.dice));
    assert_int_equal(lr_to_move(*state, lr_replay_state(terms.record)), LR_NOBODY);
    lr_replay_free(terms.record);
    leave(&terms);
}

static void a_stopped_game_has_no_result(void **state) {
    const atomic_int stop = 1;
    struct game_terms terms = terms_of(*state, "random", "greedy");
    struct game_result result;
    terms.stop = &stop;
    play(&terms, &result);
    assert_int_equal(result.end, GAME_STOPPED);
    assert_int_equal(result.at_fault, LR_NOBODY);
    assert_int_equal(result.winner, LR_NOBODY);
    assert_int_equal(result.decisions, 0);
    leave(&terms);
}

/* ---- A person ---- */

static int redirected(int fd, FILE *to) {
    int saved = dup(fd);
    dup2(fileno(to), fd);
    return saved;
}

static void restore(int fd, int saved) {
    dup2(saved, fd);
    close(saved);
}

/* Plays as the Union against greedy, typing `input`; `screen` gets what was shown. */
static void play_by_hand(const lr_game *game, const char *input, struct game_result *result, char screen[1 << 16]) {
    struct game_terms terms = terms_of(game, "human", "greedy");
    FILE *typed = tmpfile(), *shown = tmpfile();
    fputs(input, typed);
    rewind(typed);
    fflush(stderr);
    int saved_input = redirected(STDIN_FILENO, typed), saved_errors = redirected(STDERR_FILENO, shown);
    play(&terms, result);
    fflush(stderr);
    restore(STDIN_FILENO, saved_input);
    restore(STDERR_FILENO, saved_errors);
    rewind(shown);
    screen[fread(screen, 1, (1 << 16) - 1, shown)] = 0;
    fclose(typed);
    fclose(shown);
    leave(&terms);
}

static char screen[1 << 16];

static void a_person_chooses_by_number_or_text(void **state) {
    struct game_result numbers, texts, greedy;
    play_by_hand(*state, "2\n2\n2\n2\n2\n2\n2\n2\n2\n2\n", &numbers, screen);
    assert_int_equal(numbers.end, GAME_PLAYED);
    assert_non_null(strstr(screen, "You play the union"));
    assert_non_null(strstr(screen, "confederate: step: "));
    assert_non_null(strstr(screen, "chance: die: "));
    char action[LR_MAX_TEXT], lines[10 * (LR_MAX_TEXT + 4)] = "";
    uint64_t first[1];
    lr_start(*state, (lr_state *)(void *)first);
    lr_action_text(*state, (lr_state *)(void *)first, 1, action);
    for (int i = 0; i < 10; i++) strcat(strcat(strcat(lines, "  "), action), " \r\n");
    play_by_hand(*state, lines, &texts, screen);
    assert_true(texts.hash == numbers.hash);

    struct game_terms terms = terms_of(*state, "greedy", "greedy"); /* which always takes the second */
    play(&terms, &greedy);
    leave(&terms);
    assert_true(greedy.hash == numbers.hash);
}

static void a_person_who_mistypes_is_asked_again(void **state) {
    struct game_result result;
    char endless[400];
    memset(endless, 'x', sizeof endless - 2);
    strcpy(endless + sizeof endless - 2, "\n");
    char input[1000];
    snprintf(input, sizeof input, "0\n4\n99999999999999999999\ncharge\n%s\nhelp\nmap\nlist\nquit\n", endless);
    play_by_hand(*state, input, &result, screen);
    assert_int_equal(result.end, GAME_STOPPED);
    assert_int_equal(result.at_fault, LR_NOBODY);
    assert_int_equal(result.decisions, 0);
    assert_non_null(strstr(screen, "There is no choice 0: type 1 to 3"));
    assert_non_null(strstr(screen, "There is no choice 4"));
    assert_non_null(strstr(screen, "There is no choice 99999999999999999999"));
    assert_non_null(strstr(screen, "charge"));
    assert_non_null(strstr(screen, "break the game off"));
    assert_non_null(strstr(screen, "The game is broken off: human left"));
}

static void the_end_of_input_breaks_the_game_off(void **state) {
    struct game_result result;
    play_by_hand(*state, "1\n1\n", &result, screen);
    assert_int_equal(result.end, GAME_STOPPED);
    assert_string_equal(result.reason, "human left: the input ended");
    assert_in_range(result.decisions, 3, 4);
    play_by_hand(*state, "1\n1", &result, screen); /* a last line needs no end */
    assert_in_range(result.decisions, 3, 4);
}

static void a_person_has_a_clock_too(void **state) {
    struct game_terms terms = terms_of(*state, "human", "greedy");
    struct game_result result;
    int ends[2];
    terms.clock.move_us = 50 * 1000;
    assert_int_equal(pipe(ends), 0);
    FILE *silence = fdopen(ends[0], "r"), *shown = tmpfile();
    fflush(stderr);
    int saved_input = redirected(STDIN_FILENO, silence), saved_errors = redirected(STDERR_FILENO, shown);
    play(&terms, &result);
    restore(STDIN_FILENO, saved_input);
    restore(STDERR_FILENO, saved_errors);
    fclose(silence);
    fclose(shown);
    close(ends[1]);
    leave(&terms);
    assert_int_equal(result.end, GAME_TIMEOUT);
    assert_int_equal(result.winner, LR_CONFEDERATE);
    assert_in_range(result.thought_us[0], 50 * 1000, 550 * 1000);
}

static void every_end_has_a_name_of_its_own(void **state) {
    (void)state;
    for (int end = GAME_PLAYED; end <= GAME_STOPPED; end++)
        for (int other = GAME_PLAYED; other < end; other++)
            assert_string_not_equal(game_end_name(end), game_end_name(other));
    assert_string_equal(game_end_name(GAME_NO_START), "no-start");
    assert_string_equal(game_end_name(GAME_STOPPED), "stopped");
    assert_string_equal(game_end_name(-1), "unknown");
    assert_string_equal(game_end_name(GAME_STOPPED + 1), "unknown");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spec_is_put_into_normal_form),
        cmocka_unit_test(a_bad_spec_is_refused_with_a_sentence),
        cmocka_unit_test(between_choosers_a_table_plays_the_match),
        cmocka_unit_test(an_agent_with_options_takes_a_seat),
        cmocka_unit_test(a_table_records_every_action),
        cmocka_unit_test(a_stopped_game_has_no_result),
        cmocka_unit_test(a_person_chooses_by_number_or_text),
        cmocka_unit_test(a_person_who_mistypes_is_asked_again),
        cmocka_unit_test(the_end_of_input_breaks_the_game_off),
        cmocka_unit_test(a_person_has_a_clock_too),
        cmocka_unit_test(every_end_has_a_name_of_its_own),
    };
    return cmocka_run_group_tests(tests, open_race, close_race);
}
