// Slow paths of native code: operations that are called instead of inlined (native_slow.c).
//
// Unless a comment says otherwise, a function does not raise, run Python code or change a dict. A
// function that would have to, or that gets a type that it does not support, returns false, NULL or
// MP_OBJ_NULL and has changed nothing. Native code then takes a side exit.
#ifndef GPUSNEK_NATIVE_SLOW_H
#define GPUSNEK_NATIVE_SLOW_H

#include "py/bc.h"

// Look up a global by the number of its name in the bytecode. `local`: as by LOAD_NAME, whose name
// is a global at module level only. tier_find() returns the address of the value, or NULL.
// tier_load() returns the value, or a builtin's. The address is valid until the dict changes.
mp_obj_t *tier_find(const mp_code_state_t *code_state, uint32_t number, bool local);
mp_obj_t tier_load(const mp_code_state_t *code_state, uint32_t number, bool local);

// Load and store an instance's own attribute. tier_member() also loads a module's attribute.
mp_obj_t tier_member(const mp_code_state_t *code_state, mp_obj_t o, uint32_t number);
bool tier_store_member(const mp_code_state_t *code_state, mp_obj_t o, uint32_t number,
    mp_obj_t value);

// Finds a method: found[0] becomes the function, found[1] its first argument or MP_OBJ_NULL.
bool tier_method(const mp_code_state_t *code_state, mp_obj_t o, uint32_t number, mp_obj_t *found);

// tier_is_plain() returns whether a class and its bases are Python classes with one base each and
// small dicts. tier_class_entry() returns the attribute `name` of such a class, or of the nearest
// base, or MP_OBJ_NULL. It adds the steps that upstream's search (mp_obj_class_lookup()) would take
// to *steps.
bool tier_is_plain(const mp_obj_type_t *type);
mp_obj_t tier_class_entry(const mp_obj_type_t *type, qstr name, uint32_t *steps);

// Creates the function or closure number `child` of the running code. given: the stack's values,
// defaults if the function has any, then closed-over variables. count: as of upstream's
// mp_make_closure_from_proto_fun(); 0 for a plain function. Raises MemoryError.
mp_obj_t tier_make_function(const mp_code_state_t *code_state, uint32_t child, size_t count,
    const mp_obj_t *given);

// Return lhs op rhs of numbers; tier_comparison() also compares interned strings for equality.
mp_obj_t tier_operator(unsigned int op, mp_obj_t lhs, mp_obj_t rhs);
mp_obj_t tier_comparison(unsigned int op, mp_obj_t lhs, mp_obj_t rhs);

// Returns the truth value of `o`, 0 or 1; -1 for types that are not supported.
int tier_truth(mp_obj_t o);

// Load and store an element of a list, tuple or buffer.
mp_obj_t tier_element(mp_obj_t container, mp_obj_t index);
bool tier_store_element(mp_obj_t container, mp_obj_t index, mp_obj_t value);

// Loads container[start:stop:step] if `value` is MP_OBJ_SENTINEL; otherwise stores `value` there.
// May raise and run Python code. As in the interpreter, the slice object is on the heap only if the
// container's code may keep it.
mp_obj_t tier_slice(mp_obj_t container, mp_obj_t start, mp_obj_t stop, mp_obj_t step,
    mp_obj_t value);

// Returns the address of a container's elements. *size becomes their number, shifted by 8 bits,
// plus a code of their type: TIER_LIST, TIER_TUPLE or a typecode of the module array, with
// TIER_CONSTANT if they are read-only; 0 for other objects. Valid until code runs that may resize
// the container.
#define TIER_LIST (2)
#define TIER_TUPLE (3)
#define TIER_CONSTANT (128)
const void *tier_view(mp_obj_t o, uint64_t *size);

// Unpacks a tuple or list of exactly `count` items, the last one first.
bool tier_unpack(mp_obj_t sequence, size_t count, mp_obj_t *items);

// The type of range iterators on the stack, learned from the first one; NULL before. The slots
// after the type are the next value, the end and the step.
extern const mp_obj_type_t *tier_range_type;

// Advance the iterator in four stack slots. Return its next value, or MP_OBJ_STOP_ITERATION at its
// end. tier_quick_next() returns MP_OBJ_SENTINEL for an iterator that may run Python code.
// tier_next() advances any iterator and may raise. tier_iterate() replaces an iterable in the first
// slot by its iterator, and may raise.
mp_obj_t tier_quick_next(mp_obj_t *slots);
mp_obj_t tier_next(mp_obj_t *slots);
void tier_iterate(mp_obj_t *slots);

// Takes the steps of a call or return, and polls for interrupts at the end of a window. Returns
// false, and takes none, if the interpreter must take them. Unwinds if the program must end.
bool tier_draw(uint32_t steps);

// Polls for interrupts as a branch that takes the last step of a window. Returns false, and takes
// no step, if the interpreter must execute the branch. Unwinds if the program must end.
bool tier_look(void);

#endif
