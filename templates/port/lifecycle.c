// Life cycle of one interpreter: attach, start, execute sources, stop, detach (interp.h).
//
// templates/runtime/interpreter.h calls these functions for kernels and the host twin.
//
// Invariant I1: no exception leaves a public function. Each function runs Python code within
// nlr_push() and, where a hard stop or a limit may occur, nlr_set_abort(), and returns a status.
// Invariant I2: a hard stop skips all Python handlers, so execute() resets whatever a stopped
// program may have left: globals, the current exception, busy devices.
#include <string.h>

#include "blockdevice.h"
#include "code.h"
#include "devicecalls.h"
#include "exceptions.h"
#include "native.h"
#include "port.h"
#include "hooks.h"
#include "py/builtin.h"
#include "py/compile.h"
#include "py/cstack.h"
#include "py/gc.h"
#include "py/mperrno.h"
#include "py/mphal.h"
#include "py/mpstate.h"
#include "py/objexcept.h"
#include "py/objfun.h"
#include "py/objlist.h"
#include "py/pystack.h"
#include "py/runtime.h"

gpusnek_boot_t gpusnek_boot;
gpusnek_io_t gpusnek_io;
static bool started;
static int exit_code;

// The value of the last GPUSNEK_EVAL, or, during gpusnek_report(), the exception that it reports.
MP_REGISTER_ROOT_POINTER(mp_obj_t gpusnek_result);
// The function that gpusnek_prepare() compiled.
MP_REGISTER_ROOT_POINTER(mp_obj_t gpusnek_program);

void gpusnek_attach(const gpusnek_io_t *io) {
    gpusnek_io = *io;
    gpusnek_native_attach(io->natives);
    mp_cstack_init_with_top(io->stack_top, io->stack_size);
    gpusnek_clock_attach();
    gpusnek_meet_nobody();
}

// Set the globals of __main__ that identify the interpreter. Raises MemoryError.
static void set_up_modules(void) {
    mp_store_global(MP_QSTR_threadIdx, mp_obj_new_int_from_uint(gpusnek_boot.index));
    mp_store_global(MP_QSTR_numThreads, mp_obj_new_int_from_uint(gpusnek_boot.total));
    mp_store_global(MP_QSTR_blockIdx, mp_obj_new_int_from_uint(gpusnek_boot.block));
    mp_store_global(MP_QSTR_blockDim, mp_obj_new_int_from_uint(gpusnek_boot.block_size));
    mp_store_global(MP_QSTR_localIdx, mp_obj_new_int_from_uint(gpusnek_boot.local));
    if (gpusnek_boot.outbuf_size) {
        mp_store_global(MP_QSTR_outbuf, MP_OBJ_FROM_PTR(&gpusnek_outbuf_obj));
    }
}

// Set sys.argv and sys.modules as CPython has them before it runs a program. Raises MemoryError.
static void set_up_system(void) {
    #if MICROPY_PY_SYS_ARGV
    mp_obj_list_append(mp_sys_argv, MP_OBJ_NEW_QSTR(MP_QSTR_));
    #endif
    const mp_obj_t loaded = MP_OBJ_FROM_PTR(&MP_STATE_VM(mp_loaded_modules_dict));
    mp_obj_dict_store(loaded, MP_OBJ_NEW_QSTR(MP_QSTR_sys), MP_OBJ_FROM_PTR(&mp_module_sys));
    mp_obj_dict_store(loaded, MP_OBJ_NEW_QSTR(MP_QSTR_builtins), MP_OBJ_FROM_PTR(&mp_module_builtins));
    mp_obj_dict_store(loaded, MP_OBJ_NEW_QSTR(MP_QSTR___main__), MP_OBJ_FROM_PTR(&mp_module___main__));
}

