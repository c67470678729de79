/* observe.c: a state as two arrays of small integers (design: observations), column by column as the tables here say.
 * Nothing is hidden in this ruleset, so two states differ exactly when their observations do; the tables hold every
 * field of the state that is not derived. The player's own rows come first: row 0-31 own, 32-63 the enemy's.
 *
 * It is written at every step of a batch, so the constant columns are copied from a template of the scenario, and of the
 * row sets, which are mostly empty, only the members are written. */
#include "chapters.h"

const lr_column brigade_piece_spec[BRIGADE_PIECE_COLUMNS] = {
    {"place", 0, 3, "0 not in this scenario, 1 in reserve, 2 on the map, 3 eliminated"},
    {"column", 0, 62, "CC of the hex, 0 off the map"},
    {"row", 0, 255, "RR of the hex, 0 off the map"},
    {"type", 0, 4, "1 infantry, 2 cavalry, 3 artillery, 4 leader"},
    {"strength", 0, 255, "SP; leaders: 2 front, 1 Replacement"},
    {"back", 0, 255, "SP at which the unit is shattered"},
    {"morale", 0, 10, "morale number"},
    {"routed", 0, 1, "routed"},
    {"deployed", 0, 1, "unlimbered, or dismounted"},
    {"fired", 0, 1, "bears a Fired marker"},
    {"in_command", 0, 1, "in command in this half-turn"},
    {"done", 0, 1, "has been active in this Movement Phase"},
    {"engaged", 0, 1, "has fired or was fired on in this fire segment"},
    {"joined", 0, 1, "takes part in the attack in hand"},
    {"checked", 0, 1, "leader: has thrown his casualty die for this attack"},
    {"with", 0, 1, "leader: goes along with the unit that retreats"},
    {"to_place", 0, 1, "leader: must be placed with the nearest friendly unit"},
    {"to_check", 0, 1, "leader: must throw a casualty die"},
    {"may_fire", 0, 1, "night: was next to an enemy when the turn began"},
    {"in_hand", 0, 1, "the piece, target or leader that the decision is about"},
    {"barred", 0, 1, "enemy whose zone the piece in hand started in"},
    {"due", 0, 31, "turn from which it may enter; 0 unknown or not a reinforcement"},
    {"frozen", 0, 1, "may not move yet"},
    {"casualty_dice", 0, 255, "leader: casualty dice thrown in this phase"},
};

enum { GLOBAL_ARRIVAL = 26 };

const lr_column brigade_global_spec[BRIGADE_GLOBAL_COLUMNS] = {
    {"turn", 0, 31, "game turn; 0 in set-up"},
    {"last_turn", 0, 31, "the last game turn"},
    {"night", 0, 1, "a night turn"},
    {"own_half", 0, 1, "it is the player's half-turn or set-up"},
    {"phase", 0, 7, "0 set-up, 1 command, 2 artillery, 3 movement, 4 defence, 5 offence, 6 rally, 7 over"},
    {"decision", 0, 17, "pending decision or die, in the order of DECISIONS.md, from 1; 0 over"},
    {"stage", 0, 7, "1 fire, 2 retreat, 3 morale, 4 rout, 5 advance, 6 enter, 7 move; 0 none in hand"},
    {"to_move", 0, 3, "0 the player, 1 the enemy, 2 chance, 3 nobody"},
    {"victory_points", -1000, 1000, "net, from the player's side"},
    {"star_points", 0, 1000, "victory points that the Union earned from stars"},
    {"face", 0, 10, "the die that may be re-rolled"},
    {"rolled", 0, 17, "re-roll decision: the die's kind; at a die: 1 if it is a re-roll"},
    {"spent", 0, 80, "half movement points spent by the piece in hand"},
    {"acted", 0, 1, "the piece in hand has done something"},
    {"to_go", 0, 10, "hexes of retreat left"},
    {"subject", 0, 64, "row in hand, or the next row or group to look at"},
    {"target_column", 0, 62, "hex fired on"},
    {"target_row", 0, 255, ""},
    {"toward_column", 0, 62, "hex of retreat"},
    {"toward_row", 0, 255, ""},
    {"ring_1_column", 0, 62, "hexes that the retreat may not enter again"},
    {"ring_1_row", 0, 255, ""},
    {"ring_2_column", 0, 62, ""},
    {"ring_2_row", 0, 255, ""},
    {"own_markers", 0, 3, "unused Destiny markers, a bit each"},
    {"enemy_markers", 0, 3, ""},
    {"arrival_1", 0, 31, "turn that a die has given the reinforcement group; 0 unknown"},
    {"arrival_2", 0, 31, ""}, {"arrival_3", 0, 31, ""}, {"arrival_4", 0, 31, ""}, {"arrival_5", 0, 31, ""},
    {"arrival_6", 0, 31, ""}, {"arrival_7", 0, 31, ""}, {"arrival_8", 0, 31, ""},
    {"artillery_only", 0, 1, "only the Artillery Phases are played this turn"},
    {"player", 0, 1, "0 Union, 1 Confederate"},
};

enum { PLACE, COLUMN, LINE, TYPE, STRENGTH, BACK, MORALE, ROUTED, DEPLOYED, FIRED, IN_COMMAND, DONE, ENGAGED, JOINED, CHECKED,
       WITH, TO_PLACE, TO_CHECK, MAY_FIRE, IN_HAND, BARRED, DUE, FROZEN, CASUALTY_DICE };
enum { NOT_IN_PLAY, IN_RESERVE, ON_MAP, ELIMINATED };

static int seen_row(int row, int player) { return player == LR_UNION ? row : row ^ BRIGADE_SIDE; }

