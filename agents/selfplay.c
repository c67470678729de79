/* selfplay.c: many matches under one root seed on several threads.
 *
 * Games differ in length, so threads take them one by one (schedule(dynamic)). Each game depends on its index alone
 * and writes to its own slot, so the results and their hash are the same for any number of threads. */
#include "agents/agent.h"
#include "env/game.h"
#include <omp.h>
#include <string.h>

/* What the threads of one run share. */
struct run {
    const struct selfplay *plan;
    struct match_result *results;
    atomic_int done;
    atomic_int failed; /* no further game is started */
    int failed_game;   /* the fault that is reported: the lowest index that failed (critical section) */
    lr_error fault;
};

static void note_fault(struct run *run, int index, const lr_error *fault) {
#pragma omp critical(selfplay_fault)
    if (!atomic_load(&run->failed) || index < run->failed_game) {
        run->failed_game = index;
        run->fault = *fault;
        atomic_store(&run->failed, 1);
    }
}

static bool stopped(const struct run *run) {
    return atomic_load(&run->failed) || (run->plan->stop && atomic_load(run->plan->stop));
}

static int play_recorded(const struct selfplay *plan, struct match *match, int index, struct match_result *result,
                         lr_error *error) {
    uint64_t seed = lr_environment_seed(plan->seed, (uint64_t)index);
    if (!plan->keep) return match_play(match, seed, 0, NULL, result, error);

    lr_replay *replay;
    int code = lr_replay_new(plan->game, seed, 0, plan->agents[LR_UNION]->name, plan->agents[LR_CONFEDERATE]->name,
                             &replay, error);
    if (code) return code;
    struct match_result played;
    code = match_play(match, seed, 0, replay, &played, error);
    if (!code) code = plan->keep(plan->context, index, replay, error);
    lr_replay_free(replay);
    if (!code) *result = played;
    return code;
}

static void play_one(struct run *run, struct match *match, int index) {
    lr_error fault;
    if (play_recorded(run->plan, match, index, &run->results[index], &fault)) {
        note_fault(run, index, &fault);
        return;
    }
    int done = atomic_fetch_add(&run->done, 1) + 1;
    if (run->plan->progress && omp_get_thread_num() == 0) run->plan->progress(run->plan->context, done);
}

static void play_all(struct run *run, int threads) {
#pragma omp parallel num_threads(threads)
    {
        struct match *match = NULL;
        lr_error fault;
        if (match_open(run->plan->game, run->plan->agents, &match, &fault)) note_fault(run, -1, &fault);
#pragma omp for schedule(dynamic)
        for (int i = 0; i < run->plan->games; i++)
            if (!stopped(run)) play_one(run, match, i);
        match_close(match);
    }
}

static uint64_t hash_of(const struct match_result *results, int games) {
    uint64_t hash = 0;
    for (int i = 0; i < games; i++) hash = hash_fold(hash, results[i].hash);
    return hash;
}

int selfplay_run(const struct selfplay *selfplay, struct match_result *results, struct selfplay_result *outcome,
                 lr_error *error) {
    struct run run = {.plan = selfplay, .results = results};
    memset(results, 0, (size_t)selfplay->games * sizeof *results);
    play_all(&run, selfplay->threads > 0 ? selfplay->threads : omp_get_max_threads());
    if (atomic_load(&run.failed)) {
        if (error) *error = run.fault;
        return run.fault.code;
    }
    outcome->played = atomic_load(&run.done);
    outcome->hash = outcome->played == selfplay->games ? hash_of(results, selfplay->games) : 0;
    return LR_OK;
}
