// Complex numbers: operators, texts and constructors with CPython's results. The patch `numbers` calls
// this file.
#include "checkself.h"
#include "complexes.h"

#include <math.h>
#include <string.h>

#include "floats.h"
#include "py/formatfloat.h"
#include "py/parsenum.h"
#include "py/runtime.h"

#if MICROPY_PY_BUILTINS_COMPLEX

#ifdef MP_FLOAT_REPR_PREC
#define REPR MP_FLOAT_REPR_PREC
#else
#define REPR (-2) // as in floats.c
#endif
#define MOST_PRODUCTS (100) // the largest exponent that is computed by products

typedef struct {
    mp_float_t real;
    mp_float_t imag;
} complex_t;

static complex_t product(complex_t a, complex_t b) {
    const complex_t result = {a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real};
    return result;
}

// Divide by scaling with the larger part of the divisor (Smith).
static complex_t quotient(complex_t a, complex_t b) {
    const mp_float_t real = MICROPY_FLOAT_C_FUN(fabs)(b.real);
    const mp_float_t imag = MICROPY_FLOAT_C_FUN(fabs)(b.imag);
    complex_t result = {NAN, NAN};
    if (real >= imag) {
        if (real == 0) {
            mp_raise_msg(&mp_type_ZeroDivisionError, MP_ERROR_TEXT("division by zero"));
        }
        const mp_float_t ratio = b.imag / b.real;
        const mp_float_t scale = b.real + b.imag * ratio;
        result.real = (a.real + a.imag * ratio) / scale;
        result.imag = (a.imag - a.real * ratio) / scale;
    } else if (imag >= real) {
        const mp_float_t ratio = b.real / b.imag;
        const mp_float_t scale = b.real * ratio + b.imag;
        result.real = (a.real * ratio + a.imag) / scale;
        result.imag = (a.imag * ratio - a.real) / scale;
    }
    return result;
}

static mp_float_t size_of(complex_t value) {
    int exponent;
    mp_float_t real = MICROPY_FLOAT_C_FUN(fabs)(value.real);
    mp_float_t imag = MICROPY_FLOAT_C_FUN(fabs)(value.imag);
    const mp_float_t larger = real > imag ? real : imag;
    if (isinf(real) || isinf(imag)) {
        return (mp_float_t)INFINITY;
    }
    if (!(larger > 0)) {
        return real + imag;
    }
    MICROPY_FLOAT_C_FUN(frexp)(larger, &exponent);
    real = MICROPY_FLOAT_C_FUN(ldexp)(real, -exponent);
    imag = MICROPY_FLOAT_C_FUN(ldexp)(imag, -exponent);
    return MICROPY_FLOAT_C_FUN(ldexp)(
        MICROPY_FLOAT_C_FUN(sqrt)(real * real + imag * imag), exponent);
}

static complex_t whole_power(complex_t base, int exponent) {
    complex_t result = {1, 0};
    complex_t square = base;
    for (int rest = exponent < 0 ? -exponent : exponent; rest > 0; rest >>= 1) {
        if (rest & 1) {
            result = product(result, square);
        }
        square = product(square, square);
    }
    if (exponent < 0) {
        const complex_t one = {1, 0};
        return quotient(one, result);
    }
    return result;
}

static complex_t power(complex_t base, complex_t exponent) {
    if (exponent.imag == 0 && MICROPY_FLOAT_C_FUN(fabs)(exponent.real) <= MOST_PRODUCTS
        && exponent.real == MICROPY_FLOAT_C_FUN(floor)(exponent.real)) {
        if (base.real == 0 && base.imag == 0 && exponent.real < 0) {
            mp_raise_msg(&mp_type_ZeroDivisionError, MP_ERROR_TEXT("zero to a negative or complex power"));
        }
        return whole_power(base, (int)exponent.real);
    }
    complex_t result = {0, 0};
    if (exponent.real == 0 && exponent.imag == 0) {
        result.real = 1;
    } else if (base.real == 0 && base.imag == 0) {
        if (exponent.imag != 0 || exponent.real < 0) {
            mp_raise_msg(&mp_type_ZeroDivisionError, MP_ERROR_TEXT("zero to a negative or complex power"));
        }
    } else {
        const mp_float_t size = size_of(base);
        mp_float_t length = MICROPY_FLOAT_C_FUN(pow)(size, exponent.real);
        const mp_float_t angle = MICROPY_FLOAT_C_FUN(atan2)(base.imag, base.real);
        mp_float_t phase = angle * exponent.real;
        if (exponent.imag != 0) {
            length *= MICROPY_FLOAT_C_FUN(exp)(-angle * exponent.imag);
            phase += exponent.imag * MICROPY_FLOAT_C_FUN(log)(size);
        }
        result.real = length * MICROPY_FLOAT_C_FUN(cos)(phase);
        result.imag = length * MICROPY_FLOAT_C_FUN(sin)(phase);
    }
    return result;
}

