// Operations on containers that a program's comparison, hash or index method may change meanwhile.
//
// Problem: upstream keeps pointers to a container's items across calls of __eq__, __lt__ or
// __hash__. A method that changes the container leaves these pointers dangling.
//
// Mechanism: loops over lists read the length and the items again in each iteration, and keep
// objects under comparison on the C stack, where the collector finds them. A lookup in a map or set
// compares the table's address and size before and after each comparison, and raises RuntimeError
// if they differ.
//
// Patched upstream files and maps.h call these functions.
#include "changed.h"

#include <string.h>

#include "checkself.h"
#include "compare.h"
#include "messages.h"
#include "py/runtime.h"

// Raise the RuntimeError of a container that changed during a comparison.
static _Noreturn void changed(void) {
    mp_raise_msg(&mp_type_RuntimeError, MP_ERROR_TEXT("container changed by a comparison"));
}

// Return the list behind `object`; raise TypeError for other types.
static mp_obj_list_t *list_of(mp_obj_t object) {
    gpusnek_check_self(object, &mp_type_list);
    return MP_OBJ_TO_PTR(object);
}

mp_obj_t gpusnek_list_count(mp_obj_t object, mp_obj_t value) {
    const mp_obj_list_t *const list = list_of(object);
    size_t count = 0;
    for (size_t i = 0; i < list->len; i++) {
        count += gpusnek_equal(list->items[i], value);
    }
    return MP_OBJ_NEW_SMALL_INT(count);
}

mp_obj_t gpusnek_list_remove_index(size_t n_args, const mp_obj_t *args) {
    (void)n_args;
    const mp_obj_list_t *const list = list_of(args[0]);
    for (size_t i = 0; i < list->len; i++) {
        if (gpusnek_equal(list->items[i], args[1])) {
            return MP_OBJ_NEW_SMALL_INT(i);
        }
    }
    mp_raise_ValueError(MP_ERROR_TEXT("list.remove(x): x not in list"));
}

mp_obj_t gpusnek_list_index(size_t n_args, const mp_obj_t *args) {
    const mp_obj_list_t *const list = list_of(args[0]);
    size_t start = 0, stop = list->len;
    if (n_args > 2) {
        start = mp_get_index(&mp_type_list, list->len, args[2], true);
    }
    if (n_args > 3) {
        stop = mp_get_index(&mp_type_list, list->len, args[3], true);
    }
    for (size_t i = start; i < stop && i < list->len; i++) {
        if (gpusnek_equal(list->items[i], args[1])) {
            return MP_OBJ_NEW_SMALL_INT(i);
        }
    }
    gpusnek_raise_not_found(args[0], args[1]);
}

// Find the first index at which two lists differ. Store both items in *a and *b and return true, or
// return false if one list is a prefix of the other.
static bool difference(const mp_obj_list_t *left, const mp_obj_list_t *right, mp_obj_t *a,
    mp_obj_t *b) {
    for (size_t i = 0; i < left->len && i < right->len; i++) {
        *a = left->items[i];
        *b = right->items[i];
        if (!gpusnek_equal(*a, *b)) {
            return true;
        }
    }
    return false;
}

bool gpusnek_list_compare(mp_binary_op_t op, const mp_obj_list_t *left,
    const mp_obj_list_t *right) {
    if (op == MP_BINARY_OP_EQUAL && left->len != right->len) {
        return false;
    }
    mp_obj_t a, b;
    if (difference(left, right, &a, &b)) {
        return op != MP_BINARY_OP_EQUAL && mp_obj_is_true(mp_binary_op(op, a, b));
    }
    return gpusnek_compare_lengths(op, left->len, right->len);
}

// Raise RuntimeError if the list no longer has an item `at`.
static void holds(const mp_obj_list_t *heap, size_t at) {
    if (at >= heap->len) {
        changed();
    }
}

