// Instances of Python classes (instances.h).
//
// An instance whose class derives from a native type has an object of that type, its native part.
// Upstream makes it after `__init__`, from the arguments of the class. CPython makes it in `__new__`:
// a number, a str or a tuple has its value then, and a list or dict is empty until `__init__`.
//
// Invariant I1: an instance's native part is of the native base of its class, or a built-in function
// before it is made.
// Invariant I2: `plain` is set only between object.__getattribute__() and the lookup that it starts.
#include "instances.h"

#include <string.h>

#include "attribute_names.h"
#include "classes.h"
#include "classnames.h"
#include "metaclass.h"
#include "port.h"

#include "py/builtin.h"
#include "py/cstack.h"
#include "py/objexcept.h"
#include "py/runtime.h"

#if GPUSNEK_PATCH_CLASSES

static bool plain; // the next load of an attribute ignores `__getattribute__`

// ---- The native part ----

typedef enum {
    VALUE, // made in `__new__`
    CONTAINER, // filled in `__init__`
    OTHER,
} part_t;

static part_t part_of(const mp_obj_type_t *type) {
    if (type == &mp_type_int || type == &mp_type_str || type == &mp_type_bytes || type == &mp_type_tuple
        || type == &mp_type_frozenset
        #if MICROPY_PY_BUILTINS_FLOAT
        || type == &mp_type_float
        #endif
        #if MICROPY_PY_BUILTINS_COMPLEX
        || type == &mp_type_complex
        #endif
        || MP_OBJ_TYPE_GET_SLOT_OR_NULL(type, parent) == (const void *)&mp_type_tuple) { // a named tuple
        return VALUE;
    }
    if (type == &mp_type_list || type == &mp_type_dict || type == &mp_type_set || type == &mp_type_bytearray
        #if MICROPY_PY_COLLECTIONS_ORDEREDDICT
        || type == &mp_type_ordereddict
        #endif
        #if MICROPY_PY_COLLECTIONS_DEQUE
        || type == &mp_type_deque
        #endif
        ) {
        return CONTAINER;
    }
    return OTHER;
}

static mp_obj_t make(const mp_obj_type_t *type, size_t n_args, size_t n_kw, const mp_obj_t *args) {
    return MP_OBJ_TYPE_GET_SLOT(type, make_new)(type, n_args, n_kw, args);
}

// Before the native part is made, the function that makes it stands in its place.
static bool is_unmade(const mp_obj_instance_t *self) {
    return mp_obj_is_exact_type(self->subobj[0], &mp_type_fun_builtin_var);
}

// Returns the arguments behind the first ones, and then the keyword arguments.
static const mp_obj_t *gather(size_t first, size_t n_args, const mp_obj_t *args, const mp_map_t *keywords,
    size_t *n_kw) {
    const size_t count = n_args - first;
    mp_obj_t *const given = m_new(mp_obj_t, count + 2 * keywords->used);
    if (count > 0) {
        memcpy(given, args + first, count * sizeof(mp_obj_t));
    }
    *n_kw = 0;
    for (size_t i = 0; i < keywords->alloc; i++) {
        if (mp_map_slot_is_filled(keywords, i)) {
            given[count + 2 * *n_kw] = keywords->table[i].key;
            given[count + 2 * (*n_kw)++ + 1] = keywords->table[i].value;
        }
    }
    return given;
}

