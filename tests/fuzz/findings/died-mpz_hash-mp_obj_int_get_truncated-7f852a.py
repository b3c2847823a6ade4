# kind: died
# place: mpz_hash<mp_obj_int_get_truncated
# what: SIGABRT: AddressSanitizer: global-buffer-overflow
v0=None
v0=__import__('uctypes').bytes_at(0,None)
