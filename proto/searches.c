/* searches.c: the search of one session, in slices. */
#include "proto/searches.h"
#include "env/game.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LINE = 64, MOST_PRIORS = 256 * 1024 / 4 /* numbers in a request's frame */, CHUNK_MICROSECONDS = 500 };

enum found {
    FOUND_ENV,
    FOUND_TO_MOVE,
    FOUND_DONE,
    FOUND_COUNT,
    FOUND_BEST,
    FOUND_ROOT_VALUE,
    FOUND_LINE_LENGTH,
    FOUND_LINE,
    FOUND_SIMULATIONS,
    FOUND_NODES,
    FOUND_TREE_NODES,
    FOUND_DEPTH,
    FOUND_SECONDS,
    FOUND_ROOT, /* from here on: an entry for each legal action of each root */
    FOUND_ACTION,
    FOUND_VISITS,
    FOUND_VALUE,
    FOUND_PRIOR,
};
_Static_assert(FOUND_PRIOR + 1 == FOUND_ARRAYS, "as many as searches.h says");

static const struct {
    const char *name, *type;
    size_t item;
    uint32_t columns;
} founds[FOUND_ARRAYS] = {
    [FOUND_ENV] = {"env", "<i4", 4, 1},
    [FOUND_TO_MOVE] = {"to_move", "|u1", 1, 1},
    [FOUND_DONE] = {"done", "|u1", 1, 1},
    [FOUND_COUNT] = {"count", "<i4", 4, 1},
    [FOUND_BEST] = {"best", "<i4", 4, 1},
    [FOUND_ROOT_VALUE] = {"root_value", "<f4", 4, 1},
    [FOUND_LINE_LENGTH] = {"line_length", "<i4", 4, 1},
    [FOUND_LINE] = {"line", "<u2", 2, SEARCH_LINE},
    [FOUND_SIMULATIONS] = {"simulations", "<u8", 8, 1},
    [FOUND_NODES] = {"nodes", "<u8", 8, 1},
    [FOUND_TREE_NODES] = {"tree_nodes", "<u4", 4, 1},
    [FOUND_DEPTH] = {"depth", "<i4", 4, 1},
    [FOUND_SECONDS] = {"seconds", "<f8", 8, 1},
    [FOUND_ROOT] = {"root", "<i4", 4, 1},
    [FOUND_ACTION] = {"action", "<u2", 2, 1},
    [FOUND_VISITS] = {"visits", "<u4", 4, 1},
    [FOUND_VALUE] = {"value", "<f4", 4, 1},
    [FOUND_PRIOR] = {"prior", "<f4", 4, 1},
};

enum leaf { LEAF_PIECES, LEAF_GLOBALS, LEAF_MASK, LEAF_TO_MOVE, LEAF_ROOT };
_Static_assert(LEAF_ROOT + 1 == LEAF_ARRAYS, "as many as searches.h says");

/* The leaves of one round, while the client values them. */
struct round {
    struct pool *pool; /* of reply frames */
    size_t offset[LEAF_ARRAYS], bytes;
    int capacity, count;
    size_t legal;            /* of all its leaves together: so many priors are wanted */
    int start, next_start;   /* the root that this round began with, and that the next begins with */
    int32_t *of_root;        /* [roots]: leaves of each root */
    uint8_t *mask;           /* [capacity][mask_bytes] */
    float *values, *priors;  /* the answers: [capacity], [MOST_PRIORS] */
    float *dense;            /* [leaves][actions]: one root's priors, spread out */
    bool has_priors, framed; /* the client sent priors; `frame` is there */
    zmq_msg_t frame;
    int answered; /* leaves of the last round that their trees have taken */
    size_t answered_legal;
};

enum task { TASK_BEGIN, TASK_RUN, TASK_REPORT, TASK_ANSWER, TASK_PICK, TASK_NONE };

struct searches {
    const lr_game *game;
    struct searches_options options;
    int roots, trees; /* trees: 1, or one a root */
    size_t state_stride;
    uint8_t *states; /* [roots][state_stride] */
    int32_t *env;    /* [roots]: what the client calls them */
    size_t *first;   /* [roots + 1]: where each root's entries begin */
    uint8_t *found;  /* the reply's frame */
    size_t offset[FOUND_ARRAYS], found_bytes;
    struct search **tree; /* [trees], NULL until they are opened */
    struct round round;   /* with leaves only */
    struct search_result result;

