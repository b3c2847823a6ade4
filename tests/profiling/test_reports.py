"""A profile as a page, as speedscope's JSON, and as arrays."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path
from typing import Any

import attrs
import pytest
from rich.console import Console

from porter.errors import FileProblem, PorterError
from porter.profiling import FunctionCounts, LineCounts, Profile, StackCounts, page, profile
from porter.profiling.counts import Counts
from porter.profiling.terminal import show
from tests.profiling.conftest import Profiled

EVIL = "</td><script>alert('&')</script>"
VOID = {"meta", "br"}


def made(lines: int = 3, **changes: Any) -> Profile:
    """Return a profile of `lines` lines of one function, in a file with markup in its name."""
    each = Counts(10, 1_000_000, 2, 64, 1)
    counts = [
        LineCounts(EVIL, n, ("f<b>",), each, 1 / lines, 3.0, 32.0) for n in range(1, lines + 1)
    ]
    total = sum((line.counts for line in counts), Counts())
    key = (EVIL, "f<b>", 1)
    values: dict[str, Any] = {
        "lines": counts,
        "functions": [FunctionCounts(*key, 7, total, total)],
        "stacks": [StackCounts((key,), line.line, line.counts) for line in counts],
        "outside": Counts(0, 5, 1, 16, 0),
        "n": 64,
        "counted": 64,
        "target": "host",
        "time_unit": "ns",
        "samples": 1000,
        "sources": {EVIL: f'a = "{EVIL}"\nb = 2\nc = 3\n'},
    }
    return Profile(**{**values, **changes})


class Page(HTMLParser):
    """A parser that checks the nesting of tags, and collects tags, ids, links and text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            elif name in ("href", "src"):
                self.links.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("text", [made().html(), made()._repr_html_()])
def test_the_page_is_whole_and_escapes_sources(text: str) -> None:
    found = Page(text)
    assert "script" not in found.tags
    assert "<b>" not in text
    assert f'a = "{EVIL}"' in found.text
    assert EVIL in found.text
    assert len(found.ids) == len(set(found.ids)) == 4
    # The page is self-contained: it links only into itself.
    assert found.links
    assert all(link.removeprefix("#") in found.ids for link in found.links)
    assert "url(" not in text and "@import" not in text


def test_lines_stand_beside_their_counts() -> None:
    text = made().html()
    rows = [
        Page(row.partition(">")[2].partition("</tr>")[0]).text for row in text.split("<tr")[-3:]
    ]
    assert "b = 2diverges" in rows[1]
    assert [cell in rows[1] for cell in ("33.3%", "10", "3/32", "64")] == [True] * 4


def test_lines_end_where_interpreters_end_them() -> None:
    found = made(sources={EVIL: "a\x0c = 1\r\nb = '\u2028'\rc = 3"})
    assert [found.source_line(EVIL, line) for line in range(5)] == [
        "", "a\x0c = 1", "b = '\u2028'", "c = 3", "",
    ]  # fmt: skip
    assert [row.text for file in page._files(found) for row in file.rows] == [
        "a\x0c = 1", "b = '\u2028'", "c = 3",
    ]  # fmt: skip
    assert made(sources={EVIL: ""}).source_line(EVIL, 1) == ""


@pytest.mark.parametrize("shares", [(0.64, 0.16, 0.0), (None, None, None)])
def test_the_hottest_line_is_the_measure(shares: tuple[float | None, ...]) -> None:
    lines = [
        LineCounts("f", number, ("f",), Counts(count, 0), share, 1, 1)
        for number, count, share in zip((1, 2, 3), (400, 100, 0), shares, strict=True)
    ]
    (file,) = page._files(attrs.evolve(made(sources={}), lines=lines))
    assert [row.heat for row in file.rows] == [100, 50, 0]


class Walked(list[LineCounts]):
    """Lines that count the number of iterations over all of them."""

    walks = 0

    def __iter__(self) -> Iterator[LineCounts]:
        self.walks += 1
        return super().__iter__()


@pytest.mark.parametrize("count", [3, 300])
def test_a_page_goes_through_the_lines_a_few_times(count: int) -> None:
    found = made(lines=count)
    lines = Walked(found.lines)
    assert attrs.evolve(found, lines=lines).html() == found.html()
    assert 0 < lines.walks < 20


