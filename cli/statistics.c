/* statistics.c: means, medians and intervals of what was measured. */
#include "cli/cli.h"
#include <math.h>
#include <stdlib.h>

void sample_add(struct sample *sample, double value) {
    if (!sample->count || value < sample->least) sample->least = value;
    if (!sample->count || value > sample->greatest) sample->greatest = value;
    sample->count++;
    sample->sum += value;
    sample->squares += value * value;
}

double sample_mean(const struct sample *sample) { return sample->count ? sample->sum / sample->count : 0; }

double sample_deviation(const struct sample *sample) {
    if (sample->count < 2) return 0;
    double around = sample->squares - sample->sum * sample->sum / sample->count;
    return around > 0 ? sqrt(around / (sample->count - 1)) : 0;
}

static int ascending(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

double median(double *values, int count) {
    if (count <= 0) return 0;
    qsort(values, (size_t)count, sizeof *values, ascending);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

void wilson(int hits, int count, double *low, double *high) {
    const double z = 1.959964;
    *low = 0;
    *high = 1;
    if (count <= 0) return;
    double p = (double)hits / count, n = count;
    double middle = (p + z * z / (2 * n)) / (1 + z * z / n);
    double half = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n));
    *low = middle - half > 0 && hits > 0 ? middle - half : 0;
    *high = middle + half < 1 && hits < count ? middle + half : 1;
}
