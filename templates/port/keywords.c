// Keyword arguments of built-in functions. Upstream's functions take positional arguments only, with
// few exceptions. gpusnek_call_keywords() turns keyword arguments into positional ones.
#include "keywords.h"

#include <string.h>

#include "methods_text.h"
#include "py/builtin.h"
#include "py/objstr.h"
#include "py/objtype.h"
#include "py/runtime.h"
#include "types.h"

#define MOST_PARAMETERS (3)

// The parameters of a function, behind `self` of a method.
typedef struct {
    const mp_obj_type_t *owner; // the type that has the method; NULL: a built-in function
    uint16_t name; // of the function or method; MP_QSTRnull: the type itself
    uint16_t parameters[MOST_PARAMETERS];
} signature_t;

static const signature_t signatures[] = {
    { NULL, MP_QSTR_sum, { MP_QSTRnull, MP_QSTR_start } },
    { NULL, MP_QSTR_round, { MP_QSTR_number, MP_QSTR_ndigits } },
    { NULL, MP_QSTR_pow, { MP_QSTR_base, MP_QSTR_exp, MP_QSTR_mod } },
    { &mp_type_int, MP_QSTRnull, { MP_QSTRnull, MP_QSTR_base } },
    { &mp_type_str, MP_QSTRnull, { MP_QSTR_object, MP_QSTR_encoding, MP_QSTR_errors } },
    { &mp_type_bytes, MP_QSTRnull, { MP_QSTR_source, MP_QSTR_encoding, MP_QSTR_errors } },
    { &mp_type_bytearray, MP_QSTRnull, { MP_QSTR_source, MP_QSTR_encoding, MP_QSTR_errors } },
    #if MICROPY_PY_BUILTINS_COMPLEX
    { &mp_type_complex, MP_QSTRnull, { MP_QSTR_real, MP_QSTR_imag } },
    #endif
    { &mp_type_str, MP_QSTR_split, { MP_QSTR_sep, MP_QSTR_maxsplit } },
    { &mp_type_str, MP_QSTR_rsplit, { MP_QSTR_sep, MP_QSTR_maxsplit } },
    { &mp_type_str, MP_QSTR_encode, { MP_QSTR_encoding, MP_QSTR_errors } },
    { &mp_type_bytes, MP_QSTR_decode, { MP_QSTR_encoding, MP_QSTR_errors } },
    { &mp_type_str, MP_QSTR_replace, { MP_QSTR_old, MP_QSTR_new, MP_QSTR_count } },
    { &mp_type_str, MP_QSTR_expandtabs, { MP_QSTR_tabsize } },
    { &mp_type_bytes, MP_QSTR_translate, { MP_QSTR_table, MP_QSTR_delete } },
    { &mp_type_bytes, MP_QSTR_hex, { MP_QSTR_sep, MP_QSTR_bytes_per_sep } },
    { &mp_type_int, MP_QSTR_to_bytes, { MP_QSTR_length, MP_QSTR_byteorder, MP_QSTR_signed } },
    { &mp_type_int, MP_QSTR_from_bytes, { MP_QSTR_bytes, MP_QSTR_byteorder, MP_QSTR_signed } },
};

// Returns the value of a parameter that a call leaves out before another argument; MP_OBJ_NULL if
// the parameter has no default.
static mp_obj_t default_of(qstr parameter) {
    switch (parameter) {
        case MP_QSTR_sep:
        case MP_QSTR_mod:
            return mp_const_none;
        case MP_QSTR_encoding:
            return MP_OBJ_NEW_QSTR(MP_QSTR_utf_hyphen_8);
        case MP_QSTR_byteorder:
            return MP_OBJ_NEW_QSTR(MP_QSTR_big);
        case MP_QSTR_real:
            return MP_OBJ_NEW_SMALL_INT(0);
        case MP_QSTR_length:
            return MP_OBJ_NEW_SMALL_INT(1);
        case MP_QSTR_object:
            return MP_OBJ_NEW_QSTR(MP_QSTR_);
        case MP_QSTR_source:
            return mp_const_empty_bytes;
        default:
            return MP_OBJ_NULL;
    }
}

// Returns the position of a parameter, or MOST_PARAMETERS.
static size_t position_of(const signature_t *signature, mp_obj_t name) {
    size_t at = 0;
    while (at < MOST_PARAMETERS && (signature->parameters[at] == MP_QSTRnull
                                       || MP_OBJ_NEW_QSTR(signature->parameters[at]) != name)) {
        at++;
    }
    return at;
}

