// Globals of __main__ by name, and compiled code, for users' own kernels
// (templates/runtime/kernel_main.cpp).
//
// Every function needs a started, attached interpreter, raises nothing, and returns a status of
// interp.h: GPUSNEK_EXCEPTION has left its traceback in the stderr buffer. `name` is UTF-8 and
// NUL-terminated.
#ifndef GPUSNEK_KERNEL_API_H
#define GPUSNEK_KERNEL_API_H

#include "interp.h"

GPUSNEK_API int gpusnek_store_int(const char *name, int64_t value);
GPUSNEK_API int gpusnek_store_float(const char *name, double value);
// Raises, as Python's decoder does, where the text is not UTF-8.
GPUSNEK_API int gpusnek_store_str(const char *name, const char *text, size_t length);
// A memoryview of `count` elements of array's `typecode`; the memory stays the caller's.
GPUSNEK_API int gpusnek_store_memory(const char *name, void *memory, size_t count, char typecode);
// NameError where no global has this name, TypeError for another type, OverflowError beyond 64
// bits.
GPUSNEK_API int gpusnek_load_int(const char *name, int64_t *value);
GPUSNEK_API int gpusnek_load_float(const char *name, double *value);
// *length is all of the text's bytes; at most `size` are stored, without a NUL.
GPUSNEK_API int gpusnek_load_str(const char *name, char *text, size_t size, size_t *length);

#define GPUSNEK_NO_CODE (-11) // gpusnek.cuh: GPUSNEK_STATUS_NO_CODE

// Compiles statements for __main__ and keeps the code in a slot, the lowest that is free.
GPUSNEK_API int gpusnek_compile_code(const char *source, size_t length, size_t *slot);
// GPUSNEK_NO_CODE where the slot holds none.
GPUSNEK_API int gpusnek_run_code(size_t slot);
GPUSNEK_API int gpusnek_release_code(size_t slot);

#endif
