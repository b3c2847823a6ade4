// Quotients and remainders of natural numbers: schoolbook division.
//
// Each digit of the quotient is estimated from the three most significant digits of the remainder
// and the two of the divisor, by multiplication with a precomputed inverse (N. Moller and T.
// Granlund, "Improved Division by Invariant Integers", 2011). The estimate is at most one too
// large.
#include "natural.h"

// Returns (2^96 - 1) / (high * 2^32 + low) - 2^32; the most significant bit of `high` is 1.
static uint32_t inverse_of(uint32_t high, uint32_t low) {
    uint32_t inverse = (uint32_t)(UINT64_MAX / high); // the quotient has 33 bits; drops the first
    uint32_t part = high * inverse + low;
    if (part < low) {
        const bool twice = part >= high;
        inverse -= 1u + twice;
        part -= high + (twice ? high : 0);
    }
    const uint64_t product = (uint64_t)inverse * low;
    const uint32_t sum = part + (uint32_t)(product >> 32);
    if (sum < part) {
        const uint64_t rest = (uint64_t)sum << 32 | (uint32_t)product;
        inverse -= 1u + (rest >= ((uint64_t)high << 32 | low));
    }
    return inverse;
}

gpusnek_divisor_t gpusnek_divisor(const uint32_t *digits, size_t count) {
    const int shift = gpusnek_leading_zeros(digits[count - 1]);
    const uint64_t first =
        (uint64_t)digits[count - 1] << 32 | (count > 1 ? digits[count - 2] : 0);
    const uint32_t third = count > 2 ? digits[count - 3] : 0;
    const uint64_t shifted = first << shift | ((uint64_t)third << shift) >> 32;
    const uint32_t high = (uint32_t)(shifted >> 32);
    const uint32_t low = (uint32_t)shifted;
    return (gpusnek_divisor_t) {
        digits, count, shift, high, low, inverse_of(high, low),
    };
}

// Returns the quotient of three digits by the divisor's two. The first two digits are not greater
// than the divisor's. If they are equal the quotient is 2^32, and the result 2^32 - 1.
static inline uint32_t estimate(uint64_t first, uint32_t third, const gpusnek_divisor_t *divisor) {
    const uint64_t by = (uint64_t)divisor->high << 32 | divisor->low;
    const uint64_t scaled = (first >> 32) * divisor->inverse + first;
    const uint32_t part = (uint32_t)(scaled >> 32);
    uint32_t quotient = part + 1;
    uint64_t rest = (uint64_t)((uint32_t)first - part * divisor->high) << 32 | third;
    rest -= by + (uint64_t)divisor->low * part;
    const bool over = (uint32_t)(rest >> 32) >= (uint32_t)scaled;
    quotient -= over;
    rest += over ? by : 0;
    quotient += rest >= by;
    return first == by ? UINT32_MAX : quotient;
}

static inline uint32_t shifted_digit(uint32_t digit, uint32_t next, int shift) {
    return (uint32_t)(((uint64_t)digit << 32 | next) << shift >> 32);
}

// Adds the divisor to `remainder`, after an estimate that was too large by one.
static void add_back(uint32_t *remainder, const gpusnek_divisor_t *divisor) {
    uint64_t sum = 0;
    for (size_t i = 0; i < divisor->count; ++i) {
        sum += (uint64_t)remainder[i] + divisor->digits[i];
        remainder[i] = (uint32_t)sum;
        sum >>= 32;
    }
}

// Returns digit - a * b - borrow modulo 2^32, and updates the borrow.
static inline uint32_t less(uint32_t digit, uint32_t a, uint32_t b, uint32_t *borrow) {
    const uint64_t product = (uint64_t)a * b + *borrow;
    const uint32_t low = (uint32_t)product;
    *borrow = (uint32_t)(product >> 32) + (digit < low);
    return digit - low;
}

