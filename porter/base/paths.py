"""Where templates, patches, upstream sources and builds are, in a checkout or a wheel."""

from __future__ import annotations

import os
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]
_DATA = _PACKAGE / "_data"  # filled in a wheel only, see pyproject.toml


def checkout() -> Path | None:
    """The source checkout that this package runs from, or None when installed from a wheel."""
    root = _PACKAGE.parent
    if (root / "pyproject.toml").is_file() and (root / "templates").is_dir():
        return root
    return None


def home() -> Path:
    """The writable root: PORTER_HOME, else the checkout, else the user's cache folder."""
    override = os.environ.get("PORTER_HOME")
    if override:
        return Path(override).expanduser().resolve()
    return checkout() or _user_cache()


def _user_cache() -> Path:
    import platformdirs  # a machine that runs builds need not have it

    return Path(platformdirs.user_cache_dir("gpusnek-porter"))


def shipped(name: str) -> Path:
    """A file or folder that travels with porter: in the checkout's root, or inside the wheel."""
    root = checkout()
    return (root if root is not None else _DATA) / name


def templates_dir() -> Path:
    """`templates/`: libc, port and runtime sources."""
    return shipped("templates")


def patches_dir() -> Path:
    """`patches/`: the series and its patches."""
    return shipped("patches")


def lock_file() -> Path:
    """The lock of known releases that travels with porter."""
    return shipped("upstream/lock.toml")


def gitmodules_file() -> Path:
    """`.gitmodules`, the one place that names upstream's repository."""
    root = checkout()
    return root / ".gitmodules" if root is not None else _DATA / "gitmodules"


def bundled_dir() -> Path | None:
    """The finished builds inside the wheel, a folder each; None in a checkout."""
    return _DATA / "builds" if checkout() is None else None


def linked_dir() -> Path:
    """`linked/`: machine code that the driver made from PTX, for GPUs that a build has none for."""
    return home() / "linked"


def natives_dir() -> Path:
    """`native/`: machine code of programs, kept by content."""
    return home() / "native"


def upstream_dir() -> Path:
    """`upstream/`: one folder per synced release."""
    return home() / "upstream"


def build_dir() -> Path:
    """`build/`: one folder per release and source key, with the builds of all sizes in it."""
    return home() / "build"
