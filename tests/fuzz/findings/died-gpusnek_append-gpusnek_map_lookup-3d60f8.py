# kind: died
# place: gpusnek_append<gpusnek_map_lookup
# what: SIGABRT: AddressSanitizer: SEGV
v0=v1=v2=v3=v4=v5=v6=v7=None
def _mut():
 for c in (v0,v1,v2,v3,v4,v5,v6,v7):
  t=type(c)
  try:
   if t is list:
    if len(c)>8:c.clear()
    else:c.extend([0]*9)
   elif t is dict:
    if len(c)>8:c.clear()
    else:
     for i in range(12):c[i]=i
   elif t is bytearray:
    if len(c)>40:c[8:]=b''
    else:c.extend(b'zz'*40)
   elif t is set:c.add(len(c))
  except Exception:pass
def _act(s,a):
 k=s.k
 s.c+=1
 if k==0:return None
 if k==1:return s
 if k==2:return -1
 if k==3:return 1<<62
 if k==4:return 'x'
 if k==5:raise ValueError
 if k==6:raise StopIteration(s)
 if k==7:
  _mut()
  return 0
 if k==8:return repr([s])
 if k==9:return [s]==[s]
 if k==10:return list(s)
 if k==11:return bytearray(3)
 if k==12:return s.c
 if k==13:
  if s.c>20:raise StopIteration
  return s.c
 if k==14:return True
 if k==15:
  __import__('gc').collect()
  return s.c&3
 if k==16:return 1<<70
 if k==17:return b''
 if k==18:return len(a[0]) if a and not isinstance(a[0],int) else 1
 if k==19:
  try:
   for i in range(len(a[0])):a[0][i]=i&255
   return len(a[0])
  except (TypeError,IndexError):return (1<<32)+1
 return lambda *a:s
def _a(s,*a,**k):return _act(s,a)
def _i(s,k=0,*a):
 s.k=k
 s.c=0
class _O:
 __init__=_i
 __len__=__hash__=__eq__=__lt__=__gt__=__le__=__ge__=__ne__=__iter__=__next__=__getitem__=__setitem__=__delitem__=__contains__=__call__=__bool__=__index__=__int__=__float__=__complex__=__str__=__repr__=__add__=__radd__=__sub__=__mul__=__mod__=__pow__=__and__=__or__=__xor__=__lshift__=__iadd__=__neg__=__invert__=__abs__=__enter__=__exit__=__get__=__set__=__delete__=__aenter__=__aiter__=__anext__=__await__=__reversed__=__round__=__divmod__=__truediv__=__floordiv__=__matmul__=__bytes__=__format__=__rmul__=__imul__=_a
 read=readinto=write=readline=ioctl=seek=tell=flush=close=readblocks=writeblocks=_a
d={_O(7):1 for i in range(5)};v7=d;d.pop(0)
