// The search for attributes of built-in types that upstream lacks, and the special methods of
// containers and numbers, which call the operation of the same meaning.
#include "methods.h"

#include <string.h>

#include "checkself.h"
#include "classes.h"
#include "instances.h"
#include "py/builtin.h"
#include "py/objmodule.h"
#include "py/objtuple.h"
#include "py/frozenmod.h"
#include "py/objtype.h"
#include "py/runtime.h"
#include "raised.h"
#include "ranges.h"
#include "types.h"

// Return whether an object is of a built-in type or of a class that derives from it.
static bool is_a(mp_obj_t o, const mp_obj_type_t *type) {
    return mp_obj_cast_to_native_base(o, MP_OBJ_FROM_PTR(type)) != MP_OBJ_NULL;
}

static bool is_integer(mp_obj_t o) {
    return mp_obj_is_bool(o) || is_a(o, &mp_type_int);
}

static bool is_real(mp_obj_t o) {
    #if MICROPY_PY_BUILTINS_FLOAT
    return is_integer(o) || is_a(o, &mp_type_float);
    #else
    return is_integer(o);
    #endif
}

// Return whether a special method of a number, or a comparison or operation of sets, returns
// NotImplemented for the other operand. `self` is of a built-in type.
static bool refuses(mp_binary_op_t op, mp_obj_t self, mp_obj_t other) {
    if (mp_obj_is_int(self) || mp_obj_is_bool(self)) {
        return !is_integer(other);
    }
    #if MICROPY_PY_BUILTINS_FLOAT
    if (mp_obj_is_float(self)) {
        return !is_real(other);
    }
    #endif
    #if MICROPY_PY_BUILTINS_COMPLEX
    if (mp_obj_is_type(self, &mp_type_complex)) {
        return !is_real(other) && !is_a(other, &mp_type_complex);
    }
    #endif
    const mp_obj_type_t *const type = mp_obj_get_type(self);
    if (type == &mp_type_set || type == &mp_type_frozenset) {
        return !is_a(other, &mp_type_set) && !is_a(other, &mp_type_frozenset);
    }
    if (op > MP_BINARY_OP_NOT_EQUAL) {
        return false;
    }
    if (type == &mp_type_dict || type == &mp_type_ordereddict) {
        return !is_a(other, &mp_type_dict) && !is_a(other, &mp_type_ordereddict);
    }
    return (type == &mp_type_str || type == &mp_type_list || type == &mp_type_tuple
            || type == &mp_type_range) && !is_a(other, type);
}

// Return the object of the built-in type whose method is called.
static mp_obj_t part_of(mp_obj_t self) {
    #if GPUSNEK_PATCH_CLASSES
    if (mp_obj_is_instance_type(mp_obj_get_type(self))) {
        const mp_obj_t part = gpusnek_part_of_instance(self);
        return part == MP_OBJ_NULL ? self : part;
    }
    #endif
    return self;
}

