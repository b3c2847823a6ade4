"""A table that says of most strings at once that no constant qstr has their text.

Upstream asks for every new short string whether a qstr has it (`qstr_find_strn`, py/qstr.c), which
reads the whole unsorted constant pool and searches the sorted one; mostly there is none. The patch
`qstr-filter` asks this table first.
"""

from __future__ import annotations

import re

from porter.errors import GenerateFailed

BITS = 1 << 14  # one in twenty-five strings passes that is no qstr
_WORD = 32
_QDEF = re.compile(r"^QDEF\d?\(\w+, (\d+), ", re.MULTILINE)
_HEAD = """\
// Written by porter: bit (hash % GPUSNEK_QSTR_FILTER_BITS) is set for each constant qstr's hash.
#define GPUSNEK_QSTR_FILTER_BITS ({bits}u)
static const uint32_t gpusnek_qstr_filter[GPUSNEK_QSTR_FILTER_BITS / {word}] = {{
"""


def filter_header(generated: str) -> str:
    """The header for the qstrs of a qstrdefs.generated.h. Raises GenerateFailed without any."""
    hashes = [int(text) for text in _QDEF.findall(generated)]
    if not hashes:
        raise GenerateFailed("upstream's list of qstrs has no QDEF lines that porter knows")
    words = [0] * (BITS // _WORD)
    for value in hashes:
        bit = value % BITS
        words[bit // _WORD] |= 1 << bit % _WORD
    rows = (words[at : at + 8] for at in range(0, len(words), 8))
    lines = "".join("    " + " ".join(f"{word:#010x}u," for word in row) + "\n" for row in rows)
    return _HEAD.format(bits=BITS, word=_WORD) + lines + "};\n"
