"""Copy source trees from folders that porter does not own."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

from porter.errors import CorruptSource, FileProblem
from porter.sync.tree import IGNORED_FOLDERS

_KINDS = (
    (stat.S_ISFIFO, "a FIFO"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISCHR, "a device"),
)


def special(path: Path) -> str:
    """Return the kind of a special file (`a FIFO`, `a socket`, `a device`); else empty."""
    try:
        mode = path.stat(follow_symlinks=False).st_mode
    except OSError:
        return ""
    return next((name for test, name in _KINDS if test(mode)), "")


def copy_tree(source: Path, into: Path) -> Path:
    """Copy `source` to `into` without the folders of git and of Python's bytecode.

    Raises:
        CorruptSource: The tree has an entry that is no file, folder or link.
        FileProblem: An entry cannot be read.
    """
    for folder, folders, names in os.walk(source):
        folders[:] = [name for name in folders if name not in IGNORED_FOLDERS]
        for name in names:
            kind = special(Path(folder, name))
            if kind:
                raise CorruptSource(
                    f"{Path(folder, name)} is {kind}: sources are files, folders and links",
                    hint="Take it out of the folder.",
                )
    try:
        ignored = shutil.ignore_patterns(*IGNORED_FOLDERS)
        shutil.copytree(source, into, symlinks=True, ignore=ignored)
    except shutil.Error as error:  # a list of (from, to, reason)
        first = error.args[0][0]
        raise FileProblem(f"{first[0]}: cannot be copied: {first[2]}") from error
    except OSError as error:
        where = error.filename or source
        raise FileProblem(f"{where}: cannot be copied: {error.strerror}") from error
    return into
