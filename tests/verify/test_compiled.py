"""Source whose bytecode upstream's VM trusts although a program can rebind names."""

from __future__ import annotations

import pytest

from porter.run import Device, Launch, Program, run

SOURCES = {
    # The compiler stores into what the name OrderedDict stands for.
    "OrderedDict": (
        "def OrderedDict(): return 5\n"
        "try: OrderedDict({'a': 1})\nexcept TypeError: print('raised')",
        "raised",
    ),
    # The class of super() is a variable.
    "super": (
        "class A:\n def f(self):\n  nonlocal __class__\n  __class__ = 5\n  return super().g()\n"
        "try: A().f()\nexcept TypeError: print('raised')",
        "raised",
    ),
    # `async with` looks at the name BaseException to learn what stands on the stack.
    "BaseException": (
        "class C:\n async def __aenter__(self): return 1\n"
        " async def __aexit__(self, t, e, b): print(t, e)\n"
        "BaseException = ValueError\n"
        "async def f():\n async with C(): raise KeyError('k')\n"
        "try: f().send(None)\nexcept KeyError as e: print(e)",
        "<class 'KeyError'> 'k'\n'k'",
    ),
    "returned from async with": (
        "class C:\n async def __aenter__(self): return 1\n"
        " async def __aexit__(self, t, e, b): print(t, e)\n"
        "async def f():\n for x in [1]:\n  async with C(): return 7\n"
        "try: f().send(None)\nexcept StopIteration as e: print(e.value)",
        "None None\n7",
    ),
    # A code object has no default values.
    "defaults": (
        "def f(a, b=1): return b\ng = type(f)(f.__code__, {})\nprint(g(2, 3))\n"
        "try: g(2)\nexcept NameError: print('unbound')",
        "3\nunbound",
    ),
    "defaults by name": (
        "def f(*, a=1): return a\ntry: exec(f.__code__)\nexcept TypeError as e: print(e)",
        "f() missing 1 required keyword-only argument: 'a'",
    ),
    # The first name of the function is the 700th of the module.
    "many names": (
        "import marshal\nspace = {}\n"
        "exec(''.join('x%d=1\\n' % i for i in range(700)) + 'def h(): return x699', space)\n"
        "code = marshal.loads(marshal.dumps(space['h'].__code__))\n"
        "print(type(lambda: 0)(code, {'x699': 7})())",
        "7",
    ),
}


@pytest.mark.parametrize("name", SOURCES)
def test_compiled_code_is_as_safe(any_device: Device, name: str) -> None:
    source, expected = SOURCES[name]
    launch = Launch(heap=1 << 20, stdout=512, merge_stderr=True)
    result = run(any_device, [Program(source.encode(), "t")], 1, launch)
    assert result.stdout[0].decode().strip() == expected
