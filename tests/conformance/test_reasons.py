"""Reasons of tests that skip themselves, with CPython in place of a build."""

from __future__ import annotations

import subprocess
import sys

import pytest

from porter.conformance.records import ScriptOutcome, ScriptStatus
from porter.conformance.skip_reasons import probe

END = "    print('SKIP')\n    raise SystemExit\n"


def need(source: str) -> str | None:
    """Return the feature that ``source`` reports as missing, with CPython as interpreter."""
    instrumented = probe(source.encode())
    assert instrumented is not None
    done = subprocess.run(
        [sys.executable, "-BS", "-"], input=instrumented.source, capture_output=True
    )
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout.startswith(b"SKIP\n")
    return instrumented.need(ScriptOutcome(done.stdout, ScriptStatus.OK))


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("try:\n    import moon\nexcept ImportError:\n", "moon"),
        ("try:\n    import os, moon\nexcept (ImportError, OSError):\n", "moon"),
        ("try:\n    from os import moon\nexcept ImportError as er:\n", "os.moon"),
        (
            "try:\n    import os as o\n    o.moon\nexcept (ImportError, AttributeError):\n",
            "os.moon",
        ),
        ("try:\n    moon\nexcept NameError:\n", "moon"),
        ("try:\n    moon\nexcept:\n", "moon"),
        ("try:\n    (lambda: 0).moon\nexcept AttributeError:\n", "(lambda: 0).moon"),
        ("try:\n    eval('1+')\nexcept SyntaxError:\n", "SyntaxError: eval('1+')"),
        ("import sys as s\nif not hasattr(s, 'moon'):\n", "sys.moon"),
        ("import sys\nif sys.maxsize > 1:\n", "sys.maxsize > 1"),
        ("import sys\nif sys.maxsize < 1:\n    pass\nelse:\n", "not (sys.maxsize < 1)"),
        ("try:\n    moon\nexcept NameError:\n    me = 0\nif me == 0:\n", "me == 0"),
        ("try:\n    1\nexcept NameError:\n    pass\nelse:\n", "works: 1"),
        ("é = 'é'\ntry: import moon\nexcept ImportError:\n", "moon"),
    ],
)
def test_need(source: str, wanted: str) -> None:
    assert need(source + END) == wanted


def test_a_function_that_skips_tells_what_was_caught_before_it() -> None:
    function = f"def skip():\n{END}"
    assert need(function + "try:\n    import moon\nexcept ImportError:\n    skip()\n") == "moon"
    assert need(function + "skip()\n") is None


def test_of_two_guards_the_one_that_fired_tells() -> None:
    first = f"try:\n    import os\nexcept ImportError:\n{END}"
    second = f"try:\n    import moon\nexcept ImportError:\n{END}"
    assert need(first + second) == "moon"


def test_what_cannot_be_parsed_or_did_not_end_does_not_tell() -> None:
    assert probe(b"print 'SKIP'\n") is None
    instrumented = probe(b"print('SKIP')\n")
    assert instrumented is not None
    assert instrumented.need(ScriptOutcome(b"Traceback\n", ScriptStatus.EXCEPTION)) is None
    assert (
        instrumented.need(ScriptOutcome(b"SKIP\nporter-why: (0, [(0, 'Imp", ScriptStatus.OK))
        is None
    )
