"""The origins of sources, in the order in which `sync` tries them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from porter.base import paths
from porter.base.release_name import SUBMODULE
from porter.errors import SyncFailed, UsageError
from porter.sync import gitrepo
from porter.sync.apt import private_apt, upstream_version
from porter.sync.archives import unpack
from porter.sync.folder import from_sources
from porter.sync.lock import LockEntry
from porter.sync.trees import VERSION_FILE, check_tree, copy_tree, release_of, special

# An origin puts the sources of a release into a folder below the staging folder. It returns this
# folder and a line on the origin, or raises SyncFailed if it does not have the sources.
Origin = Callable[[LockEntry, Path], tuple[Path, str]]


def from_submodule(entry: LockEntry, stage: Path) -> tuple[Path, str]:
    """Stage a copy of `upstream/micropython`, if the submodule holds that release."""
    submodule = paths.upstream_dir() / SUBMODULE
    if not (submodule / VERSION_FILE).is_file():
        raise SyncFailed("upstream/micropython is not filled (`git submodule update --init`)")
    held = release_of(submodule)
    if held != entry.release:
        raise SyncFailed(f"upstream/micropython is at {held}")
    return copy_tree(submodule, stage / "submodule"), "submodule upstream/micropython"


def from_git(entry: LockEntry, stage: Path) -> tuple[Path, str]:
    """Stage a shallow clone of upstream's tag."""
    tag = entry.tag or f"v{entry.release}"
    gitrepo.clone(tag, stage / "git")
    return stage / "git", f"git tag {tag}"


def from_distribution(entry: LockEntry, stage: Path) -> tuple[Path, str]:
    """Stage the distribution's source package: the lock's version, or any of that release."""
    with private_apt() as apt:
        versions = apt.versions()
        same = [v for v in versions if upstream_version(v) == entry.release]
        if not same:
            has = ", ".join(versions) or "none"
            raise SyncFailed(f"the distribution has no package of it (it has {has})")
        version = entry.package if entry.package in same else same[0]
        tarball = apt.fetch(version, stage / "package")
    return unpack(tarball, stage / "tree"), f"source package micropython {version}"


# The user's own folder comes first, then local copies, then the network.
ORIGINS: dict[str, Origin] = {
    "sources": from_sources,
    "submodule": from_submodule,
    "git": from_git,
    "distribution": from_distribution,
}


# Slow origins, with their names in progress messages.
REMOTE = {"git": "git", "distribution": "the distribution's archive"}


def from_path(source: Path, stage: Path) -> tuple[Path, str]:
    """Stage a folder or an archive that the user names.

    Raises:
        UsageError: `source` is a special file.
        CorruptSource: It is no MicroPython tree.
        FileProblem: It cannot be read.
    """
    kind = special(source)
    if kind:
        raise UsageError(f"--from {source}: it is {kind}, neither a folder nor an archive")
    if source.is_dir():
        check_tree(source)
        return copy_tree(source, stage / "copy"), f"folder {source}"
    return unpack(source, stage / "tree"), f"archive {source}"
