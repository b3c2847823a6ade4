"""The patches that neither a rule nor a port hook can replace, and how they find their place.

`patches/series.toml` lists them; each patch is a TOML file of hunks. A hunk says where by an
anchor: whole lines of upstream's text, unique in the file, or in the function named by `inside`.
There are no line numbers, and a change of blanks or indentation does not matter, so a patch fits
as long as the lines that it needs are still there once. A hunk that belongs at a function's
start needs no more than the function's name. Upstream's files are never written.
"""

from porter.patches.applying import Fit, check_series, patched_files
from porter.patches.series import load_series

__all__ = ["Fit", "check_series", "load_series", "patched_files"]
