"""The page of differences is complete, true and up to date."""

from __future__ import annotations

from pathlib import Path

import pytest

from porter.run import Device
from porter_dev import differences


def test_the_page_has_the_present_differences(any_device: Device) -> None:
    text, vanished = differences.generate(any_device)
    assert vanished == [], "run python -m porter_dev.differences"
    assert text == differences.PAGE.read_text(), "run python -m porter_dev.differences"


def test_each_program_has_its_own_title() -> None:
    titles = [one.title for one in differences.load()]
    assert len(titles) == len(set(titles))


def test_a_program_needs_a_title(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("print(1)\n")
    with pytest.raises(ValueError, match="SUBJECT"):
        differences.DifferingProgram.read(path)


def test_a_vanished_difference_is_reported(
    any_device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path
    (folder / "same.py").write_text("# Numbers: None\nprint(1)\n")
    monkeypatch.setattr(differences, "PROGRAMS", folder)
    assert differences.generate(any_device)[1] == ["same"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<f at 0x7f12ab>", "<f at 0x...>"),
        ("<object at 1003c0>", "<object at 0x...>"),
        ("at 12", "at 12"),
        ("0x7f12ab", "0x7f12ab"),
    ],
)
def test_addresses_are_replaced(text: str, expected: str) -> None:
    assert differences.without_addresses(text) == expected
