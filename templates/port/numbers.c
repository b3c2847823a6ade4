// Rounding, division, comparison and reading of numbers with CPython's results and messages. The
// patch `numbers` makes upstream's functions call this file.
#include "numbers.h"

#include <math.h>
#include <string.h>

#include "charkinds.h"
#include "floats.h"
#include "methods_number.h"
#include "py/builtin.h"
#include "py/objint.h"
#include "py/objtype.h"
#include "py/parsenum.h"
#include "py/runtime.h"
#include "py/unicode.h"

#define EXACT_POWER (22) // 10^22 is the largest power of ten that is a double
#define EXACT_LIMIT (2251799813685248.0) // 2^51
#define TIE_DISTANCE (1.0e-15) // more than twice the relative error of a product
#define MOST_DECIMALS (323)
#define QUOTIENT_BITS (66)
#define MOST_RUN (60) // digits in adjacent runs

mp_rom_error_text_t gpusnek_zero_division(mp_binary_op_t op, bool floats) {
    switch (op) {
        case MP_BINARY_OP_TRUE_DIVIDE:
        case MP_BINARY_OP_INPLACE_TRUE_DIVIDE:
            return floats ? MP_ERROR_TEXT("float division by zero")
                          : MP_ERROR_TEXT("division by zero");
        case MP_BINARY_OP_MODULO:
        case MP_BINARY_OP_INPLACE_MODULO:
            return floats ? MP_ERROR_TEXT("float modulo by zero")
                          : MP_ERROR_TEXT("integer modulo by zero");
        case MP_BINARY_OP_DIVMOD:
            return floats ? MP_ERROR_TEXT("float divmod()")
                          : MP_ERROR_TEXT("integer division or modulo by zero");
        default:
            return floats ? MP_ERROR_TEXT("float floor division by zero")
                          : MP_ERROR_TEXT("integer division or modulo by zero");
    }
}

#if MICROPY_PY_BUILTINS_FLOAT
static mp_obj_t read_float(vstr_t *text) {
    const mp_obj_t value = mp_parse_num_float(text->buf, text->len, false, NULL);
    vstr_clear(text);
    return value;
}

// Round by the exact decimal digits of x.
static mp_obj_t round_digits(mp_float_t x, int decimals) {
    vstr_t text;
    mp_print_t print;
    vstr_init_print(&text, 32, &print);
    if (decimals >= 0) {
        gpusnek_print_float(&print, x, 'f', 0, ' ', 0, decimals);
        return read_float(&text);
    }
    // The first digit that is kept has the weight 10^-decimals.
    gpusnek_print_float(&print, x, 'e', 0, ' ', 0, 17);
    const char *at = strchr(vstr_null_terminated_str(&text), 'e');
    int exponent = 0;
    for (const char *digit = at + 2; *digit != 0; digit++) {
        exponent = exponent * 10 + (*digit - '0');
    }
    exponent = at[1] == '-' ? -exponent : exponent;
    const int digits = exponent + 1 + decimals;
    vstr_reset(&text);
    if (digits > 0) {
        gpusnek_print_float(&print, x, 'e', 0, ' ', 0, digits - 1);
        return read_float(&text);
    }
    const mp_float_t size = MICROPY_FLOAT_C_FUN(fabs)(x);
    mp_printf(&print, "5e%d", exponent);
    const bool up = digits == 0 && size > mp_obj_get_float(read_float(&text));
    vstr_init_print(&text, 16, &print);
    mp_printf(&print, "%s1e%d", x < 0 ? "-" : "", -decimals);
    const mp_obj_t unit = read_float(&text);
    return up ? unit : mp_obj_new_float(MICROPY_FLOAT_C_FUN(copysign)(0, x));
}

