// Tables of sets (settable.h).
//
// Mechanism: open addressing in a table whose number of slots is a power of two, at least MIN_SLOTS.
// A slot is empty (MP_OBJ_NULL), has a key, or is a tombstone (MP_OBJ_SENTINEL) of a removed key. A
// table's state follows its slots. Probes visit PROBES_AHEAD slots behind the first one, as far as
// the table goes, and then continue where the next bits of the hash lead. An insertion takes the
// last tombstone that the search has passed. A table grows when three fifths of its slots are used.
// These constants, and the sizes of new tables, are CPython's; tests/lang/test_set_order.py compares
// both. Where the heap lacks memory, and for more than LARGEST_EXACT keys, tables are smaller than
// CPython's, and the order of keys can differ.
//
// Invariants (T1 is in changed.c, T3 and T4 in maps.h):
//   U1  A table has an empty slot, so each search ends.
//   U2  The slots that a search for a key visits before the key's slot are not empty.
//   U3  `filled` is the number of slots that are not empty.
#include <string.h>

#include "changed.h"
#include "keys.h"
#include "py/runtime.h"
#include "settable.h"

#define MIN_SLOTS (8)
#define PROBES_AHEAD (9) // slots
#define HASH_SHIFT (5) // bits of the hash that lead to the next slot
// A table that grows is four times as large as the number of keys, up to this number, and twice as
// large beyond: a table of 2,048 slots would take a third of the default heap.
#define LARGEST_EXACT (300)
#define NOWHERE (~(size_t)0)

// The state of a table, which lies behind its slots.
typedef struct {
    uint32_t filled; // number of keys and tombstones
    uint32_t next; // the slot from which the next pop searches
} state_t;

static inline state_t *state_of(const mp_set_t *set) {
    return (state_t *)(set->table + set->alloc);
}

static inline size_t bytes_of(size_t slots) {
    return slots * sizeof(mp_obj_t) + sizeof(state_t);
}

static inline bool is_key(mp_obj_t there) {
    return there != MP_OBJ_NULL && there != MP_OBJ_SENTINEL;
}

static inline bool is_crowded(size_t filled, size_t slots) {
    return filled * 5 >= (slots - 1) * 3;
}

// Returns whether a table that was given its last key may have to grow. A heap that lacked memory
// for a larger table is asked again when a quarter and an eighth of the slots are left, because each
// answer costs a collection.
static inline bool is_growing(size_t filled, size_t slots) {
    const size_t left = slots - filled;
    return is_crowded(filled, slots)
           && (!is_crowded(filled - 1, slots) || left == slots / 4 || left == slots / 8);
}

// Returns whether a table is so full that searches would visit many slots.
static inline bool is_full(size_t filled, size_t slots) {
    return filled + 1 >= slots - slots / 16;
}

// Returns the smallest number of slots greater than `keys`.
static inline size_t slots_above(size_t keys) {
    size_t slots = MIN_SLOTS;
    while (slots <= keys) {
        slots *= 2;
    }
    return slots;
}

static inline size_t grown(size_t used) {
    return slots_above(used > LARGEST_EXACT ? used * 2 : used * 4);
}

// Returns the slot of a key, or NOWHERE, and then sets *place to the slot for its insertion.
static MP_NOINLINE size_t search(mp_set_t *set, mp_obj_t key, mp_uint_t hash, size_t *place) {
    const size_t mask = set->alloc - 1;
    const mp_obj_t *const table = set->table;
    size_t start = hash & mask, removed = NOWHERE;
    for (mp_uint_t rest = hash;; start = (start * 5 + 1 + rest) & mask) {
        const size_t last = start + PROBES_AHEAD <= mask ? start + PROBES_AHEAD : start;
        for (size_t at = start; at <= last; at++) {
            const mp_obj_t there = table[at];
            if (there == key) {
                return at;
            }
            if (there == MP_OBJ_NULL) {
                *place = removed == NOWHERE ? at : removed;
                return NOWHERE;
            }
            if (there == MP_OBJ_SENTINEL) {
                removed = at;
            } else if (!gpusnek_is_other(there, key, hash) && gpusnek_set_equal(set, there, key)) {
                return at;
            }
        }
        rest >>= HASH_SHIFT;
    }
}

// Returns the first empty slot for a hash in a table without tombstones.
static MP_NOINLINE size_t free_slot(const mp_obj_t *table, size_t mask, mp_uint_t hash) {
    size_t start = hash & mask;
    for (mp_uint_t rest = hash;; start = (start * 5 + 1 + rest) & mask) {
        const size_t last = start + PROBES_AHEAD <= mask ? start + PROBES_AHEAD : start;
        for (size_t at = start; at <= last; at++) {
            if (table[at] == MP_OBJ_NULL) {
                return at;
            }
        }
        rest >>= HASH_SHIFT;
    }
}

// Moves the keys to a cleared table of `slots` slots. Hash functions of a program may change the set
// meanwhile; then the remaining keys are inserted one by one.
static void move_to(mp_set_t *set, mp_obj_t *table, size_t slots) {
    mp_obj_t *const old = set->table;
    const size_t old_slots = set->alloc;
    memset(table, 0, bytes_of(slots));
    const uint32_t next = old_slots == 0 ? 0 : state_of(set)->next;
    set->alloc = slots;
    set->used = 0;
    set->table = table;
    state_of(set)->next = next;
    for (size_t i = 0; i < old_slots; i++) {
        if (!is_key(old[i])) {
            continue;
        }
        const mp_uint_t hash = gpusnek_hash_key(old[i]);
        if (set->table == table && set->alloc == slots
            && !is_crowded(state_of(set)->filled + 1, slots)) {
            table[free_slot(table, slots - 1, hash)] = old[i];
            state_of(set)->filled++;
            set->used++;
        } else {
            gpusnek_set_add(set, old[i]);
        }
    }
    if (old_slots != 0) {
        gpusnek_memory_del(old, bytes_of(old_slots));
    }
}

