/* map.c: the fixed tables of a map: neighbours, distances, and what every possible step costs each kind of mover.
 *
 * Computed once, when a scenario opens; play only reads them. Flat-top hexes stand in columns, EVEN columns half a
 * hex lower. Movement floods go over `walk`: for each cost of a step and each shift of a cell number the cells entered,
 * so that one shift and one AND move a whole frontier. */
#include "brigade.h"

enum { HALF_POINT = 1, COLUMN_STEP = HALF_POINT, NOT_A_STEP = -1 };

static bool on_map(const struct brigade *b, int column, int row) {
    return column >= 1 && column <= b->columns && row >= 1 && row <= b->map_rows;
}

static int cell_at(const struct brigade *b, int column, int row) { return (row - 1) * b->stride + (column - 1); }

int brigade_cell(const struct brigade *b, const char *hex) {
    for (int i = 0; i < 4; i++)
        if (hex[i] < '0' || hex[i] > '9') return -1;
    if (hex[4]) return -1;
    const int column = (hex[0] - '0') * 10 + hex[1] - '0', row = (hex[2] - '0') * 10 + hex[3] - '0';
    return on_map(b, column, row) ? cell_at(b, column, row) : -1;
}

void brigade_hex(const struct brigade *b, int cell, char hex[5]) {
    const int column = cell % b->stride + 1, row = cell / b->stride + 1;
    hex[0] = (char)('0' + column / 10 % 10);
    hex[1] = (char)('0' + column % 10);
    hex[2] = (char)('0' + row / 10 % 10);
    hex[3] = (char)('0' + row % 10);
    hex[4] = 0;
}

/* N NE SE S SW NW of a hex, BRIGADE_CELLS where the map ends. */
static void find_neighbours(struct brigade *b, int column, int row) {
    const int lower = column % 2 == 0; /* an even column stands half a hex lower */
    const int to[6][2] = {{0, -1}, {1, lower - 1}, {1, lower}, {0, 1}, {-1, lower}, {-1, lower - 1}};
    uint16_t *neighbour = b->neighbour[cell_at(b, column, row)];
    for (int d = 0; d < 6; d++) {
        const int c = column + to[d][0], r = row + to[d][1];
        neighbour[d] = (uint16_t)(on_map(b, c, r) ? cell_at(b, c, r) : BRIGADE_CELLS);
    }
}

static void place_hex(struct brigade *b, int column, int row) {
    const int cell = cell_at(b, column, row), q = column - 1;
    board_add(&b->map, (unsigned)cell);
    board_add(&b->terrain_board[b->terrain[cell]], (unsigned)cell);
    if (!b->terrains[b->terrain[cell]].prohibited) board_add(&b->open, (unsigned)cell);
    if (column == 1 || column == b->columns || row == 1 || row == b->map_rows) board_add(&b->edge, (unsigned)cell);
    b->hex_column[cell] = (uint8_t)column;
    b->hex_row[cell] = (uint8_t)row;
    b->cube_q[cell] = (int8_t)q;
    b->cube_r[cell] = (int8_t)(row - 1 - q / 2);
    find_neighbours(b, column, row);
}

/* The open neighbours of a cell, and the cells near it. */
static void find_surroundings(struct brigade *b, unsigned cell) {
    for (int d = 0; d < 6; d++) {
        const unsigned to = b->neighbour[cell][d];
        if (to < BRIGADE_CELLS && board_test(&b->open, to)) board_add(&b->adjacent[cell], to);
    }
    board others = b->map;
    for (int other; (other = board_next(&others)) >= 0;)
        if (distance(b, cell, (unsigned)other) <= b->column_distance) board_add(&b->within[cell], (unsigned)other);
}

/* Half points for the step from `from` in direction d. `halved`: in column, R 8.4: NOT_A_STEP where that halves
 * nothing (rulings 16, 17). A road bridges the water it crosses; levels cost in full everywhere (ruling 18). */
static int step_cost(const struct brigade *b, unsigned from, int d, enum brigade_gait gait, bool halved) {
    const unsigned to = b->neighbour[from][d];
    if (to >= BRIGADE_CELLS || !board_test(&b->open, to) || !board_test(&b->open, from)) return NOT_A_STEP;
    const bool road = b->road[from] >> d & 1;
    const int terrain = b->terrain[to], kind = b->water[from][d];
    if (halved && !road && !b->terrains[terrain].column) return NOT_A_STEP;
    int cost = halved ? COLUMN_STEP : road ? b->road_cost[gait] : b->terrains[terrain].cost[gait];
    if (kind && !road) cost += b->water_cost[kind - 1][gait];
    const int levels = b->level[from] - b->level[to];
    return cost + b->allowance.level * (levels < 0 ? -levels : levels);
}

