// Hash tables of dicts: lookup, insertion, removal and resizing. The patch `table-search` replaces
// the bodies of py/map.c's functions by these. settable.c has the tables of sets.
//
// Problem: a dict keeps the order in which its keys were inserted. A warp waits for the lane with
// the longest probe sequence. Upstream's tables fill up completely, and removed keys make probe
// sequences longer.
//
// Mechanism: entries are stored in the order of insertion, at the front of the table. A
// removed entry leaves a tombstone (MP_OBJ_SENTINEL); behind the last entry, keys are MP_OBJ_NULL.
// Code that visits all slots of a table therefore visits the entries in order. A table of up to
// GPUSNEK_SCANNED entries is searched from its start. Behind the entries of a larger one are its
// gpusnek_order_t and an index: open addressing with the probe sequence of probe.h, whose slots have
// the number of an entry, from 1 on, or 0. The index has half as many slots again as the table has
// entries. A table that has no place at its end is compacted in place if a quarter of its entries
// are tombstones, and grows otherwise.
//
// Invariants (T1 is in changed.c):
//   T2  The slots of the probe sequence of a key, from its first slot to the slot of its entry, are
//       not empty. So a search may end at the first empty slot.
//   T3  No table is freed while keys are compared: a search compares the address of its table to
//       detect a change (T1). The collector frees the table later.
//   T4  `alloc` and `table` change together, also if an allocation raises.
//   T5  A slot of an index may have the number of an entry that was removed, or of an entry that is
//       there in its place. So a search compares the entry's key. Slots become empty only when the
//       whole index is written anew.
//
// A comparison or hash function of a program can change the table that is being searched. changed.h
// detects the change and ends the lookup with RuntimeError.
#ifndef GPUSNEK_MAPS_H
#define GPUSNEK_MAPS_H

#include <string.h>

#include "maporder.h"
#include "probe.h"
#include "py/mpstate.h"
#include "py/objtype.h"

// Functions of py/map.c, whose bodies the patch replaces as well.
static void mp_map_rehash(mp_map_t *map);

// Frees a table of a map as m_del does, unless keys are being compared (T3).
#define gpusnek_map_del(type, ptr, num) gpusnek_memory_del(ptr, gpusnek_map_bytes(num))
// Allocates a cleared table of a map as m_new0 does.
#define gpusnek_map_new0(type, num) ((type *)m_malloc0(gpusnek_map_bytes(num)))

// Returns the number in a slot of the index.
static inline size_t gpusnek_slot(const void *index, size_t alloc, size_t slot) {
    return alloc < 0xff ? ((const uint8_t *)index)[slot]
        : alloc < 0xffff ? ((const uint16_t *)index)[slot] : ((const uint32_t *)index)[slot];
}

static inline void gpusnek_set_slot(void *index, size_t alloc, size_t slot, size_t number) {
    if (alloc < 0xff) {
        ((uint8_t *)index)[slot] = (uint8_t)number;
    } else if (alloc < 0xffff) {
        ((uint16_t *)index)[slot] = (uint16_t)number;
    } else {
        ((uint32_t *)index)[slot] = (uint32_t)number;
    }
}

#if MICROPY_OPT_MAP_LOOKUP_CACHE
// Returns the cache entry of an index: the slot at which the index was found last, in any map. It
// is a hint for the next lookup.
static inline uint8_t *gpusnek_last_place(mp_obj_t index) {
    const size_t at = ((uintptr_t)index >> 2) % MICROPY_OPT_MAP_LOOKUP_CACHE_SIZE;
    return &MP_STATE_VM(map_lookup_cache)[at];
}
#endif

// Caches the slot of an index that was found. Returns `entry`.
static inline mp_map_elem_t *gpusnek_found(mp_map_t *map, mp_obj_t index, mp_map_elem_t *entry) {
    #if MICROPY_OPT_MAP_LOOKUP_CACHE
    *gpusnek_last_place(index) = (entry - map->table) & 0xff;
    #endif
    return entry;
}

// Looks up a key in a table without an index, and in a constant table: from its start. `words`: keys
// are compared as words. Propagates exceptions of comparisons.
static inline mp_map_elem_t *gpusnek_scan(
    mp_map_t *map, mp_obj_t index, mp_uint_t hash, bool words) {
    mp_map_elem_t *entry = map->table;
    const mp_map_elem_t *const end = entry + map->alloc;
    for (; entry < end; entry++) {
        if (!words) {
            entry = gpusnek_skip_entries(entry, end, index, hash);
            if (entry == end) {
                break;
            }
        }
        const mp_obj_t key = entry->key;
        if (key == index) {
            return entry;
        }
        if (key == MP_OBJ_NULL) {
            break;
        }
        if (!words && key != MP_OBJ_SENTINEL && gpusnek_map_equal(map, key, index)) {
            return entry;
        }
    }
    return NULL;
}

