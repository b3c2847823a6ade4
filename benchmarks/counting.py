"""Programs for instruction counts of benchmarks/unwinding.py, and measures of code size."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from porter.base import process
from porter.run import Launch, run
from porter.run.built import open_build
from porter.run.device.host import HostTwin
from porter_dev.bench.callgrind import SIZES

# Source and expected output. Loops are long enough to outweigh compiling the program.
PROGRAMS: dict[str, tuple[str, str]] = {
    "integers": (
        "def f(n):\n"
        "    a = 0\n"
        "    for i in range(n):\n"
        "        a = (a + i * i) % 65521\n"
        "    return a\n"
        "print(f(20000))\n",
        "7793\n",
    ),
    "methods": (
        "class C:\n"
        "    def __init__(self):\n"
        "        self.n = 0\n"
        "    def add(self, k):\n"
        "        self.n += k\n"
        "        return self\n"
        "c = C()\n"
        "for i in range(5000):\n"
        "    c.add(i).add(1)\n"
        "print(c.n)\n",
        "12502500\n",
    ),
    "exceptions": (
        "def f(i):\n"
        "    if i % 2:\n"
        "        raise ValueError(i)\n"
        "    return i\n"
        "caught = 0\n"
        "for i in range(5000):\n"
        "    try:\n"
        "        f(i)\n"
        "    except ValueError:\n"
        "        caught += 1\n"
        "print(caught)\n",
        "2500\n",
    ),
    "sorting": (
        "x = 1\n"
        "values = []\n"
        "for i in range(1000):\n"
        "    x = x * 1103 % 65537\n"
        "    values.append(x)\n"
        "values.sort(key=lambda v: -v)\n"
        "print(values[0], values[-1])\n",
        "65320 22\n",
    ),
}
_SECTION = re.compile(r"\] (\.text\S*)\s+PROGBITS\s+\S+ \S+ ([0-9a-f]+) ")


def launch_programs(build: Path, names: Sequence[str]) -> None:
    """Run programs in turn on a host twin, one interpreter each."""
    device = HostTwin(open_build(build), threads=1)
    launch = Launch(heap=SIZES["heap"], pystack=SIZES["pystack"], stack=SIZES["stack"])
    for name in names:
        source, expected = PROGRAMS[name]
        result = run(device, [source], 1, launch)
        shown = result.stdout[0].decode()
        if shown != expected:
            raise SystemExit(f"{name} printed {shown!r}, not {expected!r}")


def text_bytes(path: Path) -> int:
    """Return the bytes of native code in an ELF file, which may be a cubin."""
    listing = process.run(["readelf", "-SW", path]).stdout
    return sum(int(match.group(2), 16) for match in _SECTION.finditer(listing))
