/* Replays: what is written reads back to the same game, and a file that was cut, altered or made for another game is
 * refused with one sentence that names the line. */
#include "kuhn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROOM = 4096 };

static lr_replay *new_replay(const lr_game *game, uint64_t seed, const char *first, const char *second) {
    lr_replay *replay;
    assert_int_equal(lr_replay_new(game, seed, 6, first, second, &replay, NULL), LR_OK);
    return replay;
}

/* Plays `most` moves: dice as keyed, or always the highest; decisions from the seed. */
static void play(const lr_game *game, lr_replay *replay, bool keyed, int most) {
    for (int i = 0; i < most && lr_to_move(game, lr_replay_state(replay)) != LR_NOBODY; i++) {
        uint16_t legal[LR_MAX_ACTIONS];
        const lr_state *state = lr_replay_state(replay);
        const int count = lr_legal(game, state, legal);
        int action = legal[lr_random(lr_replay_seed(replay), (uint64_t)i, (uint32_t)count)];
        if (lr_to_move(game, state) == LR_CHANCE)
            action =
                keyed ? lr_sample(game, state, lr_replay_seed(replay), lr_replay_episode(replay)) : legal[count - 1];
        assert_int_equal(lr_replay_add(replay, action, NULL), LR_OK);
    }
}

static int format(const lr_replay *replay, char text[ROOM]) {
    const int length = lr_replay_format(replay, NULL, 0);
    assert_in_range(length, 1, ROOM - 1);
    assert_int_equal(lr_replay_format(replay, text, ROOM), length);
    assert_int_equal(strlen(text), length);
    return length;
}

static int read_code(const char *text, size_t length, lr_error *error) {
    lr_replay *replay = NULL;
    lr_game *game = NULL;
    char *exact = malloc(length ? length : 1); /* so that a sanitizer sees a read beyond the end */
    memcpy(exact, text, length);
    const int code = lr_replay_parse(exact, length, &replay, &game, error);
    free(exact);
    assert_true((replay != NULL) == (code == LR_OK));
    assert_true((game != NULL) == (code == LR_OK));
    lr_replay_free(replay);
    lr_game_close(game);
    return code;
}

static void assert_reads_back(const lr_replay *replay) {
    char text[ROOM], again[ROOM];
    const int length = format(replay, text);
    lr_replay *got;
    lr_game *game;
    lr_error error;
    if (lr_replay_parse(text, (size_t)length, &got, &game, &error)) fail_msg("%s\n%s", error.text, text);
    assert_int_equal(lr_replay_length(got), lr_replay_length(replay));
    for (int i = 0; i < lr_replay_length(got); i++)
        assert_int_equal(lr_replay_action(got, i), lr_replay_action(replay, i));
    assert_memory_equal(lr_replay_state(got), lr_replay_state(replay), 8);
    assert_true(lr_replay_hash(got) == lr_replay_hash(replay));
    assert_true(lr_replay_seed(got) == lr_replay_seed(replay));
    assert_int_equal(lr_replay_episode(got), lr_replay_episode(replay));
    for (int player = 0; player < 2; player++)
        assert_string_equal(lr_replay_agent(got, player), lr_replay_agent(replay, player));
    format(got, again);
    assert_string_equal(text, again);
    lr_replay_free(got);
    lr_game_close(game);
}

static void games_read_back(void **unused) {
    (void)unused;
    for (int scenario = 0; scenario < 2; scenario++) {
        lr_game *game = kuhn_open(scenario);
        for (uint64_t seed = 0; seed < 60; seed++)
            for (int most = 0; most <= KUHN_MOST; most++) {
                lr_replay *replay = new_replay(game, seed ? UINT64_MAX / seed : 0, "a \"quoted\" \\ name", "");
                play(game, replay, seed % 2, most);
                assert_reads_back(replay);
                lr_replay_free(replay);
            }
        lr_game_close(game);
    }
}

