/* expectimax.c: looking ahead over all actions and all outcomes to a depth, deepened pass by pass. See search.h.
 *
 * The value of a state with d decisions to look ahead: over: the result; a chance node: the mean over its outcomes by
 * their weights; a decision, d = 0: a guess; else the best of its actions, for whoever moves, with d - 1. A player who moves
 * several times in a row simply maximises (the Union) or minimises again.
 *
 * With `samples` 0 the guess is lr_evaluate / 1000. Nothing is cut off unless `width` asks for it, so every value is exact
 * for its depth: a double, summed in the order of the outcomes, the same on every machine. Passes have depth 1, 2, ...
 *
 * lr_evaluate sees who stands where, and errs by more than two actions differ while a player is in the middle of his
 * moves. So with `samples` the guess is the mean of as many games played on by habit (search_roll_out), the k-th always on
 * the k-th dice, which takes out much of the noise between actions. The first eighth of the limits goes to passes as
 * above, in the hope that the game ends soon enough to be solved. If not, they are forgotten, and the passes start anew
 * at depth 1 with the four actions that habits like best and FEW samples, and go on with twice as many of both each time;
 * deeper only when all actions have all samples. Of such values the prior counts for something (search_standing). Thus little
 * effort means to play by habit, and more to depart from it on evidence. Below a chance node a guess gets the share of the
 * samples that its outcome has of the weights, at least one.
 *
 * What the table remembers is the value of a pair (state, d); it is keyed by lr_hash and believed only if a second hash of
 * the same bytes agrees as well: two different states would have to agree in 128 bits. Outcomes that lead to the same
 * state, as most dice do, are looked into once.
 *
 * The recursion keeps its own stack, so that a slice can end after any action, outcome or sample. When the limit comes in
 * the middle of a pass, the last one that was finished counts; while not even the first is finished, the actions that were
 * valued do. */
#include "agents/search_parts.h"
#include <math.h>
#include <string.h>
#include <xxhash.h>

struct entry {
    uint64_t hash, second;
    double value;
    int16_t depth;    /* d; -1: empty */
    uint16_t samples; /* of a guess, where this was reached with the weight 1 */
    bool guessed;     /* there was a guess on the way; if not, the value holds for every greater d too */
};
_Static_assert(sizeof(struct entry) == 32, "as search.h says");

enum { SECOND_SEED = 1862, CLOCK_EVERY = 256, LEVELS = 160 /* and two for the principal line */, FEW = 16, ANY = -1 };

struct key {
    uint64_t hash, second;
};

/* A level of the recursion: where it is, what it goes through there, and what that has come to. */
struct level {
    lr_state *state;
    struct key key;
    int d;            /* decisions to look ahead from here */
    int samples;      /* of a guess from here */
    bool leaf;        /* goes through these samples */
    int index, count; /* of its actions, outcomes or samples: under way or next, and all */
    double sign;      /* +1 and -1: the Union, the Confederates move; 0: a chance node or a leaf */
    double value;     /* so far: the best times sign; else the sum of weights times values */
    uint32_t total;   /* of the weights */
    bool guessed;     /* what x->guessed was before */
    uint16_t legal[LR_MAX_ACTIONS];
    uint32_t weights[LR_MAX_OUTCOMES];
};

struct pass {
    int depth;   /* 0: none */
    int width;   /* of the root's actions, the best by habit first */
    int samples; /* 0: lr_evaluate */
};

