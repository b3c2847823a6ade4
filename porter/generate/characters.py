"""Texts of one character are qstrs of every build, which a table finds.

Each character of a text that a loop or an index takes out is such a text: upstream computes a hash,
asks all qstrs, and makes one more, in each interpreter (`qstr_from_strn`, py/qstr.c). The patch
`characters` asks the table here first.
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
    """Lines that upstream's py/makeqstrdata.py takes for qstrs."""
    return "".join(f"Q({character})\n" for character in CHARACTERS)


def characters_header(generated: str) -> str:
    """The header for a qstrdefs.generated.h. Raises GenerateFailed where a character is no qstr."""
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
