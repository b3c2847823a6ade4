// The instruction window: the next bytes of bytecode in a register, and operand decoding, for
// vm_fast.h.
//
// On a GPU a load of one byte takes as long as a load of eight. The window loads aligned words, so
// a load reads no byte outside of the words that contain the code.
#ifndef GPUSNEK_VM_WINDOW_H
#define GPUSNEK_VM_WINDOW_H

#include "hooks.h"
#include "py/bc.h"

// The bytecode from the current instruction on.
typedef struct {
    const byte *ip; // the current instruction
    uint64_t bytes; // the bytes from `ip` on, the first in the lowest bits; at least one is valid
    uint32_t left; // how many are valid, 1 to 8; 0 if this target reads byte by byte
} vm_window_t;

// Moves the window to the instruction at `ip` and loads its first bytes.
VM_INLINE void vm_seek(vm_window_t *code, const byte *ip) {
    code->ip = ip;
    if (porter_prefers_words()) {
        const uint32_t before = (uint32_t)(uintptr_t)ip % 8;
        code->bytes = *(const uint64_t *)(ip - before) >> (8 * before);
        code->left = 8 - before;
    } else {
        code->bytes = *ip;
        code->left = 0;
    }
}

// Returns the byte at offset `at` from the current instruction; the code must have this byte.
VM_INLINE unsigned int vm_byte(const vm_window_t *code, uint32_t at) {
    return at < code->left ? (uint32_t)(code->bytes >> (8 * at)) & 0xff : code->ip[at];
}

// Moves the window behind the current instruction, which has `size` bytes.
VM_INLINE void vm_advance(vm_window_t *code, uint32_t size) {
    if (size < code->left) {
        code->ip += size;
        code->bytes >>= 8 * size;
        code->left -= size;
    } else {
        vm_seek(code, code->ip + size);
    }
}

#define VM_LONGEST (12) // bytes of an instruction at most; bounds the decoding of malformed code

// Decodes the operand after the opcode: seven bits per byte, the most significant first. Sets *size
// to the size of the instruction in bytes.
VM_INLINE uint32_t vm_operand(const vm_window_t *code, uint32_t *size) {
    uint32_t at = 1;
    uint32_t next = vm_byte(code, at++);
    uint32_t value = next & 0x7f;
    while ((next & 0x80) && at < VM_LONGEST) {
        next = vm_byte(code, at++);
        value = (value << 7) | (next & 0x7f);
    }
    *size = at;
    return value;
}

// Decodes an operand in two's complement.
VM_INLINE mp_int_t vm_signed_operand(const vm_window_t *code, uint32_t *size) {
    uint32_t at = 1;
    unsigned int next = vm_byte(code, at);
    mp_uint_t value = next & 0x40 ? ~(mp_uint_t)0 : 0;
    do {
        next = vm_byte(code, at++);
        value = (value << 7) | (next & 0x7f);
    } while ((next & 0x80) && at < VM_LONGEST);
    *size = at;
    return (mp_int_t)value;
}

// Executes a jump whose signed distance, one or two bytes, is at offset `at`. Moves the window to
// the target, or behind the instruction if the jump is not taken.
VM_INLINE void vm_branch(vm_window_t *code, uint32_t at, bool taken) {
    const uint32_t first = vm_byte(code, at++);
    int32_t distance = (int32_t)first - 0x40;
    if (first & 0x80) {
        distance = (int32_t)((first & 0x7f) | (vm_byte(code, at++) << 7)) - 0x4000;
    }
    if (taken) {
        vm_seek(code, code->ip + (int32_t)at + distance);
    } else {
        vm_advance(code, at);
    }
}

#endif
