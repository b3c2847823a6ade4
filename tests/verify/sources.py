"""Programs whose bytecode is mutated: each construct that the VM keeps state of on its stack."""

from __future__ import annotations

SOURCES = (
    """\
def f(a, b=2, *c, d=4, **e):
 return a, b, c, d, e
print(f(1), f(1, *[2, 3], d=5, x=6, **{'y': 7}))
""",
    """\
for i in [1, 2, 3]:
 for j in range(i):
  if j == 1: break
 else: continue
print(i)
""",
    """\
def f():
 try:
  try: return 1
  finally: print('a')
 finally: print('b')
print(f())
""",
    """\
def f(n):
 for i in range(n):
  try:
   if i == 1: continue
   if i == 3: break
  finally: print(i)
 return i
print(f(5))
""",
    """\
class C:
 def __enter__(self): return 5
 def __exit__(self, *a): return True
def f():
 for x in [1, 2]:
  with C() as c, C():
   if x == 2: return c
   raise ValueError
print(f())
""",
    """\
try:
 try: {}['a']
 except KeyError as e: raise ValueError from e
except (ValueError, TypeError) as e:
 print(repr(e))
else: pass
finally: print('end')
""",
    """\
def g(n):
 for i in range(n):
  try: x = yield i
  except ValueError: yield 'caught'
 return 7
def h(): return (yield from g(2))
g1 = h()
print(next(g1), g1.throw(ValueError()), list(g1))
""",
    """\
def f(a):
 x = 1
 def g():
  nonlocal x
  x += a
  return lambda y: x + y + a
 return g()
print(f(2)(3))
""",
    """\
class A:
 def m(self): return 1
class B(A):
 def m(self): return super().m() + 1
print(B().m())
""",
    """\
print([x * y for x in [1, 2] for y in (3, 4) if x < y], {x: 1 for x in 'ab'}, {x for x in [1]},
 sum(x for x in [1, 2]))
""",
    """\
a, *b, c = [1, 2, 3, 4]
(d, e), f = (1, 2), 3
x = [1, 2, 3]
x[0:2] = [9]
del x[0]
print(a, b, c, d, x[::2])
""",
    """\
import sys
from sys import version_info as v
try: from sys import nothing
except ImportError: print('no')
global_name = 1
del global_name
""",
    """\
def f():
 while True:
  try:
   try: break
   finally: print(1)
  except: pass
  finally:
   for i in [1]: pass
 return 2
print(f())
""",
    """\
x = 1
y = x < 2 < 3 and x or not x
assert y, 'no'
print('%d' % x, -x, ~x, x in [1], x is not None, x if y else 2)
""",
    """\
class C:
 async def __aenter__(self): return 1
 async def __aexit__(self, *a): return True
async def f():
 async with C() as c:
  raise ValueError
 async with C(): return 2
try: f().send(None)
except StopIteration as e: print(e.value)
""",
    """\
class I:
 def __aiter__(self): return self
 async def __anext__(self): raise StopAsyncIteration
async def f():
 async for x in I(): pass
 else: return 3
try: f().send(None)
except StopIteration as e: print(e.value)
""",
    """\
def f():
 for i in [1, 2]:
  try: raise KeyError
  finally:
   try: pass
   finally: break
print(f())
""",
    """\
def f():
 try: raise KeyError(1)
 except KeyError as e:
  try: raise
  finally: return 4
print(f())
""",
)
