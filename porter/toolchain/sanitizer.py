"""What a process needs around it to load a host twin that was built with AddressSanitizer.

The sanitizer must be in place before anything allocates, so a Python that loads the host
twin needs it preloaded; a running process cannot catch up. Commands start a child for it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from porter.base.process import run
from porter.errors import ToolMissing
from porter.toolchain.compilers import gxx

# The collector scans stacks, so no variable may live in a fake one. What Python itself never
# frees is no finding.
OPTIONS = {
    "ASAN_OPTIONS": "detect_stack_use_after_return=0:detect_leaks=0:abort_on_error=1",
    "UBSAN_OPTIONS": "print_stacktrace=1:abort_on_error=1",
}


def environment() -> dict[str, str]:
    """Variables for a child process that is to load an `asan` host twin. Raises ToolMissing."""
    name = "libasan.so"
    path = Path(run([gxx().path, f"-print-file-name={name}"]).stdout.strip())
    if not path.is_absolute():  # g++ prints the bare name of what it does not have
        raise ToolMissing(
            f"no {name} beside g++",
            hint="Install it (Debian: the libasan package of your g++'s version).",
        )
    # A linker script or a link: what is preloaded must be the library itself.
    return {"LD_PRELOAD": str(path.resolve()), **OPTIONS}


@contextmanager
def children(target: str) -> Iterator[None]:
    """Processes started inside can load the host twin `target`, if it is a sanitized one."""
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
