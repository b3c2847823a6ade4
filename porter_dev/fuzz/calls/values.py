"""Hostile values as source text, by kind, for the holes of recipes and the arguments of calls."""

from __future__ import annotations

import re
from random import Random

from porter_dev.fuzz.calls.misbehaviour import ACTIONS

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
