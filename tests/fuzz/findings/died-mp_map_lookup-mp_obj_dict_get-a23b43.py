# kind: died
# place: mp_map_lookup<mp_obj_dict_get
# what: SIGABRT: AddressSanitizer: SEGV
v1=None
v1=__import__('_asyncio').Task(0).cancel()
