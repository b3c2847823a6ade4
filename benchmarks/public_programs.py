"""Measure how many programs from public packages run unmodified: `evaluate` against CPython.

    python -m benchmarks.public_programs FOLDER... [--build FOLDER] [--target T] [--json FILE]

A FOLDER holds unpacked packages (`pip download --no-deps`, then `unzip` or `tar`). Each Python file
that imports only modules of CPython's standard library becomes one program. A file with doctests
becomes its source followed by its examples, which print their results. Another file runs as a
script without input. CPython runs each program twice, with different hash seeds and a time limit.
A program counts only if both runs succeed and print the same text. `porter.evaluate` then judges
its output as text, with default options.

The files run with this user's rights: use packages that you trust, or a container.
"""

from __future__ import annotations

import argparse
import ast
import doctest
import json
import os
import subprocess
import sys
import tempfile
import textwrap
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import attrs

from porter import evaluate
from porter.evaluation.results import Evaluation
from porter.evaluation.status import CaseStatus

SECONDS = 5.0  # of CPython, for one program
MAX_OUTPUT = 12_000  # bytes: a program's output fits the default stdout buffer of 16 KiB
MAX_SOURCE = 60_000  # bytes: tables of data are no programs

EXAMPLE = """
try:
{body}
except Exception as error:
    print(type(error).__name__)
"""


@attrs.frozen
class PublicProgram:
    """A program, and what CPython prints for it.

    Attributes:
        name: The file's path below its folder.
        source: The text of the program.
        expected: CPython's stdout.
    """

    name: str
    source: str
    expected: str


def sources(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each self-contained program below `folder`.

    Args:
        folder: A folder with unpacked packages.
    """
    for path in sorted(folder.rglob("*.py")):
        try:
            text = path.read_text()
            tree = ast.parse(text)
        except (SyntaxError, ValueError):
            continue
        if len(text) <= MAX_SOURCE and _is_self_contained(tree):
            examples = list(_examples(tree))
            program = _with_examples(text, tree, examples) if examples else text
            if examples or "print(" in text:
                yield str(path.relative_to(folder)), program


def _is_self_contained(tree: ast.Module) -> bool:
    """Return whether `tree` imports only modules of the standard library."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            if node.level or node.module is None:
                return False
            names = [node.module]
        else:
            continue
        if any(name.partition(".")[0] not in sys.stdlib_module_names for name in names):
            return False
    return True


def _examples(tree: ast.Module) -> Iterator[doctest.Example]:
    parser = doctest.DocTestParser()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            try:
                yield from parser.get_examples(ast.get_docstring(node) or "")
            except ValueError:  # inconsistent indentation
                continue


def _with_examples(text: str, tree: ast.Module, examples: list[doctest.Example]) -> str:
    """Return `text` as a module that is not `__main__`, followed by its examples."""
    lines = text.splitlines()
    future = [
        node.end_lineno or 0
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module == "__future__"
    ]
    first = tree.body[0] if tree.body else None
    is_docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    after = max([*future, (first.end_lineno or 0) if first and is_docstring else 0])
    parts = [*lines[:after], "__name__ = 'program'", *lines[after:]]
    for example in examples:
        source = example.source.strip("\n")
        try:
            ast.parse(source, mode="eval")
            body = f"_result = ({source}\n)\nif _result is not None:\n    print(repr(_result))"
        except SyntaxError:
            body = source
        parts.append(EXAMPLE.format(body=textwrap.indent(body, "    ")))
    return "\n".join(parts) + "\n"


def reference(program: tuple[str, str]) -> PublicProgram | None:
    """Return the program with CPython's output, or None if it has no reproducible one.

    Args:
        program: The name and the text.
    """
    name, source = program
    outputs = set()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "program.py").write_text(source)
        for seed in "12":
            environment = {"PATH": os.environ["PATH"], "PYTHONHASHSEED": seed}
            command = [sys.executable, "-W", "ignore", "program.py"]
            try:
                done = subprocess.run(
                    command,
                    cwd=folder,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    timeout=SECONDS,
                    check=True,
                )
                outputs.add(done.stdout.decode())
            except (subprocess.SubprocessError, UnicodeDecodeError):
                return None
    if len(outputs) != 1 or not 0 < len(text := outputs.pop()) <= MAX_OUTPUT or "0x" in text:
        return None
    return PublicProgram(name, source, text)


def main() -> None:
    """Print the share of programs that pass, the statuses, and the last line of each failure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--build")
    parser.add_argument("--target")
    parser.add_argument("--json", type=Path, help="write name, status and cause of each program")
    options = parser.parse_args()
    rows = []
    for folder in options.folders:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            found = [one for one in pool.map(reference, sources(folder)) if one is not None]
        distinct = list({one.source: one for one in found}.values())
        if not distinct:
            print(f"{folder.name}: no programs")
            continue
        tasks = [(one.source, [{"stdin": "", "stdout": one.expected}]) for one in distinct]
        judged = evaluate(
            tasks, keep=("outputs", "tracebacks"), build=options.build, target=options.target
        )
        statuses = [CaseStatus(row[0]).name for row in judged.status]
        print(f"{folder.name}: {statuses.count('PASSED')} of {len(distinct)} pass", end="; ")
        print(dict(Counter(statuses).most_common()))
        for index, one in enumerate(distinct):
            cause = _cause(judged, index, one.expected) if statuses[index] != "PASSED" else ""
            rows.append({"name": one.name, "status": statuses[index], "cause": cause})
            if cause:
                print(f"  {statuses[index]} {one.name}: {cause}")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))


def _cause(judged: Evaluation, index: int, expected: str) -> str:
    """Return the last line of a program's traceback, or its first line that differs."""
    if (index, 0) in judged.causes:
        return str(judged.causes[index, 0])
    traceback = judged.tracebacks[index][0] if judged.tracebacks else ""
    if traceback:
        return traceback.strip().splitlines()[-1]
    output = (judged.outputs or [])[index][0].decode(errors="replace")
    for line, wanted in zip(output.splitlines(), expected.splitlines(), strict=False):
        if line != wanted:
            return f"{line[:80]!r}, not {wanted[:80]!r}"
    return "the output ends early"


if __name__ == "__main__":
    main()
