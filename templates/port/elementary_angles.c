// Trigonometric functions of floats and their inverses (elementary.h describes the method).
#include "elementary.h"

#include <math.h>

typedef unsigned __int128 wide_t;

#define MANTISSA_BITS (52)
#define FRACTION_MASK (((uint64_t)1 << MANTISSA_BITS) - 1)
#define QUARTER_PI (0.7853981633974483)
#define STEPS (32.0) // rows of the tables per unit
#define TINY (3.0e-9) // below 2^-28: the square is less than half of the last bit

// Multiply |x| by 2/pi in integers. Return the quadrant, and the rest of the angle in *rest,
// |rest| <= pi/4. |x| > pi/4.
//
// The bits of 2/pi whose product with x is a multiple of 4 are skipped. 192 bits behind them leave
// an error below 2^-137, and no double is closer than 2^-62 to a multiple of pi/2.
static int reduce_angle(double x, gpusnek_pair_t *rest) {
    const uint64_t bits = gpusnek_float_bits(x);
    const uint64_t mantissa = (bits & FRACTION_MASK) | (FRACTION_MASK + 1);
    const int exponent = (int)(bits >> MANTISSA_BITS & 0x7ff) - 1023 - MANTISSA_BITS;
    const int first = exponent > 2 ? exponent - 2 : 0;
    const int word = first >> 6, shift = first & 63;
    uint64_t factor[3]; // the first word is the most significant one
    for (int i = 0; i < 3; ++i) {
        factor[i] = gpusnek_two_over_pi[word + i] << shift;
        if (shift != 0) {
            factor[i] |= gpusnek_two_over_pi[word + i + 1] >> (64 - shift);
        }
    }
    uint64_t product[4];
    wide_t carry = 0;
    for (int i = 2; i >= 0; --i) {
        carry += (wide_t)mantissa * factor[i];
        product[i + 1] = (uint64_t)carry;
        carry >>= 64;
    }
    product[0] = (uint64_t)carry;
    // The point is behind 192 - (exponent - first) bits. Move it behind 254 bits.
    int left = 62 + (exponent - first);
    if (left >= 64) {
        product[0] = product[1];
        product[1] = product[2];
        product[2] = product[3];
        product[3] = 0;
        left -= 64;
    }
    if (left != 0) {
        for (int i = 0; i < 3; ++i) {
            product[i] = product[i] << left | product[i + 1] >> (64 - left);
        }
        product[3] <<= left;
    }
    int quadrant = (int)(product[0] >> 62);
    bool negative = product[0] >> 61 & 1;
    product[0] &= ((uint64_t)1 << 62) - 1;
    if (negative) {
        // 1 minus the fraction
        ++quadrant;
        wide_t one = 1;
        for (int i = 3; i >= 0; --i) {
            one += (uint64_t)~product[i];
            product[i] = (uint64_t)one;
            one >>= 64;
        }
        product[0] &= ((uint64_t)1 << 62) - 1;
    }
    // The first 106 significant bits of the fraction, in two doubles.
    int scale = -62;
    int at = 0;
    while (at < 2 && product[at] == 0) {
        ++at;
        scale -= 64;
    }
    uint64_t high = product[at], low = product[at + 1];
    const uint64_t last = at < 2 ? product[at + 2] : 0;
    const int zeros = high == 0 ? 0 : __builtin_clzll(high);
    if (zeros != 0) {
        high = high << zeros | low >> (64 - zeros);
        low = low << zeros | last >> (64 - zeros);
        scale -= zeros;
    }
    const double unit = gpusnek_power_of_two(scale);
    const gpusnek_pair_t fraction = gpusnek_ordered_sum((double)(high >> 11 << 11) * unit,
        ((double)(high & 0x7ff) + (double)(low >> 11) * gpusnek_power_of_two(-53)) * unit);
    *rest = gpusnek_multiply(fraction, gpusnek_half_pi);
    if (negative != (bool)(bits >> 63)) {
        *rest = gpusnek_negative(*rest);
    }
    return bits >> 63 ? -quadrant & 3 : quadrant & 3;
}

