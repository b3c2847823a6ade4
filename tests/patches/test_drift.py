"""Patches on variants of releases: applied whole at the same place, skipped whole, or refused."""

from __future__ import annotations

import contextlib
import functools
import itertools
import json
import os
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet
from attrs import frozen

from porter.base import paths
from porter.conformance import backends, file_images
from porter.conformance.discovery import discover
from porter.conformance.expected_output import find_cpython
from porter.conformance.skips import load
from porter.conformance.suite import ConformanceSuite, Events
from porter.errors import PatchDrift
from porter.generate.build_paths import Layout
from porter.generate.preprocessor import CC, preprocessor_flags
from porter.patches import Patched, application, load_series, patched_files
from porter.patches.application import chosen
from porter.patches.patch import Hunk, Patch
from porter.pipeline import Build, build
from porter.regress.checks import TIMEOUT, conformance_config
from porter.sync.lock import Lock, newest_release, write_lock
from porter.sync.store import release_dir, synced_releases
from porter.sync.synchronization import sync
from porter.toolchain import children
from porter_dev import builds
from porter_dev.drift import (
    KINDS,
    Release,
    SourceEdit,
    Variant,
    code_of,
    function_at,
    read_release,
    variants,
    vary,
)
from tests.regress.injections import copy_release

VARIANTS = 200  # of each release
BUILT = 24  # variants that are built, of all releases together
CHECKED = 4  # changed units of a variant that the compiler reads
BUILT_SEED = 1000  # the first seed of a variant that is built
QUICK = 8  # variants of the default tier: one of every second kind

# Anchors are compared token by token, so these kinds do not affect patches.
SAME_TOKENS = ("add-comment", "split-line", "join-lines")
SERIES = load_series()


@pytest.fixture(autouse=True)
def remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Apply a hunk to a text once: most files of a variant are the release's."""
    for name, once in _ONCE.items():
        monkeypatch.setattr(application, name, once)


_ONCE = {
    name: functools.lru_cache(maxsize=4 * sum(len(patch.hunks) for patch in SERIES))(
        getattr(application, name)
    )
    for name in ("find_places", "with_text")
}


@functools.cache
def _release(name: str) -> Release:
    return read_release(release_dir(name))


