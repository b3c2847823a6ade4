"""Open a device of a build. Only this module maps target names to device classes."""

from __future__ import annotations

import os
from typing import Any

from porter.base import arguments
from porter.errors import UsageError
from porter.run.built import Built, open_build
from porter.run.device.base import Device

# Options for opening a device, by target. host: `threads` of the host twin. cuda: `block`, the
# default block size; `stream` of all launches; `number` of the GPU; `code`, a LinkedCode that
# replaces the build's.
OPTIONS = {"host": ("threads",), "cuda": ("block", "stream", "number", "code")}
MOST_THREADS = 1 << 16


def open_device(folder: str | os.PathLike[str] | Built, target: str, **options: Any) -> Device:
    """Open a device of a build.

    Args:
        folder: The build, or its folder.
        target: `host`, `host-asan` or `cuda`.
        options: Options that OPTIONS lists for the target.

    Raises:
        NotBuilt: The build lacks this target.
        NoGpu: The target is cuda and there is no GPU.
        MissingPackage: CuPy cannot be imported.
        LaunchFailed: The library or cubin cannot be loaded.
        UsageError: The target or an option is unknown.
        WrongType: An argument has a wrong type.
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
    # Import lazily: cuda needs CuPy, which the host twin does not.
    if target == "cuda":
        from porter.run.device.cuda import Cuda

        return Cuda(built, **options)
    from porter.run.device.host import HostTwin

    return HostTwin(built, variant=target, **options)
