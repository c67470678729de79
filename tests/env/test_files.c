/* Files are written whole or not at all, read within bounds, and positions open from scenarios and state files. */
#include "kuhn.h"

#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char *path_in(char path[256], const char *name) {
    snprintf(path, 256, "%s/%s", kuhn_folder(), name);
    return path;
}

static int files_in_folder(void) {
    DIR *folder = opendir(kuhn_folder());
    assert_non_null(folder);
    int count = 0;
    while (readdir(folder)) count++;
    closedir(folder);
    return count;
}

static void assert_file(const char *path, const char *bytes, size_t length) {
    char *text;
    size_t got;
    assert_int_equal(lr_file_read(path, 1 << 20, &text, &got, NULL), LR_OK);
    assert_int_equal(got, length);
    assert_memory_equal(text, bytes, length);
    assert_int_equal(text[got], '\0');
    free(text);
}

static void what_is_written_is_read(void **unused) {
    (void)unused;
    char path[256];
    path_in(path, "a.txt");
    assert_int_equal(lr_file_write(path, "a\0b\n", 4, NULL), LR_OK);
    assert_file(path, "a\0b\n", 4);
    const int before = files_in_folder();
    assert_int_equal(lr_file_write(path, "", 0, NULL), LR_OK);
    assert_file(path, "", 0);
    assert_int_equal(files_in_folder(), before);
}

