"""Endless programs, or programs whose end nobody waits for.

SLOW: in a loop of C code. PYTHON: in a Python loop, at the lowest code address, deeper in calls
than others, in a generator, in C that calls back, between exceptions, without a call, with much
work in C. WORDS: finite work that diverges, for interpreters that share a warp with these.
"""

from __future__ import annotations

CANVAS = """
import framebuf
from array import array
CANVAS = framebuf.FrameBuffer(bytearray(64), 8, 8, framebuf.{})
"""
NUMBER = "a = (1 << 1_500_000) - 1\n"
ENDLESS = "class E:\n    def __iter__(self): return self\n    def __next__(self): return {}\n"
# Operands that make C code process some hundred kilobytes of memory repeatedly.
DEEP = "a = b = ()\nfor i in range(60):\n    a = (a, a)\n    b = (b, b)\n"
SLOW = {
    "sequences": {
        "list": "[] * (1 << 60)",
        "tuple": "() * (1 << 60)",
        "str": "'' * (1 << 60)",
        "bytes": "b'' * (1 << 60)",
        "in place": "a = []\na *= 1 << 60",
        "slice": "list(range(1 << 40)[::3])",
        "range": "list(range(1 << 60))",
        "membership": "-1 in iter(range(1 << 60))",
        "equality": DEEP + "a == b",
        "order": DEEP + "a < b",
        "hash": DEEP + "hash(a)",
        "printing": DEEP + "str(a)",
        "finding": "a = [()]\na += a * 9\n" + DEEP + "[a].index(b)",
        "counting": DEEP + "[a].count(b)",
        "sorting": "a = list(range(20000))\nwhile True: a.sort(key=lambda x: -x)",
        "unpacking": "a, *b = range(1 << 60)",
        "unpacking a little": ENDLESS.format("1") + "a, b = E()",
        "deque": "from collections import deque\ndeque(range(1 << 60), 3)",
        "extending": "from collections import deque\ndeque((), 3).extend(range(1 << 60))",
        "zip": "any(() for x in zip(range(1 << 60), range(1 << 60)))",
        "all of a slice": "all(range(0, -1 << 60, -1)[1:])",
    },
    "iterators": {
        "sum": "sum(range(1 << 60))",
        "any": "any(0 for x in range(1 << 60))",
        "all": "all(range(1, 1 << 60))",
        "max": "max(range(1 << 60))",
        "min": ENDLESS.format("0") + "min(E())",
        "map": "any(map(lambda x: False, range(1 << 60)))",
        "filter": "next(filter(lambda x: False, range(1 << 60)))",
        "filter by None": ENDLESS.format("0") + "list(filter(None, E()))",
        "enumerate": "sum(x[0] for x in enumerate(range(1 << 60)))",
        "dict": "dict((i % 3, i) for i in range(1 << 60))",
        "fromkeys": ENDLESS.format("3") + "dict.fromkeys(E())",
        "update": ENDLESS.format("(1, 2)") + "{}.update(E())",
        "set": "set(i % 3 for i in range(1 << 60))",
        "set.update": ENDLESS.format("1") + "set().update(E())",
        "intersection": ENDLESS.format("1") + "{1}.intersection(E())",
        "difference": ENDLESS.format("1") + "{1}.difference(E())",
        "join": ENDLESS.format("''") + "''.join(E())",
        "bytes": ENDLESS.format("1") + "bytes(E())",
        "bytearray": ENDLESS.format("1") + "bytearray().extend(E())",
        "array": ENDLESS.format("1") + "from array import array\narray('b', E())",
        "star": ENDLESS.format("1") + "print(*E())",
        "yield from": "def f(): yield from range(1 << 60)\nsum(f())",
        "sorted": ENDLESS.format("1") + "sorted(E())",
    },
    "text": {
        "expression": "import re\nre.match('a?' * 30 + 'a' * 30, 'a' * 29)",
        "expression, nested": "import re\nre.match('(a*)*b', 'a' * 40)",
        "search": "import re\nre.search('(a|a)*b', 'a' * 40)",
        "sub": "import re\nre.sub('(a|a)*b', '', 'a' * 40)",
        "find": "a = b'a' * 400000\na.find(a[:200000] + b'b')",
        "count": "a = 'a' * 300000\na.count('a' * 150000 + 'b')",
        "replace": "a = 'a' * 300000\na.replace('a' * 100000 + 'b', '')",
        "replace nothing": "while True: (b'a' * 50000).replace(b'', b'')",
        "split": "a = 'a' * 300000\na.split('a' * 150000 + 'b')",
        "rsplit": "a = 'a' * 300000\na.rsplit('a' * 150000 + 'b')",
        "strip": "a = 'a' * 100000\n(a + 'b').strip('c' * 300000 + 'a')",
        "startswith": "while True: 'a'.startswith(('b',) * 50000)",
        "width": "'%*d' % (1 << 29, 1)",
        "fill": "'{:1000000000}'.format(1)",
        "printing": "print('%1000000000d' % 1)",
        "lines": "while True: exec('a = 1\\n' * 5000)",
        "compiling": "while True: compile('a = 1 + 2\\n' * 5000, '', 'exec')",
        "long line": "while True: compile('1' * 30000, '', 'eval')",
        "comment": "while True: compile('#' + 'a' * 300000, '', 'exec')",
        "json": "import json\nwhile True: json.loads('[' + '1,' * 20000 + '1]')",
    },
    "numbers": {
        "product": NUMBER + "while True: a * a * a",
        "quotient": NUMBER + "b = (1 << 750_000) + 1\nwhile True: a // b",
        "remainder": NUMBER + "b = (1 << 750_000) + 1\nwhile True: a % b",
        "power": "while True: 3 ** 400000",
        "power of three": "while True: pow(3, 1 << 100000, (1 << 100000) - 3)",
        "str": NUMBER + "while True: str(a)",
        "hex": NUMBER + "while True: hex(a)",
        "int": "while True: int('9' * 400000)",
        "literal": "while True: eval('9' * 400000)",
        "from bytes": "while True: int.from_bytes(b'1' * 200000, 'big')",
        "shift": NUMBER + "while True: a >> 1",
        "range": "max(range(0, 1 << 60, 2))",
        "random": "import random\nwhile True: random.choice(range(1 << 29))",
    },
    "modules": {
        "struct": "import struct\nstruct.calcsize('%dq' % (1 << 60))",
        "pack": "import struct\nstruct.pack('%di' % (1 << 60))",
        "unpack": "import struct\nwhile True: struct.calcsize('b' * 100000)",
        "writer": "import io\nio.BufferedWriter(io.BytesIO(), 0).write(b'abc')",
        "marshal": "import marshal\nmarshal.loads(b'M\\x06\\x00\\x1f' + b'\\xff' * 40)",
        "ellipse": CANVAS.format("GS8") + "CANVAS.ellipse(0, 0, 1 << 32, 1, 1)",
        "wide ellipse": CANVAS.format("GS8") + "CANVAS.ellipse(0, 0, 1 << 62, 1 << 62, 1, True)",
        "line": CANVAS.format("GS8") + "CANVAS.line(0, 0, 1 << 40, 1, 1)",
        "steep line": CANVAS.format("MONO_VLSB") + "CANVAS.line(0, 0, 3, 1 << 40, 1)",
        "polygon": CANVAS.format("GS8")
        + "CANVAS.poly(0, 0, array('q', [0, -1 << 40, 5, 1 << 40, 9, 0]), 1, True)",
        "outline": CANVAS.format("GS8")
        + "CANVAS.poly(0, 0, array('q', [0, -1 << 40, 5, 1 << 40, 9, 0]), 1)",
        "sleep": "import time\ntime.sleep(1e18)",
        "sleep_us": "import time\ntime.sleep_us(1 << 61)",
        "poll": "import select\nselect.poll().poll()",
        "ipoll": "import select\nfor a in select.poll().ipoll(-1): pass",
        "select": "import select\nselect.select([], [], [])",
        "asyncio": "import asyncio\nasync def f():\n    while True: await asyncio.sleep(0)\n"
        "asyncio.run(f())",
        "hashlib": "import hashlib\nh = hashlib.sha256()\nwhile True: h.update(b'1' * 300000)",
        "deflate": "import deflate, io\n"
        "a = deflate.DeflateIO(io.BytesIO(b'\\x00\\x00\\x00\\xff\\xff' * 80000), deflate.RAW)\n"
        "while True:\n    a.read(1)\n    a = deflate.DeflateIO("
        "io.BytesIO(b'\\x00\\x00\\x00\\xff\\xff' * 80000), deflate.RAW)",
        "heapq": "import heapq\na = list(range(20000))\nwhile True: heapq.heapify(a)",
        "dir": "while True: dir()",
    },
}
PYTHON = {
    "loop": "while True:\n    len(str(threadIdx))\n",
    "calls": "def f(n):\n    while n == 0:\n        len(str(n))\n    f(n - 1)\nf(20)\n",
    "generator": "def g():\n    while True:\n        yield str(threadIdx)\n"
    "for x in g():\n    len(x)\n",
    "callback": ENDLESS.format("len(str(threadIdx))") + "any(x < 0 for x in E())\n",
    "exceptions": "while True:\n    try:\n        [][threadIdx]\n"
    "    except IndexError:\n        pass\n",
    "no calls": "x = 0\nwhile True:\n    x = x * 3 & 1023\n",
    "work in C": "while True:\n    sorted(range(2000), reverse=True)\n",
}
WORDS = """
def work(turns):
    count = {}
    for i in range(turns):
        key = str(i * (threadIdx + 7) % 37)
        count[key] = count.get(key, 0) + (1 if i % (threadIdx % 5 + 2) else 2)
    return sorted(count.items())[:9]
"""
