""".ci/run begins with README's first command, and detects a difference from README's output."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path

import pytest

from .blocks import ROOT, blocks

Main = Callable[[list[str]], str | None]
PAGE = "# a\n\n```sh\n{}\n```\n\nprints\n\n```text\nhello\n```\n\n```sh\necho second\n```\n"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    return tmp_path


def reader(clone: Path, first: str) -> Main:
    """Return the script's main() for a clone whose README begins with the command `first`."""
    (clone / "README.md").write_text(PAGE.format(first))
    main = runpy.run_path(str(ROOT / ".ci" / "first_command.py"))["main"]
    main.__globals__["ROOT"] = clone
    return main


def test_what_readme_shows(clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert reader(clone, "echo hello")([]) is None
    assert capsys.readouterr().out == "echo hello\nhello\n"
    assert reader(clone, "echo hello")(["--second"]) is None
    assert capsys.readouterr().out == "echo second\n"


@pytest.mark.parametrize(
    ("first", "says"),
    [("echo goodbye", "prints something else"), ("echo hello; exit 3", "exit code 3")],
)
def test_what_readme_does_not_show(clone: Path, first: str, says: str) -> None:
    assert says in (reader(clone, first)([]) or "")


@pytest.mark.parametrize("left", [".venv", "build", "upstream/1.2.3/py/mpconfig.h"])
def test_what_an_earlier_step_left_behind(clone: Path, left: str) -> None:
    (clone / left).mkdir(parents=True)
    assert "newcomer" in (reader(clone, "echo hello")([]) or "")
    assert "newcomer" not in (reader(clone, "echo hello")(["--second"]) or "")


def test_the_script_reads_what_sybil_reads() -> None:
    read = runpy.run_path(str(ROOT / ".ci" / "first_command.py"))["blocks"]
    text = (ROOT / "README.md").read_text()
    shell = [block.source for block in blocks(ROOT / "README.md") if block.language == "sh"]
    first, second = read(text, "sh")[:2]
    assert [first, second] == shell[:2]
    assert first.startswith("python3 bootstrap.py run ")
    assert second == "python3 bootstrap.py test\n"


def test_continuous_integration_begins_with_it() -> None:
    text = (ROOT / ".ci" / "run").read_text()
    begins = text.index("\n.ci/first_command.py\n")
    rest = ["--second", "bootstrap.py regress", "bootstrap.py torture", "pip install"]
    assert all(text.find(word) == -1 or text.index(word) > begins for word in rest)
    jobs = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    assert jobs.index("run: .ci/first_command.py") < jobs.index("--second")
