# kind: died
# place: mp_stream_rw<mp_stream_write
# what: SIGABRT: AddressSanitizer: use-after-poison
v2=None
f=__import__('io').BytesIO(b'abc');m=f.getvalue();f.seek(((1<<47)-1));v2=f;f.write((__import__('array').array('d',[1.5,2])))
