# kind: died
# place: uctypes_struct_subscr<mp_obj_subscr
# what: SIGABRT: AddressSanitizer: SEGV
v7=None
v7=__import__('uctypes').struct(0,({'a':(2<<28|0,(1<<28)-1)})).a[0]