struct expectimax {
    struct entry *table;
    uint32_t kept;
    struct level *levels; /* [0]: the root, of which only the state is used */
    int at;               /* the deepest level under way */
    struct pass pass;     /* under way */
    struct pass finished; /* the last that was */
    int index;            /* under way: the one of `order` */
    uint64_t applied;
    double deadline;
    bool stopped, guessed; /* a limit was reached; there was a guess in this pass */
    struct player_on scratch;
    uint16_t order[LR_MAX_ACTIONS]; /* indices of the root's actions, as habits like them */
    double value[LR_MAX_ACTIONS];   /* of the last finished pass */
    double next[LR_MAX_ACTIONS];    /* of the pass under way, in the root's order of actions */
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

static int root_width(const struct search *search) {
    const int width = search->options.width;
    return width && width < search->count ? width : search->count;
}

static void begin_pass(struct search *search, struct pass pass) {
    struct expectimax *x = search->expectimax;
    const int width = root_width(search);
    x->pass = pass;
    if (pass.width > width) x->pass.width = width;
    x->at = x->index = 0;
    x->guessed = false;
}

void expectimax_begin(struct search *search) {
    struct expectimax *x = search->expectimax;
    for (uint32_t i = 0; i < search->options.tree_nodes; i++) x->table[i].depth = -1;
    memcpy(x->levels[0].state, search->root, (size_t)lr_game_info(search->game)->state_bytes);
    x->kept = 0;
    x->applied = 0;
    x->stopped = false;
    x->finished = (struct pass){0};
    begin_pass(search, (struct pass){.depth = 1, .width = LR_MAX_ACTIONS});
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

/* samples ANY: whatever the number. */
static const struct entry *look_up(const struct search *search, struct key key, int d, int samples) {
    const struct entry *entry = slot_of(search, key);
    if (entry->depth < 0 || entry->hash != key.hash || entry->second != key.second) return NULL;
    if (!entry->guessed) return entry->depth <= d ? entry : NULL;
    return entry->depth == d && (samples < 0 || entry->samples == samples) ? entry : NULL;
}

static void remember(const struct search *search, const struct level *level, double value, bool guessed) {
    const struct key key = level->key;
    struct entry *entry = slot_of(search, key);
    search->expectimax->kept += entry->depth < 0;
    *entry = (struct entry){key.hash, key.second, value, (int16_t)level->d, (uint16_t)level->samples, guessed};
}

/* ---- Values ---- */

static bool out_of_budget(const struct search *search) {
    struct expectimax *x = search->expectimax;
    if (search->options.nodes && x->applied >= search->options.nodes) x->stopped = true;
    if (x->applied % CLOCK_EVERY == 0 && search_clock() >= x->deadline) x->stopped = true;
    return x->stopped;
}

static void skip_impossible(struct level *level) {
    while (level->sign == 0 && !level->leaf && level->index < level->count && !level->weights[level->index])
        level->index++;
}

/* Begins to go through the actions or outcomes of a level. */
static void open_level(const struct search *search, struct level *level, int mover) {
    struct expectimax *x = search->expectimax;
    level->index = 0;
    level->guessed = x->guessed;
    level->leaf = mover < LR_CHANCE && level->d == 0;
    x->guessed = level->leaf;
    if (level->leaf) {
        level->sign = level->value = 0;
        level->count = level->samples;
        level->total = (uint32_t)level->samples;
        return;
    }
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

/* The value of the state of level `at`; false if the level had to be opened for it. Any number once the search has
 * stopped. */
static bool value_at_once(const struct search *search, int at, double *value) {
    struct expectimax *x = search->expectimax;
    struct level *level = &x->levels[at];
    const int mover = lr_to_move(search->game, level->state);
    const bool guess = level->d == 0 && mover < LR_CHANCE && !level->samples;
    if (guess) x->guessed = true;
    if (guess || mover == LR_NOBODY) return *value = lr_evaluate(search->game, level->state) / 1000.0, true;
    level->key = key_of(search, level->state);
    const struct entry *known = look_up(search, level->key, level->d, level->samples);
    if (known) {
        x->guessed = x->guessed || known->guessed;
        return *value = known->value, true;
    }
    if (at + 1 == LEVELS) x->stopped = true; /* so long a run of dice is beyond any limit anyway */
    if (x->stopped) return *value = 0, true;
    open_level(search, level, mover);
    return false;
}

/* Adds the value after the action or outcome under way. True if that was the last that matters. */
static bool add_value(struct level *level, double value) {
    if (level->sign == 0)
        level->value += (level->leaf ? 1 : level->weights[level->index]) * value;
    else if (level->sign * value > level->value)
        level->value = level->sign * value;
    level->index++;
    skip_impossible(level);
    return level->index == level->count || (level->sign != 0 && level->value >= 1);
}

static double close_level(const struct search *search, const struct level *level) {
    struct expectimax *x = search->expectimax;
    const double value = level->sign == 0 ? level->value / level->total : level->sign * level->value;
    remember(search, level, value, x->guessed);
    x->guessed = x->guessed || level->guessed;
    return value;
}

/* ---- Running ---- */

/* Once all actions have all samples, a decision deeper. */
static struct pass after(const struct search *search, struct pass pass) {
    const int most = search->options.samples;
    if (pass.samples == most && pass.width == root_width(search)) {
        pass.depth++;
        return pass;
    }
    pass.width *= 2;
    pass.samples = 2 * pass.samples < most ? 2 * pass.samples : most;
    return pass;
}

static void begin_sampling(struct search *search) {
    const int most = search->options.samples;
    search->expectimax->finished = (struct pass){0};
    begin_pass(search, (struct pass){.depth = 1, .width = 4, .samples = FEW < most ? FEW : most});
}

static void finish_pass(struct search *search) {
    struct expectimax *x = search->expectimax;
    const int limit = search->options.depth ? search->options.depth : SEARCH_DEPTH;
    const bool whole = x->pass.width == root_width(search), solved = whole && !x->guessed;
    const struct pass next =
        x->pass.samples ? after(search, x->pass) : (struct pass){.depth = x->pass.depth + 1, .width = LR_MAX_ACTIONS};
    memcpy(x->value, x->next, sizeof x->value);
    x->finished = x->pass;
    if (!solved && next.depth <= limit) return begin_pass(search, next);
    if (!solved && search->options.samples && !x->pass.samples) return begin_sampling(search);
    x->stopped = true;
}

/* Hands the value after the action or outcome under way to its level, and on, as far as levels are finished by it. */
static void hand_up(struct search *search, double value) {
    struct expectimax *x = search->expectimax;
    for (; x->at > 0; x->at--) {
        if (!add_value(&x->levels[x->at], value)) return;
        value = close_level(search, &x->levels[x->at]);
    }
    x->next[x->order[x->index]] = value;
    if (++x->index == x->pass.width) finish_pass(search);
}

static void sample(struct search *search) {
    struct expectimax *x = search->expectimax;
    const struct level *level = &x->levels[x->at];
    const uint64_t seed = lr_agent_stream(search->stream, 0, LR_CHANCE, (uint32_t)level->index);
    lr_state *state = x->levels[x->at + 1].state;
    double value;
    memcpy(state, level->state, (size_t)lr_game_info(search->game)->state_bytes);
    x->applied += search_roll_out(search, state, seed, &x->scratch, &value);
    hand_up(search, value);
}

/* Of a level's samples, the share of the outcome under way. */
static int share_of_samples(const struct level *level) {
    const uint64_t share = (uint64_t)level->samples * level->weights[level->index] / level->total;
    return level->samples && !share ? 1 : (int)share;
}

static void apply(struct search *search) {
    struct expectimax *x = search->expectimax;
    const struct level *level = &x->levels[x->at];
    struct level *next = &x->levels[x->at + 1];
    const bool root = x->at == 0, chance = !root && level->sign == 0;
    const int action = root ? search->legal[x->order[x->index]] : chance ? level->index : level->legal[level->index];
    double value;
    next->d = root ? x->pass.depth - 1 : chance ? level->d : level->d - 1;
    next->samples = root ? x->pass.samples : chance ? share_of_samples(level) : level->samples;
    memcpy(next->state, level->state, (size_t)lr_game_info(search->game)->state_bytes);
    lr_apply_legal(search->game, next->state, action);
    x->applied++;
    if (!value_at_once(search, x->at + 1, &value))
        x->at++;
    else if (!x->stopped)
        hand_up(search, value);
}

/* Whether the eighth in which the game might be solved is over. */
static bool hope_is_gone(const struct search *search) {
    const struct expectimax *x = search->expectimax;
    if (!search->options.samples || x->pass.samples) return false;
    return search_share(x->applied, search->options.nodes) >= 0.125 ||
           search_share_of_time(search, x->deadline) >= 0.125;
}

/* One action, outcome or sample. */
static void step(struct search *search) {
    struct expectimax *x = search->expectimax;
    if (hope_is_gone(search)) begin_sampling(search);
    if (out_of_budget(search)) return;
    if (x->at && x->levels[x->at].leaf)
        sample(search);
    else
        apply(search);
}

bool expectimax_run(struct search *search, uint64_t slice) {
    struct expectimax *x = search->expectimax;
    const uint64_t until = slice ? x->applied + slice : UINT64_MAX;
    x->deadline = search_deadline(search);
    while (!x->stopped && x->applied < until) step(search);
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
    const bool leaf = mover == LR_NOBODY || (mover < LR_CHANCE && d == 0 && !x->finished.samples);
    const struct entry *entry = leaf ? NULL : look_up(search, key_of(search, state), d, ANY);
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

/* Of the actions of a sampled pass, the one that stands best. */
static int steadiest(const struct expectimax *x, const struct search_result *result, int mover) {
    int best = x->order[0];
    double best_standing = -1e300;
    for (int k = 0; k < x->finished.width; k++) {
        const int i = x->order[k];
        const double mean = mover == LR_UNION ? x->value[i] : -x->value[i];
        const double now = search_standing(mean, (uint32_t)x->finished.samples, result->prior[i]);
        if (now <= best_standing) continue;
        best_standing = now;
        best = i;
    }
    return best;
}

void expectimax_result(const struct search *search, struct search_result *result) {
    const struct expectimax *x = search->expectimax;
    const int valued = x->finished.depth ? x->finished.width : x->index;
    const double *values = x->finished.depth ? x->value : x->next;
    search_priors(search, search->root, search->legal, search->count, result->prior);
    for (int k = 0; k < valued; k++) {
        const int i = x->order[k];
        result->visits[i] = 1;
        result->value[i] = (float)values[i];
    }
    const int best = x->finished.samples ? steadiest(x, result, search->mover) : search_best(result, search->mover);
    result->best = result->action[best];
    result->root_value = result->value[best];
    result->nodes = x->applied;
    result->tree_nodes = x->kept;
    result->depth = x->finished.depth;
    follow_line(search, result);
}
