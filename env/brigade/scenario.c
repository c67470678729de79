/* scenario.c: opens a scenario: its four files (files.h) become one struct brigade, or one sentence that says what is
 * wrong and where. Loading is rare and its input is not trusted: everything is checked, nothing is half taken. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "brigade.h"
#include "files.h"

#include <assert.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FILE_BYTES = 1 << 20,
    MOST_SP = 60,
    MOST_MP = BRIGADE_ALLOWANCE / 2,
    MOST_STEP_MP = 30,
    MOST_VP = 1000,
    HALF = 2
};

/* What is being read, and where faults are told. */
struct reader {
    struct brigade *b;
    const struct file_scenario *scenario;
    const char *file; /* for errors */
    lr_error *error;
    uint64_t named; /* rows that set-up or reinforcements have named */
};

__attribute__((format(printf, 2, 3))) static int wrong(const struct reader *r, const char *format, ...) {
    va_list values;
    va_start(values, format);
    brigade_yaml_wrong_list(r->error, LR_E_SCENARIO, r->file, format, values);
    va_end(values);
    return LR_E_SCENARIO;
}

/* A number that a file gives, where it stands, and what it may be. */
struct bound {
    const char *path;
    int value, low, high;
};

static int in_bounds(const struct reader *r, const struct bound *bounds, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (bounds[i].value < bounds[i].low || bounds[i].value > bounds[i].high)
            return wrong(r, "%s: %d is not %d..%d", bounds[i].path, bounds[i].value, bounds[i].low, bounds[i].high);
    return LR_OK;
}

#define IN_BOUNDS(r, bounds) in_bounds(r, bounds, sizeof(bounds) / sizeof *(bounds))

/* The same for element `index` of a list; the bounds' paths are those inside it. */
static int in_bounds_of(const struct reader *r, const char *list, unsigned index, const struct bound *bounds,
                        size_t count) {
    for (size_t i = 0; i < count; i++)
        if (bounds[i].value < bounds[i].low || bounds[i].value > bounds[i].high)
            return wrong(r, "%s[%u].%s: %d is not %d..%d", list, index, bounds[i].path, bounds[i].value, bounds[i].low,
                         bounds[i].high);
    return LR_OK;
}

#define IN_BOUNDS_OF(r, list, index, bounds) in_bounds_of(r, list, index, bounds, sizeof(bounds) / sizeof *(bounds))

/* A name for people: 1 to 31 characters without control characters. */
static int take_name(const struct reader *r, char name[BRIGADE_NAME], const char *given, const char *path) {
    const size_t length = strlen(given);
    if (length == 0 || length >= BRIGADE_NAME)
        return wrong(r, "%s: \"%.40s\" has not 1..%d characters", path, given, BRIGADE_NAME - 1);
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)given[i] < ' ' || given[i] == 0x7f)
            return wrong(r, "%s: \"%.40s\" holds a control character", path, given);
    memcpy(name, given, length + 1);
    return LR_OK;
}

static bool is_hex(const char *text) { return strlen(text) == 4 && strspn(text, "0123456789") == 4; }

static int take_hex(const struct reader *r, uint16_t *cell, const char *hex, const char *path) {
    if (!is_hex(hex)) return wrong(r, "%s: \"%.40s\" is not a hex: four digits in quotes, as \"0708\"", path, hex);
    const int found = brigade_cell(r->b, hex);
    if (found < 0) return wrong(r, "%s: \"%s\" is off the %d x %d map", path, hex, r->b->columns, r->b->map_rows);
    *cell = (uint16_t)found;
    return LR_OK;
}

static int take_open_hex(const struct reader *r, uint16_t *cell, const char *hex, const char *path) {
    const int code = take_hex(r, cell, hex, path);
    if (code) return code;
    if (r->b->terrains[r->b->terrain[*cell]].prohibited)
        return wrong(r, "%s: \"%s\" is prohibited terrain (%s)", path, hex, r->b->terrains[r->b->terrain[*cell]].name);
    return LR_OK;
}

/* The direction from a hex to the hex next to it, -1 if they are not adjacent. Usable before the map is computed. */
static int direction_between(const struct brigade *b, int from, int to) {
    const int lower = from % b->stride % 2; /* counted from 0, the lower columns are the odd ones */
    const int columns = to % b->stride - from % b->stride, rows = to / b->stride - from / b->stride;
    const int step[6][2] = {{0, -1}, {1, lower - 1}, {1, lower}, {0, 1}, {-1, lower}, {-1, lower - 1}};
    for (int d = 0; d < 6; d++)
        if (step[d][0] == columns && step[d][1] == rows) return d;
    return -1;
}

