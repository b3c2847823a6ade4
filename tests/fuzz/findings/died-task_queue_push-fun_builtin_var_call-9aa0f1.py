# kind: died
# place: task_queue_push<fun_builtin_var_call
# what: SIGABRT: modasyncio.c:118: member access within misaligned address 0x1000000000001 for type 'struct mp_obj_task_t', which requires 8 byte alignment
v0=None
v0=__import__('_asyncio').TaskQueue().push(0,0)
