/* bot.c: a program at the table, by the line protocol of BOTS.md: "exec:COMMAND" is started, "tcp:HOST:PORT" connected to.
 *
 * What is played is queued and goes out with the next question, in one write; its acknowledgements are read before the
 * answer. So a game costs the program one exchange a decision, and a program that lags holds up nobody but itself.
 * A program stays from game to game as long as it behaves: it has taken note of every line when a game ends. After any
 * fault it is ended, and the next game begins with a new one. */
#include "agents/program.h"
#include "agents/seat.h"
#include "env/game.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    PROTOCOL_VERSION = 1,
    NAME_MOST = 64,
    FINISH_US = 1000 * 1000, /* for taking note of a result */
    CHOICE_BYTES = 1 + 5 + 1 + LR_MAX_TEXT,
    QUESTION_BYTES = 64 + LR_MAX_ACTIONS * CHOICE_BYTES,
};

struct bot {
    bool connects; /* tcp: */
    char where[SPEC_MOST + 1];
    char spec[64]; /* its beginning, for the log */
    char name[2 * NAME_MOST];
    struct program *program; /* NULL: none runs */
    struct table table;
    bool wants_state, failed;
    uint32_t owed; /* replies to what was said without waiting */
    char *question;
};

/* ---- Opening ---- */

static int open_bot(const char *where, bool connects, void **self, lr_error *error) {
    lr_error fault;
    int code = connects ? program_address_check(where, &fault) : program_command_check(where, &fault);
    const char *form = connects ? "tcp" : "exec";
    if (code) return lr_fail(error, code, "%s:%.80s %s", form, where, fault.text);
    struct bot *bot = calloc(1, sizeof *bot);
    if (!bot || !(bot->question = malloc(QUESTION_BYTES))) {
        free(bot);
        return lr_fail(error, LR_E_MEMORY, "no memory for a player");
    }
    bot->connects = connects;
    snprintf(bot->where, sizeof bot->where, "%s", where);
    snprintf(bot->spec, sizeof bot->spec, "%s:%.58s", form, where);
    *self = bot;
    return LR_OK;
}

static int open_exec(const char *rest, void **self, lr_error *error) { return open_bot(rest, false, self, error); }
static int open_tcp(const char *rest, void **self, lr_error *error) { return open_bot(rest, true, self, error); }

static void dismiss(struct bot *bot, bool politely) {
    if (politely && bot->program) program_say(bot->program, "quit\n", 5);
    program_end(bot->program, politely);
    bot->program = NULL;
}

static void close_bot(void *self) {
    struct bot *bot = self;
    dismiss(bot, true);
    free(bot->question);
    free(bot);
}

static const char *name_of(const void *self) { return ((const struct bot *)self)->name; }

/* ---- Commands and replies ---- */

static int no_memory(lr_error *error) {
    lr_fail(error, LR_E_MEMORY, "cannot be told what happens: no memory");
    return GAME_CRASH;
}

/* Queues a line whose reply is owed. */
static int say(struct bot *bot, const char *line, size_t length, lr_error *error) {
    if (!program_say(bot->program, line, length)) return no_memory(error);
    bot->owed++;
    return GAME_PLAYED;
}

/* Reads the next reply: "= TEXT" or "? TEXT". *refused: it was the latter. */
static int hear_reply(struct bot *bot, const struct patience *patience, char text[HEARD_MOST], bool *refused,
                      lr_error *error) {
    char line[HEARD_MOST];
    int end = program_hear(bot->program, patience, line, error);
    if (end != GAME_PLAYED) return end;
    bot->owed--;
    *refused = line[0] == '?';
    if (line[0] == '=' || *refused) {
        snprintf(text, HEARD_MOST, "%s", line + 1 + strspn(line + 1, " \t"));
        return GAME_PLAYED;
    }
    program_clean(line);
    lr_fail(error, LR_E_IO, "said '%.60s', which is no reply: one begins with = or ?", line);
    return GAME_GARBAGE;
}

static int refusal(const char *what, char *text, lr_error *error) {
    program_clean(text);
    lr_fail(error, LR_E_IO, "refused %s: '%.80s'", what, text);
    return GAME_GARBAGE;
}

/* Reads all replies that are owed but the last `but`: none may be a refusal. */
static int settle(struct bot *bot, const struct patience *patience, uint32_t but, lr_error *error) {
    while (bot->owed > but) {
        char text[HEARD_MOST];
        bool refused;
        int end = hear_reply(bot, patience, text, &refused, error);
        if (end != GAME_PLAYED) return end;
        if (refused) return refusal("to take note of the game", text, error);
    }
    return GAME_PLAYED;
}

