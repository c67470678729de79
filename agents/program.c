/* program.c: starting, hearing and ending programs. See program.h.
 *
 * Sockets instead of pipes are the program's stdin and stdout, so that writing to a program that is gone can be told not
 * to raise SIGPIPE. Ending is in three steps: the program's session is killed; then every process that carries the
 * program's mark, wherever it has moved (sweep.h); then the program itself is reaped. Until then its id cannot
 * be anyone else's. */
#include "agents/program.h"
#include "agents/seat.h"
#include "agents/sweep.h"
#include "env/game.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    WORDS_MOST = 64,            /* of a command */
    STOP_CHECK_US = 100 * 1000, /* how often a wait looks at its stop */
    EXIT_WAIT_US = 100 * 1000,  /* between a program's closing its output and its end */
    ERROR_LINE = 200,           /* bytes of a line of stderr that are kept */
    KEEPER_STACK = 256 * 1024,  /* bytes */
};

struct program {
    pid_t pid;   /* 0: not ours */
    int process; /* pidfd: readable when the program has ended; -1: none */
    int in, out; /* our ends of its stdin and stdout: the same for a connection */
    int err;     /* its stderr; -1: none, or ended */

    char *unsent;
    size_t unsent_from, unsent_to, unsent_size;
    char heard[HEARD_MOST];
    size_t heard_length;

    FILE *log;
    size_t log_left;
    char who[64];
    char error_line[ERROR_LINE], last_words[ERROR_LINE];
    size_t error_length;

    /* What the keeper starts, and says back. */
    pthread_t keeper;
    sem_t started, released;
    char **words, **environment;
    int ends[3];     /* the program's stdin, stdout, stderr */
    int start_error; /* errno; 0: it runs */
    char mark[80];
};

void program_clean(char *text) {
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || (unsigned char)*text > '~') *text = '?';
}

static void close_end(int *fd) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

/* ---- Commands ---- */

/* Splits a command in place of a copy: words[] point into `text`, which shrinks as quotes go. Returns the number of words,
 * negative on a fault. */
static int split(char *text, char *words[WORDS_MOST + 1], lr_error *error) {
    int count = 0;
    char *to = text;
    for (const char *from = text;;) {
        from += strspn(from, " \t");
        if (!*from) break;
        if (count == WORDS_MOST)
            return lr_fail(error, LR_E_ARGUMENT, "has more than %d words in its command", WORDS_MOST);
        words[count++] = to;
        char quote = 0;
        for (; *from && (quote || !strchr(" \t", *from)); from++) {
            if (quote ? *from == quote : *from == '\'' || *from == '"')
                quote = quote ? 0 : *from;
            else if (*from == '\\' && quote != '\'' && from[1])
                *to++ = *++from;
            else
                *to++ = *from;
        }
        if (quote) return lr_fail(error, LR_E_ARGUMENT, "has a %c in its command that is not closed", quote);
        if (*from) from++; /* the blank: *to may take its place */
        *to++ = 0;
    }
    words[count] = NULL;
    if (count == 0) return lr_fail(error, LR_E_ARGUMENT, "names no command to run");
    return count;
}

int program_command_check(const char *command, lr_error *error) {
    char *words[WORDS_MOST + 1];
    char *text = strdup(command);
    if (!text) return lr_fail(error, LR_E_MEMORY, "has no memory for its command");
    int count = split(text, words, error);
    free(text);
    return count < 0 ? count : LR_OK;
}

/* ---- The keeper ---- */

/* In the child, which shares our memory until it executes: only system calls, no return. */
static _Noreturn void become_program(const struct program *program, pid_t parent, int report) {
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
    struct sigaction usual = {.sa_handler = SIG_DFL};
    for (int number = 1; number < NSIG; number++) sigaction(number, &usual, NULL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (int i = 0; i < 3; i++) dup2(program->ends[i], i);
    close_range(3, ~0U, CLOSE_RANGE_CLOEXEC); /* what others opened without care */
    execvpe(program->words[0], program->words, program->environment);
    int reason = errno;
    if (write(report, &reason, sizeof reason) < 0) _exit(126);
    _exit(127);
}

/* 0, or errno; then nothing runs. */
static int run_program(struct program *program) {
    int report[2], reason = 0;
    if (pipe2(report, O_CLOEXEC)) return errno;
    const pid_t parent = getpid();
    /* posix_spawn would not let the child ask for its parent's death signal, and fork copies the tables of a large parent. */
    pid_t pid = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork) */
    /* NOLINTNEXTLINE(clang-analyzer-unix.Vfork): nothing of the parent's changes */
    if (pid == 0) become_program(program, parent, report[1]);
    reason = pid < 0 ? errno : 0;
    close(report[1]);
    if (pid > 0 && read(report[0], &reason, sizeof reason) > 0) waitpid(pid, NULL, 0);
    close(report[0]);
    if (!reason) program->pid = pid;
    return reason;
}

