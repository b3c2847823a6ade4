"""The ways in which generated programs run, each compared with the interpreter's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import field, frozen


@frozen
class TierMode:
    """A way to run: how machine code is made, and what the launch does on purpose.

    options: of compile_module. launch: of Launch. exact: whether output, traceback and steps are
    the interpreter's. flags: of g++.
    """

    name: str
    options: Mapping[str, Any] = field(factory=dict)
    launch: Mapping[str, Any] = field(factory=dict)
    exact: bool = True
    failing: int = 0  # the allocation that fails
    flags: tuple[str, ...] | None = None


MODES = {
    mode.name: mode
    for mode in (
        TierMode("usual"),  # a module's own code: loops alone
        TierMode("all", {"loops": False}),
        TierMode("gc", {"loops": False}, {"gc_stress": True}),
        TierMode("memory", {"loops": False}, exact=False, failing=400),
    )
}
