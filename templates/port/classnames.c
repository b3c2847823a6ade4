// Names of classes with their modules (classnames.h).
//
// The dict of a Python class has `__module__` and `__qualname__`, which its class statement stores.
// Native types have a table here.
#include "classnames.h"

#include "classes.h"

#include "py/objexcept.h"
#include "py/runtime.h"

#if GPUSNEK_PATCH_CLASSES

// Native types outside `builtins`, by name.
typedef struct {
    qstr_short_t name;
    qstr_short_t module;
} owner_t;

static const owner_t owners[] = {
    {MP_QSTR_deque, MP_QSTR_collections},
    {MP_QSTR_OrderedDict, MP_QSTR_collections},
    {MP_QSTR_array, MP_QSTR_array},
    {MP_QSTR_Pattern, MP_QSTR_re},
    {MP_QSTR_Match, MP_QSTR_re},
    {MP_QSTR_PatternError, MP_QSTR_re},
    {MP_QSTR_StringIO, MP_QSTR__io},
    {MP_QSTR_BytesIO, MP_QSTR__io},
    {MP_QSTR_TextIOWrapper, MP_QSTR__io},
    {MP_QSTR_FileIO, MP_QSTR__io},
    {MP_QSTR_IOBase, MP_QSTR__io},
};

// Returns a str from the dict of a Python class itself, or MP_OBJ_NULL.
static mp_obj_t own_text(const mp_obj_type_t *type, qstr name) {
    mp_obj_dict_t *const dict = MP_OBJ_TYPE_GET_SLOT_OR_NULL(type, locals_dict);
    if (!mp_obj_is_instance_type(type) || dict == NULL) {
        return MP_OBJ_NULL;
    }
    const mp_map_elem_t *const entry = mp_map_lookup(&dict->map, MP_OBJ_NEW_QSTR(name), MP_MAP_LOOKUP);
    return entry != NULL && mp_obj_is_str(entry->value) ? entry->value : MP_OBJ_NULL;
}

mp_obj_t gpusnek_class_module(const mp_obj_type_t *type) {
    const mp_obj_t own = own_text(type, MP_QSTR___module__);
    if (own != MP_OBJ_NULL) {
        return own;
    }
    if (!mp_obj_is_instance_type(type)) {
        if (MP_OBJ_TYPE_GET_SLOT_OR_NULL(type, parent) == (const void *)&mp_type_tuple) {
            return MP_OBJ_NEW_QSTR(MP_QSTR___main__); // a named tuple
        }
        for (size_t i = 0; i < MP_ARRAY_SIZE(owners); i++) {
            if (owners[i].name == type->name) {
                return MP_OBJ_NEW_QSTR(owners[i].module);
            }
        }
    }
    return MP_OBJ_NEW_QSTR(MP_QSTR_builtins);
}

void gpusnek_set_module(const mp_obj_type_t *type) {
    mp_map_t *const map = &((mp_obj_dict_t *)MP_OBJ_TYPE_GET_SLOT(type, locals_dict))->map;
    const mp_obj_t key = MP_OBJ_NEW_QSTR(MP_QSTR___module__);
    if (map->is_fixed || mp_map_lookup(map, key, MP_MAP_LOOKUP) != NULL) {
        return;
    }
    const mp_map_elem_t *const name
        = mp_map_lookup(&mp_globals_get()->map, MP_OBJ_NEW_QSTR(MP_QSTR___name__), MP_MAP_LOOKUP);
    if (name != NULL) {
        const mp_obj_t module = name->value;
        mp_map_lookup(map, key, MP_MAP_LOOKUP_ADD_IF_NOT_FOUND)->value = module;
    }
}

void gpusnek_print_class_name(const mp_print_t *print, const mp_obj_type_t *type, bool main) {
    const mp_obj_t module = gpusnek_class_module(type);
    if (module != MP_OBJ_NEW_QSTR(MP_QSTR_builtins) && (main || module != MP_OBJ_NEW_QSTR(MP_QSTR___main__))) {
        mp_printf(print, "%s.", mp_obj_str_get_str(module));
    }
    const mp_obj_t name = own_text(type, MP_QSTR___qualname__);
    if (name != MP_OBJ_NULL) {
        mp_print_str(print, mp_obj_str_get_str(name));
    } else {
        mp_printf(print, "%q", (qstr)type->name);
    }
}

void gpusnek_print_class(const mp_print_t *print, const mp_obj_type_t *type) {
    mp_print_str(print, "<class '");
    gpusnek_print_class_name(print, type, true);
    mp_print_str(print, "'>");
}

void gpusnek_print_object(const mp_print_t *print, mp_obj_t object) {
    mp_print_str(print, "<");
    gpusnek_print_class_name(print, mp_obj_get_type(object), true);
    mp_printf(print, " object at 0x%p>", MP_OBJ_TO_PTR(object));
}

// Drops a text up to its first '(' and writes the rest.
typedef struct {
    const mp_print_t *print;
    bool passed;
} rest_t;

static void print_rest(void *context, const char *text, size_t size) {
    rest_t *const rest = context;
    for (; size > 0 && !rest->passed; text++, size--) {
        if (*text == '(') {
            rest->passed = true;
            break;
        }
    }
    if (size > 0) {
        mp_print_strn(rest->print, text, size, 0, 0, 0);
    }
}

bool gpusnek_print_native_part(const mp_print_t *print, mp_obj_instance_t *self, mp_print_kind_t kind) {
    const mp_obj_t native = self->subobj[0];
    const mp_obj_type_t *const type = mp_obj_get_type(native);
    if (mp_obj_is_native_exception_instance(native)) {
        if (kind != PRINT_EXC) {
            return false;
        }
        gpusnek_print_class_name(print, self->base.type, false);
        mp_obj_print_helper(print, native, kind | PRINT_EXC_SUBCLASS);
        return true;
    }
    if (kind == PRINT_STR && (type == &mp_type_str || type == &mp_type_bytes)) {
        return false;
    }
    if (kind == PRINT_STR && type != &mp_type_bytearray) { // the types that have no `__str__`
        const mp_obj_t found = gpusnek_class_entry(self->base.type, MP_QSTR___repr__);
        if (found != MP_OBJ_NULL) {
            mp_obj_t method[2] = {MP_OBJ_NULL, MP_OBJ_NULL};
            mp_convert_member_lookup(MP_OBJ_FROM_PTR(self), self->base.type, found, method);
            mp_obj_print_helper(print, mp_call_method_n_kw(0, 0, method), PRINT_STR);
            return true;
        }
    }
    if (type == &mp_type_set && kind <= PRINT_REPR) {
        const bool empty = !mp_obj_is_true(native);
        mp_printf(print, empty ? "%q()" : "%q(", (qstr)self->base.type->name);
        if (!empty) {
            mp_obj_print_helper(print, native, PRINT_REPR);
            mp_print_str(print, ")");
        }
        return true;
    }
    if ((type == &mp_type_frozenset || type == &mp_type_bytearray || type == &mp_type_ordereddict
        || type->name == MP_QSTR_deque || type->name == MP_QSTR_array) && kind <= PRINT_REPR) {
        rest_t rest = {print, false};
        const mp_print_t inner = {&rest, print_rest};
        mp_printf(print, "%q", (qstr)self->base.type->name);
        mp_obj_print_helper(&inner, native, PRINT_REPR);
        return true;
    }
    return false;
}

#endif
