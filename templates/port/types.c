// Classes: keyword arguments of class statements, __init_subclass__, and the
// operations on types that annotations use.
#include "types.h"

#include "marshal.h"
#include "metaclass.h"

#include <string.h>

#include "py/bc.h"
#include "py/builtin.h"
#include "py/objmodule.h"
#include "py/objtuple.h"
#include "py/objtype.h"
#include "py/runtime.h"

static bool is_generic(const void *type) {
    return type == &mp_type_list || type == &mp_type_dict || type == &mp_type_tuple
        || type == &mp_type_set || type == &mp_type_frozenset || type == &mp_type_type
        #if MICROPY_PY_COLLECTIONS_DEQUE
        || type == &mp_type_deque
        #endif
    ;
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

static gpusnek_class_keywords_t *keywords_for(size_t most) {
    gpusnek_class_keywords_t *const keywords =
        mp_obj_malloc_var(gpusnek_class_keywords_t, pairs, mp_obj_t, 2 * most, &keywords_type);
    keywords->metaclass = MP_OBJ_NULL;
    keywords->count = 0;
    return keywords;
}

const gpusnek_class_keywords_t *gpusnek_new_keywords(size_t count, const mp_obj_t *pairs) {
    if (count == 0) {
        return NULL;
    }
    gpusnek_class_keywords_t *const keywords = keywords_for(count);
    keywords->count = count;
    memcpy(keywords->pairs, pairs, 2 * count * sizeof(mp_obj_t));
    return keywords;
}

// Returns the base class that stands for a metaclass, such as abc.ABC for abc.ABCMeta, or MP_OBJ_NULL.
static mp_obj_t base_of_metaclass(mp_obj_t metaclass) {
    mp_obj_t base[2] = {MP_OBJ_NULL, MP_OBJ_NULL};
    mp_load_method_maybe(metaclass, MP_QSTR__base_class, base);
    return base[0];
}

// Returns whether a metaclass is only a name for its base class.
static bool is_only_base(mp_obj_t metaclass) {
    if (!mp_obj_is_exact_type(metaclass, &mp_type_type)) {
        return false;
    }
    mp_obj_dict_t *const dict = MP_OBJ_TYPE_GET_SLOT_OR_NULL((const mp_obj_type_t *)MP_OBJ_TO_PTR(metaclass), locals_dict);
    return dict != NULL
           && mp_map_lookup(&dict->map, MP_OBJ_NEW_QSTR(MP_QSTR__base_class), MP_MAP_LOOKUP) != NULL;
}

mp_obj_t gpusnek_build_class(size_t n_args, size_t n_kw, const mp_obj_t *args) {
    mp_arg_check_num(n_args, 0, 2, MP_OBJ_FUN_ARGS_MAX, false);
    mp_obj_t *const copy = m_new(mp_obj_t, n_args + n_kw + 1);
    memcpy(copy, args, n_args * sizeof(mp_obj_t));
    gpusnek_class_keywords_t *const keywords = keywords_for(n_kw);
    size_t count = n_args;
    for (size_t i = 0; i < n_kw; i++) {
        const mp_obj_t name = args[n_args + 2 * i], value = args[n_args + 2 * i + 1];
        if (name != MP_OBJ_NEW_QSTR(MP_QSTR_metaclass)) {
            keywords->pairs[2 * keywords->count] = name;
            keywords->pairs[2 * keywords->count++ + 1] = value;
            continue;
        }
        const mp_obj_t base = base_of_metaclass(value);
        if (base != MP_OBJ_NULL && keywords->metaclass == MP_OBJ_NULL && count == n_args) {
            copy[count++] = base;
        }
        if (!is_only_base(value) && value != MP_OBJ_FROM_PTR(&mp_type_type)) {
            keywords->metaclass = value;
        }
    }
    copy[count++] = MP_OBJ_FROM_PTR(keywords);
    return mp_call_function_n_kw(MP_OBJ_FROM_PTR(&mp_builtin___build_class___obj), count, 0, copy);
}

mp_obj_t gpusnek_class_maker(const gpusnek_class_keywords_t *keywords, size_t count, const mp_obj_t *bases) {
    const mp_obj_t given = keywords == NULL ? MP_OBJ_NULL : keywords->metaclass;
    if (given != MP_OBJ_NULL && !gpusnek_is_metaclass(given)) {
        return given; // any function
    }
    for (size_t i = 0; i < count; i++) {
        const mp_obj_type_t *const type = mp_obj_get_type(bases[i]);
        if (mp_obj_is_instance_type(type)) {
            return MP_OBJ_FROM_PTR(type);
        }
    }
    const mp_obj_type_t *const first = given == MP_OBJ_NULL ? &mp_type_type : MP_OBJ_TO_PTR(given);
    #if GPUSNEK_PATCH_CLASSES
    return MP_OBJ_FROM_PTR(gpusnek_derived_metaclass(first, count, bases));
    #else
    return MP_OBJ_FROM_PTR(first);
    #endif
}

mp_obj_t gpusnek_class_from(mp_obj_t maker, const gpusnek_class_keywords_t *keywords, const mp_obj_t *args) {
    const bool is_type = maker == MP_OBJ_FROM_PTR(&mp_type_type);
    if (is_type || keywords == NULL) {
        const mp_obj_t class_ = mp_call_function_n_kw(maker, 3, 0, args);
        if (is_type) {
            gpusnek_class_created(class_, keywords);
        }
        return class_;
    }
    mp_obj_t *const all = m_new(mp_obj_t, 3 + 2 * keywords->count);
    memcpy(all, args, 3 * sizeof(mp_obj_t));
    if (keywords->count > 0) {
        memcpy(all + 3, keywords->pairs, 2 * keywords->count * sizeof(mp_obj_t));
    }
    return mp_call_function_n_kw(maker, 3, keywords->count, all);
}

mp_obj_t gpusnek_begin_namespace(const gpusnek_class_keywords_t *keywords, size_t n_args, const mp_obj_t *args,
    mp_obj_t *maker_, mp_obj_t *namespace_) {
    const size_t count = n_args - 2;
    *namespace_ = MP_OBJ_NULL;
    const mp_obj_t maker = *maker_ = gpusnek_class_maker(keywords, count, args + 2);
    mp_obj_t method[2] = {MP_OBJ_NULL, MP_OBJ_NULL};
    if (maker != MP_OBJ_FROM_PTR(&mp_type_type)) {
        mp_load_method_maybe(maker, MP_QSTR___prepare__, method);
    }
    if (method[0] == MP_OBJ_NULL) {
        return mp_obj_new_dict(0);
    }
    const size_t n_kw = keywords == NULL ? 0 : keywords->count;
    mp_obj_t *const call = m_new(mp_obj_t, 4 + 2 * n_kw);
    call[0] = method[0];
    call[1] = method[1];
    call[2] = args[1];
    call[3] = mp_obj_new_tuple(count, args + 2);
    if (n_kw > 0) {
        memcpy(call + 4, keywords->pairs, 2 * n_kw * sizeof(mp_obj_t));
    }
    const mp_obj_t given = mp_call_method_n_kw(2, n_kw, call);
    if (mp_obj_is_dict_or_ordereddict(given)) {
        return given;
    }
    const mp_obj_t native = gpusnek_native_part(given);
    if (!mp_obj_is_dict_or_ordereddict(native)) {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("%q.__prepare__() must return a mapping, not %s"),
            gpusnek_is_metaclass(maker) ? (qstr)((const mp_obj_type_t *)MP_OBJ_TO_PTR(maker))->name : MP_QSTR_metaclass,
            mp_obj_get_type_str(given));
    }
    *namespace_ = given;
    return mp_obj_dict_copy(native);
}

