"""The port's float conversions of both widths, compiled once."""

from __future__ import annotations

import pytest

from .native import Native


@pytest.fixture(scope="session")
def double(tmp_path_factory: pytest.TempPathFactory) -> Native:
    return Native("double", tmp_path_factory.mktemp("double"))


@pytest.fixture(scope="session")
def single(tmp_path_factory: pytest.TempPathFactory) -> Native:
    return Native("single", tmp_path_factory.mktemp("single"))
