"""The patches that neither a rule nor a port hook can replace, and how they find their place.

`patches/series.toml` lists them; each patch is a TOML file of hunks. A hunk says where by an
anchor: whole lines of upstream's text, unique in the file, or in the function named by `inside`.
There are no line numbers, and a change of blanks or indentation does not matter, so a patch fits
as long as the lines that it needs are still there once. A hunk that belongs at a function's
start needs no more than the function's name. Upstream's files are never written.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from attrs import frozen

from porter import paths
from porter.errors import PatchDrift, PorterError

ACTIONS = ("replace", "before", "after", "enter")


@frozen
class Hunk:
    """Put `text` before or after the lines `anchor` of `file`, or in their place.

    `enter` has no anchor: it puts `text` at the start of the body of the function `inside`.
    """

    file: str
    anchor: tuple[str, ...]
    action: str
    text: str
    inside: str = ""


@frozen
class Sign:
    """A line that one of upstream's files has or has not; blanks do not matter."""

    file: str
    text: str

    def shows(self, root: Path) -> bool:
        """Whether the tree `root` has it."""
        try:
            text = (root / self.file).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return False
        return any(_squeeze(self.text) in _squeeze(line) for line in text.splitlines())


@frozen
class Patch:
    """One feature's change to upstream.

    `unless`: upstream does it itself where this shows. `where`: this variant is for trees that
    show this. A feature none of whose variants fits a tree is a PatchDrift, never silence.
    `file` is the patch's own, beside the series. `releases` are those it was tried on, `test`
    is what shows that it works.
    """

    name: str
    file: str
    purpose: str
    test: str
    releases: tuple[str, ...]
    hunks: tuple[Hunk, ...]
    where: Sign | None = None
    unless: Sign | None = None


@frozen
class Applied:
    """A text after a hunk; `exact` says that the anchor matched letter by letter."""

    text: str
    exact: bool


@frozen
class Check:
    """How one patch fits one release: `exact`, `drift` (blanks differ) or `fails`."""

    patch: str
    release: str
    state: str
    detail: str = ""
    file: str = ""


def load_series(folder: Path | None = None) -> tuple[Patch, ...]:
    """The patches of `series.toml`, in order; none when there is no such file."""
    folder = paths.patches_dir() if folder is None else folder
    series = folder / "series.toml"
    if not series.is_file():
        return ()
    return tuple(_load_patch(row, folder, series) for row in _rows(series, "patch"))


def patched_files(
    root: Path, release: str, series: Iterable[Patch] | None = None
) -> dict[str, str]:
    """The new text of every file of the tree `root` that a patch changes, by relative path.

    Raises PatchDrift. The caller writes them to `build/<key>/src`, ahead of upstream's.
    """
    texts: dict[str, str] = {}
    for patch in chosen(root, load_series() if series is None else series):
        if isinstance(patch, PatchDrift):
            raise patch
        texts.update(_apply_patch(patch, root, texts)[0])
    return texts


def check_series(root: Path, release: str, series: Iterable[Patch]) -> list[Check]:
    """How each patch that `release` wants fits the tree `root`; nothing is written."""
    texts: dict[str, str] = {}
    checks = []
    for patch in chosen(root, series):
        if isinstance(patch, PatchDrift):
            checks.append(Check(patch.patch, release, "fails", patch.message, patch.file))
            continue
        try:
            changed, exact = _apply_patch(patch, root, texts)
        except PatchDrift as error:
            checks.append(Check(patch.name, release, "fails", error.message, error.file))
            continue
        texts.update(changed)
        checks.append(Check(patch.name, release, "exact" if exact else "drift"))
    return checks


def chosen(root: Path, series: Iterable[Patch]) -> list[Patch | PatchDrift]:
    """One variant of each feature that the tree `root` wants; an error where none fits."""
    features: dict[str, list[Patch]] = {}
    for patch in series:
        features.setdefault(patch.name, []).append(patch)
    found: list[Patch | PatchDrift] = []
    for name, variants in features.items():
        if any(one.unless is not None and one.unless.shows(root) for one in variants):
            continue
        fitting = [one for one in variants if one.where is None or one.where.shows(root)]
        found.append(fitting[0] if len(fitting) == 1 else _no_variant(name, variants, fitting))
    return found