// Looks up a key by the index of a table. Propagates exceptions of comparisons.
static inline mp_map_elem_t *gpusnek_search(
    mp_map_t *map, mp_obj_t index, mp_uint_t hash, bool words) {
    const size_t alloc = map->alloc, slots = gpusnek_slots(alloc), step = gpusnek_step(slots);
    mp_map_elem_t *const table = map->table;
    const void *const numbers = gpusnek_order(table, alloc) + 1;
    size_t pos = gpusnek_first_slot(hash, slots);
    for (;;) {
        const size_t number = gpusnek_slot(numbers, alloc, pos);
        if (number == 0) {
            return NULL;
        }
        mp_map_elem_t *const entry = &table[number - 1];
        const mp_obj_t key = entry->key;
        if (key == index
            || (!words && gpusnek_is_live(key) && !gpusnek_is_other(key, index, hash)
                && gpusnek_map_equal(map, key, index))) {
            return entry;
        }
        pos = (pos + step) % slots; // this form lets the rule `polls` recognize the loop
    }
}

// Writes the number of an entry into the first slot of the probe sequence that is empty or has the
// number of a removed entry.
static MP_NOINLINE void gpusnek_enter_number(mp_map_t *map, mp_uint_t hash, size_t number) {
    const size_t alloc = map->alloc, slots = gpusnek_slots(alloc), step = gpusnek_step(slots);
    gpusnek_order_t *const order = gpusnek_order(map->table, alloc);
    size_t pos = gpusnek_first_slot(hash, slots), there = gpusnek_slot(order + 1, alloc, pos);
    while (there != 0 && there != number && gpusnek_is_live(map->table[there - 1].key)) {
        pos = (pos + step) % slots;
        there = gpusnek_slot(order + 1, alloc, pos);
    }
    order->filled += there == 0;
    gpusnek_set_slot(order + 1, alloc, pos, number);
}

// Moves a table's entries to its front, without the tombstones, and writes its index. Propagates
// exceptions of hash functions.
static MP_NOINLINE void gpusnek_compact(mp_map_t *map) {
    mp_map_elem_t *const table = map->table;
    const size_t alloc = map->alloc;
    size_t top = 0;
    for (size_t i = 0; i < alloc; i++) {
        if (gpusnek_is_live(table[i].key)) {
            table[top++] = table[i];
        }
    }
    for (size_t i = top; i < alloc; i++) {
        table[i].key = table[i].value = MP_OBJ_NULL;
    }
    if (alloc <= GPUSNEK_SCANNED) {
        return;
    }
    gpusnek_order_t *const order = gpusnek_order(table, alloc);
    memset(order, 0, gpusnek_map_bytes(alloc) - alloc * sizeof(mp_map_elem_t));
    order->top = (uint32_t)top;
    for (size_t i = 0; i < top && gpusnek_is_live(table[i].key); i++) {
        const mp_uint_t hash = gpusnek_hash_key(table[i].key);
        if (map->table != table || map->alloc != alloc) {
            return; // the hash function changed the map, which has a new table and index
        }
        gpusnek_enter_number(map, hash, i + 1);
    }
}

void gpusnek_copy_order(mp_map_t *to, const mp_map_t *from) {
    const size_t alloc = to->alloc, entries = alloc * sizeof(mp_map_elem_t);
    if (from->is_fixed) {
        gpusnek_compact(to);
    } else if (alloc > GPUSNEK_SCANNED) {
        memcpy(to->table + alloc, from->table + alloc, gpusnek_map_bytes(alloc) - entries);
    }
}

// Moves a map's entries to a table of `alloc` entries. Without memory for it, the map keeps its
// table if that has tombstones; otherwise raises MemoryError.
static inline void gpusnek_map_resize(mp_map_t *map, size_t alloc) {
    const size_t old_alloc = map->alloc;
    if (alloc != old_alloc) {
        mp_map_elem_t *const old = map->table;
        mp_map_elem_t *const table = (mp_map_elem_t *)gpusnek_new_table(
            gpusnek_map_bytes(alloc), map->used < old_alloc);
        if (table != NULL) {
            if (old_alloc > 0) {
                memcpy(table, old, old_alloc * sizeof(mp_map_elem_t));
            }
            map->alloc = alloc;
            map->table = table;
            gpusnek_map_del(mp_map_elem_t, old, old_alloc);
        }
    }
    gpusnek_compact(map);
}

