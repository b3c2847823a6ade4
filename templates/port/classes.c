// Classes: the order of base classes (MRO), attributes of types, `__missing__`.
//
// Problem: upstream searches base classes depth first, and super() the bases of its type only.
//
// Mechanism: a class with several bases has a tuple of them in its slot `parent`. Behind the items of
// this tuple is the rest of the class's MRO (C3 linearization), without the class and `object`.
// A class with one base has the MRO of its base. gpusnek_next_class() walks the MRO.
//
// Invariant C1: gpusnek_bases() makes each tuple in a slot `parent`, except for the constant one of
// ExceptionGroup (raisedtypes.c), which has the same layout. No program can obtain a
// tuple of another kind there: mp_obj_new_type() makes all types with several bases.
#include "checkself.h"
#include "classes.h"

#include "metaclass.h"

#include "py/builtin.h"
#include "py/objfun.h"
#include "py/objtuple.h"
#include "py/objtype.h"
#include "py/runtime.h"

#if GPUSNEK_PATCH_CLASSES

const mp_obj_type_t *gpusnek_next_class(gpusnek_mro_t *mro, const mp_obj_type_t *type) {
    if (mro->rest != NULL) {
        if (mro->left == 0) {
            return NULL;
        }
        mro->left--;
        return MP_OBJ_TO_PTR(*mro->rest++);
    }
    const mp_obj_base_t *const parent = MP_OBJ_TYPE_GET_SLOT_OR_NULL(type, parent);
    if (parent == NULL) {
        return NULL;
    }
    if (parent->type != &mp_type_tuple) {
        return parent == &mp_type_object.base ? NULL : (const mp_obj_type_t *)parent;
    }
    gpusnek_begin_mro(mro, (const mp_obj_tuple_t *)parent);
    mro->left--;
    return MP_OBJ_TO_PTR(*mro->rest++);
}

// Stores the MRO of a class, without `object`, at `to` unless it is NULL. Returns the number of
// classes.
static size_t mro_of(const mp_obj_type_t *type, mp_obj_t *to) {
    gpusnek_mro_t mro = {NULL, 0};
    size_t count = 0;
    while (type != NULL && type != &mp_type_object) {
        if (to != NULL) {
            to[count] = MP_OBJ_FROM_PTR(type);
        }
        count++;
        type = gpusnek_next_class(&mro, type);
    }
    return count;
}

// A list of classes to merge.
typedef struct {
    const mp_obj_t *next;
    const mp_obj_t *end;
} row_t;

// Returns whether a list has the class behind its first one.
static bool has_later(const row_t *row, mp_obj_t class_) {
    for (const mp_obj_t *at = row->next + 1; at < row->end; at++) {
        if (*at == class_) {
            return true;
        }
    }
    return false;
}

// Returns the first class that no list has behind its first one. Returns MP_OBJ_NULL if all lists
// are empty. Raises TypeError if each first class stands in another list too.
static mp_obj_t choose(const row_t *rows, size_t count) {
    bool empty = true;
    for (size_t i = 0; i < count; i++) {
        if (rows[i].next >= rows[i].end) {
            continue;
        }
        empty = false;
        const mp_obj_t class_ = *rows[i].next;
        bool good = true;
        for (size_t k = 0; k < count && good; k++) {
            good = rows[k].next >= rows[k].end || !has_later(&rows[k], class_);
        }
        if (good) {
            return class_;
        }
    }
    if (empty) {
        return MP_OBJ_NULL;
    }
    mp_raise_TypeError(MP_ERROR_TEXT("Cannot create a consistent method resolution order (MRO) for bases"));
}

