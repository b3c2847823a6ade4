// Layout of the tables of maps (maps.h), for code of upstream's py/objdict.c, which the patch
// `table-search` changes.
#ifndef GPUSNEK_MAPORDER_H
#define GPUSNEK_MAPORDER_H

#include <stdint.h>
#include <string.h>

#include "py/obj.h"
#include "py/objtuple.h"
#include "py/runtime.h"

#define GPUSNEK_SCANNED (8) // entries; a table of up to this size has no index

// The header of the index of a table: it lies behind the entries and before the slots of the index.
typedef struct {
    uint32_t top; // number of entries and tombstones
    uint32_t filled; // number of slots of the index that are not empty
} gpusnek_order_t;

// Returns the number of slots of the index. It is odd, so the probe sequence visits all (P1).
static inline size_t gpusnek_slots(size_t alloc) {
    return (alloc + alloc / 2) | 1;
}

// Returns the size of a slot of the index in bytes.
static inline size_t gpusnek_slot_size(size_t alloc) {
    return alloc < 0xff ? 1 : alloc < 0xffff ? 2 : 4;
}

// Returns the size of a map's table in bytes.
static inline size_t gpusnek_map_bytes(size_t alloc) {
    const size_t entries = alloc * sizeof(mp_map_elem_t);
    return alloc <= GPUSNEK_SCANNED ? entries
        : entries + sizeof(gpusnek_order_t) + gpusnek_slots(alloc) * gpusnek_slot_size(alloc);
}

static inline gpusnek_order_t *gpusnek_order(mp_map_elem_t *table, size_t alloc) {
    return (gpusnek_order_t *)(table + alloc);
}

static inline bool gpusnek_is_live(mp_obj_t key) {
    return key != MP_OBJ_NULL && key != MP_OBJ_SENTINEL;
}

// Returns the number of entries and tombstones.
static inline size_t gpusnek_top(const mp_map_t *map) {
    if (map->alloc > GPUSNEK_SCANNED) {
        return gpusnek_order(map->table, map->alloc)->top;
    }
    size_t top = map->used;
    while (top < map->alloc && map->table[top].key != MP_OBJ_NULL) {
        top++;
    }
    return top;
}

// Copies what a table has behind its entries to a copy of the entries in another map with as many.
// `from` may have a constant table, whose keys are names.
void gpusnek_copy_order(mp_map_t *to, const mp_map_t *from);

// Removes the last entry of a map that is not empty, and returns it.
static inline mp_map_elem_t gpusnek_pop_entry(mp_map_t *map) {
    size_t top = gpusnek_top(map);
    while (!gpusnek_is_live(map->table[top - 1].key)) {
        map->table[--top].key = MP_OBJ_NULL;
    }
    mp_map_elem_t *const last = &map->table[--top];
    const mp_map_elem_t entry = *last;
    last->key = last->value = MP_OBJ_NULL;
    map->used--;
    if (map->alloc > GPUSNEK_SCANNED) {
        gpusnek_order(map->table, map->alloc)->top = (uint32_t)top;
    }
    return entry;
}

// Replaces dict.popitem(). Raises KeyError if the dict is empty.
static inline mp_obj_t gpusnek_popitem(mp_obj_t self) {
    mp_map_t *const map = mp_obj_dict_get_map(self);
    if (map->is_fixed) {
        mp_raise_TypeError(NULL);
    }
    if (map->used == 0) {
        mp_raise_msg(&mp_type_KeyError, MP_ERROR_TEXT("popitem(): dictionary is empty"));
    }
    mp_map_elem_t entry = gpusnek_pop_entry(map);
    return mp_obj_new_tuple(2, &entry.key);
}

#endif
