// Attributes of functions (functions.h). The patch `functions` calls this code from the slot `attr`
// of functions, generator functions and closures.
#include "functions.h"

#include "port.h"
#include "prelude.h"
#include "py/bc0.h"
#include "py/objfun.h"
#include "py/objtype.h"
#include "py/runtime.h"

// The attributes of one function.
typedef struct _attributes_t {
    mp_obj_t ordinary; // the dict that `__dict__` returns
    mp_obj_t special; // a dict of names such as `__name__`, which `__dict__` lacks; MP_OBJ_NULL: none
} attributes_t;

MP_REGISTER_ROOT_POINTER(mp_map_t *gpusnek_function_attributes);

// Return whether `__dict__` lacks the name.
static bool is_special(qstr name) {
    return name == MP_QSTR___name__ || name == MP_QSTR___qualname__ || name == MP_QSTR___doc__
        || name == MP_QSTR___module__ || name == MP_QSTR___annotations__;
}

static attributes_t *find(mp_obj_t function) {
    mp_map_t *const table = MP_STATE_VM(gpusnek_function_attributes);
    if (table == NULL) {
        return NULL;
    }
    const mp_map_elem_t *const found = mp_map_lookup(table, function, MP_MAP_LOOKUP);
    return found == NULL ? NULL : (attributes_t *)MP_OBJ_TO_PTR(found->value);
}

static attributes_t *find_or_make(mp_obj_t function) {
    attributes_t *made = find(function);
    if (made == NULL) {
        if (MP_STATE_VM(gpusnek_function_attributes) == NULL) {
            mp_map_t *const table = m_new_obj(mp_map_t);
            mp_map_init(table, 1);
            MP_STATE_VM(gpusnek_function_attributes) = table;
        }
        made = m_new_obj(attributes_t);
        made->ordinary = mp_obj_new_dict(0);
        made->special = MP_OBJ_NULL;
        mp_map_lookup(MP_STATE_VM(gpusnek_function_attributes), function,
            MP_MAP_LOOKUP_ADD_IF_NOT_FOUND)->value = MP_OBJ_FROM_PTR(made);
    }
    return made;
}

// Return the function with the bytecode of a function, closure, method of a class or property; or
// NULL.
static const mp_obj_fun_bc_t *method_function(mp_obj_t value) {
    if (!mp_obj_is_obj(value)) {
        return NULL;
    }
    const mp_obj_type_t *type = mp_obj_get_type(value);
    if (type == &mp_type_staticmethod || type == &mp_type_classmethod) {
        value = ((const mp_obj_static_class_method_t *)MP_OBJ_TO_PTR(value))->fun;
    } else if (type == &mp_type_property) {
        value = mp_obj_property_get(value)[0];
    }
    size_t count;
    return gpusnek_bytecode_function(value, &count);
}

// Return the dict of a class of Python, or NULL for other values.
static const mp_obj_dict_t *dict_of_class(mp_obj_t value) {
    if (!mp_obj_is_exact_type(value, &mp_type_type)) {
        return NULL;
    }
    const mp_obj_type_t *const type = MP_OBJ_TO_PTR(value);
    return mp_obj_is_instance_type(type) ? MP_OBJ_TYPE_GET_SLOT_OR_NULL(type, locals_dict) : NULL;
}

// Return whether a value of a map is the function.
static bool has_function(const mp_map_t *map, const mp_obj_fun_bc_t *function) {
    gpusnek_look_soon(map->alloc);
    for (size_t i = 0; i < map->alloc; i++) {
        if (mp_map_slot_is_filled(map, i)) {
            const mp_obj_fun_bc_t *const found = method_function(map->table[i].value);
            if (found != NULL && found->bytecode == function->bytecode) {
                return true;
            }
        }
    }
    return false;
}

#define NESTED (8) // classes of a class that are searched

