"""The generate stage: port sources, generated headers and the list of units of one build.

A digest of everything that generation reads decides whether the stage must run again.

Called by porter/pipeline.py after the sync of the release; the preprocess stage follows.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from attrs import asdict

from porter.base import paths, process
from porter.base.deprecated import renamed_arguments
from porter.base.files import replace_folder
from porter.base.fingerprint import content_digest
from porter.base.progress import QUIET, ProgressReporter
from porter.config import BuildConfig
from porter.errors import NotBuilt, UnknownRelease
from porter.generate.build_paths import Layout
from porter.generate.frozen import FrozenFile, frozen_files
from porter.generate.genhdr import write_headers, write_version
from porter.generate.port import Wishes, render_port, template_values
from porter.generate.port_options import Wants, find_wants
from porter.generate.preprocessor import CC, preprocessor_flags
from porter.generate.units import (
    SourceLists,
    SourceUnit,
    UnitList,
    check_names,
    read_makefiles,
    read_units,
    unit_name,
    write_units,
)
from porter.patches import NOTHING, Patched, patched_files, refuse_skipped

# Folders of a release whose files reach units or generators, and the suffixes that are hashed.
LIBRARY_FOLDER = "lib"  # the lock's hash covers a part of this folder
UPSTREAM_FOLDERS = ("py", "extmod", "shared", LIBRARY_FOLDER, "tools")
SUFFIXES = frozenset({".c", ".h", ".mk", ".py", ".j2", ".md", ".inc"})


def tree_files(folders: Iterable[Path]) -> list[Path]:
    """Return the files below `folders` with one of SUFFIXES, sorted."""
    found = (p for folder in folders for p in folder.rglob("*") if p.suffix in SUFFIXES)
    return sorted(path for path in found if path.is_file())


def digest_of(folders: Iterable[Path], values: Mapping[str, object]) -> str:
    """Return a SHA-256 of `values` and of the names and contents of the files in `folders`."""
    digest = hashlib.sha256(json.dumps(values, sort_keys=True).encode())
    for path in tree_files(folders):
        digest.update(f"\0{path}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


@renamed_arguments(tell="progress")
def generate(
    config: BuildConfig,
    layout: Layout,
    progress: ProgressReporter = QUIET,
    *,
    strict: bool = False,
    unreadable: Mapping[str, str] | None = None,
) -> UnitList:
    """Bring `layout`'s port sources, genhdr and units.json up to date for `config`.

    Returns the existing list if inputs and outputs are unchanged.

    Args:
        config: The build.
        layout: Its folders.
        progress: Receives progress reports.
        strict: Whether a skipped patch that `config` does not leave out is an error.
        unreadable: Patches to skip because libclang cannot read the patched unit, with the
            reasons. None for the patches that an earlier run found with equal inputs.

    Raises:
        UnknownRelease: The release is not synced.
        PatchDrift: A required patch does not apply, or `strict` is set and any patch does not.
        GenerateFailed: Upstream's generators do not work with the port.
        FileProblem: A manifest or a frozen module cannot be read.
        UsageError: `config.skip_patches` has a wrong name, the manifest of `config.freeze` is
            invalid, or a frozen module has a name that it cannot have.
    """
    if not (layout.upstream / "py" / "mpconfig.h").is_file():
        raise UnknownRelease(
            f"release {config.release} is not in {layout.upstream.parent}",
            hint=f"Run `porter sync {config.release}`.",
        )
    try:
        known = read_units(layout.units)
    except NotBuilt:
        known = None
    files = frozen_files(config, layout.upstream)
    patched = patched_files(layout.upstream, config.release, skip=config.patches_to_skip)
    inputs = digest = _input_digest(config, layout, patched, files)
    if unreadable is None:
        unreadable = known.unreadable if known is not None and known.inputs == inputs else NOTHING
    if unreadable:
        patched = patched_files(
            layout.upstream, config.release, skip=config.patches_to_skip, unreadable=unreadable
        )
        digest = _input_digest(config, layout, patched, files)
    if strict:
        refuse_skipped(patched.patches.skipped)
    if known is not None and known.digest == digest and known.made == _made(layout):
        return known
    progress.say(f"{config.release}: generating headers and the list of units")
    layout.build.mkdir(parents=True, exist_ok=True)
    layout.units.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(prefix=".generate-", dir=layout.build) as folder:
        lists, wants = _generate_into(Path(folder), config, layout, patched, files)
    names = tuple(_units(lists, layout))
    units = UnitList(
        digest,
        lists.flags,
        names,
        _made(layout),
        wants,
        patched.patches,
        patched.replacements,
        inputs,
        dict(unreadable),
    )
    write_units(layout.units, units)
    return units


def _made(layout: Layout) -> str:
    return content_digest([layout.port, layout.patched, layout.genhdr])


def _input_digest(
    config: BuildConfig, layout: Layout, patched: Patched, files: Sequence[FrozenFile]
) -> str:
    folders = [layout.upstream / name for name in UPSTREAM_FOLDERS]
    templates = paths.templates_dir()
    folders += [templates / "port", templates / "libc"]
    folders.append(Path(__file__).resolve().parent)
    version = process.run([CC, "--version"]).stdout.splitlines()[0]
    values: dict[str, object] = {"cc": version, "release": config.release}
    values["patched"] = asdict(patched)
    values |= template_values(config, patched.patches.applied, frozen=bool(files))
    # The frozen modules' text does not count: porter/freeze reads it.
    values["modules"] = sorted({file.root for file in files})
    del values["powers_of_ten"]  # a function of `float`
    del values["elementary"]  # constants
    return digest_of(folders, values)


def _generate_into(
    scratch: Path,
    config: BuildConfig,
    layout: Layout,
    patched: Patched,
    files: Sequence[FrozenFile],
) -> tuple[SourceLists, Wants]:
    """Generate everything below `scratch`, then move it into `layout`."""
    new = Layout(scratch, layout.upstream)
    templates = paths.templates_dir()
    # The makefiles need mpconfigport.mk, which does not depend on what the release wants.
    values = template_values(config, patched.patches.applied, frozen=bool(files))
    render_port(templates / "port", values, new.port, Wishes())
    new.patched.mkdir()
    for path, text in patched.texts.items():
        (new.patched / path).parent.mkdir(parents=True, exist_ok=True)
        (new.patched / path).write_text(text, encoding="utf-8")
    lists = read_makefiles(layout.upstream, new.port)
    new.genhdr.mkdir()
    write_version(layout.upstream, config.release, new.genhdr)
    upstream = [new.source(path) for path in lists.upstream]
    wants = find_wants(values, new, templates / "port", lists.flags, upstream)
    sources = [new.source(path) for path in lists.qstr]
    sources += [new.port / name for name in lists.port]
    work = scratch / "work"
    work.mkdir()
    flags = preprocessor_flags(new, lists.flags)
    write_headers(layout.upstream, sources, flags, new.genhdr, work, files)
    layout.port.parent.mkdir(exist_ok=True)
    replace_folder(new.port, layout.port)
    replace_folder(new.patched, layout.patched)
    replace_folder(new.genhdr, layout.genhdr)
    return lists, wants


def _units(lists: SourceLists, layout: Layout) -> list[SourceUnit]:
    units = [
        SourceUnit(unit_name(path), path, str(layout.source(path)), "upstream")
        for path in lists.upstream
    ]
    for name in lists.port:
        path = f"port/{name}"
        units.append(SourceUnit(unit_name(path), path, str(layout.port / name), "port"))
    for file in sorted(layout.libc.glob("*.c")):
        path = f"libc/{file.name}"
        units.append(SourceUnit(unit_name(path), path, str(file), "libc"))
    check_names(units)
    return units
