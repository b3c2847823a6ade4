// Metaclasses.
//
// Problem: upstream's C code tests whether an object is a class by comparing its type with `type`.
// So the type of a class cannot be a metaclass.
//
// Mechanism: each class is an object of `type` for C code. A class that has a metaclass refers to it in
// a slot of its own. type(), isinstance() and `__class__` show the metaclass.
//
// Invariants:
// M1: An object whose flags have METACLASS derives from `type`. It has no instances in C: a call of it
// makes a class or what its `__new__` returns. object.__new__() rejects it.
// M2: Only types made by mp_obj_new_type() have HAS_METACLASS, and their last slot refers to an object
// of M1.
// M3: RAW_STORE is set only between type.__setattr__() or type.__delattr__() and the store.
#include "metaclasses.h"

#include <string.h>

#include "classes.h"
#include "classnames.h"
#include "instances.h"
#include "marshal.h"
#include "port.h"
#include "types.h"

#include "py/builtin.h"
#include "py/cstack.h"
#include "py/objtype.h"
#include "py/runtime.h"

#if GPUSNEK_PATCH_CLASSES

static void set_metaclass(mp_obj_type_t *type, const mp_obj_type_t *meta) {
    if (meta != &mp_type_type) {
        type->slots[GPUSNEK_CLASS_SLOTS - 1] = meta;
        type->flags |= GPUSNEK_TYPE_FLAG_HAS_METACLASS;
    }
}

// Returns what the classes of a metaclass's MRO have for a name, without `type`; or MP_OBJ_NULL.
static mp_obj_t find(const mp_obj_type_t *meta, qstr name) {
    gpusnek_mro_t mro = {NULL, 0};
    for (; meta != NULL; meta = gpusnek_next_class(&mro, meta)) {
        mp_obj_dict_t *const dict = MP_OBJ_TYPE_GET_SLOT_OR_NULL(meta, locals_dict);
        if (!mp_obj_is_instance_type(meta) || dict == NULL) {
            continue;
        }
        const mp_map_elem_t *const entry = mp_map_lookup(&dict->map, MP_OBJ_NEW_QSTR(name), MP_MAP_LOOKUP);
        if (entry != NULL) {
            return entry->value;
        }
    }
    return MP_OBJ_NULL;
}

// Binds a value that find() returned to a class, as an attribute of an instance.
static void bind(mp_obj_t value, mp_obj_t self, mp_obj_t *dest) {
    const mp_obj_type_t *const meta = gpusnek_class_of(self);
    dest[0] = dest[1] = MP_OBJ_NULL;
    if (mp_obj_is_exact_type(value, &mp_type_property)) {
        const mp_obj_t getter = mp_obj_property_get(value)[0];
        if (getter == mp_const_none) {
            mp_raise_msg(&mp_type_AttributeError, MP_ERROR_TEXT("unreadable attribute"));
        }
        dest[0] = mp_call_function_1(getter, self);
    } else if (mp_obj_is_exact_type(value, &mp_type_classmethod)) {
        dest[0] = ((const mp_obj_static_class_method_t *)MP_OBJ_TO_PTR(value))->fun;
        dest[1] = MP_OBJ_FROM_PTR(meta);
    } else {
        mp_convert_member_lookup(self, meta, value, dest);
    }
}

// Calls a method that find() returned.
static mp_obj_t call_found(mp_obj_t value, mp_obj_t self, size_t n_args, size_t n_kw, const mp_obj_t *args) {
    mp_cstack_check();
    mp_obj_t *const method = m_new(mp_obj_t, 2 + n_args + 2 * n_kw);
    bind(value, self, method);
    if (n_args + n_kw > 0) {
        memcpy(method + 2, args, (n_args + 2 * n_kw) * sizeof(mp_obj_t));
    }
    return mp_call_method_n_kw(n_args, n_kw, method);
}

mp_obj_t gpusnek_metaclass_special(mp_obj_t self, qstr name, mp_obj_t argument) {
    const mp_obj_t found = gpusnek_has_metaclass(self) ? find(gpusnek_class_of(self), name) : MP_OBJ_NULL;
    return found == MP_OBJ_NULL ? MP_OBJ_NULL : call_found(found, self, argument != MP_OBJ_NULL, 0, &argument);
}

