/* ladder.c: the ladder's file, and newcomers. */
#include "agents/ladder.h"
#include "env/yamlfile.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILE = 4 << 20, MOST_PAIRINGS = PLAN_BOTS * PLAN_BOTS / 2 * PLAN_SCENARIOS };

/* ---- The file ---- */

struct file_scenario {
    char *name, *ruleset, *hash;
    int version;
};

struct file_pairing {
    int scenario, first, second;
    int64_t tally[9];
};

struct file_ladder {
    char *anchor;
    struct plan_bot *bots;
    struct file_scenario *scenarios;
    struct file_pairing *pairings;
    unsigned bot_count, scenario_count, pairing_count;
};

#define TEXT(key, structure, member, most) CYAML_FIELD_STRING_PTR(key, CYAML_FLAG_POINTER, structure, member, 1, most)
#define NUMBER(key, structure, member) CYAML_FIELD_INT(key, CYAML_FLAG_DEFAULT, structure, member)

static const cyaml_schema_field_t bot_fields[] = {TEXT("name", struct plan_bot, name, PLAN_NAME),
                                                  TEXT("spec", struct plan_bot, spec, PLAN_SPEC), CYAML_FIELD_END};
static const cyaml_schema_value_t a_bot = {CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct plan_bot, bot_fields)};

static const cyaml_schema_field_t scenario_fields[] = {
    TEXT("name", struct file_scenario, name, PLAN_SPEC), TEXT("ruleset", struct file_scenario, ruleset, PLAN_NAME),
    TEXT("hash", struct file_scenario, hash, PLAN_NAME), NUMBER("version", struct file_scenario, version),
    CYAML_FIELD_END};
static const cyaml_schema_value_t a_scenario = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct file_scenario, scenario_fields)};

static const cyaml_schema_value_t a_count = {CYAML_VALUE_INT(CYAML_FLAG_DEFAULT, int64_t)};
static const cyaml_schema_field_t pairing_fields[] = {
    NUMBER("scenario", struct file_pairing, scenario), NUMBER("first", struct file_pairing, first),
    NUMBER("second", struct file_pairing, second),
    CYAML_FIELD_SEQUENCE_FIXED("tally", CYAML_FLAG_DEFAULT, struct file_pairing, tally, &a_count, 9), CYAML_FIELD_END};
static const cyaml_schema_value_t a_pairing = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct file_pairing, pairing_fields)};

static const cyaml_schema_field_t ladder_fields[] = {
    TEXT("anchor", struct file_ladder, anchor, PLAN_NAME),
    CYAML_FIELD_SEQUENCE_COUNT("bots", CYAML_FLAG_POINTER, struct file_ladder, bots, bot_count, &a_bot, 2,
                               PLAN_BOTS - 1),
    CYAML_FIELD_SEQUENCE_COUNT("scenarios", CYAML_FLAG_POINTER, struct file_ladder, scenarios, scenario_count,
                               &a_scenario, 1, PLAN_SCENARIOS),
    CYAML_FIELD_SEQUENCE_COUNT("pairings", CYAML_FLAG_POINTER, struct file_ladder, pairings, pairing_count, &a_pairing,
                               1, MOST_PAIRINGS),
    CYAML_FIELD_IGNORE("ratings", CYAML_FLAG_OPTIONAL), /* computed anew from the pairings */
    CYAML_FIELD_END};
static const cyaml_schema_value_t ladder_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct file_ladder, ladder_fields)};

/* ---- Reading ---- */

void ladder_close(struct ladder *ladder) {
    if (!ladder) return;
    for (unsigned i = 0; i < ladder->bot_count && ladder->bots; i++) {
        free(ladder->bots[i].name);
        free(ladder->bots[i].spec);
    }
    for (unsigned i = 0; i < ladder->scenario_count && ladder->scenarios; i++) {
        free(ladder->scenarios[i].name);
        free(ladder->scenarios[i].ruleset);
    }
    free(ladder->anchor);
    free(ladder->bots);
    free(ladder->scenarios);
    free(ladder->pairings);
    free(ladder);
}

static int no_memory(lr_error *error) { return lr_fail(error, LR_E_MEMORY, "no memory for a ladder"); }

