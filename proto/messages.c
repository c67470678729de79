/* messages.c: what each type of message does. One table, one function a type.
 *
 * Each function first reads and checks everything that the request holds, then does it, then writes the reply: a
 * request that fails has changed nothing. Only ping, hello and the server's own stats are answered by the router. */
#include "env/game.h"
#include "proto/parts.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Reading what several types have in common ---- */

static const char *const dice_words[] = {[LR_DICE_FRESH] = "fresh", [LR_DICE_SAME] = "same"};
static const char *const mover_words[] = {"union", "confederate", "chance", "nobody"};
static const char *const autoreset_words[] = {"next_step", "same_step", "disabled"};
static const char *const chance_words[] = {"sampled", "chosen"};

/* The session's environment that a field names. */
static void get_env(struct job *job, const char *key, int *env) {
    wire_require(job->fields, key, job->fault);
    wire_get_int(job->fields, key, 0, session_size(*job->slot) - 1, env, job->fault);
}

static void get_dice(struct job *job, int *dice) {
    wire_get_word(job->fields, "dice", dice_words, 2, dice, job->fault);
}

const void *request_frame(struct job *job, int index, size_t length, const char *what) {
    if (job->fault->code) return NULL;
    zmq_msg_t *frame = &job->request->frame[index];
    if (index >= job->request->count)
        return wire_refuse(job->fault, WIRE_BAD_FRAME, "the frame with %s is missing", what), NULL;
    if (zmq_msg_size(frame) == length) return zmq_msg_data(frame);
    wire_refuse(job->fault, WIRE_BAD_FRAME, "the frame with %s has %zu bytes and must have %zu", what,
                zmq_msg_size(frame), length);
    return NULL;
}

void *reply_frame(struct job *job, size_t length) {
    zmq_msg_t *frame = &job->reply->frame[job->reply->count];
    if (zmq_msg_init_size(frame, length))
        return wire_refuse(job->fault, WIRE_INTERNAL, "there is no memory for %zu bytes", length), NULL;
    job->reply->count++;
    return zmq_msg_data(frame);
}

int mover_of(const struct session *session, int env) {
    if (lr_batch_stats(session->batch, env).over) return LR_NOBODY;
    return lr_to_move(session->game, lr_batch_state(session->batch, env));
}

static void put_mover(struct job *job, int env) {
    wire_put_text(job->out, "to_move", mover_words[mover_of(*job->slot, env)]);
}

static void put_state_hash(struct job *job, int env) {
    const struct session *session = *job->slot;
    wire_put_hash(job->out, "hash", lr_hash(session->game, lr_batch_state(session->batch, env)));
}

/* ---- list ---- */

static void put_game(void *context, const lr_game *game) {
    struct wire_writer *out = context;
    const lr_info *info = lr_game_info(game);
    wire_open_map(out);
    wire_put_text(out, "name", info->scenario);
    wire_put_text(out, "title", info->title);
    wire_put_text(out, "ruleset", info->ruleset);
    wire_put_int(out, "ruleset_version", info->ruleset_version);
    wire_put_hash(out, "scenario_hash", info->scenario_hash);
    wire_put_int(out, "actions", info->actions);
    wire_put_bool(out, "hidden", info->hidden);
    wire_end(out);
}

static int handle_list(struct job *job) {
    wire_key(job->out, "scenarios");
    wire_open_array(job->out);
    games_each(job->server->games, put_game, job->out);
    wire_end(job->out);
    wire_key(job->out, "agents");
    wire_open_array(job->out);
    for (int i = 0; agent_at(i); i++) {
        wire_open_map(job->out);
        wire_put_text(job->out, "name", agent_at(i)->chooser.name);
        wire_put_text(job->out, "about", agent_at(i)->about);
        wire_end(job->out);
    }
    wire_end(job->out);
    return WIRE_OK;
}

/* ---- open ---- */

struct wanted {
    char scenario[256], opponent[256];
    lr_chooser *chooser; /* the opponent: the session's as soon as there is one */
    struct session_options options;
};

