/* expectimax.c: looking ahead over all actions and all outcomes to a depth, deepened one decision at a time. See search.h.
 *
 * The value of a state with d decisions to look ahead: over: the result; a chance node: the mean over its outcomes by
 * their weights; a decision, d = 0: lr_evaluate / 1000; else the best of its actions, for whoever moves, with d - 1. A
 * player who moves several times in a row simply maximises (the Union) or minimises again.
 *
 * Nothing is cut off unless `width` asks for it, so every value is exact for its depth: a double, summed in the order of
 * the outcomes, the same on every machine. What the table remembers is the value of a pair (state, d); it is keyed by
 * lr_hash and believed only if a second hash of the same bytes agrees as well: two different states would have to agree
 * in 128 bits. Outcomes that lead to the same state, as most dice do, are looked into once.
 *
 * The recursion keeps its own stack, so that a slice can end after any action or outcome. When the limit comes in the middle of a depth, the last depth that was
 * finished counts; while not even the first is finished, the actions that were valued do. */
#include "agents/search_parts.h"
#include <math.h>
#include <string.h>
#include <xxhash.h>

struct entry {
    uint64_t hash, second;
    double value;
    int16_t depth; /* d; -1: empty */
    bool guessed;  /* lr_evaluate was asked on the way; if not, the value holds for every greater d too */
};

enum { SECOND_SEED = 1862, CLOCK_EVERY = 256, LEVELS = 160 /* and two for the principal line */ };

struct key {
    uint64_t hash, second;
};

/* A level of the recursion: where it is, what it goes through there, and what that has come to. */
struct level {
    lr_state *state;
    struct key key;
    int d;            /* decisions to look ahead from here */
    int index, count; /* of its actions or outcomes: under way or next, and all */
    double sign;      /* +1 and -1: the Union, the Confederates move; 0: a chance node */
    double value;     /* so far: the best times sign; at a chance node the sum of weights times values */
    uint32_t total;   /* of the weights */
    bool guessed;     /* what x->guessed was before */
    uint16_t legal[LR_MAX_ACTIONS];
    uint32_t weights[LR_MAX_OUTCOMES];
};

struct expectimax {
    struct entry *table;
    uint32_t kept;
    struct level *levels; /* [0]: the root, of which only the state is used */
    int at;               /* the deepest level under way */
    int depth, index;     /* under way: the depth, and the one of `order` */
    int completed;        /* the last depth that was finished; 0: none */
    uint64_t applied;
    double deadline;
    bool stopped, guessed;          /* a limit was reached; lr_evaluate was asked in this depth */
    uint16_t order[LR_MAX_ACTIONS]; /* indices of the root's actions, as habits like them */
    double value[LR_MAX_ACTIONS];   /* of the last finished depth */
    double next[LR_MAX_ACTIONS];    /* of the depth under way, in the root's order of actions */
};

/* ---- Memory ---- */

void expectimax_lay_out(struct search *search, struct arena *arena) {
    const uint32_t slots = search->options.tree_nodes;
    struct expectimax *x = arena_take(arena, sizeof *x);
    struct entry *table = arena_take(arena, slots * sizeof *table);
    struct level *levels = arena_take(arena, (LEVELS + 2) * sizeof *levels);
    char *states = arena_take(arena, (LEVELS + 2) * search_state_bytes(search));
    if (!arena->base) return;
    for (int i = 0; i < LEVELS + 2; i++)
        levels[i].state = (lr_state *)(void *)(states + (size_t)i * search_state_bytes(search));
    x->table = table;
    x->levels = levels;
    search->expectimax = x;
}

/* ---- Order of actions ---- */

/* Writes indices of the actions, the best by habit first, equals in their own order. */
static void order_actions(const struct search *search, const lr_state *state, const uint16_t *legal, int count,
                          uint16_t *order) {
    int32_t appraisals[LR_MAX_ACTIONS];
    lr_appraise(search->game, state, legal, count, appraisals);
    for (int i = 0; i < count; i++) {
        int at = i;
        for (; at > 0 && appraisals[order[at - 1]] < appraisals[i]; at--) order[at] = order[at - 1];
        order[at] = (uint16_t)i;
    }
}

/* Keeps the `width` best actions by habit, in that order. */
static int narrow(const struct search *search, const lr_state *state, uint16_t *legal, int count) {
    const int width = search->options.width;
    uint16_t order[LR_MAX_ACTIONS], kept[LR_MAX_ACTIONS];
    if (!width || count <= width) return count;
    order_actions(search, state, legal, count, order);
    for (int i = 0; i < width; i++) kept[i] = legal[order[i]];
    memcpy(legal, kept, (size_t)width * sizeof *legal);
    return width;
}

