"""Tables of hot code add up, and name functions and groups."""

from __future__ import annotations

import io
import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from porter.cli import execute
from porter.errors import CountsMismatch, UsageError
from porter.pipeline import Build
from porter_dev.bench import hot_code
from porter_dev.bench.code_groups import GROUPS, OTHER, CodeNames
from porter_dev.bench.hot_code import UNMATCHED, BuiltCode, analyze, show
from porter_dev.bench.instruction_counts import InstructionCount, LaunchCounts
from tests.bench.small_cubin import RETURN, SmallFunction, branch, ran, small_code, write_cubin

ROOT = Path(__file__).parents[2]
SLICE = "_ZN39_INTERNAL_0123abcd_9_py_vm_cpp_e6e1754015slice"
APPEND = "_ZN48_INTERNAL_0123abcd_17_port_allocate_cpp_e6e1754011append_nodeEPK9_layout_tm"
LAMBDA = "_ZN15sandwich_cppIZN39_INTERNAL_0123abcd_9_py_vm_cpp_e6e1754015sliceEmE4callES1_"
FUNCTIONS = (
    SmallFunction("porter_meet", (0, 0, RETURN)),
    SmallFunction("mp_execute_bytecode", (0,) * 30 + (RETURN,)),
    SmallFunction(APPEND, (0, 0, 0, branch(-3), 0, RETURN)),
    SmallFunction("strange", (0,) * 50 + (RETURN,)),
)
MEET, VM, NODE, STRANGE = FUNCTIONS


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> BuiltCode:
    return BuiltCode(small_code(tmp_path_factory.mktemp("cubin"), FUNCTIONS))


def launch(stalls: int = 2) -> LaunchCounts:
    counts = ran(MEET, 0x9000, [50], stalls) + ran(VM, 0xA000, [10], stalls)
    counts += ran(NODE, 0xB000, [1, 8, 8, 8, 1], stalls) + ran(STRANGE, 0xC000, [1], stalls)
    return LaunchCounts("words", tuple(counts))


