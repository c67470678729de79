/* scenario.c: opens a scenario: its four files (files.h) become one struct brigade, or one sentence that says what is
 * wrong and where (read.h). Nothing is half taken. */
#include "read.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int take_turn_set(const struct reader *r, bool turns[BRIGADE_TURNS], const struct number_list *list,
                         const char *path) {
    for (unsigned i = 0; i < list->count; i++) {
        const int turn = list->item[i];
        if (turn < r->b->first_turn || turn > r->b->last_turn)
            return wrong(r, "%s[%u]: turn %d is not %d..%d", path, i, turn, r->b->first_turn, r->b->last_turn);
        if (turns[turn]) return wrong(r, "%s[%u]: turn %d twice", path, i, turn);
        turns[turn] = true;
    }
    return LR_OK;
}

static int take_turns(const struct reader *r) {
    struct brigade *b = r->b;
    const struct file_scenario *f = r->scenario;
    const struct bound bounds[] = {{"turns.last", f->turns.last, 1, BRIGADE_TURNS - 1},
                                   {"turns.first", f->turns.first, 1, f->turns.last}};
    int code = IN_BOUNDS(r, bounds);
    if (code) return code;
    b->first_turn = (uint8_t)f->turns.first;
    b->last_turn = (uint8_t)f->turns.last;
    b->first_player = (uint8_t)f->turns.first_player;
    if (f->turns.clock.count > BRIGADE_TURNS - 1)
        return wrong(r, "turns.clock: %u entries for at most %d turns", f->turns.clock.count, BRIGADE_TURNS - 1);
    for (unsigned i = 0; i < f->turns.clock.count; i++) {
        const char *clock = f->turns.clock.item[i];
        if (strlen(clock) >= sizeof b->clock[0] || strspn(clock, "0123456789.:") != strlen(clock))
            return wrong(r, "turns.clock[%u]: \"%.20s\" is no time like \"16.20\"", i, clock);
        memcpy(b->clock[i + 1], clock, strlen(clock) + 1);
    }
    code = take_turn_set(r, b->night, &f->turns.night, "turns.night");
    return code ? code : take_turn_set(r, b->artillery_only, &f->turns.artillery_only, "turns.artillery_only");
}

/* The row of a piece that a list names; each piece comes into play by one way only. */
static int take_new_row(struct reader *r, const char *name, const char *path, int *row) {
    *row = row_named(r->b, name);
    if (*row < 0) return wrong(r, "%s: the roster has no \"%.40s\"", path, name);
    if (has(r->named, *row)) return wrong(r, "%s: \"%s\" is named before", path, name);
    r->named |= bit(*row);
    return LR_OK;
}

static int take_setup_units(struct reader *r) {
    struct brigade *b = r->b;
    board taken = board_empty();
    for (unsigned i = 0; i < r->scenario->setup.units_count; i++) {
        const struct file_setup *f = &r->scenario->setup.units[i];
        char path[64];
        int row;
        snprintf(path, sizeof path, "setup.units[%u].piece", i);
        int code = take_new_row(r, f->piece, path, &row);
        if (code) return code;
        if (b->piece[row].type == LEADER) return wrong(r, "%s: \"%s\" is a leader", path, f->piece);
        snprintf(path, sizeof path, "setup.units[%u].hex", i);
        code = take_open_hex(r, &b->piece[row].cell, f->hex, path);
        if (code) return code;
        if (board_test(&taken, b->piece[row].cell)) return wrong(r, "%s: \"%s\" holds a unit already", path, f->hex);
        board_add(&taken, b->piece[row].cell);
        b->piece[row].set_up = 1;
    }
    return LR_OK;
}

/* Rows that a list names, all of which must be in `among`. */
static int take_rows(const struct reader *r, const struct text_list *list, const char *path, uint64_t among,
                     const char *what, uint64_t *rows) {
    for (unsigned i = 0; i < list->count; i++) {
        const int row = row_named(r->b, list->item[i]);
        if (row < 0) return wrong(r, "%s[%u]: the roster has no \"%.40s\"", path, i, list->item[i]);
        if (!has(among, row)) return wrong(r, "%s[%u]: \"%s\" is no %s", path, i, list->item[i], what);
        if (has(*rows, row)) return wrong(r, "%s[%u]: \"%s\" twice", path, i, list->item[i]);
        *rows |= bit(row);
    }
    return LR_OK;
}

