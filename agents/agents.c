/* agents.c: the list of agents, and making one from a spec: "NAME" or "NAME:OPTION=VALUE,...". */
#include "agents/agent.h"
#include "env/game.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct agent *const agents[] = {&agent_random, &agent_greedy, &agent_expectimax, &agent_mcts};
enum { AGENTS = sizeof agents / sizeof agents[0], MOST_SPEC = 200 };

const struct agent *agent_at(int index) { return index >= 0 && index < AGENTS ? agents[index] : NULL; }

/* ---- Sentences ---- */

static int no_such_agent(const char *name, lr_error *error) {
    char known[256] = "";
    struct lr_writer list = {known, sizeof known, 0};
    for (int i = 0; i < AGENTS; i++) lr_write(&list, "%s%s", i ? ", " : "", agents[i]->chooser.name);
    return lr_fail(error, LR_E_NOT_FOUND, "there is no agent '%.64s'; there are: %s", name, known);
}

static int no_such_option(const struct agent *agent, const char *option, lr_error *error) {
    const char *name = agent->chooser.name;
    if (!agent->options)
        return lr_fail(error, LR_E_ARGUMENT, "the agent %s has no options, so not '%.64s'", name, option);
    char known[256] = "";
    struct lr_writer list = {known, sizeof known, 0};
    for (const struct agent_option *o = agent->options; o->name; o++)
        lr_write(&list, "%s%s", o > agent->options ? ", " : "", o->name);
    return lr_fail(error, LR_E_ARGUMENT, "the agent %s has no option '%.64s'; it has: %s", name, option, known);
}

static int bad_value(const struct agent *agent, const struct agent_option *option, const char *takes, const char *value,
                     lr_error *error) {
    return lr_fail(error, LR_E_ARGUMENT, "the option %s of the agent %s takes %s, not '%.64s'", option->name,
                   agent->chooser.name, takes, value);
}

/* ---- Values ---- */

static bool read_whole(const char *text, int64_t low, int64_t high, int64_t *value) {
    const char *digits = text + (*text == '-');
    char *end;
    errno = 0;
    *value = strtoll(text, &end, 10);
    return *digits >= '0' && *digits <= '9' && !*end && !errno && *value >= low && *value <= high;
}

static bool read_decimal(const char *text, double high, double *value) {
    char *end;
    *value = strtod(text, &end);
    return ((*text >= '0' && *text <= '9') || *text == '.') && !*end && *value >= 0 && *value <= high;
}

static int take_whole(const struct agent *agent, const struct agent_option *option, const char *text, char *field,
                      lr_error *error) {
    int64_t value;
    const int64_t low = option->kind == OPTION_INT ? INT32_MIN : 0;
    const int64_t high = option->kind == OPTION_INT ? INT32_MAX : option->kind == OPTION_U32 ? UINT32_MAX : INT64_MAX;
    if (!read_whole(text, low, high, &value)) return bad_value(agent, option, "a whole number", text, error);
    if (option->kind == OPTION_INT) memcpy(field, &(int){(int)value}, sizeof(int));
    if (option->kind == OPTION_U32) memcpy(field, &(uint32_t){(uint32_t)value}, sizeof(uint32_t));
    if (option->kind == OPTION_U64) memcpy(field, &(uint64_t){(uint64_t)value}, sizeof(uint64_t));
    return LR_OK;
}

static int take_decimal(const struct agent *agent, const struct agent_option *option, const char *text, char *field,
                        lr_error *error) {
    double value;
    if (option->kind == OPTION_SECONDS) {
        if (!read_decimal(text, 86400, &value)) return bad_value(agent, option, "seconds, 86400 at most", text, error);
        memcpy(field, &(uint64_t){(uint64_t)floor(value * 1e6 + 0.5)}, sizeof(uint64_t));
        return LR_OK;
    }
    if (!read_decimal(text, 1000, &value)) return bad_value(agent, option, "a number from 0 to 1000", text, error);
    memcpy(field, &(int){(int)floor(value * 1000 + 0.5)}, sizeof(int));
    return LR_OK;
}

