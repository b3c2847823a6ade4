// Verification of untrusted bytecode, second pass: a function's prelude, and the decoding of its
// instructions and operands (verify.h).
#include "verify.h"

#include <string.h>

#include "code.h"
#include "py/smallint.h"

#if GPUSNEK_PATCH_VERIFIED_CODE

#define MOST_EXTENSIONS (8) // bytes of a prelude's signature after the first
#define MOST_SIZE_BYTES (8) // bytes of the prelude's sizes
#define MOST_STATE (UINT16_MAX) // mp_code_state_t has 16-bit counts of slots and handlers
#define MOST_INTEGER_BYTES (10) // bytes of a 64-bit integer, seven bits each

// The fields of the prelude that verify_t does not have.
typedef struct {
    uint32_t info; // bytes of names and line numbers
    uint32_t cells; // local variables that become cells
    uint32_t keyword; // keyword-only arguments
    uint32_t defaults; // default values of positional arguments
} prelude_t;

// Decodes the signature as MP_BC_PRELUDE_SIG_DECODE, with bounds.
static void read_signature(verify_t *of, verify_bytes_t *bytes, prelude_t *prelude) {
    uint32_t z = gpusnek_verify_byte(bytes);
    uint32_t state = z >> 3 & 0xf;
    uint32_t flags = 0;
    of->handlers = z >> 2 & 1;
    of->positional = z & 3;
    prelude->keyword = 0;
    prelude->defaults = 0;
    for (uint32_t n = 0; z & 0x80; n++) {
        gpusnek_verify_need(n < MOST_EXTENSIONS);
        z = gpusnek_verify_byte(bytes);
        state |= (z & 0x30) << (2 * n);
        of->handlers |= (z & 0x02) << n;
        flags |= (z >> 6 & 1) << n;
        of->positional |= (z & 0x04) << n;
        prelude->keyword |= (z >> 3 & 1) << n;
        prelude->defaults |= (z & 1) << n;
    }
    of->state = state + 1;
    of->flags = (uint8_t)flags;
    gpusnek_verify_need(of->state <= MOST_STATE && of->handlers < MOST_STATE);
    gpusnek_verify_need((flags & ~(uint32_t)VERIFY_FLAGS) == 0);
    gpusnek_verify_need(prelude->defaults <= of->positional && prelude->defaults <= UINT8_MAX);
}

// Decodes the sizes as MP_BC_PRELUDE_SIZE_DECODE, with bounds.
static void read_sizes(verify_bytes_t *bytes, prelude_t *prelude) {
    uint64_t info = 0;
    uint32_t cells = 0;
    uint32_t z;
    uint32_t n = 0;
    do {
        gpusnek_verify_need(n < MOST_SIZE_BYTES);
        z = gpusnek_verify_byte(bytes);
        cells |= (z & 1) << n;
        info |= (uint64_t)(z >> 1 & 0x3f) << (6 * n);
        n++;
    } while (z & 0x80);
    gpusnek_verify_need(info + cells <= (size_t)(bytes->end - bytes->at));
    prelude->info = (uint32_t)info;
    prelude->cells = cells;
}

// Verifies the names of the function and its arguments, and the table of line numbers.
static void read_info(const verify_t *of, byte *at, const prelude_t *prelude) {
    verify_bytes_t bytes = { at, at + prelude->info };
    const uint32_t count = 1 + of->positional + prelude->keyword;
    for (uint32_t i = 0; i < count; i++) {
        gpusnek_verify_need(gpusnek_verify_number(&bytes) < of->names);
    }
    while (bytes.at < bytes.end) {
        if (gpusnek_verify_byte(&bytes) & 0x80) {
            gpusnek_verify_byte(&bytes);
        }
    }
}

// Records that the function uses local variable `number`.
static void use_local(verify_t *of, uint32_t number) {
    gpusnek_verify_need(number < of->state);
    of->locals = MAX(of->locals, number + 1);
}

static void read_cells(verify_t *of, const byte *cells, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        use_local(of, cells[i]);
        verify_set_bit(of->cells, cells[i]);
    }
}

// Decodes the signed operand of LOAD_CONST_SMALL_INT, which must fit a small integer.
static void read_integer(verify_bytes_t *bytes) {
    const byte *start = bytes->at;
    byte next = gpusnek_verify_byte(bytes);
    mp_uint_t value = next & 0x40 ? ~(mp_uint_t)0 : 0;
    value = value << 7 | (next & 0x7f);
    while (next & 0x80) {
        gpusnek_verify_need(bytes->at - start < MOST_INTEGER_BYTES);
        next = gpusnek_verify_byte(bytes);
        value = value << 7 | (next & 0x7f);
    }
    const mp_int_t number = (mp_int_t)value;
    gpusnek_verify_need(number >= MP_SMALL_INT_MIN && number <= MP_SMALL_INT_MAX);
}

// Decodes a jump's distance, one or two bytes, signed for jumps that may go backwards. The target
// must be inside the code.
static void read_target(verify_bytes_t *bytes, const byte *code, verify_instruction_t *to) {
    const bool is_signed = to->op >= MP_BC_UNWIND_JUMP && to->op <= MP_BC_POP_JUMP_IF_FALSE;
    int32_t distance = gpusnek_verify_byte(bytes);
    const bool is_wide = (distance & 0x80) != 0;
    if (is_wide) {
        distance = (distance & 0x7f) | gpusnek_verify_byte(bytes) << 7;
    }
    if (is_signed) {
        distance -= is_wide ? 0x4000 : 0x40;
    }
    const int64_t target = (int64_t)(bytes->at - code) + distance;
    gpusnek_verify_need(target >= 0 && target < bytes->end - code);
    to->target = (uint32_t)target;
}

