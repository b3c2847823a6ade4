"""Bring a release's sources into `upstream/`: the implementation of `porter sync`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import attrs

from porter.base import arguments, paths
from porter.base.progress import Say, silent, to_stderr
from porter.base.release_name import DEVELOPMENT, check_release
from porter.errors import CorruptSource, PorterError, SyncFailed, UsageError
from porter.sync.folder import VARIABLE, origin_of
from porter.sync.gitrepo import fetch_development
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
from porter.sync.origins import ORIGINS, REMOTE, from_path
from porter.sync.store import Synced, inspect, install, is_synced, release_dir, staging
from porter.sync.trees import check_tree, release_of, tree_hash

LOCK_HEADER = """The releases that porter knows. `porter sync RELEASE --record` writes an entry.
tree: hash over paths and contents of the folders that porter uses (porter/sync/trees.py), the
same for git's tag and for the distribution's source package. package: its version there."""


def bring(release: str, say: Say = to_stderr) -> Path:
    """Return the folder of `release` after syncing it if needed; its content is not checked.

    Raises:
        PorterError: As `sync`.
    """
    if not is_synced(check_release(release)):
        say(f"{release}: fetching its sources")
        sync(release, say=say)
    return release_dir(release)


def ensure(release: str, say: Say = to_stderr) -> Synced:
    """Return the sources of `release`, synced if needed and compared with the lock.

    Every build starts here.

    Raises:
        CorruptSource: The sources differ from the lock.
        PorterError: As `sync`.
    """
    bring(release, say)
    there = inspect(release)
    if there.state == "modified":
        raise modified(there)
    return there


def tests_of(release: str, say: Say = to_stderr) -> Path:
    """Return the folder of `release` for its tests.

    A machine that only runs finished builds may have the release's tests alone.
    """
    folder = release_dir(check_release(release))
    alone = (folder / "tests").is_dir() and not is_synced(release)
    return folder if alone else ensure(release, say).path


def modified(there: Synced) -> CorruptSource:
    """Return the error for modified sources, with the commands that help."""
    own = there.release not in read_lock(paths.lock_file()).entries
    name = there.release if own else "NAME"
    keep = f"`porter sync {name} --from {there.path}`"
    if own:
        hint = f"{keep} takes them as they are now."
    else:
        hint = (
            f"`porter sync {there.release} --force` fetches the release again. To build what was "
            f"changed give it a name of your own: {keep}, then `--release NAME`."
        )
    return CorruptSource(f"{there.path} is not what the lock says: it was modified", hint=hint)


def sync(
    release: str | None = None,
    *,
    source: arguments.StrPath | None = None,
    origins: Sequence[str] = tuple(ORIGINS),
    force: bool = False,
    new: bool = False,
    record: bool = False,
    rename: bool = False,
    say: Say = silent,
) -> Synced:
    """Fill `upstream/<release>` with verified sources. After an error the folder is unchanged.

    Args:
        release: The release's name. None: the newest release of the shipped lock, or the release
            that `source` names. `master`: upstream's development branch, whose tree gets the name
            `<release>+<hash>`.
        source: A folder or archive of the user's.
        origins: Names of the origins to try, keys of `ORIGINS`.
        force: Fetch sources again that are in `upstream/`.
        new: Accept a release that no lock knows.
        record: Write the release's hash into the shipped lock.
        rename: Give a `source` whose files differ from those of the release that it names the
            name `<release>+<hash>`, instead of refusing it.
        say: Receives progress messages.

    Returns:
        The release's folder, with its name, origin and hash.

    Raises:
        UnknownRelease: No lock knows the release.
        SyncFailed: No origin has the sources; the message has the reason of each.
        CorruptSource: The sources differ from the lock, or are no MicroPython tree.
        UsageError: The name is no release's, or the arguments contradict each other.
    """
    source = None if source is None else arguments.path(source, "source")
    if release == DEVELOPMENT:
        if source is not None or record:
            raise UsageError(
                f"{DEVELOPMENT} is upstream's development branch, and excludes --from and --record",
                hint="The lock records releases only. `porter sync NAME --from PATH` takes a tree.",
            )
        return _sync_development(origins, force, say)
    if release is not None:
        check_release(release)
    if source is not None:
        return _sync_path(release, source, record, rename, say)
    name = release or newest_release()
    # The shipped lock must not contain entries of the user's own lock.
    lock = read_lock(paths.lock_file()) if record else known_releases()
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
        raise modified(there)
    with staging(say) as stage:
        # Another process may have synced the release while this one waited for the lock.
        if is_synced(name) and not force and not record:
            there = inspect(name)
            if there.state == "verified":
                return there
        synced, entry = _sync_origins(entry, origins, stage, say)
    if record or not entry.tree:
        _record(attrs.evolve(entry, tree=synced.tree), ship=record)
    return attrs.evolve(synced, state="verified")


def _sync_origins(
    entry: LockEntry, origins: Sequence[str], stage: Path, say: Say
) -> tuple[Synced, LockEntry]:
    reasons = []
    damaged: CorruptSource | None = None
    for name in origins:
        _check_origin(name)
        if name in REMOTE:
            say(f"{entry.release}: asking {REMOTE[name]}")
        try:
            place = stage / name
            place.mkdir()
            tree, origin = ORIGINS[name](entry, place)
            synced = install(tree, entry.release, origin, entry.tree or None)
            say(f"{entry.release}: from {origin}")
            if origin.startswith("source package") and not entry.package:
                entry = attrs.evolve(entry, package=origin.rsplit(" ", 1)[1])
            return synced, attrs.evolve(entry, origin=entry.origin or origin)
        except CorruptSource as error:
            damaged = error
            reasons.append(f"{name}: {error.message}")
        except PorterError as error:
            reasons.append(f"{name}: {error.message}")
    if damaged is not None and len(origins) == 1:
        raise damaged
    kind = CorruptSource if damaged is not None else SyncFailed
    raise kind(
        "\n  ".join([f"no origin gave the sources of {entry.release}:", *reasons]),
        hint=f"With a copy of your own: `porter sync {entry.release} --from FOLDER-OR-TARBALL`, or "
        f"set {VARIABLE} to a folder of tarballs or trees.",
    )


def _check_origin(name: str) -> None:
    if name not in ORIGINS:
        raise UsageError(f"no origin {name!r}: there are {', '.join(ORIGINS)}")


def _sync_development(origins: Sequence[str], force: bool, say: Say) -> Synced:
    """Fetch upstream's development branch under a name that no release has.

    A state of the branch that is in `upstream/` stays; with `force` it is replaced.

    Raises:
        SyncFailed: No origin has the branch.
        CorruptSource: This state of the branch is in `upstream/`, and was modified.
    """
    for name in origins:
        _check_origin(name)
    with staging(say) as stage:
        tree, origin = fetch_development(origins, stage, say)
        release = _own_name(check_release(release_of(tree)), tree_hash(tree), moving=True)
        if is_synced(release) and not force:
            there = inspect(release)
            if there.state == "verified":
                return there
            if there.state == "modified":
                raise modified(there)
        synced = install(tree, release, origin, None)
    if release not in known_releases().entries:
        _record(LockEntry(release, synced.tree, origin), ship=False)
    return attrs.evolve(synced, state="verified")


def _sync_path(release: str | None, source: Path, record: bool, rename: bool, say: Say) -> Synced:
    if not source.exists():
        raise UsageError(f"--from {source}: there is no such file or folder")
    with staging(say) as stage:
        say(f"reading {source}")
        tree, origin = from_path(source.resolve(), stage)
        check_tree(tree)
        name = release or check_release(release_of(tree))
        if rename:
            name = _own_name(name, tree_hash(tree))
            if is_synced(name) and (there := inspect(name)).state == "verified":
                return there
        entry = known_releases().entries.get(name)
        shipped = read_lock(paths.lock_file()).entries.get(name)
        # The hash in the shipped lock is binding. Users may replace their own earlier trees.
        expected = shipped.tree if shipped is not None and not record else None
        synced = install(tree, name, origin, expected)
    if expected is None:
        if record:  # the shipped lock must not name a path of this machine
            origin = origin_of(source)
        _record(LockEntry(name, synced.tree, origin, *_kept(entry)), ship=record)
    return attrs.evolve(synced, state="verified")


def _own_name(name: str, tree: str, moving: bool = False) -> str:
    """Return a name for a tree that replaces no release.

    Args:
        name: The release that the tree's `py/mpconfig.h` names.
        tree: The tree's hash.
        moving: Whether the tree's next states will name the same release.

    Returns:
        `name` if the shipped lock has this hash for it. If the lock has another hash, or none and
        the tree is `moving`, `<name>+<first 8 digits of the hash>`.
    """
    entry = read_lock(paths.lock_file()).entries.get(name)
    same = entry.tree == tree if entry is not None else not moving
    return name if same else f"{name}+{tree.removeprefix('sha256:')[:8]}"


def _kept(entry: LockEntry | None) -> tuple[str, str]:
    return (entry.tag, entry.package) if entry is not None else ("", "")


def _record(entry: LockEntry, *, ship: bool) -> None:
    path = paths.lock_file() if ship else local_lock_file()
    if ship and paths.checkout() is None:
        raise UsageError("--record needs a source checkout: it writes the lock that ships")
    entries = {**read_lock(path).entries, entry.release: entry}
    write_lock(Lock(entries), path, LOCK_HEADER if ship else "Releases that were given by --from.")
