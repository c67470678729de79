/* fuzz_scenario.c: bytes are read as a scenario. A line "=== map", "=== units" or "=== charts" begins that file; the
 * text before the first of them is the scenario's own. A file that the bytes do not give is the one of the fuzz targets'
 * small scenario, so that a mutation of one file meets three sound ones.
 *
 * What is accepted must be playable within the bounds that it announces; what is refused is refused with one line. */
#include "fuzz.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum part { SCENARIO, MAP, UNITS, CHARTS, PARTS };

static const char *const part_names[PARTS] = {"small", "map", "units", "charts"};

/* A folder of this process, and which of its files are not the sound ones. */
static char folder[PATH_MAX];
static bool altered[PARTS] = {true, true, true, true};

static const char *path_of(const char *in, enum part part) {
    static char path[PATH_MAX];
    fuzz_require(snprintf(path, sizeof path, "%s/%s.yaml", in, part_names[part]) < PATH_MAX, "a long path");
    return path;
}

static void remove_folder(void) {
    for (int part = 0; part < PARTS; part++) unlink(path_of(folder, (enum part)part));
    rmdir(folder);
}

static void make_folder(void) {
    if (folder[0]) return;
    const char *root = getenv("TMPDIR");
    fuzz_require(snprintf(folder, sizeof folder, "%s/longroll-fuzz-XXXXXX", root ? root : "/tmp") < PATH_MAX, "TMPDIR");
    fuzz_require(mkdtemp(folder) != NULL, "no folder %s", folder);
    atexit(remove_folder);
}

static void write_part(enum part part, const void *bytes, size_t size) {
    FILE *file = fopen(path_of(folder, part), "wb");
    fuzz_require(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0, "cannot write %s", folder);
}

static void write_sound_part(enum part part) {
    static char text[64 * 1024];
    FILE *file = fopen(path_of(FUZZ_SCENARIOS, part), "rb");
    fuzz_require(file != NULL, "no file %s", path_of(FUZZ_SCENARIOS, part));
    const size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    write_part(part, text, size);
}

/* The part that a line begins, -1 if it begins none. */
static int begun_by(const char *line, size_t length) {
    if (length < 4 || memcmp(line, "=== ", 4)) return -1;
    for (int part = MAP; part < PARTS; part++)
        if (length == 4 + strlen(part_names[part]) && !memcmp(line + 4, part_names[part], length - 4)) return part;
    return -1;
}

static void write_files(const char *text, size_t size) {
    bool given[PARTS] = {false};
    const char *end = text + size, *start = text;
    enum part part = SCENARIO;
    for (const char *line = text; line < end;) {
        const char *newline = memchr(line, '\n', (size_t)(end - line)), *next = newline ? newline + 1 : end;
        const int begun = newline ? begun_by(line, (size_t)(newline - line)) : -1;
        if (begun >= 0) {
            if (line > start) write_part(part, start, (size_t)(line - start)), given[part] = true;
            part = (enum part)begun;
            start = next;
        }
        line = next;
    }
    if (end > start) write_part(part, start, (size_t)(end - start)), given[part] = true;
    for (int k = 0; k < PARTS; k++) {
        if (altered[k] && !given[k]) write_sound_part((enum part)k);
        altered[k] = given[k];
    }
}

static void check_info(const lr_info *info) {
    fuzz_require(info->title[0] && info->max_decisions > 0, "an empty title, or no decisions");
    fuzz_require(info->score_low <= 0 && info->score_high >= 0, "score bounds %d..%d", info->score_low,
                 info->score_high);
}

/* Without the checks of every state: does it end in time? */
static void play_to_the_end(const lr_game *game, lr_state *state, uint64_t stream) {
    uint16_t legal[LR_MAX_ACTIONS];
    int plies = 0;
    for (int count; (count = lr_legal(game, state, legal)) > 0; plies++) {
        fuzz_require(plies <= lr_game_info(game)->max_decisions, "more decisions than max_decisions");
        lr_apply_legal(game, state, legal[lr_random(stream, (uint64_t)plies, (uint32_t)count)]);
    }
}

static void play(const lr_game *game, uint64_t stream) {
    fuzz_state state;
    check_info(lr_game_info(game));
    lr_start(game, fuzz_of(&state));
    fuzz_check_text(game, fuzz_at(&state));
    fuzz_play_on(game, fuzz_of(&state), stream, 30);
    fuzz_check_all(game, fuzz_at(&state));
    fuzz_check_text(game, fuzz_at(&state));
    if (stream % 4 == 0) play_to_the_end(game, fuzz_of(&state), stream);
    fuzz_check_all(game, fuzz_at(&state));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    make_folder();
    write_files((const char *)bytes, size);
    lr_game *game = NULL;
    lr_error error = {.code = LR_OK};
    const int code = lr_game_open(path_of(folder, SCENARIO), &game, &error);
    if (code) {
        fuzz_require(error.code == code && error.text[0], "refused with code %d, without a sentence", code);
        fuzz_require(!strpbrk(error.text, "\n\r"), "not one line: %s", error.text);
        fuzz_require(!game, "a refused scenario was handed out");
        return 0;
    }
    play(game, lr_game_info(game)->scenario_hash);
    lr_game_close(game);
    return 0;
}
