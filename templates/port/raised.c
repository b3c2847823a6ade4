// Attributes, chaining and texts of exceptions (raised.h).
//
// Invariant X1: `gpusnek_extended` of an exception is set if and only if EXTRAS words lie behind the
// items of its tuple `args`. A program sees the tuple without them.
// Invariant X2: gpusnek_chain() makes no chain of contexts a circle. A program can, so walks along
// chains are bounded.
// Invariant X3: mp_const_GeneratorExit_obj, which interpreters share, is never written.
#include "raised.h"

#include <string.h>

#include "classnames.h"
#include "devicecalls.h"
#include "py/bc.h"
#include "py/gc.h"
#include "py/objstr.h"
#include "py/objtype.h"
#include "py/runtime.h"
#include "py/unicode.h"

#if GPUSNEK_PATCH_EXCEPTIONS

#define LINKS (200) // of a chain that are followed
#define FRAMES (100) // callers whose handlers are searched
#define HANDLERS (64) // of a frame that are searched
#define SHOWN (16) // exceptions of a chain that are printed

typedef enum {
    CAUSE,
    CONTEXT,
    FURTHER, // dict of further attributes
    EXTRAS,
} extra_t;

extern const mp_obj_type_t gpusnek_type_UnicodeDecodeError, gpusnek_type_UnicodeEncodeError;

static bool is_native_exception(mp_const_obj_t self) {
    return mp_obj_is_native_exception_instance((mp_obj_t)self);
}

// Returns the built-in part of an exception, or NULL.
static mp_obj_exception_t *part_of(mp_obj_t exception) {
    if (exception == MP_OBJ_NULL || !mp_obj_is_obj(exception) || !mp_obj_is_exception_instance(exception)) {
        return NULL;
    }
    if (!is_native_exception(exception)) {
        exception = ((mp_obj_instance_t *)MP_OBJ_TO_PTR(exception))->subobj[0];
        if (!is_native_exception(exception)) {
            return NULL;
        }
    }
    return MP_OBJ_TO_PTR(exception);
}

static bool is_a(const mp_obj_exception_t *self, const mp_obj_type_t *type) {
    return mp_obj_is_subclass_fast(MP_OBJ_FROM_PTR(self->base.type), MP_OBJ_FROM_PTR(type));
}

// Makes the tuple `args` of an exception with space for the extras. Returns whether the heap had it.
static bool extend(mp_obj_exception_t *self, size_t length, const mp_obj_t *items) {
    mp_obj_tuple_t *const made = m_new_obj_var_maybe(mp_obj_tuple_t, items, mp_obj_t, length + EXTRAS);
    if (made == NULL) {
        return false;
    }
    made->base.type = &mp_type_tuple;
    made->len = length;
    memcpy(made->items, items, length * sizeof(mp_obj_t));
    mp_obj_t *const extras = made->items + length;
    if (self->gpusnek_extended) {
        memcpy(extras, self->args->items + self->args->len, EXTRAS * sizeof(mp_obj_t));
    } else {
        extras[CAUSE] = extras[CONTEXT] = extras[FURTHER] = MP_OBJ_NULL;
    }
    self->args = made;
    self->gpusnek_extended = true;
    return true;
}

static mp_obj_t extra(const mp_obj_exception_t *self, extra_t which) {
    return self->gpusnek_extended ? self->args->items[self->args->len + which] : MP_OBJ_NULL;
}

// Sets an extra, unless the heap is full.
static void set_extra(mp_obj_exception_t *self, extra_t which, mp_obj_t value) {
    if (self == &mp_const_GeneratorExit_obj) {
        return;
    }
    if (self->gpusnek_extended || (value != MP_OBJ_NULL && extend(self, self->args->len, self->args->items))) {
        self->args->items[self->args->len + which] = value;
    }
}

static mp_obj_exception_t *context_of(const mp_obj_exception_t *self) {
    return part_of(extra(self, CONTEXT));
}

void gpusnek_chain(mp_obj_t exception, mp_obj_t handled, bool fresh) {
    mp_obj_exception_t *last = part_of(exception);
    mp_obj_exception_t *const other = part_of(handled);
    if (last == NULL || other == NULL || last == other) {
        return;
    }
    if (!fresh) { // a callee raised it, perhaps while it handled others: these come first
        mp_obj_exception_t *next = context_of(last);
        for (int i = 0; i < LINKS && next != NULL; i++) {
            if (next == other) {
                return;
            }
            last = next;
            next = context_of(last);
        }
        if (next != NULL) {
            return;
        }
    }
    mp_obj_exception_t *each = other;
    for (int i = 0; i < LINKS; i++) {
        mp_obj_exception_t *const next = context_of(each);
        if (next == NULL) {
            break;
        }
        if (next == last) { // invariant X2
            if (!fresh) {
                return;
            }
            set_extra(each, CONTEXT, MP_OBJ_NULL);
            break;
        }
        each = next;
    }
    set_extra(last, CONTEXT, handled);
}

mp_obj_base_t *gpusnek_handled(const mp_code_state_t *frame, const mp_exc_stack_t *exc_sp, mp_obj_base_t *outer) {
    for (int i = 0; i < FRAMES; i++) {
        const mp_exc_stack_t *const bottom = (const mp_exc_stack_t *)(frame->state + frame->n_state);
        for (int j = 0; j < HANDLERS && exc_sp >= bottom; j++, exc_sp--) {
            if (exc_sp->prev_exc != NULL) {
                return exc_sp->prev_exc;
            }
        }
        frame = frame->prev;
        if (frame == NULL) {
            return outer;
        }
        exc_sp = MP_CODE_STATE_EXC_SP_IDX_TO_PTR(
            (const mp_exc_stack_t *)(frame->state + frame->n_state), frame->exc_sp_idx);
    }
    return NULL;
}

