"""List releases: in `upstream/`, in the locks, and at the origins.

`porter releases` prints the list. `porter sync --latest` and `porter regress --latest` take the
newest release.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection

from attrs import frozen

from porter.base import paths
from porter.base.progress import Say, silent
from porter.base.release_name import SUBMODULE, version_key
from porter.errors import PorterError, SyncFailed
from porter.sync import gitrepo
from porter.sync.apt import private_apt, upstream_version
from porter.sync.folder import VARIABLE, sources_releases
from porter.sync.lock import known_releases, read_lock
from porter.sync.origins import ORIGINS
from porter.sync.store import inspect, synced_releases
from porter.sync.trees import VERSION_FILE, release_of


@frozen
class ReleaseRow:
    """A release, its state in `upstream/` (`no` if it is not there) and where it is available."""

    release: str
    state: str
    origin: str
    available: tuple[str, ...]


def list_releases(online: dict[str, list[str]]) -> list[ReleaseRow]:
    """Return every release in `upstream/`, in a lock or in `online`; newest first."""
    lock = known_releases()
    here = {name: inspect(name) for name in synced_releases()}
    names = sorted({*lock.entries, *here, *online}, key=version_key, reverse=True)
    rows = []
    for name in names:
        entry = lock.entries.get(name)
        available = []
        if entry is not None and entry.tag:
            available.append(f"git {entry.tag}")
        if entry is not None and entry.package:
            available.append(f"package {entry.package}")
        available += [text for text in online.get(name, []) if text not in available]
        synced = here.get(name)
        state, origin = (synced.state, synced.origin) if synced else ("no", "")
        rows.append(ReleaseRow(name, state, origin, tuple(available)))
    return rows


def online_releases(
    origins: Collection[str] = tuple(ORIGINS),
) -> tuple[dict[str, list[str]], list[str]]:
    """Ask origins for the releases that they have now.

    Args:
        origins: Names of the origins to ask, keys of `ORIGINS`.

    Returns:
        The releases, each with a line per origin that has it, and a line for each origin that
        could not be asked. An unset PORTER_SOURCES and an empty submodule are no problems.
    """
    found: dict[str, list[str]] = {}
    problems = []
    if "sources" in origins and os.environ.get(VARIABLE):
        try:
            for release, names in sources_releases().items():
                found.setdefault(release, []).extend(f"sources {name}" for name in names)
        except PorterError as error:
            problems.append(f"sources: {error.message}")
    submodule = paths.upstream_dir() / SUBMODULE
    if "submodule" in origins and (submodule / VERSION_FILE).is_file():
        try:
            found.setdefault(release_of(submodule), []).append("submodule")
        except PorterError as error:
            problems.append(f"submodule: {error.message}")
    if "git" in origins:
        try:
            for release in gitrepo.remote_releases():
                found.setdefault(release, []).append(f"git v{release}")
        except PorterError as error:
            problems.append(f"git: {error.message}")
    if "distribution" in origins:
        try:
            with private_apt() as apt:
                for version in apt.versions():
                    found.setdefault(upstream_version(version), []).append(f"package {version}")
        except PorterError as error:
            problems.append(f"distribution: {error.message}")
    return found, problems


def newest_online(say: Say = silent, origins: Collection[str] = ()) -> str:
    """Return the newest final release that is available.

    Args:
        say: Receives a line for each origin that could not be asked.
        origins: Names of the origins to ask; releases of the lock are then ignored. Empty: ask
            every origin, and include the releases of the shipped lock.

    Returns:
        The release's name.

    Raises:
        SyncFailed: No origin has a final release.
    """
    found, problems = online_releases(origins or tuple(ORIGINS))
    for problem in problems:
        say(problem)
    names: set[str] = {*found, *(() if origins else read_lock(paths.lock_file()).entries)}
    final = [name for name in names if re.fullmatch(r"\d+(\.\d+)+", name)]
    if not final:
        raise SyncFailed(
            "\n  ".join([f"no release in {', '.join(origins or ORIGINS)}", *problems]),
            hint=f"Name a release, or set {VARIABLE} to a folder of tarballs or trees.",
        )
    return max(final, key=version_key)