mp_obj_t gpusnek_end_namespace(mp_obj_t namespace_, mp_obj_t locals) {
    const mp_obj_t before = gpusnek_native_part(namespace_);
    const mp_map_t *const map = mp_obj_dict_get_map(locals);
    for (size_t i = 0; i < map->alloc; i++) {
        if (!mp_map_slot_is_filled(map, i)) {
            continue;
        }
        const mp_obj_t key = map->table[i].key, value = map->table[i].value;
        const mp_map_elem_t *const old = mp_map_lookup(mp_obj_dict_get_map(before), key, MP_MAP_LOOKUP);
        if (old == NULL || old->value != value) {
            mp_obj_subscr(namespace_, key, value);
        }
    }
    return namespace_;
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

// Return a module that is in no table of loaded modules.
static mp_obj_t new_module(mp_obj_t name, mp_obj_t doc) {
    if (!mp_obj_is_str(name)) {
        mp_raise_msg_varg(&mp_type_TypeError,
            MP_ERROR_TEXT("module() argument 'name' must be str, not %s"), mp_obj_get_type_str(name));
    }
    mp_module_context_t *const module = m_new0(mp_module_context_t, 1);
    module->module.base.type = &mp_type_module;
    const mp_obj_t globals = mp_obj_new_dict(MICROPY_MODULE_DICT_SIZE);
    module->module.globals = MP_OBJ_TO_PTR(globals);
    mp_obj_dict_store(globals, MP_OBJ_NEW_QSTR(MP_QSTR___name__), name);
    mp_obj_dict_store(globals, MP_OBJ_NEW_QSTR(MP_QSTR___doc__), doc);
    return MP_OBJ_FROM_PTR(module);
}

mp_obj_t gpusnek_new_instance(const mp_obj_type_t *type, size_t n_args, const mp_obj_t *args) {
    if (type == &mp_type_bound_meth) {
        if (n_args != 2) {
            mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("method expected 2 arguments, got %d"),
                (int)n_args);
        }
        if (!mp_obj_is_callable(args[0])) {
            mp_raise_TypeError(MP_ERROR_TEXT("first argument must be callable"));
        }
        if (args[1] == mp_const_none) {
            mp_raise_TypeError(MP_ERROR_TEXT("instance must not be None"));
        }
        return mp_obj_new_bound_meth(args[0], args[1]);
    }
    if (type == &mp_type_module && n_args >= 1 && n_args <= 2) {
        return new_module(args[0], n_args > 1 ? args[1] : mp_const_none);
    }
    if (type == &mp_type_NoneType && n_args == 0) {
        return mp_const_none;
    }
    return MP_OBJ_NULL;
}
