"""Read and check `patches/series.toml` and the files of hunks beside it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from attrs import frozen

from porter.base import arguments, paths
from porter.base.documents import read_toml, structured
from porter.errors import PorterError
from porter.patches.anchors import has_code
from porter.patches.patch import (
    ACTIONS,
    CLASSES,
    NAMED,
    REQUIRED,
    FunctionReplacement,
    Hunk,
    Patch,
    Sign,
)

_UNREADABLE = "cannot be read"


@frozen
class _PatchRow:
    name: str
    file: str
    class_: str
    purpose: str
    test: str
    without: str = ""
    requires: tuple[str, ...] = ()
    needs: Mapping[str, str] | None = None


@frozen
class _HunkRow:
    file: str
    anchor: str | None = None
    text: str | None = None
    action: str = "replace"
    inside: str = ""
    at: str = ""
    where: str = ""
    unless: str = ""


@frozen
class _ReplaceRow:
    file: str
    function: str
    text: str
    bodies: tuple[str, ...]
    whole: bool = False


@frozen
class _Series:
    patch: tuple[_PatchRow, ...] = ()


@frozen
class _Hunks:
    hunk: tuple[_HunkRow, ...] = ()
    replace: tuple[_ReplaceRow, ...] = ()


def load_series(folder: arguments.StrPath | None = None) -> tuple[Patch, ...]:
    """Read the patches of `series.toml`, in order; empty if there is no such file.

    Args:
        folder: The folder of `series.toml`; None for the patches of porter.

    Raises:
        PorterError: A file is invalid.
    """
    folder = None if folder is None else arguments.path(folder, "folder")
    folder = paths.patches_dir() if folder is None else folder
    series = folder / "series.toml"
    if not series.is_file():
        return ()
    rows = structured(read_toml(series, PorterError, _UNREADABLE), _Series, series, PorterError)
    _check_order(rows.patch)
    return tuple(_patch(row, folder) for row in rows.patch)


def _check_order(rows: tuple[_PatchRow, ...]) -> None:
    """Check names and classes, and that a patch requires earlier ones alone.

    Raises:
        PorterError: A row has the name of an earlier one or an unknown class, requires a later or
            unknown patch, lacks the text `without`, or is required and requires an optional patch.
    """
    classes: dict[str, str] = {}
    for row in rows:
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", row.name) or row.name in CLASSES:
            raise PorterError(f"{row.name!r} is no name of a patch: words with hyphens, no class")
        if row.class_ not in CLASSES:
            raise PorterError(
                f"{row.name}: class {row.class_!r} is not one of {', '.join(CLASSES)}"
            )
        if row.name in classes:
            raise PorterError(f"{row.name}: two patches have this name")
        if row.class_ != REQUIRED and not row.without.strip():
            raise PorterError(f"{row.name}: `without` says what a build without the patch lacks")
        for name in row.requires:
            if name not in classes:
                raise PorterError(f"{row.name}: requires {name}, which is no earlier patch")
            if row.class_ == REQUIRED and classes[name] != REQUIRED:
                raise PorterError(f"{row.name}: is required, and requires {name}, which is not")
        classes[row.name] = row.class_


def _patch(row: _PatchRow, folder: Path) -> Patch:
    file = folder / row.file
    edits = structured(read_toml(file, PorterError, _UNREADABLE), _Hunks, file, PorterError)
    if not edits.hunk and not edits.replace:
        raise PorterError(f"{file}: no [[hunk]] and no [[replace]]")
    return Patch(
        name=row.name,
        file=row.file,
        class_=row.class_,
        purpose=row.purpose,
        without=row.without,
        test=row.test,
        requires=row.requires,
        hunks=tuple(_hunk(hunk, file) for hunk in edits.hunk),
        replacements=tuple(_replacement(one, row, file) for one in edits.replace),
        needs=_sign(row.name, "needs", row.needs),
    )


def _replacement(row: _ReplaceRow, patch: _PatchRow, file: Path) -> FunctionReplacement:
    _check_path(row.file, file)
    if not row.text.strip() or not row.function.isidentifier():
        raise PorterError(f"{file}: a [[replace]] takes the name of a function and a body's text")
    wrong = [body for body in row.bodies if not re.fullmatch("[0-9a-f]{16}", body)]
    if wrong:
        raise PorterError(f"{file}: {row.function}: {wrong[0]!r} is no digest of a body")
    return FunctionReplacement(
        row.file, row.function, row.text, row.bodies, patch.name, patch.without, row.whole
    )


def _sign(patch: str, key: str, value: Mapping[str, str] | None) -> Sign | None:
    if value is None:
        return None
    if set(value) != {"file", "text"} or not value["text"].strip():
        raise PorterError(f"{patch}: {key} is a table of a file and a text")
    _check_path(value["file"], f"{patch}: {key}")
    return Sign(value["file"], value["text"])


def _check_path(path: str, where: Path | str) -> None:
    """Check that a path of upstream's leads into the release.

    Raises:
        PorterError: It is empty, absolute, or leads out of the tree.
    """
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts or "\0" in path:
        raise PorterError(f"{where}: file {path!r} is no path below the release")


def _hunk(row: _HunkRow, file: Path) -> Hunk:
    _check_path(row.file, file)
    if row.inside and not row.inside.isidentifier():
        raise PorterError(f"{file}: inside {row.inside!r} is no name of a function")
    if row.action not in ACTIONS:
        raise PorterError(f"{file}: action {row.action!r} is not one of {', '.join(ACTIONS)}")
    anchor = tuple((row.anchor or "").strip("\n").splitlines())
    if row.at:
        _check_name(row, file)
    if row.action in ("enter", "above") and (anchor or not row.inside):
        wanted = "takes `inside` and no anchor"
        raise PorterError(f'{file}: a [[hunk]] with action "{row.action}" {wanted}')
    if row.action == "include" and (anchor or row.inside):
        raise PorterError(f'{file}: a [[hunk]] with action "include" takes no anchor, no `inside`')
    if row.action not in NAMED and not row.at:
        if row.anchor is None:
            raise PorterError(f"{file}: a [[hunk]] lacks 'anchor'")
        if not has_code("\n".join(anchor)):
            raise PorterError(f"{file}: a [[hunk]] has an empty anchor, or one of comments alone")
    names = ("\n".join(anchor).strip(), (row.text or "").strip())
    if row.action == "call" and not (row.inside and all(name.isidentifier() for name in names)):
        wanted = "takes `inside` and two names, `anchor` and `text`"
        raise PorterError(f'{file}: a [[hunk]] with action "call" {wanted}')
    if row.text is None:
        raise PorterError(f"{file}: a [[hunk]] lacks 'text'")
    return Hunk(row.file, anchor, row.action, row.text, row.inside, row.at, row.where, row.unless)


def _check_name(row: _HunkRow, file: Path) -> None:
    """Check a [[hunk]] with `at`.

    Raises:
        PorterError: Its action is not before or after, it has an anchor, `at` is no name, or
            `inside` is missing or superfluous.
    """
    if row.action not in ("before", "after") or row.anchor is not None:
        wanted = 'takes no anchor, and the action "before" or "after"'
        raise PorterError(f"{file}: a [[hunk]] with `at` {wanted}")
    macro = row.at.removeprefix("#define ")
    if not macro.removesuffix(":").isidentifier() or (macro != row.at and row.at.endswith(":")):
        raise PorterError(f"{file}: at {row.at!r} is no name, label (`x:`) or macro (`#define X`)")
    if bool(row.inside) == (macro != row.at):
        wanted = "takes `inside` if `at` is not the definition of a macro"
        raise PorterError(f"{file}: a [[hunk]] {wanted}")
