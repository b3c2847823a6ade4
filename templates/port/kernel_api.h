// Access to globals of __main__ and to compiled code, for users' own kernels
// (templates/runtime/kernel_main.cpp).
//
// Every function requires a started, attached interpreter, raises nothing, and returns a status of
// interp.h. After GPUSNEK_EXCEPTION the traceback is in the stderr buffer. `name` is UTF-8 and
// NUL-terminated.
#ifndef GPUSNEK_KERNEL_API_H
#define GPUSNEK_KERNEL_API_H

#include "interp.h"

// Set a global to an int or a float.
GPUSNEK_API int gpusnek_store_int(const char *name, int64_t value);
GPUSNEK_API int gpusnek_store_float(const char *name, double value);
// Set a global to a str. Fails with UnicodeError if the text is not UTF-8.
GPUSNEK_API int gpusnek_store_str(const char *name, const char *text, size_t length);
// Set a global to a memoryview of `count` elements of array's `typecode`; the caller keeps the
// memory.
GPUSNEK_API int gpusnek_store_memory(const char *name, void *memory, size_t count, char typecode);
// Read a global. Fails with NameError if it does not exist, TypeError for another type, and
// OverflowError for an int beyond 64 bits.
GPUSNEK_API int gpusnek_load_int(const char *name, int64_t *value);
GPUSNEK_API int gpusnek_load_float(const char *name, double *value);
// Read a str: *length is the text's size in bytes, of which at most `size` are stored, without a
// NUL.
GPUSNEK_API int gpusnek_load_str(const char *name, char *text, size_t size, size_t *length);

#define GPUSNEK_NO_CODE (-11) // same value as GPUSNEK_STATUS_NO_CODE of gpusnek.cuh

// Compile statements for __main__ and store the code in the lowest free slot.
GPUSNEK_API int gpusnek_compile_code(const char *source, size_t length, size_t *slot);
// Run, or release, the code of a slot. Both return GPUSNEK_NO_CODE for an empty slot.
GPUSNEK_API int gpusnek_run_code(size_t slot);
GPUSNEK_API int gpusnek_release_code(size_t slot);

#endif