// The function of `int.__new__`. args: the native type, the class, and the class's arguments.
static mp_obj_t native_new(size_t n_args, const mp_obj_t *args, mp_map_t *keywords) {
    const mp_obj_type_t *const native = MP_OBJ_TO_PTR(args[0]);
    if (!mp_obj_is_exact_type(args[0], &mp_type_type) || !mp_obj_is_native_type(native)
        || !MP_OBJ_TYPE_HAS_SLOT(native, make_new)) {
        mp_raise_TypeError(MP_ERROR_TEXT("__new__() needs a type"));
    }
    const qstr name = native->name;
    if (n_args < 2) {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("%q.__new__(): not enough arguments"), name);
    }
    if (!mp_obj_is_exact_type(args[1], &mp_type_type)) {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("%q.__new__(X): X is not a type object (%s)"),
            name, mp_obj_get_type_str(args[1]));
    }
    const mp_obj_type_t *const type = MP_OBJ_TO_PTR(args[1]);
    if (!mp_obj_is_subclass_fast(args[1], args[0])) {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("%q.__new__(%q): %q is not a subtype of %q"),
            name, (qstr)type->name, (qstr)type->name, name);
    }
    mp_cstack_check();
    const size_t count = n_args - 2;
    size_t n_kw;
    const mp_obj_t *const given = gather(2, n_args, args, keywords, &n_kw);
    const mp_obj_type_t *base = NULL;
    if (mp_obj_is_native_type(type)) {
        base = type;
    } else if (!gpusnek_is_metaclass(args[1])) {
        mp_obj_instance_t *const made = mp_obj_new_instance(type, &base);
        if (base == native) {
            const bool empty = part_of(base) == CONTAINER;
            made->subobj[0] = make(base, empty ? 0 : count, empty ? 0 : n_kw, given);
            return MP_OBJ_FROM_PTR(made);
        }
    }
    if (base != native) {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("%q.__new__(%q) is not safe, use %q.__new__()"),
            name, (qstr)type->name, base == NULL ? MP_QSTR_type : (qstr)base->name);
    }
    const bool empty = part_of(base) == CONTAINER;
    return make(base, empty ? 0 : count, empty ? 0 : n_kw, given);
}
static MP_DEFINE_CONST_FUN_OBJ_KW(native_new_obj, 1, native_new);

static const mp_obj_type_t *native_base_of(const mp_obj_type_t *type) {
    gpusnek_mro_t mro = {NULL, 0};
    while (type != NULL && mp_obj_is_instance_type(type)) {
        type = gpusnek_next_class(&mro, type);
    }
    return type == &mp_type_object ? NULL : type;
}

bool gpusnek_init_native(size_t n_args, const mp_obj_t *args, mp_map_t *keywords) {
    const mp_obj_instance_t *const self = MP_OBJ_TO_PTR(args[0]);
    const size_t count = n_args - 1 + keywords->used;
    if (is_unmade(self)) {
        return false;
    }
    if (mp_obj_is_dict_or_ordereddict(self->subobj[0])) {
        if (count > 0) {
            size_t n_kw;
            mp_obj_t update[2];
            const mp_obj_t *const given = gather(1, n_args, args, keywords, &n_kw);
            mp_load_method(self->subobj[0], MP_QSTR_update, update);
            mp_call_method_self_n_kw(update[0], update[1], n_args - 1, n_kw, given);
        }
        return true;
    }
    if (part_of(mp_obj_get_type(self->subobj[0])) != VALUE) {
        return false;
    }
    if (count > 0) {
        mp_raise_TypeError(MP_ERROR_TEXT("object.__init__() takes exactly one argument (the instance to initialize)"));
    }
    return true;
}

