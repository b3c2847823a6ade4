"""Snapshots, and the kernels over them, against a plain model: each interpreter's bytes.

Interpreters consist of memory only (tests/snapshots_twin.cpp). Launches boot, fork and continue
some of them, in any order, in chunks; between launches snapshots are trimmed and copied.
"""

from __future__ import annotations

import ctypes
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from porter.run.device.chunks import chunks_for
from porter.run.device.cuda_operations import BLOCK
from porter.run.device.snapshots import SnapshotStore, address_of
from porter.run.footprint import LEAST_CHUNK, ROW, bundles
from tests.strict_cupy import array_kernel, arrays_library

HERE = Path(__file__).parent.parent
RUNTIME = HERE.parent / "templates" / "runtime"
START, FORK, RESTS = 1, 2048, 2**32 - 1
MAGIC, HEAP, TABLES, PAGE, CANARY = 0x1234567890, 4096, 96, 128, 64
FIXED, PAGES = 320, (4096 - 96) // 128  # bytes of head and state; pages of the heap
SPARE = 1 << 40


def compiled(folder: Path, **defined: str) -> ctypes.CDLL:
    library = folder / f"snapshots{len(list(folder.iterdir()))}.so"
    options = [
        "-std=c++17",
        "-O1",
        "-Wall",
        "-Wextra",
        "-Wno-unknown-pragmas",
        "-shared",
        "-fPIC",
        "-pthread",
    ]
    defines = [f'-D{name}="{value}"' for name, value in defined.items()]
    source = HERE / "snapshots_twin.cpp"
    command = ["g++", *options, *defines, f"-I{RUNTIME}", str(source), "-o", str(library)]
    subprocess.run(command, check=True, timeout=120)
    found = ctypes.CDLL(str(library))
    numbers, pointers = [ctypes.c_uint64] * 2, [ctypes.c_void_p] * 2
    found.run.argtypes = [ctypes.c_void_p, *numbers, *pointers]
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("snapshots")


