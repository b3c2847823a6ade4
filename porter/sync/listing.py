"""What `porter releases` shows."""

from __future__ import annotations

import os

from attrs import frozen

from porter.base.release_name import version_key
from porter.errors import PorterError
from porter.sync import gitrepo
from porter.sync.apt import private_apt, upstream_version
from porter.sync.folder import VARIABLE, sources_releases
from porter.sync.lock import known_releases
from porter.sync.store import inspect, synced_releases


@frozen
class ReleaseRow:
    """A release: its `state` here (`no` when it is not) and where it can be had."""

    release: str
    state: str
    origin: str
    available: tuple[str, ...]


def list_releases(online: dict[str, list[str]]) -> list[ReleaseRow]:
    """Every release that is here, in a lock, or in `online`; newest first."""
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


def online_releases() -> tuple[dict[str, list[str]], list[str]]:
    """What `PORTER_SOURCES`, git and the distribution have now, and a line for each that could not
    be asked."""
    found: dict[str, list[str]] = {}
    problems = []
    if os.environ.get(VARIABLE):
        try:
            for release, names in sources_releases().items():
                found.setdefault(release, []).extend(f"sources {name}" for name in names)
        except PorterError as error:
            problems.append(f"sources: {error.message}")
    try:
        for release in gitrepo.remote_releases():
            found.setdefault(release, []).append(f"git v{release}")
    except PorterError as error:
        problems.append(f"git: {error.message}")
    try:
        with private_apt() as apt:
            for version in apt.versions():
                found.setdefault(upstream_version(version), []).append(f"package {version}")
    except PorterError as error:
        problems.append(f"distribution: {error.message}")
    return found, problems