static void get_arrays(struct job *job, unsigned *chosen) {
    const msgpack_object *list = wire_find(job->fields, "arrays");
    if (job->fault->code || !list || list->type == MSGPACK_OBJECT_NIL) return;
    *chosen = 0;
    bool known = list->type == MSGPACK_OBJECT_ARRAY;
    for (uint32_t i = 0; known && i < list->via.array.size; i++) {
        const msgpack_object *name = &list->via.array.ptr[i];
        known = false;
        for (int k = 0; k < ARRAYS && name->type == MSGPACK_OBJECT_STR; k++) {
            const size_t length = strlen(array_name(k));
            if (name->via.str.size != length || memcmp(name->via.str.ptr, array_name(k), length)) continue;
            *chosen |= 1u << k;
            known = true;
        }
    }
    if (known) return;
    job->fault->field = "arrays";
    wire_refuse(job->fault, WIRE_BAD_FIELD, "the field `arrays` takes a list of names of arrays, see PROTOCOL.md");
}

static int get_wanted(struct job *job, struct wanted *wanted) {
    lr_batch_options *batch = &wanted->options.batch;
    uint64_t size = 0;
    int chance = 0;
    wire_require(job->fields, "scenario", job->fault);
    wire_get_text(job->fields, "scenario", wanted->scenario, sizeof wanted->scenario, job->fault);
    wire_require(job->fields, "size", job->fault);
    wire_get_uint(job->fields, "size", 1, (uint64_t)job->server->options.session_environments, &size, job->fault);
    wire_get_uint(job->fields, "seed", 0, UINT64_MAX, &batch->seed, job->fault);
    wire_get_word(job->fields, "autoreset", autoreset_words, 3, &batch->autoreset, job->fault);
    wire_get_text(job->fields, "opponent", wanted->opponent, sizeof wanted->opponent, job->fault);
    wire_get_word(job->fields, "learner", mover_words, 2, &batch->learner, job->fault);
    wire_get_word(job->fields, "chance", chance_words, 2, &chance, job->fault);
    wire_get_int(job->fields, "max_length", 0, INT32_MAX, &batch->max_length, job->fault);
    wire_get_bool(job->fields, "record", &batch->record, job->fault);
    get_arrays(job, &wanted->options.arrays);
    batch->size = (int)size;
    batch->chosen_chance = chance;
    batch->threads = job->server->options.threads;
    return job->fault->code;
}

static int open_opponent(struct job *job, struct wanted *wanted) {
    if (!wanted->opponent[0]) return WIRE_OK;
    lr_error error;
    const int code = agent_open(wanted->opponent, &wanted->chooser, &error);
    wanted->options.batch.opponent = wanted->chooser;
    if (!code) return WIRE_OK;
    job->fault->field = "opponent";
    return wire_refuse(job->fault, code == LR_E_MEMORY ? WIRE_INTERNAL : WIRE_BAD_FIELD, "%s", error.text);
}

static int take_environments(struct server *server, int size, struct wire_fault *fault) {
    const int before = atomic_fetch_add(&server->environments, size);
    if (before + size <= server->options.environments) return WIRE_OK;
    atomic_fetch_sub(&server->environments, size);
    return wire_refuse(fault, WIRE_CAPACITY, "the server has %d of its %d environments in use, and %d were asked for",
                       before, server->options.environments, size);
}

static void put_columns(struct wire_writer *out, const char *key, const lr_column *columns, int count) {
    wire_key(out, key);
    wire_open_array(out);
    for (int i = 0; i < count; i++) {
        wire_open_map(out);
        wire_put_text(out, "name", columns[i].name);
        wire_put_int(out, "low", columns[i].low);
        wire_put_int(out, "high", columns[i].high);
        wire_put_text(out, "meaning", columns[i].meaning);
        wire_end(out);
    }
    wire_end(out);
}

static void put_array(struct wire_writer *out, const struct session *session, int array) {
    int shape[2] = {0};
    const int dimensions = array_shape(array, lr_game_info(session->game), shape);
    wire_array(
        out, &(struct frame_array){.name = array_name(array),
                                   .type = array_type(array),
                                   .offset = session->layout.offset[array],
                                   .dimensions = dimensions + 1,
                                   .shape = {(uint32_t)session_size(session), (uint32_t)shape[0], (uint32_t)shape[1]}});
}

static void put_arrays(struct wire_writer *out, const struct session *session) {
    wire_put_uint(out, "batch_bytes", session->layout.bytes);
    wire_key(out, "arrays");
    wire_open_array(out);
    for (int i = 0; i < ARRAYS; i++)
        if (session->layout.chosen >> i & 1) put_array(out, session, i);
    wire_end(out);
}

