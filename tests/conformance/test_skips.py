"""The skip list: what it may say, and that the checked-in one is sound."""

from __future__ import annotations

from pathlib import Path

import pytest

from porter import paths
from porter.conformance.discovery import Test, discover
from porter.conformance.skips import load, read_entries
from porter.errors import UsageError


def test_targets_and_releases_narrow_an_entry(tmp_path: Path) -> None:
    path = tmp_path / "skips.toml"
    path.write_text(
        '[[skip]]\nreason = "slow"\ntests = ["stress/*.py"]\n'
        'targets = ["cuda"]\nreleases = ["1.25.*"]\n'
    )
    test = Test(tmp_path, "stress/big.py")
    assert load("cuda", "1.25.0", path).reason(test) == "slow"
    assert load("cuda", "1.26.1", path).reason(test) is None
    assert load("host", "1.25.0", path).reason(test) is None
    assert load("cuda", "1.25.0", path).reason(Test(tmp_path, "basics/big.py")) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[[skip]]\ntests = ["a.py"]', "entry 1: no reason"),
        ('[[skip]]\nreason = " "\ntests = ["a.py"]', "entry 1: no reason"),
        ('[[skip]]\nreason = "x"', "names no tests"),
        ('[[skip]]\nreason = "x"\ntests = "a.py"', "a list of strings"),
        ('[[skip]]\nreason = "x"\ntest = ["a.py"]', "unknown key test"),
        ("[[skip", "not a readable skip list"),
    ],
)
def test_a_bad_list_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "skips.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=message):
        load("host", "1.26.1", path)


def test_no_list_at_all(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not a readable skip list"):
        read_entries(tmp_path / "none.toml")


def test_each_pattern_of_the_checked_in_list_names_a_test() -> None:
    roots = [path for path in paths.upstream_dir().glob("*/tests") if (path / "basics").is_dir()]
    if not roots:
        pytest.skip("no release is synced")
    tests = [test for root in roots for test in discover(root)]
    for entry in read_entries():
        assert any(entry.names(test) for test in tests), entry.reason
