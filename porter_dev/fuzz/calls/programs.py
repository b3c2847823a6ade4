"""Generate programs of hostile calls: seeded, of bounded size, in parts that can be reduced.

Several processes generate the programs of launches of tens of thousands.

A GPU runs programs faster than one process can generate them.
"""

from __future__ import annotations

import multiprocessing
import os
import re
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from random import Random
from typing import Protocol

from attrs import define, field, frozen

from porter.base.process import begin_worker, kill_workers
from porter.errors import UsageError
from porter_dev.fuzz.calls import hostile_values
from porter_dev.fuzz.calls.inventory import Inventory
from porter_dev.fuzz.calls.recipes import EXPRESSIONS, STATEMENTS

LENGTH = 16  # statements, besides the initial ones for the registers
_HOLE = re.compile(r"\{(\w+)\}")
# Prints a digest of a result. Addresses differ between runs, so for most objects it prints only the
# type. For a text that may contain an address, it prints not even the length.
_DIGEST = """\
def _p(i,v=None):
 t=type(v)
 if t is bool or t is float or t is int and -(1<<63)<v<1<<63:print(i,v)
 elif t is str or t is bytes:
  if len(v)>511 or'0x'in repr(v)or' at 'in repr(v):print(i,t.__name__)
  else:print(i,repr(v)[:64],len(v))
 elif t is list or t is tuple:print(i,t.__name__,len(v))
 else:print(i,t.__name__)
def _m(v,i):
 n=dir(v)
 return getattr(v,n[i%len(n)])
"""
_CATCH = "except(Exception,SystemExit,GeneratorExit)as e:print({},type(e).__name__)"
# Initial values of the registers, by kind.
_FIRST = ("seq", "buf", "str", "io", "obj", "iter", "buf", "any")
_SLOW = frozenset(("sleep", "sleep_ms", "sleep_us", "sleep_cpu"))
_ARGUMENTS = (0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 9)
_BODIES = ("pass", "pass", "\n  def __init__(s,*a):pass", "\n  def __init__(s,*a):s.x=a")
_KEYWORDS = ("key", "x", "end", "file", "sep", "default", "signed", "rel_tol", "maxsplit")


@frozen
class Statement:
    """A statement in parts: fixed text, with values at odd indices."""

    parts: tuple[str, ...]

    @property
    def text(self) -> str:
        """Source of the statement."""
        return "".join(self.parts)


@frozen
class CallProgram:
    """Statements in order, each in a handler, so that all run whatever earlier ones raise."""

    statements: tuple[Statement, ...]
    seed: str = field(default="", eq=False)
    bare: bool = False  # without handlers: the first exception ends the program
    prologue: str = field(default="", repr=False)  # text before all statements

    @property
    def source(self) -> str:
        """Source: helper definitions, then each statement in a `try`."""
        body: list[str] = []
        for i, statement in enumerate(self.statements):
            if self.bare:
                body.append(statement.text.replace("\n ", "\n") + "\n")
                continue
            body.append(f"try:\n {statement.text}\n{_CATCH.format(i)}\n")
        text = "".join(body)
        used = hostile_values.helpers(text)
        names = [f"v{i}" for i in range(hostile_values.REGISTERS)]
        if self.bare and not used:
            names = [name for name in names if name in text]
        registers = f"{'='.join(names)}=None\n" if names else ""
        digest = _DIGEST if "_p(" in text or "_m(" in text else ""
        return f"{self.prologue}{digest}{registers}{used}{text}"

    @property
    def encoded(self) -> bytes:
        """Source in UTF-8, lone surrogates included."""
        return self.source.encode("utf-8", "surrogatepass")


def parts_of(template: str, random: Random) -> tuple[str, ...]:
    """Fill the holes of `template`, in which literal braces are doubled as for str.format."""
    parts: list[str] = []
    at = 0
    text = template.replace("{{", "\0").replace("}}", "\1")
    for hole in _HOLE.finditer(text):
        parts += [text[at : hole.start()], hostile_values.value(random, hole[1])]
        at = hole.end()
    parts.append(text[at:])
    return tuple(part.replace("\0", "{").replace("\1", "}") for part in _owners(parts))


def _owners(parts: list[str]) -> list[str]:
    """Put numbers before a dot into parentheses, since the dot would be a decimal point."""
    for at in range(1, len(parts), 2):
        if parts[at].isdigit() and parts[at + 1].startswith("."):
            parts[at] = f"({parts[at]})"
    return parts


