/* summary.c: what follows from a whole scenario: bounds of the score, the most decisions a game can have, the hash. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "read.h"

#include <string.h>

int take_score_bounds(const struct reader *r) {
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
int find_max_decisions(const struct brigade *b) {
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

static void hash_setting(XXH3_state_t *hash, const struct brigade *b) {
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

uint64_t hash_scenario(const struct brigade *b) {
    XXH3_state_t hash;
    XXH3_64bits_reset(&hash);
    hash_map(&hash, b);
    hash_charts(&hash, b);
    hash_pieces(&hash, b);
    hash_setting(&hash, b);
    return XXH3_64bits_digest(&hash);
}
