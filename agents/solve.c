/* solve.c: see solve.h.
 *
 * Three arrays grow as needed: the table of states met, the distinct values, and the path from the root to the state at
 * hand (its states, and the actions of each that are still to be tried). A state whose value is not known yet stands in the
 * table as OPEN while it is on the path; meeting it again there is a cycle. */
#include "agents/solve.h"
#include "env/game.h"
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

enum { FIRST_SLOTS = 1 << 12, FIRST_VALUES = 1 << 10, FIRST_DEPTH = 64, FIRST_BRANCHES = 1024, BETWEEN_CALLS = 4096 };
enum { FREE = 0, OPEN = 1, FIRST_INDEX = 2 }; /* slot.value; above: FIRST_INDEX + place among the values */

struct slot {
    uint64_t hash;
    uint32_t more; /* 32 further bits of it */
    uint32_t value;
};
_Static_assert(sizeof(struct slot) == 16, "what solve.h promises");

struct branch {
    uint32_t weight; /* of an outcome; 0 for an action */
    uint16_t action;
};

struct node { /* a state on the path */
    struct slot key;
    struct fraction value; /* chance: the weighted sum so far; a player: the best so far */
    size_t first;          /* its branches */
    int count, tried;
    int mover;
    uint32_t total; /* of a chance node's weights */
};

struct solver {
    const lr_game *game;
    struct solve_options options;
    size_t state_bytes, stride;

    struct slot *slots;
    uint64_t slot_count, used; /* a power of two */

    struct fraction *values;
    uint32_t *value_table; /* twice value_room places: 1 + index of a value, 0 free */
    uint32_t value_count, value_room;

    struct node *path;
    char *states; /* one for each node, and one for a successor */
    int depth, depth_room;
    struct branch *branches;
    size_t branch_count, branch_room;

    struct solve_statistics statistics;
};

static int no_memory(lr_error *error) { return lr_fail(error, LR_E_MEMORY, "no memory to solve further"); }

/* ---- Distinct values ---- */

static uint32_t *value_place(const struct solver *s, struct fraction value) {
    const uint32_t mask = 2 * s->value_room - 1;
    uint32_t at = (uint32_t)XXH3_64bits(&value, sizeof value) & mask;
    for (; s->value_table[at]; at = (at + 1) & mask) {
        const struct fraction *here = &s->values[s->value_table[at] - 1];
        if (here->numerator == value.numerator && here->denominator == value.denominator) break;
    }
    return &s->value_table[at];
}

static bool grow_values(struct solver *s) {
    const uint32_t room = s->value_room ? 2 * s->value_room : FIRST_VALUES;
    struct fraction *values = realloc(s->values, room * sizeof *values);
    if (!values) return false;
    s->values = values;
    uint32_t *table = calloc(2 * (size_t)room, sizeof *table);
    if (!table) return false;
    free(s->value_table);
    s->value_table = table;
    s->value_room = room;
    for (uint32_t i = 0; i < s->value_count; i++) *value_place(s, values[i]) = i + 1;
    return true;
}

/* The index of a value among the distinct ones, put there if it is new. */
static bool index_value(struct solver *s, struct fraction value, uint32_t *index) {
    if (s->value_count == s->value_room && (s->value_count >= UINT32_MAX / 8 || !grow_values(s))) return false;
    uint32_t *place = value_place(s, value);
    if (!*place) {
        s->values[s->value_count] = value;
        *place = ++s->value_count;
    }
    *index = *place - 1;
    return true;
}

/* ---- The table of states ---- */

static struct slot key_of(const struct solver *s, const lr_state *state) {
    const XXH128_hash_t hash = XXH3_128bits(state, s->state_bytes);
    return (struct slot){hash.low64, (uint32_t)hash.high64, FREE};
}

/* The slot that holds the key, or the free one where it belongs. */
static struct slot *find(const struct solver *s, struct slot key) {
    uint64_t at = key.hash & (s->slot_count - 1);
    while (s->slots[at].value != FREE && (s->slots[at].hash != key.hash || s->slots[at].more != key.more))
        at = (at + 1) & (s->slot_count - 1);
    return &s->slots[at];
}

/* Moves all solved states, and those on the path if `open`, to a table of `count` slots. */
static bool rebuild(struct solver *s, uint64_t count, bool open) {
    struct slot *old = s->slots;
    const uint64_t old_count = s->slot_count;
    struct slot *slots = calloc(count, sizeof *slots);
    if (!slots) return false;
    s->slots = slots;
    s->slot_count = count;
    s->used = 0;
    for (uint64_t i = 0; i < old_count; i++) {
        if (old[i].value == FREE || (old[i].value == OPEN && !open)) continue;
        *find(s, old[i]) = old[i];
        s->used++;
    }
    free(old);
    return true;
}

/* ---- The path ---- */

static lr_state *state_at(const struct solver *s, int depth) {
    return (lr_state *)(void *)(s->states + (size_t)depth * s->stride);
}

