"""The preprocess stage: run `cc -E` on every unit with the port's headers, parallel and cached.

A record of the inputs of each unit, by content, lets unchanged units be reused. Line markers in the
output have the project's paths, which are independent of this machine. Units that are empty after
preprocessing (drivers, emitters for other machines) are dropped.

Input: the generate stage's units. The rewrite stage reads the output.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from attrs import asdict, field, frozen

from porter.base import arguments, process
from porter.base.deprecated import renamed_arguments
from porter.base.documents import structured
from porter.base.files import read_sealed, write_sealed, write_whole
from porter.base.fingerprint import file_digest
from porter.base.progress import QUIET, ProgressReporter
from porter.errors import NotBuilt, PreprocessFailed, ToolFailed
from porter.generate.build_paths import Layout
from porter.generate.preprocessor import CC, preprocess_error, preprocessor_flags
from porter.generate.units import SourceUnit, UnitList
from porter.manifest import KeptFunction
from porter.preprocess.function_replacement import FoundBody, replace_functions

FORMAT = 4


@frozen
class CachedUnit:
    """The cache entry of a unit.

    Attributes:
        digest: The digest of the command and of `files`.
        files: All files that the preprocessor read.
        kept: Whether the unit has code.
        text: The SHA-256 of the preprocessed text; empty unless `kept`.
        bodies: The results of the unit's function replacements.
    """

    digest: str
    files: tuple[str, ...]
    kept: bool
    text: str = ""
    bodies: tuple[FoundBody, ...] = ()


def text_digest(path: Path) -> str:
    """Return the SHA-256 of a file; empty if the file is missing."""
    try:
        return file_digest(path)
    except OSError:
        return ""


@cache
def _file_digest(path: str, _times_and_size: tuple[int, ...]) -> str:
    return file_digest(Path(path))


def inputs_digest(command: Iterable[str], files: Iterable[str]) -> str | None:
    """Return a SHA-256 of `command` and of the contents of `files`; None if a file is missing."""
    digest = hashlib.sha256("\0".join(command).encode())
    for path in files:
        try:
            status = os.stat(path)
        except OSError:
            return None
        digest.update(f"\0{path}\0".encode())
        changing = status.st_mtime_ns, status.st_ctime_ns, status.st_size
        digest.update(_file_digest(path, changing).encode())
    return digest.hexdigest()


def read_cache(path: Path) -> dict[str, CachedUnit]:
    """Return the entries by unit name; empty if there is no readable cache."""
    document = read_sealed(path)
    if document is None or document.get("format") != FORMAT:
        return {}
    try:
        return structured(document.get("units"), dict[str, CachedUnit], path, NotBuilt)
    except NotBuilt:
        return {}


def write_cache(path: Path, entries: dict[str, CachedUnit]) -> None:
    """Write `entries` to `path` atomically, unless the file has them already."""
    units = {name: asdict(entry) for name, entry in sorted(entries.items())}
    write_sealed(path, {"format": FORMAT, "units": units})


def read_dependencies(path: Path) -> tuple[str, ...]:
    """Return the files in a makefile rule of `cc -MD`, without its target."""
    text = path.read_text(encoding="utf-8").replace("\\\n", " ")
    _, _, rest = text.partition(": ")
    names = rest.replace("\\ ", "\0").split()
    return tuple(name.replace("\0", " ") for name in names)


_FILE_MARKER = re.compile(r'# \d+ "((?:[^"\\]|\\.)*)"')


def has_code(text: str) -> bool:
    """Return whether a non-blank line of preprocessed `text` comes from a C file.

    Lines from headers do not count: a unit of declarations defines nothing. Lines of an included C
    file count.
    """
    in_source = False
    for line in text.splitlines():
        if line.startswith("#"):
            match = _FILE_MARKER.match(line)
            if match:
                in_source = match.group(1).endswith(".c")
        elif in_source and line.strip(" \t;"):
            return True
    return False


_LINE_MARKER = re.compile(r'^(# \d+ ")((?:[^"\\]|\\.)*)(".*)$', re.MULTILINE)


def project_names(layout: Layout) -> tuple[tuple[str, str], ...]:
    """Return pairs of a folder, ending in a slash, and its name in the project; innermost first.

    `upstream/1.26.1/py/vm.c`, `patched/1.26.1/py/compile.c`, `port/lifecycle.c`, `libc/string.h`,
    `genhdr/qstrdefs.generated.h`.
    """
    release = layout.upstream.name
    folders: Sequence[tuple[Path, str]] = (
        (layout.port, "port/"),
        (layout.frozen, "port/"),
        (layout.patched, f"patched/{release}/"),
        (layout.genhdr, "genhdr/"),
        (layout.libc, "libc/"),
        (layout.upstream, f"upstream/{release}/"),
        (layout.build, ""),
    )
    return tuple((f"{folder}/", name) for folder, name in folders)


def relative_markers(text: str, names: Sequence[tuple[str, str]]) -> str:
    """Return `text` with the paths of its line markers replaced according to `names`.

    The C++ made from it then does not depend on the folders of the project and the build.
    """

    def shorten(match: re.Match[str]) -> str:
        path = match[2]
        if path.startswith("/"):
            path = os.path.normpath(path)  # "lib/uzlib/../x.h", from an include beside the file
        for folder, name in names:
            if path.startswith(folder):
                return match[1] + name + path[len(folder) :] + match[3]
        return match[0]

    return _LINE_MARKER.sub(shorten, text)


@frozen
class Preprocessed:
    """A unit and the file of its preprocessed text.

    Attributes:
        unit: The unit.
        path: The preprocessed text.
        fresh: Whether this run wrote the file.
        bodies: The results of the unit's function replacements.
    """

    unit: SourceUnit
    path: Path = field(converter=arguments.as_path)
    fresh: bool
    bodies: tuple[FoundBody, ...] = ()


@renamed_arguments(tell="progress")
def preprocess(
    layout: Layout,
    units: UnitList,
    jobs: int | None = None,
    progress: ProgressReporter = QUIET,
    into: arguments.StrPath | None = None,
) -> list[Preprocessed]:
    """Write `pre/NAME.i` for every unit that has code; empty units are left out.

    Line markers stay in the text and use the project's names for files (preprocess_stage.py).

    Args:
        layout: The folders of the build.
        units: The result of the generate stage.
        jobs: The number of parallel compilers; None for one per core.
        progress: Receives progress reports.
        into: Replaces `pre/`. It must have no texts of units that are not in `units`.

    Raises:
        PreprocessFailed: The compiler reports an error; the message has its text.
    """
    folder = Path(into or layout.pre)
    folder.mkdir(parents=True, exist_ok=True)
    cache_path = folder / "cache.json"
    known_units = read_cache(cache_path)
    flags = preprocessor_flags(layout, units.defines)
    # A new patched file can shadow a file of upstream that a unit included. The cached list of
    # dependencies would not show this, so the names of all patched files are part of the key.
    ours = sorted(str(path) for path in layout.patched.rglob("*.[ch]"))
    key = [*flags, *ours]

    entries: dict[str, CachedUnit] = {}
    stale: list[SourceUnit] = []
    for unit in units.units:
        known = known_units.get(unit.name)
        if known is not None and _up_to_date(known, unit, [*key, *_asked(unit, units)], folder):
            entries[unit.name] = known
        else:
            stale.append(unit)
    if stale:
        progress.say(f"{layout.upstream.name}: preprocessing {len(stale)} units")
        with ThreadPoolExecutor(jobs or os.cpu_count() or 1) as pool:
            made = pool.map(
                lambda unit: _preprocess_unit(unit, units, flags, key, layout, folder), stale
            )
            for number, (unit, entry) in enumerate(zip(stale, made, strict=True), 1):
                entries[unit.name] = entry
                progress.step(number, len(stale))
    fresh = {unit.name for unit in stale}
    kept = {f"{name}.i" for name, entry in entries.items() if entry.kept}
    for path in folder.glob("*.i"):
        if path.name not in kept:
            path.unlink()
    write_cache(cache_path, entries)
    return [
        Preprocessed(unit, folder / f"{unit.name}.i", unit.name in fresh, entries[unit.name].bodies)
        for unit in units.units
        if entries[unit.name].kept
    ]


def kept_functions(
    layout: Layout, units: UnitList, texts: Iterable[Preprocessed]
) -> tuple[KeptFunction, ...]:
    """Return the functions of upstream that patches replace and that this release keeps.

    A function that only the configuration leaves out does not count.

    Args:
        layout: The build's folders.
        units: The units, with the replacements.
        texts: The result of `preprocess`.
    """
    found = {(body.file, body.function): body for text in texts for body in text.bodies}
    kept = []
    for one in units.replacements:
        body = found.get((one.file, one.function))
        if body is not None and body.known:
            continue
        if body is not None and body.digest:
            reason = f"whose body is new ({body.digest})"
        elif not _mentions(layout.source(one.file), one.function):
            reason = "which is not there"
        else:
            continue
        kept.append(KeptFunction(one.function, one.file, one.patch, one.without, reason))
    return tuple(kept)


def _mentions(path: Path, function: str) -> bool:
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return re.search(rf"\b{re.escape(function)}\s*\(", text) is not None


def _up_to_date(known: CachedUnit, unit: SourceUnit, key: list[str], into: Path) -> bool:
    if known.kept and text_digest(into / f"{unit.name}.i") != known.text:
        return False
    return inputs_digest([*key, unit.source], known.files) == known.digest


def _asked(unit: SourceUnit, units: UnitList) -> list[str]:
    """Return the function replacements of a unit, as text for the unit's digest."""
    return [repr(one) for one in units.replacements if one.file == unit.path]


