/* regretplot.c: regret against effort (nodes for each decision), both on logarithmic scales, as text and as an SVG file.
 * Agents that do not look ahead are level lines. No regret at all is drawn on the bottom line. */
#include "cli/cli.h"
#include "cli/regret.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CURVES = 16 };

/* The rows of one family, in the order in which they were measured. */
struct curve {
    const char *family;
    const struct regret_row *row[64];
    int count;
    bool level; /* it does not look ahead */
};

struct plot {
    struct curve curve[MOST_CURVES];
    int curves;
    int first, last; /* powers of ten at the ends of the horizontal axis */
    int bottom, top; /* and of the vertical one */
};

static struct curve *curve_of(struct plot *plot, const struct regret_row *row) {
    for (int i = 0; i < plot->curves; i++)
        if (!strcmp(plot->curve[i].family, row->family)) return &plot->curve[i];
    if (plot->curves == MOST_CURVES) return NULL;
    struct curve *curve = &plot->curve[plot->curves++];
    *curve = (struct curve){.family = row->family, .level = row->nodes < 1};
    return curve;
}

/* The powers of ten that hold all of the numbers (> 0) between them. */
struct span {
    double least, most;
};

static void widen(struct span *span, double number) {
    if (number <= 0) return;
    if (number < span->least) span->least = number;
    if (number > span->most) span->most = number;
}

static void take_powers(struct span span, int *first, int *last) {
    *first = span.most > 0 ? (int)floor(log10(span.least)) : 0;
    *last = span.most > 0 ? (int)ceil(log10(span.most)) : 0;
    if (*last <= *first) *last = *first + 1;
}

static void lay_out(struct plot *plot, const struct regret_row *rows, int count) {
    struct span nodes = {1e300, 0}, regrets = {1e300, 0};
    memset(plot, 0, sizeof *plot);
    for (int i = 0; i < count; i++) {
        struct curve *curve = curve_of(plot, &rows[i]);
        if (curve) curve->row[curve->count++] = &rows[i];
        widen(&nodes, rows[i].nodes);
        widen(&regrets, rows[i].regret);
        widen(&regrets, rows[i].regret_high);
    }
    take_powers(nodes, &plot->first, &plot->last);
    take_powers(regrets, &plot->bottom, &plot->top);
}

/* Where on its axis, from 0 to 1. */
static double across(const struct plot *plot, double nodes) {
    return (log10(nodes) - plot->first) / (plot->last - plot->first);
}

static double upwards(const struct plot *plot, double regret) {
    const double least = pow(10, plot->bottom);
    return (log10(regret > least ? regret : least) - plot->bottom) / (plot->top - plot->bottom);
}

/* ---- Text ---- */

enum { WIDE = 64, HIGH = 18 };

static void put_curve(const struct plot *plot, int index, char grid[HIGH + 1][WIDE + 2]) {
    const struct curve *curve = &plot->curve[index];
    for (int i = 0; i < curve->count; i++) {
        const int y = HIGH - (int)lround(upwards(plot, curve->row[i]->regret) * HIGH);
        if (!curve->level) {
            grid[y][(int)lround(across(plot, curve->row[i]->nodes) * WIDE)] = (char)('a' + index);
            continue;
        }
        for (int x = 0; x <= WIDE; x++)
            if (x % 4 == 0 && grid[y][x] == ' ') grid[y][x] = '-';
        grid[y][0] = (char)('a' + index);
    }
}

void regret_plot_text(const struct regret_row *rows, int count) {
    struct plot plot;
    char grid[HIGH + 1][WIDE + 2];
    lay_out(&plot, rows, count);
    memset(grid, ' ', sizeof grid);
    for (int y = 0; y <= HIGH; y++) grid[y][WIDE + 1] = '\0';
    for (int i = 0; i < plot.curves; i++) put_curve(&plot, i, grid);
    printf("\nregret\n");
    for (int y = 0; y <= HIGH; y++) {
        if (y % 3 == 0)
            printf("%7.4f |%s\n", pow(10, plot.top - (plot.top - plot.bottom) * (double)y / HIGH), grid[y]);
        else
            printf("        |%s\n", grid[y]);
    }
    printf("        +");
    for (int x = 0; x <= WIDE; x++) putchar('-');
    printf("\n        10^%-3d %*s10^%d nodes for each decision\n", plot.first, WIDE - 9, "", plot.last);
    for (int i = 0; i < plot.curves; i++) printf("%9c  %s\n", 'a' + i, plot.curve[i].family);
}

/* ---- SVG ---- */

static const double left_edge = 64, right_edge = 620, top_edge = 48, bottom_edge = 368;

static double x_of(const struct plot *plot, double nodes) {
    return left_edge + across(plot, nodes) * (right_edge - left_edge);
}

static double y_of(const struct plot *plot, double regret) {
    return bottom_edge - upwards(plot, regret) * (bottom_edge - top_edge);
}