static int take_bots(struct ladder *ladder, const struct file_ladder *file, const char *path, lr_error *error) {
    ladder->anchor_bot = -1;
    for (unsigned i = 0; i < file->bot_count; i++) {
        ladder->bots[i].name = strdup(file->bots[i].name);
        ladder->bots[i].spec = strdup(file->bots[i].spec);
        if (!ladder->bots[i].name || !ladder->bots[i].spec) return no_memory(error);
        if (strcmp(file->bots[i].name, file->anchor) == 0) ladder->anchor_bot = (int)i;
    }
    if (ladder->anchor_bot >= 0) return LR_OK;
    return lr_yaml_wrong(error, LR_E_ARGUMENT, path, "anchor: no bot here is called '%.60s'", file->anchor);
}

static int take_scenarios(struct ladder *ladder, const struct file_ladder *file, const char *path, lr_error *error) {
    for (unsigned i = 0; i < file->scenario_count; i++) {
        const struct file_scenario *from = &file->scenarios[i];
        char *end;
        ladder->scenarios[i] = (struct ledger_scenario){.name = strdup(from->name),
                                                        .ruleset = strdup(from->ruleset),
                                                        .version = from->version,
                                                        .hash = strtoull(from->hash, &end, 16)};
        if (!ladder->scenarios[i].name || !ladder->scenarios[i].ruleset) return no_memory(error);
        if (*end || strlen(from->hash) != 16)
            return lr_yaml_wrong(error, LR_E_ARGUMENT, path, "scenarios[%u].hash: 16 hex digits, not '%.40s'", i,
                                 from->hash);
    }
    return LR_OK;
}

static bool index_fits(int index, unsigned count) { return index >= 0 && (unsigned)index < count; }

static int take_pairings(struct ladder *ladder, const struct file_ladder *file, const char *path, lr_error *error) {
    for (unsigned i = 0; i < file->pairing_count; i++) {
        const struct file_pairing *from = &file->pairings[i];
        struct pairing *pairing = &ladder->pairings[i];
        if (!index_fits(from->scenario, file->scenario_count) || !index_fits(from->first, file->bot_count) ||
            !index_fits(from->second, file->bot_count) || from->first == from->second)
            return lr_yaml_wrong(error, LR_E_ARGUMENT, path,
                                 "pairings[%u]: scenario, first and second count the lists above from 0", i);
        *pairing = (struct pairing){.scenario = from->scenario, .bots = {from->first, from->second}};
        for (int cell = 0; cell < 9; cell++) {
            if (from->tally[cell] < 0 || from->tally[cell] > PLAN_ROUNDS)
                return lr_yaml_wrong(error, LR_E_ARGUMENT, path, "pairings[%u].tally: numbers of pairs, 0 to %d", i,
                                     PLAN_ROUNDS);
            pairing->tally.pairs[cell / 3][cell % 3] = from->tally[cell];
        }
    }
    return LR_OK;
}

static int take(struct ladder *ladder, const struct file_ladder *file, const char *path, lr_error *error) {
    ladder->bot_count = file->bot_count;
    ladder->scenario_count = file->scenario_count;
    ladder->pairing_count = file->pairing_count;
    ladder->anchor = strdup(file->anchor);
    ladder->bots = calloc(file->bot_count, sizeof *ladder->bots);
    ladder->scenarios = calloc(file->scenario_count, sizeof *ladder->scenarios);
    ladder->pairings = calloc(file->pairing_count, sizeof *ladder->pairings);
    if (!ladder->anchor || !ladder->bots || !ladder->scenarios || !ladder->pairings) return no_memory(error);
    int code = take_bots(ladder, file, path, error);
    if (!code) code = take_scenarios(ladder, file, path, error);
    return code ? code : take_pairings(ladder, file, path, error);
}

int ladder_read(const char *path, struct ladder **ladder, lr_error *error) {
    char *text;
    size_t length;
    void *data;
    int code = lr_file_read(path, MOST_FILE, &text, &length, error);
    if (code) return code;
    code = lr_yaml_read(path, LR_E_ARGUMENT, text, length, NULL, &ladder_schema, &data, error);
    free(text);
    if (code) return code;
    struct ladder *made = calloc(1, sizeof *made);
    code = made ? take(made, data, path, error) : no_memory(error);
    lr_yaml_free(&ladder_schema, data);
    if (code) {
        ladder_close(made);
        return code;
    }
    *ladder = made;
    return LR_OK;
}