/* ---- Charts ------------------------------------------------------------------------------------ */

static int take_movement(const struct reader *r, const struct file_charts *f) {
    struct brigade *b = r->b;
    const struct bound bounds[] = {
        {"movement.infantry", f->movement.infantry, 1, MOST_MP},
        {"movement.mounted", f->movement.mounted, 1, MOST_MP},
        {"movement.dismounted", f->movement.dismounted, 1, MOST_MP},
        {"movement.limbered", f->movement.limbered, 1, MOST_MP},
        {"movement.unlimbered", f->movement.unlimbered, 0, MOST_MP},
        {"movement.leader", f->movement.leader, 1, MOST_MP},
        {"movement.formation", f->movement.formation, 1, MOST_MP}, /* at least 1: every action makes progress */
        {"movement.leave_zone", f->movement.leave_zone, 0, 9},
        {"movement.level", f->movement.level, 0, 9},
        {"movement.column_distance", f->movement.column_distance, 0, BRIGADE_RANGE - 1},
        {"command.radius", f->command.radius, 0, MOST_MP},
        {"command.replacement_radius", f->command.replacement_radius, 0, MOST_MP},
    };
    const int code = IN_BOUNDS(r, bounds);
    if (code) return code;
    b->allowance.infantry = (uint8_t)(HALF * f->movement.infantry);
    b->allowance.mounted = (uint8_t)(HALF * f->movement.mounted);
    b->allowance.dismounted = (uint8_t)(HALF * f->movement.dismounted);
    b->allowance.limbered = (uint8_t)(HALF * f->movement.limbered);
    b->allowance.unlimbered = (uint8_t)(HALF * f->movement.unlimbered);
    b->allowance.leader = (uint8_t)(HALF * f->movement.leader);
    b->allowance.formation = (uint8_t)(HALF * f->movement.formation);
    b->allowance.leave_zone = (uint8_t)(HALF * f->movement.leave_zone);
    b->allowance.level = (uint8_t)(HALF * f->movement.level);
    b->column_distance = (uint8_t)f->movement.column_distance;
    b->radius = (uint8_t)f->command.radius;
    b->replacement_radius = (uint8_t)f->command.replacement_radius;
    return LR_OK;
}

static int take_terrain(const struct reader *r, const struct file_charts *f, unsigned i) {
    struct brigade *b = r->b;
    const struct file_terrain *t = &f->terrain.list[i];
    const int least = t->prohibited ? 0 : 1; /* a step costs something: every action makes progress */
    const struct bound bounds[] = {
        {"foot", t->foot, least, MOST_STEP_MP},
        {"mounted", t->mounted, least, MOST_STEP_MP},
        {"limbered", t->limbered, least, MOST_STEP_MP},
        {"die", t->die, -9, 9},
        {"morale", t->morale, -9, 9},
    };
    char path[64];
    snprintf(path, sizeof path, "terrain.list[%u].name", i);
    int code = IN_BOUNDS_OF(r, "terrain.list", i, bounds);
    if (!code) code = take_name(r, b->terrains[i].name, t->name, path);
    if (code) return code;
    if (strlen(t->letter) != 1 || !isgraph((unsigned char)t->letter[0]))
        return wrong(r, "terrain.list[%u].letter: \"%.20s\" is not one letter or sign", i, t->letter);
    for (unsigned k = 0; k < i; k++)
        if (b->terrains[k].letter == t->letter[0] || !strcmp(b->terrains[k].name, t->name))
            return wrong(r, "terrain.list[%u]: terrain %u has that name or letter already", i, k);
    b->terrains[i].letter = t->letter[0];
    b->terrains[i].cost[FOOT] = (uint8_t)(HALF * t->foot);
    b->terrains[i].cost[MOUNTED] = (uint8_t)(HALF * t->mounted);
    b->terrains[i].cost[LIMBERED] = (uint8_t)(HALF * t->limbered);
    b->terrains[i].die = (int8_t)t->die;
    b->terrains[i].morale = (int8_t)t->morale;
    b->terrains[i].blocks_sight = t->blocks_sight;
    b->terrains[i].column = t->column;
    b->terrains[i].prohibited = t->prohibited;
    return LR_OK;
}