// Returns whether an instance, such as a form of the module typing, answers for classes.
static bool is_answering(mp_obj_t class_, qstr name) {
    const mp_obj_type_t *const type = mp_obj_get_type(class_);
    return mp_obj_is_instance_type(type) && gpusnek_class_entry(type, name) != MP_OBJ_NULL;
}

// Returns what a special method answers about an object and one class, or MP_OBJ_NULL.
static mp_obj_t check_one(mp_obj_t object, mp_obj_t class_, qstr name) {
    if (is_answering(class_, name)) {
        mp_obj_t method[3];
        mp_load_method(class_, name, method);
        method[2] = object;
        return mp_obj_new_bool(mp_obj_is_true(mp_call_method_n_kw(1, 0, method)));
    }
    if (!gpusnek_has_metaclass(class_)
        || (name == MP_QSTR___instancecheck__ && MP_OBJ_FROM_PTR(gpusnek_class_of(object)) == class_)) {
        return MP_OBJ_NULL;
    }
    const mp_obj_t answer = gpusnek_metaclass_special(class_, name, object);
    return answer == MP_OBJ_NULL ? MP_OBJ_NULL : mp_obj_new_bool(mp_obj_is_true(answer));
}

mp_obj_t gpusnek_metaclass_check(mp_obj_t object, mp_obj_t classes, qstr name) {
    if (!mp_obj_is_exact_type(classes, &mp_type_tuple)) {
        return check_one(object, classes, name);
    }
    size_t count;
    mp_obj_t *items;
    mp_obj_tuple_get(classes, &count, &items);
    bool special = false;
    for (size_t i = 0; i < count; i++) {
        special = special || gpusnek_has_metaclass(items[i]) || is_answering(items[i], name)
            || mp_obj_is_exact_type(items[i], &mp_type_tuple);
    }
    if (!special) {
        return MP_OBJ_NULL;
    }
    mp_cstack_check();
    const mp_obj_t function = MP_OBJ_FROM_PTR(
        name == MP_QSTR___instancecheck__ ? &mp_builtin_isinstance_obj : &mp_builtin_issubclass_obj);
    for (size_t i = 0; i < count; i++) {
        if (mp_obj_is_true(mp_call_function_2(function, object, items[i]))) {
            return mp_const_true;
        }
    }
    return mp_const_false;
}

// ---- Making classes ----

// Calls `__new__` of a metaclass.
static mp_obj_t call_new(mp_obj_t new_, const mp_obj_type_t *meta, size_t n_args, size_t n_kw, const mp_obj_t *args) {
    if (mp_obj_is_exact_type(new_, &mp_type_staticmethod)) {
        new_ = ((const mp_obj_static_class_method_t *)MP_OBJ_TO_PTR(new_))->fun;
    }
    mp_obj_t *const all = m_new(mp_obj_t, 1 + n_args + 2 * n_kw);
    all[0] = MP_OBJ_FROM_PTR(meta);
    if (n_args + n_kw > 0) {
        memcpy(all + 1, args, (n_args + 2 * n_kw) * sizeof(mp_obj_t));
    }
    return mp_call_function_n_kw(new_, 1 + n_args, n_kw, all);
}

// Returns type.__new__(meta, name, bases, dict, **keywords). args: the name and all behind it.
static mp_obj_t new_class(const mp_obj_type_t *meta, size_t n_kw, const mp_obj_t *args) {
    mp_cstack_check();
    if (!mp_obj_is_exact_type(args[1], &mp_type_tuple)) {
        mp_raise_TypeError(MP_ERROR_TEXT("type.__new__() argument 2 must be tuple"));
    }
    size_t count;
    mp_obj_t *bases;
    mp_obj_tuple_get(args[1], &count, &bases);
    const mp_obj_type_t *const derived = gpusnek_derived_metaclass(meta, count, bases);
    if (derived != meta) {
        const mp_obj_t new_ = find(derived, MP_QSTR___new__);
        if (new_ != MP_OBJ_NULL) {
            return call_new(new_, derived, 3, n_kw, args);
        }
    }
    mp_obj_t dict = gpusnek_native_part(args[2]);
    if (mp_obj_is_dict_or_ordereddict(dict)) {
        dict = mp_obj_dict_copy(dict);
    }
    const mp_obj_t class_ = gpusnek_make_class(mp_obj_str_get_qstr(args[0]), args[1], dict);
    set_metaclass(MP_OBJ_TO_PTR(class_), derived);
    gpusnek_class_created(class_, gpusnek_new_keywords(n_kw, args + 3));
    return class_;
}

