/* check.c: proves that 608 bytes can be a position of this game: every index, bound and derived board, and that
 * phase, stage, decision and the fields they use fit together. Run on everything that comes from outside, and in
 * debug builds after every action. The first wrong field is named.
 *
 * What is not proved: that play can lead here. Victory points, for example, need only be what losses and stars so far
 * can have brought, so that tests and puzzles can be stated freely; more than that, and play on from here would leave the
 * bounds of the score. */
#include "chapters.h"

#include <stdarg.h>
#include <stdio.h>

struct check {
    const struct brigade *b;
    const struct brigade_state *s;
    lr_error *error;
};

__attribute__((format(printf, 2, 3))) static int wrong(const struct check *c, const char *format, ...) {
    char said[200];
    va_list values;
    va_start(values, format);
    vsnprintf(said, sizeof said, format, values);
    va_end(values);
    return lr_fail(c->error, LR_E_STATE, "state: %s", said);
}

/* Faults are named as a state file would name them: pieces by name, cells by hex, sets by their marks. */
struct label {
    char text[BRIGADE_NAME];
};

static struct label piece_label(const struct check *c, unsigned row) {
    struct label label;
    const char *name = row < BRIGADE_ROWS ? c->b->piece[row].name : "";
    if (*name)
        snprintf(label.text, sizeof label.text, "%s", name);
    else
        snprintf(label.text, sizeof label.text, "the unused row %u", row);
    return label;
}

static struct label hex_label(const struct check *c, unsigned cell) {
    struct label label;
    if (cell < BRIGADE_CELLS && board_test(&c->b->map, cell))
        brigade_hex(c->b, (int)cell, label.text);
    else
        snprintf(label.text, sizeof label.text, "cell %u", cell);
    return label;
}

/* A row set that may hold only some rows. */
static int within(const struct check *c, const char *field, uint64_t rows, uint64_t may, const char *who) {
    if (!(rows & ~may)) return LR_OK;
    return wrong(c, "%s: %s is no %s", field, piece_label(c, (unsigned)lowest(rows & ~may)).text, who);
}

static int unused(const struct check *c, const char *field, bool used) {
    return used ? wrong(c, "%s: nothing reads it in this phase and stage, so it must be left out", field) : LR_OK;
}

static bool is_fire_phase(int phase) {
    return phase == PHASE_ARTILLERY || phase == PHASE_DEFENCE || phase == PHASE_OFFENCE;
}

static bool in_attack(const struct brigade_state *s) { return s->stage >= STAGE_FIRE && s->stage <= STAGE_ADVANCE; }
static bool in_retreat(const struct brigade_state *s) { return s->stage == STAGE_RETREAT || s->stage == STAGE_ROUT; }
static bool is_moving(const struct brigade_state *s) { return s->stage == STAGE_ENTER || s->stage == STAGE_MOVE; }

static uint64_t reserve_of(const struct brigade *b) {
    uint64_t rows = 0;
    for (int i = 0; i < b->group_count; i++) rows |= b->group[i].rows;
    return rows;
}

/* ---- Clock ---- */

static int check_clock(const struct check *c) {
    const struct brigade *b = c->b;
    const struct brigade_state *s = c->s;
    if (s->phase > PHASE_OVER) return wrong(c, "phase: %d is none", s->phase);
    if (s->side > 1) return wrong(c, "half: %d is not 0 or 1", s->side);
    if (s->decision > CHANCE_ARRIVAL) return wrong(c, "decision: %d is none", s->decision);
    if (s->stage > STAGE_MOVE) return wrong(c, "stage: %d is none", s->stage);
    if (s->phase == PHASE_SETUP) return s->turn ? wrong(c, "turn: %d in set-up, which is turn 0", s->turn) : LR_OK;
    if (s->turn < b->first_turn || s->turn > b->last_turn)
        return wrong(c, "turn: %d is not %d..%d", s->turn, b->first_turn, b->last_turn);
    if (s->phase == PHASE_OVER && (s->turn != b->last_turn || s->side == b->first_player))
        return wrong(c, "phase: over before the last half-turn");
    if (b->artillery_only[s->turn] && s->phase > PHASE_ARTILLERY && s->phase < PHASE_OVER)
        return wrong(c, "phase: turn %d has artillery phases only", s->turn);
    return LR_OK;
}

