# kind: died
# place: fun_builtin_2_call<mp_call_function_n_kw
# what: SIGABRT: AddressSanitizer: use-after-poison
v7=None
v7=b''.center((-1))
