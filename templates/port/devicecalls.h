// Calls of a block device that a program wrote, while littlefs is in the middle of its work.
//
// What it has in memory must not be left half done. So an exception waits until littlefs is done:
// littlefs gets an error of the device, and what the VFS makes of that is the exception. Nor is a
// littlefs entered a second time (lfscalls.h), or a device that works called for another one. A
// collection that an allocation begins calls no device: C is at work on what the device could change.
#ifndef GPUSNEK_DEVICECALLS_H
#define GPUSNEK_DEVICECALLS_H

#include "py/obj.h"

struct _mp_vfs_blockdev_t;

// As mp_call_method_n_kw, in whose place upstream's calls of devices call it; n_kw is 0. Returns None,
// a bool or a small integer, and -EIO if the method raised, was not to be called, or returned anything
// else.
mp_obj_t gpusnek_device_call(size_t n_args, size_t n_kw, const mp_obj_t *args);
// As mp_vfs_blockdev_ioctl, for littlefs: 0 or an error. `must`: None is none of these.
int gpusnek_device_ioctl(struct _mp_vfs_blockdev_t *device, uintptr_t cmd, uintptr_t arg, bool must);

// An OSError is about to be raised: raises what a device raised, where that is why.
void gpusnek_device_raise(int error);

// A program begins: no device is at work, nor is a littlefs.
void gpusnek_devices_idle(void);

// Whether a collection from now on may call devices: one that a program asked for, or the last one.
// Returns whether it might before.
bool gpusnek_collection_calls(bool devices);

// The collection that a program asks for: it may call devices.
void gpusnek_collect_with_devices(void);

#endif
