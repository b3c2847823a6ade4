"""Makes nvcc's PTX depend on the unit alone: `python ptx.py IN OUT ID`, a step of the device build.

ID is eight hexadecimal digits that belong to the unit. The build starts this file by its path, a
process a unit, so it imports the standard library alone.
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
