"""Deprecated name of `porter.native.open_compiled`, kept for one release."""

from __future__ import annotations

import warnings
from typing import Any


def __getattr__(name: str) -> Any:
    if name != "open_compiled":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from porter.native.known_programs import open_compiled

    warnings.warn(
        "porter.array.kernels.open_compiled is now porter.native.open_compiled",
        DeprecationWarning,
        stacklevel=2,
    )
    return open_compiled
