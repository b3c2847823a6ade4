// Renames littlefs' functions to the wrappers of lfscalls.c and lfscount.c. mphalport.h includes
// this file; extmod/vfs_lfs.c is the only unit that includes py/mphal.h and uses littlefs. Mounting
// and formatting are not wrapped: no other code can use a littlefs that is not mounted yet.
#ifndef GPUSNEK_LFSNAMES_H
#define GPUSNEK_LFSNAMES_H

#define lfs1_dir_close gpusnek_lfs1_dir_close
#define lfs1_dir_open gpusnek_lfs1_dir_open
#define lfs1_dir_read gpusnek_lfs1_dir_read
#define lfs1_file_close gpusnek_lfs1_file_close
#define lfs1_file_opencfg gpusnek_lfs1_file_opencfg
#define lfs1_file_read gpusnek_lfs1_file_read
#define lfs1_file_seek gpusnek_lfs1_file_seek
#define lfs1_file_sync gpusnek_lfs1_file_sync
#define lfs1_file_tell gpusnek_lfs1_file_tell
#define lfs1_file_write gpusnek_lfs1_file_write
#define lfs1_mkdir gpusnek_lfs1_mkdir
#define lfs1_remove gpusnek_lfs1_remove
#define lfs1_rename gpusnek_lfs1_rename
#define lfs1_stat gpusnek_lfs1_stat
#define lfs1_traverse gpusnek_lfs1_traverse
#define lfs1_unmount gpusnek_lfs1_unmount

#define lfs2_dir_close gpusnek_lfs2_dir_close
#define lfs2_dir_open gpusnek_lfs2_dir_open
#define lfs2_dir_read gpusnek_lfs2_dir_read
#define lfs2_file_close gpusnek_lfs2_file_close
#define lfs2_file_opencfg gpusnek_lfs2_file_opencfg
#define lfs2_file_read gpusnek_lfs2_file_read
#define lfs2_file_seek gpusnek_lfs2_file_seek
#define lfs2_file_sync gpusnek_lfs2_file_sync
#define lfs2_file_tell gpusnek_lfs2_file_tell
#define lfs2_file_write gpusnek_lfs2_file_write
#define lfs2_getattr gpusnek_lfs2_getattr
#define lfs2_mkdir gpusnek_lfs2_mkdir
#define lfs2_remove gpusnek_lfs2_remove
#define lfs2_rename gpusnek_lfs2_rename
#define lfs2_stat gpusnek_lfs2_stat
#define lfs2_unmount gpusnek_lfs2_unmount
#define lfs2_fs_traverse gpusnek_lfs2_traverse

#endif
