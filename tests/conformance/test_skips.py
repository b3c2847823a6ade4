"""The skip list: permitted entries, and consistency of the checked-in list."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from porter.base import paths
from porter.conformance.backends import open_runner
from porter.conformance.discovery import Test, discover
from porter.conformance.records import Script
from porter.conformance.skips import LIBRARY, SkipEntry, load, read
from porter.errors import UsageError
from porter.regress.checks import conformance_config
from porter.sync.lock import newest_release


def test_targets_narrow_an_entry(tmp_path: Path) -> None:
    path = tmp_path / "skips.toml"
    path.write_text(
        '[[skip]]\nreason = "slow"\ntests = ["stress/*.py"]\ntargets = ["cuda"]\n'
        '[[lack]]\nreason = "no pins"\nneeds = ["machine"]\ntargets = ["cuda"]\n'
    )
    test = Test(tmp_path, "stress/big.py")
    assert load("cuda", path).reason(test) == "slow"
    assert load("host", path).reason(test) is None
    assert load("cuda", path).reason(Test(tmp_path, "basics/big.py")) is None
    assert load("cuda", path).lacking("machine") == "no pins"
    assert load("host", path).lacking("machine") is None


def test_expected_lines_narrow_an_entry(tmp_path: Path) -> None:
    path = tmp_path / "skips.toml"
    path.write_text('[[skip]]\nreason = "old"\ntests = ["float/*.py"]\nexpects = ["-10", "11"]\n')
    (tmp_path / "float").mkdir()
    test = Test(tmp_path, "float/a.py")
    assert load("host", path).reason(test) is None  # upstream keeps no output
    test.expected_file.write_text("1\n-10\n")
    assert load("host", path).reason(test) == "old"
    test.expected_file.write_text("-1e+01\n")
    assert load("host", path).reason(test) is None


def test_the_library_narrows_an_entry(tmp_path: Path) -> None:
    path = tmp_path / "skips.toml"
    path.write_text(
        '[[skip]]\nreason = "as CPython"\ntests = ["a/b.py"]\nwith = ["library"]\n'
        '[[lack]]\nreason = "no axtls"\nneeds = ["hashlib.md5"]\nwithout = ["library"]\n'
    )
    test = Test(tmp_path, "a/b.py")
    assert load("host", path).reason(test) == "as CPython"
    assert load("host", path, {LIBRARY}).reason(test) is None
    assert load("host", path).lacking("hashlib.md5") is None
    assert load("host", path, {LIBRARY}).lacking("hashlib.md5") == "no axtls"


@pytest.mark.parametrize(
    ("pattern", "need", "fits"),
    [
        ("machine", "machine", True),
        ("machine", "machine.Pin", True),
        ("machine", "machines", False),
        ("vfs.VfsFat", "vfs", False),
        ("*.co_code", "f.co_code", True),
        ("x[0] == 1", "x[0] == 1", True),
    ],
)
def test_a_lack_is_a_name_or_what_is_in_it(pattern: str, need: str, fits: bool) -> None:
    assert SkipEntry("why", (pattern,)).lacks(need) is fits


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[[skip]]\ntests = ["a.py"]', "skip 1: no reason"),
        ('[[skip]]\nreason = " "\ntests = ["a.py"]', "skip 1: no reason"),
        ('[[skip]]\nreason = "x"', "names no tests"),
        ('[[skip]]\nreason = "x"\ntests = "a.py"', "a list of strings"),
        ('[[skip]]\nreason = "x"\ntest = ["a.py"]', "unknown key test"),
        ("[[skip", "not a readable skip list"),
        ('[[lack]]\nneeds = ["a"]', "lack 1: no reason"),
        ('[[lack]]\nreason = "x"\ntests = ["a.py"]', "unknown key tests"),
        ('[[skip]]\nreason = "x"\ntests = ["a.py"]\nreleases = ["1"]', "unknown key releases"),
        ('[[lack]]\nreason = "x"\nneeds = ["a"]\nexpects = ["1"]', "unknown key expects"),
        ('[[skip]]\nreason = "x"\ntests = ["a.py"]\nexpects = "1"', "a list of strings"),
        ('[[skips]]\nreason = "x"', "unknown table skips"),
        ("skip = [1]", "skip 1: a table is wanted"),
    ],
)
def test_a_bad_list_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "skips.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=message):
        load("host", path)


def test_no_list_at_all(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not a readable skip list"):
        read(tmp_path / "none.toml")


@pytest.fixture(scope="module")
def tests() -> list[Test]:
    """Return the tests of all synced releases."""
    roots = [path for path in paths.upstream_dir().glob("*/tests") if (path / "basics").is_dir()]
    if not roots:
        pytest.skip("no release is synced")
    return [test for root in roots for test in discover(root)]


def test_each_pattern_of_the_checked_in_list_names_a_test(tests: list[Test]) -> None:
    for entry in read().tests:
        for pattern in entry.patterns:
            one = SkipEntry(entry.reason, (pattern,))
            assert any(one.names(test) for test in tests), pattern


def test_each_need_of_the_checked_in_list_is_one_of_a_test(tests: list[Test]) -> None:
    words = [set(re.findall(r"\w+", test.path.read_text(errors="replace"))) for test in tests]
    for need in (need for entry in read().needs for need in entry.patterns):
        if need.startswith("feature_check/"):
            assert any((test.root / need).is_file() for test in tests), need
        else:
            wanted = set(re.findall(r"\w+", need))
            assert any(wanted <= found for found in words), need


def test_a_build_lacks_the_modules_and_attributes_of_the_list() -> None:
    release = newest_release()
    if not (paths.upstream_dir() / release / "py").is_dir():
        pytest.skip(f"{release} is not synced")
    needs = [need for entry in load("host").needs for need in entry.patterns]
    names = [need for need in needs if re.fullmatch(r"[\w.]+", need)]
    sources = [
        f"try:\n    import {name.split('.')[0]}\n    {name}\n    print('there')\n"
        "except (ImportError, AttributeError):\n    pass\n"
        for name in ("sys.version", *names)
    ]
    runner = open_runner("host", conformance_config(release, "host"), 30.0)
    outcomes = runner.run([Script("/a.py", source.encode()) for source in sources])
    assert outcomes[0].output == b"there\n"
    there = [n for n, outcome in zip(names, outcomes[1:], strict=True) if outcome.output]
    assert not there
