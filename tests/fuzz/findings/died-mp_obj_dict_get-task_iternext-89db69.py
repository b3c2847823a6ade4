# kind: died
# place: mp_obj_dict_get<task_iternext
# what: SIGABRT: objdict.c:213: member access within misaligned address 0x1000000000001 for type 'struct mp_obj_dict_t', which requires 8 byte alignment
v0=None
v0=__import__('_asyncio').Task(0,0)
for i in v0:break
