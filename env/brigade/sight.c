/* sight.c: who sees whom: line of sight between all pairs of hexes, once and for all (R 9.4, ruling 28).
 *
 * A line runs from centre to centre. Which hexes it crosses depends only on the difference of the two hexes and on
 * the parity of the first column, so each such line is drawn once, in exact integers, and then laid over the map.
 *
 * Coordinates: a centre is at x = 3 * column, y = 2 * row, one more in even columns; the vertices of its hex lie at
 * (+-2, 0) and (+-1, +-1). Real lengths go as x * x + 3 * y * y. */
#include "brigade.h"

enum { LONGEST = 2 * (2 * BRIGADE_RANGE + 2), FAR = 64 /* an even column and row well inside the plane */ };

/* A hex, or the two hexes on both sides of an edge, which the line crosses: offsets in columns and rows. */
struct crossing {
    int8_t column[2], row[2];
    int8_t hexes; /* 1, or 2: the line runs along their common edge */
};

struct line {
    struct crossing crossing[LONGEST];
    int count;
};

struct point {
    int x, y;
};

static struct point centre(int column, int row) { return (struct point){3 * column, 2 * row + (column % 2 == 0)}; }

static int along(struct point line, struct point p) { return line.x * p.x + 3 * line.y * p.y; }

/* How the line from the origin through `line` meets the hex around p: 0 not at all or in a corner only, 1 through
 * its inside, 2 along an edge. */
static int meets(struct point line, struct point p) {
    static const int8_t vertex[6][2] = {{2, 0}, {1, 1}, {-1, 1}, {-2, 0}, {-1, -1}, {1, -1}};
    int left = 0, right = 0;
    for (int i = 0; i < 6; i++) {
        const int side = line.x * (p.y + vertex[i][1]) - line.y * (p.x + vertex[i][0]);
        left += side > 0;
        right += side < 0;
    }
    if (left && right) return 1;
    return left == 4 || right == 4 ? 2 : 0;
}

/* Two hexes along the same edge have the same foot on the line; no other pair does. */
static void add_crossing(struct line *line, int feet[], int foot, int hexes, int column, int row) {
    for (int i = 0; i < line->count && hexes == 2; i++)
        if (line->crossing[i].hexes == 2 && feet[i] == foot) {
            line->crossing[i].column[1] = (int8_t)column;
            line->crossing[i].row[1] = (int8_t)row;
            return;
        }
    feet[line->count] = foot;
    line->crossing[line->count++] = (struct crossing){{(int8_t)column}, {(int8_t)row}, (int8_t)hexes};
}

/* The hexes strictly between column `column`, row FAR and the hex that lies (columns, rows) from it. */
static void draw_line(struct line *line, int column, int columns, int rows) {
    const struct point from = centre(column, FAR), to = centre(column + columns, FAR + rows);
    const struct point span = {to.x - from.x, to.y - from.y};
    int feet[LONGEST];
    line->count = 0;
    const int least_column = columns < 0 ? columns : 0, most_column = columns < 0 ? 0 : columns;
    const int least_row = (rows < 0 ? rows : 0) - 1, most_row = (rows < 0 ? 0 : rows) + 1;
    for (int c = least_column - 1; c <= most_column + 1; c++)
        for (int r = least_row; r <= most_row; r++) {
            const struct point at = centre(column + c, FAR + r), p = {at.x - from.x, at.y - from.y};
            const int foot = along(span, p), hexes = meets(span, p);
            if (hexes && foot > 0 && foot < along(span, span)) add_crossing(line, feet, foot, hexes, c, r);
        }
}

/* The cell at an offset from a cell, BRIGADE_CELLS off the map. */
static unsigned cell_from(const struct brigade *b, unsigned cell, int columns, int rows) {
    const int column = (int)cell % b->stride + columns, row = (int)cell / b->stride + rows;
    if (column < 0 || column >= b->columns || row < 0 || row >= b->map_rows) return BRIGADE_CELLS;
    return (unsigned)(row * b->stride + column);
}

static bool ground_blocks(const struct brigade *b, unsigned cell, int height) {
    return b->terrains[b->terrain[cell]].blocks_sight || b->level[cell] > height;
}

static unsigned direction_bit(const struct brigade *b, unsigned from, unsigned to) {
    for (unsigned d = 0; d < 6; d++)
        if (b->neighbour[from][d] == to) return 1U << d;
    return 0;
}

/* Lays a line over the map from a to c. False: the ground hides c. *screen: as in brigade.h. */
static bool lay_line(const struct brigade *b, const struct line *line, unsigned a, unsigned c, unsigned *screen) {
    const int height = b->level[a] > b->level[c] ? b->level[a] : b->level[c];
    *screen = 0;
    for (int i = 0; i < line->count; i++) {
        const struct crossing *x = &line->crossing[i];
        unsigned cell[2] = {0};
        bool blocks[2] = {false, false};
        bool rim = false;
        for (int k = 0; k < x->hexes; k++) {
            cell[k] = cell_from(b, a, x->column[k], x->row[k]);
            if (cell[k] == BRIGADE_CELLS) rim = true;
            blocks[k] = cell[k] != BRIGADE_CELLS && ground_blocks(b, cell[k], height);
        }
        if (rim) continue; /* along the rim the missing side never blocks */
        if (x->hexes == 1) {
            if (blocks[0]) return false;
            *screen |= direction_bit(b, c, cell[0]);
            continue;
        }
        if (blocks[0] && blocks[1]) return false;
        const unsigned bits[2] = {direction_bit(b, c, cell[0]), direction_bit(b, c, cell[1])};
        if (!bits[0] || !bits[1]) continue;
        *screen |= blocks[0] ? bits[1] : blocks[1] ? bits[0] : bits[0] | bits[1] | SCREEN_BOTH;
    }
    return true;
}

static int longest_range(const struct brigade *b) {
    int longest = 1;
    for (int arm = 0; arm < BRIGADE_ARMS; arm++)
        for (int range = 1; range < BRIGADE_RANGE; range++)
            if (b->multiplier[arm][range] && range > longest) longest = range;
    return longest;
}

/* Every pair of hexes that lie (columns, rows) apart, the first in a column of this parity. */
static void look(struct brigade *b, int column, int columns, int rows, int range) {
    struct line line = {.count = -1};
    for (int first = column == FAR; first < b->columns; first += 2) /* counted from 0: even columns are odd here */
        for (int row = 0; row < b->map_rows; row++) {
            const unsigned a = (unsigned)(row * b->stride + first), c = cell_from(b, a, columns, rows);
            if (c == BRIGADE_CELLS) continue;
            const int hexes = distance(b, a, c);
            if (hexes == 0 || hexes > range) return; /* the same for all of these pairs */
            unsigned screen = 0;
            if (line.count < 0) draw_line(&line, column, columns, rows);
            if (hexes > 1 && !lay_line(b, &line, a, c, &screen)) continue;
            board_add(&b->sight[a], c);
            b->screen[a][c] = (uint8_t)screen;
        }
}

void brigade_compute_sight(struct brigade *b) {
    const int range = longest_range(b);
    for (int columns = -range; columns <= range; columns++)
        for (int rows = -range; rows <= range; rows++) {
            look(b, FAR, columns, rows, range);
            look(b, FAR + 1, columns, rows, range);
        }
}
