// What VfsLfs1 and VfsLfs2 count for statvfs. littlefs meets a block more than once where files
// share it or are open, and upstream, which subtracts, then has less than no free blocks. Here a
// block counts once.
#include "lib/littlefs/lfs1.h"
#include "lib/littlefs/lfs2.h"
#include "py/misc.h"
#include "py/mpconfig.h"

typedef int (*each_block_t)(void *data, uint32_t block);

typedef struct _met_t {
    each_block_t each;
    void *data;
    byte *seen; // a bit a block; NULL where there is no memory for that
    uint32_t left; // blocks that can still be met for the first time
    uint32_t count;
} met_t;

static int meet(void *context, uint32_t block) {
    met_t *met = context;
    if (met->left == 0 || block >= met->count) {
        return 0;
    }
    if (met->seen != NULL) {
        const byte bit = (byte)(1 << (block & 7));
        if (met->seen[block >> 3] & bit) {
            return 0;
        }
        met->seen[block >> 3] |= bit;
    }
    met->left--;
    return met->each(met->data, block);
}

static met_t met_none(uint32_t count, each_block_t each, void *data) {
    const size_t size = (count + 7) / 8;
    met_t met = { each, data, m_new_maybe(byte, size), count, count };
    for (size_t i = 0; met.seen != NULL && i < size; i++) {
        met.seen[i] = 0;
    }
    return met;
}

static void met_all(met_t *met) {
    m_del(byte, met->seen, (met->count + 7) / 8);
}

int gpusnek_lfs1_traverse(lfs1_t *lfs, each_block_t each, void *data) {
    met_t met = met_none(lfs->cfg->block_count, each, data);
    const int status = lfs1_traverse(lfs, meet, &met);
    met_all(&met);
    return status;
}

int gpusnek_lfs2_traverse(lfs2_t *lfs, each_block_t each, void *data) {
    met_t met = met_none(lfs->cfg->block_count, each, data);
    const int status = lfs2_fs_traverse(lfs, meet, &met);
    met_all(&met);
    return status;
}
