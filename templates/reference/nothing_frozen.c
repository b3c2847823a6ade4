// Replaces the unit of frozen modules in the executable that compiles them (porter/freeze).
#include <stdint.h>

#include "qstrtable.h" // without frozen modules, the table of all constant qstrs

const char mp_frozen_names[1] = "";
const void *const mp_frozen_mpy_content[1] = {0};
