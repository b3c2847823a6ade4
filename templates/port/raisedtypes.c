// The types of exceptions that upstream lacks, and the classes and texts of error numbers.
#include "py/mperrno.h"
#include "py/objexcept.h"
#include "py/objtuple.h"
#include "py/runtime.h"
#include "raised.h"

#define DEFINE_EXCEPTION(exception, base) \
    MP_DEFINE_CONST_OBJ_TYPE(gpusnek_type_##exception, MP_QSTR_##exception, MP_TYPE_FLAG_NONE, \
    make_new, mp_obj_exception_make_new, \
    print, mp_obj_exception_print, \
    attr, mp_obj_exception_attr, \
    parent, &base \
    );

GPUSNEK_EXCEPTIONS(DEFINE_EXCEPTION)
DEFINE_EXCEPTION(BaseExceptionGroup, mp_type_BaseException)

// The rest of the MRO, which classes.c expects behind the bases, follows its length.
static const mp_rom_obj_tuple_t group_bases = {
    {&mp_type_tuple}, 2, {MP_ROM_PTR(&gpusnek_type_BaseExceptionGroup), MP_ROM_PTR(&mp_type_Exception),
        MP_ROM_INT(3), MP_ROM_PTR(&gpusnek_type_BaseExceptionGroup), MP_ROM_PTR(&mp_type_Exception),
        MP_ROM_PTR(&mp_type_BaseException)}};
DEFINE_EXCEPTION(ExceptionGroup, group_bases)

typedef struct {
    uint8_t error;
    const mp_obj_type_t *type;
    const char *text;
} error_t;

static const error_t errors[] = {
    {1, &gpusnek_type_PermissionError, "Operation not permitted"},
    {2, &gpusnek_type_FileNotFoundError, "No such file or directory"},
    {3, &gpusnek_type_ProcessLookupError, "No such process"},
    {4, &gpusnek_type_InterruptedError, "Interrupted system call"},
    {5, &mp_type_OSError, "Input/output error"},
    {6, &mp_type_OSError, "No such device or address"},
    {7, &mp_type_OSError, "Argument list too long"},
    {8, &mp_type_OSError, "Exec format error"},
    {9, &mp_type_OSError, "Bad file descriptor"},
    {10, &gpusnek_type_ChildProcessError, "No child processes"},
    {11, &gpusnek_type_BlockingIOError, "Resource temporarily unavailable"},
    {12, &mp_type_OSError, "Cannot allocate memory"},
    {13, &gpusnek_type_PermissionError, "Permission denied"},
    {14, &mp_type_OSError, "Bad address"},
    {15, &mp_type_OSError, "Block device required"},
    {16, &mp_type_OSError, "Device or resource busy"},
    {17, &gpusnek_type_FileExistsError, "File exists"},
    {18, &mp_type_OSError, "Invalid cross-device link"},
    {19, &mp_type_OSError, "No such device"},
    {20, &gpusnek_type_NotADirectoryError, "Not a directory"},
    {21, &gpusnek_type_IsADirectoryError, "Is a directory"},
    {22, &mp_type_OSError, "Invalid argument"},
    {23, &mp_type_OSError, "Too many open files in system"},
    {24, &mp_type_OSError, "Too many open files"},
    {25, &mp_type_OSError, "Inappropriate ioctl for device"},
    {26, &mp_type_OSError, "Text file busy"},
    {27, &mp_type_OSError, "File too large"},
    {28, &mp_type_OSError, "No space left on device"},
    {29, &mp_type_OSError, "Illegal seek"},
    {30, &mp_type_OSError, "Read-only file system"},
    {31, &mp_type_OSError, "Too many links"},
    {32, &gpusnek_type_BrokenPipeError, "Broken pipe"},
    {33, &mp_type_OSError, "Numerical argument out of domain"},
    {34, &mp_type_OSError, "Numerical result out of range"},
    {35, &mp_type_OSError, "Resource deadlock avoided"},
    {36, &mp_type_OSError, "File name too long"},
    {38, &mp_type_OSError, "Function not implemented"},
    {39, &mp_type_OSError, "Directory not empty"},
    {61, &mp_type_OSError, "No data available"},
    {71, &mp_type_OSError, "Protocol error"},
    {75, &mp_type_OSError, "Value too large for defined data type"},
    {84, &mp_type_OSError, "Invalid or incomplete multibyte or wide character"},
    {88, &mp_type_OSError, "Socket operation on non-socket"},
    {95, &mp_type_OSError, "Operation not supported"},
    {97, &mp_type_OSError, "Address family not supported by protocol"},
    {98, &mp_type_OSError, "Address already in use"},
    {103, &gpusnek_type_ConnectionAbortedError, "Software caused connection abort"},
    {104, &gpusnek_type_ConnectionResetError, "Connection reset by peer"},
    {105, &mp_type_OSError, "No buffer space available"},
    {106, &mp_type_OSError, "Transport endpoint is already connected"},
    {107, &mp_type_OSError, "Transport endpoint is not connected"},
    {108, &gpusnek_type_BrokenPipeError, "Cannot send after transport endpoint shutdown"},
    {110, &gpusnek_type_TimeoutError, "Connection timed out"},
    {111, &gpusnek_type_ConnectionRefusedError, "Connection refused"},
    {113, &mp_type_OSError, "No route to host"},
    {114, &gpusnek_type_BlockingIOError, "Operation already in progress"},
    {115, &gpusnek_type_BlockingIOError, "Operation now in progress"},
    {125, &mp_type_OSError, "Operation canceled"},
};

static const error_t *error_of(mp_int_t error) {
    for (size_t i = 0; i < MP_ARRAY_SIZE(errors); i++) {
        if (errors[i].error == error) {
            return &errors[i];
        }
    }
    return NULL;
}

const char *gpusnek_error_text(mp_int_t error) {
    const error_t *const found = error_of(error);
    return found == NULL ? NULL : found->text;
}

const mp_obj_type_t *gpusnek_error_type(mp_int_t error) {
    const error_t *const found = error_of(error);
    return found == NULL ? &mp_type_OSError : found->type;
}
