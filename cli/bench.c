/* bench.c: `longroll bench`: how fast games are played. What is measured and how to read it: benchmarks/README.md.
 *
 * A bench is a handful of short runs, of which medians are reported. With more than one thread every run measures one
 * thread and all of them, and does the same with a loop of plain arithmetic, all within a second or so: what the
 * machine itself gains from threads (shared cores, clock) is thereby taken out of the efficiency. */
#include "agents/search.h"
#include "cli/cli.h"
#include "cli/regret.h"
#include <limits.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { RUNS = 5 };
enum bench_kind { PLAYOUT, BATCH, ROLLOUT, SERVE, TOURNAMENT, SEARCH };
static const char *const kinds[] = {"playout", "batch", "rollout", "serve", "tournament", "search"};

struct bench_options {
    const char *scenario; /* NULL: the bench's usual one */
    enum bench_kind kind;
    bool chosen, json;
    double seconds;
    int threads, batch;
    uint64_t seed;
    struct regret_request regret;
};

enum {
    OPTION_SCENARIO = 256,
    OPTION_JSON,
    OPTION_SEED,
    OPTION_AGENTS,
    OPTION_BUDGETS,
    OPTION_STATES,
    OPTION_SVG,
    OPTION_REPEATS
};

static error_t take_kind(struct bench_options *options, const char *argument) {
    if (options->chosen && options->kind == SEARCH && !options->scenario) {
        options->scenario = argument;
        return 0;
    }
    if (options->chosen) return options_fault("bench %s: what is '%s'?", kinds[options->kind], argument);
    for (int kind = PLAYOUT; kind <= SEARCH; kind++) {
        if (strcmp(argument, kinds[kind])) continue;
        options->kind = (enum bench_kind)kind;
        options->chosen = true;
        return 0;
    }
    return options_fault("there is no bench '%s'; there are: playout, batch, rollout, serve, tournament, search",
                         argument);
}

