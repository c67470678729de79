/* draw.c: the map as text for a terminal. Flat-top hexes in columns, six characters a column and two lines a row,
 * even columns one line lower, as half a hex lies.
 *
 * A hex is two lines: what stands there, and the ground below it:
 *
 *     U17r     a Union infantry unit of 17 SP, routed; Uc8 cavalry, Ua3 guns
 *     *=w^2    star, road, woods, a leader, level 2 */
#include "chapters.h"

#include <stdio.h>

enum { WIDE = 6, MARGIN = 4, MOST_COLUMNS = (120 - MARGIN) / WIDE };

enum paint { PLAIN, BLUE, RED, GREEN, YELLOW, CYAN, DIM, PAINTS };

static const char *const codes[PAINTS] = {"",         "\033[1;34m", "\033[1;31m", "\033[32m",
                                          "\033[33m", "\033[36m",   "\033[2m"};

struct picture {
    const struct brigade *b;
    const struct brigade_state *s;
    struct lr_writer *out;
    bool color;
};

static void put(const struct picture *p, enum paint paint, const char *text) {
    if (p->color && paint != PLAIN)
        lr_write(p->out, "%s%s\033[0m", codes[paint], text);
    else
        lr_write(p->out, "%s", text);
}

static enum paint paint_of(int side) { return side == LR_UNION ? BLUE : RED; }

/* "U17r", "Cc8.", "Ua3-": side, arm, SP, and a mark: r routed, s shattered, - limbered or mounted. */
static void name_unit(const struct picture *p, int row, char text[WIDE + 1]) {
    static const char arm[] = {[INFANTRY] = 0, [CAVALRY] = 'c', [ARTILLERY] = 'a'};
    const struct brigade *b = p->b;
    char mark = ' ';
    if (has(p->s->routed, row))
        mark = 'r';
    else if (has(b->infantry | b->cavalry, row) && shattered(b, p->s, row))
        mark = 's';
    else if (has(b->guns, row) && !has(p->s->deployed, row))
        mark = '-';
    else if (has(b->cavalry, row) && has(p->s->deployed, row))
        mark = '.';
    const char kind[2] = {arm[b->piece[row].type], 0};
    char body[8];
    snprintf(body, sizeof body, "%c%s%d%c", side_of(row) ? 'C' : 'U', kind, p->s->strength[row] % 100, mark);
    snprintf(text, WIDE + 1, "%-6.6s", body);
}

static void draw_upper(const struct picture *p, int cell) {
    const uint64_t here = pieces_at(p->s, p->s->on_map, cell), units = here & p->b->units;
    char text[WIDE + 1] = "      ";
    if (units) {
        const int row = 63 - __builtin_clzll(units); /* of a unit passing a friend, the later row */
        name_unit(p, row, text);
        put(p, paint_of(side_of(row)), text);
    } else if (here) {
        snprintf(text, sizeof text, "%-6.6s", side_of(lowest(here)) ? "C^" : "U^");
        put(p, paint_of(side_of(lowest(here))), text);
    } else
        put(p, PLAIN, text);
}

static void draw_lower(const struct picture *p, int cell) {
    const struct brigade *b = p->b;
    const bool star = board_test(&b->stars, (unsigned)cell);
    const uint64_t leaders = pieces_at(p->s, p->b->leaders, cell);
    const char letter = b->terrains[b->terrain[cell]].letter;
    const enum paint ground = b->terrains[b->terrain[cell]].prohibited     ? CYAN
                              : b->terrains[b->terrain[cell]].blocks_sight ? GREEN
                                                                           : DIM;
    put(p, YELLOW, star ? "*" : " ");
    put(p, DIM, b->road[cell] ? "=" : " ");
    put(p, ground, (char[]){letter, 0});
    put(p, leaders ? paint_of(side_of(lowest(leaders))) : PLAIN, leaders ? "^" : " ");
    put(p, DIM, b->level[cell] ? (char[]){(char)('0' + b->level[cell]), ' ', 0} : "  ");
}

/* Text line `line` of the map: odd columns show row line / 2, even columns are one line behind. */
static void draw_line(const struct picture *p, int line, int first, int last) {
    const struct brigade *b = p->b;
    if (line % 2 == 0 && line / 2 < b->map_rows)
        lr_write(p->out, " %02d ", line / 2 + 1);
    else
        lr_write(p->out, "    ");
    for (int column = first; column <= last; column++) {
        const int own = line - (column % 2 == 0), row = own < 0 ? -1 : own / 2;
        if (row < 0 || row >= b->map_rows) {
            lr_write(p->out, "      ");
            continue;
        }
        const int cell = row * b->stride + column - 1;
        if (own % 2)
            draw_lower(p, cell);
        else
            draw_upper(p, cell);
    }
    lr_write(p->out, "\n");
}

