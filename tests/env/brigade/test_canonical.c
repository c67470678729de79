/* Canonical states: one position, one sequence of bytes. At every step of whole games a state comes back byte for byte
 * from a batch, a state file and a replay, and lr_state_check accepts it; positions that both players see alike are the
 * same bytes, whatever order led there; bytes with flipped bits are refused, or are a state that plays on soundly.
 *
 * CI plays 30 games (6 in builds that audit every state); the long form: test_canonical 1000. */
#include "position.h"

#include <stdlib.h>

enum { MOST_FILE = 1 << 16, MOST_REPLAY = 1 << 20, SCENARIOS = 7 };

#ifdef LONGROLL_AUDIT
static int games = 6;
#else
static int games = 30;
#endif

static const char *const scenarios[SCENARIOS] = {
    HISTORICAL,           FREE, HISTORICAL_POPE, FREE_POPE, "cedar-mountain/gate", "cedar-mountain/cedars",
    "cedar-mountain/duel"};

/* ---- Games ---- */

struct player {
    const lr_game *game;
    uint64_t seed, drawn;
    bool sound; /* mostly what the ruleset's habits advise */
};

static struct player player_of(int index) {
    const uint64_t seed = lr_environment_seed(1862, (uint64_t)index);
    return (struct player){game_of(scenarios[index % SCENARIOS]), seed, 0, index / SCENARIOS % 2 == 0};
}

static uint32_t draw(struct player *p, uint32_t bound) { return lr_random(p->seed, p->drawn++, bound); }

static int advised(const lr_game *g, const lr_state *s, const uint16_t *legal, int count) {
    int32_t value[LR_MAX_ACTIONS];
    lr_appraise(g, s, legal, count, value);
    int best = 0;
    for (int i = 1; i < count; i++)
        if (value[i] > value[best]) best = i;
    return legal[best];
}

/* An action or outcome of this state. */
static int choice(struct player *p, const lr_state *s) {
    uint16_t legal[LR_MAX_ACTIONS];
    if (lr_to_move(p->game, s) == LR_CHANCE) return lr_sample(p->game, s, p->seed, 0);
    const int count = lr_legal(p->game, s, legal);
    assert_true(count >= 2);
    if (p->sound && draw(p, 10)) return advised(p->game, s, legal, count);
    return legal[draw(p, (uint32_t)count)];
}

static size_t bytes_of(const lr_game *g) { return (size_t)lr_game_info(g)->state_bytes; }

static void assert_same(const lr_game *g, const lr_state *a, const lr_state *b, const char *way, int step) {
    if (!memcmp(a, b, bytes_of(g))) return;
    size_t at = 0;
    while (((const uint8_t *)a)[at] == ((const uint8_t *)b)[at]) at++;
    fail_msg("%s, step %d: %s does not give the same bytes back: byte %zu differs", lr_game_info(g)->scenario, step,
             way, at);
}

/* ---- There and back ---- */

static void assert_possible(const lr_game *g, const lr_state *s, int step) {
    lr_error error;
    if (lr_state_check(g, s, &error))
        fail_msg("%s, step %d: a state that was reached is refused: %s", lr_game_info(g)->scenario, step, error.text);
}

static void assert_file_and_back(const lr_game *g, const lr_state *s, int step) {
    static char text[MOST_FILE];
    _Alignas(8) struct brigade_state read;
    lr_error error;
    const int length = lr_state_format(g, s, text, sizeof text);
    assert_in_range(length, 1, MOST_FILE - 1);
    if (lr_state_parse(g, text, (size_t)length, (lr_state *)&read, &error))
        fail_msg("%s, step %d: its own state file is refused: %s\n%s", lr_game_info(g)->scenario, step, error.text,
                 text);
    assert_same(g, s, (lr_state *)&read, "a state file", step);
}

