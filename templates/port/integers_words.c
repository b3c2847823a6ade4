// Integers whose magnitude fits 64 bits, without loops over digits and temporary numbers.
//
// Problem: a small integer has 47 bits. Products in hashes and random number generators are longer,
// and the remainder that follows makes them small again. With upstream's mpz_t such an operation
// allocates an object and its digits apart, and calls functions for numbers of any length.
//
// Mechanism: one function computes all operators of such integers. Where the bytecode interpreter
// finds that they become small again, no object is made (vm_chain.h).
#include "integers.h"
#include "py/runtime.h"

mp_obj_t gpusnek_new_word(uint64_t magnitude, bool negative) {
    // Two small blocks are found faster than one of twice the size (allocate.c).
    mp_obj_int_t *object = mp_obj_malloc(mp_obj_int_t, &mp_type_int);
    mpz_t *number = &object->mpz;
    mpz_init_zero(number);
    number->dig = m_new(mpz_dig_t, 2);
    number->dig[0] = (mpz_dig_t)magnitude;
    number->dig[1] = (mpz_dig_t)(magnitude >> 32);
    number->neg = negative && magnitude != 0;
    number->alloc = 2;
    number->len = magnitude == 0 ? 0 : magnitude >> 32 == 0 ? 1 : 2;
    return MP_OBJ_FROM_PTR(object);
}

mp_obj_t gpusnek_word_object(gpusnek_word_t word) {
    return gpusnek_word_is_small(word) ? gpusnek_word_small(word)
        : gpusnek_new_word(word.magnitude, word.negative);
}

gpusnek_word_t gpusnek_word_of(mp_obj_t object) {
    if (mp_obj_is_small_int(object)) {
        return gpusnek_word_of_small(object);
    }
    gpusnek_word_t word = {0, false, false};
    if (!mp_obj_is_exact_type(object, &mp_type_int)) {
        return word;
    }
    const mpz_t *number = &((const mp_obj_int_t *)MP_OBJ_TO_PTR(object))->mpz;
    if (number->len > 2) {
        return word;
    }
    word.magnitude = number->len > 0 ? number->dig[0] : 0;
    if (number->len > 1) {
        word.magnitude |= (uint64_t)number->dig[1] << 32;
    }
    word.negative = number->neg;
    word.fits = true;
    return word;
}

// The functions below compute a op b.

static gpusnek_word_t add(gpusnek_word_t a, gpusnek_word_t b) {
    if (a.negative == b.negative) {
        a.magnitude += b.magnitude;
        a.fits = a.magnitude >= b.magnitude;
    } else if (a.magnitude < b.magnitude) {
        a.magnitude = b.magnitude - a.magnitude;
        a.negative = b.negative;
    } else {
        a.magnitude -= b.magnitude;
    }
    return a;
}

static gpusnek_word_t multiply(gpusnek_word_t a, gpusnek_word_t b) {
    const uint64_t a_high = a.magnitude >> 32, b_high = b.magnitude >> 32;
    const uint64_t a_low = (uint32_t)a.magnitude, b_low = (uint32_t)b.magnitude;
    // If neither high part is 0, the product exceeds 64 bits. Else at most one term is not 0.
    const uint64_t middle = a_high * b_low + b_high * a_low;
    const uint64_t low = a_low * b_low;
    a.magnitude = low + (middle << 32);
    a.negative = a.negative != b.negative;
    a.fits = (a_high == 0 || b_high == 0) && middle >> 32 == 0 && a.magnitude >= low;
    return a;
}

