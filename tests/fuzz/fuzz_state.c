/* fuzz_state.c: bytes are read as a state file. What is accepted must be a state as good as one that play has reached:
 * it passes all checks, is written and read back to the same bytes, and can be played on. What is refused is refused
 * with one line and leaves the state as it was.
 *
 * The scenario is not opened by the name in the text, which would be slow: a text that names cedar-mountain is read
 * in that scenario, any other in the small one. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

/* By the name that the corpus gives it, which a state must bear, and not by its path, which differs from machine to machine. */
static const lr_game *small(void) {
    static lr_game *game;
    lr_error error;
    if (game) return game;
    setenv("LONGROLL_SCENARIOS", FUZZ_SCENARIOS, 1);
    fuzz_require(lr_game_open("small", &game, &error) == LR_OK, "%s", error.text);
    unsetenv("LONGROLL_SCENARIOS");
    return game;
}

static const lr_game *game_of(const uint8_t *bytes, size_t size) {
    static const struct {
        const char *name;
        unsigned game;
    } known[] = {{"cedar-mountain/historical-pope", 3},
                 {"cedar-mountain/free-pope", 4},
                 {"cedar-mountain/historical", 1},
                 {"cedar-mountain/free", 2}};
    const size_t head = size < 200 ? size : 200;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (memmem(bytes, head, known[i].name, strlen(known[i].name))) return fuzz_game(known[i].game);
    return small();
}

static void check_refusal(int code, const lr_error *error, const fuzz_state *state) {
    fuzz_require(code == LR_E_STATE && error->code == code, "a state file is refused with code %d", code);
    fuzz_require(error->text[0] && !strpbrk(error->text, "\n\r"), "not one line: %s", error->text);
    for (size_t i = 0; i < sizeof state->bytes; i++) fuzz_require(state->bytes[i] == 0xa5, "byte %zu was written", i);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    const lr_game *game = game_of(bytes, size);
    fuzz_state state;
    lr_error error = {.code = LR_OK};
    memset(&state, 0xa5, sizeof state);
    const int code = lr_state_parse(game, (const char *)bytes, size, fuzz_of(&state), &error);
    if (code) return check_refusal(code, &error, &state), 0;
    fuzz_check(game, fuzz_at(&state), (unsigned)size);
    fuzz_check_all(game, fuzz_at(&state));
    fuzz_check_text(game, fuzz_at(&state));
    fuzz_play_on(game, fuzz_of(&state), size, 20);
    fuzz_check_text(game, fuzz_at(&state));
    return 0;
}
