// list.sort and sorted: stable, with CPython's results and exceptions. The patch `sort` calls these
// functions in py/objlist.c.
//
// Problem: lanes of a warp execute together only while their control flow agrees. Upstream's
// quicksort branches on the data, is not stable, and is quadratic for some lists.
//
// Mechanism: a bottom-up merge sort, whose passes and steps depend on the length only. A step
// selects one of two items without a branch, also if one of the two runs has no item left, and
// compares numbers without a branch. It needs a second row of items; without memory for it an
// in-place merge sort with the same result runs in O(n log^2 n).
//
// Invariants:
//   Q1  While a list is being sorted, it is empty for the program: length and `alloc` are 0. The
//       sort owns its items.
//   Q2  At any time `whole` is a row that contains each item once. An exception or hard stop
//       restores the list from it (settle()).
#include <string.h>

#include "checkself.h"
#include "hooks.h"
#include "py/runtime.h"
#include "sort.h"

// A row of items with their keys: values[i] has the key keys[i]. Without a key function the values
// are their own keys, and `values` is NULL.
typedef struct {
    mp_obj_t *keys;
    mp_obj_t *values;
} row_t;

// The state of one sort.
typedef struct {
    mp_obj_t *items; // taken from the list (Q1)
    size_t length;
    size_t alloc; // of the list's memory
    mp_obj_t key_fn; // MP_OBJ_NULL: none
    bool reverse;
    bool in_place; // whether to allocate no memory
    bool done;
    mp_obj_t *keys; // `length` keys, or NULL
    mp_obj_t *spare; // memory of the second row, or NULL
    row_t whole; // a row with each item once (Q2)
} sort_t;

enum { NO, YES, UNKNOWN };

// Returns whether x < y for two small integers or floats; UNKNOWN for other types.
static inline unsigned int number_less(mp_obj_t x, mp_obj_t y) {
    const bool ints = mp_obj_is_small_int(x) & mp_obj_is_small_int(y);
    const bool less = MP_OBJ_SMALL_INT_VALUE(x) < MP_OBJ_SMALL_INT_VALUE(y);
    #if MICROPY_OBJ_REPR == MICROPY_OBJ_REPR_D
    // The conversion is exact: a small integer has 47 bits.
    const bool float_x = mp_obj_is_float(x), float_y = mp_obj_is_float(y);
    const bool numbers =
        (mp_obj_is_small_int(x) | float_x) & (mp_obj_is_small_int(y) | float_y);
    const mp_float_t a = float_x ? mp_obj_float_get(x) : (mp_float_t)MP_OBJ_SMALL_INT_VALUE(x);
    const mp_float_t b = float_y ? mp_obj_float_get(y) : (mp_float_t)MP_OBJ_SMALL_INT_VALUE(y);
    return numbers ? (ints ? less : a < b) : UNKNOWN;
    #else
    return ints ? less : UNKNOWN;
    #endif
}

static bool object_less(mp_obj_t x, mp_obj_t y) {
    const mp_obj_t result = mp_binary_op(MP_BINARY_OP_LESS, x, y);
    return result == mp_const_true || (result != mp_const_false && mp_obj_is_true(result));
}

// Performs one pass: merges adjacent sorted runs of `width` items to runs of twice the width.
// Propagates exceptions of comparisons.
static void merge_runs(const sort_t *sort, size_t width, row_t from, row_t to) {
    const mp_obj_t *const keys = porter_private(from.keys);
    const mp_obj_t *const values = porter_private(from.values);
    mp_obj_t *const to_keys = porter_private(to.keys);
    mp_obj_t *const to_values = porter_private(to.values);
    const bool keyed = to.values != NULL;
    const bool reverse = sort->reverse;
    const size_t length = sort->length;
    size_t left = 0, middle = 0, right = 0, end = 0;
    mp_obj_t left_key = MP_OBJ_NULL, right_key = MP_OBJ_NULL;
    for (size_t at = 0; at < length; at++) {
        if (at == end) {
            left = end;
            middle = right = MIN(left + width, length);
            end = MIN(right + width, length);
            left_key = keys[left];
            right_key = keys[MIN(right, length - 1)];
        }
        // The key of an exhausted run is that of an item beyond the run; the comparison's result is
        // ignored then.
        const bool both = (left < middle) & (right < end);
        const mp_obj_t x = reverse ? left_key : right_key;
        const mp_obj_t y = reverse ? right_key : left_key;
        unsigned int less = number_less(x, y);
        if ((less == UNKNOWN) & both) {
            less = object_less(x, y);
        }
        const bool takes_right = both ? less != NO : right < end;
        const size_t taken = takes_right ? right : left;
        to_keys[at] = takes_right ? right_key : left_key;
        if (keyed) {
            to_values[at] = values[taken];
        }
        const mp_obj_t next = keys[MIN(taken + 1, length - 1)];
        left_key = takes_right ? left_key : next;
        right_key = takes_right ? next : right_key;
        left += !takes_right;
        right += takes_right;
    }
}