/* Says one line and waits for its reply. */
static int ask(struct bot *bot, const struct patience *patience, const char *line, char text[HEARD_MOST], bool *refused,
               lr_error *error) {
    int end = say(bot, line, strlen(line), error);
    if (end == GAME_PLAYED) end = hear_reply(bot, patience, text, refused, error);
    return end;
}

/* ---- The beginning of a game ---- */

/* Optional commands: a refusal is as good as an answer. */
static int introduce(struct bot *bot, const struct patience *patience, lr_error *error) {
    char name[HEARD_MOST], version[HEARD_MOST], known[HEARD_MOST];
    bool nameless, unversioned, refused;
    int end = ask(bot, patience, "name\n", name, &nameless, error);
    if (end == GAME_PLAYED) end = ask(bot, patience, "version\n", version, &unversioned, error);
    if (end == GAME_PLAYED) end = ask(bot, patience, "known_command state\n", known, &refused, error);
    if (end != GAME_PLAYED) return end;
    if (nameless) *name = 0;
    if (unversioned) *version = 0;
    snprintf(bot->name, sizeof bot->name, "%.*s%s%.*s", NAME_MOST - 2, name, *name && *version ? " " : "",
             NAME_MOST - 2, version);
    program_clean(bot->name);
    bot->wants_state = !refused && strcmp(known, "true") == 0;
    return GAME_PLAYED;
}

static int greet(struct bot *bot, const struct patience *patience, lr_error *error) {
    char text[HEARD_MOST];
    bool refused;
    int end = ask(bot, patience, "protocol_version\n", text, &refused, error);
    if (end != GAME_PLAYED) return end;
    if (refused) return refusal("to say its protocol_version", text, error);
    if (strtol(text, NULL, 10) == PROTOCOL_VERSION) return introduce(bot, patience, error);
    program_clean(text);
    lr_fail(error, LR_E_IO, "speaks protocol version '%.20s'; this is version %d", text, PROTOCOL_VERSION);
    return GAME_GARBAGE;
}

static int start(struct bot *bot, const struct patience *patience, lr_error *error) {
    int code = bot->connects ? program_connect(bot->where, patience, &bot->program, error)
                             : program_start(bot->where, &bot->program, error);
    if (code) return GAME_NO_START;
    bot->owed = 0;
    program_log(bot->program, bot->table.log, bot->spec);
    return greet(bot, patience, error);
}

static long long milliseconds(int64_t us) { return (us + 999) / 1000; }

static int new_game(struct bot *bot, const struct patience *patience, lr_error *error) {
    const lr_info *info = lr_game_info(bot->table.game);
    const struct clock_rules *clock = &bot->table.clock;
    char line[SPEC_MOST], text[HEARD_MOST];
    bool refused;
    program_log(bot->program, bot->table.log, bot->spec);
    snprintf(line, sizeof line, "newgame %s %016" PRIx64 " %.800s\n",
             bot->table.side == LR_UNION ? "union" : "confederate", info->scenario_hash, info->scenario);
    int end = ask(bot, patience, line, text, &refused, error);
    if (end != GAME_PLAYED) return end;
    if (refused) return refusal("the game", text, error);
    snprintf(line, sizeof line, "clock %lld %lld %lld %" PRIu64 "\n", milliseconds(clock->move_us),
             milliseconds(clock->game_us), milliseconds(clock->increment_us), clock->nodes);
    end = ask(bot, patience, line, text, &refused, error);
    if (end == GAME_PLAYED && refused) return refusal("the clock", text, error);
    return end;
}

static int failed(struct bot *bot, int end) {
    bot->failed = end != GAME_PLAYED;
    return end;
}

static int begin(void *self, const struct table *table, lr_error *error) {
    struct bot *bot = self;
    bot->table = *table;
    int64_t start_us = table->clock.start_us ? table->clock.start_us : START_US;
    const struct patience patience = {.deadline = clock_us() + start_us, .stop = table->stop};
    int end = GAME_CRASH;
    if (bot->program) end = new_game(bot, &patience, error);
    if (end == GAME_CRASH) { /* none yet, or it ended between two games */
        dismiss(bot, false);
        end = start(bot, &patience, error);
        if (end == GAME_PLAYED) end = new_game(bot, &patience, error);
    }
    return failed(bot, end == GAME_PLAYED || end == GAME_STOPPED ? end : GAME_NO_START);
}

/* ---- The game ---- */

static const char *mover_name(int mover) {
    return mover == LR_UNION ? "union" : mover == LR_CONFEDERATE ? "confederate" : "chance";
}

static int told(void *self, const lr_state *before, int action, lr_error *error) {
    struct bot *bot = self;
    const lr_game *game = bot->table.game;
    char text[LR_MAX_TEXT], line[LR_MAX_TEXT + 64];
    int length = snprintf(line, sizeof line, "play %s %d %s\n", mover_name(lr_to_move(game, before)), action,
                          lr_action_text(game, before, action, text));
    return failed(bot, say(bot, line, (size_t)length, error));
}