void gpusnek_chain_raised(mp_obj_t exception, const mp_code_state_t *frame, const mp_exc_stack_t *exc_sp,
    mp_obj_base_t *outer, bool fresh) {
    mp_obj_base_t *const handled = gpusnek_handled(frame, exc_sp, outer);
    if (handled != NULL) {
        gpusnek_chain(exception, MP_OBJ_FROM_PTR(handled), fresh);
    }
}

static void set_cause(mp_obj_exception_t *self, mp_obj_t cause) {
    if (self != &mp_const_GeneratorExit_obj) {
        set_extra(self, CAUSE, cause == mp_const_none ? MP_OBJ_NULL : cause);
        self->gpusnek_suppress = true;
    }
}

mp_obj_t gpusnek_raise_from(mp_obj_t exception, mp_obj_t cause) {
    mp_obj_exception_t *const self = part_of(exception);
    if (mp_obj_is_exception_type(cause)) {
        cause = mp_call_function_n_kw(cause, 0, 0, NULL);
    }
    if (cause != mp_const_none && part_of(cause) == NULL) {
        return mp_obj_new_exception_msg(&mp_type_TypeError, MP_ERROR_TEXT("exception causes must derive from BaseException"));
    }
    if (self != NULL) {
        set_cause(self, cause);
    }
    return exception;
}

// Tracebacks: the frames of an exception at the time of the access.
typedef struct {
    mp_obj_base_t base;
    size_t frames; // number of frames from this one to the innermost one
    const size_t *values; // as of mp_obj_exception_t: the innermost frame comes first
} traceback_t;

static void traceback_attr(mp_obj_t self_in, qstr attr, mp_obj_t *dest);
static void frame_attr(mp_obj_t self_in, qstr attr, mp_obj_t *dest);
static void code_attr(mp_obj_t self_in, qstr attr, mp_obj_t *dest);

static MP_DEFINE_CONST_OBJ_TYPE(traceback_type, MP_QSTR_traceback, MP_TYPE_FLAG_NONE, attr, traceback_attr);
static MP_DEFINE_CONST_OBJ_TYPE(frame_type, MP_QSTR_frame, MP_TYPE_FLAG_NONE, attr, frame_attr);
static MP_DEFINE_CONST_OBJ_TYPE(code_type, MP_QSTR_code, MP_TYPE_FLAG_NONE, attr, code_attr);

static mp_obj_t new_view(const mp_obj_type_t *type, const size_t *values, size_t frames) {
    if (frames == 0) {
        return mp_const_none;
    }
    traceback_t *const made = mp_obj_malloc(traceback_t, type);
    made->frames = frames;
    made->values = values;
    return MP_OBJ_FROM_PTR(made);
}

static const size_t *entry_of(const traceback_t *self) {
    return self->values + 3 * (self->frames - 1);
}

static void traceback_attr(mp_obj_t self_in, qstr attr, mp_obj_t *dest) {
    const traceback_t *const self = MP_OBJ_TO_PTR(self_in);
    if (dest[0] != MP_OBJ_NULL) {
        return;
    }
    if (attr == MP_QSTR_tb_lineno) {
        dest[0] = mp_obj_new_int_from_uint(entry_of(self)[1]);
    } else if (attr == MP_QSTR_tb_next) {
        dest[0] = new_view(&traceback_type, self->values, self->frames - 1);
    } else if (attr == MP_QSTR_tb_frame) {
        dest[0] = new_view(&frame_type, self->values, self->frames);
    } else if (attr == MP_QSTR_tb_lasti) {
        dest[0] = MP_OBJ_NEW_SMALL_INT(-1);
    }
}

static void frame_attr(mp_obj_t self_in, qstr attr, mp_obj_t *dest) {
    const traceback_t *const self = MP_OBJ_TO_PTR(self_in);
    if (dest[0] != MP_OBJ_NULL) {
        return;
    }
    if (attr == MP_QSTR_f_lineno) {
        dest[0] = mp_obj_new_int_from_uint(entry_of(self)[1]);
    } else if (attr == MP_QSTR_f_code) {
        dest[0] = new_view(&code_type, self->values, self->frames);
    } else if (attr == MP_QSTR_f_back) {
        dest[0] = mp_const_none;
    } else if (attr == MP_QSTR_f_globals || attr == MP_QSTR_f_locals) {
        dest[0] = mp_obj_new_dict(0);
    }
}

static void code_attr(mp_obj_t self_in, qstr attr, mp_obj_t *dest) {
    const traceback_t *const self = MP_OBJ_TO_PTR(self_in);
    if (dest[0] != MP_OBJ_NULL) {
        return;
    }
    if (attr == MP_QSTR_co_filename) {
        dest[0] = MP_OBJ_NEW_QSTR((qstr)entry_of(self)[0]);
    } else if (attr == MP_QSTR_co_name || attr == MP_QSTR_co_qualname) {
        const qstr name = (qstr)entry_of(self)[2];
        dest[0] = MP_OBJ_NEW_QSTR(name == MP_QSTRnull ? MP_QSTR_ : name);
    }
}

