# kind: died
# place: mp_stream_seek<fun_builtin_var_call
# what: SIGABRT: AddressSanitizer: SEGV
v0=v1=v2=v3=v4=v5=v6=v7=None
def _closed():
 f=__import__('io').BytesIO(b'abc')
 f.close()
 return f
v1=_closed().seek(0,2)