static int take_setup_leaders(struct reader *r) {
    for (unsigned i = 0; i < r->scenario->setup.leaders_count; i++) {
        char path[64];
        int row;
        snprintf(path, sizeof path, "setup.leaders[%u].piece", i);
        const int code = take_new_row(r, r->scenario->setup.leaders[i].piece, path, &row);
        if (code) return code;
        if (r->b->piece[row].type != LEADER) return wrong(r, "%s: \"%s\" is no leader", path, r->b->piece[row].name);
        r->b->piece[row].set_up = 1;
    }
    return LR_OK;
}

/* Which units each leader of the set-up may stand with or next to: known when the commands are. */
static int take_leader_places(const struct reader *r) {
    struct brigade *b = r->b;
    uint64_t standing = 0;
    for (int row = 0; row < BRIGADE_ROWS; row++)
        if (b->piece[row].set_up && b->piece[row].type != LEADER) standing |= bit(row);
    for (unsigned i = 0; i < r->scenario->setup.leaders_count; i++) {
        const struct file_setup *f = &r->scenario->setup.leaders[i];
        const int row = row_named(b, f->piece);
        char path[64];
        snprintf(path, sizeof path, "setup.leaders[%u].with", i);
        const uint64_t own = b->under[row] & standing;
        const int code = take_rows(r, &f->with, path, own, "unit of his command that is set up", &b->leader_with[row]);
        if (code) return code;
        if (!f->with.count) b->leader_with[row] = own;
        if (!b->leader_with[row])
            return wrong(r, "setup.leaders[%u]: no unit of the command of \"%s\" is set up", i, f->piece);
    }
    return LR_OK;
}

static int take_die(const struct reader *r, struct brigade_group *group, const struct file_die *f, const char *path) {
    if (f->turn < r->b->first_turn || f->turn > r->b->last_turn)
        return wrong(r, "%s.die.turn: %d is not %d..%d", path, f->turn, r->b->first_turn, r->b->last_turn);
    group->die_turn = (uint8_t)f->turn;
    int face = 1;
    for (unsigned i = 0; i < f->table_count; i++) {
        const struct bound bounds[] = {{"to", f->table[i].to, face, 10},
                                       {"turn", f->table[i].turn, f->turn, r->b->last_turn}};
        char list[80];
        snprintf(list, sizeof list, "%s.die.table", path);
        const int code = IN_BOUNDS_OF(r, list, i, bounds);
        if (code) return code;
        while (face <= f->table[i].to) group->die_result[face++] = (uint8_t)f->table[i].turn;
    }
    return face == 11 ? LR_OK : wrong(r, "%s.die.table: nothing stands for faces %d to 10", path, face);
}

static int take_every(const struct reader *r, struct brigade_group *group, const struct file_every *f, unsigned i) {
    const int last = r->b->last_turn;
    const struct bound bounds[] = {{"every.from", f->from, r->b->first_turn, last},
                                   {"every.modifier", f->modifier, -9, 9},
                                   {"every.penalty", f->penalty, 0, 100},
                                   {"every.penalty_until", f->penalty_until, 0, last}};
    group->every_from = (uint8_t)f->from;
    group->every_modifier = (int8_t)f->modifier;
    group->penalty = (int8_t)f->penalty;
    group->penalty_until = (uint8_t)f->penalty_until;
    return IN_BOUNDS_OF(r, "reinforcements.groups", i, bounds);
}

static int take_group_pieces(struct reader *r, struct brigade_group *group, const struct file_group *f, unsigned i) {
    if (!f->pieces.count) return wrong(r, "reinforcements.groups[%u].pieces: none", i);
    for (unsigned k = 0; k < f->pieces.count; k++) {
        char path[64];
        int row;
        snprintf(path, sizeof path, "reinforcements.groups[%u].pieces[%u]", i, k);
        const int code = take_new_row(r, f->pieces.item[k], path, &row);
        if (code) return code;
        if (group->rows && side_of(row) != side_of(lowest(group->rows)))
            return wrong(r, "%s: \"%s\" is of the other side", path, f->pieces.item[k]);
        group->rows |= bit(row);
        r->b->piece[row].group = (uint8_t)(i + 1);
    }
    return LR_OK;
}

