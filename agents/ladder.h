/* ladder.h: the calibrated ladder: a frozen set of bots, the pairs that they played, and what it was made with.
 *
 * The file (agents/ladder.yaml) holds the results, not only the ratings, so that a newcomer is rated together with the
 * ladder's own games and the error that is stated for him contains the ladder's. It is void when a ruleset's version or
 * a scenario's hash has changed since: ladder_match.
 *
 *     anchor: "greedy"
 *     bots:
 *       - {name: "random", spec: "random"}
 *     scenarios:
 *       - {name: "cedar-mountain/gate", ruleset: "brigade", version: 1, hash: "0123456789abcdef"}
 *     pairings:    # tally: pairs by half points of the first bot as the Union (rows) and as the Confederate
 *       - {scenario: 0, first: 0, second: 1, tally: [0, 0, 3, 0, 1, 5, 2, 2, 87]}
 *     ratings:     # for other readers: Elo with its interval; scenario -1: all together
 *       - {bot: "random", scenario: -1, elo: [-612.0, -650.7, -580.1], union: [...], confederate: [...]} */
#ifndef LADDER_H
#define LADDER_H

#include "agents/standings.h"

struct ladder {
    char *anchor;
    struct plan_bot *bots;
    struct ledger_scenario *scenarios;
    struct pairing *pairings;
    unsigned bot_count, scenario_count, pairing_count;
    int anchor_bot; /* index of the anchor */
};

/* Errors: IO, ARGUMENT with line or path of the fault, MEMORY. */
int ladder_read(const char *path, struct ladder **ladder, lr_error *error);
void ladder_close(struct ladder *ladder); /* NULL is allowed */

/* Index of a scenario of that name. Errors: NOT_FOUND, listing those that the ladder has. */
int ladder_scenario(const struct ladder *ladder, const char *name, lr_error *error);

/* Whether the ladder holds for that game, its scenario `index`. Errors: ARGUMENT: the ladder is void, and why. */
int ladder_match(const struct ladder *ladder, int index, const lr_game *game, lr_error *error);

/* The file's text for the bots of a tournament, malloc'ed. Errors: MEMORY. */
int ladder_text(struct ledger *ledger, const struct standings *standings, char **text, lr_error *error);

/* ---- A newcomer ---- */

struct newcomer {
    struct interval all, sides[2]; /* Elo, together and as the Union and the Confederate */
};

/* Rates him together with the ladder's games in those scenarios in which `use` is true. His pairs against the ladder's
 * bots are tallies[bot * scenario_count + scenario], as he sees them. Errors: MEMORY. */
int ladder_rate(const struct ladder *ladder, const struct tally *tallies, const bool *use, uint64_t stream,
                struct newcomer *newcomer, lr_error *error);

/* The ladder's own ratings in those scenarios: ratings[bot_count]. Errors: MEMORY. */
int ladder_ratings(const struct ladder *ladder, const bool *use, struct interval *ratings, lr_error *error);

#endif
