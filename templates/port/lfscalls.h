// Calls of littlefs, which is not to be entered a second time while it waits for a block device that
// a program wrote.
//
// Littlefs 1 cannot be told to ask, and what upstream asks littlefs 2 to close it then takes for
// closed. So extmod/vfs_lfs.c calls ours (lfscalls.c), which says EIO instead. Meanwhile a collection
// finds no file that littlefs lists: who frees one would have to enter, to take it off the list.
#ifndef GPUSNEK_LFSCALLS_H
#define GPUSNEK_LFSCALLS_H

#include <stdbool.h>
#include <stddef.h>

// Whether littlefs `lfs` is at work.
bool gpusnek_lfs_works(const void *lfs);
// Enters littlefs `lfs`. Returns false if it is at work, if too many are, or if the C stack is nearly used
// up; it must not be called then. Its lists of open files and folders begin at `files` and `folders` (or
// NULL); each entry begins with a pointer to the next.
bool gpusnek_lfs_enter(const void *lfs, const void *files, const void *folders);
void gpusnek_lfs_leave(void);
// Whether the C stack suffices for a function of littlefs, which must not be left in the middle.
bool gpusnek_lfs_has_stack(void);
// An exception or a hard stop has left the littlefs with these lists in the middle of a function. It
// stays entered until the next source begins. Removes list entries in stack frames that are gone.
void gpusnek_lfs_left(const void *files, const void *folders);
// Whether the collector calls a finaliser, and no block device is at work for one.
bool gpusnek_lfs_finalises(void);
// Removes `entry`, whose memory the collector frees, from the list that begins at `list`.
void gpusnek_lfs_forget(const void *list, const void *entry);
// As gpusnek_lfs_enter, and raises OSError(EIO) instead.
void gpusnek_lfs_enter_or_raise(const void *lfs, const void *files, const void *folders);
// Raises OSError where `error`, which littlefs returned, is one.
void gpusnek_lfs_check(int error);

// For the collector: marks what the littlefs that are at work have listed.
void gpusnek_lfs_collect(void);
// No littlefs is at work.
void gpusnek_lfs_idle(void);

#endif
