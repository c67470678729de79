/* kuhn.h: Kuhn poker, a ruleset for the tests of what all rulesets share: three cards, two players, one bet. It is
 * small enough to follow by hand and has what matters: chance nodes, a hidden hand, a fold, a showdown.
 *
 * With `surrender: 1` in the scenario the first player may also give up at once, which lets an episode end
 * before the second player has decided anything. */
#ifndef KUHN_H
#define KUHN_H

#include "env/game.h"

enum { KUHN_PASS = 0, KUHN_BET = 1, KUHN_SURRENDER = 2, KUHN_ACTIONS = 3 };
enum { KUHN_MOST = 5 }; /* two cards dealt, three decisions */

extern const struct lr_ruleset kuhn_ruleset;

/* A folder of this process with kuhn/plain.yaml and kuhn/surrender.yaml, which lr_game_open then finds. */
const char *kuhn_folder(void);

/* "kuhn/plain" or "kuhn/surrender", opened through lr_game_open; never NULL. */
lr_game *kuhn_open(bool surrender);

#endif
