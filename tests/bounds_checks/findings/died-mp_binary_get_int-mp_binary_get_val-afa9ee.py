# kind: died
# place: mp_binary_get_int<mp_binary_get_val
# what: SIGABRT: AddressSanitizer: SEGV
v2=None
v2=__import__('uctypes').struct(0,({'a':__import__('uctypes').UINT64|0xffffff}),0).a
