"""Memory per interpreter and how many fit, against numbers worked out by hand."""

from __future__ import annotations

import pytest

from porter.config import BuildConfig
from porter.errors import NotEnoughMemory
from porter.memory import H200, Gpu, check_fit, describe, footprint

KIB = 1024
SMALL = Gpu("small", memory=1 << 30, multiprocessors=2, threads=1024)


def test_local_arena() -> None:
    config = BuildConfig(release="1", heap=12 * KIB, stack=5 * KIB, pystack=KIB, stdout=KIB)
    need = footprint(config, state=3 * KIB)
    assert need.arena == 16 * KIB + 64 + 3 * 64  # head and canaries
    assert need.image == 15 * KIB + 64  # an image has no pystack
    assert need.buffers == 2 * KIB
    assert need.local == 25 * KIB + 512  # with 4 KiB below the C stack, by 512 bytes
    assert need.reservation(SMALL) == need.local * 2048
    assert need.fit(SMALL) == ((1 << 30) - need.local * 2048) // (need.image + 2 * KIB)


def test_global_arena_reserves_the_stack_only() -> None:
    need = footprint(BuildConfig(release="1", stack=5 * KIB, arena="global"))
    assert need.local == 13 * KIB  # with the kernel's own frame
    assert need.image == need.arena + 8


def test_parts_are_aligned() -> None:
    config = BuildConfig(release="1", stdout=65, stderr=0, heap=12 * KIB, pystack=4 * KIB)
    assert footprint(config, state=100).arena == 128 + 64 + 16 * KIB + 3 * 64
    assert footprint(config).buffers == 128


def test_design_figure() -> None:
    # DESIGN: 64 KiB of local memory a thread reserve 17 GB (16.5 GiB) on an H200.
    assert H200.resident == 132 * 2048
    assert 64 * KIB * H200.resident == pytest.approx(17.7e9, rel=0.01)


def test_too_many_interpreters() -> None:
    config = BuildConfig(release="1")
    most = footprint(config).fit(SMALL)
    check_fit(config, most, SMALL)
    with pytest.raises(NotEnoughMemory, match=f"{most + 1} interpreters do not fit") as caught:
        check_fit(config, most + 1, SMALL)
    assert f"At most {most} fit" in str(caught.value.hint)


def test_reservation_larger_than_the_gpu() -> None:
    config = BuildConfig(release="1", heap=256 * KIB, stack=128 * KIB)
    tiny = Gpu("tiny", memory=1 << 28, multiprocessors=2, threads=1024)
    assert footprint(config).fit(tiny) == 0
    with pytest.raises(NotEnoughMemory):
        check_fit(config, 1, tiny)


def test_description_names_the_figures() -> None:
    text = describe(BuildConfig(release="1"))
    assert "H200" in text and "reserved for 270336 resident threads" in text
