"""Options of an evaluation: validation, and limits per program."""

from __future__ import annotations

import keyword
import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from attrs import field, frozen

from porter.array.device_selection import read_sizes
from porter.base.arguments import MOST_CLOCK, choice, seconds, text, whole
from porter.base.sizes import parse_size
from porter.errors import UsageError, WrongType
from porter.fallback import Fallback, fallback_of
from porter.run import Cancel
from porter.run.launch.limits import Each, seconds_of, steps_of

EACH = ("case", "program")
OUTPUTS = ("lines", "text", "tokens")
KEPT = ("outputs", "values", "tracebacks", "exceptions", "stderr", "exit_codes")
# Steps that CPython takes in somewhat more than 1 s: it runs 10 million iterations of a loop per
# second. An endless program takes a core 1 s, and a lane of a GPU half a minute.
STEPS = 12_000_000
STDOUT = 16 << 10
# Bytes. Programs that need more are rare: 1 of HumanEval's 164 needs more than 3 MiB. An endless
# program that allocates fills each heap that is tried.
MAX_HEAP = 12 << 20
CLOCK = 946_684_800.0  # 2000-01-01
Compare = Callable[[Any, Any], Any]
Progress = Callable[[int], object]


@frozen
class Tolerance:
    """A tolerance for floats anywhere in a result, as in math.isclose; other values must be equal.

    Attributes:
        relative: Tolerance relative to the larger of both values, from 0.
        absolute: Tolerance for values near 0, from 0.
    """

    relative: float = 1e-9
    absolute: float = 0.0

    def __attrs_post_init__(self) -> None:
        for name in ("relative", "absolute"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise WrongType(f"{name}: {type(value).__name__} is not a number")
            if not 0 <= value < math.inf:
                raise UsageError(f"{name}: {value} is not a number from 0")


def entry_of(value: Any) -> str:
    """Validate the name of a function, `f` or `Class.method`. Raises WrongType, UsageError."""
    name = str(text(value, "entry"))  # without a subclass, such as numpy's
    parts = name.split(".")
    if len(parts) > 2 or not all(
        one.isidentifier() and not keyword.iskeyword(one) for one in parts
    ):
        raise UsageError(
            f"entry: {name[:80]!r} is not a Python identifier, or two with a dot between them"
        )
    if len(name.encode()) > 255:
        raise UsageError(f"entry: {name[:20]}... is longer than 255 bytes")
    return name


def _output(value: Any) -> str:
    return choice(value, "output", OUTPUTS)


def _compare(value: Any) -> Tolerance | Compare | None:
    if value is None or (isinstance(value, str) and value == "equal"):
        return None
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return Tolerance(float(value))
        except OverflowError as error:
            raise UsageError("compare: this tolerance is no double", hint=COMPARE) from error
    if isinstance(value, Tolerance) or callable(value):
        found: Tolerance | Compare = value
        return found
    if isinstance(value, str):
        raise UsageError(f"compare: {value!r} is not 'equal'", hint=COMPARE)
    raise WrongType(f"compare: {type(value).__name__}", hint=COMPARE)


COMPARE = "Give 'equal', a relative tolerance, a Tolerance, or a function of two values."


def _keep(value: Any) -> frozenset[str]:
    if value is None:
        return frozenset()
    names = (value,) if isinstance(value, str) or not isinstance(value, Iterable) else value
    return frozenset(choice(name, "keep", KEPT) for name in names)


def _steps(value: Any) -> int | Each | None:
    return steps_of(value, "steps")


def _each(value: Any) -> str:
    return choice(value, "each", EACH)


def _stdout(value: Any) -> int:
    return STDOUT if value is None else int(read_sizes({"stdout": value})["stdout"])


def _max_heap(value: Any) -> int:
    if value is None:
        return MAX_HEAP
    size = parse_size(value, "max_heap")
    return size and int(read_sizes({"heap": size})["heap"])


def _clock(value: Any) -> float | None:
    return None if value is None else seconds(value, "clock", MOST_CLOCK)


def _seed(value: Any) -> int:
    return whole(value, "seed", -(2**63), 2**64 - 1)


@frozen(eq=False)
class Files:
    """A read-only littlefs2 image that all interpreters mount at "/".

    Attributes:
        data: The image.
        block_size: Bytes of a littlefs block.
    """

    data: bytes = field(repr=False)
    block_size: int


@frozen(kw_only=True, eq=False)
class Judging:
    """The validated options of `evaluate`, which documents them.

    It can be pickled unless `compare` is a function that cannot. Raises UsageError, WrongType.

    Attributes:
        steps: A limit for all, or one for each program by its index.
        deadline: Likewise.
        max_heap: Maximum bytes of the heap in reruns of rows that ran out of memory; 0: no reruns.
        compare: None: results must be equal.
        output: How the outputs of whole programs are compared (OUTPUTS).
        fallback: How CPython runs rows that are UNSUPPORTED; None: it does not.
        modules: Modules beside those of the standard library and of `fallback`; a row that lacks
            one of them is UNSUPPORTED.
        cancel: Ends launches whose results are no longer needed.
        reserved: Bytes of output for which launches reserve memory, where a case expects more than
            `stdout`. Each row has a limit of its own (cases.output_limits).
    """

    entry: str = field(default="solve", converter=entry_of)
    steps: int | Each | None = field(default=STEPS, converter=_steps)
    deadline: float | Each | None = field(default=None, converter=seconds_of)
    sizes: dict[str, int] = field(factory=dict, converter=read_sizes)
    max_heap: int = field(default=MAX_HEAP, converter=_max_heap)
    stdout: int = field(default=STDOUT, converter=_stdout)
    seed: int = field(default=0, converter=_seed)
    clock: float | None = field(default=CLOCK, converter=_clock)
    compare: Tolerance | Compare | None = field(default=None, converter=_compare)
    output: str = field(default="lines", converter=_output)
    each: str = field(default="case", converter=_each)
    keep: frozenset[str] = field(default=frozenset(), converter=_keep)
    files: Files | None = None
    fallback: Fallback | None = field(default=None, converter=fallback_of)
    modules: tuple[str, ...] = ()
    cancel: Cancel | None = None  # ends launches whose results are no longer needed
    reserved: int | None = None

    def __attrs_post_init__(self) -> None:
        if _unlimited(self.steps, self.deadline):
            raise UsageError(
                "steps: without a limit of steps or time a program can run for ever",
                hint="Give steps, deadline, or both.",
            )
        if self.clock is None and _unlimited(self.deadline):
            raise UsageError(
                "clock: by the machine's clock a program can sleep for ever, which takes no steps",
                hint="Give a deadline too.",
            )
        if self.fallback is not None and self.files is not None:
            raise UsageError("fallback: programs in CPython have no files; leave files= out")

    def check_number(self, programs: int) -> None:
        """Raise UsageError if a list of limits has more values than there are programs."""
        for option, limit in (("steps", self.steps), ("deadline", self.deadline)):
            if isinstance(limit, Each) and len(limit.values) > programs:
                raise UsageError(
                    f"{option}: {len(limit.values)} values, but there are {programs} programs",
                    hint="Give one value for all programs, or one for each.",
                )

    @property
    def function(self) -> Compare | None:
        """The caller's comparison function, which runs in CPython; None: interpreters compare."""
        return None if isinstance(self.compare, Tolerance) else self.compare

    @property
    def tolerance(self) -> tuple[float, float] | None:
        """The relative and absolute tolerance of comparisons in interpreters; None: exact."""
        if not isinstance(self.compare, Tolerance):
            return None
        return float(self.compare.relative), float(self.compare.absolute)

    @property
    def buffer(self) -> int:
        """Bytes of output for which a launch reserves memory in each row."""
        return self.stdout if self.reserved is None else self.reserved

    @property
    def wants_values(self) -> bool:
        """Whether returned values have to be copied to the host."""
        return "values" in self.keep or self.function is not None

    @property
    def wants_records(self) -> bool:
        """Whether launches keep records of the exceptions that end programs and calls."""
        return bool({"tracebacks", "exceptions"} & self.keep)

    def limits(self, first: int, count: int, rows: np.ndarray[Any, Any]) -> dict[str, Any]:
        """Return the limits of a launch of `count` programs from `first` on.

        Args:
            first: Index of the first program.
            count: Number of programs.
            rows: Each interpreter's program, relative to `first`.

        Raises:
            UsageError: There are fewer limits than programs.
        """
        found: dict[str, Any] = {}
        for option, limit in (("steps", self.steps), ("deadline", self.deadline)):
            name = "max_steps" if option == "steps" else option
            if isinstance(limit, Each):
                own = limit.values[first : first + count]
                if len(own) < count:
                    raise UsageError(
                        f"{option}: {len(limit.values)} values, but there are more programs"
                    )
                found[name] = Each(own[rows])
            else:
                found[name] = limit
        return found


def _unlimited(*limits: float | Each | None) -> bool:
    """Return whether a program has none of these limits."""
    each: list[Any] = [limit.values for limit in limits if isinstance(limit, Each)]
    if any(limit is not None and not isinstance(limit, Each) for limit in limits):
        return False
    count = min(map(len, each), default=1)
    return not np.any([values[:count] for values in each] or [[False]], axis=0).all()


def progress_of(value: Any) -> Progress | None:
    """Validate the progress callback. Raises WrongType."""
    if value is not None and not callable(value):
        raise WrongType(f"progress: {type(value).__name__} is not a function")
    found: Progress | None = value
    return found


MOST_BATCH = 2**22


def batch_of(value: Any) -> int | None:
    """Validate the number of programs per batch. Raises WrongType, UsageError."""
    return None if value is None else whole(value, "batch", 1, MOST_BATCH)
