"""`upstream/`: one folder per release. Only verified sources are moved into it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import attrs
from attrs import frozen

from porter.base import paths
from porter.base.documents import read_json, structured
from porter.base.files import write_whole
from porter.base.fingerprint import fingerprint
from porter.base.locks import locked
from porter.base.progress import Say, to_stderr
from porter.base.release_name import check_release, version_key
from porter.errors import CorruptSource, FileProblem, UnknownRelease, UsageError
from porter.sync.lock import known_releases
from porter.sync.trees import HASHED, IGNORED_FOLDERS, VERSION_FILE, check_tree, tree_hash

STAMP = ".porter-sync.json"
WORK = ".work"  # staging; its content is garbage unless a process holds the lock


@frozen
class Synced:
    """A release's folder. `state` is `verified`, `modified` or `unlocked` (in no lock)."""

    release: str
    path: Path
    state: str
    origin: str
    tree: str


@frozen
class Stamp:
    """The record in a release's folder. `hashed`: the tree hash at the fingerprint `files`."""

    release: str = ""
    origin: str = "unknown"
    tree: str = ""
    files: str = ""
    hashed: str = ""


def release_dir(release: str) -> Path:
    """Return the folder of the sources of `release`, whether it exists or not."""
    return paths.upstream_dir() / release


def is_synced(release: str) -> bool:
    """Return whether the folder of that release exists; its content is not checked."""
    return (release_dir(release) / VERSION_FILE).is_file()


def inspect(release: str) -> Synced:
    """Compare the sources of `release` with the lock.

    The files are hashed only if their fingerprint has changed since the last hash.

    Raises:
        UnknownRelease: The release is not synced.
    """
    path = release_dir(release)
    if not is_synced(release):
        raise UnknownRelease(
            f"release {release!r} is not synced",
            hint=f"Run `porter sync {release}`; `porter releases` lists what there is.",
        )
    stamp = _read_stamp(path)
    tree = _known_hash(path, stamp)
    entry = known_releases().entries.get(release)
    state = "unlocked" if entry is None else "verified" if entry.tree == tree else "modified"
    return Synced(release, path, state, stamp.origin, tree)


def _known_hash(path: Path, stamp: Stamp) -> str:
    now = fingerprint((path / name for name in HASHED), IGNORED_FOLDERS.__contains__)
    if stamp.hashed and stamp.files == now.digest:
        return stamp.hashed
    tree = tree_hash(path)
    if now.settled:
        with suppress(OSError):  # a read-only folder: hashed every time
            _write_stamp(path, attrs.evolve(stamp, files=now.digest, hashed=tree))
    return tree


def _read_stamp(path: Path) -> Stamp:
    file = path / STAMP
    try:
        return structured(read_json(file, FileProblem), Stamp, file, FileProblem)
    except FileProblem:  # the content is a cache and can be computed again
        return Stamp()


def _write_stamp(path: Path, stamp: Stamp) -> None:
    write_whole(path / STAMP, json.dumps(attrs.asdict(stamp), indent=1) + "\n")


def synced_releases() -> list[str]:
    """Return the names of the releases in `upstream/`, oldest first."""
    root = paths.upstream_dir()
    if not root.is_dir():
        return []
    names = [path.name for path in root.iterdir() if _is_name(path.name)]
    return sorted((name for name in names if is_synced(name)), key=version_key)


def _is_name(name: str) -> bool:
    try:
        return check_release(name) == name
    except UsageError:
        return False


@contextmanager
def staging(say: Say = to_stderr) -> Iterator[Path]:
    """Yield an empty folder beside the releases, for one process at a time; removed on exit.

    Leftovers of a killed sync are removed first.
    """
    work = paths.upstream_dir() / WORK
    with ExitStack() as stack:
        try:
            work.mkdir(parents=True, exist_ok=True)
            stack.enter_context(locked(work / "lock", say))
        except OSError as error:
            raise UsageError(
                f"cannot write to {paths.upstream_dir()}: {error.strerror}",
                hint="Set PORTER_HOME to a folder of yours.",
            ) from error
        for rest in work.iterdir():
            if rest.name != "lock":
                shutil.rmtree(rest, ignore_errors=True)
        folder = TemporaryDirectory(dir=work, ignore_cleanup_errors=True)
        yield Path(stack.enter_context(folder))


def install(tree: Path, release: str, origin: str, expected: str | None) -> Synced:
    """Verify the staged `tree` and rename it to `upstream/<release>`.

    Args:
        tree: A tree below the staging folder.
        release: The release's name.
        origin: A line on the origin.
        expected: The hash in the lock; None for a release that no lock has.

    Raises:
        CorruptSource: The hash differs. The release's previous folder is then unchanged.
    """
    check_tree(tree)
    got = tree_hash(tree)
    if expected is not None and got != expected:
        raise CorruptSource(
            f"the sources of {release} from {origin} are not what the lock says:\n"
            f"  lock: {expected}\n  got:  {got}",
            hint="Another release, a modified tree, or a damaged download. For a tree of your "
            "own give it a name: `porter sync NAME --from PATH`.",
        )
    _write_stamp(tree, Stamp(release, origin, got))
    final = release_dir(release)
    # Inside staging(): a crash between the two renames leaves garbage there, not a partial tree.
    if final.exists():
        final.rename(tree.parent / ".replaced")
    tree.rename(final)
    return Synced(release, final, "verified" if expected else "unlocked", origin, got)