static void put_info(struct wire_writer *out, const lr_info *info) {
    wire_put_text(out, "scenario", info->scenario);
    wire_put_text(out, "title", info->title);
    wire_put_text(out, "ruleset", info->ruleset);
    wire_put_int(out, "ruleset_version", info->ruleset_version);
    wire_put_hash(out, "scenario_hash", info->scenario_hash);
    wire_put_int(out, "actions", info->actions);
    wire_put_int(out, "mask_bytes", info->mask_bytes);
    wire_put_int(out, "max_decisions", info->max_decisions);
    wire_put_int(out, "state_bytes", info->state_bytes);
    wire_put_int(out, "score_low", info->score_low);
    wire_put_int(out, "score_high", info->score_high);
    wire_put_bool(out, "hidden", info->hidden);
}

static void put_opened(struct job *job) {
    struct wire_writer *out = job->out;
    const struct session *session = *job->slot;
    const lr_info *info = lr_game_info(session->game);
    const lr_batch_options *batch = &session->options.batch;
    wire_put_bin(out, "s", job->token, TOKEN_BYTES);
    wire_put_int(out, "lease_ms", job->server->options.lease_ms);
    wire_put_int(out, "size", batch->size);
    wire_put_uint(out, "seed", batch->seed);
    wire_put_text(out, "autoreset", autoreset_words[batch->autoreset]);
    wire_put_text(out, "chance", chance_words[batch->chosen_chance]);
    wire_put_text(out, "opponent", batch->opponent ? batch->opponent->name : "");
    if (batch->opponent) wire_put_text(out, "learner", mover_words[batch->learner]);
    wire_put_int(out, "max_length", batch->max_length);
    wire_put_bool(out, "record", batch->record);
    put_info(out, info);
    put_arrays(out, session);
    put_columns(out, "piece_columns", info->piece_spec, info->piece_columns);
    put_columns(out, "global_columns", info->global_spec, info->global_columns);
    wire_put_uint(out, "session_bytes", session_bytes(session));
}

static int open_wanted(struct job *job, struct wanted *wanted) {
    const lr_game *game;
    if (get_wanted(job, wanted) || open_opponent(job, wanted)) return job->fault->code;
    if (games_find(job->server->games, wanted->scenario, &game, job->fault)) return job->fault->code;
    if (take_environments(job->server, wanted->options.batch.size, job->fault)) return job->fault->code;
    if (session_open(game, &wanted->options, job->slot, job->fault)) {
        atomic_fetch_sub(&job->server->environments, wanted->options.batch.size);
        return job->fault->code;
    }
    (*job->slot)->opponent = wanted->chooser;
    return WIRE_OK;
}

static int handle_open(struct job *job) {
    struct wanted wanted = {.options = {.arrays = ALL_ARRAYS}};
    if (open_wanted(job, &wanted)) {
        agent_close(wanted.chooser);
        return job->fault->code;
    }
    put_opened(job);
    return WIRE_OK;
}

/* ---- reset, step, observe, echo ---- */

/* The new seeds that a reset gives, or NULL. `frame`: where they stand if they came as a frame. */
static const uint64_t *get_seeds(struct job *job, bool frame_of_seeds, int frame) {
    struct session *session = *job->slot;
    const size_t size = (size_t)session_size(session);
    uint64_t root = 0;
    const bool has_root = wire_find(job->fields, "seed") != NULL;
    wire_get_uint(job->fields, "seed", 0, UINT64_MAX, &root, job->fault);
    if (has_root && frame_of_seeds) {
        job->fault->field = "seed";
        wire_refuse(job->fault, WIRE_BAD_FIELD, "reset takes one root `seed` or a frame of `seeds`, not both");
    }
    const void *bytes = frame_of_seeds ? request_frame(job, frame, size * sizeof(uint64_t), "seeds") : NULL;
    if (job->fault->code || (!has_root && !bytes)) return NULL;
    if (bytes)
        memcpy(session->seeds, bytes, size * sizeof(uint64_t));
    else
        for (size_t i = 0; i < size; i++) session->seeds[i] = lr_environment_seed(root, i);
    return session->seeds;
}