static void assert_batch_and_back(lr_batch *batch, const lr_state *s, int step) {
    lr_error error;
    if (lr_batch_load(batch, 0, s, LR_DICE_FRESH, &error))
        fail_msg("step %d: a batch refuses the state: %s", step, error.text);
    assert_same(lr_batch_game(batch), s, lr_batch_state(batch, 0), "a batch", step);
}

/* Writes the replay, reads it, and goes through it: every state has the hash that it had when it was played. */
static void assert_replay_and_back(const lr_replay *replay, const lr_state *last, const uint64_t *hashes) {
    static char text[MOST_REPLAY];
    lr_replay *read;
    lr_game *g;
    lr_error error;
    const int length = lr_replay_format(replay, text, sizeof text);
    if (lr_replay_parse(text, (size_t)length, &read, &g, &error)) fail_msg("its own replay is refused: %s", error.text);
    const int steps = lr_replay_length(read);
    assert_int_equal(steps, lr_replay_length(replay));
    assert_same(g, last, lr_replay_state(read), "a replay", steps);
    _Alignas(8) struct brigade_state s;
    lr_start(g, (lr_state *)&s);
    for (int i = 0; i < steps; i++) {
        if (lr_hash(g, (lr_state *)&s) != hashes[i]) fail_msg("replay, step %d: another state", i);
        assert_int_equal(lr_apply(g, (lr_state *)&s, lr_replay_action(read, i), &error), LR_OK);
    }
    assert_same(g, last, (lr_state *)&s, "a replay's actions", steps);
    lr_replay_free(read);
    lr_game_close(g);
}

static int step_of_game(struct player *p, lr_replay *replay, lr_batch *batch, lr_state *s, uint64_t *hashes) {
    lr_error error;
    const int step = lr_replay_length(replay);
    hashes[step] = lr_hash(p->game, s);
    assert_possible(p->game, s, step);
    assert_file_and_back(p->game, s, step);
    assert_batch_and_back(batch, s, step);
    assert_same(p->game, s, lr_replay_state(replay), "the replay in hand", step);
    if (lr_to_move(p->game, s) == LR_NOBODY) return 0;
    const int action = choice(p, s);
    if (lr_apply(p->game, s, action, &error)) fail_msg("step %d: %s", step, error.text);
    assert_int_equal(lr_replay_add(replay, action, &error), LR_OK);
    return 1;
}

static void play_there_and_back(int index) {
    struct player p = player_of(index);
    const lr_batch_options options = {.size = 1, .seed = 1, .threads = 1, .chosen_chance = true};
    uint64_t *hashes = calloc((size_t)lr_game_info(p.game)->max_decisions + 1, sizeof *hashes);
    _Alignas(8) struct brigade_state s;
    lr_batch *batch;
    lr_replay *replay;
    assert_non_null(hashes);
    assert_int_equal(lr_batch_open(p.game, &options, &batch, NULL), LR_OK);
    assert_int_equal(lr_replay_new(p.game, p.seed, 0, "one", "other", &replay, NULL), LR_OK);
    lr_start(p.game, (lr_state *)&s);
    const int stop = (int)draw(&p, 400); /* an unfinished game is a replay too */
    while (step_of_game(&p, replay, batch, (lr_state *)&s, hashes))
        if (lr_replay_length(replay) == stop) assert_replay_and_back(replay, (lr_state *)&s, hashes);
    assert_replay_and_back(replay, (lr_state *)&s, hashes);
    lr_replay_free(replay);
    lr_batch_close(batch);
    free(hashes);
}

static void test_there_and_back_at_every_step(void **unused) {
    (void)unused;
    for (int i = 0; i < games; i++) play_there_and_back(i);
}

/* ---- Orders ---- */