    enum task task, then; /* what is being done, and after TASK_BEGIN */
    int at;               /* the root that the task has come to */
    int begun;            /* without leaves: roots begun so far; the last of them is in the tree */
    uint64_t left, chunk; /* simulations or nodes: until the request ends, until the clock is looked at */
    bool cancelled;
    struct wire_fault fault;
};

static size_t round_up(size_t bytes) { return (bytes + LINE - 1) / LINE * LINE; }

static int64_t microseconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void *found_at(const struct searches *s, enum found which) { return s->found + s->offset[which]; }
static const lr_state *state_at(const struct searches *s, int root) {
    return (const lr_state *)(const void *)(s->states + (size_t)root * s->state_stride);
}

/* ---- Setting up ---- */

struct searches *searches_new(const lr_game *game, const struct searches_options *options, int count) {
    struct searches *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->game = game;
    s->options = *options;
    s->roots = count;
    s->trees = options->leaves ? count : 1;
    s->state_stride = round_up((size_t)lr_game_info(game)->state_bytes);
    s->states = aligned_alloc(LINE, s->state_stride * (size_t)count);
    s->env = calloc((size_t)count, sizeof *s->env);
    s->first = calloc((size_t)count + 1, sizeof *s->first);
    s->chunk = 1;
    s->task = TASK_NONE;
    s->fault = (struct wire_fault)WIRE_NO_FAULT;
    if (s->states && s->env && s->first) return s;
    searches_free(s);
    return NULL;
}

static void close_round(struct round *round) {
    if (round->framed) zmq_msg_close(&round->frame);
    pool_close(round->pool);
    free(round->of_root);
    free(round->mask);
    free(round->values);
    free(round->priors);
    free(round->dense);
}

void searches_free(struct searches *s) {
    if (!s) return;
    for (int i = 0; s->tree && i < s->trees; i++) search_close(s->tree[i]);
    close_round(&s->round);
    free(s->tree);
    free(s->found);
    free(s->first);
    free(s->env);
    free(s->states);
    free(s);
}

int searches_set_root(struct searches *s, int index, const lr_state *state, int env, lr_error *error) {
    const int mover = lr_to_move(s->game, state);
    uint16_t legal[LR_MAX_ACTIONS];
    if (mover == LR_NOBODY) return lr_fail(error, LR_E_OVER, "root %d is over: nobody moves there", env);
    if (mover == LR_CHANCE)
        return lr_fail(error, LR_E_ARGUMENT, "root %d is at a chance node (%s): a search begins where a player moves",
                       env, lr_decision(s->game, state));
    memcpy(s->states + (size_t)index * s->state_stride, state, (size_t)lr_game_info(s->game)->state_bytes);
    s->env[index] = env;
    s->first[index + 1] = s->first[index] + (size_t)lr_legal(s->game, state, legal);
    return LR_OK;
}

static void lay_out_found(const struct searches *s, size_t offset[FOUND_ARRAYS], size_t *bytes) {
    *bytes = 0;
    for (int i = 0; i < FOUND_ARRAYS; i++) {
        const size_t rows = i < FOUND_ROOT ? (size_t)s->roots : s->first[s->roots];
        offset[i] = *bytes;
        *bytes += round_up(rows * founds[i].columns * founds[i].item);
    }
}

static void lay_out_round(const struct searches *s, struct round *round) {
    const lr_info *info = lr_game_info(s->game);
    const size_t row[LEAF_ARRAYS] = {[LEAF_PIECES] = (size_t)info->piece_rows * (size_t)info->piece_columns,
                                     [LEAF_GLOBALS] = (size_t)info->global_columns * sizeof(int16_t),
                                     [LEAF_MASK] = (size_t)info->mask_bytes,
                                     [LEAF_TO_MOVE] = 1,
                                     [LEAF_ROOT] = sizeof(int32_t)};
    const int64_t most = (int64_t)s->roots * s->options.leaves;
    round->capacity = most < SEARCHES_ROUND ? (int)most : SEARCHES_ROUND;
    round->bytes = 0;
    for (int i = 0; i < LEAF_ARRAYS; i++) {
        round->offset[i] = round->bytes;
        round->bytes += round_up(row[i] * (size_t)round->capacity);
    }
}