mp_obj_t gpusnek_complex_operation(mp_binary_op_t op, mp_float_t real, mp_float_t imag, mp_obj_t right) {
    const complex_t left = {real, imag};
    complex_t other;
    if (!mp_obj_get_complex_maybe(right, &other.real, &other.imag)) {
        return MP_OBJ_NULL;
    }
    complex_t result;
    switch (op) {
        case MP_BINARY_OP_TRUE_DIVIDE:
        case MP_BINARY_OP_INPLACE_TRUE_DIVIDE:
            result = quotient(left, other);
            break;
        case MP_BINARY_OP_POWER:
        case MP_BINARY_OP_INPLACE_POWER:
            result = power(left, other);
            if (isinf(result.real) || isinf(result.imag)) {
                mp_raise_msg(&mp_type_OverflowError, MP_ERROR_TEXT("complex exponentiation"));
            }
            break;
        default:
            return MP_OBJ_NULL;
    }
    return mp_obj_new_complex(result.real, result.imag);
}

mp_obj_t gpusnek_complex_size(mp_obj_t value) {
    complex_t number;
    mp_obj_complex_get(value, &number.real, &number.imag);
    const mp_float_t size = size_of(number);
    if (isinf(size) && isfinite(number.real) && isfinite(number.imag)) {
        mp_raise_msg(&mp_type_OverflowError, MP_ERROR_TEXT("absolute value too large"));
    }
    return mp_obj_new_float(size);
}

bool gpusnek_refuses_complex(mp_binary_op_t op) {
    return op == MP_BINARY_OP_FLOOR_DIVIDE || op == MP_BINARY_OP_INPLACE_FLOOR_DIVIDE;
}

void gpusnek_print_complex(const mp_print_t *print, mp_obj_t value) {
    mp_float_t real, imag;
    mp_obj_complex_get(value, &real, &imag);
    const bool has_real = real != 0 || signbit(real);
    if (has_real) {
        mp_print_str(print, "(");
        if (real == 0) {
            mp_print_str(print, "-0");
        } else {
            gpusnek_print_float(print, real, 'g', 0, '\0', -1, REPR);
        }
    }
    if (imag == 0) {
        mp_print_str(print, signbit(imag) ? "-0" : has_real ? "+0" : "0");
    } else {
        gpusnek_print_float(print, imag, 'g', has_real ? PF_FLAG_SHOW_SIGN : 0, '\0', -1, REPR);
    }
    mp_print_str(print, has_real ? "j)" : "j");
}

static _Noreturn void raise_malformed(void) {
    mp_raise_ValueError(MP_ERROR_TEXT("complex() arg is a malformed string"));
}

static bool is_digit(const char *at, const char *end) {
    return at < end && *at >= '0' && *at <= '9';
}

// Skip a word of ASCII letters, given in lower case. Returns its end, or NULL if another text is there.
static const char *skip_word(const char *at, const char *end, const char *word) {
    for (; *word != '\0'; at++, word++) {
        if (at >= end || (*at | 0x20) != *word) {
            return NULL;
        }
    }
    return at;
}

static const char *skip_digits(const char *at, const char *end) {
    while (is_digit(at, end) || (at < end && *at == '_')) {
        at++;
    }
    return at;
}

// Return the end of the number without a sign at `at`, or `at` if no number begins there.
static const char *skip_number(const char *at, const char *end) {
    static const char *const words[] = {"infinity", "inf", "nan"};
    for (size_t i = 0; i < MP_ARRAY_SIZE(words); i++) {
        const char *const behind = skip_word(at, end, words[i]);
        if (behind != NULL) {
            return behind;
        }
    }
    const char *top = skip_digits(at, end);
    bool has_digits = top > at;
    if (top < end && *top == '.') {
        const char *const fraction = top + 1;
        top = skip_digits(fraction, end);
        has_digits = has_digits || top > fraction;
    }
    if (!has_digits) {
        return at;
    }
    if (top < end && (*top | 0x20) == 'e') {
        const char *const digits = top + 1 + (top + 1 < end && (top[1] == '+' || top[1] == '-'));
        if (is_digit(digits, end)) {
            top = skip_digits(digits, end);
        }
    }
    return top;
}

