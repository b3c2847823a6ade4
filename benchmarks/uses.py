"""Time what users of the how-to guides do: rewards, a search, a class's homework, a sweep.

    python benchmarks/uses.py [train search grade sweep] [--repeat 3]

Each figure is the least of some repetitions, with programs that the process has not seen before.
docs/lab/uses.md has results.
"""

from __future__ import annotations

import argparse
import os
import random
import time
from collections.abc import Callable

import numpy as np

from porter import InterpreterArray, evaluate

Timed = Callable[[int], tuple[int, str]]

ANSWER = """
def solve(items, k):
    # answer {number}
    ordered = sorted(items)
    total = {start}
    for place, item in enumerate(ordered):
        if place % {divisor} == 0:
            total += item * k
        else:
            total -= item
    return total
"""
ENDLESS = "def solve(items, k):\n    n = {number}\n    while True:\n        n += 1\n"
HUNGRY = "def solve(items, k):\n    n = [{number}]\n    while True:\n        n.append([0] * 1000)\n"
MODEL = """
def epidemic(contacts, recovery):
    well, ill, most = 0.999, 0.001, 0.0
    for day in range(200):
        new = contacts * well * ill
        well -= new
        ill += new - recovery * ill
        most = max(most, ill)
    return most
"""


def answers(count: int, hostile: float, first: int) -> list[str]:
    """Return different programs, a share of which is endless or fills memory."""
    dice, found = random.Random(first), []
    for number in range(first, first + count):
        chosen = dice.random()
        if chosen < hostile:
            form = ENDLESS if chosen < hostile / 2 else HUNGRY
            found.append(form.format(number=number))
        else:
            start, divisor = dice.randrange(3), dice.randrange(2, 5)
            found.append(ANSWER.format(number=number, start=start, divisor=divisor))
    return found


def cases(count: int) -> list[tuple[tuple[list[int], int], int]]:
    """Return cases of which about a ninth of the answers pass all."""
    dice, found = random.Random(1), []
    for _ in range(count):
        items, k = [dice.randrange(100) for _ in range(12)], dice.randrange(1, 5)
        terms = [item * k if i % 2 == 0 else -item for i, item in enumerate(sorted(items))]
        found.append(((items, k), sum(terms)))
    return found


def train(turn: int) -> tuple[int, str]:
    """Judge a batch of 1,024 answers on 8 cases; 2 % are hostile."""
    pairs = [(source, cases(8)) for source in answers(1024, 0.02, turn * 10**6)]
    found = evaluate(pairs, steps=100_000, max_heap="1M")
    return found.status.size, "1,024 answers x 8 cases, 2 % endless or hungry"


def search(turn: int) -> tuple[int, str]:
    """Judge a generation of 2,000 candidates on 64 cases."""
    programs = answers(2000, 0.01, turn * 10**6)
    found = evaluate(programs, cases(64), steps=1000, each="program", max_heap=0)
    return found.status.size, "2,000 candidates x 64 cases, at most 1,000 steps"


def grade(turn: int) -> tuple[int, str]:
    """Grade 300 submissions on 20 cases; 5 % are hostile."""
    found = evaluate(answers(300, 0.05, turn * 10**6), cases(20), steps=100_000, max_heap="1M")
    return found.status.size, "300 submissions x 20 cases, 5 % endless or hungry"


def sweep(turn: int) -> tuple[int, str]:
    """Run a model of 200 days for 10,000 pairs of parameters."""
    with InterpreterArray(10_000, target="host") as pythons:
        pythons.set("contacts", np.linspace(0.1, 0.6 + turn / 100, 10_000))
        pythons.set("recovery", np.linspace(0.05, 0.3, 10_000))
        pythons.exec(pythons.compile(MODEL, "model.py"))
        pythons.exec("most = epidemic(contacts, recovery)")
        return len(pythons.get("most")), "10,000 pairs of parameters x 200 days"


USES: dict[str, Timed] = {"train": train, "search": search, "grade": grade, "sweep": sweep}


def main() -> None:
    """Print a line for each use."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("uses", nargs="*", metavar="USE", help="one of train, search, grade, sweep")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    for name in options.uses or USES:
        seconds = []
        for turn in range(options.repeat):
            start = time.perf_counter()
            calls, text = USES[name](turn + 1)
            seconds.append(time.perf_counter() - start)
        least = min(seconds)
        each = f"{least / calls * 1e6:.0f} us per call"
        every = ", ".join(f"{one:.2f}" for one in seconds)
        print(f"{name}: {text}: {least:.2f} s, {each} ({every}; load {os.getloadavg()[0]:.1f})")


if __name__ == "__main__":
    main()
