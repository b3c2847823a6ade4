// Mount the launch's file system region at "/" and add "/lib" to sys.path. lifecycle.c calls it at
// start.
#include "extmod/vfs.h"
#include "extmod/vfs_lfs.h"
#include "port.h"
#include "py/objlist.h"
#include "py/objstr.h"
#include "py/runtime.h"

static const MP_DEFINE_STR_OBJ(library_path, "/lib");

void gpusnek_fs_mount(void) {
    mp_obj_t device = mp_call_function_0(MP_OBJ_FROM_PTR(&gpusnek_block_device_type));
    mp_obj_t type = MP_OBJ_FROM_PTR(&mp_type_vfs_lfs2);
    mp_obj_t vfs = MP_OBJ_NULL;
    nlr_buf_t nlr;
    if (nlr_push(&nlr) == 0) {
        vfs = mp_call_function_1(type, device);
        nlr_pop();
    } else {
        if (!(gpusnek_boot.flags & GPUSNEK_FS_FORMAT)) {
            nlr_jump(nlr.ret_val);
        }
        mp_call_function_1(mp_load_attr(type, MP_QSTR_mkfs), device);
        vfs = mp_call_function_1(type, device);
    }
    mp_obj_t args[2] = { vfs, MP_OBJ_NEW_QSTR(MP_QSTR__slash_) };
    mp_vfs_mount(2, args, (mp_map_t *)&mp_const_empty_map);
    // Mounting at "/" does not change the current directory's file system.
    mp_vfs_chdir(MP_OBJ_NEW_QSTR(MP_QSTR__slash_));
    mp_obj_list_append(mp_sys_path, MP_OBJ_FROM_PTR(&library_path));
}
