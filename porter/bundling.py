"""Prepare finished builds for a wheel: `build.json`, the files that it lists, and licences.

Licence texts are taken from the release's tree, for compiled files only; `#line` directives in the
units name these.
"""

from __future__ import annotations

import json
import re
import shutil
from collections import defaultdict
from collections.abc import Collection, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from porter.base.files import SEAL, replace_folder, seal_of
from porter.base.paths import templates_dir
from porter.errors import FileProblem, NotBuilt, VerifyFailed
from porter.manifest import MANIFEST, manifest_of, read_document
from porter.verified import verified

LICENCES = "LICENSES.txt"
_USED = re.compile(r'^#line \d+ "(?:upstream|patched)/[^/"]+/([^"]+)"', re.MULTILINE)
_HEAD = re.compile(r"\s*((?:/\*.*?\*/\s*|//[^\n]*\n\s*)+)", re.DOTALL)
_IDENTIFIER = re.compile(r"SPDX-License-Identifier:\s*(\S+)")
_BSD = "BSD-3-Clause"


def write_bundle(
    build: Path, units: Path, tree: Path, out: Path, targets: Collection[str] | None = None
) -> Path:
    """Copy a finished build into `out`, with licences. PORTER_BUNDLE=OUT makes a wheel with it.

    Args:
        build: The build's folder, which may have targets of earlier builds.
        units: The folder of its rewritten C++.
        tree: The release's sources.
        out: The folder for bundles.
        targets: The targets to copy; None: all.

    Returns:
        The new folder, named as `build`.

    Raises:
        NotBuilt: The build is not finished, or lacks a target.
        BuildDamaged: A file differs from `build.json`.
        VerifyFailed: A licence has no text.
        FileProblem: `out` cannot be written.
    """
    document = read_document(build)
    for name in set(document["targets"]) - set(targets or document["targets"]):
        del document["targets"][name]
    for name in targets or ():
        if name not in document["targets"]:
            raise NotBuilt(f"{build}: it has no target {name}", hint="Run `porter build`.")
    manifest = manifest_of(document, build / MANIFEST)
    document[SEAL] = seal_of(document)
    for name, recorded in manifest.files.items():
        verified(build / name, recorded)
    text = licences(units, tree, manifest.release)
    try:
        out.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=f".{build.name}.", dir=out) as beside:
            made = Path(beside, build.name)
            for name in manifest.files:
                (made / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(build / name, made / name)
            text_of_manifest = json.dumps(document, indent=1, sort_keys=True) + "\n"
            (made / MANIFEST).write_text(text_of_manifest, encoding="utf-8")
            (made / LICENCES).write_text(text, encoding="utf-8")
            replace_folder(made, out / build.name)
    except OSError as error:
        raise FileProblem(f"{error.filename or out}: {error.strerror or error}") from error
    return out / build.name


def licences(units: Path, tree: Path, release: str) -> str:
    """Return the licences of all upstream files that the C++ in `units` was made from.

    Raises:
        VerifyFailed: The text of a licence is missing.
        FileProblem: A source is missing.
    """
    used = {name for unit in units.rglob("*.cpp") for name in _USED.findall(_read(unit))}
    parts = [
        f"These builds contain compiled code of MicroPython {release}, under this licence:\n",
        _read(tree / "LICENSE"),
        "Copyright of files under that licence:\n",
        "\n".join(sorted({line for name in used for line in _mit_lines(tree / name)})) + "\n",
    ]
    others = defaultdict(list)
    for name in sorted(used):
        head = _head(tree / name)
        if "The MIT License" not in head and re.search("copyright|licen", head, re.IGNORECASE):
            others[head].append(name)
    for head, names in others.items():
        parts.append(f"{', '.join(names)}:\n\n{head}\n")
    for name in sorted({name for head in others for name in _named(head)}):
        parts.append(f"{name}:\n\n{_text(name)}")
    return f"\n{'-' * 80}\n\n".join(parts)


def _named(head: str) -> Iterator[str]:
    """Yield the licences that a file's head names without their text."""
    yield from (found for found in _IDENTIFIER.findall(head) if found != "MIT")
    if "BSD-style" in head:
        yield _BSD


def _text(name: str) -> str:
    path = templates_dir() / "licences" / f"{name}.txt"
    if not re.fullmatch(r"[A-Za-z0-9.+-]+", name) or not path.is_file():
        raise VerifyFailed(
            f"there is no text of the licence {name}, which upstream's files name",
            hint="Put it into templates/licences.",
        )
    return _read(path)


def _mit_lines(path: Path) -> list[str]:
    head = _head(path)
    lines = re.findall(r"Copyright[^\n]*", head) if "The MIT License" in head else []
    return [line.strip(" */") for line in lines]


def _head(path: Path) -> str:
    """Return the comments at the start of a file."""
    match = _HEAD.match(_read(path))
    return match[1].strip() if match is not None else ""


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise FileProblem(f"{path}: {error.strerror}") from error
