/* longroll.h: the public header of the Longroll library.
 *
 * A *game* is a ruleset plus one scenario: loaded once, never changed, shared freely between threads.
 * A *state* is one position of a game: plain bytes without pointers, as many as lr_info.state_bytes
 * says. A snapshot is a memcpy of them, equality is memcmp, and there is no undo: keep the old copy.
 *
 * The shortest use, a random game:
 *
 *     lr_game *game;  lr_error error;
 *     if (lr_game_open("cedar-mountain/historical", &game, &error)) { puts(error.text); return 1; }
 *     lr_state *state = malloc((size_t)lr_game_info(game)->state_bytes);
 *     uint16_t legal[LR_MAX_ACTIONS];
 *     lr_start(game, state);
 *     while (lr_to_move(game, state) != LR_NOBODY) {
 *         if (lr_to_move(game, state) == LR_CHANCE)
 *             lr_apply_legal(game, state, lr_sample(game, state, seed, 0));
 *         else {
 *             int count = lr_legal(game, state, legal);
 *             lr_apply_legal(game, state, legal[lr_random(stream, turn++, (uint32_t)count)]);
 *         }
 *     }
 *
 * Conventions, true of every call unless it says otherwise:
 *  - Functions that can fail return LR_OK (0) or a negative enum lr_code, and, where they take an
 *    lr_error, fill it with a sentence that names the thing, the place and what to do. `error` may be
 *    NULL. A call that fails changes nothing that its caller can see.
 *  - The caller owns every buffer it passes; the library keeps no pointer to it after the call. States
 *    need an alignment of 8 bytes. Strings in lr_info live as long as the game.
 *  - Any number of threads may call with the same lr_game at the same time. A state, a batch or a
 *    replay belongs to one thread at a time.
 *  - Nothing here prints, exits or keeps global state that changes.
 */
#ifndef LONGROLL_H
#define LONGROLL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LR_VERSION "0.1.0"

/* No ruleset has more action ids, legal actions in a state, or outcomes at a chance node than these. */
enum { LR_MAX_ACTIONS = 1024, LR_MAX_OUTCOMES = 256, LR_MAX_TEXT = 64 };

/* ---- Errors ------------------------------------------------------------------------------------ */

enum lr_code {
    LR_OK = 0,
    LR_E_ARGUMENT = -1,  /* a call's argument is out of its range */
    LR_E_MEMORY = -2,    /* the system has no memory left */
    LR_E_IO = -3,        /* a file cannot be read or written */
    LR_E_NOT_FOUND = -4, /* no scenario, ruleset, piece or agent of that name */
    LR_E_SCENARIO = -5,  /* a scenario file breaks the format or its meaning */
    LR_E_STATE = -6,     /* bytes or a state file that cannot be a state of this game */
    LR_E_ILLEGAL = -7,   /* an action or outcome that is not legal in this state */
    LR_E_TEXT = -8,      /* a text that names no legal action of this state */
    LR_E_REPLAY = -9,    /* a replay that is truncated, altered or of another game */
    LR_E_OVER = -10      /* the game is over: nobody moves */
};

typedef struct lr_error {
    int code;       /* enum lr_code */
    char text[320]; /* one line, no newline, always terminated */
} lr_error;

/* The code's name ("LR_E_ILLEGAL") and what it means in general; "unknown code" for any other number. */
const char *lr_code_name(int code);
const char *lr_code_sentence(int code);

/* ---- Games ------------------------------------------------------------------------------------- */

/* Who decides. UNION and CONFEDERATE are players 0 and 1 everywhere: rewards, observations, agents. */
enum lr_mover { LR_UNION = 0, LR_CONFEDERATE = 1, LR_CHANCE = 2, LR_NOBODY = 3 };

typedef struct lr_game lr_game;
typedef struct lr_state lr_state; /* never defined: a name for state bytes */

/* One column of an observation array: what it holds, and the least and the greatest value it takes. */
typedef struct lr_column {
    const char *name;
    int low, high;
    const char *meaning;
} lr_column;

