// Exception records (exceptions.c): the record of the exception that ends a program or a call
// (gpusnek_exception_t of interp.h). Nothing here raises.
#ifndef GPUSNEK_EXCEPTIONS_H
#define GPUSNEK_EXCEPTIONS_H

#include "py/obj.h"
#include "py/objexcept.h"

// py/objexcept.c calls this before it adds the first frame of a traceback to `exception`.
void gpusnek_frames_begin(const mp_obj_exception_t *exception);
// py/objexcept.c calls this if the heap has no space for a further frame of `exception`'s
// traceback.
void gpusnek_frame_lost(const mp_obj_exception_t *exception, qstr file, size_t line, qstr block);
// Write the record of an uncaught exception, unless the launch keeps no records or the program or
// call already has one. May run Python code (__str__) within limits. lifecycle.c calls it.
void gpusnek_record(mp_obj_t exception);
// Return whether gpusnek_record() runs Python code now; the output of that code is dropped.
bool gpusnek_recording(void);
// Forget that a record is being written: a bounds check has ended the interpreter, and its report
// must be printed.
void gpusnek_record_abandon(void);

#endif
