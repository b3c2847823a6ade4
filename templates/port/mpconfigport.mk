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
SRC_C += slices.c charkinds.c charkinds_table.c methods.c methods_array.c methods_case.c methods_number.c \
    methods_bytearray.c methods_split.c methods_stream.c methods_text.c keywords.c encodings.c types.c tokens.c patterns.c
SRC_C += messages.c prelude.c raised.c raisedtypes.c functions.c systemnames.c keys.c settable.c settype.c
SRC_C += attribute_names.c classes.c classnames.c instances.c metaclasses.c deque.c modstruct.c modre.c regex_chars.c regex_match.c regex_parse.c
SRC_C += verify.c verify_code.c verify_flow.c
SRC_C += integers.c integers_power.c integers_text.c integers_words.c natural_power.c natural_product.c \
    natural_quotient.c
SRC_C += formatting.c complexes.c itemrange.c numbers.c printing.c ranges.c
SRC_C += floats.c decimal_expansion.c decimal_layout.c decimal_nearest.c decimal_powers.c \
    decimal_shortest.c
SRC_C += elementary_angles.c elementary_errors.c elementary_expm1.c elementary_gamma.c \
    elementary_hyperbolic.c elementary_log1p.c elementary_powers.c elementary_tables.c

# Upstream files that are not built, because floats.c and settype.c replace them.
PORT_REPLACES = py/formatfloat.c py/objset.c

# Upstream files outside py/ and extmod/ that each port selects.
SRC_SHARED_C = shared/timeutils/timeutils.c

# elementary_*.c round to the nearest float, or have the sums of glibc, so the last bits are those of
# CPython's results. Upstream's functions have the sums of glibc. The GPU and the host twin get equal
# results.
SRC_SHARED_C += lib/libm_dbl/acosh.c
