"""Reconvergence of a warp's lanes (templates/runtime/reconvergence.cu), with threads as lanes.

No lane may wait forever. Lanes of a collective operation must name the same mask; otherwise a GPU
hangs.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import attrs
import pytest

from porter.base.paths import templates_dir
from porter.compile.cuda import cuda_folder
from porter.compile.flags import nvcc_front
from porter.config import BuildConfig

HERE = Path(__file__).parent
LOAD = 'asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(shared_address(&word)));'
STORE = 'asm volatile("st.shared.u32 [%0], %1;" : : "r"(shared_address(&word)), "r"(value));'
RELEASE = "while (atomicCAS(&group->released, 0u, waiting) != 0) {"
PTX = {
    'asm("mov.u32 %0, %%laneid;" : "=r"(lane));': "lane = threadIdx.x;",
    'asm("mov.u64 %0, %%gridid;" : "=l"(grid));': "grid = 7;",
    'asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycles));': "cycles = lane_clock();",
    LOAD: "value = as_volatile(word);",
    STORE: "as_volatile(word) = value;",
    '#include "launch.h"\n': "",
    '#include "porter_runtime.h"': "#define PORTER_RECONVERGE 1\n"
    "static uint32_t porter_clock() { return (uint32_t)lane_clock(); }\n",
}
# The schedule of the threads decides whether a mutation shows. The rarest shows with one seed in
# 30.
SEEDS = 600
# Mutations of reconvergence.cu. Each must be detected, so a passing test is significant.
FAULTS = {
    "releases lanes that another cohort contains": {
        "|| atomicCAS(&group->waiting, waiting, 0u) != waiting) {": ") {",
        RELEASE: f"as_volatile(group->waiting) = 0;\n            {RELEASE}",
    },
    "releases lanes by an outdated value of waiting": {
        "|| atomicCAS(&group->waiting, waiting, 0u) != waiting) {": ") {",
        RELEASE: "if (atomicCAS(&group->released, 0u, waiting) == 0) {\n"
        "                atomicAnd(&group->waiting, ~waiting);",
    },
    "a released cohort is not cleared": {
        "as_volatile(group->released) = 0;\n    }\n    __syncwarp": "}\n    __syncwarp",
    },
    "the wait is unbounded": {
        "polls >= MAX_POLLS\n                || (waited > deadline_of(interval)\n"
        "                    && (polls >= MIN_POLLS || waited > MAX_WAIT_TICKS))": "false",
    },
    "shared memory is not initialized": {"if (stamp == ready) {": "if (stamp != 0) {"},
    "lanes of a cohort have different policies": {
        "__shfl_sync(cohort, current_policy(warp, time), __ffs((int)cohort) - 1)": (
            "current_policy(warp, time)"
        ),
    },
}


def compiled(
    folder: Path, changes: dict[str, str], arch: int = 900, source: str = "harness.cpp"
) -> Path:
    text = (templates_dir() / "runtime" / "reconvergence.cu").read_text()
    for old, new in {**PTX, **changes}.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    hooks = (templates_dir() / "port" / "hooks.h").read_text()
    (words,) = re.findall(r"^#define PORTER_MEETING_WORDS .*\n", hooks, re.MULTILINE)
    launch = templates_dir() / "runtime" / "launch.h"
    (folder / "meeting.inc").write_text(f'#include "{launch}"\n{words}{text}')
    program = folder / "harness"
    flags = ["-std=c++17", "-Wall", *([] if changes else ["-Werror"]), "-O1", "-g", "-pthread"]
    flags += [f"-I{folder}", f"-I{HERE}", f"-D__CUDA_ARCH__={arch}"]
    subprocess.run(["g++", *flags, str(HERE / source), "-o", str(program)], check=True)
    return program


def ends(program: Path, seed: int, finite: int, endless: int, limit: float) -> bool:
    command = [str(program), str(seed), str(finite), str(endless)]
    try:
        done = subprocess.run(command, timeout=limit, capture_output=True, text=True, check=False)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0 and done.stdout == "all have ended\n"


@pytest.fixture(scope="module")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("meeting"), {})


WHOLE_WARP = pytest.mark.campaign("reconvergence")


@pytest.mark.parametrize(
    ("finite", "endless"),
    [
        (1, 0),
        (2, 0),
        (7, 0),
        (1, 1),
        (6, 2),
        (2, 6),
        pytest.param(32, 0, marks=WHOLE_WARP),
        pytest.param(31, 1, marks=WHOLE_WARP),
    ],
)
def test_all_end_that_can(harness: Path, finite: int, endless: int) -> None:
    for seed in range(3):
        assert ends(harness, seed, finite, endless, 60.0), seed


@pytest.mark.parametrize("arch", [750, 900])
def test_highest_rank_runs_first(tmp_path: Path, arch: int) -> None:
    subprocess.run([str(compiled(tmp_path, {}, arch, "foremost.cpp"))], check=True, timeout=60)


RANKS = {
    "the call depth is ignored": {"rank : rank | min(depth, 0xfffu) << 20;": "rank : rank;"},
    "the number of lanes is ignored": {"rank = lanes << 14 |": "rank ="},
    "the highest place is first": {"0xfffff - min(offset, 0xfffffu)": "min(offset, 0xfffffu)"},
}


@pytest.mark.parametrize("fault", RANKS)
def test_faults_of_ranks_show(tmp_path: Path, fault: str) -> None:
    assert fails(compiled(tmp_path, RANKS[fault], source="policies.cpp"))


def test_policies_select_their_lanes_and_trials_end(tmp_path: Path) -> None:
    program = compiled(tmp_path, {}, source="policies.cpp")
    subprocess.run([str(program)], check=True, timeout=60)


TRIALS = {
    "a trial never ends": {"warp->trial_end)) > 0": "warp->trial_end)) > 1 << 30"},
    "a trial has no successor": {"policy >> TRIAL_SHIFT & 0xff": "policy & 0xff"},
    "no lane is the last one": {"atomicSub(&warp->left, 1u) == 1": "false"},
    "each lane is the last one": {"atomicSub(&warp->left, 1u) == 1": "true"},
}


@pytest.mark.parametrize("fault", TRIALS)
def test_faults_of_trials_show(tmp_path: Path, fault: str) -> None:
    assert fails(compiled(tmp_path, TRIALS[fault], source="policies.cpp"))


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("native"), {}, source="native.cpp")


@pytest.mark.parametrize("lanes", [1, 2, 5, 31, 32])
def test_machine_code_is_left_where_a_neighbour_never_looks(native: Path, lanes: int) -> None:
    for seed in range(5):
        command = [str(native), str(seed), str(lanes)]
        done = subprocess.run(command, timeout=60, capture_output=True, text=True, check=False)
        assert (done.stdout, done.stderr) == ("all have ended\n", "")


def fails(program: Path, *arguments: str) -> bool:
    command = [str(program), *arguments]
    done = subprocess.run(command, timeout=60, capture_output=True, check=False)
    return done.returncode == 1


NATIVE_FAULTS = {
    "a round never ends": {"store_plain(warp->round, load_plain(warp->round) + all);": ""},
    "rounds are one": {"const bool all = (running & ~polled) == 0;": "const bool all = true;"},
    "polls count over rounds": {
        "*rounds = (*rounds ^ round << 16) <= 0xffffu ? ": "*rounds = 1 ? "
    },
    "a lane that leaves stays in the mask": {"->native, ~begun);": "->native, ~0u);"},
    "an ended lane counts as running": {"atomicAnd(&warp->running, ~here);": ""},
    "lanes outside native code get no turns": {"            porter_give_turn();\n": ""},
    "the mask of native lanes is not initialized": {"as_volatile(warp->native) = 0;": ""},
    "the mask of running lanes is not initialized": {"as_volatile(warp->running) = 0;": ""},
}


@pytest.mark.parametrize("fault", NATIVE_FAULTS)
def test_faults_of_leaving_show(tmp_path: Path, fault: str) -> None:
    assert fails(compiled(tmp_path, NATIVE_FAULTS[fault], source="native.cpp"), "1", "5")


@pytest.mark.parametrize("lane", [0, 5, 31])
def test_others_go_on_where_a_lane_works_for_long(tmp_path: Path, lane: int) -> None:
    program = compiled(tmp_path, {}, source="releasing.cpp")
    subprocess.run([str(program), str(lane)], check=True, timeout=60)


RELEASING_FAULTS = {
    "waiting lanes are never released": {
        "porter_released > MAX_HOLD_CYCLES": "porter_released > ~0u"
    },
    "waiting lanes are released at each poll": {
        "porter_released > MAX_HOLD_CYCLES": "porter_released > 0u"
    },
    "the hold time does not start again": {
        "(0, sleep);\n    porter_restart_hold();": "(0, sleep);"
    },
    "an ended lane gets time": {"store_plain(warp->groups[0].interval, 0);": ""},
    "an arrival leaves no interval": {
        "store_plain(warp->groups[record.second_rounds != 0].interval, record.interval + 1);": ""
    },
    "the second group counts as on time": {
        "record.second_rounds != 0 || (load_plain": "(load_plain"
    },
    "a lane that is not expected counts as on time": {
        "(load_plain(first.expected) & own_lane_mask()) == 0": "false"
    },
    "a slow lane counts as on time": {
        "record.interval >> INTERVAL_SHIFT > deadline_of(interval - 1)": "false"
    },
    "a release does not sleep": {"__nanosleep(nanoseconds);": ""},
}


@pytest.mark.parametrize("fault", RELEASING_FAULTS)
def test_faults_of_letting_go_show(tmp_path: Path, fault: str) -> None:
    assert fails(compiled(tmp_path, RELEASING_FAULTS[fault], source="releasing.cpp"), "5")


def test_older_gpus(tmp_path: Path) -> None:
    program = compiled(tmp_path, {}, arch=750)
    assert all(ends(program, seed, 6, 2, 60.0) for seed in range(3))


@pytest.mark.campaign("reconvergence")
@pytest.mark.parametrize("fault", FAULTS)
def test_faults_show(tmp_path: Path, fault: str) -> None:
    program = compiled(tmp_path, FAULTS[fault])
    assert not all(ends(program, seed, 6, 2, 10.0) for seed in range(SEEDS))


def test_builds_have_it_unless_told() -> None:
    meeting = BuildConfig(release="1.28.0", target="cuda")
    plain = attrs.evolve(meeting, reconverge=False)
    define = "-DPORTER_RECONVERGE=1"
    assert define not in nvcc_front(plain) and define in nvcc_front(meeting)
    assert cuda_folder(Path("b"), plain) != cuda_folder(Path("b"), meeting)
