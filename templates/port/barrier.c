// syncthreads(): the block barrier of Python programs.
//
// The compiler translates an expression `syncthreads()` to an instruction of its own, which calls
// gpusnek_syncthreads() (patch `syncthreads`). The function object gpusnek_syncthreads_obj serves
// every other use of the name.
#include "hooks.h"
#include "port.h"
#include "py/obj.h"
#include "py/runtime.h"

// Wait at the block's barrier. Raises RuntimeError if the launch runs interpreters in the order of
// their programs, because a block's interpreters then run in different thread blocks. Raises
// KeyboardInterrupt if the host interrupted during the wait.
void gpusnek_syncthreads(void) {
    if (gpusnek_io.scattered) {
        mp_raise_msg(&mp_type_RuntimeError, MP_ERROR_TEXT("syncthreads() in a launch that runs in "
            "the order of its programs: order=False keeps blocks together"));
    }
    porter_syncthreads(gpusnek_limits_end());
    // A waiting interpreter does not poll, so it polls after the barrier has opened. The barrier
    // opens when all other interpreters of the block have arrived or ended.
    gpusnek_poll_and_raise();
}

static bool holds(const mp_obj_dict_t *dict) {
    return dict != NULL && mp_map_lookup((mp_map_t *)&dict->map,
        MP_OBJ_NEW_QSTR(MP_QSTR_syncthreads), MP_MAP_LOOKUP) != NULL;
}

// Called by the compiler: return whether the globals, locals or builtins bind the name
// `syncthreads`. It then emits an ordinary call.
bool gpusnek_syncthreads_is_rebound(void) {
    #if MICROPY_CAN_OVERRIDE_BUILTINS
    if (holds(MP_STATE_VM(mp_module_builtins_override_dict))) {
        return true;
    }
    #endif
    return holds(mp_globals_get()) || holds(mp_locals_get());
}

static mp_obj_t builtin_syncthreads(void) {
    gpusnek_syncthreads();
    return mp_const_none;
}
MP_DEFINE_CONST_FUN_OBJ_0(gpusnek_syncthreads_obj, builtin_syncthreads);