enum { ROUND_BUFFERS = 3 }; /* that a pool keeps */

static size_t round_bytes(const struct searches *s) {
    if (!s->options.leaves) return 0;
    const lr_info *info = lr_game_info(s->game);
    struct round round;
    lay_out_round(s, &round);
    return ROUND_BUFFERS * round.bytes + (size_t)s->roots * sizeof *round.of_root +
           (size_t)round.capacity * ((size_t)info->mask_bytes + sizeof *round.values) +
           (MOST_PRIORS + (size_t)s->options.leaves * (size_t)info->actions) * sizeof(float);
}

size_t searches_bytes(const struct searches *s) {
    size_t offset[FOUND_ARRAYS], found;
    lay_out_found(s, offset, &found);
    const size_t roots = (size_t)s->roots;
    const size_t tree =
        sizeof *s->tree + search_bytes(s->game, &s->options.each); /* NOLINT(bugprone-sizeof-expression): a pointer */
    return sizeof *s + roots * (s->state_stride + sizeof *s->env + sizeof *s->first) + found + round_bytes(s) +
           (size_t)s->trees * tree;
}

static bool open_round(struct searches *s) {
    if (!s->options.leaves) return true;
    struct round *round = &s->round;
    const lr_info *info = lr_game_info(s->game);
    lay_out_round(s, round);
    const size_t capacity = (size_t)round->capacity;
    round->pool = pool_open(round->bytes);
    round->of_root = calloc((size_t)s->roots, sizeof *round->of_root);
    round->mask = calloc(capacity, (size_t)info->mask_bytes);
    round->values = calloc(capacity, sizeof *round->values);
    round->priors = calloc(MOST_PRIORS, sizeof *round->priors);
    round->dense = calloc((size_t)s->options.leaves * (size_t)info->actions, sizeof *round->dense);
    return round->pool && round->of_root && round->mask && round->values && round->priors && round->dense;
}

/* What is known of a root before it is searched. */
static void fill_root(struct searches *s, int root) {
    ((int32_t *)found_at(s, FOUND_ENV))[root] = s->env[root];
    ((uint8_t *)found_at(s, FOUND_TO_MOVE))[root] = (uint8_t)lr_to_move(s->game, state_at(s, root));
    ((int32_t *)found_at(s, FOUND_COUNT))[root] = (int32_t)(s->first[root + 1] - s->first[root]);
    ((int32_t *)found_at(s, FOUND_BEST))[root] = -1;
    uint16_t legal[LR_MAX_ACTIONS];
    lr_legal(s->game, state_at(s, root), legal);
    for (size_t i = s->first[root]; i < s->first[root + 1]; i++) {
        ((int32_t *)found_at(s, FOUND_ROOT))[i] = root;
        ((uint16_t *)found_at(s, FOUND_ACTION))[i] = legal[i - s->first[root]];
    }
}

static bool same_options(const struct search_options *a, const struct search_options *b) {
    return a->method == b->method && a->simulations == b->simulations && a->nodes == b->nodes &&
           a->microseconds == b->microseconds && a->depth == b->depth && a->width == b->width &&
           a->tree_nodes == b->tree_nodes && a->exploration == b->exploration && a->prior == b->prior &&
           a->expand_after == b->expand_after && a->rollout == b->rollout && a->rollout_length == b->rollout_length &&
           a->threads == b->threads && a->leaves == b->leaves;
}

static void take_trees(struct searches *s, struct searches *old) {
    if (!old || !old->tree || old->game != s->game || !same_options(&old->options.each, &s->options.each)) return;
    for (int i = 0; i < s->trees && i < old->trees; i++) {
        s->tree[i] = old->tree[i];
        old->tree[i] = NULL;
    }
}

