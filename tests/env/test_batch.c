/* Batches: against a naive twin over all options, and each contract of longroll.h once by hand.
 *
 * The twin below plays every environment with single-state calls, one after the other, and says what every array must
 * hold. Kuhn poker's episodes are so short that a few hundred steps see every ending many times. */
#include "kuhn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- Arrays ---- */

enum { MOST = 600 };

struct results {
    uint8_t pieces[MOST][4], mask[MOST], terminated[MOST], truncated[MOST], to_move[MOST], final_pieces[MOST][4];
    int16_t globals[MOST][3], final_globals[MOST][3], score[MOST];
    float rewards[MOST][2], episode_return[MOST][2];
    int32_t episode_length[MOST];
};

static lr_arrays arrays_of(struct results *r) {
    return (lr_arrays){.pieces = r->pieces[0],
                       .globals = r->globals[0],
                       .mask = r->mask,
                       .rewards = r->rewards[0],
                       .terminated = r->terminated,
                       .truncated = r->truncated,
                       .to_move = r->to_move,
                       .final_pieces = r->final_pieces[0],
                       .final_globals = r->final_globals[0],
                       .score = r->score,
                       .episode_return = r->episode_return[0],
                       .episode_length = r->episode_length};
}

/* ---- An opponent that shows whether it got the right state, stream and scratch ---- */

enum { SCRATCH = 1000 };

static int choose(const lr_chooser *self, void *scratch, const lr_game *game, const lr_state *state,
                  const uint16_t *legal, int count, uint64_t stream) {
    (void)game, (void)state;
    if ((uintptr_t)scratch % 64) abort();
    memset(scratch, (int)stream, SCRATCH);
    const int *wanted = self->config;
    if (wanted && legal[count - 1] == *wanted) return *wanted;
    return legal[lr_random(stream, 0, (uint32_t)count)];
}

static const lr_chooser random_opponent = {.name = "dice", .scratch_bytes = SCRATCH, .choose = choose};
static const int surrender = KUHN_SURRENDER;
static const lr_chooser quitter = {.name = "quitter", .scratch_bytes = SCRATCH, .config = &surrender, .choose = choose};

/* ---- The twin ---- */

struct twin {
    uint64_t state, seed;
    uint32_t episode, length, ended;
    int viewer;
    bool over, cut;
};

struct twins {
    const lr_game *game;
    lr_batch_options options;
    struct twin one[MOST];
};

static lr_state *state_of(struct twin *t) { return (lr_state *)(void *)&t->state; }

static bool is_callers(const struct twins *twins, int mover) {
    if (mover == LR_CHANCE) return twins->options.chosen_chance;
    return !twins->options.opponent || mover == twins->options.learner;
}

static void twin_apply(const struct twins *twins, struct twin *t, int action) {
    const int mover = lr_to_move(twins->game, state_of(t));
    if (mover < 2 && !twins->options.opponent) t->viewer = mover;
    assert_int_equal(lr_apply(twins->game, state_of(t), action, NULL), LR_OK);
    t->length++;
}

static bool twin_is_over(const struct twins *twins, struct twin *t) {
    t->over = lr_to_move(twins->game, state_of(t)) == LR_NOBODY;
    t->cut = !t->over && twins->options.max_length && t->length >= (uint32_t)twins->options.max_length;
    t->over = t->over || t->cut;
    return t->over;
}

static void twin_play_on(const struct twins *twins, struct twin *t) {
    while (!twin_is_over(twins, t)) {
        const int mover = lr_to_move(twins->game, state_of(t));
        if (is_callers(twins, mover)) return;
        if (mover == LR_CHANCE)
            twin_apply(twins, t, lr_sample(twins->game, state_of(t), t->seed, t->episode));
        else {
            uint16_t legal[LR_MAX_ACTIONS];
            uint8_t scratch[SCRATCH] __attribute__((aligned(64)));
            const int count = lr_legal(twins->game, state_of(t), legal);
            const lr_chooser *chooser = twins->options.opponent;
            twin_apply(twins, t,
                       chooser->choose(chooser, scratch, twins->game, state_of(t), legal, count,
                                       lr_agent_stream(t->seed, t->episode, mover, t->length)));
        }
    }
    t->ended++;
}

