// Inline caches for names: globals, attributes and methods, for vm_fast.h and native_slow.c.
//
// Problem: upstream's mp_map_lookup() is a call, with a hash and a probe sequence, per access.
//
// Mechanism: vm_name_position caches the table index at which a name was found last, by the name's
// number in the bytecode. A lookup compares the key at the cached index first. If the keys differ,
// it searches small tables linearly. Larger tables and all other cases are upstream's.
//
// Invariants:
//   N1  A cached index is a hint: it is compared with the table's size, and the entry's key with
//       the name, at each use. Any value is safe, and names may share a slot.
//   N2  Keys are compared as words, so a str object never matches a name. Attributes of instances
//       are qstrs. A class's dict may have str objects as keys (`type(name, bases, dict)`). For
//       other maps a miss only leads to upstream's lookup.
//   N3  A search that skipped a table, or missed in a table with str objects as keys, reports
//       nothing: a base class must not answer for a class whose own names were not compared.
//
// No locks: each interpreter has its own vm_name_position, in its state.
#ifndef GPUSNEK_VM_NAMES_H
#define GPUSNEK_VM_NAMES_H

#include "hooks.h"
#include "instances.h"
#include "py/bc.h"
#include "py/objmodule.h"
#include "py/objtype.h"
#include "vm_machine.h"
#include "vm_opcodes.h"

// The cache: table indexes by the name's number modulo VM_NAMES. Attributes use the slot half way
// round, so that a global and an attribute of the same name do not evict each other.
#define VM_NAMES (64) // slots of the cache; an index in tables of up to 2 * VM_NAMES fits a byte
#define VM_ATTRIBUTES (VM_NAMES / 2) // distance of the slot of an attribute
#define VM_MAX_CLASSES (256) // classes that a search for a method visits; bounds its time
static uint8_t vm_name_position[VM_NAMES];

// The operand of an instruction with a name.
typedef struct {
    uint32_t number; // index in the table of names of the bytecode
    mp_obj_t key; // the qstr as an object, as maps contain it
} vm_name_t;

// Decodes the operand of the current instruction and sets vm->size.
VM_INLINE vm_name_t vm_name(vm_t *vm) {
    vm_name_t name;
    name.number = vm_operand(&vm->code, &vm->size);
    name.key = MP_OBJ_NEW_QSTR(vm->qstr_table[name.number]);
    return name;
}

// Searches all `alloc` entries of a map's table for a key. Returns its index and caches it in
// `slot` of vm_name_position; -1 if the key is missing or the table has more than 2 * VM_NAMES
// entries.
VM_INLINE int32_t vm_search(const mp_map_elem_t *table, uint32_t alloc, mp_obj_t key,
    uint32_t slot) {
    if (alloc <= 2 * VM_NAMES) {
        for (uint32_t at = 0; at < alloc; at++) {
            if (table[at].key == key) {
                vm_name_position[slot] = (uint8_t)at;
                return (int32_t)at;
            }
        }
    }
    return -1;
}

// Returns the index of a name in a map's table, or -1 as vm_search(): tries the cached index first
// (N1). `shift` is 0 or VM_ATTRIBUTES.
VM_INLINE int32_t vm_find(const mp_map_elem_t *table, uint32_t alloc, vm_name_t name,
    uint32_t shift) {
    const uint32_t slot = (name.number + shift) % VM_NAMES;
    const uint32_t last = vm_name_position[slot];
    if (last < alloc && table[last].key == name.key) {
        return (int32_t)last;
    }
    return vm_search(table, alloc, name.key, slot);
}

