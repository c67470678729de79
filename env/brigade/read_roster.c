/* read_roster.c: units.yaml: the orders of battle, row by row. */
#include "read.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Lower case; every run of anything but letters and digits becomes one hyphen, none at the ends. */
static void make_text(char text[BRIGADE_NAME], const char *name) {
    size_t length = 0;
    bool gap = false;
    for (; *name; name++) {
        if (!isalnum((unsigned char)*name) || (unsigned char)*name > 127) {
            gap = true;
            continue;
        }
        if (gap && length) text[length++] = '-';
        gap = false;
        text[length++] = (char)tolower((unsigned char)*name);
    }
    text[length] = 0;
}

static int take_unit_numbers(const struct reader *r, const struct file_piece *f, unsigned i,
                             struct brigade_piece *piece, const struct file_charts *charts) {
    const int value[] = {0, charts->morale.green, charts->morale.black, charts->morale.gold};
    if (f->type == LEADER) {
        if (f->strength || f->back || f->morale || f->independent)
            return wrong(r, "pieces[%u]: a leader has no strength, back, morale or independence", i);
        piece->strength = 2;
        return LR_OK;
    }
    const int most_back = f->type == ARTILLERY ? 0 : f->strength - 1; /* R 3.3.2: only foot and horse shatter */
    const struct bound bounds[] = {{"strength", f->strength, 1, MOST_SP}, {"back", f->back, 0, most_back}};
    const int code = IN_BOUNDS_OF(r, "pieces", i, bounds);
    if (code) return code;
    if (!f->morale) return wrong(r, "pieces[%u].morale: green, black or gold is missing", i);
    piece->strength = (uint8_t)f->strength;
    piece->back = (uint8_t)f->back;
    piece->morale = (uint8_t)value[f->morale];
    piece->independent = f->independent;
    return LR_OK;
}

static int take_piece(const struct reader *r, const struct file_piece *f, unsigned i, int row,
                      const struct file_charts *charts) {
    struct brigade_piece *piece = &r->b->piece[row];
    char path[64];
    snprintf(path, sizeof path, "pieces[%u].name", i);
    int code = take_name(r, piece->name, f->name, path);
    if (code) return code;
    make_text(piece->text, piece->name);
    if (!piece->text[0]) return wrong(r, "%s: \"%s\" has neither letters nor digits", path, f->name);
    for (int other = 0; other < BRIGADE_ROWS; other++)
        if (other != row && !strcmp(r->b->piece[other].text, piece->text))
            return wrong(r, "%s: \"%s\" cannot be told from \"%s\"", path, f->name, r->b->piece[other].name);
    piece->type = (uint8_t)f->type;
    snprintf(path, sizeof path, "pieces[%u].division", i);
    if (f->division[0]) code = take_name(r, piece->division, f->division, path);
    snprintf(path, sizeof path, "pieces[%u].superior", i);
    if (!code && f->superior[0]) code = take_name(r, piece->superior, f->superior, path);
    return code ? code : take_unit_numbers(r, f, i, piece, charts);
}

int row_named(const struct brigade *b, const char *name) {
    for (int row = 0; row < BRIGADE_ROWS; row++)
        if (b->piece[row].name[0] && !strcmp(b->piece[row].name, name)) return row;
    return -1;
}

static int check_superiors(const struct reader *r, const struct file_units *f) {
    for (unsigned i = 0; i < f->pieces_count; i++) {
        if (!f->pieces[i].superior[0]) continue;
        const int row = row_named(r->b, f->pieces[i].superior);
        if (row < 0 || r->b->piece[row].type != LEADER || side_of(row) != f->pieces[i].side)
            return wrong(r, "pieces[%u].superior: \"%.40s\" is no leader of that side", i, f->pieces[i].superior);
    }
    return LR_OK;
}

int take_units(const struct reader *r, const struct file_units *f, const struct file_charts *charts) {
    int next[2] = {0, BRIGADE_SIDE}, leaders = 0;
    for (unsigned i = 0; i < f->pieces_count; i++) {
        const int side = f->pieces[i].side;
        if (next[side] == (side + 1) * BRIGADE_SIDE)
            return wrong(r, "pieces[%u]: more than %d pieces of that side", i, BRIGADE_SIDE);
        if (f->pieces[i].type == LEADER && ++leaders > BRIGADE_LEADERS)
            return wrong(r, "pieces[%u]: more than %d leaders", i, BRIGADE_LEADERS);
        const int code = take_piece(r, &f->pieces[i], i, next[side]++, charts);
        if (code) return code;
    }
    return check_superiors(r, f);
}
