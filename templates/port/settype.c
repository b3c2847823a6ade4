// The types set and frozenset, in place of upstream's py/objset.c. The tables, and so the order of
// keys, are settable.c's. Operations take the keys in CPython's order.
//
// Invariant E1: methods of a program's classes (`__hash__`, `__eq__`, iterators, `__repr__`) may
// change every set. A loop over a table reads the number of slots, the table and the slot again
// after each of these calls.
#include "keys.h"
#include "py/builtin.h"
#include "py/objtype.h"
#include "py/runtime.h"
#include "settable.h"

#if MICROPY_PY_BUILTINS_SET

typedef struct {
    mp_obj_base_t base;
    mp_set_t set;
} set_obj_t;

typedef struct {
    mp_obj_base_t base;
    mp_fun_1_t iternext;
    mp_obj_t set;
    uint32_t at; // the next slot
    uint32_t used; // number of keys at the start, or CHANGED
} iterator_t;

#define CHANGED (UINT32_MAX)

static inline bool is_exact(mp_obj_t o) {
    return mp_obj_is_type(o, &mp_type_set) || mp_obj_is_type(o, &mp_type_frozenset);
}

static inline mp_set_t *table_of(mp_obj_t exact) {
    return &((set_obj_t *)MP_OBJ_TO_PTR(exact))->set;
}

static inline bool is_filled(const mp_set_t *set, size_t at) {
    return at < set->alloc && mp_set_slot_is_filled(set, at);
}

// Returns the set that `o` is or derives from; MP_OBJ_NULL for other objects.
static mp_obj_t as_set(mp_obj_t o) {
    if (is_exact(o)) {
        return o;
    }
    if (!mp_obj_is_instance_type(mp_obj_get_type(o))) {
        return MP_OBJ_NULL;
    }
    const mp_obj_t set = mp_obj_cast_to_native_base(o, MP_OBJ_FROM_PTR(&mp_type_set));
    return set != MP_OBJ_NULL
        ? set : mp_obj_cast_to_native_base(o, MP_OBJ_FROM_PTR(&mp_type_frozenset));
}

// Returns the table of a method's first argument. Raises TypeError for an object of another type.
static mp_set_t *self_table(mp_obj_t self, bool may_be_frozen) {
    if (!mp_obj_is_type(self, &mp_type_set)
        && !(may_be_frozen && mp_obj_is_type(self, &mp_type_frozenset))) {
        mp_raise_msg_varg(&mp_type_TypeError,
            MP_ERROR_TEXT("descriptor requires a 'set' object but received a '%s'"),
            mp_obj_get_type_str(self));
    }
    return table_of(self);
}

static mp_obj_t new_set(const mp_obj_type_t *type) {
    set_obj_t *const set = mp_obj_malloc(set_obj_t, type);
    set->set.alloc = set->set.used = 0;
    set->set.table = NULL;
    return MP_OBJ_FROM_PTR(set);
}

// Returns the type of a result: that of the left operand.
static inline const mp_obj_type_t *type_like(mp_obj_t exact) {
    return ((const mp_obj_base_t *)MP_OBJ_TO_PTR(exact))->type;
}

// Returns a key for a search: a set is searched as the equal frozenset.
static mp_obj_t searchable(mp_obj_t key) {
    if (!mp_obj_is_type(key, &mp_type_set)) {
        return key;
    }
    const mp_obj_t frozen = new_set(&mp_type_frozenset);
    gpusnek_set_merge(table_of(frozen), table_of(key));
    return frozen;
}

// Inserts what an object yields, as set.update().
static void update(mp_set_t *set, mp_obj_t other) {
    const mp_obj_t keys = as_set(other);
    if (keys != MP_OBJ_NULL) {
        gpusnek_set_merge(set, table_of(keys));
        return;
    }
    if (mp_obj_is_exact_type(other, &mp_type_dict)) {
        gpusnek_set_reserve(set, mp_obj_dict_len(other));
    }
    const mp_obj_t iterator = mp_getiter(other, NULL);
    mp_obj_t key;
    while ((key = mp_iternext(iterator)) != MP_OBJ_STOP_ITERATION) {
        gpusnek_set_add(set, key);
    }
}