typedef struct lr_info {
    const char *ruleset;    /* "brigade" */
    int ruleset_version;    /* moves whenever play may differ for the same scenario, seed and actions */
    const char *scenario;   /* the name it was opened by, or its file's name: "cedar-mountain/historical" */
    const char *title;      /* for people */
    uint64_t scenario_hash; /* over the parsed content: comments and layout of the files do not count */
    int state_bytes;
    int actions;       /* size of the action space: ids 0..actions-1, the same for every scenario */
    int mask_bytes;    /* (actions + 7) / 8 */
    int max_decisions; /* no game has more decisions and chance nodes together */
    int score_low, score_high; /* bounds of lr_score */
    bool hidden;               /* players see different things */
    int piece_rows, piece_columns, global_columns;
    const lr_column *piece_spec;  /* piece_columns of them */
    const lr_column *global_spec; /* global_columns of them */
} lr_info;

/* Opens a scenario. `name` is either a path ending in .yaml or a name as `longroll list` prints it,
 * looked for as NAME.yaml in the folder that the environment variable LONGROLL_SCENARIOS names, else in
 * the folder fixed at build time; or a name that a ruleset makes a scenario from, "random:SIZE:SEED":
 * the same name is always the same battle. Loading reads files, computes the fixed tables and takes some
 * tens of milliseconds. Errors: NOT_FOUND, IO, SCENARIO (with line, or path of the faulty value), MEMORY. */
int lr_game_open(const char *name, lr_game **game, lr_error *error);

/* The text of the scenario that lr_game_open would open: the file's, or the one that a name such as "random:4:7" stands
 * for, to read, to keep or to alter. Writes at most `size` bytes with the terminator and returns the length that the whole
 * text has (as snprintf does), or an error code. Files that the text names lie beside the scenario; a generated one needs
 * those of cedar-mountain/. Errors: NOT_FOUND, IO, SCENARIO, MEMORY. */
int lr_scenario_text(const char *name, char *text, size_t size, lr_error *error);

/* Frees the game. No batch, replay or state of it may be used afterwards. NULL is allowed. */
void lr_game_close(lr_game *game);

/* Never NULL; valid until the game is closed. */
const lr_info *lr_game_info(const lr_game *game);

/* The folder in which scenario names are looked up. Valid until the environment is changed. */
const char *lr_scenario_folder(void);

/* ---- States ------------------------------------------------------------------------------------ */

/* Writes the first state of the game: the first decision or chance node of set-up or play. */
void lr_start(const lr_game *game, lr_state *state);

/* enum lr_mover. */
int lr_to_move(const lr_game *game, const lr_state *state);

/* The kind of the pending decision or chance node in lower case ("pick", "retreat-to", "morale");
 * "over" when nobody moves. A static string. */
const char *lr_decision(const lr_game *game, const lr_state *state);

/* The legal actions in ascending order, written to `legal` (room for lr_info.actions); returns their
 * number. At a chance node: the outcomes. 0 exactly when nobody moves. */
int lr_legal(const lr_game *game, const lr_state *state, uint16_t *legal);

/* The same as bits: action a is legal iff mask[a / 8] >> (a % 8) & 1. Writes lr_info.mask_bytes. */
void lr_mask(const lr_game *game, const lr_state *state, uint8_t *mask);

bool lr_is_legal(const lr_game *game, const lr_state *state, int action);

/* Plays an action (or, at a chance node, an outcome) and runs on through everything that is not a choice
 * to the next decision, chance node or end. Errors: ILLEGAL (names the action and the number of legal
 * ones), OVER; the state is then unchanged. */
int lr_apply(const lr_game *game, lr_state *state, int action, lr_error *error);

/* The same without the check, for an action taken from lr_legal, lr_mask or lr_sample of this very state.
 * Any other action is undefined behaviour; debug builds assert. */
void lr_apply_legal(const lr_game *game, lr_state *state, int action);

/* +1 for the winner, -1 for the loser, 0 and 0 for a draw or a game that is not over. */
void lr_returns(const lr_game *game, const lr_state *state, float returns[2]);

/* The running score from the Union's side (Cedar Mountain: net victory points). */
int lr_score(const lr_game *game, const lr_state *state);

/* Why the game ended, in a few words; "" while it goes on. A static string. */
const char *lr_end_reason(const lr_game *game, const lr_state *state);

/* A guess at an unfinished game's value for the Union, from -1000 to +1000; +-1000 or 0 when it is over.
 * A pure function of the state; the ruleset documents how it guesses. */
int lr_evaluate(const lr_game *game, const lr_state *state);