#define OPERATOR(name, operation) \
    static mp_obj_t name(mp_obj_t self, mp_obj_t other) { \
        return refuses(operation, self, other) ? mp_const_notimplemented : mp_binary_op(operation, self, other); \
    } \
    static MP_DEFINE_CONST_FUN_OBJ_2(name##_obj, name)
#define REFLECTED(name, operation) \
    static mp_obj_t name(mp_obj_t self, mp_obj_t other) { \
        return refuses(operation, self, other) ? mp_const_notimplemented : mp_binary_op(operation, other, self); \
    } \
    static MP_DEFINE_CONST_FUN_OBJ_2(name##_obj, name)
#define SPECIAL(name, operation) \
    static mp_obj_t name(mp_obj_t self) { \
        return mp_unary_op(operation, part_of(self)); \
    } \
    static MP_DEFINE_CONST_FUN_OBJ_1(name##_obj, name)

// py/opmethods.c has the same three functions for dicts only: they return the NULL with which the
// function of another type reports that it cannot perform the operation.
static mp_obj_t do_getitem(mp_obj_t self, mp_obj_t key) {
    return mp_obj_subscr(self, key, MP_OBJ_SENTINEL);
}
static MP_DEFINE_CONST_FUN_OBJ_2(do_getitem_obj, do_getitem);

static mp_obj_t do_setitem(mp_obj_t self, mp_obj_t key, mp_obj_t value) {
    return mp_obj_subscr(self, key, value);
}
static MP_DEFINE_CONST_FUN_OBJ_3(do_setitem_obj, do_setitem);

static mp_obj_t do_delitem(mp_obj_t self, mp_obj_t key) {
    return mp_obj_subscr(self, key, MP_OBJ_NULL);
}
static MP_DEFINE_CONST_FUN_OBJ_2(do_delitem_obj, do_delitem);

OPERATOR(do_add, MP_BINARY_OP_ADD);
OPERATOR(do_sub, MP_BINARY_OP_SUBTRACT);
OPERATOR(do_mul, MP_BINARY_OP_MULTIPLY);
OPERATOR(do_truediv, MP_BINARY_OP_TRUE_DIVIDE);
OPERATOR(do_floordiv, MP_BINARY_OP_FLOOR_DIVIDE);
OPERATOR(do_mod, MP_BINARY_OP_MODULO);
OPERATOR(do_divmod, MP_BINARY_OP_DIVMOD);
OPERATOR(do_pow, MP_BINARY_OP_POWER);
OPERATOR(do_lshift, MP_BINARY_OP_LSHIFT);
OPERATOR(do_rshift, MP_BINARY_OP_RSHIFT);
OPERATOR(do_and, MP_BINARY_OP_AND);
OPERATOR(do_or, MP_BINARY_OP_OR);
OPERATOR(do_xor, MP_BINARY_OP_XOR);
OPERATOR(do_iadd, MP_BINARY_OP_INPLACE_ADD);
OPERATOR(do_imul, MP_BINARY_OP_INPLACE_MULTIPLY);
OPERATOR(do_lt, MP_BINARY_OP_LESS);
OPERATOR(do_le, MP_BINARY_OP_LESS_EQUAL);
OPERATOR(do_gt, MP_BINARY_OP_MORE);
OPERATOR(do_ge, MP_BINARY_OP_MORE_EQUAL);
REFLECTED(do_radd, MP_BINARY_OP_ADD);
REFLECTED(do_rsub, MP_BINARY_OP_SUBTRACT);
REFLECTED(do_rmul, MP_BINARY_OP_MULTIPLY);
REFLECTED(do_rtruediv, MP_BINARY_OP_TRUE_DIVIDE);
REFLECTED(do_rfloordiv, MP_BINARY_OP_FLOOR_DIVIDE);
REFLECTED(do_rmod, MP_BINARY_OP_MODULO);
REFLECTED(do_rpow, MP_BINARY_OP_POWER);
SPECIAL(do_neg, MP_UNARY_OP_NEGATIVE);
SPECIAL(do_pos, MP_UNARY_OP_POSITIVE);
SPECIAL(do_abs, MP_UNARY_OP_ABS);
SPECIAL(do_invert, MP_UNARY_OP_INVERT);
SPECIAL(do_hash, MP_UNARY_OP_HASH);

static mp_obj_t do_len(mp_obj_t self) {
    return mp_obj_len(part_of(self));
}
static MP_DEFINE_CONST_FUN_OBJ_1(do_len_obj, do_len);

static mp_obj_t do_eq(mp_obj_t self, mp_obj_t other) {
    return refuses(MP_BINARY_OP_EQUAL, self, other) ? mp_const_notimplemented
        : mp_obj_equal_not_equal(MP_BINARY_OP_EQUAL, self, other);
}
static MP_DEFINE_CONST_FUN_OBJ_2(do_eq_obj, do_eq);

static mp_obj_t do_ne(mp_obj_t self, mp_obj_t other) {
    return refuses(MP_BINARY_OP_EQUAL, self, other) ? mp_const_notimplemented
        : mp_obj_equal_not_equal(MP_BINARY_OP_NOT_EQUAL, self, other);
}
static MP_DEFINE_CONST_FUN_OBJ_2(do_ne_obj, do_ne);

static mp_obj_t do_contains(mp_obj_t self, mp_obj_t item) {
    return mp_binary_op(MP_BINARY_OP_CONTAINS, self, item);
}
static MP_DEFINE_CONST_FUN_OBJ_2(do_contains_obj, do_contains);

static mp_obj_t do_bool(mp_obj_t self) {
    return mp_obj_new_bool(mp_obj_is_true(self));
}
static MP_DEFINE_CONST_FUN_OBJ_1(do_bool_obj, do_bool);

static mp_obj_t do_iter(mp_obj_t self) {
    return mp_getiter(self, NULL);
}
static MP_DEFINE_CONST_FUN_OBJ_1(do_iter_obj, do_iter);

static mp_obj_t text_of(mp_obj_t self, mp_print_kind_t kind) {
    vstr_t text;
    mp_print_t print;
    vstr_init_print(&text, 16, &print);
    mp_obj_print_helper(&print, self, kind);
    return mp_obj_new_str_from_vstr(&text);
}

static mp_obj_t do_repr(mp_obj_t self) {
    return text_of(self, PRINT_REPR);
}
static MP_DEFINE_CONST_FUN_OBJ_1(do_repr_obj, do_repr);

static mp_obj_t do_str(mp_obj_t self) {
    return text_of(self, PRINT_STR);
}
static MP_DEFINE_CONST_FUN_OBJ_1(do_str_obj, do_str);

#if MICROPY_PY_BUILTINS_FLOAT
static mp_obj_t do_float(mp_obj_t self) {
    return mp_obj_new_float(mp_obj_get_float(self));
}
static MP_DEFINE_CONST_FUN_OBJ_1(do_float_obj, do_float);
#endif

// Special methods of every type below.
static const mp_rom_map_elem_t object_table[] = {
    { MP_ROM_QSTR(MP_QSTR___eq__), MP_ROM_PTR(&do_eq_obj) },
    { MP_ROM_QSTR(MP_QSTR___ne__), MP_ROM_PTR(&do_ne_obj) },
    { MP_ROM_QSTR(MP_QSTR___repr__), MP_ROM_PTR(&do_repr_obj) },
    { MP_ROM_QSTR(MP_QSTR___str__), MP_ROM_PTR(&do_str_obj) },
};
static MP_DEFINE_CONST_DICT(object_methods, object_table);

static const mp_rom_map_elem_t order_table[] = {
    { MP_ROM_QSTR(MP_QSTR___lt__), MP_ROM_PTR(&do_lt_obj) },
    { MP_ROM_QSTR(MP_QSTR___le__), MP_ROM_PTR(&do_le_obj) },
    { MP_ROM_QSTR(MP_QSTR___gt__), MP_ROM_PTR(&do_gt_obj) },
    { MP_ROM_QSTR(MP_QSTR___ge__), MP_ROM_PTR(&do_ge_obj) },
};
static MP_DEFINE_CONST_DICT(order_methods, order_table);

static const mp_rom_map_elem_t hash_table[] = {
    { MP_ROM_QSTR(MP_QSTR___hash__), MP_ROM_PTR(&do_hash_obj) },
};
static MP_DEFINE_CONST_DICT(hash_methods, hash_table);

static const mp_rom_map_elem_t container_table[] = {
    { MP_ROM_QSTR(MP_QSTR___contains__), MP_ROM_PTR(&do_contains_obj) },
    { MP_ROM_QSTR(MP_QSTR___iter__), MP_ROM_PTR(&do_iter_obj) },
    { MP_ROM_QSTR(MP_QSTR___len__), MP_ROM_PTR(&do_len_obj) },
};
static MP_DEFINE_CONST_DICT(container_methods, container_table);

static const mp_rom_map_elem_t sequence_table[] = {
    { MP_ROM_QSTR(MP_QSTR___add__), MP_ROM_PTR(&do_add_obj) },
    { MP_ROM_QSTR(MP_QSTR___getitem__), MP_ROM_PTR(&do_getitem_obj) },
    { MP_ROM_QSTR(MP_QSTR___mul__), MP_ROM_PTR(&do_mul_obj) },
    { MP_ROM_QSTR(MP_QSTR___rmul__), MP_ROM_PTR(&do_rmul_obj) },
};
static MP_DEFINE_CONST_DICT(sequence_methods, sequence_table);

static const mp_rom_map_elem_t change_table[] = {
    { MP_ROM_QSTR(MP_QSTR___delitem__), MP_ROM_PTR(&do_delitem_obj) },
    { MP_ROM_QSTR(MP_QSTR___iadd__), MP_ROM_PTR(&do_iadd_obj) },
    { MP_ROM_QSTR(MP_QSTR___imul__), MP_ROM_PTR(&do_imul_obj) },
    { MP_ROM_QSTR(MP_QSTR___setitem__), MP_ROM_PTR(&do_setitem_obj) },
};
static MP_DEFINE_CONST_DICT(change_methods, change_table);

static const mp_rom_map_elem_t set_table[] = {
    { MP_ROM_QSTR(MP_QSTR___and__), MP_ROM_PTR(&do_and_obj) },
    { MP_ROM_QSTR(MP_QSTR___or__), MP_ROM_PTR(&do_or_obj) },
    { MP_ROM_QSTR(MP_QSTR___sub__), MP_ROM_PTR(&do_sub_obj) },
    { MP_ROM_QSTR(MP_QSTR___xor__), MP_ROM_PTR(&do_xor_obj) },
};
static MP_DEFINE_CONST_DICT(set_methods, set_table);

static const mp_rom_map_elem_t number_table[] = {
    { MP_ROM_QSTR(MP_QSTR___abs__), MP_ROM_PTR(&do_abs_obj) },
    { MP_ROM_QSTR(MP_QSTR___add__), MP_ROM_PTR(&do_add_obj) },
    { MP_ROM_QSTR(MP_QSTR___bool__), MP_ROM_PTR(&do_bool_obj) },
    { MP_ROM_QSTR(MP_QSTR___divmod__), MP_ROM_PTR(&do_divmod_obj) },
    #if MICROPY_PY_BUILTINS_FLOAT
    { MP_ROM_QSTR(MP_QSTR___float__), MP_ROM_PTR(&do_float_obj) },
    #endif
    { MP_ROM_QSTR(MP_QSTR___floordiv__), MP_ROM_PTR(&do_floordiv_obj) },
    { MP_ROM_QSTR(MP_QSTR___mod__), MP_ROM_PTR(&do_mod_obj) },
    { MP_ROM_QSTR(MP_QSTR___mul__), MP_ROM_PTR(&do_mul_obj) },
    { MP_ROM_QSTR(MP_QSTR___neg__), MP_ROM_PTR(&do_neg_obj) },
    { MP_ROM_QSTR(MP_QSTR___pos__), MP_ROM_PTR(&do_pos_obj) },
    { MP_ROM_QSTR(MP_QSTR___pow__), MP_ROM_PTR(&do_pow_obj) },
    { MP_ROM_QSTR(MP_QSTR___radd__), MP_ROM_PTR(&do_radd_obj) },
    { MP_ROM_QSTR(MP_QSTR___rfloordiv__), MP_ROM_PTR(&do_rfloordiv_obj) },
    { MP_ROM_QSTR(MP_QSTR___rmod__), MP_ROM_PTR(&do_rmod_obj) },
    { MP_ROM_QSTR(MP_QSTR___rmul__), MP_ROM_PTR(&do_rmul_obj) },
    { MP_ROM_QSTR(MP_QSTR___rpow__), MP_ROM_PTR(&do_rpow_obj) },
    { MP_ROM_QSTR(MP_QSTR___rsub__), MP_ROM_PTR(&do_rsub_obj) },
    { MP_ROM_QSTR(MP_QSTR___rtruediv__), MP_ROM_PTR(&do_rtruediv_obj) },
    { MP_ROM_QSTR(MP_QSTR___sub__), MP_ROM_PTR(&do_sub_obj) },
    { MP_ROM_QSTR(MP_QSTR___truediv__), MP_ROM_PTR(&do_truediv_obj) },
};
static MP_DEFINE_CONST_DICT(number_methods, number_table);

static const mp_rom_map_elem_t integer_table[] = {
    { MP_ROM_QSTR(MP_QSTR___and__), MP_ROM_PTR(&do_and_obj) },
    { MP_ROM_QSTR(MP_QSTR___invert__), MP_ROM_PTR(&do_invert_obj) },
    { MP_ROM_QSTR(MP_QSTR___lshift__), MP_ROM_PTR(&do_lshift_obj) },
    { MP_ROM_QSTR(MP_QSTR___or__), MP_ROM_PTR(&do_or_obj) },
    { MP_ROM_QSTR(MP_QSTR___rshift__), MP_ROM_PTR(&do_rshift_obj) },
    { MP_ROM_QSTR(MP_QSTR___xor__), MP_ROM_PTR(&do_xor_obj) },
};
static MP_DEFINE_CONST_DICT(integer_methods, integer_table);

// reversed() of a dict or a view iterates over a list of its items.
static mp_obj_t do_reversed(mp_obj_t self) {
    const mp_obj_t items = mp_call_function_1(MP_OBJ_FROM_PTR(&mp_type_list), self);
    return mp_call_function_1(MP_OBJ_FROM_PTR(&mp_type_reversed), items);
}
static MP_DEFINE_CONST_FUN_OBJ_1(do_reversed_obj, do_reversed);

static const mp_rom_map_elem_t dict_table[] = {
    { MP_ROM_QSTR(MP_QSTR___reversed__), MP_ROM_PTR(&do_reversed_obj) },
};
static MP_DEFINE_CONST_DICT(dict_methods, dict_table);

static mp_obj_t view_isdisjoint(mp_obj_t self, mp_obj_t other) {
    mp_obj_iter_buf_t buffer;
    const mp_obj_t items = mp_getiter(other, &buffer);
    for (mp_obj_t item; (item = mp_iternext(items)) != MP_OBJ_STOP_ITERATION;) {
        if (mp_obj_is_true(mp_binary_op(MP_BINARY_OP_CONTAINS, self, item))) {
            return mp_const_false;
        }
    }
    return mp_const_true;
}
static MP_DEFINE_CONST_FUN_OBJ_2(view_isdisjoint_obj, view_isdisjoint);

static const mp_rom_map_elem_t view_table[] = {
    { MP_ROM_QSTR(MP_QSTR___reversed__), MP_ROM_PTR(&do_reversed_obj) },
    { MP_ROM_QSTR(MP_QSTR_isdisjoint), MP_ROM_PTR(&view_isdisjoint_obj) },
};
static MP_DEFINE_CONST_DICT(view_methods, view_table);

static MP_DEFINE_CONST_FUN_OBJ_2(range_count_obj, gpusnek_range_count);
static MP_DEFINE_CONST_FUN_OBJ_2(range_index_obj, gpusnek_range_index);

// For tuple displays with a star.
static mp_obj_t list_as_tuple(mp_obj_t self) {
    size_t length;
    mp_obj_t *items;
    gpusnek_check_self(self, &mp_type_list);
    mp_obj_list_get(self, &length, &items);
    return mp_obj_new_tuple(length, items);
}
static MP_DEFINE_CONST_FUN_OBJ_1(list_as_tuple_obj, list_as_tuple);

static const mp_rom_map_elem_t list_table[] = {
    { MP_ROM_QSTR(MP_QSTR__as_tuple), MP_ROM_PTR(&list_as_tuple_obj) },
};
static MP_DEFINE_CONST_DICT(list_methods, list_table);

static const mp_rom_map_elem_t range_table[] = {
    { MP_ROM_QSTR(MP_QSTR_count), MP_ROM_PTR(&range_count_obj) },
    { MP_ROM_QSTR(MP_QSTR_index), MP_ROM_PTR(&range_index_obj) },
};
static MP_DEFINE_CONST_DICT(range_methods, range_table);

// Returns the three functions of a property. Raises TypeError for other objects: `Named.__get__` of a
// class that derives from property does not check its first argument.
static const mp_obj_t *property_parts(mp_obj_t self) {
    const mp_obj_t native = mp_obj_cast_to_native_base(self, MP_OBJ_FROM_PTR(&mp_type_property));
    if (native == MP_OBJ_NULL) {
        mp_raise_TypeError(MP_ERROR_TEXT("not a property"));
    }
    return mp_obj_property_get(native);
}

static mp_obj_t property_fget(mp_obj_t self) {
    return property_parts(self)[0];
}
GPUSNEK_GETTER(property_fget_obj, property_fget);

static mp_obj_t property_fset(mp_obj_t self) {
    return property_parts(self)[1];
}
GPUSNEK_GETTER(property_fset_obj, property_fset);

static mp_obj_t property_fdel(mp_obj_t self) {
    return property_parts(self)[2];
}
GPUSNEK_GETTER(property_fdel_obj, property_fdel);

static mp_obj_t property_doc(mp_obj_t self) {
    const mp_obj_t getter = property_parts(self)[0];
    mp_obj_t doc[2] = {MP_OBJ_NULL, MP_OBJ_NULL};
    mp_load_method_maybe(getter, MP_QSTR___doc__, doc);
    return doc[0] == MP_OBJ_NULL ? mp_const_none : doc[0];
}
GPUSNEK_GETTER(property_doc_obj, property_doc);

static mp_obj_t property_call(mp_obj_t self, size_t part, const char *lacks, size_t n_args, const mp_obj_t *args) {
    const mp_obj_t function = property_parts(self)[part];
    if (function == mp_const_none) {
        mp_raise_msg_varg(&mp_type_AttributeError, MP_ERROR_TEXT("property of '%s' object has no %s"),
            mp_obj_get_type_str(args[0]), lacks);
    }
    return mp_call_function_n_kw(function, n_args, 0, args);
}

static mp_obj_t property_get(size_t n_args, const mp_obj_t *args) {
    (void)n_args;
    property_parts(args[0]);
    return args[1] == mp_const_none ? args[0] : property_call(args[0], 0, "getter", 1, args + 1);
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(property_get_obj, 2, 3, property_get);

static mp_obj_t property_set(mp_obj_t self, mp_obj_t object, mp_obj_t value) {
    const mp_obj_t args[2] = {object, value};
    property_call(self, 1, "setter", 2, args);
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_3(property_set_obj, property_set);

static mp_obj_t property_delete(mp_obj_t self, mp_obj_t object) {
    property_call(self, 2, "deleter", 1, &object);
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_2(property_delete_obj, property_delete);

static const mp_rom_map_elem_t property_table[] = {
    { MP_ROM_QSTR(MP_QSTR_fget), MP_ROM_PTR(&property_fget_obj) },
    { MP_ROM_QSTR(MP_QSTR_fset), MP_ROM_PTR(&property_fset_obj) },
    { MP_ROM_QSTR(MP_QSTR_fdel), MP_ROM_PTR(&property_fdel_obj) },
    { MP_ROM_QSTR(MP_QSTR___doc__), MP_ROM_PTR(&property_doc_obj) },
    { MP_ROM_QSTR(MP_QSTR___get__), MP_ROM_PTR(&property_get_obj) },
    { MP_ROM_QSTR(MP_QSTR___set__), MP_ROM_PTR(&property_set_obj) },
    { MP_ROM_QSTR(MP_QSTR___delete__), MP_ROM_PTR(&property_delete_obj) },
};
static MP_DEFINE_CONST_DICT(property_methods, property_table);

// The tables of a type. The first one is its own.
#define TABLES (6)
typedef struct {
    const mp_obj_type_t *type;
    const mp_obj_dict_t *tables[TABLES];
} attributes_t;

static const attributes_t all_attributes[] = {
    { &mp_type_str, { &gpusnek_str_methods, &object_methods, &order_methods, &hash_methods, &container_methods, &sequence_methods } },
    { &mp_type_int, { &gpusnek_int_methods, &object_methods, &order_methods, &hash_methods, &number_methods, &integer_methods } },
    #if GPUSNEK_PATCH_CLASSES
    { &mp_type_object, { &gpusnek_object_methods, NULL, NULL, NULL, NULL, NULL } },
    #endif
    { &mp_type_bool, { &gpusnek_int_methods, &object_methods, &order_methods, &hash_methods, &number_methods, &integer_methods } },
    #if MICROPY_PY_BUILTINS_FLOAT
    { &mp_type_float, { &gpusnek_float_methods, &object_methods, &order_methods, &hash_methods, &number_methods, NULL } },
    #endif
    #if MICROPY_PY_BUILTINS_COMPLEX
    { &mp_type_complex, { &gpusnek_complex_methods, &object_methods, &hash_methods, NULL, NULL, NULL } },
    #endif
    { &mp_type_list, { &list_methods, &change_methods, &object_methods, &order_methods, &container_methods, &sequence_methods } },
    { &mp_type_tuple, { &hash_methods, &object_methods, &order_methods, &container_methods, &sequence_methods, NULL } },
    { &mp_type_dict, { &dict_methods, &container_methods, &object_methods, NULL, NULL, NULL } },
    { &mp_type_ordereddict, { &dict_methods, &container_methods, &object_methods, NULL, NULL, NULL } },
    { &mp_type_set, { &set_methods, &object_methods, &order_methods, &container_methods, NULL, NULL } },
    { &mp_type_frozenset, { &set_methods, &object_methods, &order_methods, &hash_methods, &container_methods, NULL } },
    { &mp_type_bytes, { &gpusnek_bytes_methods, &object_methods, &order_methods, &hash_methods, &container_methods, &sequence_methods } },
    { &mp_type_bytearray, { &gpusnek_bytearray_methods, &object_methods, &order_methods, &container_methods, &sequence_methods, &change_methods } },
    #if GPUSNEK_PATCH_DEQUE
    { &mp_type_deque, { &gpusnek_deque_attributes, &object_methods, &order_methods, &container_methods, &sequence_methods, &change_methods } },
    #endif
    #if MICROPY_PY_IO
    { &mp_type_stringio, { &gpusnek_memory_stream_methods, NULL, NULL, NULL, NULL, NULL } },
    #if MICROPY_PY_IO_BYTESIO
    { &mp_type_bytesio, { &gpusnek_memory_stream_methods, NULL, NULL, NULL, NULL, NULL } },
    #endif
    #endif
    { &mp_type_property, { &property_methods, NULL, NULL, NULL, NULL, NULL } },
    { &mp_type_array, { &gpusnek_array_methods, &object_methods, &order_methods, &container_methods, &sequence_methods, &change_methods } },
    { &mp_type_memoryview, { &gpusnek_memoryview_methods, NULL, NULL, NULL, NULL, NULL } },
    { &mp_type_range, { &range_methods, &object_methods, &hash_methods, &container_methods, NULL, NULL } },
};

mp_obj_t gpusnek_call_native(mp_obj_t function, mp_obj_t native, size_t n_args, size_t n_kw,
    const mp_obj_t *args) {
    const size_t size = n_args + 2 * n_kw;
    mp_obj_t few[8];
    mp_obj_t *const copy = size <= MP_ARRAY_SIZE(few) ? few : m_new(mp_obj_t, size);
    memcpy(copy, args, size * sizeof(mp_obj_t));
    copy[0] = native;
    return mp_call_function_n_kw(function, n_args, n_kw, copy);
}

MP_DEFINE_CONST_OBJ_TYPE(gpusnek_getter_type, MP_QSTR_getset_descriptor, MP_TYPE_FLAG_NONE);

// Load a method of asyncio's tasks from the frozen module `_asynciotasks`.
static bool task_method(mp_obj_t self, qstr name, mp_obj_t *dest) {
    #if MICROPY_MODULE_FROZEN
    if (name != MP_QSTR_result && name != MP_QSTR_exception && name != MP_QSTR_cancelled
        && name != MP_QSTR_get_coro && name != MP_QSTR_add_done_callback
        && name != MP_QSTR_remove_done_callback && name != MP_QSTR_get_name
        && name != MP_QSTR_set_name) {
        return false;
    }
    int kind;
    void *data;
    if (mp_find_frozen_module("_asynciotasks.py", &kind, &data) != MP_IMPORT_STAT_FILE) {
        return false;
    }
    const mp_obj_t module
        = mp_import_name(MP_QSTR__asynciotasks, mp_const_none, MP_OBJ_NEW_SMALL_INT(0));
    mp_load_method_maybe(module, name, dest);
    dest[1] = self;
    return dest[0] != MP_OBJ_NULL;
    #else
    return false;
    #endif
}

bool gpusnek_find_method(mp_obj_t self, const mp_obj_type_t *type, const mp_obj_type_t *own_type,
    qstr name, mp_obj_t *dest) {
    switch (name) {
        // Upstream asks each value of a class for these. Only the table of property has any.
        case MP_QSTR___get__:
        case MP_QSTR___set__:
        case MP_QSTR___delete__:
            if (type == &mp_type_property) {
                break;
            }
            return false;
        case MP_QSTR___set_name__:
        case MP_QSTR___getattr__:
        case MP_QSTR___setattr__:
        case MP_QSTR___delattr__:
            return false;
        default:
            break;
    }
    const attributes_t *row = all_attributes;
    const attributes_t *const end = row + MP_ARRAY_SIZE(all_attributes);
    while (row < end && row->type != type) {
        row++;
    }
    if (row == end) {
        // The type of views is private to py/objdict.c. A view of values has a hash, and is no set.
        if (type->name == MP_QSTR_dict_view && self != MP_OBJ_NULL && MP_OBJ_TYPE_HAS_SLOT(type, unary_op)
            && (name != MP_QSTR_isdisjoint
                || MP_OBJ_TYPE_GET_SLOT(type, unary_op)(MP_UNARY_OP_HASH, self) == MP_OBJ_NULL)) {
            const mp_map_elem_t *const entry = mp_map_lookup(
                (mp_map_t *)&view_methods.map, MP_OBJ_NEW_QSTR(name), MP_MAP_LOOKUP);
            if (entry != NULL) {
                mp_convert_member_lookup(self, own_type, entry->value, dest);
                return true;
            }
        }
        if (type->name == MP_QSTR_Task && self != MP_OBJ_NULL && task_method(self, name, dest)) {
            return true;
        }
        #if GPUSNEK_PATCH_EXCEPTIONS
        return self == MP_OBJ_NULL && gpusnek_exception_method(MP_OBJ_NULL, type, name, dest);
        #else
        return false;
        #endif
    }
    for (size_t i = 0; i < TABLES && row->tables[i] != NULL; i++) {
        mp_map_t *const map = (mp_map_t *)&row->tables[i]->map;
        const mp_map_elem_t *const entry = mp_map_lookup(map, MP_OBJ_NEW_QSTR(name), MP_MAP_LOOKUP);
        if (entry == NULL) {
            continue;
        }
        if (self != MP_OBJ_NULL && mp_obj_is_type(entry->value, &gpusnek_getter_type)) {
            dest[0] = ((const gpusnek_getter_t *)MP_OBJ_TO_PTR(entry->value))->get(self);
        } else {
            mp_convert_member_lookup(self, own_type, entry->value, dest);
        }
        return true;
    }
    return false;
}

static bool name_in(const mp_map_t *map, mp_obj_t value, mp_obj_t *dest) {
    for (size_t i = 0; i < map->alloc; i++) {
        if (mp_map_slot_is_filled(map, i) && map->table[i].value == value) {
            dest[0] = map->table[i].key;
            return true;
        }
    }
    return false;
}

bool gpusnek_builtin_name(mp_obj_t self, mp_obj_t *dest) {
    if (name_in(&mp_module_builtins.globals->map, self, dest)) {
        return true;
    }
    const mp_map_t *const modules = &MP_STATE_VM(mp_loaded_modules_dict).map;
    for (size_t i = 0; i < modules->alloc; i++) {
        if (mp_map_slot_is_filled(modules, i) && mp_obj_is_type(modules->table[i].value, &mp_type_module)
            && name_in(&mp_obj_module_get_globals(modules->table[i].value)->map, self, dest)) {
            return true;
        }
    }
    return false;
}

qstr gpusnek_method_name(const mp_obj_type_t *type, mp_obj_t function) {
    for (size_t i = 0; i < MP_ARRAY_SIZE(all_attributes); i++) {
        for (size_t j = 0; j < TABLES && all_attributes[i].type == type && all_attributes[i].tables[j] != NULL; j++) {
            const mp_map_t *const map = &all_attributes[i].tables[j]->map;
            for (size_t k = 0; k < map->used; k++) {
                if (map->table[k].value == function) {
                    return MP_OBJ_QSTR_VALUE(map->table[k].key);
                }
            }
        }
    }
    return MP_QSTRnull;
}

mp_obj_t gpusnek_type_dict(const mp_obj_type_t *type, const mp_obj_dict_t *dict) {
    const mp_obj_t copied = mp_obj_dict_copy(MP_OBJ_FROM_PTR(dict));
    mp_map_t *const map = &((mp_obj_dict_t *)MP_OBJ_TO_PTR(copied))->map;
    for (size_t i = 0; i < map->alloc; i++) {
        if (mp_map_slot_is_filled(map, i) && mp_obj_is_obj(map->table[i].value)
            && (mp_obj_get_type(map->table[i].value)->flags & MP_TYPE_FLAG_BUILTIN_FUN)) {
            mp_obj_t found[2] = {MP_OBJ_NULL, MP_OBJ_NULL};
            mp_convert_member_lookup(MP_OBJ_NULL, type, map->table[i].value, found);
            map->table[i].value = found[0];
        }
    }
    map->is_fixed = 1;
    return copied;
}
