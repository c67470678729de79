/* statefile.c: a position as a text that people can read and write, and back to the same 608 bytes.
 *
 * The format is told in scenarios/STATEFILES.md. In short: every key but the scenario has a default, so that a test
 * states only what it is about; what is written out says everything. What repeats other fields (occupied hexes,
 * zones) is never written and always computed. A text that does not describe a possible position (check.c) is refused.
 *
 * Pieces that a file does not name are, in set-up, where the scenario puts them; afterwards in reserve if their
 * reinforcement group is not due yet, else eliminated. */
#include "chapters.h"
#include "yaml.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_BYTES = 256 * 1024, NAME = 64 };

/* Words that a piece may be marked with: one row set of the state each, but for the last two. */
enum mark {
    ROUTED = 1,
    DEPLOYED = 2,
    FIRED = 4,
    IN_COMMAND = 8,
    ACTIVE = 16,
    ENGAGED = 32,
    JOINED = 64,
    CHECKED = 128,
    ALONG = 256,
    TO_PLACE = 512,
    TO_CHECK = 1024,
    IN_CONTACT = 2048,
    BARRED = 4096,
    REPLACEMENT = 8192
};

struct marked {
    const char *word;
    unsigned mark;
    size_t set; /* offset of the row set in the state */
};

static const struct marked marks[] = {
    {"routed", ROUTED, offsetof(struct brigade_state, routed)},
    {"fired", FIRED, offsetof(struct brigade_state, fired)},
    {"in-command", IN_COMMAND, offsetof(struct brigade_state, in_command)},
    {"active", ACTIVE, offsetof(struct brigade_state, done)},
    {"engaged", ENGAGED, offsetof(struct brigade_state, engaged)},
    {"joined", JOINED, offsetof(struct brigade_state, joined)},
    {"checked", CHECKED, offsetof(struct brigade_state, checked)},
    {"along", ALONG, offsetof(struct brigade_state, with)},
    {"to-place", TO_PLACE, offsetof(struct brigade_state, to_place)},
    {"to-check", TO_CHECK, offsetof(struct brigade_state, to_check)},
    {"in-contact", IN_CONTACT, offsetof(struct brigade_state, may_fire_at_night)},
};

enum { MARKS = sizeof marks / sizeof *marks };

static uint64_t *set_of(struct brigade_state *s, const struct marked *mark) {
    return (uint64_t *)(void *)((char *)s + mark->set);
}

static const cyaml_strval_t mark_words[] = {
    {"routed", ROUTED},         {"unlimbered", DEPLOYED}, {"dismounted", DEPLOYED},    {"fired", FIRED},
    {"in-command", IN_COMMAND}, {"active", ACTIVE},       {"engaged", ENGAGED},        {"joined", JOINED},
    {"checked", CHECKED},       {"along", ALONG},         {"to-place", TO_PLACE},      {"to-check", TO_CHECK},
    {"in-contact", IN_CONTACT}, {"barred", BARRED},       {"replacement", REPLACEMENT}};

/* Enumerations are read with 1 added, so that 0 is "not given". */
static const cyaml_strval_t half_words[] = {{"union", 1 + LR_UNION}, {"confederate", 1 + LR_CONFEDERATE}};
static const cyaml_strval_t phase_words[] = {{"setup", 1 + PHASE_SETUP},         {"command", 1 + PHASE_COMMAND},
                                             {"artillery", 1 + PHASE_ARTILLERY}, {"movement", 1 + PHASE_MOVEMENT},
                                             {"defence", 1 + PHASE_DEFENCE},     {"offence", 1 + PHASE_OFFENCE},
                                             {"rally", 1 + PHASE_RALLY},         {"over", 1 + PHASE_OVER}};
static const cyaml_strval_t stage_words[] = {{"none", 1 + STAGE_NONE},       {"fire", 1 + STAGE_FIRE},
                                             {"retreat", 1 + STAGE_RETREAT}, {"morale", 1 + STAGE_MORALE},
                                             {"rout", 1 + STAGE_ROUT},       {"advance", 1 + STAGE_ADVANCE},
                                             {"enter", 1 + STAGE_ENTER},     {"move", 1 + STAGE_MOVE}};
