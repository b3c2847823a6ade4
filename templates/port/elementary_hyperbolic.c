// Hyperbolic functions of floats, from exponentials and logarithms.
//
// These are the sums of the C libraries, so their last bits are those of CPython's results.
#include <math.h>

#define EXP_ALONE (22.0) // e^-x does not change the sum from here on
#define HALF_LN2 (0.34657359027997264)
#define LARGEST (710.475860073944) // the largest number whose sinh is finite

// e^x / 2
static double half_exp(double x) {
    if (x < 709.0) {
        return 0.5 * exp(x);
    }
    if (x > LARGEST) {
        return x * HUGE_VAL;
    }
    const double root = exp(0.5 * x);
    return 0.5 * root * root;
}

double sinh(double x) {
    const double size = fabs(x);
    const double half = x < 0.0 ? -0.5 : 0.5;
    if (x != x || size < 3.0e-9) {
        return x;
    }
    if (size >= EXP_ALONE) {
        return half * 2.0 * half_exp(size);
    }
    const double t = expm1(size);
    if (size < 1.0) {
        return half * (2.0 * t - t * t / (t + 1.0));
    }
    return half * (t + t / (t + 1.0));
}

double cosh(double x) {
    const double size = fabs(x);
    if (x != x) {
        return x;
    }
    if (size < HALF_LN2) {
        const double t = expm1(size), w = 1.0 + t;
        return 1.0 + t * t / (w + w);
    }
    if (size >= EXP_ALONE) {
        return half_exp(size);
    }
    const double t = exp(size);
    return 0.5 * t + 0.5 / t;
}

double tanh(double x) {
    const double size = fabs(x);
    if (x != x || size < 1.0e-17) {
        return x;
    }
    double value = 1.0;
    if (size < 1.0) {
        const double t = expm1(-2.0 * size);
        value = -t / (t + 2.0);
    } else if (size < EXP_ALONE) {
        value = 1.0 - 2.0 / (expm1(2.0 * size) + 2.0);
    }
    return x < 0.0 ? -value : value;
}

double asinh(double x) {
    const double size = fabs(x);
    if (x - x != 0.0 || size < 3.0e-9) {
        return x;
    }
    double value;
    if (size > 268435456.0) {
        value = log(size) + M_LN2;
    } else if (size > 2.0) {
        value = log(2.0 * size + 1.0 / (sqrt(x * x + 1.0) + size));
    } else {
        const double square = x * x;
        value = log1p(size + square / (1.0 + sqrt(1.0 + square)));
    }
    return x < 0.0 ? -value : value;
}

double atanh(double x) {
    const double size = fabs(x);
    if (x != x || size < 3.0e-9) {
        return x;
    }
    if (size >= 1.0) {
        return size == 1.0 ? x * HUGE_VAL : (double)NAN;
    }
    const double twice = size + size;
    double value;
    if (size < 0.5) {
        value = 0.5 * log1p(twice + twice * size / (1.0 - size));
    } else {
        value = 0.5 * log1p(twice / (1.0 - size));
    }
    return x < 0.0 ? -value : value;
}
