/* The golden replays: every recorded game plays again as it was played. And the reading itself is not blind: a replay
 * with one die altered is refused. */
#include "env/game.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <glob.h>

#define REPLAYS LONGROLL_SOURCE "/tests/replays/*/*.txt"

enum { MOST_BYTES = 1 << 20, GAMES = 208 };

static glob_t files;

static int find_files(void **unused) {
    (void)unused;
    return glob(REPLAYS, 0, NULL, &files);
}

static int forget_files(void **unused) {
    (void)unused;
    globfree(&files);
    return 0;
}

/* The file's text, terminated: valid until the next call. */
static char *text_of(const char *path, size_t *length) {
    static char text[MOST_BYTES];
    FILE *file = fopen(path, "r");
    if (!file) fail_msg("cannot open %s", path);
    *length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[*length] = '\0';
    return text;
}

static void test_none_is_missing(void **unused) {
    (void)unused;
    assert_int_equal(files.gl_pathc, GAMES);
}

/* From the ruleset's line on: above it stands the version of the program that wrote it, which may move. */
static const char *body_of(const char *text) {
    const char *body = strstr(text, "[Ruleset");
    return body ? body : "";
}

/* Reads one; what is wrong with it, or NULL: it is of a finished game, and written out again it is the same text. */
static const char *fault_of(const char *path, char *written) {
    size_t length;
    char *text = text_of(path, &length);
    lr_replay *replay;
    lr_game *game;
    static lr_error error;
    if (lr_replay_parse(text, length, &replay, &game, &error)) return error.text;
    const bool over = lr_to_move(game, lr_replay_state(replay)) == LR_NOBODY;
    lr_replay_format(replay, written, MOST_BYTES);
    const bool same = !strcmp(body_of(written), body_of(text));
    lr_replay_free(replay);
    lr_game_close(game);
    if (!over) return "the game is not over";
    return same ? NULL : "written out again it is another text";
}

static void test_all_play_again(void **unused) {
    (void)unused;
    char *written = malloc(MOST_BYTES);
    int faults = 0;
    for (size_t i = 0; i < files.gl_pathc; i++) {
        const char *fault = fault_of(files.gl_pathv[i], written);
        if (fault) print_error("%s: %s\n", files.gl_pathv[i], fault);
        faults += fault != NULL;
    }
    free(written);
    assert_int_equal(faults, 0);
}

static void test_an_altered_die_is_refused(void **unused) {
    (void)unused;
    size_t length;
    char *text = text_of(files.gl_pathv[0], &length);
    assert_non_null(strstr(text, "roll "));
    char *face = strstr(text, "roll ") + 5;
    *face = *face == '2' ? '3' : '2';
    lr_replay *replay;
    lr_game *game;
    lr_error error;
    assert_int_equal(lr_replay_parse(text, length, &replay, &game, &error), LR_E_REPLAY);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_none_is_missing),
        cmocka_unit_test(test_all_play_again),
        cmocka_unit_test(test_an_altered_die_is_refused),
    };
    return cmocka_run_group_tests(tests, find_files, forget_files);
}
