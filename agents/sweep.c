/* sweep.c: looking for a mark in /proc, again and again. See sweep.h. */
#include "agents/sweep.h"
#include "agents/seat.h"
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <time.h>
#include <unistd.h>

enum {
    ENVIRON_MOST = 256 * 1024, /* bytes of an environment in which the mark is looked for */
    STAT_MOST = 1024,
    KERNEL_THREAD = 0x00200000, /* in a process's flags */
};

struct search {
    const char *mark;
    char *buffer;               /* ENVIRON_MOST */
    unsigned long long started; /* when the program was, in the kernel's ticks: what is older is not its child */
};

/* False if it may not be read. */
static bool read_file(int process, const char *name, char *bytes, size_t most, size_t *length) {
    int fd = openat(process, name, O_RDONLY | O_CLOEXEC);
    ssize_t got;
    *length = 0;
    if (fd < 0) return false;
    while (*length < most && (got = read(fd, bytes + *length, most - *length)) > 0) *length += (size_t)got;
    close(fd);
    return true;
}

/* Whether a program runs in it: it is neither dead nor the kernel's own. *started gets its start, dead or alive. */
static bool is_running(int process, unsigned long long *started) {
    char stat[STAT_MOST];
    size_t length;
    read_file(process, "stat", stat, sizeof stat - 1, &length);
    stat[length] = 0;
    const char *fields = strrchr(stat, ')'); /* the name before it may hold anything */
    char life = 'X';
    unsigned flags = 0;
    *started = 0;
    if (fields) /* NOLINTNEXTLINE(cert-err34-c): the kernel writes these numbers, and where it does not, nothing is killed */
        sscanf(fields + 1, " %c %*s %*s %*s %*s %*s %u %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu", &life,
               &flags, started);
    return life != 'Z' && life != 'X' && !(flags & KERNEL_THREAD);
}

/* Kills the process if it is marked. True if it must be looked for again: it was killed, and may have forked; or it shows no
 * environment, as is so for a moment while a program is being executed. */
static bool kill_marked(const struct search *search, int process) {
    unsigned long long started;
    if (!is_running(process, &started) || started < search->started) return false;
    size_t length;
    if (!read_file(process, "environ", search->buffer, ENVIRON_MOST, &length)) return false; /* another user's */
    if (length == 0) return true;
    if (!memmem(search->buffer, length, search->mark, strlen(search->mark) + 1)) return false;
    /* A descriptor of /proc/ID names the process for good: a new one with a dead one's number is never hit. */
    return pidfd_send_signal(process, SIGKILL, NULL, 0) == 0;
}

/* True if another pass is needed. */
static bool pass(const struct search *search, pid_t program) {
    DIR *processes = opendir("/proc");
    bool again = false;
    for (const struct dirent *entry; processes && (entry = readdir(processes));) {
        if (!isdigit((unsigned char)entry->d_name[0]) || strtol(entry->d_name, NULL, 10) == program) continue;
        int process = openat(dirfd(processes), entry->d_name, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
        if (process < 0) continue;
        again |= kill_marked(search, process);
        close(process);
    }
    if (processes) closedir(processes);
    return again;
}

static unsigned long long start_of(pid_t program) {
    char name[32];
    snprintf(name, sizeof name, "/proc/%d", (int)program);
    int process = open(name, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
    unsigned long long started = 0;
    if (process < 0) return 0;
    is_running(process, &started);
    close(process);
    return started;
}

void sweep(const char *mark, pid_t program) {
    struct search search = {.mark = mark, .buffer = malloc(ENVIRON_MOST), .started = start_of(program)};
    int64_t deadline = clock_us() + SWEEP_US;
    while (search.buffer && pass(&search, program) && clock_us() < deadline)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    free(search.buffer);
}