static const cyaml_strval_t decision_words[] = {{"over", 1 + NO_DECISION},
                                                {"formation", 1 + FORMATION},
                                                {"leader", 1 + PLACE_LEADER},
                                                {"target", 1 + TARGET},
                                                {"join", 1 + JOIN},
                                                {"reroll", 1 + REROLL},
                                                {"retreat-to", 1 + RETREAT_TO},
                                                {"retreat", 1 + RETREAT},
                                                {"advance", 1 + ADVANCE},
                                                {"pick", 1 + PICK},
                                                {"enter", 1 + ENTER},
                                                {"move", 1 + MOVE},
                                                {"displace", 1 + DISPLACE},
                                                {"fire", 1 + CHANCE_FIRE},
                                                {"morale", 1 + CHANCE_MORALE},
                                                {"rally", 1 + CHANCE_RALLY},
                                                {"casualty", 1 + CHANCE_CASUALTY},
                                                {"arrival", 1 + CHANCE_ARRIVAL}};
enum known { COMPUTED = 1, STATED = 2 };
static const cyaml_strval_t known_words[] = {{"computed", COMPUTED}, {"stated", STATED}};

/* ---- The shape of the file ---- */

struct stated_piece {
    char *piece, *hex;
    int *strength;
    unsigned is;
};

struct stated_pair {
    char *name;
    int number;
};

struct names {
    char **item;
    unsigned count;
};

struct numbers {
    int *item;
    unsigned count;
};

struct stated {
    int turn, vp, stars, face, spent, to_go;
    int half, phase, decision, stage, rolled, command, contact; /* words, 0 if not given */
    bool acted, rerolled;
    char *subject, *group, *target, *toward;
    struct names reserve, eliminated, ring;
    struct numbers *union_markers, *confederate_markers;
    struct stated_piece *pieces;
    struct stated_pair *arrival, *casualty_dice;
    unsigned pieces_count, arrival_count, casualty_dice_count;
};

struct state_file {
    int longroll;
    struct stated *state;
};

#define TEXT(key, structure, member)                                                                                   \
    CYAML_FIELD_STRING_PTR(key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, structure, member, 0, NAME)
#define NUMBER(key, member) CYAML_FIELD_INT(key, CYAML_FLAG_OPTIONAL, struct stated, member)
#define WORD(key, member, words)                                                                                       \
    CYAML_FIELD_ENUM(key, CYAML_FLAG_OPTIONAL | CYAML_FLAG_STRICT, struct stated, member, words, CYAML_ARRAY_LEN(words))
#define YES_NO(key, member) CYAML_FIELD_BOOL(key, CYAML_FLAG_OPTIONAL | CYAML_FLAG_STRICT, struct stated, member)
#define NAMES(key, member, most)                                                                                       \
    CYAML_FIELD_SEQUENCE_COUNT(key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct stated, member.item,              \
                               member.count, &a_name, 0, most)
#define PAIRS(key, member, entry, most)                                                                                \
    CYAML_FIELD_SEQUENCE(key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct stated, member, entry, 0, most)
#define MARKERS(key, member)                                                                                           \
    CYAML_FIELD_MAPPING_PTR(key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct stated, member, marker_fields)

static const cyaml_schema_value_t a_name = {CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 0, NAME)};
static const cyaml_schema_value_t a_number = {CYAML_VALUE_INT(CYAML_FLAG_DEFAULT, int)};

static const cyaml_schema_field_t piece_fields[] = {
    CYAML_FIELD_STRING_PTR("piece", CYAML_FLAG_POINTER, struct stated_piece, piece, 0, NAME),
    TEXT("hex", struct stated_piece, hex),
    CYAML_FIELD_INT_PTR("strength", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct stated_piece, strength),
    CYAML_FIELD_FLAGS("is", CYAML_FLAG_OPTIONAL | CYAML_FLAG_STRICT, struct stated_piece, is, mark_words,
                      CYAML_ARRAY_LEN(mark_words)),
    CYAML_FIELD_END};
static const cyaml_schema_value_t a_piece = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct stated_piece, piece_fields)};

static const cyaml_schema_field_t arrival_fields[] = {
    CYAML_FIELD_STRING_PTR("group", CYAML_FLAG_POINTER, struct stated_pair, name, 0, NAME),
    CYAML_FIELD_INT("turn", CYAML_FLAG_DEFAULT, struct stated_pair, number), CYAML_FIELD_END};