class Laboratory:
    """A folder with the files of a release that patches read, and its variants."""

    def __init__(self, release: Release, folder: Path) -> None:
        """Write the files."""
        self.release = release
        self.folder = folder
        signs = [patch.needs for patch in SERIES if patch.needs is not None]
        named = {hunk.file for patch in SERIES for hunk in patch.hunks} | {s.file for s in signs}
        self.texts = {file: release.texts[file] for file in named if file in release.texts}
        self._write({file: text for file, text in release.texts.items() if file.endswith(".h")})
        self._write(self.texts)
        self.wanted = chosen(folder, SERIES)
        self.base = self.patched(SERIES)
        assert self.base.patches.skipped == ()

    def _write(self, texts: dict[str, str]) -> None:
        for file, text in texts.items():
            (self.folder / file).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / file).write_text(text, errors="surrogateescape")

    def patched(self, series: tuple[Patch, ...]) -> Patched:
        """Apply patches to the files as they are."""
        return patched_files(self.folder, self.release.root.name, series)

    def drifted(self, variant: Variant, series: tuple[Patch, ...] = SERIES) -> Patched:
        """Apply patches to a variant, and restore the files.

        Raises:
            PatchDrift: A required patch does not apply.
        """
        changed = {f: text for f, text in variant.edit.texts.items() if (self.folder / f).exists()}
        try:
            self._write(changed)
            return self.patched(series)
        finally:
            self._write({file: self.release.texts[file] for file in changed})

    def examine(self, variant: Variant) -> tuple[str, list[str]]:
        """Apply the series to a variant and check the result.

        Returns:
            `kept`, `skipped` or `refused`, and the names of skipped or refused patches.
        """
        try:
            done = self.drifted(variant)
        except PatchDrift as error:
            self._check_refusal(error)
            return "refused", [error.patch]
        applied = tuple(p for p in self.wanted if p.name in done.patches.applied)
        self._check_names(done, applied)
        self._check_texts(done, {**self.texts, **variant.edit.texts}, applied)
        again = self.drifted(variant, applied)
        assert again.texts == done.texts, "a skipped patch left something"
        if variant.kind in SAME_TOKENS:
            assert not done.patches.skipped, done.patches.skipped
        if variant.edit.undo is not None:
            self._check_undone(variant.edit, done, self.patched(applied))
        self._check_functions(variant, done, applied)
        skipped = [one.name for one in done.patches.skipped]
        return ("skipped" if skipped else "kept"), skipped

    def _check_refusal(self, error: PatchDrift) -> None:
        """Check that a required patch is named, and the place that it wants."""
        patch = next(patch for patch in self.wanted if patch.name == error.patch)
        assert patch.class_ == "required"
        hunks = [hunk for hunk in patch.hunks if hunk.file == error.file]
        places = [f"{one.file}, in {one.inside}:" if one.inside else one.file for one in hunks]
        assert any(place in error.message for place in places)
        assert re.search(rf"patch {patch.name}, hunk \d+: ", error.message)

    def _check_names(self, done: Patched, applied: tuple[Patch, ...]) -> None:
        """Check that each patch is applied or skipped, with a reason that names its place."""
        skipped = {one.name: one for one in done.patches.skipped}
        names = [patch.name for patch in self.wanted]
        # A change can hide the text that makes a patch necessary (`needs`); it is then not wanted.
        hidden = {patch.name for patch in self.wanted if patch.needs is not None}
        assert set(names) - hidden <= {*done.patches.applied, *skipped} <= set(names)
        assert len(applied) == len(done.patches.applied)
        assert all(patch.class_ != "required" for patch in self.wanted if patch.name in skipped)
        for patch in self.wanted:
            if patch.name in skipped:
                reason = skipped[patch.name].reason
                lacks = [name for name in patch.requires if name in skipped]
                if lacks:
                    assert reason == f"it requires {', '.join(lacks)}, skipped"
                else:
                    assert reason.startswith(f"patch {patch.name}")
                    assert any(hunk.file in reason for hunk in patch.hunks)
                assert skipped[patch.name].message and not skipped[patch.name].asked

    def _check_texts(
        self, done: Patched, unpatched: dict[str, str], applied: tuple[Patch, ...]
    ) -> None:
        """Check that the lines of applied patches are there, and those of skipped ones are not."""
        for hunk, name in self.whole_hunks.items():
            if name in done.patches.applied:
                assert _lines(hunk.text) in _lines(done.texts[hunk.file]), (name, hunk)
        there = {line for text in unpatched.values() for line in text.splitlines()}
        there |= {line for p in applied for h in p.hunks for line in h.text.splitlines()}
        new = {line for text in done.texts.values() for line in text.splitlines()} - there
        names = {one.name for one in done.patches.skipped}
        for patch in self.wanted:
            for hunk in patch.hunks if patch.name in names else ():
                assert new.isdisjoint(hunk.text.splitlines()), (patch.name, hunk)

    @functools.cached_property
    def whole_hunks(self) -> dict[Hunk, str]:
        """Return the hunks whose text no later patch changes, and their patches."""
        return {
            hunk: patch.name
            for patch in self.wanted
            for hunk in patch.hunks
            if hunk.text.strip() and _lines(hunk.text) in _lines(self.base.texts[hunk.file])
        }

    def _check_undone(self, edit: SourceEdit, done: Patched, base: Patched) -> None:
        """Check that the variant's texts are the release's where the change is undone.

        Args:
            edit: The change.
            done: The patched variant.
            base: The release with the same patches.
        """
        for file, text in base.texts.items():
            assert _tokens(done.texts[file], edit.undo or ()) == _tokens(text, edit.undo or ()), (
                file
            )

    def _check_functions(self, variant: Variant, done: Patched, applied: tuple[Patch, ...]) -> None:
        """Check that each text is in the same function as in the release without drift."""
        names = {patch.name for patch in applied}
        renames = dict([variant.edit.renamed]) if variant.edit.renamed else {}
        for hunk, patch in self.whole_hunks.items():
            if patch not in names or hunk.action == "above":
                continue  # text above a function is in no function; the compiler checks its place
            function = self.homes[hunk]
            found = _functions_with(done.texts[hunk.file], hunk.text)
            if function is not None and found is not None:
                assert found == {renames.get(name, name) for name in function}, (patch, hunk)

    @functools.cached_property
    def homes(self) -> dict[Hunk, frozenset[str] | None]:
        """Return the function that contains each whole hunk's text."""
        return {
            hunk: _functions_with(self.base.texts[hunk.file], hunk.text)
            for hunk in self.whole_hunks
        }


