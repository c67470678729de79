/* race.h: a ruleset small enough to check by hand, for the tests of this room: two runners, in turns, choose a step
 * of 1 to 3 and add a die of 1 to 6; the first to reach 30 wins; nobody after 40 turns is a draw. */
#ifndef RACE_H
#define RACE_H

#include "env/game.h"

extern const struct lr_ruleset race_ruleset;

#endif