static const cyaml_schema_value_t an_arrival = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct stated_pair, arrival_fields)};

static const cyaml_schema_field_t dice_fields[] = {
    CYAML_FIELD_STRING_PTR("leader", CYAML_FLAG_POINTER, struct stated_pair, name, 0, NAME),
    CYAML_FIELD_INT("thrown", CYAML_FLAG_DEFAULT, struct stated_pair, number), CYAML_FIELD_END};
static const cyaml_schema_value_t some_dice = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct stated_pair, dice_fields)};

/* A mapping of its own, so that "no markers left" differs from "not said". */
static const cyaml_schema_field_t marker_fields[] = {
    CYAML_FIELD_SEQUENCE_COUNT("left", CYAML_FLAG_POINTER, struct numbers, item, count, &a_number, 0, BRIGADE_MARKERS),
    CYAML_FIELD_END};

static const cyaml_schema_field_t stated_fields[] = {NUMBER("turn", turn),
                                                     WORD("half", half, half_words),
                                                     WORD("phase", phase, phase_words),
                                                     WORD("decision", decision, decision_words),
                                                     WORD("stage", stage, stage_words),
                                                     NUMBER("vp", vp),
                                                     NUMBER("stars", stars),
                                                     PAIRS("pieces", pieces, &a_piece, BRIGADE_ROWS),
                                                     NAMES("reserve", reserve, BRIGADE_ROWS),
                                                     NAMES("eliminated", eliminated, BRIGADE_ROWS),
                                                     MARKERS("union_markers", union_markers),
                                                     MARKERS("confederate_markers", confederate_markers),
                                                     PAIRS("arrival", arrival, &an_arrival, BRIGADE_GROUPS),
                                                     WORD("command", command, known_words),
                                                     WORD("contact", contact, known_words),
                                                     TEXT("subject", struct stated, subject),
                                                     TEXT("group", struct stated, group),
                                                     TEXT("target", struct stated, target),
                                                     TEXT("toward", struct stated, toward),
                                                     NAMES("ring", ring, 2),
                                                     NUMBER("to_go", to_go),
                                                     NUMBER("spent", spent),
                                                     YES_NO("acted", acted),
                                                     NUMBER("face", face),
                                                     WORD("rolled", rolled, decision_words),
                                                     YES_NO("rerolled", rerolled),
                                                     PAIRS("casualty_dice", casualty_dice, &some_dice, BRIGADE_LEADERS),
                                                     CYAML_FIELD_END};

static const cyaml_schema_field_t file_fields[] = {
    CYAML_FIELD_INT("longroll", CYAML_FLAG_DEFAULT, struct state_file, longroll),
    CYAML_FIELD_IGNORE("scenario", CYAML_FLAG_OPTIONAL), /* the caller has opened it */
    CYAML_FIELD_IGNORE("purpose", CYAML_FLAG_OPTIONAL),
    CYAML_FIELD_MAPPING_PTR("state", CYAML_FLAG_POINTER, struct state_file, state, stated_fields), CYAML_FIELD_END};
static const cyaml_schema_value_t file_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct state_file, file_fields)};

/* ---- Reading ---- */

struct reader {
    const struct brigade *b;
    const struct stated *f;
    struct brigade_state *s;
    lr_error *error;
    uint64_t named;
};

__attribute__((format(printf, 2, 3))) static int wrong(const struct reader *r, const char *format, ...) {
    va_list values;
    va_start(values, format);
    lr_yaml_wrong_list(r->error, LR_E_STATE, "state", format, values);
    va_end(values);
    return LR_E_STATE;
}

static int take_number(const struct reader *r, const char *key, int value, int low, int high) {
    return value < low || value > high ? wrong(r, "%s: %d is not %d..%d", key, value, low, high) : LR_OK;
}

/* By name or by text: "A.P. Hill" or "a-p-hill". */
static int take_piece(const struct reader *r, const char *name, const char *path, int *row) {
    for (*row = 0; *row < BRIGADE_ROWS; ++*row) {
        const struct brigade_piece *piece = &r->b->piece[*row];
        if (has(r->b->present, *row) && (!strcmp(piece->name, name) || !strcmp(piece->text, name))) return LR_OK;
    }
    return wrong(r, "%s: no piece \"%.40s\" in this scenario", path, name);
}

