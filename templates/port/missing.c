// Missing features: which name, attribute, module, keyword or operation the core of the interpreter
// lacked when it raised the exception that ended a program or a call.
//
// Problem: `evaluate` must tell a program that uses what CPython has and this interpreter lacks
// from a program that is wrong. The message of an exception is no evidence: programs raise
// exceptions with any message.
//
// Mechanism: the core notes what it lacks and then makes the exception (patch `missing`). The next
// exception object that is made owns the note. exceptions.c writes the note into the record of the
// exception, if this object ends the program. porter/evaluation compares the names with CPython's.
//
// Invariant M1: a note belongs to the object that the core made for it. An object that a program
// makes later, with whatever message, owns no note.
// Invariant M2: an object at the address of an earlier owner is another object, and owns no note.
#include "missing.h"
#include "py/objtype.h"

static int kind; // GPUSNEK_MISSING_*
static qstr owner;
static qstr name;
static bool noted; // the next exception object owns the note
static uint64_t owned; // address of the exception that owns the note; 0: none
static bool missed; // the owner ended the program or call

void gpusnek_missing_start(void) {
    kind = GPUSNEK_MISSING_NOTHING;
    noted = false;
    owned = 0;
    missed = false;
}

static void note(int what, qstr of, qstr which) {
    kind = what;
    owner = of;
    name = which;
    noted = true;
}

void gpusnek_missing_global(qstr which) {
    note(GPUSNEK_MISSING_NAME, MP_QSTRnull, which);
}

void gpusnek_missing_module(qstr which) {
    note(GPUSNEK_MISSING_MODULE, MP_QSTRnull, which);
}

void gpusnek_missing_keywords(void) {
    note(GPUSNEK_MISSING_KEYWORD, MP_QSTRnull, MP_QSTRnull);
}

void gpusnek_missing_operation(void) {
    note(GPUSNEK_MISSING_OPERATION, MP_QSTRnull, MP_QSTRnull);
}

// Return the built-in type that instances of `type` are or derive from. A class without a built-in
// base and a class with several bases give `object`.
static const mp_obj_type_t *native_type(const mp_obj_type_t *type) {
    while (mp_obj_is_instance_type(type)) {
        if (!MP_OBJ_TYPE_HAS_SLOT(type, parent)) {
            return &mp_type_object;
        }
        type = MP_OBJ_TYPE_GET_SLOT(type, parent);
        if (type->base.type == &mp_type_tuple) {
            return &mp_type_object;
        }
    }
    return type;
}

// Return the module's `__name__`, or MP_QSTRnull if it has none.
static qstr module_name(mp_obj_t module) {
    const mp_obj_dict_t *globals = ((const mp_obj_module_t *)MP_OBJ_TO_PTR(module))->globals;
    const mp_map_elem_t *found = mp_map_lookup((mp_map_t *)&globals->map,
        MP_OBJ_NEW_QSTR(MP_QSTR___name__), MP_MAP_LOOKUP);
    return found != NULL && mp_obj_is_qstr(found->value)
        ? MP_OBJ_QSTR_VALUE(found->value) : MP_QSTRnull;
}

void gpusnek_missing_attribute(mp_obj_t base, qstr which) {
    if (mp_obj_is_type(base, &mp_type_module)) {
        note(GPUSNEK_MISSING_MODULE_NAME, module_name(base), which);
    } else if (mp_obj_is_type(base, &mp_type_type)) {
        note(GPUSNEK_MISSING_TYPE_ATTRIBUTE,
            (qstr)native_type(MP_OBJ_TO_PTR(base))->name, which);
    } else {
        note(GPUSNEK_MISSING_ATTRIBUTE,
            (qstr)native_type(mp_obj_get_type(base))->name, which);
    }
}

void gpusnek_missing_keyword(const mp_map_t *given, const mp_arg_t *allowed, size_t count) {
    qstr which = MP_QSTRnull;
    for (size_t i = 0; i < given->alloc; i++) {
        if (!mp_map_slot_is_filled(given, i) || !mp_obj_is_qstr(given->table[i].key)) {
            continue;
        }
        const qstr key = MP_OBJ_QSTR_VALUE(given->table[i].key);
        size_t at = 0;
        while (at < count && allowed[at].qst != key) {
            at++;
        }
        if (at == count) {
            which = key;
        }
    }
    note(GPUSNEK_MISSING_KEYWORD, MP_QSTRnull, which);
}

void gpusnek_missing_made(const mp_obj_exception_t *exception) {
    const uint64_t address = (uint64_t)(uintptr_t)exception;
    if (noted) {
        noted = false;
        owned = address;
    } else if (owned == address) {
        owned = 0; // invariant M2
    }
}

void gpusnek_missing_of(const mp_obj_exception_t *exception) {
    missed = exception != NULL && kind != GPUSNEK_MISSING_NOTHING
        && owned == (uint64_t)(uintptr_t)exception;
}

// Return the 32-bit FNV-1a hash of `text`, continued from `hash`.
static uint32_t hashed(uint32_t hash, qstr text) {
    size_t length;
    const byte *data = qstr_data(text, &length);
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ data[i]) * 16777619u;
    }
    return (hash ^ (uint32_t)length) * 16777619u;
}

bool gpusnek_missed(uint32_t *key) {
    *key = 0;
    if (missed && kind != GPUSNEK_MISSING_KEYWORD && kind != GPUSNEK_MISSING_OPERATION) {
        *key = hashed(hashed(2166136261u ^ (uint32_t)kind, owner), name) | 1;
    }
    return missed;
}

int gpusnek_missing_found(qstr *of, qstr *which) {
    *of = missed ? owner : MP_QSTRnull;
    *which = missed ? name : MP_QSTRnull;
    return missed ? kind : GPUSNEK_MISSING_NOTHING;
}