// Floor division: the quotient, or the remainder if `rest`.
static gpusnek_word_t divide(gpusnek_word_t a, gpusnek_word_t b, bool rest) {
    uint64_t quotient, remainder;
    if (b.magnitude == 0) {
        a.fits = false;
        return a;
    }
    if ((a.magnitude | b.magnitude) >> 32 == 0) { // a GPU divides 32 bits in a quarter of the time
        quotient = (uint32_t)a.magnitude / (uint32_t)b.magnitude;
        remainder = (uint32_t)a.magnitude % (uint32_t)b.magnitude;
    } else {
        quotient = a.magnitude / b.magnitude;
        remainder = a.magnitude - quotient * b.magnitude;
    }
    // Magnitudes are divided towards zero. If the signs differ, floor division subtracts 1 from the
    // quotient, and the remainder gets the divisor's sign.
    const bool differ = a.negative != b.negative;
    if (differ && remainder != 0) {
        quotient++; // a magnitude below 2 ** 64, because the divisor is not 1
        remainder = b.magnitude - remainder;
    }
    a.magnitude = rest ? remainder : quotient;
    a.negative = rest ? b.negative : differ;
    return a;
}

static gpusnek_word_t shift_left(gpusnek_word_t a, gpusnek_word_t b) {
    const bool fits = b.magnitude <= 63 && a.magnitude <= UINT64_MAX >> (b.magnitude & 63);
    a.fits = !b.negative && (fits || a.magnitude == 0);
    a.magnitude = fits ? a.magnitude << (b.magnitude & 63) : 0;
    return a;
}

// Bits are shifted out of the two's complement, so a negative number is rounded down.
static gpusnek_word_t shift_right(gpusnek_word_t a, gpusnek_word_t b) {
    const bool below = a.negative && a.magnitude != 0;
    const uint64_t bits = a.magnitude - below;
    a.magnitude = (b.magnitude > 63 ? 0 : bits >> (b.magnitude & 63)) + below;
    a.fits = !b.negative;
    return a;
}

static gpusnek_word_t combine(unsigned int op, gpusnek_word_t a, gpusnek_word_t b) {
    const bool negative = a.negative || b.negative;
    const uint64_t left = a.negative ? -a.magnitude : a.magnitude;
    const uint64_t right = b.negative ? -b.magnitude : b.magnitude;
    // The two's complement of a longer negative number may need more bits.
    a.fits = !negative || (a.magnitude | b.magnitude) >> 63 == 0;
    const uint64_t bits = op == MP_BINARY_OP_INPLACE_AND ? left & right
        : op == MP_BINARY_OP_INPLACE_OR ? left | right : left ^ right;
    a.negative = negative && bits >> 63 != 0;
    a.magnitude = a.negative ? -bits : bits;
    return a;
}

gpusnek_word_t gpusnek_word_apply(unsigned int op, gpusnek_word_t a, gpusnek_word_t b) {
    if (op >= MP_BINARY_OP_OR && op <= MP_BINARY_OP_POWER) {
        op -= MP_BINARY_OP_OR - MP_BINARY_OP_INPLACE_OR;
    }
    switch (op) {
        case MP_BINARY_OP_INPLACE_SUBTRACT:
            b.negative = !b.negative;
            return add(a, b);
        case MP_BINARY_OP_INPLACE_ADD:
            return add(a, b);
        case MP_BINARY_OP_INPLACE_MULTIPLY:
            return multiply(a, b);
        case MP_BINARY_OP_INPLACE_MODULO:
        case MP_BINARY_OP_INPLACE_FLOOR_DIVIDE:
            return divide(a, b, op == MP_BINARY_OP_INPLACE_MODULO);
        case MP_BINARY_OP_INPLACE_LSHIFT:
            return shift_left(a, b);
        case MP_BINARY_OP_INPLACE_RSHIFT:
            return shift_right(a, b);
        case MP_BINARY_OP_INPLACE_AND:
        case MP_BINARY_OP_INPLACE_OR:
        case MP_BINARY_OP_INPLACE_XOR:
            return combine(op, a, b);
        default:
            a.fits = false;
            return a;
    }
}

mp_obj_t gpusnek_word_op(unsigned int op, mp_obj_t lhs, mp_obj_t rhs) {
    const gpusnek_word_t a = gpusnek_word_of(lhs), b = gpusnek_word_of(rhs);
    if (!a.fits || !b.fits) {
        return MP_OBJ_NULL;
    }
    const gpusnek_word_t result = gpusnek_word_apply(op, a, b);
    return result.fits ? gpusnek_word_object(result) : MP_OBJ_NULL;
}
