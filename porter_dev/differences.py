"""Generate docs/reference/differences.md: programs whose results differ from CPython's.

Each file of `tests/differences/programs/` is a program with one difference. Its first line is a
comment `# SUBJECT: TITLE`; further comment lines below it explain the difference. The page shows
each program with CPython's output and porter's. All programs run in one launch. The page also
lists the modules and public names of CPython that builds lack, from `missing_names.toml` and
`porter/evaluation/cpython_names.json`. `tests/differences` fails if a listed difference has
vanished or the page is stale.

    python -m porter_dev.differences            # rewrite the page; status 1 if one has vanished
    python -m porter_dev.differences --prune    # remove the programs of vanished differences first
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from attrs import frozen

from porter.evaluation.unsupported import TABLE
from porter.run import Device, Launch, Program, open_device, run
from porter_dev import builds
from porter_dev.tables import ROOT

PROGRAMS = ROOT / "tests" / "differences" / "programs"
MISSING_NAMES = ROOT / "tests" / "library" / "missing_names.toml"
PAGE = ROOT / "docs" / "reference" / "differences.md"
LAUNCH = Launch(heap=1 << 20, stdout=1 << 14, stderr=1 << 12, pystack=64 << 10, stack=128 << 10)
HEADER = """\
# Differences from CPython

`python -m porter_dev.differences` generates this page from the programs in
`tests/differences/programs/`. A test runs each program in CPython and in an interpreter. It fails
if a difference has vanished, or if an output below is not the present one. An uncaught exception is
shown by its last line. [Language](language.md) and [Standard library](library.md) describe the
rules behind the differences.
"""
# Runs the programs of stdin, a JSON list, and writes the list of their outputs.
CPYTHON = """\
import contextlib, io, json, sys
outputs = []
depth = sys.getrecursionlimit()
for program in json.load(sys.stdin):
    sys.setrecursionlimit(depth)  # a program may have changed it
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(program, "<program>", "exec", dont_inherit=True), {"__name__": "__main__"})
        except BaseException as error:
            text = str(error).split("\\n")[0]
            print(type(error).__name__ + (": " + text if text else ""))
    outputs.append(printed.getvalue())
json.dump(outputs, sys.stdout)
"""
IMPORTS = """\
for name in %r:
    try:
        __import__(name)
    except ImportError:
        print(name)
    except Exception:
        pass
"""


@frozen
class DifferingProgram:
    """A program whose result differs from CPython's.

    Attributes:
        name: The file's name without its suffix.
        subject: The section of the page, for example "Classes".
        title: The difference in one line; the heading of the page's section.
        text: Sentences that explain it; may be empty.
        program: The source without the comment lines of the head.
    """

    name: str
    subject: str
    title: str
    text: str
    program: str

    @classmethod
    def read(cls, path: Path) -> DifferingProgram:
        """Read a file. Raises ValueError if its first line is not `# SUBJECT: TITLE`."""
        lines = path.read_text().splitlines()
        head: list[str] = []
        while lines and lines[0].startswith("#"):
            head.append(lines.pop(0)[1:].strip())
        found = re.fullmatch(r"([^:]+): (.+)", head[0]) if head else None
        if found is None:
            raise ValueError(f"{path}: the first line is not '# SUBJECT: TITLE'")
        program = "\n".join(lines).strip() + "\n"
        return cls(path.stem, found[1], found[2], " ".join(head[1:]), program)


def load() -> list[DifferingProgram]:
    """Return the differences, sorted by subject and file name."""
    found = [DifferingProgram.read(path) for path in PROGRAMS.glob("*.py")]
    return sorted(found, key=lambda one: (one.subject, one.name))


def without_addresses(text: str) -> str:
    """Return `text` with `0x...` in place of each address after `at`."""
    return re.sub(r"\bat (0x)?[0-9a-f]{4,}\b", "at 0x...", text)


def cpython_outputs(programs: Sequence[str]) -> list[str]:
    """Return what each program prints in the CPython that runs this code."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CPYTHON],
        input=json.dumps(programs), capture_output=True, text=True, check=True,
    )  # fmt: skip
    found: list[str] = json.loads(done.stdout)
    return [without_addresses(text) for text in found]


