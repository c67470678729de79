/* search_messages.c: search, leaves, cancel: what requests ask of the session's search (searches.h), and the replies.
 *
 * `handle` reads and checks a request and sets the search to work; the worker lets it work in slices; `complete` writes
 * the reply. A search that begins frees the session's last one, and takes over its trees where they fit. */
#include "env/game.h"
#include "proto/parts.h"
#include <stdlib.h>
#include <string.h>

static const char *const method_words[] = {[SEARCH_MCTS] = "mcts", [SEARCH_EXPECTIMAX] = "expectimax"};
static const char *const rollout_words[] = {[ROLLOUT_RANDOM] = "random", [ROLLOUT_GREEDY] = "greedy"};
static const char *const prior_words[] = {[PRIOR_NONE] = "none", [PRIOR_HABITS] = "habits"};

void release_searches(struct server *server, struct session *session) {
    if (!session->searches) return;
    atomic_fetch_sub(&server->search_bytes, searches_bytes(session->searches));
    searches_free(session->searches);
    session->searches = NULL;
}

/* ---- Options ---- */

static bool has(const struct job *job, const char *key) {
    const msgpack_object *found = wire_find(job->fields, key);
    return found && found->type != MSGPACK_OBJECT_NIL;
}

/* Who states a limit wants that one, and not the usual ones besides. */
static void get_limits(struct job *job, struct search_options *each) {
    if (has(job, "simulations") || has(job, "nodes") || has(job, "microseconds") || has(job, "depth")) {
        each->simulations = each->nodes = 0;
        each->depth = 0;
    }
    wire_get_uint(job->fields, "simulations", 0, UINT64_MAX, &each->simulations, job->fault);
    wire_get_uint(job->fields, "nodes", 0, UINT64_MAX, &each->nodes, job->fault);
    wire_get_uint(job->fields, "microseconds", 0, UINT64_MAX, &each->microseconds, job->fault);
    wire_get_int(job->fields, "depth", 0, SEARCH_DEPTH, &each->depth, job->fault);
    wire_get_int(job->fields, "width", 0, LR_MAX_ACTIONS, &each->width, job->fault);
    wire_get_int(job->fields, "samples", 0, SEARCH_SAMPLES, &each->samples, job->fault);
}

/* Walks that end in finished games ask nobody, so only their number bounds what one round may take. */
enum { LEAF_SIMULATIONS = 65536 };

static int bound_leaf_search(struct job *job, struct search_options *each) {
    if (!each->simulations) each->simulations = LEAF_SIMULATIONS;
    if (each->simulations <= LEAF_SIMULATIONS) return WIRE_OK;
    job->fault->field = "simulations";
    return wire_refuse(job->fault, WIRE_BAD_FIELD, "a search whose leaves the client values has %d simulations at most",
                       LEAF_SIMULATIONS);
}

/* Many roots have a tree each, so these are no larger than their simulations can fill. */
static uint64_t leaf_tree_nodes(const struct search_options *each) {
    enum { NODES_A_SIMULATION = 64 };
    const bool small = each->simulations > 0 && each->simulations < each->tree_nodes / NODES_A_SIMULATION;
    const uint64_t nodes = small ? each->simulations * NODES_A_SIMULATION : each->tree_nodes;
    return nodes > LR_MAX_ACTIONS ? nodes : LR_MAX_ACTIONS;
}

/* A table is emptied for each root, at one go. */
enum { TABLE_ENTRIES = 1 << 18 };

