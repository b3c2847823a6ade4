"""`patches/series.toml` and the files of hunks beside it, read and checked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from attrs import frozen

from porter.base import arguments, paths
from porter.base.reading import read_toml, structured
from porter.errors import PorterError
from porter.patches.model import ACTIONS, Hunk, Patch, Sign, squeeze

_UNREADABLE = "cannot be read"


@frozen
class _PatchRow:
    name: str
    file: str
    purpose: str
    test: str
    releases: tuple[str, ...]
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
    return tuple(_patch(row, folder) for row in rows.patch)


def _patch(row: _PatchRow, folder: Path) -> Patch:
    return Patch(
        name=row.name,
        file=row.file,
        purpose=row.purpose,
        test=row.test,
        releases=row.releases,
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
    if row.action != "enter" and row.anchor is None:
        raise PorterError(f"{file}: a [[hunk]] lacks 'anchor'")
    if row.text is None:
        raise PorterError(f"{file}: a [[hunk]] lacks 'text'")
    anchor = tuple((row.anchor or "").strip("\n").splitlines())
    if row.action == "enter" and (anchor or not row.inside):
        raise PorterError(f'{file}: a [[hunk]] with action "enter" takes `inside` and no anchor')
    if row.action != "enter" and not any(squeeze(line) for line in anchor):
        raise PorterError(f"{file}: a [[hunk]] has an empty anchor")
    return Hunk(row.file, anchor, row.action, row.text, row.inside)
