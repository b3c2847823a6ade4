"""Expected output from CPython and its cache."""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest

from porter.conformance.discovery import Test
from porter.conformance.expected_output import find_cpython
from porter.errors import ToolMissing

from .fakes import Release


def test_stderr_is_part_of_it_and_paths_are_those_of_an_image(release: Release) -> None:
    release.add(
        "basics/a.py", "import sys\nprint(sys.argv)\nsys.stdout.flush()\nsys.stderr.write('e')"
    )
    got = find_cpython(release.root / "cache").expect(Test(release.root, "basics/a.py"))
    assert (got.output, got.source) == (b"['/basics/a.py']\ne", "cpython")


def test_the_cache_is_asked_first_and_knows_version_and_content(release: Release) -> None:
    release.add("basics/a.py", "import b\nprint(b.x)\n")
    release.add("basics/b.py", "x = 1\n")
    test = Test(release.root, "basics/a.py")
    real = find_cpython(release.root / "cache")
    assert real.expect(test).output == b"1\n"
    broken = attrs.evolve(real, executable="/nonexistent")
    assert broken.expect(test).output == b"1\n"
    with pytest.raises(FileNotFoundError):
        attrs.evolve(broken, version="4.0").expect(test)
    release.add("basics/b.py", "x = 2\n")  # files that a test imports are part of the key
    assert real.expect(test).output == b"2\n"


def test_a_test_that_writes_leaves_upstreams_folder_alone(release: Release) -> None:
    release.add("io/w.py", "open('out', 'w').write('x')\nprint(open('out').read())\n")
    cpython = find_cpython(release.root / "cache")
    assert cpython.expect(Test(release.root, "io/w.py")).output == b"x\n"
    assert not (release.root / "io" / "out").exists()


def test_a_crash_of_cpython_matches_nothing(release: Release) -> None:
    release.add("basics/a.py", "print(1)\nraise ValueError\n")
    got = find_cpython(release.root / "cache").expect(Test(release.root, "basics/a.py"))
    assert got.output.startswith(b"CPYTHON3 CRASH:\n1\nTraceback")


def test_no_such_cpython(tmp_path: Path) -> None:
    with pytest.raises(ToolMissing, match="does not start"):
        find_cpython(tmp_path, "/nonexistent/python3")