static const char *colour_of(int index) {
    static const char *const colours[] = {"#777777", "#b07800", "#1f6fb4", "#c0392b", "#2e8b57", "#7d3c98", "#0e8a8a"};
    return colours[index % (int)(sizeof colours / sizeof *colours)];
}

static void write_axes(FILE *file, const struct plot *plot) {
    for (int step = 0; step <= 2 * (plot->top - plot->bottom); step++) { /* at 1, 3, 10, 30, ... */
        const int power = plot->bottom + step / 2;
        const double regret = pow(10, power) * (step % 2 ? 3 : 1), y = y_of(plot, regret);
        fprintf(file, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"#ddd\"/>\n", left_edge, y, right_edge);
        fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n", left_edge - 8, y + 4, regret);
    }
    for (int power = plot->first; power <= plot->last; power++) {
        const double x = x_of(plot, pow(10, power));
        fprintf(file, "<path d=\"M%.1f %.1fV%.1f\" stroke=\"#ddd\"/>\n", x, top_edge, bottom_edge);
        fprintf(file,
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">10<tspan dy=\"-5\" font-size=\"9\">%d</tspan>"
                "</text>\n",
                x, bottom_edge + 20, power);
    }
    fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">nodes for each decision</text>\n",
            (left_edge + right_edge) / 2, bottom_edge + 42);
    fprintf(file,
            "<text transform=\"translate(18 %.1f) rotate(-90)\" text-anchor=\"middle\">regret, expected return"
            "</text>\n",
            (top_edge + bottom_edge) / 2);
}

static void write_level(FILE *file, const struct plot *plot, const struct curve *curve, const char *colour) {
    for (int i = 0; i < curve->count; i++)
        fprintf(file, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"%s\" stroke-width=\"1.5\" stroke-dasharray=\"6 4\"/>\n",
                left_edge, y_of(plot, curve->row[i]->regret), right_edge, colour);
}

static void write_curve(FILE *file, const struct plot *plot, const struct curve *curve, const char *colour) {
    fprintf(file, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\" d=\"", colour);
    for (int i = 0; i < curve->count; i++)
        fprintf(file, "%c%.1f %.1f", i ? 'L' : 'M', x_of(plot, curve->row[i]->nodes),
                y_of(plot, curve->row[i]->regret));
    fprintf(file, "\"/>\n");
    for (int i = 0; i < curve->count; i++) {
        const struct regret_row *row = curve->row[i];
        const double x = x_of(plot, row->nodes);
        fprintf(file, "<path d=\"M%.1f %.1fV%.1f\" stroke=\"%s\" stroke-opacity=\".5\"/>\n", x,
                y_of(plot, row->regret_low), y_of(plot, row->regret_high), colour);
        fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"><title>%s: %.4f</title></circle>\n", x,
                y_of(plot, row->regret), colour, row->spec, row->regret);
    }
}

/* A text that may hold any characters. Specs need no such care: agent_open takes none with markup in it. */
static void write_text(FILE *file, const char *text) {
    for (; *text; text++) {
        if (strchr("<>&", *text))
            fprintf(file, "&#%d;", *text);
        else
            fputc(*text, file);
    }
}

static void write_svg(FILE *file, const struct plot *plot, const char *title) {
    const double height = bottom_edge + 64 + 18 * plot->curves;
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 660 %.0f\" font-family=\"sans-serif\" "
            "font-size=\"12\">\n<rect width=\"660\" height=\"%.0f\" fill=\"white\"/>\n<text x=\"%.1f\" y=\"28\" "
            "font-size=\"15\">",
            height, height, left_edge);
    write_text(file, title);
    fputs("</text>\n", file);
    write_axes(file, plot);
    for (int i = 0; i < plot->curves; i++) {
        const struct curve *curve = &plot->curve[i];
        const double y = bottom_edge + 64 + 18 * i;
        if (curve->level)
            write_level(file, plot, curve, colour_of(i));
        else
            write_curve(file, plot, curve, colour_of(i));
        fprintf(file, "<path d=\"M%.1f %.1fh28\" stroke=\"%s\" stroke-width=\"2\"%s/>\n", left_edge, y, colour_of(i),
                curve->level ? " stroke-dasharray=\"6 4\"" : "");
        fprintf(file, "<text x=\"%.1f\" y=\"%.1f\">%s</text>\n", left_edge + 36, y + 4, curve->family);
    }
    fputs("</svg>\n", file);
}

int regret_plot_svg(const struct regret_row *rows, int count, const char *title, const char *path) {
    struct plot plot;
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    if (!file) return fail(EXIT_FAULT, "no memory to draw %s", path);
    lay_out(&plot, rows, count);
    write_svg(file, &plot, title);
    lr_error error = {0};
    int code = fclose(file) ? fail(EXIT_FAULT, "no memory to draw %s", path) : EXIT_DONE;
    if (!code && lr_file_write(path, text, length, &error)) code = fail_library(&error);
    free(text);
    return code;
}
