// Exceptions as objects: attributes, chaining, texts and types that upstream lacks. The patch
// `exceptions` calls these functions in py/objexcept.c, py/objtype.c, py/vm.c and py/runtime.c.
//
// A built-in exception stores its cause, its context and a dict of further attributes behind the
// items of its tuple `args`, in the same heap block. The tuple is made anew with space for them when
// the first of them is set, so other exceptions take no memory for them.
#ifndef GPUSNEK_RAISED_H
#define GPUSNEK_RAISED_H

#include "interp.h"
#include "py/obj.h"
#include "py/objexcept.h"
#include "raisedlist.h"

// Creates an exception whose constructor does more than to store its arguments: OSError with an
// error number, exceptions with keyword arguments, groups. Returns MP_OBJ_NULL for all others.
mp_obj_t gpusnek_new_exception(const mp_obj_type_t *type, size_t n_args, size_t n_kw, const mp_obj_t *args);
// Replaces mp_obj_exception_print() and mp_obj_exception_attr().
void gpusnek_exception_print(const mp_print_t *print, mp_obj_t self, mp_print_kind_t kind);
void gpusnek_exception_attr(mp_obj_t self, qstr attr, mp_obj_t *dest);
// Finds a method of exceptions for an instance of a class that derives from the built-in `type`, or,
// if `self` is MP_OBJ_NULL, for the type. Returns whether there is one.
bool gpusnek_exception_method(mp_obj_t self, const mp_obj_type_t *type, qstr attr, mp_obj_t *dest);
// Stores or deletes (value MP_OBJ_NULL) an attribute of an instance of a Python class, if it belongs to the built-in
// exception beside the instance. Returns whether it does.
bool gpusnek_exception_store(mp_obj_t self, qstr attr, mp_obj_t value);
// Sets the cause of an exception (`raise exception from cause`). Returns the exception to raise.
mp_obj_t gpusnek_raise_from(mp_obj_t exception, mp_obj_t cause);
// Sets the context of an exception that a frame sees while it handles another. fresh: the frame
// raised it itself. Never raises.
void gpusnek_chain(mp_obj_t exception, mp_obj_t handled, bool fresh);
// Returns the exception that a frame or one of its callers handles, or NULL. exc_sp: top of the frame's
// stack of handlers. outer: the exception that was handled when built-in code called the first frame.
struct _mp_code_state_t;
struct _mp_exc_stack_t;
mp_obj_base_t *gpusnek_handled(const struct _mp_code_state_t *frame,
    const struct _mp_exc_stack_t *exc_sp, mp_obj_base_t *outer);
// Sets the context of an exception that `frame` raises: the exception of gpusnek_handled(). Never
// raises.
void gpusnek_chain_raised(mp_obj_t exception, const struct _mp_code_state_t *frame,
    const struct _mp_exc_stack_t *exc_sp, mp_obj_base_t *outer, bool fresh);
// Prints an exception with its traceback, notes, cause and context.
void gpusnek_print_exception(const mp_print_t *print, mp_obj_t exception);
// Raises the subclass of OSError for an error number, with CPython's text. filename: MP_OBJ_NULL or
// an object.
_Noreturn void gpusnek_raise_os_error(int error, mp_obj_t filename);
_Noreturn void gpusnek_raise_error(int error);
_Noreturn void gpusnek_raise_error_of(int error, const char *filename);
// Sets an attribute of an exception, unless the heap is full.
void gpusnek_exception_set(mp_obj_t exception, qstr attr, mp_obj_t value);

// The message of a RecursionError from a full pystack (lack.c).
extern const struct _mp_obj_str_t gpusnek_pystack_text;

// Returns the text of an error number, NULL for unknown numbers.
const char *gpusnek_error_text(mp_int_t error);
// Returns the subclass of OSError for an error number.
const mp_obj_type_t *gpusnek_error_type(mp_int_t error);

#endif