static int take_hex(const struct reader *r, const char *hex, const char *path, int *cell) {
    *cell = brigade_cell(r->b, hex);
    return *cell < 0 ? wrong(r, "%s: \"%.20s\" is no hex of the map", path, hex) : LR_OK;
}

/* What the phase usually asks. */
static int usual_decision(int phase) {
    static const uint8_t usual[] = {
        [PHASE_SETUP] = FORMATION,    [PHASE_COMMAND] = CHANCE_ARRIVAL, [PHASE_ARTILLERY] = TARGET,
        [PHASE_MOVEMENT] = PICK,      [PHASE_DEFENCE] = TARGET,         [PHASE_OFFENCE] = TARGET,
        [PHASE_RALLY] = CHANCE_RALLY, [PHASE_OVER] = NO_DECISION};
    return usual[phase];
}

static int usual_stage(int decision) {
    switch (decision) {
    case JOIN:
    case CHANCE_FIRE: return STAGE_FIRE;
    case RETREAT_TO:
    case RETREAT: return STAGE_RETREAT;
    case CHANCE_MORALE: return STAGE_MORALE;
    case ADVANCE: return STAGE_ADVANCE;
    case ENTER: return STAGE_ENTER;
    case MOVE: return STAGE_MOVE;
    default: return STAGE_NONE;
    }
}

static int take_clock(struct reader *r) {
    const struct brigade *b = r->b;
    const struct stated *f = r->f;
    struct brigade_state *s = r->s;
    s->phase = (uint8_t)(f->phase ? f->phase - 1 : PHASE_MOVEMENT);
    const bool over = s->phase == PHASE_OVER, setup = s->phase == PHASE_SETUP;
    const int turn = f->turn ? f->turn : setup ? 0 : over ? b->last_turn : b->first_turn;
    int code = setup ? take_number(r, "turn", turn, 0, 0) : take_number(r, "turn", turn, b->first_turn, b->last_turn);
    if (code) return code;
    s->turn = (uint8_t)turn;
    s->side = (uint8_t)(f->half ? f->half - 1 : setup ? LR_UNION : over ? 1 - b->first_player : b->first_player);
    s->decision = (uint8_t)(f->decision ? f->decision - 1 : usual_decision(s->phase));
    s->rolled = (uint8_t)(f->rolled ? f->rolled - 1 : f->rerolled);
    s->stage = (uint8_t)(f->stage ? f->stage - 1 : usual_stage(s->decision == REROLL ? s->rolled : s->decision));
    const struct {
        const char *key;
        int value, low, high;
        uint8_t *to;
    } numbers[] = {{"face", f->face, 0, 10, &s->face},
                   {"spent", f->spent, 0, BRIGADE_ALLOWANCE, &s->spent},
                   {"to_go", f->to_go, 0, 9, &s->to_go}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        code = take_number(r, numbers[i].key, numbers[i].value, numbers[i].low, numbers[i].high);
        if (code) return code;
        *numbers[i].to = (uint8_t)numbers[i].value;
    }
    code = take_number(r, "vp", f->vp, b->score_low, b->score_high);
    if (!code) code = take_number(r, "stars", f->stars, 0, INT16_MAX);
    s->vp = (int16_t)f->vp;
    s->stars = (int16_t)f->stars;
    s->acted = f->acted;
    return code;
}

static int take_marks(const struct reader *r, const struct stated_piece *f, unsigned i, int row) {
    struct brigade_state *s = r->s;
    for (int k = 0; k < MARKS; k++)
        if (f->is & marks[k].mark) *set_of(s, &marks[k]) |= bit(row);
    if (f->is & DEPLOYED) s->deployed |= bit(row);
    if (f->is & BARRED) {
        if (side_of(row) == s->side) return wrong(r, "pieces[%u].is: barred: an enemy of the piece in hand is", i);
        s->barred |= (uint32_t)1 << row % BRIGADE_SIDE;
    }
    return LR_OK;
}