static mp_obj_t round_float(mp_float_t x, mp_int_t decimals) {
    if (x - x != 0 || x == 0 || decimals > MOST_DECIMALS) {
        return mp_obj_new_float(x);
    }
    if (decimals < -MOST_DECIMALS) {
        return mp_obj_new_float(MICROPY_FLOAT_C_FUN(copysign)(0, x));
    }
    #if MICROPY_FLOAT_IMPL == MICROPY_FLOAT_IMPL_DOUBLE
    // The product with an exact power of ten is off by half a unit of its last place. If it is not
    // close to a tie, it has the right digits, and the division rounds once.
    if (decimals <= EXACT_POWER && decimals >= -EXACT_POWER) {
        double power = 1.0;
        for (mp_int_t i = decimals < 0 ? -decimals : decimals; i > 0; i--) {
            power *= 10.0;
        }
        const double scaled = decimals < 0 ? x / power : x * power;
        const double size = fabs(scaled);
        if (size < EXACT_LIMIT) {
            const double whole = floor(size), rest = size - whole - 0.5;
            if (fabs(rest) > size * TIE_DISTANCE && size > TIE_DISTANCE) {
                const double digits = rest > 0.0 ? whole + 1.0 : whole;
                const double value = decimals < 0 ? digits * power : digits / power;
                return mp_obj_new_float(copysign(value, x));
            }
        }
    }
    #endif
    return round_digits(x, (int)decimals);
}
#endif

// Return the int or float that an instance derives from, or MP_OBJ_NULL.
static mp_obj_t native_number(mp_obj_t number) {
    mp_obj_t native = mp_obj_cast_to_native_base(number, MP_OBJ_FROM_PTR(&mp_type_int));
    #if MICROPY_PY_BUILTINS_FLOAT
    if (native == MP_OBJ_NULL) {
        native = mp_obj_cast_to_native_base(number, MP_OBJ_FROM_PTR(&mp_type_float));
    }
    #endif
    return native;
}

// Call a method of an instance's class with arguments behind the instance. Return MP_OBJ_NULL if the
// class has no such method of Python.
static mp_obj_t call_special(mp_obj_t self, qstr name, size_t count, const mp_obj_t *arguments) {
    mp_obj_t call[4] = {MP_OBJ_NULL, MP_OBJ_NULL};
    mp_load_method_maybe(self, name, call);
    if (call[0] == MP_OBJ_NULL || !mp_obj_is_obj(call[0])
        || (mp_obj_get_type(call[0])->flags & MP_TYPE_FLAG_BUILTIN_FUN)) {
        return MP_OBJ_NULL;
    }
    for (size_t i = 0; i < count; i++) {
        call[2 + i] = arguments[i];
    }
    return mp_call_method_n_kw(count, 0, call);
}

mp_obj_t gpusnek_round(size_t n_args, const mp_obj_t *args) {
    const mp_obj_t number = args[0];
    const bool none = n_args > 1 && args[1] == mp_const_none;
    n_args -= none;
    if (mp_obj_is_instance_type(mp_obj_get_type(number))) {
        const mp_obj_t rounded = call_special(number, MP_QSTR___round__, n_args - 1, args + 1);
        if (rounded != MP_OBJ_NULL) {
            return rounded;
        }
        const mp_obj_t plain[2] = {native_number(number), args[n_args - 1]};
        if (plain[0] != MP_OBJ_NULL) {
            return mp_call_function_n_kw(MP_OBJ_FROM_PTR(&mp_builtin_round_obj), n_args, 0, plain);
        }
    }
    if (mp_obj_is_bool(number) || none) {
        const mp_obj_t plain[2] = {mp_obj_is_bool(number) ? MP_OBJ_NEW_SMALL_INT(number == mp_const_true) : number,
            args[n_args - 1]};
        return mp_call_function_n_kw(MP_OBJ_FROM_PTR(&mp_builtin_round_obj), n_args, 0, plain);
    }
    #if MICROPY_PY_BUILTINS_FLOAT
    if (mp_obj_is_float(number)) {
        if (n_args == 1 || (!mp_obj_is_int(args[1]) && !mp_obj_is_bool(args[1]))) {
            return MP_OBJ_NULL;
        }
        return round_float(mp_obj_get_float(number), mp_obj_get_int_truncated(args[1]));
    }
    #endif
    if (!mp_obj_is_int(number)) {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("type %s doesn't define __round__ method"),
            mp_obj_get_type_str(number));
    }
    return n_args == 1 ? number : MP_OBJ_NULL;
}