static bool grow_path(struct solver *s) {
    const int room = s->depth_room ? 2 * s->depth_room : FIRST_DEPTH;
    struct node *path = realloc(s->path, (size_t)room * sizeof *path);
    if (!path) return false;
    s->path = path;
    char *states = realloc(s->states, ((size_t)room + 1) * s->stride);
    if (!states) return false;
    s->states = states;
    s->depth_room = room;
    return true;
}

static bool reserve_branches(struct solver *s, size_t more) {
    if (s->branch_count + more <= s->branch_room) return true;
    const size_t room = 2 * (s->branch_room + more);
    struct branch *branches = realloc(s->branches, room * sizeof *branches);
    if (!branches) return false;
    s->branches = branches;
    s->branch_room = room;
    return true;
}

/* Puts the state at the end of the path on it. */
static int push(struct solver *s, struct slot key, int mover, lr_error *error) {
    const lr_state *state = state_at(s, s->depth);
    uint16_t legal[LR_MAX_ACTIONS];
    uint32_t weights[LR_MAX_OUTCOMES], total = 0;
    const int count = lr_legal(s->game, state, legal);
    if (mover == LR_CHANCE) lr_outcomes(s->game, state, weights, &total);
    if (!reserve_branches(s, (size_t)count)) return no_memory(error);
    s->path[s->depth] = (struct node){.key = key,
                                      .value = fraction_whole(0),
                                      .first = s->branch_count,
                                      .count = count,
                                      .mover = mover,
                                      .total = total};
    for (int i = 0; i < count; i++)
        s->branches[s->branch_count++] = (struct branch){mover == LR_CHANCE ? weights[legal[i]] : 0, legal[i]};
    if (++s->depth == s->depth_room && !grow_path(s)) return no_memory(error);
    if (s->depth > s->statistics.depth) s->statistics.depth = s->depth;
    return LR_OK;
}

static struct fraction value_of_end(const lr_game *game, const lr_state *state) {
    float returns[2];
    lr_returns(game, state, returns);
    return fraction_whole((returns[LR_UNION] > 0) - (returns[LR_UNION] < 0));
}

enum met { KNOWN, NEW, TOO_MANY };

/* What is known of the state at the end of the path: its value, or it is put on the path. */
static int meet(struct solver *s, enum met *met, struct fraction *value, lr_error *error) {
    const lr_state *state = state_at(s, s->depth);
    const int mover = lr_to_move(s->game, state);
    *met = KNOWN;
    if (mover == LR_NOBODY) {
        *value = value_of_end(s->game, state);
        return LR_OK;
    }
    struct slot key = key_of(s, state), *slot = find(s, key);
    if (slot->value == OPEN)
        return lr_fail(
            error, LR_E_STATE,
            "a state comes again after %d actions and dice: games need not end, so there is no value to find",
            s->depth);
    if (slot->value != FREE) {
        *value = s->values[slot->value - FIRST_INDEX];
        return LR_OK;
    }
    *met = s->used < s->options.limit ? NEW : TOO_MANY;
    if (*met == TOO_MANY) return LR_OK;
    if (++s->used > s->slot_count / 3 * 2) {
        if (!rebuild(s, 2 * s->slot_count, true)) return no_memory(error);
        s->used++;
        slot = find(s, key);
    }
    key.value = OPEN;
    *slot = key;
    return push(s, key, mover, error);
}

/* Takes the value of the branch at hand into account. */
static bool fold(struct solver *s, struct node *node, struct fraction value) {
    const struct branch *branch = &s->branches[node->first + (size_t)node->tried++];
    if (node->mover == LR_CHANCE) return fraction_add(&node->value, value, branch->weight);
    const int order = fraction_compare(value, node->value);
    if (node->tried == 1 || (node->mover == LR_UNION ? order > 0 : order < 0)) node->value = value;
    return true;
}

static int unfit(lr_error *error) {
    return lr_fail(error, LR_E_ARGUMENT,
                   "a value needs more than 128 bits: there are too many dice in a row; start from a later state");
}

/* The last node has tried everything: its value is kept and handed to the one before. */
static int pop(struct solver *s, lr_error *error) {
    struct node *node = &s->path[--s->depth];
    uint32_t index;
    if (node->mover == LR_CHANCE && !fraction_divide(&node->value, node->total)) return unfit(error);
    if (!index_value(s, node->value, &index)) return no_memory(error);
    find(s, node->key)->value = FIRST_INDEX + index;
    *(node->mover == LR_CHANCE ? &s->statistics.dice : &s->statistics.decisions) += 1;
    s->branch_count = node->first;
    return !s->depth || fold(s, node - 1, node->value) ? LR_OK : unfit(error);
}

/* One step of the walk: the next branch of the last node, or back from it. */
static int step(struct solver *s, enum met *met, lr_error *error) {
    struct node *node = &s->path[s->depth - 1];
    if (node->tried == node->count) return pop(s, error);
    lr_state *next = state_at(s, s->depth);
    memcpy(next, state_at(s, s->depth - 1), s->state_bytes);
    lr_apply_legal(s->game, next, s->branches[node->first + (size_t)node->tried].action);
    struct fraction value = fraction_whole(0);
    const int code = meet(s, met, &value, error);
    if (code || *met != KNOWN) return code;
    return fold(s, node, value) ? LR_OK : unfit(error);
}

