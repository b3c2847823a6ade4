// Hooks of native code (hooks.h, native.h). Builds that record or count each instruction (traced,
// profiling) support none. On a GPU a cubin that was linked with native code has it, and calls its
// modules through one dispatcher by number.
#ifndef GPUSNEK_NATIVE_HOOKS_H
#define GPUSNEK_NATIVE_HOOKS_H

#ifndef PORTER_NATIVE
#if defined(__CUDACC__) || PORTER_TRACED || PORTER_PROFILE
#define PORTER_NATIVE 0
#else
#define PORTER_NATIVE 1
#endif
#endif

extern "C" {
static inline PORTER_DEVICE int porter_native(void) {
    return PORTER_NATIVE;
}

#if defined(__CUDACC__) && PORTER_NATIVE
PORTER_DEVICE void gpusnek_native_module(void *code_state, unsigned int entry, const void *native);
static inline PORTER_DEVICE void *porter_native_run(unsigned long) {
    return (void *)gpusnek_native_module;
}
#else
static inline PORTER_DEVICE void *porter_native_run(unsigned long run) {
    return (void *)run;
}
#endif
}

#endif