static void *keep(void *argument) {
    struct program *program = argument;
    program->start_error = run_program(program);
    sem_post(&program->started);
    while (sem_wait(&program->released)) continue;
    return NULL;
}

/* The keeper takes no signals: they are for threads of the host. */
static int start_keeper(struct program *program) {
    sigset_t all, before;
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes)) return ENOMEM;
    pthread_attr_setstacksize(&attributes, KEEPER_STACK);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int reason = pthread_create(&program->keeper, &attributes, keep, program);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return reason;
}

static void release_keeper(struct program *program) {
    sem_post(&program->released);
    pthread_join(program->keeper, NULL);
}

/* ---- Starting ---- */

static struct program *new_program(void) {
    struct program *program = calloc(1, sizeof *program);
    if (!program) return NULL;
    program->process = program->in = program->out = program->err = -1;
    for (int i = 0; i < 3; i++) program->ends[i] = -1;
    return program;
}

static void free_program(struct program *program) {
    if (program->in == program->out) program->in = -1;
    close_end(&program->in);
    close_end(&program->out);
    close_end(&program->err);
    close_end(&program->process);
    for (int i = 0; i < 3; i++) close_end(&program->ends[i]);
    free(program->unsent);
    free(program);
}

/* A pair of sockets: ours, and the program's above 2, where dup2 will not meet it. */
static int make_ends(int *ours, int *theirs) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) return errno;
    *ours = pair[0];
    *theirs = fcntl(pair[1], F_DUPFD_CLOEXEC, 3);
    int reason = *theirs < 0 ? errno : 0;
    close(pair[1]);
    return reason;
}

/* The environment of the program: ours, and its mark. */
static char **marked_environment(struct program *program) {
    size_t count = 0;
    while (environ && environ[count]) count++;
    char **made = malloc((count + 2) * sizeof *made);
    if (!made) return NULL;
    snprintf(program->mark, sizeof program->mark, "LONGROLL_PLAYER=%ld-%llx-%llx", (long)getpid(),
             (unsigned long long)clock_us(), (unsigned long long)(uintptr_t)program);
    size_t kept = 0;
    made[kept++] = program->mark;
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], "LONGROLL_PLAYER=", 16) != 0) made[kept++] = environ[i];
    made[kept] = NULL;
    return made;
}

/* 0 or errno. */
static int launch(struct program *program) {
    int reason = make_ends(&program->in, &program->ends[0]);
    if (!reason) reason = make_ends(&program->out, &program->ends[1]);
    if (!reason) reason = make_ends(&program->err, &program->ends[2]);
    if (reason) return reason;
    if (sem_init(&program->started, 0, 0) || sem_init(&program->released, 0, 0)) return errno;
    reason = start_keeper(program);
    if (reason) return reason;
    while (sem_wait(&program->started)) continue;
    for (int i = 0; i < 3; i++) close_end(&program->ends[i]);
    if (program->start_error)
        release_keeper(program);
    else
        program->process = pidfd_open(program->pid, 0);
    return program->start_error;
}

static int start_words(char *words[], struct program **program, lr_error *error) {
    struct program *made = new_program();
    if (!made) return lr_fail(error, LR_E_MEMORY, "has no memory to be started");
    made->words = words;
    made->environment = marked_environment(made);
    int reason = made->environment ? launch(made) : ENOMEM;
    free(made->environment);
    made->environment = made->words = NULL;
    if (!reason) return *program = made, LR_OK;
    free_program(made);
    return lr_fail(error, reason == ENOENT ? LR_E_NOT_FOUND : LR_E_IO, "cannot be started: %.80s: %s", words[0],
                   strerror(reason));
}

