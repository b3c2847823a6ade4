"""`upstream/`: one folder per release, and nothing in it that was not verified first."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from attrs import frozen

from porter import paths
from porter.errors import CorruptSource, UnknownRelease, UsageError
from porter.locking import locked
from porter.sync.lock import known_releases, version_key
from porter.sync.tree import check_tree, tree_hash

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


def release_dir(release: str) -> Path:
    """Where the sources of `release` are, or will be."""
    return paths.upstream_dir() / release


def is_synced(release: str) -> bool:
    """Whether there is a folder of that release; says nothing about its content."""
    return (release_dir(release) / "py/mpconfig.h").is_file()


def inspect(release: str) -> Synced:
    """Hash the sources of `release` and compare with the lock. Raises UnknownRelease."""
    path = release_dir(release)
    if not is_synced(release):
        raise UnknownRelease(
            f"release {release!r} is not synced",
            hint=f"Run `porter sync {release}`; `porter releases` lists what there is.",
        )
    tree = tree_hash(path)
    entry = known_releases().entries.get(release)
    state = "unlocked" if entry is None else "verified" if entry.tree == tree else "modified"
    return Synced(release, path, state, _origin(path), tree)


def synced_releases() -> list[str]:
    """Names of the releases in `upstream/`, oldest first."""
    root = paths.upstream_dir()
    if not root.is_dir():
        return []
    names = [p.name for p in root.iterdir() if p.name[0] != "." and p.name != "micropython"]
    return sorted((name for name in names if is_synced(name)), key=version_key)


@contextmanager
def staging() -> Iterator[Path]:
    """An empty folder beside the releases, for one process at a time; gone at the end.

    What a killed sync left behind is removed first.
    """
    work = paths.upstream_dir() / WORK
    with ExitStack() as stack:
        try:
            work.mkdir(parents=True, exist_ok=True)
            stack.enter_context(locked(work / "lock"))
        except OSError as error:
            raise UsageError(
                f"cannot write to {paths.upstream_dir()}: {error.strerror}",
                hint="Set PORTER_HOME to a folder of yours.",
            ) from error
        for rest in work.iterdir():
            if rest.name != "lock":
                shutil.rmtree(rest, ignore_errors=True)
        folder = Path(tempfile.mkdtemp(dir=work))
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        yield folder


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
    stamp = {"release": release, "origin": origin, "tree": got}
    (tree / STAMP).write_text(json.dumps(stamp, indent=1) + "\n")
    final = release_dir(release)
    # Within staging(), so that a crash between the two renames leaves rubbish, not a half tree.
    if final.exists():
        final.rename(tree.parent / ".replaced")
    tree.rename(final)
    return Synced(release, final, "verified" if expected else "unlocked", origin, got)


def _origin(path: Path) -> str:
    try:
        return str(json.loads((path / STAMP).read_text())["origin"])
    except (OSError, ValueError, KeyError, TypeError):
        return "unknown"


def require(release: str) -> Path:
    """The folder of a synced release, unverified (fast). Raises UnknownRelease.

    The build takes its sources from here; `inspect` says whether they are the lock's.
    """
    if not is_synced(release):
        known_releases().get(release)  # a name that nobody knows gets its own message
        raise UnknownRelease(
            f"release {release} is not synced", hint=f"Run `porter sync {release}`."
        )
    return release_dir(release)
