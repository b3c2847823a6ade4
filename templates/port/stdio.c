// The stream objects sys.stdin, sys.stdout and sys.stderr, and the printer for stderr. console.c
// transfers the bytes.
#include <string.h>

#include "methods.h"
#include "port.h"
#include "py/mperrno.h"
#include "py/mphal.h"
#include "py/objstr.h"
#include "py/runtime.h"
#include "py/stream.h"

// File numbers as print shows them: <io.TextIOWrapper 1>.
#define FD_IN (0)
#define FD_OUT (1)
#define FD_ERR (2)

typedef struct _stdio_obj_t {
    mp_obj_base_t base;
    int fd;
} stdio_obj_t;

static void stdio_print(const mp_print_t *print, mp_obj_t self_in, mp_print_kind_t kind) {
    (void)kind;
    stdio_obj_t *self = MP_OBJ_TO_PTR(self_in);
    mp_printf(print, "<io.%s %d>", mp_obj_get_type_str(self_in), self->fd);
}

// Reads up to `size` bytes of stdin; waits for the host until the buffer is full or stdin ends.
static mp_uint_t stdio_read(mp_obj_t self_in, void *buffer, mp_uint_t size, int *errcode) {
    stdio_obj_t *self = MP_OBJ_TO_PTR(self_in);
    if (self->fd != FD_IN) {
        *errcode = MP_EPERM;
        return MP_STREAM_ERROR;
    }
    byte *bytes = buffer;
    mp_uint_t count = 0;
    while (count < size) {
        int c = gpusnek_input_byte();
        if (c < 0) {
            break;
        }
        bytes[count++] = (byte)c;
    }
    return count;
}

static mp_uint_t stdio_write(mp_obj_t self_in, const void *buffer, mp_uint_t size, int *errcode) {
    stdio_obj_t *self = MP_OBJ_TO_PTR(self_in);
    if (self->fd == FD_IN) {
        *errcode = MP_EPERM;
        return MP_STREAM_ERROR;
    }
    gpusnek_output_write(self->fd == FD_OUT ? &gpusnek_io.out : &gpusnek_io.err, buffer, size);
    return size;
}

static mp_uint_t stdio_ioctl(mp_obj_t self_in, mp_uint_t request, uintptr_t arg, int *errcode) {
    (void)self_in;
    if (request == MP_STREAM_POLL) {
        return mp_hal_stdio_poll(arg);
    }
    if (request == MP_STREAM_CLOSE || request == MP_STREAM_FLUSH) {
        gpusnek_output_flush();
        return 0;
    }
    *errcode = MP_EINVAL;
    return MP_STREAM_ERROR;
}

static const mp_stream_p_t stdio_bytes_stream_p = {
    .read = stdio_read,
    .write = stdio_write,
    .ioctl = stdio_ioctl,
};

static mp_obj_t stdio_no(mp_obj_t self) {
    (void)self;
    return mp_const_false;
}
static MP_DEFINE_CONST_FUN_OBJ_1(stdio_no_obj, stdio_no);

static mp_obj_t stdio_fileno(mp_obj_t self_in) {
    return MP_OBJ_NEW_SMALL_INT(((const stdio_obj_t *)MP_OBJ_TO_PTR(self_in))->fd);
}
static MP_DEFINE_CONST_FUN_OBJ_1(stdio_fileno_obj, stdio_fileno);

static mp_obj_t stdio_readable(mp_obj_t self_in) {
    return mp_obj_new_bool(((const stdio_obj_t *)MP_OBJ_TO_PTR(self_in))->fd == FD_IN);
}
static MP_DEFINE_CONST_FUN_OBJ_1(stdio_readable_obj, stdio_readable);

static mp_obj_t stdio_writable(mp_obj_t self_in) {
    return mp_obj_new_bool(((const stdio_obj_t *)MP_OBJ_TO_PTR(self_in))->fd != FD_IN);
}
static MP_DEFINE_CONST_FUN_OBJ_1(stdio_writable_obj, stdio_writable);