static int take_group_time(const struct reader *r, struct brigade_group *group, const struct file_group *f,
                           unsigned i) {
    char path[64];
    snprintf(path, sizeof path, "reinforcements.groups[%u]", i);
    if ((f->turn != 0) + (f->die != NULL) + (f->every != NULL) != 1)
        return wrong(r, "%s: one of turn, die and every says when it comes", path);
    if (f->turn) {
        const struct bound bounds[] = {{"turn", f->turn, 1, r->b->last_turn},
                                       {"latest", f->latest, f->latest ? f->turn : 0, r->b->last_turn}};
        group->turn = (uint8_t)f->turn;
        group->latest = (uint8_t)f->latest;
        return IN_BOUNDS_OF(r, "reinforcements.groups", i, bounds);
    }
    if (f->latest) return wrong(r, "%s.latest: only with turn", path);
    const int subject = row_named(r->b, f->die ? f->die->subject : f->every->subject);
    if (subject < 0 || !has(group->rows, subject))
        return wrong(r, "%s.%s.subject: no piece of the group", path, f->die ? "die" : "every");
    group->subject = (uint8_t)subject;
    return f->die ? take_die(r, group, f->die, path) : take_every(r, group, f->every, i);
}

static int take_groups(struct reader *r) {
    struct brigade *b = r->b;
    for (unsigned i = 0; i < r->scenario->reinforcements.groups_count; i++) {
        const struct file_group *f = &r->scenario->reinforcements.groups[i];
        struct brigade_group *group = &b->group[i];
        char path[64];
        snprintf(path, sizeof path, "reinforcements.groups[%u].name", i);
        int code = take_name(r, group->name, f->name, path);
        for (unsigned k = 0; !code && k < i; k++)
            if (!strcmp(b->group[k].name, group->name)) code = wrong(r, "%s: as that of groups[%u]", path, k);
        snprintf(path, sizeof path, "reinforcements.groups[%u].entry", i);
        if (!code) code = take_open_hex(r, &group->entry, f->entry, path);
        if (!code && !board_test(&b->edge, group->entry))
            code = wrong(r, "%s: \"%s\" is not on the map's edge", path, f->entry);
        if (!code) code = take_group_pieces(r, group, f, i);
        if (!code) code = take_group_time(r, group, f, i);
        if (code) return code;
        b->group_count++;
    }
    return LR_OK;
}

/* Row sets of the pieces in play and the commands (rulings 9, 9a, 10). */
static int find_commands(const struct reader *r) {
    struct brigade *b = r->b;
    uint64_t *const of_type[] = {&b->infantry, &b->cavalry, &b->guns, &b->leaders};
    b->present = r->named;
    for (int row = 0; row < BRIGADE_ROWS; row++)
        if (has(b->present, row)) *of_type[b->piece[row].type] |= bit(row);
    b->units = b->infantry | b->cavalry | b->guns;
    for (int side = 0; side < 2; side++)
        if (!(b->units & rows_of(side))) return wrong(r, "setup: the %s has no unit", side ? "confederate" : "union");
    uint8_t slot = 0;
    for (int leader = 0; leader < BRIGADE_ROWS; leader++) {
        const struct brigade_piece *l = &b->piece[leader];
        if (l->type != LEADER || !l->name[0]) continue;
        b->leader_slot[leader] = slot++; /* of the whole roster, so that a slot is the same in every scenario */
        if (!has(b->present, leader)) continue;
        for (int row = 0; row < BRIGADE_ROWS; row++) {
            const struct brigade_piece *p = &b->piece[row];
            if (row == leader || side_of(row) != side_of(leader) || !has(b->present, row)) continue;
            if ((p->division[0] && !strcmp(p->division, l->division)) || !strcmp(p->superior, l->name))
                b->under[leader] |= bit(row);
            const bool needs = !p->independent && p->type != LEADER;
            if (needs && (p->type == ARTILLERY || has(b->under[leader], row))) b->leads[leader] |= bit(row);
        }
    }
    return LR_OK;
}