static int take_stated_piece(struct reader *r, unsigned i) {
    const struct stated_piece *f = &r->f->pieces[i];
    struct brigade_state *s = r->s;
    char path[48];
    int row, cell;
    snprintf(path, sizeof path, "pieces[%u].piece", i);
    int code = take_piece(r, f->piece, path, &row);
    if (code) return code;
    if (has(r->named, row)) return wrong(r, "%s: \"%s\" is named before", path, r->b->piece[row].name);
    r->named |= bit(row);
    const int full = r->b->piece[row].strength;
    const int strength = f->strength ? *f->strength : f->is & REPLACEMENT ? 1 : full;
    snprintf(path, sizeof path, "pieces[%u].strength", i);
    code = take_number(r, path, strength, f->hex ? 1 : 0, full);
    if (code) return code;
    if (f->is & REPLACEMENT && !has(r->b->leaders, row)) return wrong(r, "pieces[%u].is: only leaders are replaced", i);
    s->strength[row] = (uint8_t)strength;
    if (f->hex) {
        snprintf(path, sizeof path, "pieces[%u].hex", i);
        code = take_hex(r, f->hex, path, &cell);
        if (code) return code;
        s->on_map |= bit(row);
        s->cell[row] = (uint16_t)cell;
    }
    return take_marks(r, f, i, row);
}

static int take_off_map(struct reader *r, const char *key, const struct names *names, bool alive) {
    for (unsigned i = 0; i < names->count; i++) {
        char path[48];
        int row;
        snprintf(path, sizeof path, "%s[%u]", key, i);
        const int code = take_piece(r, names->item[i], path, &row);
        if (code) return code;
        if (has(r->named, row)) return wrong(r, "%s: \"%s\" is named before", path, r->b->piece[row].name);
        r->named |= bit(row);
        r->s->strength[row] = alive ? r->b->piece[row].strength : 0;
    }
    return LR_OK;
}

/* Pieces that the file does not name: see the head of this file. */
static void take_unnamed(struct reader *r) {
    const struct brigade *b = r->b;
    struct brigade_state *s = r->s;
    for (uint64_t left = b->present & ~r->named; left; left &= left - 1) {
        const int row = lowest(left);
        const struct brigade_piece *piece = &b->piece[row];
        const bool waits = piece->group && !is_due(b, s, row);
        if (s->phase != PHASE_SETUP && !waits) continue;
        s->strength[row] = piece->strength;
        if (s->phase != PHASE_SETUP || !piece->set_up || piece->type == LEADER) continue;
        s->on_map |= bit(row);
        s->cell[row] = piece->cell;
    }
}

static int take_arrival(struct reader *r) {
    for (unsigned i = 0; i < r->f->arrival_count; i++) {
        const struct stated_pair *f = &r->f->arrival[i];
        int group = 0;
        while (group < r->b->group_count && strcmp(r->b->group[group].name, f->name)) group++;
        if (group == r->b->group_count) return wrong(r, "arrival[%u].group: no group \"%.40s\"", i, f->name);
        char path[48];
        snprintf(path, sizeof path, "arrival[%u].turn", i);
        const int code = take_number(r, path, f->number, 1, BRIGADE_TURNS - 1);
        if (code) return code;
        r->s->arrival[group] = (uint8_t)f->number;
    }
    return LR_OK;
}

static int take_markers(struct reader *r, int side, const struct numbers *list, const char *key) {
    const struct brigade *b = r->b;
    struct brigade_state *s = r->s;
    for (int k = 0; k < b->marker_count[side] && !list; k++)
        if (s->strength[b->marker[side][k]] == 2) s->markers[side] |= (uint8_t)(1 << k);
    for (unsigned i = 0; list && i < list->count; i++) {
        char path[48];
        snprintf(path, sizeof path, "%s.left[%u]", key, i);
        const int code = take_number(r, path, list->item[i], 1, b->marker_count[side]);
        if (code) return code;
        s->markers[side] |= (uint8_t)(1 << (list->item[i] - 1));
    }
    return LR_OK;
}

static int take_dice(struct reader *r) {
    for (unsigned i = 0; i < r->f->casualty_dice_count; i++) {
        const struct stated_pair *f = &r->f->casualty_dice[i];
        char path[48];
        int row;
        snprintf(path, sizeof path, "casualty_dice[%u].leader", i);
        int code = take_piece(r, f->name, path, &row);
        if (!code && !has(r->b->leaders, row)) code = wrong(r, "%s: \"%s\" is no leader", path, r->b->piece[row].name);
        snprintf(path, sizeof path, "casualty_dice[%u].thrown", i);
        if (!code) code = take_number(r, path, f->number, 0, UINT8_MAX);
        if (code) return code;
        r->s->casualty_dice[r->b->leader_slot[row]] = (uint8_t)f->number;
    }
    return LR_OK;
}

