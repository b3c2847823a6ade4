# kind: died
# place: task_queue_remove<fun_builtin_2_call
# what: SIGABRT: modasyncio.c:149: member access within misaligned address 0x1000000000001 for type 'struct mp_obj_task_t', which requires 8 byte alignment
v3=None
v3=__import__('_asyncio').TaskQueue().remove(0)
