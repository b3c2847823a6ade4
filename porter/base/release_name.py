"""Names of releases: their syntax and their order."""

from __future__ import annotations

import re

from porter.errors import UsageError

LONGEST = 64  # maximum characters
SUBMODULE = "micropython"  # upstream/micropython is the git submodule
DEVELOPMENT = "master"  # stands for upstream's development branch; no release has this name
_NAME = re.compile(r"[0-9A-Za-z][0-9A-Za-z.+_-]*")


def check_release(name: str) -> str:
    """Return `name` if it can be a release's name. Raises UsageError."""
    if not _NAME.fullmatch(name) or len(name) > LONGEST:
        raise UsageError(
            f"release: {name!r} is not a release's name",
            hint=f"Letters, digits and . + _ - make one, at most {LONGEST}; a letter or digit "
            "comes first.",
        )
    if name == SUBMODULE:
        raise UsageError(f"release: {name!r} is the git submodule's folder; choose another name")
    if name == DEVELOPMENT:
        raise UsageError(
            f"release: {name!r} is the word for upstream's development branch; choose another name",
            hint=f"`porter sync {DEVELOPMENT}` fetches the branch and prints the release's name.",
        )
    return name


def version_key(release: str) -> tuple[tuple[int, ...], bool, str]:
    """Return a sort key: by version numbers; previews sort before, `1.2+x` after their release."""
    numbers = re.match(r"\d+(\.\d+)*", release)
    parts = tuple(int(part) for part in numbers[0].split(".")) if numbers else ()
    rest = release[numbers.end() :] if numbers else release
    return (parts, rest[:1] in ("", "+"), rest)
