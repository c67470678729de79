/* chapters.h: what the chapters of the brigade ruleset ask of each other.
 *
 * Play runs like this: `brigade_take` carries out one action or outcome in the chapter that owns the pending
 * decision; then `brigade_run` (turn.c) goes on, step by step, until a step ends in a question that
 * has more than one answer, in a die, or in the end of the game. A step returns true when it has
 * set the pending decision, false when there is more to do. */
#ifndef BRIGADE_CHAPTERS_H
#define BRIGADE_CHAPTERS_H

#include "brigade.h"

#include <assert.h>
#include <string.h>

/* The legal actions of a decision, laid out as the mask of the action space is. */
struct options {
    uint64_t rows;
    board cells;
    uint16_t verbs;
};

static inline uint16_t verb(int which) { return (uint16_t)(1u << which); }

static inline bool is_cell(int action) { return action >= BRIGADE_ID_CELL && action < BRIGADE_ID_VERB; }
static inline bool is_verb(int action, int which) { return action == BRIGADE_ID_VERB + which; }

static inline bool ask(struct brigade_state *s, int decision) {
    s->decision = (uint8_t)decision;
    return true;
}

/* turn.c: R 5, 11, 10.3 */
void brigade_begin(const struct brigade *b, struct brigade_state *s);
void brigade_run(const struct brigade *b, struct brigade_state *s);
void brigade_take(const struct brigade *b, struct brigade_state *s, int action);
void brigade_options(const struct brigade *b, const struct brigade_state *s, struct options *o);
int brigade_option_count(const struct options *o);
static inline bool is_night(const struct brigade *b, const struct brigade_state *s) { return b->night[s->turn]; }
static inline bool is_chance(const struct brigade_state *s) { return s->decision >= CHANCE_FIRE; }
/* Who decides or owns the die that is pending. */
int brigade_decider(const struct brigade_state *s);

/* pieces.c: R 2.1, 2.2: where pieces stand, zones of control */
static inline uint64_t units_of(const struct brigade *b, const struct brigade_state *s, int side) {
    return s->on_map & b->units & rows_of(side);
}
static inline uint64_t leaders_of(const struct brigade *b, const struct brigade_state *s, int side) {
    return s->on_map & b->leaders & rows_of(side);
}
uint64_t pieces_at(const struct brigade_state *s, uint64_t rows, int cell); /* those of `rows` that stand in the cell */
uint64_t lone_leaders(const struct brigade *b, const struct brigade_state *s, int side); /* without a friendly unit */
board zone_of(const struct brigade *b, const struct brigade_state *s, int side);
board cells_near(const struct brigade *b, const struct brigade_state *s, int side); /* within column_distance of its units */
void unit_enters(const struct brigade *b, struct brigade_state *s, int row, int cell); /* from off the map */
void unit_moves(const struct brigade *b, struct brigade_state *s, int row, int cell);
void unit_routs(const struct brigade *b, struct brigade_state *s, int row);
/* Takes `loss` SP, at most all it has, with their VP (R 13); true if that eliminated the unit (R 2.3). */
bool unit_loses(const struct brigade *b, struct brigade_state *s, int row, int loss);
/* A combat unit has come to stand in the cell: enemy leaders alone there or next to it are displaced (R 6.4). */
void displace_leaders_near(const struct brigade *b, struct brigade_state *s, int row, int cell);

/* setup.c: R 12, 14.1.2 */
bool setup_step(const struct brigade *b, struct brigade_state *s);
void setup_options(const struct brigade *b, const struct brigade_state *s, struct options *o);
void setup_take(const struct brigade *b, struct brigade_state *s, int action);

/* command.c: R 6.1 to 6.3 */
void command_phase(const struct brigade *b, struct brigade_state *s);
/* The cells within the leader's radius by a line of command; `extra` (or -1) is a cell never barred by zones. */
board command_radius(const struct brigade *b, const struct brigade_state *s, int leader, int extra);

/* leaders.c: R 6.4 */
bool leader_place_step(const struct brigade *b, struct brigade_state *s);
void displace_options(const struct brigade *b, const struct brigade_state *s, struct options *o);
void displace_take(struct brigade_state *s, int action);
bool leader_check_step(struct brigade_state *s);
void casualty_resolve(const struct brigade *b, struct brigade_state *s, int face);
void leader_hit(const struct brigade *b, struct brigade_state *s, int row);
bool led(const struct brigade *b, const struct brigade_state *s, int row); /* a leader of its command is stacked with the unit */

/* artillery.c: R 7, 9.4 */
uint64_t artillery_firers(const struct brigade *b, const struct brigade_state *s);
bool gun_sees(const struct brigade *b, const struct brigade_state *s, int row, int cell);

