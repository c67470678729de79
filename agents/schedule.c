/* schedule.c: see schedule.h. All of it is arithmetic on the id. */
#include "agents/schedule.h"

int schedule_pairings(const struct plan *plan) {
    const int bots = (int)plan->bot_count;
    switch (plan->format) {
    case PLAN_GAUNTLET: return plan->challengers * (bots - plan->challengers);
    case PLAN_SPRT: return 1;
    default: return bots * (bots - 1) / 2;
    }
}

void schedule_pairing(const struct plan *plan, int pairing, int bots[2]) {
    const int count = (int)plan->bot_count;
    if (plan->format == PLAN_GAUNTLET) {
        const int others = count - plan->challengers;
        bots[0] = pairing / others;
        bots[1] = plan->challengers + pairing % others;
        return;
    }
    bots[0] = 0;
    while (pairing >= count - 1 - bots[0]) pairing -= count - 1 - bots[0]++;
    bots[1] = bots[0] + 1 + pairing;
}

int64_t schedule_games(const struct plan *plan) {
    if (plan->format == PLAN_SPRT) return 2 * plan->sprt.cap;
    return INT64_C(2) * plan->rounds * schedule_pairings(plan) * plan->scenario_count;
}

struct fixture schedule_game(const struct plan *plan, int64_t id) {
    const int pairings = schedule_pairings(plan), scenarios = (int)plan->scenario_count;
    const int64_t pair = id / 2;
    struct fixture fixture = {.id = id, .seed = lr_environment_seed(plan->seed, (uint64_t)pair)};
    fixture.scenario = (int)(pair % scenarios);
    fixture.pairing = (int)(pair / scenarios % pairings);
    fixture.round = (int)(pair / scenarios / pairings);
    int bots[2];
    schedule_pairing(plan, fixture.pairing, bots);
    const int first = id % 2 ? LR_CONFEDERATE : LR_UNION;
    fixture.bots[first] = bots[0];
    fixture.bots[!first] = bots[1];
    return fixture;
}
