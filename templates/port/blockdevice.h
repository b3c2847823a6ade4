// The block device over memory, and what lfsguard.c does with it.
#ifndef GPUSNEK_BLOCKDEVICE_H
#define GPUSNEK_BLOCKDEVICE_H

#include "imageguard.h"
#include "py/obj.h"

// A block device over the file system region or a buffer. Every mounted littlefs2 has one of its
// own, a copy of the program's, for what it knows of the image is its own.
typedef struct _gpusnek_device_t {
    mp_obj_base_t base;
    struct _gpusnek_device_t *next; // in the list of those that may hold an image
    mp_obj_t buffer; // keeps the memory alive; MP_OBJ_NULL: the file system region
    size_t length; // bytes of the buffer
    uint8_t *memory;
    size_t block_size; // bytes
    size_t block_count;
    gpusnek_guard_t guard;
    bool read_only;
    bool listed;
    struct lfs2 *lfs; // of the mount that this is the copy of, or NULL
    size_t operations; // begun by that mount since its littlefs was set up
} gpusnek_device_t;

// Whether the buffer is still where and what it was: a bytearray can grow, and bound memory can be
// taken away. If not, nothing touches that memory any more.
bool gpusnek_device_alive(gpusnek_device_t *device);
// Lets go of the image, if the device holds it; of all that this interpreter's devices hold.
void gpusnek_device_release(gpusnek_device_t *device);
void gpusnek_devices_release(void);

#endif
