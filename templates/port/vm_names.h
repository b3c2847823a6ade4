// Globals, attributes and methods by where they were found last, for vm_fast.h.
#ifndef GPUSNEK_VM_NAMES_H
#define GPUSNEK_VM_NAMES_H

#include "hooks.h"
#include "py/bc.h"
#include "py/objmodule.h"
#include "py/objtype.h"
#include "vm_machine.h"

// Sets of the instructions with a name.
#define VM_BIT(op) (1u << ((op) - MP_BC_BASE_QSTR_O))
#define VM_LOCAL (VM_BIT(MP_BC_LOAD_NAME) | VM_BIT(MP_BC_STORE_NAME))
#define VM_LOAD (VM_BIT(MP_BC_LOAD_NAME) | VM_BIT(MP_BC_LOAD_GLOBAL))
#define VM_VARIABLE (VM_LOCAL | VM_LOAD | VM_BIT(MP_BC_STORE_GLOBAL))

// Where names were found last: positions in the table of a map, by the name's number in the code;
// attributes are looked up half way round. What stands there is compared, so a position may be
// anything.
#define VM_NAMES (64)
#define VM_ATTRIBUTES (VM_NAMES / 2)
#define VM_DEPTH (256) // of base classes that are searched for a method
static uint8_t vm_name_position[VM_NAMES];

// A name as an instruction has it.
typedef struct {
    uint32_t number; // in the code
    mp_obj_t key; // the object that the name is as a key
} vm_name_t;

// The name that is the instruction's operand.
VM_INLINE vm_name_t vm_name(vm_t *vm) {
    vm_name_t name;
    name.number = vm_operand(&vm->code, &vm->size);
    name.key = MP_OBJ_NEW_QSTR(vm->qstr_table[name.number]);
    return name;
}

// The position of a name in a map's table of `alloc` entries, looked for in all of them; -1 where
// it is not there, or looking would take long. `slot`: of vm_name_position.
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

// vm_search(), where the position at which the name was found last is tried first. `shift` is 0 or
// VM_ATTRIBUTES.
VM_INLINE int32_t vm_find(const mp_map_elem_t *table, uint32_t alloc, vm_name_t name,
    uint32_t shift) {
    const uint32_t slot = (name.number + shift) % VM_NAMES;
    const uint32_t last = vm_name_position[slot];
    if (last < alloc && table[last].key == name.key) {
        return (int32_t)last;
    }
    return vm_search(table, alloc, name.key, slot);
}

// The attribute `name` that an instance of a Python class has itself; NULL for anything else.
VM_INLINE mp_map_elem_t *vm_member(mp_obj_t o, vm_name_t name, const mp_obj_type_t **type) {
    if (!mp_obj_is_obj(o)) {
        return NULL;
    }
    *type = ((const mp_obj_base_t *)MP_OBJ_TO_PTR(o))->type;
    if (!mp_obj_is_instance_type(*type)) {
        return NULL;
    }
    const mp_map_t *members = &VM_OWN(mp_obj_instance_t, MP_OBJ_TO_PTR(o))->members;
    mp_map_elem_t *table = VM_OWN(mp_map_elem_t, members->table);
    const int32_t at = vm_find(table, (uint32_t)members->alloc, name, VM_ATTRIBUTES);
    return at < 0 ? NULL : &table[at];
}

// What an attribute search for calling finds: the function, and what its first argument is.
typedef struct {
    mp_obj_t function;
    mp_obj_t self; // or MP_OBJ_NULL
} vm_method_t;

// What a map says of a name; MP_OBJ_NULL where it is not there.
VM_INLINE mp_obj_t vm_entry(const mp_map_t *map, vm_name_t name) {
    const int32_t at = vm_find(map->table, (uint32_t)map->alloc, name, VM_ATTRIBUTES);
    return at < 0 ? MP_OBJ_NULL : map->table[at].value;
}

// The method `name` of an instance of a Python class, of a builtin type or in a module, in the
// simplest cases; false for anything else.
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
    const bool instance = mp_obj_is_instance_type(type);
    if (instance) { // its own attributes come first
        const mp_map_t *own = &VM_OWN(mp_obj_instance_t, MP_OBJ_TO_PTR(o))->members;
        if (own->alloc > VM_NAMES || vm_find(VM_OWN(mp_map_elem_t, own->table),
            (uint32_t)own->alloc, name, 0) >= 0) {
            return false;
        }
    } else if (MP_OBJ_TYPE_HAS_SLOT(type, attr)) {
        return false;
    }
    method->function = MP_OBJ_NULL;
    for (int depth = 0; depth < VM_DEPTH; depth++) {
        const mp_obj_dict_t *dict = MP_OBJ_TYPE_GET_SLOT_OR_NULL(type, locals_dict);
        if (dict == NULL || dict->map.alloc > 2 * VM_NAMES) {
            return false; // not searched, so no base class may answer
        }
        method->function = vm_entry(&dict->map, name);
        if (method->function != MP_OBJ_NULL || !instance) {
            break;
        }
        type = MP_OBJ_TYPE_GET_SLOT_OR_NULL(type, parent);
        if (type == NULL || type->base.type != &mp_type_type || !mp_obj_is_instance_type(type)) {
            return false; // no base class, or not one of Python's
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
