"""Program shapes: methods of a class, and programs that run as a whole.

Interpreters call a global function. `launches` appends a line to the sources of other shapes: it
binds a method to a global name, or ends a whole program with an exit code that tells its end from
an exit of the program. `judgement` compares the outputs of whole programs with `equal_outputs`.
"""

from __future__ import annotations

import math
import re
import secrets
from itertools import zip_longest

ENTRY = "_porter_entry"
# A program cannot know this exit code, so it cannot skip the tests that are appended to it.
END_CODE = secrets.randbelow(2**30 - 1000) + 1000
_SOLUTION = re.compile(
    rb"^class[ \t]+Solution\b.*\n((?:[ \t].*\n|[ \t]*(?:#.*)?\n)*)", re.MULTILINE
)
_METHOD = re.compile(rb"^([ \t]+)(?:async[ \t]+)?def[ \t]+([A-Za-z]\w*)", re.MULTILINE)


def with_solution(source: bytes, name: str) -> bytes:
    """Return `source` with its method of `class Solution` bound to the global `name`.

    The source is returned unchanged if it contains `name` as a word, has no such class, or if the
    class has several methods or none, names with an underscore at the start aside.

    Args:
        source: The program.
        name: The global name that calls use.
    """
    if b"Solution" not in source or re.search(rb"\b%s\b" % name.encode(), source):
        return source
    classes = _SOLUTION.findall(source + b"\n")
    if len(classes) != 1:
        return source
    methods = _METHOD.findall(classes[0])
    least = min((len(indent) for indent, _ in methods), default=0)
    names = {found for indent, found in methods if len(indent) == least}
    if len(names) != 1:
        return source
    return with_entry(source, f"Solution.{names.pop().decode()}", name)


def with_entry(source: bytes, entry: str, name: str) -> bytes:
    """Return `source` with a line that binds `entry` to the global `name`.

    The global is None if the program lacks the function, class or method.

    Args:
        source: The program.
        entry: A function, or "Class.method"; a call makes an object of the class first.
        name: A global name.
    """
    owner, _, method = entry.partition(".")
    line = f"{name} = globals().get({owner!r})"
    if method:
        line = (
            f"{name} = (lambda *args, **kwargs: {owner}().{method}(*args, **kwargs)) "
            f"if hasattr(globals().get({owner!r}), {method!r}) else None"
        )
    return source + f"\n{line}\n".encode()


def with_globals(sources: tuple[bytes, ...], entry: str) -> tuple[tuple[bytes, ...], str]:
    """Return sources whose calls are those of a global function, and the function's name.

    Args:
        sources: The programs.
        entry: A function, or "Class.method". A function also names the method of `class Solution`.
    """
    if "." in entry:
        return tuple(with_entry(source, entry, ENTRY) for source in sources), ENTRY
    if b"Solution" in b"".join(sources):  # a single search, as there may be a million programs
        return tuple(with_solution(source, entry) for source in sources), entry
    return sources, entry


def whole_program(source: bytes) -> bytes:
    """Return `source` with a line that exits with END_CODE."""
    return source + f"\nraise SystemExit({END_CODE})\n".encode()


def equal_outputs(
    output: str, expected: str, how: str, tolerance: tuple[float, float] | None
) -> bool:
    """Return whether the output of a program is the expected one.

    Args:
        output: The output.
        expected: The expected output.
        how: "text", "lines" or "tokens", as `porter.evaluate` documents them.
        tolerance: The relative and absolute tolerance of floats among words; None: words are equal.
            With a tolerance, lines are compared word by word.
    """
    if how == "text":
        return output == expected
    if how == "lines" and tolerance is None:
        return _lines(output) == _lines(expected)
    if how == "lines":
        pairs = zip_longest(_lines(output), _lines(expected))
        return all(
            one is not None and other is not None and _equal_words(one, other, tolerance)
            for one, other in pairs
        )
    return _equal_words(output, expected, tolerance)


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.rstrip().split("\n")]


def _equal_words(text: str, expected: str, tolerance: tuple[float, float] | None) -> bool:
    words, others = text.split(), expected.split()
    return len(words) == len(others) and all(
        word == other or (tolerance is not None and _close(word, other, tolerance))
        for word, other in zip(words, others, strict=True)
    )


def _close(word: str, other: str, tolerance: tuple[float, float]) -> bool:
    try:
        one, two = float(word), float(other)
    except ValueError:
        return False
    return math.isclose(one, two, rel_tol=tolerance[0], abs_tol=tolerance[1])
