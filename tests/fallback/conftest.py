from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from porter.evaluation.cases import encode
from porter.fallback import Fallback, FallbackOutcome, Job, outcomes, pool
from tests.restricted import skip_unless_restricted

Run = Callable[..., FallbackOutcome]
OPTIONS = Fallback(deadline=20.0, processes=2)


@pytest.fixture(scope="session", autouse=True)
def _restricted() -> None:
    """Skip where the machine cannot restrict programs."""
    skip_unless_restricted(OPTIONS)


@pytest.fixture(params=[True, False], ids=["namespaces", "filter alone"])
def run(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """Return a function that runs one call of a program; with namespaces, and without them."""
    pool.close_all()
    monkeypatch.setattr(pool, "NAMESPACES", request.param)

    def run_one(source: str, *args: Any, entry: str = "solve", **changes: Any) -> FallbackOutcome:
        arguments = (encode((args, {}), "arguments"),) if entry else (b"",)
        job = Job(source.encode(), entry, arguments, **{"deadline": 20.0, **changes})
        ((found,),) = outcomes(OPTIONS, [job])
        return found

    yield run_one
    pool.close_all()