// The function of `list.__init__`. args: the native type, the instance, and other arguments.
static mp_obj_t native_init(size_t n_args, const mp_obj_t *args, mp_map_t *keywords) {
    if (n_args < 2 || !mp_obj_is_exact_type(args[0], &mp_type_type)) {
        mp_raise_TypeError(MP_ERROR_TEXT("__init__() needs an instance"));
    }
    const mp_obj_type_t *const native = MP_OBJ_TO_PTR(args[0]), *const type = mp_obj_get_type(args[1]);
    const mp_obj_type_t *const base = native_base_of(type);
    if (!mp_obj_is_instance_type(type) || base == NULL || !mp_obj_is_subclass_fast(MP_OBJ_FROM_PTR(base), args[0])) {
        mp_raise_msg_varg(&mp_type_TypeError,
            MP_ERROR_TEXT("descriptor '__init__' requires a '%q' object but received a '%s'"),
            (qstr)native->name, mp_obj_get_type_str(args[1]));
    }
    mp_cstack_check();
    mp_obj_instance_t *const self = MP_OBJ_TO_PTR(args[1]);
    if (gpusnek_init_native(n_args - 1, args + 1, keywords)) {
        return mp_const_none;
    }
    size_t n_kw;
    const mp_obj_t *const given = gather(2, n_args, args, keywords, &n_kw);
    self->subobj[0] = make(base, n_args - 2, n_kw, given);
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_KW(native_init_obj, 1, native_init);

void gpusnek_native_method(const mp_obj_type_t *type, qstr attr, mp_obj_t *dest) {
    const bool is_new = attr == MP_QSTR___new__;
    if (!is_new && attr != MP_QSTR___init__) {
        return;
    }
    type = native_base_of(type);
    if (type != NULL && type != &mp_type_type && MP_OBJ_TYPE_HAS_SLOT(type, make_new)) {
        dest[0] = is_new ? MP_OBJ_FROM_PTR(&native_new_obj) : MP_OBJ_FROM_PTR(&native_init_obj);
        dest[1] = MP_OBJ_FROM_PTR(type);
    }
}

void gpusnek_begin_native(mp_obj_instance_t *self, const mp_obj_type_t *native_base, bool has_init,
    size_t n_args, size_t n_kw, const mp_obj_t *args) {
    const part_t part = part_of(native_base);
    if (has_init) {
        if (part != OTHER && is_unmade(self)) {
            const bool empty = part == CONTAINER;
            self->subobj[0] = make(native_base, empty ? 0 : n_args, empty ? 0 : n_kw, args);
        }
        return;
    }
    if (is_unmade(self) || n_args + n_kw == 0) {
        return;
    }
    if (part == CONTAINER) { // `__new__` has made it empty
        if (mp_obj_is_dict_or_ordereddict(self->subobj[0])) {
            mp_obj_t update[2];
            mp_load_method(self->subobj[0], MP_QSTR_update, update);
            mp_call_method_self_n_kw(update[0], update[1], n_args, n_kw, args);
        } else {
            self->subobj[0] = make(native_base, n_args, n_kw, args);
        }
    } else if (n_kw == 0 && mp_obj_is_native_exception_instance(self->subobj[0])) {
        mp_store_attr(self->subobj[0], MP_QSTR_args, mp_obj_new_tuple(n_args, args));
    }
}

// ---- Attributes ----

void gpusnek_mark_getattribute(mp_obj_type_t *type, size_t count, const mp_obj_t *bases) {
    mp_obj_dict_t *const dict = MP_OBJ_TYPE_GET_SLOT(type, locals_dict);
    bool marked = mp_map_lookup(&dict->map, MP_OBJ_NEW_QSTR(MP_QSTR___getattribute__), MP_MAP_LOOKUP) != NULL;
    for (size_t i = 0; i < count && !marked; i++) {
        const mp_obj_type_t *const base = MP_OBJ_TO_PTR(bases[i]);
        marked = mp_obj_is_instance_type(base) && (base->flags & GPUSNEK_TYPE_FLAG_GETATTRIBUTE);
    }
    if (marked) {
        type->flags |= GPUSNEK_TYPE_FLAG_GETATTRIBUTE;
    }
}

// Returns whether a name is special. C code looks such names up, which CPython does without
// `__getattribute__`.
static bool is_special(qstr attr) {
    size_t length;
    const byte *const text = qstr_data(attr, &length);
    return length > 4 && memcmp(text, "__", 2) == 0 && memcmp(text + length - 2, "__", 2) == 0
           && attr != MP_QSTR___dict__;
}

// Calls a method of a class with an instance and a name.
static mp_obj_t call_with_name(mp_obj_t self, mp_obj_t function, qstr attr) {
    mp_obj_t method[3] = {MP_OBJ_NULL, MP_OBJ_NULL, MP_OBJ_NEW_QSTR(attr)};
    mp_convert_member_lookup(self, mp_obj_get_type(self), function, method);
    return mp_call_method_n_kw(1, 0, method);
}

bool gpusnek_get_attribute(mp_obj_t self, qstr attr, mp_obj_t *dest) {
    if (plain) {
        plain = false;
        return false;
    }
    const mp_obj_type_t *const type = mp_obj_get_type(self);
    const mp_obj_t function = is_special(attr) ? MP_OBJ_NULL : gpusnek_class_entry(type, MP_QSTR___getattribute__);
    if (function == MP_OBJ_NULL) {
        return false;
    }
    mp_cstack_check();
    const mp_obj_t other = gpusnek_class_entry(type, MP_QSTR___getattr__);
    if (other == MP_OBJ_NULL) {
        dest[0] = call_with_name(self, function, attr);
        return true;
    }
    nlr_buf_t nlr;
    if (nlr_push(&nlr) == 0) {
        dest[0] = call_with_name(self, function, attr);
        nlr_pop();
        return true;
    }
    if (!mp_obj_exception_match(MP_OBJ_FROM_PTR(nlr.ret_val), MP_OBJ_FROM_PTR(&mp_type_AttributeError))) {
        nlr_jump(nlr.ret_val);
    }
    dest[0] = call_with_name(self, other, attr);
    return true;
}

// Returns the entry `__slots__` of a class with slots, or None.
static mp_obj_t slots_of(const mp_obj_type_t *type) {
    if (!(type->flags & GPUSNEK_TYPE_FLAG_SLOTS)) {
        return mp_const_none;
    }
    const mp_obj_t slots = gpusnek_class_entry(type, MP_QSTR___slots__);
    return slots == MP_OBJ_NULL ? mp_const_none : slots;
}

void gpusnek_assign_class(mp_obj_t self_in, mp_obj_t value) {
    mp_obj_instance_t *const self = MP_OBJ_TO_PTR(self_in);
    if (value == MP_OBJ_NULL) {
        mp_raise_TypeError(MP_ERROR_TEXT("can't delete __class__ attribute"));
    }
    if (!mp_obj_is_exact_type(value, &mp_type_type)) {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("__class__ must be set to a class, not '%s' object"),
            mp_obj_get_type_str(value));
    }
    const mp_obj_type_t *const from = self->base.type, *const to = MP_OBJ_TO_PTR(value);
    if (!mp_obj_is_instance_type(to) || gpusnek_is_metaclass(value)) {
        mp_raise_TypeError(MP_ERROR_TEXT("__class__ assignment only supported for mutable types or ModuleType subclasses"));
    }
    if (native_base_of(from) != native_base_of(to) || ((from->flags ^ to->flags) & GPUSNEK_TYPE_FLAG_SLOTS)
        || !mp_obj_equal(slots_of(from), slots_of(to))) {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("__class__ assignment: '%q' object layout differs from '%q'"),
            (qstr)to->name, (qstr)from->name);
    }
    self->base.type = to;
}