def porter_outputs(device: Device, programs: Sequence[str]) -> list[str]:
    """Return what each program prints in an interpreter; all of them run in one launch."""
    count = len(programs)
    result = run(
        device,
        [Program(program, "<program>") for program in programs],
        count,
        LAUNCH,
        program_of=np.arange(count),
    )
    found = []
    for printed, error in zip(result.stdout, result.stderr, strict=True):
        last = error.decode().rstrip().splitlines()[-1:]
        text = printed.decode() + "".join(line.rstrip(" :") + "\n" for line in last)
        found.append(without_addresses(text))
    return found


def missing_names() -> dict[str, list[str]]:
    """Return the public names that each module of the library lacks, from `missing_names.toml`."""
    found = tomllib.loads(MISSING_NAMES.read_text())
    return {name: found[name]["missing"] for name in sorted(found) if found[name]["missing"]}


def stored_modules() -> list[str]:
    """Return the names of CPython's modules in `cpython_names.json`."""
    return sorted(json.loads(TABLE.read_text())["modules"])


def _block(text: str) -> str:
    return f"```text\n{text.rstrip()}\n```\n" if text.strip() else "Nothing is printed.\n"


def _filled(text: str) -> str:
    return textwrap.fill(text, 98, break_long_words=False, break_on_hyphens=False)


def _listed(names: Iterable[str]) -> str:
    return _filled(", ".join(f"`{name}`" for name in names)) + "\n"


def page(
    differences: Sequence[DifferingProgram],
    expected: Sequence[str],
    found: Sequence[str],
    modules: Sequence[str],
) -> str:
    """Return the page's text.

    Args:
        differences: In the order of `load`.
        expected: CPython's output of each.
        found: The interpreter's output of each.
        modules: CPython's modules that cannot be imported.
    """
    parts = [HEADER]
    subject = ""
    for one, wanted, got in zip(differences, expected, found, strict=True):
        if one.subject != subject:
            subject = one.subject
            parts.append(f"## {subject}\n")
        parts.append(f"### {one.title}\n")
        if one.text:
            parts.append(_filled(one.text) + "\n")
        parts.append(f"```text\n{one.program}```\n")
        parts.append(f"CPython:\n\n{_block(wanted)}\nporter:\n\n{_block(got)}")
    parts.append("## Missing modules\n")
    parts.append("An import of one of these modules of CPython raises ImportError.\n")
    parts.append(_listed(modules))
    parts.append("## Missing names\n")
    parts.append("These modules lack public names of CPython's.\n")
    for module, names in missing_names().items():
        parts.append(f"### Names that `{module}` lacks\n\n{_listed(names)}")
    return "\n".join(parts)


def generate(device: Device) -> tuple[str, list[str]]:
    """Return the page's text, and the names of the differences that have vanished."""
    differences = load()
    programs = [one.program for one in differences]
    expected = cpython_outputs(programs)
    *found, modules = porter_outputs(device, [*programs, IMPORTS % stored_modules()])
    vanished = [
        one.name
        for one, wanted, got in zip(differences, expected, found, strict=True)
        if wanted == got
    ]
    return page(differences, expected, found, modules.split()), vanished


def main(arguments: Sequence[str]) -> int:
    """Rewrite the page. Return the exit status: 1 if a listed difference has vanished.

    Args:
        arguments: Empty, or `--prune`: remove the programs of vanished differences.
    """
    device = open_device(builds.shared("default").folder, "host")
    text, vanished = generate(device)
    if "--prune" in arguments and vanished:
        for name in vanished:
            (PROGRAMS / f"{name}.py").unlink()
        text, vanished = generate(device)
    PAGE.write_text(text)
    for name in vanished:
        print(f"{name}: interpreters have CPython's result: remove the file or its difference")
    return 1 if vanished else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
