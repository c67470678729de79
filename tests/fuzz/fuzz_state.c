/* fuzz_state.c: bytes are read as a state file. What is accepted must be a state as good as one that play has reached:
 * it passes all checks, is written and read back to the same bytes, and can be played on. What is refused is refused
 * with one line and leaves the state as it was. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

static void check_refusal(int code, const lr_error *error, const fuzz_state *state) {
    fuzz_require(code == LR_E_STATE && error->code == code, "a state file is refused with code %d", code);
    fuzz_require(error->text[0] && !strpbrk(error->text, "\n\r"), "not one line: %s", error->text);
    for (size_t i = 0; i < sizeof state->bytes; i++) fuzz_require(state->bytes[i] == 0xa5, "byte %zu was written", i);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    const lr_game *game = fuzz_game_of(bytes, size);
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
