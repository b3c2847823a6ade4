// Names of module `sys` that a program can replace, or that a frozen module has.
//
// sys.stdin, sys.stdout and sys.stderr: a program can replace them by any object, as
// contextlib.redirect_stdout() does. print() then calls the object's method `write`, input() the
// method `readline`. Without a replacement both work as upstream's, with one more test of a
// pointer per call.
//
// sys.version and sys.version_info name the release of CPython whose results the port has.
//
// Names that upstream's `sys` lacks (sys.getrecursionlimit) come from the frozen module `_sys`,
// which is imported at the first of them.
#ifndef GPUSNEK_SYSTEMNAMES_H
#define GPUSNEK_SYSTEMNAMES_H

#include "py/obj.h"
#include "py/runtime.h"

extern const mp_obj_type_t gpusnek_version_type;
typedef struct {
    mp_obj_base_t base;
    size_t len;
    mp_rom_obj_t items[5];
} gpusnek_version_t;
extern const gpusnek_version_t gpusnek_version_info_obj;
extern const struct _mp_obj_str_t gpusnek_version_obj;

// Loads or stores an attribute of `sys`, with the arguments of a type's slot `attr`. Returns false
// for names that the list above lacks.
bool gpusnek_system_attribute(qstr attribute, mp_obj_t *dest);

// Return whether sys.stdin or sys.stdout is replaced.
bool gpusnek_streams_replaced(void);

// Performs a print() to an object that is not one of the interpreter's streams, or with `None` as
// an argument: calls its method `write` for each text. Returns false, having printed nothing, for
// other calls. Raises TypeError, AttributeError, and exceptions of the method.
bool gpusnek_print_by_write(size_t n_args, const mp_obj_t *args, mp_map_t *keywords);

// Performs an input() with replaced streams. prompt: MP_OBJ_NULL, or the prompt. Raises EOFError,
// TypeError, and exceptions of the methods `write` and `readline`.
mp_obj_t gpusnek_input_by_readline(mp_obj_t prompt);

// As mp_raise_type(), with CPython's message of EOFError.
_Noreturn void gpusnek_raise_at_end(const mp_obj_type_t *type);

// Return the stream that open(0), open(1) or open(2) is, with the arguments of open(); MP_OBJ_NULL if
// the file is no integer. Raises OSError for another integer.
mp_obj_t gpusnek_open_stream(size_t n_args, const mp_obj_t *args, mp_map_t *keywords);

// Return sys.getsizeof(value), which calls this function with MP_UNARY_OP_SIZEOF. Sizes of numbers and
// texts are CPython's.
mp_obj_t gpusnek_size_of(mp_unary_op_t op, mp_obj_t value);

#endif