static int take_in_hand(struct reader *r) {
    const struct stated *f = r->f;
    struct brigade_state *s = r->s;
    int row = 0, cell = 0, code = LR_OK;
    if (f->subject && f->group) return wrong(r, "group: not together with subject");
    if (f->subject) code = take_piece(r, f->subject, "subject", &row);
    if (!code && f->group) {
        while (row < r->b->group_count && strcmp(r->b->group[row].name, f->group)) row++;
        if (row == r->b->group_count) code = wrong(r, "group: no group \"%.40s\"", f->group);
    }
    const bool at_piece = s->stage || s->phase == PHASE_SETUP || s->phase == PHASE_RALLY;
    if (!code && at_piece && !f->subject)
        code = wrong(r, "subject: missing: it names the piece in hand at this decision");
    s->subject = (uint8_t)row;
    if (!code && f->target) {
        code = take_hex(r, f->target, "target", &cell);
        s->target = (uint16_t)(cell + 1);
    }
    if (!code && f->toward) {
        code = take_hex(r, f->toward, "toward", &cell);
        s->toward = (uint16_t)(cell + 1);
    }
    for (unsigned i = 0; !code && i < f->ring.count; i++) {
        code = take_hex(r, f->ring.item[i], "ring", &cell);
        s->ring[i] = (uint16_t)(cell + 1);
    }
    return code;
}

/* What follows from the rest: the boards; and command and contact where the file leaves them to be computed. */
static void derive(struct reader *r) {
    const struct brigade *b = r->b;
    struct brigade_state *s = r->s;
    for (uint64_t left = s->on_map & b->units; left; left &= left - 1)
        board_add(&s->occupied[side_of(lowest(left))], s->cell[lowest(left)]);
    s->waiting_zone = zone_of(b, s, 1 - s->side);
    if (s->phase == PHASE_MOVEMENT) s->near = cells_near(b, s, 1 - s->side);
    const bool command = s->phase > PHASE_COMMAND && s->phase < PHASE_OVER && !b->artillery_only[s->turn];
    if (command && r->f->command != STATED) {
        const uint64_t stated = s->in_command;
        command_phase(b, s);
        s->in_command |= stated;
    }
    if (r->f->contact == STATED || s->phase == PHASE_SETUP || s->phase == PHASE_OVER || !b->night[s->turn]) return;
    for (uint64_t left = s->on_map & b->units; left; left &= left - 1) {
        const int row = lowest(left);
        const board touched = board_and(b->adjacent[s->cell[row]], s->occupied[1 - side_of(row)]);
        if (board_any(&touched)) s->may_fire_at_night |= bit(row);
    }
}

/* Derived boards need sound cells: hexes are those of the map, so only prohibited ones are left for check.c. */
static int take_state(struct reader *r) {
    int code = take_clock(r);
    for (unsigned i = 0; !code && i < r->f->pieces_count; i++) code = take_stated_piece(r, i);
    if (!code) code = take_off_map(r, "reserve", &r->f->reserve, true);
    if (!code) code = take_off_map(r, "eliminated", &r->f->eliminated, false);
    if (!code) code = take_arrival(r);
    if (code) return code;
    take_unnamed(r);
    code = take_markers(r, LR_UNION, r->f->union_markers, "union_markers");
    if (!code) code = take_markers(r, LR_CONFEDERATE, r->f->confederate_markers, "confederate_markers");
    if (!code) code = take_dice(r);
    if (!code) code = take_in_hand(r);
    if (!code) derive(r);
    return code;
}

int brigade_parse(const void *rules, const char *text, size_t length, lr_state *state, lr_error *error) {
    void *data = NULL;
    if (length > MOST_BYTES)
        return lr_fail(error, LR_E_STATE, "state: %zu bytes, more than the %d allowed", length, MOST_BYTES);
    int code = brigade_yaml_read("state", LR_E_STATE, text, length, &file_schema, &data, error);
    if (code) return code;
    const struct state_file *file = data;
    struct brigade_state s;
    memset(&s, 0, sizeof s);
    struct reader reader = {.b = rules, .f = file->state, .s = &s, .error = error};
    if (file->longroll != 1) code = wrong(&reader, "longroll: format %d; this program reads 1", file->longroll);
    if (!code) code = take_state(&reader);
    if (!code) code = brigade_check(rules, (const lr_state *)&s, error);
    if (!code) memcpy(state, &s, sizeof s);
    lr_yaml_free(&file_schema, data);
    return code;
}