static mp_obj_t traceback_of(const mp_obj_exception_t *self) {
    const size_t length = self->traceback_data == NULL ? 0 : self->traceback_len;
    if (length < 3) {
        return mp_const_none;
    }
    size_t *const copy = m_new(size_t, length);
    if (self->traceback_data == NULL || self->traceback_len < length) { // a finaliser changed it
        return mp_const_none;
    }
    memcpy(copy, self->traceback_data, length * sizeof(size_t));
    return new_view(&traceback_type, copy, length / 3);
}

static void set_traceback(mp_obj_exception_t *self, mp_obj_t value) {
    if (self == &mp_const_GeneratorExit_obj) {
        return;
    }
    if (value == mp_const_none) {
        // Invariant of upstream: data that was allocated before is used again.
        self->traceback_len = 0;
        return;
    }
    if (!mp_obj_is_exact_type(value, &traceback_type)) {
        mp_raise_TypeError(MP_ERROR_TEXT("__traceback__ must be a traceback or None"));
    }
    const traceback_t *const from = MP_OBJ_TO_PTR(value);
    const size_t length = 3 * from->frames;
    size_t *const copy = m_new(size_t, length);
    memcpy(copy, from->values, length * sizeof(size_t));
    self->traceback_data = copy;
    self->traceback_alloc = length;
    self->traceback_len = length;
}

// Further attributes.
static mp_obj_t further(mp_obj_exception_t *self, bool create) {
    mp_obj_t dict = extra(self, FURTHER);
    if (dict == MP_OBJ_NULL && create) {
        dict = mp_obj_new_dict(0);
        set_extra(self, FURTHER, dict);
    }
    return dict;
}

static mp_obj_t look_up(const mp_obj_exception_t *self, qstr attr) {
    const mp_obj_t dict = extra(self, FURTHER);
    if (dict == MP_OBJ_NULL) {
        return MP_OBJ_NULL;
    }
    const mp_map_elem_t *const found =
        mp_map_lookup(mp_obj_dict_get_map(dict), MP_OBJ_NEW_QSTR(attr), MP_MAP_LOOKUP);
    return found == NULL ? MP_OBJ_NULL : found->value;
}

static void put(mp_obj_exception_t *self, qstr attr, mp_obj_t value) {
    const mp_obj_t dict = further(self, true);
    mp_obj_dict_store(dict, MP_OBJ_NEW_QSTR(attr), value);
}

void gpusnek_exception_set(mp_obj_t exception, qstr attr, mp_obj_t value) {
    mp_obj_exception_t *const self = part_of(exception);
    if (self != NULL) {
        put(self, attr, value);
    }
}

static bool is_group(const mp_obj_exception_t *self) {
    return is_a(self, &gpusnek_type_BaseExceptionGroup);
}

// Methods. `self` is an exception or an instance of a class that derives from one.
static mp_obj_exception_t *checked(mp_obj_t self) {
    mp_obj_exception_t *const native = part_of(self);
    if (native == NULL) {
        mp_raise_TypeError(MP_ERROR_TEXT("not an exception"));
    }
    return native;
}

static mp_obj_t add_note(mp_obj_t self, mp_obj_t note) {
    mp_obj_exception_t *const native = checked(self);
    if (!mp_obj_is_str(note)) {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("note must be a str, not '%s'"), mp_obj_get_type_str(note));
    }
    mp_obj_t notes[2];
    mp_load_method_maybe(self, MP_QSTR___notes__, notes);
    if (notes[0] == MP_OBJ_NULL) {
        notes[0] = mp_obj_new_list(0, NULL);
        if (is_native_exception(self)) {
            put(native, MP_QSTR___notes__, notes[0]);
        } else {
            mp_store_attr(self, MP_QSTR___notes__, notes[0]);
        }
    } else if (!mp_obj_is_type(notes[0], &mp_type_list)) {
        mp_raise_TypeError(MP_ERROR_TEXT("Cannot add note: __notes__ is not a list"));
    }
    mp_obj_list_append(notes[0], note);
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_2(add_note_obj, add_note);

static mp_obj_t with_traceback(mp_obj_t self, mp_obj_t traceback) {
    set_traceback(checked(self), traceback);
    return self;
}
static MP_DEFINE_CONST_FUN_OBJ_2(with_traceback_obj, with_traceback);

static mp_obj_t exception_str(mp_obj_t self) {
    vstr_t text;
    mp_print_t print;
    vstr_init_print(&text, 16, &print);
    gpusnek_exception_print(&print, MP_OBJ_FROM_PTR(checked(self)), PRINT_STR);
    return mp_obj_new_str_from_vstr(&text);
}
static MP_DEFINE_CONST_FUN_OBJ_1(exception_str_obj, exception_str);

static mp_obj_t exception_repr(mp_obj_t self) {
    vstr_t text;
    mp_print_t print;
    vstr_init_print(&text, 16, &print);
    mp_obj_exception_t *const native = checked(self);
    mp_print_str(&print, mp_obj_get_type_str(self));
    gpusnek_exception_print(&print, MP_OBJ_FROM_PTR(native), PRINT_REPR | PRINT_EXC_SUBCLASS);
    return mp_obj_new_str_from_vstr(&text);
}
static MP_DEFINE_CONST_FUN_OBJ_1(exception_repr_obj, exception_repr);

