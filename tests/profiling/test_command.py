"""`porter profile` as users run it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from porter.fs import Image
from tests.cli.conftest import Done, Porter, command

pytestmark = pytest.mark.xdist_group("counting build")

if TYPE_CHECKING:
    from porter.pipeline import Build

Profile = Callable[..., Done]


@pytest.fixture
def run(porter: Porter, counting: Build) -> Profile:
    """Return a function that runs `porter profile --build BUILD ARGS`."""
    return lambda *args, **kwargs: porter("profile", "--build", counting.folder, *args, **kwargs)


def test_output_and_table_do_not_mix(run: Profile, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("x = 0\nfor i in range(100):\n    x += i\nprint(x)\nprint('end', end='')\n")
    page, scope = tmp_path / "page.html", tmp_path / "scope.json"
    done = run(program, "-n", 3, "--html", page, "--speedscope", scope, "--top", 2)
    assert (done.code, done.out) == (0, "4950\nend")
    assert f"{program}:3" in done.err and "3 more lines" in done.err
    assert "x += i" in page.read_text()
    assert json.loads(scope.read_text())["name"] == "3 of 3 interpreters"
    assert sorted(tmp_path.iterdir()) == sorted([program, page, scope])
    quiet = run(program, "-n", 3, "--quiet")
    assert (quiet.out, quiet.err) == (done.out, "")


def test_a_terminal_shows_that_it_runs(counting: Build) -> None:
    pexpect = pytest.importorskip("pexpect")
    code = "while threadIdx < 9: pass"
    args = command("profile", "--build", counting.folder, "-n", "3", "-c", code, "--timeout", "3")
    child = pexpect.spawn(args[0], args[1:], encoding="utf-8", timeout=60)
    child.expect(r"3 interpreters[^(\n]*0:00:0")
    child.expect(pexpect.EOF)
    assert "<string>:1" in child.before


def test_a_program_that_raises_has_a_profile(run: Profile) -> None:
    done = run("-c", "x = 1\nraise ValueError(x)", "-n", 2)
    assert done.code == 41
    assert "ValueError: 1" in done.err and "<string>:2" in done.err
    assert done.err.rstrip().endswith("2 of 2 interpreters ended with an error")
    assert run("-c", "raise SystemExit(3)").code == 3


def test_nothing_was_executed(run: Profile, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = run("-c", "x = = 1", "--html", page)
    assert done.code == 40
    assert done.err.count("SyntaxError") == 1
    assert "No line of Python ran in 32 interpreters." in done.err
    assert "No line of Python ran" in page.read_text()


def test_a_limit_ends_it(run: Profile) -> None:
    done = run("-c", "while True:\n    pass", "--max-steps", "1000")
    assert done.code == 49
    assert "32,000  32/32" in done.err


def test_files_of_an_image(run: Profile, tmp_path: Path) -> None:
    image = Image.empty(64 << 10)
    image.write("helper.py", b"def f():\n    return 1\n")
    image.save(tmp_path / "image")
    page = tmp_path / "page.html"
    done = run("-c", "import helper\nhelper.f()", "--fs", tmp_path / "image", "--html", page)
    assert (done.code, "helper.py:2" in done.err, "return 1" in done.err) == (0, True, True)
    assert "helper.py" in page.read_text()


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["none.py"], 2, "none.py: No such file"),
        ([], 2, "give either FILE or -c CODE"),
        (["-c", "1", "-n", "0"], 2, "at least one interpreter"),
        (["-c", "1", "--html", "nowhere/page.html"], None, "there is no folder nowhere"),
        (["-c", "1", "--speedscope", "."], None, "is a folder"),
        (["-c", "1", "--html", "a", "--speedscope", "a"], 2, "both name a"),
        (["-c", "1", "--counter-buffer", "-3"], 2, "counter"),
        (["-c", "1", "--counter-buffer", "9G"], 2, "counter_buffer"),
        (["-c", "1", "--top", "0"], 2, "--top"),
        (["-c", "1", "--no-profile"], 2, "requires a profiling build"),
        (["-c", "1", "--html"], 2, "--html"),
    ],
)
def test_wrong_arguments(run: Profile, args: list[str], code: int | None, message: str) -> None:
    done = run(*args)
    assert done.code == code if code is not None else done.code not in (0, 1)
    assert message in done.err
    assert done.out == ""


def test_a_build_that_does_not_count(porter: Porter, built: Build) -> None:
    done = porter("profile", "--build", built.folder, "-c", "1")
    assert done.code == 2
    assert "does not count" in done.err and "porter build --profile" in done.err