/* ---- Writing ---- */

static const char *word_of(const cyaml_strval_t *words, size_t count, int value) {
    for (size_t i = 0; i < count; i++)
        if (words[i].val == value + 1) return words[i].str;
    return "?";
}

#define WORD_OF(words, value) word_of(words, CYAML_ARRAY_LEN(words), value)

/* Double-quoted: a name may hold anything that is printable. */
static void write_name(struct lr_writer *out, const char *name) {
    lr_write(out, "\"");
    for (; *name; name++) lr_write(out, *name == '"' || *name == '\\' ? "\\%c" : "%c", *name);
    lr_write(out, "\"");
}

static void write_hex(struct lr_writer *out, const struct brigade *b, int cell) {
    char hex[5];
    brigade_hex(b, cell, hex);
    lr_write(out, "\"%s\"", hex);
}

static void write_clock(struct lr_writer *out, const struct brigade_state *s) {
    if (s->phase != PHASE_SETUP) lr_write(out, "  turn: %d\n", s->turn);
    lr_write(out, "  half: %s\n", WORD_OF(half_words, s->side));
    lr_write(out, "  phase: %s\n", WORD_OF(phase_words, s->phase));
    lr_write(out, "  decision: %s\n", WORD_OF(decision_words, s->decision));
    lr_write(out, "  stage: %s\n", WORD_OF(stage_words, s->stage));
    lr_write(out, "  vp: %d\n  stars: %d\n", s->vp, s->stars);
    if (s->face) lr_write(out, "  face: %d\n", s->face);
    if (s->decision == REROLL)
        lr_write(out, "  rolled: %s\n", WORD_OF(decision_words, s->rolled));
    else if (s->rolled)
        lr_write(out, "  rerolled: true\n");
}

