"""Build the hash table of the constant qstrs, which `gpusnek_find_qstr` reads (port/qstrsearch.c).

The generate stage writes the table of a build without frozen modules (`genhdr.py`). The freeze
stage writes one with the frozen modules' qstrs too (`porter/freeze/tables.py`). Both parse the
output of upstream's scripts.

The table is a perfect hash ("hash and displace"). The low bits of a text's hash choose a bucket.
Each bucket has an odd multiplier, and the high bits of `hash * multiplier` are the text's slot. A
slot has the lower half of the hash, which rejects nearly all other texts, and the qstr's number.
Texts of equal hash are in consecutive slots. The upper half would reject few short texts, because
it depends on a text of two or three characters hardly at all.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from attrs import frozen

from porter.errors import GenerateFailed

WAYS = 4  # GPUSNEK_QSTR_WAYS of port/qstrsearch.h: the maximum of texts with equal hashes
TEXTS_PER_BUCKET = 4  # on average; fewer need more memory, more take longer to place
LOAD = 0.9  # maximum share of used slots; above it the last buckets rarely find a multiplier
MAX_QSTRS = 1 << 16  # a slot has 16 bits for a number
_WORD = 1 << 32
_MULTIPLIERS = range(1, 1 << 16, 2)

_QDEF = re.compile(
    r'^QDEF(\d?)\(\w+, (\d+), (\d+), "((?:[^"\\]|\\x[0-9a-f]{2})*)"\)$', re.MULTILINE
)
_ESCAPE = re.compile(rb"\\x([0-9a-f]{2})")

_TABLE = """\
const uint32_t gpusnek_qstr_bucket_mask = {mask}u;
const uint32_t gpusnek_qstr_shift = {shift}u;
const uint16_t gpusnek_qstr_multipliers[{buckets}] = {{
{multipliers}}};
const uint32_t gpusnek_qstr_slots[{slots}] = {{
{rows}}};
const uint64_t gpusnek_qstr_lengths = {lengths:#x}u;
"""


@frozen
class QstrTable:
    """A perfect hash of texts.

    Attributes:
        multipliers: The odd multiplier of each bucket, below 2^16. Their number is a power of two.
        slots: The lower 16 bits of a text's hash above its number, or 0. There are `WAYS - 1` more
            than a power of two, because a text of an equal hash may follow the last slot.
        shift: 32 minus the number of bits of a slot's index.
        lengths: The lengths of the texts: bit `min(length, 63)` is set for each.
    """

    multipliers: tuple[int, ...]
    slots: tuple[int, ...]
    shift: int
    lengths: int

    def find(self, text: bytes, texts: Sequence[bytes]) -> int | None:
        """Return the number of `text`, as port/qstrsearch.c does, or None.

        Args:
            text: The text.
            texts: The text of each number.
        """
        if not self.lengths >> min(len(text), 63) & 1:
            return None
        value = hash_of(text)
        first = _slot(value, self.multipliers[value % len(self.multipliers)], self.shift)
        for slot in self.slots[first : first + WAYS]:
            if slot >> 16 != value & 0xFFFF:
                break
            if texts[slot & 0xFFFF] == text:
                return slot & 0xFFFF
        return None

    def definitions(self) -> str:
        """Return the C definitions of the table."""
        return _TABLE.format(
            mask=len(self.multipliers) - 1,
            shift=self.shift,
            buckets=len(self.multipliers),
            multipliers=_rows([f"{value}u," for value in self.multipliers]),
            slots=len(self.slots),
            rows=_rows([f"{value:#010x}u," for value in self.slots]),
            lengths=self.lengths,
        )


def hash_of(text: bytes) -> int:
    """Return the hash of a text with 32 bits: djb2, `gpusnek_text_hash` of port/qstrsearch.h."""
    value = 5381
    for byte in text:
        value = (value * 33 ^ byte) % _WORD
    return value


def constant_texts(generated: str) -> list[bytes]:
    """Return the text of each qstr of a qstrdefs.generated.h, by number.

    Upstream numbers the unsorted qstrs (QDEF0) before the sorted ones (QDEF1).

    Raises:
        GenerateFailed: There are no qstrs, or they have other lengths or hashes than their texts.
    """
    found = _QDEF.findall(generated)
    if not found or len(found) != generated.count("\nQDEF") + generated.startswith("QDEF"):
        raise GenerateFailed("upstream's list of qstrs has QDEF lines that porter does not know")
    texts: tuple[list[bytes], list[bytes]] = ([], [])
    values: list[tuple[bytes, int]] = []
    for pool, value, length, literal in found:
        text = unescaped(literal)
        if len(text) != int(length):
            raise GenerateFailed(f"upstream's list of qstrs gives {text!r} the length {length}")
        texts[pool == "1"].append(text)
        values.append((text, int(value)))
    check_hashes(values[1:])  # MP_QSTRnull has none
    return texts[0] + texts[1]


def unescaped(literal: str) -> bytes:
    """Return the bytes of a C string of upstream's py/makeqstrdata.py, without its quotes."""
    return _ESCAPE.sub(lambda found: bytes([int(found[1], 16)]), literal.encode())


def check_hashes(values: Iterable[tuple[bytes, int]]) -> None:
    """Raise GenerateFailed if upstream's hashes are not the low bits of `hash_of`.

    Args:
        values: Texts and upstream's hashes, which have 8 or 16 bits and are never 0.
    """
    values = list(values)
    bits = 8 if all(value < 1 << 8 for _, value in values) else 16
    for text, value in values:
        if value != (hash_of(text) % (1 << bits) or 1):
            raise GenerateFailed(
                f"upstream's hash of the qstr {text!r} is {value}",
                hint="Compare qstr_compute_hash with porter/generate/qstr_table.py.",
            )


def table_of(texts: Sequence[bytes]) -> QstrTable:
    """Build the table of `texts`, the constant qstrs by number. The first one is MP_QSTRnull.

    Raises:
        GenerateFailed: There are too many texts, a text occurs twice, or more than `WAYS` texts
            have the same hash.
    """
    if len(texts) > MAX_QSTRS:
        raise GenerateFailed(f"{len(texts)} constant qstrs are too many; {MAX_QSTRS} are possible")
    twice = [text for text, count in Counter(texts[1:]).items() if count > 1]
    if twice:
        raise GenerateFailed(f"the constant qstr {twice[0]!r} occurs twice")
    numbers: dict[int, list[int]] = {}
    for number, text in enumerate(texts[1:], 1):
        numbers.setdefault(hash_of(text), []).append(number)
    for equal in numbers.values():
        if len(equal) > WAYS:
            shown = ", ".join(repr(texts[number]) for number in equal)
            raise GenerateFailed(f"more than {WAYS} constant qstrs have the same hash: {shown}")
    lengths = sum(1 << length for length in {min(len(text), 63) for text in texts[1:]})
    bits = max(1, int(len(texts) / LOAD).bit_length())
    while (table := _placed(numbers, len(texts), bits, lengths)) is None:
        bits += 1
    _check(table, texts)
    return table


def _placed(
    numbers: Mapping[int, Sequence[int]], texts: int, bits: int, lengths: int
) -> QstrTable | None:
    """Return a table with 2^`bits` slots, or None if a bucket finds no multiplier.

    Args:
        numbers: The numbers of the texts that have a hash, by hash.
        texts: The number of texts.
        bits: The number of bits of a slot's index.
        lengths: See `QstrTable`.
    """
    count = 1 << (texts // TEXTS_PER_BUCKET).bit_length()
    buckets: list[list[int]] = [[] for _ in range(count)]
    for value in numbers:
        buckets[value % count].append(value)
    multipliers = [1] * count
    shift = 32 - bits
    slots = [0] * ((1 << bits) + WAYS - 1)
    for bucket in sorted(range(count), key=lambda bucket: -len(buckets[bucket])):
        for multiplier in _MULTIPLIERS:
            taken = {
                _slot(value, multiplier, shift) + way: value << 16 & 0xFFFFFFFF | number
                for value in buckets[bucket]
                for way, number in enumerate(numbers[value])
            }
            wanted = sum(len(numbers[value]) for value in buckets[bucket])
            if len(taken) == wanted and not any(slots[at] for at in taken):
                break
        else:
            return None
        multipliers[bucket] = multiplier
        for at, slot in taken.items():
            slots[at] = slot
    return QstrTable(tuple(multipliers), tuple(slots), shift, lengths)


def _slot(value: int, multiplier: int, shift: int) -> int:
    return (value * multiplier % _WORD) >> shift


def _check(table: QstrTable, texts: Sequence[bytes]) -> None:
    """Raise GenerateFailed unless a lookup finds every text."""
    for number, text in enumerate(texts[1:], 1):
        if table.find(text, texts) != number:
            raise GenerateFailed(f"the table of constant qstrs does not find {text!r}")


def _rows(words: Sequence[str]) -> str:
    return "".join(f"    {' '.join(row)}\n" for row in _chunks(words, 8))


def _chunks(words: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    return (words[at : at + size] for at in range(0, len(words), size))