def test_a_page_without_sources_or_lines() -> None:
    assert "is not here" in Page(made(sources={}).html()).text
    nothing = made(lines=0, functions=[], stacks=[], samples=0)
    assert "No line of Python ran in 64 interpreters." in Page(nothing.html()).text
    # A name that has functions and no lines has no link target.
    Page(made(lines=0, stacks=[]).html())


def check_speedscope(document: dict[str, Any]) -> None:
    """Check the requirements of speedscope's file-format-schema.json for sampled profiles."""
    assert document["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    for frame in document["shared"]["frames"]:
        assert isinstance(frame["name"], str) and isinstance(frame["file"], str)
        assert frame.keys() <= {"name", "file", "line", "col"}
        assert isinstance(frame.get("line", 1), int)
    units = {"none", "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes"}
    frames = range(len(document["shared"]["frames"]))
    for each in document["profiles"]:
        required = {"type", "name", "unit", "startValue", "endValue", "samples", "weights"}
        assert each.keys() == required
        assert (each["type"], each["unit"] in units) == ("sampled", True)
        assert len(each["samples"]) == len(each["weights"])
        assert all(number in frames for sample in each["samples"] for number in sample)
        assert each["endValue"] - each["startValue"] == sum(each["weights"])
        assert all(weight > 0 for weight in each["weights"])
    assert document["activeProfileIndex"] in range(len(document["profiles"]))


@pytest.mark.xdist_group("counting build")
def test_speedscope(profiled: Profiled) -> None:
    check_speedscope(json.loads(made().speedscope()))
    check_speedscope(json.loads(made(lines=0, functions=[], stacks=[]).speedscope()))
    found = profiled("def f():\n    return [1]\ndef g():\n    return f()\nfor i in range(9): g()\n")
    document = json.loads(found.speedscope())
    check_speedscope(document)
    frames = [frame["name"] for frame in document["shared"]["frames"]]
    by_count = document["profiles"][0]
    named = [[frames[number] for number in sample] for sample in by_count["samples"]]
    assert ["<module>", "g", "f", "line 2: return [1]"] in named
    assert by_count["endValue"] == found.total.instructions


def test_arrays() -> None:
    columns = made().columns
    assert {len(column) for column in columns.values()} == {3}
    assert columns["line"].tolist() == [1, 2, 3]
    assert columns["share"].sum() == pytest.approx(1)
    assert columns["instructions"].dtype == "int64"
    unknown = made(lines=1)
    assert made(lines=0).columns["line"].shape == (0,)
    assert unknown.columns["file"].tolist() == [EVIL]


def test_lines_are_ranked_by_instructions_where_samples_are_few() -> None:
    hot = [
        LineCounts("f", 1, ("f",), Counts(5, 900), 0.9, 1, 1),
        LineCounts("f", 2, ("f",), Counts(500, 100), 0.1, 1, 1),
    ]
    assert [line.line for line in made(lines=1, samples=1000).hottest()] == [1]
    assert [line.line for line in made(samples=100, sources={}).hottest(2)] == [1, 2]
    for samples, first in ((1000, 1), (99, 2)):
        few = made()
        ranked = Profile(
            hot, few.functions, few.stacks, few.outside, 1, 1, "host", "ns", samples
        ).hottest(1)
        assert [line.line for line in ranked] == [first]


@pytest.mark.parametrize("width", [20, 80, 200])
def test_the_table_cuts_sources_alone(width: int) -> None:
    out = StringIO()
    show(made(), Console(file=out, width=width), 2)
    text = out.getvalue()
    assert text.count(f"{EVIL}:") == 2
    assert "33.3%" in text and "3/32 diverges" in text
    assert "1 more lines; --top shows more." in text


def test_paths_and_programs_that_are_wrong(tmp_path: Path) -> None:
    with pytest.raises(OSError):
        made().save_html(tmp_path / "nowhere" / "page.html")
    with pytest.raises(OSError):
        made().save_speedscope(tmp_path)
    assert list(tmp_path.iterdir()) == []
    made().save_html(str(tmp_path / "page.html"))
    assert (tmp_path / "page.html").read_text().startswith("<!doctype html>")
    with pytest.raises(FileProblem):
        profile(tmp_path / "none.py")
    for name, wrong in (
        ("n", 0), ("n", "x"), ("counter_buffer", -1), ("counter_buffer", 1.5),
        ("target", "moon"), ("heap", "x"), ("launch", 3), ("files", "image"), ("build", 3),
    ):  # fmt: skip
        with pytest.raises(PorterError, match=f"^{name}: "):
            profile("pass", **{"n": 1, name: wrong})  # type: ignore[arg-type]