/* The first tree is opened when the search is made ready, the others in slices. */
static int open_tree(struct searches *s, int index, struct wire_fault *fault) {
    if (s->tree[index]) return WIRE_OK;
    lr_error error;
    const int code = search_open(s->game, &s->options.each, &s->tree[index], &error);
    return code ? wire_refuse(fault, WIRE_INTERNAL, "%s", error.text) : WIRE_OK;
}

int searches_ready(struct searches *s, struct searches *old, struct wire_fault *fault) {
    s->tree = calloc((size_t)s->trees, sizeof(struct search *));
    if (s->tree) take_trees(s, old);
    searches_free(old);
    lay_out_found(s, s->offset, &s->found_bytes);
    s->found = aligned_alloc(LINE, s->found_bytes);
    if (!s->tree || !s->found || !open_round(s))
        return wire_refuse(fault, WIRE_INTERNAL, "there is no memory to search %d roots", s->roots);
    memset(s->found, 0, s->found_bytes);
    for (int root = 0; root < s->roots; root++) fill_root(s, root);
    return open_tree(s, 0, fault);
}

const struct searches_options *searches_options(const struct searches *s) { return &s->options; }
int searches_roots(const struct searches *s) { return s->roots; }

bool searches_done(const struct searches *s) {
    const uint8_t *done = found_at(s, FOUND_DONE);
    return memchr(done, 0, (size_t)s->roots) == NULL;
}

/* ---- What was found ---- */

static void note(struct searches *s, int root, const struct search *tree) {
    struct search_result *r = &s->result;
    search_result(tree, r);
    const size_t first = s->first[root], count = (size_t)r->count;
    ((int32_t *)found_at(s, FOUND_BEST))[root] = r->best;
    ((float *)found_at(s, FOUND_ROOT_VALUE))[root] = r->root_value;
    ((int32_t *)found_at(s, FOUND_LINE_LENGTH))[root] = r->line_length;
    memcpy((uint16_t *)found_at(s, FOUND_LINE) + (size_t)root * SEARCH_LINE, r->line, sizeof r->line);
    ((uint64_t *)found_at(s, FOUND_SIMULATIONS))[root] = r->simulations;
    ((uint64_t *)found_at(s, FOUND_NODES))[root] = r->nodes;
    ((uint32_t *)found_at(s, FOUND_TREE_NODES))[root] = r->tree_nodes;
    ((int32_t *)found_at(s, FOUND_DEPTH))[root] = r->depth;
    ((double *)found_at(s, FOUND_SECONDS))[root] = r->seconds;
    memcpy((uint32_t *)found_at(s, FOUND_VISITS) + first, r->visits, count * sizeof *r->visits);
    memcpy((float *)found_at(s, FOUND_VALUE) + first, r->value, count * sizeof *r->value);
    memcpy((float *)found_at(s, FOUND_PRIOR) + first, r->prior, count * sizeof *r->prior);
}

static void set_done(struct searches *s, int root) { ((uint8_t *)found_at(s, FOUND_DONE))[root] = 1; }
static bool is_done(const struct searches *s, int root) { return ((const uint8_t *)found_at(s, FOUND_DONE))[root]; }

/* ---- Tasks: each does one root; true to go on to the next ---- */

static bool begin(struct searches *s, int root, int tree) {
    lr_error error;
    if (open_tree(s, tree, &s->fault)) return false;
    const uint64_t stream = lr_environment_seed(s->options.seed, (uint64_t)s->env[root]);
    if (search_begin(s->tree[tree], state_at(s, root), stream, &error) == LR_OK) return true;
    wire_refuse(&s->fault, WIRE_INTERNAL, "%s", error.text);
    return false;
}

/* One chunk of the tree's root; its size follows the clock, which does not change what is found. */
static void run_chunk(struct searches *s, int root) {
    const uint64_t chunk = s->chunk < s->left ? s->chunk : s->left;
    const int64_t started = microseconds_now();
    const bool done = search_run(s->tree[0], chunk);
    const int64_t spent = microseconds_now() - started;
    s->left -= chunk;
    if (spent > CHUNK_MICROSECONDS)
        s->chunk = (s->chunk + 1) / 2;
    else if (spent < CHUNK_MICROSECONDS / 2 && chunk == s->chunk)
        s->chunk *= 2;
    if (done) set_done(s, root);
}

