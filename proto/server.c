/* server.c: opening and closing a server: options, endpoints, sockets, workers. The loop is in router.c. */
#include "env/game.h"
#include "proto/parts.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

_Static_assert(sizeof(struct envelope) <= 32, "carried inside a message");

int64_t milliseconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- Options ---- */

static void fill_default(int *option, int value) {
    if (*option <= 0) *option = value;
}

static int fill_defaults(struct server_options *options, lr_error *error) {
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    const int cores = online > 0 ? (int)online : 1;
    fill_default(&options->workers, 1);
    if (options->workers > SERVER_MOST_WORKERS)
        return lr_fail(error, LR_E_ARGUMENT, "a server has 1 to %d workers, not %d", SERVER_MOST_WORKERS,
                       options->workers);
    if (options->threads <= 0) options->threads = cores / options->workers > 1 ? cores / options->workers : 1;
    if (options->workers * options->threads > cores)
        return lr_fail(error, LR_E_ARGUMENT,
                       "%d workers of %d threads are more than the %d cores of this machine: ask for fewer",
                       options->workers, options->threads, cores);
    fill_default(&options->sessions, 1024);
    fill_default(&options->session_environments, 16384);
    fill_default(&options->environments, 262144);
    fill_default(&options->lease_ms, 600000);
    fill_default(&options->in_flight, 8);
    fill_default(&options->header_room, 128 * 1024);
    if (!options->search_bytes) options->search_bytes = (size_t)1 << 30;
    if (!options->session_search_bytes) options->session_search_bytes = options->search_bytes / 4;
    return LR_OK;
}

/* ---- Endpoints ---- */

static bool begins(const char *text, const char *start) { return strncmp(text, start, strlen(start)) == 0; }

static bool is_loopback(const char *endpoint) {
    const char *address = endpoint + strlen("tcp://");
    return begins(address, "127.") || begins(address, "localhost:") || begins(address, "[::1]:");
}

/* What may be listened on at all, before anything is bound. */
static int check_endpoint(const struct server_options *options, const char *endpoint, lr_error *error) {
    if (begins(endpoint, "ipc://") && endpoint[6]) return LR_OK;
    if (!begins(endpoint, "tcp://"))
        return lr_fail(error, LR_E_ARGUMENT,
                       "\"%s\" is no endpoint to serve on: use ipc:///a/path or tcp://127.0.0.1:PORT", endpoint);
    if (is_loopback(endpoint) || options->insecure || options->curve_key) return LR_OK;
    return lr_fail(error, LR_E_ARGUMENT,
                   "%s can be reached from other machines, and anyone who reaches it can play and fill the memory: "
                   "serve on 127.0.0.1, or give a --curve-key FILE, or say --insecure",
                   endpoint);
}

/* ZeroMQ replaces the socket file of another server without a word: so look first whether one answers. */
static bool ipc_in_use(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) return false; /* zmq_bind will refuse it */
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (probe < 0) return false;
    const bool answers = connect(probe, (const struct sockaddr *)&address, sizeof address) == 0;
    close(probe);
    return answers;
}

static int bind_one(struct server *server, const char *endpoint, lr_error *error) {
    const char *path = begins(endpoint, "ipc://") ? endpoint + strlen("ipc://") : NULL;
    if (path && ipc_in_use(path))
        errno = EADDRINUSE;
    else if (zmq_bind(server->socket, endpoint) == 0) {
        char *bound = server->endpoint[server->endpoint_count];
        size_t size = sizeof server->endpoint[0];
        zmq_getsockopt(server->socket, ZMQ_LAST_ENDPOINT, bound, &size);
        server->endpoint_count++;
        if (path) chmod(path, 0600);
        return LR_OK;
    }
    if (errno == EADDRINUSE)
        return lr_fail(error, LR_E_IO, "%s is in use by another program: stop it, or serve on another endpoint",
                       endpoint);
    return lr_fail(error, LR_E_IO, "cannot serve on %s: %s", endpoint, zmq_strerror(errno));
}

