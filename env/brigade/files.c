/* files.c: libcyaml's schemas for the structs of files.h: keys, which are optional, and how long a list may be. */
#include "files.h"

#include "brigade.h"

#include <string.h>

enum { LINE = 200, GRID = 512, SIDES = 1536, LONG_PATH = 512, NAMES = 64, ROADS = 64 };

/* Fields for a list of texts or numbers inside a struct text_list or number_list called `member`. */
#define TEXTS(key, flags, structure, member, most)                                                                     \
    CYAML_FIELD_SEQUENCE_COUNT(key, (flags) | CYAML_FLAG_POINTER, structure, member.item, member.count, &a_text, 0,    \
                               most)
#define NUMBERS(key, flags, structure, member, most)                                                                   \
    CYAML_FIELD_SEQUENCE_COUNT(key, (flags) | CYAML_FLAG_POINTER, structure, member.item, member.count, &a_number, 0,  \
                               most)
#define TEXT(key, structure, member) CYAML_FIELD_STRING_PTR(key, CYAML_FLAG_POINTER, structure, member, 0, LINE)
#define TEXT_IF(key, structure, member)                                                                                \
    CYAML_FIELD_STRING_PTR(key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, structure, member, 0, LINE)
#define NUMBER(key, structure, member) CYAML_FIELD_INT(key, CYAML_FLAG_DEFAULT, structure, member)
#define NUMBER_IF(key, structure, member) CYAML_FIELD_INT(key, CYAML_FLAG_OPTIONAL, structure, member)
#define YES_NO(key, flags, structure, member) CYAML_FIELD_BOOL(key, (flags) | CYAML_FLAG_STRICT, structure, member)
#define SAYS(key) CYAML_FIELD_IGNORE(key, CYAML_FLAG_OPTIONAL) /* for people: sources, notes */

static const cyaml_schema_value_t a_text = {CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 0, LINE)};
static const cyaml_schema_value_t a_number = {CYAML_VALUE_INT(CYAML_FLAG_DEFAULT, int)};

static const cyaml_strval_t sides[] = {{"union", LR_UNION}, {"confederate", LR_CONFEDERATE}};
static const cyaml_strval_t types[] = {
    {"infantry", INFANTRY}, {"cavalry", CAVALRY}, {"artillery", ARTILLERY}, {"leader", LEADER}};
/* 0 stands for a piece without morale: a leader. */
static const cyaml_strval_t morales[] = {{"green", 1}, {"black", 2}, {"gold", 3}};

/* ---- the scenario itself ---- */

static const cyaml_schema_field_t setup_unit_fields[] = {
    TEXT("piece", struct file_setup, piece), TEXT("hex", struct file_setup, hex), SAYS("note"), CYAML_FIELD_END};
static const cyaml_schema_value_t setup_unit = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct file_setup, setup_unit_fields)};

static const cyaml_schema_field_t setup_leader_fields[] = {
    TEXT("piece", struct file_setup, piece), TEXTS("with", CYAML_FLAG_OPTIONAL, struct file_setup, with, BRIGADE_ROWS),
    SAYS("note"), CYAML_FIELD_END};
static const cyaml_schema_value_t setup_leader = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct file_setup, setup_leader_fields)};

static const cyaml_schema_field_t die_row_fields[] = {NUMBER("to", struct file_die_row, to),
                                                      NUMBER("turn", struct file_die_row, turn), CYAML_FIELD_END};
static const cyaml_schema_value_t die_row = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct file_die_row, die_row_fields)};

static const cyaml_schema_field_t die_fields[] = {
    NUMBER("turn", struct file_die, turn), TEXT("subject", struct file_die, subject),
    CYAML_FIELD_SEQUENCE("table", CYAML_FLAG_POINTER, struct file_die, table, &die_row, 1, 10), CYAML_FIELD_END};

