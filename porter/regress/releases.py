"""Which releases a run is about, and how the sources of each come here."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from attrs import frozen

from porter.base import paths
from porter.base.release_name import version_key
from porter.errors import UsageError
from porter.sync.listing import online_releases
from porter.sync.lock import known_releases, newest_release, read_lock
from porter.sync.store import Synced, inspect, is_synced, synced_releases
from porter.sync.syncing import sync

Say = Callable[[str], None]


@frozen
class Wanted:
    """A release to run: its `name`, or the folder or tarball `source` that holds it."""

    name: str
    source: Path | None = None
    record: bool = False

    def bring(self, say: Say = lambda line: None) -> tuple[Synced, bool]:
        """Its verified sources, and whether they were here already. Raises what `sync` raises."""
        if self.source is not None:
            before = set(synced_releases())
            done = sync(source=self.source, rename=True, record=self.record, say=say)
            return done, done.release in before
        here = is_synced(self.name) and self.name in known_releases().entries
        if here and inspect(self.name).state == "verified" and not self._to_record():
            return inspect(self.name), True
        known = self.name in known_releases().entries
        return sync(self.name, new=not known, record=self._to_record(), say=say), False

    def _to_record(self) -> bool:
        return self.record and self.name not in read_lock(paths.lock_file()).entries


def wanted_releases(
    given: tuple[str, ...], *, everything: bool, latest: bool, record: bool, say: Say
) -> list[Wanted]:
    """What the arguments mean: names, paths, `--all` or `--latest`; the newest known without any.

    Raises UsageError for arguments that contradict each other or a path that is not there.
    """
    if everything + latest + bool(given) > 1:
        raise UsageError("give releases, --all or --latest, and no two of them")
    if everything:
        names = {*read_lock(paths.lock_file()).entries, *synced_releases()}
        return [Wanted(name, record=record) for name in sorted(names, key=version_key)]
    if latest:
        return [Wanted(newest_online(say), record=record)]
    return [_wanted(argument, record) for argument in given or (newest_release(),)]


def newest_online(say: Say = lambda line: None) -> str:
    """The newest final release that PORTER_SOURCES, git, the distribution or the lock has."""
    found, problems = online_releases()
    for problem in problems:
        say(problem)
    names = {*found, *read_lock(paths.lock_file()).entries}
    return max((n for n in names if re.fullmatch(r"\d+(\.\d+)+", n)), key=version_key)


def _wanted(argument: str, record: bool) -> Wanted:
    path = Path(argument)
    if path.exists() and ("/" in argument or not is_synced(argument)):
        return Wanted(argument, path, record)
    if "/" in argument:
        raise UsageError(f"{argument}: there is no such folder or archive")
    return Wanted(argument, record=record)
