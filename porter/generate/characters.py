"""Generate a table from each ASCII character to the qstr of the one-character text.

Every loop over a text, and every index into one, produces a text of one character. Upstream hashes
it, searches all qstrs and interns a new one in each interpreter (`qstr_from_strn`, py/qstr.c). Here
each printable character is a qstr of the build, which the patch `characters` looks up in the table.
"""

from __future__ import annotations

import ast
import re

from porter.errors import GenerateFailed

CHARACTERS = "".join(map(chr, range(0x20, 0x7F)))
_SIZE = 0x80
_QDEF = re.compile(r'^QDEF\d?\((\w+), \d+, 1, ("(?:[^"\\]|\\.+)")\)$', re.MULTILINE)
_HEAD = """\
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
    found = {ast.literal_eval(text): name for name, text in _QDEF.findall(generated)}
    missing = "".join(c for c in CHARACTERS if c not in found)
    if missing:
        raise GenerateFailed(
            f"upstream's list of qstrs has none for {missing!r}",
            hint="Compare py/makeqstrdata.py with porter/generate/characters.py.",
        )
    names = [found.get(chr(number), "MP_QSTRnull") for number in range(_SIZE)]
    rows = (names[at : at + 8] for at in range(0, _SIZE, 8))
    return _HEAD.format(qstrs="\n    ".join(", ".join(row) + "," for row in rows))
