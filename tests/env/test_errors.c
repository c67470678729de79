/* Error codes and sentences, names of scenarios, and the calls on games that say why they refuse. */
#include "kuhn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void codes_have_names_and_sentences(void **unused) {
    (void)unused;
    assert_string_equal(lr_code_name(LR_OK), "LR_OK");
    assert_string_equal(lr_code_name(LR_E_ILLEGAL), "LR_E_ILLEGAL");
    assert_string_equal(lr_code_name(LR_E_OVER), "LR_E_OVER");
    for (int code = LR_E_OVER; code <= LR_OK; code++) {
        assert_string_not_equal(lr_code_name(code), "unknown code");
        assert_true(strlen(lr_code_sentence(code)) > 0);
        for (int other = LR_E_OVER; other < code; other++)
            assert_string_not_equal(lr_code_sentence(code), lr_code_sentence(other));
    }
    assert_string_equal(lr_code_name(1), "unknown code");
    assert_string_equal(lr_code_name(LR_E_OVER - 1), "unknown code");
    assert_string_equal(lr_code_sentence(-1000000), "unknown code");
}

static void sentences_are_one_bounded_line(void **unused) {
    (void)unused;
    lr_error error;
    assert_int_equal(lr_fail(NULL, LR_E_IO, "x"), LR_E_IO);
    assert_int_equal(lr_fail(&error, LR_E_IO, "a\nb %d", 7), LR_E_IO);
    assert_int_equal(error.code, LR_E_IO);
    assert_string_equal(error.text, "a b 7");
    lr_fail(&error, LR_E_TEXT, "so: %s", error.text);
    assert_string_equal(error.text, "so: a b 7");
    char longest[1000];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    lr_fail(&error, LR_E_TEXT, "%s", longest);
    assert_int_equal(strlen(error.text), sizeof error.text - 1);
}

static void bad_names_find_no_game(void **unused) {
    (void)unused;
    kuhn_folder();
    static const char *const names[] = {"kuhn/none",   "../kuhn/plain", "kuhn/../kuhn/plain", "/etc/passwd",      "",
                                        "kuhn/plain ", "kuhn\nplain",   "./x/../y",           "/none/at/all.yaml"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        lr_game *game = NULL;
        lr_error error = {0};
        assert_int_equal(lr_game_open(names[i], &game, &error), LR_E_NOT_FOUND);
        assert_int_equal(error.code, LR_E_NOT_FOUND);
        assert_null(game);
        assert_null(strchr(error.text, '\n'));
    }
    lr_error error;
    lr_game *game = NULL;
    assert_int_equal(lr_game_open(NULL, &game, &error), LR_E_ARGUMENT);
}

static int open_written(const char *text, lr_error *error) {
    char path[128];
    snprintf(path, sizeof path, "%s/odd.yaml", kuhn_folder());
    assert_int_equal(lr_file_write(path, text, strlen(text), NULL), LR_OK);
    lr_game *game = NULL;
    const int code = lr_game_open("odd", &game, error);
    assert_true((game != NULL) == (code == LR_OK));
    lr_game_close(game);
    return code;
}

static void odd_files_are_refused_with_a_sentence(void **unused) {
    (void)unused;
    lr_error error;
    assert_int_equal(open_written("a: b\n", &error), LR_E_SCENARIO);
    assert_int_equal(open_written("", &error), LR_E_SCENARIO);
    assert_int_equal(open_written("ruleset\n", &error), LR_E_SCENARIO);
    assert_int_equal(open_written("- ruleset: kuhn\n", &error), LR_E_SCENARIO);
    assert_int_equal(open_written("ruleset: [kuhn]\n", &error), LR_E_SCENARIO);
    assert_int_equal(open_written("[ruleset, x]: kuhn\n", &error), LR_E_SCENARIO);
    assert_int_equal(open_written("ruleset: chess\n", &error), LR_E_NOT_FOUND);
    assert_non_null(strstr(error.text, "chess"));
    assert_int_equal(open_written("ok: 1\nruleset: \"kuhn\n", &error), LR_E_SCENARIO);
    assert_non_null(strstr(error.text, "line "));
    assert_int_equal(open_written("ruleset: kuhn\nbroken: 1\n", &error), LR_E_SCENARIO);
    assert_string_equal(error.text, "this one is broken");
    assert_int_equal(open_written("a: &x [1, {b: c}]\nd: *x\n? [k]\n: v\nruleset: kuhn\n", &error), LR_OK);
}