static int handle_reset(struct job *job) {
    struct session *session = *job->slot;
    bool has_which = false, has_seeds = false;
    wire_get_bool(job->fields, "which", &has_which, job->fault);
    wire_get_bool(job->fields, "seeds", &has_seeds, job->fault);
    if (!job->fault->code && job->request->count - 1 != has_which + has_seeds)
        wire_refuse(job->fault, WIRE_BAD_FRAME,
                    "reset takes one raw frame for each of `which` and `seeds` that is true");
    const uint8_t *which = has_which ? request_frame(job, 1, (size_t)session_size(session), "which to reset") : NULL;
    const uint64_t *seeds = get_seeds(job, has_seeds, has_which ? 2 : 1);
    if (job->fault->code) return job->fault->code;
    return session_reset(session, which, seeds, job->reply, job->fault);
}

static int handle_step(struct job *job) {
    struct session *session = *job->slot;
    const size_t bytes = (size_t)session_size(session) * sizeof(int32_t);
    const void *actions = request_frame(job, 1, bytes, "actions");
    if (!actions) return job->fault->code;
    memcpy(session->actions, actions, bytes);
    int ended = 0;
    if (session_step(session, job->reply, &ended, job->fault)) return job->fault->code;
    atomic_fetch_add_explicit(&job->server->steps, (unsigned long long)session_size(session), memory_order_relaxed);
    wire_put_int(job->out, "final", ended);
    return WIRE_OK;
}

static size_t round_up(size_t bytes) { return (bytes + 63) / 64 * 64; }

/* One environment as one player sees it: pieces, globals and, if it is his move, mask. */
static int observe_one(struct job *job, int env, int player) {
    const struct session *session = *job->slot;
    const lr_info *info = lr_game_info(session->game);
    const lr_state *state = lr_batch_state(session->batch, env);
    const size_t pieces = round_up((size_t)info->piece_rows * (size_t)info->piece_columns);
    const size_t globals = round_up((size_t)info->global_columns * sizeof(int16_t)), mask = (size_t)info->mask_bytes;
    uint8_t *frame = reply_frame(job, pieces + globals + mask);
    const int mover = mover_of(session, env);
    if (!frame) return job->fault->code;
    if (player < 0)
        player = mover < LR_CHANCE ? mover : session->options.batch.opponent ? session->options.batch.learner : 0;
    memset(frame, 0, pieces + globals + mask);
    lr_observe(session->game, state, player, frame, (int16_t *)(void *)(frame + pieces));
    if (mover == player || mover == LR_CHANCE) lr_mask(session->game, state, frame + pieces + globals);
    wire_put_text(job->out, "player", mover_words[player]);
    wire_put_uint(job->out, "globals", pieces);
    wire_put_uint(job->out, "mask", pieces + globals);
    put_mover(job, env);
    return WIRE_OK;
}

static int handle_observe(struct job *job) {
    int env = -1, player = -1;
    wire_get_int(job->fields, "env", 0, session_size(*job->slot) - 1, &env, job->fault);
    wire_get_word(job->fields, "player", mover_words, 2, &player, job->fault);
    if (player >= 0 && env < 0) wire_require(job->fields, "env", job->fault);
    if (job->fault->code) return job->fault->code;
    if (env >= 0) return observe_one(job, env, player);
    return session_observe(*job->slot, job->reply, job->fault);
}

/* The raw frames of the last reply again: what a message of that size costs without a game. */
static int handle_echo(struct job *job) {
    struct wire_frames *last = &(*job->slot)->last_reply;
    for (int i = 1; i < last->count; i++) {
        zmq_msg_init(&job->reply->frame[i]);
        zmq_msg_copy(&job->reply->frame[i], &last->frame[i]);
    }
    job->reply->count = last->count;
    wire_put_int(job->out, "final", 0);
    return WIRE_OK;
}

/* ---- legal ---- */

static void put_weights(struct job *job, const lr_state *state) {
    uint32_t weights[LR_MAX_OUTCOMES], total;
    const int count = lr_outcomes((*job->slot)->game, state, weights, &total);
    if (count == 0) return;
    wire_key(job->out, "weights");
    wire_open_array(job->out);
    for (int i = 0; i < count; i++) wire_uint(job->out, weights[i]);
    wire_end(job->out);
    wire_put_uint(job->out, "total", total);
}