// The slot make_new of a metaclass.
static mp_obj_t make_class(const mp_obj_type_t *meta, size_t n_args, size_t n_kw, const mp_obj_t *args) {
    mp_cstack_check();
    const mp_obj_t new_ = find(meta, MP_QSTR___new__);
    mp_obj_t class_;
    if (new_ != MP_OBJ_NULL) {
        class_ = call_new(new_, meta, n_args, n_kw, args);
    } else {
        mp_arg_check_num(n_args, 0, 3, 3, false);
        class_ = new_class(meta, n_kw, args);
    }
    if (!gpusnek_has_metaclass(class_)
        || !mp_obj_is_subclass_fast(MP_OBJ_FROM_PTR(gpusnek_class_of(class_)), MP_OBJ_FROM_PTR(meta))) {
        return class_;
    }
    const mp_obj_t init = find(gpusnek_class_of(class_), MP_QSTR___init__);
    if (init != MP_OBJ_NULL && call_found(init, class_, n_args, n_kw, args) != mp_const_none) {
        mp_raise_TypeError(MP_ERROR_TEXT("__init__() should return None"));
    }
    return class_;
}

void gpusnek_begin_class(mp_obj_type_t *type, size_t count, const mp_obj_t *bases) {
    gpusnek_set_module(type);
    gpusnek_mark_getattribute(type, count, bases);
    set_metaclass(type, gpusnek_derived_metaclass(&mp_type_type, count, bases));
    if (mp_obj_is_subclass_fast(MP_OBJ_FROM_PTR(type), MP_OBJ_FROM_PTR(&mp_type_type))) {
        MP_OBJ_TYPE_SET_SLOT(type, make_new, make_class, 0);
        type->flags |= GPUSNEK_TYPE_FLAG_METACLASS;
    }
}

mp_obj_t gpusnek_make_by_metaclass(const mp_obj_t *args) {
    if (!mp_obj_is_exact_type(args[1], &mp_type_tuple)) {
        return MP_OBJ_NULL;
    }
    size_t count;
    mp_obj_t *bases;
    mp_obj_tuple_get(args[1], &count, &bases);
    const mp_obj_type_t *const meta = gpusnek_derived_metaclass(&mp_type_type, count, bases);
    return meta == &mp_type_type ? MP_OBJ_NULL : make_class(meta, 3, 0, args);
}

// ---- Attributes ----

bool gpusnek_metaclass_attribute(mp_obj_t self, qstr attr, mp_obj_t *dest) {
    mp_obj_type_t *const type = MP_OBJ_TO_PTR(self);
    const mp_obj_type_t *const meta = gpusnek_class_of(self);
    const bool loads = dest[0] == MP_OBJ_NULL, deletes = !loads && dest[1] == MP_OBJ_NULL;
    if (!loads) {
        if (type->flags & GPUSNEK_TYPE_FLAG_RAW_STORE) {
            type->flags &= (uint16_t)~GPUSNEK_TYPE_FLAG_RAW_STORE;
        } else {
            const mp_obj_t method = find(meta, deletes ? MP_QSTR___delattr__ : MP_QSTR___setattr__);
            if (method != MP_OBJ_NULL) {
                const mp_obj_t args[2] = {MP_OBJ_NEW_QSTR(attr), dest[1]};
                call_found(method, self, deletes ? 1 : 2, 0, args);
                dest[0] = MP_OBJ_NULL;
                return true;
            }
        }
    }
    const mp_obj_t found = find(meta, attr);
    if (found == MP_OBJ_NULL || !mp_obj_is_exact_type(found, &mp_type_property)) {
        return false;
    }
    if (loads) {
        bind(found, self, dest);
        return true;
    }
    const mp_obj_t function = mp_obj_property_get(found)[deletes ? 2 : 1];
    if (function != mp_const_none) {
        if (deletes) {
            mp_call_function_1(function, self);
        } else {
            mp_call_function_2(function, self, dest[1]);
        }
        dest[0] = MP_OBJ_NULL;
    }
    return true;
}

// Returns whether each class has an attribute from `object`, which hides that of the metaclass.
static bool is_of_object(qstr attr) {
    switch (attr) {
        case MP_QSTR___init__:
        case MP_QSTR___new__:
        case MP_QSTR___init_subclass__:
        case MP_QSTR___repr__:
        case MP_QSTR___str__:
        case MP_QSTR___hash__:
        case MP_QSTR___eq__:
        case MP_QSTR___ne__:
        case MP_QSTR___setattr__:
        case MP_QSTR___delattr__:
            return true;
        default:
            return false;
    }
}

