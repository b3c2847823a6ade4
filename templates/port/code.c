// Shared code: upstream's .mpy format, read as if from ROM, so that all interpreters execute one
// copy; and behind it the constants that .mpy would round, because it writes floats as text.
#include <string.h>

#include "code.h"
#include "py/bc.h"
#include "py/compile.h"
#include "py/cstack.h"
#include "py/emitglue.h"
#include "py/objtuple.h"
#include "py/persistentcode.h"
#include "py/reader.h"
#include "py/runtime.h"

// The bytes: this, the .mpy's, and then doubles in the order in which for_floats meets them.
typedef struct _code_head_t {
    uint32_t mpy_length;
    uint32_t doubles;
} code_head_t;

// Either direction of for_floats.
typedef struct _floats_t {
    vstr_t *to; // doubles are appended here,
    const char *from; // or else read from here,
    size_t left; // so many
} floats_t;

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

// Every float below `items`, tuples' too: written out, or replaced by what was.
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
            // The empty tuple is a constant, and has nothing to replace.
            for_floats(tuple->items, tuple->len, floats);
        }
    }
}

static mp_module_context_t *main_context(void) {
    mp_module_context_t *context = m_new_obj(mp_module_context_t);
    context->module.globals = &MP_STATE_VM(dict_main);
    return context;
}

mp_obj_t gpusnek_share_code(mp_lexer_t *lexer, mp_parse_input_kind_t kind, bool is_repl) {
    const qstr source_name = lexer->source_name;
    mp_parse_tree_t tree = mp_parse(lexer, kind);
    mp_compiled_module_t module;
    module.context = main_context();
    mp_compile_to_raw_code(&tree, source_name, is_repl, &module);

    vstr_t bytes;
    mp_print_t print;
    code_head_t head = { 0 };
    vstr_init_print(&bytes, 256, &print);
    vstr_add_strn(&bytes, (const char *)&head, sizeof(head));
    mp_raw_code_save(&module, &print);
    head.mpy_length = (uint32_t)(bytes.len - sizeof(head));
    floats_t floats = { &bytes, NULL, 0 };
    for_floats(module.context->constants.obj_table, module.n_obj, &floats);
    head.doubles = (uint32_t)floats.left;
    memcpy(bytes.buf, &head, sizeof(head));
    return mp_obj_new_bytes_from_vstr(&bytes);
}

mp_obj_t gpusnek_load_code(const char *code, size_t length) {
    code_head_t head = { 0 };
    if (length >= sizeof(head)) {
        memcpy(&head, code, sizeof(head));
    }
    if (head.mpy_length == 0 || length
        != sizeof(head) + head.mpy_length + (uint64_t)head.doubles * sizeof(double)) {
        mp_raise_ValueError(NULL);
    }
    const byte *mpy = (const byte *)code + sizeof(head);
    mp_reader_t reader;
    #ifdef MP_READER_IS_ROM
    mp_reader_new_mem(&reader, mpy, head.mpy_length, MP_READER_IS_ROM);
    #else
    mp_reader_new_mem(&reader, mpy, head.mpy_length, 0); // this release copies
    #endif
    mp_compiled_module_t module;
    module.context = main_context();
    mp_raw_code_load(&reader, &module);
    floats_t floats = { NULL, (const char *)mpy + head.mpy_length, head.doubles };
    for_floats(module.context->constants.obj_table, module.n_obj, &floats);
    return mp_make_function_from_proto_fun(module.rc, module.context, NULL);
}