static const cyaml_schema_field_t every_fields[] = {NUMBER("from", struct file_every, from),
                                                    NUMBER("modifier", struct file_every, modifier),
                                                    TEXT("subject", struct file_every, subject),
                                                    NUMBER_IF("penalty", struct file_every, penalty),
                                                    NUMBER_IF("penalty_until", struct file_every, penalty_until),
                                                    CYAML_FIELD_END};

static const cyaml_schema_field_t group_fields[] = {
    TEXT("name", struct file_group, name),
    TEXT("entry", struct file_group, entry),
    NUMBER_IF("turn", struct file_group, turn),
    NUMBER_IF("latest", struct file_group, latest),
    TEXTS("pieces", CYAML_FLAG_DEFAULT, struct file_group, pieces, BRIGADE_ROWS),
    CYAML_FIELD_MAPPING_PTR("die", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct file_group, die, die_fields),
    CYAML_FIELD_MAPPING_PTR("every", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct file_group, every, every_fields),
    SAYS("note"),
    CYAML_FIELD_END};
static const cyaml_schema_value_t group = {CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct file_group, group_fields)};

static const cyaml_schema_field_t retreat_hex_fields[] = {
    CYAML_FIELD_ENUM("side", CYAML_FLAG_STRICT, struct file_retreat, side, sides, CYAML_ARRAY_LEN(sides)),
    TEXT("hex", struct file_retreat, hex), TEXT_IF("division", struct file_retreat, division), CYAML_FIELD_END};
static const cyaml_schema_value_t retreat_hex = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct file_retreat, retreat_hex_fields)};

static const cyaml_schema_field_t turns_fields[] = {
    SAYS("source"),
    NUMBER("first", struct file_scenario, turns.first),
    NUMBER("last", struct file_scenario, turns.last),
    CYAML_FIELD_ENUM("first_player", CYAML_FLAG_STRICT, struct file_scenario, turns.first_player, sides,
                     CYAML_ARRAY_LEN(sides)),
    NUMBERS("night", CYAML_FLAG_OPTIONAL, struct file_scenario, turns.night, BRIGADE_TURNS),
    NUMBERS("artillery_only", CYAML_FLAG_OPTIONAL, struct file_scenario, turns.artillery_only, BRIGADE_TURNS),
    TEXTS("clock", CYAML_FLAG_OPTIONAL, struct file_scenario, turns.clock, BRIGADE_TURNS),
    CYAML_FIELD_END};

static const cyaml_schema_field_t setup_fields[] = {
    SAYS("source"),
    CYAML_FIELD_SEQUENCE_COUNT("units", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct file_scenario, setup.units,
                               setup.units_count, &setup_unit, 0, BRIGADE_ROWS),
    CYAML_FIELD_SEQUENCE_COUNT("leaders", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct file_scenario, setup.leaders,
                               setup.leaders_count, &setup_leader, 0, BRIGADE_ROWS),
    CYAML_FIELD_END};

static const cyaml_schema_field_t reinforcements_fields[] = {
    SAYS("source"),
    CYAML_FIELD_SEQUENCE_COUNT("groups", CYAML_FLAG_POINTER, struct file_scenario, reinforcements.groups,
                               reinforcements.groups_count, &group, 0, BRIGADE_GROUPS),
    CYAML_FIELD_END};

static const cyaml_schema_field_t frozen_fields[] = {
    SAYS("source"), NUMBER("before", struct file_scenario, frozen.before),
    TEXTS("pieces", CYAML_FLAG_DEFAULT, struct file_scenario, frozen.pieces, BRIGADE_ROWS), CYAML_FIELD_END};

static const cyaml_schema_field_t slow_fields[] = {
    SAYS("source"),
    CYAML_FIELD_ENUM("side", CYAML_FLAG_STRICT, struct file_scenario, slow.side, sides, CYAML_ARRAY_LEN(sides)),
    NUMBER("turn", struct file_scenario, slow.turn), NUMBER("movement", struct file_scenario, slow.movement),
    CYAML_FIELD_END};