void *gpusnek_bases(size_t count, const mp_obj_t *bases) {
    size_t total = count;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (bases[k] == bases[i]) {
                mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("duplicate base class %q"),
                    (qstr)((const mp_obj_type_t *)MP_OBJ_TO_PTR(bases[i]))->name);
            }
        }
        if (bases[i] == MP_OBJ_FROM_PTR(&mp_type_object) && i + 1 < count) {
            mp_raise_TypeError(MP_ERROR_TEXT("Cannot create a consistent method resolution order (MRO) for bases"));
        }
        total += mro_of(MP_OBJ_TO_PTR(bases[i]), NULL);
    }
    row_t *const rows = m_new(row_t, count + 1);
    mp_obj_t *const classes = m_new(mp_obj_t, total);
    mp_obj_tuple_t *const tuple = mp_obj_malloc_var(mp_obj_tuple_t, items, mp_obj_t, count + 1 + total, &mp_type_tuple);
    tuple->len = count;
    mp_obj_t *at = classes;
    for (size_t i = 0; i < count; i++) {
        tuple->items[i] = bases[i];
        rows[i].next = at;
        at += mro_of(MP_OBJ_TO_PTR(bases[i]), at);
        rows[i].end = at;
    }
    rows[count].next = at;
    for (size_t i = 0; i < count; i++) {
        if (bases[i] != MP_OBJ_FROM_PTR(&mp_type_object)) {
            *at++ = bases[i];
        }
    }
    rows[count].end = at;
    mp_obj_t *const order = tuple->items + count + 1;
    size_t length = 0;
    for (mp_obj_t class_; (class_ = choose(rows, count + 1)) != MP_OBJ_NULL;) {
        order[length++] = class_;
        for (size_t i = 0; i <= count; i++) {
            rows[i].next += rows[i].next < rows[i].end && *rows[i].next == class_;
        }
    }
    tuple->items[count] = MP_OBJ_NEW_SMALL_INT(length);
    m_del(row_t, rows, count + 1);
    m_del(mp_obj_t, classes, total);
    return tuple;
}

int gpusnek_join_bases(int count, const mp_obj_type_t **base, int more, const mp_obj_type_t *other) {
    if (more == 0) {
        return count;
    }
    if (count == 0 || (count == 1 && more == 1
                       && mp_obj_is_subclass_fast(MP_OBJ_FROM_PTR(other), MP_OBJ_FROM_PTR(*base)))) {
        *base = other;
        return more;
    }
    if (mp_obj_is_subclass_fast(MP_OBJ_FROM_PTR(*base), MP_OBJ_FROM_PTR(other))) {
        return count;
    }
    const mp_obj_t exception = MP_OBJ_FROM_PTR(&mp_type_BaseException);
    if (count == 1 && more == 1 && mp_obj_is_subclass_fast(MP_OBJ_FROM_PTR(*base), exception)
        && mp_obj_is_subclass_fast(MP_OBJ_FROM_PTR(other), exception)) {
        // All exceptions have one layout. OSError has attributes of its own.
        *base = mp_obj_is_subclass_fast(MP_OBJ_FROM_PTR(other), MP_OBJ_FROM_PTR(&mp_type_OSError))
            ? other : *base;
        return count;
    }
    return count + more;
}

const mp_obj_type_t *gpusnek_derived_metaclass(const mp_obj_type_t *meta, size_t count, const mp_obj_t *bases) {
    for (size_t i = 0; i < count; i++) {
        if (!gpusnek_has_metaclass(bases[i])) {
            continue;
        }
        const mp_obj_type_t *const other = gpusnek_class_of(bases[i]);
        if (mp_obj_is_subclass_fast(MP_OBJ_FROM_PTR(other), MP_OBJ_FROM_PTR(meta))) {
            meta = other;
        } else if (!mp_obj_is_subclass_fast(MP_OBJ_FROM_PTR(meta), MP_OBJ_FROM_PTR(other))) {
            mp_raise_TypeError(MP_ERROR_TEXT("metaclass conflict: the metaclass of a derived class must be a (non-strict) subclass of the metaclasses of all its bases"));
        }
    }
    return meta;
}

