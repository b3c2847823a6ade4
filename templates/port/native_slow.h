// What machine code calls where an operation takes more than a look (native_slow.c). What
// would raise, run Python code or change a dict is not done, and says so, except where noted.
#ifndef GPUSNEK_NATIVE_SLOW_H
#define GPUSNEK_NATIVE_SLOW_H

#include "py/bc.h"

// A global by its number in the code; `local`: as LOAD_NAME means it, which is a global at module
// level alone. tier_find: where it is, NULL for a name that is not there. tier_load: its value or a
// builtin's; MP_OBJ_NULL for neither. tier_same: whether `place` is still where it is and holds `value`.
mp_obj_t *tier_find(const mp_code_state_t *code_state, uint32_t number, bool local);
mp_obj_t tier_load(const mp_code_state_t *code_state, uint32_t number, bool local);

// An instance's own attribute, and of tier_member a module's; MP_OBJ_NULL or false where it takes more.
mp_obj_t tier_member(const mp_code_state_t *code_state, mp_obj_t o, uint32_t number);
bool tier_store_member(const mp_code_state_t *code_state, mp_obj_t o, uint32_t number,
    mp_obj_t value);

// The function and its first argument that a call of a method takes; false where it takes more.
bool tier_method(const mp_code_state_t *code_state, mp_obj_t o, uint32_t number, mp_obj_t *found);

// Whether a class and its bases are Python's own, with one base each and few names. And what such a
// class says of `name`, or a base class; MP_OBJ_NULL where none does. *steps: what upstream's search
// draws (mp_obj_class_lookup) is added.
bool tier_is_plain(const mp_obj_type_t *type);
mp_obj_t tier_class_entry(const mp_obj_type_t *type, qstr name, uint32_t *steps);

// The function that is number `child` of the running code's own. given: its defaults, if it has some,
// then the `count` variables that it shares, as the stack holds them; count is as upstream's
// mp_make_closure_from_proto_fun() has it, 0 of an ordinary function.
mp_obj_t tier_make_function(const mp_code_state_t *code_state, uint32_t child, size_t count,
    const mp_obj_t *given);

// lhs op rhs of numbers; MP_OBJ_NULL where it takes more.
mp_obj_t tier_operator(unsigned int op, mp_obj_t lhs, mp_obj_t rhs);
mp_obj_t tier_comparison(unsigned int op, mp_obj_t lhs, mp_obj_t rhs);

// Whether `o` counts as true; -1 for an instance of a Python class.
int tier_truth(mp_obj_t o);

// container[index] of a list, tuple or buffer; MP_OBJ_NULL or false where it takes more.
mp_obj_t tier_element(mp_obj_t container, mp_obj_t index);
bool tier_store_element(mp_obj_t container, mp_obj_t index, mp_obj_t value);

// container[start:stop:step], or with a `value` that is not MP_OBJ_SENTINEL what stores there; it may
// run any code. As in the interpreter, the slice is on the heap only where somebody may keep it.
mp_obj_t tier_slice(mp_obj_t container, mp_obj_t start, mp_obj_t stop, mp_obj_t step,
    mp_obj_t value);

// Where the elements of a container are, and in *size how many, and in its lowest eight bits what
// they are: TIER_LIST, TIER_TUPLE or a typecode of array's, with TIER_CONSTANT where they cannot be
// stored; 0 for any other object. It holds until code runs that may change the container's length.
#define TIER_LIST (2)
#define TIER_TUPLE (3)
#define TIER_CONSTANT (128)
const void *tier_view(mp_obj_t o, uint64_t *size);

// The items of a tuple or list of that length, the last one first; false for anything else.
bool tier_unpack(mp_obj_t sequence, size_t count, mp_obj_t *items);

// What iterators over ranges are in the stack, once one was made: then come the next value, the end
// and the step.
extern const mp_obj_type_t *tier_range_type;

// The next value of the iterator in four slots of the stack; MP_OBJ_STOP_ITERATION at its end,
// MP_OBJ_SENTINEL where it may run Python code. tier_next: of any iterator; it may raise.
mp_obj_t tier_quick_next(mp_obj_t *slots);
mp_obj_t tier_next(mp_obj_t *slots);
void tier_iterate(mp_obj_t *slots);

// Takes steps of a call or a return, and looks at interrupts if they are the last ones of a window.
// False where the interpreter must: then nothing was taken. Does not return where the program ends.
bool tier_draw(uint32_t steps);

// Looks at interrupts, as a branch does that takes the last step of a window. False where the
// interpreter must run the branch: then nothing was taken. Does not return where the program ends.
bool tier_look(void);

#endif
