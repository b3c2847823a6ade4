"""Edit the PTX that nvcc wrote: `python ptx.py IN OUT ID`, a step of the device build.

The edits remove names that depend on the build's folder, so that PTX depends on the unit only, and
replace instructions that ptxas miscompiles. ID is eight hexadecimal digits that identify the unit.
Ninja runs this file by its path, one process per unit, so it imports the standard library only.
"""

import os
import re
import sys
from typing import NamedTuple


class Replacement(NamedTuple):
    """An edit of PTX text.

    The number of matches of `change` and `subject` must be equal. A difference means that this nvcc
    writes PTX in a form that the edit does not know.

    Attributes:
        name: A name for messages.
        change: The text to replace.
        by: The replacement, in which `{id}` is the unit's number.
        subject: A wider pattern that finds every occurrence.
        reason: Why the edit is needed.
    """

    name: str
    change: re.Pattern[str]
    by: str
    subject: re.Pattern[str]
    reason: str


# ptxas folds a negation or an absolute value into the comparison that uses it, and may then move
# the comparison before the operand is computed. This happens in a loop that calls a function and
# ends by comparing a value read or computed after the call (13.0, every architecture, -O1 and
# above). Bit operations with the same result are not folded.
_MOVED = "ptxas may compare a negated number before it is there, in a loop that calls something"
_SIGN, _REST = "0x8000000000000000", "0x7fffffffffffffff"
_SIGN_32, _REST_32 = "0x80000000", "0x7fffffff"


def _by_hand(operation: str, by: str) -> Replacement:
    """Return the edit that writes `operation` as `by`; group 2 is the destination, 3 the source."""
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
    """PTX in which a replacement's `subject` and `change` disagree."""


def rewrite(text: str, number: str) -> str:
    """Return `text` with all replacements made. Raises UnknownPtx."""
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
    """Edit IN and rename it to OUT. Returns the exit status."""
    if len(arguments) != 3 or not re.fullmatch("[0-9a-f]{8}", arguments[2]):
        print("ptx.py IN OUT ID: ID is eight hexadecimal digits", file=sys.stderr)
        return 2
    source, target, number = arguments
    # surrogateescape: bytes that are not UTF-8 pass unchanged.
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
