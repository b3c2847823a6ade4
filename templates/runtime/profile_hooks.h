// Hooks of profiling builds (hooks.h) that are inlined into rewritten units. Empty functions in
// other builds.
#ifndef GPUSNEK_PROFILE_HOOKS_H
#define GPUSNEK_PROFILE_HOOKS_H

#ifndef PORTER_PROFILE
#define PORTER_PROFILE 0
#endif

#if PORTER_PROFILE

#include "profile.h"

#define PORTER_PROFILE_BELOW 128 // bytes from gpusnek_head_t::profile to the state

extern "C" {
PORTER_DEVICE void porter_profile_move(const void *frame, const void *caller,
    const void *bytecode, const void *function); // these three are in profile.inc
PORTER_DEVICE void porter_profile_back(gpusnek_profile_t *profile, const void *frame);
PORTER_DEVICE void porter_profile_forget(gpusnek_profile_t *profile, const void *bytecode);

// Return the profile of this interpreter; null: it has none.
static inline PORTER_DEVICE gpusnek_profile_t *porter_profile(void) {
    return *(gpusnek_profile_t **)((char *)PORTER_STATE - PORTER_PROFILE_BELOW);
}

static inline PORTER_DEVICE gpusnek_profile_row_t *porter_profile_row(
    const gpusnek_profile_t *profile) {
    return (gpusnek_profile_row_t *)(profile->rows + profile->ip * sizeof(gpusnek_profile_row_t));
}

// On a GPU, add the time since the last call to the running instruction. On the host twin reading
// the clock would take longer than most instructions, so a thread samples (profile_host.h).
static inline PORTER_DEVICE void porter_profile_charge(gpusnek_profile_t *profile) {
#ifdef __CUDACC__
    const uint64_t now = (uint64_t)clock64();
    porter_profile_row(profile)->time += now - profile->then;
    profile->then = now;
#else
    (void)profile;
#endif
}

static inline PORTER_DEVICE void *porter_profile_frame(const void *frame, const void *caller,
    const void *bytecode, const void *function) {
    gpusnek_profile_t *const profile = porter_profile();
    if (!profile) {
        return 0;
    }
    if (profile->frame != (uint64_t)frame || profile->code != (uint64_t)bytecode) {
        porter_profile_move(frame, caller, bytecode, function);
    }
    return profile->counts ? profile : 0;
}

static inline PORTER_DEVICE void porter_profile_bytecode(void *counts, const void *ip) {
    gpusnek_profile_t *const profile = (gpusnek_profile_t *)counts;
    if (!profile) {
        return;
    }
    porter_profile_charge(profile);
    ++*(uint64_t *)(profile->counts + (uint64_t)ip * sizeof(uint64_t));
    profile->ip = (uint64_t)ip;
#ifdef __CUDACC__
    porter_profile_row(profile)->lanes += (uint64_t)__popc(__activemask());
#endif
}

static inline PORTER_DEVICE void porter_profile_leave(const void *frame) {
    if (gpusnek_profile_t *const profile = porter_profile()) {
        porter_profile_back(profile, frame);
    }
}

static inline PORTER_DEVICE void porter_profile_allocates(unsigned long bytes) {
    if (const gpusnek_profile_t *const profile = porter_profile()) {
        gpusnek_profile_row_t *const row = porter_profile_row(profile);
        row->allocations++;
        row->bytes += bytes;
    }
}

static inline PORTER_DEVICE void porter_profile_collects(void) {
    if (const gpusnek_profile_t *const profile = porter_profile()) {
        porter_profile_row(profile)->collections++;
    }
}

static inline PORTER_DEVICE void porter_profile_code(const void *bytecode) {
    if (gpusnek_profile_t *const profile = porter_profile()) {
        porter_profile_forget(profile, bytecode);
    }
}
}

#else

extern "C" {
static inline PORTER_DEVICE void *porter_profile_frame(
    const void *, const void *, const void *, const void *) {
    return 0;
}
static inline PORTER_DEVICE void porter_profile_bytecode(void *, const void *) {}
static inline PORTER_DEVICE void porter_profile_leave(const void *) {}
static inline PORTER_DEVICE void porter_profile_allocates(unsigned long) {}
static inline PORTER_DEVICE void porter_profile_collects(void) {}
static inline PORTER_DEVICE void porter_profile_code(const void *) {}
}

#endif

#endif
