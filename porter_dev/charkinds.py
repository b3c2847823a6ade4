"""Generate `templates/port/charkinds_table.c`: properties and case mappings of characters.

The source is the Unicode database of the Python that runs this module. Str methods of the port read
the table (templates/port/charkinds.h).

    python -m porter_dev.charkinds --write   # write the file
    python -m porter_dev.charkinds           # exit with 1 if the file differs
"""

from __future__ import annotations

import sys
import unicodedata
from functools import cache
from pathlib import Path

from attrs import frozen

from porter.base import paths
from porter.base.files import write_whole

CHARACTERS = 0x110000
UNASSIGNED = ("Cn", "Co", "Cs")
# Bits of a record's flags, in the order of `_flags`. charkinds.h has the same list.
FLAGS = [
    "ALPHA",
    "DECIMAL",
    "DIGIT",
    "NUMERIC",
    "SPACE",
    "UPPER",
    "LOWER",
    "TITLE",
    "PRINTABLE",
    "ID_START",
    "ID_CONTINUE",
    "CASED",
    "IGNORABLE",
    "SPECIAL",
]
MAPPED = 3  # the most characters that one character maps to
SIGMA = "\N{GREEK CAPITAL LETTER SIGMA}"
SMALL_SIGMA = "\N{GREEK SMALL LETTER SIGMA}"


@frozen
class CharacterRecord:
    """The properties that all characters of a kind share.

    Attributes:
        flags: A bit for each of FLAGS that the characters have.
        upper: The distance to the upper-case character; 0 for a character without one.
        lower: The distance to the lower-case character.
        title: The distance to the title-case character.
    """

    flags: int = 0
    upper: int = 0
    lower: int = 0
    title: int = 0


@frozen
class CharacterRange:
    """Characters from `first` on, whose records alternate between two (or are equal)."""

    first: int
    even: CharacterRecord
    odd: CharacterRecord


def path() -> Path:
    """Return the path of the generated file."""
    return paths.templates_dir() / "port" / "charkinds_table.c"


@cache
def records() -> list[CharacterRecord]:
    """Return the record of each character."""
    return [_record(number) for number in range(CHARACTERS)]


def _record(number: int) -> CharacterRecord:
    text = chr(number)
    category = unicodedata.category(text)
    if category in UNASSIGNED:
        return CharacterRecord()
    flags = sum(1 << bit for bit, has in enumerate(_flags(text, category)) if has)
    mapped = (text.upper(), text.lower(), text.title())
    return CharacterRecord(flags, *(ord(to) - number if len(to) == 1 else 0 for to in mapped))


def _flags(text: str, category: str) -> tuple[bool, ...]:
    lower = text.lower()
    cased = (text + "a").title()[-1] == "a"
    # A final sigma shows which characters are ignored between a cased letter and the word's end.
    if cased:
        ignorable = (text + SIGMA).lower()[-1] == SMALL_SIGMA
    else:
        ignorable = ("a" + SIGMA + text + "a").lower()[1] == SMALL_SIGMA
    special = max(map(len, (text.upper(), lower, text.title()))) > 1 or text.casefold() != lower
    return (
        text.isalpha(),
        text.isdecimal(),
        text.isdigit(),
        text.isnumeric(),
        text.isspace(),
        text.isupper(),
        text.islower(),
        category == "Lt",
        text.isprintable(),
        text.isidentifier(),
        ("a" + text).isidentifier(),
        cased,
        ignorable,
        special,
    )


def ranges() -> list[CharacterRange]:
    """Return the fewest ranges, from character 0 on, that have all characters."""
    of = records()
    found: list[CharacterRange] = []
    first = 0
    while first < CHARACTERS:
        even = of[first]
        odd = of[first + 1] if first + 1 < CHARACTERS else even
        end = first
        while end < CHARACTERS and of[end] == (odd if (end - first) % 2 else even):
            end += 1
        found.append(CharacterRange(first, even, odd))
        first = end
    return found


def specials() -> list[tuple[int, ...]]:
    """Return a row per character with the flag SPECIAL: it, and its four mappings."""
    special = 1 << FLAGS.index("SPECIAL")
    rows = []
    for number, record in enumerate(records()):
        if record.flags & special:
            text = chr(number)
            mapped = (text.upper(), text.lower(), text.title(), text.casefold())
            row = [number]
            for to in mapped:
                row += [*map(ord, to), *[0] * (MAPPED - len(to))]
            rows.append(tuple(row))
    return rows


def source() -> str:
    """Return the text of the generated file."""
    found = ranges()
    known = list(dict.fromkeys(record for item in found for record in (item.even, item.odd)))
    place = {record: index for index, record in enumerate(known)}
    assert len(known) <= 1 << 8
    rows = specials()
    assert max(map(max, rows)) < 1 << 16
    packed = [f"0x{item.first << 8 | place[item.even]:08x}u," for item in found]
    odd = [f"{place[item.odd]}," for item in found]
    kinds = [f"{{{r.upper}, {r.lower}, {r.title}, 0x{r.flags:04x}u}}," for r in known]
    lines = [
        "// Properties and case mappings of all characters (charkinds.h). Generated by",
        f"// porter_dev/charkinds.py from Unicode {unicodedata.unidata_version}.",
        '#include "charkinds.h"',
        "",
        "const uint32_t gpusnek_ranges[GPUSNEK_RANGES + 1] = {",
        *_wrapped([*packed, "0xffffffffu,"]),
        "};",
        "",
        "const uint8_t gpusnek_range_odd[GPUSNEK_RANGES] = {",
        *_wrapped(odd),
        "};",
        "",
        "const gpusnek_kind_t gpusnek_kinds[GPUSNEK_KINDS] = {",
        *_wrapped(kinds),
        "};",
        "",
        f"const uint16_t gpusnek_specials[GPUSNEK_SPECIALS][{1 + 4 * MAPPED}] = {{",
        *_wrapped(["{" + ", ".join(map(str, row)) + "}," for row in rows]),
        "};",
    ]
    return "\n".join(lines) + "\n"


def sizes() -> dict[str, int]:
    """Return the values of the macros of charkinds.h: the numbers of rows."""
    found = ranges()
    kinds = {record for item in found for record in (item.even, item.odd)}
    return {
        "GPUSNEK_RANGES": len(found),
        "GPUSNEK_KINDS": len(kinds),
        "GPUSNEK_SPECIALS": len(specials()),
    }


def _wrapped(items: list[str], width: int = 100) -> list[str]:
    lines = [""]
    for item in items:
        if len(lines[-1]) + len(item) + 5 > width:
            lines.append("")
        lines[-1] += " " + item if lines[-1] else "    " + item
    return lines


if __name__ == "__main__":
    text = source()
    if "--write" in sys.argv[1:]:
        write_whole(path(), text)
        print(sizes())
    elif path().read_text(encoding="utf-8") != text:
        sys.exit(f"{path()} differs from what this Python generates")
