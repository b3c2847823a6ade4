"""Which patches a tree wants, how they fit it, and the texts that they make."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from attrs import frozen

from porter.base import arguments
from porter.errors import PatchDrift
from porter.patches.anchors import apply_hunk, drift
from porter.patches.model import Patch
from porter.patches.series import load_series


@frozen
class Fit:
    """How one patch fits one release: `exact`, `drift` (blanks differ) or `fails`."""

    patch: str
    release: str
    state: str
    detail: str = ""
    file: str = ""


def patched_files(
    root: arguments.StrPath, release: str, series: Iterable[Patch] | None = None
) -> dict[str, str]:
    """The new text of every file of the tree `root` that a patch changes, by relative path.

    Raises PatchDrift. The caller writes them to `build/<key>/src`, ahead of upstream's.
    """
    root = arguments.path(root, "root")
    texts: dict[str, str] = {}
    for patch in chosen(root, load_series() if series is None else series):
        if isinstance(patch, PatchDrift):
            raise patch
        texts.update(_apply_patch(patch, root, texts)[0])
    return texts


def check_series(root: arguments.StrPath, release: str, series: Iterable[Patch]) -> list[Fit]:
    """How each patch that `release` wants fits the tree `root`; nothing is written."""
    root = arguments.path(root, "root")
    texts: dict[str, str] = {}
    checks = []
    for patch in chosen(root, series):
        if isinstance(patch, PatchDrift):
            checks.append(Fit(patch.patch, release, "fails", patch.message, patch.file))
            continue
        try:
            changed, exact = _apply_patch(patch, root, texts)
        except PatchDrift as error:
            checks.append(Fit(patch.name, release, "fails", error.message, error.file))
            continue
        texts.update(changed)
        checks.append(Fit(patch.name, release, "exact" if exact else "drift"))
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
        if any(one.needs is not None and not one.needs.shows(root) for one in variants):
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


def _apply_patch(patch: Patch, root: Path, texts: Mapping[str, str]) -> tuple[dict[str, str], bool]:
    changed: dict[str, str] = {}
    exact = True
    for number, hunk in enumerate(patch.hunks, 1):
        text = changed.get(hunk.file, texts.get(hunk.file))
        if text is None:
            try:
                text = (root / hunk.file).read_text(encoding="utf-8")
            except FileNotFoundError:
                raise drift(hunk, patch.name, number, "there is no such file") from None
        applied = apply_hunk(hunk, text, patch.name, number)
        changed[hunk.file] = applied.text
        exact = exact and applied.exact
    return changed, exact
