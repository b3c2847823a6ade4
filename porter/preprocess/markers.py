"""Shorten the paths in line markers to the project's names, independent of this machine."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from porter.generate.layout import Layout

_MARKER = re.compile(r'^(# \d+ ")((?:[^"\\]|\\.)*)(".*)$', re.MULTILINE)


def project_names(layout: Layout) -> tuple[tuple[str, str], ...]:
    """Return pairs of a folder, ending in a slash, and its name in the project; innermost first.

    `upstream/1.26.1/py/vm.c`, `patched/1.26.1/py/compile.c`, `port/interp.c`, `libc/string.h`,
    `genhdr/qstrdefs.generated.h`.
    """
    release = layout.upstream.name
    folders: Sequence[tuple[Path, str]] = (
        (layout.port, "port/"),
        (layout.patched, f"patched/{release}/"),
        (layout.genhdr, "genhdr/"),
        (layout.libc, "libc/"),
        (layout.upstream, f"upstream/{release}/"),
        (layout.build, ""),
    )
    return tuple((f"{folder}/", name) for folder, name in folders)


def relative_markers(text: str, names: Sequence[tuple[str, str]]) -> str:
    """Return `text` with the paths of its line markers replaced according to `names`.

    The C++ made from it then does not depend on the folders of the project and the build.
    """

    def shorten(match: re.Match[str]) -> str:
        path = match[2]
        if path.startswith("/"):
            path = os.path.normpath(path)  # "lib/uzlib/../x.h", from an include beside the file
        for folder, name in names:
            if path.startswith(folder):
                return match[1] + name + path[len(folder) :] + match[3]
        return match[0]

    return _MARKER.sub(shorten, text)