static int take_ground(const struct reader *r, const struct file_charts *f) {
    struct brigade *b = r->b;
    for (unsigned i = 0; i < f->terrain.list_count; i++) {
        const int code = take_terrain(r, f, i);
        if (code) return code;
    }
    b->terrain_count = (int)f->terrain.list_count;
    const struct bound road[] = {
        {"terrain.road.foot", f->terrain.road.foot, 1, MOST_STEP_MP},
        {"terrain.road.mounted", f->terrain.road.mounted, 1, MOST_STEP_MP},
        {"terrain.road.limbered", f->terrain.road.limbered, 1, MOST_STEP_MP},
    };
    int code = IN_BOUNDS(r, road);
    b->road_cost[FOOT] = (uint8_t)(HALF * f->terrain.road.foot);
    b->road_cost[MOUNTED] = (uint8_t)(HALF * f->terrain.road.mounted);
    b->road_cost[LIMBERED] = (uint8_t)(HALF * f->terrain.road.limbered);
    for (unsigned i = 0; !code && i < f->water.list_count; i++) {
        const struct file_water_kind *w = &f->water.list[i];
        const struct bound water[] = {{"foot", w->foot, 0, MOST_STEP_MP},
                                      {"mounted", w->mounted, 0, MOST_STEP_MP},
                                      {"limbered", w->limbered, 0, MOST_STEP_MP}};
        code = IN_BOUNDS_OF(r, "water.list", i, water);
        for (unsigned k = 0; !code && k < i; k++)
            if (!strcmp(f->water.list[k].name, w->name)) code = wrong(r, "water.list[%u].name: as in [%u]", i, k);
        b->water_cost[i][FOOT] = (uint8_t)(HALF * w->foot);
        b->water_cost[i][MOUNTED] = (uint8_t)(HALF * w->mounted);
        b->water_cost[i][LIMBERED] = (uint8_t)(HALF * w->limbered);
    }
    b->water_count = (int)f->water.list_count;
    return code;
}

static int take_reach(const struct reader *r, const char *arm, uint8_t multiplier[BRIGADE_RANGE],
                      const struct reach_list *list) {
    int from = 1;
    for (unsigned i = 0; i < list->count; i++) {
        const struct bound bounds[] = {{"to", list->item[i].to, from, BRIGADE_RANGE - 1},
                                       {"halves", list->item[i].halves, 1, 8}};
        const int code = IN_BOUNDS_OF(r, arm, i, bounds);
        if (code) return code;
        while (from <= list->item[i].to) multiplier[from++] = (uint8_t)list->item[i].halves;
    }
    return LR_OK;
}

static int take_fire(const struct reader *r, const struct file_charts *f) {
    struct brigade *b = r->b;
    int code = take_reach(r, "fire.infantry", b->multiplier[ARM_INFANTRY], &f->fire.infantry);
    if (!code) code = take_reach(r, "fire.dismounted", b->multiplier[ARM_DISMOUNTED], &f->fire.dismounted);
    if (!code) code = take_reach(r, "fire.mounted", b->multiplier[ARM_MOUNTED], &f->fire.mounted);
    if (!code) code = take_reach(r, "fire.artillery", b->multiplier[ARM_ARTILLERY], &f->fire.artillery);
    const struct bound bounds[] = {
        {"modifiers.flank", f->modifiers.flank, -9, 9},
        {"modifiers.flank_hexes", f->modifiers.flank_hexes, 1, 6},
        {"modifiers.limbered", f->modifiers.limbered, 0, BRIGADE_COLUMNS - 1},
        {"modifiers.higher", f->modifiers.higher, -9, 9},
        {"morale.green", f->morale.green, 1, 10},
        {"morale.black", f->morale.black, 1, 10},
        {"morale.gold", f->morale.gold, 1, 10},
        {"morale.leader", f->morale.leader, -9, 9},
        {"morale.retreat", f->morale.retreat, 1, 9},
        {"morale.rout", f->morale.rout, 1, 9},
        {"morale.casualty", f->morale.casualty, 1, 11}, /* 11: never */
        {"morale.casualty_alone", f->morale.casualty_alone, 1, 11},
    };
    if (!code) code = IN_BOUNDS(r, bounds);
    b->flank_die = (int8_t)f->modifiers.flank;
    b->flank_hexes = (uint8_t)f->modifiers.flank_hexes;
    b->limbered_shift = (uint8_t)f->modifiers.limbered;
    b->higher_die = (int8_t)f->modifiers.higher;
    b->leader_morale = (int8_t)f->morale.leader;
    b->retreat_hexes = (uint8_t)f->morale.retreat;
    b->rout_hexes = (uint8_t)f->morale.rout;
    b->casualty_least = (uint8_t)f->morale.casualty;
    b->casualty_alone_least = (uint8_t)f->morale.casualty_alone;
    return code;
}

