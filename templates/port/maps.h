// Hash tables of dicts and sets: lookup, insertion, removal and resizing. The patch `table-search`
// replaces the bodies of py/map.c's functions by these.
//
// Problem: a warp waits for the lane with the longest probe sequence. Upstream's tables fill up
// completely, and removed keys make probe sequences longer.
//
// Mechanism: open addressing with the probe sequence of probe.h. A slot is empty (MP_OBJ_NULL), has
// a key, or is a tombstone (MP_OBJ_SENTINEL). Removing a key leaves a tombstone, unless the next
// slot of the probe sequence is empty. A table grows before it is full, and is rebuilt if
// tombstones make a search long.
//
// Invariants (T1 is in changed.c):
//   T2  A key is in the first slot of its probe sequence that was free when it was inserted. So a
//       search may end at the first empty slot.
//   T3  No table is freed while keys are compared: a search compares the address of its table to
//       detect a change (T1). The collector frees the table later.
//   T4  `alloc` and `table` change together, also if an allocation raises.
//
// A comparison or hash function of a program can change the table that is being searched. changed.h
// detects the change and ends the lookup with RuntimeError.
#ifndef GPUSNEK_MAPS_H
#define GPUSNEK_MAPS_H

#include <string.h>

#include "probe.h"
#include "py/mpstate.h"

// Functions of py/map.c, whose bodies the patch replaces as well.
static void mp_map_rehash(mp_map_t *map);
#if MICROPY_PY_BUILTINS_SET
static void mp_set_rehash(mp_set_t *set);
#endif

// Frees a table as m_del does, unless keys are being compared (T3).
#if MICROPY_MALLOC_USES_ALLOCATED_SIZE
#define gpusnek_table_del(type, ptr, num) \
    (gpusnek_comparing == 0 ? m_free(ptr, sizeof(type) * (num)) : (void)0)
#else
#define gpusnek_table_del(type, ptr, num) \
    ((void)(num), gpusnek_comparing == 0 ? m_free(ptr) : (void)0)
#endif

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

// Inserts a key, without a value, into a free slot. Returns `entry`.
static inline mp_map_elem_t *gpusnek_entered(mp_map_t *map, mp_obj_t key, mp_map_elem_t *entry) {
    map->used += 1;
    entry->key = key;
    entry->value = MP_OBJ_NULL;
    if (!mp_obj_is_qstr(key)) {
        map->all_keys_are_qstrs = 0;
    }
    return entry;
}

// Resizes a map's table. Returns false if there is no memory for a new one.
static inline bool gpusnek_map_renewed(mp_map_t *map) {
    const mp_map_elem_t *const before = map->table;
    mp_map_rehash(map);
    return map->table != before;
}

