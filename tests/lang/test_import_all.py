"""`from module import *` takes the names that the module's `__all__` lists."""

from __future__ import annotations

import pytest

from porter import InterpreterArray
from porter.fs import Image
from porter.run import Device

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
