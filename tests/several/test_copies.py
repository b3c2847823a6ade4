"""Snapshots of interpreters on several devices: clones across devices, released memory."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from porter import InterpreterArray
from porter.run import Launch, run
from porter.run.several.device import Several

if TYPE_CHECKING:
    from porter.pipeline import Build

N = 600  # enough that each part's interpreters begin as copies of a template


@pytest.fixture(scope="module")
def images(built: Build, tmp_path_factory: pytest.TempPathFactory) -> Several:
    """Return two devices with local arenas; their launches alternate, because they share an
    address.
    """
    if os.environ.get("PORTER_BOUNDS_CHECKS"):
        pytest.skip("fences know arenas that stay where they are")
    from tests.local_twin import LocalTwin, local_twin

    twin = local_twin(built, Path(tmp_path_factory.mktemp("twin")))
    turn, launch = threading.Lock(), twin.launch

    def in_turn(record: Any, threads: int, chunks: Any = None, *, urgent: bool = False) -> Any:
        with turn:
            running = launch(record, threads, chunks)
            running.wait(None)
            return running

    twin.launch = in_turn  # type: ignore[method-assign]
    assert isinstance(twin, LocalTwin)
    return Several([twin, twin], ["GPU 0", "GPU 1"])


def test_an_interpreter_is_copied_to_all(images: Several) -> None:
    with InterpreterArray(N, device=images, block=1, heap="16K") as sneks:
        sneks.exec("x = [threadIdx]")
        sneks.clone_from(N - 1)
        assert sneks.eval("x") == [[N - 1]] * N
        assert sneks.eval("(threadIdx, blockIdx)") == [(i, i) for i in range(N)]
        sneks.exec("x = [threadIdx]")
        sneks.clone_from(0)
        assert sneks.eval("x") == [[0]] * N


def test_what_rests_gives_memory_back(images: Several) -> None:
    with InterpreterArray(N, device=images, block=1, heap="16K") as sneks:
        sneks.exec("x = threadIdx")
        assert sneks.trim() > 0
        assert sneks.eval("x").tolist() == list(range(N))


def test_templates_of_each_device(images: Several) -> None:
    launch = Launch(block=1, heap=16 << 10, fork=True)
    result = run(images, ["print(threadIdx // 300)"], N, launch)
    assert [(group.text, group.count) for group in result.stdout.groups] == [
        (b"0\n", 300),
        (b"1\n", 300),
    ]