static void twin_begin(const struct twins *twins, struct twin *t) {
    for (int tries = 0; tries < 64; tries++) {
        if (tries) t->episode++;
        t->length = 0;
        t->viewer = twins->options.opponent ? twins->options.learner : LR_UNION;
        lr_start(twins->game, state_of(t));
        twin_play_on(twins, t);
        if (!t->over) return;
    }
}

static void twin_look(const struct twins *twins, struct twin *t, int mover, uint8_t *pieces, int16_t *globals) {
    lr_observe(twins->game, state_of(t), mover < 2 ? mover : t->viewer, pieces, globals);
}

static void twin_fill(struct twins *twins, int i, struct results *r) {
    struct twin *t = &twins->one[i];
    r->to_move[i] = (uint8_t)(t->over ? LR_NOBODY : lr_to_move(twins->game, state_of(t)));
    twin_look(twins, t, r->to_move[i], r->pieces[i], r->globals[i]);
    r->mask[i] = 0;
    if (!t->over) lr_mask(twins->game, state_of(t), &r->mask[i]);
    r->rewards[i][0] = r->rewards[i][1] = r->episode_return[i][0] = r->episode_return[i][1] = 0;
    r->terminated[i] = r->truncated[i] = 0;
    r->episode_length[i] = 0;
    r->score[i] = (int16_t)lr_score(twins->game, state_of(t));
}

static void twin_step(struct twins *twins, int i, int action, struct results *r) {
    struct twin *t = &twins->one[i];
    const bool was_over = t->over;
    if (action != LR_SKIP && was_over) {
        t->episode++;
        twin_begin(twins, t);
    } else if (action != LR_SKIP) {
        twin_apply(twins, t, action);
        twin_play_on(twins, t);
    }
    twin_fill(twins, i, r);
    if (action == LR_SKIP || was_over || !t->over) return;
    float returns[2];
    lr_returns(twins->game, state_of(t), returns);
    const bool cut = t->cut;
    const int length = (int)t->length, score = lr_score(twins->game, state_of(t));
    if (twins->options.autoreset == LR_SAME_STEP) {
        twin_look(twins, t, LR_NOBODY, r->final_pieces[i], r->final_globals[i]);
        t->episode++;
        twin_begin(twins, t);
        twin_fill(twins, i, r);
    }
    memcpy(r->rewards[i], returns, sizeof returns);
    memcpy(r->episode_return[i], returns, sizeof returns);
    r->terminated[i] = !cut;
    r->truncated[i] = cut;
    r->episode_length[i] = length;
    r->score[i] = (int16_t)score;
}

static void twins_open(struct twins *twins, const lr_game *game, lr_batch_options options) {
    memset(twins, 0, sizeof *twins);
    twins->game = game;
    twins->options = options;
    for (int i = 0; i < options.size; i++) {
        twins->one[i].seed = lr_environment_seed(options.seed, (uint64_t)i);
        twin_begin(twins, &twins->one[i]);
    }
}

/* ---- Comparing ---- */

static int32_t random_action(const struct twins *twins, const struct results *r, int i, uint64_t stream) {
    if (lr_random(stream, 1, 8) == 0) return LR_SKIP;
    if (twins->one[i].over) return twins->options.autoreset == LR_DISABLED ? LR_SKIP : 12345; /* ignored */
    int32_t legal[8];
    uint32_t count = 0;
    for (int32_t action = 0; action < 8; action++)
        if (r->mask[i] >> action & 1) legal[count++] = action;
    assert_true(count > 0);
    return legal[lr_random(stream, 2, count)];
}

static void assert_twins(const lr_batch *batch, struct twins *twins) {
    for (int i = 0; i < twins->options.size; i++) {
        const lr_environment_stats stats = lr_batch_stats(batch, i);
        const struct twin *t = &twins->one[i];
        assert_memory_equal(lr_batch_state(batch, i), &t->state, 8);
        assert_true(stats.seed == t->seed);
        assert_int_equal(stats.episode, t->episode);
        assert_int_equal(stats.length, t->length);
        assert_int_equal(stats.episodes_ended, t->ended);
        assert_int_equal(stats.over, t->over);
        assert_int_equal(stats.illegal_attempts, 0);
    }
}

