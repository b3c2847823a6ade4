// Shared code: bytecode that one interpreter compiles and all interpreters of a launch execute.
//
// gpusnek_share_code() serializes a compiled module to bytes; gpusnek_load_code() makes a function
// of them without copying the bytecode or the strings. lifecycle.c calls both. The format is
// upstream's .mpy, read as if from ROM. Behind it follow the program's floating-point constants as
// doubles, because .mpy stores floats as text and thereby rounds them.
//
// Invariant C1: saving and loading visit the objects in the same order (for_floats), so the doubles
// need no index.
#include <string.h>

#include "code.h"
#include "hooks.h"
#include "py/bc.h"
#include "py/compile.h"
#include "py/cstack.h"
#include "py/emitglue.h"
#include "py/objstr.h"
#include "py/objtuple.h"
#include "py/persistentcode.h"
#include "py/reader.h"
#include "py/runtime.h"

// Head of shared code. Behind it follow the .mpy's bytes, the file's name, and for each object of
// the .mpy a double_count_t and as many doubles (invariant C1).
typedef struct _code_head_t {
    uint32_t mpy_length;
    uint32_t name_length;
    uint32_t objects;
} code_head_t;

typedef uint32_t double_count_t;

// Cursor of for_floats(). Saving appends doubles to `to`; loading reads them from `from`.
typedef struct _floats_t {
    vstr_t *to; // target of saving; NULL: load
    const char *from; // source of loading
    size_t left; // doubles that were appended, or are still unread
} floats_t;

// Save `number`, or return the next saved double, or return `number` if none is left.
static double pass_double(floats_t *floats, mp_float_t number) {
    double value = (double)number;
    if (floats->to != NULL) {
        vstr_add_strn(floats->to, (const char *)&value, sizeof(value));
        floats->left++;
    } else if (floats->left > 0) {
        memcpy(&value, floats->from, sizeof(value));
        floats->from += sizeof(value);
        floats->left--;
    }
    return value;
}

// Save every float in `items`, or replace it by its saved double. Recurses into tuples. Raises
// RuntimeError (recursion depth) and MemoryError.
static void for_floats(mp_obj_t *items, size_t count, floats_t *floats) {
    mp_cstack_check();
    for (size_t i = 0; i < count; i++) {
        if (mp_obj_is_float(items[i])) {
            const double value = pass_double(floats, mp_obj_float_get(items[i]));
            if (floats->to == NULL) {
                items[i] = mp_obj_new_float((mp_float_t)value);
            }
        #if MICROPY_PY_BUILTINS_COMPLEX
        } else if (mp_obj_is_type(items[i], &mp_type_complex)) {
            mp_float_t real;
            mp_float_t imaginary;
            mp_obj_complex_get(items[i], &real, &imaginary);
            const double new_real = pass_double(floats, real);
            const double new_imaginary = pass_double(floats, imaginary);
            if (floats->to == NULL) {
                items[i] = mp_obj_new_complex((mp_float_t)new_real, (mp_float_t)new_imaginary);
            }
        #endif
        } else if (mp_obj_is_type(items[i], &mp_type_tuple)) {
            mp_obj_tuple_t *tuple = MP_OBJ_TO_PTR(items[i]);
            // The empty tuple is a constant in read-only memory; this call does not write to it.
            for_floats(tuple->items, tuple->len, floats);
        }
    }
}

// Return the number of objects of a .mpy: the second number behind its header of four bytes.
static size_t objects_of(const byte *mpy) {
    mpy += 4;
    mp_decode_uint(&mpy);
    return mp_decode_uint(&mpy);
}

// Append the doubles of each object of `module`. An object that the .mpy replaced by None has none.
static void save_doubles(vstr_t *bytes, const mp_compiled_module_t *module,
    const mp_compiled_module_t *saved, size_t count) {
    mp_obj_t *objects = module->context->constants.obj_table;
    for (size_t i = 0; i < count; i++) {
        const size_t at = bytes->len;
        floats_t floats = { bytes, NULL, 0 };
        vstr_add_strn(bytes, (const char *)&floats.left, sizeof(double_count_t));
        if (saved->context->constants.obj_table[i] != mp_const_none) {
            for_floats(&objects[i], 1, &floats);
        }
        const double_count_t doubles = (double_count_t)floats.left;
        memcpy(bytes->buf + at, &doubles, sizeof(doubles));
    }
}

// Restore the doubles of `count` objects. Raises ValueError if `from` holds too few bytes.
static void load_doubles(const char *from, const char *end, mp_obj_t *objects, size_t count) {
    for (size_t i = 0; i < count; i++) {
        double_count_t doubles = UINT32_MAX;
        if ((size_t)(end - from) >= sizeof(doubles)) {
            memcpy(&doubles, from, sizeof(doubles));
            from += sizeof(doubles);
        }
        if ((size_t)(end - from) / sizeof(double) < doubles) {
            mp_raise_ValueError(NULL);
        }
        floats_t floats = { NULL, from, doubles };
        for_floats(&objects[i], 1, &floats);
        from += doubles * sizeof(double);
    }
}

// Return a new module context whose globals are those of __main__.
static mp_module_context_t *main_context(void) {
    mp_module_context_t *context = m_new_obj(mp_module_context_t);
    context->module.globals = &MP_STATE_VM(dict_main);
    return context;
}