static const cyaml_schema_field_t retreat_fields[] = {
    SAYS("source"),
    CYAML_FIELD_SEQUENCE_COUNT("hexes", CYAML_FLAG_POINTER, struct file_scenario, retreat.hexes, retreat.hexes_count,
                               &retreat_hex, 1, BRIGADE_RETREATS),
    CYAML_FIELD_END};

static const cyaml_schema_field_t destiny_fields[] = {
    SAYS("source"), TEXTS("markers", CYAML_FLAG_DEFAULT, struct file_scenario, destiny.markers, BRIGADE_MARKERS * 2),
    CYAML_FIELD_END};

static const cyaml_schema_field_t victory_fields[] = {
    SAYS("source"),
    TEXTS("stars", CYAML_FLAG_DEFAULT, struct file_scenario, victory.stars, NAMES),
    NUMBER("star_points", struct file_scenario, victory.star_points),
    NUMBER("union_net", struct file_scenario, victory.union_net),
    NUMBER("union_stars", struct file_scenario, victory.union_stars),
    CYAML_FIELD_END};

/* The blocks above address the whole struct file_scenario, so each is a mapping that starts where it does. */
#define BLOCK(key_, flags_, structure, fields_)                                                                        \
    {                                                                                                                  \
        .key = key_, .data_offset = 0, .value = {                                                                      \
            .type = CYAML_MAPPING,                                                                                     \
            .flags = (flags_),                                                                                         \
            .data_size = sizeof(structure),                                                                            \
            .mapping = {fields_}                                                                                       \
        }                                                                                                              \
    }

/* ---- map ---- */

static const cyaml_schema_field_t terrain_grid_fields[] = {
    SAYS("source"), TEXTS("grid", CYAML_FLAG_DEFAULT, struct file_map, terrain.grid, GRID), CYAML_FIELD_END};
static const cyaml_schema_field_t elevation_grid_fields[] = {
    SAYS("source"), TEXTS("grid", CYAML_FLAG_DEFAULT, struct file_map, elevation.grid, GRID), CYAML_FIELD_END};

static const cyaml_schema_field_t road_fields[] = {SAYS("id"), SAYS("kind"), SAYS("name"),
                                                   TEXTS("path", CYAML_FLAG_DEFAULT, struct file_road, path, LONG_PATH),
                                                   CYAML_FIELD_END};
static const cyaml_schema_value_t road = {CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct file_road, road_fields)};
static const cyaml_schema_field_t roads_fields[] = {SAYS("source"),
                                                    CYAML_FIELD_SEQUENCE_COUNT("list", CYAML_FLAG_POINTER,
                                                                               struct file_map, roads.list,
                                                                               roads.list_count, &road, 0, ROADS),
                                                    CYAML_FIELD_END};

/* Lists inside lists are kept by pointer: libcyaml 1.3.1 strides wrongly when it frees them in place. */
static const cyaml_schema_value_t hexside = {CYAML_VALUE_SEQUENCE_FIXED(CYAML_FLAG_POINTER, char *, &a_text, 2)};
static const cyaml_schema_field_t water_fields[] = {
    SAYS("id"), SAYS("name"), TEXT("kind", struct file_water, kind),
    CYAML_FIELD_SEQUENCE("sides", CYAML_FLAG_POINTER, struct file_water, sides, &hexside, 0, SIDES), CYAML_FIELD_END};
static const cyaml_schema_value_t water = {CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct file_water, water_fields)};
static const cyaml_schema_field_t waters_fields[] = {SAYS("source"),
                                                     CYAML_FIELD_SEQUENCE_COUNT("list", CYAML_FLAG_POINTER,
                                                                                struct file_map, water.list,
                                                                                water.list_count, &water, 0, ROADS),
                                                     CYAML_FIELD_END};

static const cyaml_schema_field_t place_fields[] = {TEXT("hex", struct file_place, hex),
                                                    TEXT("name", struct file_place, name), CYAML_FIELD_END};
static const cyaml_schema_value_t place = {CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct file_place, place_fields)};
static const cyaml_schema_field_t places_fields[] = {
    SAYS("source"),
    CYAML_FIELD_SEQUENCE_COUNT("list", CYAML_FLAG_POINTER, struct file_map, places.list, places.list_count, &place, 0,
                               BRIGADE_CELLS),
    CYAML_FIELD_END};