static void info_says_what_was_opened(void **unused) {
    (void)unused;
    lr_game *game = kuhn_open(false);
    const lr_info *info = lr_game_info(game);
    assert_string_equal(info->ruleset, "kuhn");
    assert_int_equal(info->ruleset_version, 3);
    assert_string_equal(info->scenario, "kuhn/plain");
    assert_string_equal(info->title, "Kuhn poker");
    assert_int_equal(info->state_bytes, 8);
    assert_int_equal(info->mask_bytes, 1);
    assert_int_equal(info->max_decisions, KUHN_MOST);
    lr_game_close(game);

    char path[128];
    snprintf(path, sizeof path, "%s/kuhn/surrender.yaml", kuhn_folder());
    assert_int_equal(lr_game_open(path, &game, NULL), LR_OK);
    assert_string_equal(lr_game_info(game)->scenario, "kuhn/surrender"); /* a name that opens it again */
    lr_game_close(game);
    lr_game_close(NULL);
}

static void illegal_actions_change_nothing(void **unused) {
    (void)unused;
    lr_game *game = kuhn_open(false);
    uint64_t memory = 0;
    lr_state *state = (lr_state *)(void *)&memory;
    lr_start(game, state);
    lr_error error;
    assert_int_equal(lr_apply(game, state, 1, &error), LR_OK);
    const uint64_t before = memory;
    static const int bad[] = {1, 3, -1, 1000000, INT32_MIN};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(lr_is_legal(game, state, bad[i]));
        assert_int_equal(lr_apply(game, state, bad[i], &error), LR_E_ILLEGAL);
        assert_true(memory == before);
    }
    lr_apply(game, state, 1, &error);
    assert_non_null(strstr(error.text, "deal queen")); /* names the action */
    assert_non_null(strstr(error.text, "2"));          /* and how many there are */
    assert_int_equal(lr_apply(game, state, 0, NULL), LR_OK);
    assert_int_equal(lr_apply(game, state, KUHN_PASS, NULL), LR_OK);
    assert_int_equal(lr_apply(game, state, KUHN_PASS, NULL), LR_OK);
    assert_int_equal(lr_to_move(game, state), LR_NOBODY);
    assert_int_equal(lr_apply(game, state, KUHN_PASS, &error), LR_E_OVER);
    assert_int_equal(lr_action_parse(game, state, "pass", &error), LR_E_OVER);
    float returns[2];
    lr_returns(game, state, returns);
    assert_true(returns[0] == 1.0f && returns[1] == -1.0f);
    assert_int_equal(lr_score(game, state), 1);
    lr_game_close(game);
}

static void texts_parse_back(void **unused) {
    (void)unused;
    lr_game *game = kuhn_open(true);
    uint64_t memory = 0;
    lr_state *state = (lr_state *)(void *)&memory;
    lr_start(game, state);
    lr_error error;
    char text[LR_MAX_TEXT];
    while (lr_to_move(game, state) != LR_NOBODY) {
        uint16_t legal[LR_MAX_ACTIONS];
        const int count = lr_legal(game, state, legal);
        for (int i = 0; i < count; i++) {
            char padded[2 * LR_MAX_TEXT], number[16];
            snprintf(padded, sizeof padded, " \t%s \n", lr_action_text(game, state, legal[i], text));
            snprintf(number, sizeof number, "%d", legal[i]);
            assert_int_equal(lr_action_parse(game, state, padded, &error), legal[i]);
            assert_int_equal(lr_action_parse(game, state, number, &error), legal[i]);
        }
        lr_apply_legal(game, state, legal[0]);
    }
    lr_start(game, state);
    static const char *const bad[] = {"",   " ", "bet", "deal", "deal jack jack", "3", "-1", "99999999999999999999",
                                      "0x1"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(lr_action_parse(game, state, bad[i], &error), LR_E_TEXT);
    assert_non_null(strstr(error.text, "deal king"));
    assert_string_equal(lr_action_text(game, state, 577, text), "?577");
    lr_game_close(game);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_have_names_and_sentences),
        cmocka_unit_test(sentences_are_one_bounded_line),
        cmocka_unit_test(bad_names_find_no_game),
        cmocka_unit_test(odd_files_are_refused_with_a_sentence),
        cmocka_unit_test(info_says_what_was_opened),
        cmocka_unit_test(illegal_actions_change_nothing),
        cmocka_unit_test(texts_parse_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
