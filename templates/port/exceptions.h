// The record of the exception that ends a program (gpusnek_exception_t of interp.h).
#ifndef GPUSNEK_EXCEPTIONS_H
#define GPUSNEK_EXCEPTIONS_H

#include "py/obj.h"
#include "py/objexcept.h"

// Called by py/objexcept.c: `exception` gets the first frame of a traceback.
void gpusnek_frames_begin(const mp_obj_exception_t *exception);
// Called by py/objexcept.c: the heap has no room for a further frame of `exception`'s traceback.
void gpusnek_frame_lost(const mp_obj_exception_t *exception, qstr file, size_t line, qstr block);
// Writes the record of `exception`, which nothing has caught, unless the launch wants none or has one
// of this program or call already. May run Python code (__str__), within limits. Raises nothing.
void gpusnek_record(mp_obj_t exception);
// Whether gpusnek_record runs Python code now: what that prints goes nowhere.
bool gpusnek_recording(void);
// A fence has ended the interpreter, perhaps in gpusnek_record: its report is to be printed.
void gpusnek_record_abandon(void);

#endif
