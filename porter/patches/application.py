"""Apply patches to a tree: which ones it needs, whether they fit, and the resulting texts."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from pathlib import Path

from attrs import evolve, frozen

from porter.base import arguments
from porter.base.documents import document_of
from porter.errors import PatchDrift, UsageError
from porter.manifest import KeptFunction, Patches, SkippedPatch
from porter.patches.anchors import drift, find_places, with_text
from porter.patches.declared_names import SourceTree, unknown_names
from porter.patches.patch import CLASSES, REQUIRED, FunctionReplacement, Patch, Patched
from porter.patches.series import load_series

STATES = ("applies", "skipped", "fails")
NOTHING: Mapping[str, str] = {}


@frozen
class Fit:
    """The result of applying a patch to a release.

    Attributes:
        patch: The patch's name.
        release: The release.
        state: An element of `STATES`. `skipped`: the build lacks the patch. `fails`: porter refuses
            the release.
        detail: The missing anchor or name, with its place.
        file: The file in which it does not fit.
        class_: The patch's class.
        without: The missing feature of a build without the patch.
        asked: Whether it is skipped because the user asked for that.
    """

    patch: str
    release: str
    state: str
    detail: str = ""
    file: str = ""
    class_: str = ""
    without: str = ""
    asked: bool = False

    def as_dict(self) -> dict[str, object]:
        """Return the values for JSON; the attribute `class_` is the key `class`."""
        return document_of(self)


def patched_files(
    root: arguments.StrPath,
    release: str,
    series: Iterable[Patch] | None = None,
    skip: Iterable[str] = (),
    unreadable: Mapping[str, str] = NOTHING,
) -> Patched:
    """Apply the patches to the tree `root` and return the changed texts.

    A patch that does not apply, and is not required, is skipped as a whole, and so is every patch
    that requires it. The caller writes the texts to `build/<key>/src`, ahead of upstream's.

    Args:
        root: The source tree. It is only read.
        release: The release, for messages.
        series: The patches; None for those of `patches/series.toml`.
        skip: Names of patches, and of classes of patches, to leave out.
        unreadable: Patches that apply and whose result cannot be read, each with the reason.

    Raises:
        PatchDrift: A required patch does not apply.
        UsageError: `skip` names no patch and no class, or a required one.
    """
    wanted = load_series() if series is None else tuple(series)
    left_out = names_to_skip(skip, wanted)
    texts: dict[str, str] = {}
    applied: list[str] = []
    skipped: list[SkippedPatch] = []
    replacements: list[FunctionReplacement] = []
    fits = _fits(arguments.path(root, "root"), release, wanted, left_out, unreadable)
    for patch, fit, changed in fits:
        if fit.state == "fails":
            raise _refusal(fit)
        if fit.state == "skipped":
            skipped.append(
                SkippedPatch(patch.name, patch.class_, patch.without, fit.detail, fit.asked)
            )
        else:
            applied.append(patch.name)
            replacements += patch.replacements
            texts.update(changed)
    patches = Patches(tuple(applied), tuple(skipped))
    return Patched(texts, patches, tuple(replacements))


def check_series(root: arguments.StrPath, release: str, series: Iterable[Patch]) -> list[Fit]:
    """Return the result of each patch for the tree `root`; nothing is written."""
    return [fit for _, fit, _ in _fits(arguments.path(root, "root"), release, tuple(series), ())]


def names_to_skip(skip: Iterable[str], series: Iterable[Patch]) -> frozenset[str]:
    """Return the names of the patches in `skip`, with classes expanded.

    Raises:
        UsageError: A name is neither a patch nor a class, or means a required patch.
    """
    classes = {patch.name: patch.class_ for patch in series}
    found = set()
    for name in skip:
        if name in CLASSES and name != REQUIRED:
            found |= {patch for patch, class_ in classes.items() if class_ == name}
        elif classes.get(name, REQUIRED) == REQUIRED:
            known = [patch for patch, class_ in classes.items() if class_ != REQUIRED]
            what = "is required" if name in classes or name == REQUIRED else "is no patch"
            raise UsageError(
                f"skip_patches: {name} {what}",
                hint=f"Classes: {', '.join(CLASSES[1:])}. Patches: {', '.join(sorted(known))}.",
            )
        else:
            found.add(name)
    return frozenset(found)


def _fits(
    root: Path,
    release: str,
    series: tuple[Patch, ...],
    left_out: Container[str],
    unreadable: Mapping[str, str] = NOTHING,
) -> Iterator[tuple[Patch, Fit, dict[str, str]]]:
    """Yield each patch for the tree, the result of applying it, and the texts that it changes."""
    tree = SourceTree(root)
    texts: dict[str, str] = {}
    missing: set[str] = set()  # skipped patches
    asked: set[str] = set()  # skipped at the user's request, with the patches that require them
    for patch in chosen(root, series):
        changed: dict[str, str] = {}
        state, detail, file = "skipped", "", ""
        lacks = [name for name in patch.requires if name in missing]
        if patch.name in left_out:
            detail = "left out by skip_patches"
        elif patch.name in unreadable:
            detail = unreadable[patch.name]
        elif lacks:
            detail = f"it requires {', '.join(lacks)}, skipped"
        else:
            try:
                changed = _apply_patch(patch, tree, texts)
                texts.update(changed)
                state = "applies"
            except PatchDrift as error:
                detail, file = error.message, error.file
        if state == "skipped":
            missing.add(patch.name)
            if patch.name in left_out or (lacks and asked.issuperset(lacks)):
                asked.add(patch.name)
            state = "fails" if patch.class_ == REQUIRED else state
        fit = Fit(
            patch.name,
            release,
            state,
            detail,
            file,
            patch.class_,
            patch.without,
            patch.name in asked,
        )
        yield patch, fit, changed


def refuse_skipped(skipped: Iterable[SkippedPatch]) -> None:
    """Raise if a patch was skipped without a request of the user.

    Raises:
        PatchDrift: There is one. The message has the reason of each.
    """
    unasked = [one for one in skipped if not one.asked]
    if unasked:
        details = "\n".join(f"{one.message}\n  {one.reason}" for one in unasked)
        raise PatchDrift(
            f"{len(unasked)} patches do not apply to this release:\n{details}",
            hint="Without --strict the build leaves them out; see docs/reference/patches.md.",
            patch=", ".join(one.name for one in unasked),
        )


def refuse_kept(kept: Iterable[KeptFunction]) -> None:
    """Raise if a function of upstream was kept that a patch replaces.

    Raises:
        PatchDrift: There is one. The message has the reason of each.
    """
    lines = [one.message for one in kept]
    if lines:
        raise PatchDrift(
            f"{len(lines)} functions of this release are not those that patches replace:\n"
            + "\n".join(lines),
            hint="Without --strict the build keeps upstream's functions; see "
            "docs/reference/patches.md.",
        )


def _refusal(fit: Fit) -> PatchDrift:
    return PatchDrift(
        fit.detail,
        hint="`porter patch check` shows all of them; see docs/reference/patches.md.",
        patch=fit.patch,
        file=fit.file,
    )


def chosen(root: Path, series: Iterable[Patch]) -> list[Patch]:
    """Return the patches that the tree `root` wants, each with the edits that it wants."""
    return [
        evolve(patch, hunks=tuple(hunk for hunk in patch.hunks if hunk.wanted(root)))
        for patch in series
        if patch.needs is None or patch.needs.shows(root)
    ]


def _apply_patch(patch: Patch, tree: SourceTree, texts: Mapping[str, str]) -> dict[str, str]:
    """Return the texts that the hunks change, over `texts` and the files of the tree."""
    changed: dict[str, str] = {}
    for number, hunk in enumerate(patch.hunks, 1):
        text = changed.get(hunk.file, texts.get(hunk.file))
        if text is None:
            try:
                text = (tree.root / hunk.file).read_text(encoding="utf-8")
            except FileNotFoundError:
                raise drift(hunk, patch.name, number, "there is no such file") from None
        places = find_places(hunk, text, patch.name, number)
        if names := unknown_names(patch, hunk, text, places[0], tree):
            detail = f"its text uses {', '.join(names)}, and nothing at its place declares it"
            raise drift(hunk, patch.name, number, detail)
        changed[hunk.file] = with_text(hunk, text, places)
    return changed
