/* regret.h: `longroll bench search`: how far agents stay behind optimal play on solved positions.
 *
 * Files: regret.c asks the agents and sums up, regretplot.c draws. */
#ifndef REGRET_H
#define REGRET_H

#include <stdbool.h>
#include <stdint.h>

struct regret_request {
    const char *states;  /* a file of solved positions */
    const char *agents;  /* specs, with commas between them */
    const char *budgets; /* simulations for each mcts among them that states no limit: "10,100,1000" */
    const char *svg;     /* also draw to this file; NULL: no */
    int repeats;         /* of each decision by an agent whose choices can differ */
    uint64_t seed;
    bool json;
};

/* Returns an exit code. */
int bench_search(const struct regret_request *request);

/* ---- Drawing: regret against effort ---- */

/* One agent at one budget. Regret and share are means over the positions, each with its 95 % interval. */
struct regret_row {
    char spec[256], family[256]; /* the spec; the same without its limits: rows of one family make a curve */
    double nodes;                /* applied for each decision; 0: it does not look ahead */
    double regret, regret_low, regret_high;
    double best, best_low, best_high;          /* share of decisions in which a best action was chosen */
    double simulations_per_s, nodes_per_s, us; /* microseconds for each decision */
};

void regret_plot_text(const struct regret_row *rows, int count);

/* EXIT_DONE, or the exit code. */
int regret_plot_svg(const struct regret_row *rows, int count, const char *title, const char *path);

#endif
