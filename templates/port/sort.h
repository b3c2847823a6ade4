// Interface of the port's sort (sort.c), which the patch `sort` calls in py/objlist.c.
#ifndef GPUSNEK_SORT_H
#define GPUSNEK_SORT_H

#include "py/objlist.h"

// Implements list.sort: args are the list, keywords `key` and `reverse`. Raises as gpusnek_sort().
mp_obj_t gpusnek_list_sort(size_t n_args, const mp_obj_t *args, mp_map_t *keywords);

// Sorts a list as CPython's list.sort. key_fn: MP_OBJ_NULL, or called once for each item, in order
// (more often if memory is short). Propagates exceptions of the key function and of comparisons;
// raises ValueError if these changed the list. After an exception the list still has each item
// once. During the sort the list is empty for the program.
void gpusnek_sort(mp_obj_list_t *list, mp_obj_t key_fn, bool reverse);

#endif
