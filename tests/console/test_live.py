"""Presentation of live output: merged by turns, prefixed, or passed on."""

from __future__ import annotations

import numpy as np

from porter.run import Batch
from porter.run.streams.display import LONGEST, Line, Live

NUMBERS = {"out": 1, "err": 2}


def batch(*pieces: tuple[int, str, bytes] | tuple[int, str, bytes, bool]) -> Batch:
    """Return a batch of pieces: (interpreter, "out" or "err", text, whether the line continues)."""
    words = np.zeros((len(pieces), 14), np.uint64)
    for row, piece in zip(words, pieces, strict=True):
        row.view(np.uint8)[: len(piece[2])] = np.frombuffer(piece[2], np.uint8)
    return Batch(
        np.array([piece[0] for piece in pieces], np.uint32),
        np.array([NUMBERS[piece[1]] for piece in pieces], np.uint32),
        np.array([len(piece) > 3 for piece in pieces]),
        np.array([len(piece[2]) for piece in pieces], np.uint32),
        words,
    )


class Shown:
    """The output of a Live of `n` interpreters."""

    def __init__(self, n: int, max_groups: int | None = None) -> None:
        self.raw = {"stdout": b"", "stderr": b""}
        self.live = Live(n, self._write, max_groups)

    def _write(self, stream: str, lines: list[Line]) -> None:
        self.raw[stream] += b"".join(line.text for line in lines)

    @property
    def text(self) -> dict[str, str]:
        """Return the text so far, by stream."""
        return {stream: raw.decode() for stream, raw in self.raw.items()}

    def __call__(self, *pieces: tuple[int, str, bytes] | tuple[int, str, bytes, bool]) -> str:
        """Pass on these pieces; return the new text on stdout."""
        before = len(self.raw["stdout"])
        self.live(batch(*pieces))
        return self.raw["stdout"][before:].decode()


def test_one_interpreters_bytes_are_passed_on() -> None:
    shown = Shown(1)
    shown.live(batch((0, "out", b"no end"), (0, "out", b" yet\r\n\xff\0\xe2")))
    assert shown.raw["stdout"] == b"no end yet\r\n\xff\0\xe2"
    assert shown((0, "err", b"other")) == ""
    assert shown.raw["stderr"] == b"other"


def test_what_all_wrote_stands_alone() -> None:
    assert Shown(3)(*[(i, "out", b"same\n") for i in (2, 0, 1)]) == "same\n"
    shown = Shown(2)
    shown.live(batch((0, "out", b"\xff no end"), (1, "out", b"\xff no end")))
    assert shown.raw["stdout"] == b"\xff no end"


def test_equal_lines_under_banners_the_most_frequent_first() -> None:
    pieces = [(i, "out", b"odd\n" if i % 2 else b"even\n") for i in range(5)]
    assert Shown(6)(*pieces) == "----- 3x -----\neven\n----- 2x -----\nodd\n"
    assert Shown(6)(pieces[0], pieces[3]) == "[0] even\n[3] odd\n"


def test_turns_keep_each_interpreters_order() -> None:
    pieces = [(i, "out", text) for i in range(2) for text in (b"a\n", b"b\n", b"a\n")]
    assert Shown(2)(*pieces) == "a\nb\na\n"
    assert Shown(2)(*pieces[:4]) == "a\n[0] b\n[0] a\n"  # the second is behind


def test_streams_are_not_merged() -> None:
    shown = Shown(2)
    assert shown((0, "out", b"x\n"), (1, "err", b"x\n")) == "[0] x\n"
    assert shown.text["stderr"] == "[1] x\n"


def test_texts_of_several_pieces() -> None:
    shown = Shown(2)
    part = b"x" * 112
    assert shown((0, "out", part, True), (1, "out", part, True)) == ""
    assert shown((1, "out", b"end\n")) == f"[1] {'x' * 112}end\n"
    assert shown((0, "out", b"end\n"), (0, "out", b"short\n")) == (
        f"[0] {'x' * 112}end\n[0] short\n"
    )
    assert shown(
        *[(i, "out", t, *m) for i in (0, 1) for t, m in ((part, (True,)), (b"y\n", ()))]
    ) == ("x" * 112 + "y\n")


def test_a_text_without_any_end_is_shown_some_time() -> None:
    shown = Shown(2)
    piece = (0, "out", b"x" * 112, True)
    count = -(-LONGEST // 112)
    assert shown(*[piece] * (count - 1)) == ""
    assert shown(piece) == f"[0] {'x' * (112 * count)}\n"


def test_what_is_left_at_the_end() -> None:
    shown = Shown(2)
    shown((1, "err", b"half a li", True))
    shown.live.finish()
    assert shown.text == {"stdout": "", "stderr": "[1] half a li\n"}


def test_at_most_so_many_different_texts_a_turn() -> None:
    pieces = [(i, "out", b"%d\n" % (i // 2)) for i in range(10)]
    text = Shown(11, 2)(*pieces)
    assert text == "----- 2x -----\n0\n----- 2x -----\n1\n----- and more different lines -----\n"


def test_many_interpreters_in_one_batch() -> None:
    n = 200_000
    lanes = np.arange(n, dtype=np.uint32)
    words = np.zeros((n, 14), np.uint64)
    words[:, 0] = (lanes % 7) + ord("a")
    one = np.ones(n, np.uint32)
    shown = Shown(n)
    shown.live(Batch(lanes, one, np.zeros(n, bool), one, words))
    banners = shown.text["stdout"].splitlines()
    assert banners[1::2] == list("abcdefg")
    assert sum(int(line.split()[1][:-1]) for line in banners[::2]) == n
