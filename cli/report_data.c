/* report_data.c: standings and games for programs: JSON, CSV, and PGN tags that rating tools such as Ordo read. */
#include "cli/cli.h"
#include "cli/report.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- JSON ---- */

static json_t *number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

static json_t *json_interval(const struct interval *interval) {
    return json_pack("{s:o, s:o, s:o}", "value", number(interval->value), "low", number(interval->low), "high",
                     number(interval->high));
}

static json_t *json_side(const int64_t games[3]) {
    return json_pack("{s:I, s:I, s:I}", "won", (json_int_t)games[2], "drawn", (json_int_t)games[1], "lost",
                     (json_int_t)games[0]);
}

static json_t *json_faults(const struct record *record) {
    json_t *faults = json_object();
    for (int kind = GAME_PLAYED + 1; kind < GAME_STOPPED; kind++)
        json_object_set_new(faults, game_end_name(kind), json_integer(record->faults[kind]));
    return faults;
}

static json_t *json_bot(const struct standings *standings, int bot) {
    const struct record *record = &standings->records[bot];
    const struct plan_bot *is = &standings->plan->bots[bot];
    return json_pack("{s:s, s:s, s:o, s:I, s:o, s:o, s:o, s:o, s:I, s:I}", "name", is->name, "spec", is->spec, "elo",
                     json_interval(&record->rating), "games", (json_int_t)record_games(record), "score",
                     number(record_score(record, -1)), "union", json_side(record->games[LR_UNION]), "confederate",
                     json_side(record->games[LR_CONFEDERATE]), "faults", json_faults(record), "decisions",
                     (json_int_t)record->decisions, "thought_us", (json_int_t)record->thought_us);
}

static json_t *json_counts(const int64_t *counts, int count) {
    json_t *array = json_array();
    for (int i = 0; i < count; i++) json_array_append_new(array, json_integer(counts[i]));
    return array;
}

static json_t *json_pairing(const struct standings *standings, const struct pairing *pairing) {
    struct strength strength;
    int64_t points[PENTANOMIAL], as_union[3], as_confederate[3];
    strength_of(&pairing->tally, &strength);
    tally_points(&pairing->tally, points);
    tally_side(&pairing->tally, LR_UNION, as_union);
    tally_side(&pairing->tally, LR_CONFEDERATE, as_confederate);
    return json_pack("{s:s, s:s, s:s, s:I, s:o, s:o, s:o, s:o, s:f, s:o, s:o, s:f, s:f, s:f}", "first",
                     standings->plan->bots[pairing->bots[0]].name, "second",
                     standings->plan->bots[pairing->bots[1]].name, "scenario",
                     standings->plan->scenarios[pairing->scenario], "pairs", (json_int_t)strength.pairs, "pentanomial",
                     json_counts(points, PENTANOMIAL), "union", json_side(as_union), "confederate",
                     json_side(as_confederate), "score", json_interval(&strength.score), "error", strength.error, "elo",
                     json_interval(&strength.elo), "normalized", json_interval(&strength.normalized), "superiority",
                     strength.superiority, "draws", strength.draws, "level", strength.level);
}

static json_t *json_scenario(const struct report *report, int index) {
    const struct ledger_scenario *scenario = ledger_scenario(report->ledger, index);
    const struct field *field = &report->standings->fields[index];
    return json_pack("{s:s, s:s, s:i, s:o, s:I, s:I, s:I, s:I, s:o}", "name", scenario->name, "ruleset",
                     scenario->ruleset, "version", scenario->version, "hash", json_hash(scenario->hash), "union",
                     (json_int_t)field->games[2], "drawn", (json_int_t)field->games[1], "confederate",
                     (json_int_t)field->games[0], "decisions", (json_int_t)field->decisions, "advantage",
                     json_interval(&field->advantage));
}

