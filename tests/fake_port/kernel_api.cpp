// The fake has no globals: functions for users' kernels return a status.
#include "porter_runtime.h"

#define GPUSNEK_API extern "C" PORTER_DEVICE
#include "kernel_api.h"

GPUSNEK_API int gpusnek_store_int(const char *, int64_t) {
    return GPUSNEK_EXCEPTION;
}

GPUSNEK_API int gpusnek_store_float(const char *, double) {
    return GPUSNEK_EXCEPTION;
}

GPUSNEK_API int gpusnek_store_str(const char *, const char *, size_t) {
    return GPUSNEK_EXCEPTION;
}

GPUSNEK_API int gpusnek_store_memory(const char *, void *, size_t, char) {
    return GPUSNEK_EXCEPTION;
}

GPUSNEK_API int gpusnek_load_int(const char *, int64_t *) {
    return GPUSNEK_EXCEPTION;
}

GPUSNEK_API int gpusnek_load_float(const char *, double *) {
    return GPUSNEK_EXCEPTION;
}

GPUSNEK_API int gpusnek_load_str(const char *, char *, size_t, size_t *) {
    return GPUSNEK_EXCEPTION;
}

GPUSNEK_API int gpusnek_compile_code(const char *, size_t, size_t *) {
    return GPUSNEK_EXCEPTION;
}

GPUSNEK_API int gpusnek_run_code(size_t) {
    return GPUSNEK_NO_CODE;
}

GPUSNEK_API int gpusnek_release_code(size_t) {
    return GPUSNEK_NO_CODE;
}