/* Goes on from root to root. True when the request is done with. */
static bool run(struct searches *s, int64_t until) {
    for (; s->at < s->roots; s->at++) {
        if (s->begun == s->at) {
            if (!begin(s, s->at, 0)) return true;
            s->begun++;
        }
        while (!is_done(s, s->at) && s->left > 0 && !s->cancelled) {
            if (microseconds_now() >= until) return false;
            run_chunk(s, s->at);
        }
        note(s, s->at, s->tree[0]);
        if (!is_done(s, s->at)) return true;
    }
    return true;
}

static bool report(struct searches *s, int root) { return note(s, root, s->tree[root]), true; }

/* Spreads out what the client sent for the legal actions alone. */
static void spread_priors(struct searches *s, int leaves) {
    const struct round *round = &s->round;
    const size_t actions = (size_t)lr_game_info(s->game)->actions, bytes = (size_t)lr_game_info(s->game)->mask_bytes;
    const float *from = round->priors + round->answered_legal;
    for (size_t leaf = 0; leaf < (size_t)leaves; leaf++) {
        const uint8_t *mask = round->mask + ((size_t)round->answered + leaf) * bytes;
        float *to = round->dense + leaf * actions;
        for (size_t byte = 0; byte < bytes; byte++)
            for (unsigned bits = mask[byte]; bits; bits &= bits - 1)
                to[byte * 8 + (unsigned)__builtin_ctz(bits)] = *from++;
    }
    s->round.answered_legal = (size_t)(from - round->priors);
}

/* The roots of a round begin with `start` and go round. */
static int root_of_turn(const struct searches *s, int turn) {
    const int root = s->round.start + turn;
    return root < s->roots ? root : root - s->roots;
}

static bool answer(struct searches *s, int turn) {
    struct round *round = &s->round;
    const int root = root_of_turn(s, turn), leaves = round->of_root[root];
    lr_error error;
    if (leaves == 0) return true;
    if (round->has_priors) spread_priors(s, leaves);
    if (search_answer(s->tree[root], round->values + round->answered, round->has_priors ? round->dense : NULL,
                      &error)) {
        wire_refuse(&s->fault, WIRE_INTERNAL, "%s", error.text);
        return false;
    }
    round->answered += leaves;
    round->of_root[root] = 0;
    return true;
}

static size_t count_bits(const uint8_t *bytes, size_t length) {
    size_t bits = 0;
    for (size_t i = 0; i < length; i++) bits += (size_t)__builtin_popcount(bytes[i]);
    return bits;
}

/* Whether the leaves of one more root fit, and their priors into the request that answers. */
static bool has_room(const struct searches *s) {
    const size_t priors = (size_t)s->options.leaves * (size_t)lr_game_info(s->game)->actions;
    return s->round.count + s->options.leaves <= s->round.capacity && s->round.legal + priors <= MOST_PRIORS;
}

static struct search_leaves leaves_from(const struct searches *s, uint8_t *frame, size_t row) {
    const lr_info *info = lr_game_info(s->game);
    const size_t *offset = s->round.offset;
    int16_t *globals = (int16_t *)(void *)(frame + offset[LEAF_GLOBALS]);
    return (struct search_leaves){.pieces = frame + offset[LEAF_PIECES] +
                                            row * (size_t)info->piece_rows * (size_t)info->piece_columns,
                                  .globals = globals + row * (size_t)info->global_columns,
                                  .mask = frame + offset[LEAF_MASK] + row * (size_t)info->mask_bytes,
                                  .to_move = frame + offset[LEAF_TO_MOVE] + row};
}

static bool pick(struct searches *s, int turn) {
    struct round *round = &s->round;
    const int root = root_of_turn(s, turn);
    if (is_done(s, root)) return true;
    if (!has_room(s)) {
        round->next_start = root;
        return false;
    }
    uint8_t *frame = zmq_msg_data(&round->frame);
    const size_t row = (size_t)round->count, bytes = (size_t)lr_game_info(s->game)->mask_bytes;
    const struct search_leaves to = leaves_from(s, frame, row);
    lr_error error;
    const int leaves = search_leaves(s->tree[root], s->options.leaves, &to, &error);
    if (leaves < 0) return wire_refuse(&s->fault, WIRE_INTERNAL, "%s", error.text), false;
    if (leaves == 0) return set_done(s, root), true;
    memcpy(round->mask + row * bytes, to.mask, (size_t)leaves * bytes);
    round->legal += count_bits(to.mask, (size_t)leaves * bytes);
    for (int i = 0; i < leaves; i++) ((int32_t *)(void *)(frame + round->offset[LEAF_ROOT]))[row + (size_t)i] = root;
    round->of_root[root] = leaves;
    round->count += leaves;
    return true;
}

