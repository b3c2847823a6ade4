# kind: died
# place: mpz_hash<mp_obj_int_get_truncated
# what: SIGABRT: AddressSanitizer: global-buffer-overflow
v3=None
v3=__import__('uctypes').bytearray_at(None,0)
