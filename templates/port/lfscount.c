// What VfsLfs1 and VfsLfs2 count for statvfs. littlefs meets a block again for every open file that
// it belongs to, and upstream, which subtracts, then has less than no free blocks. Here no more
// blocks are met than there are.
#include "lfscalls.h"
#include "lib/littlefs/lfs1.h"
#include "lib/littlefs/lfs2.h"
#include "py/mperrno.h"

typedef int (*each_block_t)(void *data, uint32_t block);

typedef struct _meeting_t {
    each_block_t each;
    void *data;
    uint32_t left;
} meeting_t;

static int meet(void *context, uint32_t block) {
    meeting_t *meeting = context;
    if (meeting->left == 0) {
        return 0;
    }
    meeting->left--;
    return meeting->each(meeting->data, block);
}

int gpusnek_lfs1_traverse(lfs1_t *lfs, each_block_t each, void *data) {
    meeting_t meeting = { each, data, (uint32_t)lfs->cfg->block_count };
    if (!gpusnek_lfs_enter(lfs, &lfs->files, &lfs->dirs)) {
        return -MP_EIO;
    }
    const int result = lfs1_traverse(lfs, meet, &meeting);
    gpusnek_lfs_leave();
    return result;
}

int gpusnek_lfs2_traverse(lfs2_t *lfs, each_block_t each, void *data) {
    meeting_t meeting = { each, data, (uint32_t)lfs->cfg->block_count };
    if (!gpusnek_lfs_enter(lfs, &lfs->mlist, NULL)) {
        return -MP_EIO;
    }
    const int result = lfs2_fs_traverse(lfs, meet, &meeting);
    gpusnek_lfs_leave();
    return result;
}