int program_start(const char *command, struct program **program, lr_error *error) {
    char *words[WORDS_MOST + 1];
    char *text = strdup(command);
    if (!text) return lr_fail(error, LR_E_MEMORY, "has no memory for its command");
    int code = split(text, words, error);
    if (code > 0) code = start_words(words, program, error);
    free(text);
    return code;
}

/* ---- Connecting ---- */

enum { HOST_MOST = 256, PORT_MOST = 6 };

static int split_address(const char *address, char host[HOST_MOST], char port[PORT_MOST], lr_error *error) {
    const char *colon = strrchr(address, ':');
    size_t length = colon ? (size_t)(colon - address) : 0;
    if (length == 0 || length >= HOST_MOST)
        return lr_fail(error, LR_E_ARGUMENT, "needs a HOST:PORT, not '%.60s'", address);
    unsigned long number = strtoul(colon + 1, NULL, 10);
    if (!isdigit((unsigned char)colon[1]) || colon[1 + strspn(colon + 1, "0123456789")] || number < 1 || number > 65535)
        return lr_fail(error, LR_E_ARGUMENT, "needs a port from 1 to 65535, not '%.20s'", colon + 1);
    bool bracketed = address[0] == '[' && address[length - 1] == ']';
    snprintf(host, HOST_MOST, "%.*s", (int)length - 2 * bracketed, address + bracketed);
    snprintf(port, PORT_MOST, "%lu", number);
    return LR_OK;
}

int program_address_check(const char *address, lr_error *error) {
    char host[HOST_MOST], port[PORT_MOST];
    return split_address(address, host, port, error);
}

static bool stopped(const struct patience *patience) {
    return patience->stop && atomic_load_explicit(patience->stop, memory_order_relaxed);
}

/* Waits for any of the descriptors, for one step: until the deadline or the next look at `stop`. */
static void wait_a_step(struct pollfd *polled, nfds_t count, const struct patience *patience) {
    int64_t left = patience->deadline == INT64_MAX ? INT64_MAX : patience->deadline - clock_us();
    if (patience->stop && left > STOP_CHECK_US) left = STOP_CHECK_US;
    if (left < 0) left = 0;
    struct timespec step = {.tv_sec = left / 1000000, .tv_nsec = left % 1000000 * 1000};
    if (ppoll(polled, count, left == INT64_MAX ? NULL : &step, NULL) < 0)
        for (nfds_t i = 0; i < count; i++) polled[i].revents = 0;
}

/* The socket, or -errno. */
static int connect_to(const struct addrinfo *to, const struct patience *patience) {
    int fd = socket(to->ai_family, to->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, to->ai_protocol);
    if (fd < 0) return -errno;
    int reason = connect(fd, to->ai_addr, to->ai_addrlen) ? errno : 0;
    while (reason == EINPROGRESS) {
        struct pollfd polled = {.fd = fd, .events = POLLOUT};
        wait_a_step(&polled, 1, patience);
        socklen_t size = sizeof reason;
        if (polled.revents && getsockopt(fd, SOL_SOCKET, SO_ERROR, &reason, &size)) reason = errno;
        if (!polled.revents && (clock_us() >= patience->deadline || stopped(patience))) reason = ETIMEDOUT;
    }
    if (!reason) {
        const int on = 1;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        return fd;
    }
    close(fd);
    return -reason;
}

int program_connect(const char *address, const struct patience *patience, struct program **program, lr_error *error) {
    char host[HOST_MOST], port[PORT_MOST];
    int code = split_address(address, host, port, error);
    if (code) return code;
    struct addrinfo *found, wanted = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    int answer = getaddrinfo(host, port, &wanted, &found);
    if (answer) return lr_fail(error, LR_E_NOT_FOUND, "cannot be reached: %.80s: %s", host, gai_strerror(answer));
    int fd = -ENOENT;
    for (const struct addrinfo *one = found; one && fd < 0; one = one->ai_next) fd = connect_to(one, patience);
    freeaddrinfo(found);
    if (fd < 0) return lr_fail(error, LR_E_IO, "cannot be reached: %s", strerror(-fd));
    struct program *made = new_program();
    if (!made) {
        close(fd);
        return lr_fail(error, LR_E_MEMORY, "has no memory to be connected");
    }
    made->in = made->out = fd;
    *program = made;
    return LR_OK;
}

