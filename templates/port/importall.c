// `from module import *` of a module with `__all__`. The module may make `__all__` and the names in it
// by its `__getattr__`, as the frozen modules do. The patch import-all calls this function.
#include "importall.h"
#include "py/runtime.h"

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
