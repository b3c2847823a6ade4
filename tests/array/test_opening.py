"""The devices that arrays, evaluations and profiles open if no build is given."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from porter import InterpreterArray, evaluate, profile
from porter.config import BuildConfig
from porter.errors import UsageError
from porter.run.built import Built, open_build

if TYPE_CHECKING:
    from porter.pipeline import Build

Use = Callable[[], object]
SOURCE = "def solve(x): return x"


def array() -> None:
    InterpreterArray(4).close()


def evaluation() -> None:
    assert evaluate([SOURCE], [((3,), 3)]).passed.all()


def counted() -> None:
    with pytest.raises(UsageError, match="does not count"):
        profile("1", 4)


USES = {
    "array": (array, {"bounds_checks": False, "profile": False}),
    "evaluation": (evaluation, {"bounds_checks": True, "profile": False}),
    "profile": (counted, {"bounds_checks": False, "profile": True}),
}


@pytest.fixture
def nothing_builds(monkeypatch: pytest.MonkeyPatch) -> None:
    def build(config: BuildConfig) -> None:
        raise AssertionError("built")

    monkeypatch.setattr("porter.pipeline.build", build)


@pytest.mark.parametrize("name", USES)
@pytest.mark.usefixtures("nothing_builds")
def test_a_build_of_the_wheel_is_taken(
    built: Build, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    use, choices = USES[name]
    asked: list[BuildConfig] = []

    def ready(config: BuildConfig) -> Built:
        asked.append(config)
        return open_build(built.folder)

    monkeypatch.setattr("porter.array.device_selection.ready_build", ready)
    monkeypatch.setenv("PORTER_TARGET", "host")
    use()
    (config,) = asked
    assert {key: getattr(config, key) for key in choices} == choices


@pytest.mark.parametrize("use", [array, evaluation, lambda: profile("1", 4)])
@pytest.mark.usefixtures("nothing_builds")
def test_the_target_all_is_refused_before_it_is_built(
    use: Use, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PORTER_TARGET", "all")
    with pytest.raises(UsageError, match=r"^target: .* not on all$"):
        use()
