// Messages of exceptions (messages.h).
#include "messages.h"

#include "classes.h"

#include <string.h>

#include "functions.h"
#include "methods.h"
#include "missing.h"
#include "prelude.h"
#include "py/builtin.h"
#include "py/objexcept.h"
#include "py/objlist.h"
#include "py/objmodule.h"
#include "py/objstr.h"
#include "py/objtuple.h"
#include "py/runtime.h"
#include "raised.h"

#define TYPES (16) // base types that are searched for a method

static _Noreturn void raise_text(const mp_obj_type_t *type, vstr_t *text) {
    const mp_obj_t message = mp_obj_new_str_from_vstr(text);
    nlr_raise(mp_obj_new_exception_args(type, 1, &message));
}

_Noreturn void gpusnek_raise_unary(mp_unary_op_t op, mp_obj_t operand) {
    const char *const type = mp_obj_get_type_str(operand);
    if (op == MP_UNARY_OP_HASH) {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("unhashable type: '%s'"), type);
    } else if (op == MP_UNARY_OP_ABS) {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("bad operand type for abs(): '%s'"), type);
    } else if (op == MP_UNARY_OP_POSITIVE || op == MP_UNARY_OP_NEGATIVE || op == MP_UNARY_OP_INVERT) {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("bad operand type for unary %c: '%s'"),
            op == MP_UNARY_OP_POSITIVE ? '+' : op == MP_UNARY_OP_NEGATIVE ? '-' : '~', type);
    }
    mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("unsupported type for %q: '%s'"),
        (qstr)mp_unary_op_method_name[op], type);
}

static const char *symbol_of(mp_binary_op_t op) {
    switch (op) {
        case MP_BINARY_OP_LESS:
            return "<";
        case MP_BINARY_OP_MORE:
            return ">";
        case MP_BINARY_OP_LESS_EQUAL:
            return "<=";
        case MP_BINARY_OP_MORE_EQUAL:
            return ">=";
        case MP_BINARY_OP_OR:
            return "|";
        case MP_BINARY_OP_XOR:
            return "^";
        case MP_BINARY_OP_AND:
            return "&";
        case MP_BINARY_OP_LSHIFT:
            return "<<";
        case MP_BINARY_OP_RSHIFT:
            return ">>";
        case MP_BINARY_OP_ADD:
            return "+";
        case MP_BINARY_OP_SUBTRACT:
            return "-";
        case MP_BINARY_OP_MULTIPLY:
            return "*";
        case MP_BINARY_OP_MAT_MULTIPLY:
            return "@";
        case MP_BINARY_OP_FLOOR_DIVIDE:
            return "//";
        case MP_BINARY_OP_TRUE_DIVIDE:
            return "/";
        case MP_BINARY_OP_MODULO:
            return "%";
        case MP_BINARY_OP_DIVMOD:
            return "divmod()";
        case MP_BINARY_OP_POWER:
            return "** or pow()";
        default:
            return NULL;
    }
}

static bool is_sequence(mp_obj_t value) {
    const mp_obj_type_t *const type = mp_obj_get_type(value);
    return type == &mp_type_str || type == &mp_type_list || type == &mp_type_tuple || type == &mp_type_bytes
        || type == &mp_type_bytearray;
}

