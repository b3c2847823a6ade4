"""Generate tables of constant qstrs: one for each ASCII character, and a hash filter of all.

The filter rejects most strings that are no constant qstr.
"""

from __future__ import annotations

import ast
import re

from porter.errors import GenerateFailed

CHARACTERS = "".join(map(chr, range(0x20, 0x7F)))
_SIZE = 0x80
_CHARACTER_QDEF = re.compile(r'^QDEF\d?\((\w+), \d+, 1, ("(?:[^"\\]|\\.+)")\)$', re.MULTILINE)
_CHARACTERS_HEAD = """\
// Written by porter: of each byte the qstr of the text that it is; MP_QSTRnull: there is none.
static const uint16_t gpusnek_characters[] = {{
    {qstrs}
}};
"""


def character_qstrs() -> str:
    """Return lines that upstream's py/makeqstrdata.py reads as qstrs."""
    return "".join(f"Q({character})\n" for character in CHARACTERS)


def characters_header(generated: str) -> str:
    """Return the header for the text of qstrdefs.generated.h.

    Raises:
        GenerateFailed: A character is not among the qstrs.
    """
    found = {ast.literal_eval(text): name for name, text in _CHARACTER_QDEF.findall(generated)}
    missing = "".join(c for c in CHARACTERS if c not in found)
    if missing:
        raise GenerateFailed(
            f"upstream's list of qstrs has none for {missing!r}",
            hint="Compare py/makeqstrdata.py with porter/generate/qstr_tables.py.",
        )
    names = [found.get(chr(number), "MP_QSTRnull") for number in range(_SIZE)]
    rows = (names[at : at + 8] for at in range(0, _SIZE, 8))
    return _CHARACTERS_HEAD.format(qstrs="\n    ".join(", ".join(row) + "," for row in rows))


FILTER_BITS = 1 << 14  # false positives: one in twenty-five strings
_WORD_BITS = 32
_HASH_QDEF = re.compile(r"^QDEF\d?\(\w+, (\d+), ", re.MULTILINE)
_FILTER_HEAD = """\
// Written by porter: bit (hash % GPUSNEK_QSTR_FILTER_BITS) is set for each constant qstr's hash.
#define GPUSNEK_QSTR_FILTER_BITS ({bits}u)
static const uint32_t gpusnek_qstr_filter[GPUSNEK_QSTR_FILTER_BITS / {word}] = {{
"""


def filter_header(generated: str) -> str:
    """Return the header for a qstrdefs.generated.h. Raises GenerateFailed if it has no qstrs."""
    hashes = [int(text) for text in _HASH_QDEF.findall(generated)]
    if not hashes:
        raise GenerateFailed("upstream's list of qstrs has no QDEF lines that porter knows")
    words = [0] * (FILTER_BITS // _WORD_BITS)
    for value in hashes:
        bit = value % FILTER_BITS
        words[bit // _WORD_BITS] |= 1 << bit % _WORD_BITS
    rows = (words[at : at + 8] for at in range(0, len(words), 8))
    lines = "".join("    " + " ".join(f"{word:#010x}u," for word in row) + "\n" for row in rows)
    return _FILTER_HEAD.format(bits=FILTER_BITS, word=_WORD_BITS) + lines + "};\n"
