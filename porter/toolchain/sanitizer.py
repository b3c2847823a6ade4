"""The environment of a process that loads a host twin built with AddressSanitizer.

The sanitizer must be preloaded, since it has to be in place before the first allocation. A running
process cannot load it later, so commands start a child process.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from porter.base.process import run
from porter.errors import ToolMissing
from porter.toolchain.compilers import gxx

# The collector scans stacks, so variables must not live in AddressSanitizer's fake stack. Leaks of
# the Python that loads the host twin are not reported.
OPTIONS = {
    "ASAN_OPTIONS": "detect_stack_use_after_return=0:detect_leaks=0:abort_on_error=1",
    "UBSAN_OPTIONS": "print_stacktrace=1:abort_on_error=1",
}


def environment() -> dict[str, str]:
    """Return variables for a child that loads an `asan` host twin. Raises ToolMissing."""
    name = "libasan.so"
    path = Path(run([gxx().path, f"-print-file-name={name}"]).stdout.strip())
    if not path.is_absolute():  # g++ prints the bare name of a library that it does not have
        raise ToolMissing(
            f"no {name} beside g++",
            hint="Install it (Debian: the libasan package of your g++'s version).",
        )
    # The name may be a link or a linker script; LD_PRELOAD needs the library itself.
    return {"LD_PRELOAD": str(path.resolve()), **OPTIONS}


@contextmanager
def children(target: str) -> Iterator[None]:
    """Let processes started inside load the host twin `target`, if it is a sanitized one."""
    if not target.endswith("-asan"):
        yield
        return
    added = environment()
    before = {name: os.environ.get(name) for name in added}
    os.environ.update(added)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