_Noreturn void gpusnek_raise_binary(mp_binary_op_t op, mp_obj_t left, mp_obj_t right) {
    #if MICROPY_PY_REVERSE_SPECIAL_METHODS
    if (op >= MP_BINARY_OP_REVERSE_OR && op <= MP_BINARY_OP_REVERSE_POWER) {
        const mp_obj_t other = left;
        left = right;
        right = other;
        op = (mp_binary_op_t)(op - (MP_BINARY_OP_REVERSE_OR - MP_BINARY_OP_OR));
    }
    #endif
    const char *const left_type = mp_obj_get_type_str(left);
    const char *const right_type = mp_obj_get_type_str(right);
    const char *const symbol = symbol_of(op);
    if (op == MP_BINARY_OP_CONTAINS && !is_sequence(left)) {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("argument of type '%s' is not iterable"), left_type);
    } else if (op == MP_BINARY_OP_CONTAINS && mp_obj_is_str(left)) {
        mp_raise_msg_varg(&mp_type_TypeError,
            MP_ERROR_TEXT("'in <string>' requires string as left operand, not %s"), right_type);
    } else if (op == MP_BINARY_OP_CONTAINS && is_sequence(left)) {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("a bytes-like object is required, not '%s'"), right_type);
    } else if (op == MP_BINARY_OP_LESS || op == MP_BINARY_OP_MORE || op == MP_BINARY_OP_LESS_EQUAL
        || op == MP_BINARY_OP_MORE_EQUAL) {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("'%s' not supported between instances of '%s' and '%s'"),
            symbol, left_type, right_type);
    } else if (op == MP_BINARY_OP_ADD && is_sequence(left)) {
        if (mp_obj_is_type(left, &mp_type_bytes) || mp_obj_is_type(left, &mp_type_bytearray)) {
            mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("can't concat %s to %s"), right_type, left_type);
        }
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("can only concatenate %s (not \"%s\") to %s"),
            left_type, right_type, left_type);
    } else if (op == MP_BINARY_OP_MULTIPLY && (is_sequence(left) || is_sequence(right))) {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("can't multiply sequence by non-int of type '%s'"),
            is_sequence(left) ? right_type : left_type);
    } else if (op == MP_BINARY_OP_OR && right == MP_OBJ_NEW_SMALL_INT(0)) {
        // The compiler applies `| 0` to the arguments of a loop over range (rangeloops.h).
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("'%s' object cannot be interpreted as an integer"),
            left_type);
    } else if (symbol == NULL) {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("unsupported types for %q: '%s', '%s'"),
            (qstr)mp_binary_op_method_name[op], left_type, right_type);
    }
    mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("unsupported operand type(s) for %s: '%s' and '%s'"),
        symbol, left_type, right_type);
}

// Return a function's prelude, with the class of a method in its name.
static gpusnek_prelude_t prelude_of(const mp_obj_fun_bc_t *function) {
    gpusnek_prelude_t found = gpusnek_prelude(function);
    #if GPUSNEK_PATCH_FUNCTIONS
    const qstr path = gpusnek_function_path(MP_OBJ_FROM_PTR(function), found.name);
    found.name = path == MP_QSTRnull ? found.name : path;
    #endif
    return found;
}

// Adds a name and the separator behind it, of which `left` follow.
static void add_name(const mp_print_t *print, const gpusnek_prelude_t *prelude, size_t at, size_t left, size_t total) {
    const char *name = qstr_str(gpusnek_parameter(prelude, at));
    name += name[0] == '/'; // a positional-only parameter
    mp_printf(print, "'%s'%s", name, left == 0 ? "" : left > 1 ? ", " : total > 2 ? ", and " : " and ");
}

_Noreturn void gpusnek_raise_missing(const mp_obj_fun_bc_t *function, const mp_obj_t *last, bool keyword_only) {
    const gpusnek_prelude_t prelude = prelude_of(function);
    const size_t first = keyword_only ? prelude.positional : 0;
    const size_t end = keyword_only ? first + prelude.keyword_only : prelude.positional - prelude.defaults;
    vstr_t text;
    mp_print_t print;
    vstr_init_print(&text, 80, &print);
    size_t total = 0;
    for (int pass = 0; pass < 2; pass++) {
        size_t seen = 0;
        for (size_t i = first; i < end; i++) {
            bool lacks = *(last - i) == MP_OBJ_NULL;
            if (lacks && keyword_only && (prelude.flags & MP_SCOPE_FLAG_DEFKWARGS) != 0) {
                lacks = mp_map_lookup(mp_obj_dict_get_map(function->extra_args[prelude.defaults]),
                    MP_OBJ_NEW_QSTR(gpusnek_parameter(&prelude, i)), MP_MAP_LOOKUP) == NULL;
            }
            if (lacks && pass == 1) {
                add_name(&print, &prelude, i, total - seen - 1, total);
            }
            seen += lacks;
        }
        total = seen;
        if (pass == 0) {
            mp_printf(&print, "%q() missing %d required %s argument%s: ", prelude.name, (int)total,
                keyword_only ? "keyword-only" : "positional", total == 1 ? "" : "s");
        }
    }
    raise_text(&mp_type_TypeError, &text);
}