// Moves the keys to a table of `slots` slots. If the heap lacks memory for it, halves its size while
// `keys` keys do not crowd it. Returns false, and keeps the old table, if no size fits the heap.
static bool resize(mp_set_t *set, size_t slots, size_t keys) {
    mp_obj_t *table = m_malloc_maybe(bytes_of(slots));
    while (table == NULL && slots > MIN_SLOTS && !is_crowded(keys, slots / 2)) {
        slots /= 2;
        table = m_malloc_maybe(bytes_of(slots));
    }
    if (table != NULL) {
        move_to(set, table, slots);
    }
    return table != NULL;
}

// Gives a set without a table its first one. Raises MemoryError.
static void begin(mp_set_t *set, size_t slots) {
    mp_obj_t *const table = m_malloc0(bytes_of(slots));
    set->alloc = slots;
    set->used = 0;
    set->table = table;
}

bool gpusnek_set_has(mp_set_t *set, mp_obj_t key) {
    const mp_uint_t hash = gpusnek_hash_key(key);
    size_t place;
    return set->alloc != 0 && search(set, key, hash, &place) != NOWHERE;
}

void gpusnek_set_add(mp_set_t *set, mp_obj_t key) {
    const mp_uint_t hash = gpusnek_hash_key(key);
    size_t place;
    for (;;) {
        if (set->alloc == 0) {
            begin(set, MIN_SLOTS);
        }
        if (search(set, key, hash, &place) != NOWHERE) {
            return;
        }
        if (set->table[place] == MP_OBJ_SENTINEL) {
            set->table[place] = key;
            set->used++;
            return;
        }
        if (!is_full(state_of(set)->filled, set->alloc)) {
            break;
        }
        // The heap was full, and these are the last empty slots (U1). Hash functions of a program
        // may change the set while it is rebuilt.
        if (!resize(set, grown(set->used + 1), set->used + 1)) {
            m_malloc_fail(bytes_of(set->alloc * 2));
        }
    }
    state_of(set)->filled++;
    set->table[place] = key;
    set->used++;
    if (is_growing(state_of(set)->filled, set->alloc)) {
        resize(set, grown(set->used), set->used);
    }
}

bool gpusnek_set_discard(mp_set_t *set, mp_obj_t key) {
    const mp_uint_t hash = gpusnek_hash_key(key);
    if (set->alloc == 0) {
        return false;
    }
    size_t place;
    const size_t at = search(set, key, hash, &place);
    if (at == NOWHERE) {
        return false;
    }
    set->table[at] = MP_OBJ_SENTINEL;
    set->used--;
    return true;
}

mp_obj_t gpusnek_set_pop(mp_set_t *set) {
    if (set->used == 0) {
        return MP_OBJ_NULL;
    }
    const size_t mask = set->alloc - 1;
    size_t at = state_of(set)->next & mask;
    while (!is_key(set->table[at])) {
        at = (at + 1) & mask;
    }
    const mp_obj_t key = set->table[at];
    set->table[at] = MP_OBJ_SENTINEL;
    set->used--;
    state_of(set)->next = (uint32_t)at + 1;
    return key;
}

void gpusnek_set_empty(mp_set_t *set) {
    mp_obj_t *const old = set->table;
    const size_t old_slots = set->alloc;
    set->alloc = 0;
    set->used = 0;
    set->table = NULL;
    if (old_slots != 0) {
        gpusnek_memory_del(old, bytes_of(old_slots));
    }
}

void gpusnek_set_reserve(mp_set_t *set, size_t more) {
    const size_t filled = set->alloc == 0 ? 0 : state_of(set)->filled;
    if (is_crowded(filled + more, set->alloc == 0 ? MIN_SLOTS : set->alloc)) {
        const size_t keys = set->used + more;
        resize(set, slots_above(keys * 2), keys); // without memory, insertions grow the table
    }
}

void gpusnek_set_merge(mp_set_t *set, mp_set_t *other) {
    if (set == other || other->used == 0) {
        return;
    }
    gpusnek_set_reserve(set, other->used);
    if (set->alloc == 0) {
        begin(set, MIN_SLOTS);
    }
    if (state_of(set)->filled == 0 && set->alloc == other->alloc
        && state_of(other)->filled == other->used) {
        memcpy(set->table, other->table, set->alloc * sizeof(mp_obj_t));
        state_of(set)->filled = (uint32_t)other->used;
        set->used = other->used;
        return;
    }
    for (size_t i = 0; i < other->alloc; i++) {
        const mp_obj_t key = other->table[i]; // a program's methods may have replaced the table
        if (is_key(key)) {
            gpusnek_set_add(set, key);
        }
    }
}

void gpusnek_set_trim(mp_set_t *set) {
    if (set->alloc != 0 && state_of(set)->filled - set->used > (set->alloc - 1) / 4) {
        resize(set, grown(set->used), set->used);
    }
}

void gpusnek_set_take(mp_set_t *set, mp_set_t *other) {
    const uint32_t next = set->alloc == 0 ? 0 : state_of(set)->next;
    gpusnek_set_empty(set);
    set->alloc = other->alloc;
    set->used = other->used;
    set->table = other->table;
    if (set->alloc != 0) {
        state_of(set)->next = next;
    }
    other->alloc = other->used = 0;
    other->table = NULL;
}