/* The marks of a piece in brackets, ", " in front; nothing if it has none. */
static void write_marks(struct lr_writer *out, const struct brigade *b, const struct brigade_state *s, int row) {
    const char *between = ", is: [";
    for (int k = 0; k < MARKS; k++) {
        const uint64_t *set = (const uint64_t *)(const void *)((const char *)s + marks[k].set);
        if (!has(*set, row)) continue;
        lr_write(out, "%s%s", between, marks[k].word);
        between = ", ";
    }
    const uint64_t barred = (uint64_t)s->barred << (s->side == LR_UNION ? BRIGADE_SIDE : 0);
    const bool replaced = has(b->leaders & s->on_map, row) && s->strength[row] == 1;
    const struct {
        bool is;
        const char *word;
    } others[] = {{has(s->deployed, row), has(b->guns, row) ? "unlimbered" : "dismounted"},
                  {has(barred, row), "barred"},
                  {replaced, "replacement"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (!others[i].is) continue;
        lr_write(out, "%s%s", between, others[i].word);
        between = ", ";
    }
    if (*between == ',' && between[1] == ' ' && !between[2]) lr_write(out, "]");
}

static uint64_t marked_rows(const struct brigade_state *s) {
    uint64_t rows = s->deployed;
    for (int k = 0; k < MARKS; k++) rows |= *(const uint64_t *)(const void *)((const char *)s + marks[k].set);
    return rows;
}

static void write_list(struct lr_writer *out, const struct brigade *b, const char *key, uint64_t rows) {
    if (!rows) return;
    lr_write(out, "  %s: [", key);
    for (; rows; rows &= rows - 1) {
        write_name(out, b->piece[lowest(rows)].name);
        if (rows & (rows - 1)) lr_write(out, ", ");
    }
    lr_write(out, "]\n");
}

static void write_pieces(struct lr_writer *out, const struct brigade *b, const struct brigade_state *s) {
    const uint64_t told = s->on_map | (marked_rows(s) & b->present);
    uint64_t reserve = 0, eliminated = 0;
    if (told) lr_write(out, "  pieces:\n");
    for (uint64_t left = b->present; left; left &= left - 1) {
        const int row = lowest(left);
        if (!has(told, row)) {
            if (s->strength[row])
                reserve |= bit(row);
            else
                eliminated |= bit(row);
            continue;
        }
        lr_write(out, "    - {piece: ");
        write_name(out, b->piece[row].name);
        if (has(s->on_map, row)) {
            lr_write(out, ", hex: ");
            write_hex(out, b, s->cell[row]);
        }
        if (!has(b->leaders & s->on_map, row)) lr_write(out, ", strength: %d", s->strength[row]);
        write_marks(out, b, s, row);
        lr_write(out, "}\n");
    }
    write_list(out, b, "reserve", reserve);
    write_list(out, b, "eliminated", eliminated);
}

static void write_rest(struct lr_writer *out, const struct brigade *b, const struct brigade_state *s) {
    static const char *const sides[] = {"union", "confederate"};
    for (int side = 0; side < 2; side++) {
        const char *between = "";
        lr_write(out, "  %s_markers: {left: [", sides[side]);
        for (int k = 0; k < b->marker_count[side]; k++)
            if (s->markers[side] >> k & 1) {
                lr_write(out, "%s%d", between, k + 1);
                between = ", ";
            }
        lr_write(out, "]}\n");
    }
    for (int i = 0, first = 1; i < b->group_count; i++) {
        if (!s->arrival[i]) continue;
        if (first) lr_write(out, "  arrival:\n");
        lr_write(out, "    - {group: ");
        write_name(out, b->group[i].name);
        lr_write(out, ", turn: %d}\n", s->arrival[i]);
        first = 0;
    }
    bool first = true;
    for (uint64_t left = b->leaders; left; left &= left - 1) {
        const int dice = s->casualty_dice[b->leader_slot[lowest(left)]];
        if (!dice) continue;
        if (first) lr_write(out, "  casualty_dice:\n");
        lr_write(out, "    - {leader: ");
        write_name(out, b->piece[lowest(left)].name);
        lr_write(out, ", thrown: %d}\n", dice);
        first = false;
    }
    lr_write(out, "  command: stated\n  contact: stated\n");
}

static void write_in_hand(struct lr_writer *out, const struct brigade *b, const struct brigade_state *s) {
    const bool at_piece = s->stage || s->phase == PHASE_SETUP || s->phase == PHASE_RALLY;
    if (at_piece && s->subject < BRIGADE_ROWS) {
        lr_write(out, "  subject: ");
        write_name(out, b->piece[s->subject].name);
        lr_write(out, "\n");
    } else if (s->phase == PHASE_COMMAND && s->subject < b->group_count) {
        lr_write(out, "  group: ");
        write_name(out, b->group[s->subject].name);
        lr_write(out, "\n");
    }
    const struct {
        const char *key;
        int cell;
    } hexes[] = {{"target", s->target}, {"toward", s->toward}};
    for (size_t i = 0; i < sizeof hexes / sizeof *hexes; i++) {
        if (!hexes[i].cell) continue;
        lr_write(out, "  %s: ", hexes[i].key);
        write_hex(out, b, hexes[i].cell - 1);
        lr_write(out, "\n");
    }
    if (s->ring[0]) {
        lr_write(out, "  ring: [");
        write_hex(out, b, s->ring[0] - 1);
        if (s->ring[1]) {
            lr_write(out, ", ");
            write_hex(out, b, s->ring[1] - 1);
        }
        lr_write(out, "]\n");
    }
    if (s->to_go) lr_write(out, "  to_go: %d\n", s->to_go);
    if (s->spent) lr_write(out, "  spent: %d\n", s->spent);
    if (s->acted) lr_write(out, "  acted: true\n");
}

int brigade_format(const void *rules, const lr_state *state, const char *scenario, char *text, size_t size) {
    const struct brigade *b = rules;
    const struct brigade_state *s = (const struct brigade_state *)state;
    struct lr_writer out = {text, size, 0};
    lr_write(&out, "longroll: 1\nscenario: ");
    write_name(&out, scenario);
    lr_write(&out, "\nstate:\n");
    write_clock(&out, s);
    write_pieces(&out, b, s);
    write_rest(&out, b, s);
    write_in_hand(&out, b, s);
    return (int)out.length;
}
