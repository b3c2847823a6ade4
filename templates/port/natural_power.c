// Modular powers: fixed-window exponentiation, from the exponent's most significant bits on.
//
// For an odd modulus, numbers are in Montgomery form, x * 2^(32 * count) modulo the modulus, and
// products need no division (P. L. Montgomery, "Modular Multiplication Without Trial Division",
// 1985). For an even modulus each product is divided.
#include "natural.h"

#define MOST_TABLE_DIGITS (512) // of the table of powers: 2 KiB; larger moduli get smaller windows

// The ring of integers modulo the modulus, with a buffer for a product of two of its numbers.
typedef struct _ring_t {
    gpusnek_divisor_t modulus;
    uint32_t inverse; // -1 / modulus modulo 2^32; 0 if the modulus is even
    uint32_t *product; // 2 * modulus.count digits
} ring_t;

// Returns -1 / digit modulo 2^32; 0 if the digit is even.
static uint32_t negative_inverse(uint32_t digit) {
    if (digit % 2 == 0) {
        return 0;
    }
    uint32_t inverse = digit; // Newton's iteration from 3 correct bits
    for (int i = 0; i < 4; ++i) {
        inverse *= 2 - digit * inverse;
    }
    return 0 - inverse;
}

// Clears up to GPUSNEK_ROWS digits of the product, from `at` on, by adding multiples of the
// modulus. over: the carry of the rows before. Returns the carry.
static uint32_t clear_digits(const ring_t *ring, size_t at, uint32_t over) {
    uint32_t *product = ring->product + at;
    const size_t count = ring->modulus.count;
    for (int row = 0; row < GPUSNEK_ROWS && at < count; ++row, ++at, ++product) {
        const uint32_t by = *product * ring->inverse;
        const uint32_t carry = gpusnek_add_product(product, ring->modulus.digits, count, by);
        const uint64_t sum = (uint64_t)product[count] + carry + over;
        product[count] = (uint32_t)sum;
        over = (uint32_t)(sum >> 32);
    }
    return over;
}

static MP_NOINLINE uint32_t clear_further_digits(const ring_t *ring, uint32_t over) {
    for (size_t at = GPUSNEK_ROWS; at < ring->modulus.count; at += GPUSNEK_ROWS) {
        over = clear_digits(ring, at, over);
    }
    return over;
}

// Computes to = product / 2^(32 * count) modulo the modulus (Montgomery reduction). The result is
// below 2^(32 * count), not necessarily below the modulus.
static void reduce_odd(uint32_t *to, const ring_t *ring) {
    const size_t count = ring->modulus.count;
    uint32_t over = clear_digits(ring, 0, 0);
    if (count > GPUSNEK_ROWS) {
        over = clear_further_digits(ring, over);
    }
    const uint32_t mask = 0 - over;
    uint32_t borrow = 0;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t by = ring->modulus.digits[i] & mask;
        const uint64_t digit = (uint64_t)ring->product[count + i] - by - borrow;
        to[i] = (uint32_t)digit;
        borrow = (uint32_t)(digit >> 63);
    }
}

static void reduce(uint32_t *to, const ring_t *ring) {
    if (ring->inverse != 0) {
        reduce_odd(to, ring);
        if (ring->modulus.count > GPUSNEK_ROWS) {
            gpusnek_charge(ring->modulus.count * ring->modulus.count);
        }
    } else {
        gpusnek_divide(NULL, to, ring->product, 2 * ring->modulus.count, &ring->modulus);
    }
}

// a = a * b
static void times(uint32_t *a, const uint32_t *b, const ring_t *ring) {
    const size_t count = ring->modulus.count;
    if (a == b) {
        gpusnek_square(ring->product, a, count);
    } else {
        gpusnek_multiply(ring->product, a, count, b, count);
    }
    reduce(a, ring);
}

static void copy(uint32_t *to, const uint32_t *from, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        to[i] = from[i];
    }
}

// Converts a number to the ring's form.
static void enter(uint32_t *to, const uint32_t *from, const ring_t *ring) {
    const size_t count = ring->modulus.count;
    for (size_t i = 0; i < count; ++i) {
        ring->product[i] = ring->inverse != 0 ? 0 : from[i];
        ring->product[count + i] = ring->inverse != 0 ? from[i] : 0;
    }
    gpusnek_divide(NULL, to, ring->product, 2 * count, &ring->modulus);
}

// Converts a number from the ring's form to a number below the modulus.
static void leave(uint32_t *to, const uint32_t *from, const ring_t *ring) {
    const size_t count = ring->modulus.count;
    for (size_t i = 0; i < count; ++i) {
        ring->product[i] = from[i];
        ring->product[count + i] = 0;
    }
    reduce(to, ring);
    copy(ring->product, to, count);
    ring->product[count] = 0;
    gpusnek_divide(NULL, to, ring->product, count + 1, &ring->modulus);
}

int gpusnek_window(size_t exponent_bits, size_t count) {
    int window = exponent_bits > 200 ? 4 : exponent_bits > 60 ? 3 : exponent_bits > 24 ? 2 : 1;
    while (gpusnek_table_room(window, count) > MOST_TABLE_DIGITS) {
        --window;
    }
    return window;
}

static uint32_t bits_at(const uint32_t *number, size_t count, size_t bit, int bits) {
    const size_t digit = bit / 32;
    const uint32_t next = digit + 1 < count ? number[digit + 1] : 0;
    const uint64_t pair = (uint64_t)next << 32 | number[digit];
    return (uint32_t)(pair >> bit % 32) & ((1u << bits) - 1);
}

void gpusnek_power_modulo(uint32_t *result, const uint32_t *base, const uint32_t *exponent,
    size_t exponent_count, const uint32_t *modulus, size_t count, uint32_t *room, uint32_t *table,
    int window) {
    const ring_t ring = {
        gpusnek_divisor(modulus, count), negative_inverse(modulus[0]), room + 2 * count,
    };
    uint32_t *power = room;
    uint32_t *first = room + count; // the first power of the base; the table has the others
    enter(first, base, &ring);
    for (size_t i = 0; i < gpusnek_table_room(window, count); i += count) {
        copy(table + i, i > 0 ? table + i - count : first, count);
        times(table + i, first, &ring);
    }
    const size_t bits = gpusnek_bits(exponent, exponent_count);
    size_t at = (bits - 1) / (size_t)window * (size_t)window;
    uint32_t digit = bits_at(exponent, exponent_count, at, window);
    copy(power, digit > 1 ? table + (digit - 2) * count : first, count);
    while (at > 0) {
        gpusnek_look();
        for (int i = 0; i < window; ++i) {
            times(power, power, &ring);
        }
        at -= (size_t)window;
        digit = bits_at(exponent, exponent_count, at, window);
        if (digit > 0) {
            times(power, digit > 1 ? table + (digit - 2) * count : first, &ring);
        }
    }
    leave(result, power, &ring);
}
