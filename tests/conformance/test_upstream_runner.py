"""Queries to a release's own run-tests.py, and the messages if a query fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from porter.base import paths
from porter.conformance.records import Verdict
from porter.conformance.runtests.runner import UpstreamRunner, default_tests
from porter.errors import UpstreamChange

from .fakes import FEATURES, RUN_TESTS, FakeRunner, Release

RELEASES = sorted(path.parent for path in paths.upstream_dir().glob("*/tests/run-tests.py"))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("def main(): pass\n", r"it has no function get_test_instance\(\)"),
        ("raise ValueError('no')\n", "ValueError: no"),
        ("import no_such_module\n", "No module named 'no_such_module'"),
        ("def (\n", "SyntaxError"),
        (RUN_TESTS.replace("    run_tests(pyb, tests", "    print(pyb, tests"), "does not call"),
        (
            RUN_TESTS.replace("pyb, tests, args, result_dir", "pyb, names, args, result_dir"),
            "param",
        ),
        (RUN_TESTS.replace("--result-dir", "--results"), "SystemExit"),
    ],
)
def test_an_unknown_form_is_said_to_be_one(release: Release, text: str, why: str) -> None:
    release.add("run-tests.py", text)
    with pytest.raises(UpstreamChange, match=r"run-tests\.py: porter cannot drive .*" + why):
        default_tests(release.root)


def test_target_info_is_asked_of_the_interpreter_under_test(release: Release) -> None:
    """Upstream's check may use modules that CPython lacks; CPython never runs it."""
    release.add("feature_check/target_info.py", "raise SystemExit('this is CPython')\n")
    release.add("basics/one.py", expected="1\n")
    assert "basics/one.py" in default_tests(release.root)
    known = FakeRunner({"/basics/one.py": b"1\n"})
    assert release.run(known)["basics/one.py"].verdict is Verdict.PASS
    assert "/target_info.py" in {script.name for script in known.ran}


def test_an_answer_of_another_form_is_named(release: Release) -> None:
    release.add("feature_check/target_info.py")
    features = {"target_info.py": (False, b"linux None 64 and more\n")}
    with pytest.raises(UpstreamChange, match=r"main\(\) ends with ValueError.*too many values"):
        UpstreamRunner(release.root, features).left_out(["basics/one.py"])


def test_a_release_without_a_runner(tmp_path: Path) -> None:
    with pytest.raises(UpstreamChange, match="there is no such file"):
        default_tests(tmp_path)


def test_a_verdict_that_is_not_printed_is_an_error(release: Release) -> None:
    release.add("run-tests.py", RUN_TESTS.replace('"pass "', '"PASSED"'))
    release.add("basics/one.py", expected="1\n")
    features = {name.strip("/"): (False, output) for name, output in FEATURES.items()}
    features["target_info.py"] = (False, b"linux None 64\n")
    runner = UpstreamRunner(release.root, features)
    with pytest.raises(UpstreamChange, match=r"no verdict on basics/one\.py"):
        runner.judge({"basics/one.py": (False, b"1\n")}, {})


@pytest.mark.parametrize("root", RELEASES, ids=lambda root: root.parent.name)
def test_upstreams_runners_are_known(root: Path) -> None:
    names = default_tests(root)
    assert {"basics", "extmod", "float", "micropython", "io", "import", "cmdline", "unicode"} <= {
        name.split("/")[0] for name in names
    }
    runner = UpstreamRunner(root)  # every check is answered with nonsense
    left = runner.left_out(["basics/list1.py", "micropython/native_for.py", "float/complex1.py"])
    assert set(left) == {"micropython/native_for.py", "float/complex1.py"}


@pytest.mark.parametrize("root", RELEASES, ids=lambda root: root.parent.name)
@pytest.mark.parametrize(
    ("output", "verdict"),
    [
        (b"a warning\nFalse\na warning\nFalse\n", "pass"),
        (b"a warning\r\nFalse\r\nFalse\r\n", "pass"),
        (b"a warning\nFalse\na warning\nTrue\n", "fail"),
        (b"False\n", "fail"),
        (b"SKIP\n", "skip"),
    ],
)
def test_upstreams_patterns_are_followed(root: Path, output: bytes, verdict: str) -> None:
    name = "basics/bytes_compare3.py"  # "########" is any lines, then False; both twice
    assert UpstreamRunner(root).judge({name: (False, output)}, {})[name].verdict == verdict
