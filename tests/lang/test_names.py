"""Modules may have any number of names, and each lookup finds the right one."""

from __future__ import annotations

import pytest

from porter.run import Device, Launch, run
from tests.library.compare import assert_alike


@pytest.mark.parametrize("count", [0, 1, 14, 15, 16, 17, 18, 19, 40, 300])
def test_every_name_is_itself(roomy_device: Device, count: int) -> None:
    """Check globals, attributes and keyword arguments, in a module and in one of its functions."""
    names = [f"name_{i}" for i in range(count)]
    lines = [
        "class C: pass",
        "def keys(**given): return sorted(given)",
        *(f"{name} = {i}" for i, name in enumerate(names)),
        "def inner():",
        "    c = C()",
        *(f"    c.{name} = {name} * 2" for name in names),
        f"    return [{', '.join(f'c.{name}' for name in names)}]",
        f"print(inner() == [2 * i for i in range({count})])",
        *(f"assert keys({name}={i}) == ['{name}']" for i, name in enumerate(names)),
    ]
    result = run(roomy_device, ["\n".join(lines)], 2, Launch(heap=1 << 20))
    assert result.stdout[1] == b"True\n", result.stderr[1]


# A name is a builtin, then a global, then a builtin again; with few and with many names, which
# share slots of the cache.
SHADOWED = """
def size(values):
    return len(values)

def of(values):
    return abs(values[0]) + size(values)

{many}
out = []
for i in range(12):
    if i % 4 == 1:
        len = lambda values: 100 + i
    elif i % 4 == 3:
        del len
    if i == 5:
        abs = lambda value: 1000
    out.append((size([1, 2]), of([-7]), len([1])))
    {use}
print(out)
class Body:
    len = min(3, max(1, 2))
    other = len + 1
print(Body.len, Body.other)
exec("print(len([5, 6]), abs(-3))", {{"len": sum}})
import builtins
builtins.later = 5
print(later)
later = 6
print(later)
try:
    missing
except NameError as error:
    print(error)
try:
    exec("x = missing\\nmissing = 1", {{}})
except NameError as error:
    print(error)
"""


@pytest.mark.parametrize("count", [0, 30, 64, 70, 140])
def test_builtins_are_hidden_and_found_again(roomy_device: Device, count: int) -> None:
    many = "\n".join(f"v{i} = {i}" for i in range(count))
    use = "; ".join(f"v{i} += abs(-1) - 1 - len([])" for i in range(count)) or "pass"
    assert_alike(roomy_device, SHADOWED.format(many=many, use=use))