// Return the class below the values of a map whose dict has the function, or MP_OBJ_NULL.
static mp_obj_t class_with(const mp_map_t *map, const mp_obj_fun_bc_t *function) {
    mp_obj_t inner[NESTED];
    size_t count = 0, i = 0;
    while (i < map->alloc || count > 0) {
        const bool nested = count > 0;
        const mp_obj_t value = nested ? inner[--count]
            : mp_map_slot_is_filled(map, i) ? map->table[i].value : MP_OBJ_NULL;
        i += !nested;
        const mp_obj_dict_t *const dict = value == MP_OBJ_NULL ? NULL : dict_of_class(value);
        if (dict == NULL) {
            continue;
        }
        if (has_function(&dict->map, function)) {
            return value;
        }
        for (size_t j = 0; j < dict->map.alloc && !nested && count < NESTED; j++) {
            if (mp_map_slot_is_filled(&dict->map, j) && dict_of_class(dict->map.table[j].value) != NULL) {
                inner[count++] = dict->map.table[j].value;
            }
        }
    }
    return MP_OBJ_NULL;
}

qstr gpusnek_function_path(mp_obj_t function, qstr name) {
    const mp_obj_fun_bc_t *const self = method_function(function);
    if (self == NULL) {
        return MP_QSTRnull;
    }
    mp_map_t *const globals = &self->context->module.globals->map;
    const mp_map_elem_t *const named = mp_map_lookup(globals, MP_OBJ_NEW_QSTR(name), MP_MAP_LOOKUP);
    const mp_obj_fun_bc_t *const global = named == NULL ? NULL : method_function(named->value);
    if (global != NULL && global->bytecode == self->bytecode) {
        return name;
    }
    const mp_obj_t owner = class_with(globals, self);
    if (owner == MP_OBJ_NULL) {
        return MP_QSTRnull;
    }
    vstr_t text;
    mp_print_t print;
    vstr_init_print(&text, 32, &print);
    const mp_obj_t path = mp_load_attr(owner, MP_QSTR___qualname__);
    mp_obj_print_helper(&print, path, PRINT_STR);
    mp_printf(&print, ".%q", name);
    const qstr made = qstr_from_strn(text.buf, text.len);
    vstr_clear(&text);
    return made;
}

// Return the docstring of a function, which its first two instructions load and drop, or None.
static mp_obj_t docstring(mp_obj_t function) {
    size_t count;
    const mp_obj_fun_bc_t *const self = gpusnek_bytecode_function(function, &count);
    if (self == NULL) {
        return mp_const_none;
    }
    const byte *ip = gpusnek_prelude(self).first;
    const byte opcode = *ip++;
    if (opcode != MP_BC_LOAD_CONST_STRING && opcode != MP_BC_LOAD_CONST_OBJ) {
        return mp_const_none;
    }
    const size_t index = mp_decode_uint(&ip);
    if (*ip != MP_BC_POP_TOP) {
        return mp_const_none;
    }
    const mp_module_constants_t *const constants = &self->context->constants;
    return opcode == MP_BC_LOAD_CONST_STRING ? MP_OBJ_NEW_QSTR(constants->qstr_table[index])
           : constants->obj_table[index];
}

// Return `__defaults__`, `__kwdefaults__`, or for `_parameters` the names of the positional parameters,
// those of the keyword-only ones, whether there are `*args` and `**kwargs`, and whether it is a
// generator. The module inspect reads the latter. A positional-only parameter has a slash before its name. The bytecode does not
// have the names of `*args` and `**kwargs`.
static mp_obj_t parameters(mp_obj_t function, qstr attribute) {
    size_t count;
    const mp_obj_fun_bc_t *const self = gpusnek_bytecode_function(function, &count);
    if (self == NULL) {
        return MP_OBJ_NULL;
    }
    const gpusnek_prelude_t prelude = gpusnek_prelude(self);
    if (attribute == MP_QSTR___defaults__) {
        return prelude.defaults == 0 ? mp_const_none
               : mp_obj_new_tuple(prelude.defaults, self->extra_args);
    }
    if (attribute == MP_QSTR___kwdefaults__) {
        return (prelude.flags & MP_SCOPE_FLAG_DEFKWARGS) == 0 ? mp_const_none
               : mp_obj_dict_copy(self->extra_args[prelude.defaults]);
    }
    mp_obj_t lists[5] = {mp_obj_new_list(0, NULL), mp_obj_new_list(0, NULL),
                         mp_obj_new_bool((prelude.flags & MP_SCOPE_FLAG_VARARGS) != 0),
                         mp_obj_new_bool((prelude.flags & MP_SCOPE_FLAG_VARKEYWORDS) != 0),
                         mp_obj_new_bool((prelude.flags & MP_SCOPE_FLAG_GENERATOR) != 0)};
    for (size_t i = count; i < prelude.positional + prelude.keyword_only; i++) {
        mp_obj_list_append(lists[i >= prelude.positional],
            MP_OBJ_NEW_QSTR(gpusnek_parameter(&prelude, i)));
    }
    return mp_obj_new_tuple(5, lists);
}

