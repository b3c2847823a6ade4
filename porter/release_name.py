"""What a release may be called: the name is a folder's, a lock's entry and part of a build's."""

from __future__ import annotations

import re

from porter.errors import UsageError

LONGEST = 64  # characters
SUBMODULE = "micropython"  # upstream/micropython is git's
_NAME = re.compile(r"[0-9A-Za-z][0-9A-Za-z.+_-]*")


def check_release(name: str) -> str:
    """`name` if it can be a release's. Raises UsageError."""
    if not _NAME.fullmatch(name) or len(name) > LONGEST:
        raise UsageError(
            f"release: {name!r} is not a release's name",
            hint=f"Letters, digits and . + _ - make one, at most {LONGEST}; a letter or digit "
            "comes first.",
        )
    if name == SUBMODULE:
        raise UsageError(f"release: {name!r} is the git submodule's folder; choose another name")
    return name