/* ---- Its stderr ---- */

void program_log(struct program *program, FILE *log, const char *who) {
    program->log = log;
    program->log_left = LOG_MOST;
    snprintf(program->who, sizeof program->who, "%s", who);
}

static void end_error_line(struct program *program) {
    program->error_line[program->error_length] = 0;
    program->error_length = 0;
    program_clean(program->error_line);
    size_t length = strlen(program->error_line);
    if (length == 0) return;
    memcpy(program->last_words, program->error_line, length + 1);
    if (!program->log || program->log_left == 0) return;
    fprintf(program->log, "%s: %s\n", program->who, program->error_line);
    program->log_left -= length < program->log_left ? length : program->log_left;
    if (program->log_left == 0)
        fprintf(program->log, "%s: (it says too much: the rest of this game is left out)\n", program->who);
}

/* One read; what does not fit a line is dropped. False at the end or if nothing is there. */
static bool hear_error(struct program *program) {
    char bytes[16384];
    ssize_t got = recv(program->err, bytes, sizeof bytes, MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) close_end(&program->err);
    for (ssize_t i = 0; i < got; i++) {
        if (bytes[i] == '\n')
            end_error_line(program);
        else if (program->error_length + 1 < ERROR_LINE)
            program->error_line[program->error_length++] = bytes[i];
    }
    return got > 0;
}

/* ---- Lines ---- */

bool program_say(struct program *program, const char *bytes, size_t length) {
    if (program->unsent_from == program->unsent_to) program->unsent_from = program->unsent_to = 0;
    if (length > program->unsent_size - program->unsent_to) {
        size_t size = (program->unsent_to + length) * 2;
        char *grown = realloc(program->unsent, size);
        if (!grown) return false;
        program->unsent = grown;
        program->unsent_size = size;
    }
    memcpy(program->unsent + program->unsent_to, bytes, length);
    program->unsent_to += length;
    return true;
}

