"""The configuration of a build: sizes, target, features, and how sources are merged."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from typing import Any

import attrs
from attrs import field, frozen

from porter.base import arguments
from porter.base.architectures import Architectures, canonical
from porter.base.deprecated import (
    RENAMED_SETTINGS,
    both_names,
    renamed_fields,
    warn_deprecated,
)
from porter.base.release_name import check_release
from porter.base.sizes import GIB, KIB, MIB, Bounds, check_bounds, format_size, parse_size
from porter.errors import UsageError

# Local memory is limited to 512 KiB per thread, with the C stack (CUDA programming guide, technical
# specifications per compute capability).
LOCAL_MEMORY_LIMIT = 512 * KIB
LOCAL_RESERVED = 10 * KIB  # for state, canaries, slack of the C stack, and the kernel's own frame

SIZE_BOUNDS: dict[str, Bounds] = {
    "heap": Bounds(2 * KIB, GIB),
    "stack": Bounds(2 * KIB, 4 * MIB),
    "pystack": Bounds(512, 16 * MIB),
    "stdout": Bounds(64, MIB, zero=True),
    "stderr": Bounds(64, MIB, zero=True),
    "fs_size": Bounds(4 * KIB, GIB, zero=True),
}

CHOICES: dict[str, tuple[str, ...]] = {
    "arena": ("local", "global"),
    "target": ("host", "cuda", "all"),
    "float": ("double", "single"),
    "level": ("extra", "full", "everything"),  # below extra, upstream lacks what the port uses
    "library": ("full", "none"),
}

SWITCHES = ("gc_stress", "bounds_checks", "profile", "reconverge")

HINTS = {"level": "The port does not build with upstream's lower levels: they lack what it uses."}


def _sorted_names(text: str) -> str:
    """Return the names in `text`, separated by commas, sorted and without duplicates."""
    names = arguments.text(text, "skip_patches").split(",")
    return ",".join(sorted({name.strip() for name in names} - {""}))


def _absolute(value: object) -> str:
    """Return the path `value` as absolute, normalized text; an empty text stays empty."""
    if not arguments.path_text(value, "freeze"):
        return ""
    return os.path.abspath(arguments.path(value, "freeze"))


def _architectures(value: object) -> str:
    return canonical(arguments.text(value, "arch"))


@renamed_fields(**RENAMED_SETTINGS)
@frozen(kw_only=True)
class BuildConfig:
    """The complete configuration of a build. Sizes are bytes per interpreter.

    Attributes:
        release: The MicroPython release.
        heap: The Python heap.
        stack: The C stack that an interpreter may use before it raises.
        pystack: MicroPython's own frame stack.
        stdout: The output buffer of one launch.
        stderr: The buffer of one launch for tracebacks.
        fs_size: Private file system memory, 0 for none.
        arch: Architectures, separated by commas; `all` and `native` are replaced.
        arena: Where arenas are: `local` or `global` memory.
        target: `host`, `cuda` or `all`.
        float: The precision of floats.
        level: `MICROPY_CONFIG_ROM_LEVEL`.
        library: Whether the modules of porter's standard library are frozen into the build.
        freeze: The absolute path of a manifest of further modules to freeze; empty for none.
        gc_stress: Collect before every allocation.
        bounds_checks: Check the bounds of every access through a pointer. A failed check ends the
            interpreter.
        profile: Count the work of each instruction, for `porter profile`.
        reconverge: Let diverged lanes of a warp reconverge.
        skip_patches: Names or classes of patches to leave out, separated by commas.

    Raises:
        UsageError: A value is out of bounds.
        NoGpu: `arch` is `native`, and this machine has no GPU.
    """

    release: str
    heap: int = field(default=48 * KIB)
    stack: int = field(default=32 * KIB)
    pystack: int = field(default=24 * KIB)
    stdout: int = field(default=KIB)
    stderr: int = field(default=KIB)
    fs_size: int = field(default=0)
    arch: str = field(default="sm_90", converter=_architectures)
    arena: str = field(default="local")
    target: str = field(default="host")
    float: str = field(default="double")
    level: str = field(default="everything")
    library: str = field(default="full")
    freeze: str = field(default="", converter=_absolute)
    gc_stress: bool = field(default=False)
    bounds_checks: bool = field(default=False)
    profile: bool = field(default=False)
    reconverge: bool = field(default=True)
    skip_patches: str = field(default="", converter=_sorted_names)

    def __attrs_post_init__(self) -> None:
        check_release(arguments.text(self.release, "release"))
        # NumPy's scalars become Python's, which JSON can write.
        for name in SWITCHES:
            object.__setattr__(self, name, arguments.flag(getattr(self, name), name))
        for name, bounds in SIZE_BOUNDS.items():
            size = arguments.index(getattr(self, name), name, "a size")
            object.__setattr__(self, name, check_bounds(size, bounds, name))
        for name, choices in CHOICES.items():
            if arguments.text(getattr(self, name), name) not in choices:
                raise UsageError(
                    f"{name}: {getattr(self, name)!r} is not one of {', '.join(choices)}",
                    hint=HINTS.get(name),
                )
        for name in ("heap", "pystack", "stack"):
            if getattr(self, name) % 16:
                raise UsageError(f"{name}: {getattr(self, name)} is not a multiple of 16 bytes")
        used = self.heap + self.stack + self.pystack + LOCAL_RESERVED
        if self.arena == "local" and "cuda" in self.targets and used > LOCAL_MEMORY_LIMIT:
            raise UsageError(
                f"heap {format_size(self.heap)} + stack {format_size(self.stack)} + pystack "
                f"{format_size(self.pystack)} and {format_size(LOCAL_RESERVED)} for the state do "
                f"not fit into local memory: {format_size(LOCAL_MEMORY_LIMIT)} per thread",
                hint="Make the heap smaller, or build with --arena global.",
            )

    @property
    def targets(self) -> tuple[str, ...]:
        """The targets to build; `all` means both."""
        return ("host", "cuda") if self.target == "all" else (self.target,)

    @property
    def patches_to_skip(self) -> tuple[str, ...]:
        """The names in `skip_patches`."""
        return tuple(self.skip_patches.split(",")) if self.skip_patches else ()

    @property
    def architectures(self) -> Architectures:
        """The architectures in `arch`."""
        return Architectures.of(self.arch)

    def as_dict(self) -> dict[str, Any]:
        """Return every field by name, for `build.json`."""
        return attrs.asdict(self)

    def key(self) -> str:
        """Return 16 hex digits that identify a finished build; all fields but the target count.

        Host and device outputs with one key are in one folder.
        """
        values = self.as_dict()
        del values["target"]
        return _hash(values)

    def source_key(self) -> str:
        """Return 16 hex digits that identify the units' texts; builds with one key share sources.

        Sizes, architectures and the place of arenas do not count.
        """
        return _hash({name: getattr(self, name) for name in SOURCE_FIELDS})


# The fields that templates of the port and the list of units depend on (porter/generate/port.py).
SOURCE_FIELDS = ("release", "float", "level", "library", "freeze", "gc_stress", "skip_patches")

# Removed keys that files may still contain, with hints.
GONE = {
    "stdin": "Delete it: interpreters read input of any length (`porter run --stdin-file FILE`)."
}

FIELDS: dict[str, attrs.Attribute[Any]] = {f.name: f for f in attrs.fields(BuildConfig)}


def _hash(values: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:16]


def convert(name: str, value: object, where: str) -> object:
    """Convert `value` to the type of BuildConfig's field `name`; `where` names its source."""
    label = f"{where}: {name}" if where else name
    if name in GONE:
        raise UsageError(f"{label}: there is no such key any more", hint=GONE[name])
    if name not in FIELDS:
        raise UsageError(
            f"{label}: there is no such key", hint=f"Keys: {', '.join(sorted(FIELDS))}."
        )
    if name in SIZE_BOUNDS:
        if not isinstance(value, str) and (
            not hasattr(value, "__index__") or arguments.is_bool(value)
        ):
            raise UsageError(f"{label}: {value!r} is not a size")
        return check_bounds(parse_size(value, label), SIZE_BOUNDS[name], label)
    if name in SWITCHES:
        # Words are for files and the environment; an option is a bool.
        return _convert_bool(value, label) if where else arguments.flag(value, name)
    if not isinstance(value, str):
        raise UsageError(f"{label}: {type(value).__name__} is not text")
    return value