const mp_obj_type_t *gpusnek_super_class(mp_obj_t type, mp_obj_t object, gpusnek_mro_t *mro) {
    const mp_obj_type_t *at = mp_obj_get_type(object);
    if (at == &mp_type_type) {
        at = gpusnek_has_metaclass(object) && !mp_obj_is_subclass_fast(object, type)
            ? gpusnek_class_of(object) : MP_OBJ_TO_PTR(object);
    }
    mro->rest = NULL;
    mro->left = 0;
    if (type == MP_OBJ_FROM_PTR(&mp_type_object)) {
        return NULL;
    }
    while (at != NULL && MP_OBJ_FROM_PTR(at) != type) {
        at = gpusnek_next_class(mro, at);
    }
    if (at == NULL) {
        mp_raise_TypeError(MP_ERROR_TEXT("super(type, obj): obj must be an instance or subtype of type"));
    }
    return gpusnek_next_class(mro, at);
}

mp_obj_t gpusnek_class_entry(const mp_obj_type_t *type, qstr name) {
    gpusnek_mro_t mro = {NULL, 0};
    for (; type != NULL && mp_obj_is_instance_type(type); type = gpusnek_next_class(&mro, type)) {
        mp_obj_dict_t *const dict = MP_OBJ_TYPE_GET_SLOT_OR_NULL(type, locals_dict);
        const mp_map_elem_t *const entry = dict == NULL ? NULL
            : mp_map_lookup(&dict->map, MP_OBJ_NEW_QSTR(name), MP_MAP_LOOKUP);
        if (entry != NULL) {
            return entry->value;
        }
    }
    return MP_OBJ_NULL;
}

static mp_obj_t type_mro(mp_obj_t self) {
    const mp_obj_type_t *const type = MP_OBJ_TO_PTR(self);
    const size_t count = mro_of(type, NULL);
    mp_obj_list_t *const list = MP_OBJ_TO_PTR(mp_obj_new_list(count + 1, NULL));
    mro_of(type, list->items);
    list->items[count] = MP_OBJ_FROM_PTR(&mp_type_object);
    return MP_OBJ_FROM_PTR(list);
}
static MP_DEFINE_CONST_FUN_OBJ_1(type_mro_obj, type_mro);

void gpusnek_type_attribute(mp_obj_t self, qstr attr, mp_obj_t *dest) {
    const mp_obj_type_t *const type = MP_OBJ_TO_PTR(self);
    switch (attr) {
        case MP_QSTR___mro__: {
            const mp_obj_list_t *const list = MP_OBJ_TO_PTR(type_mro(self));
            dest[0] = mp_obj_new_tuple(list->len, list->items);
            break;
        }
        case MP_QSTR_mro:
            dest[0] = MP_OBJ_FROM_PTR(&type_mro_obj);
            dest[1] = self;
            break;
        case MP_QSTR___base__: {
            gpusnek_mro_t mro = {NULL, 0};
            const mp_obj_type_t *const base = type == &mp_type_object ? NULL : gpusnek_next_class(&mro, type);
            dest[0] = base != NULL ? MP_OBJ_FROM_PTR(base)
                : type == &mp_type_object ? mp_const_none : MP_OBJ_FROM_PTR(&mp_type_object);
            break;
        }
        case MP_QSTR___qualname__:
            dest[0] = MP_OBJ_NEW_QSTR(type->name);
            break;
        default:
            break;
    }
}

void gpusnek_use_descriptor(mp_obj_t type, mp_obj_t *dest) {
    const mp_obj_t value = dest[0];
    if (!mp_obj_is_instance_type(mp_obj_get_type(value))) {
        return;
    }
    mp_obj_t get[4];
    mp_load_method_maybe(value, MP_QSTR___get__, get);
    if (get[0] == MP_OBJ_NULL) {
        return;
    }
    dest[0] = MP_OBJ_NULL; // if __get__ raises AttributeError, hasattr() finds none
    const mp_obj_t self = get[1];
    get[2] = mp_const_none;
    get[3] = type;
    const mp_obj_t result = mp_call_method_n_kw(2, 0, get);
    dest[0] = result == self ? value : result; // the native part of an instance returns itself
}

bool gpusnek_lacks_doc(const mp_obj_type_t *type, mp_obj_t *dest) {
    mp_obj_dict_t *const dict = MP_OBJ_TYPE_GET_SLOT_OR_NULL(type, locals_dict);
    if (dict != NULL && mp_map_lookup(&dict->map, MP_OBJ_NEW_QSTR(MP_QSTR___doc__), MP_MAP_LOOKUP) != NULL) {
        return false;
    }
    dest[0] = mp_const_none;
    return true;
}