/* What a side has given its enemy: SP and leaders lost, and penalties for those who came early (R 13, 14.4). */
static int given_by(const struct check *c, int side) {
    const struct brigade *b = c->b;
    int points = 0;
    for (uint64_t left = b->present & rows_of(side); left; left &= left - 1) {
        const int row = lowest(left), lost = b->piece[row].strength - c->s->strength[row];
        if (lost > 0) points += lost;
    }
    for (int i = 0; i < b->group_count; i++)
        if (c->s->arrival[i] && side_of(lowest(b->group[i].rows)) == side) points += b->group[i].penalty;
    return points;
}

static int check_score(const struct check *c) {
    const struct brigade *b = c->b;
    const struct brigade_state *s = c->s;
    const int ended = s->phase == PHASE_SETUP ? 0 : s->turn - b->first_turn + (s->phase == PHASE_OVER);
    const int most = board_count(&b->stars) * b->star_points * ended;
    const int low = -given_by(c, LR_UNION), high = given_by(c, LR_CONFEDERATE) + most;
    if (s->vp < low || s->vp > high)
        return wrong(c, "vp: %d is not %d..%d, which losses and stars so far allow", s->vp, low, high);
    if (s->stars < 0 || s->stars > most || (b->star_points && s->stars % b->star_points))
        return wrong(c, "stars: %d is no multiple of %d in 0..%d", s->stars, b->star_points, most);
    for (int side = 0; side < 2; side++) {
        const char *const key = side == LR_UNION ? "union_markers" : "confederate_markers";
        if (s->markers[side] >> b->marker_count[side]) return wrong(c, "%s: the scenario has no such marker", key);
        for (int k = 0; k < b->marker_count[side]; k++)
            if (s->markers[side] >> k & 1 && s->strength[b->marker[side][k]] == 1)
                return wrong(c, "%s: %s is a Replacement, his marker is gone", key, b->piece[b->marker[side][k]].name);
    }
    return LR_OK;
}

static int check_arrival(const struct check *c, int i) {
    const struct brigade_group *g = &c->b->group[i];
    const int turn = c->s->arrival[i], now = c->s->turn;
    if (!turn) return LR_OK;
    if (i >= c->b->group_count) return wrong(c, "arrival: there is no group %d", i);
    if (g->turn) return wrong(c, "arrival: no die is thrown for %s", g->name);
    if (g->every_from)
        return turn < g->every_from || turn > now
                   ? wrong(c, "arrival: %s: %d is not %d..%d", g->name, turn, g->every_from, now)
                   : LR_OK;
    if (now < g->die_turn) return wrong(c, "arrival: the die for %s is thrown on turn %d", g->name, g->die_turn);
    for (int face = 1; face <= 10; face++)
        if (g->die_result[face] == turn) return LR_OK;
    return wrong(c, "arrival: %s: no face gives turn %d", g->name, turn);
}

/* ---- Pieces ---- */

static int check_off_map(const struct check *c, int row) {
    const struct brigade *b = c->b;
    const struct brigade_state *s = c->s;
    const char *name = b->piece[row].name;
    if (s->cell[row]) return wrong(c, "hex: %s is not on the map and has one", name);
    const bool unplaced = s->phase == PHASE_SETUP && has(b->leaders, row) && b->piece[row].set_up;
    const bool due = has(reserve_of(b), row) && is_due(b, s, row);
    if (s->phase == PHASE_SETUP && !s->strength[row]) return wrong(c, "strength: %s is dead in set-up", name);
    if (s->strength[row] == 0)
        return !b->piece[row].group || due ? LR_OK : wrong(c, "strength: %s is eliminated before he came", name);
    if (s->strength[row] != b->piece[row].strength)
        return wrong(c, "strength: %s has losses and is not on the map", name);
    if (!unplaced && !b->piece[row].group)
        return wrong(c, "pieces: %s is neither on the map, eliminated nor a reinforcement", name);
    return LR_OK;
}

