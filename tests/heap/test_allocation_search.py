"""The search for free memory gives upstream's result, and finds all free memory."""

from __future__ import annotations

import ctypes
import random
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from porter.base import paths
from porter.run import Device, Launch, run

FLAGS = ["-std=gnu99", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared",
         "-fsanitize=undefined", "-fno-sanitize-recover"]  # fmt: skip
FREE, HEAD, TAIL, MARKED = range(4)  # two bits a block: AT_FREE and so on of py/gc.c
WORD = 8  # bytes
NOWHERE = 2**64 - 1

Blocks = list[int]


@pytest.fixture(scope="module")
def table_search(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """Return the functions of freeblocks.h."""
    folder = tmp_path_factory.mktemp("heap")
    library, harness = folder / "table.so", Path(__file__).with_name("harness.c")
    includes: list[str | Path] = ["-I", paths.templates_dir() / "port"]
    subprocess.run(["gcc", *FLAGS, *includes, harness, "-o", library], check=True)
    found = ctypes.CDLL(str(library))
    for function in (found.free_run, found.mark_tails, found.count):
        function.restype = ctypes.c_size_t
    found.small_run.restype = found.first_free.restype = ctypes.c_uint32
    return found


class Table:
    """Blocks packed like the heap's table, with bytes of another table after them.

    Attributes:
        offset: Bytes from a word boundary to the table.
    """

    def __init__(self, blocks: Blocks, offset: int = 0, behind: int = 0) -> None:
        assert len(blocks) % 4 == 0
        packed = bytes(
            sum(blocks[i + j] << 2 * j for j in range(4)) for i in range(0, len(blocks), 4)
        )
        size = len(packed) + 2 * WORD
        self._memory = (ctypes.c_uint8 * size)(*[behind] * size)
        self._first = first = -ctypes.addressof(self._memory) % WORD + offset
        self.bytes = len(packed)
        self.array = (ctypes.c_uint8 * self.bytes).from_buffer(self._memory, first)
        for at, byte in enumerate(packed):
            self.array[at] = byte

    @property
    def behind(self) -> bytes:
        """Return the memory after the table."""
        return bytes(self._memory)[self._first + self.bytes :]

    @property
    def blocks(self) -> Blocks:
        """Return the current content of the table."""
        return [byte >> 2 * j & 3 for byte in self.array for j in range(4)]


def first_run(blocks: Blocks, wanted: int) -> int | None:
    """Return the start of the first run of `wanted` free blocks."""
    free = 0
    for i, kind in enumerate(blocks):
        free = free + 1 if kind == FREE else 0
        if free == wanted:
            return i - wanted + 1
    return None


def mixture(chance: random.Random, count: int, often_free: float) -> Blocks:
    """Return runs of free blocks, mostly short, among taken ones."""
    blocks: Blocks = []
    while len(blocks) < count:
        if chance.random() < often_free:
            blocks += [FREE] * chance.choice((1, 1, 1, 2, 3, 40))
        else:
            blocks += [chance.choice((HEAD, MARKED)), *[TAIL] * chance.choice((0, 0, 1, 5, 70))]
    return blocks[:count]


def searches(behind: int, counts: Iterable[int]) -> Iterator[tuple[Table, int, int, int | None]]:
    """Yield tables, start bytes, numbers of blocks to search for, and the first match."""
    chance = random.Random(behind)
    for _ in range(600):
        blocks = mixture(chance, 4 * chance.randrange(1, 90), chance.choice((0.02, 0.1, 0.5, 0.9)))
        for wanted in counts:
            table = Table(blocks, behind=behind)
            at = chance.randrange(table.bytes)
            place = first_run(blocks[4 * at :], wanted)
            yield table, at, wanted, None if place is None else 4 * at + place


@pytest.mark.parametrize("behind", [0x00, 0xFF, 0xA5])
def test_the_first_place_is_found(table_search: ctypes.CDLL, behind: int) -> None:
    found = {True: 0, False: 0}
    for table, at, wanted, place in searches(
        behind, (1, 2, 3, 4, 5, 8, 17, 31, 32, 33, 41, 64, 65, 100)
    ):
        before = bytes(table.array)
        last = table_search.free_run(table.array, *map(ctypes.c_size_t, (at, table.bytes, wanted)))
        assert last == (NOWHERE if place is None else place + wanted - 1), (wanted, at)
        assert bytes(table.array) == before
        found[place is None] += 1
    assert min(found.values()) > 500


@pytest.mark.parametrize("behind", [0x00, 0xFF, 0xA5])
def test_small_objects_get_the_first_place(table_search: ctypes.CDLL, behind: int) -> None:
    found = {True: 0, False: 0}
    for table, at, wanted, place in searches(behind, (*range(1, 7), 8, 17, 30, 31, 32)):
        start = table_search.small_run(table.array, at, table.bytes, wanted)
        assert start == (2**32 - 1 if place is None else place), (wanted, at)
        found[place is None] += 1
        if place is not None:
            blocks = table.blocks
            table_search.mark_object(table.array, place, wanted)
            taken = [HEAD, *[TAIL] * (wanted - 1)]
            assert table.blocks == [*blocks[:place], *taken, *blocks[place + wanted :]]
        assert set(table.behind) == {behind}
    assert min(found.values()) > 500


@pytest.mark.parametrize("behind", [0x00, 0xFF, 0xA5])
def test_one_block_gets_the_first_place(table_search: ctypes.CDLL, behind: int) -> None:
    for table, at, _, place in searches(behind, (1, 1, 1)):
        before = table.blocks
        start = table_search.first_free(table.array, at, table.bytes)
        assert start == (2**32 - 1 if place is None else place), at
        if place is not None:
            before[place] = HEAD
        assert table.blocks == before
        assert set(table.behind) == {behind}


def test_a_table_is_read_by_words_or_not(table_search: ctypes.CDLL) -> None:
    for offset in range(1, WORD):
        table = Table([HEAD, *[FREE] * 47], offset)
        assert table_search.mark_tails(table.array, *map(ctypes.c_size_t, (1, 40))) == 1
        assert table.blocks == [HEAD, *[FREE] * 47]


@pytest.mark.parametrize("behind", [0x00, 0xFF])
def test_tails_are_marked_as_one_by_one(table_search: ctypes.CDLL, behind: int) -> None:
    for first in (*range(1, 14), 30, 31, 32, 33):
        for last in range(first - 1, 110):
            blocks = [HEAD] * first + [FREE] * (last + 1 - first) + [MARKED] * (111 - last)
            table = Table(blocks, behind=behind)
            left = table_search.mark_tails(table.array, *map(ctypes.c_size_t, (first, last)))
            assert left == last + 1
            assert table.blocks == [*blocks[:first], *[TAIL] * (left - first), *blocks[left:]]
            assert set(table.behind) == {behind}


@pytest.mark.parametrize("kind", [FREE, TAIL])
def test_blocks_are_counted_as_one_by_one(table_search: ctypes.CDLL, kind: int) -> None:
    other = TAIL if kind == FREE else FREE
    for count in (*range(140), 255, 256, 257):
        for first in (0, 1, 3, 4, 31, 32, 33, 64):
            blocks = [HEAD, other] * first + [kind] * count + [MARKED, other, other, HEAD] * 9
            blocks = blocks[first : len(blocks) // 4 * 4 - 4 + first]
            blocks = blocks[: len(blocks) // 4 * 4]
            for end in (len(blocks), first + count, first + count // 2):
                for enough in (NOWHERE, 1, count // 2, count):
                    counted = table_search.count(
                        Table(blocks, behind=0x55 * kind).array,
                        *map(ctypes.c_size_t, (first, end)),
                        ctypes.c_uint(kind),
                        ctypes.c_size_t(enough),
                    )
                    exact = min(count, end - first)
                    assert counted == exact or (enough <= counted <= exact and enough < exact)


def test_whole_blocks_are_cleared(table_search: ctypes.CDLL) -> None:
    memory = (ctypes.c_uint64 * 64)(*[7] * 64)
    for number in range(15):
        memory[:] = [7] * 64
        table_search.clear(ctypes.byref(memory, 32), ctypes.c_size_t(32 * number))
        assert list(memory) == [7] * 4 + [0] * 4 * number + [7] * (60 - 4 * number)


# Tuples of 2 take one block, tuples of 3 two. All memory is filled with tuples of 2. Where two
# neighbours are freed, one tuple of 3 fits. `spare` reserves 64 blocks each for the program itself
# while memory is full.
HOLES = """
import gc
def two(n):
    return n, 0
def three(n):
    return n, 0, 1
def fill(kept, make):
    n = 0
    try:
        while True:
            kept[n] = make(n)
            n += 1
    except MemoryError:
        return n
kept, again = [None] * 4000, [None] * 4000
spare = [bytearray(4090), bytearray(2040)]
gc.collect()
gc.disable()
n = fill(kept, two)
spare.pop()
gc.collect()
given = 0
for i in range(40, n):
    if i % 8 in TAKEN:
        kept[i] = None
        given += 1
gc.collect()
places = fill(again, MAKE)
spare.pop()
gc.collect()
gc.enable()
print(n > 1000, given // SIZE > 100, -8 <= places - given // SIZE <= 72)
print(all(kept[i] is None or kept[i] == (i, 0) for i in range(n)))
print(all(again[i] == MAKE(i) for i in range(places)), again[places])
"""


@pytest.mark.parametrize(
    ("taken", "make", "size"),
    [("(3,)", "two", 1), ("(0, 1, 2, 3, 4, 5, 6)", "two", 1), ("(2, 3, 6, 7)", "three", 2)],
    ids=["singles", "most", "pairs"],
)
def test_all_memory_is_found(any_device: Device, taken: str, make: str, size: int) -> None:
    program = f"TAKEN, SIZE = {taken}, {size}\n" + HOLES.replace("MAKE", make)
    result = run(any_device, [program], 2, Launch(heap=1 << 17))
    assert result.stderr[0] == b""
    assert result.stdout[1] == b"True True True\nTrue\nTrue None\n"
