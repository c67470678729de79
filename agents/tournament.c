/* tournament.c: see tournament.h. One mutex guards what the workers share; it is taken twice a game. */
#include "agents/tournament.h"
#include "env/game.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LOOK_MS = 100 };

/* What is known of a pair: for its even and its odd game 1 + the half points of the pairing's first bot, 0 if not
 * played. */
struct pair {
    uint8_t points[2];
};

struct worker {
    struct run *run;
    pthread_t thread;
    struct player **players; /* [bot_count]; NULL: not open */
    uint16_t *actions;
    int64_t id;      /* of the running game; -1: none */
    atomic_int halt; /* breaks it off */
};

struct run {
    const struct tournament *terms;
    const struct plan *plan;
    struct worker *workers;
    pthread_mutex_t mutex;
    pthread_cond_t over; /* a worker has ended */
    struct pair *pairs;
    int64_t next, limit; /* the lowest id that may be free; no game from here on is wanted */
    int64_t looked;      /* SPRT: pairs that it has seen */
    struct tally seen;
    struct tournament_news news;
    struct bot_news *bots;
    bool draining, failed;
    lr_error fault; /* the first */
    int at_work;
};

/* ---- Counting, under the mutex ---- */

static int half_points(const struct game_result *result, int side) {
    return result->winner == LR_NOBODY ? 1 : result->winner == side ? 2 : 0;
}

/* Ends the test at the first pair, in the order of the schedule, that decides it. */
static void look_at_pairs(struct run *run) {
    const struct sprt *sprt = &run->plan->sprt;
    while (run->news.sprt.end == SPRT_RUNNING && run->looked < sprt->cap) {
        const struct pair *pair = &run->pairs[run->looked];
        if (!pair->points[0] || !pair->points[1]) return;
        tally_pair(&run->seen, pair->points[0] - 1, pair->points[1] - 1);
        run->looked++;
        run->news.sprt = sprt_look(sprt, &run->seen);
    }
    if (run->news.sprt.end != SPRT_RUNNING) run->limit = run->news.games = 2 * run->looked;
}

static void count_game(struct run *run, const struct ledger_game *game) {
    const int first = game->id % 2 ? LR_CONFEDERATE : LR_UNION;
    struct pair *pair = &run->pairs[game->id / 2];
    pair->points[game->id % 2] = (uint8_t)(1 + half_points(&game->result, first));
    run->news.done++;
    for (int side = 0; side < 2; side++) {
        struct bot_news *bot = &run->bots[game->bots[side]];
        bot->games[side][half_points(&game->result, side)]++;
        if (game->result.at_fault == side) bot->faults++;
    }
    if (!pair->points[0] || !pair->points[1]) return;
    const int a = pair->points[0] - 1,
              b = pair->points[1] - 1; /* the second bot has what is left of two, sides swapped */
    tally_pair(&run->bots[game->bots[first]].tally, a, b);
    tally_pair(&run->bots[game->bots[!first]].tally, 2 - b, 2 - a);
    if (run->plan->format == PLAN_SPRT) look_at_pairs(run);
}

static void note_fault(struct run *run, const lr_error *fault) {
    if (!run->failed) run->fault = *fault;
    run->failed = true;
}

/* ---- Workers ---- */

static bool is_played(const struct run *run, int64_t id) { return run->pairs[id / 2].points[id % 2] != 0; }

/* The next game to play, -1 when there is none for this worker. */
static int64_t take_game(struct worker *worker) {
    struct run *run = worker->run;
    pthread_mutex_lock(&run->mutex);
    while (run->next < run->limit && is_played(run, run->next)) run->next++;
    const bool go = run->next < run->limit && !run->draining && !run->failed;
    worker->id = go ? run->next++ : -1;
    if (go) run->news.running++;
    pthread_mutex_unlock(&run->mutex);
    return worker->id;
}

