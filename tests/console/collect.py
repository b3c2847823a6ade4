"""Output of a launch with rings, collected by interpreter and stream."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable

import numpy as np

from porter.run import Batch, Device, Launch, Result, run
from porter.run.launch.options import Phase


class Collected:
    """Texts by (interpreter, stream), and the order of all pieces."""

    def __init__(self, pause: float = 0.0, then: Callable[[Collected], None] | None = None) -> None:
        self.texts: dict[tuple[int, str], bytearray] = defaultdict(bytearray)
        self.pieces: list[tuple[int, str, bytes]] = []
        self.batches = 0
        self._pause, self._then = pause, then

    def __call__(self, batch: Batch) -> None:
        self.batches += 1
        # Equal texts have equal words: zero bytes follow the end of the text.
        bytes_of_words = np.ascontiguousarray(batch.words).view(np.uint8)
        behind = np.arange(bytes_of_words.shape[1]) >= batch.length[:, None]
        assert not bytes_of_words[behind].any()
        for lane, stream, text in batch:
            self.texts[lane, stream] += text
            self.pieces.append((lane, stream, text))
        time.sleep(self._pause)
        if self._then is not None:
            self._then(self)

    def stdout(self, n: int) -> list[bytes]:
        return [bytes(self.texts[i, "stdout"]) for i in range(n)]


def run_live(
    device: Device,
    program: str,
    n: int,
    collected: Collected,
    phase: Phase | None = None,
    **options: object,
) -> Result:
    launch = Launch(console="ring", on_output=collected, **options)  # type: ignore[arg-type]
    return run(device, [program], n, launch, phase)


def ended_well(device: Device, result: Result) -> bool:
    return bool(np.all(result.status == device.built.constants["GPUSNEK_OK"]))
