// list.sort and sorted: stable, and what CPython's give.
//
// Neighbouring interpreters of a GPU (the lanes of a warp) execute an instruction together only
// while their control flow agrees. So this is a bottom-up merge sort: its passes and steps depend
// on the length alone. A step chooses between two items by selection, also where one of the two
// runs has no item left, and compares numbers without a branch.
#include <string.h>

#include "hooks.h"
#include "py/runtime.h"
#include "sort.h"

// What moves together: values[i] has the key keys[i]. Without a key the values are their own keys,
// and `values` is NULL.
typedef struct {
    mp_obj_t *keys;
    mp_obj_t *values;
} row_t;

typedef struct {
    mp_obj_t *items; // the list's own, which the list does not show meanwhile
    size_t length;
    size_t alloc;
    mp_obj_t key_fn; // MP_OBJ_NULL: none
    bool reverse;
    bool in_place; // takes no memory
    bool done;
    mp_obj_t *keys; // length of them, or NULL
    mp_obj_t *spare; // the other row, or NULL
    row_t whole; // a row that has every item once
} sort_t;

enum { NO, YES, UNKNOWN };

// Whether x < y, of two small integers or floats; UNKNOWN for anything else.
static inline unsigned int number_less(mp_obj_t x, mp_obj_t y) {
    const bool ints = mp_obj_is_small_int(x) & mp_obj_is_small_int(y);
    const bool less = MP_OBJ_SMALL_INT_VALUE(x) < MP_OBJ_SMALL_INT_VALUE(y);
    #if MICROPY_OBJ_REPR == MICROPY_OBJ_REPR_D
    // (A small integer has 47 bits, so it is a float exactly.)
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

// One pass: neighbouring sorted runs of `width` items become runs of twice as many.
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
        // Where a run has no item left, its key is of an item beyond, and decides nothing.
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

// The rest is for heaps that have no room for a second row: the same order, in more time.

static mp_obj_t key_at(const sort_t *sort, size_t i) {
    if (sort->keys != NULL) {
        return sort->keys[i];
    }
    const mp_obj_t item = sort->items[i];
    return sort->key_fn == MP_OBJ_NULL ? item : mp_call_function_1(sort->key_fn, item);
}

// Whether an item must come before one that stands to the left of it.
static bool passes(const sort_t *sort, mp_obj_t right_key, mp_obj_t left_key) {
    const mp_obj_t x = sort->reverse ? left_key : right_key;
    const mp_obj_t y = sort->reverse ? right_key : left_key;
    const unsigned int less = number_less(x, y);
    return less == UNKNOWN ? object_less(x, y) : less != NO;
}

static void turn(mp_obj_t *items, size_t low, size_t high) {
    while (low + 1 < high) {
        high--;
        const mp_obj_t item = items[low];
        items[low] = items[high];
        items[high] = item;
        low++;
    }
}

// [low, middle) and [middle, high) change places.
static void rotate(mp_obj_t *items, size_t low, size_t middle, size_t high) {
    turn(items, low, middle);
    turn(items, middle, high);
    turn(items, low, high);
}

// How many items from `low` to `high` stay left of an item that comes from the right with `key`, or,
// if `passing`, pass the one to their left that has it.
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

// Merges the runs [low, middle) and [middle, high): halves the longer one, finds where that cuts the
// shorter, and makes the parts in between change places.
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

// Sorts. Returns the exception that was raised, or NULL; then the sort is done, or is not because
// the program is to end (limits.c).
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
    if (raised != NULL && mp_obj_is_subclass_fast(MP_OBJ_FROM_PTR(raised->type),
        MP_OBJ_FROM_PTR(&mp_type_MemoryError))) {
        sort.in_place = true;
        raised = attempt(&sort);
    }
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
    mp_check_self(mp_obj_is_type(args[0], &mp_type_list));
    const mp_obj_t key = given[KEY].u_obj == mp_const_none ? MP_OBJ_NULL : given[KEY].u_obj;
    gpusnek_sort(MP_OBJ_TO_PTR(args[0]), key, given[REVERSE].u_bool);
    return mp_const_none;
}
