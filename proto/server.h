/* server.h: games for learners, over ZeroMQ. The contract with clients is PROTOCOL.md.
 *
 * Threads: the caller's, in server_run, is the router: it alone owns the socket to the clients, reads headers, keeps
 * the directory of sessions and their leases, and never runs game code. Each worker owns the sessions that were given
 * to it, for their whole life, so that a session's requests are served in order and without locks. Between them run
 * inproc pairs. Inside one batch a worker uses `threads` OpenMP threads. A process that asks for more than one should
 * have OMP_WAIT_POLICY=passive in its environment: spinning threads take the cores from ZeroMQ. */
#ifndef WIRE_SERVER_H
#define WIRE_SERVER_H

#include "env/longroll.h"
#include <stdbool.h>

enum { SERVER_MOST_ENDPOINTS = 8, SERVER_MOST_WORKERS = 64 };

struct server_options {
    const char *endpoints[SERVER_MOST_ENDPOINTS]; /* ipc://..., tcp://ADDRESS:PORT (port * or 0: any); none: an ipc
                                                     socket in a private folder, removed at the end */
    int endpoint_count;
    int workers, threads; /* 0: 1 worker, and as many threads as cores / workers */
    bool insecure;        /* TCP wider than loopback without keys */
    const char
        *curve_key; /* the server's secret key, 40 characters of Z85: clients must know the public one; or NULL */
    int sessions;   /* most at a time; 0: 1024 */
    int session_environments;    /* most in one session; 0: 16384 */
    int environments;            /* most in all sessions; 0: 262144 */
    int lease_ms;                /* a session that is silent for so long is freed; 0: 600000 */
    int in_flight;               /* requests of one session that may wait; 0: 8 */
    size_t search_bytes;         /* memory of all sessions' searches; 0: 1 GiB */
    size_t session_search_bytes; /* of one session's; 0: a quarter of that */
    int header_room;             /* bytes that a reply's header may have; 0: 131072 */
};

struct server;

/* Binds, and starts the workers. The workers take over the calling thread's signal mask. Errors: ARGUMENT (an endpoint
 * or option that is refused), IO (an endpoint that cannot be bound), MEMORY. */
int server_open(const struct server_options *options, struct server **server, lr_error *error);

/* The endpoints as bound, for clients to connect to; NULL from `index` = their number on. */
const char *server_endpoint(const struct server *server, int index);

int server_workers(const struct server *server);
int server_threads(const struct server *server);

/* The public key that belongs to curve_key; "" without. */
const char *server_public_key(const struct server *server);

/* Serves until `stop_fd` becomes readable; then answers what waits with SHUTTING_DOWN and returns. Returns an error if
 * the socket fails. */
int server_run(struct server *server, int stop_fd, lr_error *error);

/* Ends the workers, frees all sessions, removes what server_open made in the file system. NULL is allowed. */
void server_close(struct server *server);

/* What has happened so far; for tests, after server_run. */
struct server_counts {
    uint64_t requests, errors, dropped, sessions_opened, leases_expired, steps;
};
struct server_counts server_counts(const struct server *server);

#endif
