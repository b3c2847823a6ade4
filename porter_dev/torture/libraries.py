"""Rewrite real C libraries to C++ and compare the behaviour of their tests with the C build."""

from __future__ import annotations

import hashlib
import re
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from attrs import frozen

from porter.base import paths, process
from porter.base.documents import read_toml, structured
from porter.base.locks import locked
from porter.compile.flags import COMMON_CXX
from porter.errors import SyncFailed, ToolFailed, TortureFailed, UsageError
from porter.rewrite.rewrite_stage import rewrite
from porter.rewrite.spelling import ATTRIBUTE
from porter.sync.apt import private_apt
from porter.sync.archives import unpack
from porter_dev.torture.batch import C_FLAGS, HARNESS

TIMEOUT = 600.0  # seconds
_MARKER = re.compile(r'^# \d+ "[^\n]*"([ \d]*)$', re.MULTILINE)
_ADDRESS = re.compile(r"0x[0-9a-f]{6,}")
_SYSTEM = "3"  # flag of a line marker: the text comes from a system header
# Attributes of system headers that matter for layout or control flow; all others are removed.
_KEPT = re.compile(r"mode|aligned|packed|vector_size|transparent_union|noreturn")
# libclang knows neither gcc 11's attributes nor gcc's extended float types. No library here uses
# either, so the preprocessor claims to be gcc 10 and maps these types to standard ones.
_AS_OLD_GCC = (
    "-U__GNUC__",
    "-D__GNUC__=10",
    "-D_Float128=long double",
    "-D_Float64x=long double",
    "-D_Float64=double",
    "-D_Float32x=double",
    "-D_Float32=float",
)


@frozen
class Library:
    """A recipe of libraries.toml; its comments describe the keys.

    Attributes:
        name: Name of the recipe.
        package: Source package of the distribution.
        units: Patterns of the C files, relative to the package's folder, as all patterns here.
        include: Include folders.
        runs: Command lines of the built program, run in this order.
        defines: Macros to define.
        without: Patterns of C files to leave out.
        input: File that the runs find as `input`; "" for none.
    """

    name: str
    package: str
    units: tuple[str, ...]
    include: tuple[str, ...]
    runs: tuple[tuple[str, ...], ...]
    defines: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    input: str = ""

    def sources(self, root: Path) -> dict[str, Path]:
        """Return the units, each under a name without slashes."""
        found = {path for pattern in self.units for path in root.glob(pattern)}
        found -= {path for pattern in self.without for path in root.glob(pattern)}
        if not found:
            raise TortureFailed(f"{self.name}: no units in {root}")
        return {path.relative_to(root).as_posix().replace("/", "_"): path for path in sorted(found)}


def recipes() -> dict[str, Library]:
    """Read all recipes of libraries.toml, by name."""
    path = Path(__file__).with_name("libraries.toml")
    tables = structured(read_toml(path, UsageError), dict[str, dict[str, Any]], path, UsageError)
    return {
        name: structured({"name": name, **table}, Library, f"{path}: {name}", UsageError)
        for name, table in tables.items()
    }


def examine_library(name: str, jobs: int | None = None) -> tuple[int, int]:
    """Rewrite a library, build it as C and as C++, and compare all runs.

    Returns:
        The number of units and the number of runs.

    Raises:
        UsageError: No recipe has that name.
        SyncFailed: The distribution lacks the source package.
        UnknownConstruct: A rule rejects a construct of the library.
        TortureFailed: g++ rejects the C++, or a run behaves differently from the C build.
    """
    library = recipes().get(name)
    if library is None:
        raise UsageError(f"no recipe of {name}", hint=f"Known: {', '.join(recipes())}.")
    root = fetched(library.package)
    out = paths.build_dir() / "libraries" / f"{name}-built"
    out.mkdir(parents=True, exist_ok=True)
    sources = library.sources(root)
    options = [*(f"-I{root / path}" for path in library.include)]
    options += [f"-D{define}" for define in library.defines]
    _build_c(sources, options, out)
    _build_cxx(sources, options, out, jobs)
    as_c, as_cxx = (_results(out / program, library, root) for program in ("as_c", "as_cxx"))
    for run, left, right in zip(library.runs, as_c, as_cxx, strict=True):
        if left != right:
            raise TortureFailed(f"{name} {' '.join(run)}: {_first_difference(left, right)}")
    return len(sources), len(library.runs)


