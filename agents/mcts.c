/* mcts.c: Monte Carlo tree search over decisions, with explicit chance nodes. See search.h.
 *
 * A tree is an array of nodes, each one action or outcome after its parent; the children of a node lie side by side, one for
 * each legal action or possible outcome, made together when the node is expanded. No state is kept but the root's:
 * a simulation copies it, walks down while applying actions, and so pays for its depth but not for memory.
 *
 * With habits the root's actions run a race (sequential halving). The field is as many of them as can be given LEAST visits
 * a heat, those that habits like best; they are visited in turn; after each equal part of the limits the slower half
 * leaves, and so do runners that fared exactly as another did. Thus the effort goes to telling the best few apart, and
 * every action that is compared has been seen on the same dice. What counts is the mean value and some credit for the
 * prior, which fades as fast as the noise of the mean.
 *
 * Elsewhere, and at the root too without habits or with leaves of the caller's, the child with the greatest score is
 * taken, the first of equals. With q the child's mean value for the mover, n its visits, N those of its parent, c the
 * exploration constant and p its prior:
 *
 *     habits, or the caller's priors:  q + c p sqrt(N) / (1 + n), where q of an unvisited child is its parent's mean less
 *                                      a fifth of the share of priors that was tried
 *     none (UCT):                      q + c sqrt(log2(N) / n), unvisited children first; log2 is linear between powers of 2
 *
 * A decision other than the root is expanded after `expand_after` visits. Values of rollouts are noisy: it takes many to
 * tell a good action from a bad one, and an early choice of the tree's would only add to the noise of the actions
 * above it, while the rollout's own player already chooses soundly. When the array is full, nodes are no longer expanded,
 * and the walk ends at the leaf that it has reached, as often as it does.
 *
 * All of it is IEEE double arithmetic without library functions but sqrt, in a fixed order: the same on every machine.
 *
 * The k-th simulation through a root's child draws everything from one seed made of (stream, number of the tree, k): dice
 * by lr_sample, so that outcomes have their weights, and the choices of random rollouts by lr_random. The root's actions
 * are thereby compared on common dice (longroll.h: dice are keyed by event), which takes out much of the noise between
 * them. */
#include "agents/agent.h"
#include "agents/search_parts.h"
#include "env/game.h"
#include <math.h>
#include <string.h>

struct node {
    double value; /* sum over visits, the Union's */
    uint32_t visits;
    uint32_t parent, first; /* first child; 0: not expanded */
    float prior;            /* at a decision's child */
    uint16_t action;        /* that leads here from the parent */
    uint16_t children;
    uint16_t flying; /* leaf batches: visits under way, counted as lost for whoever chose them */
    uint8_t mover;   /* here; UNSEEN before the first visit */
};
_Static_assert(sizeof(struct node) == 32, "two nodes a cache line");

enum { UNSEEN = 0xff };
enum { LEAST = 4 /* visits of a runner in a heat */ };

/* How much less an action that was not tried promises than its parent's mean, by the share of priors that was tried. */
static const double FIRST_PLAY = 0.2;

/* The root's actions that are still in the running. */
struct race {
    uint16_t field[LR_MAX_ACTIONS]; /* indices of children, the best by habit first, later the best so far */
    int left, next;                 /* runners; the one whose turn it is */
    int heat, heats;                /* under way, and all; 0: there is no race */
};

struct tree {
    struct node *nodes; /* nodes[0]: the root */
    uint32_t used, room;
    uint32_t depth;             /* of the deepest leaf */
    uint64_t number;            /* among the trees */
    uint64_t simulations, most; /* done; to be done */
    uint64_t applied, most_applied;
    double deadline;
    lr_state *state; /* where the walk is */
    struct player_on scratch;
    struct race race;
};

/* One that the caller is to value. */
struct leaf {
    uint32_t node;
    uint8_t mover; /* where a full tree had dice thrown after the node, not the node's own */
};

struct mcts {
    struct tree *trees[SEARCH_THREADS];
    int flying; /* leaves under way */
    struct leaf *leaves;
};

/* ---- Memory ---- */

