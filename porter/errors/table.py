"""The table of `docs/exit-codes.md`, generated from the exception classes."""

from __future__ import annotations

from collections.abc import Iterator

from porter.errors.base import PorterError

EXIT_INTERNAL = 70
EXIT_INTERRUPTED = 130


def error_classes() -> Iterator[type[PorterError]]:
    """Return all error classes, sorted by exit code."""
    found: list[type[PorterError]] = []
    todo: list[type[PorterError]] = [PorterError]
    while todo:
        cls = todo.pop()
        found.append(cls)
        todo.extend(c for c in cls.__subclasses__() if c.__module__.startswith(__package__))
    return iter(sorted(found, key=lambda cls: cls.exit_code))


def exit_code_table() -> str:
    """Return the table of `docs/exit-codes.md` as Markdown."""
    rows = [(0, "", "all went well")]
    rows += [(cls.exit_code, f"`{cls.__name__}`", cls.meaning) for cls in error_classes()]
    rows += [
        (EXIT_INTERNAL, "", "a bug in porter; `--debug` shows where"),
        (EXIT_INTERRUPTED, "", "interrupted by Ctrl-C"),
    ]
    lines = ["| code | error | meaning |", "|---|---|---|"]
    lines += [f"| {code} | {name} | {meaning} |" for code, name, meaning in rows]
    return "\n".join(lines) + "\n"
