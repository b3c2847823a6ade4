"""Comparison with a baseline, and the baseline's file."""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from porter.errors import (
    ConformanceRegression,
    FileProblem,
    NoCompiler,
    PatchDrift,
    PorterError,
    SmokeFailed,
    UnknownConstruct,
)
from porter.patches import Fit
from porter.regress.baseline import (
    Facts,
    ReleaseRun,
    Stage,
    StageState,
    read_baseline,
    reference,
    updated,
    write_baseline,
)
from porter.regress.comparison import compare, verdict
from porter.regress.regress_report import as_json, as_markdown, change_lines

FACTS = Facts(
    tree="sha256:1",
    patches={"a": "exact", "b": "exact"},
    units={"py/vm.c": {"casts": 2, "jumps": 1}, "py/gc.c": {"casts": 1}},
    warnings={"py/vm.c: odd [-Wodd]": 1},
    sizes={"host": {"code": 100}},
    tests={"host": {"basics/a.py": "pass", "basics/b.py": "skip", "float/c.py": "pass"}},
)


def run_of(facts: Facts, release: str = "1.0", *errors: PorterError) -> ReleaseRun:
    stages = (Stage("sync"), Stage("conformance", "host", StageState.OK, 1.0, "note"))
    reasons = {"host": {"basics/a.py": "output differs"}}
    return ReleaseRun(release, "somewhere", stages, facts, reasons, errors)


def with_tests(**verdicts: str) -> Facts:
    names = {"a": "basics/a.py", "b": "basics/b.py", "c": "float/c.py", "d": "io/d.py"}
    return attrs.evolve(FACTS, tests={"host": {names[k]: v for k, v in verdicts.items()}})


def test_nothing_differs() -> None:
    changes = compare(run_of(FACTS), {"1.0": FACTS})
    assert changes.own and not changes.found
    assert verdict([run_of(FACTS)], [changes]) is None
    assert change_lines(changes) == ["1.0 against the baseline: nothing differs"]


def test_tests_that_fail_pass_come_and_go() -> None:
    after = with_tests(a="fail", b="pass", d="pass")
    changes = compare(run_of(after), {"1.0": FACTS})
    assert [(c.where, c.before, c.after, c.detail) for c in changes.failing] == [
        ("basics/a.py", "pass", "fail", "output differs")
    ]
    assert [c.where for c in changes.moved] == ["basics/b.py"]
    assert changes.added_tests == {"host": ("io/d.py",)}
    assert changes.removed_tests == {"host": ("float/c.py",)}
    back = compare(run_of(FACTS), {"1.0": after})
    assert [c.where for c in back.passing] == ["basics/a.py"] and not back.failing


def test_a_new_test_that_fails_is_a_regression_and_a_known_failure_is_none() -> None:
    changes = compare(run_of(with_tests(a="pass", d="unexpected-pass")), {"1.0": FACTS})
    assert [c.before for c in changes.failing] == ["not there"]
    error = verdict([run_of(FACTS)], [changes])
    assert isinstance(error, ConformanceRegression) and "io/d.py" in error.message
    failing = with_tests(a="fail")
    known = compare(run_of(failing), {"1.0": failing})
    assert verdict([run_of(failing)], [known]) is None


def test_without_a_baseline_every_failure_is_new() -> None:
    changes = compare(run_of(with_tests(a="fail", b="skip")), {})
    assert [c.where for c in changes.failing] == ["basics/a.py"]
    assert not changes.added_units
    assert "no baseline" in change_lines(changes)[0]


def test_rules_units_patches_warnings_sizes() -> None:
    after = attrs.evolve(
        FACTS,
        patches={"a": "drift", "c": "exact"},
        units={"py/vm.c": {"casts": 2, "jumps": 1}, "py/new.c": {"casts": 4, "arrays": 1}},
        warnings={},
        sizes={"host": {"code": 120}, "cuda": {"registers": 255}},
    )
    changes = compare(run_of(after, "1.1"), {"1.0": FACTS})
    assert (changes.against, changes.own) == ("1.0", False)
    met = {change.where: (change.before, change.after, change.detail) for change in changes.met}
    assert met == {
        "arrays": ("0", "1", "py/new.c 0→1"),
        "casts": ("3", "6", "py/new.c 0→4, py/gc.c 1→0"),
    }
    assert [(c.where, c.before, c.after) for c in changes.patches] == [
        ("a", "exact", "drift"),
        ("c", "not there", "exact"),
        ("b", "exact", "not there"),
    ]
    assert (changes.added_units, changes.removed_units) == (("py/new.c",), ("py/gc.c",))
    assert [c.after for c in changes.warnings] == ["0"]
    assert [(c.where, c.after) for c in changes.sizes] == [("host code", "120")]
    lines = change_lines(changes)
    assert "  rule needed first here: arrays 0 → 1: py/new.c 0→1" in lines
    assert "  patch: a exact → drift" in lines


