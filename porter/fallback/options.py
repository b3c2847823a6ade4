"""Options of the CPython fallback, and the modules that its programs may import by default."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from attrs import field, frozen

from porter.base.arguments import seconds, whole
from porter.base.sizes import parse_size
from porter.errors import UsageError, WrongType

CPYTHON = "cpython"
DEADLINE = 10.0  # seconds of a row; CPython takes about 1 s for 12 million steps
MEMORY = 1 << 30  # bytes of address space
LEAST_MEMORY, MOST_MEMORY = 256 << 20, 1 << 40
# Modules of the standard library that compute, and modules that programs import to read stdin,
# measure time or start threads. The filter of system calls restricts what their functions do.
MODULES = (
    "__future__", "_thread", "abc", "argparse", "array", "ast", "asyncio", "atexit", "base64",
    "binascii", "bisect", "builtins", "bz2", "calendar", "cmath", "codecs", "collections",
    "colorsys", "concurrent", "contextlib", "contextvars", "copy", "copyreg", "csv", "dataclasses",
    "datetime", "decimal", "difflib", "dis", "doctest", "enum", "errno", "faulthandler", "fnmatch",
    "fractions", "functools", "gc", "getopt", "graphlib", "gzip", "hashlib", "heapq", "hmac",
    "html", "inspect", "io", "ipaddress", "itertools", "json", "keyword", "linecache", "locale",
    "logging", "lzma", "marshal", "math", "numbers", "operator", "os", "pathlib", "pickle",
    "platform", "pprint",
    "queue", "quopri", "random", "re", "reprlib", "resource", "sched", "secrets", "select", "shlex",
    "signal", "statistics", "string", "stringprep", "struct", "symtable", "sys", "textwrap",
    "threading", "time", "timeit", "token", "tokenize", "traceback", "types", "typing",
    "unicodedata", "unittest", "urllib", "uuid", "warnings", "weakref", "xml", "zlib",
)  # fmt: skip
# Submodules, and modules that functions of the standard library import when they are first called.
# A process of a program cannot open files, so the zygote loads all of them, and all encodings.
# CPython's version decides which of them there are.
SUBMODULES = (
    "collections.abc", "concurrent.futures.thread", "html.entities", "html.parser", "json.tool",
    "os.path", "unittest.mock", "urllib.parse", "xml.dom.minidom", "xml.etree.ElementTree",
    "xml.sax.saxutils", "xml.dom.expatbuilder", "xml.parsers.expat", "unittest._log",
    "unittest.async_case", "tracemalloc", "_strptime", "_suggestions", "_md5", "_sha1", "_sha2",
    "_sha3",
)  # fmt: skip


def _modules(value: Any) -> tuple[str, ...]:
    names = (value,) if isinstance(value, str) or not isinstance(value, Iterable) else tuple(value)
    for name in names:
        if not isinstance(name, str):
            raise WrongType(f"modules: {type(name).__name__} is not the name of a module")
        if not all(part.isidentifier() for part in name.split(".")):
            raise UsageError(f"modules: {name[:80]!r} is not the name of a module")
    return tuple(dict.fromkeys(names))


def _deadline(value: Any) -> float:
    found = seconds(value, "deadline", 86_400.0)
    if found == 0:
        raise UsageError("deadline: 0 seconds are no time to run in")
    return found


def _memory(value: Any) -> int:
    size = parse_size(value, "memory")
    return whole(size, "memory", LEAST_MEMORY, MOST_MEMORY)


def _processes(value: Any) -> int | None:
    return None if value is None else whole(value, "processes", 1, 1024)


@frozen(kw_only=True)
class Fallback:
    """Options of the CPython fallback. It is hashable, and can be pickled.

    Raises UsageError, WrongType.

    Attributes:
        modules: Modules that programs may import, beside MODULES. The public subpackages of a
            package are included; other submodules have their own names.
        deadline: Seconds of a row where the evaluation has no deadline: loading the program, and
            the call.
        memory: Bytes of address space of a process.
        processes: Programs that run at a time; None: one for each core.
    """

    modules: tuple[str, ...] = field(default=(), converter=_modules)
    deadline: float = field(default=DEADLINE, converter=_deadline)
    memory: int = field(default=MEMORY, converter=_memory)
    processes: int | None = field(default=None, converter=_processes)


def fallback_of(value: Any) -> Fallback | None:
    """Return the options of a fallback: None, "cpython" or a Fallback.

    Raises:
        WrongType: The value has another type.
        UsageError: The text is not "cpython".
    """
    if value is None or isinstance(value, Fallback):
        return value
    if value == CPYTHON:
        return Fallback()
    hint = 'Give None, "cpython" or a porter.fallback.Fallback.'
    if isinstance(value, str):
        raise UsageError(f"fallback: {value[:40]!r} is not {CPYTHON!r}", hint=hint)
    raise WrongType(f"fallback: {type(value).__name__}", hint=hint)
