"""What a build is made of: sizes, target, features, and where these values come from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import attrs
from attrs import field, frozen

from porter.base.architectures import Architectures, canonical
from porter.base.release_name import check_release
from porter.base.sizes import GIB, KIB, MIB, Bounds, check_bounds, format_size, parse_size
from porter.errors import UsageError

# Local memory is at most 512 KiB a thread, C stack included (CUDA programming guide, technical
# specifications per compute capability).
LOCAL_MEMORY_LIMIT = 512 * KIB
LOCAL_RESERVED = 10 * KIB  # of it: state, canaries, slack of the C stack, the kernel's own frame

SIZE_BOUNDS: dict[str, Bounds] = {
    "heap": Bounds(2 * KIB, GIB),
    "stack": Bounds(2 * KIB, 256 * KIB),
    "pystack": Bounds(512, 256 * KIB),
    "stdout": Bounds(64, MIB, zero=True),
    "stderr": Bounds(64, MIB, zero=True),
    "fs_size": Bounds(4 * KIB, GIB, zero=True),
}

CHOICES: dict[str, tuple[str, ...]] = {
    "arena": ("local", "global"),
    "target": ("host", "cuda", "all"),
    "float": ("double", "single"),
    "level": ("extra", "full", "everything"),  # below extra, upstream lacks what the port uses
}

SWITCHES = ("gc_stress", "fences", "profile", "reconverge")

HINTS = {"level": "The port does not build with upstream's lower levels: they lack what it uses."}


def _sorted_names(text: str) -> str:
    """Return the names in `text`, which has commas between them, sorted and each once."""
    return ",".join(sorted({name.strip() for name in text.split(",")} - {""}))


@frozen(kw_only=True)
class BuildConfig:
    """One build, completely described. Sizes are bytes per interpreter.

    heap: the Python heap. stack: C stack that an interpreter may use before it raises.
    pystack: MicroPython's own frame stack. stdout, stderr: buffers of one launch.
    fs_size: private file system memory, 0 for none. level: `MICROPY_CONFIG_ROM_LEVEL`.
    arch: names with commas between them; `all` and `native` become such.
    gc_stress: collect before every allocation. fences: check every access through a pointer; one
    that leaves its interpreter ends it. profile: count what each instruction does, for `porter
    profile`. reconverge: let diverged lanes of a warp reconverge.
    skip_patches: names or classes of patches that the build leaves out, separated by commas. Raises
    UsageError for what is out of bounds, and NoGpu of `native`.
    """

    release: str
    heap: int = field(default=48 * KIB)
    stack: int = field(default=32 * KIB)
    pystack: int = field(default=24 * KIB)
    stdout: int = field(default=KIB)
    stderr: int = field(default=KIB)
    fs_size: int = field(default=0)
    arch: str = field(default="sm_90", converter=canonical)
    arena: str = field(default="local")
    target: str = field(default="host")
    float: str = field(default="double")
    level: str = field(default="everything")
    gc_stress: bool = field(default=False)
    fences: bool = field(default=False)
    profile: bool = field(default=False)
    reconverge: bool = field(default=True)
    skip_patches: str = field(default="", converter=_sorted_names)

    def __attrs_post_init__(self) -> None:
        check_release(self.release)
        for name, bounds in SIZE_BOUNDS.items():
            check_bounds(getattr(self, name), bounds, name)
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                raise UsageError(
                    f"{name}: {getattr(self, name)!r} is not one of {', '.join(choices)}",
                    hint=HINTS.get(name),
                )
        if self.fences and "cuda" in self.targets and self.architectures.several:
            raise UsageError(
                f"fences: a build with fences is for one architecture, not for {self.arch}",
                hint="Its checks hold addresses of one machine code's constants.",
            )
        for name in ("heap", "pystack", "stack"):
            if getattr(self, name) % 16:
                raise UsageError(f"{name}: {getattr(self, name)} is not a multiple of 16 bytes")
        used = self.heap + self.stack + self.pystack + LOCAL_RESERVED
        if self.arena == "local" and "cuda" in self.targets and used > LOCAL_MEMORY_LIMIT:
            raise UsageError(
                f"heap {format_size(self.heap)} + stack {format_size(self.stack)} + pystack "
                f"{format_size(self.pystack)} and {format_size(LOCAL_RESERVED)} for the state do "
                f"not fit into local memory, which is {format_size(LOCAL_MEMORY_LIMIT)} a thread",
                hint="Make the heap smaller, or build with --arena global.",
            )

    @property
    def targets(self) -> tuple[str, ...]:
        """The targets to build: `all` is both."""
        return ("host", "cuda") if self.target == "all" else (self.target,)

    @property
    def patches_to_skip(self) -> tuple[str, ...]:
        """The names in `skip_patches`."""
        return tuple(self.skip_patches.split(",")) if self.skip_patches else ()

    @property
    def architectures(self) -> Architectures:
        """What `arch` names."""
        return Architectures.of(self.arch)

    def as_dict(self) -> dict[str, Any]:
        """Every field by name, for `build.json`."""
        return attrs.asdict(self)

    def key(self) -> str:
        """16 hex digits of all that changes what a build holds; the target is not part of it.

        One key is one finished build: host and device outputs lie beside each other.
        """
        values = self.as_dict()
        del values["target"]
        return _hash(values)

    def source_key(self) -> str:
        """16 hex digits of all that changes a unit's text: builds of one key share sources.

        Sizes, architecture and the kind of arena are not among it.
        """
        return _hash({name: getattr(self, name) for name in SOURCE_FIELDS})


# What the port's templates and the choice of units depend on (porter/generate/port.py).
SOURCE_FIELDS = ("release", "float", "level", "gc_stress", "skip_patches")

# Keys that files may still have, and what to do about them.
GONE = {
    "stdin": "Delete it: interpreters read input of any length (`porter run --stdin-file FILE`)."
}

FIELDS: dict[str, attrs.Attribute[Any]] = {f.name: f for f in attrs.fields(BuildConfig)}


def _hash(values: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:16]


def convert(name: str, value: object, where: str) -> object:
    """`value` of key `name` as BuildConfig wants it; `where` says where it stood."""
    label = f"{where}: {name}" if where else name
    if name in GONE:
        raise UsageError(f"{label}: there is no such key any more", hint=GONE[name])
    if name not in FIELDS:
        raise UsageError(
            f"{label}: there is no such key", hint=f"Keys: {', '.join(sorted(FIELDS))}."
        )
    if name in SIZE_BOUNDS:
        if not isinstance(value, str | int):
            raise UsageError(f"{label}: {value!r} is not a size")
        return check_bounds(parse_size(value, label), SIZE_BOUNDS[name], label)
    if name in SWITCHES:
        return _convert_bool(value, label)
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
    """A BuildConfig from (name of the source, values) layers; later layers win.

    `release` is used where no layer names one. A value of None counts as absent.
    """
    values: dict[str, Any] = {"release": release}
    for where, layer in layers:
        for name, value in layer.items():
            if value is not None:
                values[name] = convert(name, value, where)
    return BuildConfig(**values)
