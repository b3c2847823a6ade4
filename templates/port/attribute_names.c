// `dir` of instances and classes (attribute_names.h).
//
// Upstream loads each string of the interpreter as an attribute, which calls properties and
// `__getattr__` of a Python class. Here the names are the keys of the instance, its class and the
// class's bases.
#include "attribute_names.h"

#include "classes.h"
#include "port.h"

#include "py/builtin.h"
#include "py/cstack.h"
#include "py/objtype.h"
#include "py/runtime.h"

#if GPUSNEK_PATCH_CLASSES

// Attributes that no dict contains, of instances and classes, and of classes only.
static const qstr of_both[] = { MP_QSTR___class__, MP_QSTR___dict__, MP_QSTR___doc__, MP_QSTR___module__ };
static const qstr of_classes[] = {
    MP_QSTR___eq__, MP_QSTR___getattribute__, MP_QSTR___hash__, MP_QSTR___init__, MP_QSTR___ne__,
    MP_QSTR___new__, MP_QSTR___repr__, MP_QSTR___str__,
};

static void add_keys(mp_obj_t names, const mp_map_t *map) {
    for (size_t i = 0; i < map->alloc; i++) {
        if (mp_map_slot_is_filled(map, i) && mp_obj_is_str(map->table[i].key)) {
            mp_obj_dict_store(names, map->table[i].key, mp_const_none);
        }
    }
}

static void add_type(mp_obj_t names, const mp_obj_type_t *type) {
    mp_cstack_check();
    if (MP_OBJ_TYPE_HAS_SLOT(type, locals_dict)) {
        add_keys(names, &MP_OBJ_TYPE_GET_SLOT(type, locals_dict)->map);
    }
    const void *const parent = MP_OBJ_TYPE_GET_SLOT_OR_NULL(type, parent);
    if (parent == NULL || parent == &mp_type_object) {
        return;
    }
    if (((const mp_obj_base_t *)parent)->type != &mp_type_tuple) {
        add_type(names, parent);
        return;
    }
    const mp_obj_tuple_t *const bases = parent;
    for (size_t i = 0; i < bases->len; i++) {
        add_type(names, MP_OBJ_TO_PTR(bases->items[i]));
    }
}

static bool is_python_class(mp_obj_t object) {
    return mp_obj_is_type(object, &mp_type_type)
        && mp_obj_is_instance_type((const mp_obj_type_t *)MP_OBJ_TO_PTR(object));
}

static mp_obj_t sorted(mp_obj_t names) {
    return mp_call_function_1(MP_OBJ_FROM_PTR(&mp_builtin_sorted_obj), names);
}

mp_obj_t gpusnek_names_of(mp_obj_t object) {
    const mp_obj_t names = mp_obj_new_dict(0);
    const bool is_class = is_python_class(object);
    if (!is_class && mp_obj_is_instance_type(mp_obj_get_type(object))) {
        add_keys(names, &((const mp_obj_instance_t *)MP_OBJ_TO_PTR(object))->members);
    }
    add_type(names, is_class ? MP_OBJ_TO_PTR(object) : mp_obj_get_type(object));
    for (size_t i = 0; i < MP_ARRAY_SIZE(of_both); i++) {
        mp_obj_dict_store(names, MP_OBJ_NEW_QSTR(of_both[i]), mp_const_none);
    }
    for (size_t i = 0; i < MP_ARRAY_SIZE(of_classes) && is_class; i++) {
        mp_obj_dict_store(names, MP_OBJ_NEW_QSTR(of_classes[i]), mp_const_none);
    }
    return sorted(names);
}

// Returns the names of an object of a native type: all strings that are attributes of it.
static mp_obj_t loadable_names(mp_obj_t object) {
    const mp_obj_t names = mp_obj_new_list(0, NULL);
    const size_t count = QSTR_TOTAL();
    for (size_t i = MP_QSTR_ + 1; i < count; i++) {
        mp_obj_t found[2];
        mp_load_method_protected(object, i, found, false);
        if (found[0] != MP_OBJ_NULL && i != MP_QSTR__as_tuple && i != MP_QSTR__as_display) {
            mp_obj_list_append(names, MP_OBJ_NEW_QSTR(i));
        }
    }
    return names;
}

mp_obj_t gpusnek_dir(size_t n_args, const mp_obj_t *args) {
    if (n_args == 0) {
        const mp_obj_t names = mp_obj_new_dict(0);
        add_keys(names, &mp_locals_get()->map);
        return sorted(names);
    }
    const mp_obj_type_t *const type = mp_obj_get_type(args[0]);
    if (is_python_class(args[0])) {
        return gpusnek_names_of(args[0]);
    }
    if (!mp_obj_is_instance_type(type)) {
        return sorted(loadable_names(args[0]));
    }
    if (gpusnek_class_entry(type, MP_QSTR___dir__) == MP_OBJ_NULL) {
        return gpusnek_names_of(args[0]);
    }
    mp_obj_t method[2];
    mp_load_method(args[0], MP_QSTR___dir__, method);
    return sorted(mp_call_method_n_kw(0, 0, method));
}

#endif
