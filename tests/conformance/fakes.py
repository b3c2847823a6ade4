"""A fake of a small release's tests/ folder, and a fake runner that looks up its answers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import attrs

from porter.conformance.discovery import discover
from porter.conformance.expected_output import find_cpython
from porter.conformance.records import ReportedTest, Script, ScriptOutcome, ScriptStatus
from porter.conformance.skips import SkipEntry, SkipList
from porter.conformance.suite import ConformanceSuite

FEATURES = {
    "/int_big.py": b"1000000000000000000000000000000000000000000000\n",
    "/byteorder.py": sys.byteorder.encode() + b"\n",
    "/target_info.py": b"fake None 64\n",
}
# A test runner in the form of upstream's: basics/pattern.py.exp is one regular expression.
RUN_TESTS = """\
import argparse, os, re, subprocess
from glob import glob

def get_test_instance(*args):
    raise SystemExit("there is no board")

def run_micropython(pyb, args, test_file, path, is_special=False):
    crashed, output = pyb.run_script_on_remote_target(args, path, is_special)
    output = output.replace(b"\\r\\n", b"\\n")
    if test_file == "basics/pattern.py" and output != b"SKIP\\n":
        want = open(test_file + ".exp", "rb").read()
        return want if re.fullmatch(want, output) else output
    return output

def run_feature_check(pyb, args, name):
    path = os.path.abspath("feature_check/" + name)
    return run_micropython(pyb, args, path, path, is_special=True)

def expected(test):
    for end in (".bytecode.exp", ".exp"):
        if os.path.isfile(test + end):
            return open(test + end, "rb").read()
    return subprocess.check_output(["python3", os.path.abspath(test)])

def detect_test_platform(pyb, args):
    output = run_feature_check(pyb, args, "target_info.py")
    if output.endswith(b"CRASH"):
        raise ValueError("cannot detect platform: {}".format(output))
    platform, arch, float_prec = str(output, "ascii").strip().split()
    args.platform, args.float_prec = platform, int(float_prec)

def run_tests(pyb, tests, args, result_dir, num_threads=1):
    assert args.platform == "linux" and args.float_prec == 64
    native = run_feature_check(pyb, args, "native_check.py") == b"native\\n"
    for test in tests:
        if "native_" in test and not native:
            print("skip ", test)
            continue
        output = run_micropython(pyb, args, test, os.path.abspath(test))
        last = output.splitlines()[-1:]
        if output == b"SKIP\\n":
            print("skip ", test)
        elif b"-" * 70 in output:
            print("pass " if last[0].startswith(b"OK") else "FAIL ", test, "(unittest)")
        else:
            print("pass " if output == expected(test) else "FAIL ", test)

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-r", "--result-dir")
    parser.add_argument("-j", "--jobs", type=int)
    args = parser.parse_args()
    folders = ("basics", "cmdline", "extmod", "import", "io", "micropython", "ports/unix")
    tests = sorted(test for folder in folders for test in glob(folder + "/*.py"))
    pyb = get_test_instance("board")
    detect_test_platform(pyb, args)
    run_tests(pyb, tests, args, args.result_dir, args.jobs)

if __name__ == "__main__":
    main()
"""


@attrs.define
class FakeRunner:
    """A fake runner that answers each program by name: bytes for success, else a whole outcome."""

    answers: dict[str, bytes | ScriptOutcome]
    ran: list[Script] = attrs.field(factory=list)
    target: str = "fake"

    def run(
        self,
        programs: Sequence[Script],
        done: Callable[[int, ScriptOutcome], None] | None = None,
    ) -> list[ScriptOutcome]:
        """Look up the output of all programs."""
        outcomes = []
        for index, program in enumerate(programs):
            self.ran.append(program)
            answer = self.answers.get(program.name, FEATURES.get(program.name, b""))
            outcome = (
                ScriptOutcome(answer, ScriptStatus.OK) if isinstance(answer, bytes) else answer
            )
            outcomes.append(outcome)
            if done is not None:
                done(index, outcome)
        return outcomes


@attrs.frozen
class Release:
    """A release's tests/ under a temporary folder."""

    root: Path

    def add(self, name: str, source: str = "", expected: str | None = None) -> None:
        """Write a test, and its .exp file if ``expected`` is given."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)
        if expected is not None:
            path.with_name(path.name + ".exp").write_text(expected)

    def run(
        self,
        runner: FakeRunner,
        skips: dict[str, str] | None = None,
        lacks: dict[str, str] | None = None,
    ) -> dict[str, ReportedTest]:
        """Run all tests on ``runner``; ``skips`` and ``lacks`` are patterns and their reasons."""
        tests, needs = (
            tuple(SkipEntry(reason, (pattern,)) for pattern, reason in (entries or {}).items())
            for entries in (skips, lacks)
        )
        suite = ConformanceSuite(
            root=self.root,
            tests=discover(self.root),
            runner=runner,
            cpython=find_cpython(self.root.parent / "cache"),
            skips=SkipList(tests, needs),
        )
        return {result.test: result for result in suite.run()}
