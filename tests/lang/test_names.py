"""Modules may have any number of names, and each lookup finds the right one."""

from __future__ import annotations

import pytest

from porter.run import Device, Launch, run


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
