/* serve.c: `longroll serve`: games for learners in any language, over ZeroMQ, until a signal says stop. The protocol is
 * in proto/PROTOCOL.md, the server in proto/. */
#include "cli/cli.h"
#include "proto/errors.h"
#include "proto/server.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

struct serve_options {
    struct server_options server;
    const char *ready_file, *key_file, *errors;
    bool quiet;
};

enum {
    OPTION_WORKERS = 256,
    OPTION_INSECURE,
    OPTION_READY,
    OPTION_KEY,
    OPTION_LEASE,
    OPTION_SESSIONS,
    OPTION_SEARCH,
    OPTION_ERRORS
};

static error_t take_endpoint(struct server_options *server, const char *endpoint) {
    if (server->endpoint_count == SERVER_MOST_ENDPOINTS)
        return options_fault("--bind may be given at most %d times", SERVER_MOST_ENDPOINTS);
    server->endpoints[server->endpoint_count++] = endpoint;
    return 0;
}

static error_t take_errors(struct serve_options *options, const char *argument) {
    if (strcmp(argument, "python") && strcmp(argument, "markdown"))
        return options_fault("--errors takes python or markdown, not '%s'", argument);
    options->errors = argument;
    return 0;
}

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct serve_options *options = state->input;
    struct server_options *server = &options->server;
    switch (key) {
    case 'b': return take_endpoint(server, argument);
    case 't': return options_int("--threads", argument, 1, 1024, &server->threads);
    case 'q': options->quiet = true; return 0;
    case OPTION_WORKERS: return options_int("--workers", argument, 1, SERVER_MOST_WORKERS, &server->workers);
    case OPTION_SESSIONS: return options_int("--sessions", argument, 1, 65536, &server->sessions);
    case OPTION_LEASE: {
        int seconds = 0;
        const error_t fault = options_int("--lease", argument, 1, 86400, &seconds);
        server->lease_ms = seconds * 1000;
        return fault;
    }
    case OPTION_SEARCH: {
        int megabytes = 0;
        const error_t fault = options_int("--search-memory", argument, 16, 1 << 20, &megabytes);
        server->search_bytes = (size_t)megabytes << 20;
        return fault;
    }
    case OPTION_INSECURE: server->insecure = true; return 0;
    case OPTION_READY: options->ready_file = argument; return 0;
    case OPTION_KEY: options->key_file = argument; return 0;
    case OPTION_ERRORS: return take_errors(options, argument);
    case ARGP_KEY_ARG: return options_fault("serve takes no argument '%s'", argument);
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option option_table[] = {
    {"bind", 'b', "ENDPOINT", 0,
     "Where to serve: ipc:///a/path or tcp://127.0.0.1:PORT (PORT * for any that is free); may be given several times "
     "(default: an ipc socket in a private folder)",
     0},
    {"threads", 't', "T", 0, "Threads inside one batch (default: cores / workers)", 0},
    {"workers", OPTION_WORKERS, "W", 0, "Sessions served at the same time (default 1)", 0},
    {"sessions", OPTION_SESSIONS, "N", 0, "Sessions at most (default 1024)", 0},
    {"lease", OPTION_LEASE, "SECONDS", 0, "A session that is silent for so long is freed (default 600)", 0},
    {"search-memory", OPTION_SEARCH, "MIB", 0,
     "Memory of all sessions' searches, of which one may have a quarter (default 1024)", 0},
    {"curve-key", OPTION_KEY, "FILE", 0,
     "Encrypt, with the secret key in FILE (40 characters of Z85); clients need the public key, which is printed", 0},
    {"insecure", OPTION_INSECURE, 0, 0, "Allow TCP beyond this machine without a key: anyone may play", 0},
    {"ready-file", OPTION_READY, "FILE", 0, "Write the endpoints to FILE, one a line, once clients can connect", 0},
    {"quiet", 'q', 0, 0, "Print the endpoints only, one a line", 0},
    {"errors", OPTION_ERRORS, "python|markdown", 0, "Print the error codes and exit", 0},
    {0},
};

static const struct argp argp = {
    .options = option_table,
    .parser = parse,
    .doc = "Serves games to learners over ZeroMQ and msgpack (proto/PROTOCOL.md) until SIGINT or SIGTERM."
           "\vExample:\n  longroll serve --bind tcp://127.0.0.1:5555 --threads 2\n  python3 "
           "python/examples/remote_random.py tcp://127.0.0.1:5555\n\nExit codes: 0 stopped by a signal; 1 it could not "
           "be done (endpoint in use); 2 bad option or endpoint.",
};

static int print_errors(const char *kind) {
    char text[8192];
    const bool python = strcmp(kind, "python") == 0;
    const size_t length = python ? wire_errors_python(text, sizeof text) : wire_errors_markdown(text, sizeof text);
    if (length >= sizeof text) return fail(EXIT_FAULT, "the table of errors does not fit");
    fputs(text, stdout);
    return EXIT_DONE;
}

/* Spinning OpenMP threads take the cores from ZeroMQ's. libgomp reads its environment when it is loaded, so the program
 * starts itself once more. */
static void wait_passively(int threads, char **argv) {
    static char program[] = "longroll", command[] = "serve";
    if (threads == 1 || getenv("OMP_WAIT_POLICY")) return;
    int count = 0;
    while (argv[count]) count++;
    char **again = calloc((size_t)count + 2, sizeof *again);
    if (!again) return;
    again[0] = program;
    again[1] = command;
    for (int i = 1; i < count; i++) again[i + 1] = argv[i];
    setenv("OMP_WAIT_POLICY", "passive", 1);
    execv("/proc/self/exe", again); /* if that fails, the server is merely slower */
    free(again);
}

/* Every client takes a descriptor. At the limit ZeroMQ would spin instead of serving. */
static void raise_descriptors(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit)) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