/* "-", "M", "n", "nR", each with an optional "*" behind (R 9.6). */
static bool read_result(const char *text, struct brigade_result *result) {
    *result = (struct brigade_result){.check = *text != '-'};
    if (*text >= '1' && *text <= '9') {
        result->loss = (uint8_t)(*text++ - '0');
        if (*text == 'R') result->retreat = true, text++;
    } else if (*text == '-' || *text == 'M')
        text++;
    else
        return false;
    if (*text == '*') result->leader = true, text++;
    return !*text;
}

static int take_combat(const struct reader *r, const struct file_charts *f) {
    struct brigade *b = r->b;
    const unsigned columns = f->combat.columns.count;
    for (unsigned i = 0; i < columns; i++) {
        const int least = i ? f->combat.columns.item[i - 1] + 1 : 1, value = f->combat.columns.item[i];
        if (value < least || value > 200 || (i == 0 && value != 1))
            return wrong(r, "combat.columns[%u]: %d: least strengths start at 1 and rise to 200 at most", i, value);
        b->combat_least[i] = (uint8_t)value;
    }
    b->combat_columns = (int)columns;
    for (unsigned die = 1; die <= 10; die++)
        for (unsigned i = 0; i < columns; i++) {
            const char *code = f->combat.codes[die - 1][i];
            if (!read_result(code, &b->combat[die][i]))
                return wrong(r, "combat.rows[%u][%u]: \"%.20s\" is none of -, M, n, nR, each with or without *",
                             die - 1, i, code);
        }
    return LR_OK;
}

static int take_charts(const struct reader *r, const struct file_charts *f) {
    int code = take_movement(r, f);
    if (!code) code = take_ground(r, f);
    if (!code) code = take_fire(r, f);
    if (!code) code = take_combat(r, f);
    return code;
}

/* ---- Map --------------------------------------------------------------------------------------- */

static int check_grid(const struct reader *r, const char *path, const struct text_list *grid) {
    const struct brigade *b = r->b;
    if (grid->count != b->map_rows) return wrong(r, "%s: %u rows, the map has %d", path, grid->count, b->map_rows);
    for (unsigned i = 0; i < grid->count; i++)
        if (strlen(grid->item[i]) != b->columns)
            return wrong(r, "%s[%u]: %zu letters, the map has %d columns", path, i, strlen(grid->item[i]), b->columns);
    return LR_OK;
}

static int terrain_of(const struct brigade *b, char letter) {
    for (int i = 0; i < b->terrain_count; i++)
        if (b->terrains[i].letter == letter) return i;
    return -1;
}

static int take_grids(const struct reader *r, const struct file_map *f) {
    struct brigade *b = r->b;
    int code = check_grid(r, "terrain.grid", &f->terrain.grid);
    if (!code) code = check_grid(r, "elevation.grid", &f->elevation.grid);
    if (code) return code;
    memset(b->terrain, BRIGADE_TERRAINS, sizeof b->terrain);
    for (int row = 0; row < b->map_rows; row++)
        for (int column = 0; column < b->columns; column++) {
            const int cell = row * b->stride + column;
            const char letter = f->terrain.grid.item[row][column], level = f->elevation.grid.item[row][column];
            const int terrain = terrain_of(b, letter);
            if (terrain < 0)
                return wrong(r, "terrain.grid[%d]: letter %d, '%c', is no terrain of the charts", row, column + 1,
                             letter);
            if (level < '0' || level > '9')
                return wrong(r, "elevation.grid[%d]: letter %d, '%c', is no digit", row, column + 1, level);
            b->terrain[cell] = (uint8_t)terrain;
            b->level[cell] = (uint8_t)(level - '0');
        }
    return LR_OK;
}

/* Two hexes that must lie next to each other: the first and the direction to the second. */
static int take_hexside(const struct reader *r, const char *const hex[2], const char *path, uint16_t cell[2], int *d) {
    for (int i = 0; i < 2; i++) {
        const int code = take_hex(r, &cell[i], hex[i], path);
        if (code) return code;
    }
    *d = direction_between(r->b, cell[0], cell[1]);
    return *d < 0 ? wrong(r, "%s: \"%s\" and \"%s\" are not adjacent", path, hex[0], hex[1]) : LR_OK;
}

static int opposite(int d) { return (d + 3) % 6; }

static int take_roads(const struct reader *r, const struct file_map *f) {
    for (unsigned i = 0; i < f->roads.list_count; i++) {
        const struct text_list *road = &f->roads.list[i].path;
        if (road->count < 2) return wrong(r, "roads.list[%u].path: %u hexes; a road needs two", i, road->count);
        for (unsigned k = 0; k + 1 < road->count; k++) {
            char path[64];
            uint16_t cell[2];
            int d;
            snprintf(path, sizeof path, "roads.list[%u].path[%u]", i, k);
            const int code = take_hexside(r, (const char *const[]){road->item[k], road->item[k + 1]}, path, cell, &d);
            if (code) return code;
            r->b->road[cell[0]] |= (uint8_t)(1 << d);
            r->b->road[cell[1]] |= (uint8_t)(1 << opposite(d));
        }
    }
    return LR_OK;
}

