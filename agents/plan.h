/* plan.h: what a tournament plays: who, on what, how often, under which seed and clock.
 *
 * A plan is read from YAML or put together from options; plan_check gives it one normal form, whose text (plan_text) is
 * what a ledger keeps and compares: two plans are the same tournament exactly when their texts are equal. How many
 * workers play it is no part of that, since results do not depend on it.
 *
 *     name: spring league          # optional
 *     format: round-robin          # or gauntlet, sprt
 *     bots:                        # at least two; sprt takes two
 *       - spec: greedy             # name: the spec, unless given
 *       - {name: deep, spec: "mcts:simulations=2000"}
 *     challengers: 1               # gauntlet only: the first so many bots meet all others; 1 unless given
 *     scenarios: [cedar-mountain/gate, cedar-mountain/duel]
 *     rounds: 100                  # pairs of games for each pairing and scenario; not for sprt
 *     seed: 1                      # 1 unless given
 *     clock:                       # struct clock_rules, in milliseconds: move_ms, game_ms, increment_ms, margin_ms,
 *       move_ms: 1000              # start_ms, nodes; what is not given is 0
 *     sprt:                        # sprt only
 *       {elo0: 0, elo1: 20, alpha: 0.05, beta: 0.05, cap: 5000}   # alpha and beta 0.05 unless given; cap in pairs
 *     adjudication: none           # every game is played to its end; the only value
 *     workers: 2                   # games at a time; one a core unless given */
#ifndef PLAN_H
#define PLAN_H

#include "agents/player.h"
#include "agents/statistics.h"

enum { PLAN_BOTS = 64, PLAN_SCENARIOS = 64, PLAN_NAME = 64, PLAN_SPEC = 1000, PLAN_ROUNDS = 1000000 };

enum plan_format { PLAN_ROUND_ROBIN, PLAN_GAUNTLET, PLAN_SPRT };
const char *plan_format_name(int format); /* "round-robin", "gauntlet", "sprt" */

struct plan_bot {
    char *name, *spec; /* the name is unique in its plan */
};

struct plan {
    char *name;            /* may be NULL */
    int format;            /* enum plan_format */
    struct plan_bot *bots; /* malloc'ed, as all that they and the scenarios point to */
    char **scenarios;      /* names or paths for lr_game_open */
    unsigned bot_count, scenario_count;
    int challengers; /* gauntlet: >= 1; else 0 */
    int rounds;      /* pairs for each pairing and scenario; sprt: 0, sprt.cap says how many pairs */
    uint64_t seed;
    struct clock_rules clock;
    struct sprt sprt; /* format sprt; else all 0 */
    int workers;      /* 0: one a core */
};

/* Reads a plan's text; `file` is named in errors. plan_close(*plan) in the end. Errors: ARGUMENT with the line, or the
 * path of the faulty value, or both; MEMORY. */
int plan_read(const char *file, const char *text, size_t length, struct plan **plan, lr_error *error);

/* An empty plan with the usual seed and SPRT risks, and its lists; NULL if there is no memory. A bot without a name
 * (NULL) is named by its spec. Errors: ARGUMENT (too many), MEMORY. */
struct plan *plan_new(void);
int plan_add_bot(struct plan *plan, const char *name, const char *spec, lr_error *error);
int plan_add_scenario(struct plan *plan, const char *name, lr_error *error);

/* Fills what was left open and proves the rest: counts, ranges, that names are different. Specs and scenarios are not
 * opened. plan_read has done it. Errors: ARGUMENT, naming the field. */
int plan_check(struct plan *plan, lr_error *error);

/* The normal form, a text that plan_read takes. malloc'ed; NULL if there is no memory. */
char *plan_text(const struct plan *plan);

void plan_close(struct plan *plan); /* frees it and all that it points to; NULL is allowed */

#endif
