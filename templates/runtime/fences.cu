// Operands of the bounds checks of device builds, in constant memory. The host writes them
// (porter/run/device/bounds_checks.py) before the first launch, and again when the local memory per thread
// grows. porter/compile/bounds_checks/lookup.py relies on the layout.
#include <stdint.h>

#include "porter_runtime.h"

#if PORTER_BOUNDS_CHECKS
extern "C" {
// The used part of a thread's window of local memory: its start, then its size less the maximum
// size of one check, shifted right by 0 to 4.
__constant__ uint32_t porter_fence_window[6];
// The build's own constants: address and size of the largest range; then its size less the maximum
// size of one check, shifted right by 0 to 4, as 32-bit words.
__constant__ uint64_t porter_fence_constants[5];
// Address and size of up to four other ranges of constants, which are listed with the permitted
// ranges of a launch.
__constant__ uint64_t porter_fence_pieces[8];
}
#endif

// In this unit, because it has no bounds checks. The checks of the other hooks' unit would refuse
// the stores to the table of ranges.
#include "ranges.inc"