// ---- Methods of `object` ----

static mp_obj_t object_getattribute(mp_obj_t self, mp_obj_t name) {
    const qstr attr = mp_obj_str_get_qstr(name);
    const mp_obj_type_t *const type = mp_obj_get_type(self);
    if (!mp_obj_is_instance_type(type) || attr == MP_QSTR___class__) {
        return mp_load_attr(self, attr);
    }
    mp_obj_t dest[2] = {MP_OBJ_NULL, MP_OBJ_NULL};
    plain = (type->flags & GPUSNEK_TYPE_FLAG_GETATTRIBUTE) != 0;
    MP_OBJ_TYPE_GET_SLOT(type, attr)(self, attr, dest);
    if (dest[0] == MP_OBJ_NULL) {
        mp_raise_msg_varg(&mp_type_AttributeError, MP_ERROR_TEXT("'%s' object has no attribute '%q'"),
            mp_obj_get_type_str(self), attr);
    }
    return dest[1] == MP_OBJ_NULL ? dest[0] : mp_obj_new_bound_meth(dest[0], dest[1]);
}
static MP_DEFINE_CONST_FUN_OBJ_2(object_getattribute_obj, object_getattribute);

static mp_obj_t object_eq(mp_obj_t self, mp_obj_t other) {
    return self == other ? mp_const_true : mp_const_notimplemented;
}
static MP_DEFINE_CONST_FUN_OBJ_2(object_eq_obj, object_eq);