static void test_two_orders_one_position(void **unused) {
    (void)unused;
    at("turn: 6; half: union",
       "crawford 0415; gordon 0616; bayard 0904; reserve-1 0514 unlimbered; garnett 1919; banks 0415");
    keep(0);
    play("pick crawford; to 0515; done; pick gordon; to 0716; done; pick banks; to 0515; done");
    keep(1);
    back(0);
    play("pick banks; to 0515; done; pick gordon; to 0716; done; pick crawford; to 0515; done");
    keep(2);
    const struct brigade_state last = *inside();
    back(1);
    assert_memory_equal(inside(), &last, sizeof last);
    back(0); /* by another way, in two moves */
    play("pick gordon; to 0615; to 0716; done; pick crawford; to 0515; done; pick banks; to 0515; done");
    assert_memory_equal(inside(), &last, sizeof last);
}

static void test_two_orders_of_fire(void **unused) {
    (void)unused;
    at("turn: 6; half: union; phase: artillery",
       "reserve-1 0515 unlimbered; reserve-2 0415 unlimbered; garnett 0815; early 0714");
    keep(0);
    play("target 0815; join reserve-1; fire; roll 1; target 0714; roll 1"); /* the gun that is left joins by itself */
    const struct brigade_state last = *inside();
    back(0);
    play("target 0714; join reserve-2; roll 1; target 0815; roll 1");
    assert_memory_equal(inside(), &last, sizeof last);
}

/* All positions within a few plies, found by what both players see: to the same sight belong the same bytes. */
struct seen {
    uint64_t sight, bytes;
};

struct census {
    struct seen *slot;
    uint32_t size, places; /* places: a power of two */
    uint64_t met_again;
};

static uint64_t fold(uint64_t hash, const void *from, size_t length) {
    const uint8_t *byte = from;
    for (size_t i = 0; i < length; i++) hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 29;
}

static uint64_t sight_of(const lr_game *g, const lr_state *s) {
    uint8_t pieces[BRIGADE_ROWS * BRIGADE_PIECE_COLUMNS];
    int16_t globals[BRIGADE_GLOBAL_COLUMNS];
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int player = 0; player < 2; player++) {
        lr_observe(g, s, player, pieces, globals);
        hash = fold(fold(hash, pieces, sizeof pieces), globals, sizeof globals);
    }
    return hash | 1;
}

/* True if the position is new. */
static bool note(struct census *c, const lr_game *g, const lr_state *s) {
    const struct seen one = {sight_of(g, s), lr_hash(g, s)};
    for (uint64_t i = one.sight;; i++) {
        struct seen *slot = &c->slot[i & (c->places - 1)];
        if (!slot->sight) {
            assert_true(c->size++ < c->places / 2);
            *slot = one;
            return true;
        }
        if (slot->sight != one.sight) continue;
        if (slot->bytes != one.bytes) {
            static char text[MOST_FILE];
            lr_state_format(g, s, text, sizeof text);
            fail_msg("two states look alike and differ in bytes:\n%s", text);
        }
        c->met_again++;
        return false;
    }
}

static void count_all(struct census *c, const lr_game *g, const lr_state *s, int depth) {
    if (!note(c, g, s) || !depth) return;
    uint16_t legal[LR_MAX_ACTIONS];
    const int count = lr_legal(g, s, legal);
    for (int i = 0; i < count; i++) {
        _Alignas(8) struct brigade_state next;
        memcpy(&next, s, sizeof next);
        lr_apply_legal(g, (lr_state *)&next, legal[i]);
        count_all(c, g, (lr_state *)&next, depth - 1);
    }
}

static void test_what_looks_alike_is_the_same_bytes(void **unused) {
    (void)unused;
    static const char *const files[] = {"zone-to-zone",
                                        "lone-leader-stops",
                                        "formation-cavalry",
                                        "displacement-tie",
                                        "retreat-through-zones",
                                        "ewell-retreat-to",
                                        "leaders-of-a-dead-unit",
                                        "destiny-two-markers",
                                        "night-fire",
                                        "midgame-historical-pope-offence"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[512];
        lr_game *g;
        lr_state *s;
        lr_error error;
        struct census c = {.places = 1 << 20};
        c.slot = calloc(c.places, sizeof *c.slot);
        snprintf(path, sizeof path, "%s/tests/perft/states/%s.yaml", LONGROLL_SOURCE, files[i]);
        if (lr_position_open(path, &g, &s, &error)) fail_msg("%s", error.text);
#ifdef LONGROLL_AUDIT
        count_all(&c, g, s, 3);
#else
        count_all(&c, g, s, 4);
#endif
        assert_true(c.met_again > 0);
        free(c.slot);
        free(s);
        lr_game_close(g);
    }
}

