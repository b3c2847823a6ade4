"""The list of units, which the generate stage writes and the later stages read.

`make` evaluates upstream's makefiles, which have the list of sources.
"""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Mapping
from pathlib import Path

from attrs import asdict, frozen

from porter.base import arguments, process
from porter.base.documents import structured
from porter.base.files import read_sealed, write_sealed
from porter.errors import GenerateFailed, NotBuilt, ToolMissing
from porter.generate.port_options import Wants
from porter.manifest import NO_PATCHES, Patches, patches_document
from porter.patches import NOTHING, FunctionReplacement

_MARK = "porter:"

# Includes upstream's makefiles as a port's Makefile does. MICROPY_MPYCROSS keeps py.mk from
# searching for mpy-cross, which a source package does not have.
_MAKEFILE = """\
BUILD := build
MICROPY_MPYCROSS := mpy-cross
include {port}/mpconfigport.mk
include {upstream}/py/mkenv.mk
include {upstream}/py/py.mk
include {upstream}/extmod/extmod.mk
$(info {mark}objects $(filter-out $(PORT_REPLACES:%.c=$(BUILD)/%.o),$(PY_O)))
$(info {mark}qstr $(SRC_QSTR))
$(info {mark}port $(SRC_C))
$(info {mark}shared $(SRC_SHARED_C))
$(info {mark}flags $(CFLAGS_EXTMOD) $(CFLAGS_THIRDPARTY))
.PHONY: porter-nothing
porter-nothing: ;
"""


@frozen
class SourceLists:
    """The lists of upstream's makefiles, in their order; paths are relative to the release's root.

    Attributes:
        upstream: Every C file of the build, without the files in the port's PORT_REPLACES.
        qstr: The files whose qstrs are collected.
        port: Files of the port's folder.
        flags: -D options of the preprocessor.
    """

    upstream: tuple[str, ...]
    qstr: tuple[str, ...]
    port: tuple[str, ...]
    flags: tuple[str, ...]


def read_makefiles(upstream: Path, port: Path) -> SourceLists:
    """Evaluate upstream's makefiles with the variables of the port's mpconfigport.mk.

    Args:
        upstream: The release's folder.
        port: The port's folder.

    Raises:
        ToolMissing: There is no make.
        GenerateFailed: The makefiles lack an expected file or list.
    """
    for needed in ("py/mkenv.mk", "py/py.mk", "extmod/extmod.mk"):
        if not (upstream / needed).is_file():
            raise GenerateFailed(f"{upstream / needed} is missing", hint="Sync the release again.")
    with tempfile.TemporaryDirectory(prefix="porter-make-") as folder:
        makefile = Path(folder) / "Makefile"
        makefile.write_text(_MAKEFILE.format(port=port, upstream=upstream, mark=_MARK))
        try:
            done = process.run(
                ["make", "-s", "-r", "-f", makefile, "porter-nothing"],
                cwd=folder,
                env={"MAKEFLAGS": "", "BUILD_VERBOSE": "0"},
                timeout=120,
            )
        except ToolMissing as error:
            raise ToolMissing(
                "make is not installed; upstream's makefiles say what to compile",
                hint="Install make (Debian: apt-get install make).",
            ) from error
    lists: dict[str, list[str]] = {}
    for line in done.stdout.splitlines():
        if line.startswith(_MARK):
            name, _, rest = line[len(_MARK) :].partition(" ")
            lists[name] = shlex.split(rest, posix=True)
    return _checked(lists, upstream)


def _checked(lists: dict[str, list[str]], upstream: Path) -> SourceLists:
    objects = [_source_of(name) for name in lists.get("objects", [])]
    sources = _unique([path for path in objects if path] + lists.get("shared", []))
    if not sources:
        raise GenerateFailed(f"{upstream}: py/py.mk and extmod/extmod.mk list no sources (PY_O)")
    missing = [path for path in sources if not (upstream / path).is_file()]
    if missing:
        raise GenerateFailed(
            f"{upstream}: the makefiles list files that are not there: " + ", ".join(missing)
        )
    qstr = _unique(lists.get("qstr", []) + lists.get("shared", []))
    flags = tuple(flag for flag in lists.get("flags", []) if flag.startswith("-D"))
    return SourceLists(tuple(sources), tuple(qstr), tuple(lists.get("port", [])), flags)


def _source_of(object_path: str) -> str:
    """Return the source of an object: `build/py/vm.o` -> `py/vm.c`."""
    return object_path.removeprefix("build/").removesuffix(".o") + ".c"


def _unique(items: list[str]) -> list[str]:
    return list(dict.fromkeys(items))


FORMAT = 6
NO_WANTS = Wants()


@frozen
class SourceUnit:
    """A C file to preprocess.

    Attributes:
        name: A unique name that is safe as a file name (`py_vm`).
        path: The name in messages (`py/vm.c`).
        source: The file to read.
        origin: `upstream`, `port` or `libc`.
    """

    name: str
    path: str
    source: str
    origin: str


@frozen
class UnitList:
    """All units of a build, and the digests that show whether the list is up to date.

    Attributes:
        digest: The digest of all inputs.
        defines: -D options of every unit.
        units: The units.
        made: The digest of the generated files.
        wants: The options that the release refuses and the hooks that it defines.
        patches: The applied patches and the skipped patches.
        replacements: The functions that preprocessing replaces.
        inputs: The digest of the inputs before `unreadable` patches were removed.
        unreadable: Patches that were skipped because libclang cannot read the patched unit, with
            the reasons; valid for `inputs`.
    """

    digest: str
    defines: tuple[str, ...]
    units: tuple[SourceUnit, ...]
    made: str = ""
    wants: Wants = NO_WANTS
    patches: Patches = NO_PATCHES
    replacements: tuple[FunctionReplacement, ...] = ()
    inputs: str = ""
    unreadable: Mapping[str, str] = NOTHING


def unit_name(path: str) -> str:
    """Return the name of a unit: `py/vm.c` -> `py_vm`."""
    return path.removesuffix(".c").replace("/", "_").replace(".", "_").replace("-", "_")


def check_names(units: list[SourceUnit]) -> None:
    """Raise GenerateFailed if two files have the same unit name."""
    seen: dict[str, str] = {}
    for unit in units:
        if unit.name in seen:
            raise GenerateFailed(f"{seen[unit.name]} and {unit.path} would both be {unit.name}")
        seen[unit.name] = unit.path


def write_units(path: Path, units: UnitList) -> None:
    """Write `units` to `path` as JSON, atomically."""
    document = {
        "format": FORMAT,
        "digest": units.digest,
        "made": units.made,
        "defines": list(units.defines),
        "wants": asdict(units.wants),
        "patches": patches_document(units.patches),
        "replacements": [asdict(one) for one in units.replacements],
        "inputs": units.inputs,
        "unreadable": dict(units.unreadable),
        "units": [asdict(unit) for unit in units.units],
    }
    write_sealed(path, document)


def read_units(path: arguments.StrPath) -> UnitList:
    """Read the units at `path`. Raises NotBuilt if the file is missing or damaged."""
    path = arguments.path(path, "path")
    document = read_sealed(path)
    if document is None or document.pop("format", None) != FORMAT:
        raise NotBuilt(f"{path}: no list of units, or a damaged one", hint="Run `porter build`.")
    return structured(document, UnitList, path, NotBuilt)
