/* fraction.c: see fraction.h. */
#include "agents/fraction.h"
#include <stdio.h>
#include <string.h>

typedef unsigned __int128 wide;

static wide magnitude(__int128 x) { return x < 0 ? -(wide)x : (wide)x; }

static int trailing_zeros(wide x) {
    const uint64_t low = (uint64_t)x;
    return low ? __builtin_ctzll(low) : 64 + __builtin_ctzll((uint64_t)(x >> 64));
}

static uint64_t narrow_divisor(uint64_t a, uint64_t b) { /* both odd */
    while (a != b) {
        if (a < b) {
            const uint64_t swap = a;
            a = b;
            b = swap;
        }
        a -= b;
        a >>= __builtin_ctzll(a);
    }
    return a;
}

/* Greatest common divisor by halving; most of the numbers soon fit in 64 bits. b > 0. */
static wide common_divisor(wide a, wide b) {
    if (!a) return b;
    const int twos_a = trailing_zeros(a), twos_b = trailing_zeros(b);
    a >>= twos_a;
    b >>= twos_b;
    while ((a | b) >> 64) {
        if (a == b) return a << (twos_a < twos_b ? twos_a : twos_b);
        if (a < b) {
            const wide swap = a;
            a = b;
            b = swap;
        }
        a -= b;
        a >>= trailing_zeros(a);
    }
    return (wide)narrow_divisor((uint64_t)a, (uint64_t)b) << (twos_a < twos_b ? twos_a : twos_b);
}

static struct fraction reduced(__int128 numerator, __int128 denominator) {
    const wide divisor = common_divisor(magnitude(numerator), (wide)denominator);
    return (struct fraction){numerator / (__int128)divisor, denominator / (__int128)divisor};
}

bool fraction_add(struct fraction *sum, struct fraction value, uint32_t weight) {
    __int128 numerator, mine, denominator = sum->denominator;
    if (__builtin_mul_overflow(value.numerator, (__int128)weight, &numerator)) return false;
    if (sum->denominator == value.denominator) {
        if (__builtin_add_overflow(sum->numerator, numerator, &numerator)) return false;
    } else {
        const __int128 common = (__int128)common_divisor((wide)sum->denominator, (wide)value.denominator);
        if (__builtin_mul_overflow(numerator, sum->denominator / common, &numerator) ||
            __builtin_mul_overflow(sum->numerator, value.denominator / common, &mine) ||
            __builtin_add_overflow(mine, numerator, &numerator) ||
            __builtin_mul_overflow(sum->denominator, value.denominator / common, &denominator))
            return false;
    }
    *sum = reduced(numerator, denominator);
    return true;
}

bool fraction_divide(struct fraction *value, uint32_t divisor) {
    const __int128 common = (__int128)common_divisor(magnitude(value->numerator), divisor);
    __int128 denominator;
    if (__builtin_mul_overflow(value->denominator, (__int128)divisor / common, &denominator)) return false;
    *value = (struct fraction){value->numerator / common, denominator};
    return true;
}

static __int128 floor_of(struct fraction x) {
    const __int128 quotient = x.numerator / x.denominator;
    return quotient * x.denominator > x.numerator ? quotient - 1 : quotient;
}

/* By continued fractions, so that nothing is multiplied that could overflow. */
int fraction_compare(struct fraction left, struct fraction right) {
    for (;;) {
        const __int128 whole_left = floor_of(left), whole_right = floor_of(right);
        if (whole_left != whole_right) return whole_left < whole_right ? -1 : 1;
        const __int128 rest_left = left.numerator - whole_left * left.denominator;
        const __int128 rest_right = right.numerator - whole_right * right.denominator;
        if (!rest_left || !rest_right) return (rest_left > 0) - (rest_right > 0);
        const struct fraction swap = {right.denominator, rest_right}; /* the greater rest has the lesser reciprocal */
        right = (struct fraction){left.denominator, rest_left};
        left = swap;
    }
}

double fraction_double(struct fraction value) { return (double)value.numerator / (double)value.denominator; }

static char *write_wide(wide x, char *end) {
    do *--end = (char)('0' + (int)(x % 10));
    while (x /= 10);
    return end;
}

char *fraction_text(struct fraction value, char text[FRACTION_TEXT]) {
    char numerator[48] = {0}, denominator[48] = {0};
    const char *above = write_wide(magnitude(value.numerator), numerator + 47);
    const char *below = write_wide((wide)value.denominator, denominator + 47);
    const bool whole = value.denominator == 1;
    snprintf(text, FRACTION_TEXT, "%s%s%s%s", value.numerator < 0 ? "-" : "", above, whole ? "" : "/",
             whole ? "" : below);
    return text;
}

static const char *read_wide(const char *text, __int128 *number) {
    if (*text < '0' || *text > '9') return NULL;
    for (*number = 0; *text >= '0' && *text <= '9'; text++)
        if (__builtin_mul_overflow(*number, (__int128)10, number) ||
            __builtin_add_overflow(*number, (__int128)(*text - '0'), number))
            return NULL;
    return text;
}

bool fraction_parse(const char *text, struct fraction *value) {
    const bool negative = *text == '-';
    struct fraction read = {0, 1};
    text = read_wide(text + negative, &read.numerator);
    if (text && *text == '/') text = read_wide(text + 1, &read.denominator);
    if (!text || *text || !read.denominator) return false;
    if (common_divisor((wide)read.numerator, (wide)read.denominator) != 1) return false;
    if (negative) read.numerator = -read.numerator;
    *value = read;
    return true;
}
