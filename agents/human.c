/* human.c: a person at the terminal: the map, what the others do, numbered choices.
 *
 * Choices are read from standard input, one line each: a number of the list or an action's text. All that is said goes
 * to standard error, so that standard output stays the program's that seats the person. Input is read byte by byte,
 * so that two people can share a terminal (or a test a file) without one buffering the other's lines. */
#include "agents/seat.h"
#include "env/game.h"
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LINE_MOST = 256,     /* bytes of an answer */
    SCREEN_WIDTH = 100,  /* choices share lines of so many columns */
    STOP_CHECK_MS = 100, /* how often a wait looks at table.stop */
    FEW_CHOICES = 10,    /* so many get a line each */
};

struct human {
    struct table table;
    char heading[LR_MAX_TEXT]; /* the last map was shown under it */
    char last[LR_MAX_TEXT];    /* actions were last told under it */
};

static int sit_down(const char *rest, void **self, lr_error *error) {
    (void)rest;
    *self = calloc(1, sizeof(struct human));
    return *self ? LR_OK : lr_fail(error, LR_E_MEMORY, "no memory for a player");
}

static const char *side_name(int mover) {
    return mover == LR_UNION ? "union" : mover == LR_CONFEDERATE ? "confederate" : "chance";
}

static void say_help(void) {
    fputs("Type the number of a choice, or its text. Other words:\n"
          "  map    show the map again\n"
          "  list   show the choices again (an empty line, too)\n"
          "  help   show this\n"
          "  quit   break the game off (so does the end of input)\n",
          stderr);
}

static int begin(void *self, const struct table *table, lr_error *error) {
    (void)error;
    struct human *human = self;
    *human = (struct human){.table = *table};
    fprintf(stderr, "You play the %s in %s. Type help for help.\n", side_name(table->side),
            lr_game_info(table->game)->title);
    return GAME_PLAYED;
}

/* ---- Showing ---- */

static void show_map(const struct human *human, const lr_state *state) {
    const lr_game *game = human->table.game;
    bool color = isatty(STDERR_FILENO) && !getenv("NO_COLOR");
    size_t size = (size_t)lr_draw(game, state, color, NULL, 0) + 1;
    char *text = malloc(size);
    if (!text) return;
    lr_draw(game, state, color, text, size);
    fprintf(stderr, "\n%s\n", text);
    free(text);
}

static void show_choices(const struct human *human, const lr_state *state, const uint16_t *legal, int count) {
    int width = 0;
    char text[LR_MAX_TEXT];
    for (int i = 0; i < count; i++) {
        int length = (int)strlen(lr_action_text(human->table.game, state, legal[i], text));
        if (length > width) width = length;
    }
    int columns = count <= FEW_CHOICES ? 1 : SCREEN_WIDTH / (width + 7);
    if (columns < 1) columns = 1;
    int rows = (count + columns - 1) / columns;
    for (int row = 0; row < rows; row++) {
        for (int i = row; i < count; i += rows) {
            lr_action_text(human->table.game, state, legal[i], text);
            fprintf(stderr, "%5d  %-*s", i + 1, i + rows < count ? width : 0, text);
        }
        fputc('\n', stderr);
    }
}

static void show_decision(struct human *human, const lr_state *state, const uint16_t *legal, int count) {
    char heading[LR_MAX_TEXT];
    lr_heading(human->table.game, state, heading);
    if (strcmp(heading, human->heading) != 0) {
        show_map(human, state);
        memcpy(human->heading, heading, sizeof heading);
    }
    fprintf(stderr, "%s: %s\n", heading, lr_decision(human->table.game, state));
    show_choices(human, state, legal, count);
}

/* ---- Reading ---- */

static bool stopped(const struct table *table) {
    return table->stop && atomic_load_explicit(table->stop, memory_order_relaxed);
}

/* Waits until there is input or its end. Returns enum game_end. */
static int wait_for_input(const struct table *table, int64_t deadline, lr_error *error) {
    for (;;) {
        int64_t left_ms = deadline == INT64_MAX ? STOP_CHECK_MS : (deadline - clock_us() + 999) / 1000;
        if (left_ms < 0) left_ms = 0;
        struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
        int ready = poll(&input, 1, left_ms < STOP_CHECK_MS ? (int)left_ms : STOP_CHECK_MS);
        if (ready > 0) return GAME_PLAYED;
        if (stopped(table)) return lr_fail(error, LR_E_IO, "was stopped"), GAME_STOPPED;
        if (clock_us() >= deadline) return lr_fail(error, LR_E_IO, "ran out of time"), GAME_TIMEOUT;
    }
}

