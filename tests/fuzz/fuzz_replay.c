/* fuzz_replay.c: bytes are read as a replay. What is accepted is written again, and that text reads back to the same
 * game; what is refused is refused with one line and hands out nothing. Scenario names are looked up in the folder of
 * the fuzz targets' own, whose game opens quickly. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

static void check_again(const lr_replay *replay) {
    static char text[FUZZ_TEXT], again[FUZZ_TEXT];
    const int length = lr_replay_format(replay, text, sizeof text);
    fuzz_require(length > 0, "a replay of %d bytes", length);
    if (length >= FUZZ_TEXT) return;
    lr_replay *second = NULL;
    lr_game *game = NULL;
    lr_error error;
    fuzz_require(lr_replay_parse(text, (size_t)length, &second, &game, &error) == LR_OK, "%s in\n%s", error.text, text);
    fuzz_require(lr_replay_hash(replay) == lr_replay_hash(second), "another hash from\n%s", text);
    fuzz_require(lr_replay_length(replay) == lr_replay_length(second), "another length from\n%s", text);
    lr_replay_format(second, again, sizeof again);
    fuzz_require(!strcmp(text, again), "another text from\n%s", text);
    lr_replay_free(second);
    lr_game_close(game);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    setenv("LONGROLL_SCENARIOS", FUZZ_SCENARIOS, 1);
    lr_replay *replay = NULL;
    lr_game *game = NULL;
    lr_error error = {.code = LR_OK};
    const int code = lr_replay_parse((const char *)bytes, size, &replay, &game, &error);
    if (code) {
        fuzz_require(error.code == code && error.text[0], "refused with code %d, without a sentence", code);
        fuzz_require(!strpbrk(error.text, "\n\r"), "not one line: %s", error.text);
        fuzz_require(!replay && !game, "a refused replay was handed out");
        return 0;
    }
    fuzz_check(game, lr_replay_state(replay), (unsigned)size);
    check_again(replay);
    lr_replay_free(replay);
    lr_game_close(game);
    return 0;
}