static void compare_with_twins(lr_game *game, lr_batch_options options, int steps) {
    static struct twins twins;
    static struct results got, expected;
    twins_open(&twins, game, options);
    lr_batch *batch;
    assert_int_equal(lr_batch_open(game, &options, &batch, NULL), LR_OK);
    memset(&got, 0xAA, sizeof got);
    memset(&expected, 0xAA, sizeof expected);
    const lr_arrays out = arrays_of(&got);
    lr_batch_reset(batch, NULL, NULL, &out); /* nothing played: still episode 0 */
    for (int i = 0; i < options.size; i++) {
        if (twins.one[i].over) twins.one[i].episode++, twin_begin(&twins, &twins.one[i]);
        twin_fill(&twins, i, &expected);
    }
    int32_t actions[MOST];
    for (int step = 0; step < steps; step++) {
        assert_memory_equal(&got, &expected, sizeof got);
        for (int i = 0; i < options.size; i++) {
            actions[i] = random_action(&twins, &expected, i, (uint64_t)step * MOST + (uint64_t)i);
            twin_step(&twins, i, actions[i], &expected);
        }
        lr_error error;
        if (lr_batch_step(batch, actions, &out, &error)) fail_msg("%s", error.text);
    }
    assert_twins(batch, &twins);
    lr_batch_observe(batch, &out);
    for (int i = 0; i < options.size; i++) twin_fill(&twins, i, &expected);
    assert_memory_equal(&got, &expected, sizeof got);
    lr_batch_close(batch);
}

static void batches_do_what_single_games_do(void **unused) {
    (void)unused;
    static const lr_chooser *const opponents[] = {NULL, &random_opponent, &quitter};
    static const int cuts[] = {0, 1, 3, 4};
    for (int with_surrender = 0; with_surrender < 2; with_surrender++) {
        lr_game *game = kuhn_open(with_surrender);
        for (int autoreset = LR_NEXT_STEP; autoreset <= LR_DISABLED; autoreset++)
            for (int opponent = 0; opponent < 3; opponent++)
                for (int learner = 0; learner < 2; learner++)
                    for (int chosen = 0; chosen < 2; chosen++)
                        for (int cut = 0; cut < 4; cut++)
                            compare_with_twins(game,
                                               (lr_batch_options){.size = 7,
                                                                  .seed = 99,
                                                                  .threads = 1 + cut,
                                                                  .autoreset = autoreset,
                                                                  .learner = learner,
                                                                  .opponent = opponents[opponent],
                                                                  .chosen_chance = chosen,
                                                                  .max_length = cuts[cut]},
                                               40);
        lr_game_close(game);
    }
}

static void threads_make_no_difference(void **unused) {
    (void)unused;
    lr_game *game = kuhn_open(true);
    static const int threads[] = {0, 1, 2, 3, 8};
    for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
        lr_batch_options options = {.size = MOST - 1, .seed = 4, .threads = threads[i], .autoreset = LR_SAME_STEP};
        compare_with_twins(game, options, 30);
        options.opponent = &random_opponent;
        options.learner = LR_CONFEDERATE;
        compare_with_twins(game, options, 30);
    }
    lr_game_close(game);
}

/* ---- By hand ---- */

/* One environment whose dice are chosen: king against queen, Union passes, Confederate passes: +1 for the Union. */
struct hand {
    lr_game *game;
    lr_batch *batch;
    struct results r;
    lr_arrays out;
};

static void open_hand(struct hand *hand, int autoreset) {
    hand->game = kuhn_open(false);
    const lr_batch_options options = {.size = 1, .autoreset = autoreset, .chosen_chance = true, .record = true};
    assert_int_equal(lr_batch_open(hand->game, &options, &hand->batch, NULL), LR_OK);
    memset(&hand->r, 0x77, sizeof hand->r);
    hand->out = arrays_of(&hand->r);
    lr_batch_reset(hand->batch, NULL, NULL, &hand->out);
    assert_int_equal(hand->r.to_move[0], LR_CHANCE);
    assert_int_equal(hand->r.mask[0], 7);
}

static void step_hand(struct hand *hand, int32_t action) {
    lr_error error;
    if (lr_batch_step(hand->batch, &action, &hand->out, &error)) fail_msg("%s", error.text);
}

static void close_hand(struct hand *hand) {
    lr_batch_close(hand->batch);
    lr_game_close(hand->game);
}