/* A socket in a folder that only this user can enter. */
static int bind_default(struct server *server, lr_error *error) {
    const char *base = getenv("XDG_RUNTIME_DIR");
    if (!base || base[0] != '/' || strlen(base) > 60 || access(base, W_OK)) base = "/tmp";
    snprintf(server->folder, sizeof server->folder, "%s/longroll-XXXXXX", base);
    if (!mkdtemp(server->folder)) { /* makes it with mode 0700 */
        server->folder[0] = '\0';
        return lr_fail(error, LR_E_IO, "cannot make a folder for the socket in %s: %s", base, strerror(errno));
    }
    char endpoint[160];
    snprintf(endpoint, sizeof endpoint, "ipc://%s/socket", server->folder);
    return bind_one(server, endpoint, error);
}

static int bind_all(struct server *server, lr_error *error) {
    if (server->options.endpoint_count == 0) return bind_default(server, error);
    for (int i = 0; i < server->options.endpoint_count; i++) {
        const int code = bind_one(server, server->options.endpoints[i], error);
        if (code) return code;
    }
    return LR_OK;
}

/* ---- Sockets ---- */

static bool set(void *socket, int option, int value) {
    return zmq_setsockopt(socket, option, &value, sizeof value) == 0;
}

/* Why each of them: a peer may be slow, gone, silent or hostile, and none of that may cost the others. */
static bool set_options(void *socket) {
    const int64_t most_bytes = MOST_FRAME_BYTES;
    return zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &most_bytes, sizeof most_bytes) == 0 && /* per frame, inbound */
           set(socket, ZMQ_RCVHWM, 64) && set(socket, ZMQ_SNDHWM, 64) &&                  /* whole messages, per peer */
           set(socket, ZMQ_ROUTER_MANDATORY, 1) && /* a reply to a full or vanished peer is an error, not lost */
           set(socket, ZMQ_HEARTBEAT_IVL, 5000) && set(socket, ZMQ_HEARTBEAT_TIMEOUT, 15000) &&
           set(socket, ZMQ_HEARTBEAT_TTL, 15000) && set(socket, ZMQ_TCP_KEEPALIVE, 1) &&
           set(socket, ZMQ_TCP_KEEPALIVE_IDLE, 60) && set(socket, ZMQ_TCP_KEEPALIVE_INTVL, 10) &&
           set(socket, ZMQ_TCP_KEEPALIVE_CNT, 3) && set(socket, ZMQ_HANDSHAKE_IVL, 5000) &&
           set(socket, ZMQ_BACKLOG, 1024) && /* a burst of learners starting together */
           set(socket, ZMQ_LINGER, 250);     /* the last replies, then no waiting for peers that do not read */
}

static int set_keys(struct server *server, lr_error *error) {
    const char *key = server->options.curve_key;
    if (!key) return LR_OK;
    if (!zmq_has("curve")) return lr_fail(error, LR_E_ARGUMENT, "this libzmq was built without CURVE");
    if (strlen(key) != 40 || zmq_curve_public(server->public_key, key))
        return lr_fail(error, LR_E_ARGUMENT, "the secret key must be 40 characters of Z85, as zmq_curve_keypair makes");
    if (set(server->socket, ZMQ_CURVE_SERVER, 1) &&
        zmq_setsockopt(server->socket, ZMQ_CURVE_SECRETKEY, key, strlen(key) + 1) == 0)
        return LR_OK;
    return lr_fail(error, LR_E_IO, "the secret key was refused: %s", zmq_strerror(errno));
}

static int open_socket(struct server *server, lr_error *error) {
    for (int i = 0; i < server->options.endpoint_count; i++) {
        const int code = check_endpoint(&server->options, server->options.endpoints[i], error);
        if (code) return code;
    }
    server->context = zmq_ctx_new();
    server->socket = server->context ? zmq_socket(server->context, ZMQ_ROUTER) : NULL;
    if (!server->socket || !set_options(server->socket))
        return lr_fail(error, LR_E_IO, "cannot make the server's socket: %s", zmq_strerror(errno));
    const int code = set_keys(server, error);
    return code ? code : bind_all(server, error);
}

/* ---- Workers ---- */

static void *inproc(struct server *server, int index, bool far) {
    void *socket = zmq_socket(server->context, ZMQ_PAIR);
    char name[32];
    snprintf(name, sizeof name, "inproc://worker-%d", index);
    /* What may wait between them is bounded by the requests in flight, so sends never block or drop. */
    const bool fine = socket && set(socket, ZMQ_LINGER, 0) && set(socket, ZMQ_SNDHWM, 0) &&
                      set(socket, ZMQ_RCVHWM, 0) && (far ? zmq_connect(socket, name) : zmq_bind(socket, name)) == 0;
    if (fine) return socket;
    if (socket) zmq_close(socket);
    return NULL;
}

