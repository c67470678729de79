/* generate.c: random small battles, opened by name: random:SIZE:SEED, for learning on many battles instead of one.
 *
 * SIZE is the number of units a side, SEED any number; the same name is the same battle on every machine. What comes
 * out is the YAML text of a scenario with its own map and roster and the charts of Cedar Mountain, and goes through the
 * ordinary loader, which checks it like any other.
 *
 * Both sides get the same units, a leader or two, and a road to retreat by. The Union comes from the east, the
 * Confederacy from the west, the stars lie between them. The ground is no mirror image, so a single battle may
 * favour a side; the victory levels are set so that over many seeds greedy players win about equally often. */
#include "brigade.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_SIZE = 8,
    MOST_COLUMNS = 8 + MOST_SIZE,
    MOST_ROWS = 6 + MOST_SIZE,
    MOST_STARS = 3,
    DEPTH = 3,     /* columns in which a side sets up */
    LATE_FROM = 5, /* from this size on the last unit of each side comes on turn 2 */
    TWO_LEADERS_FROM = 5,
    MARKERS_FROM = 4,
    FIRST_TURNS = 3
};

/* What the Union must have on the track to win, by size. Measured: 200 seeds a size, 20 games each, greedy players. */
static const int union_net[MOST_SIZE + 1] = {0, 4, 5, 8, 10, 10, 17, 17, 19};

static const char *const sides[2] = {"union", "confederate"};
static const char *const colours[2] = {"Blue", "Grey"};

struct place {
    int column, row; /* from 0 */
};

struct unit {
    int type, strength, back, morale;
    struct place at[2]; /* by side */
};

struct battle {
    int size, columns, rows, turns, star_count;
    uint64_t seed, stream, drawn;
    char terrain[MOST_ROWS][MOST_COLUMNS + 1], level[MOST_ROWS][MOST_COLUMNS + 1];
    int road[MOST_COLUMNS]; /* the road's row in each column */
    int stream_column;      /* water runs between this column and the next; -1: none */
    bool taken[MOST_ROWS][MOST_COLUMNS];
    struct place star[MOST_STARS];
    struct unit unit[MOST_SIZE];
};

/* ---- Names ---- */

/* A whole number without sign or leading zeros, so that a battle has one name; NULL if there is none. */
static const char *read_number(const char *text, uint64_t most, uint64_t *value) {
    if (!isdigit((unsigned char)*text) || (*text == '0' && isdigit((unsigned char)text[1]))) return NULL;
    *value = 0;
    for (; isdigit((unsigned char)*text); text++) {
        const unsigned digit = (unsigned)(*text - '0');
        if (digit > most || *value > (most - digit) / 10) return NULL;
        *value = *value * 10 + digit;
    }
    return text;
}

static bool read_name(const char *name, struct battle *battle) {
    uint64_t size = 0;
    const char *rest = strchr(name, ':');
    rest = rest ? read_number(rest + 1, MOST_SIZE, &size) : NULL;
    if (!rest || size < 1 || *rest != ':') return false;
    rest = read_number(rest + 1, UINT64_MAX, &battle->seed);
    battle->size = (int)size;
    return rest && !*rest;
}

/* ---- Drawing the battle ---- */

static int draw(struct battle *battle, int bound) {
    return (int)lr_random(battle->stream, battle->drawn++, (uint32_t)bound);
}

static bool on_map(const struct battle *battle, int column, int row) {
    return column >= 0 && column < battle->columns && row >= 0 && row < battle->rows;
}

/* The six neighbours; columns counted from 0, the odd ones lie lower. */
static struct place neighbour(struct place from, int direction) {
    const int lower = from.column % 2;
    const int step[6][2] = {{0, -1}, {1, lower - 1}, {1, lower}, {0, 1}, {-1, lower}, {-1, lower - 1}};
    return (struct place){from.column + step[direction][0], from.row + step[direction][1]};
}

static struct place anywhere(struct battle *battle) {
    const int column = draw(battle, battle->columns);
    return (struct place){column, draw(battle, battle->rows)};
}