static void modes_and_links_survive(void **unused) {
    (void)unused;
    char path[256], link[256];
    path_in(path, "mode.txt");
    path_in(link, "link.txt");
    assert_int_equal(lr_file_write(path, "1", 1, NULL), LR_OK);
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(symlink("mode.txt", link), 0);
    assert_int_equal(lr_file_write(link, "22", 2, NULL), LR_OK);
    struct stat about;
    assert_int_equal(lstat(link, &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_int_equal(lstat(path, &about), 0);
    assert_int_equal(about.st_mode & 07777, 0640);
    assert_file(path, "22", 2);
}

static void missing_folders_and_special_files_are_refused(void **unused) {
    (void)unused;
    char path[256];
    lr_error error;
    assert_int_equal(lr_file_write(path_in(path, "none/a.txt"), "x", 1, &error), LR_E_IO);
    assert_non_null(strstr(error.text, path));
    assert_non_null(strstr(error.text, "No such file"));
    struct stat about;
    assert_int_equal(mkfifo(path_in(path, "pipe"), 0600), 0); /* a device of the system is not put at risk here */
    assert_int_equal(lr_file_write(path, "x", 1, &error), LR_E_IO);
    assert_int_equal(stat(path, &about), 0);
    assert_true(S_ISFIFO(about.st_mode)); /* not replaced by a file */
    assert_int_equal(lr_file_write(kuhn_folder(), "x", 1, &error), LR_E_IO);
    assert_int_equal(lr_file_write("", "x", 1, &error), LR_E_IO);
    char longest[6000];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_int_equal(lr_file_write(longest, "x", 1, &error), LR_E_IO);
}

/* A limit on the size of files fails in the middle of a write, as a full disk does. */
static void a_failed_write_leaves_the_old_file_alone(void **unused) {
    (void)unused;
    static char large[100000];
    char path[256], fresh[256];
    lr_error error;
    path_in(path, "old.txt");
    path_in(fresh, "fresh.txt");
    assert_int_equal(lr_file_write(path, "old", 3, NULL), LR_OK);
    const int before = files_in_folder();
    struct rlimit limit, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    small = limit;
    small.rlim_cur = 5000;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const int code = lr_file_write(path, large, sizeof large, &error);
    const int code_fresh = lr_file_write(fresh, large, sizeof large, NULL);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_int_equal(code, LR_E_IO);
    assert_int_equal(code_fresh, LR_E_IO);
    assert_non_null(strstr(error.text, "File too large"));
    assert_file(path, "old", 3);
    assert_int_equal(files_in_folder(), before);
}

static void reading_is_bounded(void **unused) {
    (void)unused;
    char path[256], *text = NULL;
    size_t length;
    path_in(path, "ten.txt");
    assert_int_equal(lr_file_write(path, "0123456789", 10, NULL), LR_OK);
    assert_int_equal(lr_file_read(path, 9, &text, &length, NULL), LR_E_ARGUMENT);
    assert_int_equal(lr_file_read(path_in(path, "none.txt"), 9, &text, &length, NULL), LR_E_NOT_FOUND);
    assert_int_equal(lr_file_read("/dev/zero", 9, &text, &length, NULL), LR_E_IO);
    assert_int_equal(lr_file_read(kuhn_folder(), 9, &text, &length, NULL), LR_E_IO);
    assert_null(text);
}

static void scenario_folder_follows_the_environment(void **unused) {
    (void)unused;
    kuhn_folder();
    assert_string_equal(lr_scenario_folder(), kuhn_folder());
    setenv("LONGROLL_SCENARIOS", "", 1);
    assert_string_equal(lr_scenario_folder(), LONGROLL_SOURCE "/scenarios");
    unsetenv("LONGROLL_SCENARIOS");
    assert_string_equal(lr_scenario_folder(), LONGROLL_SOURCE "/scenarios");
    setenv("LONGROLL_SCENARIOS", kuhn_folder(), 1);
}

static void positions_open_from_scenarios_and_states(void **unused) {
    (void)unused;
    lr_game *game = kuhn_open(false), *opened;
    uint64_t memory;
    lr_state *state = (lr_state *)(void *)&memory, *got;
    lr_start(game, state);
    for (int i = 2; i >= 1; i--) lr_apply_legal(game, state, i);
    char text[256], path[256];
    const int length = lr_state_format(game, state, NULL, 0);
    assert_int_equal(lr_state_format(game, state, text, sizeof text), length);
    assert_int_equal(strlen(text), length);
    path_in(path, "state.yaml");
    assert_int_equal(lr_file_write(path, text, (size_t)length, NULL), LR_OK);

    assert_int_equal(lr_position_open(path, &opened, &got, NULL), LR_OK);
    assert_memory_equal(got, state, 8);
    assert_string_equal(lr_game_info(opened)->scenario, "kuhn/plain");
    assert_true(lr_hash(opened, got) == lr_hash(game, state));
    free(got);
    lr_game_close(opened);

    lr_start(game, state);
    assert_int_equal(lr_position_open("kuhn/plain", &opened, &got, NULL), LR_OK);
    assert_memory_equal(got, state, 8);
    assert_true(lr_hash(opened, got) == lr_hash(game, state));
    free(got);
    lr_game_close(opened);
    lr_game_close(game);
}

static void broken_states_are_refused(void **unused) {
    (void)unused;
    static const struct {
        const char *text;
        int code;
    } files[] = {
        {"state: [1, 2, 2, 0, 0]\n", LR_E_STATE}, /* of which game? */
        {"scenario: kuhn/none\nstate: [1, 2, 2, 0, 0]\n", LR_E_NOT_FOUND},
        {"scenario: kuhn/plain\nstate: [1, 1, 2, 0, 0]\n", LR_E_STATE}, /* checked */
        {"scenario: kuhn/plain\nstate: {}\n", LR_E_STATE},
        {"scenario: kuhn/plain\n", LR_E_SCENARIO},
    };
    char path[256];
    path_in(path, "bad.yaml");
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        lr_game *game = NULL;
        lr_state *state = NULL;
        assert_int_equal(lr_file_write(path, files[i].text, strlen(files[i].text), NULL), LR_OK);
        assert_int_equal(lr_position_open(path, &game, &state, NULL), files[i].code);
        assert_null(game);
        assert_null(state);
    }
    lr_game *game = kuhn_open(false);
    static const char *const others[] = {"scenario: kuhn/plain\nstate: [1, 1, 2, 0, 0]", "state: [1, 2, 2, 0, 0]",
                                         "scenario: kuhn/surrender\nstate: [1, 2, 2, 0, 0]"};
    uint64_t memory = 7;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        lr_state *state = (lr_state *)(void *)&memory;
        assert_int_equal(lr_state_parse(game, others[i], strlen(others[i]), state, NULL), LR_E_STATE);
        assert_true(memory == 7); /* a failed call changes nothing */
    }
    lr_game_close(game);
}

static void writers_count_what_does_not_fit(void **unused) {
    (void)unused;
    char text[8] = "zzzzzzz";
    struct lr_writer writer = {.text = text, .size = 5};
    lr_write(&writer, "ab%d", 1);
    lr_write(&writer, "%s", "cdef");
    lr_write(&writer, "g");
    assert_int_equal(writer.length, 8);
    assert_string_equal(text, "ab1c");
    assert_int_equal(text[5], 'z');
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(modes_and_links_survive),
        cmocka_unit_test(missing_folders_and_special_files_are_refused),
        cmocka_unit_test(a_failed_write_leaves_the_old_file_alone),
        cmocka_unit_test(reading_is_bounded),
        cmocka_unit_test(scenario_folder_follows_the_environment),
        cmocka_unit_test(positions_open_from_scenarios_and_states),
        cmocka_unit_test(broken_states_are_refused),
        cmocka_unit_test(writers_count_what_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