void mcts_lay_out(struct search *search, struct arena *arena) {
    const struct search_options *o = &search->options;
    struct mcts *mcts = arena_take(arena, sizeof *mcts);
    struct leaf *leaves = o->leaves ? arena_take(arena, SEARCH_ROUND * sizeof *leaves) : NULL;
    const uint32_t room = o->tree_nodes / (uint32_t)o->threads + 1; /* the root is none of them */
    for (int i = 0; i < o->threads; i++) {
        struct tree *tree = arena_take(arena, sizeof *tree);
        lr_state *state = arena_take(arena, search_state_bytes(search));
        struct node *nodes = arena_take(arena, room * sizeof *nodes);
        if (!arena->base) continue;
        mcts->trees[i] = tree;
        *tree = (struct tree){.nodes = nodes, .room = room, .number = (uint64_t)i, .state = state};
    }
    if (!arena->base) return;
    mcts->leaves = leaves;
    mcts->flying = 0;
    search->mcts = mcts;
}

/* Tree i's share of a limit; 0, no limit, stays 0. Every tree gets something to do. */
static uint64_t share(uint64_t limit, int trees, int i) {
    if (!limit) return UINT64_MAX;
    const uint64_t mine = limit / (uint64_t)trees + ((uint64_t)i < limit % (uint64_t)trees);
    return mine ? mine : 1;
}

void mcts_begin(struct search *search) {
    const struct search_options *o = &search->options;
    search->mcts->flying = 0;
    for (int i = 0; i < o->threads; i++) {
        struct tree *tree = search->mcts->trees[i];
        tree->used = 1;
        tree->nodes[0] = (struct node){.mover = (uint8_t)search->mover};
        tree->depth = 0;
        tree->race.heats = 0;
        tree->simulations = tree->applied = 0;
        tree->most = share(o->simulations, o->threads, i);
        tree->most_applied = share(o->nodes, o->threads, i);
    }
}

/* ---- One simulation ---- */

/* Makes the children of a node whose state the walk has reached; false if there is no room. */
static bool expand(const struct search *search, struct tree *tree, uint32_t index) {
    const int count = lr_legal(search->game, tree->state, tree->scratch.legal);
    if (tree->room - tree->used < (uint32_t)count) return false;
    struct node *children = tree->nodes + tree->used;
    for (int i = 0; i < count; i++)
        children[i] = (struct node){.parent = index, .action = tree->scratch.legal[i], .mover = UNSEEN};
    tree->nodes[index].first = tree->used;
    tree->nodes[index].children = (uint16_t)count;
    tree->used += (uint32_t)count;
    if (tree->nodes[index].mover == LR_CHANCE) return true;
    float priors[LR_MAX_ACTIONS];
    search_priors(search, tree->state, tree->scratch.legal, count, priors);
    for (int i = 0; i < count; i++) children[i].prior = priors[i];
    return true;
}

/* log2, exact at powers of 2 and linear between them. */
static double log2_of(uint32_t n) {
    const int whole = 31 - __builtin_clz(n);
    return whole + (double)(n - (UINT32_C(1) << whole)) / (double)(UINT32_C(1) << whole);
}

/* Visits, and the sum of values for the side that sign speaks for, flying visits counted as lost. */
static double visits_of(const struct node *node) { return (double)(node->visits + node->flying); }
static double gains_of(const struct node *node, double sign) { return sign * node->value - node->flying; }

static uint32_t select_by_count(const struct tree *tree, const struct node *node, double sign, double c) {
    const uint32_t tries = node->visits + node->flying;
    const double spread = c * c * log2_of(tries ? tries : 1);
    uint32_t best = node->first;
    double best_score = -1e300;
    for (uint32_t i = node->first; i < node->first + node->children; i++) {
        const struct node *child = &tree->nodes[i];
        const double visits = visits_of(child);
        if (visits == 0) return i;
        const double score = gains_of(child, sign) / visits + sqrt(spread / visits);
        if (score <= best_score) continue;
        best_score = score;
        best = i;
    }
    return best;
}

static uint32_t select_by_prior(const struct tree *tree, const struct node *node, double sign, double c) {
    const struct node *children = tree->nodes + node->first;
    const int count = node->children;
    const double tries = visits_of(node), spread = c * sqrt(tries);
    double tried = 0;
    for (int i = 0; i < count; i++)
        if (children[i].visits + children[i].flying) tried += (double)children[i].prior;
    /* the node's own mean: flying visits through it are no loss of its own mover's */
    const double mean = node->visits ? sign * node->value / node->visits : 0;
    const double unvisited = mean - FIRST_PLAY * tried;
    int best = 0;
    double best_score = -1e300;
    for (int i = 0; i < count; i++) {
        const double visits = visits_of(&children[i]);
        const double q = visits > 0 ? gains_of(&children[i], sign) / visits : unvisited;
        const double score = q + spread * (double)children[i].prior / (1 + visits);
        if (score <= best_score) continue;
        best_score = score;
        best = i;
    }
    return node->first + (uint32_t)best;
}