// Removes what an object yields.
static void subtract(mp_set_t *set, mp_obj_t other) {
    const mp_obj_t keys = as_set(other);
    if (keys != MP_OBJ_NULL) {
        const mp_set_t *const table = table_of(keys);
        if (table == set) {
            gpusnek_set_empty(set);
            return;
        }
        for (size_t i = 0; i < table->alloc; i++) {
            if (is_filled(table, i)) {
                gpusnek_set_discard(set, table->table[i]);
            }
        }
    } else {
        const mp_obj_t iterator = mp_getiter(other, NULL);
        mp_obj_t key;
        while ((key = mp_iternext(iterator)) != MP_OBJ_STOP_ITERATION) {
            gpusnek_set_discard(set, key);
        }
    }
    gpusnek_set_trim(set);
}

static mp_obj_t copied(mp_obj_t exact, const mp_obj_type_t *type) {
    const mp_obj_t copy = new_set(type);
    gpusnek_set_merge(table_of(copy), table_of(exact));
    return copy;
}

// Returns the set as a new object. Converts other objects.
static mp_obj_t set_from(mp_obj_t other) {
    const mp_obj_t set = new_set(&mp_type_set);
    update(table_of(set), other);
    return set;
}

/* Constructors, printing, iteration */

static mp_obj_t set_make_new(const mp_obj_type_t *type, size_t n_args, size_t n_kw, const mp_obj_t *args) {
    mp_arg_check_num(n_args, n_kw, 0, 1, false);
    if (n_args == 1 && type == &mp_type_frozenset && mp_obj_is_type(args[0], &mp_type_frozenset)) {
        return args[0];
    }
    const mp_obj_t set = new_set(type);
    if (n_args == 1) {
        update(table_of(set), args[0]);
    }
    return set;
}

static void set_print(const mp_print_t *print, mp_obj_t self, mp_print_kind_t kind) {
    (void)kind;
    const mp_set_t *const set = table_of(self);
    const bool is_frozen = mp_obj_is_type(self, &mp_type_frozenset);
    if (set->used == 0) {
        mp_print_str(print, is_frozen ? "frozenset()" : "set()");
        return;
    }
    mp_print_str(print, is_frozen ? "frozenset({" : "{");
    const char *between = "";
    for (size_t i = 0; i < set->alloc; i++) {
        if (is_filled(set, i)) {
            mp_print_str(print, between); // a stream of the program may change the set
            if (is_filled(set, i)) {
                mp_obj_print_helper(print, set->table[i], PRINT_REPR);
            }
            between = ", ";
        }
    }
    mp_print_str(print, is_frozen ? "})" : "}");
}

static mp_obj_t set_iternext(mp_obj_t self_in) {
    iterator_t *const self = MP_OBJ_TO_PTR(self_in);
    if (self->set == MP_OBJ_NULL) {
        return MP_OBJ_STOP_ITERATION;
    }
    const mp_set_t *const set = table_of(self->set);
    if (self->used != set->used) {
        self->used = CHANGED;
        mp_raise_msg(&mp_type_RuntimeError, MP_ERROR_TEXT("Set changed size during iteration"));
    }
    for (size_t i = self->at; i < set->alloc; i++) {
        if (mp_set_slot_is_filled(set, i)) {
            self->at = (uint32_t)i + 1;
            return set->table[i];
        }
    }
    self->set = MP_OBJ_NULL;
    return MP_OBJ_STOP_ITERATION;
}

static mp_obj_t set_getiter(mp_obj_t set, mp_obj_iter_buf_t *buffer) {
    MP_STATIC_ASSERT(sizeof(iterator_t) <= sizeof(mp_obj_iter_buf_t));
    iterator_t *const o = (iterator_t *)buffer;
    o->base.type = &mp_type_polymorph_iter;
    o->iternext = set_iternext;
    o->set = set;
    o->at = 0;
    o->used = (uint32_t)table_of(set)->used;
    return MP_OBJ_FROM_PTR(o);
}

/* Methods that change a set */