_Noreturn void gpusnek_raise_positional(const mp_obj_fun_bc_t *function, size_t given) {
    const gpusnek_prelude_t prelude = prelude_of(function);
    vstr_t text;
    mp_print_t print;
    vstr_init_print(&text, 80, &print);
    const size_t required = prelude.positional - prelude.defaults;
    if (given < required) {
        const size_t total = required - given;
        mp_printf(&print, "%q() missing %d required positional argument%s: ", prelude.name, (int)total,
            total == 1 ? "" : "s");
        for (size_t i = given; i < required; i++) {
            add_name(&print, &prelude, i, required - i - 1, total);
        }
    } else {
        mp_printf(&print, "%q() takes ", prelude.name);
        if (prelude.defaults > 0) {
            mp_printf(&print, "from %d to ", (int)required);
        }
        mp_printf(&print, "%d positional argument%s but %d %s given", (int)prelude.positional,
            prelude.positional == 1 && prelude.defaults == 0 ? "" : "s", (int)given,
            given == 1 ? "was" : "were");
    }
    raise_text(&mp_type_TypeError, &text);
}

_Noreturn void gpusnek_raise_keyword(const mp_obj_fun_bc_t *function, mp_obj_t name, bool again) {
    const gpusnek_prelude_t prelude = prelude_of(function);
    for (size_t i = 0; i < prelude.positional; i++) {
        const char *const own = qstr_str(gpusnek_parameter(&prelude, i));
        if (!again && own[0] == '/' && strcmp(own + 1, mp_obj_str_get_str(name)) == 0) {
            mp_raise_msg_varg(&mp_type_TypeError,
                MP_ERROR_TEXT("%q() got some positional-only arguments passed as keyword arguments: '%s'"),
                prelude.name, own + 1);
        }
    }
    mp_raise_msg_varg(&mp_type_TypeError,
        again ? MP_ERROR_TEXT("%q() got multiple values for argument '%s'")
              : MP_ERROR_TEXT("%q() got an unexpected keyword argument '%s'"),
        prelude.name, mp_obj_str_get_str(name));
}

// Return the key of a function in a dict of names, or MP_QSTRnull.
static qstr key_of(const mp_map_t *map, mp_obj_t function) {
    for (size_t i = 0; i < map->alloc; i++) {
        if (!mp_map_slot_is_filled(map, i) || !mp_obj_is_qstr(map->table[i].key)) {
            continue;
        }
        mp_obj_t value = map->table[i].value;
        if (mp_obj_is_type(value, &mp_type_staticmethod) || mp_obj_is_type(value, &mp_type_classmethod)) {
            value = ((const mp_obj_static_class_method_t *)MP_OBJ_TO_PTR(value))->fun;
        }
        if (value == function) {
            return MP_OBJ_QSTR_VALUE(map->table[i].key);
        }
    }
    return MP_QSTRnull;
}

// The name of a built-in function, and of the module or type that has it.
typedef struct {
    qstr owner; // MP_QSTRnull for a function of `builtins`
    qstr name;
    bool method;
} builtin_name_t;

// Find a function in built-in modules.
static bool find_in_modules(const mp_map_t *modules, mp_obj_t function, builtin_name_t *found) {
    for (size_t i = 0; i < modules->alloc; i++) {
        const mp_obj_t module = modules->table[i].value;
        if (mp_map_slot_is_filled(modules, i) && mp_obj_is_type(module, &mp_type_module)) {
            found->name = key_of(&((const mp_obj_module_t *)MP_OBJ_TO_PTR(module))->globals->map, function);
            found->owner = MP_OBJ_QSTR_VALUE(modules->table[i].key);
            if (found->name != MP_QSTRnull) {
                return true;
            }
        }
    }
    return false;
}

