"""The port's options exist in all releases: an option that upstream renamed is silently off."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from porter.base import paths

RELEASES = sorted(path.parent for path in paths.upstream_dir().glob("*/py"))
CONDITION = re.compile(r"^\s*#\s*(?:el)?if.*?\bMICROPY_.*$", re.MULTILINE)


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: release.name)
def test_each_condition_has_an_option_of_the_release(release: Path) -> None:
    text = "".join(
        path.read_text()
        for folder in ("py", "extmod", "shared", "lib/littlefs")
        for path in sorted((release / folder).rglob("*.[ch]"))
    )
    known = set(re.findall(r"\bMICROPY_\w+", text))
    asked = {
        (path.name, line.strip())
        for path in paths.templates_dir().rglob("*.[chj]*")
        for line in CONDITION.findall(path.read_text())
        if "MICROPY_GPUSNEK_" not in line
    }
    assert asked
    unknown = {
        (name, line)
        for name, line in asked
        if not known.intersection(re.findall(r"\bMICROPY_\w+", line))
    }
    assert not unknown