@pytest.fixture(scope="module")
def arrays(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    return arrays_library(tmp_path_factory.mktemp("arrays"))


@pytest.fixture(scope="module")
def twin(folder: Path) -> ctypes.CDLL:
    return compiled(folder)


class Model:
    """Interpreters with snapshots, and their expected content."""

    def __init__(self, twin: ctypes.CDLL, arrays: ctypes.CDLL, n: int, seed: int) -> None:
        self.twin, self.n = twin, n
        self.random = random.Random(seed)
        self.size = int(twin.arena_size())
        pages = -(-FIXED // PAGE) + -(-HEAP // PAGE) + 1

        def kernel(name: str, threads: int, *arguments: int) -> None:
            grid = (-(-threads // BLOCK),)
            array_kernel(arrays, name)(grid, (BLOCK,), tuple(map(np.uint64, arguments)))

        def empty(size: int, dtype: Any) -> np.ndarray[Any, Any]:
            return np.full(size, 0xA5A5A5A5, dtype)  # no code may rely on the content

        self.behind: list[np.ndarray[Any, Any]] = []

        def zeros(shape: Any, dtype: Any) -> np.ndarray[Any, Any]:
            size = int(np.prod(shape))
            memory = np.zeros(size + 512, dtype)
            self.behind.append(memory[size:])  # other data after the array
            return memory[:size].reshape(shape)

        device: Any = SimpleNamespace(
            zeros=zeros,
            array=lambda values: np.array(values, order="C"),
            host=lambda array: array,
            address=lambda array: array.ctypes.data,
            xp=SimpleNamespace(empty=empty),
            figures=SimpleNamespace(pages=lambda heap: pages),
        )
        self.device = device
        self.snapshots = SnapshotStore.allocate(device, n, HEAP, kernel)
        self.want: list[np.ndarray[Any, Any] | None] = [None] * n
        self.templates: list[tuple[int, np.ndarray[Any, Any], object]] = []

    def fresh(self) -> np.ndarray[Any, Any]:
        """Return the arena of a booted interpreter; its pages are equal in all interpreters."""
        arena = np.zeros(self.size, np.uint8)
        self.head(arena)[:4] = MAGIC, 0, 0, HEAP
        for page in range(9):
            self.touch(arena, page, 7 * page)
        return arena

    def head(self, arena: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        at = HEAP + CANARY
        return arena[at : at + 64].view(np.uint64)

    def touch(self, arena: np.ndarray[Any, Any], page: int, value: int) -> None:
        """Use a page of the heap; value 256: it is free."""
        arena[page] = value < 256
        at = TABLES + page * PAGE
        arena[at : at + PAGE] = np.arange(PAGE) + value & 255

    def changed(self, before: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Return the arena after a program has changed it."""
        choose, arena = self.random, before.copy()
        for _ in range(choose.randrange(4)):
            where = choose.choice((PAGES, TABLES - 8, HEAP + CANARY + 40, self.size - 1))
            arena[where] = choose.randrange(4)  # tables, head, state
        for _ in range(choose.randrange(6)):
            page = choose.choice((choose.randrange(12), choose.randrange(PAGES)))
            self.touch(arena, page, choose.choice((256, 1, 2, 7 * page)))
        if choose.random() < 0.02:
            self.head(arena)[0] = 0
        return arena

    def launch(
        self, flags: int = 0, *, block: int, rest: float, chunk: int, shuffled: bool
    ) -> None:
        """Launch once, and check that interpreters find the memory that they left."""
        choose, n = self.random, self.n
        for others in self.behind:
            pattern = np.arange(others.nbytes) % PAGE + choose.choice((1, 2))
            others.view(np.uint8)[:] = pattern  # like pages
        program_of = np.zeros(n, np.uint32)
        forks = np.array([0, *(address for address, _, _ in self.templates)], np.uint64)
        if flags == FORK:
            program_of[:] = [choose.randrange(len(forks)) for _ in range(n)]
            self.snapshots.kept.extend(keep for _, _, keep in self.templates)
        program_of[[choose.random() < rest for _ in range(n)]] = RESTS
        order = np.arange(n, dtype=np.uint32)
        if shuffled:
            choose.shuffle(order)  # type: ignore[arg-type]
        chunks_for(self.snapshots, n, block, SPARE, is_first=flags == START, whole=True)
        if flags == START:
            self.want = [None] * n
        found: list[np.ndarray[Any, Any] | None] = []
        for i in range(n):
            boots = flags == START or (flags == FORK and program_of[i] == 0)
            copy = flags == FORK and not boots and program_of[i] != RESTS
            one = self.templates[program_of[i] - 1][1] if copy else self.want[i]
            found.append(None if boots else one)
        nexts = np.zeros((n, self.size), np.uint8)
        for i, before in enumerate(found):
            boots = flags == START or (flags == FORK and program_of[i] == 0)
            if before is not None or boots:
                nexts[i] = self.changed(self.fresh() if before is None else before)
        seen = np.full((n, self.size), 0xDD, np.uint8)
        for first in range(0, n, chunk):
            record = np.array(
                [
                    *(flags, n, block, order.ctypes.data if shuffled else 0, first),
                    *(program_of.ctypes.data, forks.ctypes.data),
                    *self.snapshots.fields.values(),
                ],
                np.uint64,
            )
            count = min(chunk, n - first)
            self.twin.run(
                record.ctypes.data, count, choose.choice((1, 4, 16)), seen.ctypes.data,
                nexts.ctypes.data,
            )  # fmt: skip
        for i, before in enumerate(found):
            boots = flags == START or (flags == FORK and program_of[i] == 0)
            if program_of[i] == RESTS:
                assert (seen[i] == 0xDD).all()
                continue
            if not boots:
                self.same(seen[i], before)
            if boots or before is not None:
                alive = self.head(nexts[i])[0] == MAGIC
                self.want[i] = nexts[i].copy() if alive else None
        assert self.snapshots.taken <= self.snapshots.rows

    def same(self, seen: np.ndarray[Any, Any], want: np.ndarray[Any, Any] | None) -> None:
        if want is None:
            assert self.head(seen)[0] == 0
            return
        for at, size in self.parts(want):
            if at == HEAP + CANARY:  # the part of the head with the used sizes
                seen, want = seen.copy(), want.copy()
                self.head(seen)[1:3] = self.head(want)[1:3] = 0
            assert (seen[at : at + size] == want[at : at + size]).all()

    def parts(self, arena: np.ndarray[Any, Any]) -> Iterator[tuple[int, int]]:
        """Yield offset and size of each page that counts."""
        for at in range(0, FIXED, PAGE):
            yield HEAP + CANARY + at, min(PAGE, FIXED - at)
        yield 0, TABLES
        for page in range(PAGES):
            if arena[page]:
                yield TABLES + page * PAGE, PAGE

    def pages(self, i: int) -> dict[int, bytes]:
        """Return the expected pages of snapshot i by number."""
        arena = self.want[i]
        if arena is None:
            return {}
        used = [k for k in range(PAGES) if arena[k]]
        arena = arena.copy()
        self.head(arena)[1:3] = TABLES + (max(used, default=-1) + 1) * PAGE, TABLES
        cut = [arena[HEAP + CANARY + at :][: min(PAGE, FIXED - at)] for at in range(0, FIXED, PAGE)]
        cut.append(arena[:TABLES])
        found = {k: bytes(part).ljust(PAGE, b"\0") for k, part in enumerate(cut)}
        for k in used:
            at = TABLES + k * PAGE
            found[len(cut) + k] = bytes(arena[at : at + PAGE])
        return found

    def template(self) -> None:
        """Copy an existing snapshot as a template for others."""
        there = [i for i, arena in enumerate(self.want) if arena is not None]
        if there:
            i = self.random.choice(there)
            copy = self.snapshots.single(i)
            want = self.want[i]
            assert want is not None
            self.templates = [*self.templates, (copy.address, want.copy(), copy)][-3:]
            words = copy.words[0]
            for k, page in self.pages(i).items():
                assert bytes(words[(1 + k) * 16 :][:16]) == page

    def trim(self) -> None:
        """Trim: no unused row stays, and no used row is lost."""
        self.snapshots.trim()
        bases = self.snapshots._bases
        needed = 0
        for bundle in range(bundles(self.n)):
            rows: set[int] = set()
            for i in range(32 * bundle, min(self.n, 32 * bundle + 32)):
                base, size = int(bases[i]), 0
                if base:
                    size = ctypes.c_uint64.from_address(base - PAGE).value
                for k, page in self.pages(i).items():
                    if k >= size or ctypes.string_at(base + k * PAGE, PAGE) != page:
                        rows.add(k)
            needed += len(rows)
        assert self.snapshots.taken == needed
        kept: list[Any] = self.snapshots.kept
        owned = {
            address_of(self.device, each if isinstance(each, np.ndarray) else each.words)
            for each in kept
        }
        there = self.snapshots.used != 0
        assert set(bases[there].tolist()) <= {0, *owned}
        assert self.snapshots.rows * ROW <= needed * ROW + (ROW << self.snapshots.shift)


def history(model: Model, launches: int) -> None:
    """Run random launches, with random operations between them."""
    choose = model.random
    for k in range(launches):
        flags = START if k == 0 or choose.random() < 0.05 else 0
        if model.templates and choose.random() < 0.25:
            flags = FORK
        shuffled = choose.random() < 0.3
        block = choose.choice((1, 32, 64, 100))
        model.launch(
            flags,
            block=block,
            rest=choose.choice((0, 0, 0.3, 0.9)),
            chunk=choose.choice((1000, 64, 96)),
            shuffled=shuffled,
        )
        if choose.random() < 0.4:
            model.template()
        if choose.random() < 0.4:
            model.trim()


@pytest.mark.parametrize("seed", range(12))
def test_snapshots_equal_the_memory_at_the_end_of_a_launch(
    twin: ctypes.CDLL, arrays: ctypes.CDLL, seed: int
) -> None:
    history(Model(twin, arrays, random.Random(seed).choice((1, 31, 64, 150)), seed), 25)


BROKEN = {
    "half of a unit is compared": ("(unit.x ^ other.x) | (unit.y ^ other.y)", "unit.x ^ other.x"),
    "lanes lose others' bits": ("atomicXor(snapshots, 1u <<", "*snapshots = (1u <<"),
    "a row of two pages": ("atomicAdd((uint32_t *)snapshot->launch->snapshot_taken, 1u)", "0"),
    "bits stay": ("if (differs != (entry", "if (differs && !(entry"),
    "pages behind the end stay": ("page < old_used", "page < 0"),
    "a base has no end": ("&& page < snapshot->base_pages", ""),
    "another's lane": ("_ROW_UNITS + snapshot->lane", "_ROW_UNITS + snapshot->lane / 2"),
    "the first base for ever": ("if (from != old_base)", "if (from != old_base && !old_base)"),
}  # fmt: skip


@pytest.mark.parametrize("defect", BROKEN)
def test_a_defect_is_found(folder: Path, arrays: ctypes.CDLL, defect: str) -> None:
    text = (RUNTIME / "snapshots.cuh").read_text()
    right, wrong = BROKEN[defect]
    assert right in text
    path = folder / f"broken{len(list(folder.iterdir()))}.cuh"
    path.write_text(text.replace(right, wrong))
    broken = compiled(folder, SNAPSHOTS=str(path))
    with pytest.raises((AssertionError, IndexError)):
        for seed in range(12):
            history(Model(broken, arrays, 150, seed), 25)


def test_room_is_found_in_chunks(twin: ctypes.CDLL, arrays: ctypes.CDLL) -> None:
    model = Model(twin, arrays, 10, 0)
    snapshots = model.snapshots
    assert snapshots.rows == 0
    assert chunks_for(snapshots, 10, 128, SPARE, is_first=True, whole=False).size == 10
    assert snapshots.rows == snapshots.most
    assert address_of(model.device, np.zeros((2, 160), np.uint64)) % 8 == 0
    assert LEAST_CHUNK % 32 == 0
