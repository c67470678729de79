/* setup.c: R 12, 14.1.2, rulings 45 and 54: formations of guns and cavalry, then the leaders' places, the Union
 * first. While formations are asked the cursor `subject` is the next row to look at; once it stands at the side's
 * end, the leaders not yet on the map follow in row order. */
#include "chapters.h"

static uint64_t set_up_rows(const struct brigade *b, int side) {
    uint64_t rows = 0;
    for (uint64_t left = b->present & rows_of(side); left; left &= left - 1)
        if (b->piece[lowest(left)].set_up) rows |= left & -left;
    return rows;
}

static int side_end(const struct brigade_state *s) { return (s->side + 1) * BRIGADE_SIDE; }

bool setup_step(const struct brigade *b, struct brigade_state *s) {
    const uint64_t rows = set_up_rows(b, s->side);
    uint64_t formations = s->subject < side_end(s) ? rows & (b->guns | b->cavalry) & ~(bit(s->subject) - 1) : 0;
    if (formations) {
        s->subject = (uint8_t)lowest(formations);
        return ask(s, FORMATION);
    }
    const uint64_t leaders = rows & b->leaders & ~s->on_map;
    if (leaders) {
        s->subject = (uint8_t)lowest(leaders);
        return ask(s, PLACE_LEADER);
    }
    if (s->side == LR_UNION) {
        s->side = LR_CONFEDERATE;
        s->subject = BRIGADE_SIDE;
        s->waiting_zone = zone_of(b, s, LR_UNION);
        return false;
    }
    brigade_begin(b, s);
    return false;
}

static board leader_cells(const struct brigade *b, const struct brigade_state *s, int row) {
    const uint64_t with = b->leader_with[row] ? b->leader_with[row] : b->under[row];
    board cells = board_empty();
    for (uint64_t left = with & b->units & s->on_map; left; left &= left - 1) {
        const int cell = s->cell[lowest(left)];
        cells = board_or(cells, b->adjacent[cell]);
        board_add(&cells, (unsigned)cell);
    }
    const int enemy = 1 - side_of(row);
    cells = board_minus(cells, s->occupied[enemy]);
    for (uint64_t left = leaders_of(b, s, enemy); left; left &= left - 1) board_remove(&cells, s->cell[lowest(left)]);
    /* Ruling 6: in an enemy zone a leader stands only with a friendly unit. */
    return board_minus(cells, board_minus(s->waiting_zone, s->occupied[side_of(row)]));
}

void setup_options(const struct brigade *b, const struct brigade_state *s, struct options *o) {
    if (s->decision == PLACE_LEADER) o->cells = leader_cells(b, s, s->subject);
    else if (has(b->guns, s->subject)) o->verbs = verb(VERB_LIMBERED) | verb(VERB_UNLIMBERED);
    else o->verbs = verb(VERB_MOUNTED) | verb(VERB_DISMOUNTED);
}

void setup_take(const struct brigade *b, struct brigade_state *s, int action) {
    (void)b;
    if (is_cell(action)) {
        s->on_map |= bit(s->subject);
        s->cell[s->subject] = (uint16_t)(action - BRIGADE_ID_CELL);
        s->subject = (uint8_t)side_end(s);
        return;
    }
    if (is_verb(action, VERB_UNLIMBERED) || is_verb(action, VERB_DISMOUNTED)) s->deployed |= bit(s->subject);
    s->subject++;
}