/* A patch of letters round a place: the place, and each neighbour by two chances in three. */
static void patch(struct battle *battle, char grid[MOST_ROWS][MOST_COLUMNS + 1], struct place centre, char letter) {
    grid[centre.row][centre.column] = letter;
    for (int d = 0; d < 6; d++) {
        const struct place next = neighbour(centre, d);
        if (draw(battle, 3) && on_map(battle, next.column, next.row)) grid[next.row][next.column] = letter;
    }
}

static void draw_ground(struct battle *battle) {
    static const char covers[] = "wwwccf";
    for (int row = 0; row < battle->rows; row++) {
        memset(battle->terrain[row], '.', (size_t)battle->columns);
        memset(battle->level[row], '0', (size_t)battle->columns);
    }
    for (int i = 0; i < battle->size + 3; i++) {
        const struct place centre = anywhere(battle);
        const char cover = covers[draw(battle, sizeof covers - 1)];
        if (cover == 'f')
            battle->terrain[centre.row][centre.column] = cover;
        else
            patch(battle, battle->terrain, centre, cover);
    }
    for (int i = 0; i < 1 + battle->size / 2; i++) {
        const struct place centre = anywhere(battle);
        patch(battle, battle->level, centre, '1');
        if (draw(battle, 3) == 0) battle->level[centre.row][centre.column] = '2';
    }
}

/* From edge to edge, column by column, up or down by half a hex. */
static void draw_road(struct battle *battle) {
    int row = battle->rows / 2 - 1 + draw(battle, 3);
    for (int column = 0; column < battle->columns; column++) {
        battle->road[column] = row;
        const int step = column % 2 - 1 + draw(battle, 2);
        if (row + step >= 0 && row + step < battle->rows)
            row += step;
        else
            row += step < 0 ? step + 1 : step - 1;
    }
}

static void draw_water(struct battle *battle) {
    battle->stream_column = draw(battle, 2) ? battle->columns / 2 - 1 + draw(battle, 2) : -1;
    const struct place pond = anywhere(battle);
    if (draw(battle, 3) || battle->road[pond.column] == pond.row) return;
    battle->terrain[pond.row][pond.column] = '~';
}

/* A free place in `count` columns from `first` on. Ponds, the road's ends and what is taken are out. */
static struct place draw_place(struct battle *battle, int first, int count) {
    for (;;) {
        const int column = first + draw(battle, count), row = draw(battle, battle->rows);
        const bool end = (column == 0 || column == battle->columns - 1) && row == battle->road[column];
        if (end || battle->taken[row][column] || battle->terrain[row][column] == '~') continue;
        battle->taken[row][column] = true;
        return (struct place){column, row};
    }
}

/* In the middle column, or the middle two. */
static void draw_stars(struct battle *battle) {
    const int middle = (battle->columns - 1) / 2;
    for (int i = 0; i < battle->star_count; i++)
        battle->star[i] = draw_place(battle, middle, battle->columns % 2 ? 1 : 2);
}

static void draw_unit(struct battle *battle, struct unit *unit, bool first) {
    enum { GREEN = 1, BLACK, GOLD };
    const int arm = first ? 0 : draw(battle, 10), quality = draw(battle, 10);
    unit->type = arm < 6 ? INFANTRY : arm < 9 ? ARTILLERY : CAVALRY;
    unit->morale = BLACK;
    if (unit->type == ARTILLERY) {
        unit->strength = 2 + draw(battle, 4);
        return;
    }
    if (quality < 2) unit->morale = GREEN;
    if (quality > 7) unit->morale = GOLD;
    unit->strength = unit->type == INFANTRY ? 8 + draw(battle, 10) : 5 + draw(battle, 5);
    unit->back = unit->strength / 2 - (unit->morale - BLACK);
}