def _no_variant(name: str, variants: list[Patch], fitting: list[Patch]) -> PatchDrift:
    signs = [f"{one.where.file} has {one.where.text!r}" for one in variants if one.where]
    count = "several variants fit" if fitting else "no variant fits"
    return PatchDrift(
        f"patch {name}: {count}: they are for trees where " + "; ".join(signs),
        hint="Change `where` in patches/series.toml, or add a variant (docs/upstream.md).",
        patch=name,
        file=variants[0].where.file if variants[0].where else "",
    )


def apply_hunk(hunk: Hunk, text: str, patch: str = "", number: int = 1) -> Applied:
    """`text` with that hunk. Raises PatchDrift when the anchor is not there exactly once."""
    lines = text.splitlines(keepends=True)
    if hunk.action == "enter":
        head = _scope(hunk, lines, patch, number)[0]
        body = next(i for i in range(head, len(lines)) if "{" in lines[i]) + 1
        lines[body:body] = _whole_lines(hunk.text)
        return Applied("".join(lines), True)
    at = _find(hunk, lines, patch, number)
    size = len(hunk.anchor)
    exact = _window(lines, at, size) == hunk.anchor
    new = _whole_lines(hunk.text)
    if hunk.action == "before":
        lines[at:at] = new
    elif hunk.action == "after":
        lines[at + size : at + size] = new
    else:
        lines[at : at + size] = new
    return Applied("".join(lines), exact)


def _whole_lines(text: str) -> list[str]:
    return [line + "\n" for line in text.splitlines()]


def match_hunk(hunk: Hunk, text: str, patch: str = "", number: int = 1) -> tuple[str, ...]:
    """The lines of `text` that the hunk's anchor matches. Raises PatchDrift."""
    lines = text.splitlines(keepends=True)
    if hunk.action == "enter":
        _scope(hunk, lines, patch, number)
        return ()
    return _window(lines, _find(hunk, lines, patch, number), len(hunk.anchor))


def _find(hunk: Hunk, lines: list[str], patch: str, number: int) -> int:
    start, end = _scope(hunk, lines, patch, number)
    size = len(hunk.anchor)
    want = tuple(map(_squeeze, hunk.anchor))
    exact, loose = [], []
    for i in range(start, end - size + 1):
        window = _window(lines, i, size)
        if window == hunk.anchor:
            exact.append(i)
        elif tuple(map(_squeeze, window)) == want:
            loose.append(i)
    found = exact or loose
    if len(found) != 1:
        raise _drift(hunk, patch, number, _explain(hunk, lines, start, end, found))
    return found[0]


def _apply_patch(patch: Patch, root: Path, texts: Mapping[str, str]) -> tuple[dict[str, str], bool]:
    changed: dict[str, str] = {}
    exact = True
    for number, hunk in enumerate(patch.hunks, 1):
        text = changed.get(hunk.file, texts.get(hunk.file))
        if text is None:
            try:
                text = (root / hunk.file).read_text(encoding="utf-8")
            except FileNotFoundError:
                raise _drift(hunk, patch.name, number, "there is no such file") from None
        applied = apply_hunk(hunk, text, patch.name, number)
        changed[hunk.file] = applied.text
        exact = exact and applied.exact
    return changed, exact


def _scope(hunk: Hunk, lines: list[str], patch: str, number: int) -> tuple[int, int]:
    """Line range of the function `hunk.inside`, the whole file without one.

    Upstream formats its code: a definition starts and its closing brace stands in column 0.
    """
    if not hunk.inside:
        return 0, len(lines)
    head = re.compile(rf"[A-Za-z_].*\b{re.escape(hunk.inside)}\s*\(")
    for i, line in enumerate(lines):
        if not head.match(line):
            continue
        opening = next((j for j in range(i, len(lines)) if re.search(r"[{;]", lines[j])), None)
        if opening is None or ";" in lines[opening].split("{")[0]:
            continue  # a declaration
        closing = (j for j in range(opening, len(lines)) if lines[j].startswith("}"))
        return i, next(closing, len(lines) - 1) + 1
    raise _drift(hunk, patch, number, f"there is no function {hunk.inside}")