static int take_word(const struct agent *agent, const struct agent_option *option, const char *text, char *field,
                     lr_error *error) {
    char known[256] = "";
    struct lr_writer list = {known, sizeof known, 0};
    for (int i = 0; option->words[i]; i++) {
        if (strcmp(option->words[i], text) == 0) {
            memcpy(field, &i, sizeof i);
            return LR_OK;
        }
        lr_write(&list, "%s%s", i ? " or " : "", option->words[i]);
    }
    return bad_value(agent, option, known, text, error);
}

static int take_value(const struct agent *agent, const struct agent_option *option, const char *text, void *config,
                      lr_error *error) {
    char *field = (char *)config + option->at;
    switch (option->kind) {
    case OPTION_WORD: return take_word(agent, option, text, field, error);
    case OPTION_SECONDS:
    case OPTION_THOUSANDTHS: return take_decimal(agent, option, text, field, error);
    default: return take_whole(agent, option, text, field, error);
    }
}

/* ---- Specs ---- */

/* "OPTION=VALUE"; the text is cut at the '='. */
static int take_setting(const struct agent *agent, char *setting, void *config, lr_error *error) {
    char *value = strchr(setting, '=');
    if (value) *value++ = '\0';
    for (const struct agent_option *o = agent->options; o && o->name; o++) {
        if (strcmp(o->name, setting)) continue;
        if (!value)
            return lr_fail(error, LR_E_ARGUMENT, "the option %s of the agent %s needs a value: write %s=VALUE", o->name,
                           agent->chooser.name, o->name);
        return take_value(agent, o, value, config, error);
    }
    return no_such_option(agent, setting, error);
}

static int configure(const struct agent *agent, const char *settings, void *config, lr_error *error) {
    char text[MOST_SPEC + 1], *rest = text, *setting;
    strcpy(text, settings); /* part of a spec, whose length was looked at */
    if (agent->options) agent->prepare(config);
    while ((setting = strsep(&rest, ","))) {
        if (!*setting && setting == text && !rest) break; /* no options at all */
        int code = take_setting(agent, setting, config, error);
        if (code) return code;
    }
    return agent->options ? agent->complete(config, error) : LR_OK;
}

/* A chooser and what it points to. */
struct opened {
    lr_chooser chooser;
    char name[MOST_SPEC + 1];
    _Alignas(max_align_t) char config[];
};

static int open_agent(const struct agent *agent, const char *spec, const char *settings, lr_chooser **chooser,
                      lr_error *error) {
    struct opened *opened = calloc(1, sizeof *opened + agent->config_bytes);
    if (!opened) return lr_fail(error, LR_E_MEMORY, "no memory for the agent %s", spec);
    const int code = configure(agent, settings, opened->config, error);
    if (code) {
        free(opened);
        return code;
    }
    strcpy(opened->name, spec);
    opened->chooser = agent->chooser;
    opened->chooser.name = opened->name;
    if (agent->options) {
        opened->chooser.config = opened->config;
        opened->chooser.scratch_bytes = agent->scratch_bytes(opened->config);
    }
    *chooser = &opened->chooser;
    return LR_OK;
}

int agent_open(const char *spec, lr_chooser **chooser, lr_error *error) {
    const size_t length = strcspn(spec, ":");
    const char *settings = spec[length] ? spec + length + 1 : spec + length;
    if (strlen(spec) > MOST_SPEC)
        return lr_fail(error, LR_E_ARGUMENT, "an agent is named with %d characters at most, not %zu: %.32s...",
                       MOST_SPEC, strlen(spec), spec);
    for (int i = 0; i < AGENTS; i++) {
        const char *name = agents[i]->chooser.name;
        if (strlen(name) == length && strncmp(name, spec, length) == 0)
            return open_agent(agents[i], spec, settings, chooser, error);
    }
    return no_such_agent(spec, error);
}

void agent_close(lr_chooser *chooser) { free(chooser); }
