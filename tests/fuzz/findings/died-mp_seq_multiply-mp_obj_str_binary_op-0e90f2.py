# kind: died
# place: mp_seq_multiply<mp_obj_str_binary_op
# what: SIGABRT: AddressSanitizer: use-after-poison
v1=None
v1=(b'M\x06\x00\x1f'+b'\xff'*40)*((1<<62))
