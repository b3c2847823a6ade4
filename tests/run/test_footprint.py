"""Memory per interpreter and the number that fits, compared with manual calculations."""

from __future__ import annotations

import re
from typing import Any

import pytest

from porter.base.paths import templates_dir
from porter.errors import NotEnoughMemory
from porter.run.footprint import (
    BUNDLE,
    H200,
    LEDGER,
    PAGE,
    WORD,
    Figures,
    Footprint,
    Gpu,
    MemoryBudget,
    describe,
)

KIB = 1024
SMALL = Gpu("small", memory=1 << 31, multiprocessors=2, threads=1024)
HEAD, CANARIES = 64, 3 * 64


def host(state: int = 3 * KIB) -> Figures:
    """Return the figures of a host twin with a state of this size in bytes."""
    arena = state + HEAD + CANARIES
    return Figures(state, arena, state + HEAD, 64, arena - state - 64)


def need(local: bool = True, state: int = 3 * KIB, **sizes: Any) -> Footprint:
    usual = {"heap": 12 * KIB, "pystack": KIB, "stack": 5 * KIB, "stdout": KIB, "stderr": KIB}
    values = usual | sizes
    return Footprint(figures=host(state).on_gpu(local=local, stack=values["stack"]), **values)


def test_local_arena() -> None:
    found = need()
    assert found.arena == 16 * KIB + HEAD + CANARIES
    # A snapshot has no pystack. State and head have 25 pages of 128 bytes, the heap 96, and the
    # remainder of the collector's tables one. Per page, 8 bytes for 32 snapshots name its row; 12
    # bytes belong to each snapshot.
    assert found.resting == (25 + 96 + 1) * 128 + found.resting_least
    assert found.resting_least == -(-(25 + 96 + 1) * 8 // 32) + 12
    assert found.persisting(1000) == 1000 * found.resting
    assert found.persisting(100_000) < 100_000 * found.resting // 2
    assert found.streams == 2 * KIB
    # With 4 KiB below the C stack; the driver rounds it by 512 bytes.
    assert found.local == 16 * KIB + HEAD + CANARIES + 9 * KIB
    assert found.reservation(SMALL) == (25 * KIB + 512) * 2048
    left = (1 << 31) - found.reservation(SMALL)
    assert found.fit(SMALL) == left // (found.resting + 2 * KIB)
    left -= (found.resting - found.resting_least) << 15
    assert found.fit_most(SMALL) == left // (found.resting_least + 2 * KIB)


def test_global_arena_reserves_the_stack_only() -> None:
    found = need(local=False)
    assert found.local == 13 * KIB  # with the kernel's own frame
    assert found.resting == found.resting_least == found.arena


def test_heap_and_pystack_are_rounded_up() -> None:
    assert need(heap=12 * KIB - 16, pystack=KIB - 48).arena == need().arena


def test_what_one_more_takes() -> None:
    found = need(inputs=5, shared=7)
    assert found.each == found.streams + LEDGER + 12
    assert need(arena_needed=True).each == found.resting + found.streams + LEDGER


def test_design_figure() -> None:
    # DESIGN: 64 KiB of local memory a thread reserve 17 GB (16.5 GiB) on an H200.
    assert H200.resident == 132 * 2048
    assert 64 * KIB * H200.resident == pytest.approx(17.7e9, rel=0.01)


def test_reservation_larger_than_the_gpu() -> None:
    tiny = Gpu("tiny", memory=1 << 28, multiprocessors=2, threads=1024)
    assert need(heap=256 * KIB, stack=128 * KIB).fit(tiny) == 0


def test_too_many_interpreters() -> None:
    room = MemoryBudget(free=10 * KIB, fixed=2 * KIB)
    room.check(8, KIB, "--heap")
    with pytest.raises(NotEnoughMemory, match="9 interpreters do not fit: each takes 1K") as caught:
        room.check(9, KIB, "--heap")
    assert "At most 8 fit now; or make --heap smaller." in str(caught.value.hint)
    with pytest.raises(NotEnoughMemory, match=r"takes 2 whatever their number, and 1 are free"):
        MemoryBudget(free=1, fixed=2).check(1, KIB, "--heap")
    persists = need()
    room = MemoryBudget(free=persists.persisting(10**6), fixed=0)
    room.check_persisting(10**6, persists)
    with pytest.raises(NotEnoughMemory, match="1000001 interpreters do not fit: they take"):
        room.check_persisting(10**6 + 1, persists)


def test_description_names_the_figures() -> None:
    text = describe(need())
    assert "H200" in text and "reserved for 270336 resident threads" in text


def test_snapshots_have_the_pages_of_device_code() -> None:
    folder = templates_dir()
    launch = (folder / "runtime" / "launch.h").read_text(encoding="utf-8")
    interp = (folder / "port" / "interp.h").read_text(encoding="utf-8")
    found = dict(re.findall(r"\b(GPUSNEK_(?:BUNDLE|PAGE_WORDS)) = (\d+),", launch))
    found |= dict(re.findall(r"#define (GPUSNEK_HEAP_PAGE) \((\d+)\)", interp))
    assert {name: int(value) for name, value in found.items()} == {
        "GPUSNEK_BUNDLE": BUNDLE,
        "GPUSNEK_PAGE_WORDS": PAGE // WORD,
        "GPUSNEK_HEAP_PAGE": PAGE,
    }
