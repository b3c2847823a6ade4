# kind: died
# place: qstr_compute_hash<mp_obj_new_str_copy
# what: SIGABRT: AddressSanitizer: SEGV
v3=None
v3=__import__('uctypes').bytes_at((1<<47),7)