// Appends an entry without a value for a key that the map does not have. Returns the entry.
static inline mp_map_elem_t *gpusnek_append(mp_map_t *map, mp_obj_t key, mp_uint_t hash) {
    const size_t alloc = map->alloc;
    const bool indexed = alloc > GPUSNEK_SCANNED;
    size_t top = gpusnek_top(map);
    if (top == alloc
        || (indexed && gpusnek_order(map->table, alloc)->filled >= alloc + alloc / 4)) {
        mp_map_rehash(map);
        top = map->alloc == 0 ? 0 : gpusnek_top(map);
        // A hash function that the rehash called can have cleared or filled the map.
        gpusnek_table_there(map->alloc - top);
    }
    mp_map_elem_t *const entry = &map->table[top];
    if (map->alloc > GPUSNEK_SCANNED) {
        gpusnek_enter_number(map, hash, top + 1);
        gpusnek_order(map->table, map->alloc)->top = (uint32_t)top + 1;
    }
    map->used += 1;
    entry->key = key;
    entry->value = MP_OBJ_NULL;
    if (!mp_obj_is_qstr(key)) {
        map->all_keys_are_qstrs = 0;
    }
    return entry;
}

// Removes an entry, whose value stays for the caller to read. The key before the end of the entries
// is not a tombstone afterwards.
static inline void gpusnek_remove(mp_map_t *map, mp_map_elem_t *entry) {
    size_t top = gpusnek_top(map);
    map->used -= 1;
    entry->key = MP_OBJ_SENTINEL;
    while (top > 0 && map->table[top - 1].key == MP_OBJ_SENTINEL) {
        map->table[--top].key = MP_OBJ_NULL;
    }
    if (map->alloc > GPUSNEK_SCANNED) {
        gpusnek_order(map->table, map->alloc)->top = (uint32_t)top;
    }
}

// Returns the minimum number of entries of a new table: as many as the old one has if a quarter of
// them are tombstones.
static inline size_t gpusnek_map_wanted(size_t used, size_t alloc) {
    return used < alloc - alloc / 4 ? alloc : alloc + 1;
}

// Replaces mp_map_lookup(): finds, inserts or removes a key. Returns its entry, or NULL if the key
// is missing. Propagates exceptions of hashing and comparisons. Raises RuntimeError if these
// changed the map, and MemoryError.
static inline mp_map_elem_t *gpusnek_map_lookup(
    mp_map_t *map, mp_obj_t index, mp_map_lookup_kind_t kind) {
    #if MICROPY_OPT_MAP_LOOKUP_CACHE
    if (kind != MP_MAP_LOOKUP_REMOVE_IF_FOUND && map->alloc) {
        mp_map_elem_t *const guess = &map->table[*gpusnek_last_place(index) % map->alloc];
        if (guess->key == index) {
            return guess;
        }
    }
    #endif
    bool words = map->all_keys_are_qstrs;
    if (words && !mp_obj_is_qstr(index)) {
        if (mp_obj_is_exact_type(index, &mp_type_str)
            || mp_obj_is_instance_type(mp_obj_get_type(index))) {
            // A str object or an instance, as of a subclass of str, may equal a qstr. Interning the
            // str costs more.
            words = false;
        } else if (kind != MP_MAP_LOOKUP_ADD_IF_NOT_FOUND) {
            if (mp_obj_is_obj(index)) {
                gpusnek_hash_key(index); // raises TypeError for a list
            }
            return NULL;
        }
    }
    if (map->is_fixed) {
        mp_map_elem_t *const entry =
            gpusnek_scan(map, index, words ? 0 : gpusnek_known_hash(index), words);
        return entry == NULL ? NULL : gpusnek_found(map, index, entry);
    }
    if (map->alloc == 0) {
        if (kind != MP_MAP_LOOKUP_ADD_IF_NOT_FOUND) {
            return NULL;
        }
        mp_map_rehash(map);
    }
    const mp_uint_t hash = mp_obj_is_qstr(index)
        ? qstr_hash(MP_OBJ_QSTR_VALUE(index)) : gpusnek_hash_key(index);
    gpusnek_table_there(map->alloc);
    mp_map_elem_t *const entry = map->alloc > GPUSNEK_SCANNED
        ? gpusnek_search(map, index, hash, words) : gpusnek_scan(map, index, hash, words);
    if (entry != NULL) {
        if (kind == MP_MAP_LOOKUP_REMOVE_IF_FOUND) {
            gpusnek_remove(map, entry);
        }
        return gpusnek_found(map, index, entry);
    }
    return kind == MP_MAP_LOOKUP_ADD_IF_NOT_FOUND ? gpusnek_append(map, index, hash) : NULL;
}

#endif