// Returns the number of bytes of stdin, for os.fstat().
static mp_obj_t stdio_size(mp_obj_t self_in) {
    const gpusnek_input_t *const in = &gpusnek_io.in;
    const bool reads = ((const stdio_obj_t *)MP_OBJ_TO_PTR(self_in))->fd == FD_IN;
    return mp_obj_new_int_from_uint(!reads ? 0 : in->live == NULL ? in->size : in->live[0]);
}
static MP_DEFINE_CONST_FUN_OBJ_1(stdio_size_obj, stdio_size);

// Encoding and buffers are fixed, so there is nothing to change.
static mp_obj_t stdio_reconfigure(size_t n_args, const mp_obj_t *args, mp_map_t *keywords) {
    (void)n_args;
    (void)args;
    (void)keywords;
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_KW(stdio_reconfigure_obj, 1, stdio_reconfigure);

#define STDIO_METHODS \
    { MP_ROM_QSTR(MP_QSTR_isatty), MP_ROM_PTR(&stdio_no_obj) }, \
    { MP_ROM_QSTR(MP_QSTR_seekable), MP_ROM_PTR(&stdio_no_obj) }, \
    { MP_ROM_QSTR(MP_QSTR_fileno), MP_ROM_PTR(&stdio_fileno_obj) }, \
    { MP_ROM_QSTR(MP_QSTR_readable), MP_ROM_PTR(&stdio_readable_obj) }, \
    { MP_ROM_QSTR(MP_QSTR_writable), MP_ROM_PTR(&stdio_writable_obj) }, \
    { MP_ROM_QSTR(MP_QSTR_writelines), MP_ROM_PTR(&gpusnek_stream_writelines_obj) }, \
    { MP_ROM_QSTR(MP_QSTR_closed), MP_ROM_FALSE }

static const mp_rom_map_elem_t stdio_bytes_locals_table[] = {
    { MP_ROM_QSTR(MP_QSTR__size), MP_ROM_PTR(&stdio_size_obj) },
    { MP_ROM_QSTR(MP_QSTR_read), MP_ROM_PTR(&mp_stream_read_obj) },
    { MP_ROM_QSTR(MP_QSTR_readinto), MP_ROM_PTR(&mp_stream_readinto_obj) },
    { MP_ROM_QSTR(MP_QSTR_readline), MP_ROM_PTR(&mp_stream_unbuffered_readline_obj) },
    { MP_ROM_QSTR(MP_QSTR_readlines), MP_ROM_PTR(&mp_stream_unbuffered_readlines_obj) },
    { MP_ROM_QSTR(MP_QSTR_write), MP_ROM_PTR(&mp_stream_write_obj) },
    { MP_ROM_QSTR(MP_QSTR_flush), MP_ROM_PTR(&mp_stream_flush_obj) },
    { MP_ROM_QSTR(MP_QSTR_close), MP_ROM_PTR(&mp_identity_obj) },
    { MP_ROM_QSTR(MP_QSTR___enter__), MP_ROM_PTR(&mp_identity_obj) },
    { MP_ROM_QSTR(MP_QSTR___exit__), MP_ROM_PTR(&mp_stream___exit___obj) },
    STDIO_METHODS,
};
static MP_DEFINE_CONST_DICT(stdio_bytes_locals, stdio_bytes_locals_table);

static MP_DEFINE_CONST_OBJ_TYPE(
    stdio_bytes_type,
    MP_QSTR_FileIO,
    MP_TYPE_FLAG_ITER_IS_STREAM,
    print, stdio_print,
    protocol, &stdio_bytes_stream_p,
    locals_dict, &stdio_bytes_locals
    );

static const stdio_obj_t stdin_bytes_obj = {{&stdio_bytes_type}, FD_IN};
static const stdio_obj_t stdout_bytes_obj = {{&stdio_bytes_type}, FD_OUT};
static const stdio_obj_t stderr_bytes_obj = {{&stdio_bytes_type}, FD_ERR};

static const MP_DEFINE_STR_OBJ(encoding_obj, "utf-8");
static const MP_DEFINE_STR_OBJ(stdin_name, "<stdin>");
static const MP_DEFINE_STR_OBJ(stdout_name, "<stdout>");
static const MP_DEFINE_STR_OBJ(stderr_name, "<stderr>");

// Loads the attributes of one stream. `buffer` is the same stream in binary mode.
static void stdio_attr(mp_obj_t self_in, qstr attr, mp_obj_t *dest) {
    stdio_obj_t *self = MP_OBJ_TO_PTR(self_in);
    if (dest[0] == MP_OBJ_NULL && attr == MP_QSTR_buffer) {
        const stdio_obj_t *bytes = self->fd == FD_IN ? &stdin_bytes_obj
            : self->fd == FD_OUT ? &stdout_bytes_obj : &stderr_bytes_obj;
        dest[0] = MP_OBJ_FROM_PTR(bytes);
    } else if (dest[0] == MP_OBJ_NULL && attr == MP_QSTR_name) {
        dest[0] = self->fd == FD_IN ? MP_OBJ_FROM_PTR(&stdin_name)
            : self->fd == FD_OUT ? MP_OBJ_FROM_PTR(&stdout_name) : MP_OBJ_FROM_PTR(&stderr_name);
    } else if (dest[0] == MP_OBJ_NULL && attr == MP_QSTR_mode) {
        dest[0] = self->fd == FD_IN ? MP_OBJ_NEW_QSTR(MP_QSTR_r) : MP_OBJ_NEW_QSTR(MP_QSTR_w);
    } else {
        dest[1] = MP_OBJ_SENTINEL; // continue with the type's locals_dict
    }
}

static const mp_stream_p_t stdio_text_stream_p = {
    .read = stdio_read,
    .write = stdio_write,
    .ioctl = stdio_ioctl,
    .is_text = true,
};

static const mp_rom_map_elem_t stdio_text_locals_table[] = {
    { MP_ROM_QSTR(MP_QSTR_read), MP_ROM_PTR(&mp_stream_read_obj) },
    { MP_ROM_QSTR(MP_QSTR_readinto), MP_ROM_PTR(&mp_stream_readinto_obj) },
    { MP_ROM_QSTR(MP_QSTR_readline), MP_ROM_PTR(&mp_stream_unbuffered_readline_obj) },
    { MP_ROM_QSTR(MP_QSTR_readlines), MP_ROM_PTR(&mp_stream_unbuffered_readlines_obj) },
    { MP_ROM_QSTR(MP_QSTR_write), MP_ROM_PTR(&mp_stream_write_obj) },
    { MP_ROM_QSTR(MP_QSTR_flush), MP_ROM_PTR(&mp_stream_flush_obj) },
    { MP_ROM_QSTR(MP_QSTR_close), MP_ROM_PTR(&mp_identity_obj) },
    { MP_ROM_QSTR(MP_QSTR___enter__), MP_ROM_PTR(&mp_identity_obj) },
    { MP_ROM_QSTR(MP_QSTR___exit__), MP_ROM_PTR(&mp_stream___exit___obj) },
    STDIO_METHODS,
    { MP_ROM_QSTR(MP_QSTR_reconfigure), MP_ROM_PTR(&stdio_reconfigure_obj) },
    { MP_ROM_QSTR(MP_QSTR_encoding), MP_ROM_PTR(&encoding_obj) },
    { MP_ROM_QSTR(MP_QSTR_errors), MP_ROM_QSTR(MP_QSTR_strict) },
    { MP_ROM_QSTR(MP_QSTR_line_buffering), MP_ROM_FALSE },
    { MP_ROM_QSTR(MP_QSTR_newlines), MP_ROM_NONE },
};
static MP_DEFINE_CONST_DICT(stdio_text_locals, stdio_text_locals_table);

static MP_DEFINE_CONST_OBJ_TYPE(
    stdio_text_type,
    MP_QSTR_TextIOWrapper,
    MP_TYPE_FLAG_ITER_IS_STREAM,
    print, stdio_print,
    attr, stdio_attr,
    protocol, &stdio_text_stream_p,
    locals_dict, &stdio_text_locals
    );

// py/modsys.c refers to these three objects.
const stdio_obj_t mp_sys_stdin_obj = {{&stdio_text_type}, FD_IN};
const stdio_obj_t mp_sys_stdout_obj = {{&stdio_text_type}, FD_OUT};
const stdio_obj_t mp_sys_stderr_obj = {{&stdio_text_type}, FD_ERR};

static void stderr_print_strn(void *context, const char *text, size_t size) {
    (void)context;
    gpusnek_output_write(&gpusnek_io.err, text, size);
}

const mp_print_t mp_stderr_print = {NULL, stderr_print_strn};