void gpusnek_metaclass_lookup(mp_obj_t self, qstr attr, mp_obj_t *dest) {
    if (is_of_object(attr)) {
        return;
    }
    const mp_obj_type_t *const meta = gpusnek_class_of(self);
    const mp_obj_t found = find(meta, attr);
    if (found != MP_OBJ_NULL) {
        bind(found, self, dest);
        return;
    }
    size_t length;
    const byte *const text = qstr_data(attr, &length);
    if (length > 4 && memcmp(text, "__", 2) == 0) {
        return; // C code looks for special methods that a class need not have
    }
    const mp_obj_t method = find(meta, MP_QSTR___getattr__);
    if (method != MP_OBJ_NULL) {
        const mp_obj_t name = MP_OBJ_NEW_QSTR(attr);
        dest[0] = call_found(method, self, 1, 0, &name);
    }
}

// ---- Operations on classes ----

mp_obj_t gpusnek_metaclass_call(mp_obj_t self, size_t n_args, size_t n_kw, const mp_obj_t *args) {
    const mp_obj_t found = find(gpusnek_class_of(self), MP_QSTR___call__);
    return found == MP_OBJ_NULL ? MP_OBJ_NULL : call_found(found, self, n_args, n_kw, args);
}

bool gpusnek_metaclass_print(const mp_print_t *print, mp_obj_t self, mp_print_kind_t kind) {
    mp_obj_t text = kind == PRINT_STR ? gpusnek_metaclass_special(self, MP_QSTR___str__, MP_OBJ_NULL) : MP_OBJ_NULL;
    if (text == MP_OBJ_NULL) {
        text = gpusnek_metaclass_special(self, MP_QSTR___repr__, MP_OBJ_NULL);
    }
    if (text == MP_OBJ_NULL) {
        return false;
    }
    if (!mp_obj_is_str(text)) {
        mp_raise_TypeError(MP_ERROR_TEXT("__str__ returned non-string"));
    }
    mp_obj_print_helper(print, text, PRINT_STR);
    return true;
}

mp_obj_t gpusnek_metaclass_subscript(mp_obj_t self, mp_obj_t index, mp_obj_t value) {
    const qstr name = value == MP_OBJ_SENTINEL ? MP_QSTR___getitem__
        : value == MP_OBJ_NULL ? MP_QSTR___delitem__ : MP_QSTR___setitem__;
    const mp_obj_t found = find(gpusnek_class_of(self), name);
    if (found == MP_OBJ_NULL) {
        return MP_OBJ_NULL;
    }
    const mp_obj_t args[2] = {index, value};
    const mp_obj_t result = call_found(found, self, name == MP_QSTR___setitem__ ? 2 : 1, 0, args);
    return name == MP_QSTR___getitem__ ? result : mp_const_none;
}

// Returns the result of a metaclass's `__hash__`. Without one the metaclass has `__eq__`.
static mp_obj_t hash_by(mp_obj_t method, mp_obj_t self) {
    if (method == MP_OBJ_NULL || method == mp_const_none) {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("unhashable type: '%q'"), (qstr)gpusnek_class_of(self)->name);
    }
    const mp_obj_t result = call_found(method, self, 0, 0, NULL);
    if (!mp_obj_is_int(result)) {
        mp_raise_TypeError(MP_ERROR_TEXT("__hash__ method should return an integer"));
    }
    return mp_obj_is_small_int(result) ? result : mp_unary_op(MP_UNARY_OP_HASH, result);
}

// Returns whether classes are equal by `__eq__` or `__ne__` of the metaclass, or MP_OBJ_NULL.
static mp_obj_t compare_classes(mp_binary_op_t op, mp_obj_t left, mp_obj_t right) {
    const mp_obj_t result
        = gpusnek_metaclass_special(left, op == MP_BINARY_OP_EQUAL ? MP_QSTR___eq__ : MP_QSTR___ne__, right);
    return result == mp_const_notimplemented ? MP_OBJ_NULL : result;
}

