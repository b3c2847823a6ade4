"""`upstream/`: one folder per release, and nothing in it that was not verified first."""

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
from porter.base.files import write_whole
from porter.base.fingerprint import fingerprint
from porter.base.locking import locked
from porter.base.reading import read_json, structured
from porter.base.release_name import check_release, version_key
from porter.base.telling import Say, to_stderr
from porter.errors import CorruptSource, FileProblem, UnknownRelease, UsageError
from porter.sync.lock import known_releases
from porter.sync.tree import HASHED, IGNORED_FOLDERS, VERSION_FILE, check_tree, tree_hash

STAMP = ".porter-sync.json"
WORK = ".work"  # staging; whatever lies in it when nobody holds the lock is rubbish


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
    """What a release's folder says of itself: `files` is a fingerprint of what was `hashed`."""

    release: str = ""
    origin: str = "unknown"
    tree: str = ""
    files: str = ""
    hashed: str = ""


def release_dir(release: str) -> Path:
    """Where the sources of `release` are, or will be."""
    return paths.upstream_dir() / release


def is_synced(release: str) -> bool:
    """Whether there is a folder of that release; says nothing about its content."""
    return (release_dir(release) / VERSION_FILE).is_file()


def inspect(release: str) -> Synced:
    """Compare the sources of `release` with the lock. Raises UnknownRelease.

    They are hashed only where the file system says that a file has changed since that was done.
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
        with suppress(OSError):  # somebody else's: then it is hashed every time
            _write_stamp(path, attrs.evolve(stamp, files=now.digest, hashed=tree))
    return tree


def _read_stamp(path: Path) -> Stamp:
    file = path / STAMP
    try:
        return structured(read_json(file, FileProblem), Stamp, file, FileProblem)
    except FileProblem:  # all that it says can be found out anew
        return Stamp()


def _write_stamp(path: Path, stamp: Stamp) -> None:
    write_whole(path / STAMP, json.dumps(attrs.asdict(stamp), indent=1) + "\n")


def synced_releases() -> list[str]:
    """Names of the releases in `upstream/`, oldest first."""
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
    """An empty folder beside the releases, for one process at a time; gone at the end.

    What a killed sync left behind is removed first.
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

    `expected` is the hash in the lock, None for a release that no lock knows. Raises
    CorruptSource, and then what was there before is still there.
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
    # Within staging(), so that a crash between the two renames leaves rubbish, not a half tree.
    if final.exists():
        final.rename(tree.parent / ".replaced")
    tree.rename(final)
    return Synced(release, final, "verified" if expected else "unlocked", origin, got)
