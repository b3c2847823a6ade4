// Classes: method resolution order, attributes of types, bound methods and instances (classes.c). The
// patch `classes` calls these functions.
#ifndef GPUSNEK_CLASSES_H
#define GPUSNEK_CLASSES_H

#include "py/obj.h"
#include "py/objtuple.h"
#include "py/objtype.h"

// A position in an MRO. rest: the next classes, or NULL while the classes have one base each. left:
// the number of classes at `rest`.
typedef struct {
    const mp_obj_t *rest;
    size_t left;
} gpusnek_mro_t;

// Continues an MRO with the classes behind a tuple of bases.
static inline void gpusnek_begin_mro(gpusnek_mro_t *mro, const mp_obj_tuple_t *bases) {
    mro->left = (size_t)MP_OBJ_SMALL_INT_VALUE(bases->items[bases->len]);
    mro->rest = bases->items + bases->len + 1;
}

// Returns the class behind `type` in the MRO, or NULL if only `object` is left. A new position is
// {NULL, 0}.
const mp_obj_type_t *gpusnek_next_class(gpusnek_mro_t *mro, const mp_obj_type_t *type);

// Returns the slot `parent` of a class with several bases: a tuple of them and the MRO. Raises
// TypeError if there is no MRO.
void *gpusnek_bases(size_t count, const mp_obj_t *bases);

// Adds the native bases of one more base class to `count` others. `*base` becomes the most derived
// one. Returns their number, which is above 1 if they have different layouts.
int gpusnek_join_bases(int count, const mp_obj_type_t **base, int more, const mp_obj_type_t *other);

// Returns the class at which super(type, object) begins to search, and its position, or NULL if it
// is `object`. Raises TypeError if the object is of another type.
const mp_obj_type_t *gpusnek_super_class(mp_obj_t type, mp_obj_t object, gpusnek_mro_t *mro);

// Returns what the Python classes of an MRO have for a name, up to the first native type; or
// MP_OBJ_NULL.
mp_obj_t gpusnek_class_entry(const mp_obj_type_t *type, qstr name);

// Loads an attribute that each type has.
void gpusnek_type_attribute(mp_obj_t self, qstr attr, mp_obj_t *dest);

// Replaces the value of a class's attribute by the result of its `__get__`, if it is a descriptor.
void gpusnek_use_descriptor(mp_obj_t type, mp_obj_t *dest);

// Returns an attribute of a bound method that its function lacks, or MP_OBJ_NULL.
mp_obj_t gpusnek_bound_attribute(mp_obj_t function, mp_obj_t self, qstr attr);

// Returns the item of a dict, or MP_OBJ_NULL. May raise.
mp_obj_t gpusnek_item_of_dict(mp_obj_t dict, mp_obj_t key);

// Returns the result of an ordering comparison by the method of the right operand, or MP_OBJ_NULL.
mp_obj_t gpusnek_compare_reflected(mp_binary_op_t op, mp_obj_t left, mp_obj_t right);

// Returns whether the class of the right operand may be asked before that of the left one: it is a
// class of Python.
static inline bool gpusnek_may_reflect(mp_binary_op_t op, mp_obj_t right) {
    return (op <= MP_BINARY_OP_NOT_EQUAL || (op >= MP_BINARY_OP_OR && op <= MP_BINARY_OP_DIVMOD))
        && mp_obj_is_obj(right)
        && mp_obj_is_instance_type(((const mp_obj_base_t *)MP_OBJ_TO_PTR(right))->type);
}

// Returns the object of the built-in type that the class of an instance derives from, or MP_OBJ_NULL.
// Other objects are no instances.
mp_obj_t gpusnek_part_of_instance(mp_obj_t object);

// Returns whether the class of the right operand derives from that of the left one and is another one.
bool gpusnek_is_derived(mp_obj_t left, mp_obj_t right);

// Asks a right operand first. Its class derives from that of the left operand and has a reflected
// method of its own, or the left operand is of a built-in type and the right one's class, which
// derives from a built-in type, has no reflected method. Returns the result; NotImplemented if the
// method returns it; or MP_OBJ_NULL if the left operand is asked first.
mp_obj_t gpusnek_reflected_first(mp_binary_op_t op, mp_obj_t left, mp_obj_t right);

// Returns whether two operands have one class, so that an arithmetic operation of the left one has no
// reflected operation.
static inline bool gpusnek_is_reflected_alike(mp_binary_op_t op, mp_obj_t left, mp_obj_t right) {
    return op > MP_BINARY_OP_NOT_EQUAL && mp_obj_get_type(left) == mp_obj_get_type(right);
}

// Returns the result of the left operand's operation, or MP_OBJ_NULL.
mp_obj_t gpusnek_left_operation(mp_binary_op_t op, mp_obj_t left, mp_obj_t right);

// Returns the str that `__str__` or `__repr__` returned. Raises TypeError for another result.
mp_obj_t gpusnek_text_result(mp_obj_t text, qstr method);

// Returns whether a name begins with two underscores and does not end with them.
bool gpusnek_is_private(qstr name);

// Returns the name that stands for a private name in a class.
qstr gpusnek_mangle(qstr owner, qstr name);

// `__slots__`: adds an object of gpusnek_slot_type for each name to the dict of a new class. Sets
// GPUSNEK_TYPE_FLAG_SLOTS if instances have no other attributes. Raises TypeError and ValueError.
#define GPUSNEK_TYPE_FLAG_SLOTS (0x4000)
void gpusnek_new_slots(mp_obj_type_t *type);
extern const mp_obj_type_t gpusnek_slot_type;

// Loads `__doc__`, which a class does not inherit. `object`: the class or an instance of it. Returns
// false if the class has one, which is then found like other attributes.
bool gpusnek_lacks_doc(const mp_obj_type_t *type, mp_obj_t *dest);

// Returns the `__dict__` of an instance. gpusnek_members_copy() returns a dict for such an object,
// and other values as they are.
mp_obj_t gpusnek_members(mp_obj_instance_t *owner);
mp_obj_t gpusnek_members_copy(mp_obj_t value);
extern const mp_obj_type_t gpusnek_members_type;

#endif