def fetched(package: str) -> Path:
    """Return the folder of a source package's upstream sources; fetch them on first use."""
    folder = paths.build_dir() / "libraries" / package
    folder.parent.mkdir(parents=True, exist_ok=True)
    with locked(folder.parent / "lock"):
        if not folder.is_dir():
            with TemporaryDirectory(
                dir=folder.parent, prefix=f".{package}-", ignore_cleanup_errors=True
            ) as name:
                stage = Path(name)
                unpack(_tarball(package, stage), stage / "tree").rename(folder)
    return folder


def _tarball(package: str, stage: Path) -> Path:
    with private_apt() as apt:
        for number, version in enumerate(apt.versions(package)):
            try:  # package lists of newer suites may name files that the mirror has dropped
                return apt.fetch(version, stage / str(number), package)
            except ToolFailed:
                continue
    raise SyncFailed(f"the distribution has no source package {package}")


def _build_c(sources: dict[str, Path], options: list[str], out: Path) -> None:
    command: list[str | Path] = ["gcc", *C_FLAGS, "-O1", *options, *sources.values()]
    process.run([*command, "-o", out / "as_c", "-lm"], timeout=TIMEOUT, env={"LC_ALL": "C"})


def _build_cxx(sources: dict[str, Path], options: list[str], out: Path, jobs: int | None) -> None:
    templates = paths.templates_dir()
    include = out / "include"  # setjmp.h is the rules' own; all other headers are the system's
    include.mkdir(exist_ok=True)
    shutil.copy(templates / "libc/setjmp.h", include)
    front = ["gcc", "-E", "-std=gnu99", f"-I{include}", *_AS_OLD_GCC, "-Dmain=porter_main"]
    units = {}
    for name, source in sources.items():
        text = process.run([*front, *options, source], timeout=TIMEOUT).stdout
        units[name] = out / f"{name}.i"
        units[name].write_text(without_promises(text))
    rewrite(units, out / "cxx", jobs=jobs, saturate=False)
    command: list[str | Path] = ["g++", *COMMON_CXX, "-O1", f"-I{out / 'cxx'}"]
    command += [f"-I{templates}/runtime", *sorted((out / "cxx").glob("*.cpp"))]
    command += [HARNESS / "main.cpp", "-o", out / "as_cxx", "-lm"]
    try:
        process.run(command, timeout=TIMEOUT, env={"LC_ALL": "C"})
    except ToolFailed as error:
        raise TortureFailed(f"g++ refuses the C++: {error.output or error}") from error


def without_promises(text: str) -> str:
    """Remove the optimisers' attributes of system headers from preprocessed C.

    Line numbers stay the same.
    """
    parts: list[str] = []
    position, system = 0, False
    for marker in [*_MARKER.finditer(text), None]:
        part = text[position : marker.start() if marker else len(text)]
        parts.append(ATTRIBUTE.sub(_kept, part) if system else part)
        if marker:
            position, system = marker.start(), _SYSTEM in marker[1].split()
    return "".join(parts)


def _kept(attribute: re.Match[str]) -> str:
    return attribute[0] if _KEPT.search(attribute[1]) else "\n" * attribute[0].count("\n")


@frozen
class _Result:
    """The result of a run: exit status, output without addresses, hashes of the files it wrote."""

    status: int
    printed: str
    files: dict[str, str]


def _results(program: Path, library: Library, root: Path) -> list[_Result]:
    """Run all command lines in one folder, which also holds the library's input."""
    scripts = HARNESS / "scripts"
    results = []
    with TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(program, folder / "program")  # one name for both builds: outputs contain it
        if library.input:
            shutil.copy(root / library.input, folder / "input")
        for run in library.runs:
            words = ["./program", *(word.format(scripts=scripts) for word in run)]
            done = process.run(words, cwd=folder, timeout=TIMEOUT, check=False, input="")
            files = {
                path.name: hashlib.sha256(path.read_bytes()).hexdigest()
                for path in sorted(folder.iterdir())
                if path.name != "program"
            }
            results.append(_Result(done.returncode, _ADDRESS.sub("0x", done.output), files))
    return results


def _first_difference(as_c: _Result, as_cxx: _Result) -> str:
    if as_c.status != as_cxx.status:
        return f"exits with {as_c.status} as C, {as_cxx.status} as C++: {as_cxx.printed[-500:]}"
    if as_c.printed == as_cxx.printed:
        return f"leaves {as_c.files} as C and {as_cxx.files} as C++"
    pairs = zip(as_c.printed.splitlines(), as_cxx.printed.splitlines(), strict=False)
    left, right = next((pair for pair in pairs if pair[0] != pair[1]), ("more", "less or more"))
    return f"prints {left!r} as C and {right!r} as C++"
