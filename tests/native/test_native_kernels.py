"""Native code in kernels: compilation, linking, and refusals. Running it needs a GPU."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import attrs
import pytest
from elftools.elf.elffile import ELFFile

from porter import InterpreterArray, toolchain
from porter.base.process import run
from porter.compile.build_record import parse_kernels
from porter.compile.cubin_checks import barriers
from porter.compile.device_units import DISPATCHER
from porter.compile.object_files import functions, symbol_bytes
from porter.compiler.cxx import compile_module
from porter.compiler.mpy import read_module
from porter.errors import BuildFailed, LaunchFailed, NotBuilt, UsageError
from porter.native import cache, kernels, link
from porter.native.batch import link_batch, translate
from porter.native.compilation import HEAD
from porter.native.kernels import KernelTarget
from porter.native.known_programs import KnownProgram, link_programs, open_compiled
from porter.native.link import link_kernels
from porter.native.module import NativeModule
from porter.run import Device, open_device
from porter.run.built import Built, open_build
from porter.run.device.linked_code import LinkedCode

pytestmark = pytest.mark.campaign("device-build")

if TYPE_CHECKING:
    from porter.pipeline import Build

SUM = """\
def total(n):
    t = 0
    for i in range(n):
        t += i * (threadIdx + 1)
    return t
print(total(200))
"""
QUEENS = (Path(__file__).parents[2] / "porter_dev/bench/programs/queens.py").read_text()


@pytest.fixture
def device_build() -> Built:
    """Return a device build. Making one takes minutes, so $PORTER_GPU_BUILD can name one."""
    if "PORTER_GPU_BUILD" not in os.environ:
        pytest.skip("PORTER_GPU_BUILD names no device build")
    if shutil.which("nvcc") is None:
        pytest.skip("no nvcc")
    return open_build(Path(os.environ["PORTER_GPU_BUILD"]))


Compile = Callable[[str], KnownProgram]


@pytest.fixture
def compiled(device_build: Built) -> Iterator[Compile]:
    """Return a function that compiles a source to bytecode on the build's host twin."""
    if "host" not in device_build.whole.targets:
        pytest.skip("PORTER_GPU_BUILD has no host twin")
    twin = open_device(device_build, "host")

    def compiled(source: str) -> KnownProgram:
        with InterpreterArray(1, device=twin) as array:
            code = array.compile(source)
            return KnownProgram(twin.host(code.memory).tobytes(), source.encode(), code.name)

    yield compiled
    twin.close()


def test_a_build_without_kernels(built: Build) -> None:
    found = open_build(built.folder)
    if "cuda" in found.whole.targets:
        pytest.skip("this build has kernels too")
    with pytest.raises(NotBuilt, match="no cuda build"):
        KernelTarget.of(found)


def test_no_modules_and_no_cubins(device_build: Built) -> None:
    target = KernelTarget.of(device_build)
    with pytest.raises(UsageError, match="no native code"):
        link_kernels(target)
    target.cubins.append(b"no cubin")
    with pytest.raises(LaunchFailed, match="tier_run"):
        link_kernels(target)


def test_broken_cpp_names_the_error(device_build: Built, tmp_path: Path) -> None:
    source = tmp_path / "module.cpp"
    source.write_text("this is no C++;\n")
    with pytest.raises(BuildFailed, match="error"):
        KernelTarget.of(device_build).build(source, tmp_path / "made.cubin")
    assert not (tmp_path / "made.cubin").exists()


@pytest.mark.parametrize("source", [SUM, QUEENS], ids=["sum", "queens"])
def test_nvcc_makes_the_same_without_its_headers(
    device_build: Built, compiled: Compile, tmp_path: Path, source: str
) -> None:
    if device_build.config["arena"] != "local":
        pytest.skip("a build with global arenas needs nvcc's headers")
    target = KernelTarget.of(device_build)
    program = compiled(source)
    module = read_module(program.code, HEAD, target.tables)
    text = target.prelude.read_text() + compile_module(module, target.tables).text
    both = []
    for words, option in (("", "-w"), (kernels.WORDS, kernels.NO_HEADERS)):
        unit, ptx = tmp_path / "unit.cu", tmp_path / "unit.ptx"
        unit.write_text(words + text)
        kernels.start(
            toolchain.nvcc().path, *target.front, option, *kernels.TO_PTX, unit, "-o", ptx
        )
        both.append(re.sub(r"_INTERNAL_\w+?_unit_cu_[0-9a-f]{8}|//.*", "", ptx.read_text()))
    assert both[0] == both[1]


