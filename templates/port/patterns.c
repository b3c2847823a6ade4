// `match` statements: compare a subject with a pattern; and the objects of `type` statements.
//
// The compiler (statements.h) turns a pattern into a description (patterns.h) and calls
// gpusnek_match(). The result is False, True, or a tuple of the captured objects: names are bound
// only if the whole pattern matches. A program can call gpusnek_match() too, so the function checks
// each description before it uses it.
#include "patterns.h"

#include <string.h>

#include "classes.h"
#include "py/builtin.h"
#include "py/cstack.h"
#include "py/objarray.h"
#include "py/objlist.h"
#include "py/objtype.h"
#include "py/runtime.h"

// The captured objects, by slot.
typedef struct {
    mp_obj_t *items;
    size_t count;
} captures_t;

static bool matches(mp_obj_t subject, mp_obj_t pattern, captures_t *captured);

static void check(bool valid) {
    if (!valid) {
        mp_raise_TypeError(MP_ERROR_TEXT("invalid pattern"));
    }
}

// Returns the small integer at an index of a description.
static mp_int_t number_at(const mp_obj_t *parts, size_t count, size_t at) {
    check(at < count && mp_obj_is_small_int(parts[at]));
    return MP_OBJ_SMALL_INT_VALUE(parts[at]);
}

static bool is_instance(mp_obj_t object, mp_obj_t type) {
    return mp_obj_is_true(mp_call_function_2(MP_OBJ_FROM_PTR(&mp_builtin_isinstance_obj), object, type));
}

// Returns the object itself, or the built-in object in an instance of a subclass, if it is of a
// built-in type. MP_OBJ_NULL otherwise.
static mp_obj_t native(mp_obj_t object, const mp_obj_type_t *type) {
    #if GPUSNEK_PATCH_CLASSES
    object = gpusnek_members_copy(object);
    #endif
    const mp_obj_type_t *const own = mp_obj_get_type(object);
    if (mp_obj_is_instance_type(own)) {
        return mp_obj_cast_to_native_base(object, MP_OBJ_FROM_PTR(type));
    }
    return mp_obj_is_subclass_fast(MP_OBJ_FROM_PTR(own), MP_OBJ_FROM_PTR(type)) ? object : MP_OBJ_NULL;
}

static bool is_sequence(mp_obj_t object) {
    if (native(object, &mp_type_list) != MP_OBJ_NULL || native(object, &mp_type_tuple) != MP_OBJ_NULL) {
        return true;
    }
    const mp_obj_type_t *const type = mp_obj_get_type(object);
    return type == &mp_type_range
        #if MICROPY_PY_ARRAY
        || type == &mp_type_array
        #endif
        #if MICROPY_PY_COLLECTIONS_DEQUE
        || type == &mp_type_deque
        #endif
        #if MICROPY_PY_BUILTINS_MEMORYVIEW
        || type == &mp_type_memoryview
        #endif
    ;
}

static bool matches_sequence(mp_obj_t subject, size_t count, const mp_obj_t *patterns, mp_int_t star,
    captures_t *captured) {
    if (!is_sequence(subject)) {
        return false;
    }
    const size_t length = (size_t)MP_OBJ_SMALL_INT_VALUE(mp_obj_len(subject));
    if (star < 0 ? length != count : length < count - 1) {
        return false;
    }
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        if ((mp_int_t)i != star) {
            const mp_obj_t item = mp_obj_subscr(subject, MP_OBJ_NEW_SMALL_INT(at++), MP_OBJ_SENTINEL);
            if (!matches(item, patterns[i], captured)) {
                return false;
            }
            continue;
        }
        const size_t taken = length - (count - 1);
        if (patterns[i] != MP_OBJ_NEW_SMALL_INT(GPUSNEK_PATTERN_ANY)) {
            const mp_obj_t rest = mp_obj_new_list(0, NULL);
            for (size_t j = 0; j < taken; j++) {
                mp_obj_list_append(rest, mp_obj_subscr(subject, MP_OBJ_NEW_SMALL_INT(at + j), MP_OBJ_SENTINEL));
            }
            matches(rest, patterns[i], captured);
        }
        at += taken;
    }
    return true;
}