@functools.lru_cache(maxsize=2000)
def _lines(text: str) -> str:
    return "\n" + "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


@functools.lru_cache(maxsize=600)
def _functions_with(text: str, part: str) -> frozenset[str] | None:
    """Return the names of the functions that have a text; None if some occurrence is in none."""
    whole = "\n".join(line.rstrip() for line in part.splitlines()) + "\n"
    at, found = text.find(whole), set()
    while at >= 0:
        function = function_at(text, at)
        if function is None:
            return None
        found.add(function.name)
        at = text.find(whole, at + 1)
    return frozenset(found) or None


@functools.lru_cache(maxsize=600)
def _tokens(text: str, undo: tuple[tuple[str, str], ...]) -> list[str]:
    code = code_of(text)
    for pattern, to in undo:
        code = re.sub(pattern, to, code)
    return re.findall(r"\w+|[^\s\w]", code.replace("\\\n", "\n"))


def _newest() -> str:
    release = newest_release()
    if not (paths.upstream_dir() / release / "py").is_dir():
        pytest.skip(f"{release} is not synced")
    return release


def test_some_variants(tmp_path: Path) -> None:
    laboratory = Laboratory(_release(_newest()), tmp_path)
    kinds = list(KINDS)[::2]
    made = [vary(laboratory.release, kind, seed) for seed, kind in enumerate(kinds)]
    states = Counter(laboratory.examine(one)[0] for one in made)
    assert states.total() == QUICK and states["kept"] >= QUICK // 2
    assert vary(laboratory.release, "split-line", 1) == vary(laboratory.release, "split-line", 1)


@pytest.mark.campaign("drift")
@pytest.mark.parametrize("name", synced_releases())
def test_variants(name: str, tmp_path: Path) -> None:
    """Check all variants.

    DRIFT_RESULTS names a folder for the counts by kind (docs/lab/drift.md).
    """
    laboratory = Laboratory(_release(name), tmp_path / "tree")
    rows = []
    for one in variants(laboratory.release, VARIANTS):
        state, patches = laboratory.examine(one)
        rows.append({"kind": one.kind, "seed": one.seed, "state": state, "patches": patches})
    if "DRIFT_RESULTS" in os.environ:
        file = Path(os.environ["DRIFT_RESULTS"]) / f"drift-{name}.json"
        file.write_text(json.dumps(rows, indent=1) + "\n")
    states = Counter(str(row["state"]) for row in rows)
    assert states["kept"] > VARIANTS // 2 and states["skipped"] > 0


@pytest.mark.campaign("drift")
def test_variants_are_c(tmp_path: Path) -> None:
    """The compiler accepts each changed unit of upstream, without and with the patches."""
    name = _newest()
    done = builds.shared("default")
    layout = Layout.of(name, done.sources)
    document = json.loads(layout.units.read_text())
    units = {unit["path"] for unit in document["units"]}
    flags = preprocessor_flags(layout, document["defines"])
    at = flags.index(str(layout.patched)) - 1
    before, after = [CC, "-fsyntax-only", "-w", *flags[:at]], flags[at + 2 :]
    laboratory = Laboratory(_release(name), tmp_path / "tree")
    refused: list[str] = []
    for number, one in enumerate(variants(laboratory.release, VARIANTS)):
        folders = [tmp_path / f"{number}-patched", tmp_path / f"{number}-upstream"]
        one.write(folders[1])
        with contextlib.suppress(PatchDrift):
            for file, text in laboratory.drifted(one).texts.items():
                (folders[0] / file).parent.mkdir(parents=True, exist_ok=True)
                (folders[0] / file).write_text(text, errors="surrogateescape")
        some = [file for file in one.edit.texts if file in units][:CHECKED]
        for over in (folders, folders[1:]) if folders[0].exists() else (folders[1:],):
            shown = [word for folder in over for word in ("-I", str(folder))]
            for file in some:
                source = next(path for path in (folder / file for folder in over) if path.exists())
                made = subprocess.run(
                    [*before, *shown, *after, "-Werror=implicit-function-declaration", source],
                    capture_output=True,
                    text=True,
                )
                if made.returncode:
                    refused.append(f"{one.kind} {one.seed}: {one.edit.description}\n{made.stderr}")
    assert not refused, "\n".join(refused)


