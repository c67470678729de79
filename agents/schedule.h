/* schedule.h: which games a plan consists of.
 *
 * A game's id says everything: ids run from 0 to schedule_games(plan) - 1, and id / 2 is its *pair*: games 2p and 2p +
 * 1 are played by the same two bots on the same scenario with the same seed, sides swapped (the *first* bot of the
 * pairing is the Union in the even game). Pairs are ordered by round, then pairing, then scenario, so that a tournament
 * that is cut short has met everyone alike. Pairings: round robin, (0,1), (0,2), ..., (1,2), ...; gauntlet, each
 * challenger against each bot that is none; sprt, bot 0 against bot 1.
 *
 * The seed of pair p is lr_environment_seed(plan's seed, p): dice are common within a pair and independent between
 * pairs, for that is what intervals over pairs assume. (Sharing them between pairings would help comparisons a little
 * and make those intervals wrong.) */
#ifndef SCHEDULE_H
#define SCHEDULE_H

#include "agents/plan.h"

struct fixture {
    int64_t id;
    int scenario; /* index into the plan's scenarios */
    int round;
    int pairing;   /* 0 <= pairing < schedule_pairings */
    int bots[2];   /* on [LR_UNION] and [LR_CONFEDERATE] */
    uint64_t seed; /* of the dice and of our own agents, episode 0 */
};

int schedule_pairings(const struct plan *plan);
void schedule_pairing(const struct plan *plan, int pairing, int bots[2]); /* bots[0]: the first */
int64_t schedule_games(const struct plan *plan);                          /* sprt: up to the cap */
struct fixture schedule_game(const struct plan *plan, int64_t id);        /* 0 <= id < schedule_games */

#endif
