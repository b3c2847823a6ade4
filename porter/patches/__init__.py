"""The patches for changes that neither a rule nor a port hook can make, and how they are placed.

`patches/series.toml` lists them; each patch is a TOML file of hunks. A hunk names its place by the
function that contains it and by an anchor, C text that is unique there. There are no line numbers.
Whitespace, line breaks and comments are ignored. A patch that does not apply is skipped as a whole
unless its class is `required`: the build is correct without it. Upstream's files are never written.
"""

from porter.patches.application import (
    NOTHING,
    STATES,
    Fit,
    check_series,
    patched_files,
    refuse_kept,
    refuse_skipped,
)
from porter.patches.patch import FunctionReplacement, Patched, touching
from porter.patches.series import load_series

__all__ = [
    "NOTHING",
    "STATES",
    "Fit",
    "FunctionReplacement",
    "Patched",
    "check_series",
    "load_series",
    "patched_files",
    "refuse_kept",
    "refuse_skipped",
    "touching",
]