static uint32_t select_child(const struct search *search, const struct tree *tree, const struct node *node) {
    const double sign = node->mover == LR_UNION ? 1 : -1, c = search->options.exploration * 1e-3;
    if (search->options.prior == PRIOR_NONE) return select_by_count(tree, node, sign, c);
    return select_by_prior(tree, node, sign, c);
}

static uint32_t drawn_child(const struct search *search, const struct tree *tree, const struct node *node,
                            uint64_t seed) {
    const int outcome = lr_sample(search->game, tree->state, seed, 0);
    uint32_t child = node->first;
    while (tree->nodes[child].action != outcome) child++;
    return child;
}

/* Of the next simulation through this child of the root. */
static uint64_t seed_through(const struct search *search, const struct tree *tree, const struct node *child) {
    return lr_agent_stream(search->stream, (uint32_t)tree->number, LR_CHANCE, child->visits + child->flying);
}

/* ---- The race of the root's actions ---- */

static double share_done(const struct search *search, const struct tree *tree) {
    const double walks = search_share(tree->simulations, tree->most);
    const double applied = search_share(tree->applied, tree->most_applied);
    const double time = search_share_of_time(search, tree->deadline);
    const double more = walks > applied ? walks : applied;
    return more > time ? more : time;
}

static int heats_of(int runners) { return runners > 2 ? 32 - __builtin_clz((unsigned)runners - 1) : 1; }

/* Insertion: the greater score first, equals in their order. */
static void line_up(struct race *race, const double *score) {
    for (int i = 1; i < race->left; i++) {
        const uint16_t runner = race->field[i];
        int at = i;
        for (; at > 0 && score[race->field[at - 1]] < score[runner]; at--) race->field[at] = race->field[at - 1];
        race->field[at] = runner;
    }
}

/* As many of the actions that habits like best as can be given LEAST visits a heat. */
static void start_race(const struct search *search, struct tree *tree) {
    struct race *race = &tree->race;
    const struct node *root = tree->nodes;
    const double done = share_done(search, tree);
    const double walks = done > 0 ? (double)tree->simulations / done : 1e300;
    double score[LR_MAX_ACTIONS];
    *race = (struct race){.left = root->children};
    for (int i = 0; i < race->left; i++) {
        race->field[i] = (uint16_t)i;
        score[i] = (double)tree->nodes[root->first + (uint32_t)i].prior;
    }
    line_up(race, score);
    while (race->left > 2 && LEAST * race->left * heats_of(race->left) > walks) race->left--;
    race->heats = heats_of(race->left);
}

/* Of runners that fared alike to the last bit on all dice, as orders in which units move often do, one is enough. */
static void drop_twins(struct tree *tree) {
    struct race *race = &tree->race;
    const struct node *children = tree->nodes + tree->nodes->first;
    int kept = 1;
    for (int i = 1; i < race->left; i++) {
        const struct node *last = &children[race->field[kept - 1]], *child = &children[race->field[i]];
        if (child->value < last->value || child->value > last->value) race->field[kept++] = race->field[i];
    }
    race->left = kept;
}

static void drop_the_slower_half(struct tree *tree) {
    struct race *race = &tree->race;
    const double sign = tree->nodes->mover == LR_UNION ? 1 : -1;
    double score[LR_MAX_ACTIONS];
    for (int i = 0; i < race->left; i++) {
        const struct node *child = &tree->nodes[tree->nodes->first + race->field[i]];
        score[race->field[i]] = search_standing(sign * child->value / child->visits, child->visits, child->prior);
    }
    line_up(race, score);
    race->left = (race->left + 1) / 2;
    race->heat++;
    drop_twins(tree);
}

/* After a simulation: the next one's turn; at the end of a heat the slower half leaves. */
static void pass_on(const struct search *search, struct tree *tree) {
    struct race *race = &tree->race;
    race->next = (race->next + 1) % race->left;
    if (race->next) return;
    while (race->heat + 1 < race->heats && share_done(search, tree) * race->heats >= race->heat + 1)
        drop_the_slower_half(tree);
}

static bool races(const struct search *search) {
    return search->options.prior == PRIOR_HABITS && !search->options.leaves;
}

static uint32_t next_child(const struct search *search, struct tree *tree, const struct node *node, uint64_t seed) {
    if (node->mover == LR_CHANCE) return drawn_child(search, tree, node, seed);
    if (node != tree->nodes || !races(search)) return select_child(search, tree, node);
    if (!tree->race.heats) start_race(search, tree);
    return node->first + tree->race.field[tree->race.next];
}