// Initialize the VM. mp_init() allocates, so a heap that is far too small fails here.
static int start_vm(void) {
    nlr_buf_t nlr;
    if (nlr_push(&nlr) == 0) {
        mp_init();
        set_up_modules();
        set_up_system();
        nlr_pop();
        return GPUSNEK_OK;
    }
    return GPUSNEK_NO_MEMORY;
}

// Mount the file system. Prints an exception to stderr and returns GPUSNEK_NO_FILE_SYSTEM if that
// fails.
static int start_file_system(void) {
    nlr_buf_t nlr;
    if (nlr_push(&nlr) == 0) {
        gpusnek_fs_mount();
        nlr_pop();
        return GPUSNEK_OK;
    }
    mp_obj_print_exception(&mp_stderr_print, MP_OBJ_FROM_PTR(nlr.ret_val));
    return GPUSNEK_NO_FILE_SYSTEM;
}

int gpusnek_start(const gpusnek_boot_t *boot) {
    gpusnek_boot = *boot;
    started = false;
    mp_pystack_init(boot->pystack, (char *)boot->pystack + boot->pystack_size);
    gc_init(boot->heap, (char *)boot->heap + boot->heap_size);
    gpusnek_random_start();

    int status = start_vm();
    if (status == GPUSNEK_OK && (boot->flags & GPUSNEK_FS_MOUNT)) {
        status = start_file_system();
    }
    if (status == GPUSNEK_OK) {
        started = true;
        gpusnek_gc_start();
    }
    return status;
}

// Return the value of a SystemExit: its argument, or the tuple of its arguments if there are
// several.
static mp_obj_t exit_value(mp_obj_t exception) {
    mp_obj_t args = mp_load_attr(exception, MP_QSTR_args);
    if (mp_obj_is_type(args, &mp_type_tuple)
        && ((mp_obj_tuple_t *)MP_OBJ_TO_PTR(args))->len > 1) {
        return args;
    }
    return mp_obj_exception_get_value(exception);
}

// Return the exit code of a value; print a value that is not an int. Like in CPython, an int that
// does not fit a C long gives -1, and a value whose printing raises gives 1.
static int exit_number(mp_obj_t value, bool is_int) {
    nlr_buf_t nlr;
    if (nlr_push(&nlr) == 0) {
        int code = 1;
        if (is_int) {
            code = (int)mp_obj_get_int(value);
        } else {
            mp_obj_print_helper(&mp_stderr_print, value, PRINT_STR);
        }
        nlr_pop();
        return code;
    }
    return is_int ? -1 : 1;
}

// Return the exit code of a SystemExit. A value that is not an int is printed to stderr, as in
// CPython.
static int system_exit_code(mp_obj_t exception) {
    mp_obj_t value = exit_value(exception);
    if (value == mp_const_none) {
        return 0;
    }
    const bool is_int = mp_obj_is_bool(value)
        || mp_obj_is_subclass_fast(MP_OBJ_FROM_PTR(mp_obj_get_type(value)),
        MP_OBJ_FROM_PTR(&mp_type_int));
    const int code = exit_number(value, is_int);
    if (!is_int) {
        mp_print_str(&mp_stderr_print, "\n");
    }
    return code;
}

static bool is_exception_of(mp_obj_t exception, const mp_obj_type_t *type) {
    return mp_obj_is_subclass_fast(MP_OBJ_FROM_PTR(mp_obj_get_type(exception)),
        MP_OBJ_FROM_PTR(type));
}

#define PRINTING_STEPS ((uint64_t)1 << 16) // limit for the __str__ of an exception and its causes

