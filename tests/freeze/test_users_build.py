"""A build with a user's modules: imports in every mode, values, and a change of one module."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from porter import InterpreterArray
from porter.config import BuildConfig
from porter.pipeline import Build, build
from porter.run import Launch, open_device, run
from tests.cli.conftest import command, environment
from tests.freeze.conftest import FILES

PROGRAM = b"""\
import numbers_of_mine as n, math, umath, tool.part, sys
print(n.SMALL, n.LARGE, n.FLOATS, n.COMPLEX, n.TEXTS, n.NOTHING)
print(math.twice(21), math.sqrt(4), math is umath, tool.part.outer(3), tool.__path__)
try:
    tool.part.outer(1)
except ZeroDivisionError as error:
    sys.print_exception(error)
try:
    import asyncio
except ImportError as error:
    print(error)
"""


def expected() -> str:
    names: dict[str, object] = {}
    exec(FILES["numbers_of_mine.py"], names)
    values = ("SMALL", "LARGE", "FLOATS", "COMPLEX", "TEXTS", "NOTHING")
    shown = " ".join(repr(names[name]) for name in values)
    return (
        f"{shown}\n42 2.0 False 5 .frozen/tool\n"
        "Traceback (most recent call last):\n"
        '  File "<string>", line 5, in <module>\n'
        '  File "tool/part.py", line 5, in outer\n'
        '  File "tool/other.py", line 2, in inner\n'
        "ZeroDivisionError: integer division or modulo by zero\n"
        "No module named 'asyncio'\n"
    )


@pytest.mark.campaign("build-variants")
def test_a_users_modules(built: Build, manifest: Path, tmp_path: Path) -> None:
    release = built.sources.name.rpartition("-")[0]
    config = BuildConfig(release=release, target="host", library="none", freeze=str(manifest))
    # Seeded with C++ that is rewritten already: units without frozen modules are equal.
    folder = tmp_path / "build"
    shutil.copytree(built.sources / "cxx", folder / "cxx")
    done = build(config, folder=folder, jobs=2)
    device = open_device(done.folder, "host")
    result = run(device, [PROGRAM], 3, Launch(stdout=4096))
    wanted = expected()
    assert [result.stdout[i].decode() for i in range(3)] == [wanted] * 3
    with InterpreterArray(2, build=done.folder, target="host") as array:
        array.exec(
            "import tool.part\ndef f(x):\n    return tool.part.outer(x) + 1\n", compiled=True
        )
        assert array.eval("f(6)").tolist() == [3, 3]
        assert array.eval("sum(f(i) for i in range(2, 9))").tolist() == [31, 31]

    same = build(config, folder=folder, jobs=2)
    assert (same.rewritten, same.compiled.steps["host"]) == (0, 0)
    part = manifest.parent / "tool" / "part.py"
    part.write_text(FILES["tool/part.py"].replace("inner(x)", "inner(x) * 2"))
    changed = build(config, folder=folder, jobs=2)
    assert changed.rewritten == 1
    assert changed.compiled.steps["host"] == 2  # the frozen unit and the link
    assert changed.folder == done.folder
    device.close()
    # In another process: this one has loaded the library that was there.
    source = "import tool.part; print(tool.part.outer(3))"
    told = subprocess.run(
        command("run", "-n", "2", "--target", "host", "--build", done.folder, "-c", source),
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout == "10\n"