void gpusnek_verify_decode(const verify_t *of, uint32_t at, verify_instruction_t *to) {
    verify_bytes_t bytes = { of->code + at, of->code + of->size };
    memset(to, 0, sizeof(*to));
    to->at = at;
    to->op = gpusnek_verify_byte(&bytes);
    const unsigned int format = MP_BC_FORMAT(to->op);
    if (to->op == MP_BC_LOAD_CONST_SMALL_INT) {
        read_integer(&bytes);
    } else if (format == MP_BC_FORMAT_QSTR || format == MP_BC_FORMAT_VAR_UINT) {
        to->argument = gpusnek_verify_number(&bytes);
    } else if (format == MP_BC_FORMAT_OFFSET) {
        read_target(&bytes, of->code, to);
    }
    if ((to->op & MP_BC_MASK_EXTRA_BYTE) == 0) {
        to->extra = gpusnek_verify_byte(&bytes);
    }
    to->next = (uint32_t)(bytes.at - of->code);
}

static void store_local(verify_t *of, uint32_t number) {
    use_local(of, number);
    verify_set_bit(of->stored, number);
}

// Verifies that an operand is in the range of the table or frame that it indexes. verify_flow.c,
// which executes instructions, rejects unknown opcodes.
static void verify_operand(verify_t *of, const verify_instruction_t *at) {
    const unsigned int op = at->op;
    if (MP_BC_FORMAT(op) == MP_BC_FORMAT_QSTR) {
        gpusnek_verify_need(at->argument < of->names);
    } else if (op >= MP_BC_LOAD_FAST_MULTI && op < MP_BC_LOAD_FAST_MULTI + MP_BC_LOAD_FAST_MULTI_NUM) {
        use_local(of, op - MP_BC_LOAD_FAST_MULTI);
    } else if (op >= MP_BC_STORE_FAST_MULTI
        && op < MP_BC_STORE_FAST_MULTI + MP_BC_STORE_FAST_MULTI_NUM) {
        store_local(of, op - MP_BC_STORE_FAST_MULTI);
    }
    switch (op) {
        case MP_BC_LOAD_FAST_N:
        case MP_BC_LOAD_DEREF:
        case MP_BC_STORE_DEREF:
        case MP_BC_DELETE_DEREF:
            use_local(of, at->argument);
            break;
        case MP_BC_STORE_FAST_N:
        case MP_BC_DELETE_FAST:
            store_local(of, at->argument);
            break;
        case MP_BC_LOAD_CONST_OBJ:
            gpusnek_verify_need(at->argument < of->objects);
            break;
        case MP_BC_MAKE_FUNCTION:
        case MP_BC_MAKE_FUNCTION_DEFARGS:
        case MP_BC_MAKE_CLOSURE:
        case MP_BC_MAKE_CLOSURE_DEFARGS:
            gpusnek_verify_need(at->argument < of->child_count);
            break;
        default:
            break;
    }
}

// Decodes and marks all instructions in order, with the same criterion for the function's end as
// bytecode.c: the first instruction that ends a path and that no jump crosses. Includes unreachable
// code, because marshal.dumps reads it.
static void verify_instructions(verify_t *of) {
    uint32_t furthest = 0;
    uint32_t at = 0;
    for (bool more = true; more;) {
        verify_instruction_t instruction;
        gpusnek_verify_decode(of, at, &instruction);
        of->marks[at] |= VERIFY_START;
        verify_operand(of, &instruction);
        if (MP_BC_FORMAT(instruction.op) == MP_BC_FORMAT_OFFSET) {
            of->marks[instruction.target] |= VERIFY_TARGET;
            furthest = MAX(furthest, instruction.target);
        }
        at = instruction.next;
        more = gpusnek_bytecode_continues(instruction.op) || at <= furthest;
    }
}

verify_child_t gpusnek_verify_code(verify_t *of, byte *data, uint32_t length) {
    verify_bytes_t bytes = { data, data + length };
    prelude_t prelude;
    read_signature(of, &bytes, &prelude);
    read_sizes(&bytes, &prelude);
    const uint32_t arguments = of->positional + prelude.keyword
        + ((of->flags & MP_SCOPE_FLAG_VARARGS) != 0) + ((of->flags & MP_SCOPE_FLAG_VARKEYWORDS) != 0);
    gpusnek_verify_need(arguments <= of->state);
    of->locals = arguments;
    read_info(of, bytes.at, &prelude);
    read_cells(of, bytes.at + prelude.info, prelude.cells);
    of->code = bytes.at + prelude.info + prelude.cells;
    of->size = (uint32_t)(bytes.end - of->code);
    gpusnek_verify_need(of->size > 0);
    of->marks = m_new0(uint8_t, of->size);
    verify_instructions(of);
    gpusnek_verify_flow(of);
    m_del(uint8_t, of->marks, of->size);
    for (uint32_t i = 0; i < VERIFY_LOCALS; i++) { // V7 of verify_flow.c
        gpusnek_verify_need(!verify_bit(of->stored, i)
            || !(verify_bit(of->cells, i) || i < of->free_cells));
    }
    const verify_child_t found = { (uint8_t)prelude.defaults, of->flags, (uint8_t)of->free_cells };
    return found;
}

#endif
