// The gamma function and its logarithm (elementary.h describes the numbers).
//
// Stirling's series gives ln(gamma(z)) for z >= 16. A smaller argument x is moved there by the
// recurrence gamma(x + n) = x (x + 1) ... (x + n - 1) gamma(x), which also holds for negative x and
// does not lose digits near the poles. Near 1 and 2, where the logarithm is 0, a power series has its
// relative precision. The logarithm has about 75 bits after the point. Near its zeros at negative x
// the relative precision is therefore lower.
#include "elementary.h"

#include <math.h>

#define STIRLING_LEAST (16.0)
#define STIRLING_TERMS (11)
#define SERIES_TERMS (16)
#define SERIES_WIDTH (0.03125)
#define PAIR_TERMS (4) // of the power series, which need more than 53 bits
#define MOST_FACTORS (217) // from -200 up to 16
#define REFLECTED (-200.0) // the logarithm is reflected from here on; gamma is 0
#define GAMMA_LARGEST (171.7) // gamma overflows beyond
#define TINY (8.673617379884035e-19) // 2^-60: gamma(x) is 1/x below
#define HUGE_LEAST (1.2676506002282294e30) // 2^100: Stirling's series is x (ln(x) - 1) beyond
#define SCALE (600)

// ln(gamma(z)) for z.high >= STIRLING_LEAST.
static gpusnek_pair_t stirling(gpusnek_pair_t z) {
    const double inverse = 1.0 / z.high;
    const double square = inverse * inverse;
    double tail = 0.0;
    for (int i = STIRLING_TERMS - 1; i >= 2; --i) {
        tail = gpusnek_stirling[i].high + tail * square;
    }
    const gpusnek_pair_t first = gpusnek_divide(gpusnek_stirling[0], z);
    const double second = gpusnek_stirling[1].high * square * inverse;
    const gpusnek_pair_t series = gpusnek_add(
        first, gpusnek_sum(second, tail * square * square * inverse));
    const gpusnek_pair_t logarithm = gpusnek_add_double(gpusnek_log_pair(z.high), z.low * inverse);
    gpusnek_pair_t sum = gpusnek_multiply(gpusnek_add_double(z, -0.5), logarithm);
    sum = gpusnek_add(sum, gpusnek_negative(z));
    return gpusnek_add(sum, gpusnek_add(gpusnek_half_log_2pi, series));
}

// Move x > REFLECTED to *z >= STIRLING_LEAST. The quotient gamma(*z) / gamma(x) is the returned pair
// times 2^*exponent.
static gpusnek_pair_t move(double x, gpusnek_pair_t *z, int *exponent) {
    gpusnek_pair_t product = gpusnek_pair(1.0, 0.0);
    gpusnek_pair_t factor = gpusnek_pair(x, 0.0);
    *exponent = 0;
    for (int i = 0; i < MOST_FACTORS && factor.high < STIRLING_LEAST; i++) {
        product = gpusnek_multiply(product, factor);
        if (product.high > 1e200 || product.high < -1e200) {
            product = gpusnek_scale(product, gpusnek_power_of_two(-SCALE));
            *exponent += SCALE;
        }
        factor = gpusnek_sum(x, (double)(i + 1));
    }
    *z = factor;
    return product;
}

double tgamma(double x) {
    if (x != x || x == HUGE_VAL) {
        return x;
    }
    const double size = x < 0.0 ? -x : x;
    if (size < TINY) {
        return 1.0 / x; // an infinity of 0
    }
    if (x >= GAMMA_LARGEST) {
        return HUGE_VAL;
    }
    if (x < 0.0 && floor(x) == x) {
        return NAN;
    }
    if (x <= REFLECTED) {
        const double half = 0.5 * floor(x);
        return floor(half) == half ? 0.0 : -0.0;
    }
    gpusnek_pair_t z;
    int moved, exponent;
    const gpusnek_pair_t product = move(x, &z, &moved);
    const gpusnek_pair_t power = gpusnek_exp_pair(stirling(z), &exponent);
    return gpusnek_round_scaled(gpusnek_divide(power, product), exponent - moved);
}

// ln(gamma(first + d)) for first = 1 or 2 and |d| <= SERIES_WIDTH.
static double log_gamma_near(int first, double d) {
    const gpusnek_pair_t *const terms = gpusnek_log_gamma[first - 1];
    double tail = 0.0;
    for (int i = SERIES_TERMS - 1; i >= PAIR_TERMS; --i) {
        tail = terms[i].high + tail * d;
    }
    gpusnek_pair_t sum = gpusnek_pair(tail, 0.0);
    for (int i = PAIR_TERMS - 1; i >= 0; --i) {
        sum = gpusnek_add(terms[i], gpusnek_multiply_double(sum, d));
    }
    return gpusnek_multiply_double(sum, d).high;
}

// gamma(x) gamma(-x) = -pi / (x sin(pi x)). The logarithms are large here.
static double log_gamma_reflected(double x) {
    const double fraction = x - floor(x);
    const double sine = sin(2.0 * gpusnek_half_pi.high * (fraction > 0.5 ? 1.0 - fraction : fraction));
    gpusnek_pair_t sum = gpusnek_add(gpusnek_log_pair(-x), gpusnek_log_pair(sine));
    sum = gpusnek_add(sum, stirling(gpusnek_pair(-x, 0.0)));
    return gpusnek_add(gpusnek_log_pi, gpusnek_negative(sum)).high;
}

double lgamma(double x) {
    if (x - x != 0.0) {
        return x * x; // an infinity, or not a number
    }
    if (x <= 0.0 && floor(x) == x) {
        return HUGE_VAL;
    }
    const double size = x < 0.0 ? -x : x;
    if (size < TINY) {
        return -log(size);
    }
    if (x >= HUGE_LEAST) {
        const gpusnek_pair_t factor = gpusnek_add_double(gpusnek_log_pair(x), -1.0);
        const gpusnek_pair_t product
            = gpusnek_multiply_double(factor, x * gpusnek_power_of_two(-SCALE));
        return product.high * gpusnek_power_of_two(SCALE);
    }
    if (x <= REFLECTED) {
        return log_gamma_reflected(x);
    }
    for (int first = 1; first <= 2; first++) {
        const double d = x - first;
        if (d <= SERIES_WIDTH && d >= -SERIES_WIDTH) {
            return log_gamma_near(first, d);
        }
    }
    gpusnek_pair_t z;
    int moved;
    gpusnek_pair_t product = move(x, &z, &moved);
    if (product.high < 0.0) {
        product = gpusnek_negative(product);
    }
    gpusnek_pair_t factors
        = gpusnek_add_double(gpusnek_log_pair(product.high), product.low / product.high);
    factors = gpusnek_add(factors, gpusnek_multiply_double(gpusnek_ln2, moved));
    return gpusnek_add(stirling(z), gpusnek_negative(factors)).high;
}
