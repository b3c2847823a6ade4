"""Render `templates/port/` into a build: `.j2` files through jinja2, other files unchanged.

One template gets the powers of ten with which the port converts floats to decimal digits and back.
Another one gets the constants of elementary functions, a third one gets sets of opcodes from the
opcode table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping
from functools import cache
from pathlib import Path

import jinja2
from attrs import field, frozen

from porter.compiler.opcodes import NAMESPACE, OPCODES, Opcode, Operand, Trait
from porter.config import BuildConfig
from porter.errors import GenerateFailed
from porter.generate.elementary import tables
from porter.patches import load_series

BITS = 128
# Exponents of the last bit of the smallest number and of the first bit of the largest number.
RANGES = {"double": (-1074, 1023), "single": (-149, 127)}
# The C code generates up to DIGITS digits of a number, and keeps READ_BITS bits of parsed digits.
DIGITS = 17
READ_BITS = 64


@frozen
class PowersOfTen:
    """The first BITS bits of 10 ** first, 10 ** (first + 1), ...; truncated, not rounded."""

    first: int
    significands: tuple[int, ...]


@cache
def powers_of_ten(float_name: str) -> PowersOfTen:
    """Return the powers that floats of the width `float_name` (as in BuildConfig) need.

    Any parsed number times a power below the first is less than half of the smallest float. A
    number from 1 on times a power above the last exceeds the largest float.
    """
    lowest, highest = RANGES[float_name]
    first = 0
    while 10**-first < 2 ** (READ_BITS + 1 - lowest):
        first -= 1
    last = 0
    while 10**last < 2 ** (highest + 1):
        last += 1
    smallest = 0
    while 10**-smallest < 2**-lowest:
        smallest -= 1
    last = max(last, DIGITS - smallest)
    return PowersOfTen(first, tuple(significand(power) for power in range(first, last + 1)))


def significand(power: int) -> int:
    """Return the first BITS bits of 10 ** power, truncated."""
    if power >= 0:
        value: int = 10**power
        excess = value.bit_length() - BITS
        return value >> excess if excess > 0 else value << -excess
    divisor: int = 10**-power
    # 10**-power is no power of two, so the quotient lies strictly between powers of two.
    return (1 << (BITS - 1 + divisor.bit_length())) // divisor


# Values of BuildConfig and their names in MICROPY_CONFIG_ROM_LEVEL_* and MICROPY_FLOAT_IMPL_*.
LEVELS = {
    "extra": "EXTRA_FEATURES",
    "full": "FULL_FEATURES",
    "everything": "EVERYTHING",
}
FLOATS = {"double": "DOUBLE", "single": "FLOAT"}

SUFFIX = ".j2"


def template_values(
    config: BuildConfig, applied: Container[str] = (), *, frozen: bool = True
) -> dict[str, object]:
    """Return the variables of the port's templates; no other part of `config` changes a unit.

    Args:
        config: The build.
        applied: The names of the patches that the build has.
        frozen: Whether the build freezes any module.
    """
    names = dict.fromkeys(patch.name for patch in load_series())
    return {
        "level": LEVELS[config.level],
        "float": FLOATS[config.float],
        "gc_stress": config.gc_stress,
        "frozen": frozen,
        "powers_of_ten": powers_of_ten(config.float),
        "elementary": tables(),
        "opcode_sets": opcode_sets(),
        "patches": {patch_macro(name): int(name in applied) for name in names},
    }


def opcode_sets() -> dict[str, list[str]]:
    """Return the sets of opcodes that the VM's fast path tests, by their names in C."""
    variables = [
        row
        for row in OPCODES.values()
        if row.operand in (Operand.NAMESPACE, Operand.GLOBAL) and row.has(Trait.FAST_PATH)
    ]

    def named(holds: Callable[[Opcode], bool]) -> list[str]:
        return [row.name for row in variables if holds(row)]

    return {
        "VM_LOCAL": named(lambda row: row.name in NAMESPACE),
        "VM_LOAD": named(lambda row: not row.has(Trait.STORES)),
        "VM_VARIABLE": named(lambda _: True),
    }


def patches_asked(text: str) -> list[str]:
    """Return the patches whose macros a port's source mentions: it has code for them."""
    names = dict.fromkeys(patch.name for patch in load_series())
    return [name for name in names if re.search(rf"\b{patch_macro(name)}\b", text)]


def patch_macro(name: str) -> str:
    """Return the macro that is 1 in C where the patch `name` is applied, and 0 elsewhere."""
    return f"GPUSNEK_PATCH_{name.upper().replace('-', '_')}"


@frozen
class Wishes:
    """The questions of the port's templates about a release, and the answers.

    A template calls `wanted(option)` and `defined(hook)`.

    Attributes:
        refused: The options that the release refuses.
        defined_there: The hooks that the release defines itself.
        asked_options: The options in calls of `wanted` so far.
        asked_hooks: The hooks in calls of `defined` so far.
    """

    refused: Container[str] = ()
    defined_there: Container[str] = ()
    asked_options: set[str] = field(factory=set)
    asked_hooks: set[str] = field(factory=set)

    def wanted(self, option: str) -> bool:
        """Return whether the release accepts the option."""
        self.asked_options.add(option)
        return option not in self.refused

    def defined(self, hook: str) -> bool:
        """Return whether the release defines the function itself."""
        self.asked_hooks.add(hook)
        return hook in self.defined_there


def render_port(templates: Path, values: Mapping[str, object], into: Path, wishes: Wishes) -> None:
    """Write every file of the folder `templates` to `into`, which is made; `X.j2` becomes `X`.

    Args:
        templates: The folder of the templates.
        values: The variables of the templates: the result of `template_values`.
        into: The folder of the results.
        wishes: The options that the release refuses and the hooks that it defines.

    Raises:
        GenerateFailed: A template is wrong or names a value that is not there.
    """
    into.mkdir(parents=True, exist_ok=True)
    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined, keep_trailing_newline=True, trim_blocks=True
    )
    asks = {"wanted": wishes.wanted, "defined": wishes.defined}
    for path in sorted(item for item in templates.iterdir() if item.is_file()):
        text = path.read_text(encoding="utf-8")
        if path.suffix == SUFFIX:
            try:
                text = environment.from_string(text).render({**values, **asks})
            except jinja2.TemplateError as error:
                raise GenerateFailed(f"{path}: {error}") from error
        (into / path.name.removesuffix(SUFFIX)).write_text(text, encoding="utf-8")
