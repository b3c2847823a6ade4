// The error function and its complement (elementary.h describes the numbers).
//
// Up to 4, a table has both functions at multiples of 1/8, and a Taylor series the integral from
// there. Beyond 4, a continued fraction has the complement.
#include "elementary.h"

#include <math.h>

#define STEPS_PER_UNIT (8.0)
#define TABLE_LARGEST (4.0)
#define ERFC_LARGEST (27.3) // erfc is 0 beyond
#define ERF_LARGEST (6.0) // erf is 1 beyond
#define LEVELS (26) // of the continued fraction
#define PAIR_LEVELS (9) // the first ones, which need more than 53 bits
#define SERIES_TERMS (26)
#define LEAST_TERM (1e-22) // 2^-73; the sum ends after two terms below
#define TINY (3.0549363634996047e-151) // 2^-500: erf(x) is 2/sqrt(pi) x below
#define SCALE (600)

// The integral of 2/sqrt(pi) e^(-t*t) from c = step/8 to c + h, |h| <= 1/16.
static gpusnek_pair_t integral(int step, double h) {
    // With t = c + u, e^(-t*t) is e^(-c*c) times the series of e^(-2 c u - u*u). `before` and `term`
    // are its last two terms for u = h.
    const double c = step / STEPS_PER_UNIT;
    const gpusnek_pair_t linear = gpusnek_product(-2.0 * c, h), square = gpusnek_product(-2.0 * h, h);
    gpusnek_pair_t before = gpusnek_pair(0.0, 0.0), term = gpusnek_pair(1.0, 0.0), sum = term;
    for (int i = 0; i < SERIES_TERMS; i++) {
        const gpusnek_pair_t next = gpusnek_multiply(
            gpusnek_add(gpusnek_multiply(term, linear), gpusnek_multiply(before, square)),
            gpusnek_inverses[i]);
        before = term;
        term = next;
        sum = gpusnek_add(sum, gpusnek_multiply(term, gpusnek_inverses[i + 1]));
        if (term.high < LEAST_TERM && term.high > -LEAST_TERM && before.high < LEAST_TERM
            && before.high > -LEAST_TERM) {
            break;
        }
    }
    return gpusnek_multiply(gpusnek_densities[step], gpusnek_multiply_double(sum, h));
}

// erfc(x) for 0 <= x <= TABLE_LARGEST, or erf(x).
static gpusnek_pair_t from_table(double x, bool complement) {
    const int step = (int)gpusnek_nearest_integer(x * STEPS_PER_UNIT);
    const gpusnek_pair_t more = integral(step, x - step / STEPS_PER_UNIT);
    const gpusnek_pair_t base = gpusnek_complements[step];
    return complement ? gpusnek_add(base, gpusnek_negative(more))
        : gpusnek_add(gpusnek_add(gpusnek_pair(1.0, 0.0), gpusnek_negative(base)), more);
}

// erfc(x) for TABLE_LARGEST <= x <= ERFC_LARGEST: the returned pair times 2^*exponent.
static gpusnek_pair_t from_fraction(double x, int *exponent) {
    double rest = x;
    for (int i = LEVELS; i > PAIR_LEVELS; --i) {
        rest = x + 0.5 * i / rest;
    }
    gpusnek_pair_t level = gpusnek_pair(rest, 0.0);
    for (int i = PAIR_LEVELS; i > 0; --i) {
        level = gpusnek_add_double(gpusnek_divide(gpusnek_pair(0.5 * i, 0.0), level), x);
    }
    const gpusnek_pair_t power = gpusnek_exp_pair(gpusnek_negative(gpusnek_product(x, x)), exponent);
    return gpusnek_divide(gpusnek_multiply(power, gpusnek_inverse_root_pi), level);
}

double erfc(double x) {
    if (x != x) {
        return x;
    }
    const double size = x < 0.0 ? -x : x;
    if (size >= ERFC_LARGEST) {
        return x < 0.0 ? 2.0 : 0.0;
    }
    if (size > TABLE_LARGEST) {
        int exponent;
        const gpusnek_pair_t value = from_fraction(size, &exponent);
        const double rounded = gpusnek_round_scaled(value, exponent);
        return x < 0.0 ? 2.0 - rounded : rounded;
    }
    const gpusnek_pair_t value = from_table(size, true);
    return x < 0.0 ? gpusnek_add(gpusnek_pair(2.0, 0.0), gpusnek_negative(value)).high : value.high;
}

double erf(double x) {
    if (x != x || x == 0.0) {
        return x;
    }
    const double size = x < 0.0 ? -x : x;
    double value;
    if (size < TINY) {
        // A product of numbers near the smallest one would lose bits.
        const double scaled = x * gpusnek_power_of_two(SCALE);
        return gpusnek_multiply_double(gpusnek_densities[0], scaled).high * gpusnek_power_of_two(-SCALE);
    }
    if (size >= ERF_LARGEST) {
        value = 1.0;
    } else if (size > TABLE_LARGEST) {
        int exponent;
        const gpusnek_pair_t rest = from_fraction(size, &exponent);
        value = 1.0 - gpusnek_round_scaled(rest, exponent);
    } else {
        value = from_table(size, false).high;
    }
    return x < 0.0 ? -value : value;
}
