"""Read programs and cases from files: JSON lines, or a folder of programs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attrs import frozen

from porter.errors import FileProblem, UsageError

PROGRAM_KEYS = ("source", "id", "cases")
HINT = 'A line is a text, or {"source": text, "id": name, "cases": [...]}.'


@frozen
class NamedProgram:
    """A program with its name in results.

    Attributes:
        name: The name.
        source: The source.
        cases: The program's own cases; None: the shared ones.
    """

    name: str
    source: str | bytes
    cases: list[Any] | None = None


def read_programs(path: Path) -> Iterator[NamedProgram]:
    """Yield the programs in `path` lazily.

    A folder has one program per *.py file, named by its path in the folder. A file has one per
    line.

    Raises:
        FileProblem: The path cannot be read.
        UsageError: A line is invalid; the message has file and line.
    """
    if path.is_dir():
        yield from _folder(path)
        return
    for number, value in json_lines(path):
        yield _program(value, f"{path}:{number}", str(number - 1))


def count_programs(path: Path) -> int | None:
    """Return the number of programs in a folder; None for a file, which would have to be read."""
    return len(_files(path)) if path.is_dir() else None


def read_cases(path: Path) -> list[Any]:
    """Read the cases in the lines of `path`. Raises FileProblem, UsageError."""
    return [value for _, value in json_lines(path)]


def json_lines(path: Path) -> Iterator[tuple[int, Any]]:
    """Yield the number (from 1) and the value of each non-blank line.

    Raises:
        FileProblem: The file cannot be read.
        UsageError: A line is not JSON.
    """
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, _loads(line, f"{path}:{number}")
    except OSError as error:
        raise FileProblem(f"{path}: {error.strerror}") from error


def _loads(line: bytes, place: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{place}: this line is not JSON: {error}") from error


def _files(path: Path) -> list[Path]:
    return sorted(file for file in path.rglob("*.py") if file.is_file())


def _folder(path: Path) -> Iterator[NamedProgram]:
    files = _files(path)
    if not files:
        raise FileProblem(f"{path}: there is no .py file in this folder")
    for file in files:
        try:
            yield NamedProgram(file.relative_to(path).as_posix(), file.read_bytes())
        except OSError as error:
            raise FileProblem(f"{file}: {error.strerror}") from error


def _program(value: Any, place: str, name: str) -> NamedProgram:
    if isinstance(value, str):
        return NamedProgram(name, value)
    if not isinstance(value, dict) or not isinstance(value.get("source"), str):
        raise UsageError(f"{place}: there is no program in this line", hint=HINT)
    if unknown := [key for key in value if key not in PROGRAM_KEYS]:
        raise UsageError(f"{place}: {unknown[0]!r} is not one of {', '.join(PROGRAM_KEYS)}")
    cases = value.get("cases")
    if cases is not None and not isinstance(cases, list):
        raise UsageError(f"{place}: cases are a list")
    return NamedProgram(str(value.get("id", name)), value["source"], cases)