static bool matches_mapping(mp_obj_t subject, size_t count, const mp_obj_t *pairs, mp_obj_t rest,
    captures_t *captured) {
    const mp_obj_t dict = native(subject, &mp_type_dict);
    if (dict == MP_OBJ_NULL) {
        return false;
    }
    mp_map_t *const map = mp_obj_dict_get_map(dict);
    for (size_t i = 0; i < count; i += 2) {
        const mp_map_elem_t *const found = mp_map_lookup(map, pairs[i], MP_MAP_LOOKUP);
        if (found == NULL || !matches(found->value, pairs[i + 1], captured)) {
            return false;
        }
    }
    if (rest != MP_OBJ_NEW_SMALL_INT(GPUSNEK_PATTERN_ANY)) {
        const mp_obj_t others = mp_obj_dict_copy(dict);
        for (size_t i = 0; i < count; i += 2) {
            mp_map_lookup(mp_obj_dict_get_map(others), pairs[i], MP_MAP_LOOKUP_REMOVE_IF_FOUND);
        }
        matches(others, rest, captured);
    }
    return true;
}

// Returns the value of an attribute, or MP_OBJ_NULL if the object lacks it.
static mp_obj_t attribute(mp_obj_t object, qstr name) {
    mp_obj_t found[2];
    mp_load_method_protected(object, name, found, false);
    return found[0] == MP_OBJ_NULL || found[1] == MP_OBJ_NULL
        ? found[0] : mp_obj_new_bound_meth(found[0], found[1]);
}

// Built-in types have no attributes to match; one positional pattern is for the object itself.
static bool matches_itself(const void *type) {
    return type == &mp_type_bool || type == &mp_type_bytearray || type == &mp_type_bytes
        || type == &mp_type_dict || type == &mp_type_float || type == &mp_type_frozenset
        || type == &mp_type_int || type == &mp_type_list || type == &mp_type_set
        || type == &mp_type_str || type == &mp_type_tuple;
}

static bool derives_from_such(mp_obj_t type) {
    const mp_obj_type_t *at = MP_OBJ_TO_PTR(type);
    while (at != NULL && mp_obj_is_instance_type(at)) {
        const void *const parent = MP_OBJ_TYPE_GET_SLOT_OR_NULL(at, parent);
        if (parent != NULL && ((const mp_obj_base_t *)parent)->type == &mp_type_tuple) {
            return false;
        }
        at = parent;
    }
    return at != NULL && matches_itself(at);
}

static bool matches_attribute(mp_obj_t subject, mp_obj_t name, mp_obj_t pattern, captures_t *captured) {
    const mp_obj_t value = attribute(subject, mp_obj_str_get_qstr(name));
    return value != MP_OBJ_NULL && matches(value, pattern, captured);
}

static bool matches_class(mp_obj_t subject, mp_obj_t type, size_t positional, size_t count,
    const mp_obj_t *patterns, captures_t *captured) {
    if (!mp_obj_is_type(type, &mp_type_type) && attribute(type, MP_QSTR___match_args__) == MP_OBJ_NULL) {
        mp_raise_TypeError(MP_ERROR_TEXT("called match pattern must be a class"));
    }
    if (!is_instance(subject, type)) {
        return false;
    }
    if (positional > 0) {
        const mp_obj_t names = attribute(type, MP_QSTR___match_args__);
        if (names == MP_OBJ_NULL && derives_from_such(type)) {
            if (positional > 1) {
                mp_raise_msg_varg(&mp_type_TypeError,
                    MP_ERROR_TEXT("%q() accepts 1 positional sub-pattern (%d given)"),
                    (qstr)((const mp_obj_type_t *)MP_OBJ_TO_PTR(type))->name, (int)positional);
            }
            if (!matches(subject, patterns[0], captured)) {
                return false;
            }
        } else {
            size_t length = 0;
            mp_obj_t *items = NULL;
            if (names != MP_OBJ_NULL) {
                mp_obj_get_array(names, &length, &items);
            }
            if (positional > length) {
                mp_raise_msg_varg(&mp_type_TypeError,
                    MP_ERROR_TEXT("%q() accepts %d positional sub-pattern%s (%d given)"),
                    (qstr)((const mp_obj_type_t *)MP_OBJ_TO_PTR(type))->name, (int)length,
                    length == 1 ? "" : "s", (int)positional);
            }
            for (size_t i = 0; i < positional; i++) {
                if (!matches_attribute(subject, items[i], patterns[i], captured)) {
                    return false;
                }
            }
        }
    }
    for (size_t i = positional; i + 1 < count; i += 2) {
        if (!matches_attribute(subject, patterns[i], patterns[i + 1], captured)) {
            return false;
        }
    }
    return true;
}

