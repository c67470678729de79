/* games.h: the games that a server has opened, shared by all sessions.
 *
 * A game takes tens of milliseconds to open and never changes, so each is opened once and kept until the server ends.
 * Clients name scenarios as `list` shows them: never by path. Any thread may call. */
#ifndef WIRE_GAMES_H
#define WIRE_GAMES_H

#include "env/longroll.h"
#include "proto/codec.h"

struct games;

struct games *games_open(void); /* NULL if there is no memory */
void games_close(struct games *games);

/* The game of that name. Errors: BAD_SCENARIO, CAPACITY, INTERNAL. */
int games_find(struct games *games, const char *name, const lr_game **game, struct wire_fault *fault);

/* Opens all scenarios in the scenario folder and calls `each` with each of them, in order of their names; those that
 * do not open are left out. */
void games_each(struct games *games, void (*each)(void *context, const lr_game *game), void *context);

#endif
