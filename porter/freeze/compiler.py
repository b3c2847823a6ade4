"""Compile Python modules to bytecode with the compiler of a build, on this machine.

Upstream freezes modules with mpy-cross, an executable that a source package does not carry. Its
grammar and numbers lack the port's patches. Here the compiler is the port itself: all preprocessed
units, compiled as plain C (templates/reference). This takes seconds, because nothing is rewritten
or optimized. Executables and bytecode are stored by content, so a change of one module compiles one
module.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from attrs import frozen

from porter import toolchain
from porter.base import paths, process
from porter.base.files import replacing, write_whole
from porter.base.locks import locked
from porter.base.progress import QUIET, ProgressReporter
from porter.errors import BuildFailed, ToolFailed, UsageError
from porter.freeze.mpy import CodeProblem, mpy_of
from porter.generate.frozen import FrozenFile
from porter.generate.genhdr import TABLE
from porter.preprocess import Preprocessed

# Options that compile preprocessed units as plain C. -fno-strict-aliasing: upstream type-puns
# through void **, although upstream's builds lack the option.
PLAIN_C = ("-std=gnu99", "-fno-builtin", "-fno-strict-aliasing", "-w")
_C_FLAGS = (*PLAIN_C, "-O0")
_CXX_FLAGS = ("-std=c++17", "-w", "-O0")
# Without the frozen unit, the last constant pool of qstrs is upstream's last one.
_LINK_FLAGS = ("-Wl,--defsym=mp_qstr_frozen_const_pool=mp_qstr_const_pool",)
_MAIN = ("reference.cpp", "nothing_frozen.c")
_HEAP = 64 << 20  # bytes; a module of 10,000 lines takes 20 MB
_STACK = 4 << 20  # bytes of C stack for the compiler's recursion
_SECONDS = 60  # for one module
_PLACE = re.compile(r'^  File "(?:[^"\\]|\\.)*", line (\d+)', re.MULTILINE)

# templates/libc/setjmp.h has two forms: the rewriter's, and the one of the host's library.
_HOST_SETJMP = (
    (re.compile(r"\bunsigned long mark;"), "unsigned long words[32];"),
    (
        re.compile(r"\bint setjmp\(jmp_buf buffer\);"),
        "__attribute__((returns_twice)) int _setjmp(jmp_buf buffer);",
    ),
    (re.compile(r"\bsetjmp\("), "_setjmp("),
    (re.compile(r"\bporter_longjmp\b"), "longjmp"),
)


@frozen
class ModuleCompiler:
    """An executable that compiles Python modules for one build, and its stored results."""

    folder: Path

    @property
    def executable(self) -> Path:
        """The executable."""
        return self.folder / "compiler"

    def compile(self, file: FrozenFile) -> Path:
        """Return the file with the bytecode of `file`, in upstream's .mpy format.

        Raises:
            UsageError: The module has a syntax error, or is too large.
            BuildFailed: The compiler fails.
        """
        content = hashlib.sha256(f"{file.name}\0".encode() + file.content).hexdigest()[:32]
        stored = self.folder / f"{content}.mpy"
        if stored.is_file():
            return stored
        with tempfile.TemporaryDirectory(prefix="porter-freeze-") as scratch:
            source, code = Path(scratch) / "source", Path(scratch) / "code"
            source.write_bytes(file.content)
            try:
                done = process.run(
                    [
                        self.executable, "--heap", str(_HEAP), "--stack", str(_STACK),
                        "--timeout", str(_SECONDS), "--name", file.name,
                        "--compile", code, source,
                    ],
                    timeout=2 * _SECONDS,
                    check=False,
                )  # fmt: skip
            except ToolFailed as error:
                raise BuildFailed(f"{file.path}: {error}") from error
            if done.returncode != 0 or not code.is_file():
                raise _refused(file, done)
            try:
                write_whole(stored, mpy_of(code.read_bytes(), file.name))
            except CodeProblem as error:
                raise BuildFailed(f"{file.path}: {error}") from error
        return stored


def _refused(file: FrozenFile, done: process.Completed) -> UsageError | BuildFailed:
    """Return the error for a module that the compiler did not compile."""
    lines = done.stderr.strip().splitlines()
    if done.returncode < 0 or not lines:
        return BuildFailed(
            f"{file.path}: the compiler of frozen modules ended with status {done.returncode}"
            + (f": {lines[-1]}" if lines else "")
        )
    place = _PLACE.search(done.stderr)
    line = f":{place[1]}" if place else ""
    return UsageError(
        f"{file.path}{line}: {lines[-1]}", hint="The module is frozen into the build."
    )


def compiler_of(
    texts: Sequence[Preprocessed],
    port: Path,
    genhdr: Path,
    jobs: int | None = None,
    progress: ProgressReporter = QUIET,
) -> ModuleCompiler:
    """Return the compiler that the preprocessed units `texts` are, and make it if it is missing.

    Args:
        texts: All units of the build but the frozen one.
        port: The folder of the port's sources.
        genhdr: The folder of the generated headers.
        jobs: The number of parallel compilers; None for one per core.
        progress: Receives progress reports.

    Raises:
        NoCompiler: There is no g++.
        BuildFailed: A compiler or the linker fails.
    """
    gxx = toolchain.gxx()
    templates = paths.templates_dir()
    mains = [templates / "reference" / name for name in _MAIN]
    beside = [templates / "runtime" / n for n in ("libm.inc", "words.inc", "atomics.inc")]
    beside += [port / name for name in ("hooks.h", "interp.h")]
    beside += [genhdr / TABLE]
    digest = hashlib.sha256(repr((gxx.version, _C_FLAGS, _CXX_FLAGS, _LINK_FLAGS)).encode())
    for path in (*mains, *beside, *(text.path for text in texts), Path(__file__)):
        digest.update(f"{path.name}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
    folder = paths.build_dir() / "freezer" / digest.hexdigest()[:16]
    compiler = ModuleCompiler(folder)
    if compiler.executable.is_file():
        return compiler
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder / "lock", progress.say), tempfile.TemporaryDirectory(dir=folder) as scratch:
        if not compiler.executable.is_file():
            _make(
                compiler.executable, texts, mains, port, genhdr, Path(scratch), jobs, progress
            )  # fmt: skip
    return compiler


def _make(
    executable: Path,
    texts: Sequence[Preprocessed],
    mains: Sequence[Path],
    port: Path,
    genhdr: Path,
    scratch: Path,
    jobs: int | None,
    progress: ProgressReporter,
) -> None:
    gxx = str(toolchain.gxx().path)
    cache = toolchain.compiler_cache()
    progress.say(f"compiling {len(texts)} units for the compiler of frozen modules")

    def unit(text: Preprocessed) -> Path:
        source, made = scratch / f"{text.unit.name}.i", scratch / f"{text.unit.name}.o"
        source.write_text(host_setjmp(_read(text.path)), "utf-8", "surrogateescape")
        command = [*cache, gxx, "-x", "cpp-output", *_C_FLAGS, "-c", str(source), "-o", str(made)]
        _run(command, text.unit.path)
        return made

    def main(path: Path) -> Path:
        made = scratch / f"{path.name}.o"
        flags = _CXX_FLAGS if path.suffix == ".cpp" else ("-x", "c", *_C_FLAGS)
        runtime = paths.templates_dir() / "runtime"
        command = [*cache, gxx, *flags, "-I", str(port), "-I", str(runtime), "-I", str(genhdr)]
        _run([*command, "-c", str(path), "-o", str(made)], path.name)
        return made

    objects: list[Path] = []
    with ThreadPoolExecutor(jobs or os.cpu_count() or 1) as pool:
        for number, made in enumerate(pool.map(unit, texts), 1):
            objects.append(made)
            progress.step(number, len(texts))
        objects += pool.map(main, mains)
    with replacing(executable) as beside:
        _run([gxx, "-s", *map(str, objects), *_LINK_FLAGS, "-o", str(beside)], executable.name)


def host_setjmp(text: str) -> str:
    """Return the preprocessed unit `text` with the host's setjmp in the place of the rewriter's."""
    if "jmp_buf" not in text:
        return text
    for pattern, replacement in _HOST_SETJMP:
        text = pattern.sub(replacement, text)
    return text


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="surrogateescape")


def _run(command: Sequence[str], what: str) -> None:
    try:
        process.run(command, timeout=600)
    except ToolFailed as error:
        raise BuildFailed(f"{what}: {error.output or error}") from error
