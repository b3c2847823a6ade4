// Arenas of the host twin: one mapping of memory, with canaries around and inside each arena.
#ifndef GPUSNEK_ARENA_H
#define GPUSNEK_ARENA_H

#include <stddef.h>
#include <stdint.h>

// Map `n` zeroed arenas of `stride` bytes (GPUSNEK_ARENA_BYTES or more) and set their canaries.
// Return null if there is no memory.
char *arena_map(uint64_t n, uint64_t stride);
void arena_unmap(char *base, uint64_t n, uint64_t stride);

// Return the address of the state struct of the arena at `slot`.
char *arena_base(char *slot, uint64_t stride);

// Whether the canaries of the arena at `slot` are unchanged.
bool arena_intact(char *slot, uint64_t stride);

#endif
