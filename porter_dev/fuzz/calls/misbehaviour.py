"""Classes and functions that misbehave, for use in hostile values and recipes."""

from __future__ import annotations

ACTIONS = 21  # number of behaviours of an object's methods, selected in _act

_DUNDERS = """
len hash eq lt gt le ge ne iter next getitem setitem delitem contains call bool index int float
complex str repr add radd sub mul mod pow and or xor lshift iadd neg invert abs enter exit get set
delete aenter aiter anext await reversed round divmod truediv floordiv matmul bytes format rmul imul
"""
_CHAIN = "=".join(f"__{name}__" for name in _DUNDERS.split())
_STREAM = "read=readinto=write=readline=ioctl=seek=tell=flush=close=readblocks=writeblocks=_a"
_ACT = """\
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
"""
_MUT = """\
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
"""
HELPERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "_mut": (_MUT, ()),
    "_act": (_ACT, ("_mut",)),
    "_O": (f"class _O:\n __init__=_i\n {_CHAIN}=_a\n {_STREAM}\n", ("_act",)),
    "_P": ("class _P:\n __init__=_i\n __getattr__=__del__=__setattr__=_a\n k=c=7\n", ("_act",)),
    "_S": (f"class _S(__import__('io').IOBase):\n __init__=_i\n {_STREAM}\n", ("_act",)),
    "_Sub": (
        "def _Sub(k=0,*a,b=(list,dict,tuple,str,bytes,int,bytearray,Exception,set,type,float)):\n"
        " return type('Q',(b[hash(k)%len(b)],),{'__init__':_i,'__del__':_a,'__eq__':_a,"
        "'__len__':_a,'__hash__':_a,'__getitem__':_a,'__repr__':_a,'__iter__':_a})(k)\n",
        ("_act",),
    ),
    "_self": ("def _self():\n l=[1]\n l.append(l)\n return l\n", ()),
    "_sdict": ("def _sdict():\n d={}\n d[1]=d\n return d\n", ()),
    "_g": ("def _g(n=3,*a):\n for i in range(n):yield i\n", ()),
    "_gm": ("def _gm(n):\n for i in range(n):\n  _mut()\n  yield i\n", ("_mut",)),
    "_rec": ("def _rec(*a):return repr([_rec()])\n", ()),
    "_closed": ("def _closed():\n f=__import__('io').BytesIO(b'abc')\n f.close()\n return f\n", ()),
}


def helpers(text: str) -> str:
    """Return the definitions that `text` needs, each after the definitions that it uses."""
    made: list[str] = []

    def need(name: str) -> None:
        if name not in made:
            for other in HELPERS[name][1]:
                need(other)
            made.append(name)

    for name in HELPERS:
        if any(f"{name}{end}" in text for end in "(,)."):
            need(name)
    return "".join(HELPERS[name][0] for name in made)
