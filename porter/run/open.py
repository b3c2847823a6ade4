"""Opening a build: the one place that knows which devices there are."""

from __future__ import annotations

import os
from typing import Any

from porter.base import arguments
from porter.errors import UsageError
from porter.run.built import Built, open_build
from porter.run.device.base import Device

# What a device can be opened with: threads of the host twin; of a GPU the interpreters of a block
# where a launch does not say, the stream of all launches, the GPU's number, and the code that is
# loaded in place of the build's (LinkedCode).
OPTIONS = {"host": ("threads",), "cuda": ("block", "stream", "number", "code")}
MOST_THREADS = 1 << 16


def open_device(folder: str | os.PathLike[str] | Built, target: str, **options: Any) -> Device:
    """The device `target` (`host`, `host-asan`, `cuda`) of the build in `folder`.

    options: OPTIONS. Raises NotBuilt, NoGpu, MissingPackage, LaunchFailed, UsageError, WrongType.
    """
    arguments.text(target, "target")
    known = OPTIONS.get(target.partition("-")[0])
    if known is None:
        raise UsageError(f"target: {target!r} is neither host nor cuda")
    for name, value in options.items():
        if name not in known:
            raise UsageError(f"{name}: {target} has no such option; it has {', '.join(known)}")
        if name not in ("stream", "code") and value is not None:
            arguments.whole(value, name, 0 if name == "number" else 1, MOST_THREADS)
    built = folder if isinstance(folder, Built) else open_build(folder)
    # Each device loads a library of its own, CuPy above all, which the other can do without.
    if target == "cuda":
        from porter.run.device.cuda import Cuda

        return Cuda(built, **options)
    from porter.run.device.host import HostTwin

    return HostTwin(built, variant=target, **options)
