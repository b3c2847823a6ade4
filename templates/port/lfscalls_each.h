// One littlefs' functions, once for each littlefs (lfscalls.c). LFS(name) is its name, OURS(name) ours;
// FILES and FOLDERS are where its lists begin; CALL makes a function that returns errors.

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

// Whoever calls these looks at no error: closing forgets the file, reading a folder shows what was
// not read.
int OURS(file_close)(LFS(t) *lfs, LFS(file_t) *file) {
    gpusnek_lfs_enter_or_raise(lfs, FILES, FOLDERS);
    const int result = LFS(file_close)(lfs, file);
    gpusnek_lfs_leave();
    return result;
}

int OURS(dir_close)(LFS(t) *lfs, LFS(dir_t) *dir) {
    gpusnek_lfs_enter_or_raise(lfs, FILES, FOLDERS);
    const int result = LFS(dir_close)(lfs, dir);
    gpusnek_lfs_leave();
    return result;
}

int OURS(dir_read)(LFS(t) *lfs, LFS(dir_t) *dir, struct LFS(info) *info) {
    gpusnek_lfs_enter_or_raise(lfs, FILES, FOLDERS);
    const int result = LFS(dir_read)(lfs, dir, info);
    gpusnek_lfs_leave();
    gpusnek_lfs_check(result);
    return result;
}
