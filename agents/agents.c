/* agents.c: the list of agents, and looking one up by name. */
#include "agents/agent.h"
#include "env/game.h"
#include <stdio.h>
#include <string.h>

static const struct agent *const agents[] = {&agent_random, &agent_greedy};
enum { AGENTS = sizeof agents / sizeof agents[0] };

const struct agent *agent_at(int index) { return index >= 0 && index < AGENTS ? agents[index] : NULL; }

const lr_chooser *agent_find(const char *name, lr_error *error) {
    for (int i = 0; i < AGENTS; i++)
        if (strcmp(agents[i]->chooser.name, name) == 0) return &agents[i]->chooser;

    char known[256] = "";
    size_t length = 0;
    for (int i = 0; i < AGENTS && length < sizeof known; i++)
        length +=
            (size_t)snprintf(known + length, sizeof known - length, "%s%s", i ? ", " : "", agents[i]->chooser.name);
    lr_fail(error, LR_E_NOT_FOUND, "there is no agent '%.64s'; there are: %s", name, known);
    return NULL;
}