static builtin_name_t find_builtin(mp_obj_t function, size_t n_args, const mp_obj_t *args) {
    builtin_name_t found = {MP_QSTRnull, key_of(&mp_module_builtins.globals->map, function), false};
    if (found.name != MP_QSTRnull) {
        return found;
    }
    if (n_args > 0) {
        const bool class_method = mp_obj_is_type(args[0], &mp_type_type);
        const mp_obj_type_t *type = class_method ? (const mp_obj_type_t *)MP_OBJ_TO_PTR(args[0]) : mp_obj_get_type(args[0]);
        for (int i = 0; i < TYPES && type != NULL && mp_obj_is_type(MP_OBJ_FROM_PTR(type), &mp_type_type); i++) {
            found.owner = type->name;
            found.method = true;
            found.name = gpusnek_method_name(type, function);
            if (MP_OBJ_TYPE_HAS_SLOT(type, locals_dict) && found.name == MP_QSTRnull) {
                found.name = key_of(&MP_OBJ_TYPE_GET_SLOT(type, locals_dict)->map, function);
            }
            if (found.name != MP_QSTRnull) {
                return found;
            }
            type = (const mp_obj_type_t *)MP_OBJ_TYPE_GET_SLOT_OR_NULL(type, parent);
        }
    }
    found.method = false;
    if (!find_in_modules(&mp_builtin_module_map, function, &found)) {
        find_in_modules(&mp_builtin_extensible_module_map, function, &found);
    }
    return found;
}

void gpusnek_raise_count(mp_obj_t function, size_t n_args, size_t n_kw, const mp_obj_t *args, uint32_t signature) {
    const builtin_name_t found = find_builtin(function, n_args, args);
    if (found.name == MP_QSTRnull) {
        mp_arg_check_num_sig(n_args, n_kw, signature);
        return;
    }
    const char *owner = "";
    const char *dot = "";
    if (found.owner != MP_QSTRnull) {
        owner = qstr_str(found.owner);
        owner += !found.method && owner[0] == 'u'; // the C module below a frozen one
        dot = ".";
    }
    const int least = (int)(signature >> 17) - found.method, most = (int)(signature >> 1 & 0xffff) - found.method;
    const int given = (int)n_args - found.method;
    if (n_kw != 0 && !(signature & 1)) {
        gpusnek_missing_keywords();
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("%s%s%q() takes no keyword arguments"), owner, dot, found.name);
    }
    if (least != most) {
        const bool few = given < least;
        const int bound = few ? least : most;
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("%q expected at %s %d argument%s, got %d"), found.name,
            few ? "least" : "most", bound, bound == 1 ? "" : "s", given);
    }
    if (least > 1) {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("%q expected %d arguments, got %d"), found.name, least, given);
    }
    mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("%s%s%q() takes %s (%d given)"), owner, dot, found.name,
        least == 1 ? "exactly one argument" : "no arguments", given);
}

_Noreturn void gpusnek_raise_no_module(qstr name) {
    const mp_obj_t error = mp_obj_new_exception_msg_varg(&gpusnek_type_ModuleNotFoundError,
        MP_ERROR_TEXT("No module named '%q'"), name);
    #if GPUSNEK_PATCH_EXCEPTIONS
    gpusnek_exception_set(error, MP_QSTR_name, MP_OBJ_NEW_QSTR(name));
    #endif
    nlr_raise(error);
}

_Noreturn void gpusnek_raise_no_name(mp_obj_t module, qstr name) {
    mp_obj_t own[2] = {MP_OBJ_NULL, MP_OBJ_NULL};
    mp_load_method_maybe(module, MP_QSTR___name__, own);
    mp_raise_msg_varg(&mp_type_ImportError, MP_ERROR_TEXT("cannot import name '%q' from '%s' (unknown location)"),
        name, own[0] != MP_OBJ_NULL && mp_obj_is_str(own[0]) ? mp_obj_str_get_str(own[0]) : "<unknown module name>");
}

_Noreturn void gpusnek_raise_not_found(mp_obj_t sequence, mp_obj_t value) {
    if (mp_obj_is_type(sequence, &mp_type_tuple)) {
        mp_raise_ValueError(MP_ERROR_TEXT("tuple.index(x): x not in tuple"));
    }
    vstr_t text;
    mp_print_t print;
    vstr_init_print(&text, 32, &print);
    mp_obj_print_helper(&print, value, PRINT_REPR);
    mp_printf(&print, " is not in list");
    raise_text(&mp_type_ValueError, &text);
}