void gpusnek_load_trusted(const byte *mpy, size_t length, size_t free_length,
    mp_compiled_module_t *module) {
    mp_reader_t reader;
    mp_reader_new_mem(&reader, mpy, length, free_length);
    nlr_buf_t nlr;
    porter_trust(true); // without trust a sandbox refuses upstream's loader
    if (nlr_push(&nlr) == 0) {
        mp_raw_code_load(&reader, module);
        nlr_pop();
        porter_trust(false);
    } else {
        porter_trust(false);
        nlr_jump(nlr.ret_val);
    }
}

// Load a .mpy for __main__, without copying its bytecode if the release supports ROM readers.
static void load_mpy(const byte *mpy, size_t length, mp_compiled_module_t *module) {
    module->context = main_context();
    #ifdef MP_READER_IS_ROM
    gpusnek_load_trusted(mpy, length, MP_READER_IS_ROM, module);
    #else
    gpusnek_load_trusted(mpy, length, 0, module); // this release copies the bytecode
    #endif
}

#if MICROPY_PERSISTENT_CODE_SAVE

// The release can save whole modules: write the module's .mpy.
static void save_mpy(mp_compiled_module_t *module, mp_print_t *print) {
    mp_raw_code_save(module, print);
}

// Store in *saved the module whose objects the .mpy contains: here the module itself.
static void load_back(mp_compiled_module_t *saved, const mp_compiled_module_t *module,
    const byte *mpy, size_t length) {
    (void)mpy; // the .mpy holds all objects
    (void)length;
    *saved = *module;
}

// Set the module's file name after loading.
static void name_file(mp_compiled_module_t *module, const char *name, size_t length) {
    (void)module; // the .mpy's names include it
    (void)name;
    (void)length;
}

#else

// Save a function with its nested functions. This format omits data that no bytecode uses: the
// file's name, and the objects of unreachable code, which become None.
static void save_mpy(mp_compiled_module_t *module, mp_print_t *print) {
    mp_obj_t saved = mp_raw_code_save_fun_to_bytes(&module->context->constants, module->rc);
    size_t length;
    const char *bytes = mp_obj_str_get_data(saved, &length);
    print->print_strn(print->data, bytes, length);
}

// Load the .mpy, to find out which objects it contains.
static void load_back(mp_compiled_module_t *saved, const mp_compiled_module_t *module,
    const byte *mpy, size_t length) {
    (void)module;
    load_mpy(mpy, length, saved);
}

// Set the module's file name, which this format omits.
static void name_file(mp_compiled_module_t *module, const char *name, size_t length) {
    ((qstr_short_t *)module->context->constants.qstr_table)[0] =
        (qstr_short_t)qstr_from_strn(name, length);
}

#endif

mp_obj_t gpusnek_share_code(mp_lexer_t *lexer, mp_parse_input_kind_t kind, bool is_repl) {
    const qstr source_name = lexer->source_name;
    mp_parse_tree_t tree = mp_parse(lexer, kind);
    mp_compiled_module_t module = { 0 }; // one release saves fields that it does not set
    module.context = main_context();
    mp_compile_to_raw_code(&tree, source_name, is_repl, &module);

    vstr_t bytes;
    mp_print_t print;
    code_head_t head = { 0 };
    vstr_init_print(&bytes, 256, &print);
    vstr_add_strn(&bytes, (const char *)&head, sizeof(head));
    save_mpy(&module, &print);
    const byte *mpy = (const byte *)bytes.buf + sizeof(head);
    head.mpy_length = (uint32_t)(bytes.len - sizeof(head));
    head.objects = (uint32_t)objects_of(mpy);
    // Keeps the context alive: the collector does not follow pointers into a block's interior.
    mp_compiled_module_t saved = { 0 };
    load_back(&saved, &module, mpy, head.mpy_length);
    size_t name_length;
    const byte *name = qstr_data(source_name, &name_length);
    vstr_add_strn(&bytes, (const char *)name, name_length);
    head.name_length = (uint32_t)name_length;
    save_doubles(&bytes, &module, &saved, head.objects);
    memcpy(bytes.buf, &head, sizeof(head));
    return mp_obj_new_bytes_from_vstr(&bytes);
}

mp_obj_t gpusnek_load_code(const char *code, size_t length) {
    code_head_t head = { 0 };
    if (length >= sizeof(head)) {
        memcpy(&head, code, sizeof(head));
    }
    if (head.mpy_length == 0
        || (uint64_t)head.mpy_length + head.name_length > length - sizeof(head)) {
        mp_raise_ValueError(NULL);
    }
    const byte *mpy = (const byte *)code + sizeof(head);
    const char *name = (const char *)mpy + head.mpy_length;
    mp_compiled_module_t module = { 0 };
    qstr_from_strn(name, head.name_length); // interned first, in the order of compilation
    load_mpy(mpy, head.mpy_length, &module);
    name_file(&module, name, head.name_length);
    load_doubles(name + head.name_length, code + length, module.context->constants.obj_table,
        head.objects);
    return mp_make_function_from_proto_fun(module.rc, module.context, NULL);
}