static int get_options(struct job *job, struct searches_options *options) {
    int method = SEARCH_MCTS;
    wire_get_word(job->fields, "method", method_words, 2, &method, job->fault);
    options->each = search_defaults(method);
    struct search_options *each = &options->each;
    uint64_t tree_nodes = each->tree_nodes;
    get_limits(job, each);
    wire_get_int(job->fields, "leaves", 0, SEARCHES_LEAVES, &options->leaves, job->fault);
    each->leaves = options->leaves > 0;
    if (each->leaves && each->method == SEARCH_MCTS && !bound_leaf_search(job, each))
        tree_nodes = leaf_tree_nodes(each);
    wire_get_uint(job->fields, "tree_nodes", 1, method == SEARCH_MCTS ? SEARCH_TREE_NODES : TABLE_ENTRIES, &tree_nodes,
                  job->fault);
    wire_get_int(job->fields, "exploration", 0, 1000000, &each->exploration, job->fault);
    wire_get_word(job->fields, "prior", prior_words, 2, &each->prior, job->fault);
    wire_get_int(job->fields, "expand_after", 1, INT32_MAX, &each->expand_after, job->fault);
    wire_get_word(job->fields, "rollout", rollout_words, 2, &each->rollout, job->fault);
    wire_get_int(job->fields, "rollout_length", -1, INT32_MAX, &each->rollout_length, job->fault);
    wire_get_int(job->fields, "threads", 1, job->server->options.threads, &each->threads, job->fault);
    wire_get_uint(job->fields, "seed", 0, UINT64_MAX, &options->seed, job->fault);
    each->tree_nodes = (uint32_t)tree_nodes;
    lr_error error;
    if (!job->fault->code && search_check(each, &error)) wire_refuse(job->fault, WIRE_BAD_FIELD, "%s", error.text);
    return job->fault->code;
}

void wire_put_search(struct wire_writer *out, const struct search_options *each) {
    wire_put_text(out, "method", method_words[each->method]);
    wire_put_uint(out, "simulations", each->simulations);
    wire_put_uint(out, "nodes", each->nodes);
    wire_put_uint(out, "microseconds", each->microseconds);
    wire_put_int(out, "depth", each->depth);
    wire_put_int(out, "width", each->width);
    wire_put_int(out, "samples", each->samples);
    wire_put_uint(out, "tree_nodes", each->tree_nodes);
    wire_put_int(out, "exploration", each->exploration);
    wire_put_text(out, "prior", prior_words[each->prior]);
    wire_put_int(out, "expand_after", each->expand_after);
    wire_put_text(out, "rollout", rollout_words[each->rollout]);
    wire_put_int(out, "rollout_length", each->rollout_length);
    wire_put_int(out, "threads", each->threads);
}

static void put_options(struct wire_writer *out, const struct searches_options *options) {
    wire_key(out, "options");
    wire_open_map(out);
    wire_put_search(out, &options->each);
    wire_put_int(out, "leaves", options->leaves);
    wire_put_uint(out, "seed", options->seed);
    wire_end(out);
}

/* ---- Roots ---- */

/* Where the search is to begin: saved states in a raw frame, or environments. */
struct roots {
    int count;
    int *env;       /* [count] */
    uint8_t *saved; /* the saved states, each 64-aligned; NULL: environments */
    size_t stride;
};

static void free_roots(struct roots *roots) {
    free(roots->env);
    free(roots->saved);
}

static int no_memory(struct job *job) {
    return wire_refuse(job->fault, WIRE_INTERNAL, "there is no memory for the roots of a search");
}

static int get_saved(struct job *job, struct roots *roots) {
    const struct session *session = *job->slot;
    const uint8_t *bytes = zmq_msg_data(&job->request->frame[1]);
    const size_t length = zmq_msg_size(&job->request->frame[1]), each = saved_bytes(session);
    if (length == 0 || length % each)
        return wire_refuse(job->fault, WIRE_BAD_FRAME,
                           "a saved state of this game has %zu bytes, and the frame has %zu", each, length);
    roots->count = (int)(length / each);
    roots->stride = (each + 63) / 64 * 64;
    roots->env = calloc((size_t)roots->count, sizeof *roots->env);
    roots->saved = aligned_alloc(64, roots->stride * (size_t)roots->count);
    if (!roots->env || !roots->saved) return no_memory(job);
    for (int i = 0; i < roots->count; i++) {
        const lr_state *state;
        lr_error error;
        roots->env[i] = i;
        if (saved_read(session, bytes + (size_t)i * each, each, roots->saved + (size_t)i * roots->stride, &state,
                       job->fault))
            return job->fault->code;
        if (lr_state_check(session->game, state, &error))
            return wire_refuse(job->fault, WIRE_BAD_STATE, "state %d: %s", i, error.text);
    }
    return WIRE_OK;
}

