// Coherence of a littlefs2 image that several interpreters mount: freshness check and write lock.
//
// Problem: littlefs2 caches metadata of an image in each mount. Interpreters of a launch can mount
// the same memory. A write of one interpreter makes the caches of the other mounts stale.
//
// Mechanism: littlefs2 calls lock and unlock of its configuration around every operation
// (LFS2_THREADSAFE, patch `guarded-littlefs`). begin() checks the image's guard (imageguard.h): if
// another interpreter has written since this mount read the image, it mounts again. end() releases
// the image, unless a file is open for writing.
//
// Invariants:
//   G1  A stale mount with open files or folders reads nothing from its caches. Each read goes to
//       the device, which refuses it with ESTALE. Closing works.
//   G2  A mount is used only if no interpreter wrote while it was read; mount_again() repeats it.
//   G3  While a file is open for writing the interpreter holds the image, so that other
//       interpreters do not see incomplete data.
//
// Progress: a mount is tried MOUNT_TRIES times. After that the operation fails with ESTALE, and the
// next operation tries again. The memory order is that of imageguard.c.
#include "blockdevice.h"
#include "extmod/vfs.h"
#include "hooks.h"
#include "lib/littlefs/lfs2.h"
#include "port.h"
#include "py/mperrno.h"

#define NO_BLOCK ((lfs2_block_t)-1)
#define MOUNT_TRIES (1000) // a pause apart; bounds the wait for interpreters that keep writing
#define PENDING_MOVE (0x70000000u) // in the tag of littlefs2's global state: SPEC.md

static gpusnek_device_t *device_of(const struct lfs2_config *config) {
    mp_vfs_blockdev_t *blockdev = config->context;
    return MP_OBJ_TO_PTR(blockdev->readblocks[1]);
}

static lfs2_file_t *open_file(struct lfs2_mlist *entry) {
    return entry->type == LFS2_TYPE_REG ? (lfs2_file_t *)entry : NULL;
}

// Returns whether a file is open for writing (G3).
static bool is_writing(lfs2_t *lfs) {
    for (struct lfs2_mlist *entry = lfs->mlist; entry != NULL; entry = entry->next) {
        lfs2_file_t *file = open_file(entry);
        if (file != NULL && (file->flags & LFS2_O_WRONLY)) {
            return true;
        }
    }
    return false;
}

// Empties the caches of a stale mount with open files or folders (G1): they belong to the older
// image and may contain a torn read. Files keep unwritten data.
static void drop_caches(lfs2_t *lfs) {
    lfs->rcache.block = NO_BLOCK;
    for (struct lfs2_mlist *entry = lfs->mlist; entry != NULL; entry = entry->next) {
        lfs2_file_t *file = open_file(entry);
        if (file != NULL && !(file->flags & (LFS2_F_DIRTY | LFS2_F_WRITING))) {
            file->cache.block = NO_BLOCK;
        }
    }
}

// Completes a rename that an earlier run left between its two commits, or reports ESTALE while
// another interpreter is in one. In this state littlefs2 does not find the name after the removed
// one until the next write.
static int settle(gpusnek_device_t *device) {
    if (device->read_only || !(device->lfs->gdisk.tag & PENDING_MOVE)) {
        return 0;
    }
    int status = lfs2_fs_mkconsistent(device->lfs);
    return status == -MP_EBUSY || status == -GPUSNEK_ESTALE ? -GPUSNEK_ESTALE : 0;
}

// Mounts the image again, until no other interpreter wrote during the mount (G2). Returns
// littlefs2's status. There is nothing to unmount: the buffers belong to the configuration.
static int mount_again(gpusnek_device_t *device, const struct lfs2_config *config) {
    int status = -GPUSNEK_ESTALE;
    for (int tries = 0; status == -GPUSNEK_ESTALE && tries < MOUNT_TRIES; tries++) {
        if (tries > 0) {
            porter_pause();
        }
        gpusnek_device_release(device);
        gpusnek_guard_open(&device->guard);
        device->operations = 0;
        status = lfs2_mount(device->lfs, config);
        if (status == 0) {
            status = settle(device);
        }
    }
    if (status != 0) {
        device->guard.stale = true; // the next operation tries again
    }
    return status;
}

// The lock hook. littlefs2 calls it before each operation.
static int begin(const struct lfs2_config *config) {
    gpusnek_device_t *device = device_of(config);
    // The first operation mounts or formats: before it there is nothing to refresh.
    if (device->operations++ == 0
        || (gpusnek_device_alive(device) && gpusnek_guard_fresh(&device->guard))) {
        return 0;
    }
    if (device->lfs->mlist != NULL) {
        drop_caches(device->lfs);
        return 0;
    }
    return mount_again(device, config);
}

// The unlock hook. littlefs2 calls it after each operation.
static int end(const struct lfs2_config *config) {
    gpusnek_device_t *device = device_of(config);
    if (device->guard.holds && !is_writing(device->lfs)) {
        gpusnek_device_release(device);
    }
    return 0;
}

static int nothing(const struct lfs2_config *config) {
    (void)config;
    return 0;
}

// Called where upstream's VfsLfs2 is created with a block device. For the port's devices it
// installs the hooks and gives the mount its own copy of the device. A device of a Python class, or
// with methods of several objects, gets hooks that do nothing. May raise MemoryError.
void gpusnek_lfs2_guard(mp_vfs_blockdev_t *blockdev, struct lfs2_config *config, lfs2_t *lfs) {
    mp_obj_t bound = blockdev->readblocks[1];
    config->lock = nothing;
    config->unlock = nothing;
    if (bound == MP_OBJ_NULL // a function without an object
        || !mp_obj_is_type(bound, &gpusnek_block_device_type) || blockdev->writeblocks[1] != bound
        || blockdev->u.ioctl[1] != bound) {
        return;
    }
    gpusnek_device_t *device = m_new(gpusnek_device_t, 1);
    *device = *(gpusnek_device_t *)MP_OBJ_TO_PTR(bound);
    device->next = NULL;
    device->listed = false;
    device->guard.holds = false;
    device->lfs = lfs;
    device->operations = 0;
    if (gpusnek_device_alive(device)) {
        gpusnek_guard_open(&device->guard);
    }
    blockdev->readblocks[1] = MP_OBJ_FROM_PTR(device);
    blockdev->writeblocks[1] = MP_OBJ_FROM_PTR(device);
    blockdev->u.ioctl[1] = MP_OBJ_FROM_PTR(device);
    config->lock = begin;
    config->unlock = end;
}

// Called after upstream's mount, which returned `status`. Mounts again if another interpreter wrote
// during the mount (G2). Returns the final status.
int gpusnek_lfs2_mounted(struct lfs2_config *config, int status) {
    if (config->lock != begin) {
        return status;
    }
    gpusnek_device_t *device = device_of(config);
    if (status == 0) {
        status = settle(device);
    }
    return status == -GPUSNEK_ESTALE ? mount_again(device, config) : status;
}