// t - t^3/6 + ... - t (the part beyond t), |t| <= 1/32
static gpusnek_pair_t sine_rest(gpusnek_pair_t t, gpusnek_pair_t square) {
    const double s = square.high;
    double tail = 0.0;
    for (int i = 13; i >= 5; i -= 2) {
        const double term = gpusnek_inverse_factorials[i].high;
        tail = (i & 2 ? -term : term) + tail * s;
    }
    const gpusnek_pair_t cube
        = gpusnek_multiply(gpusnek_multiply(square, t), gpusnek_inverse_factorials[3]);
    const gpusnek_pair_t sum = gpusnek_ordered_sum(-cube.high, tail * s * s * t.high);
    return gpusnek_ordered_sum(sum.high, sum.low - cube.low);
}

// cos(t) - 1, |t| <= 1/32
static gpusnek_pair_t cosine_rest(gpusnek_pair_t square) {
    const double s = square.high;
    double tail = 0.0;
    for (int i = 12; i >= 6; i -= 2) {
        const double term = gpusnek_inverse_factorials[i].high;
        tail = (i & 2 ? -term : term) + tail * s;
    }
    const gpusnek_pair_t fourth = gpusnek_multiply(
        gpusnek_multiply(square, square), gpusnek_inverse_factorials[4]);
    gpusnek_pair_t sum = gpusnek_add(gpusnek_scale(square, -0.5), fourth);
    return gpusnek_ordered_sum(sum.high, sum.low + tail * s * s * s);
}

// Sine and cosine of r, |r| < 0.8.
static void sine_cosine(gpusnek_pair_t r, gpusnek_pair_t *sine, gpusnek_pair_t *cosine) {
    const bool negative = r.high < 0.0;
    if (negative) {
        r = gpusnek_negative(r);
    }
    const int row = (int)(r.high * STEPS + 0.5);
    const gpusnek_pair_t t = gpusnek_add_double(r, row * (-1.0 / STEPS));
    const gpusnek_pair_t square = gpusnek_multiply(t, t);
    const gpusnek_pair_t s = gpusnek_add(t, sine_rest(t, square));
    const gpusnek_pair_t c = cosine_rest(square);
    if (row == 0) {
        *sine = s;
        *cosine = gpusnek_add_double(c, 1.0);
    } else {
        const gpusnek_pair_t a = gpusnek_sines[row], b = gpusnek_cosines[row];
        *sine = gpusnek_add(
            a, gpusnek_add(gpusnek_multiply(b, s), gpusnek_multiply(a, c)));
        *cosine = gpusnek_add(
            b, gpusnek_add(gpusnek_multiply(b, c), gpusnek_negative(gpusnek_multiply(a, s))));
    }
    if (negative) {
        *sine = gpusnek_negative(*sine);
    }
}

// Sine and cosine of a finite x.
static void angle(double x, gpusnek_pair_t *sine, gpusnek_pair_t *cosine) {
    if (x <= QUARTER_PI && x >= -QUARTER_PI) {
        sine_cosine(gpusnek_pair(x, 0.0), sine, cosine);
        return;
    }
    gpusnek_pair_t rest, s, c;
    const int quadrant = reduce_angle(x, &rest);
    sine_cosine(rest, &s, &c);
    *sine = quadrant & 1 ? c : s;
    *cosine = quadrant & 1 ? gpusnek_negative(s) : c;
    if (quadrant & 2) {
        *sine = gpusnek_negative(*sine);
        *cosine = gpusnek_negative(*cosine);
    }
}

double sin(double x) {
    if ((x < TINY && x > -TINY) || x - x != 0.0) {
        return x - x != 0.0 ? x - x : x;
    }
    gpusnek_pair_t sine, cosine;
    angle(x, &sine, &cosine);
    return sine.high;
}

double cos(double x) {
    if (x - x != 0.0) {
        return x - x;
    }
    if (x < TINY && x > -TINY) {
        return 1.0;
    }
    gpusnek_pair_t sine, cosine;
    angle(x, &sine, &cosine);
    return cosine.high;
}

double tan(double x) {
    if ((x < TINY && x > -TINY) || x - x != 0.0) {
        return x - x != 0.0 ? x - x : x;
    }
    gpusnek_pair_t sine, cosine;
    angle(x, &sine, &cosine);
    return gpusnek_divide(sine, cosine).high;
}

