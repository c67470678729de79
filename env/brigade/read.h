/* read.h: the readers of a scenario's files (files.h): each takes one file, or one part, into struct brigade, or tells in one
 * sentence what is wrong and where. Loading is rare and its input is not trusted: everything is checked.
 *
 * read_charts.c, read_map.c, read_roster.c and scenario.c read; summary.c derives bounds and the hash. */
#ifndef BRIGADE_READ_H
#define BRIGADE_READ_H

#include "brigade.h"
#include "files.h"

enum {
    FILE_BYTES = 1 << 20,
    MOST_SP = 60,
    MOST_MP = BRIGADE_ALLOWANCE / 2,
    MOST_STEP_MP = 30,
    MOST_VP = 1000,
    HALF = 2
};

/* What is being read, and where faults are told. */
struct reader {
    struct brigade *b;
    const struct file_scenario *scenario;
    const char *file; /* for errors */
    lr_error *error;
    uint64_t named; /* rows that set-up or reinforcements have named */
};

/* Tells a fault of the file being read; always LR_E_SCENARIO. */
int wrong(const struct reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A number that a file gives, where it stands, and what it may be. */
struct bound {
    const char *path;
    int value, low, high;
};

int in_bounds(const struct reader *r, const struct bound *bounds, size_t count);
#define IN_BOUNDS(r, bounds) in_bounds(r, bounds, sizeof(bounds) / sizeof *(bounds))

/* The same for element `index` of a list; the bounds' paths are those inside it. */
int in_bounds_of(const struct reader *r, const char *list, unsigned index, const struct bound *bounds, size_t count);
#define IN_BOUNDS_OF(r, list, index, bounds) in_bounds_of(r, list, index, bounds, sizeof(bounds) / sizeof *(bounds))

/* A name for people: 1 to 31 characters without control characters. */
int take_name(const struct reader *r, char name[BRIGADE_NAME], const char *given, const char *path);
int take_hex(const struct reader *r, uint16_t *cell, const char *hex, const char *path);
int take_open_hex(const struct reader *r, uint16_t *cell, const char *hex, const char *path); /* not prohibited */

int take_charts(const struct reader *r, const struct file_charts *f);
int take_map(const struct reader *r, const struct file_map *f, const struct file_charts *charts);
int take_units(const struct reader *r, const struct file_units *f, const struct file_charts *charts);
int row_named(const struct brigade *b, const char *name); /* -1: no such piece */

int take_score_bounds(const struct reader *r);
int find_max_decisions(const struct brigade *b); /* no game has more decisions and dice */
uint64_t hash_scenario(const struct brigade *b); /* over everything that the files say and that matters to play or display */

#endif
