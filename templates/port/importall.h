// `from module import *` (importall.c).
#ifndef GPUSNEK_IMPORTALL_H
#define GPUSNEK_IMPORTALL_H

#include "py/obj.h"

// Stores the names that `module.__all__` lists, and returns true; false without `__all__`.
bool gpusnek_import_all(mp_obj_t module);

#endif