static uint32_t visits_to_expand(const struct search *search, uint32_t index) {
    return index == 0 || search->options.leaves ? 1 : (uint32_t)search->options.expand_after;
}

/* Walks from the root to a node that is to be valued: an ended game, a decision that was visited too little, or one that
 * there is no room to expand. The tree's state is then that node's. *seed gets the simulation's. */
static uint32_t walk(const struct search *search, struct tree *tree, uint64_t *seed) {
    uint32_t index = 0, depth = 0;
    *seed = seed_through(search, tree, &tree->nodes[0]); /* for a rollout from the root itself */
    memcpy(tree->state, search->root, (size_t)lr_game_info(search->game)->state_bytes);
    for (;; depth++) {
        struct node *node = &tree->nodes[index];
        if (node->mover == UNSEEN) node->mover = (uint8_t)lr_to_move(search->game, tree->state);
        if (node->mover == LR_NOBODY) break;
        if (node->mover != LR_CHANCE && node->visits < visits_to_expand(search, index)) break;
        if (!node->children && !expand(search, tree, index)) break;
        index = next_child(search, tree, node, *seed);
        if (depth == 0) *seed = seed_through(search, tree, &tree->nodes[index]);
        lr_apply_legal(search->game, tree->state, tree->nodes[index].action);
        tree->applied++;
    }
    if (depth > tree->depth) tree->depth = depth;
    return index;
}

static void credit(struct tree *tree, uint32_t index, double value) {
    for (;; index = tree->nodes[index].parent) {
        tree->nodes[index].visits++;
        tree->nodes[index].value += value;
        if (!index) return;
    }
}

static void simulate(const struct search *search, struct tree *tree) {
    uint64_t seed;
    double value;
    const uint32_t leaf = walk(search, tree, &seed);
    tree->applied += search_roll_out(search, tree->state, seed, &tree->scratch, &value);
    credit(tree, leaf, value);
    tree->simulations++;
    if (tree->race.heats) pass_on(search, tree);
}

static bool exhausted(const struct tree *tree) {
    return tree->simulations >= tree->most || tree->applied >= tree->most_applied;
}

/* ---- Running ---- */

static void run_tree(const struct search *search, struct tree *tree, uint64_t slice, double deadline) {
    const bool timed = search->options.microseconds > 0;
    tree->deadline = deadline;
    for (uint64_t i = 0; i < slice && !exhausted(tree); i++) {
        simulate(search, tree);
        if (timed && search_clock() >= deadline) return;
    }
}

bool mcts_run(struct search *search, uint64_t slice) {
    struct mcts *mcts = search->mcts;
    const int threads = search->options.threads;
    const double deadline = search_deadline(search);
    const uint64_t each = slice ? (slice + (uint64_t)threads - 1) / (uint64_t)threads : UINT64_MAX;
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
    for (int i = 0; i < threads; i++) run_tree(search, mcts->trees[i], each, deadline);
    bool done = true;
    for (int i = 0; i < threads; i++) done = done && exhausted(mcts->trees[i]);
    return done || search_clock() >= deadline;
}

/* ---- Results ---- */

static void sum_roots(const struct search *search, struct search_result *result) {
    double values[LR_MAX_ACTIONS] = {0}, root = 0;
    uint64_t visits = 0;
    for (int t = 0; t < search->options.threads; t++) {
        const struct tree *tree = search->mcts->trees[t];
        const struct node *top = tree->nodes;
        root += top->value;
        visits += top->visits;
        result->simulations += tree->simulations;
        result->nodes += tree->applied;
        result->tree_nodes += tree->used - 1;
        if ((int)tree->depth > result->depth) result->depth = (int)tree->depth;
        for (uint32_t i = 0; i < top->children; i++) {
            const struct node *child = &tree->nodes[top->first + i];
            result->visits[i] += child->visits;
            result->prior[i] = child->prior; /* the same in every tree */
            values[i] += child->value;
        }
    }
    if (visits) result->root_value = (float)(root / (double)visits);
    for (int i = 0; i < result->count; i++)
        if (result->visits[i]) result->value[i] = (float)(values[i] / result->visits[i]);
}

