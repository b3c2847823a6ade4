# kind: died
# place: gpusnek_starts<fun_builtin_var_call
# what: SIGABRT: AddressSanitizer: SEGV
def _p(i,v=None):
 t=type(v)
 if t is bool or t is float or t is int and -(1<<63)<v<1<<63:print(i,v)
 elif (t is str or t is bytes) and len(v)<64 and '0x' not in repr(v):print(i,repr(v))
 elif t is str or t is bytes or t is list or t is tuple:print(i,t.__name__,len(v))
 else:print(i,t.__name__)
def _m(v,i):
 n=dir(v)
 return getattr(v,n[i%len(n)])
v1=v2=v6=None
v2=('9'*4000)
v6=(bytearray())
v1=_m(v6,19)(v2,11)
