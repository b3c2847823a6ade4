// Replaces the unit of frozen modules in the executable that compiles them (porter/freeze).
const char mp_frozen_names[1] = "";
const void *const mp_frozen_mpy_content[1] = {0};
// All bits are set: a search in the extra pool is never left out.
const unsigned int gpusnek_frozen_filter[(1 << 14) / 32] = {[0 ... (1 << 14) / 32 - 1] = ~0u};
