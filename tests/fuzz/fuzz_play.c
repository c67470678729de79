/* fuzz_play.c: bytes are a player: each chooses a legal action or outcome, or something that a program does between
 * two of them: save, load, put through text, batch or replay, try what is not legal, alter a byte. After each the
 * invariants hold (fuzz.h).
 *
 * The first byte says where play starts: a game's first state (0 the small one), or one of the state files of perft
 * and of the fuzz target for state files, since a game from its beginning takes hundreds of plies to come to a fight. Then each byte below 0xd0 plays the legal action
 * number (byte mod count) and each other byte is one of the deeds below; some take a byte more. */
#include "fuzz.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLAYS = 0xd0, SLOTS = 4, MOST_STARTS = 128, MOST_DEEDS = 100, MOST_PLIES = 300, MOST_LOOKS = 2 };

enum deed { RUN, SAVE, LOAD, TEXT, CLONE, REPLAY, ALTER, GREEDY, LOOK, DEEDS };

/* A state with all that led to it. Events are those of chance nodes passed: no key may come twice. */
struct line {
    fuzz_state state;
    int length, events;
    uint16_t action[MOST_PLIES];
    uint64_t event[MOST_PLIES];
};

struct start {
    const lr_game *game;
    fuzz_state state;
    bool first; /* the game's first state */
};

struct session {
    const lr_game *game;
    const struct start *start;
    struct fuzz_input input;
    int plies, looks; /* left: a look costs as much as a hundred plies */
    struct line now, slot[SLOTS];
};

static size_t state_bytes(const lr_game *game) { return (size_t)lr_game_info(game)->state_bytes; }

static void note_event(struct line *line, uint64_t event) {
    if (!event) return;
    for (int i = 0; i < line->events; i++) fuzz_require(line->event[i] != event, "an event key came twice");
    line->event[line->events++] = event;
}

static void play(struct session *s, int action) {
    struct line *line = &s->now;
    lr_error error;
    if (s->plies == 0) return;
    s->plies--;
    note_event(line, lr_event(s->game, fuzz_at(&line->state)));
    fuzz_require(lr_apply(s->game, fuzz_of(&line->state), action, &error) == LR_OK, "%s", error.text);
    line->action[line->length++] = (uint16_t)action;
    fuzz_require(line->length <= lr_game_info(s->game)->max_decisions, "more decisions than max_decisions");
}

static void play_number(struct session *s, uint32_t number) {
    uint16_t legal[LR_MAX_ACTIONS];
    const int count = lr_legal(s->game, fuzz_at(&s->now.state), legal);
    if (count) play(s, legal[number % (uint32_t)count]);
}

/* Many plies for two bytes, so that a short input reaches a late turn; only the last state is looked at closely. */
static void run(struct session *s) {
    const unsigned plies = fuzz_byte(&s->input) % 64, stream = fuzz_byte(&s->input);
    for (unsigned i = 0; i < plies; i++) play_number(s, lr_random(stream, i, 1 << 20));
}

static void greedy(struct session *s) {
    uint16_t legal[LR_MAX_ACTIONS];
    int32_t appraisals[LR_MAX_ACTIONS];
    const lr_state *state = fuzz_at(&s->now.state);
    const int mover = lr_to_move(s->game, state), count = lr_legal(s->game, state, legal);
    if (mover != LR_UNION && mover != LR_CONFEDERATE) return play_number(s, fuzz_byte(&s->input));
    lr_appraise(s->game, state, legal, count, appraisals);
    int best = 0;
    for (int i = 1; i < count; i++)
        if (appraisals[i] > appraisals[best]) best = i;
    play(s, legal[best]);
}

/* Through a batch: load, clone, and back to the same bytes. */
static void through_batch(struct session *s) {
    const lr_batch_options options = {.size = 2, .seed = 1, .threads = 1, .chosen_chance = true};
    lr_batch *batch;
    lr_error error;
    fuzz_require(lr_batch_open(s->game, &options, &batch, &error) == LR_OK, "%s", error.text);
    fuzz_require(lr_batch_load(batch, 0, fuzz_at(&s->now.state), LR_DICE_SAME, &error) == LR_OK, "%s", error.text);
    fuzz_require(lr_batch_clone(batch, 0, 1, LR_DICE_FRESH, &error) == LR_OK, "%s", error.text);
    for (int i = 0; i < 2; i++)
        fuzz_require(!memcmp(lr_batch_state(batch, i), s->now.state.bytes, state_bytes(s->game)), "a batch's state");
    lr_batch_close(batch);
}

static lr_replay *replay_of(const struct session *s) {
    lr_replay *replay;
    lr_error error;
    fuzz_require(lr_replay_new(s->game, 1, 0, "a", "b", &replay, &error) == LR_OK, "%s", error.text);
    for (int i = 0; i < s->now.length; i++)
        fuzz_require(lr_replay_add(replay, s->now.action[i], &error) == LR_OK, "%s", error.text);
    fuzz_require(!memcmp(lr_replay_state(replay), s->now.state.bytes, state_bytes(s->game)), "a replay's state");
    return replay;
}