// The angle of the point (x, y), 0 < y <= x.
static gpusnek_pair_t small_angle(gpusnek_pair_t y, gpusnek_pair_t x) {
    gpusnek_pair_t v = gpusnek_divide(y, x);
    const int row = (int)(v.high * STEPS + 0.5);
    if (row != 0) {
        // tan(a - b) = (tan a - tan b) / (1 + tan a tan b)
        const double c = row / STEPS;
        v = gpusnek_divide(gpusnek_add_double(v, -c),
            gpusnek_add_double(gpusnek_multiply_double(v, c), 1.0));
    }
    const gpusnek_pair_t square = gpusnek_multiply(v, v);
    const double s = square.high;
    double tail = 0.0;
    for (int i = 15; i >= 5; i -= 2) {
        const double term = gpusnek_inverses[i - 1].high;
        tail = (i & 2 ? -term : term) + tail * s;
    }
    const gpusnek_pair_t cube
        = gpusnek_multiply(gpusnek_multiply(square, v), gpusnek_inverses[2]);
    const gpusnek_pair_t rest = gpusnek_ordered_sum(-cube.high, tail * s * s * v.high - cube.low);
    const gpusnek_pair_t value = gpusnek_add(v, rest);
    return row == 0 ? value : gpusnek_add(gpusnek_arctangents[row], value);
}

// The angle of the point (x, y), x, y >= 0, not both 0; half a turn minus the angle if `left`.
static gpusnek_pair_t point_angle(gpusnek_pair_t y, gpusnek_pair_t x, bool left) {
    gpusnek_pair_t value;
    bool add = left;
    gpusnek_pair_t base = gpusnek_scale(gpusnek_half_pi, 2.0);
    if (y.high > x.high) {
        value = x.high == 0.0 ? x : small_angle(x, y);
        base = gpusnek_half_pi;
        add = true;
        if (left) {
            return gpusnek_add(base, value);
        }
    } else {
        value = y.high == 0.0 ? y : small_angle(y, x);
    }
    return add ? gpusnek_add(base, gpusnek_negative(value)) : value;
}

double atan2(double y, double x) {
    if (x != x || y != y) {
        return x + y;
    }
    const bool below = gpusnek_float_bits(y) >> 63, left = gpusnek_float_bits(x) >> 63;
    double a = below ? -y : y, b = left ? -x : x;
    const bool endless = a - a != 0.0;
    if (endless || b - b != 0.0) {
        a = endless ? 1.0 : 0.0;
        b = b - b != 0.0 ? 1.0 : 0.0;
    }
    double value;
    const int distance = (int)(gpusnek_float_bits(a) >> MANTISSA_BITS)
        - (int)(gpusnek_float_bits(b) >> MANTISSA_BITS);
    if (a == 0.0) {
        value = left ? gpusnek_half_pi.high * 2.0 : 0.0;
    } else if (b == 0.0 || distance > 120) {
        value = gpusnek_half_pi.high;
    } else if (distance < -120) {
        value = left ? gpusnek_half_pi.high * 2.0 : a / b;
    } else {
        // Move both away from the limits of the range.
        const int middle = (int)(gpusnek_float_bits(a > b ? a : b) >> MANTISSA_BITS) - 1023;
        if (middle > 700) {
            a *= gpusnek_power_of_two(-600);
            b *= gpusnek_power_of_two(-600);
        } else if (middle < -600) {
            a *= gpusnek_power_of_two(600);
            b *= gpusnek_power_of_two(600);
        }
        value = point_angle(gpusnek_pair(a, 0.0), gpusnek_pair(b, 0.0), left).high;
    }
    return below ? -value : value;
}

double atan(double x) {
    if ((x < TINY && x > -TINY) || x != x) {
        return x;
    }
    return atan2(x, 1.0);
}

// The cosine of the angle whose sine is x, 0 <= x <= 1.
static gpusnek_pair_t other_side(double x) {
    if (x == 1.0) {
        return gpusnek_pair(0.0, 0.0);
    }
    return gpusnek_sqrt_pair(gpusnek_multiply(gpusnek_sum(1.0, -x), gpusnek_sum(1.0, x)));
}

double asin(double x) {
    const bool negative = x < 0.0;
    const double size = negative ? -x : x;
    if (!(size <= 1.0)) {
        return NAN;
    }
    if (size < TINY) {
        return x;
    }
    const double value = point_angle(gpusnek_pair(size, 0.0), other_side(size), false).high;
    return negative ? -value : value;
}

double acos(double x) {
    const bool negative = x < 0.0;
    const double size = negative ? -x : x;
    if (!(size <= 1.0)) {
        return NAN;
    }
    return point_angle(other_side(size), gpusnek_pair(size, 0.0), negative).high;
}