/* Also breaks off what other workers play beyond the end of an SPRT that this game decided. */
static void give_game(struct worker *worker, const struct ledger_game *game, bool played, const lr_error *fault) {
    struct run *run = worker->run;
    pthread_mutex_lock(&run->mutex);
    run->news.running--;
    worker->id = -1;
    if (fault) note_fault(run, fault);
    if (played) {
        run->news.played++;
        count_game(run, game);
    }
    for (int i = 0; i < run->terms->workers; i++)
        if (run->workers[i].id >= run->limit) atomic_store(&run->workers[i].halt, 1);
    pthread_mutex_unlock(&run->mutex);
}

static int seat(struct worker *worker, int bot, struct player **player, lr_error *error) {
    struct player **seated = &worker->players[bot];
    const int code = *seated ? LR_OK : player_open(worker->run->plan->bots[bot].spec, seated, error);
    *player = *seated;
    return code;
}

static int play(struct worker *worker, const struct fixture *fixture, struct game_result *result, lr_error *error) {
    const struct run *run = worker->run;
    struct game_terms terms = {.game = run->terms->games[fixture->scenario],
                               .clock = run->plan->clock,
                               .seed = fixture->seed,
                               .actions = worker->actions,
                               .stop = &worker->halt,
                               .log = run->terms->log};
    int code = LR_OK;
    for (int side = 0; side < 2 && !code; side++) code = seat(worker, fixture->bots[side], &terms.players[side], error);
    return code ? code : table_play(&terms, result, error);
}

/* What is left of a player at fault is not to be trusted with another game. */
static void dismiss(struct worker *worker, int bot) {
    player_close(worker->players[bot]);
    worker->players[bot] = NULL;
}

static void play_one(struct worker *worker, int64_t id) {
    const struct fixture fixture = schedule_game(worker->run->plan, id);
    struct ledger_game game = {.id = id, .scenario = fixture.scenario, .seed = fixture.seed};
    memcpy(game.bots, fixture.bots, sizeof game.bots);
    lr_error fault;
    int code = play(worker, &fixture, &game.result, &fault);
    const bool played = !code && game.result.end != GAME_STOPPED;
    if (played && !ledger_put(worker->run->terms->ledger, &game, worker->actions))
        code = lr_fail(&fault, LR_E_IO, "the ledger cannot be written"); /* ledger_flush will say why */
    give_game(worker, &game, played && !code, code ? &fault : NULL);
    if (played && game.result.at_fault != LR_NOBODY) dismiss(worker, fixture.bots[game.result.at_fault]);
}

static void *work(void *context) {
    struct worker *worker = context;
    struct run *run = worker->run;
    int64_t id;
    while ((id = take_game(worker)) >= 0) play_one(worker, id);
    for (unsigned bot = 0; bot < run->plan->bot_count; bot++) player_close(worker->players[bot]);
    pthread_mutex_lock(&run->mutex);
    run->at_work--;
    pthread_cond_signal(&run->over);
    pthread_mutex_unlock(&run->mutex);
    return NULL;
}

/* ---- The run ---- */

int tournament_check(const struct plan *plan, lr_error *error) {
    for (unsigned i = 0; i < plan->bot_count; i++) {
        struct player *player;
        lr_error fault;
        const int code = player_open(plan->bots[i].spec, &player, &fault);
        if (code) return lr_fail(error, code, "bots[%u]: %s", i, fault.text);
        player_close(player);
    }
    return LR_OK;
}

static int count_ledger(struct run *run, lr_error *error) {
    struct ledger_game game;
    int code;
    while ((code = ledger_next(run->terms->ledger, &game, error)) == 1)
        if (!is_played(run, game.id)) count_game(run, &game);
    return code;
}

static int make_room(struct run *run, lr_error *error) {
    const struct tournament *terms = run->terms;
    uint32_t longest = 1;
    for (unsigned i = 0; i < run->plan->scenario_count; i++) {
        const uint32_t most = (uint32_t)lr_game_info(terms->games[i])->max_decisions;
        longest = most > longest ? most : longest;
    }
    run->pairs = calloc((size_t)run->limit / 2, sizeof *run->pairs);
    run->bots = calloc(run->plan->bot_count, sizeof *run->bots);
    run->workers = calloc((size_t)terms->workers, sizeof *run->workers);
    bool room = run->pairs && run->bots && run->workers;
    for (int i = 0; room && i < terms->workers; i++) {
        struct worker *worker = &run->workers[i];
        worker->run = run;
        worker->id = -1;
        worker->players = calloc(run->plan->bot_count, sizeof(struct player *));
        worker->actions = calloc(longest, sizeof *worker->actions);
        room = worker->players && worker->actions;
    }
    return room ? LR_OK : lr_fail(error, LR_E_MEMORY, "no memory for %lld games", (long long)run->limit);
}

