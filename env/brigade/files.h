/* files.h: the shape of a scenario's four files, as read from YAML: nothing here is checked beyond shape and length.
 * scenario.c turns it into a struct brigade, or says what is wrong with it. Map and roster may also stand in the
 * scenario itself, under `own_map` and `own_units`: generated scenarios are one text. */
#ifndef BRIGADE_FILES_H
#define BRIGADE_FILES_H

#include "yaml.h"

struct text_list {
    char **item;
    unsigned count;
};

struct number_list {
    int *item;
    unsigned count;
};

struct file_map;
struct file_units;

/* ---- the scenario itself ---- */

struct file_setup {
    char *piece, *hex;
    struct text_list with;
};

struct file_die_row {
    int to, turn;
};

struct file_die {
    int turn;
    char *subject;
    struct file_die_row *table;
    unsigned table_count;
};

struct file_every {
    int from, modifier, penalty, penalty_until;
    char *subject;
};

struct file_group {
    char *name, *entry;
    int turn, latest;
    struct text_list pieces;
    struct file_die *die;
    struct file_every *every;
};

struct file_retreat {
    int side;
    char *hex, *division;
};

struct file_scenario {
    int longroll;
    char *ruleset, *title, *map, *units, *charts;
    struct file_map *own_map;     /* instead of map */
    struct file_units *own_units; /* instead of units */
    struct {
        int first, last, first_player;
        struct number_list night, artillery_only;
        struct text_list clock;
    } turns;
    struct {
        struct file_setup *units, *leaders;
        unsigned units_count, leaders_count;
    } setup;
    struct {
        struct file_group *groups;
        unsigned groups_count;
    } reinforcements;
    struct {
        int before;
        struct text_list pieces;
    } frozen;
    struct {
        int side, turn, movement;
    } slow;
    struct {
        struct file_retreat *hexes;
        unsigned hexes_count;
    } retreat;
    struct {
        struct text_list markers;
    } destiny;
    struct {
        struct text_list stars;
        int star_points, union_net, union_stars;
    } victory;
};

/* ---- map ---- */

struct file_road {
    struct text_list path;
};

struct file_water {
    char *kind;
    char ***sides; /* pairs */
    unsigned sides_count;
};

struct file_place {
    char *hex, *name;
};

struct file_map {
    int columns, rows;
    struct {
        struct text_list grid;
    } terrain, elevation;
    struct {
        struct file_road *list;
        unsigned list_count;
    } roads;
    struct {
        struct file_water *list;
        unsigned list_count;
    } water;
    struct {
        struct file_place *list;
        unsigned list_count;
    } places;
};

/* ---- units ---- */

struct file_piece {
    char *name, *division, *superior;
    int side, type, strength, back, morale;
    bool independent;
};

struct file_units {
    struct file_piece *pieces;
    unsigned pieces_count;
};

/* ---- charts ---- */

struct file_gaits {
    int foot, mounted, limbered;
};

struct file_terrain {
    char *name, *letter;
    int foot, mounted, limbered, die, morale;
    bool blocks_sight, column, prohibited;
};

struct file_water_kind {
    char *name;
    int foot, mounted, limbered;
};

struct file_reach {
    int to, halves;
};

struct reach_list {
    struct file_reach *item;
    unsigned count;
};

struct file_charts {
    struct {
        int infantry, mounted, dismounted, limbered, unlimbered, leader, formation, leave_zone, level, column_distance;
    } movement;
    struct {
        int radius, replacement_radius;
    } command;
    struct {
        struct file_terrain *list;
        unsigned list_count;
        struct file_gaits road;
    } terrain;
    struct {
        struct file_water_kind *list;
        unsigned list_count;
    } water;
    struct {
        struct reach_list infantry, dismounted, mounted, artillery;
    } fire;
    struct {
        int flank, flank_hexes, limbered, higher;
    } modifiers;
    struct {
        struct number_list columns;
        char ***codes; /* rows of columns.count */
        unsigned rows;
    } combat;
    struct {
        int green, black, gold, leader, retreat, rout, casualty, casualty_alone;
    } morale;
};

extern const cyaml_schema_value_t file_scenario_schema, file_map_schema, file_units_schema;

/* The charts' schema depends on how many columns their combat chart has, since libcyaml has no lists of lists of
 * free length: it is made when the number is known. */
struct file_charts_schema {
    cyaml_schema_value_t row, charts;
    cyaml_schema_field_t combat[4], blocks[9];
};
extern const cyaml_schema_value_t file_charts_columns_schema; /* reads combat.columns only, into a struct file_charts */
void file_charts_schema_make(struct file_charts_schema *schema, unsigned columns);

#endif
