"""Speculations of native code: results equal the interpreter's, also if speculations fail."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from porter import InterpreterArray
from porter.compiler.cxx import CompiledModule, compile_module
from porter.compiler.mpy import BytecodeModule
from porter.compiler.options import SEEN_FLOAT, SEEN_INT, SEEN_OTHER, CompilerOptions
from porter.compiler.tables import Tables
from porter.native import ProfilingRun
from porter.native.batch import build_batch, translate
from porter.native.host import HostTarget
from porter.native.module import NativeModule
from porter.run import Device, open_device
from porter.run.device.host import HostTwin
from tests.compiler.calling import CALLING, OWN_STEPS
from tests.compiler.counting import COUNTING
from tests.compiler.speculative import PROGRAMS as GUESSING

if TYPE_CHECKING:
    from porter.pipeline import Build

MODES: dict[str, dict[str, Any]] = {
    "seen": {},
    "unseen": {"hints": b""},
    "no guess holds": {"force": "guards"},
    "each third guess fails": {"force": 3, "enter": "everywhere"},
}
PROGRAMS = GUESSING | CALLING | COUNTING
Ran = tuple[bytes, bytes, int]
Natives = Callable[[str, str], NativeModule]


@pytest.fixture(scope="module")
def twin(built: Build) -> Iterator[Device]:
    device = open_device(built.folder, "host")
    yield device
    device.close()


def ran(twin: Device, source: str, native: NativeModule | None, steps: int = 0) -> Ran:
    """Return the outputs and steps of a program in a fresh interpreter."""
    with InterpreterArray(1, device=twin, stdout="64K", heap="256K") as array:
        code = array.compile(source)
        if native is not None:
            array._natives.add(native, code.memory)
        limits: dict[str, Any] = {"max_steps": steps} if steps else {}
        outcome = array.exec(code, check=False, **limits)
        return outcome.stdout[0], outcome.stderr[0], int(outcome.steps[0])


@pytest.fixture(scope="module")
def natives(twin: Device, tmp_path_factory: pytest.TempPathFactory) -> Natives:
    """Return native code by the program's name and the mode.

    The first request for a program compiles it in all modes, so that workers share the compilation.
    """
    assert isinstance(twin, HostTwin)
    target = HostTarget.of(twin)

    @functools.cache
    def modes(name: str) -> dict[str, NativeModule]:
        with InterpreterArray(1, device=twin, heap="256K") as array:
            code = array.compile((PROGRAMS | OWN_STEPS)[name])
            seen = ProfilingRun(twin, code.memory, code.kind, array._launch, 1).seen()
            assert seen
            data = bytes(code.memory)
        options = [CompilerOptions(**{"hints": seen, **chosen}) for chosen in MODES.values()]
        translations = [
            translate(target, data, number, loops=False, options=one)
            for number, one in enumerate(options, 1)
        ]
        made = build_batch(target, translations, tmp_path_factory.mktemp("machine"), jobs=1)
        return {mode: one for mode, one in zip(MODES, made, strict=True) if one is not None}

    return lambda name, mode: modes(name)[mode]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_output_and_steps_are_the_interpreters(
    twin: Device, natives: Natives, name: str, mode: str
) -> None:
    expected = ran(twin, PROGRAMS[name], None)
    assert expected[0]
    assert ran(twin, PROGRAMS[name], natives(name, mode)) == expected


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", OWN_STEPS)
def test_output_is_the_interpreters(twin: Device, natives: Natives, name: str, mode: str) -> None:
    expected = ran(twin, OWN_STEPS[name], None)[:2]
    assert expected[0]
    assert ran(twin, OWN_STEPS[name], natives(name, mode))[:2] == expected


@pytest.mark.parametrize("name", ["names", "handlers", "generators", *CALLING, *COUNTING])
def test_limits_end_programs_at_the_same_step(twin: Device, natives: Natives, name: str) -> None:
    whole = ran(twin, PROGRAMS[name], None)[2]
    for steps in range(1, whole, whole // (40 if name in CALLING | COUNTING else 13) + 1):
        expected = ran(twin, PROGRAMS[name], None, steps)
        assert ran(twin, PROGRAMS[name], natives(name, "seen"), steps) == expected


# ---- the text ----

Text = Callable[..., CompiledModule]


@pytest.fixture
def compiled(module: Callable[[str], BytecodeModule], tables: Tables) -> Text:
    def compiled(source: str, **options: Any) -> CompiledModule:
        lines = source.split("\n")
        return compile_module(module(source), tables, lines, options=CompilerOptions(**options))

    return compiled


def hot(made: CompiledModule) -> str:
    """Return the C++ of the blocks, without entries and side exits."""
    body = made.text.partition("default: return cs;")[2]
    return re.split(r"\n[XYZ]\d+:", body)[0]


def test_globals_stay_in_variables_in_loops_without_calls(compiled: Text) -> None:
    source = "x = 1\ni = 0\nwhile i < 1000:\n    x = x * 3 & 255\n    i += 1\n"
    made = compiled(source, hints=bytes([SEEN_INT]) * 200)
    assert "goto" in hot(made)
    for word in ("tier_find", "tier_load", "frame[", "tier_from", "*p"):
        assert word not in hot(made)


def test_where_a_call_may_store_globals_they_are_in_the_dict(compiled: Text) -> None:
    made = compiled("i = 0\nwhile i < 1000:\n    i += 1\n    print(i)\n")
    assert "*p" in hot(made) and "tier_find" in hot(made)


@pytest.mark.parametrize(
    ("loop", "checks"),
    [
        ("x = (x * 1103515245 + 12345) & 0x7fffffff", False),
        ("x = (x + i * 7) % 1000", False),
        ("x = x + i & 255", False),
        ("x = x + 1", True),
        ("x = x ^ (x >> 3)", False),
        ("x = i * 3 & 15 | 64", False),
    ],
)
def test_ranges_tell_where_integers_stay_small(compiled: Text, loop: str, checks: bool) -> None:
    head = "def f():\n    x = 1\n    for i in range(100):\n"
    made = compiled(f"{head}        {loop}\n    return x\n")
    assert ("tier_fits" in hot(made)) == checks


def test_what_was_seen_is_guessed_and_guards_say_where(compiled: Text) -> None:
    source = "def area(a, b):\n    return a * b\n"
    assert not compiled(source).guards
    for seen, kind in ((SEEN_INT, "small int"), (SEEN_FLOAT, "float")):
        made = compiled(source, hints=bytes([seen]) * 200)
        assert made.guards[0][:3] == (0, "area", 2)
        assert made.guards[0].what == f"a variable is no {kind}"
        assert [guard.number for guard in made.guards] == list(range(len(made.guards)))
        without: set[int] = set()
        while made.guards:
            places = {guard.place for guard in made.guards}
            assert not without >= places
            without |= places
            made = compiled(source, hints=bytes([seen]) * 200, without=without)
        assert "mp_binary_op" in made.text
    for seen in (SEEN_OTHER, SEEN_INT | SEEN_FLOAT):
        assert not compiled(source, hints=bytes([seen]) * 200).guards


def test_a_function_that_nobody_ran_stays_bytecode(compiled: Text) -> None:
    source = "def area(a, b):\n    return a * b\n"
    assert compiled(source).entries
    assert not compiled(source, hints=bytes(200)).entries