static void draw_battle(struct battle *battle) {
    battle->columns = 8 + battle->size;
    battle->rows = 6 + battle->size;
    battle->turns = FIRST_TURNS + battle->size / 2;
    battle->star_count = 1 + battle->size / 3;
    battle->stream = lr_environment_seed(battle->seed, (uint64_t)battle->size);
    draw_ground(battle);
    draw_road(battle);
    draw_water(battle);
    draw_stars(battle);
    for (int i = 0; i < battle->size; i++) {
        struct unit *unit = &battle->unit[i];
        draw_unit(battle, unit, i == 0);
        unit->at[LR_UNION] = draw_place(battle, battle->columns - DEPTH, DEPTH);
        unit->at[LR_CONFEDERATE] = draw_place(battle, 0, DEPTH);
    }
}

/* ---- Writing it ---- */

static bool comes_late(const struct battle *battle, int i) {
    return battle->size >= LATE_FROM && i == battle->size - 1;
}

static int leaders_of_side(const struct battle *battle) {
    return battle->size == 1 ? 0 : battle->size < TWO_LEADERS_FROM ? 1 : 2;
}

static void write_hex(struct lr_writer *out, int column, int row) {
    lr_write(out, "\"%02d%02d\"", column + 1, row + 1);
}

static void write_head(struct lr_writer *out, const struct battle *battle) {
    lr_write(out,
             "longroll: 1\nruleset: brigade\ntitle: \"Random battle %d:%" PRIu64 "\"\n"
             "purpose: \"Made by longroll for practice: %d units a side on chance ground\"\ncharts: charts.yaml\n"
             "turns: {first: 1, last: %d, first_player: union}\n",
             battle->size, battle->seed, battle->size, battle->turns);
}

static void write_grid(struct lr_writer *out, const char *key, const struct battle *battle,
                       const char grid[MOST_ROWS][MOST_COLUMNS + 1]) {
    lr_write(out, "  %s:\n    grid:\n", key);
    for (int row = 0; row < battle->rows; row++) lr_write(out, "      - \"%s\"\n", grid[row]);
}

/* Every hexside between two columns: each hex of the first touches two of the second. */
static void write_water(struct lr_writer *out, const struct battle *battle) {
    if (battle->stream_column < 0) {
        lr_write(out, "  water: {list: []}\n");
        return;
    }
    lr_write(out, "  water:\n    list:\n      - kind: stream\n        sides:\n");
    for (int row = 0; row < battle->rows; row++)
        for (int d = 1; d <= 2; d++) {
            const struct place here = {battle->stream_column, row}, next = neighbour(here, d);
            if (!on_map(battle, next.column, next.row)) continue;
            lr_write(out, "          - [");
            write_hex(out, here.column, here.row);
            lr_write(out, ", ");
            write_hex(out, next.column, next.row);
            lr_write(out, "]\n");
        }
}

static void write_map(struct lr_writer *out, const struct battle *battle) {
    lr_write(out, "own_map:\n  columns: %d\n  rows: %d\n", battle->columns, battle->rows);
    write_grid(out, "terrain", battle, battle->terrain);
    write_grid(out, "elevation", battle, battle->level);
    lr_write(out, "  roads:\n    list:\n      - path: [");
    for (int column = 0; column < battle->columns; column++) {
        if (column) lr_write(out, ", ");
        write_hex(out, column, battle->road[column]);
    }
    lr_write(out, "]\n");
    write_water(out, battle);
}

static void write_unit(struct lr_writer *out, const struct battle *battle, int side, int i) {
    static const char *const types[] = {"infantry", "cavalry", "artillery"};
    static const char *const morales[] = {"", "green", "black", "gold"};
    const struct unit *unit = &battle->unit[i];
    const bool led = leaders_of_side(battle) > 0;
    lr_write(out, "    - {name: \"%s %d\", side: %s, type: %s, division: \"%s\", superior: \"%s%s\", strength: %d",
             colours[side], i + 1, sides[side], types[unit->type], i < battle->size / 2 ? "First" : "Second",
             led ? colours[side] : "", led ? " General" : "", unit->strength);
    if (unit->back) lr_write(out, ", back: %d", unit->back);
    const bool independent = !led || unit->type == CAVALRY;
    lr_write(out, ", morale: %s%s}\n", morales[unit->morale], independent ? ", independent: true" : "");
}

