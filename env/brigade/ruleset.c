/* ruleset.c: the brigade ruleset's table of functions: what the rest of Longroll calls (game.h). */
#include "chapters.h"

static const struct brigade *of(const void *rules) { return rules; }
static const struct brigade_state *as_state(const lr_state *state) { return (const void *)state; }

static void start(const void *rules, lr_state *state) {
    const struct brigade *b = of(rules);
    struct brigade_state *s = (void *)state;
    memset(s, 0, sizeof *s);
    for (uint64_t left = b->present; left; left &= left - 1) {
        const int row = lowest(left);
        s->strength[row] = b->piece[row].strength;
    }
    for (int side = 0; side < 2; side++) s->markers[side] = (uint8_t)((1u << b->marker_count[side]) - 1);
    for (uint64_t left = b->present & b->units; left; left &= left - 1) {
        const int row = lowest(left);
        if (b->piece[row].set_up) unit_enters(b, s, row, b->piece[row].cell);
    }
    brigade_run(b, s);
}

static int to_move(const void *rules, const lr_state *state) {
    (void)rules;
    const struct brigade_state *s = as_state(state);
    if (s->phase == PHASE_OVER) return LR_NOBODY;
    return is_chance(s) ? LR_CHANCE : brigade_decider(s);
}

static int legal(const void *rules, const lr_state *state, uint16_t *actions) {
    struct options o;
    brigade_options(of(rules), as_state(state), &o);
    int count = 0;
    for (uint64_t left = o.rows; left; left &= left - 1) actions[count++] = (uint16_t)lowest(left);
    count += board_list(&o.cells, BRIGADE_ID_CELL, actions + count);
    for (unsigned left = o.verbs; left; left &= left - 1) actions[count++] = (uint16_t)(BRIGADE_ID_VERB + __builtin_ctz(left));
    return count;
}

/* The options are laid out as the mask is: rows, cells, verbs. */
static void mask(const void *rules, const lr_state *state, uint8_t *bits) {
    struct options o;
    _Static_assert(offsetof(struct options, verbs) == BRIGADE_ID_VERB / 8 && BRIGADE_ACTIONS == BRIGADE_ID_VERB + 16, "");
    brigade_options(of(rules), as_state(state), &o);
    memcpy(bits, &o, BRIGADE_ACTIONS / 8);
}

static void apply(const void *rules, lr_state *state, int action) {
    struct brigade_state *s = (void *)state;
    brigade_take(of(rules), s, action);
    brigade_run(of(rules), s);
}

static void returns(const void *rules, const lr_state *state, float value[2]) {
    const struct brigade_state *s = as_state(state);
    value[0] = value[1] = 0;
    if (s->phase != PHASE_OVER) return;
    const int winner = victory_winner(of(rules), s);
    value[winner] = 1;
    value[1 - winner] = -1;
}

static int score(const void *rules, const lr_state *state) {
    (void)rules;
    return as_state(state)->vp;
}

static const char *end_reason(const void *rules, const lr_state *state) {
    if (as_state(state)->phase != PHASE_OVER) return "";
    return victory_winner(of(rules), as_state(state)) == LR_UNION ? "Union victory on points and stars"
                                                                   : "Confederate victory: the Union fell short";
}

static int outcomes(const void *rules, const lr_state *state, uint32_t *weights, uint32_t *total) {
    (void)rules;
    *total = 0;
    if (!is_chance(as_state(state))) return 0;
    for (int face = 0; face < 10; face++) weights[face] = 1;
    *total = 10;
    return 10;
}

static int die_subject(const struct brigade *b, const struct brigade_state *s) {
    if (s->decision == CHANCE_CASUALTY) return lowest(s->to_check);
    return s->decision == CHANCE_ARRIVAL ? b->group[s->subject].subject : s->subject;
}

/* Decisions 9: turn, side, phase, kind, subject, occurrence, a byte each; never 0, since turns count from 1. */
static uint64_t event(const void *rules, const lr_state *state) {
    const struct brigade *b = of(rules);
    const struct brigade_state *s = as_state(state);
    if (!is_chance(s)) return 0;
    const int subject = die_subject(b, s);
    const int occurrence = s->decision == CHANCE_CASUALTY ? s->casualty_dice[b->leader_slot[subject]] : s->rolled;
    const int key[6] = {s->turn, s->side, s->phase, s->decision, subject, occurrence};
    uint64_t packed = 0;
    for (int i = 0; i < 6; i++) packed = packed << 8 | (uint64_t)key[i];
    return packed;
}

const struct lr_ruleset brigade_ruleset = {
    .name = "brigade",
    .version = 1,
    .state_bytes = sizeof(struct brigade_state),
    .actions = BRIGADE_ACTIONS,
    .hidden = false,
    .piece_rows = BRIGADE_ROWS,
    .piece_columns = BRIGADE_PIECE_COLUMNS,
    .global_columns = BRIGADE_GLOBAL_COLUMNS,
    .piece_spec = brigade_piece_spec,
    .global_spec = brigade_global_spec,
    .open = brigade_open,
    .close = brigade_close,
    .start = start,
    .to_move = to_move,
    .decision = brigade_decision_name,
    .legal = legal,
    .mask = mask,
    .apply = apply,
    .returns = returns,
    .score = score,
    .end_reason = end_reason,
    .evaluate = brigade_evaluate,
    .appraise = brigade_appraise,
    .check = brigade_check,
    .outcomes = outcomes,
    .event = event,
    .action_text = brigade_action_text,
    .heading = brigade_heading,
    .draw = brigade_draw,
    .format = brigade_format,
    .parse = brigade_parse,
    .observe = brigade_observe,
    .generator = &brigade_generator,
    .tally = &brigade_tally,
};
