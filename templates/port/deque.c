// collections.deque with CPython's interface. The patch `deque` leaves upstream's type out, whose
// deques have a fixed size.
//
// The items are in a ring buffer, which grows to twice its size, at most to the maximum length.
//
// Invariant D1: code that may call the program (comparisons, iterators, repr) reads the fields again
// afterwards, because the program can change the deque meanwhile.
// Invariant D2: each change of the number or order of items changes `version`, so that an iterator
// raises RuntimeError.
#include <string.h>

#include "changed.h"
#include "checkself.h"
#include "compare.h"
#include "methods.h"
#include "py/builtin.h"
#include "py/objtype.h"
#include "py/runtime.h"

#if GPUSNEK_PATCH_DEQUE

#define FIRST_SIZE (4) // items of the first ring buffer
#define MOST_ITEMS ((size_t)1 << 31) // the iterator counts in 32 bits

typedef struct {
    mp_obj_base_t base;
    mp_obj_t *items;
    size_t alloc;
    size_t first; // index of the first item in `items`
    size_t count;
    size_t maximum; // maximum length, or MOST_ITEMS if the program set none
    uint32_t version;
    bool limited; // whether the program set a maximum length
} deque_t;

// An iterator. It fits into a mp_obj_iter_buf_t.
typedef struct {
    mp_obj_base_t base;
    mp_fun_1_t iternext;
    mp_obj_t deque;
    uint32_t at;
    uint32_t version;
} deque_iterator_t;

extern const mp_obj_type_t mp_type_deque;

static deque_t *self_of(mp_obj_t object) {
    gpusnek_check_self(object, &mp_type_deque);
    return MP_OBJ_TO_PTR(object);
}

// Returns the deque of an object of the type or of a class that derives from it, or NULL.
static deque_t *deque_in(mp_obj_t object) {
    const mp_obj_t native = mp_obj_cast_to_native_base(object, MP_OBJ_FROM_PTR(&mp_type_deque));
    return native == MP_OBJ_NULL ? NULL : MP_OBJ_TO_PTR(native);
}

static mp_obj_t *item_at(const deque_t *self, size_t index) {
    const size_t at = self->first + index;
    return self->items + (at >= self->alloc ? at - self->alloc : at);
}

// Enlarges the ring buffer for one more item. Raises MemoryError.
static void grow(deque_t *self) {
    size_t size = self->alloc < FIRST_SIZE ? FIRST_SIZE : 2 * self->alloc;
    if (size > self->maximum) {
        size = self->maximum;
    }
    if (size > MOST_ITEMS) {
        m_malloc_fail(size);
    }
    mp_obj_t *const items = m_new0(mp_obj_t, size);
    const size_t behind = self->alloc - self->first;
    const size_t head = self->count < behind ? self->count : behind;
    if (head > 0) {
        memcpy(items, self->items + self->first, head * sizeof(mp_obj_t));
        memcpy(items + head, self->items, (self->count - head) * sizeof(mp_obj_t));
    }
    m_del(mp_obj_t, self->items, self->alloc);
    self->items = items;
    self->alloc = size;
    self->first = 0;
}

static _Noreturn void raise_empty(void) {
    mp_raise_msg(&mp_type_IndexError, MP_ERROR_TEXT("pop from an empty deque"));
}

static mp_obj_t take_first(deque_t *self) {
    if (self->count == 0) {
        raise_empty();
    }
    const mp_obj_t item = self->items[self->first];
    self->items[self->first] = MP_OBJ_NULL;
    if (++self->first == self->alloc) {
        self->first = 0;
    }
    self->count--;
    self->version++;
    return item;
}

static mp_obj_t take_last(deque_t *self) {
    if (self->count == 0) {
        raise_empty();
    }
    mp_obj_t *const slot = item_at(self, --self->count);
    const mp_obj_t item = *slot;
    *slot = MP_OBJ_NULL;
    self->version++;
    return item;
}

static void put_last(deque_t *self, mp_obj_t item) {
    if (self->count == self->maximum) {
        if (self->maximum == 0) {
            return;
        }
        take_first(self);
    } else if (self->count == self->alloc) {
        grow(self);
    }
    *item_at(self, self->count++) = item;
    self->version++;
}

