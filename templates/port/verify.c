// Verification of untrusted bytecode, first pass: the file's structure and its tables (verify.h).
//
// All bytes are read into a copy first, and both verification and loading use the copy. So a write
// to the source, by the program, another interpreter or the host, cannot change verified code.
#include "verify.h"

#include "code.h"
#include "py/cstack.h"
#include "py/emitglue.h"
#include "py/objtuple.h"
#include "py/persistentcode.h"
#include "py/reader.h"
#include "py/smallint.h"
#include "py/unicode.h"

#define LAST_STATIC_NAME (MP_QSTR_zip) // the last of upstream's static_qstr_list
// Bytes of a 32-bit number. Upstream's decoders have no bound; the VM's fast path stops at
// VM_LONGEST.
#define MOST_NUMBER_BYTES (5)
// A function's head: its length, shifted by KIND_BITS, with the kind and HAS_CHILDREN in the low
// bits.
#define KIND_BYTECODE (0)
#define KIND_MASK (3)
#define HAS_CHILDREN (4)
#define KIND_BITS (3)

#if GPUSNEK_PATCH_VERIFIED_CODE

void gpusnek_verify_need(bool holds) {
    if (!holds) {
        mp_raise_ValueError(MP_ERROR_TEXT("incompatible .mpy file"));
    }
}

byte gpusnek_verify_byte(verify_bytes_t *bytes) {
    gpusnek_verify_need(bytes->at < bytes->end);
    return *bytes->at++;
}

uint32_t gpusnek_verify_number(verify_bytes_t *bytes) {
    uint64_t value = 0;
    byte next;
    unsigned int count = 0;
    do {
        gpusnek_verify_need(count++ < MOST_NUMBER_BYTES);
        next = gpusnek_verify_byte(bytes);
        value = value << 7 | (next & 0x7f);
    } while (next & 0x80);
    gpusnek_verify_need(value <= UINT32_MAX);
    return (uint32_t)value;
}

// Skips `length` bytes and returns their address.
static byte *skip(verify_bytes_t *bytes, uint32_t length) {
    gpusnek_verify_need(length <= (size_t)(bytes->end - bytes->at));
    byte *start = bytes->at;
    bytes->at += length;
    return start;
}

// Verifies a string and its terminating NUL.
static void verify_text(verify_bytes_t *bytes, uint32_t length, bool is_utf8) {
    const byte *text = skip(bytes, length);
    skip(bytes, 1);
    (void)text;
    (void)is_utf8;
    #if MICROPY_PY_BUILTINS_STR_UNICODE
    gpusnek_verify_need(!is_utf8 || utf8_check(text, length));
    #endif
}

// Verifies an entry of the table of names.
static void verify_name(verify_bytes_t *bytes) {
    const uint32_t length = gpusnek_verify_number(bytes);
    if (length & 1) { // the number of a static qstr
        gpusnek_verify_need(length >> 1 != MP_QSTRnull && length >> 1 <= LAST_STATIC_NAME);
    } else {
        verify_text(bytes, length >> 1, true);
    }
}

// Verifies an entry of the table of constant objects; recursive for tuples.
static void verify_object(verify_bytes_t *bytes) {
    mp_cstack_check();
    const byte type = gpusnek_verify_byte(bytes);
    if (type >= MP_PERSISTENT_OBJ_NONE && type <= MP_PERSISTENT_OBJ_ELLIPSIS) {
        return;
    }
    const uint32_t length = gpusnek_verify_number(bytes);
    switch (type) {
        case MP_PERSISTENT_OBJ_STR:
        case MP_PERSISTENT_OBJ_BYTES:
            verify_text(bytes, length, type == MP_PERSISTENT_OBJ_STR);
            break;
        case MP_PERSISTENT_OBJ_INT:
        case MP_PERSISTENT_OBJ_FLOAT:
        case MP_PERSISTENT_OBJ_COMPLEX: // upstream's number parser validates the text
            skip(bytes, length);
            break;
        case MP_PERSISTENT_OBJ_TUPLE:
            gpusnek_verify_need(length <= (size_t)(bytes->end - bytes->at));
            for (uint32_t i = 0; i < length; i++) {
                verify_object(bytes);
            }
            break;
        default:
            gpusnek_verify_need(false);
    }
}

