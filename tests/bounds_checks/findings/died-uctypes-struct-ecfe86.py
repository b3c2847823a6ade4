# kind: died
# place: uctypes.struct
# what: SIGSEGV
v4=None
v4=__import__('uctypes').struct(0,({'a':(1<<29,4,{'b':0})})).a[0]
