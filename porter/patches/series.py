"""`patches/series.toml` and the files of hunks beside it, read and checked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from attrs import frozen

from porter.base import arguments, paths
from porter.base.reading import read_toml, structured
from porter.errors import PorterError
from porter.patches.anchors import has_code
from porter.patches.model import ACTIONS, CLASSES, REQUIRED, Hunk, Patch, Sign

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
    where: Mapping[str, str] | None = None
    unless: Mapping[str, str] | None = None
    needs: Mapping[str, str] | None = None


@frozen
class _HunkRow:
    file: str
    anchor: str | None = None
    text: str | None = None
    action: str = "replace"
    inside: str = ""


@frozen
class _Series:
    patch: tuple[_PatchRow, ...] = ()


@frozen
class _Hunks:
    hunk: tuple[_HunkRow, ...] = ()


def load_series(folder: arguments.StrPath | None = None) -> tuple[Patch, ...]:
    """The patches of `series.toml`, in order; none when there is no such file.

    Raises PorterError.
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
    """Check classes, and that a patch requires earlier ones alone.

    Raises:
        PorterError: A row has an unknown class, requires a later or unknown patch, is required
            and requires one that is not, or does not say what a build without it lacks.
    """
    classes: dict[str, str] = {}
    for row in rows:
        if row.class_ not in CLASSES:
            raise PorterError(
                f"{row.name}: class {row.class_!r} is not one of {', '.join(CLASSES)}"
            )
        if classes.get(row.name, row.class_) != row.class_:
            raise PorterError(f"{row.name}: its variants have different classes")
        if row.class_ != REQUIRED and not row.without.strip():
            raise PorterError(f"{row.name}: `without` says what a build without the patch lacks")
        for name in row.requires:
            if name not in classes:
                raise PorterError(f"{row.name}: requires {name}, which is no earlier patch")
            if row.class_ == REQUIRED and classes[name] != REQUIRED:
                raise PorterError(f"{row.name}: is required, and requires {name}, which is not")
        classes[row.name] = row.class_


def _patch(row: _PatchRow, folder: Path) -> Patch:
    return Patch(
        name=row.name,
        file=row.file,
        class_=row.class_,
        purpose=row.purpose,
        without=row.without,
        test=row.test,
        requires=row.requires,
        hunks=_hunks(folder / row.file),
        where=_sign(row.name, "where", row.where),
        unless=_sign(row.name, "unless", row.unless),
        needs=_sign(row.name, "needs", row.needs),
    )


def _sign(patch: str, key: str, value: Mapping[str, str] | None) -> Sign | None:
    if value is None:
        return None
    if set(value) != {"file", "text"} or not value["text"].strip():
        raise PorterError(f"{patch}: {key} is a table of a file and a text")
    return Sign(value["file"], value["text"])


def _hunks(file: Path) -> tuple[Hunk, ...]:
    rows = structured(read_toml(file, PorterError, _UNREADABLE), _Hunks, file, PorterError).hunk
    if not rows:
        raise PorterError(f"{file}: no [[hunk]]")
    return tuple(_hunk(row, file) for row in rows)


def _hunk(row: _HunkRow, file: Path) -> Hunk:
    if row.action not in ACTIONS:
        raise PorterError(f"{file}: action {row.action!r} is not one of {', '.join(ACTIONS)}")
    anchor = tuple((row.anchor or "").strip("\n").splitlines())
    if row.action == "enter" and (anchor or not row.inside):
        raise PorterError(f'{file}: a [[hunk]] with action "enter" takes `inside` and no anchor')
    if row.action == "include" and (anchor or row.inside):
        raise PorterError(f'{file}: a [[hunk]] with action "include" takes no anchor, no `inside`')
    if row.action not in ("enter", "include"):
        if row.anchor is None:
            raise PorterError(f"{file}: a [[hunk]] lacks 'anchor'")
        if not has_code("\n".join(anchor)):
            raise PorterError(f"{file}: a [[hunk]] has an empty anchor, or one of comments alone")
    if row.text is None:
        raise PorterError(f"{file}: a [[hunk]] lacks 'text'")
    return Hunk(row.file, anchor, row.action, row.text, row.inside)