static void put_first(deque_t *self, mp_obj_t item) {
    if (self->count == self->maximum) {
        if (self->maximum == 0) {
            return;
        }
        take_last(self);
    } else if (self->count == self->alloc) {
        grow(self);
    }
    self->first = (self->first == 0 ? self->alloc : self->first) - 1;
    self->items[self->first] = item;
    self->count++;
    self->version++;
}

static deque_t *new_deque(size_t maximum, bool limited) {
    deque_t *const self = mp_obj_malloc(deque_t, &mp_type_deque);
    self->items = NULL;
    self->alloc = self->first = self->count = 0;
    self->maximum = maximum;
    self->limited = limited;
    self->version = 0;
    return self;
}

static void remove_all(deque_t *self) {
    m_del(mp_obj_t, self->items, self->alloc);
    self->items = NULL;
    self->alloc = self->first = self->count = 0;
    self->version++;
}

// Adds the items of an iterable. Copies the items first if the iterable is the deque itself.
static void add_all(deque_t *self, mp_obj_t iterable, void (*put)(deque_t *, mp_obj_t)) {
    if (deque_in(iterable) == self) {
        iterable = mp_obj_list_make_new(&mp_type_list, 1, 0, &iterable);
    }
    mp_obj_iter_buf_t buffer;
    const mp_obj_t items = mp_getiter(iterable, &buffer);
    for (mp_obj_t item; (item = mp_iternext(items)) != MP_OBJ_STOP_ITERATION;) {
        put(self, item);
    }
}

static mp_obj_t deque_make_new(const mp_obj_type_t *type, size_t n_args, size_t n_kw,
    const mp_obj_t *args) {
    (void)type;
    enum { ITERABLE, MAXLEN, COUNT };
    static const mp_arg_t names[COUNT] = {
        {MP_QSTR_iterable, MP_ARG_OBJ, {.u_rom_obj = MP_ROM_PTR(&mp_const_empty_tuple_obj)}},
        {MP_QSTR_maxlen, MP_ARG_OBJ, {.u_rom_obj = MP_ROM_NONE}},
    };
    mp_arg_val_t given[COUNT];
    mp_arg_parse_all_kw_array(n_args, n_kw, args, COUNT, names, given);
    size_t maximum = MOST_ITEMS;
    const bool limited = given[MAXLEN].u_obj != mp_const_none;
    if (limited) {
        const mp_int_t number = mp_obj_get_int(given[MAXLEN].u_obj);
        if (number < 0) {
            mp_raise_ValueError(MP_ERROR_TEXT("maxlen must be non-negative"));
        }
        maximum = (size_t)number;
    }
    deque_t *const self = new_deque(maximum, limited);
    add_all(self, given[ITERABLE].u_obj, put_last);
    return MP_OBJ_FROM_PTR(self);
}

static void deque_print(const mp_print_t *print, mp_obj_t object, mp_print_kind_t kind) {
    (void)kind;
    const deque_t *const self = MP_OBJ_TO_PTR(object);
    mp_print_str(print, "deque([");
    for (size_t i = 0; i < self->count; i++) { // D1
        if (i > 0) {
            mp_print_str(print, ", ");
            if (i >= self->count) {
                break;
            }
        }
        mp_obj_print_helper(print, *item_at(self, i), PRINT_REPR);
    }
    if (!self->limited) {
        mp_print_str(print, "])");
        return;
    }
    mp_print_str(print, "], maxlen=");
    mp_obj_print_helper(print, mp_obj_new_int((mp_int_t)self->maximum), PRINT_REPR);
    mp_print_str(print, ")");
}

static mp_obj_t copy_of(const deque_t *self) {
    deque_t *const copy = new_deque(self->maximum, self->limited);
    for (size_t i = 0; i < self->count; i++) {
        put_last(copy, *item_at(self, i));
    }
    return MP_OBJ_FROM_PTR(copy);
}

