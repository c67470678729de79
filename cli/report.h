/* report.h: the forms in which a tournament's standings are written. Each writes to `out`; the caller looks at ferror.
 */
#ifndef REPORT_H
#define REPORT_H

#include "agents/standings.h"
#include <jansson.h>
#include <stdio.h>

/* A ledger and what was computed from it. */
struct report {
    struct ledger *ledger;
    const struct standings *standings;
};

/* ---- report_text.c ---- */

void report_text(const struct report *report, FILE *out);

/* An Elo with its sign and no decimals: "+12", "-inf"; "?" where nothing is known. Returns `text`. */
enum { ELO_TEXT = 24 };
char *elo_text(double elo, char text[ELO_TEXT]);

double record_score(const struct record *record,
                    int side); /* share of points as `side`; -1: as both; NAN without games */
int64_t record_games(const struct record *record);

/* ---- report_data.c ---- */

json_t *report_json(const struct report *report); /* NULL: no memory, or a name is not UTF-8 */
void report_ratings_csv(const struct report *report, FILE *out);

/* Those that go through the games. Errors: those of ledger_next. */
int report_games_csv(const struct report *report, FILE *out, lr_error *error);
int report_pgn(const struct report *report, FILE *out, lr_error *error); /* tags and results, for rating tools */

/* ---- report_page.c ---- */

/* One HTML page that needs nothing from outside. Errors: MEMORY. */
int report_page(const struct report *report, FILE *out, lr_error *error);

#endif
