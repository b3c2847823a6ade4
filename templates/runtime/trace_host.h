// What the host twin's variant `traced` records of an interpreter: its basic blocks, calls and
// bytecode, a stream of words for porter_dev/bench/warp. In other variants all of it is nothing.
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
