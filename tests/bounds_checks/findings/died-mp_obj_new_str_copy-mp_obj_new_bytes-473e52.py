# kind: died
# place: mp_obj_new_str_copy<mp_obj_new_bytes
# what: SIGABRT: AddressSanitizer: SEGV
v7=None
v7=__import__('uctypes').bytes_at((__import__('uctypes').addressof(bytearray(64))),(-1))
