/* kuhn.c: see kuhn.h. Also the list of rulesets for the tests in this folder. */
#include "kuhn.h"

#include "env/rulesets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum stage { DEAL_UNION, DEAL_CONFEDERATE, UNION_OPENS, CONFEDERATE_ANSWERS, UNION_ANSWERS, OVER };

struct kuhn_state {
    uint8_t card[2]; /* 1 to 3, 0 while not dealt */
    uint8_t stage;
    uint8_t bets; /* chips bet by each side beyond the ante: bit 0 Union, bit 1 Confederate */
    int8_t chips; /* the Union's, when it is over */
    uint8_t unused[3];
};
_Static_assert(sizeof(struct kuhn_state) == 8, "no padding");

struct kuhn {
    bool surrender;
};

const struct lr_ruleset *const lr_rulesets[] = {&kuhn_ruleset, NULL};

static const struct kuhn_state *at(const lr_state *state) { return (const struct kuhn_state *)(const void *)state; }

/* ---- Rules ---- */

static int open_rules(const char *text, size_t length, const char *folder, void **rules, lr_info *info,
                      lr_error *error) {
    (void)folder;
    struct kuhn *kuhn = calloc(1, sizeof *kuhn);
    if (!kuhn) return lr_fail(error, LR_E_MEMORY, "no memory");
    if (memmem(text, length, "broken", 6)) {
        free(kuhn);
        return lr_fail(error, LR_E_SCENARIO, "this one is broken");
    }
    kuhn->surrender = memmem(text, length, "surrender: 1", 12) != NULL;
    info->title = "Kuhn poker";
    info->scenario_hash = kuhn->surrender ? 0xABCDEF : 0x123456;
    info->max_decisions = KUHN_MOST;
    info->score_low = -2;
    info->score_high = 2;
    *rules = kuhn;
    return LR_OK;
}

static void close_rules(void *rules) { free(rules); }

static void start(const void *rules, lr_state *state) {
    (void)rules;
    memset(state, 0, sizeof(struct kuhn_state));
}

static int to_move(const void *rules, const lr_state *state) {
    (void)rules;
    switch (at(state)->stage) {
    case DEAL_UNION:
    case DEAL_CONFEDERATE: return LR_CHANCE;
    case UNION_OPENS:
    case UNION_ANSWERS: return LR_UNION;
    case CONFEDERATE_ANSWERS: return LR_CONFEDERATE;
    default: return LR_NOBODY;
    }
}

static const char *decision(const void *rules, const lr_state *state) {
    static const char *const names[] = {"deal", "deal", "open", "answer", "answer", "over"};
    (void)rules;
    return names[at(state)->stage];
}

static int legal(const void *rules, const lr_state *state, uint16_t *list) {
    const struct kuhn_state *s = at(state);
    int count = 0;
    if (s->stage == OVER) return 0;
    for (int action = 0; action < KUHN_ACTIONS; action++) {
        if (s->stage == DEAL_CONFEDERATE && s->card[0] == action + 1) continue;
        if (s->stage >= UNION_OPENS && action == KUHN_SURRENDER &&
            !(s->stage == UNION_OPENS && ((const struct kuhn *)rules)->surrender))
            continue;
        list[count++] = (uint16_t)action;
    }
    return count;
}

static void mask(const void *rules, const lr_state *state, uint8_t *bits) {
    uint16_t list[KUHN_ACTIONS];
    const int count = legal(rules, state, list);
    bits[0] = 0;
    for (int i = 0; i < count; i++) bits[0] = (uint8_t)(bits[0] | 1u << list[i]);
}

static void end(struct kuhn_state *s, int chips) {
    s->stage = OVER;
    s->chips = (int8_t)chips;
}

static void show_down(struct kuhn_state *s) {
    const int stake = s->bets == 3 ? 2 : 1;
    end(s, s->card[0] > s->card[1] ? stake : -stake);
}

static void apply(const void *rules, lr_state *state, int action) {
    struct kuhn_state *s = (struct kuhn_state *)(void *)state;
    (void)rules;
    switch (s->stage) {
    case DEAL_UNION:
    case DEAL_CONFEDERATE:
        s->card[s->stage] = (uint8_t)(action + 1);
        s->stage++;
        return;
    case UNION_OPENS:
        if (action == KUHN_SURRENDER) {
            end(s, -1);
            return;
        }
        s->bets = action == KUHN_BET;
        s->stage = CONFEDERATE_ANSWERS;
        return;
    case CONFEDERATE_ANSWERS:
        if (action == KUHN_PASS && s->bets)
            end(s, 1);
        else if (action == KUHN_PASS)
            show_down(s);
        else {
            s->bets |= 2;
            if (s->bets == 3)
                show_down(s);
            else
                s->stage = UNION_ANSWERS;
        }
        return;
    case UNION_ANSWERS:
        if (action == KUHN_PASS)
            end(s, -1);
        else {
            s->bets |= 1;
            show_down(s);
        }
        return;
    default: return;
    }
}

