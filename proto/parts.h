/* parts.h: what the server's own files share: the message types, what passes between router and workers, and the
 * directory of sessions. Not for users of the server. */
#ifndef WIRE_PARTS_H
#define WIRE_PARTS_H

#include "proto/games.h"
#include "proto/server.h"
#include "proto/session.h"
#include <pthread.h>
#include <stdatomic.h>

enum { MAJOR = 1, MINOR = 1, TOKEN_BYTES = 16, MOST_FRAME_BYTES = 256 * 1024, MOST_HOMELESS = 256 };

/* ---- Message types (messages.c) ---- */

enum place {
    AT_ROUTER,  /* answered at once, even while the session's request is running */
    AT_WORKER,  /* any worker: needs no session */
    AT_SESSION, /* the session's worker, without a sequence number of its own */
    IN_SEQUENCE /* the session's worker, next in sequence */
};

/* A request in the hands of a worker. */
struct job {
    struct server *server;
    struct session **slot; /* the session's place; empty before open */
    const uint8_t *token;
    const msgpack_object *fields;
    struct wire_frames *request, *reply; /* reply->frame[0] is made from `out` at the end */
    struct wire_writer *out;             /* the open map of the reply's header */
    struct wire_fault *fault;
};

struct message_type {
    const char *name, *reply;
    enum place place;
    int least_frames, most_frames;  /* raw frames after the header */
    int (*handle)(struct job *job); /* NULL: the router's */
    /* For what may take long: `handle` has asked the session's search for something, which the worker does in slices;
     * this writes the reply afterwards. */
    int (*complete)(struct job *job);
};

/* NULL if there is no such type. */
const struct message_type *message_type(const msgpack_object *name);
const struct message_type *message_type_at(int index); /* NULL from their number on */

/* The bytes of raw frame `index` (from 1) of the request, which must have just that length; NULL with BAD_FRAME. */
const void *request_frame(struct job *job, int index, size_t length, const char *what);

/* A raw frame of the reply; NULL with INTERNAL. */
void *reply_frame(struct job *job, size_t length);

/* The session's environments that a field names, one or a list: returns how many, written to `envs` (room for
 * WIRE_MAX_ELEMENTS). */
int request_envs(struct job *job, const char *key, int *envs);

/* Who moves in an environment: nobody in one that is over, truncated ones too. */
int mover_of(const struct session *session, int env);

/* search_messages.c */
int handle_search(struct job *job);
int complete_search(struct job *job);
int handle_leaves(struct job *job);
int complete_leaves(struct job *job);
int handle_cancel(struct job *job);

/* Lets go of the session's search, if it has one. */
void release_searches(struct server *server, struct session *session);

/* Writes a whole header that tells of a fault. `next`: the session's next number, 0 if it has none. */
void write_error(struct wire_writer *out, uint64_t q, const struct wire_fault *fault, uint64_t next);

/* Opens the map of a reply. */
void write_reply_start(struct wire_writer *out, const char *type, uint64_t q);

/* ---- Between router and workers ---- */

enum envelope_kind {
    ENVELOPE_REQUEST, /* to a worker: envelope, id, header, raw frames */
    ENVELOPE_REPLY,   /* back, likewise */
    ENVELOPE_EXPIRE,  /* to a worker: free that session; the same back when it is done */
    ENVELOPE_STOP     /* to a worker: end; the same back as its last word */
};

/* Small enough for ZeroMQ to carry without allocating. */
struct envelope {
    uint8_t token[TOKEN_BYTES];
    int32_t slot; /* -1: no session */
    uint8_t kind;
    bool delimiter; /* the client is a REQ socket: an empty frame goes before the header */
    bool slow;      /* its type may take long: a lease does not wait for its end */
    bool ends;      /* reply: the session is gone */
};

/* A request that cannot be answered yet, because its search, or that of one before it, is running. */
struct call {
    struct envelope envelope;
    struct wire_frames id, request;
    uint64_t q;
    const struct message_type *type;
    struct call *next; /* of the same session */
};

struct worker {
    struct server *server;
    pthread_t thread;
    bool started;
    void *near, *far; /* the pair: the router's end and the worker's */
    uint8_t *header;  /* [header_room] */
    int sessions;     /* given to it; the router's count */
    int *running;     /* [options.sessions]: the places of the sessions whose searches run */
    int runs;         /* how many */
    unsigned turn;    /* whose slice is next */
};

/* worker.c: the thread; and letting go of a session, if there is one. */
void *worker_main(void *argument);
void release_session(struct server *server, struct session **slot);

/* ---- The directory (directory.c): the router's alone ---- */

enum entry_state { ENTRY_FREE, ENTRY_LIVE, ENTRY_EXPIRED };

struct entry {
    uint8_t token[TOKEN_BYTES];
    enum entry_state state;
    int worker, in_flight, slow; /* slow: those in flight whose type may take long */
    int64_t heard;               /* ms: when a message came last */
    bool held;                   /* the worker has not yet said that the session is gone */
};

/* A place for a new session, with a new token, given to the worker with the fewest. -1 if all are taken. */
int directory_add(struct server *server, int64_t now);

/* The place of a live session. -1 with NO_SESSION or LEASE_EXPIRED. */
int directory_find(struct server *server, const uint8_t *token, struct wire_fault *fault);

/* The session is gone: its token means nothing from now on. */
void directory_remove(struct server *server, int slot);

/* Calls `expire` for each session that was silent for its lease and has nothing in flight, or what may take long. */
void directory_reap(struct server *server, int64_t now, void (*expire)(struct server *server, int slot));

/* ---- The whole ---- */

struct server {
    struct server_options options; /* with the defaults filled in */
    void *context, *socket;
    char endpoint[SERVER_MOST_ENDPOINTS][256];
    int endpoint_count;
    char folder[128]; /* private, made for the default endpoint; "" if none was */
    char public_key[41], boot[17];
    struct games *games;
    struct worker worker[SERVER_MOST_WORKERS];
    struct session **session; /* [options.sessions]: each touched by its worker only */
    struct entry *entry;      /* [options.sessions] */
    int live, next_slot,
        homeless; /* sessions; where to look for a free place; requests without a session on their way */
    int64_t started;
    uint8_t *header;             /* [header_room]: the router's replies */
    struct server_counts counts; /* the router's, but for steps */
    atomic_ullong steps, errors; /* the workers' */
    atomic_int environments;
    atomic_size_t search_bytes; /* of all searches */
    atomic_bool stopping;
};

int64_t milliseconds_now(void); /* of a clock that only goes forward */

/* Receives the remaining frames of a message into `frames`; returns how many did not fit and were dropped, -1 on a
 * failing socket. */
int receive_frames(void *socket, struct wire_frames *frames);

/* Sends and closes the frames, the last one without SNDMORE. */
void send_frames(void *socket, struct wire_frames *frames, int flags);

#endif
