// Recording of the host twin's variant `traced`: a stream of words with basic blocks, calls and
// bytecode of each interpreter, which porter/bench/warp reads. Empty functions in other variants.
#ifndef GPUSNEK_TRACE_HOST_H
#define GPUSNEK_TRACE_HOST_H

#include <stdint.h>

#ifndef PORTER_TRACED
#define PORTER_TRACED 0
#endif

#if PORTER_TRACED
void trace_begin(uint32_t index); // the turn of this interpreter of the launch begins
void trace_end();
#else
static inline void trace_begin(uint32_t) {}
static inline void trace_end() {}
#endif

#endif
