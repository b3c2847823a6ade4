// Containers that what a program wrote may change while upstream's C works on them.
#ifndef GPUSNEK_CHANGED_H
#define GPUSNEK_CHANGED_H

#include "py/obj.h"
#include "py/objlist.h"
#include "py/objtype.h"
#include "py/runtime0.h"

// How many items equal `value`.
mp_obj_t gpusnek_list_count(mp_obj_t list, mp_obj_t value);
// list.index: args are the list, the value, and perhaps start and stop. Raises ValueError.
mp_obj_t gpusnek_list_index(size_t n_args, const mp_obj_t *args);
// left op right, of a comparison that is not `!=`.
bool gpusnek_list_compare(mp_binary_op_t op, const mp_obj_list_t *left, const mp_obj_list_t *right);
// Moves the item `at` of a heap towards `start` past all greater ones, or down to its leaves and back.
// Both raise RuntimeError where a comparison took items from the heap.
void gpusnek_heap_down(mp_obj_list_t *heap, mp_uint_t start, mp_uint_t at);
void gpusnek_heap_up(mp_obj_list_t *heap, mp_uint_t at);

extern uint32_t gpusnek_comparing;
// Whether key and index are equal. RuntimeError where comparing them changed the map or the set.
bool gpusnek_map_equal(const mp_map_t *map, mp_obj_t key, mp_obj_t index);
bool gpusnek_set_equal(const mp_set_t *set, mp_obj_t key, mp_obj_t index);
// RuntimeError where a table lost its entries while a hash was computed.
void gpusnek_table_there(size_t alloc);

// Whether the number of an index, or of a part of a slice, may be one that a program gives.
static inline bool gpusnek_asks_program(mp_obj_t index) {
    if (!mp_obj_is_obj(index)) {
        return false;
    }
    const mp_obj_type_t *const type = ((const mp_obj_base_t *)MP_OBJ_TO_PTR(index))->type;
    return type == &mp_type_slice || mp_obj_is_instance_type(type);
}

// Such an index with numbers for what a program gives. It is itself for a dict, of which it is a key,
// for an object of the program's, and where it has no number. Raises what asking raises.
mp_obj_t gpusnek_plain_index(mp_obj_t container, mp_obj_t index);

// The items of a list as they are now, which stay whatever a program makes of the list.
void gpusnek_listed_items(mp_obj_t list, size_t *len, mp_obj_t **items);

// The items of a list or a tuple themselves, for C that calls no program while it needs them.
static inline void gpusnek_items_in_place(mp_obj_t sequence, size_t *len, mp_obj_t **items) {
    if (mp_obj_is_type(sequence, &mp_type_list)) {
        mp_obj_list_get(sequence, len, items);
    } else {
        mp_obj_get_array(sequence, len, items);
    }
}

#endif
