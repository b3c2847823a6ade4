// Methods and attributes of int, bool and float that upstream lacks.
#include "methods_number.h"

#include <string.h>

#include "methods.h"
#include "natural.h"
#include "py/objint.h"
#include "py/objstr.h"
#include "py/runtime.h"
#include "py/unicode.h"

// The absolute value of an int.
typedef struct {
    const mpz_dig_t *digits; // least significant first
    size_t count; // without leading zeros
    bool negative;
    mpz_dig_t own[2]; // the digits of a small int
} magnitude_t;

#define DIGIT_BITS (MPZ_DIG_SIZE)

static void read_magnitude(mp_obj_t number, magnitude_t *magnitude) {
    if (mp_obj_is_exact_type(number, &mp_type_int)) {
        const mpz_t *const z = &((const mp_obj_int_t *)MP_OBJ_TO_PTR(number))->mpz;
        magnitude->digits = z->dig;
        magnitude->count = z->len;
        magnitude->negative = z->neg;
        return;
    }
    const mp_int_t value = mp_obj_get_int(number);
    const uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
    magnitude->own[0] = (mpz_dig_t)size;
    magnitude->own[1] = (mpz_dig_t)(size >> DIGIT_BITS);
    magnitude->digits = magnitude->own;
    magnitude->count = magnitude->own[1] != 0 ? 2 : magnitude->own[0] != 0;
    magnitude->negative = value < 0;
}

static size_t bit_length(const magnitude_t *magnitude) {
    return magnitude->count == 0 ? 0 : gpusnek_bits(magnitude->digits, magnitude->count);
}

// Returns whether the magnitude is a power of two.
static bool is_power(const magnitude_t *magnitude) {
    const mpz_dig_t highest = magnitude->count == 0 ? 0 : magnitude->digits[magnitude->count - 1];
    uint32_t others = highest & (highest - 1);
    for (size_t i = 0; i + 1 < magnitude->count; i++) {
        others |= magnitude->digits[i];
    }
    return highest != 0 && others == 0;
}

size_t gpusnek_bit_length(mp_obj_t number) {
    magnitude_t magnitude;
    read_magnitude(number, &magnitude);
    return bit_length(&magnitude);
}

bool gpusnek_is_power_of_two(mp_obj_t number) {
    magnitude_t magnitude;
    read_magnitude(number, &magnitude);
    return is_power(&magnitude);
}

static mp_obj_t int_bit_length(mp_obj_t self) {
    return mp_obj_new_int_from_uint(gpusnek_bit_length(self));
}
static MP_DEFINE_CONST_FUN_OBJ_1(int_bit_length_obj, int_bit_length);

