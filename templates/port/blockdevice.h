// The block device over memory (blockdevice.c), as lfsguard.c, fence.c and lifecycle.c use it.
#ifndef GPUSNEK_BLOCKDEVICE_H
#define GPUSNEK_BLOCKDEVICE_H

#include "imageguard.h"
#include "py/obj.h"

// A block device over the file system region or a buffer. Each mounted littlefs2 has a private copy
// of the program's device, because the guard describes what that mount knows of the image.
typedef struct _gpusnek_device_t {
    mp_obj_base_t base;
    struct _gpusnek_device_t *next; // in the list of devices that may hold an image
    mp_obj_t buffer; // keeps the memory alive; MP_OBJ_NULL: the file system region
    size_t length; // bytes of the buffer
    uint8_t *memory;
    size_t block_size; // bytes
    size_t block_count;
    gpusnek_guard_t guard;
    bool read_only;
    bool listed;
    struct lfs2 *lfs; // of the mount that owns this copy, or NULL
    size_t operations; // operations that the mount began since its littlefs was set up
} gpusnek_device_t;

// Return whether the buffer still has the address and length that the device was made with. A
// bytearray can grow and bound memory can be revoked. Otherwise mark the guard stale, so that the
// device never accesses the memory again.
bool gpusnek_device_alive(gpusnek_device_t *device);
// Release the image if the device holds it, and remove the device from the list.
void gpusnek_device_release(gpusnek_device_t *device);
// Release the images of all devices of this interpreter.
void gpusnek_devices_release(void);

#endif
