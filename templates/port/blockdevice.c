// VRAMBlockDevice: MicroPython's extended block protocol over memory.
//
// A device covers the launch's file system region or a buffer object. littlefs2 calls readblocks(),
// writeblocks() and ioctl(). imageguard.h detects concurrent writers of one image, and lfsguard.c
// brackets each littlefs2 operation.
//
// Layout of a writable buffer: blocks, unused bytes, then a tail_t in the last aligned 16 bytes.
#include "blockdevice.h"

#include <string.h>

#include "extmod/vfs.h"
#include "hooks.h"
#include "port.h"
#include "py/mperrno.h"
#include "py/runtime.h"

#define DEFAULT_BLOCK_SIZE (512)
#define LEAST_BLOCK_SIZE (128) // bytes; littlefs2's cache size, which must divide it

// The end of a buffer: the guard word, and a mark that says whether the guard is initialized.
typedef struct _tail_t {
    volatile uint64_t mark;
    volatile uint64_t guard;
} tail_t;

#define TAIL_READY (0x6b656e735f6b6c62u)
#define TAIL_BUSY (0x6b656e735f6b6c63u)

// Guard word of the region at "/" if no other interpreter shares that region.
static volatile uint64_t own_guard;

MP_REGISTER_ROOT_POINTER(struct _gpusnek_device_t *gpusnek_devices);

// Return whether `memory` holds a littlefs2 image that uses bytes from `room` to `size`, so that a
// guard stored there would overwrite blocks.
static bool image_fills(const uint8_t *memory, size_t size, size_t room) {
    uint32_t geometry[2]; // littlefs SPEC.md: block size and block count, at byte 24
    if (size < 24 + sizeof(geometry) || memcmp(memory + 8, "littlefs", 8) != 0) {
        return false;
    }
    memcpy(geometry, memory + 24, sizeof(geometry));
    uint64_t used = (uint64_t)geometry[0] * geometry[1];
    return used > room && used <= size;
}

static bool in_own_heap(const uint8_t *memory) {
    const uint8_t *heap = gpusnek_boot.heap;
    return memory >= heap && memory < heap + gpusnek_boot.heap_size;
}

// Return the guard word of a buffer's tail. The first device over the memory sets the guard to 0,
// since the memory may contain arbitrary bytes. In shared memory TAIL_BUSY is the lock of this
// step.
static volatile uint64_t *ready_guard(tail_t *tail, bool shared) {
    if (!shared) {
        if (tail->mark != TAIL_READY) {
            tail->guard = 0;
            tail->mark = TAIL_READY;
        }
        return &tail->guard;
    }
    uint64_t mark;
    while ((mark = porter_load64(&tail->mark)) != TAIL_READY) {
        if (mark == TAIL_BUSY) {
            porter_pause();
        } else if (porter_cas64(&tail->mark, mark, TAIL_BUSY) == mark) {
            tail->guard = 0;
            porter_cas64(&tail->mark, TAIL_BUSY, TAIL_READY);
        }
    }
    return &tail->guard;
}

// Cover a buffer object; a buffer that cannot be written makes the device read-only. Return the
// number of bytes available for blocks, which excludes the tail. Raises TypeError for other
// objects.
static size_t use_buffer(gpusnek_device_t *self, mp_obj_t buffer, bool read_only) {
    mp_buffer_info_t info;
    if (!mp_get_buffer(buffer, &info, MP_BUFFER_RW)) {
        mp_get_buffer_raise(buffer, &info, MP_BUFFER_READ);
        read_only = true;
    }
    self->buffer = buffer;
    self->length = info.len;
    self->memory = info.buf;
    uintptr_t end = ((uintptr_t)info.buf + info.len) & ~(uintptr_t)7;
    uintptr_t tail = end - sizeof(tail_t);
    size_t room = info.len < 2 * sizeof(tail_t) ? 0 : tail - (uintptr_t)info.buf;
    if (read_only || image_fills(info.buf, info.len, room)) {
        self->read_only = true;
        return info.len;
    }
    if (room >= 2 * self->block_size) {
        self->guard.shared = !in_own_heap(info.buf);
        self->guard.word = ready_guard((tail_t *)tail, self->guard.shared);
    }
    return room;
}

