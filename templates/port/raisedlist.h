// The list of exceptions that upstream lacks, X(name, base type). It is apart because the port's
// configuration includes it before any header of upstream.
#ifndef GPUSNEK_RAISEDLIST_H
#define GPUSNEK_RAISEDLIST_H

#define GPUSNEK_EXCEPTIONS(X) \
    X(FloatingPointError, mp_type_ArithmeticError) \
    X(BufferError, mp_type_Exception) \
    X(ModuleNotFoundError, mp_type_ImportError) \
    X(UnboundLocalError, mp_type_NameError) \
    X(BlockingIOError, mp_type_OSError) \
    X(ChildProcessError, mp_type_OSError) \
    X(ConnectionError, mp_type_OSError) \
    X(BrokenPipeError, gpusnek_type_ConnectionError) \
    X(ConnectionAbortedError, gpusnek_type_ConnectionError) \
    X(ConnectionRefusedError, gpusnek_type_ConnectionError) \
    X(ConnectionResetError, gpusnek_type_ConnectionError) \
    X(FileExistsError, mp_type_OSError) \
    X(FileNotFoundError, mp_type_OSError) \
    X(InterruptedError, mp_type_OSError) \
    X(IsADirectoryError, mp_type_OSError) \
    X(NotADirectoryError, mp_type_OSError) \
    X(PermissionError, mp_type_OSError) \
    X(ProcessLookupError, mp_type_OSError) \
    X(TimeoutError, mp_type_OSError) \
    X(ReferenceError, mp_type_Exception) \
    X(RecursionError, mp_type_RuntimeError) \
    X(PythonFinalizationError, mp_type_RuntimeError) \
    X(TabError, mp_type_IndentationError) \
    X(SystemError, mp_type_Exception) \
    X(UnicodeTranslateError, mp_type_UnicodeError) \
    X(Warning, mp_type_Exception) \
    X(BytesWarning, gpusnek_type_Warning) \
    X(DeprecationWarning, gpusnek_type_Warning) \
    X(EncodingWarning, gpusnek_type_Warning) \
    X(FutureWarning, gpusnek_type_Warning) \
    X(ImportWarning, gpusnek_type_Warning) \
    X(PendingDeprecationWarning, gpusnek_type_Warning) \
    X(ResourceWarning, gpusnek_type_Warning) \
    X(RuntimeWarning, gpusnek_type_Warning) \
    X(SyntaxWarning, gpusnek_type_Warning) \
    X(UnicodeWarning, gpusnek_type_Warning) \
    X(UserWarning, gpusnek_type_Warning)
#define GPUSNEK_DECLARE_EXCEPTION(name, parent) extern const struct _mp_obj_type_t gpusnek_type_##name;
GPUSNEK_EXCEPTIONS(GPUSNEK_DECLARE_EXCEPTION)
extern const struct _mp_obj_type_t gpusnek_type_BaseExceptionGroup, gpusnek_type_ExceptionGroup;

#endif
