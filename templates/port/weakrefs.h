// The queue of weak references whose callbacks are due.
//
// Problem: a collection can begin wherever upstream's C code allocates. This code holds pointers to
// containers, and a callback is Python code that may change the containers.
//
// Mechanism: the collector appends dead references with a callback to this queue. gc.collect()
// calls them after its collection. After other collections the VM calls them as a scheduled
// callback, at a safepoint poll.
//
// States of a reference: alive; queued; called. A reference is queued once. The queue is a linked
// list through a field of the references, so that appending does not allocate, and a root of the
// collector.
#ifndef GPUSNEK_WEAKREFS_H
#define GPUSNEK_WEAKREFS_H

#include "py/obj.h"
#include "py/runtime.h"

// Appends a reference to the queue. next: a field of the reference that the queue may use.
void gpusnek_weakref_waits(mp_obj_t reference, mp_obj_t *next);
// Returns the first reference of the queue, or MP_OBJ_NULL.
mp_obj_t gpusnek_weakref_waiting(void);
// Makes `next` the first reference of the queue; MP_OBJ_NULL empties it.
void gpusnek_weakref_called(mp_obj_t next);

// Calls the callbacks of all queued references; in py/modweakref.c (patch `weakrefs`). node: from
// the scheduler, or NULL. Prints exceptions of callbacks and raises none.
void gpusnek_weakrefs_call(mp_sched_node_t *node);

// Schedules gpusnek_weakrefs_call() if the queue is not empty. Called at the end of a collection;
// in py/modweakref.c.
void gpusnek_weakrefs_ended(void);

#endif