static bool is_bitwise(mp_binary_op_t op) {
    mp_uint_t plain = op;
    if (op >= MP_BINARY_OP_REVERSE_OR) {
        plain -= MP_BINARY_OP_REVERSE_OR - MP_BINARY_OP_OR;
    } else if (op >= MP_BINARY_OP_INPLACE_OR && op <= MP_BINARY_OP_INPLACE_POWER) {
        plain += MP_BINARY_OP_OR - MP_BINARY_OP_INPLACE_OR;
    }
    return plain >= MP_BINARY_OP_OR && plain <= MP_BINARY_OP_RSHIFT;
}

mp_obj_t gpusnek_bool_operation(mp_binary_op_t op, mp_obj_t left, mp_obj_t right) {
    if (mp_obj_is_bool(right)) {
        const bool a = left == mp_const_true, b = right == mp_const_true;
        switch (op) {
            case MP_BINARY_OP_OR:
            case MP_BINARY_OP_INPLACE_OR:
                return mp_obj_new_bool(a | b);
            case MP_BINARY_OP_XOR:
            case MP_BINARY_OP_INPLACE_XOR:
                return mp_obj_new_bool(a ^ b);
            case MP_BINARY_OP_AND:
            case MP_BINARY_OP_INPLACE_AND:
                return mp_obj_new_bool(a & b);
            default:
                break;
        }
    }
    switch (op) {
        case MP_BINARY_OP_MULTIPLY:
        case MP_BINARY_OP_INPLACE_MULTIPLY:
            if (MP_OBJ_TYPE_HAS_SLOT(mp_obj_get_type(right), subscr)) {
                return MP_OBJ_SENTINEL; // of a sequence
            }
            break;
        case MP_BINARY_OP_CONTAINS:
        case MP_BINARY_OP_MAT_MULTIPLY:
        case MP_BINARY_OP_INPLACE_MAT_MULTIPLY:
            return MP_OBJ_NULL;
        default:
            break;
    }
    if (mp_obj_is_int(right) || mp_obj_is_bool(right)) {
        return MP_OBJ_SENTINEL;
    }
    #if MICROPY_PY_BUILTINS_FLOAT
    if (mp_obj_is_float(right)) {
        return is_bitwise(op) ? MP_OBJ_NULL : MP_OBJ_SENTINEL;
    }
    #endif
    #if MICROPY_PY_BUILTINS_COMPLEX
    if (mp_obj_is_type(right, &mp_type_complex)) {
        const bool unordered = op <= MP_BINARY_OP_MORE_EQUAL && op != MP_BINARY_OP_EQUAL;
        return is_bitwise(op) || unordered ? MP_OBJ_NULL : MP_OBJ_SENTINEL;
    }
    #endif
    return mp_obj_is_instance_type(mp_obj_get_type(right)) && native_number(right) != MP_OBJ_NULL
        ? MP_OBJ_SENTINEL : MP_OBJ_NULL;
}

mp_obj_t gpusnek_big_shift(mp_binary_op_t op, mp_obj_t left, mp_obj_t right) {
    const bool shifts_left = op == MP_BINARY_OP_LSHIFT || op == MP_BINARY_OP_INPLACE_LSHIFT;
    const bool shifts_right = op == MP_BINARY_OP_RSHIFT || op == MP_BINARY_OP_INPLACE_RSHIFT;
    if (!(shifts_left || shifts_right) || mp_obj_is_small_int(right)
        || !mp_obj_is_exact_type(right, &mp_type_int)) {
        return MP_OBJ_NULL;
    }
    if (mp_obj_int_sign(right) < 0) {
        mp_raise_ValueError(MP_ERROR_TEXT("negative shift count"));
    }
    const int sign = mp_obj_int_sign(left);
    if (shifts_left && sign != 0) {
        mp_raise_msg(&mp_type_OverflowError, MP_ERROR_TEXT("too many digits in integer"));
    }
    return MP_OBJ_NEW_SMALL_INT(sign < 0 ? -1 : 0);
}

static mp_obj_t absolute(mp_obj_t number) {
    return mp_obj_int_sign(number) < 0 ? mp_unary_op(MP_UNARY_OP_NEGATIVE, number) : number;
}

