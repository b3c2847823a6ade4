"""Generate a hash filter that rejects most strings that are no constant qstr.

Upstream searches every new short string among the constant qstrs (`qstr_find_strn`, py/qstr.c). The
search reads the whole unsorted pool and bisects the sorted one, mostly without a match. The patch
`qstr-filter` consults this filter first.
"""

from __future__ import annotations

import re

from porter.errors import GenerateFailed

BITS = 1 << 14  # false positives: one in twenty-five strings
_WORD = 32
_QDEF = re.compile(r"^QDEF\d?\(\w+, (\d+), ", re.MULTILINE)
_HEAD = """\
// Written by porter: bit (hash % GPUSNEK_QSTR_FILTER_BITS) is set for each constant qstr's hash.
#define GPUSNEK_QSTR_FILTER_BITS ({bits}u)
static const uint32_t gpusnek_qstr_filter[GPUSNEK_QSTR_FILTER_BITS / {word}] = {{
"""


def filter_header(generated: str) -> str:
    """Return the header for a qstrdefs.generated.h. Raises GenerateFailed if it has no qstrs."""
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