// ---- Slots ----

typedef struct {
    mp_obj_base_t base;
    const mp_obj_type_t *owner;
    qstr name;
} slot_t;

static void slot_print(const mp_print_t *print, mp_obj_t self_in, mp_print_kind_t kind) {
    (void)kind;
    const slot_t *const self = MP_OBJ_TO_PTR(self_in);
    mp_printf(print, "<member '%q' of '%q' objects>", self->name, (qstr)self->owner->name);
}

MP_DEFINE_CONST_OBJ_TYPE(gpusnek_slot_type, MP_QSTR_member_descriptor, MP_TYPE_FLAG_NONE,
    print, slot_print);

// Returns whether instances of a class without `__slots__` of its own have a `__dict__` because of a
// base class.
static bool has_dict(const mp_obj_type_t *base) {
    if (mp_obj_is_instance_type(base)) {
        return !(base->flags & GPUSNEK_TYPE_FLAG_SLOTS);
    }
    return mp_obj_is_subclass_fast(MP_OBJ_FROM_PTR(base), MP_OBJ_FROM_PTR(&mp_type_BaseException));
}

void gpusnek_new_slots(mp_obj_type_t *type) {
    mp_map_t *const map = &((mp_obj_dict_t *)MP_OBJ_TYPE_GET_SLOT(type, locals_dict))->map;
    const mp_map_elem_t *const entry = mp_map_lookup(map, MP_OBJ_NEW_QSTR(MP_QSTR___slots__), MP_MAP_LOOKUP);
    if (entry == NULL || map->is_fixed) {
        return;
    }
    const mp_obj_t slots = entry->value;
    const mp_obj_t names = mp_obj_is_str(slots) ? mp_obj_new_list(1, (mp_obj_t *)&slots)
        : mp_call_function_1(MP_OBJ_FROM_PTR(&mp_type_list), slots);
    size_t count = 1;
    const void *const parent = MP_OBJ_TYPE_GET_SLOT_OR_NULL(type, parent);
    const mp_obj_t single = parent == NULL ? MP_OBJ_FROM_PTR(&mp_type_object) : MP_OBJ_FROM_PTR(parent);
    const mp_obj_t *bases = &single;
    if (mp_obj_is_exact_type(single, &mp_type_tuple)) {
        count = ((const mp_obj_tuple_t *)parent)->len;
        bases = ((const mp_obj_tuple_t *)parent)->items;
    }
    bool restricts = true;
    for (size_t i = 0; i < count; i++) {
        restricts = restricts && !has_dict(MP_OBJ_TO_PTR(bases[i]));
    }
    size_t length;
    mp_obj_t *items;
    mp_obj_list_get(names, &length, &items);
    for (size_t i = 0; i < length; i++) {
        if (!mp_obj_is_str(items[i])) {
            mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("__slots__ items must be strings, not '%s'"),
                mp_obj_get_type_str(items[i]));
        }
        const qstr name = gpusnek_mangle(type->name, mp_obj_str_get_qstr(items[i]));
        if (name == MP_QSTR___weakref__) {
            continue;
        }
        if (name == MP_QSTR___dict__) {
            if (!restricts) {
                mp_raise_TypeError(MP_ERROR_TEXT("__dict__ slot disallowed: we already got one"));
            }
            restricts = false;
            continue;
        }
        mp_map_elem_t *const place = mp_map_lookup(map, MP_OBJ_NEW_QSTR(name), MP_MAP_LOOKUP_ADD_IF_NOT_FOUND);
        if (place->value != MP_OBJ_NULL) {
            mp_raise_msg_varg(&mp_type_ValueError, MP_ERROR_TEXT("'%q' in __slots__ conflicts with class variable"), name);
        }
        place->value = mp_const_none; // an allocation that fails leaves a value
        slot_t *const slot = mp_obj_malloc(slot_t, &gpusnek_slot_type);
        slot->owner = type;
        slot->name = name;
        place->value = MP_OBJ_FROM_PTR(slot);
    }
    type->flags |= MP_TYPE_FLAG_HAS_SPECIAL_ACCESSORS | (restricts ? GPUSNEK_TYPE_FLAG_SLOTS : 0);
}

