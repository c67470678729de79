/* rulesets.c: the rulesets that are built in. Alone in its file so that a program, or a test, may bring a list
 * of its own instead. */
#include "rulesets.h"

#include "brigade/brigade.h"

const struct lr_ruleset *const lr_rulesets[] = {&brigade_ruleset, NULL};
