"""`upstream/lock.toml`: the releases that porter knows, each with its origins and tree hash."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path

from attrs import field, frozen

from porter.base import paths
from porter.base.documents import read_toml, structured
from porter.base.files import write_whole
from porter.base.release_name import version_key
from porter.errors import PorterError, UnknownRelease

_HINT = "Take it back to what it was; a lock below upstream/.local may be removed."


@frozen
class LockEntry:
    """A release in the lock.

    Attributes:
        release: The release's name.
        tree: The hash of its tree (`porter.sync.trees`).
        origin: The origin of the tree that was hashed.
        tag: The tag in upstream's git repository; may be empty.
        package: The version of the distribution's source package; may be empty.
    """

    release: str
    tree: str
    origin: str = ""
    tag: str = ""
    package: str = ""


@frozen
class _LockRow:
    """A LockEntry as a row of the file."""

    name: str
    tree: str
    origin: str = ""
    tag: str = ""
    package: str = ""


@frozen
class _LockFile:
    release: tuple[_LockRow, ...] = ()


@frozen
class Lock:
    """The releases of a lock file, by name."""

    entries: dict[str, LockEntry] = field(factory=dict)

    def get(self, release: str) -> LockEntry:
        """Return the entry of `release`. Raises UnknownRelease."""
        try:
            return self.entries[release]
        except KeyError:
            raise unknown_release(release, self.entries) from None

    def newest(self) -> LockEntry:
        """Return the entry of the newest final release."""
        final = [name for name in self.entries if re.fullmatch(r"\d+(\.\d+)*", name)]
        if not final:
            raise UnknownRelease("the lock knows no release")
        return self.entries[max(final, key=version_key)]


def unknown_release(release: str, known: Iterable[str]) -> UnknownRelease:
    """Return the error for a release that is in no lock."""
    names = ", ".join(sorted(known, key=version_key)) or "none"
    return UnknownRelease(
        f"unknown release {release!r}; known: {names}",
        hint=f"`porter releases` lists them; `porter sync {release} --new` fetches one that is not "
        "among them, `porter sync --from PATH` takes a folder or tarball.",
    )


def read_lock(path: Path) -> Lock:
    """Read the lock in `path`; empty if there is no such file. Raises PorterError."""
    if not path.exists():
        return Lock()
    document = read_toml(path, PorterError, "not a lock file", _HINT)
    rows = structured(document, _LockFile, path, PorterError).release
    return Lock(
        {row.name: LockEntry(row.name, row.tree, row.origin, row.tag, row.package) for row in rows}
    )


def write_lock(lock: Lock, path: Path, header: str = "") -> None:
    """Write `lock` to `path` atomically."""
    rows = [f"# {line}\n" if line else "#\n" for line in header.splitlines()]
    for name in sorted(lock.entries, key=version_key):
        entry = lock.entries[name]
        rows.append(f"\n[[release]]\nname = {_quoted(entry.release)}\n")
        rows.append(f"tree = {_quoted(entry.tree)}\n")
        for key in ("origin", "tag", "package"):
            value = getattr(entry, key)
            if value:
                rows.append(f"{key} = {_quoted(value)}\n")
    write_whole(path, "".join(rows), parents=True)


def _quoted(text: str) -> str:
    """Return a TOML string: a JSON string, except for DEL, which TOML does not allow."""
    whole = text.encode("utf-8", "replace").decode()  # a path may have bytes that are not UTF-8
    return json.dumps(whole, ensure_ascii=False).replace("\x7f", "\\u007f")


def local_lock_file() -> Path:
    """Return the path of the lock of the user's own releases (`--from`); never committed."""
    return paths.upstream_dir() / ".local" / "lock.toml"


def known_releases() -> Lock:
    """Return the shipped lock merged with the lock of the user's own releases."""
    local = read_lock(local_lock_file())
    return Lock({**local.entries, **read_lock(paths.lock_file()).entries})


def newest_release() -> str:
    """Return the newest release of the shipped lock, the default of every command."""
    return read_lock(paths.lock_file()).newest().release