static int water_kind_of(const struct file_charts *charts, const char *kind) {
    for (unsigned i = 0; i < charts->water.list_count; i++)
        if (!strcmp(charts->water.list[i].name, kind)) return (int)i;
    return -1;
}

static int take_waters(const struct reader *r, const struct file_map *f, const struct file_charts *charts) {
    for (unsigned i = 0; i < f->water.list_count; i++) {
        const struct file_water *water = &f->water.list[i];
        const int kind = water_kind_of(charts, water->kind);
        if (kind < 0) return wrong(r, "water.list[%u].kind: the charts know no \"%.30s\"", i, water->kind);
        for (unsigned k = 0; k < water->sides_count; k++) {
            char path[64];
            uint16_t cell[2];
            int d;
            snprintf(path, sizeof path, "water.list[%u].sides[%u]", i, k);
            const int code =
                take_hexside(r, (const char *const[]){water->sides[k][0], water->sides[k][1]}, path, cell, &d);
            if (code) return code;
            if (r->b->water[cell[0]][d]) return wrong(r, "%s: that hexside has water already", path);
            r->b->water[cell[0]][d] = r->b->water[cell[1]][opposite(d)] = (uint8_t)(1 + kind);
        }
    }
    return LR_OK;
}

static int take_places(const struct reader *r, const struct file_map *f) {
    for (unsigned i = 0; i < f->places.list_count; i++) {
        char path[64];
        uint16_t cell;
        snprintf(path, sizeof path, "places.list[%u]", i);
        int code = take_hex(r, &cell, f->places.list[i].hex, path);
        if (code) return code;
        if (r->b->place[cell][0]) return wrong(r, "%s: \"%s\" has a name already", path, f->places.list[i].hex);
        code = take_name(r, r->b->place[cell], f->places.list[i].name, path);
        if (code) return code;
    }
    return LR_OK;
}

static int take_map(const struct reader *r, const struct file_map *f, const struct file_charts *charts) {
    struct brigade *b = r->b;
    const struct bound bounds[] = {{"columns", f->columns, 2, 61}, {"rows", f->rows, 2, 99}};
    int code = IN_BOUNDS(r, bounds);
    if (code) return code;
    if ((f->columns + 1) * f->rows > BRIGADE_CELLS)
        return wrong(r, "rows: (%d columns + 1) x %d rows are more than %d", f->columns, f->rows, BRIGADE_CELLS);
    b->columns = (uint8_t)f->columns;
    b->map_rows = (uint8_t)f->rows;
    b->stride = (uint8_t)(f->columns + 1);
    code = take_grids(r, f);
    if (!code) code = take_roads(r, f);
    if (!code) code = take_waters(r, f, charts);
    if (!code) code = take_places(r, f);
    if (code) return code;
    brigade_compute_map(b);
    brigade_compute_sight(b);
    for (int gait = 0; gait < BRIGADE_GAITS; gait++)
        if (b->walk[gait].full_count > BRIGADE_STEPS || b->walk[gait].column_count > BRIGADE_STEPS)
            return wrong(r, "the ground has more than %d kinds of step cost for one mover",
                         BRIGADE_STEPS);
    return LR_OK;
}

/* ---- Roster ------------------------------------------------------------------------------------ */

/* Lower case; every run of anything but letters and digits becomes one hyphen, none at the ends. */
static void make_text(char text[BRIGADE_NAME], const char *name) {
    size_t length = 0;
    bool gap = false;
    for (; *name; name++) {
        if (!isalnum((unsigned char)*name) || (unsigned char)*name > 127) {
            gap = true;
            continue;
        }
        if (gap && length) text[length++] = '-';
        gap = false;
        text[length++] = (char)tolower((unsigned char)*name);
    }
    text[length] = 0;
}

static int take_unit_numbers(const struct reader *r, const struct file_piece *f, unsigned i,
                             struct brigade_piece *piece, const struct file_charts *charts) {
    const int value[] = {0, charts->morale.green, charts->morale.black, charts->morale.gold};
    if (f->type == LEADER) {
        if (f->strength || f->back || f->morale || f->independent)
            return wrong(r, "pieces[%u]: a leader has no strength, back, morale or independence", i);
        piece->strength = 2;
        return LR_OK;
    }
    const int most_back = f->type == ARTILLERY ? 0 : f->strength - 1; /* R 3.3.2: only foot and horse shatter */
    const struct bound bounds[] = {{"strength", f->strength, 1, MOST_SP}, {"back", f->back, 0, most_back}};
    const int code = IN_BOUNDS_OF(r, "pieces", i, bounds);
    if (code) return code;
    if (!f->morale) return wrong(r, "pieces[%u].morale: green, black or gold is missing", i);
    piece->strength = (uint8_t)f->strength;
    piece->back = (uint8_t)f->back;
    piece->morale = (uint8_t)value[f->morale];
    piece->independent = f->independent;
    return LR_OK;
}

