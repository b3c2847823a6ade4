# kind: died
# place: v0.register
# what: SIGABRT: AddressSanitizer: SEGV
def _p(i,v=None):
 t=type(v)
 if t is bool or t is float or t is int and -(1<<63)<v<1<<63:print(i,v)
 elif t is str or t is bytes:
  if len(v)>511 or'0x'in repr(v)or' at 'in repr(v):print(i,t.__name__)
  else:print(i,repr(v)[:64],len(v))
 elif t is list or t is tuple:print(i,t.__name__,len(v))
 else:print(i,t.__name__)
def _m(v,i):
 n=dir(v)
 return getattr(v,n[i%len(n)])
v0=v5=v6=None
v6=(bytearray(b'hello world'))
v0=_m(v6,1)(0)
v5=v0.register(0,0,0)