/* What a sound player's habits think of each legal action: appraisals[i] for legal[i], higher is better,
 * comparable within this state only. Not for chance nodes. A pure function, integer arithmetic only. */
void lr_appraise(const lr_game *game, const lr_state *state, const uint16_t *legal, int count, int32_t *appraisals);

/* XXH3 over the state's bytes. */
uint64_t lr_hash(const lr_game *game, const lr_state *state);

/* Proves that the bytes are a possible state: every index, bound, derived field and invariant. Needed
 * before bytes from outside become a state. Errors: STATE, naming the first field that is wrong. */
int lr_state_check(const lr_game *game, const lr_state *state, lr_error *error);

/* ---- Chance ------------------------------------------------------------------------------------ */

/* The weights of a chance node's outcomes: weights[i] belongs to outcome i, 0 where it cannot happen.
 * Writes LR_MAX_OUTCOMES at most, returns how many; *total gets their sum. 0 away from chance nodes. */
int lr_outcomes(const lr_game *game, const lr_state *state, uint32_t *weights, uint32_t *total);

/* The event key of a chance node: unique within one game. 0 away from chance nodes. */
uint64_t lr_event(const lr_game *game, const lr_state *state);

/* Draws the outcome of a chance node: Philox4x32-10 of (seed, episode, event key) and nothing else, so
 * two games with the same seed keep the same dice for the same events after they diverge. */
int lr_sample(const lr_game *game, const lr_state *state, uint64_t seed, uint32_t episode);

/* The seed of environment `index` under a root seed: a hash, never a sum. */
uint64_t lr_environment_seed(uint64_t root, uint64_t index);

/* Unbiased draw from 0..bound-1 (bound >= 1) of a stream, at a position in it. Agents draw from this. */
uint32_t lr_random(uint64_t stream, uint64_t position, uint32_t bound);

/* ---- Texts and files --------------------------------------------------------------------------- */

/* The text of an action or outcome id, unique among the legal ones of this state ("to 0806",
 * "roll 7"). At most LR_MAX_TEXT bytes with the terminator. Works for illegal ids too ("?577" where
 * the id means nothing here). Returns `text`. */
char *lr_action_text(const lr_game *game, const lr_state *state, int action, char text[LR_MAX_TEXT]);

/* The legal action with that text, or LR_E_TEXT (the sentence lists some legal ones) or LR_E_OVER.
 * Blanks around it are ignored; a plain number is taken as an id. */
int lr_action_parse(const lr_game *game, const lr_state *state, const char *text, lr_error *error);

/* A few words that say where in the game the state is ("turn 4, union movement"). */
char *lr_heading(const lr_game *game, const lr_state *state, char text[LR_MAX_TEXT]);

/* The map or table as text for a terminal. Writes at most `size` bytes with the terminator, returns the
 * length that the whole text has (as snprintf does). `color`: ANSI colours. */
int lr_draw(const lr_game *game, const lr_state *state, bool color, char *text, size_t size);

/* The state as the text of a state file, which names its scenario; as lr_draw for `size`. */
int lr_state_format(const lr_game *game, const lr_state *state, char *text, size_t size);

/* Reads a state back from such a text; the bytes are checked and equal those that were written.
 * `length` bytes need no terminator. Errors: STATE with line or path of the fault; also for a text whose `scenario:` is
 * missing or is not this game's lr_info.scenario. */
int lr_state_parse(const lr_game *game, const char *text, size_t length, lr_state *state, lr_error *error);

/* Opens a scenario (by name or path: its first state) or a state file. *state is malloc'ed: free() it.
 * Errors as lr_game_open and lr_state_parse. */
int lr_position_open(const char *name, lr_game **game, lr_state **state, lr_error *error);

/* Writes `length` bytes to a file, whole or not at all: a new file beside it, fsync, rename.
 * Errors: IO, naming the path and the system's reason. */
int lr_file_write(const char *path, const char *bytes, size_t length, lr_error *error);

/* ---- Observations ------------------------------------------------------------------------------ */

/* What `player` may know: pieces, uint8 [piece_rows][piece_columns], and globals, int16 [global_columns],
 * both C order, described column by column in lr_info. The player's own rows come first. Valid in every
 * state, for both players. With perfect information two states differ iff their observations do. */
void lr_observe(const lr_game *game, const lr_state *state, int player, uint8_t *pieces, int16_t *globals);

/* ---- Choosers ---------------------------------------------------------------------------------- */