/* Whether the process has ended, which leaves it to be reaped; waits until then or the deadline. */
static bool has_ended(const struct program *program, int64_t deadline, siginfo_t *how) {
    for (;;) {
        how->si_pid = 0;
        if (waitid(P_PID, (id_t)program->pid, how, WEXITED | WNOWAIT | WNOHANG) == 0 && how->si_pid) return true;
        if (clock_us() >= deadline) return false;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

/* The sentence for a program that is gone, or does not talk any more: `seen` if it still runs. */
static int gone(struct program *program, const char *seen, lr_error *error) {
    char how[80];
    siginfo_t info = {0};
    snprintf(how, sizeof how, "%s", seen);
    if (program->pid && has_ended(program, clock_us() + EXIT_WAIT_US, &info)) {
        if (info.si_code == CLD_EXITED)
            snprintf(how, sizeof how, "ended with exit status %d", info.si_status);
        else
            snprintf(how, sizeof how, "was killed by signal %d (%.40s)", info.si_status, strsignal(info.si_status));
    }
    for (int reads = 0; reads < 16 && program->err >= 0 && hear_error(program);) reads++;
    if (program->error_length) end_error_line(program);
    if (*program->last_words)
        lr_fail(error, LR_E_IO, "%s; it last said: %.120s", how, program->last_words);
    else
        lr_fail(error, LR_E_IO, "%s", how);
    return GAME_CRASH;
}

static int send_queue(struct program *program, lr_error *error) {
    while (program->unsent_from < program->unsent_to) {
        ssize_t sent = send(program->in, program->unsent + program->unsent_from,
                            program->unsent_to - program->unsent_from, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0 && errno == EAGAIN) return GAME_PLAYED;
        if (sent < 0) return gone(program, program->pid ? "closed its input" : "closed the connection", error);
        program->unsent_from += (size_t)sent;
    }
    return GAME_PLAYED;
}

/* Takes a line out of what was heard. True if there is one, or a fault in *end. */
static bool take_line(struct program *program, char line[HEARD_MOST], int *end, lr_error *error) {
    *end = GAME_PLAYED;
    size_t blank = 0;
    while (blank < program->heard_length && strchr("\r\n", program->heard[blank]) && program->heard[blank]) blank++;
    const char *start = program->heard + blank;
    const char *stop = memchr(start, '\n', program->heard_length - blank);
    if (!stop) {
        if (program->heard_length < HEARD_MOST) return false;
        lr_fail(error, LR_E_IO, "said more than %d bytes without ending a line", HEARD_MOST);
        *end = GAME_GARBAGE;
        return true;
    }
    size_t length = (size_t)(stop - start);
    memcpy(line, start, length);
    line[length] = 0;
    if (memchr(line, 0, length)) {
        lr_fail(error, LR_E_IO, "said a line with a NUL byte in it");
        *end = GAME_GARBAGE;
        return true;
    }
    while (length && strchr(" \t\r", line[length - 1])) line[--length] = 0;
    size_t used = (size_t)(stop + 1 - program->heard);
    program->heard_length -= used;
    memmove(program->heard, program->heard + used, program->heard_length);
    return true;
}

/* Reads once. *quiet: nothing was there. */
static int hear_once(struct program *program, bool *quiet, lr_error *error) {
    ssize_t got =
        recv(program->out, program->heard + program->heard_length, HEARD_MOST - program->heard_length, MSG_DONTWAIT);
    *quiet = got < 0 && (errno == EAGAIN || errno == EINTR);
    if (*quiet) return GAME_PLAYED;
    if (got <= 0) return gone(program, program->pid ? "closed its output" : "closed the connection", error);
    program->heard_length += (size_t)got;
    return GAME_PLAYED;
}

int program_hear(struct program *program, const struct patience *patience, char line[HEARD_MOST], lr_error *error) {
    for (;;) {
        int end;
        if (take_line(program, line, &end, error)) return end;
        end = send_queue(program, error);
        if (end != GAME_PLAYED) return end;

        bool queued = program->unsent_from < program->unsent_to;
        struct pollfd polled[4] = {{.fd = program->out, .events = POLLIN},
                                   {.fd = program->in, .events = queued ? POLLOUT : 0},
                                   {.fd = program->err, .events = POLLIN},
                                   {.fd = program->process, .events = POLLIN}};
        wait_a_step(polled, 4, patience);
        if (polled[2].revents) hear_error(program);
        bool quiet = true;
        end = hear_once(program, &quiet, error);
        if (end != GAME_PLAYED) return end;
        /* A child of the program may hold its output open; one that cannot hear will not answer. */
        if (quiet && polled[3].revents) return gone(program, "ended", error);
        if (quiet && polled[1].revents & (POLLHUP | POLLERR)) return gone(program, "closed its input", error);
        if (stopped(patience)) return lr_fail(error, LR_E_IO, "was stopped"), GAME_STOPPED;
        if (clock_us() < patience->deadline) continue;
        if (take_line(program, line, &end, error)) return end;
        return lr_fail(error, LR_E_IO, "ran out of time"), GAME_TIMEOUT;
    }
}

/* ---- Ending ---- */

static void leave_in_peace(struct program *program) {
    const struct patience patience = {.deadline = clock_us() + GRACE_US};
    lr_error error;
    siginfo_t how;
    if (send_queue(program, &error) != GAME_PLAYED) return;
    shutdown(program->in, SHUT_WR);
    while (program->pid && !has_ended(program, 0, &how) && clock_us() < patience.deadline) {
        struct pollfd polled[2] = {{.fd = program->err, .events = POLLIN}, {.fd = program->process, .events = POLLIN}};
        struct patience step = {.deadline = clock_us() + 10000};
        wait_a_step(polled, 2, &step);
        if (polled[0].revents) hear_error(program);
    }
}

void program_end(struct program *program, bool politely) {
    if (!program) return;
    if (politely) leave_in_peace(program);
    if (program->pid) {
        kill(-program->pid, SIGKILL);
        kill(program->pid, SIGKILL);
        sweep(program->mark, program->pid);
        while (waitpid(program->pid, NULL, 0) < 0 && errno == EINTR) continue;
        release_keeper(program);
        sem_destroy(&program->started);
        sem_destroy(&program->released);
    }
    free_program(program);
}