static mp_obj_t object_ne(mp_obj_t self, mp_obj_t other) {
    const mp_obj_type_t *const type = mp_obj_get_type(self);
    const mp_obj_t function = mp_obj_is_instance_type(type) ? gpusnek_class_entry(type, MP_QSTR___eq__) : MP_OBJ_NULL;
    mp_obj_t equal = self == other ? mp_const_true : mp_const_notimplemented;
    if (function != MP_OBJ_NULL) {
        mp_obj_t method[3] = {MP_OBJ_NULL, MP_OBJ_NULL, other};
        mp_convert_member_lookup(self, type, function, method);
        equal = mp_call_method_n_kw(1, 0, method);
    }
    return equal == mp_const_notimplemented ? equal : mp_obj_new_bool(!mp_obj_is_true(equal));
}
static MP_DEFINE_CONST_FUN_OBJ_2(object_ne_obj, object_ne);

static mp_obj_t object_hash(mp_obj_t self) {
    return MP_OBJ_NEW_SMALL_INT((mp_uint_t)gpusnek_address((uintptr_t)self));
}
static MP_DEFINE_CONST_FUN_OBJ_1(object_hash_obj, object_hash);

static mp_obj_t object_repr(mp_obj_t self) {
    vstr_t text;
    mp_print_t print;
    vstr_init_print(&text, 32, &print);
    gpusnek_print_object(&print, self);
    return mp_obj_new_str_from_vstr(&text);
}
static MP_DEFINE_CONST_FUN_OBJ_1(object_repr_obj, object_repr);

static mp_obj_t object_str(mp_obj_t self) {
    vstr_t text;
    mp_print_t print;
    vstr_init_print(&text, 32, &print);
    mp_obj_print_helper(&print, self, PRINT_REPR);
    return mp_obj_new_str_from_vstr(&text);
}
static MP_DEFINE_CONST_FUN_OBJ_1(object_str_obj, object_str);