static int check_on_map(const struct check *c, int row) {
    const struct brigade *b = c->b;
    const struct brigade_state *s = c->s;
    const char *name = b->piece[row].name;
    const unsigned cell = s->cell[row];
    if (cell >= BRIGADE_CELLS || !board_test(&b->open, cell))
        return wrong(c, "hex: %s stands on %s, which is no hex to stand on", name, hex_label(c, cell).text);
    if (!s->strength[row] || s->strength[row] > b->piece[row].strength)
        return wrong(c, "strength: %s: %d is not 1..%d", name, s->strength[row], b->piece[row].strength);
    if (b->piece[row].group && !is_due(b, s, row)) return wrong(c, "hex: %s is not due yet", name);
    if (s->phase == PHASE_SETUP && s->strength[row] != b->piece[row].strength)
        return wrong(c, "strength: %s has losses in set-up", name);
    return LR_OK;
}

static int check_pieces(const struct check *c) {
    const struct brigade_state *s = c->s;
    int code = within(c, "hex", s->on_map, c->b->present, "piece of this scenario");
    for (int row = 0; !code && row < BRIGADE_ROWS; row++) {
        if (!has(c->b->present, row)) {
            if (s->strength[row] || s->cell[row])
                code = wrong(c, "%s: %s is no piece of this scenario", s->cell[row] ? "hex" : "strength",
                             piece_label(c, (unsigned)row).text);
        } else
            code = has(s->on_map, row) ? check_on_map(c, row) : check_off_map(c, row);
    }
    return code;
}

/* A unit may stand on a friend's hex only while it is the piece in hand, on its way (R 2.1, 9.8, decisions 15). */
static bool may_share(const struct check *c, int row) {
    if (row != c->s->subject) return false;
    return c->s->stage == STAGE_MOVE || (in_retreat(c->s) && c->s->toward);
}

/* Two pieces in one hex. Enemy leaders who are about to be placed elsewhere may still be there. */
static int check_pair(const struct check *c, int one, int other) {
    const struct brigade *b = c->b;
    const struct brigade_state *s = c->s;
    const bool units = has(b->units, one) && has(b->units, other);
    char hex[5];
    brigade_hex(b, s->cell[one], hex);
    if (side_of(one) == side_of(other)) {
        if (!units || may_share(c, one) || may_share(c, other)) return LR_OK;
        return wrong(c, "hex %s: %s and %s are both there (R 2.1)", hex, b->piece[one].name, b->piece[other].name);
    }
    if (!units && (s->to_place & (bit(one) | bit(other)))) return LR_OK;
    return wrong(c, "hex %s: enemies %s and %s are both there", hex, b->piece[one].name, b->piece[other].name);
}

static int check_stacking(const struct check *c) {
    const struct brigade_state *s = c->s;
    int code = LR_OK;
    for (uint64_t left = s->on_map; left && !code; left &= left - 1) {
        const int row = lowest(left);
        uint64_t others = pieces_at(s, left & (left - 1), s->cell[row]);
        for (; others && !code; others &= others - 1) code = check_pair(c, row, lowest(others));
    }
    return code;
}

/* ---- Row sets ---- */

