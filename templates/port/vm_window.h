// The bytecode at hand, for vm_fast.h.
#ifndef GPUSNEK_VM_WINDOW_H
#define GPUSNEK_VM_WINDOW_H

#include "hooks.h"
#include "py/bc.h"

// The bytecode from an instruction on; on a GPU, where every access takes long, eight bytes at a
// time. Words are aligned, so no byte is read that does not share one with a byte of the code.
typedef struct {
    const byte *ip;
    uint64_t bytes; // from there on: `left` ones, the first lowest; at least the first
    uint32_t left; // from 1 to 8; 0 where bytes are read one by one
} vm_window_t;

// To the instruction at ip.
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

// The byte `at` after the instruction's first; it must be there.
VM_INLINE unsigned int vm_byte(const vm_window_t *code, uint32_t at) {
    return at < code->left ? (uint32_t)(code->bytes >> (8 * at)) & 0xff : code->ip[at];
}

// On to the instruction that follows this one, which has `size` bytes.
VM_INLINE void vm_advance(vm_window_t *code, uint32_t size) {
    if (size < code->left) {
        code->ip += size;
        code->bytes >>= 8 * size;
        code->left -= size;
    } else {
        vm_seek(code, code->ip + size);
    }
}

#define VM_LONGEST (12) // bytes of an instruction, at most

// The instruction's operand, seven bits a byte, the highest first; *size: bytes of both.
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

// A jump whose distance, one byte or two, is `at` bytes on; or past it where it is not taken.
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