// Repeats the items, as `deque *= times`.
static void repeat(deque_t *self, mp_int_t times) {
    const size_t count = self->count;
    if (times <= 0 || count == 0) {
        remove_all(self);
        return;
    }
    if (!self->limited && (size_t)times > MOST_ITEMS / count) {
        m_malloc_fail(MOST_ITEMS);
    }
    mp_obj_t *const items = m_new(mp_obj_t, count);
    for (size_t i = 0; i < count; i++) {
        items[i] = *item_at(self, i);
    }
    // A full deque keeps its last items only, so further repetitions replace items by equal ones.
    if (self->limited) {
        const size_t enough = self->maximum / count + 1;
        times = (size_t)times > enough ? (mp_int_t)enough : times;
    }
    for (mp_int_t round = 1; round < times; round++) {
        for (size_t i = 0; i < count; i++) {
            put_last(self, items[i]);
        }
    }
    m_del(mp_obj_t, items, count);
}

static bool compares(mp_binary_op_t op, const deque_t *left, const deque_t *right) {
    if (op == MP_BINARY_OP_EQUAL && left->count != right->count) {
        return false;
    }
    for (size_t i = 0; i < left->count && i < right->count; i++) { // D1
        const mp_obj_t a = *item_at(left, i), b = *item_at(right, i);
        if (a != b && !gpusnek_equal(a, b)) {
            return op != MP_BINARY_OP_EQUAL && mp_obj_is_true(mp_binary_op(op, a, b));
        }
    }
    return gpusnek_compare_lengths(op, left->count, right->count);
}

static mp_obj_t deque_unary_op(mp_unary_op_t op, mp_obj_t object) {
    const deque_t *const self = MP_OBJ_TO_PTR(object);
    switch (op) {
        case MP_UNARY_OP_BOOL:
            return mp_obj_new_bool(self->count > 0);
        case MP_UNARY_OP_LEN:
            return MP_OBJ_NEW_SMALL_INT(self->count);
        #if MICROPY_PY_SYS_GETSIZEOF
        case MP_UNARY_OP_SIZEOF:
            return MP_OBJ_NEW_SMALL_INT(sizeof(*self) + sizeof(mp_obj_t) * self->alloc);
        #endif
        default:
            return MP_OBJ_NULL;
    }
}

static mp_obj_t deque_binary_op(mp_binary_op_t op, mp_obj_t left, mp_obj_t right) {
    deque_t *const self = MP_OBJ_TO_PTR(left);
    switch (op) {
        case MP_BINARY_OP_ADD: {
            const deque_t *const other = deque_in(right);
            if (other == NULL) {
                return MP_OBJ_NULL;
            }
            const mp_obj_t sum = copy_of(self);
            for (size_t i = 0; i < other->count; i++) {
                put_last(MP_OBJ_TO_PTR(sum), *item_at(other, i));
            }
            return sum;
        }
        case MP_BINARY_OP_INPLACE_ADD:
            add_all(self, right, put_last);
            return left;
        case MP_BINARY_OP_MULTIPLY:
        case MP_BINARY_OP_REVERSE_MULTIPLY:
        case MP_BINARY_OP_INPLACE_MULTIPLY: {
            mp_int_t times;
            if (!mp_obj_get_int_maybe(right, &times)) {
                return MP_OBJ_NULL;
            }
            const mp_obj_t product = op == MP_BINARY_OP_INPLACE_MULTIPLY ? left : copy_of(self);
            repeat(MP_OBJ_TO_PTR(product), times);
            return product;
        }
        case MP_BINARY_OP_EQUAL:
        case MP_BINARY_OP_LESS:
        case MP_BINARY_OP_LESS_EQUAL:
        case MP_BINARY_OP_MORE:
        case MP_BINARY_OP_MORE_EQUAL: {
            const deque_t *const other = deque_in(right);
            return other == NULL ? MP_OBJ_NULL : mp_obj_new_bool(compares(op, self, other));
        }
        default:
            return MP_OBJ_NULL;
    }
}

static void remove_at(deque_t *self, size_t index) {
    if (index < self->count / 2) {
        for (size_t i = index; i > 0; i--) {
            *item_at(self, i) = *item_at(self, i - 1);
        }
        take_first(self);
    } else {
        for (size_t i = index; i + 1 < self->count; i++) {
            *item_at(self, i) = *item_at(self, i + 1);
        }
        take_last(self);
    }
}