static void returns(const void *rules, const lr_state *state, float result[2]) {
    (void)rules;
    const int chips = at(state)->chips;
    result[0] = chips > 0 ? 1.0f : chips < 0 ? -1.0f : 0.0f;
    result[1] = 0.0f - result[0];
}

static int score(const void *rules, const lr_state *state) {
    (void)rules;
    return at(state)->chips;
}

static const char *end_reason(const void *rules, const lr_state *state) {
    (void)rules;
    if (at(state)->stage != OVER) return "";
    return at(state)->chips == 2 || at(state)->chips == -2 ? "showdown after a bet" : "for the ante";
}

static int evaluate(const void *rules, const lr_state *state) {
    (void)rules;
    return at(state)->chips * 500;
}

static void appraise(const void *rules, const lr_state *state, const uint16_t *list, int count, int32_t *appraisals) {
    const struct kuhn_state *s = at(state);
    const uint8_t own = s->card[s->stage == CONFEDERATE_ANSWERS];
    (void)rules;
    for (int i = 0; i < count; i++) appraisals[i] = list[i] == KUHN_BET ? own * 10 : 15 - 10 * list[i];
}

static int check(const void *rules, const lr_state *state, lr_error *error) {
    const struct kuhn_state *s = at(state);
    (void)rules;
    if (s->stage > OVER) return lr_fail(error, LR_E_STATE, "stage %d does not exist", s->stage);
    for (int player = 0; player < 2; player++)
        if (s->card[player] > 3 || (s->card[player] != 0) != (s->stage > player))
            return lr_fail(error, LR_E_STATE, "card %d of player %d cannot be", s->card[player], player);
    if (s->card[0] && s->card[0] == s->card[1]) return lr_fail(error, LR_E_STATE, "one card in two hands");
    if (s->bets > 3 || s->unused[0] || s->unused[1] || s->unused[2]) return lr_fail(error, LR_E_STATE, "bets");
    if ((s->chips != 0) != (s->stage == OVER)) return lr_fail(error, LR_E_STATE, "chips");
    return LR_OK;
}

static int outcomes(const void *rules, const lr_state *state, uint32_t *weights, uint32_t *total) {
    const struct kuhn_state *s = at(state);
    (void)rules;
    *total = 0;
    if (s->stage > DEAL_CONFEDERATE) return 0;
    for (int card = 0; card < 3; card++) {
        weights[card] = s->stage == DEAL_CONFEDERATE && s->card[0] == card + 1 ? 0 : 1;
        *total += weights[card];
    }
    return 3;
}

static uint64_t event(const void *rules, const lr_state *state) {
    (void)rules;
    return at(state)->stage <= DEAL_CONFEDERATE ? at(state)->stage + 1u : 0;
}

/* ---- Texts and observations ---- */

static char *action_text(const void *rules, const lr_state *state, int action, char text[LR_MAX_TEXT]) {
    static const char *const cards[] = {"deal jack", "deal queen", "deal king"};
    static const char *const words[] = {"pass", "bet", "surrender; at once"}; /* awkward on purpose */
    (void)rules;
    snprintf(text, LR_MAX_TEXT, "%s", at(state)->stage <= DEAL_CONFEDERATE ? cards[action] : words[action]);
    return text;
}

static char *heading(const void *rules, const lr_state *state, char text[LR_MAX_TEXT]) {
    (void)rules;
    const char *where = at(state)->stage <= DEAL_CONFEDERATE ? "deal" : at(state)->stage == OVER ? "over" : "betting";
    snprintf(text, LR_MAX_TEXT, "%s", where);
    return text;
}

static int draw(const void *rules, const lr_state *state, bool color, char *text, size_t size) {
    (void)rules, (void)color;
    struct lr_writer writer = {.text = text, .size = size};
    lr_write(&writer, "%d against %d\n", at(state)->card[0], at(state)->card[1]);
    return (int)writer.length;
}

