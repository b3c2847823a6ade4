"""Counts and lists in documents agree with the code."""

from __future__ import annotations

import re

import pytest

from porter.base import paths
from porter.base.release_name import version_key
from porter.pipeline import STAGES
from porter.regress.baseline import SHIPPED, read_baseline
from porter.run.device.base import BLOCK
from porter.smoke import PROGRAMS
from porter.sync.lock import read_lock

from .blocks import DOCUMENTS, ROOT

WORDS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
SIZE = re.compile(r"\bdefault[^.|]*\b(heap|stack|pystack|stdout|stderr)\b[^.|]*\b\d+ ?K", re.I)
LISTS = ("README.md", "docs/reference/changelog.md", "docs/reference/releases.md")


def page(name: str) -> str:
    return (ROOT / name).read_text()


def releases_tested(name: str) -> list[str]:
    found = re.search(r"^Releases tested: (.*)\.$", page(name), re.MULTILINE)
    assert found
    return found[1].split(", ")


@pytest.mark.parametrize("name", LISTS)
def test_releases_tested_are_in_the_lock_and_the_baseline(name: str) -> None:
    """`porter regress --record` must not require new documents, so both may have more."""
    listed = releases_tested(name)
    assert listed == sorted(listed, key=version_key) == releases_tested(LISTS[0])
    assert set(listed) <= set(read_lock(paths.lock_file()).entries)
    baseline = read_baseline(SHIPPED)
    for release in listed:
        assert baseline[release].tests["host"]


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("README.md", "porter sync {}"),
        ("docs/how-to/install.md", 'release = "{}"'),
        ("docs/how-to/upstream.md", "porter conformance --release {}"),
    ],
)
def test_examples_show_the_newest_tested_release(name: str, command: str) -> None:
    named = re.findall(rf"^{command.format(r'([0-9][0-9.]*)')}", page(name), re.MULTILINE)
    assert named == [releases_tested("README.md")[-1]]


def test_the_smoke_programs_are_counted() -> None:
    assert f"| smoke | {WORDS[len(PROGRAMS)]} programs" in page("docs/how-to/upstream.md")


def test_the_pipeline_has_these_stages() -> None:
    text = page("docs/reference/architecture.md")
    assert f"runs *{STAGES[0]}* to *{STAGES[-1]}*" in text
    rows = re.findall(r"^\| (\w+) \|", text, re.MULTILINE)
    assert rows[rows.index(STAGES[0]) :][: len(STAGES)] == list(STAGES)


def test_the_port_has_the_functions_that_are_shown() -> None:
    (shown,) = re.findall(r"```c\n(.*?)```", page("docs/reference/architecture.md"), re.DOTALL)
    header = (paths.templates_dir() / "port" / "interp.h").read_text()
    functions = re.findall(r"^\w+ +gpusnek.*?;", shown, re.MULTILINE)
    assert len(functions) == 5
    for function in functions:
        assert "GPUSNEK_API " + re.sub(" +", " ", function) in header


def test_a_block_has_as_many_interpreters_as_documents_say() -> None:
    assert f"({BLOCK} unless told otherwise" in page("docs/reference/language.md")


def test_defaults_of_sizes_are_stated_by_the_command_alone() -> None:
    pages = [p for p in DOCUMENTS if p.name != "changelog.md"]  # it states former defaults
    stated = [(p.name, found[0]) for p in pages if (found := SIZE.search(p.read_text()))]
    assert not stated


def test_what_states_a_default_is_found() -> None:
    assert SIZE.search("the defaults (local arena,\nheap 12K)")
    assert not SIZE.search("By default all. A heap of 12K")