mp_obj_t gpusnek_no_float(const char *text, size_t length) {
    vstr_t message;
    mp_print_t print;
    vstr_init_print(&message, 64, &print);
    mp_printf(&print, "could not convert string to float: ");
    mp_str_print_quoted(&print, (const byte *)text, length, true);
    return mp_obj_new_exception_arg1(&mp_type_ValueError, mp_obj_new_str_from_vstr(&message));
}

void gpusnek_check_defined(mp_obj_dict_t *names, qstr name) {
    if (mp_map_lookup(&names->map, MP_OBJ_NEW_QSTR(name), MP_MAP_LOOKUP) == NULL) {
        mp_raise_msg_varg(&mp_type_NameError, MP_ERROR_TEXT("name '%q' is not defined"), name);
    }
}

// Raises IndexError for a number that is no index of `length` items.
static void check_index(size_t length, mp_obj_t index, mp_rom_error_text_t message) {
    if (mp_obj_is_small_int(index)) {
        const mp_int_t at = MP_OBJ_SMALL_INT_VALUE(index);
        if (at >= (mp_int_t)length || at < -(mp_int_t)length) {
            mp_raise_msg(&mp_type_IndexError, message);
        }
    }
}

void gpusnek_check_assignment(mp_obj_t list, mp_obj_t index) {
    if (mp_obj_is_exact_type(list, &mp_type_list)) {
        const mp_obj_list_t *const self = MP_OBJ_TO_PTR(list);
        check_index(self->len, index, MP_ERROR_TEXT("list assignment index out of range"));
    }
}

size_t gpusnek_pop_index(const mp_obj_type_t *type, size_t length, mp_obj_t index, bool is_slice) {
    check_index(length, index, MP_ERROR_TEXT("pop index out of range"));
    return mp_get_index(type, length, index, is_slice);
}

_Noreturn void gpusnek_raise_no_number(mp_const_obj_t argument) {
    mp_raise_msg_varg(&mp_type_TypeError,
        MP_ERROR_TEXT("int() argument must be a string, a bytes-like object or a real number, not '%s'"),
        mp_obj_get_type_str(argument));
}

_Noreturn void gpusnek_raise_item(const mp_obj_type_t *type, size_t index, mp_obj_t item) {
    mp_raise_msg_varg(&mp_type_TypeError,
        type == &mp_type_str ? MP_ERROR_TEXT("sequence item %d: expected str instance, %s found")
                             : MP_ERROR_TEXT("sequence item %d: expected a bytes-like object, %s found"),
        (int)index, mp_obj_get_type_str(item));
}

#if MICROPY_PY_BUILTINS_FLOAT
mp_float_t gpusnek_float_argument(mp_obj_t argument) {
    mp_float_t value;
    if (!mp_obj_get_float_maybe(argument, &value)) {
        mp_raise_msg_varg(&mp_type_TypeError,
            MP_ERROR_TEXT("float() argument must be a string or a real number, not '%s'"),
            mp_obj_get_type_str(argument));
    }
    return value;
}
#endif

mp_obj_t gpusnek_unpacked_iter(mp_obj_t value, mp_obj_iter_buf_t *buffer) {
    const mp_obj_type_t *const type = mp_obj_get_type(value);
    bool iterable = MP_OBJ_TYPE_HAS_SLOT(type, iter) || MP_OBJ_TYPE_HAS_SLOT(type, subscr);
    #if GPUSNEK_PATCH_CLASSES
    if (mp_obj_is_instance_type(type)) {
        mp_obj_t method[2] = {MP_OBJ_NULL, MP_OBJ_NULL};
        mp_load_method_maybe(value, MP_QSTR___iter__, method);
        if (method[0] == MP_OBJ_NULL) {
            mp_load_method_maybe(value, MP_QSTR___getitem__, method);
        }
        gpusnek_mro_t mro = {NULL, 0};
        const mp_obj_type_t *base = type;
        while (base != NULL && mp_obj_is_instance_type(base)) {
            base = gpusnek_next_class(&mro, base);
        }
        iterable = method[0] != MP_OBJ_NULL || (base != NULL && base != &mp_type_object);
    }
    #endif
    if (!iterable) {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("cannot unpack non-iterable %s object"),
            mp_obj_get_type_str(value));
    }
    return mp_getiter(value, buffer);
}