static void draw_map(const struct picture *p, int first, int last) {
    lr_write(p->out, "    ");
    for (int column = first; column <= last; column++) lr_write(p->out, "%02d    ", column);
    lr_write(p->out, "\n");
    for (int line = 0; line < 2 * p->b->map_rows + 1; line++) draw_line(p, line, first, last);
}

/* One line: turn, clock, phase, points, who is to do what. */
static void draw_header(const struct picture *p) {
    static const char *const movers[] = {"union", "confederate"};
    const struct brigade *b = p->b;
    const struct brigade_state *s = p->s;
    char heading[LR_MAX_TEXT];
    brigade_heading(b, (const lr_state *)s, heading);
    lr_write(p->out, "%s", heading);
    if (s->phase != PHASE_SETUP && b->clock[s->turn][0]) lr_write(p->out, " (%s)", b->clock[s->turn]);
    if (s->phase != PHASE_SETUP && b->night[s->turn]) lr_write(p->out, ", night");
    lr_write(p->out, " | net VP %d, stars %d | ", s->vp, s->stars);
    if (s->phase == PHASE_OVER)
        lr_write(p->out, "over\n");
    else if (is_chance(s))
        lr_write(p->out, "die: %s\n", brigade_decision_name(b, (const lr_state *)s));
    else
        lr_write(p->out, "%s: %s\n", movers[brigade_decider(s)], brigade_decision_name(b, (const lr_state *)s));
}

/* Names after a heading, broken so that no line is longer than 120. */
static void draw_rows(const struct picture *p, const char *heading, uint64_t rows) {
    if (!rows) return;
    int width = (int)strlen(heading);
    lr_write(p->out, "%s", heading);
    for (; rows; rows &= rows - 1) {
        const struct brigade_piece *piece = &p->b->piece[lowest(rows)];
        const int length = (int)strlen(piece->name) + 2;
        if (width + length > 116) {
            lr_write(p->out, "\n   ");
            width = 3;
        }
        width += length;
        lr_write(p->out, " %s%s", piece->name, rows & (rows - 1) ? "," : "");
    }
    lr_write(p->out, "\n");
}

static void draw_hand(const struct picture *p) {
    const struct brigade_state *s = p->s;
    char hex[5];
    if (!s->stage || s->subject >= BRIGADE_ROWS) return;
    lr_write(p->out, "in hand: %s", p->b->piece[s->subject].name);
    if (has(s->on_map, s->subject)) {
        brigade_hex(p->b, s->cell[s->subject], hex);
        lr_write(p->out, " at %s", hex);
    }
    if (s->target) {
        brigade_hex(p->b, s->target - 1, hex);
        lr_write(p->out, ", fired on in %s", hex);
    }
    if (s->stage == STAGE_MOVE) lr_write(p->out, ", %d.%d MP spent", s->spent / 2, s->spent % 2 * 5);
    lr_write(p->out, "\n");
    draw_rows(p, "firers:", s->joined);
}

static void draw_legend(const struct picture *p) {
    const struct brigade *b = p->b;
    lr_write(
        p->out,
        "U Union, C Confederate, SP; c cavalry, a guns; r routed, s shattered, - limbered, . dismounted; ^ leader\n");
    lr_write(p->out, "* star, = road or track, last digit level;");
    for (int i = 0; i < b->terrain_count && i < 6; i++)
        lr_write(p->out, " %c %.10s", b->terrains[i].letter, b->terrains[i].name);
    lr_write(p->out, "\n");
}

static void draw_lists(const struct picture *p) {
    const struct brigade *b = p->b;
    const struct brigade_state *s = p->s;
    uint64_t gone = 0;
    for (uint64_t left = b->present; left; left &= left - 1)
        if (!s->strength[lowest(left)]) gone |= left & -left;
    for (uint64_t left = b->leaders & s->on_map; left; left &= left - 1) {
        char hex[5];
        brigade_hex(b, s->cell[lowest(left)], hex);
        lr_write(p->out, "%s%s %s%s", left == (b->leaders & s->on_map) ? "leaders: " : ", ",
                 b->piece[lowest(left)].name, hex, s->strength[lowest(left)] == 1 ? " (replacement)" : "");
    }
    if (b->leaders & s->on_map) lr_write(p->out, "\n");
    draw_rows(p, "in command:", s->in_command & b->units);
    draw_rows(p, "to come:", b->present & ~s->on_map & ~gone);
    draw_rows(p, "gone:", gone);
}

int brigade_draw(const void *rules, const lr_state *state, bool color, char *text, size_t size) {
    struct lr_writer out = {text, size, 0};
    const struct picture p = {rules, (const struct brigade_state *)state, &out, color};
    draw_header(&p);
    draw_hand(&p);
    for (int first = 1; first <= p.b->columns; first += MOST_COLUMNS) { /* wide maps in strips */
        const int last = first + MOST_COLUMNS - 1;
        draw_map(&p, first, last < p.b->columns ? last : p.b->columns);
    }
    draw_lists(&p);
    draw_legend(&p);
    return (int)out.length;
}
