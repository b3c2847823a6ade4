// Calls of block devices that are Python objects; devicecalls.h states the problem and the
// contract.
//
// States: `busy` counts the devices whose methods run now (nested, at most 4). `depth` counts the
// littlefs instances that are entered; each is waiting for a device, except the innermost. Both
// return to 0 when a program begins (gpusnek_devices_idle), because a hard stop skips the code that
// decrements them.
//
// Invariant D1: no littlefs instance is entered twice, and no device is called while it is busy.
// Invariant D2: no exception of a device unwinds through littlefs; attempt() converts it to -EIO.
// Invariant L1, at drop_frames(), keeps littlefs's lists free of dangling pointers.
#include "devicecalls.h"

#include "extmod/vfs.h"
#include "lfscalls.h"
#include "port.h"
#include "py/cstack.h"
#include "py/gc.h"
#include "py/mperrno.h"
#include "py/mpstate.h"
#include "py/objexcept.h"
#include "py/runtime.h"

enum { MOST = 4 }; // maximum nesting of devices that call each other's file systems

MP_REGISTER_ROOT_POINTER(mp_obj_t gpusnek_busy_devices[4]);
MP_REGISTER_ROOT_POINTER(mp_obj_t gpusnek_device_raised);
static uint32_t busy;
static bool collection_calls;

// The littlefs instances that are entered, outermost first: one per busy device, and the innermost.
typedef struct _entered_t {
    const void *lfs;
    const void *lists[2]; // heads of the lists of open files and open folders
} entered_t;
static entered_t entered[MOST + 1];
static uint32_t depth;

bool gpusnek_collection_calls(bool devices) {
    const bool before = collection_calls;
    collection_calls = devices;
    return before;
}

void gpusnek_collect_with_devices(void) {
    const bool before = gpusnek_collection_calls(true);
    gc_collect();
    gpusnek_collection_calls(before);
}

bool gpusnek_lfs_works(const void *lfs) {
    for (uint32_t i = 0; i < depth; i++) {
        if (entered[i].lfs == lfs) {
            return true;
        }
    }
    return false;
}

// Return whether the C stack has space for littlefs: a quarter of its size, but at most 8 KiB, the
// maximum that littlefs uses on a GPU.
bool gpusnek_lfs_has_stack(void) {
    const size_t limit = MP_STATE_THREAD(stack_limit);
    const size_t need = limit / 4 < 8192 ? limit / 4 : 8192;
    return mp_cstack_usage() + need <= limit;
}

bool gpusnek_lfs_enter(const void *lfs, const void *files, const void *folders) {
    if (gpusnek_lfs_works(lfs) || depth == MP_ARRAY_SIZE(entered) || !gpusnek_lfs_has_stack()) {
        return false;
    }
    entered[depth++] = (entered_t) { lfs, { files, folders } };
    return true;
}

// An assignment instead of `depth--`: the rules would take gpusnek_lfs_enter() and this function
// for a pair, and call this function in the exit code of an unwind.
void gpusnek_lfs_leave(void) {
    depth = depth - 1;
}

// Return whether a list entry lies in the heap.
static bool in_heap(const void *entry) {
    return (uintptr_t)entry >= (uintptr_t)MP_STATE_MEM(area).gc_pool_start
        && (uintptr_t)entry < (uintptr_t)MP_STATE_MEM(area).gc_pool_end;
}

// Invariant L1: each entry of a list lies in live memory: a heap object that the collector has not
// freed, or a frame of the running littlefs function. This function restores L1 directly after an
// unwind, while the abandoned frames are not yet overwritten.
static void drop_frames(const void *const *list) {
    const void **next = (const void **)list;
    while (next != NULL && *next != NULL) {
        if (in_heap(*next)) {
            next = (const void **)*next;
        } else {
            *next = *(const void *const *)*next;
        }
    }
}

void gpusnek_lfs_left(const void *files, const void *folders) {
    drop_frames(files);
    drop_frames(folders);
}

bool gpusnek_lfs_finalises(void) {
    return busy == 0 && (MP_STATE_THREAD(gc_lock_depth) & GC_COLLECT_FLAG) != 0;
}

void gpusnek_lfs_forget(const void *list, const void *entry) {
    const void **next = (const void **)list;
    while (next != NULL && *next != NULL) {
        if (*next == entry) {
            *next = *(const void *const *)entry;
            return;
        }
        next = (const void **)*next;
    }
}

void gpusnek_lfs_idle(void) {
    depth = 0;
}

void gpusnek_lfs_enter_or_raise(const void *lfs, const void *files, const void *folders) {
    gpusnek_lfs_check(gpusnek_lfs_enter(lfs, files, folders) ? 0 : -MP_EIO);
}

void gpusnek_lfs_check(int error) {
    if (error < 0) {
        mp_raise_OSError(-error);
    }
}