static void tidy(struct run *run) {
    for (int i = 0; run->workers && i < run->terms->workers; i++) {
        free(run->workers[i].players);
        free(run->workers[i].actions);
    }
    free(run->workers);
    free(run->bots);
    free(run->pairs);
}

static void heed(struct run *run) {
    const int stop = run->terms->stop ? atomic_load(run->terms->stop) : TOURNAMENT_GO;
    if (stop >= TOURNAMENT_DRAIN) run->draining = true;
    if (stop < TOURNAMENT_ABANDON && !run->failed) return;
    for (int i = 0; i < run->terms->workers; i++) atomic_store(&run->workers[i].halt, 1);
}

/* The callback gets copies: the workers go on meanwhile. */
static void tell(struct run *run, struct bot_news *copy) {
    struct tournament_news news = run->news;
    memcpy(copy, run->bots, run->plan->bot_count * sizeof *copy);
    pthread_mutex_unlock(&run->mutex);
    news.bots = copy;
    run->terms->progress(run->terms->context, &news);
    pthread_mutex_lock(&run->mutex);
}

static void wait_a_little(struct run *run) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += LOOK_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&run->over, &run->mutex, &until);
}

static void watch(struct run *run) {
    struct bot_news copy[PLAN_BOTS];
    pthread_mutex_lock(&run->mutex);
    while (run->at_work) {
        wait_a_little(run);
        heed(run);
        if (run->terms->progress) tell(run, copy);
    }
    pthread_mutex_unlock(&run->mutex);
}

static void set_to_work(struct run *run) {
    pthread_mutex_lock(&run->mutex);
    int started = 0;
    for (; started < run->terms->workers; started++, run->at_work++)
        if (pthread_create(&run->workers[started].thread, NULL, work, &run->workers[started])) break;
    if (started < run->terms->workers) {
        lr_error fault;
        lr_fail(&fault, LR_E_MEMORY, "no thread for worker %d", started + 1);
        note_fault(run, &fault);
    }
    pthread_mutex_unlock(&run->mutex);
    watch(run);
    for (int i = 0; i < started; i++) pthread_join(run->workers[i].thread, NULL);
}

/* What the ledger says of a failed write comes before the workers' own faults, for those follow from it. */
static int settle(struct run *run, lr_error *error) {
    struct ledger *ledger = run->terms->ledger;
    const bool decided = run->news.sprt.end == SPRT_H0 || run->news.sprt.end == SPRT_H1;
    const int code = decided ? ledger_drop(ledger, run->limit, error) : ledger_flush(ledger, error);
    if (code || !run->failed) return code;
    if (error) *error = run->fault;
    return run->fault.code;
}

static int play_all(struct run *run, bool *complete, lr_error *error) {
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&run->over, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pthread_mutex_init(&run->mutex, NULL);
    set_to_work(run);
    pthread_mutex_destroy(&run->mutex);
    pthread_cond_destroy(&run->over);
    int64_t open = 0;
    while (open < run->limit && is_played(run, open)) open++;
    *complete = open == run->limit;
    return settle(run, error);
}

int tournament_run(const struct tournament *tournament, bool *complete, lr_error *error) {
    struct run run = {.terms = tournament, .plan = ledger_plan(tournament->ledger)};
    run.limit = run.news.games = schedule_games(run.plan);
    if (run.plan->format == PLAN_SPRT) run.news.sprt = sprt_look(&run.plan->sprt, &run.seen);
    *complete = false;
    int code = make_room(&run, error);
    if (!code) code = count_ledger(&run, error);
    if (!code) code = play_all(&run, complete, error);
    tidy(&run);
    return code;
}