static json_t *json_sprt(const struct standings *standings) {
    const struct sprt *sprt = &standings->plan->sprt;
    const struct sprt_look *look = &standings->sprt;
    if (standings->plan->format != PLAN_SPRT) return json_null();
    return json_pack("{s:f, s:f, s:f, s:f, s:I, s:f, s:f, s:f, s:s}", "elo0", sprt->elo0, "elo1", sprt->elo1, "alpha",
                     sprt->alpha, "beta", sprt->beta, "cap", (json_int_t)sprt->cap, "ratio", look->ratio, "lower",
                     look->lower, "upper", look->upper, "end", sprt_end_name(look->end));
}

json_t *report_json(const struct report *report) {
    const struct standings *standings = report->standings;
    const struct plan *plan = standings->plan;
    json_t *bots = json_array(), *pairings = json_array(), *scenarios = json_array();
    for (unsigned i = 0; i < plan->bot_count; i++)
        json_array_append_new(bots, json_bot(standings, standings->order[i]));
    for (int i = 0; i < standings->pairing_count; i++)
        json_array_append_new(pairings, json_pairing(standings, &standings->pairings[i]));
    for (unsigned i = 0; i < plan->scenario_count; i++) json_array_append_new(scenarios, json_scenario(report, (int)i));
    return json_pack("{s:s?, s:s, s:o, s:I, s:I, s:I, s:s, s:o, s:o, s:o, s:o, s:o}", "name", plan->name, "format",
                     plan_format_name(plan->format), "seed", json_hash(plan->seed), "games",
                     (json_int_t)standings->games, "expected", (json_int_t)standings->expected, "pairs",
                     (json_int_t)standings->pair_count, "anchor", plan->bots[standings->anchor].name, "bots", bots,
                     "pairings", pairings, "scenarios", scenarios, "sprt", json_sprt(standings), "dice_saving",
                     json_interval(&standings->saving));
}

/* ---- CSV (RFC 4180) ---- */

