#include "position.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

enum { GAMES = 16, PLACES = 8, MOST_TEXT = 1 << 16 };

static struct {
    const char *name;
    lr_game *game;
} games[GAMES];
static const char *current = HISTORICAL;
static _Alignas(8) struct brigade_state here, kept[PLACES];
static char played[1 << 14]; /* since the position was stated */

lr_game *game_of(const char *name) {
    int i = 0;
    for (; games[i].name; i++) {
        assert_true(i < GAMES - 1);
        if (!strcmp(games[i].name, name)) return games[i].game;
    }
    lr_error error;
    if (lr_game_open(name, &games[i].game, &error)) fail_msg("cannot open %s: %s", name, error.text);
    games[i].name = name;
    return games[i].game;
}

int fresh(void **unused) {
    (void)unused;
    current = HISTORICAL;
    begin();
    return 0;
}

void scenario(const char *name) { current = name; }
const lr_game *game(void) { return game_of(current); }
lr_state *state(void) { return (lr_state *)&here; }
const struct brigade_state *inside(void) { return &here; }
int turn(void) { return here.turn; }

void begin(void) {
    lr_start(game(), state());
    played[0] = '\0';
}

void keep(int place) { kept[place] = here; }
void back(int place) {
    here = kept[place];
    strncat(played, " <- back", sizeof played - strlen(played) - 1);
}

/* Cuts the next trimmed part off a list; NULL at its end. */
static char *next_part(char **list, char separator) {
    while (**list && (isspace((unsigned char)**list) || **list == separator)) (*list)++;
    if (!**list) return NULL;
    char *part = *list, *end = strchr(part, separator);
    *list = end ? end + 1 : part + strlen(part);
    if (!end) end = part + strlen(part);
    *end = '\0';
    while (end > part && isspace((unsigned char)end[-1])) *--end = '\0';
    return part;
}

static void print_position(void) {
    static char text[MOST_TEXT];
    uint16_t legal[LR_MAX_ACTIONS];
    char word[LR_MAX_TEXT];
    lr_state_format(game(), state(), text, sizeof text);
    print_error("%splayed:%s\ndecision: %s; legal:", text, played, lr_decision(game(), state()));
    const int count = lr_legal(game(), state(), legal);
    for (int i = 0; i < count; i++) print_error(" %s;", lr_action_text(game(), state(), legal[i], word));
    print_error("\n");
}

#define FAIL(...) (print_position(), print_error(__VA_ARGS__), print_error("\n"), _fail(file, line))

char *position_text(const char *keys, const char *pieces) {
    char *text = malloc(MOST_TEXT), *list = strdup(keys), *cursor = list, *part;
    struct lr_writer out = {text, MOST_TEXT, 0};
    lr_write(&out, "longroll: 1\nscenario: %s\nstate:\n", current);
    if (!strstr(keys, "markers")) lr_write(&out, "  union_markers: {left: []}\n  confederate_markers: {left: []}\n");
    while ((part = next_part(&cursor, ';'))) lr_write(&out, "  %s\n", part);
    free(list);
    list = cursor = strdup(pieces);
    lr_write(&out, "  pieces:%s\n", *pieces ? "" : " []");
    while ((part = next_part(&cursor, ';'))) {
        char *words = part, *word = next_part(&words, ' ');
        lr_write(&out, "    - {piece: %s", word);
        word = next_part(&words, ' ');
        if (!word) fail_msg("a piece without a hex in \"%s\"", pieces);
        else if (strcmp(word, "-")) lr_write(&out, ", hex: \"%s\"", word);
        bool marked = false;
        while ((word = next_part(&words, ' '))) {
            if (isdigit((unsigned char)*word)) lr_write(&out, ", strength: %s", word);
            else lr_write(&out, marked ? ", %s" : ", is: [%s", word), marked = true;
        }
        lr_write(&out, marked ? "]}\n" : "}\n");
    }
    free(list);
    return text;
}

void at_(const char *keys, const char *pieces, const char *file, int line) {
    lr_error error;
    char *text = position_text(keys, pieces);
    played[0] = '\0';
    if (lr_state_parse(game(), text, strlen(text), state(), &error)) {
        print_error("%s%s\n", text, error.text);
        free(text);
        _fail(file, line);
    } else {
        free(text);
    }
}

void play_(const char *texts, const char *file, int line) {
    char *list = strdup(texts), *cursor = list, *text;
    lr_error error;
    while ((text = next_part(&cursor, ';'))) {
        const int action = lr_action_parse(game(), state(), text, &error);
        if (action < 0) FAIL("cannot play \"%s\": %s", text, error.text);
        assert_int_equal(lr_apply(game(), state(), action, &error), LR_OK);
        snprintf(played + strlen(played), sizeof played - strlen(played), " %s;", text);
    }
    free(list);
}

bool offered(const char *text) { return lr_action_parse(game(), state(), text, NULL) >= 0; }

static bool deciding(const char *decision) { return !strcmp(lr_decision(game(), state()), decision); }

void attack_(const char *hex, const char *joiners, const char *file, int line) {
    char text[LR_MAX_TEXT], *list = strdup(joiners), *cursor = list, *piece;
    snprintf(text, sizeof text, "target %s", hex);
    play_(text, file, line);
    while ((piece = next_part(&cursor, ' ')))
        if (deciding("join")) { /* the only piece that can join joins by itself */
            snprintf(text, sizeof text, "join %s", piece);
            play_(text, file, line);
        }
    free(list);
    if (deciding("join")) play_("fire", file, line);
    if (!deciding("fire")) FAIL("no die is due after the attack on %s", hex);
}

