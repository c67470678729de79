/* text.c: the names of decisions, actions and moments, exactly as DECISIONS.md has them. Asked for by people, logs and
 * line protocols, never inside a rollout. */
#include "brigade.h"

#include <stdio.h>

static const char *const decision_names[] = {
    [NO_DECISION] = "over",
    [FORMATION] = "formation",
    [PLACE_LEADER] = "leader",
    [TARGET] = "target",
    [JOIN] = "join",
    [REROLL] = "reroll",
    [RETREAT_TO] = "retreat-to",
    [RETREAT] = "retreat",
    [ADVANCE] = "advance",
    [PICK] = "pick",
    [ENTER] = "enter",
    [MOVE] = "move",
    [DISPLACE] = "displace",
    [CHANCE_FIRE] = "fire",
    [CHANCE_MORALE] = "morale",
    [CHANCE_RALLY] = "rally",
    [CHANCE_CASUALTY] = "casualty",
    [CHANCE_ARRIVAL] = "arrival",
};

static const char *const verb_names[BRIGADE_VERBS] = {
    [VERB_END_FIRE] = "end fire",
    [VERB_FIRE] = "fire",
    [VERB_KEEP] = "keep",
    [VERB_REROLL_1] = "reroll 1",
    [VERB_REROLL_2] = "reroll 2",
    [VERB_STAY] = "stay",
    [VERB_END_MOVEMENT] = "end movement",
    [VERB_LIMBER] = "limber",
    [VERB_UNLIMBER] = "unlimber",
    [VERB_MOUNT] = "mount",
    [VERB_DISMOUNT] = "dismount",
    [VERB_DONE] = "done",
    [VERB_LIMBERED] = "limbered",
    [VERB_UNLIMBERED] = "unlimbered",
    [VERB_MOUNTED] = "mounted",
    [VERB_DISMOUNTED] = "dismounted",
};

const char *brigade_decision_name(const void *rules, const lr_state *state) {
    (void)rules;
    const struct brigade_state *s = (const struct brigade_state *)state;
    return s->decision <= CHANCE_ARRIVAL ? decision_names[s->decision] : "?";
}

/* What stands before a piece's name, before a hex: NULL where the pending decision offers none. */
static const char *word_for_piece(int decision) {
    switch (decision) {
    case JOIN: return "join";
    case ADVANCE: return "advance";
    case PICK: return "pick";
    default: return NULL;
    }
}

static const char *word_for_hex(int decision) {
    switch (decision) {
    case PLACE_LEADER: return "place";
    case TARGET: return "target";
    case RETREAT_TO: return "toward";
    case RETREAT: return "retreat";
    case ENTER: return "enter";
    case MOVE: return "to";
    case DISPLACE: return "join-unit";
    default: return NULL;
    }
}

static char *unknown(int action, char text[LR_MAX_TEXT]) {
    snprintf(text, LR_MAX_TEXT, "?%d", action);
    return text;
}

static char *hex_text(const struct brigade *b, int decision, int action, char text[LR_MAX_TEXT]) {
    const char *word = word_for_hex(decision);
    const int cell = action - BRIGADE_ID_CELL;
    char hex[5];
    if (!word || !board_test(&b->map, (unsigned)cell)) return unknown(action, text);
    brigade_hex(b, cell, hex);
    snprintf(text, LR_MAX_TEXT, "%s %s", word, hex);
    return text;
}

char *brigade_action_text(const void *rules, const lr_state *state, int action, char text[LR_MAX_TEXT]) {
    const struct brigade *b = rules;
    const struct brigade_state *s = (const struct brigade_state *)state;
    if (action < 0 || action >= BRIGADE_ACTIONS || s->decision == NO_DECISION) return unknown(action, text);
    if (s->decision >= CHANCE_FIRE) {
        if (action > 9) return unknown(action, text);
        snprintf(text, LR_MAX_TEXT, "roll %d", action + 1);
        return text;
    }
    if (action >= BRIGADE_ID_VERB) {
        snprintf(text, LR_MAX_TEXT, "%s", verb_names[action - BRIGADE_ID_VERB]);
        return text;
    }
    if (action >= BRIGADE_ID_CELL) return hex_text(b, s->decision, action, text);
    const char *word = word_for_piece(s->decision);
    if (!word || !b->piece[action].text[0]) return unknown(action, text);
    snprintf(text, LR_MAX_TEXT, "%s %s", word, b->piece[action].text);
    return text;
}

char *brigade_heading(const void *rules, const lr_state *state, char text[LR_MAX_TEXT]) {
    static const char *const sides[] = {"union", "confederate"};
    static const char *const phases[] = {
        [PHASE_COMMAND] = "command",        [PHASE_ARTILLERY] = "artillery",    [PHASE_MOVEMENT] = "movement",
        [PHASE_DEFENCE] = "defensive fire", [PHASE_OFFENCE] = "offensive fire", [PHASE_RALLY] = "rally"};
    (void)rules;
    const struct brigade_state *s = (const struct brigade_state *)state;
    if (s->phase >= PHASE_OVER)
        snprintf(text, LR_MAX_TEXT, "after turn %d, over", s->turn);
    else if (s->phase == PHASE_SETUP)
        snprintf(text, LR_MAX_TEXT, "set-up, %s", sides[s->side & 1]);
    else /* defensive fire is the other side's (R 9.2) */
        snprintf(text, LR_MAX_TEXT, "turn %d, %s %s", s->turn, sides[(s->side ^ (s->phase == PHASE_DEFENCE)) & 1],
                 phases[s->phase]);
    return text;
}
