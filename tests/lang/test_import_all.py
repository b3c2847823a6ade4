"""`from module import *` takes the names of `__all__`; a missing name is an ImportError."""

from __future__ import annotations

import pytest

from porter import InterpreterArray
from porter.fs import Image
from porter.run import Device
from tests.library.compare import assert_alike

MODULES = {
    # Names are made when they are asked for, `__all__` too.
    "lazily": b"def __getattr__(name):\n if name == '__all__': return ['made', 'also']\n"
    b" if name in ('made', 'also'): return name + '!'\n raise AttributeError(name)\nhidden = 1\n",
    "stored": b"__all__ = ('one', '_two')\none = 1\n_two = 2\nthree = 3\n",
    "without": b"one = 1\n_two = 2\n",
    "changing": b"__all__ = ['a', 'b', 'c']\ndef __getattr__(name):\n __all__.clear()\n return 5\n",
}


@pytest.mark.parametrize(
    "module, names, printed",
    [
        ("lazily", "made, also, 'hidden' in globals()", "made! also! False"),
        ("stored", "one, _two, 'three' in globals()", "1 2 False"),
        ("without", "one, '_two' in globals()", "1 False"),
        ("changing", "a, 'b' in globals()", "5 False"),
        ("math", "isqrt(17), sqrt(4.0), 'isqrt' in globals()", "4 2.0 True"),
        ("cmath", "sqrt(-4).imag, isclose(1, 1)", "2.0 True"),
        ("typing", "Generic is not None, TypeVar('T').__name__", "True T"),
        ("types", "UnionType is not None, GenericAlias is not None", "True True"),
        (
            "asyncio",
            "callable(as_completed), callable(run), FIRST_COMPLETED",
            "True True FIRST_COMPLETED",
        ),
        ("collections", "Counter('aab')['a'], len(deque((1, 2), 5))", "2 2"),
    ],
)
def test_names_of_all(any_device: Device, module: str, names: str, printed: str) -> None:
    image = Image.empty(64 << 10)
    for name, source in MODULES.items():
        image.write(f"/{name}.py", source)
    with InterpreterArray(2, device=any_device, fs=image) as array:
        outcome = array.exec(f"from {module} import *\nprint({names})")
        assert outcome.stdout[0] == printed.encode() + b"\n"


FALLBACKS = """
try:
    from math import nosuch
except ImportError as error:
    print(str(error)[:40])
try:
    from collections import Mapping
except ImportError:
    from collections.abc import Mapping
print(Mapping.__name__)
import os, contextlib, string
for module in (os, contextlib, string):
    print(hasattr(module, "nosuch"), getattr(module, "nosuch", 5))
    try:
        module.nosuch
    except AttributeError as error:
        print(error)
try:
    import os.nosuch
except ModuleNotFoundError as error:
    print(error.name)
"""


def test_missing_names(any_device: Device) -> None:
    assert_alike(any_device, FALLBACKS)


def test_missing_names_of_own_modules(any_device: Device) -> None:
    image = Image.empty(64 << 10)
    image.write("/own.py", b"def __getattr__(name): raise AttributeError('own ' + name)\n")
    image.write("/broken.py", b"def __getattr__(name): raise ValueError(name)\n")
    image.make_folder("/package")
    image.write("/package/__init__.py", b"")
    image.write("/package/inner.py", b"import nosuch\n")
    program = """
def show(call):
    try:
        call()
    except Exception as error:
        print(type(error).__name__, error)
def one(): from own import name
def two(): import own; own.name
def three(): from broken import name
def four(): from package import name
def five(): from package import inner
for each in (one, two, three, four, five):
    show(each)
"""
    with InterpreterArray(1, device=any_device, fs=image) as array:
        outcome = array.exec(program)
    assert outcome.stdout[0].decode().splitlines() == [
        "ImportError cannot import name 'name' from 'own' (unknown location)",
        "AttributeError own name",
        "ValueError name",
        "ImportError cannot import name 'name' from 'package' (unknown location)",
        "ModuleNotFoundError No module named 'nosuch'",
    ]