// Print an uncaught exception to stderr. Its `__str__` may run Python code, which has a limit of its
// own and takes no steps of the program: the exception is the status, whatever its printing does. The
// output of that code is dropped. May raise. A hard stop unwinds further.
static void print_uncaught(mp_obj_t exception) {
    gpusnek_limits_t limits;
    nlr_buf_t *const outer = nlr_get_abort();
    nlr_buf_t nlr;
    gpusnek_limits_lend(&limits, PRINTING_STEPS, true);
    nlr_set_abort(&nlr);
    gpusnek_output_drop(true);
    const bool ended = nlr_push(&nlr) != 0;
    if (!ended) {
        mp_obj_print_exception(&mp_stderr_print, exception);
        nlr_pop();
    }
    gpusnek_output_drop(false);
    nlr_set_abort(outer);
    const bool limited = gpusnek_limit() != GPUSNEK_OK;
    gpusnek_limits_return(&limits);
    if (ended && nlr.ret_val != NULL) {
        nlr_jump(nlr.ret_val);
    }
    if (ended && !limited) {
        nlr_jump_abort(); // a hard stop
    }
    if (ended) {
        mp_print_str(&mp_stderr_print, ": <exception str() failed>\n");
    }
}

// Record and print an uncaught exception and return its status. May raise.
static int report_exception(mp_obj_t exception, bool compiled) {
    if (is_exception_of(exception, &mp_type_SystemExit)) {
        gpusnek_record(exception);
        exit_code = system_exit_code(exception);
        return GPUSNEK_EXIT;
    }
    gpusnek_lack_of(exception);
    gpusnek_record(exception);
    print_uncaught(exception);
    if (!compiled && is_exception_of(exception, &mp_type_SyntaxError)) {
        return GPUSNEK_SYNTAX_ERROR;
    }
    return GPUSNEK_EXCEPTION;
}

// Return the status after an unwind without an exception: the limit that was reached, or
// GPUSNEK_STOPPED.
static int stopped(void) {
    const int limit = gpusnek_limit();
    return limit != GPUSNEK_OK ? limit : GPUSNEK_STOPPED;
}

// Report the exception `raised`; NULL is a hard stop or a limit. Printing may itself raise or be
// stopped.
int gpusnek_report(void *raised, bool compiled) {
    if (raised == NULL) {
        return stopped();
    }
    int status = GPUSNEK_EXCEPTION;
    MP_STATE_VM(gpusnek_result) = MP_OBJ_FROM_PTR(raised); // a root, because printing may collect
    nlr_buf_t nlr;
    nlr_set_abort(&nlr);
    if (nlr_push(&nlr) == 0) {
        status = report_exception(MP_OBJ_FROM_PTR(raised), compiled);
        nlr_pop();
    } else if (nlr.ret_val == NULL) {
        status = stopped();
    } else {
        mp_print_str(&mp_stderr_print, "(an exception's report raised another exception)\n");
    }
    nlr_set_abort(NULL);
    MP_STATE_VM(gpusnek_result) = MP_OBJ_NULL;
    return status;
}

static mp_parse_input_kind_t parse_kind(int kind) {
    return kind == GPUSNEK_SINGLE ? MP_PARSE_SINGLE_INPUT
        : kind == GPUSNEK_EVAL ? MP_PARSE_EVAL_INPUT : MP_PARSE_FILE_INPUT;
}

// Set __file__ and sys.argv[0] for a module's source. May raise MemoryError.
static void store_file(qstr name, int kind) {
    #if MICROPY_PY___FILE__ || MICROPY_MODULE___FILE__ // one option under two names of upstream
    if (kind == GPUSNEK_FILE) {
        mp_store_global(MP_QSTR___file__, MP_OBJ_NEW_QSTR(name));
    }
    #endif
    #if MICROPY_PY_SYS_ARGV
    const mp_obj_list_t *const arguments = MP_OBJ_TO_PTR(mp_sys_argv);
    if (kind == GPUSNEK_FILE && arguments->len == 1 && arguments->items[0] == MP_OBJ_NEW_QSTR(MP_QSTR_)) {
        arguments->items[0] = MP_OBJ_NEW_QSTR(name);
    }
    #endif
}