/* Something that chooses actions, called by a batch for a built-in opponent, and by matches.
 * `choose` returns one of the `count` (>= 1) legal actions. It is called from several threads at once, each with
 * scratch memory of its own (scratch_bytes, 64-aligned, contents undefined at every call). All
 * randomness comes from lr_random(stream, ...), so the same state and stream give the same choice. */
typedef struct lr_chooser {
    const char *name;
    size_t scratch_bytes;
    const void *config;
    int (*choose)(const struct lr_chooser *self, void *scratch, const lr_game *game, const lr_state *state,
                  const uint16_t *legal, int count, uint64_t stream);
} lr_chooser;

/* The stream for decision number `length` (decisions and chance nodes before it) of an episode, for the
 * agent of `player`. Matches and batches use it, so the same seeds give the same games in both. */
uint64_t lr_agent_stream(uint64_t seed, uint32_t episode, int player, uint32_t length);

/* ---- Batches ----------------------------------------------------------------------------------- */

/* Many environments stepped together. An environment is a state, its dice and its episode's statistics.
 * Results do not depend on the number of threads. No call below allocates except open. */

enum lr_autoreset {
    LR_NEXT_STEP = 0, /* the step after the end ignores its action (unless LR_SKIP) and resets (Gymnasium's default) */
    LR_SAME_STEP = 1, /* the step that ends resets too; the last observation goes to final_* */
    LR_DISABLED = 2   /* an environment that is over stays so until it is reset; only LR_SKIP is legal */
};

enum { LR_SKIP = -1 }; /* as an action: leave this environment as it is, reward 0 */

typedef struct lr_batch_options {
    int size;         /* environments, 1..1048576 */
    uint64_t seed;    /* root seed: environment i has lr_environment_seed(seed, i) */
    int threads;      /* 0: as many as OpenMP offers; small batches stay serial whatever it says */
    int autoreset;    /* enum lr_autoreset */
    int learner;      /* LR_UNION or LR_CONFEDERATE with an opponent; ignored without */
    const lr_chooser *opponent; /* plays the other side inside reset and step; NULL: both sides are the
                                   caller's. Copied; its config must outlive the batch. */
    bool chosen_chance; /* true: chance nodes are the caller's to play too (to_move is LR_CHANCE) */
    int max_length;     /* truncate an episode after so many decisions and chance nodes; 0: never */
    bool record;        /* keep each episode's actions for lr_batch_replay (2 * max_decisions bytes each) */
} lr_batch_options;

/* Caller-owned result arrays, C order, first dimension the batch; any may be NULL. The observation is
 * that of the player to move; at a chance node, in an ended environment and in final_*: of the learner with an
 * opponent, else of the player who decided last. */
typedef struct lr_arrays {
    uint8_t *pieces;        /* [size][piece_rows][piece_columns] */
    int16_t *globals;       /* [size][global_columns] */
    uint8_t *mask;          /* [size][mask_bytes]; all zero in an ended environment */
    float *rewards;         /* [size][2]: both players', this step's */
    uint8_t *terminated;    /* [size]: the game ended in this step */
    uint8_t *truncated;     /* [size]: max_length ended it */
    uint8_t *to_move;       /* [size] enum lr_mover */
    uint8_t *final_pieces;  /* as pieces; written only for environments that ended in this step, SAME_STEP */
    int16_t *final_globals; /* as globals, likewise */
    int16_t *score;         /* [size] lr_score; of the ended episode's last state where SAME_STEP ended one */
    float *episode_return;  /* [size][2]: of the episode that ended in this step, else 0 */
    int32_t *episode_length;/* [size]: its decisions and chance nodes, else 0 */
} lr_arrays;

typedef struct lr_environment_stats {
    uint64_t seed;
    uint32_t episode;          /* 0 for the first after a seed was set */
    uint32_t length;           /* decisions and chance nodes so far */
    uint32_t illegal_attempts; /* since the batch was opened */
    uint32_t episodes_ended;   /* likewise */
    float returns[2];          /* this episode's so far */
    bool over;
} lr_environment_stats;

typedef struct lr_batch lr_batch;

/* Errors: ARGUMENT, MEMORY. The game must outlive the batch. Environments start reset (episode 0). */
int lr_batch_open(const lr_game *game, const lr_batch_options *options, lr_batch **batch, lr_error *error);
void lr_batch_close(lr_batch *batch);