// Sorts by passes that alternate between the two rows; sets `whole` to the sorted row.
static void merge_all(sort_t *sort) {
    row_t from = {sort->keys, sort->items}, to = {sort->spare, sort->spare + sort->length};
    if (sort->keys == NULL) {
        from.keys = sort->items;
        from.values = to.values = NULL;
    }
    for (size_t width = 1; width < sort->length; width *= 2) {
        sort->whole = from;
        merge_runs(sort, width, from, to);
        const row_t sorted = to;
        to = from;
        from = sorted;
    }
    sort->whole = from;
}

// ---- The in-place merge sort, for heaps without memory for a second row ----

// Returns the key of item i; calls the key function if the keys are not stored.
static mp_obj_t key_at(const sort_t *sort, size_t i) {
    if (sort->keys != NULL) {
        return sort->keys[i];
    }
    const mp_obj_t item = sort->items[i];
    return sort->key_fn == MP_OBJ_NULL ? item : mp_call_function_1(sort->key_fn, item);
}

// Returns whether an item must move before another item that is to its left.
static bool passes(const sort_t *sort, mp_obj_t right_key, mp_obj_t left_key) {
    const mp_obj_t x = sort->reverse ? left_key : right_key;
    const mp_obj_t y = sort->reverse ? right_key : left_key;
    const unsigned int less = number_less(x, y);
    return less == UNKNOWN ? object_less(x, y) : less != NO;
}

// Reverses items[low, high).
static void turn(mp_obj_t *items, size_t low, size_t high) {
    while (low + 1 < high) {
        high--;
        const mp_obj_t item = items[low];
        items[low] = items[high];
        items[high] = item;
        low++;
    }
}

// Exchanges the blocks [low, middle) and [middle, high), by three reversals.
static void rotate(mp_obj_t *items, size_t low, size_t middle, size_t high) {
    turn(items, low, middle);
    turn(items, middle, high);
    turn(items, low, high);
}

