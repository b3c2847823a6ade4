// Exponentials, logarithms and powers of floats (elementary.h describes the method).
#include "elementary.h"

#include <math.h>

#define MANTISSA_BITS (52)
#define FRACTION_MASK (((uint64_t)1 << MANTISSA_BITS) - 1)
#define EXP_LARGEST (709.79) // e^x overflows beyond
#define EXP_SMALLEST (-745.2) // e^x is 0 below
#define STEPS_PER_UNIT (92.33248261893614) // 64 / ln(2)
#define LOG10_2_HIGH (0.301029995663611771306) // log10(2) with 39 bits
#define LOG10_2_LOW (3.69423907715893078616e-13)
#define ERROR_BOUND (8.0e-25) // 2^-80
#define TIE_WIDTH (0.0001220703125) // 2^-13; the error of a power is less

double gpusnek_round_scaled(gpusnek_pair_t x, int exponent) {
    x = gpusnek_ordered_sum(x.high, x.low);
    const uint64_t bits = gpusnek_float_bits(x.high);
    const int own = (int)(bits >> MANTISSA_BITS & 0x7ff);
    if (own == 0 || own == 0x7ff) {
        return x.high;
    }
    const int now = own + exponent;
    if (now >= 0x7ff) {
        return x.high * gpusnek_power_of_two(1023) * 2.0 * gpusnek_power_of_two(1023);
    }
    if (now > 0) {
        return gpusnek_bits_float(bits + ((uint64_t)(int64_t)exponent << MANTISSA_BITS));
    }
    // A subnormal number: round the mantissa once, with the sign of `low` beyond its last bit.
    const uint64_t sign = bits >> 63 << 63;
    const int drop = 1 - now;
    if (drop > MANTISSA_BITS + 1) {
        return gpusnek_bits_float(sign);
    }
    // A power of two can lie halfway between two of these numbers: then `low` is only an error.
    const double least = gpusnek_bits_float(bits ^ sign) * ERROR_BOUND;
    const double low = sign ? -x.low : x.low;
    uint64_t mantissa = ((bits & FRACTION_MASK) | (FRACTION_MASK + 1)) << 2;
    if (low < -least) {
        mantissa -= 1;
    } else if (low > least) {
        mantissa += 1;
    }
    const int shift = drop + 2;
    const uint64_t half = (uint64_t)1 << (shift - 1);
    const uint64_t rest = mantissa & ((half << 1) - 1);
    mantissa >>= shift;
    if (rest > half || (rest == half && (mantissa & 1))) {
        ++mantissa;
    }
    return gpusnek_bits_float(sign | mantissa);
}

gpusnek_pair_t gpusnek_exp_pair(gpusnek_pair_t x, int *exponent) {
    const double steps = gpusnek_nearest_integer(x.high * STEPS_PER_UNIT);
    const int step = (int)steps;
    gpusnek_pair_t r = gpusnek_sum(x.high, -(steps * gpusnek_exp_step[0]));
    const gpusnek_pair_t rest = gpusnek_sum(r.low + x.low, -(steps * gpusnek_exp_step[1]));
    r = gpusnek_sum(r.high, rest.high);
    r = gpusnek_ordered_sum(r.high, r.low + (rest.low - steps * gpusnek_exp_step[2]));
    // r is below 2^-7.5. The terms from the third on need 53 bits.
    const double h = r.high;
    double tail = gpusnek_inverse_factorials[8].high;
    for (int i = 7; i >= 3; --i) {
        tail = tail * h + gpusnek_inverse_factorials[i].high;
    }
    gpusnek_pair_t square = gpusnek_scale(gpusnek_product(h, h), 0.5);
    square.low += h * r.low + tail * h * h * h;
    const gpusnek_pair_t sum = gpusnek_sum(h, square.high);
    const gpusnek_pair_t part = gpusnek_ordered_sum(sum.high, sum.low + (r.low + square.low));
    const gpusnek_pair_t base = gpusnek_exp_steps[step & 63];
    const gpusnek_pair_t more = gpusnek_multiply(base, part);
    const gpusnek_pair_t whole = gpusnek_ordered_sum(base.high, more.high);
    *exponent = step >> 6;
    return gpusnek_ordered_sum(whole.high, whole.low + (more.low + base.low));
}

