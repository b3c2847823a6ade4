"""Porter's copy of unittest, run by CPython under another name."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from porter.base import paths
from porter.conformance.expected_output import unittest_summary

HEAD = "import standin as unittest\n"
GOOD = """
class T(unittest.TestCase):
    def setUp(self): self.x = 1
    def test_equal(self): self.assertEqual(self.x, 1)
    def test_raises(self):
        with self.assertRaises(ValueError) as caught:
            raise ValueError(3)
        self.assertEqual(caught.exception.args, (3,))
        self.assertRaises(KeyError, {}.__getitem__, 1)
    @unittest.skipIf(True, "not here")
    def test_skipped(self): self.fail()
    @unittest.skipUnless(True, "here")
    def test_more(self):
        self.assertIn(1, [1]); self.assertIsInstance(1, int); self.assertAlmostEqual(0.1 + 0.2, 0.3)
unittest.main()
"""


def run(tmp_path: Path, source: str) -> bytes:
    """Return the output of ``source`` with porter's unittest beside it."""
    shutil.copy(paths.templates_dir() / "frozen" / "unittest.py", tmp_path / "standin.py")
    script = tmp_path / "t.py"
    script.write_text(HEAD + source)
    return subprocess.run(
        [sys.executable, "-BS", str(script)], capture_output=True, check=True
    ).stdout


def test_a_good_run_ends_as_upstreams_runner_expects(tmp_path: Path) -> None:
    output = run(tmp_path, GOOD)
    summary = unittest_summary(output)
    assert summary is not None
    assert (summary.ran, summary.ok) == (4, True)
    assert output.endswith(b"\nOK (skipped=1)\n")


@pytest.mark.parametrize(
    ("body", "last"),
    [
        ("self.assertEqual(1, 2)", b"FAILED (failures=1, errors=0)"),
        ("1 / 0", b"FAILED (failures=0, errors=1)"),
        ("self.assertRaises(KeyError, int)", b"FAILED (failures=1, errors=0)"),
        ("self.skipTest('why')", b"OK (skipped=1)"),
    ],
)
def test_how_a_run_can_end(tmp_path: Path, body: str, last: bytes) -> None:
    source = f"class T(unittest.TestCase):\n    def test(self): {body}\nunittest.main()\n"
    assert run(tmp_path, source).splitlines()[-1] == last
