"""Free memory is found where upstream finds it, and all of it is found."""

from __future__ import annotations

import ctypes
import random
import subprocess
from pathlib import Path

import pytest

from porter.base import paths
from porter.run import Device, Launch, run

FLAGS = ["-std=gnu99", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared",
         "-fsanitize=undefined", "-fno-sanitize-recover"]  # fmt: skip
FREE, HEAD, TAIL, MARKED = range(4)  # two bits a block: AT_FREE and so on of py/gc.c
WORD = 8  # bytes

Blocks = list[int]


@pytest.fixture(scope="module")
def table_search(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """The functions of freeblocks.h."""
    folder = tmp_path_factory.mktemp("heap")
    (folder / "py").mkdir()
    (folder / "py/mpconfig.h").write_text("", encoding="utf-8")
    library, harness = folder / "table.so", Path(__file__).with_name("harness.c")
    includes: list[str | Path] = ["-I", folder, "-I", paths.templates_dir() / "port"]
    subprocess.run(["gcc", *FLAGS, *includes, harness, "-o", library], check=True)
    found = ctypes.CDLL(str(library))
    for function in (found.behind_taken, found.mark_tails, found.count_tails):
        function.restype = ctypes.c_size_t
    return found


class Table:
    """Blocks packed as the heap's table has them, `offset` bytes behind a word's begin."""

    def __init__(self, blocks: Blocks, offset: int = 0) -> None:
        assert len(blocks) % 4 == 0
        packed = bytes(
            sum(blocks[i + j] << 2 * j for j in range(4)) for i in range(0, len(blocks), 4)
        )
        self._memory = (ctypes.c_uint8 * (len(packed) + 2 * WORD))()
        first = -ctypes.addressof(self._memory) % WORD + offset
        self.bytes = len(packed)
        self.array = (ctypes.c_uint8 * self.bytes).from_buffer(self._memory, first)
        for at, byte in enumerate(packed):
            self.array[at] = byte

    @property
    def blocks(self) -> Blocks:
        """What the table holds now."""
        return [byte >> 2 * j & 3 for byte in self.array for j in range(4)]


def first_run(blocks: Blocks, wanted: int) -> int | None:
    """Where the first run of so many free blocks begins."""
    free = 0
    for i, kind in enumerate(blocks):
        free = free + 1 if kind == FREE else 0
        if free == wanted:
            return i - wanted + 1
    return None


def mixture(chance: random.Random, count: int, often_free: float) -> Blocks:
    """Runs of free blocks, of few mostly, among taken ones."""
    blocks: Blocks = []
    while len(blocks) < count:
        if chance.random() < often_free:
            blocks += [FREE] * chance.choice((1, 1, 1, 2, 3, 40))
        else:
            blocks += [chance.choice((HEAD, MARKED)), *[TAIL] * chance.choice((0, 0, 1, 5, 70))]
    return blocks[:count]


@pytest.mark.parametrize("offset", range(WORD))
def test_what_is_passed_over_has_no_place(table_search: ctypes.CDLL, offset: int) -> None:
    chance = random.Random(offset)
    jumps = 0
    for trial in range(400):
        blocks = mixture(chance, 4 * chance.randrange(1, 60), chance.choice((0.02, 0.1, 0.5)))
        table = Table(blocks, offset)
        for wanted in (1, 2, 3, 17):
            at = chance.randrange(table.bytes)
            reached = table_search.behind_taken(
                table.array,
                ctypes.c_size_t(at),
                ctypes.c_size_t(table.bytes),
                ctypes.c_size_t(wanted),
            )
            assert at <= reached <= table.bytes
            jumps += reached > at
            # As if the block before were taken: the place is found from there as from here.
            before, behind = (
                first_run(blocks[4 * at :], wanted),
                first_run(blocks[4 * reached :], wanted),
            )
            assert (before is None) == (behind is None), trial
            assert before is None or behind is None or before + 4 * at == behind + 4 * reached
    assert jumps > 50


def test_tails_are_marked_as_one_by_one(table_search: ctypes.CDLL) -> None:
    for first in range(1, 14):
        for last in range(first - 1, 40):
            blocks = [HEAD] * first + [FREE] * (last + 1 - first) + [MARKED] * (47 - last)
            table = Table(blocks)
            left = table_search.mark_tails(
                table.array, ctypes.c_size_t(first), ctypes.c_size_t(last)
            )
            assert max(first, last - 3) <= left <= last + 1 or left == first == last + 1
            assert table.blocks == [*blocks[:first], *[TAIL] * (left - first), *blocks[left:]]


@pytest.mark.parametrize("offset", range(WORD))
def test_tails_are_counted_as_one_by_one(table_search: ctypes.CDLL, offset: int) -> None:
    for count in (*range(140), 255, 256, 257):
        for first in (0, 1, 3, 4, 31, 32):
            blocks = [HEAD] * first + [TAIL] * count + [MARKED, TAIL, TAIL, FREE] * 9
            blocks = blocks[: len(blocks) // 4 * 4]
            for end in (len(blocks), first + count, first + count // 2):
                found = table_search.count_tails(
                    Table(blocks, offset).array, ctypes.c_size_t(first), ctypes.c_size_t(end)
                )
                assert found == min(count, end - first)


# Tuples of 2 take one block and tuples of 3 two. All memory is filled with the former; of blocks
# that are given back by pairs, each pair is one place for the latter. What the program needs itself
# while memory is full lies in `spare`, 64 blocks each.
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
spare = [bytearray(2040), bytearray(2040)]
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