static mp_obj_t less_product(mp_obj_t a, mp_obj_t q, mp_obj_t b) {
    return mp_binary_op(MP_BINARY_OP_SUBTRACT, a, mp_binary_op(MP_BINARY_OP_MULTIPLY, q, b));
}

// Return the int of an int, a bool or an instance of a subclass of int; MP_OBJ_NULL for other objects.
static mp_obj_t plain_int(mp_obj_t number) {
    if (mp_obj_is_bool(number)) {
        return MP_OBJ_NEW_SMALL_INT(number == mp_const_true);
    }
    return mp_obj_is_int(number) ? number
        : mp_obj_cast_to_native_base(number, MP_OBJ_FROM_PTR(&mp_type_int));
}

bool gpusnek_is_foreign(mp_obj_t operand) {
    static const mp_obj_type_t *const numbers[] = {
        &mp_type_int,
        #if MICROPY_PY_BUILTINS_FLOAT
        &mp_type_float,
        #endif
        #if MICROPY_PY_BUILTINS_COMPLEX
        &mp_type_complex,
        #endif
    };
    for (size_t i = 0; i < MP_ARRAY_SIZE(numbers); i++) {
        if (mp_obj_cast_to_native_base(operand, MP_OBJ_FROM_PTR(numbers[i])) != MP_OBJ_NULL) {
            return false;
        }
    }
    return true;
}

mp_obj_t gpusnek_inverse_power(mp_obj_t base, mp_obj_t exponent, mp_obj_t modulus) {
    if (modulus == mp_const_none) {
        return mp_binary_op(MP_BINARY_OP_POWER, base, exponent);
    }
    if (mp_obj_is_instance_type(mp_obj_get_type(base))) {
        const mp_obj_t rest[2] = {exponent, modulus};
        const mp_obj_t power = call_special(base, MP_QSTR___pow__, 2, rest);
        if (power != MP_OBJ_NULL && power != mp_const_notimplemented) {
            return power;
        }
    }
    if (!mp_obj_is_int(base) || !mp_obj_is_int(exponent) || !mp_obj_is_int(modulus)) {
        const mp_obj_t plain[3] = {plain_int(base), plain_int(exponent), plain_int(modulus)};
        if (plain[0] != MP_OBJ_NULL && plain[1] != MP_OBJ_NULL && plain[2] != MP_OBJ_NULL) {
            return mp_obj_int_pow3(plain[0], plain[1], plain[2]);
        }
        mp_raise_TypeError(MP_ERROR_TEXT(
            "pow() 3rd argument not allowed unless all arguments are integers"));
    }
    if (mp_obj_int_sign(modulus) == 0) {
        mp_raise_ValueError(MP_ERROR_TEXT("pow() 3rd argument cannot be 0"));
    }
    if (mp_obj_int_sign(exponent) >= 0) {
        return MP_OBJ_NULL;
    }
    // Extended Euclid: a = x * base (mod size), b = y * base (mod size).
    const mp_obj_t size = absolute(modulus);
    mp_obj_t a = mp_binary_op(MP_BINARY_OP_MODULO, base, size), b = size;
    mp_obj_t x = MP_OBJ_NEW_SMALL_INT(1), y = MP_OBJ_NEW_SMALL_INT(0);
    while (mp_obj_int_sign(b) != 0) {
        const mp_obj_t q = mp_binary_op(MP_BINARY_OP_FLOOR_DIVIDE, a, b);
        const mp_obj_t rest = less_product(a, q, b), next = less_product(x, q, y);
        a = b;
        b = rest;
        x = y;
        y = next;
    }
    if (a != MP_OBJ_NEW_SMALL_INT(1)) {
        mp_raise_ValueError(MP_ERROR_TEXT("base is not invertible for the given modulus"));
    }
    return mp_obj_int_pow3(mp_binary_op(MP_BINARY_OP_MODULO, x, size),
        mp_unary_op(MP_UNARY_OP_NEGATIVE, exponent), modulus);
}

