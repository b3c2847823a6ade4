# kind: died
# place: list_count<fun_builtin_2_call
# what: SIGABRT: objlist.c:357: member access within misaligned address 0x1000000000001 for type 'struct mp_obj_list_t', which requires 8 byte alignment
def _p(i,v=None):
 t=type(v)
 if t is bool or t is float or t is int and -(1<<63)<v<1<<63:print(i,v)
 elif (t is str or t is bytes) and len(v)<64 and '0x' not in repr(v):print(i,repr(v))
 elif t is str or t is bytes or t is list or t is tuple:print(i,t.__name__,len(v))
 else:print(i,t.__name__)
def _m(v,i):
 n=dir(v)
 return getattr(v,n[i%len(n)])
v5=v6=None
class v5(list):x=0
v6=_m(v5,25)(0,0)