static int start_worker(struct server *server, int index, lr_error *error) {
    struct worker *worker = &server->worker[index];
    worker->server = server;
    worker->header = malloc((size_t)server->options.header_room);
    worker->running = calloc((size_t)server->options.sessions, sizeof *worker->running);
    worker->near = inproc(server, index, false);
    worker->far = inproc(server, index, true);
    if (!worker->header || !worker->running || !worker->near || !worker->far)
        return lr_fail(error, LR_E_MEMORY, "no memory for worker %d", index);
    if (pthread_create(&worker->thread, NULL, worker_main, worker))
        return lr_fail(error, LR_E_MEMORY, "the system has no thread left for worker %d", index);
    worker->started = true;
    return LR_OK;
}

static void stop_worker(struct worker *worker) {
    if (worker->started) {
        const struct envelope stop = {.kind = ENVELOPE_STOP, .slot = -1};
        while (zmq_send(worker->near, &stop, sizeof stop, 0) < 0 && errno == EINTR) {}
        pthread_join(worker->thread, NULL);
    }
    if (worker->near) zmq_close(worker->near);
    if (worker->far) zmq_close(worker->far);
    free(worker->header);
    free(worker->running);
}

/* ---- The whole ---- */

static int open_parts(struct server *server, lr_error *error) {
    const size_t sessions = (size_t)server->options.sessions;
    server->games = games_open();
    server->session = calloc(sessions, sizeof *server->session); /* NOLINT(bugprone-sizeof-expression): of pointers */
    server->entry = calloc(sessions, sizeof *server->entry);
    server->header = malloc((size_t)server->options.header_room);
    if (!server->games || !server->session || !server->entry || !server->header)
        return lr_fail(error, LR_E_MEMORY, "no memory for a server");
    uint64_t boot;
    if (getrandom(&boot, sizeof boot, 0) != sizeof boot)
        return lr_fail(error, LR_E_IO, "the system gives no random numbers: %s", strerror(errno));
    snprintf(server->boot, sizeof server->boot, "%016llx", (unsigned long long)boot);
    server->started = milliseconds_now();
    int code = open_socket(server, error);
    for (int i = 0; i < server->options.workers && !code; i++) code = start_worker(server, i, error);
    return code;
}

int server_open(const struct server_options *options, struct server **server, lr_error *error) {
    struct server *made = calloc(1, sizeof *made);
    if (!made) return lr_fail(error, LR_E_MEMORY, "no memory for a server");
    made->options = *options;
    int code = fill_defaults(&made->options, error);
    if (!code) code = open_parts(made, error);
    if (code)
        server_close(made);
    else
        *server = made;
    return code;
}

static void remove_sockets(const struct server *server) {
    for (int i = 0; i < server->endpoint_count; i++)
        if (begins(server->endpoint[i], "ipc://")) unlink(server->endpoint[i] + strlen("ipc://"));
    if (server->folder[0]) rmdir(server->folder);
}

void server_close(struct server *server) {
    if (!server) return;
    for (int i = 0; i < server->options.workers && i < SERVER_MOST_WORKERS; i++) stop_worker(&server->worker[i]);
    for (int i = 0; server->session && i < server->options.sessions; i++) session_close(server->session[i]);
    if (server->socket) zmq_close(server->socket);
    while (server->context && zmq_ctx_term(server->context) < 0 && errno == EINTR) {}
    remove_sockets(server);
    games_close(server->games);
    free(server->session);
    free(server->entry);
    free(server->header);
    free(server);
}

const char *server_endpoint(const struct server *server, int index) {
    return index >= 0 && index < server->endpoint_count ? server->endpoint[index] : NULL;
}

int server_workers(const struct server *server) { return server->options.workers; }
int server_threads(const struct server *server) { return server->options.threads; }
const char *server_public_key(const struct server *server) { return server->public_key; }

struct server_counts server_counts(const struct server *server) {
    struct server_counts counts = server->counts;
    counts.errors += atomic_load(&server->errors);
    counts.steps = atomic_load(&server->steps);
    return counts;
}
