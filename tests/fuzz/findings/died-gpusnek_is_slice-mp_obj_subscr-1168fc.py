# kind: died
# place: gpusnek_is_slice<mp_obj_subscr
# what: SIGABRT: AddressSanitizer: SEGV
v3=v4=None
v4=(bytearray(b'hello world')).__delitem__(0)
b=bytearray(40);v3=memoryview(b);b+=bytes(200);0[v4]=0