// Verifies a function and its children, the functions that it creates. They follow it in the file
// and are verified first, because the function's instructions depend on their properties.
static verify_child_t verify_function(verify_bytes_t *bytes, uint32_t names, uint32_t objects) {
    mp_cstack_check();
    const uint32_t head = gpusnek_verify_number(bytes);
    gpusnek_verify_need((head & KIND_MASK) == KIND_BYTECODE);
    const uint32_t length = head >> KIND_BITS;
    byte *data = skip(bytes, length);
    const uint32_t count = head & HAS_CHILDREN ? gpusnek_verify_number(bytes) : 0;
    gpusnek_verify_need(count <= (size_t)(bytes->end - bytes->at));
    verify_child_t *children = m_new(verify_child_t, count);
    for (uint32_t i = 0; i < count; i++) {
        children[i] = verify_function(bytes, names, objects);
    }
    verify_t *of = m_new0(verify_t, 1);
    of->names = names;
    of->objects = objects;
    of->children = children;
    of->child_count = count;
    const verify_child_t found = gpusnek_verify_code(of, data, length);
    m_del(verify_t, of, 1);
    m_del(verify_child_t, children, count);
    return found;
}

// Verifies the file's header: format version, and no native code.
static void verify_head(verify_bytes_t *bytes) {
    const byte letter = gpusnek_verify_byte(bytes);
    const byte version = gpusnek_verify_byte(bytes);
    const byte features = gpusnek_verify_byte(bytes);
    const byte small_int_bits = gpusnek_verify_byte(bytes);
    gpusnek_verify_need(letter == 'M' && version == MPY_VERSION && small_int_bits <= MP_SMALL_INT_BITS);
    if (MPY_FEATURE_DECODE_ARCH(features) != MP_NATIVE_ARCH_NONE) {
        gpusnek_verify_need(MPY_FEATURE_DECODE_SUB_VERSION(features) == MPY_SUB_VERSION);
        mp_raise_ValueError(MP_ERROR_TEXT("native code in .mpy unsupported"));
    }
    #ifdef MPY_FEATURE_ARCH_FLAGS_TEST
    gpusnek_verify_need(!MPY_FEATURE_ARCH_FLAGS_TEST(features));
    #endif
}

// Verifies a complete file.
static void verify_file(byte *mpy, size_t length) {
    verify_bytes_t bytes = { mpy, mpy + length };
    verify_head(&bytes);
    const uint32_t names = gpusnek_verify_number(&bytes);
    const uint32_t objects = gpusnek_verify_number(&bytes);
    gpusnek_verify_need(names > 0); // the first is the name of the source file, for tracebacks
    gpusnek_verify_need((uint64_t)names + objects <= (size_t)(bytes.end - bytes.at));
    for (uint32_t i = 0; i < names; i++) {
        verify_name(&bytes);
    }
    for (uint32_t i = 0; i < objects; i++) {
        verify_object(&bytes);
    }
    const verify_child_t top = verify_function(&bytes, names, objects);
    gpusnek_verify_need(top.free_cells == 0); // a module is not a closure
}

// Reads all bytes of a reader and closes it, also after an exception.
static void read_all(mp_reader_t *reader, vstr_t *into) {
    nlr_buf_t nlr;
    vstr_init(into, 256);
    if (nlr_push(&nlr) != 0) {
        reader->close(reader->data);
        nlr_jump(nlr.ret_val);
    }
    for (mp_uint_t next; (next = reader->readbyte(reader->data)) != MP_READER_EOF;) {
        vstr_add_byte(into, (byte)next);
    }
    nlr_pop();
    reader->close(reader->data);
}

void gpusnek_load_outside(void *reader, mp_compiled_module_t *module) {
    vstr_t bytes;
    read_all((mp_reader_t *)reader, &bytes);
    verify_file((byte *)bytes.buf, bytes.len);
    gpusnek_load_trusted((const byte *)bytes.buf, bytes.len, 0, module);
    vstr_clear(&bytes);
}

mp_obj_t gpusnek_function_of_code(mp_proto_fun_t proto_fun, const mp_module_context_t *context,
    const mp_obj_t *def_args) {
    const byte *prelude = mp_proto_fun_is_bytecode(proto_fun) ? (const byte *)proto_fun
        : (const byte *)((const mp_raw_code_t *)proto_fun)->fun_data;
    MP_BC_PRELUDE_SIG_DECODE(prelude);
    mp_obj_t none[2] = { MP_OBJ_NULL, MP_OBJ_NULL };
    if (n_def_pos_args != 0) {
        mp_obj_tuple_t *values = MP_OBJ_TO_PTR(mp_obj_new_tuple(n_def_pos_args, NULL));
        for (size_t i = 0; i < n_def_pos_args; i++) {
            values->items[i] = MP_OBJ_NULL;
        }
        none[0] = MP_OBJ_FROM_PTR(values);
    }
    if ((scope_flags & MP_SCOPE_FLAG_DEFKWARGS) != 0) {
        none[1] = mp_obj_new_dict(0);
    }
    (void)def_args; // a code object has none
    return mp_make_function_from_proto_fun(proto_fun, context, none);
}

#endif
