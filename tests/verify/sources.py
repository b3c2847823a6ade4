"""Programs whose bytecode is mutated: each construct that the VM keeps state of on its stack."""

from __future__ import annotations

SOURCES = (
    "def f(a, b=2, *c, d=4, **e):\n return a, b, c, d, e\nprint(f(1), f(1, *[2, 3], d=5, x=6, **{'y': 7}))",
    "for i in [1, 2, 3]:\n for j in range(i):\n  if j == 1: break\n else: continue\nprint(i)",
    "def f():\n try:\n  try: return 1\n  finally: print('a')\n finally: print('b')\nprint(f())",
    "def f(n):\n for i in range(n):\n  try:\n   if i == 1: continue\n   if i == 3: break\n"
    "  finally: print(i)\n return i\nprint(f(5))",
    "class C:\n def __enter__(self): return 5\n def __exit__(self, *a): return True\n"
    "def f():\n for x in [1, 2]:\n  with C() as c, C():\n   if x == 2: return c\n   raise ValueError\nprint(f())",
    "try:\n try: {}['a']\n except KeyError as e: raise ValueError from e\nexcept (ValueError, TypeError) as e:\n"
    " print(repr(e))\nelse: pass\nfinally: print('end')",
    "def g(n):\n for i in range(n):\n  try: x = yield i\n  except ValueError: yield 'caught'\n return 7\n"
    "def h(): return (yield from g(2))\ng1 = h()\nprint(next(g1), g1.throw(ValueError()), list(g1))",
    "def f(a):\n x = 1\n def g():\n  nonlocal x\n  x += a\n  return lambda y: x + y + a\n return g()\nprint(f(2)(3))",
    "class A:\n def m(self): return 1\nclass B(A):\n def m(self): return super().m() + 1\nprint(B().m())",
    "print([x * y for x in [1, 2] for y in (3, 4) if x < y], {x: 1 for x in 'ab'}, {x for x in [1]},"
    " sum(x for x in [1, 2]))",
    "a, *b, c = [1, 2, 3, 4]\n(d, e), f = (1, 2), 3\nx = [1, 2, 3]\nx[0:2] = [9]\ndel x[0]\nprint(a, b, c, d, x[::2])",
    "import sys\nfrom sys import version_info as v\ntry: from sys import nothing\nexcept ImportError: print('no')\n"
    "global_name = 1\ndel global_name",
    "def f():\n while True:\n  try:\n   try: break\n   finally: print(1)\n  except: pass\n  finally:\n   for i in [1]: pass\n"
    " return 2\nprint(f())",
    "x = 1\ny = x < 2 < 3 and x or not x\nassert y, 'no'\nprint('%d' % x, -x, ~x, x in [1], x is not None, x if y else 2)",
    "class C:\n async def __aenter__(self): return 1\n async def __aexit__(self, *a): return True\n"
    "async def f():\n async with C() as c:\n  raise ValueError\n async with C(): return 2\n"
    "try: f().send(None)\nexcept StopIteration as e: print(e.value)",
    "class I:\n def __aiter__(self): return self\n async def __anext__(self): raise StopAsyncIteration\n"
    "async def f():\n async for x in I(): pass\n else: return 3\ntry: f().send(None)\nexcept StopIteration as e: print(e.value)",
    "def f():\n for i in [1, 2]:\n  try: raise KeyError\n  finally:\n   try: pass\n   finally: break\nprint(f())",
    "def f():\n try: raise KeyError(1)\n except KeyError as e:\n  try: raise\n  finally: return 4\nprint(f())",
)