static mp_obj_t method_of(const mp_obj_type_t *type, qstr attr) {
    switch (attr) {
        case MP_QSTR_add_note:
            return MP_OBJ_FROM_PTR(&add_note_obj);
        case MP_QSTR_with_traceback:
            return MP_OBJ_FROM_PTR(&with_traceback_obj);
        case MP_QSTR___str__:
            return MP_OBJ_FROM_PTR(&exception_str_obj);
        case MP_QSTR___repr__:
            return MP_OBJ_FROM_PTR(&exception_repr_obj);
        case MP_QSTR_split:
        case MP_QSTR_subgroup:
        case MP_QSTR_derive:
            if (mp_obj_is_subclass_fast(MP_OBJ_FROM_PTR(type), MP_OBJ_FROM_PTR(&gpusnek_type_BaseExceptionGroup))) {
                const mp_obj_t module = mp_import_name(MP_QSTR__groups, mp_const_none, MP_OBJ_NEW_SMALL_INT(0));
                return mp_load_attr(module, attr);
            }
            return MP_OBJ_NULL;
        default:
            return MP_OBJ_NULL;
    }
}

bool gpusnek_exception_method(mp_obj_t self, const mp_obj_type_t *type, qstr attr, mp_obj_t *dest) {
    if (MP_OBJ_TYPE_GET_SLOT_OR_NULL(type, make_new) != mp_obj_exception_make_new) {
        return false;
    }
    const mp_obj_t method = method_of(type, attr);
    if (method == MP_OBJ_NULL) {
        return false;
    }
    dest[0] = method;
    dest[1] = self;
    return true;
}

// Returns item `at` of args, None if `args` has fewer than `least` items.
static mp_obj_t item(const mp_obj_exception_t *self, size_t at, size_t least) {
    return self->args->len < least || self->args->len <= at ? mp_const_none : self->args->items[at];
}

// Attributes of particular types that args hold. Returns MP_OBJ_NULL for others.
static mp_obj_t typed_attribute(const mp_obj_exception_t *self, qstr attr) {
    const size_t length = self->args->len;
    switch (attr) {
        case MP_QSTR_value:
            // asyncio reads it of CancelledError, which derives from BaseException.
            return is_a(self, &mp_type_StopIteration) || self->base.type == &mp_type_BaseException
                ? item(self, 0, 1) : MP_OBJ_NULL;
        case MP_QSTR_code:
            return !is_a(self, &mp_type_SystemExit) ? MP_OBJ_NULL
                : length > 1 ? MP_OBJ_FROM_PTR(self->args) : item(self, 0, 1);
        case MP_QSTR_errno:
            return is_a(self, &mp_type_OSError) ? item(self, 0, 2) : MP_OBJ_NULL;
        case MP_QSTR_strerror:
            return is_a(self, &mp_type_OSError) ? item(self, 1, 2) : MP_OBJ_NULL;
        case MP_QSTR_filename2:
            return is_a(self, &mp_type_OSError) ? mp_const_none : MP_OBJ_NULL;
        case MP_QSTR_filename:
            return is_a(self, &mp_type_OSError) || is_a(self, &mp_type_SyntaxError) ? mp_const_none : MP_OBJ_NULL;
        case MP_QSTR_lineno:
        case MP_QSTR_offset:
        case MP_QSTR_text:
        case MP_QSTR_end_lineno:
        case MP_QSTR_end_offset:
            return is_a(self, &mp_type_SyntaxError) ? mp_const_none : MP_OBJ_NULL;
        case MP_QSTR_msg:
            return is_a(self, &mp_type_SyntaxError) ? item(self, 0, 1)
                : is_a(self, &mp_type_ImportError) ? (length == 1 ? item(self, 0, 1) : mp_const_none) : MP_OBJ_NULL;
        case MP_QSTR_name:
            return is_a(self, &mp_type_ImportError) || is_a(self, &mp_type_NameError)
                || is_a(self, &mp_type_AttributeError) ? mp_const_none : MP_OBJ_NULL;
        case MP_QSTR_path:
        case MP_QSTR_name_from:
            return is_a(self, &mp_type_ImportError) ? mp_const_none : MP_OBJ_NULL;
        case MP_QSTR_obj:
            return is_a(self, &mp_type_AttributeError) ? mp_const_none : MP_OBJ_NULL;
        case MP_QSTR_message:
            return is_group(self) ? item(self, 0, 2) : MP_OBJ_NULL;
        default:
            break;
    }
    if (length == 5 && (self->base.type == &gpusnek_type_UnicodeDecodeError || self->base.type == &gpusnek_type_UnicodeEncodeError)) {
        switch (attr) {
            case MP_QSTR_encoding:
                return self->args->items[0];
            case MP_QSTR_object:
                return self->args->items[1];
            case MP_QSTR_start:
                return self->args->items[2];
            case MP_QSTR_end:
                return self->args->items[3];
            case MP_QSTR_reason:
                return self->args->items[4];
            default:
                break;
        }
    }
    return MP_OBJ_NULL;
}

static mp_obj_t or_none(mp_obj_t value) {
    return value == MP_OBJ_NULL ? mp_const_none : value;
}