def _explain(hunk: Hunk, lines: list[str], start: int, end: int, found: list[int]) -> str:
    wanted = "\n".join(f"    {line}" for line in hunk.anchor)
    if found:
        where = ", ".join(str(i + 1) for i in found)
        return f"the anchor is there {len(found)} times (lines {where}):\n{wanted}"
    size = len(hunk.anchor)
    goal = "\n".join(map(_squeeze, hunk.anchor))
    best, score = start, 0.0
    matcher = difflib.SequenceMatcher(autojunk=False)
    matcher.set_seq2(goal)
    for i in range(start, max(start + 1, end - size + 1)):
        matcher.set_seq1("\n".join(map(_squeeze, _window(lines, i, size))))
        if matcher.real_quick_ratio() > score and matcher.quick_ratio() > score:
            ratio = matcher.ratio()
            if ratio > score:
                best, score = i, ratio
    near = "\n".join(f"    {line}" for line in _window(lines, best, size))
    return f"expected\n{wanted}\n  nearest, line {best + 1} ({score:.0%} alike)\n{near}"


def _drift(hunk: Hunk, patch: str, number: int, detail: str) -> PatchDrift:
    inside = f", in {hunk.inside}" if hunk.inside else ""
    return PatchDrift(
        f"patch {patch or '?'}, hunk {number}: {hunk.file}{inside}: {detail}",
        hint="`porter patch check` shows all of them; see docs/upstream.md.",
        patch=patch,
        file=hunk.file,
    )


def _window(lines: list[str], at: int, size: int) -> tuple[str, ...]:
    return tuple(line.rstrip("\r\n") for line in lines[at : at + size])


def _squeeze(line: str) -> str:
    return re.sub(r"\s+", " ", line).strip()


def _rows(path: Path, key: str) -> list[dict[str, Any]]:
    try:
        rows = tomllib.loads(path.read_text(encoding="utf-8")).get(key, [])
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise PorterError(f"{path}: cannot be read: {error}") from error
    if not isinstance(rows, list):
        raise PorterError(f"{path}: {key} is not a list of tables")
    return rows


def _load_patch(row: dict[str, Any], folder: Path, series: Path) -> Patch:
    try:
        file = folder / row["file"]
        hunks = tuple(_load_hunk(hunk, file) for hunk in _rows(file, "hunk"))
        if not hunks:
            raise PorterError(f"{file}: no [[hunk]]")
        return Patch(
            name=row["name"],
            file=row["file"],
            purpose=row["purpose"],
            test=row["test"],
            releases=tuple(row["releases"]),
            hunks=hunks,
            where=_sign(row, "where"),
            unless=_sign(row, "unless"),
        )
    except KeyError as error:
        raise PorterError(f"{series}: a [[patch]] lacks {error}") from error


def _sign(row: dict[str, Any], key: str) -> Sign | None:
    value = row.get(key)
    if value is None:
        return None
    if not isinstance(value, dict) or set(value) != {"file", "text"} or not value["text"].strip():
        raise PorterError(f"{row['name']}: {key} is a table of a file and a text")
    return Sign(value["file"], value["text"])


def _load_hunk(row: dict[str, Any], file: Path) -> Hunk:
    try:
        action = row.get("action", "replace")
        text = row.get("anchor", "") if action == "enter" else row["anchor"]
        anchor = tuple(text.strip("\n").splitlines())
        hunk = Hunk(row["file"], anchor, action, row["text"], row.get("inside", ""))
    except KeyError as error:
        raise PorterError(f"{file}: a [[hunk]] lacks {error}") from error
    if action not in ACTIONS:
        raise PorterError(f"{file}: action {action!r} is not one of {', '.join(ACTIONS)}")
    if action == "enter" and (anchor or not hunk.inside):
        raise PorterError(f'{file}: a [[hunk]] with action "enter" takes `inside` and no anchor')
    if action != "enter" and not any(_squeeze(line) for line in anchor):
        raise PorterError(f"{file}: a [[hunk]] has an empty anchor")
    return hunk