/* Starts a new episode in environment i where which[i] != 0 (NULL: in all). `seeds` (NULL: keep) gives
 * each of those its own new seed and puts its episode number back to 0; otherwise the number goes up by
 * one, unless nothing has been played since the last reset. Fills the arrays of all environments, with
 * rewards and flags 0. */
void lr_batch_reset(lr_batch *batch, const uint8_t *which, const uint64_t *seeds, const lr_arrays *out);

/* One action for every environment. All actions are checked before anything moves: ILLEGAL names the
 * first faulty environment, counts its attempt, and changes nothing else. */
int lr_batch_step(lr_batch *batch, const int32_t *actions, const lr_arrays *out, lr_error *error);

/* Fills the arrays again without stepping, with rewards and flags 0. */
void lr_batch_observe(const lr_batch *batch, const lr_arrays *out);

const lr_game *lr_batch_game(const lr_batch *batch);
int lr_batch_size(const lr_batch *batch);
int lr_batch_environment_bytes(const lr_batch *batch); /* memory of one environment, without records */

/* Environment i's state: valid until the next call that changes the batch. */
const lr_state *lr_batch_state(const lr_batch *batch, int index);
lr_environment_stats lr_batch_stats(const lr_batch *batch, int index);

/* What becomes of the dice after load and clone. FRESH (the usual): new dice, so a planner that loads a
 * snapshot does not see the future. SAME: the source's own. */
enum lr_dice { LR_DICE_FRESH = 0, LR_DICE_SAME = 1 };

/* Puts checked state bytes into environment i, as the start of an episode whose record begins there.
 * FRESH derives a new seed from the old one. Errors: ARGUMENT, STATE. */
int lr_batch_load(lr_batch *batch, int index, const lr_state *state, int dice, lr_error *error);

/* Copies environment `from` over `to`, statistics and record included. Errors: ARGUMENT. */
int lr_batch_clone(lr_batch *batch, int from, int to, int dice, lr_error *error);

/* ---- Replays ----------------------------------------------------------------------------------- */

/* A game as scenario + seed + actions: text lines in PGN's spirit, documented in env/REPLAY.md. */
typedef struct lr_replay lr_replay;

/* A new record that begins at the game's first state. The names of the two agents are copied.
 * Errors: MEMORY. The game must outlive the replay. */
int lr_replay_new(const lr_game *game, uint64_t seed, uint32_t episode, const char *union_agent,
                  const char *confederate_agent, lr_replay **replay, lr_error *error);
void lr_replay_free(lr_replay *replay);

/* Appends an action or outcome, which must be legal in the replay's current state. Errors: ILLEGAL,
 * OVER, MEMORY. */
int lr_replay_add(lr_replay *replay, int action, lr_error *error);

int lr_replay_length(const lr_replay *replay);
int lr_replay_action(const lr_replay *replay, int index); /* 0 <= index < length */
const lr_state *lr_replay_state(const lr_replay *replay); /* the state after the last action */
uint64_t lr_replay_seed(const lr_replay *replay);
uint32_t lr_replay_episode(const lr_replay *replay);
const char *lr_replay_agent(const lr_replay *replay, int player);

/* One number over the actions and the final state, the same wherever the game is played. */
uint64_t lr_replay_hash(const lr_replay *replay);

/* The record of environment i: the running episode, or the last one that ended (`ended`). Needs
 * lr_batch_options.record; begins at the first state of the episode, so NOT_FOUND after a load.
 * *replay is the caller's to free. Errors: ARGUMENT, NOT_FOUND, MEMORY. */
int lr_batch_replay(const lr_batch *batch, int index, bool ended, lr_replay **replay, lr_error *error);

/* The replay as text; as lr_draw for `size`. */
int lr_replay_format(const lr_replay *replay, char *text, size_t size);

/* Reads and re-simulates. Proves that the scenario's hash, every action, every die (where the replay
 * says that dice are keyed) and every stored state hash agree, and that nothing is missing at the end.
 * Opens the game that the replay names, which the caller closes after the replay is freed. Errors:
 * REPLAY with the line, or those of lr_game_open. */
int lr_replay_parse(const char *text, size_t length, lr_replay **replay, lr_game **game, lr_error *error);

#ifdef __cplusplus
}
#endif
#endif