// Computes remainder = (remainder * 2^32 + next) % divisor and returns the quotient digit. The
// divisor has at least two digits.
static inline uint32_t step(
    uint32_t *remainder, uint32_t next, const gpusnek_divisor_t *divisor) {
    const size_t count = divisor->count;
    const int shift = divisor->shift;
    const uint32_t d0 = remainder[count - 1];
    const uint32_t d1 = remainder[count - 2];
    const uint32_t d2 = count > 2 ? remainder[count - 3] : next;
    const uint32_t d3 = count > 3 ? remainder[count - 4] : count == 3 ? next : 0;
    const uint64_t first =
        (uint64_t)shifted_digit(d0, d1, shift) << 32 | shifted_digit(d1, d2, shift);
    uint32_t quotient = estimate(first, shifted_digit(d2, d3, shift), divisor);
    const uint32_t *by = divisor->digits;
    uint32_t borrow = 0;
    size_t i = 0;
    for (; i + 4 <= count; i += 4) { // reads before it writes, as gpusnek_add_product()
        gpusnek_stretch(i, 4);
        const uint32_t b0 = by[i], b1 = by[i + 1], b2 = by[i + 2], b3 = by[i + 3];
        const uint32_t r0 = remainder[i], r1 = remainder[i + 1], r2 = remainder[i + 2];
        const uint32_t r3 = remainder[i + 3];
        remainder[i] = less(next, b0, quotient, &borrow);
        remainder[i + 1] = less(r0, b1, quotient, &borrow);
        remainder[i + 2] = less(r1, b2, quotient, &borrow);
        remainder[i + 3] = less(r2, b3, quotient, &borrow);
        next = r3;
    }
    for (; i < count; ++i) {
        const uint32_t digit = remainder[i];
        remainder[i] = less(next, by[i], quotient, &borrow);
        next = digit;
    }
    if (__builtin_expect(next < borrow, 0)) {
        add_back(remainder, divisor);
        --quotient;
    }
    return quotient;
}

// The same algorithm as estimate() and step(), with one digit less.
uint32_t gpusnek_divide_by_digit(uint32_t *quotient, const uint32_t *number, size_t count,
    const gpusnek_divisor_t *divisor) {
    const int shift = divisor->shift;
    const uint32_t by = divisor->high;
    const uint32_t inverse = divisor->inverse;
    uint32_t remainder = 0;
    while (count-- > 0) {
        const uint64_t first = ((uint64_t)remainder << 32 | number[count]) << shift;
        const uint64_t scaled = (first >> 32) * inverse + first;
        uint32_t part = (uint32_t)(scaled >> 32) + 1;
        uint32_t rest = (uint32_t)first - part * by;
        const bool over = rest > (uint32_t)scaled;
        part -= over;
        rest += over ? by : 0;
        const bool under = rest >= by;
        part += under;
        rest -= under ? by : 0;
        remainder = rest >> shift;
        if (quotient != NULL) {
            quotient[count] = part;
        }
        gpusnek_stretch(count, 1);
    }
    return remainder;
}

// Continues a division with up to GPUSNEK_ROWS digits of the number, those below `at`.
static void take_digits(uint32_t *quotient, uint32_t *remainder, const uint32_t *number, size_t at,
    const gpusnek_divisor_t *divisor) {
    const gpusnek_divisor_t by = *divisor; // the compiler keeps a copy in registers
    for (int row = 0; row < GPUSNEK_ROWS && at > 0; ++row) {
        const uint32_t digit = step(remainder, number[--at], &by);
        if (quotient != NULL) {
            quotient[at] = digit;
        }
    }
}

static MP_NOINLINE void take_further_digits(uint32_t *quotient, uint32_t *remainder,
    const uint32_t *number, size_t at, const gpusnek_divisor_t *divisor) {
    while (at > GPUSNEK_ROWS) {
        at -= GPUSNEK_ROWS;
        take_digits(quotient, remainder, number, at, divisor);
        gpusnek_charge(GPUSNEK_ROWS * divisor->count);
    }
}

void gpusnek_divide(uint32_t *quotient, uint32_t *remainder, const uint32_t *number, size_t count,
    const gpusnek_divisor_t *divisor) {
    if (divisor->count == 1) {
        *remainder = gpusnek_divide_by_digit(quotient, number, count, divisor);
        return;
    }
    // The first divisor->count - 1 digits of the number are less than the divisor.
    const size_t rest = divisor->count - 1;
    count -= rest;
    for (size_t i = 0; i < rest; ++i) {
        remainder[i] = number[count + i];
    }
    remainder[rest] = 0;
    take_digits(quotient, remainder, number, count, divisor);
    if (count > GPUSNEK_ROWS) {
        take_further_digits(quotient, remainder, number, count, divisor);
    }
}