static int say_state(struct bot *bot, const lr_state *state, lr_error *error) {
    static const char digits[] = "0123456789abcdef";
    size_t bytes = (size_t)lr_game_info(bot->table.game)->state_bytes;
    char *line = malloc(sizeof "state \n" + 2 * bytes);
    if (!line) return no_memory(error);
    char *to = stpcpy(line, "state ");
    const unsigned char *from = (const void *)state;
    for (size_t i = 0; i < bytes; i++) {
        *to++ = digits[from[i] >> 4];
        *to++ = digits[from[i] & 15];
    }
    *to++ = '\n';
    int end = say(bot, line, (size_t)(to - line), error);
    free(line);
    return end;
}

static int say_question(struct bot *bot, const lr_state *state, const uint16_t *legal, int count, int64_t left_us,
                        lr_error *error) {
    long long left = left_us == INT64_MAX ? 0 : left_us < 1000 ? 1 : left_us / 1000;
    char *line = bot->question, text[LR_MAX_TEXT];
    int length = snprintf(line, QUESTION_BYTES, "choose %lld", left);
    for (int i = 0; i < count; i++)
        length += snprintf(line + length, QUESTION_BYTES - (size_t)length, "\t%d %s", legal[i],
                           lr_action_text(bot->table.game, state, legal[i], text));
    line[length++] = '\n';
    return say(bot, line, (size_t)length, error);
}

static int understand(const struct bot *bot, const lr_state *state, char *text, int *action, lr_error *error) {
    if (!*text) {
        lr_fail(error, LR_E_IO, "answered choose with nothing");
        return GAME_GARBAGE;
    }
    *action = lr_action_parse(bot->table.game, state, text, NULL);
    if (*action >= 0) return GAME_PLAYED;
    program_clean(text);
    lr_fail(error, LR_E_ILLEGAL, "chose '%.60s', which is not legal", text);
    return GAME_ILLEGAL;
}

static int answer(struct bot *bot, const lr_state *state, const struct patience *patience, int *action,
                  lr_error *error) {
    char text[HEARD_MOST];
    bool refused;
    int end = settle(bot, patience, 1, error);
    if (end == GAME_PLAYED) end = hear_reply(bot, patience, text, &refused, error);
    if (end != GAME_PLAYED) return end;
    if (refused) return refusal("to choose", text, error);
    return understand(bot, state, text, action, error);
}

static int choose(void *self, const lr_state *state, const uint16_t *legal, int count, uint64_t stream, int64_t left_us,
                  int *action, lr_error *error) {
    (void)stream;
    struct bot *bot = self;
    const struct patience patience = {.deadline = clock_deadline(&bot->table.clock, left_us), .stop = bot->table.stop};
    int end = bot->wants_state ? say_state(bot, state, error) : GAME_PLAYED;
    if (end == GAME_PLAYED) end = say_question(bot, state, legal, count, left_us, error);
    if (end == GAME_PLAYED) end = answer(bot, state, &patience, action, error);
    return failed(bot, end);
}

/* ---- The end of a game ---- */

static bool takes_note(struct bot *bot, const struct game_result *result) {
    char line[sizeof result->reason + 64];
    lr_error error;
    const struct patience patience = {.deadline = clock_us() + FINISH_US};
    int length = snprintf(line, sizeof line, "result %s %s %s\n",
                          result->winner == LR_NOBODY ? "draw" : mover_name(result->winner), game_end_name(result->end),
                          result->reason);
    return say(bot, line, (size_t)length, &error) == GAME_PLAYED && settle(bot, &patience, 0, &error) == GAME_PLAYED;
}

static void finish(void *self, const struct game_result *result) {
    struct bot *bot = self;
    if (!bot->program) return;
    bool at_fault = bot->failed || result->at_fault == bot->table.side;
    if (at_fault || result->end == GAME_STOPPED || !takes_note(bot, result)) dismiss(bot, false);
    bot->failed = false;
}

const struct player_kind player_exec = {
    .form = {"exec:COMMAND", "a program that is started and plays by lines of text (agents/BOTS.md)"},
    .open = open_exec,
    .close = close_bot,
    .name = name_of,
    .begin = begin,
    .choose = choose,
    .told = told,
    .finish = finish,
    .sees_all = true,
};

const struct player_kind player_tcp = {
    .form = {"tcp:HOST:PORT", "a program that listens on a port and plays by the same lines"},
    .open = open_tcp,
    .close = close_bot,
    .name = name_of,
    .begin = begin,
    .choose = choose,
    .told = told,
    .finish = finish,
    .sees_all = true,
};