static bool begin_own(struct searches *s, int root) { return begin(s, root, root); }

/* False when the time is over; true when all roots were done, or one said that it is enough. */
static bool each_root(struct searches *s, bool (*one)(struct searches *s, int index), int64_t until) {
    for (; s->at < s->roots; s->at++) {
        if (microseconds_now() >= until) return false;
        if (!one(s, s->at)) return true;
    }
    return true;
}

static void next_task(struct searches *s) {
    s->at = 0;
    const bool well = !s->fault.code;
    if (well && s->task == TASK_BEGIN)
        s->task = s->then;
    else if (well && s->task == TASK_ANSWER) {
        s->task = TASK_PICK;
        s->round.start = s->round.next_start;
        s->round.count = 0;
        s->round.legal = 0;
    } else
        s->task = TASK_NONE;
}

static bool work(struct searches *s, int64_t until) {
    switch (s->task) {
    case TASK_BEGIN: return each_root(s, begin_own, until);
    case TASK_RUN: return run(s, until);
    case TASK_REPORT: return each_root(s, report, until);
    case TASK_ANSWER: return each_root(s, answer, until);
    case TASK_PICK: return each_root(s, pick, until);
    default: return true;
    }
}

bool searches_advance(struct searches *s, int64_t microseconds) {
    const int64_t until = microseconds_now() + microseconds;
    while (s->task != TASK_NONE) {
        if (!work(s, until)) return false;
        next_task(s);
    }
    return true;
}

/* ---- What can be asked for ---- */

static void start(struct searches *s, enum task task) {
    s->at = 0;
    s->then = task;
    s->task = s->options.leaves && s->begun == 0 ? TASK_BEGIN : task;
    s->begun += s->task == TASK_BEGIN;
}

void searches_run(struct searches *s, uint64_t slice) {
    s->left = slice ? slice : UINT64_MAX;
    start(s, s->options.leaves ? TASK_REPORT : TASK_RUN);
    if (s->task == TASK_RUN && s->begun > 0) s->at = s->begun - 1;
}

static int check_numbers(const struct searches *s, size_t values_bytes, size_t priors_bytes, bool has_priors,
                         struct wire_fault *fault) {
    const struct round *round = &s->round;
    const size_t values = (size_t)round->count * sizeof *round->values, priors = round->legal * sizeof *round->priors;
    if (values_bytes != values)
        return wire_refuse(fault, WIRE_BAD_FRAME,
                           "%d leaves wait for their values: the frame of values has %zu bytes and must have %zu",
                           round->count, values_bytes, values);
    if (!has_priors || priors_bytes == priors) return WIRE_OK;
    return wire_refuse(fault, WIRE_BAD_FRAME,
                       "the %d leaves have %zu legal actions: the frame of priors has %zu bytes and must have %zu",
                       round->count, round->legal, priors_bytes, priors);
}

static int check_values(const struct round *round, struct wire_fault *fault) {
    for (int i = 0; i < round->count; i++) {
        if (round->values[i] >= -1 && round->values[i] <= 1) continue;
        fault->field = "values";
        return wire_refuse(fault, WIRE_BAD_FIELD, "the value of leaf %d is %g: it must be from -1 to 1", i,
                           (double)round->values[i]);
    }
    return WIRE_OK;
}

static int leaf_of_prior(const struct searches *s, size_t index) {
    const size_t bytes = (size_t)lr_game_info(s->game)->mask_bytes;
    int leaf = 0;
    for (size_t end = 0; leaf < s->round.count; leaf++) {
        end += count_bits(s->round.mask + (size_t)leaf * bytes, bytes);
        if (index < end) break;
    }
    return leaf;
}