int ladder_scenario(const struct ladder *ladder, const char *name, lr_error *error) {
    char known[200] = "";
    size_t length = 0;
    for (unsigned i = 0; i < ladder->scenario_count; i++) {
        if (strcmp(ladder->scenarios[i].name, name) == 0) return (int)i;
        if (length < sizeof known)
            length += (size_t)snprintf(known + length, sizeof known - length, "%s%s", i ? ", " : "",
                                       ladder->scenarios[i].name);
    }
    return lr_fail(error, LR_E_NOT_FOUND, "the ladder was not played on %.80s, but on %s", name, known);
}

int ladder_match(const struct ladder *ladder, int index, const lr_game *game, lr_error *error) {
    const struct ledger_scenario *made = &ladder->scenarios[index];
    const lr_info *now = lr_game_info(game);
    if (strcmp(made->ruleset, now->ruleset) != 0 || made->version != now->ruleset_version)
        return lr_fail(
            error, LR_E_ARGUMENT,
            "the ladder is void: it was made with %s version %d, and this is %s version %d; agents/ladder.sh "
            "makes it anew",
            made->ruleset, made->version, now->ruleset, now->ruleset_version);
    if (made->hash == now->scenario_hash) return LR_OK;
    return lr_fail(error, LR_E_ARGUMENT,
                   "the ladder is void: %.80s had hash %016" PRIx64 " when it was made, and has %016" PRIx64
                   " now; agents/ladder.sh makes it anew",
                   made->name, made->hash, now->scenario_hash);
}

/* ---- Writing ---- */

