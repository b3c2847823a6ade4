"""Hostile values as source text, by kind, for the holes of recipes and the arguments of calls.

Some values are instances of classes, or functions, that misbehave when C code uses them.
"""

from __future__ import annotations

import re
from random import Random

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


REGISTERS = 8  # variables v0, v1, ... that pass results to later statements

# Sections by kind. Two spaces or a line end separate values.
_TABLE = r"""
[float]
0.0  -0.0  0.5  -1.5  1e22  5e-324  1e308  -1e308  float('nan')  1e18  float('inf')
-float('inf')  1j  complex(float('nan'),1e308)
[str]
''  'a'  'abc'  '\x00'  'é€😀'  'a b c'  ','  'x'*300  '%s'  '%d%r%%'  '%*d'  '%.2000000000f'
'{}{0}'  '{:>99999999999}'  '{0[a]}'  '{!r:^999}'  '9'*4000  '-0x7f'  '1e999'  'nan'  '\ud800'
'v0'  'utf-8'  '__class__'  '\n'  '\t'*50  'rb'  'w'  '/'  '/x'  '1'  '('*200  'é'*99
[fmt]
'b'  'B'  '<i'  '>Q'  '@q'  'P'  'O'  'f'  'd'  'e'  '4s'  '0s'  '99999999999s'  '2147483648b'
'%dq'%(1<<61)  '%dx'%(1<<63)  'S'  '1000000I'  '<'  ''  '\xff'  '18446744073709551616b'  '0q'
'xbhi'  'u'
[buf]
b''  b'abc'  b'\xff\xfe\x80'  bytes(64)  bytearray()  bytearray(1)  bytearray(16)
bytearray(b'hello world')  memoryview(bytearray(8))  b'\x00'*100  memoryview(b'abcdef')[2:]
memoryview(bytearray(32))[4:20]  b'{"a": [1, 2, null]}'  __import__('array').array('i',[1,-2,3])
__import__('array').array('d',[1.5,2])  memoryview(__import__('array').array('H',[1,2,3,4]))
b'9'*500  b'\xed\xa0\x80'  b'x\x9c\x03\x00'  b'\x1f\x8b\x08'+b'\xff'*20
b'M\x06\x00\x1f'+b'\xff'*40  __import__('array').array('O',[1,'a'])  memoryview(bytearray())
[seq]
[]  ()  [1,2,3]  (1,'a',None)  [[1],[2]]  {}  {1:2,'a':3}  set()  {1,2,3}  frozenset([1])
list(range(40))  range(10)  range(0,1<<62,7)  range(9,-9,-2)  range(1<<62)
{i:i for i in range(30)}  {}.items()  {1:2}.keys()  _self()  _sdict()  [None]*20  ('a',)*9
[b'',b'a']  ['x','y']  [(1,2),(3,4)]  [1.5,0]  __import__('collections').deque((1,2,3),5)
__import__('collections').OrderedDict()  __import__('collections').namedtuple('N','a b')(1,2)
slice(None,None,-1)  [_O(7)]*3  slice(-(1<<62),1<<62,3)  slice(5,1,(1<<63)-1)  {_O(9):1}
(_O(8),_O(9))
[iter]
iter([])  iter([1,2])  _g(5)  _g(300)  map(len,['a'])  zip([1],[2])  iter(v0)  enumerate('abc')
reversed([1,2])  filter(None,[0,1])  iter('abc')  iter({1:2})  (x for x in v1)  _gm(9)
iter(lambda:0,1)  (i for i in range(3))  iter(_O(13))
[fun]
lambda *a:None  lambda *a:a  lambda *a:1/0  lambda *a:_mut()  len  print  type  lambda *a:-1
lambda *a:1<<62  lambda *a:'x'*len(a)  _rec  repr  v0.__class__  _g  int  str  bytes  list
tuple  dict  object  Exception  isinstance  bytearray  memoryview  ValueError  KeyError('x')
_Sub  _O  super  property
[io]
__import__('io').BytesIO()  __import__('io').BytesIO(b'abc\ndef')  _closed()
__import__('io').StringIO('a\nb')  __import__('io').StringIO()  __import__('sys').stdin
__import__('io').BytesIO(bytearray(10))  __import__('sys').stdout  None
__import__('io').BufferedWriter(_S(18),4)  _S(3)  _S(2)  _S(0)  _S(19)  _S(7)
[plain]
None  True  False  ...  NotImplemented
[re]
'a*'  '(a*)*'  '(a|b)*c'  '[^a-'  '('*30  '(?:a+)+$'  '\\1'  '[a-z]+?x'  '(.)(.)(.)'  '^$'  ''
'a{1000}'  '.*.*.*.*x'  '|'  '\\d+'  b'a'  '(((a)))'
[src]
'1+1'  'x='  '('*100  'def f():\n return f()\nf()'  '[0]*9'  'lambda:0'  '\x00'
'+'.join(['1']*300)  'a='*99+'1'  '\n'*999  'class A(A):pass'  'b"\\xff"'  '0x'  'yield 1'
'return'  'await x'  '*a,*b=1'  'f"{v0}"'  '1'+'0'*999  'if 1:\n'  'try:\n 1\nfinally:\n 2'
b'\xff\xff'  'del v0'  'global v0;v0=1'  '1if 2else 3'
[field]
{}  {'a':0}  {'a':1|(1<<27)}  {'a':(1<<62)}  {'a':-1}  {'a':(0,{'b':0})}  {'a':(2<<28,1<<28)}
{'a':(2<<28|0,(1<<28)-1)}  {'a':(1<<29,4,{'b':0})}  {1:2}  ()  {'a':(1<<28,0)}
{'a':((1<<31)|16,(1<<26)|5)}  {'a':0xfffffff}  (1<<29,1,2)  {'a':v1}
{'a':__import__('uctypes').UINT64|0xffffff}  {'a':__import__('uctypes').BFUINT32|31<<17|31<<22}
{'a':(__import__('uctypes').ARRAY|0,__import__('uctypes').UINT64|0x7ffffff)}
{'a':(__import__('uctypes').PTR|0,__import__('uctypes').UINT8)}
[addr]
__import__('uctypes').addressof(bytearray(64))  0  8  id(v0)  -1  1<<47  (1<<63)-1
__import__('uctypes').addressof(bytearray(64))+32  id(v1)+8  -(1<<63)  1<<64  v0
"""