class Generator:
    """A generator of programs from an inventory. Equal seeds give equal programs.

    Args:
        known: Names that the build has.
        without: Regular expression; statements that match it are left out.
        length: Statements per program.

    Raises:
        UsageError: `without` is no regular expression.
    """

    def __init__(self, known: Inventory, without: str = "", length: int = LENGTH) -> None:
        self._length = length
        try:
            self._without = re.compile(without) if without else None
        except re.error as error:
            raise UsageError(f"--without: {without!r} is no regular expression: {error}") from None
        self._functions = _names(known.callables)
        self._native = _names(known.types)
        self._methods = sorted({name for names in known.attributes.values() for name in names})

    def program(self, seed: str) -> CallProgram:
        """Return the program of `seed`. Raises UsageError if `without` leaves no statement."""
        random = Random(seed)
        made: list[Statement] = []
        tries = 0
        while len(made) < len(_FIRST) + self._length:
            i = len(made)
            if i < len(_FIRST):
                first = hostile_values.value(random, _FIRST[i])
                statement = Statement((f"v{i}=", first, f";_p({i},v{i})"))
            else:
                statement = self._statement(random, i)
            tries += 1
            if tries > 100 * (len(_FIRST) + self._length):
                raise UsageError("--without: it matches nearly every statement")
            if self._without is None or not self._without.search(statement.text):
                made.append(statement)
        return CallProgram(tuple(made), seed)

    def _statement(self, random: Random, i: int) -> Statement:
        chance = random.random()
        if chance < 0.12:
            template = STATEMENTS[int(random.random() * len(STATEMENTS))]
            return _ended(parts_of(template, random), f"\n _p({i})")
        target = f"v{int(random.random() * hostile_values.REGISTERS)}"
        if chance < 0.17:
            return _ended(self._subclass(random, target), f";_p({i},{target})")
        if chance < 0.5:
            parts = parts_of(EXPRESSIONS[int(random.random() * len(EXPRESSIONS))], random)
        else:
            parts = self._call(random, chance)
        return _ended((f"{target}={parts[0]}", *parts[1:]), f";_p({i},{target})")

    def _subclass(self, random: Random, target: str) -> tuple[str, ...]:
        """Draw a subclass of a native type, and bind an instance or the class to `target`."""
        base = self._native[int(random.random() * len(self._native))]
        head = f"class G({base}):{_BODIES[int(random.random() * len(_BODIES))]}\n {target}=G"
        return (f"{head}(", *_arguments(random)) if random.random() < 0.8 else (head,)

    def _call(self, random: Random, chance: float) -> tuple[str, ...]:
        if chance < 0.75:
            name = self._functions[int(random.random() * len(self._functions))]
            if name.rpartition(".")[2] in _SLOW and random.random() < 0.95:
                name = "repr"
            return (f"{name}(", *_arguments(random))
        if chance < 0.9:
            method = self._methods[int(random.random() * len(self._methods))]
            owner = hostile_values.value(random, "v" if random.random() < 0.7 else "any")
            return tuple(_owners(["", owner, f".{method}(", *_arguments(random)]))
        which = int(random.random() * 40)
        return ("_m(", hostile_values.value(random, "v"), f",{which})(", *_arguments(random))


def _ended(parts: Sequence[str], end: str) -> Statement:
    return Statement((*parts[:-1], parts[-1] + end))


def _arguments(random: Random) -> tuple[str, ...]:
    """Draw the arguments of a call, with the text between and after them."""
    parts: list[str] = []
    between = ""
    for _ in range(_ARGUMENTS[int(random.random() * len(_ARGUMENTS))]):
        chance = random.random()
        if chance < 0.04:
            between += "*"
        elif chance < 0.08:
            between += f"{_KEYWORDS[int(random.random() * len(_KEYWORDS))]}="
        if parts or between:
            parts.append(between)
        parts.append(hostile_values.value(random, "any"))
        if between.endswith("="):
            break  # no positional argument may follow
        between = ","
    return (*parts, ")") if parts else (")",)


def _names(known: dict[str, tuple[str, ...]]) -> list[str]:
    """Return expressions for the names in modules."""
    return [
        name if module == "builtins" else f"__import__({module!r}){_path(module)}.{name}"
        for module, names in known.items()
        for name in names
    ]


def _path(module: str) -> str:
    """Return the attribute path from the result of `__import__` to a submodule."""
    return "".join(f".{part}" for part in module.split(".")[1:])


MANY = 2048  # programs per batch from which on several processes are worth their start
_PIECE = 256  # programs that a process generates at a time
_MOST = 16  # maximum number of processes


class ProgramGenerator(Protocol):
    """An interface for generating the program of a seed; pickled and sent to the processes."""

    def program(self, seed: str) -> CallProgram:
        """Return the program of `seed`."""
        ...


_generator: ProgramGenerator | None = None


@define
class ProgramMaker:
    """A source of programs by their seeds; with `many`, several processes generate them."""

    generator: ProgramGenerator
    many: bool = False
    _pool: ProcessPoolExecutor | None = field(default=None, init=False)

    def __call__(self, seeds: Sequence[str]) -> list[CallProgram]:
        """Return the programs of `seeds`, in order."""
        if not self.many or len(seeds) <= _PIECE:
            return [self.generator.program(seed) for seed in seeds]
        if self._pool is None:
            self._pool = ProcessPoolExecutor(
                min(os.cpu_count() or 1, _MOST),
                multiprocessing.get_context("spawn"),
                initializer=_begin,
                initargs=(self.generator,),
            )
        pieces = [seeds[at : at + _PIECE] for at in range(0, len(seeds), _PIECE)]
        return [program for made in self._pool.map(_make, pieces) for program in made]

    def close(self) -> None:
        """End the processes."""
        if self._pool is not None:
            kill_workers(self._pool)
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None


def _begin(generator: ProgramGenerator) -> None:
    global _generator
    begin_worker()
    _generator = generator


def _make(seeds: Sequence[str]) -> list[CallProgram]:
    assert _generator is not None
    return [_generator.program(seed) for seed in seeds]
