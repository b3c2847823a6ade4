# kind: died
# place: native_base_init_wrapper
# what: SIGABRT: AddressSanitizer: SEGV
super(ValueError, ValueError).__init__(0)