static void load(mp_obj_exception_t *self, qstr attr, mp_obj_t *dest) {
    switch (attr) {
        case MP_QSTR_args:
            dest[0] = MP_OBJ_FROM_PTR(self->args);
            return;
        case MP_QSTR___cause__:
            dest[0] = or_none(extra(self, CAUSE));
            return;
        case MP_QSTR___context__:
            dest[0] = or_none(extra(self, CONTEXT));
            return;
        case MP_QSTR___suppress_context__:
            dest[0] = mp_obj_new_bool(self->gpusnek_suppress);
            return;
        case MP_QSTR___traceback__:
            dest[0] = traceback_of(self);
            return;
        case MP_QSTR___dict__:
            dest[0] = or_none(further(self, true));
            return;
        default:
            break;
    }
    dest[0] = look_up(self, attr);
    if (dest[0] == MP_OBJ_NULL) {
        dest[0] = typed_attribute(self, attr);
    }
    if (dest[0] == MP_OBJ_NULL) {
        gpusnek_exception_method(MP_OBJ_FROM_PTR(self), self->base.type, attr, dest);
    }
}

static void check_link(mp_obj_t value, mp_rom_error_text_t message) {
    if (value != mp_const_none && part_of(value) == NULL) {
        mp_raise_TypeError(message);
    }
}

// Stores or deletes one of the attributes that every exception has. Returns whether it is one.
static bool store_common(mp_obj_exception_t *self, qstr attr, mp_obj_t value) {
    if (attr != MP_QSTR_args && attr != MP_QSTR___cause__ && attr != MP_QSTR___context__
        && attr != MP_QSTR___suppress_context__ && attr != MP_QSTR___traceback__) {
        return false;
    }
    if (value == MP_OBJ_NULL) {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("%q may not be deleted"), attr);
    }
    if (attr == MP_QSTR___cause__) {
        check_link(value, MP_ERROR_TEXT("exception cause must be None or derive from BaseException"));
        set_cause(self, value);
    } else if (attr == MP_QSTR___context__) {
        check_link(value, MP_ERROR_TEXT("exception context must be None or derive from BaseException"));
        set_extra(self, CONTEXT, value == mp_const_none ? MP_OBJ_NULL : value);
    } else if (attr == MP_QSTR___traceback__) {
        set_traceback(self, value);
    } else if (attr == MP_QSTR_args) {
        size_t length;
        mp_obj_t *items;
        mp_obj_t sequence = mp_obj_is_exact_type(value, &mp_type_tuple) ? value
            : mp_call_function_1(MP_OBJ_FROM_PTR(&mp_type_tuple), value);
        mp_obj_tuple_get(sequence, &length, &items);
        if (self != &mp_const_GeneratorExit_obj && !extend(self, length, items)) {
            m_malloc_fail(length * sizeof(mp_obj_t));
        }
    } else if (self != &mp_const_GeneratorExit_obj) {
        self->gpusnek_suppress = mp_obj_is_true(value);
    }
    return true;
}

void gpusnek_exception_attr(mp_obj_t self_in, qstr attr, mp_obj_t *dest) {
    mp_obj_exception_t *const self = MP_OBJ_TO_PTR(self_in);
    if (dest[0] == MP_OBJ_NULL) {
        load(self, attr, dest);
        return;
    }
    if (store_common(self, attr, dest[1])) {
        dest[0] = MP_OBJ_NULL;
    } else if (dest[1] != MP_OBJ_NULL) {
        if (self != &mp_const_GeneratorExit_obj) {
            put(self, attr, dest[1]);
            dest[0] = MP_OBJ_NULL;
        }
    } else if (look_up(self, attr) != MP_OBJ_NULL) {
        mp_obj_dict_delete(further(self, false), MP_OBJ_NEW_QSTR(attr));
        dest[0] = MP_OBJ_NULL;
    }
}

bool gpusnek_exception_store(mp_obj_t self_in, qstr attr, mp_obj_t value) {
    mp_obj_exception_t *const self = part_of(self_in);
    return self != NULL && store_common(self, attr, value);
}

// Creation.
static bool takes_name(const mp_obj_type_t *type, qstr name) {
    const mp_obj_t self = MP_OBJ_FROM_PTR(type);
    const bool imports = mp_obj_is_subclass_fast(self, MP_OBJ_FROM_PTR(&mp_type_ImportError));
    const bool attribute = mp_obj_is_subclass_fast(self, MP_OBJ_FROM_PTR(&mp_type_AttributeError));
    return (name == MP_QSTR_name && (imports || attribute || mp_obj_is_subclass_fast(self, MP_OBJ_FROM_PTR(&mp_type_NameError))))
        || ((name == MP_QSTR_path || name == MP_QSTR_name_from) && imports) || (name == MP_QSTR_obj && attribute);
}

static mp_obj_t with_keywords(const mp_obj_type_t *type, size_t n_args, size_t n_kw, const mp_obj_t *args) {
    for (size_t i = 0; i < n_kw; i++) {
        if (!takes_name(type, mp_obj_str_get_qstr(args[n_args + 2 * i]))) {
            return MP_OBJ_NULL; // the caller raises TypeError
        }
    }
    const mp_obj_t made = mp_obj_exception_make_new(type, n_args, 0, args);
    for (size_t i = 0; i < n_kw; i++) {
        put(MP_OBJ_TO_PTR(made), mp_obj_str_get_qstr(args[n_args + 2 * i]), args[n_args + 2 * i + 1]);
    }
    return made;
}

