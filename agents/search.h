/* search.h: looking ahead. Monte Carlo tree search and expectimax over one game's states.
 *
 * A *search* looks ahead from one root state and says what it thinks of each legal action. It owns one arena, allocated
 * when it is opened and never grown, so its memory is known beforehand: search_bytes. It can run to its limits at once,
 * run in slices, or hand its leaves to the caller to be valued (a neural network's batch):
 *
 *     struct search_options options = search_defaults(SEARCH_MCTS);
 *     options.simulations = 2000;
 *     struct search *search;
 *     if (search_open(game, &options, &search, &error)) ...
 *     search_begin(search, state, stream, &error);
 *     search_run(search, 0);
 *     struct search_result result;  search_result(search, &result);
 *     action = result.best;
 *     search_close(search);
 *
 * Unless a caller values the leaves or asks for none, the habits of a sound player (lr_appraise) guide both methods: they
 * play on from leaves, their choice is the one to beat, and a root's actions are compared on common dice. So little effort
 * plays by habit and more departs from it on evidence.
 *
 * Values are the Union's, from -1 (lost) to +1 (won), in every place: tree, results, leaves.
 * Chance nodes are explicit: expectimax weighs all outcomes; mcts draws one a visit, by the weights, from its own stream, so
 * that a search never sees an environment's dice.
 * A search limited by simulations, nodes or depth alone gives the same bytes on every machine for the same state,
 * options (threads included) and stream. One limited by time does not.
 * A search belongs to one thread at a time; conventions are those of longroll.h. */
#ifndef SEARCH_H
#define SEARCH_H

#include "env/longroll.h"

enum search_method { SEARCH_MCTS, SEARCH_EXPECTIMAX };

/* Who plays a rollout, and where priors come from. */
enum search_rollout { ROLLOUT_RANDOM, ROLLOUT_GREEDY };
enum search_prior { PRIOR_NONE, PRIOR_HABITS }; /* all actions alike; lr_appraise (with leaves: the caller's) */

/* Bounds of a search: of its principal line, threads, leaves in one round, depth, and tree_nodes. */
enum {
    SEARCH_LINE = 32,
    SEARCH_THREADS = 64,
    SEARCH_ROUND = 4096,
    SEARCH_DEPTH = 64,
    SEARCH_TREE_NODES = 1 << 28,
    SEARCH_SAMPLES = 4096
};

/* Limits are looked at between simulations: the last one is played to its end. */
struct search_options {
    int method;           /* enum search_method */
    uint64_t simulations; /* mcts: stop after so many; 0: no such limit */
    uint64_t nodes;       /* stop when so many actions and outcomes were applied, rollouts included; 0: no such limit */
    uint64_t microseconds; /* stop after so long; 0: no such limit. One of these three, or depth, must be set. */
    int depth;             /* expectimax: decisions to look ahead, deepened one by one; chance nodes are not counted;
                              0: until another limit */
    int width;             /* expectimax: look only at so many actions, those that habits like best; 0: at all */
    int samples;           /* expectimax: games played on by habit to guess the value of a state where it looks no
                              further, SEARCH_SAMPLES at most; 0: lr_evaluate */
    uint32_t tree_nodes;   /* the most nodes (mcts; at least LR_MAX_ACTIONS a thread) or table entries (expectimax) that
                              are kept, 32 bytes each; a full tree is searched on without growing */
    int exploration;       /* mcts: the constant of the exploration term, in thousandths */
    int prior;             /* enum search_prior */
    int expand_after;      /* mcts: visits of a decision after which its actions are tried one by one; >= 1; the root's
                              and, with leaves, everyone's are at once */
    int rollout;           /* enum search_rollout */
    int rollout_length;    /* decisions and chance nodes after the leaf, then lr_evaluate; 0: at once; -1: to the end.
                              Of ROLLOUT_GREEDY the mean of that and of lr_evaluate after every 16 on the way counts */
    int threads;           /* mcts: so many trees, each with its share of limits and nodes, summed at the root; >= 1 */
    bool leaves;           /* mcts: the caller values the leaves (search_leaves, search_answer); threads must be 1 */
};

/* The settings that the agents of that name use. */
struct search_options search_defaults(int method);

/* Whether a search can be opened with these options. Errors: ARGUMENT (an option out of its range, no limit set). */
int search_check(const struct search_options *options, lr_error *error);

