"""compile(native=True): native code runs, and its results equal those of bytecode."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import TYPE_CHECKING

import attrs
import numpy as np
import pytest

from porter import InterpreterArray
from porter.array import Code, compilations
from porter.config import BuildConfig
from porter.errors import NoCompiler, ProgramSyntaxError, UsageError
from porter.native.host import HostTarget
from porter.run import Device
from porter.run.device.host import HostTwin

if TYPE_CHECKING:
    from porter.pipeline import Build

LIBRARY = "host/libgpusnek.so"
Make = Callable[..., InterpreterArray]

LOOP = """\
def total(n, step):
    found = 0
    for i in range(n):
        found += i * step
    return found
print(total(100, threadIdx))
"""


def forged(array: InterpreterArray, written: str, native_of: str) -> Code:
    """Return bytecode of one source with native code of another: results show which one ran."""
    made = array.compile(native_of, native=True)
    assert made.native is not None
    return attrs.evolve(array.compile(written), native=made.native)


def test_machine_code_does_what_bytecode_does(two: InterpreterArray) -> None:
    plain, native = two.compile(LOOP), two.compile(LOOP, native=True)
    assert plain.native is None
    assert native.native is not None
    seen = []
    for code in (plain, native):
        outcome = two.exec(code)
        seen.append((outcome.stdout[0], outcome.stdout[1], outcome.steps.tolist()))
    assert seen[0] == seen[1]
    assert seen[0][:2] == (b"0\n", b"4950\n")


def test_functions_stay_fast_in_later_launches(two: InterpreterArray) -> None:
    two.exec(forged(two, LOOP, LOOP.replace("i * step", "i - step")))
    assert two.stdout[0] == b"4950\n"  # not 0, the result of its bytecode
    assert two.eval("total(100, 1)").tolist() == [4850, 4850]
    two.exec("def other(): pass")
    gc.collect()
    assert two.eval("total(10, 0)").tolist() == [45, 45]


def test_several_codes_on_one_array_and_one_code_on_two(make: Make) -> None:
    first, second = make(2), make(3)
    codes = [first.compile(f"def f{k}(n):\n for i in range(n): {k}\n return i + {k}", native=True)
             for k in range(4)]  # fmt: skip
    for array in (first, second):
        for code in (*codes, codes[0]):
            array.run(code)
        assert array.eval("(f0(9), f1(9), f2(9), f3(9))") == [(8, 9, 10, 11)] * array.n
    first.close()
    gc.collect()
    assert second.eval("f3(9)").tolist() == [11, 11, 11]


@pytest.mark.parametrize("source", ["", "# nothing\n", "pass", "x = 1\n"])
def test_what_gains_nothing_just_runs(two: InterpreterArray, source: str) -> None:
    code = two.compile(source, native=True)
    outcome = two.exec(code)
    assert outcome.compiled is not None and outcome.compiled.compiled == ()
    assert two.exec(source, compiled=True).compiled is not None


def test_kinds(two: InterpreterArray) -> None:
    value = two.compile("sum([i * i for i in range(10)])", kind="eval", native=True)
    assert two.run(value).tolist() == [285, 285]
    two.run(two.compile("for i in range(3): i * 2\n", kind="single", native=True))
    assert two.stdout[0] == b"0\n2\n4\n"


COMMENTS = [
    b"s = 0\nfor i in range(9): s += i # */ ' \" /* \nprint(s)",
    b"s = 0\nfor i in range(9): s += i # \\\nprint(s)",
    b"s = 0\nfor i in range(9): s += i # \\ \\ \t\nprint(s)",
    b"s = 0\nfor i in range(9): s += i # ??/\nprint(s)",
    b"s = 0\r\nfor i in range(9): s += i # \xe2\x80\xa8 #error\r\nprint(s)",
    b"s = 0\nfor i in range(9): s += i # \xff\xfe\x80\nprint(s)",
    b"s = 0\rfor i in range(9): s += i # \x0b\x0c#error\rprint(s)",
    b"s = 0\nfor i in range(9): s += i # \x1b[0m \xe2\x80\xae\nprint(s)",
]


@pytest.mark.parametrize("source", COMMENTS)
def test_lines_that_stand_in_comments(two: InterpreterArray, source: bytes) -> None:
    code = two.compile(source, 'weird " \\ */ \u2028 \n name', native=True)
    assert code.native is not None
    two.exec(code)
    assert two.stdout[0] == b"36\n"


def test_exec_compiled(two: InterpreterArray) -> None:
    plain = two.exec(LOOP, "a.py")
    assert plain.compiled is None
    one = two.exec(LOOP, "a.py", compiled=True)
    assert one.stdout[1] == plain.stdout[1] and one.steps.tolist() == plain.steps.tolist()
    assert one.compiled is not None
    assert [(f.source, f.name, f.line) for f in one.compiled.compiled] == [("a.py", "total", 2)]
    assert [function.name for function in one.compiled.functions] == ["<module>", "total"]
    again = two.exec(LOOP, "a.py", compiled=True)
    assert again.compiled is not None
    assert again.compiled.functions == one.compiled.functions  # the same code, not one more
    other = two.exec(two.compile(LOOP), compiled=True)
    assert other.compiled is not None
    assert len(other.compiled.functions) == 4
    assert "total" in repr(other.compiled) and "<b>compiled" in other.compiled._repr_html_()
    assert "<b>compiled" in other._repr_html_()


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("for\n", "file"),
        ("x = \xb2", "file"),
        ("1 +", "single"),
        ("def f():\n  raise ValueError(3)\nfor i in range(9):\n  if i == 5: f()", "file"),
        ("print(__file__, __name__, __import__('sys').argv)", "file"),
        ("import sys; sys.exit(3)", "file"),
        ("threadIdx", "single"),
        ("s = 0\nfor i in range(9): s += undefined", "file"),
        ("def f(n): return f(n + 1)\nf(0)", "file"),
        ("x = []\nwhile True: x.append(x[:])", "file"),
    ],
)
def test_it_ends_as_the_source_does(make: Make, source: str, kind: str) -> None:
    ends = []
    for compiled in (False, True):
        array = make(2, heap="24K")
        options = {"kind": kind, "check": False, "compiled": compiled, "max_steps": 50_000}
        outcome = array.exec(source, "dir/a.py", **options)
        texts = [outcome.stdout[1], outcome.stderr[1]]
        ends.append([outcome.status.tolist(), outcome.exit_code.tolist(), *texts])
    assert ends[0] == ends[1]


def test_auto(two: InterpreterArray, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compilations, "HOT", 2 * 300)
    monkeypatch.setattr(compilations, "GAIN", 0.0)  # native code is fast enough
    for source in (LOOP, LOOP.replace("100", "400"), two.compile(LOOP.replace("100", "401"))):
        runs = [two.exec(source, compiled="auto") for _ in range(3)]
        assert runs[0].stdout[1] == runs[1].stdout[1] == runs[2].stdout[1]
        functions = [0 if run.compiled is None else len(run.compiled.functions) for run in runs]
        assert functions == [0, 0, 0] if source is LOOP else functions[1] > functions[0]
        assert functions[1] == functions[2]

    def none(twin: object) -> HostTarget:
        raise NoCompiler("no g++ on this machine")

    monkeypatch.setattr(HostTarget, "of", none)
    for _ in range(3):
        assert two.exec(LOOP.replace("100", "402"), compiled="auto").stdout[1] == b"80601\n"
    with pytest.raises(NoCompiler):
        two.exec(LOOP.replace("100", "402"), compiled=True)


def test_auto_runs_the_code_that_was_faster(
    two: InterpreterArray, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compilations, "HOT", 2 * 300)
    ran, native = compilations.Compilations.ran, list[bool]()

    def noted(self: compilations.Compilations, *arguments: object) -> None:
        native.append(bool(arguments[-1]))
        ran(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(compilations.Compilations, "ran", noted)
    for number, gain in enumerate((0.0, 1e9)):  # whatever was measured, native wins, or loses
        monkeypatch.setattr(compilations, "GAIN", gain)
        source = LOOP.replace("100", str(500 + number))
        native.clear()
        runs = [two.exec(source, compiled="auto") for _ in range(20)]
        assert len({run.stdout[1] for run in runs}) == len({tuple(run.steps) for run in runs}) == 1
        assert native[:2] == [False, True] and native[16] == bool(number)  # measured again
        assert set(native[2:16] + native[17:]) == {not number}


@pytest.mark.parametrize("native, expected", [(0.9, True), (0.98, False), (1.5, False)])
def test_native_code_must_gain(native: float, expected: bool) -> None:
    speeds = compilations.Speeds()
    speeds.measured(False, 1.0)
    assert speeds.next_is_native()  # not measured yet
    speeds.measured(True, native)
    chosen = [speeds.next_is_native() for _ in range(2, 257)]
    assert [k for k, one in enumerate(chosen, 2) if one != expected] == [16, 256]
    speeds.measured(not expected, 0.5)  # the data has changed
    assert speeds.next_is_native() != expected


def test_what_auto_found_hot_stays_bytecode_without_it(
    two: InterpreterArray, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compilations, "HOT", 0)
    monkeypatch.setattr(compilations, "GAIN", 0.0)
    code = two.compile(LOOP)
    for source in (LOOP, code):
        assert two.exec(source, compiled="auto").compiled is None  # it is hot from here on
    for plain in (LOOP, LOOP.encode(), code):
        assert two.exec(plain).compiled is None
    assert two.exec(LOOP, compiled="auto").compiled is not None
    monkeypatch.setattr(compilations, "_key", None)  # it would hash the whole source
    assert two.exec("print('@micropython')").stdout[0] == b"@micropython\n"


@pytest.mark.parametrize("kind", ["native", "viper"])
def test_a_decorator_asks_for_machine_code(two: InterpreterArray, kind: str) -> None:
    lines = [
        "def asked(n):",
        "    total = 0",
        "    while n:",
        "        total += n",
        "        n -= 1",
    ]
    lines += ["    return total", "print(asked(300))"]
    outcome = two.exec("\n".join([f"@micropython.{kind}", *lines]))
    assert outcome.stdout[0] == b"45150\n"
    assert outcome.compiled is not None
    assert [function.name for function in outcome.compiled.functions if function.entries] == [
        "asked"
    ]


def test_text_that_names_a_decorator_asks_for_nothing(two: InterpreterArray) -> None:
    assert two.exec("print('@micropython.native')").compiled is None
    assert [
        str(line, "ascii") for line in two.exec(["print(1)", "print(2)"], compiled="auto").stdout
    ] == ["1\n", "2\n"]


def test_arguments(two: InterpreterArray) -> None:
    with pytest.raises(UsageError, match="one text is compiled at a time"):
        two.exec(["1", "2"], compiled=True)
    with pytest.raises(TypeError, match="compiled"):
        two.exec("1", compiled=np.zeros(2))
    with pytest.raises(UsageError, match="compiled: 'no' is not \"auto\""):
        two.exec("1", compiled="no")
    with pytest.raises(TypeError, match="native"):
        two.compile("1", native=np.zeros(2))  # type: ignore[arg-type]


def test_a_syntax_error_is_the_same(two: InterpreterArray) -> None:
    said = []
    for native in (False, True):
        with pytest.raises(ProgramSyntaxError) as caught:
            two.compile("for\n", "a.py", native=native)
        said.append(str(caught.value))
    assert said[0] == said[1]


def test_builds_without_machine_code(twin: Device) -> None:
    whole = twin.built.whole
    host = whole.targets["host"]
    without = attrs.evolve(host, files={LIBRARY: host.files[LIBRARY]})
    fenced = attrs.evolve(twin.built, whole=attrs.evolve(whole, targets={"host": without}))
    with InterpreterArray(1, device=HostTwin(fenced)) as array:
        with pytest.raises(UsageError, match="runs no native code of programs"):
            array.exec("for i in range(9): i", compiled=True)
        assert array.exec("for i in range(9): i", compiled="auto").compiled is None


@pytest.mark.campaign("build-variants")
def test_builds_of_single_precision_have_none(built: Build) -> None:
    from porter.pipeline import build

    release = built.sources.name.rpartition("-")[0]
    done = build(BuildConfig(release=release, float="single", target="host"), jobs=2)
    with InterpreterArray(1, build=done.folder) as array:
        with pytest.raises(UsageError, match="runs no native code of programs") as caught:
            array.exec("for i in range(9): i", compiled=True)
        assert "--float single" in str(caught.value.hint)
        assert array.exec("for i in range(9): i", compiled="auto").compiled is None


def test_devices_without_machine_code(make: Make, twin: Device) -> None:
    with InterpreterArray(2, build=twin.built, devices="host") as array:
        assert array.device is not twin
        with pytest.raises(UsageError, match="several devices"):
            array.compile(LOOP, native=True)
