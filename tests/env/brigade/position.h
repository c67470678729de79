/* position.h: one position in hand, stated, played and judged in a line each.
 *
 *     at("turn: 6; half: union; phase: movement", "crawford 0415; garnett 0715 routed; andrews 0708 3 unlimbered");
 *     play("pick crawford; to 0514");
 *     assert_offers("done");
 *
 * Keys are those of a state file, separated by semicolons. A piece is its name as in action texts, its hex (`-`: off
 * the map), its strength if not full, and its marks. Pieces not named are gone (scenarios/STATEFILES.md). Unless the keys
 * speak of markers, both sides have spent their Destiny markers, so that no die stops at a question.
 * A failed expectation prints the position, what was played since it was stated, and what is legal. */
#ifndef POSITION_H
#define POSITION_H

#include "env/brigade/brigade.h"
#include "env/game.h"
#include "env/longroll.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define HISTORICAL "cedar-mountain/historical"
#define HISTORICAL_POPE "cedar-mountain/historical-pope"
#define FREE "cedar-mountain/free"
#define FREE_POPE "cedar-mountain/free-pope"

/* A test, and its place in the suite's list: it starts with the historical scenario whatever ran before. */
#define RULE(name) static void name(void **unused __attribute__((unused)))
#define TEST(name) cmocka_unit_test_setup(name, fresh)
int fresh(void **unused);

/* The game of a scenario, opened once in this process. */
lr_game *game_of(const char *name);

/* From here on positions are of this scenario; HISTORICAL at first. */
void scenario(const char *name);
const lr_game *game(void);
lr_state *state(void); /* the position in hand */
void begin(void);      /* makes it the first state of the scenario */

/* The text of a state file; caller frees. */
char *position_text(const char *keys, const char *pieces);

/* Keeps and brings back positions: one keeping place each for 0 to 7. */
void keep(int place);
void back(int place);

/* Plays texts separated by semicolons. */
#define play(texts) play_(texts, __FILE__, __LINE__)
#define at(keys, pieces) at_(keys, pieces, __FILE__, __LINE__)
/* Names a target, lets the pieces (separated by blanks, in row order) join, and fires: at the die then. */
#define attack(hex, joiners) attack_(hex, joiners, __FILE__, __LINE__)
/* Answers "end fire", "end movement", "done" or "stay" until a decision of this kind is pending. */
#define wait_for(decision) wait_for_(decision, __FILE__, __LINE__)
#define wait_for_side(decision, side) wait_for_side_(decision, side, __FILE__, __LINE__)

/* Takes the first step offered until the retreat or rout in hand is over. */
void go_back(void);

#define assert_decision(name) assert_decision_(name, __FILE__, __LINE__)
#define assert_to_move(mover) assert_to_move_(mover, __FILE__, __LINE__)
#define assert_offers(text) assert_offered_(text, true, __FILE__, __LINE__)
#define assert_offers_not(text) assert_offered_(text, false, __FILE__, __LINE__)
/* Exactly these texts are legal; or, of those that begin with a word, exactly these. */
#define assert_legal(texts) assert_legal_(texts, __FILE__, __LINE__)
#define assert_choices(word, names) assert_choices_(word, names, __FILE__, __LINE__)
#define assert_hex(piece, hex) assert_hex_(piece, hex, __FILE__, __LINE__) /* NULL: off the map */
#define assert_strength(piece, strength) assert_strength_(piece, strength, __FILE__, __LINE__)
#define assert_routed(piece, yes) assert_mark_(piece, "routed", yes, __FILE__, __LINE__)
#define assert_unlimbered(piece, yes) assert_mark_(piece, "unlimbered", yes, __FILE__, __LINE__)
#define assert_dismounted(piece, yes) assert_mark_(piece, "dismounted", yes, __FILE__, __LINE__)
#define assert_in_command(piece, yes) assert_mark_(piece, "in command", yes, __FILE__, __LINE__)
#define assert_score(points) assert_score_(points, __FILE__, __LINE__)
/* The keys and pieces, or a whole state file, cannot be read, and the sentence holds these words. */
#define assert_refused(keys, pieces, words) assert_refused_(keys, pieces, words, __FILE__, __LINE__)
#define assert_text_refused(text, words) assert_text_refused_(text, words, __FILE__, __LINE__)

bool offered(const char *text);
int row_of(const char *piece);
const struct brigade_state *inside(void);
int turn(void);

void play_(const char *texts, const char *file, int line);
void at_(const char *keys, const char *pieces, const char *file, int line);
void attack_(const char *hex, const char *joiners, const char *file, int line);
void wait_for_(const char *decision, const char *file, int line);
void wait_for_side_(const char *decision, int side, const char *file, int line);
void assert_decision_(const char *name, const char *file, int line);
void assert_to_move_(int mover, const char *file, int line);
void assert_offered_(const char *text, bool yes, const char *file, int line);
void assert_legal_(const char *texts, const char *file, int line);
void assert_choices_(const char *word, const char *names, const char *file, int line);
void assert_hex_(const char *piece, const char *hex, const char *file, int line);
void assert_strength_(const char *piece, int strength, const char *file, int line);
void assert_mark_(const char *piece, const char *mark, bool yes, const char *file, int line);
void assert_score_(int points, const char *file, int line);
void assert_refused_(const char *keys, const char *pieces, const char *words, const char *file, int line);
void assert_text_refused_(const char *text, const char *words, const char *file, int line);

#endif