static int check_sets(const struct check *c) {
    const struct brigade *b = c->b;
    const struct brigade_state *s = c->s;
    const uint64_t units = b->units & s->on_map, own = rows_of(s->side), fire = rows_of(firing_side(s));
    const bool command_known = s->phase > PHASE_COMMAND && s->phase < PHASE_OVER && !b->artillery_only[s->turn];
    const bool entering = s->stage == STAGE_ENTER && s->acted;
    const uint64_t comes = entering ? bit(s->subject & 63) : 0;
    const uint64_t guns_fired =
        s->phase == PHASE_ARTILLERY || s->phase == PHASE_MOVEMENT ? b->guns & s->deployed & own : 0;
    const uint64_t movers = s->phase == PHASE_MOVEMENT ? s->on_map & own : 0;
    const uint64_t shooters = is_fire_phase(s->phase) ? (units & fire) | (s->on_map & ~fire) : 0;
    const uint64_t can_fire = (s->phase == PHASE_ARTILLERY ? b->guns : b->units) & (s->deployed | ~b->guns);
    const uint64_t firers = in_attack(s) ? units & fire & can_fire : 0;
    const uint64_t contact = s->phase != PHASE_OVER && is_night(b, s) ? units : 0;
    const struct {
        const char *field;
        uint64_t rows, may;
        const char *who;
    } set[] = {
        {"routed", s->routed, s->phase == PHASE_SETUP ? 0 : units, "unit on the map that may be routed"},
        {"unlimbered, dismounted", s->deployed, (b->guns | b->cavalry) & (s->on_map | (comes & b->cavalry)),
         "gun or cavalry unit on the map"},
        {"unlimbered", s->deployed & s->routed, ~b->guns, "gun that may be unlimbered: it is routed"},
        {"fired", s->fired, guns_fired & ~s->routed, "unlimbered gun that can have fired"},
        {"in-command", s->in_command, command_known ? units & own : 0,
         "unit of the side to move, in a phase with command"},
        {"active", s->done, movers, "piece that can have been active"},
        {"engaged", s->engaged, shooters, "piece that can have fired or been fired on"},
        {"joined", s->joined, firers, "unit that can fire in this attack"},
        {"checked", s->checked, in_attack(s) ? b->leaders & ~fire : 0, "leader under fire"},
        {"along", s->with, in_retreat(s) ? b->leaders & s->on_map : 0, "leader who goes with a retreat"},
        {"to-place", s->to_place, b->leaders & s->on_map, "leader on the map"},
        {"to-check", s->to_check, in_attack(s) ? b->leaders & s->on_map & ~fire : 0, "leader under fire"},
        {"in-contact", s->may_fire_at_night, contact, "unit on the map in a night turn"},
    };
    for (size_t i = 0; i < sizeof set / sizeof *set; i++) {
        const int code = within(c, set[i].field, set[i].rows, set[i].may, set[i].who);
        if (code) return code;
    }
    const uint64_t enemies = s->on_map & b->units & ~own;
    const uint64_t barred = (uint64_t)s->barred << (s->side == LR_UNION ? BRIGADE_SIDE : 0);
    return within(c, "barred", barred, s->stage == STAGE_MOVE ? enemies & ~s->routed : 0, "enemy with a zone");
}

/* ---- Derived boards ---- */

/* Both members of the union cover it whole: no padding, no second form of a value. */
static bool same(const board *a, const board *b) { return !memcmp(a->word, b->word, sizeof a->word); }

static int check_boards(const struct check *c) {
    const struct brigade *b = c->b;
    const struct brigade_state *s = c->s;
    for (int side = 0; side < 2; side++) {
        board cells = board_empty();
        for (uint64_t left = units_of(b, s, side); left; left &= left - 1) board_add(&cells, s->cell[lowest(left)]);
        if (!same(&cells, &s->occupied[side]))
            return wrong(c, "occupied[%d]: not the hexes of that side's units", side);
    }
    const board zone = zone_of(b, s, 1 - s->side);
    if (!same(&zone, &s->waiting_zone)) return wrong(c, "waiting_zone: not the zone of control of the side that waits");
    const board near = s->phase == PHASE_MOVEMENT ? cells_near(b, s, 1 - s->side) : board_empty();
    return same(&near, &s->near) ? LR_OK : wrong(c, "near: not the hexes near the enemy, in the Movement Phase only");
}

/* ---- The attack, the retreat, the piece in hand ---- */

static int check_attack(const struct check *c) {
    const struct brigade *b = c->b;
    const struct brigade_state *s = c->s;
    const uint64_t targets = rows_of(1 - firing_side(s)) & b->present;
    if (!is_fire_phase(s->phase)) return wrong(c, "stage: an attack outside the phases with fire");
    if (!s->target) return wrong(c, "target: missing: it is the hex fired on");
    if (s->target > BRIGADE_CELLS || !board_test(&b->open, s->target - 1u))
        return wrong(c, "target: %s is no hex to stand on", hex_label(c, s->target - 1u).text);
    if (s->subject >= BRIGADE_ROWS || !has(targets, s->subject))
        return wrong(c, "subject: %s is no target here", piece_label(c, s->subject).text);
    const bool alive = has(s->on_map, s->subject), leader = has(b->leaders, s->subject);
    if (s->stage != STAGE_ADVANCE && !alive) return wrong(c, "subject: %s is gone", b->piece[s->subject].name);
    if (board_test(&s->occupied[firing_side(s)], s->target - 1u))
        return wrong(c, "target: a friend of the firers stands there");
    if (s->stage == STAGE_FIRE && s->cell[s->subject] != s->target - 1)
        return wrong(c, "target: %s does not stand there", b->piece[s->subject].name);
    if (leader && s->stage != STAGE_FIRE && s->stage != STAGE_ADVANCE)
        return wrong(c, "stage: leaders neither check morale nor retreat");
    if (leader && s->stage == STAGE_FIRE && board_test(&s->occupied[side_of(s->subject)], s->target - 1u))
        return wrong(c, "subject: %s is not alone", b->piece[s->subject].name);
    if (s->stage != STAGE_FIRE && !s->joined) return wrong(c, "joined: nobody has fired");
    const bool ordered = s->joined & s->engaged;
    if (ordered && (s->joined & ~s->engaged)) return wrong(c, "engaged: some of the firers are missing");
    if (s->stage != STAGE_FIRE && !ordered) return wrong(c, "engaged: the firers are missing");
    if (!leader && alive && !has(s->engaged, s->subject)) return wrong(c, "engaged: the target is missing");
    if (s->phase == PHASE_ARTILLERY && ordered && (s->joined & ~s->fired)) return wrong(c, "fired: a firer is missing");
    return LR_OK;
}

