// What the checks of fenced builds compare with, in constant memory: the host writes it
// (porter/run/device/bounds_checks.py) before the first launch, and again when threads get more local
// memory. porter/compile/bounds_checks/lookup.py knows the layout.
#include <stdint.h>

#include "porter_runtime.h"

#if PORTER_FENCES
extern "C" {
// The used part of a thread's window of local memory: its start, then its bytes less the most that
// one check covers, shifted right by 0 to 4.
__constant__ uint32_t porter_fence_window[6];
// The build's own constants: address and bytes of the most of them, and of up to four other pieces,
// which are listed with what a launch lends.
__constant__ uint64_t porter_fence_constants[2];
__constant__ uint64_t porter_fence_pieces[8];
}
#endif

// Here, and not beside the other hooks, whose unit has checks: they would refuse stores to the table.
#include "ranges.inc"
