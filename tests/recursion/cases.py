# ruff: noqa: E501 (programs in one line each)
"""Programs with unbounded recursion, each by a different path through the interpreter's C code."""

from __future__ import annotations

NEST_TUPLE = "t = ()\nfor i in range(400): t = (t,)\n"
NEST_PAIR = NEST_TUPLE + "u = ()\nfor i in range(400): u = (u,)\n"
NEST_LIST = "l = []\nfor i in range(400): l = [l]\n"
CLASS = "class A:\n    pass\n"

CASES: dict[str, str] = {
    "tuple hash": NEST_TUPLE + "hash(t)",
    "tuple equal": NEST_PAIR + "t == u",
    "tuple less": NEST_PAIR + "t < u",
    "tuple repr": NEST_TUPLE + "repr(t)",
    "tuple print": NEST_TUPLE + "print(t)",
    "tuple in set": NEST_TUPLE + "{t}",
    "tuple as key": NEST_TUPLE + "{t: 1}",
    "list repr": NEST_LIST + "str(l)",
    "list equal": NEST_LIST + "m = []\nfor i in range(400): m = [m]\nl == m",
    "list in itself": "l = []\nl.append(l)\nrepr(l)",
    "dict in itself": "d = {}\nd[1] = d\nrepr(d)",
    "dict equal": "d = {}\ne = {}\nfor i in range(300): d = {1: d}; e = {1: e}\nd == e",
    "deque in itself": "from collections import deque\nd = deque((), 3)\nd.append(d)\nprint(list(d))",
    "list format": NEST_LIST + "'{}'.format(l)",
    "list percent": NEST_LIST + "'%s' % (l,)",
    "json dumps": NEST_LIST + "import json\njson.dumps(l)",
    "json dumps itself": "import json\nl = []\nl.append(l)\njson.dumps(l)",
    "json loads": "import json\njson.loads('[' * 2000 + ']' * 2000)",
    "json loads dicts": "import json\njson.loads('{\"a\":' * 1000 + '1' + '}' * 1000)",
    "parentheses": "eval('(' * 2000 + '1' + ')' * 2000)",
    "brackets": "eval('[' * 1500 + ']' * 1500)",
    "unary": "eval('-' * 2000 + 'x')",
    "not": "eval('not ' * 2000 + 'x')",
    "lambda source": "eval('lambda: ' * 500 + '1')",
    "attribute chain": "eval('x' + '.a' * 2000)",
    "call chain": "eval('x' + '()' * 2000)",
    "index chain": "eval('x' + '[0]' * 2000)",
    "power chain": "eval('x' + '**x' * 1500)",
    "conditional chain": "eval('1 if x else ' * 800 + '2')",
    "nested blocks": "exec(''.join(' ' * i + 'if 1:\\n' for i in range(200)) + ' ' * 200 + 'pass')",
    "nested functions": "exec(''.join(' ' * i + 'def f():\\n' for i in range(150)) + ' ' * 150 + '1')",
    "nested classes": "exec(''.join(' ' * i + 'class A:\\n' for i in range(100)) + ' ' * 100 + '1')",
    "nested loops": "exec(''.join(' ' * i + 'while x:\\n' for i in range(200)) + ' ' * 200 + '1')",
    "nested try": "exec(''.join(' ' * i + 'try:\\n' for i in range(100)) + ' ' * 100 + 'x\\n'"
    " + ''.join(' ' * i + 'finally: 1\\n' for i in range(99, -1, -1)))",
    "comprehension source": "eval('[' * 200 + '1' + ' for i in x]' * 200)",
    "f-string source": "eval(\"f'{\" + '(' * 500 + '1' + ')' * 500 + \"}'\")",
    "eval in eval": "s = '1'\nfor i in range(6): s = 'eval(%r)' % s\neval(s)\n"
    "def f(): return eval('f()')\nf()",
    "exec in exec": "def f(): exec('f()')\nf()",
    "function": "def f(): return f()\nf()",
    "mutual": "def f(): return g()\ndef g(): return f()\nf()",
    "arguments": "def f(*a, **k): return f(*a, 1, x=2)\nf()",
    "lambda": "f = lambda: f()\nf()",
    "map tower": "m = [1]\nfor i in range(500): m = map(lambda x: x, m)\nlist(m)",
    "filter tower": "m = [1]\nfor i in range(500): m = filter(None, m)\nlist(m)",
    "zip tower": "m = [1]\nfor i in range(500): m = zip(m)\nlist(m)",
    "enumerate tower": "m = [1]\nfor i in range(500): m = enumerate(m)\nlist(m)",
    "reversed tower": "m = iter([1])\nfor i in range(500): m = iter(m)\nlist(m)",
    "generator tower": "def g(n):\n    yield n\n    yield from g(n + 1)\nfor x in g(0): pass",
    "generator expression tower": "m = [1]\nfor i in range(300): m = (x for x in m)\nlist(m)",
    "generator close": "def g(n):\n    try:\n        yield from g(n - 1) if n else [1]\n"
    "    finally:\n        1\nx = g(200)\nnext(x)\nx.close()",
    "generator throw": "def g(n):\n    yield from g(n - 1) if n else [1, 2]\n"
    "x = g(30)\nnext(x)\nx.throw(ValueError)",
    "equal": CLASS + "A.__eq__ = lambda a, b: a == b\nA() == A()",
    "not equal": CLASS + "A.__ne__ = lambda a, b: a != b\nA() != A()",
    "less": CLASS + "A.__lt__ = lambda a, b: a < b\nA() < A()",
    "hash": CLASS + "A.__hash__ = lambda a: hash(a)\nhash(A())",
    "repr": CLASS + "A.__repr__ = lambda a: repr(a)\nprint(A())",
    "str": CLASS + "A.__str__ = lambda a: str(a)\nstr(A())",
    "bool": CLASS + "A.__bool__ = lambda a: not a\nbool(A())",
    "len": CLASS + "A.__len__ = lambda a: len(a)\nlen(A())",
    "call": CLASS + "A.__call__ = lambda a: a()\nA()()",
    "add": CLASS + "A.__add__ = lambda a, b: a + b\nA() + 1",
    "reverse add": CLASS + "A.__radd__ = lambda a, b: b + a\n1 + A()",
    "negative": CLASS + "A.__neg__ = lambda a: -a\n-A()",
    "contains": CLASS + "A.__contains__ = lambda a, x: x in a\n1 in A()",
    "get item": CLASS + "A.__getitem__ = lambda a, i: a[i]\nA()[0]",
    "set item": CLASS + "def s(a, i, v): a[i] = v\nA.__setitem__ = s\nA()[0] = 1",
    "iterate": CLASS + "A.__iter__ = lambda a: iter(a)\nlist(A())",
    "next": CLASS + "A.__next__ = lambda a: next(a)\nnext(A())",
    "get attribute": CLASS + "A.__getattr__ = lambda a, n: a.x\nA().x",
    "set attribute": "class A:\n    def __setattr__(self, n, v): self.x = v\nA().x = 1",
    "delete attribute": "class A:\n    def __delattr__(self, n): del self.x\ndel A().x",
    "property": "class A:\n    @property\n    def p(self): return self.p\nA().p",
    "property set": "class A:\n    @property\n    def p(self): 1\n    @p.setter\n"
    "    def p(self, v): self.p = v\nA().p = 1",
    "init": "class A:\n    def __init__(self): A()\nA()",
    "new": "class A:\n    def __new__(cls): return cls()\nA()",
    "enter": "class A:\n    def __enter__(self):\n        with self: pass\n"
    "    def __exit__(self, *a): pass\nwith A(): pass",
    "exit": "class A:\n    def __enter__(self): pass\n    def __exit__(self, *a):\n"
    "        with self: pass\nwith A(): pass",
    "hierarchy": "class A: x = 1\nfor i in range(300): A = type('B', (A,), {})\nprint(A().x)\n"
    "A().y",
    "wide hierarchy": "class A: pass\nfor i in range(60): A = type('B', (A, type('C', (), {})), {})\n"
    "isinstance(A(), int)\nA().y",
    "super": "class A:\n    def f(self): return 1\nfor i in range(60):\n"
    "    A = type('B', (A,), {'f': (lambda b: lambda s: b.f(s))(A)})\nA().f()",
    "is subclass": "class A: pass\nB = A\nfor i in range(300): B = type('B', (B,), {})\n"
    "issubclass(B, A)",
    "subclassed tuple": "class T(tuple): pass\nt = T()\nfor i in range(300): t = T((t,))\n"
    "hash(t)\nt == t\nrepr(t)",
    "subclassed list": "class L(list): pass\nl = L()\nl.append(l)\nrepr(l)",
    "exception in itself": "e = ValueError()\ne.__init__(e)\nprint(e)\ne = ValueError([e])\nrepr(e)",
    "raise in handler": "def f():\n    try: 1 / 0\n    except ZeroDivisionError: f()\nf()",
    "raise in finally": "def f():\n    try: 1 / 0\n    finally: f()\nf()",
    "handler of recursion": "def f():\n    try: f()\n    except RuntimeError: pass\nf()",
    "finaliser": "import gc\nclass A:\n    def __del__(self):\n        A()\n        gc.collect()\n"
    "def f():\n    A()\nf()\ngc.collect()",
    "deep finaliser": "import gc\nclass A:\n    def __del__(self):\n        def f(): f()\n"
    "        f()\nA()\ngc.collect()\ngc.collect()",
    "sort key": "def k(x): return sorted([1, 2], key=k)\nsorted([1, 2], key=k)",
    "sort in less": CLASS + "A.__lt__ = lambda a, b: sorted([a, b])\nsorted([A(), A()])",
    "print in repr": "class A:\n    def __repr__(self):\n        print(self)\n        return ''\nprint(A())",
    "min key": "def k(x): return min([1, 2], key=k)\nmin([1, 2], key=k)",
    "sum": CLASS + "A.__radd__ = lambda a, b: sum([a])\nsum([A()])",
    "join": "class A:\n    def __iter__(self): return iter([''.join(self)])\n''.join(A())",
    "bytes": "class A:\n    def __iter__(self): return iter(bytes(self))\nbytes(A())",
    "unpack": "class A:\n    def __iter__(self):\n        a, b = self\nx, y = A()",
    "re groups": "import re\nre.compile('(' * 300 + ')' * 300).match('a')",
    "re classes": "import re\nre.match('(?:' * 300 + 'a' + ')*' * 300, 'a' * 50)",
    "re star": "import re\nre.match('(a|b)*c', 'ab' * 2000)",
    "re sub": "import re\ndef f(m): return re.sub('a', f, 'a')\nre.sub('a', f, 'a')",
    "import": "import sys\nclass M:\n    def __getattr__(self, n): import q\nexec('import sys')\n"
    "def f(): __import__('sys'); f()\nf()",
    "closure": "def make(f): return lambda: f()\ng = lambda: 1\nfor i in range(300): g = make(g)\ng()",
    "bound methods": "class A:\n    def f(self): return self.f()\nA().f()",
    "static": "class A:\n    @staticmethod\n    def f(): return A.f()\nA.f()",
    "class method": "class A:\n    @classmethod\n    def f(cls): return cls.f()\nA.f()",
    "partial application": "f = print\nfor i in range(300): f = (lambda g: lambda *a: g(*a))(f)\nf(1)",
    "big numbers": "def f(n): return f(n * n + 1)\nf(3 ** 40)",
    "schedule": "import micropython\ndef f(x): micropython.schedule(f, x)\n"
    "micropython.schedule(f, 1)\nfor i in range(100): pass",
    "dict views": "d = {}\nd[1] = d.items()\nprint(d)",
    "slices": "s = slice(1)\nfor i in range(300): s = slice(s)\nrepr(s)",
    "memory views": "m = memoryview(bytearray(9))\nfor i in range(300): m = memoryview(m)\nm[0]",
    "struct in array": "import array\na = array.array('O', [0])\na[0] = a\nrepr(a)",
    "named tuple": "from collections import namedtuple\nP = namedtuple('P', 'x')\np = P(0)\n"
    "for i in range(300): p = P(p)\nrepr(p)\nhash(p)\np == P(p)",
    "ordered dict": "from collections import OrderedDict\nd = OrderedDict()\nd[1] = d\nrepr(d)",
    "help": "help(help)\nclass A:\n    pass\nhelp(A)",
    "dir": "class A:\n    def __dir__(self): return dir(self)\ndir(A())",
    "compile in finaliser": "class A:\n    def __del__(self): exec('(' * 500)\nA()\nimport gc\n"
    "gc.collect()",
    "async": "async def f(): await f()\nf().send(None)",
    "uctypes": "import uctypes\nd = {'x': 0}\nfor i in range(200): d = {'x': (0, d)}\n"
    "uctypes.sizeof(d)",
    "uctypes in itself": "import uctypes\nd = {}\nd['x'] = (0, d)\nuctypes.sizeof(d)",
}
