"""Generate Python programs that terminate and print the same in every interpreter."""

from __future__ import annotations

from attrs import frozen

from porter_dev.torture.choices import Choices
from porter_dev.torture.python.definitions import SPEND, PythonChains, PythonDefinitions
from porter_dev.torture.python.scope import (
    ANY,
    ARRAY,
    BYTES,
    FLOAT,
    INT,
    LARGE,
    LIST,
    TEXT,
    WITH_FLOATS,
    NewNames,
    PythonScope,
)
from porter_dev.torture.python.statements import Lines, indented

# Common code of all programs. `told` returns a caught exception's type and prints its traceback to
# stderr, except in CPython. `spend` bounds the number of calls. `whole` replaces floats where only
# ints are allowed. `kept` holds generators, since CPython closes an unreferenced one at once. The
# code is compiled at run time: it stays bytecode and costs no g++ time.
_HEAD = """\
import sys
from array import array
INF = float('inf')
NAN = INF - INF
if sys.implementation.name == 'cpython':
    NAN = float('nan')
FUEL = 120
class Boom(Exception):
    pass
class Watch:
    def __init__(self, hides):
        self.hides = hides
    def __enter__(self):
        return 4
    def __exit__(self, kind, error, where):
        print('leaves', kind is not None)
        return self.hides
def told(e):
    if hasattr(sys, 'print_exception'):
        sys.print_exception(e, sys.stderr)
    for kind in (NameError, RuntimeError):
        if isinstance(e, kind):
            return kind.__name__
    return type(e).__name__
def spend():
    global FUEL
    FUEL -= 1
    if FUEL < 0:
        raise Boom('fuel')
KEPT = []
def kept(it):
    KEPT.append(it)
    return it
def whole(x):
    return x if isinstance(x, (int, bool)) else 7
"""
_BEFORE = f"exec({_HEAD!r})\n"
_DEEP = """\
def deep(n):
    return deep(n + 1) + 1
try:
    print(deep(0))
except RuntimeError as e:
    print('deep')
"""


@frozen
class PythonProgram:
    """The text of a program and the decisions that it was made of."""

    text: str
    choices: tuple[int, ...]

    @property
    def size(self) -> int:
        """Length of the text; the reducer minimises it."""
        return len(self.text)

    @property
    def source(self) -> str:
        """The complete source: common code and text."""
        return _BEFORE + self.text


def generate(choices: Choices) -> PythonProgram:
    """Generate the program that `choices` make."""
    c = choices
    numbers = c.pick([WITH_FLOATS, LARGE])
    maker = PythonChains(NewNames(c, numbers))
    scope = PythonScope({"g1": INT, "g2": FLOAT})
    lines = ["g1 = 5", "g2 = 2.5" if numbers.floats else "g2 = 12"]
    if c.chance(50):
        lines += SPEND.splitlines()
    for _ in range(c.below(3)):
        lines += maker.fresh(scope, c.pick([INT, LIST, TEXT, BYTES, ARRAY, ANY]))
    if c.chance(35):
        lines += maker.function(scope)
    if c.chance(25):
        lines += maker.generator(scope)
    for _ in range(c.pick([0, 0, 0, 0, 1, 2])):
        lines += maker.klass(scope)
    if c.chance(30):
        lines += maker.chain(scope)
    if c.chance(60):
        lines += maker.function(scope)
    for _ in range(c.pick([1, 1, 2])):
        lines += _section(maker, scope)
    lines += _calls(maker, scope)
    if c.chance(3):
        lines += _DEEP.splitlines()
    lines += ["for name in ('g1', 'g2'):", "    print(name, globals().get(name, 'gone'))"]
    if c.chance(10):
        lines += maker.body(scope, 1, 2)  # an uncaught exception here ends the program
    return PythonProgram("\n".join(lines) + "\n", tuple(c.taken))


def _section(maker: PythonDefinitions, scope: PythonScope) -> Lines:
    """Draw module-level statements in a handler; they see the names of earlier sections."""
    c = maker.choices
    inner = scope.inside()
    inner.variables = dict(scope.variables)
    lines = maker.body(inner, 2, 3)
    maker.forget(scope, inner)
    if c.chance(10):
        lines += [f"exec('g1 = g1 + {c.below(9)}')", "print(g1)"]
    return ["try:", *indented(lines), "except Exception as e:", "    print('section', told(e))"]


def _calls(maker: PythonDefinitions, scope: PythonScope) -> Lines:
    """Draw a call of each function, and a loop over each generator."""
    lines: Lines = []
    e = maker.expressions(scope)
    for made in scope.functions:
        shown = f"print('{made.name}', {e.call(made, 1)})"
        lines += ["FUEL = 60", "try:", f"    {shown}", *_handler(made.name)]
    for made in scope.generators:
        lines += ["FUEL = 60", "try:", *indented(_values(maker, f"kept({e.call(made, 0)})"))]
        lines += _handler(made.name)
    return lines


def _handler(name: str) -> Lines:
    return ["except Exception as e:", f"    print('{name}', told(e))"]


def _values(maker: PythonDefinitions, call: str) -> Lines:
    form = maker.choices.below(4)
    if form == 0:
        return [f"print('all', list({call}))"]
    lines = [f"it = {call}", "print('first', next(it))"]
    if form == 1:
        return [*lines, "print('sent', it.send(5))", "it.close()"]
    if form == 2:
        return [*lines, "print('thrown', it.throw(ValueError))"]
    return ["for w in " + call + ":", "    print(w)", "    if w == 3:", "        break"]
