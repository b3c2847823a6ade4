"""Test cases: arguments of calls and expected results, encoded for interpreters."""

from __future__ import annotations

import array
import marshal
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import field, frozen

from porter.base.untrusted import value_of
from porter.errors import UsageError, WrongType

MAX_CHARACTER = 4  # bytes of UTF-8
SPARE_OUTPUT = 4096  # bytes of output beyond the expected ones
MOST_OUTPUT = 1 << 20  # bytes of output that a row may have because a long output is expected
MOST_DEPTH = 40  # nested containers; interpreters recurse over them on their C stacks
VERSION = 2  # of the marshal format: no references between values
_ATOMS = frozenset({type(None), bool, int, float, complex, bytes, type(...)})
_TYPECODES = "bBhHiIlLqQfd"
_KNOWN = (
    "None, bool, int, float, complex, str, bytes, bytearray, array, list, tuple, dict, set, "
    "frozenset and ..."
)


def encode(value: Any, name: str) -> bytes:
    """Encode `value` in CPython's marshal format.

    Args:
        value: The value.
        name: The value's name in messages.

    Raises:
        WrongType: Interpreters have no such type.
        UsageError: The value is nested too deep, or a str is not valid Unicode.
    """
    return marshal.dumps(_plain(value, name, 0), VERSION)


def _plain(value: Any, name: str, depth: int) -> Any:
    kind = type(value)
    if kind in _ATOMS:
        return value
    if kind is str:
        return _text(value, name)
    if depth == MOST_DEPTH:
        raise UsageError(f"{name}: nested more than {MOST_DEPTH} deep")
    if kind in (list, tuple, set, frozenset):
        return kind(_items(value, name, depth))
    if kind is dict:
        keys = _items(value, f"a key of {name}", depth)
        return dict(zip(keys, _items(value.values(), name, depth), strict=True))
    if kind is bytearray:
        return (StopIteration, bytes(value))
    if kind is array.array and value.typecode in _TYPECODES:
        return (StopIteration, value.typecode, value.tobytes())
    raise _refused(value, name)


def _items(values: Any, name: str, depth: int) -> Iterator[Any]:
    for value in values:
        yield value if type(value) in _ATOMS else _plain(value, name, depth + 1)


def _text(value: str, name: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise UsageError(f"{name}: {error}") from error
    return value


def _refused(value: Any, name: str) -> WrongType:
    hint = f"There are {_KNOWN}."
    if hasattr(value, "tolist"):
        hint = "Give its tolist(), which has Python's own numbers."
    return WrongType(f"{name}: {type(value).__name__} is no value of an interpreter", hint=hint)


KEYS = ("args", "kwargs", "expected")
TEXT_KEYS = ("stdin", "stdout")
HINT = (
    'A case is (args, expected), {"args": [...], "kwargs": {...}, "expected": ...}, or '
    '{"stdin": text, "stdout": text}.'
)


@frozen
class TextCase:
    """A case of a program that reads stdin and prints, or that tests itself.

    Attributes:
        stdin: The program's input.
        stdout: The expected output; None: the program must only run to its end.
    """

    stdin: bytes
    stdout: str | None


@frozen(eq=False)
class Cases:
    """Encoded test cases (porter/run/launch/calls.py).

    Attributes:
        arguments: The arguments of all cases, as bytes.
        argument_offsets: Offsets into `arguments` (int64, cases + 1).
        expected: The expected values of all cases, as bytes.
        expected_offsets: Offsets into `expected` (int64, cases + 1).
        texts: The cases of programs that run as a whole; None: the cases are calls of a function.
    """

    arguments: bytes = field(repr=False)
    argument_offsets: np.ndarray[Any, Any] = field(repr=False)
    expected: bytes = field(repr=False)
    expected_offsets: np.ndarray[Any, Any] = field(repr=False)
    texts: tuple[TextCase, ...] | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.argument_offsets) - 1

    def expected_value(self, index: int) -> Any:
        """Decode the expected value of case `index` into a new object."""
        start, end = self.expected_offsets[index : index + 2].tolist()
        return value_of(self.expected[start:end], wrapped=True)

    @classmethod
    def of(cls, cases: Iterable[Any] | Cases, name: str = "cases") -> Cases:
        """Encode a caller's cases.

        Args:
            cases: (args, expected), or {"args", "kwargs", "expected"}.
            name: The cases' name in messages.

        Raises:
            WrongType: A case has a wrong type; the message has its index.
            UsageError: A case is incomplete or cannot be encoded; the message has its index.
        """
        if isinstance(cases, Cases):
            return cases
        if isinstance(cases, str | bytes | Mapping) or not isinstance(cases, Iterable):
            raise WrongType(f"{name}: {type(cases).__name__} is not a sequence of cases", hint=HINT)
        cases = list(cases)
        if not cases:
            raise UsageError(f"{name}: there is no case", hint=HINT)
        if not any(map(_is_text, cases)):
            pairs = [_case(case, f"{name}[{i}]") for i, case in enumerate(cases)]
            arguments, expected = zip(*pairs, strict=True)
            return cls.joined(arguments, expected)
        texts = tuple(_text_case(case, f"{name}[{i}]") for i, case in enumerate(cases))
        nothing = [encode(((), {}), name)] * len(texts)
        return cls(*_joined(nothing), *_joined([encode(None, name)] * len(texts)), texts)

    @classmethod
    def joined(cls, arguments: Sequence[bytes], expected: Sequence[bytes]) -> Cases:
        """Return cases of encoded arguments and expected values."""
        return cls(*_joined(arguments), *_joined(expected))

    @classmethod
    def join(cls, parts: Sequence[Cases]) -> Cases:
        """Concatenate the cases of all `parts`: all of calls, or all of whole programs."""
        if len(parts) == 1:
            return parts[0]
        return cls(
            b"".join(part.arguments for part in parts),
            _chained([part.argument_offsets for part in parts]),
            b"".join(part.expected for part in parts),
            _chained([part.expected_offsets for part in parts]),
            None
            if parts[0].texts is None
            else tuple(t for part in parts for t in part.texts or ()),
        )


