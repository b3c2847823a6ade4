"""The end of a program determines its status and the last line on stderr."""

from __future__ import annotations

import pytest

from porter.run import Device, run

ENDS = {
    "print(1)": ("OK", b""),
    "1 +": ("SYNTAX_ERROR", b"SyntaxError: invalid syntax"),
    "def f(:\n pass": ("SYNTAX_ERROR", b"SyntaxError: invalid syntax"),
    "exec('1 +')": ("EXCEPTION", b"SyntaxError: invalid syntax"),
    "eval('1 +')": ("EXCEPTION", b"SyntaxError: invalid syntax"),
    "raise SyntaxError('own')": ("EXCEPTION", b"SyntaxError: own"),
    "class E(SyntaxError): pass\nraise E(2)": ("EXCEPTION", b"E: 2"),
    "raise IndentationError": ("EXCEPTION", b"IndentationError"),
    "raise SystemExit(3)": ("EXIT", b""),
    "raise KeyError(1)": ("EXCEPTION", b"KeyError: 1"),
}


@pytest.mark.parametrize("program", ENDS)
def test_the_status_is_that_of_the_end(any_device: Device, program: str) -> None:
    status, last = ENDS[program]
    result = run(any_device, [program], 3)
    assert result.statuses.count(result.status, status) == 3, result.stderr[0]
    lines = result.stderr[0].splitlines()
    assert (lines[-1] if lines else b"") == last
