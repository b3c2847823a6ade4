// What py/objlist.c calls where the patch `sort` says so (sort.c).
#ifndef GPUSNEK_SORT_H
#define GPUSNEK_SORT_H

#include "py/objlist.h"

// list.sort: its list, and `key` and `reverse` by name.
mp_obj_t gpusnek_list_sort(size_t n_args, const mp_obj_t *args, mp_map_t *keywords);

// Sorts the list as CPython's list.sort does. `key_fn` is called once for each item, in order, or
// is MP_OBJ_NULL. Raises what it and the comparisons raise, or ValueError if these changed the
// list; whatever is raised, the list has its items, each once. Meanwhile it shows none: its length
// and `alloc` are 0.
void gpusnek_sort(mp_obj_list_t *list, mp_obj_t key_fn, bool reverse);

#endif
