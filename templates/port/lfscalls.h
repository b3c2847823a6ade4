// Reentrancy guard for littlefs: wrappers of the functions that extmod/vfs_lfs.c calls.
//
// Problem: littlefs calls block devices, and a program can write a block device in Python. A method
// of this device can use the file system again, while littlefs is in the middle of an operation.
// littlefs 1 has no lock hook. littlefs 2 has one, but upstream considers a file closed even if the
// hook refuses the close.
//
// Mechanism: lfsnames.h makes extmod/vfs_lfs.c call the wrappers of lfscalls.c and lfscount.c. A
// wrapper enters the littlefs, calls it and leaves it. devicecalls.c has the stack of entered
// littlefs instances.
//
// States of a littlefs: idle; entered, while its function runs; abandoned, if an exception or a
// hard stop unwound out of its function. An abandoned littlefs counts as entered until the next
// source begins (gpusnek_lfs_idle()).
//
// Invariants (L1 is in devicecalls.c):
//   L2  A littlefs is entered at most once. A wrapper of an entered littlefs returns or raises EIO.
//   L3  The lists of an entered littlefs are roots of the collector. A finaliser of a listed file
//       would have to enter the littlefs to remove the file from the list.
#ifndef GPUSNEK_LFSCALLS_H
#define GPUSNEK_LFSCALLS_H

#include <stdbool.h>
#include <stddef.h>

// Returns whether littlefs `lfs` is entered.
bool gpusnek_lfs_works(const void *lfs);
// Enters littlefs `lfs`. Returns false if `lfs` or too many littlefs instances are entered, or if
// the C stack is nearly used up; the caller must not call littlefs then. `files` and `folders` (may
// be NULL) are the heads of the lists of open files and folders; each entry begins with a pointer
// to the next.
bool gpusnek_lfs_enter(const void *lfs, const void *files, const void *folders);
// Leaves the littlefs that was entered last.
void gpusnek_lfs_leave(void);
// Returns whether the C stack suffices for a function of littlefs, which must not be interrupted.
bool gpusnek_lfs_has_stack(void);
// Abandons the littlefs with these lists after an exception or a hard stop unwound out of its
// function. Removes list entries that lie in dead stack frames (L1).
void gpusnek_lfs_left(const void *files, const void *folders);
// Returns whether the collector is calling a finaliser while no block device in Python runs.
bool gpusnek_lfs_finalises(void);
// Removes `entry`, whose memory the collector frees, from the list that begins at `list`.
void gpusnek_lfs_forget(const void *list, const void *entry);
// Enters littlefs `lfs` as gpusnek_lfs_enter(). Raises OSError(EIO) if that fails.
void gpusnek_lfs_enter_or_raise(const void *lfs, const void *files, const void *folders);
// Raises OSError if `error`, a result of littlefs, is negative.
void gpusnek_lfs_check(int error);

// Called by the collector (gccollect.c): marks the list entries of all entered littlefs (L3).
void gpusnek_lfs_collect(void);
// Makes all littlefs idle. Called when a source begins.
void gpusnek_lfs_idle(void);

#endif
