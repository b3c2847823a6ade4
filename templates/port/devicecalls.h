// Calls of a block device that is a Python object, made while littlefs is in the middle of an
// update.
//
// Problem: an exception that unwinds through littlefs leaves its data structures incomplete, and a
// device method may use the same file system again.
//
// Mechanism: an exception of a device waits until littlefs has returned. littlefs receives an I/O
// error, and the VFS then raises the waiting exception. No littlefs is entered a second time
// (lfscalls.h), and a busy device is not called for another littlefs. A collection that an
// allocation begins calls no device, because C code is using data that the device could change.
#ifndef GPUSNEK_DEVICECALLS_H
#define GPUSNEK_DEVICECALLS_H

#include "py/obj.h"

struct _mp_vfs_blockdev_t;

// Replacement of mp_call_method_n_kw() in upstream's calls of devices; n_kw is 0. Return None, a
// bool or a small integer. Return -EIO if the method raised, must not be called, or returned
// another type.
mp_obj_t gpusnek_device_call(size_t n_args, size_t n_kw, const mp_obj_t *args);
// Replacement of mp_vfs_blockdev_ioctl() for littlefs: return 0 or an error. `must`: None is an
// error.
int gpusnek_device_ioctl(struct _mp_vfs_blockdev_t *device, uintptr_t cmd, uintptr_t arg, bool must);

// Raise the waiting exception of a device if it is the cause of the OSError(error) that the caller
// is about to raise; otherwise return.
void gpusnek_device_raise(int error);

// Reset at the start of a program: no device is busy and no littlefs is entered.
void gpusnek_devices_idle(void);

// Set whether collections may call devices from now on, and return the previous setting. Only a
// collection that the program requested, and the last one, may.
bool gpusnek_collection_calls(bool devices);

// Run the collection that a program requested (gc.collect()); it may call devices.
void gpusnek_collect_with_devices(void);

#endif
