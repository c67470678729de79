/* fuzz.c: see fuzz.h. */
#include "fuzz.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fuzz_require(bool holds, const char *format, ...) {
    if (holds) return;
    va_list values;
    va_start(values, format);
    fputs("fuzz: ", stderr);
    vfprintf(stderr, format, values);
    fputs("\n", stderr);
    va_end(values);
    abort();
}

const lr_game *fuzz_game(unsigned index) {
    static const char *const names[FUZZ_GAMES] = {(FUZZ_SCENARIOS "/small.yaml"), "cedar-mountain/historical",
                                                  "cedar-mountain/free", "cedar-mountain/historical-pope",
                                                  "cedar-mountain/free-pope"};
    static lr_game *games[FUZZ_GAMES];
    lr_game **game = &games[index % FUZZ_GAMES];
    lr_error error;
    if (*game) return *game;
    fuzz_require(lr_game_open(names[index % FUZZ_GAMES], game, &error) == LR_OK, "%s", error.text);
    fuzz_require(lr_game_info(*game)->state_bytes <= FUZZ_STATE_BYTES, "FUZZ_STATE_BYTES is too small");
    return *game;
}

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

const lr_game *fuzz_game_of(const void *text, size_t size) {
    static const struct {
        const char *name;
        unsigned game;
    } known[] = {{"cedar-mountain/historical-pope", 3},
                 {"cedar-mountain/free-pope", 4},
                 {"cedar-mountain/historical", 1},
                 {"cedar-mountain/free", 2}};
    const size_t head = size < 200 ? size : 200;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (memmem(text, head, known[i].name, strlen(known[i].name))) return fuzz_game(known[i].game);
    return small();
}

unsigned fuzz_byte(struct fuzz_input *input) {
    if (!input->left) return 0;
    input->left--;
    return *input->bytes++;
}

/* ---- One state ---- */

static void check_refused(const lr_game *game, const lr_state *state, int action) {
    const size_t size = (size_t)lr_game_info(game)->state_bytes;
    fuzz_state copy;
    lr_error error = {.code = LR_OK};
    memcpy(copy.bytes, state, size);
    const int code = lr_apply(game, fuzz_of(&copy), action, &error);
    fuzz_require(code == LR_E_ILLEGAL || code == LR_E_OVER, "action %d: code %d where it is not legal", action, code);
    fuzz_require(error.code == code && error.text[0] && !strchr(error.text, '\n'), "action %d: no sentence", action);
    fuzz_require(!memcmp(copy.bytes, state, size), "action %d was refused and changed the state", action);
    fuzz_require(!lr_is_legal(game, state, action), "action %d is legal, not listed and refused", action);
}

static void check_refusals(const lr_game *game, const lr_state *state, const uint8_t *mask, unsigned salt) {
    const int actions = lr_game_info(game)->actions, action = (int)(salt % (unsigned)actions);
    if (!(mask[action / 8] >> action % 8 & 1)) check_refused(game, state, action);
    const int odd[] = {-1, actions, INT32_MIN, INT32_MAX, 65536};
    check_refused(game, state, odd[salt % (sizeof odd / sizeof *odd)]);
}

static void check_mask(const lr_game *game, const uint16_t *legal, int count, const uint8_t *mask) {
    const lr_info *info = lr_game_info(game);
    int bits = 0;
    for (int i = 0; i < info->mask_bytes; i++) bits += __builtin_popcount(mask[i]);
    fuzz_require(bits == count, "the mask has %d actions, the list %d", bits, count);
    for (int i = 0; i < count; i++) {
        fuzz_require(legal[i] < info->actions, "action %d is out of range", legal[i]);
        fuzz_require(i == 0 || legal[i] > legal[i - 1], "the list is not ascending at %d", legal[i]);
        fuzz_require(mask[legal[i] / 8] >> legal[i] % 8 & 1, "action %d is listed and not in the mask", legal[i]);
    }
}

static void check_chance(const lr_game *game, const lr_state *state, const uint16_t *legal, int count) {
    uint32_t weights[LR_MAX_OUTCOMES], total = 0, sum = 0;
    const bool chance = lr_to_move(game, state) == LR_CHANCE;
    const int outcomes = lr_outcomes(game, state, weights, &total);
    fuzz_require((outcomes > 0) == chance && (lr_event(game, state) != 0) == chance, "outcomes away from chance");
    int listed = 0;
    for (int i = 0; i < outcomes; i++) {
        sum += weights[i];
        if (!weights[i]) continue;
        fuzz_require(listed < count && legal[listed] == i, "outcome %d has a weight and is not listed", i);
        listed++;
    }
    fuzz_require(!chance || (sum == total && listed == count), "weights sum to %u, not %u", sum, total);
    if (chance) fuzz_require(lr_is_legal(game, state, lr_sample(game, state, 1, 0)), "a sample is no outcome");
}

static void check_values(const lr_game *game, const lr_state *state) {
    const lr_info *info = lr_game_info(game);
    const int score = lr_score(game, state), guess = lr_evaluate(game, state);
    const bool over = lr_to_move(game, state) == LR_NOBODY;
    float returns[2];
    char heading[LR_MAX_TEXT];
    lr_returns(game, state, returns);
    fuzz_require(score >= info->score_low && score <= info->score_high, "score %d out of bounds", score);
    fuzz_require(guess >= -1000 && guess <= 1000, "evaluation %d out of bounds", guess);
    fuzz_require(returns[0] + returns[1] == 0 && (over || returns[0] == 0), "returns that do not sum to 0");
    fuzz_require(over == (lr_end_reason(game, state)[0] != '\0'), "a reason to end, and play goes on");
    fuzz_require(strlen(lr_heading(game, state, heading)) < LR_MAX_TEXT && heading[0], "no heading");
    fuzz_require(over == !strcmp(lr_decision(game, state), "over"), "decision \"%s\"", lr_decision(game, state));
}