static mp_obj_t new_os_error(const mp_obj_type_t *type, size_t n_args, const mp_obj_t *args) {
    if (type == &mp_type_OSError && mp_obj_is_small_int(args[0])) {
        type = gpusnek_error_type(MP_OBJ_SMALL_INT_VALUE(args[0]));
    }
    if (n_args == 2 && type == &mp_type_OSError) {
        return MP_OBJ_NULL;
    }
    if (n_args > 2 && args[2] == mp_const_none) { // CPython keeps all arguments then
        const mp_obj_t all = mp_obj_exception_make_new(&mp_type_Exception, n_args, 0, args);
        ((mp_obj_exception_t *)MP_OBJ_TO_PTR(all))->base.type = type;
        return all;
    }
    const mp_obj_t made = mp_obj_exception_make_new(type, 2, 0, args);
    if (n_args > 2 && args[2] != mp_const_none) {
        put(MP_OBJ_TO_PTR(made), MP_QSTR_filename, args[2]);
    }
    if (n_args > 4 && args[4] != mp_const_none) {
        put(MP_OBJ_TO_PTR(made), MP_QSTR_filename2, args[4]);
    }
    return made;
}

static mp_obj_t new_group(const mp_obj_type_t *type, size_t n_args, const mp_obj_t *args) {
    if (n_args != 2) {
        mp_raise_msg_varg(&mp_type_TypeError,
            MP_ERROR_TEXT("BaseExceptionGroup.__new__() takes exactly 2 arguments (%d given)"), (int)n_args);
    }
    if (!mp_obj_is_str(args[0])) {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("BaseExceptionGroup.__new__() argument 1 must be str, not %s"), mp_obj_get_type_str(args[0]));
    }
    if (!mp_obj_is_type(args[1], &mp_type_list) && !mp_obj_is_type(args[1], &mp_type_tuple)) {
        mp_obj_t method[2];
        mp_load_method_maybe(args[1], MP_QSTR___getitem__, method);
        if (method[0] == MP_OBJ_NULL) {
            mp_raise_TypeError(MP_ERROR_TEXT("second argument (exceptions) must be a sequence"));
        }
    }
    const mp_obj_t members = mp_call_function_1(MP_OBJ_FROM_PTR(&mp_type_tuple), args[1]);
    size_t length;
    mp_obj_t *items;
    mp_obj_tuple_get(members, &length, &items);
    if (length == 0) {
        mp_raise_ValueError(MP_ERROR_TEXT("second argument (exceptions) must be a non-empty sequence"));
    }
    bool plain = true;
    for (size_t i = 0; i < length; i++) {
        if (part_of(items[i]) == NULL) {
            mp_raise_msg_varg(&mp_type_ValueError, MP_ERROR_TEXT("Item %d of second argument (exceptions) is not an exception"), (int)i);
        }
        plain = plain && mp_obj_exception_match(items[i], MP_OBJ_FROM_PTR(&mp_type_Exception));
    }
    if (plain) {
        type = type == &gpusnek_type_BaseExceptionGroup ? &gpusnek_type_ExceptionGroup : type;
    } else if (type == &gpusnek_type_ExceptionGroup) {
        mp_raise_TypeError(MP_ERROR_TEXT("Cannot nest BaseExceptions in an ExceptionGroup"));
    }
    const mp_obj_t made = mp_obj_exception_make_new(&mp_type_Exception, 2, 0, args);
    mp_obj_exception_t *const self = MP_OBJ_TO_PTR(made);
    self->base.type = type;
    put(self, MP_QSTR_exceptions, members);
    return made;
}

static void check_unicode(const mp_obj_type_t *type, size_t n_args, const mp_obj_t *args) {
    if (n_args != 5) {
        mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("function takes exactly 5 arguments (%d given)"), (int)n_args);
    }
    const bool decode = type == &gpusnek_type_UnicodeDecodeError;
    for (size_t i = 0; i < 5; i++) {
        const bool number = i == 2 || i == 3;
        const bool fits = number ? mp_obj_is_int(args[i])
            : i == 1 && decode ? mp_obj_is_type(args[i], &mp_type_bytes) || mp_obj_is_type(args[i], &mp_type_bytearray)
            : mp_obj_is_str(args[i]);
        if (!fits && number) {
            mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("'%s' object cannot be interpreted as an integer"), mp_obj_get_type_str(args[i]));
        } else if (!fits && i == 1 && decode) {
            mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("a bytes-like object is required, not '%s'"), mp_obj_get_type_str(args[i]));
        } else if (!fits) {
            mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("argument %d must be str, not %s"), (int)i + 1, mp_obj_get_type_str(args[i]));
        }
    }
}

mp_obj_t gpusnek_new_exception(const mp_obj_type_t *type, size_t n_args, size_t n_kw, const mp_obj_t *args) {
    if (type == &gpusnek_type_UnicodeDecodeError || type == &gpusnek_type_UnicodeEncodeError) {
        check_unicode(type, n_args, args);
        return MP_OBJ_NULL;
    }
    if (n_kw != 0) {
        const mp_obj_t made = with_keywords(type, n_args, n_kw, args);
        if (made == MP_OBJ_NULL) {
            mp_raise_msg_varg(&mp_type_TypeError, MP_ERROR_TEXT("%q() takes no keyword arguments"), type->name);
        }
        return made;
    }
    if (type == &gpusnek_type_BaseExceptionGroup || type == &gpusnek_type_ExceptionGroup) {
        return new_group(type, n_args, args);
    }
    if (n_args < 2 || n_args > 5 || (n_args == 2 && type != &mp_type_OSError)
        || !mp_obj_is_subclass_fast(MP_OBJ_FROM_PTR(type), MP_OBJ_FROM_PTR(&mp_type_OSError))) {
        return MP_OBJ_NULL;
    }
    return new_os_error(type, n_args, args);
}