/* Those that the request names, else all in which a player moves. */
static int get_envs(struct job *job, struct roots *roots) {
    const struct session *session = *job->slot;
    const int size = session_size(session), most = size > WIRE_MAX_ELEMENTS ? size : WIRE_MAX_ELEMENTS;
    roots->env = calloc((size_t)most, sizeof *roots->env);
    if (!roots->env) return no_memory(job);
    if (has(job, "env"))
        roots->count = request_envs(job, "env", roots->env);
    else
        for (int env = 0; env < size; env++)
            if (mover_of(session, env) < LR_CHANCE) roots->env[roots->count++] = env;
    if (job->fault->code || roots->count) return job->fault->code;
    return wire_refuse(job->fault, WIRE_EPISODE_OVER, "there is no environment to search: in none does a player move");
}

static int set_root(struct job *job, struct searches *made, const struct roots *roots, int index) {
    const struct session *session = *job->slot;
    const int env = roots->env[index];
    const lr_state *state =
        roots->saved ? (const lr_state *)(const void *)(roots->saved + SAVED_HEAD + (size_t)index * roots->stride)
                     : lr_batch_state(session->batch, env);
    lr_error error = {0};
    int code = searches_set_root(made, index, state, env, &error);
    if (!roots->saved && mover_of(session, env) == LR_NOBODY) code = LR_E_OVER; /* truncated ones, too */
    if (code == LR_OK) return WIRE_OK;
    job->fault->env = env;
    if (code == LR_E_OVER)
        return wire_refuse(job->fault, WIRE_EPISODE_OVER, "root %d is over: a search begins where a player moves", env);
    job->fault->field = "env";
    return wire_refuse(job->fault, WIRE_BAD_FIELD, "%s", error.text);
}

/* ---- search ---- */

static int take_memory(struct job *job, const struct searches *made) {
    struct server *server = job->server;
    const size_t bytes = searches_bytes(made), most = server->options.session_search_bytes;
    if (bytes > most) {
        job->fault->field = "tree_nodes";
        return wire_refuse(job->fault, WIRE_BAD_FIELD,
                           "the search would take %zu bytes, and a session may have %zu: ask for fewer tree_nodes, "
                           "roots or leaves",
                           bytes, most);
    }
    struct session *session = *job->slot;
    const size_t old = session->searches ? searches_bytes(session->searches) : 0;
    const size_t before = atomic_fetch_add(&server->search_bytes, bytes);
    if (before + bytes - old <= server->options.search_bytes) return WIRE_OK;
    atomic_fetch_sub(&server->search_bytes, bytes);
    return wire_refuse(job->fault, WIRE_CAPACITY,
                       "all searches of the server have %zu of their %zu bytes, and this one "
                       "would take %zu: try again later, or with fewer tree_nodes",
                       before, server->options.search_bytes, bytes);
}

static int make_ready(struct job *job, struct searches *made) {
    struct session *session = *job->slot;
    struct searches *old = session->searches;
    if (old) atomic_fetch_sub(&job->server->search_bytes, searches_bytes(old));
    session->searches = made;
    if (searches_ready(made, old, job->fault)) release_searches(job->server, session);
    return job->fault->code;
}

static int begin_search(struct job *job, const struct searches_options *options, const struct roots *roots) {
    struct searches *made = searches_new((*job->slot)->game, options, roots->count);
    if (!made) return no_memory(job);
    for (int i = 0; i < roots->count && !job->fault->code; i++) set_root(job, made, roots, i);
    if (!job->fault->code && take_memory(job, made) == WIRE_OK) return make_ready(job, made);
    searches_free(made);
    return job->fault->code;
}

