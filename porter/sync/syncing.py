"""Bringing a release's sources into `upstream/`: the whole of `porter sync`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import attrs

from porter import paths
from porter.errors import CorruptSource, PorterError, SyncFailed, UsageError
from porter.sync.lock import (
    Lock,
    LockEntry,
    known_releases,
    local_lock_file,
    newest_release,
    read_lock,
    unknown_release,
    write_lock,
)
from porter.sync.origins import ORIGINS, from_path
from porter.sync.store import Synced, inspect, install, is_synced, require, staging
from porter.sync.tree import check_tree, release_of, tree_hash

Say = Callable[[str], None]

LOCK_HEADER = """The releases that porter knows. `porter sync RELEASE --record` writes an entry.
tree: hash over paths and contents of the folders that porter uses (porter/sync/tree.py), the
same for git's tag and for the distribution's source package. package: its version there."""


def _silent(_: str) -> None:
    pass


def ensure(release: str, say: Say = _silent) -> Path:
    """The folder of `release`, synced first when it is not there."""
    if not is_synced(release):
        sync(release, say=say)
    return require(release)


def sync(
    release: str | None = None,
    *,
    source: Path | None = None,
    origins: Sequence[str] = tuple(ORIGINS),
    force: bool = False,
    new: bool = False,
    record: bool = False,
    rename: bool = False,
    say: Say = _silent,
) -> Synced:
    """Fill `upstream/<release>` and return what is there now.

    `source` is a folder or archive of the user's; where its files are not those of the release
    that it names, `rename` takes it as `<release>+<hash>` instead of refusing it. `new` takes a
    release that no lock knows; `record` writes its hash into the lock that ships. Raises
    UnknownRelease, SyncFailed (with each origin's reason) and CorruptSource; what was there
    before is then untouched.
    """
    if source is not None:
        return _sync_path(release, source, record, rename, say)
    name = release or newest_release()
    lock = known_releases()
    entry = lock.entries.get(name)
    if entry is None:
        if not (new or record):
            raise unknown_release(name, lock.entries)
        entry = LockEntry(name, tree="", tag=f"v{name}")
    elif is_synced(name) and not force and not record:
        there = inspect(name)
        if there.state == "verified":
            say(f"{name} is there and verified")
            return there
        raise CorruptSource(
            f"{there.path} is not what the lock says: it was modified",
            hint=f"`porter sync {name} --force` replaces it.",
        )
    synced, entry = _sync_origins(entry, origins, say)
    if record or not entry.tree:
        _record(attrs.evolve(entry, tree=synced.tree), ship=record)
    return attrs.evolve(synced, state="verified")


def _sync_origins(entry: LockEntry, origins: Sequence[str], say: Say) -> tuple[Synced, LockEntry]:
    reasons = []
    damaged: CorruptSource | None = None
    for name in origins:
        if name not in ORIGINS:
            raise UsageError(f"no origin {name!r}: there are {', '.join(ORIGINS)}")
        say(f"{entry.release}: trying {name}")
        try:
            with staging() as stage:
                tree, origin = ORIGINS[name](entry, stage)
                synced = install(tree, entry.release, origin, entry.tree or None)
            if origin.startswith("source package") and not entry.package:
                entry = attrs.evolve(entry, package=origin.rsplit(" ", 1)[1])
            return synced, attrs.evolve(entry, origin=entry.origin or origin)
        except CorruptSource as error:
            damaged = error
            reasons.append(f"{name}: {error.message}")
        except PorterError as error:
            reasons.append(f"{name}: {error.message}")
        say(f"{entry.release}: {reasons[-1]}")
    if damaged is not None and len(origins) == 1:
        raise damaged
    kind = CorruptSource if damaged is not None else SyncFailed
    raise kind(
        "\n  ".join([f"no origin gave the sources of {entry.release}:", *reasons]),
        hint=f"With a copy of your own: `porter sync {entry.release} --from FOLDER-OR-TARBALL`.",
    )


def _sync_path(release: str | None, source: Path, record: bool, rename: bool, say: Say) -> Synced:
    if not source.exists():
        raise UsageError(f"--from {source}: there is no such file or folder")
    with staging() as stage:
        say(f"reading {source}")
        tree, origin = from_path(source.resolve(), stage)
        check_tree(tree)
        name = release or release_of(tree)
        if rename:
            name = _own_name(name, tree_hash(tree))
            if is_synced(name) and (there := inspect(name)).state == "verified":
                return there
        entry = known_releases().entries.get(name)
        shipped = read_lock(paths.lock_file()).entries.get(name)
        # A hash that ships is binding; one that the user brought earlier is the user's to change.
        expected = shipped.tree if shipped is not None and not record else None
        synced = install(tree, name, origin, expected)
    if expected is None:
        _record(LockEntry(name, synced.tree, origin, *_kept(entry)), ship=record)
    return attrs.evolve(synced, state="verified")


def _own_name(name: str, tree: str) -> str:
    """`name`, or one of its own for a tree that is not the release which the lock knows so."""
    entry = read_lock(paths.lock_file()).entries.get(name)
    same = entry is None or entry.tree == tree
    return name if same else f"{name}+{tree.removeprefix('sha256:')[:8]}"


def _kept(entry: LockEntry | None) -> tuple[str, str]:
    return (entry.tag, entry.package) if entry is not None else ("", "")


def _record(entry: LockEntry, *, ship: bool) -> None:
    path = paths.lock_file() if ship else local_lock_file()
    if ship and paths.checkout() is None:
        raise UsageError("--record needs a source checkout: it writes the lock that ships")
    entries = {**read_lock(path).entries, entry.release: entry}
    write_lock(Lock(entries), path, LOCK_HEADER if ship else "Releases that were given by --from.")