/* ---- The public face ---- */

int solver_open(const lr_game *game, const struct solve_options *options, struct solver **solver, lr_error *error) {
    const lr_info *info = lr_game_info(game);
    if (info->hidden)
        return lr_fail(error, LR_E_ARGUMENT,
                       "%s hides things from its players; only games in which all is seen are solved", info->scenario);
    if (!options->limit) return lr_fail(error, LR_E_ARGUMENT, "a solver needs room for one state at least");
    struct solver *s = calloc(1, sizeof *s);
    if (!s) return no_memory(error);
    s->game = game;
    s->options = *options;
    s->state_bytes = (size_t)info->state_bytes;
    s->stride = (s->state_bytes + 63) / 64 * 64;
    if (!rebuild(s, FIRST_SLOTS, false) || !grow_values(s) || !grow_path(s) || !reserve_branches(s, FIRST_BRANCHES)) {
        solver_close(s);
        return no_memory(error);
    }
    *solver = s;
    return LR_OK;
}

void solver_close(struct solver *s) {
    if (!s) return;
    free(s->slots), free(s->values), free(s->value_table), free(s->path), free(s->states), free(s->branches);
    free(s);
}

static bool wants_stop(const struct solver *s) { return s->options.stop && atomic_load(s->options.stop); }

static int walk(struct solver *s, enum solve_end *end, lr_error *error) {
    uint64_t steps = 0;
    *end = SOLVE_DONE;
    while (s->depth) {
        enum met met = KNOWN;
        const int code = step(s, &met, error);
        if (code) return code;
        if (met == TOO_MANY) {
            *end = SOLVE_LIMIT;
            return LR_OK;
        }
        if (++steps % BETWEEN_CALLS) continue;
        if (wants_stop(s)) {
            *end = SOLVE_STOPPED;
            return LR_OK;
        }
        if (s->options.progress) s->options.progress(s->options.context, s->used);
    }
    return LR_OK;
}

/* Forgets what was begun and not finished, after an error everything. */
static int give_up(struct solver *s, int code, lr_error *error) {
    s->depth = 0;
    s->branch_count = 0;
    if (code) {
        memset(s->slots, 0, s->slot_count * sizeof *s->slots);
        s->used = 0;
        s->statistics = (struct solve_statistics){0};
        return code;
    }
    return rebuild(s, s->slot_count, false) ? LR_OK : no_memory(error);
}

int solver_run(struct solver *s, const lr_state *root, enum solve_end *end, lr_error *error) {
    enum met met;
    struct fraction value = fraction_whole(0);
    memcpy(state_at(s, 0), root, s->state_bytes);
    int code = meet(s, &met, &value, error);
    *end = met == TOO_MANY ? SOLVE_LIMIT : SOLVE_DONE;
    if (!code && met == NEW) code = walk(s, end, error);
    return code || *end != SOLVE_DONE ? give_up(s, code, error) : LR_OK;
}

bool solver_value(const struct solver *s, const lr_state *state, struct fraction *value) {
    if (lr_to_move(s->game, state) == LR_NOBODY) {
        *value = value_of_end(s->game, state);
        return true;
    }
    const struct slot *slot = find(s, key_of(s, state));
    if (slot->value < FIRST_INDEX) return false;
    *value = s->values[slot->value - FIRST_INDEX];
    return true;
}

struct solve_statistics solver_statistics(const struct solver *s) {
    struct solve_statistics statistics = s->statistics;
    statistics.values = s->value_count;
    statistics.bytes = sizeof *s + s->slot_count * sizeof *s->slots + s->value_room * sizeof *s->values +
                       2 * s->value_room * sizeof *s->value_table + (size_t)s->depth_room * sizeof *s->path +
                       ((size_t)s->depth_room + 1) * s->stride + s->branch_room * sizeof *s->branches;
    return statistics;
}

bool solver_look(const struct solver *s, const lr_state *state, lr_state *next, struct solved_state *solved) {
    const int mover = lr_to_move(s->game, state);
    solved->count = lr_legal(s->game, state, solved->action);
    for (int i = 0; i < solved->count; i++) {
        memcpy(next, state, s->state_bytes);
        lr_apply_legal(s->game, next, solved->action[i]);
        if (!solver_value(s, next, &solved->value[i])) return false;
        if (!i) solved->best = solved->worst = solved->value[0];
        const int above_best = fraction_compare(solved->value[i], solved->best);
        const int above_worst = fraction_compare(solved->value[i], solved->worst);
        if (mover == LR_UNION ? above_best > 0 : above_best < 0) solved->best = solved->value[i];
        if (mover == LR_UNION ? above_worst < 0 : above_worst > 0) solved->worst = solved->value[i];
    }
    return true;
}
