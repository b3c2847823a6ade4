"""Examples with programs, texts and agents: results equal those of CPython."""

from __future__ import annotations

import re
import sys
from collections import Counter
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from porter.errors import ProgramFailed
from porter.run import Device

from .conftest import Load, Made

# One generator of numbers replaces the module `random` of MicroPython and CPython.
DICE = """
import sys

class Dice:
    pass

def roll():
    dice.state = dice.state * 16807 % 2147483647
    return dice.state / 2147483647

dice = Dice()
dice.state = threadIdx + 1
dice.random = roll
sys.modules["random"] = dice
"""


class Atomics(ModuleType):
    """A fake of the module `gpu`, for interpreters that run one after the other."""

    def __init__(self) -> None:
        super().__init__("gpu")

    @staticmethod
    def atomic_add(buffer: Any, index: int, value: int) -> int:
        old = int(buffer[index])
        buffer[index] += value
        return old


class OneByOne:
    """A fake array of interpreters: CPython runs them one by one."""

    def __init__(self, n: int) -> None:
        self.n, self.device = n, SimpleNamespace(xp=np, host=np.asarray)
        self.names: list[dict[str, Any]] = [{"threadIdx": i, "numThreads": n} for i in range(n)]

    def bind(self, name: str, array: Any, split: bool = False, readonly: bool = False) -> None:
        for i, names in enumerate(self.names):
            names[name] = array[i] if split else array.reshape(-1)

    def compile(self, source: str, name: str = "") -> str:
        return source

    def exec(self, source: str) -> None:
        for names in self.names:
            exec(source, names)

    def eval(self, source: str) -> Any:
        return np.array([eval(source, names) for names in self.names])


def test_ants_walk_as_in_cpython(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    ants = load("ants.py")
    for name in ("random", "gpu"):  # whatever a program puts there is gone afterwards
        monkeypatch.setitem(sys.modules, name, Atomics())
    with ants.InterpreterArray(20) as pythons:
        monkeypatch.setattr(ants, "ANT", DICE + ants.ANT)
        found, wanted = ants.Colony(pythons), ants.Colony(OneByOne(20))
        for _ in range(3):
            found.live()
            wanted.live()
        host = pythons.device.host
        np.testing.assert_allclose(host(found.places), wanted.places, atol=1e-6)
        np.testing.assert_allclose(host(found.scents), wanted.scents, rtol=1e-5)
        assert host(found.scents).any()


def test_food_is_neither_lost_nor_made(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    ants = load("ants.py")
    monkeypatch.setattr(ants, "FOOD", [(46, 64, 3), (34, 60, 3)])  # near the nest
    with ants.InterpreterArray(300, seed=7) as pythons:
        colony = ants.Colony(pythons)
        at_first = int(colony.food.sum())
        for _ in range(6):
            colony.live()
        carried, left = int(colony.places[:, 2].sum()), int(colony.food.sum())
        assert at_first == colony.delivered() + carried + left
        assert colony.delivered() > 0 and int(colony.food.min()) == 0


def test_the_film(made: Made) -> None:
    said = made("ants.py", "-n", 40, "--frames", 4, picture="film.gif")
    assert re.fullmatch(r"40 ants brought \d+ pieces home in 48 steps\n", said)


def test_candidates_pass_what_they_pass_in_cpython(load: Load) -> None:
    evolve = load("evolve.py")
    breeder = evolve.Breeder(5)
    programs = [evolve.program(breeder.tree(4)) for _ in range(60)]
    wanted = []
    for source in programs:
        names: dict[str, Any] = {}
        exec(source, names)
        wanted.append([names["solve"](*given) is right for given, right in evolve.CASES])
    assert np.array_equal(evolve.judge(programs, evolve.CASES), wanted)
    assert 0 < np.mean(wanted) < 1


def test_candidates_that_are_no_good_pass_nothing(load: Load) -> None:
    evolve = load("evolve.py")
    heads = "def solve(a, b, w, x, y, z):\n    "
    bad = ["def solve(", "1 / 0", heads + "while True: pass", heads + "raise SystemExit", "x = 1"]
    good = "def solve(a, b, *data):\n    return data[2 * a + b]"
    passed = evolve.judge([*bad, good], evolve.CASES).sum(axis=1)
    assert passed.tolist() == [0, 0, 0, 0, 0, len(evolve.CASES)]


def test_children_are_trees_of_bounded_size(load: Load) -> None:
    evolve = load("evolve.py")
    tree = ("if", "a", ("not", "b"), "w")
    assert evolve.expression(tree) == "((not b) if a else w)"
    assert list(evolve.places(tree)) == [(), (1,), (2,), (2, 1), (3,)] and evolve.size(tree) == 5
    assert evolve.replaced(tree, (2, 1), "x") == ("if", "a", ("not", "x"), "w")
    breeder = evolve.Breeder(3)
    trees = [breeder.tree(4) for _ in range(50)]
    hits = np.array([evolve.size(tree) for tree in trees])  # the largest are the best
    for _ in range(5):
        best = trees[hits.argmax()]
        trees = breeder.generation(trees, hits)
        hits = np.array([evolve.size(tree) for tree in trees])
        assert trees[0] == best and len(trees) == 50 and hits.max() <= evolve.LONGEST


@pytest.mark.usefixtures("plots")
def test_evolution(made: Made) -> None:
    said = made("evolve.py", "-n", 150, "--generations", 4)
    found = re.match(r"generation 4: the best of 150 passes (\d+) of 64 cases\ndef solve", said)
    assert found and int(found[1]) > 40


@pytest.mark.parametrize("n", [61, 300])
def test_logs(load: Load, any_device: Device, n: int) -> None:
    logs = load("logs.py")
    files = logs.logs(1500)
    wanted: Counter[tuple[int, int, str, bool]] = Counter()
    times = wanted.copy()
    for day, text in enumerate(files.values()):
        for line in text.splitlines():
            found = re.fullmatch(r'(\d\d):\S+ \S+ "GET (/\w*)(?:\?q=\w*)?" (\d+) (\d+)ms', line)
            assert found
            key = day, int(found[1]), found[2], int(found[3]) >= 500
            wanted[key] += 1
            times[key] += int(found[4])
    assert logs.count(any_device, logs.image_of(files), n) == (wanted, times)
    assert len(wanted) > 200


def test_an_image_without_logs(load: Load, any_device: Device) -> None:
    logs = load("logs.py")
    with pytest.raises(ProgramFailed, match="2 of 2 interpreters"):
        logs.count(any_device, logs.Image.empty(64 * 1024), 2)


@pytest.mark.usefixtures("plots")
def test_the_plot_of_logs(made: Made) -> None:
    said = made("logs.py", "-n", 30, "--lines", 3000)
    assert re.match(r"\d+ requests, \d+ failed\n\d+ of them on Thu, /", said)
