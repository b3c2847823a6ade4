// Module gpu: what Python programs see of the machine beneath them.
#include <string.h>

#include "extmod/vfs.h"
#include "port.h"
#include "py/binary.h"
#include "py/mperrno.h"
#include "py/objarray.h"
#include "py/runtime.h"

// A block device over a piece of this interpreter's file system region.
typedef struct _block_device_obj_t {
    mp_obj_base_t base;
    uint8_t *memory;
    size_t block_size; // bytes
    size_t block_count;
} block_device_obj_t;

#define DEFAULT_BLOCK_SIZE (512)
#define LEAST_BLOCK_SIZE (128)

// RAMBlockDevice(block_size=boot's, start=0, size=rest): start and size are bytes in the region.
static mp_obj_t block_device_make_new(const mp_obj_type_t *type, size_t n_args, size_t n_kw,
    const mp_obj_t *all_args) {
    enum { ARG_block_size, ARG_start, ARG_size };
    static const mp_arg_t allowed_args[] = {
        { MP_QSTR_block_size, MP_ARG_INT, {.u_int = 0} },
        { MP_QSTR_start, MP_ARG_INT, {.u_int = 0} },
        { MP_QSTR_size, MP_ARG_INT, {.u_int = -1} },
    };
    mp_arg_val_t args[MP_ARRAY_SIZE(allowed_args)];
    mp_arg_parse_all_kw_array(n_args, n_kw, all_args, MP_ARRAY_SIZE(allowed_args), allowed_args,
        args);

    mp_int_t block_size = args[ARG_block_size].u_int;
    if (block_size == 0) {
        block_size = gpusnek_boot.fs_block_size;
    }
    if (block_size == 0) {
        block_size = DEFAULT_BLOCK_SIZE;
    }
    mp_int_t region = (mp_int_t)gpusnek_boot.fs_size;
    mp_int_t start = args[ARG_start].u_int;
    if (block_size < LEAST_BLOCK_SIZE || start < 0 || start > region) {
        mp_raise_ValueError(NULL);
    }
    mp_int_t size = args[ARG_size].u_int;
    if (size < 0 || size > region - start) {
        size = region - start;
    }
    if (size < 2 * block_size) {
        // littlefs needs two blocks for its superblock alone.
        mp_raise_OSError(MP_ENODEV);
    }

    block_device_obj_t *self = mp_obj_malloc(block_device_obj_t, type);
    self->memory = (uint8_t *)gpusnek_boot.fs + start;
    self->block_size = block_size;
    self->block_count = size / block_size;
    return MP_OBJ_FROM_PTR(self);
}

// The memory of block `block_in` plus `offset_in` bytes, checked against the device's end.
static uint8_t *block_address(block_device_obj_t *self, mp_obj_t block_in, mp_obj_t offset_in,
    size_t size) {
    mp_int_t block = mp_obj_get_int(block_in);
    mp_int_t offset = offset_in == MP_OBJ_NULL ? 0 : mp_obj_get_int(offset_in);
    size_t end = self->block_count * self->block_size;
    if (block < 0 || (size_t)block >= self->block_count || offset < 0 || (size_t)offset > end) {
        return NULL;
    }
    size_t at = (size_t)block * self->block_size + (size_t)offset;
    if (at > end || size > end - at) {
        return NULL;
    }
    return self->memory + at;
}

