/* sweep.h: killing everything that a program has started, wherever it has moved.
 *
 * A child can leave its parent's process group and session, and outlive its parent; what it keeps, unless it takes pains, is
 * the environment. So each program is started with a mark of its own there, and all processes that carry it are killed. */
#ifndef SWEEP_H
#define SWEEP_H

#include <sys/types.h>

/* Kills all processes that carry `mark` ("NAME=VALUE") in their environment, `program` and what was started before it left
 * aside, until none is left or SWEEP_US is over: one that forks as fast as it is killed wins. `program` is a child of ours,
 * dead or alive, that has not been waited for. */
void sweep(const char *mark, pid_t program);
enum { SWEEP_US = 500 * 1000 };

#endif