static int take_frozen(const struct reader *r) {
    const struct file_scenario *f = r->scenario;
    if (!f->frozen.pieces.count) return LR_OK;
    const struct bound bounds[] = {{"frozen.before", f->frozen.before, 1, BRIGADE_TURNS}};
    const int code = IN_BOUNDS(r, bounds);
    if (code) return code;
    r->b->frozen_before = (uint8_t)f->frozen.before;
    return take_rows(r, &f->frozen.pieces, "frozen.pieces", r->b->present, "piece in this scenario", &r->b->frozen);
}

static int take_slow(const struct reader *r) {
    const struct file_scenario *f = r->scenario;
    if (!f->slow.turn && !f->slow.movement) return LR_OK;
    const struct bound bounds[] = {{"slow.turn", f->slow.turn, r->b->first_turn, r->b->last_turn},
                                   {"slow.movement", f->slow.movement, 1, MOST_MP}};
    r->b->slow.side = (uint8_t)f->slow.side;
    r->b->slow.turn = (uint8_t)f->slow.turn;
    r->b->slow.allowance = (uint8_t)(HALF * f->slow.movement);
    return IN_BOUNDS(r, bounds);
}

static int take_retreats(const struct reader *r) {
    struct brigade *b = r->b;
    uint64_t served = 0;
    for (unsigned i = 0; i < r->scenario->retreat.hexes_count; i++) {
        const struct file_retreat *f = &r->scenario->retreat.hexes[i];
        struct brigade_retreat *retreat = &b->retreat[i];
        char path[64];
        snprintf(path, sizeof path, "retreat.hexes[%u].hex", i);
        const int code = take_open_hex(r, &retreat->cell, f->hex, path);
        if (code) return code;
        for (int row = 0; row < BRIGADE_ROWS; row++)
            if (has(b->units & rows_of(f->side), row) && (!f->division || !strcmp(f->division, b->piece[row].division)))
                retreat->rows |= bit(row);
        if (!retreat->rows) return wrong(r, "retreat.hexes[%u]: no unit in this scenario may use it", i);
        for (unsigned k = 0; k < i; k++)
            if (b->retreat[k].cell == retreat->cell && b->retreat[k].rows & retreat->rows)
                return wrong(r, "%s: \"%s\" twice for the same units", path, f->hex);
        served |= retreat->rows;
    }
    b->retreat_count = (int)r->scenario->retreat.hexes_count;
    if (b->units & ~served)
        return wrong(r, "retreat.hexes: none for \"%s\"", b->piece[lowest(b->units & ~served)].name);
    return LR_OK;
}

static int take_markers(const struct reader *r) {
    struct brigade *b = r->b;
    const struct text_list *markers = &r->scenario->destiny.markers;
    for (unsigned i = 0; i < markers->count; i++) {
        const int row = row_named(b, markers->item[i]);
        if (row < 0 || !has(b->leaders, row))
            return wrong(r, "destiny.markers[%u]: \"%.40s\" is no leader in this scenario", i, markers->item[i]);
        int *count = &b->marker_count[side_of(row)];
        /* R 14.1.5 gives each side two, and a re-roll is told by its number (decisions 8). */
        if (*count == BRIGADE_MARKERS) return wrong(r, "destiny.markers[%u]: a third marker of one side", i);
        b->marker[side_of(row)][(*count)++] = (uint8_t)row;
    }
    return LR_OK;
}

static int take_victory(const struct reader *r) {
    struct brigade *b = r->b;
    const struct file_scenario *f = r->scenario;
    for (unsigned i = 0; i < f->victory.stars.count; i++) {
        char path[64];
        uint16_t cell = 0;
        snprintf(path, sizeof path, "victory.stars[%u]", i);
        const int code = take_open_hex(r, &cell, f->victory.stars.item[i], path);
        if (code) return code;
        if (board_test(&b->stars, cell)) return wrong(r, "%s: \"%s\" twice", path, f->victory.stars.item[i]);
        board_add(&b->stars, cell);
    }
    const struct bound bounds[] = {{"victory.star_points", f->victory.star_points, 0, 9},
                                   {"victory.union_net", f->victory.union_net, -MOST_VP, MOST_VP},
                                   {"victory.union_stars", f->victory.union_stars, 0, MOST_VP}};
    b->star_points = (uint8_t)f->victory.star_points;
    b->union_net = (int16_t)f->victory.union_net;
    b->union_stars = (int16_t)f->victory.union_stars;
    return IN_BOUNDS(r, bounds);
}

