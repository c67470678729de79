/* searchers.c: the agents mcts and expectimax: a search of search.h for each decision, its tree in the scratch memory.
 *
 * A search begins anew at each decision: a chooser is a pure function of the state and the stream. */
#include "agents/agent.h"
#include "agents/search_parts.h"
#include <stddef.h>
#include <string.h>

static int choose(const lr_chooser *self, void *scratch, const lr_game *game, const lr_state *state,
                  const uint16_t *legal, int count, uint64_t stream) {
    if (count == 1) return legal[0];
    struct search *search = search_place(scratch, game, self->config);
    search_begin(search, state, stream, NULL);
    search_run(search, 0);
    struct search_result result;
    search_result(search, &result);
    return result.best;
}

static int complete(void *config, lr_error *error) {
    struct search_options *options = config;
    const struct search_options usual = search_defaults(options->method);
    const bool limited = options->simulations || options->nodes || options->microseconds || options->depth;
    if (!limited) {
        options->simulations = usual.simulations;
        options->nodes = usual.nodes;
        options->depth = usual.depth;
    }
    return search_check(options, error);
}

static size_t scratch_bytes(const void *config) { return search_bytes(NULL, config); }

static const char *const rollouts[] = {[ROLLOUT_RANDOM] = "random", [ROLLOUT_GREEDY] = "greedy", NULL};
static const char *const priors[] = {[PRIOR_NONE] = "none", [PRIOR_HABITS] = "habits", NULL};

#define AT(field) offsetof(struct search_options, field)

static const struct agent_option mcts_options[] = {
    {.name = "simulations",
     .about = "walks down the tree for each decision",
     .kind = OPTION_U64,
     .at = AT(simulations)},
    {.name = "nodes", .about = "actions and outcomes applied for each decision", .kind = OPTION_U64, .at = AT(nodes)},
    {.name = "seconds", .about = "for each decision", .kind = OPTION_SECONDS, .at = AT(microseconds)},
    {.name = "exploration",
     .about = "weight of what was tried little",
     .kind = OPTION_THOUSANDTHS,
     .at = AT(exploration)},
    {.name = "prior", .about = "what is tried first", .kind = OPTION_WORD, .at = AT(prior), .words = priors},
    {.name = "expand",
     .about = "visits after which a decision's actions are tried",
     .kind = OPTION_INT,
     .at = AT(expand_after)},
    {.name = "rollout", .about = "who plays on from a leaf", .kind = OPTION_WORD, .at = AT(rollout), .words = rollouts},
    {.name = "length", .about = "of a rollout; -1: to the end", .kind = OPTION_INT, .at = AT(rollout_length)},
    {.name = "tree", .about = "most nodes kept, 32 bytes each", .kind = OPTION_U32, .at = AT(tree_nodes)},
    {.name = "threads", .about = "trees, each with its share of the limits", .kind = OPTION_INT, .at = AT(threads)},
    {0},
};

static const struct agent_option expectimax_options[] = {
    {.name = "depth", .about = "decisions to look ahead", .kind = OPTION_INT, .at = AT(depth)},
    {.name = "nodes", .about = "actions and outcomes applied for each decision", .kind = OPTION_U64, .at = AT(nodes)},
    {.name = "seconds", .about = "for each decision", .kind = OPTION_SECONDS, .at = AT(microseconds)},
    {.name = "width", .about = "actions looked at, the best by habit; 0: all", .kind = OPTION_INT, .at = AT(width)},
    {.name = "samples",
     .about = "games by habit to guess a state's value; 0: none",
     .kind = OPTION_INT,
     .at = AT(samples)},
    {.name = "length", .about = "of such a game; -1: to the end", .kind = OPTION_INT, .at = AT(rollout_length)},
    {.name = "table",
     .about = "entries of the transposition table, 32 bytes each",
     .kind = OPTION_U32,
     .at = AT(tree_nodes)},
    {0},
};

/* What no option sets; the limits stay 0 until complete(). */
static void prepare(void *config, int method) {
    struct search_options *options = config;
    *options = search_defaults(method);
    options->simulations = options->nodes = 0;
    options->depth = 0;
}

static void prepare_mcts(void *config) { prepare(config, SEARCH_MCTS); }
static void prepare_expectimax(void *config) { prepare(config, SEARCH_EXPECTIMAX); }

const struct agent agent_mcts = {
    .chooser = {.name = "mcts", .choose = choose},
    .about = "Monte Carlo tree search with chance nodes",
    .options = mcts_options,
    .config_bytes = sizeof(struct search_options),
    .prepare = prepare_mcts,
    .complete = complete,
    .scratch_bytes = scratch_bytes,
};

const struct agent agent_expectimax = {
    .chooser = {.name = "expectimax", .choose = choose},
    .about = "all actions and all dice, a few decisions ahead",
    .options = expectimax_options,
    .config_bytes = sizeof(struct search_options),
    .prepare = prepare_expectimax,
    .complete = complete,
    .scratch_bytes = scratch_bytes,
};