void wait_for_side_(const char *decision, int side, const char *file, int line) {
    for (int i = 0; i < 200; i++) {
        if (deciding(decision) && (side < 0 || lr_to_move(game(), state()) == side)) return;
        if (offered("end movement")) play_("end movement", file, line);
        else if (offered("end fire")) play_("end fire", file, line);
        else if (offered("done")) play_("done", file, line);
        else if (offered("stay")) play_("stay", file, line);
        else break;
    }
    FAIL("\"%s\" does not come", decision);
}

void wait_for_(const char *decision, const char *file, int line) { wait_for_side_(decision, -1, file, line); }

void go_back(void) {
    uint16_t legal[LR_MAX_ACTIONS];
    while (deciding("retreat") || deciding("retreat-to")) {
        lr_legal(game(), state(), legal);
        lr_apply_legal(game(), state(), legal[0]);
    }
}

void assert_decision_(const char *name, const char *file, int line) {
    if (!deciding(name)) FAIL("the decision should be \"%s\", is \"%s\"", name, lr_decision(game(), state()));
}

void assert_to_move_(int mover, const char *file, int line) {
    static const char *const names[] = {"the Union", "the Confederates", "chance", "nobody"};
    const int is = lr_to_move(game(), state());
    if (is != mover) FAIL("%s should be to move, %s is", names[mover], names[is]);
}

void assert_offered_(const char *text, bool yes, const char *file, int line) {
    if (offered(text) != yes) FAIL("\"%s\" should %sbe legal", text, yes ? "" : "not ");
}

void assert_legal_(const char *texts, const char *file, int line) {
    char *list = strdup(texts), *cursor = list, *text;
    uint16_t legal[LR_MAX_ACTIONS];
    int count = 0;
    while ((text = next_part(&cursor, ';'))) count++, assert_offered_(text, true, file, line);
    free(list);
    const int is = lr_legal(game(), state(), legal);
    if (is != count) FAIL("%d actions should be legal, %d are: only %s", count, is, texts);
}

void assert_choices_(const char *word, const char *names, const char *file, int line) {
    char *list = strdup(names), *cursor = list, *name, text[LR_MAX_TEXT], begins[LR_MAX_TEXT];
    uint16_t legal[LR_MAX_ACTIONS];
    int count = 0;
    while ((name = next_part(&cursor, ' '))) {
        snprintf(text, sizeof text, "%s %s", word, name);
        count++, assert_offered_(text, true, file, line);
    }
    free(list);
    snprintf(begins, sizeof begins, "%s ", word);
    const int all = lr_legal(game(), state(), legal);
    for (int i = 0; i < all; i++) {
        lr_action_text(game(), state(), legal[i], text);
        if (strncmp(text, begins, strlen(begins))) continue;
        bool listed = false;
        list = strdup(names), cursor = list;
        while ((name = next_part(&cursor, ' '))) listed = listed || !strcmp(name, text + strlen(begins));
        free(list);
        if (!listed) FAIL("\"%s\" should not be legal: only %s %s", text, word, names);
    }
    (void)count;
}

int row_of(const char *piece) {
    const struct brigade *b = game()->rules;
    for (int row = 0; row < BRIGADE_ROWS; row++)
        if (b->piece[row].name[0] && !strcmp(b->piece[row].text, piece)) return row;
    fail_msg("no piece is called %s", piece);
    return -1;
}

void assert_hex_(const char *piece, const char *hex, const char *file, int line) {
    const int row = row_of(piece);
    char is[5] = "";
    if (has(here.on_map, row)) brigade_hex(game()->rules, here.cell[row], is);
    if (strcmp(is, hex ? hex : "")) FAIL("%s should be %s%s, is %s", piece, hex ? "in " : "off the map", hex ? hex : "",
                                         *is ? is : "off the map");
}

void assert_strength_(const char *piece, int strength, const char *file, int line) {
    const int is = here.strength[row_of(piece)];
    if (is != strength) FAIL("%s should have strength %d, has %d", piece, strength, is);
}

void assert_mark_(const char *piece, const char *mark, bool yes, const char *file, int line) {
    const uint64_t rows = !strcmp(mark, "routed") ? here.routed : !strcmp(mark, "in command") ? here.in_command : here.deployed;
    if (has(rows, row_of(piece)) != yes) FAIL("%s should %sbe %s", piece, yes ? "" : "not ", mark);
}

void assert_score_(int points, const char *file, int line) {
    const int is = lr_score(game(), state());
    if (is != points) FAIL("the score should be %d, is %d", points, is);
}

void assert_text_refused_(const char *text, const char *words, const char *file, int line) {
    static _Alignas(8) struct brigade_state before, parsed;
    lr_error error;
    memset(&parsed, 0xa5, sizeof parsed);
    before = parsed;
    const int code = lr_state_parse(game(), text, strlen(text), (lr_state *)&parsed, &error);
    if (code == LR_OK) {
        print_error("%sshould be refused (%s)\n", text, words);
        _fail(file, line);
    }
    if (code != LR_E_STATE || error.code != code || !strstr(error.text, words) || strchr(error.text, '\n')) {
        print_error("%srefused with %s: \"%s\"\nwhich should be of one line with \"%s\"\n", text, lr_code_name(code), error.text, words);
        _fail(file, line);
    }
    if (memcmp(&before, &parsed, sizeof parsed)) {
        print_error("%srefused, but the state was written to\n", text);
        _fail(file, line);
    }
}

void assert_refused_(const char *keys, const char *pieces, const char *words, const char *file, int line) {
    char *text = position_text(keys, pieces);
    assert_text_refused_(text, words, file, line);
    free(text);
}
