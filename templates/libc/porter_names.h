// Renames every C library function that units use to a porter_ name.
//
// Problem: g++ and nvcc predeclare memcpy, sin and other functions, with attributes and linkage
// that a device function cannot have. The names of the rewritten functions must therefore differ.
//
// Mechanism: `cc -include` includes this file before everything else in every unit. A struct field
// with the name of a function (gc_info_t.free) is thus renamed consistently.
#ifndef PORTER_NAMES_H
#define PORTER_NAMES_H

// string.h
#define memchr porter_memchr
#define memcmp porter_memcmp
#define memcpy porter_memcpy
#define memmove porter_memmove
#define memset porter_memset
#define strcat porter_strcat
#define strchr porter_strchr
#define strcmp porter_strcmp
#define strcpy porter_strcpy
#define strcspn porter_strcspn
#define strlen porter_strlen
#define strncmp porter_strncmp
#define strncpy porter_strncpy
#define strrchr porter_strrchr
#define strspn porter_strspn
#define strstr porter_strstr

// stdlib.h
#define abort porter_abort
#define abs porter_abs
#define exit porter_exit
#define labs porter_labs
#define llabs porter_llabs
#define qsort porter_qsort
#define strtol porter_strtol
#define strtoul porter_strtoul
// Units allocate from MicroPython's heap; malloc.c defines its own macros of these names.
#define calloc porter_calloc
#define free porter_free
#define malloc porter_malloc
#define realloc porter_realloc

// stdio.h (upstream's shared/libc/printf.c implements these over mp_vprintf)
#define printf porter_printf
#define putchar porter_putchar
#define puts porter_puts
#define snprintf porter_snprintf
#define vprintf porter_vprintf
#define vsnprintf porter_vsnprintf

// Upstream's libm.h declares these with other parameters than g++'s C library.
#define __cos porter___cos
#define __sin porter___sin
#define __tan porter___tan

// math.h, double
#define acos porter_acos
#define acosh porter_acosh
#define asin porter_asin
#define asinh porter_asinh
#define atan porter_atan
#define atan2 porter_atan2
#define atanh porter_atanh
#define ceil porter_ceil
#define copysign porter_copysign
#define cos porter_cos
#define cosh porter_cosh
#define erf porter_erf
#define erfc porter_erfc
#define exp porter_exp
#define expm1 porter_expm1
#define fabs porter_fabs
#define floor porter_floor
#define fmax porter_fmax
#define fmin porter_fmin
#define fmod porter_fmod
#define frexp porter_frexp
#define ldexp porter_ldexp
#define lgamma porter_lgamma
#define log porter_log
#define log10 porter_log10
#define log1p porter_log1p
#define log2 porter_log2
#define modf porter_modf
#define nan porter_nan
#define nearbyint porter_nearbyint
#define pow porter_pow
#define rint porter_rint
#define round porter_round
#define scalbn porter_scalbn
#define sin porter_sin
#define sinh porter_sinh
#define sqrt porter_sqrt
#define tan porter_tan
#define tanh porter_tanh
#define tgamma porter_tgamma
#define trunc porter_trunc

// math.h, float
#define acosf porter_acosf
#define acoshf porter_acoshf
#define asinf porter_asinf
#define asinhf porter_asinhf
#define atan2f porter_atan2f
#define atanf porter_atanf
#define atanhf porter_atanhf
#define ceilf porter_ceilf
#define copysignf porter_copysignf
#define cosf porter_cosf
#define coshf porter_coshf
#define erfcf porter_erfcf
#define erff porter_erff
#define expf porter_expf
#define expm1f porter_expm1f
#define fabsf porter_fabsf
#define floorf porter_floorf
#define fmaxf porter_fmaxf
#define fminf porter_fminf
#define fmodf porter_fmodf
#define frexpf porter_frexpf
#define ldexpf porter_ldexpf
#define lgammaf porter_lgammaf
#define log10f porter_log10f
#define log1pf porter_log1pf
#define log2f porter_log2f
#define logf porter_logf
#define modff porter_modff
#define nanf porter_nanf
#define nearbyintf porter_nearbyintf
#define powf porter_powf
#define rintf porter_rintf
#define roundf porter_roundf
#define scalbnf porter_scalbnf
#define sinf porter_sinf
#define sinhf porter_sinhf
#define sqrtf porter_sqrtf
#define tanf porter_tanf
#define tanhf porter_tanhf
#define tgammaf porter_tgammaf
#define truncf porter_truncf

#endif
