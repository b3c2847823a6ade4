// Brackets every operation of a mounted littlefs2 over our block devices. Before it: a mount that
// knows an older image than there is now reads it anew. After it: the image is let go.
#include "blockdevice.h"
#include "extmod/vfs.h"
#include "hooks.h"
#include "lib/littlefs/lfs2.h"
#include "port.h"
#include "py/mperrno.h"

#define NO_BLOCK ((lfs2_block_t)-1)
#define MOUNT_TRIES (1000)
#define PENDING_MOVE (0x70000000u) // in the tag of littlefs2's global state: SPEC.md

static gpusnek_device_t *device_of(const struct lfs2_config *config) {
    mp_vfs_blockdev_t *blockdev = config->context;
    return MP_OBJ_TO_PTR(blockdev->readblocks[1]);
}

static lfs2_file_t *open_file(struct lfs2_mlist *entry) {
    return entry->type == LFS2_TYPE_REG ? (lfs2_file_t *)entry : NULL;
}

// A file is open for writing: what it has written so far is not to be seen by others.
static bool is_writing(lfs2_t *lfs) {
    for (struct lfs2_mlist *entry = lfs->mlist; entry != NULL; entry = entry->next) {
        lfs2_file_t *file = open_file(entry);
        if (file != NULL && (file->flags & LFS2_O_WRONLY)) {
            return true;
        }
    }
    return false;
}

// Open files and folders hold on to the older image. What their caches have of it may even be torn,
// so every read goes to the device, which refuses. Closing works.
static void drop_caches(lfs2_t *lfs) {
    lfs->rcache.block = NO_BLOCK;
    for (struct lfs2_mlist *entry = lfs->mlist; entry != NULL; entry = entry->next) {
        lfs2_file_t *file = open_file(entry);
        if (file != NULL && !(file->flags & (LFS2_F_DIRTY | LFS2_F_WRITING))) {
            file->cache.block = NO_BLOCK;
        }
    }
}

// Between the two commits of a rename, littlefs2 does not find the name that follows the one that
// goes, until somebody writes. So what a power cut left there is done first; and a rename that
// another interpreter is just doing is waited for.
static int settle(gpusnek_device_t *device) {
    if (device->read_only || !(device->lfs->gdisk.tag & PENDING_MOVE)) {
        return 0;
    }
    int status = lfs2_fs_mkconsistent(device->lfs);
    return status == -MP_EBUSY || status == -GPUSNEK_ESTALE ? -GPUSNEK_ESTALE : 0;
}

// Mounts again until nobody has written meanwhile. Buffers are the config's: there is none to free.
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

static int begin(const struct lfs2_config *config) {
    gpusnek_device_t *device = device_of(config);
    // The first operation is the one that mounts or formats: there is no littlefs before it.
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

// Called where a littlefs2 takes its block device. One of a class of the program's own, or with
// methods of several objects, is left to itself.
void gpusnek_lfs2_guard(mp_vfs_blockdev_t *blockdev, struct lfs2_config *config, lfs2_t *lfs) {
    mp_obj_t bound = blockdev->readblocks[1];
    config->lock = nothing;
    config->unlock = nothing;
    if (bound == MP_OBJ_NULL // a function that no object is bound to
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

// `status` is what mounting gave; somebody may have written while it read.
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