mp_obj_t gpusnek_class_unary_op(mp_unary_op_t op, mp_obj_t self) {
    if (op == MP_UNARY_OP_HASH) {
        if (gpusnek_has_metaclass(self)) {
            const mp_obj_t found = find(gpusnek_class_of(self), MP_QSTR___hash__);
            const bool plain = found == MP_OBJ_NULL && find(gpusnek_class_of(self), MP_QSTR___eq__) == MP_OBJ_NULL;
            if (!plain) {
                return hash_by(found, self);
            }
        }
        return MP_OBJ_NEW_SMALL_INT((mp_uint_t)gpusnek_address((uintptr_t)self));
    }
    if (!gpusnek_has_metaclass(self) || op >= MP_UNARY_OP_NUM_RUNTIME || op == MP_UNARY_OP_SIZEOF) {
        return MP_OBJ_NULL;
    }
    const mp_obj_t result = gpusnek_metaclass_special(self, mp_unary_op_method_name[op], MP_OBJ_NULL);
    if (result == MP_OBJ_NULL) {
        return MP_OBJ_NULL;
    }
    if (op == MP_UNARY_OP_BOOL) {
        return mp_obj_new_bool(mp_obj_is_true(result));
    }
    if (op == MP_UNARY_OP_LEN) {
        const mp_int_t length = mp_obj_get_int(result);
        if (length < 0) {
            mp_raise_ValueError(MP_ERROR_TEXT("__len__() should return >= 0"));
        }
        return MP_OBJ_NEW_SMALL_INT(length);
    }
    if ((op == MP_UNARY_OP_INT_MAYBE && !mp_obj_is_int(result))
        || (op == MP_UNARY_OP_FLOAT_MAYBE && !mp_obj_is_float(result))
        || (op == MP_UNARY_OP_COMPLEX_MAYBE && !mp_obj_is_exact_type(result, &mp_type_complex))) {
        mp_raise_TypeError(NULL);
    }
    return result;
}

mp_obj_t gpusnek_class_binary_op(mp_binary_op_t op, mp_obj_t left, mp_obj_t right) {
    if (!gpusnek_has_metaclass(left)) {
        return MP_OBJ_NULL;
    }
    if (op == MP_BINARY_OP_EQUAL || op == MP_BINARY_OP_NOT_EQUAL) {
        return compare_classes(op, left, right);
    }
    if (op >= MP_BINARY_OP_NUM_RUNTIME || mp_binary_op_method_name[op] == MP_QSTRnull) {
        return MP_OBJ_NULL;
    }
    const mp_obj_t result = gpusnek_metaclass_special(left, mp_binary_op_method_name[op], right);
    return result == MP_OBJ_NULL || op != MP_BINARY_OP_CONTAINS ? result : mp_obj_new_bool(mp_obj_is_true(result));
}

mp_obj_t gpusnek_class_getiter(mp_obj_t self, mp_obj_iter_buf_t *buffer) {
    (void)buffer;
    return gpusnek_metaclass_special(self, MP_QSTR___iter__, MP_OBJ_NULL);
}

// ---- Attributes of `type` ----

// Returns arguments, followed by the names and values of keyword arguments.
static mp_obj_t *all_arguments(size_t n_args, const mp_obj_t *args, const mp_map_t *keywords) {
    mp_obj_t *const all = m_new(mp_obj_t, n_args + 2 * keywords->used);
    if (n_args > 0) {
        memcpy(all, args, n_args * sizeof(mp_obj_t));
    }
    mp_obj_t *to = all + n_args;
    for (size_t i = 0; i < keywords->alloc; i++) {
        if (mp_map_slot_is_filled(keywords, i)) {
            *to++ = keywords->table[i].key;
            *to++ = keywords->table[i].value;
        }
    }
    return all;
}

static mp_obj_t type_new(size_t n_args, const mp_obj_t *args, mp_map_t *keywords) {
    if (!gpusnek_is_metaclass(args[0])) {
        mp_raise_TypeError(MP_ERROR_TEXT("type.__new__(X): X is not a subtype of type"));
    }
    mp_arg_check_num(n_args, 0, 4, 4, false);
    return new_class(MP_OBJ_TO_PTR(args[0]), keywords->used, all_arguments(3, args + 1, keywords));
}
static MP_DEFINE_CONST_FUN_OBJ_KW(type_new_fun, 1, type_new);
static MP_DEFINE_CONST_STATICMETHOD_OBJ(type_new_obj, MP_ROM_PTR(&type_new_fun));

static const mp_obj_type_t *checked_class(mp_obj_t o) {
    if (!mp_obj_is_exact_type(o, &mp_type_type)) {
        mp_raise_TypeError(MP_ERROR_TEXT("not a class"));
    }
    return MP_OBJ_TO_PTR(o);
}

