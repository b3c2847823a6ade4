from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from porter import evaluate
from porter.evaluation import Evaluation
from porter.run import Device

Judge = Callable[..., Evaluation]


@pytest.fixture
def judged(any_device: Device) -> Judge:
    """Return `evaluate` on the device."""
    return partial(evaluate, device=any_device)