#if MICROPY_PY_BUILTINS_FLOAT
// Returns the float nearest to an int, or an infinity.
static mp_float_t nearest_float(mp_obj_t number) {
    if (mp_obj_is_small_int(number)) {
        return (mp_float_t)MP_OBJ_SMALL_INT_VALUE(number);
    }
    return mpz_as_float(&((mp_obj_int_t *)MP_OBJ_TO_PTR(number))->mpz);
}

mp_float_t gpusnek_big_float(mp_obj_t number) {
    const mp_float_t value = nearest_float(number);
    if (value - value != 0) {
        mp_raise_msg(
            &mp_type_OverflowError, MP_ERROR_TEXT("int too large to convert to float"));
    }
    return value;
}

mp_obj_t gpusnek_divide_ints(mp_obj_t number, mp_obj_t by) {
    const bool negative = (mp_obj_int_sign(number) < 0) != (mp_obj_int_sign(by) < 0);
    const mp_int_t shift = QUOTIENT_BITS
        - ((mp_int_t)gpusnek_bit_length(number) - (mp_int_t)gpusnek_bit_length(by));
    if (mp_obj_int_sign(number) == 0 || shift > 1500) {
        return mp_obj_new_float(negative ? -(mp_float_t)0 : (mp_float_t)0);
    }
    if (shift < -1500) {
        mp_raise_msg(&mp_type_OverflowError,
            MP_ERROR_TEXT("integer division result too large for a float"));
    }
    mp_obj_t a = absolute(number), b = absolute(by);
    if (shift > 0) {
        a = mp_binary_op(MP_BINARY_OP_LSHIFT, a, MP_OBJ_NEW_SMALL_INT(shift));
    } else {
        b = mp_binary_op(MP_BINARY_OP_LSHIFT, b, MP_OBJ_NEW_SMALL_INT(-shift));
    }
    // The quotient has at least 66 bits. A last bit stands for the rest, so it is rounded once,
    // unless the result is subnormal.
    const mp_obj_t q = mp_binary_op(MP_BINARY_OP_FLOOR_DIVIDE, a, b);
    const mp_obj_t rest = less_product(a, q, b);
    const mp_obj_t sticky = MP_OBJ_NEW_SMALL_INT(mp_obj_int_sign(rest) != 0);
    const mp_float_t value = MICROPY_FLOAT_C_FUN(ldexp)(
        mp_obj_get_float(mp_binary_op(MP_BINARY_OP_OR, q, sticky)), (int)-shift);
    if (value - value != 0) {
        mp_raise_msg(&mp_type_OverflowError,
            MP_ERROR_TEXT("integer division result too large for a float"));
    }
    return mp_obj_new_float(negative ? -value : value);
}

mp_obj_t gpusnek_compare_float(mp_binary_op_t op, mp_float_t value, mp_obj_t number) {
    int order = 0; // the sign of value - number
    if (op > MP_BINARY_OP_MORE_EQUAL) {
        return MP_OBJ_NULL;
    }
    if (value != value) {
        return mp_const_false;
    }
    const mp_float_t other = nearest_float(number);
    if (value != other) {
        order = value < other ? -1 : 1;
    } else if (value - value != 0) {
        order = value > 0 ? 1 : -1; // an infinity, and a number beyond the range
    } else {
        const mp_obj_t exact = mp_obj_new_int_from_float(value);
        order = mp_obj_is_true(mp_binary_op(MP_BINARY_OP_LESS, exact, number)) ? -1
            : mp_obj_equal(exact, number)                                      ? 0
                                                                               : 1;
    }
    switch (op) {
        case MP_BINARY_OP_LESS:
            return mp_obj_new_bool(order < 0);
        case MP_BINARY_OP_MORE:
            return mp_obj_new_bool(order > 0);
        case MP_BINARY_OP_EQUAL:
            return mp_obj_new_bool(order == 0);
        case MP_BINARY_OP_LESS_EQUAL:
            return mp_obj_new_bool(order <= 0);
        default:
            return mp_obj_new_bool(order >= 0);
    }
}
#endif

static bool is_alphanumeric(char c) {
    return unichar_isdigit((byte)c) || unichar_isalpha((byte)c);
}

bool gpusnek_is_separator(const char *from, const char *at, const char *top) {
    return at > from && at + 1 < top && is_alphanumeric(at[-1]) && is_alphanumeric(at[1]);
}