static bool load(mp_obj_t function, qstr attribute, mp_obj_t *dest) {
    if (attribute == MP_QSTR___dict__) {
        dest[0] = find_or_make(function)->ordinary;
        return true;
    }
    const attributes_t *const found = find(function);
    const mp_obj_t names = found == NULL ? MP_OBJ_NULL
        : is_special(attribute) ? found->special : found->ordinary;
    const mp_map_elem_t *const value = names == MP_OBJ_NULL ? NULL
        : mp_map_lookup(mp_obj_dict_get_map(names), MP_OBJ_NEW_QSTR(attribute), MP_MAP_LOOKUP);
    if (value != NULL) {
        dest[0] = value->value;
    } else if (attribute == MP_QSTR___doc__) {
        dest[0] = docstring(function);
    } else if (attribute == MP_QSTR___defaults__ || attribute == MP_QSTR___kwdefaults__
        || attribute == MP_QSTR__parameters) {
        dest[0] = parameters(function, attribute);
        return dest[0] != MP_OBJ_NULL;
    } else if (attribute == MP_QSTR___module__ && method_function(function) != NULL) {
        const mp_obj_dict_t *const globals = method_function(function)->context->module.globals;
        const mp_map_elem_t *const name = mp_map_lookup((mp_map_t *)&globals->map,
            MP_OBJ_NEW_QSTR(MP_QSTR___name__), MP_MAP_LOOKUP);
        dest[0] = name == NULL ? mp_const_none : name->value;
    } else if (attribute == MP_QSTR___qualname__ && method_function(function) != NULL) {
        const qstr path = gpusnek_function_path(function, gpusnek_prelude(method_function(function)).name);
        if (path == MP_QSTRnull) {
            return false;
        }
        dest[0] = MP_OBJ_NEW_QSTR(path);
    } else {
        return false;
    }
    return true;
}

static void store(mp_obj_t function, qstr attribute, mp_obj_t value) {
    attributes_t *const found = find_or_make(function);
    if (attribute == MP_QSTR___dict__) {
        if (!mp_obj_is_type(value, &mp_type_dict)) {
            mp_raise_msg_varg(&mp_type_TypeError,
                MP_ERROR_TEXT("__dict__ must be set to a dictionary, not a '%s'"),
                mp_obj_get_type_str(value));
        }
        found->ordinary = value;
        return;
    }
    if (is_special(attribute)) {
        if (found->special == MP_OBJ_NULL) {
            found->special = mp_obj_new_dict(1);
        }
        mp_obj_dict_store(found->special, MP_OBJ_NEW_QSTR(attribute), value);
        return;
    }
    mp_obj_dict_store(found->ordinary, MP_OBJ_NEW_QSTR(attribute), value);
}

bool gpusnek_function_attribute(mp_obj_t function, qstr attribute, mp_obj_t *dest) {
    if (dest[0] == MP_OBJ_NULL) {
        return load(function, attribute, dest);
    }
    const bool text = attribute == MP_QSTR___name__ || attribute == MP_QSTR___qualname__;
    if (attribute == MP_QSTR___code__ || attribute == MP_QSTR___globals__
        || attribute == MP_QSTR___defaults__ || attribute == MP_QSTR___kwdefaults__
        || (text && (dest[1] == MP_OBJ_NULL || !mp_obj_is_str(dest[1])))) {
        return false; // AttributeError, as in upstream's tests
    }
    if (dest[1] != MP_OBJ_NULL) {
        store(function, attribute, dest[1]);
    } else {
        const attributes_t *const found = find(function);
        const mp_obj_t names = found == NULL ? MP_OBJ_NULL
            : is_special(attribute) ? found->special : found->ordinary;
        if (names == MP_OBJ_NULL || mp_map_lookup(mp_obj_dict_get_map(names),
            MP_OBJ_NEW_QSTR(attribute), MP_MAP_LOOKUP_REMOVE_IF_FOUND) == NULL) {
            return false;
        }
    }
    dest[0] = MP_OBJ_NULL; // done
    return true;
}