static int handle_legal(struct job *job) {
    int env = 0;
    get_env(job, "env", &env);
    if (job->fault->code) return job->fault->code;
    const struct session *session = *job->slot;
    const lr_state *state = lr_batch_state(session->batch, env);
    uint16_t legal[LR_MAX_ACTIONS];
    char text[LR_MAX_TEXT];
    const bool over = lr_batch_stats(session->batch, env).over;
    const int count = over ? 0 : lr_legal(session->game, state, legal);
    put_mover(job, env);
    wire_put_text(job->out, "decision", over ? "over" : lr_decision(session->game, state));
    wire_put_text(job->out, "heading", lr_heading(session->game, state, text));
    wire_put_text(job->out, "end_reason", lr_end_reason(session->game, state));
    wire_key(job->out, "actions");
    wire_open_array(job->out);
    for (int i = 0; i < count; i++) wire_uint(job->out, legal[i]);
    wire_end(job->out);
    wire_key(job->out, "texts");
    wire_open_array(job->out);
    for (int i = 0; i < count; i++) wire_text(job->out, lr_action_text(session->game, state, legal[i], text));
    wire_end(job->out);
    if (!over) put_weights(job, state);
    return WIRE_OK;
}

/* ---- save, load, clone ---- */

static int handle_save(struct job *job) {
    int env = 0;
    get_env(job, "env", &env);
    if (job->fault->code) return job->fault->code;
    uint8_t *frame = reply_frame(job, saved_bytes(*job->slot));
    if (!frame) return job->fault->code;
    saved_write(*job->slot, env, frame);
    put_mover(job, env);
    put_state_hash(job, env);
    return WIRE_OK;
}

static int load(struct job *job, int env, int dice, uint8_t *aligned) {
    struct session *session = *job->slot;
    zmq_msg_t *frame = &job->request->frame[1];
    const lr_state *state;
    if (saved_read(session, zmq_msg_data(frame), zmq_msg_size(frame), aligned, &state, job->fault))
        return job->fault->code;
    lr_error error;
    const int code = lr_batch_load(session->batch, env, state, dice, &error);
    if (code) return wire_refuse(job->fault, code == LR_E_STATE ? WIRE_BAD_STATE : WIRE_INTERNAL, "%s", error.text);
    put_mover(job, env);
    put_state_hash(job, env);
    return WIRE_OK;
}

static int handle_load(struct job *job) {
    int env = 0, dice = LR_DICE_FRESH;
    get_env(job, "env", &env);
    get_dice(job, &dice);
    if (job->fault->code) return job->fault->code;
    uint8_t *aligned = aligned_alloc(64, round_up(saved_bytes(*job->slot)));
    if (!aligned) return wire_refuse(job->fault, WIRE_INTERNAL, "there is no memory to load a state");
    const int code = load(job, env, dice, aligned);
    free(aligned);
    return code;
}

int request_envs(struct job *job, const char *key, int *envs) {
    const int last = session_size(*job->slot) - 1;
    wire_require(job->fields, key, job->fault);
    if (job->fault->code) return 0;
    const msgpack_object *found = wire_find(job->fields, key);
    const msgpack_object one = *found, *items = found->type == MSGPACK_OBJECT_ARRAY ? found->via.array.ptr : &one;
    const uint32_t count = found->type == MSGPACK_OBJECT_ARRAY ? found->via.array.size : 1;
    for (uint32_t i = 0; i < count; i++) {
        const bool inside = items[i].type == MSGPACK_OBJECT_POSITIVE_INTEGER && items[i].via.u64 <= (uint64_t)last;
        if (inside) {
            envs[i] = (int)items[i].via.u64;
            continue;
        }
        job->fault->field = key;
        wire_refuse(job->fault, WIRE_BAD_FIELD, "the field `%s` takes an environment from 0 to %d, or a list of them",
                    key, last);
        return 0;
    }
    return (int)count;
}

static int handle_clone(struct job *job) {
    struct session *session = *job->slot;
    int from = 0, dice = LR_DICE_FRESH, to[WIRE_MAX_ELEMENTS];
    get_env(job, "from", &from);
    get_dice(job, &dice);
    const int count = request_envs(job, "to", to);
    if (job->fault->code) return job->fault->code;
    for (int i = 0; i < count; i++) {
        lr_error error;
        if (lr_batch_clone(session->batch, from, to[i], dice, &error))
            return wire_refuse(job->fault, WIRE_INTERNAL, "%s", error.text);
    }
    wire_put_int(job->out, "count", count);
    put_mover(job, from);
    return WIRE_OK;
}