// Looks up a key in an ordered map: a linear search, because its entries are contiguous. `words`:
// keys are compared as words. Propagates exceptions of comparisons; raises MemoryError.
static inline mp_map_elem_t *gpusnek_ordered_lookup(
    mp_map_t *map, mp_obj_t index, mp_map_lookup_kind_t kind, bool words) {
    const mp_uint_t known = words ? 0 : gpusnek_known_hash(index);
    mp_map_elem_t *const top = map->table + map->used;
    for (mp_map_elem_t *entry = map->table; entry < top; entry++) {
        if (!words) {
            entry = gpusnek_skip_entries(entry, top, index, known);
            if (entry == top) {
                break;
            }
        }
        if (entry->key == index || (!words && gpusnek_map_equal(map, entry->key, index))) {
            #if MICROPY_PY_COLLECTIONS_ORDEREDDICT
            if (MP_UNLIKELY(kind == MP_MAP_LOOKUP_REMOVE_IF_FOUND)) {
                // The caller reads the value from the entry behind the last remaining one.
                const mp_obj_t value = entry->value;
                --map->used;
                memmove(entry, entry + 1, (top - entry - 1) * sizeof(*entry));
                entry = &map->table[map->used];
                entry->key = MP_OBJ_NULL;
                entry->value = value;
            }
            #endif
            return gpusnek_found(map, index, entry);
        }
    }
    #if MICROPY_PY_COLLECTIONS_ORDEREDDICT
    if (MP_UNLIKELY(kind == MP_MAP_LOOKUP_ADD_IF_NOT_FOUND)) {
        if (map->used == map->alloc) {
            // `alloc` is updated after the allocation, which may raise (T4).
            const size_t count = map->alloc + 4 + map->alloc / 4;
            map->table = m_renew(mp_map_elem_t, map->table, map->used, count);
            map->alloc = count;
            mp_seq_clear(map->table, map->used, map->alloc, sizeof(*map->table));
        }
        return gpusnek_entered(map, index, map->table + map->used);
    }
    #endif
    return NULL;
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
        if (mp_obj_is_exact_type(index, &mp_type_str)) {
            words = false; // a str object may equal a qstr; interning the str costs more
        } else if (kind != MP_MAP_LOOKUP_ADD_IF_NOT_FOUND) {
            return NULL;
        }
    }
    if (map->is_ordered) {
        return gpusnek_ordered_lookup(map, index, kind, words);
    }
    if (map->alloc == 0) {
        if (kind != MP_MAP_LOOKUP_ADD_IF_NOT_FOUND) {
            return NULL;
        }
        mp_map_rehash(map);
    }
    const mp_uint_t hash = mp_obj_is_qstr(index)
        ? qstr_hash(MP_OBJ_QSTR_VALUE(index)) : gpusnek_key_hash(index);
    gpusnek_table_there(map->alloc);
    size_t pos = hash % map->alloc, start = pos;
    mp_map_elem_t *spare = NULL; // the first tombstone of the probe sequence
    for (;;) {
        mp_map_elem_t *const entry = &map->table[pos];
        if (entry->key == MP_OBJ_NULL) {
            if (kind != MP_MAP_LOOKUP_ADD_IF_NOT_FOUND) {
                return NULL;
            }
            if ((spare == NULL ? gpusnek_is_crowded(map->used, map->alloc)
                               : gpusnek_is_littered(map->alloc, start, pos))
                && gpusnek_map_renewed(map)) {
                start = pos = hash % map->alloc;
                spare = NULL;
                continue;
            }
            return gpusnek_entered(map, index, spare == NULL ? entry : spare);
        }
        if (entry->key == MP_OBJ_SENTINEL) {
            spare = spare == NULL ? entry : spare;
        } else if (entry->key == index
                   || (!words && !gpusnek_is_other(entry->key, index, hash)
                       && gpusnek_map_equal(map, entry->key, index))) {
            if (kind == MP_MAP_LOOKUP_REMOVE_IF_FOUND) {
                map->used -= 1;
                const size_t next = (pos + gpusnek_step(map->alloc)) % map->alloc;
                const bool last = map->table[next].key == MP_OBJ_NULL;
                entry->key = last ? MP_OBJ_NULL : MP_OBJ_SENTINEL; // the caller reads the value
            }
            return gpusnek_found(map, index, entry);
        }
        pos = (pos + gpusnek_step(map->alloc)) % map->alloc;
        if (!words) {
            pos = gpusnek_skip(&map->table->key, 2, map->alloc, pos, start, index, hash);
        }
        if (pos == start) { // all slots were visited: each has a key or a tombstone
            if (kind != MP_MAP_LOOKUP_ADD_IF_NOT_FOUND) {
                return NULL;
            }
            if (spare == NULL) {
                mp_map_rehash(map);
                start = pos = hash % map->alloc;
            } else if (gpusnek_is_littered(map->alloc, start, pos) && gpusnek_map_renewed(map)) {
                start = pos = hash % map->alloc;
                spare = NULL;
            } else {
                return gpusnek_entered(map, index, spare);
            }
        }
    }
}

// Moves a map's entries to a table of `alloc` slots. Without memory for it, the map stays unchanged
// if its table has a free slot; otherwise raises MemoryError.
static inline void gpusnek_map_resize(mp_map_t *map, size_t alloc) {
    const size_t old_alloc = map->alloc;
    mp_map_elem_t *const old = map->table;
    mp_map_elem_t *const table =
        gpusnek_new_table(alloc * sizeof(mp_map_elem_t), map->used < old_alloc);
    if (table == NULL) {
        return;
    }
    map->alloc = alloc;
    map->used = 0;
    map->all_keys_are_qstrs = 1;
    map->table = table;
    for (size_t i = 0; i < old_alloc; i++) {
        const mp_obj_t key = old[i].key;
        if (key == MP_OBJ_NULL || key == MP_OBJ_SENTINEL) {
            continue;
        }
        // The keys differ from each other, so no comparison is needed, unless hashing a key changed
        // the map.
        const mp_uint_t hash = gpusnek_key_hash(key);
        if (map->table == table && map->alloc == alloc && gpusnek_has_room(map->used, alloc)) {
            mp_obj_t *const place = gpusnek_free_place(&table->key, 2, alloc, hash);
            place[0] = key;
            place[1] = old[i].value;
            map->used += 1;
            map->all_keys_are_qstrs &= mp_obj_is_qstr(key);
        } else {
            mp_map_lookup(map, key, MP_MAP_LOOKUP_ADD_IF_NOT_FOUND)->value = old[i].value;
        }
    }
    gpusnek_table_del(mp_map_elem_t, old, old_alloc);
}

#if MICROPY_PY_BUILTINS_SET
// Resizes a set's table. Returns false if there is no memory for a new one.
static inline bool gpusnek_set_renewed(mp_set_t *set) {
    const mp_obj_t *const before = set->table;
    mp_set_rehash(set);
    return set->table != before;
}