/* Reading opens the game: dear for all but the small one, so the text is read back there only. */
static void through_replay(const struct session *s) {
    static char text[FUZZ_TEXT];
    lr_replay *replay = replay_of(s), *back = NULL;
    lr_game *game = NULL;
    lr_error error;
    const int length = lr_replay_format(replay, text, sizeof text);
    fuzz_require(length > 0 && length < FUZZ_TEXT, "a replay of %d bytes", length);
    if (s->game == fuzz_game(0)) {
        fuzz_require(lr_replay_parse(text, (size_t)length, &back, &game, &error) == LR_OK, "%s in\n%s", error.text,
                     text);
        fuzz_require(lr_replay_hash(back) == lr_replay_hash(replay), "another hash from\n%s", text);
        lr_replay_free(back);
        lr_game_close(game);
    }
    lr_replay_free(replay);
}

static void look(struct session *s, const lr_state *state) {
    if (s->looks-- > 0) fuzz_check_all(s->game, state);
}

/* One byte altered: either it is refused, or the result is as good a state as any. Not the line's own any more. */
static void alter(struct session *s) {
    fuzz_state altered = s->now.state;
    const unsigned at = (fuzz_byte(&s->input) << 8 | fuzz_byte(&s->input)) % (unsigned)state_bytes(s->game);
    altered.bytes[at] = (uint8_t)fuzz_byte(&s->input);
    if (lr_state_check(s->game, fuzz_at(&altered), NULL)) return;
    fuzz_check(s->game, fuzz_at(&altered), at);
    look(s, fuzz_at(&altered));
    fuzz_check_text(s->game, fuzz_at(&altered));
    fuzz_play_on(s->game, fuzz_of(&altered), at, 12);
}

static void load(struct session *s, unsigned slot) {
    if (!s->slot[slot].length) return;
    s->now = s->slot[slot];
    fuzz_check(s->game, fuzz_at(&s->now.state), slot);
}

static void act(struct session *s, enum deed deed) {
    const lr_state *state = fuzz_at(&s->now.state);
    switch (deed) {
    case RUN: run(s); return;
    case SAVE: s->slot[fuzz_byte(&s->input) % SLOTS] = s->now; return;
    case LOAD: load(s, fuzz_byte(&s->input) % SLOTS); return;
    case TEXT: fuzz_check_text(s->game, state); return;
    case CLONE: through_batch(s); return;
    case REPLAY:
        if (s->start->first) through_replay(s);
        return;
    case LOOK: look(s, state); return;
    case ALTER: alter(s); return;
    case GREEDY: greedy(s); return;
    case DEEDS: return;
    }
}

/* ---- Where play starts ---- */

static void add_state_file(struct start *start, const char *path) {
    static char text[FUZZ_TEXT];
    FILE *file = fopen(path, "rb");
    fuzz_require(file != NULL, "no file %s", path);
    const size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    start->game = fuzz_game_of(text, size);
    if (lr_state_parse(start->game, text, size, fuzz_of(&start->state), NULL)) start->game = NULL; /* a former find */
}

/* The state files of a folder, by name, so that a find means the same tomorrow. */
static int add_folder(struct start *starts, int count, const char *folder) {
    struct dirent **entries;
    const int found = scandir(folder, &entries, NULL, alphasort);
    fuzz_require(found > 2, "no files in %s", folder);
    for (int i = 0; i < found; i++) {
        char path[PATH_MAX];
        const int length = snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        fuzz_require(length < PATH_MAX && count < MOST_STARTS, "MOST_STARTS is too small");
        if (entries[i]->d_name[0] != '.') add_state_file(&starts[count], path);
        count += starts[count].game != NULL;
        free(entries[i]);
    }
    free(entries);
    return count;
}

static const struct start *start_of(unsigned number) {
    static struct start starts[MOST_STARTS];
    static int count;
    for (; count < FUZZ_GAMES; count++) {
        starts[count] = (struct start){.game = fuzz_game((unsigned)count), .first = true};
        lr_start(starts[count].game, fuzz_of(&starts[count].state));
    }
    if (count == FUZZ_GAMES) {
        count = add_folder(starts, count, LONGROLL_SOURCE "/tests/fuzz/corpus/state");
        count = add_folder(starts, count, LONGROLL_SOURCE "/tests/perft/states");
    }
    return &starts[number % (unsigned)count];
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static struct session session;
    struct session *s = &session;
    s->input = (struct fuzz_input){bytes, size};
    s->start = start_of(fuzz_byte(&s->input));
    s->game = s->start->game;
    s->plies = MOST_PLIES;
    s->looks = MOST_LOOKS;
    s->now.length = s->now.events = 0;
    for (int i = 0; i < SLOTS; i++) s->slot[i].length = 0;
    s->now.state = s->start->state;
    fuzz_check(s->game, fuzz_at(&s->now.state), 0);
    for (int i = 0; i < MOST_DEEDS && s->input.left; i++) {
        const unsigned byte = fuzz_byte(&s->input);
        if (byte < PLAYS)
            play_number(s, byte);
        else
            act(s, (enum deed)((byte - PLAYS) % DEEDS));
        fuzz_check(s->game, fuzz_at(&s->now.state), byte * 7u + (unsigned)i);
    }
    return 0;
}