static void play_to_last_pass(struct hand *hand) {
    step_hand(hand, 2);
    assert_int_equal(hand->r.mask[0], 3); /* the king is gone */
    step_hand(hand, 1);
    assert_int_equal(hand->r.to_move[0], LR_UNION);
    assert_int_equal(hand->r.pieces[0][0], 3); /* sees the king ... */
    assert_int_equal(hand->r.pieces[0][2], 0); /* ... and not the queen */
    step_hand(hand, KUHN_PASS);
    assert_int_equal(hand->r.to_move[0], LR_CONFEDERATE);
    assert_int_equal(hand->r.pieces[0][0], 2);
    assert_int_equal(hand->r.terminated[0], 0);
    step_hand(hand, KUHN_PASS);
    assert_int_equal(hand->r.terminated[0], 1);
    assert_int_equal(hand->r.truncated[0], 0);
    assert_true(hand->r.rewards[0][0] == 1.0f && hand->r.rewards[0][1] == -1.0f);
    assert_true(hand->r.episode_return[0][0] == 1.0f && hand->r.episode_return[0][1] == -1.0f);
    assert_int_equal(hand->r.episode_length[0], 4);
    assert_int_equal(hand->r.score[0], 1);
    assert_int_equal(lr_batch_stats(hand->batch, 0).episodes_ended, 1);
}

static void assert_quiet(const struct hand *hand) {
    assert_true(hand->r.rewards[0][0] == 0 && hand->r.rewards[0][1] == 0 && hand->r.episode_return[0][0] == 0);
    assert_int_equal(hand->r.terminated[0], 0);
    assert_int_equal(hand->r.episode_length[0], 0);
}

static void next_step_shows_the_end_then_resets(void **unused) {
    (void)unused;
    static struct hand hand;
    open_hand(&hand, LR_NEXT_STEP);
    play_to_last_pass(&hand);
    assert_int_equal(hand.r.to_move[0], LR_NOBODY);
    assert_int_equal(hand.r.mask[0], 0);
    assert_int_equal(hand.r.globals[0][0], LR_CONFEDERATE); /* who decided last */
    assert_int_equal(hand.r.globals[0][2], 1);
    assert_int_equal(hand.r.final_pieces[0][0], 0x77); /* not written in this mode */
    assert_true(lr_batch_stats(hand.batch, 0).over);
    step_hand(&hand, LR_SKIP);
    assert_quiet(&hand);
    assert_int_equal(hand.r.to_move[0], LR_NOBODY);
    step_hand(&hand, -77); /* whatever */
    assert_quiet(&hand);
    assert_int_equal(hand.r.to_move[0], LR_CHANCE);
    assert_int_equal(hand.r.score[0], 0);
    assert_int_equal(lr_batch_stats(hand.batch, 0).episode, 1);
    assert_int_equal(lr_batch_stats(hand.batch, 0).length, 0);
    close_hand(&hand);
}

static void same_step_keeps_the_last_observation(void **unused) {
    (void)unused;
    static struct hand hand;
    open_hand(&hand, LR_SAME_STEP);
    play_to_last_pass(&hand);
    assert_int_equal(hand.r.to_move[0], LR_CHANCE);
    assert_int_equal(hand.r.mask[0], 7);
    assert_int_equal(hand.r.globals[0][1], 0);       /* the new game */
    assert_int_equal(hand.r.final_globals[0][0], 1); /* the old one, as the Confederate saw it */
    assert_int_equal(hand.r.final_globals[0][2], 1);
    assert_int_equal(hand.r.final_pieces[0][0], 2);
    assert_int_equal(lr_batch_stats(hand.batch, 0).episode, 1);
    step_hand(&hand, 0);
    assert_quiet(&hand);
    close_hand(&hand);
}

