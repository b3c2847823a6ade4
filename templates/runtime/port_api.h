// The functions of the port (interp.h, kernel_api.h) as the runtime calls them: on the device they
// are device functions.
#ifndef GPUSNEK_PORT_API_H
#define GPUSNEK_PORT_API_H

#include "porter_runtime.h"

#define GPUSNEK_API extern "C" PORTER_DEVICE
#include "interp.h"
#include "kernel_api.h"

extern "C" PORTER_DEVICE int porter_refused(void); // hooks.h

#endif
