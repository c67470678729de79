/* searches.h: the search of one session: one or many roots, looked into in slices, so that the worker's other sessions
 * are served in between.
 *
 * Without leaves the roots are searched one after the other, with one tree. With leaves each root has a tree of its own,
 * since a round asks the client about leaves of all of them. What was found is kept as the raw frame of the reply, which
 * is filled in root by root. All memory is allocated before the search begins, and counted: searches_bytes.
 *
 *     struct searches *s = searches_new(game, &options, 2);
 *     searches_set_root(s, 0, state, 0, &error); ...
 *     searches_ready(s, NULL, &fault);
 *     searches_run(s, 0);
 *     while (!searches_advance(s, 2000)) {}   // something else in between
 *     searches_found(s, &frame, arrays, &fault);
 *     searches_free(s);
 *
 * One thread at a time. */
#ifndef WIRE_SEARCHES_H
#define WIRE_SEARCHES_H

#include "agents/search.h"
#include "proto/buffers.h"
#include "proto/codec.h"

/* Leaves of one root in one round: their priors fit into one request's frame whatever is legal. */
enum { SEARCHES_LEAVES = 64, SEARCHES_ROUND = 4096 };

struct searches_options {
    struct search_options each; /* of one root */
    uint64_t seed;              /* root `env` draws from lr_environment_seed(seed, env) */
    int leaves;                 /* most leaves of one root in a round, with each.leaves; else 0 */
};

struct searches;

/* A search of `count` roots, each of which is to be set. NULL if there is no memory. The game must outlive it. */
struct searches *searches_new(const lr_game *game, const struct searches_options *options, int count);
void searches_free(struct searches *s); /* NULL is allowed */

/* Root `index`: a copy of a checked state, which the client knows as `env`. Errors: OVER, ARGUMENT (a chance node). */
int searches_set_root(struct searches *s, int index, const lr_state *state, int env, lr_error *error);

/* All memory that it uses once it is ready; right as soon as all roots are set. */
size_t searches_bytes(const struct searches *s);

/* Allocates what it needs. Takes over the trees of `old` (NULL: none) if they are of the same kind, and frees the rest
 * of it, also after a failure. Errors: INTERNAL. */
int searches_ready(struct searches *s, struct searches *old, struct wire_fault *fault);

const struct searches_options *searches_options(const struct searches *s);
int searches_roots(const struct searches *s);
bool searches_done(const struct searches *s); /* all roots have come to their limits */

/* ---- What can be asked for; then searches_advance until it is done ---- */

/* To look on until the limits, or for `slice` simulations (expectimax: nodes) more, if that is not 0. With leaves: to
 * tell what is known. */
void searches_run(struct searches *s, uint64_t slice);

/* With leaves: to take over the answers to the last round (NULL and 0 at first) and pick the leaves of the next one.
 * values and priors may be unaligned; priors NULL: all alike. Errors, with nothing taken over: BAD_FRAME (not the
 * numbers that the last round asked for), BAD_FIELD (a number out of its range, naming the leaf), INTERNAL. */
int searches_round(struct searches *s, const void *values, size_t values_bytes, const void *priors, size_t priors_bytes,
                   struct wire_fault *fault);

/* Works for about `microseconds`. True when what was asked for is done. Errors are told by the replies below. */
bool searches_advance(struct searches *s, int64_t microseconds);

/* What is being done ends as soon as it can, and the session lets go of the search then. */
void searches_cancel(struct searches *s);
bool searches_cancelled(const struct searches *s);

/* Puts the options of one root, each under its name, into the open map: of a request or of a reply. */
void wire_put_search(struct wire_writer *out, const struct search_options *each);

/* ---- Replies ---- */

enum { FOUND_ARRAYS = 18, LEAF_ARRAYS = 5 };

/* Makes the frame of what was found, and describes its FOUND_ARRAYS arrays. Errors: INTERNAL. */
int searches_found(struct searches *s, zmq_msg_t *frame, struct frame_array *arrays, struct wire_fault *fault);

/* Moves the round's frame there and describes its LEAF_ARRAYS arrays; *count gets the number of leaves. Errors:
 * INTERNAL. */
int searches_leaves(struct searches *s, zmq_msg_t *frame, struct frame_array *arrays, int *count,
                    struct wire_fault *fault);

#endif