@frozen
class Workshop:
    """A copy of a release into which variants are written, with a separate name and build."""

    release: Release
    tree: Path
    name: str
    sources: Path

    def build(self, variant: Variant) -> Build:
        """Bring the copy to a variant, take it as a release, and build it for the host."""
        files = [path.relative_to(self.tree) for path in self.tree.rglob("*.[ch]")]
        for file in map(Path.as_posix, files):
            if file not in self.release.texts:
                if not (self.release.root / file).exists():
                    (self.tree / file).unlink()  # a new file of the variant before
            elif (text := self.release.texts[file]) != (self.tree / file).read_text(
                errors="surrogateescape"
            ):
                (self.tree / file).write_text(text, errors="surrogateescape")
        variant.write(self.tree)
        sync(self.name, source=self.tree)
        return build(conformance_config(self.name, "host"), folder=self.sources, jobs=2)


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Workshop]]:
    """Make workshops, one for each release; only units that a variant changes are made again."""
    folder = tmp_path_factory.mktemp("drift")
    made: dict[str, Workshop] = {}

    def make(name: str) -> Workshop:
        if name not in made:
            release, tree = _release(name), folder / f"tree-{name}"
            copy_release(release.root, tree)
            basics = Path("tests/basics")
            shutil.copytree(release.root / basics, tree / basics, dirs_exist_ok=True)
            sources = folder / f"sources-{name}"
            made[name] = Workshop(release, tree, f"drift-{name}", sources)
        return made[name]

    write_lock(Lock(), folder / "lock.toml")
    for name in synced_releases():
        _release(name)  # read before PORTER_HOME is another folder
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PORTER_HOME", str(folder / "home"))
        patch.setattr(paths, "lock_file", lambda: folder / "lock.toml")
        yield make


def _to_build() -> list[ParameterSet]:
    """Return a release, a kind and a seed for each variant to build, with alternating kinds."""
    names, kinds = synced_releases(), list(KINDS)
    each = BUILT // max(1, len(names))
    return [
        pytest.param(
            name,
            kinds[(at * each + number) % len(kinds)],
            BUILT_SEED + number,
            marks=pytest.mark.xdist_group(f"drift {name}"),
        )
        for at, name in enumerate(names)
        for number in range(each)
    ]


@pytest.mark.campaign("drift")
@pytest.mark.parametrize(("name", "kind", "seed"), _to_build())
def test_built_variants_pass_basics(
    name: str, kind: str, seed: int, workshop: Callable[[str], Workshop], tmp_path: Path
) -> None:
    shop = workshop(name)
    laboratory = Laboratory(shop.release, tmp_path)
    for tried in itertools.count(seed, BUILT):
        variant = vary(shop.release, kind, tried)
        state, skipped = laboratory.examine(variant)
        if state != "refused":
            break
    done = shop.build(variant)
    assert [one.name for one in done.patches.skipped] == skipped, variant.edit.description
    assert _failing_basics(shop, done) == {}, variant.edit.description


def _failing_basics(shop: Workshop, done: Build) -> dict[str, str]:
    """Return the tests of upstream's `basics` that fail on a build, and why."""
    root = paths.upstream_dir() / shop.name
    config = conformance_config(shop.name, "host")
    runner = backends.open_runner("host", config, TIMEOUT, folder=done.folder)
    with children("host"):
        results = ConformanceSuite(
            root=root / "tests",
            tests=discover(root / "tests", ["basics"]),
            runner=runner,
            cpython=find_cpython(paths.build_dir() / "conformance" / "expected"),
            skips=load("host", skipped=backends.skipped_patches(runner)),
            library=file_images.modules(root, paths.templates_dir() / "frozen"),
            events=Events(),
        ).run()
    assert sum(result.verdict.value == "pass" for result in results) > 400
    return {result.test: result.reason for result in results if not result.good}