static mp_obj_t type_call(size_t n_args, const mp_obj_t *args, mp_map_t *keywords) {
    const mp_obj_type_t *const type = checked_class(args[0]);
    if (!MP_OBJ_TYPE_HAS_SLOT(type, make_new)) {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("can't create '%q' instances"), (qstr)type->name);
    }
    mp_cstack_check();
    return MP_OBJ_TYPE_GET_SLOT(type, make_new)(
        type, n_args - 1, keywords->used, all_arguments(n_args - 1, args + 1, keywords));
}
static MP_DEFINE_CONST_FUN_OBJ_KW(type_call_obj, 1, type_call);

static void store(mp_obj_t self, mp_obj_t name, mp_obj_t value) {
    checked_class(self);
    const qstr attr = mp_obj_str_get_qstr(name);
    if (gpusnek_has_metaclass(self)) {
        ((mp_obj_type_t *)MP_OBJ_TO_PTR(self))->flags |= GPUSNEK_TYPE_FLAG_RAW_STORE;
    }
    mp_store_attr(self, attr, value);
}

static mp_obj_t type_setattr(mp_obj_t self, mp_obj_t name, mp_obj_t value) {
    store(self, name, value);
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_3(type_setattr_obj, type_setattr);

static mp_obj_t type_delattr(mp_obj_t self, mp_obj_t name) {
    store(self, name, MP_OBJ_NULL);
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_2(type_delattr_obj, type_delattr);

static mp_obj_t type_instancecheck(mp_obj_t self, mp_obj_t object) {
    checked_class(self);
    return mp_obj_new_bool(mp_obj_is_subclass_fast(MP_OBJ_FROM_PTR(gpusnek_class_of(object)), self));
}
static MP_DEFINE_CONST_FUN_OBJ_2(type_instancecheck_obj, type_instancecheck);

static mp_obj_t type_subclasscheck(mp_obj_t self, mp_obj_t class_) {
    checked_class(self);
    if (!mp_obj_is_exact_type(class_, &mp_type_type)) {
        mp_raise_TypeError(MP_ERROR_TEXT("issubclass() arg 1 must be a class"));
    }
    return mp_obj_new_bool(mp_obj_is_subclass_fast(class_, self));
}
static MP_DEFINE_CONST_FUN_OBJ_2(type_subclasscheck_obj, type_subclasscheck);

static mp_obj_t type_hash(mp_obj_t self) {
    checked_class(self);
    return MP_OBJ_NEW_SMALL_INT((mp_uint_t)gpusnek_address((uintptr_t)self));
}
static MP_DEFINE_CONST_FUN_OBJ_1(type_hash_obj, type_hash);

static mp_obj_t type_prepare(size_t n_args, const mp_obj_t *args, mp_map_t *keywords) {
    (void)n_args;
    (void)args;
    (void)keywords;
    return mp_obj_new_dict(0);
}
static MP_DEFINE_CONST_FUN_OBJ_KW(type_prepare_fun, 0, type_prepare);
static MP_DEFINE_CONST_STATICMETHOD_OBJ(type_prepare_obj, MP_ROM_PTR(&type_prepare_fun));

static const mp_rom_map_elem_t type_table[] = {
    { MP_ROM_QSTR(MP_QSTR___instancecheck__), MP_ROM_PTR(&type_instancecheck_obj) },
    { MP_ROM_QSTR(MP_QSTR___subclasscheck__), MP_ROM_PTR(&type_subclasscheck_obj) },
    { MP_ROM_QSTR(MP_QSTR___hash__), MP_ROM_PTR(&type_hash_obj) },
    { MP_ROM_QSTR(MP_QSTR___prepare__), MP_ROM_PTR(&type_prepare_obj) },
    { MP_ROM_QSTR(MP_QSTR___new__), MP_ROM_PTR(&type_new_obj) },
    { MP_ROM_QSTR(MP_QSTR___call__), MP_ROM_PTR(&type_call_obj) },
    { MP_ROM_QSTR(MP_QSTR___setattr__), MP_ROM_PTR(&type_setattr_obj) },
    { MP_ROM_QSTR(MP_QSTR___delattr__), MP_ROM_PTR(&type_delattr_obj) },
};
MP_DEFINE_CONST_DICT(gpusnek_type_methods, type_table);

#endif
