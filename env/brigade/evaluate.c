/* evaluate.c: a guess at an unfinished game's value, for searches that stop before the end.
 *
 * The Union wins with enough victory points and enough of them from stars (ruling 52), so two numbers are guessed: what it
 * will have of each in the end. What is known now is added to a weighted sum of what a player sees at a glance: turns
 * left, stars held, strength about the stars and how far it is from them, strength on the field, routed strength,
 * markers, and what the enemy's fire at each unit where it stands would cost on the mean. The weights are the
 * least-squares fit to how games went on from some 20,000 positions (both sides by habit, four kinds of scenario).
 * Each number's lead over its level, against how far such guesses are off with so many turns left, is made a chance
 * by x / sqrt(1 + x^2); the value is both chances' product, from -1000 to +1000.
 *
 * IEEE doubles in a fixed order, and of the library only sqrt: the same on every machine. */
#include "chapters.h"
#include <math.h>

enum { REACH = 5, STEADY = 16 }; /* hexes about a star that count; keeps a lone unit from counting as full control */

/* What is seen of one side. */
struct outlook {
    double strength, routed;
    double distance; /* of a strength point to the nearest star, on the mean; 12 at most */
    double cost;     /* of the enemy's fire at every unit where it stands, VP */
};

static int strength_at_range(const struct brigade *b, const struct brigade_state *s, int row, int target, int away) {
    const bool gun = has(b->guns, row), open = has(s->deployed, row);
    const int strength = s->strength[row];
    if (has(s->routed, row) || (gun && !open)) return 0;
    if (away == 1) return gun ? strength * 2 : has(b->cavalry, row) && !open ? strength / 2 : strength;
    if (!gun || is_night(b, s) || !board_test(&b->sight[s->cell[row]], s->cell[target])) return 0;
    return strength * b->multiplier[ARM_ARTILLERY][away] / 2;
}

/* Enemy strength that bears on each unit. */
static void find_threats(const struct brigade *b, const struct brigade_state *s, int threat[BRIGADE_ROWS]) {
    const uint64_t enemies = units_of(b, s, LR_CONFEDERATE);
    for (uint64_t left = units_of(b, s, LR_UNION); left; left &= left - 1) {
        const int row = lowest(left);
        for (uint64_t others = enemies; others; others &= others - 1) {
            const int other = lowest(others), away = distance(b, s->cell[row], s->cell[other]);
            if (away >= BRIGADE_RANGE) continue;
            threat[other] += strength_at_range(b, s, row, other, away);
            threat[row] += strength_at_range(b, s, other, row, away);
        }
    }
}

static int cost_of_fire(const struct brigade *b, const struct brigade_state *s, int row, int threat) {
    int column = column_of(b, threat);
    if (has(b->guns, row) && !has(s->deployed, row)) column += b->limbered_shift;
    if (column >= b->combat_columns) column = b->combat_columns - 1;
    return attack_value(b, column, b->terrains[b->terrain[s->cell[row]]].die, b->piece[row].morale);
}

static int nearest_star(const struct brigade *b, int cell) {
    int nearest = 12;
    board stars = b->stars;
    for (int star; (star = board_next(&stars)) >= 0;) {
        const int away = distance(b, (unsigned)cell, (unsigned)star);
        if (away < nearest) nearest = away;
    }
    return nearest;
}

static struct outlook look_at(const struct brigade *b, const struct brigade_state *s, int side, const int *threat) {
    struct outlook seen = {0};
    int hundredths = 0, hexes = 0;
    for (uint64_t left = units_of(b, s, side); left; left &= left - 1) {
        const int row = lowest(left), strength = s->strength[row];
        if (threat[row]) hundredths += cost_of_fire(b, s, row, threat[row]);
        if (has(s->routed, row)) {
            seen.routed += strength;
            continue;
        }
        seen.strength += strength;
        hexes += nearest_star(b, s->cell[row]) * strength;
    }
    seen.distance = hexes / (seen.strength + 1);
    seen.cost = hundredths / 100.0;
    return seen;
}

