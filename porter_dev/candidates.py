"""Generate candidate programs, right and wrong, as a search or a model writes them.

Each program defines `solve(x)` and prints its result for the interpreter's own case, or the name of
the exception that it raises. A seed determines the programs. Every program terminates, and prints
the same on CPython and MicroPython.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

CASES = (
    61  # interpreter i has case i % CASES; prime, so it shares no factor with counts of programs
)
_HARNESS = (
    "",
    "",
    "try:",
    f"    print(solve(threadIdx % {CASES}))",
    "except Exception as error:",
    "    print(type(error).__name__)",
)
_FORMS = (
    *("({} + {})", "({} - {})", "({} * {})", "({} // {})", "({} % {})", "({} & {})", "({} ^ {})"),
    *("max({}, {})", "min({}, {})", "abs({} - {})", "({} if {} > 9 else 1)", "({} << ({} & 3))"),
)
_NAMES = ("a", "b", "n", "m", "k", "total", "value", "result", "count", "left", "acc", "y", "best")


def programs(seed: int, count: int) -> list[str]:
    """Return `count` distinct programs of 8 to 30 lines."""
    rng = Random(seed)
    found: dict[str, None] = {}
    while len(found) < count:
        found[program(rng)] = None
    return list(found)


def functions(seed: int, count: int) -> list[str]:
    """Return the programs of `programs` without the statements that call their function."""
    return [text[: text.index("\ntry:")] + "\n" for text in programs(seed, count)]


def program(rng: Random) -> str:
    """Return a program of a random shape."""
    lines = rng.choice(SHAPES)(rng)
    return "\n".join([*lines, *_HARNESS]) + "\n"


def _names(rng: Random, count: int) -> list[str]:
    return rng.sample(_NAMES, count)


def _term(rng: Random, names: tuple[str, ...], depth: int) -> str:
    """Return an integer expression; divisors may be zero, and powers and shifts are small."""
    if depth == 0 or rng.random() < 0.15:
        return rng.choice([*names, *names, str(rng.randrange(1, 30))])
    left, right = _term(rng, names, depth - 1), _term(rng, names, depth - 1)
    form = rng.choice(_FORMS)
    return form.format(left, right)


def _test(rng: Random, name: str) -> str:
    number = rng.randrange(2, 12)
    return rng.choice([f"{name} % {number} == 0", f"{name} > {number * 3}", f"{name} & {number}"])


def _slip(rng: Random, right: str, *wrong: str) -> str:
    """Return `right`, or in one of five cases a mistake out of `wrong`."""
    return right if rng.random() < 0.8 else rng.choice(wrong)


def arithmetic(rng: Random) -> list[str]:
    """Return a sequence of assignments, like those of genetic programming."""
    names = _names(rng, rng.randrange(2, 7))
    lines = ["def solve(x):"]
    for i, name in enumerate(names):
        lines.append(f"    {name} = {_term(rng, ('x', *names[:i]), rng.randrange(1, 4))}")
        if rng.random() < 0.3:
            lines += [f"    if {_test(rng, name)}:", f"        {name} = {name} % 97 - x"]
    last = _slip(rng, names[-1], "None + x", "undefined")
    return [*lines, f"    return {last} % {rng.randrange(50, 5000)}"]


def summing(rng: Random) -> list[str]:
    """Return a loop that adds up values, with branches."""
    total, i = _names(rng, 2)
    turns = _slip(rng, f"x % {rng.randrange(5, 25)} + 1", "len(x)", f"x % {rng.randrange(2, 9)}")
    return [
        "def solve(x):",
        f"    {total} = {rng.randrange(0, 9)}",
        f"    for {i} in range({turns}):",
        f"        if {_test(rng, i)}:",
        f"            {total} += {_term(rng, (i, 'x'), 2)}",
        f"        elif {_test(rng, total)}:",
        f"            {total} = {total} // 2 + {_term(rng, (i, 'x'), 1)}",
        "        else:",
        f"            {total} -= {rng.randrange(1, 9)}",
        f"    return {total}",
    ]


def stepping(rng: Random) -> list[str]:
    """Return a loop that follows a sequence until it ends or reaches a maximum of steps."""
    value, count = _names(rng, 2)
    by, plus, most = rng.choice([2, 3, 5]), rng.randrange(1, 12), rng.randrange(10, 40)
    return [
        "def solve(x):",
        f"    {value} = x{_slip(rng, f' + {plus}', '')}",
        f"    {count} = 0",
        f"    while {value} {_slip(rng, '!=', '>')} 1 and {count} < {most}:",
        f"        if {value} % {by}:",
        f"            {value} = {value} * {rng.choice([3, 5])} + {_slip(rng, '1', '2')}",
        "        else:",
        f"            {value} //= {by}",
        f"        {count} += 1",
        f"    return {rng.choice([count, f'({count}, {value})', f'{value} % 1000 + {count}'])}",
    ]


def digits(rng: Random) -> list[str]:
    """Return a program that converts a number to text and filters, counts and joins its digits."""
    text, other = _names(rng, 2)
    last = rng.choice(
        [f'int("".join({other}) or "x")', f'"-".join({other})', f"sorted({other})", f"{other}[2]"]
    )
    return [
        "def solve(x):",
        f"    {text} = str(x * {rng.randrange(3, 9999)} + {rng.randrange(0, 99)})",
        f"    {other} = [d for d in {text} if d {rng.choice(['>', '<', '!='])} "
        f'"{rng.randrange(1, 8)}"]',
        f"    if {text}.count({other}[{_slip(rng, '-1', '3')}]) > {rng.randrange(1, 3)}:",
        f"        return {text}.replace({other}[0], '{rng.choice('*.x')}')",
        f"    if {text}.startswith('{rng.randrange(1, 9)}'):",
        f"        {other}.reverse()",
        f"    return {last}",
    ]


def filtering(rng: Random) -> list[str]:
    """Return a program that builds, filters, sorts and slices a list."""
    items, kept = _names(rng, 2)
    start = rng.randrange(0, 4)
    last = rng.choice(
        (
            *(f"sum({kept}[{start}:])", f"{kept}[{start}]", f"max({kept})", f"{kept}[-3:]"),
            *(f"{kept}.index({rng.randrange(0, 9)})", f"[v * 2 for v in {kept}][:4]"),
        )
    )
    return [
        "def solve(x):",
        f"    {items} = [{_term(rng, ('i', 'x'), 2)} for i in range(1, x % 12 + 2)]",
        f"    {kept} = [v for v in {items} if {_test(rng, 'v')}]",
        f"    {kept}.sort({_slip(rng, '', 'key=lambda v: (v % 7, v)', 'reverse=True')})",
        f"    if len({kept}) < {rng.randrange(1, 4)}:",
        f"        {kept} += {items}",
        f"    return {last}",
    ]


def counting(rng: Random) -> list[str]:
    """Return a program that counts values in a dict."""
    seen, key = _names(rng, 2)
    add = _slip(rng, f"{seen}.get({key}, 0) + 1", f"{seen}[{key}] + 1")
    last = rng.choice([f"sorted({seen}.items())[:3]", f"max({seen}.values())", f"len({seen})"])
    last = _slip(rng, last, f"{seen}[{rng.randrange(0, 9)}]", f"{seen}.first()")
    return [
        "def solve(x):",
        f"    {seen} = {{}}",
        f"    for i in range({rng.randrange(5, 25)}):",
        f"        {key} = {_term(rng, ('i', 'x'), 2)} % {rng.randrange(3, 11)}",
        f"        {seen}[{key}] = {add}",
        f"        if {key} == x % {rng.randrange(20, 60)}:",
        "            break",
        f"    return {last}",
    ]


def recursive(rng: Random) -> list[str]:
    """Return a program with a recursive helper function."""
    m, k = rng.randrange(5, 90), rng.randrange(1, 3)
    step = rng.choice(
        (
            *(f"inner(n - 1) * n % {m * 11}", f"inner(n - 1) + inner(n - {k + 1})"),
            *(f"inner(n // 2) + {m} * (n & 1)", f"(inner(n - {k}) ^ n) + {m}"),
        )
    )
    return [
        "def inner(n):",
        f"    if n {_slip(rng, '<=', '<')} {k}:",
        f"        return {rng.choice(['1', 'n', '0'])}",
        f"    return {step}",
        "",
        "",
        "def solve(x):",
        f"    if x == {rng.randrange(61)}:",
        f"        return {_slip(rng, '-1', 'inner()')}",
        f"    return inner(x % {rng.randrange(4, 9)}){rng.choice(['', ' + x', ' * 3', ' // x'])}",
    ]


def objects(rng: Random) -> list[str]:
    """Return a program with a class that keeps state."""
    name, field = rng.choice(["Box", "Walker", "Machine"]), rng.choice(_NAMES)
    slip = _slip(rng, f"self.{field}", "self.missing", field)
    formula = _term(rng, (f"self.{field}", "by"), 2)
    return [
        f"class {name}:",
        "    def __init__(self, start):",
        f"        self.{field} = start",
        "",
        "    def step(self, by):",
        f"        self.{field} = {formula} % {rng.randrange(20, 999)}",
        "        return self",
        "",
        "    def out(self):",
        f"        return {slip} + {rng.randrange(0, 9)}",
        "",
        "",
        "def solve(x):",
        f"    one = {name}(x)",
        f"    for i in range({rng.randrange(2, 9)}):",
        "        one.step(i).step(x)",
        f"    return one.out(){_slip(rng, '', '.out()')}",
    ]


def catching(rng: Random) -> list[str]:
    """Return a loop that catches the exceptions of its body."""
    caught = _slip(rng, "(ZeroDivisionError, IndexError)", "IndexError", "ZeroDivisionError")
    return [
        "def solve(x):",
        f"    table = [{', '.join(str(rng.randrange(0, 9)) for _ in range(6))}]",
        "    out = 0",
        f"    for i in range({rng.randrange(4, 12)}):",
        "        try:",
        f"            out += {rng.randrange(9, 99)} // table[(i + x) % {rng.randrange(6, 9)}]",
        f"        except {caught}:",
        f"            out -= {rng.randrange(1, 5)}",
        "        finally:",
        f"            out = out * {rng.randrange(1, 4)} % 1009",
        f"    return out{_slip(rng, '', ' // (x % 5)')}",
    ]


def tabulating(rng: Random) -> list[str]:
    """Return a program of dynamic programming: a table filled from its own earlier entries."""
    best, size = rng.choice(_NAMES), rng.randrange(8, 18)
    coins = sorted(rng.sample(range(2, 9), 3))
    return [
        "def solve(x):",
        f"    size = x % {size} + {_slip(rng, '2', '1')}",
        f"    {best} = [{rng.choice(['0', '1'])}] * size",
        f"    for coin in ({', '.join(map(str, coins))}):",
        f"        for at in range({_slip(rng, 'coin', '1')}, size):",
        f"            {best}[at] {rng.choice(['+=', '^='])} {best}[at - coin] + {rng.randrange(3)}",
        f"    return {rng.choice([f'{best}[-1]', f'sum({best})', f'max({best}) - min({best})'])}",
    ]


def cycling(rng: Random) -> list[str]:
    """Return a program that finds the period of a sequence, with a set."""
    seen, at = _names(rng, 2)
    return [
        "def solve(x):",
        f"    {seen} = set()",
        f"    {at} = {_slip(rng, 'x', '[x]', 'x // 2')}",
        f"    while {at} not in {seen}:",
        f"        {seen}.add({at})",
        f"        {at} = ({at} * {rng.randrange(2, 40)} + {rng.randrange(1, 20)}) "
        f"% {rng.randrange(11, 47)}",
        f"    return {rng.choice([f'len({seen})', f'{at} + len({seen})', f'max({seen})'])}",
    ]


SHAPES: tuple[Callable[[Random], list[str]], ...] = (
    *(arithmetic, summing, stepping, digits, filtering, counting),
    *(recursive, objects, catching, tabulating, cycling),
)
