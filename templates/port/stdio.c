// The stream objects sys.stdin, sys.stdout and sys.stderr, and the printer for stderr. console.c
// transfers the bytes.
#include <string.h>

#include "port.h"
#include "py/mperrno.h"
#include "py/mphal.h"
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

static const mp_rom_map_elem_t stdio_bytes_locals_table[] = {
    { MP_ROM_QSTR(MP_QSTR_read), MP_ROM_PTR(&mp_stream_read_obj) },
    { MP_ROM_QSTR(MP_QSTR_readinto), MP_ROM_PTR(&mp_stream_readinto_obj) },
    { MP_ROM_QSTR(MP_QSTR_readline), MP_ROM_PTR(&mp_stream_unbuffered_readline_obj) },
    { MP_ROM_QSTR(MP_QSTR_readlines), MP_ROM_PTR(&mp_stream_unbuffered_readlines_obj) },
    { MP_ROM_QSTR(MP_QSTR_write), MP_ROM_PTR(&mp_stream_write_obj) },
    { MP_ROM_QSTR(MP_QSTR_flush), MP_ROM_PTR(&mp_stream_flush_obj) },
    { MP_ROM_QSTR(MP_QSTR_close), MP_ROM_PTR(&mp_identity_obj) },
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

// Loads the attribute `buffer`, the same stream in binary mode.
static void stdio_attr(mp_obj_t self_in, qstr attr, mp_obj_t *dest) {
    stdio_obj_t *self = MP_OBJ_TO_PTR(self_in);
    if (dest[0] == MP_OBJ_NULL && attr == MP_QSTR_buffer) {
        const stdio_obj_t *bytes = self->fd == FD_IN ? &stdin_bytes_obj
            : self->fd == FD_OUT ? &stdout_bytes_obj : &stderr_bytes_obj;
        dest[0] = MP_OBJ_FROM_PTR(bytes);
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