CALLS_CALLS = """\
def thirds(numbers):
    return {n % 3 for n in numbers}
def both(numbers):
    return thirds(numbers), thirds(reversed(numbers)), thirds(numbers[1:])
for turn in range(100):
    print(both([turn, 2]), both([3, turn]), len(thirds([turn])))
"""


def test_a_function_is_in_machine_code_once(
    device_build: Built, compiled: Compile, tmp_path: Path
) -> None:
    """nvcc inlined functions into callers, and these into theirs: minutes for 30 lines."""
    program = compiled(CALLS_CALLS)
    target = KernelTarget.of(device_build)
    module = read_module(program.code, HEAD, target.tables)
    text = compile_module(module, target.tables).text
    unit, ptx = tmp_path / "module.cu", tmp_path / "module.ptx"
    unit.write_text(f"{target.prelude.read_text()}\n{text}")
    kernels.start(toolchain.nvcc().path, *target.front, *kernels.TO_PTX, unit, "-o", ptx)
    assert text.count("mp_obj_new_set(") == 1
    assert len(re.findall(r"^\s*mp_obj_new_set,", ptx.read_text(), re.MULTILINE)) == 1


def test_a_program_is_linked_with_all_of_the_build(
    device_build: Built, compiled: Compile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PORTER_HOME", str(tmp_path))
    logs: list[str] = []
    seen = kernels.start

    def noted(*command: str | Path, cwd: Path | None = None) -> None:
        if Path(command[0]).name == "nvlink":
            logs.append(run((*command, "-v"), cwd=cwd, timeout=60).stdout)
        seen(*command, cwd=cwd)

    monkeypatch.setattr(link, "start", noted)
    linked = link_programs(device_build, [compiled(SUM)])
    assert linked.cubin is not None and [m.run for m in linked.modules.values()] == [1]
    cubin = tmp_path / "linked.cubin"
    cubin.write_bytes(linked.cubin)
    ordinary = device_build.folder / "cuda/gpusnek.cubin"
    assert symbol_bytes(cubin, "gpusnek_info") == symbol_bytes(ordinary, "gpusnek_info")
    made, plain = functions(cubin), functions(ordinary)
    assert set(plain) - set(made) == set()
    assert {name for name in set(made) - set(plain) if name.startswith("tier_run")}
    assert DISPATCHER in made and made["mp_execute_bytecode"] != plain["mp_execute_bytecode"]
    resources = device_build.whole.targets["cuda"].machine["sm_90"].resources  # type: ignore[union-attr]
    for name, kernel in parse_kernels(logs[0]).items():
        assert kernel.registers <= resources.kernels[name].registers


def test_several_programs_are_told_by_number(
    device_build: Built, compiled: Compile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "natives_dir", lambda: tmp_path / "native")
    programs = [compiled(SUM), compiled(QUEENS), compiled("x = 1\n"), compiled(SUM)]
    linked = link_programs(device_build, programs)
    assert linked.cubin is not None
    assert [m.run for m in linked.modules.values() if m.entries.any()] == [1, 2]
    again = link_programs(device_build, programs)
    assert again.cubin == linked.cubin
    (text,) = [p for p in (tmp_path / "native").rglob("module.cpp") if DISPATCHER in p.read_text()]
    symbols = set(re.findall(r"case [12]: (tier_run_\w+)\(", text.read_text()))
    assert len(symbols) == 2
    # A dispatcher for several programs replaces the dispatchers of single programs.
    cubin = tmp_path / "linked.cubin"
    cubin.write_bytes(linked.cubin)
    tool = toolchain.cuda_tool("cuobjdump").path
    code = run((tool, "-sass", "-fun", DISPATCHER, cubin), timeout=60).stdout
    assert len(re.findall(r"\b(?:CALL|JMP|BRA|RET)[.\w]*", code)) >= 3
    assert symbols <= set(functions(cubin))


def test_programs_of_a_batch_are_told_by_number(
    device_build: Built, compiled: Compile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "natives_dir", lambda: tmp_path / "native")
    target = KernelTarget.of(device_build)
    codes = [compiled(source).code for source in (SUM, "", QUEENS, SUM)]
    made = [translate(target, code, i, loops=False) for i, code in enumerate(codes)]
    made[1] = None  # a program that does not compile
    cubin, modules = link_batch(target, made, tmp_path, jobs=2)
    # Two compilers share the programs alternately.
    assert [None if m is None else m.run for m in modules] == [1, None, 3, 2]
    assert all(m.entries.any() for m in modules if m is not None)
    (text,) = [p for p in (tmp_path / "native").rglob("module.cpp") if DISPATCHER in p.read_text()]
    cases = re.findall(r"case (\d): (program_\d)\(", text.read_text())
    assert cases == [("1", "program_0"), ("2", "program_3"), ("3", "program_2")]
    assert cubin is not None
    linked = tmp_path / "linked.cubin"
    linked.write_bytes(cubin)
    assert {"program_0", "program_2", "program_3", DISPATCHER} <= set(functions(linked))
    assert link_batch(target, [None], tmp_path) == (None, [None])


def test_what_gains_nothing_links_nothing(device_build: Built, compiled: Compile) -> None:
    program = compiled("x = 1\n")
    linked = link_programs(device_build, [program])
    assert linked.cubin is None and not linked.module_of(program.code).runs
    nothing = link_programs(device_build, [])
    assert nothing.cubin is None and not nothing.modules


def test_an_open_device_has_the_modules_that_it_was_opened_with() -> None:
    module = NativeModule("a", (), ())
    linked = LinkedCode(b"", {hashlib.sha256(b"code").hexdigest(): module})
    assert linked.module_of(b"code") is module
    with pytest.raises(UsageError, match="opened with"):
        linked.module_of(b"other")


def test_machine_code_of_another_opening_is_refused(any_device: Device) -> None:
    with InterpreterArray(1, device=any_device) as array:
        code = array.compile("x = 1\n")
        with_native = attrs.evolve(code, native=NativeModule("a", (), ()))
        array.exec(with_native)
        again = SimpleNamespace(built=any_device.built, name=any_device.name, linked=object())
        other = cast("Device", again)
        code.check(other)
        with pytest.raises(UsageError, match="another build or target"):
            with_native.check(other)


@pytest.mark.gpu
@pytest.mark.parametrize("source", [SUM, QUEENS], ids=["sum", "queens"])
def test_interpreted_and_compiled_are_equal(device_build: Built, source: str) -> None:
    n = 1000
    with InterpreterArray(n, build=device_build, target="cuda") as plain:
        before = plain.exec(source)
    device: Device = open_compiled(device_build, [SUM, QUEENS])
    with InterpreterArray(n, device=device) as array:
        after = array.exec(source, compiled=True)
        assert after.compiled is not None and after.compiled.compiled
        for i in range(0, n, 37):
            assert after.stdout[i] == before.stdout[i]
        assert after.steps.tolist() == before.steps.tolist()
        with pytest.raises(UsageError, match="opened with"):
            array.compile("t = 0\nfor i in range(9): t += i\n", native=True)
        array.exec("t = 0\nfor i in range(9): t += i\n")  # interpreted
    device.close()


def test_modules_of_many_programs_have_no_constants_of_the_compiler(
    device_build: Built, compiled: Compile, tmp_path: Path
) -> None:
    """A kernel has 64 KiB for such constants, and upstream's suite as native code needed more."""

    def constants(cubin: Path) -> int:
        with cubin.open("rb") as file:
            sections = list(ELFFile(file).iter_sections())
            return sum(s["sh_size"] for s in sections if s.name.startswith(".nv.constant2."))

    target = KernelTarget.of(device_build)
    program = compiled("".join(f"x{i} = {i} * 10 ** 20\nprint(-x{i})\n" for i in range(12)))
    translation = translate(target, program.code, 1, loops=False)
    assert translation is not None
    source, made = tmp_path / "plain.cpp", tmp_path / "plain.cubin"
    source.write_text(translation.text)
    target.build(source, made)
    assert constants(made) > 0
    link_batch(target, [translation], tmp_path)
    assert constants(tmp_path / "batch0.cubin") == 0


def test_what_machine_code_calls_to_look_around_does_not_yield(
    device_build: Built, compiled: Compile, tmp_path: Path
) -> None:
    """Lanes that wait after a branch would be released early (docs/lab/compiled.md)."""
    linked = link_programs(device_build, [compiled(QUEENS)])
    assert linked.cubin is not None
    (tmp_path / "linked.cubin").write_bytes(linked.cubin)
    counts = barriers(tmp_path / "linked.cubin")
    assert counts["porter_give_turn"].yields
    called = {
        "tier_look",
        "tier_draw",
        "gpusnek_poll",
        "gpusnek_poll_quietly",
        "porter_native_holds",
    }
    called |= {"gpusnek_limits_look", "porter_gc_flush", "porter_poll_loop", "porter_poll_due"}
    assert called <= counts.keys()
    mine = {name for name in counts if name.startswith("tier_") or "module_cu" in name}
    assert len(mine) > 20
    assert not {name for name in called | mine if counts[name].yields}


def test_the_former_name_of_open_compiled_still_works() -> None:
    from porter.array import kernels

    with pytest.warns(DeprecationWarning, match="now porter.native.open_compiled"):
        assert kernels.open_compiled is open_compiled
    with pytest.raises(AttributeError, match="no attribute 'other'"):
        _ = kernels.other