/* SIGINT, SIGTERM and SIGHUP become readable; blocked here before any thread starts, so in all threads. */
static int open_signals(void) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    signal(SIGPIPE, SIG_IGN);
    if (pthread_sigmask(SIG_BLOCK, &signals, NULL)) return -1;
    return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int read_key(const char *path, char key[41]) {
    FILE *file = fopen(path, "r");
    if (!file) return fail(EXIT_USAGE, "cannot read the key in %s: %s", path, strerror(errno));
    const size_t length = fread(key, 1, 40, file);
    fclose(file);
    key[length] = '\0';
    if (length == 40) return EXIT_DONE;
    return fail(EXIT_USAGE,
                "%s holds no key of 40 characters; python3 -c 'import zmq; print(zmq.curve_keypair()[1]"
                ".decode())' makes one",
                path);
}

static int write_ready(const struct server *server, const char *path) {
    char text[SERVER_MOST_ENDPOINTS * 260];
    size_t length = 0;
    for (int i = 0; server_endpoint(server, i); i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s\n", server_endpoint(server, i));
    lr_error error;
    return path && lr_file_write(path, text, length, &error) ? fail_library(&error) : EXIT_DONE;
}

static int announce(const struct server *server, const struct serve_options *options) {
    const char *label = options->quiet ? "" : "serving on ";
    for (int i = 0; server_endpoint(server, i); i++) printf("%s%s\n", label, server_endpoint(server, i));
    if (!options->quiet && options->key_file) printf("public key %s\n", server_public_key(server));
    if (!options->quiet)
        printf("%d worker%s of %d thread%s; try: python3 python/examples/remote_random.py %s\n", server_workers(server),
               server_workers(server) > 1 ? "s" : "", server_threads(server), server_threads(server) > 1 ? "s" : "",
               server_endpoint(server, 0));
    fflush(stdout);
    return write_ready(server, options->ready_file);
}

static int serve(const struct serve_options *options, int stop_fd) {
    struct server *server;
    lr_error error;
    const int opened = server_open(&options->server, &server, &error);
    if (opened) return fail(opened == LR_E_ARGUMENT ? EXIT_USAGE : EXIT_FAULT, "%s", error.text);
    int code = announce(server, options);
    if (!code && server_run(server, stop_fd, &error)) code = fail_library(&error);
    const struct server_counts counts = server_counts(server);
    server_close(server);
    if (options->ready_file) unlink(options->ready_file);
    if (!code && !options->quiet)
        printf("stopped after %llu requests and %llu steps of environments\n", (unsigned long long)counts.requests,
               (unsigned long long)counts.steps);
    return code;
}

int serve_run(int argc, char **argv) {
    struct serve_options options = {.quiet = false};
    char key[41];
    if (!options_parse("longroll serve", &argp, argc, argv, &options)) return EXIT_USAGE;
    if (options.errors) return print_errors(options.errors);
    if (options.key_file && read_key(options.key_file, key)) return EXIT_USAGE;
    if (options.key_file) options.server.curve_key = key;
    wait_passively(options.server.threads, argv);
    raise_descriptors();
    const int stop_fd = open_signals();
    if (stop_fd < 0) return fail(EXIT_FAULT, "cannot wait for signals: %s", strerror(errno));
    const int code = serve(&options, stop_fd);
    close(stop_fd);
    return code;
}
