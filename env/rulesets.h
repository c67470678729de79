/* rulesets.h: the list of rulesets from which lr_game_open chooses by the name in a scenario's `ruleset:` line. */
#ifndef LR_RULESETS_H
#define LR_RULESETS_H

#include "game.h"

/* Ends with NULL. */
extern const struct lr_ruleset *const lr_rulesets[];

#endif
