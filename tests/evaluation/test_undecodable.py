"""Text that is not UTF-8, in every output of a program: every row arrives, with every byte."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from porter import InterpreterArray
from porter.array import Repr, Unreadable
from porter.base.untrusted import text_of
from porter.cli import execute
from porter.errors import InterpreterError
from porter.evaluation import CaseStatus
from porter.run import Device

from .conftest import Judge

TEXT = r"""eval(b"'\xff\xfe'")"""  # a str of the bytes ff fe
WANTED = text_of(b"\xff\xfe")

RETURNED = {
    TEXT: WANTED,
    f"[{TEXT}, 1]": [WANTED, 1],
    f"({TEXT},)": (WANTED,),
    f"{{{TEXT}: 2}}": {WANTED: 2},
    f"{{3: {TEXT}}}": {3: WANTED},
    f"{{{TEXT}}}": {WANTED},
    "chr(0xd800)": "\ud800",
    f"[{TEXT} * 50]": [WANTED * 50],
    r"""eval(b"'\xc5'")""": "\udcc5",
}


@pytest.mark.parametrize("keep", ["values", "outputs", "tracebacks"])
def test_every_row_arrives(judged: Judge, keep: str) -> None:
    name = "A" * 200
    sources = [f"def solve(): return {text}" for text in RETURNED] + [
        f"def solve(): print({TEXT})",
        f"def solve(): raise ValueError({TEXT})",
        f"class {name}:\n def __repr__(self): return {TEXT}\ndef solve(): return [{name}()]",
        "def solve(): return 1",
    ]
    found = judged(sources, [((), 1)], keep=keep)
    status = [CaseStatus(row[0]).name for row in found.status]
    assert status == [*["WRONG"] * len(RETURNED), "WRONG", "RAISED", "WRONG", "PASSED"]
    if keep == "values":
        assert found.values is not None
        values = [row[0] for row in found.values]
        assert values[: len(RETURNED)] == list(RETURNED.values())
        assert values[-2] == [Repr(WANTED)]
    if keep == "outputs":
        assert found.outputs is not None
        assert found.outputs[len(RETURNED)][0] == b"\xff\xfe\n"
    if keep == "tracebacks":
        assert found.tracebacks is not None
        assert WANTED in str(found.tracebacks[len(RETURNED) + 1][0])


def test_a_function_compares_what_arrived(judged: Judge) -> None:
    sources = [f"def solve(): return {text}" for text in RETURNED]
    wanted = list(RETURNED.values())

    def compare(value: Any, expected: Any) -> bool:
        return bool(value == wanted[expected])

    found = judged(sources, [((), index) for index in range(len(wanted))], compare=compare)
    assert (found.passed == np.eye(len(wanted), dtype=bool)).all()


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
@pytest.mark.parametrize("keep", ["values", "outputs", "tracebacks"])
def test_the_command_writes_every_row(tmp_path: Path, suffix: str, keep: str) -> None:
    if suffix == ".parquet":
        pytest.importorskip("pyarrow")
    rows = [
        {"id": f"p{i}", "source": source, "cases": [[[], 1]]}
        for i, source in enumerate(
            [
                f"def solve(): return {TEXT}",
                f"def solve(): print({TEXT}); raise KeyError({TEXT})",
                "def solve(): return 10 ** 5000",
                "def solve(): return [10 ** 5000]",
                "def solve(): return 1",
            ]
        )
    ]
    tasks, out = tmp_path / "tasks.jsonl", tmp_path / f"rows{suffix}"
    tasks.write_text("".join(json.dumps(row) + "\n" for row in rows))
    argv = ["evaluate", str(tasks), "--target", "host", "--keep", keep, "--out", str(out)]
    assert execute(argv) == 0
    if suffix == ".jsonl":
        written = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
        assert [row["passed"] for row in written] == [False] * 4 + [True]
        if keep == "outputs":
            assert written[1]["output"] == "\\xff\\xfe\n"
        if keep == "tracebacks":
            assert "KeyError: '\\udcff\\udcfe'" in written[1]["traceback"]


REPRS = [
    b"\xff\xfe", b"\xc5", b"\xc5z", b"\xe2\x82", b"\xe2\x82z", b"\xf0\x9f\x98", b"\xf0\x9f\x98z",
    b"\xc0\x80", b"\xe0\x80\x80", b"\xf0\x80\x80\x80", b"\xf4\x90\x80\x80", b"\xf5\x80", b"a\x80b",
    b"\xed\xa0\x80", b"\xc5\x81", b"\xf0\x9f\x98\x80", b"\xe2\x82\xac\xe2",
]  # fmt: skip


def test_repr_has_every_byte(any_device: Device) -> None:
    with InterpreterArray(1, device=any_device) as pythons:
        for data in REPRS:
            quoted = b"'" + data + b"'"
            assert pythons.eval(f"repr(eval({quoted!r}))") == [repr(text_of(data))]


def test_arrays(any_device: Device) -> None:
    with InterpreterArray(3, device=any_device) as pythons:
        pythons.exec(f"x = {TEXT}")
        assert pythons.eval("x") == [WANTED] * 3
        assert pythons.eval("[x] if threadIdx else 7") == [7, [WANTED], [WANTED]]
        with pytest.raises(InterpreterError) as caught:
            pythons.exec("raise ValueError(x)")
        assert caught.value.exceptions[0].message == WANTED
        for shown in (str(caught.value), str(caught.value.exceptions[0])):
            assert "\\udcff\\udcfe" in shown
        with pytest.raises(InterpreterError):
            pythons.exec("class E(Exception): pass\nE.__name__ = x\nraise E(x)")
        assert not isinstance(pythons.eval("[x]")[0], Unreadable)