// ln(1 + r) for |r| < 2^-6.
static gpusnek_pair_t log_series(gpusnek_pair_t r) {
    const double h = r.high;
    double tail = 0.0;
    for (int i = 13; i >= 3; --i) {
        // Terms r^4/4, r^5/5 and so on.
        tail = (i & 1 ? -gpusnek_inverses[i].high : gpusnek_inverses[i].high) + tail * h;
    }
    const gpusnek_pair_t square = gpusnek_product(h, h);
    const gpusnek_pair_t cube
        = gpusnek_multiply(gpusnek_multiply_double(square, h), gpusnek_inverses[2]);
    gpusnek_pair_t sum = gpusnek_sum(h, -0.5 * square.high);
    const double low = sum.low - 0.5 * square.low - h * r.low + r.low;
    sum = gpusnek_ordered_sum(sum.high, low);
    const gpusnek_pair_t more = gpusnek_sum(sum.high, cube.high);
    return gpusnek_ordered_sum(
        more.high, more.low + (sum.low + cube.low + square.high * r.low
                       + square.high * square.high * tail));
}

// ln(x) without the part *exponent * ln(2).
static gpusnek_pair_t log_mantissa(double x, int *exponent) {
    uint64_t bits = gpusnek_float_bits(x);
    int e = (int)(bits >> MANTISSA_BITS) - 1023;
    if (e == -1023) {
        bits = gpusnek_float_bits(x * gpusnek_power_of_two(54));
        e = (int)(bits >> MANTISSA_BITS) - 1023 - 54;
    }
    const int step = (int)(bits >> (MANTISSA_BITS - 7)) & 127;
    const bool halved = step >= GPUSNEK_LOG_HALVED;
    const uint64_t biased = halved ? 1022 : 1023;
    const double m = gpusnek_bits_float((bits & FRACTION_MASK) | (biased << MANTISSA_BITS));
    *exponent = e + halved;
    // Both products are exact.
    const double c = gpusnek_log_scales[step];
    const double m_high = gpusnek_bits_float(gpusnek_float_bits(m) & ~(uint64_t)0x7ffffff);
    const gpusnek_pair_t r = gpusnek_sum(m_high * c - 1.0, (m - m_high) * c);
    const gpusnek_pair_t series = log_series(r);
    const gpusnek_pair_t base = gpusnek_log_steps[step];
    return base.high == 0.0 ? series : gpusnek_add(base, series);
}

gpusnek_pair_t gpusnek_log_pair(double x) {
    int exponent;
    const gpusnek_pair_t mantissa = log_mantissa(x, &exponent);
    if (exponent == 0) {
        return mantissa;
    }
    return gpusnek_add(gpusnek_multiply_double(gpusnek_ln2, exponent), mantissa);
}

gpusnek_pair_t gpusnek_sqrt_pair(gpusnek_pair_t x) {
    const double root = sqrt(x.high);
    const gpusnek_pair_t square = gpusnek_product(root, root);
    const double rest = ((x.high - square.high) - square.low) + x.low;
    return gpusnek_ordered_sum(root, rest / (root + root));
}

double exp(double x) {
    if (!(x < EXP_LARGEST)) {
        return x > 0.0 ? x * gpusnek_power_of_two(1023) : x; // an infinity, or not a number
    }
    if (x < EXP_SMALLEST) {
        return 0.0;
    }
    int exponent;
    const gpusnek_pair_t power = gpusnek_exp_pair(gpusnek_pair(x, 0.0), &exponent);
    return gpusnek_round_scaled(power, exponent);
}

