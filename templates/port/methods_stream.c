// Methods of streams that upstream lacks: methods of io.StringIO and io.BytesIO, and methods that these
// types share with sys.stdout.
#include "methods.h"
#include "py/objstringio.h"
#include "py/runtime.h"
#include "py/stream.h"

// Write each line by the method `write` of the stream.
static mp_obj_t stream_writelines(mp_obj_t self, mp_obj_t lines) {
    mp_obj_iter_buf_t buffer;
    const mp_obj_t iterator = mp_getiter(lines, &buffer);
    mp_obj_t line;
    while ((line = mp_iternext(iterator)) != MP_OBJ_STOP_ITERATION) {
        mp_obj_t call[3];
        mp_load_method(self, MP_QSTR_write, call);
        call[2] = line;
        mp_call_method_n_kw(1, 0, call);
    }
    return mp_const_none;
}
MP_DEFINE_CONST_FUN_OBJ_2(gpusnek_stream_writelines_obj, stream_writelines);

#if MICROPY_PY_IO
static mp_obj_stringio_t *self_of(mp_obj_t self_in) {
    if (!mp_obj_is_exact_type(self_in, &mp_type_stringio)
        #if MICROPY_PY_IO_BYTESIO
        && !mp_obj_is_exact_type(self_in, &mp_type_bytesio)
        #endif
        ) {
        mp_raise_TypeError(MP_ERROR_TEXT("argument should be a stream of module io"));
    }
    return MP_OBJ_TO_PTR(self_in);
}

static mp_obj_stringio_t *open_self_of(mp_obj_t self_in) {
    mp_obj_stringio_t *const self = self_of(self_in);
    if (self->vstr == NULL) {
        mp_raise_ValueError(MP_ERROR_TEXT("I/O operation on closed file"));
    }
    return self;
}

static mp_obj_t memory_readlines(size_t n_args, const mp_obj_t *args) {
    const mp_int_t most = n_args > 1 && args[1] != mp_const_none ? mp_obj_get_int(args[1]) : 0;
    const mp_obj_stringio_t *const self = open_self_of(args[0]);
    const mp_obj_t lines = mp_obj_new_list(0, NULL);
    const mp_uint_t start = self->pos;
    mp_obj_t line;
    while ((most <= 0 || self->pos - start < (mp_uint_t)most)
           && (line = mp_stream_unbuffered_iter(args[0])) != MP_OBJ_STOP_ITERATION) {
        mp_obj_list_append(lines, line);
    }
    return lines;
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(memory_readlines_obj, 1, 2, memory_readlines);

static mp_obj_t memory_truncate(size_t n_args, const mp_obj_t *args) {
    const mp_obj_t given = n_args > 1 ? args[1] : mp_const_none;
    mp_int_t size = given != mp_const_none ? mp_obj_get_int(given) : 0;
    mp_obj_stringio_t *const self = open_self_of(args[0]);
    if (given == mp_const_none) {
        size = (mp_int_t)self->pos;
    }
    if (size < 0) {
        mp_raise_msg_varg(&mp_type_ValueError, MP_ERROR_TEXT("negative size value %d"), (int)size);
    }
    size_t length = MIN((size_t)size, self->vstr->len);
    // The end of a text is the end of a character.
    while (self->base.type == &mp_type_stringio && length > 0 && length < self->vstr->len
           && UTF8_IS_CONT((byte)self->vstr->buf[length])) {
        length--;
    }
    self->vstr->len = length;
    return MP_OBJ_NEW_SMALL_INT(size);
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(memory_truncate_obj, 1, 2, memory_truncate);

static mp_obj_t memory_closed(mp_obj_t self) {
    return mp_obj_new_bool(self_of(self)->vstr == NULL);
}
GPUSNEK_GETTER(memory_closed_obj, memory_closed);

static mp_obj_t memory_yes(mp_obj_t self) {
    open_self_of(self);
    return mp_const_true;
}
static MP_DEFINE_CONST_FUN_OBJ_1(memory_yes_obj, memory_yes);

static mp_obj_t memory_no(mp_obj_t self) {
    open_self_of(self);
    return mp_const_false;
}
static MP_DEFINE_CONST_FUN_OBJ_1(memory_no_obj, memory_no);

static const mp_rom_map_elem_t memory_table[] = {
    { MP_ROM_QSTR(MP_QSTR_readlines), MP_ROM_PTR(&memory_readlines_obj) },
    { MP_ROM_QSTR(MP_QSTR_writelines), MP_ROM_PTR(&gpusnek_stream_writelines_obj) },
    { MP_ROM_QSTR(MP_QSTR_truncate), MP_ROM_PTR(&memory_truncate_obj) },
    { MP_ROM_QSTR(MP_QSTR_closed), MP_ROM_PTR(&memory_closed_obj) },
    { MP_ROM_QSTR(MP_QSTR_readable), MP_ROM_PTR(&memory_yes_obj) },
    { MP_ROM_QSTR(MP_QSTR_writable), MP_ROM_PTR(&memory_yes_obj) },
    { MP_ROM_QSTR(MP_QSTR_seekable), MP_ROM_PTR(&memory_yes_obj) },
    { MP_ROM_QSTR(MP_QSTR_isatty), MP_ROM_PTR(&memory_no_obj) },
};
MP_DEFINE_CONST_DICT(gpusnek_memory_stream_methods, memory_table);
#endif