/* The child that the line follows: most visits, ties to the better value for the mover, then the first. */
static uint32_t favourite(const struct tree *tree, const struct node *node) {
    const double sign = node->mover == LR_CHANCE ? 0 : node->mover == LR_UNION ? 1 : -1;
    uint32_t best = node->first;
    for (uint32_t i = best + 1; i < node->first + node->children; i++) {
        const struct node *a = &tree->nodes[i], *b = &tree->nodes[best];
        const bool more = a->visits > b->visits;
        const bool tied = a->visits == b->visits && a->visits;
        if (more || (tied && sign * a->value > sign * b->value)) best = i;
    }
    return best;
}

static const struct tree *tree_of_best(const struct search *search, int best) {
    const struct tree *most = search->mcts->trees[0];
    for (int t = 1; t < search->options.threads; t++) {
        const struct tree *tree = search->mcts->trees[t];
        if (!tree->nodes->children) continue;
        if (!most->nodes->children || tree->nodes[tree->nodes->first + (uint32_t)best].visits >
                                          most->nodes[most->nodes->first + (uint32_t)best].visits)
            most = tree;
    }
    return most;
}

static void follow_line(const struct search *search, struct search_result *result, int best) {
    const struct tree *tree = tree_of_best(search, best);
    result->line[result->line_length++] = (uint16_t)result->best;
    if (!tree->nodes->children) return;
    uint32_t index = tree->nodes->first + (uint32_t)best;
    while (result->line_length < SEARCH_LINE && tree->nodes[index].children) {
        const uint32_t next = favourite(tree, &tree->nodes[index]);
        if (!tree->nodes[next].visits) return;
        result->line[result->line_length++] = tree->nodes[next].action;
        index = next;
    }
}

/* After a race: who stands best among those that ran at least half as far as the one that ran farthest. */
static int winner(const struct search_result *result, int mover) {
    uint32_t most = 0;
    for (int i = 0; i < result->count; i++)
        if (result->visits[i] > most) most = result->visits[i];
    if (!most) return search_best(result, mover);
    const double sign = mover == LR_UNION ? 1 : -1;
    int best = 0;
    double best_standing = -1e300;
    for (int i = 0; i < result->count; i++) {
        if (2 * (uint64_t)result->visits[i] < most) continue;
        const double now = search_standing(sign * (double)result->value[i], result->visits[i], result->prior[i]);
        if (now <= best_standing) continue;
        best_standing = now;
        best = i;
    }
    return best;
}

void mcts_result(const struct search *search, struct search_result *result) {
    search_priors(search, search->root, search->legal, search->count, result->prior); /* until a root is expanded */
    sum_roots(search, result);
    const bool raced = search->mcts->trees[0]->race.heats > 0;
    const int best = raced ? winner(result, search->mover) : search_best(result, search->mover);
    result->best = result->action[best];
    follow_line(search, result, best);
}

/* ---- Leaf batches ---- */

/* Marks the way to a leaf as under way, or (-1) no longer so. */
static void fly(struct tree *tree, uint32_t index, int change) {
    for (;; index = tree->nodes[index].parent) {
        tree->nodes[index].flying = (uint16_t)(tree->nodes[index].flying + change);
        if (!index) return;
    }
}

static void write_leaf(const struct search *search, const struct tree *tree, int mover, int slot,
                       const struct search_leaves *leaves) {
    const lr_info *info = lr_game_info(search->game);
    const size_t at = (size_t)slot, globals = (size_t)info->global_columns, mask = (size_t)info->mask_bytes;
    const size_t pieces = (size_t)info->piece_rows * (size_t)info->piece_columns;
    lr_observe(search->game, tree->state, mover, leaves->pieces + at * pieces, leaves->globals + at * globals);
    lr_mask(search->game, tree->state, leaves->mask + at * mask);
    leaves->to_move[slot] = (uint8_t)mover;
    if (leaves->states) memcpy(leaves->states + at * (size_t)info->state_bytes, tree->state, (size_t)info->state_bytes);
}

/* Throws the dice after a leaf that there was no room to expand, so that a player moves or the game is over. */
static void settle(const struct search *search, struct tree *tree, uint64_t seed) {
    while (lr_to_move(search->game, tree->state) == LR_CHANCE) {
        lr_apply_legal(search->game, tree->state, lr_sample(search->game, tree->state, seed, 0));
        tree->applied++;
    }
}