// Compile a source text to a function. Raises SyntaxError and MemoryError.
static mp_obj_t compile_source(const char *source, size_t length, int kind, const char *name) {
    mp_lexer_t *lexer = mp_lexer_new_from_str_len(qstr_from_str(name), source, length, 0);
    qstr source_name = lexer->source_name;
    store_file(source_name, kind);
    mp_parse_tree_t tree = mp_parse(lexer, parse_kind(kind));
    return mp_compile(&tree, source_name, kind == GPUSNEK_SINGLE);
}

// Return `source` as a function; `source` is text, or shared code of another interpreter. May
// raise.
static mp_obj_t function_of(const char *source, size_t length, int kind, const char *name) {
    if (kind & GPUSNEK_CODE) {
        mp_obj_t function = gpusnek_load_code(source, length);
        const mp_obj_fun_bc_t *code = MP_OBJ_TO_PTR(function);
        store_file(code->context->constants.qstr_table[0], kind & ~GPUSNEK_CODE);
        return function;
    }
    return compile_source(source, length, kind, name);
}

// Compile a source text to shared code, a bytes object. May raise.
static mp_obj_t share_source(const char *source, size_t length, int kind, const char *name) {
    mp_lexer_t *lexer = mp_lexer_new_from_str_len(qstr_from_str(name), source, length, 0);
    return gpusnek_share_code(lexer, parse_kind(kind), kind == GPUSNEK_SINGLE);
}

// Call a compiled function, and keep the result of GPUSNEK_EVAL. May raise.
static void run_code(mp_obj_t function, int kind) {
    mp_obj_t result = mp_call_function_0(function);
    if ((kind & ~GPUSNEK_CODE) == GPUSNEK_EVAL) {
        MP_STATE_VM(gpusnek_result) = result;
    }
    mp_handle_pending(true);
}

// Compile `source`, or take the kept function if `source` is NULL; then run the function, or keep
// it if `keep`. Return a status. See invariants I1 and I2.
static int execute(const char *source, size_t length, int kind, const char *name, bool keep) {
    if (!started) {
        return GPUSNEK_NOT_STARTED;
    }
    exit_code = 0;
    gpusnek_lack_of_program();
    gpusnek_devices_idle(); // a hard stop leaves devices busy
    gpusnek_limits_begin(true);
    MP_STATE_VM(gpusnek_result) = MP_OBJ_NULL;
    #if MICROPY_PY_SYS_EXC_INFO
    MP_STATE_VM(cur_exception) = NULL; // a stopped handler leaves its exception
    #endif
    // A hard stop leaves the globals of the function that it stopped.
    mp_globals_set(&MP_STATE_VM(dict_main));
    mp_locals_set(&MP_STATE_VM(dict_main));
    volatile bool compiled = false; // volatile: read after longjmp
    int status = GPUSNEK_OK;
    nlr_buf_t nlr;
    nlr_set_abort(&nlr);
    if (nlr_push(&nlr) == 0) {
        if (kind == GPUSNEK_CONTINUE || kind == GPUSNEK_COMPLETE) {
            status = gpusnek_ask(source, length, kind);
        } else if (kind & GPUSNEK_COMPILE) {
            MP_STATE_VM(gpusnek_result) =
                share_source(source, length, kind & ~GPUSNEK_COMPILE, name);
        } else {
            mp_obj_t function = source != NULL
                ? function_of(source, length, kind, name) : MP_STATE_VM(gpusnek_program);
            MP_STATE_VM(gpusnek_program) = keep ? function : MP_OBJ_NULL;
            compiled = true;
            if (!keep) {
                gpusnek_limits_begin(false); // so copies of a template count the same steps
                run_code(function, kind);
            }
        }
        nlr_pop();
        nlr_set_abort(NULL);
    } else {
        nlr_set_abort(NULL);
        mp_handle_pending(false); // drop a late interrupt; it must not reach the next source
        status = gpusnek_report(nlr.ret_val, compiled);
        if (!compiled && gpusnek_limit() == GPUSNEK_OK) {
            gpusnek_limits_begin(false); // steps of compilation do not count
        }
    }
    // A finaliser that reached a limit ended alone, and the program may have ended before the next
    // poll.
    return gpusnek_limit() != GPUSNEK_OK ? gpusnek_limit() : status;
}