static int take_scenario(struct reader *r) {
    int (*const chapters[])(struct reader *) = {take_setup_units, take_setup_leaders, take_groups};
    int (*const rest[])(const struct reader *) = {find_commands, take_leader_places, take_frozen, take_slow,
                                                  take_retreats, take_markers,       take_victory};
    int code = take_turns(r);
    for (size_t i = 0; !code && i < sizeof chapters / sizeof *chapters; i++) code = chapters[i](r);
    for (size_t i = 0; !code && i < sizeof rest / sizeof *rest; i++) code = rest[i](r);
    return code;
}

/* ---- Files ------------------------------------------------------------------------------------- */

/* A file that the scenario names: in its own folder, never elsewhere. */
static int read_named(const struct reader *r, const char *key, const char *name, const char *folder, char **text,
                      size_t *length) {
    const size_t size = strlen(folder) + strlen(name) + 2;
    if (!name[0] || name[0] == '.' || strchr(name, '/'))
        return wrong(r, "%s: \"%.60s\" is not the plain name of a file in the scenario's folder", key, name);
    char *path = malloc(size);
    if (!path) return lr_fail(r->error, LR_E_MEMORY, "no memory to read %s", name);
    snprintf(path, size, "%s/%s", folder, name);
    const int code = lr_file_read(path, FILE_BYTES, text, length, r->error);
    free(path);
    return code;
}

/* The charts twice: first for the number of columns of the combat chart, on which their schema depends. */
static int read_charts(const struct reader *r, const char *text, size_t length, struct file_charts_schema *schema,
                       struct file_charts **charts) {
    void *data = NULL;
    int code = brigade_yaml_read(r->file, LR_E_SCENARIO, text, length, &file_charts_columns_schema, &data, r->error);
    if (code) return code;
    const unsigned columns = ((struct file_charts *)data)->combat.columns.count;
    lr_yaml_free(&file_charts_columns_schema, data);
    if (!columns) return wrong(r, "combat.columns: none");
    file_charts_schema_make(schema, columns);
    code = brigade_yaml_read(r->file, LR_E_SCENARIO, text, length, &schema->charts, &data, r->error);
    if (!code) *charts = data;
    return code;
}

static int open_charts(struct reader *r, const char *folder, struct file_charts_schema *schema,
                       struct file_charts **charts) {
    char *text = NULL;
    size_t length = 0;
    int code = read_named(r, "charts", r->scenario->charts, folder, &text, &length);
    if (code) return code;
    r->file = r->scenario->charts;
    code = read_charts(r, text, length, schema, charts);
    assert(code || *charts);
    if (!code) code = take_charts(r, *charts);
    free(text);
    return code;
}

/* The scenario holds a part itself or names the file that does. */
static int check_source(const struct reader *r, const char *key, bool named, bool own) {
    if (named && own) return wrong(r, "%s: with own_%s, which replaces it", key, key);
    return named || own ? LR_OK : wrong(r, "%s: missing: the name of a file, or own_%s", key, key);
}

static int open_map(struct reader *r, const char *folder, const struct file_charts *charts) {
    const int source = check_source(r, "map", r->scenario->map, r->scenario->own_map);
    if (source || r->scenario->own_map) return source ? source : take_map(r, r->scenario->own_map, charts);
    char *text = NULL;
    size_t length = 0;
    void *map = NULL;
    int code = read_named(r, "map", r->scenario->map, folder, &text, &length);
    if (code) return code;
    r->file = r->scenario->map;
    code = brigade_yaml_read(r->file, LR_E_SCENARIO, text, length, &file_map_schema, &map, r->error);
    if (!code) code = take_map(r, map, charts);
    if (map) lr_yaml_free(&file_map_schema, map);
    free(text);
    return code;
}