static const cyaml_schema_field_t map_fields[] = {
    SAYS("source"),
    NUMBER("columns", struct file_map, columns),
    NUMBER("rows", struct file_map, rows),
    BLOCK("terrain", CYAML_FLAG_DEFAULT, struct file_map, terrain_grid_fields),
    BLOCK("elevation", CYAML_FLAG_DEFAULT, struct file_map, elevation_grid_fields),
    BLOCK("roads", CYAML_FLAG_OPTIONAL, struct file_map, roads_fields),
    BLOCK("water", CYAML_FLAG_OPTIONAL, struct file_map, waters_fields),
    BLOCK("places", CYAML_FLAG_OPTIONAL, struct file_map, places_fields),
    CYAML_FIELD_END};

/* ---- units ---- */

static const cyaml_schema_field_t piece_fields[] = {
    TEXT("name", struct file_piece, name),
    CYAML_FIELD_ENUM("side", CYAML_FLAG_STRICT, struct file_piece, side, sides, CYAML_ARRAY_LEN(sides)),
    CYAML_FIELD_ENUM("type", CYAML_FLAG_STRICT, struct file_piece, type, types, CYAML_ARRAY_LEN(types)),
    TEXT("division", struct file_piece, division),
    TEXT("superior", struct file_piece, superior),
    NUMBER_IF("strength", struct file_piece, strength),
    NUMBER_IF("back", struct file_piece, back),
    CYAML_FIELD_ENUM("morale", CYAML_FLAG_STRICT | CYAML_FLAG_OPTIONAL, struct file_piece, morale, morales,
                     CYAML_ARRAY_LEN(morales)),
    YES_NO("independent", CYAML_FLAG_OPTIONAL, struct file_piece, independent),
    SAYS("name_basis"),
    SAYS("basis"),
    SAYS("note"),
    CYAML_FIELD_END};
static const cyaml_schema_value_t piece = {CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct file_piece, piece_fields)};
static const cyaml_schema_field_t units_fields[] = {
    SAYS("source"),
    CYAML_FIELD_SEQUENCE("pieces", CYAML_FLAG_POINTER, struct file_units, pieces, &piece, 1, BRIGADE_ROWS),
    CYAML_FIELD_END};

/* ---- the whole scenario ---- */

static const cyaml_schema_field_t scenario_fields[] = {
    NUMBER("longroll", struct file_scenario, longroll),
    TEXT("ruleset", struct file_scenario, ruleset),
    TEXT("title", struct file_scenario, title),
    SAYS("purpose"),
    SAYS("source"),
    TEXT_IF("map", struct file_scenario, map),
    TEXT_IF("units", struct file_scenario, units),
    CYAML_FIELD_MAPPING_PTR("own_map", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct file_scenario, own_map,
                            map_fields),
    CYAML_FIELD_MAPPING_PTR("own_units", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct file_scenario, own_units,
                            units_fields),
    TEXT("charts", struct file_scenario, charts),
    BLOCK("turns", CYAML_FLAG_DEFAULT, struct file_scenario, turns_fields),
    BLOCK("setup", CYAML_FLAG_OPTIONAL, struct file_scenario, setup_fields),
    BLOCK("reinforcements", CYAML_FLAG_OPTIONAL, struct file_scenario, reinforcements_fields),
    BLOCK("frozen", CYAML_FLAG_OPTIONAL, struct file_scenario, frozen_fields),
    BLOCK("slow", CYAML_FLAG_OPTIONAL, struct file_scenario, slow_fields),
    BLOCK("retreat", CYAML_FLAG_DEFAULT, struct file_scenario, retreat_fields),
    BLOCK("destiny", CYAML_FLAG_OPTIONAL, struct file_scenario, destiny_fields),
    BLOCK("victory", CYAML_FLAG_DEFAULT, struct file_scenario, victory_fields),
    CYAML_FIELD_END};

