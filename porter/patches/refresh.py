"""`porter patch refresh`: bring the patch files up to a release that they still fit."""

from __future__ import annotations

import re
from pathlib import Path

from attrs import frozen

from porter.base import paths
from porter.base.files import write_whole
from porter.errors import PatchDrift, PorterError
from porter.patches.anchors import apply_hunk, match_hunk
from porter.patches.applying import chosen
from porter.patches.model import Hunk
from porter.patches.series import load_series


@frozen
class Refreshed:
    """What was written: anchors that now say what the release says, patches tried on it."""

    anchors: int
    patches: tuple[str, ...]


def refresh(root: Path, release: str, folder: Path | None = None) -> Refreshed:
    """Rewrite loose anchors to the text of the tree `root`; note `release` in the series.

    Raises PatchDrift, and then nothing was written.
    """
    folder = paths.patches_dir() if folder is None else folder
    series = folder / "series.toml"
    new_files: dict[Path, str] = {}
    texts: dict[str, str] = {}
    anchors = 0
    tried = []
    for patch in chosen(root, load_series(folder)):
        if isinstance(patch, PatchDrift):
            raise patch
        for number, hunk in enumerate(patch.hunks, 1):
            text = texts.get(hunk.file)
            if text is None:
                text = _read(root, hunk, patch.name)
            found = match_hunk(hunk, text, patch.name, number)
            if found != hunk.anchor:
                file = folder / patch.file
                old = new_files.get(file, file.read_text(encoding="utf-8"))
                new_files[file] = _replace_anchor(old, hunk, found, file)
                anchors += 1
            texts[hunk.file] = apply_hunk(hunk, text, patch.name, number).text
        if release not in patch.releases:
            tried.append(patch.file)
    if tried:
        new_files[series] = _note_release(series.read_text(encoding="utf-8"), release, tried)
    for path, text in new_files.items():
        write_whole(path, text)
    return Refreshed(anchors, tuple(tried))


def _read(root: Path, hunk: Hunk, patch: str) -> str:
    try:
        return (root / hunk.file).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise PatchDrift(
            f"patch {patch}: there is no {hunk.file}", patch=patch, file=hunk.file
        ) from None


def _replace_anchor(text: str, hunk: Hunk, found: tuple[str, ...], file: Path) -> str:
    old = "\n".join(hunk.anchor)
    if "\\" in old or "\\" in "\n".join(found) or text.count(old) != 1:
        raise PorterError(
            f"{file}: cannot rewrite this anchor by itself:\n{old}",
            hint="It has a backslash or stands in the file twice; edit it by hand.",
        )
    return text.replace(old, "\n".join(found))


def _note_release(text: str, release: str, files: list[str]) -> str:
    parts = re.split(r"(?m)^(?=\[\[patch\]\])", text)
    for i, part in enumerate(parts):
        name = re.search(r'(?m)^file\s*=\s*"([^"]*)"', part)
        if name and name[1] in files:
            parts[i] = re.sub(
                r"(?m)^(releases\s*=\s*\[[^\]]*?)(,?\s*)\]",
                lambda m: f'{m[1]}{", " if not m[1].endswith("[") else ""}"{release}"]',
                part,
                count=1,
            )
    return "".join(parts)