// Whether a logarithm of x is a finite number; otherwise *value is the logarithm.
static bool has_logarithm(double x, double *value) {
    if (x > 0.0 && x < HUGE_VAL) {
        return true;
    }
    *value = x == 0.0 ? -HUGE_VAL : x < 0.0 ? (double)NAN : x;
    return false;
}

double log(double x) {
    double value;
    return has_logarithm(x, &value) ? gpusnek_log_pair(x).high : value;
}

double log2(double x) {
    double value;
    if (!has_logarithm(x, &value)) {
        return value;
    }
    int exponent;
    const gpusnek_pair_t mantissa
        = gpusnek_multiply(log_mantissa(x, &exponent), gpusnek_log2_e);
    return gpusnek_add_double(mantissa, exponent).high;
}

// C libraries compute log10 by this sum. Its last bit differs from that of the nearest float for up
// to a quarter of the arguments. The mantissa is in [1/2, 1) for x < 1, otherwise in [1, 2).
double log10(double x) {
    double value;
    if (!has_logarithm(x, &value)) {
        return value;
    }
    int exponent;
    double mantissa = frexp(x, &exponent);
    if (exponent > 0) {
        mantissa *= 2.0;
        --exponent;
    }
    const double rest = exponent * LOG10_2_LOW + gpusnek_log10_e.high * log(mantissa);
    return rest + exponent * LOG10_2_HIGH;
}

// Whether the finite y is an integer; *odd: and an odd one.
static bool is_integer(double y, bool *odd) {
    const double size = y < 0.0 ? -y : y;
    *odd = false;
    if (size >= 9007199254740992.0) {
        return true;
    }
    const int64_t whole = (int64_t)size;
    *odd = whole & 1;
    return (double)whole == size;
}

double pow(double x, double y) {
    if (y == 0.0 || x == 1.0) {
        return 1.0;
    }
    if (x != x || y != y) {
        return x + y;
    }
    if (y == 1.0) {
        return x;
    }
    if (y == 2.0) {
        return x * x;
    }
    const double size = x < 0.0 ? -x : x;
    if (y - y != 0.0) {
        return size == 1.0 ? 1.0 : (size > 1.0) == (y > 0.0) ? HUGE_VAL : 0.0;
    }
    bool odd;
    const bool integer = is_integer(y, &odd);
    const bool negative = (gpusnek_float_bits(x) >> 63) && odd;
    if (x == 0.0 || x - x != 0.0) {
        const double value = (x == 0.0) == (y < 0.0) ? HUGE_VAL : 0.0;
        return negative ? -value : value;
    }
    if (x < 0.0 && !integer) {
        return NAN;
    }
    const gpusnek_pair_t logarithm = gpusnek_log_pair(size);
    const double estimate = logarithm.high * y;
    if (!(estimate < 710.0 && estimate > -746.0)) {
        const double value = estimate > 0.0 ? HUGE_VAL : 0.0;
        return negative ? -value : value;
    }
    int exponent;
    gpusnek_pair_t power = gpusnek_exp_pair(gpusnek_multiply_double(logarithm, y), &exponent);
    if (y < 64.0 && y > 0.0 && y * 4.0 == (double)(int)(y * 4.0)) {
        // A power with this exponent can lie exactly halfway between two floats. A computed power
        // close to the middle does.
        const uint64_t bits = gpusnek_float_bits(power.high);
        const double half
            = gpusnek_bits_float((bits & ~FRACTION_MASK) - ((uint64_t)53 << MANTISSA_BITS));
        const double off = (power.low < 0.0 ? -power.low : power.low) - half;
        if (off < half * TIE_WIDTH && off > half * -TIE_WIDTH) {
            if (bits & 1) {
                power.high = gpusnek_bits_float(power.low < 0.0 ? bits - 1 : bits + 1);
            }
            power.low = 0.0;
        }
    }
    const double value = gpusnek_round_scaled(power, exponent);
    return negative ? -value : value;
}