/* ---- charts ---- */

static const cyaml_schema_field_t movement_fields[] = {
    SAYS("source"),
    NUMBER("infantry", struct file_charts, movement.infantry),
    NUMBER("mounted", struct file_charts, movement.mounted),
    NUMBER("dismounted", struct file_charts, movement.dismounted),
    NUMBER("limbered", struct file_charts, movement.limbered),
    NUMBER("unlimbered", struct file_charts, movement.unlimbered),
    NUMBER("leader", struct file_charts, movement.leader),
    NUMBER("formation", struct file_charts, movement.formation),
    NUMBER("leave_zone", struct file_charts, movement.leave_zone),
    NUMBER("level", struct file_charts, movement.level),
    NUMBER("column_distance", struct file_charts, movement.column_distance),
    CYAML_FIELD_END};

static const cyaml_schema_field_t command_fields[] = {
    SAYS("source"), NUMBER("radius", struct file_charts, command.radius),
    NUMBER("replacement_radius", struct file_charts, command.replacement_radius), CYAML_FIELD_END};

static const cyaml_schema_field_t terrain_fields[] = {
    TEXT("name", struct file_terrain, name),
    TEXT("letter", struct file_terrain, letter),
    NUMBER("foot", struct file_terrain, foot),
    NUMBER("mounted", struct file_terrain, mounted),
    NUMBER("limbered", struct file_terrain, limbered),
    NUMBER("die", struct file_terrain, die),
    NUMBER("morale", struct file_terrain, morale),
    YES_NO("blocks_sight", CYAML_FLAG_DEFAULT, struct file_terrain, blocks_sight),
    YES_NO("column", CYAML_FLAG_DEFAULT, struct file_terrain, column),
    YES_NO("prohibited", CYAML_FLAG_DEFAULT, struct file_terrain, prohibited),
    CYAML_FIELD_END};
static const cyaml_schema_value_t terrain = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct file_terrain, terrain_fields)};
static const cyaml_schema_field_t gaits_fields[] = {NUMBER("foot", struct file_gaits, foot),
                                                    NUMBER("mounted", struct file_gaits, mounted),
                                                    NUMBER("limbered", struct file_gaits, limbered), CYAML_FIELD_END};
static const cyaml_schema_field_t terrains_fields[] = {
    SAYS("source"),
    CYAML_FIELD_SEQUENCE_COUNT("list", CYAML_FLAG_POINTER, struct file_charts, terrain.list, terrain.list_count,
                               &terrain, 1, BRIGADE_TERRAINS),
    CYAML_FIELD_MAPPING("road", CYAML_FLAG_DEFAULT, struct file_charts, terrain.road, gaits_fields), CYAML_FIELD_END};

static const cyaml_schema_field_t water_kind_fields[] = {
    TEXT("name", struct file_water_kind, name), NUMBER("foot", struct file_water_kind, foot),
    NUMBER("mounted", struct file_water_kind, mounted), NUMBER("limbered", struct file_water_kind, limbered),
    CYAML_FIELD_END};
static const cyaml_schema_value_t water_kind = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct file_water_kind, water_kind_fields)};
static const cyaml_schema_field_t water_kinds_fields[] = {
    SAYS("source"),
    CYAML_FIELD_SEQUENCE_COUNT("list", CYAML_FLAG_POINTER, struct file_charts, water.list, water.list_count,
                               &water_kind, 0, BRIGADE_TERRAINS),
    CYAML_FIELD_END};

static const cyaml_schema_field_t reach_fields[] = {NUMBER("to", struct file_reach, to),
                                                    NUMBER("halves", struct file_reach, halves), CYAML_FIELD_END};
static const cyaml_schema_value_t reach = {CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct file_reach, reach_fields)};
#define REACHES(key, member)                                                                                           \
    CYAML_FIELD_SEQUENCE_COUNT(key, CYAML_FLAG_POINTER, struct file_charts, member.item, member.count, &reach, 0,      \
                               BRIGADE_RANGE)
