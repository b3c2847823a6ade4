// Canaries of an arena on the device: written when an interpreter starts, compared after it ran.
#ifndef GPUSNEK_CANARY_CUH
#define GPUSNEK_CANARY_CUH

#include "arena_layout.h"

static PORTER_DEVICE void canaries_set(char *base, const gpusnek_launch_t *launch) {
    char *at[3];
    gpusnek_canaries(base, launch, at);
    for (uint32_t k = 0; k < 3; k++) {
        for (uint32_t i = 0; i < GPUSNEK_CANARY_BYTES / 8; i++) {
            ((uint64_t *)at[k])[i] = GPUSNEK_CANARY;
        }
    }
}

static PORTER_DEVICE bool canaries_intact(char *base, const gpusnek_launch_t *launch) {
    char *at[3];
    gpusnek_canaries(base, launch, at);
    uint64_t differ = 0;
    for (uint32_t k = 0; k < 3; k++) {
        for (uint32_t i = 0; i < GPUSNEK_CANARY_BYTES / 8; i++) {
            differ |= ((const volatile uint64_t *)at[k])[i] ^ GPUSNEK_CANARY;
        }
    }
    return differ == 0;
}

#endif