static void put_field(FILE *out, const char *text) {
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void put_fields(FILE *out, const char *one, const char *other) {
    put_field(out, one);
    fputc(',', out);
    put_field(out, other);
}

/* Empty where nothing is known. */
static void put_number(FILE *out, const char *format, double value) {
    fputc(',', out);
    if (!isnan(value)) fprintf(out, format, value);
}

void report_ratings_csv(const struct report *report, FILE *out) {
    const struct standings *standings = report->standings;
    fputs("rank,bot,spec,elo,elo_low,elo_high,games,won,drawn,lost,score,union_score,confederate_score", out);
    for (int kind = GAME_PLAYED + 1; kind < GAME_STOPPED; kind++) fprintf(out, ",%s", game_end_name(kind));
    fputs("\r\n", out);
    for (unsigned i = 0; i < standings->plan->bot_count; i++) {
        int bot = standings->order[i];
        const struct record *record = &standings->records[bot];
        fprintf(out, "%u,", i + 1);
        put_fields(out, standings->plan->bots[bot].name, standings->plan->bots[bot].spec);
        put_number(out, "%.1f", record->rating.value);
        put_number(out, "%.1f", record->rating.low);
        put_number(out, "%.1f", record->rating.high);
        fprintf(out, ",%" PRId64, record_games(record));
        for (int result = 2; result >= 0; result--)
            fprintf(out, ",%" PRId64, record->games[0][result] + record->games[1][result]);
        for (int side = -1; side < 2; side++) put_number(out, "%.4f", record_score(record, side));
        for (int kind = GAME_PLAYED + 1; kind < GAME_STOPPED; kind++) fprintf(out, ",%" PRId64, record->faults[kind]);
        fputs("\r\n", out);
    }
}

/* ---- Games ---- */

/* The games that the standings count. As ledger_next. */
static int next_game(const struct report *report, struct ledger_game *game, lr_error *error) {
    const struct standings *standings = report->standings;
    int code;
    while ((code = ledger_next(report->ledger, game, error)) == 1)
        if (standings->plan->format != PLAN_SPRT || game->id / 2 < standings->pair_count) return 1;
    return code;
}

int report_games_csv(const struct report *report, FILE *out, lr_error *error) {
    const struct plan *plan = report->standings->plan;
    struct ledger_game game;
    int code;
    fputs("game,pair,round,scenario,union,confederate,seed,winner,score,ending,at_fault,decisions,dice,hash,union_us,"
          "confederate_us,reason\r\n",
          out);
    while ((code = next_game(report, &game, error)) == 1) {
        const struct game_result *result = &game.result;
        fprintf(out, "%" PRId64 ",%" PRId64 ",%d,", game.id, game.id / 2, schedule_game(plan, game.id).round + 1);
        put_field(out, plan->scenarios[game.scenario]);
        fputc(',', out);
        put_fields(out, plan->bots[game.bots[LR_UNION]].name, plan->bots[game.bots[LR_CONFEDERATE]].name);
        fprintf(out, ",%" PRIu64 ",%s,%d,%s,%s,%u,%u,%016" PRIx64 ",%" PRId64 ",%" PRId64 ",", game.seed,
                winner_name(result->winner), result->score, game_end_name(result->end),
                result->at_fault == LR_NOBODY ? "" : mover_name(result->at_fault), result->decisions, result->dice,
                result->hash, result->thought_us[0], result->thought_us[1]);
        put_field(out, result->reason);
        fputs("\r\n", out);
    }
    return code;
}

/* ---- PGN ---- */

static void put_tag(FILE *out, const char *name, const char *value) {
    fprintf(out, "[%s \"", name);
    for (; *value; value++) {
        if (*value == '"' || *value == '\\') fputc('\\', out);
        fputc(*value == '\n' || *value == '\r' || *value == '\t' ? ' ' : *value, out);
    }
    fputs("\"]\n", out);
}

static void put_number_tag(FILE *out, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void put_number_tag(FILE *out, const char *name, const char *format, ...) {
    char text[64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    put_tag(out, name, text);
}

/* PGN's own words for Termination where it has one. */
static const char *termination(int end) {
    switch (end) {
    case GAME_PLAYED: return "normal";
    case GAME_TIMEOUT: return "time forfeit";
    case GAME_ILLEGAL: return "rules infraction";
    default: return game_end_name(end);
    }
}

static void put_game(const struct report *report, const struct ledger_game *game, FILE *out) {
    static const char *const results[] = {[LR_UNION] = "1-0", [LR_CONFEDERATE] = "0-1"};
    const struct plan *plan = report->standings->plan;
    const struct game_result *played = &game->result;
    const struct ledger_scenario *scenario = ledger_scenario(report->ledger, game->scenario);
    const char *result = played->winner == LR_NOBODY ? "1/2-1/2" : results[played->winner];
    put_tag(out, "Event", plan->name ? plan->name : plan_format_name(plan->format));
    put_tag(out, "Site", "Longroll " LR_VERSION);
    put_tag(out, "Date", "????.??.??");
    put_number_tag(out, "Round", "%d.%" PRId64, schedule_game(plan, game->id).round + 1, game->id + 1);
    put_tag(out, "White", plan->bots[game->bots[LR_UNION]].name);
    put_tag(out, "Black", plan->bots[game->bots[LR_CONFEDERATE]].name);
    put_tag(out, "Result", result);
    put_tag(out, "Scenario", plan->scenarios[game->scenario]);
    put_number_tag(out, "Ruleset", "%.40s %d", scenario->ruleset, scenario->version);
    put_number_tag(out, "Pair", "%" PRId64, game->id / 2 + 1);
    put_number_tag(out, "Seed", "0x%016" PRIx64, game->seed);
    put_number_tag(out, "Decisions", "%u", played->decisions);
    put_number_tag(out, "Score", "%d", played->score);
    put_tag(out, "Termination", termination(played->end));
    put_tag(out, "Reason", played->reason);
    fprintf(out, "\n%s\n\n", result);
}

int report_pgn(const struct report *report, FILE *out, lr_error *error) {
    struct ledger_game game;
    int code;
    while ((code = next_game(report, &game, error)) == 1) put_game(report, &game, out);
    return code;
}
