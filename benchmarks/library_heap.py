"""Measure the heap that importing each module of the library takes.

    python -m benchmarks.library_heap [BUILD]

Prints a line for each module: bytes that stay allocated after the import. BUILD is a
finished build for the host twin; without it, the build that tests share is made or found.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from porter.run import Launch, Program, open_device, run
from porter_dev import builds

MODULES = Path(__file__).parent.parent / "templates" / "frozen" / "modules"

MEASURE = """\
import gc
gc.collect()
before = gc.mem_alloc()
import {name}
gc.collect()
print(gc.mem_alloc() - before)
"""


def module_names() -> list[str]:
    """Return the names of the library's modules that programs import, sorted."""
    names = [
        path.relative_to(MODULES).with_suffix("").as_posix().removesuffix("/__init__")
        for path in MODULES.rglob("*.py")
    ]
    return sorted(
        name.replace("/", ".")
        for name in names
        if name.startswith("__future__") or not name.rpartition("/")[2].startswith("_")
    )


def main() -> None:
    """Print the table."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else builds.shared("default").folder
    device = open_device(folder, "host")
    names = module_names()
    programs = [Program(MEASURE.format(name=name), name) for name in names]
    each = np.arange(len(programs), dtype=np.uint32)
    result = run(device, programs, len(programs), Launch(heap=1 << 20), program_of=each)
    for name, stdout, stderr in zip(names, result.stdout, result.stderr, strict=True):
        print(f"{name:20}{stdout.decode().strip() or stderr.decode().strip():>8}")


if __name__ == "__main__":
    main()
