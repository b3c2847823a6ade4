"""Programs with more arguments, items, names or functions than upstream's compiler counts."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from porter.run import Device, Launch, open_device, run
from tests.library.compare import ROOMY, assert_alike

LARGE = Launch(heap=64 << 20, stdout=1 << 16, stderr=1 << 14, pystack=4 << 20, stack=1 << 20)


def joined(form: str, count: int, between: str = ", ") -> str:
    """Return `count` texts made from `form`, whose `{}` is the number of each."""
    return between.join(form.replace("{}", str(k)) for k in range(count))


def calls_of(count: int) -> str:
    """Return calls with `count` arguments of each form."""
    numbers, names = joined("{}", count), joined("a{}={}", count)
    return f"""
class Thing:
    def method(self, *args, **named):
        return len(args), sum(args), len(named), list(named)[:3]
    def __call__(self, *args, **named):
        return self.method(*args, **named)
thing = Thing()
x, d = [5, 6], {{"other": 1}}
print(thing({numbers}))
print(thing.method({numbers}))
print(thing({names}))
print(thing.method({numbers}, {names}))
print(thing({numbers}, *x, 7, *x, {names}, *x, **d))
print(thing(**d, {names}, **{{}}))
print(thing({numbers}, (y := 4)), y)
print(max({numbers}, key=lambda v: -v))
try:
    print(thing({names}, **{{"a1": 1}}))
except TypeError:
    print("TypeError")
print("{joined("{}", count, "")}".format({numbers}))
print(f"{joined("{x[{}%2]}", count, "")}")
bases = [type("B%d" % k, (), {{}}) for k in range({count})]
class Many({joined("bases[{}]", count)}, metaclass=type):
    pass
print(len(Many.__bases__))
def defaults({joined("a{}", count)}):
    return a{count - 1}
print(defaults(*range({count})))
"""


INVALID = [
    f"f({joined('{}', 300)}, a=1, 2)",
    f"f({joined('{}', 300)}, **d, *x)",
    f"f({joined('{}', 300)}, **d, 1)",
    f"f({joined('a{}=1', 300)}, a7=2)",
    f"f({joined('{}', 300)}, 1=2)",
]


def displays(count: int) -> str:
    """Return displays of `count` items: constants, names, and pairs."""
    return f"""
i = 5
print(len([{joined("i", count)}]), len([{joined("{}", count)}]))
print(len(({joined("i", count)})), len(({joined("{}", count)})))
def returned():
    return {joined("i", count)}
print(len(returned()))
print(len({{{joined("{}", count)}}}), list({{{joined("{}", count)}}})[-1])
print(len({{{joined("i * {}", count)}}}))
print(len({{{joined("{}: i", count)}}}))
print([{joined("{}", count)}][-1])
"""


@pytest.mark.parametrize("count", [61, 127, 199, 200, 201, 255, 256, 257, 700])
def test_calls_may_have_any_number_of_arguments(any_device: Device, count: int) -> None:
    assert_alike(any_device, calls_of(count))


@pytest.mark.parametrize(
    "call", INVALID, ids=["after a name", "star", "after a star", "twice", "no name"]
)
def test_invalid_calls_are_refused(any_device: Device, call: str) -> None:
    assert b"SyntaxError" in run(any_device, [call], 1, ROOMY).stderr[0]


@pytest.mark.parametrize("count", [2047, 2048, 2049, 2050])
def test_displays_may_have_any_number_of_items(any_device: Device, count: int) -> None:
    assert_alike(any_device, displays(count))


def local_names(count: int) -> str:
    """Return a function whose closure uses the last of `count` variables."""
    body = joined("    a{} = {}\n", count, "")
    return f"def f():\n{body}    return lambda: a{count - 1}\nprint(f()())\n"


def targets(count: int) -> str:
    """Return an assignment to `count` targets."""
    return f"[{joined('i', count)}] = range({count})\nprint(i)\n"


def functions(count: int) -> str:
    """Return a program of `count` functions."""
    return "x = lambda: 1\n" * count + "print(x())\n"


def jumps(count: int) -> str:
    """Return an expression of `count` jumps to its end."""
    return f"i = 1\nprint({joined('i', count, ' and ')})\n"


# A program, a size that works, and a size beyond the limit.
LIMITED: list[tuple[Callable[[int], str], int, int]] = [
    (local_names, 256, 257),
    (targets, 4000, 66_000),
    (functions, 3000, 66_000),
    (jumps, 3000, 20_000),
]


@pytest.mark.parametrize(
    ("form", "works", "fails"), LIMITED, ids=lambda value: getattr(value, "__name__", "")
)
def test_limits_of_the_compiler_are_reported(
    built: Any, form: Callable[[int], str], works: int, fails: int
) -> None:
    with closing(open_device(built.folder, "host")) as device:
        assert not run(device, [form(works)], 1, LARGE).stderr[0]
        result = run(device, [form(fails)], 1, LARGE)
    assert result.stderr[0].splitlines()[-1].startswith(b"NotImplementedError: ")