// Returns the entry of an instance's own attribute; NULL if it has none, or if `o` is not an
// instance of a Python class. Sets *type if `o` is an object.
VM_INLINE mp_map_elem_t *vm_member(mp_obj_t o, vm_name_t name, const mp_obj_type_t **type) {
    if (!mp_obj_is_obj(o)) {
        return NULL;
    }
    *type = ((const mp_obj_base_t *)MP_OBJ_TO_PTR(o))->type;
    if (!gpusnek_is_plain_instance(*type)) {
        return NULL;
    }
    const mp_map_t *members = &VM_OWN(mp_obj_instance_t, MP_OBJ_TO_PTR(o))->members;
    mp_map_elem_t *table = VM_OWN(mp_map_elem_t, members->table);
    const int32_t at = vm_find(table, (uint32_t)members->alloc, name, VM_ATTRIBUTES);
    return at < 0 ? NULL : &table[at];
}

// The result of LOAD_METHOD: a function and its first argument.
typedef struct {
    mp_obj_t function;
    mp_obj_t self; // MP_OBJ_NULL if the function is not bound
} vm_method_t;

// Returns the value of a name in a map; MP_OBJ_NULL as vm_search().
VM_INLINE mp_obj_t vm_entry(const mp_map_t *map, vm_name_t name) {
    const int32_t at = vm_find(map->table, (uint32_t)map->alloc, name, VM_ATTRIBUTES);
    return at < 0 ? MP_OBJ_NULL : map->table[at].value;
}

// Finds the method `name` of an instance of a Python class with single inheritance, of an object of
// a builtin type, or a module's function. Returns false if upstream's mp_load_method() must: for
// attributes in the instance, descriptors, large tables and special names. Changes nothing else.
VM_INLINE bool vm_method(mp_obj_t o, vm_name_t name, vm_method_t *method) {
    if (!mp_obj_is_obj(o) || name.key == MP_OBJ_NEW_QSTR(MP_QSTR___class__)
        || name.key == MP_OBJ_NEW_QSTR(MP_QSTR___next__)) {
        return false;
    }
    const mp_obj_type_t *type = ((const mp_obj_base_t *)MP_OBJ_TO_PTR(o))->type;
    method->self = MP_OBJ_NULL;
    if (type == &mp_type_module) {
        method->function = vm_entry(&((const mp_obj_module_t *)MP_OBJ_TO_PTR(o))->globals->map,
            name);
        return method->function != MP_OBJ_NULL;
    }
    const bool instance = gpusnek_is_plain_instance(type);
    if (instance) { // an own attribute hides the method
        const mp_map_t *own = &VM_OWN(mp_obj_instance_t, MP_OBJ_TO_PTR(o))->members;
        if (own->alloc > VM_NAMES || vm_find(VM_OWN(mp_map_elem_t, own->table),
            (uint32_t)own->alloc, name, 0) >= 0) {
            return false;
        }
    } else if (MP_OBJ_TYPE_HAS_SLOT(type, attr)) {
        return false;
    }
    method->function = MP_OBJ_NULL;
    for (int depth = 0; depth < VM_MAX_CLASSES; depth++) {
        const mp_obj_dict_t *dict = MP_OBJ_TYPE_GET_SLOT_OR_NULL(type, locals_dict);
        if (dict == NULL || dict->map.alloc > 2 * VM_NAMES) {
            return false; // not searched (N3)
        }
        method->function = vm_entry(&dict->map, name);
        if (method->function != MP_OBJ_NULL || !instance) {
            break;
        }
        if (!dict->map.all_keys_are_qstrs) {
            return false; // N3
        }
        type = MP_OBJ_TYPE_GET_SLOT_OR_NULL(type, parent);
        if (type == NULL || type->base.type != &mp_type_type || !mp_obj_is_instance_type(type)) {
            return false; // no base class, or not a single Python class
        }
    }
    if (method->function == MP_OBJ_NULL || !mp_obj_is_obj(method->function)) {
        return false;
    }
    const mp_obj_type_t *kind = ((const mp_obj_base_t *)MP_OBJ_TO_PTR(method->function))->type;
    if (!(kind->flags & MP_TYPE_FLAG_BINDS_SELF)
        || (instance && kind->flags & MP_TYPE_FLAG_BUILTIN_FUN)) {
        return false;
    }
    method->self = o;
    return true;
}

#endif
