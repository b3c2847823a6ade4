from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from rich.console import Console

from porter.repl import Session, Shell
from porter.run import Device

Typed = Callable[..., tuple[Shell, str]]


@pytest.fixture
def open_session(any_device: Device) -> Iterator[Callable[..., Session]]:
    """Return a function that opens sessions on the device under test."""

    def open_session(n: int = 12, **options: Any) -> Session:
        return Session.open(any_device, n, **options)

    yield open_session


@pytest.fixture
def session(open_session: Callable[..., Session]) -> Session:
    return open_session()


@pytest.fixture
def typed(open_session: Callable[..., Session]) -> Typed:
    """Return a function that enters statements at a new shell, and returns the shell and its
    output.
    """

    def typed(*texts: str, n: int = 12, max_groups: int | None = 20) -> tuple[Shell, str]:
        file = io.StringIO()
        console = Console(file=file, width=200, highlight=False)
        shell = Shell(open_session(n), console, console, max_groups)
        for text in texts:
            shell.enter(text)
        return shell, file.getvalue()

    return typed