// ---- Bound methods ----

mp_obj_t gpusnek_bound_attribute(mp_obj_t function, mp_obj_t self, qstr attr) {
    if (attr == MP_QSTR___self__) {
        return self;
    }
    // Only a function of Python: a native one would not check its first argument.
    if (attr == MP_QSTR___func__ && mp_obj_is_obj(function)
        && !(mp_obj_get_type(function)->flags & MP_TYPE_FLAG_BUILTIN_FUN)) {
        return function;
    }
    return MP_OBJ_NULL;
}

// ---- Instances ----

mp_obj_t gpusnek_item_of_dict(mp_obj_t dict, mp_obj_t key) {
    const mp_map_elem_t *const entry = mp_map_lookup(mp_obj_dict_get_map(dict), key, MP_MAP_LOOKUP);
    return entry == NULL ? MP_OBJ_NULL : entry->value;
}

mp_obj_t gpusnek_compare_reflected(mp_binary_op_t op, mp_obj_t left, mp_obj_t right) {
    mp_binary_op_t other;
    switch (op) {
        case MP_BINARY_OP_LESS:
            other = MP_BINARY_OP_MORE;
            break;
        case MP_BINARY_OP_MORE:
            other = MP_BINARY_OP_LESS;
            break;
        case MP_BINARY_OP_LESS_EQUAL:
            other = MP_BINARY_OP_MORE_EQUAL;
            break;
        case MP_BINARY_OP_MORE_EQUAL:
            other = MP_BINARY_OP_LESS_EQUAL;
            break;
        default:
            return MP_OBJ_NULL;
    }
    const mp_obj_type_t *const type = mp_obj_get_type(right);
    return mp_obj_is_instance_type(type) ? MP_OBJ_TYPE_GET_SLOT(type, binary_op)(other, right, left) : MP_OBJ_NULL;
}

bool gpusnek_is_derived(mp_obj_t left, mp_obj_t right) {
    const mp_obj_type_t *const type = mp_obj_get_type(left), *const other = mp_obj_get_type(right);
    return type != other && type != &mp_type_object
        && mp_obj_is_subclass_fast(MP_OBJ_FROM_PTR(other), MP_OBJ_FROM_PTR(type));
}

// Returns whether a class has a method that `base` does not have.
static bool overrides(const mp_obj_type_t *type, const mp_obj_type_t *base, qstr name) {
    gpusnek_mro_t mro = {NULL, 0};
    for (; type != NULL && type != &mp_type_object; type = gpusnek_next_class(&mro, type)) {
        const mp_obj_dict_t *const dict = MP_OBJ_TYPE_GET_SLOT_OR_NULL(type, locals_dict);
        if (dict != NULL
            && mp_map_lookup((mp_map_t *)&dict->map, MP_OBJ_NEW_QSTR(name), MP_MAP_LOOKUP) != NULL) {
            return !mp_obj_is_subclass_fast(MP_OBJ_FROM_PTR(base), MP_OBJ_FROM_PTR(type));
        }
    }
    return false;
}

// Returns whether a class of Python in the MRO has a method.
static bool defines(const mp_obj_type_t *type, qstr name) {
    gpusnek_mro_t mro = {NULL, 0};
    for (; type != NULL && mp_obj_is_instance_type(type); type = gpusnek_next_class(&mro, type)) {
        const mp_obj_dict_t *const dict = MP_OBJ_TYPE_GET_SLOT_OR_NULL(type, locals_dict);
        if (dict != NULL
            && mp_map_lookup((mp_map_t *)&dict->map, MP_OBJ_NEW_QSTR(name), MP_MAP_LOOKUP) != NULL) {
            return true;
        }
    }
    return false;
}

