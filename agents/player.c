/* player.c: opening a player by its spec, and passing each call on to its kind. The kind "agent" is here, too: one of our
 * own choosers, which needs no more than scratch memory. */
#include "agents/agent.h"
#include "agents/seat.h"
#include "env/game.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct player {
    const struct player_kind *kind;
    void *self;
    char spec[SPEC_MOST + 1];
};

/* ---- Agents of ours ---- */

struct seated_agent {
    lr_chooser *chooser;
    const lr_game *game;
    void *scratch;
};

static int agent_seat(const char *spec, void **self, lr_error *error) {
    lr_chooser *chooser;
    int code = agent_open(spec, &chooser, error);
    if (code) return code;
    struct seated_agent *agent = malloc(sizeof *agent);
    void *scratch = aligned_alloc(64, (chooser->scratch_bytes / 64 + 1) * 64);
    if (!agent || !scratch) {
        free(agent);
        free(scratch);
        agent_close(chooser);
        return lr_fail(error, LR_E_MEMORY, "no memory for agent %s", spec);
    }
    *agent = (struct seated_agent){.chooser = chooser, .scratch = scratch};
    *self = agent;
    return LR_OK;
}

static void agent_leave(void *self) {
    struct seated_agent *agent = self;
    agent_close(agent->chooser);
    free(agent->scratch);
    free(agent);
}

static int agent_begin(void *self, const struct table *table, lr_error *error) {
    (void)error;
    struct seated_agent *agent = self;
    agent->game = table->game;
    return GAME_PLAYED;
}

static int agent_choose(void *self, const lr_state *state, const uint16_t *legal, int count, uint64_t stream,
                        int64_t left_us, int *action, lr_error *error) {
    (void)left_us, (void)error;
    const struct seated_agent *agent = self;
    *action = agent->chooser->choose(agent->chooser, agent->scratch, agent->game, state, legal, count, stream);
    return GAME_PLAYED;
}

static int agent_told(void *self, const lr_state *before, int action, lr_error *error) {
    (void)self, (void)before, (void)action, (void)error;
    return GAME_PLAYED;
}

static void agent_finish(void *self, const struct game_result *result) { (void)self, (void)result; }

static const struct player_kind player_agent = {
    .open = agent_seat,
    .close = agent_leave,
    .begin = agent_begin,
    .choose = agent_choose,
    .told = agent_told,
    .finish = agent_finish,
};

/* ---- Specs ---- */

static const struct player_kind *const kinds[] = {&player_human, &player_exec, &player_tcp};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

const struct player_form *player_form_at(int index) { return index >= 0 && index < KINDS ? &kinds[index]->form : NULL; }

/* "exec:./bot" is of the form "exec:COMMAND"; "human" of the form "human". *rest is what follows the colon. */
static bool is_of_form(const char *spec, const char *form, const char **rest) {
    const char *colon = strchr(form, ':');
    const size_t length = colon ? (size_t)(colon - form) + 1 : 0; /* with the colon */
    if (colon ? strncmp(spec, form, length) != 0 : strcmp(spec, form) != 0) return false;
    *rest = colon ? spec + length : "";
    return true;
}

static const struct player_kind *kind_of(const char *spec, const char **rest) {
    for (int i = 0; i < KINDS; i++)
        if (is_of_form(spec, kinds[i]->form.spec, rest)) return kinds[i];
    *rest = spec;
    return &player_agent;
}

/* A spec is one line without blanks around it. */
static int normalize(const char *spec, char normal[SPEC_MOST + 1], lr_error *error) {
    spec += strspn(spec, " \t");
    size_t length = strlen(spec);
    while (length && (spec[length - 1] == ' ' || spec[length - 1] == '\t')) length--;
    if (length > SPEC_MOST)
        return lr_fail(error, LR_E_ARGUMENT, "a player's spec has at most %d bytes: '%.40s...' has %zu", SPEC_MOST,
                       spec, length);
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)spec[i] < ' ')
            return lr_fail(error, LR_E_ARGUMENT, "a player's spec is one line of text: '%.40s' holds byte %d", spec,
                           spec[i]);
    memcpy(normal, spec, length);
    normal[length] = 0;
    return LR_OK;
}

int player_open(const char *spec, struct player **player, lr_error *error) {
    struct player *made = calloc(1, sizeof *made);
    if (!made) return lr_fail(error, LR_E_MEMORY, "no memory for a player");
    int code = normalize(spec, made->spec, error);
    if (!code) {
        const char *rest;
        made->kind = kind_of(made->spec, &rest);
        code = made->kind->open(rest, &made->self, error);
    }
    if (code) {
        free(made);
        return code;
    }
    *player = made;
    return LR_OK;
}

void player_close(struct player *player) {
    if (!player) return;
    player->kind->close(player->self);
    free(player);
}

const char *player_spec(const struct player *player) { return player->spec; }

const char *player_name(const struct player *player) {
    const char *name = player->kind->name ? player->kind->name(player->self) : "";
    return *name ? name : player->spec;
}

/* ---- A game's calls ---- */

/* Puts the player's name before a fault's sentence. */
static int named(const struct player *player, int end, const lr_error *fault, lr_error *error) {
    if (end != GAME_PLAYED)
        lr_fail(error, end == GAME_ILLEGAL ? LR_E_ILLEGAL : LR_E_IO, "%.80s %s", player->spec, fault->text);
    return end;
}

int player_begin(struct player *player, const struct table *table, lr_error *error) {
    lr_error fault;
    if (player->kind->sees_all && lr_game_info(table->game)->hidden) {
        lr_fail(&fault, LR_E_ARGUMENT, "cannot play %s: it would be shown what is hidden",
                lr_game_info(table->game)->scenario);
        return named(player, GAME_NO_START, &fault, error);
    }
    return named(player, player->kind->begin(player->self, table, &fault), &fault, error);
}

static bool among(const uint16_t *legal, int count, int action) {
    for (int i = 0; i < count; i++)
        if (legal[i] == action) return true;
    return false;
}

int player_choose(struct player *player, const lr_state *state, const uint16_t *legal, int count, uint64_t stream,
                  int64_t left_us, int *action, lr_error *error) {
    lr_error fault;
    int end = player->kind->choose(player->self, state, legal, count, stream, left_us, action, &fault);
    if (end == GAME_PLAYED && !among(legal, count, *action)) {
        lr_fail(&fault, LR_E_ILLEGAL, "chose action %d, which is none of the %d legal ones", *action, count);
        end = GAME_ILLEGAL;
    }
    return named(player, end, &fault, error);
}

int player_told(struct player *player, const lr_state *before, int action, lr_error *error) {
    lr_error fault;
    return named(player, player->kind->told(player->self, before, action, &fault), &fault, error);
}

void player_finish(struct player *player, const struct game_result *result) {
    player->kind->finish(player->self, result);
}

/* ---- Clocks and names ---- */

int64_t clock_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int64_t clock_deadline(const struct clock_rules *rules, int64_t left_us) {
    int64_t limit = rules->move_us && rules->move_us < left_us ? rules->move_us : left_us;
    int64_t now = clock_us();
    if (limit > INT64_MAX - rules->margin_us - now) return INT64_MAX;
    return now + limit + rules->margin_us;
}

const char *game_end_name(int end) {
    static const char *const names[] = {"played", "no-start", "crash", "timeout", "illegal", "garbage", "stopped"};
    return end >= GAME_PLAYED && end <= GAME_STOPPED ? names[end] : "unknown";
}
