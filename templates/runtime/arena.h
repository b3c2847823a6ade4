// Arenas of the host twin: one block of memory, a canary at each end of each arena.
#ifndef GPUSNEK_ARENA_H
#define GPUSNEK_ARENA_H

#include <stddef.h>
#include <stdint.h>

#define GPUSNEK_CANARY_BYTES 64u

// Bytes from one arena of `arena_size` bytes to the next, canaries included.
uint64_t arena_stride(uint64_t arena_size);

// `n` zeroed arenas with their canaries set; null when there is no memory.
char *arena_map(uint64_t n, uint64_t stride);
void arena_unmap(char *base, uint64_t n, uint64_t stride);

// Whether nothing has written over the canaries of the slot of `stride` bytes at `slot`.
bool arena_intact(const char *slot, uint64_t stride);

#endif
