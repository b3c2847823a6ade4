"""The patches that neither a rule nor a port hook can replace, and how they find their place.

`patches/series.toml` lists them; each patch is a TOML file of hunks. A hunk names its place by the
function that it stands in and by an anchor, C text that is unique there. There are no line
numbers, and blanks, line breaks and comments do not matter. A patch that does not apply is skipped
as a whole unless its class is `required`: the build is correct without it. Upstream's files are
never written.
"""

from porter.patches.applying import (
    NOTHING,
    STATES,
    Fit,
    check_series,
    patched_files,
    refuse_kept,
    refuse_skipped,
)
from porter.patches.model import FunctionReplacement, Patched, touching
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