// Read a signed number. Returns false if there is only a sign, or nothing: the number is then 1 or -1.
static bool read_part(const char **at, const char *end, mp_float_t *value) {
    const bool negative = *at < end && **at == '-';
    if (*at < end && (**at == '-' || **at == '+')) {
        (*at)++;
    }
    const char *const top = skip_number(*at, end);
    const bool found = top > *at;
    *value = found ? mp_obj_get_float(mp_parse_num_float(*at, (size_t)(top - *at), false, NULL)) : 1;
    if (negative) {
        *value = -*value;
    }
    *at = top;
    return found;
}

static bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static void strip(const char **at, const char **end) {
    while (*at < *end && is_space(**at)) {
        (*at)++;
    }
    while (*end > *at && is_space((*end)[-1])) {
        (*end)--;
    }
}

static mp_obj_t read_complex(mp_obj_t object) {
    size_t size;
    const char *at = mp_obj_str_get_data(object, &size);
    const char *end = at + size;
    strip(&at, &end);
    if (end > at && *at == '(') {
        if (end[-1] != ')') {
            raise_malformed();
        }
        at++;
        end--;
        strip(&at, &end);
    }
    mp_float_t first, second;
    const char *const start = at;
    const bool has_first = read_part(&at, end, &first);
    if (at < end && (*at == 'j' || *at == 'J')) {
        if (at + 1 != end) {
            raise_malformed();
        }
        return mp_obj_new_complex(0, first);
    }
    if (!has_first || at == start) {
        raise_malformed();
    }
    if (at == end) {
        return mp_obj_new_complex(first, 0);
    }
    if (*at != '+' && *at != '-') {
        raise_malformed();
    }
    read_part(&at, end, &second);
    if (at + 1 != end || (*at | 0x20) != 'j') {
        raise_malformed();
    }
    return mp_obj_new_complex(first, second);
}

mp_obj_t gpusnek_new_complex(size_t n_args, const mp_obj_t *args) {
    if (n_args == 0) {
        return MP_OBJ_NULL;
    }
    if (mp_obj_is_str(args[0])) {
        if (n_args > 1) {
            mp_raise_TypeError(MP_ERROR_TEXT("complex() can't take second arg if first is a string"));
        }
        return read_complex(args[0]);
    }
    if (n_args > 1 && mp_obj_is_str(args[1])) {
        mp_raise_TypeError(MP_ERROR_TEXT("complex() second arg can't be a string"));
    }
    complex_t real, imag = {0, 0};
    if (!mp_obj_get_complex_maybe(args[0], &real.real, &real.imag)) {
        mp_raise_msg_varg(&mp_type_TypeError,
            MP_ERROR_TEXT("complex() first argument must be a string or a number, not '%s'"),
            mp_obj_get_type_str(args[0]));
    }
    if (n_args == 1) {
        return mp_obj_is_exact_type(args[0], &mp_type_complex)
            ? args[0] : mp_obj_new_complex(real.real, real.imag);
    }
    if (!mp_obj_get_complex_maybe(args[1], &imag.real, &imag.imag)) {
        mp_raise_msg_varg(&mp_type_TypeError,
            MP_ERROR_TEXT("complex() second argument must be a number, not '%s'"),
            mp_obj_get_type_str(args[1]));
    }
    if (mp_obj_is_exact_type(args[1], &mp_type_complex)) {
        real.real -= imag.imag;
    }
    if (mp_obj_is_exact_type(args[0], &mp_type_complex)) {
        imag.real += real.imag;
    }
    return mp_obj_new_complex(real.real, imag.real);
}

static mp_obj_t complex_conjugate(mp_obj_t self) {
    mp_float_t real, imag;
    gpusnek_check_self(self, &mp_type_complex);
    mp_obj_complex_get(self, &real, &imag);
    return mp_obj_new_complex(real, -imag);
}
static MP_DEFINE_CONST_FUN_OBJ_1(complex_conjugate_obj, complex_conjugate);

static const mp_rom_map_elem_t complex_table[] = {
    { MP_ROM_QSTR(MP_QSTR_conjugate), MP_ROM_PTR(&complex_conjugate_obj) },
};
MP_DEFINE_CONST_DICT(gpusnek_complex_methods, complex_table);

#endif
