// Attributes of built-in types that upstream lacks. The patch `methods` calls gpusnek_method() where
// upstream's search for an attribute has failed.
#ifndef GPUSNEK_METHODS_H
#define GPUSNEK_METHODS_H

#include "py/obj.h"

// As gpusnek_method(), which calls it if the type can have such attributes.
bool gpusnek_find_method(mp_obj_t self, const mp_obj_type_t *type, const mp_obj_type_t *own_type,
    qstr name, mp_obj_t *dest);

// Loads the name of a built-in function: that by which `builtins` or an imported module has it. Returns
// false if none has it.
bool gpusnek_builtin_name(mp_obj_t self, mp_obj_t *dest);

// Finds an attribute of a built-in type. `self`: the object, or MP_OBJ_NULL to get the attribute of
// the type. `own_type`: the class that a class method gets. Sets dest as mp_load_method_maybe(), and
// returns true, if there is one.
//
// Most searches that fail are for special methods of instances, functions and types.
static inline bool gpusnek_method(mp_obj_t self, const mp_obj_type_t *type,
    const mp_obj_type_t *own_type, qstr name, mp_obj_t *dest) {
    if ((type->flags & (MP_TYPE_FLAG_BUILTIN_FUN | MP_TYPE_FLAG_INSTANCE_TYPE)) == MP_TYPE_FLAG_BUILTIN_FUN
        && (name == MP_QSTR___name__ || name == MP_QSTR___qualname__)) {
        return self != MP_OBJ_NULL && gpusnek_builtin_name(self, dest);
    }
    return (type->flags & (MP_TYPE_FLAG_INSTANCE_TYPE | MP_TYPE_FLAG_BINDS_SELF)) == 0
           && type != &mp_type_type && gpusnek_find_method(self, type, own_type, name, dest);
}

// Return the name of a method of the port's tables of a type, or MP_QSTRnull.
qstr gpusnek_method_name(const mp_obj_type_t *type, mp_obj_t function);

// Returns a copy of the dict of a native type, whose functions check their first argument as those of
// the type's attributes do. No program can change the copy.
mp_obj_t gpusnek_type_dict(const mp_obj_type_t *type, const mp_obj_dict_t *dict);

// Calls a function with `native` in place of the first of its arguments.
mp_obj_t gpusnek_call_native(mp_obj_t function, mp_obj_t native, size_t n_args, size_t n_kw,
    const mp_obj_t *args);

// An attribute that is computed from the object.
typedef struct {
    mp_obj_base_t base;
    mp_fun_1_t get;
} gpusnek_getter_t;
extern const mp_obj_type_t gpusnek_getter_type;
#define GPUSNEK_GETTER(name, function) \
    static const gpusnek_getter_t name = {{&gpusnek_getter_type}, function}

// Methods of one type or of related types.
extern const mp_obj_dict_t gpusnek_str_methods;
extern const mp_obj_dict_t gpusnek_bytes_methods;
extern const mp_obj_dict_t gpusnek_bytearray_methods;
extern const mp_obj_dict_t gpusnek_int_methods;
extern const mp_obj_dict_t gpusnek_float_methods;
extern const mp_obj_dict_t gpusnek_array_methods;
extern const mp_obj_dict_t gpusnek_complex_methods;
extern const mp_obj_dict_t gpusnek_memoryview_methods;
extern const mp_obj_dict_t gpusnek_deque_attributes;
extern const mp_obj_dict_t gpusnek_memory_stream_methods; // of io.StringIO and io.BytesIO

MP_DECLARE_CONST_FUN_OBJ_2(gpusnek_stream_writelines_obj);

#endif
