// Functions of gpusnek.cuh that access __main__: run statements, keep compiled code, set and get
// globals.
#if !PORTER_ARENA_LOCAL
#include "kernel_call.h"

#define CODE_TAG 0x736e656b00000000ull // "snek": high half of every handle; low half: slot + 1

static_assert(GPUSNEK_NO_CODE == (int)GPUSNEK_STATUS_NO_CODE, "kernel_api.h has it too");

static PORTER_DEVICE size_t text_length(const char *text) {
    size_t length = 0;
    while (text[length] != 0) {
        length++;
    }
    return length;
}

// Permit the user's memory that `act` reads (a text) or writes (bytes at an address).
#define READING(text, act) (gpusnek_reach_text(text), act)
#define WRITING(to, size, act) (porter_reaches(to, size, true), act)

GPUSNEK_API int gpusnek_do_str(const char *source) {
    GPUSNEK_CALL(source,
        READING(source, gpusnek_exec(source, text_length(source), GPUSNEK_FILE, "<string>")));
}

static PORTER_DEVICE int compile(const char *source, mp_obj_t *handle) {
    size_t slot = 0;
    const int status = gpusnek_compile_code(source, text_length(source), &slot);
    *handle = status == GPUSNEK_OK ? (mp_obj_t)(CODE_TAG + slot + 1) : NULL;
    return status;
}

static PORTER_DEVICE int compile_call(const char *source, mp_obj_t *handle) {
    GPUSNEK_CALL(source, READING(source, compile(source, handle)));
}

GPUSNEK_API mp_obj_t gpusnek_compile(const char *source, int *status) {
    mp_obj_t handle = NULL;
    const int ended = compile_call(source, &handle);
    if (status) {
        *status = ended;
    }
    return handle;
}

// Return the slot of a handle. The slot of an invalid handle exceeds every interpreter's.
static PORTER_DEVICE size_t slot_of(mp_obj_t handle) {
    return (size_t)((uint64_t)handle - CODE_TAG - 1);
}

GPUSNEK_API int gpusnek_do_bytecode(mp_obj_t handle) {
    GPUSNEK_CALL(handle, gpusnek_run_code(slot_of(handle)));
}

GPUSNEK_API int gpusnek_release(mp_obj_t handle) {
    GPUSNEK_CALL(handle, gpusnek_release_code(slot_of(handle)));
}

GPUSNEK_API int gpusnek_new_int(const char *name, long long value) {
    GPUSNEK_CALL(name, READING(name, gpusnek_store_int(name, value)));
}

GPUSNEK_API int gpusnek_new_float(const char *name, double value) {
    GPUSNEK_CALL(name, READING(name, gpusnek_store_float(name, value)));
}

GPUSNEK_API int gpusnek_new_str(const char *name, const char *text) {
    GPUSNEK_CALL(name && text,
        READING(name, READING(text, gpusnek_store_str(name, text, text_length(text)))));
}

GPUSNEK_API int gpusnek_bind_memory(const char *name, void *memory, size_t count, char typecode) {
    GPUSNEK_CALL(name && memory,
        READING(name, gpusnek_store_memory(name, memory, count, typecode)));
}

GPUSNEK_API int gpusnek_get_int(const char *name, long long *value) {
    GPUSNEK_CALL(name && value,
        READING(name, WRITING(value, 8, gpusnek_load_int(name, (int64_t *)value))));
}

GPUSNEK_API int gpusnek_get_float(const char *name, double *value) {
    GPUSNEK_CALL(name && value,
        READING(name, WRITING(value, 8, gpusnek_load_float(name, value))));
}

static PORTER_DEVICE int load_text(const char *name, char *text, size_t size) {
    size_t length;
    const int status = gpusnek_load_str(name, text, size - 1, &length);
    if (status == GPUSNEK_OK) {
        text[length < size - 1 ? length : size - 1] = 0;
    }
    return status;
}

GPUSNEK_API int gpusnek_get_str(const char *name, char *text, size_t size) {
    GPUSNEK_CALL(name && text && size,
        READING(name, WRITING(text, size, load_text(name, text, size))));
}
#endif