_POWERS = (7, 8, 15, 16, 24, 30, 31, 32, 33, 47, 59, 60, 61, 62, 63, 64, 100)
_SMALL = tuple(str(number) for number in range(-4, 21))
_HUGE = tuple(
    f"{sign}(1<<{power}){near}"
    for power in _POWERS
    for sign in ("", "-")
    for near in ("", "-1", "+1")
)
_OBJECTS = tuple(
    f"{name}({kind})" for kind in range(ACTIONS) for name in ("_O", "_O", "_S", "_P", "_Sub")
)
_SIMPLE = re.compile(r"\d+|\w+|'[^'\\]*'|\[[^\[\]]*\]|\{\}|_\w+\(\d*\)")


def _kinds() -> dict[str, tuple[str, ...]]:
    """Return all values by kind, in parentheses where an adjacent operator could split them."""
    found: dict[str, tuple[str, ...]] = {
        "small": _SMALL,
        "huge": _HUGE,
        "obj": _OBJECTS,
        "xy": (*_SMALL[:8], "100", "32767", "-32768", *_HUGE[:60:5]),
    }
    parts = re.split(r"^\[([a-z]+)\]\n", _TABLE, flags=re.MULTILINE)
    for kind, body in zip(parts[1::2], parts[2::2], strict=True):
        found[kind] = tuple(re.split(r"\n|  +", body.strip()))
    return {
        kind: tuple(text if _SIMPLE.fullmatch(text) else f"({text})" for text in texts)
        for kind, texts in found.items()
    }


KINDS = _kinds()
# Kinds for holes that accept any value, repeated according to their weights.
_ANY = (
    *("small",) * 5,
    *("huge",) * 4,
    *("buf",) * 4,
    *("seq",) * 4,
    *("str",) * 3,
    *("obj",) * 3,
    *("plain",) * 2,
    *("float", "iter", "fun", "io", "fmt", "src"),
)
# Mixtures of kinds: int, and num with floats.
_MIXED = {"int": ("small", "small", "huge"), "num": ("small", "huge", "float"), "any": _ANY}


def value(random: Random, kind: str) -> str:
    """Draw the source text of a value.

    About one value in eight is of another kind.

    Args:
        random: Source of randomness.
        kind: Key of KINDS, or `int`, `num`, `any`, or `v` for a register.
    """
    chance = random.random()
    if kind == "v" or chance < (0.35 if kind == "any" else 0.12):
        return f"v{int(random.random() * REGISTERS)}"
    if chance > 0.94:
        kind = "any"
    mixed = _MIXED.get(kind)
    if mixed is not None:
        kind = mixed[int(random.random() * len(mixed))]
    known = KINDS[kind]
    return known[int(random.random() * len(known))]
