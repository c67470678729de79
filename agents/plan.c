/* plan.c: see plan.h. A plan's text goes through the strict YAML reader into texts, and these are read here. */
#include "agents/plan.h"
#include "agents/schedule.h"
#include "env/yamlfile.h"
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MS = 86400000, MOST_WORKERS = 1024 };
static const int64_t most_games = 100000000;

static const cyaml_strval_t formats[] = {
    {"round-robin", PLAN_ROUND_ROBIN}, {"gauntlet", PLAN_GAUNTLET}, {"sprt", PLAN_SPRT}};
enum { FORMATS = sizeof formats / sizeof formats[0] };

const char *plan_format_name(int format) {
    for (int i = 0; i < FORMATS; i++)
        if (formats[i].val == format) return formats[i].str;
    return "?";
}

/* ---- The file ---- */

/* Numbers come as texts: libcyaml would take "12abc" for 12, 1.5 for 1 and -1 for the greatest of unsigned numbers. */
struct file_clock {
    char *move_ms, *game_ms, *increment_ms, *margin_ms, *start_ms, *nodes;
};

struct file_sprt {
    char *elo0, *elo1, *alpha, *beta, *cap;
};

struct file_plan {
    char *name;
    int format;
    struct plan_bot *bots;
    char **scenarios;
    unsigned bot_count, scenario_count;
    char *challengers, *rounds, *workers, *seed, *adjudication;
    struct file_clock clock;
    struct file_sprt *sprt;
};

#define TEXT(key, flags, structure, member, most)                                                                      \
    CYAML_FIELD_STRING_PTR(key, CYAML_FLAG_POINTER | (flags), structure, member, 1, most)
#define NUMBER(key, flags, structure, member) TEXT(key, flags, structure, member, 40)

static const cyaml_schema_field_t bot_fields[] = {TEXT("name", CYAML_FLAG_OPTIONAL, struct plan_bot, name, PLAN_NAME),
                                                  TEXT("spec", CYAML_FLAG_DEFAULT, struct plan_bot, spec, PLAN_SPEC),
                                                  CYAML_FIELD_END};
static const cyaml_schema_value_t a_bot = {CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct plan_bot, bot_fields)};
static const cyaml_schema_value_t a_scenario = {CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 1, PLAN_SPEC)};

static const cyaml_schema_field_t clock_fields[] = {
    NUMBER("move_ms", CYAML_FLAG_OPTIONAL, struct file_clock, move_ms),
    NUMBER("game_ms", CYAML_FLAG_OPTIONAL, struct file_clock, game_ms),
    NUMBER("increment_ms", CYAML_FLAG_OPTIONAL, struct file_clock, increment_ms),
    NUMBER("margin_ms", CYAML_FLAG_OPTIONAL, struct file_clock, margin_ms),
    NUMBER("start_ms", CYAML_FLAG_OPTIONAL, struct file_clock, start_ms),
    NUMBER("nodes", CYAML_FLAG_OPTIONAL, struct file_clock, nodes),
    CYAML_FIELD_END};

static const cyaml_schema_field_t sprt_fields[] = {NUMBER("elo0", CYAML_FLAG_DEFAULT, struct file_sprt, elo0),
                                                   NUMBER("elo1", CYAML_FLAG_DEFAULT, struct file_sprt, elo1),
                                                   NUMBER("alpha", CYAML_FLAG_OPTIONAL, struct file_sprt, alpha),
                                                   NUMBER("beta", CYAML_FLAG_OPTIONAL, struct file_sprt, beta),
                                                   NUMBER("cap", CYAML_FLAG_DEFAULT, struct file_sprt, cap),
                                                   CYAML_FIELD_END};