static bool matches(mp_obj_t subject, mp_obj_t pattern, captures_t *captured) {
    mp_cstack_check();
    if (mp_obj_is_small_int(pattern)) {
        const mp_int_t number = MP_OBJ_SMALL_INT_VALUE(pattern);
        if (number >= GPUSNEK_PATTERN_CAPTURE) {
            const size_t slot = (size_t)(number - GPUSNEK_PATTERN_CAPTURE);
            check(slot < captured->count);
            captured->items[slot] = subject;
        }
        return true;
    }
    check(mp_obj_is_exact_type(pattern, &mp_type_tuple));
    size_t count;
    mp_obj_t *parts;
    mp_obj_tuple_get(pattern, &count, &parts);
    switch (number_at(parts, count, 0)) {
        case GPUSNEK_PATTERN_VALUE:
            check(count == 2);
            return mp_obj_equal(subject, parts[1]);
        case GPUSNEK_PATTERN_SAME:
            check(count == 2);
            return subject == parts[1];
        case GPUSNEK_PATTERN_OR:
            for (size_t i = 1; i < count; i++) {
                if (matches(subject, parts[i], captured)) {
                    return true;
                }
            }
            return false;
        case GPUSNEK_PATTERN_AS:
            check(count == 3);
            return matches(subject, parts[2], captured) && matches(subject, parts[1], captured);
        case GPUSNEK_PATTERN_SEQUENCE: {
            const mp_int_t star = number_at(parts, count, 1);
            return matches_sequence(subject, count - 2, parts + 2, star, captured);
        }
        case GPUSNEK_PATTERN_MAPPING:
            check(count >= 2 && count % 2 == 0);
            return matches_mapping(subject, count - 2, parts + 2, parts[1], captured);
        default: {
            const size_t positional = (size_t)number_at(parts, count, 2);
            check(parts[0] == MP_OBJ_NEW_SMALL_INT(GPUSNEK_PATTERN_CLASS) && positional <= count - 3);
            return matches_class(subject, parts[1], positional, count - 3, parts + 3, captured);
        }
    }
}

static mp_obj_t match(mp_obj_t subject, mp_obj_t pattern, mp_obj_t slots) {
    const mp_int_t count = number_at(&slots, 1, 0);
    check(0 <= count && count <= GPUSNEK_MOST_CAPTURES);
    captures_t captured = {NULL, (size_t)count};
    if (count == 0) {
        return mp_obj_new_bool(matches(subject, pattern, &captured));
    }
    const mp_obj_t result = mp_obj_new_tuple(captured.count, NULL);
    captured.items = ((mp_obj_tuple_t *)MP_OBJ_TO_PTR(result))->items;
    for (size_t i = 0; i < captured.count; i++) {
        captured.items[i] = mp_const_none;
    }
    return matches(subject, pattern, &captured) ? result : mp_const_false;
}
MP_DEFINE_CONST_FUN_OBJ_3(gpusnek_match_obj, match);

// The object of a `type` statement. Its value is computed when it is asked for.
typedef struct {
    mp_obj_base_t base;
    mp_obj_t name;
    mp_obj_t function;
} alias_t;

static void alias_print(const mp_print_t *print, mp_obj_t self, mp_print_kind_t kind) {
    (void)kind;
    mp_obj_print_helper(print, ((alias_t *)MP_OBJ_TO_PTR(self))->name, PRINT_STR);
}

static void alias_attr(mp_obj_t self, qstr attr, mp_obj_t *dest) {
    if (dest[0] != MP_OBJ_NULL) {
        return;
    }
    alias_t *const alias = MP_OBJ_TO_PTR(self);
    if (attr == MP_QSTR___name__) {
        dest[0] = alias->name;
    } else if (attr == MP_QSTR___value__) {
        dest[0] = mp_call_function_0(alias->function);
    }
}

static mp_obj_t alias_subscr(mp_obj_t self, mp_obj_t index, mp_obj_t value) {
    (void)index;
    return value == MP_OBJ_SENTINEL ? self : MP_OBJ_NULL;
}

static mp_obj_t alias_binary_op(mp_binary_op_t op, mp_obj_t left, mp_obj_t right) {
    (void)right;
    return op == MP_BINARY_OP_OR || op == MP_BINARY_OP_REVERSE_OR ? left : MP_OBJ_NULL;
}

static MP_DEFINE_CONST_OBJ_TYPE(
    type_alias, MP_QSTR_TypeAliasType, MP_TYPE_FLAG_NONE,
    print, alias_print,
    attr, alias_attr,
    subscr, alias_subscr,
    binary_op, alias_binary_op
    );

static mp_obj_t make_alias(mp_obj_t name, mp_obj_t function) {
    alias_t *const alias = mp_obj_malloc(alias_t, &type_alias);
    alias->name = name;
    alias->function = function;
    return MP_OBJ_FROM_PTR(alias);
}
MP_DEFINE_CONST_FUN_OBJ_2(gpusnek_type_alias_obj, make_alias);