// Returns whether this is the function of the signature.
static bool is_function(const signature_t *signature, mp_obj_t function) {
    if (signature->name == MP_QSTRnull) {
        return function == MP_OBJ_FROM_PTR(signature->owner);
    }
    const mp_obj_dict_t *dict = &mp_module_builtins_globals;
    if (signature->owner != NULL) {
        dict = MP_OBJ_TYPE_GET_SLOT(signature->owner, locals_dict);
    }
    mp_obj_t found;
    mp_map_elem_t *const entry =
        mp_map_lookup((mp_map_t *)&dict->map, MP_OBJ_NEW_QSTR(signature->name), MP_MAP_LOOKUP);
    if (entry != NULL) {
        found = entry->value;
    } else {
        mp_obj_t method[2] = {MP_OBJ_NULL, MP_OBJ_NULL};
        const mp_obj_t any = signature->owner == &mp_type_str ? MP_OBJ_NEW_QSTR(MP_QSTR_) : mp_const_empty_bytes;
        mp_load_method_maybe(any, signature->name, method);
        found = method[0];
    }
    if (mp_obj_is_obj(found) && mp_obj_is_type(found, &mp_type_classmethod)) {
        found = ((const mp_obj_static_class_method_t *)MP_OBJ_TO_PTR(found))->fun;
    }
    return found == function;
}

static mp_obj_t call_positional(const signature_t *signature, mp_obj_t function, size_t n_args,
    size_t n_kw, const mp_obj_t *args) {
    const size_t self = signature->owner != NULL && signature->name != MP_QSTRnull;
    mp_obj_t given[1 + MOST_PARAMETERS] = {MP_OBJ_NULL, MP_OBJ_NULL, MP_OBJ_NULL, MP_OBJ_NULL};
    if (n_args < self || n_args > self + MOST_PARAMETERS) {
        return MP_OBJ_NULL; // upstream raises TypeError
    }
    memcpy(given, args, n_args * sizeof(mp_obj_t));
    size_t count = n_args;
    for (size_t i = 0; i < n_kw; i++) {
        const mp_obj_t name = args[n_args + 2 * i];
        const size_t at = self + position_of(signature, name);
        if (at == self + MOST_PARAMETERS) {
            mp_raise_msg_varg(&mp_type_TypeError,
                MP_ERROR_TEXT("got an unexpected keyword argument '%q'"), MP_OBJ_QSTR_VALUE(name));
        }
        if (given[at] != MP_OBJ_NULL) {
            mp_raise_msg_varg(&mp_type_TypeError,
                MP_ERROR_TEXT("argument for '%q' given by name and position"),
                MP_OBJ_QSTR_VALUE(name));
        }
        given[at] = args[n_args + 2 * i + 1];
        count = at >= count ? at + 1 : count;
    }
    for (size_t i = self; i < count; i++) {
        const qstr parameter = signature->parameters[i - self];
        if (given[i] == MP_OBJ_NULL) {
            given[i] = default_of(parameter);
        }
        if (given[i] == MP_OBJ_NULL && parameter == MP_QSTRnull) {
            mp_raise_TypeError(MP_ERROR_TEXT("int() missing string argument"));
        }
        if (given[i] == MP_OBJ_NULL) {
            mp_raise_msg_varg(&mp_type_TypeError,
                MP_ERROR_TEXT("missing required argument '%q'"), parameter);
        }
    }
    if (function == MP_OBJ_FROM_PTR(&mp_builtin_round_obj) && given[1] == mp_const_none) {
        count = 1;
    }
    return mp_call_function_n_kw(function, count, 0, given);
}

// The iterator of zip(..., strict=True).
typedef struct {
    mp_obj_base_t base;
    size_t count;
    mp_obj_t iterators[];
} strict_zip_t;

