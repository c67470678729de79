/* interrupts.c: SIGINT and SIGTERM as a number that long work looks at, so that it can stop in good order.
 *
 * One press of Ctrl-C may arrive more than once: timeout, make and shells send the signal both to the program and to its
 * group. So what comes within a moment of the last press is that same press. */
#include "cli/cli.h"
#include <signal.h>
#include <time.h>

enum { SAME_PRESS_MS = 300 };

static atomic_int presses;
static atomic_llong last_press = -SAME_PRESS_MS;
static int heeded;

static void on_signal(int number) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const long long at = now.tv_sec * 1000LL + now.tv_nsec / 1000000;
    long long last = atomic_load(&last_press);
    if (at - last < SAME_PRESS_MS || !atomic_compare_exchange_strong(&last_press, &last, at)) return;
    if (atomic_fetch_add(&presses, 1) < heeded) return;
    signal(number, SIG_DFL);
    raise(number);
}

const atomic_int *interrupts_listen(int most) {
    heeded = most;
    struct sigaction action = {.sa_flags = (int)SA_RESTART};
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    return &presses;
}
