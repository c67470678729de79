/* fuzz_plan.c: bytes are read as a tournament's plan. What is accepted has a normal text that is read back as the same
 * plan, and a schedule in which every game lies within the plan. What is refused is refused with one line. */
#include "agents/schedule.h"
#include "fuzz.h"
#include <stdlib.h>
#include <string.h>

static void check_text(const struct plan *plan) {
    struct plan *again;
    lr_error error;
    char *text = plan_text(plan);
    const int code = plan_read("plan", text, strlen(text), &again, &error);
    fuzz_require(code == LR_OK, "a plan's own text is refused: %s\n%s", code ? error.text : "", text);
    char *second = plan_text(again);
    fuzz_require(!strcmp(text, second), "a plan's text changes:\n%s\n%s", text, second);
    plan_close(again);
    free(text);
    free(second);
}

static void check_game(const struct plan *plan, int64_t id) {
    const struct fixture game = schedule_game(plan, id);
    const int bots = (int)plan->bot_count;
    fuzz_require(game.scenario >= 0 && game.scenario < (int)plan->scenario_count, "scenario %d", game.scenario);
    for (int side = 0; side < 2; side++)
        fuzz_require(game.bots[side] >= 0 && game.bots[side] < bots, "game %lld: bot %d", (long long)id,
                     game.bots[side]);
    fuzz_require(game.bots[0] != game.bots[1], "game %lld: a bot against itself", (long long)id);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    struct plan *plan;
    lr_error error = {.code = LR_OK};
    const int code = plan_read("plan", (const char *)bytes, size, &plan, &error);
    if (code) {
        fuzz_require(code == LR_E_ARGUMENT && error.code == code, "a plan is refused with code %d", code);
        fuzz_require(error.text[0] && !strpbrk(error.text, "\n\r"), "not one line: %s", error.text);
        return 0;
    }
    check_text(plan);
    const int64_t games = schedule_games(plan);
    fuzz_require(games >= 2 && games % 2 == 0, "%lld games", (long long)games);
    for (int64_t id = 0; id < games && id < 100; id++) {
        check_game(plan, id);
        check_game(plan, games - 1 - id);
    }
    plan_close(plan);
    return 0;
}
