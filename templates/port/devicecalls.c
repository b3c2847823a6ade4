// Calls of block devices that a program wrote.
#include "devicecalls.h"

#include "extmod/vfs.h"
#include "port.h"
#include "py/mperrno.h"
#include "py/mpstate.h"
#include "py/objexcept.h"
#include "py/runtime.h"

enum { MOST = 4 }; // devices that are at work, one for the other

MP_REGISTER_ROOT_POINTER(mp_obj_t gpusnek_busy_devices[4]);
MP_REGISTER_ROOT_POINTER(mp_obj_t gpusnek_device_raised);
static uint32_t busy;
static bool collection_calls;

void gpusnek_collection_calls(bool devices) {
    collection_calls = devices;
}

static bool is_own(mp_obj_t object) {
    return object != MP_OBJ_NULL && mp_obj_is_type(object, &gpusnek_block_device_type);
}

void gpusnek_devices_idle(void) {
    busy = 0;
    collection_calls = false;
    MP_STATE_VM(gpusnek_device_raised) = MP_OBJ_NULL;
}

bool gpusnek_device_works(mp_obj_t device) {
    for (uint32_t i = 0; i < busy; i++) {
        if (MP_STATE_VM(gpusnek_busy_devices)[i] == device) {
            return true;
        }
    }
    return false;
}

static bool may_call(mp_obj_t device) {
    const bool collects = MP_STATE_THREAD(gc_lock_depth) & GC_COLLECT_FLAG;
    return busy < MOST && !gpusnek_device_works(device) && (collection_calls || !collects);
}

static void raised(void *exception) {
    const mp_obj_t raised = MP_OBJ_FROM_PTR(exception);
    if (mp_obj_is_subclass_fast(MP_OBJ_FROM_PTR(mp_obj_get_type(raised)),
        MP_OBJ_FROM_PTR(&mp_type_KeyboardInterrupt))) {
        mp_sched_keyboard_interrupt(); // whoever catches the OSError does not catch this
    } else {
        MP_STATE_VM(gpusnek_device_raised) = raised;
    }
}

static mp_obj_t number(mp_obj_t value) {
    const bool plain = value == mp_const_none || value == mp_const_true || value == mp_const_false;
    return plain ? value : MP_OBJ_NEW_SMALL_INT(mp_obj_get_int(value));
}

// Calls a method with these arguments, or, where there are none, `device` with cmd and arg.
static mp_obj_t guarded(mp_obj_t object, size_t n_args, const mp_obj_t *args,
    mp_vfs_blockdev_t *device, uintptr_t cmd, uintptr_t arg) {
    MP_STATE_VM(gpusnek_device_raised) = MP_OBJ_NULL;
    if (!may_call(object)) {
        return MP_OBJ_NEW_SMALL_INT(-MP_EIO);
    }
    MP_STATE_VM(gpusnek_busy_devices)[busy++] = object;
    mp_obj_t result = MP_OBJ_NEW_SMALL_INT(-MP_EIO);
    nlr_buf_t nlr;
    if (nlr_push(&nlr) == 0) {
        result = number(args != NULL ? mp_call_method_n_kw(n_args, 0, args)
            : mp_vfs_blockdev_ioctl(device, cmd, arg));
        nlr_pop();
    } else {
        raised(nlr.ret_val);
    }
    busy--;
    MP_STATE_VM(gpusnek_busy_devices)[busy] = MP_OBJ_NULL;
    return result;
}

mp_obj_t gpusnek_device_call(size_t n_args, const mp_obj_t *args) {
    if (is_own(args[1])) {
        return mp_call_method_n_kw(n_args, 0, args); // C, which raises nothing
    }
    return guarded(args[1], n_args, args, NULL, 0, 0);
}

int gpusnek_device_ioctl(mp_vfs_blockdev_t *device, uintptr_t cmd, uintptr_t arg, bool must) {
    const mp_obj_t object = device->readblocks[1];
    const mp_obj_t result = is_own(object) ? mp_vfs_blockdev_ioctl(device, cmd, arg)
        : guarded(object, 0, NULL, device, cmd, arg);
    if (mp_obj_is_small_int(result)) {
        return MP_OBJ_SMALL_INT_VALUE(result);
    }
    return result == mp_const_none && must ? -MP_EINVAL : result == mp_const_true;
}

void gpusnek_device_raise(int error) {
    const mp_obj_t raised = MP_STATE_VM(gpusnek_device_raised);
    if (error == MP_EIO && raised != MP_OBJ_NULL) {
        MP_STATE_VM(gpusnek_device_raised) = MP_OBJ_NULL;
        nlr_raise(raised);
    }
}
