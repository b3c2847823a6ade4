// The interpreter's record for the reconvergence of its warp: porter_meet() and the hooks around it
// keep it between calls (hooks.h, templates/runtime/reconvergence.cu).
#ifndef GPUSNEK_RECONVERGENCE_H
#define GPUSNEK_RECONVERGENCE_H

#include "hooks.h"

extern uint32_t gpusnek_meetings[PORTER_MEETING_WORDS]; // limits.c

#endif