static mp_obj_t set_add(mp_obj_t self, mp_obj_t key) {
    gpusnek_set_add(self_table(self, false), key);
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_2(set_add_obj, set_add);

static mp_obj_t set_clear(mp_obj_t self) {
    gpusnek_set_empty(self_table(self, false));
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_1(set_clear_obj, set_clear);

static mp_obj_t set_discard(mp_obj_t self, mp_obj_t key) {
    mp_set_t *const set = self_table(self, false);
    gpusnek_set_discard(set, searchable(key));
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_2(set_discard_obj, set_discard);

static mp_obj_t set_remove(mp_obj_t self, mp_obj_t key) {
    mp_set_t *const set = self_table(self, false);
    if (!gpusnek_set_discard(set, searchable(key))) {
        mp_raise_type_arg(&mp_type_KeyError, key);
    }
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_2(set_remove_obj, set_remove);

static mp_obj_t set_pop(mp_obj_t self) {
    const mp_obj_t key = gpusnek_set_pop(self_table(self, false));
    if (key == MP_OBJ_NULL) {
        mp_raise_msg(&mp_type_KeyError, MP_ERROR_TEXT("pop from an empty set"));
    }
    return key;
}
static MP_DEFINE_CONST_FUN_OBJ_1(set_pop_obj, set_pop);

static mp_obj_t set_update(size_t n_args, const mp_obj_t *args) {
    mp_set_t *const set = self_table(args[0], false);
    for (size_t i = 1; i < n_args; i++) {
        update(set, args[i]);
    }
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_VAR(set_update_obj, 1, set_update);

static mp_obj_t set_difference_update(size_t n_args, const mp_obj_t *args) {
    mp_set_t *const set = self_table(args[0], false);
    for (size_t i = 1; i < n_args; i++) {
        subtract(set, args[i]);
    }
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_VAR(set_difference_update_obj, 1, set_difference_update);

// Replaces the set by its symmetric difference with `other`.
static void exchange(mp_set_t *set, mp_obj_t other) {
    mp_obj_t keys = as_set(other);
    if (keys == MP_OBJ_NULL) {
        keys = set_from(other);
    }
    const mp_set_t *const table = table_of(keys);
    if (table == set) {
        gpusnek_set_empty(set);
        return;
    }
    for (size_t i = 0; i < table->alloc; i++) {
        if (is_filled(table, i)) {
            const mp_obj_t key = table->table[i];
            if (!gpusnek_set_discard(set, key)) {
                gpusnek_set_add(set, key);
            }
        }
    }
}

static mp_obj_t set_symmetric_difference_update(mp_obj_t self, mp_obj_t other) {
    exchange(self_table(self, false), other);
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_2(
    set_symmetric_difference_update_obj, set_symmetric_difference_update);

/* Methods with a new set as result */

static mp_obj_t set_copy(mp_obj_t self) {
    self_table(self, true);
    return mp_obj_is_type(self, &mp_type_frozenset) ? self : copied(self, &mp_type_set);
}
static MP_DEFINE_CONST_FUN_OBJ_1(set_copy_obj, set_copy);

static mp_obj_t set_union(size_t n_args, const mp_obj_t *args) {
    self_table(args[0], true);
    const mp_obj_t result = copied(args[0], type_like(args[0]));
    for (size_t i = 1; i < n_args; i++) {
        if (args[i] != args[0]) {
            update(table_of(result), args[i]);
        }
    }
    return result;
}
static MP_DEFINE_CONST_FUN_OBJ_VAR(set_union_obj, 1, set_union);

// Returns the keys of a set that `other` yields. Of two sets the loop visits the smaller one.
static mp_obj_t intersection(mp_obj_t self, mp_obj_t other) {
    mp_obj_t keys = as_set(other);
    if (keys == self) {
        return copied(self, type_like(self));
    }
    const mp_obj_t result = new_set(type_like(self));
    if (keys == MP_OBJ_NULL) {
        const mp_obj_t iterator = mp_getiter(other, NULL);
        mp_obj_t key;
        while ((key = mp_iternext(iterator)) != MP_OBJ_STOP_ITERATION) {
            if (gpusnek_set_has(table_of(self), key)) {
                gpusnek_set_add(table_of(result), key);
            }
        }
        return result;
    }
    mp_obj_t searched = self;
    if (table_of(keys)->used > table_of(self)->used) {
        searched = keys;
        keys = self;
    }
    const mp_set_t *const table = table_of(keys);
    for (size_t i = 0; i < table->alloc; i++) {
        if (is_filled(table, i)) {
            const mp_obj_t key = table->table[i];
            if (gpusnek_set_has(table_of(searched), key)) {
                gpusnek_set_add(table_of(result), key);
            }
        }
    }
    return result;
}

static mp_obj_t set_intersection(size_t n_args, const mp_obj_t *args) {
    self_table(args[0], true);
    if (n_args == 1) {
        return copied(args[0], type_like(args[0]));
    }
    mp_obj_t result = args[0];
    for (size_t i = 1; i < n_args; i++) {
        result = intersection(result, args[i]);
    }
    return result;
}
static MP_DEFINE_CONST_FUN_OBJ_VAR(set_intersection_obj, 1, set_intersection);

static mp_obj_t set_intersection_update(size_t n_args, const mp_obj_t *args) {
    mp_set_t *const set = self_table(args[0], false);
    const mp_obj_t result = set_intersection(n_args, args);
    gpusnek_set_take(set, table_of(result));
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_VAR(set_intersection_update_obj, 1, set_intersection_update);

// Returns the keys of a set that `other` lacks. A set or dict less than a quarter as large is
// subtracted from a copy; otherwise each key is searched in it.
static mp_obj_t difference(mp_obj_t self, mp_obj_t other) {
    const mp_obj_t keys = as_set(other);
    const bool is_dict = mp_obj_is_exact_type(other, &mp_type_dict);
    const mp_set_t *const set = table_of(self);
    const size_t length = keys != MP_OBJ_NULL ? table_of(keys)->used : is_dict ? mp_obj_dict_len(other) : 0;
    if ((keys == MP_OBJ_NULL && !is_dict) || set->used / 4 > length) {
        const mp_obj_t result = copied(self, type_like(self));
        subtract(table_of(result), other);
        return result;
    }
    const mp_obj_t result = new_set(type_like(self));
    for (size_t i = 0; i < set->alloc; i++) {
        if (!is_filled(set, i)) {
            continue;
        }
        const mp_obj_t key = set->table[i];
        const bool has = is_dict
            ? mp_map_lookup(mp_obj_dict_get_map(other), key, MP_MAP_LOOKUP) != NULL
            : gpusnek_set_has(table_of(keys), key);
        if (!has) {
            gpusnek_set_add(table_of(result), key);
        }
    }
    return result;
}

static mp_obj_t set_difference(size_t n_args, const mp_obj_t *args) {
    self_table(args[0], true);
    if (n_args == 1) {
        return copied(args[0], type_like(args[0]));
    }
    const mp_obj_t result = difference(args[0], args[1]);
    for (size_t i = 2; i < n_args; i++) {
        subtract(table_of(result), args[i]);
    }
    return result;
}
static MP_DEFINE_CONST_FUN_OBJ_VAR(set_difference_obj, 1, set_difference);

static mp_obj_t set_symmetric_difference(mp_obj_t self, mp_obj_t other) {
    self_table(self, true);
    const mp_obj_t result = new_set(type_like(self));
    update(table_of(result), other);
    exchange(table_of(result), self);
    return result;
}
static MP_DEFINE_CONST_FUN_OBJ_2(set_symmetric_difference_obj, set_symmetric_difference);

// For set displays of constants: CPython copies the constants to a set twice and merges that with an
// empty one, whose table can have another size.
static mp_obj_t set_as_display(mp_obj_t self) {
    mp_set_t *const set = self_table(self, false);
    const mp_obj_t copy = new_set(&mp_type_set), result = new_set(&mp_type_set);
    for (size_t i = 0; i < set->alloc; i++) {
        if (is_filled(set, i)) {
            gpusnek_set_add(table_of(copy), set->table[i]);
        }
    }
    gpusnek_set_merge(table_of(result), table_of(copy));
    gpusnek_set_empty(table_of(copy));
    gpusnek_set_take(set, table_of(result));
    return self;
}
static MP_DEFINE_CONST_FUN_OBJ_1(set_as_display_obj, set_as_display);

/* Comparison */

// Returns whether `larger` has all keys of `set`.
static bool is_subset(mp_obj_t set, mp_obj_t larger) {
    const mp_set_t *const table = table_of(set);
    if (table->used > table_of(larger)->used) {
        return false;
    }
    for (size_t i = 0; i < table->alloc; i++) {
        if (is_filled(table, i) && !gpusnek_set_has(table_of(larger), table->table[i])) {
            return false;
        }
    }
    return true;
}

static mp_obj_t set_isdisjoint(mp_obj_t self, mp_obj_t other) {
    mp_set_t *const set = self_table(self, true);
    mp_obj_iter_buf_t buffer;
    const mp_obj_t iterator = mp_getiter(other, &buffer);
    mp_obj_t key;
    while ((key = mp_iternext(iterator)) != MP_OBJ_STOP_ITERATION) {
        if (gpusnek_set_has(set, key)) {
            return mp_const_false;
        }
    }
    return mp_const_true;
}
static MP_DEFINE_CONST_FUN_OBJ_2(set_isdisjoint_obj, set_isdisjoint);

static mp_obj_t set_issubset(mp_obj_t self, mp_obj_t other) {
    self_table(self, true);
    const mp_obj_t keys = as_set(other);
    return mp_obj_new_bool(is_subset(self, keys == MP_OBJ_NULL ? set_from(other) : keys));
}
static MP_DEFINE_CONST_FUN_OBJ_2(set_issubset_obj, set_issubset);

static mp_obj_t set_issuperset(mp_obj_t self, mp_obj_t other) {
    mp_set_t *const set = self_table(self, true);
    const mp_obj_t keys = as_set(other);
    if (keys != MP_OBJ_NULL) {
        return mp_obj_new_bool(is_subset(keys, self));
    }
    mp_obj_iter_buf_t buffer;
    const mp_obj_t iterator = mp_getiter(other, &buffer);
    mp_obj_t key;
    while ((key = mp_iternext(iterator)) != MP_OBJ_STOP_ITERATION) {
        if (!gpusnek_set_has(set, key)) {
            return mp_const_false;
        }
    }
    return mp_const_true;
}
static MP_DEFINE_CONST_FUN_OBJ_2(set_issuperset_obj, set_issuperset);

/* Views of dicts */

// Returns whether the object is a view of a dict's keys or items. A view of values has a hash.
static bool is_view(mp_obj_t o) {
    const mp_obj_type_t *const type = mp_obj_get_type(o);
    return type->name == MP_QSTR_dict_view && !mp_obj_is_instance_type(type)
        && MP_OBJ_TYPE_GET_SLOT(type, unary_op)(MP_UNARY_OP_HASH, o) == MP_OBJ_NULL;
}

static mp_obj_t set_binary_op(mp_binary_op_t op, mp_obj_t lhs, mp_obj_t rhs_in);

// Each operation is that of a set with the same keys, and its result a set.
mp_obj_t gpusnek_view_operation(mp_binary_op_t op, mp_obj_t keys, mp_obj_t other) {
    const bool other_is_set = as_set(other) != MP_OBJ_NULL || is_view(other);
    switch (op) {
        case MP_BINARY_OP_OR:
        case MP_BINARY_OP_XOR:
        case MP_BINARY_OP_AND:
        case MP_BINARY_OP_SUBTRACT:
            break;
        case MP_BINARY_OP_LESS:
        case MP_BINARY_OP_MORE:
        case MP_BINARY_OP_EQUAL:
        case MP_BINARY_OP_LESS_EQUAL:
        case MP_BINARY_OP_MORE_EQUAL:
            if (other_is_set) {
                break;
            }
            MP_FALLTHROUGH
        default:
            return MP_OBJ_NULL; // op not supported
    }
    const mp_obj_t set = set_from(keys);
    switch (op) {
        case MP_BINARY_OP_OR:
            update(table_of(set), other);
            return set;
        case MP_BINARY_OP_XOR:
            exchange(table_of(set), other);
            return set;
        case MP_BINARY_OP_SUBTRACT:
            subtract(table_of(set), other);
            return set;
        default:
            return set_binary_op(op, set, other_is_set ? other : set_from(other));
    }
}

/* Operators */

// Returns the bits of a key's hash spread over the word, so that the sum of keys does not depend on
// their order: CPython's function.
static inline uint64_t spread(uint64_t hash) {
    return ((hash ^ 89869747) ^ hash << 16) * 3644798167;
}

// Returns the hash of a frozenset, as CPython without its last steps for the state of the table.
static mp_int_t frozen_hash(const mp_set_t *set) {
    uint64_t hash = 0;
    for (size_t i = 0; i < set->alloc; i++) {
        if (is_filled(set, i)) {
            hash ^= spread((uint64_t)gpusnek_item_hash(set->table[i]));
        }
    }
    hash ^= (set->used + 1) * UINT64_C(1927868237);
    hash ^= (hash >> 11) ^ (hash >> 25);
    hash = hash * 69069 + 907133923;
    return hash == UINT64_MAX ? 590923713 : (mp_int_t)hash;
}

static mp_obj_t set_unary_op(mp_unary_op_t op, mp_obj_t self) {
    const mp_set_t *const set = table_of(self);
    switch (op) {
        case MP_UNARY_OP_BOOL:
            return mp_obj_new_bool(set->used != 0);
        case MP_UNARY_OP_LEN:
            return MP_OBJ_NEW_SMALL_INT(set->used);
        case MP_UNARY_OP_HASH:
            if (mp_obj_is_type(self, &mp_type_frozenset)) {
                return MP_OBJ_NEW_SMALL_INT(frozen_hash(set));
            }
            return MP_OBJ_NULL;
        default:
            return MP_OBJ_NULL; // op not supported
    }
}

static mp_obj_t set_binary_op(mp_binary_op_t op, mp_obj_t lhs, mp_obj_t rhs_in) {
    if (op == MP_BINARY_OP_CONTAINS) {
        return mp_obj_new_bool(gpusnek_set_has(table_of(lhs), searchable(rhs_in)));
    }
    const mp_obj_t rhs = is_view(rhs_in) ? set_from(rhs_in) : as_set(rhs_in);
    if (rhs == MP_OBJ_NULL) {
        return MP_OBJ_NULL;
    }
    const mp_obj_t args[] = {lhs, rhs};
    const size_t left = table_of(lhs)->used, right = table_of(rhs)->used;
    const bool changes = mp_obj_is_type(lhs, &mp_type_set);
    switch (op) {
        case MP_BINARY_OP_INPLACE_OR:
            if (changes) {
                set_update(2, args);
                return lhs;
            }
            MP_FALLTHROUGH
        case MP_BINARY_OP_OR:
            return set_union(2, args);
        case MP_BINARY_OP_INPLACE_XOR:
            if (changes) {
                exchange(table_of(lhs), rhs);
                return lhs;
            }
            MP_FALLTHROUGH
        case MP_BINARY_OP_XOR:
            return set_symmetric_difference(lhs, rhs);
        case MP_BINARY_OP_INPLACE_AND:
            if (changes) {
                set_intersection_update(2, args);
                return lhs;
            }
            MP_FALLTHROUGH
        case MP_BINARY_OP_AND:
            return intersection(lhs, rhs);
        case MP_BINARY_OP_INPLACE_SUBTRACT:
            if (changes) {
                subtract(table_of(lhs), rhs);
                return lhs;
            }
            MP_FALLTHROUGH
        case MP_BINARY_OP_SUBTRACT:
            return difference(lhs, rhs);
        case MP_BINARY_OP_LESS:
            return mp_obj_new_bool(left < right && is_subset(lhs, rhs));
        case MP_BINARY_OP_MORE:
            return mp_obj_new_bool(left > right && is_subset(rhs, lhs));
        case MP_BINARY_OP_EQUAL:
            return mp_obj_new_bool(left == right && is_subset(lhs, rhs));
        case MP_BINARY_OP_LESS_EQUAL:
            return mp_obj_new_bool(is_subset(lhs, rhs));
        case MP_BINARY_OP_MORE_EQUAL:
            return mp_obj_new_bool(is_subset(rhs, lhs));
        default:
            return MP_OBJ_NULL; // op not supported
    }
}

/* Types */

// The methods of both types.
#define SHARED_METHODS \
    { MP_ROM_QSTR(MP_QSTR_copy), MP_ROM_PTR(&set_copy_obj) }, \
    { MP_ROM_QSTR(MP_QSTR_difference), MP_ROM_PTR(&set_difference_obj) }, \
    { MP_ROM_QSTR(MP_QSTR_intersection), MP_ROM_PTR(&set_intersection_obj) }, \
    { MP_ROM_QSTR(MP_QSTR_isdisjoint), MP_ROM_PTR(&set_isdisjoint_obj) }, \
    { MP_ROM_QSTR(MP_QSTR_issubset), MP_ROM_PTR(&set_issubset_obj) }, \
    { MP_ROM_QSTR(MP_QSTR_issuperset), MP_ROM_PTR(&set_issuperset_obj) }, \
    { MP_ROM_QSTR(MP_QSTR_symmetric_difference), MP_ROM_PTR(&set_symmetric_difference_obj) }, \
    { MP_ROM_QSTR(MP_QSTR_union), MP_ROM_PTR(&set_union_obj) }, \
    { MP_ROM_QSTR(MP_QSTR___contains__), MP_ROM_PTR(&mp_op_contains_obj) },

static const mp_rom_map_elem_t set_locals_dict_table[] = {
    SHARED_METHODS
    { MP_ROM_QSTR(MP_QSTR__as_display), MP_ROM_PTR(&set_as_display_obj) },
    { MP_ROM_QSTR(MP_QSTR_add), MP_ROM_PTR(&set_add_obj) },
    { MP_ROM_QSTR(MP_QSTR_clear), MP_ROM_PTR(&set_clear_obj) },
    { MP_ROM_QSTR(MP_QSTR_difference_update), MP_ROM_PTR(&set_difference_update_obj) },
    { MP_ROM_QSTR(MP_QSTR_discard), MP_ROM_PTR(&set_discard_obj) },
    { MP_ROM_QSTR(MP_QSTR_intersection_update), MP_ROM_PTR(&set_intersection_update_obj) },
    { MP_ROM_QSTR(MP_QSTR_pop), MP_ROM_PTR(&set_pop_obj) },
    { MP_ROM_QSTR(MP_QSTR_remove), MP_ROM_PTR(&set_remove_obj) },
    { MP_ROM_QSTR(MP_QSTR_symmetric_difference_update), MP_ROM_PTR(&set_symmetric_difference_update_obj) },
    { MP_ROM_QSTR(MP_QSTR_update), MP_ROM_PTR(&set_update_obj) },
};
static MP_DEFINE_CONST_DICT(set_locals_dict, set_locals_dict_table);

MP_DEFINE_CONST_OBJ_TYPE(
    mp_type_set,
    MP_QSTR_set,
    MP_TYPE_FLAG_EQ_CHECKS_OTHER_TYPE | MP_TYPE_FLAG_ITER_IS_GETITER,
    make_new, set_make_new,
    print, set_print,
    unary_op, set_unary_op,
    binary_op, set_binary_op,
    iter, set_getiter,
    locals_dict, &set_locals_dict
    );

static const mp_rom_map_elem_t frozenset_locals_dict_table[] = {
    SHARED_METHODS
};
static MP_DEFINE_CONST_DICT(frozenset_locals_dict, frozenset_locals_dict_table);

MP_DEFINE_CONST_OBJ_TYPE(
    mp_type_frozenset,
    MP_QSTR_frozenset,
    MP_TYPE_FLAG_EQ_CHECKS_OTHER_TYPE | MP_TYPE_FLAG_ITER_IS_GETITER,
    make_new, set_make_new,
    print, set_print,
    unary_op, set_unary_op,
    binary_op, set_binary_op,
    iter, set_getiter,
    locals_dict, &frozenset_locals_dict
    );

mp_obj_t mp_obj_new_set(size_t n_args, mp_obj_t *items) {
    const mp_obj_t set = new_set(&mp_type_set);
    for (size_t i = 0; i < n_args; i++) {
        gpusnek_set_add(table_of(set), items[i]);
    }
    return set;
}

void mp_obj_set_store(mp_obj_t set, mp_obj_t key) {
    gpusnek_set_add(self_table(set, false), key);
}

#endif