static bool may_go_to(const struct brigade *b, int row, int cell) {
    for (int i = 0; i < b->retreat_count; i++)
        if (b->retreat[i].cell == cell && has(b->retreat[i].rows, row)) return true;
    return false;
}

static int check_ring(const struct check *c) {
    const struct brigade_state *s = c->s;
    const unsigned goal = s->toward - 1u, here = s->cell[s->subject];
    if (s->ring[1] && s->ring[0] >= s->ring[1]) return wrong(c, "ring: not sorted");
    if (s->ring[1] && !s->ring[0]) return wrong(c, "ring: the first place is empty and the second is not");
    for (int i = 0; i < 2; i++) {
        if (!s->ring[i]) continue;
        const unsigned cell = s->ring[i] - 1u;
        if (cell >= BRIGADE_CELLS || !board_test(&c->b->map, cell))
            return wrong(c, "ring: %s is no hex", hex_label(c, cell).text);
        if (cell == here || distance(c->b, cell, goal) != distance(c->b, here, goal))
            return wrong(c, "ring: %s is not as far from the retreat hex as the unit", hex_label(c, cell).text);
    }
    return LR_OK;
}

static int check_retreat(const struct check *c) {
    const struct brigade *b = c->b;
    const struct brigade_state *s = c->s;
    if (!in_retreat(s)) {
        if (s->toward) return unused(c, "toward", true);
        if (s->to_go) return unused(c, "to_go", true);
        return unused(c, "ring", s->ring[0] || s->ring[1]);
    }
    const int hexes = s->stage == STAGE_ROUT ? b->rout_hexes : b->retreat_hexes;
    if (s->to_go > hexes || (s->to_go && !s->toward)) return wrong(c, "to_go: %d of %d hexes", s->to_go, hexes);
    if (s->toward && (s->toward > BRIGADE_CELLS || !may_go_to(b, s->subject, s->toward - 1)))
        return wrong(c, "toward: %s is no retreat hex of %s", hex_label(c, s->toward - 1u).text,
                     b->piece[s->subject].name);
    if (!s->toward && (s->ring[0] || s->ring[1])) return unused(c, "ring", true);
    const uint64_t along = pieces_at(s, b->leaders & rows_of(side_of(s->subject)), s->cell[s->subject]);
    if (s->with & ~along) return within(c, "along", s->with, along, "leader who stands with the unit");
    if (s->stage == STAGE_RETREAT && has(s->routed, s->subject)) return wrong(c, "stage: a routed unit routs again");
    if (s->stage == STAGE_ROUT && s->toward && !has(s->routed, s->subject)) return wrong(c, "routed: the unit routs");
    if (s->toward && has(s->deployed & b->guns, s->subject)) return wrong(c, "unlimbered: guns retreat limbered");
    return s->toward ? check_ring(c) : LR_OK;
}