static const cyaml_schema_field_t plan_fields[] = {
    TEXT("name", CYAML_FLAG_OPTIONAL, struct file_plan, name, PLAN_NAME),
    CYAML_FIELD_ENUM("format", CYAML_FLAG_STRICT, struct file_plan, format, formats, FORMATS),
    CYAML_FIELD_SEQUENCE_COUNT("bots", CYAML_FLAG_POINTER, struct file_plan, bots, bot_count, &a_bot, 2, PLAN_BOTS),
    CYAML_FIELD_SEQUENCE_COUNT("scenarios", CYAML_FLAG_POINTER, struct file_plan, scenarios, scenario_count,
                               &a_scenario, 1, PLAN_SCENARIOS),
    NUMBER("challengers", CYAML_FLAG_OPTIONAL, struct file_plan, challengers),
    NUMBER("rounds", CYAML_FLAG_OPTIONAL, struct file_plan, rounds),
    NUMBER("workers", CYAML_FLAG_OPTIONAL, struct file_plan, workers),
    NUMBER("seed", CYAML_FLAG_OPTIONAL, struct file_plan, seed),
    CYAML_FIELD_MAPPING("clock", CYAML_FLAG_OPTIONAL, struct file_plan, clock, clock_fields),
    CYAML_FIELD_MAPPING_PTR("sprt", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct file_plan, sprt, sprt_fields),
    TEXT("adjudication", CYAML_FLAG_OPTIONAL, struct file_plan, adjudication, PLAN_NAME),
    CYAML_FIELD_END};
static const cyaml_schema_value_t plan_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct file_plan, plan_fields)};

/* What is not there (NULL) leaves *value as it is. */
static int take_unsigned(const char *field, const char *text, uint64_t most, uint64_t *value, lr_error *error) {
    if (!text) return LR_OK;
    char *end;
    const bool hex = !strncmp(text, "0x", 2);
    errno = 0;
    const uint64_t number = strtoull(text, &end, hex ? 16 : 10);
    if (text[0] < '0' || text[0] > '9' || *end || errno || number > most)
        return lr_fail(error, LR_E_ARGUMENT, "%s: a whole number from 0 to %llu, not '%.40s'", field,
                       (unsigned long long)most, text);
    *value = number;
    return LR_OK;
}

static int take_int(const char *field, const char *text, int *value, lr_error *error) {
    uint64_t number = (uint64_t)*value;
    const int code = take_unsigned(field, text, INT_MAX, &number, error);
    *value = (int)number;
    return code;
}

static int take_ms(const char *field, const char *text, int64_t *us, lr_error *error) {
    uint64_t ms = 0;
    const int code = take_unsigned(field, text, MOST_MS, &ms, error);
    *us = INT64_C(1000) * (int64_t)ms;
    return code;
}

static int take_real(const char *field, const char *text, double *value, lr_error *error) {
    if (!text) return LR_OK;
    char *end;
    *value = strtod(text, &end);
    if (end != text && !*end && isfinite(*value)) return LR_OK;
    return lr_fail(error, LR_E_ARGUMENT, "%s: a number, not '%.40s'", field, text);
}

static int take_clock(struct clock_rules *clock, const struct file_clock *from, lr_error *error) {
    int code = take_ms("clock.move_ms", from->move_ms, &clock->move_us, error);
    if (!code) code = take_ms("clock.game_ms", from->game_ms, &clock->game_us, error);
    if (!code) code = take_ms("clock.increment_ms", from->increment_ms, &clock->increment_us, error);
    if (!code) code = take_ms("clock.margin_ms", from->margin_ms, &clock->margin_us, error);
    if (!code) code = take_ms("clock.start_ms", from->start_ms, &clock->start_us, error);
    return code ? code : take_unsigned("clock.nodes", from->nodes, UINT64_MAX, &clock->nodes, error);
}

static int take_sprt(struct sprt *sprt, const struct file_sprt *from, lr_error *error) {
    if (!from) return LR_OK;
    uint64_t cap = 0;
    int code = take_real("sprt.elo0", from->elo0, &sprt->elo0, error);
    if (!code) code = take_real("sprt.elo1", from->elo1, &sprt->elo1, error);
    if (!code) code = take_real("sprt.alpha", from->alpha, &sprt->alpha, error);
    if (!code) code = take_real("sprt.beta", from->beta, &sprt->beta, error);
    if (!code) code = take_unsigned("sprt.cap", from->cap, (uint64_t)most_games / 2, &cap, error);
    sprt->cap = (int64_t)cap;
    return code;
}

static int take_bots(struct plan *plan, const struct file_plan *file, lr_error *error) {
    int code = LR_OK;
    for (unsigned i = 0; i < file->bot_count && !code; i++)
        code = plan_add_bot(plan, file->bots[i].name, file->bots[i].spec, error);
    for (unsigned i = 0; i < file->scenario_count && !code; i++)
        code = plan_add_scenario(plan, file->scenarios[i], error);
    return code;
}

