// Find the end of a function's bytecode. Shared code lies outside the heap, so no block of the heap
// records its size. Callers: upstream's py/persistentcode.c (patch `shared-code`), profile.c and
// verify_code.c.
#include "code.h"
#include "py/bc0.h"

// Skip a variable-length number of seven bits per byte.
static const byte *past_number(const byte *ip) {
    while (*ip++ & 0x80) {
    }
    return ip;
}

// Skip a jump's distance. Store the jump's target in *to.
static const byte *past_distance(const byte *ip, unsigned int op, const byte **to) {
    const bool is_signed = op >= MP_BC_UNWIND_JUMP && op <= MP_BC_POP_JUMP_IF_FALSE;
    const bool wide = (ip[0] & 0x80) != 0;
    mp_int_t distance = wide ? (ip[0] & 0x7f) | ip[1] << 7 : ip[0];
    if (is_signed) {
        distance -= wide ? 0x4000 : 0x40;
    }
    ip += wide ? 2 : 1;
    *to = ip + distance;
    return ip;
}

bool gpusnek_bytecode_continues(unsigned int op) {
    switch (op) {
        case MP_BC_UNWIND_JUMP:
        case MP_BC_JUMP:
        case MP_BC_POP_EXCEPT_JUMP:
        case MP_BC_RETURN_VALUE:
        case MP_BC_RAISE_LAST:
        case MP_BC_RAISE_OBJ:
        case MP_BC_RAISE_FROM:
            return false;
        default:
            return true;
    }
}

// Return the address after the last reachable instruction of a function whose prelude begins at
// `fun_data`. Unreachable instructions after it, which the compiler may emit, do not count.
const uint8_t *gpusnek_bytecode_end(const uint8_t *fun_data) {
    const byte *ip = fun_data;
    MP_BC_PRELUDE_SIG_DECODE(ip);
    MP_BC_PRELUDE_SIZE_DECODE(ip);
    ip += n_info + n_cell;
    const byte *furthest = ip; // the highest jump target seen so far
    for (;;) {
        const unsigned int op = *ip++;
        const unsigned int format = MP_BC_FORMAT(op);
        const byte *to = furthest;
        if (format == MP_BC_FORMAT_OFFSET) {
            ip = past_distance(ip, op, &to);
        } else if (format != MP_BC_FORMAT_BYTE) {
            ip = past_number(ip);
        }
        if ((op & MP_BC_MASK_EXTRA_BYTE) == 0) {
            ip++;
        }
        if (to > furthest) {
            furthest = to;
        }
        if (!gpusnek_bytecode_continues(op) && ip > furthest) {
            return ip;
        }
    }
}
