/* agents.c: the two agents that a command line names. */
#include "cli/cli.h"

int open_agents(const char *const names[2], lr_chooser *agents[2]) {
    agents[0] = agents[1] = NULL;
    for (int side = 0; side < 2; side++) {
        lr_error error;
        const int code = agent_open(names[side], &agents[side], &error);
        if (!code) continue;
        close_agents(agents);
        return fail(code == LR_E_MEMORY ? EXIT_FAULT : EXIT_USAGE, "%s", error.text);
    }
    return EXIT_DONE;
}

void close_agents(lr_chooser *const agents[2]) {
    for (int side = 0; side < 2; side++) agent_close(agents[side]);
}
