"""Every offered feature level builds, and others are refused with a message."""

from __future__ import annotations

import pytest

from porter.cli import execute
from porter.config import CHOICES, BuildConfig
from porter.errors import UsageError
from porter.generate.port import LEVELS
from porter.pipeline import Build, build
from porter.run import open_device
from porter.smoke import smoke


@pytest.mark.campaign("build-variants")
@pytest.mark.parametrize(
    ("level", "width", "variant"),
    [
        ("extra", "single", "release"),
        ("full", "double", "debug"),
        ("everything", "single", "release"),
    ],
)
def test_offered(built: Build, level: str, width: str, variant: str) -> None:
    """Build and smoke-test combinations of choices that no other test builds."""
    release = built.sources.name.rpartition("-")[0]
    config = BuildConfig(release=release, level=level, float=width, target="host")
    done = build(config, variant=variant, jobs=2)
    assert not done.patches.lacks
    device = open_device(done.folder, "host" if variant == "release" else f"host-{variant}")
    failed = [check for check in smoke(device, 8) if not check.passed]
    assert not failed


@pytest.mark.parametrize("level", ["minimum", "core", "basic"])
def test_refused(level: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UsageError, match="is not one of extra, full, everything") as caught:
        BuildConfig(release="1", level=level)
    assert "does not build with upstream's lower" in str(caught.value.hint)
    assert execute(["build", "--level", level]) == 2
    assert "extra" in capsys.readouterr().err


def test_every_choice_has_upstreams_name() -> None:
    assert tuple(LEVELS) == CHOICES["level"]