def test_what_was_not_reached_is_no_difference() -> None:
    changes = compare(run_of(Facts(tree="x", patches=FACTS.patches)), {"1.0": FACTS})
    assert not changes.found


@pytest.mark.parametrize(
    ("release", "against"),
    [("1.2", "1.2"), ("1.2.1", "1.2"), ("1.9-preview", "1.3"), ("1.1", "1.2"), ("1.3+a", "1.3")],
)
def test_reference_is_the_predecessor(release: str, against: str) -> None:
    assert reference({"1.3": FACTS, "1.2": FACTS}, release) == against
    assert reference({}, release) == ""


def construct() -> UnknownConstruct:
    return UnknownConstruct("py/a.c", 3, 1, "unknown", "x", "odd")


@pytest.mark.parametrize(
    ("errors", "code"),
    [
        ((SmokeFailed("x"), construct(), NoCompiler("x")), 11),
        ((SmokeFailed("x"), construct()), 21),
        ((PatchDrift("x"), construct()), 22),
        ((SmokeFailed("x"),), 50),
    ],
)
def test_tools_then_upstream_then_results(errors: tuple[PorterError, ...], code: int) -> None:
    run = run_of(FACTS, "1.0", *errors)
    error = verdict([run_of(FACTS), run], [compare(run, {"1.0": with_tests(b="skip")})])
    assert error is not None and error.exit_code == code


names = st.text("abc/", min_size=1, max_size=5)
numbers = st.dictionaries(names, st.integers(0, 9), max_size=3)
tests = st.dictionaries(
    st.builds(
        "{}/{}.py".format, st.sampled_from(["basics", "ports/unix"]), st.text("ab", min_size=1)
    ),
    st.sampled_from(["pass", "fail", "skip"]),
    max_size=4,
)
facts = st.builds(
    Facts,
    tree=names,
    patches=st.dictionaries(names, names, max_size=2),
    units=st.dictionaries(names, numbers, max_size=3),
    warnings=numbers,
    sizes=st.dictionaries(st.sampled_from(["host", "cuda"]), numbers),
    tests=st.dictionaries(st.sampled_from(["host", "cuda"]), tests),
)


@given(st.dictionaries(st.sampled_from(["1.0", "1.10", "1.9"]), facts))
def test_file_holds_what_was_written(
    tmp_path_factory: pytest.TempPathFactory, baseline: dict[str, Facts]
) -> None:
    path = tmp_path_factory.mktemp("baseline") / "b.json"
    write_baseline(path, baseline)
    assert read_baseline(path) == baseline
    before = path.read_bytes()
    write_baseline(path, dict(reversed(baseline.items())))
    assert path.read_bytes() == before


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"format": 1}', '{"format": 7, "releases": {}}'])
def test_files_that_are_no_baseline(tmp_path: Path, text: str) -> None:
    path = tmp_path / "b.json"
    path.write_text(text)
    with pytest.raises(FileProblem, match=r"b\.json"):
        read_baseline(path)


def test_update_keeps_other_targets_and_takes_no_half_run() -> None:
    new = attrs.evolve(FACTS, sizes={"cuda": {"code": 7}}, tests={"cuda": {"basics/a.py": "pass"}})
    both = updated({"1.0": FACTS}, [run_of(new), run_of(Facts(tree="x"), "1.1")])
    assert set(both) == {"1.0"}
    assert both["1.0"].sizes == {"host": {"code": 100}, "cuda": {"code": 7}}
    assert set(both["1.0"].tests) == {"host", "cuda"}


def test_reports_name_everything() -> None:
    run = run_of(FACTS, "1.0", construct())
    changes = [compare(run, {})]
    data = as_json([run], changes, 21)
    assert data["exit_code"] == 21 and data["releases"][0]["stages"][1]["state"] == "ok"
    assert "errors" not in data["releases"][0]
    text = as_markdown([run], changes, {"porter": "0"})
    assert "| conformance host | ok 1.0 s, note |" in text
    assert "| casts | 3 |" in text and "| code, host (bytes) | 100 |" in text


def test_skipped_patches_have_a_section() -> None:
    fit = Fit("a", "1.0", "skipped", "expected:\n  x", "py/vm.c", "bugfix", "one | two")
    run = attrs.evolve(run_of(FACTS), skipped=(fit,))
    changes = [compare(run, {})]
    text = as_markdown([run], changes, {})
    section = text.split("## Patches that are skipped\n")[1].split("## ")[0]
    assert "| 1.0 | `a` | bugfix | one \\| two |\n" in section
    assert "1.0, a: expected:\n  x\n" in section
    assert "Patches that are skipped" not in as_markdown([run_of(FACTS)], changes, {})
    (told,) = as_json([run], changes, 0)["releases"][0]["skipped"]
    assert (told["patch"], told["class"], told["without"]) == ("a", "bugfix", "one | two")