/* ---- Bytes from outside ---- */

/* The position in hand, its bytes altered: refused. */
static void assert_impossible(const struct brigade_state *bytes) {
    lr_error error;
    if (!lr_state_check(game(), (const lr_state *)bytes, &error)) fail_msg("an impossible state was accepted");
    assert_int_equal(error.code, LR_E_STATE);
}

/* Found by flipped bits: a dead leader would be set up, a leader of strength 0 on the map. */
static void test_check_refuses_a_dead_leader_in_set_up(void **unused) {
    (void)unused;
    begin();
    _Alignas(8) struct brigade_state s = *inside();
    s.strength[row_of("augur")] = 0;
    assert_impossible(&s);
}

/* Likewise: limbered or routed guns among the firers of the Artillery Phase would be marked as having fired. */
static void test_check_refuses_limbered_guns_as_firers(void **unused) {
    (void)unused;
    at("turn: 6; half: union; phase: artillery",
       "reserve-1 0515 unlimbered; reserve-2 0415 unlimbered; reserve-3 0514 unlimbered; reserve-4 0414 unlimbered; "
       "garnett 0815");
    play("target 0815; join reserve-1; join reserve-2");
    _Alignas(8) struct brigade_state s = *inside();
    s.deployed &= ~bit(row_of("reserve-1"));
    assert_impossible(&s);
    s = *inside();
    s.routed |= bit(row_of("reserve-1"));
    s.deployed &= ~bit(row_of("reserve-1"));
    assert_impossible(&s);
}

/* Likewise: more points from stars than the turns so far can have brought would pass their bound later. */
static void test_check_refuses_stars_not_yet_earned(void **unused) {
    (void)unused;
    at("turn: 6; half: union", "crawford 0415; gordon 0515; garnett 1901");
    _Alignas(8) struct brigade_state s = *inside();
    s.stars = 24; /* four stars on turns 3, 4, 5 */
    assert_int_equal(lr_state_check(game(), (lr_state *)&s, NULL), LR_OK);
    s.stars = 26;
    assert_impossible(&s);
}

/* Likewise: an attack on a hex that one's own unit holds, into which another would advance. */
static void test_check_refuses_an_attack_on_a_friends_hex(void **unused) {
    (void)unused;
    at("turn: 6; half: union; phase: offence", "crawford 0614; gordon 0613; geary 0515; garnett 0714; early 1010");
    play("target 0714; join crawford; join gordon; roll 6");
    assert_decision("morale");
    _Alignas(8) struct brigade_state s = *inside();
    s.target = (uint16_t)(s.cell[row_of("geary")] + 1);
    assert_impossible(&s);
    at("turn: 6; half: union; phase: offence", "crawford 0613; gordon 0612; geary 0714; garnett 0713 1; early 1010");
    play("target 0713; join crawford; join gordon; join geary; roll 10");
    assert_decision("advance");
    s = *inside();
    s.target = (uint16_t)(s.cell[row_of("geary")] + 1); /* next to Crawford */
    assert_impossible(&s);
}

/* Likewise: an attack throws one die a leader, and a marker one more; so many that the next is refused are too many. */
static void test_check_refuses_more_casualty_dice_than_attacks(void **unused) {
    (void)unused;
    at("turn: 6; half: confederate; phase: offence", "thomas 0714; taliaferro 0715; crawford 0614; banks 0614");
    play("target 0614; join taliaferro; join thomas; roll 10");
    assert_decision("casualty");
    _Alignas(8) struct brigade_state s = *inside();
    const struct brigade *b = game()->rules;
    s.casualty_dice[b->leader_slot[row_of("banks")]] = 128;
    assert_impossible(&s);
}

