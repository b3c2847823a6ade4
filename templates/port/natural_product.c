// Products and squares of natural numbers by schoolbook multiplication: O(n * m) for n and m
// digits.
#include "natural.h"

// Adds up to GPUSNEK_ROWS rows a * b[at] to the product. A row sets, not adds to, its most
// significant digit.
static void add_rows(uint32_t *product, const uint32_t *a, size_t a_count, const uint32_t *b,
    size_t b_count, size_t at) {
    for (int row = 0; row < GPUSNEK_ROWS && at < b_count; ++row, ++at) {
        product[at + a_count] = gpusnek_add_product(product + at, a, a_count, b[at]);
    }
}

static MP_NOINLINE void add_further_rows(
    uint32_t *product, const uint32_t *a, size_t a_count, const uint32_t *b, size_t b_count) {
    for (size_t at = GPUSNEK_ROWS; at < b_count; at += GPUSNEK_ROWS) {
        add_rows(product, a, a_count, b, b_count, at);
        gpusnek_charge(GPUSNEK_ROWS * a_count);
    }
}

void gpusnek_multiply(
    uint32_t *product, const uint32_t *a, size_t a_count, const uint32_t *b, size_t b_count) {
    const bool swapped = a_count < b_count; // few long rows cost less than many short rows
    const uint32_t *longer = swapped ? b : a;
    const uint32_t *shorter = swapped ? a : b;
    const size_t count = swapped ? b_count : a_count;
    const size_t rows = swapped ? a_count : b_count;
    for (size_t i = 0; i < count; ++i) {
        product[i] = 0;
    }
    add_rows(product, longer, count, shorter, rows, 0);
    if (rows > GPUSNEK_ROWS) {
        add_further_rows(product, longer, count, shorter, rows);
    }
}

// Adds up to GPUSNEK_ROWS rows a[at] * (the digits of a above it) to the square. A row sets, not
// adds to, its most significant digit.
static void add_half_rows(uint32_t *square, const uint32_t *a, size_t count, size_t at) {
    for (int row = 0; row < GPUSNEK_ROWS && at < count; ++row, ++at) {
        square[at + count] =
            gpusnek_add_product(square + 2 * at + 1, a + at + 1, count - at - 1, a[at]);
    }
}

static MP_NOINLINE void add_further_half_rows(uint32_t *square, const uint32_t *a, size_t count) {
    for (size_t at = GPUSNEK_ROWS; at < count; at += GPUSNEK_ROWS) {
        add_half_rows(square, a, count, at);
        gpusnek_charge(GPUSNEK_ROWS * (count - at));
    }
}

// Computes square = 2 * square + the squares of a's digits.
static inline void double_and_add_squares(uint32_t *square, const uint32_t *a, size_t count) {
    uint64_t shifted = 0;
    uint64_t carry = 0;
    for (size_t i = 0; i < count; ++i) {
        const uint64_t pair = (uint64_t)square[2 * i + 1] << 32 | square[2 * i];
        const uint64_t twice = pair << 1 | shifted;
        const uint64_t sum = twice + (uint64_t)a[i] * a[i];
        const uint64_t total = sum + carry;
        shifted = pair >> 63;
        carry = (sum < twice) | (total < carry);
        square[2 * i] = (uint32_t)total;
        square[2 * i + 1] = (uint32_t)(total >> 32);
        gpusnek_stretch(i, 1);
    }
}

void gpusnek_square(uint32_t *square, const uint32_t *a, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        square[i] = 0;
    }
    add_half_rows(square, a, count, 0);
    if (count > GPUSNEK_ROWS) {
        add_further_half_rows(square, a, count);
    }
    double_and_add_squares(square, a, count);
}
