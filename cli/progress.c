/* progress.c: a line on stderr about long work: done, rate, time left. On a terminal it is rewritten in place ten times
 * a second; elsewhere a new line appears every few seconds, so that logs stay short and silence means speed. */
#include "cli/cli.h"
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const double terminal_pause = 0.1, log_pause = 5;

double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void progress_start(struct progress *progress, int total, bool quiet) {
    double now = seconds_now();
    *progress = (struct progress){.total = total, .started = now, .last = now, .quiet = quiet};
    progress->terminal = isatty(STDERR_FILENO);
}

static void put_line(struct progress *progress, int done, double now) {
    double spent = now - progress->started;
    double rate = spent > 0 ? done / spent : 0;
    double left = rate > 0 ? (progress->total - done) / rate : 0;
    fprintf(stderr, "%s%d/%d games, %.0f games/s, %.0f s left%s", progress->terminal ? "\r" : "", done, progress->total,
            rate, left, progress->terminal ? "\033[K" : "\n");
    fflush(stderr);
    progress->last = now;
    progress->shown = true;
}

void progress_show(struct progress *progress, int done) {
    double now = seconds_now();
    if (progress->quiet || now - progress->last < (progress->terminal ? terminal_pause : log_pause)) return;
    put_line(progress, done, now);
}

void progress_end(struct progress *progress, int done) {
    if (progress->quiet || (!progress->terminal && !progress->shown)) return;
    put_line(progress, done, seconds_now());
    if (progress->terminal) fputc('\n', stderr);
}