static mp_obj_t deque_subscr(mp_obj_t object, mp_obj_t key, mp_obj_t value) {
    deque_t *const self = MP_OBJ_TO_PTR(object);
    const size_t index = mp_get_index(&mp_type_deque, self->count, key, false);
    if (index >= self->count) { // D1: the key is an object with __index__
        mp_raise_msg(&mp_type_IndexError, MP_ERROR_TEXT("deque index out of range"));
    }
    if (value == MP_OBJ_SENTINEL) {
        return *item_at(self, index);
    }
    if (value == MP_OBJ_NULL) {
        remove_at(self, index);
    } else {
        *item_at(self, index) = value;
    }
    return mp_const_none;
}

static const deque_t *unchanged(const deque_iterator_t *iterator) {
    const deque_t *const deque = MP_OBJ_TO_PTR(iterator->deque);
    if (deque->version != iterator->version) {
        mp_raise_msg(&mp_type_RuntimeError, MP_ERROR_TEXT("deque mutated during iteration"));
    }
    return deque;
}

static mp_obj_t next_item(mp_obj_t object) {
    deque_iterator_t *const self = MP_OBJ_TO_PTR(object);
    const deque_t *const deque = unchanged(self);
    return self->at < deque->count ? *item_at(deque, self->at++) : MP_OBJ_STOP_ITERATION;
}

static mp_obj_t previous_item(mp_obj_t object) {
    deque_iterator_t *const self = MP_OBJ_TO_PTR(object);
    const deque_t *const deque = unchanged(self);
    return self->at > 0 ? *item_at(deque, --self->at) : MP_OBJ_STOP_ITERATION;
}

static mp_obj_t iterator_of(deque_iterator_t *iterator, mp_obj_t deque, mp_fun_1_t next,
    size_t at) {
    iterator->base.type = &mp_type_polymorph_iter;
    iterator->iternext = next;
    iterator->deque = deque;
    iterator->at = (uint32_t)at;
    iterator->version = ((const deque_t *)MP_OBJ_TO_PTR(deque))->version;
    return MP_OBJ_FROM_PTR(iterator);
}

static mp_obj_t deque_getiter(mp_obj_t object, mp_obj_iter_buf_t *buffer) {
    return iterator_of((deque_iterator_t *)buffer, object, next_item, 0);
}

static mp_obj_t deque_reversed(mp_obj_t object) {
    return iterator_of(m_new_obj(deque_iterator_t), object, previous_item, self_of(object)->count);
}
static MP_DEFINE_CONST_FUN_OBJ_1(deque_reversed_obj, deque_reversed);