static void disabled_stays_over_until_reset(void **unused) {
    (void)unused;
    static struct hand hand;
    open_hand(&hand, LR_DISABLED);
    play_to_last_pass(&hand);
    lr_error error;
    const int32_t pass = KUHN_PASS;
    assert_int_equal(lr_batch_step(hand.batch, &pass, &hand.out, &error), LR_E_ILLEGAL);
    assert_non_null(strstr(error.text, "environment 0"));
    step_hand(&hand, LR_SKIP);
    assert_quiet(&hand);
    assert_int_equal(hand.r.to_move[0], LR_NOBODY);
    const uint8_t none = 0, one = 1;
    lr_batch_reset(hand.batch, &none, NULL, &hand.out);
    assert_int_equal(hand.r.to_move[0], LR_NOBODY);
    lr_batch_reset(hand.batch, &one, NULL, &hand.out);
    assert_int_equal(hand.r.to_move[0], LR_CHANCE);
    assert_int_equal(lr_batch_stats(hand.batch, 0).episode, 1);
    const uint64_t seed = 5;
    lr_batch_reset(hand.batch, &one, &seed, &hand.out);
    assert_int_equal(lr_batch_stats(hand.batch, 0).episode, 0);
    assert_true(lr_batch_stats(hand.batch, 0).seed == 5);
    close_hand(&hand);
}

static void an_illegal_action_changes_nothing(void **unused) {
    (void)unused;
    lr_game *game = kuhn_open(false);
    enum { SIZE = 100 };
    const lr_batch_options options = {.size = SIZE, .threads = 2};
    lr_batch *batch;
    assert_int_equal(lr_batch_open(game, &options, &batch, NULL), LR_OK);
    static struct results r, untouched;
    memset(&r, 0x55, sizeof r);
    untouched = r;
    const lr_arrays out = arrays_of(&r);
    uint64_t before[SIZE];
    for (int i = 0; i < SIZE; i++) memcpy(&before[i], lr_batch_state(batch, i), 8);
    static const int32_t bad[] = {KUHN_SURRENDER, 3, -2, INT32_MAX, INT32_MIN};
    for (size_t b = 0; b < sizeof bad / sizeof bad[0]; b++) {
        int32_t actions[SIZE] = {0};
        actions[71] = actions[90] = bad[b];
        lr_error error;
        assert_int_equal(lr_batch_step(batch, actions, &out, &error), LR_E_ILLEGAL);
        assert_non_null(strstr(error.text, "environment 71:"));
        for (int i = 0; i < SIZE; i++) {
            assert_memory_equal(&before[i], lr_batch_state(batch, i), 8);
            assert_int_equal(lr_batch_stats(batch, i).illegal_attempts, i == 71 ? b + 1 : 0);
            assert_int_equal(lr_batch_stats(batch, i).length, 2);
        }
        assert_memory_equal(&r, &untouched, sizeof r);
    }
    assert_int_equal(lr_batch_step(batch, NULL, &out, NULL), LR_E_ARGUMENT);
    const int32_t good[SIZE] = {0};
    assert_int_equal(lr_batch_step(batch, good, NULL, NULL), LR_OK);
    const lr_arrays some = {.globals = r.globals[0]}; /* one half of an observation alone */
    assert_int_equal(lr_batch_step(batch, good, &some, NULL), LR_OK);
    assert_int_equal(r.globals[3][1], 5);
    assert_memory_equal(r.pieces, untouched.pieces, sizeof r.pieces);
    lr_batch_close(batch);
    lr_game_close(game);
}

static void options_are_checked(void **unused) {
    (void)unused;
    lr_game *game = kuhn_open(false);
    const lr_chooser nothing = {.name = "nothing"};
    const lr_batch_options bad[] = {
        {.size = 0},
        {.size = -1},
        {.size = (1 << 20) + 1},
        {.size = 1, .threads = -1},
        {.size = 1, .autoreset = 3},
        {.size = 1, .autoreset = -1},
        {.size = 1, .max_length = -1},
        {.size = 1, .opponent = &nothing},
        {.size = 1, .opponent = &random_opponent, .learner = 2},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        lr_batch *batch = NULL;
        assert_int_equal(lr_batch_open(game, &bad[i], &batch, NULL), LR_E_ARGUMENT);
        assert_null(batch);
    }
    const lr_batch_options good = {.size = 3, .learner = 9};
    lr_batch *batch;
    assert_int_equal(lr_batch_open(game, &good, &batch, NULL), LR_OK);
    assert_int_equal(lr_batch_size(batch), 3);
    assert_ptr_equal(lr_batch_game(batch), game);
    assert_in_range(lr_batch_environment_bytes(batch), 8, 1024);
    lr_batch_close(batch);
    lr_batch_close(NULL);
    lr_game_close(game);
}