void gpusnek_lfs_collect(void) {
    for (uint32_t i = 0; i < depth; i++) {
        for (size_t k = 0; k < MP_ARRAY_SIZE(entered[i].lists); k++) {
            const void *const *next = entered[i].lists[k];
            while (next != NULL && *next != NULL) {
                gpusnek_collect_word((uintptr_t)*next);
                next = *next;
            }
        }
    }
}

// Return whether a device is the port's own VRAMBlockDevice, which calls no Python code.
static bool is_own(mp_obj_t object) {
    return object != MP_OBJ_NULL && mp_obj_is_type(object, &gpusnek_block_device_type);
}

void gpusnek_devices_idle(void) {
    MP_STATIC_ASSERT(MP_ARRAY_SIZE(MP_STATE_VM(gpusnek_busy_devices)) == MOST);
    busy = 0;
    gpusnek_lfs_idle();
    collection_calls = false;
    MP_STATE_VM(gpusnek_device_raised) = MP_OBJ_NULL;
}

// Return whether a method of the device runs now.
static bool works(mp_obj_t device) {
    for (uint32_t i = 0; i < busy; i++) {
        if (MP_STATE_VM(gpusnek_busy_devices)[i] == device) {
            return true;
        }
    }
    return false;
}

// Return whether a device may be called: nesting and invariant D1 permit it, and no collection runs
// that an allocation began.
static bool may_call(mp_obj_t device) {
    const bool collects = MP_STATE_THREAD(gc_lock_depth) & GC_COLLECT_FLAG;
    return busy < MOST && !works(device) && (collection_calls || !collects);
}

// Keep an exception for gpusnek_device_raise(). KeyboardInterrupt is scheduled again instead,
// because a handler of OSError must not catch it.
static void raised(void *exception) {
    const mp_obj_t raised = MP_OBJ_FROM_PTR(exception);
    if (mp_obj_is_subclass_fast(MP_OBJ_FROM_PTR(mp_obj_get_type(raised)),
        MP_OBJ_FROM_PTR(&mp_type_KeyboardInterrupt))) {
        mp_sched_keyboard_interrupt(); // raised at the next poll
    } else {
        MP_STATE_VM(gpusnek_device_raised) = raised;
    }
}

// Return None, a bool or a small integer; raise TypeError for other results.
static mp_obj_t number(mp_obj_t value) {
    const bool plain = value == mp_const_none || value == mp_const_true || value == mp_const_false;
    return plain ? value : MP_OBJ_NEW_SMALL_INT(mp_obj_get_int(value));
}

// Call a method with `args`, or, if `args` is NULL, the ioctl `cmd` of `device`. Return the result,
// or -EIO if the call raised (invariant D2): littlefs must complete its update, and its lists refer
// to frames below this call. An exhausted C stack is an exception that waits as well, also in the
// port's own device. A hard stop or a limit ends only this call, and the program ends at its next
// poll.
static mp_obj_t attempt(size_t n_args, const mp_obj_t *args, mp_vfs_blockdev_t *device, uintptr_t cmd,
    uintptr_t arg) {
    MP_STATE_VM(gpusnek_device_raised) = MP_OBJ_NULL;
    mp_obj_t result = MP_OBJ_NEW_SMALL_INT(-MP_EIO);
    nlr_buf_t *const outer = nlr_get_abort();
    nlr_buf_t nlr;
    if (outer != NULL) {
        nlr_set_abort(&nlr);
    }
    if (nlr_push(&nlr) == 0) {
        result = number(args != NULL ? mp_call_method_n_kw(n_args, 0, args)
            : mp_vfs_blockdev_ioctl(device, cmd, arg));
        nlr_pop();
    } else if (nlr.ret_val != NULL) {
        raised(nlr.ret_val);
    }
    nlr_set_abort(outer);
    return result;
}

// Same as attempt(), for a device that may be a Python object and may therefore call its file
// system.
static mp_obj_t guarded(mp_obj_t object, size_t n_args, const mp_obj_t *args,
    mp_vfs_blockdev_t *device, uintptr_t cmd, uintptr_t arg) {
    if (is_own(object)) {
        return attempt(n_args, args, device, cmd, arg);
    }
    MP_STATE_VM(gpusnek_device_raised) = MP_OBJ_NULL;
    if (!may_call(object)) {
        return MP_OBJ_NEW_SMALL_INT(-MP_EIO);
    }
    MP_STATE_VM(gpusnek_busy_devices)[busy++] = object;
    const mp_obj_t result = attempt(n_args, args, device, cmd, arg);
    busy--;
    MP_STATE_VM(gpusnek_busy_devices)[busy] = MP_OBJ_NULL;
    return result;
}

mp_obj_t gpusnek_device_call(size_t n_args, size_t n_kw, const mp_obj_t *args) {
    (void)n_kw;
    return guarded(args[1], n_args, args, NULL, 0, 0);
}

int gpusnek_device_ioctl(mp_vfs_blockdev_t *device, uintptr_t cmd, uintptr_t arg, bool must) {
    const mp_obj_t object = device->readblocks[1];
    const mp_obj_t result = guarded(object, 0, NULL, device, cmd, arg);
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