def test_groups_and_sizes(built: BuiltCode) -> None:
    found = analyze(launch(), built)
    # 3 * 50, 31 * 10, 1 + 3 * 8 + 2, 51 * 1
    assert (found.executed, found.samples, found.matched) == (538, 2 * (3 + 31 + 6 + 51), 1)
    groups = {one.name: one for one in found.groups}
    assert groups["reconvergence, polls, yields"].executed == pytest.approx(150 / 538)
    assert groups["mp_execute_bytecode"].executed == pytest.approx(310 / 538)
    assert groups["mp_execute_bytecode"].stalls == pytest.approx(31 / 91)
    assert groups["allocation and freeing"].executed == pytest.approx(27 / 538)
    assert groups[OTHER].executed == pytest.approx(51 / 538)
    assert groups[UNMATCHED].executed == 0
    # 50 % are 269: 3 instructions of 50 and 12 of 10. 90 % are 484.2: 3, 31 of 10, 3 of 8, 1 of 1.
    assert [size.instructions for size in found.sizes] == [16 * 15, 16 * 38, 16 * 86]
    assert [size.lines // 128 for size in found.sizes] == [3, 6, 12]
    assert groups["mp_execute_bytecode"].hot == 16 * 31
    assert groups["allocation and freeing"].hot == 16 * 4
    assert [one.name for one in found.functions] == [
        "mp_execute_bytecode",
        "porter_meet",
        "strange",
        "append_node (port_allocate)",
    ]
    assert found.functions[3].group == "allocation and freeing"


def test_counts_of_another_build_are_refused(built: BuiltCode, tmp_path: Path) -> None:
    other = BuiltCode(small_code(tmp_path, [MEET, NODE]))
    with pytest.raises(CountsMismatch, match="words: 33 % of the executed instructions") as raised:
        analyze(launch(), other)
    assert raised.value.exit_code == 56
    assert "--build" in str(raised.value.hint)


def test_functions_that_look_alike_are_not_matched(tmp_path: Path) -> None:
    twins = [SmallFunction("one"), SmallFunction("two"), VM]
    code = small_code(tmp_path, twins, addressed=["one", "two"])
    counts = ran(VM, 0xA000, [1000]) + ran(twins[0], 0xB000, [1])
    found = analyze(LaunchCounts("words", tuple(counts)), BuiltCode(code))
    assert found.groups[-1].name == UNMATCHED
    assert found.groups[-1].executed == pytest.approx(3 / 31003)
    assert found.functions[-1].name == "one or one of 1 others"


COUNT = st.tuples(st.integers(0, 5000), st.integers(0, 1 << 40), st.integers(0, 1 << 20))


@given(st.lists(COUNT, min_size=1, unique_by=lambda row: row[0]))
def test_shares_add_up(built: BuiltCode, rows: list[tuple[int, int, int]]) -> None:
    rows = sorted(rows)
    rows[0] = (rows[0][0], rows[0][1] + 1, rows[0][2] + 1)  # nothing executed is no launch
    counts = tuple(InstructionCount(16 * at, n, stalls) for at, n, stalls in rows)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(hot_code, "MINIMUM", 0)
        found = analyze(LaunchCounts("any", counts), built)
    for portions in (found.groups, found.functions):
        assert sum(one.executed for one in portions) == pytest.approx(1)
        assert sum(one.stalls for one in portions) == pytest.approx(1)
    for one in found.groups:
        assert 0 <= one.executed <= 1 and 0 <= one.stalls <= 1
    half, most, nearly_all = found.sizes
    assert 0 < half.instructions <= most.instructions <= nearly_all.instructions
    assert 0 < half.lines <= most.lines <= nearly_all.lines <= 128 * len(rows)
    assert sum(one.hot for one in found.groups) == most.instructions
    assert sum(one.hot for one in found.functions) == most.instructions
    assert sum(one.lines for one in found.groups) >= most.lines


def test_units_come_from_names_and_ptx(tmp_path: Path) -> None:
    names = ["py_obj", "kernels.cu", "kernel_call.cpp"]
    for name in names:
        short = name[:6]
        (tmp_path / f"{name}.ptx").write_text(
            f".extern .func other\n(\n)\n;\n.func own()\n.weak .entry entry_{short}(\n"
            f".visible .func  (.param .b32 func_retval0) in_{short}(\n"
            f".visible .func plain_{short}()\n"
        )
    files = [tmp_path / f"{name}.ptx" for name in (*names, "missing")]
    found = CodeNames.of_ptx(files)
    assert {found.unit(f"{kind}_py_obj") for kind in ("in", "plain", "entry")} == {"py_obj"}
    assert found.unit("in_py_obj$7") == "py_obj"
    assert found.unit("in_kernel") in {"kernels", "kernel_call"}
    assert (found.unit("other"), found.unit("own")) == ("", "")
    assert (found.unit(SLICE), found.title(SLICE)) == ("py_vm", "slice (py_vm)")
    assert (found.unit(APPEND), found.title(APPEND)) == (
        "port_allocate",
        "append_node (port_allocate)",
    )
    assert found.unit(LAMBDA) == "py_vm"
    assert found.title("mp_vprintf$5") == "mp_vprintf"
    assert found.title("_ZN9") == "_ZN9"


@pytest.mark.parametrize(
    ("symbol", "group"),
    [
        *((name, "reconvergence, polls, yields") for name in ("porter_meet", "gpusnek_poll")),
        ("porter_release_waiting", "reconvergence, polls, yields"),
        ("porter_native_begin", "reconvergence, polls, yields"),
        (
            "_ZN49_INTERNAL_0123abcd_16_reconvergence_cu_abcdef0111count_stepsEPj",
            "reconvergence, polls, yields",
        ),
        ("mp_obj_int_print", "integers"),
        ("__cuda_sm20_div_s64", "integers"),
        ("__cuda_sm20_dblrcp_rn_slowpath_v3", OTHER),
        ("m_malloc_maybe", "allocation and freeing"),
        ("mp_obj_str_get_data_no_check$7", "strings and bytes"),
        ("strange", OTHER),
        ("", OTHER),
    ],
)
def test_groups_of_functions(symbol: str, group: str) -> None:
    assert CodeNames().group(symbol) == group


def test_units_of_the_port_exist() -> None:
    """A renamed file of the port must not move its functions to the rest unnoticed."""
    port = {
        path.stem
        for path in (ROOT / "templates").rglob("*")
        if path.suffix in (".c", ".cpp", ".cu")
    }
    port |= {path.name.split(".")[0] for path in (ROOT / "templates").rglob("*.j2")}
    units = [unit for group in GROUPS for unit in group.units if unit.startswith("port_")]
    for unit in units:
        stem = unit.removeprefix("port_").rstrip("*").rstrip("_")
        assert any(name == stem or name.startswith(f"{stem}_") for name in port), unit


def test_tables_are_printed(built: BuiltCode) -> None:
    out = Console(file=io.StringIO(), width=120)
    found = analyze(launch(), built)
    show(found, out)
    show(found, out, functions=True)
    text = out.file.getvalue()  # type: ignore[attr-defined]
    assert "words: 538 executed warp instructions, 182 fetch-stall samples" in text
    assert "Functions of 100.00 % of the executed instructions were matched" in text
    assert text.count("append_node (port_allocate)") == 1
    assert "integers" not in text  # empty groups are left out
    rows = [line.split() for line in text.splitlines() if line.strip().startswith(OTHER)]
    assert [row[1:3] for row in rows] == [["9.5", "56.0"]] * 2


def test_builds_without_a_cubin_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fatbin = tmp_path / "gpusnek.fatbin"
    fatbin.write_bytes(b"fatbin")
    monkeypatch.setattr(hot_code, "code_file", lambda built: fatbin)
    with pytest.raises(UsageError, match="no cubin"):
        BuiltCode.of(SimpleNamespace())  # type: ignore[arg-type]


def test_the_command_prints_and_stores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], built: Build
) -> None:
    cubin = write_cubin(tmp_path / "gpusnek.cubin", FUNCTIONS)
    ptx = tmp_path / "port_strange.ptx"
    ptx.write_text(".visible .func strange(\n")
    output = SimpleNamespace(files={ptx.name: None, cubin.name: None})
    monkeypatch.setattr(hot_code, "code_file", lambda build: cubin)
    monkeypatch.setattr(hot_code, "device_output", lambda build: output)
    counts, stored, again = (tmp_path / name for name in ("words.json", "out.json", "again.json"))
    counts.write_text(json.dumps([[c.address, c.executed, c.stalls] for c in launch().counts]))
    arguments = ["bench", "--build", str(cubin.parent), "--hot-code"]
    monkeypatch.setattr("porter_dev.cli.bench.open_build", lambda f: SimpleNamespace(folder=f))
    assert execute([*arguments, str(counts), "--json", str(stored)]) == 0
    first = capfd.readouterr().out
    assert "mp_execute_bytecode" in first and "strange" not in first
    assert execute([*arguments, str(stored), "--json", str(again)]) == 0
    assert capfd.readouterr().out == first
    assert stored.read_text() == again.read_text()
    groups = json.loads(stored.read_text())["programs"]["words"]["groups"]
    assert sum(group["executed"] for group in groups) == pytest.approx(1)
    assert execute([*arguments, str(counts), "--functions"]) == 0
    assert "strange" in capfd.readouterr().out
    write_cubin(cubin, [MEET])
    assert execute([*arguments, str(counts)]) == 56
    assert "Give --build the build that ncu profiled" in capfd.readouterr().err.replace("\n", " ")


def test_options_that_do_not_fit_are_refused(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], built: Build
) -> None:
    file = tmp_path / "words.json"
    file.write_text("[]")
    build = ["--build", str(tmp_path)]
    for arguments, code in (
        (["--functions", "--list"], 2),
        (["--hot-code", str(file)], 2),
        (["--hot-code", str(file), *build, "--scale"], 2),
        (["--hot-code", str(file), *build, "--lanes", str(file)], 2),
        (["--hot-code", str(file), *build], 31),
    ):
        assert execute(["bench", *arguments]) == code
        assert "Traceback" not in capfd.readouterr().err
