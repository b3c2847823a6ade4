"""A program's lines as comments in C++."""

from __future__ import annotations

import re
from collections.abc import Sequence

from porter.base import markup

_NEWLINE = re.compile(r"\r\n|\r|\n")  # as upstream's reader counts lines


def lines_of(source: bytes) -> Sequence[str]:
    """The lines of `source`, each fit to stand behind `//`.

    What has no picture is escaped, and no line ends with what would join the next one to it.
    """
    lines = _NEWLINE.split(source.decode("utf-8", "backslashreplace"))
    return [markup.visible(line).rstrip(" \t\\") for line in lines]