/* Who is stronger about the star: from -1 to +1, the Union's. */
static double control(const struct brigade *b, const struct brigade_state *s, int star) {
    static const int weights[REACH] = {8, 6, 4, 2, 1};
    int weight[2] = {0};
    for (uint64_t left = s->on_map & b->units & ~s->routed; left; left &= left - 1) {
        const int row = lowest(left), away = distance(b, s->cell[row], (unsigned)star);
        if (away < REACH) weight[side_of(row)] += s->strength[row] * weights[away];
    }
    return (double)(weight[0] - weight[1]) / (weight[0] + weight[1] + STEADY);
}

/* When the enemy will fire at a side's units: in defence against those whose half-turn it is, in offence after the others'
 * movement, or not before the next half-turn. */
enum fire_due { DUE_DEFENCE, DUE_OFFENCE, DUE_LATER };

static enum fire_due fire_due_at(const struct brigade_state *s, int side) {
    if (s->side == side) return s->phase <= PHASE_DEFENCE ? DUE_DEFENCE : DUE_LATER;
    return s->phase <= PHASE_OFFENCE ? DUE_OFFENCE : DUE_LATER;
}

/* x / sqrt(1 + x^2), as a chance from 0 to 1. */
static double chance(double lead, double spread) {
    const double x = lead / spread;
    return 0.5 + 0.5 * x / sqrt(1 + x * x);
}

int brigade_evaluate(const void *rules, const lr_state *state) {
    /* by the side that suffers and enum fire_due: VP, and VP from stars */
    static const double cost_vp[2][3] = {{-0.50, -0.47, -0.15}, {0.10, 0.20, -0.35}};
    static const double cost_stars[2][3] = {{-0.08, -0.18, -0.07}, {-0.06, -0.03, -0.16}};
    const struct brigade *b = rules;
    const struct brigade_state *s = (const void *)state;
    if (s->phase == PHASE_OVER) return victory_winner(b, s) == LR_UNION ? 1000 : -1000;

    int threat[BRIGADE_ROWS] = {0};
    find_threats(b, s, threat);
    const struct outlook u = look_at(b, s, LR_UNION, threat), c = look_at(b, s, LR_CONFEDERATE, threat);
    double hold = 0;
    board stars = b->stars;
    for (int star; (star = board_next(&stars)) >= 0;) hold += control(b, s, star);
    const board taken = board_and(b->stars, s->occupied[LR_UNION]);
    const double held = board_count(&taken), turns = b->last_turn - s->turn + 1;
    const double markers = __builtin_popcount(s->markers[LR_UNION]) - __builtin_popcount(s->markers[LR_CONFEDERATE]);
    const enum fire_due due_u = fire_due_at(s, LR_UNION), due_c = fire_due_at(s, LR_CONFEDERATE);

    const double vp = s->vp - 0.65 + 1.30 * turns + held * (0.63 + 0.36 * turns) - hold * (1.18 + 0.06 * turns) +
                      0.075 * (u.strength - c.strength) - 0.037 * u.routed + 0.034 * c.routed -
                      u.distance * (0.52 + 0.09 * turns) + c.distance * (0.39 + 0.06 * turns) + 0.98 * markers +
                      u.cost * cost_vp[LR_UNION][due_u] + c.cost * cost_vp[LR_CONFEDERATE][due_c];
    const double from_stars = s->stars - 0.43 + 0.87 * turns + held * (0.34 + 0.54 * turns) +
                              hold * (0.35 - 0.17 * turns) + 0.006 * (u.strength - c.strength) - 0.023 * u.routed +
                              0.025 * c.routed + u.distance * (0.03 - 0.10 * turns) +
                              c.distance * (0.18 * turns - 0.13) + 0.23 * markers +
                              u.cost * cost_stars[LR_UNION][due_u] + c.cost * cost_stars[LR_CONFEDERATE][due_c];
    const double wins =
        chance(vp + 0.5 - b->union_net, 0.5 + 1.8 * turns) * chance(from_stars + 1 - b->union_stars, 0.3 + 0.8 * turns);
    return (int)floor(1998 * wins) - 999;
}