static int format(const void *rules, const lr_state *state, const char *scenario, char *text, size_t size) {
    const struct kuhn_state *s = at(state);
    (void)rules;
    struct lr_writer writer = {.text = text, .size = size};
    lr_write(&writer, "longroll: 1\nscenario: %s\nstate: [%d, %d, %d, %d, %d]\n", scenario, s->card[0], s->card[1],
             s->stage, s->bets, s->chips);
    return (int)writer.length;
}

static int parse(const void *rules, const char *text, size_t length, lr_state *state, lr_error *error) {
    struct kuhn_state *s = (struct kuhn_state *)(void *)state;
    char copy[256];
    (void)rules;
    if (length >= sizeof copy) return lr_fail(error, LR_E_STATE, "too long");
    memcpy(copy, text, length);
    copy[length] = '\0';
    const char *line = strstr(copy, "state: [");
    int card[2], stage, bets, chips;
    if (!line || sscanf(line, "state: [%d, %d, %d, %d, %d]", &card[0], &card[1], &stage, &bets, &chips) != 5)
        return lr_fail(error, LR_E_STATE, "no state");
    *s = (struct kuhn_state){.card = {(uint8_t)card[0], (uint8_t)card[1]},
                             .stage = (uint8_t)stage,
                             .bets = (uint8_t)bets,
                             .chips = (int8_t)chips};
    return LR_OK;
}

static void observe(const void *rules, const lr_state *state, int player, uint8_t *pieces, int16_t *globals) {
    const struct kuhn_state *s = at(state);
    (void)rules;
    for (int row = 0; row < 2; row++) {
        const int who = row ? !player : player;
        pieces[row * 2] = row ? 0 : s->card[who];
        pieces[row * 2 + 1] = s->bets >> who & 1;
    }
    globals[0] = (int16_t)player;
    globals[1] = s->stage;
    globals[2] = s->chips;
}

static const lr_column piece_spec[] = {{"card", 0, 3, "the card in hand, 0 unseen"}, {"bet", 0, 1, "has bet"}};
static const lr_column global_spec[] = {
    {"player", 0, 1, "who looks"}, {"stage", 0, 5, "whose turn it is"}, {"chips", -2, 2, "won by the Union"}};

const struct lr_ruleset kuhn_ruleset = {.name = "kuhn",
                                        .version = 3,
                                        .state_bytes = sizeof(struct kuhn_state),
                                        .actions = KUHN_ACTIONS,
                                        .hidden = true,
                                        .piece_rows = 2,
                                        .piece_columns = 2,
                                        .global_columns = 3,
                                        .piece_spec = piece_spec,
                                        .global_spec = global_spec,
                                        .open = open_rules,
                                        .close = close_rules,
                                        .start = start,
                                        .to_move = to_move,
                                        .decision = decision,
                                        .legal = legal,
                                        .mask = mask,
                                        .apply = apply,
                                        .returns = returns,
                                        .score = score,
                                        .end_reason = end_reason,
                                        .evaluate = evaluate,
                                        .appraise = appraise,
                                        .check = check,
                                        .outcomes = outcomes,
                                        .event = event,
                                        .action_text = action_text,
                                        .heading = heading,
                                        .draw = draw,
                                        .format = format,
                                        .parse = parse,
                                        .observe = observe};

/* ---- A folder of scenarios ---- */

static char folder[64];

static void remove_folder(void) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    /* NOLINTNEXTLINE(cert-env33-c): a folder that mkdtemp named */
    if (system(command)) fprintf(stderr, "%s is left\n", folder);
}

static void write_scenario(const char *name, const char *text) {
    char path[128];
    snprintf(path, sizeof path, "%s/kuhn/%s.yaml", folder, name);
    lr_error error;
    if (lr_file_write(path, text, strlen(text), &error)) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
}

const char *kuhn_folder(void) {
    if (folder[0]) return folder;
    snprintf(folder, sizeof folder, "/tmp/longroll-test-XXXXXX");
    if (!mkdtemp(folder)) {
        perror(folder);
        exit(1);
    }
    atexit(remove_folder);
    char path[128];
    snprintf(path, sizeof path, "%s/kuhn", folder);
    mkdir(path, 0755);
    write_scenario("plain", "longroll: 1\nextra: [{ruleset: no}, [a]]\nruleset: kuhn\n");
    write_scenario("surrender", "ruleset: kuhn\nsurrender: 1\n");
    setenv("LONGROLL_SCENARIOS", folder, 1);
    return folder;
}

lr_game *kuhn_open(bool surrender) {
    kuhn_folder();
    lr_game *game;
    lr_error error;
    if (lr_game_open(surrender ? "kuhn/surrender" : "kuhn/plain", &game, &error)) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    return game;
}