/* ---- render, replay ---- */

static int handle_render(struct job *job) {
    int env = 0;
    bool color = false;
    get_env(job, "env", &env);
    wire_get_bool(job->fields, "color", &color, job->fault);
    if (job->fault->code) return job->fault->code;
    const struct session *session = *job->slot;
    const lr_state *state = lr_batch_state(session->batch, env);
    const int length = lr_draw(session->game, state, color, NULL, 0);
    char *text = malloc((size_t)length + 1); /* the frame goes without the terminator */
    uint8_t *frame = text ? reply_frame(job, (size_t)length) : NULL;
    if (frame) {
        lr_draw(session->game, state, color, text, (size_t)length + 1);
        memcpy(frame, text, (size_t)length);
    }
    free(text);
    return frame ? WIRE_OK : wire_refuse(job->fault, WIRE_INTERNAL, "there is no memory to draw");
}

static int put_replay(struct job *job, const lr_replay *replay) {
    const int length = lr_replay_format(replay, NULL, 0);
    char *text = malloc((size_t)length + 1);
    uint8_t *frame = text ? reply_frame(job, (size_t)length) : NULL;
    if (frame) {
        lr_replay_format(replay, text, (size_t)length + 1);
        memcpy(frame, text, (size_t)length);
    }
    free(text);
    wire_put_int(job->out, "length", lr_replay_length(replay));
    wire_put_uint(job->out, "seed", lr_replay_seed(replay));
    wire_put_uint(job->out, "episode", lr_replay_episode(replay));
    wire_put_hash(job->out, "hash", lr_replay_hash(replay));
    return frame ? WIRE_OK : wire_refuse(job->fault, WIRE_INTERNAL, "there is no memory for the replay's text");
}

static int handle_replay(struct job *job) {
    int env = 0;
    bool ended = false;
    get_env(job, "env", &env);
    wire_get_bool(job->fields, "ended", &ended, job->fault);
    if (job->fault->code) return job->fault->code;
    lr_replay *replay;
    lr_error error;
    const int code = lr_batch_replay((*job->slot)->batch, env, ended, &replay, &error);
    if (code) return wire_refuse(job->fault, code == LR_E_NOT_FOUND ? WIRE_NO_RECORD : WIRE_INTERNAL, "%s", error.text);
    put_replay(job, replay);
    lr_replay_free(replay);
    return job->fault->code;
}

/* ---- resume, close, stats ---- */

static int handle_resume(struct job *job) {
    const struct session *session = *job->slot;
    wire_put_uint(job->out, "last", session->last);
    wire_put_uint(job->out, "next", session->last + 1);
    wire_put_int(job->out, "size", session_size(session));
    wire_put_int(job->out, "lease_ms", job->server->options.lease_ms);
    return WIRE_OK;
}

static int handle_close(struct job *job) {
    wire_put_uint(job->out, "requests", (*job->slot)->requests);
    wire_put_uint(job->out, "steps", (*job->slot)->steps);
    release_session(job->server, job->slot);
    return WIRE_OK;
}

static void put_environment(struct wire_writer *out, const lr_environment_stats *stats) {
    wire_key(out, "env");
    wire_open_map(out);
    wire_put_uint(out, "seed", stats->seed);
    wire_put_uint(out, "episode", stats->episode);
    wire_put_uint(out, "length", stats->length);
    wire_put_uint(out, "illegal_attempts", stats->illegal_attempts);
    wire_put_uint(out, "episodes_ended", stats->episodes_ended);
    wire_put_double(out, "return_union", (double)stats->returns[LR_UNION]);
    wire_put_double(out, "return_confederate", (double)stats->returns[LR_CONFEDERATE]);
    wire_put_bool(out, "over", stats->over);
    wire_end(out);
}

