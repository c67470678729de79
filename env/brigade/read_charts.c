/* read_charts.c: charts.yaml: movement, terrain, fire, the combat chart, morale. */
#include "read.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

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

int take_charts(const struct reader *r, const struct file_charts *f) {
    int code = take_movement(r, f);
    if (!code) code = take_ground(r, f);
    if (!code) code = take_fire(r, f);
    if (!code) code = take_combat(r, f);
    return code;
}
