"""What stands in upstream's runner where it has a board, CPython, and answers of checks."""

from __future__ import annotations

import os
import sys
from typing import Any


class NotImitated(Exception):
    """The runner has not the form that this driver knows."""


class Agrees(bytes):
    """An answer that is whatever upstream's runner compares it with."""

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False

    __hash__ = bytes.__hash__


class Avoids(bytes):
    """An answer for which no comparison of upstream's runner holds."""

    def __eq__(self, other: object) -> bool:
        return False

    def __ne__(self, other: object) -> bool:
        return False

    __hash__ = bytes.__hash__


class Target:
    """Stands where upstream's runner has a board; knows what each program prints."""

    def __init__(self) -> None:
        self.answers: dict[str, tuple[bool, bytes]] = {}
        self.asked: list[str] = []

    def run_script_on_remote_target(
        self, args: Any, test_file: str, *more: Any
    ) -> tuple[bool, bytes]:
        """Whether the program crashed, and its output; tests that have no answer skip."""
        name = relative(test_file)
        self.asked.append(name)
        return self.answers.get(name, (False, b"SKIP\n"))

    def close(self) -> None:
        """Nothing is open."""


class Host:
    """Stands where upstream's runner has ``subprocess``, which it asks for CPython's output."""

    def __init__(self, real: Any, expected: dict[str, bytes]) -> None:
        self._real = real
        self._expected = expected
        self._ran: dict[str, bytes] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def check_output(self, command: list[str], *args: Any, **kwargs: Any) -> bytes:
        """CPython's output for a test, as it is known; other programs are run."""
        name = relative(command[-1])
        if name in self._expected:
            return self._expected[name]
        if name.startswith("feature_check/"):
            if name not in self._ran:
                self._ran[name] = self._real.check_output([sys.executable, "-BS", command[-1]])
            return self._ran[name]
        raise NotImitated(f"it wants the output of a program that is not known: {command}")


def relative(path: str) -> str:
    """``path`` as upstream names a test: below the working directory, with forward slashes."""
    return os.path.relpath(os.path.abspath(path)).replace(os.sep, "/")
