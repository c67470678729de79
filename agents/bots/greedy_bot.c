/* greedy_bot.c: a bot that knows the rules: it links liblongroll and plays what the ruleset's habits think best. It speaks the
 * protocol of agents/BOTS.md; put your own idea into best_action().
 *
 *     longroll play cedar-mountain/gate --union "exec:build/release/bots/greedy_bot"
 *     greedy_bot 4000        # serve on TCP port 4000 of this machine, any number of games at once, for "tcp:localhost:4000"
 *
 * It follows the game by the actions that it is told; with --state it asks for the position before each question. */
#include "env/longroll.h"
#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static lr_game *game;
static lr_state *state;
static bool wants_state;

static int best_action(void) {
    uint16_t legal[LR_MAX_ACTIONS];
    int32_t appraisals[LR_MAX_ACTIONS];
    int count = lr_legal(game, state, legal), best = 0;
    lr_appraise(game, state, legal, count, appraisals);
    for (int i = 1; i < count; i++)
        if (appraisals[i] > appraisals[best]) best = i;
    return legal[best];
}

static void leave_game(void) {
    lr_game_close(game);
    free(state);
    game = NULL;
    state = NULL;
}

/* Opening a scenario takes some tens of milliseconds: the last one is kept. */
static int open_game(const char *scenario, lr_error *error) {
    if (game && strcmp(lr_game_info(game)->scenario, scenario) == 0) return LR_OK;
    leave_game();
    int code = lr_game_open(scenario, &game, error);
    if (!code) state = malloc((size_t)lr_game_info(game)->state_bytes);
    return code;
}

/* newgame SIDE HASH SCENARIO */
static void new_game(FILE *to, char *arguments) {
    char side[16] = "", hash[17] = "";
    int scenario = 0;
    lr_error error;
    sscanf(arguments, "%15s %16s %n", side, hash, &scenario);
    if (open_game(arguments + scenario, &error)) {
        fprintf(to, "? %s\n", error.text);
    } else if (!state || strtoull(hash, NULL, 16) != lr_game_info(game)->scenario_hash) {
        fputs("? I have another scenario of that name\n", to);
        leave_game();
    } else {
        lr_start(game, state);
        fputs("=\n", to);
    }
}

/* play MOVER ID TEXT */
static void play(FILE *to, const char *arguments) {
    lr_error error;
    char *end;
    const char *id = arguments + strcspn(arguments, " ");
    const long action = strtol(id, &end, 10);
    if (!game || end == id || action < 0 || action >= LR_MAX_ACTIONS)
        fputs("? there is no game, or no action\n", to);
    else if (!wants_state && lr_apply(game, state, (int)action, &error))
        fprintf(to, "? %s\n", error.text);
    else
        fputs("=\n", to);
}

static unsigned digit(char hex) { return (unsigned)(hex <= '9' ? hex - '0' : hex - 'a' + 10); }

/* state HEX: bytes from outside are checked before they become the state. */
static void take_state(FILE *to, const char *hex) {
    size_t size = game ? (size_t)lr_game_info(game)->state_bytes : 0;
    lr_state *told = aligned_alloc(64, (size + 64) / 64 * 64);
    lr_error error;
    if (!told || size == 0 || strlen(hex) != 2 * size || strspn(hex, "0123456789abcdef") != 2 * size) {
        fputs("? there is no game, or these are not the bytes of a state\n", to);
        free(told);
        return;
    }
    for (size_t i = 0; i < size; i++)
        ((unsigned char *)told)[i] = (unsigned char)(digit(hex[2 * i]) << 4 | digit(hex[2 * i + 1]));
    if (lr_state_check(game, told, &error)) {
        fprintf(to, "? %s\n", error.text);
    } else {
        memcpy(state, told, size);
        fputs("=\n", to);
    }
    free(told);
}

/* choose LEFT<TAB>ID TEXT<TAB>...: the list is not needed by one who knows the rules. */
static void choose(FILE *to) {
    if (!game || lr_to_move(game, state) > LR_CONFEDERATE)
        fputs("? it is nobody's turn here\n", to);
    else
        fprintf(to, "= %d\n", best_action());
}

static void answer(FILE *to, char *line) {
    char *arguments = line + strcspn(line, " \t");
    if (*arguments) *arguments++ = 0;
    if (strcmp(line, "protocol_version") == 0)
        fputs("= 1\n", to);
    else if (strcmp(line, "name") == 0)
        fputs("= Greedy bot\n", to);
    else if (strcmp(line, "version") == 0)
        fputs("= " LR_VERSION "\n", to);
    else if (strcmp(line, "known_command") == 0)
        fputs(wants_state && strcmp(arguments, "state") == 0 ? "= true\n" : "= false\n", to);
    else if (strcmp(line, "newgame") == 0)
        new_game(to, arguments);
    else if (strcmp(line, "state") == 0)
        take_state(to, arguments);
    else if (strcmp(line, "play") == 0)
        play(to, arguments);
    else if (strcmp(line, "choose") == 0)
        choose(to);
    else if (strcmp(line, "clock") == 0 || strcmp(line, "result") == 0 || strcmp(line, "quit") == 0)
        fputs("=\n", to);
    else
        fputs("? unknown command\n", to);
    fflush(to);
}

static void converse(FILE *from, FILE *to) {
    char *line = NULL;
    size_t size = 0;
    bool quit = false;
    while (!quit && getline(&line, &size, from) > 0) {
        line[strcspn(line, "\r\n")] = 0;
        quit = strcmp(line, "quit") == 0;
        if (*line) answer(to, line);
    }
    free(line);
    leave_game();
}

static int serve(const char *port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)strtoul(port, NULL, 10))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    signal(SIGCHLD, SIG_IGN); /* each connection has a process, which nobody waits for */
    const int on = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener, (const struct sockaddr *)&address, sizeof address) || listen(listener, 1)) {
        perror("greedy_bot: cannot listen");
        return 1;
    }
    for (;;) {
        int connection = accept(listener, NULL, NULL);
        if (connection < 0) continue;
        if (fork() == 0) {
            FILE *from = fdopen(connection, "r"), *to = fdopen(dup(connection), "w");
            if (from && to) converse(from, to);
            _exit(0);
        }
        close(connection);
    }
}

int main(int argc, char **argv) {
    wants_state = argc > 1 && strcmp(argv[1], "--state") == 0;
    if (argc > 1 + wants_state) return serve(argv[1 + wants_state]);
    converse(stdin, stdout);
    return 0;
}
