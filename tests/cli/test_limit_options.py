"""`porter run` and `porter repl` with limits of each interpreter."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

import pytest

from porter import cli
from porter.errors import LimitReached, ProgramFailed

if TYPE_CHECKING:
    from porter.pipeline import Build

SPIN = "if threadIdx % 2: \n    while True: pass\nprint('well')\n"


def test_run(built: Build, capfd: pytest.CaptureFixture[str]) -> None:
    where = ["run", "--build", str(built.folder), "--target", "host", "-n", "8", "-c", SPIN]
    for option, value, what in (
        ("--max-steps", "1000", "took more than 1000 steps (status GPUSNEK_OUT_OF_STEPS)"),
        ("--deadline", "0.1", "ran for 0.1 s (status GPUSNEK_OUT_OF_TIME)"),
    ):
        assert cli.execute([*where, option, value]) == LimitReached.exit_code
        out, err = capfd.readouterr()
        assert "well" in out
        assert f"porter: error: 4 of 8 interpreters {what}" in err and f"with {option}" in err


@pytest.mark.parametrize(
    "wrong", ["--max-steps 0", "--max-steps x", "--deadline 0", "--deadline nan", "--deadline -1"]
)
def test_refused(wrong: str, capfd: pytest.CaptureFixture[str]) -> None:
    for command in ("run", "repl"):
        assert cli.execute([command, *wrong.split()]) == 2
        assert wrong.split()[0] in capfd.readouterr().err


def test_repl(
    built: Build, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = io.TextIOWrapper(io.BytesIO(b"x = 5\nwhile True: pass\n\nprint(x)\n"))
    monkeypatch.setattr(sys, "stdin", text)
    where = ["repl", "--build", str(built.folder), "--target", "host", "-n", "4"]
    assert cli.execute([*where, "--max-steps", "1000"]) == ProgramFailed.exit_code
    out, err = capfd.readouterr()
    assert "5" in out
    assert "4 interpreters took more than 1000 steps" in err and "ready for the next line" in err
