"""Changes nvcc's PTX: `python ptx.py IN OUT ID`, a step of the device build.

What nvcc says of the folder goes, so that PTX depends on the unit alone, and what ptxas would
translate wrongly is written in another way. ID is eight hexadecimal digits that belong to the unit.
The build starts this file by its path, a process a unit, so it imports the standard library alone.
"""

import os
import re
import sys
from typing import NamedTuple


class Replacement(NamedTuple):
    """One change of PTX text.

    `change` says in one pattern what is replaced, `by` with what (`{id}` is the unit's number).
    `subject` finds every place that the change is for: a place that it leaves alone means that
    this nvcc writes PTX in a way that the change does not know. `reason` says why it is made.
    """

    name: str
    change: re.Pattern[str]
    by: str
    subject: re.Pattern[str]
    reason: str


# ptxas takes a negation, or a magnitude, that a comparison uses for a part of the comparison, and
# may then put the comparison before what it compares: where a loop calls something, and ends by
# comparing what it read or computed after the call (13.0, every architecture, -O1 and above). Bits
# that are changed by hand are no part of anything.
_MOVED = "ptxas may compare a negated number before it is there, in a loop that calls something"
_SIGN, _REST = "0x8000000000000000", "0x7fffffffffffffff"
_SIGN_32, _REST_32 = "0x80000000", "0x7fffffff"


def _by_hand(operation: str, by: str) -> Replacement:
    """`operation`, a pattern, with a destination (2) and a source (3), written in another way."""
    return Replacement(
        f"{operation.replace(chr(92), '')} of a comparison",
        re.compile(rf"^([ \t]+){operation}\s+(%\w+), (%\w+);", re.MULTILINE),
        by,
        re.compile(rf"\b{operation}\s"),
        _MOVED,
    )


def _bits(width: int, operation: str, mask: str) -> str:
    return (
        rf"\g<1>{{{{ .reg .b{width} %bits; mov.b{width} %bits, \3; "
        rf"{operation}.b{width} %bits, %bits, {mask}; mov.b{width} \2, %bits; }}}}"
    )


_INTEGER = r"\g<1>{{ .reg .b64 %bits; not.b64 %bits, \3; "

REPLACEMENTS = (
    Replacement(
        "names of internal linkage",
        re.compile(r"_INTERNAL_[0-9a-f]{8}_"),
        "_INTERNAL_{id}_",
        re.compile(r"_INTERNAL_"),
        "nvcc puts a number there that depends on the folder; the same unit must give the same "
        "machine code anywhere",
    ),
    Replacement(
        "names of static variables",
        re.compile(r"(__nv_static_[0-9]+__)[0-9a-f]{8}_"),
        r"\g<1>{id}_",
        re.compile(r"__nv_static_"),
        "nvcc puts the folder's number there too",
    ),
    Replacement(
        "sizes of external arrays",
        re.compile(r"^(\.extern \.global .*\.b8 [A-Za-z0-9_]+)\[[0-9]+\];", re.MULTILINE),
        r"\g<1>[];",
        re.compile(r"^\.extern \.global .*\.b8 .*\[[0-9]", re.MULTILINE),
        "nvcc gives an external object its type's size, which nvlink compares; an object that "
        "ends in a flexible array is larger where it is defined, so the size is left open",
    ),
    _by_hand(r"neg\.s64", _INTEGER + r"add.s64 \2, %bits, 1; }}"),
    _by_hand(r"abs\.s64", _INTEGER + r"add.s64 %bits, %bits, 1; max.s64 \2, %bits, \3; }}"),
    _by_hand(r"neg\.f64", _bits(64, "xor", _SIGN)),
    _by_hand(r"abs\.f64", _bits(64, "and", _REST)),
    _by_hand(r"neg\.f32", _bits(32, "xor", _SIGN_32)),
    _by_hand(r"abs\.f32", _bits(32, "and", _REST_32)),
)


class UnknownPtx(Exception):
    """PTX has places that a replacement is for and does not match."""


def rewrite(text: str, number: str) -> str:
    """`text` with all replacements made. Raises UnknownPtx."""
    for replacement in REPLACEMENTS:
        wanted = sum(1 for _ in replacement.subject.finditer(text))
        text, made = replacement.change.subn(replacement.by.format(id=number), text)
        if made != wanted:
            raise UnknownPtx(
                f"{replacement.name}: {wanted} places, of which {made} look as expected. This nvcc "
                f"writes them in another way. They are changed because {replacement.reason}."
            )
    return text


def main(arguments: list[str]) -> int:
    """Rewrite IN and rename it to OUT; the exit status."""
    if len(arguments) != 3 or not re.fullmatch("[0-9a-f]{8}", arguments[2]):
        print("ptx.py IN OUT ID: ID is eight hexadecimal digits", file=sys.stderr)
        return 2
    source, target, number = arguments
    # Bytes that are no UTF-8 come out as they went in.
    options = {"encoding": "utf-8", "errors": "surrogateescape", "newline": ""}
    with open(source, **options) as file:  # type: ignore[call-overload]
        text = file.read()
    try:
        changed = rewrite(text, number)
    except UnknownPtx as error:
        print(f"{target}: {error}", file=sys.stderr)
        return 1
    with open(source, "w", **options) as file:  # type: ignore[call-overload]
        file.write(changed)
    os.replace(source, target)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
