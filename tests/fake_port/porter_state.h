// The state struct of the fake (the rewriter generates the real one).
#ifndef PORTER_STATE_H
#define PORTER_STATE_H

#include <stddef.h>
#include <stdint.h>

#define GPUSNEK_API extern "C" PORTER_DEVICE
#include "interp.h"
#undef GPUSNEK_API

typedef struct porter_state_t {
    const void *porter_unwind;
    int porter_unwind_value;
    unsigned int porter_sandbox;
    const void *porter_stack_limit;
    unsigned int porter_polled;
    unsigned int porter_released;
    uint64_t fake_counter;
    gpusnek_boot_t fake_boot;
    gpusnek_io_t fake_io;
} porter_state_t;

#endif