def _preprocess_unit(
    unit: SourceUnit,
    units: UnitList,
    flags: list[str],
    key: list[str],
    layout: Layout,
    into: Path,
) -> CachedUnit:
    result = into / f"{unit.name}.i"
    beside, rule = result.with_suffix(".i.tmp"), result.with_suffix(".d")
    command: list[str | Path] = [CC, "-E", *flags, "-MD", "-MF", rule, unit.source, "-o", beside]
    try:
        process.run(command, timeout=300)
    except ToolFailed as error:
        beside.unlink(missing_ok=True)
        refused = preprocess_error(error.output, layout.upstream, unit.path)
        raise refused or PreprocessFailed(f"{unit.path}: {error.output or error}") from error
    files = tuple(sorted(set(read_dependencies(rule))))
    rule.unlink()
    digest = inputs_digest([*key, *_asked(unit, units), unit.source], files)
    if digest is None:
        raise PreprocessFailed(f"{unit.path}: an included file was deleted meanwhile")
    text = beside.read_text(encoding="utf-8", errors="surrogateescape")
    beside.unlink()
    kept = has_code(text)
    text, bodies = replace_functions(text, unit.path, units.replacements)
    if kept:
        text = relative_markers(text, project_names(layout))
        write_whole(result, text.encode("utf-8", "surrogateescape"))
    else:
        result.unlink(missing_ok=True)
    return CachedUnit(digest, files, kept, text_digest(result) if kept else "", bodies)
