"""Split a Python source into lines that are safe in comments of C++."""

from __future__ import annotations

import re
from collections.abc import Sequence

from porter.base import markup

_NEWLINE = re.compile(r"\r\n|\r|\n")  # as upstream's reader counts lines


def lines_of(source: bytes) -> Sequence[str]:
    """Return the lines of `source`, each safe behind `//`.

    Unprintable characters are escaped. No line ends with a backslash, which would continue the
    comment in the next line.
    """
    lines = _NEWLINE.split(source.decode("utf-8", "backslashreplace"))
    return [markup.visible(line).rstrip(" \t\\") for line in lines]