static int take(struct plan *plan, const struct file_plan *file, lr_error *error) {
    if (file->adjudication && strcmp(file->adjudication, "none"))
        return lr_fail(error, LR_E_ARGUMENT,
                       "adjudication: every game is played to its end, so this is 'none', not '%.40s'",
                       file->adjudication);
    if (file->name && !(plan->name = strdup(file->name))) return lr_fail(error, LR_E_MEMORY, "no memory for a plan");
    plan->format = file->format;
    int code = take_int("challengers", file->challengers, &plan->challengers, error);
    if (!code) code = take_int("rounds", file->rounds, &plan->rounds, error);
    if (!code) code = take_int("workers", file->workers, &plan->workers, error);
    if (!code) code = take_unsigned("seed", file->seed, UINT64_MAX, &plan->seed, error);
    if (!code) code = take_clock(&plan->clock, &file->clock, error);
    if (!code) code = take_sprt(&plan->sprt, file->sprt, error);
    if (!code) code = take_bots(plan, file, error);
    return code ? code : plan_check(plan, error);
}

int plan_read(const char *file, const char *text, size_t length, struct plan **plan, lr_error *error) {
    void *data;
    int code = lr_yaml_read(file, LR_E_ARGUMENT, text, length, NULL, &plan_schema, &data, error);
    if (code) return code;
    struct plan *made = plan_new();
    lr_error wrong;
    code = made ? take(made, data, &wrong) : lr_fail(&wrong, LR_E_MEMORY, "no memory for a plan");
    lr_yaml_free(&plan_schema, data);
    if (!code) {
        *plan = made;
        return LR_OK;
    }
    plan_close(made);
    return lr_yaml_wrong(error, code, file, "%s", wrong.text);
}

/* ---- Putting one together ---- */

struct plan *plan_new(void) {
    struct plan *plan = calloc(1, sizeof *plan);
    if (!plan) return NULL;
    plan->seed = 1;
    plan->sprt.alpha = plan->sprt.beta = 0.05;
    return plan;
}

void plan_close(struct plan *plan) {
    if (!plan) return;
    for (unsigned i = 0; i < plan->bot_count; i++) {
        free(plan->bots[i].name);
        free(plan->bots[i].spec);
    }
    for (unsigned i = 0; i < plan->scenario_count; i++) free(plan->scenarios[i]);
    free(plan->bots);
    free(plan->scenarios);
    free(plan->name);
    free(plan);
}

int plan_add_bot(struct plan *plan, const char *name, const char *spec, lr_error *error) {
    if (plan->bot_count == PLAN_BOTS) return lr_fail(error, LR_E_ARGUMENT, "bots: no more than %d", PLAN_BOTS);
    struct plan_bot *bots = realloc(plan->bots, (plan->bot_count + 1) * sizeof *bots);
    if (!bots) return lr_fail(error, LR_E_MEMORY, "no memory for a plan");
    plan->bots = bots;
    struct plan_bot *bot = &bots[plan->bot_count++];
    bot->spec = strdup(spec);
    bot->name = name ? strdup(name) : strndup(spec, PLAN_NAME);
    return bot->spec && bot->name ? LR_OK : lr_fail(error, LR_E_MEMORY, "no memory for a plan");
}

int plan_add_scenario(struct plan *plan, const char *name, lr_error *error) {
    if (plan->scenario_count == PLAN_SCENARIOS)
        return lr_fail(error, LR_E_ARGUMENT, "scenarios: no more than %d", PLAN_SCENARIOS);
    char **scenarios = realloc(plan->scenarios, (plan->scenario_count + 1) * sizeof *scenarios);
    if (!scenarios) return lr_fail(error, LR_E_MEMORY, "no memory for a plan");
    plan->scenarios = scenarios;
    char *copy = strdup(name);
    if (!copy) return lr_fail(error, LR_E_MEMORY, "no memory for a plan");
    scenarios[plan->scenario_count++] = copy;
    return LR_OK;
}

/* ---- Proving ---- */

static bool printable(const char *text) {
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 127) return false;
    return true;
}

static int check_text(const char *field, unsigned index, const char *text, size_t most, lr_error *error) {
    if (!*text || strlen(text) > most || !printable(text))
        return lr_fail(error, LR_E_ARGUMENT, "%s[%u]: a text of 1 to %zu bytes without control characters", field,
                       index, most);
    return LR_OK;
}

