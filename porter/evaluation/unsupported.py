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
        owner: The module, built-in type or function that lacks `name`; empty for other kinds.
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


def causes_of(
    failures: Sequence[tuple[ExceptionRecord, bytes]], modules: Sequence[str] = ()
) -> list[Cause | None]:
    """Return the cause of each exception; None where CPython lacks the same.

    Args:
        failures: Pairs of an exception and the source of the program that it ended.
        modules: Modules that the caller's CPython has beside the standard library.
    """
    causes: list[Cause | None] = [None] * len(failures)
    calls: dict[int, tuple[str, Question]] = {}
    for i, (record, source) in enumerate(failures):
        missing = record.missing
        if missing is None:
            continue
        if missing.kind == "keyword":
            if record.frames:
                calls[i] = missing.name, (source, record.frames[-1].line)
        elif missing.kind == "operation":
            causes[i] = Cause("operation", "", record.message)
        else:
            causes[i] = _named(missing, modules)
    answers = _ask([question for _, question in calls.values()])
    for (i, (name, _)), answer in zip(calls.items(), answers, strict=True):
        causes[i] = _keyword(name, answer[1:])
    return causes


def _named(missing: Missing, modules: Sequence[str]) -> Cause | None:
    known = cpython_names()
    types: Mapping[str, Sequence[str]] = known["types"]
    owner, name = missing.owner, missing.name
    if missing.kind == "module":
        package = name.partition(".")[0]
        there = name in known["modules"] or name in known["submodules"]
        there |= name in modules or package in modules
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


def _keyword(keyword: str, calls: Sequence[str]) -> Cause | None:
    """Return the cause if one of the `calls` passes `keyword`, which its function has in CPython.

    A function in C does not know its name. The calls are those of the innermost frame's line.

    Args:
        keyword: The keyword argument that the interpreter's function lacks; empty: unknown.
        calls: The function and the keywords of each call, separated by blanks.
    """
    keywords: Mapping[str, Sequence[str]] = cpython_names()["keywords"]
    for call in calls:
        function, *names = call.split(" ")
        for name in names:
            if keyword in ("", name) and name in keywords.get(function, ()):
                return Cause("keyword", function, name)
    return None


def compiles(sources: Sequence[bytes]) -> list[bool]:
    """Return whether CPython compiles each of `sources`.

    A process of its own compiles them, with limits of time and memory, because CPython's compiler
    is no sandbox: a hostile source can end the process. Sources of more than MAX_SOURCE bytes, and
    those that end the process or exceed the limits, count as not compiled. The process executes
    none of them.
    """
    return [bool(answer) for answer in _ask([(source, 0) for source in sources])]


Question = tuple[bytes, int]  # a source, and a line of it or 0
GROUP = 1000  # questions for a process
MAX_SOURCE = 1 << 18  # bytes
MAX_RESTARTS = 8  # processes that hostile sources may end, for each group of questions
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
take = sys.stdin.buffer.read
while head := take(8):
    line = int.from_bytes(head[4:], "little")
    source = take(int.from_bytes(head[:4], "little"))
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


def _ask(questions: Sequence[Question]) -> list[list[str]]:
    """Return the answers of worker processes to `questions`, in their order."""
    answers: list[list[str]] = [[] for _ in questions]
    fits = [i for i, (source, _) in enumerate(questions) if len(source) <= MAX_SOURCE]
    for at in range(0, len(fits), GROUP):
        left = fits[at : at + GROUP]
        for _ in range(MAX_RESTARTS):
            if not left:
                break
            found = _run([questions[i] for i in left])
            for i, answer in zip(left, found, strict=False):
                text = text_of(answer)
                answers[i] = text.split("\t") if text else []
            left = left[len(found) + 1 :]  # the source after the last answer ended the process
    return answers


def _run(questions: Sequence[Question]) -> list[bytes]:
    given = b"".join(
        len(source).to_bytes(4, "little") + line.to_bytes(4, "little") + source
        for source, line in questions
    )
    command = [sys.executable, "-I", "-S", "-c", _WORKER]
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
