// Record of an interpreter in a user's kernel: its output buffer and its last error.
#ifndef GPUSNEK_KERNEL_USER_H
#define GPUSNEK_KERNEL_USER_H

#include "kernel_thread.h"

#define GPUSNEK_LINE_BYTES 256u // of one device printf; longer lines are split

// Lies directly above the arena, in the same memory of the user.
typedef struct gpusnek_user_t {
    char *arena; // the arena's first byte; its pointers are valid at this address only
    char *out;   // NULL: device printf
    uint64_t out_size;
    uint32_t line_length;
    char line[GPUSNEK_LINE_BYTES]; // an incomplete line
    char error[GPUSNEK_ERROR_BYTES];
} gpusnek_user_t;

// Return the record of the interpreter whose state is at `base`.
static inline PORTER_DEVICE gpusnek_user_t *gpusnek_user(char *base) {
    return (gpusnek_user_t *)(base + GPUSNEK_STATE_BYTES + GPUSNEK_CANARY_BYTES);
}

// Collect output for device printf. A line is printed when it is complete or too long.
PORTER_DEVICE void gpusnek_user_print(gpusnek_user_t *user, const char *text, uint64_t size);
// Print the incomplete line.
PORTER_DEVICE void gpusnek_user_flush(gpusnek_user_t *user);

#endif