// Inserts a key into a free slot. Returns the key.
static inline mp_obj_t gpusnek_set_entered(mp_set_t *set, mp_obj_t key, mp_obj_t *place) {
    set->used += 1;
    *place = key;
    return key;
}

// Removes the key in slot `pos` from a set. Returns the key.
static inline mp_obj_t gpusnek_set_removed(mp_set_t *set, size_t pos) {
    const mp_obj_t key = set->table[pos];
    set->used -= 1;
    const bool last = set->table[(pos + gpusnek_step(set->alloc)) % set->alloc] == MP_OBJ_NULL;
    set->table[pos] = last ? MP_OBJ_NULL : MP_OBJ_SENTINEL;
    return key;
}

// Replaces mp_set_lookup(); returns the key in the set or MP_OBJ_NULL. Raises as
// gpusnek_map_lookup(). `kind` may combine MP_MAP_LOOKUP_ADD_IF_NOT_FOUND and
// MP_MAP_LOOKUP_REMOVE_IF_FOUND.
static inline mp_obj_t gpusnek_set_lookup(
    mp_set_t *set, mp_obj_t index, mp_map_lookup_kind_t kind) {
    const bool adds = kind & MP_MAP_LOOKUP_ADD_IF_NOT_FOUND;
    if (set->alloc == 0) {
        if (!adds) {
            return MP_OBJ_NULL;
        }
        mp_set_rehash(set);
    }
    const mp_uint_t hash = gpusnek_key_hash(index);
    gpusnek_table_there(set->alloc);
    size_t pos = hash % set->alloc, start = pos;
    mp_obj_t *spare = NULL;
    for (;;) {
        const mp_obj_t key = set->table[pos];
        if (key == MP_OBJ_NULL) {
            if (!adds) {
                return MP_OBJ_NULL;
            }
            if ((spare == NULL ? gpusnek_is_crowded(set->used, set->alloc)
                               : gpusnek_is_littered(set->alloc, start, pos))
                && gpusnek_set_renewed(set)) {
                start = pos = hash % set->alloc;
                spare = NULL;
                continue;
            }
            return gpusnek_set_entered(set, index, spare == NULL ? &set->table[pos] : spare);
        }
        if (key == MP_OBJ_SENTINEL) {
            spare = spare == NULL ? &set->table[pos] : spare;
        } else if (!gpusnek_is_other(key, index, hash) && gpusnek_set_equal(set, key, index)) {
            return kind & MP_MAP_LOOKUP_REMOVE_IF_FOUND ? gpusnek_set_removed(set, pos) : key;
        }
        pos = (pos + gpusnek_step(set->alloc)) % set->alloc;
        pos = gpusnek_skip(set->table, 1, set->alloc, pos, start, index, hash);
        if (pos == start) {
            if (!adds) {
                return MP_OBJ_NULL;
            }
            if (spare == NULL) {
                mp_set_rehash(set);
                start = pos = hash % set->alloc;
            } else if (gpusnek_is_littered(set->alloc, start, pos) && gpusnek_set_renewed(set)) {
                start = pos = hash % set->alloc;
                spare = NULL;
            } else {
                return gpusnek_set_entered(set, index, spare);
            }
        }
    }
}

// Moves a set's keys to a table of `alloc` slots, as gpusnek_map_resize().
static inline void gpusnek_set_resize(mp_set_t *set, size_t alloc) {
    const size_t old_alloc = set->alloc;
    mp_obj_t *const old = set->table;
    mp_obj_t *const table = gpusnek_new_table(alloc * sizeof(mp_obj_t), set->used < old_alloc);
    if (table == NULL) {
        return;
    }
    set->alloc = alloc;
    set->used = 0;
    set->table = table;
    for (size_t i = 0; i < old_alloc; i++) {
        if (old[i] == MP_OBJ_NULL || old[i] == MP_OBJ_SENTINEL) {
            continue;
        }
        const mp_uint_t hash = gpusnek_key_hash(old[i]);
        if (set->table == table && set->alloc == alloc && gpusnek_has_room(set->used, alloc)) {
            *gpusnek_free_place(table, 1, alloc, hash) = old[i];
            set->used++;
        } else {
            mp_set_lookup(set, old[i], MP_MAP_LOOKUP_ADD_IF_NOT_FOUND);
        }
    }
    gpusnek_table_del(mp_obj_t, old, old_alloc);
}

// Removes the first key of a set, in table order. Returns the key; MP_OBJ_NULL if the set is empty.
static inline mp_obj_t gpusnek_set_remove_first(mp_set_t *set) {
    for (size_t pos = 0; pos < set->alloc; pos++) {
        if (mp_set_slot_is_filled(set, pos)) {
            return gpusnek_set_removed(set, pos);
        }
    }
    return MP_OBJ_NULL;
}
#endif

#endif