void gpusnek_heap_down(mp_obj_list_t *heap, mp_uint_t start, mp_uint_t at) {
    const mp_obj_t item = heap->items[at];
    while (at > start) {
        const mp_uint_t above = (at - 1) / 2;
        const mp_obj_t parent = heap->items[above];
        if (mp_binary_op(MP_BINARY_OP_LESS, item, parent) != mp_const_true) {
            break;
        }
        holds(heap, at);
        heap->items[at] = parent;
        at = above;
    }
    holds(heap, at);
    heap->items[at] = item;
}

void gpusnek_heap_up(mp_obj_list_t *heap, mp_uint_t at) {
    const mp_uint_t start = at, end = heap->len;
    const mp_obj_t item = heap->items[at];
    for (mp_uint_t child = 2 * at + 1; child < end; child = 2 * at + 1) {
        if (child + 1 < end) {
            const mp_obj_t *const pair = heap->items + child;
            child += mp_binary_op(MP_BINARY_OP_LESS, pair[0], pair[1]) == mp_const_false;
        }
        holds(heap, end - 1);
        heap->items[at] = heap->items[child];
        at = child;
    }
    heap->items[at] = item;
    gpusnek_heap_down(heap, start, at);
}

uint32_t gpusnek_comparing; // nesting depth of key comparisons in progress

// Invariant T1: a table that replaces the searched table has another address. While keys are
// compared, maps.h frees no table, and the collector finds the searched table's address on the C
// stack. A dict that was cleared and filled again is therefore recognized as changed.
bool gpusnek_map_equal(const mp_map_t *map, mp_obj_t key, mp_obj_t index) {
    if (gpusnek_same_words(key, index)) {
        return true;
    }
    if (mp_obj_is_str(key) && mp_obj_is_str(index)) {
        return mp_obj_str_equal(key, index); // runs no code of the program
    }
    const mp_map_t before = *map;
    gpusnek_comparing++;
    const bool equal = mp_obj_equal(key, index);
    gpusnek_comparing--;
    if (map->table != before.table || map->alloc != before.alloc || map->used != before.used) {
        changed();
    }
    return equal;
}

bool gpusnek_set_equal(const mp_set_t *set, mp_obj_t key, mp_obj_t index) {
    if (gpusnek_same_words(key, index)) {
        return true;
    }
    const mp_set_t before = *set;
    gpusnek_comparing++;
    const bool equal = mp_obj_equal(key, index);
    gpusnek_comparing--;
    if (set->table != before.table || set->alloc != before.alloc || set->used != before.used) {
        changed();
    }
    return equal;
}

void gpusnek_table_there(size_t alloc) {
    if (alloc == 0) {
        changed();
    }
}

void gpusnek_listed_items(mp_obj_t list, size_t *len, mp_obj_t **items) {
    mp_obj_t *own;
    mp_obj_list_get(list, len, &own);
    if (*len == 0) {
        *items = own;
        return;
    }
    *items = m_new(mp_obj_t, *len);
    memcpy(*items, own, *len * sizeof(mp_obj_t));
}

// Return the integer that an instance of a Python class converts to, or `o` itself.
static mp_obj_t plain_number(mp_obj_t o) {
    mp_int_t value;
    if (!mp_obj_is_instance_type(mp_obj_get_type(o)) || !mp_obj_get_int_maybe(o, &value)) {
        return o;
    }
    return mp_obj_new_int(value);
}

mp_obj_t gpusnek_plain_index(mp_obj_t container, mp_obj_t index) {
    if (mp_obj_is_dict_or_ordereddict(container)
        || mp_obj_is_instance_type(mp_obj_get_type(container))) {
        return index;
    }
    if (!mp_obj_is_exact_type(index, &mp_type_slice)) {
        return plain_number(index);
    }
    const mp_obj_slice_t *const slice = MP_OBJ_TO_PTR(index);
    const mp_obj_t parts[] = {slice->start, slice->stop, slice->step};
    mp_obj_t plain[3];
    bool same = true;
    for (int i = 0; i < 3; ++i) {
        plain[i] = plain_number(parts[i]);
        same = same && plain[i] == parts[i];
    }
    return same ? index : mp_obj_new_slice(plain[0], plain[1], plain[2]);
}
