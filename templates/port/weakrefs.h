// Callbacks of weak references, which may be code of a program's.
//
// A collection can begin wherever upstream's C allocates, and that C holds pointers to containers
// which a callback may change. So callbacks wait: behind gc.collect() until its collection is over,
// else until the VM looks for what is pending.
#ifndef GPUSNEK_WEAKREFS_H
#define GPUSNEK_WEAKREFS_H

#include "py/obj.h"
#include "py/runtime.h"

// A reference whose callback waits from now on. `next` is a field of it that is its own meanwhile.
void gpusnek_weakref_waits(mp_obj_t reference, mp_obj_t *next);
// The reference that has waited longest, without it those that are left; MP_OBJ_NULL where none is.
// `next` of that reference was given to gpusnek_weakref_waits.
mp_obj_t gpusnek_weakref_waiting(void);
void gpusnek_weakref_called(mp_obj_t next);

// py/modweakref.c (patch `weakrefs`): calls all that wait. The VM gives a node, others NULL.
void gpusnek_weakrefs_call(mp_sched_node_t *node);

// py/modweakref.c too: a collection is over. Where callbacks wait, the VM is told to call them.
void gpusnek_weakrefs_ended(void);

#endif
