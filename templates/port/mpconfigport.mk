# The port's makefile options and source files. porter/generate reads this file together with
# upstream's makefiles (py/py.mk, extmod/extmod.mk).
MICROPY_VFS_LFS1 = 1
MICROPY_VFS_LFS2 = 1
# LFS2_THREADSAFE changes struct lfs2_config. All units need it, and in some releases littlefs does
# not include mpconfigport.h, so it is a compiler option.
CFLAGS_THIRDPARTY += -DLFS2_THREADSAFE=1

# C files of this folder.
SRC_C = atomics.c barrier.c blockdevice.c buffers.c changed.c console.c filesystem.c gccollect.c \
    imageguard.c fence.c kernel_api.c lack.c lfscalls.c lfscount.c lfsguard.c lifecycle.c limits.c modgpu.c \
    importall.c modjson.c mphalport.c
SRC_C += outbuf.c profile.c random.c repl.c stdio.c binding.c bytecode.c code.c native.c native_calls.c native_prelude.c native_slow.c marshal.c sort.c values.c
SRC_C += qstrsearch.c allocate.c judge.c weakrefs.c devicecalls.c exceptions.c missing.c unmarshal.c matching.c \
    matching_keys.c matching_numbers.c
SRC_C += slices.c charkinds.c charkinds_table.c methods.c methods_case.c methods_number.c \
    methods_text.c keywords.c encodings.c types.c tokens.c patterns.c
SRC_C += modre.c regex_chars.c regex_match.c regex_parse.c
SRC_C += verify.c verify_code.c verify_flow.c
SRC_C += integers.c integers_power.c integers_text.c natural_power.c natural_product.c \
    natural_quotient.c
SRC_C += floats.c decimal_expansion.c decimal_layout.c decimal_nearest.c decimal_powers.c \
    decimal_shortest.c

# Upstream files that are not built, because floats.c replaces them.
PORT_REPLACES = py/formatfloat.c

# Upstream files outside py/ and extmod/ that each port selects.
SRC_SHARED_C = shared/timeutils/timeutils.c

# CUDA's pow has errors of up to 2 ulp: 10.0 ** 100 is not 1e100. Upstream's own pow has errors
# below 1 ulp, and equal results on the GPU and the host twin.
SRC_SHARED_C += lib/libm_dbl/pow.c