/* The quitter ends every game before the Confederate decides; after a bounded number the environment is left over. */
static void episodes_before_the_first_decision_are_counted(void **unused) {
    (void)unused;
    lr_game *game = kuhn_open(true);
    const lr_batch_options options = {.size = 2, .opponent = &quitter, .learner = LR_CONFEDERATE, .record = true};
    lr_batch *batch;
    assert_int_equal(lr_batch_open(game, &options, &batch, NULL), LR_OK);
    const lr_environment_stats stats = lr_batch_stats(batch, 0);
    assert_true(stats.over);
    assert_true(stats.episodes_ended > 1 && stats.episodes_ended < 1000);
    assert_int_equal(stats.episode, stats.episodes_ended - 1);
    const int32_t any[2] = {0, 0};
    static struct results r;
    const lr_arrays out = arrays_of(&r);
    assert_int_equal(lr_batch_step(batch, any, &out, NULL), LR_OK);
    assert_int_equal(lr_batch_stats(batch, 0).episodes_ended, 2 * stats.episodes_ended);
    assert_int_equal(r.mask[0], 0);
    lr_replay *replay;
    assert_int_equal(lr_batch_replay(batch, 0, true, &replay, NULL), LR_OK);
    assert_int_equal(lr_replay_length(replay), 3);
    assert_string_equal(lr_replay_agent(replay, LR_UNION), "quitter");
    lr_replay_free(replay);
    lr_batch_close(batch);
    lr_game_close(game);
}

/* ---- Loading and cloning ---- */

static lr_batch *open_plain(const lr_game *game, int size, bool record) {
    const lr_batch_options options = {.size = size, .seed = 11, .record = record};
    lr_batch *batch;
    assert_int_equal(lr_batch_open(game, &options, &batch, NULL), LR_OK);
    return batch;
}

static void loading_checks_and_chooses_dice(void **unused) {
    (void)unused;
    lr_game *game = kuhn_open(false);
    lr_batch *batch = open_plain(game, 4, true);
    uint64_t memory, kept;
    lr_state *state = (lr_state *)(void *)&memory;
    lr_error error;
    memset(&memory, 0xFF, sizeof memory);
    memcpy(&kept, lr_batch_state(batch, 1), 8);
    assert_int_equal(lr_batch_load(batch, 1, state, LR_DICE_FRESH, &error), LR_E_STATE);
    assert_memory_equal(&kept, lr_batch_state(batch, 1), 8);
    lr_start(game, state);
    assert_int_equal(lr_batch_load(batch, 4, state, LR_DICE_FRESH, &error), LR_E_ARGUMENT);
    assert_int_equal(lr_batch_load(batch, -1, state, LR_DICE_FRESH, &error), LR_E_ARGUMENT);
    assert_int_equal(lr_batch_load(batch, 1, NULL, LR_DICE_FRESH, &error), LR_E_ARGUMENT);
    assert_int_equal(lr_batch_load(batch, 1, state, 2, &error), LR_E_ARGUMENT);

    const uint64_t old = lr_batch_stats(batch, 1).seed;
    assert_int_equal(lr_batch_load(batch, 1, state, LR_DICE_SAME, NULL), LR_OK);
    assert_memory_equal(&kept, lr_batch_state(batch, 1), 8); /* the same dice deal the same cards */
    assert_true(lr_batch_stats(batch, 1).seed == old);
    int differ = 0;
    for (int i = 0; i < 20; i++) {
        const uint64_t last = lr_batch_stats(batch, 1).seed;
        assert_int_equal(lr_batch_load(batch, 1, state, LR_DICE_FRESH, NULL), LR_OK);
        assert_true(lr_batch_stats(batch, 1).seed != last);
        assert_int_equal(lr_batch_stats(batch, 1).episode, 0);
        assert_int_equal(lr_batch_stats(batch, 1).length, 2);
        differ += memcmp(&kept, lr_batch_state(batch, 1), 8) != 0;
    }
    assert_true(differ > 5);
    lr_replay *replay;
    assert_int_equal(lr_batch_replay(batch, 1, false, &replay, &error), LR_E_NOT_FOUND);
    assert_int_equal(lr_batch_replay(batch, 1, true, &replay, &error), LR_E_NOT_FOUND);

    for (int i = 0; i < 2; i++) lr_apply_legal(game, state, i);
    for (int i = 0; i < 2; i++) lr_apply_legal(game, state, KUHN_PASS);
    assert_int_equal(lr_batch_load(batch, 1, state, LR_DICE_SAME, NULL), LR_OK); /* a finished game */
    assert_true(lr_batch_stats(batch, 1).over);
    assert_true(lr_batch_stats(batch, 1).returns[LR_CONFEDERATE] == 1.0f);
    assert_int_equal(lr_batch_stats(batch, 1).episodes_ended, 0);
    lr_batch_close(batch);
    lr_game_close(game);
}

