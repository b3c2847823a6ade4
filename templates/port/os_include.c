// Included by upstream's extmod/modos.c (MICROPY_PY_OS_INCLUDEFILE).
#include "py/mphal.h"

static mp_obj_t mp_os_urandom(mp_obj_t count_in) {
    mp_int_t count = mp_obj_get_int(count_in);
    if (count < 0) {
        mp_raise_ValueError(MP_ERROR_TEXT("negative count"));
    }
    vstr_t bytes;
    vstr_init_len(&bytes, count);
    mp_hal_get_random(count, (uint8_t *)bytes.buf);
    return mp_obj_new_bytes_from_vstr(&bytes);
}
static MP_DEFINE_CONST_FUN_OBJ_1(mp_os_urandom_obj, mp_os_urandom);
