// Classes: keyword arguments of class statements, __init_subclass__, and the
// operations on types that annotations use.
#include "types.h"

#include <string.h>

#include "py/builtin.h"
#include "py/objtuple.h"
#include "py/objtype.h"
#include "py/runtime.h"

static bool is_generic(const void *type) {
    return type == &mp_type_list || type == &mp_type_dict || type == &mp_type_tuple
        || type == &mp_type_set || type == &mp_type_frozenset || type == &mp_type_type;
}

mp_obj_t gpusnek_type_subscript(mp_obj_t type, mp_obj_t index) {
    if (is_generic(MP_OBJ_TO_PTR(type))) {
        return type;
    }
    mp_obj_t method[3] = {MP_OBJ_NULL, MP_OBJ_NULL, index};
    mp_load_method_maybe(type, MP_QSTR___class_getitem__, method);
    if (method[0] == MP_OBJ_NULL) {
        return MP_OBJ_NULL;
    }
    if (method[1] == MP_OBJ_NULL) { // implicitly a class method
        method[1] = type;
    }
    return mp_call_method_n_kw(1, 0, method);
}

// Appends the types of one side of a union. Returns the number of types, or 0 if it has others.
static size_t types_of(mp_obj_t side, mp_obj_t *items, size_t count, size_t most) {
    size_t length = 1;
    mp_obj_t *parts = &side;
    if (side == mp_const_none) {
        side = MP_OBJ_FROM_PTR(mp_obj_get_type(mp_const_none));
    } else if (mp_obj_is_exact_type(side, &mp_type_tuple)) {
        mp_obj_tuple_get(side, &length, &parts);
    }
    for (size_t i = 0; i < length; i++) {
        if (!mp_obj_is_type(parts[i], &mp_type_type) || count == most) {
            return 0;
        }
        items[count++] = parts[i];
    }
    return count;
}

#define MOST_TYPES (16) // of a union

mp_obj_t gpusnek_type_union(mp_obj_t left, mp_obj_t right) {
    if (!mp_obj_is_type(left, &mp_type_type) && !mp_obj_is_type(right, &mp_type_type)
        && !(mp_obj_is_exact_type(left, &mp_type_tuple) && right == mp_const_none)) {
        return MP_OBJ_NULL;
    }
    mp_obj_t items[MOST_TYPES];
    const size_t before = types_of(left, items, 0, MOST_TYPES);
    if (before == 0) {
        return MP_OBJ_NULL;
    }
    const size_t count = types_of(right, items, before, MOST_TYPES);
    return count == 0 ? MP_OBJ_NULL : mp_obj_new_tuple(count, items);
}

static MP_DEFINE_CONST_OBJ_TYPE(keywords_type, MP_QSTR_object, MP_TYPE_FLAG_NONE);

mp_obj_t gpusnek_build_class(size_t n_args, size_t n_kw, const mp_obj_t *args) {
    mp_arg_check_num(n_args, 0, 2, MP_OBJ_FUN_ARGS_MAX, false);
    mp_obj_t *const copy = m_new(mp_obj_t, n_args + n_kw + 1);
    memcpy(copy, args, n_args * sizeof(mp_obj_t));
    gpusnek_class_keywords_t *const keywords =
        mp_obj_malloc_var(gpusnek_class_keywords_t, pairs, mp_obj_t, 2 * n_kw, &keywords_type);
    keywords->count = 0;
    size_t count = n_args;
    for (size_t i = 0; i < n_kw; i++) {
        const mp_obj_t name = args[n_args + 2 * i], value = args[n_args + 2 * i + 1];
        if (name != MP_OBJ_NEW_QSTR(MP_QSTR_metaclass)) {
            keywords->pairs[2 * keywords->count] = name;
            keywords->pairs[2 * keywords->count++ + 1] = value;
            continue;
        }
        // A metaclass can only name a base class that has its effect, as abc.ABCMeta does.
        mp_obj_t base[2] = {MP_OBJ_NULL, MP_OBJ_NULL};
        if (value != MP_OBJ_FROM_PTR(&mp_type_type)) {
            mp_load_method_maybe(value, MP_QSTR__base_class, base);
            if (base[0] == MP_OBJ_NULL) {
                mp_raise_NotImplementedError(MP_ERROR_TEXT("metaclass"));
            }
            copy[count++] = base[0];
        }
    }
    copy[count++] = MP_OBJ_FROM_PTR(keywords);
    return mp_call_function_n_kw(MP_OBJ_FROM_PTR(&mp_builtin___build_class___obj), count, 0, copy);
}

const gpusnek_class_keywords_t *gpusnek_take_keywords(size_t *n_args, const mp_obj_t *args) {
    if (!mp_obj_is_type(args[*n_args - 1], &keywords_type)) {
        return NULL;
    }
    --*n_args;
    return MP_OBJ_TO_PTR(args[*n_args]);
}

void gpusnek_class_created(mp_obj_t class_, const gpusnek_class_keywords_t *keywords) {
    const size_t given = keywords == NULL ? 0 : keywords->count;
    if (!mp_obj_is_type(class_, &mp_type_type)) {
        return;
    }
    const mp_obj_type_t *const type = MP_OBJ_TO_PTR(class_);
    const void *parent = MP_OBJ_TYPE_GET_SLOT_OR_NULL(type, parent);
    size_t count = parent != NULL;
    mp_obj_t single = MP_OBJ_FROM_PTR(parent), *bases = &single;
    if (count > 0 && mp_obj_is_type(single, &mp_type_tuple)) {
        mp_obj_tuple_get(single, &count, &bases);
    }
    for (size_t i = 0; i < count; i++) {
        const mp_obj_type_t *const base = MP_OBJ_TO_PTR(bases[i]);
        mp_obj_t method[2] = {MP_OBJ_NULL, MP_OBJ_NULL};
        if (mp_obj_is_instance_type(base)) {
            mp_load_method_maybe(bases[i], MP_QSTR___init_subclass__, method);
        }
        if (method[0] != MP_OBJ_NULL) { // implicitly a class method, of the new class
            mp_obj_t *const args = m_new(mp_obj_t, 1 + 2 * given);
            args[0] = class_;
            if (given > 0) {
                memcpy(args + 1, keywords->pairs, 2 * given * sizeof(mp_obj_t));
            }
            mp_call_function_n_kw(method[0], 1, given, args);
            return;
        }
    }
    if (given > 0) {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("%q.__init_subclass__() takes no keyword arguments"), type->name);
    }
}

static mp_obj_t object_init_subclass(size_t n_args, const mp_obj_t *args) {
    (void)n_args;
    (void)args;
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(object_init_subclass_fun, 0, 1, object_init_subclass);
static MP_DEFINE_CONST_STATICMETHOD_OBJ(object_init_subclass_obj, MP_ROM_PTR(&object_init_subclass_fun));

static const mp_rom_map_elem_t object_table[] = {
    { MP_ROM_QSTR(MP_QSTR___init_subclass__), MP_ROM_PTR(&object_init_subclass_obj) },
};
MP_DEFINE_CONST_DICT(gpusnek_object_methods, object_table);