/* The most that any piece of this gait may ever spend: dearer steps cannot be taken and are left out. */
static int most_to_spend(const struct brigade *b, enum brigade_gait gait) {
    if (gait == MOUNTED) return b->allowance.mounted;
    if (gait == LIMBERED) return b->allowance.limbered;
    int most = b->allowance.infantry;
    if (b->allowance.dismounted > most) most = b->allowance.dismounted;
    if (b->allowance.leader > most) most = b->allowance.leader;
    return most;
}

/* Position of the shift from one cell to a neighbour among BRIGADE_SHIFTS. */
static int shift_of(const struct brigade *b, unsigned from, unsigned to) {
    const int by = (int)to - (int)from, up = by < 0 ? -by : by;
    const int which = up == 1 ? 0 : up - b->stride + 2;
    return by < 0 ? which + BRIGADE_SHIFTS / 2 : which;
}

/* All steps of one gait, by ascending cost. More kinds of cost than there is room for are counted and not kept, so that
 * the scenario can be refused. Returns the dearest. */
static int find_steps(const struct brigade *b, enum brigade_gait gait, bool halved, struct brigade_step *steps, int *count) {
    struct brigade_step by_cost[BRIGADE_ALLOWANCE + 1] = {0};
    const int most = most_to_spend(b, gait);
    int dearest = 0;
    board cells = b->map;
    for (int from; (from = board_next(&cells)) >= 0;)
        for (int d = 0; d < 6; d++) {
            const int cost = step_cost(b, (unsigned)from, d, gait, halved);
            if (cost > dearest) dearest = cost;
            if (cost == NOT_A_STEP || cost > most) continue;
            const unsigned to = b->neighbour[from][d];
            board_add(&by_cost[cost].into[shift_of(b, (unsigned)from, to)], to);
        }
    for (int cost = 0; cost <= most; cost++) {
        bool any = false;
        for (int i = 0; i < BRIGADE_SHIFTS; i++) any |= board_any(&by_cost[cost].into[i]);
        if (!any) continue;
        by_cost[cost].cost = (uint8_t)cost;
        if (*count < BRIGADE_STEPS) steps[*count] = by_cost[cost];
        ++*count;
    }
    return dearest;
}

static void find_cheapest(struct brigade *b, unsigned from, enum brigade_gait gait) {
    uint8_t *full = &b->cheapest[gait][0][from], *halved = &b->cheapest[gait][1][from];
    *full = *halved = UINT8_MAX;
    for (int d = 0; d < 6; d++) {
        const int step = step_cost(b, from, d, gait, false), half = step_cost(b, from, d, gait, true);
        if (step != NOT_A_STEP && step < *full) *full = (uint8_t)step;
        if (half != NOT_A_STEP && half < *halved) *halved = (uint8_t)half;
    }
    if (*full < *halved) *halved = *full;
}

static void find_walk(struct brigade *b, enum brigade_gait gait) {
    struct brigade_walk *walk = &b->walk[gait];
    walk->dearest = find_steps(b, gait, false, walk->full, &walk->full_count);
    find_steps(b, gait, true, walk->column, &walk->column_count);
    board cells = b->map;
    for (int cell; (cell = board_next(&cells)) >= 0;) find_cheapest(b, (unsigned)cell, gait);
}

void brigade_compute_map(struct brigade *b) {
    b->stride = (uint8_t)(b->columns + 1);
    for (unsigned cell = 0; cell < BRIGADE_CELLS; cell++) {
        if (cell % b->stride % 2 == 0) board_add(&b->odd, cell);
        for (int d = 0; d < 6; d++) b->neighbour[cell][d] = BRIGADE_CELLS;
    }
    for (int row = 1; row <= b->map_rows; row++)
        for (int column = 1; column <= b->columns; column++) place_hex(b, column, row);
    board cells = b->map;
    for (int cell; (cell = board_next(&cells)) >= 0;) find_surroundings(b, (unsigned)cell);
    for (int gait = 0; gait < BRIGADE_GAITS; gait++) find_walk(b, (enum brigade_gait)gait);
}