/* Reads a line without its end; what goes beyond LINE_MOST is dropped. */
static int read_line(const struct table *table, int64_t deadline, char line[LINE_MOST], lr_error *error) {
    size_t length = 0;
    for (;;) {
        int end = wait_for_input(table, deadline, error);
        if (end != GAME_PLAYED) return end;
        char byte;
        ssize_t got = read(STDIN_FILENO, &byte, 1);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0 && length == 0) return lr_fail(error, LR_E_IO, "left: the input ended"), GAME_STOPPED;
        if (got <= 0 || byte == '\n') break;
        if (byte && length + 1 < LINE_MOST) line[length++] = byte;
    }
    while (length && strchr(" \t\r", line[length - 1])) length--;
    line[length] = 0;
    return GAME_PLAYED;
}

/* The action that was meant: a number counts in the list, anything else is a text. Negative: none; said why. */
static int meant(const struct human *human, const lr_state *state, const uint16_t *legal, int count, const char *line) {
    if (line[strspn(line, "0123456789")] == 0) {
        long number = strtol(line, NULL, 10);
        if (number >= 1 && number <= count) return legal[number - 1];
        fprintf(stderr, "There is no choice %.20s: type 1 to %d, or help.\n", line, count);
        return -1;
    }
    lr_error error;
    int action = lr_action_parse(human->table.game, state, line, &error);
    if (action < 0) fprintf(stderr, "%s\n", error.text);
    return action;
}

static int choose(void *self, const lr_state *state, const uint16_t *legal, int count, uint64_t stream, int64_t left_us,
                  int *action, lr_error *error) {
    (void)stream;
    struct human *human = self;
    int64_t deadline = clock_deadline(&human->table.clock, left_us);
    show_decision(human, state, legal, count);
    for (;;) {
        char line[LINE_MOST];
        fprintf(stderr, "%s> ", side_name(human->table.side));
        int end = read_line(&human->table, deadline, line, error);
        if (end != GAME_PLAYED) return fputc('\n', stderr), end;
        const char *word = line + strspn(line, " \t");
        if (strcmp(word, "quit") == 0) return lr_fail(error, LR_E_IO, "left"), GAME_STOPPED;
        if (strcmp(word, "help") == 0) {
            say_help();
        } else if (strcmp(word, "map") == 0) {
            show_map(human, state);
        } else if (*word == 0 || strcmp(word, "list") == 0) {
            show_choices(human, state, legal, count);
        } else {
            *action = meant(human, state, legal, count, word);
            if (*action >= 0) return GAME_PLAYED;
        }
    }
}

/* Says what others do: their own actions people know. */
static int told(void *self, const lr_state *before, int action, lr_error *error) {
    (void)error;
    struct human *human = self;
    const lr_game *game = human->table.game;
    int mover = lr_to_move(game, before);
    if (mover == human->table.side) return GAME_PLAYED;
    char heading[LR_MAX_TEXT], text[LR_MAX_TEXT];
    lr_heading(game, before, heading);
    if (strcmp(heading, human->last) != 0) fprintf(stderr, "-- %s\n", heading);
    memcpy(human->last, heading, sizeof heading);
    fprintf(stderr, "%s: %s: %s\n", side_name(mover), lr_decision(game, before),
            lr_action_text(game, before, action, text));
    return GAME_PLAYED;
}

static void finish(void *self, const struct game_result *result) {
    const struct human *human = self;
    const char *outcome = result->end == GAME_STOPPED           ? "The game is broken off"
                          : result->winner == LR_NOBODY         ? "A draw"
                          : result->winner == human->table.side ? "You win"
                                                                : "You lose";
    fprintf(stderr, "%s: %s.\n", outcome, result->reason);
}

const struct player_kind player_human = {
    .form = {"human", "a person at the terminal: reads choices from standard input, shows the game on standard error"},
    .open = sit_down,
    .close = free,
    .begin = begin,
    .choose = choose,
    .told = told,
    .finish = finish,
};