static mp_obj_t block_device_readblocks(size_t n_args, const mp_obj_t *args) {
    block_device_obj_t *self = MP_OBJ_TO_PTR(args[0]);
    mp_buffer_info_t to;
    mp_get_buffer_raise(args[2], &to, MP_BUFFER_WRITE);
    uint8_t *from = block_address(self, args[1], n_args == 4 ? args[3] : MP_OBJ_NULL, to.len);
    if (from == NULL) {
        return MP_OBJ_NEW_SMALL_INT(-MP_EINVAL);
    }
    memcpy(to.buf, from, to.len);
    return MP_OBJ_NEW_SMALL_INT(0);
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(block_device_readblocks_obj, 3, 4,
    block_device_readblocks);

static mp_obj_t block_device_writeblocks(size_t n_args, const mp_obj_t *args) {
    block_device_obj_t *self = MP_OBJ_TO_PTR(args[0]);
    mp_buffer_info_t from;
    mp_get_buffer_raise(args[2], &from, MP_BUFFER_READ);
    uint8_t *to = block_address(self, args[1], n_args == 4 ? args[3] : MP_OBJ_NULL, from.len);
    if (to == NULL) {
        return MP_OBJ_NEW_SMALL_INT(-MP_EINVAL);
    }
    memcpy(to, from.buf, from.len);
    return MP_OBJ_NEW_SMALL_INT(0);
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(block_device_writeblocks_obj, 3, 4,
    block_device_writeblocks);

static mp_obj_t block_device_ioctl(mp_obj_t self_in, mp_obj_t request_in, mp_obj_t arg_in) {
    block_device_obj_t *self = MP_OBJ_TO_PTR(self_in);
    (void)arg_in;
    switch (mp_obj_get_int(request_in)) {
        case MP_BLOCKDEV_IOCTL_BLOCK_COUNT:
            return mp_obj_new_int_from_uint(self->block_count);
        case MP_BLOCKDEV_IOCTL_BLOCK_SIZE:
            return mp_obj_new_int_from_uint(self->block_size);
        case MP_BLOCKDEV_IOCTL_INIT:
        case MP_BLOCKDEV_IOCTL_DEINIT:
        case MP_BLOCKDEV_IOCTL_SYNC:
        case MP_BLOCKDEV_IOCTL_BLOCK_ERASE: // memory needs no erasing
            return MP_OBJ_NEW_SMALL_INT(0);
        default:
            return mp_const_none;
    }
}
static MP_DEFINE_CONST_FUN_OBJ_3(block_device_ioctl_obj, block_device_ioctl);

static const mp_rom_map_elem_t block_device_locals_table[] = {
    { MP_ROM_QSTR(MP_QSTR_readblocks), MP_ROM_PTR(&block_device_readblocks_obj) },
    { MP_ROM_QSTR(MP_QSTR_writeblocks), MP_ROM_PTR(&block_device_writeblocks_obj) },
    { MP_ROM_QSTR(MP_QSTR_ioctl), MP_ROM_PTR(&block_device_ioctl_obj) },
};
static MP_DEFINE_CONST_DICT(block_device_locals, block_device_locals_table);

MP_DEFINE_CONST_OBJ_TYPE(
    gpusnek_block_device_type,
    MP_QSTR_RAMBlockDevice,
    MP_TYPE_FLAG_NONE,
    make_new, block_device_make_new,
    locals_dict, &block_device_locals
    );

static const mp_rom_map_elem_t gpu_globals_table[] = {
    { MP_ROM_QSTR(MP_QSTR___name__), MP_ROM_QSTR(MP_QSTR_gpu) },
    { MP_ROM_QSTR(MP_QSTR_RAMBlockDevice), MP_ROM_PTR(&gpusnek_block_device_type) },
    { MP_ROM_QSTR(MP_QSTR_atomic_add), MP_ROM_PTR(&gpusnek_atomic_add_obj) },
    { MP_ROM_QSTR(MP_QSTR_atomic_min), MP_ROM_PTR(&gpusnek_atomic_min_obj) },
    { MP_ROM_QSTR(MP_QSTR_atomic_max), MP_ROM_PTR(&gpusnek_atomic_max_obj) },
    { MP_ROM_QSTR(MP_QSTR_atomic_exchange), MP_ROM_PTR(&gpusnek_atomic_exchange_obj) },
    { MP_ROM_QSTR(MP_QSTR_atomic_cas), MP_ROM_PTR(&gpusnek_atomic_cas_obj) },
};
static MP_DEFINE_CONST_DICT(gpu_globals, gpu_globals_table);

const mp_obj_module_t mp_module_gpu = {
    .base = { &mp_type_module },
    .globals = (mp_obj_dict_t *)&gpu_globals,
};

MP_REGISTER_MODULE(MP_QSTR_gpu, mp_module_gpu);