def _convert_bool(value: object, label: str) -> bool:
    if isinstance(value, bool):
        return value
    words = {"1": True, "true": True, "yes": True, "on": True}
    words |= {"0": False, "false": False, "no": False, "off": False, "": False}
    if isinstance(value, str) and value.lower() in words:
        return words[value.lower()]
    raise UsageError(f"{label}: {value!r} is neither true nor false")


def merge(*layers: tuple[str, Mapping[str, object]], release: str) -> BuildConfig:
    """Return the BuildConfig of several layers; later layers win.

    Args:
        layers: Pairs of the source's name and its values; None counts as absent.
        release: The release if no layer names one.

    Raises:
        UsageError: A value is invalid, a key unknown, or a layer has an old and a new name of it.
    """
    values: dict[str, Any] = {"release": release}
    for where, layer in layers:
        given = {name: value for name, value in layer.items() if value is not None}
        for old in given.keys() & RENAMED_SETTINGS.keys():
            if (new := RENAMED_SETTINGS[old]) in given:
                label = f"{where}: " if where else ""
                raise UsageError(label + both_names(old, new))
        for name, value in given.items():
            values[_current(name, where)] = convert(_current(name, where), value, where)
    return BuildConfig(**values)


def _current(name: str, where: str) -> str:
    """Return the current name of a key, and warn if `name` is an old one."""
    new = RENAMED_SETTINGS.get(name)
    if new is None:
        return name
    variable = where.startswith("$")
    old = where if variable else f"{where}: {name}" if where else name
    warn_deprecated(old, f"$PORTER_{new.upper()}" if variable else new)
    return new
