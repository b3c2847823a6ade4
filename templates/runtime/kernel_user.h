// What a user's kernel keeps beside an interpreter: where its output goes, and its last error.
#ifndef GPUSNEK_KERNEL_USER_H
#define GPUSNEK_KERNEL_USER_H

#include "kernel_thread.h"

#define GPUSNEK_LINE_BYTES 256u // one device printf at most

// Lies right above an arena, in the piece of the user's memory that the arena is in.
typedef struct gpusnek_user_t {
    char *arena; // the arena's first byte; pointers in it hold there only
    char *out;   // NULL: device printf
    uint64_t out_size;
    uint32_t line_length;
    char line[GPUSNEK_LINE_BYTES]; // that has no end yet
    char error[GPUSNEK_ERROR_BYTES];
} gpusnek_user_t;

// That of the interpreter whose state is at `base`.
static inline PORTER_DEVICE gpusnek_user_t *gpusnek_user(char *base) {
    return (gpusnek_user_t *)(base + GPUSNEK_STATE_BYTES + GPUSNEK_CANARY_BYTES);
}

// For device printf (kernel_output.cpp): a line goes out when it ends, or is too long.
PORTER_DEVICE void gpusnek_user_print(gpusnek_user_t *user, const char *text, uint64_t size);
// Prints the line that has no end yet.
PORTER_DEVICE void gpusnek_user_flush(gpusnek_user_t *user);

#endif