static int check_bots(const struct plan *plan, lr_error *error) {
    if (plan->bot_count < 2) return lr_fail(error, LR_E_ARGUMENT, "bots: a tournament takes at least two");
    for (unsigned i = 0; i < plan->bot_count; i++) {
        int code = check_text("bots", i, plan->bots[i].name, PLAN_NAME, error);
        if (!code) code = check_text("bots", i, plan->bots[i].spec, PLAN_SPEC, error);
        if (code) return code;
        for (unsigned j = 0; j < i; j++)
            if (!strcmp(plan->bots[i].name, plan->bots[j].name))
                return lr_fail(error, LR_E_ARGUMENT,
                               "bots[%u]: another bot is named '%s' already; give this one a name", i,
                               plan->bots[i].name);
    }
    return LR_OK;
}

static int check_scenarios(const struct plan *plan, lr_error *error) {
    if (!plan->scenario_count) return lr_fail(error, LR_E_ARGUMENT, "scenarios: at least one");
    for (unsigned i = 0; i < plan->scenario_count; i++) {
        const int code = check_text("scenarios", i, plan->scenarios[i], PLAN_SPEC, error);
        if (code) return code;
        for (unsigned j = 0; j < i; j++)
            if (!strcmp(plan->scenarios[i], plan->scenarios[j]))
                return lr_fail(error, LR_E_ARGUMENT, "scenarios[%u]: '%.100s' stands here twice", i,
                               plan->scenarios[i]);
    }
    return LR_OK;
}

static int check_format(struct plan *plan, lr_error *error) {
    const struct sprt *sprt = &plan->sprt;
    if (plan->format != PLAN_SPRT) {
        if (sprt->cap || sprt->elo0 != 0 || sprt->elo1 != 0)
            return lr_fail(error, LR_E_ARGUMENT, "sprt: goes with format sprt alone, and this is %s",
                           plan_format_name(plan->format));
        if (plan->rounds < 1 || plan->rounds > PLAN_ROUNDS)
            return lr_fail(error, LR_E_ARGUMENT, "rounds: from 1 to %d pairs for each pairing and scenario",
                           PLAN_ROUNDS);
        plan->sprt = (struct sprt){0};
        return LR_OK;
    }
    const char *fault;
    if (plan->bot_count != 2) return lr_fail(error, LR_E_ARGUMENT, "bots: an sprt takes two, not %u", plan->bot_count);
    if (plan->rounds)
        return lr_fail(error, LR_E_ARGUMENT, "rounds: an sprt has none, it plays until it decides or its cap");
    if (sprt->cap < 1) return lr_fail(error, LR_E_ARGUMENT, "sprt.cap: the pairs after which to give up, at least 1");
    if (!sprt_check(sprt, &fault)) return lr_fail(error, LR_E_ARGUMENT, "sprt: %s", fault);
    return LR_OK;
}

static int check_challengers(struct plan *plan, lr_error *error) {
    if (plan->format != PLAN_GAUNTLET) {
        if (!plan->challengers) return LR_OK;
        return lr_fail(error, LR_E_ARGUMENT, "challengers: goes with format gauntlet alone, and this is %s",
                       plan_format_name(plan->format));
    }
    if (!plan->challengers) plan->challengers = 1;
    if (plan->challengers < 1 || plan->challengers >= (int)plan->bot_count)
        return lr_fail(error, LR_E_ARGUMENT, "challengers: from 1 to %u, for the other bots are those they meet",
                       plan->bot_count - 1);
    return LR_OK;
}

static int check_clock(const struct clock_rules *clock, lr_error *error) {
    const int64_t times[] = {clock->move_us, clock->game_us, clock->increment_us, clock->margin_us, clock->start_us};
    static const char *const names[] = {"move_ms", "game_ms", "increment_ms", "margin_ms", "start_ms"};
    for (int i = 0; i < 5; i++)
        if (times[i] < 0 || times[i] > INT64_C(1000) * MOST_MS)
            return lr_fail(error, LR_E_ARGUMENT, "clock.%s: milliseconds from 0 to %d", names[i], MOST_MS);
    return LR_OK;
}

