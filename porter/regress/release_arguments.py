"""Read the arguments of `porter regress` as releases, and sync the sources of each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from attrs import frozen

from porter.base import paths
from porter.base.release_name import DEVELOPMENT, version_key
from porter.errors import UsageError
from porter.sync.lock import known_releases, newest_release, read_lock
from porter.sync.release_list import newest_online
from porter.sync.store import Synced, inspect, is_synced, synced_releases
from porter.sync.synchronization import sync

Say = Callable[[str], None]


@frozen
class Wanted:
    """A release to run.

    Attributes:
        name: The release; `master` for upstream's development branch.
        source: The folder or tarball that holds the release.
        record: Whether to write the hash of a release that is new into the shipped lock.
    """

    name: str
    source: Path | None = None
    record: bool = False

    def bring(self, say: Say = lambda line: None) -> tuple[Synced, bool]:
        """Sync the release.

        Args:
            say: Gets lines on the progress.

        Returns:
            The verified sources, and whether they were in `upstream/` before.

        Raises:
            PorterError: The errors of `sync`.
        """
        before = set(synced_releases())
        if self.name == DEVELOPMENT:
            done = sync(self.name, say=say)
            return done, done.release in before
        if self.source is not None:
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
    """Return the releases that the arguments of `porter regress` name.

    Args:
        given: Names, folders and tarballs. Without any, the newest release of the shipped lock.
        everything: Whether `--all` is given: every release of the lock and of `upstream/`.
        latest: Whether `--latest` is given.
        record: Whether `--record` is given.
        say: Gets lines on origins that could not be asked for the newest release.

    Raises:
        UsageError: The arguments contradict each other, or a path does not exist.
        SyncFailed: No origin has a final release.
    """
    if everything + latest + bool(given) > 1:
        raise UsageError("give releases, --all or --latest, and no two of them")
    if everything:
        names = {*read_lock(paths.lock_file()).entries, *synced_releases()}
        return [Wanted(name, record=record) for name in sorted(names, key=version_key)]
    if latest:
        return [Wanted(newest_online(say), record=record)]
    return [_wanted(argument, record) for argument in given or (newest_release(),)]


def _wanted(argument: str, record: bool) -> Wanted:
    if argument == DEVELOPMENT:
        if record:
            raise UsageError(
                f"{DEVELOPMENT} is upstream's development branch, and excludes --record",
                hint="The lock records releases only.",
            )
        return Wanted(argument)
    path = Path(argument)
    if path.exists() and ("/" in argument or not is_synced(argument)):
        return Wanted(argument, path, record)
    if "/" in argument:
        raise UsageError(f"{argument}: there is no such folder or archive")
    return Wanted(argument, record=record)
