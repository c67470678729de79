/* search_parts.h: what the files of a search share: search.c (options, memory, slices), mcts.c and expectimax.c.
 *
 * A search is one block of memory: the struct, then the parts that its method lays out in it. Nothing is allocated
 * while it runs, so it can live in the scratch memory of a chooser as well as on the heap. */
#ifndef SEARCH_PARTS_H
#define SEARCH_PARTS_H

#include "agents/search.h"

/* No state of a ruleset may be larger: agents state their scratch memory before they know the game. */
enum { SEARCH_STATE_BYTES = 4096 };

struct search {
    const lr_game *game;
    struct search_options options;
    lr_state *root;
    uint64_t stream;
    uint16_t legal[LR_MAX_ACTIONS]; /* at the root */
    int count, mover;
    bool begun, done;
    double seconds;
    struct mcts *mcts; /* one of the two */
    struct expectimax *expectimax;
};

/* ---- Memory: parts are placed one after another; with `base` NULL they are only counted ---- */

struct arena {
    char *base;
    size_t used;
};

/* `bytes` bytes, 64-aligned; NULL when only counting. */
void *arena_take(struct arena *arena, size_t bytes);

/* Of this search's game, or the most where it is not known. */
size_t search_state_bytes(const struct search *search);

/* Makes a search in `memory` (search_bytes bytes, 64-aligned) for options that are in their range. */
struct search *search_place(void *memory, const lr_game *game, const struct search_options *options);
/* ---- Shared readings ---- */

double search_clock(void); /* seconds of a clock that only goes forward */

/* The end of search_run by the clock, in search_clock's seconds; huge without a time limit. */
double search_deadline(const struct search *search);

/* The index of the legal action that is to be played: most visits, then the better value for the mover, then the lowest
 * id; where nothing was visited the greatest prior. */
int search_best(const struct search_result *result, int mover);

/* What the tree thinks of actions before it has tried them, sum 1: by habit, or all alike. */
void search_priors(const struct search *search, const lr_state *state, const uint16_t *legal, int count, float *priors);

/* What is needed to play on from a state. */
struct player_on {
    uint16_t legal[LR_MAX_ACTIONS];
    int32_t appraisals[LR_MAX_ACTIONS];
};

/* lr_evaluate / 1000, in the precision in which callers give their values. */
double search_guess(const struct search *search, const lr_state *state);

/* Plays on from `state`, which is overwritten, as the options say; everything is drawn from `seed`. *value gets the
 * search_guess of the last state or, of play by habit, the mean of that and the guesses after every ROLLOUT_STRIDE
 * decisions and dice on the way: dice add to what a rollout tells by chance alone, so the later guesses are the truer and
 * the earlier the steadier ones. Returns how many decisions and dice were played. */
enum { ROLLOUT_STRIDE = 16 };
uint32_t search_roll_out(const struct search *search, lr_state *state, uint64_t seed, struct player_on *room,
                         double *value);

/* The share of a limit that is used up; 0 where there is none (0 or UINT64_MAX). And of the time until `deadline`. */
double search_share(uint64_t done, uint64_t limit);
double search_share_of_time(const struct search *search, double deadline);

/* How well an action stands by the mean of so many values for its mover. Its prior counts for something, which fades as
 * the noise of the mean does. */
double search_standing(double mean, uint32_t visits, float prior);

/* ---- Methods ---- */

void mcts_lay_out(struct search *search, struct arena *arena);
void mcts_begin(struct search *search);
bool mcts_run(struct search *search, uint64_t slice); /* as search_run */
void mcts_result(const struct search *search, struct search_result *result);

void expectimax_lay_out(struct search *search, struct arena *arena);
void expectimax_begin(struct search *search);
bool expectimax_run(struct search *search, uint64_t slice);
void expectimax_result(const struct search *search, struct search_result *result);

#endif
