"""Fakes that upstream's ``run-tests.py`` uses in place of a board, CPython and check outputs."""

from __future__ import annotations

import os
import sys
from typing import Any


class NotImitated(Exception):
    """Upstream's runner does not have the structure that the driver expects."""


class Agrees(bytes):
    """A fake answer that equals everything upstream's runner compares it with."""

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False

    __hash__ = bytes.__hash__


class Avoids(bytes):
    """A fake answer for which no comparison of upstream's runner holds."""

    def __eq__(self, other: object) -> bool:
        return False

    def __ne__(self, other: object) -> bool:
        return False

    __hash__ = bytes.__hash__


class Target:
    """A fake of the board that upstream's runner drives; returns known outputs."""

    def __init__(self) -> None:
        self.answers: dict[str, tuple[bool, bytes]] = {}
        self.asked: list[str] = []

    def run_script_on_remote_target(
        self, args: Any, test_file: str, *more: Any
    ) -> tuple[bool, bytes]:
        """Return whether the program crashed, and its output; unknown tests print SKIP."""
        name = relative(test_file)
        self.asked.append(name)
        return self.answers.get(name, (False, b"SKIP\n"))

    def close(self) -> None:
        """Do nothing: there is no connection."""


class Host:
    """A fake of ``subprocess``, through which upstream's runner gets CPython's output."""

    def __init__(self, real: Any, expected: dict[str, bytes]) -> None:
        self._real = real
        self._expected = expected
        self._ran: dict[str, bytes] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def check_output(self, command: list[str], *args: Any, **kwargs: Any) -> bytes:
        """Return CPython's known output for a test; run feature checks."""
        name = relative(command[-1])
        if name in self._expected:
            return self._expected[name]
        if name.startswith("feature_check/"):
            if name not in self._ran:
                self._ran[name] = self._real.check_output([sys.executable, "-BS", command[-1]])
            return self._ran[name]
        raise NotImitated(f"it wants the output of a program that is not known: {command}")


def relative(path: str) -> str:
    """Return ``path`` as upstream names a test: relative, with forward slashes."""
    return os.path.relpath(os.path.abspath(path)).replace(os.sep, "/")