/* What never changes in a scenario, as each player sees it. */
void brigade_compute_observation(struct brigade *b) {
    for (int player = 0; player < 2; player++)
        for (uint64_t left = b->present; left; left &= left - 1) {
            const int row = lowest(left), group = b->piece[row].group - 1;
            uint8_t *columns = b->observation[player][seen_row(row, player)];
            columns[TYPE] = (uint8_t)(b->piece[row].type + 1);
            columns[BACK] = b->piece[row].back;
            columns[MORALE] = b->piece[row].morale;
            columns[DUE] = group >= 0 ? b->group[group].turn : 0;
        }
}

static void put_set(uint64_t rows, int column, int player, uint8_t *pieces) {
    for (; rows; rows &= rows - 1) pieces[seen_row(lowest(rows), player) * BRIGADE_PIECE_COLUMNS + column] = 1;
}

static uint64_t in_hand(const struct brigade_state *s) {
    const bool is_row = s->subject < BRIGADE_ROWS && (s->stage || (s->decision && s->phase != PHASE_COMMAND));
    return is_row ? bit(s->subject) : 0;
}

static void put_places(const struct brigade *b, const struct brigade_state *s, int player, uint8_t *pieces) {
    for (uint64_t left = b->present; left; left &= left - 1) {
        const int row = lowest(left);
        uint8_t *columns = pieces + seen_row(row, player) * BRIGADE_PIECE_COLUMNS;
        columns[STRENGTH] = s->strength[row];
        columns[PLACE] = s->strength[row] ? IN_RESERVE : ELIMINATED;
        if (!has(s->on_map, row)) continue;
        columns[PLACE] = ON_MAP;
        columns[COLUMN] = b->hex_column[s->cell[row]];
        columns[LINE] = b->hex_row[s->cell[row]];
    }
}

static void put_arrivals(const struct brigade *b, const struct brigade_state *s, int player, uint8_t *pieces) {
    for (int i = 0; i < b->group_count; i++) {
        if (!s->arrival[i]) continue;
        for (uint64_t left = b->group[i].rows; left; left &= left - 1)
            pieces[seen_row(lowest(left), player) * BRIGADE_PIECE_COLUMNS + DUE] = s->arrival[i];
    }
}

static void put_casualty_dice(const struct brigade *b, const struct brigade_state *s, int player, uint8_t *pieces) {
    for (uint64_t left = b->present & b->leaders; left; left &= left - 1) {
        const int row = lowest(left);
        pieces[seen_row(row, player) * BRIGADE_PIECE_COLUMNS + CASUALTY_DICE] = s->casualty_dice[b->leader_slot[row]];
    }
}

static void observe_pieces(const struct brigade *b, const struct brigade_state *s, int player, uint8_t *pieces) {
    memcpy(pieces, b->observation[player], sizeof b->observation[player]);
    put_places(b, s, player, pieces);
    put_arrivals(b, s, player, pieces);
    put_casualty_dice(b, s, player, pieces);
    put_set(s->routed, ROUTED, player, pieces);
    put_set(s->deployed, DEPLOYED, player, pieces);
    put_set(s->fired, FIRED, player, pieces);
    put_set(s->in_command, IN_COMMAND, player, pieces);
    put_set(s->done, DONE, player, pieces);
    put_set(s->engaged, ENGAGED, player, pieces);
    put_set(s->joined, JOINED, player, pieces);
    put_set(s->checked, CHECKED, player, pieces);
    put_set(s->with, WITH, player, pieces);
    put_set(s->to_place, TO_PLACE, player, pieces);
    put_set(s->to_check, TO_CHECK, player, pieces);
    put_set(s->may_fire_at_night, MAY_FIRE, player, pieces);
    put_set(in_hand(s), IN_HAND, player, pieces);
    put_set((uint64_t)s->barred << (s->side == LR_UNION ? BRIGADE_SIDE : 0), BARRED, player, pieces);
    put_set(s->turn < b->frozen_before ? b->frozen & b->present : 0, FROZEN, player, pieces);
}

static void put_hex(const struct brigade *b, uint16_t cell_plus_1, int16_t *column) {
    column[0] = cell_plus_1 ? b->hex_column[cell_plus_1 - 1] : 0;
    column[1] = cell_plus_1 ? b->hex_row[cell_plus_1 - 1] : 0;
}

static int16_t mover_seen_by(const struct brigade_state *s, int player) {
    if (s->phase == PHASE_OVER) return 3;
    if (is_chance(s)) return 2;
    return brigade_decider(s) != player;
}

static void observe_globals(const struct brigade *b, const struct brigade_state *s, int player, int16_t *g) {
    const int16_t head[16] = {s->turn, b->last_turn, b->night[s->turn], s->side == player, s->phase, s->decision, s->stage,
                              mover_seen_by(s, player), (int16_t)(player == LR_UNION ? s->vp : -s->vp), s->stars, s->face,
                              s->rolled, s->spent, s->acted, s->to_go, s->subject};
    memcpy(g, head, sizeof head);
    put_hex(b, s->target, g + 16);
    put_hex(b, s->toward, g + 18);
    put_hex(b, s->ring[0], g + 20);
    put_hex(b, s->ring[1], g + 22);
    g[24] = s->markers[player];
    g[25] = s->markers[1 - player];
    for (int i = 0; i < BRIGADE_GROUPS; i++) g[GLOBAL_ARRIVAL + i] = s->arrival[i];
    g[34] = b->artillery_only[s->turn];
    g[35] = (int16_t)player;
}

void brigade_observe(const void *rules, const lr_state *state, int player, uint8_t *pieces, int16_t *globals) {
    observe_pieces(rules, (const void *)state, player, pieces);
    observe_globals(rules, (const void *)state, player, globals);
}