static void write_units(struct lr_writer *out, const struct battle *battle) {
    lr_write(out, "own_units:\n  pieces:\n");
    for (int side = 0; side < 2; side++) {
        const char *colour = colours[side];
        for (int i = 0; i < battle->size; i++) write_unit(out, battle, side, i);
        if (leaders_of_side(battle) > 0)
            lr_write(out, "    - {name: \"%s General\", side: %s, type: leader, division: \"Army\", superior: \"\"}\n",
                     colour, sides[side]);
        if (leaders_of_side(battle) > 1)
            lr_write(
                out,
                "    - {name: \"%s Chief\", side: %s, type: leader, division: \"First\", superior: \"%s General\"}\n",
                colour, sides[side], colour);
    }
}

static void write_setup(struct lr_writer *out, const struct battle *battle) {
    lr_write(out, "setup:\n  units:\n");
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < battle->size; i++) {
            if (comes_late(battle, i)) continue;
            lr_write(out, "    - {piece: \"%s %d\", hex: ", colours[side], i + 1);
            write_hex(out, battle->unit[i].at[side].column, battle->unit[i].at[side].row);
            lr_write(out, "}\n");
        }
    if (!leaders_of_side(battle)) return;
    lr_write(out, "  leaders:\n");
    for (int side = 0; side < 2; side++) {
        lr_write(out, "    - {piece: \"%s General\"}\n", colours[side]);
        if (leaders_of_side(battle) > 1) lr_write(out, "    - {piece: \"%s Chief\"}\n", colours[side]);
    }
}

/* Where a side's road leaves the map: its reinforcements come and its beaten units go there. */
static void write_end(struct lr_writer *out, const struct battle *battle, int side) {
    const int column = side == LR_UNION ? battle->columns - 1 : 0;
    write_hex(out, column, battle->road[column]);
}

static void write_reinforcements(struct lr_writer *out, const struct battle *battle) {
    if (battle->size < LATE_FROM) return;
    lr_write(out, "reinforcements:\n  groups:\n");
    for (int side = 0; side < 2; side++) {
        lr_write(out, "    - {name: \"%s reserve\", turn: 2, entry: ", colours[side]);
        write_end(out, battle, side);
        lr_write(out, ", pieces: [\"%s %d\"]}\n", colours[side], battle->size);
    }
}

static void write_rest(struct lr_writer *out, const struct battle *battle) {
    write_reinforcements(out, battle);
    lr_write(out, "retreat:\n  hexes:\n");
    for (int side = 0; side < 2; side++) {
        lr_write(out, "    - {side: %s, hex: ", sides[side]);
        write_end(out, battle, side);
        lr_write(out, "}\n");
    }
    const char *markers = battle->size >= MARKERS_FROM ? "\"Blue General\", \"Grey General\"" : "";
    lr_write(out, "destiny: {markers: [%s]}\n", markers);
    lr_write(out, "victory:\n  stars: [");
    for (int i = 0; i < battle->star_count; i++) {
        if (i) lr_write(out, ", ");
        write_hex(out, battle->star[i].column, battle->star[i].row);
    }
    lr_write(out, "]\n  star_points: 2\n  union_net: %d\n  union_stars: 2\n", union_net[battle->size]);
}

static int write_battle(const char *name, struct lr_writer *text, lr_error *error) {
    struct battle battle = {.drawn = 0};
    if (!read_name(name, &battle))
        return lr_fail(
            error, LR_E_NOT_FOUND,
            "\"%.60s\" is no random battle: give random:SIZE:SEED, SIZE from 1 to %d units a side and SEED a "
            "whole number below 2^64, both without leading zeros",
            name, MOST_SIZE);
    draw_battle(&battle);
    write_head(text, &battle);
    write_map(text, &battle);
    write_units(text, &battle);
    write_setup(text, &battle);
    write_rest(text, &battle);
    return LR_OK;
}

const struct lr_generator brigade_generator = {
    .form = "random:SIZE:SEED",
    .about = "random battles, SIZE 1 to 8 units a side, SEED any number",
    .folder = "cedar-mountain",
    .write = write_battle,
};
