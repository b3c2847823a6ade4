# The port's choices that upstream's makefiles (py/py.mk, extmod/extmod.mk) read, and its own
# sources. Read by porter/generate together with those makefiles.
MICROPY_VFS_LFS1 = 1
MICROPY_VFS_LFS2 = 1
# It changes struct lfs2_config, and not every release's littlefs reads mpconfigport.h: all units
# must be told.
CFLAGS_THIRDPARTY += -DLFS2_THREADSAFE=1

# Files of this folder.
SRC_C = atomics.c barrier.c blockdevice.c buffers.c changed.c console.c filesystem.c gccollect.c \
    imageguard.c fence.c interp.c kernel_api.c lack.c lfscalls.c lfscount.c lfsguard.c limits.c modgpu.c mphalport.c
SRC_C += outbuf.c profile.c random.c repl.c stdio.c binding.c bytecode.c code.c native.c native_calls.c native_prelude.c native_slow.c marshal.c sort.c values.c
SRC_C += qstrsearch.c allocate.c judge.c weakrefs.c devicecalls.c exceptions.c unmarshal.c matching.c \
    matching_keys.c matching_numbers.c
SRC_C += verify.c verify_code.c verify_flow.c
SRC_C += integers.c integers_power.c integers_text.c natural_power.c natural_product.c \
    natural_quotient.c
SRC_C += floats.c decimal_expansion.c decimal_layout.c decimal_nearest.c decimal_powers.c \
    decimal_shortest.c

# Upstream files that files of this folder stand in for: floats.c.
PORT_REPLACES = py/formatfloat.c

# Upstream files outside py/ and extmod/ that a port picks.
SRC_SHARED_C = shared/timeutils/timeutils.c

# CUDA's pow is off by up to two units in the last place (10.0 ** 100 is not 1e100); Python
# programs notice. Upstream's own is good to one, on both targets alike.
SRC_SHARED_C += lib/libm_dbl/pow.c
