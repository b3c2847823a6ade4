"""Render a run's results as a table, JSON and JUnit XML, and the selected tests as a list."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any
from xml.etree import ElementTree

import attrs
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from porter.base import arguments
from porter.base.files import write_whole
from porter.conformance.discovery import Test
from porter.conformance.records import ReportedTest, Verdict
from porter.conformance.skips import SkipList

_SHOWN = (
    (Verdict.PASS, "passed", "green"),
    (Verdict.FAIL, "failed", "red"),
    (Verdict.SKIP, "skipped", "dim"),
    (Verdict.UNLISTED_SKIP, "unlisted skip", "red"),
    (Verdict.UNEXPECTED_PASS, "unexpected pass", "red"),
)
# Characters that XML 1.0 cannot represent.
_NOT_XML = {code: "�" for code in range(32) if code not in (9, 10, 13)} | {
    0xFFFE: "�",
    0xFFFF: "�",
}


@attrs.frozen
class Report:
    """The results of one run. ``seconds`` is wall-clock time."""

    results: Sequence[ReportedTest]
    release: str
    target: str
    seconds: float

    @property
    def bad(self) -> list[ReportedTest]:
        """The results that make the run fail."""
        return [result for result in self.results if not result.good]

    def counts(self) -> Counter[Verdict]:
        """Count the results by verdict."""
        return Counter(result.verdict for result in self.results)

    def to_json(self) -> dict[str, Any]:
        """Return the report for ``--json``; failures include their outputs."""
        return {
            "release": self.release,
            "target": self.target,
            "seconds": round(self.seconds, 3),
            "counts": {verdict.value: self.counts()[verdict] for verdict, _, _ in _SHOWN},
            "results": [_result_json(result) for result in self.results],
        }

    def table(self) -> Table:
        """Return a table with one row per directory and their sum."""
        table = Table(title=f"{self.release} on {self.target}, {self.seconds:.1f} s")
        table.add_column("directory")
        for _, heading, style in _SHOWN:
            table.add_column(heading, justify="right", style=style)
        table.add_column("tests", justify="right")
        for name in sorted({result.directory for result in self.results}):
            _add_row(table, name, [r for r in self.results if r.directory == name])
        table.add_section()
        _add_row(table, "all", self.results)
        return table

    def junit(self) -> bytes:
        """Return JUnit XML with one ``testsuite`` per directory."""
        root = ElementTree.Element("testsuites", name=f"{self.release} {self.target}")
        for name in sorted({result.directory for result in self.results}):
            members = [result for result in self.results if result.directory == name]
            root.append(_suite_xml(name, members))
        data: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
        return data


def bad_lines(report: Report) -> RenderableType:
    """Return one line for each result that makes the run fail."""
    return Group(
        *(
            Text.assemble((f"{r.verdict.value:<16}", "red"), f"{r.test}: {r.reason}")
            for r in report.bad
        )
    )


def show(report: Report, console: Console) -> None:
    """Print the failures, then the table."""
    console.print(bad_lines(report), soft_wrap=True)
    console.print(report.table())


def write_json(report: Report, path: arguments.StrPath) -> None:
    """Write the report as JSON to ``path``, atomically."""
    path = arguments.path(path, "path")
    write_whole(path, json.dumps(report.to_json(), indent=1) + "\n", parents=True)


def _add_row(table: Table, name: str, results: Sequence[ReportedTest]) -> None:
    counts = Counter(result.verdict for result in results)
    cells = [str(counts[verdict] or "") for verdict, _, _ in _SHOWN]
    table.add_row(name, *cells, str(len(results)))


def _text(data: bytes) -> str:
    return data.decode("utf-8", errors="backslashreplace")


def _result_json(result: ReportedTest) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "test": result.test,
        "verdict": result.verdict.value,
        "reason": result.reason,
        "seconds": round(result.seconds, 4),
        "cases": result.cases,
    }
    if result.verdict is Verdict.FAIL:
        entry |= {"expected": _text(result.expected), "actual": _text(result.actual)}
    return entry


def _suite_xml(name: str, results: Sequence[ReportedTest]) -> ElementTree.Element:
    suite = ElementTree.Element(
        "testsuite",
        name=name,
        tests=str(len(results)),
        failures=str(sum(not r.good for r in results)),
        errors="0",
        skipped=str(sum(r.verdict is Verdict.SKIP for r in results)),
        time=f"{sum(r.seconds for r in results):.3f}",
    )
    for r in results:
        case = ElementTree.SubElement(
            suite,
            "testcase",
            classname=name,
            name=r.test.removeprefix(f"{name}/"),
            time=f"{r.seconds:.3f}",
        )
        if r.verdict is Verdict.SKIP:
            ElementTree.SubElement(case, "skipped", message=_xml(r.reason))
        elif not r.good:
            failure = ElementTree.SubElement(
                case, "failure", type=r.verdict.value, message=_xml(r.reason)
            )
            failure.text = _xml(f"expected:\n{_text(r.expected)}\nactual:\n{_text(r.actual)}")
    return suite


def _xml(text: str) -> str:
    return text.translate(_NOT_XML)


def lines(tests: Sequence[Test], skips: SkipList) -> Iterator[str]:
    """Yield one line per test: its name, the source of its expected output, its skip reason."""
    for test in tests:
        source = "exp" if test.expected_file.is_file() else "cpython"
        reason = skips.reason(test)
        yield f"{test.name:<48} {source:<8}{f' skip: {reason}' if reason else ''}".rstrip()