/* One simulation up to its leaf. False if that leaf is under way already: the round then ends. */
static bool send_leaf(struct search *search, struct tree *tree, const struct search_leaves *leaves) {
    uint64_t seed;
    const uint64_t applied = tree->applied;
    const uint32_t leaf = walk(search, tree, &seed);
    if (tree->nodes[leaf].flying) {
        tree->applied = applied; /* the next round walks here again */
        return false;
    }
    settle(search, tree, seed);
    tree->simulations++;
    const int mover = lr_to_move(search->game, tree->state);
    if (mover == LR_NOBODY) {
        credit(tree, leaf, search_guess(search, tree->state));
        return true;
    }
    if (!tree->nodes[leaf].children && tree->nodes[leaf].mover == mover && !tree->nodes[leaf].visits)
        expand(search, tree, leaf);
    write_leaf(search, tree, mover, search->mcts->flying, leaves);
    search->mcts->leaves[search->mcts->flying++] = (struct leaf){.node = leaf, .mover = (uint8_t)mover};
    fly(tree, leaf, 1);
    return true;
}

static int check_leaf_search(const struct search *search, lr_error *error) {
    if (!search->options.leaves)
        return lr_fail(error, LR_E_ARGUMENT, "this search values its leaves itself: open it with the option leaves");
    if (!search->begun) return lr_fail(error, LR_E_ARGUMENT, "the search has no root yet: call search_begin first");
    return LR_OK;
}

int search_leaves(struct search *search, int capacity, const struct search_leaves *leaves, lr_error *error) {
    const int code = check_leaf_search(search, error);
    if (code) return code;
    struct mcts *mcts = search->mcts;
    struct tree *tree = mcts->trees[0];
    if (mcts->flying)
        return lr_fail(error, LR_E_ARGUMENT, "the last %d leaves have not been answered: call search_answer first",
                       mcts->flying);
    if (capacity < 0) return lr_fail(error, LR_E_ARGUMENT, "the capacity is %d: it must not be negative", capacity);
    const int most = capacity < SEARCH_ROUND ? capacity : SEARCH_ROUND;
    const double started = search_clock(), deadline = search_deadline(search);
    bool late = false;
    while (mcts->flying < most && !exhausted(tree) && !late && send_leaf(search, tree, leaves))
        late = search_clock() >= deadline;
    search->seconds += search_clock() - started;
    search->done = exhausted(tree) || late;
    return mcts->flying;
}

static int check_answer(const struct search *search, const float *values, const float *priors, lr_error *error) {
    const int actions = lr_game_info(search->game)->actions;
    const struct tree *tree = search->mcts->trees[0];
    for (int i = 0; i < search->mcts->flying; i++) {
        if (!(values[i] >= -1 && values[i] <= 1))
            return lr_fail(error, LR_E_ARGUMENT, "the value of leaf %d is %g: it must be from -1 to +1", i,
                           (double)values[i]);
        const struct node *node = &tree->nodes[search->mcts->leaves[i].node];
        for (uint32_t c = node->first; priors && c < node->first + node->children; c++) {
            const float prior = priors[(size_t)i * (size_t)actions + tree->nodes[c].action];
            if (!(prior >= 0 && prior < INFINITY))
                return lr_fail(error, LR_E_ARGUMENT, "the prior of action %d at leaf %d is %g: it must not be negative",
                               tree->nodes[c].action, i, (double)prior);
        }
    }
    return LR_OK;
}

/* Scaled to the sum 1; where all are 0 they stay alike. */
static void take_priors(struct tree *tree, const struct node *node, const float *priors) {
    double sum = 0;
    for (uint32_t c = node->first; c < node->first + node->children; c++) sum += (double)priors[tree->nodes[c].action];
    if (sum <= 0) return;
    for (uint32_t c = node->first; c < node->first + node->children; c++)
        tree->nodes[c].prior = (float)((double)priors[tree->nodes[c].action] / sum);
}

int search_answer(struct search *search, const float *values, const float *priors, lr_error *error) {
    int code = check_leaf_search(search, error);
    if (!code) code = check_answer(search, values, priors, error);
    if (code) return code;
    const size_t actions = (size_t)lr_game_info(search->game)->actions;
    struct tree *tree = search->mcts->trees[0];
    for (int i = 0; i < search->mcts->flying; i++) {
        const struct leaf *leaf = &search->mcts->leaves[i];
        const struct node *node = &tree->nodes[leaf->node];
        const double value = (double)values[i];
        if (priors && search->options.prior != PRIOR_NONE && !node->visits)
            take_priors(tree, node, priors + (size_t)i * actions);
        fly(tree, leaf->node, -1);
        credit(tree, leaf->node, leaf->mover == LR_UNION ? value : -value);
    }
    search->mcts->flying = 0;
    return LR_OK;
}
