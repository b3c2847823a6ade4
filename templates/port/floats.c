// Print and read floats for upstream's C, by the algorithms of decimal.h. Errors of float results.
//
// mpconfigport.mk excludes upstream's py/formatfloat.c, which this file replaces. The patch
// `float-text` makes upstream's other files call gpusnek_print_float() and
// gpusnek_read_float().
#include "floats.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "decimal.h"
#include "py/formatfloat.h"
#include "py/runtime.h"

#ifndef MP_FLOAT_REPR_PREC
// In this release repr requests a number of digits from mp_format_float() and adds the point
// itself. With the patch `float-text`, repr is the only caller.
#define MP_FLOAT_REPR_PREC (-2)
#define PF_FLAG_ALWAYS_DECIMAL (0)
#define REPR_ALONE (GPUSNEK_PATCH_FLOAT_TEXT)
#else
#define REPR_ALONE (0)
#endif

#define DEFAULT_PRECISION (6)
#define SHORT_TEXT (40)
#define BUFFER_DIGITS (64) // more than fit the buffers of upstream's callers
#define EXPONENT_ROOM (7) // a digit, a point, and an exponent of three digits
#define LAST_BIT (MP_FLOAT_EXP_BIAS + MP_FLOAT_FRAC_BITS)

// Split a finite number into mantissa and exponent. Return NULL for 0.
static const gpusnek_binary_t *binary_of(mp_float_t f, gpusnek_binary_t *number) {
    const mp_float_union_t view = {f};
    const int exponent = view.p.exp;
    const mp_float_uint_t fraction = view.p.frc;
    number->mantissa = fraction;
    if (exponent > 0) {
        number->mantissa |= (uint64_t)1 << MP_FLOAT_FRAC_BITS;
    }
    number->exponent = (exponent > 0 ? exponent : 1) - LAST_BIT;
    number->closer_below = fraction == 0 && exponent > 1;
    return number->mantissa == 0 ? NULL : number;
}

static bool is_finite(mp_float_t f) {
    const mp_float_union_t view = {f};
    return view.p.exp != ((1 << MP_FLOAT_EXP_BITS) - 1);
}

// Return '-', or the sign character that the flags request for other numbers; 0 for none.
static char sign_of(mp_float_t f, unsigned int flags) {
    const mp_float_union_t view = {f};
    if (view.p.sgn && f == f) {
        return '-';
    }
    return flags & PF_FLAG_SHOW_SIGN ? '+' : flags & PF_FLAG_SPACE_SIGN ? ' ' : '\0';
}

// Write "inf" or "nan" in the case of `letter`.
static void write_special(mp_float_t f, char letter, char *text) {
    const char *name = f == f ? "INF" : "NAN";
    for (int i = 0; i < 3; ++i) {
        text[i] = name[i] | (letter & 0x20);
    }
}

int gpusnek_print_float(const mp_print_t *print, mp_float_t f, char format, unsigned int flags,
    char fill, int width, int precision) {
    char style = format | 0x20;
    bool point = flags & PF_FLAG_ALWAYS_DECIMAL;
    if (flags & GPUSNEK_PRINT_LIKE_STR) {
        point = true;
        style = precision < 0 ? 'r' : 'g';
    } else if (precision == MP_FLOAT_REPR_PREC) {
        style = 'r';
    }
    const int64_t decimals = style == 'r' ? 0 : precision < 0 ? DEFAULT_PRECISION : precision;

    char short_digits[GPUSNEK_SHORT_DIGITS], short_text[SHORT_TEXT];
    char *digits = short_digits, *text = short_text;
    gpusnek_binary_t binary;
    gpusnek_layout_t layout;
    size_t room = sizeof(short_digits), size = 3;
    const bool finite = is_finite(f);
    if (finite) {
        const gpusnek_binary_t *number = binary_of(f, &binary);
        room = gpusnek_digits_room(number, style, decimals);
        if (room > sizeof(short_digits)) {
            digits = m_new(char, room);
        }
        size = gpusnek_lay_out(&layout, number, style, decimals, point, digits);
    }
    const char sign = sign_of(f, flags);
    const bool percent = flags & PF_FLAG_ADD_PERCENT;
    const size_t length = (sign != '\0') + size + percent;
    if (length > sizeof(short_text)) {
        text = m_new(char, length);
    }
    char *at = text;
    if (sign != '\0') {
        *at++ = sign;
    }
    if (finite) {
        gpusnek_write_layout(&layout, 'E' | (format & 0x20), at);
    } else {
        write_special(f, format, at);
    }
    if (percent) {
        at[size] = '%';
    }

    int printed = 0;
    const char *rest = text;
    if ((flags & PF_FLAG_PAD_AFTER_SIGN) && sign != '\0') {
        printed += mp_print_strn(print, rest++, 1, 0, 0, 1);
        --width;
    }
    printed += mp_print_strn(
        print, rest, length - (rest - text), flags & ~GPUSNEK_PRINT_LIKE_STR, fill, width);
    if (text != short_text) {
        m_del(char, text, length);
    }
    if (digits != short_digits) {
        m_del(char, digits, room);
    }
    return printed;
}