// The value of a decimal digit, or -1. Digits are in runs of ten.
static int digit_value(unichar c) {
    if (!(gpusnek_kind(c)->flags & GPUSNEK_DECIMAL)) {
        return -1;
    }
    int before = 0;
    while (before < MOST_RUN && (gpusnek_kind(c - 1 - before)->flags & GPUSNEK_DECIMAL)) {
        before++;
    }
    return before % 10;
}

#if MICROPY_PY_BUILTINS_FLOAT
// Skip digits with single underscores between them. Return NULL if the text begins with another
// character.
static const char *skip_digits(const char *at, const char *top) {
    const char *from = at;
    while (at < top
        && (unichar_isdigit((byte)*at)
            || (*at == '_' && at > from && at + 1 < top && unichar_isdigit((byte)at[-1])
                && unichar_isdigit((byte)at[1])))) {
        at++;
    }
    return at == from ? NULL : at;
}

static bool is_word(const char *at, size_t length, const char *word) {
    if (length != strlen(word)) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if ((at[i] | 0x20) != word[i]) {
            return false;
        }
    }
    return true;
}

static bool is_float_text(const char *at, const char *top) {
    while (at < top && unichar_isspace((byte)*at)) {
        at++;
    }
    while (top > at && unichar_isspace((byte)top[-1])) {
        top--;
    }
    if (at < top && (*at == '+' || *at == '-')) {
        at++;
    }
    if (at < top && unichar_isalpha((byte)*at)) {
        const size_t length = (size_t)(top - at);
        return is_word(at, length, "inf") || is_word(at, length, "infinity")
            || is_word(at, length, "nan");
    }
    const char *whole = skip_digits(at, top);
    at = whole == NULL ? at : whole;
    if (at < top && *at == '.') {
        const char *decimals = skip_digits(at + 1, top);
        if (whole == NULL && decimals == NULL) {
            return false;
        }
        at = decimals == NULL ? at + 1 : decimals;
    } else if (whole == NULL) {
        return false;
    }
    if (at < top && (*at | 0x20) == 'e') {
        at++;
        if (at < top && (*at == '+' || *at == '-')) {
            at++;
        }
        at = skip_digits(at, top);
    }
    return at == top;
}

mp_obj_t gpusnek_read_float_text(
    const char *text, size_t length, bool imaginary, struct _mp_lexer_t *lexer) {
    (void)imaginary;
    (void)lexer;
    if (!is_float_text(text, text + length)) {
        return gpusnek_other_number(text, length, -1);
    }
    return mp_parse_num_float(text, length, false, NULL);
}
#endif

mp_obj_t gpusnek_other_number(const char *text, size_t length, int base) {
    bool other = false;
    vstr_t ascii;
    mp_print_t print;
    vstr_init_print(&ascii, length + 1, &print);
    if (utf8_check((const byte *)text, length)) {
        const char *top = text + length;
        for (const char *at = text; at < top;) {
            const unichar c = utf8_get_char((const byte *)at);
            const int digit = c < 128 ? -1 : digit_value(c);
            if (digit >= 0) {
                vstr_add_byte(&ascii, (byte)('0' + digit));
                other = true;
            } else {
                vstr_add_char(&ascii, c);
            }
            at = (const char *)utf8_next_char((const byte *)at);
        }
    }
    if (other) {
        #if MICROPY_PY_BUILTINS_FLOAT
        if (base < 0) {
            return gpusnek_read_float_text(ascii.buf, ascii.len, false, NULL);
        }
        #endif
        return mp_parse_num_integer(ascii.buf, ascii.len, base, NULL);
    }
    vstr_reset(&ascii);
    if (base < 0) {
        mp_printf(&print, "could not convert string to float: ");
    } else {
        mp_printf(&print, "invalid literal for int() with base %d: ", base);
    }
    mp_obj_print_helper(&print, mp_obj_new_str(text, length), PRINT_REPR);
    nlr_raise(mp_obj_new_exception_arg1(&mp_type_ValueError, mp_obj_new_str_from_vstr(&ascii)));
    return MP_OBJ_NULL;
}