static int open_units(struct reader *r, const char *folder, const struct file_charts *charts) {
    const int source = check_source(r, "units", r->scenario->units, r->scenario->own_units);
    if (source || r->scenario->own_units) return source ? source : take_units(r, r->scenario->own_units, charts);
    char *text = NULL;
    size_t length = 0;
    void *units = NULL;
    int code = read_named(r, "units", r->scenario->units, folder, &text, &length);
    if (code) return code;
    r->file = r->scenario->units;
    code = brigade_yaml_read(r->file, LR_E_SCENARIO, text, length, &file_units_schema, &units, r->error);
    if (!code) code = take_units(r, units, charts);
    if (units) lr_yaml_free(&file_units_schema, units);
    free(text);
    return code;
}

static int check_head(const struct reader *r) {
    const struct file_scenario *f = r->scenario;
    if (f->longroll != 1) return wrong(r, "longroll: format %d; this program reads 1", f->longroll);
    if (strcmp(f->ruleset, "brigade")) return wrong(r, "ruleset: \"%.40s\" is not brigade", f->ruleset);
    const size_t length = strlen(f->title);
    if (!length || length >= sizeof r->b->title)
        return wrong(r, "title: %zu characters are not 1..%zu", length, sizeof r->b->title - 1);
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)f->title[i] < ' ' || f->title[i] == 0x7f) return wrong(r, "title: a control character");
    memcpy(r->b->title, f->title, length + 1);
    return LR_OK;
}

static int open_all(struct reader *r, const char *folder) {
    struct file_charts_schema schema;
    struct file_charts *charts = NULL;
    const char *own = r->file;
    int code = check_head(r);
    if (!code) code = open_charts(r, folder, &schema, &charts);
    if (!code) r->file = own, code = open_map(r, folder, charts);
    if (!code) r->file = own, code = open_units(r, folder, charts);
    if (charts) lr_yaml_free(&schema.charts, charts);
    r->file = own;
    return code ? code : take_scenario(r);
}

/* The scenario's name as a file, for errors: "historical.yaml". */
static void name_file(char file[BRIGADE_NAME * 2], const char *scenario) {
    const char *slash = scenario ? strrchr(scenario, '/') : NULL;
    const char *name = slash ? slash + 1 : scenario ? scenario : "scenario";
    const size_t length = strlen(name);
    const bool whole = length > 5 && !strcmp(name + length - 5, ".yaml");
    snprintf(file, (size_t)BRIGADE_NAME * 2, "%.50s%s", name, whole ? "" : ".yaml");
}

int brigade_open(const char *text, size_t length, const char *folder, void **rules, lr_info *info, lr_error *error) {
    char file[BRIGADE_NAME * 2];
    static atomic_ullong opened;
    void *scenario = NULL;
    *rules = NULL;
    name_file(file, info->scenario);
    if (length > FILE_BYTES)
        return lr_fail(error, LR_E_SCENARIO, "%s: %zu bytes, more than the %d allowed", file, length, FILE_BYTES);
    int code = brigade_yaml_read(file, LR_E_SCENARIO, text, length, &file_scenario_schema, &scenario, error);
    if (code) return code;
    struct brigade *b = calloc(1, sizeof *b);
    struct reader reader = {.b = b, .scenario = scenario, .file = file, .error = error};
    if (b) code = open_all(&reader, folder);
    lr_yaml_free(&file_scenario_schema, scenario);
    if (!b) return lr_fail(error, LR_E_MEMORY, "no memory for a game of brigade");
    if (!code) code = take_score_bounds(&reader);
    if (code) {
        free(b);
        return code;
    }
    brigade_compute_observation(b);
    brigade_compute_attacks(b);
    b->serial = ++opened;
    b->max_decisions = find_max_decisions(b);
    info->title = b->title;
    info->scenario_hash = hash_scenario(b);
    info->max_decisions = b->max_decisions;
    info->score_low = b->score_low;
    info->score_high = b->score_high;
    *rules = b;
    return LR_OK;
}

void brigade_close(void *rules) { free(rules); }
