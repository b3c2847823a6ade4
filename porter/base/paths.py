"""Paths of templates, patches, upstream sources and builds, in a checkout or a wheel."""

from __future__ import annotations

import os
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]
_DATA = _PACKAGE / "_data"  # exists in a wheel only, see pyproject.toml


def checkout() -> Path | None:
    """Return the source checkout that this package runs from; None if installed from a wheel."""
    root = _PACKAGE.parent
    if (root / "pyproject.toml").is_file() and (root / "templates").is_dir():
        return root
    return None


def home() -> Path:
    """Return the writable root: PORTER_HOME, else the checkout, else the user's cache folder."""
    override = os.environ.get("PORTER_HOME")
    if override:
        return Path(override).expanduser().resolve()
    return checkout() or _user_cache()


def _user_cache() -> Path:
    import platformdirs  # missing on machines that only run builds

    return Path(platformdirs.user_cache_dir("gpusnek-porter"))


def shipped(name: str) -> Path:
    """Return the path of a shipped file or folder: in the checkout's root, or inside the wheel."""
    root = checkout()
    return (root if root is not None else _DATA) / name


def templates_dir() -> Path:
    """Return `templates/`: sources of libc, port and runtime."""
    return shipped("templates")


def patches_dir() -> Path:
    """Return `patches/`: the series and its patches."""
    return shipped("patches")


def lock_file() -> Path:
    """Return the shipped lock of known releases."""
    return shipped("upstream/lock.toml")


def gitmodules_file() -> Path:
    """Return `.gitmodules`, the only file with the address of upstream's repository."""
    root = checkout()
    return root / ".gitmodules" if root is not None else _DATA / "gitmodules"


def bundled_dir() -> Path | None:
    """Return the folder of the builds inside the wheel; None in a checkout."""
    return _DATA / "builds" if checkout() is None else None


def linked_dir() -> Path:
    """Return `linked/`: SASS that the driver compiled from PTX, for GPUs newer than a build."""
    return home() / "linked"


def natives_dir() -> Path:
    """Return `native/`: the cache of programs' native code, by content."""
    return home() / "native"


def upstream_dir() -> Path:
    """Return `upstream/`: one folder per synced release."""
    return home() / "upstream"


def build_dir() -> Path:
    """Return `build/`: a folder per release and source key, with the builds of all sizes."""
    return home() / "build"
