/* fuzz.h: what the fuzz targets share: games to play, and what must hold of every state that the library hands out.
 *
 * A target is a file fuzz_NAME.c with LLVMFuzzerTestOneInput, linked either with libFuzzer (preset `fuzz`) or with
 * driver.c, which feeds it the files of a folder (all other presets, so that ctest replays the corpora). Whatever does
 * not hold aborts with a sentence. See README.md. */
#ifndef FUZZ_H
#define FUZZ_H

#include "env/longroll.h"

enum { FUZZ_STATE_BYTES = 1024, FUZZ_TEXT = 256 * 1024 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Aborts with the sentence unless it holds. */
void fuzz_require(bool holds, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Room for any state of any game here. */
typedef struct fuzz_state {
    _Alignas(8) uint8_t bytes[FUZZ_STATE_BYTES];
} fuzz_state;

static inline lr_state *fuzz_of(fuzz_state *state) { return (lr_state *)(void *)state->bytes; }
static inline const lr_state *fuzz_at(const fuzz_state *state) { return (const lr_state *)(const void *)state->bytes; }

/* The scenarios of the fuzz targets' own: folder and file. */
#define FUZZ_SCENARIOS LONGROLL_SOURCE "/tests/fuzz/scenarios"

/* The game of a scenario, opened once in this process. FUZZ_GAMES of them, the quickest first. */
enum { FUZZ_GAMES = 5 };
const lr_game *fuzz_game(unsigned index);

/* The game that a state file's first lines name: a cedar-mountain one, else the small one. Opening it by the name would be
 * slow. */
const lr_game *fuzz_game_of(const void *text, size_t size);

/* The bytes of an input, taken one by one; zeros after the end. */
struct fuzz_input {
    const uint8_t *bytes;
    size_t left;
};
unsigned fuzz_byte(struct fuzz_input *input);

/* The cheap invariants: lr_state_check, bounds, mask == list, chance weights. `salt` chooses the ids that are tried
 * and must be refused. Returns the number of legal actions. */
int fuzz_check(const lr_game *game, const lr_state *state, unsigned salt);

/* The dear ones: every eighth id outside the list (the state's hash says which) is refused, texts are unique and parse back, both observations lie within
 * their columns' bounds, the appraisal and the drawing touch nothing that they should not. */
void fuzz_check_all(const lr_game *game, const lr_state *state);

/* Writes the state as text and reads it back: the same bytes and the same text again. */
void fuzz_check_text(const lr_game *game, const lr_state *state);

/* Plays up to `plies` legal actions or outcomes drawn from a stream, checking every state. */
void fuzz_play_on(const lr_game *game, lr_state *state, uint64_t stream, int plies);

#endif
