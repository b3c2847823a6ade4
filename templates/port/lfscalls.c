// Wrappers of littlefs' functions that refuse reentrant calls; lfscalls.h has the protocol and its
// invariants. extmod/vfs_lfs.c calls the wrappers by the names of lfsnames.h.
#include "lfscalls.h"
#include "lib/littlefs/lfs1.h"
#include "lib/littlefs/lfs2.h"
#include "py/mperrno.h"
#include "py/runtime.h"

// Assigns `result = call` in an entered littlefs and leaves it. If an exception (an exhausted C
// stack) or a hard stop unwinds out of littlefs, the littlefs is abandoned, and the exception is
// raised again if `raises`. After a hard stop `result` keeps its value, EIO, and the program ends
// at its next poll.
#define GUARDED(result, call, raises) \
    nlr_buf_t *const outer = nlr_get_abort(); \
    nlr_buf_t nlr; \
    if (outer != NULL) { \
        nlr_set_abort(&nlr); \
    } \
    if (nlr_push(&nlr) == 0) { \
        result = call; \
        nlr_pop(); \
        nlr_set_abort(outer); \
        gpusnek_lfs_leave(); \
    } else { \
        nlr_set_abort(outer); \
        gpusnek_lfs_left(FILES, FOLDERS); \
        if (raises && nlr.ret_val != NULL) { \
            nlr_raise(MP_OBJ_FROM_PTR(nlr.ret_val)); \
        } \
    }

// Defines a wrapper that returns an error code. Raises RuntimeError if the C stack is nearly used
// up.
#define CALL(type, name, parameters, arguments) \
    type OURS(name) parameters { \
        if (!gpusnek_lfs_has_stack()) { \
            mp_raise_recursion_depth(); \
        } \
        if (!gpusnek_lfs_enter(lfs, FILES, FOLDERS)) { \
            return -MP_EIO; \
        } \
        type result = -MP_EIO; \
        GUARDED(result, LFS(name) arguments, true) \
        return result; \
    }

// Defines a wrapper that closes `entry`. The collector frees an entry after its finaliser, whatever
// the finaliser returns. So a littlefs that refuses the call, or is abandoned in it, must not keep
// the entry in its list (invariant L1 of devicecalls.c). A finaliser gets no error, because raising it
// would need memory of the locked heap, and the failure would be printed.
#define CLOSE(name, entry_type, list) \
    int OURS(name)(LFS(t) *lfs, entry_type *entry) { \
        int result = -MP_EIO; \
        const bool finalises = gpusnek_lfs_finalises(); \
        if (!finalises) { \
            gpusnek_lfs_enter_or_raise(lfs, FILES, FOLDERS); \
        } else if (!gpusnek_lfs_enter(lfs, FILES, FOLDERS)) { \
            gpusnek_lfs_forget(list, entry); \
            return 0; \
        } \
        GUARDED(result, LFS(name)(lfs, entry), !finalises) \
        if (finalises) { \
            gpusnek_lfs_forget(list, entry); \
            return 0; \
        } \
        return result; \
    }

#define LFS(name) lfs1_##name
#define OURS(name) gpusnek_lfs1_##name
#define FILES (&lfs->files)
#define FOLDERS (&lfs->dirs)
#define LIST_OF_FOLDERS FOLDERS
#include "lfscalls_each.h"
#undef LFS
#undef OURS
#undef FILES
#undef FOLDERS
#undef LIST_OF_FOLDERS

#define LFS(name) lfs2_##name
#define OURS(name) gpusnek_lfs2_##name
#define FILES (&lfs->mlist)
#define FOLDERS (NULL)
#define LIST_OF_FOLDERS FILES
#include "lfscalls_each.h"

CALL(lfs2_ssize_t, getattr, (lfs2_t *lfs, const char *path, uint8_t type, void *to, lfs2_size_t size),
    (lfs, path, type, to, size))