static int check_mover(const struct check *c) {
    const struct brigade *b = c->b;
    const struct brigade_state *s = c->s;
    if (s->phase != PHASE_MOVEMENT) return wrong(c, "stage: a piece moves outside the Movement Phase");
    if (s->subject >= BRIGADE_ROWS || side_of(s->subject) != s->side || !has(b->present, s->subject))
        return wrong(c, "subject: %s is no piece of the side to move", piece_label(c, s->subject).text);
    if (has(s->done | s->fired, s->subject))
        return wrong(c, "subject: %s may not be active", b->piece[s->subject].name);
    if (s->acted > 1) return wrong(c, "acted: %d is not 0 or 1", s->acted);
    if (s->spent > BRIGADE_ALLOWANCE) return wrong(c, "spent: %d is more than %d", s->spent, BRIGADE_ALLOWANCE);
    if (s->spent && (!s->acted || s->stage == STAGE_ENTER)) return wrong(c, "spent: nothing was done for it");
    if (s->stage == STAGE_MOVE)
        return has(s->on_map, s->subject) ? LR_OK
                                          : wrong(c, "subject: %s is not on the map", b->piece[s->subject].name);
    if (!has(reinforcements_due(b, s), s->subject))
        return wrong(c, "subject: %s is not due", b->piece[s->subject].name);
    return s->acted && !has(b->cavalry, s->subject) ? unused(c, "acted", true) : LR_OK;
}

static int check_idle(const struct check *c) {
    const struct brigade *b = c->b;
    const struct brigade_state *s = c->s;
    const int low = s->side * BRIGADE_SIDE, high = low + BRIGADE_SIDE;
    switch (s->phase) {
    case PHASE_SETUP:
        return s->subject < low || s->subject > high
                   ? wrong(c, "subject: %s is not of that side", piece_label(c, s->subject).text)
                   : LR_OK;
    case PHASE_RALLY:
        return s->subject < low || s->subject >= high
                   ? wrong(c, "subject: %s is not of that side", piece_label(c, s->subject).text)
                   : LR_OK;
    case PHASE_COMMAND:
        return s->subject >= b->group_count ? wrong(c, "subject: group %d does not exist", s->subject) : LR_OK;
    default: return unused(c, "subject", s->subject);
    }
}

static int check_in_hand(const struct check *c) {
    const struct brigade_state *s = c->s;
    int code = in_attack(s) ? check_attack(c) : unused(c, "target", s->target);
    if (!code) code = check_retreat(c);
    if (!code && is_moving(s)) code = check_mover(c);
    if (!code && !is_moving(s)) code = unused(c, s->spent ? "spent" : "acted", s->spent || s->acted);
    if (!code && s->stage == STAGE_NONE) code = check_idle(c);
    if (!code) code = unused(c, "spare", s->spare[0] || s->spare[1] || s->spare[2]);
    return code;
}

/* An attack throws one die a leader, a spent marker one more; every attack had a firer, and nobody fires twice. */
static int check_casualty_dice(const struct check *c) {
    const struct brigade *b = c->b;
    const struct brigade_state *s = c->s;
    int most[BRIGADE_LEADERS] = {0};
    for (uint64_t left = is_fire_phase(s->phase) ? b->leaders : 0; left; left &= left - 1) {
        const int row = lowest(left), side = side_of(row);
        if (side == firing_side(s)) continue;
        const int spent = b->marker_count[side] - __builtin_popcount(s->markers[side]);
        const bool thrown = has(s->checked, row) || (s->decision == REROLL && s->rolled == CHANCE_CASUALTY &&
                                                     (s->to_check & -s->to_check) == bit(row));
        const bool to_come = in_attack(s) && (s->joined & s->engaged) && !thrown;
        most[b->leader_slot[row]] = __builtin_popcountll(s->engaged & rows_of(1 - side)) + spent - to_come;
    }
    for (int i = 0; i < BRIGADE_LEADERS; i++) {
        if (s->casualty_dice[i] <= most[i]) continue;
        uint64_t left = b->leaders;
        while (left && b->leader_slot[lowest(left)] != i) left &= left - 1;
        return wrong(c, "casualty_dice: %s: %d in this phase, %d at most",
                     left ? b->piece[lowest(left)].name : "no leader", s->casualty_dice[i], most[i]);
    }
    return LR_OK;
}

/* ---- The decision ---- */

/* Is a die thrown for the group in hand, and now? (Rulings 24 and 53.) */
static bool arrival_fits(const struct check *c) {
    const struct brigade_state *s = c->s;
    const struct brigade_group *g = &c->b->group[s->subject];
    if (s->phase != PHASE_COMMAND || s->stage != STAGE_NONE || s->arrival[s->subject]) return false;
    if (g->every_from) return s->side == c->b->first_player && s->turn >= g->every_from;
    return g->die_turn == s->turn && side_of(g->subject) == s->side;
}

