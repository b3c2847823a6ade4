// Operations on containers that a program's methods may change meanwhile (changed.c). Patched
// upstream files call these functions; each may raise what a called method raises.
#ifndef GPUSNEK_CHANGED_H
#define GPUSNEK_CHANGED_H

#include "py/obj.h"
#include "py/objlist.h"
#include "py/objtype.h"
#include "py/runtime0.h"

// list.count(value): return the number of items that equal `value`.
mp_obj_t gpusnek_list_count(mp_obj_t list, mp_obj_t value);
// list.index(value[, start[, stop]]); args[0] is the list. Raises ValueError if no item equals the
// value.
mp_obj_t gpusnek_list_index(size_t n_args, const mp_obj_t *args);
// Return the position of the item that list.remove() removes.
mp_obj_t gpusnek_list_remove_index(size_t n_args, const mp_obj_t *args);
// Return `left op right` for an ordering comparison or `==`.
bool gpusnek_list_compare(mp_binary_op_t op, const mp_obj_list_t *left, const mp_obj_list_t *right);
// Compare sequences of which the shorter one begins the longer one, by their lengths.
static inline bool gpusnek_compare_lengths(mp_binary_op_t op, size_t left, size_t right) {
    switch (op) {
        case MP_BINARY_OP_LESS:
            return left < right;
        case MP_BINARY_OP_LESS_EQUAL:
            return left <= right;
        case MP_BINARY_OP_MORE:
            return left > right;
        case MP_BINARY_OP_MORE_EQUAL:
            return left >= right;
        default:
            return left == right;
    }
}
// Sift an item of a heapq list: gpusnek_heap_down() moves item `at` towards `start` past all
// greater ancestors; gpusnek_heap_up() moves it down to a leaf and then back. Both raise
// RuntimeError if a comparison removed items from the list.
void gpusnek_heap_down(mp_obj_list_t *heap, mp_uint_t start, mp_uint_t at);
void gpusnek_heap_up(mp_obj_list_t *heap, mp_uint_t at);

// Nesting depth of key comparisons in progress. No table is freed while it is not 0.
extern uint32_t gpusnek_comparing;
// Frees memory of `size` bytes, unless keys are being compared.
#if MICROPY_MALLOC_USES_ALLOCATED_SIZE
#define gpusnek_memory_del(ptr, size) (gpusnek_comparing == 0 ? m_free(ptr, size) : (void)0)
#else
#define gpusnek_memory_del(ptr, size) \
    ((void)(size), gpusnek_comparing == 0 ? m_free(ptr) : (void)0)
#endif
// Return whether a stored key equals the key that is looked up. Raises RuntimeError if the
// comparison changed the map or the set.
bool gpusnek_map_equal(const mp_map_t *map, mp_obj_t key, mp_obj_t index);
bool gpusnek_set_equal(const mp_set_t *set, mp_obj_t key, mp_obj_t index);
// Raise RuntimeError if the table lost all its entries while a hash was computed.
void gpusnek_table_there(size_t alloc);

// Return whether converting an index to a number may run Python code: the index is a slice or an
// instance of a Python class.
static inline bool gpusnek_asks_program(mp_obj_t index) {
    if (!mp_obj_is_obj(index)) {
        return false;
    }
    const mp_obj_type_t *const type = ((const mp_obj_base_t *)MP_OBJ_TO_PTR(index))->type;
    return type == &mp_type_slice || mp_obj_is_instance_type(type);
}

// Return `index` with its numbers converted, so that upstream's subscript code runs no Python code
// after it has read the container's length. Returns `index` itself for a dict, whose key it is, for
// a container of a Python class, and for objects without a number. Raises what the conversion
// raises.
mp_obj_t gpusnek_plain_index(mp_obj_t container, mp_obj_t index);

// Copy the items of a list to new memory, which remains valid when the program changes the list.
// Raises MemoryError.
void gpusnek_listed_items(mp_obj_t list, size_t *len, mp_obj_t **items);

// Return the items of a list or tuple in place. The caller must not run Python code while it uses
// them.
static inline void gpusnek_items_in_place(mp_obj_t sequence, size_t *len, mp_obj_t **items) {
    if (mp_obj_is_type(sequence, &mp_type_list)) {
        mp_obj_list_get(sequence, len, items);
    } else {
        mp_obj_get_array(sequence, len, items);
    }
}

#endif