static int check_priors(const struct searches *s, struct wire_fault *fault) {
    for (size_t i = 0; i < s->round.legal; i++) {
        const float prior = s->round.priors[i];
        if (isfinite(prior) && prior >= 0) continue;
        fault->field = "priors";
        return wire_refuse(fault, WIRE_BAD_FIELD, "a prior of leaf %d is %g: it must be 0 or more, and finite",
                           leaf_of_prior(s, i), (double)prior);
    }
    return WIRE_OK;
}

int searches_round(struct searches *s, const void *values, size_t values_bytes, const void *priors, size_t priors_bytes,
                   struct wire_fault *fault) {
    struct round *round = &s->round;
    if (check_numbers(s, values_bytes, priors_bytes, priors != NULL, fault)) return fault->code;
    if (values_bytes) memcpy(round->values, values, values_bytes);
    if (priors) memcpy(round->priors, priors, priors_bytes);
    if (check_values(round, fault) || (priors && check_priors(s, fault))) return fault->code;
    if (pool_message(round->pool, &round->frame))
        return wire_refuse(fault, WIRE_INTERNAL, "there is no memory for %d leaves", round->capacity);
    round->framed = true;
    round->has_priors = priors != NULL;
    round->answered = 0;
    round->answered_legal = 0;
    start(s, TASK_ANSWER);
    return WIRE_OK;
}

void searches_cancel(struct searches *s) { s->cancelled = true; }
bool searches_cancelled(const struct searches *s) { return s->cancelled; }

/* ---- Replies ---- */

static int tell_fault(const struct searches *s, struct wire_fault *fault) {
    return s->fault.code ? wire_refuse(fault, s->fault.code, "%s", s->fault.text) : WIRE_OK;
}

int searches_found(struct searches *s, zmq_msg_t *frame, struct frame_array *arrays, struct wire_fault *fault) {
    if (tell_fault(s, fault)) return fault->code;
    if (zmq_msg_init_size(frame, s->found_bytes))
        return wire_refuse(fault, WIRE_INTERNAL, "there is no memory for a reply of %zu bytes", s->found_bytes);
    memcpy(zmq_msg_data(frame), s->found, s->found_bytes);
    for (int i = 0; i < FOUND_ARRAYS; i++) {
        const size_t rows = i < FOUND_ROOT ? (size_t)s->roots : s->first[s->roots];
        arrays[i] = (struct frame_array){.name = founds[i].name,
                                         .type = founds[i].type,
                                         .offset = s->offset[i],
                                         .dimensions = founds[i].columns > 1 ? 2 : 1,
                                         .shape = {(uint32_t)rows, founds[i].columns}};
    }
    return WIRE_OK;
}

int searches_leaves(struct searches *s, zmq_msg_t *frame, struct frame_array *arrays, int *count,
                    struct wire_fault *fault) {
    if (tell_fault(s, fault)) return fault->code;
    const lr_info *info = lr_game_info(s->game);
    const size_t *offset = s->round.offset;
    const uint32_t leaves = (uint32_t)s->round.count;
    zmq_msg_init(frame);
    zmq_msg_move(frame, &s->round.frame);
    zmq_msg_close(&s->round.frame);
    s->round.framed = false;
    *count = s->round.count;
    arrays[LEAF_PIECES] = (struct frame_array){
        "pieces", "|u1", offset[LEAF_PIECES], 3, {leaves, (uint32_t)info->piece_rows, (uint32_t)info->piece_columns}};
    arrays[LEAF_GLOBALS] =
        (struct frame_array){"globals", "<i2", offset[LEAF_GLOBALS], 2, {leaves, (uint32_t)info->global_columns}};
    arrays[LEAF_MASK] = (struct frame_array){"mask", "|u1", offset[LEAF_MASK], 2, {leaves, (uint32_t)info->mask_bytes}};
    arrays[LEAF_TO_MOVE] = (struct frame_array){"to_move", "|u1", offset[LEAF_TO_MOVE], 1, {leaves}};
    arrays[LEAF_ROOT] = (struct frame_array){"root", "<i4", offset[LEAF_ROOT], 1, {leaves}};
    return WIRE_OK;
}