static void put_quoted(FILE *out, const char *text) {
    fputc('"', out);
    for (; *text; text++) fprintf(out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    fputc('"', out);
}

static void put_interval(FILE *out, const char *key, const struct interval *interval) {
    if (!isnan(interval->value)) /* all three are finite: the prior sees to it */
        fprintf(out, ", %s: [%.1f, %.1f, %.1f]", key, interval->value, interval->low, interval->high);
}

static void put_pairing(FILE *out, const struct pairing *pairing) {
    if (!tally_count(&pairing->tally)) return;
    fprintf(out, "  - {scenario: %d, first: %d, second: %d, tally: [", pairing->scenario, pairing->bots[0],
            pairing->bots[1]);
    for (int i = 0; i < 9; i++) fprintf(out, "%s%" PRId64, i ? ", " : "", pairing->tally.pairs[i / 3][i % 3]);
    fputs("]}\n", out);
}

/* Ratings in one scenario, or (-1) in all. */
static int put_ratings(FILE *out, const struct standings *standings, int scenario, lr_error *error) {
    struct interval together[PLAN_BOTS], by_side[2 * PLAN_BOTS];
    int code = standings_in(standings, scenario, together, error);
    if (!code) code = standings_by_side(standings, scenario, by_side, error);
    for (unsigned bot = 0; bot < standings->plan->bot_count && !code; bot++) {
        fputs("  - {bot: ", out);
        put_quoted(out, standings->plan->bots[bot].name);
        fprintf(out, ", scenario: %d", scenario);
        put_interval(out, "elo", &together[bot]);
        put_interval(out, "union", &by_side[2 * bot + LR_UNION]);
        put_interval(out, "confederate", &by_side[2 * bot + LR_CONFEDERATE]);
        fputs("}\n", out);
    }
    return code;
}

static int put_ladder(FILE *out, const struct ledger *ledger, const struct standings *standings, lr_error *error) {
    const struct plan *plan = standings->plan;
    fputs("# Made by `longroll ladder`, read by `longroll rate`; the format is told in ladder.h.\nanchor: ", out);
    put_quoted(out, plan->bots[standings->anchor].name);
    fputs("\nbots:\n", out);
    for (unsigned i = 0; i < plan->bot_count; i++) {
        fputs("  - {name: ", out);
        put_quoted(out, plan->bots[i].name);
        fputs(", spec: ", out);
        put_quoted(out, plan->bots[i].spec);
        fputs("}\n", out);
    }
    fputs("scenarios:\n", out);
    for (unsigned i = 0; i < plan->scenario_count; i++) {
        const struct ledger_scenario *scenario = ledger_scenario(ledger, (int)i);
        fputs("  - {name: ", out);
        put_quoted(out, scenario->name);
        fputs(", ruleset: ", out);
        put_quoted(out, scenario->ruleset);
        fprintf(out, ", version: %d, hash: \"%016" PRIx64 "\"}\n", scenario->version, scenario->hash);
    }
    fputs("pairings:\n", out);
    for (int i = 0; i < standings->pairing_count; i++) put_pairing(out, &standings->pairings[i]);
    fputs("ratings:\n", out);
    int code = put_ratings(out, standings, -1, error);
    for (unsigned i = 0; i < plan->scenario_count && !code; i++) code = put_ratings(out, standings, (int)i, error);
    return code;
}

int ladder_text(struct ledger *ledger, const struct standings *standings, char **text, lr_error *error) {
    char *made = NULL;
    size_t length;
    FILE *out = open_memstream(&made, &length);
    if (!out) return no_memory(error);
    int code = put_ladder(out, ledger, standings, error);
    if (fclose(out) && !code) code = no_memory(error);
    if (code) {
        free(made);
        return code;
    }
    *text = made;
    return LR_OK;
}

/* ---- A newcomer ---- */

/* The ladder's pairings that count, then (tallies not NULL) the newcomer's. */
static int gather(const struct ladder *ladder, const struct tally *tallies, const bool *use, struct pairing *pairings) {
    int count = 0;
    for (unsigned i = 0; i < ladder->pairing_count; i++)
        if (use[ladder->pairings[i].scenario]) pairings[count++] = ladder->pairings[i];
    for (unsigned i = 0; tallies && i < ladder->bot_count * ladder->scenario_count; i++) {
        int scenario = (int)(i % ladder->scenario_count), bot = (int)(i / ladder->scenario_count);
        if (!use[scenario] || !tally_count(&tallies[i])) continue;
        pairings[count++] = (struct pairing){scenario, {(int)ladder->bot_count, bot}, tallies[i]};
    }
    return count;
}

static struct ratings_plan plan_of(const struct ladder *ladder, const struct pairing *pairings, int count) {
    return (struct ratings_plan){.bots = (int)ladder->bot_count,
                                 .scenarios = (int)ladder->scenario_count,
                                 .pairings = pairings,
                                 .count = count,
                                 .anchor = ladder->anchor_bot,
                                 .prior = 1,
                                 .resamples = RATINGS_RESAMPLES};
}

static struct pairing *room_for_pairings(const struct ladder *ladder) {
    return calloc(ladder->pairing_count + ladder->bot_count * ladder->scenario_count, sizeof(struct pairing));
}

int ladder_rate(const struct ladder *ladder, const struct tally *tallies, const bool *use, uint64_t stream,
                struct newcomer *newcomer, lr_error *error) {
    struct interval together[PLAN_BOTS], by_side[2 * PLAN_BOTS], advantages[PLAN_SCENARIOS];
    struct pairing *pairings = room_for_pairings(ladder);
    if (!pairings) return no_memory(error);
    struct ratings_plan plan = plan_of(ladder, pairings, gather(ladder, tallies, use, pairings));
    plan.bots++;
    plan.stream = stream;
    int code = ratings_fit(&plan, together, advantages, error);
    plan.by_side = true;
    if (!code) code = ratings_fit(&plan, by_side, advantages, error);
    free(pairings);
    if (code) return code;
    newcomer->all = together[ladder->bot_count];
    for (int side = 0; side < 2; side++) newcomer->sides[side] = by_side[2 * ladder->bot_count + (unsigned)side];
    return LR_OK;
}

int ladder_ratings(const struct ladder *ladder, const bool *use, struct interval *ratings, lr_error *error) {
    struct interval advantages[PLAN_SCENARIOS];
    struct pairing *pairings = room_for_pairings(ladder);
    if (!pairings) return no_memory(error);
    const struct ratings_plan plan = plan_of(ladder, pairings, gather(ladder, NULL, use, pairings));
    int code = ratings_fit(&plan, ratings, advantages, error);
    free(pairings);
    return code;
}