static mp_obj_t object_init_subclass(size_t n_args, const mp_obj_t *args) {
    (void)n_args;
    (void)args;
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(object_init_subclass_fun, 0, 1, object_init_subclass);
static MP_DEFINE_CONST_STATICMETHOD_OBJ(object_init_subclass_obj, MP_ROM_PTR(&object_init_subclass_fun));

static MP_DEFINE_CONST_FUN_OBJ_1(object_dir_obj, gpusnek_names_of);

static const mp_rom_map_elem_t object_table[] = {
    { MP_ROM_QSTR(MP_QSTR___dir__), MP_ROM_PTR(&object_dir_obj) },
    { MP_ROM_QSTR(MP_QSTR___init_subclass__), MP_ROM_PTR(&object_init_subclass_obj) },
    { MP_ROM_QSTR(MP_QSTR___getattribute__), MP_ROM_PTR(&object_getattribute_obj) },
    { MP_ROM_QSTR(MP_QSTR___eq__), MP_ROM_PTR(&object_eq_obj) },
    { MP_ROM_QSTR(MP_QSTR___ne__), MP_ROM_PTR(&object_ne_obj) },
    { MP_ROM_QSTR(MP_QSTR___hash__), MP_ROM_PTR(&object_hash_obj) },
    { MP_ROM_QSTR(MP_QSTR___repr__), MP_ROM_PTR(&object_repr_obj) },
    { MP_ROM_QSTR(MP_QSTR___str__), MP_ROM_PTR(&object_str_obj) },
};
MP_DEFINE_CONST_DICT(gpusnek_object_methods, object_table);

void gpusnek_object_attribute(const mp_obj_type_t *type, qstr attr, mp_obj_t *dest) {
    switch (attr) {
        case MP_QSTR___module__:
            dest[0] = gpusnek_class_module(type);
            break;
        case MP_QSTR___hash__:
            if (gpusnek_class_entry(type, MP_QSTR___eq__) != MP_OBJ_NULL) {
                dest[0] = mp_const_none; // a class with `__eq__` alone has no hash
                break;
            }
            MP_FALLTHROUGH;
        case MP_QSTR___dir__:
        case MP_QSTR___getattribute__:
        case MP_QSTR___eq__:
        case MP_QSTR___ne__:
        case MP_QSTR___repr__:
        case MP_QSTR___str__:
            dest[0] = mp_map_lookup((mp_map_t *)&gpusnek_object_methods.map, MP_OBJ_NEW_QSTR(attr), MP_MAP_LOOKUP)->value;
            break;
        case MP_QSTR___new__:
        case MP_QSTR___init__:
            gpusnek_native_method(type, attr, dest);
            if (dest[0] == MP_OBJ_NULL && type != &mp_type_object && !gpusnek_is_metaclass(MP_OBJ_FROM_PTR(type))) {
                mp_load_method_maybe(MP_OBJ_FROM_PTR(&mp_type_object), attr, dest);
            }
            break;
        default:
            break;
    }
}

bool gpusnek_object_method(mp_obj_t self, qstr attr, mp_obj_t *dest) {
    switch (attr) {
        case MP_QSTR___dir__:
        case MP_QSTR___eq__:
        case MP_QSTR___hash__:
        case MP_QSTR___ne__:
        case MP_QSTR___repr__:
        case MP_QSTR___str__:
            break;
        default:
            return false;
    }
    gpusnek_object_attribute(mp_obj_get_type(self), attr, dest);
    dest[1] = dest[0] == mp_const_none ? MP_OBJ_NULL : self;
    return true;
}

void gpusnek_check_no_arguments(const mp_obj_type_t *type) {
    if (gpusnek_class_entry(type, MP_QSTR___new__) == MP_OBJ_NULL) {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("%q() takes no arguments"), (qstr)type->name);
    }
}

mp_obj_t gpusnek_unary_of_part(mp_unary_op_t op, mp_obj_t part) {
    #if MICROPY_PY_BUILTINS_COMPLEX
    if (op == MP_UNARY_OP_COMPLEX_MAYBE && mp_obj_is_type(part, &mp_type_complex)) {
        return part;
    }
    #endif
    if (mp_obj_is_int(part) || mp_obj_is_float(part)) {
        switch (op) {
            case MP_UNARY_OP_INT_MAYBE:
                return mp_obj_is_int(part) ? part : MP_OBJ_NULL;
            #if MICROPY_PY_BUILTINS_FLOAT
            case MP_UNARY_OP_FLOAT_MAYBE:
                return mp_obj_new_float(mp_obj_get_float(part));
            #endif
            #if MICROPY_PY_BUILTINS_COMPLEX
            case MP_UNARY_OP_COMPLEX_MAYBE:
            #endif
            case MP_UNARY_OP_LEN:
                return MP_OBJ_NULL;
            default:
                break;
        }
    }
    return mp_unary_op(op, part);
}

mp_obj_t gpusnek_call_static(mp_obj_t self, size_t n_args, size_t n_kw, const mp_obj_t *args) {
    return mp_call_function_n_kw(
        ((const mp_obj_static_class_method_t *)MP_OBJ_TO_PTR(self))->fun, n_args, n_kw, args);
}

#endif