static mp_obj_t strict_next(mp_obj_t self_in) {
    const strict_zip_t *const self = MP_OBJ_TO_PTR(self_in);
    if (self->count == 0) {
        return MP_OBJ_STOP_ITERATION;
    }
    mp_obj_tuple_t *const items = MP_OBJ_TO_PTR(mp_obj_new_tuple(self->count, NULL));
    for (size_t i = 0; i < self->count; i++) {
        items->items[i] = mp_iternext(self->iterators[i]);
        if (items->items[i] != MP_OBJ_STOP_ITERATION) {
            continue;
        }
        if (i > 0) {
            mp_raise_msg_varg(&mp_type_ValueError,
                MP_ERROR_TEXT("zip() argument %d is shorter than argument%s%d"), (int)i + 1,
                i == 1 ? " " : "s 1-", (int)i);
        }
        for (i = 1; i < self->count; i++) {
            if (mp_iternext(self->iterators[i]) != MP_OBJ_STOP_ITERATION) {
                mp_raise_msg_varg(&mp_type_ValueError,
                    MP_ERROR_TEXT("zip() argument %d is longer than argument%s%d"), (int)i + 1,
                    i == 1 ? " " : "s 1-", (int)i);
            }
        }
        return MP_OBJ_STOP_ITERATION;
    }
    return MP_OBJ_FROM_PTR(items);
}

static MP_DEFINE_CONST_OBJ_TYPE(
    strict_zip_type,
    MP_QSTR_zip,
    MP_TYPE_FLAG_ITER_IS_ITERNEXT,
    iter, strict_next
    );

static mp_obj_t call_zip(size_t n_args, const mp_obj_t *args, mp_obj_t strict) {
    if (!mp_obj_is_true(strict)) {
        return mp_call_function_n_kw(MP_OBJ_FROM_PTR(&mp_type_zip), n_args, 0, args);
    }
    strict_zip_t *const zip = mp_obj_malloc_var(strict_zip_t, iterators, mp_obj_t, n_args, &strict_zip_type);
    zip->count = 0;
    for (size_t i = 0; i < n_args; i++) {
        zip->iterators[i] = mp_getiter(args[i], NULL);
    }
    zip->count = n_args;
    return MP_OBJ_FROM_PTR(zip);
}

// Calls a function without the keyword argument at `at`.
static mp_obj_t call_without(
    mp_obj_t function, size_t n_args, size_t n_kw, const mp_obj_t *args, size_t at) {
    const size_t size = n_args + 2 * n_kw - 2;
    mp_obj_t few[8];
    mp_obj_t *const kept = size <= MP_ARRAY_SIZE(few) ? few : m_new(mp_obj_t, size);
    memcpy(kept, args, at * sizeof(mp_obj_t));
    memcpy(kept + at, args + at + 2, (size - at) * sizeof(mp_obj_t));
    return mp_call_function_n_kw(function, n_args, n_kw - 1, kept);
}

// Checks the keyword arguments of min() or max(), and calls the function without a key that is None.
// Returns MP_OBJ_NULL if the caller must call upstream's function with all of them. Upstream ignores
// unknown names, and calls None as a key.
static mp_obj_t call_extremum(
    mp_obj_t function, const char *name, size_t n_args, size_t n_kw, const mp_obj_t *args) {
    size_t none = 0; // position of `key=None`
    for (size_t at = n_args; n_args > 0 && at < n_args + 2 * n_kw; at += 2) {
        if (args[at] == MP_OBJ_NEW_QSTR(MP_QSTR_key)) {
            none = args[at + 1] == mp_const_none ? at : none;
        } else if (args[at] != MP_OBJ_NEW_QSTR(MP_QSTR_default)) {
            mp_raise_msg_varg(&mp_type_TypeError,
                MP_ERROR_TEXT("'%q' is an invalid keyword argument for %s()"),
                MP_OBJ_QSTR_VALUE(args[at]), name);
        } else if (n_args > 1) {
            mp_raise_msg_varg(&mp_type_TypeError,
                MP_ERROR_TEXT("Cannot specify a default for %s() with multiple positional arguments"),
                name);
        }
    }
    return none == 0 ? MP_OBJ_NULL : call_without(function, n_args, n_kw, args, none);
}

static mp_obj_t call_slice(size_t n_args, size_t n_kw, const mp_obj_t *args) {
    mp_arg_check_num(n_args, n_kw, 1, 3, false);
    return n_args == 1 ? mp_obj_new_slice(mp_const_none, args[0], mp_const_none)
                       : mp_obj_new_slice(args[0], args[1], n_args > 2 ? args[2] : mp_const_none);
}

// The iterator of iter(function, sentinel). function: MP_OBJ_NULL once it has ended.
typedef struct {
    mp_obj_base_t base;
    mp_obj_t function;
    mp_obj_t sentinel;
} call_iterator_t;

