// Access to globals of __main__, and compiled code in slots, for users' own kernels (kernel_api.h).
//
// Invariant K1: each operation runs in protect(), so no exception reaches the kernel.
#include <string.h>

#include "hooks.h"
#include "kernel_api.h"
#include "port.h"
#include "py/binary.h"
#include "py/compile.h"
#include "py/lexer.h"
#include "py/objarray.h"
#include "py/objstr.h"
#include "py/runtime.h"

// Arguments and results of one operation; each function uses the fields that it needs.
typedef struct _access_t {
    const char *name;
    void *memory; // source of a str or memoryview, or destination of a str
    size_t size; // size of `memory` in bytes or elements; a slot's number for code
    size_t length; // bytes of the str that was read, or of the source
    int64_t integer;
    double number;
    char typecode;
    bool compiling; // a SyntaxError comes from the source itself
} access_t;

// Compiled functions by slot; None marks a released slot.
MP_REGISTER_ROOT_POINTER(mp_obj_t gpusnek_codes);

// Return a global of __main__. Raises NameError.
static mp_obj_t find(const char *name) {
    qstr key = qstr_from_str(name);
    mp_map_t *map = &MP_STATE_VM(dict_main).map;
    mp_map_elem_t *found = mp_map_lookup(map, MP_OBJ_NEW_QSTR(key), MP_MAP_LOOKUP);
    if (found == NULL) {
        mp_raise_msg_varg(&mp_type_NameError, MP_ERROR_TEXT("name '%q' is not defined"), key);
    }
    return found->value;
}

// Set a global of __main__. May raise MemoryError.
static void put(const char *name, mp_obj_t value) {
    mp_obj_dict_store(MP_OBJ_FROM_PTR(&MP_STATE_VM(dict_main)),
        MP_OBJ_NEW_QSTR(qstr_from_str(name)), value);
}

static void put_int(access_t *access) {
    put(access->name, mp_obj_new_int_from_ll(access->integer));
}

static void put_float(access_t *access) {
    put(access->name, mp_obj_new_float((mp_float_t)access->number));
}

static void put_str(access_t *access) {
    put(access->name, mp_obj_new_str(access->memory, access->size));
}

static void put_memory(access_t *access) {
    size_t align;
    const size_t size =
        mp_binary_get_size('@', access->typecode, &align); // may raise ValueError
    if ((uintptr_t)access->memory % align != 0) {
        mp_raise_ValueError(MP_ERROR_TEXT("unaligned memory"));
    }
    porter_keep(access->memory, access->size * size, true);
    put(access->name, mp_obj_new_memoryview(access->typecode | MP_OBJ_ARRAY_TYPECODE_FLAG_RW,
        access->size, access->memory));
}

static void get_int(access_t *access) {
    access->integer = mp_obj_get_int(find(access->name));
}

static void get_float(access_t *access) {
    access->number = (double)mp_obj_get_float(find(access->name));
}

static void get_str(access_t *access) {
    const char *text = mp_obj_str_get_data(find(access->name), &access->length);
    memcpy(access->memory, text, access->length < access->size ? access->length : access->size);
}

// Compile a source and store its function in the lowest free slot. May raise.
static void compile_code(access_t *access) {
    mp_lexer_t *lexer = mp_lexer_new_from_str_len(MP_QSTR__lt_string_gt_, access->name,
        access->length, 0);
    qstr source_name = lexer->source_name;
    mp_parse_tree_t tree = mp_parse(lexer, MP_PARSE_FILE_INPUT);
    mp_obj_t function = mp_compile(&tree, source_name, false);
    access->compiling = false;
    if (MP_STATE_VM(gpusnek_codes) == MP_OBJ_NULL) {
        MP_STATE_VM(gpusnek_codes) = mp_obj_new_list(0, NULL);
    }
    size_t count;
    mp_obj_t *codes;
    mp_obj_list_get(MP_STATE_VM(gpusnek_codes), &count, &codes);
    for (access->size = 0; access->size < count; access->size++) {
        if (codes[access->size] == mp_const_none) {
            codes[access->size] = function;
            return;
        }
    }
    mp_obj_list_append(MP_STATE_VM(gpusnek_codes), function);
}

// Return the storage of a slot's function, or NULL if the slot is empty.
static mp_obj_t *find_code(size_t slot) {
    size_t count;
    mp_obj_t *codes;
    if (MP_STATE_VM(gpusnek_codes) == MP_OBJ_NULL) {
        return NULL;
    }
    mp_obj_list_get(MP_STATE_VM(gpusnek_codes), &count, &codes);
    return slot < count && codes[slot] != mp_const_none ? &codes[slot] : NULL;
}

static void run_code(access_t *access) {
    mp_call_function_0(*find_code(access->size));
    mp_handle_pending(true);
}

// Run `act` in a protected call. Return a status; an exception's traceback is on stderr.
static int protect(void (*act)(access_t *access), access_t *access) {
    nlr_buf_t nlr;
    if (nlr_push(&nlr) == 0) {
        act(access);
        nlr_pop();
        return GPUSNEK_OK;
    }
    return gpusnek_report(nlr.ret_val, !access->compiling);
}

int gpusnek_store_int(const char *name, int64_t value) {
    access_t access = {.name = name, .integer = value};
    return protect(put_int, &access);
}

int gpusnek_store_float(const char *name, double value) {
    access_t access = {.name = name, .number = value};
    return protect(put_float, &access);
}

int gpusnek_store_str(const char *name, const char *text, size_t length) {
    access_t access = {.name = name, .memory = (void *)text, .size = length};
    return protect(put_str, &access);
}

int gpusnek_store_memory(const char *name, void *memory, size_t count, char typecode) {
    access_t access = {.name = name, .memory = memory, .size = count, .typecode = typecode};
    return protect(put_memory, &access);
}

int gpusnek_load_int(const char *name, int64_t *value) {
    access_t access = {.name = name};
    int status = protect(get_int, &access);
    if (status == GPUSNEK_OK) {
        *value = access.integer;
    }
    return status;
}

int gpusnek_load_float(const char *name, double *value) {
    access_t access = {.name = name};
    int status = protect(get_float, &access);
    if (status == GPUSNEK_OK) {
        *value = access.number;
    }
    return status;
}

int gpusnek_load_str(const char *name, char *text, size_t size, size_t *length) {
    access_t access = {.name = name, .memory = text, .size = size};
    int status = protect(get_str, &access);
    if (status == GPUSNEK_OK) {
        *length = access.length;
    }
    return status;
}

int gpusnek_compile_code(const char *source, size_t length, size_t *slot) {
    mp_globals_set(&MP_STATE_VM(dict_main));
    mp_locals_set(&MP_STATE_VM(dict_main));
    access_t access = {.name = source, .length = length, .compiling = true};
    int status = protect(compile_code, &access);
    *slot = access.size;
    return status;
}

int gpusnek_run_code(size_t slot) {
    if (find_code(slot) == NULL) {
        return GPUSNEK_NO_CODE;
    }
    mp_globals_set(&MP_STATE_VM(dict_main));
    mp_locals_set(&MP_STATE_VM(dict_main));
    access_t access = {.size = slot};
    return protect(run_code, &access);
}

int gpusnek_release_code(size_t slot) {
    mp_obj_t *code = find_code(slot);
    if (code == NULL) {
        return GPUSNEK_NO_CODE;
    }
    *code = mp_const_none;
    return GPUSNEK_OK;
}
