// `from module import *` of a module with `__all__`. The module may make `__all__` and the names in it
// by its `__getattr__`, as the frozen modules do. `from module import name` of a name that it lacks is
// an ImportError. The patch import-all calls these functions.
#include "importall.h"

#include <string.h>

#include "messages.h"
#include "missing.h"
#include "py/objfun.h"
#include "py/objmodule.h"
#include "py/runtime.h"
#include "raised.h"

bool gpusnek_import_all(mp_obj_t module) {
    mp_obj_t dest[2];
    mp_load_method_protected(module, MP_QSTR___all__, dest, false);
    if (dest[0] == MP_OBJ_NULL) {
        return false;
    }
    const mp_obj_t names = dest[0];
    size_t length;
    mp_obj_t *items;
    mp_obj_get_array(names, &length, &items);
    for (size_t i = 0; i < length; i++) {
        const qstr name = mp_obj_str_get_qstr(items[i]);
        mp_load_method(module, name, dest); // may run the module's code, which may change the list
        mp_store_name(name, dest[0]);
        mp_obj_get_array(names, &length, &items);
    }
    return true;
}

// Return whether a function is a part of the build: its code is outside of the heap. The code of
// __main__ can be outside too.
static bool is_frozen(mp_obj_t function) {
    if (!mp_obj_is_type(function, &mp_type_fun_bc)) {
        return false;
    }
    const mp_obj_fun_bc_t *const code = MP_OBJ_TO_PTR(function);
    return code->context->module.globals != &MP_STATE_VM(dict_main)
        && ((uintptr_t)code->bytecode < (uintptr_t)MP_STATE_MEM(area).gc_pool_start
            || (uintptr_t)code->bytecode >= (uintptr_t)MP_STATE_MEM(area).gc_pool_end);
}

static bool is_of(void *raised, const mp_obj_type_t *type) {
    return mp_obj_is_subclass_fast(MP_OBJ_FROM_PTR(((mp_obj_base_t *)raised)->type),
        MP_OBJ_FROM_PTR(type));
}

mp_obj_t gpusnek_module_getattr(mp_obj_t function, mp_obj_t name) {
    if (!is_frozen(function)) {
        return mp_call_function_1(function, name);
    }
    nlr_buf_t nlr;
    if (nlr_push(&nlr) == 0) {
        const mp_obj_t value = mp_call_function_1(function, name);
        nlr_pop();
        return value;
    }
    if (!is_of(nlr.ret_val, &mp_type_AttributeError)) {
        nlr_jump(nlr.ret_val);
    }
    return MP_OBJ_NULL;
}

void gpusnek_load_to_import(mp_obj_t module, qstr name, mp_obj_t *dest) {
    mp_load_method_protected(module, name, dest, false);
}

// Raise the ImportError of `from package import name`, if the package of a dotted name is loaded.
static void raise_no_name(qstr dotted) {
    const char *const text = qstr_str(dotted);
    const char *const dot = strrchr(text, '.');
    if (dot == NULL) {
        return;
    }
    const mp_map_elem_t *const package = mp_map_lookup(&MP_STATE_VM(mp_loaded_modules_dict).map,
        MP_OBJ_NEW_QSTR(qstr_from_strn(text, (size_t)(dot - text))), MP_MAP_LOOKUP);
    if (package == NULL) {
        return;
    }
    const qstr name = qstr_from_str(dot + 1);
    #if GPUSNEK_PATCH_MISSING
    gpusnek_missing_attribute(package->value, name);
    #endif
    #if GPUSNEK_PATCH_MESSAGES
    gpusnek_raise_no_name(package->value, name);
    #else
    mp_raise_msg_varg(&mp_type_ImportError, MP_ERROR_TEXT("can't import name %q"), name);
    #endif
}

// Return whether an exception says that there is no module of this name.
static bool lacks_module(void *raised, qstr dotted) {
    #if GPUSNEK_PATCH_MESSAGES
    if (!is_of(raised, &gpusnek_type_ModuleNotFoundError)) {
        return false;
    }
    mp_obj_t name[2] = {MP_OBJ_NULL, MP_OBJ_NULL};
    mp_load_method_protected(MP_OBJ_FROM_PTR(raised), MP_QSTR_name, name, false);
    return name[0] == MP_OBJ_NEW_QSTR(dotted);
    #else
    return false;
    #endif
}

mp_obj_t gpusnek_import_submodule(qstr dotted, mp_obj_t fromlist, mp_obj_t level) {
    nlr_buf_t nlr;
    if (nlr_push(&nlr) == 0) {
        const mp_obj_t module = mp_import_name(dotted, fromlist, level);
        nlr_pop();
        return module;
    }
    if (lacks_module(nlr.ret_val, dotted)) {
        raise_no_name(dotted);
    }
    nlr_jump(nlr.ret_val);
}