static int take_piece(const struct reader *r, const struct file_piece *f, unsigned i, int row,
                      const struct file_charts *charts) {
    struct brigade_piece *piece = &r->b->piece[row];
    char path[64];
    snprintf(path, sizeof path, "pieces[%u].name", i);
    int code = take_name(r, piece->name, f->name, path);
    if (code) return code;
    make_text(piece->text, piece->name);
    if (!piece->text[0]) return wrong(r, "%s: \"%s\" has neither letters nor digits", path, f->name);
    for (int other = 0; other < BRIGADE_ROWS; other++)
        if (other != row && !strcmp(r->b->piece[other].text, piece->text))
            return wrong(r, "%s: \"%s\" cannot be told from \"%s\"", path, f->name, r->b->piece[other].name);
    piece->type = (uint8_t)f->type;
    snprintf(path, sizeof path, "pieces[%u].division", i);
    if (f->division[0]) code = take_name(r, piece->division, f->division, path);
    snprintf(path, sizeof path, "pieces[%u].superior", i);
    if (!code && f->superior[0]) code = take_name(r, piece->superior, f->superior, path);
    return code ? code : take_unit_numbers(r, f, i, piece, charts);
}

static int row_named(const struct brigade *b, const char *name) {
    for (int row = 0; row < BRIGADE_ROWS; row++)
        if (b->piece[row].name[0] && !strcmp(b->piece[row].name, name)) return row;
    return -1;
}

static int check_superiors(const struct reader *r, const struct file_units *f) {
    for (unsigned i = 0; i < f->pieces_count; i++) {
        if (!f->pieces[i].superior[0]) continue;
        const int row = row_named(r->b, f->pieces[i].superior);
        if (row < 0 || r->b->piece[row].type != LEADER || side_of(row) != f->pieces[i].side)
            return wrong(r, "pieces[%u].superior: \"%.40s\" is no leader of that side", i, f->pieces[i].superior);
    }
    return LR_OK;
}

static int take_units(const struct reader *r, const struct file_units *f, const struct file_charts *charts) {
    int next[2] = {0, BRIGADE_SIDE}, leaders = 0;
    for (unsigned i = 0; i < f->pieces_count; i++) {
        const int side = f->pieces[i].side;
        if (next[side] == (side + 1) * BRIGADE_SIDE)
            return wrong(r, "pieces[%u]: more than %d pieces of that side", i, BRIGADE_SIDE);
        if (f->pieces[i].type == LEADER && ++leaders > BRIGADE_LEADERS)
            return wrong(r, "pieces[%u]: more than %d leaders", i, BRIGADE_LEADERS);
        const int code = take_piece(r, &f->pieces[i], i, next[side]++, charts);
        if (code) return code;
    }
    return check_superiors(r, f);
}

/* ---- The scenario ------------------------------------------------------------------------------ */

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

/* ---- Bounds ------------------------------------------------------------------------------------ */

static int take_score_bounds(const struct reader *r) {
    struct brigade *b = r->b;
    const int turns = b->last_turn - b->first_turn + 1;
    int worth[2] = {0, 0}; /* what a side can lose: its SP, and two casualties a leader (ruling 44) */
    for (int row = 0; row < BRIGADE_ROWS; row++)
        if (has(b->present, row)) worth[side_of(row)] += b->piece[row].strength;
    for (int i = 0; i < b->group_count; i++) worth[side_of(lowest(b->group[i].rows))] += b->group[i].penalty;
    b->score_low = -worth[LR_UNION];
    b->score_high = worth[LR_CONFEDERATE] + board_count(&b->stars) * b->star_points * turns;
    /* Observations hold no more. */
    if (b->score_low < -MOST_VP || b->score_high > MOST_VP)
        return wrong(r, "victory: %d..%d points can be won; %d are the most", b->score_low, b->score_high, MOST_VP);
    return LR_OK;
}