static void the_text_says_what_happened(void **unused) {
    (void)unused;
    lr_game *game = kuhn_open(false);
    lr_replay *replay = new_replay(game, 1, "ann", "bob");
    lr_error error;
    assert_int_equal(lr_replay_add(replay, 7, &error), LR_E_ILLEGAL);
    assert_int_equal(lr_replay_length(replay), 0);
    static const int moves[] = {2, 1, KUHN_BET, KUHN_BET};
    for (int i = 0; i < 4; i++) assert_int_equal(lr_replay_add(replay, moves[i], NULL), LR_OK);
    assert_int_equal(lr_replay_add(replay, 0, &error), LR_E_OVER);
    char text[ROOM];
    format(replay, text);
    static const char *const parts[] = {"[Longroll \"1\"]\n",
                                        "[Ruleset \"kuhn 3\"]\n",
                                        "[Scenario \"kuhn/plain\"]\n",
                                        "[ScenarioHash \"0000000000123456\"]\n",
                                        "[Seed \"1\"]\n",
                                        "[Episode \"6\"]\n",
                                        "[Union \"ann\"]\n",
                                        "[Confederate \"bob\"]\n",
                                        "[Result \"1-0\"]\n",
                                        "[Score \"2\"]\n",
                                        "[Reason \"showdown after a bet\"]\n",
                                        "\n# deal\nhash ",
                                        "\ndeal king; deal queen\n",
                                        "\n# betting\nhash ",
                                        "\nbet; bet\n",
                                        "\nend 4 "};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (!strstr(text, parts[i])) fail_msg("no %s in\n%s", parts[i], text);
    lr_replay_free(replay);
    lr_game_close(game);
}

static void dice_are_keyed_or_given(void **unused) {
    (void)unused;
    lr_game *game = kuhn_open(false);
    int given = 0;
    for (uint64_t seed = 0; seed < 12; seed++) {
        char text[ROOM];
        lr_replay *replay = new_replay(game, seed, "a", "b");
        play(game, replay, true, KUHN_MOST);
        format(replay, text);
        assert_non_null(strstr(text, "[Dice \"keyed\"]"));
        lr_replay_free(replay);

        replay = new_replay(game, seed, "a", "b");
        play(game, replay, false, KUHN_MOST);
        const int length = format(replay, text);
        char *dice = strstr(text, "[Dice \"given\"]");
        lr_replay_free(replay);
        if (!dice) continue; /* the dice happen to be those of the seed */
        given++;
        memcpy(dice, "[Dice \"keyed\"]", 14); /* a false claim */
        lr_error error;
        assert_int_equal(read_code(text, (size_t)length, &error), LR_E_REPLAY);
        assert_non_null(strstr(error.text, "not the outcome that the seed gives"));
    }
    assert_true(given >= 6);
    lr_game_close(game);
}

static int sample_text(char text[ROOM]) {
    lr_game *game = kuhn_open(false);
    lr_replay *replay = new_replay(game, 3, "ann", "bob");
    play(game, replay, true, KUHN_MOST);
    const int length = format(replay, text);
    lr_replay_free(replay);
    lr_game_close(game);
    return length;
}

static void cut_files_are_refused(void **unused) {
    (void)unused;
    char text[ROOM];
    const size_t length = (size_t)sample_text(text);
    assert_int_equal(read_code(text, length, NULL), LR_OK);
    for (size_t cut = 0; cut < length; cut++) {
        lr_error error;
        assert_int_equal(read_code(text, cut, &error), LR_E_REPLAY);
        assert_memory_equal(error.text, "line ", 5);
    }
}

/* The names of agents and the engine are hearsay; every other altered byte must show. */
static bool is_hearsay(const char *text, size_t at) {
    size_t start = at;
    while (start && text[start - 1] != '\n') start--;
    const char *line = text + start;
    const char *quote = strchr(line, '"');
    const bool hearsay =
        !strncmp(line, "[Union", 6) || !strncmp(line, "[Confederate", 12) || !strncmp(line, "[Engine", 7);
    return hearsay && quote && text + at > quote;
}

