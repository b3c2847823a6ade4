// The module `gpu`: atomics on shared arrays and block devices in device memory. atomics.c and
// blockdevice.c implement them.
#include "port.h"
#include "py/runtime.h"

static const mp_rom_map_elem_t gpu_globals_table[] = {
    { MP_ROM_QSTR(MP_QSTR___name__), MP_ROM_QSTR(MP_QSTR_gpu) },
    { MP_ROM_QSTR(MP_QSTR_VRAMBlockDevice), MP_ROM_PTR(&gpusnek_block_device_type) },
    { MP_ROM_QSTR(MP_QSTR_RAMBlockDevice), MP_ROM_PTR(&gpusnek_block_device_type) },
    { MP_ROM_QSTR(MP_QSTR_atomic_add), MP_ROM_PTR(&gpusnek_atomic_add_obj) },
    { MP_ROM_QSTR(MP_QSTR_atomic_min), MP_ROM_PTR(&gpusnek_atomic_min_obj) },
    { MP_ROM_QSTR(MP_QSTR_atomic_max), MP_ROM_PTR(&gpusnek_atomic_max_obj) },
    { MP_ROM_QSTR(MP_QSTR_atomic_exchange), MP_ROM_PTR(&gpusnek_atomic_exchange_obj) },
    { MP_ROM_QSTR(MP_QSTR_atomic_cas), MP_ROM_PTR(&gpusnek_atomic_cas_obj) },
};
static MP_DEFINE_CONST_DICT(gpu_globals, gpu_globals_table);

const mp_obj_module_t mp_module_gpu = {
    .base = { &mp_type_module },
    .globals = (mp_obj_dict_t *)&gpu_globals,
};

MP_REGISTER_MODULE(MP_QSTR_gpu, mp_module_gpu);