static int handle_stats(struct job *job) {
    const struct session *session = *job->slot;
    int env = -1;
    wire_get_int(job->fields, "env", 0, session_size(session) - 1, &env, job->fault);
    if (job->fault->code) return job->fault->code;
    wire_put_uint(job->out, "requests", session->requests);
    wire_put_uint(job->out, "errors", session->errors);
    wire_put_uint(job->out, "resends", session->resends);
    wire_put_uint(job->out, "steps", session->steps);
    wire_put_uint(job->out, "session_bytes", session_bytes(session));
    if (env < 0) return WIRE_OK;
    const lr_environment_stats stats = lr_batch_stats(session->batch, env);
    put_environment(job->out, &stats);
    return WIRE_OK;
}

/* ---- The table ---- */

static const struct message_type types[] = {
    {"hello", "welcome", AT_ROUTER, 0, 0, NULL, NULL},
    {"list", "list", AT_WORKER, 0, 0, handle_list, NULL},
    {"open", "opened", AT_WORKER, 0, 0, handle_open, NULL},
    {"reset", "batch", IN_SEQUENCE, 0, 2, handle_reset, NULL},
    {"step", "batch", IN_SEQUENCE, 1, 1, handle_step, NULL},
    {"observe", "batch", IN_SEQUENCE, 0, 0, handle_observe, NULL},
    {"legal", "legal", IN_SEQUENCE, 0, 0, handle_legal, NULL},
    {"save", "saved", IN_SEQUENCE, 0, 0, handle_save, NULL},
    {"load", "loaded", IN_SEQUENCE, 1, 1, handle_load, NULL},
    {"clone", "cloned", IN_SEQUENCE, 0, 0, handle_clone, NULL},
    {"render", "rendered", IN_SEQUENCE, 0, 0, handle_render, NULL},
    {"replay", "replay", IN_SEQUENCE, 0, 0, handle_replay, NULL},
    {"echo", "batch", IN_SEQUENCE, 0, 2, handle_echo, NULL},
    {"search", "searched", IN_SEQUENCE, 0, 1, handle_search, complete_search},
    {"leaves", "leaves", IN_SEQUENCE, 0, 2, handle_leaves, complete_leaves},
    {"cancel", "cancelled", AT_SESSION, 0, 0, handle_cancel, NULL},
    {"ping", "pong", AT_ROUTER, 0, 0, NULL, NULL},
    {"resume", "resumed", AT_SESSION, 0, 0, handle_resume, NULL},
    {"close", "closed", IN_SEQUENCE, 0, 0, handle_close, NULL},
    {"stats", "stats", IN_SEQUENCE, 0, 0, handle_stats, NULL}, /* without a session: the router's */
};
enum { TYPES = sizeof types / sizeof types[0] };

const struct message_type *message_type_at(int index) { return index >= 0 && index < TYPES ? &types[index] : NULL; }

const struct message_type *message_type(const msgpack_object *name) {
    if (!name || name->type != MSGPACK_OBJECT_STR) return NULL;
    for (int i = 0; i < TYPES; i++) {
        const size_t length = strlen(types[i].name);
        if (name->via.str.size == length && memcmp(name->via.str.ptr, types[i].name, length) == 0) return &types[i];
    }
    return NULL;
}

/* ---- Headers ---- */

void write_reply_start(struct wire_writer *out, const char *type, uint64_t q) {
    wire_open_map(out);
    wire_put_text(out, "t", type);
    wire_put_uint(out, "q", q);
    wire_put_uint(out, "e", WIRE_OK);
}

void write_error(struct wire_writer *out, uint64_t q, const struct wire_fault *fault, uint64_t next) {
    wire_begin(out, out->bytes, out->room);
    wire_open_map(out);
    wire_put_text(out, "t", "error");
    wire_put_uint(out, "q", q);
    wire_put_int(out, "e", fault->code);
    wire_put_text(out, "error", wire_code_name(fault->code));
    wire_put_text(out, "text", fault->text);
    wire_put_bool(out, "retry", wire_code_retry(fault->code));
    if (fault->field) wire_put_text(out, "field", fault->field);
    if (fault->env >= 0) wire_put_int(out, "env", fault->env);
    if (fault->legal >= 0) wire_put_int(out, "legal", fault->legal);
    if (next > 0) wire_put_uint(out, "next", next);
    if (fault->code == WIRE_UNSUPPORTED_VERSION) {
        wire_key(out, "majors");
        wire_open_array(out);
        wire_uint(out, MAJOR);
        wire_end(out);
    }
    wire_end(out);
}