// Cover `size` bytes of the launch's file system region from `start` on, the rest if `size` is
// negative. Return the number of bytes available for blocks. Raises ValueError for a wrong `start`.
static size_t use_region(gpusnek_device_t *self, mp_int_t start, mp_int_t size, bool read_only) {
    mp_int_t region = (mp_int_t)gpusnek_boot.fs_size;
    if (start < 0 || start > region) {
        mp_raise_ValueError(MP_ERROR_TEXT("start"));
    }
    self->memory = (uint8_t *)gpusnek_boot.fs + start;
    self->guard.shared = (gpusnek_boot.flags & GPUSNEK_FS_SHARED) != 0;
    if (self->guard.shared) {
        self->guard.word = gpusnek_boot.fs_guard;
        read_only |= self->guard.word == NULL;
    } else if (start == 0) {
        self->guard.word = &own_guard;
    }
    self->read_only = read_only;
    return size < 0 || size > region - start ? region - start : size;
}

// VRAMBlockDevice(block_size=boot's, buffer=None, readonly=False, start=0, size=rest). Without a
// buffer the device covers the file system region; `start` and `size` are bytes of that region.
// Raises ValueError, and OSError(ENODEV) for fewer than two blocks.
static mp_obj_t block_device_make_new(const mp_obj_type_t *type, size_t n_args, size_t n_kw,
    const mp_obj_t *all_args) {
    enum { ARG_block_size, ARG_buffer, ARG_readonly, ARG_start, ARG_size };
    static const mp_arg_t allowed_args[] = {
        { MP_QSTR_block_size, MP_ARG_INT, {.u_int = 0} },
        { MP_QSTR_buffer, MP_ARG_OBJ, {.u_rom_obj = MP_ROM_NONE} },
        { MP_QSTR_readonly, MP_ARG_BOOL | MP_ARG_KW_ONLY, {.u_bool = false} },
        { MP_QSTR_start, MP_ARG_INT | MP_ARG_KW_ONLY, {.u_int = 0} },
        { MP_QSTR_size, MP_ARG_INT | MP_ARG_KW_ONLY, {.u_int = -1} },
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
    if (block_size < LEAST_BLOCK_SIZE || block_size % LEAST_BLOCK_SIZE != 0) {
        mp_raise_ValueError(MP_ERROR_TEXT("block_size: a multiple of 128 is needed"));
    }

    gpusnek_device_t *self = m_new0(gpusnek_device_t, 1);
    self->base.type = type;
    self->block_size = block_size;
    bool read_only = args[ARG_readonly].u_bool;
    size_t room = args[ARG_buffer].u_obj == mp_const_none
        ? use_region(self, args[ARG_start].u_int, args[ARG_size].u_int, read_only)
        : use_buffer(self, args[ARG_buffer].u_obj, read_only);
    self->block_count = room / block_size;
    if (self->block_count < 2) {
        // littlefs2's superblock occupies two blocks.
        mp_raise_OSError(MP_ENODEV);
    }
    gpusnek_guard_open(&self->guard);
    return MP_OBJ_FROM_PTR(self);
}

bool gpusnek_device_alive(gpusnek_device_t *device) {
    mp_buffer_info_t info;
    if (device->buffer == MP_OBJ_NULL || (mp_get_buffer(device->buffer, &info, MP_BUFFER_READ)
        && info.buf == device->memory && info.len == device->length)) {
        return true;
    }
    device->guard.word = NULL;
    device->guard.holds = false;
    device->guard.stale = true;
    return false;
}

// Return the address of block args[1] plus args[3] bytes, or NULL if `size` bytes from there exceed
// the device.
static uint8_t *block_address(gpusnek_device_t *self, size_t n_args, const mp_obj_t *args,
    size_t size) {
    mp_int_t block = mp_obj_get_int(args[1]);
    mp_int_t offset = n_args == 4 ? mp_obj_get_int(args[3]) : 0;
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

// Copy blocks to a buffer. Return 0 or a negative error: ESTALE if another mount wrote meanwhile.
static mp_obj_t block_device_readblocks(size_t n_args, const mp_obj_t *args) {
    gpusnek_device_t *self = MP_OBJ_TO_PTR(args[0]);
    mp_buffer_info_t to;
    mp_get_buffer_raise(args[2], &to, MP_BUFFER_WRITE);
    if (!gpusnek_device_alive(self)) {
        return MP_OBJ_NEW_SMALL_INT(-MP_ENODEV);
    }
    uint8_t *from = block_address(self, n_args, args, to.len);
    if (from == NULL) {
        return MP_OBJ_NEW_SMALL_INT(-MP_EINVAL);
    }
    memcpy(to.buf, from, to.len);
    return MP_OBJ_NEW_SMALL_INT(gpusnek_guard_fresh(&self->guard) ? 0 : -GPUSNEK_ESTALE);
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(block_device_readblocks_obj, 3, 4,
    block_device_readblocks);

// Add a device that may hold an image to the interpreter's list, which gpusnek_devices_release()
// empties when the interpreter ends.
static void list_device(gpusnek_device_t *self) {
    if (!self->listed) {
        self->listed = true;
        self->next = MP_STATE_VM(gpusnek_devices);
        MP_STATE_VM(gpusnek_devices) = self;
    }
}

// Copy a buffer to blocks under the guard. Return 0 or a negative error (imageguard.h).
static mp_obj_t block_device_writeblocks(size_t n_args, const mp_obj_t *args) {
    gpusnek_device_t *self = MP_OBJ_TO_PTR(args[0]);
    mp_buffer_info_t from;
    mp_get_buffer_raise(args[2], &from, MP_BUFFER_READ);
    if (!gpusnek_device_alive(self)) {
        return MP_OBJ_NEW_SMALL_INT(-MP_ENODEV);
    }
    uint8_t *to = block_address(self, n_args, args, from.len);
    if (to == NULL) {
        return MP_OBJ_NEW_SMALL_INT(-MP_EINVAL);
    }
    if (self->read_only) {
        return MP_OBJ_NEW_SMALL_INT(-MP_EROFS);
    }
    int refused = gpusnek_guard_write(&self->guard);
    if (refused != 0) {
        return MP_OBJ_NEW_SMALL_INT(refused);
    }
    memcpy(to, from.buf, from.len);
    gpusnek_guard_written(&self->guard);
    if (self->guard.holds) {
        list_device(self);
    }
    return MP_OBJ_NEW_SMALL_INT(0);
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(block_device_writeblocks_obj, 3, 4,
    block_device_writeblocks);

void gpusnek_device_release(gpusnek_device_t *device) {
    if (gpusnek_device_alive(device)) {
        gpusnek_guard_release(&device->guard);
    }
    gpusnek_device_t **link = &MP_STATE_VM(gpusnek_devices);
    while (*link != NULL && *link != device) {
        link = &(*link)->next;
    }
    if (*link != NULL) {
        *link = device->next;
    }
    device->listed = false;
}

void gpusnek_devices_release(void) {
    while (MP_STATE_VM(gpusnek_devices) != NULL) {
        gpusnek_device_release(MP_STATE_VM(gpusnek_devices));
    }
}

static mp_obj_t block_device_ioctl(mp_obj_t self_in, mp_obj_t request_in, mp_obj_t arg_in) {
    gpusnek_device_t *self = MP_OBJ_TO_PTR(self_in);
    (void)arg_in;
    switch (mp_obj_get_int(request_in)) {
        case MP_BLOCKDEV_IOCTL_BLOCK_COUNT:
            return mp_obj_new_int_from_uint(self->block_count);
        case MP_BLOCKDEV_IOCTL_BLOCK_SIZE:
            return mp_obj_new_int_from_uint(self->block_size);
        case MP_BLOCKDEV_IOCTL_INIT:
        case MP_BLOCKDEV_IOCTL_DEINIT:
            gpusnek_device_release(self);
            gpusnek_guard_open(&self->guard);
            return MP_OBJ_NEW_SMALL_INT(0);
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
    MP_QSTR_VRAMBlockDevice,
    MP_TYPE_FLAG_NONE,
    make_new, block_device_make_new,
    locals_dict, &block_device_locals
    );