/* An upper bound of the decisions and chance nodes of a game. With u units, l leaders and n pieces of both sides
 * together, s the greatest strength, and counting everything that could be asked:
 *
 * - Set-up asks once a piece: n.
 * - An attack asks TARGET, the verb fire, FIRE, MORALE, ADVANCE, RETREAT-TO twice, REROLL for FIRE and MORALE (9), and
 *   a leader's die, FIRE or CASUALTY, with its REROLL (2 l: one die a leader an attack). A leader is placed at most
 *   four times: driven off once, for then he is with a unit; after his die; after the death of his unit; and once
 *   more by the advance (4 l). A retreat goes its given hexes, and further only from a hex in an enemy zone, which
 *   cost an SP (at most s of these), or from one that a friend holds, each entered once (at most u): r = hexes + s + u
 *   steps; and there are two, the retreat and the rout: 2 r. In all a = 9 + 6 l + 2 r.
 * - In the three segments of a half-turn each unit fires once at most: the active side's guns in the first, the other
 *   side in the second, the active side's foot and horse in the third. So at most u attacks and u JOINs, and `end
 *   fire` 3 times.
 * - Movement asks PICK n + 1 times, of each piece ENTER twice, and MOVE: each spends a half point at least (formations
 *   and steps cost something: checked above) or is the last, so at most m + 1 with m the largest allowance; and l
 *   placements, for who was driven off is with a unit that stays.
 * - Rally: a die and its REROLL a unit. Arrivals: a die a group a half-turn.
 * - Each marker buys one extra die in the game. */
static int find_max_decisions(const struct brigade *b) {
    const int u = __builtin_popcountll(b->units), l = __builtin_popcountll(b->leaders), n = u + l;
    int s = 0;
    for (int row = 0; row < BRIGADE_ROWS; row++)
        if (has(b->units, row) && b->piece[row].strength > s) s = b->piece[row].strength;
    const int hexes = b->retreat_hexes > b->rout_hexes ? b->retreat_hexes : b->rout_hexes;
    const int a = 9 + 6 * l + 2 * (hexes + s + u);
    int m = b->allowance.infantry;
    const int others[] = {b->allowance.mounted, b->allowance.dismounted, b->allowance.limbered, b->allowance.unlimbered,
                          b->allowance.leader};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i] > m) m = others[i];
    const int fire = u * (a + 1) + 3, move = n * (m + 4) + 1 + l, rest = 2 * u + b->group_count;
    const int half_turns = 2 * (b->last_turn - b->first_turn + 1);
    return n + half_turns * (fire + move + rest) + b->marker_count[0] + b->marker_count[1];
}

/* ---- Hash -------------------------------------------------------------------------------------- */

static void hash_number(XXH3_state_t *hash, int64_t value) {
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++) bytes[i] = (uint8_t)((uint64_t)value >> (8 * i)); /* the same on every machine */
    XXH3_64bits_update(hash, bytes, sizeof bytes);
}

static void hash_text(XXH3_state_t *hash, const char *text) { XXH3_64bits_update(hash, text, strlen(text) + 1); }

static void hash_bytes(XXH3_state_t *hash, const uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) hash_number(hash, bytes[i]);
}

static void hash_board(XXH3_state_t *hash, const board *cells) {
    for (int i = 0; i < 8; i++) hash_number(hash, (int64_t)cells->word[i]);
}

static void hash_map(XXH3_state_t *hash, const struct brigade *b) {
    hash_number(hash, b->columns);
    hash_number(hash, b->map_rows);
    board cells = b->map;
    for (int cell; (cell = board_next(&cells)) >= 0;) {
        hash_number(hash, b->terrain[cell]);
        hash_number(hash, b->level[cell]);
        hash_number(hash, b->road[cell]);
        hash_bytes(hash, b->water[cell], 6);
        hash_text(hash, b->place[cell]);
    }
}