/* The position from which a fault was found, as something to reproduce it from. */
static void print_start(const lr_game *g, const struct brigade_state *from, int ply) {
    static char text[MOST_FILE];
    lr_state_format(g, (const lr_state *)from, text, sizeof text);
    fprintf(stderr, "after %d plies from bytes with flipped bits:\n%s", ply, text); /* cmocka cuts long texts */
}

/* Plays on at random; every state on the way must be possible. */
static void play_on(struct player *p, lr_state *s, int plies) {
    struct brigade_state from;
    memcpy(&from, s, sizeof from);
    for (int i = 0; i < plies; i++) {
        uint16_t legal[LR_MAX_ACTIONS];
        const int mover = lr_to_move(p->game, s), count = lr_legal(p->game, s, legal);
        assert_in_range(mover, LR_UNION, LR_NOBODY);
        if (mover == LR_NOBODY) {
            assert_int_equal(count, 0);
            return;
        }
        if (count < 2) print_start(p->game, &from, i);
        assert_true(count >= 2);
        lr_apply_legal(p->game, s, legal[draw(p, (uint32_t)count)]);
        if (lr_state_check(p->game, s, NULL)) print_start(p->game, &from, i + 1);
        assert_possible(p->game, s, i + 1);
    }
}

/* Returns whether the flipped bytes were a state. */
static bool try_flipped(struct player *p, const lr_state *s) {
    _Alignas(8) struct brigade_state flipped;
    memcpy(&flipped, s, sizeof flipped);
    for (uint32_t left = 1 + draw(p, 3); left; left--)
        ((uint8_t *)&flipped)[draw(p, sizeof flipped)] ^= (uint8_t)(1u << draw(p, 8));
    lr_error error;
    if (lr_state_check(p->game, (lr_state *)&flipped, &error)) {
        assert_int_equal(error.code, LR_E_STATE);
        assert_true(strlen(error.text) > 8);
        return false;
    }
    assert_file_and_back(p->game, (lr_state *)&flipped, 0);
    play_on(p, (lr_state *)&flipped, 50);
    return true;
}

static void test_flipped_bits_are_refused_or_play(void **unused) {
    (void)unused;
    int refused = 0, played = 0;
    for (int i = 0; i < games; i++) {
        struct player p = player_of(i + 5000);
        _Alignas(8) struct brigade_state s;
        lr_start(p.game, (lr_state *)&s);
        while (lr_to_move(p.game, (lr_state *)&s) != LR_NOBODY) {
            for (int k = 0; k < 8; k++) {
                const bool possible = try_flipped(&p, (lr_state *)&s);
                played += possible;
                refused += !possible;
            }
            lr_apply_legal(p.game, (lr_state *)&s, choice(&p, (lr_state *)&s));
        }
    }
    print_message("%d flipped states refused, %d possible and played on\n", refused, played);
    assert_true(refused > played);
    assert_true(played > 0);
}

int main(int argc, char **argv) {
    if (argc > 1) games = atoi(argv[1]);
    const struct CMUnitTest tests[] = {
        TEST(test_there_and_back_at_every_step),
        TEST(test_two_orders_one_position),
        TEST(test_two_orders_of_fire),
        TEST(test_what_looks_alike_is_the_same_bytes),
        TEST(test_check_refuses_a_dead_leader_in_set_up),
        TEST(test_check_refuses_limbered_guns_as_firers),
        TEST(test_check_refuses_stars_not_yet_earned),
        TEST(test_check_refuses_an_attack_on_a_friends_hex),
        TEST(test_check_refuses_more_casualty_dice_than_attacks),
        TEST(test_flipped_bits_are_refused_or_play),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