static void clones_copy_all_but_fresh_dice(void **unused) {
    (void)unused;
    lr_game *game = kuhn_open(false);
    lr_batch *batch = open_plain(game, 4, true);
    const int32_t bet[4] = {KUHN_BET, KUHN_PASS, KUHN_PASS, KUHN_PASS};
    assert_int_equal(lr_batch_step(batch, bet, NULL, NULL), LR_OK);
    assert_int_equal(lr_batch_clone(batch, 0, 4, LR_DICE_SAME, NULL), LR_E_ARGUMENT);
    assert_int_equal(lr_batch_clone(batch, -1, 0, LR_DICE_SAME, NULL), LR_E_ARGUMENT);
    assert_int_equal(lr_batch_clone(batch, 0, 1, 7, NULL), LR_E_ARGUMENT);
    assert_int_equal(lr_batch_clone(batch, 0, 1, LR_DICE_SAME, NULL), LR_OK);
    assert_int_equal(lr_batch_clone(batch, 0, 2, LR_DICE_FRESH, NULL), LR_OK);
    assert_int_equal(lr_batch_clone(batch, 0, 3, LR_DICE_FRESH, NULL), LR_OK);
    const lr_environment_stats from = lr_batch_stats(batch, 0), same = lr_batch_stats(batch, 1);
    assert_true(same.seed == from.seed && same.episode == from.episode && same.length == from.length);
    assert_true(same.returns[0] == from.returns[0] && same.over == from.over);
    for (int i = 1; i < 4; i++) assert_memory_equal(lr_batch_state(batch, i), lr_batch_state(batch, 0), 8);
    assert_true(lr_batch_stats(batch, 2).seed != from.seed);
    assert_true(lr_batch_stats(batch, 2).seed != lr_batch_stats(batch, 3).seed);
    assert_int_equal(lr_batch_stats(batch, 2).length, from.length);

    lr_replay *replay;
    assert_int_equal(lr_batch_replay(batch, 1, false, &replay, NULL), LR_OK); /* the record came along */
    assert_int_equal(lr_replay_length(replay), 3);
    assert_int_equal(lr_replay_action(replay, 2), KUHN_BET);
    assert_memory_equal(lr_replay_state(replay), lr_batch_state(batch, 0), 8);
    lr_replay_free(replay);
    lr_batch_close(batch);
    lr_game_close(game);
}

static void records_hold_the_running_and_the_last_episode(void **unused) {
    (void)unused;
    static struct hand hand;
    open_hand(&hand, LR_NEXT_STEP);
    lr_replay *replay;
    lr_error error;
    assert_int_equal(lr_batch_replay(hand.batch, 0, true, &replay, &error), LR_E_NOT_FOUND);
    assert_int_equal(lr_batch_replay(hand.batch, 1, true, &replay, &error), LR_E_ARGUMENT);
    play_to_last_pass(&hand);
    static const int first[] = {2, 1, KUHN_PASS, KUHN_PASS};
    for (int round = 0; round < 3; round++) {
        if (round) step_hand(&hand, 0); /* reset, then one outcome of the next */
        assert_int_equal(lr_batch_replay(hand.batch, 0, true, &replay, NULL), LR_OK);
        assert_int_equal(lr_replay_length(replay), 4);
        for (int i = 0; i < 4; i++) assert_int_equal(lr_replay_action(replay, i), first[i]);
        assert_int_equal(lr_replay_episode(replay), 0);
        lr_replay_free(replay);
    }
    assert_int_equal(lr_batch_replay(hand.batch, 0, false, &replay, NULL), LR_OK);
    assert_int_equal(lr_replay_length(replay), 1);
    assert_int_equal(lr_replay_episode(replay), 1);
    lr_replay_free(replay);
    close_hand(&hand);

    lr_game *game = kuhn_open(false);
    lr_batch *batch = open_plain(game, 1, false);
    assert_int_equal(lr_batch_replay(batch, 0, false, &replay, &error), LR_E_NOT_FOUND);
    lr_batch_close(batch);
    lr_game_close(game);
}