_Noreturn void gpusnek_raise_os_error(int error, mp_obj_t filename) {
    const char *const known = gpusnek_error_text(error);
    mp_obj_t args[3] = {MP_OBJ_NEW_SMALL_INT(error), MP_OBJ_NULL, filename};
    if (known != NULL) {
        args[1] = mp_obj_new_str(known, strlen(known));
    } else {
        vstr_t text;
        mp_print_t print;
        vstr_init_print(&text, 24, &print);
        mp_printf(&print, "Unknown error %d", error);
        args[1] = mp_obj_new_str_from_vstr(&text);
    }
    nlr_raise(mp_obj_exception_make_new(&mp_type_OSError, filename == MP_OBJ_NULL ? 2 : 3, 0, args));
}

_Noreturn void gpusnek_raise_error(int error) {
    gpusnek_device_raise(error);
    gpusnek_raise_os_error(error, MP_OBJ_NULL);
}

_Noreturn void gpusnek_raise_error_of(int error, const char *filename) {
    gpusnek_raise_os_error(error, mp_obj_new_str(filename, strlen(filename)));
}

// Texts.
static bool is_known(mp_obj_t value) {
    return value != MP_OBJ_NULL && value != mp_const_none;
}

static void print_unicode(const mp_print_t *print, const mp_obj_exception_t *self) {
    mp_obj_t items[5];
    memcpy(items, self->args->items, sizeof(items));
    const bool decode = self->base.type == &gpusnek_type_UnicodeDecodeError;
    const mp_int_t start = mp_obj_get_int_truncated(items[2]), end = mp_obj_get_int_truncated(items[3]);
    mp_printf(print, "'%s' codec can't %s ", mp_obj_str_get_str(items[0]), decode ? "decode" : "encode");
    const mp_obj_t length = mp_obj_len(items[1]);
    if (end == start + 1 && start >= 0 && start < MP_OBJ_SMALL_INT_VALUE(length)) {
        const mp_obj_t value = mp_obj_subscr(items[1], MP_OBJ_NEW_SMALL_INT(start), MP_OBJ_SENTINEL);
        if (decode) {
            mp_printf(print, "byte 0x%02x", (unsigned int)mp_obj_get_int_truncated(value));
        } else {
            size_t size;
            const char *const text = mp_obj_str_get_data(value, &size);
            const unichar c = size == 0 ? 0 : utf8_get_char((const byte *)text);
            mp_printf(print, c < 0x100 ? "character '\\x%02x'" : c < 0x10000 ? "character '\\u%04x'" : "character '\\U%08x'", (unsigned int)c);
        }
        mp_printf(print, " in position %d: ", (int)start);
    } else {
        mp_printf(print, "%s in position %d-%d: ", decode ? "bytes" : "characters", (int)start, (int)(end - 1));
    }
    mp_obj_print_helper(print, items[4], PRINT_STR);
}

static void print_str(const mp_print_t *print, mp_obj_exception_t *self) {
    const mp_obj_tuple_t *const args = self->args;
    if (args == NULL || args->len == 0) {
        return;
    }
    if (args->len == 1) {
        mp_obj_print_helper(print, args->items[0], is_a(self, &mp_type_KeyError) ? PRINT_REPR : PRINT_STR);
    } else if (args->len >= 2 && args->len <= 5 && is_a(self, &mp_type_OSError)) {
        const mp_obj_t first = look_up(self, MP_QSTR_filename), second = look_up(self, MP_QSTR_filename2);
        mp_print_str(print, "[Errno ");
        const mp_obj_t text = args->items[1];
        mp_obj_print_helper(print, args->items[0], PRINT_STR);
        mp_print_str(print, "] ");
        mp_obj_print_helper(print, text, PRINT_STR);
        if (is_known(first)) {
            mp_print_str(print, ": ");
            mp_obj_print_helper(print, first, PRINT_REPR);
        }
        if (is_known(first) && is_known(second)) {
            mp_print_str(print, " -> ");
            mp_obj_print_helper(print, second, PRINT_REPR);
        }
    } else if (args->len == 2 && is_group(self)) {
        const mp_obj_t members = look_up(self, MP_QSTR_exceptions);
        mp_obj_print_helper(print, args->items[0], PRINT_STR);
        if (members != MP_OBJ_NULL && mp_obj_is_exact_type(members, &mp_type_tuple)) {
            size_t length;
            mp_obj_t *items;
            mp_obj_tuple_get(members, &length, &items);
            mp_printf(print, " (%d sub-exception%s)", (int)length, length == 1 ? "" : "s");
        }
    } else if (args->len == 5 && (self->base.type == &gpusnek_type_UnicodeDecodeError || self->base.type == &gpusnek_type_UnicodeEncodeError)) {
        print_unicode(print, self);
    } else {
        mp_obj_print_helper(print, MP_OBJ_FROM_PTR(args), PRINT_REPR);
    }
}

static void print_arguments(const mp_print_t *print, const mp_obj_exception_t *self) {
    const mp_obj_tuple_t *args = self->args;
    mp_print_str(print, "(");
    for (size_t i = 0; args != NULL && i < args->len; i++) {
        if (i > 0) {
            mp_print_str(print, ", ");
        }
        args = self->args; // the program may change it while it is printed
        if (i < args->len) {
            mp_obj_print_helper(print, args->items[i], PRINT_REPR);
        }
        args = self->args;
    }
    mp_print_str(print, ")");
}

// A print function that writes ": " before the first text.
typedef struct {
    const mp_print_t *print;
    bool begun;
} message_t;