static int read_and_begin(struct job *job) {
    struct searches_options options = {.seed = 0};
    struct roots roots = {.count = 0};
    if (get_options(job, &options)) return job->fault->code;
    if (job->request->count > 1)
        get_saved(job, &roots);
    else
        get_envs(job, &roots);
    if (!job->fault->code) begin_search(job, &options, &roots);
    free_roots(&roots);
    return job->fault->code;
}

static int no_search(struct job *job) {
    return wire_refuse(job->fault, WIRE_NO_SEARCH, "the session has no search: begin one, the last was cancelled");
}

int handle_search(struct job *job) {
    struct session *session = *job->slot;
    bool go_on = false;
    uint64_t slice = 0;
    wire_get_bool(job->fields, "go_on", &go_on, job->fault);
    wire_get_uint(job->fields, "slice", 0, UINT64_MAX, &slice, job->fault);
    if (job->fault->code) return job->fault->code;
    if (go_on && job->request->count > 1)
        return wire_refuse(job->fault, WIRE_BAD_FRAME, "a search that goes on takes no raw frame");
    if (go_on && !session->searches) return no_search(job);
    if (!go_on && read_and_begin(job)) return job->fault->code;
    searches_run(session->searches, slice);
    return WIRE_OK;
}

static void put_arrays(struct wire_writer *out, const struct frame_array *arrays, int count) {
    wire_key(out, "arrays");
    wire_open_array(out);
    for (int i = 0; i < count; i++) wire_array(out, &arrays[i]);
    wire_end(out);
}

/* After the reply: what was cancelled, or came to a fault, is let go. */
static int conclude(struct job *job) {
    struct session *session = *job->slot;
    if (job->fault->code || searches_cancelled(session->searches)) release_searches(job->server, session);
    return job->fault->code;
}

int complete_search(struct job *job) {
    struct session *session = *job->slot;
    struct frame_array arrays[FOUND_ARRAYS];
    if (searches_found(session->searches, &job->reply->frame[1], arrays, job->fault)) return conclude(job);
    job->reply->count = 2;
    wire_put_int(job->out, "roots", searches_roots(session->searches));
    wire_put_bool(job->out, "done", searches_done(session->searches));
    put_options(job->out, searches_options(session->searches));
    put_arrays(job->out, arrays, FOUND_ARRAYS);
    return conclude(job);
}

/* ---- leaves ---- */

int handle_leaves(struct job *job) {
    struct session *session = *job->slot;
    if (!session->searches) return no_search(job);
    if (!searches_options(session->searches)->leaves)
        return wire_refuse(job->fault, WIRE_NO_SEARCH,
                           "the session's search values its leaves itself: begin one with the field `leaves`");
    zmq_msg_t *frame = job->request->frame;
    const int raw = job->request->count - 1;
    return searches_round(session->searches, raw > 0 ? zmq_msg_data(&frame[1]) : NULL,
                          raw > 0 ? zmq_msg_size(&frame[1]) : 0, raw > 1 ? zmq_msg_data(&frame[2]) : NULL,
                          raw > 1 ? zmq_msg_size(&frame[2]) : 0, job->fault);
}

int complete_leaves(struct job *job) {
    struct session *session = *job->slot;
    struct frame_array arrays[LEAF_ARRAYS];
    int count = 0;
    if (searches_leaves(session->searches, &job->reply->frame[1], arrays, &count, job->fault)) return conclude(job);
    job->reply->count = 2;
    wire_put_int(job->out, "count", count);
    wire_put_bool(job->out, "done", searches_done(session->searches));
    put_arrays(job->out, arrays, LEAF_ARRAYS);
    return conclude(job);
}

/* ---- cancel ---- */

int handle_cancel(struct job *job) {
    struct session *session = *job->slot;
    const bool running = session->calls != NULL;
    wire_put_bool(job->out, "running", running);
    if (running)
        searches_cancel(session->searches);
    else
        release_searches(job->server, session);
    return WIRE_OK;
}