int fuzz_check(const lr_game *game, const lr_state *state, unsigned salt) {
    lr_error error;
    uint16_t legal[LR_MAX_ACTIONS];
    uint8_t mask[LR_MAX_ACTIONS / 8];
    fuzz_require(lr_state_check(game, state, &error) == LR_OK, "%s", error.text);
    const int count = lr_legal(game, state, legal);
    fuzz_require((count == 0) == (lr_to_move(game, state) == LR_NOBODY), "%d legal actions", count);
    lr_mask(game, state, mask);
    check_mask(game, legal, count, mask);
    check_chance(game, state, legal, count);
    check_values(game, state);
    check_refusals(game, state, mask, salt);
    return count;
}

static void check_texts(const lr_game *game, const lr_state *state, const uint16_t *legal, int count) {
    static char texts[LR_MAX_ACTIONS][LR_MAX_TEXT];
    lr_error error;
    for (int i = 0; i < count; i++) {
        lr_action_text(game, state, legal[i], texts[i]);
        fuzz_require(texts[i][0] && strlen(texts[i]) < LR_MAX_TEXT, "action %d has no text", legal[i]);
        for (int k = 0; k < i; k++)
            fuzz_require(strcmp(texts[i], texts[k]) != 0, "actions %d and %d are both \"%s\"", legal[k], legal[i],
                         texts[i]);
        fuzz_require(lr_action_parse(game, state, texts[i], &error) == legal[i], "\"%s\" does not parse back",
                     texts[i]);
    }
}

static void check_observation(const lr_game *game, const lr_state *state, int player) {
    const lr_info *info = lr_game_info(game);
    static uint8_t pieces[64 * 64];
    static int16_t globals[128];
    fuzz_require(info->piece_rows * info->piece_columns <= 64 * 64 && info->global_columns <= 128, "room");
    lr_observe(game, state, player, pieces, globals);
    for (int i = 0; i < info->piece_rows * info->piece_columns; i++) {
        const lr_column *column = &info->piece_spec[i % info->piece_columns];
        fuzz_require(pieces[i] >= column->low && pieces[i] <= column->high, "observation: row %d, %s is %d",
                     i / info->piece_columns, column->name, pieces[i]);
    }
    for (int i = 0; i < info->global_columns; i++) {
        const lr_column *column = &info->global_spec[i];
        fuzz_require(globals[i] >= column->low && globals[i] <= column->high, "observation: %s is %d", column->name,
                     globals[i]);
    }
}

void fuzz_check_all(const lr_game *game, const lr_state *state) {
    const lr_info *info = lr_game_info(game);
    uint16_t legal[LR_MAX_ACTIONS];
    uint8_t mask[LR_MAX_ACTIONS / 8];
    static int32_t appraisals[LR_MAX_ACTIONS];
    static char drawing[FUZZ_TEXT];
    const int count = lr_legal(game, state, legal);
    lr_mask(game, state, mask);
    for (int action = (int)(lr_hash(game, state) % 8); action < info->actions; action += 8)
        if (!(mask[action / 8] >> action % 8 & 1)) check_refused(game, state, action);
    check_texts(game, state, legal, count);
    check_observation(game, state, LR_UNION);
    check_observation(game, state, LR_CONFEDERATE);
    const int mover = lr_to_move(game, state);
    if (mover == LR_UNION || mover == LR_CONFEDERATE) lr_appraise(game, state, legal, count, appraisals);
    const int length = lr_draw(game, state, false, drawing, sizeof drawing);
    fuzz_require(length > 0 && strlen(drawing) == (size_t)length, "the drawing has not the length it says");
    for (int action = -1; action <= info->actions; action += 97) {
        char text[LR_MAX_TEXT];
        fuzz_require(strlen(lr_action_text(game, state, action, text)) < LR_MAX_TEXT, "the text of action %d", action);
    }
}

void fuzz_check_text(const lr_game *game, const lr_state *state) {
    static char text[FUZZ_TEXT], again[FUZZ_TEXT];
    fuzz_state back;
    lr_error error;
    const int length = lr_state_format(game, state, text, sizeof text);
    fuzz_require(length > 0 && length < FUZZ_TEXT, "a state file of %d bytes", length);
    fuzz_require(lr_state_parse(game, text, (size_t)length, fuzz_of(&back), &error) == LR_OK, "%s in\n%s", error.text,
                 text);
    fuzz_require(!memcmp(back.bytes, state, (size_t)lr_game_info(game)->state_bytes), "other bytes come back from\n%s",
                 text);
    lr_state_format(game, fuzz_at(&back), again, sizeof again);
    fuzz_require(!strcmp(text, again), "the second text differs from\n%s", text);
}

/* ---- Play ---- */

void fuzz_play_on(const lr_game *game, lr_state *state, uint64_t stream, int plies) {
    uint16_t legal[LR_MAX_ACTIONS];
    for (int ply = 0; ply < plies; ply++) {
        const unsigned salt = lr_random(stream, 2 * (uint64_t)ply, 1 << 16);
        const int count = fuzz_check(game, state, salt);
        if (!count) return;
        lr_legal(game, state, legal);
        const int action = legal[lr_random(stream, 2 * (uint64_t)ply + 1, (uint32_t)count)];
        lr_error error;
        fuzz_require(lr_apply(game, state, action, &error) == LR_OK, "%s", error.text);
    }
}