/* Does the position fit the decision or the kind of die? The two that come before everything else first. */
static bool fits(const struct check *c, int decision) {
    const struct brigade *b = c->b;
    const struct brigade_state *s = c->s;
    const int stage = s->stage, phase = s->phase;
    if (s->to_place || decision == DISPLACE) return s->to_place && decision == DISPLACE;
    if (s->to_check || decision == CHANCE_CASUALTY)
        return s->to_check && decision == CHANCE_CASUALTY && !has(s->checked, lowest(s->to_check));
    switch (decision) {
    case FORMATION:
        return phase == PHASE_SETUP && stage == STAGE_NONE && s->subject < BRIGADE_ROWS &&
               side_of(s->subject) == s->side && has((b->guns | b->cavalry) & s->on_map, s->subject);
    case PLACE_LEADER:
        return phase == PHASE_SETUP && stage == STAGE_NONE && s->subject < BRIGADE_ROWS &&
               side_of(s->subject) == s->side && has(b->leaders & ~s->on_map, s->subject) &&
               b->piece[s->subject].set_up;
    case TARGET: return is_fire_phase(phase) && stage == STAGE_NONE;
    case JOIN: return stage == STAGE_FIRE && !(s->joined & s->engaged);
    case CHANCE_FIRE: return stage == STAGE_FIRE && (s->joined & s->engaged);
    case CHANCE_MORALE: return stage == STAGE_MORALE;
    case RETREAT_TO: return in_retreat(s) && !s->toward;
    case RETREAT: return in_retreat(s) && s->toward;
    case ADVANCE: return stage == STAGE_ADVANCE && phase == PHASE_OFFENCE;
    case PICK: return phase == PHASE_MOVEMENT && stage == STAGE_NONE;
    case ENTER: return stage == STAGE_ENTER;
    case MOVE: return stage == STAGE_MOVE;
    case CHANCE_RALLY: return phase == PHASE_RALLY && stage == STAGE_NONE && has(s->routed & s->in_command, s->subject);
    case CHANCE_ARRIVAL: return arrival_fits(c);
    default: return false;
    }
}

static int check_decision(const struct check *c) {
    const struct brigade_state *s = c->s;
    const bool over = s->phase == PHASE_OVER;
    if ((s->decision == NO_DECISION) != over) return wrong(c, "decision: there is one exactly while the game goes on");
    if (over) {
        if (s->stage) return wrong(c, "stage: the game is over");
        if (s->to_place) return unused(c, "to_place", true);
        return unused(c, s->face ? "face" : "rolled", s->face || s->rolled);
    }
    if (s->decision == REROLL) {
        if (s->face < 1 || s->face > 10) return wrong(c, "face: %d is not 1..10", s->face);
        if (s->rolled < CHANCE_FIRE || s->rolled >= CHANCE_ARRIVAL)
            return wrong(c, "rolled: no die that can be thrown again");
        return fits(c, s->rolled) ? LR_OK : wrong(c, "rolled: that die is not due here");
    }
    if (s->face) return unused(c, "face", true);
    if (s->rolled > (s->decision >= CHANCE_FIRE)) return wrong(c, "rolled, rerolled: they do not fit the decision");
    return fits(c, s->decision) ? LR_OK : wrong(c, "decision: it does not fit phase, stage and pieces");
}

/* Asked only where two answers or more are legal (ruling 56). */
static int check_options(const struct check *c) {
    struct options o;
    if (c->s->decision == NO_DECISION || is_chance(c->s)) return LR_OK;
    brigade_options(c->b, c->s, &o);
    const int count = brigade_option_count(&o);
    return count > 1 ? LR_OK : wrong(c, "decision: it has %d legal answers; only choices are asked", count);
}

int brigade_check(const void *rules, const lr_state *state, lr_error *error) {
    const struct check c = {rules, (const struct brigade_state *)state, error};
    int (*const checks[])(const struct check *) = {check_clock,         check_score,    check_pieces,
                                                   check_sets,          check_boards,   check_in_hand,
                                                   check_casualty_dice, check_stacking, check_decision};
    int code = LR_OK;
    /* In this order: later checks use fields that earlier ones have proved. */
    for (size_t i = 0; !code && i < sizeof checks / sizeof *checks; i++) {
        code = checks[i](&c);
        if (i == 0)
            for (int k = 0; !code && k < BRIGADE_GROUPS; k++) code = check_arrival(&c, k);
    }
    return code ? code : check_options(&c);
}
