// The wrappers of one littlefs version; lfscalls.c includes this file once for each. LFS(name) is
// the name in littlefs, OURS(name) that of the wrapper. FILES and FOLDERS point to the heads of the
// lists of open files and folders; LIST_OF_FOLDERS is the list that contains folders. CALL defines
// a wrapper that returns an error code. CLOSE defines a wrapper that removes an entry from a list.

CALL(int, dir_open, (LFS(t) *lfs, LFS(dir_t) *dir, const char *path), (lfs, dir, path))
CALL(int, file_opencfg, (LFS(t) *lfs, LFS(file_t) *file, const char *path, int flags,
    const struct LFS(file_config) *config), (lfs, file, path, flags, config))
CALL(int, file_sync, (LFS(t) *lfs, LFS(file_t) *file), (lfs, file))
CALL(LFS(ssize_t), file_read, (LFS(t) *lfs, LFS(file_t) *file, void *to, LFS(size_t) size),
    (lfs, file, to, size))
CALL(LFS(ssize_t), file_write, (LFS(t) *lfs, LFS(file_t) *file, const void *from, LFS(size_t) size),
    (lfs, file, from, size))
CALL(LFS(soff_t), file_seek, (LFS(t) *lfs, LFS(file_t) *file, LFS(soff_t) to, int whence),
    (lfs, file, to, whence))
CALL(LFS(soff_t), file_tell, (LFS(t) *lfs, LFS(file_t) *file), (lfs, file))
CALL(int, stat, (LFS(t) *lfs, const char *path, struct LFS(info) *info), (lfs, path, info))
CALL(int, mkdir, (LFS(t) *lfs, const char *path), (lfs, path))
CALL(int, remove, (LFS(t) *lfs, const char *path), (lfs, path))
CALL(int, rename, (LFS(t) *lfs, const char *from, const char *to), (lfs, from, to))
CALL(int, unmount, (LFS(t) *lfs), (lfs))

// These wrappers raise, because upstream's callers ignore errors of these functions: they would
// consider the file closed, or return an uninitialised folder entry.
CLOSE(file_close, LFS(file_t), FILES)
CLOSE(dir_close, LFS(dir_t), LIST_OF_FOLDERS)

int OURS(dir_read)(LFS(t) *lfs, LFS(dir_t) *dir, struct LFS(info) *info) {
    gpusnek_lfs_enter_or_raise(lfs, FILES, FOLDERS);
    int result = -MP_EIO;
    GUARDED(result, LFS(dir_read)(lfs, dir, info), true)
    gpusnek_lfs_check(result);
    return result;
}
