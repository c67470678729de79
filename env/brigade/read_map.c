/* read_map.c: map.yaml: terrain and levels as grids, roads, water, names of the ground. */
#include "read.h"

#include <stdio.h>
#include <string.h>

/* The direction from a hex to the hex next to it, -1 if they are not adjacent. Usable before the map is computed. */
static int direction_between(const struct brigade *b, int from, int to) {
    const int lower = from % b->stride % 2; /* counted from 0, the lower columns are the odd ones */
    const int columns = to % b->stride - from % b->stride, rows = to / b->stride - from / b->stride;
    const int step[6][2] = {{0, -1}, {1, lower - 1}, {1, lower}, {0, 1}, {-1, lower}, {-1, lower - 1}};
    for (int d = 0; d < 6; d++)
        if (step[d][0] == columns && step[d][1] == rows) return d;
    return -1;
}

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

int take_map(const struct reader *r, const struct file_map *f, const struct file_charts *charts) {
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
