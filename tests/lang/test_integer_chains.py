"""Operators with long intermediate results: chains of the bytecode interpreter (vm_chain.h)."""

from __future__ import annotations

import random

import pytest

from porter.run import Device, Launch, run
from tests.cpython import cpython

EDGES = [by + (1 << bits) for bits in (31, 32, 46, 47, 63, 64) for by in (-1, 0)]
NUMBERS = (0, 1, -1, 3, 7, 63, 64, 65, 1000, 2**45 + 5, *EDGES, *(-edge for edge in EDGES))
OPERATORS = ("+", "-", "*", "//", "%", "&", "|", "^", "<<", ">>")
SHIFTS = (0, 1, 7, 13, 31, 32, 40, 46, 63, 64, -1)
# Where an operand comes from: a local variable, one of many, a constant, or a global.
PLACES = ("local_{}", "far_{}", "{}", "GLOBAL_{}")


def expression(choose: random.Random, names: list[tuple[str, int]]) -> str:
    """Return a chain of operators, with operands from everywhere."""
    text = operand(choose, names, choose.choice(NUMBERS))
    for _ in range(choose.randint(1, 8)):
        operator = choose.choice(OPERATORS)
        value = choose.choice(SHIFTS if operator in ("<<", ">>") else NUMBERS)
        text = f"({text} {operator} {operand(choose, names, value)})"
    return text


def operand(choose: random.Random, names: list[tuple[str, int]], value: int) -> str:
    place = choose.choice(PLACES)
    if place == "{}":
        return f"({value})"
    name = place.format(len(names))
    names.append((name, value))
    return name


def program(seed: int, count: int) -> str:
    """Return a program that prints the values, or exceptions, of random chains."""
    choose = random.Random(seed)
    lines = []
    for k in range(count):
        names: list[tuple[str, int]] = []
        body = expression(choose, names)
        own = [f"    {name} = {value}" for name, value in names if not name.startswith("GLOBAL")]
        lines += [f"{name} = {value}" for name, value in names if name.startswith("GLOBAL")]
        filler = [f"    filler_{i} = 0" for i in range(20 if choose.random() < 0.5 else 0)]
        lines += [f"def chain_{k}():", *filler, *own, f"    return {body}", "try:"]
        lines += [f"    print(chain_{k}())", "except Exception as error:"]
        lines += ["    print(type(error).__name__)"]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("seed", range(60))
def test_random_chains(any_device: Device, seed: int) -> None:
    text = program(seed, 8)
    result = run(any_device, [text], 1, Launch(stdout=1 << 14))
    assert result.stdout[0] == cpython(text), result.stderr[0]


CASES = {
    "an operand that is missing": """
        def f(a):
            if a < 0:
                b = 1
            try:
                return a * a + b
            except NameError as error:
                return type(error).__name__
        print(f(2 ** 40))
        try:
            print(2 ** 40 * threadIdx + nothing)
        except NameError as error:
            print(error)
    """,
    "a division by zero behind a long product": """
        def f(a, m):
            return a * a % m
        for m in (7, 0):
            try:
                print(f(2 ** 31, m))
            except ZeroDivisionError:
                print("zero")
    """,
    "operators of classes": """
        class Odd(int):
            def __radd__(self, other):
                return "radd"
            def __rmod__(self, other):
                return "rmod"
        class Own:
            def __rmul__(self, other):
                return ("rmul", other)
        def f(a, b, c):
            return a * a + b, a * a % b, a * c, a * a * c
        print(f(2 ** 30, Odd(3), Own()))
        print(f(2 ** 45, True, 2.5))
    """,
    "generators, closures and module level": """
        MASK = (1 << 48) - 1
        x = 25214903917
        for i in range(5):
            x = (x * 25214903917 + 11) & MASK
            print(x >> 17)
        def drand(seed):
            a = 25214903917
            def step():
                nonlocal seed
                seed = (seed * a + 11) & MASK
                return seed >> 16
            return step
        step = drand(42)
        print([step() for i in range(5)])
        def values(seed):
            while True:
                seed = (seed * 6364136223846793005 + 1442695040888963407) % 2 ** 64
                yield seed >> 33
        print([v for v, i in zip(values(1), range(5))])
    """,
}


@pytest.mark.parametrize("name", CASES)
def test_cases(any_device: Device, name: str) -> None:
    import textwrap

    text = textwrap.dedent(CASES[name])
    shown = text.replace("threadIdx", "0")
    result = run(any_device, [text], 1, Launch(stdout=1 << 14))
    assert result.stdout[0] == cpython(shown), result.stderr[0]


def test_a_chain_allocates_nothing(any_device: Device) -> None:
    text = """
import gc
def f(x):
    gc.collect()
    before = gc.mem_alloc()
    for i in range(50):
        x = (x * 1103515245 + 12345) % 2147483648
    return gc.mem_alloc() - before
print(f(1))
"""
    result = run(any_device, [text], 1)
    assert result.stdout[0] == b"0\n", (result.stdout[0], result.stderr[0])