static void altered_bytes_are_refused(void **unused) {
    (void)unused;
    static const char changes[] = {0, ' ', '\n', ';', '0', '1', '9', 'A', 'z', '"', '\\', ']', '#', 127, (char)200};
    char text[ROOM];
    const size_t length = (size_t)sample_text(text);
    for (size_t at = 0; at < length; at++)
        for (size_t c = 0; c < sizeof changes; c++) {
            const char old = text[at];
            if (is_hearsay(text, at) || changes[c] == old) continue;
            text[at] = changes[c];
            lr_error error = {0};
            const int code = read_code(text, length, &error);
            /* Blanks around actions, and the end of a line for a semicolon, mean nothing. */
            const bool harmless =
                (strchr(" ;", old) && changes[c] == '\n') || (old == '\n' && changes[c] == ' ' && text[at + 1] == '\n');
            text[at] = old;
            if (code == LR_OK && harmless) continue;
            if (code == LR_OK) fail_msg("byte %zu, '%c', became %d unseen", at, old, changes[c]);
            assert_true(code == LR_E_REPLAY || code == LR_E_NOT_FOUND); /* the latter: another scenario's name */
            assert_null(strchr(error.text, '\n'));
        }
}

static void lost_lines_are_refused(void **unused) {
    (void)unused;
    char text[ROOM], without[ROOM];
    const int length = sample_text(text);
    for (const char *line = text; *line;) {
        const char *next = strchr(line, '\n') + 1;
        memcpy(without, text, (size_t)(line - text));
        memcpy(without + (line - text), next, (size_t)(text + length - next) + 1);
        const int code = read_code(without, strlen(without), NULL);
        const bool harmless = *line == '\n' || !strncmp(line, "hash ", 5);
        assert_int_equal(code, harmless ? LR_OK : LR_E_REPLAY);
        line = next;
    }
}

static void foreign_files_are_refused(void **unused) {
    (void)unused;
    char text[ROOM], altered[2 * ROOM];
    sample_text(text);
    static const struct {
        const char *from, *to, *sentence;
    } cases[] = {
        {"[Ruleset \"kuhn 3\"]", "[Ruleset \"kuhn 2\"]", "Ruleset is \"kuhn 2\" in the replay, but \"kuhn 3\" here"},
        {"[ScenarioHash \"0000000000123456\"]", "[ScenarioHash \"0000000000123457\"]", "ScenarioHash"},
        {"kuhn/plain", "kuhn/surrender", "ScenarioHash"},
        {"[Longroll \"1\"]", "[Longroll \"2\"]", "format"},
        {"[Longroll \"1\"]", "[Event \"Chess\"]", "not a Longroll replay"},
        {"[Seed \"3\"]", "[Seed \"18446744073709551616\"]", "line 6"},
        {"[Seed \"3\"]", "[Seed \"-3\"]", "line 6"},
        {"[Seed \"3\"]", "[Seed \"3\"]\n[Seed \"3\"]", "second Seed"},
        {"[Seed \"3\"]", "[Sead \"3\"]", "without Seed"},
        {"[Score \"", "[Score \"4", "Score"},
        {"\nend ", "\nsurrender\nend ", "line "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *at = strstr(text, cases[i].from);
        assert_non_null(at);
        snprintf(altered, sizeof altered, "%.*s%s%s", (int)(at - text), text, cases[i].to, at + strlen(cases[i].from));
        lr_error error;
        assert_int_equal(read_code(altered, strlen(altered), &error), LR_E_REPLAY);
        if (!strstr(error.text, cases[i].sentence)) fail_msg("%s", error.text);
    }
    const char *rest = strstr(text, "[Seed");
    snprintf(altered, sizeof altered, "%.*s[Date \"today\"]\n%s", (int)(rest - text), text, rest);
    assert_int_equal(read_code(altered, strlen(altered), NULL), LR_OK); /* a tag of someone else's */
    snprintf(altered, sizeof altered, "%sx\n", text);
    assert_int_equal(read_code(altered, strlen(altered), NULL), LR_E_REPLAY);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(games_read_back),           cmocka_unit_test(the_text_says_what_happened),
        cmocka_unit_test(dice_are_keyed_or_given),   cmocka_unit_test(cut_files_are_refused),
        cmocka_unit_test(altered_bytes_are_refused), cmocka_unit_test(lost_lines_are_refused),
        cmocka_unit_test(foreign_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