// Returns the index in [low, high) at which a run splits, by bisection. The items before it stay
// left of an item with `key` from the right run; or, if `passing`, the items before it move before
// an item with `key` of the left run.
static size_t cut(const sort_t *sort, size_t low, size_t high, mp_obj_t key, bool passing) {
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const mp_obj_t other = key_at(sort, middle);
        const bool below = passing ? passes(sort, other, key) : !passes(sort, key, other);
        if (below) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// Merges the runs [low, middle) and [middle, high) in place: halves the longer run, finds the
// matching split of the shorter one, and exchanges the two inner blocks. Then merges both halves.
// The depth of the recursion is logarithmic in the length.
static void merge_in_place(const sort_t *sort, size_t low, size_t middle, size_t high) {
    while (low < middle && middle < high) {
        size_t left = low, right = high;
        if (high - low == 2) {
            if (!passes(sort, key_at(sort, middle), key_at(sort, low))) {
                return;
            }
        } else if (middle - low > high - middle) {
            left = low + (middle - low) / 2;
            right = cut(sort, middle, high, key_at(sort, left), true);
        } else {
            right = middle + (high - middle) / 2;
            left = cut(sort, low, middle, key_at(sort, right), false);
        }
        rotate(sort->items, left, middle, right);
        if (sort->keys != NULL) {
            rotate(sort->keys, left, middle, right);
        }
        const size_t border = left + (right - middle);
        if (high - low == 2) {
            return;
        }
        merge_in_place(sort, low, left, border);
        low = border;
        middle = right;
    }
}

static void merge_all_in_place(const sort_t *sort) {
    const size_t length = sort->length;
    for (size_t width = 1; width < length; width *= 2) {
        for (size_t low = 0; length - low > width; low += 2 * width) {
            merge_in_place(sort, low, low + width, MIN(low + 2 * width, length));
            if (length - low <= 2 * width) {
                break;
            }
        }
    }
}

// Computes the keys, allocates the second row, and sorts. Propagates exceptions of the key function
// and of comparisons.
static void sort_items(sort_t *sort) {
    const size_t length = sort->length;
    size_t rows = 1;
    if (sort->key_fn != MP_OBJ_NULL && !sort->in_place) {
        sort->keys = m_new_maybe(mp_obj_t, length);
        if (sort->keys != NULL) {
            rows = 2;
            for (size_t i = 0; i < length; i++) {
                sort->keys[i] = mp_call_function_1(sort->key_fn, sort->items[i]);
            }
        } else {
            sort->in_place = true;
        }
    }
    if (!sort->in_place && length > 1) {
        sort->spare = m_new_maybe(mp_obj_t, rows * length);
    }
    if (sort->spare != NULL) {
        merge_all(sort);
    } else {
        merge_all_in_place(sort);
    }
}

// Moves all items to sort->items (Q2) and frees the other memory.
static void settle(sort_t *sort) {
    const mp_obj_t *const whole = sort->whole.values ? sort->whole.values : sort->whole.keys;
    if (whole != sort->items) {
        memcpy(sort->items, whole, sort->length * sizeof(*whole));
    }
    const size_t rows = sort->keys == NULL ? 1 : 2;
    m_del(mp_obj_t, sort->keys, sort->keys == NULL ? 0 : sort->length);
    m_del(mp_obj_t, sort->spare, sort->spare == NULL ? 0 : rows * sort->length);
    sort->keys = sort->spare = NULL;
    sort->whole = (row_t) {sort->items, NULL};
}

// Sorts, and returns the exception that was raised, or NULL. With NULL and `done` false a hard stop
// or a limit ended the sort.
static mp_obj_base_t *attempt(sort_t *sort) {
    mp_obj_base_t *raised = NULL;
    nlr_buf_t *const outer = nlr_get_abort();
    nlr_buf_t nlr;
    if (outer != NULL) {
        nlr_set_abort(&nlr);
    }
    if (nlr_push(&nlr) == 0) {
        sort_items(sort);
        nlr_pop();
        sort->done = true;
    } else {
        raised = nlr.ret_val;
    }
    nlr_set_abort(outer);
    settle(sort);
    return raised;
}

void gpusnek_sort(mp_obj_list_t *list, mp_obj_t key_fn, bool reverse) {
    if (list->len <= (key_fn == MP_OBJ_NULL)) {
        return;
    }
    sort_t sort = {.items = list->items, .length = list->len, .alloc = list->alloc,
                   .key_fn = key_fn, .reverse = reverse, .whole = {list->items, NULL}};
    list->items = NULL;
    list->len = list->alloc = 0;
    mp_obj_base_t *raised = attempt(&sort);
    const bool modified = list->alloc != 0;
    list->items = sort.items;
    list->len = sort.length;
    list->alloc = sort.alloc;
    if (raised != NULL) {
        nlr_jump(raised);
    }
    if (!sort.done) {
        nlr_jump_abort();
    }
    if (modified) {
        mp_raise_ValueError(MP_ERROR_TEXT("list modified during sort"));
    }
}

mp_obj_t gpusnek_list_sort(size_t n_args, const mp_obj_t *args, mp_map_t *keywords) {
    enum { KEY, REVERSE, COUNT };
    static const mp_arg_t names[COUNT] = {
        {MP_QSTR_key, MP_ARG_KW_ONLY | MP_ARG_OBJ, {.u_rom_obj = MP_ROM_NONE}},
        {MP_QSTR_reverse, MP_ARG_KW_ONLY | MP_ARG_BOOL, {.u_bool = false}},
    };
    mp_arg_val_t given[COUNT];
    mp_arg_parse_all(n_args - 1, args + 1, keywords, COUNT, names, given);
    gpusnek_check_self(args[0], &mp_type_list);
    const mp_obj_t key = given[KEY].u_obj == mp_const_none ? MP_OBJ_NULL : given[KEY].u_obj;
    gpusnek_sort(MP_OBJ_TO_PTR(args[0]), key, given[REVERSE].u_bool);
    return mp_const_none;
}