static void print_message(void *context, const char *text, size_t size) {
    message_t *const message = context;
    if (size > 0 && !message->begun) {
        message->begun = true;
        mp_print_str(message->print, ": ");
    }
    if (size > 0) {
        mp_print_strn(message->print, text, size, 0, 0, 0);
    }
}

void gpusnek_exception_print(const mp_print_t *print, mp_obj_t self_in, mp_print_kind_t kind) {
    mp_obj_exception_t *const self = MP_OBJ_TO_PTR(self_in);
    const mp_print_kind_t plain = (mp_print_kind_t)(kind & ~PRINT_EXC_SUBCLASS);
    if (!(kind & PRINT_EXC_SUBCLASS) && plain != PRINT_STR) {
        #if GPUSNEK_PATCH_CLASSES
        if (plain == PRINT_EXC) {
            gpusnek_print_class_name(print, self->base.type, false);
        } else
        #endif
        mp_print_str(print, qstr_str(self->base.type->name));
    }
    if (plain == PRINT_REPR) {
        print_arguments(print, self);
    } else if (plain == PRINT_EXC) {
        message_t message = {print, false};
        const mp_print_t inner = {&message, print_message};
        print_str(&inner, self);
    } else {
        print_str(print, self);
    }
}

// Printing with a traceback.
static void print_last_line(const mp_print_t *print, mp_obj_t exception) {
    message_t message = {print, false};
    const mp_print_t inner = {&message, print_message};
    #if GPUSNEK_PATCH_CLASSES
    gpusnek_print_class_name(print, mp_obj_get_type(exception), false);
    #else
    mp_print_str(print, mp_obj_get_type_str(exception));
    #endif
    nlr_buf_t nlr;
    if (nlr_push(&nlr) == 0) {
        mp_obj_print_helper(&inner, exception, PRINT_STR);
        nlr_pop();
    } else {
        if (!mp_obj_exception_match(MP_OBJ_FROM_PTR(nlr.ret_val), MP_OBJ_FROM_PTR(&mp_type_Exception))) {
            nlr_jump(nlr.ret_val);
        }
        mp_print_str(&inner, "<exception str() failed>");
    }
    mp_print_str(print, "\n");
}

static void print_notes(const mp_print_t *print, mp_obj_t exception) {
    mp_obj_t notes[2];
    mp_load_method_maybe(exception, MP_QSTR___notes__, notes);
    if (notes[0] == MP_OBJ_NULL || !mp_obj_is_exact_type(notes[0], &mp_type_list)) {
        return;
    }
    size_t length;
    mp_obj_t *items;
    mp_obj_list_get(notes[0], &length, &items);
    for (size_t i = 0; i < length; i++) {
        if (mp_obj_is_str(items[i])) {
            mp_obj_print_helper(print, items[i], PRINT_STR);
            mp_print_str(print, "\n");
        }
        mp_obj_list_get(notes[0], &length, &items); // printing may run code that changes the list
    }
}

static void print_one(const mp_print_t *print, mp_obj_t exception) {
    size_t length, *values;
    mp_obj_exception_get_traceback(exception, &length, &values);
    if (length >= 3) {
        mp_print_str(print, "Traceback (most recent call last):\n");
        for (size_t i = length / 3; i-- > 0;) {
            mp_obj_exception_get_traceback(exception, &length, &values);
            if (3 * i + 3 > length) {
                continue; // printing may run code that changes the traceback
            }
            const qstr block = (qstr)values[3 * i + 2];
            mp_printf(print, "  File \"%q\", line %d", (qstr)values[3 * i], (int)values[3 * i + 1]);
            if (block == MP_QSTRnull) {
                mp_print_str(print, "\n");
            } else {
                mp_printf(print, ", in %q\n", block);
            }
        }
    }
    print_last_line(print, exception);
    print_notes(print, exception);
}

// Returns the exception that is printed before this one, or MP_OBJ_NULL.
static mp_obj_t earlier(mp_obj_t exception) {
    const mp_obj_exception_t *const self = part_of(exception);
    if (self == NULL) {
        return MP_OBJ_NULL;
    }
    const mp_obj_t cause = extra(self, CAUSE);
    if (cause != MP_OBJ_NULL) {
        return cause;
    }
    return self->gpusnek_suppress ? MP_OBJ_NULL : extra(self, CONTEXT);
}

void gpusnek_print_exception(const mp_print_t *print, mp_obj_t exception) {
    if (part_of(exception) == NULL) {
        mp_obj_print_helper(print, exception, PRINT_EXC);
        mp_print_str(print, "\n");
        return;
    }
    mp_obj_t shown[SHOWN];
    int count = 0;
    mp_obj_t each = exception;
    while (count < SHOWN && each != MP_OBJ_NULL) {
        bool again = false;
        for (int i = 0; i < count; i++) {
            again = again || shown[i] == each;
        }
        if (again) {
            break;
        }
        shown[count++] = each;
        each = earlier(each);
    }
    while (count-- > 0) {
        print_one(print, shown[count]);
        if (count > 0) {
            const mp_obj_exception_t *const next = part_of(shown[count - 1]);
            const bool caused = next != NULL && extra(next, CAUSE) != MP_OBJ_NULL;
            mp_print_str(print, caused
                ? "\nThe above exception was the direct cause of the following exception:\n\n"
                : "\nDuring handling of the above exception, another exception occurred:\n\n");
        }
    }
}

#endif
