# kind: died
# place: weakref.ref
# what: SIGABRT: AddressSanitizer: SEGV
v0=v1=v7=None
v0=b''
v1=(memoryview(b'abcdef')[2:])
v7=__import__('weakref').ref(v1,(lambda *a:1/0))