def _joined(texts: Sequence[bytes]) -> tuple[bytes, np.ndarray[Any, Any]]:
    return b"".join(texts), np.cumsum([0, *map(len, texts)], dtype=np.int64)


def _chained(offsets: Sequence[np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
    lengths = [np.diff(part) for part in offsets]
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.concatenate(lengths))])


def _is_text(case: Any) -> bool:
    return isinstance(case, Mapping) and any(key in case for key in TEXT_KEYS)


def _text_case(case: Any, name: str) -> TextCase:
    if not _is_text(case):
        raise UsageError(f"{name}: some cases have stdin and stdout, this one has not", hint=HINT)
    if "expected" in case and "stdout" not in case:
        case = {"stdout" if key == "expected" else key: value for key, value in case.items()}
    for key in case:
        if key not in TEXT_KEYS:
            raise UsageError(f"{name}: {key!r} is not one of {', '.join(TEXT_KEYS)}", hint=HINT)
    stdin, stdout = case.get("stdin", ""), case.get("stdout")
    for key, value in (("stdin", stdin), ("stdout", stdout)):
        if not isinstance(value, str) and (key == "stdin" or value is not None):
            raise WrongType(f"{name}: {key} is a text, not {type(value).__name__}")
    return TextCase(_text(stdin, name).encode(), stdout)


def _case(case: Any, name: str) -> tuple[bytes, bytes]:
    if isinstance(case, Mapping):
        args, kwargs, expected = _of_mapping(case, name)
    elif isinstance(case, tuple | list) and len(case) == 2:
        args, kwargs, expected = case[0], {}, case[1]
    else:
        size = f" of {len(case)}" if isinstance(case, tuple | list) else ""
        raise WrongType(f"{name}: {type(case).__name__}{size} is not a case", hint=HINT)
    if not isinstance(args, tuple | list):
        raise WrongType(
            f"{name}: arguments are a list or a tuple, not {type(args).__name__}",
            hint="Of a single argument write ((x,), expected).",
        )
    if not isinstance(kwargs, dict) or not all(isinstance(key, str) for key in kwargs):
        raise WrongType(f"{name}: kwargs are a dict by names, not {type(kwargs).__name__}")
    arguments = encode((tuple(args), kwargs), f"{name}, arguments")
    return arguments, encode(expected, f"{name}, expected")


def _of_mapping(case: Mapping[Any, Any], name: str) -> tuple[Any, Any, Any]:
    for key in case:
        if key not in KEYS:
            raise UsageError(f"{name}: {key!r} is not one of {', '.join(KEYS)}", hint=HINT)
    if "expected" not in case:
        raise UsageError(f"{name}: it has no expected value", hint=HINT)
    return case.get("args", ()), case.get("kwargs", {}), case["expected"]


def output_limit(case: TextCase, stdout: int) -> int:
    """Return the bytes of output that a row of a whole program may have.

    A row may print more than `stdout` bytes where its own case expects a longer output. The limit
    does not depend on other cases, with which a launch shares the size of its buffers.

    Args:
        case: The row's case.
        stdout: Maximum bytes of output per call.
    """
    expected = len(case.stdout or "") * MAX_CHARACTER
    return max(stdout, min(expected + SPARE_OUTPUT, MOST_OUTPUT)) // 16 * 16
