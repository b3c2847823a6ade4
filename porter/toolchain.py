"""The compilers and disassemblers of this machine, and the environment of sanitized builds.

Compilers are g++, nvcc and the CUDA tools, on PATH or inside Python wheels. A process that loads a
host twin with AddressSanitizer needs the sanitizer's library preloaded.

The sanitizer must be preloaded, since it has to be in place before the first allocation. A running
process cannot load it later, so commands start a child process.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from attrs import field, frozen

from porter.base import arguments
from porter.base.process import run
from porter.errors import NoCompiler, NoNvcc, PorterError, ToolMissing

# Folders of programs below `nvidia/` in site-packages. CUDA 13's wheels (nvidia-cuda-nvcc and
# others) share the folder cu13; CUDA 12's wheels have a folder per package.
WHEEL_FOLDERS = ("cu[0-9]*/bin", "*/bin")

# The wheel that contains each tool.
_PACKAGES = {
    "cuobjdump": "nvidia-cuda-cuobjdump",
    "nvdisasm": "nvidia-cuda-nvdisasm",
    "fatbinary": "nvidia-cuda-nvcc",
}

MINIMUM_GXX = (11, 0)
MINIMUM_NVCC = (12, 8)


@frozen
class Tool:
    """A program and its version; `origin` is `PATH`, `wheel`, or the variable that names it."""

    path: Path = field(converter=arguments.as_path)
    version: str
    origin: str

    @property
    def numbers(self) -> tuple[int, ...]:
        """The version as numbers, for comparison."""
        return tuple(int(part) for part in re.findall(r"\d+", self.version))


@functools.cache
def gxx() -> Tool:
    """Find `g++`: $PORTER_CXX, else PATH.

    Raises:
        NoCompiler: There is no g++, or it is too old.
    """
    hint = "Install g++ 11 or newer (Debian, Ubuntu: apt-get install g++), or set PORTER_CXX."
    found = _find("g++", "PORTER_CXX", wheels=False)
    if found is None:
        raise NoCompiler("no g++ on this machine", hint=hint)
    path, origin = found
    version = _version(path, r"(\d+\.\d+\.\d+)", "-dumpfullversion")
    if version is None:
        raise NoCompiler(f"{path} does not work as g++", hint=hint)
    tool = Tool(path, version, origin)
    if tool.numbers < MINIMUM_GXX:
        raise NoCompiler(f"{path} is g++ {version}, which is too old", hint=hint)
    return tool


def compiler_cache() -> tuple[str, ...]:
    """Return the compiler cache to put before a `g++ -c` command, as words of the command.

    `ccache` finds objects by the content of their preprocessed source and by their flags, so
    compiling a known unit again costs a lookup. It does not cache `nvcc -ptx`.

    Returns:
        `$PORTER_CCACHE`, if it names a program; else `ccache`, if it is on PATH; else nothing. An
        empty `$PORTER_CCACHE` turns the cache off.
    """
    named = os.environ.get("PORTER_CCACHE", "ccache")
    found = shutil.which(named) if named else None
    return (found,) if found else ()


@functools.cache
def nvcc() -> Tool:
    """Find `nvcc`: $PORTER_NVCC, else PATH, else the wheel.

    Raises:
        NoNvcc: There is no nvcc, or it is too old.
    """
    hint = (
        "Install the CUDA toolkit, or `python -m pip install 'gpusnek-porter[cuda]'`, or set "
        "PORTER_NVCC; `--target host` needs none."
    )
    found = _find("nvcc", "PORTER_NVCC")
    if found is None:
        raise NoNvcc("no nvcc on PATH or among the Python packages", hint=hint)
    path, origin = found
    version = _version(path, r"V(\d+\.\d+\.\d+)", "--version")
    if version is None:
        raise NoNvcc(f"{path} does not work as nvcc", hint=hint)
    tool = Tool(path, version, origin)
    if tool.numbers < MINIMUM_NVCC:
        raise NoNvcc(f"{path} is nvcc {version}, which is too old", hint=hint)
    return tool


@functools.cache
def cuda_tool(name: str) -> Tool:
    """Find `cuobjdump`, `nvdisasm` or `fatbinary`: on PATH, beside nvcc, or in a wheel.

    Raises:
        ToolMissing: There is none.
    """
    found = _find(name, f"PORTER_{name.upper()}")
    if found is None and (beside := _beside_nvcc(name)) is not None:
        found = beside, "beside nvcc"
    if found is None:
        raise ToolMissing(
            f"no {name} on PATH or among the Python packages",
            hint=f"`python -m pip install 'gpusnek-porter[cuda]'` brings {_PACKAGES[name]}.",
        )
    path, origin = found
    return Tool(path, _version(path, r"V(\d+\.\d+\.\d+)", "--version") or "?", origin)


def programs(host: bool, cuda: bool) -> tuple[Path, ...]:
    """Return the compilers of a build for these targets, without checking their versions."""
    wanted = [("cc", "", False)]
    wanted += [("g++", "PORTER_CXX", False)] if host else []
    wanted += [("nvcc", "PORTER_NVCC", True)] if cuda else []
    found = (_find(name, variable, wheels=wheels) for name, variable, wheels in wanted)
    return tuple(one[0].resolve() for one in found if one is not None)


def _find(name: str, variable: str, *, wheels: bool = True) -> tuple[Path, str] | None:
    named = os.environ.get(variable)
    if named:
        path = shutil.which(named)
        return (Path(path), f"${variable}") if path else None
    on_path = shutil.which(name)
    if on_path:
        return Path(on_path), "PATH"
    for folder in _wheel_folders() if wheels else ():
        if os.access(folder / name, os.X_OK):
            return folder / name, "wheel"
    return None


def _wheel_folders() -> Iterator[Path]:
    spec = importlib.util.find_spec("nvidia")  # a namespace package: a folder per site-packages
    for site in (spec.submodule_search_locations or ()) if spec else ():
        for pattern in WHEEL_FOLDERS:
            yield from sorted(Path(site).glob(pattern), reverse=True)


def _beside_nvcc(name: str) -> Path | None:
    # nvcc on PATH may be a wrapper script. A dry run prints the folder of the real nvcc.
    try:
        dry = run([nvcc().path, "--dryrun", "-E", "-x", "cu", "/dev/null"], timeout=60.0)
    except PorterError:
        return None
    match = re.search(r"_HERE_=(.+)", dry.output)
    tool = Path(match[1].strip()) / name if match else None
    return tool if tool is not None and os.access(tool, os.X_OK) else None


def _version(path: Path, pattern: str, option: str) -> str | None:
    try:
        done = run([path, option], timeout=60.0, check=False)
    except PorterError:
        return None
    match = re.search(pattern, done.stdout)
    return match[1] if match and done.returncode == 0 else None


# The collector scans stacks, so variables must not live in AddressSanitizer's fake stack. Leaks of
# the Python that loads the host twin are not reported.
OPTIONS = {
    "ASAN_OPTIONS": "detect_stack_use_after_return=0:detect_leaks=0:abort_on_error=1",
    "UBSAN_OPTIONS": "print_stacktrace=1:abort_on_error=1",
}


def environment() -> dict[str, str]:
    """Return variables for a child that loads an `asan` host twin. Raises ToolMissing."""
    name = "libasan.so"
    path = Path(run([gxx().path, f"-print-file-name={name}"]).stdout.strip())
    if not path.is_absolute():  # g++ prints the bare name of a library that it does not have
        raise ToolMissing(
            f"no {name} beside g++",
            hint="Install it (Debian: the libasan package of your g++'s version).",
        )
    # The name may be a link or a linker script; LD_PRELOAD needs the library itself.
    return {"LD_PRELOAD": str(path.resolve()), **OPTIONS}


@contextmanager
def children(target: str) -> Iterator[None]:
    """Let processes started inside load the host twin `target`, if it is a sanitized one."""
    if not target.endswith("-asan"):
        yield
        return
    added = environment()
    before = {name: os.environ.get(name) for name in added}
    os.environ.update(added)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


__all__ = ["Tool", "compiler_cache", "cuda_tool", "gxx", "nvcc", "programs"]