mp_obj_t gpusnek_part_of_instance(mp_obj_t instance) {
    gpusnek_mro_t mro = {NULL, 0};
    const mp_obj_type_t *type = mp_obj_get_type(instance);
    while (type != NULL && mp_obj_is_instance_type(type)) {
        type = gpusnek_next_class(&mro, type);
    }
    return type == NULL || type == &mp_type_object ? MP_OBJ_NULL
        : mp_obj_cast_to_native_base(instance, MP_OBJ_FROM_PTR(type));
}

static bool is_number(mp_obj_t o) {
    return mp_obj_is_int(o) || mp_obj_is_bool(o) || mp_obj_is_float(o)
        #if MICROPY_PY_BUILTINS_COMPLEX
        || mp_obj_is_type(o, &mp_type_complex)
        #endif
        ;
}

mp_obj_t gpusnek_reflected_first(mp_binary_op_t op, mp_obj_t left, mp_obj_t right) {
    const mp_obj_type_t *const type = mp_obj_get_type(right), *const base = mp_obj_get_type(left);
    const bool built_in = !mp_obj_is_instance_type(base), compares = op <= MP_BINARY_OP_NOT_EQUAL;
    const mp_obj_t native = built_in ? gpusnek_part_of_instance(right) : MP_OBJ_NULL;
    const mp_binary_op_t other = op + (MP_BINARY_OP_REVERSE_OR - MP_BINARY_OP_OR);
    const qstr name = compares || op > MP_BINARY_OP_POWER ? MP_QSTRnull : mp_binary_op_method_name[other];
    bool asked = false;
    if (gpusnek_is_derived(left, right) && (!built_in || native != MP_OBJ_NULL)) {
        mp_obj_t result = MP_OBJ_NULL;
        if (compares) {
            asked = true;
            result = gpusnek_compare_reflected(op, left, right);
        } else if (name != MP_QSTRnull && overrides(type, base, name)) {
            asked = true;
            result = MP_OBJ_TYPE_GET_SLOT(type, binary_op)(other, right, left);
        }
        if (result != MP_OBJ_NULL) {
            return result;
        }
    }
    if (native != MP_OBJ_NULL && (asked || (!compares && !defines(type, name)))
        && (op == MP_BINARY_OP_MULTIPLY
            || (mp_obj_get_type(native) == base && op != MP_BINARY_OP_MODULO) // `%` formats
            || (is_number(left) && is_number(native)))) {
        return mp_binary_op(op, left, native);
    }
    return asked ? mp_const_notimplemented : MP_OBJ_NULL;
}

mp_obj_t gpusnek_left_operation(mp_binary_op_t op, mp_obj_t left, mp_obj_t right) {
    const mp_obj_type_t *const type = mp_obj_get_type(left);
    return MP_OBJ_TYPE_HAS_SLOT(type, binary_op) ? MP_OBJ_TYPE_GET_SLOT(type, binary_op)(op, left, right)
        : MP_OBJ_NULL;
}

mp_obj_t gpusnek_text_result(mp_obj_t text, qstr method) {
    const mp_obj_t native = mp_obj_cast_to_native_base(text, MP_OBJ_FROM_PTR(&mp_type_str));
    if (native == MP_OBJ_NULL) {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("%q returned non-string (type %s)"), method,
            mp_obj_get_type_str(text));
    }
    return native;
}

// The `__dict__` of an instance: an object that refers to the instance. Its items are the instance's
// attributes, so their names are strings. Methods that change no item are those of a copy.
typedef struct {
    mp_obj_base_t base;
    mp_obj_instance_t *owner;
} members_t;

static mp_obj_t copy_members(mp_obj_t self) {
    mp_obj_dict_t dict;
    dict.base.type = &mp_type_dict;
    dict.map = ((const members_t *)MP_OBJ_TO_PTR(self))->owner->members;
    return mp_obj_dict_copy(MP_OBJ_FROM_PTR(&dict));
}

static mp_obj_t name_of(mp_obj_t key) {
    if (!mp_obj_is_str(key)) {
        mp_raise_TypeError(MP_ERROR_TEXT("keys of an instance's __dict__ must be strings"));
    }
    return MP_OBJ_NEW_QSTR(mp_obj_str_get_qstr(key));
}

