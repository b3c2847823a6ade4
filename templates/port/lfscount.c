// Bounded traversal of littlefs blocks, by which VfsLfs1 and VfsLfs2 count used blocks for statvfs.
//
// littlefs visits a block once more for each open file that contains it. Upstream subtracts the
// count from the number of blocks, so that the number of free blocks can become negative. These
// wrappers (lfsnames.h) stop the count at the number of blocks.
#include "lfscalls.h"
#include "lib/littlefs/lfs1.h"
#include "lib/littlefs/lfs2.h"
#include "py/mperrno.h"

typedef int (*each_block_t)(void *data, uint32_t block);

// A traversal: upstream's callback with its argument, and how many blocks it may still count.
typedef struct _meeting_t {
    each_block_t each;
    void *data;
    uint32_t left;
} meeting_t;

// The callback of a traversal: counts a block unless as many as the device has were counted.
static int meet(void *context, uint32_t block) {
    meeting_t *meeting = context;
    if (meeting->left == 0) {
        return 0;
    }
    meeting->left--;
    return meeting->each(meeting->data, block);
}

// Wraps lfs1_traverse(): calls `each` for at most as many blocks as the device has. Returns an
// error of littlefs or the callback, or EIO if the littlefs is entered.
int gpusnek_lfs1_traverse(lfs1_t *lfs, each_block_t each, void *data) {
    meeting_t meeting = { each, data, (uint32_t)lfs->cfg->block_count };
    if (!gpusnek_lfs_enter(lfs, &lfs->files, &lfs->dirs)) {
        return -MP_EIO;
    }
    const int result = lfs1_traverse(lfs, meet, &meeting);
    gpusnek_lfs_leave();
    return result;
}

// Wraps lfs2_fs_traverse(), as gpusnek_lfs1_traverse().
int gpusnek_lfs2_traverse(lfs2_t *lfs, each_block_t each, void *data) {
    meeting_t meeting = { each, data, (uint32_t)lfs->cfg->block_count };
    if (!gpusnek_lfs_enter(lfs, &lfs->mlist, NULL)) {
        return -MP_EIO;
    }
    const int result = lfs2_fs_traverse(lfs, meet, &meeting);
    gpusnek_lfs_leave();
    return result;
}
