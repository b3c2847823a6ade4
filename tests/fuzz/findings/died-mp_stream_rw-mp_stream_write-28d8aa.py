# kind: died
# place: mp_stream_rw<mp_stream_write
# what: SIGABRT: AddressSanitizer: use-after-poison
v0=None
f=__import__('io').BytesIO(b'abc');m=f.getvalue();f.seek(((1<<62)-1));v0=f;f.write((__import__('array').array('i',[1,-2,3])))