int gpusnek_exec(const char *source, size_t length, int kind, const char *name) {
    return execute(source, length, kind, name, false);
}

int gpusnek_prepare(const char *source, size_t length, int kind, const char *name) {
    return execute(source, length, kind, name, true);
}

int gpusnek_go(int kind) {
    if (!started || MP_STATE_VM(gpusnek_program) == MP_OBJ_NULL) {
        return GPUSNEK_NOT_STARTED;
    }
    return execute(NULL, 0, kind, NULL, false);
}

int gpusnek_become(const gpusnek_boot_t *boot) {
    if (!started) {
        return GPUSNEK_NOT_STARTED;
    }
    gpusnek_boot = *boot;
    gpusnek_random_start();
    gpusnek_gc_start();
    int status = GPUSNEK_OK;
    nlr_buf_t nlr;
    if (nlr_push(&nlr) == 0) {
        set_up_modules(); // the names exist already, so nothing is allocated
        nlr_pop();
    } else {
        status = GPUSNEK_NO_MEMORY;
    }
    return status;
}

// Call the function that the program registered with sys.atexit(). May raise.
static void run_exit_functions(void) {
    #if MICROPY_PY_SYS_ATEXIT
    // Removed before the call, so that a function that registers itself again is called only once.
    mp_obj_t function = MP_STATE_VM(sys_exitfunc);
    MP_STATE_VM(sys_exitfunc) = mp_const_none;
    if (function != mp_const_none && mp_obj_is_callable(function)) {
        mp_call_function_0(function);
    }
    #endif
}

// Run the exit functions. Return a status.
static int stop_program(void) {
    int status = GPUSNEK_OK;
    nlr_buf_t nlr;
    nlr_set_abort(&nlr);
    if (nlr_push(&nlr) == 0) {
        run_exit_functions();
        nlr_pop();
        nlr_set_abort(NULL);
    } else {
        nlr_set_abort(NULL);
        status = gpusnek_report(nlr.ret_val, true);
    }
    return status;
}

// Run all finalisers and shut the VM down.
static void stop_vm(void) {
    nlr_buf_t nlr;
    nlr_set_abort(&nlr);
    if (nlr_push(&nlr) == 0) {
        gpusnek_collection_calls(true);
        gc_sweep_all(); // runs every remaining finaliser
        mp_deinit();
        nlr_pop();
    }
    nlr_set_abort(NULL);
    gpusnek_devices_release(); // the sweep does not overwrite freed objects
}

int gpusnek_stop(void) {
    if (!started) {
        return GPUSNEK_NOT_STARTED;
    }
    int status = stop_program();
    stop_vm();
    started = false;
    return gpusnek_limit() != GPUSNEK_OK ? gpusnek_limit() : status;
}

void gpusnek_detach(void) {
    gpusnek_output_flush();
    gpusnek_native_detach();
}

int gpusnek_exit_code(void) {
    return exit_code;
}

// Called by the C stack checks that the rewriter inserts into recursions that upstream does not
// bound.
void porter_stack_overflow(void) {
    mp_raise_recursion_depth();
}

// Called by the checks that the rewriter inserts where a program could choose an address (sandbox).
void porter_refuse(void) {
    mp_obj_t args[] = {
        MP_OBJ_NEW_SMALL_INT(MP_EPERM),
        mp_obj_new_str("not in a sandbox", sizeof("not in a sandbox") - 1),
    };
    nlr_raise(mp_obj_new_exception_args(&mp_type_OSError, 2, args));
}

void nlr_jump_fail(void *value) {
    (void)value;
    // By invariant I1 only a bug in the port or the rewriter reaches this line.
    porter_fatal("exception without a handler");
}
