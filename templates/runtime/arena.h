// Arenas of the host twin: one block of memory, canaries around each arena and inside it.
#ifndef GPUSNEK_ARENA_H
#define GPUSNEK_ARENA_H

#include <stddef.h>
#include <stdint.h>

// `n` zeroed arenas of `stride` bytes (GPUSNEK_ARENA_BYTES, or more) with their canaries set;
// null when there is no memory.
char *arena_map(uint64_t n, uint64_t stride);
void arena_unmap(char *base, uint64_t n, uint64_t stride);

// Where the state struct of the arena at `slot` is.
char *arena_base(char *slot, uint64_t stride);

// Whether nothing has written over the canaries of the arena at `slot`.
bool arena_intact(char *slot, uint64_t stride);

#endif