static void hash_charts(XXH3_state_t *hash, const struct brigade *b) {
    hash_number(hash, b->terrain_count);
    for (int i = 0; i < b->terrain_count; i++) {
        hash_text(hash, b->terrains[i].name);
        hash_number(hash, b->terrains[i].letter);
        hash_bytes(hash, b->terrains[i].cost, BRIGADE_GAITS);
        hash_number(hash, b->terrains[i].die);
        hash_number(hash, b->terrains[i].morale);
        hash_number(hash, b->terrains[i].blocks_sight | b->terrains[i].column << 1 | b->terrains[i].prohibited << 2);
    }
    hash_bytes(hash, b->road_cost, BRIGADE_GAITS);
    hash_number(hash, b->water_count);
    for (int i = 0; i < b->water_count; i++) hash_bytes(hash, b->water_cost[i], BRIGADE_GAITS);
    const int numbers[] = {b->allowance.infantry,
                           b->allowance.mounted,
                           b->allowance.dismounted,
                           b->allowance.limbered,
                           b->allowance.unlimbered,
                           b->allowance.leader,
                           b->allowance.formation,
                           b->allowance.leave_zone,
                           b->allowance.level,
                           b->column_distance,
                           b->radius,
                           b->replacement_radius,
                           b->flank_die,
                           b->flank_hexes,
                           b->limbered_shift,
                           b->higher_die,
                           b->leader_morale,
                           b->retreat_hexes,
                           b->rout_hexes,
                           b->casualty_least,
                           b->casualty_alone_least,
                           b->combat_columns};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) hash_number(hash, numbers[i]);
    for (int arm = 0; arm < BRIGADE_ARMS; arm++) hash_bytes(hash, b->multiplier[arm], BRIGADE_RANGE);
    hash_bytes(hash, b->combat_least, (size_t)b->combat_columns);
    for (int die = 1; die <= 10; die++)
        for (int i = 0; i < b->combat_columns; i++) {
            const struct brigade_result *c = &b->combat[die][i];
            hash_number(hash, c->loss | c->check << 8 | c->retreat << 9 | c->leader << 10);
        }
}

static void hash_pieces(XXH3_state_t *hash, const struct brigade *b) {
    hash_number(hash, (int64_t)b->present);
    for (int row = 0; row < BRIGADE_ROWS; row++) {
        const struct brigade_piece *p = &b->piece[row];
        hash_text(hash, p->name);
        hash_text(hash, p->division);
        hash_text(hash, p->superior);
        const int numbers[] = {p->type, p->strength, p->back, p->morale, p->independent, p->set_up, p->group, p->cell};
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) hash_number(hash, numbers[i]);
        hash_number(hash, (int64_t)b->leader_with[row]);
    }
    hash_number(hash, b->group_count);
    for (int i = 0; i < b->group_count; i++) {
        const struct brigade_group *g = &b->group[i];
        hash_text(hash, g->name);
        hash_number(hash, (int64_t)g->rows);
        const int numbers[] = {g->turn,       g->latest,         g->entry,   g->subject,      g->die_turn,
                               g->every_from, g->every_modifier, g->penalty, g->penalty_until};
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) hash_number(hash, numbers[k]);
        hash_bytes(hash, g->die_result, sizeof g->die_result);
    }
}

static void hash_scenario(XXH3_state_t *hash, const struct brigade *b) {
    hash_text(hash, b->title);
    const int numbers[] = {b->first_turn,    b->last_turn,       b->first_player,   b->frozen_before, b->slow.side,
                           b->slow.turn,     b->slow.allowance,  b->star_points,    b->union_net,     b->union_stars,
                           b->retreat_count, b->marker_count[0], b->marker_count[1]};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) hash_number(hash, numbers[i]);
    for (int turn = 0; turn < BRIGADE_TURNS; turn++) {
        hash_number(hash, b->night[turn] | b->artillery_only[turn] << 1);
        hash_text(hash, b->clock[turn]);
    }
    hash_number(hash, (int64_t)b->frozen);
    for (int i = 0; i < b->retreat_count; i++) {
        hash_number(hash, (int64_t)b->retreat[i].rows);
        hash_number(hash, b->retreat[i].cell);
    }
    for (int side = 0; side < 2; side++) hash_bytes(hash, b->marker[side], (size_t)b->marker_count[side]);
    hash_board(hash, &b->stars);
}

static uint64_t hash_all(const struct brigade *b) {
    XXH3_state_t hash;
    XXH3_64bits_reset(&hash);
    hash_map(&hash, b);
    hash_charts(&hash, b);
    hash_pieces(&hash, b);
    hash_scenario(&hash, b);
    return XXH3_64bits_digest(&hash);
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
    brigade_yaml_free(&file_charts_columns_schema, data);
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
    if (map) brigade_yaml_free(&file_map_schema, map);
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
    if (units) brigade_yaml_free(&file_units_schema, units);
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
    if (charts) brigade_yaml_free(&schema.charts, charts);
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
    brigade_yaml_free(&file_scenario_schema, scenario);
    if (!b) return lr_fail(error, LR_E_MEMORY, "no memory for a game of brigade");
    if (!code) code = take_score_bounds(&reader);
    if (code) {
        free(b);
        return code;
    }
    brigade_compute_observation(b);
    b->max_decisions = find_max_decisions(b);
    info->title = b->title;
    info->scenario_hash = hash_all(b);
    info->max_decisions = b->max_decisions;
    info->score_low = b->score_low;
    info->score_high = b->score_high;
    *rules = b;
    return LR_OK;
}

void brigade_close(void *rules) { free(rules); }
