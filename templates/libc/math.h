// The part of <math.h> that units use; bodies in templates/runtime/libm.inc (C++).
#ifndef PORTER_MATH_H
#define PORTER_MATH_H

#define M_E 2.7182818284590452354
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_LN2 0.69314718055994530942

typedef float float_t;
typedef double double_t;

#define HUGE_VAL (__builtin_huge_val())
#define INFINITY (__builtin_inff())
#define NAN (__builtin_nanf(""))

#define FP_NAN 0
#define FP_INFINITE 1
#define FP_ZERO 2
#define FP_SUBNORMAL 3
#define FP_NORMAL 4

// Classification by bits, so that no fast-math option can fold it away. A float widened to
// double keeps its class except that a subnormal float becomes normal, hence two versions.
static inline int porter_fpclassify(double x) {
    union {
        double value;
        unsigned long bits;
    } view;
    view.value = x;
    unsigned long exponent = (view.bits >> 52) & 0x7ff;
    unsigned long fraction = view.bits & 0xfffffffffffffUL;
    if (exponent == 0x7ff) {
        return fraction ? FP_NAN : FP_INFINITE;
    }
    if (exponent == 0) {
        return fraction ? FP_SUBNORMAL : FP_ZERO;
    }
    return FP_NORMAL;
}

static inline int porter_signbit(double x) {
    union {
        double value;
        unsigned long bits;
    } view;
    view.value = x;
    return (int)(view.bits >> 63);
}

static inline int porter_fpclassifyf(float x) {
    union {
        float value;
        unsigned int bits;
    } view;
    view.value = x;
    unsigned int exponent = (view.bits >> 23) & 0xff;
    unsigned int fraction = view.bits & 0x7fffff;
    if (exponent == 0xff) {
        return fraction ? FP_NAN : FP_INFINITE;
    }
    if (exponent == 0) {
        return fraction ? FP_SUBNORMAL : FP_ZERO;
    }
    return FP_NORMAL;
}

static inline int porter_signbitf(float x) {
    union {
        float value;
        unsigned int bits;
    } view;
    view.value = x;
    return (int)(view.bits >> 31);
}

#define fpclassify(x) (sizeof(x) == sizeof(float) ? porter_fpclassifyf(x) : porter_fpclassify(x))
#define signbit(x) (sizeof(x) == sizeof(float) ? porter_signbitf(x) : porter_signbit(x))
#define isnan(x) (fpclassify(x) == FP_NAN)
#define isinf(x) (fpclassify(x) == FP_INFINITE)
#define isfinite(x) (fpclassify(x) > FP_INFINITE)
#define isnormal(x) (fpclassify(x) == FP_NORMAL)

double acos(double x);
double acosh(double x);
double asin(double x);
double asinh(double x);
double atan(double x);
double atanh(double x);
double ceil(double x);
double cos(double x);
double cosh(double x);
double erf(double x);
double erfc(double x);
double exp(double x);
double expm1(double x);
double fabs(double x);
double floor(double x);
double lgamma(double x);
double log(double x);
double log10(double x);
double log1p(double x);
double log2(double x);
double nearbyint(double x);
double rint(double x);
double round(double x);
double sin(double x);
double sinh(double x);
double sqrt(double x);
double tan(double x);
double tanh(double x);
double tgamma(double x);
double trunc(double x);
double atan2(double x, double y);
double copysign(double x, double y);
double fmax(double x, double y);
double fmin(double x, double y);
double fmod(double x, double y);
double pow(double x, double y);
double frexp(double x, int *exponent);
double ldexp(double x, int exponent);
double scalbn(double x, int exponent);
double modf(double x, double *integer);
double nan(const char *tag);

float acosf(float x);
float acoshf(float x);
float asinf(float x);
float asinhf(float x);
float atanf(float x);
float atanhf(float x);
float ceilf(float x);
float cosf(float x);
float coshf(float x);
float erff(float x);
float erfcf(float x);
float expf(float x);
float expm1f(float x);
float fabsf(float x);
float floorf(float x);
float lgammaf(float x);
float logf(float x);
float log10f(float x);
float log1pf(float x);
float log2f(float x);
float nearbyintf(float x);
float rintf(float x);
float roundf(float x);
float sinf(float x);
float sinhf(float x);
float sqrtf(float x);
float tanf(float x);
float tanhf(float x);
float tgammaf(float x);
float truncf(float x);
float atan2f(float x, float y);
float copysignf(float x, float y);
float fmaxf(float x, float y);
float fminf(float x, float y);
float fmodf(float x, float y);
float powf(float x, float y);
float frexpf(float x, int *exponent);
float ldexpf(float x, int exponent);
float scalbnf(float x, int exponent);
float modff(float x, float *integer);
float nanf(const char *tag);
#endif
