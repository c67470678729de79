/* fraction.h: exact numbers for exact values: fractions of 128-bit integers in lowest terms.
 *
 * A value over a few dozen ten-sided dice has a denominator of 10^20 and more, which no double holds; two actions that are
 * equally good must compare equal, so values of solved positions are fractions. Results that would need more than
 * 128 bits are refused, never rounded. */
#ifndef FRACTION_H
#define FRACTION_H

#include <stdbool.h>
#include <stdint.h>

/* Always in lowest terms with denominator > 0; zero is 0/1. */
struct fraction {
    __int128 numerator, denominator;
};

enum { FRACTION_TEXT = 96 };

static inline struct fraction fraction_whole(int64_t whole) { return (struct fraction){whole, 1}; }

/* *sum += weight * value. False, with *sum unchanged, if that does not fit. */
bool fraction_add(struct fraction *sum, struct fraction value, uint32_t weight);

/* *value /= divisor (> 0). False, with *value unchanged, if that does not fit. */
bool fraction_divide(struct fraction *value, uint32_t divisor);

/* Below, equal to, above 0 as left is less than, equal to, greater than right. Always exact. */
int fraction_compare(struct fraction left, struct fraction right);

/* The nearest double but for one rounding each of numerator, denominator and quotient. */
double fraction_double(struct fraction value);

/* "-1/18", or "2" for a whole number. Returns `text`. */
char *fraction_text(struct fraction value, char text[FRACTION_TEXT]);

/* Reads such a text, all of it. False if it is no fraction, is not in lowest terms or does not fit. */
bool fraction_parse(const char *text, struct fraction *value);

#endif
