/* The mask theorem, on every state of whole games: each legal action applies to a good state, every other id is refused and
 * leaves the bytes unchanged; list, mask and single question agree; a player to move has a legal action; the declared
 * bounds hold; texts are unique and parse back.
 *
 * CI looks at some thousands of states; the long form, about ten minutes on two cores: test_mask_theorem 1000000. Games are
 * played over all scenarios and some random battles, a third of them by the greedy agent's habits, on all threads. */
#include "env/longroll.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const names[] = {"cedar-mountain/historical",
                                    "cedar-mountain/free",
                                    "cedar-mountain/historical-pope",
                                    "cedar-mountain/free-pope",
                                    "cedar-mountain/gate",
                                    "cedar-mountain/cedars",
                                    "cedar-mountain/duel",
                                    "cedar-mountain/battery",
                                    "random:6:1862",
                                    "random:8:9",
                                    "random:3:4"};
enum { GAMES = sizeof names / sizeof *names, STATE_BYTES = 1024 };

#ifdef LONGROLL_AUDIT
static long wanted = 1500;
#else
static long wanted = 8000;
#endif

static lr_game *game[GAMES];

/* What is wrong with one state; empty while nothing is. */
struct finding {
    char text[512];
};

#define FOUND(...) return snprintf(f->text, sizeof f->text, __VA_ARGS__), false

static bool applies(const lr_game *g, const lr_state *s, int action, char text[LR_MAX_TEXT], struct finding *f) {
    _Alignas(8) char after[STATE_BYTES];
    lr_error error;
    memcpy(after, s, (size_t)lr_game_info(g)->state_bytes);
    if (lr_apply(g, (lr_state *)after, action, &error)) FOUND("a legal action is refused: %s", error.text);
    if (lr_state_check(g, (lr_state *)after, &error)) FOUND("after a legal action: %s", error.text);
    const int score = lr_score(g, (lr_state *)after);
    if (score < lr_game_info(g)->score_low || score > lr_game_info(g)->score_high)
        FOUND("score %d is out of bounds", score);
    lr_action_text(g, s, action, text);
    if (lr_action_parse(g, s, text, &error) != action) FOUND("\"%s\" does not parse back", text);
    return true;
}

static bool is_refused(const lr_game *g, const lr_state *s, int action, struct finding *f) {
    _Alignas(8) char after[STATE_BYTES];
    const size_t bytes = (size_t)lr_game_info(g)->state_bytes;
    memcpy(after, s, bytes);
    const int code = lr_apply(g, (lr_state *)after, action, NULL);
    if (code != LR_E_ILLEGAL) FOUND("action %d: %s instead of LR_E_ILLEGAL", action, lr_code_name(code));
    if (memcmp(after, s, bytes)) FOUND("the refused action %d has changed the state", action);
    return true;
}

static int by_text(const void *left, const void *right) { return strcmp(left, right); }

static bool theorem(const lr_game *g, const lr_state *s, struct finding *f) {
    char texts[LR_MAX_ACTIONS][LR_MAX_TEXT];
    const lr_info *info = lr_game_info(g);
    uint16_t legal[LR_MAX_ACTIONS];
    uint8_t mask[LR_MAX_ACTIONS / 8];
    const int count = lr_legal(g, s, legal);
    lr_mask(g, s, mask);
    if (count < 1 || count > info->actions) FOUND("%d legal actions", count);
    if (count == 1 && lr_to_move(g, s) != LR_CHANCE) FOUND("a decision without a choice is asked");
    int next = 0;
    for (int action = -2; action < info->actions + 2; action++) {
        const bool listed = next < count && legal[next] == action;
        const bool masked = action >= 0 && action < info->actions && (mask[action / 8] >> (action % 8) & 1);
        if (listed != masked || listed != lr_is_legal(g, s, action))
            FOUND("list, mask and question disagree about %d", action);
        if (listed ? !applies(g, s, action, texts[next], f) : !is_refused(g, s, action, f)) return false;
        next += listed;
    }
    if (next != count) FOUND("the list is not ascending");
    qsort(texts, (size_t)count, LR_MAX_TEXT, by_text);
    for (int i = 1; i < count; i++)
        if (!strcmp(texts[i], texts[i - 1])) FOUND("two actions are called \"%s\"", texts[i]);
    return true;
}

static int choice(const lr_game *g, const lr_state *s, bool habits, uint64_t stream, uint64_t step) {
    uint16_t legal[LR_MAX_ACTIONS];
    int32_t liked[LR_MAX_ACTIONS];
    const int count = lr_legal(g, s, legal);
    if (!habits || lr_to_move(g, s) == LR_CHANCE) return legal[lr_random(stream, step, (uint32_t)count)];
    int best = 0;
    lr_appraise(g, s, legal, count, liked);
    for (int i = 1; i < count; i++)
        if (liked[i] > liked[best]) best = i;
    return legal[best];
}

/* Plays game number `index` and proves each of its states; returns how many. */
static long prove_game(long index, struct finding *f) {
    const lr_game *g = game[index % GAMES];
    _Alignas(8) char bytes[STATE_BYTES];
    lr_state *s = (lr_state *)bytes;
    const uint64_t stream = lr_environment_seed(11, (uint64_t)index);
    long states = 0;
    for (lr_start(g, s); lr_to_move(g, s) != LR_NOBODY; states++) {
        if (states > lr_game_info(g)->max_decisions) {
            snprintf(f->text, sizeof f->text, "the game is longer than max_decisions");
            return states;
        }
        if (!theorem(g, s, f)) {
            const size_t said = strlen(f->text);
            snprintf(f->text + said, sizeof f->text - said, " (%s, game %ld, state %ld)", names[index % GAMES], index,
                     states);
            return states;
        }
        lr_apply_legal(g, s, choice(g, s, index / GAMES % 3 == 2, stream, (uint64_t)states));
    }
    const int code = lr_apply(g, s, 0, NULL);
    if (code != LR_E_OVER)
        snprintf(f->text, sizeof f->text, "after the end: %s instead of LR_E_OVER", lr_code_name(code));
    return states;
}

static void test_ruling_57_mask_theorem(void **unused) {
    (void)unused;
    atomic_long states = 0, next = 0;
    struct finding worst = {""};
#pragma omp parallel
    while (states < wanted) {
        struct finding mine = {""};
        states += prove_game(next++, &mine);
        if (!mine.text[0]) continue;
#pragma omp critical(mask_theorem)
        worst = mine;
        break;
    }
    if (worst.text[0]) fail_msg("%s", worst.text);
    print_message("proved on %ld states of %ld games\n", (long)states, (long)next);
}

static int open_games(void **unused) {
    (void)unused;
    lr_error error;
    for (int i = 0; i < GAMES; i++)
        if (lr_game_open(names[i], &game[i], &error)) return print_error("%s\n", error.text), -1;
    for (int i = 0; i < GAMES; i++)
        if (lr_game_info(game[i])->state_bytes > STATE_BYTES) return -1;
    return 0;
}

static int close_games(void **unused) {
    (void)unused;
    for (int i = 0; i < GAMES; i++) lr_game_close(game[i]);
    return 0;
}

int main(int argc, char **argv) {
    if (argc > 1) wanted = atol(argv[1]);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ruling_57_mask_theorem)};
    return cmocka_run_group_tests(tests, open_games, close_games);
}
