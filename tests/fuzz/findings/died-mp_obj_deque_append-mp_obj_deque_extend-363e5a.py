# kind: died
# place: mp_obj_deque_append<mp_obj_deque_extend
# what: SIGABRT: AddressSanitizer: SEGV
v7=None
v7=__import__('collections').deque((bytearray(16)),((1<<63)-1),0)
