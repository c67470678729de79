/* board.h: a set of up to 512 cells as bits, eight 64-bit words in two 256-bit quads.
 *
 * Used at every decision of a hex game, many times, so everything is inline and written so that gcc and
 * clang turn it into vector code on any machine (the vector type is a compiler extension, not an
 * instruction set). Boards stand inside states: 64 bytes, alignment 8, no padding. */
#ifndef LR_BOARD_H
#define LR_BOARD_H

#include <stdbool.h>
#include <stdint.h>
#ifdef __AVX__
#include <immintrin.h>
#endif

enum { BOARD_CELLS = 512 };

typedef uint64_t board_quad __attribute__((vector_size(32), aligned(8), may_alias));

typedef union board {
    uint64_t word[8];
    struct {
        board_quad low, high;
    };
} board;

_Static_assert(sizeof(board) == 64 && _Alignof(board) == 8, "boards stand in states without padding");

/* Written as quads: see board_only. */
static inline board board_empty(void) { return (board){.low = {0, 0, 0, 0}, .high = {0, 0, 0, 0}}; }

static inline bool board_test(const board *b, unsigned cell) { return b->word[cell >> 6] >> (cell & 63) & 1; }

/* The board with one member. Made in registers: a board written by the word and read by the quad soon after would make
 * the processor wait for the store. */
static inline board board_only(unsigned cell) {
    const board_quad low = {0, 1, 2, 3}, high = {4, 5, 6, 7};
    const uint64_t word = cell >> 6, bit = UINT64_C(1) << (cell & 63);
    return (board){.low = (board_quad)(low == word) & bit, .high = (board_quad)(high == word) & bit};
}
static inline void board_add(board *b, unsigned cell) {
    const board only = board_only(cell);
    b->low |= only.low;
    b->high |= only.high;
}
static inline void board_remove(board *b, unsigned cell) {
    const board only = board_only(cell);
    b->low &= ~only.low;
    b->high &= ~only.high;
}

static inline board board_or(board a, board b) { return (board){.low = a.low | b.low, .high = a.high | b.high}; }
static inline board board_and(board a, board b) { return (board){.low = a.low & b.low, .high = a.high & b.high}; }
static inline board board_minus(board a, board b) { return (board){.low = a.low & ~b.low, .high = a.high & ~b.high}; }

static inline bool board_any(const board *b) {
    board_quad q = b->low | b->high;
#ifdef __AVX__ /* one test instead of eight moves and ors, asked at every level of every flood */
    return !_mm256_testz_si256((__m256i)q, (__m256i)q);
#else
    return (q[0] | q[1] | q[2] | q[3]) != 0;
#endif
}

static inline int board_count(const board *b) {
    int count = 0;
    for (int i = 0; i < 8; i++) count += __builtin_popcountll(b->word[i]);
    return count;
}

/* Every cell's number plus (minus) `by`, 0 < by < 64. Cells pushed off either end are lost. */
static inline board board_up(board b, unsigned by) {
    const board_quad zero = {0, 0, 0, 0};
    board_quad low_carry = __builtin_shufflevector(b.low, zero, 4, 0, 1, 2);
    board_quad high_carry = __builtin_shufflevector(b.low, b.high, 3, 4, 5, 6);
    return (board){.low = b.low << by | low_carry >> (64 - by), .high = b.high << by | high_carry >> (64 - by)};
}
static inline board board_down(board b, unsigned by) {
    const board_quad zero = {0, 0, 0, 0};
    board_quad low_carry = __builtin_shufflevector(b.low, b.high, 1, 2, 3, 4);
    board_quad high_carry = __builtin_shufflevector(b.high, zero, 1, 2, 3, 4);
    return (board){.low = b.low >> by | low_carry << (64 - by), .high = b.high >> by | high_carry << (64 - by)};
}

/* for (board_each(cells, cell)) visits the members in ascending order: `cells` is emptied on the way. */
static inline int board_next(board *b) {
    for (int i = 0; i < 8; i++)
        if (b->word[i]) {
            int bit = __builtin_ctzll(b->word[i]);
            b->word[i] &= b->word[i] - 1;
            return i * 64 + bit;
        }
    return -1;
}

/* Writes the members, each plus `base`, to `list` in ascending order; returns how many. Most words hold fewer than
 * eight, so eight are written at a time without asking which are there: `list` needs room for seven more than there are. */
static inline int board_list(const board *b, int base, uint16_t *list) {
    int count = 0;
    for (int i = 0; i < 8; i++) {
        uint64_t word = b->word[i];
        const int members = __builtin_popcountll(word), start = base + i * 64;
        for (int written = 0; written < members; written += 8)
            for (int k = 0; k < 8; k++, word &= word - 1)
                list[count + written + k] = (uint16_t)(start + (word ? __builtin_ctzll(word) : 0));
        count += members;
    }
    return count;
}

#endif
