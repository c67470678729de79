/* live.c: how a tournament stands, while it is played. */
#include "cli/live.h"
#include "cli/cli.h"
#include "cli/report.h"
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static const double table_pause = 0.2, line_pause = 5;

void live_start(struct live *live, const struct plan *plan, const atomic_int *stop, bool quiet) {
    *live = (struct live){.plan = plan, .stop = stop, .started = seconds_now(), .quiet = quiet};
    live->shown = live->started;
    live->terminal = isatty(STDERR_FILENO);
}

static void put_time(FILE *out, double seconds) {
    const long whole = seconds < 1e8 ? lround(seconds) : 99999999;
    if (whole >= 3600) fprintf(out, "%ld:", whole / 3600);
    fprintf(out, "%0*ld:%02ld", whole >= 3600 ? 2 : 1, whole / 60 % 60, whole % 60);
}

static void put_progress(const struct live *live, const struct tournament_news *news, double now, FILE *out) {
    const double rate = now > live->started ? (double)news->played / (now - live->started) : 0;
    const int64_t done = news->done < news->games ? news->done : news->games;
    fprintf(out, "%lld/%lld games, %.1f games/s, ", (long long)done, (long long)news->games, rate);
    if (rate > 0)
        put_time(out, (double)(news->games - done) / rate);
    else
        fputs("?", out);
    static const char *const stops[] = {"", "; stopping once they end (Ctrl-C breaks them off)", "; breaking them off"};
    fprintf(out, " left, %d running%s", news->running, stops[atomic_load(live->stop)]);
}

static void put_elo(const struct tally *tally, FILE *out) {
    struct strength strength;
    char value[ELO_TEXT], low[ELO_TEXT], high[ELO_TEXT];
    strength_of(tally, &strength);
    fprintf(out, "%s (%s to %s)", elo_text(strength.elo.value, value), elo_text(strength.elo.low, low),
            elo_text(strength.elo.high, high));
}

static void put_sprt(const struct tournament_news *news, FILE *out) {
    fprintf(out, "sprt %+.2f (H0 at %.2f, H1 at %.2f): %s", news->sprt.ratio, news->sprt.lower, news->sprt.upper,
            sprt_end_name(news->sprt.end));
}

static int64_t games_of(const int64_t games[3]) { return games[0] + games[1] + games[2]; }

static void put_share(const int64_t games[3], FILE *out) {
    const int64_t count = games_of(games);
    if (count)
        fprintf(out, " %6.1f %%", 50.0 * (double)(games[1] + 2 * games[2]) / (double)count);
    else
        fprintf(out, " %8s", "-");
}

static void put_bot(const struct plan_bot *bot, const struct bot_news *news, FILE *out) {
    char *elo = NULL;
    size_t size;
    int64_t both[3];
    for (int i = 0; i < 3; i++) both[i] = news->games[LR_UNION][i] + news->games[LR_CONFEDERATE][i];
    FILE *text = open_memstream(&elo, &size);
    if (!text) return;
    put_elo(&news->tally, text);
    fclose(text);
    fprintf(out, "  %-20.20s %7lld", bot->name, (long long)games_of(both));
    put_share(both, out);
    put_share(news->games[LR_UNION], out);
    put_share(news->games[LR_CONFEDERATE], out);
    fprintf(out, " %6lld  %s\n", (long long)news->faults, elo ? elo : "");
    free(elo);
}

/* The wins of a side over all games: each game is in the record of the bot that had it. */
static void put_sides(const struct live *live, const struct tournament_news *news, FILE *out) {
    int64_t as_union[3] = {0};
    for (unsigned bot = 0; bot < live->plan->bot_count; bot++)
        for (int i = 0; i < 3; i++) as_union[i] += news->bots[bot].games[LR_UNION][i];
    fprintf(out, "union won %lld, drew %lld, lost %lld", (long long)as_union[2], (long long)as_union[1],
            (long long)as_union[0]);
}

static void put_table(struct live *live, const struct tournament_news *news, double now) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return;
    put_progress(live, news, now, out);
    fputs("\n", out);
    put_sides(live, news, out);
    if (live->plan->format == PLAN_SPRT) {
        fputs("; ", out);
        put_sprt(news, out);
    }
    fprintf(out, "\n  %-20s %7s %8s %8s %8s %6s  %s\n", "bot", "games", "score", "union", "confed.", "faults",
            "Elo to the field");
    for (unsigned bot = 0; bot < live->plan->bot_count; bot++) put_bot(&live->plan->bots[bot], &news->bots[bot], out);
    if (!fclose(out)) {
        if (live->lines) fprintf(stderr, "\033[%dA\033[J", live->lines);
        fprintf(stderr, "\033[?7l%s\033[?7h", text); /* lines too long for the terminal are cut, not wrapped */
        fflush(stderr);
        live->lines = 3 + (int)live->plan->bot_count;
    }
    free(text);
}

static void put_line(const struct live *live, const struct tournament_news *news, double now) {
    enum { MOST = 4 };
    put_progress(live, news, now, stderr);
    fputs("; ", stderr);
    put_sides(live, news, stderr);
    for (unsigned bot = 0; bot < live->plan->bot_count && bot < MOST; bot++) {
        fprintf(stderr, "; %.24s ", live->plan->bots[bot].name);
        put_elo(&news->bots[bot].tally, stderr);
    }
    if (live->plan->format == PLAN_SPRT) {
        fputs("; ", stderr);
        put_sprt(news, stderr);
    }
    fputc('\n', stderr);
}

void live_show(void *context, const struct tournament_news *news) {
    struct live *live = context;
    const double now = seconds_now();
    if (live->quiet || now - live->shown < (live->terminal ? table_pause : line_pause)) return;
    live->shown = now;
    if (live->terminal)
        put_table(live, news, now);
    else
        put_line(live, news, now);
}
