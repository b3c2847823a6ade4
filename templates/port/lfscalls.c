// Calls of littlefs: each is entered once (lfscalls.h).
#include "lfscalls.h"
#include "lib/littlefs/lfs1.h"
#include "lib/littlefs/lfs2.h"
#include "py/mperrno.h"
#include "py/runtime.h"

#define CALL(type, name, parameters, arguments) \
    type OURS(name) parameters { \
        if (!gpusnek_lfs_enter(lfs, FILES, FOLDERS)) { \
            return -MP_EIO; \
        } \
        const type result = LFS(name) arguments; \
        gpusnek_lfs_leave(); \
        return result; \
    }

#define LFS(name) lfs1_##name
#define OURS(name) gpusnek_lfs1_##name
#define FILES (&lfs->files)
#define FOLDERS (&lfs->dirs)
#include "lfscalls_each.h"
#undef LFS
#undef OURS
#undef FILES
#undef FOLDERS

#define LFS(name) lfs2_##name
#define OURS(name) gpusnek_lfs2_##name
#define FILES (&lfs->mlist)
#define FOLDERS (NULL)
#include "lfscalls_each.h"

CALL(lfs2_ssize_t, getattr, (lfs2_t *lfs, const char *path, uint8_t type, void *to, lfs2_size_t size),
    (lfs, path, type, to, size))
