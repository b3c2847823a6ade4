// Python's output in users' kernels: to the user's buffer, or to device printf line by line.
#if !PORTER_ARENA_LOCAL
#include <stdio.h>

#include "kernel_user.h"

PORTER_DEVICE void gpusnek_user_flush(gpusnek_user_t *user) {
    if (user->line_length > 0) {
        user->line[user->line_length] = 0;
        user->line_length = 0;
        printf("%s", user->line);
    }
}

// A line is printed by one call, so that lines of other threads do not interrupt it. NULs are left
// out, because printf ends at a NUL.
PORTER_DEVICE void gpusnek_user_print(gpusnek_user_t *user, const char *text, uint64_t size) {
    for (uint64_t i = 0; i < size; i++) {
        if (text[i] != 0) {
            user->line[user->line_length++] = text[i];
        }
        if (text[i] == '\n' || user->line_length == GPUSNEK_LINE_BYTES - 1) {
            gpusnek_user_flush(user);
        }
    }
}

// Print output of the port that has no buffer (porter_console in hooks.cu and hooks_host.cpp).
// Return false if no user's kernel runs, which only the host twin can determine.
extern "C" PORTER_DEVICE bool gpusnek_user_console(const char *text, unsigned long size) {
#ifndef __CUDACC__
    if (gpusnek_stack_low == NULL) {
        return false;
    }
#endif
    gpusnek_user_print(gpusnek_user((char *)PORTER_STATE), text, size);
    return true;
}

// Return the state of the running thread's interpreter, or NULL.
static PORTER_DEVICE char *mine(void) {
    return gpusnek_check_thread() == GPUSNEK_OK ? (char *)PORTER_STATE : NULL;
}

GPUSNEK_API const char *gpusnek_error(void) {
    char *base = mine();
    return base ? gpusnek_user(base)->error : "";
}

GPUSNEK_API int gpusnek_last_exit(void) {
    return mine() ? gpusnek_exit_code() : 0;
}

GPUSNEK_API int gpusnek_set_output(char *buffer, size_t size) {
    char *base = mine();
    if (base == NULL) {
        return GPUSNEK_NOT_STARTED;
    }
    if (buffer && size == 0) {
        return GPUSNEK_STATUS_ARGUMENT;
    }
    gpusnek_user(base)->out = buffer;
    gpusnek_user(base)->out_size = size;
    gpusnek_head(base)->out_length = 0;
    if (buffer) {
        buffer[0] = 0;
    }
    return GPUSNEK_OK;
}

GPUSNEK_API size_t gpusnek_output_length(void) {
    char *base = mine();
    return base ? gpusnek_head(base)->out_length : 0;
}
#endif