void expectimax_begin(struct search *search) {
    struct expectimax *x = search->expectimax;
    for (uint32_t i = 0; i < search->options.tree_nodes; i++) x->table[i].depth = -1;
    memcpy(x->levels[0].state, search->root, (size_t)lr_game_info(search->game)->state_bytes);
    x->kept = 0;
    x->at = 0;
    x->depth = 1;
    x->index = x->completed = 0;
    x->applied = 0;
    x->stopped = x->guessed = false;
    order_actions(search, search->root, search->legal, search->count, x->order);
}

/* ---- The table ---- */

static struct key key_of(const struct search *search, const lr_state *state) {
    const size_t bytes = (size_t)lr_game_info(search->game)->state_bytes;
    return (struct key){lr_hash(search->game, state), XXH3_64bits_withSeed(state, bytes, SECOND_SEED)};
}

static struct entry *slot_of(const struct search *search, struct key key) {
    /* the high bits choose the slot, whatever the size */
    const uint64_t slots = search->options.tree_nodes;
    return &search->expectimax->table[(key.hash >> 32) * slots >> 32];
}

static const struct entry *look_up(const struct search *search, struct key key, int d) {
    const struct entry *entry = slot_of(search, key);
    if (entry->depth < 0 || entry->hash != key.hash || entry->second != key.second) return NULL;
    if (entry->depth == d || (!entry->guessed && entry->depth < d)) return entry;
    return NULL;
}

static void remember(const struct search *search, struct key key, int d, double value, bool guessed) {
    struct entry *entry = slot_of(search, key);
    search->expectimax->kept += entry->depth < 0;
    *entry = (struct entry){key.hash, key.second, value, (int16_t)d, guessed};
}

/* ---- Values ---- */

static bool out_of_budget(const struct search *search) {
    struct expectimax *x = search->expectimax;
    if (search->options.nodes && x->applied >= search->options.nodes) x->stopped = true;
    if (x->applied % CLOCK_EVERY == 0 && search_clock() >= x->deadline) x->stopped = true;
    return x->stopped;
}

static void skip_impossible(struct level *level) {
    while (level->sign == 0 && level->index < level->count && !level->weights[level->index]) level->index++;
}

/* Begins to go through the actions or outcomes of a level. */
static void open_level(const struct search *search, struct level *level, int mover, struct key key, int d) {
    struct expectimax *x = search->expectimax;
    level->key = key;
    level->d = d;
    level->index = 0;
    level->guessed = x->guessed;
    x->guessed = false;
    if (mover == LR_CHANCE) {
        level->sign = level->value = 0;
        level->count = lr_outcomes(search->game, level->state, level->weights, &level->total);
        skip_impossible(level);
        return;
    }
    level->sign = mover == LR_UNION ? 1 : -1;
    level->value = -2;
    const int count = lr_legal(search->game, level->state, level->legal);
    level->count = narrow(search, level->state, level->legal, count);
}

/* The value of the state of level `at` with d decisions to look ahead; false if the level had to be opened for it. Any
 * number once the search has stopped. */
static bool value_at_once(const struct search *search, int at, int d, double *value) {
    struct expectimax *x = search->expectimax;
    const lr_state *state = x->levels[at].state;
    const int mover = lr_to_move(search->game, state);
    const bool guess = d == 0 && mover < LR_CHANCE;
    if (guess) x->guessed = true;
    if (guess || mover == LR_NOBODY) return *value = lr_evaluate(search->game, state) / 1000.0, true;
    const struct key key = key_of(search, state);
    const struct entry *known = look_up(search, key, d);
    if (known) {
        x->guessed = x->guessed || known->guessed;
        return *value = known->value, true;
    }
    if (at + 1 == LEVELS) x->stopped = true; /* so long a run of dice is beyond any limit anyway */
    if (x->stopped) return *value = 0, true;
    open_level(search, &x->levels[at], mover, key, d);
    return false;
}

/* Adds the value after the action or outcome under way. True if that was the last that matters. */
static bool add_value(struct level *level, double value) {
    if (level->sign == 0)
        level->value += level->weights[level->index] * value;
    else if (level->sign * value > level->value)
        level->value = level->sign * value;
    level->index++;
    skip_impossible(level);
    return level->index == level->count || (level->sign != 0 && level->value >= 1);
}

static double close_level(const struct search *search, const struct level *level) {
    struct expectimax *x = search->expectimax;
    const double value = level->sign == 0 ? level->value / level->total : level->sign * level->value;
    remember(search, level->key, level->d, value, x->guessed);
    x->guessed = x->guessed || level->guessed;
    return value;
}

/* ---- Running ---- */

static int root_width(const struct search *search) {
    const int width = search->options.width;
    return width && width < search->count ? width : search->count;
}

static void finish_depth(struct search *search) {
    struct expectimax *x = search->expectimax;
    const int limit = search->options.depth ? search->options.depth : SEARCH_DEPTH;
    memcpy(x->value, x->next, sizeof x->value);
    x->completed = x->depth++;
    x->index = 0;
    if (x->completed >= limit || !x->guessed) x->stopped = true; /* deeper would change nothing */
    x->guessed = false;
}