static mp_obj_t deque_append(mp_obj_t object, mp_obj_t item) {
    put_last(self_of(object), item);
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_2(deque_append_obj, deque_append);

static mp_obj_t deque_appendleft(mp_obj_t object, mp_obj_t item) {
    put_first(self_of(object), item);
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_2(deque_appendleft_obj, deque_appendleft);

static mp_obj_t deque_pop(mp_obj_t object) {
    return take_last(self_of(object));
}
static MP_DEFINE_CONST_FUN_OBJ_1(deque_pop_obj, deque_pop);

static mp_obj_t deque_popleft(mp_obj_t object) {
    return take_first(self_of(object));
}
static MP_DEFINE_CONST_FUN_OBJ_1(deque_popleft_obj, deque_popleft);

static mp_obj_t deque_extend(mp_obj_t object, mp_obj_t iterable) {
    add_all(self_of(object), iterable, put_last);
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_2(deque_extend_obj, deque_extend);

static mp_obj_t deque_extendleft(mp_obj_t object, mp_obj_t iterable) {
    add_all(self_of(object), iterable, put_first);
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_2(deque_extendleft_obj, deque_extendleft);

static mp_obj_t deque_clear(mp_obj_t object) {
    remove_all(self_of(object));
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_1(deque_clear_obj, deque_clear);

static mp_obj_t deque_copy(mp_obj_t object) {
    return copy_of(self_of(object));
}
static MP_DEFINE_CONST_FUN_OBJ_1(deque_copy_obj, deque_copy);

static mp_obj_t deque_rotate(size_t n_args, const mp_obj_t *args) {
    deque_t *const self = self_of(args[0]);
    const mp_int_t by = n_args > 1 ? mp_obj_get_int(args[1]) : 1;
    if (self->count < 2) {
        return mp_const_none;
    }
    const mp_int_t count = (mp_int_t)self->count;
    mp_int_t turns = by % count;
    turns = turns < 0 ? turns + count : turns; // to the right
    if (turns <= count / 2) {
        for (; turns > 0; turns--) {
            const mp_obj_t item = take_last(self);
            put_first(self, item);
        }
    } else {
        for (turns = count - turns; turns > 0; turns--) {
            const mp_obj_t item = take_first(self);
            put_last(self, item);
        }
    }
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(deque_rotate_obj, 1, 2, deque_rotate);

static mp_obj_t deque_reverse(mp_obj_t object) {
    deque_t *const self = self_of(object);
    for (size_t i = 0; i < self->count / 2; i++) {
        mp_obj_t *const left = item_at(self, i);
        mp_obj_t *const right = item_at(self, self->count - 1 - i);
        const mp_obj_t item = *left;
        *left = *right;
        *right = item;
    }
    self->version++;
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_1(deque_reverse_obj, deque_reverse);

static mp_obj_t deque_count(mp_obj_t object, mp_obj_t value) {
    const deque_t *const self = self_of(object);
    const uint32_t version = self->version;
    size_t count = 0;
    for (size_t i = 0; i < self->count; i++) {
        count += gpusnek_equal(*item_at(self, i), value);
        if (self->version != version) { // D1
            mp_raise_msg(&mp_type_RuntimeError, MP_ERROR_TEXT("deque mutated during iteration"));
        }
    }
    return MP_OBJ_NEW_SMALL_INT(count);
}
static MP_DEFINE_CONST_FUN_OBJ_2(deque_count_obj, deque_count);

// Returns the index of the first item from `start` to before `stop` that equals the value, or
// `stop`. Raises an exception of the type if a comparison changed the deque.
static size_t find(const deque_t *self, mp_obj_t value, size_t start, size_t stop,
    const mp_obj_type_t *error) {
    const uint32_t version = self->version;
    for (size_t i = start; i < stop; i++) {
        const bool equal = gpusnek_equal(*item_at(self, i), value);
        if (self->version != version) { // D1
            mp_raise_msg(error, MP_ERROR_TEXT("deque mutated during iteration"));
        }
        if (equal) {
            return i;
        }
    }
    return stop;
}

// Raises the ValueError of a missing value.
static _Noreturn void raise_missing(mp_obj_t value) {
    vstr_t text;
    mp_print_t print;
    vstr_init_print(&text, 16, &print);
    mp_obj_print_helper(&print, value, PRINT_REPR);
    mp_raise_msg_varg(&mp_type_ValueError, MP_ERROR_TEXT("%s is not in deque"), vstr_null_terminated_str(&text));
}

// Returns a bound of a search, which counts from the end if it is negative.
static size_t bound_of(mp_obj_t number, const deque_t *self) {
    const mp_int_t at = mp_obj_get_int(number);
    const mp_int_t count = (mp_int_t)self->count; // D1
    const mp_int_t from_start = at < 0 ? at + count : at;
    return from_start < 0 ? 0 : from_start > count ? self->count : (size_t)from_start;
}

static mp_obj_t deque_index(size_t n_args, const mp_obj_t *args) {
    const deque_t *const self = self_of(args[0]);
    const size_t start = n_args > 2 ? bound_of(args[2], self) : 0;
    const size_t stop = n_args > 3 ? bound_of(args[3], self) : self->count;
    const size_t last = stop < self->count ? stop : self->count; // D1
    const size_t at = find(self, args[1], start, last, &mp_type_RuntimeError);
    if (at >= last) {
        raise_missing(args[1]);
    }
    return MP_OBJ_NEW_SMALL_INT(at);
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(deque_index_obj, 2, 4, deque_index);

static mp_obj_t deque_remove(mp_obj_t object, mp_obj_t value) {
    deque_t *const self = self_of(object);
    const size_t at = find(self, value, 0, self->count, &mp_type_IndexError);
    if (at >= self->count) {
        raise_missing(value);
    }
    remove_at(self, at);
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_2(deque_remove_obj, deque_remove);

static mp_obj_t deque_insert(mp_obj_t object, mp_obj_t index, mp_obj_t item) {
    deque_t *const self = self_of(object);
    const size_t at = bound_of(index, self);
    if (self->count == self->maximum) {
        mp_raise_msg(&mp_type_IndexError, MP_ERROR_TEXT("deque already at its maximum size"));
    }
    if (at <= self->count / 2) {
        put_first(self, item);
        for (size_t i = 0; i < at; i++) {
            *item_at(self, i) = *item_at(self, i + 1);
        }
    } else {
        put_last(self, item);
        for (size_t i = self->count - 1; i > at; i--) {
            *item_at(self, i) = *item_at(self, i - 1);
        }
    }
    *item_at(self, at) = item;
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_3(deque_insert_obj, deque_insert);

static const mp_rom_map_elem_t deque_table[] = {
    { MP_ROM_QSTR(MP_QSTR_append), MP_ROM_PTR(&deque_append_obj) },
    { MP_ROM_QSTR(MP_QSTR_appendleft), MP_ROM_PTR(&deque_appendleft_obj) },
    { MP_ROM_QSTR(MP_QSTR_clear), MP_ROM_PTR(&deque_clear_obj) },
    { MP_ROM_QSTR(MP_QSTR_copy), MP_ROM_PTR(&deque_copy_obj) },
    { MP_ROM_QSTR(MP_QSTR___copy__), MP_ROM_PTR(&deque_copy_obj) },
    { MP_ROM_QSTR(MP_QSTR_count), MP_ROM_PTR(&deque_count_obj) },
    { MP_ROM_QSTR(MP_QSTR_extend), MP_ROM_PTR(&deque_extend_obj) },
    { MP_ROM_QSTR(MP_QSTR_extendleft), MP_ROM_PTR(&deque_extendleft_obj) },
    { MP_ROM_QSTR(MP_QSTR_index), MP_ROM_PTR(&deque_index_obj) },
    { MP_ROM_QSTR(MP_QSTR_insert), MP_ROM_PTR(&deque_insert_obj) },
    { MP_ROM_QSTR(MP_QSTR_pop), MP_ROM_PTR(&deque_pop_obj) },
    { MP_ROM_QSTR(MP_QSTR_popleft), MP_ROM_PTR(&deque_popleft_obj) },
    { MP_ROM_QSTR(MP_QSTR_remove), MP_ROM_PTR(&deque_remove_obj) },
    { MP_ROM_QSTR(MP_QSTR_reverse), MP_ROM_PTR(&deque_reverse_obj) },
    { MP_ROM_QSTR(MP_QSTR___reversed__), MP_ROM_PTR(&deque_reversed_obj) },
    { MP_ROM_QSTR(MP_QSTR_rotate), MP_ROM_PTR(&deque_rotate_obj) },
};
static MP_DEFINE_CONST_DICT(deque_methods, deque_table);

MP_DEFINE_CONST_OBJ_TYPE(mp_type_deque, MP_QSTR_deque, MP_TYPE_FLAG_ITER_IS_GETITER | MP_TYPE_FLAG_EQ_CHECKS_OTHER_TYPE,
    make_new, deque_make_new, print, deque_print, unary_op, deque_unary_op,
    binary_op, deque_binary_op, subscr, deque_subscr, iter, deque_getiter,
    locals_dict, &deque_methods);

static mp_obj_t deque_maxlen(mp_obj_t object) {
    const deque_t *const self = self_of(object);
    return self->limited ? mp_obj_new_int((mp_int_t)self->maximum) : mp_const_none;
}
GPUSNEK_GETTER(deque_maxlen_obj, deque_maxlen);

static const mp_rom_map_elem_t attribute_table[] = {
    { MP_ROM_QSTR(MP_QSTR_maxlen), MP_ROM_PTR(&deque_maxlen_obj) },
};
MP_DEFINE_CONST_DICT(gpusnek_deque_attributes, attribute_table);

#endif
