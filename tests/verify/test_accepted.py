"""All code that upstream's compiler makes is accepted, in a sandbox too, and does what it did."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from porter.base import paths
from porter.run import Device, Launch, Program, run
from porter_dev import builds
from tests.verify.sources import SOURCES

FOLDERS = ("basics", "extmod", "float", "micropython", "import", "io", "misc", "stress", "unicode")
_PASSING = """
import marshal
try:
    code = compile({source!r}, 'f', 'exec')
except SyntaxError:
    print('no program')
else:
    marshal.loads(marshal.dumps(code))
    print('accepted')
"""
_RUNNING = """
import marshal
code = compile({source!r}, 'f', 'exec')
exec(marshal.loads(marshal.dumps(code)) if {again} else code, {{}})
"""


def programs() -> list[tuple[Path, str]]:
    """Upstream's tests that are UTF-8, with their text."""
    folder = paths.upstream_dir() / builds.release() / "tests"
    found = []
    for file in sorted(file for name in FOLDERS for file in (folder / name).glob("*.py")):
        try:
            found.append((file, file.read_text()))
        except UnicodeDecodeError:
            continue
    return found


@pytest.mark.parametrize("sandbox", [False, True])
def test_code_of_upstream_s_tests_is_accepted(any_device: Device, sandbox: bool) -> None:
    sources = programs()
    assert len(sources) > 800
    made = [Program(_PASSING.format(source=text).encode(), "t") for _, text in sources]
    launch = Launch(heap=1 << 20, stdout=256, merge_stderr=True, sandbox=sandbox)
    which = np.arange(len(made), dtype=np.uint32)
    result = run(any_device, made, len(made), launch, program_of=which)
    answers = [result.stdout[i].decode().strip() for i in range(len(made))]
    bad = {
        str(file): a for (file, _), a in zip(sources, answers, strict=True) if "accepted" not in a
    }
    assert {name for name, answer in bad.items() if answer != "no program"} == set()
    assert len(bad) < 0.1 * len(sources)


def test_code_does_what_it_did(any_device: Device) -> None:
    both = [
        _RUNNING.format(source=text, again=again) for text in SOURCES for again in (True, False)
    ]
    launch = Launch(heap=256 << 10, stdout=1024, merge_stderr=True)
    which = np.arange(len(both), dtype=np.uint32)
    result = run(
        any_device, [Program(s.encode(), "t") for s in both], len(both), launch, program_of=which
    )
    printed = [result.stdout[i] for i in range(len(both))]
    assert printed[::2] == printed[1::2]
    assert all(text and b"Traceback" not in text for text in printed)
