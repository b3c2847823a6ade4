"""Classify failures: does a program use what CPython has and the interpreter lacks?

Input: what the core of an interpreter lacked when it raised an exception (`Missing`, from the
exception's record), or the source of a program that did not compile. Output: a `Cause`, or None
where CPython lacks the same. `judgement` calls it for rows that failed. Messages of exceptions play
no part, because programs choose them.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from attrs import frozen

from porter.base.exception_record import ExceptionRecord, Missing
from porter.base.untrusted import printable, text_of

TABLE = Path(__file__).with_name("cpython_names.json")


@frozen
class Cause:
    """A feature that CPython has and the interpreter lacks.

    Attributes:
        kind: "module", "name", "attribute", "keyword", "operation" or "syntax".
        owner: The module, built-in type or function that lacks `name`; empty where there is none.
        name: The module, name, attribute or keyword argument; of an operation, the description that
            the interpreter gives; of syntax, empty.
    """

    kind: str
    owner: str = ""
    name: str = ""

    def __str__(self) -> str:
        dotted = f"{self.owner}.{self.name}" if self.owner else self.name
        texts = {
            "module": f"could not import {self.name}",
            "name": f"has no name {dotted}",
            "attribute": f"has no attribute {dotted}",
            "keyword": f"{self.owner}() does not take the argument {self.name}",
            "operation": f"not implemented: {self.name or 'an operation'}",
            "syntax": "could not compile the program",
        }
        return printable(texts[self.kind])


@cache
def cpython_names() -> Mapping[str, Any]:
    """Return CPython's names, as porter_dev/cpython_names.py collects them."""
    found: Mapping[str, Any] = json.loads(TABLE.read_text(encoding="utf-8"))
    return found


def cause_of(record: ExceptionRecord, source: bytes) -> Cause | None:
    """Return the cause of an exception, or None if CPython lacks the same.

    Args:
        record: The exception.
        source: The program's source.
    """
    missing = record.missing
    if missing is None:
        return None
    if missing.kind == "keyword":
        return _keyword(record, missing, source)
    if missing.kind == "operation":
        return Cause("operation", "", record.message)
    return _named(missing)


def _named(missing: Missing) -> Cause | None:
    known = cpython_names()
    types: Mapping[str, Sequence[str]] = known["types"]
    owner, name = missing.owner, missing.name
    if missing.kind == "module":
        there = name in known["modules"] or name.partition(".")[0] in known["modules"]
        return Cause("module", "", name) if there else None
    if missing.kind == "name":
        return Cause("name", "", name) if name in known["builtins"] else None
    if missing.kind == "module name":
        there = name in known["modules"].get(owner, ()) or f"{owner}.{name}" in known["modules"]
        return Cause("name", owner, name) if there else None
    also = types["type"] if missing.kind == "type attribute" else types["object"]
    if name in types.get(owner, ()) or name in also:
        return Cause("attribute", owner, name)
    return None


def _keyword(record: ExceptionRecord, missing: Missing, source: bytes) -> Cause | None:
    """Return the built-in function whose call in the exception's line has a lacking keyword.

    A function in C does not know its name. The call is in the line of the innermost frame.
    """
    if not record.frames:
        return None
    keywords: Mapping[str, Sequence[str]] = cpython_names()["keywords"]
    for call in _ask([source], record.frames[-1].line)[0]:
        function, *names = call.split(" ")
        for name in names:
            if missing.name in ("", name) and name in keywords.get(function, ()):
                return Cause("keyword", function, name)
    return None


def compiles(sources: Sequence[bytes]) -> list[bool]:
    """Return whether CPython compiles each of `sources`.

    A process of its own compiles them, with limits of time and memory, because CPython's compiler
    is no sandbox: a hostile source can end the process. Sources of more than MAX_SOURCE bytes, and
    those that end the process or exceed the limits, count as not compiled. Nothing is executed.
    """
    return [bool(answer) for answer in _ask(sources, 0)]


MAX_SOURCE = 1 << 18  # bytes
MAX_RESTARTS = 8  # processes that hostile sources may end, for each group of sources
SECONDS = 10  # for each process; a source takes less than a millisecond in general
MEMORY = 1 << 30  # bytes
# Answers a line for each source: nothing if it does not compile; "+" if it does; for a question
# about a line, also each call with keyword arguments there: function and keywords.
_WORKER = f"""
import ast, resource, sys, warnings
warnings.simplefilter("ignore")
resource.setrlimit(resource.RLIMIT_AS, ({MEMORY}, {MEMORY}))
resource.setrlimit(resource.RLIMIT_CPU, ({SECONDS}, {SECONDS}))
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
line = int(sys.argv[1])
take = sys.stdin.buffer.read
while head := take(4):
    source = take(int.from_bytes(head, "little"))
    found = []
    try:
        compile(source, "<program>", "exec", dont_inherit=True)
        found = ["+"]
        for node in ast.walk(ast.parse(source)) if line else ():
            if isinstance(node, ast.Call) and node.lineno <= line <= node.end_lineno:
                of = node.func
                name = of.id if isinstance(of, ast.Name) else getattr(of, "attr", "")
                keys = [one.arg for one in node.keywords if one.arg]
                if name and keys:
                    found.append(" ".join([name, *keys]))
    except BaseException:
        pass
    sys.stdout.buffer.write("\\t".join(found).encode() + b"\\n")
    sys.stdout.flush()
"""


def _ask(sources: Sequence[bytes], line: int) -> list[list[str]]:
    """Return the answers of worker processes to `sources`, in their order."""
    answers: list[list[str]] = [[] for _ in sources]
    left = [i for i, source in enumerate(sources) if len(source) <= MAX_SOURCE]
    for _ in range(MAX_RESTARTS):
        if not left:
            break
        found = _run([sources[i] for i in left], line)
        for i, answer in zip(left, found, strict=False):
            text = text_of(answer)
            answers[i] = text.split("\t")[0 if line == 0 else 1 :] if text else []
        left = left[len(found) + 1 :]  # the source after the last answer ended the process
    return answers


def _run(sources: Sequence[bytes], line: int) -> list[bytes]:
    given = b"".join(len(source).to_bytes(4, "little") + source for source in sources)
    command = [sys.executable, "-I", "-S", "-c", _WORKER, str(line)]
    try:
        done = subprocess.run(
            command, input=given, capture_output=True, timeout=2 * SECONDS, check=False
        )
        out = done.stdout
    except subprocess.TimeoutExpired as late:
        out = late.stdout or b""
    except OSError:  # no process can be started
        return []
    return out.split(b"\n")[:-1]