static mp_obj_t call_next(mp_obj_t self_in) {
    call_iterator_t *const self = MP_OBJ_TO_PTR(self_in);
    if (self->function == MP_OBJ_NULL) {
        return MP_OBJ_STOP_ITERATION;
    }
    nlr_buf_t nlr;
    if (nlr_push(&nlr) != 0) {
        const mp_obj_t exception = MP_OBJ_FROM_PTR(nlr.ret_val);
        if (!mp_obj_exception_match(exception, MP_OBJ_FROM_PTR(&mp_type_StopIteration))) {
            nlr_raise(exception);
        }
        self->function = MP_OBJ_NULL;
        return MP_OBJ_STOP_ITERATION;
    }
    const mp_obj_t value = mp_call_function_0(self->function);
    nlr_pop();
    if (value == self->sentinel || mp_obj_equal(value, self->sentinel)) {
        self->function = MP_OBJ_NULL;
        return MP_OBJ_STOP_ITERATION;
    }
    return value;
}

static MP_DEFINE_CONST_OBJ_TYPE(
    call_iterator_type,
    MP_QSTR_callable_iterator,
    MP_TYPE_FLAG_ITER_IS_ITERNEXT,
    iter, call_next
    );

static mp_obj_t new_call_iterator(mp_obj_t function, mp_obj_t sentinel) {
    if (!mp_obj_is_callable(function)) {
        mp_raise_TypeError(MP_ERROR_TEXT("iter(v, w): v must be callable"));
    }
    call_iterator_t *const self = mp_obj_malloc(call_iterator_t, &call_iterator_type);
    self->function = function;
    self->sentinel = sentinel;
    return MP_OBJ_FROM_PTR(self);
}

mp_obj_t gpusnek_call_keywords(mp_obj_t function, size_t n_args, size_t n_kw, const mp_obj_t *args) {
    if (function == MP_OBJ_FROM_PTR(&mp_type_slice)) {
        return call_slice(n_args, n_kw, args);
    }
    if (mp_obj_is_type(function, &mp_type_type)
        && !MP_OBJ_TYPE_HAS_SLOT((const mp_obj_type_t *)MP_OBJ_TO_PTR(function), make_new)) {
        return n_kw == 0 ? gpusnek_new_instance(MP_OBJ_TO_PTR(function), n_args, args) : MP_OBJ_NULL;
    }
    if (n_kw == 0) {
        if (function == MP_OBJ_FROM_PTR(&mp_builtin_iter_obj)) {
            return n_args == 2 ? new_call_iterator(args[0], args[1]) : MP_OBJ_NULL;
        }
        static const signature_t center = { &mp_type_str, MP_QSTR_center, { MP_QSTRnull } };
        if (n_args == 3 && is_function(&center, function)) { // with a fill character
            return mp_call_function_n_kw(MP_OBJ_FROM_PTR(&gpusnek_text_center_obj), n_args, 0, args);
        }
        return MP_OBJ_NULL;
    }
    const mp_obj_t first = args[n_args];
    if (function == MP_OBJ_FROM_PTR(&mp_builtin_print_obj)) {
        for (size_t at = n_args; at < n_args + 2 * n_kw; at += 2) {
            if (args[at] == MP_OBJ_NEW_QSTR(MP_QSTR_flush)) {
                return call_without(function, n_args, n_kw, args, at); // output is not buffered
            }
        }
        return MP_OBJ_NULL;
    }
    if (function == MP_OBJ_FROM_PTR(&mp_builtin_min_obj)) {
        return call_extremum(function, "min", n_args, n_kw, args);
    }
    if (function == MP_OBJ_FROM_PTR(&mp_builtin_max_obj)) {
        return call_extremum(function, "max", n_args, n_kw, args);
    }
    if (function == MP_OBJ_FROM_PTR(&mp_builtin___build_class___obj)) {
        return gpusnek_build_class(n_args, n_kw, args);
    }
    if (function == MP_OBJ_FROM_PTR(&mp_type_zip)) {
        return n_kw == 1 && first == MP_OBJ_NEW_QSTR(MP_QSTR_strict)
            ? call_zip(n_args, args, args[n_args + 1]) : MP_OBJ_NULL;
    }
    for (size_t i = 0; i < MP_ARRAY_SIZE(signatures); i++) {
        const signature_t *const signature = &signatures[i];
        if (position_of(signature, first) < MOST_PARAMETERS && is_function(signature, function)) {
            return call_positional(signature, function, n_args, n_kw, args);
        }
    }
    return MP_OBJ_NULL;
}