/* fire.c: R 9.1 to 9.6 */
static inline int firing_side(const struct brigade_state *s) { return s->phase == PHASE_DEFENCE ? 1 - s->side : s->side; }
bool segment_step(const struct brigade *b, struct brigade_state *s); /* false: the segment has ended */
void target_options(const struct brigade *b, const struct brigade_state *s, struct options *o);
bool target_is_asked(const struct brigade *b, const struct brigade_state *s);
void target_take(const struct brigade *b, struct brigade_state *s, int action);
bool fire_step(const struct brigade *b, struct brigade_state *s);
void join_options(const struct brigade *b, const struct brigade_state *s, struct options *o);
void join_take(const struct brigade *b, struct brigade_state *s, int action);
void fire_resolve(const struct brigade *b, struct brigade_state *s, int face);
/* The attack in hand as the chart sees it: column, and what is added to the die. */
struct fire_odds { int strength, column, modifier; };
struct fire_odds fire_odds(const struct brigade *b, const struct brigade_state *s, uint64_t firers, int target_row, int target_cell);
int fire_strength(const struct brigade *b, const struct brigade_state *s, int row, int cell); /* modified SP; 0: out of reach */
uint64_t fire_firers(const struct brigade *b, const struct brigade_state *s); /* who may still fire in this segment */
bool can_fire_at(const struct brigade *b, const struct brigade_state *s, int row, int cell);

/* retreat.c: R 9.8 */
bool retreat_step(const struct brigade *b, struct brigade_state *s);
void retreat_to_options(const struct brigade *b, const struct brigade_state *s, struct options *o);
void retreat_to_take(const struct brigade *b, struct brigade_state *s, int action);
void retreat_options(const struct brigade *b, const struct brigade_state *s, struct options *o);
void retreat_take(const struct brigade *b, struct brigade_state *s, int action);

/* advance.c: R 9.9 */
bool advance_step(const struct brigade *b, struct brigade_state *s);
void advance_options(const struct brigade *b, const struct brigade_state *s, struct options *o);
void advance_take(const struct brigade *b, struct brigade_state *s, int action);

/* morale.c: R 2.5, 9.7; rally.c: R 10 */
bool morale_passes(const struct brigade *b, const struct brigade_state *s, int row, int face, bool ten_fails);
void morale_resolve(const struct brigade *b, struct brigade_state *s, int face);
bool rally_step(const struct brigade *b, struct brigade_state *s);
void rally_resolve(const struct brigade *b, struct brigade_state *s, int face);

/* movement.c: R 8.1 to 8.4, 9.8.3 */
void movement_begin(const struct brigade *b, struct brigade_state *s);
bool movement_step(const struct brigade *b, struct brigade_state *s);
void pick_options(const struct brigade *b, const struct brigade_state *s, struct options *o);
bool pick_is_asked(const struct brigade *b, const struct brigade_state *s);
void pick_take(const struct brigade *b, struct brigade_state *s, int action);
bool move_step(const struct brigade *b, struct brigade_state *s);
void move_options(const struct brigade *b, const struct brigade_state *s, struct options *o);
bool move_is_asked(const struct brigade *b, const struct brigade_state *s); /* quick and one-sided: false means "count" */
void move_take(const struct brigade *b, struct brigade_state *s, int action);
int movement_allowance(const struct brigade *b, const struct brigade_state *s, int row); /* half points */
int movement_gait(const struct brigade *b, const struct brigade_state *s, int row);
bool is_frozen(const struct brigade *b, const struct brigade_state *s, int row);
board movement_stops(const struct brigade *b, const struct brigade_state *s, int row, int from, int left); /* where it may end */

/* reinforcements.c: R 8.5, 14.3, 14.4 */
bool arrival_step(const struct brigade *b, struct brigade_state *s); /* false: no die is due in this Command Phase */
void arrival_resolve(const struct brigade *b, struct brigade_state *s, int face);
bool is_due(const struct brigade *b, const struct brigade_state *s, int row);
uint64_t reinforcements_due(const struct brigade *b, const struct brigade_state *s); /* in reserve and due, side to move */
uint64_t reinforcements_owed(const struct brigade *b, const struct brigade_state *s); /* of these, who may wait no longer */
board entry_cells(const struct brigade *b, const struct brigade_state *s, int row);
bool enter_step(const struct brigade *b, struct brigade_state *s);
void enter_options(const struct brigade *b, const struct brigade_state *s, struct options *o);
void enter_take(const struct brigade *b, struct brigade_state *s, int action);

/* destiny.c: R 14.1.5 */
uint8_t destiny_markers(const struct brigade *b, const struct brigade_state *s, int kind, int side); /* that qualify for the die */
void die_thrown(const struct brigade *b, struct brigade_state *s, int face);
void reroll_options(const struct brigade *b, const struct brigade_state *s, struct options *o);
void reroll_take(const struct brigade *b, struct brigade_state *s, int action);

/* appraise.c: what fire is worth, for habits and evaluation */
int attack_value(const struct brigade *b, int column, int modifier, int morale); /* on the mean, hundredths of a VP */
int column_of(const struct brigade *b, int strength);                            /* of the combat chart, before shifts */

/* victory.c: R 13, 14.1.6 */
void victory_score_stars(const struct brigade *b, struct brigade_state *s);
int victory_winner(const struct brigade *b, const struct brigade_state *s);

#endif
