"""The suite's verdicts, with a fake runner that looks up its answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from porter.conformance.records import Script, ScriptOutcome, ScriptStatus, Verdict
from porter.errors import UpstreamChange

from .fakes import RUN_TESTS, FakeRunner, Release


def test_output_is_compared_with_the_exp_file(release: Release) -> None:
    release.add("basics/good.py", expected="1\n")
    release.add("basics/wrong.py", expected="1\n2\n")
    results = release.run(FakeRunner({"/basics/good.py": b"1\r\n", "/basics/wrong.py": b"1\n3\n"}))
    assert results["basics/good.py"].verdict is Verdict.PASS
    assert results["basics/wrong.py"].verdict is Verdict.FAIL
    assert results["basics/wrong.py"].reason == "line 2: expected '2', got '3'"


def test_without_an_exp_file_cpython_is_asked(release: Release) -> None:
    release.add("basics/calc.py", "print(6 * 7)\n")
    results = release.run(FakeRunner({"/basics/calc.py": b"42\n"}))
    assert results["basics/calc.py"].verdict is Verdict.PASS


def test_a_hanging_test_is_named_and_takes_no_other_with_it(release: Release) -> None:
    release.add("basics/hangs.py", expected="1\n")
    release.add("basics/other.py", expected="1\n")
    hung = ScriptOutcome(b"1\n", ScriptStatus.TIMEOUT, note="no end after 30 s")
    results = release.run(FakeRunner({"/basics/hangs.py": hung, "/basics/other.py": b"1\n"}))
    assert results["basics/hangs.py"].verdict is Verdict.FAIL
    assert results["basics/hangs.py"].reason == "timed out: no end after 30 s"
    assert results["basics/other.py"].verdict is Verdict.PASS


def test_an_uncaught_exception_fails_even_with_the_right_output(release: Release) -> None:
    release.add("basics/raises.py", expected="1\n")
    ended = ScriptOutcome(b"1\n", ScriptStatus.EXCEPTION)
    assert release.run(FakeRunner({"/basics/raises.py": ended}))["basics/raises.py"].good is False


def test_a_build_that_runs_nothing_fails_test_by_test(release: Release) -> None:
    # Under CPython this check fails: it is for the interpreter under test.
    release.add("feature_check/target_info.py", "import micropython\n")
    release.add("basics/one.py", expected="1\n")
    dead = ScriptOutcome(b"", ScriptStatus.CRASH, note="SIGSEGV")
    result = release.run(FakeRunner({"/target_info.py": dead, "/basics/one.py": dead}))
    assert result["basics/one.py"].reason == "crashed: SIGSEGV"


def test_cut_output_is_said_to_be_cut(release: Release) -> None:
    release.add("basics/long.py", expected="12\n")
    result = release.run(
        FakeRunner({"/basics/long.py": ScriptOutcome(b"1", ScriptStatus.OK, cut=True)})
    )
    assert "--stdout" in result["basics/long.py"].reason


GUARDED = "try:\n    import machine\nexcept ImportError:\n    print('SKIP')\n    raise SystemExit\n"
TOLD = b"SKIP\nporter-why: (0, [(0, 'ImportError', \"no module named 'machine'\")], [])\n"


class Telling(FakeRunner):
    """A fake runner whose programs report why they skip, on request."""

    def run(
        self,
        programs: Sequence[Script],
        done: Callable[[int, ScriptOutcome], None] | None = None,
    ) -> list[ScriptOutcome]:
        """Look up the output of all programs, except of those that ask for the reason of a skip."""
        if programs and b"porter_skip" in programs[0].source:
            return [ScriptOutcome(TOLD, ScriptStatus.OK) for _ in programs]
        return super().run(programs, done)


def test_a_skip_needs_something_that_builds_lack(release: Release) -> None:
    release.add("basics/one.py", GUARDED, expected="1\n")
    runner = Telling({"/basics/one.py": b"SKIP\n"})
    result = release.run(runner, lacks={"moon": "too far"})["basics/one.py"]
    assert result.verdict is Verdict.UNLISTED_SKIP
    assert "it needs machine, which" in result.reason
    result = release.run(runner, lacks={"machine": "no pins"})["basics/one.py"]
    assert (result.verdict, result.reason) == (Verdict.SKIP, "needs machine: no pins")


@pytest.mark.parametrize("source", ["print('SK' + 'IP')\n", "print 'SKIP'\n"])
def test_a_skip_that_does_not_tell_why_is_an_error(release: Release, source: str) -> None:
    release.add("basics/one.py", source, expected="1\n")
    result = release.run(FakeRunner({"/basics/one.py": b"SKIP\n"}))["basics/one.py"]
    assert result.verdict is Verdict.UNLISTED_SKIP
    assert "something that it does not tell" in result.reason


def test_patterns_are_upstreams(release: Release) -> None:
    release.add("basics/pattern.py", expected="[0-9]+\n")
    release.add("basics/plain.py", expected="[0-9]+\n")
    results = release.run(FakeRunner({"/basics/pattern.py": b"12\n", "/basics/plain.py": b"12\n"}))
    assert results["basics/pattern.py"].verdict is Verdict.PASS
    assert results["basics/plain.py"].verdict is Verdict.FAIL
    wrong = release.run(FakeRunner({"/basics/pattern.py": b"a\n"}))["basics/pattern.py"]
    assert wrong.reason == "line 1: expected '[0-9]+', got 'a'"


def test_the_emitters_own_output_wins(release: Release) -> None:
    release.add("basics/one.py", expected="1\n")
    (release.root / "basics" / "one.py.bytecode.exp").write_text("2\n")
    results = release.run(FakeRunner({"/basics/one.py": b"2\n"}))
    assert results["basics/one.py"].verdict is Verdict.PASS


def test_a_broken_exp_file_fails_its_test_alone(release: Release) -> None:
    release.add("basics/pattern.py", expected="[0-\n")
    release.add("basics/other.py", expected="1\n")
    runner = FakeRunner({"/basics/pattern.py": b"0\n", "/basics/other.py": b"1\n"})
    results = release.run(runner)
    assert results["basics/other.py"].verdict is Verdict.PASS
    assert results["basics/pattern.py"].verdict is Verdict.FAIL
    assert results["basics/pattern.py"].reason.startswith("upstream's runner ends with error: ")


def test_a_runner_that_fails_on_all_tests_is_not_known(release: Release) -> None:
    release.add("run-tests.py", RUN_TESTS.replace("== expected(test)", "== wanted(test)"))
    release.add("basics/one.py", expected="1\n")
    release.add("basics/two.py", expected="1\n")
    with pytest.raises(UpstreamChange, match=r"on basics/\w+\.py: NameError: name 'wanted'"):
        release.run(FakeRunner({"/basics/one.py": b"1\n", "/basics/two.py": b"1\n"}))


def test_a_listed_test_that_passes_is_an_error(release: Release) -> None:
    release.add("basics/one.py", expected="1\n")
    runner = FakeRunner({"/basics/one.py": b"1\n"})
    result = release.run(runner, {"basics/o*.py": "needs a moon"})["basics/one.py"]
    assert result.verdict is Verdict.UNEXPECTED_PASS
    assert not result.good


def test_a_listed_test_that_fails_is_a_skip(release: Release) -> None:
    release.add("basics/one.py", expected="1\n")
    runner = FakeRunner({"/basics/one.py": ScriptOutcome(b"", ScriptStatus.CRASH)})
    assert release.run(runner, {"basics/*.py": "needs a moon"})["basics/one.py"].good


def test_upstreams_rules_leave_tests_out_unrun(release: Release) -> None:
    release.add("feature_check/native_check.py")
    release.add("micropython/native_for.py", expected="1\n")
    runner = FakeRunner(
        {"/native_check.py": ScriptOutcome(b"SyntaxError\n", ScriptStatus.EXCEPTION)}
    )
    lacks = {"feature_check/native_check.py": "no emitter"}
    result = release.run(runner, lacks=lacks)["micropython/native_for.py"]
    reason = "needs feature_check/native_check.py: no emitter"
    assert (result.verdict, result.reason) == (Verdict.SKIP, reason)
    result = release.run(runner)["micropython/native_for.py"]
    assert result.verdict is Verdict.UNLISTED_SKIP
    assert "/micropython/native_for.py" not in [program.name for program in runner.ran]


def test_a_rule_does_not_hold_where_the_feature_is_there(release: Release) -> None:
    release.add("feature_check/native_check.py")
    release.add("micropython/native_for.py", expected="1\n")
    runner = FakeRunner({"/native_check.py": b"native\n", "/micropython/native_for.py": b"1\n"})
    assert release.run(runner)["micropython/native_for.py"].verdict is Verdict.PASS


def test_unittest_is_judged_by_its_summary(release: Release) -> None:
    release.add("extmod/u.py", "import unittest\n", expected="not looked at\n")
    rule = b"-" * 70
    passed = b"test_a (T) ... ok\n" + rule + b"\nRan 3 tests\n\nOK (skipped=1)\n"
    failed = b"test_a (T) ... FAIL\n" + rule + b"\nRan 3 tests\n\nFAILED (failures=1, errors=0)\n"
    result = release.run(FakeRunner({"/extmod/u.py": passed}))["extmod/u.py"]
    assert (result.verdict, result.cases) == (Verdict.PASS, 3)
    assert release.run(FakeRunner({"/extmod/u.py": failed}))["extmod/u.py"].verdict is Verdict.FAIL


def test_a_program_gets_its_folder_and_what_it_names(release: Release) -> None:
    release.add("import/data/words.txt", "a b\n")
    release.add("import/used.py", "x = 1\n")
    release.add("import/unused.py", "x = 2\n")
    release.add("import/main.py", "import used\n")
    runner = FakeRunner({})
    release.run(runner)
    (program,) = [program for program in runner.ran if program.name == "/import/main.py"]
    assert program.cwd == "/import"
    assert dict(program.tree) == {"import/data/words.txt": b"a b\n", "import/used.py": b"x = 1\n"}
    assert b"os.chdir('/import')" in program.setup
