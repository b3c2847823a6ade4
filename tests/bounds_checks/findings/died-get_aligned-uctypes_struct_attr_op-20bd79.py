# kind: died
# place: get_aligned<uctypes_struct_attr_op
# what: SIGABRT: AddressSanitizer: SEGV
v3=None
v3=__import__('uctypes').struct(0,({'a':0xfffffff})).a[0]