/* A list of whole numbers; they are read again where the agents are made. */
static error_t take_budgets(struct bench_options *options, char *argument) {
    const char *from = argument;
    for (;;) {
        const size_t length = strspn(from, "0123456789");
        if (!length || length > 9 || *from == '0' || (from[length] && from[length] != ','))
            return options_fault("--budgets takes numbers of simulations as in 10,100,1000, not '%s'", argument);
        if (!from[length]) break;
        from += length + 1;
    }
    options->regret.budgets = argument;
    return 0;
}

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct bench_options *options = state->input;
    switch (key) {
    case 's': return options_seconds("--seconds", argument, &options->seconds);
    case 't': return options_int("--threads", argument, 1, 1024, &options->threads);
    case 'b': return options_int("--batch", argument, 1, 1 << 20, &options->batch);
    case OPTION_SEED: return options_number("--seed", argument, 0, UINT64_MAX, &options->seed);
    case OPTION_SCENARIO: options->scenario = argument; return 0;
    case OPTION_JSON: options->json = true; return 0;
    case OPTION_AGENTS: options->regret.agents = argument; return 0;
    case OPTION_BUDGETS: return take_budgets(options, argument);
    case OPTION_STATES: options->regret.states = argument; return 0;
    case OPTION_SVG: options->regret.svg = argument; return 0;
    case OPTION_REPEATS: return options_int("--repeats", argument, 1, 1000, &options->regret.repeats);
    case ARGP_KEY_ARG: return take_kind(options, argument);
    case ARGP_KEY_NO_ARGS:
        return options_fault("bench needs to know what: playout, batch, rollout, serve, tournament or search");
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option option_table[] = {
    {"seconds", 's', "S", 0, "How long to measure, all runs together (default 5)", 0},
    {"threads", 't', "T", 0, "How many threads (default 1)", 0},
    {"batch", 'b', "N", 0, "Environments in the batch (default 1024)", 0},
    {"seed", OPTION_SEED, "N", 0, "Seed of dice and play (default 1)", 0},
    {"scenario", OPTION_SCENARIO, "NAME", 0,
     "What is played (default cedar-mountain/historical; search: cedar-mountain/battery)", 0},
    {"agents", OPTION_AGENTS, "SPEC,...", 0, "search: who is asked; an mcts without a limit once for each budget", 1},
    {"budgets", OPTION_BUDGETS, "N,...", 0, "search: simulations (default 10,30,100,300,1000,3000)", 1},
    {"repeats", OPTION_REPEATS, "N", 0, "search: how often chance is tried anew in each position (default 2)", 1},
    {"states", OPTION_STATES, "FILE", 0,
     "search: solved positions, from longroll solve --out (default: those beside the scenario)", 1},
    {"svg", OPTION_SVG, "FILE", 0, "search: also draw regret against effort", 1},
    {"json", OPTION_JSON, 0, 0,
     "Print JSON: games_per_s, decisions_per_s, decisions_per_game, state_bytes, "
     "environment_bytes and more",
     0},
    {0},
};

static const struct argp argp = {
    .options = option_table,
    .parser = parse,
    .args_doc = "playout|batch|rollout|serve|tournament\nsearch [SCENARIO]",
    .doc =
        "Measures random legal play. playout: bare games, with the full legal list at each decision. batch: steps "
        "of a batch with observation, mask, rewards and autoreset written into the caller's arrays; the time to draw "
        "the random actions from the masks is not counted. rollout: random rollouts inside mcts from the first state, "
        "tree work included, beside bare games. serve: the same steps asked for over ZeroMQ, in batches of "
        "1, 16, 256 and 1024, beside steps in the process and an echo of the same bytes through the same threads. "
        "tournament: what tournament, ledger and replays add to games of random against itself. "
        "search: how far agents stay behind optimal play on solved positions, and how fast they search."
        "\vExample:\n  longroll bench playout --seconds 5 --threads 2\n\nExit codes: 0 done; 1 it could not be done; "
        "2 bad option, unknown scenario.",
};

/* ---- What is counted ---- */

struct tally {
    uint64_t decisions, legal;                 /* legal actions, summed over the decisions */
    uint64_t games, game_decisions, game_dice; /* finished games, and what was asked and thrown in those */
    double seconds;
};

static void add(struct tally *sum, const struct tally *more) {
    sum->decisions += more->decisions;
    sum->legal += more->legal;
    sum->games += more->games;
    sum->game_decisions += more->game_decisions;
    sum->game_dice += more->game_dice;
}

/* A cheap stream of the bench's own (splitmix64), so that drawing the actions weighs little. Its bias for bounds up
 * to 1024 is below 2^-22. */
static uint32_t draw(uint64_t *stream, uint32_t bound) {
    *stream += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = (*stream ^ *stream >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((z >> 32) * bound >> 32);
}

/* What is measured: one call plays for about `seconds` on `threads` threads. */
struct work {
    const lr_game *game;
    uint64_t seed, rounds; /* each call plays other games: rounds counts them */
    char *states;          /* playout: one a thread, `stride` bytes apart */
    size_t stride;
    struct stepping *stepping; /* batch: [0] serial, [1] on all threads */
};

typedef struct tally (*measurement)(struct work *work, int threads, double seconds);

/* ---- Playouts ---- */

static void play_one(const lr_game *game, lr_state *state, uint64_t seed, uint64_t *stream, struct tally *tally) {
    uint16_t legal[LR_MAX_ACTIONS];
    int mover;
    lr_start(game, state);
    while ((mover = lr_to_move(game, state)) != LR_NOBODY) {
        if (mover == LR_CHANCE) {
            lr_apply_legal(game, state, lr_sample(game, state, seed, 0));
            tally->game_dice++;
            continue;
        }
        int count = lr_legal(game, state, legal);
        lr_apply_legal(game, state, legal[draw(stream, (uint32_t)count)]);
        tally->legal += (uint64_t)count;
        tally->decisions++;
    }
    tally->games++;
}

static struct tally play_until(const lr_game *game, lr_state *state, double deadline, uint64_t root) {
    struct tally tally = {0};
    uint64_t stream = root;
    do {
        uint64_t seed = lr_environment_seed(root, tally.games);
        play_one(game, state, seed, &stream, &tally);
    } while (seconds_now() < deadline);
    tally.game_decisions = tally.decisions;
    return tally;
}

static struct tally measure_playout(struct work *work, int threads, double seconds) {
    struct tally sum = {0};
    uint64_t round = work->rounds++;
    double started = seconds_now();
#pragma omp parallel num_threads(threads)
    {
        int me = omp_get_thread_num();
        uint64_t root = lr_environment_seed(work->seed, round * 4096 + (uint64_t)me);
        lr_state *state = (lr_state *)(void *)(work->states + (size_t)me * work->stride);
        struct tally mine = play_until(work->game, state, started + seconds, root);
#pragma omp critical(bench_sum)
        add(&sum, &mine);
    }
    sum.seconds = seconds_now() - started;
    return sum;
}

/* ---- Batches ---- */

struct stepping {
    lr_batch *batch;
    lr_arrays arrays;
    int32_t *actions;
    int32_t *asked; /* decisions of each environment's running game */
    uint64_t stream;
};

static void close_stepping(struct stepping *s) {
    lr_batch_close(s->batch);
    free(s->arrays.pieces), free(s->arrays.globals), free(s->arrays.mask), free(s->arrays.rewards);
    free(s->arrays.terminated), free(s->arrays.truncated), free(s->arrays.to_move), free(s->arrays.score);
    free(s->arrays.final_pieces), free(s->arrays.final_globals);
    free(s->arrays.episode_return), free(s->arrays.episode_length);
    free(s->actions), free(s->asked);
}

static bool allocate_arrays(struct stepping *s, const lr_info *info, size_t size) {
    size_t pieces = (size_t)info->piece_rows * (size_t)info->piece_columns, globals = (size_t)info->global_columns;
    lr_arrays *a = &s->arrays;
    a->pieces = calloc(size, pieces), a->final_pieces = calloc(size, pieces);
    a->globals = calloc(size, globals * sizeof(int16_t)), a->final_globals = calloc(size, globals * sizeof(int16_t));
    a->mask = calloc(size, (size_t)info->mask_bytes);
    a->rewards = calloc(size, 2 * sizeof(float)), a->episode_return = calloc(size, 2 * sizeof(float));
    a->terminated = calloc(size, 1), a->truncated = calloc(size, 1), a->to_move = calloc(size, 1);
    a->score = calloc(size, sizeof(int16_t)), a->episode_length = calloc(size, sizeof(int32_t));
    s->actions = calloc(size, sizeof(int32_t)), s->asked = calloc(size, sizeof(int32_t));
    return a->pieces && a->final_pieces && a->globals && a->final_globals && a->mask && a->rewards &&
           a->episode_return && a->terminated && a->truncated && a->to_move && a->score && a->episode_length &&
           s->actions && s->asked;
}

static int open_stepping(struct stepping *s, const lr_game *game, const struct bench_options *options, int threads) {
    lr_batch_options batch = {.size = options->batch, .seed = options->seed, .threads = threads};
    batch.autoreset = LR_SAME_STEP; /* so that every step of every environment is a decision */
    lr_error error;
    if (lr_batch_open(game, &batch, &s->batch, &error)) return fail_library(&error);
    s->stream = options->seed;
    if (!allocate_arrays(s, lr_game_info(game), (size_t)options->batch)) {
        fail(EXIT_FAULT, "no memory for a batch of %d", options->batch);
        return EXIT_FAULT;
    }
    lr_batch_reset(s->batch, NULL, NULL, &s->arrays);
    return EXIT_DONE;
}

/* A legal action at random: the k-th set bit of the mask. */
int draw_action(const uint8_t *mask, int bytes, uint64_t *stream, uint64_t *legal) {
    uint32_t count = 0;
    for (int i = 0; i < bytes; i++) count += (uint32_t)__builtin_popcount(mask[i]);
    *legal += count;
    uint32_t left = draw(stream, count);
    for (int i = 0; i < bytes; i++) {
        uint32_t here = (uint32_t)__builtin_popcount(mask[i]);
        if (left >= here) {
            left -= here;
            continue;
        }
        unsigned bits = mask[i];
        while (left--) bits &= bits - 1;
        return i * 8 + __builtin_ctz(bits);
    }
    return LR_SKIP; /* an empty mask: not with SAME_STEP */
}

static void draw_actions(struct stepping *s, struct tally *tally) {
    int bytes = lr_game_info(lr_batch_game(s->batch))->mask_bytes, size = lr_batch_size(s->batch);
    for (int i = 0; i < size; i++)
        s->actions[i] = draw_action(s->arrays.mask + (size_t)i * (size_t)bytes, bytes, &s->stream, &tally->legal);
}

/* Games of a new batch end in waves, so their length is taken from those that ended, not from the time. */
static void count_step(const struct stepping *s, struct tally *tally) {
    int size = lr_batch_size(s->batch);
    tally->decisions += (uint64_t)size;
    for (int i = 0; i < size; i++) {
        s->asked[i]++;
        if (!s->arrays.terminated[i]) continue;
        tally->games++;
        tally->game_decisions += (uint64_t)s->asked[i];
        tally->game_dice += (uint64_t)(s->arrays.episode_length[i] - s->asked[i]);
        s->asked[i] = 0;
    }
}

static struct tally measure_batch(struct work *work, int threads, double seconds) {
    struct stepping *s = &work->stepping[threads > 1];
    struct tally tally = {0};
    double deadline = seconds_now() + seconds, now = 0;
    while (now < deadline) {
        draw_actions(s, &tally);
        double before = seconds_now();
        int code = lr_batch_step(s->batch, s->actions, &s->arrays, NULL);
        now = seconds_now();
        tally.seconds += now - before;
        if (code) break; /* a legal action refused would be a fault of the library; the tally then stays small */
        count_step(s, &tally);
    }
    return tally;
}

/* ---- Rollouts ---- */

/* Random rollouts to the end of the game, from the first state, in a tree that nothing but their results guides. What is
 * counted as decisions here are all actions and dice that were applied, in the tree and after it. */
static struct tally measure_rollout(struct work *work, int threads, double seconds) {
    struct search_options options = search_defaults(SEARCH_MCTS);
    options.simulations = options.nodes = 0;
    options.microseconds = (uint64_t)(1e6 * seconds);
    options.prior = PRIOR_NONE;
    options.rollout = ROLLOUT_RANDOM;
    options.rollout_length = -1;
    options.threads = threads;
    struct search *search;
    struct search_result result = {0};
    if (search_open(work->game, &options, &search, NULL)) return (struct tally){0}; /* no memory: all rates are 0 */
    lr_state *first = (lr_state *)(void *)work->states;
    lr_start(work->game, first);
    search_begin(search, first, lr_environment_seed(work->seed, work->rounds++), NULL);
    search_run(search, 0);
    search_result(search, &result);
    search_close(search);
    return (struct tally){.decisions = result.nodes, .games = result.simulations, .seconds = result.seconds};
}

/* ---- The plain loop beside it ---- */

/* Arithmetic on registers only: what it gains from threads is what the machine has to give. */
static uint64_t spin(uint64_t x) {
    for (int i = 0; i < 20000; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    return x;
}

/* Rounds a second of all threads together. */
static double measure_loop(int threads, double seconds) {
    uint64_t rounds = 0, sink = 0;
    double started = seconds_now();
#pragma omp parallel num_threads(threads) reduction(+ : rounds) reduction(^ : sink)
    {
        uint64_t x = (uint64_t)omp_get_thread_num() + 1;
        do {
            x = spin(x);
            rounds++;
        } while (seconds_now() < started + seconds);
        sink ^= x;
    }
    double spent = seconds_now() - started;
    return sink ? (double)rounds / spent : 0; /* never 0 for xorshift; keeps the loop from being optimised away */
}

/* ---- Runs and medians ---- */

struct series {
    double value[RUNS];
};

struct measured {
    struct series decisions, single, thread_gain, loop_gain, efficiency; /* per run */
    struct series playout, rollout, share;                               /* bare games, in mcts, the one by the other */
    struct tally sum;                                                    /* of the runs on all threads */
};

static double rate(uint64_t amount, double seconds) { return seconds > 0 ? (double)amount / seconds : 0; }

static void measure_run(struct measured *m, int run, measurement measure, struct work *work, int threads,
                        double share) {
    struct tally single = {0}, all;
    double loop_single = 0, loop_all = 0;
    if (threads > 1) {
        single = measure(work, 1, share);
        loop_single = measure_loop(1, share);
        loop_all = measure_loop(threads, share);
    }
    all = measure(work, threads, share);
    add(&m->sum, &all);
    m->decisions.value[run] = rate(all.decisions, all.seconds);
    m->single.value[run] = threads > 1 ? rate(single.decisions, single.seconds) : m->decisions.value[run];
    bool gains = threads > 1 && m->single.value[run] > 0 && loop_single > 0 && loop_all > 0;
    m->thread_gain.value[run] = gains ? m->decisions.value[run] / m->single.value[run] : 1;
    m->loop_gain.value[run] = gains ? loop_all / loop_single : 1;
    m->efficiency.value[run] = m->thread_gain.value[run] / m->loop_gain.value[run];
}

static void measure_all(struct measured *m, measurement measure, struct work *work,
                        const struct bench_options *options) {
    double share = options->seconds / (RUNS * (options->threads > 1 ? 4 : 1));
    measure(work, options->threads, share / 2); /* to warm up */
    if (options->threads > 1) measure(work, 1, share / 2);
    for (int run = 0; run < RUNS; run++) measure_run(m, run, measure, work, options->threads, share);
}

static double middle(const struct series *series) {
    struct series copy = *series;
    return median(copy.value, RUNS);
}

/* Least (end 0) or greatest (end 1) of the runs. */
static double extreme(const struct series *series, bool greatest) {
    struct series copy = *series;
    median(copy.value, RUNS);
    return copy.value[greatest ? RUNS - 1 : 0];
}

/* ---- Reporting ---- */

static void read_processor(char *name, size_t size) {
    snprintf(name, size, "unknown");
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (!file) return;
    char line[256];
    while (fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) || !colon) continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(name, size, "%s", colon + 2);
        break;
    }
    fclose(file);
}

#ifdef __clang__
static const char compiler[] = __VERSION__;
#else
static const char compiler[] = "gcc " __VERSION__;
#endif

/* Over all runs; 0 while no game has ended (a large batch in a short time). */
static double per_game(const struct tally *sum, uint64_t amount) {
    return sum->games ? (double)amount / (double)sum->games : 0;
}

static double games_per_second(const struct measured *m) {
    double length = per_game(&m->sum, m->sum.game_decisions);
    return length > 0 ? middle(&m->decisions) / length : 0;
}

static double branching(const struct tally *sum) {
    return sum->decisions ? (double)sum->legal / (double)sum->decisions : 0;
}

/* What the program and the library hold for one environment. */
static int environment_bytes(const lr_game *game) {
    lr_batch_options options = {.size = 1};
    lr_batch *batch;
    if (lr_batch_open(game, &options, &batch, NULL)) return 0;
    int bytes = lr_batch_environment_bytes(batch);
    lr_batch_close(batch);
    return bytes;
}

static json_t *json_of_threads(const struct measured *m) {
    return json_pack("{s:f, s:f, s:f, s:f, s:[f, f]}", "one_thread_decisions_per_s", middle(&m->single), "thread_gain",
                     middle(&m->thread_gain), "loop_gain", middle(&m->loop_gain), "efficiency", middle(&m->efficiency),
                     "efficiency_range", extreme(&m->efficiency, false), extreme(&m->efficiency, true));
}

static int print_json(const struct bench_options *options, const lr_game *game, const struct measured *m,
                      const char *processor) {
    const struct tally *sum = &m->sum;
    json_t *report = json_pack(
        "{s:s, s:s, s:f, s:f, s:[f, f], s:f, s:f, s:f, s:i, s:i, s:i, s:i, s:f, s:s, s:s}", "bench",
        options->kind == BATCH ? "batch" : "playout", "scenario", lr_game_info(game)->scenario, "games_per_s",
        games_per_second(m), "decisions_per_s", middle(&m->decisions), "decisions_per_s_range",
        extreme(&m->decisions, false), extreme(&m->decisions, true), "decisions_per_game",
        per_game(sum, sum->game_decisions), "dice_per_game", per_game(sum, sum->game_dice), "branching", branching(sum),
        "state_bytes", lr_game_info(game)->state_bytes, "environment_bytes", environment_bytes(game), "threads",
        options->threads, "runs", RUNS, "seconds", options->seconds, "compiler", compiler, "processor", processor);
    if (report && options->kind == BATCH) json_object_set_new(report, "batch", json_integer(options->batch));
    json_t *threads = options->threads > 1 ? json_of_threads(m) : NULL;
    if (report && threads) json_object_update(report, threads);
    json_decref(threads);
    return json_print(report);
}

static int print_text(const struct bench_options *options, const lr_game *game, const struct measured *m,
                      const char *processor) {
    const struct tally *sum = &m->sum;
    printf("bench %s, %s, %d thread%s", options->kind == BATCH ? "batch" : "playout", lr_game_info(game)->scenario,
           options->threads, options->threads > 1 ? "s" : "");
    if (options->kind == BATCH) printf(", batch of %d", options->batch);
    printf("; medians of %d runs in %.4g s; %s; %s\n", RUNS, options->seconds, compiler, processor);
    printf("%-20s %.0f (runs from %.0f to %.0f)\n", "decisions/s", middle(&m->decisions), extreme(&m->decisions, false),
           extreme(&m->decisions, true));
    printf("%-20s %.0f\n", "games/s", games_per_second(m));
    printf("%-20s %.1f decisions, %.1f dice\n", "a game", per_game(sum, sum->game_decisions),
           per_game(sum, sum->game_dice));
    printf("%-20s %.1f legal actions a decision\n", "branching", branching(sum));
    printf("%-20s %d bytes; an environment in a batch %d\n", "a state", lr_game_info(game)->state_bytes,
           environment_bytes(game));
    if (options->threads < 2) return EXIT_DONE;
    printf("%-20s %.0f decisions/s\n", "one thread", middle(&m->single));
    printf("%-20s x %.3f; a plain loop gains x %.3f\n", "gain of threads", middle(&m->thread_gain),
           middle(&m->loop_gain));
    printf("%-20s %.3f (runs from %.3f to %.3f)\n", "efficiency", middle(&m->efficiency),
           extreme(&m->efficiency, false), extreme(&m->efficiency, true));
    return EXIT_DONE;
}

static int report(const struct bench_options *options, const lr_game *game, const struct measured *m) {
    char processor[128];
    read_processor(processor, sizeof processor);
    return options->json ? print_json(options, game, m, processor) : print_text(options, game, m, processor);
}

/* ---- The command ---- */

static int bench_playout(const struct bench_options *options, const lr_game *game) {
    struct work work = {.game = game, .seed = options->seed};
    work.stride = ((size_t)lr_game_info(game)->state_bytes + 127) / 128 * 128; /* threads share no cache line */
    work.states = aligned_alloc(128, work.stride * (size_t)options->threads);
    if (!work.states) return fail(EXIT_FAULT, "no memory for %d states", options->threads);
    struct measured measured = {0};
    measure_all(&measured, measure_playout, &work, options);
    free(work.states);
    return report(options, game, &measured);
}

static int bench_batch(const struct bench_options *options, const lr_game *game) {
    struct stepping stepping[2] = {0};
    struct work work = {.game = game, .stepping = stepping};
    int code = open_stepping(&stepping[0], game, options, 1);
    if (!code && options->threads > 1) code = open_stepping(&stepping[1], game, options, options->threads);
    if (!code) {
        struct measured measured = {0};
        measure_all(&measured, measure_batch, &work, options);
        code = report(options, game, &measured);
    }
    close_stepping(&stepping[0]);
    close_stepping(&stepping[1]);
    return code;
}

/* ---- Rollouts beside bare games ---- */

/* Actions and dice a second of processor time, on this thread alone: other programs weigh less so. */
static double plies(measurement measure, struct work *work, double seconds) {
    struct timespec before, after;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
    const struct tally tally = measure(work, 1, seconds);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
    const double spent = (double)(after.tv_sec - before.tv_sec) + 1e-9 * (double)(after.tv_nsec - before.tv_nsec);
    return rate(tally.decisions + tally.game_dice, spent);
}

static void measure_rollouts(struct measured *m, struct work *work, const struct bench_options *options) {
    const double share = options->seconds / (RUNS * (options->threads > 1 ? 6 : 2));
    measure_playout(work, 1, share / 2); /* to warm up */
    measure_rollout(work, 1, share / 2);
    for (int run = 0; run < RUNS; run++) {
        m->playout.value[run] = plies(measure_playout, work, share);
        m->rollout.value[run] = plies(measure_rollout, work, share);
        m->share.value[run] = m->rollout.value[run] / m->playout.value[run];
        if (options->threads > 1) measure_run(m, run, measure_rollout, work, options->threads, share);
    }
}

static json_t *json_of_series(const struct series *series) {
    return json_pack("[f, f, f]", middle(series), extreme(series, false), extreme(series, true));
}

static int rollout_json(const struct bench_options *options, const lr_game *game, const struct measured *m,
                        const char *processor) {
    json_t *report =
        json_pack("{s:s, s:s, s:o, s:o, s:o, s:i, s:i, s:f, s:s, s:s}", "bench", "rollout", "scenario",
                  lr_game_info(game)->scenario, "mcts_plies_per_s", json_of_series(&m->rollout), "playout_plies_per_s",
                  json_of_series(&m->playout), "share", json_of_series(&m->share), "threads", options->threads, "runs",
                  RUNS, "seconds", options->seconds, "compiler", compiler, "processor", processor);
    if (report && options->threads > 1) {
        json_object_set_new(report, "thread_gain", json_of_series(&m->thread_gain));
        json_object_set_new(report, "loop_gain", json_of_series(&m->loop_gain));
        json_object_set_new(report, "efficiency", json_of_series(&m->efficiency));
    }
    return json_print(report);
}

static void print_series(const char *name, const struct series *series, int digits) {
    printf("%-28s %.*f (runs from %.*f to %.*f)\n", name, digits, middle(series), digits, extreme(series, false),
           digits, extreme(series, true));
}

static int rollout_text(const struct bench_options *options, const lr_game *game, const struct measured *m,
                        const char *processor) {
    printf("bench rollout, %s; medians of %d runs in %.4g s; %s; %s\n", lr_game_info(game)->scenario, RUNS,
           options->seconds, compiler, processor);
    print_series("actions and dice/s in mcts", &m->rollout, 0);
    print_series("the same in bare games", &m->playout, 0);
    print_series("share", &m->share, 3);
    if (options->threads < 2) return EXIT_DONE;
    printf("with %d search threads:\n", options->threads);
    print_series("gain", &m->thread_gain, 3);
    print_series("gain of a plain loop", &m->loop_gain, 3);
    print_series("efficiency", &m->efficiency, 3);
    return EXIT_DONE;
}

static int bench_rollout(const struct bench_options *options, const lr_game *game) {
    struct work work = {.game = game, .seed = options->seed};
    struct measured measured = {0};
    char processor[128];
    work.states = aligned_alloc(128, ((size_t)lr_game_info(game)->state_bytes + 127) / 128 * 128);
    if (!work.states) return fail(EXIT_FAULT, "no memory for a state");
    measure_rollouts(&measured, &work, options);
    free(work.states);
    read_processor(processor, sizeof processor);
    return (options->json ? rollout_json : rollout_text)(options, game, &measured, processor);
}

/* ---- Regret ---- */

static int bench_regret(const struct bench_options *options) {
    struct regret_request request = options->regret;
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s.solved.json", lr_scenario_folder(), options->scenario);
    if (!request.states && access(path, R_OK))
        return fail(EXIT_USAGE,
                    "there are no solved positions of %s: make a file of them with longroll solve --out and name it "
                    "with --states",
                    options->scenario);
    if (!request.states) request.states = path;
    request.seed = options->seed;
    request.json = options->json;
    return bench_search(&request);
}

int bench_run(int argc, char **argv) {
    struct bench_options options = {
        .seconds = 5,
        .threads = 1,
        .batch = 1024,
        .seed = 1,
        .regret = {.agents = "random,greedy,expectimax:nodes=1000,expectimax:nodes=10000,expectimax:nodes=100000,mcts,"
                             "mcts:prior=none,mcts:prior=none,rollout=random",
                   .budgets = "10,30,100,300,1000,3000",
                   .repeats = 2}};
    if (!options_parse("longroll bench", &argp, argc, argv, &options)) return EXIT_USAGE;
    if (!options.scenario)
        options.scenario = options.kind == SEARCH ? "cedar-mountain/battery" : "cedar-mountain/historical";
    if (options.kind == SEARCH) return bench_regret(&options);
    lr_game *game;
    lr_error error;
    if (lr_game_open(options.scenario, &game, &error)) return fail_name(options.scenario, &error);
    int code = EXIT_FAULT;
    switch (options.kind) {
    case PLAYOUT: code = bench_playout(&options, game); break;
    case BATCH: code = bench_batch(&options, game); break;
    case ROLLOUT: code = bench_rollout(&options, game); break;
    case SERVE: code = bench_serve(game, options.threads, options.seconds, options.seed, options.json); break;
    case TOURNAMENT: code = bench_tournament(game, options.seconds, options.seed, options.json); break;
    case SEARCH: break; /* above: its game is named by its file */
    }
    lr_game_close(game);
    return code;
}