/* Hands the value after the action or outcome under way to its level, and on, as far as levels are finished by it. */
static void hand_up(struct search *search, double value) {
    struct expectimax *x = search->expectimax;
    for (; x->at > 0; x->at--) {
        if (!add_value(&x->levels[x->at], value)) return;
        value = close_level(search, &x->levels[x->at]);
    }
    x->next[x->order[x->index]] = value;
    if (++x->index == root_width(search)) finish_depth(search);
}

/* One action or outcome. */
static void apply_next(struct search *search) {
    struct expectimax *x = search->expectimax;
    const struct level *level = &x->levels[x->at];
    const bool root = x->at == 0, chance = !root && level->sign == 0;
    const int action = root ? search->legal[x->order[x->index]] : chance ? level->index : level->legal[level->index];
    const int d = root ? x->depth - 1 : chance ? level->d : level->d - 1;
    lr_state *state = x->levels[x->at + 1].state;
    double value;
    if (out_of_budget(search)) return;
    memcpy(state, level->state, (size_t)lr_game_info(search->game)->state_bytes);
    lr_apply_legal(search->game, state, action);
    x->applied++;
    if (!value_at_once(search, x->at + 1, d, &value))
        x->at++;
    else if (!x->stopped)
        hand_up(search, value);
}

bool expectimax_run(struct search *search, uint64_t slice) {
    struct expectimax *x = search->expectimax;
    const uint64_t until = slice ? x->applied + slice : UINT64_MAX;
    x->deadline = search_deadline(search);
    while (!x->stopped && x->applied < until) apply_next(search);
    return x->stopped;
}

/* ---- Results ---- */

/* The value of an action or outcome as far as the table knows it. */
static bool known_after(const struct search *search, int at, int action, int d, double *value) {
    struct expectimax *x = search->expectimax;
    lr_state *state = x->levels[at + 1].state;
    memcpy(state, x->levels[at].state, (size_t)lr_game_info(search->game)->state_bytes);
    lr_apply_legal(search->game, state, action);
    const int mover = lr_to_move(search->game, state);
    const bool leaf = mover == LR_NOBODY || (mover < LR_CHANCE && d == 0);
    const struct entry *entry = leaf ? NULL : look_up(search, key_of(search, state), d);
    if (!leaf && !entry) return false;
    *value = leaf ? lr_evaluate(search->game, state) / 1000.0 : entry->value;
    return true;
}

/* The best action of level `at`, or -1 where the table has lost it. */
static int known_best(const struct search *search, int at, int d, double sign) {
    struct level *level = &search->expectimax->levels[at];
    const int count = lr_legal(search->game, level->state, level->legal);
    int best = -1;
    double best_value = -2, value;
    for (int i = 0; i < count; i++) {
        if (!known_after(search, at, level->legal[i], d - 1, &value) || sign * value <= best_value) continue;
        best_value = sign * value;
        best = level->legal[i];
    }
    return best;
}

static int likeliest(const struct search *search, int at) {
    struct level *level = &search->expectimax->levels[at];
    uint32_t total;
    int best = 0;
    const int count = lr_outcomes(search->game, level->state, level->weights, &total);
    for (int i = 1; i < count; i++)
        if (level->weights[i] > level->weights[best]) best = i;
    return best;
}

static void follow_line(const struct search *search, struct search_result *result) {
    lr_state *state = search->expectimax->levels[LEVELS].state;
    memcpy(state, search->root, (size_t)lr_game_info(search->game)->state_bytes);
    int action = result->best, d = result->depth - 1;
    while (result->line_length < SEARCH_LINE && action >= 0) {
        result->line[result->line_length++] = (uint16_t)action;
        lr_apply_legal(search->game, state, action);
        const int mover = lr_to_move(search->game, state);
        if (mover == LR_NOBODY || (mover < LR_CHANCE && d <= 0)) return;
        action = mover == LR_CHANCE ? likeliest(search, LEVELS)
                                    : known_best(search, LEVELS, d--, mover == LR_UNION ? 1 : -1);
    }
}

void expectimax_result(const struct search *search, struct search_result *result) {
    const struct expectimax *x = search->expectimax;
    const int valued = x->completed ? root_width(search) : x->index;
    const double *values = x->completed ? x->value : x->next;
    search_priors(search, search->root, search->legal, search->count, result->prior);
    for (int k = 0; k < valued; k++) {
        const int i = x->order[k];
        result->visits[i] = 1;
        result->value[i] = (float)values[i];
    }
    const int best = search_best(result, search->mover);
    result->best = result->action[best];
    result->root_value = result->value[best];
    result->nodes = x->applied;
    result->tree_nodes = x->kept;
    result->depth = x->completed;
    follow_line(search, result);
}