int plan_check(struct plan *plan, lr_error *error) {
    int code = LR_OK;
    if (plan->name) code = check_text("name", 0, plan->name, PLAN_NAME, error);
    if (!code) code = check_bots(plan, error);
    if (!code) code = check_scenarios(plan, error);
    if (!code) code = check_format(plan, error);
    if (!code) code = check_challengers(plan, error);
    if (!code) code = check_clock(&plan->clock, error);
    if (code) return code;
    if (plan->workers < 0 || plan->workers > MOST_WORKERS)
        return lr_fail(error, LR_E_ARGUMENT, "workers: from 1 to %d, or 0 for one a core", MOST_WORKERS);
    if (schedule_games(plan) > most_games)
        return lr_fail(error, LR_E_ARGUMENT, "%s: that makes %lld games, more than the %lld that a tournament may have",
                       plan->format == PLAN_SPRT ? "sprt.cap" : "rounds", (long long)schedule_games(plan),
                       (long long)most_games);
    return LR_OK;
}

/* ---- Its text ---- */

static void write_quoted(struct lr_writer *writer, const char *text) {
    lr_write(writer, "\"");
    for (; *text; text++) lr_write(writer, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    lr_write(writer, "\"");
}

/* The shortest decimal that is read back as the same number. */
static void write_number(struct lr_writer *writer, double number) {
    char text[40];
    int digits = 1;
    do snprintf(text, sizeof text, "%.*g", digits, number);
    while (strtod(text, NULL) != number && digits++ < 17);
    lr_write(writer, "%s", text);
}

static void write_lists(struct lr_writer *writer, const struct plan *plan) {
    lr_write(writer, "bots:\n");
    for (unsigned i = 0; i < plan->bot_count; i++) {
        lr_write(writer, "  - name: ");
        write_quoted(writer, plan->bots[i].name);
        lr_write(writer, "\n    spec: ");
        write_quoted(writer, plan->bots[i].spec);
        lr_write(writer, "\n");
    }
    lr_write(writer, "scenarios:\n");
    for (unsigned i = 0; i < plan->scenario_count; i++) {
        lr_write(writer, "  - ");
        write_quoted(writer, plan->scenarios[i]);
        lr_write(writer, "\n");
    }
}

static void write_clock(struct lr_writer *writer, const struct clock_rules *clock) {
    const struct clock_rules none = {0};
    if (!memcmp(clock, &none, sizeof none)) return;
    lr_write(writer, "clock: {move_ms: %lld, game_ms: %lld, increment_ms: %lld, ", (long long)clock->move_us / 1000,
             (long long)clock->game_us / 1000, (long long)clock->increment_us / 1000);
    lr_write(writer, "margin_ms: %lld, start_ms: %lld, nodes: %llu}\n", (long long)clock->margin_us / 1000,
             (long long)clock->start_us / 1000, (unsigned long long)clock->nodes);
}

static void write_sprt(struct lr_writer *writer, const struct sprt *sprt) {
    lr_write(writer, "sprt: {elo0: ");
    write_number(writer, sprt->elo0);
    lr_write(writer, ", elo1: ");
    write_number(writer, sprt->elo1);
    lr_write(writer, ", alpha: ");
    write_number(writer, sprt->alpha);
    lr_write(writer, ", beta: ");
    write_number(writer, sprt->beta);
    lr_write(writer, ", cap: %lld}\n", (long long)sprt->cap);
}

static void write_plan(struct lr_writer *writer, const struct plan *plan) {
    if (plan->name) {
        lr_write(writer, "name: ");
        write_quoted(writer, plan->name);
        lr_write(writer, "\n");
    }
    lr_write(writer, "format: %s\n", plan_format_name(plan->format));
    write_lists(writer, plan);
    if (plan->challengers) lr_write(writer, "challengers: %d\n", plan->challengers);
    if (plan->rounds) lr_write(writer, "rounds: %d\n", plan->rounds);
    lr_write(writer, "seed: %llu\n", (unsigned long long)plan->seed);
    write_clock(writer, &plan->clock);
    if (plan->format == PLAN_SPRT) write_sprt(writer, &plan->sprt);
}

char *plan_text(const struct plan *plan) {
    struct lr_writer writer = {0};
    write_plan(&writer, plan);
    const size_t size = writer.length + 1;
    writer = (struct lr_writer){.text = malloc(size), .size = size};
    if (writer.text) write_plan(&writer, plan);
    return writer.text;
}