// Replacement of upstream's mp_format_float(). With the patch `float-text` only repr calls it;
// without it, mp_print_float() does too. If the text exceeds `size`, format again with fewer
// decimals, then with an exponent.
int mp_format_float(mp_float_t f, char *text, size_t size, char format, int precision, char sign) {
    char *at = text;
    const char first = sign_of(f, 0);
    if (first != '\0' || sign != '\0') {
        *at++ = first != '\0' ? first : sign;
    }
    const size_t room = size - 1 - (at - text);
    size_t length = 3;
    if (is_finite(f)) {
        const bool repr = REPR_ALONE || precision == MP_FLOAT_REPR_PREC;
        char style = repr ? 'r' : format | 0x20;
        const int64_t wanted = precision < 0 ? DEFAULT_PRECISION : precision;
        const int64_t most = (int64_t)room - EXPONENT_ROOM;
        int64_t decimals = style == 'r' ? 0 : MIN(wanted, most);
        char digits[BUFFER_DIGITS];
        gpusnek_binary_t binary;
        gpusnek_layout_t layout;
        const gpusnek_binary_t *number = binary_of(f, &binary);
        for (;;) {
            if (gpusnek_digits_room(number, style, decimals) <= sizeof(digits)) {
                length = gpusnek_lay_out(&layout, number, style, decimals, false, digits);
                if (length <= room) {
                    break;
                }
            }
            if (decimals > 0) {
                --decimals;
            } else {
                style = 'e';
                decimals = MIN(wanted, most);
            }
        }
        gpusnek_write_layout(&layout, 'E' | (format & 0x20), at);
    } else {
        write_special(f, format, at);
    }
    at[length] = '\0';
    return (int)(at + length - text);
}

mp_float_t gpusnek_read_float(
    const char *text, const char *end, uint64_t digits, int exponent, bool cut) {
    const gpusnek_numeral_t numeral = {digits, exponent, cut, text, end};
    const gpusnek_format_t format = {
        .bits = MP_FLOAT_FRAC_BITS + 1,
        .lowest = 1 - LAST_BIT,
        .highest = MP_FLOAT_EXP_BIAS - MP_FLOAT_FRAC_BITS,
    };
    mp_float_union_t view;
    view.i = (mp_float_uint_t)gpusnek_nearest(&numeral, &format);
    return view.f;
}

mp_float_t gpusnek_float_power(mp_float_t x, mp_float_t y) {
    const mp_float_t power = MICROPY_FLOAT_C_FUN(pow)(x, y);
    if (!is_finite(power) && is_finite(x) && is_finite(y)) {
        const char *text = "Numerical result out of range";
        mp_obj_t items[2] = {MP_OBJ_NEW_SMALL_INT(ERANGE), mp_obj_new_str(text, strlen(text))};
        nlr_raise(mp_obj_new_exception_args(&mp_type_OverflowError, 2, items));
    }
    return power;
}

void gpusnek_raise_zero_power(void) {
    mp_raise_msg(&mp_type_ZeroDivisionError,
        MP_ERROR_TEXT("0.0 cannot be raised to a negative power"));
}

void gpusnek_raise_math_range(void) {
    mp_raise_msg(&mp_type_OverflowError, MP_ERROR_TEXT("math range error"));
}

bool gpusnek_is_large_result(mp_float_t x, bool gamma) {
    // Logarithms and gamma have a pole at 0, atanh at 1 and -1.
    return gamma ? x > 0 : x != 0 && x != 1 && x != -1;
}
