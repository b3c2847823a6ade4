"""Threads that launch on one GPU have streams of their own, which later threads use again."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

from porter.run.device.cuda import Cuda


class FakeStream:
    """A stream that knows whether it is current."""

    made = 0

    def __init__(self, *, non_blocking: bool, priority: int) -> None:
        FakeStream.made += 1
        self.current = False
        assert non_blocking and priority < 0

    def __enter__(self) -> FakeStream:
        assert not self.current
        self.current = True
        return self

    def __exit__(self, *_: object) -> None:
        self.current = False


class FakeCupy:
    """The part of CuPy that makes streams."""

    class cuda:
        Stream = FakeStream


def opened(*, ordered: bool) -> Any:
    """Return a device without a GPU."""
    device = object.__new__(Cuda)
    device.xp, device._ordered, device._idle_streams = FakeCupy, ordered, []
    return device


def test_threads_share_no_stream_and_use_them_again() -> None:
    FakeStream.made = 0
    device, together = opened(ordered=False), Barrier(3)

    def work(_: int) -> None:
        with device.apart():
            together.wait(10)

    for _ in range(4):
        with ThreadPoolExecutor(3) as pool:
            list(pool.map(work, range(3)))
    assert FakeStream.made == 3 == len(set(device._idle_streams))


def test_a_stream_comes_back_after_an_exception() -> None:
    device = opened(ordered=False)
    try:
        with device.apart():
            raise ValueError
    except ValueError:
        pass
    assert [stream.current for stream in device._idle_streams] == [False]


def test_the_caller_s_stream_stays() -> None:
    FakeStream.made = 0
    with opened(ordered=True).apart():
        pass
    assert FakeStream.made == 0