static mp_obj_t int_bit_count(mp_obj_t self) {
    magnitude_t magnitude;
    read_magnitude(self, &magnitude);
    size_t bits = 0;
    for (size_t i = 0; i < magnitude.count; i++) {
        uint32_t digit = magnitude.digits[i];
        digit -= digit >> 1 & 0x55555555u;
        digit = (digit & 0x33333333u) + (digit >> 2 & 0x33333333u);
        bits += ((digit + (digit >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
    }
    return mp_obj_new_int_from_uint(bits);
}
static MP_DEFINE_CONST_FUN_OBJ_1(int_bit_count_obj, int_bit_count);

static bool is_little(mp_obj_t order) {
    if (!mp_obj_is_str(order)) {
        mp_raise_msg_varg(&mp_type_TypeError,
            MP_ERROR_TEXT("argument 'byteorder' must be str, not %s"), mp_obj_get_type_str(order));
    }
    const bool little = mp_obj_str_equal(order, MP_OBJ_NEW_QSTR(MP_QSTR_little));
    if (!little && !mp_obj_str_equal(order, MP_OBJ_NEW_QSTR(MP_QSTR_big))) {
        mp_raise_ValueError(MP_ERROR_TEXT("byteorder must be either 'little' or 'big'"));
    }
    return little;
}

mp_obj_t gpusnek_int_to_bytes(size_t n_args, const mp_obj_t *args) {
    const mp_int_t length = n_args > 1 ? mp_obj_get_int(args[1]) : 1;
    const bool little = n_args > 2 && is_little(args[2]);
    const bool is_signed = n_args > 3 && mp_obj_is_true(args[3]);
    if (length < 0) {
        mp_raise_ValueError(MP_ERROR_TEXT("length argument must be non-negative"));
    }
    magnitude_t magnitude;
    read_magnitude(args[0], &magnitude);
    if (magnitude.negative && !is_signed) {
        mp_raise_msg(&mp_type_OverflowError, MP_ERROR_TEXT("can't convert negative int to unsigned"));
    }
    size_t bits = bit_length(&magnitude);
    if (is_signed && bits > 0 && !(magnitude.negative && is_power(&magnitude))) {
        bits++; // the sign
    }
    if ((bits + 7) / 8 > (size_t)length) {
        mp_raise_msg(&mp_type_OverflowError, MP_ERROR_TEXT("int too big to convert"));
    }
    vstr_t bytes;
    vstr_init_len(&bytes, (size_t)length);
    uint32_t borrow = magnitude.negative; // -x is ~(x - 1)
    for (size_t i = 0; i < (size_t)length; i++) {
        const size_t at = i * 8 / DIGIT_BITS;
        uint32_t byte_ = at < magnitude.count ? magnitude.digits[at] >> i * 8 % DIGIT_BITS & 0xff : 0;
        if (magnitude.negative) {
            const uint32_t less = byte_ - borrow;
            borrow = byte_ < borrow;
            byte_ = ~less & 0xff;
        }
        bytes.buf[little ? i : (size_t)length - 1 - i] = (char)byte_;
    }
    return mp_obj_new_bytes_from_vstr(&bytes);
}

mp_obj_t gpusnek_int_from_bytes(size_t n_args, const mp_obj_t *args) {
    const bool little = n_args > 2 && is_little(args[2]);
    const bool is_signed = n_args > 3 && mp_obj_is_true(args[3]);
    if (mp_obj_is_str(args[1])) {
        mp_raise_TypeError(MP_ERROR_TEXT("cannot convert 'str' object to bytes"));
    }
    mp_buffer_info_t given;
    if (!mp_get_buffer(args[1], &given, MP_BUFFER_READ)) {
        const mp_obj_t bytes = MP_OBJ_TYPE_GET_SLOT(&mp_type_bytes, make_new)(&mp_type_bytes, 1, 0, args + 1);
        mp_get_buffer_raise(bytes, &given, MP_BUFFER_READ);
    }
    const byte *const data = given.buf;
    const size_t count = given.len;
    const bool negative = is_signed && count > 0 && data[little ? count - 1 : 0] >= 0x80;
    // Of a negative number the complement is read, which is one less than the absolute value.
    const byte flip = negative ? 0xff : 0;
    size_t used = 0; // number of bytes without leading zeros
    uint64_t small = 0;
    for (size_t i = 0; i < count; i++) {
        const byte value = data[little ? i : count - 1 - i] ^ flip;
        used = value != 0 ? i + 1 : used;
        small |= i < 8 ? (uint64_t)value << 8 * i : 0;
    }
    mp_obj_t number;
    if (used <= 8) {
        number = mp_obj_new_int_from_uint(small);
    } else if (!negative) {
        number = mp_obj_int_from_bytes_impl(!little, used, little ? data : data + count - used);
    } else {
        vstr_t magnitude;
        vstr_init_len(&magnitude, used); // little-endian
        for (size_t i = 0; i < used; i++) {
            magnitude.buf[i] = (char)(data[little ? i : count - 1 - i] ^ flip);
        }
        number = mp_obj_int_from_bytes_impl(false, used, (const byte *)magnitude.buf);
    }
    return negative ? mp_unary_op(MP_UNARY_OP_INVERT, number) : number;
}

static mp_obj_t int_itself(mp_obj_t self) {
    return mp_obj_is_bool(self) ? MP_OBJ_NEW_SMALL_INT(self == mp_const_true) : self;
}
static MP_DEFINE_CONST_FUN_OBJ_1(int_itself_obj, int_itself);
GPUSNEK_GETTER(int_real_obj, int_itself);

static mp_obj_t int_zero(mp_obj_t self) {
    (void)self;
    return MP_OBJ_NEW_SMALL_INT(0);
}
GPUSNEK_GETTER(int_zero_obj, int_zero);

static mp_obj_t int_one(mp_obj_t self) {
    (void)self;
    return MP_OBJ_NEW_SMALL_INT(1);
}
GPUSNEK_GETTER(int_one_obj, int_one);

static mp_obj_t int_ratio(mp_obj_t self) {
    mp_obj_t ratio[2] = {int_itself(self), MP_OBJ_NEW_SMALL_INT(1)};
    return mp_obj_new_tuple(2, ratio);
}
static MP_DEFINE_CONST_FUN_OBJ_1(int_ratio_obj, int_ratio);

static mp_obj_t int_is_integer(mp_obj_t self) {
    (void)self;
    return mp_const_true;
}
static MP_DEFINE_CONST_FUN_OBJ_1(int_is_integer_obj, int_is_integer);

static const mp_rom_map_elem_t int_table[] = {
    { MP_ROM_QSTR(MP_QSTR_as_integer_ratio), MP_ROM_PTR(&int_ratio_obj) },
    { MP_ROM_QSTR(MP_QSTR_bit_count), MP_ROM_PTR(&int_bit_count_obj) },
    { MP_ROM_QSTR(MP_QSTR_bit_length), MP_ROM_PTR(&int_bit_length_obj) },
    { MP_ROM_QSTR(MP_QSTR_conjugate), MP_ROM_PTR(&int_itself_obj) },
    { MP_ROM_QSTR(MP_QSTR_denominator), MP_ROM_PTR(&int_one_obj) },
    { MP_ROM_QSTR(MP_QSTR_imag), MP_ROM_PTR(&int_zero_obj) },
    { MP_ROM_QSTR(MP_QSTR_is_integer), MP_ROM_PTR(&int_is_integer_obj) },
    { MP_ROM_QSTR(MP_QSTR_numerator), MP_ROM_PTR(&int_real_obj) },
    { MP_ROM_QSTR(MP_QSTR_real), MP_ROM_PTR(&int_real_obj) },
    { MP_ROM_QSTR(MP_QSTR___index__), MP_ROM_PTR(&int_itself_obj) },
    { MP_ROM_QSTR(MP_QSTR___int__), MP_ROM_PTR(&int_itself_obj) },
};
MP_DEFINE_CONST_DICT(gpusnek_int_methods, int_table);

#if MICROPY_PY_BUILTINS_FLOAT
// The parts of a float: (-1) ** negative * significand * 2 ** exponent.
#define SIGNIFICAND_BITS (52)
#define EXPONENT_BIAS (1023)
typedef struct {
    uint64_t significand;
    int exponent;
    bool negative;
    bool finite;
    bool nan;
} parts_t;

static parts_t parts_of(mp_obj_t number) {
    const double value = mp_obj_get_float(number);
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    const int exponent = (int)(bits >> SIGNIFICAND_BITS & 0x7ff);
    const uint64_t fraction = bits & (((uint64_t)1 << SIGNIFICAND_BITS) - 1);
    parts_t parts = {fraction, 1 - EXPONENT_BIAS - SIGNIFICAND_BITS, (bits >> 63) != 0,
        exponent != 0x7ff, exponent == 0x7ff && fraction != 0};
    if (exponent != 0) {
        parts.significand |= (uint64_t)1 << SIGNIFICAND_BITS;
        parts.exponent = exponent - EXPONENT_BIAS - SIGNIFICAND_BITS;
    }
    return parts;
}

static mp_obj_t float_is_integer(mp_obj_t self) {
    const parts_t parts = parts_of(self);
    if (!parts.finite) {
        return mp_const_false;
    }
    if (parts.exponent >= 0 || parts.significand == 0) {
        return mp_const_true;
    }
    return mp_obj_new_bool(parts.exponent > -53
        && (parts.significand & (((uint64_t)1 << -parts.exponent) - 1)) == 0);
}
static MP_DEFINE_CONST_FUN_OBJ_1(float_is_integer_obj, float_is_integer);

static mp_obj_t float_ratio(mp_obj_t self) {
    parts_t parts = parts_of(self);
    if (parts.nan) {
        mp_raise_ValueError(MP_ERROR_TEXT("cannot convert NaN to integer ratio"));
    }
    if (!parts.finite) {
        mp_raise_msg(&mp_type_OverflowError, MP_ERROR_TEXT("cannot convert Infinity to integer ratio"));
    }
    if (parts.significand == 0) {
        parts.exponent = 0;
    }
    while (parts.exponent < 0 && parts.significand % 2 == 0) {
        parts.significand /= 2;
        parts.exponent++;
    }
    mp_obj_t ratio[2] = {mp_obj_new_int_from_uint(parts.significand), MP_OBJ_NEW_SMALL_INT(1)};
    const int shift = parts.exponent < 0 ? -parts.exponent : parts.exponent;
    if (shift > 0) {
        mp_obj_t *const shifted = &ratio[parts.exponent < 0];
        *shifted = mp_binary_op(MP_BINARY_OP_LSHIFT, *shifted, MP_OBJ_NEW_SMALL_INT(shift));
    }
    if (parts.negative) {
        ratio[0] = mp_unary_op(MP_UNARY_OP_NEGATIVE, ratio[0]);
    }
    return mp_obj_new_tuple(2, ratio);
}
static MP_DEFINE_CONST_FUN_OBJ_1(float_ratio_obj, float_ratio);

static mp_obj_t float_hex(mp_obj_t self) {
    const parts_t parts = parts_of(self);
    if (!parts.finite) {
        return parts.nan ? MP_OBJ_NEW_QSTR(MP_QSTR_nan)
                         : mp_obj_new_str_from_cstr(parts.negative ? "-inf" : "inf");
    }
    vstr_t text;
    mp_print_t print;
    vstr_init_print(&text, 26, &print);
    const uint64_t whole = parts.significand >> SIGNIFICAND_BITS;
    mp_printf(&print, "%s0x%d.", parts.negative ? "-" : "", (int)whole);
    if (parts.significand == 0) {
        mp_print_str(&print, "0p+0");
        return mp_obj_new_str_from_vstr(&text);
    }
    for (int shift = SIGNIFICAND_BITS - 4; shift >= 0; shift -= 4) {
        vstr_add_byte(&text, (byte)"0123456789abcdef"[parts.significand >> shift & 0xf]);
    }
    mp_printf(&print, "p%s%d", parts.exponent + SIGNIFICAND_BITS < 0 ? "" : "+",
        parts.exponent + SIGNIFICAND_BITS);
    return mp_obj_new_str_from_vstr(&text);
}
static MP_DEFINE_CONST_FUN_OBJ_1(float_hex_obj, float_hex);

// Text that is being read.
typedef struct {
    const byte *at;
    const byte *end;
} reader_t;

// Moves past a lower-case ASCII word, in any case. Returns false if the text has another one.
static bool takes(reader_t *reader, const char *word) {
    const size_t length = strlen(word);
    if ((size_t)(reader->end - reader->at) < length) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if (unichar_tolower(reader->at[i]) != (unichar)word[i]) {
            return false;
        }
    }
    reader->at += length;
    return true;
}

static _Noreturn void raise_hex(void) {
    mp_raise_ValueError(MP_ERROR_TEXT("invalid hexadecimal floating-point string"));
}

#define MOST_EXPONENT (100000000) // larger exponents of a text give 0 or OverflowError

// Reads hexadecimal digits with an optional point. Digits beyond 60 bits are merged into the last
// bit. *exponent becomes that of the significand's last bit.
static uint64_t read_digits(reader_t *reader, int64_t *exponent) {
    uint64_t significand = 0;
    bool point = false, any = false;
    for (; reader->at < reader->end; reader->at++) {
        const byte c = *reader->at;
        if (c == '.' && !point) {
            point = true;
            continue;
        }
        if (!unichar_isxdigit(c)) {
            break;
        }
        any = true;
        const uint64_t digit = unichar_xdigit_value(c);
        if (significand >> 56 != 0) {
            significand |= digit != 0;
            *exponent += point ? 0 : 4;
        } else {
            significand = significand << 4 | digit;
            *exponent -= point ? 4 : 0;
        }
    }
    if (!any) {
        raise_hex();
    }
    return significand;
}

static int64_t read_exponent(reader_t *reader) {
    if (!takes(reader, "p")) {
        return 0;
    }
    const bool negative = takes(reader, "-");
    if (!negative) {
        takes(reader, "+");
    }
    if (reader->at == reader->end || !unichar_isdigit(*reader->at)) {
        raise_hex();
    }
    int64_t exponent = 0;
    for (; reader->at < reader->end && unichar_isdigit(*reader->at); reader->at++) {
        exponent = exponent * 10 + (*reader->at - '0');
        exponent = exponent > MOST_EXPONENT ? MOST_EXPONENT : exponent;
    }
    return negative ? -exponent : exponent;
}

// Returns the float that is nearest to significand * 2 ** exponent.
static double nearest(uint64_t significand, int64_t exponent) {
    if (significand == 0) {
        return 0;
    }
    while (significand >> 63 == 0) { // the first bit becomes bit 63
        significand <<= 1;
        exponent--;
    }
    // A subnormal number keeps fewer bits.
    const int64_t least = 1 - EXPONENT_BIAS - SIGNIFICAND_BITS;
    int64_t shift = 63 - SIGNIFICAND_BITS;
    if (exponent + shift < least) {
        shift = least - exponent;
    }
    if (shift > 64) {
        return 0;
    }
    const uint64_t kept = shift == 64 ? 0 : significand >> shift;
    const uint64_t rest = shift == 64 ? significand : significand << (64 - shift);
    const uint64_t half = (uint64_t)1 << 63;
    uint64_t bits = kept + (rest > half || (rest == half && kept % 2 == 1));
    // Adding the exponent also adds the carry of a significand that was rounded up to 2.
    const int64_t biased = exponent + shift - least; // 0 for the least exponent
    bits += biased > 2 * EXPONENT_BIAS ? 0 : (uint64_t)biased << SIGNIFICAND_BITS;
    if (biased > 2 * EXPONENT_BIAS || bits >> SIGNIFICAND_BITS >= 0x7ff) {
        mp_raise_msg(&mp_type_OverflowError,
            MP_ERROR_TEXT("hexadecimal value too large to represent as a float"));
    }
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static mp_obj_t float_fromhex(mp_obj_t cls, mp_obj_t text) {
    size_t size;
    reader_t reader = {(const byte *)mp_obj_str_get_data(text, &size), NULL};
    reader.end = reader.at + size;
    while (reader.at < reader.end && unichar_isspace(*reader.at)) {
        reader.at++;
    }
    while (reader.end > reader.at && unichar_isspace(reader.end[-1])) {
        reader.end--;
    }
    const bool negative = takes(&reader, "-");
    if (!negative) {
        takes(&reader, "+");
    }
    double value;
    if (takes(&reader, "infinity") || takes(&reader, "inf")) {
        const uint64_t bits = (uint64_t)0x7ff << SIGNIFICAND_BITS;
        memcpy(&value, &bits, sizeof(value));
    } else if (takes(&reader, "nan")) {
        const uint64_t bits = (uint64_t)0xfff << (SIGNIFICAND_BITS - 1);
        memcpy(&value, &bits, sizeof(value));
    } else {
        takes(&reader, "0x");
        int64_t exponent = 0;
        const uint64_t significand = read_digits(&reader, &exponent);
        exponent += read_exponent(&reader);
        if (reader.at != reader.end) {
            raise_hex();
        }
        value = nearest(significand, exponent);
    }
    if (reader.at != reader.end) {
        raise_hex();
    }
    const mp_obj_t result = mp_obj_new_float((mp_float_t)(negative ? -value : value));
    return MP_OBJ_TO_PTR(cls) == &mp_type_float ? result : mp_call_function_1(cls, result);
}
static MP_DEFINE_CONST_FUN_OBJ_2(float_fromhex_fun, float_fromhex);
static MP_DEFINE_CONST_CLASSMETHOD_OBJ(float_fromhex_obj, MP_ROM_PTR(&float_fromhex_fun));

static mp_obj_t float_itself(mp_obj_t self) {
    return self;
}
static MP_DEFINE_CONST_FUN_OBJ_1(float_itself_obj, float_itself);
GPUSNEK_GETTER(float_real_obj, float_itself);

static mp_obj_t float_zero(mp_obj_t self) {
    (void)self;
    return mp_obj_new_float(0);
}
GPUSNEK_GETTER(float_zero_obj, float_zero);

static mp_obj_t float_int(mp_obj_t self) {
    return MP_OBJ_TYPE_GET_SLOT(&mp_type_int, make_new)(&mp_type_int, 1, 0, &self);
}
static MP_DEFINE_CONST_FUN_OBJ_1(float_int_obj, float_int);

static const mp_rom_map_elem_t float_table[] = {
    { MP_ROM_QSTR(MP_QSTR_as_integer_ratio), MP_ROM_PTR(&float_ratio_obj) },
    { MP_ROM_QSTR(MP_QSTR_conjugate), MP_ROM_PTR(&float_itself_obj) },
    { MP_ROM_QSTR(MP_QSTR_fromhex), MP_ROM_PTR(&float_fromhex_obj) },
    { MP_ROM_QSTR(MP_QSTR_hex), MP_ROM_PTR(&float_hex_obj) },
    { MP_ROM_QSTR(MP_QSTR_imag), MP_ROM_PTR(&float_zero_obj) },
    { MP_ROM_QSTR(MP_QSTR_is_integer), MP_ROM_PTR(&float_is_integer_obj) },
    { MP_ROM_QSTR(MP_QSTR_real), MP_ROM_PTR(&float_real_obj) },
    { MP_ROM_QSTR(MP_QSTR___int__), MP_ROM_PTR(&float_int_obj) },
    { MP_ROM_QSTR(MP_QSTR___trunc__), MP_ROM_PTR(&float_int_obj) },
};
MP_DEFINE_CONST_DICT(gpusnek_float_methods, float_table);
#endif