/* However environments came by one seed, fresh dice differ between them and from every earlier time. */
static void fresh_dice_are_always_new(void **unused) {
    (void)unused;
    lr_game *game = kuhn_open(false);
    lr_batch *batch = open_plain(game, 3, false);
    uint64_t memory, seeds[4];
    lr_state *state = (lr_state *)(void *)&memory;
    lr_start(game, state);
    assert_int_equal(lr_batch_clone(batch, 0, 2, LR_DICE_FRESH, NULL), LR_OK);
    seeds[0] = lr_batch_stats(batch, 2).seed;
    assert_int_equal(lr_batch_clone(batch, 0, 2, LR_DICE_FRESH, NULL), LR_OK);
    seeds[1] = lr_batch_stats(batch, 2).seed;
    assert_int_equal(lr_batch_clone(batch, 0, 1, LR_DICE_SAME, NULL), LR_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(lr_batch_load(batch, i, state, LR_DICE_FRESH, NULL), LR_OK);
        seeds[2 + i] = lr_batch_stats(batch, i).seed;
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++) assert_true(seeds[i] != seeds[j]);

    const int32_t bet[3] = {KUHN_BET, KUHN_BET, KUHN_BET};
    for (int i = 0; i < 3; i++) assert_int_equal(lr_batch_step(batch, bet, NULL, NULL), LR_OK);
    assert_int_equal(lr_batch_stats(batch, 0).episode, 1);
    assert_int_equal(lr_batch_load(batch, 0, state, LR_DICE_SAME, NULL), LR_OK);
    assert_int_equal(lr_batch_stats(batch, 0).episode, 1);
    assert_int_equal(lr_batch_load(batch, 0, state, LR_DICE_FRESH, NULL), LR_OK);
    assert_int_equal(lr_batch_stats(batch, 0).episode, 0);
    lr_batch_close(batch);
    lr_game_close(game);
}

/* The ended episode's record keeps the seed and number it was played with, whatever comes after. */
static void records_remember_their_dice(void **unused) {
    (void)unused;
    lr_game *game = kuhn_open(false);
    const lr_batch_options options = {.size = 1, .seed = 8, .autoreset = LR_SAME_STEP, .record = true};
    lr_batch *batch;
    assert_int_equal(lr_batch_open(game, &options, &batch, NULL), LR_OK);
    const int32_t bet = KUHN_BET;
    const uint64_t seed = 77;
    for (int i = 0; i < 4; i++) assert_int_equal(lr_batch_step(batch, &bet, NULL, NULL), LR_OK);
    lr_batch_reset(batch, NULL, &seed, NULL);
    lr_replay *replay;
    assert_int_equal(lr_batch_replay(batch, 0, true, &replay, NULL), LR_OK);
    assert_int_equal(lr_replay_episode(replay), 1);
    assert_true(lr_replay_seed(replay) == lr_environment_seed(8, 0));
    char text[2000];
    lr_replay_format(replay, text, sizeof text);
    assert_non_null(strstr(text, "[Dice \"keyed\"]"));
    lr_replay_free(replay);
    lr_batch_close(batch);
    lr_game_close(game);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_do_what_single_games_do),
        cmocka_unit_test(threads_make_no_difference),
        cmocka_unit_test(next_step_shows_the_end_then_resets),
        cmocka_unit_test(same_step_keeps_the_last_observation),
        cmocka_unit_test(disabled_stays_over_until_reset),
        cmocka_unit_test(an_illegal_action_changes_nothing),
        cmocka_unit_test(options_are_checked),
        cmocka_unit_test(episodes_before_the_first_decision_are_counted),
        cmocka_unit_test(loading_checks_and_chooses_dice),
        cmocka_unit_test(clones_copy_all_but_fresh_dice),
        cmocka_unit_test(fresh_dice_are_always_new),
        cmocka_unit_test(records_remember_their_dice),
        cmocka_unit_test(records_hold_the_running_and_the_last_episode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