static mp_obj_t members_subscr(mp_obj_t self, mp_obj_t key, mp_obj_t value) {
    mp_map_t *const map = &((members_t *)MP_OBJ_TO_PTR(self))->owner->members;
    if (value == MP_OBJ_SENTINEL && !mp_obj_is_str(key)) {
        mp_raise_type_arg(&mp_type_KeyError, key);
    }
    const mp_obj_t name = name_of(key);
    if (value == MP_OBJ_SENTINEL || value == MP_OBJ_NULL) {
        const mp_map_elem_t *const entry = mp_map_lookup(map, name, value == MP_OBJ_NULL ? MP_MAP_LOOKUP_REMOVE_IF_FOUND : MP_MAP_LOOKUP);
        if (entry == NULL) {
            mp_raise_type_arg(&mp_type_KeyError, key);
        }
        return value == MP_OBJ_NULL ? mp_const_none : entry->value;
    }
    mp_map_lookup(map, name, MP_MAP_LOOKUP_ADD_IF_NOT_FOUND)->value = value;
    return mp_const_none;
}

static members_t *members_of(mp_obj_t self) {
    gpusnek_check_self(self, &gpusnek_members_type);
    return MP_OBJ_TO_PTR(self);
}

static mp_obj_t members_update(size_t n_args, const mp_obj_t *args, mp_map_t *keywords) {
    members_of(args[0]);
    const mp_obj_t items = mp_obj_new_dict(0);
    mp_obj_t update[2];
    mp_load_method(items, MP_QSTR_update, update);
    if (n_args > 1) {
        const mp_obj_t given[3] = {update[0], update[1], args[1]};
        mp_call_method_n_kw(1, 0, given);
    }
    for (size_t i = 0; i < keywords->alloc; i++) {
        if (mp_map_slot_is_filled(keywords, i)) {
            mp_obj_dict_store(items, keywords->table[i].key, keywords->table[i].value);
        }
    }
    const mp_map_t *const map = mp_obj_dict_get_map(items);
    for (size_t i = 0; i < map->alloc; i++) {
        if (mp_map_slot_is_filled(map, i)) {
            members_subscr(args[0], map->table[i].key, map->table[i].value);
        }
    }
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_KW(members_update_obj, 1, members_update);

static mp_obj_t members_pop(size_t n_args, const mp_obj_t *args) {
    mp_map_t *const map = &members_of(args[0])->owner->members;
    const mp_map_elem_t *const entry = mp_obj_is_str(args[1]) ? mp_map_lookup(map, name_of(args[1]), MP_MAP_LOOKUP) : NULL;
    if (entry == NULL) {
        if (n_args > 2) {
            return args[2];
        }
        mp_raise_type_arg(&mp_type_KeyError, args[1]);
    }
    const mp_obj_t value = entry->value;
    members_subscr(args[0], args[1], MP_OBJ_NULL);
    return value;
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(members_pop_obj, 2, 3, members_pop);

static mp_obj_t members_setdefault(size_t n_args, const mp_obj_t *args) {
    mp_map_t *const map = &members_of(args[0])->owner->members;
    mp_map_elem_t *const entry = mp_map_lookup(map, name_of(args[1]), MP_MAP_LOOKUP_ADD_IF_NOT_FOUND);
    if (entry->value == MP_OBJ_NULL) {
        entry->value = n_args > 2 ? args[2] : mp_const_none;
    }
    return entry->value;
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(members_setdefault_obj, 2, 3, members_setdefault);

static mp_obj_t members_clear(mp_obj_t self) {
    mp_map_t *const map = &members_of(self)->owner->members;
    const mp_map_t names = ((const mp_obj_dict_t *)MP_OBJ_TO_PTR(copy_members(self)))->map;
    for (size_t i = 0; i < names.alloc; i++) {
        if (mp_map_slot_is_filled(&names, i)) {
            mp_map_lookup(map, names.table[i].key, MP_MAP_LOOKUP_REMOVE_IF_FOUND);
        }
    }
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_1(members_clear_obj, members_clear);

static void members_attr(mp_obj_t self, qstr attr, mp_obj_t *dest) {
    if (dest[0] != MP_OBJ_NULL) {
        return;
    }
    const void *method = NULL;
    switch (attr) {
        case MP_QSTR_update:
            method = &members_update_obj;
            break;
        case MP_QSTR_pop:
            method = &members_pop_obj;
            break;
        case MP_QSTR_setdefault:
            method = &members_setdefault_obj;
            break;
        case MP_QSTR_clear:
            method = &members_clear_obj;
            break;
        case MP_QSTR_popitem:
        case MP_QSTR___setitem__:
        case MP_QSTR___delitem__:
            return;
        default:
            mp_load_method_maybe(copy_members(self), attr, dest);
            return;
    }
    dest[0] = MP_OBJ_FROM_PTR(method);
    dest[1] = self;
}

static void members_print(const mp_print_t *print, mp_obj_t self, mp_print_kind_t kind) {
    mp_obj_print_helper(print, copy_members(self), kind);
}

static mp_obj_t members_unary_op(mp_unary_op_t op, mp_obj_t self) {
    return op == MP_UNARY_OP_HASH ? MP_OBJ_NULL : mp_unary_op(op, copy_members(self));
}

static mp_obj_t members_binary_op(mp_binary_op_t op, mp_obj_t self, mp_obj_t other) {
    if (op >= MP_BINARY_OP_REVERSE_OR || (op >= MP_BINARY_OP_INPLACE_OR && op <= MP_BINARY_OP_INPLACE_POWER)) {
        return MP_OBJ_NULL;
    }
    if (mp_obj_is_exact_type(other, &gpusnek_members_type)) {
        other = copy_members(other);
    }
    return op == MP_BINARY_OP_EQUAL ? mp_obj_new_bool(mp_obj_equal(copy_members(self), other))
           : mp_binary_op(op, copy_members(self), other);
}

static mp_obj_t members_getiter(mp_obj_t self, mp_obj_iter_buf_t *buffer) {
    return mp_getiter(copy_members(self), buffer);
}

MP_DEFINE_CONST_OBJ_TYPE(gpusnek_members_type, MP_QSTR_dict,
    MP_TYPE_FLAG_ITER_IS_GETITER | MP_TYPE_FLAG_EQ_CHECKS_OTHER_TYPE,
    print, members_print, unary_op, members_unary_op, binary_op, members_binary_op,
    attr, members_attr, subscr, members_subscr, iter, members_getiter, parent, &mp_type_dict);

mp_obj_t gpusnek_members(mp_obj_instance_t *owner) {
    members_t *const self = mp_obj_malloc(members_t, &gpusnek_members_type);
    self->owner = owner;
    return MP_OBJ_FROM_PTR(self);
}

mp_obj_t gpusnek_members_copy(mp_obj_t value) {
    return mp_obj_is_exact_type(value, &gpusnek_members_type) ? copy_members(value) : value;
}

#endif

bool gpusnek_is_private(qstr name) {
    size_t length;
    const byte *const text = qstr_data(name, &length);
    return length > 2 && text[0] == '_' && text[1] == '_'
           && !(text[length - 1] == '_' && text[length - 2] == '_');
}

qstr gpusnek_mangle(qstr owner, qstr name) {
    const char *prefix = qstr_str(owner);
    while (*prefix == '_') {
        prefix++;
    }
    if (*prefix == 0 || !gpusnek_is_private(name)) {
        return name;
    }
    vstr_t text;
    vstr_init(&text, 32);
    vstr_add_byte(&text, '_');
    vstr_add_str(&text, prefix);
    vstr_add_str(&text, qstr_str(name));
    const qstr mangled = qstr_from_strn(text.buf, text.len);
    vstr_clear(&text);
    return mangled;
}

static mp_obj_t builtin_vars(size_t n_args, const mp_obj_t *args) {
    return n_args == 0 ? MP_OBJ_FROM_PTR(mp_locals_get()) : mp_load_attr(args[0], MP_QSTR___dict__);
}
MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(gpusnek_vars_obj, 0, 1, builtin_vars);
