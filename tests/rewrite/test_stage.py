"""The rewrite stage: incremental, reproducible, and atomic."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from porter.errors import UnknownConstruct
from porter.rewrite import rewrite_stage
from porter.rewrite.rewrite_stage import RewriteReport, rewrite

UNITS = {
    "lib/leaf": "int leaf(int n) { return n; }\n",
    "lib/middle": "int leaf(int); int middle(int n) { return leaf(n) + 1; }\n",
    "top": "int middle(int); static int calls; int top(int n) { calls++; return middle(n) + 2; }\n",
    "other": "struct p { int x, y; }; const struct p other = {.y = 1};\n",
}
RAISING_LEAF = "int (*call)(int); int leaf(int n) { return call(n); }\n"


def write(folder: Path, units: dict[str, str]) -> dict[str, Path]:
    """Write the units as preprocessed files."""
    paths = {}
    for name, text in units.items():
        paths[name] = folder / "pre" / f"{name}.i"
        paths[name].parent.mkdir(parents=True, exist_ok=True)
        paths[name].write_text(text)
    return paths


def run(folder: Path, units: dict[str, str], jobs: int = 1) -> RewriteReport:
    return rewrite(write(folder, units), folder / "cxx", jobs=jobs)


def contents(folder: Path) -> dict[str, bytes]:
    cxx = folder / "cxx"
    return {str(p.relative_to(cxx)): p.read_bytes() for p in sorted(cxx.rglob("*")) if p.is_file()}


def test_nothing_changed_rewrites_nothing(tmp_path: Path) -> None:
    first = run(tmp_path, UNITS)
    assert set(first.rewritten) == set(UNITS)
    times = {p: p.stat().st_mtime_ns for p in (tmp_path / "cxx").rglob("*")}
    second = run(tmp_path, UNITS)
    assert second.rewritten == ()
    assert second.edits == first.edits
    assert times == {p: p.stat().st_mtime_ns for p in (tmp_path / "cxx").rglob("*")}


def test_one_changed_unit_is_rewritten_alone(tmp_path: Path) -> None:
    run(tmp_path, UNITS)
    report = run(tmp_path, UNITS | {"lib/leaf": "int leaf(int n) { return n * 2; }\n"})
    assert report.rewritten == ("lib/leaf",)
    assert "n * 2" in (tmp_path / "cxx/lib/leaf.cpp").read_text()


def test_a_callee_that_may_raise_now_changes_its_callers(tmp_path: Path) -> None:
    run(tmp_path, UNITS)
    assert "PORTER_UNWINDING" not in (tmp_path / "cxx/top.cpp").read_text()
    report = run(tmp_path, UNITS | {"lib/leaf": RAISING_LEAF})
    assert set(report.rewritten) == {"lib/leaf", "lib/middle", "top"}
    assert "PORTER_UNWINDING" in (tmp_path / "cxx/top.cpp").read_text()
    back = run(tmp_path, UNITS)
    assert set(back.rewritten) == {"lib/leaf", "lib/middle", "top"}
    assert "PORTER_UNWINDING" not in (tmp_path / "cxx/top.cpp").read_text()


def test_state_elsewhere_changes_who_names_it(tmp_path: Path) -> None:
    units = UNITS | {
        "a": "extern const int *const p; int a(void) { return *p; }\n",
        "b": "const int k = 1; const int *const p = &k;\n",
    }
    run(tmp_path, units)
    report = run(tmp_path, units | {"b": "int k = 1; const int *const p = &k;\n"})
    assert set(report.rewritten) == {"a", "b"}
    assert "PORTER_STATE->p" in (tmp_path / "cxx/a.cpp").read_text()


def test_changed_rules_rewrite_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(tmp_path, UNITS)
    monkeypatch.setattr(rewrite_stage, "rules_version", lambda: "another")
    assert set(run(tmp_path, UNITS).rewritten) == set(UNITS)


def test_a_lost_file_is_written_again(tmp_path: Path) -> None:
    run(tmp_path, UNITS)
    (tmp_path / "cxx/top.cpp").unlink()
    assert run(tmp_path, UNITS).rewritten == ("top",)


def test_a_unit_that_is_gone_leaves_nothing(tmp_path: Path) -> None:
    run(tmp_path, UNITS)
    run(tmp_path, {name: text for name, text in UNITS.items() if name != "other"})
    assert not list((tmp_path / "cxx").glob("other.*"))


def test_same_bytes_whatever_the_number_of_jobs(tmp_path: Path) -> None:
    units = UNITS | {"lib/leaf": RAISING_LEAF}
    one, three, again = (tmp_path / name for name in ("one", "three", "again"))
    run(one, units, jobs=1)
    run(three, dict(reversed(units.items())), jobs=3)
    run(again, UNITS)  # an incremental run ends where a fresh one does
    run(again, units)
    assert contents(one) == contents(three) == contents(again)


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("top.cpp", lambda text: text[: len(text) // 2]),
        ("top.cpp", lambda text: text.replace("2", "3")),
        ("lib/leaf.cpp", lambda text: ""),
        ("top.json", lambda text: text[: len(text) // 2]),
        ("top.json", lambda text: text.replace("middle", "muddle")),
        ("top.json", lambda text: "[]"),
        ("porter_state.h", lambda text: ""),
        ("porter_state.cpp", lambda text: text + "x"),
    ],
)
def test_what_was_damaged_is_made_again(
    tmp_path: Path, name: str, damage: Callable[[str], str]
) -> None:
    run(tmp_path, UNITS)
    before = contents(tmp_path)
    path = tmp_path / "cxx" / name
    path.write_text(damage(path.read_text()))
    assert contents(tmp_path) != before
    again = run(tmp_path, UNITS)
    assert contents(tmp_path) == before
    assert set(again.rewritten) <= {name.partition(".")[0]}


def test_a_refused_unit_leaves_no_half_output(tmp_path: Path) -> None:
    run(tmp_path, UNITS)
    before = contents(tmp_path)
    with pytest.raises(UnknownConstruct):
        run(tmp_path, UNITS | {"top": "struct empty {}; struct empty e;\n"})
    after = contents(tmp_path)
    assert after["top.cpp"] == before["top.cpp"]
    assert not [name for name in after if name.endswith(".new")]
    assert run(tmp_path, UNITS | {"top": UNITS["top"]}).rewritten in ((), ("top",))
    assert contents(tmp_path) == before


def test_state_header_names_every_moved_variable(tmp_path: Path) -> None:
    run(tmp_path, UNITS)
    header = (tmp_path / "cxx/porter_state.h").read_text()
    assert "unsigned char top_calls[4]; // top:calls" in header