static const cyaml_schema_field_t fire_fields[] = {SAYS("source"),
                                                   REACHES("infantry", fire.infantry),
                                                   REACHES("dismounted", fire.dismounted),
                                                   REACHES("mounted", fire.mounted),
                                                   REACHES("artillery", fire.artillery),
                                                   CYAML_FIELD_END};

static const cyaml_schema_field_t modifiers_fields[] = {
    SAYS("source"),
    NUMBER("flank", struct file_charts, modifiers.flank),
    NUMBER("flank_hexes", struct file_charts, modifiers.flank_hexes),
    NUMBER("limbered", struct file_charts, modifiers.limbered),
    NUMBER("higher", struct file_charts, modifiers.higher),
    CYAML_FIELD_END};

static const cyaml_schema_field_t morale_fields[] = {
    SAYS("source"),
    NUMBER("green", struct file_charts, morale.green),
    NUMBER("black", struct file_charts, morale.black),
    NUMBER("gold", struct file_charts, morale.gold),
    NUMBER("leader", struct file_charts, morale.leader),
    NUMBER("retreat", struct file_charts, morale.retreat),
    NUMBER("rout", struct file_charts, morale.rout),
    NUMBER("casualty", struct file_charts, morale.casualty),
    NUMBER("casualty_alone", struct file_charts, morale.casualty_alone),
    CYAML_FIELD_END};

#define COMBAT_COLUMNS NUMBERS("columns", CYAML_FLAG_DEFAULT, struct file_charts, combat.columns, BRIGADE_COLUMNS)
static const cyaml_schema_field_t combat_columns_fields[] = {SAYS("source"), COMBAT_COLUMNS, SAYS("rows"),
                                                             CYAML_FIELD_END};

/* Which of the blocks below is the combat chart. */
enum { COMBAT_BLOCK = 6 };
static const cyaml_schema_field_t charts_fields[] = {
    BLOCK("movement", CYAML_FLAG_DEFAULT, struct file_charts, movement_fields),
    BLOCK("command", CYAML_FLAG_DEFAULT, struct file_charts, command_fields),
    BLOCK("terrain", CYAML_FLAG_DEFAULT, struct file_charts, terrains_fields),
    BLOCK("water", CYAML_FLAG_DEFAULT, struct file_charts, water_kinds_fields),
    BLOCK("fire", CYAML_FLAG_DEFAULT, struct file_charts, fire_fields),
    BLOCK("modifiers", CYAML_FLAG_DEFAULT, struct file_charts, modifiers_fields),
    BLOCK("combat", CYAML_FLAG_DEFAULT, struct file_charts, combat_columns_fields),
    BLOCK("morale", CYAML_FLAG_DEFAULT, struct file_charts, morale_fields),
    CYAML_FIELD_END};

const cyaml_schema_value_t file_scenario_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct file_scenario, scenario_fields)};
const cyaml_schema_value_t file_map_schema = {CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct file_map, map_fields)};
const cyaml_schema_value_t file_units_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct file_units, units_fields)};
const cyaml_schema_value_t file_charts_columns_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct file_charts, charts_fields)};

void file_charts_schema_make(struct file_charts_schema *schema, unsigned columns) {
    schema->row = (cyaml_schema_value_t){CYAML_VALUE_SEQUENCE_FIXED(CYAML_FLAG_POINTER, char *, &a_text, columns)};
    const cyaml_schema_field_t combat[] = {SAYS("source"), COMBAT_COLUMNS,
                                           CYAML_FIELD_SEQUENCE_COUNT("rows", CYAML_FLAG_POINTER, struct file_charts,
                                                                      combat.codes, combat.rows, &schema->row, 10, 10),
                                           CYAML_FIELD_END};
    memcpy(schema->combat, combat, sizeof combat);
    memcpy(schema->blocks, charts_fields, sizeof charts_fields);
    schema->blocks[COMBAT_BLOCK].value.mapping.fields = schema->combat;
    schema->charts =
        (cyaml_schema_value_t){CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct file_charts, schema->blocks)};
}