struct search; /* opaque */

/* Errors: ARGUMENT (as search_check), MEMORY. The game must outlive the search. */
int search_open(const lr_game *game, const struct search_options *options, struct search **search, lr_error *error);
void search_close(struct search *search); /* NULL is allowed */
/* All memory that a search with these options uses. `game` NULL: with room for the states of any game. */
size_t search_bytes(const lr_game *game, const struct search_options *options);

/* Sets the root, a checked state in which a player moves (else ARGUMENT, OVER), and forgets the last tree. */
int search_begin(struct search *search, const lr_state *root, uint64_t stream, lr_error *error);

/* Runs at most `slice` simulations (mcts) or nodes (expectimax) more; 0: until a limit.
 * True when a limit is reached and the search is done. Cutting a search into slices does not change its result. */
bool search_run(struct search *search, uint64_t slice);

struct search_result {
    int count;                       /* legal actions at the root */
    uint16_t action[LR_MAX_ACTIONS]; /* as lr_legal gives them */
    uint32_t visits[LR_MAX_ACTIONS]; /* expectimax: 1 for an action that was valued, else 0 */
    float value[LR_MAX_ACTIONS];     /* the Union's; 0 where visits are 0 */
    float prior[LR_MAX_ACTIONS];     /* sum 1 */
    float root_value;
    int best;        /* the action to play. Where habits guide the search (mcts: unless the caller values the leaves;
                        expectimax: where it guesses by samples): the best value, with some credit for the prior, of the
                        actions with at least half of the most visits. Else most visits, ties to value for the mover,
                        then to the lowest id */
    int line_length; /* the principal line: best actions and likeliest outcomes from the root */
    uint16_t line[SEARCH_LINE];
    uint64_t simulations, nodes; /* done so far */
    uint32_t tree_nodes;         /* kept now */
    int depth;                   /* expectimax: completed; mcts: the deepest leaf */
    double seconds;              /* in search_run, by the wall clock */
};

/* What is known now; may be asked between slices. */
void search_result(const struct search *search, struct search_result *result);

/* ---- Leaf batches ----
 * With options.leaves: each round, search_leaves picks up to `capacity` new leaves (under virtual loss, so that they
 * differ) and writes the observation of the player to move there, as lr_batch would; the caller values them and answers all of
 * them at once. Ended games and chance nodes are dealt with inside and never handed out.
 *
 *     options.leaves = true;  search_open(...);  search_begin(...);
 *     while ((count = search_leaves(search, 64, &leaves, &error)) > 0) {
 *         network(leaves, count, values, priors);
 *         search_answer(search, values, priors, &error);
 *     }
 *     search_result(search, &result);
 *
 * The search's own simulations with a rollout_length of 0 are the same as rounds of capacity 1 that are answered with
 * lr_evaluate / 1000 and no priors (PRIOR_NONE, tree not full). The capacity changes the order in which leaves are
 * chosen, and so the result. A round ends early when the next walk would meet a leaf of the same round. Where the
 * tree is full, dice after a leaf are thrown inside, so a leaf's state may differ from visit to visit. */
struct search_leaves {
    uint8_t *pieces;  /* [capacity][piece_rows][piece_columns] */
    int16_t *globals; /* [capacity][global_columns] */
    uint8_t *mask;    /* [capacity][mask_bytes] */
    uint8_t *to_move; /* [capacity]: LR_UNION or LR_CONFEDERATE */
    uint8_t *states;  /* [capacity][state_bytes], for callers who value states; NULL: not wanted */
};

/* How many were written, SEARCH_ROUND at most: 0 when the search is done (or capacity is 0). The first leaf of all is the root itself.
 * Errors: ARGUMENT when the last leaves have not been answered, there is no root, or the option was not set. */
int search_leaves(struct search *search, int capacity, const struct search_leaves *leaves, lr_error *error);

/* values: [leaves], the value for that leaf's mover, -1 to +1. priors: [leaves][actions], not negative, any scale, read only
 * where the mask is set; NULL: all alike. PRIOR_NONE ignores them; with it selection is by counts (UCT). Errors: ARGUMENT (a number that is not finite or out of its range, naming the
 * leaf; nothing is then taken over). */
int search_answer(struct search *search, const float *values, const float *priors, lr_error *error);

#endif
