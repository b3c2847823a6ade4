"""Skip tests of the CPython fallback on machines that cannot restrict programs."""

from __future__ import annotations

import pytest

from porter.errors import FallbackUnavailable
from porter.fallback import Fallback, layers_of


def skip_unless_restricted(options: Fallback) -> None:
    """Skip the test where `options` cannot be used."""
    try:
        layers_of(options)
    except FallbackUnavailable as error:
        pytest.skip(str(error))
